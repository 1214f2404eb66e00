"""What `cmake --install` gives a C++ user: find_package(shoal) and a program that links it."""

import re
import subprocess
import sys
from pathlib import Path

import shoal

ROOT = Path(__file__).resolve().parents[2]


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_consumer_builds_against_the_installed_library(tmp_path: Path) -> None:
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    run("cmake", "--install", ROOT / "build/release", "--prefix", prefix, "--component", "cpp")
    run(
        *("cmake", "-G", "Ninja", "-S", ROOT / "examples/consumer", "-B", build),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", f"-DPython_EXECUTABLE={sys.executable}"),
    )
    run("cmake", "--build", build)
    assert f"shoal {shoal.__version__}\n" in run(build / "consumer")


def test_a_plain_install_puts_everything_below_the_prefix(tmp_path: Path) -> None:
    """Also where pip has built its wheel in the same tree, as `./dev build` does."""
    prefix = tmp_path / "prefix"
    said = run("cmake", "--install", ROOT / "build/release", "--prefix", prefix)
    placed = re.findall(r"(?m)^-- (?:Installing|Up-to-date): (.*)$", said)
    assert placed and all(path.startswith(f"{prefix}/") for path in placed)
    assert sorted(path.name for path in prefix.iterdir()) == ["bin", "include", "lib"]
    assert run(prefix / "bin/shoal", "--version") == f"shoal {shoal.__version__}\n"
