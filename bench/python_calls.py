#!/usr/bin/env python3
"""Measures the overhead of Python: calls on 16 x 16 arrays, and on 4096 x 4096 arrays against the tool's own times.

    PYTHONPATH=build/python bench/python_calls.py --tool build/bin/macareu [--json FILE]

Small calls: the best of many batches of 20, for every native function with its defaults. Large calls: the median of 31,
for every function that gives images, with out= and with a new array. They are compared with `--repeat 31` of the tool,
which reuses the memory of its result. Calls below 5 ms are measured in five rounds, each with new arrays and a new process
of the tool, because the placement of memory pages changes such times by some 10 %.
"""
import fnmatch
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import macareu
from macareu import _macareu
from comparison import finish, parser_of, row

MOST_US = 15
RUNS = 31
SHORT_SECONDS, ROUNDS = 5e-3, 5


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def operators():
    for name in macareu.__all__:
        function = getattr(macareu, name)
        if inspect.isfunction(function) and "device" in inspect.signature(function).parameters:
            yield name, function


def arguments(function, mask, marker):
    """Values for every kind of parameter without default: images, weights and numbers."""
    known = {"marker": marker, "labels": macareu.label(mask > 40), "kernel": [[0, 1, 0], [1, 2, 1], [0, 1, 0]]}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is parameter.empty:
            yield known.get(parameter.name, mask if "ArrayLike" in str(parameter) else 20)


def small_calls():
    mask, marker = macareu.generate("tissue", (16, 16))
    for name, function in operators():
        given = list(arguments(function, mask, marker))
        batch = 20
        ours = min(seconds(lambda: [function(*given) for _ in range(batch)]) for _ in range(300)) / batch
        yield row(f"`{name}`, 16 x 16, best", 1e3 * ours, None, None, f"<= {MOST_US} us", 1e6 * ours <= MOST_US)


def seconds_of_tool(options, verb, given, directory):
    """The tool's own times. `given`: names and values of the arguments; arrays become files."""
    command = [options.tool, verb]
    for name, value in given.items():
        if np.ndim(value) == 0:
            command += [f"--{name}", str(value)]
        else:
            command.append(os.path.join(directory, f"{name}.npy"))
            np.save(command[-1], value)
    report = os.path.join(directory, "report.json")
    subprocess.run([*command, "-o", os.path.join(directory, "out.npy"), "--quiet", "--repeat", str(RUNS), "--report", report],
                   check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["seconds"]["compute"]


def large_calls(options):
    side = 256 if options.quick else 4096
    mask, marker = macareu.generate("tissue", (side, side))
    verbs = {each.about["name"]: each.about["verb"] for each in _macareu.operations}
    with tempfile.TemporaryDirectory(prefix="macareu-calls-") as directory:
        for name, function in operators():
            if "out" in inspect.signature(function).parameters and fnmatch.fnmatch(name, options.only):
                given = dict(zip(inspect.signature(function).parameters, arguments(function, mask, marker)))
                yield from large_call(name, function, given,
                                      lambda: seconds_of_tool(options, verbs[name], given, directory))


def large_call(name, function, given, time_of_tool):
    theirs, ours = [], {"out=": [], "a new array": []}
    while len(theirs) < (ROUNDS if not theirs or theirs[0] < SHORT_SECONDS else 1):
        theirs.append(time_of_tool())
        own = {key: np.array(value) if np.ndim(value) else value for key, value in given.items()}
        out = function(**own)
        ours["out="] += [seconds(lambda: function(**own, out=out)) for _ in range(RUNS)]
        ours["a new array"] += [seconds(lambda: function(**own)) for _ in range(RUNS)]
    size = " x ".join(map(str, out.shape))
    peer = 1e3 * statistics.median(theirs)
    for how, times in ours.items():
        time_of_ours = 1e3 * statistics.median(times)
        yield row(f"`{name}`, {size}, {how}, against the tool", time_of_ours, peer, time_of_ours / peer, "<= 1.1",
                  time_of_ours <= 1.1 * peer)


def main():
    options = parser_of(__doc__).parse_args()
    found = [*small_calls(), *large_calls(options)]
    here = macareu.info()
    report = {"suite": "python", "version": here["version"],
              "machine": {"processor": os.uname().machine, "cores": here["threads"], "instruction_set": here["instruction_set"]}}
    return finish(options, found, report, np)


if __name__ == "__main__":
    sys.exit(main())
