"""As skimage.morphology."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _footprints, _peers

__all__ = ["reconstruction", "local_maxima", "local_minima", "h_maxima", "h_minima", "remove_small_objects", "erosion",
           "dilation", "opening", "closing", "white_tophat", "black_tophat"]


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def reconstruction(seed, mask, method="dilation", footprint=None, offset=None) -> NDArray[np.float64]:
    """As skimage.morphology.reconstruction: the result is float64. NaN is refused."""
    seed, mask = _peers.as_array(seed), _peers.as_array(mask)
    if method not in ("dilation", "erosion"):
        raise ValueError(f"Reconstruction method can be one of 'erosion' or 'dilation'. Got '{method}'.")
    _peers.not_empty(seed, "seed")
    reach = seed.ndim
    if footprint is not None:
        footprint = np.asarray(footprint)
        if offset is None and not all(size % 2 for size in footprint.shape):
            raise ValueError("Footprint dimensions must all be odd")
    if offset is not None:
        _check_offset(np.asarray(offset), (3,) * seed.ndim if footprint is None else footprint.shape)
    if footprint is not None:
        reach = _peers.reach_of(footprint, seed.ndim, "footprint")
    # scikit-image computes in float64, which represents integers of up to 32 bits.
    type = _peers.type_of(seed)
    exact = type.kind in "biuf" and type.itemsize < 8 and type != np.float16
    if seed.dtype != mask.dtype or not exact:
        seed, mask = _peers.cast(seed, np.float64), _peers.cast(mask, np.float64)
    rows = (_peers.spatial(_peers.with_axes(one), name) for one, name in ((seed, "seed"), (mask, "mask")))
    grown = macareu.reconstruct(*rows, by=method, connectivity=_peers.connectivity_of(reach, seed.ndim))
    result = _peers.as_float64(grown).reshape(seed.shape)
    return result if seed.ndim else result[()]  # a scalar


def _check_offset(offset, shape):
    if offset.ndim != len(shape):  # as in scikit-image, although offsets have one axis
        raise ValueError("Offset and footprint ndims must be equal.")
    if not all(0 <= o < size for o, size in zip(offset, shape)):
        raise ValueError("Offset must be included inside footprint")
    if any(o != size // 2 for o, size in zip(offset, shape)):
        raise NotImplementedError(f"offset: only the centre of the footprint is supported, got {offset.tolist()}")


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def h_maxima(image, h, footprint=None) -> NDArray[np.uint8]:
    """As skimage.morphology.h_maxima: uint8, 1 where a maximum stands out by at least h."""
    return _h_extrema("h_maxima", "local_maxima", image, h, footprint)


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def h_minima(image, h, footprint=None) -> NDArray[np.uint8]:
    """As skimage.morphology.h_minima: uint8, 1 where a minimum is at least h deep."""
    return _h_extrema("h_minima", "local_minima", image, h, footprint)


def _h_extrema(name, instead, image, h, footprint):
    image = _peers.on_host(image)
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    _peers.check_pixels(image, "image")
    if isinstance(h, (bool, np.bool_)):
        h = int(h)
    if h > np.ptp(image):
        return np.zeros(image.shape, dtype=np.uint8)
    if h == 0:
        raise ValueError(f"h = 0 is ambiguous, use {instead}() instead?")
    if isinstance(h, (float, np.floating)) and image.dtype.kind in "iu":
        if h % 1 != 0:
            warnings.warn("possible precision loss converting image to floating point. To silence this warning, "
                          "ensure image and h have same data type.", stacklevel=4)
            image = image.astype(np.float64)
        else:
            h = int(h)
    if image.dtype.kind in "iu" and image.dtype.itemsize == 8 and max(-int(image.min()), int(image.max())) >= 2**53:
        return _h_extrema_in_float64(name == "h_maxima", image, h, footprint)
    reach = image.ndim if footprint is None else _peers.reach_of(footprint, image.ndim, "footprint")
    found = getattr(macareu, name)(_peers.spatial(image), h, connectivity=_peers.connectivity_of(reach, image.ndim))
    return found.reshape(image.shape).view(np.uint8)


def _h_extrema_in_float64(highest, image, h, footprint):
    """Rounds integers beyond float64's precision as scikit-image does."""
    ends = np.iinfo(image.dtype)
    h = image.dtype.type(h)
    if highest:
        shifted = np.where(image < ends.min + h, ends.min, image - h).astype(image.dtype)
        rest = image - reconstruction(shifted, image, footprint=footprint)
    else:
        shifted = np.where(image > ends.max - h, ends.max, image + h).astype(image.dtype)
        rest = reconstruction(shifted, image, "erosion", footprint=footprint) - image
    return (rest >= h).astype(np.uint8)


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def local_maxima(image, footprint=None, connectivity=None, indices=False,
                 allow_borders=True) -> NDArray[np.bool_] | tuple[NDArray[np.intp], ...]:
    """As skimage.morphology.local_maxima. NaN is refused."""
    return _local_extrema("maxima", image, footprint, connectivity, indices, allow_borders)


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def local_minima(image, footprint=None, connectivity=None, indices=False,
                 allow_borders=True) -> NDArray[np.bool_] | tuple[NDArray[np.intp], ...]:
    """As skimage.morphology.local_minima, but exact for floats: scikit-image uses 1 - image. NaN is
    refused."""
    return _local_extrema("minima", image, footprint, connectivity, indices, allow_borders)


