"""Arrays on a GPU, where there is one: of CuPy and PyTorch, and of packages that nobody knows."""

import importlib
import sys
import types
import unittest

import numpy as np

from drop_in_calls import (IMAGE, MASK, OTHERS, REALS, ROOM, SINGLE, THIN, WITH_OUTPUT, filters, macareu, measure,
                           morphology, ndimage)


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
        weights = np.arange(9.0).reshape(3, 3)
        for given in (weights, weights.tolist(), self.to_gpu(weights)):
            self.same(macareu.convolve(on_gpu, given), macareu.convolve(mask, weights), on_gpu)
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
        on_gpu = self.to_gpu(IMAGE)
        with self.assertRaisesRegex(TypeError, "share a device|one device"):
            morphology.reconstruction(on_gpu, IMAGE)
        for run in (lambda: ndimage.binary_propagation(MASK, mask=on_gpu),
                    lambda: ndimage.minimum(IMAGE, on_gpu, [1, 2]),
                    lambda: ndimage.sum_labels(IMAGE, on_gpu),
                    lambda: ndimage.histogram(IMAGE, 0, 9, 3, on_gpu, [1]),
                    lambda: measure.regionprops_table(IMAGE, on_gpu),
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


class TensorOnly:
    """DLPack alone, in the memory of an array of CuPy's."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack__(self, *, stream=None, **how):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, **how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OldTensorOnly(TensorOnly):
    """As before DLPack's version 1."""

    def __dlpack__(self, *, stream=None):
        return super().__dlpack__(stream=stream)


class NamedTensorOnly(TensorOnly):
    """Of a package that makes its arrays by from_dlpack."""

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda one: NamedTensorOnly(sys.modules["cupy"].from_dlpack(one)))


