"""What is listed on real servers, through the program and through Python."""

from __future__ import annotations

import json
import time

import pyarrow as pa
import pytest
import shoal
from cli_program import shoal as run
from tables import DAYS, FILES, ROWS, SCHEMA, numbers, put_days

from store import Store

ODD = ["a b", "100%", "p+q", "q=1", "a&b", "a?b", "a#b", "é日本語", "%20", "q'x", "~!@$^()"]


def flags(store: Store) -> list[str]:
    return [word for item in store.options().items() for word in ("--storage-option", "=".join(item))]


def test_odd_keys_come_out_as_they_are(store: Store) -> None:
    keys = [f"odd/{name}/{name}.parquet" for name in ODD]
    for i, key in enumerate(keys):
        store.put(key, numbers(i, i + 1))
    for partitioning in None, "hive":
        opened = shoal.open(store.uri("odd/"), partitioning=partitioning, storage_options=store.options())
        assert opened.files == sorted((f"{store.bucket}/{key}" for key in keys), key=str.encode)
        assert sorted(opened.scan(["x"]).to_table()["x"].to_pylist()) == list(range(len(ODD)))
    ended = run("ls", store.uri("odd/"), "--partitioning", "none", "--json", *flags(store))
    assert ended.status == 0, ended.err
    listed = [file["path"] for file in json.loads(ended.text)["files"]]
    assert listed == opened.files


def test_one_odd_key_can_be_named(store: Store) -> None:
    for name in "a b", "p+q", "x=1", "é日本語":
        store.put(f"one/{name}.parquet", numbers(0, 3))
        assert shoal.open(store.uri(f"one/{name}.parquet"), storage_options=store.options()).count() == 3
    # In a URI `%` begins an escape, and `?` and `#` end the path.
    store.put("one/100%.parquet", numbers(0, 4))
    assert shoal.open(store.uri("one/100%25.parquet"), storage_options=store.options()).count() == 4


def test_markers_are_no_data_and_are_reported(store: Store) -> None:
    store.put("marked/")
    store.put("marked/empty/")
    store.put("marked/k=1/")
    store.put("marked/k=1/a.parquet", numbers(0, 2))
    store.put("marked/k=1/none.parquet")
    store.put("marked/_SUCCESS", b"x")
    opened = shoal.open(store.uri("marked"), storage_options=store.options())
    assert opened.files == [f"{store.bucket}/marked/k=1/a.parquet"]
    issues = opened.listing_report.issues
    assert issues["hidden"].count == 1
    assert issues["zero_byte"].count == 1


def test_order_is_by_the_bytes_of_the_path(store: Store) -> None:
    keys = [
        "order/2/a.parquet",
        "order/2.x/a.parquet",
        "order/2-/a.parquet",
        "order/10.parquet",
        "order/é.parquet",
    ]
    keys += [f"order/d{i}/{j}.parquet" for i in range(20) for j in range(2)]
    for key in keys:
        store.put(key, numbers(0, 1))
    opened = shoal.open(store.uri("order"), partitioning=None, storage_options=store.options())
    assert opened.files == sorted((f"{store.bucket}/{key}" for key in keys), key=str.encode)


def test_a_glob_and_a_single_file(store: Store) -> None:
    for name in "a1", "a2", "b1":
        store.put(f"g/{name}.parquet", numbers(0, 2))
    options = store.options()
    assert shoal.open(store.uri("g/a?.parquet"), storage_options=options).count() == 4
    assert shoal.open(store.uri("g/b1.parquet"), storage_options=options).count() == 2
    assert shoal.open([store.uri("g/b1.parquet"), store.uri("g")], storage_options=options).count() == 6


