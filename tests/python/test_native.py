"""The native functions: arrays in and out, errors, Ctrl-C, progress, threads, and the examples of the docstrings."""

import ast
import doctest
import inspect
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import types
import typing
import unittest
import unittest.mock

import numpy as np

import macareu
from images import LONG, TYPES, check_same, draw_image, draw_shape, strided

OPERATORS = [name for name in macareu.__all__ if inspect.isfunction(getattr(macareu, name))
             and name not in ("compare", "generate", "info", "nuclei", "view")]


SOME_TYPES = {"watershed": [type for type in TYPES if type != "bool"], "unmix": ["uint8", "uint16", "float32"], "local_threshold": ["uint8", "uint16", "float32"],
              "rescale": ["uint8", "uint16", "int16", "float32"]}


def arguments(name, rng, type, shape):
    """Arguments with which every operator runs: random images, one above the other, and 1 for what is required."""
    parameters = inspect.signature(getattr(macareu, name)).parameters.values()
    if type not in SOME_TYPES.get(name, [type]):
        type = SOME_TYPES[name][0]
    if name == "unmix":
        return [draw_image(rng, type, (*shape[-2:], 3))], []
    needed = [p.name for p in parameters if p.default is p.empty]
    images = [n for n in needed if "ArrayLike" in str(inspect.signature(getattr(macareu, name)).parameters[n])]
    if name == "contours":  # volumes are refused
        shape = shape[-2:]
    if images[0] in ("labels", "truth"):  # whole numbers, not far above the number of pixels
        whole = type if np.dtype(type).kind in "biu" else np.uint8
        return [rng.integers(0, 2 if np.dtype(whole).kind == "b" else 9, shape).astype(whole) for _ in images], []
    drawn = [draw_image(rng, type, shape) for _ in images]
    return [np.minimum.reduce(drawn[i:]) for i in range(len(drawn))], [1 for n in needed if n not in images]


class Suggestions(unittest.TestCase):
    def test_unknown_functions(self):
        for typed, meant in (("recontruct", "reconstruct"), ("fill_hole", "fill_holes"), ("imreconstruct", "reconstruct"),
                             ("regionprops_table", "measure"), ("genrate", "generate")):
            with self.assertRaisesRegex(AttributeError, rf"{typed}' \(did you mean {meant}\?\)"):
                getattr(macareu, typed)
        with self.assertRaisesRegex(AttributeError, "'abracadabra'$"):
            getattr(macareu, "abracadabra")
        self.assertFalse(hasattr(macareu, "__wrapped__"))

    def test_unknown_parameters(self):
        image = np.zeros((3, 3))
        with self.assertRaisesRegex(TypeError, r"'conectivity' \(did you mean connectivity\?\)"):
            macareu.maxima(image, conectivity=8)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'abracadabra'$"):
            macareu.maxima(image, abracadabra=8)

    def test_unknown_values(self):
        with self.assertRaisesRegex(ValueError, r"did you mean tissue\?"):
            macareu.generate("tisue", (3, 3))
        with self.assertRaisesRegex(ValueError, r"did you mean tiles\?"):
            macareu.maxima(np.zeros((3, 3)), device="cpu", strategy="tile")


class Generate(unittest.TestCase):
    def test_slides_have_colour_and_a_truth(self):
        slide, truth = macareu.generate("slide", (200, 150), coverage=100)
        self.assertEqual((slide.shape, slide.dtype), ((200, 150, 3), np.uint8))
        self.assertEqual((truth.shape, truth.dtype), ((200, 150), np.uint32))
        self.assertEqual(sorted(np.unique(truth)), list(range(truth.max() + 1)))
        self.assertLess(slide[truth > 0, 0].mean(), slide[truth == 0, 0].mean() - 25)


