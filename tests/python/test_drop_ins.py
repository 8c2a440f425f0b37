"""Every function under a peer's name against the peer, on random images: type, shape and values."""

import inspect
import unittest
import warnings

import numpy as np
import scipy.ndimage
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
            low, high = sorted(int(n) for n in rng.choice(50, 2, replace=False))
            return [draw_image(rng, type, shape), low, high, int(rng.integers(1, 30))], {}
        self.check(ours_in_scipy, scipy.ndimage, "histogram", draw)

    def test_threshold_otsu(self):
        def draw(rng, type, shape):
            return [draw_image(rng, "uint8" if type in ("bool", "uint64") else type, shape)], {}
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
        calls = [("footprint", lambda: ours_in_skimage.local_maxima(image, footprint=odd)),
                 ("footprint", lambda: ours_in_skimage.reconstruction(image, image, footprint=np.ones((5, 5)))),
                 ("offset", lambda: ours_in_skimage.reconstruction(image, image, offset=np.array([0, 0]))),
                 ("structure", lambda: ours_in_scipy.binary_fill_holes(image, structure=odd)),
                 ("origin", lambda: ours_in_scipy.binary_fill_holes(image, origin=1)),
                 ("origin", lambda: ours_in_scipy.binary_propagation(image, origin=(0, 1))),
                 ("input", lambda: ours_in_scipy.distance_transform_edt(np.zeros((2, 2, 2, 2))))]
        for name, call in calls:
            with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"^{name}"):
                call()


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
