"""Scans inside a process: Ctrl-C, threads, fork, the interpreter's end.

Filesystems made in Python stand for stores that hang; bounds on time are far from what things take."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pytest
import shoal
import shoal.dataset as ds
from files import numbers, same
from filesystems import Handler

HERE = str(Path(__file__).parent)


def run(code: str, *arguments: object, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    """`code` in a new interpreter, which must end by itself."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {HERE!r})\n{code}", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )


# ---- Ctrl-C ------------------------------------------------------------------------------------------------

WAYS: dict[str, Callable[[Any], Any]] = {
    "to_table": lambda d: d.to_table(),
    "to_batches": lambda d: list(d.scan().to_batches()),
    "workers=0": lambda d: d.scan(workers=0).to_table(),
    "to_reader": lambda d: d.scan().to_reader().read_all(),
    "stream": lambda d: pa.table(d),
    "count": lambda d: d.count("x > 1"),
    "plan": lambda d: d.plan(),
    "schema": lambda d: d.schema,
}


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_ends_a_read_from_a_store_that_hangs(tmp_path: Path, way: str) -> None:
    root = numbers(tmp_path, 3)
    hanging, free = threading.Event(), threading.Event()

    def before(call: str, path: str) -> None:
        if call in ("open", "read") and path.endswith("01.parquet"):
            hanging.set()
            free.wait(30)

    def interrupt() -> None:
        hanging.wait(30)
        os.kill(os.getpid(), signal.SIGINT)

    dataset = shoal.open(str(root), filesystem=pafs.PyFileSystem(Handler(before=before)))
    sender = threading.Thread(target=interrupt)
    sender.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            WAYS[way](dataset)
            time.sleep(5)  # the signal is for this thread, whenever it arrives
        assert time.monotonic() - start < 10
    finally:
        free.set()
        sender.join()
    assert dataset.refresh().count() == 30


def test_ctrl_c_ends_the_look_at_a_source(tmp_path: Path) -> None:
    free = threading.Event()

    def before(call: str, path: str) -> None:
        if call == "get_file_info":
            os.kill(os.getpid(), signal.SIGINT)
            free.wait(30)

    try:
        with pytest.raises(KeyboardInterrupt):
            ds.dataset(str(numbers(tmp_path, 1)), filesystem=pafs.PyFileSystem(Handler(before=before)))
    finally:
        free.set()


def test_an_exception_of_a_signal_handler_comes_out(tmp_path: Path) -> None:
    root = numbers(tmp_path, 2)
    hanging, free = threading.Event(), threading.Event()

    class Alarm(Exception):
        pass

    def handle(number: int, frame: object) -> None:
        raise Alarm("time is up")

    def before(call: str, path: str) -> None:
        if call == "open":
            if not hanging.is_set():
                hanging.set()
                os.kill(os.getpid(), signal.SIGUSR1)
            free.wait(30)

    old = signal.signal(signal.SIGUSR1, handle)
    try:
        with pytest.raises(Alarm, match="time is up"):
            shoal.open(str(root), filesystem=pafs.PyFileSystem(Handler(before=before))).to_table()
    finally:
        signal.signal(signal.SIGUSR1, old)
        free.set()


def test_a_handler_that_does_not_raise_disturbs_nothing(tmp_path: Path) -> None:
    root = numbers(tmp_path, 5)
    seen: list[int] = []

    def before(call: str, path: str) -> None:
        if call == "open":
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.06)

    old = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    try:
        filesystem = pafs.PyFileSystem(Handler(before=before))
        assert shoal.open(str(root), filesystem=filesystem).to_table().num_rows == 50
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert seen


def test_ctrl_c_ends_the_process_of_a_script(tmp_path: Path) -> None:
    code = """
import os, signal, threading, pyarrow.fs as pafs, shoal
from filesystems import Handler
def before(call, path):
    if call == "read":
        os.kill(os.getpid(), signal.SIGINT)
        threading.Event().wait(3)
try:
    shoal.open(sys.argv[1], filesystem=pafs.PyFileSystem(Handler(before=before))).to_table()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    raise
"""
    done = run(code, numbers(tmp_path, 2))
    assert done.stdout == "interrupted\n", done.stderr
    assert done.returncode == -signal.SIGINT
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


# ---- leaving early -----------------------------------------------------------------------------------------


