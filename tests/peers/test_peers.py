"""The same random images through macareu and through scikit-image and SciPy: every answer must be equal.

usage: test_peers.py MACAREU_BATCH

Where the peers have known limits, the image is left out for that operator, with the reason beside it.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77
# NumPy has an exp of its own for AVX-512, whose last bit differs from the C library's: Gaussian weights would differ.
os.environ.setdefault("NPY_DISABLE_CPU_FEATURES", "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL")


def find_peers():
    """Goes on under the first python3 on the path that has the peers; returns the modules."""
    try:
        import numpy
        import scipy.ndimage
        import skimage.feature
        import skimage.filters
        import skimage.measure
        import skimage.morphology
        return (numpy, scipy.ndimage, skimage.morphology, skimage.measure, skimage.filters, skimage.feature,
                skimage.__version__)
    except ImportError as missing:
        reason = missing
    if "MACAREU_PEERS_SEARCHED" not in os.environ:
        os.environ["MACAREU_PEERS_SEARCHED"] = "1"
        for folder in os.get_exec_path():
            python = shutil.which("python3", path=folder)
            if python and subprocess.run([python, "-c", "import numpy, scipy.ndimage, skimage.morphology"],
                                         stderr=subprocess.DEVNULL).returncode == 0:
                os.execv(python, [python] + sys.argv)
    print(f"skipped: no python3 on the path has numpy, scipy and scikit-image ({reason})")
    sys.exit(SKIPPED)


np, ndimage, morphology, measure, filters, feature, SKIMAGE = find_peers()
from canny_rounding import EXCUSED_SHARE, PossibleEdges  # it needs the peers

SEED = 20240611
IMAGES = 1200
# Macareu's connectivity by number of axes and by how many coordinates may differ (SciPy's connectivity).
NEIGHBOURS = {(2, 1): 4, (2, 2): 8, (3, 1): 6, (3, 2): 18, (3, 3): 26}
TYPES = ["bool", "uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def scaled(images):
    """How many of these random images to run, at least one: as tests/support/dice.hpp."""
    return max(1, int(images * float(os.environ.get("MACAREU_TEST_WEIGHT", "1"))
                      * float(os.environ.get("MACAREU_TEST_SHARE", "1"))))


def reconstruct(seed, mask, method, footprint):
    """scikit-image works and answers in float64: exact for integers up to 2^53."""
    result = morphology.reconstruction(seed, mask, method=method, footprint=footprint)
    return result.astype(mask.dtype)


def draw_image(rng, dtype, ndim):
    longest = 24 if ndim == 2 else 10
    shape = tuple(int(n) for n in rng.integers(1, longest + 1, ndim))
    if rng.random() < 0.1:
        shape = tuple(1 if rng.random() < 0.5 else n for n in shape)
    kind = rng.integers(4)
    if dtype == np.bool_:
        return rng.random(shape) < rng.random()
    if dtype.kind == "f":
        if kind == 0:  # all values differ
            return rng.normal(0, 10 ** rng.uniform(-3, 6), shape).astype(dtype)
        if kind == 1:  # decimals: rounding matters
            return (rng.integers(-20, 20, shape) / 10).astype(dtype)
        return (rng.integers(-4, 5, shape) / 4).astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -2**52), min(info.max, 2**52)  # so that shifted values are exact in float64 too
    if kind == 0:
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    start = int(rng.integers(low, high - 8, dtype=np.int64))
    if kind == 1:  # at the ends of the type, where shifts saturate
        start = int(rng.choice([low, high - 8]))
    return (start + rng.integers(0, 9 if kind != 2 else 3, shape)).astype(dtype)


def draw_height(rng, image):
    """A height that the type holds; of floats any decimal."""
    if image.dtype.kind == "f":
        return float(rng.choice([0.1, 0.25, 0.3, 1.0, 2.5, float(np.abs(image).max()) + 0.1]))
    if image.dtype == np.bool_:
        return 1
    spread = int(image.max()) - int(image.min())
    return int(min(rng.choice([1, 2, 3, 5, max(spread, 1), spread + 1]), np.iinfo(image.dtype).max))


def shifted(image, h, sign):
    """image + sign * h that stops at the ends of the type, in exact arithmetic."""
    if image.dtype.kind == "f":
        return image + image.dtype.type(sign * h)
    low, high = (0, 1) if image.dtype == np.bool_ else (np.iinfo(image.dtype).min, np.iinfo(image.dtype).max)
    wide = [min(max(int(value) + sign * h, low), high) for value in image.ravel()]
    return np.array(wide, dtype=image.dtype).reshape(image.shape)


def excess(image, lower):
    """image - lower, where that is nowhere negative; what the type cannot hold becomes its highest value."""
    if image.dtype == np.bool_:
        return image & ~lower
    if image.dtype.kind == "f":
        return image - lower
    differences = [int(a) - int(b) for a, b in zip(image.ravel(), lower.ravel())]
    return np.array([min(d, np.iinfo(image.dtype).max) for d in differences], image.dtype).reshape(image.shape)


def h_extrema_comparable(image):
    """scikit-image's h_maxima and h_minima take np.ptp of the image in its own type: it does not exist for bool,
    and wraps around where the range of the image exceeds the maximum of a signed type."""
    if image.dtype == np.float32 and not SKIMAGE.startswith("0.19."):
        return False  # other versions reconstruct f32 in f32, and round differently
    if image.dtype == np.bool_:
        return False
    if image.dtype.kind == "f":
        return True
    return int(image.max()) - int(image.min()) <= np.iinfo(image.dtype).max


def draw_sites(rng, ndim):
    """Binary, with at least one zero: without any, SciPy has no answer. Some are wide, so that distances are long."""
    longest = 24 if ndim == 2 else 10
    shape = tuple(int(n) for n in rng.integers(1, longest + 1, ndim))
    if rng.random() < 0.2:
        shape = shape[:-1] + (int(rng.integers(1, 400)),)
    image = rng.random(shape) < rng.choice([0.5, 0.9, 0.99, 1.0])
    image[tuple(rng.integers(0, n) for n in shape)] = False
    return image


def squared_distances(image, spacing=None):
    """As integers: SciPy gives their roots, correctly rounded, so that rounding finds them again."""
    return np.rint(ndimage.distance_transform_edt(image, sampling=spacing) ** 2).astype(np.uint32)


def add_distances(comparison, rng, case, ndim):
    image = draw_sites(rng, ndim)
    name = comparison.save(image)
    squares = squared_distances(image)
    comparison.add(case, "distance_transform", [name], squares, squared="true")
    whole = [int(s) for s in rng.integers(1, 8, ndim)]
    comparison.add(case, "distance_transform", [name], squared_distances(image, whole), squared="true",
                   spacing=",".join(map(str, whole)))
    if image.any():
        inside = squared_distances(~image).astype(np.int64)
        comparison.add(case, "distance_transform", [name], squares - inside, squared="true", signed="true")
    comparison.add(case, "distance_transform", [name], np.sqrt(squares.astype(np.float64)), type="f64")
    places = ndimage.distance_transform_edt(image, return_distances=False, return_indices=True)
    comparison.add(case, "nearest_site", [name], np.ravel_multi_index(tuple(places), image.shape).astype(np.int64))
    labels = np.where(image, 0, rng.integers(1, 256, image.shape)).astype(np.uint8)
    comparison.add(case, "nearest_label", [comparison.save(labels)], labels[tuple(places)])
    # Tenths: SciPy compares candidates in an order of its own, and may keep one that is farther by a rounding.
    spacing = [float(s) / 10 for s in rng.integers(1, 40, ndim)]
    distances = ndimage.distance_transform_edt(image, sampling=spacing)
    text = ",".join(map(str, spacing))
    comparison.add_close(case, "distance_transform", [name], distances, type="f64", spacing=text)
    comparison.add_sites(case, image, name, spacing, distances)
    for metric, peer in (("city_block", "taxicab"), ("chessboard", "chessboard")):
        steps = ndimage.distance_transform_cdt(image, metric=peer)
        comparison.add(case, "distance_transform", [name], steps.astype(np.float32), metric=metric)


def add_labels(comparison, rng, case, dtype, ndim, reach):
    """SciPy numbers objects as we do; scikit-image's order is the same for values with background 0."""
    near = NEIGHBOURS[ndim, reach]
    structure = ndimage.generate_binary_structure(ndim, reach)
    longest = 40 if ndim == 2 else 12
    shape = tuple(int(n) for n in rng.integers(1, longest + 1, ndim))
    if rng.random() < 0.2:
        shape = shape[:-1] + (int(rng.integers(1, 300)),)
    grey = (rng.random(shape) < rng.random()) * rng.integers(1, int(rng.integers(2, 5)), shape)
    image = grey.astype(dtype)
    name = comparison.save(image)
    labels = ndimage.label(image, structure)[0].astype(np.uint32)
    comparison.add(case, "label", [name], labels, connectivity=near)
    # scikit-image turns volumes whose last axes have length 1, and numbers them in that order.
    if dtype.kind in "bui" and (ndim == 2 or min(shape) > 1):
        comparison.add(case, "label", [name], measure.label(image, connectivity=reach, background=0).astype(np.uint32),
                       connectivity=near, values="true")


