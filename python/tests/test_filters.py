"""Filters, as texts and as pyarrow expressions, against Arrow compute on rows read by pyarrow.parquet."""

from __future__ import annotations

import datetime
import decimal
import functools
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
import shoal.dataset as ds
from files import hive, same, write

field = pc.field
Mask = Callable[[pa.Table], Any]

CASES: list[tuple[str, pc.Expression, Mask]] = [
    ("id = 17", field("id") == 17, lambda t: pc.equal(t["id"], 17)),
    ("id == 17", field("id") == 17, lambda t: pc.equal(t["id"], 17)),
    ("id <> 17", field("id") != 17, lambda t: pc.not_equal(t["id"], 17)),
    ("delay > 30", field("delay") > 30, lambda t: pc.greater(t["delay"], 30)),
    ("not (delay > 30)", ~(field("delay") > 30), lambda t: pc.invert(pc.greater(t["delay"], 30))),
    ("delay is null", field("delay").is_null(), lambda t: pc.is_null(t["delay"])),
    ("delay is not null", field("delay").is_valid(), lambda t: pc.is_valid(t["delay"])),
    ("distance < 5.5", field("distance") < 5.5, lambda t: pc.less(t["distance"], 5.5)),
    ("not (distance < 5.5)", ~(field("distance") < 5.5), lambda t: pc.invert(pc.less(t["distance"], 5.5))),
    ("distance != 0", field("distance") != 0, lambda t: pc.not_equal(t["distance"], 0.0)),
    ("distance is nan", field("distance").is_nan(), lambda t: pc.is_nan(t["distance"])),
    ("carrier = 'UA'", field("carrier") == "UA", lambda t: pc.equal(t["carrier"], "UA")),
    (
        "carrier in ('UA', 'B6')",
        field("carrier").isin(["UA", "B6"]),
        lambda t: pc.is_in(t["carrier"], pa.array(["UA", "B6"])),
    ),
    ("carrier like 'A%'", pc.starts_with(field("carrier"), "A"), lambda t: pc.starts_with(t["carrier"], "A")),
    (
        "carrier ilike '%a'",
        pc.match_like(field("carrier"), "%a", ignore_case=True),
        lambda t: pc.match_like(t["carrier"], "%a", ignore_case=True),
    ),
    (
        "lower(carrier) = 'dl'",
        pc.utf8_lower(field("carrier")) == "dl",
        lambda t: pc.equal(pc.utf8_lower(t["carrier"]), "dl"),
    ),
    (
        "id between 30 and 90",
        (field("id") >= 30) & (field("id") <= 90),
        lambda t: pc.and_(pc.greater_equal(t["id"], 30), pc.less_equal(t["id"], 90)),
    ),
    (
        "id * 2 - 1 = 99",
        field("id") * 2 - 1 == 99,
        lambda t: pc.equal(pc.subtract(pc.multiply(t["id"], 2), 1), 99),
    ),
    ("delay < id", field("delay") < field("id"), lambda t: pc.less(t["delay"].cast(pa.int64()), t["id"])),
    ("year = 2024", field("year") == 2024, lambda t: pc.equal(t["year"], 2024)),
    (
        "month in (1, 3)",
        field("month").isin([1, 3]),
        lambda t: pc.is_in(t["month"], pa.array([1, 3], pa.int32())),
    ),
    (
        "year + month > 2025",
        field("year") + field("month") > 2025,
        lambda t: pc.greater(pc.add(t["year"], t["month"]), 2025),
    ),
    (
        "year = 2023 or id > 230",
        (field("year") == 2023) | (field("id") > 230),
        lambda t: pc.or_kleene(pc.equal(t["year"], 2023), pc.greater(t["id"], 230)),
    ),
    (
        "month = 2 and delay > 0",
        (field("month") == 2) & (field("delay") > 0),
        lambda t: pc.and_kleene(pc.equal(t["month"], 2), pc.greater(t["delay"], 0)),
    ),
    (
        "(month = 2 and delay > 0) or carrier is null",
        ((field("month") == 2) & (field("delay") > 0)) | field("carrier").is_null(),
        lambda t: pc.or_kleene(
            pc.and_kleene(pc.equal(t["month"], 2), pc.greater(t["delay"], 0)), pc.is_null(t["carrier"])
        ),
    ),
    ("month > id", field("month") > field("id"), lambda t: pc.greater(t["month"].cast(pa.int64()), t["id"])),
    ("true", pc.scalar(True), lambda t: pa.array([True] * t.num_rows)),
    ("false", pc.scalar(False), lambda t: pa.array([False] * t.num_rows)),
    ("null", pc.scalar(None), lambda t: pa.array([False] * t.num_rows)),
    ("delay = null", field("delay") == pa.scalar(None, pa.int32()), lambda t: pa.array([False] * t.num_rows)),
    (
        "coalesce(delay, 0) = 0",
        pc.coalesce(field("delay"), 0) == 0,
        lambda t: pc.equal(pc.fill_null(t["delay"], 0), 0),
    ),
]


