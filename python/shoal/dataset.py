"""The names, signatures and meanings of `pyarrow.dataset`, on shoal's engine.

Code that says ``import pyarrow.dataset as ds`` works with ``import shoal.dataset as ds``. Parquet is the format so far;
writing, joins and the format options of pyarrow are not there yet. What is not supported raises an error and is never
ignored. Where pyarrow would lose or alter data (keys such as ``01``, rows beside NaN, columns that appear in later files),
shoal keeps them: docs/python.md lists the differences.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
from pyarrow.compute import Expression, field, scalar

from shoal import _core
from shoal._dataset import Dataset as _Table
from shoal._dataset import open as _open
from shoal._partitioning import partitioning as _partitioning
from shoal._request import as_columns

__all__ = [
    "Dataset",
    "DirectoryPartitioning",
    "Expression",
    "FileSystemDataset",
    "FilenamePartitioning",
    "Fragment",
    "HivePartitioning",
    "ParquetFileFormat",
    "Partitioning",
    "PartitioningFactory",
    "Scanner",
    "dataset",
    "field",
    "partitioning",
    "scalar",
]

_FORMATS = ("parquet", "ipc", "arrow", "feather", "csv", "json", "orc")


class ParquetFileFormat:
    """The Parquet format, with its default options."""

    default_extname = "parquet"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParquetFileFormat)

    def __hash__(self) -> int:
        return hash(ParquetFileFormat)

    def __repr__(self) -> str:
        return "<ParquetFileFormat>"


class Partitioning:
    """How paths carry column values. Use one of its subclasses."""

    _flavor = ""

    def __init__(self, schema: pa.Schema | None = None) -> None:
        if type(self) is Partitioning:
            raise TypeError("Partitioning is abstract: use HivePartitioning, DirectoryPartitioning or FilenamePartitioning")
        if not isinstance(schema, pa.Schema):
            raise TypeError(f"schema must be a pyarrow.Schema, not {type(schema).__name__}")
        self.schema = schema
        self._core = self._make()

    def _make(self) -> _core.Partitioning:
        return _partitioning(self.schema, flavor=self._flavor)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.schema == other.schema  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.schema))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>\n{self.schema}"


class HivePartitioning(Partitioning):
    """``key=value`` folders, matched by name."""

    _flavor = "hive"

    def __init__(self, schema: pa.Schema, null_fallback: str = "__HIVE_DEFAULT_PARTITION__") -> None:
        self.null_fallback = null_fallback
        super().__init__(schema)

    def _make(self) -> _core.Partitioning:
        return _partitioning(self.schema, flavor="hive", null_marker=self.null_fallback)


class DirectoryPartitioning(Partitioning):
    """The i-th folder is the value of the i-th field."""

    _flavor = "directory"


class FilenamePartitioning(Partitioning):
    """The i-th part of the file name, cut at ``_``, is the value of the i-th field."""

    _flavor = "filename"


class PartitioningFactory:
    """A partitioning whose types are found in the paths."""

    def __init__(self, flavor: str, field_names: Sequence[str] | None) -> None:
        self.type_name = flavor
        self._core = _partitioning(field_names, flavor=flavor)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"<PartitioningFactory: {self.type_name}>"


def partitioning(
    schema: pa.Schema | None = None,
    field_names: list[str] | None = None,
    flavor: str | None = None,
    dictionaries: Any = None,
) -> Partitioning | PartitioningFactory:
    """Says how paths carry column values.

    No flavor: the i-th folder is the value of the i-th field. ``"filename"``: the i-th part of the file name is.
    ``"hive"``: ``key=value`` folders. With ``schema`` the types are declared, else they are found in the paths.
    """
    if dictionaries is not None:
        raise NotImplementedError("dictionaries are not supported: declare a dictionary type in the schema")
    if flavor not in (None, "hive", "filename"):
        raise ValueError(f"Unsupported flavor {flavor!r}: it must be None, 'hive' or 'filename'")
    if schema is not None and field_names is not None:
        raise ValueError("Cannot specify both 'schema' and 'field_names'")
    if flavor == "hive":
        if field_names is not None:
            raise ValueError("Cannot specify 'field_names' for flavor 'hive'")
        if schema is None:
            return PartitioningFactory("hive", None)
        if not isinstance(schema, pa.Schema):
            raise ValueError(f"Expected Schema for 'schema', got {type(schema)}")
        return HivePartitioning(schema)
    name = flavor or "directory"
    if schema is not None:
        if not isinstance(schema, pa.Schema):
            raise ValueError(f"Expected Schema for 'schema', got {type(schema)}")
        return FilenamePartitioning(schema) if flavor else DirectoryPartitioning(schema)
    if field_names is None:
        raise ValueError(f"For the {name!r} flavor, either 'schema' or 'field_names' must be given")
    if not isinstance(field_names, list):
        raise ValueError(f"Expected list of field names for 'field_names', got {type(field_names)}")
    return PartitioningFactory(name, field_names)


def _ensure_partitioning(given: Any) -> _core.Partitioning:
    if given is None:
        return _core.no_partitioning()
    if isinstance(given, str):
        return partitioning(flavor=given)._core
    if isinstance(given, list):
        return partitioning(field_names=given)._core
    if isinstance(given, pa.Schema):
        return partitioning(schema=given)._core
    if isinstance(given, (Partitioning, PartitioningFactory)):
        return given._core
    raise ValueError(f"Expected Partitioning or PartitioningFactory, got {type(given)}")


def _ensure_format(format: Any) -> str:
    if format is None or isinstance(format, ParquetFileFormat):
        return "parquet"
    if format == "parquet":
        return "parquet"
    if isinstance(format, str):
        known = " yet" if format in _FORMATS else ""
        raise ValueError(f"format '{format}' is not supported{known}: shoal reads 'parquet'")
    raise TypeError(f"format must be a name or a ParquetFileFormat, not {type(format).__name__}")


def _request(columns: Any, filter: Any) -> tuple[list[tuple[str, Expression]] | None, Expression | None]:
    if filter is not None and not isinstance(filter, Expression):
        raise TypeError(f"Argument 'filter' has incorrect type (expected Expression, got {type(filter).__name__})")
    if isinstance(columns, Mapping):
        for name, value in columns.items():
            if not isinstance(value, Expression):
                raise TypeError(f"Expected an Expression for column {name!r}, got {type(value).__name__}")
        return list(columns.items()), filter
    return as_columns(columns), filter


class Scanner:
    """A question put to a dataset; each method answers it anew."""

    def __init__(
        self,
        dataset: _core.Dataset,
        request: tuple[list[tuple[str, Expression]] | None, Expression | None],
        options: dict[str, Any],
    ) -> None:
        self._dataset = dataset
        self._columns, self._filter = request
        self._options = options

    @staticmethod
    def from_dataset(dataset: Dataset, **scan: Any) -> Scanner:
        return dataset.scanner(**scan)

    def _make_request(self, limit: int | None = None) -> _core.ScanRequest:
        columns = self._columns
        if columns is not None:
            # A name with dots that is no column's own is a field of a struct, and named by its last part.
            own = set(self._dataset.schema().names)
            columns = [(n if n in own else n.rsplit(".", 1)[-1], e) for n, e in columns]
        return _core.ScanRequest(columns, self._filter, limit, 0)

    def _start(self, limit: int | None = None) -> _core.Stream:
        return self._dataset.start(self._make_request(limit), _core.ScanOptions(**self._options))

    @property
    def dataset_schema(self) -> pa.Schema:
        return self._dataset.schema()

    @property
    def projected_schema(self) -> pa.Schema:
        return self._dataset.output_schema(self._make_request())

    def to_reader(self) -> pa.RecordBatchReader:
        return self._start().reader()

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        stream = self._start()
        try:
            yield from stream
        finally:
            stream.close()

    def to_table(self) -> pa.Table:
        return self._dataset.read(self._make_request(), _core.ScanOptions(**self._options))[0]

    def head(self, num_rows: int) -> pa.Table:
        if num_rows < 0:
            raise ValueError(f"num_rows is {num_rows}, but must be 0 or more")
        return self._dataset.read(self._make_request(num_rows), _core.ScanOptions(**self._options))[0]

    def count_rows(self) -> int:
        return self._dataset.count(self._filter, _core.ScanOptions(**self._options))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_reader().__arrow_c_stream__(requested_schema)


def _scan_options(
    batch_size: int | None = None,
    batch_readahead: int = 16,
    fragment_readahead: int = 4,
    fragment_scan_options: Any = None,
    use_threads: bool = True,
    memory_pool: pa.MemoryPool | None = None,
    cache_metadata: bool = True,
) -> dict[str, Any]:
    """pyarrow's scan keywords as shoal's options. Read-ahead is bounded by bytes here, so its counts (any legal value,
    0 included) have nothing left to bound."""
    if fragment_scan_options is not None:
        raise NotImplementedError("fragment_scan_options are not supported yet")
    for name, value in (("batch_readahead", batch_readahead), ("fragment_readahead", fragment_readahead)):
        if value < 0:
            raise ValueError(f"{name} is {value}, but must be 0 or more")
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}, but must be at least 1")
    return {"batch_size": batch_size, "workers": None if use_threads else 0, "memory_pool": memory_pool}


class Dataset:
    """A table of files. Made by :func:`dataset`."""

    def __init__(self) -> None:
        raise TypeError("Dataset is made by shoal.dataset.dataset()")

    _table: _Table
    _filter: Expression | None

    @property
    def schema(self) -> pa.Schema:
        return self._table.schema

    def scanner(self, columns: Any = None, filter: Expression | None = None, **options: Any) -> Scanner:
        pairs, filter = _request(columns, filter)
        if self._filter is not None:
            filter = self._filter if filter is None else self._filter & filter
        return Scanner(self._table._core, (pairs, filter), _scan_options(**options))

    def to_table(self, columns: Any = None, filter: Expression | None = None, **options: Any) -> pa.Table:
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(
        self, columns: Any = None, filter: Expression | None = None, **options: Any
    ) -> Iterator[pa.RecordBatch]:
        return self.scanner(columns, filter, **options).to_batches()

    def head(self, num_rows: int, columns: Any = None, filter: Expression | None = None, **options: Any) -> pa.Table:
        return self.scanner(columns, filter, **options).head(num_rows)

    def count_rows(self, filter: Expression | None = None, **options: Any) -> int:
        return self.scanner(None, filter, **options).count_rows()

    def filter(self, expression: Expression) -> Dataset:
        """The same dataset with a filter that applies to every scan."""
        if not isinstance(expression, Expression):
            raise TypeError(f"Argument 'expression' has incorrect type (expected Expression, got {type(expression)})")
        both = expression if self._filter is None else self._filter & expression
        return _make(type(self), self._table, both)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.scanner().__arrow_c_stream__(requested_schema)


class FileSystemDataset(Dataset):
    """A table of files on one filesystem."""

    @property
    def files(self) -> list[str]:
        return self._table.files

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._table.filesystem

    @property
    def format(self) -> ParquetFileFormat:
        return ParquetFileFormat()

    def get_fragments(self, filter: Expression | None = None) -> Iterator[Fragment]:
        """The files that a filter over partition keys leaves. The call itself touches no file."""
        if self._filter is not None:
            raise ValueError("Retrieving fragments of a filtered dataset is not supported")
        if filter is not None and not isinstance(filter, Expression):
            raise TypeError(f"Argument 'filter' has incorrect type (expected Expression, got {type(filter).__name__})")
        return self._fragments(filter)

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        plan = self._table._core.plan(_core.ScanRequest(None, filter, None, 0), collect_statistics=False)
        names = plan.partition_schema.names
        for i in range(plan.num_fragments()):
            path, _, _, values, _, _ = plan.fragment(i)
            yield Fragment(self, path, dict(zip(names, values)))

    def __repr__(self) -> str:
        return "<shoal.dataset.FileSystemDataset>"


class Fragment:
    """One file of a dataset, with the values of its partition keys."""

    def __init__(self, dataset: FileSystemDataset, path: str, keys: dict[str, pa.Scalar | None]) -> None:
        self._dataset = dataset
        self.path = path
        self._keys = {name: value for name, value in keys.items() if value is not None}

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._dataset.filesystem

    @property
    def format(self) -> ParquetFileFormat:
        return self._dataset.format

    @property
    def partition_expression(self) -> Expression:
        """What the path says of all its rows: ``key == value`` for each key."""
        parts = [field(k) == v if v.is_valid else field(k).is_null() for k, v in self._keys.items()]
        out = scalar(True)
        for number, part in enumerate(parts):
            out = part if number == 0 else out & part
        return out

    @property
    def physical_schema(self) -> pa.Schema:
        """The columns of the file itself."""
        return self._alone().schema

    def _alone(self) -> _Table:
        return _open(self.path, filesystem=self.filesystem, partitioning=None, format="parquet")

    def scanner(
        self, schema: pa.Schema | None = None, columns: Any = None, filter: Expression | None = None, **options: Any
    ) -> Scanner:
        """A scan of this file: with its own columns, or with those of ``schema``, keys included."""
        if schema is None:
            table = self._alone()
        else:
            known = {n: v for n, v in self._keys.items() if schema.get_field_index(n) >= 0}
            if known:
                pairs = columns if columns is not None else schema.names
                request, filter = _request(pairs, filter)
                one = _open(
                    self.path,
                    filesystem=self.filesystem,
                    partitioning=self._dataset._given_partitioning,
                    base_dir=self._dataset._given_base,
                    schema=schema,
                    format="parquet",
                )._core
                return Scanner(one, (request, filter), _scan_options(**options))
            table = _open(self.path, filesystem=self.filesystem, partitioning=None, schema=schema, format="parquet")
        return Scanner(table._core, _request(columns, filter), _scan_options(**options))

    def to_table(self, schema: pa.Schema | None = None, **scan: Any) -> pa.Table:
        return self.scanner(schema, **scan).to_table()

    def to_batches(self, schema: pa.Schema | None = None, **scan: Any) -> Iterator[pa.RecordBatch]:
        return self.scanner(schema, **scan).to_batches()

    def head(self, num_rows: int, schema: pa.Schema | None = None, **scan: Any) -> pa.Table:
        return self.scanner(schema, **scan).head(num_rows)

    def count_rows(self, filter: Expression | None = None) -> int:
        return self.scanner(filter=filter).count_rows()

    def __repr__(self) -> str:
        return f"<shoal.dataset.Fragment path={self.path}>"


def _make(
    kind: type[Dataset], table: _Table, filter: Expression | None, partitioning: Any = None, base: Any = None
) -> Any:
    made = kind.__new__(kind)
    made._table, made._filter = table, filter
    made._given_partitioning, made._given_base = partitioning, base  # type: ignore[attr-defined]
    return made


def dataset(
    source: Any,
    schema: pa.Schema | None = None,
    format: Any = None,
    filesystem: Any = None,
    partitioning: Any = None,
    partition_base_dir: str | None = None,
    exclude_invalid_files: bool | None = None,
    ignore_prefixes: list[str] | None = None,
) -> FileSystemDataset:
    """Opens files as one table.

    Parameters
    ----------
    source: a path, or a list of paths of files.
    schema: the table's columns; None: found by inspection.
    format: ``"parquet"`` (the default).
    filesystem: a pyarrow or fsspec filesystem, or its URI.
    partitioning: ``"hive"``, a list of names, a schema, or what :func:`partitioning` makes; None: paths carry nothing.
    partition_base_dir: the folder below which paths are parsed for keys.
    exclude_invalid_files: must be False or None: files that are not Parquet are an error when they are read.
    ignore_prefixes: names that begin so are not data (``["_", "."]``).
    """
    name = _ensure_format(format)
    if exclude_invalid_files:
        raise NotImplementedError("exclude_invalid_files is not supported yet")
    if isinstance(source, (str, os.PathLike)):
        paths: Any = source
    elif isinstance(source, (list, tuple)):
        for item in source:
            if not isinstance(item, (str, os.PathLike)):
                raise TypeError(
                    "Expected a list of path-like or dataset objects, or a list of batches or tables. The given list "
                    f"contains the following types: {type(item).__name__}"
                )
        paths = list(source)
    else:
        raise TypeError(
            "Expected a path-like, list of path-likes or a list of Datasets instead of the given type: "
            f"{type(source).__name__}"
        )
    core = _ensure_partitioning(partitioning)
    table = _open(
        paths,
        format=name,
        partitioning=core,
        schema=schema,
        filesystem=filesystem,
        base_dir=partition_base_dir,
        ignore_prefixes=("_", ".") if ignore_prefixes is None else ignore_prefixes,
    )
    table.schema  # pyarrow finds a missing source and clashing schemas here, not at the first scan
    base = partition_base_dir if partition_base_dir is not None else (paths if isinstance(paths, (str, os.PathLike)) else None)
    return _make(FileSystemDataset, table, None, core, base)
