"""Dataset: many files as one table."""

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, Unpack

import pyarrow as pa
import pyarrow.fs as pafs
from pyarrow.compute import Expression

from shoal import _core
from shoal._filesystem import as_filesystem, as_paths, is_path, on_local_disk
from shoal.dataset._format import FileFormat, as_format
from shoal.dataset._fragment import Fragment, ParquetFileFragment
from shoal.dataset._partitioning import as_partitioning
from shoal.dataset._scanner import Columns, ScanKeywords, Scanner, check_filter


class Dataset:
    """Many files as one table. Made by :func:`dataset`."""

    def __init__(self) -> None:
        raise TypeError("Use shoal.dataset.dataset() to make a dataset")

    _table: _core.Dataset
    _filter: Expression | None

    @property
    def schema(self) -> pa.Schema:
        """The columns of the files, then the partition keys."""
        return self._table.schema()

    def scanner(
        self, columns: Columns = None, filter: Expression | None = None, **options: Unpack[ScanKeywords]
    ) -> Scanner:
        """A scan. Reads nothing itself.

        Parameters
        ----------
        columns
            Names (``"s.x"`` is a field of a struct, and comes out as ``x``), or a dict from output names to
            expressions. None: all.
        filter
            An expression that says which rows.
        **options
            See :class:`ScanKeywords`.
        """
        check_filter(filter)
        if self._filter is not None:
            filter = self._filter if filter is None else self._filter & filter
        return Scanner(self._table, columns, filter, **options)

    def to_table(
        self, columns: Columns = None, filter: Expression | None = None, **options: Unpack[ScanKeywords]
    ) -> pa.Table:
        """All rows, in memory. Parameters as for :meth:`scanner`."""
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(
        self, columns: Columns = None, filter: Expression | None = None, **options: Unpack[ScanKeywords]
    ) -> Iterator[pa.RecordBatch]:
        """The batches, in dataset order. Parameters as for :meth:`scanner`."""
        return self.scanner(columns, filter, **options).to_batches()

    def head(
        self,
        num_rows: int,
        columns: Columns = None,
        filter: Expression | None = None,
        **options: Unpack[ScanKeywords],
    ) -> pa.Table:
        """The first rows. Lists and reads no more than they take."""
        return self.scanner(columns, filter, **options).head(num_rows)

    def count_rows(self, filter: Expression | None = None, **options: Unpack[ScanKeywords]) -> int:
        """The number of rows. Reads no data where footers, keys and statistics tell."""
        return self.scanner([], filter, **options).count_rows()

    def filter(self, expression: Expression) -> "Dataset":
        """The same dataset, with a filter that every scan applies."""
        if not isinstance(expression, Expression):
            raise TypeError(
                "Argument 'expression' has incorrect type (expected Expression, got "
                f"{type(expression).__name__})"
            )
        filtered: Dataset = object.__new__(type(self))
        filtered.__dict__.update(self.__dict__)
        filtered._filter = expression if self._filter is None else self._filter & expression
        return filtered

    def get_fragments(self, filter: Expression | None = None) -> Iterator[Fragment]:
        """The files, in order, without those that a filter over partition keys rules out. The call itself
        touches no file."""
        check_filter(filter)
        if self._filter is not None:
            raise ValueError("Retrieving fragments of a filtered or projected dataset is not allowed")
        return self._fragments(filter)

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        raise NotImplementedError

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.scanner().__arrow_c_stream__(requested_schema)


class FileSystemDataset(Dataset):
    """Files of one filesystem as one table."""

    _format: FileFormat
    _opened_with: tuple[list[str], dict[str, Any]]

    @property
    def files(self) -> list[str]:
        """The paths of all files, on :attr:`filesystem`, in order. Lists in full."""
        return self._table.files()

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._table.filesystem()

    @property
    def format(self) -> FileFormat:
        return self._format

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        plan = self._table.plan(_core.ScanRequest([], filter, None, 0), collect_statistics=False)
        for number in range(plan.num_fragments()):
            yield ParquetFileFragment(self, plan, number)

    def _with_schema(self, schema: pa.Schema) -> _core.Dataset:
        """The same files with another schema."""
        if schema.equals(self._table.schema()):
            return self._table
        sources, options = self._opened_with
        return _core.Dataset(sources, **{**options, "schema": schema})

    def __repr__(self) -> str:
        return "<shoal.dataset.FileSystemDataset>"


