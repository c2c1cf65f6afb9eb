# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Motion in time."""

from __future__ import annotations

import ctypes
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import callbacks
from ._arrays import address, vector
from ._errors import STATUS_NAMES, Error, Reporter, decode
from ._library import library
from ._names import missing, name_list
from ._owned import own
from ._structs import (ActionOptions, Assembly, EventOptions, ForceCallbacks, ForceOptions, NodeName, Progress,
                       RunOptions, RunRequest, SignalOptions, Trim)
from .data import AXES
from .linear import LinearModel, Margins, Modes, compute_margins, compute_modes, linearize
from .model import Model
from .results import Results, read_results

DIRECTIONS = {"falling": -1, "both": 0, "rising": 1}
ACTIONS = {"stop": 0, "enable": 1, "disable": 2, "lock": 3, "unlock": 4, "close": 5, "grasp": 6, "release": 7}
CHOICES = {"integrator": ("adams", "bdf", "erk", "rk4", "euler", "alpha"), "algorithm": ("articulated", "divide-and-conquer")}
CALL = 10  # LB_ACTION_CALL
CALLBACK_FORCE = 10  # LB_FORCE_CALLBACK
STOP = 3  # LB_NEWS_STOP


class Live:
    """A simulation of the library, with all that it points to. It can be used once."""

    def __init__(self, model: Model) -> None:
        self.model, self.reporter, self.failure = model, Reporter(), callbacks.Failure()
        self.kept: list[Any] = []  # functions that the library may call
        handle = ctypes.c_void_p()
        self.reporter.check(library.lb_load_simulation(model._document, model._handle, self.reporter.address,
                                                       ctypes.byref(handle)))
        self.handle = own(self, handle.value, library.lb_destroy_simulation, model, self.reporter)
        self.forces = library.lb_get_simulation_forces(handle)

    def check(self, status: int) -> None:
        """Raises what a callback raised, or an Error."""
        self.failure.raise_if_any()
        self.reporter.check(status, decode(library.lb_get_simulation_message(self.handle)) if status < 0 else "")

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    # ---- what can be added; each has the arguments of the function of Simulation with that name ---------------

    def add_output(self, name: str) -> None:
        self.check(library.lb_add_output(self.handle, name.encode()))

    def set_value(self, name: str, value: float) -> None:
        self.check(library.lb_set_initial_value(self.handle, name.encode(), value))

    def set_state(self, q: np.ndarray | None, v: np.ndarray | None) -> None:
        self.check(library.lb_set_initial_state(self.handle, address(q), address(v)))

    def set_options(self, **options: Any) -> None:
        c_options = RunOptions()
        library.lb_get_run_options(self.handle, ctypes.byref(c_options))
        known = [name for name, *_ in RunOptions._fields_[1:]]
        for name, value in options.items():
            if name not in known or name in ("hold", "hold_count"):
                raise missing(name, known, "run option")
            if name in ("integrator", "algorithm"):
                number = getattr(library, f"lb_find_{name}")(str(value).encode())
                if number < 0:
                    raise ValueError(f"no {name} {value!r}, expected one of {', '.join(CHOICES[name])}")
                value = number
            setattr(c_options, name, value)
        self.check(library.lb_set_run_options(self.handle, ctypes.byref(c_options)))

    def add_signal(self, name: str, function: Any) -> None:
        options = SignalOptions()
        options.name = name.encode()
        if isinstance(function, str):
            options.expression = function.encode()
        else:
            options.callback = self.keep(callbacks.make_signal(function, self.failure, self.model.q_count,
                                                               self.model.v_count))
        self.check(library.lb_add_signal(library.lb_get_force_signals(self.forces), ctypes.byref(options), None))

    def add_force(self, name: str, function: Any, nodes: tuple[str, ...], axes: str, conservative: bool) -> None:
        functions, options = ForceCallbacks(), ForceOptions()
        functions.compute = self.keep(callbacks.make_force(function, self.failure, self.model.q_count,
                                                           self.model.v_count, len(nodes)))
        functions.conservative = conservative
        names = (NodeName * max(len(nodes), 1))(*[NodeName(node.encode(), None) for node in nodes])
        options.name, options.type, options.axes = name.encode(), CALLBACK_FORCE, AXES[axes]
        options.callbacks = ctypes.pointer(functions)
        options.nodes, options.node_count = names, len(nodes)
        self.check(library.lb_add_force(self.forces, ctypes.byref(options), None))

    def add_event(self, name: str, when: Any, crosses: float, direction: str, once: bool,
                  actions: tuple[Any, ...]) -> None:
        options = EventOptions()
        c_actions = (ActionOptions * max(len(actions), 1))()
        for action, wanted in zip(c_actions, actions):
            action.size = ctypes.sizeof(action)
            if callable(wanted):
                action.type, action.callback = CALL, self.keep(callbacks.make_action(wanted, self.failure))
            else:
                word, _, subject = wanted.partition(" ")
                if word not in ACTIONS:
                    raise missing(word, ACTIONS, "action")
                action.type, action.subject = ACTIONS[word], subject.strip().encode() or None
        options.name, options.crosses, options.once = name.encode(), crosses, once
        if direction not in DIRECTIONS:
            raise missing(direction, DIRECTIONS, "direction")
        options.direction = DIRECTIONS[direction]
        if isinstance(when, str):
            options.when = when.encode()
        else:
            options.level = self.keep(callbacks.make_signal(when, self.failure, self.model.q_count,
                                                            self.model.v_count))
        options.actions, options.action_count = c_actions, len(actions)
        self.check(library.lb_add_event(self.handle, ctypes.byref(options), None))

    def set_law(self, controller: str, function: Any) -> None:
        law = self.keep(callbacks.make_law(function, self.failure))
        self.check(library.lb_set_control_callback(self.handle, controller.encode(), law, None))