class Arrays(unittest.TestCase):
    def test_any_strides_give_the_same(self):
        for name in OPERATORS:
            rng = np.random.default_rng(list(name.encode()))  # the same images, whatever other operators there are
            function = getattr(macareu, name)
            for number in range(44 if LONG else 22):  # every type, as an image and as a volume
                images, rest = arguments(name, rng, TYPES[number % len(TYPES)], draw_shape(rng, 2 + number % 2))
                expected = function(*images, *rest)
                check_same(function(*(strided(rng, image) for image in images), *rest), expected, name)
                if isinstance(expected, np.ndarray) and expected.shape == images[0].shape:
                    out = strided(rng, np.zeros(expected.shape, expected.dtype))
                    self.assertIs(function(*images, *rest, out=out), out)
                    check_same(out, expected, f"{name} with out")

    def test_views_are_not_copied(self):
        image = np.zeros((6, 8), np.uint8)
        image[2:5, 2:5] = 9
        image[3, 3] = 0
        out = np.zeros((6, 16), np.uint8)[:, ::2]
        result = macareu.fill_holes(image[::-1], out=out)
        self.assertIs(result, out)
        self.assertEqual(out[2, 3], 9)
        marker = image // 2
        self.assertIs(macareu.reconstruct(marker, image, out=marker), marker)

    def test_swapped_bytes_and_odd_places_work_too(self):
        image = np.arange(12).reshape(3, 4)
        expected = macareu.maxima(image.astype(np.int16))
        np.testing.assert_array_equal(macareu.maxima(image.astype(">i2")), expected)
        records = np.zeros((3, 4), np.dtype([("a", np.uint8), ("b", np.int16)]))
        records["b"] = image
        np.testing.assert_array_equal(macareu.maxima(records["b"]), expected)

    def test_lists_are_arrays(self):
        self.assertEqual(macareu.maxima([[0, 1], [0, 0]]).tolist(), [[False, True], [False, False]])

    def test_empty(self):
        self.assertEqual(macareu.maxima(np.zeros((0, 5))).shape, (0, 5))

    def test_large_integers_are_exact(self):
        image = np.full((3, 3), 2**63, np.uint64)
        image[1, 1] = 2**63 + 2**62 + 1
        self.assertTrue(macareu.h_maxima(image, 2**62 + 1)[1, 1])
        self.assertFalse(macareu.h_maxima(image, 2**62 + 2).any())


