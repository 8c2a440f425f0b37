#!/usr/bin/env python3
"""Measures functions under the peers' names against the peers themselves, on one image in one process.

    PYTHONPATH=build/python bench/python_peers.py [--json FILE] [--side N]

Both run in turns; a time is the median of three runs of the peer, and of nine of ours. What must hold: as the
operator's own suite says, else 5 times, wherever the peer takes more than 50 ms. That results agree is tested elsewhere
(tests/python).
"""
import argparse
import platform
import statistics
import sys
import time

import numpy as np
import scipy
import scipy.ndimage
import skimage
import skimage.feature
import skimage.filters
import skimage.measure
import skimage.morphology

import macareu
from comparison import finish, row

# What the suites of the operators demand; 5 times where they are silent.
MUSTS = {"reconstruction": 150, "distance_transform_edt": 40, "label": 8, "gaussian_filter": 8, "median_filter": 20,
         "canny": 30}


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def cases(side):
    slide, marker = macareu.generate("tissue", (side, side))
    binary = slide > 60
    values = slide // 32
    floats = slide.astype(np.float64)
    objects, count = scipy.ndimage.label(binary, np.ones((3, 3)))
    properties = ("label", "area", "bbox", "centroid", "perimeter", "eccentricity", "orientation", "intensity_mean")
    yield "skimage.morphology", "reconstruction", (marker, slide), {}
    yield "skimage.morphology", "local_maxima", (slide,), {}
    yield "skimage.morphology", "local_minima", (slide,), {}
    yield "skimage.morphology", "h_maxima", (slide, 40), {}
    yield "skimage.morphology", "h_minima", (slide, 40), {}
    yield "skimage.morphology", "remove_small_objects", (binary,), {}
    yield "skimage.measure", "label", (values,), {}
    yield "skimage.measure", "regionprops_table", (objects, slide, properties), {}
    yield "skimage.feature", "canny", (slide,), {}
    yield "skimage.filters", "apply_hysteresis_threshold", (slide, 60, 120), {}
    yield "skimage.filters", "gaussian", (floats,), {}
    yield "skimage.filters", "sobel", (floats,), {}
    yield "skimage.filters", "threshold_otsu", (slide,), {}
    yield "scipy.ndimage", "distance_transform_edt", (binary,), {}
    yield "scipy.ndimage", "label", (binary,), {}
    yield "scipy.ndimage", "binary_fill_holes", (binary,), {}
    yield "scipy.ndimage", "binary_propagation", (slide > 120,), {"mask": binary}
    yield "scipy.ndimage", "gaussian_filter", (floats, 1.4), {}
    yield "scipy.ndimage", "sobel", (floats,), {}
    yield "scipy.ndimage", "median_filter", (slide, 3), {}
    yield "scipy.ndimage", "histogram", (slide, 0, 256, 256), {}
    for name in ("minimum", "maximum", "sum_labels"):
        yield "scipy.ndimage", name, (slide, objects, np.arange(1, count + 1)), {}


def compare(package, name, given, named):
    ours = macareu
    for part in package.split("."):
        ours = getattr(ours, part)
    here, peer = getattr(ours, name), getattr(sys.modules[package], name)
    times = [(seconds(lambda: peer(*given, **named)), [seconds(lambda: here(*given, **named)) for _ in range(3)])
             for _ in range(3)]
    theirs = 1e3 * statistics.median(t for t, _ in times)
    mine = 1e3 * statistics.median(t for _, all in times for t in all)
    must = MUSTS.get(name, 5)
    needed = theirs > 50
    return row(f"`{package}.{name}`", mine, theirs, theirs / mine, f">= {must}" if needed else "",
               not needed or theirs / mine >= must)


def report(options):
    """Of the machine, as the suites of the tool have it."""
    here = macareu.info()
    return {"suite": "python", "version": here["version"], "side": options.side,
            "machine": {"processor": platform.machine(), "cores": here["threads"], "instruction_set": here["instruction_set"]}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the table to this file")
    parser.add_argument("--side", type=int, default=2048, help="of the image (default: %(default)s)")
    options = parser.parse_args()
    rows = []
    for each in cases(options.side):
        rows.append(compare(*each))
        print(f"{rows[-1]['what']}: {rows[-1]['ours_ms']:.1f} ms, {rows[-1]['factor']:.1f} times", flush=True)
    return finish(options, rows, report(options), skimage, scipy, np)


if __name__ == "__main__":
    sys.exit(main())
