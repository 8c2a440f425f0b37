#!/usr/bin/env python3
"""Measures distance transforms against SciPy and OpenCV, on the same images in the same run, and against the thresholds.

    bench/distance_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench distance`, then the peers on the saved images. Squared distances must equal SciPy's as integers, and
nearest sites must equal SciPy's indices. Needs NumPy, SciPy and OpenCV (python3-opencv). Exits with 1 if a result
differs. A missed threshold is reported, and is no failure.
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
SPACING = (0.7, 1.3)  # of the suite's cases


def ours_of(tool, directory, name, verb, *options):
    """The result of the command line on an image of the suite."""
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, verb, os.path.join(directory, name + ".npy"), "-o", ours, *options], check=True)
    return np.load(ours)


def same_squares(tool, directory, name, distances):
    """Our squared distances from the command line, as integers, against SciPy's f64 distances."""
    ours = ours_of(tool, directory, name, "distance", "--squared")
    return bool(np.array_equal(ours, np.rint(distances**2).astype(np.uint32)))


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


def sites_of_scipy(image):
    return tuple(scipy.ndimage.distance_transform_edt(image, return_distances=False, return_indices=True))


def variants_against_scipy(directory, cases, name, options):
    """The only threshold is to be faster."""
    image = np.load(os.path.join(directory, name + ".npy"))
    peer, places = median_ms(lambda: sites_of_scipy(image), options.peer_repeat)
    indices = np.ravel_multi_index(places, image.shape)
    yield faster(f"{name}, nearest sites, against SciPy's return_indices", cases.ms("indices-" + name), peer, 1,
                 equal=bool(np.array_equal(ours_of(options.tool, directory, name, "nearest-site"), indices)))
    peer, labels = median_ms(lambda: image[sites_of_scipy(image == 0)], options.peer_repeat)
    yield faster(f"{name}, nearest labels, against SciPy's return_indices", cases.ms("labels-" + name), peer, 1,
                 equal=bool(np.array_equal(ours_of(options.tool, directory, name, "nearest-label"), labels)))
    peer, distances = median_ms(lambda: scipy.ndimage.distance_transform_edt(image, sampling=SPACING), options.peer_repeat)
    ours = ours_of(options.tool, directory, name, "distance", "--type", "f64", "--spacing", ",".join(map(str, SPACING)))
    # SciPy compares candidates in another order, and may keep one that is farther by a rounding error.
    yield faster(f"{name}, spacing, against SciPy's sampling", cases.ms("spacing-" + name), peer, 1,
                 equal=bool(np.allclose(ours, distances, rtol=1e-14, atol=0)))


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
                against_scipy(directory, cases, VOLUME, 25, 50, options), *variants_against_scipy(directory, cases, TISSUE, options)]
    return finish(options, rows, report, scipy, cv2, np)


if __name__ == "__main__":
    sys.exit(main())
