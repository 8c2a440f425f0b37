"""What the functions under other packages' names share."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import warnings
from typing import Any, Callable, TypeVar

import numpy as np

from . import _arrays, _gpu_arrays, _macareu
from ._packages import package_of

_Function = TypeVar("_Function", bound=Callable[..., Any])


def drop_in(function: _Function) -> _Function:
    """Lets a function on arrays of NumPy, CuPy and PyTorch take those of other packages, without a copy; what it gives is
    of the first one's package."""
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*given, **named):
        others = {}  # what the caller gave, by the array that stands for it
        taken = [_taken(one, others) for one in given]
        called = {name: _taken(one, others) for name, one in named.items()}
        try:
            result = function(*taken, **called)
        finally:
            for one in others.values():
                if _arrays.is_foreign(one):
                    _gpu_arrays.finish_bridged(one)
        return _handed_back(result, given[0] if given else named.get(first), others) if others else result
    return call  # type: ignore[return-value]


_USUAL = (np.ndarray, int, float, str, list, tuple, type, type(None))  # of no other package, as most arguments are


def _taken(one, others):
    if isinstance(one, _USUAL):
        return one
    kind = _arrays.kind_of((one,))
    if kind is _arrays.OnHost:
        array = _arrays.as_numpy(one)
    elif kind is _gpu_arrays.OnGpu:
        array = _gpu_arrays.bridged(one)
    else:
        return one
    others[id(array)] = one
    return array


def _handed_back(result, first, others):
    if isinstance(result, (tuple, list)):
        return type(result)(_handed_back(one, first, others) for one in result)
    if isinstance(result, dict):
        return {name: _handed_back(one, first, others) for name, one in result.items()}
    if id(result) in others:
        return others[id(result)]
    return _arrays.like(first, result)


def renamed(old: str, new: str) -> Callable[[_Function], _Function]:
    """Lets a function take a parameter by its old name too, as the peers do."""
    def decorate(function):
        @functools.wraps(function)
        def call(*given, **named):
            if old in named:
                warnings.warn(f"`{old}` is a deprecated argument name for `{function.__name__}`. Please use `{new}` "
                              "instead.", FutureWarning, stacklevel=2)
                named[new] = named.pop(old)
            return function(*given, **named)
        return call
    return decorate


def as_array(array):
    """Of NumPy; what is in a GPU's memory stays there, as it is."""
    return array if _arrays.on_gpu(array) else np.asarray(array)


def is_array(given):
    """Whether results can be written to it; else it is a type, or nothing."""
    return isinstance(given, np.ndarray) or _arrays.on_gpu(given)


def on_host(array, name="image"):
    """Of NumPy. For what needs more than a call of the library."""
    if _arrays.on_gpu(array):
        raise NotImplementedError(f"{name}: an array on a GPU is not supported by this function, or not with these "
                                  "arguments")
    return np.asarray(array)


def not_empty(array, name="image"):
    """For what the peers refuse where there are no pixels."""
    if 0 in array.shape:
        raise ValueError(f"{name}: has no pixels")
    return array


def type_of(array):
    """As NumPy's; PyTorch has types of its own."""
    return array.dtype if isinstance(array.dtype, np.dtype) else np.dtype(str(array.dtype).rpartition(".")[2])


def check_pixels(array, name):
    """That they are of a type that the library has."""
    type = type_of(array)
    if type.kind not in "biuf" or type.itemsize > 8 or type == np.float16:
        raise NotImplementedError(f"{name}: pixels of type {type} are not supported")


def cast(array, type):
    """The array itself where it has this type."""
    if type_of(array) == type:
        return array
    if package_of(array) == "torch":
        return array.to(_type_of_torch(type))
    return array.astype(type)


def copied(array, type):
    """Never the array itself."""
    if package_of(array) == "torch":
        return array.to(_type_of_torch(type), copy=True)
    return array.astype(type)


def viewed(array, type):
    """The same memory as pixels of another type of that size."""
    return array.view(_type_of_torch(type) if package_of(array) == "torch" else type)


def _type_of_torch(type):
    return getattr(sys.modules["torch"], np.dtype(type).name)


