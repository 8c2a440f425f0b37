"""Results in a GPU's memory that belong to no other package."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _macareu
from ._packages import HOST_DEVICES


def contiguous(shape, step):
    """Strides in bytes of an array without gaps."""
    strides = []
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class DeviceArray:
    """An array in a GPU's memory, in the order of the language C: what a call gives for arrays of a package that has no
    way to take such memory. CuPy, PyTorch and JAX take it by `from_dlpack`, Numba by `numba.cuda.as_cuda_array`,
    without a copy; and all functions of this package take it. Its memory is free for others when it is deleted, and
    all that was made of it; that waits for the GPU, as cudaFree does."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], gpu: int, stream: int) -> None:
        """Made by calls: its memory is there for what comes into the stream."""
        self.shape = shape
        self.dtype = dtype
        self._memory = _macareu.kept_memory(gpu, stream, self.nbytes)
        self._described = (self._memory.address, dtype, shape, contiguous(shape, dtype.itemsize))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"macareu.DeviceArray(shape={self.shape}, dtype={self.dtype}, device={self.__dlpack_device__()})"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._memory.device

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """No stream has to wait: what calls write is there when they return."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("an array of this package is handed over where it is, without a copy")
        return self._memory.capsule(self.dtype, self.shape, max_version is not None and max_version[0] >= 1)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.__dlpack_device__()[0] in HOST_DEVICES:
            raise AttributeError("there is no GPU, and the memory is the host's")
        return {"data": (self._memory.address, False), "shape": self.shape, "typestr": self.dtype.str, "strides": None,
                "version": 3, "stream": None}
