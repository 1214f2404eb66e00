"""Files that are left out on request, and empty files."""

from __future__ import annotations

import gc
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shoal
from files import numbers


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-20:-8] = b"\xff" * 12
    path.write_bytes(content)


@pytest.mark.parametrize("limit", [None, 5, 12, 25, 1000])
def test_skipping_works_with_every_limit(tmp_path: Path, limit: int | None) -> None:
    schema = pa.schema([("x", pa.int64())])
    root = numbers(tmp_path, 4)
    damage(root / "00.parquet")
    damage(root / "02.parquet")
    scan = shoal.open(root, schema=schema).scan(limit=limit, on_corrupt="skip")
    expected = [*range(10, 20), *range(30, 40)]
    assert scan.to_table()["x"].to_pylist() == expected[:limit]
    with pytest.raises(pa.ArrowInvalid, match=r"00\.parquet"):
        shoal.open(root, schema=schema).scan(limit=limit).to_table()


@pytest.mark.parametrize("inspect", [1, 2, 256])
def test_the_inspection_skips_what_the_scan_may_skip(tmp_path: Path, inspect: int) -> None:
    root = numbers(tmp_path, 4)
    damage(root / "00.parquet")
    damage(root / "02.parquet")
    dataset = shoal.open(root, inspect=inspect)
    scan = dataset.scan(on_corrupt="skip")
    assert scan.to_table()["x"].to_pylist() == [*range(10, 20), *range(30, 40)]
    skipped = sorted(scan.metrics.skipped)
    assert len(skipped) == 2 and "00.parquet" in skipped[0] and "02.parquet" in skipped[1]
    # A file whose columns may be missing is told of, whether its rows are wanted or not.
    few = dataset.scan(on_corrupt="skip", limit=1)
    assert few.to_table().num_rows == 1
    # Who does not ask for it gets the error, before and after.
    for ask in (dataset.count, lambda: dataset.scan().to_table()):
        with pytest.raises(pa.ArrowInvalid, match=r"0[02]\.parquet"):
            ask()


def test_an_inspection_of_which_no_file_is_left_is_an_error(tmp_path: Path) -> None:
    root = numbers(tmp_path, 2)
    damage(root / "00.parquet")
    damage(root / "01.parquet")
    with pytest.raises(pa.ArrowInvalid, match=r"00\.parquet"):
        shoal.open(root).scan(on_corrupt="skip").to_table()


@pytest.mark.parametrize("inspect", [1, 2, 256])
def test_strict_finds_empty_files_wherever_they_are(tmp_path: Path, inspect: int) -> None:
    root = numbers(tmp_path, 6)
    (root / "03.parquet").write_bytes(b"")
    lenient = shoal.open(root, inspect=inspect)
    assert lenient.count() == 50
    strict = shoal.open(root, inspect=inspect, strict={"zero_byte"})
    for ask in (strict.count, lambda: strict.scan().to_table(), strict.plan, lambda: strict.files):
        with pytest.raises(pa.ArrowInvalid, match=r"03\.parquet"):
            ask()


def test_a_reader_keeps_the_pool_that_its_scan_was_given(tmp_path: Path) -> None:
    root = numbers(tmp_path, 20, rows=1000)
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    reader = shoal.open(root).scan(memory_pool=pool, batch_size=100).to_reader()
    del pool
    gc.collect()
    assert sum(batch.num_rows for batch in reader) == 20000


def test_counting_leaves_out_the_rows_that_a_scan_leaves_out(tmp_path: Path) -> None:
    for name, xs in (("0", [1, 2, 3]), ("1", [4, 5, 6]), ("2", [7, 8, 9])):
        table = pa.table({"x": xs, "y": [7.5 + x for x in xs]})
        pq.write_table(
            table,
            tmp_path / f"{name}.parquet",
            compression="none",
            use_dictionary=False,
            write_page_checksum=True,
        )
    content = bytearray((tmp_path / "1.parquet").read_bytes())
    page = content.index(struct.pack("<d", 12.5))  # neither least nor greatest: no statistics have it
    content[page] ^= 1  # of y; its footer is as it was
    (tmp_path / "1.parquet").write_bytes(content)
    dataset = shoal.open(tmp_path)
    for columns, filter_, rows in (
        (None, None, 6),
        (["x"], None, 9),
        (["y"], None, 6),
        (None, "x > 1", 5),
        (["x"], "x > 1", 8),
        (["x"], "y > 1.0", 6),
    ):
        scan = dataset.scan(columns, filter_, on_corrupt="skip")
        assert scan.to_table().num_rows == rows
        assert scan.count() == rows, (columns, filter_)
        limited = dataset.scan(columns, filter_, on_corrupt="skip", offset=1, limit=3)
        assert limited.count() == limited.to_table().num_rows
    assert dataset.count() == 9  # from footers, without the option


def test_questions_that_skip_find_the_schema_in_the_other_files(tmp_path: Path) -> None:
    root = numbers(tmp_path, 3)
    damage(root / "01.parquet")
    for columns in (["x"], [], None):
        scan = shoal.open(root).scan(columns, on_corrupt="skip")
        assert scan.schema.names == (["x"] if columns is None else columns)
        assert scan.count() == shoal.open(root).scan(columns, on_corrupt="skip").count() == 20
        assert scan.to_table().num_rows == 20
        with pytest.raises(pa.ArrowInvalid, match=r"01\.parquet"):
            shoal.open(root).scan(columns).count()
    with pytest.raises(pa.ArrowInvalid, match="no column `y`"):
        shoal.open(root).scan(["y"], on_corrupt="skip").count()


def test_a_file_whose_folder_became_a_file_is_missing(tmp_path: Path) -> None:
    for k in (1, 2):
        (tmp_path / f"k={k}").mkdir()
        pq.write_table(pa.table({"x": [k]}), tmp_path / f"k={k}" / "f.parquet")
    dataset = shoal.open(tmp_path)
    assert dataset.count() == 2
    (tmp_path / "k=1" / "f.parquet").unlink()
    (tmp_path / "k=1").rmdir()
    (tmp_path / "k=1").write_text("a file")
    scan = dataset.scan(on_missing="skip")
    assert scan.to_table()["x"].to_pylist() == [2]
    assert scan.count() == 1
    with pytest.raises(OSError, match=r"k=1/f\.parquet"):
        dataset.to_table()
