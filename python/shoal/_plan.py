"""ScanPlan: what a scan will read, as a value."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import pyarrow as pa

from shoal import _core
from shoal._checks import flag
from shoal._filesystem import as_filesystem
from shoal._report import (
    ColumnStatistics,
    Figure,
    ListingReport,
    PlanFragment,
    PlanStatistics,
    SortColumn,
    StoreRequests,
)


class _Fragments(Sequence[PlanFragment]):
    """The fragments of a plan, made into objects as they are looked at: a plan may have millions."""

    def __init__(self, plan: _core.ScanPlan) -> None:
        self._plan = plan
        self._keys = plan.partition_schema.names
        self._columns = plan.table_schema.names
        self._len = plan.num_fragments()

    def __len__(self) -> int:
        return self._len

    @overload
    def __getitem__(self, i: int) -> PlanFragment: ...
    @overload
    def __getitem__(self, i: slice) -> list[PlanFragment]: ...
    def __getitem__(self, i: int | slice) -> PlanFragment | list[PlanFragment]:
        if isinstance(i, slice):
            return [self[at] for at in range(*i.indices(self._len))]
        if not -self._len <= i < self._len:
            raise IndexError(f"The plan has {self._len} fragments, so none at {i}")
        path, size, _, values, row_groups, rows, order, columns = self._plan.fragment(i % self._len)
        keys = {
            key: value.as_py() for key, value in zip(self._keys, values, strict=True) if value is not None
        }
        known = None if columns is None else _by_column(self._columns, columns)
        return PlanFragment(path, size, keys, row_groups, _figure(rows), known, _ordering(order))

    def __iter__(self) -> Iterator[PlanFragment]:
        return (self[i] for i in range(self._len))

    def __repr__(self) -> str:
        return f"<{self._len} fragments>"


@dataclass(frozen=True)
class FileGroup:
    """Fragments of a plan that are read one after another, by one partition of an engine."""

    plan: "ScanPlan"
    """What reads the group. Of a plan with a limit or an offset, each group returns at most limit + offset
    rows from its beginning; whoever joins the groups applies them."""
    partition_values: list[dict[str, Any]] | None
    """All partition values in the group, which no other group has. None: not grouped by them."""
    ordering: tuple[SortColumn, ...]
    """See :attr:`FileGroups.output_ordering`."""

    @property
    def fragments(self) -> Sequence[PlanFragment]:
        return self.plan.fragments

    @property
    def statistics(self) -> PlanStatistics:
        """Of the group, before filtering. Bounds of a file that is divided among groups are inexact in
        each."""
        return self.plan.statistics

    @property
    def num_rows(self) -> Figure[int] | None:
        """Rows before filtering; None if not known."""
        return self.statistics.num_rows

    @property
    def num_bytes(self) -> Figure[int] | None:
        """Bytes in the files, compressed; None if not known."""
        return self.statistics.total_bytes


class FileGroups(Sequence[FileGroup]):
    """A plan divided into groups, and what holds for each of them. Made by :meth:`ScanPlan.file_groups`."""

    def __init__(self, core: _core.FileGroups, keys: list[str]) -> None:
        self._core = core
        groups = [core.group(i) for i in range(len(core))]
        self._groups = [
            FileGroup(
                ScanPlan(plan),
                [{k: v.as_py() for k, v in zip(keys, row, strict=True)} for row in values]
                if core.by_partition_values
                else None,
                self.output_ordering,
            )
            for plan, values in groups
        ]

    def __len__(self) -> int:
        return len(self._groups)

    @overload
    def __getitem__(self, i: int) -> FileGroup: ...
    @overload
    def __getitem__(self, i: slice) -> list[FileGroup]: ...
    def __getitem__(self, i: int | slice) -> FileGroup | list[FileGroup]:
        return self._groups[i]

    @property
    def output_ordering(self) -> tuple[SortColumn, ...]:
        """Columns of the output that the rows of each group are sorted by. Empty: nothing is declared."""
        return _ordering(self._core.output_ordering)

    @property
    def ordering_limitation(self) -> str | None:
        """Why :attr:`output_ordering` is not all that was asked for or declared by files; None if it is."""
        return self._core.ordering_limitation or None

    @property
    def output_partitioning(self) -> tuple[str, ...]:
        """Columns of the output; rows that are equal in all of them are in one group. Empty: nothing is
        declared. What is where is told by :attr:`FileGroup.partition_values`."""
        return tuple(self._core.output_partitioning)

    def read(self, *, file_stream_work_stealing: bool = True, **options: Any) -> list[pa.RecordBatchReader]:
        """Start reading; a reader for each group, to be used from as many threads.

        Together they have each row once. Options are those of :meth:`ScanPlan.to_reader`; memory budget,
        workers and reads in flight are those of all readers together.

        Parameters
        ----------
        file_stream_work_stealing
            A reader takes what is ready, whichever group it is of, so that none waits while there is work.
            One that is slow, closed or never read keeps nothing from the others. Never so where the groups
            declare an ordering or partition values: then, and with False, each reader reads its group.

        Raises
        ------
        pyarrow.ArrowInvalid
            For ``ordered=False``, if the groups declare an ordering.
        """
        streams = self._core.start(
            _core.ScanOptions(**options), flag("file_stream_work_stealing", file_stream_work_stealing)
        )
        return [stream.reader() for stream in streams]

    def __repr__(self) -> str:
        return f"<shoal.FileGroups, {len(self)} groups>"


class ScanPlan:
    """What a scan will read: an immutable value that can be printed, stored and sent to another machine.

    Made by :meth:`shoal.Dataset.plan` and :meth:`shoal.Scan.plan`. ``print(plan)`` explains it.
    """

    def __init__(self, core: _core.ScanPlan) -> None:
        self._core = core

    @property
    def fragments(self) -> Sequence[PlanFragment]:
        """The files to read, or their row groups, in dataset order."""
        return _Fragments(self._core)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the output."""
        return self._core.output_schema

    @property
    def statistics(self) -> PlanStatistics:
        """Rows, bytes and, if the plan collected them, bounds of columns; all before filtering."""
        return statistics_of(self._core.statistics(), self._core.table_schema)

    @property
    def prune_report(self) -> dict[str, Any]:
        """What the filter ruled out, at which level and by which conjunct, and why where it could not.

        Counts ("files_listed", "files_kept", "row_groups_seen", "row_groups_kept", "footers_read", ...), a
        dict a conjunct under "conjuncts", one a level of directories under "levels", and under "pruned" up
        to 1,000 pieces that will not be read.
        """
        return self._core.prune_report()

    @property
    def listing_report(self) -> ListingReport:
        """What listing found for this plan."""
        return ListingReport._of(self._core.listing_report())

    @property
    def store_requests(self) -> StoreRequests:
        """What listing and footers of this plan asked of the store, without the inspection of the schema."""
        return StoreRequests(**self._core.store_requests())

    @property
    def inspection_requests(self) -> StoreRequests:
        """What finding out the table's schema asked of the store, once for the dataset."""
        return StoreRequests(**self._core.inspection_requests())

    @property
    def files_inspected(self) -> int:
        """Files whose schemas made the table's schema."""
        return self._core.files_inspected

    def file_groups(
        self,
        target_partitions: int,
        by: str = "bytes",
        *,
        repartition_file_min_size: int | None = None,
        preserve_file_partitions: int = 0,
        split_file_groups_by_statistics: bool = False,
        ordering: Iterable[str | tuple[str, ...]] | None = None,
    ) -> FileGroups:
        """The plan divided into at most ``target_partitions`` groups. The same plan gives the same groups,
        and every row is in exactly one of them.

        Parameters
        ----------
        by
            What groups have equal shares of: "bytes" or "rows". Groups are then consecutive in dataset order.
            "partition_values": all files with equal keys go to one group (as ``preserve_file_partitions=1``).
            "ordering": the rows of each group are sorted (as ``split_file_groups_by_statistics=True``).
        repartition_file_min_size
            Files of more bytes than that (10 MiB) may be divided between row groups, where the plan has
            collected statistics.
        preserve_file_partitions
            Not 0: group by partition values where there are at least so many different ones. Not done where
            a path lacks a key; :attr:`FileGroup.partition_values` then is None.
        split_file_groups_by_statistics
            Where the files declare an order of their rows, and statistics show which of them follow each
            other, make groups that have that order as a whole, and declare it
            (:attr:`FileGroups.output_ordering`). Needs a plan made with ``column_statistics=True``. Where
            files overlap so much that it takes more groups than ``target_partitions``, nothing is declared.
        ordering
            The order wanted, in columns of the table, which partition keys may be among: names, or tuples
            ``(name, "ascending" | "descending", "at_end" | "at_start")``, of which the last says where nulls
            are. None: that which the files declare.

        Raises
        ------
        ValueError
            For another ``by``, a number out of range, or an ordering that is none.
        """
        if by == "partition_values":
            preserve_file_partitions = max(preserve_file_partitions, 1)
        elif by not in ("bytes", "rows", "ordering"):
            raise ValueError(f"by must be 'bytes', 'rows', 'partition_values' or 'ordering', but is {by!r}")
        groups = self._core.file_groups(
            target_partitions,
            by == "rows",
            repartition_file_min_size,
            preserve_file_partitions,
            split_file_groups_by_statistics or by == "ordering",
            sort_columns(ordering),
        )
        return FileGroups(groups, self._core.partition_schema.names)

    def to_json(self) -> str:
        """The plan as one JSON document. It holds no credentials.

        Raises
        ------
        pyarrow.ArrowInvalid, NotImplementedError
            If another process could not make the filesystem anew, as with one made in Python.
        """
        return self._core.to_json()

    @classmethod
    def from_json(cls, json: str, *, filesystem: object = None) -> "ScanPlan":
        """The inverse of :meth:`to_json`. The local disk is found anew; any other filesystem must be
        given, as a plan carries no credentials. Reports and the statistics of columns are not read back."""
        return cls(_core.ScanPlan.from_json(json, None if filesystem is None else as_filesystem(filesystem)))

    def to_reader(self, **options: Any) -> pa.RecordBatchReader:
        """Execute the plan. Takes the options of :meth:`shoal.Dataset.scan` that say how: ``ordered``,
        ``batch_size``, ``memory_budget``, ``workers``, ``io_concurrency``, ``on_missing``, ``on_corrupt``,
        ``memory_pool``."""
        return self._core.start(_core.ScanOptions(**options)).reader()

    def to_table(self, **options: Any) -> pa.Table:
        """Execute the plan and collect its rows. Options as for :meth:`to_reader`."""
        return self._core.read(_core.ScanOptions(**options))[0]

    def __str__(self) -> str:
        return self._core.to_text()

    def __repr__(self) -> str:
        return f"<shoal.ScanPlan of {self._core.num_fragments()} fragments>"


