"""The object properties of scikit-image's tables, computed from `macareu.measure`."""

import inspect
import math

import numpy as np

# Old names that scikit-image's tables still accept.
_OLD_NAMES = {
    "bbox_area": "area_bbox", "equivalent_diameter": "equivalent_diameter_area", "local_centroid": "centroid_local",
    "major_axis_length": "axis_major_length", "minor_axis_length": "axis_minor_length",
    "max_intensity": "intensity_max", "mean_intensity": "intensity_mean", "min_intensity": "intensity_min",
    "weighted_centroid": "centroid_weighted", "weighted_local_centroid": "centroid_weighted_local",
    "Area": "area", "BoundingBox": "bbox", "BoundingBoxArea": "area_bbox", "Centroid": "centroid",
    "Eccentricity": "eccentricity", "EquivDiameter": "equivalent_diameter_area", "EulerNumber": "euler_number",
    "Extent": "extent", "InertiaTensor": "inertia_tensor", "InertiaTensorEigvals": "inertia_tensor_eigvals",
    "Label": "label", "LocalCentroid": "centroid_local", "MajorAxisLength": "axis_major_length",
    "MaxIntensity": "intensity_max", "MeanIntensity": "intensity_mean", "MinIntensity": "intensity_min",
    "MinorAxisLength": "axis_minor_length", "Orientation": "orientation", "Perimeter": "perimeter", "Slice": "slice",
    "WeightedCentroid": "centroid_weighted", "WeightedLocalCentroid": "centroid_weighted_local",
}
# Unsupported properties of scikit-image's tables.
_NOT_SERVED = {
    "area_convex", "area_filled", "coords", "feret_diameter_max", "image", "image_convex", "image_filled",
    "image_intensity", "moments", "moments_central", "moments_hu", "moments_normalized", "moments_weighted",
    "moments_weighted_central", "moments_weighted_hu", "moments_weighted_normalized", "perimeter_crofton", "solidity",
    "convex_area", "convex_image", "filled_area", "filled_image", "intensity_image", "weighted_moments",
    "weighted_moments_central", "weighted_moments_hu", "weighted_moments_normalized", "CentralMoments", "ConvexArea",
    "ConvexImage", "Coordinates", "CroftonPerimeter", "FeretDiameter", "FeretDiameterMax", "FilledArea", "FilledImage",
    "HuMoments", "Image", "IntensityImage", "Moments", "NormalizedMoments", "Solidity", "WeightedCentralMoments",
    "WeightedHuMoments", "WeightedMoments", "WeightedNormalizedMoments",
}
_KNOWN = {*_OLD_NAMES, *_OLD_NAMES.values(), *_NOT_SERVED}
_IN_IMAGES_ALONE = {"eccentricity", "orientation", "perimeter"}
_OF_INTENSITY = {"intensity_max", "intensity_mean", "intensity_min", "centroid_weighted", "centroid_weighted_local"}


class Regions:
    """`tables`: the results of measure, one per channel of the intensity image, or one without intensity."""

    def __init__(self, tables, labels, weighed, channels):
        self._tables, self._labels, self._weighed, self._channels = tables, labels, weighed, channels
        self._axes, self._numbers = labels.ndim, tables[0]["label"]

    def __len__(self):
        return len(self._numbers)

    def place(self, row):
        """An object's bounding box, and its mask inside the box."""
        box = tuple(slice(int(low[row]), int(high[row])) for low, high in self._box())
        return box, self._labels[box] == self._numbers[row]

    @staticmethod
    def has(name):
        """Whether scikit-image has this property, supported or not."""
        return name in _KNOWN

    def columns(self, asked, separator):
        """(name, values) of every column of a property, under the requested name."""
        if asked not in _KNOWN:
            raise AttributeError(f"{asked}: there is no such property")
        if asked in _NOT_SERVED:
            raise NotImplementedError(f"{asked}: this property is not supported")
        name = _OLD_NAMES.get(asked, asked)
        if name in _IN_IMAGES_ALONE and self._axes > 2:
            raise NotImplementedError(f"Property {name} is not implemented for 3D images")
        if name in _OF_INTENSITY:
            if not self._weighed:
                raise AttributeError(f"No intensity image specified, which {name} needs.")
            return list(self._by_channel(name, asked, separator))
        own = getattr(self, "_" + name, None)
        if own is not None:
            return own(asked, separator)
        return self._as_measured(self._tables[0], name, asked, separator)

    def _by_channel(self, name, asked, separator):
        if self._channels and name == "centroid_weighted":
            raise NotImplementedError(f"{asked}: with channels only centroid_weighted_local is supported")
        per_channel = [self._local(table, "centroid_weighted", asked, separator) if name.endswith("_local")
                       else self._as_measured(table, name, asked, separator) for table in self._tables]
        for columns in zip(*per_channel):
            for channel, (column, values) in enumerate(columns):
                yield (f"{column}{separator}{channel}" if self._channels else column), values

    @staticmethod
    def _as_measured(table, name, asked, separator):
        if name in table:
            return [(asked, table[name])]
        parts = [column for column in table if column.startswith(name + "-")]
        return [(separator.join([asked, *part[len(name) + 1:].split("-")]), table[part]) for part in parts]

    def _local(self, table, centre, asked, separator):
        """Relative to the corner of the bounding box."""
        return [(f"{asked}{separator}{axis}", table[f"{centre}-{axis}"] - table[f"bbox-{axis}"])
                for axis in range(self._axes)]

    def _area(self, asked, separator):
        return [(asked, self._tables[0]["num_pixels"])]

    def _area_bbox(self, asked, separator):
        return [(asked, np.prod([high - low for low, high in self._box()], axis=0))]

    def _centroid_local(self, asked, separator):
        return self._local(self._tables[0], "centroid", asked, separator)

    def _orientation(self, asked, separator):
        """If the moments along both axes are equal, scikit-image uses the sign opposite to that of the longer
        axis. Equality depends on rounding, so the sums are computed in its order."""
        across, both, along = (self._tables[0][f"inertia_tensor-{i}"] for i in ("0-0", "0-1", "1-1"))
        angles = self._tables[0]["orientation"].copy()
        known = {}  # cache: most objects are small, and many are identical
        for row in np.flatnonzero(np.isclose(across, along, rtol=1e-9, atol=0) & (both != 0)):
            inside = self.place(row)[1]
            form = inside.shape, inside.tobytes()
            if form not in known:
                known[form] = _orientation_by_sums(inside.astype(np.float64))
            angles[row] = known[form]
        return [(asked, angles)]

    def _slice(self, asked, separator):
        boxes = np.empty(len(self._tables[0]["label"]), object)
        for row, sides in enumerate(zip(*(zip(low.tolist(), high.tolist()) for low, high in self._box()))):
            boxes[row] = tuple(slice(low, high, None) for low, high in sides)
        return [(asked, boxes)]

    def _box(self):
        table = self._tables[0]
        return [(table[f"bbox-{axis}"], table[f"bbox-{axis + self._axes}"]) for axis in range(self._axes)]


