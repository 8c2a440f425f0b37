"""Stains, blobs, local thresholds and ranges against scikit-image, SciPy and NumPy on random images."""

import unittest

import numpy as np
import scipy.ndimage
import skimage.color
import skimage.exposure
import skimage.filters
import skimage.measure
import skimage.segmentation
import skimage.transform

import macareu

H_E = np.array([[.65111, .70119, .29049], [.2159, .8012, .5581]])


def draw_colour(rng, type):
    image = rng.integers(0, 256, (23, 31, 3))
    image[0] = 0
    image[1] = 255
    image[2:8] = rng.integers(200, 256, (6, 31, 3))
    if type == "float32":
        return (image / 255).astype(type)
    return (image * (257 if type == "uint16" else 1)).astype(type)


def units(got, expected):
    """The largest difference in units of the last place of f32; amounts below 1e-8 are rounding errors of f64."""
    unit = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
    return np.max(np.abs(got - expected) / np.maximum(unit, 1e-15))


def haematoxylin(rgb):
    """The first stain by optical density, unit vectors and the image's own white."""
    white = np.maximum(np.percentile(rgb.reshape(-1, 3), 99, axis=0), 220)
    density = -np.log10(np.maximum(rgb.astype(np.float64), 1) / white)
    stains = H_E / np.linalg.norm(H_E, axis=1, keepdims=True)
    third = np.cross(*stains)
    inverse = np.linalg.inv(np.vstack([stains, third / np.linalg.norm(third)]))
    return np.maximum(density @ inverse[:, 0], 0)


class Unmix(unittest.TestCase):
    def test_rgb2hed(self):
        rng = np.random.default_rng(1)
        for type in ("uint8", "uint16", "float32"):
            for device in ("serial", "cpu"):
                image = draw_colour(rng, type)
                # scikit-image computes floats of 32 bits in these
                expected = skimage.color.rgb2hed(image.astype(np.float64) if type == "float32" else image)
                got = macareu.unmix(image, device=device)
                self.assertEqual(got.dtype, np.float32)
                self.assertLessEqual(units(got, expected), 1, (type, device))
                for stain, name in enumerate(("first", "second", "third")):
                    np.testing.assert_array_equal(macareu.unmix(image, give=name, device=device), got[..., stain])

    def test_named_and_given_stains(self):
        image = draw_colour(np.random.default_rng(2), "uint8")
        self.assertLessEqual(units(macareu.unmix(image, stains="h_dab"),
                                   skimage.color.separate_stains(image, skimage.color.hdx_from_rgb)), 1)
        stains = skimage.color.rgb_from_rbd
        for vectors in (list(stains.ravel()), stains, stains.tolist()):
            self.assertLessEqual(units(macareu.unmix(image, vectors=vectors),
                                       skimage.color.separate_stains(image, skimage.color.rbd_from_rgb)), 1)

    def test_optical_density_and_white(self):
        image = (draw_colour(np.random.default_rng(3), "uint8") * 0.93).astype(np.uint8)
        how = {"stains": "h_e", "density": "optical", "unit_vectors": True, "give": "first"}
        self.assertLessEqual(units(macareu.unmix(image, find_white=True, **how), haematoxylin(image)), 1)
        white = [float(w) for w in np.maximum(np.percentile(image.reshape(-1, 3), 99, axis=0), 220)]
        np.testing.assert_array_equal(macareu.unmix(image, white=white, **how),
                                      macareu.unmix(image, find_white=True, **how))

    def test_refusals(self):
        image = draw_colour(np.random.default_rng(4), "uint8")
        apart = "vectors: the stains cannot be told apart: "
        for named, text in (({"vectors": [1, 0, 0, 2, 0, 0]},
                             apart + r"vectors 1 \(1, 0, 0\) and 2 \(2, 0, 0\) have one direction"),
                            ({"vectors": [1, 0, 0, 0, 0, 0]}, apart + r"vector 2 \(0, 0, 0\) is 0"),
                            ({"vectors": [1, 0, 0, 0, 1, 0, 1, 1, 0]}, apart + r"vector 3 \(1, 1, 0\) is a mixture of the others"),
                            ({"white": 200, "find_white": True}, "white is given and find_white finds it: use one of them"),
                            ({"vectors": [1, 0, 0, 0, 1, 0], "stains": "h_dab"},
                             "vectors and stains are both given: use one of them"),
                            ({"vectors": [1, 2, 3]}, "vectors: expected 6 or 9 numbers, got 3"),
                            ({"white": [1, 2]}, "white: expected 1 or 3 numbers, got 2")):
            with self.assertRaisesRegex(ValueError, text):
                macareu.unmix(image, **named)
        with self.assertRaisesRegex(ValueError, "has 1 channel: give one with red, green and blue"):
            macareu.unmix(image[..., 0])


