#!/usr/bin/env python3
"""Seconds of operators in two versions of the library, in turns: two_versions.py OLD NEW [--runs 15] [--json FILE] [--set KEY=VALUE ...]

OLD and NEW are programs of bench/timed_calls.cpp, each linked to its version. Both generate the same images. A row has the medians of both, in ms.
A turn is a pause, a call that is not counted, and three that are: idle OpenMP threads of one version look for work for milliseconds, on the cores of
the other.
"""
import argparse
import json
import os
import platform
import statistics
import time

from timed_program import TimedProgram

PAUSE, CALLS_A_TURN = 0.05, 3
IMAGES = ["generate tissue tissue 4096x4096", "generate noise random 256x256x256"]
# What the cases need: a mask of tissue, its labels, and a volume with a third of its voxels set.
PREPARED = ["run threshold tissue mask value=60", "run label mask labels", "run threshold noise voxels value=178"]
CASES = {
    "reconstruct u8, 4 neighbours": "run reconstruct tissue.marker,tissue OUT connectivity=4",
    "reconstruct u8, 8 neighbours": "run reconstruct tissue.marker,tissue OUT connectivity=8",
    "fill_holes u8": "run fill_holes tissue OUT",
    "h_maxima u8, h = 20": "run h_maxima tissue OUT h=20",
    "label, 4 neighbours": "run label mask OUT connectivity=4",
    "label, 8 neighbours": "run label mask OUT connectivity=8",
    "distance_transform": "run distance_transform mask OUT",
    "canny, ITK's flavour": "run canny tissue OUT",
    "canny, scikit-image's flavour": "run canny tissue OUT flavour=skimage",
    "gaussian u8, sigma 2": "run gaussian tissue OUT sigma=2",
    "median u8, 5 x 5": "run median tissue OUT size=5",
    "threshold u8": "run threshold tissue OUT value=60",
    "threshold u8, Otsu": "run threshold tissue OUT",
    "histogram u8": "table histogram tissue",
    "measure": "table measure labels",
    "measure with intensities": "table measure labels,tissue",
    "label 256 x 256 x 256, 26 neighbours": "run label voxels OUT connectivity=26",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json")
    parser.add_argument("--set", action="append", default=[], help="a field of the file, such as commits")
    given = parser.parse_args()
    versions = [TimedProgram(given.old), TimedProgram(given.new)]
    for line in IMAGES + PREPARED:
        for version in versions:
            version.seconds(line)
    rows = []
    for number, (name, line) in enumerate(CASES.items()):
        line = line.replace("OUT", f"out{number}")
        times = [[], []]
        for turn in range(given.runs // CALLS_A_TURN):
            for which in ((0, 1) if turn % 2 else (1, 0)):
                time.sleep(PAUSE)
                times[which] += versions[which].seconds(line, 1 + CALLS_A_TURN)[1:]
        old, new = (statistics.median(each) for each in times)
        rows.append({"case": name, "old_ms": round(old * 1e3, 3), "new_ms": round(new * 1e3, 3), "new_over_old": round(new / old, 3)})
        print(rows[-1], flush=True)
    result = {"machine": platform.processor() or platform.machine(), "cores": len(os.sched_getaffinity(0)), "runs": given.runs,
              **dict(field.split("=", 1) for field in given.set), "rows": rows}
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
