"""What each verb of the program says."""

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_program import failure_of, flights, output_of, shoal, write

VERBS = ["ls", "schema", "count", "stats", "head", "scan", "explain"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return flights(tmp_path / "flights")


def test_help_and_version() -> None:
    text = output_of("--help")
    assert all(verb in text for verb in VERBS)
    assert re.fullmatch(r"shoal \d+\.\d+\.\d+\n", output_of("--version"))


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_lists_its_options_and_an_example(verb: str) -> None:
    text = output_of(verb, "--help")
    assert f"usage: shoal {verb}" in text
    assert "--partitioning" in text
    assert f"example: shoal {verb} " in text
    assert output_of(verb, "-h") == text
    assert max(map(len, text.splitlines())) <= 120


def test_ls_gives_paths_and_sizes(table: Path) -> None:
    lines = [line.split("\t") for line in output_of("ls", table).splitlines()]
    files = sorted(table.rglob("*.parquet"))
    assert lines == [[str(path), str(path.stat().st_size)] for path in files]


def test_ls_with_a_filter_gives_the_files_that_keys_do_not_rule_out(table: Path) -> None:
    lines = output_of("ls", table, "--where", "month >= 2 and x = 999").splitlines()
    assert [line.split("/")[-2] for line in lines] == ["month=2", "month=3"]


def test_ls_says_what_was_left_out(table: Path) -> None:
    (table / "_SUCCESS").touch()
    (table / "notes.txt").write_text("x")
    ended = shoal("ls", table)
    assert ended.status == 0
    assert len(ended.text.splitlines()) == 3
    assert "3 files" in ended.err
    assert "left out 1 file hidden by name (hidden), such as" in ended.err
    assert "_SUCCESS" in ended.err
    assert "notes.txt" in ended.err


def test_ls_says_of_names_that_are_not_utf8_that_they_were_left_out(table: Path) -> None:
    (table / "month=2" / "part-0.parquet").rename(
        os.fsdecode(os.fsencode(table) + b"/month=2/bad\xff.parquet")
    )
    ended = shoal("ls", table)
    assert len(ended.text.splitlines()) == 2
    assert "left out 1 file whose path is not UTF-8 (not_utf8)" in ended.err
    assert "bad%FF.parquet" in ended.err
    assert "not_utf8" in failure_of("ls", table, "--strict=not_utf8")


def test_ls_notes_files_that_lack_a_key_and_reads_them(table: Path) -> None:
    (table / "month=2" / "part-0.parquet").rename(table / "part.parquet")
    ended = shoal("ls", table)
    assert len(ended.text.splitlines()) == 3
    assert "read 1 file whose path lacks a key that others have: it is null there (missing_key)" in ended.err


def test_ls_opens_no_file(table: Path) -> None:
    (table / "month=2" / "part-1.parquet").write_bytes(b"not parquet")
    assert len(output_of("ls", table).splitlines()) == 4


def test_ls_of_an_empty_folder_is_empty(tmp_path: Path) -> None:
    ended = shoal("ls", tmp_path)
    assert (ended.status, ended.out) == (0, b"")
    assert "0 files" in ended.err


def test_ls_as_json(table: Path) -> None:
    (table / "_SUCCESS").touch()
    report = json.loads(output_of("ls", table, "--json"))
    assert [file["keys"] for file in report["files"]] == [{"month": "1"}, {"month": "2"}, {"month": "3"}]
    assert report["files"][0]["size"] == (table / "month=1/part-0.parquet").stat().st_size
    assert report["listing"]["issues"]["hidden"]["count"] == 1
    filtered = json.loads(output_of("ls", table, "--json", "--where", "month = 3"))
    assert [file["keys"] for file in filtered["files"]] == [{"month": "3"}]


def test_ls_escapes_names_that_would_pass_for_two_lines(tmp_path: Path) -> None:
    write(tmp_path / "a\nb.parquet", {"x": [1]})
    assert "a\\nb.parquet\t" in output_of("ls", tmp_path)
    assert json.loads(output_of("ls", tmp_path, "--json"))["files"][0]["path"].endswith("a\nb.parquet")


def test_schema(table: Path) -> None:
    rows = [line.split() for line in output_of("schema", table).splitlines()]
    assert rows[0] == ["column", "type", "nullable", "partition", "key"]
    assert rows[2:] == [["x", "int64", "yes"], ["carrier", "string", "yes"], ["month", "int32", "yes", "yes"]]


def test_schema_as_json(table: Path) -> None:
    columns = json.loads(output_of("schema", table, "--json"))
    assert [column["name"] for column in columns] == ["x", "carrier", "month"]
    assert columns[2] == {"name": "month", "type": "int32", "nullable": True, "partition_key": True}


def test_schema_of_a_projection(table: Path) -> None:
    columns = json.loads(output_of("schema", table, "--json", "--columns", "month,x"))
    assert [column["name"] for column in columns] == ["month", "x"]
    assert json.loads(output_of("schema", table, "--json", "--columns", "")) == []


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ([], 12),
        (["--where", "month = 2"], 4),
        (["--where=carrier = 'UA' and x > 20"], 3),
        (["--where", "month = 7"], 0),
        (["--where", "x < 0"], 0),
        (["--limit", "5"], 5),
        (["--limit", "0"], 0),
        (["--offset", "10"], 2),
        (["--offset", "100"], 0),
        (["--offset=2", "--limit=3", "--where", "month = 1"], 2),
        (["--workers", "0"], 12),
        (["--memory-budget", "1"], 12),
        (["--memory-budget", "1GiB"], 12),
        (["--partitioning", "none"], 12),
        (["--inspect", "first"], 12),
        (["--inspect", "all"], 12),
        (["--inspect", "2"], 12),
        (["--format", "parquet"], 12),
        (["--no-progress"], 12),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_count_is_the_number_alone(table: Path, options: list[str], rows: int) -> None:
    ended = shoal("count", table, *options)
    assert (ended.status, ended.text, ended.err) == (0, f"{rows}\n", "")


def test_count_as_json(table: Path) -> None:
    assert json.loads(output_of("count", table, "--json")) == {"rows": 12}


def test_several_sources_and_the_end_of_options(table: Path) -> None:
    assert output_of("count", table / "month=1", table / "month=2") == "8\n"
    write(table.parent / "--odd" / "a.parquet", {"x": [1, 2]})
    assert output_of("count", "--where", "x = 2", "--", "--odd", cwd=table.parent) == "1\n"


def test_partitioning_by_position_and_partition_base_dir(tmp_path: Path) -> None:
    write(tmp_path / "2013" / "a_b.parquet", {"x": [1]})
    write(tmp_path / "2014" / "c_d.parquet", {"x": [2]})
    count = ["count", tmp_path]
    assert output_of(*count, "--partitioning", "directory:year", "--where", "year = 2014") == "1\n"
    assert output_of(*count, "--partitioning=filename:p", "--where", "p = 'a'") == "1\n"
    write(tmp_path / "k" / "key=5" / "e.parquet", {"x": [3]})
    within = ["count", tmp_path / "k" / "key=5", "--where", "key = 5"]
    assert "key" in failure_of(*within)
    assert output_of(*within, "--partition-base-dir", tmp_path / "k") == "1\n"


def test_head_is_an_aligned_table(table: Path) -> None:
    lines = output_of("head", table, "--limit", "2").splitlines()
    assert lines == [
        "    x  carrier  month",
        "int64  string   int32",
        "-----  -------  -----",
        "   10  UA           1",
        "   11  AA           1",
    ]


def test_head_shows_ten_rows_by_default(table: Path) -> None:
    assert len(output_of("head", table).splitlines()) == 3 + 10
    assert len(output_of("head", table, "--limit", "0").splitlines()) == 3
    assert len(output_of("head", table, "--limit", "100").splitlines()) == 3 + 12


def test_head_with_filter_offset_and_columns(table: Path) -> None:
    lines = output_of(
        "head", table, "--where", "month > 1", "--offset", "1", "--limit", "1", "--columns", "month,x"
    ).splitlines()
    assert lines[0].split() == ["month", "x"]
    assert [line.split() for line in lines[3:]] == [["2", "21"]]


def test_head_truncates_cells_and_keeps_to_one_line_a_row(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"s": ["x" * 100, "a\nb\tc\x1b[0m", None, "日本語"], "y": [1, 2, 3, 4]})
    lines = output_of("head", tmp_path).splitlines()
    assert lines[3] == "x" * 39 + "…  " + "1".rjust(5)
    assert lines[4].startswith("a\\nb\\tc\\u001b[0m ")
    assert lines[5].startswith("null ")
    # Wide characters take two places.
    assert lines[6] == "日本語" + " " * 34 + "  " + "4".rjust(5)


