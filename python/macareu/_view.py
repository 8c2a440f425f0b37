"""Images and their objects in notebooks."""

from __future__ import annotations

import html
import os
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _macareu
from ._arrays import as_numpy

#: A page has its pixels inline.
_MOST_PIXELS = 64 << 20


class View:
    """A page that shows images, as `macareu.view` gives it. Notebooks show it inline; `save` writes it to a file."""

    def __init__(self, text: str, height: int) -> None:
        #: the page, one HTML text with all its data
        self.html = text
        self._height = height

    def _repr_html_(self) -> str:
        return (f'<iframe sandbox="allow-scripts" style="width:100%;height:{self._height}px;border:0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')

    def __repr__(self) -> str:
        return f"<macareu.View of {len(self.html)} characters>"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to one file, which opens in any browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def view(image: ArrayLike, *others: ArrayLike, labels: Optional[ArrayLike] = None,
         table: Optional[Mapping[str, Any]] = None, colour: Optional[bool] = None,
         pixel_size: Optional[Union[float, Tuple[float, float]]] = None, title: str = "", height: int = 500) -> View:
    """Shows an image in a notebook: zoom, objects, their rows, histograms that filter them.

    For small images, because all pixels are in the page: `macareu view` on the command line shows large files.

    Parameters
    ----------
    image, *others : array
        grey images, colour images, or volumes, of one shape; the others are compared with the first by a slider
    labels : array, optional
        the number of every pixel's object, 0 outside
    table : mapping of str to array, optional
        columns by name, as `macareu.measure` gives them, with one named label; also a data frame of pandas
    colour : bool, optional
        whether the last axis holds colours; by default that of uint8 arrays with 3 axes, the last of 3 or 4
    pixel_size : float or (rows, columns), optional
        micrometres of a pixel, for the scale bar
    title : str
        above the objects
    height : int
        of the page in a notebook, in pixels

    Examples
    --------
    >>> import macareu
    >>> mask, marker = macareu.generate("tissue", (256, 256))
    >>> labels = macareu.label(mask > 60)
    >>> macareu.view(mask, labels=labels, table=macareu.measure(labels)).html[:15]
    '<!doctype html>'
    """
    images = []
    for number, one in enumerate((image, *others)):
        pixels = np.ascontiguousarray(as_numpy(one))
        has_colours = colour
        if colour is None:
            has_colours = pixels.ndim == 3 and pixels.dtype == np.uint8 and pixels.shape[-1] in (3, 4)
        images.append((f"image {number + 1}", pixels, bool(has_colours)))
    if sum(pixels.size for _, pixels, _ in images) > _MOST_PIXELS:
        raise ValueError("the images are too large for a page with inline data; save them and use `macareu view`")
    columns = None
    if table is not None:
        columns = {str(name): _column(values) for name, values in dict(table).items()}
        columns = {name: values for name, values in columns.items() if values is not None}
    numbered = None if labels is None else np.ascontiguousarray(as_numpy(labels))
    return View(_macareu.page_text(title, images, numbered, columns, _pair(pixel_size)), height)


def _pair(size: Any) -> Optional[Sequence[float]]:
    if size is None:
        return None
    return [float(each) for each in (size if np.ndim(size) else (size, size))]


def _column(values: Any) -> Optional[np.ndarray]:
    """Whole numbers as int64, others as float64; None for what is not numbers."""
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        return array.astype(np.int64)
    return array.astype(np.float64) if array.dtype.kind == "f" else None
