"""What goes wrong is told in one line that names the thing, on standard error, by the exit status alone."""

import os
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from cli_program import PROGRAM, failure_of, flights, shoal, write

READING = ["count", "head", "scan", "explain", "schema", "stats"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return flights(tmp_path / "flights")


@pytest.mark.parametrize("verb", ["ls", *READING])
def test_a_missing_path(tmp_path: Path, verb: str) -> None:
    error = failure_of(verb, tmp_path / "nowhere")
    assert str(tmp_path / "nowhere") in error


@pytest.mark.parametrize("verb", READING)
def test_an_empty_folder(tmp_path: Path, verb: str) -> None:
    (tmp_path / "empty").mkdir()
    assert str(tmp_path / "empty") in failure_of(verb, tmp_path / "empty")


@pytest.mark.parametrize("verb", READING)
def test_a_folder_with_nothing_but_hidden_files_says_what_was_left_out(tmp_path: Path, verb: str) -> None:
    (tmp_path / "_SUCCESS").touch()
    error = failure_of(verb, tmp_path)
    assert str(tmp_path) in error and "hidden" in error


def test_nothing_found_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert failure_of("count", tmp_path / "empty") == (
        f"shoal: There are no data files in '{tmp_path}/empty': it is empty."
        " Name other files, or declare a schema to read it as an empty table\n"
    )
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "_SUCCESS").touch()
    (tmp_path / "a" / "b" / ".hidden.parquet").touch()
    (tmp_path / "a" / "b" / "zero.parquet").touch()
    assert failure_of("count", tmp_path / "a") == (
        f"shoal: There are no data files in '{tmp_path}/a': in 2 folders there is nothing but"
        f" 2 hidden by name (such as '{tmp_path}/a/_SUCCESS'), 1 empty (0 bytes) (such as"
        f" '{tmp_path}/a/b/zero.parquet')."
        " Name other files, or declare a schema to read it as an empty table\n"
    )


