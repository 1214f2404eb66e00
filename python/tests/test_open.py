"""shoal.open: sources, options, and that nothing is read before it is asked for."""

from __future__ import annotations

import os
import pathlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
from files import hive, numbers, same, write


def xs(dataset: shoal.Dataset) -> list[int]:
    return dataset.scan(["x"]).to_table()["x"].to_pylist()


def test_opening_touches_no_file(tmp_path: Path) -> None:
    dataset = shoal.open(tmp_path / "not-there-yet")
    assert "not inspected" in repr(dataset)
    numbers(tmp_path / "not-there-yet", 2)
    assert xs(dataset) == list(range(20))


def test_a_failed_question_may_be_asked_again(tmp_path: Path) -> None:
    dataset = shoal.open(tmp_path / "t")
    with pytest.raises(FileNotFoundError):
        dataset.schema  # noqa: B018
    numbers(tmp_path / "t", 1)
    assert dataset.schema.names == ["x"]


def test_spellings_of_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = hive(tmp_path / "t", "k", ["1", "2"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    expected = shoal.open(str(root)).to_table()
    for source in [
        root,
        f"{root}/",
        f"{root}//",
        f"{root}/.",
        f"file://{root}",
        "t",
        "./t/",
        pathlib.PurePath("t"),
        "~/t",
    ]:
        same(shoal.open(source).to_table(), expected)
        assert shoal.open(source).files == [f"{root}/k=1/f.parquet", f"{root}/k=2/f.parquet"], source


def test_lists_of_sources_give_each_file_once(tmp_path: Path) -> None:
    root = numbers(tmp_path / "t", 3, rows=2)
    other = write(tmp_path / "u" / "u.parquet", {"x": [100]})
    assert xs(shoal.open([other, root, root / "01.parquet"])) == [0, 1, 2, 3, 4, 5, 100]
    assert xs(shoal.open((str(root / "02.parquet"), root / "00.parquet"))) == [0, 1, 4, 5]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("0[12].parquet", [1, 2]), ("?0.parquet", [0]), ("{00,02}.*", [0, 2]), ("**/*.parquet", [0, 1, 2])],
)
def test_patterns(tmp_path: Path, pattern: str, expected: list[int]) -> None:
    root = numbers(tmp_path / "t", 3, rows=1)
    assert xs(shoal.open(f"{root}/{pattern}")) == expected
    assert xs(shoal.open(root / pattern)) == expected


def test_a_name_with_pattern_characters_is_taken_literally_if_it_exists(tmp_path: Path) -> None:
    write(tmp_path / "a*.parquet", {"x": [1]})
    write(tmp_path / "ab.parquet", {"x": [2]})
    assert xs(shoal.open(tmp_path / "a*.parquet")) == [1]


def test_names_that_are_not_utf8_are_reported_not_lost(tmp_path: Path) -> None:
    root = numbers(tmp_path / "t", 1, rows=1)
    os.rename(write(tmp_path / "t" / "z.parquet", {"x": [7]}), os.fsencode(root) + b"/\xff.parquet")
    dataset = shoal.open(root)
    assert xs(dataset) == [0]
    (issue,) = dataset.listing_report.issues.values()
    assert issue.count == 1
    assert issue.examples[0].endswith("/%FF.parquet")
    with pytest.raises(pa.ArrowInvalid, match="%FF"):
        shoal.open(root, strict=True).schema  # noqa: B018


def test_names_in_other_scripts(tmp_path: Path) -> None:
    root = hive(tmp_path / "été 東京", "stadt", ["Zürich", "東京"])
    table = shoal.open(root).to_table()
    assert table.to_pydict() == {"x": [0, 1], "stadt": ["Zürich", "東京"]}
    assert all("été 東京" in path for path in shoal.open(root).files)


def test_schema_is_columns_then_keys(flights: Path) -> None:
    dataset = shoal.open(flights)
    assert dataset.schema.names == ["id", "delay", "distance", "carrier", "year", "month"]
    assert dataset.partition_schema == pa.schema([("year", pa.int32()), ("month", pa.int32())])
    assert dataset.format == "parquet"
    assert dataset.filesystem == pafs.LocalFileSystem()
    assert len(dataset.files) == 12
    assert dataset.listing_report.files == 12
    assert dataset.listing_report.complete
    assert "year: int32" in repr(dataset)