class Errors(unittest.TestCase):
    image = np.zeros((4, 5), np.uint8)

    def test_kinds(self):
        image, fill = self.image, macareu.fill_holes
        cases = [
            (ValueError, "connectivity", lambda: fill(image, connectivity=5)),
            (ValueError, "4", lambda: fill(np.zeros((2, 2, 2)), connectivity=4)),
            (TypeError, "connectivity", lambda: fill(image, connectivity=2.5)),
            (TypeError, "clip", lambda: macareu.reconstruct(image, image, clip=1)),
            (ValueError, "by", lambda: macareu.reconstruct(image, image, by="opening")),
            (TypeError, "missing.*'h'", lambda: macareu.h_maxima(image)),
            (TypeError, "h:", lambda: macareu.h_maxima(image, [2])),
            (ValueError, "greater than 0", lambda: macareu.h_maxima(image, -1)),
            (ValueError, "above", lambda: macareu.reconstruct(image + 1, image)),
            (ValueError, "shape", lambda: macareu.reconstruct(image, image[:2])),
            (ValueError, "type", lambda: macareu.reconstruct(image, image.astype(int))),
            (ValueError, "4 axes", lambda: fill(np.zeros((2, 2, 2, 2)))),
            (ValueError, "1 axis", lambda: fill(np.zeros(3))),
            (ValueError, "sequence|inhomogeneous", lambda: fill([[1], [1, 2]])),
            (TypeError, "complex", lambda: fill(image.astype(complex))),
            (TypeError, "float16", lambda: fill(image.astype(np.float16))),
            (TypeError, "object", lambda: fill(image.astype(object))),
            (ValueError, "NaN", lambda: fill(np.full((2, 2), np.nan))),
            (ValueError, "device", lambda: fill(image, device="gpu")),
            (RuntimeError, "cuda", lambda: fill(image, device="cuda:77")),
            (ValueError, "strategy", lambda: fill(image, strategy="magic")),
            (ValueError, "threads", lambda: fill(image, threads=-1)),
            (ValueError, "threads", lambda: fill(image, threads=2**70)),
            (TypeError, "threads: cannot be '2'", lambda: fill(image, threads="2")),
            (TypeError, "threads: cannot be 2.0", lambda: fill(image, threads=2.0)),
            (TypeError, "device: cannot be None", lambda: fill(image, device=None)),
            (TypeError, "strategy: cannot be 3", lambda: fill(image, strategy=3)),
            (TypeError, "out", lambda: fill(image, out=[1])),
            (ValueError, r"\(out\) must be", lambda: fill(image, out=image[:2].copy())),
            (ValueError, "type", lambda: fill(image, out=np.zeros((4, 5)))),
            (ValueError, "overlaps", lambda: fill(image, out=image)),
            (ValueError, "read-only", lambda: fill(image, out=np.broadcast_to(image, image.shape))),
            (ValueError, "low: cannot be NaN", lambda: macareu.histogram(image, low=np.nan)),
            (ValueError, "high: cannot be NaN", lambda: macareu.histogram(image, high=np.float32("nan"))),
            (ValueError, "sigma: cannot be NaN", lambda: macareu.gaussian(image, sigma=[1, float("nan")])),
            (TypeError, "sigma: cannot be b'", lambda: macareu.gaussian(image, sigma=b"12")),
            (TypeError, "sigma: cannot be {", lambda: macareu.gaussian(image, sigma={1: 2, 3: 4})),
            (TypeError, "columns: cannot be {", lambda: macareu.measure(image, columns={"area": 1})),
            (TypeError, "h: cannot be", lambda: macareu.h_maxima(image, np.array(True))),
            (ValueError, "nothing", lambda: macareu.generate("nothing", (3, 3))),
            (TypeError, "shape: expected", lambda: macareu.generate("tissue", 64)),
            (ValueError, "shape", lambda: macareu.compare(image, image[:2])),
            (MemoryError, "", lambda: macareu.maxima(np.broadcast_to(image[:1, :1], (1 << 30, 1 << 30)))),
            (ValueError, "one type", lambda: macareu.reconstruct(  # before the result gets memory
                *(np.broadcast_to(np.zeros((1, 1), type), (1 << 30, 1 << 30)) for type in (np.uint8, np.int16)))),
        ]
        for kind, words, call in cases:
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()


class Numbers(unittest.TestCase):
    def test_arrays_without_axes_are_numbers(self):
        image = np.random.default_rng(2).integers(0, 99, (9, 8), dtype=np.uint8)
        for number in (np.array(2), np.array(2.5), np.array(2.5, np.float32), np.float32(2.5), np.int16(2), np.array(2, ">i2")):
            with self.subTest(repr(number)):
                plain = number.item()
                np.testing.assert_array_equal(macareu.gaussian(image, sigma=number), macareu.gaussian(image, sigma=plain))
                np.testing.assert_array_equal(macareu.gaussian(image, sigma=[1, number]),
                                              macareu.gaussian(image, sigma=[1, plain]))
                np.testing.assert_array_equal(macareu.h_maxima(image, number), macareu.h_maxima(image, plain))


