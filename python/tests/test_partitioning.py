"""What paths say: hive, directory and filename layouts, types of keys, shoal.partitioning."""

from __future__ import annotations

import datetime
import pickle
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal
from files import hive, write

field = pc.field


def keys_of(root: Path, key: str, **options: Any) -> list[Any]:
    """The key's value for each file, in the order in which the values were given to `hive`."""
    table = shoal.open(root, **options).to_table()
    by_row = dict(zip(table["x"].to_pylist(), table[key].to_pylist(), strict=True))
    return [by_row[i] for i in range(len(by_row))]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (["7", "08"], pa.string(), ["7", "08"]),
        (["2147483647", "-2147483648"], pa.int32(), [2147483647, -2147483648]),
        (["2147483648", "3"], pa.int64(), [2147483648, 3]),
        (["9223372036854775808", "3"], pa.string(), ["9223372036854775808", "3"]),
        (["1", "1.0"], pa.string(), ["1", "1.0"]),
        (["1", "__HIVE_DEFAULT_PARTITION__"], pa.int32(), [1, None]),
        (["__HIVE_DEFAULT_PARTITION__"], pa.string(), [None]),
        (["null", "NULL", ""], pa.string(), ["null", "NULL", ""]),
        (["2024-01-31", "2024-02-01"], pa.string(), ["2024-01-31", "2024-02-01"]),
        (["true", "false"], pa.string(), ["true", "false"]),
        (["a=b=c", "=", "%3D"], pa.string(), ["a=b=c", "=", "="]),
        (["x%20y", "50%", "%zz", "%2F"], pa.string(), ["x y", "50%", "%zz", "/"]),
        (["東京", "São Paulo"], pa.string(), ["東京", "São Paulo"]),
    ],
)
def test_hive_values_keep_what_they_say(
    tmp_path: Path, values: list[str], type_: pa.DataType, expected: list[Any]
) -> None:
    root = hive(tmp_path, "k", values)
    assert shoal.open(root).schema.field("k").type == type_
    assert keys_of(root, "k") == expected
    for value in expected:
        filter_ = field("k").is_null() if value is None else field("k") == value
        found = shoal.open(root).scan(["x"], filter_).to_table()["x"].to_pylist()
        assert sorted(found) == [j for j, other in enumerate(expected) if other == value]
        assert len(shoal.open(root).plan(filter=filter_).fragments) == len(found)


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (["01", "2"], pa.int16(), [1, 2]),
        (["1", "2"], pa.string(), ["1", "2"]),
        (["1.5", "2"], pa.float64(), [1.5, 2.0]),
        (["true", "false"], pa.bool_(), [True, False]),
        (["2024-01-31", "__HIVE_DEFAULT_PARTITION__"], pa.date32(), [datetime.date(2024, 1, 31), None]),
        (["2024-01-31 10%3A00%3A00"], pa.timestamp("us"), [datetime.datetime(2024, 1, 31, 10)]),
        (["a", "b", "a%20"], pa.dictionary(pa.int32(), pa.string()), ["a", "b", "a "]),
        (["a", "b"], pa.large_string(), ["a", "b"]),
    ],
    ids=str,
)
def test_declared_types(tmp_path: Path, values: list[str], type_: pa.DataType, expected: list[Any]) -> None:
    root = hive(tmp_path, "k", values)
    declared = shoal.partitioning(pa.schema([("k", type_)]), flavor="hive")
    assert declared.declared == pa.schema([("k", type_)])
    for options in [{"partitioning": declared}, {"schema": pa.schema([("x", pa.int64()), ("k", type_)])}]:
        assert shoal.open(root, **options).schema.field("k").type == type_
        assert keys_of(root, "k", **options) == expected
    for value in expected:
        if value is not None:
            assert shoal.open(root, partitioning=declared).count(field("k") == value) == 1, value


def test_a_value_that_does_not_fit_its_declared_type_names_path_and_key(tmp_path: Path) -> None:
    root = hive(tmp_path, "k", ["1", "one"])
    with pytest.raises(pa.ArrowInvalid, match=r"(?s)k=one.*int32|int32.*k=one"):
        shoal.open(
            root, partitioning=shoal.partitioning(pa.schema([("k", pa.int32())]), flavor="hive")
        ).to_table()


