"""Terminals and signals: progress, line width, interrupts."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_program import PROGRAM, flights, shoal, write


def with_interrupts() -> None:
    """In a child: SIGINT has its default meaning, whatever the tests were started with. A background job of a
    shell ignores it, its children inherit that, and the program keeps to it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A program whose standard output and standard error are one terminal."""

    def __init__(self, *words: object, columns: int = 80) -> None:
        try:
            self.mine, its = pty.openpty()
        except OSError as error:  # a container may have no /dev/pts
            pytest.skip(f"there are no pseudo-terminals here: {error}")
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, words)], stdin=its, stdout=its, stderr=its, preexec_fn=with_interrupts
        )
        os.close(its)
        self.text = ""

    def read_until(self, pattern: str, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not re.search(pattern, self.text) and time.monotonic() < end:
            if not self._read(0.1) and self.process.poll() is not None:
                break
        return re.search(pattern, self.text) is not None

    def finish(self) -> str:
        while self._read(60):
            pass
        self.process.wait(timeout=60)
        return self.text.replace("\r\n", "\n")

    def _read(self, seconds: float) -> bool:
        if not select.select([self.mine], [], [], seconds)[0]:
            return False
        try:
            some = os.read(self.mine, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += some.decode()
        return bool(some)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.mine)


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table that takes minutes to write: one file under many names."""
    root = tmp_path_factory.mktemp("endless")
    file = write(root / "0.parquet", {"x": range(200_000), "s": ["some text"] * 200_000})
    for i in range(1, 2000):
        os.link(file, root / f"{i}.parquet")
    return root


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


def test_head_keeps_to_the_width_of_the_terminal(tmp_path: Path, terminals: list[Terminal]) -> None:
    write(tmp_path / "a.parquet", {f"column_{i}": ["some long text of words"] for i in range(10)})
    terminals.append(Terminal("head", tmp_path, columns=60))
    lines = terminals[0].finish().splitlines()
    assert max(map(len, lines)) <= 60
    assert "…" in lines[3]
    assert re.fullmatch(r"and \d more columns; choose with --columns", lines[-1])
    wide = shoal("head", tmp_path).text.splitlines()
    assert "…" not in wide[3] and "column_9" in wide[0]


def test_binary_formats_are_not_for_terminals(tmp_path: Path, terminals: list[Terminal]) -> None:
    terminals.append(Terminal("scan", flights(tmp_path), "--to", "parquet"))
    assert "--output" in terminals[0].finish()
    assert terminals[0].process.returncode == 2


def test_short_work_shows_no_progress(tmp_path: Path, terminals: list[Terminal]) -> None:
    terminals.append(Terminal("count", flights(tmp_path)))
    assert terminals[0].finish() == "12\n"


def test_a_second_interrupt_leaves_no_progress_line(
    endless: Path, tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminals.append(Terminal("scan", endless, "--output", tmp_path / "out.csv"))
    terminal = terminals[0]
    assert terminal.read_until(r"\d+ s", 30)
    # Two kinds: two of one kind could become one signal.
    terminal.process.send_signal(signal.SIGTERM)
    terminal.process.send_signal(signal.SIGINT)
    left = terminal.finish().rpartition("\r\x1b[K")[2]
    assert left in ("", "shoal: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_long_work_shows_progress_and_an_interrupt_leaves_nothing(
    endless: Path, tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminals.append(Terminal("scan", endless, "--output", tmp_path / "out.csv"))
    terminal = terminals[0]
    assert terminal.read_until(r"[\d,]+ rows, [\d.]+ MB read, [\d.]+ MB/s, \d+ files, \d+ s", 30)
    assert [path.name[0] for path in tmp_path.iterdir()] == ["."]
    start = time.monotonic()
    terminal.process.send_signal(signal.SIGINT)
    text = terminal.finish()
    assert time.monotonic() - start < 5
    assert terminal.process.returncode == 130
    assert text.endswith("shoal: interrupted\n") or "interrupted" not in text
    assert list(tmp_path.iterdir()) == []


def test_progress_can_be_switched_off(endless: Path, tmp_path: Path, terminals: list[Terminal]) -> None:
    terminals.append(Terminal("scan", endless, "--output", tmp_path / "out.csv", "--no-progress"))
    assert not terminals[0].read_until("rows", 1.7)


def test_progress_is_for_terminals_only(endless: Path, tmp_path: Path) -> None:
    command = [PROGRAM, "scan", endless, "--output", tmp_path / "out.csv"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.7)
    running.terminate()
    out, error = running.communicate(timeout=60)
    assert (running.returncode, out) == (128 + signal.SIGTERM, b"")
    assert error in (b"shoal: interrupted\n", b"")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_ends_a_program_whose_reader_has_stopped(endless: Path) -> None:
    running = subprocess.Popen(
        [PROGRAM, "scan", endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=with_interrupts
    )
    running.stdout.read(1)
    time.sleep(0.5)  # by now the pipe is full
    start = time.monotonic()
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert time.monotonic() - start < 3
    running.stdout.close()
    running.stderr.close()


def test_an_interrupt_that_was_ignored_from_the_start_stays_ignored(endless: Path) -> None:
    running = subprocess.Popen(
        [PROGRAM, "scan", endless],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        running.stdout.read(1)
        running.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(timeout=1)
    finally:
        running.kill()
        running.communicate()