@pytest.mark.parametrize(("text", "expression", "mask"), CASES, ids=[case[0] for case in CASES])
def test_rows_are_those_of_arrow_compute(
    flights: Path, flights_table: pa.Table, text: str, expression: pc.Expression, mask: Mask
) -> None:
    expected = flights_table.filter(mask(flights_table))
    dataset = shoal.open(flights)
    for filter_ in (text, expression):
        same(dataset.scan(filter=filter_).to_table(), expected)
        same(dataset.plan(filter=filter_).to_table(), expected)
        assert dataset.count(filter_) == expected.num_rows
        assert dataset.scan(["id"], filter_).to_table()["id"].to_pylist() == expected["id"].to_pylist()
    same(ds.dataset(flights, partitioning="hive").to_table(filter=expression), expected)
    assert ds.dataset(flights, partitioning="hive").count_rows(filter=expression) == expected.num_rows


def test_texts_and_expressions_are_the_same_thing(flights: Path) -> None:
    parsed = shoal.parse_filter("month = 6 and carrier in ('UA', 'AA')")
    assert isinstance(parsed, pc.Expression)
    dataset = shoal.open(flights)
    both = shoal.parse_filter("id > 10") & (field("id") < 15)
    assert dataset.scan(["id"], both).to_table()["id"].to_pylist() == [11, 12, 13, 14]


def test_isin_of_an_expression_finds_nulls_as_arrow_does(flights: Path, flights_table: pa.Table) -> None:
    values = pa.array(["UA", None])
    expected = flights_table.filter(pc.is_in(flights_table["carrier"], values))
    assert expected["carrier"].null_count > 0
    same(shoal.open(flights).scan(filter=field("carrier").isin(values)).to_table(), expected)
    text = shoal.open(flights).scan(filter="carrier in ('UA', null)").to_table()
    assert set(text["carrier"].to_pylist()) == {"UA"}


