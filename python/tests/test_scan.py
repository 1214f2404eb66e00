"""Scans: columns, limits, batches and how they are read, compared with pyarrow.parquet and Arrow compute."""

from __future__ import annotations

import decimal
import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
from files import numbers, same, write

field = pc.field


def test_all_rows_in_the_order_of_paths(flights: Path, flights_table: pa.Table) -> None:
    dataset = shoal.open(flights)
    same(dataset.to_table(), flights_table)
    same(dataset.scan().to_table(), flights_table)
    same(pa.Table.from_batches(dataset.scan().to_batches(), dataset.schema), flights_table)
    same(dataset.scan().to_reader().read_all(), flights_table)
    assert dataset.count() == dataset.scan().count() == flights_table.num_rows


def test_columns_come_in_the_order_asked_for(flights: Path, flights_table: pa.Table) -> None:
    for columns in [["carrier", "id"], ["year"], ["month", "delay", "year"], ("id",), ["id", "id"]]:
        scan = shoal.open(flights).scan(columns)
        assert scan.schema.names == list(columns)
        table = scan.to_table()
        assert table.schema.equals(scan.schema)
        assert table.column_names == list(columns)
        for i, name in enumerate(columns):
            assert repr(table.column(i).to_pylist()) == repr(flights_table[name].to_pylist())


def test_any_iterable_of_names_is_a_list_of_columns(flights: Path) -> None:
    dataset = shoal.open(flights)
    assert dataset.scan(name for name in ["id", "year"]).schema.names == ["id", "year"]
    assert dataset.scan({"id": 0}.keys()).schema.names == ["id"]


def test_no_columns_still_count_rows(flights: Path, flights_table: pa.Table) -> None:
    scan = shoal.open(flights).scan([], "year = 2023")
    table = scan.to_table()
    assert (table.num_rows, table.num_columns) == (120, 0)
    assert sum(batch.num_rows for batch in scan.to_batches()) == 120


def test_keys_alone_read_no_data(flights: Path) -> None:
    scan = shoal.open(flights).scan(["year", "month"])
    table = scan.to_table()
    assert table["year"].to_pylist() == [2023] * 120 + [2024] * 120
    metrics = scan.metrics
    assert metrics is not None
    data = shoal.open(flights).scan(["id"])
    data.to_table()
    assert data.metrics is not None
    assert metrics.bytes_read < data.metrics.bytes_read
    assert metrics.rows_returned == 240


def test_computed_columns(flights: Path, flights_table: pa.Table) -> None:
    scan = shoal.open(flights).scan(
        {
            "hours": "delay / 60",
            "twice": field("id") * 2,
            "carrier": "carrier",
            "k": field("year"),
            "one": pc.scalar(1),
        }
    )
    table = scan.to_table()
    assert table.schema.equals(scan.schema)
    assert table.column_names == ["hours", "twice", "carrier", "k", "one"]
    delay = pc.divide_checked(flights_table["delay"].cast(pa.int64()), 60)
    assert table["hours"].to_pylist() == delay.to_pylist()
    assert table["twice"].to_pylist() == pc.multiply(flights_table["id"], 2).to_pylist()
    assert table["carrier"].to_pylist() == flights_table["carrier"].to_pylist()
    assert table["k"].to_pylist() == flights_table["year"].to_pylist()
    assert table["one"].to_pylist() == [1] * 240


def test_fields_of_structs(tmp_path: Path) -> None:
    rows: list[dict[str, Any] | None] = [{"x": 1, "y": {"z": "a"}}, None, {"x": None, "y": {"z": "b"}}]
    write(tmp_path / "f.parquet", {"s": rows, "s.x": ["flat"] * 3})
    dataset = shoal.open(tmp_path)
    table = dataset.scan(["s.y.z", "s.x"]).to_table()
    assert table.to_pydict() == {"s.y.z": ["a", None, "b"], "s.x": ["flat"] * 3}
    assert dataset.scan({"x": 's."x"'}).to_table().to_pydict() == {"x": [1, None, None]}
    assert dataset.scan({"x": field("s", "x")}).to_table().to_pydict() == {"x": [1, None, None]}
    assert dataset.scan(["s"], "s.y.z = 'b'").to_table()["s"].to_pylist() == [rows[2]]


