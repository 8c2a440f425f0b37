"""As skimage.feature."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _peers

__all__ = ["canny"]


@_peers.drop_in
def canny(image, sigma=1.0, low_threshold=None, high_threshold=None, mask=None, use_quantiles=False, *,
          mode="constant", cval=0.0) -> NDArray[np.bool_]:
    """As skimage.feature.canny, without quantiles and masks: a mask must be set everywhere. NaN is
    refused."""
    if use_quantiles and not all(t is None or 0 <= t <= 1 for t in (low_threshold, high_threshold)):
        raise ValueError("Quantile thresholds must be between 0 and 1.")
    _peers.refuse(use_quantiles=(use_quantiles, False))
    image = _peers.as_array(image)
    if 0 in image.shape:
        raise ValueError("The parameter `image` cannot be an empty array")
    if image.ndim != 2:
        raise ValueError("The parameter `image` must be a 2-dimensional array")
    type = _peers.type_of(image)
    if type == np.float16:
        image = _peers.cast(image, np.float32)
    highest = 1 if type.kind in "bf" else np.iinfo(type).max
    low = 0.1 * highest if low_threshold is None else low_threshold
    high = 0.2 * highest if high_threshold is None else high_threshold
    if high < low:
        raise ValueError("low_threshold should be lower then high_threshold")
    for name, given in (("low_threshold", low), ("high_threshold", high)):
        if not np.isfinite(given):
            raise NotImplementedError(f"{name}: only finite numbers are supported, got {given}")
    if np.ndim(sigma) and len(sigma) != 2:
        raise RuntimeError("sigma: expected one number, or one per axis")
    if mask is not None:
        mask = _peers.as_array(mask)
        if tuple(mask.shape) != tuple(image.shape):
            raise IndexError(f"mask: its shape {tuple(mask.shape)} is not that of the image, {tuple(image.shape)}")
        if not mask.all():
            raise NotImplementedError("mask: only True everywhere is supported")
    border = _peers.border_of(mode)
    outside = float(cval) if border == "constant" else 0.0
    if not np.isfinite(outside):
        raise NotImplementedError(f"cval: only finite numbers are supported, got {cval}")
    return macareu.canny(image, flavour="skimage", sigma=sigma,
                         low="auto" if low_threshold is None else float(low_threshold),
                         high="auto" if high_threshold is None else float(high_threshold),
                         border=border, outside=outside)
