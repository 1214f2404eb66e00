"""Dataset: many files as one table."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, Unpack

import pyarrow as pa
import pyarrow.fs as pafs
from pyarrow.compute import Expression

from shoal import _core
from shoal._filesystem import as_filesystem, as_paths, is_path, on_local_disk
from shoal._formats import as_format as as_format_of_open
from shoal.dataset._format import FileFormat, OpenedFormat, ParquetFileFormat, as_format
from shoal.dataset._fragment import FileFragment, Fragment, ParquetFileFragment
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

    _format: OpenedFormat
    _opened_with: tuple[list[str], dict[str, Any]]

    @property
    def files(self) -> list[str]:
        """The paths of all files, on :attr:`filesystem`, in order. Lists in full."""
        return self._table.files()

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._table.filesystem()

    @property
    def format(self) -> OpenedFormat:
        return self._format

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        plan = self._table.plan(_core.ScanRequest([], filter, None, 0), collect_statistics=False)
        for number in range(plan.num_fragments()):
            kind = ParquetFileFragment if isinstance(self._format, ParquetFileFormat) else FileFragment
            yield kind(self, plan, number)

    def _with_schema(self, schema: pa.Schema) -> _core.Dataset:
        """The same files with another schema."""
        if schema.equals(self._table.schema()):
            return self._table
        sources, options = self._opened_with
        return _core.Dataset(sources, **{**options, "schema": schema})

    def __repr__(self) -> str:
        return "<shoal.dataset.FileSystemDataset>"


class UnionDataset(Dataset):
    """Several datasets as one table: the rows of the children, one child after the other.

    Parameters
    ----------
    schema
        The columns; None: the lossless union of the children's. A column that a child lacks is null in its
        rows.
    children
        The datasets.

    Raises
    ------
    TypeError
        A child is no dataset.
    ValueError
        There is no child, or a child is filtered.
    """

    def __init__(self, schema: pa.Schema | None, children: Iterable[Dataset]) -> None:
        self._children = list(children)
        for child in self._children:
            if not isinstance(child, Dataset):
                raise TypeError(
                    f"Argument 'children' has incorrect type (expected Dataset, got {type(child).__name__})"
                )
            if child._filter is not None:
                raise ValueError(
                    "Creating an UnionDataset from filtered or projected Datasets is currently not "
                    "supported. Union the unfiltered datasets and apply the filter to the resulting union."
                )
        self._table = _core.union_of((child._table for child in self._children), schema)
        self._filter = None

    @property
    def children(self) -> list[Dataset]:
        return list(self._children)

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        for child in self._children:
            yield from child._fragments(filter)

    def __reduce__(self) -> tuple[Any, ...]:
        return UnionDataset, (self._table.schema(), self._children), {"_filter": self._filter}

    def __repr__(self) -> str:
        return f"<shoal.dataset.UnionDataset of {len(self._children)}>"


class InMemoryDataset(Dataset):
    """Tables or batches in memory as a dataset.

    Parameters
    ----------
    source
        A pyarrow.Table, a pyarrow.RecordBatch, or a list of them.
    schema
        What all of them have; None: that of the first.

    Raises
    ------
    TypeError
        The source is something else, or an item has another schema.
    ValueError
        An empty list, and no schema.
    """

    def __init__(
        self,
        source: pa.Table | pa.RecordBatch | Iterable[pa.Table | pa.RecordBatch],
        schema: pa.Schema | None = None,
    ) -> None:
        if isinstance(source, pa.RecordBatch | pa.Table):
            source = [source]
        elif not isinstance(source, list | tuple):
            raise TypeError(
                "Expected a table, batch, or list of tables/batches instead of the given type: "
                + type(source).__name__
            )
        tables = []
        for item in source:
            if not isinstance(item, pa.RecordBatch | pa.Table):
                raise TypeError(
                    "Expected a list of tables or batches. The given list contains a " + type(item).__name__
                )
            if schema is None:
                schema = item.schema
            elif not schema.equals(item.schema):
                raise TypeError(
                    f"Item has schema\n{item.schema}\nwhich does not match expected schema\n{schema}"
                )
            tables.append(pa.Table.from_batches([item]) if isinstance(item, pa.RecordBatch) else item)
        if schema is None:
            raise ValueError("Must provide schema to construct in-memory dataset from an empty list")
        self._rows = pa.concat_tables(tables) if tables else schema.empty_table()
        self._table = _core.table_dataset(self._rows)
        self._filter = None

    def _fragments(self, filter: Expression | None) -> Iterator[Fragment]:
        raise NotImplementedError("A table in memory has no fragments")

    def __reduce__(self) -> tuple[Any, ...]:
        return InMemoryDataset, (self._rows,), {"_filter": self._filter}

    def __repr__(self) -> str:
        return "<shoal.dataset.InMemoryDataset>"


def dataset(
    source: Any,
    schema: pa.Schema | None = None,
    format: str | FileFormat | None = None,
    filesystem: object = None,
    partitioning: object = None,
    partition_base_dir: str | None = None,
    exclude_invalid_files: bool | None = None,
    ignore_prefixes: Sequence[str] | None = None,
) -> Dataset:
    """Open files as one table, or datasets or tables in memory. A look at the source is all that is done at
    once, and on object stores not even that; files are listed and their schemas read with the first question.

    Parameters
    ----------
    source
        A path or URI of a folder or file, or a list of paths of files. Or a list of datasets; or a table or
        batch in memory, or a list of them: then of the other arguments only `schema` may be given.
    schema
        The columns and types of the table; files are adapted to it. None: the lossless union of the files'
        schemas.
    format
        "parquet", "csv", "json", "ipc" ("arrow"), "feather" or "orc", or what the classes of these names
        make, such as :class:`CsvFileFormat`.
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
    others = (format, filesystem, partitioning, partition_base_dir, exclude_invalid_files, ignore_prefixes)
    in_memory = pa.RecordBatch | pa.Table
    many = isinstance(source, list | tuple)
    if many and source and all(isinstance(item, Dataset) for item in source):
        if any(other is not None for other in others):
            raise ValueError("When passing a list of Datasets, you cannot pass any additional arguments")
        return UnionDataset(schema, source)
    if isinstance(source, in_memory) or (many and any(isinstance(item, in_memory) for item in source)):
        if any(other is not None for other in others):
            raise ValueError("When passing in-memory data, you cannot pass any additional arguments")
        return InMemoryDataset(source, schema)
    chosen = as_format(format)
    name, format_options = as_format_of_open(chosen._format)
    if exclude_invalid_files:
        raise NotImplementedError("exclude_invalid_files is not supported")
    if not is_path(source) and not (isinstance(source, list | tuple) and all(map(is_path, source))):
        _refuse(source)
    on = None if filesystem is None else as_filesystem(filesystem)
    sources = as_paths(source, on)
    kind = None
    if not is_path(source):
        _check_files(sources, on)
    elif "://" not in sources[0]:
        where = pafs.LocalFileSystem() if on is None else on
        if where.type_name not in _OBJECT_STORES:
            kind = _kind(sources[0], where, on)
    names_files = not is_path(source) or (kind == pafs.FileType.File and not _is_summary(sources[0]))
    if names_files and not partition_base_dir and partitioning is not None:
        partition_base_dir = _top(sources[0])
    options: dict[str, Any] = {
        "filesystem": on,
        "format": name,
        "format_options": format_options,
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
    if is_path(source) and kind is None and made.filesystem.type_name not in _OBJECT_STORES:
        kind = _kind(sources[0], made.filesystem, on)
    # A pattern, or the listing has the better words.
    if kind == pafs.FileType.NotFound and not made.files:
        raise FileNotFoundError(sources[0])
    return made


def parquet_dataset(
    metadata_path: str | os.PathLike[str],
    schema: pa.Schema | None = None,
    filesystem: object = None,
    format: ParquetFileFormat | None = None,
    partitioning: object = None,
    partition_base_dir: str | None = None,
) -> FileSystemDataset:
    """Open the table that a ``_metadata`` file tells of: its files, their rows and their statistics come from
    that one file, and nothing is listed. A file whose footer is not what the summary says is an error when it
    is read. Of a ``_common_metadata`` file the columns are taken, and its folder is listed.

    Parameters
    ----------
    metadata_path
        The path or URI of a file called ``_metadata`` or ``_common_metadata``.
    schema, filesystem, format, partitioning, partition_base_dir
        As for :func:`dataset`.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    ValueError
        The file is called otherwise.
    """
    if format is not None and not isinstance(format, ParquetFileFormat):
        raise ValueError(f"format must be a ParquetFileFormat, not {type(format).__name__}")
    path = os.fspath(metadata_path)
    if not _is_summary(path):
        raise ValueError(f"'{path}' is not called _metadata or _common_metadata")
    made = dataset(
        path,
        schema=schema,
        format=ParquetFileFormat() if format is None else format,
        filesystem=filesystem,
        partitioning=partitioning,
        partition_base_dir=partition_base_dir,
    )
    assert isinstance(made, FileSystemDataset)
    return made


# A look there is two requests, and does not tell what is missing from what is empty.
_OBJECT_STORES = ("s3", "gcs", "abfs")


def _is_summary(path: str) -> bool:
    """It stands for the folder that it is in."""
    return path.rsplit("/", 1)[-1] in ("_metadata", "_common_metadata")


def _top(path: str) -> str:
    """The folder above all that a path goes through: files that are named have keys of their whole paths."""
    if path.startswith("/"):
        return "/"
    return "" if "://" in path or "/" not in path else path.split("/")[0]


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
