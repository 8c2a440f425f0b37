"""Every function under a peer's name against the peer, on random images: type, shape and values."""

import inspect
import unittest
import warnings

import numpy as np
import scipy.ndimage
import skimage.feature
import skimage.filters
import skimage.measure
import skimage.morphology

import macareu
from images import TYPES, check_same, draw_few, draw_image, draw_shape, strided

IMAGES = 800
ours_in_skimage = macareu.skimage.morphology
ours_in_scipy = macareu.scipy.ndimage


class AgainstPeers(unittest.TestCase):
    def check(self, module, peer, name, draw, one_axis=True, absolute=0):
        """draw(rng, type, shape) gives the arguments of a call. What the peer refuses we refuse too; what we do not
        serve we say, and that is seldom."""
        ours, theirs = getattr(module, name), getattr(peer, name)
        rng = np.random.default_rng(20240611)
        compared = not_served = 0
        for number in range(IMAGES):
            type = TYPES[number % len(TYPES)]
            shape = draw_shape(rng, int(rng.choice([1, 2, 2, 3] if one_axis else [2, 2, 3])))
            given, named = draw(rng, type, shape)
            given = [strided(rng, one) if isinstance(one, np.ndarray) else one for one in given]
            copies = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
            numbers = given[1:] if np.isscalar(given[-1]) else ""
            what = f"{name}, image {number}, {type} {np.shape(given[0])} {numbers} {named}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = theirs(*copies, **named)
                except (ValueError, TypeError, RuntimeError) as refusal:
                    with self.assertRaises(refusal.__class__, msg=what):
                        ours(*given, **named)
                    continue
                try:
                    found = ours(*given, **named)
                except NotImplementedError as refusal:
                    self.assertRegex(str(refusal), r"^\w+: ")
                    not_served += 1
                    continue
                check_same(found, expected, what, absolute)
                compared += 1
        self.assertGreaterEqual(compared, 500, f"{name}: {not_served} not served")
        self.assertLess(not_served, IMAGES / 10, name)

    def test_reconstruction(self):
        def draw(rng, type, shape):
            a, b = draw_image(rng, type, shape), draw_image(rng, type, shape)
            down = rng.random() < 0.5
            seed, mask = (np.maximum(a, b), b) if down else (np.minimum(a, b), b)
            if rng.random() < 0.1:  # of another type
                mask = mask.astype(np.float64)
            named = {"method": "erosion" if down else "dilation", "footprint": draw_structure(rng, len(shape))}
            if rng.random() < 0.2:
                named["offset"] = np.ones(len(shape), int)
            return [a if rng.random() < 0.03 else seed, mask], named
        self.check(ours_in_skimage, skimage.morphology, "reconstruction", draw)

    def test_reconstruction_of_large_images_is_float64_too(self):
        for shape in ((520, 530), (1, 2**18), (2, 3, 2**16)):
            mask = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
            seed = mask // 2
            for view in (np.s_[:], np.s_[..., ::-1]):
                grown = ours_in_skimage.reconstruction(seed[view], mask[view])
                self.assertEqual(grown.dtype, np.float64)
                np.testing.assert_array_equal(grown, macareu.reconstruct(seed[view], mask[view]))

    def test_local_extrema(self):
        for name in ("local_maxima", "local_minima"):
            def draw(rng, type, shape):
                named = {"indices": bool(rng.random() < 0.2), "allow_borders": bool(rng.random() < 0.7)}
                if rng.random() < 0.5:
                    named["connectivity"] = int(rng.integers(1, len(shape) + 2))
                elif rng.random() < 0.5:
                    named["footprint"] = draw_structure(rng, len(shape))
                return [draw_image(rng, type, shape)], named
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_h_extrema(self):
        for name in ("h_maxima", "h_minima"):
            def draw(rng, type, shape):
                # NumPy has no range of booleans.
                image = draw_image(rng, "uint8" if type == "bool" else type, shape)
                spread = float(image.max()) - float(image.min())
                if image.dtype.kind == "f" and rng.random() < 0.5:
                    h = float(spread * rng.uniform(0.01, 1.1)) or 1.0
                elif spread > 200 and spread < 2**31:
                    h = int(spread * rng.uniform(0.01, 1.1))
                else:
                    h = float(rng.choice([0.5, 2.0, 7.0])) if rng.random() < 0.3 else int(rng.integers(0, 8))
                return [image, h], {"footprint": draw_structure(rng, len(shape))}
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_distance_transform_edt(self):
        def draw(rng, type, shape):
            named = {"return_indices": bool(rng.random() < 0.5)}
            if named["return_indices"] and rng.random() < 0.3:
                named["return_distances"] = False
            if rng.random() < 0.2:
                named["sampling"] = float(rng.uniform(0.1, 9))
            elif rng.random() < 0.5:
                named["sampling"] = [float(s) for s in rng.choice([0.3, 1, 2, 5], len(shape))]
            image = draw_image(rng, type, shape)
            return [((rng.random(shape) < 0.05) == (image > 0)).astype(type)], named
        self.check(ours_in_scipy, scipy.ndimage, "distance_transform_edt", draw)

    def test_binary_fill_holes(self):
        def draw(rng, type, shape):
            # SciPy makes int8 of its mask on the way, which turns 0.75 and 256 into 0.
            image = (draw_image(rng, type, shape) > 0).astype(type)
            return [image], {"structure": draw_structure(rng, len(shape)), "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "binary_fill_holes", draw)

    def test_binary_propagation(self):
        def draw(rng, type, shape):
            # SciPy makes int8 of a mask on its way, which turns 0.75 and 256 into 0.
            mask = (draw_image(rng, type, shape) > 0).astype(type) if rng.random() < 0.9 else None
            return [(rng.random(shape) < 0.1).astype(type)], {
                "structure": draw_structure(rng, len(shape)), "mask": mask, "border_value": int(rng.random() < 0.2),
                "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "binary_propagation", draw)

    def test_canny(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, (shape * 2)[:2])
            highest = 1 if image.dtype.kind in "bf" else np.iinfo(image.dtype).max
            named = {"sigma": float(rng.choice([0, 0.7, 1, 2.5])), "mode": draw_mode(rng)}
            if rng.random() < 0.3:
                named["cval"] = float(rng.uniform(-1, 1))
            if rng.random() < 0.7:
                low, high = sorted(float(t) * highest for t in rng.choice([0, 0.001, 0.01, 0.1, 1], 2))
                named.update(low_threshold=low, high_threshold=high)
            if rng.random() < 0.2:
                named["mask"] = np.ones(image.shape, bool)
            return [image], named
        self.check(macareu.skimage.feature, skimage.feature, "canny", draw)

    def test_apply_hysteresis_threshold(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape)
            if rng.random() < 0.5:
                low, high = (int(n) for n in rng.integers(0, 20, 2))
            else:
                low, high = (float(t) for t in np.quantile(image.astype(float), rng.random(2)))
            return [image, low, high], {}
        self.check(macareu.skimage.filters, skimage.filters, "apply_hysteresis_threshold", draw)

    def test_gaussian(self):
        def draw(rng, type, shape):
            named = {"mode": draw_mode(rng), "preserve_range": bool(rng.random() < 0.5), "cval": float(rng.uniform(-2, 2)),
                     "truncate": float(rng.choice([1.0, 2.5, 4.0]))}
            if len(shape) == 3 and shape[-1] == 3:
                named["multichannel"] = False
            return [draw_image(rng, type, shape), draw_sigma(rng, shape)], named
        self.check(macareu.skimage.filters, skimage.filters, "gaussian", draw)

    def test_gaussian_filter(self):
        def draw(rng, type, shape):
            output = None if type != "bool" and rng.random() < 0.6 else str(rng.choice(["float32", "float64"]))
            named = {"mode": draw_modes(rng, shape), "output": output, "cval": float(rng.uniform(-3, 3)),
                     "truncate": float(rng.choice([1.0, 2.5, 4.0]))}
            if rng.random() < 0.3 and (type.startswith("float") or output):
                named["order"] = [int(o) for o in rng.integers(0, 4, len(shape))] if rng.random() < 0.5 else 1
            if rng.random() < 0.2:
                named["radius"] = [int(o) for o in rng.integers(0, 4, len(shape))] if rng.random() < 0.5 else 3
            return [draw_image(rng, type, shape), draw_sigma(rng, shape)], named
        self.check(ours_in_scipy, scipy.ndimage, "gaussian_filter", draw)

    def test_sobel_of_skimage(self):
        def draw(rng, type, shape):
            axis = draw_axis(rng, shape)
            if rng.random() < 0.2:
                axis = tuple(int(a) for a in rng.permutation(len(shape))[:int(rng.integers(len(shape) + 1))])
            elif rng.random() < 0.2:
                axis = int(rng.integers(-len(shape), 0))
            return [draw_image(rng, type, shape)], {"mode": draw_mode(rng), "axis": axis, "cval": float(rng.integers(3)),
                                                    "mask": rng.random(shape) < 0.7 if rng.random() < 0.2 else None}
        self.check(macareu.skimage.filters, skimage.filters, "sobel", draw)

    def test_sobel_of_scipy(self):
        def draw(rng, type, shape):
            image, output = draw_image(rng, type, shape), None
            if np.dtype(type).kind in "bu" or type == "int8" or rng.random() < 0.2:
                output = str(rng.choice(["float32", "float64"]))
            elif image.dtype.kind == "i":
                image //= 32  # what an integer does not hold is undefined in C
            return [image], {"mode": draw_modes(rng, shape), "axis": int(rng.integers(-len(shape), len(shape))),
                                                    "output": output, "cval": float(rng.integers(3))}
        self.check(ours_in_scipy, scipy.ndimage, "sobel", draw)

    def test_median_filter(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape)
            size = int(rng.choice([1, 3, 5, 7] if len(shape) < 3 else [1, 3, 5]))
            # Also fractions, and what the type may not hold.
            cval = int(rng.integers(3)) if rng.random() < 0.7 else float(rng.choice([-300, -1, -0.5, 0.7, 2.7, 99.5, 300]))
            if rng.random() < 0.2:
                return [image], {"footprint": np.ones([size] * len(shape)), "mode": draw_mode(rng), "cval": cval}
            sizes = (size,) * len(shape) if rng.random() < 0.2 else size
            return [image], {"size": sizes, "mode": draw_mode(rng), "cval": cval,
                             "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "median_filter", draw)

    def test_histogram(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape)
            if rng.random() < 0.5:
                low, high = sorted(int(n) for n in rng.choice(50, 2))
            else:
                low, high = sorted(float(t) for t in np.quantile(image.astype(float), rng.random(2)))
            groups = draw_groups(rng, shape)
            if np.ndim(groups.get("index")) > 1:
                groups["index"] = groups["index"][0]
            return [image, low, high, int(rng.integers(1, 30))], groups
        self.check(ours_in_scipy, scipy.ndimage, "histogram", draw)

    def test_threshold_otsu(self):
        def draw(rng, type, shape):
            wide = np.dtype(type).kind == "f" or np.dtype(type).itemsize <= 2  # the peer has a bin for every integer
            image = (draw_image if wide else draw_few)(rng, "uint8" if type == "uint64" else type, shape)
            if rng.random() < 0.1:
                return [None], {"hist": rng.integers(0, 9, 40)}
            return [image], {"nbins": int(rng.choice([2, 10, 256]))} if rng.random() < 0.5 else {}
        self.check(macareu.skimage.filters, skimage.filters, "threshold_otsu", draw)

    def test_label_of_scipy(self):
        def draw(rng, type, shape):
            named = {"structure": draw_structure(rng, len(shape))}
            if rng.random() < 0.3:
                named["output"] = str(rng.choice(["uint8", "int16", "uint32", "int64", "float32", "float64"]))
            return [draw_image(rng, type, shape)], named
        self.check(ours_in_scipy, scipy.ndimage, "label", draw)

    def test_label_of_skimage(self):
        def draw(rng, type, shape):
            # scikit-image numbers objects in another order where an axis of a volume is one pixel long.
            image = draw_image(rng, type, shape if len(shape) < 3 else tuple(n + 1 for n in shape))
            named = {"return_num": bool(rng.random() < 0.5)}
            if rng.random() < 0.5:
                named["connectivity"] = int(rng.integers(0, len(shape) + 2))
            if rng.random() < 0.5:
                named["background"] = int(rng.integers(-2, 3) if type != "bool" else rng.integers(2))
            return [image], named
        self.check(macareu.skimage.measure, skimage.measure, "label", draw)

    def test_remove_small_objects(self):
        def draw(rng, type, shape):
            image = draw_few(rng, type, shape)
            if np.dtype(type).kind == "i" and rng.random() < 0.1:
                image = -image
            return [image], {"min_size": int(rng.integers(0, 9)), "connectivity": int(rng.integers(1, len(shape) + 1)),
                             "in_place": bool(rng.random() < 0.2)}
        self.check(ours_in_skimage, skimage.morphology, "remove_small_objects", draw)

    def test_remove_small_objects_into_memory_that_is_there(self):
        image = np.eye(5, dtype=int)
        for min_size in (0, 4, 10, np.inf):
            for out_type in (bool, int):
                ours, theirs = (np.ones((5, 5), out_type) for _ in range(2))
                self.assertIs(ours_in_skimage.remove_small_objects(image, min_size, out=ours), ours)
                skimage.morphology.remove_small_objects(image, min_size, out=theirs)
                np.testing.assert_array_equal(ours, theirs)

    def test_extremes_and_sums_of_labels(self):
        for name in ("minimum", "maximum", "sum_labels"):
            def draw(rng, type, shape):
                image = draw_image(rng, type, shape)
                if np.dtype(type).itemsize == 8 and image.dtype.kind in "iu":  # float64 on the way holds 2^53
                    image = draw_few(rng, type, shape) * type_limit(rng, type)
                if image.dtype.kind == "f" and rng.random() < 0.2:
                    image[rng.random(shape) < 0.1] = rng.choice([np.inf, -np.inf, np.nan])
                return [image], draw_groups(rng, shape)
            self.check(ours_in_scipy, scipy.ndimage, name, draw)

    def test_regionprops_table(self):
        rng = np.random.default_rng(20240612)
        compared = 0
        for number in range(IMAGES):
            axes = int(rng.choice([2, 2, 3]))
            labels = draw_objects(rng, draw_shape(rng, axes))
            intensity = None
            if rng.random() < 0.7:
                channels = () if rng.random() < 0.7 else (int(rng.integers(1, 4)),)
                intensity = draw_image(rng, TYPES[number % len(TYPES)], labels.shape + channels)
            asked = draw_properties(rng, axes, intensity)
            separator = str(rng.choice(["-", "+", "_of_"]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # means of weights that are all 0
                try:
                    theirs = skimage.measure.regionprops_table(labels, intensity, asked, separator=separator)
                except ValueError:  # it takes roots of what rounding made negative
                    continue
            ours = macareu.skimage.measure.regionprops_table(strided(rng, labels), intensity, asked,
                                                             separator=separator)
            check_table(ours, theirs, f"table {number}, {labels.dtype} {labels.shape}, {asked}")
            compared += 1
        self.assertGreater(compared, 500)

    def test_extra_properties(self):
        def pixels(inside):
            return np.sum(inside)

        def ends(inside, intensity):
            return [intensity[inside].min(), intensity[inside].max()]

        def shape(inside):
            return np.array(inside.shape)

        def own(inside):
            return inside[inside]

        rng = np.random.default_rng(20240613)
        for number in range(60):
            axes = int(rng.choice([2, 2, 3]))
            labels = np.maximum(draw_objects(rng, draw_shape(rng, axes)), 0)
            intensity = None if rng.random() < 0.3 else draw_image(rng, "float64", labels.shape)
            functions = [pixels, shape, own] + ([] if intensity is None else [ends])
            if not labels.any():
                functions = [pixels]
            theirs, ours = (one.regionprops_table(labels, intensity, ("label",), separator="+", extra_properties=functions)
                            for one in (skimage.measure, macareu.skimage.measure))
            check_same(ours, theirs, f"table {number}")
        with self.assertRaisesRegex(AttributeError, "intensity image required"):
            macareu.skimage.measure.regionprops_table(np.ones((2, 2), int), extra_properties=[ends])

    def test_large_labels(self):
        for labels in (np.array([[0, 2**40], [7, 2**40]]), np.array([[2**63, 2**63], [7, 1]], np.uint64),
                       np.array([[-3, 2**50]])):
            asked = ("label", "area", "centroid")
            table = macareu.skimage.measure.regionprops_table(labels, properties=asked)
            numbers = np.unique(labels[labels > 0])
            np.testing.assert_array_equal(table["label"], numbers)
            np.testing.assert_array_equal(table["area"], [np.sum(labels == n) for n in numbers])
            np.testing.assert_array_equal(table["centroid-1"], [np.nonzero(labels == n)[1].mean() for n in numbers])


class OddCalls(unittest.TestCase):
    """What random images do not meet: the peer's results, or its kinds of errors and warnings."""

    def check(self, module, peer, calls):
        for name, *given, named in calls:
            what = f"{name} {given} {named}"
            with self.subTest(what):
                expected, of_peer = outcome(getattr(peer, name), given, named)
                found, of_ours = outcome(getattr(module, name), given, named)
                self.assertEqual(of_ours, of_peer)
                if isinstance(expected, Exception):
                    self.assertIsInstance(found, expected.__class__)
                    self.assertNotIsInstance(found, NotImplementedError)
                    continue
                if isinstance(found, Exception):
                    raise found
                self.assertEqual(isinstance(found, np.ndarray), isinstance(expected, np.ndarray))
                check_same(found, expected, what)

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
        for cval in (np.nan, np.inf):
            calls += [("gaussian_filter", image, 1, {"cval": cval, "mode": mode}) for mode in ("constant", "reflect")]
        calls += [("gaussian_filter", image, 1, {"truncate": ends}) for ends in (0, -0.2, -1, -4)]
        calls += [(name, empty, no_labels, [1, 2], {}) for name in ("minimum", "maximum", "sum_labels")]
        self.check(ours_in_scipy, scipy.ndimage, calls)

    def test_skimage(self):
        image = np.arange(20.0).reshape(4, 5)
        empty, no_labels = np.zeros((0, 3)), np.zeros((0, 3), int)
        long, half = image.astype(np.longdouble), image.astype(np.float16)
        self.check(macareu.skimage.filters, skimage.filters, [
            ("sobel", image, {"axis": axis}) for axis in (5, -3, -1, (0, -1), (), (0, 2), 1.0)] + [
            ("sobel", image[0], {"axis": -1}), ("sobel", long, {}), ("gaussian", long, {}), ("gaussian", half, {}),
            ("gaussian", image, 1, {"output": np.zeros((2, 4, 5))}), ("gaussian", image, {"truncate": 0}),
            ("gaussian", image, {"mode": "constant", "cval": np.nan}), ("apply_hysteresis_threshold", empty, 1, 2, {}),
            ("threshold_otsu", half, {}), ("threshold_otsu", long, {}), ("threshold_otsu", empty, {}),
            ("threshold_otsu", np.array([[0, 5, 7, 2**24 + 9]]), {}), ("threshold_otsu", {"hist": np.zeros(5)}),
            ("threshold_otsu", {"hist": (np.zeros(5), np.arange(5))})])
        self.check(macareu.skimage.feature, skimage.feature, [
            ("canny", image, {"mask": np.ones((2, 5), bool)}), ("canny", image, {"mask": np.ones((1, 5), bool)}),
            ("canny", empty, {}), ("canny", image, {"mode": "reflect", "cval": np.nan})])
        self.check(macareu.skimage.measure, skimage.measure, [
            ("label", image > 7, {"connectivity": 1.5}), ("label", np.eye(4, dtype=int), {"connectivity": 1.5}),
            ("regionprops_table", no_labels, {}), ("regionprops_table", no_labels, empty, {})])
        rng = np.random.default_rng(20240614)
        whole = rng.integers(0, 30, (9, 8)).astype(np.float16)
        self.check(ours_in_skimage, skimage.morphology, [
            (name, whole, h, {}) for name in ("h_maxima", "h_minima") for h in (1, 4, 9)] + [
            ("reconstruction", empty, empty, {})])

    def test_sums_of_very_different_scales(self):
        rng = np.random.default_rng(20240615)
        for type in ("float32", "float64"):
            for number in range(100):
                labels = rng.integers(0, 9, draw_shape(rng, 2))
                image = (rng.normal(size=labels.shape) * 10.0 ** (4 * labels - 16)).astype(type)
                theirs, ours = (one.sum_labels(image, labels, np.arange(9)) for one in (scipy.ndimage, ours_in_scipy))
                np.testing.assert_array_equal(ours, theirs, f"{type}, image {number}")

    def test_histograms_of_many_objects(self):
        rng = np.random.default_rng(20240616)
        labels = rng.integers(-3, 3000, (150, 160))
        image = rng.normal(size=labels.shape).astype(np.float32)
        index = rng.integers(-5, 3005, 4000)
        theirs, ours = (one.histogram(image, -1, 2, 7, labels, index) for one in (scipy.ndimage, ours_in_scipy))
        check_same(ours, theirs, "histograms")


def outcome(function, given, named):
    """What it gives or raises, and the kinds of warnings to the caller."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = function(*given, **named)
        except Exception as failure:
            result = failure
    return result, {one.category for one in told if one.category is not RuntimeWarning}


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
                 ("output", lambda: ours_in_scipy.median_filter(image, 3, output=complex)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.uint8(image), 3, mode="constant", cval=300)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.uint8(image), 3, mode="constant", cval=-1)),
                 ("cval", lambda: ours_in_scipy.median_filter(np.float64(image), 3, mode="constant", cval=np.nan)),
                 ("cval", lambda: macareu.skimage.feature.canny(image, mode="constant", cval=np.nan)),
                 ("sampling", lambda: ours_in_scipy.distance_transform_edt(image, sampling=0)),
                 ("sampling", lambda: ours_in_scipy.distance_transform_edt(image, sampling=(1, -1))),
                 ("input", lambda: ours_in_scipy.median_filter(np.float16(image), 3)),
                 ("intensity_image", lambda: table(numbered, np.float16(image), ["intensity_mean"])),
                 ("image", lambda: ours_in_skimage.h_maxima(image.astype(np.longdouble), 1))]
        for name, call in calls:
            with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"^{name}"):
                call()


PROPERTIES = ["label", "area", "bbox", "area_bbox", "centroid", "centroid_local", "equivalent_diameter_area", "extent",
              "euler_number", "inertia_tensor", "inertia_tensor_eigvals", "axis_major_length", "axis_minor_length", "slice",
              "bbox_area", "local_centroid", "major_axis_length"]
IN_IMAGES = ["perimeter", "orientation", "eccentricity"]
OF_INTENSITY = ["intensity_min", "intensity_max", "intensity_mean", "centroid_weighted_local", "mean_intensity"]


def draw_properties(rng, axes, intensity):
    known = PROPERTIES + (IN_IMAGES if axes == 2 else [])
    if intensity is not None:
        known = known + OF_INTENSITY + (["centroid_weighted"] if intensity.ndim == axes else [])
    some = rng.choice(known, int(rng.integers(1, 8)), replace=False)
    return tuple(str(name) for name in some)


def draw_objects(rng, shape):
    """Objects, objects that touch or fall apart, and numbers without pixels or below 0."""
    kind = rng.random()
    if kind < 0.5:
        reach = int(rng.integers(1, len(shape) + 1))
        near = scipy.ndimage.generate_binary_structure(len(shape), reach)
        labels = scipy.ndimage.label(rng.random(shape) < rng.uniform(0.1, 0.8), near)[0]
    else:
        labels = rng.integers(-1 if kind < 0.6 else 0, int(rng.choice([1, 3, 9])) + 1, shape) * int(rng.choice([1, 1, 5]))
    type = str(rng.choice(["int8", "uint8", "int16", "int32", "uint32", "int64"]))
    return labels.astype("int64" if labels.max(initial=0) > 127 else type if labels.min() >= 0 or type[0] == "i" else "int32")


def draw_labels(rng, shape):
    """Of any type; few or many, negative, larger than SciPy counts directly, for whole rows, or none at all."""
    kind = rng.random()
    if kind < 0.1:
        return None
    type = str(rng.choice(["int8", "uint8", "int32", "uint32", "int64", "uint64", "float64", "bool"]))
    few = rng.integers(0, 2 if type == "bool" else 5, shape[-1:] if kind < 0.2 else shape)
    if type in ("int32", "int64", "float64"):
        few = few * int(rng.choice([1, 1, 1000, -1]))
    return few.astype(type)


def draw_index(rng):
    kind = rng.random()
    if kind < 0.2:
        return None
    if kind < 0.4:
        return int(rng.integers(0, 4))
    if kind < 0.6:
        return [int(n) for n in rng.integers(-2, 7, int(rng.integers(1, 5)))]
    return rng.integers(0, 6, (2, 3)) * int(rng.choice([1, 1000]))


def check_table(ours, theirs, what):
    """To 1e-9; what is round or flat has axes that are roots of what rounding left."""
    assert list(ours) == list(theirs), f"{what}: {list(ours)}, but the peer has {list(theirs)}"
    for name in theirs:
        mine, column = ours[name], theirs[name]
        assert mine.dtype == column.dtype and mine.shape == column.shape, f"{what}: {name} is {mine.dtype} {mine.shape}"
        if column.dtype.kind != "f":
            assert list(mine) == list(column), f"{what}: {name}"
        elif name == "orientation":  # scikit-image's sign is a matter of rounding where both moments are equal
            apart = np.abs(mine - column)
            slanted = np.isclose(np.abs(column), np.pi / 4) & np.isclose(np.abs(mine), np.pi / 4)
            assert np.all(slanted | (np.minimum(apart, np.pi - apart) < 1e-7)), f"{what}: {name}"
        else:
            roots = "axis" in name or name == "eccentricity"
            np.testing.assert_allclose(mine, column, rtol=1e-6 if "mean" in name else 1e-9, atol=1e-6 if roots else 1e-9,
                                       err_msg=f"{what}: {name}")


def draw_groups(rng, shape):
    """labels and index of SciPy's measurements."""
    labels = draw_labels(rng, shape)
    return {} if labels is None else {"labels": labels, "index": draw_index(rng)}


def type_limit(rng, type):
    """What a few values of 64 bits may be multiplied with and stay below 2^53 in sums."""
    return np.dtype(type).type(rng.choice([1, 1, 2**30]))


def draw_mode(rng):
    return str(rng.choice(["reflect", "nearest", "mirror", "wrap", "constant", "grid-mirror", "grid-wrap",
                           "grid-constant"], p=[.16] * 5 + [.07, .07, .06]))


def draw_modes(rng, shape):
    """One for all axes, or one for each."""
    return draw_mode(rng) if rng.random() < 0.7 else [draw_mode(rng) for _ in shape]


def draw_zeros(rng, shape):
    """Of parameters for which only 0 is served, in both forms."""
    return 0 if rng.random() < 0.7 else (0,) * len(shape)


def draw_sigma(rng, shape):
    if rng.random() < 0.5:
        return float(rng.choice([0, 0.3, 0.7, 1, 2, 3.3]))
    return [float(s) for s in rng.choice([0, 0.5, 1, 1.3, 3], len(shape))]


def draw_axis(rng, shape):
    return None if rng.random() < 0.5 else int(rng.integers(len(shape)))


def draw_structure(rng, axes):
    if rng.random() < 0.3:
        return None
    return scipy.ndimage.generate_binary_structure(axes, int(rng.integers(1, axes + 1)))


if __name__ == "__main__":
    unittest.main()
