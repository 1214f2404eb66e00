"""Scans and datasets as Arrow streams, for pyarrow and for other libraries."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import shoal
import shoal.dataset as ds
from files import numbers, same, write


def test_datasets_scans_and_scanners_are_streams(flights: Path, flights_table: pa.Table) -> None:
    dataset = shoal.open(flights)
    other = ds.dataset(flights, partitioning="hive")
    for source in [dataset, dataset.scan(), dataset.scan().to_reader(), other, other.scanner()]:
        same(pa.table(source), flights_table)
    same(pa.RecordBatchReader.from_stream(dataset).read_all(), flights_table)
    column = pa.chunked_array(dataset.scan(["id"]))
    assert column.combine_chunks().field("id").to_pylist() == flights_table["id"].to_pylist()


def test_a_stream_may_be_asked_for_with_another_schema(flights: Path) -> None:
    wanted = pa.schema([("id", pa.int16()), ("carrier", pa.large_string())])
    scan = shoal.open(flights).scan(["id", "carrier"])
    reader = pa.RecordBatchReader.from_stream(scan, schema=wanted)
    assert reader.schema == wanted
    assert reader.read_all()["id"].to_pylist() == list(range(240))
    with pytest.raises((pa.ArrowInvalid, TypeError, ValueError)):
        pa.RecordBatchReader.from_stream(scan, schema=pa.schema([("other", pa.int16())])).read_all()


def test_schemas_are_arrow_schemas(flights: Path) -> None:
    dataset = shoal.open(flights)
    assert pa.schema(dataset) == dataset.schema
    scan = dataset.scan({"n": "id * 2"}, "year = 2024")
    assert pa.schema(scan) == scan.schema == pa.schema([("n", pa.int64())])
    assert pa.schema(ds.dataset(flights)).names == ["id", "delay", "distance", "carrier"]
    assert pa.schema(ds.dataset(flights).scanner(["id"])) == pa.schema([("id", pa.int64())])


def test_the_capsules_have_the_names_that_the_protocol_gives_them(flights: Path) -> None:
    scan = shoal.open(flights).scan(["id"])
    assert '"arrow_array_stream"' in repr(scan.__arrow_c_stream__())
    assert '"arrow_schema"' in repr(scan.__arrow_c_schema__())


def test_a_capsule_nobody_takes_reads_nothing(flights: Path) -> None:
    scan = shoal.open(flights).scan()
    capsule = scan.__arrow_c_stream__()
    del capsule
    assert scan.metrics is not None
    assert scan.metrics.files_opened == scan.metrics.requests == 0
    same(scan.to_table(), shoal.open(flights).to_table())


def test_dropping_or_closing_a_reader_stops_it(tmp_path: Path) -> None:
    scan = shoal.open(numbers(tmp_path, 50, rows=100)).scan(batch_size=10, memory_budget=1)
    reader = scan.to_reader()
    reader.read_next_batch()
    reader.close()
    assert scan.metrics is not None
    assert scan.metrics.files_opened < 50
    with pytest.raises((pa.ArrowInvalid, StopIteration)):
        reader.read_next_batch()
    with scan.to_reader() as reader:
        assert reader.read_next_batch().num_rows == 10


def test_batches_outlive_their_scan(tmp_path: Path) -> None:
    batches = list(shoal.open(numbers(tmp_path, 3)).scan(batch_size=4).to_batches())
    table = pa.Table.from_batches(batches)
    table.validate(full=True)
    assert table["x"].to_pylist() == list(range(30))


def test_metadata_of_fields_and_schema_comes_along(tmp_path: Path) -> None:
    schema = pa.schema(
        [pa.field("x", pa.int64(), nullable=False, metadata={"unit": "s"})], metadata={"who": "me"}
    )
    write(tmp_path / "f.parquet", pa.table({"x": [1]}, schema=schema))
    for found in [
        shoal.open(tmp_path).schema,
        pa.table(shoal.open(tmp_path)).schema,
        ds.dataset(tmp_path).schema,
    ]:
        assert found.field("x").metadata[b"unit"] == b"s"
        assert found.metadata == {b"who": b"me"}
        assert not found.field("x").nullable


def test_pandas_index_metadata_survives(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.5, 2.5]}, index=pandas.Index(["a", "b"], name="key"))
    write(tmp_path / "f.parquet", pa.Table.from_pandas(frame))
    pandas.testing.assert_frame_equal(shoal.open(tmp_path).to_table().to_pandas(), frame)


def test_polars_reads_scans(flights: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(shoal.open(flights).scan(["id", "carrier"], "year = 2024"))
    assert frame["id"].to_list() == list(range(120, 240))
    assert polars.DataFrame(ds.dataset(flights)).shape == (240, 4)


def test_duckdb_reads_scans(flights: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    scan = shoal.open(flights).scan(["id"], "year = 2024")  # noqa: F841
    assert duckdb.sql("select count(*), min(id) from scan").fetchall() == [(120, 120)]