def test_literals_meet_columns_of_other_types(tmp_path: Path) -> None:
    day = datetime.date(2024, 1, 31)
    table = pa.table(
        {
            "i8": pa.array([1, 2, None], pa.int8()),
            "u64": pa.array([0, 2**64 - 1, 5], pa.uint64()),
            "f32": pa.array([0.1, 0.5, None], pa.float32()),
            "dec": pa.array([decimal.Decimal("0.10"), decimal.Decimal("5.00"), None], pa.decimal128(9, 2)),
            "day": pa.array([day, datetime.date(2024, 2, 1), None]),
            "at": pa.array(
                [datetime.datetime(2024, 1, 31, 10), datetime.datetime(2024, 1, 31), None], pa.timestamp("ns")
            ),
            "sv": pa.array(["a", "b", None], pa.string_view()),
            "ls": pa.array(["a", "b", None], pa.large_string()),
            "di": pa.array(["a", "b", None]).dictionary_encode(),
            "by": pa.array([b"a", b"b", None]),
        }
    )
    write(tmp_path / "f.parquet", table.append_column("n", pa.array([0, 1, 2])))
    dataset = shoal.open(tmp_path)
    for filter_, expected in [
        ("i8 < 300", [0, 1]),
        (field("i8") < 300, [0, 1]),
        ("i8 = 1.5", []),
        ("i8 < 1.5", [0]),
        (field("i8") <= 1.5, [0]),
        ("i8 = 1.0", [0]),
        ("u64 = 18446744073709551615", [1]),
        ("u64 > -1", [0, 1, 2]),
        (field("u64") > -1, [0, 1, 2]),
        ("f32 = 0.1", []),
        ("f32 = cast(0.1 as float32)", [0]),
        ("f32 = 0.5", [1]),
        ("dec = 0.1", [0]),
        (field("dec") == 0.1, [0]),
        ("dec = 5", [1]),
        (field("dec") == 5, [1]),
        (field("dec") >= decimal.Decimal("0.100"), [0, 1]),
        ("day = '2024-01-31'", [0]),
        (field("day") == day, [0]),
        (field("day") == "2024-01-31", [0]),
        ("day > date '2024-01-31'", [1]),
        (field("day") < datetime.datetime(2024, 1, 31, 12), [0]),
        ("at = '2024-01-31'", [1]),
        ("at > date '2024-01-31'", [0]),
        ("at >= timestamp '2024-01-31T10:00:00'", [0]),
        (field("at") == datetime.datetime(2024, 1, 31, 10), [0]),
        ("sv = 'a'", [0]),
        (field("sv") == "a", [0]),
        ("ls in ('b')", [1]),
        (field("ls").isin(["b"]), [1]),
        ("di = 'a'", [0]),
        (field("di") == "a", [0]),
        ("di in ('a', 'b')", [0, 1]),
        (field("di").isin(["a"]), [0]),
        ("by = 'b'", [1]),
        (field("by") == b"b", [1]),
        (field("di") == pa.scalar("b", pa.large_string()), [1]),
    ]:
        assert dataset.scan(["n"], filter_).to_table()["n"].to_pylist() == expected, filter_
        assert dataset.count(filter_) == len(expected), filter_


def test_text_keys_are_compared_with_numbers_by_number(tmp_path: Path) -> None:
    root = hive(tmp_path, "code", ["01", "1", "10"])
    dataset = shoal.open(root)
    assert dataset.schema.field("code").type == pa.string()
    assert dataset.scan(filter="code = 1").to_table()["code"].to_pylist() == ["01", "1"]
    assert dataset.scan(filter=field("code") > 5).to_table()["code"].to_pylist() == ["10"]
    assert dataset.scan(filter="code = '01'").to_table()["code"].to_pylist() == ["01"]
    assert len(dataset.plan(filter="code = 1").fragments) == 2


def test_names_that_need_quotes(tmp_path: Path) -> None:
    write(
        tmp_path / "f.parquet",
        {"departure delay": [1, 9], "in": [1, 2], 'a"b': [5, 6], "été": [7, 8], "a.b": [1, 2]},
    )
    dataset = shoal.open(tmp_path)
    for text in ['"departure delay" > 5', '"in" = 2', '"a""b" = 6', "été = 8", "a.b = 2", '"a.b" = 2']:
        assert dataset.count(text) == 1, text
    assert dataset.scan(["departure delay", "in", "a.b"]).to_table().num_columns == 3


def test_names_are_case_sensitive(tmp_path: Path) -> None:
    write(tmp_path / "f.parquet", {"a": [1, 2], "A": [2, 3]})
    dataset = shoal.open(tmp_path)
    assert dataset.scan(filter="a = 2").to_table().to_pydict() == {"a": [2], "A": [3]}
    assert dataset.scan(filter="A = 2").to_table().to_pydict() == {"a": [1], "A": [2]}


