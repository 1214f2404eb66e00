"""Dataset: folders of files as one table."""

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.fs as pafs

from shoal import _core
from shoal._checks import choice, flag, texts
from shoal._file_scan import (
    FileScan,
    FilterSupport,
    Projection,
    ReadMode,
    TableConstraint,
    as_filters,
    as_projection,
    engine_reads,
)
from shoal._filesystem import as_filesystem, as_paths, as_storage_options
from shoal._formats import CsvFormat, JsonFormat, as_format
from shoal._partitioning import as_partitioning
from shoal._plan import ScanPlan, sort_columns, statistics_of
from shoal._report import CacheReport, ListingReport, PlanStatistics
from shoal._request import Columns, Filter, OnBadFile, as_columns, as_filter, as_schema
from shoal._scan import Scan

Source: TypeAlias = str | os.PathLike[str]


def open(
    uri_or_paths: Source | Sequence[Source],
    *,
    format: str | CsvFormat | JsonFormat | None = None,
    partitioning: str | pa.Schema | Sequence[str] | _core.Partitioning | None = "auto",
    schema: pa.Schema | None = None,
    filesystem: object = None,
    partition_base_dir: Source | None = None,
    extension: str | None = None,
    inspect: int | Literal["all", "first"] = 256,
    duplicate_names: Literal["error", "rename"] = "error",
    case_insensitive: bool = False,
    promote: Literal["lossless", "permissive"] = "lossless",
    infer: Literal["sample", "all"] = "sample",
    strict: bool | Collection[str] = False,
    ignore_prefixes: Iterable[str] = ("_", "."),
    ignore_subdirectory: bool = False,
    list_concurrency: int = 100,
    cache: bool | Source = False,
    cache_limit: int | None = None,
    listing_cache_ttl: float = 0,
    storage_options: Mapping[str, Any] | None = None,
    virtual_columns: Mapping[str, str | None] | None = None,
) -> "Dataset":
    """Open folders of files as one table. Reads nothing: that begins with the first question.

    Parameters
    ----------
    uri_or_paths
        A folder, file or glob pattern (``data/*/x-??.parquet``), or a list of them; paths on the local disk
        or URIs (``s3://bucket/table``), all on one filesystem. Overlapping ones give each file once.
    format
        "parquet", "csv", "json" (JSON lines), "ipc", "orc", "by_extension" (each file's as its name says),
        or a :class:`shoal.CsvFormat` or :class:`shoal.JsonFormat` with options; None: by the first known file
        name ending, else by a file's first bytes.
    partitioning
        How paths carry column values. "auto": ``key=value`` directories, where there are any; "hive": the
        same; None or "none": paths carry nothing; a schema or a list of names: one directory level a name; or
        what :func:`shoal.partitioning` returns.
    schema
        The table's columns and types, partition keys included. Files are adapted to it: columns are
        reordered, dropped, added as null, cast; a value that does not fit is an error that names the file.
        With a schema, opening reads no footer.
    filesystem
        A pyarrow filesystem, an fsspec filesystem, or a filesystem's URI; the sources are paths on it then.
    partition_base_dir
        Only the part of a path below it is parsed for keys. None: the source itself.
    extension
        Only files whose names end in it (``".parquet"``) are data. None: those of the format, if it was
        inferred.
    inspect
        How many files are inspected for the table's schema: all, if there are at most so many, else so many,
        spread evenly over the table. "all", or "first" for one.
    duplicate_names
        What is done about a name that several columns of one file have. "error": it is an error that names
        the column and the file; "rename": the second ``v`` is ``v_1``, the next ``v_2``, leaving out names
        that are taken. The same for fields of a struct.
    case_insensitive
        Names that differ in case alone are one: ``ID`` in one file is ``id`` in another, and so are fields
        of structs and keys of paths. The table writes a name as it was first seen, requests as they like: a
        name that the table has as it stands comes first. Letters are compared in lower case, one by one, in
        all of Unicode. Two columns of one file that are alike are duplicates (``duplicate_names``). Not for
        JSON.
    promote
        Which types of a column in two files go together. "lossless": those of which one type holds all
        values. "permissive": besides, those of which one type holds most, such as int64 and double; a value
        that it does not hold exactly is an error when it is read (docs/formats.md has the table).
    infer
        What of each inspected file the types are found from, if it is one of text: "sample" (of files up to
        1 MiB all, of others the beginning and some places after it), or "all": takes as long as reading it,
        and no value of an inspected file can be a surprise later. Formats given as objects have an option of
        their own; with files that tell their types there is nothing to infer.
    strict
        Kinds of listing issues that are errors (:data:`shoal.LISTING_ISSUES`); True: all; False: none, they
        are only counted in :attr:`Dataset.listing_report`.
    ignore_prefixes
        Files and directories whose names begin so are hidden. ``_key=value`` directories are not.
    ignore_subdirectory
        Leave out subdirectories that are no partitions.
    list_concurrency
        Directory reads in flight, at most.
    cache
        Keep what files tell of themselves (of Parquet: their footers) in this folder, for later datasets
        and processes; True: in the user's cache folder, ``$XDG_CACHE_HOME/shoal`` or ``~/.cache/shoal``. It
        is used only for files whose path, size, modification time, inode and time of change are still the
        same. A folder that can't be used costs no answer; :attr:`Dataset.cache_report` says what is wrong
        with it.
    cache_limit
        Bytes that the folder of ``cache`` may take, at most (1 GiB); what was used least recently goes first.
    listing_cache_ttl
        For so many seconds directories that this process has listed, for any dataset with this option, are
        not listed again. Files that come or go meanwhile are not seen; one that is gone by the time it is
        read is an error. :meth:`Dataset.refresh` lists anew, :func:`shoal.forget_listings` forgets. 0: each
        dataset lists for itself.
    storage_options
        How to reach the store of ``s3://``, ``gs://`` or ``abfs://`` sources, by the names that Polars,
        pandas and pyarrow users know: ``{"key": ..., "secret": ..., "endpoint_url": ..., "region": ...}``;
        docs/object-stores.md lists them. ``deadline``: seconds that one operation may take with all its
        retries (60). An unknown name is an error. What is not given comes from the environment.
    virtual_columns
        Other names for the columns about files, by which :meth:`Dataset.scan` can be asked for them:
        ``{"filename": "path"}``; None for one that cannot be asked for. By default ``filename``, the file's
        path, is ``__filename``; ``row_index``, a row's place in its file from 0, ``__row_index``;
        ``file_size``, in bytes, ``__file_size``; ``file_mtime``, when it was last changed,
        ``__file_mtime``; and ``fragment_index``, the file's place among all that are listed, from 0,
        ``__fragment_index``. A column of the table of such a name comes first.

    Raises
    ------
    FileNotFoundError
        Later, when the files are listed: a source does not exist.
    pyarrow.ArrowInvalid, NotImplementedError, TypeError, ValueError
        An option makes no sense; an unknown format. The message names it.

    Examples
    --------
    >>> flights = shoal.open("data/flights")
    >>> flights.count("month = 6 and dep_delay > 60")
    >>> flights.scan(["carrier", "dep_delay"], "month = 6").to_table()
    """
    name, format_options = as_format(format)
    chosen = None if filesystem is None else as_filesystem(filesystem)
    return Dataset(
        _core.Dataset(
            as_paths(uri_or_paths, chosen),
            filesystem=chosen,
            format=name,
            format_options=format_options,
            partitioning=as_partitioning(partitioning),
            partition_base_dir="" if partition_base_dir is None else as_paths(partition_base_dir, chosen)[0],
            schema=as_schema(schema),
            inspect=_inspect(inspect),
            rename_duplicates=choice("duplicate_names", duplicate_names, "error", "rename"),
            case_insensitive=flag("case_insensitive", case_insensitive),
            permissive=choice("promote", promote, "lossless", "permissive"),
            infer_from_all=_infer(infer, format),
            extension=extension or "",
            ignore_prefixes=texts("ignore_prefixes must be a list of texts", ignore_prefixes),
            ignore_subdirectory=flag("ignore_subdirectory", ignore_subdirectory),
            strict=_strict(strict),
            list_concurrency=list_concurrency,
            cache=_cache(cache),
            cache_limit=_cache_limit(cache_limit, cache),
            listing_cache_ms=_milliseconds(listing_cache_ttl),
            storage_options=as_storage_options(storage_options),
            virtual_columns=_virtual_columns(virtual_columns),
        )
    )


