#!/usr/bin/env python3
"""Writes tests/data/canny: edge maps by ITK's own filter. Needs NumPy, and Pillow where the real images are.

    make_edge_maps.py --edges build/bin/canny_edges --tool build/bin/macareu --to tests/data/canny [--data FOLDER]
"""
import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

# name, where pixels come from, and runs: variance, low, high, type, maximum error, spacing (x,y or x,y,z)
CASES = [
    ("tissue", "generate tissue 200,300", [(1.96, 4, 7), (0.5, 2, 9), (9, 1, 3), (100, 0.5, 1),
                                           (1.96, 4, 7, "f32", 0.001), (1.96, 4, 7, "f32", 0.01, "0.5,2")]),
    ("tissue-odd", "generate tissue 97,61", [(1, 5, 15), (4, 2, 2)]),
    ("noise", "generate noise 24,30,28", [(1, 2, 4), (2.25, 1, 4, "f32", 0.01, "1,0.75,2")]),
    ("noise-thin", "generate noise 2,31,40", [(1, 1, 2)]),
    ("random", "file random.npy", [(1, 10, 30), (1, 10, 30, "f64"), (0.25, 20, 60), (4, 1, 5)]),
    ("shapes", "file shapes.npy", [(1.96, 4, 7), (0, 4, 7), (9, 0, 0)]),
    ("narrow", "file narrow.npy", [(1, 3, 6)]),
    ("tiny", "file tiny.npy", [(1, 1, 2)]),
    ("slide", "data tissue-50-mask.jpg 3072,1792,192,256", [(1.96, 4, 7), (1, 8, 20)]),
    ("slide-corner", "data tissue-50-marker.jpg 3935,2600,161,203", [(1.96, 2, 5)]),
]


def stored_images():
    random = np.random.default_rng(1).integers(0, 256, (64, 80)).astype(np.uint8)
    shapes = np.full((64, 97), 40, np.uint8)
    shapes[10:30, 0:25] = 200
    shapes[0:12, 50:80] = 120
    shapes[40:64, 70:97] = 255
    y, x = np.mgrid[:64, :97]
    shapes[(y - 42) ** 2 + (x - 40) ** 2 < 15**2] = 0
    shapes[np.abs(y - x // 2) < 2] = 90
    narrow = np.random.default_rng(2).integers(0, 256, (5, 60)).astype(np.uint8)
    return {"random": random, "shapes": shapes, "narrow": narrow, "tiny": random[:3, :3].copy()}


def pixels_of(source, options):
    kind, *words = source.split()
    if kind == "file":
        return np.load(options.to / words[0])
    if kind == "data":
        from PIL import Image
        y, x, height, width = map(int, words[1].split(","))
        return np.asarray(Image.open(options.data / words[0]))[y:y + height, x:x + width].copy()
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/image.npy"
        subprocess.run([options.tool, "generate", words[0], "--shape", words[1], "-o", file], check=True)
        return np.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edges", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--to", required=True, type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path)
    options = parser.parse_args()
    options.to.mkdir(parents=True, exist_ok=True)
    for name, pixels in stored_images().items():
        np.save(options.to / f"{name}.npy", pixels)
    lines = ["# edges; image; shape; variance; low; high; type; maximum error; spacing; edge pixels"]
    with tempfile.TemporaryDirectory() as folder:
        for name, source, runs in CASES:
            if source.startswith("data") and not options.data:
                print("left out, without --data:", name)
                continue
            pixels = pixels_of(source, options)
            np.save(f"{folder}/in.npy", pixels)
            ones = ",".join(["1"] * pixels.ndim)
            for run in runs:
                variance, low, high, kind, error, spacing = run + ("f32", 0.01, ones)[len(run) - 3:]
                subprocess.run([options.edges, f"{folder}/in.npy", f"{folder}/out.npy", str(variance), str(low),
                                str(high), kind, str(error), spacing], check=True)
                edges = np.load(f"{folder}/out.npy")
                file = f"{name}-{sum(line.startswith(name + '-') and line[len(name) + 1].isdigit() for line in lines) + 1}.npy"
                np.save(options.to / file, np.packbits(edges))
                shape = ",".join(map(str, pixels.shape))
                lines.append(f"{file}; {source}; {shape}; {variance}; {low}; {high}; {kind}; {error}; {spacing}; {edges.sum()}")
    (options.to / "cases.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
