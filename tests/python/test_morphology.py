"""Morphology and distances under the peers' names against the peers, on random images: type, shape and values."""

import unittest

import numpy as np
import scipy.ndimage
import skimage.morphology

import macareu
from images import draw_few, draw_image
from peers import AgainstPeers, draw_structure, draw_zeros

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


if __name__ == "__main__":
    unittest.main()
