"""As scipy.ndimage."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _macareu, _peers

__all__ = ["distance_transform_edt", "binary_fill_holes", "binary_propagation", "gaussian_filter", "histogram", "label",
           "maximum", "median_filter", "minimum", "sobel", "sum_labels"]


@_peers.drop_in
def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None) -> NDArray[Any] | tuple[NDArray[Any], ...] | None:
    """As scipy.ndimage.distance_transform_edt: distances are float64, indices int32."""
    _check_edt(distances, indices, return_distances, return_indices)
    image = _peers.as_array(input)
    if not isinstance(image, np.ndarray) and not return_indices and distances is None:
        return _distances_on_gpu(image, sampling)
    image = np.atleast_1d(_peers.on_host(image, "input")) != 0
    spacing = _spacing(sampling, image.ndim)
    _check_out(distances, "distances", image.shape, np.float64)
    _check_out(indices, "indices", (image.ndim, *image.shape), np.int32)
    flat = _peers.spatial(image, "input")
    steps = [1.0] * (flat.ndim - image.ndim) + [float(step) if step % 1 else int(step) for step in spacing]
    no_zero = image.size > 0 and image.all()
    results = []
    if return_distances:
        found = _no_zero_distances(image.shape, spacing) if no_zero else macareu.distance_transform(
            flat, spacing=steps, type="f64").reshape(image.shape)
        results += _handed_over(found, distances)
    if return_indices:
        found = _no_zero_indices(image.shape) if no_zero else _sites(flat, steps, image.shape)
        results += _handed_over(found, indices)
    return tuple(results) if len(results) > 1 else results[0] if results else None


def _distances_on_gpu(image, sampling):
    """Where no pixel is 0 they are infinite: to find that out would wait for the GPU."""
    steps = [1.0] * (2 - image.ndim) + _spacing(sampling, image.ndim)
    return macareu.distance_transform(_peers.spatial(image, "input"), spacing=steps, type="f64").reshape(image.shape)


def _spacing(sampling, axes):
    steps = [float(step) for step in _for_axes(1.0 if sampling is None else sampling, axes)]
    if not all(0 < step < np.inf for step in steps):
        raise NotImplementedError(f"sampling: only numbers above 0 are supported, got {sampling!r}")
    return steps


def _sites(flat, steps, shape):
    nearest = macareu.nearest_site(flat, spacing=steps)
    found = np.empty((len(shape), *shape), np.int32)
    for axis, index in enumerate(np.unravel_index(nearest.reshape(shape), shape)):
        found[axis] = index
    return found


def _no_zero_indices(shape):
    """Without any zero pixel SciPy measures to the place before the first."""
    found = np.zeros((len(shape), *shape), np.int32)
    found[0] = -1
    return found


def _no_zero_distances(shape, spacing):
    squares = 0.0
    for axis, indices in enumerate(np.ogrid[tuple(slice(size) for size in shape)]):
        squares = squares + ((indices + (axis == 0)) * spacing[axis]) ** 2
    return np.sqrt(squares)


def _check_edt(distances, indices, return_distances, return_indices):
    problems = []
    if not return_distances and not return_indices:
        problems.append("at least one of return_distances/return_indices must be True")
    if distances is not None and not return_distances:
        problems.append("return_distances must be True if distances is supplied")
    if indices is not None and not return_indices:
        problems.append("return_indices must be True if indices is supplied")
    if problems:
        raise RuntimeError(", ".join(problems))


def _check_out(array, name, shape, type):
    if array is None:
        return
    if array.shape != shape:
        raise RuntimeError(f"{name} array has wrong shape")
    if array.dtype != type:
        raise RuntimeError(f"{name} array must be {np.dtype(type).name}")


def _handed_over(found, out):
    """What is returned: nothing where the caller gave an array for it."""
    if out is None:
        return [found]
    out[...] = found
    return []


@_peers.drop_in
def binary_fill_holes(input, structure=None, output=None, origin=0) -> NDArray[np.bool_] | None:
    """As scipy.ndimage.binary_fill_holes; returns None where output is an array."""
    _peers.refuse(origin=(origin, 0))
    image = _binary(input)
    _check_binary_output(output, image)
    near = _near(structure, image.ndim)
    if image.ndim == 1:  # between two walls, because one row lies on the border as a whole
        filled = macareu.fill_holes(np.pad(_peers.on_host(image, "input")[None], ((1, 1), (0, 0)), constant_values=True))[1]
    else:
        filled = macareu.fill_holes(_peers.spatial(image, "input"), connectivity=near)
    if isinstance(output, np.ndarray):
        output[...] = filled
        return None
    return filled


@_peers.drop_in
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0,
                       origin=0) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_propagation."""
    _peers.refuse(origin=(origin, 0))
    image = _binary(_peers.on_host(input, "input"))
    _check_binary_output(output, image)
    if mask is None:
        within = np.ones(image.shape, bool)
    else:
        within = _binary(mask)
        if within.shape != image.shape:
            raise RuntimeError("mask and input must have equal sizes")
    if border_value:  # what lies around the image spreads to every pixel of its border
        image = image | (within & _border(image.shape))
    within = within | image  # what is set outside of the mask stays set, and spreads
    grown = macareu.reconstruct(_peers.spatial(image, "input"), _peers.spatial(within, "mask"),
                                   connectivity=_near(structure, image.ndim)).reshape(image.shape)
    if isinstance(output, np.ndarray):
        output[...] = grown
        return output
    return grown


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
    into = isinstance(output, np.ndarray)
    if into and output.shape != image.shape:
        raise ValueError("output shape not correct")
    labels, count = _labels(image, structure)
    if output is None:
        return labels, count
    wanted = output.dtype if into else np.dtype(output)
    if wanted.kind in "iu" and count > np.iinfo(wanted).max:
        raise RuntimeError("insufficient bit-depth in requested output type")
    if not into:
        return _peers.cast(labels, wanted), count
    output[...] = labels
    return count