class Interruption:
    """Notes Ctrl-C during a run, because an exception inside a callback of C would be lost. Handlers other than Python's
    own stay in place. Only the main thread has one."""

    def __init__(self) -> None:
        self.came = False
        self._replaced = False

    def __enter__(self) -> None:
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
            signal.signal(signal.SIGINT, self._note)
            self._replaced = True

    def _note(self, number: int, frame: Any) -> None:
        self.came = True

    def __exit__(self, *problem: Any) -> None:
        if self._replaced:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Simulation:
    """A model in motion, with the forces, events, controllers, outputs and initial state of its file and those that are
    added here. It can be run any number of times, and always starts from the initial state.

    >>> import limber
    >>> m = limber.loads("limber: 1\\nbodies: [{name: ball, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 2}]")
    >>> s = m.simulation()
    >>> s.set_value("ball.rate", 3.0)
    >>> round(float(s.run(2.0)["ball.distance"][-1]), 6)
    6.0
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        #: What the last run recorded, also after Ctrl-C or a failure; None before the first.
        self.results: Results | None = None
        self._added: list[tuple[str, tuple, dict[str, Any]]] = []
        self._live: Live | None = Live(model)  # one that has not been used yet
        self._stepping: Live | None = None  # the one that `step` moves, and where it began
        self._initial: tuple[np.ndarray, np.ndarray] | None = None

    def _draft(self) -> Live:
        if self._live is None:
            live = Live(self.model)
            for name, arguments, options in self._added:
                getattr(live, name)(*arguments, **options)
            self._live = live
        return self._live

    def _use(self) -> Live:
        live, self._live = self._draft(), None
        return live

    def _add(self, name: str, *arguments: Any, **options: Any) -> None:
        self._stepping = None  # the next step starts with what is added
        try:
            getattr(self._draft(), name)(*arguments, **options)
        except BaseException:
            self._live = None  # the library keeps what was wrong; the next draft is without it
            raise
        self._added.append((name, arguments, options))

    # ---- setting up --------------------------------------------------------------------------------------

    def add_output(self, *names: str) -> None:
        """Records signals ("link.angle"), nodes ("panel/tip": position, rotation, velocity, acceleration), or
        "reactions"."""
        for name in names:
            self._add("add_output", name)

    def set_value(self, name: str, value: float) -> None:
        """Sets one entry of the initial state by its name as a signal: "link.angle", "panel.eta.0", "base.v.2"."""
        self._add("set_value", name, float(value))

    def set_state(self, q: Any = None, v: Any = None) -> None:
        """Sets the initial state, or one half of it."""
        self._add("set_state", None if q is None else vector(q, self.model.q_count, "q").copy(),
                  None if v is None else vector(v, self.model.v_count, "v").copy())

    def set_options(self, **options: Any) -> None:
        """Sets run options: `duration` and `interval` (s), `integrator` ("adams", "bdf", "erk", "rk4", "euler", "alpha"),
        `relative_tolerance`, `absolute_tolerance`, `step` and `max_step` (s), `order`, `damping`, `stop_at_outputs`,
        `algorithm` ("articulated", "divide-and-conquer"), `seed`, and the others of lb_run_options in C."""
        self._add("set_options", **options)

    def add_signal(self, name: str, function: str | Callable[[callbacks.Sample], float]) -> None:
        """Adds a named signal: a formula, or a function of a sample with t, q and v."""
        self._add("add_signal", name, function)

    def add_force(self, name: str, function: Callable[[callbacks.ForceSample], Any], nodes: Iterable[str] = (),
                  axes: str = "world", conservative: bool = False) -> None:
        """Adds a force of your own. `function(sample)` sees t, q, v and the motion of the `nodes`. It returns one row of
        moment and force per node, in the given axes, or without nodes the generalized forces. It must be a function of
        the sample alone."""
        if axes not in AXES:
            raise missing(axes, AXES, "axes")
        self._add("add_force", name, function, tuple(nodes), axes, conservative)

    def add_event(self, name: str, when: str | Callable[[callbacks.Sample], float], *actions: str | Callable[[float], Any],
                  crosses: float = 0.0, direction: str = "both", once: bool = False) -> None:
        """Adds an event: where a signal, or a function of a sample, crosses a value. Actions are "stop", "enable FORCE",
        "disable FORCE", "lock BODY", "unlock BODY", "close LOOP", "grasp LOOP", "release LOOP", or functions of the time;
        a function that returns True ends the run."""
        self._add("add_event", name, when, float(crosses), direction, once, actions)

    def set_law(self, controller: str, function: Callable[[callbacks.LawSample], Any]) -> None:
        """Gives a controller of the file, whose law is of type `callback`, its function. It returns one command per
        actuator."""
        self._add("set_law", controller, function)

    # ---- the initial state -------------------------------------------------------------------------------

    def initial_state(self) -> tuple[np.ndarray, np.ndarray]:
        """The initial q and v."""
        return self._state_of(self._draft())

    def _state_of(self, live: Live) -> tuple[np.ndarray, np.ndarray]:
        pointers = [ctypes.POINTER(ctypes.c_double)() for _ in range(2)]
        library.lb_get_initial_state(live.handle, *map(ctypes.byref, pointers))
        counts = (self.model.q_count, self.model.v_count)
        q, v = (np.array(pointer[:count]) for pointer, count in zip(pointers, counts))
        return q, v

    def trim(self) -> float:
        """Finds the equilibrium nearest to the initial state, which it becomes. Returns the largest generalized force
        that is left."""
        live, found = self._use(), Trim()
        live.check(library.lb_trim_simulation(live.handle, ctypes.byref(found)))
        self.set_state(*self._state_of(live))
        return found.residual

    def assemble(self) -> float:
        """Closes the loops of the initial state. Returns the largest error that is left."""
        live, found = self._use(), Assembly()
        live.check(library.lb_assemble_simulation(live.handle, None, ctypes.byref(found)))
        self.set_state(*self._state_of(live))
        return found.residual

    # ---- running -----------------------------------------------------------------------------------------

    def run(self, duration: float | None = None, interval: float | None = None,
            progress: Callable[[float, float], Any] | None = None, **options: Any) -> Results:
        """Runs from t = 0 and returns what was recorded.

        `duration` (s), `interval` between outputs (s) and other run options (see `set_options`) replace those of the file
        for this run. `progress(t, duration)` is called after every output; True ends the run. Ctrl-C ends it with a
        KeyboardInterrupt, and a failure with an Error; what was recorded up to then is in `results`.
        """
        live = self._use()
        given = {"duration": duration, "interval": interval}
        options = {**{name: float(value) for name, value in given.items() if value is not None}, **options}
        if options:
            live.set_options(**options)

        interruption = Interruption()

        def watch(user: Any, t: float, end: float) -> int:
            return 1 if interruption.came or progress is not None and progress(t, end) else 0

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.h5")
            text = self.model.document("yaml").encode()
            request = RunRequest()
            request.path, request.model_text, request.model_length = os.fsencode(path), text, len(text)
            request.quick, request.progress = True, Progress(live.failure.guard(watch))
            self.results = None
            with interruption:
                status = library.lb_run_simulation(live.handle, ctypes.byref(request), None)
            if os.path.exists(path) or os.path.exists(path + ".part"):
                self.results = read_results(path)
            if interruption.came:
                raise KeyboardInterrupt
            live.check(status)
        if self.results is None:
            raise Error("the run left no results", STATUS_NAMES.get(status, ""))
        return self.results

    # ---- in lockstep -------------------------------------------------------------------------------------

    def _go(self) -> Live:
        """The simulation that `step` moves, which starts here if there is none."""
        if self._stepping is None:
            self.reset()
        return self._stepping  # type: ignore[return-value]

    def step(self, dt: float) -> bool:
        """Goes on by dt, s, from the initial state at first, through events, with all commands held. Variables that
        your own forces, signals and laws read may change between two steps: they act from then on. Returns False at an
        event that ends the run.

        Whatever is added or set up later, as with `add_force` or `set_state`, starts a new simulation at the initial
        state with the next step."""
        live = self._go()
        status = library.lb_step_simulation(live.handle, dt)
        live.check(status)
        return status != STOP

    def set_command(self, actuator: str, command: float) -> None:
        """Commands an actuator of the file that no controller commands, from now on until the next command."""
        live = self._go()
        live.check(library.lb_set_command(live.handle, actuator.encode(), command))

    def read(self, signal: str) -> float:
        """The value of a signal now: "link.angle", "panel/tip.position.z", or a named one. Accelerations and forces are
        those at the end of the last step."""
        live, value = self._go(), ctypes.c_double()
        live.check(library.lb_read_signal(live.handle, signal.encode(), ctypes.byref(value)))
        return value.value

    def reset(self, q: Any = None, v: Any = None, t: float = 0.0) -> None:
        """Starts again at a state and time, by default the initial state at 0. All is as at the first start: events,
        commands, controllers with their memory and noise, work."""
        live = self._stepping
        if live is None:
            live = self._use()
            self._initial = self._state_of(live)
        q0, v0 = self._initial  # type: ignore[misc]
        q, v = vector(q0 if q is None else q, self.model.q_count, "q"), vector(v0 if v is None else v, self.model.v_count, "v")
        live.check(library.lb_restart_simulation(live.handle, t, address(q), address(v)))
        self._stepping = live

    def _now(self) -> tuple[float, np.ndarray, np.ndarray]:
        live, t = self._go(), ctypes.c_double()
        q, v = (ctypes.POINTER(ctypes.c_double)() for _ in range(2))
        library.lb_get_simulation_state(live.handle, ctypes.byref(t), ctypes.byref(q), ctypes.byref(v), None)
        return t.value, np.array(q[:self.model.q_count]), np.array(v[:self.model.v_count])

    @property
    def t(self) -> float:
        """The time that steps have come to, s."""
        return self._now()[0]

    @property
    def q(self) -> np.ndarray:
        """The configuration now."""
        return self._now()[1]

    @property
    def v(self) -> np.ndarray:
        """The speeds now."""
        return self._now()[2]

    # ---- linear models -----------------------------------------------------------------------------------

    def linearize(self, inputs: Iterable[str] = (), outputs: Iterable[str] = (), about: str = "state",
                  **options: Any) -> LinearModel:
        """The linear model about the initial "state", its configuration at "rest", the nearest "equilibrium" or the
        "steady" motion. Inputs are forces ("panel/tip.force.x"), motors ("link.motor") or elements of the file; outputs
        are signals.

        Options: `t`, `q`, `v` (the point, instead of the initial state), `locked` (bodies whose hinges are held), `spin` and
        `spin_speed` (a hinge that turns steadily, rad/s), `control` ("open", "continuous" or "discrete"), `pade_order`, and
        `period` (seconds or "auto": the model is that over a motion that repeats itself, with the exponents of
        Floquet)."""
        live = self._use()
        return linearize(live, name_list(inputs), name_list(outputs), about, **options)

    def modes(self, about: str | None = None, **options: Any) -> Modes:
        """Natural modes about the same points as `linearize`, without an `about` at "rest"; or over a `period`. The options
        are those of `linearize`, and `about_point`, to which angular effective masses refer."""
        live = self._use()
        about = about or ("state" if options.get("period") else "rest")
        return compute_modes(live, about, **options)

    def margins(self, about: str = "state", **options: Any) -> tuple[Margins, ...]:
        """Gain, phase and delay margins of every feedback of the controllers, about the same points as `linearize`."""
        live = self._use()
        return compute_margins(live, about, **options)

    def __reduce__(self) -> Any:
        return (_rebuild, (self.model, self._added))

    def __repr__(self) -> str:
        return f"<limber.Simulation of {self.model!r}>"


def _rebuild(model: Model, added: list[tuple[str, tuple, dict[str, Any]]]) -> Simulation:
    simulation = Simulation(model)
    for name, arguments, options in added:
        simulation._add(name, *arguments, **options)
    return simulation
