"""Images that are not in memory: files, numpy.memmap, zarr, h5py, and anything with a shape, a type and slices."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import macareu
from images import LONG, TYPES, check_same, draw_image, draw_shape
from test_native import OPERATORS, arguments

try:
    import h5py
except ImportError:
    h5py = None
try:
    import zarr
except ImportError:
    zarr = None


class Sliced:
    """Has what is needed, and nothing else. Notes the shapes of the slices that are taken."""

    def __init__(self, pixels):
        self.pixels, self.shape, self.dtype, self.taken = pixels, pixels.shape, pixels.dtype, []

    def __getitem__(self, key):
        part = self.pixels[key]
        self.taken.append(part.shape)
        return part


class Assigned(Sliced):
    def __setitem__(self, key, value):
        assert self.pixels[key].shape == value.shape, "no broadcasting"
        self.pixels[key] = value


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def left(self):
        return sorted(os.listdir(self.folder))


class Operators(unittest.TestCase):
    def test_all_give_what_they_give_in_memory(self):
        rng = np.random.default_rng(29)
        for name in OPERATORS:
            function = getattr(macareu, name)
            for number in range(6 if LONG else 2):
                type = TYPES[int(rng.integers(len(TYPES)))]
                images, rest = arguments(name, rng, type, draw_shape(rng, 2 + number % 2))
                with self.subTest(f"{name} of {type}, {images[0].shape}"):
                    expected = function(*images, *rest)
                    axes = images[0].ndim - (name == "unmix")  # the last one has the colours
                    sizes = tuple(int(size) for size in rng.integers(1, 9, axes))
                    check_same(function(*map(Sliced, images), *rest, pieces=sizes), expected, name)
                    if isinstance(expected, np.ndarray):
                        place = Assigned(np.zeros(expected.shape, expected.dtype))
                        mixed = [images[0], *map(Sliced, images[1:])]
                        self.assertIs(function(*mixed, *rest, out=place, pieces=sizes), place)
                        check_same(place.pixels, expected, f"{name} with out")

    def test_optional_images(self):
        rng = np.random.default_rng(3)
        image = draw_image(rng, "float32", (20, 30))
        labels = macareu.label(image > np.median(image))
        found = macareu.measure(Sliced(labels), Sliced(image), pieces=(7, 30))
        check_same(found, macareu.measure(labels, image), "measure")

    def test_arrays_in_memory(self):
        image = macareu.generate("tissue", (60, 70))[0]
        for given in (image, image.T, image.astype(">i2"), image.tolist()):
            check_same(macareu.fill_holes(given, pieces=(16, 16)), macareu.fill_holes(given), "fill_holes")
        out = np.zeros((60, 140), np.uint8)[:, ::2]
        self.assertIs(macareu.fill_holes(image, out=out, pieces=[9, 9]), out)
        check_same(out, macareu.fill_holes(image), "out")


class Memory(InFolder):
    image = macareu.generate("tissue", (300, 400))[0]

    def test_what_fits_is_read_at_once(self):
        image = Sliced(self.image)
        for how in ({}, {"memory": "1G"}, {"device": "serial"}):
            check_same(macareu.fill_holes(image, **how), macareu.fill_holes(self.image), "fill_holes")
            self.assertEqual(image.taken, [(300, 400)])
            image.taken.clear()

    def test_what_does_not_fit_is_read_in_pieces(self):
        image = Sliced(self.image)
        check_same(macareu.fill_holes(image, memory="500K"), macareu.fill_holes(self.image), "fill_holes")
        self.assertGreater(len(image.taken), 2)
        self.assertLess(max(rows * columns for rows, columns in image.taken), 300 * 400)

    def test_chunks_are_written_as_a_whole(self):
        place = Assigned(np.zeros((300, 400), np.uint8))
        place.chunks = (64, 128)
        starts = []
        place.__class__ = type("Noting", (Assigned,), {
            "__setitem__": lambda self, key, value: (starts.append((key[0].start, key[1].start)),
                                                     Assigned.__setitem__(self, key, value))})
        macareu.median(self.image, out=place, pieces=(100, 200))
        check_same(place.pixels, macareu.median(self.image), "median")
        self.assertTrue(len(starts) > 4 and all(row % 64 == 0 and column % 128 == 0 for row, column in starts), starts)

    def test_scratch(self):
        macareu.fill_holes(Sliced(self.image), pieces=(50, 50), scratch=self.folder)
        self.assertEqual(self.left(), [])
        with self.assertRaisesRegex(FileNotFoundError, "scratch: there is no directory"):
            macareu.fill_holes(self.image, pieces=(50, 50), scratch=self.folder / "none")


class Places(InFolder):
    mask, marker = macareu.generate("tissue", (80, 90))
    grown = macareu.reconstruct(marker, mask)

    def check(self, marker, mask, out):
        self.assertIs(macareu.reconstruct(marker, mask, out=out, pieces=(32, 40)), out)
        check_same(out[:, :], self.grown, type(out))
        check_same(macareu.reconstruct(marker, mask), self.grown, type(mask))

    def test_memmap(self):
        for name in ("mask", "marker"):
            np.save(self.folder / f"{name}.npy", getattr(self, name))
        mask, marker = (np.load(self.folder / f"{name}.npy", mmap_mode="r") for name in ("mask", "marker"))
        self.check(marker, mask, np.lib.format.open_memmap(self.folder / "out.npy", "w+", np.uint8, mask.shape))
        check_same(np.load(self.folder / "out.npy"), self.grown, "memmap")
        again = np.load(self.folder / "mask.npy", mmap_mode="r+")
        with self.assertRaisesRegex(ValueError, "out: shares pixels"):
            macareu.reconstruct(marker, mask, out=again, pieces=(32, 40))
        for how in ({}, {"pieces": (32, 40)}):
            with self.assertRaisesRegex(ValueError, "out: the array is read-only"):
                macareu.fill_holes(marker, out=mask, **how)
        changed = np.load(self.folder / "marker.npy", mmap_mode="r+")
        self.assertIs(macareu.reconstruct(changed, mask, out=changed), changed)  # fits into memory
        check_same(np.load(self.folder / "marker.npy"), self.grown, "in place")

    @unittest.skipIf(zarr is None, "zarr is not installed")
    def test_zarr(self):
        mask, marker = (zarr.array(each, chunks=(30, 30)) for each in (self.mask, self.marker))
        self.check(marker, mask, zarr.zeros(self.mask.shape, dtype="u1", chunks=(16, 48)))
        with self.assertRaisesRegex(ValueError, "out: shares pixels"):
            macareu.reconstruct(marker, mask, out=marker, pieces=(32, 40))
        marker.read_only = True
        with self.assertRaisesRegex(Exception, "read-only"):
            macareu.fill_holes(mask, out=marker)

    @unittest.skipIf(h5py is None, "h5py is not installed")
    def test_h5py(self):
        path = self.folder / "images.h5"
        with h5py.File(path, "w") as file:
            mask, marker = (file.create_dataset(name, data=getattr(self, name), chunks=chunks)
                            for name, chunks in (("mask", (30, 30)), ("marker", None)))
            self.check(marker, mask, file.create_dataset("out", mask.shape, "u1", chunks=(16, 48)))
            with self.assertRaisesRegex(ValueError, "out: shares pixels"):
                macareu.reconstruct(marker, mask, out=file["marker"], pieces=(32, 40))
        with h5py.File(path) as file, self.assertRaisesRegex(OSError, "no write intent"):
            macareu.fill_holes(file["mask"], out=file["out"])

    def test_files(self):
        np.save(self.folder / "mask.npy", self.mask)
        mask = macareu.open(self.folder / "mask.npy")
        for out in (self.folder / "out.npy", str(self.folder / "out.mha"), str(self.folder / "out.pgm")):
            self.assertIs(macareu.reconstruct(self.marker, mask, out=out), out)
            check_same(macareu.open(out)[...], self.grown, out)
        self.assertEqual(self.left(), ["mask.npy", "out.mha", "out.npy", "out.pgm"])
        path = str(self.folder / "mask.npy")
        macareu.reconstruct(self.marker, mask, out=path)  # replaced when all is done
        check_same(np.load(path), self.grown, path)

    def test_failed_calls_leave_files_as_they_were(self):
        out = self.folder / "out.npy"
        out.write_bytes(b"before")
        with self.assertRaisesRegex(ValueError, "above"):
            macareu.reconstruct(self.mask, self.marker, out=out)
        self.assertEqual((self.left(), out.read_bytes()), (["out.npy"], b"before"))

    def test_several_results(self):
        places = Assigned(np.zeros((80, 90), bool)), str(self.folder / "strength.npy")
        strength, expected = np.zeros((80, 90), np.float32), np.zeros((80, 90), bool)
        macareu.canny(self.mask, out=(expected, strength))
        self.assertIs(macareu.canny(Sliced(self.mask), out=places), places)
        check_same(places[0].pixels, expected, "edges")
        check_same(np.load(places[1]), strength, "strength")
        alone = Assigned(np.zeros((80, 90), bool))
        macareu.canny(self.mask, out=(alone, None))
        check_same(alone.pixels, expected, "edges alone")


class Open(InFolder):
    def test_slices_are_those_of_numpy(self):
        rng = np.random.default_rng(7)

        def draw_key(size):
            kind = rng.integers(4)
            if kind == 0:
                return int(rng.integers(-size, size))
            if kind == 1:
                return slice(None)
            ends = [None if rng.random() < 0.2 else int(end) for end in rng.integers(-size - 2, size + 3, 2)]
            return slice(*ends, None if rng.random() < 0.4 else int(rng.choice([-7, -2, -1, 1, 2, 3])))

        for type, shape in (("uint16", (23, 17)), ("float64", (5, 9, 8)), ("bool", (4, 6))):
            pixels = draw_image(rng, type, shape)
            path = self.folder / f"{type}.npy"
            np.save(path, pixels)
            image = macareu.open(path)
            self.assertEqual((image.shape, image.dtype, image.ndim, len(image)),
                             (shape, np.dtype(type), len(shape), shape[0]))
            for _ in range(300):
                before, after = sorted(rng.integers(0, len(shape) + 1, 2))
                key = tuple(map(draw_key, shape[:before]))
                if rng.random() < 0.5:
                    key = (*key, ..., *map(draw_key, shape[after:]))
                check_same(image[key], pixels[key], key)
            check_same(image[2], pixels[2], "row")
            check_same(np.asarray(image), pixels, "array")
            check_same(np.asarray(image, np.float32), pixels.astype(np.float32), "another type")
            for key in ("a", 1.5, [1], None, (0, 0, 0, 0), (..., ...), shape[0], -shape[0] - 1):
                with self.assertRaises(IndexError, msg=key):
                    image[key]

    def test_what_the_header_says(self):
        path = self.folder / "a.mha"
        path.write_bytes(b"ObjectType = Image\nNDims = 2\nBinaryData = True\nElementByteOrderMSB = False\n"
                         b"ElementSpacing = 0.5 0.25\nDimSize = 3 2\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
                         b"\0\1\2\3\4\5")
        image = macareu.open(path)
        self.assertEqual((image.spacing, image.chunks, image[1].tolist()), ((0.25, 0.5), None, [3, 4, 5]))
        macareu.gaussian(image, out=str(self.folder / "b.mha"))
        self.assertEqual(macareu.open(self.folder / "b.mha").spacing, (0.25, 0.5))

    @unittest.skipIf(zarr is None, "zarr is not installed")
    def test_levels(self):
        pixels = np.random.default_rng(5).integers(0, 99, (40, 60), dtype=np.uint16)
        file = zarr.open_group(str(self.folder / "a.ome.zarr"), mode="w")
        for level in (0, 1):
            file.create_dataset(str(level), data=pixels[::1 + level, ::1 + level], chunks=(16, 20), compressor=None,
                                dimension_separator="/")
        file.attrs["multiscales"] = [{
            "version": "0.4", "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
            "datasets": [{"path": str(level),
                          "coordinateTransformations": [{"type": "scale", "scale": [1 + level] * 2}]}
                         for level in (0, 1)]}]
        for level in (0, 1):
            try:
                image = macareu.open(self.folder / "a.ome.zarr", level=level)
            except OSError as error:
                if "this build has no nlohmann-json" in str(error):
                    self.skipTest(str(error))
                raise
            self.assertEqual((image.chunks, image.spacing), ((16, 20), (1 + level, 1 + level)))
            check_same(image[...], pixels[::1 + level, ::1 + level], level)
            check_same(macareu.maxima(image, pieces=(7, 9)), macareu.maxima(image[...]), level)

    def test_colours_have_an_axis(self):
        pixels = np.random.default_rng(3).integers(0, 256, (9, 12, 3), dtype=np.uint8)
        path = self.folder / "a.ppm"
        path.write_bytes(b"P6\n12 9\n255\n" + pixels.tobytes())
        image = macareu.open(path)
        check_same(image[2:, ::-2, 1], pixels[2:, ::-2, 1], "slice")
        smooth = np.stack([macareu.median(np.ascontiguousarray(pixels[..., c])) for c in range(3)], -1)
        check_same(macareu.median(image), smooth, "median")
        out = Assigned(np.zeros(pixels.shape, np.uint8))
        macareu.median(image, out=out, pieces=(4, 5))
        check_same(out.pixels, smooth, "median in pieces")

    def test_errors(self):
        (self.folder / "broken.npy").write_bytes(b"\x93NUMPY\1\0")
        for name in ("none.npy", "broken.npy"):
            with self.assertRaisesRegex(OSError, name):
                macareu.open(self.folder / name)
        np.save(self.folder / "a.npy", np.zeros((2, 2)))
        with self.assertRaisesRegex((OSError, ValueError), "level"):
            macareu.open(self.folder / "a.npy", level=1)


class Errors(unittest.TestCase):
    def test_are_one_clear_line(self):
        image = np.zeros((6, 8), np.uint8)
        fill, lazy = macareu.fill_holes, Sliced(image)
        short = Sliced(image)
        short.shape = (6, 9)
        changed = Sliced(image)
        changed.dtype = np.dtype(np.int16)
        cases = [
            (TypeError, "complex128 are not supported", lambda: fill(Sliced(image.astype(complex)))),
            (ValueError, "2 axes.*4 axes", lambda: fill(Sliced(np.zeros((2, 2, 2, 2))))),
            (ValueError, "2 axes.*1 axis", lambda: fill(Sliced(np.zeros(3)), pieces=(2, 2))),
            (ValueError, "shape", lambda: macareu.reconstruct(lazy, Sliced(image[:3]), pieces=(2, 2))),
            (ValueError, "type", lambda: macareu.reconstruct(lazy, Sliced(image.astype(int)), pieces=(2, 2))),
            (ValueError, r"slice is \(6, 8\) of uint8, expected \(6, 9\) of uint8",
             lambda: fill(short, pieces=(9, 9))),
            (ValueError, r"slice is \(6, 8\) of uint8, expected \(6, 8\) of int16",
             lambda: fill(changed, pieces=(9, 9))),
            (ValueError, r"out: is \(6, 7\) of uint8, but the result is \(6, 8\) of uint8",
             lambda: fill(lazy, out=Assigned(np.zeros((6, 7), np.uint8)))),
            (ValueError, "out: is .* of float64, but the result is .* of uint8",
             lambda: fill(lazy, out=Assigned(np.zeros((6, 8))))),
            (TypeError, "out: expected an array, or a file's name, not .*Sliced",
             lambda: fill(lazy, out=Sliced(image))),
            (TypeError, "out: expected an array", lambda: fill(lazy, out=7, pieces=(2, 2))),
            (ValueError, "out: shares pixels", lambda: macareu.reconstruct(image, image + 1, out=image, pieces=(2, 2))),
            (ValueError, "out: there is no room for", lambda: fill(lazy, out=(None,), pieces=(2, 2))),
            (ValueError, "gives 1 image", lambda: fill(image, out=(image + 1, Assigned(image + 1)))),
            (ValueError, "png|jpg|labels", lambda: fill(image.astype(np.int64), out="labels.xyz")),
            (ValueError, "memory: expected a size", lambda: fill(image, memory="much")),
            (ValueError, "memory: expected a size", lambda: fill(image, memory=0)),
            (ValueError, "memory: expected a size", lambda: fill(image, memory=2.5)),
            (ValueError, "memory: this needs .*, but the limit is", lambda: fill(lazy, memory=1)),
            (ValueError, "pieces: expected", lambda: fill(image, pieces=5)),
            (ValueError, "pieces: expected", lambda: fill(image, pieces=(0, 5))),
            (ValueError, "pieces: expected", lambda: fill(image, pieces=(2.5, 5))),
            (ValueError, "serial.*pieces", lambda: fill(image, pieces=(2, 2), device="serial")),
        ]
        for kind, words, call in cases:
            with self.subTest(words), self.assertRaisesRegex(kind, words) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))

    def test_errors_of_images_pass_through(self):
        class Failing(Assigned):
            def __getitem__(self, key):
                if len(self.taken) > 3:
                    raise KeyError("this slice")
                return super().__getitem__(key)

        pixels = np.zeros((40, 40), np.uint8)
        with self.assertRaisesRegex(KeyError, "this slice"):
            macareu.fill_holes(Failing(pixels), pieces=(8, 8))
        refusing = type("Refusing", (Assigned,), {"__setitem__": lambda self, key, value: 1 / (key[0].stop == 1)})
        with self.assertRaises(ZeroDivisionError):
            macareu.median(pixels, out=refusing(pixels + 1), pieces=(8, 8))


class Running(unittest.TestCase):
    def test_progress(self):
        told = []
        macareu.gaussian(Sliced(np.zeros((64, 64))), pieces=(8, 8), progress=told.append)
        self.assertEqual(told, sorted(told))
        self.assertGreater(len(told), 8)
        self.assertEqual(told[-1], 1)

        def fail(done):
            raise KeyError("in progress")

        with self.assertRaisesRegex(KeyError, "in progress"):
            macareu.gaussian(Sliced(np.zeros((64, 64))), pieces=(8, 8), progress=fail)

    def test_ctrl_c(self):
        program = ("import macareu, numpy as np, os, signal, threading, time\n"
                   "class Slow:\n"
                   "    shape, dtype = (100000, 100000), np.dtype(np.uint8)\n"
                   "    def __getitem__(self, key):\n"
                   "        time.sleep(0.01)\n"
                   "        return np.zeros([part.stop - part.start for part in key], np.uint8)\n"
                   "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                   "try:\n"
                   "    macareu.histogram(Slow(), pieces=(100, 100))\n"
                   "except KeyboardInterrupt:\n"
                   "    print('stopped')\n")
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.stdout, run.stderr, run.returncode), ("stopped\n", "", 0))

    def test_images_may_call_the_library(self):
        image = macareu.generate("random", (60, 60))[0]

        class Computed(Sliced):
            def __getitem__(self, key):
                return macareu.median(self.pixels)[key]

        check_same(macareu.maxima(Computed(image), pieces=(16, 16)), macareu.maxima(macareu.median(image)), "maxima")


if __name__ == "__main__":
    unittest.main()