def _labels(image, structure):
    """Signed: int32, or int64 for images that have more pixels than that counts."""
    pixels = int(np.prod(image.shape))
    wide = pixels >= 2**31 - 2
    if pixels == 0 or image.ndim == 0:
        # NumPy makes numbers of arrays without axes.
        return _peers.as_array((image != 0).astype(np.int32)), int(np.count_nonzero(image))
    labels = macareu.label(_peers.spatial(image, "input"), connectivity=_near(structure, image.ndim),
                           type="u64" if wide else "u32").reshape(image.shape)
    return labels.view(np.int64 if wide else np.int32), int(labels.max())


@_peers.drop_in
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                    radius=None) -> NDArray[Any]:
    """As scipy.ndimage.gaussian_filter: sums are of float64, and converted to the type of the result after every axis."""
    image = _peers.as_array(input)
    type = _numbers(_result_type(output, image))
    sigmas, orders, modes, radii = (_for_axes(one, image.ndim) for one in (sigma, order, mode, radius))
    borders = [_peers.border_of(one) for one in modes]
    axes = [axis for axis in range(image.ndim) if sigmas[axis] > 1e-15]
    for axis in axes:
        if radii[axis] is not None and (not isinstance(radii[axis], (int, np.integer)) or radii[axis] < 0):
            raise ValueError("Radius must be a nonnegative integer.")
    if type.kind != "f":  # what an integer does not hold would be undefined
        if any(orders):
            raise NotImplementedError(f"output: of derivatives only floats are supported, got {type}")
        if "constant" in borders and not np.iinfo(type).min <= cval <= np.iinfo(type).max:
            raise NotImplementedError(f"cval: only what {type} holds is supported, got {cval}")
    if "constant" not in borders:
        cval = 0.0
    usual = truncate > 0 and np.isfinite(cval)
    if not isinstance(image, np.ndarray) and not usual:
        name, given = ("cval", cval) if truncate > 0 else ("truncate", truncate)
        raise NotImplementedError(f"{name}: {given} is not supported for an array on a GPU")
    if not isinstance(image, np.ndarray) or (type == np.float64 and usual and not any(orders) and len(set(borders)) == 1):
        image = _smoothed(image, axes, sigmas, orders, radii, truncate, borders, cval, type)
    else:
        for axis in axes:
            half = _gaussian_weights(float(sigmas[axis]), orders[axis], truncate, radii[axis])
            image = _correlated(image, axis, half, orders[axis] % 2 == 1, type, borders[axis], cval)
    if not axes:
        image = image.astype(type) if isinstance(image, np.ndarray) else _peers.cast(image, type)
    return _given_to(output, image)


