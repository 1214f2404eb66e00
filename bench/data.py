"""Makes the data the benchmark runs on, once.

`tiny`      many ten-row files in `date=/hour=` folders: listing, planning, footers
`lineitem`  TPC-H lineitem in 8 files with string_view columns: full scans, projections, filters
`by_month`  the same rows in `year=/month=` folders: partition pruning
`csv`, `json`  the same rows as text: records, of whose columns few are wanted
"""

from __future__ import annotations

import datetime
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def make_tiny(target: Path, days: int) -> None:
    table = pa.table(
        {"id": range(10), "value": [float(i) for i in range(10)], "name": [f"n{i}" for i in range(10)]}
    )
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    content = sink.getvalue().to_pybytes()
    first = datetime.date(2022, 1, 1)
    for day in range(days):
        for hour in range(24):
            folder = target / f"date={first + datetime.timedelta(days=day)}" / f"hour={hour:02d}"
            folder.mkdir(parents=True)
            for part in range(12):
                (folder / f"part-{part:04d}.parquet").write_bytes(content)


def make_lineitem(target: Path, scale: float) -> None:
    program = Path(sys.executable).parent / "tpchgen-cli"
    command = [program, "parquet", "-s", str(scale), "--tables", "lineitem", "--parts", "8"]
    subprocess.run([*command, "--row-group-bytes", "32MB", "--output-dir", target], check=True)


def make_by_month(target: Path, source: Path) -> None:
    for number, path in enumerate(sorted((source / "lineitem").glob("*.parquet"))):
        table = pq.ParquetFile(path).read()
        shipped = table["l_shipdate"]
        month = pc.add(pc.multiply(pc.year(shipped), 100), pc.month(shipped))
        plain = [
            pa.field(f.name, pa.string() if f.type == pa.string_view() else f.type) for f in table.schema
        ]
        table = table.cast(pa.schema(plain)).append_column("_month", month)
        for value in pc.unique(month).to_pylist():
            rows = table.take(pc.indices_nonzero(pc.equal(table["_month"], value))).drop_columns("_month")
            folder = target / f"year={value // 100}" / f"month={value % 100}"
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(rows, folder / f"part-{number}.parquet")


def make_text(target: Path, source: Path, to: str) -> None:
    """`to`: csv or jsonl. JSON lines get the ending that all engines look for."""
    program = Path(sys.executable).parent / "shoal"
    target.mkdir(parents=True)
    for path in sorted((source / "lineitem").glob("*.parquet")):
        output = target / f"{path.stem}.{to.removesuffix('l')}"
        subprocess.run([program, "scan", path, "--to", to, "--output", output], check=True)


def once(target: Path, make: Callable[[Path], None]) -> None:
    """Makes `target` under another name first: what exists is complete."""
    if target.exists():
        return
    print(f"making {target.name}", file=sys.stderr, flush=True)
    staged = target.with_name(target.name + ".part")
    shutil.rmtree(staged, ignore_errors=True)
    make(staged)
    staged.rename(target)


def make_all(root: Path, *, days: int, scale: float) -> None:
    root.mkdir(parents=True, exist_ok=True)
    once(root / "tiny", lambda target: make_tiny(target, days))
    once(root / "lineitem", lambda target: make_lineitem(target, scale))
    once(root / "by_month", lambda target: make_by_month(target, root / "lineitem"))
    once(root / "csv", lambda target: make_text(target, root / "lineitem", "csv"))
    once(root / "json", lambda target: make_text(target, root / "lineitem", "jsonl"))
