"""Functions with scikit-image's names, signatures, defaults and types of results: changing the import is enough.

What a parameter of scikit-image means and is not served here raises NotImplementedError, naming it.
"""

from . import feature, filters, measure, morphology

__all__ = ["feature", "filters", "measure", "morphology"]
