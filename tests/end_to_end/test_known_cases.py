"""Small inputs on which tables of files are easily got wrong. Each stands for its whole kind."""

from __future__ import annotations

import bz2
import datetime
import decimal
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shoal

field = pc.field


def write(path: Path, columns: dict[str, Any] | pa.Table, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, path, **options)
    return path


def write_bytes(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def hive(root: Path, key: str, values: list[str]) -> Path:
    for number, value in enumerate(values):
        write(root / f"{key}={value}" / "f.parquet", {"x": [number]})
    return root


def rows(source: Any, filter: Any = None, **options: Any) -> list[dict[str, Any]]:
    return shoal.open(str(source), **options).scan(filter=filter).to_table().to_pylist()


def column(source: Any, name: str, **options: Any) -> list[Any]:
    return shoal.open(str(source), **options).scan(columns=[name]).to_table()[name].to_pylist()


def plan_of(source: Any, filter: Any = None, **options: Any) -> dict[str, Any]:
    return json.loads(shoal.open(str(source), **options).plan(filter=filter).to_json())


def kept_files(source: Any, filter: Any = None, **options: Any) -> int:
    return len(plan_of(source, filter, **options)["fragments"])


def kept_groups(source: Any, filter: Any) -> str:
    """`kept/all`, over the files that the plan looked into."""
    report = plan_of(source, filter)["report"]
    return f"{report['row_groups_kept']}/{report['row_groups_seen']}"


# ---- A. partition discovery and typing ---------------------------------------------------------------------


def test_leading_zeros_stay_text(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "code", ["01", "02"])
    dataset = shoal.open(str(root))
    assert dataset.schema.field("code").type == pa.string()
    assert column(root, "code") == ["01", "02"]
    assert [row["x"] for row in rows(root, field("code") == "01")] == [0]
    assert kept_files(root, field("code") == "01") == 1
    declared = shoal.open(str(root), schema=pa.schema([("x", pa.int64()), ("code", pa.int32())]))
    assert declared.to_table()["code"].to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (["1", "2147483648"], pa.int64(), [1, 2147483648]),
        (["1", "99999999999999999999"], pa.string(), ["1", "99999999999999999999"]),
        (["-1", "+2"], pa.string(), ["+2", "-1"]),
        (["1", "-0"], pa.string(), ["-0", "1"]),
        (["1", "2"], pa.int32(), [1, 2]),
    ],
)
def test_integer_keys_are_integers_only_if_nothing_is_lost(
    tmp_path: Path, values: list[str], type_: pa.DataType, expected: list[Any]
) -> None:
    root = hive(tmp_path / "t", "id", values)
    assert shoal.open(str(root)).schema.field("id").type == type_
    assert sorted(column(root, "id")) == sorted(expected)


