"""File formats."""

import os
from typing import Any

import pyarrow as pa

from shoal import _core
from shoal._dataset import open as _open


class FileFormat:
    """A file format. Use one of its subclasses."""

    default_extname = ""

    def __init__(self) -> None:
        if type(self) is FileFormat:
            raise TypeError("FileFormat is abstract: use ParquetFileFormat")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class ParquetFileFormat(FileFormat):
    """The Parquet format, with its default options."""

    default_extname = "parquet"

    def inspect(self, file: Any, filesystem: Any = None) -> pa.Schema:
        """The schema of one file."""
        if filesystem is not None and isinstance(file, os.PathLike):
            file = os.fspath(file)
        return _open(file, filesystem=filesystem, partitioning=None, format="parquet").schema


def as_format(given: object) -> FileFormat:
    if given is None or given == "parquet":
        return ParquetFileFormat()
    if isinstance(given, FileFormat):
        return given
    if isinstance(given, str):
        try:
            _core.check_format(given)
        except NotImplementedError as error:
            raise ValueError(f"format '{given}' is not supported: {error}") from None
        raise ValueError(f"format '{given}' is not supported by shoal.dataset; use shoal.open")
    raise TypeError(f"format must be a name or a FileFormat, not {type(given).__name__}")
