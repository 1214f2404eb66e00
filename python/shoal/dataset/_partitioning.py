"""How paths carry column values."""

import itertools
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import and_
from typing import Any
from urllib.parse import quote

import pyarrow as pa
from pyarrow.compute import Expression, field, scalar

from shoal import _core
from shoal._partitioning import Flavor
from shoal._partitioning import partitioning as _partitioning

_NULL_FALLBACK = "__HIVE_DEFAULT_PARTITION__"


def keys_expression(keys: Iterable[tuple[str, pa.Scalar]]) -> Expression:
    """``a == 1 and is_null(b)``: what keys say of all rows of their files."""
    parts = [field(name) == value if value.is_valid else field(name).is_null() for name, value in keys]
    return reduce(and_, parts) if parts else scalar(True)


def get_partition_keys(partition_expression: Expression) -> dict[str, Any]:
    """The keys that a partition expression says, as Python values."""
    return {name: value.as_py() for name, value in _core.known_values(partition_expression).items()}


class PartitioningFactory:
    """A partitioning whose types are found in the paths."""

    def __init__(
        self, flavor: Flavor, field_names: Sequence[str] | None, null_fallback: str = _NULL_FALLBACK
    ) -> None:
        self._core = _partitioning(
            field_names, flavor=flavor, null_marker=null_fallback, null_where_missing=flavor != "hive"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartitioningFactory) and self._core == other._core

    def __hash__(self) -> int:
        return hash(self._core)

    @property
    def type_name(self) -> str:
        return self._core.name

    def __repr__(self) -> str:
        return f"<PartitioningFactory {self.type_name}>"


