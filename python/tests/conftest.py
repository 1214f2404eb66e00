"""Tables that many tests read and none changes."""

from pathlib import Path

import files
import pyarrow as pa
import pytest


@pytest.fixture(scope="session")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files.flights(tmp_path_factory.mktemp("shared") / "flights")


@pytest.fixture(scope="session")
def flights_table(flights: Path) -> pa.Table:
    """The same, read by pyarrow.parquet file by file."""
    return files.read_all(flights)
