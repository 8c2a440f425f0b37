#!/usr/bin/env python3
"""Writes descriptions of all marked files of these tests and of the examples, for machines without libclang:

    MACAREU_TOOL=build/bin/macareu tests/converter/describe.py DIRECTORY

There MACAREU_DESCRIPTIONS names that directory, and tests of other functions are left out:

    MACAREU_TOOL=... COMPILE_KERNELS=... MACAREU_DESCRIPTIONS=DIRECTORY MACAREU_DEVICES=serial,cpu,cuda test_windows.py
"""
import os
import subprocess
import sys
import tempfile

import test_cuda
import test_mathematics
import test_programs
import test_waves
from tool import EXAMPLES, HERE, TOOL


def marked_files(own):
    """Of the repository, and those that tests write, which `own` takes."""
    for directory in (EXAMPLES, os.path.join(HERE, "functions")):
        yield from (os.path.join(directory, name) for name in sorted(os.listdir(directory)))
    for module in (test_cuda, test_mathematics, test_programs, test_waves):
        for name, text in module.MARKED.items():
            with open(os.path.join(own, name), "w") as file:
                file.write(text)
            yield file.name


def main():
    if len(sys.argv) != 2 or os.environ.get("MACAREU_DESCRIPTIONS"):
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    made = set()
    with tempfile.TemporaryDirectory() as own:
        for source in marked_files(own):
            stem = os.path.splitext(os.path.basename(source))[0]
            if stem in made:
                sys.exit("two files are called " + stem)
            made.add(stem)
            subprocess.run([TOOL, "convert", source, "-o", os.path.join(sys.argv[1], stem + ".json"), "--overwrite"], check=True)


if __name__ == "__main__":
    main()
