"""Tables that many tests read and none changes, and what all tests rely on."""

import signal
from collections.abc import Iterator
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


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> Iterator[None]:
    """SIGINT interrupts, whatever the tests were started with: a background job of a shell ignores it, and
    its children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