def _orientation_by_sums(inside):
    """Computed as in scikit-image, with its rounding."""
    sums = _moments(inside, (0.0, 0.0))
    sums = _moments(inside, (sums[1, 0] / sums[0, 0], sums[0, 1] / sums[0, 0]))
    along_both = sums[2, 0] + sums[0, 2]
    across, along = (along_both - sums[2, 0]) / sums[0, 0], (along_both - sums[0, 2]) / sums[0, 0]
    both = -sums[1, 1] / sums[0, 0]
    if across - along == 0:
        return -np.pi / 4 if both < 0 else np.pi / 4
    return 0.5 * math.atan2(-2 * both, along - across)


def _moments(inside, centre):
    """Up to the third order: fewer would change the order of summation."""
    for axis, middle in enumerate(centre):
        powers = (np.arange(inside.shape[axis], dtype=np.float64) - middle)[:, None] ** np.arange(4.0)
        inside = np.moveaxis(np.dot(np.moveaxis(inside, axis, -1), powers), -1, axis)
    return inside


def columns_of(function, regions, intensity, axes, separator):
    """(name, values) of the columns of a user's property function. It receives each object's mask in its box
    and, if it takes two arguments, the intensities there, channel by channel."""
    name = function.__name__
    given = inspect.getfullargspec(function)
    wanted = len(given.args) - len(given.defaults or ())
    if wanted not in (1, 2):
        raise AttributeError(f"Custom regionprop function's number of arguments must be 1 or 2, but {name} takes {wanted}")
    if wanted == 2 and intensity is None:
        raise AttributeError(f"intensity image required to calculate {name}")

    def property_of(inside, pixels):
        if wanted == 1:
            return function(inside)
        if pixels.ndim == axes:
            return function(inside, pixels * inside)
        return np.stack([function(inside, pixels[..., c] * inside) for c in range(pixels.shape[-1])], axis=-1)

    places = [regions.place(row) for row in range(len(regions))]
    values = [property_of(inside, None if intensity is None else intensity[box]) for box, inside in places]
    type = _type_of_property(function, wanted, axes)
    if values:
        return _as_columns(name, values, type, separator)
    # Without objects, an object of one pixel determines the columns.
    one = (1,) * axes
    pixel = None if intensity is None else np.zeros(one + intensity.shape[axes:], intensity.dtype)
    columns = _as_columns(name, [property_of(np.ones(one, bool), pixel)], type, separator)
    return [(column, values[:0]) for column, values in columns]


def _type_of_property(function, wanted, axes):
    """Determines the columns as scikit-image does, from objects of one pixel and of more. `object` dtype if
    their shapes differ."""
    one, more = np.zeros((3,) * axes, bool), np.zeros((3,) * axes, bool)
    one[(0,) * axes] = True
    more[(slice(1, None),) * axes] = True
    weights = np.linspace(0, 1, 3**axes).reshape(one.shape)
    first, second = (np.array(function(*(inside, weights)[:wanted])) for inside in (one, more))
    return first.dtype if first.shape == second.shape else np.dtype(object)


def _as_columns(name, values, type, separator):
    if type == object or np.isscalar(values[0]):
        column = np.empty(len(values), type)
        for row, value in enumerate(values):
            column[row] = value
        return [(name, column)]
    table = np.array(values, type)
    return [(separator.join(map(str, (name, *place))), table[(slice(None), *place)]) for place in np.ndindex(table.shape[1:])]
