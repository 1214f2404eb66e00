"""Scan: a question to a dataset, not yet answered."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal import _core
from shoal._checks import flag
from shoal._plan import ScanPlan
from shoal._report import ScanMetrics

if TYPE_CHECKING:
    import pyarrow.compute as pc


class BatchIterator(Iterator[pa.RecordBatch]):
    """The batches of a scan. Reading starts with the first one that is asked for.

    Leaving a loop over it early, :meth:`close`, or the end of a ``with`` block stops the reading at once,
    without reading the rest.
    """

    def __init__(self, scan: Scan) -> None:
        self._scan: Scan | None = scan
        self._stream: _core.Stream | None = None

    def __next__(self) -> pa.RecordBatch:
        if self._stream is None:
            if self._scan is None:
                raise StopIteration
            scan, self._scan = self._scan, None
            self._stream = scan._start()
        return next(self._stream)

    def close(self) -> None:
        """Stop reading. There are no more batches after that."""
        if self._stream is not None:
            self._stream.close()
        self._scan = self._stream = None

    def __enter__(self) -> BatchIterator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Scan:
    """Some rows and columns of a dataset, and how to read them. Made by :meth:`shoal.Dataset.scan`.

    Nothing is read before one of the methods asks for it, and each call reads anew. It speaks the Arrow
    PyCapsule protocol: ``polars.DataFrame(scan)``, ``duckdb.sql("from scan")``, ``pa.table(scan)``.
    """

    def __init__(
        self,
        dataset: _core.Dataset,
        request: _core.ScanRequest,
        options: _core.ScanOptions,
        *,
        filter: pc.Expression | None,
        all_columns: bool,
        all_rows: bool,
    ) -> None:
        self._dataset = dataset
        self._request = request
        self._options = options
        self._filter = filter
        self._all_columns = all_columns
        self._all_rows = all_rows  # no limit, no offset
        self._stream: _core.Stream | None = None
        self._metrics: ScanMetrics | None = None

    def _start(self) -> _core.Stream:
        self._stream = self._dataset.start(self._request, self._options)
        return self._stream

    @property
    def schema(self) -> pa.Schema:
        """The columns of the output. Reads what :attr:`shoal.Dataset.schema` reads, if that is not known
        yet."""
        if self._options.skips_corrupt:  # inspection skips as reading does; nothing is read yet
            return self._dataset.start(self._request, self._options).schema
        if self._all_columns and self._filter is None:
            return self._dataset.schema()
        return self._dataset.output_schema(self._request)

    def to_reader(self) -> pa.RecordBatchReader:
        """Start reading; the batches come as a pyarrow.RecordBatchReader. Closing or dropping it stops the
        reading."""
        return self._start().reader()

    def to_batches(self) -> BatchIterator:
        """The batches, none of them empty. Reading starts with the first one that is asked for."""
        return BatchIterator(self)

    def to_table(self) -> pa.Table:
        """All rows, in memory. The memory budget does not bound the table itself."""
        table, metrics = self._dataset.read(self._request, self._options)
        self._stream, self._metrics = None, ScanMetrics._of(metrics)
        return table

    def count(self) -> int:
        """The number of rows. Reads no data where footers, keys and statistics tell; with
        ``on_corrupt="skip"`` it reads what :meth:`to_table` reads, since only that finds damage."""
        reads = self._options.skips_corrupt and not self._all_columns
        if not self._all_columns and not reads:
            self._dataset.output_schema(self._request)  # a wrong name is an error here too
        if self._all_rows and not reads:
            return self._dataset.count(self._filter, self._options)
        return self._dataset.count_scan(self._request, self._options)

    def plan(
        self,
        *,
        collect_statistics: bool = True,
        column_statistics: bool = False,
        meta_fetch_concurrency: int | None = None,
    ) -> ScanPlan:
        """What would be read. See :meth:`shoal.Dataset.plan`."""
        return ScanPlan(
            self._dataset.plan(
                self._request,
                collect_statistics=flag("collect_statistics", collect_statistics),
                column_statistics=flag("column_statistics", column_statistics),
                meta_fetch_concurrency=meta_fetch_concurrency,
            )
        )

    def explain(self, *, collect_statistics: bool = True) -> str:
        """The plan as text. See :meth:`shoal.Dataset.explain`."""
        return str(self.plan(collect_statistics=collect_statistics))

    @property
    def metrics(self) -> ScanMetrics | None:
        """What the last reading through this object did, so far; None if there was none."""
        if self._stream is not None:
            return ScanMetrics._of(self._stream.metrics())
        return self._metrics

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<shoal.Scan, filter {self._filter}>" if self._filter is not None else "<shoal.Scan>"
