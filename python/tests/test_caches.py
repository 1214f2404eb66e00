"""What is kept between questions: facts of files on disk, listings in memory."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
import shoal
from files import numbers, write


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Ten files, last changed some time ago."""
    root = numbers(tmp_path / "table", 10)
    for path in root.iterdir():
        age(path, 100)
    return root


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    shoal.forget_listings()
    yield
    shoal.forget_listings()


def age(path: Path, seconds: int) -> None:
    changed = path.stat().st_mtime_ns - seconds * 10**9
    os.utime(path, ns=(changed, changed))


def test_a_cache_folder_answers_a_later_dataset(table: Path, tmp_path: Path) -> None:
    first = shoal.open(table, cache=tmp_path / "cache")
    assert first.cache_report.path is None
    assert first.count() == 100
    assert first.cache_report.files_added == 10
    assert Path(first.cache_report.path).parent == tmp_path / "cache"

    second = shoal.open(table, cache=str(tmp_path / "cache"), inspect="first")
    plan = second.plan()
    assert plan.prune_report["footers_read"] == 0
    assert plan.prune_report["footers_cached"] == 10
    assert "10 known before" in str(plan)
    scan = second.scan(filter="x >= 95")
    assert scan.to_table()["x"].to_pylist() == [95, 96, 97, 98, 99]
    assert scan.metrics.footers_cached == 10
    assert second.cache_report.files_known == 10
    assert second.cache_report.problem is None


