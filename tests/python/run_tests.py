"""Runs one module of tests; skipped (77) where a package that it compares with is not installed."""

import sys
import unittest

try:
    import numpy, scipy.ndimage, skimage.morphology  # noqa: E401, F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

unittest.main(module=sys.argv[1], argv=sys.argv[:1])
