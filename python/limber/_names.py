# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Things with names: lists that names index, and arrays that names of coordinates index."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np

Item = TypeVar("Item")


def missing(name: str, names: Any, kind: str) -> KeyError:
    """The exception for a name that does not exist, with the closest one that does."""
    close = difflib.get_close_matches(name, list(names), 1)
    return KeyError(f"no {kind} {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))


def name_list(names: Any) -> tuple[Any, ...]:
    """Names or indices as a tuple; a string by itself is one name, not its letters."""
    return (names,) if isinstance(names, (str, int)) else tuple(names)


class Named(Sequence, Generic[Item]):
    """A list whose items are also found by name: `bodies[0]`, `bodies["panel"]`."""

    def __init__(self, kind: str, items: Sequence[Item]) -> None:
        self._kind = kind
        self._items = tuple(items)
        self._index = {item.name: item for item in self._items}  # type: ignore[attr-defined]

    @overload
    def __getitem__(self, key: int | str) -> Item: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._index:
                raise missing(key, self._index, self._kind)
            return self._index[key]
        return self._items[key]

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._index if isinstance(key, str) else key in self._items

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._index)

    def __repr__(self) -> str:
        return f"<{len(self)}: {', '.join(self._index)}>"


class Coordinates(np.ndarray):
    """An array whose last axis is also indexed by names: `q["elbow"]`.

    Everything else is as NumPy has it. An index that takes only a part of the last axis gives an array that has
    no names.
    """

    names: Mapping[str, Any] | None
    count: int

    def __new__(cls, values: Any, names: Mapping[str, Any]) -> Coordinates:
        array = np.array(values, dtype=np.float64).view(cls)
        array.names, array.count = names, array.shape[-1]
        return array

    def __array_finalize__(self, source: Any) -> None:
        self.names = getattr(source, "names", None)
        self.count = getattr(source, "count", -1)

    def _find(self, key: Any) -> Any:
        if not isinstance(key, str):
            return key
        if self.names is None or not self.shape or self.shape[-1] != self.count:
            raise KeyError(f"{key!r}: this array is only a part of one with names")
        if key not in self.names:
            raise missing(key, self.names, "coordinate")
        return (..., self.names[key])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.view(np.ndarray)[self._find(key)]
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._find(key), value)

    def __reduce__(self) -> Any:
        return (Coordinates, (np.asarray(self), self.names))
