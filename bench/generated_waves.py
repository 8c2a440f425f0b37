#!/usr/bin/env python3
"""Measures the wave of a generated program beside the library's wave for general rules, on the same images.

    bench/generated_waves.py --tool build/bin/macareu [--descriptions DIR] [--json FILE]

Converts examples/convert/reconstruct.c (on a machine without libclang: its description, DIR/reconstruct.json), compiles it
with bench/generated_wave.cu, and runs it on images in GPU memory. The peers are `reconstruct --strategy megapixel`, which
takes any rule, and `auto`, which is specialised for this rule. Results are compared with the program's OpenMP engine.
Needs nvcc and a GPU.
"""
import os
import statistics
import subprocess
import sys
import tempfile

from comparison import suite, tell
from generated import asked, compiled
from peers_tables import generated_waves

# Name in `bench wave`, name and shape in `generate`, numbers of neighbours.
INSTANCES = (("tissue-50-4k", "tissue", (4096, 4096), (4,)), ("random-4k", "random", (4096, 4096), (4,)),
             ("flat-4k", "flat", (4096, 4096), (4,)), ("percolation-4k", "percolation", (4096, 4096), (4, 8)),
             ("serpentine-1k", "serpentine", (1024, 1024), (4,)), ("spiral-1k", "spiral", (1024, 1024), (4,)),
             ("noise-512", "noise", (512, 512, 512), (6, 26)))


def pair(options, directory, family, shape):
    files = [os.path.join(directory, family + end) for end in ("-marker.pgm", "-mask.pgm")]
    subprocess.run([options.tool, "generate", family, "--shape", ",".join(map(str, shape)), "--marker", files[0], "-o", files[1]],
                   check=True)
    return files


def measured(program, files, neighbours):
    done = subprocess.run([program, *files, str(neighbours), "11"], check=True, stdout=subprocess.PIPE, text=True)
    words = done.stdout.splitlines()[0].split()[1:]
    return statistics.median(map(float, words))


def main():
    options = asked(__doc__)
    options.only = ",".join(f"{name}-u8-{n}-{strategy}" for name, _, _, all_n in INSTANCES for n in all_n
                            for strategy in ("megapixel", "auto"))
    with suite("wave", options, keeps_inputs=False) as (report, _):
        library = {case["name"]: case["median_ms"] for case in report.pop("cases")}
    rows = []
    with tempfile.TemporaryDirectory(prefix="macareu-generated-") as directory:
        program = compiled(options, directory, "reconstruct", "", "generated_wave.cu")
        for name, family, shape, all_n in INSTANCES:
            if options.quick:
                shape = tuple(max(32, side // 64) for side in shape)
            files = pair(options, directory, family, shape)
            for n in all_n:
                rows.append({"instance": name, "shape": shape, "neighbours": n, "generated_ms": measured(program, files, n),
                             **{strategy + "_ms": library[f"{name}-u8-{n}-{strategy}"] for strategy in ("megapixel", "auto")}})
    report.update(suite="patterns", generated_waves=rows)
    tell(options, report, generated_waves(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
