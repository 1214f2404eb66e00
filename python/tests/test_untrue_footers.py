"""Footers and files that contradict themselves, or change."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow as pa
import pytest
import shoal
from files import numbers, write


def varint(value: int) -> bytes:
    zigzag, out = value << 1, b""
    while zigzag >= 0x80:
        out += bytes([zigzag & 0x7F | 0x80])
        zigzag >>= 7
    return out + bytes([zigzag])


def claim(path: Path, what: bytes, instead: bytes, count: int = 1) -> None:
    """Replaces bytes of the footer, at most `count` times, from its end on; it must hold them."""
    content = path.read_bytes()
    length = struct.unpack("<I", content[-8:-4])[0]
    data, footer = content[: -8 - length], content[-8 - length : -8]
    assert what in footer
    footer = instead.join(footer.rsplit(what, count))
    path.write_bytes(data + footer + struct.pack("<I", len(footer)) + b"PAR1")


@pytest.mark.parametrize("rows", [7, 123, 1 << 47])
def test_a_row_group_that_claims_other_rows_than_it_holds(tmp_path: Path, rows: int) -> None:
    path = write(tmp_path / "a.parquet", {"x": range(77), "y": range(77)})
    # RowGroup: num_rows is field 3, an i64, after total_byte_size.
    claim(path, b"\x16" + varint(77), b"\x16" + varint(rows))
    dataset = shoal.open(tmp_path)
    for ask in (dataset.count, lambda: dataset.scan([]).to_table(), lambda: dataset.scan(limit=2).to_table()):
        with pytest.raises(pa.ArrowInvalid, match=r"a\.parquet.*corrupt"):
            ask()


def test_an_emptied_file_is_no_file_without_rows(tmp_path: Path) -> None:
    dataset = shoal.open(numbers(tmp_path, 3))
    assert dataset.count() == 30
    (tmp_path / "01.parquet").write_bytes(b"")
    for ask in (dataset.count, lambda: dataset.scan().to_table()):
        with pytest.raises((OSError, pa.ArrowInvalid), match=r"01\.parquet.*changed"):
            ask()


@pytest.mark.parametrize("statistics", [True, False])
def test_a_plan_reads_files_as_they_were(tmp_path: Path, statistics: bool) -> None:
    plan = shoal.open(numbers(tmp_path, 3)).plan(collect_statistics=statistics)
    assert plan.to_table().num_rows == 30
    write(tmp_path / "01.parquet", {"x": range(500)})
    for again in (plan, shoal.ScanPlan.from_json(plan.to_json())):
        with pytest.raises((OSError, pa.ArrowInvalid), match=r"01\.parquet.*changed"):
            again.to_table()


def test_dictionaries_become_views(tmp_path: Path) -> None:
    words = pa.array(["a", "b", None, "a"])
    write(tmp_path / "a.parquet", {"x": words.dictionary_encode()})
    write(tmp_path / "b.parquet", {"x": words.cast(pa.string_view())})
    table = shoal.open(tmp_path).scan().to_table()
    assert table["x"].to_pylist() == words.to_pylist() * 2


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (pa.array([1e300]), pa.float32()),
        (pa.array([16777217.0]), pa.float32()),
        (pa.array([0, 2]), pa.bool_()),
        (pa.array([0.5]), pa.bool_()),
    ],
)
def test_a_declared_type_never_alters_a_value(
    tmp_path: Path, values: pa.Array, declared: pa.DataType
) -> None:
    write(tmp_path / "a.parquet", {"x": values})
    with pytest.raises(pa.ArrowInvalid, match=r"a\.parquet.*x"):
        shoal.open(tmp_path, schema=pa.schema([("x", declared)])).scan().to_table()


def test_a_declared_type_takes_what_it_holds(tmp_path: Path) -> None:
    write(
        tmp_path / "a.parquet", {"x": [1.5, float("nan"), -0.0, float("inf"), None], "y": [0, 1, None, 0, 1]}
    )
    schema = pa.schema([("x", pa.float32()), ("y", pa.bool_())])
    table = shoal.open(tmp_path, schema=schema).scan().to_table()
    assert str(table["x"].to_pylist()) == "[1.5, nan, -0.0, inf, None]"
    assert table["y"].to_pylist() == [False, True, None, False, True]