def _smoothed(image, axes, sigmas, orders, radii, truncate, borders, outside, type):
    """By the library's own Gaussians, into floats. In float64 all axes are one call."""
    if type.kind != "f" or any(orders) or len(set(borders)) > 1:
        _peers.on_host(image, "input")
    together = type == np.float64 and all(one is None for one in radii)
    for chosen in [axes] if together else [[axis] for axis in axes]:
        flat = _peers.spatial(image, "input")
        wide = [_no_width] * (flat.ndim - image.ndim) + [float(s) if axis in chosen else _no_width
                                                         for axis, s in enumerate(sigmas)]
        ends = truncate
        if not together and radii[chosen[0]] is not None:
            ends = max(radii[chosen[0]], 1e-9) / float(sigmas[chosen[0]])
        smooth = macareu.gaussian(flat, sigma=wide, truncate=ends, border=borders[0], outside=outside, type="f64")
        image = _peers.cast(smooth.reshape(image.shape), type)
    return image


_no_width = 1e-9  # of a Gaussian that is one pixel


def _for_axes(value, axes):
    """One value for each axis, as SciPy takes it."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * axes
    if len(value) != axes:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return list(value)


def _gaussian_weights(sigma, order, truncate, radius):
    """From the middle on, of a derivative of the Gaussian: it is multiplied by a polynomial q, of which every further
    order makes q' - q x / sigma^2. Computed as SciPy does, for the same rounding."""
    radius = int(truncate * sigma + 0.5) if radius is None else radius
    if order < 0:
        raise ValueError("order must be non-negative")
    if radius < 0:  # of a truncate below 0
        raise ValueError("Radius must be a nonnegative integer.")
    x = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * x ** 2)
    weights = weights / weights.sum()
    if order:
        powers = np.arange(order + 1)
        step = np.diag(powers[1:], 1) + np.diag(np.ones(order) / -(sigma * sigma), -1)
        factors = np.zeros(order + 1)
        factors[0] = 1
        for _ in range(order):
            factors = step.dot(factors)
        weights = (x[:, None] ** powers).dot(factors) * weights
    return weights[::-1][radius:]


@_peers.drop_in
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0) -> NDArray[Any]:
    """As scipy.ndimage.sobel: sums are of float64, and converted to the type of the result after every axis, which the
    language C leaves undefined where the type does not hold them."""
    image = _peers.on_host(input, "input")
    type = _numbers(_result_type(output, image))
    if type.kind == "u" or type == np.int8:
        raise NotImplementedError(f"output: {type} is not supported, it does not hold differences")
    axis = operator.index(axis)
    if not -image.ndim <= axis < image.ndim:
        raise getattr(np, "exceptions", np).AxisError(axis, image.ndim)  # where NumPy 2 has it, or earlier ones
    along = axis % image.ndim
    borders = [_peers.border_of(one) for one in _for_axes(mode, image.ndim)]
    image = _correlated(image, along, [0, 1], True, type, borders[along], cval)
    for other in range(image.ndim):
        if other != along:
            image = _correlated(image, other, [2, 1], False, type, borders[other], cval)
    return _given_to(output, image)


def _correlated(image, axis, half, odd, type, border, outside):
    """SciPy's correlate1d, with its rounding; weights from the middle on, which are odd or even."""
    flat = _peers.spatial(image, "input")
    result = _macareu.new_array(type, flat.shape)
    _macareu.correlate(flat, result, axis + flat.ndim - image.ndim, half, odd, border, outside)
    return result.reshape(image.shape)


@_peers.drop_in
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                  origin=0) -> NDArray[Any]:
    """As scipy.ndimage.median_filter, for windows of 1, 3, 5 or 7 pixels along every axis."""
    _peers.refuse(origin=(origin, 0))
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
    image = _peers.as_array(input)
    if _peers.type_of(image).kind == "c":
        raise TypeError("Complex type not supported")
    _peers.check_pixels(image, "input")
    side = _side_of_window(size, footprint, image.ndim)
    type, border = _result_type(output, image), _peers.border_of(mode)
    if type.kind == "c":
        raise NotImplementedError(f"output: {type} is not supported")
    outside = _outside(cval, _peers.type_of(image)) if border == "constant" and side > 1 else 0
    if side == 1:
        return _given_to(output, image.astype(type) if isinstance(image, np.ndarray) else _peers.cast(image, type))
    if image.ndim == 1:  # in a window of equal rows, one row's median is in the middle too
        row, cut = _peers.on_host(image, "input"), side // 2 if border == "constant" else 0
        row = np.pad(row, cut, constant_values=outside) if cut else row
        medians = macareu.median(row[None], size=side, border="nearest" if cut else border)[0, cut:row.size - cut]
    else:
        medians = macareu.median(_peers.spatial(image, "input"), size=side, border=border, outside=outside)
    own = _peers.type_of(medians)
    if own.kind in "iu" and own.itemsize == 8:  # which SciPy compares as float64
        medians = _peers.cast(_peers.cast(medians, np.float64), own)
    return _given_to(output, _peers.cast(medians, type))


