"""Passes calls to the library."""

import contextlib

from numpy import ndarray

from . import _arrays, _pieces


@contextlib.contextmanager
def _progress(progress, name):
    """The callback for the fraction done, or None."""
    if callable(progress):
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(total=1.0, desc=name, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}") as bar:
        yield lambda done: bar.update(done - bar.n)


def call(operation, images, values, out, device, strategy, threads, progress, *limits):
    if progress:
        with _progress(progress, operation.about["name"]) as told:
            return _run(operation, images, values, out, (device, strategy, threads, told), *limits)
    return _run(operation, images, values, out, (device, strategy, threads, None), *limits)


def _run(operation, images, values, out, how, memory, pieces, scratch):
    limited = memory is not None or pieces is not None or scratch is not None
    plain = not limited and (out is None or type(out) is ndarray)
    for image in images:
        plain = plain and type(image) is ndarray
    if plain:
        return operation.run(images, values, out, *how)

    def in_memory(arrays):
        kind = _arrays.kind_of(arrays)
        if kind is not None:
            return kind.run(operation, arrays, values, out, *how)
        return operation.run(arrays, values, out, *how)

    if limited or any(map(_pieces.is_lazy, images)) or _pieces.is_lazy_place(out):
        return _pieces.run(in_memory, operation, images, values, out, how, memory, pieces, scratch)
    return in_memory(images)
