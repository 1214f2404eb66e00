"""Fragments: files, and their row groups, scanned one by one."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
import shoal.dataset as ds
from filesystems import Handler

field = ds.field


@pytest.fixture
def table(tmp_path: Path) -> pa.Table:
    """k=1,2,3 with x=0..4, 100..104, 200..204, in row groups of 2, 2 and 1."""
    parts = []
    for key in (1, 2, 3):
        path = tmp_path / f"k={key}" / "f.parquet"
        path.parent.mkdir()
        rows = pa.table({"x": pa.array(range(100 * (key - 1), 100 * (key - 1) + 5), pa.int64())})
        pq.write_table(rows, path, row_group_size=2)
        parts.append(rows.append_column("k", pa.array([key] * 5, pa.int32())))
    return pa.concat_tables(parts)


def fragments(root: Path, filter: ds.Expression | None = None) -> list[ds.ParquetFileFragment]:
    dataset = ds.dataset(str(root), format="parquet", partitioning="hive")
    found = list(dataset.get_fragments(filter))
    assert all(isinstance(each, ds.ParquetFileFragment) for each in found)
    return found  # type: ignore[return-value]


def test_row_groups_together_are_the_file(tmp_path: Path, table: pa.Table) -> None:
    schema = table.schema
    for number, file in enumerate(fragments(tmp_path)):
        assert file.num_row_groups == 3
        assert file.row_groups == [0, 1, 2]
        assert [group.num_rows for group in file.row_groups] == [2, 2, 1]
        pieces = file.split_by_row_group()
        assert [piece.row_groups for piece in pieces] == [[0], [1], [2]]
        rows = pa.concat_tables([piece.to_table(schema=schema) for piece in pieces])
        assert rows.equals(table.slice(5 * number, 5))
        assert pa.concat_tables([piece.to_table() for piece in pieces]).equals(rows.drop_columns("k"))
        assert [piece.count_rows() for piece in pieces] == [2, 2, 1]
        assert pieces[1].head(1, schema=schema).equals(table.slice(5 * number + 2, 1))
        assert sum(b.num_rows for b in pieces[2].to_batches()) == 1
        assert pieces[0].split_by_row_group()[0].row_groups == [0]


def test_filters_over_keys_and_columns_leave_the_row_groups_that_may_match(
    tmp_path: Path, table: pa.Table
) -> None:
    filter = (field("k") == 1) | (field("x") > 201)
    kept = [
        [group.id for piece in f.split_by_row_group(filter) for group in piece.row_groups]
        for f in fragments(tmp_path)
    ]
    assert kept == [[0, 1, 2], [], [1, 2]]
    first, _, last = fragments(tmp_path)
    assert last.subset(field("x") == 204).row_groups == [2]
    assert last.subset(field("x") < 0).row_groups == []
    assert last.subset(field("x") < 0).to_table().num_rows == 0
    assert last.subset(filter).to_table(schema=table.schema, filter=filter)["x"].to_pylist() == [
        202,
        203,
        204,
    ]
    assert first.subset(row_group_ids=[2, 0]).to_table()["x"].to_pylist() == [4, 0, 1]
    assert first.subset(row_group_ids=[2, 0]).count_rows(field("x") > 0) == 2
    scanner = first.subset(row_group_ids=[1]).scanner(columns={"y": field("x") * 2})
    assert scanner.to_table().to_pydict() == {"y": [4, 6]}


def test_what_a_subset_cannot_be_is_an_error(tmp_path: Path, table: pa.Table) -> None:
    file = fragments(tmp_path)[0]
    with pytest.raises(ValueError, match="either filter or row_group_ids"):
        file.subset()
    with pytest.raises(ValueError, match="either filter or row_group_ids"):
        file.subset(field("x") > 1, row_group_ids=[0])
    with pytest.raises(IndexError, match="references row group 3"):
        file.subset(row_group_ids=[3])
    with pytest.raises(IndexError, match="references row group 0"):
        file.subset(row_group_ids=[1]).subset(row_group_ids=[0])
    with pytest.raises(ValueError, match="twice"):
        file.subset(row_group_ids=[1, 1])


def test_row_groups_tell_their_bounds(tmp_path: Path, table: pa.Table) -> None:
    file = fragments(tmp_path)[1]
    assert [group.statistics for group in file.row_groups] == [
        {"x": {"min": 100, "max": 101}},
        {"x": {"min": 102, "max": 103}},
        {"x": {"min": 104, "max": 104}},
    ]
    assert file.row_groups[0].total_byte_size > 0
    assert file.metadata.equals(pq.read_metadata(file.path))


def test_the_footer_is_read_once(tmp_path: Path, table: pa.Table) -> None:
    handler = Handler()
    dataset = ds.dataset(
        str(tmp_path),
        format="parquet",
        partitioning="hive",
        filesystem=pafs.PyFileSystem(handler),
        schema=table.schema,
    )
    file = next(dataset.get_fragments())
    assert handler.calls["open"] == 0
    file.ensure_complete_metadata()
    assert handler.calls["open"] == 1
    pieces = file.split_by_row_group(field("x") > 1)
    assert [piece.row_groups for piece in pieces] == [[1], [2]]
    assert file.subset(field("k") == 1).num_row_groups == 3
    assert handler.calls["open"] == 1


def test_fragments_have_virtual_columns(tmp_path: Path, table: pa.Table) -> None:
    piece = fragments(tmp_path)[1].split_by_row_group()[1]
    got = piece.to_table(schema=table.schema, columns=["x", "__filename", "__row_index"]).to_pydict()
    assert got == {"x": [102, 103], "__filename": [piece.path] * 2, "__row_index": [2, 3]}
    assert piece.to_table(columns=["__row_index"]).to_pydict() == {"__row_index": [2, 3]}
