"""The package as it is installed."""

import subprocess
import sys
from importlib.metadata import version

import shoal


def test_the_version_is_the_library_s() -> None:
    assert shoal.__version__ == version("shoal")


def test_importing_loads_no_more_than_it_needs() -> None:
    others = {"pyarrow.compute", "pyarrow.dataset", "pandas", "fsspec"}
    code = f"import sys, shoal; print({others} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_another_pyarrow_major_version_is_refused_in_one_sentence() -> None:
    code = "import pyarrow; pyarrow.__version__ = '1.0.0'; import shoal"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    message = done.stderr.splitlines()[-1]
    assert message.startswith("ImportError: shoal was built for pyarrow ")
    assert "but pyarrow 1.0.0 is installed" in message
