"""What random images do not meet, of functions under the peers' names: their forms, odd arguments, and refusals."""

import inspect
import multiprocessing
import signal
import unittest
import warnings

import numpy as np
import scipy.ndimage
import skimage.feature
import skimage.filters
import skimage.measure
import skimage.morphology

import macareu
from images import check_same

ours_in_skimage = macareu.skimage.morphology
ours_in_scipy = macareu.scipy.ndimage


class OddCalls(unittest.TestCase):
    """The peer's results, or its kinds of errors and warnings."""

    def check(self, module, peer, calls):
        for name, *given, named in calls:
            what = f"{name} {given} {named}"
            with self.subTest(what):
                answer = (outcome_in_child if may_trap(given) else outcome)(getattr(peer, name), given, named)
                found, of_ours = outcome(getattr(module, name), given, named)
                if answer is None:
                    self.assertEqual((np.shape(found), np.asarray(found).dtype), (given[0].shape, bool))
                    continue
                expected, of_peer = answer
                self.assertEqual(of_ours, of_peer)
                if isinstance(expected, Exception):
                    self.assertIsInstance(found, expected.__class__)
                    self.assertNotIsInstance(found, NotImplementedError)
                    continue
                if isinstance(found, Exception):
                    raise found
                self.assertEqual(isinstance(found, np.ndarray), isinstance(expected, np.ndarray))
                check_same(found, expected, what)

    def test_what_ends_a_child_is_survived(self):
        self.assertIsNone(outcome_in_child(lambda: signal.raise_signal(signal.SIGFPE), [], {}))
        self.assertEqual(outcome_in_child(abs, [-3], {}), (3, set()))

    def test_scipy(self):
        image = np.arange(20.0).reshape(4, 5)
        other = np.zeros((2, 4, 5))
        empty, no_labels = np.zeros((0, 3)), np.zeros((0, 3), int)
        half = image.astype(np.float16)
        objects = np.arange(20).reshape(4, 5) % 3
        calls = [("sum_labels", [[1e9, 1e9], [1.234567e-6] * 2], [[1, 1], [2, 2]], [1, 2], {}),
                 ("median_filter", image, 3.7, {}), ("median_filter", image, (3,), {}),
                 ("median_filter", image, (3, 3, 3), {}), ("median_filter", image, (3, 3.0), {}),
                 ("median_filter", image, 0, {}), ("median_filter", image, -3, {}), ("median_filter", image, "a", {}),
                 ("median_filter", image, 3, np.ones((3, 3)), {}), ("median_filter", image + 0j, 3, {}),
                 ("median_filter", image, 3, {"output": other}), ("median_filter", image, 1, {"output": other}),
                 ("median_filter", image, 3, {"cval": np.nan}), ("median_filter", np.array(1.0), 3, {}),
                 ("median_filter", image > 7, 3, {"mode": "constant", "cval": 2}),
                 ("median_filter", image.astype(np.uint8), 3, {"mode": "constant", "cval": 2.7}),
                 ("median_filter", image[0].astype(np.uint8), 3, {"mode": "constant", "cval": 2.7}),
                 ("gaussian_filter", image, 1, {"output": other}), ("sobel", image, {"output": other}),
                 ("sobel", image, 1.0, {}), ("sobel", image, 5, {}), ("binary_fill_holes", image, {"output": other}),
                 ("binary_fill_holes", image, {"output": image + 0j}), ("binary_propagation", image, {"output": other}),
                 ("binary_propagation", image, {"output": image + 0j}),
                 ("histogram", image, 0, 10, 4.0, {}), ("histogram", image, 0, 10, 0, {}),
                 ("histogram", image, 0, 10, -1, {}), ("histogram", image, 0, 10, 0, objects, [1, 7], {}),
                 ("histogram", image, 10, 0, 3, objects, [1], {}), ("histogram", image, 0, 10, 3, objects, [], {}),
                 ("histogram", image, 10, 0, 3, objects, [7], {}), ("histogram", half, 0, 10, 4, {}),
                 ("histogram", half, 0, 10, 4, objects, [2, 1, 1], {}),
                 ("histogram", np.full((1, 3), 0.1, np.float32), 0, 0.1, 2, np.ones((1, 3), int), [1], {}),
                 ("histogram", np.array([1, np.nan, 3, 10]), 0, 10, 4, np.array([1, 1, 2, 2]), [1, 2], {}),
                 ("distance_transform_edt", image, (1, 2, 3), {}), ("distance_transform_edt", image, (2,), {}),
                 ("label", np.array(3), {}), ("label", np.array(0), {})]
        for value in (True, False):
            calls += [("binary_fill_holes", np.array(value), {}), ("binary_propagation", np.array(value), {}),
                      ("binary_propagation", np.array(value), {"mask": np.array(True), "border_value": 1})]
        for name in ("minimum", "maximum", "sum_labels"):
            calls += [(name, half, {}), (name, half, objects, {}), (name, half, objects, 1, {}),
                      (name, half, objects, [2, 1, 7], {}), (name, half, objects + 1000, [1001, 7], {}),
                      (name, image.astype(np.longdouble), objects, [1, 2], {}), (name, np.array(3.0), np.array(1), [1, 2], {})]
        for cval in (np.nan, np.inf):
            calls += [("gaussian_filter", image, 1, {"cval": cval, "mode": mode}) for mode in ("constant", "reflect")]
        calls += [("gaussian_filter", image, 1, {"truncate": ends}) for ends in (0, -0.2, -1, -4)]
        for swapped in (image.astype(">f4"), image.astype(">i2")):
            calls += [("median_filter", swapped, 3, {}), ("median_filter", swapped, 1, {}), ("gaussian_filter", swapped, 1, {}),
                      ("gaussian_filter", swapped, 0, {}), ("sobel", swapped, {}), ("maximum", swapped, objects, [1, 2], {})]
        for output in (">f4", np.dtype(">f4"), np.dtype("<f4"), "float32"):
            calls += [("median_filter", image, 3, {"output": output}), ("median_filter", image, 1, {"output": output}),
                      ("gaussian_filter", image, 1, {"output": output}), ("gaussian_filter", image, 0, {"output": output}),
                      ("sobel", image, {"output": output}), ("label", image > 7, {"output": np.dtype(output)})]
        for output in (complex, np.float16, object, np.longdouble):
            calls += [("median_filter", image, 3, {"output": output}), ("median_filter", image, 1, {"output": output}),
                      ("label", image > 7, {"output": output}), ("label", image > 7, {"output": np.zeros((4, 5), output)}),
                      ("gaussian_filter", image, 1, {"output": output}), ("gaussian_filter", image, 0, {"output": output}),
                      ("gaussian_filter", image, 1, {"output": np.zeros((4, 5), output)}), ("sobel", image, {"output": output})]
        for odd in (half, image.astype(np.longdouble), image.astype(object)):
            calls += [("gaussian_filter", odd, 1, {}), ("gaussian_filter", odd, 1, {"output": float}),
                      ("gaussian_filter", odd, 0, {}), ("sobel", odd, {}), ("sobel", odd, {"output": float})]
        calls += [("gaussian_filter", image + 0j, 0, {}), ("gaussian_filter", image + 0j, 1, {"output": float}),
                  ("gaussian_filter", image + 0j, 1, {"output": bool}), ("sobel", image + 0j, {"output": float})]
        for origin in ([0], (0, 0, 0), (0, 0)):
            calls += [("binary_fill_holes", image > 7, {"origin": origin}), ("median_filter", image, 3, {"origin": origin}),
                      ("binary_propagation", image > 7, {"origin": origin})]
        words = np.array([["a", "b", "a", "c", "b"]] * 4)
        calls += [(name, image, words, index, {}) for name in ("minimum", "maximum", "sum_labels")
                  for index in (["a", "b", "q"], "b", None)]
        calls += [(name, empty, no_labels, [1, 2], {}) for name in ("minimum", "maximum", "sum_labels")]
        self.check(ours_in_scipy, scipy.ndimage, calls)
        for one in (scipy.ndimage, ours_in_scipy):
            self.assertRaises(TypeError, one.histogram, image, 0, 9, 3, words, ["a"])

    def test_skimage(self):
        image = np.arange(20.0).reshape(4, 5)
        empty, no_labels = np.zeros((0, 3)), np.zeros((0, 3), int)
        long, half = image.astype(np.longdouble), image.astype(np.float16)
        self.check(macareu.skimage.filters, skimage.filters, [
            ("sobel", image, {"axis": axis}) for axis in (5, -3, -1, (0, -1), (), (0, 2), 1.0)] + [
            ("sobel", image[0], {"axis": -1}), ("sobel", long, {}), ("gaussian", long, {}), ("gaussian", half, {}),
            ("gaussian", image, 1, {"output": np.zeros((2, 4, 5))}), ("gaussian", image, {"truncate": 0}),
            ("apply_hysteresis_threshold", np.array(3), 1, 2, {}), ("apply_hysteresis_threshold", np.array(3), 1, 5, {}),
            ("sobel", np.array(3.0), {}), ("gaussian", np.array(3.0), {}), ("threshold_otsu", np.array(3.0), {}),
            ("gaussian", image, {"mode": "constant", "cval": np.nan}), ("apply_hysteresis_threshold", empty, 1, 2, {}),
            ("threshold_otsu", half, {}), ("threshold_otsu", long, {}), ("threshold_otsu", empty, {}),
            ("threshold_otsu", np.array([[0, 5, 7, 2**24 + 9]]), {}), ("threshold_otsu", {"hist": np.zeros(5)}), ("threshold_otsu", image, 10.0, {}),
            ("threshold_otsu", image, np.array(10), {}), ("gaussian", image + 0j, {}),
            ("threshold_otsu", {"hist": (np.zeros(5), np.arange(5))})])
        self.check(macareu.skimage.feature, skimage.feature, [
            ("canny", image, {"mask": np.ones((2, 5), bool)}), ("canny", image, {"mask": np.ones((1, 5), bool)}),
            ("canny", empty, {}), ("canny", image, {"sigma": (1,)}), ("canny", image, {"sigma": (1, 2)}),
            ("canny", image, {"sigma": (1, 1, 1)}), ("canny", image, {"mode": "reflect", "cval": np.nan})])
        self.check(macareu.skimage.measure, skimage.measure, [
            ("label", image > 7, {"connectivity": 1.5}), ("label", np.eye(4, dtype=int), {"connectivity": 1.5}),
            ("regionprops_table", no_labels, {}), ("regionprops_table", no_labels, empty, {})] + [
            ("regionprops_table", np.eye(4, dtype=int), image[:, :4], (name,), {}) for name in (
                "num_pixels", "intensity_sum", "intensity_std", "elongation", "nothing")])
        rng = np.random.default_rng(20240614)
        whole = rng.integers(0, 30, (9, 8)).astype(np.float16)
        self.check(ours_in_skimage, skimage.morphology, [
            (name, whole, h, {}) for name in ("h_maxima", "h_minima") for h in (1, 4, 9)] + [
            (name, whole.astype(type), True, {}) for name in ("h_maxima", "h_minima") for type in (np.uint8, np.float32)] + [
            ("reconstruction", empty, empty, {})] + [
            ("reconstruction", np.array(low), np.array(3), method, {}) for low in (2, 3, 4) for method in (
                "dilation", "erosion")] + [
            ("remove_small_objects", np.array(True), min_size, {}) for min_size in (0, 1, 64)])