def dataset(
    source: Any,
    schema: pa.Schema | None = None,
    format: str | FileFormat | None = None,
    filesystem: object = None,
    partitioning: object = None,
    partition_base_dir: str | None = None,
    exclude_invalid_files: bool | None = None,
    ignore_prefixes: Sequence[str] | None = None,
) -> FileSystemDataset:
    """Open files as one table. A look at the source is all that is done at once, and on object stores not
    even that; files are listed and their schemas read with the first question.

    Parameters
    ----------
    source
        A path or URI of a folder or file, or a list of paths of files.
    schema
        The columns and types of the table; files are adapted to it. None: the lossless union of the files'
        schemas.
    format
        "parquet", or a :class:`ParquetFileFormat`.
    filesystem
        A pyarrow or fsspec filesystem, or a filesystem's URI.
    partitioning
        What :func:`partitioning` makes, "hive", or a list of key names; None: paths carry nothing.
    partition_base_dir
        Only the part of a path below it is parsed for keys.
    exclude_invalid_files
        Must be None or False: a file that is not of the format is an error when it is read.
    ignore_prefixes
        Files and folders whose names begin so are left out (``[".", "_"]``).

    Raises
    ------
    FileNotFoundError
        The source does not exist. On object stores the first question raises it.
    TypeError, ValueError
        An argument is of the wrong kind, or not supported.
    """
    chosen = as_format(format)
    if exclude_invalid_files:
        raise NotImplementedError("exclude_invalid_files is not supported")
    if not is_path(source) and not (isinstance(source, list | tuple) and all(map(is_path, source))):
        _refuse(source)
    on = None if filesystem is None else as_filesystem(filesystem)
    sources = as_paths(source, on)
    if not is_path(source):
        _check_files(sources, on)
    options: dict[str, Any] = {
        "filesystem": on,
        "format": "parquet",
        "partitioning": as_partitioning(partitioning),
        "partition_base_dir": partition_base_dir or "",
        "schema": schema,
    }
    if ignore_prefixes is not None:
        options["ignore_prefixes"] = list(ignore_prefixes)
    made: FileSystemDataset = object.__new__(FileSystemDataset)
    made._table = _core.Dataset(sources, **options)
    made._filter = None
    made._format = chosen
    made._opened_with = sources, options
    if (
        is_path(source)
        and made.filesystem.type_name not in _OBJECT_STORES
        and _kind(sources[0], made.filesystem, on) == pafs.FileType.NotFound
        # A pattern, or the listing has the better words.
        and not made.files
    ):
        raise FileNotFoundError(sources[0])
    return made


# A look there is two requests, and does not tell what is missing from what is empty.
_OBJECT_STORES = ("s3", "gcs", "abfs")


def _kind(source: str, filesystem: pafs.FileSystem, given: object) -> pafs.FileType:
    path = source if given is not None or "://" not in source else pafs.FileSystem.from_uri(source)[1]
    return pafs.FileType(_core.file_type(filesystem, path))


def _check_files(paths: list[str], filesystem: pafs.FileSystem | None) -> None:
    """A list names files. What answers at once is asked whether it does; elsewhere, that would cost a
    request a file."""
    if filesystem is None and not any("://" in path for path in paths):
        filesystem = pafs.LocalFileSystem()
    if filesystem is None or not (on_local_disk(filesystem) or filesystem.type_name == "mock"):
        return
    for info in filesystem.get_file_info(paths):
        if info.type == pafs.FileType.NotFound:
            raise FileNotFoundError(info.path)
        if info.type == pafs.FileType.Directory:
            raise IsADirectoryError(
                f"Path {info.path} points to a directory, but only file paths are supported. To construct a "
                "nested or union dataset pass a list of dataset objects instead."
            )


def _refuse(source: object) -> NoReturn:
    kinds = Dataset | pa.RecordBatch | pa.Table | pa.RecordBatchReader
    if isinstance(source, kinds) or (
        isinstance(source, list | tuple) and source and isinstance(source[0], kinds)
    ):
        raise NotImplementedError("Datasets of tables, batches or other datasets are not supported yet")
    if isinstance(source, list | tuple):
        names = ", ".join(sorted({type(item).__name__ for item in source if not is_path(item)}))
        raise TypeError(
            "Expected a list of path-like or dataset objects, or a list of batches or tables. The given list "
            f"contains the following types: {names}"
        )
    raise TypeError(
        "Expected a path-like, list of path-likes or a list of Datasets instead of the given type: "
        f"{type(source).__name__}"
    )