@_peers.drop_in
def remove_small_objects(ar, min_size=64, connectivity=1, in_place=False, *, out=None) -> NDArray[Any]:
    """As skimage.morphology.remove_small_objects."""
    if in_place:
        warnings.warn("in_place argument is deprecated and will be removed in version 1.0. Please use out argument "
                      "instead.", FutureWarning, stacklevel=3)
    type = _peers.type_of(ar)
    if type.kind not in "biu":
        raise TypeError(f"Only bool or integer image types are supported. Got {ar.dtype}.")
    if _peers.type_of(ar if out is None else out) == bool and min_size > 0:
        return _large_objects(ar, min_size, connectivity, ar if in_place and out is None else out)
    ar = _peers.on_host(ar, "ar")
    if out is not None:
        out[...] = ar
    else:
        out = ar if in_place else ar.copy()
    if out.dtype == bool or min_size == 0:
        return out
    if out.dtype.kind == "i" and out.size and out.min() < 0:
        raise ValueError("Negative value labels are not supported. Try relabeling the input with "
                         "`scipy.ndimage.label` or `skimage.morphology.label`.")
    sizes = np.bincount(out.ravel())
    if len(sizes) == 2:
        warnings.warn("Only one label was provided to `remove_small_objects`. Did you mean to use a boolean array?",
                      stacklevel=3)
    out[(sizes < min_size)[out]] = 0
    return out


def _large_objects(ar, min_size, connectivity, target):
    near = _peers.connectivity_of(_reach_of(None, connectivity, ar.ndim), ar.ndim)
    pixels = int(np.prod(ar.shape))
    objects = _peers.spatial(_peers.with_axes(_peers.cast(ar, bool)), "ar")
    kept = macareu.remove_small(objects, min_size=min(min_size, pixels + 1), connectivity=near).reshape(ar.shape)
    if target is None:
        return kept
    target[...] = kept
    return target


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def erosion(image, footprint=None, out=None, shift_x=False, shift_y=False) -> NDArray[Any]:
    """As skimage.morphology.erosion, for footprints with odd sides, which shifts leave in place. NaN is refused."""
    return _given_to(out, *_steps(image, footprint, "erosion"))


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def dilation(image, footprint=None, out=None, shift_x=False, shift_y=False) -> NDArray[Any]:
    """As skimage.morphology.dilation, for footprints with odd sides, which shifts leave in place. NaN is refused."""
    return _given_to(out, *_steps(image, footprint, "dilation"))


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def opening(image, footprint=None, out=None) -> NDArray[Any]:
    """As skimage.morphology.opening, for footprints with odd sides. NaN is refused."""
    return _given_to(out, *_steps(image, footprint, "erosion", "dilation"))


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def closing(image, footprint=None, out=None) -> NDArray[Any]:
    """As skimage.morphology.closing, for footprints with odd sides. NaN is refused."""
    return _given_to(out, *_steps(image, footprint, "dilation", "erosion"))


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def white_tophat(image, footprint=None, out=None) -> NDArray[Any]:
    """As skimage.morphology.white_tophat, for footprints with odd sides. NaN is refused."""
    image, footprint = _flat_arguments(image, footprint)
    opened = _footprints.filtered("opening", image, footprint, border="reflect")
    return _given_to(out, image, image ^ opened if image.dtype == bool else image - opened)


