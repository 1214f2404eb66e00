"""The project's workloads beside those of other engines.

    ./dev bench [--engines a,b] [--workloads x,y] [-n 3]

Every cell is the best of n fresh processes: wall seconds without imports, CPU seconds, peak memory. Engines
take turns inside each repetition, so that noise of the machine hits all alike: only ratios inside one run
mean something.
Exits with 1 if an engine fails or two answers differ.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from data import make_all
from engines import ENGINES, WORKLOADS

HERE = Path(__file__).resolve().parent


def measure(engine: str, workload: str, root: Path, timeout: float) -> dict[str, object]:
    command = [sys.executable, str(HERE / "engines.py"), engine, workload, str(root)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {timeout:.0f} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"exit status {done.returncode}"}
    return json.loads(done.stdout.strip().splitlines()[-1])


def show(cell: dict[str, object]) -> str:
    if "error" in cell:
        return f"{'failed':>30}"
    return f"{cell['wall']:10.3f} s {cell['cpu']:7.2f} cpu {cell['peak_mb']:5} MB"


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE.parent / "data" / "bench")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument(
        "--days", type=int, default=60, help="days in `tiny`, 288 files each (365 for 105,120 files)"
    )
    parser.add_argument("--scale", type=float, default=0.5, help="TPC-H scale of `lineitem`")
    parser.add_argument("--timeout", type=float, default=240, help="seconds for one process")
    parser.add_argument("-n", type=int, default=3, help="processes a cell")
    arguments = parser.parse_args()
    engines = arguments.engines.split(",")
    root = arguments.data / f"days{arguments.days}-scale{arguments.scale:g}"
    make_all(root, days=arguments.days, scale=arguments.scale)

    problems = []
    print(f"{'':12}" + "".join(f"{engine:>34}" for engine in engines))
    for workload in arguments.workloads.split(","):
        best: dict[str, dict[str, object]] = {}
        for _ in range(arguments.n):
            for engine in engines:
                cell = measure(engine, workload, root, arguments.timeout)
                if (
                    engine not in best
                    or "error" in best[engine]
                    or ("wall" in cell and cell["wall"] < best[engine]["wall"])
                ):
                    best[engine] = cell
        print(f"{workload:12}" + "".join(f"{show(best[engine]):>34}" for engine in engines), flush=True)
        answers = {engine: cell["answer"] for engine, cell in best.items() if cell.get("answer") is not None}
        if len(set(answers.values())) > 1:
            problems.append(f"{workload}: answers differ: {answers}")
        problems += [
            f"{workload}: {engine}: {cell['error']}" for engine, cell in best.items() if "error" in cell
        ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
