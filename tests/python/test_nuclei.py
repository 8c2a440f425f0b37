"""Nuclei: the recipe in Python and in C++ agree bit for bit, in memory and in pieces."""

import pathlib
import tempfile
import unittest

import numpy as np

import macareu


def slide(height, width, seed):
    """Violet discs on pink tissue, with noise."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    nuclei = np.zeros((height, width), bool)
    for _ in range(height * width // 3000):
        top, left, radius = random.integers(height), random.integers(width), random.integers(10, 17)
        nuclei |= (y - top)**2 + (x - left)**2 <= radius**2
    colours = np.where(nuclei[..., None], [95, 60, 140], [228, 180, 210]) + random.integers(-12, 13, (height, width, 1))
    return colours.astype(np.uint8)


class Nuclei(unittest.TestCase):
    def test_files_and_arrays_agree(self):
        for shape in ((200, 230), (131, 97)):
            image = slide(*shape, 1)
            labels = macareu.nuclei(image, mpp=0.25)
            self.assertEqual(labels.dtype, np.uint32)
            self.assertGreater(labels.max(), 2)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "slide.ppm"
                path.write_bytes(b"P6\n%d %d\n255\n" % shape[::-1] + image.tobytes())
                np.testing.assert_array_equal(macareu.nuclei(path, mpp=0.25), labels)
                np.testing.assert_array_equal(macareu.nuclei(path, mpp=0.25, pieces=(64, 80), threads=2), labels)
                macareu.nuclei(macareu.open(path), mpp=0.25, out=str(pathlib.Path(folder) / "labels.npy"))
                np.testing.assert_array_equal(np.load(pathlib.Path(folder) / "labels.npy"), labels)

    def test_parameters_count(self):
        image = slide(150, 150, 2)
        given = {"min_area": 60, "local_share": 0.7, "stain_set": "h-dab", "white": [240, 240, 240]}
        labels = macareu.nuclei(image, mpp=0.3, **given)
        self.assertGreaterEqual(np.bincount(labels.ravel())[1:].min(initial=10**6), 60 / 0.09)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slide.ppm"
            path.write_bytes(b"P6\n150 150\n255\n" + image.tobytes())
            np.testing.assert_array_equal(macareu.nuclei(path, mpp=0.3, **given), labels)

    def test_refusals(self):
        image = slide(40, 40, 3)
        with self.assertRaisesRegex(TypeError, "did you mean smooth"):
            macareu.nuclei(image, mpp=0.25, smoth=1)
        with self.assertRaises(ValueError):
            macareu.nuclei(image, mpp=0)
        with self.assertRaises(ValueError):
            macareu.nuclei(image[..., 0], mpp=0.25)
        with self.assertRaises(ValueError):
            macareu.nuclei(image, mpp=0.25, stain_set="he")


if __name__ == "__main__":
    unittest.main()
