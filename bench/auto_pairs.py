"""Random masks and markers in a GPU's memory, for `auto_bound.py --pairs`: what a call of `reconstruct` may be given."""
import numpy as np

import cupy
from cupyx.scipy.ndimage import distance_transform_edt, gaussian_filter

MASKS = ("tissue", "inverse tissue", "noise 1", "noise 4", "noise 16", "percolation", "distance")
MARKERS = ("h 5", "h 20", "h 60", "opening 3", "opening 9", "opening 19", "opening 40", "border", "sparse", "seed", "shifted")
TYPES = ("uint8", "uint16", "float32")
PERIOD = 4096  # of the tissue

DISC = """
extern "C" __global__ void widen(const T* in, T* out, long long pixels, int width, int shift, int low) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < pixels; i += (long long)gridDim.x * blockDim.x) {
    const int x = i % width;
    const T a = in[i], b = in[x + shift < width ? i + shift : i - x + width - 1];
    out[i] = (a < b) == (low != 0) ? a : b;
  }
}
extern "C" __global__ void disc(const T* rows, T* out, int height, int width, int radius, int low) {
  const long long pixels = (long long)height * width;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < pixels; i += (long long)gridDim.x * blockDim.x) {
    const int x = i % width, y = i / width;
    T best = rows[i];
    for (int v = max(y - radius, 0); v <= min(y + radius, height - 1); ++v) {
      const int half = sqrtf(radius * radius - (v - y) * (v - y) + 0.5f);
      const int first = max(x - half, 0), last = min(x + half, width - 1), level = 31 - __clz(last - first + 1);
      const T* row = rows + level * pixels + (long long)v * width;
      const T a = row[first], b = row[last - (1 << level) + 1], c = (a < b) == (low != 0) ? a : b;
      best = (best < c) == (low != 0) ? best : c;
    }
    out[i] = best;
  }
}
"""
C_TYPES = {"uint8": "unsigned char", "uint16": "unsigned short", "float32": "float"}


def disc_extreme(image, radius, low):
    """The lowest, or highest, pixel of a disc: along rows by windows of powers of two, then over rows."""
    module = cupy.RawModule(code=f"typedef {C_TYPES[image.dtype.name]} T;{DISC}")
    height, width = image.shape
    rows = cupy.empty(((2 * radius + 1).bit_length(), height, width), image.dtype)
    rows[0] = image
    for level in range(1, len(rows)):
        module.get_function("widen")((1320,), (256,), (rows[level - 1], rows[level], np.int64(image.size), np.int32(width),
                                                      np.int32(1 << (level - 1)), np.int32(low)))
    out = cupy.empty_like(image)
    module.get_function("disc")((10560,), (256,), (rows, out, np.int32(height), np.int32(width), np.int32(radius), np.int32(low)))
    return out


class Pairs:
    """Draws pairs; the same seed draws the same ones. `tissue(shape)` gives floats of 0 to 255."""

    def __init__(self, seed, tissue):
        self.tissue = tissue
        self.chance = np.random.default_rng(seed)
        self.pixels = cupy.random.RandomState(seed % 2**31)

    def draw(self, quick=False):
        """Which pair: a family of masks, a kind of marker, type, shape, neighbours."""
        while True:
            mask, marker, dtype = (str(self.chance.choice(names)) for names in (MASKS, MARKERS, TYPES))
            volume = self.chance.random() < 0.1
            flat_only = "tissue" in mask or mask == "distance" or marker.startswith("opening")
            if (volume and flat_only) or (mask == "distance" and dtype == "uint8"):
                continue
            sides = ((32, 48) if volume else (256, 511)) if quick else (128, 256, 512) if volume else (1024, 4096, 16384)
            shape = (int(self.chance.choice(sides)),) * (3 if volume else 2)
            return mask, marker, dtype, shape, int(self.chance.choice((6, 18, 26) if volume else (4, 8)))

    def make(self, mask, marker, dtype, shape):
        """Marker and mask."""
        scale = {"uint8": 1, "uint16": 256, "float32": 1}[dtype] / (4 if mask == "distance" else 1)
        levels = self.mask(mask, shape) * ({"uint16": 64}.get(dtype, 1) if mask == "distance" else scale)
        image = cupy.minimum(levels, 65535 if dtype == "uint16" else 255).astype(dtype)
        return self.marker(marker, image, scale), image

    def mask(self, name, shape):
        if name == "tissue":
            return self.moved_tissue(shape)
        if name == "inverse tissue":
            return 255 - self.moved_tissue(shape)
        if name == "distance":
            return distance_transform_edt(self.moved_tissue(shape) > 40).astype(cupy.float32)
        if name == "percolation":
            share = float(self.chance.choice((0.55, 0.593, 0.62, 0.7)))
            return cupy.where(self.noise(shape) < share, cupy.float32(200), cupy.float32(20))
        image = gaussian_filter(self.noise(shape), float(name.split()[1]), mode="wrap")
        low, high = float(image.min()), float(image.max())
        return 10 + 235 * (image - low) / (high - low)

    def marker(self, name, mask, scale):
        kind, _, size = name.partition(" ")
        if kind == "h":
            return cupy.maximum(mask.astype(cupy.float32) - int(size) * scale, 0).astype(mask.dtype)
        if kind == "opening":
            return disc_extreme(disc_extreme(mask, int(size), True), int(size), False)
        if kind == "shifted":
            steps = tuple(int(step) for step in self.chance.integers(1, 33, mask.ndim))
            return cupy.minimum(mask, cupy.roll(mask, steps, tuple(range(mask.ndim))))
        if kind == "sparse":
            return cupy.where(self.noise(mask.shape) < 10 ** self.chance.uniform(-5, -2.5), mask, mask.dtype.type(0))
        marker = cupy.zeros_like(mask)
        if kind == "seed":
            at = int(mask.argmax()) if self.chance.random() < 0.5 else int(self.chance.integers(mask.size))
            marker.ravel()[at] = mask.ravel()[at]
        else:
            for axis in range(mask.ndim):
                for end in (0, -1):
                    at = (slice(None),) * axis + (end,)
                    marker[at] = mask[at]
        return marker

    def noise(self, shape):
        return self.pixels.random_sample(shape, dtype=cupy.float32)

    def moved_tissue(self, shape):
        return cupy.roll(self.tissue(shape), tuple(int(step) for step in self.chance.integers(0, PERIOD, 2)), (0, 1))
