"""As skimage.filters."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _macareu, _peers

__all__ = ["apply_hysteresis_threshold", "gaussian", "sobel", "threshold_otsu"]

_MOST_BINS = 2**24


@_peers.drop_in
def apply_hysteresis_threshold(image, low, high) -> NDArray[np.bool_]:
    """As skimage.filters.apply_hysteresis_threshold: pixels above low that are face-connected to pixels above
    high."""
    image = _peers.not_empty(_peers.on_host(image))
    rows = _peers.spatial(_peers.with_axes(image))
    within = rows > np.clip(low, a_min=None, a_max=high)
    grown = macareu.reconstruct(rows > high, within, connectivity="face")
    result = grown.reshape(image.shape)
    return result if image.ndim else result[()]  # a scalar


@_peers.drop_in
def gaussian(image, sigma=1, output=None, mode="nearest", cval=0, multichannel=None, preserve_range=False,
             truncate=4.0, *, channel_axis=None) -> NDArray[np.floating[Any]]:
    """As skimage.filters.gaussian. Sums are float64, and rounded to the result's type after every axis."""
    image = _peers.as_array(image)
    if multichannel is not None:
        warnings.warn("`multichannel` is a deprecated argument name for `gaussian`. Providing the `multichannel` argument "
                      "will end in version 1.0. Please use `channel_axis` instead.", FutureWarning, stacklevel=3)
        channel_axis = -1 if multichannel else None
    if image.ndim == 3 and image.shape[-1] == 3 and channel_axis is None:  # as scikit-image does
        warnings.warn(RuntimeWarning("Images with dimensions (M, N, 3) are interpreted as 2D+RGB by default. Use "
                                     "`multichannel=False` to interpret as 3D image with last dimension of length 3."),
                      stacklevel=3)
        channel_axis = -1
    if np.any(np.asarray(sigma) < 0):
        raise ValueError("Sigma values less than zero are not valid")
    if channel_axis is not None:  # channels are independent
        sigma = list(sigma) if np.ndim(sigma) else [sigma] * (image.ndim - 1)
        if len(sigma) == image.ndim - 1:
            sigma.insert(channel_axis % image.ndim, 0)
    if output is not None and _peers.type_of(output).kind != "f":
        raise ValueError("Provided output data type is not float")
    return macareu.scipy.ndimage.gaussian_filter(_as_float(image, preserve_range), sigma, output=output, mode=mode,
                                                 cval=cval, truncate=truncate)


@_peers.drop_in
def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0) -> NDArray[np.floating[Any]]:
    """As skimage.filters.sobel, which ignores cval."""
    image = _as_float(_peers.on_host(image), preserve_range=False)
    axes = list(range(image.ndim)) if axis is None else [axis] if np.ndim(axis) == 0 else list(axis)
    axes = [operator.index(along) for along in axes]
    if not all(-image.ndim <= along < image.ndim for along in axes):
        raise IndexError(f"axis: {axis} is out of bounds for an image of {image.ndim} axes")
    border = _peers.border_of(mode)
    flat = _peers.spatial(_peers.with_axes(image))
    result = _slopes(flat, axes, max(image.ndim, 1), border).reshape(image.shape)
    if mask is not None:
        result *= _without_rim(_peers.on_host(mask, "mask").astype(bool))
    return result


def _slopes(image, axes, dimensions, border):
    if not axes:
        return np.zeros_like(image)
    if len(axes) > 8:
        raise NotImplementedError(f"axis: {len(axes)} axes are not supported, only up to 8")
    operation = _macareu.hidden_operations["slopes"]
    return operation.run((image,), (axes, dimensions, border), None, "auto", "auto", 0, None)


def _without_rim(mask):
    """Where a pixel and all its neighbours are set: an erosion."""
    for axis in range(mask.ndim):
        around = np.moveaxis(np.pad(mask, [(int(a == axis),) * 2 for a in range(mask.ndim)]), axis, 0)
        mask = np.moveaxis(around[:-2] & around[1:-1] & around[2:], 0, axis)
    return mask


@_peers.drop_in
def threshold_otsu(image=None, nbins=256, *, hist=None) -> np.generic:
    """As skimage.filters.threshold_otsu."""
    if hist is not None:
        return _otsu(*_trimmed(hist))
    if image is None:
        raise Exception("Either image or hist must be provided.")
    image = _peers.on_host(image)
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warnings.warn(f"threshold_otsu is expected to work correctly only for grayscale images; image shape "
                      f"{image.shape} looks like that of an RGB image.", stacklevel=2)
    if not image.size:
        raise IndexError("image: has no pixels")
    low, high = image.min(), image.max()
    if low == high:
        return image.ravel()[0]
    return _otsu(*_bins(_peers.spatial(image), low, high, nbins))


def _otsu(counts, centres):
    counts = counts.astype(np.float64)
    # Weights and means of the bins up to each bin, and from it on.
    weight, weight_from = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    mean = np.cumsum(counts * centres) / weight
    mean_from = (np.cumsum((counts * centres)[::-1]) / weight_from[::-1])[::-1]
    between = weight[:-1] * weight_from[1:] * (mean[:-1] - mean_from[1:]) ** 2
    return centres[np.argmax(between)]


def _trimmed(hist):
    """Counts and centres, without empty bins at either end."""
    counts, centres = hist if isinstance(hist, (tuple, list)) else (hist, np.arange(len(hist)))
    used = np.flatnonzero(counts)
    if not used.size:
        return counts, centres
    return counts[used[0]:used[-1] + 1], centres[used[0]:used[-1] + 1]


def _bins(image, low, high, nbins):
    """Counts and centres: one bin per integer, or nbins for floats."""
    if image.dtype.kind in "iu":
        low, high = int(low), int(high)
        if high - low >= _MOST_BINS:  # empty bins do not matter
            values, counts = np.unique(image, return_counts=True)
            return counts, values if high >= 2**63 else values.astype(np.int64)
        counts = macareu.histogram(image, bins=high - low + 1, low=low - 0.5, high=high + 0.5)["count"]
        return counts, np.arange(low, high + 1)
    if image.dtype.kind == "f" and image.dtype.itemsize not in (4, 8):  # their edges have the image's type
        counts, edges = np.histogram(image, nbins)
        return counts, (edges[:-1] + edges[1:]) / 2.0
    if isinstance(nbins, str) or np.ndim(nbins):
        raise NotImplementedError(f"nbins: only a number is supported, got {nbins!r}")
    counts = macareu.histogram(image, bins=operator.index(nbins), low=float(low), high=float(high))["count"]
    edges = np.linspace(low, high, nbins + 1, dtype=image.dtype if image.dtype.kind == "f" else np.float64)
    return counts, (edges[:-1] + edges[1:]) / 2.0


def _as_float(image, preserve_range):
    """Floats unchanged, other types as float64. Integers are scaled to 0..1 or -1..1 unless preserve_range is
    set."""
    type = _peers.type_of(image)
    if type.kind == "f":
        return _peers.cast(image, np.float32 if type.itemsize <= 4 else np.float64)
    image = _peers.on_host(image)
    if preserve_range:
        _peers.check_pixels(image, "image")
    if preserve_range or image.dtype == bool:
        return _peers.as_float64(image)
    scale = 1.0 / np.iinfo(image.dtype).max

    def scaled(to, pixels):
        np.multiply(pixels, scale, out=to, dtype=np.float64)
        if pixels.dtype.kind == "i":
            np.maximum(to, -1.0, out=to)

    return _peers.made_float64(image, scaled)
