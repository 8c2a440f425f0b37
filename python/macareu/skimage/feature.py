"""As skimage.feature."""

import numpy as np

import macareu

from .. import _peers

__all__ = ["canny"]


def canny(image, sigma=1.0, low_threshold=None, high_threshold=None, mask=None, use_quantiles=False, *,
          mode="constant", cval=0.0):
    """As skimage.feature.canny, without mask and quantiles. NaN is refused."""
    _peers.refuse(mask=(mask, None), use_quantiles=(use_quantiles, False))
    image = np.asarray(image)
    if image.ndim != 2:
        raise ValueError("The parameter `image` must be a 2-dimensional array")
    if image.dtype == np.float16:
        image = image.astype(np.float32)
    highest = 1 if image.dtype.kind in "bf" else np.iinfo(image.dtype).max
    low = 0.1 * highest if low_threshold is None else low_threshold
    high = 0.2 * highest if high_threshold is None else high_threshold
    if high < low:
        raise ValueError("low_threshold should be lower then high_threshold")
    return macareu.canny(image, flavour="skimage", sigma=sigma,
                         low="auto" if low_threshold is None else float(low_threshold),
                         high="auto" if high_threshold is None else float(high_threshold),
                         border=_peers.border_of(mode), outside=float(cval))