def test_keys_in_any_order_and_uneven_depth(tmp_path: Path) -> None:
    write(tmp_path / "a=1" / "b=x" / "1.parquet", {"n": [1]})
    write(tmp_path / "b=y" / "a=2" / "2.parquet", {"n": [2]})
    write(tmp_path / "a=3" / "3.parquet", {"n": [3]})
    write(tmp_path / "4.parquet", {"n": [4]})
    dataset = shoal.open(tmp_path)
    rows = dataset.to_table().sort_by("n").to_pylist()
    assert rows == [
        {"n": 1, "a": 1, "b": "x"},
        {"n": 2, "a": 2, "b": "y"},
        {"n": 3, "a": 3, "b": None},
        {"n": 4, "a": None, "b": None},
    ]
    assert dataset.scan(["n"], "b is null and a = 3").to_table()["n"].to_pylist() == [3]
    assert sorted(dataset.scan(["n"], "a is null or b = 'y'").to_table()["n"].to_pylist()) == [2, 4]
    assert "missing_key" in "".join(dataset.listing_report.issues) or dataset.listing_report.issues
    with pytest.raises(pa.ArrowInvalid, match=r"(3|4)\.parquet"):
        shoal.open(tmp_path, strict=True).to_table()


def test_a_key_twice_in_one_path_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "k=1" / "k=2" / "f.parquet", {"x": [1]})
    with pytest.raises(pa.ArrowInvalid, match="'k' twice"):
        shoal.open(tmp_path).to_table()


def test_the_path_says_what_a_column_of_that_name_says(tmp_path: Path) -> None:
    write(tmp_path / "k=5" / "f.parquet", {"k": pa.array([5, 5], pa.uint8()), "x": [1, 2]})
    write(tmp_path / "f.parquet", {"k": pa.array([5, 6], pa.uint8()), "x": [3, 4]})
    dataset = shoal.open(tmp_path)
    assert dataset.schema == pa.schema([("k", pa.uint8()), ("x", pa.int64())])
    assert sorted(dataset.scan(["x"], "k = 5").to_table()["x"].to_pylist()) == [1, 2, 3]
    assert dataset.scan(["x"], "k = 6").to_table()["x"].to_pylist() == [4]
    assert dataset.count("k is null") == 0
    assert [piece.partition_values for piece in dataset.plan().fragments] == [{}, {"k": 5}]


def test_directories_by_position(tmp_path: Path) -> None:
    write(tmp_path / "2023" / "01" / "a.parquet", {"x": [1]})
    write(tmp_path / "2024" / "12" / "b.parquet", {"x": [2]})
    for partitioning in [["year", "month"], shoal.partitioning(["year", "month"]), ("year", "month")]:
        dataset = shoal.open(tmp_path, partitioning=partitioning)
        assert dataset.schema == pa.schema([("x", pa.int64()), ("year", pa.int32()), ("month", pa.string())])
        assert dataset.to_table().to_pydict() == {"x": [1, 2], "year": [2023, 2024], "month": ["01", "12"]}
        assert len(dataset.plan(filter="year = 2024").fragments) == 1
    schema = pa.schema([("year", pa.int16()), ("month", pa.int8())])
    assert shoal.open(tmp_path, partitioning=schema).to_table()["month"].to_pylist() == [1, 12]


def test_paths_that_do_not_fit_the_layout_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "2023" / "a.parquet", {"x": [1]})
    write(tmp_path / "b.parquet", {"x": [2]})
    dataset = shoal.open(tmp_path, partitioning=["year"])
    assert dataset.to_table().num_rows == 2 or "misfit" in dataset.listing_report.issues
    with pytest.raises(pa.ArrowInvalid, match=r"b\.parquet"):
        shoal.open(tmp_path, partitioning=["year"], strict=True).to_table()


@pytest.mark.parametrize("flavor", ["directory", "filename"])
def test_paths_that_are_too_short_have_nulls_on_request(
    tmp_path: Path, flavor: Literal["directory", "filename"]
) -> None:
    between = "/" if flavor == "directory" else "_"
    for name in [f"2023{between}ny{between}a.parquet", f"2024{between}b.parquet", "c.parquet"]:
        write(tmp_path / name, {"x": [int(name[:4]) if name[0] == "2" else 0]})
    layout = shoal.partitioning(["year", "city"], flavor=flavor, null_where_missing=True)
    dataset = shoal.open(tmp_path, partitioning=layout)
    assert dataset.to_table().to_pydict() == {
        "x": [2023, 2024, 0],
        "year": [2023, 2024, None],
        "city": ["ny", None, None],
    }
    assert dataset.listing_report.issues["missing_key"].count == 2
    assert dataset.count("city is null") == 2
    assert dataset.count("year = 2024") == 1
    assert shoal.open(tmp_path, partitioning=layout, inspect=1).count("city = 'ny'") == 1
    with pytest.raises(pa.ArrowInvalid, match="missing_key"):
        shoal.open(tmp_path, partitioning=layout, strict={"missing_key"}).to_table()
    with pytest.raises(ValueError, match="null_where_missing"):
        shoal.partitioning(flavor="hive", null_where_missing=True)


