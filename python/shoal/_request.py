"""What is asked of a dataset, from Python's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

import pyarrow as pa

from shoal import _core

if TYPE_CHECKING:  # takes as long to import as all of shoal; who has expressions has imported it
    import pyarrow.compute as pc

Filter: TypeAlias = "str | pc.Expression | None"
Columns: TypeAlias = "Iterable[str] | Mapping[str, str | pc.Expression] | None"
OnBadFile: TypeAlias = Literal["error", "skip"]


def parse_filter(text: str) -> pc.Expression:
    """Parse a filter text such as ``"month = 6 and carrier in ('UA', 'AA')"`` into a pyarrow expression.

    The grammar is that of the command line. Names and types are checked when the filter is used, by the
    dataset's schema.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the text is no filter; the message shows the place at which it stopped making sense. (It is a
        ValueError too.)
    """
    return _core.parse_filter(text)


def as_filter(filter: Filter) -> pc.Expression | None:
    if filter is None or _core.is_expression(filter):
        return filter
    if isinstance(filter, str):
        return _core.parse_filter(filter)
    raise TypeError(f"A filter must be a text or a pyarrow expression, not {type(filter).__name__}")


def as_columns(columns: Columns) -> list[tuple[str, pc.Expression]] | None:
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        for name in columns:
            _check_name(name)
        return [(name, _as_expression(name, value)) for name, value in columns.items()]
    if isinstance(columns, str):
        raise TypeError(f"columns must be a list of names or a dict; for one column write [{columns!r}]")
    if not isinstance(columns, Iterable):
        raise TypeError(f"columns must be a list of names or a dict, not {type(columns).__name__}")
    names = list(columns)
    for name in names:
        _check_name(name)
    return [(name, _core.column(name)) for name in names]


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"A column must be given by its name, not as {type(name).__name__}")


def _as_expression(name: str, value: object) -> pc.Expression:
    if _core.is_expression(value):
        return value
    if isinstance(value, str):
        return _core.parse_filter(value)
    raise TypeError(f"Column {name!r} must be a text or a pyarrow expression, not {type(value).__name__}")


def as_schema(schema: object) -> pa.Schema | None:
    if schema is None or isinstance(schema, pa.Schema):
        return schema
    if not isinstance(schema, Iterable) and not hasattr(schema, "__arrow_c_schema__"):
        raise TypeError(f"schema must be a pyarrow schema or its fields, not {type(schema).__name__}")
    return pa.schema(schema)
