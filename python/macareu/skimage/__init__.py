"""Functions with scikit-image's names, signatures, defaults and result types: changing the import is enough.

Unsupported parameters of scikit-image raise NotImplementedError with their name.
"""

from . import feature, filters, measure, morphology, segmentation

__all__ = ["feature", "filters", "measure", "morphology", "segmentation"]
