"""Filesystems that users pass, and credentials from where they usually are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
import shoal.dataset as ds
from cli_program import shoal as run
from servers import ACCESS_KEY, ACCOUNT, ACCOUNT_KEY, SECRET_KEY
from tables import DAYS, FILES, HOURS, ROWS, SCHEMA, numbers, put_days

from store import Store

N = DAYS * HOURS * FILES


def of_pyarrow(store: Store) -> pafs.FileSystem:
    endpoint = store.addresses.endpoint
    if store.kind == "s3":
        return pafs.S3FileSystem(
            endpoint_override=endpoint,
            scheme="http",
            access_key=ACCESS_KEY,
            secret_key=SECRET_KEY,
            region="us-east-1",
        )
    if store.kind == "gcs":
        return pafs.GcsFileSystem(anonymous=True, endpoint_override=endpoint, scheme="http", project_id="p")
    return pafs.AzureFileSystem(
        ACCOUNT,
        account_key=ACCOUNT_KEY,
        blob_storage_authority=endpoint,
        blob_storage_scheme="http",
        dfs_storage_authority=endpoint,
        dfs_storage_scheme="http",
    )


def test_a_filesystem_of_pyarrow_costs_what_a_uri_does(store: Store) -> None:
    put_days(store)
    asked = []
    for opening in "uri", "filesystem":
        store.reset()
        if opening == "uri":
            opened = shoal.open(store.uri("days/"), storage_options=store.options())
        else:
            opened = shoal.open(f"{store.bucket}/days/", filesystem=of_pyarrow(store))
        assert opened.count("hour = 1") == DAYS * FILES * ROWS
        assert opened.scan(["x"]).to_table().num_rows == N * ROWS
        counts = store.counts()
        asked.append((counts.list, counts.head, counts.get))
    assert asked[0] == asked[1]


def test_pyarrow_s_faults_are_tried_again(store: Store) -> None:
    put_days(store)
    opened = shoal.open(f"{store.bucket}/days/", filesystem=of_pyarrow(store))
    assert len(opened.files) == N
    store.behave(0, {"kind": "status", "status": 503, "operation": "get", "every": 7})
    assert opened.scan(["x"]).to_table()["x"].to_pylist() == list(range(N * ROWS))


def test_the_dataset_module_takes_them(store: Store) -> None:
    put_days(store)
    opened = ds.dataset(f"{store.bucket}/days", filesystem=of_pyarrow(store), partitioning="hive")
    assert opened.count_rows(filter=(ds.field("hour") == 2)) == DAYS * FILES * ROWS


def test_the_dataset_module_looks_at_nothing_first(store: Store) -> None:
    n = put_days(store)
    store.reset()
    opened = ds.dataset(f"{store.bucket}/days", filesystem=of_pyarrow(store), partitioning="hive")
    assert sum(store.counts().operations.values()) == 0
    assert len(opened.files) == n
    counts = store.counts()
    assert (counts.head, counts.get) == (0, 0)

    keys = ds.partitioning(pa.schema([SCHEMA.field("date"), SCHEMA.field("hour")]), flavor="hive")
    store.reset()
    opened = ds.dataset(
        f"{store.bucket}/days", schema=SCHEMA, filesystem=of_pyarrow(store), partitioning=keys
    )
    filtered = (ds.field("date") == "2024-01-02") & (ds.field("hour") == 1)
    assert opened.count_rows(filter=filtered) == FILES * ROWS
    counts = store.counts()
    assert counts.list <= 3
    assert (counts.head, counts.get) == (0, FILES)

    missing = ds.dataset(f"{store.bucket}/nowhere", filesystem=of_pyarrow(store))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        missing.count_rows()


def test_a_filesystem_of_fsspec(store: Store) -> None:
    if store.kind != "s3":
        pytest.skip("of fsspec's only s3fs is installed")
    s3fs = pytest.importorskip("s3fs")
    put_days(store)
    filesystem = s3fs.S3FileSystem(
        key=ACCESS_KEY,
        secret=SECRET_KEY,
        endpoint_url=f"http://{store.addresses.endpoint}",
        client_kwargs={"region_name": "us-east-1"},
        skip_instance_cache=True,
    )
    store.reset()
    opened = shoal.open(f"{store.bucket}/days", filesystem=filesystem)
    assert opened.count("date = '2024-01-02'") == HOURS * FILES * ROWS
    assert opened.scan(["x"]).to_table()["x"].to_pylist() == list(range(N * ROWS))
    # No look at each file: the listing told the sizes.
    assert store.counts().head <= 5


def test_storage_options_beside_a_filesystem_are_an_error(store: Store) -> None:
    with pytest.raises(ValueError, match="filesystem"):
        shoal.open(f"{store.bucket}/t", filesystem=of_pyarrow(store), storage_options=store.options()).count()


# ---- credentials


def counts_from_everywhere(store: Store, options: dict[str, str]) -> None:
    store.put("t/a.parquet", numbers(0, 7))
    assert shoal.open(store.uri("t/"), storage_options=options).count() == 7
    words = [word for item in options.items() for word in ("--storage-option", "=".join(item))]
    ended = run("count", store.uri("t/"), *words)
    assert (ended.status, ended.text.strip()) == (0, "7"), ended.err


def test_credentials_come_from_the_environment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = f"http://{store.addresses.endpoint}"
    options: dict[str, str] = {}
    if store.kind == "s3":
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    elif store.kind == "azure":
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)
        monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", ACCOUNT_KEY)
        options = {"endpoint": endpoint}
    else:
        pytest.skip("the server asks for no credentials")
    counts_from_everywhere(store, options)


def test_credentials_come_from_a_profile(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if store.kind != "s3":
        pytest.skip("has no profiles")
    store.put("t/a.parquet", numbers(0, 7))
    profile = tmp_path / "credentials"
    profile.write_text(f"[shoal]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(profile))
    monkeypatch.setenv("AWS_PROFILE", "shoal")
    options = {"endpoint": f"http://{store.addresses.endpoint}", "region": "us-east-1"}
    words = [word for item in options.items() for word in ("--storage-option", "=".join(item))]
    ended = run("count", store.uri("t/"), *words)
    assert (ended.status, ended.text.strip()) == (0, "7"), ended.err


def test_options_of_a_uri(store: Store) -> None:
    store.put("t/a.parquet", numbers(0, 7))
    endpoint = store.addresses.endpoint
    if store.kind == "s3":
        uri = f"s3://{ACCESS_KEY}:{SECRET_KEY}@{store.bucket}/t?scheme=http&endpoint_override={endpoint}"
    elif store.kind == "gcs":
        uri = f"gs://anonymous@{store.bucket}/t?scheme=http&endpoint_override={endpoint}"
    else:
        pytest.skip("takes no key in a URI")
    opened = shoal.open(uri)
    assert opened.count() == 7
    assert SECRET_KEY not in opened.explain()


def test_anonymous_access_sends_no_credentials(store: Store) -> None:
    if store.kind == "gcs":
        pytest.skip("all of these tests are anonymous there")
    options = {"endpoint": f"http://{store.addresses.endpoint}", "anonymous": "true"}
    if store.kind == "azure":
        options["account_name"] = ACCOUNT
    else:
        options["region"] = "us-east-1"
    store.put("t/a.parquet", numbers(0, 7))
    with pytest.raises(OSError, match=f"{store.scheme}://{store.bucket}/t.*Check the credentials"):
        shoal.open(store.uri("t/"), storage_options=options).count()
