"""Tables on disk, and what plain pyarrow says of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Columns = Mapping[str, Any] | pa.Table


def write(path: Path, columns: Columns, **options: Any) -> Path:
    """One Parquet file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(dict(columns)), path, **options)
    return path


def numbers(root: Path, files: int, rows: int = 10, **options: Any) -> Path:
    """``root/00.parquet`` ...: one column `x`, which counts the rows of the whole table."""
    for i in range(files):
        write(root / f"{i:02}.parquet", {"x": range(i * rows, (i + 1) * rows)}, **options)
    return root


def hive(root: Path, key: str, values: list[str]) -> Path:
    """``root/<key>=<value>/f.parquet``: one row each, whose `x` is the value's place in the list."""
    for i, value in enumerate(values):
        write(root / f"{key}={value}" / "f.parquet", {"x": [i]})
    return root


FLIGHTS_YEARS, FLIGHTS_MONTHS = (2023, 2024), (1, 2, 3)


def flights(root: Path) -> Path:
    """``year=/month=`` folders with two files each of 20 rows: integers, floats with NaN, text and nulls."""
    row = 0
    for year in FLIGHTS_YEARS:
        for month in FLIGHTS_MONTHS:
            for part in "ab":
                at = range(row, row + 20)
                row += 20
                table = pa.table(
                    {
                        "id": pa.array(at, pa.int64()),
                        "delay": pa.array(
                            [None if i % 7 == 3 else i * 37 % 101 - 40 for i in at], pa.int32()
                        ),
                        "distance": pa.array(
                            [float("nan") if i % 11 == 5 else i * 13 % 29 / 2 for i in at], pa.float64()
                        ),
                        "carrier": pa.array(
                            [None if i % 13 == 7 else ["UA", "AA", "DL", "B6"][i % 4] for i in at]
                        ),
                    }
                )
                write(root / f"year={year}" / f"month={month}" / f"{part}.parquet", table, row_group_size=7)
    return root


def read_all(root: Path, keys: Mapping[str, Callable[[str], Any]] | None = None) -> pa.Table:
    """All files in the order of their paths, each read by pyarrow.parquet alone, with the keys of
    ``key=value`` folders as columns; `keys` says how to read their values (int32 if it does not)."""
    parts = []
    for path in sorted(root.rglob("*.parquet"), key=os.fsencode):
        table = pq.ParquetFile(path).read()
        for folder in path.relative_to(root).parts[:-1]:
            key, _, text = folder.partition("=")
            value = keys[key](text) if keys and key in keys else pa.scalar(int(text), pa.int32())
            table = table.append_column(key, pa.array([value.as_py()] * table.num_rows, value.type))
        parts.append(table)
    return pa.concat_tables(parts)


def same(found: pa.Table, expected: pa.Table) -> None:
    """Same columns, same types and the same rows in the same order; NaN is equal to itself."""
    assert found.schema.remove_metadata().equals(expected.schema.remove_metadata()), (
        f"{found.schema}\n\nis not\n\n{expected.schema}"
    )
    found.validate(full=True)
    for name in expected.column_names:
        assert repr(found[name].to_pylist()) == repr(expected[name].to_pylist()), name
    assert found.num_rows == expected.num_rows
