"""Nuclei: the recipe in Python and in C++ agree bit for bit, in memory and in pieces."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy as np

import macareu
from stand_ins import GpuLike, TensorLike, play_cupy


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


class Sliced:
    """What arrays of zarr and h5py have."""

    def __init__(self, pixels):
        self._pixels, self.shape, self.dtype, self.chunks = pixels, pixels.shape, pixels.dtype, (32, 32, pixels.shape[2])

    def __getitem__(self, key):
        return self._pixels[key]


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

    def test_all_lazy_images_have_colours(self):
        image = slide(120, 130, 4)
        expected = macareu.nuclei(image, mpp=0.25)
        opaque = np.dstack([image, np.full(image.shape[:2], 255, np.uint8)])
        np.testing.assert_array_equal(macareu.nuclei(opaque, mpp=0.25), expected)
        with tempfile.TemporaryDirectory() as folder:
            for name, pixels in (("rgb", image), ("rgba", opaque)):
                path = pathlib.Path(folder) / (name + ".npy")
                np.save(path, pixels)
                for lazy in (path, macareu.open(path), np.load(path, mmap_mode="r"), Sliced(pixels)):
                    np.testing.assert_array_equal(macareu.nuclei(lazy, mpp=0.25, pieces=(50, 60)), expected)
            grey = pathlib.Path(folder) / "grey.npy"
            np.save(grey, image[..., 0])
            for lazy in (grey, Sliced(image[..., :2]), Sliced(image.astype(np.uint16))):
                with self.assertRaisesRegex(ValueError, "rows, columns, 3"):
                    macareu.nuclei(lazy, mpp=0.25)

    def test_unmix_of_npy_files_in_pieces(self):
        image = slide(40, 50, 5)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slide.npy"
            np.save(path, image)
            np.testing.assert_array_equal(macareu.unmix(macareu.open(path), give="first", pieces=(16, 20)),
                                          macareu.unmix(image, give="first"))

    def test_files_have_the_labels_of_the_command(self):
        tool = pathlib.Path(os.environ["BUILD"]) / "bin" / "macareu"
        if not tool.exists():
            self.skipTest("there is no command beside the package")
        image = np.full((700, 800, 3), 244, np.uint8)
        image[60:460, 80:480] = slide(400, 400, 6)
        image[550:690, 100:700] = (40, 60, 170)  # a pen
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slide.npy"
            np.save(path, image)
            subprocess.run([tool, "nuclei", path, "-o", folder + "/out", "--mpp", "0.25", "--labels", "zarr", "--quiet", "--skip",
                            "pictures,page"], check=True)
            expected = macareu.open(folder + "/out/labels.zarr")[...]
            self.assertGreater(expected.max(), 10)
            for lazy in (path, np.load(path, mmap_mode="r")):
                np.testing.assert_array_equal(macareu.nuclei(lazy, mpp=0.25), expected)
            np.testing.assert_array_equal(macareu.nuclei(image, mpp=0.25, tissue=True), expected)
            everything = macareu.nuclei(image, mpp=0.25)
            self.assertTrue((everything != expected).any())
            np.testing.assert_array_equal(macareu.nuclei(path, mpp=0.25, tissue=False), everything)
            glass = pathlib.Path(folder) / "glass.npy"
            np.save(glass, np.full((80, 90, 3), 240, np.uint8))
            np.testing.assert_array_equal(macareu.nuclei(glass, mpp=0.25), np.zeros((80, 90), np.uint32))

    def test_every_parameter_is_everywhere(self):
        """In C++, in Python and on the command line, with one default."""
        header = (pathlib.Path(__file__).resolve().parents[2] / "include" / "macareu" / "nuclei.hpp").read_text()
        members = dict(re.findall(r"^  double (\w+) = ([0-9.]+);", header.partition("struct tissue_mask")[0], re.MULTILINE))
        self.assertGreater(len(members), 20)
        known = macareu._macareu.nuclei_parameters
        self.assertEqual({name: value for name, value in known.items() if isinstance(value, float)},
                         {name: float(value) for name, value in members.items()})
        tool = pathlib.Path(os.environ["BUILD"]) / "bin" / "macareu"
        if not tool.exists():
            self.skipTest("there is no command beside the package")
        page = " ".join(subprocess.run([tool, "nuclei", "--help"], check=True, stdout=subprocess.PIPE).stdout.decode().split())
        for name, value in members.items():
            with self.subTest(name):
                self.assertRegex(page, rf"--{name.replace('_', '-')} NUMBER [^-]*\(default: {float(value):g}[ )]")

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
        with self.assertRaisesRegex(ValueError, "a pixel of 250 x 250 um is larger than any nucleus"):
            macareu.nuclei(image, mpp=250)
        with self.assertRaises(ValueError):
            macareu.nuclei(image[..., 0], mpp=0.25)
        with self.assertRaises(ValueError):
            macareu.nuclei(image, mpp=0.25, stain_set="he")


class OfCuPy(unittest.TestCase):
    """The recipe's own calls on CuPy's arrays, which a stand-in plays where there is no GPU."""

    def test_all_steps_keep_the_kind(self):
        play_cupy(self)
        for given in ({}, {"stain_set": "h-dab", "white": [240, 240, 240]}, {"smooth": 0.5}):
            image = slide(150, 130, 7)
            expected = macareu.nuclei(image, mpp=0.25, **given)
            self.assertGreater(expected.max(), 2)
            found = macareu.nuclei(GpuLike(image), mpp=0.25, **given)
            self.assertIs(type(found), GpuLike)
            self.assertEqual(found.dtype, np.uint32)
            np.testing.assert_array_equal(found.array, expected)

    def test_without_nuclei(self):
        play_cupy(self)
        for image in (np.full((50, 60, 3), 240, np.uint8), np.zeros((0, 7, 3), np.uint8)):
            found = macareu.nuclei(GpuLike(image), mpp=0.25)
            self.assertIs(type(found), GpuLike)
            self.assertEqual(found.dtype, np.uint32)
            np.testing.assert_array_equal(found.array, np.zeros(image.shape[:2]))

    def test_refusals(self):
        play_cupy(self)
        image = slide(40, 40, 3)
        with self.assertRaisesRegex(TypeError, "cupy.asnumpy"):
            macareu.nuclei(GpuLike(image), mpp=0.25, tissue=True)
        with self.assertRaisesRegex(TypeError, "in pieces"):
            macareu.nuclei(GpuLike(image), mpp=0.25, memory="1G")
        other = TensorLike(image)
        other.dtype, other.shape = image.dtype, image.shape
        with self.assertRaisesRegex(TypeError, "NumPy or CuPy.* stand_ins.TensorLike"):
            macareu.nuclei(other, mpp=0.25)


class OnGpu(unittest.TestCase):
    """CuPy's arrays, and NumPy's on a GPU, have the labels of the host."""

    @classmethod
    def setUpClass(cls):
        if "cuda" not in macareu.info()["devices"]:
            raise unittest.SkipTest("no GPU, or a build without CUDA")

    def test_cupy(self):
        try:
            import cupy
        except ImportError as missing:
            self.skipTest(str(missing))
        for shape in ((200, 230), (700, 911)):
            image = slide(*shape, 8)
            expected = macareu.nuclei(image, mpp=0.25, device="cpu")
            self.assertGreater(expected.max(), 2)
            on_gpu = cupy.asarray(image)
            for given in (on_gpu, cupy.asarray(np.dstack([image, image[..., 0]])), cupy.asfortranarray(on_gpu)):
                found = macareu.nuclei(given, mpp=0.25)
                self.assertIs(type(found), cupy.ndarray)
                self.assertEqual(found.dtype, np.uint32)
                np.testing.assert_array_equal(cupy.asnumpy(found), expected)
            with cupy.cuda.Stream(non_blocking=True):
                np.testing.assert_array_equal(cupy.asnumpy(macareu.nuclei(cupy.asarray(image), mpp=0.25)), expected)
        for image in (np.full((50, 60, 3), 240, np.uint8), np.zeros((0, 7, 3), np.uint8)):
            found = macareu.nuclei(cupy.asarray(image), mpp=0.25)
            np.testing.assert_array_equal(cupy.asnumpy(found), np.zeros(image.shape[:2]))

    def test_numpy(self):
        image = slide(300, 280, 9)
        expected = macareu.nuclei(image, mpp=0.25, device="cpu")
        np.testing.assert_array_equal(macareu.nuclei(image, mpp=0.25, device="cuda"), expected)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "slide.npy"
            np.save(path, image)
            for limits in ({}, {"pieces": (101, 90)}):
                np.testing.assert_array_equal(macareu.nuclei(path, mpp=0.25, tissue=False, device="cuda", **limits), expected)


if __name__ == "__main__":
    unittest.main()
