"""Writes the package's stub from the catalogue, for editors and type checkers.

usage: write_stubs.py PACKAGE      where PACKAGE is the folder of the built package
"""

import pathlib
import sys

HEAD = '''"""Made from the catalogue."""

from typing import Any, Callable, Literal, Protocol, Sequence, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import scipy as scipy, skimage as skimage
from ._device_array import DeviceArray as DeviceArray
from ._lazy_image import LazyImage as LazyImage, open as open
from ._nuclei import nuclei as nuclei
from ._tools import Comparison as Comparison, compare as compare, generate as generate, info as info
from ._view import View as View, view as view

__version__: str

class _OnDevice(Protocol):
    """Arrays of other packages, on the host or a GPU: what they give is of their kind."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

class _OnGpu(Protocol):
    """Arrays on a GPU without DLPack: of Numba, or of a package that has no way to take memory of others; then what
    they give is a DeviceArray."""

    @property
    def __cuda_array_interface__(self) -> Any: ...

class _Sliced(Protocol):
    """Images that are not in memory: of zarr, h5py and others."""

    @property
    def shape(self) -> Any: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...

_Pixel = TypeVar("_Pixel", bound=np.generic)
_Array = TypeVar("_Array", bound=_OnDevice)
_Nested = Sequence[Sequence[Any]]
'''


def forms(functions, about):
    """(signature, result) of the overloads for type checkers: NumPy arrays, lists, other arrays with and without
    DLPack, and images or results that are not in memory."""
    same_type = any(type == "the input's type" for _, _, type in about["outputs"])
    pixel = "_Pixel" if same_type else "Any"
    outputs = len(about["outputs"])

    def form(image, pixel):
        result = functions.result_hint(about, pixel)
        return functions.signature(about, image, out=result), result

    yield form(f"NDArray[{pixel}]", pixel)
    yield form("_Nested", "Any")
    result = functions.result_hint(about)
    if functions.gives_images(about):
        result = "_Array" if outputs == 1 else f"tuple[{', '.join(['_Array'] * outputs)}]"
    yield functions.signature(about, "_Array", out="_Array" if outputs == 1 else result), result
    for image in ("_OnGpu", "_Sliced"):
        yield functions.signature(about, image), "Any" if functions.gives_images(about) else result


def main():
    package = pathlib.Path(sys.argv[1])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(package.parent))
    from macareu import _functions, _macareu

    text = HEAD
    for about in (operation.about for operation in _macareu.operations):
        for parameters, result in forms(_functions, about):
            text += f'\n@overload\ndef {about["name"]}({parameters}) -> {result}:\n    """{about["brief"]}"""\n'
    (package / "__init__.pyi").write_text(text)
    (package / "_macareu.pyi").write_text("from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n")
    (package / "py.typed").touch()


main()
