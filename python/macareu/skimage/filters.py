"""As skimage.filters."""

import warnings

import numpy as np

import macareu

from .. import _peers

__all__ = ["apply_hysteresis_threshold", "gaussian", "sobel", "threshold_otsu"]


def apply_hysteresis_threshold(image, low, high):
    """As skimage.filters.apply_hysteresis_threshold: what is above low and joined, by faces, to what is above high."""
    image = np.asarray(image)
    within = image > np.clip(low, a_min=None, a_max=high)
    seeds = image > high
    grown = macareu.reconstruct(_peers.spatial(seeds), _peers.spatial(within), connectivity="face")
    return grown.reshape(image.shape)


def gaussian(image, sigma=1, output=None, mode="nearest", cval=0, multichannel=None, preserve_range=False,
             truncate=4.0, *, channel_axis=None):
    """As skimage.filters.gaussian, without channels: computed in float64."""
    image = np.asarray(image)
    if image.ndim == 3 and image.shape[-1] == 3 and multichannel is not False:
        raise NotImplementedError("channel_axis: channels are not supported; multichannel=False takes 3 slices")
    if multichannel:
        raise NotImplementedError("multichannel: channels are not supported")
    _peers.refuse(channel_axis=(channel_axis, None))
    if np.any(np.asarray(sigma) < 0):
        raise ValueError("Sigma values less than zero are not valid")
    if output is not None and output.dtype.kind != "f":
        raise ValueError("Provided output data type is not float")
    smooth = macareu.scipy.ndimage.gaussian_filter(_as_float(image, preserve_range), sigma, mode=mode, cval=cval,
                                                   truncate=truncate)
    if output is None:
        return smooth
    output[...] = smooth
    return output


def sobel(image, mask=None, *, axis=None, mode="reflect", cval=0.0):
    """As skimage.filters.sobel."""
    _peers.refuse(mask=(mask, None))
    image = _as_float(np.asarray(image), preserve_range=False)
    flat = _peers.spatial(image)
    axes = range(image.ndim) if axis is None else [axis] if np.isscalar(axis) else list(axis)
    if image.ndim == 1 or len(axes) not in (1, image.ndim):
        raise NotImplementedError("axis: only one or all axes, of images and volumes, are supported")
    scale = 0.25 ** (image.ndim - 1)  # scikit-image's weights across are 1/4, 1/2, 1/4
    border = {"border": _peers.border_of(mode), "outside": 0}
    if len(axes) == 1:
        return macareu.sobel(flat, give="zyx"[3 - image.ndim:][axes[0]], **border) * image.dtype.type(scale)
    return macareu.sobel(flat, **border) * image.dtype.type(scale / np.sqrt(image.ndim))


def threshold_otsu(image=None, nbins=256, *, hist=None):
    """As skimage.filters.threshold_otsu."""
    if hist is not None:
        return _otsu(*_trimmed(hist))
    if image is None:
        raise Exception("Either image or hist must be provided.")
    image = np.asarray(image)
    if image.ndim > 2 and image.shape[-1] in (3, 4):
        warnings.warn(f"threshold_otsu is expected to work correctly only for grayscale images; image shape "
                      f"{image.shape} looks like that of an RGB image.", stacklevel=2)
    low, high = image.min(), image.max()
    if low == high:
        return image.ravel()[0]
    return _otsu(*_bins(_peers.spatial(image), low, high, nbins))


def _otsu(counts, centres):
    counts = counts.astype(np.float64)
    # Weights and means of what is up to each bin, and of what is from it on.
    weight, weight_from = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    mean = np.cumsum(counts * centres) / weight
    mean_from = (np.cumsum((counts * centres)[::-1]) / weight_from[::-1])[::-1]
    between = weight[:-1] * weight_from[1:] * (mean[:-1] - mean_from[1:]) ** 2
    return centres[np.argmax(between)]


def _trimmed(hist):
    """Counts and centres, without empty bins at both ends."""
    counts, centres = hist if isinstance(hist, (tuple, list)) else (hist, np.arange(len(hist)))
    used = np.flatnonzero(counts)
    return counts[used[0]:used[-1] + 1], centres[used[0]:used[-1] + 1]


def _bins(image, low, high, nbins):
    """Counts and centres: a bin for every integer, or so many for floats."""
    if image.dtype.kind in "iu":
        low, high = int(low), int(high)
        counts = macareu.histogram(image, bins=high - low + 1, low=low - 0.5, high=high + 0.5)["count"]
        return counts, np.arange(low, high + 1)
    counts = macareu.histogram(image, bins=nbins, low=float(low), high=float(high))["count"]
    edges = np.linspace(low, high, nbins + 1, dtype=image.dtype if image.dtype.kind == "f" else np.float64)
    return counts, (edges[:-1] + edges[1:]) / 2.0


def _as_float(image, preserve_range):
    """Floats as they are, others as float64: integers scaled to 0..1 or -1..1 unless the range is kept."""
    if image.dtype.kind == "f":
        return image.astype(np.float32) if image.dtype == np.float16 else image
    if preserve_range or image.dtype == bool:
        return image.astype(np.float64)
    return np.maximum(np.multiply(image, 1.0 / np.iinfo(image.dtype).max, dtype=np.float64), -1.0)