def test_a_declared_key_that_no_path_carries_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "k=1" / "a.parquet", {"x": [1]})
    keys = shoal.partitioning(pa.schema([("k", pa.int32()), ("m", pa.int32())]), flavor="hive")
    dataset = shoal.open(tmp_path, partitioning=keys)
    assert dataset.to_table().to_pydict() == {"x": [1], "k": [1], "m": [None]}
    assert dataset.listing_report.issues["missing_key"].count == 1
    with pytest.raises(pa.ArrowInvalid, match="lacks the key 'm', which is declared"):
        shoal.open(tmp_path, partitioning=keys, strict=True).to_table()


def test_a_key_that_does_not_fit_the_files_own_column_says_what_to_do(tmp_path: Path) -> None:
    write(tmp_path / "k=5" / "f.parquet", {"k": [True], "x": [1]})
    with pytest.raises(pa.ArrowInvalid, match="no bool, the type of the column of that name") as error:
        shoal.open(tmp_path).to_table()
    assert "declare the key" not in str(error.value)
    schema = pa.schema([("k", pa.string()), ("x", pa.int64())])
    assert shoal.open(tmp_path, schema=schema).to_table().to_pydict() == {"k": ["5"], "x": [1]}
    assert shoal.open(tmp_path, partitioning=None).to_table().to_pydict() == {"k": [True], "x": [1]}


def test_a_key_that_only_later_paths_carry_is_no_missing_key(tmp_path: Path) -> None:
    for i in range(40):
        write(tmp_path / f"k={i:02}" / "f.parquet", {"x": [i]})
    write(tmp_path / "k=07" / "z=1" / "f.parquet", {"x": [70]})
    dataset = shoal.open(tmp_path, inspect="first")
    issues = dataset.listing_report.issues
    assert "missing_key" not in issues
    assert issues["unseen_column"].examples == (f"{tmp_path}/k=07/z=1/f.parquet (key 'z')",)
    with pytest.raises(pa.ArrowInvalid, match="key 'z', which no inspected path had"):
        shoal.open(tmp_path, inspect="first", strict={"unseen_column"}).to_table()


def test_file_names_by_position(tmp_path: Path) -> None:
    write(tmp_path / "2023_ny_a.parquet", {"x": [1]})
    write(tmp_path / "2024_la_b_c.parquet", {"x": [2]})
    dataset = shoal.open(tmp_path, partitioning=shoal.partitioning(["year", "city"], flavor="filename"))
    assert dataset.to_table().to_pydict() == {"x": [1, 2], "year": [2023, 2024], "city": ["ny", "la"]}
    assert dataset.scan(["x"], "city = 'la'").to_table()["x"].to_pylist() == [2]


def test_partitioning_none_leaves_paths_alone(tmp_path: Path) -> None:
    root = hive(tmp_path, "k", ["1"])
    for partitioning in [None, "none", shoal.partitioning(flavor="none")]:
        assert shoal.open(root, partitioning=partitioning).schema.names == ["x"]
    for partitioning in ["auto", "hive", shoal.partitioning(flavor="hive")]:
        assert shoal.open(root, partitioning=partitioning).schema.names == ["x", "k"]


def test_null_marker_and_percent_decoding_are_options(tmp_path: Path) -> None:
    root = hive(tmp_path, "k", ["NA", "a%20b", "__HIVE_DEFAULT_PARTITION__"])
    partitioning = shoal.partitioning(flavor="hive", null_marker="NA", percent_decode=False)
    assert keys_of(root, "k", partitioning=partitioning) == [None, "a%20b", "__HIVE_DEFAULT_PARTITION__"]
    assert "hive" in repr(partitioning)