def test_an_explicit_schema_reorders_drops_adds_and_casts(tmp_path: Path) -> None:
    write(tmp_path / "f.parquet", {"a": [1, 2], "b": ["u", "v"]})
    schema = pa.schema([("c", pa.date32()), ("a", pa.float64())])
    assert (
        shoal.open(tmp_path, schema=schema)
        .to_table()
        .equals(pa.table({"c": pa.array([None, None], pa.date32()), "a": [1.0, 2.0]}))
    )
    assert shoal.open(tmp_path, schema=[("b", pa.string())]).schema == pa.schema([("b", pa.string())])


def test_with_a_schema_no_footer_is_read(tmp_path: Path) -> None:
    (tmp_path / "f.parquet").write_bytes(b"no Parquet at all")
    dataset = shoal.open(tmp_path, schema=pa.schema([("x", pa.int64())]))
    assert dataset.schema.names == ["x"]
    assert len(dataset.files) == 1
    with pytest.raises(pa.ArrowInvalid, match=r"f\.parquet"):
        dataset.to_table()


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "_hidden.parquet").touch()
    with pytest.raises(pa.ArrowInvalid, match=r"no data files in .* hidden by name"):
        shoal.open(tmp_path).schema  # noqa: B018
    schema = pa.schema([("x", pa.int64())])
    same(shoal.open(tmp_path, schema=schema).to_table(), schema.empty_table())
    assert shoal.open(tmp_path, schema=schema).count() == 0


