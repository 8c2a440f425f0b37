"""The watershed under scikit-image's name: a member of the tie zone, as scikit-image's own result is."""

import unittest
from collections import deque

import numpy as np
import scipy.ndimage
import skimage.segmentation
import skimage.util

import macareu
from images import some

ours = macareu.skimage.segmentation


def neighbours_of(shape, reach):
    steps = [step for step in np.ndindex((3,) * len(shape)) if 0 < sum(abs(i - 1) for i in step) <= reach]

    def near(p):
        for step in steps:
            q = tuple(i + s - 1 for i, s in zip(p, step))
            if all(0 <= i < size for i, size in zip(q, shape)):
                yield q
    return near


def times_of(image, markers, mask, near):
    """(pass, steps since it was reached) of every pixel that a marker reaches, by the definition."""
    heights = {}
    work = deque()
    for p in np.ndindex(image.shape):
        if mask[p] and markers[p]:
            heights[p] = image[p]
            work.append(p)
    while work:
        p = work.popleft()
        for q in near(p):
            height = max(heights[p], image[q])
            if mask[q] and height < heights.get(q, np.inf):
                heights[q] = height
                work.append(q)
    steps = {}
    for p, height in heights.items():
        if markers[p] or any(heights.get(q, np.inf) < height for q in near(p)):
            steps[p] = 0
            work.append(p)
    while work:
        p = work.popleft()
        for q in near(p):
            if heights.get(q) == heights[p] and q not in steps:
                steps[q] = steps[p] + 1
                work.append(q)
    return {p: (heights[p], steps[p]) for p in heights}


def outside_tie_zone(labels, times, markers, near):
    """Pixels whose label is that of no neighbour that was flooded first."""
    bad = 0
    for p, time in times.items():
        if markers[p]:
            bad += labels[p] != markers[p]
            continue
        before = [(times[q], labels[q]) for q in near(p) if q in times]
        least = min(t for t, _ in before)
        bad += not any(t == least and label == labels[p] for t, label in before)
    return bad


def draw(rng):
    volume = rng.random() < 0.3
    shape = tuple(rng.integers(1, 7, 3)) if volume else tuple(rng.integers(1, 15, 2))
    kind = rng.integers(3)
    image = (rng.integers(0, 4, shape).astype(np.uint8) if kind == 0 else rng.normal(size=shape) if kind == 1
             else rng.integers(-50, 50, shape).astype(np.int16))
    markers = np.where(rng.random(shape) < rng.uniform(0.01, 0.3), rng.integers(1, 6, shape), 0)
    mask = rng.random(shape) < 0.8 if rng.random() < 0.4 else None
    return image, markers, mask, int(rng.integers(1, len(shape) + 1))


