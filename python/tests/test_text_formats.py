"""CSV and JSON lines: options, types, limits, plans."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import pickle
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
import shoal
import shoal.dataset as ds

field = pc.field


def put(path: Path, content: str | bytes) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def read(path: str, **options: Any) -> dict[str, list[Any]]:
    return shoal.open(path, **options).to_table().to_pydict()


# ---- options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("a;b\n1;0,5\n", {"delimiter": ";", "decimal_point": ","}, {"a": [1], "b": [0.5]}),
        ("a,b\n'1,2',3\n", {"quote": "'"}, {"a": ["1,2"], "b": [3]}),
        ('a,b\n"1,2"\n', {"quote": None}, {"a": ['"1'], "b": ['2"']}),
        ("a,b\n1\\,2,3\n", {"escape": "\\"}, {"a": ["1,2"], "b": [3]}),
        ("a\n1\n#2\n", {"comment": "#"}, {"a": [1]}),
        ("x\ny\na,b\n1,2\n", {"skip_rows": 2}, {"a": [1], "b": [2]}),
        ("1,2\n", {"header": False}, {"f0": [1], "f1": [2]}),
        ("v,v\n1,2\n", {"column_names": ["v", "w"]}, {"v": [1], "w": [2]}),
        ("a,b\nNA,-\n1,2\n", {"null_values": ["NA", "-"]}, {"a": [None, 1], "b": [None, 2]}),
        ('a,b\n,""\n', {}, {"a": [None], "b": [""]}),
        ('a,b\nx,""\n', {"quoted_null": True}, {"a": ["x"], "b": [None]}),
        ("a,b\nx,\n", {"string_null": False}, {"a": ["x"], "b": [None]}),
        ('a,b\n"1",2\n', {"quoted_text": True}, {"a": ["1"], "b": [2]}),
        ("a,b\nyes,no\n", {"true_values": ["yes"], "false_values": ["no"]}, {"a": [True], "b": [False]}),
        ("a\n1\n\n2\n", {}, {"a": [1, None, 2]}),
        ("a\n1\n\n2\n", {"skip_empty_lines": True}, {"a": [1, 2]}),
    ],
)
def test_options_of_csv(tmp_path: Path, text: str, options: dict[str, Any], expected: Any) -> None:
    path = put(tmp_path / "a.csv", text)
    opened = shoal.open(path, format=shoal.CsvFormat(**options))
    assert opened.to_table().to_pydict() == expected
    # Options go with a dataset to another process, and with its plans.
    assert pickle.loads(pickle.dumps(opened)).to_table().to_pydict() == expected
    plan = shoal.ScanPlan.from_json(opened.plan().to_json())
    assert plan.to_table().to_pydict() == expected


@pytest.mark.parametrize("encoding", ["latin1", "utf-16", "utf-16le", "utf-8"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = "name,n\n" + "".join(f"é{i},{i}\n" for i in range(1000))
    path = put(tmp_path / "a.csv", text.encode(encoding))
    packed = put(tmp_path / "b.csv.gz", gzip.compress(text.encode(encoding)))
    for file in (path, packed):
        table = shoal.open(file, format=shoal.CsvFormat(encoding=encoding)).to_table()
        assert table["name"].to_pylist() == [f"é{i}" for i in range(1000)]
        assert table["n"].to_pylist() == list(range(1000))


def test_tabs_in_files_named_so(tmp_path: Path) -> None:
    path = put(tmp_path / "t" / "a.tsv", "a\tb\n1\tx,y\n")
    put(tmp_path / "t" / "b.csv", 'a,b\n2,"z"\n')
    assert read(path) == {"a": [1], "b": ["x,y"]}
    assert read(str(tmp_path / "t")) == {"a": [1, 2], "b": ["x,y", "z"]}


def test_options_that_make_no_sense_are_named() -> None:
    with pytest.raises(pa.ArrowInvalid, match="quote is ';', and so is delimiter"):
        shoal.CsvFormat(delimiter=";", quote=";")
    with pytest.raises(pa.ArrowInvalid, match="encoding is 'nonesuch'"):
        shoal.CsvFormat(encoding="nonesuch")
    with pytest.raises(pa.ArrowInvalid, match="delimiter is"):
        shoal.CsvFormat(delimiter="ab")
    with pytest.raises(TypeError, match="null_values must be a list"):
        shoal.CsvFormat(null_values="NA")
    with pytest.raises(TypeError, match="format must be"):
        shoal.open("x", format=3)  # type: ignore[arg-type]


# ---- types -------------------------------------------------------------------------------------------------


def test_a_declared_schema_casts_each_value(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "a,b,c,d\n01,1.50,2024-01-02,x\n,2.25,,y\n")
    schema = pa.schema(
        [
            ("c", pa.timestamp("us")),
            ("b", pa.decimal128(9, 2)),
            ("a", pa.int8()),
            ("d", pa.dictionary(pa.int32(), pa.string())),
            ("e", pa.string()),
        ]
    )
    table = shoal.open(path, schema=schema).to_table()
    assert table.schema == schema
    assert table.to_pydict() == {
        "c": [datetime.datetime(2024, 1, 2), None],
        "b": [decimal.Decimal("1.50"), decimal.Decimal("2.25")],
        "a": [1, None],
        "d": ["x", "y"],
        "e": [None, None],
    }
    with pytest.raises(pa.ArrowInvalid, match=r"a\.csv', line 2: column 'd': .*'x'"):
        shoal.open(path, schema=pa.schema([("d", pa.int64())])).to_table()
    # Nothing is wrong with the file: it is not skipped.
    with pytest.raises(pa.ArrowInvalid, match=r"a\.csv', line 2"):
        shoal.open(path, schema=pa.schema([("d", pa.int64())])).scan(on_corrupt="skip").to_table()


def test_a_surprise_after_the_sample_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    text = "k,v\n" + "1,2\n" * 400_000
    at = len(text) // 2 // 4 * 4
    path = put(tmp_path / "a.csv", text[:at] + "1,x\n" + text[at:])
    dataset = shoal.open(path)
    assert dataset.schema.field("v").type == pa.int64()
    with pytest.raises(pa.ArrowInvalid, match=r"a\.csv', line \d+: column 'v': .*'x'.*infer=\"all\""):
        dataset.to_table()
    assert dataset.scan(["k"]).to_table().num_rows == 400_001
    mended = shoal.open(path, format=shoal.CsvFormat(infer="all"))
    assert mended.schema.field("v").type == pa.string()
    assert mended.count("v = 'x'") == 1
    assert mended.count() == 400_001


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.jsonl", "data"])
def test_types_are_inferred_from_all_whichever_the_format_is(tmp_path: Path, name: str) -> None:
    if name.startswith("a.csv"):
        text, late = "k,v\n" + "1,2\n" * (1_000_000 if name.endswith("gz") else 400_000), "1,x\n"
    else:
        text, late = '{"v": 2}\n' * 200_000, '{"v": 2.5}\n'
    at = text.index("\n", len(text) // 2) + 1
    content = (text[:at] + late + text[at:]).encode()
    path = put(tmp_path / name, gzip.compress(content, 0) if name.endswith("gz") else content)
    type = pa.string() if name.startswith("a.csv") else pa.float64()
    named: list[Any] = [None, "csv" if name.startswith("a.csv") else "json"]
    for format in [*named, *(["by_extension"] if "." in name else [])]:
        assert shoal.open(path, format=format).schema.field("v").type == pa.int64()
        dataset = shoal.open(path, format=format, infer="all")
        assert dataset.schema.field("v").type == type
        assert dataset.count("v = 'x'" if type == pa.string() else "v = 2.5") == 1
        assert pickle.loads(pickle.dumps(dataset)).schema == dataset.schema
        assert shoal.ScanPlan.from_json(dataset.plan().to_json()).to_table() == dataset.to_table()


def test_what_types_are_inferred_from_is_not_said_where_it_means_nothing(tmp_path: Path) -> None:
    for format in (shoal.CsvFormat(), shoal.JsonFormat()):
        with pytest.raises(ValueError, match="infer is all, but the format is given as an object"):
            shoal.open(tmp_path, format=format, infer="all")
    with pytest.raises(pa.ArrowInvalid, match="infer is about files of text, but format is parquet"):
        shoal.open(tmp_path, format="parquet", infer="all")
    with pytest.raises(ValueError, match="infer must be 'sample' or 'all', but is 'some'"):
        shoal.open(tmp_path, infer="some")  # type: ignore[arg-type]
    # Nobody has to know the format beforehand.
    pq.write_table(pa.table({"v": [1]}), tmp_path / "a.parquet")
    assert shoal.open(tmp_path, infer="all").count() == 1


def test_bytes_that_are_no_text_are_named_where_types_are_found_as_where_values_are_read(
    tmp_path: Path,
) -> None:
    path = put(tmp_path / "a.csv", b"k,v\n1,x\n2,\xff\n")
    for schema in (None, pa.schema({"v": pa.string()})):
        with pytest.raises(pa.ArrowInvalid, match=r"a\.csv', line 3: column 'v': .*Name the encoding"):
            shoal.open(path, schema=schema).to_table()


def test_json_types(tmp_path: Path) -> None:
    path = put(
        tmp_path / "a.jsonl", '{"t": "2024-01-02", "n": 12, "d": "1.50"}\n{"n": 18446744073709551615}\n'
    )
    assert shoal.open(path).schema == pa.schema([("t", pa.string()), ("n", pa.uint64()), ("d", pa.string())])
    schema = pa.schema([("t", pa.date32()), ("n", pa.uint64()), ("d", pa.decimal128(9, 2))])
    assert read(path, schema=schema) == {
        "t": [datetime.date(2024, 1, 2), None],
        "n": [12, 2**64 - 1],
        "d": [decimal.Decimal("1.50"), None],
    }
    mixed = put(tmp_path / "b.jsonl", '{"a": 1}\n{"a": "x"}\n')
    with pytest.raises(pa.ArrowTypeError, match=r"b\.jsonl': column `a` has numbers and strings"):
        read(mixed)
    lossy = put(tmp_path / "c.jsonl", '{"a": 9007199254740993}\n{"a": 0.5}\n')
    with pytest.raises(pa.ArrowTypeError, match=r"c\.jsonl': column `a` has integers that a double"):
        read(lossy)


def test_json_lines_of_any_length(tmp_path: Path) -> None:
    values = ["x" * n for n in (1, 3_000_000, 5)]
    path = put(tmp_path / "a.jsonl", "\n".join(json.dumps({"i": i, "v": v}) for i, v in enumerate(values)))
    assert read(path) == {"i": [0, 1, 2], "v": values}


# ---- reading -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[dict[str, Any]]]:
    """A file of several pieces."""
    rng = random.Random(7)
    rows = [
        {"i": i, "f": rng.choice([None, 0.25 * i]), "t": rng.choice(["a", 'say "hi"', "two\nlines", "x,y"])}
        for i in range(150_000)
    ]
    folder = tmp_path_factory.mktemp("large")
    pacsv.write_csv(pa.Table.from_pylist(rows), folder / "a.csv")
    put(folder / "a.jsonl", "\n".join(json.dumps(row) for row in rows))
    return str(folder), rows


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_file_of_many_pieces(large: tuple[str, list[dict[str, Any]]], name: str) -> None:
    folder, rows = large
    dataset = shoal.open(f"{folder}/{name}")
    assert dataset.to_table().to_pylist() == rows
    assert dataset.count() == len(rows)
    assert dataset.count("i < 1000 and t = 'a'") == sum(r["i"] < 1000 and r["t"] == "a" for r in rows)
    assert dataset.count("f is null") == sum(r["f"] is None for r in rows)
    assert dataset.scan(["t"], "i >= 149990").to_table().to_pylist() == [{"t": r["t"]} for r in rows[149990:]]
    assert dataset.scan(limit=3, offset=70_000).to_table().to_pylist() == rows[70_000:70_003]
    for workers in (0, 1, 4):
        table = dataset.scan(workers=workers, memory_budget=1 << 20, batch_size=1000).to_table()
        assert table.to_pylist() == rows


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_limit_reads_the_beginning_only(large: tuple[str, list[dict[str, Any]]], name: str) -> None:
    folder, rows = large
    scan = shoal.open(f"{folder}/{name}").scan(limit=10)
    assert scan.to_table().to_pylist() == rows[:10]
    assert scan.metrics is not None
    # Pieces grow from 16 KiB on; how many are read before the reader has its rows is a matter of timing.
    assert scan.metrics.bytes_read < Path(folder, name).stat().st_size / 2


def test_an_early_end_leaves_nothing_behind(large: tuple[str, list[dict[str, Any]]]) -> None:
    folder, _ = large
    batches = shoal.open(f"{folder}/a.csv").scan(batch_size=100).to_batches()
    assert next(iter(batches)).num_rows == 100
    del batches


def test_damaged_text_can_be_skipped(tmp_path: Path) -> None:
    root = tmp_path / "t"
    put(root / "a.csv", "a,b\n1,2\n")
    put(root / "b.csv", "a,b\n1\n")
    with pytest.raises(pa.ArrowInvalid, match=r"b\.csv', line 2: 1 value where there are 2 columns"):
        read(str(root))
    scan = shoal.open(str(root)).scan(on_corrupt="skip")
    assert scan.to_table().to_pydict() == {"a": [1], "b": [2]}


# ---- shoal.dataset -----------------------------------------------------------------------------------------


def test_the_names_of_pyarrow_dataset(tmp_path: Path) -> None:
    put(tmp_path / "t" / "a.csv", "a;b\n1;NA\n2;3\n")
    format = ds.CsvFileFormat(
        parse_options=pacsv.ParseOptions(delimiter=";"),
        read_options=pacsv.ReadOptions(skip_rows=0),
    )
    dataset = ds.dataset(str(tmp_path / "t"), format=format)
    assert dataset.to_table().to_pydict() == {"a": [1, 2], "b": [None, 3]}
    assert dataset.format == format
    assert dataset.format != ds.CsvFileFormat()
    assert ds.CsvFileFormat() == ds.CsvFileFormat()
    (fragment,) = dataset.get_fragments()
    assert fragment.to_table(filter=field("a") > 1).to_pydict() == {"a": [2], "b": [3]}
    assert fragment.physical_schema == dataset.schema
    assert format.inspect(str(tmp_path / "t" / "a.csv")) == dataset.schema
    put(tmp_path / "j" / "a.json", '{"a": 1}\n')
    assert ds.dataset(str(tmp_path / "j"), format="json").to_table().to_pydict() == {"a": [1]}
    assert ds.dataset(str(tmp_path / "j"), format=ds.JsonFileFormat()).count_rows() == 1
    with pytest.raises(NotImplementedError, match=r"ConvertOptions.include_columns"):
        ds.CsvFileFormat(convert_options=pacsv.ConvertOptions(include_columns=["a"]))


def test_doubles_in_json_alter_no_integer(tmp_path: Path) -> None:
    schema = pa.schema([("s", pa.struct([("l", pa.list_(pa.float64()))]))])
    path = put(tmp_path / "a.jsonl", '{"s": {"l": [9007199254740992, 0.5]}}\n')
    assert read(path, schema=schema) == {"s": [{"l": [2.0**53, 0.5]}]}
    put(tmp_path / "a.jsonl", '{"s": {"l": [1]}}\n{"s": {"l": [9007199254740993]}}\n')
    with pytest.raises(
        pa.ArrowInvalid, match=r"a\.jsonl', line 2: no double is the integer 9007199254740993"
    ):
        read(path, schema=schema)


@pytest.mark.parametrize(
    "damage",
    ['{"i": 1, "s": tru}', '{"i": 1, "s": "x}', '{"i": 1}{"i": 2}', '{"i": 1, "s": "\\x"}', '{"i": 1'],
)
def test_damaged_json_is_an_error_whatever_is_asked(tmp_path: Path, damage: str) -> None:
    lines = [json.dumps({"i": i, "s": "x" * 100}) for i in range(40_000)]  # more than a sample
    lines[30_011] = damage
    dataset = shoal.open(put(tmp_path / "a.jsonl", "\n".join(lines)))
    for ask in (
        dataset.count,
        lambda: dataset.count("i >= 0"),
        lambda: dataset.scan(["i"]).to_table(),
        lambda: dataset.scan([]).to_table(),
        dataset.to_table,
    ):
        with pytest.raises(pa.ArrowInvalid, match=r"a\.jsonl', line 30012"):
            ask()


def test_numbers_beyond_the_doubles_are_not_made_infinite(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1e400\n1.5\n-1e999\n")
    assert shoal.open(tmp_path).to_table().to_pydict() == {"a": ["1e400", "1.5", "-1e999"]}
    for declared, row in ((pa.float64(), "1e400"), (pa.float32(), "1e40")):
        (tmp_path / "a.csv").write_text(f"a\n1.5\n{row}\n")
        with pytest.raises(pa.ArrowInvalid, match=rf"a\.csv.*line 3.*{row}"):
            shoal.open(tmp_path, schema=pa.schema([("a", declared)])).to_table()
    (tmp_path / "a.csv").write_text("a\n1.5\ninf\n1e-300\n")
    assert shoal.open(tmp_path, schema=pa.schema([("a", pa.float64())])).to_table()["a"][1].as_py() == float(
        "inf"
    )


def test_json_times_have_a_zone_where_their_type_has_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"t": "2024-01-01T00:00:00"}\n{"t": "2024-01-01T00:00:00+02:00"}\n')
    for declared, line, words in (
        (pa.timestamp("us"), 2, "has a zone"),
        (pa.timestamp("us", "UTC"), 1, "has no zone"),
    ):
        with pytest.raises(pa.ArrowInvalid, match=rf"a\.jsonl.*line {line}.*{words}"):
            shoal.open(tmp_path, schema=pa.schema([("t", declared)])).to_table()
