#!/usr/bin/env python3
"""Measures the regular operators against SciPy and a memory copy in the same run, and against the thresholds.

    bench/patterns_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench patterns`, then SciPy on an image of the same kind. Needs NumPy and SciPy. A missed threshold is
reported, and is no failure.
"""
import sys

import numpy as np
import scipy
from scipy import ndimage

from comparison import at_most, faster, finish, median_ms, parser_of, row, suite


class Cases:
    def __init__(self, report):
        self.all = {case["name"]: case for case in report["cases"]}

    def ms(self, name):
        return self.all[name]["median_ms"]


def against_scipy(cases, options):
    side = 256 if options.quick else 4096
    image = np.random.default_rng(1).integers(0, 256, (side, side), dtype=np.uint8)
    smooth = np.empty(image.shape, np.float32)
    rows = []
    for name, run, least in (("gaussian", lambda: ndimage.gaussian_filter(image, 1.4, output=smooth), 8),
                             ("median5", lambda: ndimage.median_filter(image, 5), 20)):
        peer, _ = median_ms(run, options.peer_repeat)
        rows.append(faster(f"{name} {side}^2 u8, cpu, against SciPy", cases.ms(f"must-{name}-random-cpu"), peer, least))
    return rows


def against_copy(cases):
    copy = cases.ms("must-copy-random-cpu")
    return [at_most(f"{name}, {instance}, cpu, against a memory copy", cases.ms(f"must-{name}-{instance}-cpu"), copy,
                    limit)
            for name, instance, limit in (("threshold", "random", 2), ("histogram", "random", 6),
                                          ("histogram", "constant", 6))]


def on_the_gpu(cases):
    """Shares of a copy's bandwidth, from the bytes that must be read and written, and ratios to CUB's times."""
    if "must-copy-random-cuda" not in cases.all:
        return []
    copy = cases.ms("must-copy-random-cuda")
    rows = []
    for name, bytes_a_pixel, share in (("threshold", 2, 0.85), ("sobel", 5, 0.60), ("gaussian", 5, 0.50)):
        ours = cases.ms(f"must-{name}-random-cuda")
        reached = copy / ours * bytes_a_pixel / 2
        rows.append(row(f"{name} 16384^2 u8, GPU, of the copy's bandwidth", ours, copy, reached, f">= {share}",
                        reached >= share))
    for name, peer in (("maximum", "max"), ("sum", "sum")):
        rows.append(at_most(f"statistics, GPU, against CUB's {name} alone", cases.ms("must-statistics-random-cuda"),
                            cases.ms(f"must-cub-{peer}-random-cuda"), 1.15))
    for instance in ("random", "constant"):
        rows.append(at_most(f"histogram, {instance}, GPU, against CUB's on random", cases.ms(f"must-histogram-{instance}-cuda"),
                         cases.ms("must-cub-histogram-random-cuda"), 1.2))
    return rows


def main():
    options = parser_of(__doc__).parse_args()
    with suite("patterns", options) as (report, _):
        cases = Cases(report)
    rows = against_scipy(cases, options) + against_copy(cases) + on_the_gpu(cases)
    return finish(options, rows, report, scipy, np)


if __name__ == "__main__":
    sys.exit(main())
