"""Functions of the command line besides operators."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _macareu
from ._arrays import as_numpy


def generate(name: str, shape: Sequence[int], seed: int = 1,
             coverage: int = 50) -> tuple[NDArray[np.uint8], NDArray[Any] | None]:
    """A test image by formula, the same bytes on every machine.

    Parameters
    ----------
    name : str
        which instance: see docs/reference/instances.md; an unknown name raises a ValueError that lists them
    shape : tuple of int
        (rows, columns) or (slices, rows, columns)
    seed : int
        another image of the same kind
    coverage : {25, 50, 75, 100}
        tissue and slide: per cent of the slide that is covered

    Returns
    -------
    (mask, marker) : arrays of uint8
        marker is None where the instance has none. ``slide`` gives (image, truth): rows x columns x 3, and
        the labels of its nuclei as uint32

    Examples
    --------
    >>> import macareu
    >>> mask, marker = macareu.generate("random", (4, 5), seed=7)
    >>> mask.shape, bool((marker <= mask).all())
    ((4, 5), True)
    """
    if np.ndim(shape) != 1:
        raise TypeError(f"shape: expected (rows, columns) or (slices, rows, columns), got {shape!r}")
    return _macareu.generate(name, list(shape), seed, coverage)


class Comparison(NamedTuple):
    """The differences between two images; true if they are equal."""

    pixels: int  #: pixels compared
    different: int  #: unequal pixels; two NaN are equal
    largest: float  #: largest absolute difference
    first: Optional[Tuple[int, ...]]  #: index of the first difference, or None
    left: float  #: the value there
    right: float

    def __bool__(self) -> bool:
        return self.different == 0


def compare(left: ArrayLike, right: ArrayLike) -> Comparison:
    """Compares two images of the same shape and type, pixel by pixel.

    Examples
    --------
    >>> import macareu, numpy as np
    >>> a = np.zeros((3, 4)); b = a.copy(); b[1, 2] = 5
    >>> found = macareu.compare(a, b)
    >>> found.different, found.first, found.right, bool(found)
    (1, (1, 2), 5.0, False)
    """
    return Comparison(*_macareu.compare(*[np.asarray(as_numpy(one)) for one in (left, right)]))


def info() -> dict[str, Any]:
    """Version, devices, threads, instruction set and GPUs.

    Examples
    --------
    >>> import macareu
    >>> "cpu" in macareu.info()["devices"]
    True
    """
    return _macareu.machine()
