"""As scipy.ndimage."""

from ._distances import distance_transform_edt
from ._filters import gaussian_filter, median_filter, sobel
from ._measurements import histogram, label, maximum, minimum, sum_labels
from ._morphology import (binary_closing, binary_dilation, binary_erosion, binary_fill_holes, binary_opening,
                          binary_propagation, grey_closing, grey_dilation, grey_erosion, grey_opening)

__all__ = ["distance_transform_edt", "binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes",
           "binary_opening", "binary_propagation", "gaussian_filter", "grey_closing", "grey_dilation", "grey_erosion",
           "grey_opening", "histogram", "label", "maximum", "median_filter", "minimum", "sobel", "sum_labels"]
