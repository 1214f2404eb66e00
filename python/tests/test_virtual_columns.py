"""Columns about files: their path, size and time of change, and the place of rows in them."""

from __future__ import annotations

import datetime
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.feather as feather
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
import shoal
import shoal.dataset as ds
from files import write

field = pc.field
ALL = ["x", "__filename", "__row_index", "__file_size", "__file_mtime", "__fragment_index"]


def write_stream(table: pa.Table, path: str) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)


def write_json(table: pa.Table, path: str) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


WRITERS: dict[str, Callable[[pa.Table, str], Any]] = {
    "parquet": lambda table, path: pq.write_table(table, path, row_group_size=700),
    "csv": pacsv.write_csv,
    "jsonl": write_json,
    "arrow": lambda table, path: feather.write_feather(
        table, path, chunksize=700, compression="uncompressed"
    ),
    "arrows": write_stream,
    "orc": lambda table, path: orc.write_table(table, path, stripe_size=4096),
}


def make(root: Path, ending: str, rows: tuple[int, ...] = (5000, 3, 2000)) -> pa.Table:
    """Files of a table, and the table with the virtual columns that it should have."""
    parts = []
    first = 0
    for number, n in enumerate(rows):
        folder = root / f"k={number}"
        folder.mkdir(parents=True)
        path = folder / f"f.{ending}"
        WRITERS[ending](pa.table({"x": pa.array(range(first, first + n), pa.int64())}), str(path))
        ns = 1_700_000_000_000_000_007 + number
        os.utime(path, ns=(ns, ns))
        parts.append(
            pa.table(
                {
                    "x": pa.array(range(first, first + n), pa.int64()),
                    "__filename": [str(path)] * n,
                    "__row_index": pa.array(range(n), pa.int64()),
                    "__file_size": pa.array([path.stat().st_size] * n, pa.int64()),
                    "__file_mtime": pa.array([ns] * n, pa.timestamp("ns", "UTC")),
                    "__fragment_index": pa.array([number] * n, pa.int64()),
                }
            )
        )
        first += n
    return pa.concat_tables(parts)


@pytest.mark.parametrize("ending", list(WRITERS))
def test_rows_know_their_file_and_their_place_in_it(tmp_path: Path, ending: str) -> None:
    expected = make(tmp_path, ending)
    dataset = shoal.open(str(tmp_path))
    assert dataset.schema.names == ["x", "k"]
    for options in ({}, {"workers": 0}, {"memory_budget": 1}, {"batch_size": 7}):
        got = dataset.scan(ALL, **options).to_table()
        assert got.equals(expected.cast(got.schema))
    unordered = dataset.scan(ALL, ordered=False).to_table().sort_by("x")
    assert unordered.equals(expected.cast(unordered.schema))
    no_data = dataset.scan(["__row_index", "__filename"]).to_table()
    assert no_data.equals(expected.select(["__row_index", "__filename"]).cast(no_data.schema))


@pytest.mark.parametrize("ending", list(WRITERS))
def test_filters_on_virtual_columns_give_the_rows_that_pass(tmp_path: Path, ending: str) -> None:
    expected = make(tmp_path, ending)
    dataset = shoal.open(str(tmp_path))
    path = expected["__filename"][0].as_py()
    random_rows = random.Random(1).sample(range(5000), 20)
    for filter in (
        field("__filename") == path,
        field("__filename") != path,
        pc.starts_with(field("__filename"), str(tmp_path)) & (field("__row_index") == 2),
        field("__row_index") < 1500,
        field("__row_index").isin(random_rows) & (field("x") > 100),
        ~(field("__row_index") >= 3) | (field("x") == 4000),
        field("__file_size") > 200,
        field("__fragment_index") == 2,
        (field("__fragment_index") > 0) | (field("x") == 7),
        field("__file_mtime") >= datetime.datetime(2023, 11, 14, tzinfo=datetime.UTC),
        (field("x") >= 4990) & (field("__row_index") < 4995),
    ):
        matching = expected.filter(filter)
        got = dataset.scan(ALL, filter).to_table()
        assert got.equals(matching.cast(got.schema)), filter
        assert dataset.scan(["x"], filter).to_table()["x"].to_pylist() == matching["x"].to_pylist(), filter
        assert dataset.count(filter) == len(matching), filter
        assert dataset.plan(["x"], filter).statistics.num_rows is not None
        window = dataset.scan(ALL, filter, 3, 1).to_table()
        assert window.equals(matching.slice(1, 3).cast(got.schema)), filter


