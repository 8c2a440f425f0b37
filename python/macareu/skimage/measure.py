"""As skimage.measure."""

import numpy as np

import macareu

from .. import _peers

__all__ = ["label"]


def label(label_image, background=None, return_num=False, connectivity=None):
    """As skimage.measure.label: neighbours of one value are one object. int32 for booleans, else int64.

    Numbers follow the order of first pixels, in volumes with an axis of one pixel too.
    """
    image = np.asarray(label_image)
    reach = image.ndim if connectivity is None else connectivity
    if not 1 <= reach <= image.ndim:
        raise ValueError(f"Connectivity for {image.ndim}D image should be in [1, ..., {image.ndim}]. "
                         f"Got {connectivity}.")
    near = _peers.connectivity_of(reach, image.ndim)
    if image.dtype == bool:
        set_pixels = ~image if background == 1 else image
        labels, type = macareu.label(_peers.spatial(set_pixels), connectivity=near), np.int32
    else:
        outside = 0 if background is None else int(background)
        whole = image
        # scikit-image computes in int64, and so takes the whole part of floats.
        if image.dtype.kind not in "iu" or not np.iinfo(image.dtype).min <= outside <= np.iinfo(image.dtype).max:
            whole = image.astype(np.int64)
        labels = macareu.label(_peers.spatial(whole), connectivity=near, values=True, type="u64", background=outside)
        type = np.int64
    labels = labels.view(type).reshape(image.shape)
    return (labels, int(labels.max(initial=0))) if return_num else labels
