#!/usr/bin/env python3
"""Times of operators on the cpu beside SciPy, scikit-image and OpenCV: cpu_peers.py PROGRAM [--side 4096] [--json FILE] [--set KEY=VALUE ...]

PROGRAM is bench/timed_calls.cpp, built with this library, so that no Python package of Macareu is needed. Ours is the median of 7 calls after one
that is not counted. Peers run 5 times, or until they have taken 5 seconds; slow ones get a quarter of the image, and their time counts four times.
Both use the cores that this script may use.
"""
import argparse
import json
import os
import statistics
import tempfile
import time

import cv2
import numpy as np
import scipy
import skimage
from scipy import ndimage
from skimage import color, feature, filters, measure, morphology, segmentation

from timed_program import ProgramWithImages


def timed(call, runs=5, most=5.0):
    times = []
    while len(times) < runs and sum(times) < most:
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), len(times), result


def contours_one_by_one(labels):
    """As a user of scikit-image does it: the contour of every object in its own box, then GeoJSON."""
    features = []
    for region in measure.regionprops(labels):
        y, x, _, _ = region.bbox
        rings = [(ring + (y - 1, x - 1)).tolist() for ring in measure.find_contours(np.pad(region.image, 1), 0.5)]
        features.append({"type": "Feature", "properties": {"label": int(region.label)}, "geometry": {"type": "Polygon", "coordinates": rings}})
    return json.dumps({"type": "FeatureCollection", "features": features})


class Table:
    def __init__(self, ours, only):
        self.ours, self.only, self.rows = ours, only, []

    def add(self, name, line, peer, call, same=None, times=1):
        """`same(result)`: whether the peer's result is ours. `times`: ours has so many times the pixels of the peer's."""
        if self.only and self.only not in name:
            return None
        own = self.ours.median(line)
        row = {"case": name, "ours_ms": round(own * 1e3, 2)}
        if call:
            taken, runs, result = timed(call)
            row |= {"peer": peer, "peer_ms": round(taken * times * 1e3, 1), "peer_runs": runs, "peer_part": f"1/{times}", "ratio": round(taken * times / own, 1)}
            if same:
                row["same"] = bool(same(result))
        self.rows.append(row)
        print(json.dumps(row), flush=True)
        return own

    def compare(self, name, over, under):
        if over and under:
            self.rows.append({"case": name, "times": round(over / under, 2)})
            print(json.dumps(self.rows[-1]), flush=True)


