#!/usr/bin/env python3
"""Measures reconstruction against scikit-image, on the same images in the same run, and against the project's musts.

    bench/reconstruct_peers.py --tool build/bin/macareu [--json FILE]

Runs `macareu bench reconstruct`, then scikit-image on the images that it saved; results must be equal pixel by
pixel. Needs NumPy and scikit-image. Exits with 1 where a result differs; a must that is missed is told, no failure.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.ndimage
import skimage
from skimage.morphology import reconstruction


def run_bench(tool, directory, options):
    """The report of our own suite; its images are left in the directory."""
    report = os.path.join(directory, "bench.json")
    command = [tool, "bench", "reconstruct", "--json", report, "--save-inputs", directory]
    if options.data:
        command += ["--data", options.data]
    if options.quick:
        command += ["--quick"]
    subprocess.run(command, check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


class Cases:
    """Looks up what the suite measured by what was measured."""

    def __init__(self, report):
        self.all = report["cases"]

    def find(self, instance, connectivity, dtype="u8", before="", after=""):
        """`before` and `after`: what the name has around instance, type and connectivity."""
        names = [f"{before}{name}-{dtype}-{connectivity}{after}" for name in instance]
        for case in self.all:
            if case["name"] in names:
                return case
        raise LookupError(f"the suite has no case {' or '.join(names)}")


TISSUE = ("tissue-50", "tissue")
MIRRORED = ("tissue-50-mirrored", "tissue-mirrored")


def peer_milliseconds(marker, mask, connectivity, repeat):
    reach = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}[connectivity]
    footprint = scipy.ndimage.generate_binary_structure(mask.ndim, reach)
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = reconstruction(marker, mask, method="dilation", footprint=footprint)
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), result


def same_pixels(tool, directory, case, peer):
    """Our result by the command line, against the peer's."""
    base = os.path.join(directory, case["instance"])
    ours = os.path.join(directory, "ours.npy")
    subprocess.run([tool, "reconstruct", base + "-marker.npy", base + "-mask.npy", "-o", ours, "--connectivity",
                    str(case["connectivity"])], check=True)
    return int(peer.sum()) == case["sum"] and np.array_equal(np.load(ours), peer)


def row(what, ours, peer, factor, must, met, equal=None):
    return {"what": what, "ours_ms": ours, "peer_ms": peer, "factor": factor, "must": must, "met": bool(met),
            "equal": equal}


def against_scikit_image(tool, directory, cases, options):
    rows = []
    for instance, connectivity, must, goal in ((TISSUE, 4, 150, 250), (TISSUE, 8, 150, 250), (("noise",), 26, 60, None)):
        case = cases.find(instance, connectivity)
        base = os.path.join(directory, case["instance"])
        marker, mask = np.load(base + "-marker.npy"), np.load(base + "-mask.npy")
        peer, result = peer_milliseconds(marker, mask, connectivity, options.peer_repeat)
        factor = peer / case["median_ms"]
        shape = " x ".join(map(str, case["shape"]))
        rows.append(row(f"{case['instance']} {shape} u8, {connectivity} neighbours, against scikit-image",
                        case["median_ms"], peer, factor, f">= {must}" + (f" (goal {goal})" if goal else ""),
                        factor >= must, same_pixels(tool, directory, case, result)))
    return rows


def ratio(what, case, reference, most):
    factor = case["median_ms"] / reference["median_ms"]
    return row(what, case["median_ms"], reference["median_ms"], factor, f"<= {most}", factor <= most)


def against_ourselves(cases):
    four, eight = cases.find(TISSUE, 4), cases.find(TISSUE, 8)
    rows = [
        ratio("tissue 16384^2 against 4096^2, 4 neighbours", cases.find(MIRRORED, 4), four, 20),
        ratio("tissue 16384^2 against 4096^2, 8 neighbours", cases.find(MIRRORED, 8), eight, 20),
        ratio("serpentine against tissue, 4 neighbours", cases.find(("serpentine",), 4), four, 5),
        ratio("serpentine against tissue, 8 neighbours", cases.find(("serpentine",), 8), eight, 5),
        ratio("u16 against u8", cases.find(TISSUE, 8, "u16"), eight, 3),
        ratio("f32 against u8", cases.find(TISSUE, 8, "f32"), eight, 5),
    ]
    one, two = (cases.find(TISSUE, 8, after=f"-threads-{count}") for count in (1, 2))
    gain = one["median_ms"] / two["median_ms"]
    rows.append(row("2 threads against 1", two["median_ms"], one["median_ms"], gain, ">= 1.7", gain >= 1.7))
    return rows


def memory_row(cases):
    case = cases.find(TISSUE, 8, before="memory-")
    if "extra_bytes" not in case:
        return row("memory beyond inputs and output: not told by this system", None, None, None, "", False)
    pixels = np.prod(case["shape"], dtype=np.int64)
    must = 0.5 * pixels + 64 * 2**20
    extra = case["extra_bytes"]
    return row(f"memory beyond inputs and output: {extra / 2**20:.1f} MiB", None, None, extra / pixels,
               f"<= {must / 2**20:.0f} MiB (0.5 byte a pixel + 64 MiB)", extra <= must)


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def print_table(rows):
    print("\nwhat | ours ms | peer or reference ms | factor | must | met | equal")
    print("--- | ---: | ---: | ---: | --- | --- | ---")
    for each in rows:
        equal = {None: "", True: "yes", False: "NO"}[each["equal"]]
        print(" | ".join((each["what"], number(each["ours_ms"], 2), number(each["peer_ms"], 2),
                          number(each["factor"], 2), each["must"], "yes" if each["met"] else "no", equal)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/macareu", help="the built tool (default: %(default)s)")
    parser.add_argument("--data", help="directory of the published images, as for `macareu bench`")
    parser.add_argument("--json", help="write the table, with our suite's report, to this file")
    parser.add_argument("--peer-repeat", type=int, default=3, help="runs of scikit-image (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="small images: to see that it works, not to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as directory:
        report = run_bench(options.tool, directory, options)
        cases = Cases(report)
        rows = against_scikit_image(options.tool, directory, cases, options)
    rows += against_ourselves(cases) + [memory_row(cases)]
    print_table(rows)
    if options.json:
        peers = {"scikit-image": skimage.__version__, "numpy": np.__version__, "python": sys.version.split()[0]}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"peers": peers, "rows": rows, "bench": report}, file, indent=2)
            file.write("\n")
    return 1 if any(each["equal"] is False for each in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
