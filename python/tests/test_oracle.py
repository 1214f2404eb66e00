"""Any filter over any small table gives the rows that Arrow compute selects from all of them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import shoal
import shoal.dataset as ds
from files import same, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

field = pc.field
NULL = "__HIVE_DEFAULT_PARTITION__"

VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int32(), [-(2**31), -1, 0, 1, 5, 2**31 - 1]),
    "f": (pa.float64(), [float("nan"), float("-inf"), -0.0, 0.0, 0.5, 1.0, 1e300]),
    "s": (pa.string(), ["", "a", "ab", "b", "é", "a" * 70]),
    "t": (pa.timestamp("us"), [datetime.datetime(2024, 1, day, hour) for day in (1, 2) for hour in (0, 23)]),
    "d": (pa.decimal128(9, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("0.01"), Decimal("99.99")]),
    "b": (pa.bool_(), [True, False]),
    "k": (pa.int32(), [1, 2, 30]),
    "c": (pa.string(), ["x", "y z", "a/b", "="]),
}
KEYS = ("k", "c")
SCHEMA = pa.schema([(name, type_) for name, (type_, _) in VALUES.items()])


class Filter(NamedTuple):
    expression: pc.Expression
    mask: Callable[[pa.Table], Any]
    text: str


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.datetime):
        return f"timestamp '{value.isoformat()}'"
    if isinstance(value, float):
        return f"{value!r}" if math.isfinite(value) else f"cast('{value}' as double)"
    return f"'{value}'" if isinstance(value, str) else str(value)


COMPARISONS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


@st.composite
def comparisons(draw: st.DrawFn) -> Filter:
    name = draw(st.sampled_from(list(VALUES)))
    type_, values = VALUES[name]
    value, sign = draw(st.sampled_from(values)), draw(st.sampled_from(list(COMPARISONS)))
    compare, scalar = COMPARISONS[sign], pa.scalar(value, type_)
    return Filter(
        compare(field(name), scalar),
        lambda table: compare(table[name], scalar),
        f"{name} {sign} {literal(value)}",
    )


@st.composite
def memberships(draw: st.DrawFn) -> Filter:
    name = draw(st.sampled_from([name for name in VALUES if name not in "fb"]))
    type_, values = VALUES[name]
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
    members = pa.array(chosen, type_)
    # `in` of the grammar is null for null; `isin` false: a filter can't tell, but `not` can.
    return Filter(
        field(name).isin(members) & field(name).is_valid(),
        lambda table: pc.and_kleene(pc.is_in(table[name], members), pc.is_valid(table[name])),
        f"coalesce({name} in ({', '.join(literal(value) for value in chosen)}), false)",
    )


@st.composite
def kinds(draw: st.DrawFn) -> Filter:
    name = draw(st.sampled_from(list(VALUES)))
    if name == "f" and draw(st.booleans()):
        return Filter(field("f").is_nan(), lambda table: pc.is_nan(table["f"]), "f is nan")
    if name == "s" and draw(st.booleans()):
        return Filter(
            pc.starts_with(field("s"), "a"), lambda table: pc.starts_with(table["s"], "a"), "s like 'a%'"
        )
    return Filter(field(name).is_null(), lambda table: pc.is_null(table[name]), f"{name} is null")


def both(pair: tuple[Filter, Filter]) -> Filter:
    x, y = pair
    return Filter(
        x.expression & y.expression, lambda t: pc.and_kleene(x.mask(t), y.mask(t)), f"({x.text} and {y.text})"
    )


def either(pair: tuple[Filter, Filter]) -> Filter:
    x, y = pair
    return Filter(
        x.expression | y.expression, lambda t: pc.or_kleene(x.mask(t), y.mask(t)), f"({x.text} or {y.text})"
    )


def negated(x: Filter) -> Filter:
    return Filter(~x.expression, lambda t: pc.invert(x.mask(t)), f"(not {x.text})")


filters = st.recursive(
    comparisons() | memberships() | kinds(),
    lambda inner: (
        st.tuples(inner, inner).map(both) | st.tuples(inner, inner).map(either) | inner.map(negated)
    ),
    max_leaves=5,
)
rows = st.tuples(*(st.none() | st.sampled_from(values) for _, values in VALUES.values()))


def lay_out(root: Path, table: list[tuple[Any, ...]], group: int) -> pa.Table:
    """Writes the rows as key=value folders; gives them back in the order of paths."""
    parts: dict[Path, list[tuple[Any, ...]]] = {}
    for row in table:
        k, c = (NULL if key is None else quote(str(key), safe="") for key in row[-2:])
        parts.setdefault(root / f"k={k}" / f"c={c}" / "f.parquet", []).append(row)
    tables = []
    for path in sorted(parts, key=lambda path: str(path).encode()):
        columns = dict(zip(SCHEMA.names, zip(*parts[path], strict=True), strict=True))
        part = pa.table({name: pa.array(columns[name], SCHEMA.field(name).type) for name in SCHEMA.names})
        write(path, part.drop_columns(list(KEYS)), row_group_size=group)
        tables.append(part)
    return pa.concat_tables(tables)


def declared() -> pa.Schema:
    return pa.schema([(name, SCHEMA.field(name).type) for name in KEYS])


@settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    table=st.lists(rows, min_size=1, max_size=25),
    group=st.integers(1, 7),
    questions=st.lists(filters, min_size=5, max_size=5),
    limit=st.integers(0, 12),
)
def test_rows_are_those_of_arrow_compute(
    tmp_path_factory: Any, table: list[tuple[Any, ...]], group: int, questions: list[Filter], limit: int
) -> None:
    root = tmp_path_factory.mktemp("oracle")
    everything = lay_out(root, table, group)
    keys = shoal.partitioning(declared(), flavor="hive")
    dataset = shoal.open(root, partitioning=keys)
    other = ds.dataset(root, partitioning=ds.partitioning(declared(), flavor="hive"))
    for question in questions:
        expected = everything.filter(question.mask(everything))
        same(dataset.scan(filter=question.expression).to_table(), expected)
        same(dataset.scan(filter=question.text).to_table(), expected)
        same(other.to_table(filter=question.expression), expected)
        same(other.head(limit, filter=question.expression), expected.slice(0, limit))
        same(
            dataset.scan(["c", "i"], question.text, limit, 2).to_table(),
            expected.select(["c", "i"]).slice(2, limit),
        )
        assert dataset.count(question.text) == other.count_rows(question.expression) == expected.num_rows
        pieces = [
            fragment.to_table(schema=other.schema, filter=question.expression)
            for fragment in other.get_fragments(question.expression)
        ]
        same(pa.concat_tables([expected.slice(0, 0), *pieces]), expected)
