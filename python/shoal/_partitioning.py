"""How paths carry column values."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import pyarrow as pa

from shoal import _core
from shoal._checks import flag

Flavor: TypeAlias = Literal["hive", "directory", "filename", "none"]


def partitioning(
    fields: pa.Schema | Sequence[str] | None = None,
    *,
    flavor: Flavor = "directory",
    null_marker: str = "__HIVE_DEFAULT_PARTITION__",
    percent_decode: bool = True,
    null_where_missing: bool = False,
) -> _core.Partitioning:
    """Describe how paths carry column values, for ``shoal.open(..., partitioning=...)``.

    Parameters
    ----------
    fields
        The keys. A schema declares their types; of a list of names the types are inferred (int32, int64 or
        string). Required for "directory" and "filename", in the order of the path's parts. For "hive" a
        schema may declare the types of some or all keys.
    flavor
        - ``"hive"``: ``year=2024/month=6/x.parquet``, matched by name in any order;
        - ``"directory"``: ``2024/6/x.parquet``;
        - ``"filename"``: ``2024_6_x.parquet``;
        - ``"none"``: paths carry nothing.
    null_marker
        The value that means null ("hive" only).
    percent_decode
        Whether ``%20`` in a path is a space.
    null_where_missing
        Whether a path that is too short for all keys (``2024/x.parquet`` of year and month) has null for
        those it lacks, and is reported as ``missing_key``; else it is a misfit, and not read ("directory" and
        "filename" only: a key that "hive" misses is null always).

    Raises
    ------
    ValueError
        If the fields do not fit the flavor, or the flavor is unknown.
    """
    flag("percent_decode", percent_decode)
    if flavor not in ("hive", "directory", "filename", "none"):
        raise ValueError(f"flavor must be 'hive', 'directory', 'filename' or 'none', but is {flavor!r}")
    if flavor != "hive" and null_marker != "__HIVE_DEFAULT_PARTITION__":
        raise ValueError(
            f"null_marker belongs to flavor 'hive'; paths of flavor {flavor!r} can't express null"
        )
    if flag("null_where_missing", null_where_missing) and flavor not in ("directory", "filename"):
        raise ValueError(f"null_where_missing is not for flavor {flavor!r}")
    if flavor == "none":
        if fields is not None:
            raise ValueError("flavor 'none' has no fields: paths carry nothing")
        return _core.no_partitioning()
    declared = fields if isinstance(fields, pa.Schema) else None
    names = _names(fields)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValueError(f"fields has the name {name!r} twice")
    if flavor == "hive":
        if fields is not None and declared is None:
            raise ValueError(
                "flavor 'hive' takes names from the paths: give a schema to declare types, or nothing"
            )
        return _core.hive_partitioning(declared, null_marker, percent_decode)
    if not names:
        raise ValueError(f"flavor {flavor!r} needs a schema or a list of names")
    make = _core.directory_partitioning if flavor == "directory" else _core.filename_partitioning
    return make(names, declared, percent_decode, null_where_missing)


def _names(fields: pa.Schema | Sequence[str] | None) -> list[str]:
    if fields is None:
        return []
    if isinstance(fields, pa.Schema):
        return list(fields.names)
    if isinstance(fields, str) or not isinstance(fields, Iterable):
        raise TypeError(f"fields must be a schema or a list of names, not {type(fields).__name__}")
    names = list(fields)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("fields must be a schema or a list of names")
    return names


def as_partitioning(given: object) -> _core.Partitioning | None:
    """What the `partitioning` argument of `shoal.open` means. None: the library's own choice."""
    if isinstance(given, _core.Partitioning):
        return given
    if given is None or given == "none":
        return _core.no_partitioning()
    if isinstance(given, str):
        if given == "auto":
            return None
        if given == "hive":
            return partitioning(flavor="hive")
        raise ValueError(
            f"partitioning is {given!r}, but must be 'auto', 'hive', 'none', a schema, a list of names, or "
            "what shoal.partitioning() returns"
        )
    if isinstance(given, pa.Schema | list | tuple):
        return partitioning(given)
    raise TypeError(
        "partitioning must be 'auto', 'hive', 'none', a schema, a list of names, or what "
        f"shoal.partitioning() returns, not {type(given).__name__}"
    )
