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
    assert scan.metrics.unseen_columns == (
        f"column 'b' of '{drifted}/b.parquet'",
        f"column 's.y' of '{drifted}/c.parquet'",
    )


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


def test_a_key_that_no_inspected_path_had_is_in_the_reports(tmp_path: Path) -> None:
    write(tmp_path / "a=1" / "f.parquet", {"v": [1]})
    write(tmp_path / "a=2" / "k=7" / "f.parquet", {"v": [2]})
    dataset = shoal.open(tmp_path, inspect="first")
    issue = dataset.plan().listing_report.issues["unseen_column"]
    assert issue.examples == (f"{tmp_path}/a=2/k=7/f.parquet (key 'k')",)
    scan = dataset.scan()
    assert scan.to_table().num_rows == 2
    assert scan.metrics is not None
    assert scan.metrics.unseen_columns == (f"{tmp_path}/a=2/k=7/f.parquet (key 'k')",)
    strict = shoal.open(tmp_path, inspect="first", strict=["unseen_column"])
    with pytest.raises(pa.ArrowInvalid, match="carries the key 'k', which no inspected path had"):
        strict.scan().to_table()


@pytest.mark.parametrize("late", ["07", "+7", "-0"])
def test_a_key_that_the_inferred_integer_would_alter_is_an_error(tmp_path: Path, late: str) -> None:
    for i, value in enumerate(("1", "2", "3", late)):
        write(tmp_path / f"part{i}" / f"code={value}" / "f.parquet", {"v": [1]})
    dataset = shoal.open(tmp_path, inspect="first")
    with pytest.raises(pa.ArrowInvalid, match=r"which as int32 would be .*declare the key"):
        dataset.scan().to_table()
    with pytest.raises(pa.ArrowInvalid, match="which as int32 would be"):
        dataset.count(filter="code = 7")
    declared = shoal.open(
        tmp_path, partitioning=shoal.partitioning(pa.schema({"code": pa.int32()}), flavor="hive")
    )
    assert declared.count() == 4
    assert late in shoal.open(tmp_path, inspect="all").scan().to_table()["code"].to_pylist()


def test_files_that_say_nothing_do_not_use_up_the_sample(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"f{i:02}.parquet").touch()
    write(tmp_path / "f20.parquet", {"v": [1]})
    assert shoal.open(tmp_path, inspect=4).scan().to_table().num_rows == 1
    for i in range(40):
        (tmp_path / f"f{i:02}.parquet").write_bytes(b"")
    with pytest.raises(pa.ArrowInvalid, match="There are no data files"):
        shoal.open(tmp_path, inspect=4).schema  # noqa: B018


def test_paths_that_do_not_fit_do_not_use_up_the_sample(tmp_path: Path) -> None:
    for i in range(40):
        write(tmp_path / "x" / f"f{i:02}.parquet", {"v": [0]})
    write(tmp_path / "x" / "f20x" / "g.parquet", {"v": [1]})
    dataset = shoal.open(tmp_path, partitioning=shoal.partitioning(["k", "m"]), inspect=4)
    assert dataset.scan(["v"]).to_table()["v"].to_pylist() == [1]


def test_a_late_file_without_a_column_that_has_no_nulls_is_an_error_of_every_question(tmp_path: Path) -> None:
    no_nulls = pa.schema([pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.int64())])
    write(tmp_path / "0.parquet", pa.table({"a": [1], "b": [1]}, schema=no_nulls))
    write(tmp_path / "1.parquet", {"b": [2]})
    dataset = shoal.open(tmp_path, inspect="first")
    for ask in (
        dataset.count,
        lambda: dataset.count("b > 1"),
        dataset.scan(["b"]).to_table,
        dataset.to_table,
    ):
        with pytest.raises(pa.ArrowInvalid, match=r"1\.parquet.*`a`.*inspect all files"):
            ask()
    whole = shoal.open(tmp_path)
    assert whole.schema.field("a").nullable
    assert whole.to_table()["a"].to_pylist() == [1, None]
    write(tmp_path / "1.parquet", pa.table({"b": pa.array([], pa.int64())}))
    empty = shoal.open(tmp_path, inspect="first")
    assert empty.count() == empty.to_table().num_rows == 1