class Dataset:
    """A table of files. Made by :func:`shoal.open`.

    A snapshot: a folder is listed once, when a question first needs it, and later questions are answered from
    that (of questions that need a part of the table, as far as a few MiB go); :meth:`refresh` lists anew, and
    so does a copy that was pickled. It may be used from several threads. It speaks the Arrow PyCapsule
    protocol, so that ``polars.DataFrame(dataset)`` or ``pa.table(dataset)`` read all of it.
    """

    def __init__(self, core: _core.Dataset) -> None:
        self._core = core
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """Columns of the files, in order of first appearance by path, then partition keys.

        Raises
        ------
        FileNotFoundError
            A source does not exist.
        pyarrow.ArrowInvalid, pyarrow.ArrowTypeError
            There are no files, or the types of a column can't be brought together; the message names both
            files.
        """
        if self._schema is None:
            self._schema = self._core.schema()
        return self._schema

    @property
    def partition_schema(self) -> pa.Schema:
        """The partition keys, in order of first appearance by path."""
        return self._core.partition_schema()

    @property
    def format(self) -> str:
        """The name of the files' format."""
        return self._core.format_name()

    @property
    def filesystem(self) -> pafs.FileSystem:
        """Where the files are."""
        return self._core.filesystem()

    @property
    def files(self) -> list[str]:
        """The paths of all files, on :attr:`filesystem`, in dataset order. Lists in full."""
        return self._core.files()

    @property
    def listing_report(self) -> ListingReport:
        """What listing found and left out. Lists in full."""
        return ListingReport._of(self._core.listing_report())

    @property
    def cache_report(self) -> CacheReport:
        """What the option ``cache`` did so far. Reads nothing."""
        return CacheReport(**self._core.cache_report())

    def count(self, filter: Filter = None) -> int:
        """The number of rows that pass the filter.

        Without a filter, and where keys and statistics decide, no data is read. Errors as for :meth:`scan`.
        """
        return self._core.count(as_filter(filter), _core.ScanOptions())

    def stats(self, filter: Filter = None) -> PlanStatistics:
        """Rows, bytes and bounds of columns for the rows that pass the filter, from keys and footers alone.

        Each figure says whether it is exact; what is not known is None. What a filter over data leaves is
        not known from metadata: then the figures are those of the row groups that may match, and inexact.
        Errors as for :meth:`scan`.
        """
        return statistics_of(self._core.statistics(as_filter(filter)), self.schema)

    def scan(
        self,
        columns: Columns = None,
        filter: Filter = None,
        limit: int | None = None,
        offset: int = 0,
        *,
        ordered: bool = True,
        batch_size: int | None = None,
        memory_budget: int | None = None,
        workers: int | None = None,
        io_concurrency: int | None = None,
        on_missing: OnBadFile = "error",
        on_corrupt: OnBadFile = "error",
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scan:
        """Say what to read, and how. Reads nothing: the returned object's methods do.

        Parameters
        ----------
        columns
            Names of the wanted columns, or a dict from output names to texts or pyarrow expressions over the
            table's columns (``{"total": "price * amount"}``). ``s.x`` is the column of that very name if
            there is one, else the field ``x`` of the struct ``s``; in the output it is named ``s.x``. None:
            all columns. An empty list: no columns, but rows are counted.
        filter
            Which rows, as text (``"month = 6 and carrier in ('UA', 'AA')"``) or as a pyarrow expression
            (``pc.field("month") == 6``). It may use columns that are not in the output.
        limit, offset
            At most this many rows, after so many others were left out; they count rows that pass the filter.
        ordered
            Batches in dataset order (files by path, row groups in file order), the same in every
            run; or as they come.
        batch_size
            Rows a batch should have (32,768): small pieces are joined, large ones cut.
        memory_budget
            Bytes that reading may hold at once (256 MiB): fetched bytes, decoding, batches not yet taken.
        workers
            Threads that decode. None: one per core. 0: none, batches are made when they are asked for.
        io_concurrency
            Reads in flight, at most. None: 2 on local disks, 32 elsewhere.
        on_missing, on_corrupt
            "error", or "skip": leave out files that are gone, or that are no readable files of the format.
            :attr:`Scan.metrics` names them.
        memory_pool
            Where batches are allocated. None: a pool of shoal's own that uses memory again, or the one that
            ``pa.set_memory_pool`` has chosen.

        Raises
        ------
        pyarrow.ArrowInvalid
            When read: an unknown column (similar names are listed), an option out of range, a file that is
            not of the format.
        TypeError
            A filter that is not boolean or compares what can't be compared.
        OSError
            A file can't be read, or is not the one that was listed. FileNotFoundError: it is gone.
        """
        expression = as_filter(filter)
        return Scan(
            self._core,
            _core.ScanRequest(as_columns(columns), expression, limit, offset),
            _core.ScanOptions(
                ordered=ordered,
                batch_size=batch_size,
                memory_budget=memory_budget,
                workers=workers,
                io_concurrency=io_concurrency,
                on_missing=on_missing,
                on_corrupt=on_corrupt,
                memory_pool=memory_pool,
            ),
            filter=expression,
            all_columns=columns is None,
            all_rows=limit is None and offset == 0,
        )

    def plan(
        self,
        columns: Columns = None,
        filter: Filter = None,
        limit: int | None = None,
        offset: int = 0,
        *,
        collect_statistics: bool = True,
        column_statistics: bool = False,
        meta_fetch_concurrency: int | None = None,
    ) -> ScanPlan:
        """What a scan would read, as a value. Reads no data.

        Parameters
        ----------
        columns, filter, limit, offset
            As for :meth:`scan`.
        collect_statistics
            Read the footers of kept files, so that row groups are pruned and counted in the plan.
        column_statistics
            Also merge bounds and null counts of every column into :attr:`ScanPlan.statistics`; needs
            ``collect_statistics``.
        meta_fetch_concurrency
            Footer reads in flight, at most (32).
        """
        return self.scan(columns, filter, limit, offset).plan(
            collect_statistics=collect_statistics,
            column_statistics=column_statistics,
            meta_fetch_concurrency=meta_fetch_concurrency,
        )

    def explain(
        self,
        columns: Columns = None,
        filter: Filter = None,
        limit: int | None = None,
        offset: int = 0,
        *,
        collect_statistics: bool = True,
    ) -> str:
        """The plan as text: which files and row groups are read, and what pruned the others.

        Without ``collect_statistics`` names and keys alone decide, and no footer of a kept file is read.
        """
        return str(self.plan(columns, filter, limit, offset, collect_statistics=collect_statistics))

    def supports_filters(
        self, filters: Iterable[Filter], mode: ReadMode = "shoal_reads"
    ) -> list[FilterSupport]:
        """For query engines: what a scan with these filters does with each of them, and so what the engine
        need not do.

        Parameters
        ----------
        mode
            Who reads the files: "shoal_reads", or "engine_reads": an engine with a reader of its own, for
            which shoal lists, plans and prunes.

        Raises
        ------
        pyarrow.ArrowInvalid, TypeError
            A wrong column; types that can't be compared; a filter that is not boolean. A function that only
            the engine knows is no error: such a filter is "unsupported".
        """
        supports = self._core.supports_filters(as_filters(filters), engine_reads(mode))
        return [FilterSupport(*support) for support in supports]

    def file_scan(
        self,
        projection: Projection = None,
        filters: Iterable[Filter] = (),
        limit: int | None = None,
        offset: int = 0,
        *,
        mode: ReadMode = "shoal_reads",
        target_partitions: int = 1,
        collect_statistics: bool = True,
        meta_fetch_concurrency: int | None = None,
        preserve_file_partitions: int = 0,
        repartition_file_min_size: int | None = None,
        split_file_groups_by_statistics: bool = False,
        ordering: Iterable[str | tuple[str, ...]] | None = None,
        constraints: Iterable[TableConstraint] = (),
    ) -> FileScan:
        """A scan, planned for an engine to take over: file groups, what is left of the filters, statistics,
        and adapters for batches that the engine has read itself. Reads no data.

        Parameters
        ----------
        projection
            Columns by name, or by their places in :attr:`schema`. None: all.
        filters
            All must pass; see :meth:`supports_filters`. They may use columns outside the projection.
        limit, offset
            Of the rows that pass. Pushed down only where all filters are exact.
        mode
            "shoal_reads": groups are read through :attr:`FileGroup.plan`; "engine_reads": by the engine.
        target_partitions, preserve_file_partitions, repartition_file_min_size
            How files are divided: see :meth:`ScanPlan.file_groups`.
        split_file_groups_by_statistics, ordering
            How files are arranged: see :meth:`ScanPlan.file_groups`.
        collect_statistics
            Read the footers of kept files: row groups are pruned, rows counted, and bounds of all columns
            collected.
        meta_fetch_concurrency
            Footer reads in flight, at most (32).
        constraints
            Passed on in :attr:`FileScan.constraints`; an error if a column is unknown.
        """
        promised = tuple(constraints)
        for each in promised:
            if not isinstance(each, TableConstraint):
                raise TypeError(f"constraints must be TableConstraints, but {each!r} is among them")
        grouping: dict[str, Any] = {
            "target_partitions": target_partitions,
            "preserve_file_partitions": preserve_file_partitions,
            "repartition_file_min_size": repartition_file_min_size,
            "split_file_groups_by_statistics": split_file_groups_by_statistics,
            "ordering": ordering if ordering is None or isinstance(ordering, str) else list(ordering),
        }
        core = self._core.file_scan(
            as_projection(projection),
            as_filters(filters),
            limit,
            offset,
            engine_reads=engine_reads(mode),
            collect_statistics=flag("collect_statistics", collect_statistics),
            meta_fetch_concurrency=meta_fetch_concurrency,
            target_partitions=target_partitions,
            min_size=repartition_file_min_size,
            preserve_file_partitions=preserve_file_partitions,
            by_ordering=split_file_groups_by_statistics,
            ordering=sort_columns(grouping["ordering"]),
            constraints=[(each.primary_key, each.columns) for each in promised],
        )
        return FileScan(core, mode, promised, grouping)

    def head(self, n: int = 10) -> pa.Table:
        """The first `n` rows, in dataset order. Lists and reads no more than they take."""
        return self.scan(limit=n).to_table()

    def to_table(self) -> pa.Table:
        """All rows, in memory."""
        return self.scan().to_table()

    def refresh(self) -> "Dataset":
        """The same sources, listed and inspected anew. This object stays as it is."""
        return Dataset(self._core.refresh())

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self._core,)

    def __repr__(self) -> str:
        if self._schema is None:
            return "<shoal.Dataset, not inspected yet>"
        columns = "".join(f"\n  {field.name}: {field.type}" for field in self._schema)
        return f"<shoal.Dataset>{columns}"