def test_head_without_columns_counts(table: Path) -> None:
    assert output_of("head", table, "--columns", "") == "10 rows without columns\n"


def test_head_as_json(table: Path) -> None:
    rows = json.loads(output_of("head", table, "--json", "--limit", "2"))
    assert rows == [{"x": 10, "carrier": "UA", "month": 1}, {"x": 11, "carrier": "AA", "month": 1}]
    assert json.loads(output_of("head", table, "--json", "--limit", "0")) == []


def test_explain(table: Path) -> None:
    text = output_of("explain", table, "--where", "month = 2 and x > 21", "--columns", "x")
    assert "1 of 3 kept" in text
    assert "month=2/part-0.parquet" in text


def test_explain_shows_the_filter_as_asked_and_each_level_of_directories(tmp_path: Path) -> None:
    for day in ("2024-01-01", "2024-01-02", "2024-01-03"):
        for hour in ("00", "01"):
            folder = tmp_path / f"day={day}" / f"hour={hour}"
            folder.mkdir(parents=True)
            pq.write_table(pa.table({"x": [1, 2]}), folder / "a.parquet")
    where = "day > '2024-01-01' and hour < 1 and x > 1"
    text = output_of("explain", tmp_path, "--where", where, "--inspect", "first")
    assert f"filter    {where}\n" in text
    assert "hour < 1: pruned 2 directories\n" in text
    assert "day: 2 of 3 directories kept\n" in text
    assert "hour: 2 of 4 directories kept\n" in text
    report = json.loads(output_of("explain", tmp_path, "--where", where, "--inspect", "first", "--json"))[
        "report"
    ]
    assert report["levels"] == [
        {"key": "day", "directories": 3, "directories_kept": 2},
        {"key": "hour", "directories": 4, "directories_kept": 2},
    ]


