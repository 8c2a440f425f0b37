"""As scipy.ndimage."""

from ._distances import distance_transform_edt
from ._filters import gaussian_filter, median_filter, sobel
from ._measurements import histogram, label, maximum, minimum, sum_labels
from ._morphology import binary_fill_holes, binary_propagation

__all__ = ["distance_transform_edt", "binary_fill_holes", "binary_propagation", "gaussian_filter", "histogram", "label",
           "maximum", "median_filter", "minimum", "sobel", "sum_labels"]
