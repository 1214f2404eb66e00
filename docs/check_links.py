"""Checks that every relative link in the Markdown files leads to a file; prints those that don't."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def broken_links(page: Path) -> list[str]:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    return [t for t in targets if "://" not in t and not (page.parent / t).exists()]


def main() -> int:
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    pages = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    broken = [f"{page}: {link}" for page in pages for link in broken_links(ROOT / page)]
    print("\n".join(broken) if broken else f"{len(pages)} pages, every link leads somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