def test_explain_without_statistics_reads_no_footer(table: Path) -> None:
    words = ["explain", table, "--where", "month = 2", "--no-statistics"]
    report = json.loads(output_of(*words, "--json"))["report"]
    assert (report["footers_read"], report["footers_cached"], report["row_groups_seen"]) == (0, 0, 0)
    assert report["files_kept"] == 1
    assert "groups" not in output_of(*words)


def test_explain_shows_what_the_inspection_cost(table: Path) -> None:
    text = output_of("explain", table, "--where", "month = 2")
    assert re.search(
        r"^schema    from 3 inspected files: 3 footers read \([\d.]+ KiB\), 0 known before,"
        r" once for the dataset$",
        text,
        re.MULTILINE,
    ), text
    assert "0 footers read (0 bytes), 1 known before" in text
    report = json.loads(output_of("explain", table, "--json"))["report"]
    assert report["files_inspected"] == report["inspection"]["footers_read"] == 3
    assert report["inspection"]["metadata_bytes"] > 1000
    declared = output_of("explain", table, "--schema", "x: int64, month: int32")
    assert "schema    declared\n" in declared and "3 footers read" in declared


def test_one_is_singular(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"x": [1]})
    said = shoal("scan", tmp_path, "--stats").err
    said += shoal("ls", tmp_path).err
    said += output_of("explain", tmp_path)
    said += output_of("head", tmp_path, "--columns", "")
    (tmp_path / "b.parquet").write_bytes(b"x")
    said += failure_of("count", tmp_path / "b.parquet")
    assert (
        re.findall(r"\b1 (?:\w+ )?(?:rows|batches|files|folders|bytes|requests|row groups|columns)\b", said)
        == []
    )
    assert "1 returned in 1 batch, 1 decoded" in said and "1 row)" in said and "1 byte long" in said


