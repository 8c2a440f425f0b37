"""The regular operators on random images against SciPy, NumPy and scikit-image: integers must be equal, floats within
the bounds that the operators state.

usage: test_patterns.py MACAREU_BATCH
"""

import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

from test_peers import SEED, TYPES, draw_image, ndimage, np, scaled

from skimage.filters import threshold_otsu
from skimage.util import invert

IMAGES = 600
BORDERS = ["constant", "nearest", "reflect", "mirror", "wrap"]


class Jobs:
    def __init__(self, folder):
        self.folder = folder
        self.lines = []
        self.checks = []
        self.saved = 0

    def save(self, image):
        name = f"in{self.saved}.npy"
        self.saved += 1
        np.save(self.folder / name, image)
        return name

    def add(self, case, operator, inputs, check, suffix="npy", **parameters):
        """check(result) is a message, or None; the result is an array, or the columns of a table."""
        output = f"out{len(self.lines)}.{suffix}"
        words = [operator, output, *inputs] + [f"{name}={value}" for name, value in parameters.items()]
        self.lines.append(" ".join(words))
        self.checks.append((case, output, check))

    def run(self, program):
        (self.folder / "jobs").write_text("\n".join(self.lines) + "\n")
        subprocess.run([program, self.folder / "jobs"], check=True)
        failures = 0
        for line, (case, output, check) in zip(self.lines, self.checks):
            message = check(self.result(output))
            if message:
                failures += 1
                if failures <= 5:
                    print(f"{case}: {line}: {message}")
        return failures

    def result(self, output):
        if output.endswith(".npy"):
            return np.load(self.folder / output)
        with open(self.folder / output, newline="", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        return {name: [row[name] for row in rows] for name in rows[0]}


def equal(expected):
    def check(got):
        if got.dtype != expected.dtype or got.shape != expected.shape:
            return f"got {got.dtype} {got.shape}, expected {expected.dtype} {expected.shape}"
        if np.array_equal(got, expected):
            return None
        place = tuple(np.argwhere(got != expected)[0])
        return f"at {place} got {got[place]}, expected {expected[place]}"
    return check


def close(expected, dtype, error):
    """Within an absolute error."""
    def check(got):
        if got.dtype != dtype or got.shape != expected.shape:
            return f"got {got.dtype} {got.shape}, expected {dtype} {expected.shape}"
        worst = np.max(np.abs(got.astype(np.float64) - expected))
        return None if worst <= error else f"off by {worst}, allowed are {error}"
    return check


def magnitude(image):
    return float(np.max(np.abs(image.astype(np.float64)))) + 100  # the constant outside too


def sobel(image, axis, border, outside):
    """SciPy's sobel; under a constant border as one window, where SciPy sees the constant again between its passes."""
    if border != "constant":
        return ndimage.sobel(image, axis=axis, mode=border)
    kernel = np.ones((1,) * image.ndim)
    for each in range(image.ndim):
        shape = [1] * image.ndim
        shape[each] = 3
        kernel = kernel * np.reshape([-1.0, 0, 1] if each == axis else [1.0, 2, 1], shape)
    return ndimage.correlate(image, kernel, mode=border, cval=outside)


def add_filters(jobs, rng, case, image, name):
    ndim = image.ndim
    border = str(rng.choice(BORDERS))
    outside = 1 if image.dtype == np.bool_ else int(rng.integers(0, 100))
    common = {"border": border, "outside": outside}
    exact = image.astype(np.float64)
    sides = [3, 5, 7] if ndim == 2 else [3, 5]
    side = int(rng.choice(sides))
    plain = image.astype(np.uint8) if image.dtype == np.bool_ else image
    medians = ndimage.median_filter(plain, size=side, mode=border, cval=outside).astype(image.dtype)
    if not (image.dtype.itemsize == 8 and border == "constant"):  # SciPy's constant is a double
        jobs.add(case, "median", [name], equal(medians), size=side, **common)

    single = image.dtype.itemsize <= 2 or image.dtype == np.float32
    dtype = np.float32 if single else np.float64
    parts = [sobel(exact, axis, border, outside) for axis in range(ndim)]
    rounding = 0 if image.dtype.kind != "f" and image.dtype.itemsize <= 4 else 2.0 ** (-20 if single else -49)
    for axis, letter in zip(range(ndim), "zyx"[3 - ndim:]):
        jobs.add(case, "sobel", [name], close(parts[axis], dtype, rounding * 16 * magnitude(image)), give=letter,
                 **common)
    total = np.sqrt(sum(part * part for part in parts))
    jobs.add(case, "sobel", [name], close(total, dtype, 2.0 ** (-20 if single else -49) * 48 * magnitude(image)),
             **common)

    sigma = [float(s) / 10 for s in rng.integers(2, 25, ndim)]
    expected = ndimage.gaussian_filter(exact, sigma, mode=border, cval=outside)
    words = {"sigma": ",".join(map(str, sigma)), **common}
    jobs.add(case, "gaussian", [name], close(expected, np.float64, 1e-13 * magnitude(image)), type="f64", **words)
    bound = sum(int(4 * s + 0.5) + 4 for s in sigma) * 2.0 ** -24 * magnitude(image)
    jobs.add(case, "gaussian", [name], close(expected, np.float32, bound), type="f32", **words)

    kernel = rng.integers(-9, 10, rng.integers(1, 5, ndim)).astype(np.int16)
    expected = ndimage.convolve(exact, kernel.astype(np.float64), mode=border, cval=outside)
    rounding = 0 if image.dtype.kind != "f" and image.dtype.itemsize <= 4 else 1e-12 * magnitude(image)
    jobs.add(case, "convolve", [name, jobs.save(kernel)], close(expected, np.float64, rounding), type="f64", **common)


def saturated(values, dtype):
    low, high = (0, 1) if dtype == np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.array([min(max(value, low), high) for value in values]).astype(dtype)


def between(image, threshold):
    """Otsu's variance between what is above and what is not, in f64."""
    upper = image > threshold
    if upper.all() or not upper.any():
        return 0.0
    high, low = image[upper].astype(np.float64), image[~upper].astype(np.float64)
    return len(high) * len(low) * (high.mean() - low.mean()) ** 2


def otsu_check(image):
    """scikit-image computes in f32: another division that is as good will do."""
    peer = image > threshold_otsu(image) if image.min() != image.max() else np.zeros(image.shape, bool)

    def check(got):
        if np.array_equal(got, peer):
            return None
        mine = image[~got].max() if (~got).any() else image.min()
        best = between(image, threshold_otsu(image))
        return None if between(image, mine) >= best * (1 - 1e-5) else "a worse division than scikit-image's"
    return check


def add_points(jobs, rng, case, image, name):
    # scikit-image counts integers from 0, and takes memory for all of them.
    if image.dtype.kind == "f" or (image.dtype not in (np.bool_, np.uint64) and -32768 <= int(image.min()) and int(image.max()) < 65536):
        jobs.add(case, "threshold", [name], otsu_check(image))
    value = image.ravel()[rng.integers(image.size)]
    jobs.add(case, "threshold", [name], equal(image > value), value=repr(value.item()) if image.dtype != np.bool_ else int(value))
    jobs.add(case, "invert", [name], equal(invert(image)))
    other = rng.permutation(image.ravel()).reshape(image.shape)
    second = jobs.save(other)
    if image.dtype.kind == "f":
        sums, differences = image + other, image - other
    else:
        pairs = [(int(a), int(b)) for a, b in zip(image.ravel(), other.ravel())]
        sums = saturated([a + b for a, b in pairs], image.dtype).reshape(image.shape)
        differences = saturated([a - b for a, b in pairs], image.dtype).reshape(image.shape)
    jobs.add(case, "add", [name, second], equal(sums))
    jobs.add(case, "subtract", [name, second], equal(differences))


def statistics_check(image):
    places = {"minimum": np.unravel_index(np.argmin(image), image.shape),
              "maximum": np.unravel_index(np.argmax(image), image.shape)}
    exact_sum = math.fsum(image.ravel().tolist()) if image.dtype.kind == "f" else sum(int(v) for v in image.ravel())
    variance = float(np.var(image.astype(np.float64)))

    def check(got):
        for name, place in places.items():
            if float(got[name][0]) != float(image[place]):
                return f"{name}: got {got[name][0]}, expected {image[place]}"
            for axis, letter in zip(place, "zyx"[3 - image.ndim:]):
                if int(got[f"{name}_{letter}"][0]) != axis:
                    return f"{name}_{letter}: got {got[f'{name}_{letter}'][0]}, expected {axis}"
        if image.dtype.kind != "f" and -2**63 <= exact_sum < 2**64 and int(got["sum"][0]) != exact_sum:
            return f"sum: got {got['sum'][0]}, expected {exact_sum}"
        if not math.isclose(float(got["sum"][0]), exact_sum, rel_tol=1e-15, abs_tol=1e-16 * magnitude(image)):
            return f"sum: got {got['sum'][0]}, expected {exact_sum}"
        if not math.isclose(float(got["variance"][0]), variance, rel_tol=1e-10, abs_tol=1e-20 * magnitude(image) ** 2):
            return f"variance: got {got['variance'][0]}, expected {variance}"
        return None
    return check


def add_measures(jobs, rng, case, image, name):
    plain = image.astype(np.uint8) if image.dtype == np.bool_ else image
    jobs.add(case, "statistics", [name], statistics_check(plain), suffix="csv")
    bins = int(rng.integers(1, 40))
    low, high = sorted(rng.choice(400, 2, replace=False) - 200)
    low, high = float(low) / 4, float(high) / 3 + 40
    counts, _ = np.histogram(plain.astype(np.float64), bins=bins, range=(low, high))
    jobs.add(case, "histogram", [name],
             lambda got: None if [int(n) for n in got["count"]] == counts.tolist() else "other counts",
             suffix="csv", bins=bins, low=low, high=high)


def main():
    program = sys.argv[1]
    count = scaled(IMAGES)
    with tempfile.TemporaryDirectory(prefix="macareu-patterns-") as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        jobs = Jobs(pathlib.Path(name))
        for i in range(count):
            rng = np.random.default_rng([SEED, 6, i])
            dtype = np.dtype(TYPES[i % len(TYPES)])
            image = draw_image(rng, dtype, 2 + i // len(TYPES) % 2)
            file = jobs.save(image)
            case = f"image {i} ({dtype}, {image.shape})"
            add_filters(jobs, rng, case, image, file)
            add_points(jobs, rng, case, image, file)
            add_measures(jobs, rng, case, image, file)
        failures = jobs.run(program)
    print(f"{count} images, {len(jobs.lines)} comparisons, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
