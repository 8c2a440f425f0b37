"""Creates the functions from the catalogue, so a new operator needs no code here."""

import inspect
import textwrap
from typing import Any, Callable, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _macareu
from ._calls import call
from ._macareu import did_you_mean, nearest_operator  # noqa: F401

_RUNNING = (
    ("out", "Any", "None", "where the result goes, an array or a file's name; by default a new array"),
    ("device", "str", "'auto'", "auto, serial, cpu, cuda or cuda:N"),
    ("strategy", "str", "'auto'", "auto, or a name that the device knows for this operator"),
    ("threads", "int", "0", "0: as many as the machine has"),
    ("progress", "bool | Callable[[float], object]", "False",
     "True shows tqdm's bar where it is installed; a function is called with the fraction done"),
    ("memory", "int | str | None", "None",
     "memory to use, '4G' or bytes; what needs more is computed in pieces. By default 70 % of what is free, for images "
     "that are not in memory"),
    ("pieces", "Sequence[int] | None", "None",
     "compute in pieces of (rows, columns) or (slices, rows, columns), whatever the memory"),
    ("scratch", "Any", "None", "directory of work files; by default that of the output file, or of temporary files"),
)
_HINTS = {
    "connectivity": "int | str",
    "flag": "bool",
    "number": "float | str",
    "numbers": "float | Sequence[float] | str",
    "text": "object",
}


def _default(kind, text):
    """The Python value of a parameter's default."""
    if kind == "flag":
        return text == "true"
    if kind in ("number", "numbers"):
        for convert in (int, float):
            try:
                return convert(text)
            except ValueError:
                pass
    return None if text == "none" else text


_NAMES_OF_HINTS = {"Any": Any, "ArrayLike": ArrayLike, "Callable": Callable, "Literal": Literal, "NDArray": NDArray,
                   "Sequence": Sequence, "np": np}


def _hint(kind, choices):
    return f"Literal[{', '.join(map(repr, choices.split('|')))}]" if kind == "choice" else _HINTS[kind]


def _parameters(about):
    """(name, hint, default or None, help) of every parameter, in catalogue order."""
    for name, kind, default, help, choices in about["parameters"]:
        text = repr(_default(kind, default)) if default else None
        if text == "inf":
            text = "float('inf')"
        yield name, _hint(kind, choices), text, help


def gives_images(about):
    return not about["table"] and not about["shapes"]


def signature(about, image="ArrayLike", other="ArrayLike", out="Any"):
    """The parameter list. Parameters without a default precede the star, like images. `image`, `other` and
    `out` are the hints of images, of inputs with a form of their own, and of the output."""
    parameters = list(_parameters(about))
    parts = [f"{name}: {other if own_form else image}" for name, _, own_form, optional in about["inputs"] if not optional]
    parts += [f"{name}: {hint}" for name, hint, default, _ in parameters if default is None]
    parts += [f"{name}: {image} | None = None" for name, _, _, optional in about["inputs"] if optional]
    parts.append("*")
    parts += [f"{name}: {hint} = {default}" for name, hint, default, _ in parameters if default is not None]
    parts += [f"{name}: {out + ' | None' if name == 'out' and out != 'Any' else hint} = {default}"
              for name, hint, default, _ in _running(about)]
    return ", ".join(parts)


def result_hint(about, pixel="Any"):
    """The type hint of a result for NumPy arrays. `pixel` is the images' pixel type."""
    if about["table"]:
        return "dict[str, NDArray[Any]]"
    if about["shapes"]:
        return "list[dict[str, Any]]"
    types = {"bool": "np.bool_", "the input's type": pixel}
    hints = [f"NDArray[{types.get(type, 'Any')}]" for _, _, type in about["outputs"]]
    return hints[0] if len(hints) == 1 else f"tuple[{', '.join(hints)}]"


def _running(about):
    """The options of a run. Tables and shapes have no `out`."""
    return [option for option in _RUNNING if option[0] != "out" or gives_images(about)]


