"""Stores that refuse, are not there, fail now and then, or hang."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time

import pytest
import shoal
from cli_program import PROGRAM
from cli_program import shoal as run
from tables import DAYS, FILES, HOURS, put_days
from test_fault_matrix import SOON, seconds_until_given_up
from test_listing import flags

from store import Store

# Seconds that a slow machine may take for what is done at once; what fails to do it takes twice as long.
AT_ONCE = 12


def refused() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_the_program_ends_soon_in_one_line(store: Store) -> None:
    options = store.options(refused())
    words = [word for item in options.items() for word in ("--storage-option", "=".join(item))]
    ended = run("count", store.uri("t/"), *words)
    assert seconds_until_given_up(ended.err) < SOON
    assert ended.status == 1
    assert len(ended.err.splitlines()) == 1
    assert f"{store.scheme}://{store.bucket}/t" in ended.err


def test_an_unknown_option_is_an_error_naming_it(store: Store) -> None:
    with pytest.raises(ValueError, match="'colour'"):
        shoal.open(store.uri("t/"), storage_options=store.options() | {"colour": "blue"})
    ended = run("count", store.uri("t/"), "--storage-option", "colour=blue")
    assert ended.status == 1
    assert "'colour'" in ended.err


@pytest.mark.parametrize("operation", ["list", "get"])
def test_a_store_that_stops_answering_is_an_error_at_the_deadline(store: Store, operation: str) -> None:
    put_days(store)
    opened = shoal.open(
        store.uri("days"), storage_options=store.options() | {"deadline": "2", "timeout": "1.5"}
    )
    assert opened.schema.names == ["x", "date", "hour"]
    store.behave(0, {"operation": operation, "kind": "hang"})
    with pytest.raises(OSError, match=f"{store.scheme}://{store.bucket}/days") as error:
        opened.refresh().scan().to_table()
    assert seconds_until_given_up(str(error.value)) < 4


@pytest.mark.parametrize("operation", ["list", "get"])
def test_ctrl_c_ends_a_program_whose_store_hangs(store: Store, operation: str) -> None:
    put_days(store)
    store.behave(0, {"operation": operation, "kind": "hang"})
    options = ["--storage-option", "timeout=60", *flags(store)]
    process = subprocess.Popen(
        [PROGRAM, "count", store.uri("days"), "--no-progress", *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 60
    while store.counts().in_flight.get(operation, 0) == 0 and time.monotonic() < end:
        time.sleep(0.02)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(60)
    assert time.monotonic() - begin < AT_ONCE
    assert process.returncode == 130


@pytest.mark.parametrize("operation", ["list", "get"])
def test_ctrl_c_ends_a_question_from_python(store: Store, operation: str) -> None:
    put_days(store)
    opened = shoal.open(store.uri("days"), storage_options=store.options() | {"timeout": "60"})
    assert opened.schema.names == ["x", "date", "hour"]
    store.behave(0, {"operation": operation, "kind": "hang"})
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        opened.refresh().count()
    assert time.monotonic() - begin < AT_ONCE


def test_close_does_not_wait_for_a_store_that_hangs(store: Store) -> None:
    n = put_days(store)
    assert n == DAYS * HOURS * FILES
    opened = shoal.open(store.uri("days"), storage_options=store.options() | {"timeout": "60"})
    assert len(opened.files) == n
    assert opened.schema.names == ["x", "date", "hour"]
    store.behave(0, {"operation": "get", "match": f"2024-01-{DAYS:02}", "kind": "hang"})
    batches = opened.scan(batch_size=1).to_batches()  # or the first would be joined from many files
    next(batches)
    begin = time.monotonic()
    batches.close()
    assert time.monotonic() - begin < AT_ONCE
