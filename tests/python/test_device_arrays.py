"""Arrays of other packages. A GPU's arrays are played by arrays that show the same interface on the host's memory,
which the library tells from a GPU's by asking the driver; where CuPy or PyTorch and a GPU are, those too."""

import importlib
import sys
import types
import unittest

import numpy as np

import macareu


class GpuLike:
    """What CuPy's arrays and PyTorch's tensors show of themselves."""

    def __init__(self, array, type=None, read_only=False):
        """Of an array, or a new one of this shape and type."""
        array = array if type is None else np.empty(array, type)
        self.array, self.read_only, self.device = array, read_only, self
        self.shape, self.ndim, self.dtype, self.strides = array.shape, array.ndim, array.dtype, array.strides
        self.data = types.SimpleNamespace(ptr=array.__array_interface__["data"][0], device_id=0)

    def reshape(self, *shape):
        return GpuLike(self.array.reshape(*shape))

    def astype(self, type):
        return GpuLike(self.array.astype(type))

    def view(self, type):
        return GpuLike(self.array.view(type))

    def max(self):
        return self.array.max()

    def sum(self):
        return self.array.sum()

    def all(self):
        return self.array.all()

    def __ne__(self, other):
        return GpuLike(self.array != other)

    def __invert__(self):
        return GpuLike(~self.array)

    def __setitem__(self, where, other):
        self.array[where] = other.array

    @property
    def __cuda_array_interface__(self):
        shown = self.array.__array_interface__
        return {"data": (shown["data"][0], self.read_only), "typestr": shown["typestr"], "shape": shown["shape"],
                "strides": None if self.array.flags.c_contiguous else self.array.strides, "version": 3, "stream": None}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class HostLike:
    """DLPack on the host, from a package that makes its arrays by from_dlpack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda one: HostLike(np.from_dlpack(one)))


class DeviceLike:
    """DLPack on what is said to be a GPU."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        raise AssertionError("CuPy is played")

    def __dlpack_device__(self):
        return 2, 0

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda one: DeviceLike(one.array))


