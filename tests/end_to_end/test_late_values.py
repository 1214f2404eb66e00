"""Values of text files that do not fit the types that inspection found (docs/adr/0006-types-of-text.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import shoal
from cli_program import failure_of, output_of

ROWS = 300_000  # more than is looked at for types
LATE = 200_000  # the row with the late value


def write(folder: Path, ending: str, late: Any) -> str:
    path = folder / f"a{ending}"
    values = [i % 10 for i in range(ROWS)]
    values[LATE] = late
    if ending == ".csv":
        path.write_text("i,v\n" + "".join(f"{i},{v}\n" for i, v in enumerate(values)))
    else:
        path.write_text("".join(json.dumps({"i": i, "v": v}) + "\n" for i, v in enumerate(values)))
    return str(path)


def whole(ending: str) -> Any:
    return shoal.CsvFormat(infer="all") if ending == ".csv" else shoal.JsonFormat(infer="all")


BOTH = pytest.mark.parametrize("ending", [".csv", ".jsonl"])


@BOTH
def test_a_question_is_answered_the_same_whatever_was_asked_before(tmp_path: Path, ending: str) -> None:
    dataset = shoal.open(write(tmp_path, ending, 0.5))
    schema = dataset.schema
    assert schema.field("v").type == pa.int64()
    for _ in range(2):
        head = dataset.scan(limit=3).to_table()
        assert head.schema == schema
        assert head["v"].to_pylist() == [0, 1, 2]
        with pytest.raises(pa.ArrowInvalid, match=rf"a\{ending}', line \d+.*0\.5.*infer=\"all\""):
            dataset.to_table()
        with pytest.raises(pa.ArrowInvalid, match=r"infer=\"all\""):
            dataset.count(filter="v = 3")
        assert dataset.count() == ROWS
        assert dataset.scan(["i"]).to_table().num_rows == ROWS
        assert dataset.schema == schema


@BOTH
@pytest.mark.parametrize("workers", [0, 1, 4])
@pytest.mark.parametrize("batch_size", [1000, 1_000_000])
def test_a_limit_meets_a_late_value_where_its_rows_are(
    tmp_path: Path, ending: str, workers: int, batch_size: int
) -> None:
    dataset = shoal.open(write(tmp_path, ending, 0.5))
    read = {"workers": workers, "batch_size": batch_size}
    assert dataset.scan(limit=LATE, **read).to_table().num_rows == LATE
    assert dataset.scan(["v"], filter=f"i >= {LATE - 2}", limit=2, **read).to_table().num_rows == 2
    for limited in (
        dataset.scan(limit=LATE + 1, **read),
        dataset.scan(["v"], filter=f"i >= {LATE - 2}", limit=3, **read),
    ):
        with pytest.raises(pa.ArrowInvalid, match=r"0\.5"):
            limited.to_table()


@BOTH
def test_inspection_of_all_values_widens_the_columns_of_all_files(tmp_path: Path, ending: str) -> None:
    write(tmp_path, ending, 0.5)
    (tmp_path / f"b{ending}").write_text("i,v\n1,2\n" if ending == ".csv" else '{"i": 1, "v": 2}\n')
    dataset = shoal.open(tmp_path, format=whole(ending))
    assert dataset.schema.field("v").type == pa.float64()
    assert dataset.count(filter="v = 0.5") == 1
    assert dataset.scan(limit=1).to_table()["v"].to_pylist() == [0.0]
    assert dataset.to_table()["v"].to_pylist()[-1] == 2.0


def test_text_widens_numbers_in_csv_and_is_an_error_in_json(tmp_path: Path) -> None:
    assert shoal.open(write(tmp_path, ".csv", "x"), format=whole(".csv")).count("v = 'x'") == 1
    with pytest.raises(pa.ArrowTypeError, match=r"a\.jsonl': column `v` has numbers and strings"):
        shoal.open(write(tmp_path, ".jsonl", "x"), format=whole(".jsonl")).to_table()


@BOTH
def test_the_program_says_what_to_do(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path, ending, 0.5)
    error = failure_of("count", path, "--where", "v = 3")
    assert 'infer types from all values (infer="all") of all files (inspect="all")' in error
    count = output_of(
        "count", path, "--where", "v = 3", "--infer", "all", "--format", "csv" if ending == ".csv" else "json"
    )
    assert int(count) == ROWS // 10
