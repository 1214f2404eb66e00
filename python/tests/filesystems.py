"""A filesystem that is made in Python."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs


class Handler(pafs.FileSystemHandler):
    """Passes calls on to another filesystem, counts them by name, and lets `before(call, path)` have its way
    with each: it may raise, or wait."""

    def __init__(
        self,
        inner: pafs.FileSystem | None = None,
        before: Callable[[str, str], None] = lambda call, path: None,
        name: str = "test",
    ) -> None:
        self.inner = inner or pafs.LocalFileSystem()
        self.before = before
        self.name = name
        self.calls: Counter[str] = Counter()
        self.threads: set[int] = set()
        self._lock = threading.Lock()

    def _note(self, call: str, path: str) -> None:
        with self._lock:
            self.calls[call] += 1
            self.threads.add(threading.get_ident())
        self.before(call, path)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = object.__hash__

    def get_type_name(self) -> str:
        return self.name

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        for path in paths:
            self._note("get_file_info", path)
        return self.inner.get_file_info(paths)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        self._note("list", selector.base_dir)
        return self.inner.get_file_info(selector)

    def open_input_stream(self, path: str) -> Any:
        self._note("open", path)
        return self.inner.open_input_stream(path)

    def open_input_file(self, path: str) -> Any:
        self._note("open", path)
        return _File(self.inner.open_input_file(path), lambda: self._note("read", path))

    def _refuse(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("This filesystem is for reading")

    create_dir = delete_dir = delete_dir_contents = delete_root_dir_contents = delete_file = move = _refuse
    copy_file = open_output_stream = open_append_stream = _refuse


def _File(file: pa.NativeFile, before_read: Callable[[], None]) -> pa.PythonFile:
    class Reader:
        closed = False

        def read(self, n: int = -1) -> bytes:
            before_read()
            return file.read(None if n < 0 else n)

        def seek(self, position: int, whence: int = 0) -> int:
            return file.seek(position, whence)

        def tell(self) -> int:
            return file.tell()

        def close(self) -> None:
            self.closed = True
            file.close()

        def readable(self) -> bool:
            return True

        def seekable(self) -> bool:
            return True

        def writable(self) -> bool:
            return False

    return pa.PythonFile(Reader(), mode="r")
