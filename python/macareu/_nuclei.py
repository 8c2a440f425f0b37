"""Nuclei of stained slides, by the operators of the package. docs/explanation/nuclei.md explains the steps."""

from __future__ import annotations

import functools
import math
import os
from typing import Any, Optional

import numpy as np

from . import _arrays, _functions, _macareu, _pieces
from ._gpu_arrays import CuPy
from ._lazy_image import LazyImage
from ._packages import type_name

_STEPS_PER_DENSITY = 2**14
_STEPS_PER_HEIGHT = 2**12


@functools.lru_cache(maxsize=None)
def _operator(name):
    """Also operators that are for recipes alone."""
    hidden = _macareu.hidden_operations
    return _functions._make(hidden[name]) if name in hidden else _functions.functions[name]


def _disc(radius):
    n = int(radius)
    y, x = np.mgrid[-n:n + 1, -n:n + 1]
    return (x * x + y * y <= radius * radius + 1).astype(np.uint8)


def _percentile(counts, percent):
    """NumPy's, of values from their counts."""
    ranks = np.cumsum(counts)
    if ranks[-1] == 0:
        return 0.0
    place = percent / 100 * float(ranks[-1] - 1)
    rank = math.floor(place)
    below, above = (float(np.searchsorted(ranks, min(r, int(ranks[-1]) - 1), side="right")) for r in (rank, rank + 1))
    return below + (place - rank) * (above - below)


def _otsu(counts, highest):
    """scikit-image's threshold_otsu of floats, of values from their counts."""
    used = np.flatnonzero(counts)
    low, high = float(used[0]), min(float(used[-1]), highest)
    if not low < high:
        return low
    width = (high - low) / 256
    bins = np.minimum(((np.minimum(used.astype(np.float64), high) - low) / width).astype(np.int64), 255)
    binned = [float(count) for count in np.bincount(bins, counts[used].astype(np.float64), 256)]
    middle = [low + (i + 0.5) * width for i in range(256)]
    total = total_sum = below = below_sum = 0.0
    for count, value in zip(binned, middle):
        total += count
        total_sum += count * value
    best, threshold = -1.0, low
    for count, value in zip(binned[:-1], middle):
        below += count
        below_sum += count * value
        apart = below_sum / below - (total_sum - below_sum) / (total - below)
        if below * (total - below) * apart * apart > best:
            best, threshold = below * (total - below) * apart * apart, value
    return threshold


def _mean(counts, values, otherwise):
    number = float(counts.sum())
    return float((counts * values).sum()) / number if number else otherwise


