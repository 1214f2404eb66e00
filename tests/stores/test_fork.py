"""Children of fork(), as multiprocessing starts them: they may use their parent's datasets."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import shoal
from tables import DAYS, FILES, HOURS, ROWS, put_days

from store import Store

N = DAYS * HOURS * FILES
PATIENCE = 120  # seconds; what hangs, hangs for ever


def skip_azure(store: Store) -> None:
    if store.kind == "azure":
        pytest.skip("is refused in children")


def in_children(number: int, work: Callable[[int], bool], meanwhile: Callable[[], None]) -> None:
    """Children that all work at once, and what their parent does at that time."""
    context = multiprocessing.get_context("fork")

    def body(i: int) -> None:
        os._exit(0 if work(i) else 1)

    children = [context.Process(target=body, args=(i,)) for i in range(number)]
    for child in children:
        child.start()
    try:
        meanwhile()
        for child in children:
            child.join(PATIENCE)
        assert [child.exitcode for child in children] == [0] * number
    finally:
        for child in children:
            if child.is_alive():
                child.kill()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_and_their_parent_ask_at_once(store: Store, tmp_path: Path) -> None:
    skip_azure(store)
    put_days(store)
    opened = shoal.open(
        store.uri("days"), cache=os.fspath(tmp_path / "cache"), storage_options=store.options()
    )
    assert opened.count() == N * ROWS

    def right(i: int) -> bool:
        values = sorted(opened.scan(["x"]).to_table()["x"].to_pylist())
        return values == list(range(N * ROWS)) and len(opened.refresh().files) == N

    def meanwhile() -> None:
        for _ in range(3):
            assert right(0)

    in_children(3, right, meanwhile)
    assert right(0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_does_not_wait_for_what_its_parent_was_doing(store: Store, tmp_path: Path) -> None:
    """Locks that other threads held at that moment are free."""
    skip_azure(store)
    put_days(store)
    cache = os.fspath(tmp_path / "cache")
    opened = shoal.open(store.uri("days"), cache=cache, storage_options=store.options())
    assert opened.count() == N * ROWS
    ends = threading.Event()

    def work() -> None:
        while not ends.is_set():
            assert opened.count("hour = 1") == DAYS * FILES * ROWS
            assert len(opened.refresh().files) == N

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            in_children(1, lambda i: opened.count("x >= 10 and x < 20") == 10, lambda: None)
    finally:
        ends.set()
        for thread in threads:
            thread.join(PATIENCE)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_is_told_that_azure_is_not_for_it(store: Store) -> None:
    """Its client has one set of connections for a process and its children, whose answers would mix."""
    if store.kind != "azure":
        pytest.skip("opens connections of its own")
    put_days(store)
    opened = shoal.open(store.uri("days"), storage_options=store.options())
    assert opened.count() == N * ROWS

    def refused(i: int) -> bool:
        if i == 0:
            question = opened.refresh().count
        else:
            question = shoal.open(store.uri("days"), storage_options=store.options()).count
        with pytest.raises(ValueError, match=r"forked.*spawn"):
            question()
        return True

    in_children(2, refused, lambda: None)
    assert opened.count() == N * ROWS
