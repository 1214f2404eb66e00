"""Files that are replaced between plan and scan."""

from __future__ import annotations

import time

import pyarrow as pa
import pytest
import shoal
from tables import numbers, parquet

from store import Store


def plain(begin: int, end: int) -> bytes:
    """As many bytes for as many numbers."""
    table = pa.table({"x": pa.array(range(begin, end), pa.int64())})
    return parquet(table, compression="none", use_dictionary=False)


def planned(store: Store) -> shoal.ScanPlan:
    store.put("t/a.parquet", plain(0, 40_000))
    store.put("t/b.parquet", plain(40_000, 80_000))
    return shoal.open(store.uri("t/"), storage_options=store.options()).plan()


@pytest.mark.parametrize("rows", [10, 39_000, 41_000, 200_000])
def test_a_file_of_another_size_is_an_error_naming_it(store: Store, rows: int) -> None:
    plan = planned(store)
    time.sleep(1.1)  # stores tell times in seconds
    store.put("t/b.parquet", plain(0, rows))
    with pytest.raises(OSError, match=r"t/b\.parquet' changed after it was listed"):
        plan.to_table()


def test_a_file_that_went_away_is_an_error_naming_it(store: Store) -> None:
    plan = planned(store)
    store.remove("t/b.parquet")
    with pytest.raises(FileNotFoundError, match=r"t/b\.parquet"):
        plan.to_table()


def test_another_file_of_the_same_size_is_never_read_as_a_mixture(store: Store) -> None:
    """Arrow asks for ranges without saying of which version: rows of the new version, or an error."""
    plan = planned(store)
    new = plain(140_000, 180_000)
    assert len(new) == len(plain(40_000, 80_000))
    store.put("t/b.parquet", new)
    try:
        rows = plan.to_table()["x"].to_pylist()
    except OSError as error:
        assert "changed" in str(error)
    else:
        assert rows in ([*range(80_000)], [*range(40_000), *range(140_000, 180_000)])


def test_a_scan_of_a_new_listing_reads_the_new_file(store: Store) -> None:
    store.put("t/a.parquet", numbers(0, 10))
    opened = shoal.open(store.uri("t/"), storage_options=store.options())
    assert opened.count() == 10
    store.put("t/a.parquet", parquet(pa.table({"x": pa.array(range(20), pa.int64())})))
    assert opened.refresh().count() == 20
