"""Folders of files as one table: listed, pruned, scanned.

>>> import shoal
>>> flights = shoal.open("data/flights")
>>> flights.count("month = 6 and dep_delay > 60")
>>> flights.scan(["carrier", "dep_delay"], "month = 6").to_table()

`shoal.dataset` offers the same under the names of `pyarrow.dataset`.
"""

import pyarrow as _pyarrow

from shoal._built_for import PYARROW_MAJOR as _PYARROW_MAJOR

# The compiled module shares pyarrow's C++ libraries, whose binary interface changes with each major version.
if int(_pyarrow.__version__.split(".")[0]) != _PYARROW_MAJOR:
    raise ImportError(
        f"shoal was built for pyarrow {_PYARROW_MAJOR}, but pyarrow {_pyarrow.__version__} is installed: "
        f"run `pip install 'pyarrow=={_PYARROW_MAJOR}.*'` or rebuild shoal."
    )

from shoal import _core
from shoal._core import Partitioning
from shoal._dataset import Dataset, forget_listings, open
from shoal._file_scan import FileScan, FilterSupport, SchemaAdapter, TableConstraint
from shoal._formats import CsvFormat, JsonFormat
from shoal._partitioning import partitioning
from shoal._plan import FileGroup, FileGroups, ScanPlan
from shoal._report import (
    CacheReport,
    ColumnStatistics,
    Figure,
    ListingIssue,
    ListingReport,
    PlanFragment,
    PlanStatistics,
    ScanMetrics,
    SortColumn,
    StoreRequests,
)
from shoal._request import parse_filter
from shoal._scan import BatchIterator, Scan

__version__ = _core.version()

LISTING_ISSUES: tuple[str, ...] = tuple(_core.listing_issues())
"""The kinds of listing issues, as reports and the option ``strict`` name them."""

__all__ = [
    "LISTING_ISSUES",
    "BatchIterator",
    "CacheReport",
    "ColumnStatistics",
    "CsvFormat",
    "Dataset",
    "Figure",
    "FileGroup",
    "FileGroups",
    "FileScan",
    "FilterSupport",
    "JsonFormat",
    "ListingIssue",
    "ListingReport",
    "Partitioning",
    "PlanFragment",
    "PlanStatistics",
    "Scan",
    "ScanMetrics",
    "ScanPlan",
    "SchemaAdapter",
    "SortColumn",
    "StoreRequests",
    "TableConstraint",
    "__version__",
    "forget_listings",
    "open",
    "parse_filter",
    "partitioning",
]
