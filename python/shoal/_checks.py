"""Checks of arguments before anything is made of them."""

from collections.abc import Iterable


def flag(name: str, value: object) -> bool:
    """`value`, if it is a bool (one of numpy's, too): ``"no"`` and ``[]`` are mistakes, not flags."""
    if isinstance(value, bool):
        return value
    if type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {value!r}")


def texts(law: str, given: object) -> list[str]:
    """A list of texts, where one text alone would be taken for a list of its characters."""
    if isinstance(given, str):
        raise TypeError(f"{law}; for one write [{given!r}]")
    if not isinstance(given, Iterable):
        raise TypeError(f"{law}, not {type(given).__name__}")
    out = []
    for text in given:
        if not isinstance(text, str):
            raise TypeError(f"{law}, but {text!r} is among them")
        out.append(text)
    return out


def choice(name: str, value: object, default: str, other: str) -> bool:
    """Whether the option has the other of its two values."""
    if value not in (default, other):
        raise ValueError(f"{name} is {value!r}, but must be {default!r} or {other!r}")
    return value == other