def blocked_after(files: int) -> tuple[pafs.PyFileSystem, threading.Event]:
    """A filesystem that opens the first files and then waits for the event."""
    free = threading.Event()

    def before(call: str, path: str) -> None:
        if call == "open" and int(Path(path).stem) >= files:
            free.wait(30)

    return pafs.PyFileSystem(Handler(before=before)), free


@pytest.mark.parametrize("source", ["shoal", "shoal.dataset", "reader", "capsule"])
def test_leaving_early_does_not_wait_for_reads_that_hang(tmp_path: Path, source: str) -> None:
    root, schema = numbers(tmp_path, 8), pa.schema([("x", pa.int64())])
    filesystem, free = blocked_after(3)
    try:
        if source == "shoal":
            batches: Any = (
                shoal.open(str(root), filesystem=filesystem, schema=schema).scan(batch_size=1).to_batches()
            )
            assert next(batches).num_rows == 1
            batches.close()
        elif source == "shoal.dataset":
            batches = ds.dataset(str(root), filesystem=filesystem, schema=schema).to_batches(batch_size=1)
            assert next(batches).num_rows == 1
            batches.close()
        elif source == "reader":
            reader = (
                shoal.open(str(root), filesystem=filesystem, schema=schema).scan(batch_size=1).to_reader()
            )
            assert reader.read_next_batch().num_rows == 1
            reader.close()
            del reader
        else:
            stream = (
                shoal.open(str(root), filesystem=filesystem, schema=schema)
                .scan(batch_size=1)
                .__arrow_c_stream__()
            )
            del stream
        assert not free.is_set()
    finally:
        free.set()


def test_leaving_a_loop_reads_no_more(tmp_path: Path) -> None:
    scan = shoal.open(numbers(tmp_path, 60, rows=200), inspect="first").scan(batch_size=10, memory_budget=1)
    for batch in scan.to_batches():
        assert batch.num_rows == 10
        break
    assert scan.metrics is not None
    opened = scan.metrics.files_opened
    assert opened < 60
    time.sleep(0.05)
    assert scan.metrics.files_opened == opened


# ---- threads -----------------------------------------------------------------------------------------------


def test_other_threads_run_while_a_scan_waits(tmp_path: Path) -> None:
    root = numbers(tmp_path, 2)
    waiting, seen = threading.Event(), threading.Event()

    def before(call: str, path: str) -> None:
        if call == "open":
            waiting.set()
            assert seen.wait(30)

    def other() -> None:
        waiting.wait(30)
        seen.set()  # only a thread that has the GIL gets here

    thread = threading.Thread(target=other)
    thread.start()
    filesystem = pafs.PyFileSystem(Handler(before=before))
    assert shoal.open(str(root), filesystem=filesystem).to_table().num_rows == 20
    thread.join()