def spatial(array, name="image"):
    """As an image or a volume: one axis becomes one row."""
    if array.ndim == 1:
        return array.reshape(1, -1)
    if array.ndim not in (2, 3):
        raise NotImplementedError(f"{name}: arrays of {array.ndim} axes are not supported, only of 1 to 3")
    return array


def with_axes(array):
    """A pixel without axes as a row of one."""
    return array.reshape(1) if array.ndim == 0 else array


def structure_of(axes, reach):
    """The neighbours whose coordinates differ by one in at most `reach` places, as an array of 3 x 3 (x 3)."""
    return np.abs(np.indices((3,) * axes) - 1).sum(axis=0) <= reach


def reach_of(structure, axes, name):
    """How many coordinates may differ by one between neighbours; the centre does not count."""
    structure = np.array(structure, dtype=bool)
    if structure.ndim == axes and all(size in (1, 3) for size in structure.shape):
        structure = np.pad(structure, [(0, 0) if size == 3 else (1, 1) for size in structure.shape])
        structure[(1,) * axes] = True
        for reach in range(1, axes + 1):
            if np.array_equal(structure, structure_of(axes, reach)):
                return reach
    raise NotImplementedError(f"{name}: only neighbourhoods of 3 x 3 (x 3) pixels that are alike in all directions "
                              "are supported (scipy.ndimage.generate_binary_structure)")


def connectivity_of(reach, axes):
    return "full" if reach >= axes else ("face", "edge")[reach - 1]


def refuse(**unsupported):
    """Names what was asked for and is not served; the values are (given, the only one served)."""
    for name, (given, served) in unsupported.items():
        same = given is served or (np.ndim(served) == 0 and np.all(np.equal(given, served)))
        if not same:
            raise NotImplementedError(f"{name}: only {served!r} is supported")


def border_of(mode):
    """SciPy has two names for some of them."""
    known = {"grid-constant": "constant", "grid-mirror": "reflect", "grid-wrap": "wrap"}
    if not isinstance(mode, str):
        raise NotImplementedError(f"mode: only one for all axes is supported, got {mode!r}")
    mode = known.get(mode, mode)
    if mode not in ("constant", "nearest", "reflect", "mirror", "wrap"):
        raise RuntimeError("boundary mode not supported")
    return mode


def small_labels(labels):
    """Labels that a table has room for, and what they were called: None where that has not changed."""
    most = min(2**32, 4 * labels.size + 2**20)
    if not labels.size or labels.max() < most:
        return labels, None
    names, numbers = np.unique(np.maximum(labels, 0), return_inverse=True)
    first = 0 if names[0] == 0 else 1  # 0 stays 0
    names = np.concatenate((np.zeros(first, names.dtype), names))
    return (numbers + first).reshape(labels.shape).astype(np.uint32), names


def in_threads(work, pieces):
    """work(*piece) of every piece. NumPy's functions let other threads run meanwhile."""
    waiting, failures = list(reversed(pieces)), []

    def take_all():
        while waiting and not failures:
            try:
                piece = waiting.pop()
            except IndexError:  # another thread took the last
                return
            try:
                work(*piece)
            except BaseException as failure:  # raised where all are done
                failures.append(failure)

    others = [threading.Thread(target=take_all) for _ in range(min(_threads(), len(pieces)) - 1)]
    for other in others:
        other.start()
    take_all()
    for other in others:
        other.join()
    if failures:
        raise failures[0]


def as_float64(array):
    """The array, or a copy."""
    if type_of(array) == np.float64 or not isinstance(array, np.ndarray):
        return cast(array, np.float64)
    return made_float64(array, np.copyto)


def made_float64(array, convert):
    """What convert(to, array) writes; by several threads: most of the time goes into its new memory."""
    new = _macareu.new_array if array.ndim in (2, 3) else lambda type, shape: np.empty(shape, type)
    result = new(np.dtype(np.float64), array.shape)
    count = _threads() if array.size >= 2**18 and array.ndim else 1
    pieces = [(result, array)] if count == 1 else list(zip(np.array_split(result, count), np.array_split(array, count)))
    in_threads(convert, pieces)
    return result


@functools.lru_cache(maxsize=None)
def _threads():
    return _macareu.machine()["threads"]
