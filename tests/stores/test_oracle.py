"""The same oracle as on local disks (tests/unit/dataset_oracle_test.cc), with the datasets on a store.

SHOAL_STORE_ORACLE_ROUNDS: rounds on each store (default: 10).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from store import Store

TESTS = Path(__file__).parents[2] / "build" / "release" / "bin" / "shoal_unit_tests"


def test_an_answer_never_depends_on_how_it_was_found(store: Store) -> None:
    environment = {
        "SHOAL_ORACLE_ROUNDS": os.environ.get("SHOAL_STORE_ORACLE_ROUNDS", "10"),
        "SHOAL_ORACLE_STORE": store.uri("oracle"),
        "SHOAL_ORACLE_STORE_OPTIONS": ";".join("=".join(item) for item in store.options().items()),
    }
    ended = subprocess.run(
        [TESTS, "--gtest_filter=DatasetOracle.*"],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=3600,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-5000:]
    assert "[  PASSED  ] 1 test." in ended.stdout
    assert store.counts().get > 0
