# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of arrays, and the sentences for those that are not as asked."""

from __future__ import annotations

from typing import Any

import numpy as np


def address(array: np.ndarray | None) -> int | None:
    """Where the numbers of an array start."""
    return None if array is None else array.ctypes.data


def show(shape: tuple[int, ...]) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def real(value: Any, name: str) -> np.ndarray:
    """An array of float64 of anything that real numbers can be read from."""
    array = np.asarray(value)
    if array.dtype != np.float64:
        if not np.can_cast(array.dtype, np.float64, "same_kind"):
            raise TypeError(f"{name} must hold real numbers, not {array.dtype}")
        array = array.astype(np.float64)
    return array


def vector(value: Any, count: int, name: str) -> np.ndarray:
    """An input of `count` numbers for one state; converted and copied if need be."""
    array = real(value, name)
    if array.shape != (count,):
        raise ValueError(f"{name} has shape {show(array.shape)}, expected {show((count,))}")
    return np.ascontiguousarray(array)


def in_place(array: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """An array that the library reads or writes where it is, which nothing may have to convert."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.dtype != np.float64:
        raise TypeError(f"{name} must hold float64, not {array.dtype}: use {name}.astype(float)")
    if array.shape != shape:
        raise ValueError(f"{name} has shape {show(array.shape)}, expected {show(shape)}")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise ValueError(f"{name} is not contiguous in memory: use np.ascontiguousarray({name})")
    return array


def output(out: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The array that results go to: `out` if it is given, else a new one."""
    if out is None:
        return np.empty(shape)
    array = in_place(out, shape, "out")
    if not array.flags.writeable:
        raise ValueError("out is read-only")
    return array