def test_hive_filters_counts_and_limits(store: Store) -> None:
    n = put_days(store)
    opened = shoal.open(store.uri("days"), storage_options=store.options())
    assert opened.schema.names == ["x", "date", "hour"]
    assert opened.count() == n * ROWS
    assert opened.count("date = '2024-01-02' and hour = 1") == FILES * ROWS
    assert opened.count("hour in (0, 2)") == DAYS * 2 * FILES * ROWS
    assert opened.count("x >= 10 and x < 20") == 10
    assert opened.scan(limit=7).to_table()["x"].to_pylist() == list(range(7))
    whole = opened.scan().to_table()
    assert whole["x"].to_pylist() == list(range(n * ROWS))
    assert whole["date"].unique().to_pylist() == [f"2024-01-{day + 1:02}" for day in range(DAYS)]
    ended = run("count", store.uri("days"), "--where", "hour = 1", *flags(store))
    assert (ended.status, ended.text.strip()) == (0, str(DAYS * FILES * ROWS))


def test_a_pinned_folder_costs_three_lists_and_a_get_a_file(store: Store) -> None:
    put_days(store)
    store.reset()
    keys = shoal.partitioning(pa.schema([SCHEMA.field("date"), SCHEMA.field("hour")]), flavor="hive")
    declared = {"schema": SCHEMA, "partitioning": keys, "format": "parquet", "extension": ".parquet"}
    opened = shoal.open(store.uri("days/"), **declared, storage_options=store.options())
    assert opened.count("date = '2024-01-02' and hour = 1") == FILES * ROWS
    counts = store.counts()
    assert counts.list <= 3
    assert (counts.head, counts.get) == (0, FILES)


def test_no_head_and_one_get_a_footer(store: Store) -> None:
    n = put_days(store)
    store.reset()
    store.behave(200)  # a slow machine does not get them all on their way in less
    opened = shoal.open(store.uri("days/"), storage_options=store.options())
    assert opened.count() == n * ROWS
    counts = store.counts()
    assert (counts.head, counts.get) == (0, n)
    assert counts.peak["get"] >= 32


def test_a_flat_folder_is_one_list_a_page(store: Store) -> None:
    for i in range(50):
        store.put(f"flat/{i:03}.parquet", numbers(i, i + 1))
    store.reset()
    opened = shoal.open(
        store.uri("flat/"), schema=pa.schema([("x", pa.int64())]), storage_options=store.options()
    )
    assert len(opened.files) == 50
    counts = store.counts()
    assert (counts.list, counts.head, counts.get) == (1, 0, 0)


def test_a_missing_path_is_an_error_naming_it(store: Store) -> None:
    store.put("here/a.parquet", numbers(0, 1))
    for path in "nowhere", "here/b.parquet", "nowhere/*.parquet":
        with pytest.raises(FileNotFoundError, match=path.partition("*")[0]):
            shoal.open(store.uri(path), storage_options=store.options()).count()


def test_a_listing_that_gets_on_is_not_cut_off(store: Store) -> None:
    """Of many pages, it may take longer than a request may, and than all attempts may."""
    if store.kind == "azure":
        pytest.skip("has 5,000 names in a page")
    n = 2_200
    content = numbers(0, 1)
    if store.kind == "s3":  # its server serves plain files
        folder = store.addresses.data / store.bucket / "long"
        folder.mkdir()
        for i in range(n):
            (folder / f"{i:05}.parquet").write_bytes(content)
    else:
        for i in range(n):
            store.put(f"long/{i:05}.parquet", content)
    schema = pa.schema([("x", pa.int64())])
    options = store.options() | {"timeout": "4", "deadline": "4.2"}
    first = shoal.open(
        store.uri("long/"), schema=schema, partitioning=None, format="parquet", storage_options=options
    )
    assert len(first.files) == n
    opened = first.refresh()
    store.reset()
    store.behave(1500)
    begin = time.monotonic()
    assert len(opened.files) == n
    assert time.monotonic() - begin > 4.2
    counts = store.counts()
    assert counts.list == 3
    # What was listed is not listed again to inspect it, nor counted twice.
    plan = opened.plan(collect_statistics=False)
    assert plan.store_requests.list == 3
    assert plan.inspection_requests.list == 0
    assert store.counts().list == 3
