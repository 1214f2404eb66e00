"""Reports: what listing, planning and scanning did."""

from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")


class Figure(NamedTuple, Generic[T]):
    """A value and how far it can be trusted."""

    value: T
    exact: bool
    """False: an estimate, or a bound that no row need attain."""


@dataclass(frozen=True)
class StoreRequests:
    """Requests to a store, by kind; to the local disk there are none.

    Of a filesystem made in Python a directory counts as one ``list`` and a range of a file as one ``get``,
    whatever it does for them.
    """

    list: int
    """Pages of names."""
    head: int
    """Looks at one object."""
    get: int
    """Objects, or ranges of them."""
    retries: int
    """Requests made again, besides those above, by this work or other work on the filesystem meanwhile."""
    bytes: int
    """What the gets asked for."""


@dataclass(frozen=True)
class ListingIssue:
    """Paths that listing did not read as data, or that deserve a word."""

    count: int
    examples: tuple[str, ...]
    """At most five paths."""


@dataclass(frozen=True)
class ListingReport:
    """What listing found and left out, and what it cost. Nothing vanishes without a count here."""

    files: int
    """Data files found."""
    directories_listed: int
    """Directory reads."""
    directories_cached: int
    """Directories that the listing cache remembered."""
    directories_pruned: int
    """Directories that a filter over partition keys made unnecessary to list."""
    files_pruned: int
    """Files listed, then dropped by a filter over partition keys."""
    stat_calls: int
    """Single looks at one path."""
    store_requests: StoreRequests
    """What that took, on a store."""
    recursive: bool
    """Whole subtrees were read by one request each, as object stores can."""
    known_prefixes: tuple[str, ...]
    """Directories that equalities over keys led to without a listing of those above them."""
    complete: bool
    """False where a limit ended the listing early."""
    issues: dict[str, ListingIssue]
    """By kind ("hidden", "zero_byte", ...); kinds that did not occur are absent."""
    text: str = field(repr=False)

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> "ListingReport":
        issues = {kind: ListingIssue(*entry) for kind, entry in raw.pop("issues").items()}
        requests = StoreRequests(**raw.pop("store_requests"))
        return cls(issues=issues, store_requests=requests, **raw)

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, fit for JSON."""
        out = {name: value for name, value in self.__dict__.items() if name not in ("issues", "text")}
        out["store_requests"] = self.store_requests.__dict__
        out["issues"] = {
            kind: {"count": issue.count, "examples": list(issue.examples)}
            for kind, issue in self.issues.items()
        }
        return out


@dataclass(frozen=True)
class CacheReport:
    """What a cache folder did for a dataset."""

    path: str | None
    """The file in the folder that is this dataset's; None: no cache, or the dataset was asked nothing yet."""
    files_known: int
    """Files that it knows."""
    files_used: int
    """How often it answered in place of a file."""
    files_added: int
    """Files that were written to it."""
    problem: str | None
    """Why it could not be read or written."""


@dataclass(frozen=True)
class ScanMetrics:
    """What a scan did so far."""

    files_opened: int
    footers_cached: int
    """Files whose footers were in memory or in the cache folder."""
    files_pruned: int
    """Files left out after their footers were read."""
    row_groups_read: int
    row_groups_pruned: int
    requests: int
    bytes_read: int
    rows_decoded: int
    rows_returned: int
    batches_returned: int
    peak_bytes: int
    """The most bytes that were charged to the memory budget at once."""
    store_requests: StoreRequests
    """Of reading, on a store."""
    planning_requests: StoreRequests
    """Of listing, inspecting and planning before it."""
    listing_report: ListingReport
    """Of the plan before it: what it left out unread, and why."""
    skipped: tuple[str, ...]
    """Files left out by ``on_missing`` or ``on_corrupt``, or because they are empty, each with the reason."""
    unseen_columns: tuple[str, ...]
    """Columns that are not read since inspection did not meet them, each with a file that has it. In JSON
    lines they are keys of the lines that were read."""

    @classmethod
    def _of(cls, raw: dict[str, Any]) -> "ScanMetrics":
        requests: dict[str, Any] = {
            name: StoreRequests(**raw.pop(name)) for name in ("store_requests", "planning_requests")
        }
        listing = ListingReport._of(raw.pop("listing_report"))
        return cls(listing_report=listing, **requests, **raw)


@dataclass(frozen=True)
class ColumnStatistics:
    """Statistics of a column. None where nothing is known. Bounds speak of values that are not null or
    NaN."""

    null_count: Figure[int] | None
    min: Figure[Any] | None
    max: Figure[Any] | None
    distinct_count: Figure[int] | None


class SortColumn(NamedTuple):
    """A column that rows are sorted by, in the words of :func:`pyarrow.compute.sort_indices`."""

    name: str
    order: Literal["ascending", "descending"] = "ascending"
    null_placement: Literal["at_start", "at_end"] = "at_end"


@dataclass(frozen=True)
class PlanFragment:
    """A file of a plan, or some of its row groups."""

    path: str
    size: int | None
    """Bytes; None if the listing did not tell."""
    partition_values: dict[str, Any]
    """The values of the partition keys that the path carries, as Python values."""
    row_groups: tuple[int, ...] | None
    """The row groups to read. None: decided when the file is opened."""
    num_rows: Figure[int] | None
    """Rows before filtering; None if not known."""
    columns: dict[str, ColumnStatistics] | None
    """Statistics by column of the table; None unless the plan was made with ``column_statistics=True``."""
    ordering: tuple[SortColumn, ...]
    """Columns of the table that its rows are sorted by, as its file declares. Empty where that is not known,
    or the plan was made without ``column_statistics=True``."""


@dataclass(frozen=True)
class PlanStatistics:
    """Statistics of what a plan reads, before filtering. None where nothing is known."""

    num_rows: Figure[int] | None
    total_bytes: Figure[int] | None
    columns: dict[str, ColumnStatistics]
    """By column; nothing is known of any unless the plan was made with ``column_statistics=True``."""
