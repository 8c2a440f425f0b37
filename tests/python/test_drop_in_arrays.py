"""Functions under the peers' names on arrays of other packages, which stand-ins play."""

import types
import unittest
from unittest import mock

import numpy as np

from drop_in_calls import (IMAGE, MASK, OTHERS, REALS, ROOM, THIN, WITH_OUTPUT, filters, macareu, measure, morphology,
                           ndimage)
from macareu import _gpu_arrays, _macareu
from stand_ins import BufferLike, GpuLike, HostLike, NamedTensorLike, TensorLike, play, play_cupy


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
        for found in (ndimage.maximum(IMAGE, labels, [0, 1]), ndimage.maximum(labels=labels, index=[0, 1], input=IMAGE)):
            np.testing.assert_array_equal(found, ndimage.maximum(IMAGE, MASK.astype(int), [0, 1]))
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
                                       (ndimage.median_filter, IMAGE, {"size": 3}), (filters.gaussian, REALS, {})):
            with self.subTest(function.__name__):
                room = HostLike(np.zeros_like(image))
                self.assertIs(function(HostLike(image), output=room, **named), room)
                np.testing.assert_array_equal(room.array, function(image, **named))
        room = HostLike(np.zeros_like(IMAGE))
        self.assertIs(morphology.remove_small_objects(HostLike(IMAGE), 30, out=room), room)
        np.testing.assert_array_equal(room.array, morphology.remove_small_objects(IMAGE, 30))
        distances = HostLike(np.zeros(MASK.shape))
        self.assertIsNone(ndimage.distance_transform_edt(on_host(MASK), distances=distances))
        np.testing.assert_array_equal(distances.array, ndimage.distance_transform_edt(MASK))

    def test_on_a_gpu(self):
        play_cupy(self)
        for function, arrays, named in THIN:
            with self.subTest(function.__name__):
                self.check(function(*map(GpuLike, arrays), **named), function(*arrays, **named), GpuLike)

    def test_on_a_gpu_of_any_package(self):
        """By CuPy, whose arrays are the host's here: so nothing is handed back but what a package takes."""
        for kind in (NamedTensorLike, TensorLike, BufferLike):
            streams = play_cupy(self)
            for function, arrays, named in THIN:
                with self.subTest(function.__name__, kind=kind.__name__):
                    with mock.patch.object(NamedTensorLike, "__array_namespace__", self.namespace_by_cupy):
                        found = function(*map(kind, arrays), **named)
                    self.check(found, function(*arrays, **named), kind if kind is NamedTensorLike else GpuLike)
                    self.assertEqual(streams[-1], "waited")
            room = kind(np.zeros_like(IMAGE))
            self.assertIs(ndimage.median_filter(kind(IMAGE), 3, output=room), room)
            np.testing.assert_array_equal(room.array, ndimage.median_filter(IMAGE, 3))

    @staticmethod
    def namespace_by_cupy(_):
        return types.SimpleNamespace(from_dlpack=lambda one: NamedTensorLike(one.array))

    def test_by_pytorch_after_the_streams_of_others(self):
        taken = []
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(current_stream=lambda gpu: types.SimpleNamespace(cuda_stream=10 + gpu))
        torch.as_tensor = lambda array, device: taken.append((array, device))
        play(self, "cupy", None)
        play(self, "torch", torch)
        image = BufferLike(IMAGE, 7)
        with mock.patch.multiple(_macareu, follow=mock.DEFAULT, gpu_beside=lambda _: 2) as patched:
            _gpu_arrays.bridged(image)
        patched["follow"].assert_called_once_with(2, 12, 7)
        self.assertEqual(taken, [(image, "cuda:2")])

    def test_any_package_without_cupy_or_pytorch(self):
        play(self, "cupy", None)
        play(self, "torch", None)
        for kind in (TensorLike, BufferLike):
            with self.assertRaisesRegex(NotImplementedError, "CuPy or PyTorch"):
                ndimage.label(kind(IMAGE))

    def test_output_on_a_gpu(self):
        play_cupy(self)
        for function, image, type, named in WITH_OUTPUT:
            with self.subTest(function.__name__):
                room, expected = GpuLike(np.zeros(image.shape, type)), np.zeros(image.shape, type)
                result = function(image, **{name: expected if one is ROOM else one for name, one in named.items()})
                found = function(GpuLike(image), **{name: room if one is ROOM else one for name, one in named.items()})
                self.assertIs(found, room) if result is expected else self.assertEqual(found, result)
                np.testing.assert_allclose(room.array, expected, rtol=1e-6)

    def test_what_a_gpu_has_not_is_said(self):
        play_cupy(self)
        for function, arrays, named in OTHERS:
            with self.subTest(function.__name__), self.assertRaisesRegex(NotImplementedError, r"^\w+: .*GPU"):
                function(*map(GpuLike, arrays), **named)


if __name__ == "__main__":
    unittest.main()