def measure_all(ours, table, side, volume_side):
    shape = (side, side)
    size = f"{side}x{side}"
    ours.seconds(f"generate tissue tissue {size}")
    tissue, marker = ours.get("tissue", np.uint8, shape), ours.get("tissue.marker", np.uint8, shape)
    cross, full = ndimage.generate_binary_structure(2, 1), np.ones((3, 3), bool)
    table.add("reconstruct u8, tissue, 4 neighbours", "run reconstruct tissue.marker,tissue out1 connectivity=4", "scikit-image",
              lambda: morphology.reconstruction(marker, tissue, footprint=cross), lambda it: np.array_equal(it, ours.get("out1", np.uint8, shape)))
    mask = tissue > 40
    ours.put("mask", mask)
    table.add("label, tissue > 40, 8 neighbours", "run label mask out2 connectivity=8", "SciPy", lambda: ndimage.label(mask, full),
              lambda it: np.array_equal(it[0], ours.get("out2", np.uint32, shape)))
    grey = tissue.astype(np.float32)
    ours.put("grey", grey)
    table.add("canny, scikit-image's flavour, f32", "run canny grey out3 flavour=skimage low=25.5 high=51", "scikit-image",
              lambda: feature.canny(grey, low_threshold=25.5, high_threshold=51.0), lambda it: np.array_equal(it, ours.get("out3", bool, shape)))
    table.add("canny, scikit-image's flavour, u8", "run canny tissue out4 flavour=skimage", "scikit-image", lambda: feature.canny(tissue),
              lambda it: np.array_equal(it, ours.get("out4", bool, shape)))
    quarter = slice(0, side // 4)
    begin = slice(0, side // 4 - 64)  # no rows that depend on others
    random = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    ours.put("random", random)
    smooth = np.empty(shape, np.float32)
    table.add("median u8, 5 x 5", "run median random out5 size=5", "SciPy", lambda: ndimage.median_filter(random[quarter], 5),
              lambda it: np.array_equal(it[begin], ours.get("out5", np.uint8, shape)[begin]), times=4)
    table.add("gaussian u8, sigma 1.4", "run gaussian random out6 sigma=1.4", "SciPy", lambda: ndimage.gaussian_filter(random, 1.4, output=smooth))
    voxels = np.random.default_rng(1).random((volume_side,) * 3, dtype=np.float32) < 0.3
    ours.put("voxels", voxels)
    table.add(f"label, random 0.3, {volume_side}^3, 26 neighbours", "run label voxels out7 connectivity=26", "SciPy",
              lambda: ndimage.label(voxels, np.ones((3, 3, 3))), lambda it: np.array_equal(it[0], ours.get("out7", np.uint32, voxels.shape)))
    del voxels

    ours.seconds("run distance_transform mask distance")
    distance = ours.get("distance", np.float32, shape)
    ours.seconds("run h_maxima distance peaks h=1")
    ours.put("peaks", ours.get("peaks", bool, shape) & mask)
    ours.seconds("run label peaks seeds connectivity=8")
    seeds = ours.get("seeds", np.uint32, shape).astype(np.int32)
    ours.put("seeds", seeds)
    landscape = -distance
    ours.put("landscape", landscape)
    watershed = table.add("watershed, -distance f32, mask, 8 neighbours", "run watershed landscape,seeds,mask out8 connectivity=8", "scikit-image",
                          lambda: segmentation.watershed(landscape, seeds, mask=mask, connectivity=2))
    places = np.linspace(side // 16, side - side // 16, 8).astype(int)
    flat = np.zeros(shape, np.float32)
    ours.put("flat", flat)
    few = np.zeros(shape, np.int32)
    few[np.ix_(places, places)] = np.arange(1, 65).reshape(8, 8)
    ours.put("few", few)
    table.compare("watershed, flat with 64 seeds, against tissue", table.add("watershed, flat, 64 seeds", "run watershed flat,few out9 connectivity=8", None, None),
                  watershed)
    ours.seconds(f"generate serpentine serpentine {size}")
    corridor = ours.get("serpentine", np.uint8, shape) > 0
    ours.put("corridor", corridor)
    one = np.zeros(shape, np.int32)
    one.flat[np.argmax(corridor)] = 1
    ours.put("one", one)
    table.compare("watershed, serpentine plateau, against tissue",
                  table.add("watershed, serpentine plateau, mask", "run watershed flat,one,corridor out10 connectivity=8", None, None), watershed)

    disc = morphology.disk(10)
    opening = "run opening tissue out11 radius=10"
    opened = lambda it: np.array_equal(it[begin], ours.get("out11", np.uint8, shape)[begin])
    table.add("opening u8, disc of radius 10", opening, "scikit-image", lambda: morphology.opening(tissue[quarter], disc), opened, times=4)
    table.add("opening u8, disc of radius 10, OpenCV", opening, "OpenCV", lambda: cv2.morphologyEx(tissue, cv2.MORPH_OPEN, disc), opened)
    colour = np.stack([tissue, np.roll(tissue, 7, 1), np.roll(tissue, 5, 0)], -1)
    ours.put("colour", colour)
    table.add("unmix u8 to f32", "run unmix colour out12", "scikit-image", lambda: color.rgb2hed(colour))
    table.add("local mean, window 101", "run local_threshold tissue out13 window=101", "scikit-image",
              lambda: tissue[quarter] > filters.threshold_local(tissue[quarter], 101, method="mean"), times=4)

    ours.put("bright", tissue > 100)
    ours.seconds("run label bright objects")
    labels = ours.get("objects", np.uint32, shape)
    sizes = np.bincount(labels.ravel())
    kept = np.zeros(sizes.size, np.int32)
    large = np.flatnonzero(sizes >= 50)
    large = large[large > 0][: 10**5 // 16]
    kept[large] = np.arange(1, large.size + 1)
    labels = kept[labels]
    whole = np.block([[np.where(labels > 0, labels + (4 * y + x) * large.size, 0).astype(np.int32) for x in range(4)] for y in range(4)])
    ours.put("whole", whole)
    table.add(f"contours of {16 * large.size} objects, {4 * side}^2, GeoJSON (peer: 16 x {side}^2)",
              f"contours whole {os.path.join(ours.folder, 'contours')}", "scikit-image", lambda: contours_one_by_one(labels), times=16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--volume-side", type=int, default=512)
    parser.add_argument("--only", help="cases with this text in their name")
    parser.add_argument("--json")
    parser.add_argument("--set", action="append", default=[], help="a field of the file, such as the commit")
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    cv2.setNumThreads(cores)
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as folder:
        table = Table(ProgramWithImages(folder, given.program), given.only)
        measure_all(table.ours, table, given.side, given.volume_side)
    if given.json:
        versions = {each.__name__: each.__version__ for each in (np, scipy, skimage, cv2)}
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"cores": cores, "peers": versions, **dict(field.split("=", 1) for field in given.set), "rows": table.rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