def test_null_marker_and_three_valued_logic(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2", "__HIVE_DEFAULT_PARTITION__"])
    k = field("k")
    for filter_, count in [
        (k.is_null(), 1),
        (k.is_valid(), 2),
        (k == 1, 1),
        (k != 1, 1),
        (k.isin([1]), 1),
        ("not (k = 1)", 1),
        ("k is null or k = 2", 2),
    ]:
        assert len(rows(root, filter_)) == count, filter_
        assert kept_files(root, filter_) == count, filter_


def test_percent_encoded_values(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "city", ["San%20Francisco", "a%2Fb", "50%", "100%25"])
    assert sorted(column(root, "city")) == ["100%", "50%", "San Francisco", "a/b"]
    assert len(rows(root, field("city") == "a/b")) == 1
    assert kept_files(root, field("city") == "a/b") == 1


def test_equals_sign_inside_a_value(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["a=b", "YWJjZA=="])
    assert sorted(column(root, "k")) == ["YWJjZA==", "a=b"]
    assert kept_files(root, field("k") == "a=b") == 1


def test_keys_that_begin_with_an_underscore(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "_year", ["2020", "2021"])
    assert column(root, "_year") == [2020, 2021]
    write(tmp_path / "u" / "_year=2020" / "_file=a" / "f.parquet", {"x": [1]})
    assert rows(tmp_path / "u") == [{"x": 1, "_year": 2020, "_file": "a"}]


@pytest.mark.parametrize(
    ("type_", "five", "six"),
    [
        (pa.int64(), 5, 6),
        (pa.int32(), 5, 6),
        (pa.uint8(), 5, 6),
        (pa.string(), "5", "6"),
        (pa.large_string(), "5", "6"),
        (pa.float64(), 5.0, 6.0),
    ],
)
def test_a_key_that_is_also_a_column(tmp_path: Path, type_: pa.DataType, five: Any, six: Any) -> None:
    table = pa.table({"k": pa.array([five, five], type_), "x": [1, 2]})
    write(tmp_path / "t" / "k=5" / "f.parquet", table)
    dataset = shoal.open(str(tmp_path / "t"))
    assert dataset.schema.names == ["k", "x"]
    assert dataset.schema.field("k").type == type_
    assert column(tmp_path / "t", "k") == [five, five]
    assert len(rows(tmp_path / "t", field("k") == five)) == 2
    assert rows(tmp_path / "t", field("k") == six) == []
    assert kept_files(tmp_path / "t", field("k") == six) == 0


def test_projections_without_the_key(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2"])
    dataset = shoal.open(str(root))
    assert dataset.scan(columns=["x"], filter=field("k") == 2).to_table().to_pydict() == {"x": [1]}
    scan = dataset.scan(columns=["k"])
    assert scan.to_table().to_pydict() == {"k": [1, 2]}
    nothing = dataset.scan(columns=[]).to_table()
    assert (nothing.num_rows, nothing.num_columns) == (2, 0)


def test_uneven_depth(tmp_path: Path) -> None:
    root = tmp_path / "t"
    write(root / "a.parquet", {"x": [0]})
    write(root / "k=1" / "b.parquet", {"x": [1]})
    assert rows(root) == [{"x": 0, "k": None}, {"x": 1, "k": 1}]
    assert len(rows(root, field("k") == 1)) == 1
    assert [row["x"] for row in rows(root, field("k").is_null())] == [0]
    assert "a.parquet" in str(shoal.open(str(root)).listing_report)
    with pytest.raises(Exception, match=r"a\.parquet"):
        shoal.open(str(root), strict=True).to_table()


def test_roots_below_the_table(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["1"])
    leaf, file = root / "k=1", root / "k=1" / "f.parquet"
    assert shoal.open(str(root)).schema.names == ["x", "k"]
    assert shoal.open(str(leaf)).schema.names == ["x"]
    assert shoal.open(str(file)).schema.names == ["x"]
    assert (
        rows(leaf, partition_base_dir=str(root))
        == rows(file, partition_base_dir=str(root))
        == [{"x": 0, "k": 1}]
    )


# ---- B. finding files --------------------------------------------------------------------------------------


def test_system_files_are_not_data(tmp_path: Path) -> None:
    root = tmp_path / "t"
    write(root / "good.parquet", {"x": [1]})
    for name in ["_SUCCESS", ".a.parquet.crc", "_metadata", "_common_metadata"]:
        (root / name).touch()
    (root / "_temporary" / "0").mkdir(parents=True)
    (root / "_temporary" / "0" / "z.parquet").write_text("no Parquet")
    assert rows(root) == [{"x": 1}]
    assert "_SUCCESS" in str(shoal.open(str(root)).listing_report)


@pytest.mark.parametrize("empty", ["a.parquet", "z.parquet"])
def test_empty_files_are_reported_and_hold_no_rows(tmp_path: Path, empty: str) -> None:
    root = tmp_path / "t"
    write(root / "b.parquet", {"x": [1]})
    (root / empty).touch()
    assert rows(root) == [{"x": 1}]
    assert shoal.open(str(root)).count() == 1
    assert empty in json.dumps(plan_of(root))
    with pytest.raises(Exception, match=empty):
        shoal.open(str(root), strict=True).to_table()


def test_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside / "d" / "two.parquet", {"x": [2]})
    write(outside / "one.parquet", {"x": [1]})
    followed = tmp_path / "followed"
    followed.mkdir()
    (followed / "file.parquet").symlink_to(outside / "one.parquet")
    (followed / "folder").symlink_to(outside / "d")
    assert sorted(row["x"] for row in rows(followed)) == [1, 2]

    loop = tmp_path / "loop"
    write(loop / "a.parquet", {"x": [1]})
    (loop / "again").symlink_to(loop)
    try:
        assert rows(loop) == [{"x": 1}]
    except (pa.ArrowException, OSError) as error:
        assert "again" in str(error)

    dangling = tmp_path / "dangling"
    write(dangling / "a.parquet", {"x": [1]})
    (dangling / "b.parquet").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Exception, match=r"b\.parquet"):
        rows(dangling)


