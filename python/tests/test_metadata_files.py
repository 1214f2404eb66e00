"""`_metadata` and `_common_metadata` as sources: what one file tells of a table."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
import shoal
import shoal.dataset as ds
from filesystems import Handler


def write(root: Path, keys: tuple[int, ...] = (1, 2, 3), common: bool = True) -> pa.Table:
    """`k=` folders with a file of three row groups each, and what is told of them; the rows in order."""
    collected: list[pq.FileMetaData] = []
    parts = []
    for key in keys:
        path = root / f"k={key}" / "f.parquet"
        path.parent.mkdir(parents=True)
        rows = pa.table({"x": pa.array(range(key * 100, key * 100 + 30), pa.int64()), "s": ["é"] * 30})
        pq.write_table(rows, path, row_group_size=10, metadata_collector=collected)
        collected[-1].set_file_path(f"k={key}/f.parquet")
        parts.append(rows.append_column("k", pa.array([key] * 30, pa.int32())))
    schema = parts[0].drop_columns("k").schema
    pq.write_metadata(schema, root / "_metadata", collected)
    if common:
        pq.write_metadata(schema, root / "_common_metadata")
    return pa.concat_tables(parts)


def test_one_file_tells_of_all(tmp_path: Path) -> None:
    expected = write(tmp_path)
    for source in (tmp_path / "_metadata", tmp_path / "_common_metadata"):
        dataset = shoal.open(source)
        assert dataset.to_table().equals(expected)
        assert dataset.files == [str(tmp_path / f"k={key}" / "f.parquet") for key in (1, 2, 3)]
        assert dataset.count() == 90
        assert dataset.count("k = 2 and x < 210") == 10
        plan = dataset.plan(filter="x >= 215 and x < 300")
        assert [(Path(f.path).parent.name, f.row_groups) for f in plan.fragments] == [("k=2", (1, 2))]
        assert plan.to_table().equals(expected.slice(45, 15))
        assert dataset.head(3).equals(expected.slice(0, 3))
        assert dataset.refresh().count() == 90


def test_nothing_else_is_opened_to_plan_and_count(tmp_path: Path) -> None:
    write(tmp_path)
    for key in (1, 2, 3):
        (tmp_path / f"k={key}" / "f.parquet").chmod(0)
        os.rename(tmp_path / f"k={key}" / "f.parquet", tmp_path / f"k={key}" / "gone")
    dataset = shoal.open(tmp_path / "_metadata")
    assert dataset.count() == 90
    assert dataset.count("k > 1") == 60
    assert dataset.stats().num_rows == (90, True)
    assert dataset.stats().columns["x"].min == (100, True)
    assert len(dataset.files) == 3
    with pytest.raises(FileNotFoundError, match=r"k=1/f\.parquet"):
        dataset.to_table()
    with pytest.raises(FileNotFoundError, match=r"k=2/f\.parquet"):
        dataset.plan(filter="k = 2")
    skipping = dataset.scan(on_missing="skip")
    assert skipping.to_table().num_rows == 0
    assert len(skipping.metrics.skipped) == 3


def test_a_file_that_is_not_what_the_summary_says_is_an_error(tmp_path: Path) -> None:
    write(tmp_path)
    dataset = shoal.open(tmp_path / "_metadata")
    path = tmp_path / "k=2" / "f.parquet"
    for other, how in (
        (pa.table({"x": range(31), "s": ["e"] * 31}), "has 4 row groups, not 3"),
        (pa.table({"x": range(28), "s": ["e"] * 28}), "has another row group 0"),
        (pa.table({"x": range(30), "s": ["longer than before" * (i % 7) for i in range(30)]}), "row group"),
    ):
        pq.write_table(other, path, row_group_size=10)
        with pytest.raises(OSError, match=rf"k=2/f\.parquet' .*{how}.*_metadata' tells of an older"):
            shoal.open(tmp_path / "_metadata").to_table()
    assert dataset.scan(filter="k = 1").to_table().num_rows == 30
    assert shoal.open(tmp_path).count() == 90


def test_a_plan_of_a_stale_summary_is_an_error(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "k=2" / "f.parquet"
    pq.write_table(pa.table({"x": range(28), "s": ["e"] * 28}), path, row_group_size=10)
    plan = shoal.open(tmp_path / "_metadata").plan(filter="x >= 215 and x < 300")
    with pytest.raises(OSError, match=r"k=2/f\.parquet' changed .*row group \d has"):
        plan.to_table()
    with pytest.raises(OSError, match=r"k=2/f\.parquet' changed .*row group \d has"):
        shoal.ScanPlan.from_json(plan.to_json()).to_table()
    path.write_bytes(b"")
    with pytest.raises(OSError, match=r"k=2/f\.parquet' changed .*it is empty now"):
        shoal.open(tmp_path / "_metadata").to_table()


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("../outside.parquet", "leads out of its folder"),
        ("k=1/../../outside.parquet", "leads out of its folder"),
        ("/etc/passwd", "not a path in its folder"),
        ("s3://bucket/x.parquet", "not a path in its folder"),
        (".", "is no path"),
    ],
)
def test_paths_that_leave_the_folder_are_refused(tmp_path: Path, named: str, why: str) -> None:
    collected: list[pq.FileMetaData] = []
    pq.write_table(pa.table({"x": [1]}), tmp_path / "outside.parquet", metadata_collector=collected)
    collected[0].set_file_path(named)
    (tmp_path / "table").mkdir()
    pq.write_metadata(pa.schema({"x": pa.int64()}), tmp_path / "table" / "_metadata", collected)
    with pytest.raises(pa.ArrowInvalid, match=why):
        shoal.open(tmp_path / "table" / "_metadata").to_table()


def test_summaries_that_tell_nothing_are_errors(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "_metadata")
    with pytest.raises(pa.ArrowInvalid, match="does not say which file its row group 0 is in"):
        shoal.open(tmp_path / "_metadata").to_table()
    (tmp_path / "_metadata").write_bytes(b"")
    with pytest.raises(pa.ArrowInvalid, match="is empty"):
        shoal.open(tmp_path / "_metadata").count()
    with pytest.raises(FileNotFoundError, match="_metadata"):
        shoal.open(tmp_path / "nowhere" / "_metadata").count()
    with pytest.raises(pa.ArrowInvalid, match="one source of several"):
        shoal.open([tmp_path / "_metadata", tmp_path / "other"])


def test_a_summary_of_no_files_is_an_empty_table(tmp_path: Path) -> None:
    schema = pa.schema({"x": pa.int64(), "s": pa.string()})
    pq.write_metadata(schema, tmp_path / "_metadata")
    table = shoal.open(tmp_path / "_metadata").to_table()
    assert table.schema.equals(schema)
    assert table.num_rows == 0


def test_columns_of_a_common_summary_are_the_tables(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": pa.array([1], pa.int32())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [2], "y": [0.5], "z": ["new"]}), tmp_path / "b.parquet")
    schema = pa.schema({"y": pa.float64(), "x": pa.int64()})
    pq.write_metadata(schema, tmp_path / "_common_metadata")
    scan = shoal.open(tmp_path / "_common_metadata").scan()
    assert scan.to_table().to_pydict() == {"y": [None, 0.5], "x": [1, 2]}
    assert "z" in str(scan.metrics.unseen_columns)


def test_filters_and_virtual_columns_work_on_summaries(tmp_path: Path) -> None:
    expected = write(tmp_path)
    dataset = shoal.open(tmp_path / "_metadata")
    got = dataset.scan(["x", "__filename", "__row_index", "__file_size"], "__row_index = 3").to_table()
    assert got["x"].to_pylist() == [103, 203, 303]
    assert got["__filename"].to_pylist() == dataset.files
    assert got["__file_size"].to_pylist() == [os.path.getsize(path) for path in dataset.files]
    assert dataset.count("s = 'é'") == expected.num_rows


def test_parquet_dataset_reads_one_file_to_know_the_table(tmp_path: Path) -> None:
    write(tmp_path)
    dataset = ds.parquet_dataset(tmp_path / "_metadata", partitioning="hive")
    assert dataset.count_rows() == 90
    assert len(list(dataset.get_fragments(ds.field("k") == 2))) == 1
    assert dataset.to_table(filter=ds.field("x") == 215).num_rows == 1
    assert ds.parquet_dataset(str(tmp_path / "_common_metadata")).schema.names == ["x", "s"]
    with pytest.raises(ValueError, match="is not called _metadata"):
        ds.parquet_dataset(tmp_path / "k=1" / "f.parquet")


def test_keys_of_a_summary_are_those_below_its_folder(tmp_path: Path) -> None:
    root = tmp_path / "above=7" / "table"
    write(root)
    named = ds.parquet_dataset(root / "_metadata", partitioning="hive")
    assert "above" not in named.schema.names
    by_place = ds.parquet_dataset(root / "_metadata", partitioning=["k"])
    assert by_place.to_table()["k"].unique().to_pylist() == ["k=1", "k=2", "k=3"]


def test_on_other_filesystems_nothing_is_listed(tmp_path: Path) -> None:
    write(tmp_path)
    opened = []

    def before(call: str, path: str) -> None:
        if call.startswith("open"):
            opened.append(path)

    handler = Handler(before=before)
    dataset = shoal.open(str(tmp_path / "_metadata"), filesystem=pafs.PyFileSystem(handler))
    assert dataset.count("k = 3") == 30
    assert handler.calls["list"] == 0
    assert opened == [str(tmp_path / "_metadata")]
