"""What the functions under other packages' names share."""

import functools
import threading

import numpy as np

from . import _macareu
from ._arrays import package_of


def spatial(array, name="image"):
    """As an image or a volume: one axis becomes one row."""
    if array.ndim == 1:
        return array.reshape(1, -1)
    if array.ndim not in (2, 3):
        raise NotImplementedError(f"{name}: arrays of {array.ndim} axes are not supported, only of 1 to 3")
    return array


def as_array(array):
    """Of NumPy; CuPy's as it is, because what is in a GPU's memory stays there."""
    return array if package_of(array) == "cupy" else np.asarray(array)


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


def as_float64(array):
    """The image or volume, or a copy that several threads write: most of the time goes into its new memory."""
    if array.dtype == np.float64:
        return array
    if not isinstance(array, np.ndarray):
        return array.astype(np.float64)
    result = _macareu.new_f64(array.shape)
    count = _threads() if array.size >= 2**18 else 1
    parts = list(zip(np.array_split(result, count), np.array_split(array, count)))
    others = [threading.Thread(target=np.copyto, args=part) for part in parts[1:]]
    for other in others:
        other.start()
    np.copyto(*parts[0])
    for other in others:
        other.join()
    return result


@functools.lru_cache(maxsize=None)
def _threads():
    return _macareu.machine()["threads"]
