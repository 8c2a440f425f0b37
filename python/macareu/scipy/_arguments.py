"""What arguments of several functions under SciPy's names mean."""

import numpy as np

from .. import _peers


def for_axes(value, axes):
    """One value for each axis, as SciPy takes it."""
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


def result_type(output, image):
    if output is None:
        return _peers.type_of(image)
    if not _peers.is_array(output):
        return np.dtype(output)
    if tuple(output.shape) != tuple(image.shape):
        raise RuntimeError("output shape not correct")
    return _peers.type_of(output)


def given_to(output, result):
    if not _peers.is_array(output):
        return result
    output[...] = result
    return output
