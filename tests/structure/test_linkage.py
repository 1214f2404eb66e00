"""shoal stands on Arrow's core and never on arrow::dataset: no link, no symbol, no import."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import shoal

PROGRAM = Path(sysconfig.get_path("scripts")) / "shoal"
EXTENSION = next(Path(shoal.__file__).parent.glob("_core.*.so"))


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("binary", [PROGRAM, EXTENSION], ids=lambda path: path.name)
def test_binaries_do_not_need_arrow_dataset(binary: Path) -> None:
    needed = [line for line in output("readelf", "-d", binary).splitlines() if "(NEEDED)" in line]
    assert needed
    assert not [line for line in needed if "arrow_dataset" in line]


@pytest.mark.parametrize("binary", [PROGRAM, EXTENSION], ids=lambda path: path.name)
def test_binaries_have_s3(binary: Path) -> None:
    # A library of its own in Arrow, that a linker drops where nothing of it is called.
    assert "libarrow_s3" in output("readelf", "-d", binary)


@pytest.mark.parametrize("binary", [PROGRAM, EXTENSION], ids=lambda path: path.name)
def test_binaries_have_no_arrow_dataset_symbol(binary: Path) -> None:
    symbols = output("nm", "-DC", binary) + output("nm", "-C", binary)
    assert not [line for line in symbols.splitlines() if "arrow::dataset" in line]


def test_the_extension_exports_its_init_function_alone() -> None:
    # Address, kind, name. Instances of templates are weak, and may be named after anything.
    exported = [line.split(" ", 2) for line in output("nm", "-DC", "--defined-only", EXTENSION).splitlines()]
    own = [name for _, kind, name in exported if kind == "T"]
    assert own == ["PyInit__core"]


@pytest.mark.parametrize("module", ["shoal", "shoal.dataset"])
def test_importing_does_not_import_pyarrow_dataset(module: str) -> None:
    code = f"""
import importlib.util, sys
if importlib.util.find_spec({module!r}):
    __import__({module!r})
print([name for name in ("pyarrow.dataset", "pyarrow._dataset") if name in sys.modules])
"""
    assert output(sys.executable, "-c", code) == "[]\n"
