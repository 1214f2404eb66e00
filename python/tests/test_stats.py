"""Statistics of datasets, from keys and footers alone."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
from files import hive, write


def test_figures_are_those_of_the_rows(flights: Path) -> None:
    dataset = shoal.open(flights)
    table, stats = dataset.scan().to_table(), dataset.stats()
    assert stats.num_rows == (table.num_rows, True)
    for name in ("id", "delay", "year", "month"):
        column = stats.columns[name]
        low, high = pc.min_max(table[name]).as_py().values()
        assert (column.null_count, column.min, column.max) == (
            (table[name].null_count, True),
            (low, True),
            (high, True),
        )


def test_a_filter_over_keys_keeps_figures_exact(flights: Path) -> None:
    stats = shoal.open(flights).stats("year = 2024 and month < 3")
    assert stats.num_rows == (80, True)
    assert stats.columns["month"].max == (2, True)


def test_a_filter_over_data_makes_them_inexact(flights: Path) -> None:
    dataset = shoal.open(flights)
    stats = dataset.stats("id >= 230")
    assert stats.num_rows is not None
    assert not stats.num_rows.exact
    assert stats.num_rows.value >= dataset.count("id >= 230")


def test_no_claim_where_a_file_has_no_statistics(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1, None]})
    write(tmp_path / "b.parquet", {"x": [5, 9]}, write_statistics=False)
    column = shoal.open(tmp_path).stats().columns["x"]
    # Nulls are told by the levels of the pages as well.
    assert column.null_count == (1, True)
    assert (column.min, column.max) == (None, None)


def test_nan_is_no_bound(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [float("nan"), 1.0, 2.0]})
    column = shoal.open(tmp_path).stats().columns["x"]
    assert (column.min, column.max) == ((1.0, True), (2.0, True))


def test_null_keys_are_counted(tmp_path: Path) -> None:
    stats = shoal.open(hive(tmp_path, "k", ["1", "__HIVE_DEFAULT_PARTITION__", "3"])).stats()
    assert stats.columns["k"].null_count == (1, True)
    assert (stats.columns["k"].min, stats.columns["k"].max) == ((1, True), (3, True))


def test_errors_name_the_column(flights: Path) -> None:
    with pytest.raises((KeyError, pa.ArrowInvalid), match="nothing"):
        shoal.open(flights).stats("nothing > 1")
