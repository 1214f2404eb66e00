"""shoal.dataset: the names and meanings of pyarrow.dataset, against pyarrow.parquet and Arrow compute."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pytest
import shoal.dataset as ds
from files import hive, numbers, same, write
from filesystems import Handler
from pyarrow import feather, orc

field = ds.field
DATA = ["id", "delay", "distance", "carrier"]


@pytest.fixture
def dataset(flights: Path) -> ds.FileSystemDataset:
    return ds.dataset(flights, format="parquet", partitioning="hive")


def test_neither_import_nor_scan_loads_the_other_dataset(flights: Path) -> None:
    code = (
        "import sys, shoal, shoal.dataset as ds\n"
        "d = ds.dataset(sys.argv[1], partitioning='hive')\n"
        "d.to_table(filter=ds.field('year') == 2024); d.count_rows(); list(d.get_fragments())\n"
        "shoal.open(sys.argv[1]).plan().to_json()\n"
        "print([m for m in sys.modules if m in ('pyarrow.dataset', 'pyarrow._dataset', 'pyarrow.acero')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(flights)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_names_are_re_exported() -> None:
    assert ds.field is pc.field
    assert ds.scalar is pc.scalar
    assert ds.Expression is pc.Expression
    assert not [name for name in ds.__all__ if not hasattr(ds, name)]
    assert all(inspect.getdoc(getattr(ds, name)) for name in ds.__all__)


# ---- opening -----------------------------------------------------------------------------------------------


def test_schema_and_files(dataset: ds.FileSystemDataset, flights: Path, flights_table: pa.Table) -> None:
    assert isinstance(dataset, ds.Dataset)
    assert dataset.schema.equals(flights_table.schema)
    assert dataset.files == sorted(str(path) for path in flights.rglob("*.parquet"))
    assert dataset.filesystem == pafs.LocalFileSystem()
    assert dataset.format == ds.ParquetFileFormat()
    assert dataset.format != object()
    assert "FileSystemDataset" in repr(dataset)


def test_sources(flights: Path, flights_table: pa.Table) -> None:
    data = flights_table.select(DATA)
    files = sorted(flights.rglob("*.parquet"))
    for source in [flights, str(flights), flights.as_uri(), files, [str(path) for path in files]]:
        same(ds.dataset(source).to_table(), data)
    assert ds.dataset(files[0]).count_rows() == 20
    same(ds.dataset(files, partitioning="hive", partition_base_dir=str(flights)).to_table(), flights_table)


def test_an_explicit_schema(flights: Path, flights_table: pa.Table) -> None:
    schema = pa.schema(
        [("carrier", pa.string()), ("new", pa.int8()), ("id", pa.int16()), ("year", pa.string())]
    )
    dataset = ds.dataset(flights, schema=schema, partitioning="hive")
    assert dataset.schema == schema
    table = dataset.to_table()
    assert table.schema == schema
    assert table["id"].to_pylist() == list(range(240))
    assert table["new"].null_count == 240
    assert table["year"].to_pylist() == ["2023"] * 120 + ["2024"] * 120


def test_ignore_prefixes(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    write(tmp_path / "_b.parquet", {"x": [2]})
    assert ds.dataset(tmp_path).count_rows() == 1
    assert ds.dataset(tmp_path, ignore_prefixes=["a"]).to_table()["x"].to_pylist() == [2]


def test_opening_only_looks_at_the_source(flights: Path) -> None:
    handler = Handler()
    dataset = ds.dataset(str(flights), filesystem=pafs.PyFileSystem(handler), partitioning="hive")
    assert handler.calls == {"get_file_info": 1}
    assert len(dataset.schema.names) == 6
    assert handler.calls["open"] == 12


def test_patterns(flights: Path) -> None:
    assert ds.dataset(f"{flights}/year=2024/month={{1,2}}/*.parquet").count_rows() == 80
    with pytest.raises(FileNotFoundError, match="year=2030"):
        ds.dataset(f"{flights}/year=2030/*.parquet")


def test_opening_reads_no_data(tmp_path: Path) -> None:
    numbers(tmp_path, 3)
    (tmp_path / "01.parquet").write_bytes(b"no Parquet, and nobody looks")
    dataset = ds.dataset(tmp_path, schema=pa.schema([("x", pa.int64())]))
    assert len(dataset.files) == 3
    assert len(list(dataset.get_fragments())) == 3
    assert dataset.head(10)["x"].to_pylist() == list(range(10))


# ---- scanning ----------------------------------------------------------------------------------------------


def test_to_table(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    same(dataset.to_table(), flights_table)
    same(dataset.to_table(["carrier", "year"]), flights_table.select(["carrier", "year"]))
    expected = flights_table.filter(pc.greater(flights_table["delay"], 40))
    same(dataset.to_table(filter=field("delay") > 40), expected)
    same(dataset.to_table(columns=["month"], filter=field("delay") > 40), expected.select(["month"]))
    same(dataset.to_table(use_threads=False), flights_table)


def test_columns_may_be_computed(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    table = dataset.to_table(
        {
            "twice": field("id") * 2,
            "id": field("carrier"),
            "late": field("delay") > 30,
            "k": field("year"),
            "one": ds.scalar(1),
            "upper": pc.utf8_lower(field("carrier")),
        }
    )
    assert table.column_names == ["twice", "id", "late", "k", "one", "upper"]
    assert table["twice"].to_pylist() == pc.multiply(flights_table["id"], 2).to_pylist()
    assert table["id"].to_pylist() == flights_table["carrier"].to_pylist()
    assert table["late"].to_pylist() == pc.greater(flights_table["delay"], 30).to_pylist()
    assert table["k"].to_pylist() == flights_table["year"].to_pylist()
    assert table["upper"].to_pylist() == pc.utf8_lower(flights_table["carrier"]).to_pylist()


def test_empty_and_repeated_columns(dataset: ds.FileSystemDataset) -> None:
    nothing = dataset.to_table([])
    assert (nothing.num_rows, nothing.num_columns) == (240, 0)
    assert dataset.to_table(["id", "id"]).column_names == ["id", "id"]


def test_dotted_names(tmp_path: Path) -> None:
    write(
        tmp_path / "f.parquet",
        {"interaction": [{"type": "click"}, {"type": "view"}], "a.dotted.field": [1, 2]},
    )
    dataset = ds.dataset(tmp_path)
    table = dataset.to_table(["interaction.type", "a.dotted.field"])
    assert table.to_pydict() == {"type": ["click", "view"], "a.dotted.field": [1, 2]}
    assert dataset.to_table(filter=field("interaction", "type") == "view").num_rows == 1
    assert dataset.to_table(filter=field(("interaction", "type")) == "view").num_rows == 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 3},
        {"batch_readahead": 0},
        {"fragment_readahead": 0},
        {"batch_readahead": 1},
        {"fragment_readahead": 1},
        {"batch_readahead": 1000, "fragment_readahead": 1000},
        {"use_threads": False},
        {"batch_readahead": 0, "fragment_readahead": 0, "batch_size": 1},
        {"memory_pool": pa.system_memory_pool()},
    ],
    ids=str,
)
def test_scan_keywords(
    dataset: ds.FileSystemDataset, flights_table: pa.Table, options: dict[str, Any]
) -> None:
    batches = list(dataset.to_batches(filter=field("month") == 2, **options))
    expected = flights_table.filter(pc.equal(flights_table["month"], 2))
    same(pa.Table.from_batches(batches), expected)
    assert min(batch.num_rows for batch in batches) > 0
    assert max(batch.num_rows for batch in batches) <= options.get("batch_size", 32768)
    same(dataset.to_table(filter=field("month") == 2, **options), expected)
    assert dataset.count_rows(field("month") == 2, **options) == 80
    same(dataset.head(9, **options), flights_table.slice(0, 9))


@pytest.mark.parametrize(
    ("options", "together"),
    [
        ({}, True),
        ({"batch_readahead": 1}, True),
        ({"fragment_readahead": 1}, True),
        ({"batch_readahead": 0}, False),
        ({"fragment_readahead": 0}, False),
        ({"use_threads": False}, False),
    ],
    ids=str,
)
def test_no_readahead_but_0_holds_up_reads(tmp_path: Path, options: dict[str, Any], together: bool) -> None:
    root, schema = str(numbers(tmp_path, 8)), pa.schema([("x", pa.int64())])
    lock, inside, most = threading.Lock(), 0, 0

    def before(call: str, path: str) -> None:
        nonlocal inside, most
        if call != "open":
            return
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.1)
        with lock:
            inside -= 1

    # With a schema no file is opened before the scan.
    dataset = ds.dataset(root, schema=schema, filesystem=pafs.PyFileSystem(Handler(before=before)))
    assert dataset.to_table(**options)["x"].to_pylist() == list(range(80))
    assert (most > 1) == together


def test_to_batches_is_an_iterator(dataset: ds.FileSystemDataset) -> None:
    batches = dataset.to_batches(["id"], batch_size=10)
    first = next(batches)["id"].to_pylist()
    assert first == list(range(len(first)))
    assert 0 < len(first) <= 10
    assert sum(batch.num_rows for batch in batches) == 240 - len(first)
    assert list(dataset.to_batches(filter=field("id") < 0)) == []


def test_head(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    for n in (0, 1, 25, 240, 1000):
        same(dataset.head(n), flights_table.slice(0, n))
    expected = flights_table.filter(pc.equal(flights_table["carrier"], "UA")).select(["id"]).slice(0, 5)
    same(dataset.head(5, ["id"], field("carrier") == "UA"), expected)
    same(dataset.head(5, columns=["id"], filter=field("carrier") == "UA"), expected)


def test_count_rows(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    assert dataset.count_rows() == 240
    assert dataset.count_rows(field("year") == 2023) == 120
    assert dataset.count_rows(filter=field("delay").is_null()) == flights_table["delay"].null_count


def test_scanner(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    scanner = dataset.scanner(columns=["id", "year"], filter=field("year") == 2024)
    assert isinstance(scanner, ds.Scanner)
    assert scanner.dataset_schema == dataset.schema
    assert scanner.projected_schema == pa.schema([("id", pa.int64()), ("year", pa.int32())])
    expected = flights_table.slice(120).select(["id", "year"])
    same(scanner.to_table(), expected)
    same(scanner.to_reader().read_all(), expected)
    same(pa.Table.from_batches(scanner.to_batches()), expected)
    assert scanner.count_rows() == 120
    same(scanner.head(3), expected.slice(0, 3))
    same(ds.Scanner.from_dataset(dataset, ["id", "year"], field("year") == 2024).to_table(), expected)


def test_filter_keeps_the_class_and_is_applied_by_every_scan(
    dataset: ds.FileSystemDataset, flights_table: pa.Table
) -> None:
    filtered = dataset.filter(field("year") == 2024).filter(field("id") < 130)
    assert type(filtered) is type(dataset)
    expected = flights_table.slice(120, 10)
    same(filtered.to_table(), expected)
    same(filtered.to_table(filter=field("id") > 125), expected.slice(6))
    same(filtered.head(2, ["id"]), expected.select(["id"]).slice(0, 2))
    assert filtered.count_rows() == 10
    assert filtered.count_rows(field("id") >= 128) == 2
    assert filtered.scanner(["carrier"]).to_table().num_rows == 10
    same(pa.table(filtered), expected)
    assert dataset.count_rows() == 240
    assert filtered.schema == dataset.schema


# ---- fragments ---------------------------------------------------------------------------------------------


def test_fragments_are_files_in_order(dataset: ds.FileSystemDataset) -> None:
    fragments = dataset.get_fragments()
    first = next(fragments)
    assert isinstance(first, ds.ParquetFileFragment)
    assert first.path == dataset.files[0]
    assert first.partition_expression.equals(
        (field("year") == pa.scalar(2023, pa.int32())) & (field("month") == pa.scalar(1, pa.int32()))
    )
    assert ds.get_partition_keys(first.partition_expression) == {"year": 2023, "month": 1}
    assert first.format == dataset.format
    assert first.filesystem == dataset.filesystem
    assert first.physical_schema.names == DATA
    assert "year=2023" in repr(first)
    assert [fragment.path for fragment in fragments] == dataset.files[1:]


def test_fragments_are_pruned_by_keys(dataset: ds.FileSystemDataset) -> None:
    def paths(filter_: pc.Expression) -> int:
        return len(list(dataset.get_fragments(filter=filter_)))

    assert paths(field("year") == 2024) == 6
    assert paths((field("year") == 2024) & (field("month") >= 2)) == 4
    assert paths(field("month").isin([1, 3])) == 8
    assert paths((field("year") == 2024) & (field("id") < 0)) == 6
    assert paths(field("year") > 3000) == 0
    assert len(list(dataset.get_fragments(field("year") == 2023))) == 6


def test_asking_for_fragments_touches_no_file(flights: Path) -> None:
    handler = Handler()
    dataset = ds.dataset(str(flights), filesystem=pafs.PyFileSystem(handler), partitioning="hive")
    fragments = dataset.get_fragments(field("year") == 2024)
    assert handler.calls == {"get_file_info": 1}
    assert next(fragments).path.endswith("year=2024/month=1/a.parquet")
    opened = handler.calls["open"]
    assert len(list(fragments)) == 5
    assert len(list(dataset.get_fragments(field("month") > 1))) == 8
    assert handler.calls["open"] == opened


def test_a_fragment_whose_file_is_gone_says_so(tmp_path: Path) -> None:
    numbers(tmp_path, 1)
    (fragment,) = ds.dataset(tmp_path).get_fragments()
    (tmp_path / "00.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"00\.parquet"):
        fragment.to_table()


def test_a_fragment_has_its_own_columns(dataset: ds.FileSystemDataset, flights_table: pa.Table) -> None:
    fragment = list(dataset.get_fragments())[3]
    expected = flights_table.slice(60, 20).select(DATA)
    same(fragment.to_table(), expected)
    same(pa.Table.from_batches(fragment.to_batches()), expected)
    same(fragment.scanner(columns=["id"]).to_table(), expected.select(["id"]))
    same(fragment.head(3, ["id"]), expected.select(["id"]).slice(0, 3))
    same(fragment.to_table(filter=field("id") > 70), expected.slice(11))
    assert fragment.count_rows() == 20
    assert fragment.count_rows(field("id") > 70) == 9


def test_with_the_dataset_s_schema_a_fragment_has_keys(
    dataset: ds.FileSystemDataset, flights_table: pa.Table
) -> None:
    for number, fragment in enumerate(dataset.get_fragments()):
        expected = flights_table.slice(number * 20, 20)
        same(fragment.to_table(schema=dataset.schema), expected)
        assert fragment.count_rows(field("month") == 2, schema=dataset.schema) == 20 * (number % 6 in (2, 3))
        filter_ = (field("month") == 2) & (field("id") > 55)
        table = fragment.to_table(schema=dataset.schema, columns=["month", "id"], filter=filter_)
        assert table["id"].to_pylist() == [
            i for i in expected["id"].to_pylist() if i > 55 and number % 6 in (2, 3)
        ]
        same(fragment.head(5, schema=dataset.schema), expected.slice(0, 5))


def test_a_fragment_with_another_schema(dataset: ds.FileSystemDataset) -> None:
    schema = pa.schema([("month", pa.string()), ("id", pa.int32()), ("nothing", pa.date32())])
    fragment = list(dataset.get_fragments())[-1]
    table = fragment.to_table(schema=schema)
    assert table.schema == schema
    assert table["month"].to_pylist() == ["3"] * 20
    assert table["nothing"].null_count == 20


def test_fragments_of_paths_that_lack_a_key(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [0]})
    write(tmp_path / "k=1" / "b.parquet", {"x": [1]})
    write(tmp_path / "k=__HIVE_DEFAULT_PARTITION__" / "c.parquet", {"x": [2]})
    dataset = ds.dataset(tmp_path, partitioning="hive")
    bare, one, null = dataset.get_fragments()
    assert ds.get_partition_keys(bare.partition_expression) == {}
    assert ds.get_partition_keys(one.partition_expression) == {"k": 1}
    assert ds.get_partition_keys(null.partition_expression) == {"k": None}
    for fragment, k in [(bare, None), (one, 1), (null, None)]:
        assert fragment.to_table(schema=dataset.schema)["k"].to_pylist() == [k]
    assert len(list(dataset.get_fragments(field("k") == 1))) == 1
    assert len(list(dataset.get_fragments(field("k").is_null()))) == 2


def test_fragments_where_some_paths_have_the_key_and_the_file_a_column(tmp_path: Path) -> None:
    write(tmp_path / "k=5" / "f.parquet", {"k": [5], "x": [1]})
    write(tmp_path / "g.parquet", {"k": [6], "x": [2]})
    dataset = ds.dataset(tmp_path, partitioning="hive")
    rows = [fragment.to_table(schema=dataset.schema).to_pylist() for fragment in dataset.get_fragments()]
    assert rows == [[{"k": 6, "x": 2}], [{"k": 5, "x": 1}]]


# ---- partitioning ------------------------------------------------------------------------------------------


def test_hive_partitioning(tmp_path: Path) -> None:
    root = hive(tmp_path, "k", ["01", "2"])
    assert ds.dataset(root).schema.names == ["x"]
    for partitioning in ["hive", ds.partitioning(flavor="hive"), ds.HivePartitioning.discover()]:
        assert ds.dataset(root, partitioning=partitioning).to_table()["k"].to_pylist() == ["01", "2"]
    schema = pa.schema([("k", pa.int8())])
    for partitioning in [ds.partitioning(schema, flavor="hive"), ds.HivePartitioning(schema)]:
        dataset = ds.dataset(root, partitioning=partitioning)
        assert dataset.to_table(filter=field("k") == 1).to_pydict() == {"x": [0], "k": [1]}
    fallback = ds.HivePartitioning(pa.schema([("k", pa.string())]), None, "01")
    assert ds.dataset(root, partitioning=fallback).to_table()["k"].to_pylist() == [None, "2"]


def test_dictionary_keys(tmp_path: Path) -> None:
    type_ = pa.dictionary(pa.int32(), pa.string())
    root = hive(tmp_path, "k", ["a", "b", "c"])
    dataset = ds.dataset(root, partitioning=ds.partitioning(pa.schema([("k", type_)]), flavor="hive"))
    table = dataset.to_table()
    assert table.schema.field("k").type == type_
    assert table["k"].to_pylist() == ["a", "b", "c"]
    assert dataset.to_table(filter=field("k") == "b")["x"].to_pylist() == [1]
    assert len(list(dataset.get_fragments(field("k").isin(["a", "c"])))) == 2


def test_directory_partitioning(tmp_path: Path) -> None:
    write(tmp_path / "2023" / "1" / "a.parquet", {"x": [1]})
    write(tmp_path / "2024" / "2" / "b.parquet", {"x": [2]})
    schema = pa.schema([("year", pa.int16()), ("month", pa.string())])
    for partitioning in [
        ["year", "month"],
        ds.partitioning(field_names=["year", "month"]),
        ds.DirectoryPartitioning.discover(["year", "month"]),
        schema,
        ds.partitioning(schema),
        ds.DirectoryPartitioning(schema),
    ]:
        dataset = ds.dataset(tmp_path, partitioning=partitioning)
        assert dataset.schema.names == ["x", "year", "month"]
        assert dataset.to_table(filter=field("year") == 2024)["x"].to_pylist() == [2]
    assert ds.dataset(tmp_path, partitioning=schema).schema.field("year").type == pa.int16()


def test_filename_partitioning(tmp_path: Path) -> None:
    write(tmp_path / "2023_ny_part.parquet", {"x": [1]})
    write(tmp_path / "2024_la_part.parquet", {"x": [2]})
    schema = pa.schema([("year", pa.int16()), ("city", pa.string())])
    for partitioning in [
        ds.partitioning(field_names=["year", "city"], flavor="filename"),
        ds.partitioning(schema, flavor="filename"),
        ds.FilenamePartitioning(schema),
        ds.FilenamePartitioning.discover(["year", "city"]),
    ]:
        dataset = ds.dataset(tmp_path, partitioning=partitioning)
        assert dataset.to_table(filter=field("city") == "la").to_pydict() == {
            "x": [2],
            "year": [2024],
            "city": ["la"],
        }


def test_partitionings_parse_and_format() -> None:
    schema = pa.schema([("a", pa.int32()), ("b", pa.string())])
    a1b = (field("a") == pa.scalar(1, pa.int32())) & (field("b") == pa.scalar("x y", pa.string()))
    for partitioning, path in [
        (ds.DirectoryPartitioning(schema), "1/x%20y/f.parquet"),
        (ds.HivePartitioning(schema), "a=1/b=x%20y/f.parquet"),
        (ds.FilenamePartitioning(schema), "1_x%20y_f.parquet"),
    ]:
        assert partitioning.schema == schema
        assert partitioning.parse(path).equals(a1b)
        directory, prefix = partitioning.format(a1b)
        again = partitioning.parse(f"{directory}/{prefix}f.parquet".lstrip("/"))
        assert ds.get_partition_keys(again) == {"a": 1, "b": "x y"}
    null = ds.HivePartitioning(schema).parse("a=__HIVE_DEFAULT_PARTITION__/f.parquet")
    assert null.equals(field("a").is_null())
    with pytest.raises(pa.ArrowInvalid, match="Could not cast segments for partition field a"):
        ds.HivePartitioning(schema).parse("a=one/f.parquet")
    for layout, short in [(ds.DirectoryPartitioning, ("1", "")), (ds.FilenamePartitioning, ("", "1_"))]:
        assert layout(schema).format(field("a") == 1) == short
        assert layout(schema).format((field("a") == 1) & field("b").is_null()) == short
    assert ds.DirectoryPartitioning(schema).format(ds.scalar(True)) == ("", "")
    assert ds.FilenamePartitioning(schema).format(ds.scalar(True)) == ("", "_")
    assert ds.HivePartitioning(schema).format(ds.scalar(True)) == ("", "")
    assert ds.HivePartitioning(schema).format(field("b") == "é/ a=~") == ("b=%C3%A9%2F%20a%3D~", "")
    assert ds.HivePartitioning(schema).format(field("b").is_null()) == ("b=__HIVE_DEFAULT_PARTITION__", "")
    with pytest.raises(pa.ArrowInvalid, match="__HIVE_DEFAULT_PARTITION__"):
        ds.HivePartitioning(schema).format(field("b") == "__HIVE_DEFAULT_PARTITION__")
    with pytest.raises(
        pa.ArrowInvalid, match="No partition key for a but a key was provided subsequently for b"
    ):
        ds.DirectoryPartitioning(schema).format(field("b") == "x")


def test_partitionings_are_equal_by_value() -> None:
    schema = pa.schema([("a", pa.int32())])
    assert ds.HivePartitioning(schema) == ds.HivePartitioning(schema)
    assert ds.HivePartitioning(schema) != ds.HivePartitioning(schema, None, "null")
    assert ds.HivePartitioning(schema) != ds.DirectoryPartitioning(schema)
    assert ds.HivePartitioning(schema) != ds.HivePartitioning(pa.schema([("a", pa.int64())]))
    assert hash(ds.HivePartitioning(schema)) == hash(ds.HivePartitioning(schema))


def test_partitionings_and_formats_pickle(tmp_path: Path) -> None:
    schema = pa.schema([("a", pa.int32())])
    for one in [
        ds.HivePartitioning(schema, None, "null"),
        ds.DirectoryPartitioning(schema),
        ds.FilenamePartitioning(schema, segment_encoding="none"),
        ds.HivePartitioning.discover(),
        ds.DirectoryPartitioning.discover(["a"]),
        ds.ParquetFileFormat(),
    ]:
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert type(again) is type(one)
    root = hive(tmp_path, "a", ["01"])
    again = pickle.loads(pickle.dumps(ds.HivePartitioning(schema)))
    assert ds.dataset(root, partitioning=again).to_table()["a"].to_pylist() == [1]


def test_format_inspects_a_file(flights: Path) -> None:
    path = next(flights.rglob("*.parquet"))
    assert ds.ParquetFileFormat().inspect(path).names == DATA
    assert ds.ParquetFileFormat().inspect(str(path), pafs.LocalFileSystem()).names == DATA


# ---- where the law differs from pyarrow --------------------------------------------------------------------


def test_the_schema_is_the_union_of_the_files(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"a": pa.array([1], pa.int32())})
    write(tmp_path / "b.parquet", {"a": [2**40], "b": ["z"]})
    dataset = ds.dataset(tmp_path)
    assert dataset.schema == pa.schema([("a", pa.int64()), ("b", pa.string())])
    assert dataset.to_table().to_pydict() == {"a": [1, 2**40], "b": [None, "z"]}
    fragment = next(dataset.get_fragments())
    assert fragment.physical_schema == pa.schema([("a", pa.int32())])


def test_rows_beside_nan_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "f.parquet", {"x": [5.0, 5.0, float("nan")]})
    assert ds.dataset(tmp_path).to_table(filter=field("x") != 5.0).num_rows == 1
    assert ds.dataset(tmp_path).count_rows(field("x").is_nan()) == 1


@pytest.mark.parametrize("flavor", ["directory", "filename"])
def test_keys_that_paths_by_position_leave_out_are_null(tmp_path: Path, flavor: str) -> None:
    between = "/" if flavor == "directory" else "_"
    for x, path in enumerate(["p.u.f.parquet", "p.g.parquet", "q.h.parquet"]):
        write(tmp_path / path.replace(".", between, path.count(".") - 1), {"x": [x]})
    keys = pa.schema([("a", pa.string()), ("b", pa.string())])
    layout = ds.partitioning(keys, flavor=None if flavor == "directory" else flavor)
    read = ds.dataset(tmp_path, partitioning=layout).to_table().sort_by("x")
    assert read.to_pydict() == {"x": [0, 1, 2], "a": ["p", "p", "q"], "b": ["u", None, None]}


def test_files_by_name_have_the_keys_of_their_whole_paths(tmp_path: Path) -> None:
    for k in (1, 2):
        write(tmp_path / f"k={k}" / "f.parquet", {"x": [k * 10]})
    files = [str(tmp_path / f"k={k}" / "f.parquet") for k in (1, 2)]
    assert ds.dataset(files, partitioning="hive").to_table().to_pydict() == {"x": [10, 20], "k": [1, 2]}
    declared = ds.partitioning(pa.schema([("k", pa.int32())]), flavor="hive")
    dataset = ds.dataset(files, partitioning=declared)
    assert dataset.to_table(filter=ds.field("k") == 2).to_pydict() == {"x": [20], "k": [2]}
    assert ds.dataset(files[0], partitioning="hive").to_table().to_pydict() == {"x": [10], "k": [1]}


def test_ipc_and_orc_files(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2, 3]})
    feather.write_feather(table, tmp_path / "a.feather")
    orc.write_table(table, tmp_path / "a.orc")
    for name in ("ipc", "arrow", "feather", ds.IpcFileFormat(), ds.FeatherFileFormat()):
        assert ds.dataset(tmp_path / "a.feather", format=name).to_table() == table
    for name in ("orc", ds.OrcFileFormat()):
        assert ds.dataset(tmp_path / "a.orc", format=name).to_table() == table
    with pytest.raises(ValueError, match="'avro' is not supported; parquet, csv, json, ipc"):
        ds.dataset(tmp_path, format="avro")
