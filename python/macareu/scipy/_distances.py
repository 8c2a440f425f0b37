"""As scipy.ndimage: distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _macareu, _peers
from ._arguments import for_axes


@_peers.drop_in
def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None) -> NDArray[Any] | tuple[NDArray[Any], ...] | None:
    """As scipy.ndimage.distance_transform_edt: distances are float64, indices int32."""
    _check_edt(distances, indices, return_distances, return_indices)
    image = _peers.as_array(input)
    if not isinstance(image, np.ndarray) and not return_indices:
        return _distances_on_gpu(image, sampling, distances)
    image = np.atleast_1d(_peers.on_host(image, "input"))
    image = image if image.dtype == bool else image != 0
    spacing = _spacing(sampling, image.ndim)
    _check_out(distances, "distances", image.shape, np.float64)
    _check_out(indices, "indices", (image.ndim, *image.shape), np.int32)
    flat = _peers.spatial(image, "input")
    steps = [1.0] * (flat.ndim - image.ndim) + [float(step) if step % 1 else int(step) for step in spacing]
    far = places = None
    if image.size > 0 and image.all():
        far, places = _no_zero_distances(image.shape, spacing), _no_zero_indices(image.shape)
    elif return_indices:
        far, places = _sites(macareu.nearest_site(flat, spacing=steps), image.shape, spacing, return_distances)
    else:
        far = macareu.distance_transform(flat, spacing=steps, type="f64").reshape(image.shape)
    results = []
    if return_distances:
        results += _handed_over(far, distances)
    if return_indices:
        results += _handed_over(places, indices)
    return tuple(results) if len(results) > 1 else results[0] if results else None


def _distances_on_gpu(image, sampling, distances):
    """Distances are infinite if no pixel is 0: detecting that would wait for the GPU."""
    _check_out(distances, "distances", image.shape, np.float64)
    steps = [1.0] * (2 - image.ndim) + _spacing(sampling, image.ndim)
    found = macareu.distance_transform(_peers.spatial(image, "input"), spacing=steps, type="f64").reshape(image.shape)
    results = _handed_over(found, distances)
    return results[0] if results else None


def _spacing(sampling, axes):
    steps = [float(step) for step in for_axes(1.0 if sampling is None else sampling, axes)]
    if not all(0 < step < np.inf for step in steps):
        raise NotImplementedError(f"sampling: only numbers above 0 are supported, got {sampling!r}")
    return steps


def _sites(nearest, shape, spacing, with_distances):
    """(distances or None, indices). Distances are computed from the indices, as in SciPy."""
    axes = len(shape)
    places = _macareu.new_array(np.dtype(np.int32), (axes, int(np.prod(shape)))).reshape(axes, *shape)
    far = _macareu.new_array(np.dtype(np.float64), nearest.shape).reshape(shape) if with_distances else None
    outs = [place.reshape(nearest.shape) for place in places[::-1]] + [None] * (3 - axes)
    outs.append(None if far is None else far.reshape(nearest.shape))
    steps = [1.0] * (nearest.ndim - axes) + spacing
    _macareu.hidden_operations["site_places"].run((nearest,), (steps,), tuple(outs), "auto", "auto", 0, None)
    return far, places


def _no_zero_indices(shape):
    """Without any zero pixel, SciPy measures to the position before the first pixel."""
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
    if tuple(array.shape) != tuple(shape):
        raise RuntimeError(f"{name} array has wrong shape")
    if _peers.type_of(array) != type:
        raise RuntimeError(f"{name} array must be {np.dtype(type).name}")


def _handed_over(found, out):
    """The result to return; None if the caller passed an array for it."""
    if out is None:
        return [found]
    out[...] = found
    return []
