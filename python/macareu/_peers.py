"""Shared code of the functions under other packages' names."""

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
    """Makes a function on arrays of NumPy, CuPy and PyTorch accept those of other packages, without a copy.
    The result is of the first one's package."""
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*given, **named):
        others = {}  # the caller's arrays, by id of their replacement
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


_USUAL = (np.ndarray, int, float, str, list, tuple, type, type(None))  # common, need no conversion


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
    """Accepts a parameter by its old name too, as the peers do."""
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
    """A NumPy array; arrays in GPU memory stay as they are."""
    return array if _arrays.on_gpu(array) else np.asarray(array)


def is_array(given):
    """Whether it is an array for results, rather than a type or None."""
    return isinstance(given, np.ndarray) or _arrays.on_gpu(given)


def on_host(array, name="image"):
    """A NumPy array, for code that needs more than the library."""
    if _arrays.on_gpu(array):
        raise NotImplementedError(f"{name}: this function does not support GPU arrays, or not with these "
                                  "arguments")
    return np.asarray(array)


def not_empty(array, name="image"):
    """Refuses empty arrays, as the peers do."""
    if 0 in array.shape:
        raise ValueError(f"{name}: has no pixels")
    return array


def type_of(array):
    """The type as a NumPy dtype; PyTorch has its own types."""
    return array.dtype if isinstance(array.dtype, np.dtype) else np.dtype(str(array.dtype).rpartition(".")[2])


def check_pixels(array, name):
    """Checks that the library supports the pixel type."""
    type = type_of(array)
    if type.kind not in "biuf" or type.itemsize > 8 or type == np.float16:
        raise NotImplementedError(f"{name}: pixels of type {type} are not supported")


def cast(array, type):
    """Converts the pixel type; returns the array itself if it has this type."""
    if type_of(array) == type:
        return array
    if package_of(array) == "torch":
        return array.to(_type_of_torch(type))
    return array.astype(type)


def copied(array, type):
    """A copy, never the array itself."""
    if package_of(array) == "torch":
        return array.to(_type_of_torch(type), copy=True)
    return array.astype(type)


def viewed(array, type):
    """The same memory as pixels of another type of equal size."""
    return array.view(_type_of_torch(type) if package_of(array) == "torch" else type)


def _type_of_torch(type):
    return getattr(sys.modules["torch"], np.dtype(type).name)


def spatial(array, name="image"):
    """As an image or a volume; one axis becomes one row."""
    if array.ndim == 1:
        return array.reshape(1, -1)
    if array.ndim not in (2, 3):
        raise NotImplementedError(f"{name}: arrays of {array.ndim} axes are not supported, only of 1 to 3")
    return array


def with_axes(array):
    """A zero-dimensional array as a row of one pixel."""
    return array.reshape(1) if array.ndim == 0 else array


def structure_of(axes, reach):
    """The neighbours whose coordinates differ by one in at most `reach` axes, as an array of 3 x 3 (x 3)."""
    return np.abs(np.indices((3,) * axes) - 1).sum(axis=0) <= reach


def reach_of(structure, axes, name):
    """The number of axes in which neighbours may differ; the centre is ignored."""
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
    """Refuses unsupported arguments by name. The values are (given, the only one supported)."""
    for name, (given, served) in unsupported.items():
        same = given is served or (np.ndim(served) == 0 and np.all(np.equal(given, served)))
        if not same:
            raise NotImplementedError(f"{name}: only {served!r} is supported")


def border_of(mode):
    """Maps SciPy's aliases of border modes."""
    known = {"grid-constant": "constant", "grid-mirror": "reflect", "grid-wrap": "wrap"}
    if not isinstance(mode, str):
        raise NotImplementedError(f"mode: only one for all axes is supported, got {mode!r}")
    mode = known.get(mode, mode)
    if mode not in ("constant", "nearest", "reflect", "mirror", "wrap"):
        raise RuntimeError("boundary mode not supported")
    return mode


def small_labels(labels):
    """Labels small enough for a table, and their original values, or None if unchanged."""
    most = min(2**32, 4 * labels.size + 2**20)
    if not labels.size or labels.max() < most:
        return labels, None
    names, numbers = np.unique(np.maximum(labels, 0), return_inverse=True)
    first = 0 if names[0] == 0 else 1  # label 0 is unchanged
    names = np.concatenate((np.zeros(first, names.dtype), names))
    return (numbers + first).reshape(labels.shape).astype(np.uint32), names


def in_threads(work, pieces):
    """Calls work(*piece) for every piece on several threads. NumPy's functions release the GIL."""
    waiting, failures = list(reversed(pieces)), []

    def take_all():
        while waiting and not failures:
            try:
                piece = waiting.pop()
            except IndexError:  # another thread took the last piece
                return
            try:
                work(*piece)
            except BaseException as failure:  # raised again when all threads are done
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
    """As float64: the array itself, or a copy."""
    if type_of(array) == np.float64 or not isinstance(array, np.ndarray):
        return cast(array, np.float64)
    return made_float64(array, np.copyto)


def made_float64(array, convert):
    """The result of convert(to, array), by several threads, because page faults of the new memory
    dominate."""
    new = _macareu.new_array if array.ndim in (2, 3) else lambda type, shape: np.empty(shape, type)
    result = new(np.dtype(np.float64), array.shape)
    count = _threads() if array.size >= 2**18 and array.ndim else 1
    pieces = [(result, array)] if count == 1 else list(zip(np.array_split(result, count), np.array_split(array, count)))
    in_threads(convert, pieces)
    return result


@functools.lru_cache(maxsize=None)
def _threads():
    return _macareu.machine()["threads"]
