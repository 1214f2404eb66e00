"""Files of several formats as one table, each of the one that its name tells."""

from __future__ import annotations

import datetime
import decimal
import gzip
import json
import os
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
import shoal
import shoal.dataset as ds

ROUNDS = int(os.environ.get("SHOAL_ORACLE_ROUNDS", "60"))
SEED = int(os.environ.get("SHOAL_ORACLE_SEED", "1"))
LARGE = pa.large_string()


def put(path: Path, content: str | bytes | pa.Table) -> Path:
    if isinstance(content, pa.Table):
        pq.write_table(content, path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def opened(folder: Path, **options: Any) -> shoal.Dataset:
    return shoal.open(folder, format="by_extension", **options)


def column(*values: Any, type: pa.DataType | None = None) -> pa.Table:
    return pa.table({"v": pa.array(values, type)})


@pytest.mark.parametrize(
    ("files", "type", "values"),
    [
        ({"a.csv": "v\n1\n", "b.csv": "v\n1.5\n"}, pa.float64(), [1.0, 1.5]),
        ({"a.csv": "v\n1\n", "b.csv.gz": gzip.compress(b"v\nx\n")}, pa.string(), ["1", "x"]),
        ({"a.csv": "v\n", "b.csv": "v\n1\n"}, pa.int64(), [1]),
        ({"a.csv": "v\n1\n", "b.jsonl": '{"v": 1.5}'}, pa.float64(), [1.0, 1.5]),
        ({"a.csv": "v\n1.5\n", "b.jsonl": '{"v": 1}'}, pa.float64(), [1.5, 1.0]),
        ({"a.csv": "v\n1\n", "b.jsonl": '{"v": "x"}'}, pa.string(), ["1", "x"]),
        ({"a.csv": "v\n1\n", "b.parquet": column("x")}, pa.string(), ["1", "x"]),
        ({"a.csv": "v\n1.50\n", "b.parquet": column("x")}, pa.string(), ["1.50", "x"]),
        ({"a.csv": "v\n1\n", "b.parquet": column(2, type=pa.int8())}, pa.int64(), [1, 2]),
        ({"a.csv": "v\n1\n", "b.parquet": column("x", type=LARGE)}, LARGE, ["1", "x"]),
        ({"a.jsonl": '{"v": "1"}', "b.parquet": column("x", type=LARGE)}, LARGE, ["1", "x"]),
        (
            {"a.csv": "v\n2024-01-02\n", "b.parquet": column(datetime.datetime(2024, 1, 3))},
            pa.timestamp("us"),
            [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 3)],
        ),
        # What only files that tell their types have: text files lack it, or have no value there.
        ({"a.csv": "v\n", "b.parquet": column([1])}, pa.list_(pa.int64()), [[1]]),
        ({"a.csv": "w,v\n1,\n", "b.parquet": column([1])}, pa.list_(pa.int64()), [None, [1]]),
        ({"a.jsonl": '{"w": 1}', "b.parquet": column({"d": datetime.date(2024, 1, 2)})},
         pa.struct({"d": pa.date32()}), [None, {"d": datetime.date(2024, 1, 2)}]),
        ({"a.jsonl": '{"v": {"n": 1}}', "b.parquet": column({"d": b"x"})},
         pa.struct({"n": pa.int64(), "d": pa.binary()}), [{"n": 1, "d": None}, {"n": None, "d": b"x"}]),
        ({"a.jsonl": '{"v": null}', "b.parquet": column(decimal.Decimal("1.5"))}, pa.decimal128(2, 1),
         [None, decimal.Decimal("1.5")]),
    ],
)  # fmt: skip
def test_the_schema_is_the_union_of_all_and_every_file_is_read_by_it(
    tmp_path: Path, files: dict[str, Any], type: pa.DataType, values: list[Any]
) -> None:
    for name, content in files.items():
        put(tmp_path / name, content)
    dataset = opened(tmp_path)
    assert dataset.schema.field("v").type == type
    assert dataset.to_table()["v"].to_pylist() == values
    assert dataset.count() == len(values)
    assert dataset.count("v is not null") == sum(value is not None for value in values)
    # The rest of the table's life: other processes, plans, a schema that is declared, files one by one.
    assert pickle.loads(pickle.dumps(dataset)).to_table()["v"].to_pylist() == values
    plan = shoal.ScanPlan.from_json(dataset.plan().to_json())
    assert plan.to_table()["v"].to_pylist() == values
    declared = opened(tmp_path, schema=dataset.schema)
    if not pa.types.is_nested(type):
        assert declared.to_table()["v"].to_pylist() == values
    assert sorted(dataset.schema.names) == sorted(dataset.to_table().column_names)


