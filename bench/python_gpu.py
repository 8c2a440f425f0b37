#!/usr/bin/env python3
"""Measures reconstruction on CuPy arrays against the C++ call on the same images, on a GPU.

    PYTHONPATH=build/python bench/python_gpu.py --tool build/bin/macareu [--data DIRECTORY] [--json FILE]

Runs `macareu bench wave` for tissue of 4096 x 4096 pixels (the published pair if --data has it), then the functions of
the package on the same pair in CuPy arrays. Both are timed between two events of an idle stream. Needs CuPy and NumPy.
Exits with 1 if a result differs. A missed threshold is reported, and is no failure.
"""
import os
import statistics
import sys

import cupy
import numpy as np

import macareu
from comparison import finish, parser_of, row, suite

MOST_MS_MORE = 0.030
RUNS = 31


def published(options):
    """The files of the published pair, with the tool's names; None if they are missing."""
    data = options.data or os.environ.get("MACAREU_DATA") or "../shared/data"
    files = [os.path.join(data, f"tissue-50-{which}.npy") for which in ("marker", "mask")]
    return files if not options.quick and all(map(os.path.exists, files)) else None


def pair(options):
    """Clips the marker as the suite does: the published marker exceeds its mask in some pixels."""
    if files := published(options):
        marker, mask = map(np.load, files)
        return np.minimum(marker, mask), mask
    side = 64 if options.quick else 4096
    mask, marker = macareu.generate("tissue", (side, side))
    return marker, mask


def milliseconds(run):
    times = []
    for _ in range(RUNS + 3):  # warm-up: the first calls allocate the cached memory
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return statistics.median(times[3:])


def rows(options, cases):
    given = pair(options)
    marker, mask = map(cupy.asarray, given)
    out = cupy.empty_like(mask)
    # scikit-image's result is float64: CuPy writes eight times the bytes.
    conversion = milliseconds(lambda: mask.astype(np.float64))
    calls = (("`reconstruct`, 4 neighbours, out=, on CuPy's arrays, against C++", 4, 0,
              lambda: macareu.reconstruct(marker, mask, out=out, connectivity=4)),
             ("`reconstruct`, 4 neighbours, on CuPy's arrays, against C++", 4, 0,
              lambda: macareu.reconstruct(marker, mask, connectivity=4)),
             ("`reconstruct`, 8 neighbours, on CuPy's arrays, against C++", 8, 0,
              lambda: macareu.reconstruct(marker, mask)),
             ("`skimage.morphology.reconstruction`, u8 to float64, on CuPy's arrays, against C++ and CuPy's `astype`", 8,
              conversion, lambda: macareu.skimage.morphology.reconstruction(marker, mask)))
    for what, neighbours, more, run in calls:
        reference = more + next(case.get("from_idle_ms", case["median_ms"]) for case in cases if case["connectivity"] == neighbours)
        right = macareu.reconstruct(*given, connectivity=neighbours, device="cpu")
        equal = bool((run().get() == right).all())
        ours = milliseconds(run)
        yield row(what, ours, reference, ours / reference, f"<= +{1e3 * MOST_MS_MORE:.0f} us",
                  ours <= reference + MOST_MS_MORE, equal)


def main():
    options = parser_of(__doc__).parse_args()
    options.only = ("published" if published(options) else "tissue") + "-50-4k-u8-*-auto"
    with suite("wave", options, keeps_inputs=False) as (report, _):
        report["cases"] = [case for case in report["cases"] if not case["transfers"]]
        found = list(rows(options, report["cases"]))
    return finish(options, found, report, cupy, np)


if __name__ == "__main__":
    sys.exit(main())
