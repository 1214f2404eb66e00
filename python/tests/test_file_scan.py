"""The contract with query engines."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shoal
from files import flights, hive, numbers, write
from shoal._file_scan import ReadMode

MODES: tuple[ReadMode, ReadMode] = ("shoal_reads", "engine_reads")


def read(scan: shoal.FileScan, *, finish: bool = True) -> pa.Table:
    """What an engine makes of a scan: in the second mode pyarrow's reader reads the files."""
    batches: list[pa.RecordBatch] = []
    for group in scan.file_groups:
        if scan.mode == "shoal_reads":
            batches += group.plan.to_table().to_batches()
            continue
        for fragment in group.fragments:
            file = pq.ParquetFile(fragment.path)
            adapter = scan.adapter(fragment, file.schema_arrow)
            names = [file.schema_arrow.names[i] for i in adapter.columns]
            for batch in file.iter_batches(7, fragment.row_groups, names):
                batches.append(adapter.adapt(batch))
    if finish:
        batches = [scan.finish(batch) for batch in batches]
    return pa.Table.from_batches(batches, scan.output_schema if finish else scan.scan_schema)


def same(left: pa.Table, right: pa.Table) -> bool:
    """Rows and their order; NaN is NaN."""
    return left.schema == right.schema and repr(left.to_pylist()) == repr(right.to_pylist())


def uses(table: shoal.Dataset, filters: list[Any]) -> list[tuple[str, ...]]:
    """For each filter the answers in both modes."""
    answers = [table.supports_filters(filters, mode) for mode in MODES]
    return [(by_shoal.use, by_engine.use) for by_shoal, by_engine in zip(*answers, strict=True)]


def test_what_is_said_of_filters(tmp_path: Path) -> None:
    table = shoal.open(hive(tmp_path, "k", ["1", "2"]))
    filters = ["k = 1", "x = 1", "k = 1 and x = 1", pc.field("k") > 1]
    exact, data = ("exact", "exact"), ("exact", "inexact")
    assert uses(table, filters) == [exact, data, data, exact]
    random_half = pc.less(pc.Expression._call("random", [], pc.RandomOptions()), 0.5)
    assert uses(table, [random_half]) == [("unsupported", "unsupported")]
    assert "`random`" in table.supports_filters([random_half])[0].reason
    assert table.supports_filters([]) == []
    with pytest.raises(ValueError, match="y"):
        table.supports_filters(["y = 1"])
    with pytest.raises(TypeError):
        table.supports_filters(["x = 'a'"])
    with pytest.raises(TypeError, match="list of filters"):
        table.supports_filters("x = 1")
    with pytest.raises(ValueError, match="mode"):
        table.supports_filters(["x = 1"], "neither")  # type: ignore[arg-type]


def test_a_scan_says_what_is_left_to_do(tmp_path: Path) -> None:
    table = shoal.open(hive(tmp_path, "k", ["1", "2", "3"]))
    scan = table.file_scan(["k"], ["k >= 2 and x != 2"], limit=5, offset=1, mode="engine_reads")
    assert [str(each) for each in scan.residual_filters] == ["(x != 2)"]
    assert scan.scan_schema.names == ["k", "x"]
    assert scan.output_schema.names == ["k"]
    assert scan.projection == [1, 0]
    assert (scan.limit, scan.offset, scan.limit_pushed, scan.group_limit) == (5, 1, False, None)
    assert scan.limit_reason is not None
    assert "x != 2 is inexact" in scan.limit_reason
    assert read(scan).to_pydict() == {"k": [2]}
    pushed = table.file_scan([0], ["k >= 2"], limit=1, mode="engine_reads")
    assert (pushed.limit_pushed, pushed.limit_reason, pushed.group_limit) == (True, None, 1)
    assert len(pushed.plan.fragments) == 1
    assert pushed.output_schema.names == ["x"]