class Blobs(unittest.TestCase):
    def test_gaussian_laplace(self):
        rng = np.random.default_rng(5)
        for border in ("reflect", "constant", "nearest", "mirror", "wrap"):
            for shape, sigma in (((40, 50), 1.4), ((40, 50), (2, 0.7)), ((9, 12, 14), (1, 2, 0.6)), ((3, 2), 1.5)):
                image = rng.integers(0, 256, shape, dtype=np.uint8)
                expected = scipy.ndimage.gaussian_laplace(image.astype(np.float64), sigma, mode=border, cval=3)
                got = macareu.laplacian_of_gaussian(image, sigma=sigma, border=border, outside=3)
                self.assertEqual(got.dtype, np.float32)
                least = np.min(sigma)
                bound = 2.0**-24 * (4 * np.max(sigma) + 6) * len(shape)**2 * 2 / least**2 * 255
                self.assertLess(np.abs(got - expected).max(), bound)
                exact = macareu.laplacian_of_gaussian(image.astype(np.float64), sigma=sigma, border=border, outside=3)
                np.testing.assert_allclose(exact, expected, rtol=0, atol=1e-10)


class LocalThresholds(unittest.TestCase):
    def check(self, image, got, threshold):
        """Equal, but where rounding errors decide."""
        self.assertEqual(got.dtype, bool)
        near = np.abs(image - threshold) <= 2e-5 * max(1, np.abs(image).max())
        np.testing.assert_array_equal(got[~near], (image > threshold)[~near])

    def test_against_scikit_image(self):
        rng = np.random.default_rng(6)
        for type in ("uint8", "uint16", "float32"):
            for shape, window in (((40, 51), 15), ((40, 51), (3, 21)), ((7, 12, 13), 5), ((40, 51), 1), ((4, 5), 3)):
                image = rng.integers(0, 200, shape).astype(type)
                exact = image.astype(np.float64)
                for border in ("reflect", "constant", "nearest", "mirror", "wrap"):
                    for method in ("mean", "gaussian"):
                        expected = skimage.filters.threshold_local(exact, window, method, offset=2.5, mode=border, cval=7)
                        self.check(exact, macareu.local_threshold(image, window=window, method=method, margin=2.5,
                                                                  border=border, outside=7), expected)
                if min(shape) > np.max(window) // 2:  # NumPy pads one-pixel sides in another way
                    self.check(exact, macareu.local_threshold(image, window=window, method="niblack", k=0.3),
                               skimage.filters.threshold_niblack(exact, window, k=0.3))
                    self.check(exact, macareu.local_threshold(image, window=window, method="sauvola", r=100),
                               skimage.filters.threshold_sauvola(exact, window, r=100))

    def test_wide_gaussian_windows_differ_little(self):
        """The image is reduced for them."""
        image, _ = macareu.generate("tissue", (512, 768))
        for window in (193, 501):
            expected = image > skimage.filters.threshold_local(image.astype(np.float64), window)
            differ = macareu.local_threshold(image, window=window, method="gaussian") != expected
            self.assertLess(differ.mean(), 0.001, window)

    def test_defaults_and_refusals(self):
        image = np.random.default_rng(7).integers(0, 256, (30, 30), dtype=np.uint8)
        self.check(image.astype(float), macareu.local_threshold(image, method="sauvola"),
                   skimage.filters.threshold_sauvola(image))
        self.assertFalse(macareu.local_threshold(np.full((9, 9), 7, np.uint8)).any())
        self.assertFalse(macareu.local_threshold(np.full((9, 9), 0.1, np.float32)).any())
        with self.assertRaisesRegex(ValueError, "window: expected odd numbers, got 4"):
            macareu.local_threshold(image, window=4)
        with self.assertRaisesRegex(ValueError, "the range of the image is not finite"):
            macareu.local_threshold(np.full((3, 3), np.inf, np.float32))


