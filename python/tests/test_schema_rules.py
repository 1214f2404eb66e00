"""Options by which columns of files become those of the table: duplicates, case, promotion."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather as feather
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
import shoal
from files import write
from shoal import _core

RENAME: Any = {"duplicate_names": "rename"}
FOLD: Any = {"case_insensitive": True}
PERMISSIVE: Any = {"promote": "permissive"}


def twice(values: list[int], texts: list[str]) -> pa.Table:
    return pa.Table.from_arrays([pa.array(values), pa.array(texts)], ["v", "v"])


def check_everywhere(dataset: shoal.Dataset, expected: pa.Table, filter: Any, matching: pa.Table) -> None:
    """The same rows whichever way they are asked for."""
    assert dataset.schema.names == expected.schema.names
    assert dataset.scan().to_table().equals(expected)
    assert dataset.scan(filter=filter).to_table().equals(matching)
    assert dataset.count() == expected.num_rows
    assert dataset.count(filter) == matching.num_rows
    plan = dataset.plan(filter=filter)
    assert plan.to_table().equals(matching)
    assert shoal.ScanPlan.from_json(plan.to_json()).to_table().equals(matching)
    again = pickle.loads(pickle.dumps(dataset))
    assert again.scan(filter=filter).to_table().equals(matching)
    assert dataset.refresh().scan(filter=filter).to_table().equals(matching)
    scan = dataset.file_scan(filters=[filter])
    assert sum(reader.read_all().num_rows for reader in scan.file_groups.read()) == matching.num_rows
    for name, statistics in dataset.stats().columns.items():
        if statistics.min is not None and statistics.min.exact:
            assert statistics.min.value == pc.min(expected[name]).as_py()


# ---- duplicate names ---------------------------------------------------------------------------------------


def write_twice(path: Path, table: pa.Table) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=1)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        lines = ["v,v", *(f"{a},{b}" for a, b in zip(*table.columns, strict=True))]
        path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_duplicate_names_are_an_error_that_names_column_and_file(tmp_path: Path, ending: str) -> None:
    write_twice(tmp_path / f"f.{ending}", twice([1, 2], ["a", "b"]))
    with pytest.raises(pa.ArrowInvalid, match=r"f\.\w+.*[`']v[`'].*duplicate_names"):
        shoal.open(tmp_path).schema  # noqa: B018


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_duplicate_names_are_renamed_on_request(tmp_path: Path, ending: str) -> None:
    write_twice(tmp_path / f"f.{ending}", twice([1, 2], ["a", "b"]))
    write_twice(tmp_path / f"g.{ending}", twice([3, 4], ["c", "d"]))
    dataset = shoal.open(tmp_path, **RENAME)
    expected = pa.table({"v": [1, 2, 3, 4], "v_1": ["a", "b", "c", "d"]})
    check_everywhere(dataset, expected, (pc.field("v") > 1) & (pc.field("v_1") != "d"), expected.slice(1, 2))
    assert dataset.scan(["v_1"]).to_table().equals(expected.select(["v_1"]))


def test_renaming_skips_names_that_are_taken(tmp_path: Path) -> None:
    arrays = [pa.array([i]) for i in range(4)]
    pq.write_table(pa.Table.from_arrays(arrays, ["v", "v", "v_1", "v"]), tmp_path / "f.parquet")
    table = shoal.open(tmp_path, **RENAME).scan().to_table()
    assert table.to_pylist() == [{"v": 0, "v_2": 1, "v_1": 2, "v_3": 3}]


def test_renamed_columns_take_a_declared_schema(tmp_path: Path) -> None:
    for ending in ("parquet", "csv"):
        write_twice(tmp_path / f"f.{ending}", twice([1, 2], ["10", "20"]))
        schema = pa.schema([("v_1", pa.int32()), ("v", pa.float64())])
        dataset = shoal.open(tmp_path / f"f.{ending}", schema=schema, **RENAME)
        assert dataset.scan().to_table().to_pylist() == [{"v_1": 10, "v": 1.0}, {"v_1": 20, "v": 2.0}]


def test_fields_of_structs_are_renamed_as_well(tmp_path: Path) -> None:
    struct = pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["x", "x"])
    with pa.ipc.new_file(tmp_path / "f.arrow", pa.schema([("s", struct.type)])) as writer:
        writer.write_table(pa.table({"s": struct}))
    dataset = shoal.open(tmp_path, **RENAME)
    assert dataset.scan({"a": "s.x", "b": "s.x_1"}, "s.x_1 > 3").to_table().to_pylist() == [{"a": 2, "b": 4}]
    assert dataset.scan().to_table().to_pylist()[0] == {"s": {"x": 1, "x_1": 3}}


# ---- case --------------------------------------------------------------------------------------------------


def test_names_match_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"Id": [1, 2], "name": ["a", "b"]}, row_group_size=1)
    write(tmp_path / "b.parquet", {"NAME": ["c", "d"], "ID": pa.array([3, 4], pa.int32())}, row_group_size=1)
    dataset = shoal.open(tmp_path, **FOLD)
    expected = pa.table({"Id": [1, 2, 3, 4], "name": ["a", "b", "c", "d"]})
    check_everywhere(dataset, expected, pc.field("ID") > 2, expected.slice(2))
    assert dataset.scan(["iD"], "NaMe = 'd'").to_table().to_pylist() == [{"iD": 4}]
    assert dataset.plan(filter="id = 4").prune_report["row_groups_kept"] == 1
    assert shoal.open(tmp_path).schema.names == ["Id", "name", "NAME", "ID"]


@pytest.mark.parametrize("ending", ["csv", "arrow", "orc"])
def test_names_match_whatever_their_case_in_other_formats(tmp_path: Path, ending: str) -> None:
    for name, table in {
        "a": pa.table({"Id": [1, 2], "Text": ["a", "b"]}),
        "b": pa.table({"TEXT": ["c", "d"], "id": [3, 4]}),
    }.items():
        path = tmp_path / f"{name}.{ending}"
        if ending == "csv":
            rows = [
                ",".join(table.column_names),
                *(",".join(map(str, r.values())) for r in table.to_pylist()),
            ]
            path.write_text("\n".join(rows) + "\n")
        elif ending == "orc":
            orc.write_table(table, path)
        else:
            feather.write_feather(table, path)
    expected = pa.table({"Id": [1, 2, 3, 4], "Text": ["a", "b", "c", "d"]})
    check_everywhere(shoal.open(tmp_path, **FOLD), expected, pc.field("id") > 2, expected.slice(2))


def test_fields_inside_match_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"S": [{"X": 1, "l": [{"Y": 1}]}]})
    write(tmp_path / "b.parquet", {"s": [{"L": [{"y": 2, "z": 3}], "x": 2}]})
    dataset = shoal.open(tmp_path, **FOLD)
    assert dataset.scan().to_table().to_pylist() == [
        {"S": {"X": 1, "l": [{"Y": 1, "z": None}]}},
        {"S": {"X": 2, "l": [{"Y": 2, "z": 3}]}},
    ]
    assert dataset.count("s.x > 1") == 1
    assert dataset.scan({"x": "s.X"}, pc.field("s", "x") > 1).to_table().to_pylist() == [{"x": 2}]


def test_letters_beyond_ascii_match_as_well(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"größe": [1], "Ωmega": [1]})
    write(tmp_path / "b.parquet", {"GRÖßE": [2], "ωMEGA": [2]})
    assert shoal.open(tmp_path, **FOLD).scan().to_table().to_pydict() == {"größe": [1, 2], "Ωmega": [1, 2]}


def test_two_columns_of_one_file_that_are_alike_are_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    write(tmp_path / "b.parquet", {"x": [1], "X": [2]})
    with pytest.raises(pa.ArrowInvalid, match=r"b\.parquet has the columns `x` and `X`.*case_insensitive"):
        shoal.open(tmp_path, **FOLD).schema  # noqa: B018
    with pytest.raises(pa.ArrowInvalid, match=r"b\.parquet has the columns `x` and `X`.*case_insensitive"):
        shoal.open(tmp_path, inspect="first", **FOLD).scan().to_table()
    renamed = shoal.open(tmp_path, **FOLD, **RENAME)
    assert renamed.scan().to_table().to_pydict() == {"x": [1, 1], "X_1": [None, 2]}


def test_a_declared_schema_names_columns_in_its_own_case(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"Id": [1]})
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "a.csv").write_text("ID,other\n007,x\n")
    schema = pa.schema([("iD", pa.float64())])
    assert shoal.open(tmp_path / "a.parquet", schema=schema, **FOLD).scan().to_table().to_pylist() == [
        {"iD": 1}
    ]
    assert shoal.open(tmp_path / "csv", schema=schema, **FOLD).scan().to_table().to_pylist() == [{"iD": 7}]
    with pytest.raises(pa.ArrowInvalid, match=r"declared schema.*`a` and `A`.*case_insensitive"):
        shoal.open(tmp_path, schema=pa.schema([("a", pa.int8()), ("A", pa.int8())]), **FOLD)


def test_keys_of_paths_match_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path / "Year=2020" / "f.parquet", {"x": [1]})
    write(tmp_path / "year=2021" / "f.parquet", {"x": [2]})
    dataset = shoal.open(tmp_path, **FOLD)
    expected = pa.table({"x": [1, 2], "Year": pa.array([2020, 2021], pa.int32())})
    check_everywhere(dataset, expected, pc.field("YEAR") == 2021, expected.slice(1))
    assert dataset.partition_schema.names == ["Year"]
    assert "missing_key" not in dataset.listing_report.issues
    for inspect in ("first", 1, "all"):
        sampled = shoal.open(tmp_path, inspect=inspect, **FOLD)
        assert sampled.scan(filter="year = 2021").to_table().equals(expected.slice(1))
        assert sampled.scan().to_table().equals(expected)


def test_a_key_and_a_column_of_files_are_one_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path / "K=1" / "f.parquet", {"x": [1], "k": [1]})
    write(tmp_path / "k=2" / "f.parquet", {"x": [2]})
    dataset = shoal.open(tmp_path, **FOLD)
    assert dataset.scan().to_table().to_pydict() == {"x": [1, 2], "k": [1, 2]}
    assert dataset.count("K = 2") == 1


def test_two_keys_of_one_path_that_are_alike_are_an_error(tmp_path: Path) -> None:
    write(tmp_path / "k=1" / "K=2" / "f.parquet", {"x": [1]})
    with pytest.raises(pa.ArrowInvalid, match=r"f\.parquet.*'K'.*case_insensitive"):
        shoal.open(tmp_path, **FOLD).schema  # noqa: B018


def test_unions_match_names_whatever_their_case(tmp_path: Path) -> None:
    write(tmp_path / "a" / "Key=1" / "f.parquet", {"Id": [1]})
    write(tmp_path / "b" / "key=2" / "f.parquet", {"ID": [2]})
    children = [shoal.open(tmp_path / name, **FOLD) for name in "ab"]
    union = _core.union_of([child._core for child in children])
    table, _ = union.read(_core.ScanRequest(None, None, None, 0), _core.ScanOptions())
    assert table.to_pydict() == {"Id": [1, 2], "Key": [1, 2]}
    assert union.count(pc.field("KEY") == 2, _core.ScanOptions()) == 1


def test_json_says_that_it_does_not_take_the_option(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(NotImplementedError, match=r"case_insensitive.*json"):
        shoal.open(tmp_path, **FOLD).schema  # noqa: B018


def test_adapters_of_engines_take_files_as_they_are(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"Id": [1], "s": [{"X": 1}]})
    write(tmp_path / "b.parquet", {"S": [{"x": 2}], "ID": pa.array([2], pa.int32())})
    scan = shoal.open(tmp_path, **FOLD).file_scan(projection=["ID", "S"], mode="engine_reads")
    tables = []
    for fragment in scan.plan.fragments:
        file = pq.ParquetFile(fragment.path)
        adapter = scan.adapter(fragment, file.schema_arrow)
        tables += [adapter.adapt(batch) for batch in file.iter_batches()]
    assert pa.Table.from_batches(tables).to_pylist() == [{"Id": 1, "s": {"X": 1}}, {"Id": 2, "s": {"X": 2}}]


# ---- promotion ---------------------------------------------------------------------------------------------


def two(root: Path, a: pa.Array, b: pa.Array) -> Path:
    write(root / "a.parquet", pa.table({"v": a}), row_group_size=1)
    write(root / "b.parquet", pa.table({"v": b}), row_group_size=1)
    return root


@pytest.mark.parametrize(
    ("a", "b", "union"),
    [
        (pa.array([1, 2**60]), pa.array([0.5]), pa.float64()),
        (pa.array([1], pa.uint64()), pa.array([-1]), pa.int64()),
        (pa.array([Decimal("0.10"), None]), pa.array([0.5]), pa.float64()),
        (pa.array([Decimal("0.10")]), pa.array([7]), pa.decimal128(21, 2)),
        (pa.array(["a"]), pa.array([b"\xff"]), pa.binary()),
        (pa.array([[1]]), pa.array([[0.5]]), pa.list_(pa.float64())),
    ],
    ids=str,
)
def test_permissive_takes_a_type_that_holds_the_values(
    tmp_path: Path, a: pa.Array, b: pa.Array, union: pa.DataType
) -> None:
    with pytest.raises(pa.ArrowTypeError, match="promote = permissive"):
        shoal.open(two(tmp_path, a, b)).schema  # noqa: B018
    dataset = shoal.open(tmp_path, **PERMISSIVE)
    assert dataset.schema.field("v").type == union
    values = a.cast(union, safe=False).to_pylist() + b.cast(union, safe=False).to_pylist()
    assert dataset.scan().to_table()["v"].to_pylist() == values
    plan = shoal.ScanPlan.from_json(dataset.plan().to_json())
    assert plan.to_table()["v"].to_pylist() == values
    assert dataset.count("v is not null") == sum(value is not None for value in values)


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        (pa.array([1, 2**53 + 1]), pa.array([0.5]), "9007199254740993"),
        (pa.array([2**64 - 1], pa.uint64()), pa.array([-1]), "18446744073709551615"),
        (pa.array([Decimal("0.12345678901234567890")]), pa.array([0.5]), "0.12345678901234567890"),
    ],
    ids=str,
)
def test_a_value_that_the_type_does_not_hold_is_an_error_when_it_is_read(
    tmp_path: Path, a: pa.Array, b: pa.Array, value: str
) -> None:
    dataset = shoal.open(two(tmp_path, a, b), **PERMISSIVE)
    with pytest.raises(pa.ArrowInvalid, match=rf"a\.parquet, column `v`.*{value}"):
        dataset.scan().to_table()


def test_what_has_no_exact_form_stays_an_error(tmp_path: Path) -> None:
    for a, b in [
        (pa.array([1]), pa.array(["1"])),
        (pa.array([True]), pa.array([1])),
        (pa.array([0], pa.timestamp("us", "UTC")), pa.array([0], pa.timestamp("us"))),
    ]:
        with pytest.raises(pa.ArrowTypeError, match="`v` is"):
            shoal.open(two(tmp_path, a, b), **PERMISSIVE).schema  # noqa: B018


def test_filters_over_promoted_columns_prune_and_keep_the_rows(tmp_path: Path) -> None:
    dataset = shoal.open(two(tmp_path, pa.array([1, 5, 9]), pa.array([0.5, 7.5])), **PERMISSIVE)
    assert dataset.scan(filter="v > 5").to_table()["v"].to_pylist() == [9.0, 7.5]
    assert dataset.plan(filter="v > 5").prune_report["row_groups_kept"] == 2


def test_a_file_that_nobody_inspected_is_promoted_or_an_error(tmp_path: Path) -> None:
    two(tmp_path, pa.array([0.5]), pa.array([1, 2]))
    dataset = shoal.open(tmp_path, inspect="first", **PERMISSIVE)
    assert dataset.scan().to_table()["v"].to_pylist() == [0.5, 1.0, 2.0]
    with pytest.raises(TypeError, match=r"b\.parquet"):
        shoal.open(tmp_path, inspect="first").scan().to_table()


# ---- the options themselves --------------------------------------------------------------------------------


def test_values_that_an_option_has_not_are_errors_that_name_it(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"duplicate_names": "keep"},
        {"promote": "all"},
        {"case_insensitive": "no"},
    ]
    for options in wrong:
        with pytest.raises((TypeError, ValueError), match=next(iter(options))):
            shoal.open(tmp_path, **options)


def test_plans_carry_the_rules_that_are_not_the_default(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    assert "schema_rules" not in json.loads(shoal.open(tmp_path).plan().to_json())
    plan = json.loads(shoal.open(tmp_path, **RENAME, **FOLD, **PERMISSIVE).plan().to_json())
    assert plan["schema_rules"] == {
        "duplicate_names": "rename",
        "case_insensitive": True,
        "promote": "permissive",
    }
    plan["schema_rules"]["promote"] = "whatever"
    with pytest.raises(pa.ArrowInvalid, match="schema_rules"):
        shoal.ScanPlan.from_json(json.dumps(plan))


def test_caches_on_disk_serve_every_rule(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    pq_table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["v", "v"])
    folder.mkdir()
    pq.write_table(pq_table, folder / "a.parquet")
    for _ in range(2):
        renamed = shoal.open(folder, cache=tmp_path / "cache", **RENAME)
        assert renamed.scan().to_table().to_pydict() == {"v": [1], "v_1": [2]}
        with pytest.raises(pa.ArrowInvalid, match="`v`"):
            shoal.open(folder, cache=tmp_path / "cache").schema  # noqa: B018


# ---- random tables -----------------------------------------------------------------------------------------


def any_case(random: Random, name: str) -> str:
    return "".join(random.choice((letter.lower(), letter.upper())) for letter in name)


def respelled(random: Random, type_: pa.DataType) -> pa.DataType:
    if pa.types.is_struct(type_):
        return pa.struct([(any_case(random, f.name), respelled(random, f.type)) for f in type_])
    return pa.list_(respelled(random, type_.value_type)) if pa.types.is_list(type_) else type_


def renamed(values: list[Any], type_: pa.DataType) -> list[Any]:
    """The values with fields of structs named as in the type."""
    if pa.types.is_struct(type_):
        fields = [type_.field(i) for i in range(type_.num_fields)]
        return [
            None
            if value is None
            else {
                f.name: renamed([inner], f.type)[0] for f, inner in zip(fields, value.values(), strict=True)
            }
            for value in values
        ]
    if pa.types.is_list(type_):
        return [None if value is None else renamed(value, type_.value_type) for value in values]
    return values


WHOLE = pa.schema(
    {
        "id": pa.int64(),
        "name": pa.string(),
        "wärme": pa.float64(),
        "s": pa.struct({"x": pa.int64(), "deep": pa.struct({"y": pa.string()})}),
        "l": pa.list_(pa.struct({"z": pa.int64()})),
    }
)


@pytest.mark.parametrize("seed", range(40))
def test_answers_do_not_depend_on_the_case_of_names(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    ending = random.choice(("parquet", "arrow"))
    parts = []
    for i in range(random.randint(1, 4)):
        rows = [
            {
                "id": i * 10 + j,
                "name": random.choice(("a", "b", None)),
                "wärme": j / 2,
                "s": random.choice((None, {"x": j, "deep": {"y": "t"}})),
                "l": [{"z": k} for k in range(j % 3)],
            }
            for j in range(random.randint(0, 6))
        ]
        names = random.sample(WHOLE.names, random.randint(1, len(WHOLE)))
        part = pa.Table.from_pylist(rows, WHOLE).select(names)
        parts.append(part)
        written = pa.schema([(any_case(random, f.name), respelled(random, f.type)) for f in part.schema])
        columns = [
            pa.array(renamed(column.to_pylist(), f.type), f.type)
            for column, f in zip(part.columns, written, strict=True)
        ]
        table = pa.Table.from_arrays(columns, schema=written)
        if ending == "parquet":
            pq.write_table(table, tmp_path / f"{i}.parquet", row_group_size=2)
        else:
            feather.write_feather(table, tmp_path / f"{i}.arrow")
    whole = pa.concat_tables(parts, promote_options="default")

    dataset = shoal.open(tmp_path, inspect=random.choice(("all", 256)), **FOLD)
    assert [name.lower() for name in dataset.schema.names] == whole.schema.names
    got = dataset.scan().to_table()
    assert lowered(got.to_pylist()) == whole.to_pylist()
    for name, low, high in [("id", 5, 21), ("wärme", 0.5, 2.0)]:
        if name not in whole.schema.names:
            continue
        filter = (pc.field(any_case(random, name)) >= low) & (pc.field(any_case(random, name)) < high)
        expected = whole.filter((pc.field(name) >= low) & (pc.field(name) < high)).to_pylist()
        assert lowered(dataset.scan(filter=filter).to_table().to_pylist()) == expected
        assert dataset.count(filter) == len(expected)
        plan = shoal.ScanPlan.from_json(dataset.plan(filter=filter).to_json())
        assert lowered(plan.to_table().to_pylist()) == expected
    if "s" in whole.schema.names:
        wanted = any_case(random, "s.deep.y")
        expected = [None if row is None else row["deep"]["y"] for row in whole["s"].to_pylist()]
        assert dataset.scan([wanted]).to_table().column(0).to_pylist() == expected


def lowered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name.lower(): lowered(inner) for name, inner in value.items()}
    return [lowered(inner) for inner in value] if isinstance(value, list) else value