@pytest.mark.parametrize("pattern", ["k=*/*.parquet", "**/*.parquet", "k={1,2}/*"])
def test_globs(tmp_path: Path, pattern: str) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2"])
    assert rows(f"{root}/{pattern}") == [{"x": 0, "k": 1}, {"x": 1, "k": 2}]


def test_a_glob_that_matches_nothing_is_named(tmp_path: Path) -> None:
    hive(tmp_path / "t", "k", ["1"])
    with pytest.raises(Exception, match="nothing-"):
        rows(f"{tmp_path}/t/nothing-*")


def test_spellings_of_one_root(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2"])
    expected = rows(root)
    for spelling in [f"{root}/", f"{root}//", f"{root}/.", f"file://{root}", os.path.relpath(root)]:
        assert rows(spelling) == expected, spelling


def test_listing_reads_only_the_directories_a_filter_leaves(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for a in range(20):
        for b in range(20):
            for part in range(5):
                write(root / f"a={a}" / f"b={b}" / f"{part}.parquet", {"x": [1]})
    dataset = shoal.open(
        str(root),
        schema=pa.schema([("x", pa.int64()), ("a", pa.int32()), ("b", pa.int32())]),
        inspect="first",
    )
    plan = json.loads(dataset.plan(filter=(field("a") == 3) & (field("b") == 7)).to_json())
    assert len(plan["fragments"]) == 5
    assert plan["report"]["directories_listed"] <= 3
    plan = json.loads(dataset.plan(filter="a in (1, 2)").to_json())
    assert len(plan["fragments"]) == 200
    assert plan["report"]["directories_listed"] <= 1 + 2 + 40


# ---- D. pruning must not change answers --------------------------------------------------------------------


def test_nullable_range(tmp_path: Path) -> None:
    path = write(tmp_path / "f.parquet", {"x": [1, 5, None, 10, 15, None]}, row_group_size=3)
    x = field("x")
    for filter_, count, kept in [
        (x > 8, 2, "1/2"),
        (x == 100, 0, "0/2"),
        (x.isin([100]), 0, "0/2"),
        (x.is_null(), 2, "2/2"),
    ]:
        assert len(rows(path, filter_)) == count, filter_
        assert kept_groups(path, filter_) == kept, filter_


@pytest.mark.parametrize("values", [[5.0, 5.0, float("nan")], [float("nan")] * 2, [None, float("nan")]])
def test_nan_rows_are_never_pruned(tmp_path: Path, values: list[float | None]) -> None:
    path = write(tmp_path / "f.parquet", {"x": pa.array(values, pa.float64())})
    x = field("x")
    column_ = pa.chunked_array([pa.array(values, pa.float64())])
    for filter_, expected in [
        (x != 5.0, pc.not_equal(column_, 5.0)),
        (~(x < 10), pc.invert(pc.less(column_, 10.0))),
        (x.is_nan(), pc.is_nan(column_)),
        (~x.isin([5.0]), pc.invert(pc.is_in(column_, pa.array([5.0])))),
        (x > 10, pc.greater(column_, 10.0)),
    ]:
        assert len(rows(path, filter_)) == (pc.sum(expected).as_py() or 0), filter_
        assert shoal.open(str(path)).count(filter_) == (pc.sum(expected).as_py() or 0), filter_


def test_bounds_missing_in_one_group(tmp_path: Path) -> None:
    values = ["a", "b", "z" * 8192, "z" * 8193]
    path = write(tmp_path / "f.parquet", {"s": values}, row_group_size=2)
    assert len(rows(path, field("s") == "z" * 8193)) == 1


@pytest.mark.parametrize("type_", [pa.decimal128(20, 2), pa.decimal128(9, 2), pa.decimal128(4, 1)])
def test_decimals(tmp_path: Path, type_: pa.DataType) -> None:
    values = [decimal.Decimal(text) for text in ["1", "2", "5", "6", "9", "9.5"]]
    path = write(tmp_path / "f.parquet", {"x": pa.array(values, type_)}, row_group_size=2)
    x = field("x")
    for literal in [decimal.Decimal("5.00"), decimal.Decimal("5.0"), 5]:
        assert len(rows(path, x == literal)) == 1, literal
        assert kept_groups(path, x == literal) == "1/3", literal
    assert len(rows(path, x > decimal.Decimal("9.2"))) == 1
    assert len(rows(path, "x > 9.2")) == 1


def test_timestamps_and_literals(tmp_path: Path) -> None:
    utc = datetime.UTC
    hours = [datetime.datetime(2024, 1, 1, hour, tzinfo=utc) for hour in range(6)]
    path = write(tmp_path / "f.parquet", {"t": pa.array(hours, pa.timestamp("us", "UTC"))}, row_group_size=2)
    t = field("t")
    assert len(rows(path, t == hours[3])) == 1
    assert kept_groups(path, t == hours[3]) == "1/3"
    plus_two = datetime.timezone(datetime.timedelta(hours=2))
    assert len(rows(path, t == datetime.datetime(2024, 1, 1, 5, tzinfo=plus_two))) == 1
    with pytest.raises(TypeError, match="timestamp"):
        rows(path, t == datetime.datetime(2024, 1, 1, 3))
    nano = write(tmp_path / "n.parquet", {"t": pa.array(hours, pa.timestamp("ns", "UTC"))}, row_group_size=2)
    assert len(rows(nano, t >= pa.scalar(hours[4], pa.timestamp("us", "UTC")))) == 2
    assert kept_groups(nano, t >= pa.scalar(hours[4], pa.timestamp("us", "UTC"))) == "1/3"


def test_struct_leaf(tmp_path: Path) -> None:
    values: list[Any] = [{"x": 1}, {"x": 2}, {"x": 3}, {"x": 10}, {"x": 11}, {"x": 12}]
    path = write(tmp_path / "f.parquet", {"s": values}, row_group_size=3)
    assert len(rows(path, field("s", "x") > 8)) == 3
    assert kept_groups(path, field("s", "x") > 8) == "1/2"
    with_null = write(tmp_path / "n.parquet", {"s": [*values[:4], None, {"x": 12}]}, row_group_size=3)
    assert len(rows(with_null, field("s").is_null())) == 1
    assert len(rows(with_null, "s.x > 8")) == 2


def test_keys_and_data_in_one_expression(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for k, start in [(1, 0), (2, 100), (3, 200)]:
        write(root / f"k={k}" / "f.parquet", {"x": list(range(start, start + 5))})
    either = (field("k") == 1) | (field("x") > 150)
    assert len(rows(root, either)) == 10
    assert kept_files(root, either) == 2
    both = (field("k") == 1) & (field("x") > 150)
    assert rows(root, both) == []
    report = plan_of(root, both)["report"]
    assert report["footers_read"] + report["footers_cached"] == 1


# ---- E. CSV and JSON ---------------------------------------------------------------------------------------


def test_quoted_newlines_need_no_option(tmp_path: Path) -> None:
    text = "i,t\n" + "".join(f'{i},"line one\nline two"\n' for i in range(200))
    path = write_bytes(tmp_path / "a.csv", text)
    assert [row["i"] for row in rows(path)] == list(range(200))
    assert {row["t"] for row in rows(path)} == {"line one\nline two"}
    assert shoal.open(str(path)).count() == 200
    crlf = write_bytes(tmp_path / "b.csv", text.replace("\n", "\r\n"))
    assert {row["t"] for row in rows(crlf)} == {"line one\r\nline two"}
    assert shoal.open(str(crlf)).count() == 200


def test_files_with_a_header_only_and_empty_files(tmp_path: Path) -> None:
    write_bytes(tmp_path / "t" / "a.csv", "a,b\n")
    assert shoal.open(str(tmp_path / "t")).schema.names == ["a", "b"]
    assert rows(tmp_path / "t") == []
    write_bytes(tmp_path / "t" / "b.csv", "a,b\n1,x\n")
    dataset = shoal.open(str(tmp_path / "t"))
    assert dataset.schema == pa.schema([("a", pa.int64()), ("b", pa.string())])
    assert dataset.to_table().to_pylist() == [{"a": 1, "b": "x"}]
    write_bytes(tmp_path / "t" / "0.csv", "")
    dataset = shoal.open(str(tmp_path / "t"))
    assert dataset.to_table().to_pylist() == [{"a": 1, "b": "x"}]
    assert "0.csv" in json.dumps(plan_of(tmp_path / "t"))


def test_columns_of_text_files_go_by_their_names(tmp_path: Path) -> None:
    for name, text in {"a": "a,b\n1,x", "b": "b,a\ny,2", "c": "a\n3", "d": "z,a\n2024-01-01,4"}.items():
        write_bytes(tmp_path / "t" / f"{name}.csv", text)
    table = shoal.open(str(tmp_path / "t")).to_table()
    assert table.to_pydict() == {
        "a": [1, 2, 3, 4],
        "b": ["x", "y", None, None],
        "z": [None, None, None, datetime.date(2024, 1, 1)],
    }
    assert [row["a"] for row in rows(tmp_path / "t", field("b").is_null())] == [3, 4]


def test_compressed_text_is_read_by_its_name(tmp_path: Path) -> None:
    root = tmp_path / "t"
    write_bytes(root / "a.csv", "x\n1\n")
    write_bytes(root / "b.csv.gz", gzip.compress(b"x\n2\n") + gzip.compress(b"3\n"))
    write_bytes(root / "c.csv.zst", pa.compress(b"x\n4\n", "zstd", asbytes=True))
    write_bytes(root / "d.csv.bz2", bz2.compress(b"x\n5\n"))
    with pa.CompressedOutputStream(str(root / "e.csv.lz4"), "lz4") as stream:
        stream.write(b"x\n6\n")
    assert [row["x"] for row in rows(root)] == [1, 2, 3, 4, 5, 6]
    assert shoal.open(str(root)).count() == 6

    whole = gzip.compress("\n".join(str(i * 7919 % 10007) for i in range(5000)).encode())
    cut = write_bytes(root / "f.csv.gz", whole[: len(whole) // 2])
    for question in (lambda t: t.to_table(), lambda t: t.count()):
        with pytest.raises(OSError, match=r"f\.csv\.gz' is truncated"):
            question(shoal.open(str(root), schema=pa.schema([("x", pa.int64())])))
    assert cut.exists()


def test_partitions_over_text_files(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for code in ("01", "02"):
        write_bytes(root / f"code={code}" / "f.csv", "x,t\n1,01\n2,7\n")
    assert rows(root, field("code") == "01") == [
        {"x": 1, "t": "01", "code": "01"},
        {"x": 2, "t": "7", "code": "01"},
    ]
    assert kept_files(root, field("code") == "01") == 1
    schema = pa.schema([("t", pa.int64()), ("code", pa.int32())])
    assert rows(root, field("code") == 2, schema=schema) == [{"t": 1, "code": 2}, {"t": 7, "code": 2}]


def test_text_is_kept_whatever_another_file_has(tmp_path: Path) -> None:
    write_bytes(tmp_path / "t" / "a.csv", "v,w\n1,1\n2.50,9007199254740993\n")
    write_bytes(tmp_path / "t" / "b.csv", "v,w\nx,0.5\n")
    assert column(tmp_path / "t", "v") == ["1", "2.50", "x"]
    assert column(tmp_path / "t", "w") == ["1", "9007199254740993", "0.5"]


def test_a_schema_without_a_name_of_the_header_lists_both(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "a.csv", "a,b\n1,2\n")
    dataset = shoal.open(str(path), schema=pa.schema([("x", pa.int64()), ("y", pa.int64())]))
    for question in (lambda t: t.to_table(), lambda t: t.count(), lambda t: t.plan()):
        with pytest.raises(pa.ArrowInvalid, match=r"a\.csv' has the columns a, b, .* schema has x, y"):
            question(dataset)


def test_json_keys_come_and_go(tmp_path: Path) -> None:
    write_bytes(tmp_path / "t" / "a.jsonl", '{"a": null, "s": {"x": 1}}\n{"a": 1, "l": [1]}\n')
    write_bytes(tmp_path / "t" / "b.json", '{"s": {"y": "q"}, "l": [2.5], "n": true}\n')
    assert rows(tmp_path / "t") == [
        {"a": None, "s": {"x": 1, "y": None}, "l": None, "n": None},
        {"a": 1, "s": None, "l": [1.0], "n": None},
        {"a": None, "s": {"x": None, "y": "q"}, "l": [2.5], "n": True},
    ]
    assert column(tmp_path / "t", "s.y") == [None, None, "q"]


def test_half_a_json_line_is_named(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "a.jsonl", '{"a": 1}\n{"a": 2}\n{"a"')
    with pytest.raises(pa.ArrowInvalid, match=r"a\.jsonl', line 3: it is no JSON object, at byte 5"):
        rows(path)
    with pytest.raises(pa.ArrowInvalid, match=r"a\.jsonl', line 3: "):
        rows(path, schema=pa.schema([("a", pa.int64())]))
    with pytest.raises(pa.ArrowInvalid, match=r"a\.jsonl', line 3: "):
        shoal.open(str(path), schema=pa.schema([("a", pa.int64())])).count()


# ---- F. limit, count, order --------------------------------------------------------------------------------


def test_head_takes_the_first_files(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for number in range(20):
        write(root / f"{number:02}.parquet", {"x": [number * 5 + i for i in range(5)]})
    dataset = shoal.open(str(root))
    scan = dataset.scan(limit=7)
    assert scan.to_table()["x"].to_pylist() == list(range(7))
    assert len(json.loads(dataset.plan(limit=7).to_json())["fragments"]) == 2
    assert dataset.scan(limit=3, offset=4).to_table()["x"].to_pylist() == [4, 5, 6]
    nothing = dataset.scan(limit=0).to_table()
    assert nothing.num_rows == 0
    assert nothing.schema.names == ["x"]


def test_count_equals_the_length_of_the_scan(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for k in range(3):
        write(
            root / f"k={k}" / "f.parquet",
            {"x": list(range(100)), "y": [None] * 50 + [1.5] * 50},
            row_group_size=10,
        )
    dataset = shoal.open(str(root))
    for filter_ in [
        None,
        "k = 1",
        "x >= 0",
        "x >= 55",
        "x >= 55 and k > 0",
        "y is null",
        "y > 1",
        "not (y > 1)",
    ]:
        assert dataset.count(filter_) == dataset.scan(filter=filter_).to_table().num_rows, filter_


def test_small_row_groups_make_batches_of_the_wanted_size(tmp_path: Path) -> None:
    path = write(tmp_path / "f.parquet", {"x": list(range(10_000))}, row_group_size=10)
    batches = list(shoal.open(str(path)).scan(batch_size=1000).to_batches())
    assert sum(batch.num_rows for batch in batches) == 10_000
    assert all(batch.num_rows >= 500 for batch in batches[:-1])
    assert all(batch.num_rows <= 1000 for batch in batches)


# ---- I. engine hooks ---------------------------------------------------------------------------------------


def test_groups_joined_by_their_declaration_meet_at_equal_keys(tmp_path: Path) -> None:
    left, right = (
        shoal.open(str(hive(tmp_path / keys, "k", list(keys))))
        .plan()
        .file_groups(2, preserve_file_partitions=1)
        for keys in ("ABC", "ACD")
    )
    assert left.output_partitioning == right.output_partitioning == ("k",)
    keys = [[group.partition_values for group in groups] for groups in (left, right)]
    assert keys == [[[{"k": "A"}, {"k": "C"}], [{"k": "B"}]], [[{"k": "A"}, {"k": "D"}], [{"k": "C"}]]]
    joined: list[str] = []
    for a in left:
        for b in right:
            # Each pair of groups that declares a key in common, not the groups of equal numbers.
            if [values for values in a.partition_values or [] if values in (b.partition_values or [])]:
                joined += (
                    a.plan.to_table()
                    .join(b.plan.to_table(), "k", right_suffix="_b", join_type="inner")["k"]
                    .to_pylist()
                )
    assert sorted(joined) == ["A", "C"]


@pytest.mark.parametrize("starts, ordered", [((0, 10, 20), 1), ((0, 9, 20), 1), ((0, 5, 20), 2)])
def test_an_order_is_claimed_only_of_ranges_that_follow_each_other(
    tmp_path: Path, starts: tuple[int, ...], ordered: int
) -> None:
    for number, start in enumerate(starts):
        values = range(start, start + 10)
        write(tmp_path / f"{number}.parquet", {"t": values}, sorting_columns=[pq.SortingColumn(0)])
    plan = shoal.open(str(tmp_path)).plan(column_statistics=True)
    for n in (1, 2):
        groups = plan.file_groups(n, "ordering")
        assert bool(groups.output_ordering) == (n >= ordered)
        for group in groups if groups.output_ordering else ():
            t = group.plan.to_table()["t"].to_pylist()
            assert t == sorted(t)
    write(tmp_path / "unsorted.parquet", {"t": [99, 98]})
    plan = shoal.open(str(tmp_path)).plan(column_statistics=True)
    assert plan.file_groups(9, "ordering").output_ordering == ()
