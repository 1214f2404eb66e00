"""Dependencies between the folders of src/ point one way only (docs/architecture.md)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A folder may include what stands here, and what that may include in turn.
MAY_INCLUDE = {
    "base": [],
    "runtime": ["base"],
    "storage": ["runtime"],
    "expression": ["base"],
    "statistics": ["base"],
    "schema": ["base"],
    "partition": ["expression", "statistics", "schema"],
    "prune": ["expression", "statistics", "schema"],
    "manifest": ["expression", "statistics", "schema"],
    "formats": ["schema", "statistics", "prune"],
    "list": ["storage", "partition", "prune", "manifest"],
    "plan": ["list", "formats"],
    "read": ["plan", "formats", "storage", "runtime"],
    "write": ["formats", "partition", "storage", "runtime", "manifest"],
    "dataset": ["list", "plan", "read", "write"],
    "engines": ["dataset"],
}


def reach(folder: str) -> set[str]:
    """The folders that files of `folder` may include."""
    return {folder}.union(*(reach(below) for below in MAY_INCLUDE[folder]))


def sources(*folders: str) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".cc", ".h", ".pyx", ".pxd", ".pxi"}
    ]


def included(path: Path) -> list[str]:
    """The headers that a C++ or Cython file names."""
    pattern = r'^\s*#\s*include\s*[<"]([^>"]+)[>"]|^\s*cdef extern from\s*["\']<?([^>"\']+)>?["\']'
    return [a or b for a, b in re.findall(pattern, path.read_text(), re.MULTILINE)]


def test_every_folder_of_src_has_its_rule() -> None:
    assert {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} <= MAY_INCLUDE.keys()


def test_includes_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} includes {header}"
        for folder in MAY_INCLUDE
        for path in sources(f"src/{folder}")
        if not path.name.endswith("_test.cc")
        for header in included(path)
        if "/" in header and header.split("/")[0] in MAY_INCLUDE.keys() - reach(folder)
    ]
    assert not wrong


def test_public_headers_program_and_extension_use_only_the_public_api() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} includes {header}"
        for path in sources("include", "cli", "python/src", "examples")
        for header in included(path)
        if header.split("/")[0] in MAY_INCLUDE and "/" in header
    ]
    assert not wrong


def test_nothing_includes_arrow_dataset() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} includes {header}"
        for path in sources("include", "src", "cli", "python/src", "examples")
        for header in included(path)
        if header.startswith("arrow/dataset")
    ]
    assert not wrong


def test_no_build_file_links_arrow_dataset() -> None:
    build_files = [ROOT / "CMakeLists.txt", *(ROOT / "cmake").iterdir()]
    assert not [path.name for path in build_files if re.search(r"arrow_?dataset", path.read_text(), re.I)]
