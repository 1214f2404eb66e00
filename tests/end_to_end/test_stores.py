"""URIs of object stores reach their stores."""

from __future__ import annotations

import pytest
from cli_program import shoal


@pytest.mark.parametrize("verb", ["ls", "schema", "count", "head", "explain"])
def test_a_store_that_nobody_serves_is_one_clear_error(verb: str) -> None:
    # Nobody listens on this port.
    uri = "s3://bucket/folder?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1&access_key=a&secret_key=b"
    ended = shoal(verb, uri)
    assert ended.status == 1
    assert "Unrecognized filesystem" not in ended.err
    assert "bucket" in ended.err
    assert len(ended.err.splitlines()) == 1
