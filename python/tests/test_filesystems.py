"""Filesystems: pyarrow's own, subtrees, those made in Python, and fsspec's."""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
import shoal.dataset as ds
from files import hive, numbers, same, write
from filesystems import Handler


def test_local_filesystem(flights: Path, flights_table: pa.Table) -> None:
    for filesystem in [pafs.LocalFileSystem(), pafs.LocalFileSystem(use_mmap=True), "file:///"]:
        dataset = shoal.open(str(flights), filesystem=filesystem)
        same(dataset.to_table(), flights_table)
        same(ds.dataset(str(flights), filesystem=filesystem, partitioning="hive").to_table(), flights_table)


def test_subtree(flights: Path, flights_table: pa.Table) -> None:
    filesystem = pafs.SubTreeFileSystem(str(flights.parent), pafs.LocalFileSystem())
    for source in ["flights", "flights/", "flights/.", "flights//"]:
        dataset = shoal.open(source, filesystem=filesystem)
        same(dataset.to_table(), flights_table)
    assert dataset.files[0] == "flights/year=2023/month=1/a.parquet"
    assert dataset.filesystem == filesystem
    same(
        shoal.open(
            ["flights/year=2024", "flights/year=2023"], filesystem=filesystem, partition_base_dir="flights"
        ).to_table(),
        flights_table,
    )
    same(shoal.open("flights/year=*/month=*/*.parquet", filesystem=filesystem).to_table(), flights_table)
    with pytest.raises(FileNotFoundError, match="fligths"):
        shoal.open("fligths", filesystem=filesystem).to_table()
    found = ds.dataset("flights", filesystem=filesystem, partitioning="hive")
    same(found.to_table(), flights_table)
    fragment = next(found.get_fragments())
    with fragment.filesystem.open_input_file(fragment.path) as file:
        assert file.read(4) == b"PAR1"


def test_the_root_of_a_subtree(flights: Path, flights_table: pa.Table) -> None:
    filesystem = pafs.SubTreeFileSystem(str(flights), pafs.LocalFileSystem())
    for source in ["", ".", "/"]:
        same(shoal.open(source, filesystem=filesystem).to_table(), flights_table)
    same(shoal.open("", filesystem=flights.as_uri()).to_table(), flights_table)
    same(
        shoal.open("year=2024", filesystem=flights.as_uri(), partition_base_dir="").to_table(),
        flights_table.slice(120).drop(["year"]),
    )


def test_a_filesystem_in_memory() -> None:
    filesystem = pafs._MockFileSystem()
    filesystem.create_dir("t/k=1")
    for k in (1, 2):
        filesystem.create_dir(f"t/k={k}")
        with filesystem.open_output_stream(f"t/k={k}/f.parquet") as out:
            pa.parquet.write_table(pa.table({"x": [k]}), out)
    assert shoal.open("t", filesystem=filesystem).to_table().to_pydict() == {"x": [1, 2], "k": [1, 2]}
    dataset = ds.dataset("t", filesystem=filesystem, partitioning="hive")
    assert dataset.to_table(filter=ds.field("k") == 2).to_pydict() == {"x": [2], "k": [2]}
    with pytest.raises(FileNotFoundError, match="nope"):
        ds.dataset("nope", filesystem=filesystem)
    with pytest.raises(FileNotFoundError, match="nope"):
        ds.dataset(["t/k=1/f.parquet", "t/nope"], filesystem=filesystem)
    with pytest.raises(IsADirectoryError, match="points to a directory"):
        ds.dataset(["t/k=1"], filesystem=filesystem)


def test_path_objects_mean_the_local_disk(tmp_path: Path) -> None:
    numbers(tmp_path, 1)
    assert shoal.open(tmp_path, filesystem=pafs.LocalFileSystem()).count() == 10
    below = pafs.SubTreeFileSystem(str(tmp_path), pafs.LocalFileSystem())
    assert ds.dataset([Path("00.parquet")], filesystem=below).count_rows() == 10
    python = pafs.PyFileSystem(Handler())
    assert ds.ParquetFileFormat().inspect(tmp_path / "00.parquet", python).names == ["x"]
    for make in [shoal.open, ds.dataset]:
        with pytest.raises(TypeError, match="local filesystem"):
            make(tmp_path, filesystem=pafs._MockFileSystem())


def test_a_filesystem_made_in_python(flights: Path, flights_table: pa.Table) -> None:
    handler = Handler()
    filesystem = pafs.PyFileSystem(handler)
    same(shoal.open(str(flights), filesystem=filesystem).to_table(), flights_table)
    same(ds.dataset(str(flights), filesystem=filesystem, partitioning="hive").to_table(), flights_table)
    dataset = shoal.open(str(flights), filesystem=filesystem)
    assert dataset.count("year = 2024 and delay > 0") == shoal.open(flights).count(
        "year = 2024 and delay > 0"
    )
    assert dataset.filesystem == filesystem
    assert len(list(dataset.scan(workers=0, io_concurrency=1).to_batches())) > 0
    assert len(handler.threads) > 1


