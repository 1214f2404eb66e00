"""What the inspection of a few files could not know of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
import shoal
from files import write


@pytest.fixture
def drifted(tmp_path: Path) -> Path:
    """Two files more than the first has columns: `b`, and `y` inside `s`."""
    s = pa.array([{"x": 1}])
    write(tmp_path / "a.parquet", pa.table({"a": [1], "s": s}))
    write(tmp_path / "b.parquet", pa.table({"a": [2], "s": s, "b": ["lost"]}))
    write(tmp_path / "c.parquet", pa.table({"a": [3], "s": pa.array([{"x": 1, "y": 2}])}))
    return tmp_path


def test_a_column_that_no_inspected_file_had_is_in_the_reports(drifted: Path) -> None:
    dataset = shoal.open(drifted, inspect="first")
    assert dataset.schema.names == ["a", "s"]
    issue = dataset.plan().listing_report.issues["unseen_column"]
    assert issue.count == 2
    assert issue.examples == (f"{drifted}/b.parquet (column 'b')", f"{drifted}/c.parquet (column 's.y')")
    assert "unseen_column" in dataset.scan().explain()
    scan = dataset.scan()
    assert scan.to_table().num_rows == 3
    assert scan.metrics is not None
    assert scan.metrics.unseen_columns == (f"'b' in '{drifted}/b.parquet'", f"'s.y' in '{drifted}/c.parquet'")


def test_strict_makes_it_an_error_wherever_the_file_is_read(drifted: Path) -> None:
    dataset = shoal.open(drifted, inspect="first", strict=["unseen_column"])
    for ask in (dataset.plan, dataset.count, dataset.stats, lambda: dataset.scan().to_table()):
        with pytest.raises(
            pa.ArrowInvalid, match=r"b\.parquet' has the column 'b', which no inspected file had"
        ):
            ask()
    plan = shoal.open(drifted, inspect="first", strict=["unseen_column"]).plan(collect_statistics=False)
    assert json.loads(plan.to_json())["strict_columns"] is True


def test_nothing_is_unseen_where_all_is_inspected_or_declared(drifted: Path) -> None:
    assert "unseen_column" not in shoal.open(drifted, strict=True).plan().listing_report.issues
    declared = shoal.open(drifted, schema=pa.schema({"a": pa.int64()}), strict=["unseen_column"])
    assert declared.scan().to_table().num_rows == 3
    assert "unseen_column" not in declared.plan().listing_report.issues
