# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Things of the library that are freed with the Python object that owns them."""

from __future__ import annotations

import weakref
from typing import Any


def _release(destroy: Any, address: int, *needed: Any) -> None:
    destroy(address)


def own(owner: Any, address: int | None, destroy: Any, *needed: Any) -> int:
    """Frees a thing when its owner goes; what it `needed`, such as the model, stays until then, even where the collector
    of cycles takes both at once. Nothing that is needed may refer to the owner."""
    if not address:
        raise MemoryError("limber: out of memory")
    weakref.finalize(owner, _release, destroy, address, *needed)
    return address
