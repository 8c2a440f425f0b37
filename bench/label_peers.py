#!/usr/bin/env python3
"""Measures labelling against SciPy and OpenCV, on the same images in the same run, and against the thresholds.

    bench/label_peers.py --tool build/bin/macareu [--json FILE]

Runs the cases of `macareu bench label` that have a peer, then the peers on the saved images. Labels must equal SciPy's,
numbers included. Needs NumPy, SciPy and OpenCV (python3-opencv). Exits with 1 if a result differs. A missed threshold is
reported, and is no failure.
"""
import os
import subprocess
import sys

import cv2
import numpy as np
import scipy
import scipy.ndimage

from comparison import faster, finish, median_ms, parser_of, suite


def same_labels(tool, directory, name, labels):
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "label", os.path.join(directory, name + ".npy"), "-o", ours, "--connectivity",
                    str(3**labels.ndim - 1)], check=True)
    return bool(np.array_equal(np.load(ours), labels))


def against_scipy(directory, name, ours, image, must, goal, options):
    structure, binary = np.ones((3,) * image.ndim), image.astype(bool)
    peer, (labels, _) = median_ms(lambda: scipy.ndimage.label(binary, structure), options.peer_repeat)
    return faster(f"{name}, against SciPy", ours, peer, must, goal, same_labels(options.tool, directory, name, labels))


def against_opencv(directory, name, ours, image, must, goal, options):
    peer, _ = median_ms(lambda: cv2.connectedComponents(image, connectivity=8, ltype=cv2.CV_32S), options.peer_repeat)
    return faster(f"{name}, against OpenCV", ours, peer, must, goal)


def main():
    options = parser_of(__doc__).parse_args()
    image_side, volume_side = (256, 64) if options.quick else (4096, 512)
    rows, whole = [], None
    for name, neighbours, comparisons in ((f"tissue-above-40-{image_side}", 8, ((against_scipy, 8, 14), (against_opencv, 1.5, 3))),
                                          (f"random-0.3-{volume_side}", 26, ((against_scipy, 3, 8),))):
        options.only = f"{name}-{neighbours}-cpu"
        with suite("label", options) as (report, directory):
            image = np.load(os.path.join(directory, name + ".npy"))
            ours = report["cases"][0]["median_ms"]
            rows += [compare(directory, name, ours, image, must, goal, options) for compare, must, goal in comparisons]
        if whole:
            whole["cases"] += report["cases"]
        else:
            whole = report
    return finish(options, rows, whole, scipy, cv2, np)


if __name__ == "__main__":
    sys.exit(main())
