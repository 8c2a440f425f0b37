"""Arrays that are not NumPy's: the result is of the same kind, on the same device, and nothing is copied.

Memory of a GPU is described by `__cuda_array_interface__`, which CuPy, PyTorch, Numba and JAX have; what has DLPack
only goes through CuPy or PyTorch, whichever is there.
"""

import functools
import sys

import numpy as np


def _contiguous(shape, step):
    strides = []
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=None)
def _count_of_results(operation):
    """None of an operator that gives a table. Kept, because a description is made anew whenever it is asked for."""
    return len(operation.about["outputs"])


def _result_types(operation, type, shape, values):
    name = "bool" if type.kind == "b" else f"{type.kind}{8 * type.itemsize}"
    return [numpy_type(operation.result_type(o, name, shape, values)) for o in range(_count_of_results(operation))]


_kept_result_types = functools.lru_cache(maxsize=1024)(_result_types)


class _OnGpu:
    """Arrays with `__cuda_array_interface__`. A subclass knows how its package makes arrays, its stream, and whether
    calls wait for results: not where the package orders by that stream what is done with them."""

    waits = True

    @classmethod
    def described(cls, array, writable=False):
        """(address, type, shape, strides in bytes), and the stream that the array is ready on."""
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            raise TypeError(f"some images are on a GPU, but {'out' if writable else 'one'} is {type_name(array)}: "
                            "they must be of one kind")
        address, read_only = interface["data"]
        if writable and read_only:
            raise ValueError("out: the array is read-only")
        type = np.dtype(interface["typestr"])
        shape = tuple(interface["shape"])
        strides = interface.get("strides") or _contiguous(shape, type.itemsize)
        return (address or 0, type, shape, tuple(strides)), interface.get("stream")

    @staticmethod
    def empty(like, shape, type):
        raise TypeError(f"cannot make an array like {type_name(like)}: give out=")

    @staticmethod
    def stream(like, ready_on):
        return ready_on or 0

    @classmethod
    def run(cls, operation, images, values, out, device, strategy, threads, progress):
        inputs, streams = zip(*map(cls.described, images))
        _, type, shape, _ = inputs[0]
        outs = cls.given(operation, out) or cls.made(operation, images[0], type, shape, values)
        rooms = tuple([cls.described(one, writable=True)[0] for one in outs])
        table = operation.run_described(inputs, values, rooms, device, strategy, threads, progress,
                                        cls.stream(images[0], streams[0]), cls.waits)
        return cls.result(operation, outs, table)

    @staticmethod
    def given(operation, out):
        return () if out is None else (out,) if _count_of_results(operation) == 1 else tuple(out)

    @classmethod
    def made(cls, operation, like, type, shape, values):
        try:
            types = _kept_result_types(operation, type, shape, values)
        except TypeError:  # lists among the values are not kept
            types = _result_types(operation, type, shape, values)
        return tuple([cls.empty(like, shape, one) for one in types])

    @staticmethod
    def result(operation, outs, table):
        return outs[0] if _count_of_results(operation) == 1 else outs or table


class _CuPy(_OnGpu):
    """Asked for what it knows without `__cuda_array_interface__`, which it puts together anew every time."""

    waits = False

    @classmethod
    def run(cls, operation, images, values, out, device, strategy, threads, progress):
        cupy = sys.modules["cupy"]
        outs = cls.given(operation, out)
        for array in (*images, *outs):
            if type(array) is not cupy.ndarray:
                return super().run(operation, images, values, out, device, strategy, threads, progress)
        outs = outs or cls.made(operation, images[0], images[0].dtype, images[0].shape, values)
        table = operation.run_described(images, values, outs, device, strategy, threads, progress,
                                        cupy.cuda.get_current_stream().ptr, cls.waits)
        return cls.result(operation, outs, table)

    @staticmethod
    def empty(like, shape, type):
        cupy = sys.modules["cupy"]
        if cupy.cuda.runtime.getDevice() == like.data.device_id:
            return cupy.ndarray(shape, type)
        with like.device:
            return cupy.ndarray(shape, type)

    @staticmethod
    def current_stream(like):
        return sys.modules["cupy"].cuda.get_current_stream()

    @classmethod
    def stream(cls, like, ready_on):
        return cls.current_stream(like).ptr


