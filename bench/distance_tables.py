#!/usr/bin/env python3
"""Writes the tables of `macareu bench distance` into the documentation, with paper 1's numbers beside.

    bench/distance_tables.py [FILE.json ...]        (default: bench/results/distance-*.json)

The files are reports of `macareu bench distance --json` or of bench/distance_peers.py --json. Files of one machine are
merged, so that slow cases can be measured separately. A case may be in one of them only. The tables go between
<!-- distance --> and <!-- /distance --> in docs/benchmarks.
"""
import argparse
import sys

from page import machine_line, ms, must_table, named_results_of, replace_section, table

STRATEGIES = ("auto", "sweep", "queue", "megapixel", "diagonal")

# Paper 1, tables II and III: ms of nscale IWPP (a queue of pixels) and IWPP MP (megapixels) on a GeForce 940MX, of Matlab
# on 8 cores of a Xeon Platinum 8375C; largest errors of the first two. The paper does not specify its random images.
PAPER_1 = (
    ("16 circles", "circles16-4k", (2150, 1493, 174), (0.58579, 0.58579)),
    ("big circle", "big-circle-4k", (3841, 1560, 160), (0.58579, 0.58579)),
    ("central circle", "central-circle-4k", (5397, 1666, 172), (0.58579, 0.58579)),
    ("squares on corners", "corner-squares-4k", (3700, 567, 173), (0.0006, 0.0006)),
    ("diagonal", "diagonal-4k", (1268, 2745, 186), (0.58579, 0.58579)),
    ("X", "cross-4k", (1291, 2690, 202), (0.58579, 0.58579)),
    ("R1-4k; ours: 1 % sites", "sites-1-4k", (552, 669, 225), (0.58579, 0.34320)),
    ("R2-4k; ours: 10 % sites", "sites-10-4k", (289, 602, 231), (0.58579, 0.58579)),
    ("R3-8k; ours: 1 % sites", "sites-1-8k", (2333, 2678, 901), (0.58579, 0.58579)),
    ("R4-8k; ours: 10 % sites", "sites-10-8k", (1204, 2405, 950), (0.58579, 0.58579)),
    ("big circle 8k", "big-circle-8k", (25965, 7778, 850), (0.58579, 0.58579)),
    ("16 circles 8k", "circles16-8k", (15527, 6116, 813), (0.58579, 0.58579)),
)


class Report:
    """The report of one machine and device, from one or more files."""

    def __init__(self, named):
        files = {name: content.get("bench", content) for name, content in named}
        self.rows = [row for _, content in named for row in content.get("rows", [])]
        self.peers = {peer: version for _, content in named for peer, version in content.get("peers", {}).items()}
        self.bench = next(iter(files.values())) | {"commit": commits_of(files)}
        self.cases, where = {}, {}
        for name, bench in files.items():
            for case in bench["cases"]:
                if case["name"] in where:
                    sys.exit(f"{case['name']} is both in {where[case['name']]} and in {name}: drop one")
                where[case["name"]], self.cases[case["name"]] = name, case
        self.device = device_of(self.bench)

    def time(self, name):
        case = self.cases.get(name)
        return ms(case["median_ms"]) if case and "median_ms" in case else "failed" if case else ""


def device_of(bench):
    return "cuda" if any(case["device"] == "cuda" for case in bench["cases"]) else "cpu"


def commits_of(files):
    """One commit for all files, or one per file."""
    commits = {name: bench.get("commit", "unknown") for name, bench in files.items()}
    different = set(commits.values())
    return different.pop() if len(different) == 1 else ", ".join(f"{commit} in {name}" for name, commit in commits.items())


def reports_of(named):
    """Merges files of the same machine and device, in the order of first occurrence."""
    groups = []
    for name, content in named:
        bench = content.get("bench", content)
        key = (device_of(bench), bench["machine"])
        group = next((files for other, files in groups if other == key), None)
        if group is None:
            groups.append((key, group := []))
        group.append((name, content))
    return [Report(files) for _, files in groups]


