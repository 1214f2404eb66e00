"""Datasets in other processes: what is pickled, and that it means the same there."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
import shoal.dataset as ds
from files import hive, numbers, same, write


def copy(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_datasets_pickle_with_their_options(flights: Path, flights_table: pa.Table, tmp_path: Path) -> None:
    same(copy(shoal.open(flights)).to_table(), flights_table)
    root = hive(tmp_path, "k", ["01", "NA"])
    write(root / "_x.parquet", {"x": [7]})
    (root / "empty.parquet").touch()
    options: dict[str, Any] = {
        "partitioning": shoal.partitioning(pa.schema([("k", pa.int8())]), flavor="hive", null_marker="NA"),
        "ignore_prefixes": ["."],
        "strict": {"hidden"},
        "inspect": "all",
        "format": "parquet",
    }
    dataset = shoal.open(root, **options)
    again = copy(dataset)
    assert again.schema == dataset.schema
    same(again.to_table(), dataset.to_table())
    assert again.listing_report.to_dict() == dataset.listing_report.to_dict()
    schema = pa.schema([("x", pa.float64())])
    assert copy(shoal.open(root, schema=schema)).schema == schema


def test_filesystems_come_along(flights: Path, flights_table: pa.Table) -> None:
    filesystem = pafs.SubTreeFileSystem(str(flights), pafs.LocalFileSystem())
    same(copy(shoal.open("", filesystem=filesystem)).to_table(), flights_table)
    same(copy(ds.dataset("/", filesystem=filesystem, partitioning="hive")).to_table(), flights_table)


def test_shoal_dataset_pickles_with_its_filter(flights: Path, flights_table: pa.Table) -> None:
    dataset = ds.dataset(flights, partitioning="hive")
    again = copy(dataset.filter(ds.field("year") == 2024))
    assert type(again) is type(dataset)
    assert again.format == dataset.format
    same(again.to_table(), flights_table.slice(120))
    fragment = next(copy(dataset).get_fragments())
    same(fragment.to_table(schema=dataset.schema), flights_table.slice(0, 20))


def test_pickling_reads_nothing(tmp_path: Path) -> None:
    bytes_ = pickle.dumps(shoal.open(tmp_path / "later"))
    dataset = pickle.loads(bytes_)
    numbers(tmp_path / "later", 1)
    assert dataset.count() == 10
    assert copy(dataset).count() == 10


def test_relative_sources_mean_the_same_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hive(tmp_path / "t", "k", ["1", "2"])
    monkeypatch.chdir(tmp_path)
    datasets = [
        shoal.open("t"),
        shoal.open("./t/k=*/*.parquet"),
        shoal.open("t/k=2", partition_base_dir="t"),
        shoal.open((tmp_path / "t").as_uri()),
        ds.dataset("t", partitioning="hive"),
        shoal.open("t").refresh(),
    ]
    code = """
import pickle
for dataset in pickle.load(open(sys.argv[1], "rb")):
    print(dataset.to_table().to_pydict())
"""
    (tmp_path / "datasets").write_bytes(pickle.dumps(datasets))
    done = subprocess.run(
        [sys.executable, "-c", f"import sys{code}", str(tmp_path / "datasets")],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
    )
    assert done.stdout.splitlines() == [str(dataset.to_table().to_pydict()) for dataset in datasets]