def draw_scene(rng):
    """Noise, smooth noise, flat regions, ramps, and few values: ties of every kind."""
    shape = tuple(int(n) for n in rng.integers(1, 40, 2))
    if rng.random() < 0.1:
        shape = shape[:1] + (int(rng.integers(1000, 1200)),)
    kind = rng.integers(5)
    if kind == 0:
        return rng.integers(0, 256, shape) / 255
    if kind == 1:
        return np.clip(ndimage.gaussian_filter(rng.random(shape), 1.5) * 2 - 0.5, 0, 1)
    if kind == 2:
        return np.where(ndimage.gaussian_filter(rng.normal(size=shape), 2) > 0, 0.8, 0.2)
    if kind == 3:
        return np.clip(np.add.outer(*(np.arange(n) * int(rng.integers(0, 9)) / 255 for n in shape)), 0, 1)
    return rng.integers(0, 3, shape) / 2


def add_canny(comparison, rng, case, dtype):
    """Edges of images that scikit-image scales to 0..1, or has so already."""
    scene = draw_scene(rng)
    highest = 1 if dtype.kind in "bf" else np.iinfo(dtype).max
    image = scene > 0.5 if dtype == np.bool_ else (scene * highest * (1 - 1e-9)).astype(dtype)
    low, high = sorted(float(t) * highest for t in rng.choice([0, 0.01, 0.1, 0.3, 0.5, 1.0], 2))
    sigma = float(rng.choice([0, 0.5, 1, 1.4, 2, 3.3]))
    border = str(rng.choice(["constant", "constant", "nearest", "reflect", "mirror", "wrap"]))
    outside = float(rng.choice([0, 0.1]))
    peers = {"sigma": sigma, "mode": border, "cval": outside}
    ours = {"flavour": "skimage", "sigma": sigma, "border": border, "outside": outside}
    if rng.random() < 0.7:
        peers.update(low_threshold=low, high_threshold=high)
        ours.update(low=low, high=high)
    comparison.add_edges(case, image, peers, **ours)


