"""Writes the package's stub from the catalogue, for editors and type checkers.

usage: write_stubs.py PACKAGE      where PACKAGE is the folder of the built package
"""

import pathlib
import sys

HEAD = '''"""Made from the catalogue."""

from typing import Any, Callable, Literal, Sequence

from numpy.typing import ArrayLike

from . import scipy as scipy, skimage as skimage
from ._tools import Comparison as Comparison, compare as compare, generate as generate, info as info

__version__: str
'''


def main():
    package = pathlib.Path(sys.argv[1])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(package.parent))
    from macareu import _functions, _macareu

    text = HEAD
    for about in (operation.about for operation in _macareu.operations):
        text += f'\ndef {about["name"]}({_functions.signature(about)}) -> Any:\n    """{about["brief"]}"""\n'
    (package / "__init__.pyi").write_text(text)
    (package / "py.typed").touch()


main()
