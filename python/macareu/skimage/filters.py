"""As skimage.filters."""

import numpy as np

import macareu

from .. import _peers

__all__ = ["apply_hysteresis_threshold"]


def apply_hysteresis_threshold(image, low, high):
    """As skimage.filters.apply_hysteresis_threshold: what is above low and joined, by faces, to what is above high."""
    image = np.asarray(image)
    within = image > np.clip(low, a_min=None, a_max=high)
    seeds = image > high
    grown = macareu.reconstruct(_peers.spatial(seeds), _peers.spatial(within), connectivity="face")
    return grown.reshape(image.shape)