class Played(unittest.TestCase):
    image = np.random.default_rng(3).integers(0, 9, (12, 15)).astype(np.int16)

    def play_cupy(self):
        streams = []
        current = types.SimpleNamespace(ptr=0, synchronize=lambda: streams.append("waited"))
        cupy = types.ModuleType("cupy")
        cupy.ndarray = GpuLike
        cupy.from_dlpack = lambda one: GpuLike(one.array)
        cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: streams.append(1) or current,
                                          runtime=types.SimpleNamespace(getDevice=lambda: 0))
        kept = sys.modules.get("cupy")
        sys.modules["cupy"] = cupy
        self.addCleanup(lambda: sys.modules.update(cupy=kept) if kept else sys.modules.pop("cupy"))
        module = GpuLike.__module__
        GpuLike.__module__ = "cupy"
        self.addCleanup(setattr, GpuLike, "__module__", module)
        return streams

    def test_the_result_is_of_the_same_kind(self):
        streams = self.play_cupy()
        result = macareu.maxima(GpuLike(self.image[:, ::2]))
        self.assertIsInstance(result, GpuLike)
        np.testing.assert_array_equal(result.array, macareu.maxima(self.image[:, ::2]))
        self.assertEqual(len(streams), 1)

    def test_out(self):
        self.play_cupy()
        room = GpuLike(np.zeros(self.image.shape, np.int16))
        marker = GpuLike(self.image // 2)
        self.assertIs(macareu.reconstruct(marker, GpuLike(self.image), out=room), room)
        np.testing.assert_array_equal(room.array, macareu.reconstruct(self.image // 2, self.image))

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "give out="):
            macareu.maxima(GpuLike(self.image))  # of no package that is known
        with self.assertRaisesRegex(ValueError, "read-only"):
            macareu.maxima(GpuLike(self.image), out=GpuLike(np.zeros((12, 15), bool), read_only=True))
        self.play_cupy()
        with self.assertRaisesRegex(TypeError, "one kind"):
            macareu.reconstruct(GpuLike(self.image), self.image)
        with self.assertRaisesRegex(TypeError, "out is numpy.ndarray"):
            macareu.maxima(GpuLike(self.image), out=np.zeros((12, 15), bool))
        with self.assertRaisesRegex(ValueError, "axes"):
            macareu.maxima(GpuLike(self.image[0]))

    def test_what_has_dlpack_only_is_there_when_the_call_returns(self):
        streams = self.play_cupy()
        result = macareu.fill_holes(DeviceLike(self.image))
        self.assertIsInstance(result, DeviceLike)
        np.testing.assert_array_equal(result.array, macareu.fill_holes(self.image))
        self.assertEqual(streams.count("waited"), 1)
        room = DeviceLike(np.zeros_like(self.image))
        self.assertIs(macareu.fill_holes(DeviceLike(self.image), out=room), room)
        np.testing.assert_array_equal(room.array, result.array)
        self.assertEqual(streams.count("waited"), 2)
        table, expected = macareu.statistics(DeviceLike(self.image)), macareu.statistics(self.image)
        self.assertEqual({name: list(column) for name, column in table.items()},
                         {name: list(column) for name, column in expected.items()})

    def test_dlpack_on_the_host(self):
        result = macareu.fill_holes(HostLike(self.image))
        self.assertIsInstance(result, HostLike)
        np.testing.assert_array_equal(result.array, macareu.fill_holes(self.image))

    def test_an_array_of_numpy_beside_dlpack_on_the_host(self):
        mask = self.image
        found = macareu.reconstruct(mask // 2, HostLike(mask))
        np.testing.assert_array_equal(found, macareu.reconstruct(mask // 2, mask))
        self.assertIsInstance(found, np.ndarray)
        self.assertTrue(found.flags.writeable)

    def test_out_on_the_host_is_not_a_copy(self):
        class Tensor(HostLike):
            def __array__(self, *_):
                return self.array

        for kind in (Tensor, HostLike):
            room = kind(np.zeros_like(self.image))
            self.assertIs(macareu.fill_holes(kind(self.image), out=room), room)
            np.testing.assert_array_equal(room.array, macareu.fill_holes(self.image))


MASK = Played.image > 4
REALS = np.random.default_rng(4).normal(size=(12, 15))
SINGLE = REALS.astype(np.float32)
VOLUME = np.random.default_rng(5).integers(0, 5, (4, 6, 7)).astype(np.uint8)
morphology, measure, filters = macareu.skimage.morphology, macareu.skimage.measure, macareu.skimage.filters
ndimage = macareu.scipy.ndimage
# Functions under the peers' names, their arrays, and what else they are given. Those of the first list take arrays on a
# GPU too.
THIN = [(morphology.reconstruction, [Played.image // 2, Played.image], {}),
        (morphology.reconstruction, [Played.image[0] // 2, Played.image[0]], {}),
        (morphology.reconstruction, [np.maximum(VOLUME, 2), VOLUME], {"method": "erosion"}),
        (morphology.reconstruction, [SINGLE - 1, SINGLE], {"footprint": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])}),
        (morphology.reconstruction, [Played.image // 2, Played.image.astype(np.float64)], {}),
        (morphology.local_maxima, [Played.image], {}), (morphology.local_minima, [Played.image], {"connectivity": 1}),
        (morphology.local_maxima, [Played.image[3]], {}), (morphology.local_minima, [VOLUME], {}),
        (morphology.remove_small_objects, [MASK], {"min_size": 3}),
        (measure.label, [MASK], {"return_num": True}), (measure.label, [Played.image], {}),
        (measure.label, [MASK], {"background": 1, "connectivity": 1}), (measure.label, [SINGLE], {"return_num": True}),
        (macareu.skimage.feature.canny, [Played.image], {}),
        (macareu.skimage.feature.canny, [SINGLE], {"mode": "reflect", "low_threshold": 0.01, "high_threshold": 0.1}),
        (filters.gaussian, [REALS], {}), (filters.gaussian, [SINGLE], {"sigma": 2, "mode": "wrap"}),
        (ndimage.gaussian_filter, [REALS], {"sigma": [2, 0]}), (ndimage.gaussian_filter, [REALS], {"sigma": 0}),
        (ndimage.gaussian_filter, [REALS], {"sigma": 1, "radius": [2, 3]}),
        (ndimage.gaussian_filter, [SINGLE], {"sigma": [1, 2], "mode": "constant", "cval": 2.5}),
        (ndimage.gaussian_filter, [Played.image], {"sigma": 1, "output": np.float64}),
        (ndimage.median_filter, [Played.image], {"size": 3}), (ndimage.median_filter, [VOLUME], {"size": 3}),
        (ndimage.median_filter, [SINGLE], {"size": 5, "output": np.float64}),
        (ndimage.binary_fill_holes, [MASK], {}), (ndimage.binary_fill_holes, [Played.image], {"structure": np.ones((3, 3))}),
        (ndimage.label, [MASK], {}), (ndimage.label, [VOLUME], {}), (ndimage.label, [SINGLE[:0]], {}),
        (ndimage.label, [MASK], {"output": np.float64, "structure": np.ones((3, 3))}),
        (ndimage.distance_transform_edt, [MASK], {"sampling": [1, 2.5]}), (ndimage.distance_transform_edt, [MASK[3]], {}),
        (ndimage.distance_transform_edt, [VOLUME], {"sampling": 0.5})]
OTHERS = [(morphology.local_maxima, [Played.image], {"indices": True}), (morphology.h_maxima, [Played.image], {"h": 3}),
          (morphology.local_minima, [Played.image], {"allow_borders": False}),
          (morphology.h_minima, [Played.image], {"h": 3}), (morphology.remove_small_objects, [Played.image], {}),
          (filters.sobel, [REALS], {}), (filters.apply_hysteresis_threshold, [REALS], {"low": 0, "high": 1}),
          (filters.threshold_otsu, [Played.image], {}), (ndimage.sobel, [REALS], {}),
          (ndimage.binary_propagation, [MASK & (REALS > 1)], {"mask": MASK}),
          (ndimage.distance_transform_edt, [MASK], {"return_indices": True}),
          (ndimage.gaussian_filter, [REALS], {"sigma": 1, "order": 1}), (ndimage.gaussian_filter, [VOLUME], {"sigma": 1}),
          (ndimage.gaussian_filter, [REALS], {"sigma": 1, "mode": ["reflect", "wrap"]}), (filters.gaussian, [VOLUME], {}),
          (ndimage.median_filter, [Played.image[0]], {"size": 3}), (ndimage.binary_fill_holes, [MASK[0]], {}),
          (ndimage.histogram, [Played.image], {"min": 0, "max": 9, "bins": 3}),
          (ndimage.minimum, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (ndimage.maximum, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (ndimage.sum_labels, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (measure.regionprops_table, [Played.image], {"properties": ("label", "area")})]


# Those that write to arrays given for results: the function, its image, the type of the result, and other arguments,
# where ROOM stands for that array.
ROOM = object()
WITH_OUTPUT = [(ndimage.gaussian_filter, SINGLE, np.float64, {"sigma": 1, "output": ROOM}),
               (filters.gaussian, REALS, np.float32, {"sigma": 1, "output": ROOM}),
               (ndimage.median_filter, Played.image, np.float32, {"size": 3, "output": ROOM}),
               (ndimage.label, MASK, np.int64, {"output": ROOM}),
               (ndimage.binary_fill_holes, MASK, np.uint8, {"output": ROOM}),
               (ndimage.distance_transform_edt, MASK, np.float64, {"distances": ROOM}),
               (morphology.remove_small_objects, MASK, bool, {"min_size": 3, "out": ROOM})]


def hands_over(array):
    """NumPy's DLPack has no booleans before version 2."""
    try:
        array.__dlpack__()
    except BufferError:
        return False
    return True


def on_host(array):
    if not isinstance(array, np.ndarray):
        return array
    return HostLike(array if hands_over(array) else array.astype(np.uint8))


class DropIns(unittest.TestCase):
    play_cupy = Played.play_cupy

    def check(self, found, expected, kind):
        if isinstance(expected, (tuple, dict)):
            self.assertEqual(len(found), len(expected))
            for each in range(len(expected)) if isinstance(expected, tuple) else expected:
                self.check(found[each], expected[each], kind)
        elif isinstance(expected, np.ndarray):
            if kind is HostLike and not hands_over(expected):
                return np.testing.assert_array_equal(found, expected)
            self.assertIsInstance(found, kind)
            self.assertEqual(found.array.dtype, expected.dtype)
            np.testing.assert_array_equal(found.array, expected)
        else:
            self.assertEqual(found, expected)

    def test_dlpack_on_the_host(self):
        for function, arrays, named in THIN + OTHERS:
            with self.subTest(function.__name__):
                if not all(map(hands_over, arrays)):
                    arrays = [one.astype(np.uint8) for one in arrays]
                taken = {name: on_host(one) for name, one in named.items()}
                self.check(function(*map(on_host, arrays), **taken), function(*arrays, **named), HostLike)

    def test_the_first_parameter_says_the_kind(self):
        labels = HostLike(MASK.astype(int))
        for found in (ndimage.maximum(Played.image, labels, [0, 1]), ndimage.maximum(labels=labels, index=[0, 1], input=Played.image)):
            np.testing.assert_array_equal(found, ndimage.maximum(Played.image, MASK.astype(int), [0, 1]))
            self.assertIsInstance(found, np.ndarray)
            self.assertTrue(found.flags.writeable)
        mask = HostLike(np.ones(REALS.shape, np.uint8))
        self.assertIsInstance(filters.sobel(mask=mask, image=REALS), np.ndarray)
        self.assertIsInstance(filters.sobel(mask=np.ones(REALS.shape, bool), image=HostLike(REALS)), HostLike)

    def test_every_function_is_tried(self):
        tried = {function.__wrapped__ for function, *_ in THIN + OTHERS}
        for module in (morphology, measure, filters, macareu.skimage.feature, ndimage):
            for name in module.__all__:
                self.assertIn(getattr(module, name).__wrapped__, tried, name)

    def test_output_by_dlpack_on_the_host(self):
        for function, image, named in ((ndimage.gaussian_filter, REALS, {"sigma": 1}), (ndimage.sobel, REALS, {}),
                                       (ndimage.median_filter, Played.image, {"size": 3}), (filters.gaussian, REALS, {})):
            with self.subTest(function.__name__):
                room = HostLike(np.zeros_like(image))
                self.assertIs(function(HostLike(image), output=room, **named), room)
                np.testing.assert_array_equal(room.array, function(image, **named))
        room = HostLike(np.zeros_like(Played.image))
        self.assertIs(morphology.remove_small_objects(HostLike(Played.image), 30, out=room), room)
        np.testing.assert_array_equal(room.array, morphology.remove_small_objects(Played.image, 30))
        distances = HostLike(np.zeros(MASK.shape))
        self.assertIsNone(ndimage.distance_transform_edt(on_host(MASK), distances=distances))
        np.testing.assert_array_equal(distances.array, ndimage.distance_transform_edt(MASK))

    def test_on_a_gpu(self):
        self.play_cupy()
        for function, arrays, named in THIN:
            with self.subTest(function.__name__):
                self.check(function(*map(GpuLike, arrays), **named), function(*arrays, **named), GpuLike)

    def test_output_on_a_gpu(self):
        self.play_cupy()
        for function, image, type, named in WITH_OUTPUT:
            with self.subTest(function.__name__):
                room, expected = GpuLike(np.zeros(image.shape, type)), np.zeros(image.shape, type)
                result = function(image, **{name: expected if one is ROOM else one for name, one in named.items()})
                found = function(GpuLike(image), **{name: room if one is ROOM else one for name, one in named.items()})
                self.assertIs(found, room) if result is expected else self.assertEqual(found, result)
                np.testing.assert_allclose(room.array, expected, rtol=1e-6)

    def test_what_a_gpu_has_not_is_said(self):
        self.play_cupy()
        for function, arrays, named in OTHERS:
            with self.subTest(function.__name__), self.assertRaisesRegex(NotImplementedError, r"^\w+: .*GPU"):
                function(*map(GpuLike, arrays), **named)


class OnGpu:
    """Tests of a package's arrays on a GPU. The package says what they are, and makes them."""

    @classmethod
    def setUpClass(cls):
        if "cuda" not in macareu.info()["devices"]:
            raise unittest.SkipTest("no GPU, or a build without CUDA")
        try:
            cls.package = importlib.import_module(cls.name)
        except ImportError as missing:
            raise unittest.SkipTest(str(missing)) from missing

    def same(self, found, expected, like):
        """Of this package, on that device; integers to the bit, floats as near as to the peers."""
        if isinstance(expected, tuple):
            self.assertEqual(len(found), len(expected))
            for one, other in zip(found, expected):
                self.same(one, other, like)
        elif isinstance(expected, np.ndarray):
            self.assertIsInstance(found, self.kind())
            self.assertEqual(found.device, like.device)
            found = self.to_host(found)
            self.assertEqual(found.dtype, expected.dtype)
            if expected.dtype.kind == "f":
                return np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)
            np.testing.assert_array_equal(found, expected)
        else:
            self.assertEqual(found, expected)

    def check_native(self):
        mask, marker = macareu.generate("tissue", (300, 500))
        on_gpu = self.to_gpu(mask)
        self.same(macareu.reconstruct(self.to_gpu(marker), on_gpu), macareu.reconstruct(marker, mask), on_gpu)
        self.same(macareu.maxima(on_gpu[::2, 3:].T), macareu.maxima(mask[::2, 3:].T), on_gpu)
        room = self.to_gpu(np.zeros_like(mask))
        self.assertIs(macareu.invert(on_gpu, out=room), room)
        self.same(room, macareu.invert(mask), on_gpu)
        table, expected = macareu.measure(macareu.label(on_gpu), on_gpu), macareu.measure(macareu.label(mask), mask)
        self.assertEqual(list(table), list(expected))
        np.testing.assert_array_equal(table["num_pixels"], expected["num_pixels"])

    def check_drop_ins(self):
        for function, arrays, named in THIN:
            with self.subTest(function.__name__, shape=arrays[0].shape, type=arrays[0].dtype, **named):
                taken = [self.to_gpu(one) for one in arrays]
                self.same(function(*taken, **named), function(*arrays, **named), taken[0])
                for one, before in zip(taken, arrays):
                    np.testing.assert_array_equal(self.to_host(one), before, "given arrays are not changed")

    def test_native(self):
        self.check_native()

    def test_drop_ins(self):
        self.check_drop_ins()

    def test_on_another_stream(self):
        with self.another_stream():
            self.check_native()
            self.check_drop_ins()

    def test_large_images(self):
        """Whose work takes so long that a result which is not waited for would be wrong."""
        mask, marker = macareu.generate("tissue", (2048, 2048))
        marker_there, there, binary = self.to_gpu(marker), self.to_gpu(mask), self.to_gpu(mask > 60)
        self.same(morphology.reconstruction(marker_there, there), morphology.reconstruction(marker, mask), there)
        self.same(ndimage.label(binary), ndimage.label(mask > 60), there)
        self.same(ndimage.distance_transform_edt(binary), ndimage.distance_transform_edt(mask > 60), there)
        self.same(ndimage.median_filter(there, 3), ndimage.median_filter(mask, 3), there)

    def test_output(self):
        for function, image, type, named in WITH_OUTPUT:
            with self.subTest(function.__name__):
                on_gpu, room = self.to_gpu(image), self.to_gpu(np.zeros(image.shape, type))
                expected = np.zeros(image.shape, type)
                result = function(image, **{name: expected if one is ROOM else one for name, one in named.items()})
                found = function(on_gpu, **{name: room if one is ROOM else one for name, one in named.items()})
                self.assertIs(found, room) if result is expected else self.assertEqual(found, result)
                self.same(room, expected, on_gpu)

    def test_what_is_not_served_is_said(self):
        for function, arrays, named in OTHERS:
            with self.subTest(function.__name__, **named), self.assertRaisesRegex(NotImplementedError, r"^\w+: .*GPU"):
                function(*map(self.to_gpu, arrays), **named)

    def test_arrays_of_different_places(self):
        on_gpu = self.to_gpu(Played.image)
        with self.assertRaisesRegex(TypeError, "one kind"):
            morphology.reconstruction(on_gpu, Played.image)
        for run in (lambda: ndimage.binary_propagation(MASK, mask=on_gpu),
                    lambda: ndimage.minimum(Played.image, on_gpu, [1, 2]),
                    lambda: ndimage.sum_labels(Played.image, on_gpu),
                    lambda: ndimage.histogram(Played.image, 0, 9, 3, on_gpu, [1]),
                    lambda: measure.regionprops_table(Played.image, on_gpu),
                    lambda: filters.sobel(REALS, mask=on_gpu)):
            with self.assertRaisesRegex(NotImplementedError, r"^(mask|labels|intensity_image): .*GPU"):
                run()

    def test_masks_of_canny(self):
        canny = macareu.skimage.feature.canny
        on_gpu, everywhere = self.to_gpu(SINGLE), self.to_gpu(np.ones(SINGLE.shape, bool))
        self.same(canny(on_gpu, mask=everywhere), canny(SINGLE, mask=np.ones(SINGLE.shape, bool)), on_gpu)
        with self.assertRaisesRegex(NotImplementedError, "^mask: "):
            canny(on_gpu, mask=self.to_gpu(MASK))


class OnGpuByCuPy(OnGpu, unittest.TestCase):
    name = "cupy"

    def kind(self):
        return self.package.ndarray

    def to_gpu(self, array):
        return self.package.asarray(array)

    def to_host(self, array):
        return self.package.asnumpy(array)

    def another_stream(self):
        return self.package.cuda.Stream(non_blocking=True)


class OnGpuByPyTorch(OnGpu, unittest.TestCase):
    name = "torch"

    def kind(self):
        return self.package.Tensor

    def to_gpu(self, array):
        return self.package.from_numpy(np.array(array)).cuda()

    def to_host(self, array):
        return array.cpu().numpy()

    def another_stream(self):
        return self.package.cuda.stream(self.package.cuda.Stream())


if __name__ == "__main__":
    unittest.main()