@pytest.mark.parametrize(
    ("limit", "offset"), list(itertools.product([0, 1, 7, 20, 21, 239, 1000, None], [0, 1, 20, 65, 240]))
)
def test_limit_and_offset_are_slices(
    flights: Path, flights_table: pa.Table, limit: int | None, offset: int
) -> None:
    scan = shoal.open(flights).scan(["id"], limit=limit, offset=offset)
    expected = flights_table.select(["id"]).slice(offset, limit)
    same(scan.to_table(), expected)
    assert scan.count() == expected.num_rows


def test_limits_count_rows_that_pass_the_filter(flights: Path, flights_table: pa.Table) -> None:
    expected = flights_table.filter(pc.greater(flights_table["delay"], 30)).slice(5, 12)
    scan = shoal.open(flights).scan(None, "delay > 30", 12, 5)
    same(scan.to_table(), expected)
    assert scan.count() == 12
    assert shoal.open(flights).scan(filter="delay > 30", limit=10**12, offset=10**12).count() == 0


def test_head_opens_only_the_files_it_needs(tmp_path: Path) -> None:
    dataset = shoal.open(numbers(tmp_path, 20, rows=5), inspect="first")
    assert dataset.head(7)["x"].to_pylist() == list(range(7))
    assert dataset.head().num_rows == 10
    assert dataset.head(0).schema.names == ["x"]
    scan = dataset.scan(limit=7)
    scan.to_table()
    assert scan.metrics is not None
    assert scan.metrics.files_opened <= 3
    assert len(dataset.scan(limit=7).plan().fragments) == 2