class Comparison:
    def __init__(self, folder):
        self.folder = folder
        self.lines = []
        self.expected = []
        self.counts = {}
        self.saved = 0
        self.excused = self.edge_pixels = self.rejected = 0

    def save(self, image):
        name = f"in{self.saved}.npy"
        self.saved += 1
        np.save(self.folder / name, image)
        return name

    def add(self, case, operator, inputs, expected, **parameters):
        output = f"out{len(self.lines)}.npy"
        words = [operator, output, *inputs] + [f"{name}={value}" for name, value in parameters.items()]
        self.lines.append(" ".join(words))
        self.expected.append((case, expected, np.array_equal))

    def add_close(self, case, operator, inputs, expected, **parameters):
        """Equal but for the last digits."""
        self.add(case, operator, inputs, expected, **parameters)
        self.expected[-1] = (case, expected, lambda a, b: np.allclose(a, b, rtol=1e-14, atol=0))

    def add_sites(self, case, image, name, spacing, distances):
        """Any zero pixel will do that is as near as SciPy's but for 4 units in the last place."""
        def near(got, _):
            places = np.unravel_index(got.ravel(), image.shape)
            apart = [(np.indices(image.shape)[axis].ravel() - place) * spacing[axis]
                     for axis, place in enumerate(places)]
            found = np.sqrt(sum(a * a for a in apart)).reshape(image.shape)
            return not image[places].any() and np.all(np.abs(found - distances) <= 4 * np.spacing(distances))
        self.add(case, "nearest_site", [name], np.zeros(image.shape, np.int64), spacing=",".join(map(str, spacing)))
        self.expected[-1] = (case, self.expected[-1][1], near)

    def add_edges(self, case, image, peers, **parameters):
        """Pixels may differ where rounding of a gradient's length decides, and are counted. The excuse must not reach
        further: edges that are wrong in one other pixel are rejected."""
        possible = PossibleEdges(image, **peers)
        self.edge_pixels += image.size
        def same(got, expected):
            self.excused += np.count_nonzero(got != expected)
            wrong = list(possible.wrong(got))
            self.rejected += len(wrong)
            assert not any(map(possible.holds, wrong)), f"{case}: wrong edges are excused"
            if SKIMAGE.startswith("0.19."):  # later versions smooth differently
                assert possible.holds(expected), f"{case}: scikit-image's own edges are not excused"
            return possible.holds(got)
        self.add(case, "canny", [self.save(image)], feature.canny(image, **peers), **parameters)
        self.expected[-1] = (case, self.expected[-1][1], same)

    def run(self, program):
        (self.folder / "jobs").write_text("\n".join(self.lines) + "\n")
        subprocess.run([program, self.folder / "jobs"], check=True)
        failures = 0
        for number, (line, (case, expected, same)) in enumerate(zip(self.lines, self.expected)):
            operator = line.split()[0]
            self.counts[operator] = self.counts.get(operator, 0) + 1
            got = np.load(self.folder / f"out{number}.npy")
            if got.dtype == expected.dtype and got.shape == expected.shape and same(got, expected):
                continue
            failures += 1
            if failures <= 5:
                print(f"{case}: {line}: got {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}")
                if got.shape == expected.shape:
                    place = tuple(np.argwhere(got != expected)[0])
                    print(f"  first difference at {place}: got {got[place]}, expected {expected[place]}")
        return failures


