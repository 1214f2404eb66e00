"""What scan writes, read back."""

import base64
import csv
import datetime as dt
import io
import json
import os
import stat
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from cli_program import failure_of, flights, output_of, shoal, write

UTC = dt.UTC


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return flights(tmp_path / "flights")


EXPECTED = pa.table(
    {
        "x": pa.array([10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33]),
        "carrier": ["UA", "AA"] * 6,
        "month": pa.array([1] * 4 + [2] * 4 + [3] * 4, pa.int32()),
    }
)


def simple_types() -> pa.Table:
    """A column for each type that is no container of others, with a null in each."""
    zone = dt.timezone(dt.timedelta(hours=2))
    return pa.table(
        {
            "bool": pa.array([True, False, None]),
            "i8": pa.array([-128, 127, None], pa.int8()),
            "u64": pa.array([0, 2**64 - 1, None], pa.uint64()),
            "i64": pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
            "f16": pa.array([0.5, -2.0, None], pa.float16()),
            "f32": pa.array([0.1, 3.0, None], pa.float32()),
            "f64": pa.array([0.1, 1e300, None], pa.float64()),
            "string": ["", 'a"b,c\nd\r\n', None],
            "large_string": pa.array(["é", "日本語", None], pa.large_string()),
            "string_view": pa.array(["v", "longer than twelve bytes", None], pa.string_view()),
            "date": pa.array([dt.date(1969, 12, 31), dt.date(2024, 2, 29), None]),
            "ts_s": pa.array([0, -1, None], pa.timestamp("s")),
            "ts_ns": pa.array([1, 1_700_000_000_123_456_789, None], pa.timestamp("ns")),
            "ts_zoned": pa.array(
                [dt.datetime(2024, 1, 1, 2, tzinfo=zone), dt.datetime(1960, 1, 1, tzinfo=UTC), None],
                pa.timestamp("us", "Europe/Paris"),
            ),
            "time32": pa.array([dt.time(1, 2, 3), dt.time(23, 59, 59), None], pa.time32("s")),
            "time64": pa.array([dt.time(1, 2, 3, 4), dt.time(0), None], pa.time64("us")),
            "duration": pa.array([5, -5, None], pa.duration("ms")),
            "decimal": pa.array([Decimal("1.10"), Decimal("-0.05"), None], pa.decimal128(20, 2)),
            "dictionary": pa.array(["p", "q", None]).dictionary_encode(),
            "null": pa.nulls(3),
        }
    )


def nested_types() -> pa.Table:
    return pa.table(
        {
            "binary": pa.array([b"\x00\xff", b"", None]),
            "binary_view": pa.array([b"\x01", b"more than twelve bytes", None], pa.binary_view()),
            "fixed": pa.array([b"abcd", b"efgh", None], pa.binary(4)),
            "list": pa.array([[1, None], [], None], pa.list_(pa.int32())),
            "large_list": pa.array([["a"], [], None], pa.large_list(pa.string())),
            "fixed_list": pa.array([[1, 2], [3, 4], None], pa.list_(pa.int8(), 2)),
            "struct": pa.array([{"a": 1, "b": [{"c": "x"}]}, {"a": None, "b": None}, None]),
            "map": pa.array([[("k", 1), ("l", None)], [], None], pa.map_(pa.string(), pa.int64())),
        }
    )


def read_back(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".arrow":
        with pa.ipc.open_file(path) as file:
            return file.read_all()
    if path.suffix == ".arrows":
        with pa.ipc.open_stream(path) as stream:
            return stream.read_all()
    return pyarrow.csv.read_csv(path)


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.arrows"])
def test_files_hold_the_rows_with_their_types(table: Path, tmp_path: Path, name: str) -> None:
    ended = shoal("scan", table, "--output", tmp_path / name)
    assert (ended.status, ended.out, ended.err) == (0, b"", "")
    assert read_back(tmp_path / name).equals(EXPECTED)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["flights", name])


def test_csv_file(table: Path, tmp_path: Path) -> None:
    output_of("scan", table, "--output", tmp_path / "out.csv")
    assert read_back(tmp_path / "out.csv").cast(EXPECTED.schema).equals(EXPECTED)


