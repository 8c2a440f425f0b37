"""The properties of objects that scikit-image's tables have, from those that `macareu.measure` gives."""

import inspect

import numpy as np

# Names of earlier versions of scikit-image that its tables still take.
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
_IN_IMAGES_ALONE = {"eccentricity", "orientation", "perimeter"}
_OF_INTENSITY = {"intensity_max", "intensity_mean", "intensity_min", "centroid_weighted", "centroid_weighted_local"}


class Regions:
    """`tables`: what measure gives, one for each channel of the intensity image, or one without intensity."""

    def __init__(self, tables, axes, weighed, channels):
        self._tables, self._axes, self._weighed, self._channels = tables, axes, weighed, channels

    def columns(self, asked, separator):
        """(name, values) of every column of a property, by whatever name it was asked for."""
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
            raise NotImplementedError(f"{asked}: of an intensity image with channels only centroid_weighted_local")
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
        if not parts:
            raise NotImplementedError(f"{asked}: this property is not supported")
        return [(separator.join([asked, *part[len(name) + 1:].split("-")]), table[part]) for part in parts]

    def _local(self, table, centre, asked, separator):
        """From the corner of the bounding box."""
        return [(f"{asked}{separator}{axis}", table[f"{centre}-{axis}"] - table[f"bbox-{axis}"])
                for axis in range(self._axes)]

    def _area(self, asked, separator):
        return [(asked, self._tables[0]["num_pixels"])]

    def _area_bbox(self, asked, separator):
        return [(asked, np.prod([high - low for low, high in self._box()], axis=0))]

    def _centroid_local(self, asked, separator):
        return self._local(self._tables[0], "centroid", asked, separator)

    def _slice(self, asked, separator):
        boxes = np.empty(len(self._tables[0]["label"]), object)
        for row, sides in enumerate(zip(*(zip(low.tolist(), high.tolist()) for low, high in self._box()))):
            boxes[row] = tuple(slice(low, high, None) for low, high in sides)
        return [(asked, boxes)]

    def _box(self):
        table = self._tables[0]
        return [(table[f"bbox-{axis}"], table[f"bbox-{axis + self._axes}"]) for axis in range(self._axes)]


def columns_of(function, labels, intensity, table, separator):
    """(name, values) of the columns of a property that a function of the user's computes from the pixels of each object:
    where it lies in its box and, if the function takes two arguments, its intensities there, channel by channel."""
    name, axes = function.__name__, labels.ndim
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

    values = []
    for row, number in enumerate(table["label"]):
        box = tuple(slice(int(table[f"bbox-{a}"][row]), int(table[f"bbox-{a + axes}"][row])) for a in range(axes))
        values.append(property_of(labels[box] == number, None if intensity is None else intensity[box]))
    return _as_columns(name, values, _type_of_property(function, wanted, axes), separator)


def _type_of_property(function, wanted, axes):
    """As scikit-image finds it out: from two objects, of one pixel and of more. Objects where their shapes differ."""
    one, more = np.zeros((3,) * axes, bool), np.zeros((3,) * axes, bool)
    one[(0,) * axes] = True
    more[(slice(1, None),) * axes] = True
    weights = np.linspace(0, 1, 3**axes).reshape(one.shape)
    first, second = (np.array(function(*(inside, weights)[:wanted])) for inside in (one, more))
    return first.dtype if first.shape == second.shape else np.dtype(object)


def _as_columns(name, values, type, separator):
    if not values or type == object or np.isscalar(values[0]):
        column = np.empty(len(values), type)
        for row, value in enumerate(values):
            column[row] = value
        return [(name, column)]
    table = np.array(values, type)
    return [(separator.join(map(str, (name, *place))), table[(slice(None), *place)]) for place in np.ndindex(table.shape[1:])]
