"""As scipy.ndimage: morphology of binary images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _peers
from ._arguments import check_origin, connectivity, result_type


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
