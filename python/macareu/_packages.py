"""Which package an array is of, and how that takes memory of others."""

import sys

HOST_DEVICES = (1, 3)  # of DLPack: the CPU's memory, and pinned memory
GPU_DEVICES = (2, 13)  # memory of a GPU of NVIDIA, and what it shares with the host

_JAX = ("jax.numpy", "jax.dlpack")
_MODULES = {"cupy": ("cupy",), "torch": ("torch",), "numba": ("numba",), "jax": _JAX, "jaxlib": _JAX}


def package_of(array):
    """Of its class, or of one that this is derived from where that is of a package with rules of its own here."""
    for base in type(array).__mro__:
        name = base.__module__.partition(".")[0]
        if name in _MODULES:
            return name
    return type(array).__module__.partition(".")[0]


def is_jax(array):
    """Whose arrays never change: nothing can be written to them, which its DLPack need not say."""
    return package_of(array) in ("jax", "jaxlib")


def type_name(array):
    return f"{type(array).__module__}.{type(array).__qualname__}"


def functions_of(array):
    """Modules in which an array's package has functions such as from_dlpack."""
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