class InterfaceOnly:
    """`__cuda_array_interface__` alone, ready on a stream."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": stream}


HOLD = """
extern "C" __global__ void hold(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}
"""


class OfAnyPackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "cuda" not in macareu.info()["devices"]:
            raise unittest.SkipTest("no GPU, or a build without CUDA")
        try:
            cls.cupy = importlib.import_module("cupy")
        except ImportError as missing:
            raise unittest.SkipTest(str(missing)) from missing
        cls.mask, cls.marker = macareu.generate("tissue", (512, 700))
        cls.mask_there, cls.marker_there = cls.cupy.asarray(cls.mask), cls.cupy.asarray(cls.marker)
        cls.grown = macareu.reconstruct(cls.marker, cls.mask)
        cls.hold = cls.cupy.RawKernel(HOLD, "hold")
        cls.hold((1,), (1,), (np.int64(1),))
        late = cls.cupy.zeros_like(cls.mask_there)  # kernels of CuPy are made at their first use, which may take long
        late[...] = cls.mask_there
        late.fill(1)
        late.copy()
        cls.cupy.cuda.Device().synchronize()

    def held_up(self, work):
        """A stream that is delayed: its results are not visible yet when this returns."""
        stream = self.cupy.cuda.Stream(non_blocking=True)
        with stream:
            self.hold((1,), (1,), (np.int64(200_000_000),))
            work()
        return stream

    def assert_is(self, found, expected):
        """An array of ours, which others take without a copy."""
        self.assertIsInstance(found, macareu.DeviceArray)
        self.assertEqual(found.__dlpack_device__(), self.mask_there.__dlpack_device__())
        address = found.__cuda_array_interface__["data"][0]
        for taken in (self.cupy.from_dlpack(found), self.cupy.asarray(found)):
            self.assertEqual(taken.data.ptr, address)
            self.assertEqual(taken.dtype, expected.dtype)
            np.testing.assert_array_equal(self.cupy.asnumpy(taken), expected)

    def test_results(self):
        for kind in (TensorOnly, OldTensorOnly, InterfaceOnly):
            with self.subTest(kind.__name__):
                self.assert_is(macareu.reconstruct(kind(self.marker_there), kind(self.mask_there)), self.grown)
                self.assert_is(macareu.maxima(kind(self.mask_there[::2, 3:].T)), macareu.maxima(self.mask[::2, 3:].T))
                self.assert_is(macareu.label(kind(self.mask_there)), macareu.label(self.mask))
                self.assertEqual(macareu.invert(kind(self.mask_there[:0])).shape, (0, 700))
                table, expected = macareu.statistics(kind(self.mask_there)), macareu.statistics(self.mask)
                self.assertEqual({name: list(column) for name, column in table.items()},
                                 {name: list(column) for name, column in expected.items()})

    def test_the_same_kind(self):
        found = macareu.reconstruct(NamedTensorOnly(self.marker_there), NamedTensorOnly(self.mask_there))
        self.assertIsInstance(found, NamedTensorOnly)
        np.testing.assert_array_equal(self.cupy.asnumpy(found.array), self.grown)

    def test_the_stream_is_our_own(self):
        image = TensorOnly(self.mask_there)
        macareu.invert(image)
        macareu.invert(image)
        self.assertEqual(len(set(image.streams)), 1)
        self.assertNotIn(image.streams[0], (None, 0, 1, 2, self.cupy.cuda.get_current_stream().ptr))

    def test_our_own_arrays_are_taken(self):
        once = macareu.invert(TensorOnly(self.mask_there))
        self.assert_is(macareu.invert(once), self.mask)
        self.assertIs(macareu.invert(TensorOnly(self.marker_there), out=once), once)
        self.assert_is(once, macareu.invert(self.marker))
        self.assert_is(macareu.reconstruct(TensorOnly(self.marker_there), self.mask_there), self.grown)

    def test_by_pytorch(self):
        try:
            torch = importlib.import_module("torch")
        except ImportError as missing:
            self.skipTest(str(missing))
        found = macareu.reconstruct(TensorOnly(self.marker_there), InterfaceOnly(self.mask_there))
        for taken in (torch.from_dlpack(found), torch.as_tensor(found, device="cuda")):
            self.assertEqual(taken.data_ptr(), found.__cuda_array_interface__["data"][0])
            np.testing.assert_array_equal(taken.cpu().numpy(), self.grown)
        marker, mask = torch.from_numpy(self.marker).cuda(), torch.from_numpy(self.mask).cuda()
        by_cupy = macareu.reconstruct(self.marker_there, mask)
        self.assertIsInstance(by_cupy, self.cupy.ndarray)
        np.testing.assert_array_equal(self.cupy.asnumpy(by_cupy), self.grown)
        by_torch = macareu.reconstruct(marker, self.mask_there)
        self.assertIsInstance(by_torch, torch.Tensor)
        np.testing.assert_array_equal(by_torch.cpu().numpy(), self.grown)
        self.assert_is(macareu.reconstruct(InterfaceOnly(self.marker_there), mask), self.grown)

    def test_out(self):
        for kind in (TensorOnly, OldTensorOnly, InterfaceOnly):
            room = kind(self.cupy.zeros_like(self.mask_there))
            self.cupy.cuda.Device().synchronize()
            self.assertIs(macareu.reconstruct(kind(self.marker_there), kind(self.mask_there), out=room), room)
            with self.cupy.cuda.Stream(non_blocking=True):  # it is there when the call returns
                np.testing.assert_array_equal(self.cupy.asnumpy(room.array), self.grown)

    def test_a_second_image_that_comes_later(self):
        macareu.reconstruct(InterfaceOnly(self.marker_there), InterfaceOnly(self.mask_there))  # loads its kernels
        for first in (InterfaceOnly, TensorOnly, lambda array: array):
            late = self.cupy.zeros_like(self.mask_there)
            self.cupy.cuda.Device().synchronize()
            stream = self.held_up(lambda: late.__setitem__(..., self.mask_there))
            image = InterfaceOnly(late, stream.ptr)
            self.assertFalse(stream.done, "the test held nothing up")
            found = macareu.reconstruct(first(self.marker_there), image)
            np.testing.assert_array_equal(self.cupy.asnumpy(self.cupy.asarray(found)), self.grown)

    def test_a_tensor_that_comes_later(self):
        macareu.maxima(TensorOnly(self.mask_there))
        late = self.cupy.zeros_like(self.mask_there)
        self.cupy.cuda.Device().synchronize()
        stream = self.held_up(lambda: late.__setitem__(..., self.mask_there))
        with stream:  # which the tensor's package takes for that of its work
            self.assertFalse(stream.done, "the test held nothing up")
            found = macareu.maxima(TensorOnly(late))
        self.assert_is(found, macareu.maxima(self.mask))

    def test_room_that_is_written_to_until_later(self):
        macareu.invert(InterfaceOnly(self.mask_there))
        room = self.cupy.zeros_like(self.mask_there)
        self.cupy.cuda.Device().synchronize()
        stream = self.held_up(lambda: room.fill(77))
        self.assertFalse(stream.done, "the test held nothing up")
        macareu.invert(InterfaceOnly(self.mask_there), out=InterfaceOnly(room, stream.ptr))
        stream.synchronize()
        np.testing.assert_array_equal(self.cupy.asnumpy(room), macareu.invert(self.mask))

    def test_memory_is_not_used_again_before_others_are_done(self):
        taken = self.cupy.from_dlpack(macareu.invert(InterfaceOnly(self.mask_there)))
        copies = []
        stream = self.held_up(lambda: copies.append(taken.copy()))
        self.assertFalse(stream.done, "the test held nothing up")
        del taken
        others = [macareu.fill_holes(InterfaceOnly(self.marker_there)) for _ in range(4)]
        stream.synchronize()
        np.testing.assert_array_equal(self.cupy.asnumpy(copies[0]), macareu.invert(self.mask))
        self.assert_is(others[0], macareu.fill_holes(self.marker))

    def test_images_larger_than_the_memory(self):
        """Are computed in pieces."""
        free, _ = self.cupy.cuda.Device().mem_info
        if free < 4 << 30:
            self.skipTest("less than 4 GiB of the GPU are free")
        held = self.cupy.cuda.Memory(free - (2 << 30))  # an image beyond the whole memory would take minutes
        large = np.broadcast_to(np.uint8(1), (1 << 15, 1 << 19))
        self.assertEqual(list(macareu.statistics(large, device="cuda")["sum"]), [large.size])
        del held

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "share a device|one device"):
            macareu.reconstruct(TensorOnly(self.marker_there), self.mask)
        with self.assertRaises(ValueError):
            macareu.reconstruct(TensorOnly(self.marker_there), TensorOnly(self.mask_there[:5]))
        with self.assertRaisesRegex(ValueError, "cannot read"):
            macareu.invert(TensorOnly(self.mask_there), device="cpu")
        self.assert_is(macareu.invert(TensorOnly(self.mask_there)), macareu.invert(self.mask))

    def test_drop_ins(self):
        for kind in (TensorOnly, InterfaceOnly, NamedTensorOnly):
            for function, arrays, named in THIN:
                with self.subTest(function.__name__, kind=kind.__name__, **named):
                    found = function(*[kind(self.cupy.asarray(one)) for one in arrays], **named)
                    expected = function(*arrays, **named)
                    found, expected = (one if isinstance(one, tuple) else (one,) for one in (found, expected))
                    if kind is NamedTensorOnly:
                        self.assertIsInstance(found[0], kind)
                        found = (found[0].array, *found[1:])
                    np.testing.assert_allclose(self.cupy.asnumpy(found[0]), expected[0], rtol=1e-6, atol=1e-12)
                    self.assertEqual(found[1:], expected[1:])


if __name__ == "__main__":
    unittest.main()
