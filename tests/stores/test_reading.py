"""What reading asks of a store, counted behind a delay."""

from __future__ import annotations

import pyarrow as pa
import shoal
from tables import numbers, parquet

from store import Store

DELAY_MS = 200  # a slow machine does not get 32 requests on their way in less


def test_a_count_is_one_get_a_file_and_thirty_two_at_once(store: Store) -> None:
    for i in range(288):
        store.put(f"day/{i:03}.parquet", numbers(i, i + 1))
    store.reset()
    store.behave(DELAY_MS)
    schema = pa.schema([("x", pa.int64())])
    opened = shoal.open(store.uri("day/"), schema=schema, storage_options=store.options())
    assert opened.count() == 288
    counts = store.counts()
    assert counts.get <= 288
    assert counts.head == 0
    assert counts.peak["get"] >= 32


def test_two_of_ten_columns_are_a_footer_and_a_range_a_file(store: Store) -> None:
    table = pa.table({f"c{i}": pa.array(range(i, i + 40_000), pa.int64()) for i in range(10)})
    content = parquet(table, row_group_size=10_000, use_dictionary=False)
    for i in range(50):
        store.put(f"wide/{i:02}.parquet", content)
    store.reset()
    store.behave(DELAY_MS)
    opened = shoal.open(store.uri("wide/"), schema=table.schema, storage_options=store.options())
    read = opened.scan(["c1", "c7"]).to_table()
    assert read.num_rows == 50 * 40_000
    assert read["c7"].slice(0, 3).to_pylist() == [7, 8, 9]
    counts = store.counts()
    assert counts.get <= 100
    assert counts.head == 0
    if store.kind == "gcs":  # where files are read whole, which takes less than Arrow's ranges
        assert counts.bytes < 50 * len(content) + 100_000
    else:
        assert counts.bytes < 50 * len(content)


def test_connections_are_used_again(store: Store) -> None:
    for i in range(200):
        store.put(f"many/{i:03}.parquet", numbers(i, i + 1))
    store.reset()
    opened = shoal.open(store.uri("many/"), storage_options=store.options())
    assert opened.scan().to_table().num_rows == 200
    if store.kind != "gcs":  # Arrow breaks the connection off after each range there
        assert store.counts().connections <= 128
