#!/usr/bin/env python3
"""Measures how far `auto` is from the better of `tiles` and `contraction`, and from twice `contraction`, in GPU memory.

    PYTHONPATH=build/python bench/auto_bound.py --tool build/bin/macareu [--data DIRECTORY] [--only '16384*'] [--json FILE]
    PYTHONPATH=build/python bench/auto_bound.py --tool build/bin/macareu --pairs 400 [--seed N] [--minutes 8] [--json FILE]

With --pairs, random pairs (auto_pairs.py): seven families of masks, eleven kinds of markers, three types, images of 1024^2 to
16384^2 and volumes. Prints the 90th and 99th percentile and the worst of `auto` against the better strategy, of calls of 0.1 ms and
more. Those above 1.3 are measured three more times. FILE keeps the runs before.

Without --pairs, worst-case pairs. Masks range from flat to noise. Markers:
- faint noise with one high pixel, whose wave crosses the image;
- a random share of the mask;
- the mask less 8, and the mask itself, with a maze in a corner that prolongs the wave.

Images have 4096 x 4096, 16384 x 16384 and 16383 x 16383 pixels (unaligned rows), volumes 512^3, in four types and with all
neighbourhoods. Times are GPU times, as in `bench wave`: the stream is busy when a call comes. Results are compared with those
of `contraction`. Needs CuPy and NumPy, and uses the published tissue if --data has it. Exits with 1 if a result differs.
"""
import fnmatch
import json
import os
import random as dice
import statistics
import sys
import time

import cupy
import numpy as np
from cupyx.scipy.ndimage import gaussian_filter

import macareu
from auto_pairs import Pairs
from comparison import parser_of, suite, tell
from page import table
from peers_tables import bounds

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


def measured(marker, mask, neighbours, strategies=("contraction", "auto")):
    times, results = [], []
    for strategy in strategies:
        out = cupy.empty_like(mask)

        def run():
            macareu.reconstruct(marker, mask, out=out, connectivity=neighbours, strategy=strategy)

        times.append(milliseconds(run))
        out.fill(0)
        run()
        results.append(out)
    equal = all(bool((each == results[0]).all()) for each in results)
    return {f"{strategy}_ms": ms for strategy, ms in zip(strategies, times)} | {"equal": equal}


def rows(shape, all_neighbours, data):
    for name, make in masks(shape, data):
        for marker_name, *pair in pairs(make()):
            for kind in TYPES:
                marker, mask = (as_type(image, kind) for image in pair)
                for neighbours in all_neighbours:
                    yield {"mask": name, "marker": marker_name, "shape": shape, "dtype": np.dtype(kind).name, "connectivity": neighbours,
                           **measured(cupy.minimum(marker, mask), mask, neighbours)}
        cupy.get_default_memory_pool().free_all_blocks()


LEAST_MS, WORTH_ANOTHER_LOOK = 0.1, 1.3


def against_better(row):
    return row["auto_ms"] / min(row["tiles_ms"], row["contraction_ms"])


def measured_well(pair, neighbours, quick):
    """Four times where `auto` seems slow: the time of each strategy is its median."""
    looks = [measured(*pair, neighbours, ("tiles", "contraction", "auto"))]
    if against_better(looks[0]) > WORTH_ANOTHER_LOOK and not quick:
        looks += [measured(*pair, neighbours, ("tiles", "contraction", "auto")) for _ in range(3)]
    row = {name: statistics.median(look[name] for look in looks) for name in looks[0] if name != "equal"}
    return row | {"equal": all(look["equal"] for look in looks)}


def random_rows(options, data):
    pairs = Pairs(options.seed, lambda shape: tissue(shape, data if os.path.exists(data) else None))
    until = time.monotonic() + 60 * options.minutes
    for _ in range(options.pairs):
        if time.monotonic() > until:
            break
        mask, marker, dtype, shape, neighbours = pairs.draw(options.quick)
        pair = pairs.make(mask, marker, dtype, shape)
        yield {"mask": mask, "marker": marker, "dtype": dtype, "shape": shape, "connectivity": neighbours,
               **measured_well(pair, neighbours, options.quick)}
        del pair
        cupy.get_default_memory_pool().free_all_blocks()


def summary_of(rows):
    found = sorted((against_better(row), index) for index, row in enumerate(rows)
                   if min(row["tiles_ms"], row["contraction_ms"]) >= LEAST_MS)
    at = lambda share: found[min(len(found) - 1, int(share * len(found)))][0] if found else None
    return {"pairs": len(rows), "counted": len(found), "median": at(0.5), "p90": at(0.9), "p99": at(0.99), "worst": at(1),
            "offenders": [rows[index] for times, index in reversed(found) if times > WORTH_ANOTHER_LOOK]}


def offenders_table(run):
    rows = [(" x ".join(map(str, row["shape"])), row["mask"], row["marker"], row["dtype"], row["connectivity"],
             *(f"{row[name + '_ms']:.3f}" for name in ("tiles", "contraction", "auto")), f"{against_better(row):.2f}")
            for row in run["offenders"][:20]]
    return table(("image", "mask", "marker", "type", "neighbours", "`tiles`, ms", "`contraction`, ms", "`auto`, ms", "times"), rows)


def account_of_machine(options):
    options.only = "percolation-4k-u8-4-auto"
    with suite("wave", options, keeps_inputs=False) as (report, _):
        del report["cases"]
    return report


def measure_random(options, data):
    print(f"seed {options.seed}")
    rows = list(random_rows(options, data))
    run = account_of_machine(options) | {"suite": "grid", "seed": options.seed, **summary_of(rows)}
    if options.json:
        runs = []
        if os.path.exists(options.json):
            with open(options.json, encoding="utf-8") as file:
                runs = json.load(file)
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(runs + [run], file, indent=1)
            file.write("\n")
    print(offenders_table(run))
    print(", ".join(f"{name} {run[name]:.2f}" for name in ("median", "p90", "p99", "worst") if run[name] is not None),
          f"of {run['counted']} pairs of {LEAST_MS} ms and more; {run['pairs']} drawn with seed {options.seed}")
    return 0 if all(row["equal"] for row in rows) else 1


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", type=int, default=0, help="how many random pairs to draw (default: none)")
    parser.add_argument("--seed", type=int, default=dice.randrange(2**31), help="of the random pairs (default: another every time)")
    parser.add_argument("--minutes", type=float, default=8, help="no random pair is begun later (default: %(default)s)")
    options = parser.parse_args()
    data = options.data or os.environ.get("MACAREU_DATA") or "../shared/data"
    if options.pairs:
        return measure_random(options, os.path.join(data, "tissue-50-mask.npy"))
    shapes = [((side, side), (4, 8)) for side in ((512, 511) if options.quick else (4096, 16384, 16383))]
    shapes += [((32 if options.quick else 512,) * 3, (6, 18, 26))]
    found = []
    for shape, neighbours in shapes:
        if fnmatch.fnmatch(" x ".join(map(str, shape)), options.only):
            found += rows(shape, neighbours, data)
    report = account_of_machine(options) | {"suite": "bound", "bounds": found}
    tell(options, report, bounds(found))
    return 0 if all(row["equal"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
