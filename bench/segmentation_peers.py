"""Watershed, opening, unmixing, local threshold and contours beside scikit-image: segmentation_peers.py [--side 4096] [--runs 5] [--json FILE]

Images are generated. Both libraries run in one process, one after the other; peers that take longer than ten seconds run once. A row has the median
seconds of both and their ratio. Needs the Python package of Macareu, scikit-image and SciPy.
"""
import argparse
import json
import pathlib
import statistics
import time

import numpy as np
from skimage import color, filters, measure, morphology, segmentation

import macareu


def seconds_of(call, runs, most=10.0):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
        if times[-1] > most:
            break
    return statistics.median(times)


def contours_one_by_one(labels):
    """As a user of scikit-image does it: the contour of every object in its own box."""
    found = []
    for region in measure.regionprops(labels):
        y, x, _, _ = region.bbox
        rings = measure.find_contours(np.pad(region.image, 1), 0.5)
        found.append((region.label, [(ring + (y - 1, x - 1)).tolist() for ring in rings]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    given = parser.parse_args()
    side = given.side
    tissue, _ = macareu.generate("tissue", (side, side))
    mask = tissue > 40
    landscape = -macareu.distance_transform(mask).astype(np.float32)
    seeds = macareu.label(macareu.h_maxima(-landscape, h=1) & mask, connectivity=8).astype(np.int32)
    flat = np.zeros((side, side), np.float32)
    flat_seeds = np.zeros((side, side), np.int32)
    places = np.linspace(side // 16, side - side // 16, 8).astype(int)
    flat_seeds[np.ix_(places, places)] = np.arange(1, 65).reshape(8, 8)
    colour = np.stack([tissue, np.roll(tissue, 7, 1), np.roll(tissue, 5, 0)], -1)
    disc = morphology.disk(10)
    labels = macareu.remove_small(macareu.label(tissue > 100), min_size=30).astype(np.int32)
    cases = {
        "watershed, -distance f32, mask, 8 neighbours": (
            lambda: macareu.watershed(landscape, seeds, mask, connectivity=8),
            lambda: segmentation.watershed(landscape, seeds, mask=mask, connectivity=2)),
        "watershed, flat, 64 seeds": (lambda: macareu.watershed(flat, flat_seeds, connectivity=8), None),
        "opening, disc of radius 10": (lambda: macareu.opening(tissue, radius=10), lambda: morphology.opening(tissue, disc)),
        "unmix": (lambda: macareu.unmix(colour), lambda: color.rgb2hed(colour)),
        "local mean, window 101": (lambda: macareu.local_threshold(tissue, window=101),
                                   lambda: tissue > filters.threshold_local(tissue, 101, method="mean")),
        f"contours, {labels.max()} labels": (lambda: macareu.contours(labels), lambda: contours_one_by_one(labels)),
    }
    rows = []
    for name, (ours, peers) in cases.items():
        ours()
        row = {"case": name, "side": side, "ours_s": round(seconds_of(ours, given.runs), 4)}
        if peers:
            row["peer_s"] = round(seconds_of(peers, given.runs), 3)
            row["ratio"] = round(row["peer_s"] / row["ours_s"], 1)
        rows.append(row)
        print(json.dumps(row), flush=True)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