def _wrapped(text, indent):
    return textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def _example(operation, about, values):
    """An example that runs as a doctest. The catalogue determines the result's type."""
    forms = [own_form for _, _, own_form, optional in about["inputs"] if not optional]
    source, images = ("image, _", ["image"]) if forms.count(False) == 1 else ("mask, marker", ["marker", "mask"])
    images += ["[[0, 1, 0], [1, 2, 1], [0, 1, 0]]"] * forms.count(True)
    required = [f"{name}=20" for name, _, default, _ in _parameters(about) if default is None]
    if about["takes_colour"]:
        return [">>> import macareu, numpy", ">>> grey, _ = macareu.generate('tissue', (64, 96))",
                f">>> result = macareu.{about['name']}(numpy.stack([grey] * 3, axis=-1))", ">>> result.shape[:2]", "(64, 96)"]
    lines = [">>> import macareu", f">>> {source} = macareu.generate('tissue', (64, 96))",
             f">>> result = macareu.{about['name']}({', '.join(images + required)})"]
    if about["table"]:
        return [*lines, ">>> type(result).__name__, len(result) > 0", "('dict', True)"]
    if about["shapes"]:
        return [*lines, ">>> type(result).__name__, len(result) > 0", "('list', True)"]
    type = operation.result_type(0, np.dtype(np.uint8), (64, 96), tuple(values))
    shape = operation.result_shape(0, (64, 96), tuple(values))
    return [*lines, ">>> result.shape, result.dtype.name", f"({tuple(shape)}, {type.name!r})"]


def _documentation(operation, about, values):
    lines = [about["brief"], "", textwrap.fill(about["notes"], 114), "", _wrapped("Formula: " + about["formula"], ""), "",
             "Parameters", "----------"]
    for name, help, _, optional in about["inputs"]:
        lines += [f"{name} : array" + (", default None" if optional else ""), _wrapped(help, "    ")]
    for name, hint, default, help in (*_parameters(about), *_running(about)):
        lines += [f"{name} : {hint}" + (f", default {default}" if default else ""), _wrapped(help, "    ")]
    lines += ["", "Returns", "-------"]
    for name, help, type in about["outputs"]:
        lines += [f"{name} : array", _wrapped(f"{help}; {type}", "    ")]
    if about["table"]:
        lines += ["dict of arrays, one for each column", _wrapped(about["table"], "    ")]
    if about["shapes"]:
        lines += ["list of dicts, one for each object, in the order of labels",
                  _wrapped(about["shapes"] + ": `label`, and `polygons`, a list with the rings of every part, the exterior "
                           "first, as arrays of x and y", "    ")]
    lines += ["", "Examples", "--------", *_example(operation, about, values)]
    return "\n".join(lines) + "\n"


def _refuse(function, unknown):
    """Raises Python's TypeError for unexpected keywords, with a suggestion."""
    name = next(iter(unknown))
    hint = did_you_mean(name, list(inspect.signature(function).parameters))
    raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")


_NO_IMAGE = np.empty((0, 0), np.uint8)  # as in the library


def _given(about, first, *optional):
    """Optional images without those at the end that are None; others that are None become what stands for none."""
    for image, (name, *_) in zip(optional, about["inputs"][-len(optional):]):
        if image is not None and getattr(image, "shape", None) == (0, 0) != getattr(first, "shape", None):
            raise ValueError(f"{about['name']}: {name} is empty: it is 0 x 0")
    while optional and optional[-1] is None:
        optional = optional[:-1]
    return tuple([_NO_IMAGE if image is None else image for image in optional])


def _make(operation):
    about = operation.about
    name = about["name"]
    defaults = [None if text is None else eval(text) for _, _, text, _ in _parameters(about)]  # our own repr
    images = "(" + "".join(f"{image}, " for image, _, _, optional in about["inputs"] if not optional) + ")"
    optional = [image for image, _, _, optional in about["inputs"] if optional]
    if optional:
        images += f" + _given(_about, {about['inputs'][0][0]}, {', '.join(optional)})"
    values = "".join(f"{parameter}, " for parameter, *_ in about["parameters"])
    out = "out" if gives_images(about) else "None"
    # Generated code instead of **arguments: it has a signature, and calls have no overhead.
    code = ("from __future__ import annotations\n"
            f"def _plain({signature(about)}) -> {result_hint(about)}: pass\n"
            f"def {name}({signature(about)}, **_unknown) -> {result_hint(about)}:\n"
            f"    if _unknown: _refuse({name}, _unknown)\n"
            f"    return _call(_operation, {images}, ({values}), {out}, device, strategy, threads, progress, "
            "memory, pieces, scratch)\n")
    scope = {"_about": about, "_call": call, "_given": _given, "_operation": operation, "_refuse": _refuse, **_NAMES_OF_HINTS}
    exec(compile(code, f"<macareu.{name}>", "exec"), scope)
    function = scope[name]
    function.__module__ = "macareu"
    function.__signature__ = inspect.signature(scope["_plain"])
    # An argument that is its default object was not given, and needs no conversion.
    operation.set_defaults(tuple(function.__kwdefaults__.get(p[0]) for p in about["parameters"]))
    example_values = [20 if value is None and text is None else value
                      for value, (_, _, text, _) in zip(defaults, _parameters(about))]
    function.__doc__ = _documentation(operation, about, example_values)
    return function


functions = {operation.about["name"]: _make(operation) for operation in _macareu.operations}
