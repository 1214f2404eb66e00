"""FileScan: a scan that a query engine takes over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.fs as pafs

from shoal import _core
from shoal._plan import FileGroups, ScanPlan, statistics_of
from shoal._report import PlanFragment, PlanStatistics
from shoal._request import Filter, as_filter

if TYPE_CHECKING:
    import pyarrow.compute as pc

ReadMode: TypeAlias = Literal["shoal_reads", "engine_reads"]
Projection: TypeAlias = "Sequence[str] | Sequence[int] | None"


@dataclass(frozen=True)
class FilterSupport:
    """What a scan does with a filter."""

    use: str
    """"exact": rows are those that the filter is true for. "inexact": files and row groups without such rows
    may have been left out. "unsupported": no use is made of it. Unless it is "exact", the engine must apply
    the filter."""
    reason: str


@dataclass(frozen=True)
class TableConstraint:
    """A promise about the rows of the table, which shoal passes on and does not check."""

    columns: tuple[str, ...]
    primary_key: bool = False
    """False: the columns are unique."""


class SchemaAdapter:
    """From the batches of one file, however they were read, to batches of :attr:`FileScan.scan_schema`.

    May be used from several threads.
    """

    def __init__(self, core: _core.SchemaAdapter) -> None:
        self._core = core

    @property
    def columns(self) -> list[int]:
        """What must be read, as places in the file's schema. Empty: batches need only have the right number
        of rows."""
        return self._core.columns()

    @property
    def leaves(self) -> list[int]:
        """The same as places among all columns without columns inside, counted depth first: as Parquet counts
        columns."""
        return self._core.leaves()

    def adapt(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """`batch` has at least :attr:`columns` (or :attr:`leaves`), in any order. Columns are matched by
        name, widened to the table's types (cast, where the schema was declared), null where the file lacks
        them, and the path's value where they are partition keys.

        Raises
        ------
        pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError
            A column was not read; a type or a value does not fit. The message names file and column.
        """
        return self._core.adapt(batch)


class FileScan:
    """A scan that an engine can take over: an immutable value. Made by :meth:`shoal.Dataset.file_scan`."""

    def __init__(
        self,
        core: _core.FileScan,
        mode: ReadMode,
        constraints: tuple[TableConstraint, ...],
        grouping: dict[str, Any],
    ) -> None:
        self._core = core
        self._grouping = grouping
        self._fragment_of: dict[str, int] | None = None
        schemas = core.schemas()
        self.mode = mode
        """Who reads the files."""
        self.constraints = constraints
        """As given."""
        self.plan = ScanPlan(core.plan())
        """The whole scan, which gives :attr:`scan_schema`; with what was pruned and why."""
        self.table_schema = schemas[0]
        """All columns of the table: those of the files, then partition keys."""
        self.file_schema = schemas[1]
        """The columns that are expected of files: those that are no partition keys."""
        self.partition_schema = schemas[2]
        self.scan_schema = schemas[3]
        """What comes out of groups and adapters: the columns asked for, then those that only
        :attr:`residual_filters` use."""
        self.output_schema = schemas[4]
        """The columns asked for."""
        self.limit, self.offset, self.limit_pushed, self.limit_reason, self.group_limit = core.limit()

    limit: int | None
    """As asked for, like :attr:`offset`: whoever joins the groups applies both, after
    :attr:`residual_filters`. Groups skip nothing."""
    offset: int
    limit_pushed: bool
    """Whether the plan knows of them, so that files which are not needed are left out. Only where all filters
    are exact."""
    limit_reason: str | None
    """Why not, though there is a limit or an offset."""
    group_limit: int | None
    """Rows that a group need give at most, where the limit is pushed: limit + offset."""

    @property
    def file_groups(self) -> FileGroups:
        """Groups can be read at once; the fragments of a group are read one after another."""
        return self.plan.file_groups(**self._grouping)

    @property
    def filesystem(self) -> pafs.FileSystem:
        return self._core.filesystem()

    @property
    def format(self) -> str:
        return self._core.format_name()

    @property
    def projection(self) -> list[int]:
        """Places in :attr:`table_schema` of the columns of :attr:`scan_schema`."""
        return self._core.projection()

    @property
    def filters(self) -> list[FilterSupport]:
        """For each filter, what :meth:`shoal.Dataset.supports_filters` says."""
        return [FilterSupport(*support) for support in self._core.filters()]

    @property
    def residual_filters(self) -> list[pc.Expression]:
        """What must still be applied to batches of :attr:`scan_schema`; :meth:`finish` does it."""
        return self._core.residual_filters()

    @property
    def statistics(self) -> PlanStatistics:
        """Of the rows that groups give, before :attr:`residual_filters`, limit and offset."""
        return statistics_of(self._core.statistics(), self.table_schema)

    @property
    def output_partitioning(self) -> list[str]:
        """The partition keys, if rows that are equal in all of them are in one group. Empty: not known."""
        return self._core.output_partitioning()

    def adapter(self, fragment: PlanFragment, file_schema: pa.Schema) -> SchemaAdapter:
        """For batches of a fragment's file that the engine has read itself. `file_schema` is the file's own.

        Raises
        ------
        KeyError
            The scan has no such file.
        pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError
            A type of the file does not fit the table's.
        """
        if self._fragment_of is None:
            self._fragment_of = {each.path: i for i, each in enumerate(self.plan.fragments)}
        return SchemaAdapter(self._core.adapter(self._fragment_of[fragment.path], file_schema))

    def finish(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows of a batch of :attr:`scan_schema` that pass :attr:`residual_filters`, with the columns of
        :attr:`output_schema`.

        Raises
        ------
        NotImplementedError
            Only the engine knows a function that a filter calls.
        """
        return self._core.finish(batch)

    def __repr__(self) -> str:
        return f"<shoal.FileScan of {len(self.plan.fragments)} fragments, {self.mode}>"


def engine_reads(mode: str) -> bool:
    if mode not in ("shoal_reads", "engine_reads"):
        raise ValueError(f"mode must be 'shoal_reads' or 'engine_reads', but is {mode!r}")
    return mode == "engine_reads"


def as_filters(filters: Iterable[Filter]) -> list[pc.Expression]:
    if isinstance(filters, str) or _core.is_expression(filters):
        raise TypeError("filters must be a list of filters; for one write [filter]")
    given = [as_filter(filter) for filter in filters]
    if any(filter is None for filter in given):
        raise TypeError("A filter must be a text or a pyarrow expression, not None")
    return [filter for filter in given if filter is not None]


def as_projection(columns: Projection) -> list[str] | list[int] | None:
    if columns is None:
        return None
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise TypeError(f"projection must be a list of names or places, not {type(columns).__name__}")
    names: list[str] = []
    places: list[int] = []
    for column in columns:
        if isinstance(column, str):
            names.append(column)
        elif isinstance(column, int) and not isinstance(column, bool):
            places.append(column)
        else:
            raise TypeError(f"A column must be a name or a place, not {type(column).__name__}")
    if names and places:
        raise TypeError("projection must be a list of names or one of places, not of both")
    return places or names
