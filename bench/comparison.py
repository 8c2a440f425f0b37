"""Shared code of the scripts in this directory: running a suite, timing a peer, rows with thresholds."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager

from page import machine_line, must_table


def parser_of(doc):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--tool", default="build/bin/macareu", help="the built tool (default: %(default)s)")
    parser.add_argument("--data", help="directory of the published images, as for `macareu bench`")
    parser.add_argument("--json", help="write the table, with our suite's report, to this file")
    parser.add_argument("--only", default="*", help="cases of our suite (default: all)")
    parser.add_argument("--peer-repeat", type=int, default=3, help="runs of the peers (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="small images: a quick test, not a measurement")
    return parser


@contextmanager
def suite(name, options, keeps_inputs=True):
    """Runs `macareu bench NAME`. Yields its report and the temporary directory of its images."""
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as directory:
        report = os.path.join(directory, "bench.json")
        command = [options.tool, "bench", name, "--json", report, "--only", options.only]
        if keeps_inputs:
            command += ["--save-inputs", directory]
        if options.data:
            command += ["--data", options.data]
        if options.quick:
            command += ["--quick"]
        subprocess.run(command, check=True)
        with open(report, encoding="utf-8") as file:
            yield json.load(file), directory


def median_ms(run, repeat):
    """The time, and the result of the last run."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        result = run()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), result


def row(what, ours, peer, factor, must, met, equal=None):
    """`equal`: whether the results are equal, if they were compared."""
    return {"what": what, "ours_ms": ours, "peer_ms": peer, "factor": factor, "must": must, "met": bool(met),
            "equal": equal}


def faster(what, ours, peer, must, goal=None, equal=None):
    return row(what, ours, peer, peer / ours, f">= {must}" + (f" (goal {goal})" if goal else ""), peer / ours >= must, equal)


def at_most(what, ours, reference, limit):
    return row(what, ours, reference, ours / reference, f"<= {limit}", ours / reference <= limit)


def finish(options, rows, report, *modules):
    """Prints the rows and writes the file. The exit code is 1 if a result differs, whatever the times."""
    print("\n" + must_table(rows))
    if options.json:
        peers = {module.__name__: module.__version__ for module in modules} | {"python": sys.version.split()[0]}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"peers": peers, "rows": rows, "bench": report}, file, indent=2)
            file.write("\n")
    return 1 if any(each["equal"] is False for each in rows) else 0


def tell(options, report, table):
    """Prints the table of one of our measurements and writes its report."""
    print(machine_line(report, {}) + "\n\n" + table)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