def test_partition_base_dir_says_where_keys_begin(tmp_path: Path) -> None:
    write(tmp_path / "t" / "k=1" / "j=2" / "f.parquet", {"x": [0]})
    leaf = tmp_path / "t" / "k=1" / "j=2"
    assert shoal.open(leaf).schema.names == ["x"]
    assert shoal.open(leaf, partition_base_dir=tmp_path / "t").to_table().to_pylist() == [
        {"x": 0, "k": 1, "j": 2}
    ]
    assert shoal.open(leaf / "f.parquet", partition_base_dir=str(tmp_path / "t" / "k=1")).schema.names == [
        "x",
        "j",
    ]
    assert shoal.open(tmp_path / "t", partition_base_dir=tmp_path / "t" / "k=1").schema.names == ["x", "j"]


def test_a_sample_never_changes_rows(tmp_path: Path) -> None:
    for i in range(20):
        write(tmp_path / f"k={i}" / "f.parquet", {"x": [i]})
    write(tmp_path / "k=7b" / "f.parquet", {"x": [20]})
    assert shoal.open(tmp_path, inspect="all").schema.field("k").type == pa.string()
    sampled = shoal.open(tmp_path, inspect=2)
    assert sampled.schema.field("k").type == pa.int32()
    with pytest.raises(pa.ArrowInvalid, match="k=7b"):
        sampled.to_table()
    with pytest.raises(pa.ArrowInvalid, match="k=7b"):
        sampled.scan(["x"], "k = 3").to_table()


SCHEMA = pa.schema([("a", pa.int8()), ("b", pa.string())])
DESCRIPTIONS = [
    shoal.partitioning(flavor="none"),
    shoal.partitioning(flavor="hive"),
    shoal.partitioning(SCHEMA, flavor="hive", null_marker="NA", percent_decode=False),
    shoal.partitioning(["a", "b"]),
    shoal.partitioning(SCHEMA),
    shoal.partitioning(["a", "b"], flavor="filename"),
]


def test_descriptions_are_values(tmp_path: Path) -> None:
    for i, one in enumerate(DESCRIPTIONS):
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert hash(again) == hash(one)
        assert repr(again) == repr(one)
        assert [other == one for other in DESCRIPTIONS] == [j == i for j in range(len(DESCRIPTIONS))]
    root = hive(tmp_path, "k", ["01"])
    declared = shoal.partitioning(pa.schema([("k", pa.int8())]), flavor="hive")
    assert keys_of(root, "k", partitioning=pickle.loads(pickle.dumps(declared))) == [1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"flavor": "hiv"},
            ValueError,
            "flavor must be 'hive', 'directory', 'filename' or 'none', but is 'hiv'",
        ),
        ({"fields": ["k"], "flavor": "hive"}, ValueError, "schema"),
        ({"fields": ["k"], "flavor": "none"}, ValueError, "no fields"),
        ({"fields": ["k"], "null_marker": "x"}, ValueError, "null_marker"),
        ({}, ValueError, "'directory' needs"),
        ({"flavor": "filename", "fields": []}, ValueError, "'filename' needs"),
        ({"fields": "year"}, TypeError, "fields"),
        ({"fields": [1]}, TypeError, "fields"),
        ({"fields": 7}, TypeError, "fields"),
        ({"fields": ["a", "b", "a"]}, ValueError, "'a' twice"),
        ({"fields": pa.schema([("a", pa.int8()), ("a", pa.int8())])}, ValueError, "'a' twice"),
        (
            {"fields": pa.schema([("a", pa.int8()), ("a", pa.int8())]), "flavor": "hive"},
            ValueError,
            "'a' twice",
        ),
    ],
)
def test_descriptions_that_make_no_sense(arguments: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        shoal.partitioning(**arguments)


def test_a_partition_base_dir_that_is_above_no_source_is_an_error(tmp_path: Path) -> None:
    root = hive(tmp_path / "t", "k", ["0", "1"])
    for base in (root / "zzz", root / "k=7", tmp_path / "other"):
        with pytest.raises(pa.ArrowInvalid, match="partition_base_dir"):
            shoal.open(root, partition_base_dir=base).to_table()
    with pytest.raises(pa.ArrowInvalid, match=r"partition_base_dir .*k=0"):
        shoal.open([root / "k=0", root / "k=1"], partition_base_dir=root / "k=1").to_table()
    for base in (f"{root}/../t", f"{root}/k=0/..", f"{root}/."):
        assert shoal.open(root, partition_base_dir=base).schema.names == ["x", "k"]
    assert shoal.open(root / "k=0", partition_base_dir=f"{root}/k=0/..").schema.names == ["x", "k"]