def test_a_pattern_that_matches_nothing(table: Path) -> None:
    assert "*.csv" in failure_of("count", table / "*.csv")


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize("damage", ["text", "truncated", "footer", "magic only"])
def test_a_bad_file_is_named(table: Path, verb: str, damage: str) -> None:
    bad = table / "month=2" / "part-0.parquet"
    good = bad.read_bytes()
    bad.write_bytes(
        {
            "text": b"x,y\n1,2\n" * 50,
            "truncated": good[: len(good) // 2],
            "footer": good[:-40] + b"\xff" * 32 + good[-8:],
            "magic only": b"PAR1" + bytes(100) + b"PAR1",
        }[damage]
    )
    assert str(bad) in failure_of(verb, table)


def test_a_file_that_can_not_be_of_any_format(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("just text\n")
    assert str(tmp_path / "notes.txt") in failure_of("count", tmp_path / "notes.txt")


def test_types_that_do_not_go_together(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", {"odd": [1]})
    write(tmp_path / "b.parquet", {"odd": ["x"]})
    error = failure_of("count", tmp_path)
    assert "odd" in error and "a.parquet" in error and "b.parquet" in error


@pytest.mark.parametrize("verb", ["ls", "count", "head", "scan", "explain", "stats"])
@pytest.mark.parametrize(
    ("filter", "named"),
    [
        ("nothing = 1", "nothing"),
        ("carier = 'UA'", "carrier"),
        ("x", "x"),
        ("x + 1", "bool"),
        ("x = 'ten'", "x"),
        ("carrier > date '2020-01-01' and x = true", "carrier"),
    ],
)
def test_a_filter_that_does_not_fit_the_table(table: Path, verb: str, filter: str, named: str) -> None:
    assert named in failure_of(verb, table, "--where", filter)


@pytest.mark.parametrize("verb", ["head", "scan", "explain", "schema"])
def test_an_unknown_column(table: Path, verb: str) -> None:
    error = failure_of(verb, table, "--columns", "x,carier")
    assert "carier" in error and "carrier" in error
    assert "FieldRef" not in error


def test_text_in_double_quotes(table: Path) -> None:
    error = failure_of("count", table, "--where", 'carrier = "UA"')
    assert error == (
        "shoal: There is no column `UA`; the columns are x, carrier, month."
        " For the text, write 'UA' in single quotes\n"
    )


@pytest.mark.parametrize("verb", ["count", "scan"])
def test_an_error_of_a_row_names_the_part_of_the_filter_and_the_file(tmp_path: Path, verb: str) -> None:
    big = write(tmp_path / "a=7" / "big.parquet", {"x": [2**63 - 1, 0], "s": ["1", "many"]})
    for filter, part, reason in [
        ("x + 1 > 3", "x + 1", "overflow"),
        ("x > 3 and not (10 / x > 3)", "10 / x", "divide by zero"),
        ("10 / (a - 7) = 1", "10 / (cast(a as int64) - 7) = 1", "divide by zero"),
        ("cast(x as int8) = 1", "cast(x as int8)", "Integer value 9223372036854775807 not in range"),
        ("cast(s as int64) = 1", "cast(s as int64)", "'many'"),
    ]:
        error = failure_of(verb, tmp_path, "--where", filter)
        assert error.startswith(f"shoal: '{big}': `{part}` can't be computed: "), error
        assert reason in error


def test_errors_say_nothing_twice(table: Path, tmp_path: Path) -> None:
    """Paths, columns and phrases: what a reader has read once is enough."""
    bad = write(tmp_path / "bad" / "x.parquet", {"x": [1, 2], "s": ["a", None]})
    content = bad.read_bytes()
    errors = []
    for damage in (content[:-20] + b"\xff" * 12 + content[-8:], content[:-4], content[:9], b"PAR1", b"x"):
        bad.write_bytes(damage)
        errors += [failure_of(verb, bad) for verb in ("count", "schema", "head")]
    whole = write(tmp_path / "whole" / "x.parquet", {"x": [1, 2], "s": ["a", None]})
    for words in (
        ("--where", "s = 1"),
        ("--where", "x = 'a'"),
        ("--where", "y = 1"),
        ("--where", "s > 5 and x = 1"),
        ("--where", "cast(s as int32) = 1"),
        ("--where", "x / 0 = 1"),
        ("--schema", "x: string, s: int64"),
        ("--schema", "x: bool, s: date32"),
        ("--schema", "x: list<int64>"),
    ):
        for verb in ("count", "scan"):
            ended = shoal(verb, whole, *words)
            errors += [ended.err] if ended.status else []
    assert len(errors) > 25
    for error in errors:
        for said in (str(bad), str(whole), "can't be compared", "corrupt", "can't be computed"):
            assert error.count(said) <= 1, error


def test_strictness(table: Path) -> None:
    (table / "_SUCCESS").touch()
    assert "_SUCCESS" in failure_of("count", table, "--strict")
    assert "_SUCCESS" in failure_of("ls", table, "--strict=zero_byte,hidden")
    assert shoal("count", table, "--strict=extension").status == 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "--help"),
        (["cuont", "."], "count"),
        (["--where", "x"], "--where"),
        (["count"], "source"),
        (["count", ""], "empty"),
        (["count", "-"], "Standard input"),
        (["count", ".", "-x"], "-x"),
        (["count", ".", "--limt", "3"], "--limit"),
        (["count", ".", "--limit"], "--limit"),
        (["count", ".", "--limit", "many"], "many"),
        (["count", ".", "--limit", ""], "--limit"),
        (["count", ".", "--limit", "-1"], "-1"),
        (["count", ".", "--limit", "1.5"], "1.5"),
        (["count", ".", "--limit", "99999999999999999999"], "--limit"),
        (["count", ".", "--limit=1", "--limit=2"], "twice"),
        (["count", ".", "--offset=-1"], "--offset"),
        (["count", ".", "--columns", "x"], "--columns"),
        (["count", ".", "--json=yes"], "--json"),
        (["count", ".", "--where", "x = 3 and )"], "character 11"),
        (["count", ".", "--where", ""], "--where"),
        (["count", ".", "--workers", "-1"], "--workers"),
        (["count", ".", "--memory-budget", "lots"], "lots"),
        (["count", ".", "--memory-budget", "0"], "--memory-budget"),
        (["count", ".", "--memory-budget", "9999999999TB"], "--memory-budget"),
        (["count", ".", "--format", "xls"], "xls"),
        (["count", ".", "--schema", "a: int65"], "int65"),
        (["count", ".", "--schema", ""], "--schema"),
        (["count", ".", "--schema", "a"], "a: int64"),
        (["count", ".", "--partitioning", "hives"], "hives"),
        (["count", ".", "--partitioning", "directory"], "directory"),
        (["count", ".", "--partitioning", "directory:a,a"], "'a'"),
        (["count", ".", "--partitioning", "filename:a,,b"], "filename:a,,b"),
        (["count", ".", "--strict=sloppy"], "sloppy"),
        (["count", ".", "--strict="], "--strict"),
        (["count", ".", "--inspect", "none"], "none"),
        (["count", ".", "--infer", "some"], "--infer is 'some'"),
        (["count", ".", "--infer", "all", "--format", "parquet"], "--infer is about files of text"),
        (["count", ".", "--inspect", "0"], "0"),
        (["ls", ".", "--limit", "3"], "--limit"),
        (["schema", ".", "--where", "x = 1"], "--where"),
        (["explain", ".", "--workers", "1"], "--workers"),
        (["head", ".", "--output", "x.csv"], "scan"),
        (["head", ".", "--columns", "x,,y"], "--columns"),
        (["head", ".", "--columns", "x,x"], "twice"),
        (["head", ".", "--columns", 'x,"y'], "--columns"),
        (["scan", ".", "--to", "xml"], "xml"),
        (["scan", ".", "--to", ""], "--to"),
        (["scan", ".", "--output", "out.xyz"], "out.xyz"),
        (["scan", ".", "--output", "out"], "--to"),
        (["scan", ".", "--output", ""], "--output"),
        (["scan", ".", "--output", "s3://bucket/out.csv"], "s3://bucket/out.csv"),
        (["scan", ".", "--force"], "--output"),
        (["scan", ".", "--json"], "--to jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_line_has_its_own_status(table: Path, words: list[str], named: str) -> None:
    assert named in failure_of(*words, status=2, cwd=table)


def test_outputs_that_can_not_be_written(table: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for out in (
        tmp_path / "nowhere" / "out.csv",
        tmp_path / "file" / "out.csv",
        tmp_path / ("n" * 300 + ".csv"),
        tmp_path,
    ):
        assert str(out) in failure_of("scan", table, "--to", "csv", "--output", out)
    assert "/dev/full" in failure_of("scan", table, "--to", "csv", "--output", "/dev/full")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "flights"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(table: Path, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o555)
    out = tmp_path / "locked" / "out.csv"
    error = failure_of("scan", table, "--output", out)
    assert str(out) in error and "Permission denied" in error


@pytest.mark.parametrize("words", [["ls"], ["count"], ["schema"], ["head"], ["scan"], ["explain"], ["stats"]])
def test_a_full_disk_behind_standard_output(table: Path, words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([PROGRAM, *words, table], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert ended.returncode == 1
    assert ended.stderr == b"shoal: Can't write standard output: No space left on device\n"


@pytest.mark.parametrize("to", ["jsonl", "csv", "arrow", "parquet"])
def test_a_reader_that_wants_no_more_ends_the_scan_quietly(tmp_path: Path, to: str) -> None:
    text = pa.array([f"{i * 7919:032d}" for i in range(200_000)])
    source = write(tmp_path / "a.parquet", {"s": text, "y": text.cast(pa.string_view())})
    running = subprocess.Popen(
        [PROGRAM, "scan", source, "--to", to], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    running.stdout.read(1)
    running.stdout.close()
    assert running.wait(timeout=60) == 141
    assert running.stderr.read() == b""
    running.stderr.close()


def test_names_in_errors_stay_on_one_line(tmp_path: Path) -> None:
    error = failure_of("count", tmp_path / "new\nline \x1b[31m")
    assert "new line" in error and "\x1b" not in error
