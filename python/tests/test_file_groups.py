"""File groups: a plan divided among the partitions of an engine."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import shoal
from files import hive, numbers, write


def rows(groups: list[shoal.FileGroup]) -> list[int]:
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
    for options in ({"target_partitions": 0}, {"target_partitions": 2, "preserve_file_partitions": -1}):
        with pytest.raises((ValueError, pa.ArrowInvalid), match=list(options)[-1]):
            plan.file_groups(**options)