def test_one_dataset_many_threads(flights: Path, flights_table: pa.Table) -> None:
    dataset, other = shoal.open(flights), ds.dataset(flights, partitioning="hive")
    found: list[Any] = []

    def work(i: int) -> None:
        found.append(
            (
                dataset.to_table() if i % 2 else other.to_table(),
                dataset.count("year = 2024"),
                len(dataset.files),
            )
        )

    threads = [threading.Thread(target=work, args=[i]) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 8
    for table, count, files in found:
        same(table, flights_table)
        assert (count, files) == (120, 12)


def test_threads_may_take_batches_of_one_scan_in_turn(tmp_path: Path) -> None:
    batches = shoal.open(numbers(tmp_path, 20, rows=100)).scan(batch_size=10).to_reader()
    found: list[int] = []
    lock = threading.Lock()

    def work() -> None:
        while True:
            try:
                batch = batches.read_next_batch()
            except StopIteration:
                return
            with lock:
                found.extend(batch["x"].to_pylist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == list(range(2000))


def test_a_stream_closed_by_another_thread_ends(tmp_path: Path) -> None:
    root, schema = numbers(tmp_path, 8), pa.schema([("x", pa.int64())])
    filesystem, free = blocked_after(2)
    batches = shoal.open(str(root), filesystem=filesystem, schema=schema).scan(batch_size=1).to_batches()
    next(batches)
    ended = threading.Event()

    def read() -> None:
        try:
            for _ in batches:
                pass
        except Exception:
            pass
        ended.set()

    thread = threading.Thread(target=read)
    thread.start()
    try:
        time.sleep(0.1)
        batches.close()
        assert ended.wait(20)
    finally:
        free.set()
        thread.join()


# ---- fork --------------------------------------------------------------------------------------------------

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@forks
def test_a_child_of_fork_may_scan(tmp_path: Path) -> None:
    code = """
import os, shoal, warnings
warnings.simplefilter("ignore")
dataset = shoal.open(sys.argv[1])
assert dataset.to_table().num_rows == 100
pid = os.fork()
if pid == 0:
    ok = dataset.to_table().num_rows == 100 and shoal.open(sys.argv[1]).count("x >= 50") == 50
    os._exit(0 if ok else 1)
print(os.waitpid(pid, 0)[1], dataset.count())
"""
    done = run(code, numbers(tmp_path, 10))
    assert done.stdout == "0 100\n", done.stderr


@forks
def test_a_stream_belongs_to_the_process_that_started_it(tmp_path: Path) -> None:
    code = """
import os, shoal, shoal.dataset as ds, warnings
warnings.simplefilter("ignore")
scan = shoal.open(sys.argv[1]).scan(batch_size=1, memory_budget=1)
batches = scan.to_batches()
other = ds.dataset(sys.argv[1]).to_batches(batch_size=1)
next(batches), next(other)
pid = os.fork()
if pid == 0:
    try:
        next(batches)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    del batches, scan, other
    sys.exit(0)  # all that ends an interpreter runs in the child too
status = os.waitpid(pid, 0)[1]
print(status, sum(batch.num_rows for batch in batches), sum(batch.num_rows for batch in other))
"""
    done = run(code, numbers(tmp_path, 10))
    lines = done.stdout.splitlines()
    assert "can't be read after fork" in lines[0], done
    assert lines[1] == "0 99 99"
    assert done.stderr == ""


@forks
def test_a_child_leaves_open_streams_alone(tmp_path: Path) -> None:
    code = """
import os, shoal, shoal.dataset as ds, warnings
warnings.simplefilter("ignore")
scan = shoal.open(sys.argv[1]).scan(batch_size=1, memory_budget=1)
batches = scan.to_batches()
other = ds.dataset(sys.argv[1]).to_batches(batch_size=1)
next(batches), next(other)
pid = os.fork()
if pid == 0:
    sys.exit(0)
print(os.waitpid(pid, 0)[1], sum(batch.num_rows for batch in batches), sum(batch.num_rows for batch in other))
"""
    done = run(code, numbers(tmp_path, 10))
    assert (done.stdout, done.stderr) == ("0 99 99\n", "")


@forks
def test_worker_processes(tmp_path: Path) -> None:
    code = """
import multiprocessing, shoal, warnings
warnings.simplefilter("ignore")
dataset = shoal.open(sys.argv[1])
dataset.to_table()
def work(i):
    return dataset.count(f"x < {i}")
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work, range(0, 100, 20)))
"""
    done = run(code, numbers(tmp_path, 10))
    assert done.stdout == "[0, 20, 40, 60, 80]\n", done.stderr


@forks
def test_a_child_does_not_wait_for_what_other_threads_of_its_parent_did(tmp_path: Path) -> None:
    """Of the same dataset: its caches and its first inspection are behind locks."""
    code = """
import os, shoal, signal, threading, warnings
import shoal.dataset as ds
warnings.simplefilter("ignore")
dataset = shoal.open(sys.argv[1], cache=sys.argv[2])
assert dataset.count("x >= 50") == 50 and dataset.to_table().num_rows == 100
ends = threading.Event()
def ask():
    while not ends.is_set():
        dataset.count("x >= 50")
        dataset.refresh().to_table()
threads = [threading.Thread(target=ask) for _ in range(3)]
for thread in threads:
    thread.start()
statuses = []
for i in range(20):
    other = shoal.open(sys.argv[1], cache=sys.argv[2])
    union = ds.UnionDataset(None, [ds.dataset(sys.argv[1]), ds.dataset(sys.argv[1])])
    inspects = threading.Thread(target=lambda: (other.schema, union.schema))
    inspects.start()
    pid = os.fork()
    if pid == 0:
        signal.alarm(100)
        ok = dataset.count("x < 10") == 10 and other.to_table().num_rows == 100 and union.count_rows() == 200
        os._exit(0 if ok else 1)
    inspects.join()
    statuses.append(os.waitpid(pid, 0)[1])
ends.set()
for thread in threads:
    thread.join()
print(statuses == [0] * 20, statuses)
"""
    # Beside the table: what reads all files of a folder reads a cache in it, once that is written.
    done = run(code, numbers(tmp_path / "t", 10), tmp_path / "cache", timeout=150)
    assert done.stdout.startswith("True"), (done.stdout, done.stderr)


# ---- the interpreter's end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("filesystem", ["None", "pafs.PyFileSystem(Handler())"], ids=["local", "python"])
def test_the_interpreter_ends_with_streams_open(tmp_path: Path, filesystem: str) -> None:
    code = f"""
import builtins, shoal, shoal.dataset as ds, pyarrow.fs as pafs
from filesystems import Handler
path, fs = sys.argv[1], {filesystem}
scan = shoal.open(path, filesystem=fs).scan(batch_size=1, memory_budget=1)
batches = scan.to_batches(); next(batches)
generator = ds.dataset(path, filesystem=fs).to_batches(batch_size=1); next(generator)
reader = scan.to_reader(); reader.read_next_batch()
capsule = scan.__arrow_c_stream__()
cycle = scan.to_batches(); next(cycle); cycle.me = cycle
builtins.kept = scan.to_reader()
print('end')
"""
    done = run(code, numbers(tmp_path, 20))
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.parametrize("left", ["closed", "interrupted", "error"])
def test_the_interpreter_ends_while_reads_come_back_that_were_left_behind(tmp_path: Path, left: str) -> None:
    code = f"""
import os, signal, threading, pyarrow as pa, pyarrow.fs as pafs, shoal
from filesystems import Handler
hanging, free = threading.Event(), threading.Event()
def before(call, path):
    if call == "open" and path.endswith("03.parquet"):
        hanging.set()
        free.wait(20)
    if call == "open" and path.endswith("01.parquet") and {left!r} == "error":
        hanging.wait(20)
        raise PermissionError("no entry")
fs, schema = pafs.PyFileSystem(Handler(before=before)), pa.schema([("x", pa.int64())])
scan = shoal.open(sys.argv[1], filesystem=fs, schema=schema).scan(batch_size=5, memory_budget=10**6)
batches = scan.to_batches()
if {left!r} == "interrupted":
    kill = lambda: hanging.wait(20) and os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kill, daemon=True).start()
try:
    for _ in range(3):
        next(batches)
    if {left!r} != "closed":
        list(batches)
except (KeyboardInterrupt, PermissionError) as error:
    print(type(error).__name__)
hanging.wait(20)
batches.close()
del batches, scan
free.set()  # the read comes back into an interpreter that is about to end
"""
    done = run(code, numbers(tmp_path, 6, rows=20))
    said = {"closed": "", "interrupted": "KeyboardInterrupt\n", "error": "PermissionError\n"}
    assert (done.returncode, done.stdout, done.stderr) == (0, said[left], "")


def test_the_interpreter_ends_while_other_threads_read(tmp_path: Path) -> None:
    code = """
import threading, time, shoal
def work():
    while True:
        shoal.open(sys.argv[1]).to_table()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
print("end")
"""
    done = run(code, numbers(tmp_path, 20))
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("filesystem", [None, pafs.PyFileSystem(Handler())], ids=["local", "python"])
def test_streams_that_are_left_early_leave_nothing_behind(tmp_path: Path, filesystem: Any) -> None:
    source = str(numbers(tmp_path, 10, rows=100))

    def held() -> tuple[int, int, int]:
        gc.collect()
        return (
            len(os.listdir("/proc/self/fd")),
            len(os.listdir("/proc/self/task")),
            pa.total_allocated_bytes(),
        )

    def leave_early() -> None:
        scan = shoal.open(source, filesystem=filesystem).scan(batch_size=10, memory_budget=1)
        batches = scan.to_batches()
        next(batches)
        batches.close()
        for _ in scan.to_batches():
            break
        scan.to_reader().read_next_batch()
        scan.__arrow_c_stream__()
        for _ in ds.dataset(source, filesystem=filesystem).to_batches(batch_size=10):
            break

    for _ in range(5):  # threads that are kept for later are there then
        leave_early()
    before, rounds = held(), 10
    for _ in range(rounds):
        leave_early()
    # Closing does not wait for reads that are on their way: they end by themselves. Pools may grow a bit.
    end = time.monotonic() + 20
    while any(now - then >= rounds for now, then in zip(held(), before, strict=True)):
        assert time.monotonic() < end, (before, held())
        time.sleep(0.01)