def peers_section(report):
    return must_table(report.rows) if report.rows else ""


def bytes_of(case):
    """Bytes per pixel beyond input and output."""
    return f"{case['extra_bytes_per_pixel']:.3f}" if "extra_bytes_per_pixel" in case else ""


def memory_section(report):
    limit = "extra_bytes_per_pixel"
    rows = [(case["instance"], " x ".join(map(str, case["shape"])), bytes_of(case), case["must_" + limit], case["goal_" + limit],
             "yes" if case.get(limit, 1e9) <= case["must_" + limit] else "**no**")
            for case in report.cases.values() if "must_" + limit in case]
    return table(("exact, on the GPU", "shape", "bytes a pixel beyond input and output", "must", "goal", "holds"), rows) if rows else ""


def musts_section(report):
    rows = [(case["instance"], report.time(name), ms(case["must_ms"]), ms(case["goal_ms"]) if "goal_ms" in case else "",
             "yes" if case.get("median_ms", 1e9) <= case["must_ms"] else "**no**")
            for name, case in report.cases.items() if "must_ms" in case]
    return table(("exact, on the GPU", "ms", "must", "goal", "holds"), rows) if rows else ""


def paper_sections(report):
    cases = report.cases
    if not any(name.startswith("propagation") for name in cases):
        return ""
    columns = [(n, s) for n in (4, 8) for s in STRATEGIES
               if any(name.startswith(f"propagation-{n}-") and name.endswith(f"-{s}-{report.device}") for name in cases)]
    names = [f"ours, {n}" + ("" if s == "auto" else f", {s}") for n, s in columns]
    times, errors = [], []
    for what, instance, paper_ms, paper_errors in PAPER_1:
        found = [cases.get(f"propagation-{n}-{instance}-{s}-{report.device}") for n, s in columns]
        if not any(found):
            continue
        exact = cases.get(f"exact-{instance}-{report.device}")
        times.append((what, *map(ms, paper_ms), *(ms(case.get("median_ms")) if case else "" for case in found),
                      ms(exact.get("median_ms")) if exact else ""))
        errors.append((what, *paper_errors, *(f"{case['largest_error']:.5f}" if case and "largest_error" in case else "" for case in found)))
    return ("Paper 1, table II, in ms. The paper's columns: nscale IWPP and IWPP MP on a GeForce 940MX, Matlab (exact) on 8 cores of a Xeon Platinum 8375C, "
            "host clock around the call. Ours: `--method propagation` with 4 and 8 neighbours, and the exact transform.\n\n" +
            table(("instance", "nscale IWPP", "IWPP MP", "Matlab", *names, "ours, exact"), times) +
            "\n\nPaper 1, table III: the largest error against the exact transform.\n\n" +
            table(("instance", "nscale IWPP", "IWPP MP", *names), errors))


def cases_section(report):
    cases = {name: case for name, case in report.cases.items() if not name.startswith("propagation") and "median_ms" in case}
    if not cases:
        return ""
    columns = ["case", "shape", "ms", "ns a pixel"]
    rows = [[name, " x ".join(map(str, case["shape"])), report.time(name), f"{case['ns_per_pixel']:.3f}"] for name, case in cases.items()]
    if any(map(bytes_of, cases.values())):
        columns.append("bytes a pixel beyond input and output")
        rows = [each + [bytes_of(case)] for each, case in zip(rows, cases.values())]
    return ("Every case of the exact transform: `spacing` is 0.7, 1.3; `indices` is nearest_site, `labels` nearest_label; `max-16` stops at 16 pixels.\n\n" +
            table(columns, rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="reports")
    named = named_results_of("distance", parser.parse_args().files)
    if not named:
        sys.exit("bench/results has no distance-*.json")
    sections = []
    for report in reports_of(named):
        sections += [machine_line(report.bench, report.peers), peers_section(report), musts_section(report), memory_section(report),
                     paper_sections(report), cases_section(report)]
    replace_section("distance", "\n\n".join(section for section in sections if section))


if __name__ == "__main__":
    main()