def _outside(cval, type):
    """As a pixel of this type: the whole part for integers."""
    value = float(cval)
    if not np.isfinite(value):
        raise NotImplementedError(f"cval: only finite numbers are supported, got {cval}")
    if type.kind == "f":
        return value
    limits = np.iinfo(np.uint8 if type.kind == "b" else type)
    if not limits.min <= int(value) <= limits.max:  # what the language C leaves undefined
        raise NotImplementedError(f"cval: only what {type} holds is supported, got {cval}")
    return min(int(value), 1) if type.kind == "b" else int(value)


def _side_of_window(size, footprint, axes):
    if footprint is not None:
        footprint = np.asarray(footprint, bool)
        if footprint.ndim != axes:
            raise RuntimeError("filter footprint array has incorrect shape.")
        if not footprint.all():
            raise NotImplementedError("footprint: only one that is set everywhere is supported")
        size = footprint.shape
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    sides = {operator.index(side) for side in _for_axes(size, axes)} or {1}
    if 0 in sides:
        raise RuntimeError("filter footprint array has incorrect shape.")
    if any(side < 0 for side in sides):
        raise ValueError("negative dimensions are not allowed")
    if len(sides) != 1 or not sides <= {1, 3, 5, 7}:
        raise NotImplementedError(f"size: only 1, 3, 5 and 7, one for all axes, are supported, got {size!r}")
    return sides.pop()


@_peers.drop_in
def histogram(input, min, max, bins, labels=None, index=None) -> NDArray[Any]:
    """As scipy.ndimage.histogram."""
    image, bins = _peers.on_host(input, "input"), operator.index(bins)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        return _counts(image, min, max, bins)
    try:
        image, labels = np.broadcast_arrays(image, labels)
    except ValueError as failure:
        raise ValueError("input and labels must have the same shape (excepting dimensions with width 1)") from failure
    if index is None:
        return _counts(image[labels > 0], min, max, bins)
    wanted = np.atleast_1d(index)
    if np.any(wanted.astype(labels.dtype).astype(wanted.dtype) != wanted):
        raise ValueError(f"Cannot convert index values from <{wanted.dtype}> to <{labels.dtype}> (labels' type) without "
                         "loss of precision")
    if not wanted.size:
        raise ValueError("index: is empty")
    found = np.full(wanted.shape, None, object)
    names, rows = np.unique(wanted.astype(labels.dtype), return_inverse=True)
    pixels, table = _counts_of_groups(image.ravel(), labels.ravel(), names, np.linspace(min, max, bins + 1))
    for place, row in zip(np.ndindex(wanted.shape), rows.ravel()):
        if pixels[row]:
            found[place] = table[row].copy()
    return found[0] if np.isscalar(index) else found


def _counts_of_groups(image, labels, names, edges):
    """How many pixels have each label of `names`, which are sorted, and a row for each of how many lie in each bin."""
    bins = max(edges.size - 1, 0)
    rows = np.minimum(np.searchsorted(names, labels), names.size - 1)
    wanted = names[rows] == labels
    rows, image = rows[wanted], image[wanted]
    if rows.size and bins and edges[0] > edges[-1]:
        raise ValueError("`bins` must increase monotonically, when an array")
    pixels = np.bincount(rows, minlength=names.size)
    if not bins:
        return pixels, np.zeros((names.size, 0), np.int64)
    inside = (image >= edges[:1]) & (image <= edges[-1:])  # in float64: numbers would be rounded to the type of the image
    columns = np.minimum(np.searchsorted(edges, image[inside], side="right"), bins) - 1
    return pixels, np.bincount(rows[inside] * bins + columns, minlength=names.size * bins).reshape(names.size, bins)


