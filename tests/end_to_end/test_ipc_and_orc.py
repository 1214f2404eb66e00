"""Arrow IPC and ORC files as tables: what holds for Parquet holds for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cli_program as cli
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.orc as orc
import pytest
import shoal

Writer = Callable[[pa.Table, Path], None]


def write_file(table: pa.Table, path: Path, rows: int = 3, **options: Any) -> None:
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, rows)


def write_stream(table: pa.Table, path: Path, rows: int = 3, **options: Any) -> None:
    with pa.ipc.new_stream(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, rows)


WRITERS: dict[str, tuple[str, Writer]] = {
    "ipc file": (".arrow", write_file),
    "ipc stream": (".arrows", write_stream),
    "feather": (".feather", lambda table, path: feather.write_feather(table, path, "zstd", chunksize=3)),
    "orc": (".orc", lambda table, path: orc.write_table(table, path)),
}
every_format = pytest.mark.parametrize(("extension", "write"), WRITERS.values(), ids=WRITERS.keys())


def table_of(first: int, rows: int) -> pa.Table:
    numbers = list(range(first, first + rows))
    return pa.table(
        {
            "i": pa.array(numbers, pa.int64()),
            "s": pa.array([f"text {n}" if n % 3 else None for n in numbers]),
            "st": pa.array([{"x": n, "y": "y"} for n in numbers]),
        }
    )


@pytest.fixture
def hive(tmp_path: Path) -> Callable[[str, Writer], Path]:
    def make(extension: str, write: Writer) -> Path:
        for k in range(3):
            folder = tmp_path / "hive" / f"k={k}"
            folder.mkdir(parents=True)
            write(table_of(k * 10, 10), folder / f"f{extension}")
        return tmp_path / "hive"

    return make


@every_format
def test_folders_are_one_table(hive: Any, extension: str, write: Writer) -> None:
    root = hive(extension, write)
    dataset = shoal.open(str(root))
    assert dataset.format == ("orc" if extension == ".orc" else "ipc")
    assert dataset.count() == 30
    table = dataset.scan().to_table()
    assert table.column_names == ["i", "s", "st", "k"]
    assert table["i"].to_pylist() == list(range(30))
    assert table["k"].to_pylist() == [n // 10 for n in range(30)]
    matching = dataset.scan(["s", "st.x"], "k >= 1 and i not in (12, 25) and s is not null").to_table()
    wanted = [n for n in range(10, 30) if n not in (12, 25) and n % 3]
    assert matching.to_pylist() == [{"s": f"text {n}", "st.x": n} for n in wanted]
    assert dataset.count("i >= 25 or k = 0") == 15
    head = dataset.scan(limit=5, offset=8).to_table()
    assert head["i"].to_pylist() == [8, 9, 10, 11, 12]
    assert head.equals(dataset.scan(limit=5, offset=8, workers=0).to_table())


@every_format
def test_the_program_reads_them(hive: Any, extension: str, write: Writer) -> None:
    root = hive(extension, write)
    assert cli.output_of("count", root, "--where", "k = 1 and i != 12") == "9\n"
    out = cli.output_of("scan", root, "--columns", "i,k", "--where", "i in (3, 21)")
    assert [json.loads(line) for line in out.splitlines()] == [{"i": 3, "k": 0}, {"i": 21, "k": 2}]
    assert "k=1" in cli.output_of("ls", root)
    plan = cli.output_of("explain", root, "--where", "k = 2", "--json")
    assert [f["path"].split("/")[-2] for f in json.loads(plan)["fragments"]] == ["k=2"]


@every_format
def test_plans_travel(hive: Any, extension: str, write: Writer) -> None:
    plan = shoal.open(str(hive(extension, write))).scan(filter="k > 0 and i != 15").plan()
    again = shoal.ScanPlan.from_json(plan.to_json())
    assert again.to_table()["i"].to_pylist() == [n for n in range(10, 30) if n != 15]


@every_format
def test_schemas_of_files_are_united(tmp_path: Path, extension: str, write: Writer) -> None:
    write(pa.table({"a": pa.array([1], pa.int32())}), tmp_path / f"a{extension}")
    write(pa.table({"a": pa.array([1 << 40]), "b": ["z"]}), tmp_path / f"b{extension}")
    table = shoal.open(str(tmp_path)).scan().to_table()
    assert table.to_pylist() == [{"a": 1, "b": None}, {"a": 1 << 40, "b": "z"}]
    assert shoal.open(str(tmp_path)).scan(filter="b = 'z'").to_table()["a"].to_pylist() == [1 << 40]


@every_format
def test_truncated_files_are_errors_that_name_them(tmp_path: Path, extension: str, write: Writer) -> None:
    good, bad = tmp_path / f"a{extension}", tmp_path / f"b{extension}"
    write(table_of(0, 10), good)
    write(table_of(10, 10), bad)
    data = bad.read_bytes()
    bad.write_bytes(data[: len(data) // 2])
    with pytest.raises((pa.ArrowInvalid, OSError), match=bad.name):
        shoal.open(str(tmp_path)).scan().to_table()
    assert bad.name in cli.failure_of("scan", tmp_path)
    left = shoal.open(str(tmp_path)).scan(on_corrupt="skip").to_table()["i"].to_pylist()
    # Of a stream, what precedes the damage may have been handed out.
    assert left[:10] == list(range(10))
    assert len(left) == 10 or extension == ".arrows"


def test_files_of_other_formats_are_left_out_and_counted(tmp_path: Path) -> None:
    write_file(table_of(0, 3), tmp_path / "a.arrow")
    orc.write_table(table_of(3, 3), tmp_path / "b.orc")
    cli.write(tmp_path / "c.parquet", table_of(6, 3))
    dataset = shoal.open(str(tmp_path))
    assert dataset.scan().to_table()["i"].to_pylist() == [0, 1, 2]
    assert dataset.listing_report.issues["extension"].count == 2
    assert shoal.open(str(tmp_path / "b.orc")).format == "orc"
    assert shoal.open(str(tmp_path), format="orc", extension=".orc").count() == 3


def test_bytes_decide_between_files_and_streams_and_tell_formats_without_names(tmp_path: Path) -> None:
    write_stream(table_of(0, 10), tmp_path / "stream.arrow")
    write_file(table_of(10, 10), tmp_path / "t.arrow")
    assert shoal.open(str(tmp_path)).scan().to_table()["i"].to_pylist() == list(range(20))
    nameless = tmp_path / "nameless"
    nameless.mkdir()
    for number, (_, write) in enumerate(WRITERS.values()):
        write(table_of(0, 10), nameless / f"f{number}")
        assert shoal.open(str(nameless / f"f{number}")).count() == 10


def test_other_names_of_ipc_are_known(tmp_path: Path) -> None:
    write_file(table_of(0, 10), tmp_path / "x.data")
    for name in ("ipc", "arrow", "feather"):
        assert shoal.open(str(tmp_path), format=name).count() == 10
        assert cli.output_of("count", tmp_path, "--format", name) == "10\n"


def test_feather_of_version_1_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(40) + b"FEA1")
    with pytest.raises(NotImplementedError, match=r"old\.feather.*version 1"):
        shoal.open(str(tmp_path)).count()


def test_dictionaries_keep_their_type_and_filter_by_value(tmp_path: Path) -> None:
    for number, values in enumerate((["x", "y", None], ["y", "z", "z"])):
        array = pa.array(values).dictionary_encode()
        write_file(pa.table({"d": array}), tmp_path / f"{number}.arrow")
    dataset = shoal.open(str(tmp_path))
    assert pa.types.is_dictionary(dataset.schema.field("d").type)
    assert dataset.scan(filter=pc.field("d") == "y").to_table()["d"].to_pylist() == ["y", "y"]


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("write", [write_file, write_stream])
def test_compressed_files_give_the_same_rows(tmp_path: Path, write: Any, compression: str | None) -> None:
    table = table_of(0, 100_000)
    write(table, tmp_path / "t.arrow", rows=30_000, compression=compression)
    assert shoal.open(str(tmp_path)).scan().to_table().equals(table)


def test_a_projection_of_a_file_reads_few_bytes(tmp_path: Path) -> None:
    columns = {f"c{n}": pa.array(range(n, n + 10_000), pa.int64()) for n in range(50)}
    write_file(pa.table(columns), tmp_path / "wide.arrow", rows=2_500)
    scan = shoal.open(str(tmp_path)).scan(["c7"])
    assert scan.to_table()["c7"].to_pylist() == list(range(7, 10_007))
    assert scan.metrics is not None
    assert scan.metrics.bytes_read < (tmp_path / "wide.arrow").stat().st_size / 4


def test_files_of_several_formats_are_one_table_when_asked(tmp_path: Path) -> None:
    write_file(table_of(0, 3), tmp_path / "a.arrow")
    orc.write_table(table_of(3, 3), tmp_path / "b.ORC")
    cli.write(tmp_path / "c.parquet", table_of(6, 3))
    (tmp_path / "README.txt").write_text("no data")
    dataset = shoal.open(str(tmp_path), format="by_extension")
    assert dataset.scan().to_table()["i"].to_pylist() == list(range(9))
    assert dataset.scan(filter="i > 1 and i < 7").to_table()["i"].to_pylist() == [2, 3, 4, 5, 6]
    assert dataset.count() == 9
    assert dataset.listing_report.issues["extension"].count == 1
    assert cli.output_of("count", tmp_path, "--format", "by_extension") == "9\n"
    again = shoal.ScanPlan.from_json(dataset.scan().plan().to_json())
    assert again.to_table().num_rows == 9
    with pytest.raises(pa.ArrowInvalid, match=r"README\.txt.*tells no format"):
        shoal.open(str(tmp_path / "README.txt"), format="by_extension").count()


def test_what_follows_the_end_of_a_stream_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.arrows"
    write_stream(table_of(0, 10), path)
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(8))  # padding
    assert shoal.open(path).count() == 10
    path.write_bytes(whole + whole)
    for ask in (shoal.open(path).count, shoal.open(path).to_table):
        with pytest.raises(
            OSError, match=rf"a\.arrows'.*the stream ends here, and {len(whole)} bytes follow"
        ):
            ask()
