"""Image files that are read where they are sliced."""

from __future__ import annotations

import operator
import os
from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _macareu


class LazyImage:
    """An image in a file, as `macareu.open` gives it. Slices are NumPy arrays, read when they are taken. All functions
    of this package accept it; images that do not fit into memory are read in pieces."""

    def __init__(self, path: Union[str, os.PathLike[str]], level: int = 0) -> None:
        self.path = os.fspath(path)
        self._file = _macareu.file_image(self.path, level)
        #: sizes: (slices,) rows, columns (, colours)
        self.shape: Tuple[int, ...] = self._file.shape
        self.dtype: np.dtype[Any] = self._file.dtype
        #: size of a pixel along each axis, or None if the file does not have it
        self.spacing: Optional[Tuple[float, ...]] = self._file.spacing
        #: the box of pixels that is cheapest to read, or None if there is none
        self.chunks: Optional[Tuple[int, ...]] = self._file.chunks

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<macareu.LazyImage {self.path!r}: {self.shape} of {self.dtype}>"

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError(f"{self.path}: pixels of a file are always copied")
        return np.asarray(self[...], dtype)

    def __getitem__(self, key: Any) -> NDArray[Any]:
        index = _indices(key, self.shape)
        first = index[0]
        if isinstance(first, range) and len(first) > 1 and abs(first.step) > 1:  # what lies between is not read
            return np.stack([self._read([row, *index[1:]]) for row in first])
        return self._read(index)

    def _read(self, index):
        """`index`: an integer or a range for every axis."""
        spans = [each if isinstance(each, range) else range(each, each + 1) for each in index]
        lows = [min(span[0], span[-1]) if span else 0 for span in spans]
        sizes = [max(span[0], span[-1]) + 1 - low if span else 0 for span, low in zip(spans, lows)]
        axes = self.ndim - (self._file.channels > 1)
        pixels = self._file.read([0] * (3 - axes) + lows[:axes], [1] * (3 - axes) + sizes[:axes])
        lows[axes:] = [0] * (self.ndim - axes)  # colours are read together
        local = tuple(_slice(each, low) if isinstance(each, range) else each - low for each, low in zip(index, lows))
        return pixels[local]


def _slice(span, low):
    """The slice with these indices, counted from `low`."""
    end = span.stop - low
    return slice(span.start - low, end if end >= 0 else None, span.step) if span else slice(0, 0)


def _indices(key, shape):
    """An integer or a range for every axis, from a key as NumPy's basic slicing takes it."""
    keys = list(key) if isinstance(key, tuple) else [key]
    places = [i for i, each in enumerate(keys) if each is Ellipsis] or [len(keys)]
    keys[places[0]:places[0] + 1] = [slice(None)] * (len(shape) + (places[0] < len(keys)) - len(keys))
    if len(keys) != len(shape) or len(places) > 1:
        raise IndexError(f"an image with {len(shape)} axes cannot be sliced by {key!r}")
    index = []
    for axis, (each, size) in enumerate(zip(keys, shape)):
        if isinstance(each, slice):
            index.append(range(*each.indices(size)))
            continue
        try:
            at = operator.index(each)
        except TypeError:
            raise IndexError(f"images are sliced by integers, slices and ..., not by {each!r}") from None
        if not -size <= at < size:
            raise IndexError(f"index {at} is outside axis {axis} with size {size}")
        index.append(at % size)
    return index


def open(path: Union[str, os.PathLike[str]], level: int = 0) -> LazyImage:
    """Opens an image file, of which only slices are read.

    Files without random access (PNG, JPEG, gzip) are unpacked into the directory for temporary files.

    Parameters
    ----------
    path : str or path
        a file in a format of docs/reference/formats.md
    level : int
        of a pyramid, as slides, TIFF and OME-Zarr have them; 0 is the largest

    Returns
    -------
    LazyImage
        with shape, dtype, ndim, spacing and chunks

    Examples
    --------
    >>> import macareu, numpy, os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "image.npy")
    >>> numpy.save(path, numpy.arange(20).reshape(4, 5))
    >>> image = macareu.open(path)
    >>> image.shape, image[1:3, 2].tolist()
    ((4, 5), [7, 12])
    >>> folder.cleanup()
    """
    return LazyImage(path, level)
