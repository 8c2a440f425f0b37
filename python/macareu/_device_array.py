"""Results in GPU memory that belong to no other package."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _macareu
from ._packages import HOST_DEVICES


def contiguous(shape, step):
    """Strides in bytes of a contiguous array."""
    strides = []
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class DeviceArray:
    """A C-contiguous array in GPU memory. Calls return it if the input's package cannot import such memory. CuPy,
    PyTorch and JAX import it by `from_dlpack`, Numba by `numba.cuda.as_cuda_array`, without a copy. All functions of
    this package accept it. Its memory is released with the last array that uses it; that waits for the GPU, as cudaFree
    does."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], gpu: int, stream: int) -> None:
        """Created by calls. The memory is usable by later work in the stream."""
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
        """No stream has to wait: results are complete when a call returns."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("DeviceArray cannot be copied or moved to another device by DLPack")
        return self._memory.capsule(self.dtype, self.shape, max_version is not None and max_version[0] >= 1)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.__dlpack_device__()[0] in HOST_DEVICES:
            raise AttributeError("there is no GPU: the memory is on the host")
        return {"data": (self._memory.address, False), "shape": self.shape, "typestr": self.dtype.str, "strides": None,
                "version": 3, "stream": None}
