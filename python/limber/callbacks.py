# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the user as functions of C. An exception in one of them stops the run, which then raises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._structs import ActionFunction, ControlLaw, ForceFunction, NodeMotion, SignalFunction


class Failure:
    """The first exception of a callback."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None

    def guard(self, function: Callable[..., int]) -> Callable[..., int]:
        """The function, but returning 1 where it raises."""

        def guarded(*arguments: Any) -> int:
            try:
                return function(*arguments)
            except BaseException as problem:  # also a KeyboardInterrupt, which must not be lost inside C
                self.exception = self.exception or problem
                return 1

        return guarded

    def raise_if_any(self) -> None:
        problem, self.exception = self.exception, None
        if problem is not None:
            raise problem


def _view(pointer: Any, count: int) -> np.ndarray:
    return np.ctypeslib.as_array(pointer, (count,)) if count else np.empty(0)


def _copy(pointer: Any, count: int) -> np.ndarray:
    """What a callback is given outlives the call."""
    return _view(pointer, count).copy()


class Sample:
    """What a signal, an event or a force sees: the time and the state."""

    def __init__(self, instant: Any, q_count: int, v_count: int) -> None:
        self.t: float = instant.t
        self.q = _copy(instant.q, q_count)
        self.v = _copy(instant.v, v_count)


class NodeSample:
    """Pose and velocity of a node of a force, world axes."""

    def __init__(self, motion: NodeMotion) -> None:
        self.position = np.array(motion.position)
        self.rotation = np.array(motion.rotation)
        self.velocity = np.array(motion.velocity)


class ForceSample(Sample):
    """What a force sees. Set `energy` to what the element holds, J, for the audit."""

    def __init__(self, sample: Any, q_count: int, v_count: int) -> None:
        super().__init__(sample.instant.contents, q_count, v_count)
        self.nodes = [NodeSample(sample.nodes[i]) for i in range(sample.node_count)]
        self.energy = 0.0


class LawSample:
    """What a control law sees: readings, what is measured at each actuator, and what is desired there."""

    def __init__(self, sample: Any) -> None:
        self.t: float = sample.t
        self.period: float = sample.period
        self.sensors = _copy(sample.sensors, sample.sensor_count)
        for name in ("position", "speed", "desired", "desired_speed", "desired_acceleration"):
            setattr(self, name, _copy(getattr(sample, name), sample.channel_count))


def make_force(function: Any, failure: Failure, q_count: int, v_count: int, node_count: int) -> Any:
    """function(sample) returns loads, one row of moment and force per node, or without nodes generalized forces."""
    shape = (node_count, 6) if node_count else (v_count,)

    def compute(user: Any, sample: Any, answer: Any) -> int:
        seen = ForceSample(sample.contents, q_count, v_count)
        values = np.asarray(function(seen), float)
        if values.shape != shape:
            raise ValueError(f"the force returned shape {values.shape}, expected {shape}")
        target = answer.contents.loads if node_count else answer.contents.tau
        _view(target, values.size)[:] = values.ravel()
        answer.contents.energy = seen.energy
        return 0

    return ForceFunction(failure.guard(compute))


def make_signal(function: Any, failure: Failure, q_count: int, v_count: int) -> Any:
    """function(sample) returns a number."""

    def compute(user: Any, instant: Any, value: Any) -> int:
        value[0] = function(Sample(instant.contents, q_count, v_count))
        return 0

    return SignalFunction(failure.guard(compute))


def make_action(function: Any, failure: Failure) -> Any:
    """function(t) is called at an event; True ends the run."""
    return ActionFunction(failure.guard(lambda user, simulation, t: 1 if function(t) else 0))


def make_law(function: Any, failure: Failure) -> Any:
    """function(sample) returns one command per actuator."""

    def compute(user: Any, sample: Any, commands: Any) -> int:
        count = sample.contents.channel_count
        values = np.asarray(function(LawSample(sample.contents)), float)
        if values.shape not in ((count,), ()):
            raise ValueError(f"the law returned shape {values.shape}, expected ({count},)")
        _view(commands, count)[:] = values
        return 0

    return ControlLaw(failure.guard(compute))
