from __future__ import annotations

import itertools
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "end_to_end")]

import servers  # noqa: E402
import test_fault_matrix  # noqa: E402

from store import KINDS, Store  # noqa: E402

_names = itertools.count()


@pytest.fixture(scope="session", params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A running server of each kind of store."""
    folder = tmp_path_factory.mktemp("stores")
    with servers.running(request.param, servers.install(), folder) as addresses:
        yield KINDS[request.param](addresses)


@pytest.fixture(autouse=True, scope="session")
def interrupts() -> Iterator[None]:
    """SIGINT interrupts, these tests and the programs that they start, also where a shell started them as a
    background job, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def store(server: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The server with a bucket of its own, which neither delays nor fails, and has counted nothing yet."""
    for name in "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL":
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server.reset()
    server.create_bucket(f"bucket{next(_names):03}")
    return server


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of faults, here and in build/reports/store-faults.txt."""
    if not test_fault_matrix.TABLE:
        return
    lines = [f"{'store':6} {'fault':22} {'operation':9} {'seconds':>7}  outcome"]
    for store, fault, operation, outcome, seconds in test_fault_matrix.TABLE:
        lines.append(f"{store:6} {fault:22} {operation:9} {seconds:7.2f}  {outcome}")
    terminalreporter.section("faults")
    terminalreporter.write_line("\n".join(lines))
    kept = Path(__file__).parents[2] / "build" / "reports" / "store-faults.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("\n".join(lines) + "\n")