def test_standard_output_has_json_lines_by_default(table: Path) -> None:
    rows = [json.loads(line) for line in output_of("scan", table).splitlines()]
    assert rows == EXPECTED.to_pylist()
    assert output_of("scan", table, "--to", "jsonl", "--output", "-") == output_of("scan", table)


def test_standard_output_in_every_format(table: Path) -> None:
    arrow = shoal("scan", table, "--to", "arrow")
    assert pa.ipc.open_stream(arrow.out).read_all().equals(EXPECTED)
    parquet = shoal("scan", table, "--to=parquet")
    assert pq.read_table(io.BytesIO(parquet.out)).equals(EXPECTED)
    text = shoal("scan", table, "--to=csv")
    assert pyarrow.csv.read_csv(io.BytesIO(text.out)).cast(EXPECTED.schema).equals(EXPECTED)
    assert (arrow.err, parquet.err, text.err) == ("", "", "")


def test_a_format_asked_for_wins_over_the_extension(table: Path, tmp_path: Path) -> None:
    output_of("scan", table, "--output", tmp_path / "data.bin", "--to", "parquet")
    assert pq.read_table(tmp_path / "data.bin").equals(EXPECTED)
    output_of("scan", table, "--output", tmp_path / "other.csv", "--to", "arrow")
    with pa.ipc.open_file(tmp_path / "other.csv") as file:
        assert file.read_all().equals(EXPECTED)


@pytest.mark.parametrize("name", ["out.parquet", "out.arrow", "out.arrows"])
def test_all_types_survive_in_binary_formats(tmp_path: Path, name: str) -> None:
    everything = simple_types()
    for column in nested_types().column_names:
        everything = everything.append_column(column, nested_types()[column])
    source = write(tmp_path / "in" / "a.parquet", everything)
    output_of("scan", source, "--output", tmp_path / name)
    expected = pq.read_table(source)
    got = read_back(tmp_path / name)
    assert got.schema.equals(expected.schema)
    assert got.equals(expected)


def test_dictionaries_of_many_files_become_one_in_an_arrow_file(tmp_path: Path) -> None:
    values = [["a", "b", None], ["b", "c"], ["d"], ["a"], ["d", "c", "e"]]
    for i, some in enumerate(values):
        write(tmp_path / "in" / f"{i}.parquet", {"k": pa.array(some).dictionary_encode()})
    output_of("scan", tmp_path / "in", "--output", tmp_path / "out.arrow")
    column = read_back(tmp_path / "out.arrow")["k"]
    assert pa.types.is_dictionary(column.type)
    assert column.to_pylist() == [value for some in values for value in some]
    stream = shoal("scan", tmp_path / "in", "--to", "arrow")
    assert pa.ipc.open_stream(stream.out).read_all()["k"].to_pylist() == column.to_pylist()


