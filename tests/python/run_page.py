"""Runs a page of the documentation, which must draw its picture; skipped (77) without matplotlib.

usage: run_page.py PAGE FOLDER
"""

import pathlib
import runpy
import sys

try:
    import matplotlib  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

page, folder = sys.argv[1:]
picture = pathlib.Path(folder) / "tissue-objects.png"
picture.unlink(missing_ok=True)
sys.argv = [page, folder]
runpy.run_path(page, run_name="__main__")
assert picture.stat().st_size > 10_000, "no picture"
