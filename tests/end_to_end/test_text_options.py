"""How text files are named, encoded and written: what people write is understood or refused with a reason."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shoal
from cli_program import failure_of, output_of

NAMES = ["delimiter", "quote", "escape", "comment", "decimal_point"]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(NAMES, 2)))
def test_one_character_for_two_things_is_an_error_that_names_both(one: str, other: str) -> None:
    options: dict[str, Any] = {"delimiter": "|", one: ";", other: ";"}
    with pytest.raises(pa.ArrowInvalid, match=f"{other} is ';', and so is {one}"):
        shoal.open("x.csv", format=shoal.CsvFormat(**options)).schema  # noqa: B018


@pytest.mark.parametrize("name", NAMES[1:])
def test_the_delimiter_that_is_not_given_counts_too(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    option = "--" + name.replace("_", "-")
    error = failure_of("count", tmp_path, option, ",", status=2)
    assert f"{name} is ',', and so is delimiter: give another" in error
    assert f"{name} is a tab, and so is delimiter" in failure_of("count", tmp_path, option, "tab", status=2)
    assert output_of("count", tmp_path, option, ",", "--delimiter", ";") == "1\n"


def test_the_byte_order_mark_is_no_data_under_each_name_of_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for encoding in ("utf-8", "utf_8", "utf-8-sig", "utf_8_sig", "UTF8"):
        for text in ("é\nà\n".encode(), "é\nà\n".encode("utf-8-sig")):
            path.write_bytes(text)
            read = shoal.open(path, format=shoal.CsvFormat(encoding=encoding)).to_table()
            assert read.to_pydict() == {"é": ["à"]}


@pytest.mark.parametrize(
    "encoding", ["latin-1", "latin_1", "iso8859-15", "cp1252", "utf_16", "utf-16-le", "utf_32"]
)
def test_encodings_are_called_as_in_python(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("é\nà\n".encode(encoding))
    assert shoal.open(path, format=shoal.CsvFormat(encoding=encoding)).to_table().to_pydict() == {"é": ["à"]}


def test_endings_that_others_write(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2]})
    pq.write_table(table, tmp_path / "x.PQ")
    assert shoal.open(tmp_path).to_table() == table
    packed = {"csv": b"a\n1\n2\n", "json": b'{"a": 1}\n{"a": 2}\n', "jsonl": b'{"a": 1}\n{"a": 2}\n'}
    for name, text in packed.items():
        path = tmp_path / name / f"x.{name}.zstd"
        path.parent.mkdir()
        with pa.CompressedOutputStream(str(path), "zstd") as out:
            out.write(text)
        assert shoal.open(path.parent).to_table() == table
