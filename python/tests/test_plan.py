"""Plans: what they say, what they prune, how they travel."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
from files import numbers, same, write
from filesystems import Handler


def test_fragments_are_files_with_their_keys(flights: Path) -> None:
    plan = shoal.open(flights).plan(filter="year = 2024 and month < 3")
    assert len(plan.fragments) == 4
    first, last = plan.fragments[0], plan.fragments[-1]
    assert first.path == f"{flights}/year=2024/month=1/a.parquet"
    assert first.size == Path(first.path).stat().st_size
    assert first.partition_values == {"year": 2024, "month": 1}
    assert first.row_groups == (0, 1, 2)
    assert first.num_rows == (20, True)
    assert last.partition_values == {"year": 2024, "month": 2}
    assert [piece.path for piece in plan.fragments] == [piece.path for piece in plan.fragments[:]]
    assert [piece.path[-9:] for piece in plan.fragments[::2]] == ["a.parquet", "a.parquet"]
    for place in (4, -5):
        with pytest.raises(IndexError):
            plan.fragments[place]
    assert repr(plan) == "<shoal.ScanPlan of 4 fragments>"


def test_without_statistics_no_footer_is_read(flights: Path) -> None:
    plan = shoal.open(flights, inspect="first").plan(filter="id > 200", collect_statistics=False)
    assert len(plan.fragments) == 12
    assert plan.fragments[0].row_groups is None
    assert plan.fragments[0].num_rows is None
    assert plan.prune_report["footers_read"] == plan.prune_report["footers_cached"] == 0
    assert plan.statistics.num_rows is None


def test_keys_that_a_path_lacks_are_not_among_its_values(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [0]})
    write(tmp_path / "k=1" / "b.parquet", {"x": [1]})
    write(tmp_path / "k=__HIVE_DEFAULT_PARTITION__" / "c.parquet", {"x": [2]})
    plan = shoal.open(tmp_path).plan()
    assert [piece.partition_values for piece in plan.fragments] == [{}, {"k": 1}, {"k": None}]


def test_row_groups_are_pruned_in_the_plan(flights: Path) -> None:
    plan = shoal.open(flights).plan(["id"], "id >= 236")
    (fragment,) = plan.fragments
    assert fragment.row_groups == (2,)
    assert fragment.num_rows == (6, True)
    assert plan.schema.names == ["id"]
    assert plan.prune_report["row_groups_kept"] == 1
    assert plan.prune_report["row_groups_seen"] == 36
    (conjunct,) = plan.prune_report["conjuncts"]
    assert conjunct["files_pruned"] == 11
    assert conjunct["limitation"] is None
    assert {piece["level"] for piece in plan.prune_report["pruned"]} == {
        "file statistics",
        "row group statistics",
    }
    same(plan.to_table(), pa.table({"id": range(236, 240)}))


def test_a_conjunct_that_can_not_prune_says_why(flights: Path) -> None:
    plan = shoal.open(flights).plan(filter="delay + distance > 3")
    (conjunct,) = plan.prune_report["conjuncts"]
    assert conjunct["limitation"]
    assert conjunct["limitation"] in str(plan)


def test_a_conjunct_that_pruned_nothing_says_why(flights: Path) -> None:
    dataset = shoal.open(flights)
    plan = dataset.plan(filter="year > 0 and id >= 0")
    keys, bounds = (each["limitation"] for each in plan.prune_report["conjuncts"])
    assert "keys of every path" in keys
    assert "statistics of every row group" in bounds
    assert f"pruned nothing: {keys}" in str(plan)
    (unread,) = dataset.plan(filter="id >= 0", collect_statistics=False).prune_report["conjuncts"]
    assert unread["limitation"] == "statistics are not read"
    none = dataset.plan(filter="year > 3000 and id >= 0").prune_report["conjuncts"]
    assert [each["limitation"] for each in none] == [None, "no file was left for it to judge"]


def test_statistics_are_honest(tmp_path: Path) -> None:
    nan = float("nan")
    write(
        tmp_path / "k=1" / "a.parquet", {"x": [1, None, 3], "f": [1.0, nan, 2.0], "s": ["a", "b", "z" * 9000]}
    )
    write(tmp_path / "k=2" / "b.parquet", {"x": [7, 8, None], "f": [0.5, 0.5, None], "s": ["c", "d", "e"]})
    statistics = shoal.open(tmp_path).plan(column_statistics=True).statistics
    assert statistics.num_rows == (6, True)
    x, s, k = (statistics.columns[name] for name in "xsk")
    assert (x.null_count, x.min, x.max) == ((2, True), (1, True), (8, True))
    assert (k.min, k.max, k.null_count) == ((1, True), (2, True), (0, True))
    assert s.max is None or s.max == ("z" * 9000, True) or not s.max.exact
    assert statistics.columns["f"].null_count == (1, True)
    unknown = shoal.ColumnStatistics(None, None, None, None)
    assert shoal.open(tmp_path).plan().statistics.columns == dict.fromkeys("xfsk", unknown)


def test_explain_names_levels_and_conjuncts(flights: Path) -> None:
    text = shoal.open(flights).explain(filter="year = 2023 and id < 5")
    assert text == str(shoal.open(flights).plan(filter="year = 2023 and id < 5"))
    assert text == shoal.open(flights).scan(filter="year = 2023 and id < 5").explain()
    assert "year" in text
    assert "id < 5" in text or "id" in text
    assert "year=2023/month=1/a.parquet" in text


def test_a_plan_is_a_value_and_can_be_read_often(flights: Path) -> None:
    plan = shoal.open(flights).plan(["id"], "month = 2", 30, 5)
    assert plan.to_table().equals(plan.to_table())
    assert plan.to_table()["id"].to_pylist() == plan.to_reader(batch_size=4).read_all()["id"].to_pylist()
    assert plan.to_table().num_rows == 30
    assert plan.to_table(workers=0, memory_budget=1).num_rows == 30


def test_plans_travel_as_json(flights: Path) -> None:
    dataset = shoal.open(flights)
    for columns, filter_, limit in [
        (None, None, None),
        (["id", "year"], "delay > 10 and month in (1, 3)", None),
        ({"late": "delay / 60"}, "carrier = 'UA'", 5),
        ([], "year = 2024", None),
    ]:
        plan = dataset.plan(columns, filter_, limit)
        again = shoal.ScanPlan.from_json(plan.to_json())
        assert list(again.fragments) == list(plan.fragments)
        assert again.schema == plan.schema
        same(again.to_table(), plan.to_table())
        assert again.to_json() == shoal.ScanPlan.from_json(again.to_json()).to_json()


def test_a_plan_runs_in_another_process(flights: Path, tmp_path: Path) -> None:
    plan = shoal.open(flights).plan(["id"], "month = 3 and delay is null")
    (tmp_path / "plan.json").write_text(plan.to_json())
    code = (
        "import sys, pathlib, shoal\n"
        "plan = shoal.ScanPlan.from_json(pathlib.Path(sys.argv[1]).read_text())\n"
        "print(plan.to_table()['id'].to_pylist())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "plan.json")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(plan.to_table()["id"].to_pylist())


def test_a_json_that_is_no_plan_is_refused() -> None:
    for text in [
        "",
        "{}",
        "[]",
        "not JSON",
        '{"shoal_plan": 99}',
        '{"shoal_plan": 1, "filesystem": "local"}',
    ]:
        with pytest.raises(pa.ArrowInvalid, match=r"(?i)plan"):
            shoal.ScanPlan.from_json(text)


def test_a_file_replaced_after_planning_is_an_error_that_names_it(tmp_path: Path) -> None:
    root = numbers(tmp_path, 2)
    plan = shoal.open(root).plan()
    write(root / "01.parquet", {"x": range(1000)})
    with pytest.raises(OSError, match=r"01\.parquet"):
        plan.to_table()
    (root / "01.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"01\.parquet"):
        plan.to_table()
    assert plan.to_table(on_missing="skip")["x"].to_pylist() == list(range(10))


def test_plans_hold_subtrees_by_their_whole_paths(flights: Path) -> None:
    filesystem = pafs.SubTreeFileSystem(str(flights), pafs.LocalFileSystem())
    plan = shoal.open("", filesystem=filesystem).plan(["id"], "year = 2024")
    again = shoal.ScanPlan.from_json(plan.to_json(), filesystem=filesystem)
    same(again.to_table(), plan.to_table())


def test_plans_over_filesystems_made_in_python_are_refused_with_the_way_out(tmp_path: Path) -> None:
    numbers(tmp_path, 1)
    filesystem = pafs.PyFileSystem(Handler())
    plan = shoal.open(str(tmp_path), filesystem=filesystem).plan()
    with pytest.raises(NotImplementedError, match=r"made in Python.*(URI|pyarrow\.fs)"):
        plan.to_json()
    assert plan.to_table().num_rows == 10
    assert plan.fragments[0].path.endswith("00.parquet")


def test_json_holds_no_python_objects(flights: Path) -> None:
    parsed = json.loads(shoal.open(flights).plan(filter="year = 2024").to_json())
    assert parsed["filesystem"] == "local"
    assert parsed["fragments"][0]["partition_values"] == {"year": "2024", "month": "1"}
    with pytest.raises(TypeError):
        pickle.dumps(shoal.open(flights).plan()._core)
