"""Functions with SciPy's names, signatures, defaults and result types: changing the import is enough.

Unsupported parameters of SciPy raise NotImplementedError with their name.
"""

from . import ndimage

__all__ = ["ndimage"]
