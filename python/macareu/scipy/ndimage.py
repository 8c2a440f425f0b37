"""As scipy.ndimage."""

import numpy as np

import macareu

from .. import _peers

__all__ = ["distance_transform_edt", "binary_fill_holes", "binary_propagation", "gaussian_filter", "histogram", "label",
           "maximum", "median_filter", "minimum", "sobel", "sum_labels"]


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None):
    """As scipy.ndimage.distance_transform_edt: distances are float64, indices int32."""
    _check_edt(distances, indices, return_distances, return_indices)
    image = np.atleast_1d(np.asarray(input)) != 0
    spacing = np.broadcast_to(1.0 if sampling is None else np.asarray(sampling, np.float64), (image.ndim,))
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


def binary_fill_holes(input, structure=None, output=None, origin=0):
    """As scipy.ndimage.binary_fill_holes; returns None where output is an array."""
    _peers.refuse(origin=(origin, 0))
    image = _binary(input)
    near = _near(structure, image.ndim)
    if image.ndim == 1:  # between two walls, because one row lies on the border as a whole
        filled = macareu.fill_holes(np.pad(image[None], ((1, 1), (0, 0)), constant_values=True))[1]
    else:
        filled = macareu.fill_holes(_peers.spatial(image, "input"), connectivity=near)
    if isinstance(output, np.ndarray):
        output[...] = filled
        return None
    return filled


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0):
    """As scipy.ndimage.binary_propagation."""
    _peers.refuse(origin=(origin, 0))
    image = _binary(input)
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


def label(input, structure=None, output=None):
    """As scipy.ndimage.label: (labels, number of objects), or the number alone where output is an array."""
    image = np.asarray(input)
    if image.dtype.kind == "c":
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
        return labels.astype(wanted, copy=False), count
    output[...] = labels
    return count


def _labels(image, structure):
    """Signed: int32, or int64 for images that have more pixels than that counts."""
    wide = image.size >= 2**31 - 2
    if image.size == 0 or image.ndim == 0:
        return (image != 0).astype(np.int32), int(np.count_nonzero(image))
    labels = macareu.label(_peers.spatial(image, "input"), connectivity=_near(structure, image.ndim),
                           type="u64" if wide else "u32").reshape(image.shape)
    return labels.view(np.int64 if wide else np.int32), int(labels.max())


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None):
    """As scipy.ndimage.gaussian_filter, where the result is of floats: computed in float64."""
    _peers.refuse(order=(order, 0), radius=(radius, None))
    image = np.asarray(input)
    type = _result_type(output, image)
    if type.kind != "f":
        raise NotImplementedError(f"output: only floats are supported, got {type} (SciPy cuts fractions between axes)")
    sigmas = [float(s) for s in np.broadcast_to(np.asarray(sigma, float), (image.ndim,))]
    border = _peers.border_of(mode)
    flat = _peers.spatial(image, "input")
    if all(s <= 1e-15 for s in sigmas):
        return _given_to(output, image.astype(type))
    if any(s <= 1e-15 for s in sigmas):
        raise NotImplementedError("sigma: 0 along one axis only is not supported")
    if image.ndim == 1:
        raise NotImplementedError("input: arrays of one axis are not supported")
    smooth = macareu.gaussian(flat, sigma=sigmas, truncate=truncate, border=border, outside=cval, type="f64")
    return _given_to(output, smooth.astype(type, copy=False))


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """As scipy.ndimage.sobel, where the result is of floats or of signed integers of 16 bits or more."""
    image = np.asarray(input)
    type = _result_type(output, image)
    if type.kind != "f" and (type.kind != "i" or type.itemsize == 1):
        raise NotImplementedError(f"output: {type} is not supported, it cannot hold differences")
    if type.kind == "i" and image.dtype.kind == "f":
        raise NotImplementedError("output: integers of an image of floats are not supported, SciPy cuts between its axes")
    if image.ndim not in (2, 3):
        raise NotImplementedError("input: only images and volumes are supported")
    border = _peers.border_of(mode)
    if border == "constant":
        _peers.refuse(cval=(cval, 0.0))
    along = "zyx"[3 - image.ndim:][axis]
    exact = image if image.dtype in (np.float32, np.float64) else image.astype(np.float64)
    return _given_to(output, macareu.sobel(exact, give=along, border=border, outside=0).astype(type, copy=False))


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0):
    """As scipy.ndimage.median_filter, for windows of 3, 5 or 7 pixels along every axis."""
    _peers.refuse(footprint=(footprint, None), origin=(origin, 0))
    image = np.asarray(input)
    sides = {int(side) for side in np.ravel(size)} if size is not None else set()
    if len(sides) != 1 or not sides <= {3, 5, 7}:
        raise NotImplementedError(f"size: only 3, 5 and 7, one for all axes, are supported, got {size!r}")
    if image.ndim not in (2, 3):
        raise NotImplementedError("input: only images and volumes are supported")
    medians = macareu.median(image, size=sides.pop(), border=_peers.border_of(mode), outside=cval)
    return _given_to(output, medians.astype(_result_type(output, image), copy=False))


