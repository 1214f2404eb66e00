"""The table's schema: the lossless union of the files', or a declared one that files are cast to."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
import shoal.dataset as ds
from files import same, write

field = pc.field


def two(root: Path, a: pa.Array, b: pa.Array) -> Path:
    """Two files, each of one column `v`, in row groups of two rows."""
    write(root / "a.parquet", pa.table({"v": a}), row_group_size=2)
    write(root / "b.parquet", pa.table({"v": b}), row_group_size=2)
    return root


# ---- the union ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "union"),
    [
        (pa.int32(), pa.int64(), pa.int64()),
        (pa.int64(), pa.int8(), pa.int64()),
        (pa.uint8(), pa.uint32(), pa.uint32()),
        (pa.uint8(), pa.int8(), pa.int16()),
        (pa.uint32(), pa.int16(), pa.int64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.int32(), pa.float64(), pa.float64()),
        (pa.int16(), pa.float32(), pa.float32()),
        (pa.decimal128(5, 2), pa.decimal128(9, 3), pa.decimal128(9, 3)),
        (pa.decimal128(5, 0), pa.decimal128(5, 4), pa.decimal128(9, 4)),
        (pa.string(), pa.large_string(), pa.large_string()),
        (pa.dictionary(pa.int32(), pa.string()), pa.string(), pa.string()),
        (pa.null(), pa.int16(), pa.int16()),
        (pa.string(), pa.null(), pa.string()),
        (pa.timestamp("ms"), pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC")),
        (pa.time32("ms"), pa.time64("us"), pa.time64("us")),
        (pa.duration("ms"), pa.duration("us"), pa.duration("us")),
    ],
    ids=str,
)
def test_files_widen_to_a_type_that_holds_all_values(
    tmp_path: Path, a: pa.DataType, b: pa.DataType, union: pa.DataType
) -> None:
    def values(type_: pa.DataType, start: int) -> pa.Array:
        if pa.types.is_null(type_):
            return pa.nulls(5)
        if pa.types.is_dictionary(type_):
            return values(pa.string(), start).dictionary_encode()
        numbers = [start, None, start + 1, start + 2, start + 3]
        if pa.types.is_string(type_) or pa.types.is_large_string(type_):
            return pa.array([None if n is None else f"v{n:03}" for n in numbers], type_)
        if pa.types.is_decimal(type_):
            return pa.array(
                [None if n is None else Decimal(n) / 4 for n in numbers], pa.decimal128(38, 4)
            ).cast(type_, safe=False)
        source = pa.int32() if pa.types.is_time32(type_) else pa.int64()
        return pa.array(numbers, source).cast(type_)

    start = {True: 1, False: 2}
    first, second = values(a, start[True]), values(b, start[False])
    root = two(tmp_path, first, second)
    dataset = shoal.open(root)
    assert dataset.schema == pa.schema([("v", union)])
    expected = pa.table({"v": pa.chunked_array([first.cast(union), second.cast(union)])})
    same(dataset.to_table(), expected)
    same(ds.dataset(root).to_table(), expected)
    # Each value found again, whatever the files' statistics are of.
    for value in expected["v"].drop_null().unique():
        for filter_, compare in [
            (field("v") == value, pc.equal),
            (field("v") > value, pc.greater),
            (field("v") <= value, pc.less_equal),
            (~(field("v") < value), lambda x, y: pc.invert(pc.less(x, y))),
        ]:
            wanted = expected.filter(compare(expected["v"], value))
            same(dataset.scan(filter=filter_).to_table(), wanted)
            assert dataset.count(filter_) == wanted.num_rows
    assert dataset.count("v is null") == expected["v"].null_count


def test_statistics_of_narrower_files_prune(tmp_path: Path) -> None:
    root = two(tmp_path, pa.array([1], pa.int32()), pa.array([2**40]))
    plan = shoal.open(root).plan(filter=field("v") == 2**40)
    assert [piece.path[-9:] for piece in plan.fragments] == ["b.parquet"]
    assert plan.to_table()["v"].to_pylist() == [2**40]
    again = shoal.ScanPlan.from_json(plan.to_json())
    assert again.to_table()["v"].to_pylist() == [2**40]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (pa.array([1]), pa.array([1.5])),
        (pa.array([1]), pa.array(["x"])),
        (pa.array([b"x"]), pa.array(["x"])),
        (pa.array([True]), pa.array([1])),
        (pa.array([1], pa.uint64()), pa.array([-1], pa.int64())),
        (pa.array([0], pa.timestamp("us", "UTC")), pa.array([0], pa.timestamp("us"))),
        (pa.array([0], pa.date32()), pa.array([0], pa.timestamp("us"))),
        (pa.array([{"a": 1}]), pa.array([1])),
    ],
    ids=lambda array: str(array.type),
)
def test_what_no_type_holds_is_an_error_that_names_column_types_and_files(
    tmp_path: Path, a: pa.Array, b: pa.Array
) -> None:
    with pytest.raises(pa.ArrowTypeError) as caught:
        shoal.open(two(tmp_path, a, b)).to_table()
    for word in ["`v`", "a.parquet", "b.parquet", str(a.type), str(b.type)]:
        assert word in str(caught.value)


def test_columns_in_order_of_first_appearance(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"a": [1]})
    write(tmp_path / "b.parquet", {"c": [2.5], "a": [2], "b": ["z"]})
    dataset = shoal.open(tmp_path)
    assert dataset.to_table().to_pydict() == {"a": [1, 2], "c": [None, 2.5], "b": [None, "z"]}
    assert dataset.scan(["a"], "b = 'z'").to_table()["a"].to_pylist() == [2]
    assert len(dataset.plan(filter="b = 'z'").fragments) == 1
    assert dataset.scan(["a"], "b is null").to_table()["a"].to_pylist() == [1]
    assert dataset.count("not (c > 3)") == 1


def test_structs_lists_and_maps_grow(tmp_path: Path) -> None:
    small, big = pa.struct([("a", pa.int32())]), pa.struct([("c", pa.string()), ("a", pa.int64())])
    union = pa.struct([("a", pa.int64()), ("c", pa.string())])
    for name, wrap, make in [
        ("struct", lambda type_: type_, lambda row: row),
        ("list", pa.list_, lambda row: [row, None]),
        ("map", lambda type_: pa.map_(pa.string(), type_), lambda row: [("k", row)]),
    ]:
        wrapped: Callable[[pa.DataType], pa.DataType] = wrap
        rows: list[Any] = [make({"a": 1}), None], [make({"c": "q", "a": 2**40})]
        root = two(tmp_path / name, pa.array(rows[0], wrapped(small)), pa.array(rows[1], wrapped(big)))
        table = shoal.open(root).to_table()
        assert table.schema.field("v").type == wrapped(union)
        table.validate(full=True)
        assert table["v"].to_pylist() == [make({"a": 1, "c": None}), None, make({"a": 2**40, "c": "q"})]
    dataset = shoal.open(tmp_path / "struct")
    assert dataset.scan(filter="v.c = 'q'").to_table()["v"].to_pylist() == [{"a": 2**40, "c": "q"}]
    assert dataset.scan(filter=field("v", "a") == 1).to_table().num_rows == 1


def test_a_column_is_nullable_if_any_file_lacks_it(tmp_path: Path) -> None:
    required = pa.schema(
        [pa.field("x", pa.int64(), nullable=False), pa.field("y", pa.int64(), nullable=False)]
    )
    write(tmp_path / "a.parquet", pa.table({"x": [1], "y": [1]}, schema=required))
    write(tmp_path / "b.parquet", pa.table({"x": [2]}, schema=required.remove(1)))
    schema = shoal.open(tmp_path).schema
    assert not schema.field("x").nullable
    assert schema.field("y").nullable
    table = shoal.open(tmp_path).to_table()
    assert table.cast(table.schema).num_rows == 2


def test_files_without_rows_count_for_the_schema(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", pa.table({"v": pa.array([], pa.int64()), "w": pa.array([], pa.string())}))
    write(tmp_path / "b.parquet", {"v": pa.array([1, 2], pa.int32())})
    dataset = shoal.open(tmp_path)
    assert dataset.schema == pa.schema([("v", pa.int64()), ("w", pa.string())])
    assert dataset.count() == 2
    assert dataset.head(1).num_rows == 1
    assert sum(batch.num_rows for batch in dataset.scan().to_batches()) == 2


def test_a_type_that_no_inspected_file_had_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"v": pa.array([1], pa.int32())})
    write(tmp_path / "b.parquet", {"v": pa.array([2], pa.int16())})
    write(tmp_path / "c.parquet", {"v": pa.array([3], pa.int64())})
    dataset = shoal.open(tmp_path, inspect="first")
    assert dataset.head(2)["v"].to_pylist() == [1, 2]
    for ask in (dataset.to_table, dataset.count, dataset.scan([]).to_table, lambda: dataset.count("v > 0")):
        with pytest.raises(pa.ArrowTypeError, match=r"c\.parquet.*`v`.*int64.*int32"):
            ask()
    assert dataset.scan(limit=2).count() == 2


def test_a_column_of_nulls_takes_the_type_of_a_key_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "k=a").mkdir()
    write(tmp_path / "k=a" / "f.parquet", {"v": [1], "k": pa.nulls(1)})
    write(tmp_path / "g.parquet", {"v": [2], "k": pa.nulls(1)})
    dataset = shoal.open(tmp_path)
    assert dataset.schema.field("k").type == pa.string()
    assert dataset.to_table().to_pydict() == {"v": [2, 1], "k": [None, "a"]}
    assert dataset.count("k = 'a'") == 1
    assert dataset.count("k is null") == 1


# ---- a declared schema -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (pa.array([1, 200, None]), pa.uint8(), [1, 200, None]),
        (pa.array([1, 2, None]), pa.float32(), [1.0, 2.0, None]),
        (pa.array([1.0, 2.0]), pa.int16(), [1, 2]),
        (pa.array([1, 2]), pa.string(), ["1", "2"]),
        (pa.array(["01", "-2"]), pa.int64(), [1, -2]),
        (pa.array(["2024-01-31"]), pa.date32(), [datetime.date(2024, 1, 31)]),
        (pa.array(["1.5", "nan", "-inf"]), pa.float64(), [1.5, float("nan"), float("-inf")]),
        (pa.array(["a", "b", "a"]), pa.dictionary(pa.int32(), pa.string()), ["a", "b", "a"]),
        (pa.array([Decimal("1.50")]), pa.decimal128(9, 1), [Decimal("1.5")]),
        (pa.array([0, 1], pa.timestamp("ns")), pa.timestamp("ns"), None),
        (
            pa.array([1_000_000], pa.timestamp("ns")),
            pa.timestamp("ms"),
            [datetime.datetime(1970, 1, 1, 0, 0, 0, 1000)],
        ),
        (pa.array([True, False]), pa.int8(), [1, 0]),
        (pa.array([[1, 2], None]), pa.list_(pa.float64()), [[1.0, 2.0], None]),
        (
            pa.array([{"a": 1, "b": "x"}]),
            pa.struct([("b", pa.string()), ("a", pa.string())]),
            [{"b": "x", "a": "1"}],
        ),
    ],
    ids=str,
)
def test_files_are_cast_to_a_declared_schema(
    tmp_path: Path, values: pa.Array, type_: pa.DataType, expected: list[Any] | None
) -> None:
    path = write(tmp_path / "f.parquet", pa.table({"v": values}), row_group_size=1)
    schema = pa.schema([("v", type_)])
    tables = [shoal.open(path, schema=schema).to_table(), ds.dataset(path, schema=schema).to_table()]
    if not pa.types.is_dictionary(type_):
        plan = shoal.open(path, schema=schema).plan()
        tables.append(shoal.ScanPlan.from_json(plan.to_json()).to_table())
    for table in tables:
        assert table.schema == schema
        assert repr(table["v"].to_pylist()) == repr(values.to_pylist() if expected is None else expected)
    assert shoal.open(path, schema=schema).count("v is null") == values.null_count


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (pa.array([1, 10, 2, 9, 33, None]), pa.string()),
        (pa.array(["1", "10", "2", "9", "33", None]), pa.int64()),
        (pa.array(["1", "10", "nan", "9", "33", None]), pa.float64()),
        (pa.array([1, 10, 2, 9, 33, None]), pa.float32()),
        (pa.array([1.0, 10.0, 2.0, 9.0, 33.0, None]), pa.int8()),
        (pa.array([2**24 + 1, 2**24, 2**24 + 2, 1, 2, None]), pa.float64()),
        (pa.array([1, 10, 2, 9, 33, None]), pa.decimal128(21, 1)),
        (pa.array([1, 10, 2, 9, 33, None], pa.int32()).cast(pa.date32()), pa.timestamp("us")),
        (pa.array(["1", "10", "2", "9", "33", None]), pa.dictionary(pa.int32(), pa.string())),
    ],
    ids=lambda x: str(x.type) if isinstance(x, pa.Array) else str(x),
)
@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
def test_filters_mean_the_declared_type_whatever_the_statistics_are_of(
    tmp_path: Path, values: pa.Array, type_: pa.DataType, operator: str
) -> None:
    path = write(tmp_path / "f.parquet", pa.table({"v": values}), row_group_size=2)
    plain = type_.value_type if pa.types.is_dictionary(type_) else type_
    cast = values.cast(plain)
    dataset = shoal.open(path, schema=pa.schema([("v", type_)]))
    compare = {
        "==": pc.equal,
        "!=": pc.not_equal,
        "<": pc.less,
        "<=": pc.less_equal,
        ">": pc.greater,
        ">=": pc.greater_equal,
    }[operator]
    for value in cast.drop_null():
        expression = compare(field("v"), value)
        expected = cast.filter(compare(cast, value))
        found = dataset.scan(filter=expression).to_table()["v"]
        assert repr(found.to_pylist()) == repr(expected.to_pylist()), value
        assert dataset.count(expression) == len(expected)
        assert dataset.count(~expression) == len(cast.filter(pc.invert(compare(cast, value))))


@pytest.mark.parametrize(
    ("values", "type_", "word"),
    [
        (pa.array([300]), pa.int8(), "300"),
        (pa.array([1.5]), pa.int64(), "1.5"),
        (pa.array(["one"]), pa.int64(), "one"),
        (pa.array([2**53 + 1]), pa.float64(), str(2**53 + 1)),
        (pa.array([-1]), pa.uint8(), "-1"),
        (pa.array([1], pa.timestamp("ns")), pa.timestamp("ms"), "1"),
        (pa.array([b"\xff"]), pa.string(), "UTF8"),
    ],
    ids=str,
)
def test_a_value_that_does_not_fit_names_file_column_and_value(
    tmp_path: Path, values: pa.Array, type_: pa.DataType, word: str
) -> None:
    path = write(tmp_path / "f.parquet", pa.table({"v": values, "n": [1] * len(values)}))
    dataset = shoal.open(path, schema=pa.schema([("v", type_), ("n", pa.int64())]))
    assert dataset.count() == 1
    assert dataset.scan(["n"]).to_table()["n"].to_pylist() == [1]
    with pytest.raises(pa.ArrowInvalid) as caught:
        dataset.to_table()
    for part in ["f.parquet", "`v`", word]:
        assert part in str(caught.value)


def test_casts_that_do_not_exist_fail_in_the_scan(tmp_path: Path) -> None:
    path = write(tmp_path / "f.parquet", {"v": [1]})
    for type_ in [pa.list_(pa.int64()), pa.struct([("a", pa.int64())])]:
        dataset = ds.dataset(path, schema=pa.schema([("v", type_)]))
        with pytest.raises(
            NotImplementedError, match=r"f\.parquet, column `v`: Unsupported cast from int64 to"
        ):
            dataset.to_table()


def test_no_declaration_relabels_zones(tmp_path: Path) -> None:
    for a, b in itertools.permutations([pa.timestamp("us", "UTC"), pa.timestamp("us")]):
        path = write(tmp_path / "f.parquet", pa.table({"v": pa.array([0], a)}))
        with pytest.raises(pa.ArrowTypeError, match=r"f\.parquet, column `v`"):
            shoal.open(path, schema=pa.schema([("v", b)])).to_table()


@pytest.mark.parametrize(
    ("values", "to"),
    [
        (pa.array([datetime.datetime(1970, 1, 1, 0, 0, 1)], pa.timestamp("us")), pa.date32()),
        (pa.array([datetime.datetime(1970, 1, 2, 3)], pa.timestamp("us")), pa.time64("us")),
        (pa.array([Decimal("12345678901234567.89")], pa.decimal128(20, 2)), pa.float64()),
        (pa.array([Decimal("16777217")], pa.decimal128(9, 0)), pa.float32()),
        (pa.array([0.125]), pa.decimal128(9, 2)),
    ],
)
def test_no_declaration_alters_values(tmp_path: Path, values: pa.Array, to: pa.DataType) -> None:
    write(tmp_path / "a.parquet", pa.table({"v": values}))
    with pytest.raises((ValueError, NotImplementedError), match=r"a\.parquet.*v"):
        shoal.open(tmp_path, schema=pa.schema({"v": to})).to_table()


def test_declarations_that_lose_nothing_are_casts(tmp_path: Path) -> None:
    day, cents = datetime.datetime(2024, 2, 29), Decimal("0.10")
    write(tmp_path / "a.parquet", pa.table({"d": pa.array([day], pa.timestamp("us")), "f": [0.1]}))
    schema = pa.schema({"d": pa.date32(), "f": pa.decimal128(9, 2)})
    assert shoal.open(tmp_path, schema=schema).to_table().to_pylist() == [{"d": day.date(), "f": cents}]


def test_a_column_that_is_not_null_has_no_nulls(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1, 2]})
    write(tmp_path / "b.parquet", {"x": [None, 4]})
    for name in ("x", "missing"):
        schema = pa.schema([pa.field(name, pa.int64(), nullable=False)])
        with pytest.raises(ValueError, match=rf"\.parquet.*{name}.*has nulls"):
            shoal.open(tmp_path, schema=schema).to_table()
