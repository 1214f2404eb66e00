"""Operation by fault: each gives the right answer, or one clear error soon. The table is kept in
build/reports/store-faults.txt and printed at the end of the run."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from cli_program import Ended
from cli_program import shoal as run
from tables import DAYS, FILES, HOURS, ROWS, put_days

from store import Store

SOON = 5.0  # seconds in which a mistake is told
TABLE: list[tuple[str, str, str, str, float]] = []  # store, fault, operation, outcome, seconds

N = DAYS * HOURS * FILES
Options = dict[str, str]

# Verbs of the program, each run in a process of its own, and whether what they say is right.
OPERATIONS: dict[str, Callable[[Ended], bool]] = {
    "schema": lambda ended: [column["name"] for column in json.loads(ended.text)] == ["x", "date", "hour"],
    "ls": lambda ended: len(json.loads(ended.text)["files"]) == N,
    "explain": lambda ended: len(json.loads(ended.text)["fragments"]) == N,
    "count": lambda ended: json.loads(ended.text)["rows"] == N * ROWS,
    "scan": lambda ended: (
        [json.loads(line)["x"] for line in ended.text.splitlines()] == list(range(N * ROWS))
    ),
}

# What happens to one request in so many, of all kinds, and to the first listings, of which there are few: so
# often that each operation, all of which run side by side, can have its own.
PASSING = {
    "503 one in ten": [{"kind": "status", "status": 503, "every": 10}],
    "reset one in ten": [{"kind": "reset", "every": 10}],
    "cut off one in ten": [{"kind": "truncate", "every": 10}],
    "hang one in forty": [{"kind": "hang", "every": 40}],
    "first listings 503": [{"kind": "status", "status": 503, "operation": "list", "times": 10}],
    "first listings reset": [{"kind": "reset", "operation": "list", "times": 10}],
    "first listing cut off": [{"kind": "truncate", "operation": "list", "times": 5}],
    "first listing hangs": [{"kind": "hang", "operation": "list", "times": 5}],
}


def tried(store: Store, fault: str, operation: str, uri: str, options: Options) -> tuple[str, str, float]:
    """The outcome in the words of the table, what was said of errors, and how long it took."""
    words = [word for item in options.items() for word in ("--storage-option", "=".join(item))]
    if operation != "scan":
        words.append("--json")
    begin = time.monotonic()
    ended = run(operation, uri, *words)
    seconds = time.monotonic() - begin
    if ended.status == 0:
        outcome = "right answer" if OPERATIONS[operation](ended) else "WRONG ANSWER"
    else:
        assert ended.status == 1, ended.err
        assert len(ended.err.splitlines()) == 1, ended.err
        outcome = "error: " + ended.err.strip().rpartition(". ")[2]
    TABLE.append((store.kind, fault, operation, outcome, seconds))
    return outcome, ended.err, seconds


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_does_not_change_the_answer(store: Store, fault: str) -> None:
    put_days(store)
    # A hang takes as long; an answer of a slow machine must not.
    options = store.options() | {"timeout": "3"}
    store.behave(0, *PASSING[fault])
    for outcome, message, _ in all_tried(store, fault, list(OPERATIONS), store.uri("days"), options):
        assert outcome == "right answer", message
    assert store.counts().faults > 0


def all_tried(
    store: Store, fault: str, operations: list[str], uri: str, options: Options
) -> list[tuple[str, str, float]]:
    """Side by side."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda operation: tried(store, fault, operation, uri, options), operations))


@contextmanager
def silent() -> Iterator[str]:
    """An address at which somebody listens and never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        yield f"127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def nobody() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    yield address


def all_fail_soon(store: Store, fault: str, bucket: str, options: Options, advice: str) -> None:
    uri = store.uri("days/", bucket)
    # What five processes at once take to do nothing, on this machine as it is now.
    begin = time.monotonic()
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda _: run("--version"), OPERATIONS))
    starting = time.monotonic() - begin
    for outcome, message, seconds in all_tried(store, fault, list(OPERATIONS), uri, options):
        assert uri.rstrip("/") in message, outcome
        assert advice in message
        assert seconds_until_given_up(message) < SOON
        assert seconds < SOON + 1 + 10 * starting


def seconds_until_given_up(message: str) -> float:
    """What an error says of it; 0: the store has answered."""
    told = re.search(r"given up after ([0-9.]+) s", message)
    return float(told[1]) if told else 0.0


def test_wrong_credentials_are_told_soon(store: Store) -> None:
    options = store.wrong_credentials()
    if options is None:
        pytest.skip("the server asks for no credentials")
    all_fail_soon(store, "wrong credentials", store.bucket, options, "Check the credentials")


def test_a_missing_bucket_is_told_soon(store: Store) -> None:
    all_fail_soon(store, "missing bucket", "nosuchbucket", store.options(), "bucket")


def test_a_wrong_region_is_told_soon(store: Store) -> None:
    if store.kind != "s3":
        pytest.skip("has no regions")
    options = store.options() | {"aws_region": "eu-west-1"}
    all_fail_soon(store, "wrong region", store.bucket, options, "region")


@pytest.mark.parametrize("where", [nobody, silent])
def test_a_store_that_is_not_there_is_told_soon(store: Store, where: Callable[[], Iterator[str]]) -> None:
    fault = {"nobody": "nobody listens", "silent": "no word"}[where.__name__]
    with where() as address:
        options = store.options(address)
        all_fail_soon(store, fault, store.bucket, options, "Check the network and the endpoint")
