"""What `cmake --install` gives a C++ user: find_package(shoal), and programs that link it."""

import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shoal

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library is installed."""
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", ROOT / "build/release", "--prefix", prefix, "--component", "cpp")
    return prefix


def build(example: str, prefix: Path, folder: Path) -> Path:
    """The program of an example, built against the installed library."""
    run(
        *("cmake", "-G", "Ninja", "-S", ROOT / "examples" / example, "-B", folder),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", f"-DPython_EXECUTABLE={sys.executable}"),
    )
    run("cmake", "--build", folder)
    return folder / example


def test_a_consumer_builds_against_the_installed_library(prefix: Path, tmp_path: Path) -> None:
    assert f"shoal {shoal.__version__}\n" in run(build("consumer", prefix, tmp_path))


@pytest.fixture(scope="module")
def engine(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("engine", prefix, tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four shops of two files each; the second file's amounts are wider, and the first lacks a column."""
    root = tmp_path_factory.mktemp("sales")
    for shop in range(4):
        folder = root / f"shop={shop}"
        folder.mkdir()
        first = pa.table({"amount": pa.array(range(10), pa.int16())})
        pq.write_table(first, folder / "a.parquet")
        second = pa.table({"note": ["n"] * 10, "amount": pa.array(range(10, 20), pa.int64())})
        pq.write_table(second, folder / "b.parquet", row_group_size=5)
    return root


def lines(engine: Path, *arguments: object) -> list[str]:
    """What the engine prints. It fails by itself if the two readers' answers differ."""
    return run(engine, *arguments).splitlines()


def test_an_engine_applies_what_is_left_of_the_filters(engine: Path, sales: Path) -> None:
    out = lines(engine, sales, "shop", "amount", "shop >= 2 and amount != 3", "note is null")
    shoal_reads, engine_reads = out.index("shoal reads"), out.index("the engine reads")
    assert shoal_reads < engine_reads
    assert sum(": exact (" in line for line in out) == 2
    assert sum(": inexact (" in line for line in out) == 2
    assert out[engine_reads - 1] == "  2 files in 2 groups, filters left: 0, keys anywhere"
    assert out[-3] == "  2 files in 2 groups, filters left: 2, keys anywhere"
    assert out[-2:] == ["2: 9 rows, sum 42", "3: 9 rows, sum 42"]


def test_an_engine_need_not_join_what_a_scan_keeps_apart(engine: Path, sales: Path) -> None:
    everything = [f"{shop}: 20 rows, sum 190" for shop in range(4)]
    out = lines(engine, sales, "shop", "amount", "--preserve", 1, "--partitions", 3)
    assert out[1] == "  8 files in 3 groups, filters left: 0, keys apart"
    assert out[-4:] == everything
    assert lines(engine, sales, "shop", "amount", "--partitions", 3)[-4:] == everything


def test_an_engine_pushes_a_limit_only_over_exact_filters(engine: Path, sales: Path) -> None:
    out = lines(engine, sales, "shop", "amount", "shop >= 1", "--limit", 15)
    assert out[2] == "  2 files in 2 groups, filters left: 0, keys anywhere, limit pushed"
    assert out[-1] == "1: 15 rows, sum 105"
    out = lines(engine, sales, "shop", "amount", "shop >= 1", "amount != 3", "--limit", 15)
    assert [line for line in out if "limit not pushed" in line] == [
        "  6 files in 4 groups, filters left: 1, keys anywhere, limit not pushed"
    ]
    assert out[-1] == "1: 15 rows, sum 117"


def test_a_plain_install_puts_everything_below_the_prefix(tmp_path: Path) -> None:
    """Also where pip has built its wheel in the same tree, as `./dev build` does."""
    prefix = tmp_path / "prefix"
    said = run("cmake", "--install", ROOT / "build/release", "--prefix", prefix)
    placed = re.findall(r"(?m)^-- (?:Installing|Up-to-date): (.*)$", said)
    assert placed and all(path.startswith(f"{prefix}/") for path in placed)
    assert sorted(path.name for path in prefix.iterdir()) == ["bin", "include", "lib"]
    assert run(prefix / "bin/shoal", "--version") == f"shoal {shoal.__version__}\n"


def test_a_format_of_ones_own_is_scanned_as_a_table(prefix: Path, tmp_path: Path) -> None:
    folder = tmp_path / "points"
    folder.mkdir()
    assert lines(build("format", prefix, tmp_path / "build"), folder) == [
        "the format keeps the laws",
        "3000 points, of which are wanted:",
        "1999: 999.5",
        "2000: 1000",
        "2001: 1000.5",
    ]


def test_a_partitioning_of_ones_own_prunes_directories(prefix: Path, tmp_path: Path) -> None:
    folder = tmp_path / "months"
    for month in ("y2023m06", "y2024m05", "y2024m06", "misc"):
        (folder / month).mkdir(parents=True)
        pq.write_table(pa.table({"x": [1]}), folder / month / "a.parquet")
    assert lines(build("partitioning", prefix, tmp_path / "build"), folder) == [
        "the partitioning keeps the laws",
        "year: int32",
        "month: int32",
        "y2024m06/a.parquet",
        "1 files are in no month",
    ]


@pytest.mark.parametrize("example", ["format", "partitioning"])
def test_what_extends_shoal_takes_no_more_than_150_lines(example: str) -> None:
    assert len((ROOT / "examples" / example / "main.cc").read_text().splitlines()) <= 150