def _counts(image, low, high, bins):
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    # Without a width of bins the last one has what lies on its edge.
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
    _peers.check_pixels(image, "input")
    return image


def _any_shape(array):
    """As an image or a volume, where places do not matter."""
    return array if array.ndim in (2, 3) else array.reshape(1, -1)


def _chosen(image, labels, index):
    """The pixels that `index` picks as one."""
    if labels is None:
        return image
    image, labels = np.broadcast_arrays(image, labels)
    return image[labels > 0 if index is None else labels == index]


def _of_groups(which, image, labels, index):
    """The sum, min or max of the pixels with each label of `index`; 0 where there are none."""
    image, labels = np.broadcast_arrays(image, labels)
    index = np.asarray(index)
    small = labels.dtype.kind in "biu" and labels.dtype != np.uint64
    if small and labels.min() >= 0 and labels.max() <= labels.size:
        index = index.astype(np.int_)
    else:  # numbered anew, as SciPy does
        names, labels = np.unique(labels, return_inverse=True)
        labels = labels.reshape(image.shape)
        numbers = np.searchsorted(names, index)
        numbers[numbers >= names.size] = 0
        index = np.where(names[numbers] == index, numbers, -1)
    values = _measured(which, image, labels, np.any(index == 0))
    return values[np.where((index >= 0) & (index < values.size - 1), index, values.size - 1)]


def _measured(which, image, labels, from_zero):
    """Of every label up to the largest, that of 0 only where it is asked for; and a 0 at the end."""
    # The library rounds sums to a part of the largest one, which a small one of floats would not survive.
    if image.dtype.kind == "f" and (which == "sum" or not np.isfinite(image).all()):
        return _measured_by_numpy(which, image, labels)
    values = np.zeros(int(labels.max(initial=0)) + 2)
    if not image.size:
        return values
    # A table has rows from 1 on.
    rows = labels.astype(np.uint32) + np.uint32(1) if from_zero else labels
    table = macareu.measure(_any_shape(rows), _any_shape(image), columns="intensity")
    values[table["label"] - np.uint64(from_zero)] = table[f"intensity_{which}"]
    exact = image.dtype.kind == "f" or np.abs(values).max() < 2.0**53  # which float64 holds on the way
    return values if exact else _measured_by_numpy(which, image, labels)


def _measured_by_numpy(which, image, labels):
    """As SciPy does it: sums of floats, infinities, NaN, and integers that float64 does not hold."""
    labels = labels.ravel().astype(np.intp, copy=False)
    if which == "sum":
        return np.append(np.bincount(labels, weights=image.ravel()), 0)
    order = image.ravel().argsort()
    order = order[::-1] if which == "min" else order
    values = np.zeros(int(labels.max()) + 2, image.dtype)
    values[labels[order]] = image.ravel()[order]
    return values


def _numbers(type):
    if type.kind not in "iuf" or type.itemsize > 8 or type == np.float16:
        raise NotImplementedError(f"output: {type} is not supported")
    return type


def _result_type(output, image):
    if output is None:
        return _peers.type_of(image)
    if not isinstance(output, np.ndarray):
        return np.dtype(output)
    if output.shape != tuple(image.shape):
        raise RuntimeError("output shape not correct")
    return output.dtype


def _check_binary_output(output, image):
    if not isinstance(output, np.ndarray):
        return
    if output.dtype.kind == "c":
        raise TypeError("Complex output type not supported")
    _result_type(output, image)


def _given_to(output, result):
    if not isinstance(output, np.ndarray):
        return result
    output[...] = result
    return output


def _border(shape):
    border = np.ones(shape, bool)
    border[tuple(slice(1, -1) for _ in shape)] = False
    return border


def _binary(array):
    array = _peers.as_array(array)
    type = _peers.type_of(array)
    if type.kind == "c":
        raise TypeError("Complex type not supported")
    return array if type == bool else array != 0


def _near(structure, axes):
    if structure is None:
        return "face"
    structure = np.asarray(structure, dtype=bool)
    if structure.ndim != axes:
        raise RuntimeError("structure and input must have same dimensionality")
    return _peers.connectivity_of(_peers.reach_of(structure, axes, "structure"), axes)
