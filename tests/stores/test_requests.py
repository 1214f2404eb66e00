"""What shoal says it asked of a store is what the proxy saw."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
import shoal
from cli_program import shoal as run
from tables import DAYS, FILES, HOURS, ROWS, numbers, put_days
from test_listing import flags

from store import Counts, Store

N = DAYS * HOURS * FILES


def asked(*requests: shoal.StoreRequests) -> tuple[int, int, int]:
    return tuple(sum(getattr(each, kind) for each in requests) for kind in ("list", "head", "get"))


def seen(counts: Counts) -> tuple[int, int, int]:
    return counts.list, counts.head, counts.get


def test_a_plan_tells_its_requests(store: Store) -> None:
    put_days(store)
    store.reset()
    opened = shoal.open(store.uri("days/"), storage_options=store.options())
    plan = opened.plan(filter="hour = 1")
    assert asked(plan.store_requests, plan.inspection_requests) == seen(store.counts())
    assert plan.inspection_requests.get == N
    assert plan.store_requests.list == opened.listing_report.store_requests.list
    assert f"to inspect, once: {N} GET (" in str(plan)
    told = json.loads(plan.to_json())["report"]
    assert told["store_requests"]["list"] == plan.store_requests.list
    assert told["inspection"]["store_requests"]["get"] == N


def test_a_scan_tells_its_requests(store: Store) -> None:
    put_days(store)
    store.put("days/date=2024-01-09/hour=1/large.parquet", numbers(0, 100_000))
    store.reset()
    scan = shoal.open(store.uri("days/"), storage_options=store.options()).scan(["x"])
    assert scan.to_table().num_rows == N * ROWS + 100_000
    metrics = scan.metrics
    counts = store.counts()
    assert asked(metrics.store_requests, metrics.planning_requests) == seen(counts)
    assert metrics.store_requests.retries == 0
    assert metrics.store_requests.bytes == metrics.bytes_read or store.kind == "gcs"


def test_the_program_tells_its_requests(store: Store) -> None:
    put_days(store)
    store.reset()
    for verb in "count", "scan":
        ended = run(verb, store.uri("days/"), "--stats", "--json", *flags(store))
        assert ended.status == 0, ended.err
        told = json.loads(ended.err)
        counts = store.counts()
        kinds = "list", "head", "get"
        total = tuple(
            sum(told[part][kind] for part in ("store_requests", "planning_requests")) for kind in kinds
        )
        assert total == seen(counts)
        store.reset()
    ended = run("count", store.uri("days/"), "--stats", *flags(store))
    assert any(line.startswith("store ") and "LIST" in line for line in ended.err.splitlines())


def test_retries_are_told(store: Store) -> None:
    put_days(store)
    opened = shoal.open(store.uri("days/"), storage_options=store.options())
    assert len(opened.files) == N
    store.reset()
    store.behave(0, {"kind": "status", "status": 503, "operation": "get", "every": 10})
    scan = opened.scan(["x"])
    assert scan.to_table().num_rows == N * ROWS
    counts = store.counts()
    assert counts.faults > 0
    if store.kind == "s3":  # the other clients do not tell what they repeat
        requests = scan.metrics.store_requests
        assert requests.retries == counts.faults
        assert requests.get + requests.retries == counts.get


def test_nothing_is_asked_of_the_local_disk(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(numbers(0, 3))
    scan = shoal.open(tmp_path).scan()
    scan.to_table()
    assert scan.metrics.store_requests == scan.metrics.planning_requests
    assert asked(scan.metrics.store_requests) == (0, 0, 0)
    assert "requests" not in shoal.open(tmp_path).explain()


def test_a_second_opening_with_cached_footers_only_lists(store: Store, tmp_path: Path) -> None:
    n = put_days(store)
    time.sleep(2.5)  # footers of files that are younger are not kept
    cache = os.fspath(tmp_path / "cache")
    for _ in range(2):
        store.reset()
        opened = shoal.open(store.uri("days/"), cache=cache, storage_options=store.options())
        assert opened.count() == n * ROWS
        counts = store.counts()
    assert counts.list > 0
    assert (counts.head, counts.get) == (0, 0)
    # Another process, as well.
    store.reset()
    ended = run("count", store.uri("days/"), "--where", "hour = 1", f"--cache={cache}", *flags(store))
    assert (ended.status, ended.text.strip()) == (0, str(DAYS * FILES * ROWS))
    assert (store.counts().head, store.counts().get) == (0, 0)


@pytest.mark.parametrize("kept", [True, False])
def test_a_pinned_folder_is_planned_by_few_requests(store: Store, kept: bool, tmp_path: Path) -> None:
    """With the inspection cached, or the sample's footers among what is asked."""
    put_days(store)
    cache = os.fspath(tmp_path / "cache") if kept else False
    if kept:
        time.sleep(2.5)
        shoal.open(store.uri("days/"), cache=cache, storage_options=store.options()).count()
    store.reset()
    opened = shoal.open(store.uri("days/"), cache=cache, storage_options=store.options())
    assert opened.count("date = '2024-01-02' and hour = 1") == FILES * ROWS
    counts = store.counts()
    assert counts.head == 0
    assert counts.get == (0 if kept else N)
