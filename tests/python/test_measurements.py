"""Objects and what is measured of them under the peers' names against the peers, on random images."""

import unittest
import warnings

import numpy as np
import scipy.ndimage
import skimage.measure

import macareu
from images import TYPES, check_same, draw_few, draw_image, draw_shape, some, strided
from peers import IMAGES, AgainstPeers, draw_groups, draw_structure

ours_in_scipy = macareu.scipy.ndimage


class Measurements(AgainstPeers):
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
        edges = np.linspace(-1, 2, 8)
        for image in (rng.normal(size=labels.shape).astype(np.float32), rng.integers(-2, 4, labels.shape, dtype=np.int16),
                      rng.choice(np.concatenate((edges, np.nextafter(edges, -9), np.nextafter(edges, 9), [np.nan])), labels.shape)):
            for index in (rng.integers(-5, 3005, 4000), np.arange(3000), [7, 3, 3, 10**6]):
                theirs, ours = (one.histogram(image, -1, 2, 7, labels, index) for one in (scipy.ndimage, ours_in_scipy))
                check_same(ours, theirs, f"histograms of {image.dtype}")

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
        self.assertGreater(compared, IMAGES * 5 // 8)

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
            if number % 6 == 0:
                labels[:] = 0
            asked = ("label",) if number % 2 else ("shape", "label", "pixels", "area")
            theirs, ours = (one.regionprops_table(labels, intensity, asked, separator="+", extra_properties=functions)
                            for one in (skimage.measure, macareu.skimage.measure))
            check_same(ours, theirs, f"table {number}")
        with self.assertRaisesRegex(AttributeError, "intensity image required"):
            macareu.skimage.measure.regionprops_table(np.ones((2, 2), int), extra_properties=[ends])

    def test_an_extra_property_of_a_known_name(self):
        def area(inside):
            return -1

        labels = np.eye(3, dtype=int)
        for one in (skimage.measure, macareu.skimage.measure):
            with self.assertWarnsRegex(UserWarning, "shadowed"):
                self.assertEqual(one.regionprops_table(labels, extra_properties=[area])["area"].tolist(), [3])

    def test_orientations_of_equal_moments(self):
        """Whose sign is a matter of how sums are rounded."""
        rng = np.random.default_rng(20240619)
        equal = 0
        for number in range(some(150)):
            labels = scipy.ndimage.label(rng.random((40, 40)) < rng.uniform(0.1, 0.5), np.ones((3, 3)))[0]
            asked = ("orientation", "inertia_tensor")
            theirs, ours = (one.regionprops_table(labels, properties=asked) for one in (skimage.measure, macareu.skimage.measure))
            close = np.isclose(ours["inertia_tensor-0-0"], ours["inertia_tensor-1-1"]) & (ours["inertia_tensor-0-1"] != 0)
            np.testing.assert_array_equal(ours["orientation"][close], theirs["orientation"][close])
            equal += close.sum()
        self.assertGreater(equal, some(500))

    def test_large_labels(self):
        for labels in (np.array([[0, 2**40], [7, 2**40]]), np.array([[2**63, 2**63], [7, 1]], np.uint64),
                       np.array([[-3, 2**50]])):
            asked = ("label", "area", "centroid")
            table = macareu.skimage.measure.regionprops_table(labels, properties=asked)
            numbers = np.unique(labels[labels > 0])
            np.testing.assert_array_equal(table["label"], numbers)
            np.testing.assert_array_equal(table["area"], [np.sum(labels == n) for n in numbers])
            np.testing.assert_array_equal(table["centroid-1"], [np.nonzero(labels == n)[1].mean() for n in numbers])


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


def check_table(ours, theirs, what):
    """To 1e-9; what is round or flat has axes that are roots of what rounding left."""
    assert list(ours) == list(theirs), f"{what}: {list(ours)}, but the peer has {list(theirs)}"
    for name in theirs:
        mine, column = ours[name], theirs[name]
        assert mine.dtype == column.dtype and mine.shape == column.shape, f"{what}: {name} is {mine.dtype} {mine.shape}"
        if column.dtype.kind != "f":
            assert list(mine) == list(column), f"{what}: {name}"
        elif name == "orientation":
            apart = np.abs(mine - column)
            assert np.all(np.minimum(apart, np.pi - apart) < 1e-7), f"{what}: {name}"
        else:
            roots = "axis" in name or name == "eccentricity"
            np.testing.assert_allclose(mine, column, rtol=1e-6 if "mean" in name else 1e-9, atol=1e-6 if roots else 1e-9,
                                       err_msg=f"{what}: {name}")


def type_limit(rng, type):
    """What a few values of 64 bits may be multiplied with and stay below 2^53 in sums."""
    return np.dtype(type).type(rng.choice([1, 1, 2**30]))


if __name__ == "__main__":
    unittest.main()
