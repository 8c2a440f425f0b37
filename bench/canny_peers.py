#!/usr/bin/env python3
"""Measures Canny against scikit-image, on the same images in the same run, and against the acceptance thresholds.

    bench/canny_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench canny` on 4096 x 4096 pixels of tissue, then scikit-image on the saved images. Edges must be equal.
Needs NumPy and scikit-image. Exits with 1 if a result differs. A missed threshold is reported, and is no failure.
"""
import os
import subprocess
import sys

import numpy as np
import skimage
import skimage.feature

from comparison import faster, finish, median_ms, parser_of, suite


def same_edges(tool, directory, name, thresholds, edges):
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "canny", os.path.join(directory, name + ".npy"), "-o", ours, "--flavour", "skimage",
                    *thresholds], check=True)
    return bool(np.array_equal(np.load(ours), edges))


def against_skimage(directory, name, ours, options):
    image = np.load(os.path.join(directory, name + ".npy"))
    named, words = {}, []
    if image.dtype == np.float32:  # values up to 255; scikit-image's thresholds are for images up to 1
        named, words = {"low_threshold": 25.5, "high_threshold": 51.0}, ["--low", "25.5", "--high", "51"]
    peer, edges = median_ms(lambda: skimage.feature.canny(image, **named), options.peer_repeat)
    return faster(f"{name}, against scikit-image", ours, peer, 30, 60,
                  same_edges(options.tool, directory, name, words, edges))


def main():
    options = parser_of(__doc__).parse_args()
    side = 256 if options.quick else 4096
    options.only = f"tissue-{side}*"
    rows = []
    with suite("canny", options) as (report, directory):
        times = {case["name"]: case["median_ms"] for case in report["cases"]}
        for name in (f"tissue-{side}", f"tissue-{side}-u8"):
            rows.append(against_skimage(directory, name, times[name + "-skimage-cpu"], options))
    return finish(options, rows, report, skimage, np)


if __name__ == "__main__":
    sys.exit(main())
