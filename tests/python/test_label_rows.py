"""Operators that read label images in rows against definitions of their own, written over whole arrays."""

import heapq
import unittest

import numpy as np

import macareu
from images import some


def draw_labels(rng, shape, objects):
    """Squares of any place and size over each other: objects with holes, parts and pinches; or noise."""
    labels = np.zeros(shape, np.int32)
    if rng.random() < 0.3:
        return rng.integers(0, objects + 1, shape).astype(np.int32)
    for _ in range(3 * objects):
        first = [rng.integers(0, side) for side in shape]
        size = [rng.integers(1, max(2, side // 2)) for side in shape]
        labels[tuple(slice(at, at + n) for at, n in zip(first, size))] = rng.integers(0, objects + 1) * 3
    return labels


def scores(truth, found, threshold):
    """Dense: all pairs of objects."""
    t, f = [labels[labels > 0] for labels in map(np.unique, (truth, found))]
    shared = np.array([[np.sum((truth == i) & (found == j)) for j in f] for i in t], float).reshape(len(t), len(f))
    size_t = np.array([np.sum(truth == i) for i in t], float)
    size_f = np.array([np.sum(found == j) for j in f], float)
    both, all = np.sum((truth > 0) & (found > 0)), np.sum(truth > 0) + np.sum(found > 0)
    result = dict.fromkeys(("aji", "aji_plus", "pq", "dq", "sq", "f1", "precision", "recall"), 0.0)
    result |= {"dice": 2 * both / max(all, 1), "true_objects": len(t), "found_objects": len(f), "true_positives": 0}
    if len(t) == 0 or len(f) == 0:
        return result
    joined = size_t[:, None] + size_f - shared
    iou = shared / joined
    best = iou.argmax(1)
    rows = np.arange(len(t))
    hit = iou[rows, best] > 0
    never = np.setdiff1d(np.arange(len(f)), best[hit])
    result["aji"] = shared[rows, best][hit].sum() / (
        joined[rows, best][hit].sum() + size_t[~hit].sum() + size_f[never].sum())
    pairs, used_t, used_f = [], set(), set()
    for k in np.argsort(-iou, axis=None, kind="stable"):
        i, j = divmod(int(k), len(f))
        if shared[i, j] > 0 and i not in used_t and j not in used_f:
            pairs.append((i, j))
            used_t.add(i)
            used_f.add(j)
    together = sum(shared[p] for p in pairs)
    result["aji_plus"] = together / (size_t.sum() + size_f.sum() - together)
    matched = [iou[p] for p in pairs if iou[p] > threshold]
    result["true_positives"] = len(matched)
    result["sq"] = np.mean(matched) if matched else 0.0
    result["dq"] = result["f1"] = 2 * len(matched) / (len(t) + len(f))
    result["pq"] = result["f1"] * result["sq"]
    result["precision"], result["recall"] = len(matched) / len(f), len(matched) / len(t)
    return result


def ellipticity(region):
    n, axes = region.shape
    from_mean = region - region.mean(axis=0)
    det = np.linalg.det(from_mean.T @ from_mean / n + np.eye(axes) / 12)
    unit = 4 * np.pi if axes == 2 else 4 / 3 * np.pi * 5**1.5
    return min(n / (unit * np.sqrt(max(det, 1e-6))), 1.0)


def merged(labels, density, max_area, small_area, small_weight, border_weight):
    """All gains anew after each union. Also the smallest difference between the best two gains."""
    labels, margin = labels.copy(), np.inf
    while True:
        gains = []
        pairs = {}
        for axis in range(labels.ndim):
            (a, b), (fa, fb) = ((np.moveaxis(of, axis, 0)[1:], np.moveaxis(of, axis, 0)[:-1]) for of in (labels, density))
            for p, q, low in zip(a.ravel(), b.ravel(), np.minimum(fa, fb).ravel()):
                if p != q and p > 0 and q > 0:
                    pairs.setdefault((min(p, q), max(p, q)), []).append(float(low))
        for (i, j), lows in pairs.items():
            one, other = np.argwhere(labels == i).astype(float), np.argwhere(labels == j).astype(float)
            if len(one) + len(other) > max_area:
                continue
            parts = (len(one) * ellipticity(one) + len(other) * ellipticity(other)) / (len(one) + len(other))
            mean = min(density[labels == i].mean(dtype=float), density[labels == j].mean(dtype=float))
            gain = (ellipticity(np.concatenate([one, other])) - parts + border_weight * (np.mean(lows) / max(mean, 1e-6) - 1)
                    + small_weight * max(0, 1 - min(len(one), len(other)) / small_area))
            margin = min(margin, abs(gain))
            if gain > 0:
                heapq.heappush(gains, (-gain, i, j))
        if not gains:
            return labels, margin
        gain, i, j = heapq.heappop(gains)
        if gains:
            margin = min(margin, gains[0][0] - gain)
        labels[labels == j] = i


def covered(polygon, shape):
    """Pixels inside an odd number of rings: every step along y changes the side of all pixels to its right."""
    crossings = np.zeros((shape[0], shape[1] + 1), int)
    for ring in polygon:
        for (x, y), (to_x, to_y) in zip(ring, np.roll(ring, -1, axis=0)):
            if x == to_x:
                crossings[min(y, to_y):max(y, to_y), x] += 1
    return np.cumsum(crossings, axis=1)[:, :-1] % 2 == 1


def area(ring):
    x, y = ring.T
    return (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2


class LabelRows(unittest.TestCase):
    def test_evaluate(self):
        rng = np.random.default_rng(1)
        for i in range(some(300)):
            shape = tuple(rng.integers(1, 30, 2))
            truth, found = (draw_labels(rng, shape, int(rng.integers(1, 9))) for _ in range(2))
            thresholds = [0.5, float(rng.uniform(0, 1))]
            got = macareu.evaluate(truth, found.astype(rng.choice([np.uint8, np.int64, np.uint16])), thresholds=thresholds)
            for row, threshold in enumerate(thresholds):
                for name, expected in scores(truth, found, threshold).items():
                    self.assertAlmostEqual(got[name][row], expected, delta=1e-12, msg=f"image {i}, {name}")
                self.assertEqual(got["misses"][row], got["true_objects"][row] - got["true_positives"][row])

    def test_evaluate_volumes(self):
        rng = np.random.default_rng(2)
        truth, found = rng.integers(0, 3, (2, 4, 5, 6))
        flat = macareu.evaluate(truth.reshape(4, -1), found.reshape(4, -1))
        for name, column in macareu.evaluate(truth, found).items():
            np.testing.assert_array_equal(column, flat[name])

    def test_merge_regions(self):
        rng = np.random.default_rng(3)
        compared = 0
        for i in range(some(200)):
            shape = tuple(rng.integers(2, 7, 3)) if i % 4 == 3 else tuple(rng.integers(2, 16, 2))
            labels = draw_labels(rng, shape, int(rng.integers(2, 8)))
            density = rng.uniform(0.5, 2, shape).astype(rng.choice([np.float32, np.float64]))
            limits = dict(max_area=float(rng.integers(4, 200)), small_area=float(rng.integers(1, 20)),
                          small_weight=float(rng.uniform(0, 0.5)), border_weight=float(rng.uniform(0, 0.5)))
            expected, margin = merged(labels, density, **limits)
            if margin < 1e-9:
                continue  # a tie, which roundings decide
            compared += 1
            np.testing.assert_array_equal(macareu.merge_regions(labels, density, **limits), expected, f"image {i}")
            pieces = tuple(int(side) for side in rng.integers(1, 5, len(shape)))
            np.testing.assert_array_equal(macareu.merge_regions(labels, density, **limits, pieces=pieces), expected, f"image {i}")
        self.assertGreater(compared, some(130))

    def test_contours(self):
        rng = np.random.default_rng(4)
        for i in range(some(1500)):
            shape = tuple(rng.integers(1, 20, 2))
            labels = draw_labels(rng, shape, int(rng.integers(1, 6)))
            shapes = macareu.contours(labels)
            self.assertEqual([one["label"] for one in shapes], [n for n in np.unique(labels) if n > 0])
            for one in shapes:
                total = np.zeros(shape, int)
                for polygon in one["polygons"]:
                    pixels = covered(polygon, shape)
                    total += pixels
                    areas = [area(ring) for ring in polygon]
                    self.assertTrue(areas[0] > 0 and all(hole < 0 for hole in areas[1:]))
                    self.assertEqual(sum(areas), pixels.sum())
                    for ring in polygon:
                        self.assertEqual(len(np.unique(ring, axis=0)), len(ring), "a ring touches itself")
                np.testing.assert_array_equal(total, labels == one["label"], f"image {i}")

    def test_contours_in_pieces(self):
        labels = draw_labels(np.random.default_rng(5), (40, 50), 9)
        whole, pieces = macareu.contours(labels), macareu.contours(labels, pieces=(3, 7))
        self.assertEqual(repr(whole), repr(pieces))

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "labels is a volume"):
            macareu.contours(np.ones((2, 2, 2), np.uint8))
        with self.assertRaisesRegex(ValueError, "whole numbers"):
            macareu.evaluate(np.ones((2, 2), np.uint8), np.ones((2, 2)))
        with self.assertRaisesRegex(ValueError, "NaN at row 0, column 1"):
            macareu.merge_regions(np.ones((1, 2), np.uint8), np.array([[1, np.nan]]))


if __name__ == "__main__":
    unittest.main()
