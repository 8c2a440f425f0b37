"""As scipy.ndimage: filters."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _macareu, _peers
from ._arguments import check_origin, for_axes, given_to, result_type


@_peers.drop_in
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                    radius=None) -> NDArray[Any]:
    """As scipy.ndimage.gaussian_filter. Sums are float64, and converted to the result's type after every
    axis."""
    image = _peers.as_array(input)
    type = result_type(output, image)
    sigmas, orders, modes, radii = (for_axes(one, image.ndim) for one in (sigma, order, mode, radius))
    borders = [_peers.border_of(one) for one in modes]
    axes = [axis for axis in range(image.ndim) if sigmas[axis] > 1e-15]
    for axis in axes:
        if radii[axis] is not None and (not isinstance(radii[axis], (int, np.integer)) or radii[axis] < 0):
            raise ValueError("Radius must be a nonnegative integer.")
    if not axes:
        return given_to(output, _peers.copied(image, type))
    _check_types(image, type)
    if type.kind != "f":  # overflow in a conversion to integers is undefined
        if any(orders):
            raise NotImplementedError(f"output: derivatives support floats only, got {type}")
        if "constant" in borders and not np.iinfo(type).min <= cval <= np.iinfo(type).max:
            raise NotImplementedError(f"cval: only values of {type} are supported, got {cval}")
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
    return given_to(output, image)


def _smoothed(image, axes, sigmas, orders, radii, truncate, borders, outside, type):
    """Uses the library's Gaussians for float results. In float64, one call handles all axes."""
    if type.kind != "f" or any(orders) or len(set(borders)) > 1:
        _peers.on_host(image, "input")
    together = type == np.float64 and all(one is None for one in radii)
    for chosen in [axes] if together else [[axis] for axis in axes]:
        flat = _peers.spatial(image, "input")
        wide = [0] * (flat.ndim - image.ndim) + [float(s) if axis in chosen else 0 for axis, s in enumerate(sigmas)]
        ends = truncate
        if not together and radii[chosen[0]] is not None:
            ends = max(radii[chosen[0]], 1e-9) / float(sigmas[chosen[0]])
        smooth = macareu.gaussian(flat, sigma=wide, truncate=ends, border=borders[0], outside=outside, type="f64")
        image = _peers.cast(smooth.reshape(image.shape), type)
    return image


def _gaussian_weights(sigma, order, truncate, radius):
    """The half kernel, from the middle on, of a derivative of the Gaussian. Its factor is a polynomial q;
    each order replaces q by q' - q x / sigma^2. Computed as in SciPy, for the same rounding."""
    radius = int(truncate * sigma + 0.5) if radius is None else radius
    if order < 0:
        raise ValueError("order must be non-negative")
    if radius < 0:  # from a negative truncate
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
    """As scipy.ndimage.sobel. Sums are float64, and converted to the result's type after every axis. Overflow
    in that conversion is undefined, as in C."""
    image = _peers.on_host(input, "input")
    type = result_type(output, image)
    _check_types(image, type)
    if type.kind == "u" or type == np.int8:
        raise NotImplementedError(f"output: {type} cannot represent differences; use int16 or a float")
    axis = operator.index(axis)
    if not -image.ndim <= axis < image.ndim:
        raise getattr(np, "exceptions", np).AxisError(axis, image.ndim)  # NumPy 2 moved it to np.exceptions
    along = axis % image.ndim
    borders = [_peers.border_of(one) for one in for_axes(mode, image.ndim)]
    image = _correlated(image, along, [0, 1], True, type, borders[along], cval)
    for other in range(image.ndim):
        if other != along:
            image = _correlated(image, other, [2, 1], False, type, borders[other], cval)
    return given_to(output, image)


_SUMMED = ("uint8", "int16", "uint16", "float32", "float64")  # types that correlate_axis takes