def test_a_declared_schema(table: Path) -> None:
    columns = 'month: int8, x: decimal(12, 2), "new one": list<string>'
    schema = json.loads(output_of("schema", table, "--schema", columns, "--json"))
    assert [(column["name"], column["type"]) for column in schema] == [
        ("month", "int8"),
        ("x", "decimal128(12, 2)"),
        ("new one", "list<item: string>"),
    ]
    words = ("--schema", columns, "--where", "month = 2 and x * 2 > 45")
    assert output_of("count", table, *words) == "1\n"
    assert json.loads(output_of("scan", table, *words)) == {"month": 2, "x": "23.00", "new one": None}
    assert output_of("head", table, *words).splitlines()[3].split() == ["2", "23.00", "null"]
    assert "1 of 3 kept" in output_of("explain", table, *words)
    assert json.loads(output_of("stats", table, *words, "--json"))["rows"]["value"] == 4
    assert output_of("ls", table, *words).count("\n") == 1
    # What `schema` shows can be declared.
    shown = output_of("schema", table).splitlines()[2:]
    again = ", ".join(f"{line.split()[0]}: {line.split()[1]}" for line in shown)
    assert output_of("schema", table, "--schema", again).splitlines()[2:] == shown
    (table / "empty").mkdir()
    assert output_of("count", table / "empty", "--schema", "x: int64") == "0\n"


def test_arithmetic_of_decimals(tmp_path: Path) -> None:
    price = pa.array(["49.99", "50.00", "50.01", None]).cast(pa.decimal128(15, 2))
    write(tmp_path / "a.parquet", {"price": price, "small": pa.array([127, -128, 1, 2], pa.int8())})
    for filter, rows in [
        ("price * 2 > 100", 1),
        ("price / 2 >= 25", 2),
        ("price + 1 = 51", 1),
        ("100 - price > 50", 1),
        ("small + 1 > 127", 1),
        ("small - 1 < -128", 1),
        ("price * small > 6000", 1),
    ]:
        assert output_of("count", tmp_path, "--where", filter) == f"{rows}\n", filter


def test_explain_as_json(table: Path) -> None:
    plan = json.loads(output_of("explain", table, "--where", "month = 2", "--limit", "3", "--json"))
    assert len(plan["fragments"]) == 1


def test_stats_of_a_table(table: Path) -> None:
    stats = json.loads(output_of("stats", table, "--json"))
    assert stats["rows"] == {"value": 12, "exact": True}
    columns = {column.pop("name"): column for column in stats["columns"]}
    assert columns["x"]["min"] == {"value": 10, "exact": True}
    assert columns["month"]["max"] == {"value": 3, "exact": True}
    assert columns["month"]["null_count"] == {"value": 0, "exact": True}
    text = output_of("stats", table)
    assert "rows   12" in text and "~" not in text


def test_stats_with_a_filter(table: Path) -> None:
    by_key = json.loads(output_of("stats", table, "--where", "month = 2", "--json"))
    assert by_key["rows"] == {"value": 4, "exact": True}
    by_data = json.loads(output_of("stats", table, "--where", "x >= 31", "--json"))
    assert by_data["rows"] == {"value": 4, "exact": False}
    assert all(column[key]["exact"] is False for column in by_data["columns"] for key in ("min", "max"))


def test_stats_go_to_standard_error(table: Path) -> None:
    ended = shoal("scan", table, "--stats")
    assert len(ended.text.splitlines()) == 12
    assert "12 returned" in ended.err
    metrics = json.loads(shoal("scan", table, "--stats", "--json").err)
    assert metrics["rows_returned"] == 12
    assert metrics["files_opened"] == 3
    assert json.loads(shoal("head", table, "--stats", "--json", "--limit", "1").err)["rows_returned"] == 1


def test_odd_column_names(tmp_path: Path) -> None:
    names = ["a,b", 'say "hi"', "naïve", "s.x", "", "and"]
    write(tmp_path / "a.parquet", pa.table([[i] for i in range(len(names))], names=names))
    columns = '"a,b","say ""hi""",naïve,s.x,"","and"'
    row = json.loads(output_of("scan", tmp_path, "--columns", columns))
    assert row == {name: i for i, name in enumerate(names)}
    assert output_of("count", tmp_path, "--where", '"a,b" = 0 and "say ""hi""" = 1') == "1\n"
    assert "naïve" in output_of("head", tmp_path)


def test_fields_of_structs_are_columns(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"s": [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]})
    text = output_of("scan", tmp_path, "--columns", "s.y, s.x", "--where", "s.x = 2")
    assert json.loads(text) == {"s.y": "b", "s.x": 2}


# ---- the cache ---------------------------------------------------------------------------------------------