class Running(unittest.TestCase):
    def test_other_threads_run_meanwhile(self):
        mask, marker = macareu.generate("tissue", (1024, 1024))
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)

        counting = threading.Thread(target=count)
        counting.start()
        before = len(ticks)
        macareu.reconstruct(marker, mask, device="serial")
        during = len(ticks) - before
        done.set()
        counting.join()
        self.assertGreater(during, 5)

    def test_progress(self):
        mask, marker = macareu.generate("tissue", (1024, 1024))
        told = []
        result = macareu.reconstruct(marker, mask, progress=told.append, strategy="tiles")
        np.testing.assert_array_equal(result, macareu.reconstruct(marker, mask, progress=True))
        self.assertTrue(all(0 <= done <= 1 for done in told))
        self.assertEqual(told[-1], 1)

        def fail(done):
            raise KeyError("in progress")

        with self.assertRaisesRegex(KeyError, "in progress"):
            macareu.reconstruct(marker, mask, progress=fail, strategy="tiles")

    def test_progress_moves_within_a_call(self):
        image = macareu.generate("tissue", (1024, 1024))[0]
        names = ("median", "gaussian", "sobel", "distance_transform", "label", "canny", "fill_holes")
        for first, device in enumerate(("serial", "cpu")):
            for name in names if LONG else names[first::2]:
                told = []
                getattr(macareu, name)(image, device=device, threads=1, progress=told.append)
                self.assertGreater(len(told), 8, f"{name} on {device}")
                self.assertEqual(told, sorted(told))
                self.assertLess(told[0], 0.2, f"{name} on {device}")

    def test_progress_is_shown_by_tqdm(self):
        shown = []

        class Bar:
            def __init__(self, total, **how):
                self.n = 0

            def update(self, more):
                self.n += more
                shown.append(self.n)

            def __enter__(self):
                return self

            def __exit__(self, *_):
                pass

        played = {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": types.ModuleType("tqdm.auto")}
        played["tqdm.auto"].tqdm = Bar
        with unittest.mock.patch.dict(sys.modules, played):
            macareu.median(np.zeros((1024, 1024), np.uint8), threads=1, progress=True)
        self.assertGreater(len(shown), 4)
        self.assertAlmostEqual(shown[-1], 1)

    def test_ctrl_c_stops_long_work(self):
        for work in ("hmax(image, 200, device='serial')", "median(image, size=7, device='serial')",
                     "convolve(image, weights, device='serial')", "generate('tissue', (12000, 12000))",
                     "scipy.ndimage.gaussian_filter(np.float32(image), 60)", "compare(endless, endless)"):
            # Once, in work that takes longer than a moment by far; a second signal would come too late.
            program = ("import macareu, os, signal, threading, time\n"
                       "import numpy as np\n"
                       "endless = np.broadcast_to(np.uint8(0), (100000, 100000))\n"
                       "image, weights = np.tile(macareu.generate('random', (600, 600))[0], (10, 10)), [[1] * 15] * 15\n"
                       "def press():\n"
                       "    time.sleep(0.3)\n"
                       "    pressed.append(time.monotonic())\n"
                       "    os.kill(os.getpid(), signal.SIGINT)\n"
                       "pressed = []\n"
                       "threading.Thread(target=press).start()\n"
                       "try:\n"
                       f"    macareu.{work}\n"
                       "except KeyboardInterrupt:\n"
                       "    print('stopped', time.monotonic() - pressed[0] < 1)\n"
                       "print(macareu.maxima(image[:300, :300]).any())\n")
            run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
            self.assertEqual((run.stdout, run.stderr, run.returncode), ("stopped True\nTrue\n", "", 0), work)

    def test_ctrl_c_stops_the_work_of_a_child_and_of_calls_within_calls(self):
        program = ("import macareu, os, signal, threading\n"
                   "image = macareu.generate('random', (3000, 3000))[0]\n"
                   "def nested(done):\n"
                   "    macareu.maxima(image[:600, :600])\n"
                   "def work(name):\n"
                   "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                   "    try:\n"
                   "        while True: macareu.median(image, size=7, device='serial', progress=nested)\n"
                   "    except KeyboardInterrupt:\n"
                   "        print(name, 'stopped', flush=True)\n"
                   "work('parent')\n"
                   "child = os.fork()\n"
                   "if child == 0:\n"
                   "    work('child')\n"
                   "    os._exit(0)\n"
                   "os.waitpid(child, 0)\n"
                   "work('parent')\n")
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
        self.assertEqual((run.stdout, run.stderr, run.returncode),
                         ("parent stopped\nchild stopped\nparent stopped\n", "", 0))

    def test_a_handler_of_the_user_is_called(self):
        got = []
        before = signal.signal(signal.SIGINT, lambda *_: got.append(1))
        try:
            os.kill(os.getpid(), signal.SIGINT)
            macareu.fill_holes(np.zeros((600, 600), np.uint8))
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(got, [1])


class Tools(unittest.TestCase):
    def test_examples(self):
        for module in (macareu, macareu._tools, macareu._lazy_image):
            found = doctest.testmod(module)
            self.assertGreater(found.attempted, 2)
            self.assertEqual(found.failed, 0)

    def test_every_operator_has_an_example_hints_and_help(self):
        self.assertGreater(len(OPERATORS), 12)
        for name in OPERATORS:
            function = getattr(macareu, name)
            self.assertIn(">>> result", function.__doc__)
            for parameter in inspect.signature(function).parameters.values():
                self.assertIn(f"\n{parameter.name} : ", function.__doc__)
                self.assertIsNot(parameter.annotation, parameter.empty)
            self.assertIn("threads", typing.get_type_hints(function))
        self.assertIn("height, in grey values; greater than 0", macareu.hmax.__doc__)

    def test_stubs_say_what_is_given(self):
        text = (pathlib.Path(macareu.__file__).parent / "__init__.pyi").read_text()
        hints = {}  # of the first form of each function, that of NumPy's arrays
        for each in ast.parse(text).body:
            if isinstance(each, ast.FunctionDef):
                hints.setdefault(each.name, []).append(ast.unparse(each.returns))
        self.assertEqual(list(hints), OPERATORS)
        rng = np.random.default_rng(5)
        for name, (with_numpy, with_lists, with_others, *others_yet) in hints.items():
            images, rest = arguments(name, rng, "int16", (7, 9))
            found = getattr(macareu, name)(*images, *rest)
            with self.subTest(name):
                if not isinstance(found, np.ndarray):
                    hint = "dict[str, NDArray[Any]]" if isinstance(found, dict) else "list[dict[str, Any]]"
                    self.assertEqual({with_numpy, with_lists, with_others, *others_yet}, {hint})
                    continue
                self.assertIn(with_numpy, {"NDArray[Any]", "NDArray[np.bool_]", "NDArray[_Pixel]"})
                self.assertEqual((with_others, *others_yet), ("_Array", "Any", "Any"))
                self.assertEqual("bool_" in with_numpy, found.dtype == bool)
                if "_Pixel" in with_numpy:
                    self.assertEqual(found.dtype, images[0].dtype)

    def test_functions_under_other_names_say_what_they_give(self):
        for module in (macareu.skimage.morphology, macareu.skimage.measure, macareu.skimage.filters,
                       macareu.skimage.feature, macareu.scipy.ndimage):
            for name in module.__all__:
                self.assertRegex(str(inspect.signature(getattr(module, name)).return_annotation), "NDArray|generic", name)

    def test_compare(self):
        a = np.zeros((2, 3, 4), np.int16)
        b = a.copy()
        b[1, 0, 2] = -7
        self.assertEqual(macareu.compare(a, b), (24, 1, 7.0, (1, 0, 2), 0.0, -7.0))
        self.assertTrue(macareu.compare(a, a))
        self.assertFalse(macareu.compare(a, b))

    def test_generate(self):
        mask, marker = macareu.generate("percolation", (20, 30), seed=3)
        self.assertEqual((mask.shape, mask.dtype), ((20, 30), np.uint8))
        self.assertTrue(macareu.compare(mask, macareu.generate("percolation", (20, 30), seed=3)[0]))
        self.assertTrue((marker <= mask).all())

    def test_info(self):
        self.assertLessEqual({"version", "devices", "threads", "instruction_set", "gpus"}, set(macareu.info()))


if __name__ == "__main__":
    unittest.main()
