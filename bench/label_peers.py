#!/usr/bin/env python3
"""Measures labelling against SciPy and OpenCV, on the same images in the same run, and against the project's musts.

    bench/label_peers.py --tool build/bin/macareu [--json FILE] [--data DIR] [--quick]

Runs the cases of `macareu bench label` that have a peer, then the peers on the images that it saved. Needs NumPy, SciPy
and, for one of the musts, OpenCV (python3-opencv). A must that is missed is told, no failure.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.ndimage

try:
    import cv2
except ImportError:
    cv2 = None

# Case, peer, must, goal: how many times faster.
MUSTS = [("tissue-above-40-{image}-8", "scipy", 8, 14),
         ("tissue-above-40-{image}-8", "opencv", 1.5, 3),
         ("random-0.3-{volume}-26", "scipy", 3, 8)]


def milliseconds(work, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def peer_milliseconds(peer, image, repeat):
    if peer == "opencv":
        return milliseconds(lambda: cv2.connectedComponents(image, connectivity=8, ltype=cv2.CV_32S), repeat)
    structure = np.ones((3,) * image.ndim)
    binary = image.astype(bool)
    return milliseconds(lambda: scipy.ndimage.label(binary, structure), repeat)


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--tool", required=True)
    words.add_argument("--json")
    words.add_argument("--data")
    words.add_argument("--quick", action="store_true")
    options = words.parse_args()
    sizes = {"image": 256, "volume": 64} if options.quick else {"image": 4096, "volume": 512}
    rows = []
    for pattern, peer, must, goal in MUSTS:
        name = pattern.format(**sizes)
        if peer == "opencv" and cv2 is None:
            print(f"{name}: no OpenCV (python3-opencv) to compare with")
            continue
        with tempfile.TemporaryDirectory() as directory:
            report = os.path.join(directory, "bench.json")
            command = [options.tool, "bench", "label", "--only", name, "--json", report, "--save-inputs", directory]
            command += ["--data", options.data] if options.data else []
            command += ["--quick"] if options.quick else []
            subprocess.run(command, check=True)
            with open(report, encoding="utf-8") as file:
                ours = json.load(file)["cases"][0]["median_ms"]
            image = np.load(os.path.join(directory, name.rsplit("-", 1)[0] + ".npy"))
        theirs = peer_milliseconds(peer, image, 3 if image.ndim == 2 else 1)
        rows.append({"case": name, "peer": peer, "ours_ms": ours, "peer_ms": theirs, "factor": theirs / ours, "must": must,
                     "goal": goal})
        print(f"{name} against {peer}: {ours:.1f} ms, {theirs:.1f} ms, {theirs / ours:.2f} times (must {must}, goal {goal})"
              + ("" if theirs / ours >= must else "  MISSED"))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
