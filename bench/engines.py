"""How each engine does each workload, as its users would write it.

A workload returns a figure that must be the same on every engine: a speed without the right answer does not
count.
Run as a program, does one workload and prints one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

WORKLOADS = (
    "discover",
    "plan_eq",
    "plan_range",
    "count_tiny",
    "count",
    "first_batch",
    "limit",
    "full",
    "project",
    "by_month",
    "csv",
    "json",
    "json_all",
    "json_count",
)

TWO = ["l_orderkey", "l_extendedprice"]
THREE = ["l_orderkey", "l_extendedprice", "l_shipdate"]


def arrow_like(name: str, ds: Any, root: Path) -> int:
    """shoal.dataset and pyarrow.dataset, which share their names."""
    field = ds.field
    date, hour = field("date"), field("hour")

    def tiny():
        return ds.dataset(str(root / "tiny"), format="parquet", partitioning="hive")

    def items():
        return ds.dataset(str(root / "lineitem" / "lineitem"), format="parquet")

    def months():
        return ds.dataset(str(root / "by_month"), format="parquet", partitioning="hive")

    def text(format):
        return ds.dataset(str(root / format), format=format)

    def rows(batches):
        return sum(batch.num_rows for batch in batches)

    return {
        "discover": lambda: len(tiny().files),
        "plan_eq": lambda: tiny().count_rows(filter=(date == "2022-01-05") & (hour == 12)),
        "plan_range": lambda: tiny().count_rows(filter=(date >= "2022-01-05") & (date < "2022-01-07")),
        "count_tiny": lambda: tiny().count_rows(),
        "count": lambda: items().count_rows(),
        "first_batch": lambda: int(next(iter(items().to_batches())).num_rows > 0),
        "limit": lambda: items().head(10).num_rows,
        "full": lambda: rows(items().to_batches()),
        "project": lambda: rows(items().to_batches(columns=THREE)),
        "by_month": lambda: (
            months()
            .to_table(columns=["l_extendedprice"], filter=(field("year") == 1995) & (field("month") >= 6))
            .num_rows
        ),
        "csv": lambda: rows(text("csv").to_batches(columns=TWO)),
        "json": lambda: rows(text("json").to_batches(columns=TWO)),
        "json_all": lambda: rows(text("json").to_batches()),
        "json_count": lambda: text("json").count_rows(),
    }[name]()


def run_duckdb(name: str, duckdb: Any, root: Path) -> int:
    connection = duckdb.connect()
    types = "{'date': VARCHAR, 'hour': INT}"
    tiny = f"read_parquet('{root}/tiny/**/*.parquet', hive_partitioning=true, hive_types={types})"
    items = f"read_parquet('{root}/lineitem/lineitem/*.parquet')"
    months = f"read_parquet('{root}/by_month/**/*.parquet', hive_partitioning=true)"
    csv, json_lines = f"read_csv('{root}/csv/*.csv')", f"read_json('{root}/json/*.json')"

    def one(sql):
        return connection.execute(sql).fetchone()[0]

    def batches(sql):
        return connection.execute(sql).to_arrow_reader(65536)

    def rows(sql):
        return sum(batch.num_rows for batch in batches(sql))

    return {
        "discover": lambda: one(f"select count(*) from glob('{root}/tiny/**/*.parquet')"),
        "plan_eq": lambda: one(f"select count(*) from {tiny} where date = '2022-01-05' and hour = 12"),
        "plan_range": lambda: one(
            f"select count(*) from {tiny} where date >= '2022-01-05' and date < '2022-01-07'"
        ),
        "count_tiny": lambda: one(f"select count(*) from {tiny}"),
        "count": lambda: one(f"select count(*) from {items}"),
        "first_batch": lambda: int(next(iter(batches(f"select * from {items}"))).num_rows > 0),
        "limit": lambda: rows(f"select * from {items} limit 10"),
        "full": lambda: rows(f"select * from {items}"),
        "project": lambda: rows(f"select {', '.join(THREE)} from {items}"),
        "by_month": lambda: rows(f"select l_extendedprice from {months} where year = 1995 and month >= 6"),
        "csv": lambda: rows(f"select {', '.join(TWO)} from {csv}"),
        "json": lambda: rows(f"select {', '.join(TWO)} from {json_lines}"),
        "json_all": lambda: rows(f"select * from {json_lines}"),
        "json_count": lambda: one(f"select count(*) from {json_lines}"),
    }[name]()


def run_polars(name: str, pl: Any, root: Path) -> int:
    col = pl.col

    def tiny():
        return pl.scan_parquet(f"{root}/tiny/", hive_partitioning=True, try_parse_hive_dates=False)

    def items():
        return pl.scan_parquet(f"{root}/lineitem/lineitem/*.parquet")

    def months():
        return pl.scan_parquet(f"{root}/by_month/", hive_partitioning=True)

    def json_lines():
        return pl.scan_ndjson(f"{root}/json/*.json")

    def rows(frame):
        return frame.collect(engine="streaming").height

    def count(frame):
        return frame.select(pl.len()).collect(engine="streaming").item()

    return {
        "discover": lambda: len(tiny().collect_schema()) and None,
        "plan_eq": lambda: count(tiny().filter((col("date") == "2022-01-05") & (col("hour") == 12))),
        "plan_range": lambda: count(
            tiny().filter((col("date") >= "2022-01-05") & (col("date") < "2022-01-07"))
        ),
        "count_tiny": lambda: count(tiny()),
        "count": lambda: count(items()),
        "first_batch": lambda: int(next(iter(items().collect_batches())).height > 0),
        "limit": lambda: rows(items().head(10)),
        "full": lambda: rows(items()),
        "project": lambda: rows(items().select(THREE)),
        "by_month": lambda: rows(
            months().filter((col("year") == 1995) & (col("month") >= 6)).select("l_extendedprice")
        ),
        "csv": lambda: rows(pl.scan_csv(f"{root}/csv/*.csv").select(TWO)),
        "json": lambda: rows(json_lines().select(TWO)),
        "json_all": lambda: rows(json_lines()),
        "json_count": lambda: count(json_lines()),
    }[name]()


def run_datafusion(name: str, datafusion: Any, root: Path) -> int:
    context = datafusion.SessionContext()

    def table(path: str, keys: str = "", format: str = "parquet") -> None:
        partitioned = f"partitioned by ({keys})" if keys else ""
        context.sql(f"create external table t stored as {format} {partitioned} location '{root}/{path}/'")

    def rows(sql):
        return sum(batch.to_pyarrow().num_rows for batch in context.sql(sql).execute_stream())

    def one(sql):
        return context.sql(sql).collect()[0].column(0)[0].as_py()

    if name in ("discover", "plan_eq", "plan_range", "count_tiny"):
        table("tiny", "date, hour")
    elif name == "by_month":
        table("by_month", "year, month")
    elif name == "csv":
        table("csv", format="csv")
    elif name.startswith("json"):
        table("json", format="json")
    else:
        table("lineitem/lineitem")
    return {
        "discover": lambda: None,
        "plan_eq": lambda: one("select count(*) from t where date = '2022-01-05' and hour = '12'"),
        "plan_range": lambda: one(
            "select count(*) from t where date >= '2022-01-05' and date < '2022-01-07'"
        ),
        "count_tiny": lambda: one("select count(*) from t"),
        "count": lambda: one("select count(*) from t"),
        "first_batch": lambda: int(
            next(iter(context.sql("select * from t").execute_stream())).to_pyarrow().num_rows > 0
        ),
        "limit": lambda: rows("select * from t limit 10"),
        "full": lambda: rows("select * from t"),
        "project": lambda: rows(f"select {', '.join(THREE)} from t"),
        "by_month": lambda: rows(
            "select l_extendedprice from t where year = '1995' and cast(month as int) >= 6"
        ),
        "csv": lambda: rows(f"select {', '.join(TWO)} from t"),
        "json": lambda: rows(f"select {', '.join(TWO)} from t"),
        "json_all": lambda: rows("select * from t"),
        "json_count": lambda: one("select count(*) from t"),
    }[name]()


ENGINES = {
    "shoal": ("shoal.dataset", arrow_like),
    "pyarrow": ("pyarrow.dataset", arrow_like),
    "duckdb": ("duckdb", run_duckdb),
    "polars": ("polars", run_polars),
    "datafusion": ("datafusion", run_datafusion),
}


def main() -> None:
    engine, workload, root = sys.argv[1:4]
    module_name, run = ENGINES[engine]
    module = importlib.import_module(module_name)
    wall, cpu = time.perf_counter(), time.process_time()
    answer = run(workload, module, Path(root))
    print(
        json.dumps(
            {
                "answer": answer,
                "wall": time.perf_counter() - wall,
                "cpu": time.process_time() - cpu,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
