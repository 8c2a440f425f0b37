"""Functions under the peers' names beside the peers themselves, on one image: a table for docs/results.md.

usage: PYTHONPATH=build/python python3 bench/python_peers.py [SIDE]

Both run in turns in this process; a time is the median of three runs of the peer, and of nine of ours.
"""

import statistics
import sys
import time

import numpy as np
import scipy.ndimage
import skimage.filters
import skimage.measure
import skimage.morphology

import macareu


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def cases(side):
    slide, marker = macareu.generate("tissue", (side, side))
    binary = slide > 60
    values = slide // 32
    floats = slide.astype(np.float64)
    yield "skimage.morphology", "reconstruction", (marker, slide), {}
    yield "skimage.morphology", "local_maxima", (slide,), {}
    yield "skimage.morphology", "local_minima", (slide,), {}
    yield "skimage.morphology", "h_maxima", (slide, 40), {}
    yield "skimage.morphology", "h_minima", (slide, 40), {}
    yield "skimage.morphology", "remove_small_objects", (binary,), {}
    yield "skimage.measure", "label", (values,), {}
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


def main():
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    print(f"| {side} x {side} | peer, ms | here, ms | times |\n|---|---|---|---|")
    for package, name, given, named in cases(side):
        ours = macareu
        for part in package.split("."):
            ours = getattr(ours, part)
        if not hasattr(ours, name):
            continue
        here, peer = getattr(ours, name), getattr(sys.modules[package], name)
        times = [(seconds(lambda: peer(*given, **named)), [seconds(lambda: here(*given, **named)) for _ in range(3)])
                 for _ in range(3)]
        theirs = 1000 * statistics.median(t for t, _ in times)
        mine = 1000 * statistics.median(t for _, all in times for t in all)
        print(f"| `{package}.{name}` | {theirs:.1f} | {mine:.1f} | {theirs / mine:.1f} |", flush=True)


main()
