"""Fragments: the files of a dataset."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa
import pyarrow.fs as pafs
from pyarrow.compute import Expression

from shoal import _core
from shoal._dataset import open as _open
from shoal.dataset._format import FileFormat
from shoal.dataset._partitioning import keys_expression
from shoal.dataset._scanner import Columns, ScanKeywords, Scanner, Source, check_filter

if TYPE_CHECKING:
    from shoal.dataset._dataset import FileSystemDataset


class _Piece:
    """A fragment as something to scan: with the columns of a dataset, partition keys included."""

    def __init__(self, table: _core.Dataset, whole: _core.ScanPlan, number: int) -> None:
        self._table = table
        self._whole = whole
        self._number = number

    def _plan(self, request: _core.ScanRequest) -> _core.ScanPlan:
        return self._table.plan_fragment(request, self._whole, self._number)

    def schema(self) -> pa.Schema:
        return self._table.schema()

    def output_schema(self, request: _core.ScanRequest) -> pa.Schema:
        return self._table.output_schema(request)

    def start(self, request: _core.ScanRequest, options: _core.ScanOptions) -> _core.Stream:
        return self._plan(request).start(options)

    def read(self, request: _core.ScanRequest, options: _core.ScanOptions) -> tuple[pa.Table, dict[str, Any]]:
        return self._plan(request).read(options)

    def count(self, filter: Expression | None, options: _core.ScanOptions) -> int:
        return sum(batch.num_rows for batch in self.start(_core.ScanRequest([], filter, None, 0), options))


class Fragment:
    """One file of a dataset, and what its path says of its rows. Made by :meth:`Dataset.get_fragments`."""

    def __init__(self, dataset: "FileSystemDataset", plan: _core.ScanPlan, number: int) -> None:
        self._dataset = dataset
        self._plan = plan
        self._number = number
        self._path, _, _, values, *_ = plan.fragment(number)
        self._keys = [
            (name, value)
            for name, value in zip(plan.partition_schema.names, values, strict=True)
            if value is not None
        ]
        self._alone: _core.Dataset | None = None

    @property
    def path(self) -> str:
        """The file's path on :attr:`filesystem`."""
        return self._path

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._dataset.filesystem

    @property
    def format(self) -> FileFormat:
        return self._dataset.format

    @property
    def partition_expression(self) -> Expression:
        """What the path says of all rows: ``key == value`` for each key, or that it is null."""
        return keys_expression(self._keys)

    @property
    def physical_schema(self) -> pa.Schema:
        """The columns of the file itself. Reads its footer."""
        return self._file().schema()

    def _file(self) -> _core.Dataset:
        """The file as a dataset of its own, whose path says nothing."""
        if self._alone is None:
            self._alone = _open(
                self._path,
                filesystem=self.filesystem,
                partitioning=None,
                format=self._dataset.format._format,
            )._core
        return self._alone

    def _source(self, schema: pa.Schema | None, filter: Expression | None) -> Source:
        if schema is None:
            file = self._file()
            if filter is not None:
                _core.check_references(filter, file.schema())
            return file
        return _Piece(self._dataset._with_schema(schema), self._plan, self._number)

    def scanner(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> Scanner:
        """A scan of this file, with its own columns; or with those of `schema`, partition keys included."""
        check_filter(filter)
        return Scanner(self._source(schema, filter), columns, filter, **options)

    def to_table(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> pa.Table:
        return self.scanner(schema, columns, filter, **options).to_table()

    def to_batches(
        self,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> Iterator[pa.RecordBatch]:
        return self.scanner(schema, columns, filter, **options).to_batches()

    def head(
        self,
        num_rows: int,
        columns: Columns = None,
        filter: Expression | None = None,
        *,
        schema: pa.Schema | None = None,
        **options: Unpack[ScanKeywords],
    ) -> pa.Table:
        return self.scanner(schema, columns, filter, **options).head(num_rows)

    def count_rows(
        self,
        filter: Expression | None = None,
        *,
        schema: pa.Schema | None = None,
        **options: Unpack[ScanKeywords],
    ) -> int:
        return self.scanner(schema, None, filter, **options).count_rows()

    def __repr__(self) -> str:
        keys = ", ".join(f"{name}={value}" for name, value in self._keys)
        partition = f" partition=[{keys}]" if keys else ""
        return f"<shoal.dataset.{type(self).__name__} path={self._path}{partition}>"


class FileFragment(Fragment):
    """A fragment that is a file."""


class ParquetFileFragment(FileFragment):
    """A fragment that is a Parquet file."""