def add_image(comparison, rng, case, dtype, ndim, reach):
    footprint = ndimage.generate_binary_structure(ndim, reach)
    near = NEIGHBOURS[ndim, reach]
    image = draw_image(rng, dtype, ndim)
    name = comparison.save(image)

    other = rng.permutation(image.ravel()).reshape(image.shape)
    for method, bound in (("dilation", np.minimum), ("erosion", np.maximum)):
        seed = bound(image, other)
        comparison.add(case, "reconstruct", [comparison.save(seed), name],
                       reconstruct(seed, image, method, footprint), by=method, connectivity=near)

    for operator, peer in (("maxima", morphology.local_maxima), ("minima", morphology.local_minima)):
        comparison.add(case, operator, [name], peer(image, connectivity=reach).astype(bool), connectivity=near)

    seed = image.copy()
    seed[(slice(1, -1),) * ndim] = image.max()
    comparison.add(case, "fill_holes", [name], reconstruct(seed, image, "erosion", footprint), connectivity=near)
    if dtype == np.bool_:
        comparison.add(case, "fill_holes", [name], ndimage.binary_fill_holes(image, structure=footprint),
                       connectivity=near)

    seed[(slice(1, -1),) * ndim] = image.min()
    comparison.add(case, "clear_border", [name],
                   excess(image, reconstruct(seed, image, "dilation", footprint)), connectivity=near)

    if reach == 1:
        low, high = (image.ravel()[i] for i in rng.integers(0, image.size, 2))
        low, high = (bool(low), bool(high)) if dtype == np.bool_ else (low, high)
        comparison.add(case, "hysteresis", [name], filters.apply_hysteresis_threshold(image, low, high),
                       low=float(low) if dtype.kind == "f" else int(low),
                       high=float(high) if dtype.kind == "f" else int(high))

    h = draw_height(rng, image)
    if h_extrema_comparable(image):
        # For a fractional height scikit-image turns integers into floats and shifts by 2e-15 of their value further:
        # more than a grey level where they need some 50 bits.
        fractional = image.dtype.kind != "f" and image.dtype.itemsize < 8 and rng.random() < 0.25
        height = h - 0.5 if fractional else h
        for operator, peer in (("h_maxima", morphology.h_maxima), ("h_minima", morphology.h_minima)):
            comparison.add(case, operator, [name], peer(image, height, footprint=footprint).astype(bool), h=height,
                           connectivity=near)
    cut = reconstruct(shifted(image, h, -1), image, "dilation", footprint)
    raised = reconstruct(shifted(image, h, +1), image, "erosion", footprint)
    comparison.add(case, "hmax", [name], cut, h=h, connectivity=near)
    comparison.add(case, "hmin", [name], raised, h=h, connectivity=near)
    comparison.add(case, "hdome", [name], excess(image, cut), h=h, connectivity=near)


def main():
    program = sys.argv[1]
    count = scaled(IMAGES)
    with tempfile.TemporaryDirectory(prefix="macareu-peers-") as name:
        comparison = Comparison(pathlib.Path(name))
        reaches = list(NEIGHBOURS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-image warns about fractional heights of integers
            for i in range(count):
                rng = np.random.default_rng([SEED, i])
                ndim, reach = reaches[i // len(TYPES) % len(reaches)]
                add_image(comparison, rng, f"seed [{SEED}, {i}]", np.dtype(TYPES[i % len(TYPES)]), ndim, reach)
                if i % 2 == 0:
                    add_canny(comparison, rng, f"seed [{SEED}, {i}], edges", np.dtype(TYPES[i % len(TYPES)]))
                for again in range(2):
                    add_distances(comparison, rng, f"seed [{SEED}, {i}], distances {again}", ndim)
                    add_labels(comparison, rng, f"seed [{SEED}, {i}], labels {again}",
                               np.dtype(TYPES[i % len(TYPES)]), ndim, reach)
        failures = comparison.run(program)
    allowed = int(EXCUSED_SHARE * comparison.edge_pixels)
    print(f"{count} images, {comparison.counts}, {failures} different")
    print(f"canny: {comparison.excused} of {comparison.edge_pixels} pixels excused, at most {allowed}; "
          f"{comparison.rejected} wrong edges rejected")
    return 1 if failures or comparison.excused > allowed or not comparison.rejected else 0


if __name__ == "__main__":
    sys.exit(main())
