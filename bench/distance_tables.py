#!/usr/bin/env python3
"""Writes the tables of `macareu bench distance` into the documentation, with paper 1's numbers beside.

    bench/distance_tables.py [FILE.json ...]        (default: bench/results/distance-*.json)

The files are reports of `macareu bench distance --json` or of bench/distance_peers.py --json. The tables go between
<!-- distance --> and <!-- /distance --> in docs/results.md.
"""
import argparse
import glob
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BEGIN, END = "<!-- distance -->", "<!-- /distance -->"
STRATEGIES = ("auto", "sweep", "queue", "megapixel", "diagonal")

# Paper 1, tables II and III: ms of nscale IWPP (a queue of pixels) and IWPP MP (megapixels) on a GeForce 940MX, of Matlab
# on 8 cores of a Xeon Platinum 8375C; largest errors of the first two. What its random images are is not said.
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


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(map(str, each)) + " |" for each in rows])


def ms(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


class Report:
    def __init__(self, content):
        self.rows, self.peers = content.get("rows", []), content.get("peers", {})
        self.bench = content.get("bench", content)
        self.cases = {case["name"]: case for case in self.bench["cases"]}
        self.device = "cuda" if any(case["device"] == "cuda" for case in self.bench["cases"]) else "cpu"

    def time(self, name):
        case = self.cases.get(name)
        return ms(case["median_ms"]) if case and "median_ms" in case else "failed" if case else ""

    def strategies(self, neighbours):
        return [each for each in STRATEGIES
                if any(name.startswith(f"propagation-{neighbours}-") and name.endswith(f"-{each}-{self.device}")
                       for name in self.cases)]


def head(report):
    machine = report.bench["machine"]
    gpus = "".join(gpu["name"] + ", " for gpu in machine.get("gpus", ()))
    peers = ", ".join({"scipy": "SciPy", "opencv": "OpenCV", "numpy": "NumPy", "python": "Python"}[name] + " " + version
                      for name, version in report.peers.items())
    return (f"### {gpus}{machine['cores']} cores of {machine['processor']} ({machine['instruction_set']})\n\n"
            f"{report.bench['compiler']}; commit {report.bench['commit']}{'; ' + peers if peers else ''}.")


def peers_section(report):
    if not report.rows:
        return ""
    rows = [(each["what"], ms(each["ours_ms"]), ms(each["peer_ms"]), f"{each['factor']:.1f}", each["must"],
             "yes" if each["met"] else "**no**") for each in report.rows]
    equal = [each["equal"] for each in report.rows if each["equal"] is not None]
    return (table(("what", "ours, ms", "peer or reference, ms", "factor", "must", "met"), rows) +
            f"\n\nSquared distances equal SciPy's as integers: {'everywhere' if all(equal) else '**not everywhere**'}.")


def musts_section(report):
    rows = [(case["instance"], report.time(name), ms(case["must_ms"]), ms(case["goal_ms"]) if "goal_ms" in case else "",
             "yes" if case.get("median_ms", 1e9) <= case["must_ms"] else "**no**")
            for name, case in report.cases.items() if "must_ms" in case]
    return table(("exact, on the GPU", "ms", "must", "goal", "holds"), rows) if rows else ""


def paper_sections(report):
    columns = [(neighbours, strategy) for neighbours in (4, 8) for strategy in report.strategies(neighbours)]
    if not columns:
        return ""
    names = [f"ours, {n}" + ("" if s == "auto" else f", {s}") for n, s in columns]
    times, errors = [], []
    for what, instance, paper_ms, paper_errors in PAPER_1:
        found = [report.cases.get(f"propagation-{n}-{instance}-{s}-{report.device}") for n, s in columns]
        times.append((what, *map(ms, paper_ms), *(ms(case["median_ms"]) if case else "" for case in found),
                      report.time(f"exact-{instance}-{report.device}")))
        errors.append((what, *paper_errors, *(f"{case['largest_error']:.5f}" if case else "" for case in found)))
    return ("Paper 1, table II, in ms. The paper's columns: nscale IWPP and IWPP MP on a GeForce 940MX, Matlab (exact) on 8 cores of a Xeon Platinum 8375C, "
            "host clock around the call. Ours: `--method propagation` with 4 and 8 neighbours, and the exact transform.\n\n" +
            table(("instance", "nscale IWPP", "IWPP MP", "Matlab", *names, "ours, exact"), times) +
            "\n\nPaper 1, table III: the largest error against the exact transform.\n\n" +
            table(("instance", "nscale IWPP", "IWPP MP", *names), errors))


def cases_section(report):
    rows = [(name, " x ".join(map(str, case["shape"])), report.time(name), f"{case['ns_per_pixel']:.3f}")
            for name, case in report.cases.items() if not name.startswith("propagation") and "median_ms" in case]
    return ("Every case of the exact transform: `spacing` is 0.7, 1.3; `indices` is nearest_site; `max-16` stops at 16 pixels.\n\n" +
            table(("case", "shape", "ms", "ns a pixel"), rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="reports")
    files = parser.parse_args().files or sorted(glob.glob(os.path.join(ROOT, "bench", "results", "distance-*.json")))
    if not files:
        sys.exit("bench/results has no distance-*.json")
    sections = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            report = Report(json.load(file))
        sections += [head(report), peers_section(report), musts_section(report), paper_sections(report), cases_section(report)]
    path = os.path.join(ROOT, "docs", "results.md")
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if BEGIN not in page or END not in page:
        sys.exit(f"{path}: it has no {BEGIN} ... {END}")
    before, rest = page.split(BEGIN, 1)
    text = "\n\n".join(section for section in sections if section)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}")


if __name__ == "__main__":
    main()