def outcome(function, given, named):
    """What it gives or raises, and the kinds of warnings to the caller."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = function(*given, **named)
        except Exception as failure:
            result = failure
    return result, {one.category for one in told if one.category is not RuntimeWarning}


def may_trap(given):
    """SciPy's binary_fill_holes and binary_propagation divide by the number of axes, which ends the process on x86-64."""
    return any(isinstance(one, np.ndarray) and 0 in (one.ndim, one.size) for one in given)


def outcome_in_child(function, given, named):
    """As outcome, from a process of its own; None where a signal ended that."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=lambda: sender.send(outcome(function, given, named)))
    child.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode >= 0:
            raise
        return None
    finally:
        receiver.close()
        child.join()


class Forms(unittest.TestCase):
    def test_every_name_is_a_peers_name_with_its_parameters(self):
        for module, peer in ((ours_in_skimage, skimage.morphology), (macareu.skimage.measure, skimage.measure),
                             (macareu.skimage.filters, skimage.filters), (macareu.skimage.feature, skimage.feature),
                             (ours_in_scipy, scipy.ndimage)):
            for name in module.__all__:
                theirs = inspect.signature(getattr(peer, name)).parameters
                mine = inspect.signature(getattr(module, name)).parameters
                with self.subTest(name):
                    self.assertEqual([(p.name, p.kind, p.default) for p in mine.values()],
                                     [(p.name, p.kind, p.default) for p in theirs.values()])

    def test_outputs_of_edt(self):
        image = np.array([[1, 1, 0], [1, 1, 1]])
        distances, indices = np.empty((2, 3)), np.empty((2, 2, 3), np.int32)
        result = ours_in_scipy.distance_transform_edt(image, return_indices=True, distances=distances, indices=indices)
        self.assertIsNone(result)
        theirs = scipy.ndimage.distance_transform_edt(image, return_indices=True)
        check_same((distances, indices), theirs, "edt into arrays")

    def test_local_extrema_without_axes(self):
        for name in ("local_maxima", "local_minima"):
            for named in ({}, {"indices": True}, {"allow_borders": False}, {"connectivity": 1}):
                for package in (ours_in_skimage, skimage.morphology):
                    result, _ = outcome(getattr(package, name), [np.array(3.0)], named)
                    self.assertIsInstance(result, ValueError, f"{package.__name__}.{name} {named}")

    def test_what_is_not_served_is_named(self):
        image = np.zeros((4, 5), bool)
        odd = np.array([[1, 0, 1], [0, 1, 0], [1, 0, 1]])
        numbered, table = np.ones((4, 5), int), macareu.skimage.measure.regionprops_table
        calls = [("footprint", lambda: ours_in_skimage.local_maxima(image, footprint=odd)),
                 ("footprint", lambda: ours_in_skimage.reconstruction(image, image, footprint=np.ones((5, 5)))),
                 ("offset", lambda: ours_in_skimage.reconstruction(image[0], image[0], offset=np.array([0]))),
                 ("structure", lambda: ours_in_scipy.binary_fill_holes(image, structure=odd)),
                 ("origin", lambda: ours_in_scipy.binary_fill_holes(image, origin=1)),
                 ("origin", lambda: ours_in_scipy.binary_propagation(image, origin=(0, 1))),
                 ("input", lambda: ours_in_scipy.distance_transform_edt(np.zeros((2, 2, 2, 2)))),
                 ("input", lambda: ours_in_scipy.minimum(np.zeros(3, complex))),
                 ("moments_hu", lambda: table(numbered, properties=["label", "moments_hu"])),
                 ("Property perimeter", lambda: table(numbered[None], properties=["perimeter"])),
                 ("centroid_weighted", lambda: table(numbered, np.ones((4, 5, 2)), ["centroid_weighted"])),
                 ("output", lambda: ours_in_scipy.sobel(image.astype(np.uint8))),
                 ("size", lambda: ours_in_scipy.median_filter(image, 4)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.uint8(image), 3, mode="constant", cval=300)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.uint8(image), 3, mode="constant", cval=-1)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.float64(image), 3, mode="constant", cval=np.nan)),
                 ("cval", lambda: macareu.skimage.feature.canny(image, mode="constant", cval=np.nan)),
                 ("sampling", lambda: ours_in_scipy.distance_transform_edt(image, sampling=0)),
                 ("sampling", lambda: ours_in_scipy.distance_transform_edt(image, sampling=(1, -1))),
                 ("input", lambda: ours_in_scipy.median_filter(np.float16(image), 3)),
                 ("input", lambda: ours_in_scipy.gaussian_filter(image + 0j, 1)),
                 ("input", lambda: ours_in_scipy.sobel(image + 0j)),
                 ("output", lambda: ours_in_scipy.gaussian_filter(image, 1, output=bool)),
                 ("output", lambda: ours_in_scipy.sobel(image, output=bool)),
                 ("intensity_image", lambda: table(numbered, np.float16(image), ["intensity_mean"])),
                 ("nbins", lambda: macareu.skimage.filters.threshold_otsu(np.eye(3), "auto")),
                 ("nbins", lambda: macareu.skimage.filters.threshold_otsu(np.eye(3), [0, 0.5, 1])),
                 ("max", lambda: ours_in_scipy.histogram(image, 0, np.inf, 3)),
                 ("min", lambda: ours_in_scipy.histogram(image, np.nan, 1, 3, numbered, [1])),
                 ("index", lambda: ours_in_scipy.minimum(image, numbered.astype(str), [1, 2])),
                 ("high_threshold", lambda: macareu.skimage.feature.canny(image, high_threshold=np.inf)),
                 ("high_threshold", lambda: macareu.skimage.feature.canny(image, high_threshold=np.nan)),
                 ("low_threshold", lambda: macareu.skimage.feature.canny(image, low_threshold=-np.inf)),
                 ("intensity_image", lambda: table(numbered, np.where(image, 0, np.inf), ["intensity_mean"])),
                 ("image", lambda: macareu.skimage.filters.gaussian(image + 0j, preserve_range=True)),
                 ("ConvexArea", lambda: table(numbered, properties=["ConvexArea"])),
                 ("image", lambda: ours_in_skimage.h_maxima(image.astype(np.longdouble), 1))]
        for name, call in calls:
            with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"^{name}"):
                call()


if __name__ == "__main__":
    unittest.main()