def statistics_of(raw: Any, schema: pa.Schema) -> PlanStatistics:
    rows, size, columns = raw
    return PlanStatistics(_figure(rows), _figure(size), _by_column(schema.names, columns))


def _by_column(names: list[str], columns: list[Any]) -> dict[str, ColumnStatistics]:
    return {
        name: ColumnStatistics(_figure(nulls), _value(low), _value(high), _figure(distinct))
        for name, (nulls, low, high, distinct) in zip(names, columns, strict=False)
    }


def _ordering(raw: Iterable[tuple[str, bool, bool]]) -> tuple[SortColumn, ...]:
    return tuple(
        SortColumn(name, "descending" if descending else "ascending", "at_start" if nulls_first else "at_end")
        for name, descending, nulls_first in raw
    )


def sort_columns(ordering: Iterable[str | tuple[str, ...]] | None) -> list[tuple[str, bool, bool]]:
    if isinstance(ordering, str):
        raise TypeError(f"ordering must be a list of columns; for one write [{ordering!r}]")
    return [] if ordering is None else [sort_column(column) for column in ordering]


def sort_column(column: str | tuple[str, ...]) -> tuple[str, bool, bool]:
    if not isinstance(column, str | tuple | list) or not column:
        raise TypeError(f"A column of an ordering must be a name or a tuple, not {column!r}")
    name, order, nulls, *rest = (
        (column, "ascending", "at_end")
        if isinstance(column, str)
        else (*column, *SortColumn("")[len(column) :])
    )
    if rest or order not in ("ascending", "descending") or nulls not in ("at_end", "at_start"):
        raise ValueError(
            "A column of an ordering must be a name, or a tuple of name, 'ascending' or 'descending', and "
            f"'at_end' or 'at_start', but is {column!r}"
        )
    return name, order == "descending", nulls == "at_start"


def _figure(raw: tuple[int, bool] | None) -> Figure[int] | None:
    return None if raw is None else Figure(*raw)


def _value(raw: tuple[pa.Scalar, bool] | None) -> Figure[Any] | None:
    return None if raw is None else Figure(raw[0].as_py(), raw[1])