def histogram(input, min, max, bins, labels=None, index=None):
    """As scipy.ndimage.histogram, of all pixels."""
    _peers.refuse(labels=(labels, None), index=(index, None))
    image = np.asarray(input)
    if min == max:  # no bin has a width, the last one has what lies on its edge
        return np.histogram(image, np.linspace(min, max, bins + 1))[0]
    return macareu.histogram(_peers.spatial(image, "input"), bins=bins, low=min, high=max)["count"].astype(np.int64)


def minimum(input, labels=None, index=None):
    """As scipy.ndimage.minimum. NaN is refused."""
    return _extreme("min", input, labels, index)


def maximum(input, labels=None, index=None):
    """As scipy.ndimage.maximum. NaN is refused."""
    return _extreme("max", input, labels, index)


def sum_labels(input, labels=None, index=None):
    """As scipy.ndimage.sum_labels; floats are rounded to 2^-43 of the largest among the objects. NaN is refused."""
    image = _pixels(input)
    if labels is not None and index is not None and not np.isscalar(index):
        return _groups(image, labels, index, "intensity_sum")[0]
    type = np.zeros(0, image.dtype).sum().dtype
    if labels is None:
        found = macareu.statistics(_any_shape(image))["sum"][0] if image.size else 0
    else:
        found = _exact(_group(image, labels, index, "intensity_sum")[0], type)
    return type.type(found)


def _extreme(which, input, labels, index):
    image = _pixels(input)
    if labels is not None and index is not None and not np.isscalar(index):
        found, _ = _groups(image, labels, index, f"intensity_{which}")
        return _exact(found, image.dtype).astype(image.dtype)
    if labels is None and image.size:
        flat = _any_shape(image)
        first = macareu.statistics(flat)
        return flat[tuple(int(first[f"{which}imum_{axis}"][0]) for axis in "zyx"[3 - flat.ndim:])]
    found, size = (0, 0) if labels is None else _group(image, labels, index, f"intensity_{which}")
    if not size:
        raise ValueError(f"zero-size array to reduction operation {which}imum which has no identity")
    return image.dtype.type(_exact(found, image.dtype))


def _exact(values, type):
    """float64 on the way holds integers up to 2^53."""
    if type.kind in "iu" and type.itemsize == 8 and np.any(np.abs(values) >= 2.0**53):
        raise NotImplementedError("input: values and sums of integers beyond 2^53 are not supported")
    return values


def _pixels(input):
    image = np.asarray(input)
    if image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or image.dtype == np.float16:
        raise NotImplementedError(f"input: pixels of type {image.dtype} are not supported")
    return image


def _any_shape(array):
    """As an image or a volume, where places do not matter."""
    return array if array.ndim in (2, 3) else array.reshape(1, -1)


def _group(image, labels, index, column):
    """(value, size) of the pixels that `index` picks as one."""
    image, labels = np.broadcast_arrays(image, labels)
    chosen = labels > 0 if index is None else labels == index
    found, sizes = _measured(image, chosen.view(np.uint8), np.ones(1, int), column)
    return found[0], sizes[0]


def _groups(image, labels, index, column):
    """Of the pixels with each label of `index`: (values, sizes); 0 where there are none."""
    image, labels = np.broadcast_arrays(image, labels)
    index = np.asarray(index)
    small = labels.dtype.kind in "biu" and labels.dtype != np.uint64 and labels.size
    if small and labels.min() >= 0 and labels.max() <= labels.size:
        index = index.astype(np.int_)
    else:  # numbered anew, as SciPy does
        names, labels = np.unique(labels, return_inverse=True)
        labels = labels.reshape(image.shape)
        numbers = np.searchsorted(names, index)
        numbers[numbers >= names.size] = 0
        index = np.where(names[numbers] == index, numbers, -1)
    if not np.any(index == 0):
        return _measured(image, labels, index, column)
    # A table has rows from 1 on.
    return _measured(image, labels.astype(np.uint32) + np.uint32(1), index + 1, column)


def _measured(image, labels, wanted, column):
    if not image.size:
        return np.zeros(wanted.shape), np.zeros(wanted.shape, int)
    table = macareu.measure(_any_shape(labels), _any_shape(image), columns="intensity")
    values, sizes = (np.zeros(int(labels.max(initial=0)) + 1, type) for type in (float, int))
    values[table["label"]] = table[column]
    sizes[table["label"]] = table["num_pixels"]
    known = (wanted > 0) & (wanted < values.size)
    at = np.where(known, wanted, 0)
    return values[at], sizes[at]


def _result_type(output, image):
    if output is None:
        return image.dtype
    return output.dtype if isinstance(output, np.ndarray) else np.dtype(output)


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
    array = np.asarray(array)
    if array.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return array if array.dtype == bool else array != 0


def _near(structure, axes):
    if structure is None:
        return "face"
    structure = np.asarray(structure, dtype=bool)
    if structure.ndim != axes:
        raise RuntimeError("structure and input must have same dimensionality")
    return _peers.connectivity_of(_peers.reach_of(structure, axes, "structure"), axes)
