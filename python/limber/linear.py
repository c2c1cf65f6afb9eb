# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Linear models and natural modes of a simulation."""

from __future__ import annotations

import ctypes
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._arrays import address, vector
from ._errors import LimberWarning, decode
from ._library import library
from ._names import missing, name_list
from ._structs import Linear, LinearOptions
from ._structs import Margins as MarginsStruct
from ._structs import Modes as ModesStruct

if TYPE_CHECKING:
    from .simulation import Live

ABOUT = {"state": 0, "rest": 1, "equilibrium": 2, "steady": 3}
CONTROL = {"open": 0, "continuous": 1, "discrete": 2}


class LinearModel(NamedTuple):
    """dx/dt = A x + B u, y - y0 = C x + D u for small deviations; with `period`, from sample to sample."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    y0: np.ndarray
    q: np.ndarray  #: the point
    v: np.ndarray
    eigenvalues: np.ndarray  #: of A, rad/s
    period: float  #: of a discrete model, s; 0 for a continuous one
    stable: bool = True  #: no pole grows; with controllers, of the loop as it samples
    growth: complex = 0j  #: the pole that grows fastest, rad/s; 0 if none does
    changes: str = ""  #: the coordinate or force by which the equations change along the motion; "" if they do not
    multipliers: np.ndarray | None = None  #: of a discrete model: exp(eigenvalue period)
    is_periodic: bool = False  #: over a motion that repeats itself every `period`, along which the equations change
    moved: tuple[str, float] | None = None  #: the coordinate whose start differs most from the state, and by how much

    def state_space(self) -> Any:
        """The model as a StateSpace of scipy.signal, which needs at least one input and output."""
        from scipy.signal import StateSpace
        return StateSpace(self.A, self.B, self.C, self.D, **({"dt": self.period} if self.period else {}))

    def response(self, frequencies: Any) -> np.ndarray:
        """Frequency response at frequencies in Hz: an array (frequencies, outputs, inputs)."""
        frequencies = np.atleast_1d(np.asarray(frequencies, float))
        s = 2j * np.pi * frequencies
        points = np.exp(s * self.period) if self.period else s
        eye = np.eye(len(self.A))
        return np.stack([self.C @ np.linalg.solve(point * eye - self.A, self.B.astype(complex)) + self.D
                         for point in points])


class Modes(NamedTuple):
    """Natural modes, rigid ones first, then by frequency."""

    frequencies: np.ndarray  #: undamped natural frequencies, Hz
    dampings: np.ndarray  #: damping ratios
    eigenvalues: np.ndarray  #: rad/s
    shapes: np.ndarray  #: one row per mode, complex, scaled to a modal mass of 1
    coordinates: tuple[str, ...]  #: what the columns of `shapes` are
    effective: np.ndarray  #: effective masses: one row per mode, linear x y z (kg), angular (kg m^2)
    q: np.ndarray  #: the point
    stable: bool = True  #: no mode grows
    growth: complex = 0j  #: the eigenvalue that grows fastest, rad/s; 0 if none does
    changes: str = ""  #: as of a linear model
    multipliers: np.ndarray | None = None  #: over a motion that repeats itself, as of a linear model
    instants: np.ndarray | None = None  #: s from its start, for `turns`
    turns: np.ndarray | None = None  #: (instants, modes, coordinates): p(t) of modes p(t) exp(eigenvalue t)
    moved: tuple[str, float] | None = None  #: as of a linear model
    lost_count: int = 0  #: over a period: eigenvalues left out, which decay within one period to less than is known


class Margins(NamedTuple):
    """Stability margins of one feedback of a controller, all others closed.

    A margin that does not exist is infinite, or 0 for `gain_down`, and its frequency is NaN. If the feedback is open, all
    are NaN.
    """

    feedback: str  #: "controller.actuator"
    closed: bool  #: False where nothing passes; `note` says why
    note: str
    stable: bool  #: the loop with all feedbacks closed
    gain_up: float  #: smallest factor above 1 at which the loop swings
    gain_up_frequency: float  #: Hz, as the other frequencies
    gain_down: float  #: largest factor below 1
    gain_down_frequency: float
    phase: float  #: smallest turn of phase, rad
    phase_frequency: float
    delay: float  #: smallest further delay, s
    delay_frequency: float


def _numbers(pointer: Any, *shape: int) -> np.ndarray:
    count = int(np.prod(shape))
    return np.array(pointer[:count]).reshape(shape) if count and pointer else np.zeros(shape)


def _complex(pointer: Any, *shape: int) -> np.ndarray:
    pairs = _numbers(pointer, *shape, 2)
    return pairs[..., 0] + 1j * pairs[..., 1]


def _texts(pointer: Any, count: int) -> tuple[str, ...]:
    return tuple(decode(pointer[i]) for i in range(count))


def _warn_of_change(changes: bytes) -> str:
    """What changes the equations, after a warning if anything does."""
    what = decode(changes)
    if what:
        warnings.warn(f"the equations change along the motion, by {what}: these are frozen, and their poles do not "
                      "say whether deviations grow; `period` does for a motion that repeats itself, `spin` where a "
                      "steady one is meant, and otherwise a run", LimberWarning, stacklevel=4)
    return what


def _warn_of_unbalance(modes: ModesStruct) -> None:
    coordinate = decode(modes.unbalanced)
    if coordinate:
        warnings.warn(f"the configuration is no equilibrium: {coordinate} accelerates at {modes.unbalance:.3g}; "
                      "about=\"equilibrium\" or trim() finds one", LimberWarning, stacklevel=4)


def _get_move(one: Linear | ModesStruct) -> tuple[str, float] | None:
    name = decode(one.moved_name)
    return (name, one.moved) if name else None


def _get_turn(one: ModesStruct, n: int,
              m: int) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """Multipliers, instants, and shapes over a motion that repeats itself."""
    k = one.instant_count
    if k == 0:
        return None, None, None
    return _complex(one.multipliers, n), _numbers(one.instants, k), _complex(one.turns, k, n, m)


def _make_options(live: Live, about: str, t: float = 0.0, q: Any = None, v: Any = None, locked: Any = (),
                  spin: str | None = None, spin_speed: float = 0.0, about_point: Any = (0.0, 0.0, 0.0),
                  control: str = "open", pade_order: int | None = None,
                  period: float | str = 0.0) -> tuple[LinearOptions, list[Any]]:
    """The options, and what they point to."""
    options, model = LinearOptions(), live.model
    for word, words, kind in ((about, ABOUT, "point"), (control, CONTROL, "control model")):
        if word not in words:
            raise missing(word, words, kind)
    options.about, options.control, options.t = ABOUT[about], CONTROL[control], t
    q = None if q is None else vector(q, model.q_count, "q")
    v = None if v is None else vector(v, model.v_count, "v")
    flags = np.zeros(max(len(model.bodies), 1), np.uint8)
    for body in name_list(locked):
        flags[model.bodies[body].index] = 1
    options.q, options.v, options.locked = address(q), address(v), address(flags)
    if spin is not None:
        options.spin = library.lb_find_speed(model._handle, spin.encode(), live.reporter.address)
        live.reporter.check(-1 if options.spin < 0 else 0)
        options.spin_speed = spin_speed
    options.about_point = tuple(about_point)
    options.period = -1.0 if period == "auto" else period
    if pade_order is not None:
        options.pade_order = pade_order
    return options, [q, v, flags]


def linearize(live: Live, inputs: tuple[str, ...], outputs: tuple[str, ...], about: str,
              **given: Any) -> LinearModel:
    options, kept = _make_options(live, about, **given)
    options.input_count, options.output_count = len(inputs), len(outputs)
    options.inputs = (ctypes.c_char_p * max(len(inputs), 1))(*[name.encode() for name in inputs])
    options.outputs = (ctypes.c_char_p * max(len(outputs), 1))(*[name.encode() for name in outputs])
    found = ctypes.POINTER(Linear)()
    live.check(library.lb_linearize(live.handle, ctypes.byref(options), ctypes.byref(found)))
    try:
        one = found.contents
        x, u, y = one.state_count, one.input_count, one.output_count
        return LinearModel(
            _numbers(one.A, x, x), _numbers(one.B, x, u), _numbers(one.C, y, x), _numbers(one.D, y, u),
            _texts(one.states, x), _texts(one.inputs, u), _texts(one.outputs, y), _numbers(one.output_values, y),
            _numbers(one.q, one.q_count), _numbers(one.v, one.v_count), _complex(one.eigenvalues, x), one.period,
            one.stable, complex(*one.growth), _warn_of_change(one.changes),
            _complex(one.multipliers, x) if one.multipliers else None, one.is_periodic, _get_move(one))
    finally:
        library.lb_destroy_linear(found)


def compute_modes(live: Live, about: str, **given: Any) -> Modes:
    options, kept = _make_options(live, about, **given)
    found = ctypes.POINTER(ModesStruct)()
    live.check(library.lb_compute_modes(live.handle, ctypes.byref(options), ctypes.byref(found)))
    try:
        one = found.contents
        n, m = one.mode_count, one.coordinate_count
        _warn_of_unbalance(one)
        return Modes(_numbers(one.frequencies, n), _numbers(one.dampings, n), _complex(one.eigenvalues, n),
                     _complex(one.shapes, n, m), _texts(one.names, m), _numbers(one.effective, n, 6),
                     _numbers(one.q, live.model.q_count), one.stable, complex(*one.growth),
                     _warn_of_change(one.changes), *_get_turn(one, n, m), _get_move(one), one.lost_count)
    finally:
        library.lb_destroy_modes(found)


def compute_margins(live: Live, about: str, **given: Any) -> tuple[Margins, ...]:
    options, kept = _make_options(live, about, **given)
    found = ctypes.POINTER(MarginsStruct)()
    live.check(library.lb_compute_margins(live.handle, ctypes.byref(options), ctypes.byref(found)))
    try:
        one = found.contents
        _warn_of_change(one.changes)
        return tuple(Margins(decode(one.feedbacks[i]), bool(one.closed[i]), decode(one.feedback_notes[i]), one.stable,
                             *(getattr(one, name)[i] for name in Margins._fields[4:]))
                     for i in range(one.feedback_count))
    finally:
        library.lb_destroy_margins(found)