def test_json_of_simple_types(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", simple_types())
    first, second, third = (json.loads(line) for line in output_of("scan", tmp_path).splitlines())
    assert first == {
        "bool": True,
        "i8": -128,
        "u64": 0,
        "i64": -(2**63),
        "f16": 0.5,
        "f32": 0.1,
        "f64": 0.1,
        "string": "",
        "large_string": "é",
        "string_view": "v",
        "date": "1969-12-31",
        "ts_s": "1970-01-01T00:00:00.000",  # Parquet has no seconds
        "ts_ns": "1970-01-01T00:00:00.000000001",
        "ts_zoned": "2024-01-01T00:00:00.000000Z",
        "time32": "01:02:03.000",
        "time64": "01:02:03.000004",
        "duration": {"value": 5, "unit": "ms"},
        "decimal": "1.10",
        "dictionary": "p",
        "null": None,
    }
    assert second["u64"] == 2**64 - 1
    assert second["i64"] == 2**63 - 1
    assert second["f64"] == 1e300
    assert second["string"] == 'a"b,c\nd\r\n'
    assert second["large_string"] == "日本語"
    assert second["ts_s"] == "1969-12-31T23:59:59.000"
    assert second["ts_ns"] == "2023-11-14T22:13:20.123456789"
    assert second["ts_zoned"] == "1960-01-01T00:00:00.000000Z"
    assert second["date"] == "2024-02-29"
    assert second["decimal"] == "-0.05"
    assert set(third.values()) == {None}


def test_json_of_nested_types(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", nested_types())
    first, second, third = (json.loads(line) for line in output_of("scan", tmp_path).splitlines())
    assert first == {
        "binary": base64.b64encode(b"\x00\xff").decode(),
        "binary_view": "AQ==",
        "fixed": "YWJjZA==",
        "list": [1, None],
        "large_list": ["a"],
        "fixed_list": [1, 2],
        "struct": {"a": 1, "b": [{"c": "x"}]},
        "map": [{"key": "k", "value": 1}, {"key": "l", "value": None}],
    }
    assert second["list"] == [] and second["map"] == [] and second["struct"] == {"a": None, "b": None}
    assert set(third.values()) == {None}


def test_json_of_floats_keeps_every_bit(tmp_path: Path) -> None:
    floats = [5.0, -0.0, 1 / 3, 1e22, 5e-324, 1.7976931348623157e308]
    odd = [float("nan"), float("inf"), float("-inf")]
    write(tmp_path / "a.parquet", {"f": floats + odd})
    lines = output_of("scan", tmp_path).splitlines()
    assert [repr(json.loads(line)["f"]) for line in lines[: len(floats)]] == [repr(f) for f in floats]
    assert lines[0] == '{"f":5.0}'
    assert [json.loads(line)["f"] for line in lines[len(floats) :]] == ["NaN", "Infinity", "-Infinity"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_json_of_extreme_timestamps(tmp_path: Path, unit: str) -> None:
    # Parquet has no unit of seconds; it would overflow as milliseconds.
    values = [2**63 - 1, -(2**63) + 1] if unit != "s" else [253402300800, -62167219201]
    write(tmp_path / "a.parquet", {"t": pa.array(values, pa.timestamp(unit))})
    late, early = (json.loads(line)["t"] for line in output_of("scan", tmp_path).splitlines())
    assert (late, early) == {
        "s": ("+010000-01-01T00:00:00.000", "-000001-12-31T23:59:59.000"),
        "ms": ("+292278994-08-17T07:12:55.807", "-292275055-05-16T16:47:04.193"),
        "us": ("+294247-01-10T04:00:54.775807", "-290308-12-21T19:59:05.224193"),
        "ns": ("2262-04-11T23:47:16.854775807", "1677-09-21T00:12:43.145224193"),
    }[unit]


def test_json_escapes_what_it_must_and_nothing_more(tmp_path: Path) -> None:
    odd = 'q"b\\s/n\nt\tz\x00\x1f\x7f é 日本 😀 \u2028'
    write(tmp_path / "a.parquet", pa.table([[odd]], names=[odd.replace("\x00", "")]))
    text = output_of("scan", tmp_path)
    assert text.count("\n") == 1
    assert json.loads(text) == {odd.replace("\x00", ""): odd}
    assert "😀" in text and "\\u0000" in text and "\\/" not in text


def test_csv_of_simple_types(tmp_path: Path) -> None:
    expected = simple_types()
    write(tmp_path / "in" / "a.parquet", expected)
    output_of("scan", tmp_path / "in", "--output", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == expected.column_names
    first, second, third = (dict(zip(header, row, strict=True)) for row in rows)
    assert second["string"] == 'a"b,c\nd\r\n'
    assert second["string_view"] == "longer than twelve bytes"
    assert second["u64"] == str(2**64 - 1)
    assert first["decimal"] == "1.10"
    assert first["dictionary"] == "p"
    assert first["ts_zoned"].startswith("2024-01-01 00:00:00") and first["ts_zoned"].endswith("Z")
    assert first["date"] == "1969-12-31"
    assert set(third.values()) == {""}


def test_csv_tells_null_from_empty(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", {"s": ["", None], "y": [1, 2]})
    assert output_of("scan", tmp_path / "in", "--to", "csv") == '"s","y"\n"",1\n,2\n'


@pytest.mark.parametrize("column", ["binary", "list", "struct", "map"])
def test_csv_refuses_columns_that_it_can_not_hold(tmp_path: Path, column: str) -> None:
    write(tmp_path / "in" / "a.parquet", nested_types())
    error = failure_of("scan", tmp_path / "in", "--to", "csv", "--columns", column)
    assert f"'{column}'" in error and "jsonl" in error
    failure_of("scan", tmp_path / "in", "--columns", column, "--output", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_no_columns(table: Path, tmp_path: Path) -> None:
    assert output_of("scan", table, "--columns", "") == "{}\n" * 12
    output_of("scan", table, "--columns=", "--output", tmp_path / "rows.arrow")
    with pa.ipc.open_file(tmp_path / "rows.arrow") as file:
        assert sum(file.get_batch(i).num_rows for i in range(file.num_record_batches)) == 12
    assert "without columns" in failure_of("scan", table, "--columns=", "--to", "csv")
    assert "without columns" in failure_of("scan", table, "--columns=", "--to", "parquet")


@pytest.mark.parametrize("selection", [["--limit", "0"], ["--where", "x < 0"]])
def test_no_rows_keep_the_columns(table: Path, tmp_path: Path, selection: list[str]) -> None:
    assert output_of("scan", table, *selection) == ""
    assert output_of("scan", table, "--to", "csv", *selection) == '"x","carrier","month"\n'
    for name in ("none.parquet", "none.arrow"):
        output_of("scan", table, *selection, "--output", tmp_path / name)
        assert read_back(tmp_path / name).equals(EXPECTED.slice(0, 0))


def test_limit_and_offset(table: Path) -> None:
    rows = [
        json.loads(line)["x"] for line in output_of("scan", table, "--offset=3", "--limit=3").splitlines()
    ]
    assert rows == [13, 20, 21]


def test_text_that_is_not_utf8_is_an_error_in_json(tmp_path: Path) -> None:
    text = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\x00\x00\x00\x00\x02\x00\x00\x00"), pa.py_buffer(b"\xff\xfe")]
    )
    write(tmp_path / "a.parquet", {"bad": text})
    assert "'bad'" in failure_of("scan", tmp_path)


def test_existing_output_needs_force(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious")
    out.chmod(0o640)
    error = failure_of("scan", table, "--output", out)
    assert str(out) in error and "--force" in error
    assert out.read_text() == "precious"
    output_of("scan", table, "--output", out, "--force")
    assert out.read_text().startswith('"x"')
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


def test_a_link_is_written_through(table: Path, tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    output_of("scan", table, "--output", tmp_path / "link.csv", "--force")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith('"x"')


@pytest.mark.parametrize("way", ["itself", "link", "hard link", "pruned"])
def test_an_input_is_never_overwritten(table: Path, tmp_path: Path, way: str) -> None:
    source = table / "month=2" / "part-0.parquet"
    before = source.read_bytes()
    out = source
    options = []
    if way == "link":
        out = tmp_path / "link.parquet"
        out.symlink_to(source)
    elif way == "hard link":
        out = tmp_path / "hard.parquet"
        os.link(source, out)
    elif way == "pruned":
        options = ["--where", "month = 1"]
    error = failure_of("scan", table, *options, "--output", out, "--force")
    assert str(out) in error
    assert source.read_bytes() == before


def test_devices_are_written_as_they_are(table: Path) -> None:
    output_of("scan", table, "--output", "/dev/null", "--to", "csv")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_failed_scan_leaves_nothing(table: Path, tmp_path: Path) -> None:
    write(table / "month=4" / "part-0.parquet", {"x": list(range(1000)), "carrier": ["UA"] * 1000})
    bad = table / "month=4" / "part-0.parquet"
    content = bytearray(bad.read_bytes())
    content[4:200] = b"\xff" * 196
    bad.write_bytes(content)
    (tmp_path / "out").mkdir()
    for name in ("out.csv", "out.jsonl", "out.parquet", "out.arrow"):
        error = failure_of("scan", table, "--output", tmp_path / "out" / name)
        assert str(bad) in error
        assert list((tmp_path / "out").iterdir()) == []


def test_a_scan_that_fails_half_way_says_so_on_a_pipe(table: Path) -> None:
    write(table / "month=4" / "part-0.parquet", {"x": list(range(1000)), "carrier": ["UA"] * 1000})
    bad = table / "month=4" / "part-0.parquet"
    content = bytearray(bad.read_bytes())
    content[4:200] = b"\xff" * 196
    bad.write_bytes(content)
    ended = shoal("scan", table, "--to", "parquet", "--workers", "0")
    assert ended.status == 1
    # What came out must not look like a whole file.
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(io.BytesIO(ended.out))
