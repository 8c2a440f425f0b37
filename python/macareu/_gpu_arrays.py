"""Arrays in GPU memory, of any package, through `__cuda_array_interface__` or DLPack, whichever reports the
stream on which they are ready. Nothing is copied."""

import functools
import importlib
import sys

import numpy as np

from . import _macareu
from ._device_array import DeviceArray, contiguous
from ._packages import GPU_DEVICES, is_jax, package_of, type_name, way_into

_DEFAULT_STREAM = 1  # in both protocols


@functools.lru_cache(maxsize=None)
def _count_of_results(operation):
    """Number of outputs; 0 for a table. Cached, because `about` is rebuilt on every access."""
    return len(operation.about["outputs"])


@functools.lru_cache(maxsize=None)
def _forms_of_inputs(operation):
    """For each input, whether it has a form of its own, as weights do."""
    return tuple([own_form for _, _, own_form, _ in operation.about["inputs"]])


def _forms_of(operation, type, shape, values):
    """(shape, type) of every result."""
    grey = shape[:2] if operation.about["takes_colour"] else shape
    return [(operation.result_shape(o, shape, values), operation.result_type(o, type, grey, values))
            for o in range(_count_of_results(operation))]


_kept_results = functools.lru_cache(maxsize=1024)(_forms_of)


def _forms_of_results(operation, type, shape, values):
    try:
        return _kept_results(operation, type, shape, values)
    except TypeError:  # lists among the values are not hashable
        return _forms_of(operation, type, shape, values)


def _given(out):
    return () if out is None else out if isinstance(out, tuple) else (out,)


def _result(outs, table):
    return outs[0] if len(outs) == 1 else outs or table


def _described(interface, writable=False):
    """(address, type, shape, strides in bytes) of a `__cuda_array_interface__`."""
    address, read_only = interface["data"]
    if writable and read_only:
        raise ValueError("out: the array is read-only")
    if interface.get("mask") is not None:
        raise TypeError("an array with a mask is not supported")
    type = np.dtype(interface["typestr"])
    if not type.isnative:
        raise TypeError("an array whose bytes are swapped is not supported on a GPU")
    shape = tuple(interface["shape"])
    strides = interface.get("strides") or contiguous(shape, type.itemsize)
    return address or 0, type, shape, tuple(strides)


def tensor_of(array, stream=None):
    """The array's DLPack tensor, ready for later work in the stream; the host has no stream."""
    try:
        capsule = array.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # DLPack before version 1
        capsule = array.__dlpack__(stream=stream)
    return _macareu.taken_tensor(capsule)


def _has_dlpack_on_gpu(array):
    return hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] in GPU_DEVICES


def _with_weights(operation, images):
    """Inputs with a form of their own, such as weights, may be on the host as contiguous NumPy arrays."""
    def straight(one):
        array = np.asarray(one)
        return np.ascontiguousarray(array, array.dtype.newbyteorder("="))

    return [straight(one) if own_form and isinstance(one, (np.ndarray, list, tuple)) else one
            for one, own_form in zip(images, _forms_of_inputs(operation))]


def _check_places(operation, images, outs):
    images = [one for one, own_form in zip(images, _forms_of_inputs(operation))
              if not (isinstance(one, np.ndarray) and (own_form or one.size == 0))]
    for name, arrays in (("an image", images), ("out", outs)):
        for array in arrays:
            if not hasattr(array, "__cuda_array_interface__") and not _has_dlpack_on_gpu(array):
                raise TypeError(f"{name} is {type_name(array)}, which is not on an NVIDIA GPU: images must share a device")


def _gpu_of(array):
    if _has_dlpack_on_gpu(array):
        return array.__dlpack_device__()[1]
    return _macareu.gpu_beside(array.__cuda_array_interface__["data"][0] or 0)


class OnGpu:
    """Arrays of any package. A stream of our own waits for the streams on which the arrays are ready. Their
    packages cannot wait for it, so a call returns when all work is done. Results are in our memory, and
    handed to the first array's package if it accepts them."""

    @classmethod
    def run(cls, operation, images, values, out, device, strategy, threads, progress):
        images, outs = _with_weights(operation, images), _given(out)
        _check_places(operation, images, outs)
        gpu = _gpu_of(images[0])
        stream = cls.stream(images[0], gpu)
        kept = []  # keeps memory of others alive during the call

        def taken(array, writable=False):
            if isinstance(array, np.ndarray):
                return array.__array_interface__["data"][0], array.dtype, array.shape, array.strides
            if writable and is_jax(array):
                raise ValueError("out: an array of JAX is read-only")
            interface = getattr(array, "__cuda_array_interface__", None)
            if interface is not None and ("stream" in interface or not hasattr(array, "__dlpack__")):
                ready_on = interface.get("stream")
                if ready_on not in (None, stream or _DEFAULT_STREAM):
                    _macareu.follow(gpu, stream, ready_on)
                return _described(interface, writable)
            tensor = tensor_of(array, stream or _DEFAULT_STREAM)
            kept.append(tensor)
            if writable and not tensor.writable:
                raise ValueError("out: the array is read-only, or shared as a copy")
            return tensor.described

        try:
            inputs = tuple([taken(one) for one in images])
            _, type, shape, _ = inputs[0]
            made = not outs
            if made:
                outs = tuple([cls.empty(images[0], *one, gpu, stream)
                              for one in _forms_of_results(operation, type, shape, values)])
            rooms = tuple([one._described if isinstance(one, DeviceArray) else taken(one, writable=True)
                           for one in outs])
            table = operation.run_described(inputs, values, rooms, device, strategy, threads, progress, stream, True)
        except BaseException:
            _macareu.finish(gpu, stream)  # pending work may use memory that is released now
            raise
        if made:
            outs = tuple([cls.handed_over(images[0], one) for one in outs])
        return _result(outs, table)

    @staticmethod
    def stream(like, gpu):
        return _macareu.own_stream(gpu)

    @staticmethod
    def empty(like, shape, type, gpu, stream):
        return DeviceArray(shape, type, gpu, stream)

    @staticmethod
    def handed_over(like, result):
        """Converts to the package of `like`. Stays a DeviceArray if the package does not accept it or its
        type."""
        if package_of(like) == "numba":
            return sys.modules["numba"].cuda.as_cuda_array(result)
        take = way_into(like, "from_dlpack")
        if take is None:
            return result
        try:
            return take(result)
        except (BufferError, TypeError, RuntimeError):
            return result


