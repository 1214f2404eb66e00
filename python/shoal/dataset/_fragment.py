"""Fragments: the files of a dataset."""

from collections.abc import Iterable, Iterator
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

    def __init__(
        self,
        table: _core.Dataset,
        whole: _core.ScanPlan,
        number: int,
        row_groups: tuple[int, ...] | None = None,
    ) -> None:
        self._table = table
        self._whole = whole
        self._number = number
        self._row_groups = row_groups

    def _plan(self, request: _core.ScanRequest) -> _core.ScanPlan:
        return self._table.plan_fragment(request, self._whole, self._number, self._row_groups)

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

    def __init__(
        self,
        dataset: "FileSystemDataset",
        plan: _core.ScanPlan,
        number: int,
        row_groups: tuple[int, ...] | None = None,
    ) -> None:
        self._dataset = dataset
        self._row_groups = row_groups
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
            if self._row_groups is None:
                return file
            alone = file.plan(_core.ScanRequest([], None, None, 0), collect_statistics=False)
            return _Piece(file, alone, 0, self._row_groups)
        return _Piece(self._dataset._with_schema(schema), self._plan, self._number, self._row_groups)

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


class RowGroupInfo:
    """A row group of a Parquet file. Equal to its place in the file, an int."""

    def __init__(self, id: int, fragment: "ParquetFileFragment") -> None:
        self._id = id
        self._fragment = fragment

    @property
    def id(self) -> int:
        return self._id

    @property
    def num_rows(self) -> int:
        return int(self._metadata.num_rows)

    @property
    def total_byte_size(self) -> int:
        """Bytes of its data, not compressed."""
        return int(self._metadata.total_byte_size)

    @property
    def statistics(self) -> dict[str, dict[str, Any]]:
        """Per column that is not nested: its least and its greatest value, ``{"min": ..., "max": ...}``, as
        far as the file tells them. These are the bounds as they stand in the file: texts may be truncated."""
        out = {}
        for i in range(self._metadata.num_columns):
            column = self._metadata.column(i)
            bounds = column.statistics
            if "." not in column.path_in_schema and bounds is not None and bounds.has_min_max:
                out[column.path_in_schema] = {"min": bounds.min, "max": bounds.max}
        return out

    @property
    def _metadata(self) -> Any:
        return self._fragment.metadata.row_group(self._id)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self._id == other
        if isinstance(other, RowGroupInfo):
            return self._id == other._id and self._fragment.path == other._fragment.path
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._id)

    def __repr__(self) -> str:
        return f"RowGroupInfo({self._id})"


class ParquetFileFragment(FileFragment):
    """A fragment that is a Parquet file, or some of its row groups."""

    _metadata: Any = None
    _all_row_groups: list[int] | None = None

    @property
    def row_groups(self) -> list[RowGroupInfo]:
        """The row groups that it has. Reads the file's footer, unless it is known."""
        return [RowGroupInfo(group, self) for group in self._row_group_ids()]

    @property
    def num_row_groups(self) -> int:
        return len(self._row_group_ids())

    @property
    def metadata(self) -> Any:
        """The file's footer, of all row groups: a :class:`pyarrow.parquet.FileMetaData`."""
        if self._metadata is None:
            from pyarrow.parquet import read_metadata

            with self.filesystem.open_input_file(self.path) as file:
                self._metadata = read_metadata(file)
        return self._metadata

    def ensure_complete_metadata(self) -> None:
        """Read the file's footer now, if it is not known."""
        self._row_group_ids()

    def split_by_row_group(
        self, filter: Expression | None = None, schema: pa.Schema | None = None
    ) -> list["ParquetFileFragment"]:
        """A fragment for each row group that has rows which may pass the filter.

        Parameters
        ----------
        filter
            It may use partition keys.
        schema
            The columns that the filter is over; None: those of the dataset.
        """
        return [self._part((group,)) for group in self._matching(filter, schema)]

    def subset(
        self,
        filter: Expression | None = None,
        schema: pa.Schema | None = None,
        row_group_ids: Iterable[int] | None = None,
    ) -> "ParquetFileFragment":
        """The row groups that have rows which may pass the filter, or those that are named.

        Raises
        ------
        ValueError
            Neither a filter nor row groups are given, or both.
        IndexError
            There is no such row group here.
        """
        if (filter is None) == (row_group_ids is None):
            raise ValueError("Give either filter or row_group_ids")
        if row_group_ids is None:
            return self._part(tuple(self._matching(filter, schema)))
        wanted = tuple(int(group) for group in row_group_ids)
        have = self._row_group_ids()
        for group in wanted:
            if group not in have:
                raise IndexError(
                    f"The fragment references row group {group}, but '{self.path}' has {len(have)} here"
                )
        if len(set(wanted)) < len(wanted):
            raise ValueError("A row group is named twice")
        return self._part(wanted)

    def _row_group_ids(self) -> list[int]:
        if self._all_row_groups is None:
            self._all_row_groups = self._matching(None, None)
        return self._all_row_groups

    def _matching(self, filter: Expression | None, schema: pa.Schema | None) -> list[int]:
        check_filter(filter)
        table = self._dataset._table if schema is None else self._dataset._with_schema(schema)
        request = _core.ScanRequest([], filter, None, 0)
        return table.matching_row_groups(request, self._plan, self._number, self._row_groups)

    def _part(self, row_groups: tuple[int, ...]) -> "ParquetFileFragment":
        part = type(self)(self._dataset, self._plan, self._number, row_groups)
        part._alone, part._metadata = self._alone, self._metadata
        return part
