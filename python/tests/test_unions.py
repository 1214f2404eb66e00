"""Datasets of datasets, and of tables in memory."""

import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shoal.dataset as ds


@pytest.fixture
def parts(tmp_path: Path) -> list[ds.Dataset]:
    """Two files of three rows each, and a table with a column more."""
    out: list[ds.Dataset] = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        pq.write_table(
            pa.table({"a": pa.array(range(3 * number, 3 * number + 3), pa.int32())}), folder / "f.parquet"
        )
        out.append(ds.dataset(folder))
    return [*out, ds.InMemoryDataset(pa.table({"a": [6, 7], "b": ["x", None]}))]


ROWS = [{"a": n, "b": None} for n in range(6)] + [{"a": 6, "b": "x"}, {"a": 7, "b": None}]


def test_a_union_has_the_columns_and_rows_of_all(parts: list[ds.Dataset]) -> None:
    union = ds.dataset(tuple(parts))
    assert isinstance(union, ds.UnionDataset)
    assert union.children == parts
    assert union.schema == pa.schema({"a": pa.int64(), "b": pa.string()})
    assert union.to_table().to_pylist() == ROWS
    assert union.count_rows() == 8
    assert union.head(7).to_pylist() == ROWS[:7]
    assert union.to_table(["b"], pc.field("a") > 5).to_pylist() == [{"b": "x"}, {"b": None}]
    assert union.count_rows(pc.field("b").is_null()) == 7
    assert union.filter(pc.field("a") < 2).to_table()["a"].to_pylist() == [0, 1]
    assert sum(batch.num_rows for batch in union.to_batches()) == 8
    assert pa.RecordBatchReader.from_stream(union).read_all().num_rows == 8


def test_unions_nest_take_a_schema_and_pickle(parts: list[ds.Dataset]) -> None:
    nested = ds.dataset([ds.dataset(parts[:2]), parts[2]])
    assert nested.to_table().to_pylist() == ROWS
    assert ds.dataset(parts, schema=pa.schema({"b": pa.string()})).to_table().column_names == ["b"]
    assert pickle.loads(pickle.dumps(nested)).to_table().to_pylist() == ROWS
    filtered = pickle.loads(pickle.dumps(nested.filter(pc.field("a") == 3)))
    assert filtered.to_table().to_pylist() == [ROWS[3]]


def test_fragments_of_a_union_are_those_of_its_children(parts: list[ds.Dataset]) -> None:
    fragments = list(ds.dataset(parts[:2]).get_fragments())
    assert [fragment.path[-11:] for fragment in fragments] == ["0/f.parquet", "1/f.parquet"]


def test_a_union_refuses_filtered_datasets_and_other_arguments(parts: list[ds.Dataset]) -> None:
    with pytest.raises(ValueError, match="currently not supported"):
        ds.dataset([parts[0].filter(pc.field("a") > 1), parts[1]])
    with pytest.raises(ValueError, match="cannot pass any additional arguments"):
        ds.dataset(parts, format="parquet")


def test_tables_in_memory_are_datasets() -> None:
    table = pa.table({"a": [1, 2, 3]})
    batch = table.to_batches()[0]
    for source in (table, batch, [batch], [batch, table.slice(0, 0)]):
        made = ds.dataset(source)
        assert isinstance(made, ds.InMemoryDataset)
        assert made.to_table() == table
        assert made.count_rows() == 3
        assert made.to_table(filter=pc.field("a") != 2)["a"].to_pylist() == [1, 3]
        assert pickle.loads(pickle.dumps(made)).head(1)["a"].to_pylist() == [1]
    assert ds.InMemoryDataset([], table.schema).to_table() == table.slice(0, 0)


def test_what_is_no_table_in_memory_is_refused() -> None:
    table = pa.table({"a": [1]})
    with pytest.raises(
        ValueError, match="Must provide schema to construct in-memory dataset from an empty list"
    ):
        ds.InMemoryDataset([])
    with pytest.raises(
        TypeError, match=r"Expected a list of tables or batches\. The given list contains a int"
    ):
        ds.dataset([table, 0])
    with pytest.raises(
        TypeError, match="Item has schema\nb: int64\nwhich does not match expected schema\na: int64"
    ):
        ds.dataset([table, pa.table({"b": [1]})])
    with pytest.raises(ValueError, match="cannot pass any additional arguments"):
        ds.dataset(table, partitioning="hive")
