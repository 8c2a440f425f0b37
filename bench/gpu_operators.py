#!/usr/bin/env python3
"""Whole calls of operators on a GPU against their thresholds: gpu_operators.py PROGRAM [--side 4096] [--json FILE] [--set KEY=VALUE ...]

PROGRAM is bench/timed_calls.cpp. Images are generated, and lie in GPU memory, as do the results. A call is timed on the host's clock, from its
arguments to its end, with the choice of the device. A row is the median of 31 calls after three. Results are compared with those of the cpu device.
Exits with 1 if one differs. A missed threshold is reported, and is no failure.
"""
import argparse
import json
import statistics
import sys
import tempfile

import numpy as np

from page import table
from timed_program import ProgramWithImages

RADII = (1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 50, 52, 55, 60, 80, 100)


def opening_must(radius):
    """0.25 ms at radius 10 and 0.8 at 40; elsewhere twice the line through these."""
    line = 0.25 + (radius - 10) * (0.8 - 0.25) / 30
    return round(line if radius in (10, 40) else 2 * line, 3)


def met(row):
    return "" if row["must_ms"] is None else "yes" if row["ms"] <= row["must_ms"] else "**no**"


def prepare(ours, side):
    """The images of the cases: on the cpu, so that both programs have the same ones."""
    ours.seconds(f"generate tissue tissue {side}x{side}")
    tissue = ours.get("tissue", np.uint8, (side, side))
    inside = tissue > 40
    ours.put("inside", inside)
    ours.seconds("run distance_transform inside distance")
    ours.seconds("run sobel tissue slope")
    distance = ours.get("distance", np.float32, (side, side))
    slope = ours.get("slope", np.float32, (side, side))
    random = np.random.default_rng(1)
    seeds = np.zeros((side, side), np.int32)
    seeds.flat[random.choice(seeds.size, 64, replace=False)] = np.arange(1, 65)
    large = np.pad(tissue, ((0, 3 * side), (0, 3 * side)), "symmetric")
    return {
        "tissue": tissue, "inside": inside, "below": -distance, "seeds": seeds, "flat": np.zeros((side, side), np.uint8),
        "gradient": np.minimum(slope / 4, 255).astype(np.uint8),
        "deep": np.where(inside, 65000 - 64 * distance, 65535).astype(np.uint16),
        "noise": random.integers(0, 256, (side, side), np.uint8),
        "holes": 255 - tissue,
        "lowered": np.where(tissue > 60, tissue - 60, 0).astype(np.uint8),
        "large": large, "large_lowered": np.where(large > 60, large - 60, 0).astype(np.uint8),
    }


def cases(side):
    """(name, must in ms, call)."""
    yield "watershed, gradient, u8, h-minima of 5", 0.75, "watershed gradient,-,- basins h=5 connectivity=8"
    yield "watershed, -distance, u16, h-minima of 64", 0.70, "watershed deep,-,- basins h=64 connectivity=8"
    yield "watershed, -distance, f32, with mask, h-minima of 1", 0.95, "watershed below,-,inside basins h=1 connectivity=8"
    yield "watershed, flat, u8, 64 seeds", 1.7, "watershed flat,seeds,- basins connectivity=8"
    yield "watershed, noise, u8, h-minima of 5", 0.60, "watershed noise,-,- basins h=5 connectivity=8"
    for radius in RADII:
        yield f"opening, u8, disc of radius {radius}", opening_must(radius), f"opening tissue,- opened radius={radius}"
    yield "fill_holes, tissue", 0.40, "fill_holes tissue filled"
    yield "fill_holes, 255 - tissue", 0.40, "fill_holes holes filled"
    yield "canny with its defaults, tissue", 0.35, "canny tissue edges"
    yield "hdome of 60, tissue", None, "hdome tissue domes h=60"
    yield "local_threshold, mean, window 101, tissue", None, "local_threshold tissue above window=101"
    yield "local_threshold, gaussian, window 101, tissue", None, "local_threshold tissue above window=101 method=gaussian"
    yield "local_threshold, gaussian, window 301, tissue", None, "local_threshold tissue above window=301 method=gaussian"
    yield "reconstruct, marker image - 60", None, "reconstruct lowered,tissue wave connectivity=4"
    yield "reconstruct, marker image - 60, contraction", 0.35, "reconstruct lowered,tissue wave connectivity=4 strategy=contraction"
    yield (f"reconstruct, {4 * side}^2 mirrored, marker image - 60", 1.6,
           "reconstruct large_lowered,large large_wave connectivity=4")
    yield (f"reconstruct, {4 * side}^2 mirrored, marker image - 60, contraction", 4.0,
           "reconstruct large_lowered,large large_wave connectivity=4 strategy=contraction")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--device", default="cuda", help="of the timed calls (default: %(default)s)")
    parser.add_argument("--json")
    parser.add_argument("--set", action="append", default=[], help="a field of the file, such as the commit")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        cpu, gpu = ProgramWithImages(folder, options.program), ProgramWithImages(folder, options.program, options.device)
        for name, pixels in prepare(cpu, options.side).items():
            for each in (cpu, gpu):
                each.put(name, pixels)
        for name, must, call in cases(options.side):
            result = call.split()[2]
            each_ms = [1e3 * second for second in gpu.seconds("run " + call, 34)[3:]]
            cpu.seconds("run " + call.split(" strategy=")[0])
            rows.append({"case": name, "ms": round(statistics.median(each_ms), 4), "least_ms": round(min(each_ms), 4),
                         "most_ms": round(max(each_ms), 4), "must_ms": must, "equal": np.array_equal(cpu.pixels(result), gpu.pixels(result))})
    print(table(("case", "ms", "must", "met", "same result"),
                [(row["case"], f"{row['ms']:.3f}", row["must_ms"] or "", met(row), "yes" if row["equal"] else "**NO**")
                 for row in rows]))
    if options.json:
        report = {**dict(field.split("=", 1) for field in options.set), "side": options.side, "rows": rows}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
    return 0 if all(row["equal"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
