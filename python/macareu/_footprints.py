"""Erosion and dilation by the arguments of other packages."""

from __future__ import annotations

import numpy as np

import macareu

from . import _peers


def filtered(name, image, footprint, **named):
    """macareu.`name` of an array of 1 to 3 axes, by a footprint of as many."""
    flat = _peers.spatial(image)
    footprint = np.ascontiguousarray(footprint, dtype=bool)
    if footprint.all():
        named.update(element="rectangle", size=[1] * (flat.ndim - image.ndim) + list(footprint.shape))
    else:
        named["footprint"] = _peers.spatial(footprint, "footprint")
    return getattr(macareu, name)(flat, **named).reshape(image.shape)


def inverted(footprint):
    return np.asarray(footprint)[(slice(None, None, -1),) * np.ndim(footprint)]
