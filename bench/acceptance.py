#!/usr/bin/env python3
"""Writes the table of all acceptance thresholds into docs/benchmarks/index.md, from the tables of other pages.

acceptance.py --check only compares, and exits with 1 if the table is not current.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from page import PAGES, ROOT, replace_section, table  # noqa: E402

FOLDER = os.path.join(ROOT, "docs", "benchmarks")
MACHINE = re.compile(r"^(NVIDIA H200|\d+ cores of [^(;]+)")
COMMIT = re.compile(r"commit ([0-9a-f]{7})")


def tables(text):
    """(machine, commit, columns, rows) of every table with a column `must`."""
    machine, commit, columns, rows = "", "", None, []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if columns is None:
                columns = cells
            elif not set(line) <= set("|- "):
                rows.append(cells)
            continue
        if columns and "must" in columns:
            yield machine, commit, columns, rows
        columns, rows = None, []
        if found := MACHINE.match(line):
            machine, commit = found[1].strip(), (COMMIT.search(line) or ("", ""))[1]


def verdict(row):
    text = row.get("met") or row.get("holds") or row.get("reached") or ""
    return "no" if "no" in text.lower().replace("idle: no", "") else text.split(" (")[0].strip("* ")


def summary(page):
    """One row per machine and commit of a page: the thresholds, those that hold, and those that reach their goal."""
    with open(os.path.join(FOLDER, page + ".md"), encoding="utf-8") as file:
        text = file.read()
    counts = {}
    for machine, commit, columns, rows in tables(text):
        for cells in rows:
            row = dict(zip(columns, cells))
            if not row.get("must"):
                continue
            of_machine = counts.setdefault((machine, commit), [0, 0, []])
            of_machine[0] += 1
            if verdict(row) == "no":
                of_machine[2].append(next(iter(row.values())))
            else:
                of_machine[1] += 1
    for (machine, commit), (all_of_them, held, missed) in counts.items():
        yield f"[{page}]({page}.md)", machine, commit, all_of_them, held, "; ".join(missed)


def main():
    pages = list(dict.fromkeys(page for name, page in PAGES.items() if name != "acceptance"))
    rows = [row for page in pages for row in summary(page)]
    text = table(("page", "machine", "commit", "thresholds", "held", "missed"), rows)
    if "--check" in sys.argv[1:]:
        with open(os.path.join(FOLDER, "index.md"), encoding="utf-8") as file:
            if text not in file.read():
                sys.exit("docs/benchmarks/index.md is not current: run bench/acceptance.py")
    else:
        replace_section("acceptance", text)


if __name__ == "__main__":
    main()
