"""Arrays of packages other than NumPy. The result is of the same kind, on the same device, without copies."""

import functools
import sys

import numpy as np

from ._gpu_arrays import CuPy, OnGpu, kind_on_gpu, tensor_of
from ._packages import HOST_DEVICES, is_jax, package_of, type_name, way_into


class OnHost:
    """Arrays of other packages in host memory: PyTorch's tensors, and arrays with DLPack."""

    @staticmethod
    def run(operation, images, values, out, *how):
        taken = tuple(map(as_numpy, images))
        room = None if out is None else _each(as_numpy, out)
        result = operation.run(taken, values, room, *how)
        if out is not None:
            return out
        return _each(functools.partial(like, images[0]), result)


_NOWHERE = np.empty(0)  # a valid address for empty arrays, because NumPy does not accept null


class _Shown:
    """Exposes DLPack memory to NumPy. NumPy's own import is read-only, and lacks booleans before version
    2."""

    def __init__(self, tensor):
        self.tensor = tensor  # keeps the memory alive
        address, type, shape, strides = tensor.described
        address = address or _NOWHERE.__array_interface__["data"][0]
        self.__array_interface__ = {"data": (address, not tensor.writable), "typestr": type.str, "shape": shape,
                                    "strides": strides, "version": 3}


def as_numpy(array):
    """An array in host memory, without a copy; read-only if it may be a copy."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return array
    if package_of(array) == "torch" or is_jax(array):  # older versions' DLPack omits details
        return np.asarray(array)
    if array.__dlpack_device__()[0] not in HOST_DEVICES:
        raise TypeError(f"{type_name(array)} is not in host memory: all images must be on one device")
    try:
        return np.asarray(_Shown(tensor_of(array)))
    except (BufferError, TypeError):  # a type without DLPack support
        if not hasattr(array, "__array__"):
            raise
    shown = np.asarray(array).view()
    shown.flags.writeable = False
    return shown


def like(array, result):
    """Converts a result to the package of `array`. Booleans stay NumPy arrays if the package's DLPack lacks
    them."""
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
    """The class that runs the call, or None for NumPy arrays and what NumPy converts."""
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
    """Whether the array is on a GPU and of a package without an implementation here."""
    return not isinstance(array, np.ndarray) and kind_of((array,)) is OnGpu
