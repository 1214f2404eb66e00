"""ScanPlan: what a scan will read, as a value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import pyarrow as pa

from shoal import _core
from shoal._filesystem import as_filesystem
from shoal._report import ColumnStatistics, Figure, ListingReport, PlanFragment, PlanStatistics


class _Fragments(Sequence[PlanFragment]):
    """The fragments of a plan, made into objects as they are looked at: a plan may have millions."""

    def __init__(self, plan: _core.ScanPlan) -> None:
        self._plan = plan
        self._keys = plan.partition_schema.names
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
        path, size, _, values, row_groups, rows = self._plan.fragment(i % self._len)
        keys = {
            key: value.as_py() for key, value in zip(self._keys, values, strict=True) if value is not None
        }
        return PlanFragment(path, size, keys, row_groups, _figure(rows))

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
    num_rows: Figure[int] | None
    """Rows before filtering; None if not known."""
    num_bytes: Figure[int] | None
    """Bytes in the files, compressed; None if not known."""
    partition_values: list[dict[str, Any]] | None
    """All partition values in the group, which no other group has. None: not grouped by them."""

    @property
    def fragments(self) -> Sequence[PlanFragment]:
        return self.plan.fragments


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
        to 10,000 pieces that will not be read.
        """
        return self._core.prune_report()

    @property
    def listing_report(self) -> ListingReport:
        """What listing found for this plan."""
        return ListingReport._of(self._core.listing_report())

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
    ) -> list[FileGroup]:
        """The plan divided into at most ``target_partitions`` groups. The same plan gives the same groups,
        and every row is in exactly one of them.

        Parameters
        ----------
        by
            What groups have equal shares of: "bytes" or "rows". Groups are then consecutive in dataset order.
            "partition_values": all files with equal keys go to one group (as ``preserve_file_partitions=1``).
        repartition_file_min_size
            Files of more bytes than that (10 MiB) may be divided between row groups, where the plan has
            collected statistics.
        preserve_file_partitions
            Not 0: group by partition values where there are at least so many different ones. Not done where
            a path lacks a key; :attr:`FileGroup.partition_values` then is None.

        Raises
        ------
        ValueError
            For another ``by``, or a number out of range.
        """
        if by == "partition_values":
            preserve_file_partitions = max(preserve_file_partitions, 1)
        elif by not in ("bytes", "rows"):
            raise ValueError(f"by must be 'bytes', 'rows' or 'partition_values', but is {by!r}")
        by_values, groups = self._core.file_groups(
            target_partitions, by == "rows", repartition_file_min_size, preserve_file_partitions
        )
        keys = self._core.partition_schema.names
        return [
            FileGroup(
                ScanPlan(plan),
                _figure(rows),
                _figure(size),
                [{k: v.as_py() for k, v in zip(keys, row, strict=True)} for row in values]
                if by_values
                else None,
            )
            for plan, rows, size, values in groups
        ]

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
    by_column = {
        name: ColumnStatistics(_figure(nulls), _value(low), _value(high), _figure(distinct))
        for name, (nulls, low, high, distinct) in zip(schema.names, columns, strict=False)
    }
    return PlanStatistics(_figure(rows), _figure(size), by_column)


def _figure(raw: tuple[int, bool] | None) -> Figure[int] | None:
    return None if raw is None else Figure(*raw)


def _value(raw: tuple[pa.Scalar, bool] | None) -> Figure[Any] | None:
    return None if raw is None else Figure(raw[0].as_py(), raw[1])