@pytest.mark.parametrize("count", [1000, 5000])
def test_long_lists_and_long_chains(flights: Path, count: int) -> None:
    dataset = shoal.open(flights)
    assert dataset.count(field("id").isin(range(0, count * 3, 3))) == 80
    assert dataset.count("id in (" + ", ".join(map(str, range(0, count * 3, 3))) + ")") == 80
    assert dataset.count(" or ".join(f"id = {i}" for i in range(0, 600, 3))) == 80


def test_filters_see_columns_that_are_not_projected(flights: Path, flights_table: pa.Table) -> None:
    expected = flights_table.filter(pc.equal(flights_table["carrier"], "DL"))
    scan = shoal.open(flights).scan(["month", "id"], "carrier = 'DL'")
    same(scan.to_table(), expected.select(["month", "id"]))
    # A new column may have an old one's name; the filter means the old one.
    scan = shoal.open(flights).scan({"carrier": "'x'"}, "carrier = 'DL'")
    assert scan.to_table()["carrier"].to_pylist() == ["x"] * expected.num_rows


def test_long_chains_and_deep_nesting_of_expressions(flights: Path) -> None:
    dataset = shoal.open(flights)
    assert dataset.count(functools.reduce(operator.or_, [field("id") == i for i in range(3000)])) == 240
    assert dataset.count(functools.reduce(operator.and_, [field("id") != i for i in range(3000)])) == 0
    with pytest.raises(pa.ArrowInvalid, match="nested"):
        dataset.count(functools.reduce(lambda e, _: ~e, range(3000), field("id") == 1))


def test_columns_may_be_referred_to_by_position(flights: Path) -> None:
    assert shoal.open(flights).count(field(0) >= 230) == 10
    assert ds.dataset(flights).to_table({"first": field(0)}).num_rows == 240


def test_functions_over_many_rows_are_refused(flights: Path) -> None:
    for expression in [pc.sum(field("id")), pc.cumulative_sum(field("id"))]:
        with pytest.raises(TypeError, match="row by row"):
            shoal.open(flights).scan({"x": expression}).to_table()


def test_functions_made_in_python(flights: Path, flights_table: pa.Table) -> None:
    def double(context: Any, x: Any) -> Any:
        return pc.multiply(x, 2)

    def fail(context: Any, x: Any) -> Any:
        raise RuntimeError("the function is wrong")

    for name, function in [("shoal_test_double", double), ("shoal_test_fail", fail)]:
        documentation = {"summary": name, "description": name}
        pc.register_scalar_function(function, name, documentation, {"x": pa.int64()}, pa.int64())
    doubled = pc.Expression._call("shoal_test_double", [field("id")])
    dataset = shoal.open(flights)
    assert dataset.count(doubled >= 460) == 10
    assert dataset.count("shoal_test_double(id) >= 460") == 10
    expected = pc.multiply(flights_table["id"], 2).to_pylist()
    assert dataset.scan({"twice": doubled}).to_table()["twice"].to_pylist() == expected
    failing = pc.Expression._call("shoal_test_fail", [field("id")])
    for read in [
        lambda: dataset.count(failing > 1),
        lambda: dataset.scan({"x": failing}, on_corrupt="skip").to_table(),
        lambda: list(dataset.scan(filter=failing > 1, on_missing="skip").to_batches()),
    ]:
        with pytest.raises(RuntimeError, match="the function is wrong"):
            read()


@pytest.mark.parametrize(
    ("text", "rows"),
    [("i < 1/3.0", 1), ("i < 1.0/3.0", 1), ("i < 2.0/3.00 + 1", 2), ("3.0 > 1/3.0", 3), ("i/3.0 < 0.4", 2)],
)
def test_quotients_of_literals_compare_with_columns(tmp_path: Path, text: str, rows: int) -> None:
    write(tmp_path / "a.parquet", pa.table({"i": [0, 1, 2]}))
    assert shoal.open(tmp_path).count(filter=text) == rows
