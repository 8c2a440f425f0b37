#!/usr/bin/env python3
"""How good edges are, measured as paper 5 does: Pco, Pnd and Pfa against those of ITK's own filter.

    edge_quality.py --tool build/bin/macareu [--edges build/bin/canny_edges] [--data FOLDER] [--device cpu]

Of the maps in tests/data/canny, and where `canny_edges` is given of ITK's filter in the same run: on generated images of the
paper's four sizes and, where their folder is named, on pieces of real ones and one of these as a whole. Exits with 1 where
Pco is below 0.9999. Needs NumPy, and Pillow for the real images.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from make_edge_maps import pixels_of

MAPS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "canny"
SIZES = [(321, 481), (642, 962), (1284, 1924), (2568, 3848)]
PAPER = [("0.9947", "0.0043", "0.0050"), ("0.9970", "0.0027", "0.0022"), ("0.9981", "0.0018", "0.0011"),
         ("0.9989", "0.0010", "0.0005")]
LEAST = 0.9999


class Edges:
    """Edge pixels of ITK, of ours, and of both."""

    def __init__(self):
        self.images = self.expected = self.found = self.both = 0

    def add(self, said):
        both, expected, found = map(int, re.search(r"(\d+) of (\d+) and (\d+) edge pixels", said).groups())
        self.images, self.expected, self.found, self.both = (self.images + 1, self.expected + expected, self.found + found,
                                                             self.both + both)

    def shares(self):
        most = max(self.expected, self.found)
        return self.both / most, (self.expected - self.both) / most, (self.found - self.both) / most


class Comparison:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.rows, self.least = [], 1

    def run(self, *words):
        return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout

    def compare(self, edges, pixels, expected, variance, low, high, error="0.01"):
        """`expected`: edges by ITK; None runs its filter."""
        image, theirs, ours = (f"{self.folder}/{name}.npy" for name in ("image", "itk", "ours"))
        np.save(image, pixels)
        if expected is None:
            kind = "f64" if pixels.dtype == np.float64 else "f32"
            self.run(self.options.edges, image, theirs, variance, low, high, kind, error, ",".join(["1"] * pixels.ndim))
        else:
            np.save(theirs, expected)
        self.run(self.options.tool, "canny", image, "-o", ours, "--variance", variance, "--low", low, "--high", high,
                 "--maximum-error", error, "--device", self.options.device)
        done = subprocess.run([self.options.tool, "compare", "--edges", theirs, ours], capture_output=True, text=True)
        edges.add(done.stdout)

    def tell(self, what, edges, paper=("", "", "")):
        shares = edges.shares()
        self.least = min(self.least, shares[0])
        self.rows.append((what, edges.images, f"{edges.expected:,}", *(f"{share:.6f}" for share in shares), *paper))

    def of_stored_maps(self):
        kinds = {"generate": "generated", "file": "drawn and random", "data": "pieces of a slide"}
        found = {}
        for line in (MAPS / "cases.txt").read_text().splitlines()[1:]:
            name, source, shape, variance, low, high, kind, error, spacing, _ = (field.strip() for field in line.split(";"))
            if source.startswith("data") and not self.options.data:
                continue
            shape = tuple(map(int, shape.split(",")))
            expected = np.unpackbits(np.load(MAPS / name), count=int(np.prod(shape))).reshape(shape)
            steps = reversed(list(map(float, spacing.split(","))))
            variances = ",".join(str(float(variance) / step**2) for step in steps)
            pixels = pixels_of(source, self.options).astype(np.float64 if kind == "f64" else np.float32)
            self.compare(found.setdefault(kinds[source.split()[0]], Edges()), pixels, expected, variances, low, high, error)
        for kind, edges in found.items():
            self.tell(f"tests/data/canny: {kind}", edges)

    def of_sizes(self, what, images):
        for (height, width), paper in zip(SIZES, PAPER):
            edges = Edges()
            for pixels in images(height, width):
                self.compare(edges, pixels.astype(np.float32), None, 1.96, 4, 7)
            self.tell(f"{what}, {height} x {width}", edges, paper)

    def generated(self, height, width):
        for seed in range(1, 6):
            self.run(self.options.tool, "generate", "tissue", "--shape", f"{height},{width}", "--seed", seed, "-o",
                     f"{self.folder}/generated.npy")
            yield np.load(f"{self.folder}/generated.npy")


def pieces(slide):
    def cut(height, width):
        for y, x in ((0, 0), (slide.shape[0] - height, slide.shape[1] - width), (700, 100)):
            yield slide[y:y + height, x:x + width]
    return cut


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--edges")
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    options.to = MAPS
    with tempfile.TemporaryDirectory() as folder:
        all_edges = Comparison(options, folder)
        all_edges.of_stored_maps()
        if options.edges:
            all_edges.of_sizes("generated tissue", all_edges.generated)
        if options.edges and options.data:
            from PIL import Image
            slide = np.asarray(Image.open(options.data / "tissue-50-mask.jpg"))
            all_edges.of_sizes("pieces of a slide", pieces(slide))
            whole = Edges()
            all_edges.compare(whole, slide.astype(np.float32), None, 1.96, 4, 7)
            all_edges.tell(f"the slide, {slide.shape[0]} x {slide.shape[1]}", whole)
    print("| images | number | edge pixels of ITK | Pco | Pnd | Pfa | Pco of the paper | Pnd | Pfa |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in all_edges.rows:
        print("| " + " | ".join(map(str, row)) + " |")
    return all_edges.least < LEAST


if __name__ == "__main__":
    sys.exit(main())
