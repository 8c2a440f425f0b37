#!/usr/bin/env python3
"""Measures the functions with the peers' names against the peers, on one image in one process.

    PYTHONPATH=build/python bench/python_peers.py [--json FILE] [--side N] [--only NAME]

Both run in turns. A time is the median of three runs of the peer, or of nine of ours. The threshold is that of the
operator's suite, else a factor of 5, if the peer takes more than 50 ms. tests/python compares the results.
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

# Thresholds of the operators' suites for the first case of each function; a factor of 5 for all others.
MUSTS = {"reconstruction": 150, "distance_transform_edt": 40, "label": 8, "gaussian_filter": 8, "median_filter": 20,
         "canny": 30}


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def cases(side):
    """(module, function, difference to the first case of the function, arguments, arguments by name)"""
    slide, marker = macareu.generate("tissue", (side, side))
    yield from in_skimage(slide, marker)
    yield from in_scipy(slide)


def in_skimage(slide, marker):
    binary, single, floats = slide > 60, slide.astype(np.float32), slide.astype(np.float64)
    objects = scipy.ndimage.label(binary, np.ones((3, 3)))[0]
    properties = ("label", "area", "bbox", "centroid", "perimeter", "eccentricity", "orientation", "intensity_mean")
    for of, image, seed in (("", slide, marker), ("f32", single, marker.astype(np.float32))):
        yield "skimage.morphology", "reconstruction", of, (seed, image), {}
        yield "skimage.morphology", "local_maxima", of, (image,), {}
        yield "skimage.morphology", "local_minima", of, (image,), {}
        yield "skimage.morphology", "h_maxima", of, (image, 40), {}
        yield "skimage.morphology", "h_minima", of, (image, 40), {}
    for name in ("local_maxima", "local_minima"):
        yield "skimage.morphology", name, "f64", (floats,), {}
    yield "skimage.morphology", "remove_small_objects", "", (binary,), {}
    yield "skimage.morphology", "remove_small_objects", "labels", (objects,), {}
    yield "skimage.measure", "label", "", (slide // 32,), {}
    yield "skimage.measure", "label", "bool", (binary,), {}
    yield "skimage.measure", "regionprops_table", "", (objects, slide, properties), {}
    yield "skimage.measure", "regionprops_table", "defaults", (objects,), {}
    yield "skimage.feature", "canny", "", (slide,), {}
    yield "skimage.feature", "canny", "f32", (single / 255,), {}
    yield "skimage.filters", "apply_hysteresis_threshold", "", (slide, 60, 120), {}
    yield "skimage.filters", "apply_hysteresis_threshold", "f32", (single, 60, 120), {}
    for name in ("gaussian", "sobel"):
        for of, image in (("", floats), ("u8", slide), ("f32", single)):
            yield "skimage.filters", name, of, (image,), {}
    yield "skimage.filters", "threshold_otsu", "", (slide,), {}
    yield "skimage.filters", "threshold_otsu", "f32", (single,), {}


def in_scipy(slide):
    binary, single, floats = slide > 60, slide.astype(np.float32), slide.astype(np.float64)
    objects, count = scipy.ndimage.label(binary, np.ones((3, 3)))
    every = np.arange(1, count + 1)
    yield "scipy.ndimage", "distance_transform_edt", "", (binary,), {}
    yield "scipy.ndimage", "distance_transform_edt", "with indices", (binary,), {"return_indices": True}
    yield "scipy.ndimage", "label", "", (binary,), {}
    yield "scipy.ndimage", "label", "u8, 8 neighbours", (slide // 64, np.ones((3, 3))), {}
    yield "scipy.ndimage", "binary_fill_holes", "", (binary,), {}
    yield "scipy.ndimage", "binary_fill_holes", "u8", (binary.astype(np.uint8),), {}
    yield "scipy.ndimage", "binary_propagation", "", (slide > 120,), {"mask": binary}
    for of, image in (("", floats), ("u8", slide), ("u16", slide.astype(np.uint16)), ("f32", single)):
        yield "scipy.ndimage", "gaussian_filter", of, (image, 1.4), {}
    yield "scipy.ndimage", "gaussian_filter", "u8, sigma 5", (slide, 5), {}
    yield "scipy.ndimage", "gaussian_filter", "f64, sigma 5", (floats, 5), {}
    yield "scipy.ndimage", "gaussian_filter", "f32, slope", (single, 1.4, (0, 1)), {}
    for of, image in (("", floats), ("i16", slide.astype(np.int16)), ("f32", single)):
        yield "scipy.ndimage", "sobel", of, (image,), {}
    for of, image, size in (("", slide, 3), ("u8, 5 x 5", slide, 5), ("u16", slide.astype(np.uint16), 3),
                            ("f32", single, 3), ("f32, 5 x 5", single, 5)):
        yield "scipy.ndimage", "median_filter", of, (image, size), {}
    yield "scipy.ndimage", "histogram", "", (slide, 0, 256, 256), {}
    yield "scipy.ndimage", "histogram", "f32", (single, 0, 256, 256), {}
    yield "scipy.ndimage", "histogram", "of objects", (slide, 0, 256, 16, objects, every), {}
    for name in ("minimum", "maximum", "sum_labels"):
        for of, image in (("", slide), ("f32", single)):
            yield "scipy.ndimage", name, of, (image, objects, every), {}
        yield "scipy.ndimage", name, "all objects", (slide, objects), {}


def compare(package, name, of, given, named):
    ours = macareu
    for part in package.split("."):
        ours = getattr(ours, part)
    here, peer = getattr(ours, name), getattr(sys.modules[package], name)
    times = [(seconds(lambda: peer(*given, **named)), [seconds(lambda: here(*given, **named)) for _ in range(3)])
             for _ in range(3)]
    theirs = 1e3 * statistics.median(t for t, _ in times)
    mine = 1e3 * statistics.median(t for _, all in times for t in all)
    must = 5 if of else MUSTS.get(name, 5)
    needed = theirs > 50
    return row(f"`{package}.{name}`" + (f", {of}" if of else ""), mine, theirs, theirs / mine,
               f">= {must}" if needed else "", not needed or theirs / mine >= must)


def report(options):
    """The description of the machine, as in the suites of the tool."""
    here = macareu.info()
    return {"suite": "python", "version": here["version"], "side": options.side,
            "machine": {"processor": platform.machine(), "cores": here["threads"], "instruction_set": here["instruction_set"]}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the table to this file")
    parser.add_argument("--only", default="", help="functions whose name contains this (default: all)")
    parser.add_argument("--side", type=int, default=2048, help="side of the image (default: %(default)s)")
    options = parser.parse_args()
    rows = []
    for each in cases(options.side):
        if options.only not in ".".join(each[:2]):
            continue
        rows.append(compare(*each))
        print(f"{rows[-1]['what']}: {rows[-1]['ours_ms']:.1f} ms, {rows[-1]['factor']:.1f} times", flush=True)
    return finish(options, rows, report(options), skimage, scipy, np)


if __name__ == "__main__":
    sys.exit(main())
