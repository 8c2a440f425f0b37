"""Tables of objects against scikit-image, and against definitions written out in NumPy with exact sums: also what
regionprops does not have, and with spacing.

usage: test_objects.py MACAREU_BATCH

Floating columns must agree to 1e-9 of their value. A column may differ by more only where its true value is zero, which
exact integers tell, or by the rounding of intensities that the operator states: `room` says by how much, and why.
"""

import pathlib
import sys
import tempfile
import warnings

from test_patterns import Jobs
from test_peers import SEED, measure, ndimage, np, scaled

from scipy.spatial import SphericalVoronoi

VOLUMES_AND_IMAGES = 2400
RELATIVE = 1e-9
# What a few roundings of doubles leave where terms cancel, as a share of these terms.
LEFT_OVER = 64 * np.finfo(np.float64).eps
# Of the greatest intensity: sums are exact for integers up to 32 bits, others are rounded to this.
INTENSITY_STEP = 2.0**-43

# What regionprops_table calls the columns we share, and those it has in images alone.
PROPERTIES = ["label", "area", "bbox", "centroid", "equivalent_diameter_area", "extent", "euler_number", "inertia_tensor",
              "inertia_tensor_eigvals", "intensity_min", "intensity_max", "intensity_mean", "centroid_weighted"]
LENGTHS = ["axis_major_length", "axis_minor_length"]
IN_IMAGES = ["perimeter", "orientation", "eccentricity"]


