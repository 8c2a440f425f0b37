"""Arrays of other packages. A GPU's arrays are played by arrays that show the same interface on the host's memory,
which the library tells from a GPU's by asking the driver; where CuPy or PyTorch and a GPU are, those too."""

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


class Played(unittest.TestCase):
    image = np.random.default_rng(3).integers(0, 9, (12, 15)).astype(np.int16)

    def play_cupy(self):
        streams = []
        current = types.SimpleNamespace(ptr=0)
        cupy = types.ModuleType("cupy")
        cupy.ndarray = GpuLike
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

    def test_dlpack_on_the_host(self):
        result = macareu.fill_holes(HostLike(self.image))
        self.assertIsInstance(result, HostLike)
        np.testing.assert_array_equal(result.array, macareu.fill_holes(self.image))

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
morphology, measure, filters = macareu.skimage.morphology, macareu.skimage.measure, macareu.skimage.filters
ndimage = macareu.scipy.ndimage
# Functions under the peers' names, their arrays, and what else they are given. Those of the first list take arrays on a
# GPU too.
THIN = [(morphology.reconstruction, [Played.image // 2, Played.image], {}),
        (morphology.reconstruction, [Played.image[0] // 2, Played.image[0]], {}),
        (morphology.local_maxima, [Played.image], {}), (morphology.local_minima, [Played.image], {"connectivity": 1}),
        (morphology.remove_small_objects, [MASK], {"min_size": 3}),
        (measure.label, [MASK], {"return_num": True}), (measure.label, [Played.image], {}),
        (macareu.skimage.feature.canny, [Played.image], {}),
        (filters.gaussian, [REALS], {}), (ndimage.gaussian_filter, [REALS], {"sigma": [2, 0]}),
        (ndimage.median_filter, [Played.image], {"size": 3}), (ndimage.binary_fill_holes, [MASK], {}),
        (ndimage.label, [MASK], {}), (ndimage.distance_transform_edt, [MASK], {"sampling": [1, 2.5]})]
OTHERS = [(morphology.local_maxima, [Played.image], {"indices": True}), (morphology.h_maxima, [Played.image], {"h": 3}),
          (morphology.h_minima, [Played.image], {"h": 3}), (morphology.remove_small_objects, [Played.image], {}),
          (filters.sobel, [REALS], {}), (filters.apply_hysteresis_threshold, [REALS], {"low": 0, "high": 1}),
          (filters.threshold_otsu, [Played.image], {}), (ndimage.sobel, [REALS], {}),
          (ndimage.binary_propagation, [MASK & (REALS > 1)], {"mask": MASK}),
          (ndimage.distance_transform_edt, [MASK], {"return_indices": True}),
          (ndimage.gaussian_filter, [REALS], {"sigma": 1, "order": 1}),
          (ndimage.histogram, [Played.image], {"min": 0, "max": 9, "bins": 3}),
          (ndimage.minimum, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (ndimage.maximum, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (ndimage.sum_labels, [REALS], {"labels": Played.image, "index": np.arange(9)}),
          (measure.regionprops_table, [Played.image], {"properties": ("label", "area")})]


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

    def test_what_a_gpu_has_not_is_said(self):
        self.play_cupy()
        for function, arrays, named in OTHERS:
            with self.subTest(function.__name__), self.assertRaisesRegex(NotImplementedError, r"^\w+: .*GPU"):
                function(*map(GpuLike, arrays), **named)


@unittest.skipUnless("cuda" in macareu.info()["devices"], "no GPU, or a build without CUDA")
class OnGpu(unittest.TestCase):
    def check(self, to_gpu, to_host, kind):
        mask, marker = macareu.generate("tissue", (300, 500))
        expected = macareu.reconstruct(marker, mask)
        result = macareu.reconstruct(to_gpu(marker), to_gpu(mask))
        self.assertIsInstance(result, kind)
        np.testing.assert_array_equal(to_host(result), expected)
        turned = macareu.maxima(to_gpu(mask)[::2, 3:].T)
        np.testing.assert_array_equal(to_host(turned), macareu.maxima(mask[::2, 3:].T))

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no CuPy")
        self.check(cupy.asarray, cupy.asnumpy, cupy.ndarray)
        mask, marker = macareu.generate("tissue", (300, 500))
        grown = macareu.skimage.morphology.reconstruction(cupy.asarray(marker), cupy.asarray(mask))
        self.assertIsInstance(grown, cupy.ndarray)
        np.testing.assert_array_equal(cupy.asnumpy(grown), macareu.skimage.morphology.reconstruction(marker, mask))
        with cupy.cuda.Stream():
            self.check(cupy.asarray, cupy.asnumpy, cupy.ndarray)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no PyTorch")
        self.check(lambda a: torch.from_numpy(a).cuda(), lambda t: t.cpu().numpy(), torch.Tensor)


if __name__ == "__main__":
    unittest.main()
