"""Random tables written as CSV and JSON lines, against the law of the library: an answer never depends on how
it was found. What a file should hold is the table it was written from."""

from __future__ import annotations

import bz2
import datetime
import decimal
import gzip
import json
import os
import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import shoal

ROUNDS = int(os.environ.get("SHOAL_ORACLE_ROUNDS", "60"))
SEED = int(os.environ.get("SHOAL_ORACLE_SEED", "1"))

EPOCH = datetime.datetime(2024, 1, 1)
TEXTS = ["", "a", "ab", 'say "hi"', "two\nlines", "crlf\r\nline", "x,y;z\tw", "é", "01", "7", "null", " b "]

Value = Callable[[random.Random], Any]
KINDS: dict[str, tuple[pa.DataType, Value]] = {
    "integer": (pa.int64(), lambda r: r.choice([0, 1, -1, r.randrange(-50, 50), 2**60 + r.randrange(9)])),
    "double": (pa.float64(), lambda r: r.choice([0.5, -0.25, 1e300, r.uniform(-9, 9)])),
    "text": (pa.string(), lambda r: r.choice(TEXTS) + r.choice(["", "", r.choice(string.ascii_letters)])),
    "date": (pa.date32(), lambda r: datetime.date(2024, 1, 1) + datetime.timedelta(days=r.randrange(400))),
    "time": (pa.timestamp("s"), lambda r: EPOCH + datetime.timedelta(seconds=r.randrange(10**8))),
    "flag": (pa.bool_(), lambda r: r.random() < 0.5),
    "decimal": (pa.decimal128(20, 2), lambda r: decimal.Decimal(r.randrange(-(10**6), 10**6)) / 100),
}


def as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def csv_of(table: pa.Table, rng: random.Random, delimiter: str, end: str) -> bytes:
    def cell(value: Any) -> str:
        if value is None:
            return ""
        text = as_text(value)
        must = text == "" or any(c in text for c in '"\r\n' + delimiter)
        return '"' + text.replace('"', '""') + '"' if must or rng.random() < 0.2 else text

    lines = [delimiter.join(cell(name) for name in table.column_names)]
    lines += [delimiter.join(cell(row[name]) for name in table.column_names) for row in table.to_pylist()]
    # An empty last line without an end is none.
    ended = lines[-1] == "" or rng.random() < 0.7
    return (end.join(lines) + (end if ended else "")).encode()


def json_of(table: pa.Table, rng: random.Random) -> bytes:
    lines = []
    for row in table.to_pylist():
        items = [
            (name, value if isinstance(value, bool | int | float | str | None) else as_text(value))
            for name, value in row.items()
            if value is not None or rng.random() < 0.5
        ]
        rng.shuffle(items)
        lines.append(json.dumps(dict(items), ensure_ascii=rng.random() < 0.5))
    return ("\n".join(lines) + ("\n" if rng.random() < 0.7 else "")).encode()


PACKINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("", bytes),
    ("", bytes),
    (".gz", lambda b: gzip.compress(b[: len(b) // 2]) + gzip.compress(b[len(b) // 2 :])),
    (".bz2", bz2.compress),
    (".zst", lambda b: pa.compress(b, "zstd", asbytes=True)),
]


def as_found(column: pa.ChunkedArray, type: pa.DataType) -> pa.ChunkedArray:
    """A column that was written, in the type that was found for its text."""
    if pa.types.is_null(type):
        assert column.null_count == len(column)
        return pa.chunked_array([pa.nulls(len(column))])
    if pa.types.is_decimal(column.type):
        texts = pa.chunked_array(
            [[None if v is None else as_text(v) for v in column.to_pylist()]], pa.string()
        )
        return texts.cast(type)
    return column.cast(type)


def filters(table: pa.Table, rng: random.Random) -> pc.Expression | None:
    kind = rng.randrange(5)
    if kind == 0 or not table.num_rows:
        return None
    name = rng.choice([n for n in table.column_names])
    ref = pc.field(name)
    value = table[name][rng.randrange(table.num_rows)]
    if not value.is_valid or kind == 1:
        return ref.is_null() if rng.random() < 0.5 else ref.is_valid()
    if kind == 2:
        return ref == value
    if kind == 3 and not pa.types.is_boolean(value.type):
        return (ref <= value) | ref.is_null()
    return ~(ref == value)


@pytest.mark.parametrize("format", ["csv", "json"])
def test_text_files_hold_what_was_written(tmp_path: Path, format: str) -> None:
    for seed in range(SEED, SEED + ROUNDS):
        check_round(tmp_path / str(seed), format, random.Random(seed), f"seed {seed}")


def check_round(root: Path, format: str, rng: random.Random, where: str) -> None:
    kinds = {f"c{i}": KINDS[rng.choice(list(KINDS))] for i in range(rng.randrange(1, 6))}
    schema = pa.schema([(name, type) for name, (type, _) in kinds.items()])
    delimiter, end = rng.choice(",;|"), rng.choice(["\n", "\r\n"])
    declared = format == "json" or rng.random() < 0.5
    parts = []
    for number in range(rng.randrange(1, 5)):
        names = [name for name in kinds if rng.random() < 0.8] or list(kinds)
        rng.shuffle(names)
        rows = rng.choice([0, 1, 7, 300])
        nulls = rng.choice([0, 0.2])
        columns = {
            name: pa.array(
                [None if rng.random() < nulls else kinds[name][1](rng) for _ in range(rows)], kinds[name][0]
            )
            for name in names
        }
        table = pa.table(columns)
        ending, pack = rng.choice(PACKINGS)
        text = csv_of(table, rng, delimiter, end) if format == "csv" else json_of(table, rng)
        # A file without a byte has no columns and no rows.
        root.mkdir(exist_ok=True)
        (root / f"{number}.{format}{ending}").write_bytes(pack(text))
        parts.append(table)
    whole = pa.concat_tables(
        [
            pa.table(
                {n: t[n] if n in t.column_names else pa.nulls(len(t), schema.field(n).type) for n in kinds}
            )
            for t in parts
        ]
    )

    options = shoal.CsvFormat(delimiter=delimiter) if format == "csv" else shoal.JsonFormat()
    dataset = shoal.open(str(root), format=options, schema=schema if declared else None)
    where += f", {format}, {'declared' if declared else 'found'}"
    if declared:
        assert dataset.schema.equals(schema)
    present = [name for name in dataset.schema.names if name in kinds]
    assert set(present) == set(dataset.schema.names)
    expected = whole.select(present)
    if not declared:
        # A column is of a type that alters nothing: what was written can be cast to it.
        expected = pa.table({n: as_found(whole[n], dataset.schema.field(n).type) for n in present})

    for _ in range(4):
        filter = filters(expected, rng) if present else None
        columns = rng.sample(present, rng.randrange(len(present) + 1)) if rng.random() < 0.7 else present
        matching = expected.filter(filter) if filter is not None else expected
        offset = rng.choice([0, 0, 3])
        limit = rng.choice([None, None, 0, 1, 10])
        window = matching.select(columns).slice(offset, limit)
        scan = dataset.scan(
            columns,
            filter,
            limit,
            offset,
            workers=rng.choice([0, 1, 2, 4]),
            batch_size=rng.choice([1, 7, 1000, 32768]),
            memory_budget=rng.choice([1, 10_000, 1 << 28]),
        )
        question = f"{where}: {columns} where {filter} limit {limit} offset {offset}"
        got = scan.to_table()
        assert got.num_rows == len(matching.slice(offset, limit)), question
        assert got.equals(window.cast(got.schema)) if columns else True, question
        assert dataset.count(filter) == len(matching), question