def _correlated(image, axis, half, odd, type, border, outside):
    """SciPy's correlate1d, with its rounding. Weights are given from the middle on, and are odd or even."""
    flat = _peers.spatial(image, "input")
    along, half, outside = axis + flat.ndim - image.ndim, [float(one) for one in half], float(outside)
    finite = border != "constant" or np.isfinite(outside)
    direct = finite and type.name in _SUMMED and np.can_cast(flat.dtype, type)
    flat = _peers.cast(flat, np.dtype(type.name if direct else np.float64))
    if not finite:  # numbers of the library are finite
        flat = np.pad(flat, [((len(half) - 1) * (one == along),) * 2 for one in range(flat.ndim)], constant_values=outside)
        border, outside = "nearest", 0.0
    operation = _macareu.hidden_operations["correlate_axis"]
    result = operation.run((flat,), (along, half, odd, border, outside), None, "auto", "auto", 0, None)
    if not finite:
        result = np.take(result, range(len(half) - 1, result.shape[along] - len(half) + 1), along)
    return _peers.cast(result, type).reshape(image.shape)


def _check_types(image, type):
    """Refuses types: complex numbers and booleans, which only SciPy supports, and those that SciPy refuses
    too."""
    own = _peers.type_of(image)
    if own.kind == "c" and type.kind == "c":
        raise NotImplementedError(f"input: {own} is not supported")
    for name, each in (("input", own), ("output", type)):
        if each.kind not in "biuf" or each.itemsize > 8 or each == np.float16:
            raise RuntimeError(f"{name}: array type {each} not supported")
    if type.kind == "b":
        raise NotImplementedError("output: bool is not supported")


@_peers.drop_in
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0,
                  origin=0) -> NDArray[Any]:
    """As scipy.ndimage.median_filter, for windows of 1, 3, 5 or 7 pixels along every axis."""
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
    image = _peers.as_array(input)
    if _peers.type_of(image).kind == "c":
        raise TypeError("Complex type not supported")
    _peers.check_pixels(image, "input")
    check_origin(origin, image.ndim)
    side = _side_of_window(size, footprint, image.ndim)
    type, border = result_type(output, image), _peers.border_of(mode)
    if side > 1 and (type.kind not in "biuf" or type.itemsize > 8 or type == np.float16):
        raise RuntimeError(f"output: array type {type} not supported")
    outside = _outside(cval, _peers.type_of(image)) if border == "constant" and side > 1 else 0
    if side == 1:
        return given_to(output, _peers.copied(image, type))
    if image.ndim == 1:  # the median of equal rows is the median of one row
        row, cut = _peers.on_host(image, "input"), side // 2 if border == "constant" else 0
        row = np.pad(row, cut, constant_values=outside) if cut else row
        medians = macareu.median(row[None], size=side, border="nearest" if cut else border)[0, cut:row.size - cut]
    else:
        medians = macareu.median(_peers.spatial(image, "input"), size=side, border=border, outside=outside)
    own = _peers.type_of(medians)
    if own.kind in "iu" and own.itemsize == 8:  # SciPy compares them as float64
        medians = _peers.cast(_peers.cast(medians, np.float64), own)
    return given_to(output, _peers.cast(medians, type))


def _outside(cval, type):
    """The border value as a pixel of this type, truncated for integers."""
    value = float(cval)
    if not np.isfinite(value):
        raise NotImplementedError(f"cval: only finite numbers are supported, got {cval}")
    if type.kind == "f":
        return value
    limits = np.iinfo(np.uint8 if type.kind == "b" else type)
    if not limits.min <= int(value) <= limits.max:  # undefined in C
        raise NotImplementedError(f"cval: only values of {type} are supported, got {cval}")
    return min(int(value), 1) if type.kind == "b" else int(value)


def _side_of_window(size, footprint, axes):
    if footprint is not None:
        footprint = np.asarray(footprint, bool)
        if footprint.ndim != axes:
            raise RuntimeError("filter footprint array has incorrect shape.")
        if not footprint.all():
            raise NotImplementedError("footprint: only True everywhere is supported")
        size = footprint.shape
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    sides = {operator.index(side) for side in for_axes(size, axes)} or {1}
    if 0 in sides:
        raise RuntimeError("filter footprint array has incorrect shape.")
    if any(side < 0 for side in sides):
        raise ValueError("negative dimensions are not allowed")
    if len(sides) != 1 or not sides <= {1, 3, 5, 7}:
        raise NotImplementedError(f"size: only 1, 3, 5 and 7, one for all axes, are supported, got {size!r}")
    return sides.pop()