def _cache(cache: bool | Source) -> str:
    if isinstance(cache, bool):
        return _core.user_cache_directory() if cache else ""
    if not isinstance(cache, str | os.PathLike):
        raise TypeError(f"cache must be a bool or the path of a folder, not {type(cache).__name__}")
    folder = os.path.expanduser(os.fsdecode(cache))
    if not folder or "\0" in folder:
        raise ValueError(f"cache must be a bool or the path of a folder, but is {folder!r}")
    return os.path.abspath(folder)


def _cache_limit(limit: int | None, cache: bool | Source) -> int:
    if limit is None:
        return 1 << 30
    if cache is False:
        raise ValueError("cache_limit is given, but cache is off; say where to keep what files tell")
    return limit


def _milliseconds(ttl: float) -> int:
    if isinstance(ttl, bool) or not isinstance(ttl, int | float):
        raise TypeError(f"listing_cache_ttl must be a number of seconds, not {type(ttl).__name__}")
    if not 0 <= ttl <= 1e9:
        raise ValueError(f"listing_cache_ttl must be from 0 to 1e9 seconds, but is {ttl!r}")
    return math.ceil(ttl * 1000)


def forget_listings(path: Source = "") -> None:
    """Forget what the listing cache knows of a directory and all below it; without a path, of everything.

    For those who know that files have changed. `path` is spelled as in :attr:`Dataset.files`; a path object
    may be relative. See ``listing_cache_ttl`` of :func:`shoal.open`.
    """
    _core.forget_listings(os.path.abspath(path) if isinstance(path, os.PathLike) else path)


