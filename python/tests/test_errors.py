"""Errors: the right class, and a message that names the file, the column or the option."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
import shoal.dataset as ds
from files import numbers, write

field = pc.field


# ---- arguments of shoal.open -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"format": "parkay"}, NotImplementedError, "parkay.*parquet"),
        ({"partitioning": "hve"}, ValueError, "partitioning is 'hve'"),
        ({"partitioning": 3}, TypeError, "partitioning.*int"),
        ({"inspect": 0}, ValueError, "inspect.*0"),
        ({"inspect": "some"}, ValueError, "inspect.*'some'"),
        ({"inspect": True}, ValueError, "inspect.*True"),
        ({"strict": "hidden"}, TypeError, "strict"),
        ({"strict": {"hiden"}}, pa.ArrowInvalid, "(?s)hiden.*hidden"),
        ({"strict": 1}, TypeError, "strict"),
        ({"strict": [1]}, TypeError, "strict"),
        ({"ignore_prefixes": "_"}, TypeError, "ignore_prefixes"),
        ({"ignore_prefixes": [1]}, TypeError, "ignore_prefixes"),
        ({"ignore_prefixes": 1}, TypeError, "ignore_prefixes"),
        ({"list_concurrency": 0}, ValueError, "list_concurrency.*0"),
        ({"list_concurrency": 2**40}, OverflowError, "list_concurrency"),
        ({"cache": 1}, TypeError, "cache.*int"),
        ({"cache": ""}, ValueError, "cache"),
        ({"cache": True, "cache_limit": 0}, ValueError, "cache_limit.*0"),
        ({"listing_cache_ttl": -1}, ValueError, "listing_cache_ttl.*-1"),
        ({"listing_cache_ttl": float("nan")}, ValueError, "listing_cache_ttl.*nan"),
        ({"listing_cache_ttl": "1"}, TypeError, "listing_cache_ttl.*str"),
        ({"filesystem": 1}, TypeError, "filesystem"),
        ({"schema": 1}, TypeError, "schema.*int"),
        ({"inspect": 1.5}, ValueError, "inspect"),
        ({"list_concurrency": "9"}, TypeError, "list_concurrency.*str"),
        ({"partition_base_dir": 1}, TypeError, "path"),
        ({"no_such_option": 1}, TypeError, "no_such_option"),
    ],
)
def test_open_refuses_options_by_name(
    tmp_path: Path, arguments: dict[str, Any], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        shoal.open(tmp_path, **arguments)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ([], pa.ArrowInvalid, "No source"),
        (None, TypeError, "NoneType"),
        (b"x", TypeError, "bytes"),
        (3, TypeError, "int"),
        (["a", 3], TypeError, "int"),
        ({"a"}, TypeError, "set"),
        ("", pa.ArrowInvalid, "(?i)source|path"),
        ("nope://bucket/x", pa.ArrowInvalid, "nope"),
        ("file:relative", pa.ArrowInvalid, "relative"),
        ("a\0b", ValueError, "null character"),
    ],
)
def test_open_refuses_sources(source: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        shoal.open(source).schema  # noqa: B018


def test_missing_sources_are_file_not_found(tmp_path: Path) -> None:
    missing = tmp_path / "mising"
    for ask in [
        lambda d: d.schema,
        lambda d: d.files,
        lambda d: d.count(),
        lambda d: d.to_table(),
        lambda d: d.plan(),
        lambda d: d.listing_report,
        lambda d: d.scan().schema,
        lambda d: d.head(),
        lambda d: d.format,
        lambda d: pa.table(d),
        lambda d: d.partition_schema,
        lambda d: d.explain(),
        lambda d: d.scan().to_reader(),
    ]:
        with pytest.raises(FileNotFoundError, match="mising"):
            ask(shoal.open(missing))
    with pytest.raises(FileNotFoundError, match="mising"):
        shoal.open([numbers(tmp_path / "t", 1), missing]).to_table()
    with pytest.raises(FileNotFoundError, match=r"no-\*"):
        shoal.open(tmp_path / "mising" / "no-*").to_table()
    with pytest.raises(pa.ArrowInvalid, match=r"no-\*"):
        shoal.open(tmp_path / "no-*").to_table()


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    locked = numbers(tmp_path / "locked", 1)
    locked.chmod(0)
    try:
        with pytest.raises(PermissionError, match="locked"):
            shoal.open(locked).to_table()
    finally:
        locked.chmod(0o700)


# ---- questions ---------------------------------------------------------------------------------------------

Ask = Callable[[shoal.Dataset], Any]


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda d: d.scan(["delai"]).to_table(), pa.ArrowInvalid, "(?s)delai.*delay"),
        (lambda d: d.scan(["delai"]).schema, pa.ArrowInvalid, "delai"),
        (lambda d: d.scan(["delai"]).count(), pa.ArrowInvalid, "delai"),
        (lambda d: d.count("delai > 3"), pa.ArrowInvalid, "(?s)delai.*delay"),
        (lambda d: d.count(field("delai") > 3), pa.ArrowInvalid, "(?s)delai.*delay"),
        (lambda d: d.plan(filter="Year = 3"), pa.ArrowInvalid, "(?s)Year.*year"),
        (lambda d: d.scan(["id.x"]).to_table(), pa.ArrowInvalid, "id"),
        (lambda d: d.scan({"a": "delai"}).to_table(), pa.ArrowInvalid, "delai"),
        (lambda d: d.scan("id"), TypeError, r"columns.*\['id'\]"),
        (lambda d: d.scan([1]), TypeError, "int"),
        (lambda d: d.scan([field("id")]), TypeError, "Expression"),
        (lambda d: d.scan(3), TypeError, "columns"),
        (lambda d: d.scan({"a": 1}), TypeError, "'a'.*int"),
        (lambda d: d.scan({1: "id"}), TypeError, "int"),
        (lambda d: d.scan(filter=3), TypeError, "filter.*int"),
        (lambda d: d.count(b"id = 1"), TypeError, "filter.*bytes"),
        (lambda d: d.scan(filter=True), TypeError, "filter.*bool"),
        (lambda d: d.scan(filter="id = 3 and )"), pa.ArrowInvalid, "at character 12"),
        (lambda d: d.scan(filter=""), pa.ArrowInvalid, "(?i)filter"),
        (lambda d: d.count("id"), TypeError, "(?i)bool"),
        (lambda d: d.count(field("id") + 1), TypeError, "(?i)bool"),
        (lambda d: d.count("carrier > 3.5 and delay > 'x'"), TypeError, "delay|carrier"),
        (lambda d: d.count("delay = 'UA'"), TypeError, "int32.*string|string.*int32"),
        (lambda d: d.count("year = true"), TypeError, "bool"),
        (
            lambda d: d.count("no_such_function(id) = 1"),
            (pa.ArrowInvalid, KeyError, NotImplementedError),
            "no_such_function",
        ),
        (lambda d: d.count("id / 0 = 1"), pa.ArrowInvalid, "(?i)divide by zero"),
        (lambda d: d.scan(limit=-1).to_table(), pa.ArrowInvalid, "limit"),
        (lambda d: d.scan(offset=-1).to_table(), pa.ArrowInvalid, "offset"),
        (lambda d: d.head(-1), pa.ArrowInvalid, "limit"),
        (lambda d: d.scan(limit=1.5), TypeError, "limit.*float"),
        (lambda d: d.scan(offset="1"), TypeError, "offset.*str"),
        (lambda d: d.scan(batch_size=1.5), TypeError, "batch_size.*float"),
        (lambda d: d.scan(workers="2"), TypeError, "workers.*str"),
        (lambda d: d.scan(limit=2**63), OverflowError, "limit"),
        (lambda d: d.scan(batch_size=0), ValueError, "batch_size must be at least 1, but is 0"),
        (lambda d: d.scan(batch_size=-3), ValueError, "batch_size"),
        (lambda d: d.scan(memory_budget=0), ValueError, "memory_budget"),
        (lambda d: d.scan(workers=-1), ValueError, "workers"),
        (lambda d: d.scan(io_concurrency=0), ValueError, "io_concurrency"),
        (lambda d: d.scan(on_missing="ignore"), ValueError, "on_missing.*'ignore'"),
        (lambda d: d.scan(on_corrupt=None), ValueError, "on_corrupt"),
        (lambda d: d.scan(memory_pool=1), TypeError, "memory_pool"),
        (lambda d: d.plan(meta_fetch_concurrency=0), ValueError, "meta_fetch_concurrency"),
        (
            lambda d: d.plan(collect_statistics=False, column_statistics=True),
            (ValueError, pa.ArrowInvalid),
            "collect_statistics",
        ),
        (lambda d: d.plan().to_table(batchsize=3), TypeError, "batchsize"),
        (lambda d: shoal.parse_filter("a = = 1"), pa.ArrowInvalid, r"at character 5"),
        (lambda d: shoal.parse_filter(3), TypeError, "filter.*int"),
    ],
)
def test_questions_are_refused_by_name(flights: Path, ask: Ask, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        ask(shoal.open(flights))


def test_a_name_that_several_columns_have(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["v", "v"])
    write(path, table)
    with pytest.raises(pa.ArrowInvalid, match=r"f\.parquet has two columns named `v`"):
        shoal.open(tmp_path).schema  # noqa: B018


def test_types_that_do_not_meet_name_the_column_and_both_files(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"v": [1]})
    write(tmp_path / "b.parquet", {"v": ["x"]})
    with pytest.raises(
        (pa.ArrowTypeError, pa.ArrowInvalid), match=r"(?s)v.*a\.parquet.*b\.parquet"
    ) as caught:
        shoal.open(tmp_path).schema  # noqa: B018
    assert "int64" in str(caught.value)
    assert "string" in str(caught.value)


def test_a_value_that_does_not_fit_the_schema_names_file_and_column(tmp_path: Path) -> None:
    numbers(tmp_path, 3, rows=100)
    dataset = shoal.open(tmp_path, schema=pa.schema([("x", pa.int8())]))
    with pytest.raises(pa.ArrowInvalid, match=r"0[12]\.parquet, column `x`.*(128|200|-128)"):
        dataset.to_table()
    assert dataset.head(100)["x"].to_pylist() == list(range(100))


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1" + bytes(60) + b"PAR1", b"text" * 100, b"PAR1" + b"\xff" * 99]
)
def test_files_that_are_no_parquet_are_named(tmp_path: Path, content: bytes) -> None:
    numbers(tmp_path, 2)
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(content)
    dataset = shoal.open(tmp_path, schema=pa.schema([("x", pa.int64())]))
    if not content:  # an empty file has no rows
        assert dataset.to_table().num_rows == 20
        return
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"bad\.parquet"):
        dataset.to_table()
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"bad\.parquet"):
        shoal.open(tmp_path).schema  # noqa: B018
    scan = dataset.scan(on_corrupt="skip")
    assert scan.to_table().num_rows == scan.count() == 20
    assert scan.metrics is not None
    assert "bad.parquet" in scan.metrics.skipped[0]


def test_no_option_skips_files_for_what_is_wrong_with_the_question(tmp_path: Path) -> None:
    numbers(tmp_path, 3, rows=100)
    skipping: Any = {"on_missing": "skip", "on_corrupt": "skip"}
    with pytest.raises(pa.ArrowInvalid, match="divide by zero"):
        shoal.open(tmp_path).scan(filter="1 / (x - 150) = 5", **skipping).to_table()
    with pytest.raises(pa.ArrowInvalid, match="divide by zero"):
        shoal.open(tmp_path).scan({"y": "1 / (x - 150)"}, **skipping).to_table()
    narrow = pa.schema([("x", pa.int8())])
    with pytest.raises(pa.ArrowInvalid, match=r"0[12]\.parquet"):
        shoal.open(tmp_path, schema=narrow).scan(**skipping).to_table()
    with pytest.raises(NotImplementedError, match=r"0\d\.parquet"):
        shoal.open(tmp_path, schema=pa.schema([("x", pa.list_(pa.int8()))])).scan(**skipping).to_table()


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    numbers(tmp_path, 2, rows=1000)
    whole = (tmp_path / "01.parquet").read_bytes()
    (tmp_path / "01.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises((pa.ArrowInvalid, OSError), match=r"01\.parquet"):
        shoal.open(tmp_path).to_table()


def test_files_that_vanish_between_listing_and_reading(tmp_path: Path) -> None:
    numbers(tmp_path, 3)
    dataset = shoal.open(tmp_path)
    assert len(dataset.files) == 3
    (tmp_path / "01.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"01\.parquet"):
        dataset.to_table()
    scan = dataset.scan(on_missing="skip")
    assert scan.to_table().num_rows == scan.count() == 20
    assert scan.metrics is not None
    assert "01.parquet" in scan.metrics.skipped[0]


def test_an_error_in_the_middle_comes_out_of_each_way_to_read(tmp_path: Path) -> None:
    numbers(tmp_path, 5, rows=100)
    dataset = shoal.open(tmp_path)
    assert dataset.count() == 500
    (tmp_path / "04.parquet").unlink()
    for read in [
        lambda scan: scan.to_table(),
        lambda scan: list(scan.to_batches()),
        lambda scan: scan.to_reader().read_all(),
        lambda scan: pa.table(scan),
        lambda scan: scan.plan().to_table(),
        lambda scan: list(scan.to_reader()),
    ]:
        # The C stream interface carries no class, but the text.
        with pytest.raises((OSError, pa.ArrowException), match=r"04\.parquet"):
            read(dataset.scan(["x"], "x >= 0"))


# ---- shoal.dataset -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": None}, TypeError, "instead of the given type: NoneType"),
        ({"source": (x for x in "ab")}, TypeError, "instead of the given type: generator"),
        ({"source": [1]}, TypeError, "contains the following types: int"),
        ({"format": "blabla"}, ValueError, "format 'blabla' is not supported"),
        ({"format": 3}, TypeError, "format"),
        ({"partitioning": 0}, ValueError, "Expected Partitioning or PartitioningFactory"),
        ({"partitioning": "hve"}, ValueError, "hve"),
        ({"schema": 3}, TypeError, "schema"),
        ({"filesystem": 3}, TypeError, "filesystem"),
        ({"source": "doesnt-exist"}, FileNotFoundError, "doesnt-exist"),
        ({"source": ["doesnt-exist.parquet"]}, FileNotFoundError, "doesnt-exist"),
        ({"source": "doesnt-exist", "schema": pa.schema([])}, FileNotFoundError, "doesnt-exist"),
        ({"exclude_invalid_files": True}, NotImplementedError, "exclude_invalid_files"),
        ({"source": "file:relative"}, pa.ArrowInvalid, "relative"),
    ],
)
def test_dataset_refuses_arguments(
    flights: Path, arguments: dict[str, Any], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        ds.dataset(**{"source": str(flights), **arguments})


def test_a_folder_in_a_list_of_files(flights: Path) -> None:
    with pytest.raises(IsADirectoryError, match="points to a directory, but only file paths are supported"):
        ds.dataset([str(flights)])


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda d: d.to_table(["nope"]), pa.ArrowInvalid, "nope"),
        (lambda d: d.to_table("id"), (TypeError, ValueError), "columns"),
        (lambda d: d.to_table({"a": "id"}), TypeError, "Expected an Expression"),
        (lambda d: d.to_table(filter="id = 1"), TypeError, "Expression"),
        (lambda d: d.to_table(filter=field("id")), TypeError, "(?i)must evaluate to bool"),
        (lambda d: d.to_table(filter=field("nope") == 1), pa.ArrowInvalid, "nope"),
        (lambda d: d.filter(None), TypeError, "Expression"),
        (lambda d: d.filter(field("id") > 1).get_fragments(), ValueError, "filtered"),
        (lambda d: d.head(-1), ValueError, "num_rows"),
        (lambda d: d.to_table(batch_size=0), ValueError, "batch_size"),
        (lambda d: d.to_table(batch_readahead=-1), ValueError, "batch_readahead"),
        (lambda d: d.to_table(fragment_readahead=-1), ValueError, "fragment_readahead"),
        (lambda d: d.to_table(nope=1), TypeError, "nope"),
        (lambda d: d.to_table(cache_metadata=False), NotImplementedError, "cache_metadata"),
        (lambda d: d.to_table(fragment_scan_options=1), NotImplementedError, "fragment_scan_options"),
        (
            lambda d: next(d.get_fragments()).to_table(filter=field("year") == 1),
            ValueError,
            "There is no column `year`",
        ),
        (lambda d: list(d.get_fragments(filter="year = 1")), TypeError, "Expression"),
        (lambda d: list(d.get_fragments(filter=field("nope") == 1)), pa.ArrowInvalid, "nope"),
        (lambda d: ds.Dataset(), TypeError, "dataset"),
        (lambda d: ds.FileFormat(), TypeError, "abstract"),
        (lambda d: ds.Partitioning(pa.schema([])), TypeError, "abstract"),
    ],
)
def test_dataset_questions_are_refused(
    flights: Path, ask: Callable[[Any], Any], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        ask(ds.dataset(flights, partitioning="hive"))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ds.partitioning(), ValueError, "needs"),
        (lambda: ds.partitioning(field_names="a"), ValueError, "Expected list"),
        (
            lambda: ds.partitioning(pa.schema([("a", pa.int8())]), field_names=["a"]),
            ValueError,
            "Cannot specify both",
        ),
        (
            lambda: ds.partitioning(field_names=["a"], flavor="hive"),
            ValueError,
            "Cannot specify 'field_names'",
        ),
        (lambda: ds.partitioning(["a"], flavor="hive"), ValueError, "schema"),
        (lambda: ds.partitioning(["a"]), (TypeError, ValueError), "chema"),
        (lambda: ds.partitioning(flavor="nope"), ValueError, "nope"),
        (lambda: ds.partitioning(pa.schema([]), dictionaries={}), NotImplementedError, "dictionaries"),
        (lambda: ds.HivePartitioning("a"), TypeError, "schema"),
        (
            lambda: ds.DirectoryPartitioning(pa.schema([("a", pa.int8())]), segment_encoding="x"),
            ValueError,
            "segment_encoding",
        ),
    ],
)
def test_dataset_partitioning_misuse(make: Callable[[], Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make()