class _Recipe:
    """The steps, with parameters in pixels."""

    def __init__(self, mpp, parameters, how):
        self.mpp, self.p, self.how = mpp, parameters, how

    def run(self, name, *images, **given):
        return _operator(name)(*images, **given, **self.how)

    def pixels(self, name):
        return self.p[name] / self.mpp

    def area(self, name):
        return self.p[name] / (self.mpp * self.mpp)

    def gaussian(self, image, sigma, type="standard"):
        return self.run("gaussian", image, sigma=sigma, border="mirror", type=type)

    def blobs(self, image, sigma):
        kernel = np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]], np.float32) * np.float32(sigma * sigma)
        return self.run("convolve", self.gaussian(image, sigma), kernel, border="mirror")

    def flat(self, name, image, radius):
        return self.run(name, image, _disc(radius))

    def enlarged(self, image, factor, shape):
        larger = self.run("enlarge", image, size=[factor * side for side in image.shape])
        return larger[:shape[0], :shape[1]]

    def counts(self, image, values):
        return self.run("histogram", image, bins=values, low=0, high=values)["count"]

    def density(self, rgb):
        white = self.p["white"] or [max(_percentile(self.counts(rgb[..., i], 256), 99), 220.0) for i in range(3)]
        given = {"vectors": self.p["stains"]} if self.p["stains"] else {}
        stains, give = {"h-e": ("h_e", "first"), "h-dab": ("h_dab", "sum")}[self.p["stain_set"]]
        return self.run("stain_density", rgb, stains=stains, give=give, white=white, **given)

    def filled_density(self, density):
        smooth = self.gaussian(density, self.pixels("smooth"), "same")
        filled = self.run("fill_holes", smooth)
        half = self.run("reduce", smooth, factor=2)
        closed = self.enlarged(self.flat("closing", half, self.pixels("hole") / 2), 2, density.shape)
        return self.run("pale_centres", smooth, filled, closed)

    def local_level(self, f, threshold, lower, upper):
        def mean(image):
            return self.gaussian(self.run("reduce", image, factor=4), self.pixels("local") / 4)

        above = self.run("part_above", f, value=threshold)
        share = self.run("part_above", f, value=threshold, share=True)
        level = self.run("local_level", mean(f), mean(above), mean(share), weight=self.p["local_weight"], upper=upper,
                         lower=lower, least=0.001 * _STEPS_PER_DENSITY)
        return self.enlarged(level, 4, f.shape)

    def foreground(self, f, level):
        dense = self.run("stained_foreground", f, level, self.blobs(f, self.pixels("valley_scale")),
                         share=self.p["local_share"], valley=self.p["valley"])
        filled = self.run("fill_holes", self.flat("opening", dense, self.pixels("opening")))
        return self.run("remove_small", filled, min_size=math.ceil(self.area("min_blob")))

    def landscape(self, density, f, fg, threshold):
        smooth = self.pixels("distance_smooth")
        longest = math.ceil(self.pixels("distance_cap") + 3 * (4 * smooth + 1))
        distance = self.run("distance_transform", fg, max_distance=longest)
        return self.run("nuclear_landscape", self.gaussian(distance, smooth),
                        self.gaussian(f, self.pixels("density_smooth")), self.blobs(density, self.pixels("blob_scale")),
                        fg, pixel=self.mpp, cap=self.p["distance_cap"],
                        density_weight=self.p["density_weight"] / threshold,
                        blob_weight=self.p["blob_weight"] / threshold)

    def parts(self, land, fg, f):
        seeds = self.run("label", self.run("h_minima", land, h=float(np.rint(self.p["seed_height"] * _STEPS_PER_HEIGHT))))
        if int(seeds.max()) == 0:
            return seeds
        basins = self.run("watershed", land, seeds, fg, connectivity=8)
        merged = self.run("merge_regions", basins, f, max_area=self.area("merge_max"), small_area=self.area("merge_small"),
                          small_weight=self.p["merge_small_weight"], border_weight=self.p["merge_dip_weight"])
        return self.sized(self.run("label", merged, values=True, connectivity=4))

    def sized(self, labels):
        return self.run("relabel", labels, min_size=self.area("min_area"), max_size=self.area("max_area"))

    def refined(self, parts, fg, f):
        count = int(parts.max())
        if count == 0:
            return parts
        reach = math.ceil(max(self.pixels("ring"), self.pixels("grow")))
        distance = self.run("distance_transform", parts, invert=True, max_distance=reach)
        zone = self.run("nearest_label", parts, max_distance=reach)
        rings = self.run("labels_between", zone, distance, fg, beyond=self.pixels("ring_gap"), up_to=self.pixels("ring"),
                         where="outside", offset=count)
        grown = self.run("labels_between", zone, distance, fg, up_to=self.pixels("grow"))
        rows = self.run("measure", rings, f, columns="intensity")
        number, total = np.zeros(2 * count + 1), np.zeros(2 * count + 1)
        number[rows["label"]], total[rows["label"]] = rows["num_pixels"], rows["intensity_sum"]
        mean = total / np.maximum(number, 1)
        inner, outer = mean[1:count + 1], mean[count + 1:]
        levels = np.where(number[count + 1:] > 20, outer + self.p["refine"] * (inner - outer), 0)
        dense = self.run("above_own_level", grown, f, levels=levels.tolist())
        solid = self.run("fill_holes", self.flat("opening", dense, self.pixels("refine_opening")))
        kept = self.run("labels_between", grown, grown, solid, where="inside")
        return self.sized(self.run("label", kept, values=True, connectivity=4))

    def labels(self, rgb):
        density = self.density(rgb)
        f = self.filled_density(density)
        counts, values = self.counts(f, 65536), np.arange(65536.0)
        threshold = _otsu(counts, _percentile(counts, 99.5))
        if not threshold > 0:
            return self.run("label", f)
        upper = values > threshold
        means = (_mean(counts[~upper], values[~upper], threshold), _mean(counts[upper], values[upper], threshold))
        fg = self.foreground(f, self.local_level(f, threshold, *means))
        land = self.landscape(density, f, fg, threshold)
        return self.refined(self.parts(land, fg, f), fg, f)