def test_what_an_engine_needs_to_know(tmp_path: Path) -> None:
    table = shoal.open(hive(tmp_path, "k", ["1", "2", "3"]))
    promise = shoal.TableConstraint(("x",), primary_key=True)
    scan = table.file_scan(target_partitions=2, preserve_file_partitions=1, constraints=[promise])
    assert scan.constraints == (promise,)
    assert scan.output_partitioning == ["k"]
    assert [group.partition_values for group in scan.file_groups] == [[{"k": 1}, {"k": 3}], [{"k": 2}]]
    assert scan.table_schema.names == ["x", "k"]
    assert scan.file_schema.names == ["x"]
    assert scan.partition_schema.names == ["k"]
    assert scan.format == "parquet"
    assert scan.filesystem == table.filesystem
    assert scan.statistics.num_rows == (3, True)
    assert scan.statistics.columns["x"].max == (2, True)
    assert table.file_scan(collect_statistics=False).statistics.num_rows is None
    with pytest.raises(ValueError, match="constraints"):
        table.file_scan(constraints=[shoal.TableConstraint(("y",))])
    with pytest.raises(ValueError, match="target_partitions"):
        table.file_scan(target_partitions=0)
    with pytest.raises(TypeError, match="not of both"):
        table.file_scan(["x", 1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="twice"):
        table.file_scan([0, 0])


def test_adapters_make_rows_of_the_table(tmp_path: Path) -> None:
    write(tmp_path / "k=1" / "a.parquet", {"x": pa.array([1, None], pa.int16()), "s": [{"p": 1}, None]})
    write(
        tmp_path / "k=2" / "b.parquet", {"y": ["u"], "x": pa.array([7], pa.int64()), "s": [{"p": 2, "q": 3}]}
    )
    scan = shoal.open(tmp_path).file_scan(mode="engine_reads")
    assert same(read(scan), shoal.open(tmp_path).to_table())
    fragment = scan.plan.fragments[1]
    adapter = scan.adapter(fragment, pq.read_schema(fragment.path))
    assert (adapter.columns, adapter.leaves) == ([0, 1, 2], [0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"b\.parquet: a batch lacks column `x`"):
        adapter.adapt(pa.RecordBatch.from_pydict({"y": ["u"]}))
    with pytest.raises(TypeError, match="x"):
        scan.adapter(fragment, pa.schema({"x": pa.string()}))
    with pytest.raises(KeyError):
        scan.adapter(shoal.PlanFragment("no.parquet", None, {}, None, None, None, ()), pa.schema({}))


def test_functions_that_only_the_engine_knows_stay_with_it(tmp_path: Path) -> None:
    table = shoal.open(numbers(tmp_path, 2))
    unknown = pc.Expression._call("engine_soundex", [pc.field("x")])
    assert uses(table, [unknown]) == [("unsupported", "unsupported")]
    scan = table.file_scan([], [unknown])
    assert scan.scan_schema.names == ["x"]
    assert read(scan, finish=False).num_rows == 20
    with pytest.raises(NotImplementedError, match="engine_soundex"):
        scan.finish(pa.RecordBatch.from_pydict({"x": [1]}))


def is_odd(context: pc.UdfContext, x: pa.Array) -> pa.Array:
    return pc.equal(pc.bit_wise_and(x, 1), 1)


def test_functions_made_in_python(tmp_path: Path) -> None:
    table = shoal.open(numbers(tmp_path, 3))
    pc.register_scalar_function(
        is_odd, "shoal_test_is_odd", {"summary": "", "description": ""}, {"x": pa.int64()}, pa.bool_()
    )
    odd = pc.Expression._call("shoal_test_is_odd", [pc.field("x")])
    for mode in MODES:
        scan = table.file_scan(None, [odd], mode=mode, target_partitions=3)
        rows = read(scan, finish=True)
        assert rows["x"].to_pylist() == [x for x in range(30) if x % 2]


PARTS = [
    "year = 2023",
    "month >= 2",
    "year = 2024 or month = 1",
    "delay > 20",
    "delay is null",
    "distance < 7.5",
    "carrier in ('UA', 'B6')",
    "carrier != 'DL' or month = 3",
    "id + 1 < 150",
    "not (delay > 10)",
]


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_asked_rows_are_those_of_the_whole_table(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    table = shoal.open(flights(tmp_path))
    whole = table.to_table()
    filters = chance.sample(PARTS, chance.randrange(4))
    projection = chance.choice([None, chance.sample(whole.column_names, chance.randrange(1, 4))])
    limit, offset = chance.choice([None, 0, 1, 25, 1000]), chance.choice([0, 0, 7])
    expected = table.scan(None, " and ".join(f"({each})" for each in filters) or None).to_table()
    if projection is not None:
        expected = expected.select(projection)
    for mode in MODES:
        scan = table.file_scan(
            projection,
            filters,
            limit,
            offset,
            mode=mode,
            target_partitions=chance.randrange(1, 5),
            collect_statistics=chance.random() < 0.7,
        )
        exact = all(each.use == "exact" for each in scan.filters)
        assert exact == (not scan.residual_filters)
        assert scan.limit_pushed == (exact and (limit is not None or offset > 0))
        rows = read(scan)
        assert same(rows.slice(offset, limit), expected.slice(offset, limit))
        if not scan.limit_pushed:
            assert same(rows, expected)


def test_quotients_of_decimals_are_left_to_the_engine_as_they_were_asked(tmp_path: Path) -> None:
    narrow, wide = pa.decimal128(9, 2), pa.decimal128(38, 0)
    columns = {
        "x": pa.array([1, 6, 9], pa.int64()).cast(pa.decimal128(21, 2)).cast(narrow),
        "w": pa.array([2, 2, 2], pa.int64()).cast(wide),
        "p": pa.array([9, 9, 1], pa.int64()).cast(pa.decimal128(21, 2)).cast(narrow),
        "q": pa.array([1, 1, 1], pa.int64()).cast(wide),
    }
    write(tmp_path / "a.parquet", pa.table(columns))
    dataset = shoal.open(tmp_path)
    for projection in (["p", "q"], ["p"], ["w", "p"]):
        expected = dataset.scan(projection, "x / w > 2").to_table()
        assert expected["p"].to_pylist() == [9, 1]
        for mode in MODES:
            assert read(dataset.file_scan(projection, ["x / w > 2"], mode=mode)).equals(expected)
