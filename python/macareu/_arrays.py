"""Arrays that are not NumPy's: the result is of the same kind, on the same device, and nothing is copied."""

import functools
import sys

import numpy as np

from ._gpu_arrays import CuPy, OnGpu, kind_on_gpu
from ._packages import HOST_DEVICES, package_of, way_into


class OnHost:
    """Arrays of other packages in the host's memory: PyTorch's tensors, and what has DLPack."""

    @staticmethod
    def run(operation, images, values, out, *how):
        taken = tuple(map(as_numpy, images))
        room = None if out is None else _each(as_numpy, out)
        result = operation.run(taken, values, room, *how)
        if out is not None:
            return out
        return _each(functools.partial(like, images[0]), result)


class _Writable:
    """NumPy shows what comes by DLPack as read-only. Read-only memory cannot come that way, so it may be written to."""

    def __init__(self, array):
        self.array = array  # which keeps the memory
        shown = array.__array_interface__
        self.__array_interface__ = {**shown, "data": (shown["data"][0], False)}


def as_numpy(array):
    """An array in the host's memory, without a copy."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return array
    return np.asarray(array) if hasattr(array, "__array__") else np.asarray(_Writable(np.from_dlpack(array)))


def like(array, result):
    """An array of NumPy, or on a GPU, as one of the package that the other array is of; booleans stay NumPy's where its
    DLPack has none."""
    if isinstance(array, np.ndarray):
        return result
    if is_foreign(array):
        return OnGpu.handed_over(array, result) if on_gpu(result) else result
    give_back = way_into(array, "from_numpy", "from_dlpack")
    if give_back is None or not isinstance(result, np.ndarray):
        return result
    try:
        return give_back(result)
    except BufferError:
        return result


def _each(of, one_or_more):
    return tuple(map(of, one_or_more)) if isinstance(one_or_more, tuple) else of(one_or_more)


def kind_of(images):
    """Who runs the call, or None: NumPy, and what it makes an array of."""
    cupy = sys.modules.get("cupy")
    if cupy is not None and type(images[0]) is getattr(cupy, "ndarray", None):
        return CuPy
    for image in images:
        if isinstance(image, (np.ndarray, list, tuple)):
            continue
        if package_of(image) == "cupy" or hasattr(image, "__cuda_array_interface__"):
            return kind_on_gpu(image)
        if hasattr(image, "__dlpack_device__"):
            return OnHost if image.__dlpack_device__()[0] in HOST_DEVICES else kind_on_gpu(image)
    return None


def on_gpu(array):
    return not isinstance(array, np.ndarray) and kind_of((array,)) not in (None, OnHost)


def is_foreign(array):
    """On a GPU, of a package whose arrays are nothing but memory here."""
    return not isinstance(array, np.ndarray) and kind_of((array,)) is OnGpu
