"""Runs the tests that scikit-image and SciPy install, with our functions in the place of theirs.

usage: run_peers_tests.py [pytest's options]

EXCEPTIONS names every test that is not passed, with the reason. A test listed there that passes is an error too.
"""

import fnmatch
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
# File of a peer, and the tests in it that are about these functions.
TESTS = [
    ("skimage.morphology.tests.test_reconstruction", ""),
    ("skimage.morphology.tests.test_extrema", ""),
    ("skimage.morphology.tests.test_misc", "not holes and not non_bool_out"),
    ("skimage.measure.tests.test_ccomp", ""),
    ("skimage.measure.tests.test_label", ""),
    ("skimage.measure.tests.test_regionprops", "table"),
    ("skimage.feature.tests.test_canny", ""),
    ("skimage.filters.tests.test_gaussian", "not difference_of_gaussians"),
    ("skimage.filters.tests.test_edges", "test_sobel and not _h and not _v"),
    ("skimage.filters.tests.test_thresholding", "otsu and not multiotsu"),
    ("scipy.ndimage.tests.test_filters", "gaussian_filter or sobel or median_filter"),
    ("scipy.ndimage.tests.test_measurements", "label and not labels or histogram or test_sum or test_minimum0 or test_maximum0"),
    ("scipy.ndimage.tests.test_morphology",
     "distance_transform_edt or binary_fill_holes or binary_propagation"),
]
# Patterns of names; a parameter of the test stands after a colon.
EXCEPTIONS = {
    "test_offset_not_none": "offset: only the centre of the footprint is served",
    "test_selem_kwarg_deprecation*": "selem, the old name of footprint, is not taken",
    "test_in_place": "in_place of remove_small_objects is served, without the warning that it will go",
    "test_label_structuring_elements": "structure: only neighbourhoods that are alike in all directions are served",
    "TestLocalMaxima.test_footprint": "footprint: only neighbourhoods that are alike in all directions are served",
    "test_multichannel:*": "channel_axis is not served",
    "test_deprecated_multichannel": "channel_axis is not served",
    "TestCanny.test_00_01_zeros_mask": "mask: only one that is set everywhere is served",
    "TestCanny.test_use_quantiles": "use_quantiles is not served",
    "test_1d_ok": "gaussian of one axis is not served",
    "test_4d_ok": "arrays of four axes are not served",
    "test_sobel_zeros": "mask is not served",
    "test_sobel_mask:*": "mask is not served",
    "TestNdimageFilters.test_sobel0?:uint*": "output: only signed integers of 16 bits or more, and floats, are served",
    "TestNdimageFilters.test_sobel0?:int8": "output: only signed integers of 16 bits or more, and floats, are served",
    "TestNdimageFilters.test_sobel0?:complex*": "output: complex numbers are not served",
    "test_multiple_modes_sobel": "mode: only one for all axes is served",
    "test_regionprops_table_equal_to_original": "properties: moments, hulls, fillings and images of objects are not served",
    "test_extra_properties_table": "extra_properties is not served",
    "test_histogram0[23]": "labels is not served",
}


class Judge:
    """Expects the exceptions to fail and everything else to pass."""

    def __init__(self):
        self.passed, self.wrong, self.excepted = 0, [], []

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
        elif report.passed and known:
            self.wrong.append(f"{report.nodeid} passes: it is no exception any more")
        else:
            self.passed += report.passed


def replace_functions():
    for ours, theirs in REPLACED:
        for module in map(importlib.import_module, theirs):
            for name in ours.__all__:
                if hasattr(module, name):
                    setattr(module, name, getattr(ours, name))


def main():
    replace_functions()
    judge = Judge()
    for module, chosen in TESTS:
        file = pathlib.Path(importlib.import_module(module).__file__)
        options = ["-q", "-p", "no:cacheprovider", "--no-header", "--disable-warnings", "--tb=short", "-k", chosen]
        pytest.main([*options, str(file), *sys.argv[1:]], plugins=[judge])
    for name in sorted(set(judge.excepted)):
        print(f"excepted: {name}: {EXCEPTIONS[name]}")
    for line in judge.wrong:
        print(f"wrong: {line}")
    print(f"{judge.passed} of the peers' tests passed, {len(judge.excepted)} excepted, {len(judge.wrong)} wrong")
    return 1 if judge.wrong or not judge.passed else 0


sys.exit(main())
