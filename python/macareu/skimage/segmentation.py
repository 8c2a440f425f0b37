"""As skimage.segmentation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _peers

__all__ = ["watershed"]


@_peers.drop_in
def watershed(image, markers=None, connectivity=1, offset=None, mask=None, compactness=0,
              watershed_line=False) -> NDArray[np.int32]:
    """As skimage.segmentation.watershed: labels of int32.

    Pixels that several neighbours reach at the same time have another label than scikit-image's in some cases, and
    lines lie on one side of the boundary: see `macareu.watershed`. NaN is refused inside the mask.
    """
    image = _peers.on_host(image)
    if offset is not None:
        raise NotImplementedError("offset: only None, the centre of the neighbourhood, is supported")
    if compactness:
        raise NotImplementedError(f"compactness: only 0 is supported, got {compactness}")
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    _peers.check_pixels(image, "image")
    if image.dtype == bool:
        image = image.view(np.uint8)
    inside = None if mask is None else _peers.on_host(mask, "mask").astype(bool, copy=False)
    if inside is not None and inside.shape != image.shape:
        raise ValueError(f"`mask` (shape {inside.shape}) must have same shape as `image` (shape {image.shape})")
    reach = _reach_of(connectivity, image.ndim)
    near = _peers.connectivity_of(reach, image.ndim)
    labels = _labels_to_start_from(image, markers, near, inside)
    if not labels.any():
        return np.zeros(image.shape, np.int32)
    basins = macareu.watershed(_peers.spatial(image), _peers.spatial(labels, "markers"), connectivity=near,
                               mask=None if inside is None else _peers.spatial(inside, "mask"),
                               lines=bool(watershed_line))
    return basins.view(np.int32).reshape(image.shape)


def _reach_of(connectivity, axes):
    if connectivity is None:
        return 1
    if np.isscalar(connectivity):
        return min(max(int(connectivity), 1), axes)
    return _peers.reach_of(connectivity, axes, "connectivity")


def _labels_to_start_from(image, markers, near, inside):
    """int32, zero outside the mask."""
    if markers is None:
        if inside is not None and image.dtype.kind == "f":  # minima refuse NaN, which only the mask excuses
            image = np.where(np.isnan(image) & ~inside, np.inf, image).astype(image.dtype, copy=False)
        minima = macareu.minima(_peers.spatial(image), connectivity=near).reshape(image.shape)
        found = minima if inside is None else minima & inside
        return macareu.label(_peers.spatial(found), connectivity=near).view(np.int32).reshape(image.shape)
    if isinstance(markers, (np.ndarray, list, tuple)):
        markers = np.asarray(markers)
        if markers.shape != image.shape:
            raise ValueError(f"`markers` (shape {markers.shape}) must have same shape as `image` (shape {image.shape})")
        if markers.dtype.kind == "f" and np.isnan(markers).any():
            place = tuple(int(i) for i in np.argwhere(np.isnan(markers))[0])
            raise ValueError(f"markers: expected labels, got NaN at {place}")
        labels = markers.astype(np.int32, copy=False)
        if labels.size and labels.min() < 0:
            place = tuple(int(i) for i in np.unravel_index(labels.argmin(), labels.shape))
            raise NotImplementedError(f"markers: negative labels are not supported, got {labels.min()} at {place}")
    else:
        if not markers >= 0:
            raise ValueError(f"markers: expected labels, or a number of 0 or more, got {markers}")
        share = 1.0 if inside is None else inside.sum() / image.size
        labels = _regular_seeds(image.shape, int(markers / share) if share else 0)
    return labels if inside is None else labels * inside


def _regular_seeds(shape, count):
    """Labels on a regular grid, as skimage.util.regular_seeds places them."""
    seeds = np.zeros(shape, np.int32)
    grid = seeds[_regular_grid(np.asarray(shape), count)] if count else seeds[:0]
    grid[...] = np.arange(1, grid.size + 1).reshape(grid.shape)
    return seeds


def _regular_grid(shape, count) -> tuple[Any, ...]:
    axes = len(shape)
    pixels = float(np.prod(shape))
    if pixels <= count:
        return (slice(None),) * axes
    sides = np.sort(shape)
    steps = np.full(axes, (pixels / count) ** (1.0 / axes))
    if (sides < steps).any():
        for axis in range(axes):
            steps[axis] = sides[axis]
            rest = float(np.prod(sides[axis + 1:]))
            if axis + 1 < axes:
                steps[axis + 1:] = (rest / count) ** (1.0 / (axes - axis - 1))
            if (sides >= steps).all():
                break
    slices = [slice(int(step // 2), None, int(np.round(step))) for step in steps]
    return tuple(slices[i] for i in np.argsort(np.argsort(shape)))
