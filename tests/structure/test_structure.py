"""Dependencies between the folders of src/ point one way only (docs/architecture.md)."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The folders whose headers the files of a folder include, besides its own.
INCLUDES = {
    "base": set(),
    "runtime": set(),
    "expression": set(),
    "statistics": set(),
    "schema": set(),
    "formats": {"base"},
    "store": {"base", "runtime"},
    "storage": {"base", "runtime", "store"},
    "partition": {"base"},
    "prune": {"statistics", "schema"},
    "list": {"base", "runtime", "store"},
    "plan": {
        "base",
        "runtime",
        "expression",
        "statistics",
        "schema",
        "formats",
        "storage",
        "partition",
        "prune",
        "list",
    },
    "read": {"base", "runtime", "expression", "schema", "storage", "prune", "plan"},
    "testing": set(),
    "dataset": {"base", "formats", "list", "plan", "read", "schema", "statistics", "store"},
}


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


def folder_of(header: str) -> str | None:
    """The folder of src/ that a header is named by."""
    folder, slash, _ = header.partition("/")
    return folder if slash and folder in INCLUDES else None


def folders_included(folder: str) -> dict[str, str]:
    """The other folders that files of `folder` include, and for each of them one such line."""
    found = {}
    for path in sources(f"src/{folder}"):
        if path.name.endswith("_test.cc"):
            continue
        for header in included(path):
            other = folder_of(header)
            if other is not None and other != folder:
                found[other] = f"{path.relative_to(ROOT)} includes {header}"
    return found


def test_the_map_has_the_folders_of_src() -> None:
    assert {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} == INCLUDES.keys()


def test_the_map_points_one_way() -> None:
    TopologicalSorter(INCLUDES).prepare()  # or CycleError, which names the folders


@pytest.mark.parametrize("folder", INCLUDES)
def test_folders_include_what_the_map_says(folder: str) -> None:
    found = folders_included(folder)
    assert not [line for other, line in found.items() if other not in INCLUDES[folder]]
    unused = INCLUDES[folder] - found.keys()
    assert not unused, f"{folder} no longer includes {unused}: take them out of the map"


def test_public_headers_program_and_extension_use_only_the_public_api() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} includes {header}"
        for path in sources("include", "cli", "python/src", "examples")
        for header in included(path)
        if folder_of(header) is not None
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
