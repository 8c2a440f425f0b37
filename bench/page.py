"""Tables of docs/benchmarks, and their places in the pages."""
import glob
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The page of docs/benchmarks with the tables of each section.
PAGES = {"reconstruct": "reconstruction", "wave": "waves", "bound": "waves", "distance": "distances", "label": "labels",
         "patterns": "patterns", "canny": "canny", "itk": "itk", "python": "python", "cpu": "cpu",
         "acceptance": "index"}
NAMES = {"scipy": "SciPy", "cv2": "OpenCV", "numpy": "NumPy", "skimage": "scikit-image", "cupy": "CuPy", "python": "Python"}


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(map(str, each)) + " |" for each in rows])


def ms(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def must_table(rows):
    def factor(value):
        return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.2f}"

    def equal(value):
        return {None: "", True: "yes", False: "**NO**"}[value]

    return table(("what", "ours, ms", "peer or reference, ms", "factor", "must", "met", "same result"),
                 [(each["what"], ms(each["ours_ms"]), ms(each["peer_ms"]), factor(each["factor"]), each["must"],
                   "yes" if each["met"] else "**no**", equal(each["equal"])) for each in rows])


def machine_line(report, peers):
    machine = report["machine"]
    gpus = "".join(gpu["name"] + ", " for gpu in machine.get("gpus", ()))
    parts = [f"{gpus}{machine['cores']} cores of {machine['processor']} ({machine['instruction_set']})", report.get("compiler"),
             f"commit {report['commit']}" if "commit" in report else None,
             *(f"{NAMES.get(name, name)} {version}" for name, version in peers.items())]
    return "; ".join(part for part in parts if part) + "."


def named_results_of(suite, files=()):
    """(name, contents) of the given files, or of all files of a suite in bench/results."""
    paths = files or sorted(glob.glob(os.path.join(ROOT, "bench", "results", suite + "-*.json")))
    named = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            named.append((os.path.basename(path), json.load(file)))
    return named


def results_of(suite, files=()):
    return [content for _, content in named_results_of(suite, files)]


def replace_section(name, text):
    """Replaces the text between <!-- name --> and <!-- /name -->."""
    path = os.path.join(ROOT, "docs", "benchmarks", PAGES[name] + ".md")
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if begin not in page or end not in page:
        sys.exit(f"{path}: it has no {begin} ... {end}")
    before, rest = page.split(begin, 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}")