def test_batch_size_is_met_whatever_the_row_groups(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": range(1000)}, row_group_size=10)
    write(tmp_path / "b.parquet", {"x": range(1000, 3000)}, row_group_size=2000)
    for size in [1, 7, 100, 5000]:
        batches = list(shoal.open(tmp_path).scan(limit=1100, batch_size=size).to_batches())
        lengths = [batch.num_rows for batch in batches]
        assert sum(lengths) == 1100
        assert min(lengths) > 0
        assert max(lengths) <= size
        assert len(batches) <= 2 * 1100 / size + 2
    xs = [
        x for batch in shoal.open(tmp_path).scan(batch_size=100).to_batches() for x in batch["x"].to_pylist()
    ]
    assert xs == list(range(3000))


@pytest.mark.parametrize(
    "options",
    [
        {"workers": 0},
        {"workers": 1, "io_concurrency": 1},
        {"memory_budget": 1},
        {"batch_size": 1, "memory_budget": 1, "workers": 0, "io_concurrency": 1},
        {"workers": 16, "io_concurrency": 64},
        {"memory_pool": pa.system_memory_pool()},
        {"on_missing": "skip", "on_corrupt": "skip"},
    ],
    ids=str,
)
def test_how_it_is_read_never_changes_the_rows(
    flights: Path, flights_table: pa.Table, options: dict[str, Any]
) -> None:
    expected = flights_table.filter(pc.equal(flights_table["carrier"], "UA"))
    same(shoal.open(flights).scan(filter="carrier = 'UA'", **options).to_table(), expected)


def test_unordered_scans_have_the_same_rows(flights: Path, flights_table: pa.Table) -> None:
    table = shoal.open(flights).scan(ordered=False, workers=4).to_table()
    assert sorted(table["id"].to_pylist()) == flights_table["id"].to_pylist()


def test_threaded_scans_repeat_themselves(flights: Path) -> None:
    dataset = shoal.open(flights)
    first = [batch.num_rows for batch in dataset.scan(batch_size=13).to_batches()]
    for _ in range(3):
        assert [batch.num_rows for batch in dataset.scan(batch_size=13).to_batches()] == first


def test_a_scan_reads_anew_each_time(tmp_path: Path) -> None:
    scan = shoal.open(numbers(tmp_path, 2)).scan(["x"])
    assert scan.metrics is None
    assert scan.to_table().equals(scan.to_table())
    first, second = scan.to_batches(), scan.to_batches()
    assert next(first).equals(next(second))


def test_batches_end_and_stay_ended(tmp_path: Path) -> None:
    batches = shoal.open(numbers(tmp_path, 1)).scan().to_batches()
    assert len(list(batches)) == 1
    assert next(batches, None) is None
    with shoal.open(tmp_path).scan().to_batches() as batches:
        next(batches)
    assert list(batches) == []
    batches.close()


def test_a_scan_that_is_only_described_reads_nothing(tmp_path: Path) -> None:
    scan = shoal.open(tmp_path / "missing").scan(["x"], "x > 1", limit=3)
    assert "x > 1" in repr(scan)
    batches = scan.to_batches()
    with pytest.raises(FileNotFoundError):
        next(batches)


def test_metrics_tell_what_was_read(flights: Path) -> None:
    scan = shoal.open(flights).scan(["id"], "id >= 230")
    assert scan.to_table()["id"].to_pylist() == list(range(230, 240))
    metrics = scan.metrics
    assert metrics is not None
    assert metrics.rows_returned == 10
    assert metrics.row_groups_pruned > metrics.row_groups_read > 0
    assert metrics.skipped == ()
    batches = scan.to_batches()
    for _ in batches:
        pass
    assert scan.metrics is not None
    assert scan.metrics.rows_returned == 10


def test_files_that_changed_after_planning_are_skipped_on_request(tmp_path: Path) -> None:
    root = numbers(tmp_path, 3)
    dataset = shoal.open(root)
    assert dataset.count() == 30
    (root / "01.parquet").unlink()
    (root / "02.parquet").write_bytes(b"PAR1" + b"\0" * 100 + b"PAR1")
    schema = dataset.schema
    fresh = shoal.open(root, schema=schema).scan(on_corrupt="skip")
    assert fresh.to_table()["x"].to_pylist() == list(range(10))
    assert fresh.metrics is not None
    assert len(fresh.metrics.skipped) == 1
    assert "02.parquet" in fresh.metrics.skipped[0]
    # The schema is found in the others.
    scan = dataset.refresh().scan(on_missing="skip", on_corrupt="skip")
    assert scan.to_table()["x"].to_pylist() == list(range(10))
    with pytest.raises(pa.ArrowInvalid, match=r"02\.parquet"):
        dataset.refresh().to_table()


@pytest.mark.parametrize(
    "type_",
    [
        pa.bool_(),
        pa.int8(),
        pa.uint64(),
        pa.float32(),
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.binary(2),
        pa.date32(),
        pa.timestamp("us", "Europe/Paris"),
        pa.timestamp("ns"),
        pa.time64("us"),
        pa.duration("s"),
        pa.decimal128(9, 2),
        pa.decimal256(50, 3),
        pa.dictionary(pa.int32(), pa.string()),
        pa.list_(pa.int32()),
        pa.large_list(pa.string()),
        pa.list_(pa.int8(), 2),
        pa.map_(pa.string(), pa.int32()),
        pa.struct([("a", pa.int8()), ("b", pa.string())]),
        pa.null(),
        pa.float16(),
    ],
    ids=str,
)
def test_every_type_is_read_as_pyarrow_reads_it(tmp_path: Path, type_: pa.DataType) -> None:
    if pa.types.is_nested(type_):
        value: Any = (
            [("k", 1)]
            if pa.types.is_map(type_)
            else {"a": 1, "b": "x"}
            if pa.types.is_struct(type_)
            else [1, 2]
        )
        if pa.types.is_large_list(type_):
            value = ["x", "y"]
        column = pa.array([value, None, value], type_)
    elif pa.types.is_null(type_):
        column = pa.nulls(3)
    elif pa.types.is_boolean(type_):
        column = pa.array([True, None, False], type_)
    elif pa.types.is_fixed_size_binary(type_):
        column = pa.array([b"ab", None, b"cd"], type_)
    elif pa.types.is_dictionary(type_):
        column = pa.array(["a", None, "a"], pa.string()).dictionary_encode()
    else:
        column = pa.array([1, None, 2], pa.int32())
        if pa.types.is_decimal(type_):
            column = pa.array([decimal.Decimal("1.5"), None, decimal.Decimal(2)], type_)
        elif pa.types.is_floating(type_) or pa.types.is_integer(type_):
            column = column.cast(type_)
        elif pa.types.is_temporal(type_):
            column = (
                pa.array([1, None, 2], pa.int64()).cast(type_)
                if type_.bit_width == 64
                else column.cast(type_)
            )
        else:
            column = pa.array(["a", None, "b"]).cast(type_)
    write(tmp_path / "f.parquet", pa.table({"c": column, "n": [1, 2, 3]}))
    expected = pa.parquet.ParquetFile(tmp_path / "f.parquet").read()
    found = shoal.open(tmp_path).to_table()
    found.validate(full=True)
    assert found.equals(expected), (found.schema, expected.schema)
    assert shoal.open(tmp_path).scan(["n"], field("c").is_null()).to_table()["n"].to_pylist() == (
        [1, 2, 3] if pa.types.is_null(type_) else [2]
    )


def test_quotients_of_decimals_have_one_type_however_they_are_reached(tmp_path: Path) -> None:
    price = pa.array(["10.00", "20.01", None]).cast(pa.decimal128(15, 2))
    write(tmp_path / "f.parquet", {"price": price, "n": [3, 7, 1]})
    dataset = shoal.open(tmp_path)
    columns = {"each": pc.field("price") / pc.field("n"), "third": pc.field("price") / 3}
    scan = dataset.scan(
        columns=columns, filter="price / n > 2.8585 and price / n < 3 and price / 3 / 3 < 2.3"
    )
    table = scan.to_table()
    assert table.schema == scan.schema
    assert [round(value, 4) for value in table["third"].to_pylist()] == [decimal.Decimal("6.67")]
    again = shoal.ScanPlan.from_json(scan.plan().to_json())
    assert again.to_table() == table
    assert shoal.ScanPlan.from_json(again.to_json()).to_table() == table


def test_what_footers_and_keys_tell_reads_no_data(tmp_path: Path) -> None:
    for k in (1, 2):
        path = write(
            tmp_path / f"k={k}" / "f.parquet", {"x": range(100)}, row_group_size=10, compression="none"
        )
        content = bytearray(path.read_bytes())
        footer = int.from_bytes(content[-8:-4], "little") + 8
        content[4:-footer] = bytes(len(content) - footer - 4)
        path.write_bytes(content)
    dataset = shoal.open(tmp_path)
    assert dataset.count() == 200
    assert dataset.count("k = 2") == 100
    assert dataset.count("x >= 0 and x is not null") == 200
    assert dataset.count("x < 20 or k > 5") == 40
    assert dataset.count("x > 1000") == 0
    assert dataset.scan(["k"], "x < 10").to_table()["k"].to_pylist() == [1] * 10 + [2] * 10
    assert dataset.scan([], limit=150).to_table().num_rows == 150
    assert dataset.scan(filter="x > 1000").to_table().num_rows == 0
    assert dataset.plan(column_statistics=True).statistics.columns["x"].max == (99, True)
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"f\.parquet.*x|x.*f\.parquet"):
        dataset.to_table()


def test_limit_zero_opens_nothing(tmp_path: Path) -> None:
    scan = shoal.open(numbers(tmp_path, 3)).scan(limit=0)
    assert scan.to_table().num_rows == 0
    assert scan.metrics is not None
    assert (scan.metrics.files_opened, scan.metrics.bytes_read) == (0, 0)


def test_batches_are_allocated_in_the_given_pool(flights: Path) -> None:
    pool = pa.proxy_memory_pool(pa.default_memory_pool())
    table = shoal.open(flights).scan(memory_pool=pool).to_table()
    assert pool.bytes_allocated() > 0
    del table
    assert pool.bytes_allocated() == 0
    before = pa.default_memory_pool()
    try:
        pa.set_memory_pool(pool)
        table = shoal.open(flights).to_table()
        assert pool.bytes_allocated() > 0
        del table
    finally:
        pa.set_memory_pool(before)