def test_a_filesystem_made_in_python_is_asked_no_more_than_needed(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", [str(i) for i in range(6)])
    handler = Handler()
    schema = pa.schema([("x", pa.int64()), ("k", pa.int32())])
    dataset = shoal.open(str(root), filesystem=pafs.PyFileSystem(handler), schema=schema)
    assert not handler.calls
    assert dataset.scan(["x"], "k = 3").to_table()["x"].to_pylist() == [3]
    assert handler.calls["open"] == 1
    before = handler.calls.copy()
    assert dataset.files == [f"{root}/k={i}/f.parquet" for i in range(6)]
    assert len(dataset.plan(collect_statistics=False).fragments) == 6
    assert handler.calls["open"] == before["open"]
    assert handler.calls["get_file_info"] <= 1


def test_errors_of_a_filesystem_made_in_python_come_through(tmp_path: Path) -> None:
    root = numbers(tmp_path, 3)

    def before(call: str, path: str) -> None:
        if path.endswith("01.parquet") and call == "open":
            raise PermissionError(f"no entry to {path}")

    filesystem = pafs.PyFileSystem(Handler(before=before))
    schema = pa.schema([("x", pa.int64())])
    for _ in range(2):
        with pytest.raises(PermissionError, match=r"no entry to .*01\.parquet"):
            shoal.open(str(root), filesystem=filesystem, schema=schema).to_table()
    with pytest.raises(PermissionError, match=r"01\.parquet"):
        shoal.open(str(root), filesystem=filesystem, schema=schema).scan(
            on_missing="skip", on_corrupt="skip"
        ).to_table()

    def broken(call: str, path: str) -> None:
        if call == "list":
            raise ZeroDivisionError("the handler is wrong")

    with pytest.raises(ZeroDivisionError, match="the handler is wrong"):
        shoal.open(str(root), filesystem=pafs.PyFileSystem(Handler(before=broken))).to_table()


def test_a_filesystem_made_in_python_from_several_threads(flights: Path, flights_table: pa.Table) -> None:
    dataset = shoal.open(str(flights), filesystem=pafs.PyFileSystem(Handler()))
    tables: list[pa.Table] = []
    threads = [threading.Thread(target=lambda: tables.append(dataset.to_table())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(tables) == 4
    for table in tables:
        same(table, flights_table)


def test_leaving_a_stream_of_a_filesystem_made_in_python(tmp_path: Path) -> None:
    root = numbers(tmp_path, 150, rows=1000)
    handler = Handler()
    scan = shoal.open(str(root), filesystem=pafs.PyFileSystem(handler)).scan(batch_size=10, memory_budget=1)
    for _ in scan.to_batches():
        break
    assert scan.metrics is not None
    assert scan.metrics.files_opened < 150


def test_fsspec(flights: Path, flights_table: pa.Table) -> None:
    fsspec = pytest.importorskip("fsspec")
    same(shoal.open(str(flights), filesystem=fsspec.filesystem("file")).to_table(), flights_table)
    memory = fsspec.filesystem("memory")
    memory.pipe("/t/k=1/f.parquet", (flights / "year=2023/month=1/a.parquet").read_bytes())
    assert shoal.open("/t", filesystem=memory).to_table()["k"].to_pylist() == [1] * 20


def test_uris_name_their_filesystem(tmp_path: Path) -> None:
    numbers(tmp_path / "a b", 1)
    uri = (tmp_path / "a b").as_uri()
    assert "%20" in uri
    assert shoal.open(uri).count() == 10
    assert ds.dataset(uri).count_rows() == 10
    with pytest.raises(ValueError, match="must point to a directory but it has a type: `File`"):
        shoal.open("x", filesystem=f"{uri}/00.parquet")
    with pytest.raises(ValueError, match="must point to a directory but it has a type: `NotFound`"):
        ds.dataset("x", filesystem=f"{uri}/nope")


def test_two_filesystems_in_one_list_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "f.parquet", {"x": [1]})
    with pytest.raises((pa.ArrowInvalid, NotImplementedError), match=r"mock|filesystem"):
        shoal.open([str(tmp_path), "mock:///t"]).to_table()


def test_errors_without_a_number_are_told_apart(tmp_path: Path) -> None:
    """Filesystems made in Python raise exceptions that carry no errno."""
    root = numbers(tmp_path, 3)

    def fail(error: Exception) -> pafs.PyFileSystem:
        def before(call: str, path: str) -> None:
            if path.endswith("01.parquet") and call == "read":
                raise error

        return pafs.PyFileSystem(Handler(before=before))

    schema = pa.schema([("x", pa.int64())])
    for error in [
        PermissionError("no entry"),
        TimeoutError("too slow"),
        ValueError("wrong"),
        OSError("down"),
    ]:
        scan = shoal.open(str(root), filesystem=fail(error), schema=schema).scan(
            on_missing="skip", on_corrupt="skip"
        )
        with pytest.raises(type(error), match=str(error)):
            scan.to_table()

    filesystem = pafs.PyFileSystem(Handler())
    dataset = shoal.open(str(root), filesystem=filesystem, schema=schema)
    assert len(dataset.files) == 3
    (root / "01.parquet").unlink()
    with pytest.raises(FileNotFoundError, match=r"01\.parquet"):
        dataset.to_table()
    scan = dataset.scan(on_missing="skip")
    assert scan.to_table().num_rows == 20
    (root / "02.parquet").write_bytes(b"PAR1" + bytes(400) + b"PAR1")
    scan = dataset.refresh().scan(on_corrupt="skip")
    assert scan.to_table().num_rows == 10
    assert scan.metrics is not None
    assert "02.parquet" in scan.metrics.skipped[0]


def test_only_the_folders_that_a_filter_leaves_are_listed(tmp_path: Path) -> None:
    root = tmp_path / "t"
    for a in range(6):
        for b in range(6):
            write(root / f"a={a}" / f"b={b}" / "f.parquet", {"x": [a * 6 + b]})
    handler = Handler()
    schema = pa.schema([("x", pa.int64()), ("a", pa.int32()), ("b", pa.int32())])

    def calls(filter_: str) -> tuple[list[int], int, int, int]:
        dataset = shoal.open(str(root), filesystem=pafs.PyFileSystem(handler), schema=schema, inspect="first")
        dataset.schema  # noqa: B018 (looks at one file's path)
        handler.calls.clear()
        rows = dataset.scan(["x"], filter_).to_table()["x"].to_pylist()
        return rows, handler.calls["list"], handler.calls["get_file_info"], handler.calls["open"]

    # The root was listed for the inspection, and so were a=0 and, to know that there are more files, a=5.
    assert calls("a = 3 and b = 5") == ([23], 2, 0, 1)
    assert calls("a in (1, 2) and b = a") == ([7, 14], 4, 0, 2)
    assert calls("a + b >= 10") == ([35], 4, 0, 1)  # only both keys together tell


def test_with_everything_declared_a_filter_over_keys_asks_for_what_it_reads_alone(tmp_path: Path) -> None:
    for a in range(20):
        for b in range(20):
            for part in range(5):
                write(tmp_path / "t" / f"a={a}" / f"b={b}" / f"{part}.parquet", {"x": [part]})
    handler = Handler()
    dataset = shoal.open(
        str(tmp_path / "t"),
        filesystem=pafs.PyFileSystem(handler),
        schema=pa.schema({"x": pa.int64(), "a": pa.int32(), "b": pa.int32()}),
        partitioning=shoal.partitioning(pa.schema({"a": pa.int32(), "b": pa.int32()}), flavor="hive"),
        format="parquet",
    )
    plan = dataset.plan(filter="a = 3 and b = 7")
    assert len(plan.fragments) == 5
    assert handler.calls["list"] <= 3
    assert handler.calls["get_file_info"] == 0
    assert handler.calls["open"] == 5
    handler.calls.clear()
    table = dataset.scan(filter="a = 3 and b = 7").to_table()
    assert table["x"].to_pylist() == list(range(5))
    assert handler.calls["list"] == handler.calls["get_file_info"] == 0


def test_a_file_without_an_ending_is_found_on_filesystems_that_refuse_to_list_it(tmp_path: Path) -> None:
    write(tmp_path / "data", {"x": [1]})
    handler = Handler()
    filesystem = pafs.PyFileSystem(handler)
    assert shoal.open(str(tmp_path / "data"), filesystem=filesystem).count() == 1
    with pytest.raises(FileNotFoundError, match="nothing_here"):
        shoal.open(str(tmp_path / "nothing_here"), filesystem=filesystem).count()
    (tmp_path / "empty").mkdir()
    with pytest.raises(pa.ArrowInvalid, match=r"no data files in .*empty"):
        shoal.open(str(tmp_path / "empty"), filesystem=filesystem).count()


def test_a_subtree_has_one_path_for_each_file(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2"])
    subtree = pafs.SubTreeFileSystem(str(root), pafs.LocalFileSystem())
    assert shoal.open(["k=2", "/k=2", "k=2/"], filesystem=subtree).count() == 1