class Partitioning:
    """How paths carry column values, with the types of the keys. Use one of its subclasses."""

    _flavor: Flavor = "none"

    def __init__(self, schema: pa.Schema, dictionaries: object = None, segment_encoding: str = "uri") -> None:
        if type(self) is Partitioning:
            raise TypeError("Partitioning is abstract: use one of its subclasses")
        if not isinstance(schema, pa.Schema):
            raise TypeError(
                f"Argument 'schema' has incorrect type (expected Schema, got {type(schema).__name__})"
            )
        if dictionaries is not None:
            raise NotImplementedError(
                "dictionaries are not supported: declare a dictionary type, values are found"
            )
        self._schema = schema
        self._percent_decode = _percent_decode(segment_encoding)
        self._core = self._make(self._percent_decode)

    def _make(self, percent_decode: bool) -> _core.Partitioning:
        return _partitioning(
            self._schema, flavor=self._flavor, percent_decode=percent_decode, null_where_missing=True
        )

    @property
    def schema(self) -> pa.Schema:
        """The keys and their types."""
        return self._schema

    def parse(self, path: str) -> Expression:
        """What a path says of the rows of its file. What follows the last ``/`` is the file's name.

        Raises
        ------
        pyarrow.ArrowInvalid
            A value is not of the key's type.
        """
        folders, _, name = path.rpartition("/")
        segments = [segment for segment in folders.split("/") if segment]
        found = [self._core.parse_directory(depth, segment) for depth, segment in enumerate(segments)]
        found.append(self._core.parse_file_name(name))
        keys = []
        for key, text in itertools.chain.from_iterable(found):
            place = self._schema.get_field_index(key)
            if place >= 0:
                keys.append((key, self._typed(key, text, self._schema.field(place).type)))
        return keys_expression(keys)

    @staticmethod
    def _typed(key: str, text: str | None, type: pa.DataType) -> pa.Scalar:
        if pa.types.is_dictionary(type):
            type = type.value_type
        try:
            return pa.scalar(text, pa.string()).cast(type)
        except pa.ArrowInvalid as error:
            raise pa.ArrowInvalid(f"Could not cast segments for partition field {key}: {error}") from None

    def format(self, expr: Expression) -> tuple[str, str]:
        """The folder, and the beginning of the file's name, of rows for which the expression holds.

        Raises
        ------
        pyarrow.ArrowInvalid
            The layout can't express these keys.
        """
        return self._core.format(self._texts(expr))

    def _texts(self, expr: Expression) -> list[tuple[str, str | None]]:
        """The keys of which the expression says the value, and that as text; None: null."""
        known = _core.known_values(expr)
        keys = []
        for name in self._schema.names:
            if name in known:
                value = known[name]
                keys.append((name, value.cast(pa.string()).as_py() if value.is_valid else None))
        return keys

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partitioning) and type(self) is type(other) and self._schema == other._schema

    def __hash__(self) -> int:
        return hash((type(self), tuple(self._schema.names)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self._schema}"


class _PositionalPartitioning(Partitioning):
    """Keys are told by their place, so only the last ones may be missing or null."""

    _nothing = "", ""  # what no keys are written as

    def format(self, expr: Expression) -> tuple[str, str]:
        texts = {name: text for name, text in self._texts(expr) if text is not None}
        names = self._schema.names
        depth = next((i for i, name in enumerate(names) if name not in texts), len(names))
        for name in names[depth:]:
            if name in texts:
                raise pa.ArrowInvalid(
                    f"No partition key for {names[depth]} but a key was provided subsequently for {name}"
                )
        if depth == 0:
            return self._nothing
        shorter = _partitioning(names[:depth], flavor=self._flavor, percent_decode=self._percent_decode)
        return shorter.format(list(texts.items()))

    @classmethod
    def discover(
        cls,
        field_names: Sequence[str] | None = None,
        infer_dictionary: bool = False,
        *,
        schema: pa.Schema | None = None,
        segment_encoding: str = "uri",
    ) -> PartitioningFactory | Partitioning:
        if infer_dictionary:
            raise NotImplementedError(
                "infer_dictionary is not supported: declare a dictionary type in a schema"
            )
        if schema is not None:
            return cls(schema, segment_encoding=segment_encoding)
        if not _percent_decode(segment_encoding):
            raise NotImplementedError("segment_encoding='none' needs a schema")
        return PartitioningFactory(cls._flavor, field_names)


class DirectoryPartitioning(_PositionalPartitioning):
    """The i-th folder is the value of the i-th field: ``2009/11/``."""

    _flavor = "directory"


class FilenamePartitioning(_PositionalPartitioning):
    """The i-th part of the file name, cut at ``_``, is the value of the i-th field: ``2009_11_x.parquet``."""

    _flavor = "filename"
    _nothing = "", "_"


class HivePartitioning(Partitioning):
    """``key=value`` folders, matched by name in any order: ``year=2009/month=11/``."""

    _flavor = "hive"

    def __init__(
        self,
        schema: pa.Schema,
        dictionaries: object = None,
        null_fallback: str = _NULL_FALLBACK,
        segment_encoding: str = "uri",
    ) -> None:
        self.null_fallback = null_fallback
        super().__init__(schema, dictionaries, segment_encoding)

    def format(self, expr: Expression) -> tuple[str, str]:
        texts = self._texts(expr)
        written = self._core.format(texts)  # or the error that says why not
        if not self._percent_decode:
            return written
        # The engine leaves what needs no quoting; pyarrow leaves letters, digits and `-._~`.
        folders = []
        for name, text in texts:
            key, _, value = self._core.format([(name, text)])[0].partition("=")
            folders.append(f"{key}={value if text is None else quote(text, safe='')}")
        return "/".join(folders), ""

    def _make(self, percent_decode: bool) -> _core.Partitioning:
        return _core.hive_partitioning(self._schema, self.null_fallback, percent_decode)

    def __eq__(self, other: object) -> bool:
        return (
            super().__eq__(other)
            and isinstance(other, HivePartitioning)
            and self.null_fallback == other.null_fallback
        )

    __hash__ = Partitioning.__hash__

    @classmethod
    def discover(
        cls,
        infer_dictionary: bool = False,
        null_fallback: str = _NULL_FALLBACK,
        *,
        schema: pa.Schema | None = None,
        segment_encoding: str = "uri",
    ) -> PartitioningFactory | Partitioning:
        if infer_dictionary:
            raise NotImplementedError("infer_dictionary is not supported: declare a dictionary type")
        if schema is not None:
            return cls(schema, null_fallback=null_fallback, segment_encoding=segment_encoding)
        if not _percent_decode(segment_encoding):
            raise NotImplementedError("segment_encoding='none' needs a schema")
        return PartitioningFactory("hive", None, null_fallback)


def _percent_decode(segment_encoding: str) -> bool:
    if segment_encoding not in ("uri", "none"):
        raise ValueError(f"segment_encoding must be 'uri' or 'none', but is {segment_encoding!r}")
    return segment_encoding == "uri"


def partitioning(
    schema: pa.Schema | None = None,
    field_names: list[str] | None = None,
    flavor: str | None = None,
    dictionaries: object = None,
) -> Partitioning | PartitioningFactory:
    """Say how paths carry column values.

    Parameters
    ----------
    schema
        The keys and their types.
    field_names
        The keys; their types are found in the paths. Not for "hive", whose paths name them.
    flavor
        None: the i-th folder is the value of the i-th field; "filename": the i-th part of the file's name is;
        "hive": ``key=value`` folders.
    dictionaries
        Not supported: declare a dictionary type, its values are found.

    Raises
    ------
    ValueError
        The arguments do not fit together.
    """
    if dictionaries is not None:
        raise NotImplementedError(
            "dictionaries are not supported: declare a dictionary type, values are found"
        )
    if flavor == "hive":
        if field_names is not None:
            raise ValueError("Cannot specify 'field_names' for flavor 'hive'")
        if schema is None:
            return HivePartitioning.discover()
        if not isinstance(schema, pa.Schema):
            raise ValueError(f"Expected Schema for 'schema', got {type(schema)}")
        return HivePartitioning(schema)
    if flavor not in (None, "filename"):
        raise ValueError(f"Unsupported flavor {flavor!r}: it must be None, 'filename' or 'hive'")
    kind = FilenamePartitioning if flavor == "filename" else DirectoryPartitioning
    if schema is not None:
        if field_names is not None:
            raise ValueError("Cannot specify both 'schema' and 'field_names'")
        return kind(schema)
    if field_names is None:
        raise ValueError(f"{kind.__name__} needs a schema or a list of field names")
    if not isinstance(field_names, list):
        raise ValueError(f"Expected list of field names, got {type(field_names)}")
    return kind.discover(field_names)


def as_partitioning(given: object) -> _core.Partitioning:
    """What the argument `partitioning` of `dataset()` means."""
    if given is None:
        return _core.no_partitioning()
    if isinstance(given, str):
        given = partitioning(flavor=given)
    elif isinstance(given, list):
        given = partitioning(field_names=given)
    elif isinstance(given, pa.Schema):
        given = partitioning(schema=given)
    if isinstance(given, Partitioning | PartitioningFactory):
        return given._core
    raise ValueError(f"Expected Partitioning or PartitioningFactory, got {type(given)}")
