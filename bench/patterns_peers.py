#!/usr/bin/env python3
"""Measures the regular operators against SciPy and a memory copy, on the same image in the same run, and against the
project's musts.

    bench/patterns_peers.py --tool build/bin/macareu [--json FILE] [--docs docs/results.md]

Runs `macareu bench patterns`, then SciPy on an image of the same kind. Needs NumPy and SciPy. A must that is missed is
told, no failure. --docs writes both tables between the marks <!-- patterns --> of a page.
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
import scipy
from scipy import ndimage


def median_ms(run, repeat):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


class Cases:
    def __init__(self, report):
        self.all = {case["name"]: case for case in report["cases"]}

    def ms(self, name):
        return self.all[name]["median_ms"]


def row(what, ours, peer, factor, must, met):
    return {"what": what, "ours_ms": ours, "peer_ms": peer, "factor": factor, "must": must, "met": bool(met)}


def against_scipy(cases, options):
    side = 256 if options.quick else 4096
    image = np.random.default_rng(1).integers(0, 256, (side, side), dtype=np.uint8)
    smooth = np.empty(image.shape, np.float32)
    rows = []
    for name, run, least in (("gaussian", lambda: ndimage.gaussian_filter(image, 1.4, output=smooth), 8),
                             ("median5", lambda: ndimage.median_filter(image, 5), 20)):
        ours, peer = cases.ms(f"must-{name}-random-cpu"), median_ms(run, options.peer_repeat)
        rows.append(row(f"{name} {side}^2 u8, cpu, against SciPy", ours, peer, peer / ours, f">= {least}",
                        peer / ours >= least))
    return rows


def most(what, ours, peer, limit):
    return row(what, ours, peer, ours / peer, f"<= {limit}", ours / peer <= limit)


def against_copy(cases):
    copy = cases.ms("must-copy-random-cpu")
    return [most(f"{name}, {instance}, cpu, against a memory copy", cases.ms(f"must-{name}-{instance}-cpu"), copy, limit)
            for name, instance, limit in (("threshold", "random", 2), ("histogram", "random", 6),
                                          ("histogram", "constant", 6))]


def on_the_gpu(cases):
    """Shares of the bandwidth of a copy by what must be read and written, and times by CUB's."""
    if "must-copy-random-cuda" not in cases.all:
        return []
    copy = cases.ms("must-copy-random-cuda")
    rows = []
    for name, bytes_a_pixel, share in (("threshold", 2, 0.85), ("sobel", 5, 0.60), ("gaussian", 5, 0.50)):
        ours = cases.ms(f"must-{name}-random-cuda")
        reached = copy / ours * bytes_a_pixel / 2
        rows.append(row(f"{name} 16384^2 u8, GPU, of the copy's bandwidth", ours, copy, reached, f">= {share}",
                        reached >= share))
    for peer in ("cub-max", "cub-sum"):
        rows.append(most(f"statistics, GPU, against {peer}", cases.ms("must-statistics-random-cuda"),
                         cases.ms(f"must-{peer}-random-cuda"), 1.15))
    for instance in ("random", "constant"):
        rows.append(most(f"histogram, {instance}, GPU, against CUB's on random", cases.ms(f"must-histogram-{instance}-cuda"),
                         cases.ms("must-cub-histogram-random-cuda"), 1.2))
    return rows


def must_table(rows):
    lines = ["what | ours, ms | peer or reference, ms | factor | must | met", "--- | ---: | ---: | ---: | --- | ---"]
    for each in rows:
        lines.append(" | ".join((each["what"], f"{each['ours_ms']:.3f}", f"{each['peer_ms']:.3f}",
                                 f"{each['factor']:.2f}", each["must"], "yes" if each["met"] else "no")))
    return "\n".join(lines)


def figure_table(cases):
    """Figure 5 of paper 4: times of the kernel alone, and with the image brought to the GPU and the result back."""
    lines = ["pattern | image | cpu, ms | GPU, ms | GPU with transfers, ms | cpu / GPU | cpu / GPU with transfers",
             "--- | --- | ---: | ---: | ---: | ---: | ---:"]
    for pattern, operator in (("P2P", "threshold"), ("N2P", "sobel"), ("R2S", "statistics"), ("R2V", "histogram")):
        for size in ("1080p", "4k", "8k"):
            names = [f"figure5-{operator}-{size}-{where}" for where in ("cpu", "cuda", "cuda-host")]
            cpu, *gpu = [cases.all[name].get("median_ms") if name in cases.all else None for name in names]
            texts = ["" if each is None else f"{each:.3f}" for each in (cpu, *gpu)]
            texts += ["" if each is None else f"{cpu / each:.1f}" for each in gpu]
            lines.append(" | ".join((f"{pattern}: {operator}", size, *texts)))
    return "\n".join(lines)


def write_docs(page, report, rows, cases):
    begin, end = "<!-- patterns -->", "<!-- /patterns -->"
    with open(page, encoding="utf-8") as file:
        text = file.read()
    machine = report["machine"]
    where = ", ".join([f"{machine['threads']} threads of {machine['processor']}"] +
                      [gpu["name"] for gpu in machine.get("gpus", [])])
    made = (f"{begin}\n{where}; {report['compiler']}; SciPy {scipy.__version__}; commit {report['commit']}.\n\n"
            f"### What must hold\n\n{must_table(rows)}\n\n### Figure 5 of paper 4\n\n{figure_table(cases)}\n{end}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text[:text.index(begin)] + made + text[text.index(end) + len(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/macareu", help="the built tool (default: %(default)s)")
    parser.add_argument("--json", help="write the table, with our suite's report, to this file")
    parser.add_argument("--docs", help="write the tables into this page")
    parser.add_argument("--peer-repeat", type=int, default=3, help="runs of SciPy (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="small images: to see that it works, not to measure")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as directory:
        report_file = os.path.join(directory, "bench.json")
        subprocess.run([options.tool, "bench", "patterns", "--json", report_file] + ["--quick"] * options.quick,
                       check=True)
        with open(report_file, encoding="utf-8") as file:
            report = json.load(file)
    cases = Cases(report)
    rows = against_scipy(cases, options) + against_copy(cases) + on_the_gpu(cases)
    print(f"\n{must_table(rows)}\n\n{figure_table(cases)}")
    if options.docs:
        write_docs(options.docs, report, rows, cases)
    if options.json:
        peers = {"scipy": scipy.__version__, "numpy": np.__version__, "python": sys.version.split()[0]}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"peers": peers, "rows": rows, "bench": report}, file, indent=2)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