@_peers.renamed("selem", "footprint")
@_peers.drop_in
def black_tophat(image, footprint=None, out=None) -> NDArray[Any]:
    """As skimage.morphology.black_tophat, for footprints with odd sides. NaN is refused."""
    image, closed = _steps(image, footprint, "dilation", "erosion")
    return _given_to(out, image, closed ^ image if image.dtype == bool else closed - image)


def _flat_arguments(image, footprint):
    image = _peers.on_host(image)
    _peers.check_pixels(image, "image")
    if footprint is None:
        footprint = _peers.structure_of(image.ndim, 1)
    footprint = np.asarray(footprint)
    if footprint.ndim != image.ndim:
        raise RuntimeError("footprint array has incorrect shape.")
    if not all(size % 2 for size in footprint.shape):
        raise NotImplementedError(f"footprint: only odd sides are supported, got {footprint.shape}")
    return image, footprint


def _steps(image, footprint, *names):
    """The image and the result of operators one after another. scikit-image does not reflect the footprint of
    dilations."""
    image, footprint = _flat_arguments(image, footprint)
    result = image
    for name in names:
        own = _footprints.inverted(footprint) if name == "dilation" else footprint
        result = _footprints.filtered(name, result, own, border="reflect")
    return image, result


def _given_to(out, image, result):
    if out is None:
        return result
    if out.shape != image.shape:
        raise RuntimeError("output shape not correct")
    out[...] = result
    return out


def _local_extrema(name, image, footprint, connectivity, indices, allow_borders):
    image = _peers.as_array(image)
    if _peers.type_of(image) == np.float16:
        raise TypeError("dtype of `image` is float16 which is not supported, try upcasting to float32")
    if image.ndim == 0:
        raise ValueError("image: expected at least one axis")
    pixels = int(np.prod(image.shape))
    if not isinstance(image, np.ndarray) and (indices or not allow_borders or not pixels):
        _peers.on_host(image)
    if not allow_borders and any(size < 3 for size in image.shape) and pixels:
        warnings.warn("maxima can't exist for an image with any dimension smaller 3 if borders aren't allowed",
                      stacklevel=4)
        pixels = 0  # no pixel can be a maximum
    found = np.zeros(image.shape, dtype=bool)
    if pixels:
        near = _peers.connectivity_of(_reach_of(footprint, connectivity, image.ndim), image.ndim)
        found = getattr(macareu, name)(_peers.spatial(image), connectivity=near)
        if not allow_borders:
            found = _inside(found, near, image.ndim)
        found = found.reshape(image.shape)
    return np.nonzero(found) if indices else found


def _inside(found, near, axes):
    """Removes extrema that touch the border. A single row, from one axis, would touch it everywhere."""
    if axes > 1:
        return macareu.clear_border(found, connectivity=near)
    below = np.pad(found, ((1, 1), (0, 0)))
    ends = np.zeros_like(below)
    ends[:, [0, -1]] = below[:, [0, -1]]
    return (below & ~macareu.reconstruct(ends, below))[1:2]


def _reach_of(footprint, connectivity, axes):
    if footprint is None:
        if connectivity is not None and connectivity < 1:
            raise NotImplementedError(f"connectivity: {connectivity} is not supported, expected at least 1")
        return axes if connectivity is None else int(connectivity)
    footprint = np.asarray(footprint, dtype=bool)
    if footprint.ndim != axes:
        raise ValueError("number of dimensions in image and footprint do notmatch")
    if any(size != 3 for size in footprint.shape):
        raise ValueError("dimension size in footprint is not 3")
    return _peers.reach_of(footprint, axes, "footprint")
