#!/usr/bin/env python3
"""Measures how far `auto` is from twice `contraction`, on worst-case pairs in GPU memory.

    PYTHONPATH=build/python bench/auto_bound.py --tool build/bin/macareu [--data DIRECTORY] [--only '16384*'] [--json FILE]

`auto` switches from `tiles` to `contraction` once `tiles` has taken about as long as `contraction` will take. That time
depends on the mask, and on the work that the marker leaves. Masks range from flat to noise. Markers:
- faint noise with one high pixel, whose wave crosses the image;
- a random share of the mask;
- the mask less 8, and the mask itself, with a maze in a corner that prolongs the wave.

Images have 4096 x 4096, 16384 x 16384 and 16383 x 16383 pixels (unaligned rows), volumes 512^3, in four types and with all
neighbourhoods. Times are GPU times, as in `bench wave`: the stream is busy when a call comes. Results are compared with those
of `contraction`. Needs CuPy and NumPy, and uses the published tissue if --data has it. Exits with 1 if a result differs or
the constant is exceeded.
"""
import fnmatch
import os
import statistics
import sys

import cupy
import numpy as np
from cupyx.scipy.ndimage import gaussian_filter

import macareu
from comparison import parser_of, suite, tell
from peers_tables import MOST_BEYOND_MS, beyond_ms, bounds

TYPES = (np.uint8, np.uint16, np.float32, np.float64)
HIGHEST = 250
MAZE = 2048
numbers = cupy.random.RandomState(7)
busy = cupy.RawKernel("""extern "C" __global__ void busy() {
  for (const long long begin = clock64(); clock64() - begin < 300000;) __nanosleep(1000);
}""", "busy")


def random(shape):
    return numbers.random_sample(shape, dtype=cupy.float32)


def smooth(shape, sigma):
    image = gaussian_filter(random(shape), sigma)
    return 30 + 200 * (image - image.min()) / (image.max() - image.min())


def ripples(shape):
    """Curved stripes with a period of 16 pixels."""
    y, x = (cupy.arange(n, dtype=cupy.float32) for n in shape[-2:])
    image = 150 + 50 * cupy.sin((x[None, :] + 8 * cupy.sin(y[:, None] / 20)) * np.float32(2 * np.pi / 16))
    return cupy.broadcast_to(image, shape).copy()


def tissue(shape, file):
    """The published tissue, or generated tissue."""
    image = np.load(file) if file else macareu.generate("tissue", (4096, 4096))[0]
    image = cupy.asarray(image).astype(cupy.float32)
    return cupy.tile(image, [-(-n // m) for n, m in zip(shape, image.shape)])[:shape[0], :shape[1]]


def masks(shape, data):
    """Names, and functions that return floats up to HIGHEST."""
    yield "flat", lambda: cupy.full(shape, 200, cupy.float32)
    yield "ripples", lambda: ripples(shape)
    yield "noise, smoothed with sigma 6", lambda: smooth(shape, 6)
    yield "noise", lambda: 60 + 180 * random(shape)
    if len(shape) == 2:
        yield "ramp", lambda: cupy.broadcast_to(cupy.linspace(30, 230, shape[-1], dtype=cupy.float32), shape).copy()
        yield "flat, an eighth of the pixels lower", lambda: cupy.where(random(shape) < 1 / 8, cupy.float32(100), cupy.float32(200))
        yield "noise, smoothed with sigma 2", lambda: smooth(shape, 2)
        published = os.path.join(data, "tissue-50-mask.npy")
        if os.path.exists(published):
            yield "tissue", lambda: tissue(shape, published)
        else:
            yield "tissue, generated", lambda: tissue(shape, None)


def with_maze(marker, mask):
    """A serpentine corridor of one pixel with a marker at its start; in volumes with a wall below."""
    marker, mask = marker.copy(), mask.copy()
    side = min(MAZE, *mask.shape[-2:])
    maze = cupy.full((side, side), HIGHEST, cupy.float32)
    maze[1::2] = 0
    maze[1::4, -1] = maze[3::4, 0] = HIGHEST
    for image, inside in ((mask, maze), (marker, 0)):
        if image.ndim == 3:
            image[1, :side, :side] = 0
            image = image[0]
        image[:side, :side] = inside
    marker[(0,) * marker.ndim] = HIGHEST
    return marker, mask


def pairs(mask):
    faint = cupy.minimum(25 * random(mask.shape), mask)
    highest = int(mask.argmax())
    faint.ravel()[highest] = mask.ravel()[highest]
    yield "faint noise", faint, mask
    if mask.ndim == 2:
        yield "a share of the mask", *with_maze(mask * random(mask.shape), mask)
        yield "the mask less 8", *with_maze(cupy.maximum(mask - 8, 0), mask)
    yield "the mask", *with_maze(mask, mask)


def as_type(image, kind):
    return (image * 256).astype(kind) if kind == np.uint16 else image.astype(kind)


def milliseconds(run):
    """Three runs after a warm-up, or one run if it is long."""
    times = []
    while len(times) < 4 and sum(times) < 400:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        busy((1,), (1,), ())
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return statistics.median(times[1:] or times)


def measured(marker, mask, neighbours):
    times, results = [], []
    for strategy in ("contraction", "auto"):
        out = cupy.empty_like(mask)

        def run():
            macareu.reconstruct(marker, mask, out=out, connectivity=neighbours, strategy=strategy)

        times.append(milliseconds(run))
        out.fill(0)
        run()
        results.append(out)
    return {"contraction_ms": times[0], "auto_ms": times[1], "equal": bool((results[0] == results[1]).all())}


def rows(shape, all_neighbours, data):
    for name, make in masks(shape, data):
        for marker_name, *pair in pairs(make()):
            for kind in TYPES:
                marker, mask = (as_type(image, kind) for image in pair)
                for neighbours in all_neighbours:
                    yield {"mask": name, "marker": marker_name, "shape": shape, "dtype": np.dtype(kind).name, "connectivity": neighbours,
                           **measured(cupy.minimum(marker, mask), mask, neighbours)}
        cupy.get_default_memory_pool().free_all_blocks()


def main():
    options = parser_of(__doc__).parse_args()
    data = options.data or os.environ.get("MACAREU_DATA") or "../shared/data"
    shapes = [((side, side), (4, 8)) for side in ((512, 511) if options.quick else (4096, 16384, 16383))]
    shapes += [((32 if options.quick else 512,) * 3, (6, 18, 26))]
    found = []
    for shape, neighbours in shapes:
        if fnmatch.fnmatch(" x ".join(map(str, shape)), options.only):
            found += rows(shape, neighbours, data)
    options.only = "percolation-4k-u8-4-auto"  # for its account of the machine
    with suite("wave", options, keeps_inputs=False) as (report, _):
        del report["cases"]
    report.update(suite="bound", bounds=found)
    tell(options, report, bounds(found))
    return 0 if all(row["equal"] and beyond_ms(row) <= MOST_BEYOND_MS for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
