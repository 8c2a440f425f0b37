"""As skimage.measure."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import macareu

from .. import _peers
from ._regions import Regions, columns_of

__all__ = ["label", "regionprops_table"]


@_peers.drop_in
def label(label_image, background=None, return_num=False,
          connectivity=None) -> NDArray[Any] | tuple[NDArray[Any], int]:
    """As skimage.measure.label: connected pixels of equal value are one object. int32 for booleans, else int64.

    Labels follow the raster order of first pixels, also in volumes with an axis of one pixel.
    """
    image = _peers.as_array(label_image)
    if image.ndim == 0 and _peers.type_of(image) != bool:
        raise NotImplementedError("label_image: arrays without axes are not supported")
    reach = image.ndim if connectivity is None else connectivity
    if not 1 <= reach <= image.ndim:
        raise ValueError(f"Connectivity for {image.ndim}D image should be in [1, ..., {image.ndim}]. "
                         f"Got {connectivity}.")
    near = _peers.connectivity_of(int(reach), image.ndim)
    type = _peers.type_of(image)
    if type == bool:
        set_pixels = ~image if background == 1 else image
        labels = _peers.viewed(macareu.label(_peers.spatial(set_pixels), connectivity=near), np.int32)
    else:
        outside = 0 if background is None else int(background)
        # scikit-image computes in int64, and so truncates floats.
        if type.kind not in "iu" or not np.iinfo(type).min <= outside <= np.iinfo(type).max:
            image = _peers.cast(image, np.int64)
        labels = _peers.viewed(macareu.label(_peers.spatial(image), connectivity=near, values=True, type="u64",
                                             background=outside), np.int64)
    labels = labels.reshape(image.shape)
    return (labels, int(labels.max()) if np.prod(image.shape) else 0) if return_num else labels


@_peers.drop_in
def regionprops_table(label_image, intensity_image=None, properties=("label", "bbox"), *, cache=True, separator="-",
                      extra_properties=None) -> dict[str, NDArray[Any]]:
    """As skimage.measure.regionprops_table, for the properties of `macareu.measure`. NaN is refused."""
    labels = _peers.on_host(label_image, "label_image")
    if labels.ndim not in (2, 3):
        raise TypeError("Only 2-D and 3-D images supported.")
    if labels.dtype.kind not in "iu":
        raise TypeError("Non-integer label_image types are ambiguous: use label, or label_image.astype(np.uint8)")
    _peers.not_empty(labels, "label_image")
    intensities = [None]
    if intensity_image is not None:
        image = _peers.on_host(intensity_image, "intensity_image")
        if image.shape[:labels.ndim] != labels.shape or image.ndim > labels.ndim + 1:
            raise ValueError("Label and intensity image shapes must match, except for channel (last) axis.")
        _peers.check_pixels(image, "intensity_image")
        channels = image.ndim > labels.ndim
        intensities = [image[..., c] for c in range(image.shape[-1])] if channels else [image]
    labels, names = _peers.small_labels(labels)
    tables = [_measured(labels, intensity) for intensity in intensities]
    weighed = intensity_image is not None
    regions = Regions(tables, labels, weighed, weighed and channels)
    if names is not None:
        for table in tables:
            table["label"] = names[table["label"]]
    functions = {function.__name__: function for function in extra_properties or ()}
    found = {}
    for name in (*properties, *functions):
        if name in functions and regions.has(name):
            warnings.warn(f"Extra property '{name}' is shadowed by existing property and will be inaccessible. Consider "
                          "renaming it.", stacklevel=3)
        if name in functions and not regions.has(name):
            found.update(columns_of(functions[name], regions, image if weighed else None, labels.ndim, separator))
        else:
            found.update(regions.columns(name, separator))
    return found


def _measured(labels, intensity):
    try:
        return macareu.measure(labels, intensity)
    except ValueError as failure:
        if intensity is not None and np.isinf(intensity).any() and not np.isnan(intensity).any():
            raise NotImplementedError("intensity_image: infinite intensities are not supported") from failure
        raise
