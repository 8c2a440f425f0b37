"""Arrays of other packages, which stand-ins play on the host's memory."""

import ctypes
import gc
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

import macareu
from macareu import _macareu
from stand_ins import BufferLike, GpuLike, HostLike, NamedTensorLike, TensorLike, play, play_cupy, play_kind

IMAGE = np.random.default_rng(3).integers(0, 9, (12, 15)).astype(np.int16)


def change(capsule, name, offset, type, value):
    """A number in the memory that a capsule points to."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    type.from_address(pointer(capsule, name) + offset).value = value


class OfCuPy(unittest.TestCase):
    image = IMAGE

    def test_the_result_is_of_the_same_kind(self):
        streams = play_cupy(self)
        for gpu in (0, 3):
            image = GpuLike(self.image[:, ::2])
            image.data.device_id = gpu
            result = macareu.maxima(image)
            self.assertIsInstance(result, GpuLike)
            np.testing.assert_array_equal(result.array, macareu.maxima(self.image[:, ::2]))
        self.assertEqual(streams, [0, 3], "streams of the arrays' GPUs")

    def test_out(self):
        play_cupy(self)
        room = GpuLike(np.zeros(self.image.shape, np.int16))
        marker = GpuLike(self.image // 2)
        self.assertIs(macareu.reconstruct(marker, GpuLike(self.image), out=room), room)
        np.testing.assert_array_equal(room.array, macareu.reconstruct(self.image // 2, self.image))

    def test_errors(self):
        play_cupy(self)
        with self.assertRaisesRegex(TypeError, "share a device"):
            macareu.reconstruct(GpuLike(self.image), self.image)
        with self.assertRaisesRegex(TypeError, "out is numpy.ndarray"):
            macareu.maxima(GpuLike(self.image), out=np.zeros((12, 15), bool))
        with self.assertRaisesRegex(ValueError, "axes"):
            macareu.maxima(GpuLike(self.image[0]))
        with self.assertRaisesRegex(ValueError, "read-only"):
            macareu.maxima(BufferLike(self.image), out=GpuLike(np.zeros((12, 15), bool), read_only=True))

    def test_weights_on_the_host(self):
        play_cupy(self)
        weights = np.arange(9, dtype=">f4").reshape(3, 3)
        expected = macareu.convolve(self.image, weights)
        for given in (weights, weights[::-1][::-1], weights.tolist(), GpuLike(weights.astype(np.float32))):
            np.testing.assert_array_equal(macareu.convolve(GpuLike(self.image), given).array, expected)
        with self.assertRaisesRegex(TypeError, "share a device"):
            macareu.convolve(self.image, GpuLike(weights.astype(np.float32)))

    def test_classes_derived_from_its_own(self):
        play_cupy(self)

        class Derived(GpuLike):
            pass

        found = macareu.fill_holes(Derived(self.image))
        self.assertIs(type(found), GpuLike)
        np.testing.assert_array_equal(found.array, macareu.fill_holes(self.image))

    def test_arrays_of_other_packages_beside(self):
        play_cupy(self)
        with mock.patch.object(_macareu, "follow") as follow:
            found = macareu.reconstruct(GpuLike(self.image // 2), BufferLike(self.image, 11))
        self.assertIsInstance(found, GpuLike)
        np.testing.assert_array_equal(found.array, macareu.reconstruct(self.image // 2, self.image))
        self.assertEqual([call.args[1:] for call in follow.call_args_list], [(0, 11)])


class OnHost(unittest.TestCase):
    image = IMAGE

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

        class Copied(Tensor):
            def __array__(self, *_):
                return self.array.copy()

        for kind in (Tensor, HostLike, Copied):
            room = kind(np.zeros_like(self.image))
            self.assertIs(macareu.fill_holes(kind(self.image), out=room), room)
            np.testing.assert_array_equal(room.array, macareu.fill_holes(self.image))

        class OnlyCopied(Copied):
            def __dlpack__(self, **_):
                raise BufferError("not this type")

        expected = macareu.fill_holes(self.image)
        np.testing.assert_array_equal(macareu.fill_holes(OnlyCopied(self.image)).array, expected)
        with self.assertRaisesRegex(ValueError, "read-only"):
            macareu.fill_holes(HostLike(self.image), out=OnlyCopied(np.zeros_like(self.image)))

    def test_jax(self):
        class Jax(HostLike):
            def __array__(self, *_):
                array = self.array.view()
                array.flags.writeable = False
                return array

        play_kind(self, Jax, "jaxlib._jax")
        found = macareu.fill_holes(Jax(self.image))
        np.testing.assert_array_equal(found.array, macareu.fill_holes(self.image))
        with self.assertRaisesRegex(ValueError, "read-only"):
            macareu.fill_holes(Jax(self.image), out=Jax(np.zeros_like(self.image)))

    def test_memory_is_given_back(self):
        image = self.image.copy()
        before = sys.getrefcount(image)
        found = macareu.fill_holes(HostLike(image[:, ::2]))
        np.testing.assert_array_equal(found.array, macareu.fill_holes(image[:, ::2]))
        self.assertEqual(sys.getrefcount(image), before)

    def test_no_pixels(self):
        for shape in ((0, 7), (3, 0, 5)):
            found = macareu.label(HostLike(np.zeros(shape, np.uint8)))
            self.assertEqual((found.array.shape, found.array.dtype), (shape, np.uint32))

        class Nowhere(HostLike):
            def __dlpack__(self, *, stream=None):
                capsule = super().__dlpack__()
                change(capsule, b"dltensor", 0, ctypes.c_void_p, None)
                return capsule

        self.assertEqual(macareu.invert(Nowhere(np.zeros((0, 7), np.int16))).array.shape, (0, 7))

    def test_booleans(self):
        """Which NumPy's own DLPack has not before version 2: there the result is NumPy's."""
        mask = self.image > 4
        of_bytes = mask.view(np.uint8)

        class Booleans(HostLike):
            def __dlpack__(self, *, stream=None):
                capsule = of_bytes.__dlpack__()
                change(capsule, b"dltensor", 20, ctypes.c_uint8, 6)  # the code of its type
                return capsule

        found = macareu.invert(Booleans(of_bytes))
        np.testing.assert_array_equal(found.array if isinstance(found, HostLike) else found, ~mask)

    def test_beside_an_array_on_a_gpu(self):
        with self.assertRaisesRegex(TypeError, "TensorLike.*one device"):
            macareu.reconstruct(HostLike(self.image), TensorLike(self.image))

    def test_compare(self):
        self.assertEqual(macareu.compare(HostLike(self.image), self.image).different, 0)
        with self.assertRaisesRegex(TypeError, "TensorLike is not in host memory"):
            macareu.compare(self.image, TensorLike(self.image))


@unittest.skipIf("cuda" in macareu.info()["devices"], "results go to the GPU that is there")
class OfAnyPackage(unittest.TestCase):
    expected = macareu.fill_holes(IMAGE)

    def test_the_same_kind_by_dlpack(self):
        image = NamedTensorLike(IMAGE)
        gc.collect()  # what earlier tests have left
        before = sys.getrefcount(IMAGE)
        with mock.patch.object(_macareu, "own_stream", return_value=77):
            found = macareu.fill_holes(image)
        self.assertIsInstance(found, NamedTensorLike)
        np.testing.assert_array_equal(found.array, self.expected)
        self.assertEqual(image.streams, [77])
        self.assertIn('"used_dltensor"', repr(image.capsules.pop()))
        self.assertEqual(sys.getrefcount(IMAGE), before, "what was taken is given back")

    def test_the_default_stream_has_a_name(self):
        image = TensorLike(IMAGE)
        with mock.patch.object(_macareu, "own_stream", return_value=0):
            macareu.fill_holes(image)
        self.assertEqual(image.streams, [1])

    def test_our_own_kind_where_the_package_takes_none(self):
        for image in (TensorLike(IMAGE), BufferLike(IMAGE), TensorLike(IMAGE[::2, ::-1]), BufferLike(IMAGE[1:, 2:].T)):
            found = macareu.fill_holes(image)
            self.assertIsInstance(found, macareu.DeviceArray)
            expected = macareu.fill_holes(image.array)
            self.assertEqual((found.shape, found.dtype, found.ndim, found.size, found.nbytes),
                             (expected.shape, expected.dtype, 2, expected.size, expected.nbytes))
            np.testing.assert_array_equal(np.from_dlpack(found), expected)

    def test_our_own_kind_where_the_package_refuses(self):
        def refuse(array):
            raise BufferError("not this type")

        with mock.patch.object(NamedTensorLike, "__array_namespace__",
                               lambda self: types.SimpleNamespace(from_dlpack=refuse)):
            self.assertIsInstance(macareu.maxima(NamedTensorLike(IMAGE)), macareu.DeviceArray)

    def test_numba_and_jax(self):
        class Numba(BufferLike):
            pass

        class Jax(TensorLike):
            pass

        play_kind(self, Numba, "numba.cuda.cudadrv.devicearray")
        play_kind(self, Jax, "jaxlib._jax")
        numba = types.ModuleType("numba")
        numba.cuda = types.SimpleNamespace(as_cuda_array=lambda one: Numba(np.from_dlpack(one)))
        play(self, "numba", numba)
        jax = types.ModuleType("jax.numpy")
        jax.from_dlpack = lambda one: Jax(np.from_dlpack(one))
        play(self, "jax.numpy", jax)
        for kind in (Numba, Jax):
            found = macareu.fill_holes(kind(IMAGE))
            self.assertIsInstance(found, kind)
            np.testing.assert_array_equal(found.array, self.expected)
        with self.assertRaisesRegex(ValueError, "read-only"):
            macareu.fill_holes(Jax(IMAGE), out=Jax(np.zeros_like(IMAGE)))

    def test_out(self):
        for kind in (TensorLike, BufferLike):
            room = kind(np.zeros_like(IMAGE))
            self.assertIs(macareu.fill_holes(TensorLike(IMAGE), out=room), room)
            np.testing.assert_array_equal(room.array, self.expected)
            rooms = kind(np.zeros(IMAGE.shape, np.float32)), kind(np.zeros(IMAGE.shape, np.int64))
            found = macareu.distance_transform(TensorLike(IMAGE), out=rooms)
            expected = np.zeros(IMAGE.shape, np.float32), np.zeros(IMAGE.shape, np.int64)
            macareu.distance_transform(IMAGE, out=expected)
            for one, room, other in zip(found, rooms, expected):
                self.assertIs(one, room)
                np.testing.assert_array_equal(one.array, other)

    def test_tables(self):
        table, expected = macareu.statistics(TensorLike(IMAGE)), macareu.statistics(IMAGE)
        self.assertEqual({name: list(column) for name, column in table.items()},
                         {name: list(column) for name, column in expected.items()})

    def test_weights_on_the_host(self):
        weights = np.arange(9.0).reshape(3, 3)
        for given in (weights, weights.tolist(), BufferLike(weights)):
            found = macareu.convolve(TensorLike(IMAGE), given)
            np.testing.assert_array_equal(np.from_dlpack(found), macareu.convolve(IMAGE, weights))

    def test_every_stream_is_waited_for(self):
        room = BufferLike(np.zeros_like(IMAGE), 13)
        with mock.patch.object(_macareu, "own_stream", return_value=7), mock.patch.object(_macareu, "follow") as follow:
            macareu.reconstruct(BufferLike(IMAGE // 2, 11), BufferLike(IMAGE, 12), out=room)
            macareu.reconstruct(BufferLike(IMAGE // 2), BufferLike(IMAGE, 7))  # nothing to wait for
        self.assertEqual([call.args[1:] for call in follow.call_args_list], [(7, 11), (7, 12), (7, 13)])
        np.testing.assert_array_equal(room.array, macareu.reconstruct(IMAGE // 2, IMAGE))

    def test_work_is_done_before_memory_goes_back(self):
        for image, out in ((BufferLike(IMAGE[0]), None), (TensorLike(IMAGE), TensorLike(np.zeros((3, 3), np.int16)))):
            with mock.patch.object(_macareu, "finish") as finish, self.assertRaises(ValueError):
                macareu.fill_holes(image, out=out)
            self.assertEqual(finish.call_count, 1)

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "share a device"):
            macareu.reconstruct(TensorLike(IMAGE), HostLike(IMAGE))
        with self.assertRaisesRegex(TypeError, "complex128 are not supported"):
            macareu.fill_holes(TensorLike(IMAGE.astype(complex)))
        masked = BufferLike(IMAGE)
        masked.__cuda_array_interface__["mask"] = masked
        with self.assertRaisesRegex(TypeError, "mask"):
            macareu.fill_holes(masked)
        with self.assertRaisesRegex(TypeError, "swapped"):
            macareu.fill_holes(BufferLike(IMAGE.astype(">i2")))
        elsewhere = TensorLike(IMAGE)
        elsewhere.__dlpack_device__ = lambda: (10, 0)
        with self.assertRaisesRegex(TypeError, "not on an NVIDIA GPU"):
            macareu.fill_holes(elsewhere)
        once = TensorLike(IMAGE)
        macareu.fill_holes(once)
        once.__dlpack__ = lambda stream: once.capsules[0]
        with self.assertRaisesRegex(TypeError, "already consumed"):
            macareu.fill_holes(once)


@unittest.skipIf("cuda" in macareu.info()["devices"], "results go to the GPU that is there")
class OurOwn(unittest.TestCase):
    """DeviceArray."""

    def setUp(self):
        self.array = macareu.fill_holes(TensorLike(IMAGE))
        self.expected = macareu.fill_holes(IMAGE)

    def versioned(self, flags=0, version=1):
        """As another package's tensor, whose capsule says this."""
        array = self.array

        class Tensor:
            def __dlpack_device__(self):
                return 2, 0

            def __dlpack__(self, *, stream, max_version):
                capsule = array.__dlpack__(max_version=max_version)
                change(capsule, b"dltensor_versioned", 0, ctypes.c_uint32, version)
                change(capsule, b"dltensor_versioned", 24, ctypes.c_uint64, flags)
                return capsule
        return Tensor()

    def test_it_is_taken_and_keeps_its_memory(self):
        taken = np.from_dlpack(self.array)
        self.assertIn("(12, 15)", repr(self.array))
        del self.array
        gc.collect()
        others = [macareu.invert(TensorLike(IMAGE)) for _ in range(3)]  # in whose memory it would be
        np.testing.assert_array_equal(taken, self.expected)
        del others

    def test_it_is_given_to_calls(self):
        np.testing.assert_array_equal(macareu.invert(self.array), macareu.invert(self.expected))

    def test_of_version_1(self):
        found = macareu.invert(self.versioned())
        np.testing.assert_array_equal(np.from_dlpack(found), macareu.invert(self.expected))
        for flags, reason in ((1, "read-only"), (2, "copy")):
            with self.assertRaisesRegex(ValueError, reason):
                macareu.invert(self.versioned(), out=self.versioned(flags))
        with self.assertRaisesRegex(BufferError, "version 2"):
            macareu.invert(self.versioned(version=2))

    def test_capsules_that_nobody_takes(self):
        for version in (None, (0, 8), (1, 0), (2, 3)):
            name = "dltensor_versioned" if version and version[0] else "dltensor"
            self.assertIn(f'"{name}"', repr(self.array.__dlpack__(max_version=version)))
        np.testing.assert_array_equal(np.from_dlpack(self.array), self.expected)

    def test_copies_and_other_devices(self):
        for asked in ({"copy": True}, {"dl_device": (2, 5)}):
            with self.assertRaises(BufferError):
                self.array.__dlpack__(**asked)
        self.assertIsNotNone(self.array.__dlpack__(copy=False, dl_device=self.array.__dlpack_device__(), stream=5))

    def test_it_does_not_say_that_it_is_on_a_gpu(self):
        self.assertFalse(hasattr(self.array, "__cuda_array_interface__"))


