"""Runs the command line program as a shell would."""

import os
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM = Path(os.environ.get("SHOAL_CLI") or Path(sysconfig.get_path("scripts")) / "shoal")


@dataclass
class Ended:
    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


def shoal(*words: object, cwd: Path | None = None, **kwargs: object) -> Ended:
    """What became of `shoal WORDS...`."""
    ended = subprocess.run(
        [PROGRAM, *map(str, words)],
        capture_output=True,
        cwd=cwd,
        timeout=300,  # for what hangs; a slow machine may take its time
        stdin=subprocess.DEVNULL,
        **kwargs,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr.decode())


def output_of(*words: object, **kwargs: object) -> str:
    """The standard output of a run that succeeds."""
    ended = shoal(*words, **kwargs)
    assert ended.status == 0, ended.err
    return ended.text


def failure_of(*words: object, status: int = 1, **kwargs: object) -> str:
    """The one line on standard error of a run that fails; nothing is on standard output."""
    ended = shoal(*words, **kwargs)
    assert ended.status == status, (ended.status, ended.err)
    assert ended.out == b""
    assert ended.err.startswith("shoal: ")
    assert ended.err.endswith("\n")
    assert ended.err.count("\n") == 1, ended.err
    return ended.err


def write(path: Path, columns: dict[str, object] | pa.Table, **options: object) -> Path:
    """One Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def flights(root: Path) -> Path:
    """Three months of four rows: month is a key, x is month * 10 + 0 ... 3, carrier is UA or AA."""
    for month in (1, 2, 3):
        rows = {"x": [month * 10 + i for i in range(4)], "carrier": ["UA", "AA"] * 2}
        write(root / f"month={month}" / "part-0.parquet", rows)
    return root