def old(table: Path) -> Path:
    """The same files, changed some time ago: what was changed just now is not kept."""
    for path in table.rglob("*.parquet"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return table


def test_a_cache_folder_saves_reading_footers_in_the_next_run(table: Path, tmp_path: Path) -> None:
    cache = f"--cache={tmp_path / 'cache'}"
    assert output_of("count", old(table), cache) == "12\n"
    report = json.loads(output_of("explain", table, cache, "--inspect", "first", "--json"))["report"]
    assert report["footers_read"] == 0
    assert report["footers_cached"] == 3
    assert "3 known before" in output_of("explain", table, cache, "--inspect", "first")
    ended = shoal("scan", table, cache, "--inspect", "first", "--stats")
    assert "footers of 3 known before" in ended.err


def test_the_cache_folder_of_the_user(table: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    assert output_of("count", old(table), "--cache", env=environment) == "12\n"
    assert len(list((tmp_path / "xdg" / "shoal").iterdir())) == 1
    bare = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    assert "XDG_CACHE_HOME" in failure_of("count", table, "--cache", env=bare, status=2)


@pytest.mark.parametrize("verb", ["schema", "count", "head", "scan", "explain"])
def test_a_cache_folder_that_cannot_be_used_is_a_warning(table: Path, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").touch()
    expected = output_of(verb, old(table))
    ended = shoal(verb, table, f"--cache={tmp_path / 'file'}")
    assert (ended.status, ended.text) == (0, expected)
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("shoal: warning: cache ")
    assert str(tmp_path / "file") in ended.err


def test_a_damaged_cache_file_is_made_again(table: Path, tmp_path: Path) -> None:
    cache = f"--cache={tmp_path / 'cache'}"
    assert output_of("count", old(table), cache) == "12\n"
    (kept,) = (tmp_path / "cache").iterdir()
    whole = kept.read_bytes()
    for bad in (b"", whole[:-1], whole[:100], whole[:200] + b"\xff" + whole[201:], b"x" * 1000):
        kept.write_bytes(bad)
        ended = shoal("count", table, cache)
        assert (ended.status, ended.text, ended.err) == (0, "12\n", "")
        report = json.loads(output_of("explain", table, cache, "--inspect", "first", "--json"))["report"]
        assert report["footers_cached"] == 3


def test_the_cache_limit_is_a_size(table: Path, tmp_path: Path) -> None:
    cache = f"--cache={tmp_path / 'cache'}"
    assert output_of("count", old(table), cache, "--cache-limit", "1MiB") == "12\n"
    assert "--cache-limit" in failure_of("count", table, cache, "--cache-limit", "lots", status=2)
    assert "does not take --cache" in failure_of("ls", table, "--cache", status=2)


def test_what_is_listed_can_be_chosen(table: Path) -> None:
    write(table / "month=1" / "old.columns", {"x": [0]})
    write(table / "deep" / "_hidden.parquet", {"x": [0]})
    assert len(output_of("ls", table).splitlines()) == 3
    assert output_of("ls", table, "--extension", ".columns").endswith(
        "old.columns\t" + str((table / "month=1" / "old.columns").stat().st_size) + "\n"
    )
    assert len(output_of("ls", table, "--ignore-prefixes", "").splitlines()) == 4
    assert len(output_of("ls", table, "--ignore-prefixes", "", "--ignore-subdirectory").splitlines()) == 3
    assert "--list-concurrency is 0" in failure_of("ls", table, "--list-concurrency", "0", status=2)


@pytest.mark.parametrize("words", [["count"], ["head"], ["scan", "--to", "csv"], ["schema"], ["stats"]])
def test_reading_says_what_was_left_out(tmp_path: Path, words: list[str]) -> None:
    write(tmp_path / "t" / "a.parquet", {"x": [1]})
    write(tmp_path / "t" / "k=1" / "b.parquet", {"x": [2]})
    (tmp_path / "t" / "empty.parquet").touch()
    (tmp_path / "t" / "notes.txt").write_text("no data")
    (tmp_path / "t" / "_SUCCESS").touch()
    ended = shoal(*words, tmp_path / "t")
    assert ended.status == 0
    lines = ended.err.splitlines()
    assert all(line.startswith("shoal: warning: ") for line in lines), ended.err
    for word in (
        "left out.*empty.parquet",
        r"left out 1 file with another ending \(extension\), such as",
        r"read [12] files? whose path lacks a key .*\(missing_key\), such as",
    ):
        assert len([line for line in lines if re.search(word, line)]) == 1, ended.err
    assert len(lines) == 3
    if words[0] in ("count", "head"):
        report = shoal(*words, "--stats", "--json", tmp_path / "t").err
        assert json.loads(report)["listing"]["issues"]["hidden"]["count"] == 1


def test_bad_files_can_be_skipped(table: Path) -> None:
    whole = int(output_of("count", table))
    (table / "month=1" / "bad.parquet").write_bytes(b"PAR1 no Parquet at all PAR1")
    assert "bad.parquet" in failure_of("count", table)
    ended = shoal("count", table, "--on-corrupt", "skip", "--stats")
    assert (ended.status, int(ended.text)) == (0, whole)
    assert "bad.parquet" in ended.err
    assert "--on-missing is 'no'" in failure_of("scan", table, "--on-missing", "no", status=2)


def test_a_limit_of_a_cache_that_is_off_is_refused(table: Path) -> None:
    assert "--cache-limit" in failure_of("count", table, "--cache-limit", "5", status=2)


def test_metadata_files_and_columns_about_files(tmp_path: Path) -> None:
    collected: list[pq.FileMetaData] = []
    table = pa.table({"x": range(5)})
    pq.write_table(table, tmp_path / "a.parquet", metadata_collector=collected)
    collected[0].set_file_path("a.parquet")
    pq.write_metadata(table.schema, tmp_path / "_metadata", collected)
    assert output_of("count", tmp_path / "_metadata") == "5\n"
    lines = output_of(
        "scan",
        tmp_path / "_metadata",
        "--columns",
        "__filename,__row_index",
        "--where",
        "__row_index = 3",
        "--to",
        "jsonl",
    )
    assert json.loads(lines) == {"__filename": str(tmp_path / "a.parquet"), "__row_index": 3}


def test_schema_options(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["v", "v"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    assert "--duplicate-names" not in output_of("ls", "--help")
    assert "duplicate_names = rename" in failure_of("count", "--where", "v = 1", tmp_path / "twice.parquet")
    rename = ["--duplicate-names", "rename"]
    assert output_of("count", "--where", "v_1 = 2", *rename, tmp_path / "twice.parquet") == "1\n"

    for name, table in {
        "a": pa.table({"Id": [1], "v": [0.5]}),
        "b": pa.table({"ID": [2], "v": [2**53]}),
    }.items():
        (tmp_path / "table").mkdir(exist_ok=True)
        pq.write_table(table, tmp_path / "table" / f"{name}.parquet")
    assert "promote = permissive" in failure_of("schema", tmp_path / "table")
    options = ["--case-insensitive", "--promote", "permissive", tmp_path / "table"]
    assert json.loads(output_of("schema", "--json", *options))[0]["name"] == "Id"
    assert output_of("count", "--where", "id = 2 and v > 1", *options) == "1\n"

    for option, value in [("--promote", "all"), ("--duplicate-names", "keep")]:
        assert f"{option} is '{value}'" in failure_of("count", option, value, tmp_path, status=2)


def test_types_of_text_are_found_from_all_of_it_without_naming_the_format(tmp_path: Path) -> None:
    text = "k,v\n" + "1,2\n" * 400_000
    at = text.index("\n", len(text) // 2) + 1
    (tmp_path / "a.csv").write_text(text[:at] + "1,x\n" + text[at:])
    assert "infer=" in failure_of("scan", tmp_path, "--output", tmp_path / "out.arrow")
    for options in ([], ["--format", "csv"], ["--format", "by_extension"], ["--delimiter", ","]):
        assert output_of("count", tmp_path, "--infer", "all", "--where", "v = 'x'", *options) == "1\n"
    # Where files tell their types there is nothing to infer.
    write(tmp_path / "p" / "a.parquet", {"v": [1]})
    assert output_of("count", tmp_path / "p", "--infer=all") == "1\n"


def test_files_of_several_formats_have_the_union_of_their_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("v\n1\n")
    (tmp_path / "b.csv").write_text("v\n1.5\n")
    write(tmp_path / "c.parquet", {"w": [1]})
    assert output_of("count", tmp_path, "--format", "by_extension") == "3\n"
    assert '"v":1.5' in output_of("scan", tmp_path, "--format", "by_extension").replace(" ", "")
