"""As scipy.ndimage."""

import numpy as np

import macareu

from .. import _peers

__all__ = ["distance_transform_edt", "binary_fill_holes", "binary_propagation", "label"]


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
