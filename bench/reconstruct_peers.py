#!/usr/bin/env python3
"""Measures reconstruction against scikit-image, on the same images in the same run, and against the thresholds.

    bench/reconstruct_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench reconstruct`, then scikit-image on the saved images. Results must be equal pixel by pixel. Needs NumPy
and scikit-image. Exits with 1 if a result differs. A missed threshold is reported, and is no failure.
"""
import os
import subprocess
import sys

import numpy as np
import scipy.ndimage
import skimage
from skimage.morphology import reconstruction

from comparison import at_most, faster, finish, median_ms, parser_of, row, suite


class Cases:
    """Looks up a result of the suite by its case."""

    def __init__(self, report):
        self.all = report["cases"]

    def find(self, instance, connectivity, dtype="u8", before="", after=""):
        """`before` and `after`: the parts of the name around instance, type and connectivity."""
        names = [f"{before}{name}-{dtype}-{connectivity}{after}" for name in instance]
        for case in self.all:
            if case["name"] in names:
                return case
        raise LookupError(f"the suite has no case {' or '.join(names)}")


TISSUE = ("tissue-50", "tissue")
MIRRORED = ("tissue-50-mirrored", "tissue-mirrored")


def footprint_of(connectivity, rank):
    reach = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[connectivity]
    return scipy.ndimage.generate_binary_structure(rank, reach)


def same_pixels(tool, directory, case, peer):
    """Compares our result from the command line with the peer's."""
    base = os.path.join(directory, case["instance"])
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "reconstruct", base + "-marker.npy", base + "-mask.npy", "-o", ours, "--connectivity",
                    str(case["connectivity"])], check=True)
    return int(peer.sum()) == case["sum"] and np.array_equal(np.load(ours), peer)


def against_scikit_image(directory, cases, options):
    rows = []
    for instance, connectivity, must, goal in ((TISSUE, 4, 150, 250), (TISSUE, 8, 150, 250), (("noise",), 26, 60, None)):
        case = cases.find(instance, connectivity)
        base = os.path.join(directory, case["instance"])
        marker, mask = np.load(base + "-marker.npy"), np.load(base + "-mask.npy")
        footprint = footprint_of(connectivity, mask.ndim)
        peer, result = median_ms(lambda: reconstruction(marker, mask, method="dilation", footprint=footprint),
                                 options.peer_repeat)
        shape = " x ".join(map(str, case["shape"]))
        rows.append(faster(f"{case['instance']} {shape} u8, {connectivity} neighbours, against scikit-image",
                           case["median_ms"], peer, must, goal, same_pixels(options.tool, directory, case, result)))
    return rows


def against_ourselves(cases):
    four, eight = cases.find(TISSUE, 4), cases.find(TISSUE, 8)
    limits = (("tissue 16384^2 against 4096^2, 4 neighbours", cases.find(MIRRORED, 4), four, 20),
              ("tissue 16384^2 against 4096^2, 8 neighbours", cases.find(MIRRORED, 8), eight, 20),
              ("serpentine against tissue, 4 neighbours", cases.find(("serpentine",), 4), four, 5),
              ("serpentine against tissue, 8 neighbours", cases.find(("serpentine",), 8), eight, 5),
              ("u16 against u8", cases.find(TISSUE, 8, "u16"), eight, 3),
              ("f32 against u8", cases.find(TISSUE, 8, "f32"), eight, 5))
    rows = [at_most(what, case["median_ms"], reference["median_ms"], limit) for what, case, reference, limit in limits]
    one, two = (cases.find(TISSUE, 8, after=f"-threads-{count}")["median_ms"] for count in (1, 2))
    return rows + [faster("2 threads against 1", two, one, 1.7)]


def memory_row(cases):
    case = cases.find(TISSUE, 8, before="memory-")
    if "extra_bytes" not in case:
        return row("memory beyond inputs and output: not told by this system", None, None, None, "", False)
    pixels = np.prod(case["shape"], dtype=np.int64)
    must = 0.5 * pixels + 64 * 2**20
    extra = case["extra_bytes"]
    return row(f"memory beyond inputs and output: {extra / 2**20:.1f} MiB", None, None, extra / pixels,
               f"<= {must / 2**20:.0f} MiB (0.5 byte a pixel + 64 MiB)", extra <= must)


def main():
    options = parser_of(__doc__).parse_args()
    with suite("reconstruct", options) as (report, directory):
        cases = Cases(report)
        rows = against_scikit_image(directory, cases, options)
    rows += against_ourselves(cases) + [memory_row(cases)]
    return finish(options, rows, report, skimage, np)


if __name__ == "__main__":
    sys.exit(main())
