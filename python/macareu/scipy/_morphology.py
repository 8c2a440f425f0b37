"""As scipy.ndimage: morphology of binary and grey images."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _footprints, _peers
from ._arguments import check_origin, connectivity, for_axes, given_to, result_type


@_peers.drop_in
def binary_fill_holes(input, structure=None, output=None, origin=0) -> NDArray[np.bool_] | None:
    """As scipy.ndimage.binary_fill_holes; returns None where output is an array."""
    image = _binary(input)
    check_origin(origin, image.ndim)
    _check_binary_output(output, image)
    near = connectivity(structure, image.ndim)
    if image.ndim == 0:
        filled = np.ones((), bool)
    elif image.ndim == 1:  # padded above and below, because a single row is all border
        filled = macareu.fill_holes(np.pad(_peers.on_host(image, "input")[None], ((1, 1), (0, 0)), constant_values=True))[1]
    else:
        filled = macareu.fill_holes(_peers.spatial(image, "input"), connectivity=near)
    if _peers.is_array(output):
        output[...] = filled
        return None
    return filled


@_peers.drop_in
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0,
                       origin=0) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_propagation."""
    image = _binary(_peers.on_host(input, "input"))
    check_origin(origin, image.ndim)
    _check_binary_output(output, image)
    if mask is None:
        within = np.ones(image.shape, bool)
    else:
        within = _binary(_peers.on_host(mask, "mask"))
        if within.shape != image.shape:
            raise RuntimeError("mask and input must have equal sizes")
    if image.ndim == 0:
        border_value = 0  # no border
    if border_value:  # the outside propagates to every border pixel
        image = image | (within & _border(image.shape))
    within = within | image  # pixels set outside the mask stay set, and propagate
    rows = (_peers.spatial(_peers.with_axes(one), name) for one, name in ((image, "input"), (within, "mask")))
    near = connectivity(structure, image.ndim)
    grown = macareu.reconstruct(*rows, connectivity=near).reshape(image.shape)
    if _peers.is_array(output):
        output[...] = grown
        return output
    return grown


@_peers.drop_in
def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                 origin=0) -> NDArray[Any]:
    """As scipy.ndimage.grey_erosion, without structure. NaN is refused."""
    return _grey("erosion", input, size, footprint, structure, output, mode, cval, origin)


@_peers.drop_in
def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                  origin=0) -> NDArray[Any]:
    """As scipy.ndimage.grey_dilation, without structure. NaN is refused."""
    return _grey("dilation", input, size, footprint, structure, output, mode, cval, origin)


@_peers.drop_in
def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                 origin=0) -> NDArray[Any]:
    """As scipy.ndimage.grey_opening, without structure. NaN is refused."""
    return _grey("opening", input, size, footprint, structure, output, mode, cval, origin)


@_peers.drop_in
def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                 origin=0) -> NDArray[Any]:
    """As scipy.ndimage.grey_closing, without structure. NaN is refused."""
    return _grey("closing", input, size, footprint, structure, output, mode, cval, origin)


@_peers.drop_in
def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                   brute_force=False) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_erosion, without mask."""
    return _binary_steps(("erosion",), input, structure, iterations, mask, output, border_value, origin)


@_peers.drop_in
def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                    brute_force=False) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_dilation, without mask."""
    return _binary_steps(("dilation",), input, structure, iterations, mask, output, border_value, origin)


@_peers.drop_in
def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_opening, without mask."""
    return _binary_steps(("erosion", "dilation"), input, structure, iterations, mask, output, border_value, origin)


@_peers.drop_in
def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False) -> NDArray[np.bool_]:
    """As scipy.ndimage.binary_closing, without mask."""
    return _binary_steps(("dilation", "erosion"), input, structure, iterations, mask, output, border_value, origin)


def _grey(name, input, size, footprint, structure, output, mode, cval, origin):
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")
    _peers.refuse(structure=(structure, None))
    image = _peers.on_host(input, "input")
    if image.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    _peers.check_pixels(image, "input")
    type = result_type(output, image)
    check_origin(origin, image.ndim)
    if footprint is None:
        footprint = np.ones([int(one) for one in for_axes(size, image.ndim)], bool)
    else:
        footprint = np.asarray(footprint, dtype=bool)
        if not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
        if footprint.ndim != image.ndim:
            raise RuntimeError("footprint array has incorrect shape.")
    modes = {_peers.border_of(one) for one in for_axes(mode, image.ndim)}
    if len(modes) > 1:
        raise NotImplementedError(f"mode: only one for all axes is supported, got {mode!r}")
    border = modes.pop()
    if border == "constant" and image.dtype.kind != "f" and image.dtype.type(cval) != cval:
        raise NotImplementedError(f"cval: only values of {image.dtype} are supported, got {cval}")
    result = _footprints.filtered(name, image, footprint, border=border, outside=cval)
    return given_to(output, _peers.cast(result, type))


def _binary_steps(names, input, structure, iterations, mask, output, border_value, origin):
    try:
        iterations = operator.index(iterations)
    except TypeError as error:
        raise TypeError("iterations parameter should be an integer") from error
    _peers.refuse(mask=(mask, None))
    image = _binary(_peers.on_host(input, "input"))
    check_origin(origin, image.ndim)
    _check_binary_output(output, image)
    structure = _peers.structure_of(image.ndim, 1) if structure is None else np.asarray(structure, dtype=bool)
    if structure.ndim != image.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    if not structure.any():
        raise NotImplementedError("structure: one without pixels is not supported")
    for name in names:
        done = 0
        while done < iterations or iterations < 1:
            before, done = image, done + 1
            image = _footprints.filtered(name, image, structure, border="constant", outside=int(bool(border_value)))
            if iterations < 1 and np.array_equal(before, image):
                break
    return given_to(output if _peers.is_array(output) else None, image)


def _binary(array):
    array = _peers.as_array(array)
    type = _peers.type_of(array)
    if type.kind == "c":
        raise TypeError("Complex type not supported")
    return array if type == bool else array != 0


def _border(shape):
    border = np.ones(shape, bool)
    border[tuple(slice(1, -1) for _ in shape)] = False
    return border


def _check_binary_output(output, image):
    if not _peers.is_array(output):
        return
    if _peers.type_of(output).kind == "c":
        raise TypeError("Complex output type not supported")
    result_type(output, image)