def _virtual_columns(names: Mapping[str, str | None] | None) -> dict[str, str]:
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        raise TypeError(f"virtual_columns must be a dict of names, not {type(names).__name__}")
    for column, name in names.items():
        if column not in _VIRTUAL_COLUMNS:
            raise ValueError(
                f"virtual_columns: there is no column {column!r}, but {', '.join(_VIRTUAL_COLUMNS)}"
            )
        if not isinstance(name, str | None):
            raise TypeError(f"virtual_columns: the name of {column} must be a text, not {name!r}")
    return {column: name or "" for column, name in names.items()}


_VIRTUAL_COLUMNS = ("filename", "row_index", "file_size", "file_mtime", "fragment_index")


def _inspect(inspect: int | str) -> int:
    if inspect == "all":
        return -1
    if inspect == "first":
        return 1
    if isinstance(inspect, bool) or not isinstance(inspect, int) or inspect < 1:
        raise ValueError(
            f"inspect must be 'all', 'first' or a number of files, at least 1, but is {inspect!r}"
        )
    return inspect


def _infer(infer: str, format: object) -> bool:
    if infer not in ("sample", "all"):
        raise ValueError(f"infer must be 'sample' or 'all', but is {infer!r}")
    # Also one without options, which is a name to C++.
    if infer == "all" and isinstance(format, CsvFormat | JsonFormat):
        raise ValueError(
            "infer is all, but the format is given as an object, which has its own option: "
            f'{type(format).__name__}(infer="all")'
        )
    return infer == "all"


def _strict(strict: bool | Collection[str]) -> list[str]:
    if isinstance(strict, bool):
        return _core.listing_issues() if strict else []
    if isinstance(strict, str):
        raise TypeError(f"strict must be a bool or a set of names; for one kind write {{{strict!r}}}")
    return texts("strict must be a bool or a set of names", strict)
