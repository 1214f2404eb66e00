#!/bin/sh
# The main job on real input: list, explain, count, look at, filter and write two folders of Parquet files.
# Each command is printed before it runs. `./dev demo` makes the data first.

set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH

# show COMMAND...: prints the command as one would type it, then runs it.
show() {
  printf '\n$'
  for word in "$@"; do
    case $word in
      *[!A-Za-z0-9_/.,=-]*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$@"
}

late="month in (6, 7) and dep_delay > 60 and carrier in ('UA', 'AA')"

show shoal ls data/flights --where "month in (6, 7)"
show shoal schema data/flights
show shoal explain data/flights --where "$late"
show shoal count data/flights
show shoal count data/flights --where "month = 6"
show shoal count data/flights --where "$late"
show shoal head data/flights --limit 5
show shoal scan data/flights --where "$late and dep_delay > 400" \
  --columns carrier,flight,dep_delay --to csv --output -
show shoal scan data/flights --where "$late" --output data/late.parquet --force --stats
show shoal count data/late.parquet

show shoal explain data/lineitem --where "l_shipdate < date '1992-02-01'"
show shoal count data/lineitem
show shoal head data/lineitem --limit 5 --columns l_orderkey,l_shipdate,l_quantity
