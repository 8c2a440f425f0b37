"""As scipy.ndimage: labels, and statistics of objects."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _macareu, _peers
from ._arguments import connectivity


@_peers.drop_in
def label(input, structure=None, output=None) -> tuple[NDArray[Any], int] | int:
    """As scipy.ndimage.label: (labels, number of objects), or the number alone where output is an array."""
    image = _peers.as_array(input)
    if _peers.type_of(image).kind == "c":
        raise TypeError("Complex type not supported")
    if structure is not None:
        structure = np.asarray(structure, dtype=bool)
        if structure.ndim != image.ndim:
            raise RuntimeError("structure and input must have equal rank")
        if any(size != 3 for size in structure.shape):
            raise ValueError("structure dimensions must be equal to 3")
    into = _peers.is_array(output)
    if into and tuple(output.shape) != tuple(image.shape):
        raise ValueError("output shape not correct")
    wanted = None if output is None else _peers.type_of(output) if into else np.dtype(output)
    if wanted is not None:
        _check_type_of_labels(wanted)
    labels, count = _labels(image, structure)
    if wanted is None:
        return labels, count
    if wanted.kind in "iu" and count > np.iinfo(wanted).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    if not into:
        return _peers.cast(labels, wanted), count
    output[...] = labels
    return count


def _check_type_of_labels(type):
    if type.kind not in "biuf" or type.itemsize > 8 or type == np.float16:
        raise TypeError(f"output: {type} is not supported")
    if not type.isnative:
        raise ValueError(f"output: {type} has swapped bytes")


def _labels(image, structure):
    """Signed labels: int32, or int64 if the image has too many pixels."""
    pixels = int(np.prod(image.shape))
    wide = pixels >= 2**31 - 2
    if pixels == 0 or image.ndim == 0:
        labels = _peers.cast(_peers.as_array(image != 0), np.int32)  # NumPy returns scalars for 0 axes
        return labels, int(labels.sum())
    labels = macareu.label(_peers.spatial(image, "input"), connectivity=connectivity(structure, image.ndim),
                           type="u64" if wide else "u32").reshape(image.shape)
    labels = _peers.viewed(labels, np.int64 if wide else np.int32)
    return labels, int(labels.max())


@_peers.drop_in
def histogram(input, min, max, bins, labels=None, index=None) -> NDArray[Any]:
    """As scipy.ndimage.histogram."""
    image, bins = _peers.on_host(input, "input"), operator.index(bins)
    for name, end in (("min", min), ("max", max)):
        if not np.isfinite(end):
            raise NotImplementedError(f"{name}: only finite numbers are supported, got {end}")
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return _counts(image, min, max, bins)
    try:
        image, labels = np.broadcast_arrays(image, _peers.on_host(labels, "labels"))
    except ValueError as failure:
        raise ValueError("input and labels must have the same shape (excepting dimensions with width 1)") from failure
    if index is None:
        return _counts(image[labels > 0], min, max, bins)
    if labels.dtype.kind in "SU":
        raise TypeError("labels: strings are not supported")
    wanted = np.atleast_1d(index)
    if np.any(wanted.astype(labels.dtype).astype(wanted.dtype) != wanted):
        raise ValueError(f"Cannot convert index values from <{wanted.dtype}> to <{labels.dtype}> (labels' type) without "
                         "loss of precision")
    if not wanted.size:
        raise ValueError("index: is empty")
    found = np.full(wanted.shape, None, object)
    names, rows = np.unique(wanted.astype(labels.dtype), return_inverse=True)
    edges = np.linspace(min, max, bins + 1)
    count = _counts_of_small_labels if _countable(image, labels, names, edges) else _counts_of_groups
    pixels, table = count(image, labels, names, edges)
    for place, row in zip(np.ndindex(wanted.shape), rows.ravel()):
        if pixels[row]:
            found[place] = table[row].copy()
    return found[0] if np.isscalar(index) else found


def _countable(image, labels, names, edges):
    """Whether the library can count them: labels fit a table, and bins have a width."""
    numbers = labels.dtype.kind in "biu" and names[0] >= 0 and names[-1] < min(labels.size + 2**20, 2**31)
    pixels = image.size > 0 and image.dtype.kind in "biuf" and image.dtype.itemsize <= 8 and image.dtype != np.float16
    if not (numbers and pixels and 1 < edges.size <= 2**24 and np.isfinite(edges).all()):
        return False
    width = (edges[-1] - edges[0]) / (edges.size - 1)
    return bool(edges[0] + width > edges[0] and edges[-1] - width < edges[-1])


def _counts_of_small_labels(image, labels, names, edges):
    """As _counts_of_groups."""
    exact = np.dtype(np.float32 if image.dtype.itemsize <= 2 else np.float64)
    image = image if image.dtype in (np.uint8, np.float32) else _peers.cast(image, exact)
    if labels.dtype.itemsize > 4:  # to numbers of u32 that no label has
        labels = np.clip(labels, *np.array([-(labels.dtype.kind == "i"), names[-1] + 1], labels.dtype))
    labels = labels.view(np.uint32) if labels.dtype == np.int32 else _peers.cast(labels, np.dtype(np.uint32))
    given = (names.astype(np.int64).tolist(), edges.size - 1, float(edges[0]), float(edges[-1]))
    operation = _macareu.hidden_operations["label_histograms"]
    table = operation.run((_any_shape(image), _any_shape(labels)), given, None, "auto", "auto", 0, None)
    counts = table["count"].astype(np.int64).reshape(names.size, edges.size)
    return counts[:, 0], counts[:, 1:]


def _counts_of_groups(image, labels, names, edges):
    """The number of pixels of each label in `names`, which are sorted, and for each label a histogram."""
    image, labels = image.ravel(), labels.ravel()
    bins = max(edges.size - 1, 0)
    rows = np.minimum(np.searchsorted(names, labels), names.size - 1)
    wanted = names[rows] == labels
    rows, image = rows[wanted], image[wanted]
    if rows.size and bins and edges[0] > edges[-1]:
        raise ValueError("`bins` must increase monotonically, when an array")
    pixels = np.bincount(rows, minlength=names.size)
    if not bins:
        return pixels, np.zeros((names.size, 0), np.int64)
    inside = (image >= edges[:1]) & (image <= edges[-1:])  # as arrays: NumPy would round scalars
    columns = np.minimum(np.searchsorted(edges, image[inside], side="right"), bins) - 1
    return pixels, np.bincount(rows[inside] * bins + columns, minlength=names.size * bins).reshape(names.size, bins)


def _counts(image, low, high, bins):
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    # Without a bin width, the last bin counts the values on its edge.
    if low == high or bins < 1 or not image.size or image.dtype.itemsize > 8:
        return np.histogram(image, np.linspace(low, high, bins + 1))[0]
    return macareu.histogram(_any_shape(image), bins=bins, low=low, high=high)["count"].astype(np.int64)


@_peers.drop_in
def minimum(input, labels=None, index=None) -> np.generic | NDArray[Any]:
    """As scipy.ndimage.minimum."""
    return _extreme("min", input, labels, index)


@_peers.drop_in
def maximum(input, labels=None, index=None) -> np.generic | NDArray[Any]:
    """As scipy.ndimage.maximum."""
    return _extreme("max", input, labels, index)


@_peers.drop_in
def sum_labels(input, labels=None, index=None) -> np.generic | NDArray[Any]:
    """As scipy.ndimage.sum_labels."""
    image = _pixels(input)
    if labels is None or index is None or np.isscalar(index):
        return _chosen(image, labels, index).sum()
    return _of_groups("sum", image, labels, index)


def _extreme(which, input, labels, index):
    image = _pixels(input)
    if labels is None or index is None or np.isscalar(index):
        return getattr(_chosen(image, labels, index), which)()
    return _of_groups(which, image, labels, index).astype(image.dtype)


def _pixels(input):
    image = _peers.on_host(input, "input")
    if image.dtype.kind not in "biuf":
        raise NotImplementedError(f"input: pixels of type {image.dtype} are not supported")
    return image


def _any_shape(array):
    """As an image or a volume, for operations independent of position."""
    return array if array.ndim in (2, 3) else array.reshape(1, -1)


def _chosen(image, labels, index):
    """All pixels that `index` selects, as one group."""
    if labels is None:
        return image
    image, labels = np.broadcast_arrays(image, _peers.on_host(labels, "labels"))
    return image[labels > 0 if index is None else labels == index]


def _of_groups(which, image, labels, index):
    """The sum, min or max of the pixels of each label in `index`; 0 for labels without pixels."""
    image, labels = np.broadcast_arrays(image, _peers.on_host(labels, "labels"))
    index = np.asarray(index)
    small = labels.dtype.kind in "biu" and labels.dtype != np.uint64
    if small and labels.min() >= 0 and labels.max() <= labels.size:
        index = index.astype(np.int_)
    else:  # renumbered, as in SciPy
        if labels.dtype.kind in "SU" and index.dtype.kind != labels.dtype.kind:
            raise NotImplementedError(f"index: {index.dtype} is not supported for labels that are strings")
        names, labels = np.unique(labels, return_inverse=True)
        labels = labels.reshape(image.shape)
        numbers = np.searchsorted(names, index)
        numbers[numbers >= names.size] = 0
        index = np.where(names[numbers] == index, numbers, -1)
    values = _measured(which, image, labels, np.any(index == 0))
    return values[np.where((index >= 0) & (index < values.size - 1), index, values.size - 1)]


def _measured(which, image, labels, from_zero):
    """The values of all labels up to the largest, label 0 only on request, and a final 0."""
    # The library rounds sums relative to the largest one, which loses small float sums.
    if image.dtype.kind == "f" and (which == "sum" or image.dtype.itemsize not in (4, 8) or not np.isfinite(image).all()):
        return _measured_by_numpy(which, image, labels)
    values = np.zeros(int(labels.max(initial=0)) + 2)
    if not image.size:
        return values
    # Table rows start at label 1.
    rows = labels.astype(np.uint32) + np.uint32(1) if from_zero else labels
    table = macareu.measure(_any_shape(rows), _any_shape(image), columns="intensity")
    values[table["label"].astype(np.intp) - int(from_zero)] = table[f"intensity_{which}"]
    exact = image.dtype.kind == "f" or np.abs(values).max() < 2.0**53  # float64 is exact up to there
    return values if exact else _measured_by_numpy(which, image, labels)


def _measured_by_numpy(which, image, labels):
    """NumPy's path, as in SciPy: sums of floats, infinities, NaN, and integers beyond float64's precision."""
    labels = labels.ravel().astype(np.intp, copy=False)
    if which == "sum":
        return np.append(np.bincount(labels, weights=image.ravel()), 0)
    order = image.ravel().argsort()
    order = order[::-1] if which == "min" else order
    values = np.zeros(int(labels.max()) + 2, image.dtype)
    values[labels[order]] = image.ravel()[order]
    return values
