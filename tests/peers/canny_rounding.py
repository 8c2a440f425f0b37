"""Which edges scikit-image's canny may find, where the lengths of gradients are off by one unit in the last place.

NumPy's hypot is the C library's, whose last bit depends on the processor. A length decides in two places: whether it is a
maximum along the gradient, and whether it reaches a threshold. Both grow with the pixel's own length and fall with those
of its neighbours, so the ends of the intervals bound every decision.
"""

import numpy as np
from scipy import ndimage
from skimage import dtype_limits, filters

# Of all pixels of canny, those that may differ for this reason. x86-64: 0.8e-4.
EXCUSED_SHARE = 5e-4
ALL_NEIGHBOURS = np.ones((3, 3), bool)


class PossibleEdges:
    """By the definition of scikit-image 0.19, for images of any type that it takes."""

    def __init__(self, image, sigma, mode, cval=0, low_threshold=None, high_threshold=None):
        highest = dtype_limits(image, clip_negative=False)[1]
        low = 0.1 if low_threshold is None else low_threshold / highest
        high = 0.2 if high_threshold is None else high_threshold / highest
        smooth = filters.gaussian(image, sigma, mode=mode, cval=cval)
        smooth /= filters.gaussian(np.ones(image.shape), sigma, mode=mode, cval=cval) + np.finfo(float).eps
        y, x = ndimage.sobel(smooth, axis=0), ndimage.sobel(smooth, axis=1)
        wide = np.longdouble if smooth.dtype == np.float64 else np.float64
        length = np.sqrt(y.astype(wide) ** 2 + x.astype(wide) ** 2).astype(smooth.dtype)
        least, most = np.nextafter(length, 0), np.where(length > 0, np.nextafter(length, np.inf), 0)
        certain, possible = maxima(y, x, least, most), maxima(y, x, most, least)
        self.certain_low, self.possible_low = certain & (least >= low), possible & (most >= low)
        self.certain_high, self.possible_high = certain & (least >= high), possible & (most >= high)

    def holds(self, edges):
        """Whether some lengths within the intervals give exactly these edges after hysteresis."""
        if np.any(edges & ~self.possible_low) or np.any(self.certain_high & ~edges):
            return False
        labels, count = ndimage.label(edges, ALL_NEIGHBOURS)
        started = np.unique(labels[edges & self.possible_high])
        around = ndimage.binary_dilation(edges, ALL_NEIGHBOURS)
        return len(started) == count and not np.any(around & self.certain_low & ~edges)

    def wrong(self, edges):
        """These edges with one pixel changed that no rounding excuses: one edge less, one more."""
        for fixed in (self.certain_high, ~self.possible_low):
            places = np.flatnonzero(fixed)
            if len(places):
                changed = edges.copy()
                changed.flat[places[len(places) // 2]] ^= True
                yield changed


def maxima(y, x, own, others):
    """Inner pixels whose own length is not below the others on both sides along the gradient, interpolated."""
    inner = np.zeros(y.shape, bool)
    inner[1:-1, 1:-1] = own[1:-1, 1:-1] > 0
    row, column = np.nonzero(inner)
    y, x, own = y[inner], x[inner], own[inner]
    steep, flat = np.abs(y), np.abs(x)
    turn = np.where((y <= 0) & (x >= 0) | (y >= 0) & (x <= 0), -1, 1)
    upright = np.where(turn < 0, steep >= flat, steep > flat)
    share = np.minimum(steep, flat) / np.maximum(steep, flat)
    for side in (1, -1):
        straight = np.where(upright, others[row + side, column], others[row, column + side * turn])
        diagonal = others[row + side, column + side * turn]
        inner[row, column] &= diagonal * share + straight * (1 - share) <= own
    return inner
