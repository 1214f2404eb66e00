"""URIs of object stores reach their stores."""

from __future__ import annotations

from cli_program import shoal


def test_s3_is_part_of_the_program() -> None:
    # Nobody listens on this port.
    uri = "s3://bucket/folder?endpoint_override=127.0.0.1:9&scheme=http&region=us-east-1&access_key=a&secret_key=b"
    ended = shoal("ls", uri)
    assert ended.status == 1
    assert "Unrecognized filesystem" not in ended.err
    assert "bucket" in ended.err
    assert len(ended.err.splitlines()) == 1
