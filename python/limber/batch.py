# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Many states at once, on several cores.

A batch is cut into pieces, one per thread. The library releases the interpreter in each, and the result of a state
never depends on the others. The threads end with the call, so that a process may fork at any other time.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import in_place, output
from ._errors import STATUS_NAMES, check, decode
from ._library import library
from ._owned import own

if TYPE_CHECKING:
    from .model import Model

WORK = 8192  # bodies times states for which starting a thread pays, where states are computed side by side
SINGLE = 1024  # likewise, where they are computed one by one: with flexible bodies or loops
LANES = 8  # states that are computed side by side


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Batch:
    """The workspaces of the threads for one model."""

    def __init__(self, model: Model, threads: int | None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads is {threads}, expected at least 1")
        self.model = model
        self.threads = threads
        self._works: list[int] = []

    def _make_works(self, count: int) -> None:
        while len(self._works) < count:
            self._works.append(own(self, library.lb_create_batch(self.model._handle, None),
                                   library.lb_destroy_batch, self.model))

    def count_threads(self, count: int) -> int:
        """Threads for so many states: as many as were asked for, or cores, but so few that each has enough to do."""
        model = self.model
        single = bool(model.loops) or any(body.mode_count for body in model.bodies)
        piece = max((SINGLE if single else WORK) // max(len(model.bodies), 1), LANES)
        return max(1, min(self.threads or count_cores(), count // piece))

    def run(self, name: str, inputs: dict[str, Any], out: Any, like: int) -> np.ndarray:
        """Computes "forward", "inverse" or "mass_matrix" of states that are stacked along leading axes, with loops and
        locks as the workspace `like` has them."""
        model, n = self.model, self.model.v_count
        lead = np.shape(inputs["q"])[:-1]
        arrays = [None if array is None else in_place(array, (*lead, model.q_count if key == "q" else n), key)
                  for key, array in inputs.items()]
        result = output(out, (*lead, n, n) if name == "mass_matrix" else (*lead, n))
        for array in arrays:
            if array is not None and np.may_share_memory(array, result):
                raise ValueError("out overlaps an input")

        count = int(np.prod(lead))
        if count >= 1 << 31:
            raise ValueError(f"{count} states are too many for one call, which takes 2147483647 at most")
        threads = self.count_threads(count)
        starts = [LANES * (count * i // (threads * LANES)) for i in range(threads)] + [count]
        states = [*arrays, result]
        widths = [0 if array is None else array.itemsize * array.size // max(count, 1) for array in states]
        function = getattr(library, {"forward": "lb_compute_forward_dynamics_batch",
                                     "inverse": "lb_compute_inverse_dynamics_batch",
                                     "mass_matrix": "lb_compute_mass_matrix_batch"}[name])
        statuses = [0] * threads
        self._make_works(threads)
        for work in self._works[:threads]:
            library.lb_set_batch_like(model._handle, work, like)

        # it refers to the arrays and to the workspaces: they stay, even if Ctrl-C ends the wait for a thread
        def compute(i: int) -> None:
            pointers = [None if array is None else array.ctypes.data + starts[i] * width
                        for array, width in zip(states, widths)]
            statuses[i] = function(model._handle, self._works[i], starts[i + 1] - starts[i], *pointers)

        others = [threading.Thread(target=compute, args=(i,)) for i in range(1, threads)]
        for thread in others:
            thread.start()
        compute(0)
        for thread in others:
            thread.join()
        for i, status in enumerate(statuses):
            if status < 0:
                check(status, self._explain(status, self._works[i], starts[i]))
        return result

    def _explain(self, status: int, work: int, start: int) -> str:
        """Which state of a batch failed, and where."""
        state, body, entry = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        if STATUS_NAMES.get(status) == "number":
            name = decode(library.lb_get_batch_bad_number(work, ctypes.byref(state), ctypes.byref(entry)))
            return (f"state {start + state.value}: {name}[{entry.value}] is not finite, or its quaternion is not of unit "
                    f"length; all other states are computed" if name == "q" else
                    f"state {start + state.value}: {name}[{entry.value}] is not finite; all other states are computed")
        if STATUS_NAMES.get(status) == "singular":
            library.lb_get_batch_bad_inertia(work, ctypes.byref(state), ctypes.byref(body), ctypes.byref(entry))
            return (f"state {start + state.value}: the inertia is singular at body "
                    f"{self.model.bodies[body.value].name!r}; all other states are computed")
        return ""