class Sizes(unittest.TestCase):
    def test_reduce(self):
        rng = np.random.default_rng(11)
        for shape, factor in (((24, 36), 4), ((24, 36), (2, 3)), ((6, 8, 10), 2)):
            image = rng.integers(0, 256, shape).astype(np.uint16)
            blocks = factor if isinstance(factor, tuple) else (factor,) * len(shape)
            means = skimage.transform.downscale_local_mean(image, blocks)
            np.testing.assert_array_equal(macareu.reduce(image, factor=factor), np.floor(means + 0.5))
            np.testing.assert_allclose(macareu.reduce(image.astype(np.float32), factor=factor), means, rtol=1e-6)
            np.testing.assert_array_equal(macareu.reduce(image, factor=factor, method="max"),
                                          skimage.measure.block_reduce(image, blocks, np.max))
        image = rng.integers(0, 256, (23, 35), dtype=np.uint8)
        np.testing.assert_array_equal(macareu.reduce(image, factor=2, method="nearest"), image[::2, ::2])
        self.assertEqual(macareu.reduce(np.zeros((9, 9, 3), np.uint8), factor=(4, 4, 1)).shape, (3, 3, 3))

    def test_enlarge(self):
        rng = np.random.default_rng(12)
        image = rng.normal(size=(13, 17)).astype(np.float32)
        for size in ((13, 17), (26, 34), (52, 40), (100, 100)):
            expected = skimage.transform.resize(image.astype(np.float64), size, order=1, mode="edge", anti_aliasing=False)
            np.testing.assert_allclose(macareu.enlarge(image, size=size), expected, atol=1e-6)
        repeated = image.repeat(3, axis=0).repeat(2, axis=1)
        np.testing.assert_array_equal(macareu.enlarge(image, size=repeated.shape, method="nearest"), repeated)
        self.assertEqual(macareu.enlarge(image).shape, (26, 34))
        with self.assertRaisesRegex(ValueError, "size: expected at least 13 x 17, the image's size, got 12 x 40"):
            macareu.enlarge(image, size=(12, 40))


class Ranges(unittest.TestCase):
    def test_clip(self):
        rng = np.random.default_rng(8)
        image = rng.normal(size=(20, 30)).astype(np.float32)
        np.testing.assert_array_equal(macareu.clip(image, low=-1, high=0.5), image.clip(-1, 0.5))
        small = rng.integers(-128, 128, (20, 30)).astype(np.int8)
        np.testing.assert_array_equal(macareu.clip(small, low=-500, high=3), small.clip(-128, 3))
        with self.assertRaisesRegex(ValueError, "high: expected at least low, 5, got 2"):
            macareu.clip(small, low=5, high=2)

    def test_rescale(self):
        rng = np.random.default_rng(9)
        for type in ("uint8", "uint16", "int16", "float32"):
            image = rng.integers(0, 200, (31, 22)).astype(type)
            for low, high in ((0, 100), (2, 98.5)):
                ends = tuple(np.percentile(image, (low, high)))
                expected = skimage.exposure.rescale_intensity(image.astype(np.float64), ends, (0, 255))
                got = macareu.rescale(image, low_percentile=low, high_percentile=high, type="u8")
                self.assertLessEqual(np.abs(got - expected).max(), 0.5 + 1e-9)
                share = macareu.rescale(image, low=ends[0], high=ends[1])
                np.testing.assert_allclose(share, expected / 255, atol=1e-7)
        self.assertFalse(macareu.rescale(np.full((3, 3), 9, np.uint8)).any())
        self.assertFalse(macareu.rescale(np.full((3, 3), 9, np.uint8), low=9).any())
        for wrong, message in (({"low": 300}, "low: expected at most high, which is 9 by high_percentile, got 300"),
                               ({"high": 3}, "high: expected at least low, which is 9 by low_percentile, got 3")):
            with self.assertRaisesRegex(ValueError, message):
                macareu.rescale(np.full((3, 3), 9, np.uint8), **wrong)

    def test_cast(self):
        rng = np.random.default_rng(10)
        image = (rng.normal(size=(20, 30)) * 200).astype(np.float32)
        np.testing.assert_array_equal(macareu.cast(image, type="u8"), np.rint(image).clip(0, 255).astype(np.uint8))
        wide = rng.integers(-70000, 70000, (20, 30)).astype(np.int32)
        for type, dtype in (("u8", np.uint8), ("i16", np.int16), ("u64", np.uint64), ("f64", np.float64), ("bool", bool)):
            np.testing.assert_array_equal(macareu.cast(wide, type=type, overflow="wrap"), wide.astype(dtype))

    def test_expand_labels(self):
        labels = np.zeros((40, 50), np.int32)
        labels[5, 5], labels[30, 40], labels[20:24, 10:13] = 1, 2, 3
        for distance in (1, 2.5, 7):
            expected = skimage.segmentation.expand_labels(labels, distance)
            np.testing.assert_array_equal(macareu.expand_labels(labels, max_distance=distance), expected)


if __name__ == "__main__":
    unittest.main()