def test_another_process_finds_what_this_one_kept(table: Path, tmp_path: Path) -> None:
    assert shoal.open(table, cache=tmp_path / "cache").count() == 100
    program = (
        "import shoal, sys\n"
        "dataset = shoal.open(sys.argv[1], cache=sys.argv[2])\n"
        "print(dataset.count(), dataset.cache_report.files_added)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(table), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == ["100", "0"]


def test_the_users_cache_folder(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    dataset = shoal.open(table, cache=True)
    dataset.count()
    assert Path(dataset.cache_report.path).parent == tmp_path / "xdg" / "shoal"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    dataset = shoal.open(table, cache=True)
    dataset.count()
    assert Path(dataset.cache_report.path).parent == tmp_path / "home" / ".cache" / "shoal"


def test_without_the_option_nothing_is_kept(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    dataset = shoal.open(table)
    assert dataset.count() == 100
    assert dataset.cache_report == shoal.CacheReport(None, 0, 0, 0, None)
    assert not (tmp_path / "xdg").exists()


def test_a_replaced_file_is_read_anew(table: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert shoal.open(table, cache=cache).count() == 100
    path = table / "03.parquet"
    size = path.stat().st_size
    write(path, {"x": range(1000, 1010)})  # as many bytes
    assert path.stat().st_size == size
    age(path, 50)
    for _ in range(2):
        dataset = shoal.open(table, cache=cache)
        assert dataset.count("x >= 1000") == 10
        assert dataset.count("x >= 30 and x < 40") == 0


@pytest.mark.parametrize("named", ["folder", "file", "files", "glob", "link"])
def test_files_replaced_while_a_dataset_is_open_are_read_as_they_are(tmp_path: Path, named: str) -> None:
    table = tmp_path / "table"
    path = write(table / "00.parquet", {"x": range(10)})
    link = tmp_path / "links"
    link.mkdir()
    (link / "00.parquet").symlink_to(path)
    source = {"folder": table, "file": path, "files": [path], "glob": f"{table}/*", "link": link}[named]
    dataset = shoal.open(source)
    assert dataset.count() == 10
    plans = [dataset.plan(), dataset.plan(collect_statistics=False)]
    write(path, {"x": range(100, 120)})
    assert dataset.count() == dataset.to_table().num_rows == dataset.count("x >= 100") == 20
    for plan in plans:
        with pytest.raises(OSError, match=r"00\.parquet' changed after it was listed"):
            plan.to_table()


def test_a_folder_that_cannot_be_used_costs_no_answer(table: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    dataset = shoal.open(table, cache=tmp_path / "file")
    assert dataset.count() == 100
    assert str(tmp_path / "file") in dataset.cache_report.problem
    assert dataset.cache_report.files_added == 0


def test_the_options_go_with_a_pickled_dataset(table: Path, tmp_path: Path) -> None:
    shoal.open(table, cache=tmp_path / "cache").count()
    again = pickle.loads(pickle.dumps(shoal.open(table, cache=tmp_path / "cache", inspect="first")))
    assert again.plan().prune_report["footers_cached"] == 10


def test_a_remembered_listing_answers_until_it_is_refreshed_or_forgotten(table: Path) -> None:
    first = shoal.open(table, listing_cache_ttl=3600)
    assert first.listing_report.directories_listed == 1
    write(table / "10.parquet", {"x": [100]})
    second = shoal.open(table, listing_cache_ttl=3600)
    assert len(second.files) == 10
    assert second.listing_report.directories_listed == 0
    assert second.listing_report.directories_cached == 1
    assert len(shoal.open(table).files) == 11
    assert len(second.refresh().files) == 11
    assert len(shoal.open(table, listing_cache_ttl=3600).files) == 11

    write(table / "11.parquet", {"x": [101]})
    assert len(shoal.open(table, listing_cache_ttl=3600).files) == 11
    shoal.forget_listings(table)
    assert len(shoal.open(table, listing_cache_ttl=3600).files) == 12


def test_facts_are_those_of_one_filesystem(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for name, first in (("a", 0), ("b", 100)):
        path = tmp_path / name / "t" / "f.parquet"
        path.parent.mkdir(parents=True)
        write(path, {"x": [first + 10, first + 11]})
        os.utime(path, ns=(10**18, 10**18))
    for name, rows in (("a", 0), ("b", 2)):
        tree = pafs.SubTreeFileSystem(str(tmp_path / name), pafs.LocalFileSystem())
        assert shoal.open("t", filesystem=tree, cache=cache).count("x >= 110") == rows


def ten_numbers(path: Path, start: int) -> Path:
    """Whatever the numbers are, the file's size is the same."""
    table = pa.table({"x": range(start, start + 10)})
    pq.write_table(table, path, compression="none", use_dictionary=False)
    age(path, 100)
    return path


def same_size_and_time(path: Path, start: int, how: str) -> None:
    """Puts ten other numbers into the file's place, with the old file's modification time."""
    old = path.stat()
    other = ten_numbers(path.parent.parent / "other", start)
    if how == "in place":
        path.write_bytes(other.read_bytes())
    elif how == "copy":
        os.utime(other, ns=(old.st_mtime_ns, old.st_mtime_ns))
        shutil.copy2(other, path.with_suffix(".new"))
        path.with_suffix(".new").rename(path)
    elif how == "link":
        os.utime(other, ns=(old.st_mtime_ns, old.st_mtime_ns))
        path.unlink()
        path.symlink_to(other)
    os.utime(path, ns=(old.st_mtime_ns, old.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (old.st_size, old.st_mtime_ns)


@pytest.mark.parametrize("how", ["in place", "copy", "link"])
@pytest.mark.parametrize("kept", ["in memory", "on disk"])
def test_a_file_of_equal_size_and_time_is_another_file(
    table: Path, tmp_path: Path, how: str, kept: str
) -> None:
    cache = tmp_path / "cache" if kept == "on disk" else False
    file = ten_numbers(min(table.iterdir()), 0)
    before = shoal.open(table, cache=cache)
    assert before.count(filter="x < 10") == 10
    same_size_and_time(file, 500, how)
    after = before if kept == "in memory" else shoal.open(table, cache=cache)
    assert after.count(filter="x >= 500") == 10
    assert after.scan(filter="x < 10").to_table().num_rows == 0
    assert after.stats().columns["x"].max.value == 509


@pytest.mark.parametrize("how", ["in place", "copy", "link"])
def test_a_plan_is_not_read_from_a_file_of_equal_size_and_time(table: Path, how: str) -> None:
    file = ten_numbers(min(table.iterdir()), 0)
    plan = shoal.open(table).plan(filter="x < 10")
    plans = [plan, shoal.ScanPlan.from_json(plan.to_json())]
    same_size_and_time(file, 500, how)
    for each in plans:
        with pytest.raises(OSError, match=r"changed after it was listed: .*kept its modification time"):
            each.to_table()
