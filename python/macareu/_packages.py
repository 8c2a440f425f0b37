"""The package of an array, and how it imports memory of others."""

import sys

HOST_DEVICES = (1, 3)  # DLPack: CPU memory, and pinned memory
GPU_DEVICES = (2, 13)  # memory of an NVIDIA GPU, and managed memory

_JAX = ("jax.numpy", "jax.dlpack")
_MODULES = {"cupy": ("cupy",), "torch": ("torch",), "numba": ("numba",), "jax": _JAX, "jaxlib": _JAX}


def package_of(array):
    """The package of the array's class, or of the first base class whose package has special rules here."""
    for base in type(array).__mro__:
        name = base.__module__.partition(".")[0]
        if name in _MODULES:
            return name
    return type(array).__module__.partition(".")[0]


def is_jax(array):
    """JAX arrays are immutable, which DLPack need not report."""
    return package_of(array) in ("jax", "jaxlib")


def type_name(array):
    return f"{type(array).__module__}.{type(array).__qualname__}"


def functions_of(array):
    """Modules in which an array's package may have functions such as from_dlpack."""
    namespace = getattr(array, "__array_namespace__", None)
    if namespace is not None:
        return [namespace()]
    name = package_of(array)
    return [sys.modules[each] for each in _MODULES.get(name, (name,)) if each in sys.modules]


def way_into(array, *names):
    """The function of the array's package that has the first of these names, or None."""
    for name in names:
        for module in functions_of(array):
            if hasattr(module, name):
                return getattr(module, name)
    return None
