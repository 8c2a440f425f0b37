"""How functions under the peers' names are compared with the peers, and random arguments of several of them."""

import unittest
import warnings

import numpy as np
import scipy.ndimage

from images import TYPES, check_same, draw_shape, some, strided

IMAGES = some(800)


class AgainstPeers(unittest.TestCase):
    def check(self, module, peer, name, draw, one_axis=True, absolute=0, same=None):
        """draw(rng, type, shape) gives the arguments of a call. What the peer refuses we refuse too; what we do not
        serve we say, and that is seldom. same(found, expected, what, given, named) replaces check_same."""
        ours, theirs = getattr(module, name), getattr(peer, name)
        rng = np.random.default_rng(20240611)
        compared = not_served = 0
        for number in range(IMAGES):
            type = TYPES[number % len(TYPES)]
            shape = draw_shape(rng, int(rng.choice([1, 2, 2, 3] if one_axis else [2, 2, 3])))
            given, named = draw(rng, type, shape)
            given = [strided(rng, one) if isinstance(one, np.ndarray) else one for one in given]
            copies = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
            numbers = given[1:] if np.isscalar(given[-1]) else ""
            what = f"{name}, image {number}, {type} {np.shape(given[0])} {numbers} {named}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = theirs(*copies, **named)
                except (ValueError, TypeError, RuntimeError) as refusal:
                    with self.assertRaises(refusal.__class__, msg=what):
                        ours(*given, **named)
                    continue
                try:
                    found = ours(*given, **named)
                except NotImplementedError as refusal:
                    self.assertRegex(str(refusal), r"^\w+: ")
                    not_served += 1
                    continue
                if same:
                    same(found, expected, what, given, named)
                else:
                    check_same(found, expected, what, absolute)
                compared += 1
        self.assertGreaterEqual(compared, IMAGES * 5 // 8, f"{name}: {not_served} not served")
        self.assertLess(not_served, IMAGES / 10, name)


def draw_groups(rng, shape):
    """labels and index of SciPy's measurements."""
    labels = draw_labels(rng, shape)
    return {} if labels is None else {"labels": labels, "index": draw_index(rng)}


def draw_labels(rng, shape):
    """Of any type; few or many, negative, larger than SciPy counts directly, for whole rows, or none at all."""
    kind = rng.random()
    if kind < 0.1:
        return None
    type = str(rng.choice(["int8", "uint8", "int32", "uint32", "int64", "uint64", "float64", "bool"]))
    few = rng.integers(0, 2 if type == "bool" else 5, shape[-1:] if kind < 0.2 else shape)
    if type in ("int32", "int64", "float64"):
        few = few * int(rng.choice([1, 1, 1000, -1]))
    return few.astype(type)


def draw_index(rng):
    kind = rng.random()
    if kind < 0.2:
        return None
    if kind < 0.4:
        return int(rng.integers(0, 4))
    if kind < 0.6:
        return [int(n) for n in rng.integers(-2, 7, int(rng.integers(1, 5)))]
    return rng.integers(0, 6, (2, 3)) * int(rng.choice([1, 1000]))


def draw_mode(rng):
    return str(rng.choice(["reflect", "nearest", "mirror", "wrap", "constant", "grid-mirror", "grid-wrap",
                           "grid-constant"], p=[.16] * 5 + [.07, .07, .06]))


def draw_modes(rng, shape):
    """One for all axes, or one for each."""
    return draw_mode(rng) if rng.random() < 0.7 else [draw_mode(rng) for _ in shape]


def draw_zeros(rng, shape):
    """Of parameters for which only 0 is served, in both forms."""
    return 0 if rng.random() < 0.7 else (0,) * len(shape)


def draw_structure(rng, axes):
    if rng.random() < 0.3:
        return None
    return scipy.ndimage.generate_binary_structure(axes, int(rng.integers(1, axes + 1)))
