"""Functions with SciPy's names, signatures, defaults and types of results: changing the import is enough.

What a parameter of SciPy means and is not served here raises NotImplementedError, naming it.
"""

from . import ndimage

__all__ = ["ndimage"]
