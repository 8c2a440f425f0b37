"""Arguments shared by functions under SciPy's names."""

import numpy as np

from .. import _peers


def for_axes(value, axes):
    """One value per axis, as SciPy accepts it."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * axes
    if len(value) != axes:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return list(value)


def connectivity(structure, axes):
    if structure is None:
        return "face"
    structure = np.asarray(structure, dtype=bool)
    if structure.ndim != axes:
        raise RuntimeError("structure and input must have same dimensionality")
    return _peers.connectivity_of(_peers.reach_of(structure, axes, "structure"), axes)


def check_origin(origin, axes):
    for one in for_axes(origin, axes):
        _peers.refuse(origin=(one, 0))


def result_type(output, image):
    """The type to compute in, always in native byte order."""
    if output is None:
        return _peers.type_of(image).newbyteorder("=")
    if not _peers.is_array(output):
        type = np.dtype(output)
        if isinstance(output, str) and not type.isnative:
            raise KeyError(output)  # SciPy accepts swapped bytes only as np.dtype
        return type.newbyteorder("=")
    if tuple(output.shape) != tuple(image.shape):
        raise RuntimeError("output shape not correct")
    return _peers.type_of(output).newbyteorder("=")


def given_to(output, result):
    if isinstance(output, np.dtype) and not output.isnative:
        return result.astype(output)
    if not _peers.is_array(output):
        return result
    output[...] = result
    return output
