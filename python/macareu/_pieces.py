"""Calls on images that need not fit into memory: files, numpy.memmap, and arrays of zarr, h5py and others that have a
shape, a type and slices."""

import functools
import os
import re

import numpy as np

from . import _macareu
from ._arrays import as_numpy, like
from ._lazy_image import LazyImage
from ._packages import type_name


def is_lazy(image):
    """Whether an image is read where it is sliced."""
    if isinstance(image, (np.ndarray, np.generic)):
        return isinstance(image, np.memmap)
    if hasattr(image, "__dlpack__") or hasattr(image, "__cuda_array_interface__"):
        return False
    return hasattr(image, "shape") and hasattr(image, "dtype") and hasattr(image, "__getitem__")


def is_lazy_place(out):
    """Whether a result goes to a file, or where it is assigned to slices because it has no address."""
    places = out if isinstance(out, tuple) else (out,)
    return any(isinstance(place, (str, os.PathLike)) or not isinstance(place, np.ndarray) and is_lazy(place)
               for place in places)


def _bytes(memory):
    """0 if it is not given, as in the library."""
    if memory is None:
        return 0
    size = re.fullmatch("([0-9]+)([KMGT]?)", str(memory))
    count = int(size[1]) << 10 * " KMGT".index(size[2] or " ") if size else 0
    if not 0 < count < 2**63:
        raise ValueError(f"memory: expected a size such as '4G', '500M' or a number of bytes, got {memory!r}")
    return count


def _sizes(pieces):
    """Slices, rows and columns; 0 if they are not given, as in the library."""
    if pieces is None:
        return [0, 0, 0]
    sizes = list(pieces) if isinstance(pieces, (tuple, list)) else []
    if len(sizes) not in (2, 3) or not all(isinstance(size, (int, np.integer)) and size > 0 for size in sizes):
        raise ValueError(f"pieces: expected (rows, columns) or (slices, rows, columns), got {pieces!r}")
    return [0] * (3 - len(sizes)) + sizes


def _directory(scratch, places):
    """The directory of work files. Beside the output they can become it by a rename."""
    if scratch is not None:
        if not os.path.isdir(scratch):
            raise FileNotFoundError(f"scratch: there is no directory {os.fspath(scratch)!r}")
        return os.fspath(scratch)
    files = [place for place in places if isinstance(place, str)]
    return os.path.dirname(files[0]) or "." if files else ""


def _in_memory(image):
    if not is_lazy(image):
        return image
    return np.asarray(image if isinstance(image, np.memmap) else image[(slice(None),) * len(image.shape)])


def _source(image):
    if isinstance(image, LazyImage):
        return image._file
    return image if is_lazy(image) else np.asarray(as_numpy(image))


def _place(out):
    """The name of a file, or what can be assigned to."""
    if out is None or isinstance(out, (str, os.PathLike)):
        return out if out is None else os.fspath(out)
    array = as_numpy(out)
    if isinstance(array, np.ndarray):
        if not array.flags.writeable:
            raise ValueError("out: the array is read-only")
        return array
    if not is_lazy(array) or not hasattr(array, "__setitem__"):
        raise TypeError(f"out: expected an array, or a file's name, not {type_name(out)}")
    if all(size > 0 for size in array.shape):  # an array that is read-only says so now, not in hours
        corner = (slice(0, 1),) * len(array.shape)
        array[corner] = array[corner]
    return array


def _are_one(place, image):
    """Whether two arrays may share pixels. Pieces of the result would replace what is still to be read."""
    if isinstance(place, np.ndarray) and isinstance(image, np.ndarray):
        files = [getattr(array, "filename", None) for array in (place, image)]
        return np.may_share_memory(place, image) or (files[0] is not None and files[0] == files[1])
    return place is image or (type(place) is type(image) and (place == image) is True)


def run(in_memory, operation, images, values, out, how, memory, pieces, scratch):
    """In pieces if that is asked for, or if the call does not fit into `memory`, as on the command line. Else
    in_memory(images) runs it."""
    limit, sizes = _bytes(memory), _sizes(pieces)
    sources = tuple(map(_source, images))
    colours = any(isinstance(image, LazyImage) and image._file.channels > 1 for image in images)
    if (pieces is None and not colours and not is_lazy_place(out)
            and operation.bytes_in_memory(sources, values) <= (limit or _macareu.default_memory())):
        return in_memory(tuple(map(_in_memory, images)))
    places = None if out is None else tuple(map(_place, out if isinstance(out, tuple) else (out,)))
    taken = list(sources)
    for place in places or ():
        if place is not None and any(_are_one(place, other) for other in taken):
            raise ValueError("out: shares pixels with an input or another output; in pieces it needs its own")
        taken.append(place)
    result = operation.run_pieces(sources, values, places, *how, limit, sizes, _directory(scratch, places or ()))
    if out is not None:
        return out
    if is_lazy(images[0]) or isinstance(result, dict):
        return result
    convert = functools.partial(like, images[0])
    return tuple(map(convert, result)) if isinstance(result, tuple) else convert(result)
