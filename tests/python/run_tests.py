"""Runs one module of tests; skipped (77) where a package that it compares with is not installed."""

import importlib
import sys
import unittest

try:
    importlib.import_module(sys.argv[1])
except ModuleNotFoundError as missing:
    if missing.name.partition(".")[0] not in ("numpy", "scipy", "skimage"):
        raise
    print(f"skipped: {missing}")
    sys.exit(77)

unittest.main(module=sys.argv[1], argv=sys.argv[:1], verbosity=2)