DRIVER = """
int cuPointerGetAttributes(unsigned count, const int* which, void** answers, unsigned long long data) {
  for (unsigned i = 0; i < count; ++i) *(int*)answers[i] = which[i] == 2 ? 2 : 0;  // memory of GPU 0
  return 0;
}
"""
CALL = """
import ctypes, sys
ctypes.CDLL(sys.argv[1])
import macareu, numpy as np
from stand_ins import BufferLike
try:
    macareu.invert(BufferLike(np.zeros((3, 3))))
except RuntimeError as error:
    print(error)
"""


class WithoutCuda(unittest.TestCase):
    def test_memory_of_a_gpu_is_refused(self):
        """By a driver that takes all memory for a GPU's."""
        if "cuda" in _macareu.machine()["built_devices"] or not shutil.which("cc"):
            self.skipTest("a build with CUDA, or no compiler")
        with tempfile.TemporaryDirectory() as folder:
            source, library = pathlib.Path(folder, "driver.c"), pathlib.Path(folder, "driver.so")
            source.write_text(DRIVER)
            subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", source, "-o", library], check=True)
            done = subprocess.run([sys.executable, "-c", CALL, library], capture_output=True, text=True, check=True,
                                  cwd=pathlib.Path(__file__).parent)
        self.assertIn("memory of a GPU: this build is without CUDA", done.stdout)


if __name__ == "__main__":
    unittest.main()
