"""Random images for the tests, and whether two results are equal."""

import os

import numpy as np

LONG = float(os.environ.get("MACAREU_TEST_SHARE", "1")) > 1  # make test-long
TYPES = ["bool", "uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def some(count):
    """So many random images in make test-long, and the first third of them in make test."""
    return count if LONG else -(-count // 3)


def draw_shape(rng, axes):
    """Mostly small ones, where borders and one-pixel sides are frequent."""
    longest = {1: 30, 2: 16, 3: 7}[axes] * (4 if rng.random() < 0.1 else 1)
    return tuple(int(n) for n in rng.integers(1, longest + 1, axes))


def draw_few(rng, type, shape):
    """Few values, so that there are plateaus; noise, or blocks of 2 pixels."""
    levels = 2 if type == "bool" else int(rng.choice([2, 4, 20, 100]))
    image = rng.integers(0, levels, shape)
    if rng.random() < 0.3:
        image = np.repeat(image, 2, axis=-1)[..., : shape[-1]]
    if np.dtype(type).kind == "f" and rng.random() < 0.5:
        image = image * 0.25
    return image.astype(type)


def draw_image(rng, type, shape):
    """Few values; or all that an integer type has; or real numbers, of both signs or not, as noise or as slopes."""
    kind = np.dtype(type).kind
    if kind == "b" or rng.random() < 0.5:
        image = draw_few(rng, type, shape)
        return -image if kind in "if" and rng.random() < 0.2 else image
    if kind in "iu":
        limits = np.iinfo(type)
        return rng.integers(limits.min, limits.max, shape, dtype=type, endpoint=True)
    image = rng.normal(size=shape) * 10.0 ** rng.uniform(-3, 4)
    if rng.random() < 0.3:
        for axis in range(len(shape)):
            image = image.cumsum(axis)
    return (np.abs(image) if rng.random() < 0.4 else image).astype(type)


def strided(rng, image):
    """The same image on memory with gaps, other orders of axes, or backwards along any of them."""
    kind = rng.integers(6)
    if kind == 0:
        return image
    if kind == 1:
        room = np.zeros(tuple(2 * n for n in image.shape), image.dtype)
        view = room[tuple(slice(None, None, 2) for _ in image.shape)]
    elif kind == 2:
        view = np.zeros(image.shape, image.dtype, order="F")
    elif kind == 3:
        room = np.zeros(tuple(n + 2 for n in image.shape), image.dtype)
        view = room[tuple(slice(1, -1) for _ in image.shape)]
    elif kind == 4:
        order = rng.permutation(image.ndim)
        view = np.zeros([image.shape[axis] for axis in order], image.dtype).transpose(np.argsort(order))
    else:
        steps = rng.choice([-2, -1, 1], image.ndim)
        room = np.zeros([n * abs(step) for n, step in zip(image.shape, steps)], image.dtype)
        view = room[tuple(slice(None, None, int(step)) for step in steps)]
    view[...] = image
    return view


def check_same(ours, theirs, what, absolute=0):
    """The same type and shape, and the same bits; floats within 1e-6, or `absolute` where differences cancel."""
    if theirs is None:
        assert ours is None, what
        return
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs), what
        for one, other in zip(ours, theirs):
            check_same(one, other, what)
        return
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), what
        for name in theirs:
            check_same(ours[name], theirs[name], f"{what}, {name}")
        return
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype, f"{what}: {ours.dtype}, but the peer's result is {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{what}: {ours.shape}, but the peer's result is {theirs.shape}"
    if theirs.dtype == object:
        for one, other in zip(ours.ravel(), theirs.ravel()):
            check_same(one, other, what, absolute)
    elif theirs.dtype.kind == "f":
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=absolute, err_msg=str(what))
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=str(what))
