"""What `cmake --install` gives a C++ user: find_package(shoal) and a program that links it."""

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
