"""Parquet files in memory, and the tables that tests put on stores."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from store import Store


def parquet(table: pa.Table, **options: object) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def numbers(begin: int, end: int) -> bytes:
    """One column `x` with the numbers from `begin` to before `end`."""
    return parquet(pa.table({"x": pa.array(range(begin, end), pa.int64())}))


DAYS, HOURS, FILES, ROWS = 4, 3, 12, 5
SCHEMA = pa.schema([("x", pa.int64()), ("date", pa.string()), ("hour", pa.int32())])


def put_days(store: Store, root: str = "days") -> int:
    """In each of DAYS days and HOURS hours FILES files of ROWS rows; returns the number of files."""
    n = 0
    for day in range(DAYS):
        for hour in range(HOURS):
            for file in range(FILES):
                content = numbers(n * ROWS, (n + 1) * ROWS)
                store.put(f"{root}/date=2024-01-{day + 1:02}/hour={hour}/part-{file:02}.parquet", content)
                n += 1
    return n
