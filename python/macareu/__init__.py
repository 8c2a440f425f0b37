"""Image operators with irregular wavefront propagation: reconstruction, extrema, distances and related ones.

One function for each operator of the catalogue. They take arrays of NumPy (any strides, no copy), CuPy, PyTorch and
other packages with DLPack or `__cuda_array_interface__`. Images larger than memory are files (`macareu.open`),
`numpy.memmap`, and arrays of zarr and h5py. `macareu.skimage` and `macareu.scipy` have functions with the names and
signatures of those packages.

>>> import macareu
>>> mask, marker = macareu.generate("tissue", (256, 256))
>>> macareu.reconstruct(marker, mask).dtype.name
'uint8'
"""

from . import _functions
from ._device_array import DeviceArray
from ._lazy_image import LazyImage, open  # noqa: A004, not in __all__: a star import keeps Python's own
from ._tools import Comparison, compare, generate, info
from ._view import View, view

globals().update(_functions.functions)
from . import scipy, skimage  # noqa: E402, they call the functions
from ._nuclei import nuclei  # noqa: E402, likewise

__version__ = info()["version"]
__all__ = [*_functions.functions, "Comparison", "DeviceArray", "LazyImage", "View", "compare", "generate", "info", "nuclei",
           "scipy", "skimage", "view"]


def __getattr__(name):
    """Suggests an operator for unknown names, including those of other libraries: macareu.imreconstruct."""
    near = _functions.nearest_operator(name)
    hint = f" (did you mean {near}?)" if near else _functions.did_you_mean(name, __all__)
    raise AttributeError(f"module 'macareu' has no attribute {name!r}{hint}")
