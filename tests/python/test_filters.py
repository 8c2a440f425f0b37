"""Filters under the peers' names against the peers, on random images: type, shape and values."""

import unittest

import numpy as np
import scipy.ndimage
import skimage.feature
import skimage.filters

import macareu
from canny_rounding import EXCUSED_SHARE, PossibleEdges
from images import LONG, check_same, draw_few, draw_image
from peers import AgainstPeers, draw_mode, draw_modes, draw_zeros

ours_in_scipy = macareu.scipy.ndimage


class Filters(AgainstPeers):
    def test_canny(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, (shape * 2)[:2])
            highest = 1 if image.dtype.kind in "bf" else np.iinfo(image.dtype).max
            named = {"sigma": float(rng.choice([0, 0.7, 1, 2.5])), "mode": draw_mode(rng)}
            if rng.random() < 0.3:
                named["cval"] = float(rng.uniform(-1, 1))
            if rng.random() < 0.7:
                low, high = sorted(float(t) * highest for t in rng.choice([0, 0.001, 0.01, 0.1, 1], 2))
                named.update(low_threshold=low, high_threshold=high)
            if rng.random() < 0.2:
                named["mask"] = np.ones(image.shape, bool)
            return [image], named
        pixels = excused = 0
        def same(found, expected, what, given, named):
            nonlocal pixels, excused
            self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), what)
            pixels += expected.size
            if np.array_equal(found, expected):
                return
            excused += np.count_nonzero(found != expected)
            named.pop("mask", None)  # of ones
            self.assertTrue(PossibleEdges(*given, **named).holds(found), what)
        self.check(macareu.skimage.feature, skimage.feature, "canny", draw, same=same)
        self.assertLessEqual(excused, EXCUSED_SHARE * pixels)

    def test_apply_hysteresis_threshold(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape)
            if rng.random() < 0.5:
                low, high = (int(n) for n in rng.integers(0, 20, 2))
            else:
                low, high = (float(t) for t in np.quantile(image.astype(float), rng.random(2)))
            return [image, low, high], {}
        self.check(macareu.skimage.filters, skimage.filters, "apply_hysteresis_threshold", draw)

    def test_gaussian(self):
        def draw(rng, type, shape):
            named = {"mode": draw_mode(rng), "preserve_range": bool(rng.random() < 0.5), "cval": float(rng.uniform(-2, 2)),
                     "truncate": float(rng.choice([1.0, 2.5, 4.0]))}
            if len(shape) == 3 and shape[-1] == 3:
                named["multichannel"] = False
            return [draw_image(rng, type, shape), draw_sigma(rng, shape)], named
        self.check(macareu.skimage.filters, skimage.filters, "gaussian", draw)

    def test_gaussian_filter(self):
        def draw(rng, type, shape):
            output = None if type != "bool" and rng.random() < 0.6 else str(rng.choice(["float32", "float64"]))
            named = {"mode": draw_modes(rng, shape), "output": output, "cval": float(rng.uniform(-3, 3)),
                     "truncate": float(rng.choice([1.0, 2.5, 4.0]))}
            if rng.random() < 0.3 and (type.startswith("float") or output):
                named["order"] = [int(o) for o in rng.integers(0, 4, len(shape))] if rng.random() < 0.5 else 1
            if rng.random() < 0.2:
                named["radius"] = [int(o) for o in rng.integers(0, 4, len(shape))] if rng.random() < 0.5 else 3
            return [draw_image(rng, type, shape), draw_sigma(rng, shape)], named
        self.check(ours_in_scipy, scipy.ndimage, "gaussian_filter", draw)

    def test_sobel_of_skimage(self):
        def draw(rng, type, shape):
            axis = draw_axis(rng, shape)
            if rng.random() < 0.2:
                axis = tuple(int(a) for a in rng.permutation(len(shape))[:int(rng.integers(len(shape) + 1))])
            elif rng.random() < 0.2:
                axis = int(rng.integers(-len(shape), 0))
            return [draw_image(rng, type, shape)], {"mode": draw_mode(rng), "axis": axis, "cval": float(rng.integers(3)),
                                                    "mask": rng.random(shape) < 0.7 if rng.random() < 0.2 else None}
        self.check(macareu.skimage.filters, skimage.filters, "sobel", draw)

    def test_sobel_of_scipy(self):
        def draw(rng, type, shape):
            image, output = draw_image(rng, type, shape), None
            if np.dtype(type).kind in "bu" or type == "int8" or rng.random() < 0.2:
                output = str(rng.choice(["float32", "float64"]))
            elif image.dtype.kind == "i":
                image //= 32  # what an integer does not hold is undefined in C
            return [image], {"mode": draw_modes(rng, shape), "axis": int(rng.integers(-len(shape), len(shape))),
                                                    "output": output, "cval": float(rng.integers(3))}
        self.check(ours_in_scipy, scipy.ndimage, "sobel", draw)

    def test_median_filter(self):
        def draw(rng, type, shape):
            image = draw_image(rng, type, shape)
            size = int(rng.choice([1, 3, 5, 7] if len(shape) < 3 else [1, 3, 5]))
            # Also fractions, and what the type may not hold.
            cval = int(rng.integers(3)) if rng.random() < 0.7 else float(rng.choice([-300, -1, -0.5, 0.7, 2.7, 99.5, 300]))
            if rng.random() < 0.2:
                return [image], {"footprint": np.ones([size] * len(shape)), "mode": draw_mode(rng), "cval": cval}
            sizes = (size,) * len(shape) if rng.random() < 0.2 else size
            return [image], {"size": sizes, "mode": draw_mode(rng), "cval": cval,
                             "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "median_filter", draw)

    def test_threshold_otsu(self):
        def draw(rng, type, shape):
            wide = np.dtype(type).kind == "f" or np.dtype(type).itemsize <= 2  # the peer has a bin for every integer
            image = (draw_image if wide else draw_few)(rng, "uint8" if type == "uint64" else type, shape)
            if rng.random() < 0.1:
                return [None], {"hist": rng.integers(0, 9, 40)}
            return [image], {"nbins": int(rng.choice([2, 10, 256]))} if rng.random() < 0.5 else {}
        self.check(macareu.skimage.filters, skimage.filters, "threshold_otsu", draw)

    def test_images_of_many_pieces(self):
        """Larger than what is in work at a time, along every axis, and with sums that reach over several pieces."""
        rng = np.random.default_rng(20240617)
        types = ("uint8", "int16", "float32", "float64")
        for number, shape in enumerate(((150, 2200), (2200, 70), (75, 5, 1100), (3, 140, 530))):
            for type in types if LONG else types[number:number + 1]:
                image = (rng.normal(size=shape) * 40 + 100).clip(0, 250).astype(type)
                view = image.transpose(np.roll(range(len(shape)), int(rng.integers(2))))[..., ::int(rng.choice([-1, 1]))]
                axis = int(rng.integers(len(shape)))
                mode = draw_mode(rng)
                with self.subTest(shape=view.shape, type=type, mode=mode, axis=axis):
                    for name, given, named in (
                            ("gaussian_filter", [float(rng.choice([1.4, 2.5, 40]))], {"cval": 3.0}),
                            ("gaussian_filter", [1.2], {"order": 1, "output": "float32"}),
                            ("sobel", [axis], {"output": "float32"}), ("sobel", [axis], {"output": "float64"})):
                        theirs, ours = (getattr(one, name)(view, *given, mode=mode, **named)
                                        for one in (scipy.ndimage, ours_in_scipy))
                        check_same(ours, theirs, f"{name} {given} {named}", absolute=1e-5)
                    for named in ({}, {"axis": axis}, {"axis": axis - len(shape)}):
                        theirs, ours = (one.sobel(view, mode=mode, **named)
                                        for one in (skimage.filters, macareu.skimage.filters))
                        check_same(ours, theirs, f"sobel {named}", absolute=1e-5)


def draw_sigma(rng, shape):
    if rng.random() < 0.5:
        return float(rng.choice([0, 0.3, 0.7, 1, 2, 3.3]))
    return [float(s) for s in rng.choice([0, 0.5, 1, 1.3, 3], len(shape))]


def draw_axis(rng, shape):
    return None if rng.random() < 0.5 else int(rng.integers(len(shape)))


if __name__ == "__main__":
    unittest.main()