class _InStreamOrder(OnGpu):
    """Arrays of a package that orders all work by a current stream, so calls need not wait."""

    @staticmethod
    def handed_over(like, result):
        return result


class CuPy(_InStreamOrder):
    """Uses CuPy's attributes, because it rebuilds `__cuda_array_interface__` on every access."""

    @classmethod
    def run(cls, operation, images, values, out, device, strategy, threads, progress):
        cupy = sys.modules["cupy"]
        outs = _given(out)
        for array in (*images, *outs):
            if type(array) is not cupy.ndarray:
                return super().run(operation, images, values, out, device, strategy, threads, progress)
        first = images[0]
        outs = outs or tuple([cls.empty(first, *one)
                              for one in _forms_of_results(operation, first.dtype, first.shape, values)])
        table = operation.run_described(images, values, outs, device, strategy, threads, progress,
                                        cls.stream(first, first.data.device_id), False)
        return _result(outs, table)

    @staticmethod
    def empty(like, shape, type, *_):
        cupy = sys.modules["cupy"]
        if cupy.cuda.runtime.getDevice() == like.data.device_id:
            return cupy.ndarray(shape, type)
        with like.device:
            return cupy.ndarray(shape, type)

    @staticmethod
    def stream(like, gpu):
        return sys.modules["cupy"].cuda.get_current_stream(gpu).ptr


class PyTorch(_InStreamOrder):
    @classmethod
    def run(cls, operation, images, values, out, device, strategy, threads, progress):
        tensor = sys.modules["torch"].Tensor
        outs = _given(out)
        for array in (*images, *outs):
            if not isinstance(array, tensor) or not array.is_cuda:
                return super().run(operation, images, values, out, device, strategy, threads, progress)
        first = images[0]
        inputs = tuple([_described(one.__cuda_array_interface__) for one in images])
        _, type, shape, _ = inputs[0]
        outs = outs or tuple([cls.empty(first, *one)
                              for one in _forms_of_results(operation, type, shape, values)])
        rooms = tuple([_described(one.__cuda_array_interface__, writable=True) for one in outs])
        table = operation.run_described(inputs, values, rooms, device, strategy, threads, progress,
                                        cls.stream(first, None), False)
        return _result(outs, table)

    @staticmethod
    def empty(like, shape, type, *_):
        torch = sys.modules["torch"]
        if not hasattr(torch, type.name):
            raise TypeError(f"PyTorch has no {type.name}, the type of the result")
        return torch.empty(shape, dtype=getattr(torch, type.name), device=like.device)

    @staticmethod
    def stream(like, gpu):
        return sys.modules["torch"].cuda.current_stream(like.device).cuda_stream


_KINDS = {"cupy": CuPy, "torch": PyTorch}


def kind_on_gpu(array):
    return _KINDS.get(package_of(array), OnGpu)


def _bridge():
    for name in _KINDS:
        try:
            return importlib.import_module(name)
        except ImportError:
            pass
    return None


def bridged(array):
    """An array of another package as one of CuPy or PyTorch, for functions that need more than the
    library."""
    package = _bridge()
    if package is None:
        raise NotImplementedError(f"{type_name(array)}: this function needs CuPy or PyTorch for such GPU arrays")
    if hasattr(array, "__dlpack__"):
        return package.from_dlpack(array)
    if package.__name__ == "cupy":
        return package.asarray(array)
    gpu, ready_on = _gpu_of(array), array.__cuda_array_interface__.get("stream")
    if ready_on is not None:  # PyTorch ignores it
        _macareu.follow(gpu, package.cuda.current_stream(gpu).cuda_stream, ready_on)
    return package.as_tensor(array, device=f"cuda:{gpu}")


def finish_bridged(array):
    """Waits for work on such an array, because its package does not know the stream."""
    package, gpu = _bridge(), _gpu_of(array)
    stream = package.cuda.get_current_stream(gpu) if package.__name__ == "cupy" else package.cuda.current_stream(gpu)
    stream.synchronize()
