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
from images import TYPES, check_same, draw_image, draw_shape, strided

IMAGES = 600
ours_in_skimage = macareu.skimage.morphology
ours_in_scipy = macareu.scipy.ndimage


class AgainstPeers(unittest.TestCase):
    def check(self, module, peer, name, draw, absolute=0):
        """draw(rng, type, shape) gives the arguments of a call."""
        ours, theirs = getattr(module, name), getattr(peer, name)
        rng = np.random.default_rng(20240611)
        for number in range(IMAGES):
            type = TYPES[number % len(TYPES)]
            shape = draw_shape(rng, int(rng.choice([1, 2, 2, 3])))
            given, named = draw(rng, type, shape)
            given = [strided(rng, one) if isinstance(one, np.ndarray) else one for one in given]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = theirs(*(one.copy() if isinstance(one, np.ndarray) else one for one in given), **named)
                check_same(ours(*given, **named), expected, f"{name}, image {number}, {type} {shape} {named}", absolute)

    def test_reconstruction(self):
        def draw(rng, type, shape):
            a, b = draw_image(rng, type, shape), draw_image(rng, type, shape)
            down = rng.random() < 0.5
            seed, mask = (np.maximum(a, b), b) if down else (np.minimum(a, b), b)
            return [seed, mask], {"method": "erosion" if down else "dilation",
                                  "footprint": draw_structure(rng, len(shape))}
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
                return [draw_image(rng, type, shape)], named
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_h_extrema(self):
        for name in ("h_maxima", "h_minima"):
            def draw(rng, type, shape):
                # NumPy has no range of booleans.
                image = draw_image(rng, "uint8" if type == "bool" else type, shape)
                h = float(rng.choice([0.5, 2.0, 7.0])) if rng.random() < 0.3 else int(rng.integers(1, 8))
                return [image, h], {"footprint": draw_structure(rng, len(shape))}
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_distance_transform_edt(self):
        def draw(rng, type, shape):
            named = {"return_indices": bool(rng.random() < 0.5)}
            if rng.random() < 0.5:
                named["sampling"] = [float(s) for s in rng.choice([0.3, 1, 2, 5], len(shape))]
            image = draw_image(rng, type, shape)
            return [(rng.random(shape) < 0.05) == (image > 0)], named
        self.check(ours_in_scipy, scipy.ndimage, "distance_transform_edt", draw)

    def test_binary_fill_holes(self):
        def draw(rng, type, shape):
            return [draw_image(rng, type, shape)], {"structure": draw_structure(rng, len(shape))}
        self.check(ours_in_scipy, scipy.ndimage, "binary_fill_holes", draw)

    def test_binary_propagation(self):
        def draw(rng, type, shape):
            # SciPy makes int8 of a mask on its way, which turns 0.75 and 256 into 0.
            mask = (draw_image(rng, type, shape) > 0).astype(type) if rng.random() < 0.9 else None
            return [rng.random(shape) < 0.1], {"structure": draw_structure(rng, len(shape)), "mask": mask,
                                               "border_value": int(rng.random() < 0.2)}
        self.check(ours_in_scipy, scipy.ndimage, "binary_propagation", draw)


    def test_canny(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, (shape * 2)[:2])
            highest = 1 if image.dtype.kind in "bf" else np.iinfo(image.dtype).max
            named = {"sigma": float(rng.choice([0, 0.7, 1, 2.5])), "mode": draw_mode(rng)}
            if rng.random() < 0.7:
                low, high = sorted(float(t) * highest for t in rng.choice([0, 0.001, 0.01, 0.1, 1], 2))
                named.update(low_threshold=low, high_threshold=high)
            return [image], named
        self.check(macareu.skimage.feature, skimage.feature, "canny", draw)

    def test_apply_hysteresis_threshold(self):
        def draw(rng, type, shape):
            low, high = (int(n) for n in rng.integers(0, 20, 2))
            return [draw_image(rng, type, shape), low, high], {}
        self.check(macareu.skimage.filters, skimage.filters, "apply_hysteresis_threshold", draw)

    def test_gaussian(self):
        def draw(rng, type, shape):
            sigma = [float(s) for s in rng.choice([0.5, 1, 3], 2)] if rng.random() < 0.5 else 1.3
            image = draw_image(rng, type, (shape * 2)[:2])
            return [image, sigma], {"mode": draw_mode(rng), "preserve_range": bool(rng.random() < 0.5)}
        self.check(macareu.skimage.filters, skimage.filters, "gaussian", draw)

    def test_gaussian_filter(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape if len(shape) > 1 else shape * 2)
            output = None if type.startswith("float") else rng.choice(["float32", "float64"])
            return [image, float(rng.choice([0.7, 1, 2]))], {"mode": draw_mode(rng), "output": output, "cval": 3.0}
        self.check(ours_in_scipy, scipy.ndimage, "gaussian_filter", draw)

    def test_sobel_of_skimage(self):
        def draw(rng, type, shape):
            shape = shape if len(shape) > 1 else shape * 2
            return [draw_image(rng, type, shape)], {"mode": draw_mode(rng), "axis": draw_axis(rng, shape)}
        self.check(macareu.skimage.filters, skimage.filters, "sobel", draw, absolute=1e-5)

    def test_sobel_of_scipy(self):
        def draw(rng, type, shape):
            shape = shape if len(shape) > 1 else shape * 2
            output = "float64" if np.dtype(type).kind in "bu" or type == "int8" else None
            return [draw_image(rng, type, shape)], {"mode": draw_mode(rng), "axis": int(rng.integers(-1, len(shape))),
                                                    "output": output}
        self.check(ours_in_scipy, scipy.ndimage, "sobel", draw)

    def test_median_filter(self):
        def draw(rng, type, shape):
            shape = shape if len(shape) > 1 else shape * 2
            image = draw_image(rng, "uint8" if type == "bool" else type, shape)
            return [image], {"size": int(rng.choice([3, 5, 7] if len(shape) == 2 else [3])), "mode": draw_mode(rng)}
        self.check(ours_in_scipy, scipy.ndimage, "median_filter", draw)

    def test_histogram(self):
        def draw(rng, type, shape):
            low, high = sorted(int(n) for n in rng.choice(50, 2))
            return [draw_image(rng, type, shape), low, high, int(rng.integers(1, 30))], {}
        self.check(ours_in_scipy, scipy.ndimage, "histogram", draw)

    def test_threshold_otsu(self):
        def draw(rng, type, shape):
            if type == "uint16":  # of all values: sums that single precision does not hold
                return [rng.integers(0, 2**16, shape).astype(type)], {}
            return [draw_image(rng, "uint8" if type == "uint64" else type, shape)], {}
        self.check(macareu.skimage.filters, skimage.filters, "threshold_otsu", draw)

    def test_label_of_scipy(self):
        def draw(rng, type, shape):
            return [draw_image(rng, type, shape)], {"structure": draw_structure(rng, len(shape))}
        self.check(ours_in_scipy, scipy.ndimage, "label", draw)

    def test_label_of_skimage(self):
        def draw(rng, type, shape):
            # scikit-image numbers objects in another order where an axis of a volume is one pixel long.
            image = draw_image(rng, type, shape if len(shape) < 3 else tuple(n + 1 for n in shape))
            named = {"return_num": bool(rng.random() < 0.5)}
            if rng.random() < 0.5:
                named["connectivity"] = int(rng.integers(1, len(shape) + 1))
            if rng.random() < 0.5:
                named["background"] = int(rng.integers(-2, 3) if type != "bool" else rng.integers(2))
            return [image], named
        self.check(macareu.skimage.measure, skimage.measure, "label", draw)

    def test_remove_small_objects(self):
        def draw(rng, type, shape):
            image = draw_image(rng, "bool" if np.dtype(type).kind == "f" or type == "uint64" else type, shape)
            return [image], {"min_size": int(rng.integers(0, 9)), "connectivity": int(rng.integers(1, len(shape) + 1))}
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
                if np.dtype(type).kind in "if" and rng.random() < 0.5:
                    image = -image
                labels, index = draw_labels(rng, shape), draw_index(rng)
                if labels is None:
                    index = None
                one = labels is not None and (index is None or np.isscalar(index))
                if one and name != "sum_labels" and not np.any(labels > 0 if index is None else labels == index):
                    index = [1, 2]  # of no pixels at all there is no extreme
                return [image], {"labels": labels, "index": index}
            self.check(ours_in_scipy, scipy.ndimage, name, draw, absolute=1e-9)

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

    def test_large_labels(self):
        for labels in (np.array([[0, 2**40], [7, 2**40]]), np.array([[2**63, 2**63], [7, 1]], np.uint64),
                       np.array([[-3, 2**50]])):
            asked = ("label", "area", "centroid")
            table = macareu.skimage.measure.regionprops_table(labels, properties=asked)
            numbers = np.unique(labels[labels > 0])
            np.testing.assert_array_equal(table["label"], numbers)
            np.testing.assert_array_equal(table["area"], [np.sum(labels == n) for n in numbers])
            np.testing.assert_array_equal(table["centroid-1"], [np.nonzero(labels == n)[1].mean() for n in numbers])


