#!/usr/bin/env python3
"""Measures kernels of generated programs beside a copy of the image in the same run, against the thresholds.

    bench/generated.py --tool build/bin/macareu [--descriptions DIR] [--json FILE]

Converts examples/convert/binarise.c and sobel.c (on a machine without libclang: their descriptions, DIR/NAME.json), and
bench/gradient.json, the magnitude of the operator sobel. Compiles the output of `macareu convert` with
bench/generated_kernel.cu, and runs it on 16384 x 16384 random pixels in GPU memory. Results are compared with the
program's OpenMP engine. Needs nvcc and a GPU.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from comparison import parser_of, suite, tell
from page import ROOT
from peers_tables import pattern_musts

# Name in the tables, example, parameters.
PROGRAMS = (("threshold", "binarise", "27", "P2P"), ("sobel", "sobel", "", "N2P"), ("gradient", "gradient", "", "N2P"))
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def source_of(options, name):
    if name == "gradient":
        return os.path.join(ROOT, "bench", "gradient.json")
    if options.descriptions:
        return os.path.join(options.descriptions, name + ".json")
    return os.path.join(ROOT, "examples", "convert", name + ".c")


def compiled(options, directory, name, parameters, timing="generated_kernel.cu"):
    program = os.path.join(directory, name)
    subprocess.run([options.tool, "convert", source_of(options, name), "-o", program], check=True, stdout=subprocess.DEVNULL)
    files = [os.path.join(program, name + end) for end in (".cpp", "_serial.cpp")]
    subprocess.run([NVCC, "-std=c++17", "-O3", "--fmad=false", "-arch=native", "-DWITH_CUDA", f'-DPROGRAM="{name}.cu"',
                    f"-DPARAMETERS={parameters}", "-I" + program, "-Xcompiler=-fopenmp,-ffp-contract=off",
                    os.path.join(ROOT, "bench", timing), *files, "-o", os.path.join(program, "timing")],
                   check=True)
    return os.path.join(program, "timing")


def measured(program, side):
    done = subprocess.run([program, str(side)], check=True, stdout=subprocess.PIPE, text=True)
    return {words[0]: list(map(float, words[1:])) for words in map(str.split, done.stdout.splitlines())}


def case(name, side, times, **more):
    median = statistics.median(times)
    return {"name": name, "instance": "random", "shape": [side, side], "dtype": "u8", "threads": 1, "runs": len(times),
            "median_ms": median, "min_ms": min(times), "ns_per_pixel": 1e6 * median / side**2, "device": "cuda",
            "transfers": False, **more}


def asked(doc):
    parser = parser_of(doc)
    parser.add_argument("--descriptions", help="directory of descriptions to convert in place of the sources")
    if NVCC is None:
        sys.exit("nvcc is needed")
    return parser.parse_args()


def main():
    options = asked(__doc__)
    side = 1024 if options.quick else 16384
    options.only, options.quick = "must-copy-random-cpu", True  # for the suite's description of this machine
    with suite("patterns", options) as (report, _):
        report.update(quick=side != 16384, cases=[])
    copies = []
    with tempfile.TemporaryDirectory(prefix="macareu-generated-") as directory:
        with ThreadPoolExecutor() as workers:
            programs = list(workers.map(lambda each: compiled(options, directory, *each[1:3]), PROGRAMS))
        for (name, example, _, pattern), program in zip(PROGRAMS, programs):
            found = measured(program, side)
            copies.append(case("must-copy-random-cuda", side, found["copy"], operation="peer", checked_by="nothing"))
            report["cases"].append(case(f"must-generated-{name}-random-cuda", side, found["kernel"], operation=example,
                                        strategy=pattern, checked_by="its OpenMP engine", equal=bool(found["equal"][0])))
    # Each program measured its own copy: the faster one is the stricter reference.
    report["cases"].append(min(copies, key=lambda each: each["median_ms"]))
    tell(options, report, pattern_musts(report["cases"]))
    return 0 if all(each.get("equal", True) for each in report["cases"]) else 1


if __name__ == "__main__":
    sys.exit(main())
