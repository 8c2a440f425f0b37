"""Arrays of other packages, played on the host's memory. The library tells a GPU's from it by asking the driver, so that
these run where there is no GPU."""

import sys
import types

import numpy as np


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

    def __getitem__(self, where):
        return GpuLike(self.array[where])

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

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda one: HostLike(np.from_dlpack(one)))


class TensorLike:
    """DLPack alone, on what is said to be a GPU, from a package without a way to take memory of others."""

    def __init__(self, array):
        self.array, self.streams, self.capsules = array, [], []

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        self.capsules.append(self.array.__dlpack__())
        return self.capsules[-1]

    def __dlpack_device__(self):
        return 2, 0


class NamedTensorLike(TensorLike):
    """Of a package that makes its arrays by from_dlpack."""

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=lambda one: NamedTensorLike(np.from_dlpack(one)))


class BufferLike:
    """`__cuda_array_interface__` alone, ready on a stream."""

    def __init__(self, array, stream=None):
        self.array = array
        self.__cuda_array_interface__ = {**GpuLike(array).__cuda_array_interface__, "stream": stream}


def play(test, name, module):
    """Until the test ends, under this name."""
    before = {name: sys.modules[name]} if name in sys.modules else {}
    test.addCleanup(sys.modules.update, before)
    test.addCleanup(sys.modules.pop, name)  # comes first
    sys.modules[name] = module


def play_kind(test, kind, package):
    """Arrays of this class are that package's."""
    test.addCleanup(setattr, kind, "__module__", kind.__module__)
    kind.__module__ = package


def play_cupy(test):
    """Returns a list of the GPUs for whose current stream somebody asks, and of waits."""
    streams = []
    current = types.SimpleNamespace(ptr=0, synchronize=lambda: streams.append("waited"))
    cupy = types.ModuleType("cupy")
    cupy.ndarray = GpuLike
    cupy.from_dlpack = cupy.asarray = lambda one: GpuLike(one.array)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda gpu: streams.append(gpu) or current,
                                      runtime=types.SimpleNamespace(getDevice=lambda: 0))
    play(test, "cupy", cupy)
    play_kind(test, GpuLike, "cupy")
    return streams