class Forms(unittest.TestCase):
    def test_every_name_is_a_peers_name_with_its_parameters(self):
        for module, peer in ((ours_in_skimage, skimage.morphology), (macareu.skimage.measure, skimage.measure),
                             (macareu.skimage.filters, skimage.filters),
                             (ours_in_scipy, scipy.ndimage)):
            for name in module.__all__:
                theirs = inspect.signature(getattr(peer, name)).parameters
                mine = inspect.signature(getattr(module, name)).parameters
                with self.subTest(name):
                    self.assertEqual([(p.name, p.default) for p in mine.values()],
                                     [(p.name, p.default) for p in theirs.values()])

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
                 ("offset", lambda: ours_in_skimage.reconstruction(image, image, offset=np.array([0, 0]))),
                 ("structure", lambda: ours_in_scipy.binary_fill_holes(image, structure=odd)),
                 ("origin", lambda: ours_in_scipy.binary_fill_holes(image, origin=1)),
                 ("origin", lambda: ours_in_scipy.binary_propagation(image, origin=(0, 1))),
                 ("input", lambda: ours_in_scipy.distance_transform_edt(np.zeros((2, 2, 2, 2)))),
                 ("input", lambda: ours_in_scipy.minimum(np.zeros(3, complex))),
                 ("input", lambda: ours_in_scipy.maximum(np.array([2**60, 1]), np.array([1, 1]), [1])),
                 ("moments_hu", lambda: table(numbered, properties=["label", "moments_hu"])),
                 ("Property perimeter", lambda: table(numbered[None], properties=["perimeter"])),
                 ("centroid_weighted", lambda: table(numbered, np.ones((4, 5, 2)), ["centroid_weighted"])),
                 ("extra_properties", lambda: table(numbered, extra_properties=[np.sum]))]
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


def draw_mode(rng):
    return str(rng.choice(["reflect", "nearest", "mirror", "wrap", "constant"]))


def draw_axis(rng, shape):
    return None if rng.random() < 0.5 else int(rng.integers(len(shape)))


def draw_structure(rng, axes):
    if rng.random() < 0.3:
        return None
    return scipy.ndimage.generate_binary_structure(axes, int(rng.integers(1, axes + 1)))


if __name__ == "__main__":
    unittest.main()