class _Torch(_OnGpu):
    waits = False

    @staticmethod
    def empty(like, shape, type):
        torch = sys.modules["torch"]
        if not hasattr(torch, type.name):
            raise TypeError(f"PyTorch has no {type.name}, the type of the result")
        return torch.empty(shape, dtype=getattr(torch, type.name), device=like.device)

    @staticmethod
    def current_stream(like):
        return sys.modules["torch"].cuda.current_stream(like.device)

    @classmethod
    def stream(cls, like, ready_on):
        return cls.current_stream(like).cuda_stream


class _Numba(_OnGpu):
    @staticmethod
    def empty(like, shape, type):
        return sys.modules["numba"].cuda.device_array(shape, type)


class _Jax(_OnGpu):
    """Its arrays are never written to by others, so the result is CuPy's or PyTorch's, handed over by DLPack."""

    @staticmethod
    def run(operation, images, *how):
        return _Exchanged.run(operation, images, *how)


class _Exchanged:
    """What has DLPack only: taken over by CuPy or PyTorch, and handed back."""

    @staticmethod
    def run(operation, images, values, out, *how):
        bridge = _bridge()
        taken = tuple(map(bridge.from_dlpack, images))
        room = None if out is None else _each(bridge.from_dlpack, out)
        kind = kind_of(taken)
        result = kind.run(operation, taken, values, room, *how)
        kind.current_stream(taken[0]).synchronize()  # of which the arrays' own package knows nothing
        if out is not None:
            return out
        give_back = getattr(_package(images[0]), "from_dlpack", None)
        return result if give_back is None or isinstance(result, dict) else _each(give_back, result)


class _OnHost:
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
    """An array of NumPy as one of the package that the other array is of; booleans stay NumPy's where its DLPack has
    none."""
    if isinstance(array, np.ndarray):
        return result
    package = _package(array)
    give_back = getattr(package, "from_numpy", None) or getattr(package, "from_dlpack", None)
    if give_back is None or not isinstance(result, np.ndarray):
        return result
    try:
        return give_back(result)
    except BufferError:
        return result


def _bridge():
    for name in ("cupy", "torch"):
        try:
            return __import__(name)
        except ImportError:
            pass
    raise TypeError("arrays on a GPU that have DLPack only need CuPy or PyTorch")


def _each(of, one_or_more):
    return tuple(map(of, one_or_more)) if isinstance(one_or_more, tuple) else of(one_or_more)


def _package(array):
    namespace = getattr(array, "__array_namespace__", None)
    if namespace is not None:
        return namespace()
    return sys.modules.get(package_of(array))


def package_of(array):
    return type(array).__module__.partition(".")[0]


def type_name(array):
    return f"{type(array).__module__}.{type(array).__qualname__}"


@functools.lru_cache(maxsize=None)
def numpy_type(name):
    """u8 is uint8."""
    return np.dtype(name if name == "bool" else f"{name[0]}{int(name[1:]) // 8}")


_HOST_DEVICES = (1, 3)  # of DLPack: the CPU's memory, and pinned memory
_KINDS = {"cupy": _CuPy, "torch": _Torch, "numba": _Numba, "jaxlib": _Jax, "jax": _Jax}


def kind_of(images):
    """Who runs the call, or None: NumPy, and what it makes an array of."""
    cupy = sys.modules.get("cupy")
    if cupy is not None and type(images[0]) is getattr(cupy, "ndarray", None):
        return _CuPy
    for image in images:
        if isinstance(image, (np.ndarray, list, tuple)):
            continue
        package = package_of(image)
        if package == "cupy" or hasattr(image, "__cuda_array_interface__"):
            return _KINDS.get(package, _OnGpu)
        if hasattr(image, "__dlpack_device__"):
            return _OnHost if image.__dlpack_device__()[0] in _HOST_DEVICES else _Exchanged
    return None


def on_gpu(array):
    return not isinstance(array, np.ndarray) and kind_of((array,)) not in (None, _OnHost)
