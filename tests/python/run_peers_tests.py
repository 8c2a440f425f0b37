"""Runs the tests that scikit-image and SciPy install, with our functions in the place of theirs.

usage: run_peers_tests.py [pytest's options]

EXCEPTIONS names every test that is not passed, with the reason. A test listed there that passes is an error too.
"""

import fnmatch
import functools
import importlib
import pathlib
import sys

import pytest

import macareu

# Where the tests find each function: module of ours, the peers' modules that hold its name.
REPLACED = [
    (macareu.skimage.morphology, ["skimage.morphology", "skimage.morphology.grayreconstruct",
                                  "skimage.morphology.extrema", "skimage.morphology.misc"]),
    (macareu.skimage.measure, ["skimage.measure", "skimage.measure._label", "skimage.measure._regionprops",
                                "skimage.morphology"]),
    (macareu.skimage.feature, ["skimage.feature", "skimage.feature._canny"]),
    (macareu.skimage.filters, ["skimage.filters", "skimage.filters._gaussian", "skimage.filters.thresholding"]),
    (macareu.scipy.ndimage, ["scipy.ndimage", "scipy.ndimage._morphology",
                              "scipy.ndimage._measurements"]),
]
# Files of the peers that have tests of these functions. All that is in them runs.
TESTS = ["skimage.morphology.tests.test_reconstruction", "skimage.morphology.tests.test_extrema",
         "skimage.morphology.tests.test_misc", "skimage.measure.tests.test_ccomp", "skimage.measure.tests.test_label",
         "skimage.measure.tests.test_regionprops", "skimage.feature.tests.test_canny", "skimage.filters.tests.test_gaussian",
         "skimage.filters.tests.test_edges", "skimage.filters.tests.test_thresholding", "scipy.ndimage.tests.test_filters",
         "scipy.ndimage.tests.test_measurements", "scipy.ndimage.tests.test_morphology"]
# Patterns of names; a parameter of the test stands after a colon.
EXCEPTIONS = {
    "test_offset_not_none": "offset: only the centre of the footprint is served",
    "test_label_structuring_elements": "structure: only neighbourhoods that are alike in all directions are served",
    "TestLocalMaxima.test_footprint": "footprint: only neighbourhoods that are alike in all directions are served",
    "TestCanny.test_00_01_zeros_mask": "mask: only one that is set everywhere is served",
    "TestCanny.test_use_quantiles": "use_quantiles is not served",
    "test_4d_ok": "arrays of four axes are not served",
    "TestNdimageFilters.test_sobel0?:uint*": "output: only signed integers of 16 bits or more, and floats, are served",
    "TestNdimageFilters.test_sobel0?:int8": "output: only signed integers of 16 bits or more, and floats, are served",
    "TestNdimageFilters.test_sobel0?:complex*": "input: complex numbers are not served",
    "TestNdimageFilters.test_gaussian_*:int32": "output: derivatives are floats only, because C leaves undefined what an "
                                                "integer does not hold",
    "TestNdimageFilters.test_generic_laplace01:*int*": "output: derivatives are floats only",
    "TestNdimageFilters.test_generic_laplace01:complex*": "input: complex numbers are not served",
    "TestNdimageFilters.test_gaussian_*:complex*": "input: complex numbers are not served",
    "TestNdimageFilters.test_rank01": "size: of medians only 1, 3, 5 and 7 are served",
    "TestNdimageFilters.test_rank08": "size: of medians only 1, 3, 5 and 7 are served",
    "TestNdimageFilters.test_rank12:*": "footprint: of medians only those that are set everywhere are served",
    "test_valid_origins": "origin: only 0 is served",
    "test_regionprops_table_equal_to_original": "properties: moments, hulls, fillings and images of objects are not served",
}


class Judge:
    """Expects the exceptions to fail and everything else to pass. Counts tests in which a function of ours ran."""

    def __init__(self):
        self.passed, self.wrong, self.excepted, self.calls = 0, [], [], 0

    def counted(self, function):
        @functools.wraps(function)
        def call(*given, **named):
            self.calls += 1
            return function(*given, **named)
        return call

    def pytest_runtest_setup(self):
        self.calls = 0

    def pytest_runtest_logreport(self, report):
        if report.when != "call":
            if report.failed:
                self.wrong.append(f"{report.nodeid}: {report.when} failed")
            return
        name = report.nodeid.split("::", 1)[1].rstrip("]").replace("[", ":").replace("::", ".")
        known = [pattern for pattern in EXCEPTIONS if fnmatch.fnmatchcase(name, pattern)]
        if report.failed and known:
            self.excepted += known
        elif report.failed:
            self.wrong.append(f"{report.nodeid} fails")
        elif report.passed and known and self.calls:
            self.wrong.append(f"{report.nodeid} passes: it is no exception any more")
        elif report.passed and self.calls:
            self.passed += 1


def replace_functions(judge):
    for ours, theirs in REPLACED:
        for module in map(importlib.import_module, theirs):
            for name in ours.__all__:
                if hasattr(module, name):
                    setattr(module, name, judge.counted(getattr(ours, name)))


def main():
    judge = Judge()
    replace_functions(judge)
    for module in TESTS:
        file = pathlib.Path(importlib.import_module(module).__file__)
        options = ["-q", "-p", "no:cacheprovider", "--no-header", "--disable-warnings", "--tb=short"]
        pytest.main([*options, str(file), *sys.argv[1:]], plugins=[judge])
    for name in sorted(set(judge.excepted)):
        print(f"excepted: {name}: {EXCEPTIONS[name]}")
    for name in sorted(set(EXCEPTIONS) - set(judge.excepted)):
        judge.wrong.append(f"{name} is an exception, but no test that fails has this name")
    for line in judge.wrong:
        print(f"wrong: {line}")
    print(f"{judge.passed} of the peers' tests that call ours passed, {len(judge.excepted)} excepted, "
          f"{len(judge.wrong)} wrong")
    return 1 if judge.wrong or not judge.passed else 0


sys.exit(main())
