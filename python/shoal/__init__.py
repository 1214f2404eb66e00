"""Folders of files as one table: listed, pruned, scanned and written."""

import pyarrow as _pyarrow

from shoal._built_for import PYARROW_MAJOR as _PYARROW_MAJOR

# The compiled module shares pyarrow's C++ libraries, whose binary interface changes with each major version.
if int(_pyarrow.__version__.split(".")[0]) != _PYARROW_MAJOR:
    raise ImportError(
        f"shoal was built for pyarrow {_PYARROW_MAJOR}, but pyarrow {_pyarrow.__version__} is installed: "
        f"run `pip install 'pyarrow=={_PYARROW_MAJOR}.*'` or rebuild shoal."
    )

from shoal._core import version as _version

__version__ = _version()

__all__ = ["__version__"]
