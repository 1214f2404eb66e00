"""File groups: a plan divided among the partitions of an engine."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shoal
from files import hive, numbers, write


def rows(groups: Sequence[shoal.FileGroup]) -> list[int]:
    return [x for group in groups for x in group.plan.to_table()["x"].to_pylist()]


def test_groups_joined_are_the_table(tmp_path: Path) -> None:
    plan = shoal.open(numbers(tmp_path, 7)).plan(filter="x >= 5")
    for n in (1, 2, 3, 7, 100):
        groups = plan.file_groups(n)
        assert len(groups) == min(n, 7)
        assert rows(groups) == list(range(5, 70))
        assert sum(group.num_rows.value for group in groups if group.num_rows) == 70
        assert all(group.partition_values is None for group in groups)


def test_large_files_are_divided_between_row_groups(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": range(1000)}, row_group_size=100)
    plan = shoal.open(tmp_path).plan()
    assert len(plan.file_groups(4)) == 1
    for by in ("bytes", "rows"):
        groups = plan.file_groups(4, by, repartition_file_min_size=0)
        assert len(groups) == 4
        assert rows(groups) == list(range(1000))
        assert [len(group.fragments) for group in groups] == [1] * 4
    assert [group.num_rows for group in groups] == [(200, True), (300, True), (200, True), (300, True)]


def test_groups_by_partition_values_say_which_are_where(tmp_path: Path) -> None:
    left = shoal.open(hive(tmp_path / "left", "k", ["A", "B", "C"])).plan()
    right = shoal.open(hive(tmp_path / "right", "k", ["A", "C", "D"])).plan()
    joined = []
    for a in left.file_groups(2, by="partition_values"):
        for b in right.file_groups(2, by="partition_values"):
            common = [values for values in a.partition_values or [] if values in (b.partition_values or [])]
            if common:
                keys = a.plan.to_table().join(
                    b.plan.to_table(), "k", join_type="inner", right_suffix="_right"
                )
                joined += keys["k"].to_pylist()
                assert sorted(keys["k"].to_pylist()) == sorted(values["k"] for values in common)
    assert sorted(joined) == ["A", "C"]


def test_few_partition_values_are_not_kept_together(tmp_path: Path) -> None:
    plan = shoal.open(hive(tmp_path, "k", ["A", "B", "C"])).plan()
    assert plan.file_groups(2, preserve_file_partitions=4)[0].partition_values is None
    assert plan.file_groups(2, preserve_file_partitions=3)[0].partition_values == [{"k": "A"}, {"k": "C"}]


def test_a_group_travels_as_a_plan(tmp_path: Path) -> None:
    write(tmp_path / "k=1/a.parquet", {"x": range(100)}, row_group_size=10)
    plan = shoal.open(tmp_path).plan(filter="x >= 15")
    second = plan.file_groups(3, repartition_file_min_size=0)[1]
    there = shoal.ScanPlan.from_json(second.plan.to_json())
    assert there.to_table().equals(second.plan.to_table())
    again = shoal.ScanPlan.from_json(plan.to_json()).file_groups(3, repartition_file_min_size=0)
    assert [group.plan.to_table() for group in again] == [
        group.plan.to_table() for group in plan.file_groups(3, repartition_file_min_size=0)
    ]


def test_a_limit_speaks_of_the_whole(tmp_path: Path) -> None:
    plan = shoal.open(numbers(tmp_path, 4)).scan(limit=12, offset=6).plan()
    assert rows(plan.file_groups(4))[6:18] == list(range(6, 18))


def test_options_out_of_range_are_named(tmp_path: Path) -> None:
    plan = shoal.open(numbers(tmp_path, 1)).plan()
    with pytest.raises(ValueError, match="by must be 'bytes'"):
        plan.file_groups(2, by="files")
    with pytest.raises(ValueError, match="ordering must be a name"):
        plan.file_groups(2, "ordering", ordering=[("x", "upwards")])
    with pytest.raises(pa.ArrowInvalid, match="'y', which the table has not"):
        plan.file_groups(2, "ordering", ordering=["y"])
    with pytest.raises(pa.ArrowInvalid, match="needs split_file_groups_by_statistics"):
        plan.file_groups(2, ordering=["x"])
    for options in ({"target_partitions": 0}, {"target_partitions": 2, "preserve_file_partitions": -1}):
        with pytest.raises((ValueError, pa.ArrowInvalid), match=list(options)[-1]):
            plan.file_groups(**options)


def by_t(descending: bool = False) -> list[pq.SortingColumn]:
    return [pq.SortingColumn(0, descending)]


def sorted_files(root: Path, ranges: list[range], **options: Any) -> Path:
    for i, values in enumerate(ranges):
        write(root / f"{i}.parquet", {"t": values, "x": values}, sorting_columns=by_t(), **options)
    return root


def test_files_that_follow_each_other_are_read_in_their_order(tmp_path: Path) -> None:
    root = sorted_files(tmp_path, [range(20, 30), range(10), range(10, 20)])
    plan = shoal.open(root).plan(column_statistics=True)
    assert plan.fragments[0].ordering == (shoal.SortColumn("t"),)
    groups = plan.file_groups(1, "ordering")
    assert groups.output_ordering == groups[0].ordering == (("t", "ascending", "at_end"),)
    assert groups.ordering_limitation is None
    assert rows(groups) == list(range(30))
    assert [reader.read_all()["t"].to_pylist() for reader in groups.read()] == [list(range(30))]
    # A filter keeps the order; a projection may rename the column, or leave it out.
    renamed = shoal.open(root).scan({"when": "t", "x": "x"}, "x != 5").plan(column_statistics=True)
    assert renamed.file_groups(1, "ordering").output_ordering == (shoal.SortColumn("when"),)
    lacking = shoal.open(root).scan(["x"]).plan(column_statistics=True).file_groups(1, "ordering")
    assert lacking.output_ordering == ()
    assert lacking.ordering_limitation == "the output does not have the column 't' as it is"


def test_files_that_overlap_are_in_different_groups_or_nothing_is_declared(tmp_path: Path) -> None:
    root = sorted_files(tmp_path, [range(10), range(5, 15), range(15, 20)])
    plan = shoal.open(root).plan(column_statistics=True)
    two = plan.file_groups(2, "ordering")
    assert two.output_ordering == (shoal.SortColumn("t"),)
    assert [[f.path[-9:] for f in group.fragments] for group in two] == [
        ["0.parquet", "2.parquet"],
        ["1.parquet"],
    ]
    one = plan.file_groups(1, "ordering")
    assert one.output_ordering == ()
    assert "target_partitions = 1" in (one.ordering_limitation or "")


def test_row_groups_that_overlap_are_no_sorted_file(tmp_path: Path) -> None:
    values = [*range(5, 10), *range(5)]
    write(tmp_path / "a.parquet", {"t": values}, sorting_columns=by_t(), row_group_size=5)
    plan = shoal.open(tmp_path).plan(column_statistics=True)
    assert plan.fragments[0].ordering == ()
    # What a filter leaves of them can be.
    kept = shoal.open(tmp_path).plan(filter="t >= 5", column_statistics=True)
    assert kept.fragments[0].ordering == (shoal.SortColumn("t"),)


def test_large_sorted_files_are_divided_and_stay_sorted(tmp_path: Path) -> None:
    root = sorted_files(tmp_path, [range(1000)], row_group_size=100)
    plan = shoal.open(root).plan(column_statistics=True)
    groups = plan.file_groups(4, "ordering", repartition_file_min_size=0)
    assert len(groups) == 4
    assert groups.output_ordering == (shoal.SortColumn("t"),)
    assert rows(groups) == list(range(1000))
    first = groups[0].statistics
    assert first.num_rows == (len(groups[0].plan.to_table()), True)
    assert first.columns["t"].null_count == (0, True)
    assert first.columns["t"].max == (999, False)


def test_partition_keys_may_lead_an_order(tmp_path: Path) -> None:
    for k in (1, 2):
        sorted_files(tmp_path / f"k={k}", [range(5), range(5, 10)])
    plan = shoal.open(tmp_path).plan(column_statistics=True)
    groups = plan.file_groups(1, "ordering", ordering=[("k", "descending"), "t"])
    assert [column.name for column in groups.output_ordering] == ["k", "t"]
    table = groups[0].plan.to_table()
    assert table["k"].to_pylist() == [2] * 10 + [1] * 10
    assert table["t"].to_pylist() == [*range(10), *range(10)]
    both = plan.file_groups(2, "partition_values", split_file_groups_by_statistics=True)
    assert both.output_partitioning == ("k",)
    assert both.output_ordering == (shoal.SortColumn("t"),)


def test_floats_are_not_declared_sorted(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"t": [math.nan, 1.0, 2.0]}, sorting_columns=by_t())
    groups = shoal.open(tmp_path).plan(column_statistics=True).file_groups(1, "ordering")
    assert groups.output_ordering == ()
    assert groups.ordering_limitation is not None


def test_the_order_of_files_travels_and_their_bounds_do_not(tmp_path: Path) -> None:
    root = sorted_files(tmp_path, [range(10, 20), range(10)])
    plan = shoal.open(root).plan(column_statistics=True)
    there = shoal.ScanPlan.from_json(plan.to_json())
    assert there.fragments[0].ordering == plan.fragments[0].ordering
    assert there.fragments[0].columns is None
    assert there.file_groups(2, "ordering").output_ordering == (shoal.SortColumn("t"),)
    assert there.file_groups(1, "ordering").output_ordering == ()


def test_the_order_is_kept_with_the_footers(tmp_path: Path) -> None:
    root = sorted_files(tmp_path / "data", [range(10, 20), range(10)])
    past = time.time() - 60  # what has just been written is not kept
    for path in root.iterdir():
        os.utime(path, (past, past))
    for footers_read in (2, 0):
        plan = shoal.open(root, cache=str(tmp_path / "cache"), inspect=1).plan(column_statistics=True)
        assert plan.prune_report["footers_read"] <= footers_read
        assert plan.file_groups(1, "ordering").output_ordering == (shoal.SortColumn("t"),)


def test_statistics_of_groups_are_those_of_their_rows(tmp_path: Path) -> None:
    values = [[3, None, 1], [7, 5, 6], [None, None, None], [2, 9, None]]
    for i, column in enumerate(values):
        write(tmp_path / f"{i}.parquet", {"x": pa.array(column, pa.int64())})
    plan = shoal.open(tmp_path).plan(column_statistics=True)
    for group in plan.file_groups(2):
        x = group.plan.to_table()["x"]
        bounds = pc.min_max(x).as_py()
        known = group.statistics.columns["x"]
        assert (known.min, known.max) == ((bounds["min"], True), (bounds["max"], True))
        assert known.null_count == (x.null_count, True)
        assert group.statistics.num_rows == (len(x), True)
    assert plan.fragments[0].columns is not None
    assert plan.fragments[0].columns["x"].max == (3, True)
    assert shoal.open(tmp_path).plan().fragments[0].columns is None


def test_readers_take_what_is_ready_and_each_row_once(tmp_path: Path) -> None:
    plan = shoal.open(numbers(tmp_path, 20)).plan()
    for workers in (0, 2):
        for stealing in (True, False):
            readers = plan.file_groups(4).read(
                file_stream_work_stealing=stealing, workers=workers, batch_size=7
            )
            found: list[list[int]] = [[] for _ in readers]

            def take(i: int, readers: list[Any] = readers, found: list[list[int]] = found) -> None:
                for batch in readers[i]:
                    found[i] += batch["x"].to_pylist()

            threads = [threading.Thread(target=take, args=(i,)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(x for part in found for x in part) == list(range(200))
            assert all(part == sorted(part) for part in found)
    # One that is never read keeps nothing from the others, nor one that is closed.
    one, closed, _ = plan.file_groups(3).read()
    taken = closed.read_next_batch()["x"].to_pylist()
    closed.close()
    assert sorted(taken + one.read_all()["x"].to_pylist()) == list(range(200))


def test_what_is_declared_is_not_stolen(tmp_path: Path) -> None:
    plan = shoal.open(hive(tmp_path, "k", ["A", "B", "C"])).plan()
    groups = plan.file_groups(2, "partition_values")
    assert groups.output_partitioning == ("k",)
    last = groups.read()[1].read_all()
    assert last["k"].to_pylist() == ["B"]
    root = sorted_files(tmp_path / "sorted", [range(3)])
    ordered = shoal.open(root).plan(column_statistics=True).file_groups(2, "ordering")
    with pytest.raises(pa.ArrowInvalid, match="ordered is false"):
        ordered.read(ordered=False)


def test_what_is_declared_is_true_of_the_rows(tmp_path: Path) -> None:
    chance = random.Random(11)
    declared = 0
    for round in range(40):
        root = tmp_path / str(round)
        descending, nulls_first = chance.random() < 0.5, chance.random() < 0.5
        order = "descending" if descending else "ascending"
        null_placement = "at_start" if nulls_first else "at_end"
        step = chance.choice([2, 9, 10, 30])
        for i in range(chance.randint(1, 5)):
            start = chance.randint(0, 4) * step
            values = [
                None if chance.random() < 0.1 else f"{start + chance.randint(0, 9):03}" for _ in range(12)
            ]
            table = pa.table({"t": pa.array(values, pa.string()), "n": range(12)})
            indices = pc.sort_indices(table, [("t", order, null_placement)])
            write(
                root / f"k={i % 2}" / f"{i}.parquet",
                table.take(indices),
                sorting_columns=[pq.SortingColumn(0, descending, nulls_first)],
                row_group_size=chance.choice([4, 100]),
            )
        plan = shoal.open(root).plan(column_statistics=True)
        groups = plan.file_groups(chance.randint(1, 4), "ordering")
        assert sum(reader.read_all().num_rows for reader in groups.read()) == plan.statistics.num_rows[0]  # type: ignore[index]
        for group in groups:
            if groups.output_ordering:
                declared += 1
                table = group.plan.to_table()
                keys = [(c.name, c.order, c.null_placement) for c in groups.output_ordering]
                assert pc.sort_indices(table, keys).to_pylist() == list(range(len(table)))
    assert declared > 20
