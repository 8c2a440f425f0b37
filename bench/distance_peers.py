#!/usr/bin/env python3
"""Measures distance transforms against SciPy and OpenCV, on the same images in the same run, and against the project's musts.

    bench/distance_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench distance`, then the peers on the images that it saved. Squared distances must equal SciPy's as
integers. Needs NumPy, SciPy and OpenCV (python3-opencv). Exits with 1 where a result differs; a must that is missed is
told, no failure.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import cv2
import numpy as np
import scipy
import scipy.ndimage

TISSUE, VOLUME = "tissue-over-40-4k", "sites-1-256^3"


def run_bench(tool, directory, options):
    """The report of our own suite; its images are left in the directory."""
    report = os.path.join(directory, "bench.json")
    command = [tool, "bench", "distance", "--json", report, "--save-inputs", directory, "--only", options.only]
    if options.data:
        command += ["--data", options.data]
    if options.quick:
        command += ["--quick"]
    subprocess.run(command, check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def median_ms(run, repeat):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), result


def same_squares(tool, directory, name, distances):
    """Ours by the command line, as integers, against SciPy's f64 distances."""
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "distance", os.path.join(directory, name + ".npy"), "-o", ours, "--squared"], check=True)
    return bool(np.array_equal(np.load(ours), np.rint(distances**2).astype(np.uint32)))


def row(what, ours, peer, factor, must, met, equal=None):
    return {"what": what, "ours_ms": ours, "peer_ms": peer, "factor": factor, "must": must, "met": bool(met),
            "equal": equal}


class Cases:
    def __init__(self, report):
        self.all = {case["name"]: case for case in report["cases"]}

    def ms(self, name):
        return self.all[name + "-cpu"]["median_ms"]


def against_scipy(tool, directory, cases, name, must, goal, repeat):
    image = np.load(os.path.join(directory, name + ".npy"))
    peer, distances = median_ms(lambda: scipy.ndimage.distance_transform_edt(image), repeat)
    ours = cases.ms("exact-" + name)
    return row(f"{name}, against SciPy", ours, peer, peer / ours, f">= {must} (goal {goal})", peer / ours >= must,
               same_squares(tool, directory, name, distances))


def against_opencv(directory, cases, must, goal, repeat):
    image = np.load(os.path.join(directory, TISSUE + ".npy"))
    peer, _ = median_ms(lambda: cv2.distanceTransform(image, cv2.DIST_L2, cv2.DIST_MASK_PRECISE), repeat)
    ours = cases.ms("exact-" + TISSUE)
    return row(f"{TISSUE}, against OpenCV precise", ours, peer, peer / ours, f">= {must} (goal {goal})", peer / ours >= must)


def against_tissue(cases, name):
    ours, tissue = cases.ms("exact-" + name), cases.ms("exact-" + TISSUE)
    return row(f"{name}, against {TISSUE}", ours, tissue, ours / tissue, "<= 3", ours / tissue <= 3)


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def print_table(rows):
    print("\nwhat | ours ms | peer or reference ms | factor | must | met | equal")
    print("--- | ---: | ---: | ---: | --- | --- | ---")
    for each in rows:
        equal = {None: "", True: "yes", False: "NO"}[each["equal"]]
        print(" | ".join((each["what"], number(each["ours_ms"], 2), number(each["peer_ms"], 2),
                          number(each["factor"], 2), each["must"], "yes" if each["met"] else "no", equal)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/macareu", help="the built tool (default: %(default)s)")
    parser.add_argument("--data", help="directory of the published images, as for `macareu bench`")
    parser.add_argument("--json", help="write the table, with our suite's report, to this file")
    parser.add_argument("--peer-repeat", type=int, default=3, help="runs of the peers (default: %(default)s)")
    parser.add_argument("--only", default="*", help="cases of our suite; the table needs exact-*-cpu (default: all)")
    parser.add_argument("--quick", action="store_true", help="small images: to see that it works, not to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as directory:
        report = run_bench(options.tool, directory, options)
        cases = Cases(report)
        rows = [against_scipy(options.tool, directory, cases, TISSUE, 40, 80, options.peer_repeat),
                against_opencv(directory, cases, 8, 16, options.peer_repeat),
                against_tissue(cases, "one-in-10^6-4k"), against_tissue(cases, "one-in-10^4-4k"),
                against_scipy(options.tool, directory, cases, VOLUME, 25, 50, options.peer_repeat)]
    print_table(rows)
    if options.json:
        peers = {"scipy": scipy.__version__, "opencv": cv2.__version__, "numpy": np.__version__,
                 "python": sys.version.split()[0]}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"peers": peers, "rows": rows, "bench": report}, file, indent=2)
            file.write("\n")
    return 1 if any(each["equal"] is False for each in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