def test_extension_and_ignore_prefixes_choose_files(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    write(tmp_path / "b.pq", {"x": [2]})
    write(tmp_path / "_c.parquet", {"x": [3]})
    write(tmp_path / "old-d.parquet", {"x": [4]})
    assert xs(shoal.open(tmp_path, extension=".pq")) == [2]
    assert xs(shoal.open(tmp_path, ignore_prefixes=["old-"], extension=".parquet")) == [3, 1]
    assert xs(shoal.open(tmp_path, ignore_prefixes=[], extension=".parquet")) == [3, 1, 4]
    assert set(shoal.open(tmp_path, extension=".pq").listing_report.issues) == {"hidden", "extension"}


def test_ignore_subdirectory_leaves_out_what_is_no_partition(tmp_path: Path) -> None:
    write(tmp_path / "k=1" / "a.parquet", {"x": [1]})
    write(tmp_path / "more" / "b.parquet", {"x": [2]})
    assert xs(shoal.open(tmp_path)) == [1, 2]
    dataset = shoal.open(tmp_path, ignore_subdirectory=True)
    assert xs(dataset) == [1]
    assert list(dataset.listing_report.issues) == ["subdirectory"]


def test_strict_takes_kinds_by_name(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    (tmp_path / "b.parquet").touch()
    assert "zero_byte" in shoal.LISTING_ISSUES
    assert xs(shoal.open(tmp_path, strict={"hidden"})) == [1]
    with pytest.raises(pa.ArrowInvalid, match=r"b\.parquet"):
        xs(shoal.open(tmp_path, strict={"zero_byte"}))


def test_inspect_says_how_many_files_make_the_schema(tmp_path: Path) -> None:
    for i in range(5):
        write(tmp_path / f"{i}.parquet", {"x": [i], f"y{i}": [i]})
    assert shoal.open(tmp_path, inspect="first").schema.names == ["x", "y0"]
    assert len(shoal.open(tmp_path, inspect="all").schema.names) == 6
    assert shoal.open(tmp_path, inspect=2).plan().files_inspected == 2


def test_a_dataset_is_a_snapshot_and_refresh_looks_again(tmp_path: Path) -> None:
    root = numbers(tmp_path / "t", 1, rows=2)
    dataset = shoal.open(root)
    assert dataset.count() == 2
    numbers(root, 2, rows=2)
    assert dataset.count() == 2
    assert dataset.refresh().count() == 4
    assert dataset.count() == 2


def test_reports_are_plain_values(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    (tmp_path / "_SUCCESS").touch()
    report = shoal.open(tmp_path).listing_report
    assert report.to_dict()["issues"] == {"hidden": {"count": 1, "examples": [f"{tmp_path}/_SUCCESS"]}}
    assert report.to_dict()["files"] == 1
    assert "_SUCCESS" in str(report)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"ignore_subdirectory": "no"}, TypeError, "ignore_subdirectory must be True or False, not 'no'"),
        ({"cache_limit": 5}, ValueError, "cache is off"),
        ({"storage_options": 3}, TypeError, "storage_options must be a dict"),
        ({"filesystem": "foo"}, ValueError, "filesystem is 'foo'"),
        ({"ignore_prefixes": "_"}, TypeError, r"for one write \['_'\]"),
    ],
)
def test_arguments_of_another_kind_are_told(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    numbers(tmp_path / "t", 1)
    with pytest.raises(error, match=words):
        shoal.open(tmp_path / "t", **options)


def test_flags_and_numbers_of_a_question_are_what_they_say(tmp_path: Path) -> None:
    dataset = shoal.open(numbers(tmp_path / "t", 2))
    with pytest.raises(TypeError, match="ordered must be True or False"):
        dataset.scan(ordered="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="collect_statistics must be True or False"):
        dataset.plan(collect_statistics="false")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="limit must be a number"):
        dataset.scan(limit=True)
    for name in ("batch_size", "memory_budget", "workers", "io_concurrency"):
        with pytest.raises(TypeError, match=f"{name} must be a number"):
            dataset.scan(**{name: True})
    with pytest.raises(TypeError, match="cache_limit must be a number"):
        shoal.open(tmp_path / "t", cache=True, cache_limit=True)
    with pytest.raises(TypeError, match="ordered must be True or False"):
        dataset.plan().to_table(ordered="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="file_stream_work_stealing must be True or False"):
        dataset.plan().file_groups(2).read(file_stream_work_stealing=0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"for one write \['x'\]"):
        dataset.plan(column_statistics=True).file_groups(2, by="ordering", ordering="x")
    with pytest.raises(TypeError, match="constraints must be TableConstraints"):
        dataset.file_scan(constraints=[3])  # type: ignore[list-item]


def test_a_dataset_is_a_snapshot_of_what_it_has_listed(tmp_path: Path) -> None:
    for i in range(40):
        write(tmp_path / f"k={i}" / "f.parquet", {"x": [i]})
    dataset = shoal.open(tmp_path, inspect="first")
    assert dataset.count("k = 5") == 1
    write(tmp_path / "k=5" / "g.parquet", {"x": [50]})
    assert dataset.count("k = 5") == 1
    assert dataset.plan(filter="k = 5").listing_report.directories_listed == 0
    assert dataset.refresh().count("k = 5") == 2


def test_what_a_limit_has_listed_is_part_of_the_snapshot(tmp_path: Path) -> None:
    for i in range(40):
        write(tmp_path / f"k={i:02}" / "f.parquet", {"x": [i]})
    dataset = shoal.open(tmp_path, inspect="first")
    assert dataset.head(1).to_pydict() == {"x": [0], "k": ["00"]}
    write(tmp_path / "k=00" / "a.parquet", {"x": [100]})
    assert dataset.head(1).to_pydict() == {"x": [0], "k": ["00"]}
    assert dataset.plan(limit=1).listing_report.directories_listed == 0


@pytest.mark.parametrize("glob", ["*.parquet", "**", "*/../*.parquet"])
def test_a_folder_and_a_pattern_in_it_give_each_file_once(tmp_path: Path, glob: str) -> None:
    root = numbers(tmp_path / "t", 2)
    for sources in ([root, f"{root}/{glob}"], [f"{root}/{glob}", root], [f"{root}/", f"{root}/."]):
        assert shoal.open([str(source) for source in sources]).count() == 20


def test_sources_that_only_look_like_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "file:.parquet", {"x": [1]})
    monkeypatch.chdir(tmp_path)
    assert shoal.open("file:.parquet").count() == 1
    assert shoal.open(f"file://localhost{tmp_path}").count() == 1
    with pytest.raises(pa.ArrowInvalid, match="not absolute"):
        shoal.open("file:nothing.parquet").count()


def test_a_source_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "t" / "f.parquet", {"x": [1]})
    odd = os.fsencode(tmp_path / "t") + b"/k=\xff"
    os.rename(tmp_path / "t" / "f.parquet", odd + b".parquet")
    with pytest.raises(pa.ArrowInvalid, match=r"k=%FF.*not UTF-8"):
        shoal.open(os.fsdecode(odd + b".parquet")).count()


def test_virtual_columns_have_names_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(pa.ArrowInvalid, match="filename and row_index are both called 'q'"):
        shoal.open(tmp_path, virtual_columns={"filename": "q", "row_index": "q"})
