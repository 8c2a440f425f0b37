#!/usr/bin/env python3
"""Measures distance transforms against SciPy and OpenCV, on the same images in the same run, and against the project's musts.

    bench/distance_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench distance`, then the peers on the images that it saved. Squared distances must equal SciPy's as
integers. Needs NumPy, SciPy and OpenCV (python3-opencv). Exits with 1 where a result differs; a must that is missed is
told, no failure.
"""
import os
import subprocess
import sys

import cv2
import numpy as np
import scipy
import scipy.ndimage

from comparison import at_most, faster, finish, median_ms, parser_of, suite

TISSUE, VOLUME = "tissue-over-40-4k", "sites-1-256^3"


def same_squares(tool, directory, name, distances):
    """Ours by the command line, as integers, against SciPy's f64 distances."""
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "distance", os.path.join(directory, name + ".npy"), "-o", ours, "--squared"], check=True)
    return bool(np.array_equal(np.load(ours), np.rint(distances**2).astype(np.uint32)))


class Cases:
    def __init__(self, report):
        self.all = {case["name"]: case for case in report["cases"]}

    def ms(self, name):
        return self.all[name + "-cpu"]["median_ms"]


def against_scipy(directory, cases, name, must, goal, options):
    image = np.load(os.path.join(directory, name + ".npy"))
    peer, distances = median_ms(lambda: scipy.ndimage.distance_transform_edt(image), options.peer_repeat)
    return faster(f"{name}, against SciPy", cases.ms("exact-" + name), peer, must, goal,
                  same_squares(options.tool, directory, name, distances))


def against_opencv(directory, cases, must, goal, options):
    image = np.load(os.path.join(directory, TISSUE + ".npy"))
    peer, _ = median_ms(lambda: cv2.distanceTransform(image, cv2.DIST_L2, cv2.DIST_MASK_PRECISE), options.peer_repeat)
    return faster(f"{TISSUE}, against OpenCV precise", cases.ms("exact-" + TISSUE), peer, must, goal)


def against_tissue(cases, name):
    return at_most(f"{name}, against {TISSUE}", cases.ms("exact-" + name), cases.ms("exact-" + TISSUE), 3)


def main():
    options = parser_of(__doc__).parse_args()
    with suite("distance", options) as (report, directory):
        cases = Cases(report)
        rows = [against_scipy(directory, cases, TISSUE, 40, 80, options), against_opencv(directory, cases, 8, 16, options),
                against_tissue(cases, "one-in-10^6-4k"), against_tissue(cases, "one-in-10^4-4k"),
                against_scipy(directory, cases, VOLUME, 25, 50, options)]
    return finish(options, rows, report, scipy, cv2, np)


if __name__ == "__main__":
    sys.exit(main())
