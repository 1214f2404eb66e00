"""Which filesystem a caller means, and how a source is spelled on it."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.fs as pafs

from shoal import _core


def as_filesystem(filesystem: object) -> pafs.FileSystem:
    """A pyarrow filesystem from one of pyarrow's, one of fsspec's, or a URI (whose path becomes the root)."""
    if isinstance(filesystem, pafs.FileSystem):
        return filesystem
    if isinstance(filesystem, str):
        return _from_uri(filesystem)
    # Who has an fsspec filesystem has imported fsspec; nobody else needs it.
    fsspec: Any = sys.modules.get("fsspec")
    if fsspec is not None and isinstance(filesystem, fsspec.AbstractFileSystem):
        protocol = filesystem.protocol
        if "file" in ((protocol,) if isinstance(protocol, str) else protocol):
            return pafs.LocalFileSystem()
        return pafs.PyFileSystem(pafs.FSSpecHandler(filesystem))
    raise TypeError(
        f"Unrecognized filesystem: {type(filesystem)}. `filesystem` must be a pyarrow or fsspec filesystem, "
        "or a filesystem URI"
    )


def _from_uri(uri: str) -> pafs.FileSystem:
    if "://" not in uri:
        raise ValueError(
            f"filesystem is {uri!r}, but must be a filesystem or the URI of one (file:///data, s3://...)"
        )
    filesystem, path = pafs.FileSystem.from_uri(uri)
    root = filesystem.normalize_path(path)
    if not root:
        return filesystem
    kind = pafs.FileType(_core.file_type(filesystem, root))
    if kind != pafs.FileType.Directory:
        raise ValueError(
            "The path component of the filesystem URI must point to a directory but it has a type: "
            f"`{kind.name}`. The path component is `{root}` and the given filesystem URI is `{uri}`"
        )
    return pafs.SubTreeFileSystem(root, filesystem)


def as_storage_options(options: Mapping[str, Any] | None) -> dict[str, str]:
    """Options as texts. What fsspec's S3 keeps in ``client_kwargs`` stands beside the others."""
    out: dict[str, str] = {}
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"storage_options must be a dict, not {type(options).__name__}")
    for name, value in (options or {}).items():
        if value is None:
            continue
        if isinstance(value, Mapping) and name == "client_kwargs":
            out |= as_storage_options(value)
        elif isinstance(value, bool):
            out[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            out[name] = str(value)
        else:
            raise TypeError(
                f"The storage option {name!r} must be a text or a number, not {type(value).__name__}"
            )
    return out


def on_local_disk(filesystem: pafs.FileSystem) -> bool:
    """Whether paths on it are paths on the local disk, or below a folder there."""
    while isinstance(filesystem, pafs.SubTreeFileSystem):
        filesystem = filesystem.base_fs
    return isinstance(filesystem, pafs.LocalFileSystem)


def is_path(source: object) -> bool:
    return isinstance(source, str | os.PathLike)


def as_path(source: object, filesystem: pafs.FileSystem | None) -> str:
    """The text of a path or URI. A path object means the local disk."""
    if isinstance(source, str):
        if "\0" in source:  # the system would take what stands before it
            raise ValueError(f"The source {source!r} has a null character")
        return os.path.expanduser(source) if filesystem is None else source
    if isinstance(source, os.PathLike):
        if filesystem is not None and not on_local_disk(filesystem):
            raise TypeError(
                "Expected string path; path-like objects are only allowed with a local filesystem"
            )
        return os.path.expanduser(os.fsdecode(source))
    raise TypeError(f"A source must be a path or a URI, not {type(source).__name__}")


def as_paths(sources: object, filesystem: pafs.FileSystem | None) -> list[str]:
    if is_path(sources):
        return [as_path(sources, filesystem)]
    if isinstance(sources, Sequence) and not isinstance(sources, bytes):
        return [as_path(source, filesystem) for source in sources]
    raise TypeError(f"Expected a path, a URI or a list of them, not {type(sources).__name__}")