def nuclei(image: Any, mpp: float, *, tissue: Optional[bool] = None, out: Any = None, device: str = "auto", threads: int = 0,
           memory: Any = None, pieces: Any = None, scratch: Any = None, **parameters: Any) -> Any:
    """Finds the nuclei of a stained bright-field slide.

    Parameters
    ----------
    image : array, file name or macareu.LazyImage
        colour, uint8, of shape (rows, columns, 3); a fourth channel is left out. Arrays of CuPy stay on their GPU. Files,
        numpy.memmap, and arrays of zarr and h5py are read in pieces.
    mpp : float
        size of a pixel in micrometres
    tissue : bool, default None
        whether glass, pen marks and dust are left out, as `macareu nuclei` does; they do not count in white and
        thresholds then. None: True for images that are read in pieces, whose labels are those of the command, and False
        for arrays in memory, all of which is tissue.
    out : array or file name, default None
        where the labels of images that are read in pieces go; by default a new array
    device, threads, memory, pieces, scratch
        as of all operators; memory, pieces and scratch are for images that are read in pieces
    **parameters
        of the recipe, in micrometres and square micrometres: the members of nuclei_options in <macareu/nuclei.hpp>

    Returns
    -------
    labels : array of uint32, of CuPy if the image is
        1..n in the raster order of first pixels; the same bits for every size of pieces, every device and thread count

    Examples
    --------
    >>> import macareu, numpy
    >>> glass = numpy.full((64, 64, 3), 240, numpy.uint8)
    >>> int(macareu.nuclei(glass, mpp=0.25).max())
    0
    """
    known = _macareu.nuclei_parameters
    for name in parameters:
        if name not in known:
            raise TypeError(f"nuclei() got an unexpected keyword argument {name!r}"
                            f"{_functions.did_you_mean(name, list(known))}")
    values = {**known, **parameters}
    if not 0 < mpp < math.inf:
        raise ValueError(f"mpp: expected micrometres above 0, got {mpp!r}")
    if mpp * mpp > values["max_area"]:
        raise ValueError(f"mpp: a pixel of {mpp:g} x {mpp:g} um is larger than any nucleus (max_area {values['max_area']:g} um^2)")
    if values["stain_set"] not in ("h-e", "h-dab"):
        raise ValueError(f"stain_set: expected 'h-e' or 'h-dab', got {values['stain_set']!r}")
    if isinstance(image, (str, os.PathLike)):
        image = LazyImage(image)
    image = image if hasattr(image, "dtype") else np.asarray(image)
    kind = _arrays.kind_of((image,))
    if kind not in (None, CuPy):
        raise TypeError(f"image: expected an array of NumPy or CuPy, or a file's name, got {type_name(image)}")
    if len(image.shape) != 3 or image.shape[2] not in (3, 4) or np.dtype(image.dtype) != np.uint8:
        raise ValueError(f"image: expected uint8 of shape (rows, columns, 3), got {image.dtype} of {image.shape}")
    lazy = _pieces.is_lazy(image)
    if not lazy and (out is not None or memory is not None or pieces is not None or scratch is not None):
        raise TypeError("nuclei: out, memory, pieces and scratch are for images that are read in pieces")
    if kind is CuPy and tissue:
        raise TypeError("tissue: is found in host memory and in files; pass cupy.asnumpy(image)")
    if 0 in image.shape and not lazy:
        return _operator("label")(image[..., 0])
    tissue = lazy if tissue is None else tissue
    if not lazy and not tissue:
        return _Recipe(mpp, values, {"device": device, "threads": threads}).labels(image[..., :3])
    file = image.path if isinstance(image, LazyImage) else ""
    place = np.empty(image.shape[:2], np.uint32) if out is None else _pieces._place(out)
    _macareu.find_nuclei(_pieces._source(image), file, bool(tissue) and 0 not in image.shape, mpp, values, place, device,
                         threads, None, _pieces._bytes(memory), _pieces._sizes(pieces),
                         _pieces._directory(scratch, (place,)))
    return place if out is None else out
