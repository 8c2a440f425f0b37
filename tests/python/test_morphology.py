"""Morphology and distances under the peers' names against the peers, on random images: type, shape and values."""

import unittest

import numpy as np
import scipy.ndimage
import skimage.morphology

import macareu
from images import draw_few, draw_image, some
from peers import AgainstPeers, draw_mode, draw_structure, draw_zeros

ours_in_skimage = macareu.skimage.morphology
ours_in_scipy = macareu.scipy.ndimage


class Morphology(AgainstPeers):
    def test_reconstruction(self):
        def draw(rng, type, shape):
            a, b = draw_image(rng, type, shape), draw_image(rng, type, shape)
            down = rng.random() < 0.5
            seed, mask = (np.maximum(a, b), b) if down else (np.minimum(a, b), b)
            if rng.random() < 0.1:  # of another type
                mask = mask.astype(np.float64)
            named = {"method": "erosion" if down else "dilation", "footprint": draw_structure(rng, len(shape))}
            if rng.random() < 0.2:
                named["offset"] = np.ones(len(shape), int)
            return [a if rng.random() < 0.03 else seed, mask], named
        self.check(ours_in_skimage, skimage.morphology, "reconstruction", draw)

    def test_reconstruction_of_large_images_is_float64_too(self):
        for shape in ((520, 530), (1, 2**18), (2, 3, 2**16)):
            mask = np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)
            seed = mask // 2
            for view in (np.s_[:], np.s_[..., ::-1]):
                grown = ours_in_skimage.reconstruction(seed[view], mask[view])
                self.assertEqual(grown.dtype, np.float64)
                np.testing.assert_array_equal(grown, macareu.reconstruct(seed[view], mask[view]))

    def test_local_extrema(self):
        for name in ("local_maxima", "local_minima"):
            def draw(rng, type, shape):
                named = {"indices": bool(rng.random() < 0.2), "allow_borders": bool(rng.random() < 0.7)}
                if rng.random() < 0.5:
                    named["connectivity"] = int(rng.integers(1, len(shape) + 2))
                elif rng.random() < 0.5:
                    named["footprint"] = draw_structure(rng, len(shape))
                return [draw_image(rng, type, shape)], named
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_h_extrema(self):
        for name in ("h_maxima", "h_minima"):
            def draw(rng, type, shape):
                # NumPy has no range of booleans.
                image = draw_image(rng, "uint8" if type == "bool" else type, shape)
                spread = float(image.max()) - float(image.min())
                if image.dtype.kind == "f" and rng.random() < 0.5:
                    h = float(spread * rng.uniform(0.01, 1.1)) or 1.0
                elif spread > 200 and spread < 2**31:
                    h = int(spread * rng.uniform(0.01, 1.1))
                else:
                    h = float(rng.choice([0.5, 2.0, 7.0])) if rng.random() < 0.3 else int(rng.integers(0, 8))
                return [image, h], {"footprint": draw_structure(rng, len(shape))}
            self.check(ours_in_skimage, skimage.morphology, name, draw)

    def test_distance_transform_edt(self):
        def draw(rng, type, shape):
            named = {"return_indices": bool(rng.random() < 0.5)}
            if named["return_indices"] and rng.random() < 0.3:
                named["return_distances"] = False
            if rng.random() < 0.2:
                named["sampling"] = float(rng.uniform(0.1, 9))
            elif rng.random() < 0.5:
                named["sampling"] = [float(s) for s in rng.choice([0.3, 1, 2, 5], len(shape))]
            image = draw_image(rng, type, shape)
            return [((rng.random(shape) < 0.05) == (image > 0)).astype(type)], named
        self.check(ours_in_scipy, scipy.ndimage, "distance_transform_edt", draw)

    def test_nearest_pixels_of_large_images(self):
        rng = np.random.default_rng(20240618)
        for shape in ((300, 1200), (90000,), (40, 70, 90)):
            image = rng.random(shape) < 0.999
            for sampling in (None, [2.5, 1, 0.25][:len(shape)]):
                theirs, ours = (one.distance_transform_edt(image, sampling, return_indices=True)
                                for one in (scipy.ndimage, ours_in_scipy))
                self.assertEqual(ours[1].dtype, theirs[1].dtype)
                np.testing.assert_array_equal(ours[0], theirs[0], "they are measured as SciPy does it")
                np.testing.assert_array_equal(ours[1], theirs[1])

    def test_binary_fill_holes(self):
        def draw(rng, type, shape):
            # SciPy makes int8 of its mask on the way, which turns 0.75 and 256 into 0.
            image = (draw_image(rng, type, shape) > 0).astype(type)
            return [image], {"structure": draw_structure(rng, len(shape)), "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "binary_fill_holes", draw)

    def test_binary_propagation(self):
        def draw(rng, type, shape):
            # SciPy makes int8 of a mask on its way, which turns 0.75 and 256 into 0.
            mask = (draw_image(rng, type, shape) > 0).astype(type) if rng.random() < 0.9 else None
            return [(rng.random(shape) < 0.1).astype(type)], {
                "structure": draw_structure(rng, len(shape)), "mask": mask, "border_value": int(rng.random() < 0.2),
                "origin": draw_zeros(rng, shape)}
        self.check(ours_in_scipy, scipy.ndimage, "binary_propagation", draw)

    def test_remove_small_objects(self):
        def draw(rng, type, shape):
            image = draw_few(rng, type, shape)
            if np.dtype(type).kind == "i" and rng.random() < 0.1:
                image = -image
            return [image], {"min_size": int(rng.integers(0, 9)), "connectivity": int(rng.integers(1, len(shape) + 1)),
                             "in_place": bool(rng.random() < 0.2)}
        self.check(ours_in_skimage, skimage.morphology, "remove_small_objects", draw)

    def test_remove_small_objects_into_memory_that_is_there(self):
        image = np.eye(5, dtype=int)
        for min_size in (0, 4, 10, np.inf):
            for out_type in (bool, int):
                ours, theirs = (np.ones((5, 5), out_type) for _ in range(2))
                self.assertIs(ours_in_skimage.remove_small_objects(image, min_size, out=ours), ours)
                skimage.morphology.remove_small_objects(image, min_size, out=theirs)
                np.testing.assert_array_equal(ours, theirs)

    def test_grey_morphology_of_scipy(self):
        for name in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing"):
            def draw(rng, type, shape):
                named = {"mode": draw_mode(rng)}
                if named["mode"] in ("constant", "grid-constant"):
                    named["cval"] = int(rng.integers(0, 2 if type == "bool" else 100))
                if rng.random() < 0.5:
                    named["size"] = draw_sides(rng, shape)
                else:
                    named["footprint"] = draw_footprint(rng, draw_sides(rng, shape))
                if type != "bool" and rng.random() < 0.1:
                    named["output"] = np.float64
                return [draw_exact(rng, type, shape)], named
            self.check(ours_in_scipy, scipy.ndimage, name, draw)

    def test_binary_morphology_of_scipy(self):
        for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
            def draw(rng, type, shape):
                # SciPy 1.10 writes beyond its memory where it follows changes instead of brute force.
                named = {"border_value": int(rng.random() < 0.3), "iterations": int(rng.choice([1, 1, 2, 3])),
                         "brute_force": True}
                if rng.random() < 0.8:
                    named["structure"] = draw_footprint(rng, draw_sides(rng, shape))
                return [(draw_image(rng, type, shape) > 0).astype(type)], named
            self.check(ours_in_scipy, scipy.ndimage, name, draw)

    def test_morphology_of_skimage(self):
        for name in ("erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat"):
            def draw(rng, type, shape):
                named = {}
                if rng.random() < 0.9:
                    named["footprint"] = draw_footprint(rng, [side | 1 for side in draw_sides(rng, shape)])
                return [draw_exact(rng, type, shape)], named
            self.check(ours_in_skimage, skimage.morphology, name, draw)


class Footprints(unittest.TestCase):
    """The operators themselves against SciPy, with footprints by shape."""

    def test_shapes(self):
        image = np.random.default_rng(5).integers(0, 256, (40, 50), dtype=np.uint8)
        volume = np.random.default_rng(6).integers(-9, 9, (9, 12, 11), dtype=np.int16)
        for radius in (0, 1, 2, 2.5, 5, 12):
            reach = int(radius)
            for array in (image, volume) if radius < 5 else (image,):
                places = np.indices((2 * reach + 1,) * array.ndim) - reach
                for shape, inside in (("disc", (places**2).sum(0) <= radius**2),
                                      ("diamond", np.abs(places).sum(0) <= radius)):
                    self.check_all(array, inside, element=shape, radius=radius)
        for size in ((1, 1), (3, 3), (4, 5), (2, 2), (1, 60), (33, 1), (64, 7)):
            self.check_all(image, np.ones(size, bool), size=list(size), element="rectangle")
        self.check_all(volume, np.ones((2, 5, 4), bool), size=[2, 5, 4], element="rectangle")
        self.check_all(volume, np.ones((4, 4, 4), bool), size=4, element="rectangle")
        for angle, inside in ((0, np.ones((1, 6))), (90, np.ones((6, 1)))):
            self.check_all(image, inside.astype(bool), element="line", length=6, angle=angle)
        for angle, inside in ((0, np.ones((1, 7))), (90, np.ones((7, 1))), (45, np.eye(5)[::-1]), (-45, np.eye(5))):
            self.check_all(image, inside.astype(bool), element="line", length=7, angle=angle)

    def check_all(self, image, inside, **named):
        for border in ("reflect", "nearest", "mirror", "wrap"):
            given = {**named, "border": border}
            for ours, theirs in (("erosion", "grey_erosion"), ("dilation", "grey_dilation"), ("opening", "grey_opening"),
                                 ("closing", "grey_closing")):
                expected = getattr(scipy.ndimage, theirs)(image, footprint=inside, mode=border)
                np.testing.assert_array_equal(getattr(macareu, ours)(image, **given), expected, f"{ours} {given}")

    def test_empty_footprints_are_named(self):
        image = np.ones((4, 5), np.uint8)
        for footprint, message in ((np.zeros((0, 0)), "opening: footprint is empty: it is 0 x 0"),
                                   (np.zeros((0, 3)), "opening: footprint is empty: it is 0 x 3"),
                                   (np.zeros((1, 2)), "opening: footprint is empty: all of its 2 pixels are zero"),
                                   (np.array([[1, np.nan]]), "opening: footprint is NaN at row 0, column 1; replace NaN")):
            for how in ({}, {"pieces": (2, 2)}):
                with self.assertRaisesRegex(ValueError, message):
                    macareu.opening(image, footprint=footprint, **how)
                with self.assertRaisesRegex(ValueError, "opening: radius and footprint are both given: use one of them"):
                    macareu.opening(image, footprint=image, radius=2, **how)
        self.assertEqual(macareu.opening(np.ones((0, 0)), footprint=np.ones((3, 3))).shape, (0, 0))

    def test_outside_is_left_out_by_default(self):
        rng = np.random.default_rng(7)
        for number in range(some(200)):
            type = ("uint8", "bool", "int16", "float32")[number % 4]
            image = draw_image(rng, type, tuple(rng.integers(1, 9, 2)))
            inside = draw_footprint(rng, rng.integers(1, 7, 2))
            wide = image.astype(np.float64)
            lowest, highest = {"b": (0, 1), "f": (-np.inf, np.inf)}.get(image.dtype.kind) or (
                np.iinfo(type).min, np.iinfo(type).max)
            eroded = scipy.ndimage.grey_erosion(wide, footprint=inside, mode="constant", cval=highest)
            dilated = scipy.ndimage.grey_dilation(wide, footprint=inside, mode="constant", cval=lowest)
            opened = scipy.ndimage.grey_dilation(eroded, footprint=inside, mode="constant", cval=lowest)
            np.testing.assert_array_equal(macareu.erosion(image, footprint=inside), eroded)
            np.testing.assert_array_equal(macareu.dilation(image, footprint=inside), dilated)
            np.testing.assert_array_equal(macareu.opening(image, footprint=inside), opened)
            self.assertTrue((macareu.opening(image, footprint=inside) <= image).all())
            if image.dtype.kind != "b" and np.isfinite(dilated - eroded).all():
                saturated = np.clip(dilated - eroded, lowest, highest)
                np.testing.assert_allclose(macareu.morphological_gradient(image, footprint=inside), saturated, 1e-6)

    def test_by_reconstruction(self):
        image = np.random.default_rng(8).integers(0, 256, (60, 70), dtype=np.uint8)
        for radius in (1, 3):
            eroded = macareu.erosion(image, radius=radius)
            np.testing.assert_array_equal(macareu.opening_by_reconstruction(image, radius=radius),
                                          skimage.morphology.reconstruction(eroded, image))
            dilated = macareu.dilation(image, radius=radius)
            np.testing.assert_array_equal(macareu.closing_by_reconstruction(image, radius=radius, connectivity=4),
                                          skimage.morphology.reconstruction(dilated, image, "erosion",
                                                                            footprint=np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])))

    def test_bad_footprints(self):
        image = np.zeros((4, 5), np.uint8)
        for message, named in (("footprint is empty: all of its 6 pixels are zero", {"footprint": np.zeros((2, 3))}),
                               ("footprint: expected as many axes as the image, 2, got 3", {"footprint": np.ones((1, 1, 1))}),
                               ("size: expected 1 number or 2, got 3", {"element": "rectangle", "size": [1, 2, 3]})):
            with self.assertRaisesRegex(ValueError, message):
                macareu.opening(image, **named)
        with self.assertRaisesRegex(ValueError, "NaN"):
            macareu.erosion(np.array([[0, np.nan]]))


def draw_exact(rng, type, shape):
    """The peers' minima of 64-bit integers are rounded to float64."""
    draw = draw_few if np.dtype(type).kind in "iu" and np.dtype(type).itemsize == 8 else draw_image
    return draw(rng, type, shape)


def draw_sides(rng, shape):
    """Even ones too, and some beyond the image."""
    return [int(side) for side in rng.integers(1, 8 if len(shape) < 3 else 5, len(shape))]


def draw_footprint(rng, sides):
    inside = rng.random(sides) < rng.choice([0.2, 0.6, 1])
    inside[tuple(rng.integers(0, side) for side in sides)] = True
    return inside


if __name__ == "__main__":
    unittest.main()