class Definitions:
    """The columns of a table by their definitions: `values`, and `room` where one may differ by more than RELATIVE.
    Spacings are `eighths` / 8, so that what is zero, or equal, is known in integers."""

    def __init__(self, labels, intensity, eighths):
        self.labels, self.rank = labels, labels.ndim
        self.spacing = np.asarray(eighths) / 8
        self.values, self.room = {}, {}
        inside = labels > 0
        self.numbers, self.row = np.unique(labels[inside], return_inverse=True)
        self.places = np.argwhere(inside).T
        self.count = self.sums(np.ones(self.row.size, np.int64))
        self.add("label", self.numbers)
        self.add("num_pixels", self.count)
        self.add_place()
        self.add_moments(np.asarray(eighths))
        self.add_outline()
        self.add_intensity(intensity[inside])

    def sums(self, values):
        """Of each object; exact for integers."""
        total = np.zeros(self.numbers.size, values.dtype)
        np.add.at(total, self.row, values)
        return total

    def add(self, name, value, room=0.0):
        self.values[name] = np.asarray(value)
        self.room[name] = np.broadcast_to(np.asarray(room, np.float64), self.values[name].shape)

    def add_place(self):
        self.area = self.count * self.spacing.prod()
        self.add("area", self.area)
        box = np.ones_like(self.count)
        for axis, at in enumerate(self.places):
            low, high = np.full(self.numbers.size, at.max()), np.zeros(self.numbers.size, np.int64)
            np.minimum.at(low, self.row, at)
            np.maximum.at(high, self.row, at + 1)
            box *= high - low
            self.add(f"bbox-{axis}", low)
            self.add(f"bbox-{axis + self.rank}", high)
            self.add(f"centroid-{axis}", self.sums(at) / self.count * self.spacing[axis])
        self.add("equivalent_diameter_area", (2 * self.rank * self.area / np.pi) ** (1 / self.rank))
        self.add("extent", self.count / box)

    def add_moments(self, eighths):
        # The covariances, times 64 and the square of the number of pixels: whole numbers.
        whole = np.empty((self.rank, self.rank, self.numbers.size), object)
        for i, a in enumerate(self.places):
            for j, b in enumerate(self.places):
                scatter = self.count * self.sums(a * b) - self.sums(a) * self.sums(b)
                whole[i, j] = scatter.astype(object) * int(eighths[i] * eighths[j])
        scale = 64.0 * self.count**2
        self.spread = whole.astype(np.float64) / scale
        self.trace = np.trace(self.spread)
        for i in range(self.rank):
            for j in range(self.rank):
                if i == j:
                    inertia = sum(whole[k, k] for k in range(self.rank) if k != i)
                else:
                    inertia = -whole[i, j]
                # What does not vary, or not together: differences of sums that leave nothing.
                self.add(f"inertia_tensor-{i}-{j}", inertia.astype(np.float64) / scale,
                         np.where(inertia == 0, LEFT_OVER * self.trace, 0))
        if self.rank == 2:
            self.add_axes_of_images(whole, scale)
        else:
            self.add_axes_of_volumes(whole, scale)

    def add_axes_of_images(self, whole, scale):
        determinant = whole[0, 0] * whole[1, 1] - whole[0, 1] * whole[1, 0]
        apart, together = whole[0, 0] - whole[1, 1], 2 * whole[0, 1]
        apart_squared = (apart * apart + together * together).astype(np.float64)
        self.equal_moments = apart == 0
        is_round = self.equal_moments & (together == 0)
        major = (self.trace + np.sqrt(apart_squared) / scale) / 2
        minor = np.divide(determinant.astype(np.float64) / scale**2, major, out=np.zeros_like(major), where=major > 0)
        self.add_lengths([major, minor], [major > 0, determinant != 0], 16)
        self.add("inertia_tensor_eigvals-0", major)
        self.add("inertia_tensor_eigvals-1", minor, np.where(determinant == 0, LEFT_OVER * self.trace, 0))
        self.add_ratio("elongation", 0, 1)
        # Zero where round: 1 less the ratio of equal moments, then a root.
        self.add("eccentricity", np.sqrt(np.divide(np.sqrt(apart_squared) / scale, major, out=np.zeros_like(major),
                                                   where=major > 0)),
                 np.where(is_round, np.sqrt(LEFT_OVER), 0))
        # Zero, or a right angle, along the axes. What is round points nowhere: a quarter of pi, as scikit-image says.
        angle = np.arctan2(together.astype(np.float64), apart.astype(np.float64)) / 2
        self.add("orientation", np.where(is_round, np.pi / 4, angle), np.where(together == 0, LEFT_OVER, 0))

    def add_axes_of_volumes(self, whole, scale):
        def minor_of(i, j):
            return whole[i, i] * whole[j, j] - whole[i, j] * whole[j, i]
        determinant = (whole[0, 0] * minor_of(1, 2) + 2 * whole[0, 1] * whole[1, 2] * whole[0, 2]
                       - whole[1, 1] * whole[0, 2] ** 2 - whole[2, 2] * whole[0, 1] ** 2)
        flat = determinant == 0
        thin = minor_of(0, 1) + minor_of(0, 2) + minor_of(1, 2) == 0
        minor, middle, major = np.linalg.eigvalsh(np.moveaxis(self.spread, -1, 0)).T
        middle = np.where(thin, 0, middle)
        product = major * middle
        minor = np.divide(determinant.astype(np.float64) / scale**3, product, out=np.zeros_like(major), where=~flat)
        self.add_lengths([major, middle, minor], [major > 0, ~thin, ~flat], 20)
        self.add("inertia_tensor_eigvals-0", major + middle)
        self.add("inertia_tensor_eigvals-1", major + minor)
        self.add("inertia_tensor_eigvals-2", middle + minor, np.where(thin, LEFT_OVER * self.trace, 0))
        self.add_ratio("elongation", 0, 1)
        self.add_ratio("flatness", 1, 2)

    def add_lengths(self, variances, extended, factor):
        """A length of what has no extent is the root of what rounding left."""
        self.variances, self.extended = variances, extended
        names = ["axis_major_length", "axis_minor_length"]
        if self.rank == 3:
            names.insert(1, "axis_middle_length")
        for name, variance, has_extent in zip(names, variances, extended):
            self.add(name, np.sqrt(factor * variance), np.where(has_extent, 0, np.sqrt(factor * LEFT_OVER * self.trace)))

    def add_ratio(self, name, above, below):
        """Infinite, or at least as large as rounding allows, without extent below; without extent above too it is no
        number, or any."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.sqrt(np.where(self.extended[above], self.variances[above], 0) /
                            np.where(self.extended[below], self.variances[below], 0))
        self.add(name, ratio)

    def add_outline(self):
        if self.rank == 2:
            square = self.spacing[0] == self.spacing[1]
            lengths = np.array([measure.perimeter(np.pad(self.labels == number, 1), 4) for number in self.numbers])
            outline = lengths * self.spacing[0] if square else np.full(self.numbers.size, np.nan)
            self.add("perimeter", outline)
            with np.errstate(divide="ignore"):
                self.add("circularity", 4 * np.pi * self.area / outline**2)
        else:
            outline = crofton_surfaces(self.labels, self.numbers, self.spacing)
            self.add("surface_area", outline)
            self.add("sphericity", np.pi ** (1 / 3) * (6 * self.area) ** (2 / 3) / outline)
        self.add("euler_number", [measure.euler_number(self.labels == number, self.rank) for number in self.numbers])

    def add_intensity(self, weights):
        exact = weights.dtype.kind in "bui"
        wide = weights.astype(np.int64 if exact else np.float64)
        step = 0 if exact else INTENSITY_STEP * np.abs(wide).max()
        mass = self.sums(wide)
        mean = mass / self.count
        lowest, highest = (np.array([by(wide[self.row == row]) for row in range(self.numbers.size)])
                           for by in (np.min, np.max))
        self.add("intensity_sum", mass, step * self.count)
        self.add("intensity_mean", mean, step)
        self.add("intensity_min", lowest)
        self.add("intensity_max", highest)
        self.add("intensity_std", np.sqrt(self.sums((wide - mean[self.row]) ** 2) / self.count),
                 np.where(lowest == highest, 0, step))
        for axis, at in enumerate(self.places):
            with np.errstate(divide="ignore", invalid="ignore"):
                centre = self.sums(wide * at) / mass * self.spacing[axis]
                # Intensities of both signs may cancel: a step of each then moves the centre by more.
                self.add(f"centroid_weighted-{axis}", centre, np.nan_to_num(
                    step * self.count * self.labels.shape[axis] * self.spacing[axis] * (1 + np.abs(centre)) /
                    np.abs(mass)))


def crofton_surfaces(labels, numbers, spacing):
    """Of lines along 13 directions: how often they enter or leave, times the area that a line stands for, times the
    share of the sphere that is nearer to the direction than to others; twice."""
    steps = np.array([step for step in np.ndindex(3, 3, 3) if step != (1, 1, 1)]) - 1
    lengths = np.linalg.norm(steps * spacing, axis=1)
    shares = SphericalVoronoi(steps * spacing / lengths[:, None]).calculate_areas() / (4 * np.pi)
    around = np.pad(labels, 1)
    surfaces = np.zeros(numbers.size)
    for step, length, share in zip(steps, lengths, shares):
        beyond = np.roll(around, tuple(-step), (0, 1, 2))[1:-1, 1:-1, 1:-1]
        leaving = labels[(labels != beyond) & (labels > 0)]  # entering is leaving the other way
        rows, counts = np.unique(np.searchsorted(numbers, leaving), return_counts=True)
        surfaces[rows] += 2 * counts * 2 * share * spacing.prod() / length
    return surfaces


def apart(name, mine, expected, room):
    """Which rows of a column are not equal as they should be."""
    if name.startswith(("intensity_min", "intensity_max")):
        return mine != expected
    with np.errstate(invalid="ignore"):
        off = np.abs(mine - expected)
        if name == "orientation":
            off = np.minimum(off, np.pi - off)  # half a turn is none
        same = (mine == expected) | (np.isnan(mine) & np.isnan(expected)) | (off <= RELATIVE * np.abs(expected) + room)
        if name in ("elongation", "flatness"):
            enormous = 1 / np.sqrt(LEFT_OVER)
            same |= (np.isposinf(expected) & (mine > enormous)) | np.isnan(expected)
    return ~same


def directions_problem(mine, known):
    """Unit vectors across each other, along which objects spread as their lengths say, the first part above 0."""
    axes = np.array([[mine[f"axis_direction-{i}-{j}"] for j in range(known.rank)] for i in range(known.rank)])
    unit = np.einsum("ikn,jkn->ijn", axes, axes) - np.eye(known.rank)[:, :, None]
    if np.abs(unit).max() > LEFT_OVER:
        return "axis_direction: no unit vectors across each other"
    spread = np.einsum("jkn,ikn->ijn", known.spread, axes)
    left = spread - np.array(known.variances)[:, None] * axes
    if (np.abs(left) > LEFT_OVER * known.trace).any():
        return "axis_direction: not along the principal axes"
    leading = np.take_along_axis(axes, (np.abs(axes) > 1e-12).argmax(axis=1)[:, None], axis=1)
    return "axis_direction: the first part is below 0" if (leading < 0).any() else None


def table_check(known, peers):
    def check(got):
        mine = {name: np.array(column, np.float64) for name, column in got.items()}
        directions = {f"axis_direction-{i}-{j}" for i in range(known.rank) for j in range(known.rank)}
        if set(mine) != set(known.values) | directions:
            return f"columns without a definition here, or missing: {set(mine) ^ (set(known.values) | directions)}"
        for source, columns in (("its definition", known.values), ("scikit-image", peers)):
            for name, expected in columns.items():
                off = apart(name, mine[name], np.asarray(expected, np.float64), known.room[name])
                if name == "orientation" and source == "scikit-image":
                    # With equal moments along both axes its sign is the other one, or that which rounding gives.
                    off &= ~(known.equal_moments & np.isclose(mine[name], -expected, rtol=RELATIVE))
                if off.any():
                    row = int(np.argmax(off))
                    return (f"{name} of object {known.numbers[row]} is not that of {source}: "
                            f"got {mine[name][row]!r}, expected {expected[row]!r}")
        return directions_problem(mine, known)
    return check


def draw_labels(rng, ndim):
    longest = 40 if ndim == 2 else 12
    shape = tuple(int(n) for n in rng.integers(2, longest + 1, ndim))
    labels = ndimage.label(rng.random(shape) < rng.uniform(0.1, 0.8), np.ones((3,) * ndim))[0]
    if rng.random() < 0.3:  # objects that touch, or fall apart
        labels = rng.integers(0, 5, shape)
    if labels.max() == 0:
        labels.flat[0] = 1
    return labels


def draw_intensity(rng, shape):
    kind = rng.integers(5)
    if kind == 0:
        return rng.integers(0, 200, shape).astype(rng.choice([np.uint8, np.int64]))
    if kind == 1:
        return rng.integers(-100, 100, shape).astype(rng.choice([np.int8, np.int16, np.int32]))
    drawn = rng.normal(0 if kind == 2 else 10, 3, shape)
    return drawn.astype(np.float32) if kind == 3 else drawn


def by_skimage(labels, intensity):
    """Its columns, but lengths where it takes roots of what rounding made negative. It averages f32 in f32."""
    intensity = intensity.astype(np.float64)
    wanted = PROPERTIES + (IN_IMAGES if labels.ndim == 2 else [])
    try:
        return measure.regionprops_table(labels, intensity, properties=wanted + LENGTHS)
    except ValueError:
        return measure.regionprops_table(labels, intensity, properties=wanted)


def add_tables(jobs, rng, case, ndim):
    labels = draw_labels(rng, ndim)
    intensity = draw_intensity(rng, labels.shape)
    by_peer = by_skimage(labels, intensity)
    if intensity.dtype.kind == "f" and rng.random() < 0.3:  # to scikit-image it matters what lies outside of objects
        intensity[labels == 0] = rng.choice([np.nan, -np.inf, -3.4e38])
    stored = rng.choice([np.uint8, np.int32, np.uint32, np.uint64] if labels.max() < 256 else [np.uint32])
    files = [jobs.save(labels.astype(stored)), jobs.save(intensity)]
    jobs.add(case, "measure", files,
             table_check(Definitions(labels, intensity, [8] * ndim), by_peer), suffix="csv")
    eighths = [int(n) for n in rng.integers(1, 33, ndim)]
    if rng.random() < 0.3:
        eighths = eighths[:1] * ndim
    jobs.add(case, "measure", files, table_check(Definitions(labels, intensity, eighths), {}), suffix="csv",
             spacing=",".join(str(n / 8) for n in eighths))


def main():
    program = sys.argv[1]
    count = scaled(VOLUMES_AND_IMAGES)
    with tempfile.TemporaryDirectory(prefix="macareu-objects-") as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-image divides by a mass of zero
        jobs = Jobs(pathlib.Path(name))
        for i in range(count):
            add_tables(jobs, np.random.default_rng([SEED, 5, i]), f"seed [{SEED}, 5, {i}]", 2 + i % 2)
        failures = jobs.run(program)
    print(f"{count} label images, {len(jobs.lines)} tables, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