class Segmentation(unittest.TestCase):
    def test_members_of_the_tie_zone(self):
        rng = np.random.default_rng(7)
        for i in range(some(300)):
            image, markers, mask, reach = draw(rng)
            with self.subTest(i=i, shape=image.shape, reach=reach):
                inside = np.ones(image.shape, bool) if mask is None else mask
                near = neighbours_of(image.shape, reach)
                times = times_of(image, markers * inside, inside, near)
                got = ours.watershed(image, markers, reach, mask=mask)
                self.assertEqual((got.dtype, got.shape), (np.dtype(np.int32), image.shape))
                self.assertEqual(outside_tie_zone(got, times, markers * inside, near), 0)
                self.assertTrue((got[~inside] == 0).all())
                # scikit-image from 0.25.2 on never lets values fall: that is 0.19 on the heights of passes.
                passes = np.full(image.shape, 1e9)
                for p, (height, _) in times.items():
                    passes[p] = height
                structure = scipy.ndimage.generate_binary_structure(image.ndim, reach)
                theirs = skimage.segmentation.watershed(passes, markers, connectivity=structure, mask=mask)
                reached = np.zeros(image.shape, bool)
                for p in times:
                    reached[p] = True
                self.assertEqual(outside_tie_zone(theirs, times, markers * inside, near), 0)
                np.testing.assert_array_equal(got != 0, reached)

    def test_equal_where_nothing_ties(self):
        rng = np.random.default_rng(3)
        image = rng.permutation(900).reshape(30, 30).astype(np.float64)
        np.testing.assert_array_equal(ours.watershed(image), skimage.segmentation.watershed(image))

    def test_nan_outside_the_mask_is_ignored(self):
        rng = np.random.default_rng(6)
        for dtype in (np.float16, np.float32, np.float64):
            image = rng.permutation(900).reshape(30, 30).astype(dtype)
            mask = rng.random(image.shape) < 0.8
            walled, unknown = np.where(mask, image, np.inf).astype(dtype), np.where(mask, image, np.nan).astype(dtype)
            with self.subTest(dtype=dtype):
                for markers in (None, 9, mask * rng.integers(0, 2, image.shape)):
                    np.testing.assert_array_equal(ours.watershed(unknown, markers, mask=mask),
                                                  ours.watershed(walled, markers, mask=mask))
                np.testing.assert_array_equal(ours.watershed(walled, mask=mask),
                                              skimage.segmentation.watershed(walled.astype(float), mask=mask))
                unknown[tuple(np.argwhere(mask)[0])] = np.nan
                with self.assertRaisesRegex(ValueError, "NaN"):
                    ours.watershed(unknown, mask=mask)

    def test_markers_as_a_number(self):
        rng = np.random.default_rng(4)
        for shape in ((20, 31), (5, 40), (6, 7, 9), (3, 3)):
            image = rng.random(shape)
            for count in (1, 3, 8, 25):
                seeds = skimage.util.regular_seeds(shape, count)
                np.testing.assert_array_equal(ours.watershed(image, count), ours.watershed(image, seeds))

    def test_lines_separate(self):
        rng = np.random.default_rng(5)
        image, markers = rng.random((40, 40)), np.zeros((40, 40), int)
        markers[5::12, 5::12] = np.arange(1, 10).reshape(3, 3)
        lines = ours.watershed(image, markers, 2, watershed_line=True)
        for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
            a, b = lines[:40 - dy, max(0, -dx):40 - max(0, dx)], lines[dy:, max(0, dx):40 + min(0, dx)]
            self.assertFalse(((a != b) & (a != 0) & (b != 0)).any())
        self.assertTrue((lines[markers != 0] == markers[markers != 0]).all())

    def test_degenerate_calls(self):
        flat = np.zeros((4, 5))
        np.testing.assert_array_equal(ours.watershed(flat), skimage.segmentation.watershed(flat))
        np.testing.assert_array_equal(ours.watershed(flat, np.zeros((4, 5), int)), np.zeros((4, 5), int))
        row = np.array([3, 1, 2, 0, 5])
        np.testing.assert_array_equal(ours.watershed(row), skimage.segmentation.watershed(row))
        np.testing.assert_array_equal(ours.watershed(flat, flat + 1), np.ones((4, 5), int))

    def test_not_served(self):
        image, markers = np.zeros((4, 5)), np.eye(4, 5, dtype=int)
        for named in ({"compactness": 0.1}, {"offset": (1, 1)}, {"connectivity": np.ones((5, 5))}):
            with self.assertRaises(NotImplementedError) as failure:
                ours.watershed(image, markers, **named)
            self.assertIn(next(iter(named)), str(failure.exception))
        with self.assertRaisesRegex(NotImplementedError, r"got -1 at \(0, 0\)"):
            ours.watershed(image, -markers)
        real = markers.astype(np.float64)
        real[1, 2] = np.nan
        with self.assertRaisesRegex(ValueError, r"markers: expected labels, got NaN at \(1, 2\)"):
            ours.watershed(image, real)
        for number in (-1, float("nan")):
            with self.assertRaisesRegex(ValueError, f"markers: expected labels, or a number of 0 or more, got {number}"):
                ours.watershed(image, number)
        # Markers outside the mask are left out, as in scikit-image; the operator itself refuses them.
        mask = np.zeros((4, 5), bool)
        mask[:2] = True
        np.testing.assert_array_equal(ours.watershed(image, markers, mask=mask),
                                      skimage.segmentation.watershed(image, markers, mask=mask))
        with self.assertRaisesRegex(ValueError, "expected 0 outside mask, got 1 at row 2, column 2"):
            macareu.watershed(image, markers, mask=mask)
        with self.assertRaisesRegex(ValueError, "mask is empty: it is 0 x 0"):
            macareu.watershed(image, markers, mask=np.zeros((0, 0), bool))
        for wrong in ({"markers": markers[1:]}, {"markers": markers, "mask": markers[1:] > 0}):
            with self.assertRaises(ValueError):
                ours.watershed(image, **wrong)
        expected = ours.watershed(image, markers, mask=mask)
        image[2, 3] = np.nan
        with self.assertRaisesRegex(ValueError, "row 2, column 3"):
            ours.watershed(image, markers)
        np.testing.assert_array_equal(ours.watershed(image, markers, mask=mask), expected)

    def test_heights_of_passes(self):
        image, markers = np.array([[3, 1, 2, 0, 5]], np.uint8), np.array([[1, 0, 0, 0, 0]])
        labels, heights = np.empty((1, 5), np.uint32), np.empty((1, 5), np.uint8)
        macareu.watershed(image, markers, out=(labels, heights))
        self.assertEqual((labels.tolist(), heights.tolist()), ([[1] * 5], [[3, 3, 3, 3, 5]]))


if __name__ == "__main__":
    unittest.main()
