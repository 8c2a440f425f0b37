"""Segmentation beside scikit-image and OpenCV: segmentation_peers.py [--side 4096] [--runs 5] [--threads 2] [--only WORD] [--tool FILE] [--json FILE]

Images are generated. Both libraries run in one process, one after the other; peers that take longer than ten seconds run once. A row has the least
wall and processor seconds of both. On a busy machine compare processor seconds: `ratio_shared` divides ours evenly among the threads. The peers have
one thread here, OpenCV's morphology too. Needs the Python package of Macareu, scikit-image and SciPy; OpenCV's row is left out without it.

`--tool` names the program macareu and measures polygons as GeoJSON alone, from file to file, against find_contours for each object and json.dumps.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
from skimage import color, filters, measure, morphology, segmentation

import macareu

try:
    import cv2
except ImportError:
    cv2 = None


def seconds_of(call, runs, most=10.0):
    """The least wall and processor seconds."""
    wall, processor = [], []
    for _ in range(runs):
        begin, own = time.perf_counter(), time.process_time()
        call()
        wall.append(time.perf_counter() - begin)
        processor.append(time.process_time() - own)
        if wall[-1] > most:
            break
    return min(wall), min(processor)


def contours_one_by_one(labels):
    """As a user of scikit-image does it: the contour of every object in its own box."""
    found = []
    for region in measure.regionprops(labels):
        y, x, _, _ = region.bbox
        rings = measure.find_contours(np.pad(region.image, 1), 0.5)
        found.append((region.label, [(ring + (y - 1, x - 1)).tolist() for ring in rings]))
    return found


def geojson_one_by_one(labels, file):
    features = [{"type": "Feature", "properties": {"label": int(label)},
                 "geometry": {"type": "Polygon", "coordinates": rings}} for label, rings in contours_one_by_one(labels)]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


def objects_of(tissue):
    return macareu.remove_small(macareu.label(tissue > 100), min_size=30).astype(np.int32)


def row_of(name, side, ours, peer, threads):
    row = {"case": name, "side": side, "ours_s": round(ours[0], 4), "ours_processor_s": round(ours[1], 4)}
    if peer:
        row.update(peer_s=round(peer[0], 4), peer_processor_s=round(peer[1], 4), ratio=round(peer[0] / ours[0], 1),
                   ratio_shared=round(peer[1] / (ours[1] / threads), 1))
    return row


def geojson_row(tool, side, threads):
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        labels = objects_of(macareu.generate("tissue", (side, side))[0])
        np.save(at / "labels.npy", labels)
        ours = []
        for _ in range(3):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([tool, "contours", at / "labels.npy", "-o", at / "ours.geojson", "--threads", str(threads), "--quiet"], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            ours.append((time.perf_counter() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        peer = seconds_of(lambda: geojson_one_by_one(labels, at / "theirs.geojson"), 1)
        return row_of(f"contours of {len(np.unique(labels)) - 1} objects to GeoJSON, files", side, [min(each) for each in zip(*ours)], peer,
                      threads)


def cases_of(side, threads):
    tissue, _ = macareu.generate("tissue", (side, side))
    mask = tissue > 40
    landscape = -macareu.distance_transform(mask).astype(np.float32)
    seeds = macareu.label(macareu.h_maxima(-landscape, h=1) & mask, connectivity=8).astype(np.int32)
    flat = np.zeros((side, side), np.float32)
    flat_seeds = np.zeros((side, side), np.int32)
    places = np.linspace(side // 16, side - side // 16, 8).astype(int)
    flat_seeds[np.ix_(places, places)] = np.arange(1, 65).reshape(8, 8)
    serpentine = np.ones((side, side), bool)
    serpentine[1::4, 1:] = serpentine[3::4, :-1] = False
    one_seed = np.zeros((side, side), np.int32)
    one_seed[0, 0] = 1
    colour = np.stack([tissue, np.roll(tissue, 7, 1), np.roll(tissue, 5, 0)], -1)
    disc = morphology.disk(10)
    labels = objects_of(tissue)
    how = {"threads": threads}
    cases = {
        "watershed, -distance f32, mask, 8 neighbours": (
            lambda: macareu.watershed(landscape, seeds, mask, connectivity=8, **how),
            lambda: segmentation.watershed(landscape, seeds, mask=mask, connectivity=2)),
        "watershed, flat, 64 seeds": (lambda: macareu.watershed(flat, flat_seeds, connectivity=8, **how), None),
        "watershed, serpentine plateau, mask": (lambda: macareu.watershed(flat, one_seed, serpentine, connectivity=4, **how), None),
        "opening, disc of radius 10": (lambda: macareu.opening(tissue, radius=10, **how), lambda: morphology.opening(tissue, disc)),
        "unmix": (lambda: macareu.unmix(colour, **how), lambda: color.rgb2hed(colour)),
        "local mean, window 101": (lambda: macareu.local_threshold(tissue, window=101, **how),
                                   lambda: tissue > filters.threshold_local(tissue, 101, method="mean")),
        f"contours, {labels.max()} labels": (lambda: macareu.contours(labels, **how), lambda: contours_one_by_one(labels)),
    }
    if cv2:
        cv2.setNumThreads(threads)
        cases["opening, disc of radius 10, against OpenCV"] = (
            cases["opening, disc of radius 10"][0], lambda: cv2.morphologyEx(tissue, cv2.MORPH_OPEN, disc))
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a word in the names of cases")
    parser.add_argument("--tool", help="the program macareu, for GeoJSON")
    parser.add_argument("--json")
    given = parser.parse_args()
    rows = [geojson_row(given.tool, given.side, given.threads)] if given.tool else []
    for name, (ours, peer) in ({} if given.tool else cases_of(given.side, given.threads)).items():
        if given.only not in name:
            continue
        ours()
        rows.append(row_of(name, given.side, seconds_of(ours, given.runs), peer and seconds_of(peer, given.runs), given.threads))
        print(json.dumps(rows[-1]), flush=True)
    if given.tool:
        print(json.dumps(rows[-1]))
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
