"""Scanner: rows and columns of a dataset or a fragment."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeAlias, TypedDict, Unpack

import pyarrow as pa
from pyarrow.compute import Expression, field

from shoal import _core

Columns: TypeAlias = list[str] | Mapping[str, Expression] | None


class ScanKeywords(TypedDict, total=False):
    """What every scanning method takes besides its columns and its filter.

    batch_size
        Rows a batch should have (32,768).
    batch_readahead, fragment_readahead
        Reading ahead is bounded in bytes, so these counts have nothing to bound: any value of at least 0 is
        accepted. 0, in either, turns reading ahead off, as ``use_threads=False`` does; no other value
        changes anything.
    fragment_scan_options
        Must be None.
    use_threads
        False: files are read and decoded when a batch is asked for, by one thread.
    cache_metadata
        Must be True: footers are kept, under a limit in bytes.
    memory_pool
        Where batches are allocated; None: a pool of shoal's own that uses memory again, or the one that
        ``pa.set_memory_pool`` has chosen.
    """

    batch_size: int | None
    batch_readahead: int
    fragment_readahead: int
    fragment_scan_options: object
    use_threads: bool
    cache_metadata: bool
    memory_pool: pa.MemoryPool | None


def scan_options(
    *,
    batch_size: int | None = None,
    batch_readahead: int = 16,
    fragment_readahead: int | None = None,
    fragment_scan_options: object = None,
    use_threads: bool = True,
    cache_metadata: bool = True,
    memory_pool: pa.MemoryPool | None = None,
) -> _core.ScanOptions:
    if fragment_scan_options is not None:
        raise NotImplementedError("fragment_scan_options are not supported yet")
    if not cache_metadata:
        raise NotImplementedError(
            "cache_metadata=False is not supported: footers are kept, under a limit in bytes"
        )
    for name, value in (("batch_readahead", batch_readahead), ("fragment_readahead", fragment_readahead)):
        if value is not None and value < 0:
            raise ValueError(f"{name} must be 0 or more, but is {value}")
    if batch_size is not None and batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, but is {batch_size}")
    ahead = use_threads and batch_readahead != 0 and fragment_readahead != 0
    return _core.ScanOptions(
        batch_size=batch_size,
        workers=None if ahead else 0,
        memory_pool=memory_pool,
    )


class Source(Protocol):
    """What can be scanned: a dataset, or a fragment as if it were one."""

    def schema(self) -> pa.Schema: ...
    def output_schema(self, request: _core.ScanRequest) -> pa.Schema: ...
    def start(self, request: _core.ScanRequest, options: _core.ScanOptions) -> _core.Stream: ...
    def read(
        self, request: _core.ScanRequest, options: _core.ScanOptions
    ) -> tuple[pa.Table, dict[str, Any]]: ...
    def count(self, filter: Expression | None, options: _core.ScanOptions) -> int: ...


def check_filter(filter: object) -> None:
    if filter is not None and not isinstance(filter, Expression):
        raise TypeError(
            f"Argument 'filter' has incorrect type (expected Expression, got {type(filter).__name__})"
        )


def _projection(columns: Columns, schema: pa.Schema) -> list[tuple[str, Expression]] | None:
    if columns is None:
        return None
    if isinstance(columns, Mapping):
        for name, value in columns.items():
            if not isinstance(value, Expression):
                raise TypeError(f"Expected an Expression for column {name!r}, got {type(value).__name__}")
        return list(columns.items())
    if not isinstance(columns, list | tuple):
        raise ValueError(f"Expected a list or dict for 'columns', got {type(columns)}")
    return [_column(name, schema) for name in columns]


def _column(name: object, schema: pa.Schema) -> tuple[str, Expression]:
    """A column of that very name, else the field of a struct, which is named by its last part."""
    if not isinstance(name, str):
        raise TypeError(f"A column must be given by its name, not as {type(name).__name__}")
    if "." not in name or name in schema.names:
        return name, field(name)
    path = name.split(".")
    return path[-1], field(*path)


class Scanner:
    """Rows and columns of a dataset. Each method reads anew; batches come in dataset order."""

    def __init__(
        self,
        source: Source,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> None:
        check_filter(filter)
        self._source = source
        self._filter = filter
        self._options = scan_options(**options)
        self._columns = _projection(columns, source.schema())
        self._schema = source.output_schema(
            self._request()
        )  # finds wrong names and types here, not in the scan

    @staticmethod
    def from_dataset(
        dataset: Any,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> "Scanner":
        """The same as ``dataset.scanner(...)``."""
        scanner: Scanner = dataset.scanner(columns, filter, **options)
        return scanner

    def _request(self, limit: int | None = None) -> _core.ScanRequest:
        return _core.ScanRequest(self._columns, self._filter, limit, 0)

    @property
    def dataset_schema(self) -> pa.Schema:
        """The columns of what is scanned."""
        return self._source.schema()

    @property
    def projected_schema(self) -> pa.Schema:
        """The columns of the output."""
        return self._schema

    def to_reader(self) -> pa.RecordBatchReader:
        """The batches as a pyarrow.RecordBatchReader. Closing or dropping it stops the reading."""
        return self._source.start(self._request(), self._options).reader()

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """The batches, none of them empty. Leaving the loop early stops the reading."""
        stream = self._source.start(self._request(), self._options)
        try:
            yield from stream
        finally:
            stream.close()

    def to_table(self) -> pa.Table:
        """All rows, in memory."""
        return self._source.read(self._request(), self._options)[0]

    def head(self, num_rows: int) -> pa.Table:
        """The first rows. Reads no more than they take."""
        if num_rows < 0:
            raise ValueError(f"num_rows must be 0 or more, but is {num_rows}")
        return self._source.read(self._request(num_rows), self._options)[0]

    def count_rows(self) -> int:
        """The number of rows. Reads no data where footers, keys and statistics tell."""
        return self._source.count(self._filter, self._options)

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_reader().__arrow_c_stream__(requested_schema)