def test_a_path_rules_out_files_before_they_are_opened(tmp_path: Path) -> None:
    expected = make(tmp_path, "parquet")
    path = expected["__filename"][0].as_py()
    dataset = shoal.open(str(tmp_path), schema=pa.schema({"x": pa.int64(), "k": pa.int32()}))
    plan = dataset.plan(["x"], field("__filename") == path, collect_statistics=False)
    assert [fragment.path for fragment in plan.fragments] == [path]
    scan = dataset.scan(["x"], field("__filename") == path)
    assert scan.to_table().num_rows == 5000
    assert scan.metrics.files_opened == 1
    late = dataset.scan(["x"], field("__file_mtime") < datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC))
    assert late.to_table().num_rows == 0
    assert late.metrics.files_opened == 0


def test_a_place_in_the_file_rules_out_row_groups(tmp_path: Path) -> None:
    make(tmp_path, "parquet")
    dataset = shoal.open(str(tmp_path))
    plan = dataset.plan(["x"], "__row_index >= 1400 and __row_index < 1500")
    assert [fragment.row_groups for fragment in plan.fragments] == [(2,), (2,)]


def test_a_plan_with_virtual_columns_travels(tmp_path: Path) -> None:
    expected = make(tmp_path, "parquet")
    plan = shoal.open(str(tmp_path)).plan(ALL, "__row_index > 1000")
    again = shoal.ScanPlan.from_json(plan.to_json()).to_table()
    assert again.equals(expected.filter(field("__row_index") > 1000).cast(again.schema))
    groups = plan.file_groups(2)
    assert sum(group.plan.to_table().num_rows for group in groups) == again.num_rows


def test_columns_of_the_table_come_before_virtual_ones_of_that_name(tmp_path: Path) -> None:
    pq.write_table(pa.table({"__filename": ["mine"], "x": [1]}), tmp_path / "a.parquet")
    dataset = shoal.open(str(tmp_path))
    assert dataset.scan(["__filename"]).to_table().to_pydict() == {"__filename": ["mine"]}
    renamed = shoal.open(str(tmp_path), virtual_columns={"filename": "path", "row_index": None})
    got = renamed.scan(["path", "__filename"]).to_table().to_pydict()
    assert got == {"path": [str(tmp_path / "a.parquet")], "__filename": ["mine"]}
    with pytest.raises(pa.ArrowInvalid, match="__row_index"):
        renamed.scan(["__row_index"]).to_table()
    with pytest.raises(ValueError, match="there is no column 'nope'"):
        shoal.open(str(tmp_path), virtual_columns={"nope": "x"})


def test_keys_of_such_a_name_keep_their_values(tmp_path: Path) -> None:
    (tmp_path / "__file_size=7").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "__file_size=7" / "a.parquet")
    dataset = shoal.open(str(tmp_path))
    assert dataset.scan(["__file_size", "__row_index"]).to_table().to_pydict() == {
        "__file_size": [7],
        "__row_index": [0],
    }


def test_shoal_dataset_has_them_too(tmp_path: Path) -> None:
    expected = make(tmp_path, "parquet")
    dataset = ds.dataset(str(tmp_path), format="parquet", partitioning="hive")
    got = dataset.to_table(columns=["x", "__filename"], filter=field("__row_index") == 2)
    assert got.equals(expected.filter(field("__row_index") == 2).select(["x", "__filename"]).cast(got.schema))


def test_stats_do_not_tell_of_virtual_columns(tmp_path: Path) -> None:
    make(tmp_path, "parquet")
    stats = shoal.open(str(tmp_path)).stats("__row_index < 700")
    assert list(stats.columns) == ["x", "k"]
    assert stats.num_rows.value == 700 + 3 + 700


def test_the_index_of_a_file_is_that_among_all_files_whatever_filters_leave(tmp_path: Path) -> None:
    for i in range(40):
        write(tmp_path / f"k={i:02}" / "f.parquet", {"x": [i]})
    for options in ({}, {"inspect": "first"}, {"schema": pa.schema({"x": pa.int64(), "k": pa.string()})}):
        for filter in ("k = '31'", "x = 31", "__fragment_index = 31"):
            dataset = shoal.open(str(tmp_path), **options)
            rows = dataset.scan(["x", "__fragment_index"], filter).to_table().to_pylist()
            assert rows == [{"x": 31, "__fragment_index": 31}], (options, filter)
        limited = shoal.open(str(tmp_path), **options).scan(["__fragment_index"], None, 2, 38).to_table()
        assert limited["__fragment_index"].to_pylist() == [38, 39]
    plan = dataset.plan(["x"], "__fragment_index in (3, 4)", collect_statistics=False)
    assert [fragment.path for fragment in plan.fragments] == dataset.files[3:5]
