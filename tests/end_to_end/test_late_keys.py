"""Keys of JSON lines that inspection did not meet: they are not read, and never lost without a word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
from cli_program import failure_of, output_of
from cli_program import shoal as run

LATE = 30_000  # the line with the late keys
ROWS = 40_000
STRICT = ["unseen_column"]


def lines(late: dict[str, Any]) -> str:
    """More than is looked at for types, so that `late` is not."""
    rows = [{"i": i, "s": {"x": i}, "text": "x" * 60} for i in range(ROWS)]
    rows[LATE] |= late
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("late") / "a.jsonl"
    path.write_text(lines({"late": 1, "s": {"x": 1, "y": {"z": 2}}}))
    return str(path)


def unseen(scan: shoal.Scan) -> tuple[str, ...]:
    assert scan.metrics is not None
    return scan.metrics.unseen_columns


@pytest.mark.parametrize("columns", [None, ["i"], ["text"], {"x": pc.field("s", "x")}])
def test_they_are_in_the_report_whatever_is_asked_for(late: str, columns: Any) -> None:
    dataset = shoal.open(late)
    assert dataset.schema.names == ["i", "s", "text"]
    for workers in (0, 1, 4):
        scan = dataset.scan(columns, workers=workers)
        assert scan.to_table().num_rows == ROWS
        assert unseen(scan) == (f"column 'late' of '{late}'", f"column 's.y' of '{late}'")
    assert dataset.count() == ROWS


def test_a_scan_that_reads_all_keys_reports_none(late: str, tmp_path: Path) -> None:
    dataset = shoal.open(late, format=shoal.JsonFormat(infer="all"), strict=STRICT)
    scan = dataset.scan(["late"], filter="late = 1")
    assert scan.to_table().to_pydict() == {"late": [1]}
    assert unseen(scan) == ()
    # A declared schema names what is wanted, and misses nothing else.
    declared = shoal.open(late, schema=pa.schema({"i": pa.int64()}), strict=STRICT).scan()
    assert declared.to_table().num_rows == ROWS
    assert unseen(declared) == ()


@pytest.mark.parametrize("workers", [0, 1, 4])
def test_strict_makes_them_errors_with_file_key_and_remedy(late: str, workers: int) -> None:
    dataset = shoal.open(late, strict=STRICT)
    said = (
        rf"{late}' has rows with the key 's\.y', which inspection did not meet\. Inspect .*infer=\"all\""
        r".*declare the schema.*strict"
    )
    for ask in (
        lambda: dataset.scan(workers=workers).to_table(),
        lambda: dataset.scan(["i"], workers=workers).to_table(),
        lambda: dataset.scan(["i"], filter="i < 10", workers=workers).to_table(),
        lambda: dataset.scan(workers=workers, on_corrupt="skip").to_table(),
        lambda: dataset.count(),
        lambda: dataset.count(filter="i < 10"),
    ):
        with pytest.raises(pa.ArrowInvalid, match=said):
            ask()


@pytest.mark.parametrize("workers", [0, 4])
@pytest.mark.parametrize("batch_size", [7, 100_000])
def test_a_limit_meets_them_where_its_rows_are_however_it_is_read(
    late: str, workers: int, batch_size: int
) -> None:
    dataset = shoal.open(late, strict=STRICT)
    read = {"workers": workers, "batch_size": batch_size}
    assert dataset.scan(["i"], limit=LATE, **read).to_table().num_rows == LATE
    with pytest.raises(pa.ArrowInvalid, match=r"the key 's\.y'"):
        dataset.scan(["i"], limit=LATE + 1, **read).to_table()
    assert dataset.scan(["i"], filter=f"i >= {LATE - 3}", limit=3, **read).to_table()["i"].to_pylist() == [
        LATE - 3,
        LATE - 2,
        LATE - 1,
    ]
    with pytest.raises(pa.ArrowInvalid, match=r"the key 's\.y'"):
        dataset.scan(["i"], filter=f"i >= {LATE - 3}", limit=4, **read).to_table()


def test_files_that_nobody_inspected_report_their_keys(tmp_path: Path) -> None:
    for name, row in [("a", {"a": 1}), ("b", {"a": 2, "b": 1}), ("c", {"a": 3, "b": 1, "c": [{"d": 1}]})]:
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    dataset = shoal.open(tmp_path, inspect="first")
    scan = dataset.scan()
    assert scan.to_table().to_pydict() == {"a": [1, 2, 3]}
    assert unseen(scan) == (f"column 'b' of '{tmp_path}/b.jsonl'", f"column 'c' of '{tmp_path}/c.jsonl'")
    with pytest.raises(pa.ArrowInvalid, match=r"b\.jsonl' has rows with the key 'b'"):
        shoal.open(tmp_path, inspect="first", strict=STRICT).count()


def test_keys_that_paths_carry_are_known(tmp_path: Path) -> None:
    for k in ("1", "2"):
        (tmp_path / f"k={k}").mkdir()
        (tmp_path / f"k={k}" / "a.jsonl").write_text(
            json.dumps({"a": 1} | ({"k": 2} if k == "2" else {})) + "\n"
        )
    dataset = shoal.open(tmp_path, inspect="first", strict=STRICT)
    assert dataset.scan().to_table().to_pydict() == {"a": [1, 1], "k": [1, 2]}


def test_a_report_is_bounded_where_data_stands_in_place_of_keys(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "b.jsonl").write_text("".join(f'{{"key{i:05}": 1}}\n' for i in range(5000)))
    scan = shoal.open(tmp_path, inspect="first").scan()
    assert scan.to_table().num_rows == 5001
    assert len(unseen(scan)) == 101
    assert unseen(scan)[0] == f"column 'key00000' of '{tmp_path}/b.jsonl'"
    assert unseen(scan)[-1] == "each of more columns that are not named here"


def test_a_plan_that_travels_keeps_its_strictness(late: str) -> None:
    for strict in ([], STRICT):
        plan = shoal.ScanPlan.from_json(shoal.open(late, strict=strict).plan().to_json())
        if strict:
            with pytest.raises(pa.ArrowInvalid, match=r"the key 's\.y'"):
                plan.to_table()
        else:
            assert plan.to_table().num_rows == ROWS


def test_the_program_says_so_on_standard_error(late: str) -> None:
    ended = run("scan", late, "--columns", "i", "--to", "csv")
    assert ended.status == 0
    assert ended.text.count("\n") == ROWS + 1
    assert ended.err.splitlines() == [
        f"shoal: warning: column '{name}' of '{late}' is not read, since inspection did not meet it: "
        "--inspect all reads it, and with --infer all each key of JSON lines"
        for name in ("late", "s.y")
    ]
    assert "column 'late'" in run("head", late, "--limit", ROWS, "--json").err
    assert f"not read    column 'late' of '{late}'" in run("count", late, "--stats").err
    assert "has rows with the key 's.y'" in failure_of("count", late, "--strict=unseen_column")
    assert output_of("count", late, "--strict", "--format", "json", "--infer", "all") == f"{ROWS}\n"