def test_files_that_nobody_inspected_are_read_by_the_tables_types(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", column(1, 2, type=pa.int32()))
    put(tmp_path / "b.csv", "v\n3\n")
    put(tmp_path / "c.jsonl", '{"v": 4}')
    dataset = opened(tmp_path, inspect="first")
    assert dataset.schema == pa.schema({"v": pa.int32()})
    assert dataset.to_table()["v"].to_pylist() == [1, 2, 3, 4]
    put(tmp_path / "d.csv", "v,w\n4000000000,1\n")
    with pytest.raises(pa.ArrowInvalid, match=r"d\.csv', line 2: column 'v': .*'4000000000'"):
        opened(tmp_path, inspect="first").to_table()
    with pytest.raises(pa.ArrowInvalid, match=r"d\.csv' has the column 'w', which no inspected file had"):
        opened(tmp_path, inspect="first", strict={"unseen_column"}).to_table()
    put(tmp_path / "d.csv", "v,w\n4,1\n")
    dataset = opened(tmp_path, inspect="first")
    scan = dataset.scan()
    assert scan.to_table()["v"].to_pylist() == [1, 2, 3, 4, 4]
    assert [name for name in dataset.schema.names] == ["v"]


def test_footers_are_read_once_and_parquet_is_pruned_as_ever(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", column(1, 2))
    put(tmp_path / "b.csv", "v\n3\n")
    dataset = opened(tmp_path)
    assert dataset.count() == 3
    plan = dataset.plan(filter="v > 2")
    assert [Path(fragment.path).name for fragment in plan.fragments] == ["b.csv"]
    scan = dataset.scan()
    scan.to_table()
    assert scan.metrics is not None
    assert scan.metrics.footers_cached == 2


def test_a_declared_schema_casts_each_value(tmp_path: Path) -> None:
    put(tmp_path / "a.csv", "v\n01\n")
    put(tmp_path / "b.parquet", column(2))
    put(tmp_path / "c.jsonl", '{"v": 3}')
    schema = pa.schema({"v": pa.int16()})
    assert opened(tmp_path, schema=schema).to_table() == pa.table({"v": [1, 2, 3]}, schema=schema)
    # Of text files alone it is asked that they have one of the columns.
    assert opened(tmp_path / "b.parquet", schema=pa.schema({"w": pa.int64()})).count() == 1
    with pytest.raises(pa.ArrowInvalid, match="no name is in both"):
        opened(tmp_path / "a.csv", schema=pa.schema({"w": pa.int64()})).to_table()


def test_types_that_nothing_holds_are_an_error_that_names_both_files(tmp_path: Path) -> None:
    put(tmp_path / "a.csv", "v\n1\n")
    put(tmp_path / "b.parquet", column(True))
    with pytest.raises(pa.ArrowTypeError, match=r"`v` is int64 in .*a\.csv and bool in .*b\.parquet"):
        opened(tmp_path).count()


def test_a_value_of_a_type_that_text_has_not_is_an_error(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", column(datetime.timedelta(1)))
    put(tmp_path / "b.csv", "v\nx\n")
    put(tmp_path / "c.jsonl", '{"v": "x"}')
    for name in ("b.csv", "c.jsonl"):
        dataset = shoal.open(
            [tmp_path / "a.parquet", tmp_path / name], format="by_extension", inspect="first"
        )
        with pytest.raises(pa.ArrowInvalid, match=rf"{name}', line \d: .*declare a schema"):
            dataset.to_table()


KINDS: list[list[str | None]] = [
    ["1", "-2", None, "70000"],
    ["1.5", "0.25", None],
    ["9007199254740993", "1"],
    ["true", "false", None],
    ["2024-01-02", None],
    ["2024-01-02 10:00:00", "2024-01-03 11:30:00.5"],
    ["text", "01", "", None],
    [None],
]


def csv_of(values: list[str | None]) -> str:
    return "k,v\n" + "".join(f"k,{'' if x is None else x or chr(34) * 2}\n" for x in values)


def json_of(values: list[str | None]) -> str:
    def cell(text: str | None) -> Any:
        # As JSON writes what CSV writes so.
        is_json = text is not None and re.fullmatch(r"true|false|-?(0|[1-9]\d*)(\.\d+)?", text)
        return json.loads(text) if text is not None and is_json else text

    return "".join(json.dumps({"v": cell(text)}) + "\n" for text in values)


def read_as(text: str | None, type: pa.DataType) -> Any:
    if text is None or pa.types.is_string(type):
        return text
    if pa.types.is_timestamp(type):
        return datetime.datetime.fromisoformat(text)
    readers = {
        pa.int64(): int,
        pa.float64(): float,
        pa.bool_(): lambda text: text == "true",
        pa.date32(): datetime.date.fromisoformat,
    }
    return readers[type](text)


@pytest.mark.parametrize("round", range(ROUNDS))
def test_a_table_of_several_formats_is_the_union_of_one_table_a_format(tmp_path: Path, round: int) -> None:
    rng = random.Random(SEED * 1000 + round)
    kinds = rng.sample(KINDS, rng.randint(1, 3))
    texts: list[str | None] = []
    # By pyarrow's defaults text has no nulls.
    as_shoal = ds.CsvFileFormat(
        convert_options=pacsv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    )
    single = []
    for part, format in enumerate(rng.sample(["csv", "json", "parquet"], rng.randint(1, 3))):
        folder = tmp_path / str(part)
        folder.mkdir()
        for number in range(rng.randint(1, 3)):
            values = rng.choices(rng.choice(kinds), k=rng.choice([0, 1, 5]))
            texts += values
            path = folder / f"{number}.{format}"
            if format == "json":
                put(path, json_of(values) or "\n")
            elif format == "csv":
                put(path, csv_of(values))
            else:
                # Of the types that CSV is read as.
                csv = put(tmp_path / "x.csv", csv_of(values))
                put(path, shoal.open(csv).to_table())
                csv.unlink()
        single.append(ds.dataset(folder, format=as_shoal if format == "csv" else format))
    mixed = opened(tmp_path, partitioning=None)
    try:
        expected = ds.dataset(single).to_table()
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        expected = None
    try:
        table = mixed.to_table()
    except (pa.ArrowTypeError, pa.ArrowInvalid) as error:
        assert expected is None
        assert "`v`" in str(error)
        return
    assert mixed.count() == table.num_rows == len(texts)
    if texts:
        type = table.schema.field("v").type
        assert table["v"].to_pylist() == [read_as(text, type) for text in texts]
    if expected is not None:
        assert table.schema == expected.schema
        assert table.to_pylist() == expected.to_pylist()
