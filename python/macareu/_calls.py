"""Passes calls to the library."""

import contextlib

from numpy import ndarray

from . import _arrays


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


def call(operation, images, values, out, device, strategy, threads, progress):
    if progress:
        with _progress(progress, operation.about["name"]) as told:
            return _run(operation, images, values, out, device, strategy, threads, told)
    return _run(operation, images, values, out, device, strategy, threads, None)


def _run(operation, images, values, out, device, strategy, threads, progress):
    for image in images:
        if type(image) is not ndarray:
            kind = _arrays.kind_of(images)
            if kind is not None:
                return kind.run(operation, images, values, out, device, strategy, threads, progress)
            break
    return operation.run(images, values, out, device, strategy, threads, progress)
