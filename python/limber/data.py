# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Dynamics of one state or of many: accelerations, forces, matrices, derivatives, motion of nodes."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ._arrays import address, output, vector
from ._errors import STATUS_NAMES, Error, LimberWarning, check, decode
from ._library import library
from ._names import missing, name_list
from ._owned import own
from ._structs import AppliedLoads, Assembly, AssemblyOptions, NodeForce, NodeMotion, SystemMotion, WorkOptions
from .batch import Batch
from .model import Model, Node

INDEFINITE = 1  # LB_NEWS_INDEFINITE
AXES = {"world": 0, "body": 1, "node": 2}
ALGORITHMS = {"articulated": 0, "divide-and-conquer": 1, "composite": 2, "unsplit": 3}
BUSY = "another thread is computing with this Data: make one for each thread, by model.data()"


class Motion(NamedTuple):
    """Motion of a node in world axes."""

    position: np.ndarray  #: m
    rotation: np.ndarray  #: quaternion w x y z that maps node axes to world axes
    velocity: np.ndarray  #: angular, linear: rad/s, m/s
    acceleration: np.ndarray  #: angular, linear: rad/s^2, m/s^2; gravity is not in it


class Momentum(NamedTuple):
    """Momentum and centre of mass of the whole system, world axes."""

    mass: float
    com: np.ndarray  #: m
    com_velocity: np.ndarray  #: m/s
    linear: np.ndarray  #: N s
    angular: np.ndarray  #: about the centre of mass, N m s
    angular_world: np.ndarray  #: about the origin of the world, N m s


class ForwardDerivatives(NamedTuple):
    """Accelerations and their derivatives, v_count x v_count each."""

    a: np.ndarray
    dq: np.ndarray
    dv: np.ndarray
    dtau: np.ndarray


class InverseDerivatives(NamedTuple):
    """Forces and their derivatives, v_count x v_count each."""

    tau: np.ndarray
    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray


class _Input:
    """A buffer of the workspace for an input, ready to be passed. Assigning to `view` copies an array of float64 of the
    right shape, whatever its strides, and refuses all others: one step that is both check and copy."""

    def __init__(self, count: int) -> None:
        self.array = np.zeros(count)
        self.view: Any = memoryview(self.array)  # type: ignore[arg-type]
        self.address = self.array.ctypes.data


Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """The method, refusing a thread that comes while another one is inside: a workspace holds one state at a time."""

    @functools.wraps(method)
    def guarded(self: Data, *arguments: Any, **options: Any) -> Any:
        if not self._enter(False):
            raise RuntimeError(BUSY)
        try:
            return method(self, *arguments, **options)
        finally:
            self._leave()

    return guarded  # type: ignore[return-value]


class Data:
    """A workspace of a model: everything that is computed from a state. Use one per thread; a call while another thread
    computes with the same one raises a RuntimeError.

    The functions that take a state (q, v, ...) compute a result and keep what they computed on the way. Those that do
    not take a state read what the last one left: `d.kinematics(q, v)`, then `d.jacobian("hand/tip")`.

    Forward dynamics, its derivatives and batches of it take the loops and locked hinges of the workspace into account. What
    describes the tree alone, such as `inverse` and `mass_matrix`, raises an Error of status "loops" while any of these
    act; `tree=True` asks for the tree without them.

    States of one model may be stacked along leading axes: `forward`, `inverse`, `bias` and `mass_matrix` then compute
    all of them, on several cores. Such arrays must be float64 and contiguous, since they are used where they are. Nothing
    of them stays for the functions that read the last state, which refuse to until there is one.

    Results are new arrays. With `out`, results go there: an array of float64, contiguous, of the right shape.
    """

    def __init__(self, model: Model, threads: int | None = None, algorithm: str = "articulated") -> None:
        if algorithm not in ALGORITHMS:
            raise missing(algorithm, ALGORITHMS, "algorithm")
        self.model = model
        self.algorithm = algorithm
        self._model: int = model._handle
        options, work = WorkOptions(), ctypes.c_void_p()
        library.lb_init_work_options(ctypes.byref(options), ctypes.sizeof(options))
        options.algorithm = ALGORITHMS[algorithm]
        check(library.lb_create_work_with(self._model, ctypes.byref(options), ctypes.byref(work)))
        self._work = own(self, work.value, library.lb_destroy_work, model)
        self._batch = Batch(model, threads)
        if any(library.lb_get_loop_info(self._model, i).as_assembled for i in range(len(model.loops))):
            # they close where they are in the file's initial configuration
            q0, _ = model.simulation().initial_state()
            check(library.lb_take_initial_offsets(self._model, self._work, address(q0), None))
        lock = threading.RLock()
        self._enter, self._leave = lock.acquire, lock.release
        self._many = False  # the last state was a batch, of which the workspace knows nothing
        self._derivative_work: int | None = None
        q, v, tau = _Input(model.q_count), _Input(model.v_count), _Input(model.v_count)
        self._q, self._v, self._tau = q, v, tau
        self._result = np.zeros(model.v_count)
        # what the fast path passes, prepared once
        self._q_view, self._v_view, self._tau_view = q.view, v.view, tau.view
        result = self._result.ctypes.data
        self._arguments = (self._model, self._work, q.address, v.address, tau.address, result)
        self._without_tau = (self._model, self._work, q.address, v.address, None, result)
        self._forward, self._inverse = library.lb_compute_forward_dynamics, library.lb_compute_inverse_dynamics

    # ---- inputs ------------------------------------------------------------------------------------------

    def _take(self, buffer: _Input, value: Any, name: str) -> int | None:
        """Copies an input of one state; None for one that is not given."""
        if value is None:
            return None
        if buffer is self._q:
            self._many = False
        try:
            buffer.view[:] = value
        except (TypeError, ValueError, NotImplementedError, BufferError):
            buffer.array[:] = vector(value, buffer.array.size, name)
        return buffer.address

    def _judge(self, status: int) -> None:
        """Raises an Error for a failure, which says which number or which hinge was wrong. Warns of news that put the
        result in doubt."""
        words = ""
        if status == INDEFINITE:
            warnings.warn(decode(library.lb_get_status_text(status)), LimberWarning, stacklevel=3)
        if STATUS_NAMES.get(status) == "number":
            entry = ctypes.c_int()
            name = decode(library.lb_get_bad_number(self._work, ctypes.byref(entry)))
            turns = name == "q" and self.model.q_count > self.model.v_count
            also = ", or its quaternion is not of unit length" if turns else ""
            words = f"{name}[{entry.value}] is not finite{also}" if name else ""
        elif STATUS_NAMES.get(status) == "singular":
            body, offset = ctypes.c_int(), ctypes.c_int()
            library.lb_get_bad_inertia(self._work, ctypes.byref(body), ctypes.byref(offset))
            words = f"the inertia is singular at body {self.model.bodies[body.value].name!r}, speed {offset.value}"
        check(status, words)

    @contextlib.contextmanager
    def _only(self, tree: bool) -> Iterator[None]:
        """Leaves out loops and locks meanwhile, if `tree` is true."""
        if tree:
            library.lb_use_tree(self._work, True)
        try:
            yield
        finally:
            if tree:
                library.lb_use_tree(self._work, False)

    # ---- from a state to a result ------------------------------------------------------------------------

    def forward(self, q: Any, v: Any, tau: Any = None, out: Any = None, tree: bool = False) -> np.ndarray:
        """Accelerations. Without loops and locks, a with M a + c = tau. No tau is no force. O(N), plus the loops."""
        if not self._enter(False):
            raise RuntimeError(BUSY)
        try:
            if tree:
                library.lb_use_tree(self._work, True)
            self._q_view[:] = q
            self._v_view[:] = v
            if tau is None:
                status = self._forward(*self._without_tau)
            else:
                self._tau_view[:] = tau
                status = self._forward(*self._arguments)
            self._many = False
            if status:
                self._judge(status)
            return self._result.copy() if out is None else self._give(out)
        except (TypeError, ValueError, NotImplementedError, BufferError):
            return self._slowly(self._forward, "forward", ("tau", tau), q, v, out)
        finally:
            if tree:
                library.lb_use_tree(self._work, False)
            self._leave()

    def inverse(self, q: Any, v: Any, a: Any = None, out: Any = None, tree: bool = False) -> np.ndarray:
        """Forces tau = M a + c of the tree. No a is zero acceleration, which gives the bias c. O(N)."""
        if not self._enter(False):
            raise RuntimeError(BUSY)
        try:
            if tree:
                library.lb_use_tree(self._work, True)
            self._q_view[:] = q
            self._v_view[:] = v
            if a is None:
                status = self._inverse(*self._without_tau)
            else:
                self._tau_view[:] = a
                status = self._inverse(*self._arguments)
            self._many = False
            if status:
                self._judge(status)
            return self._result.copy() if out is None else self._give(out)
        except (TypeError, ValueError, NotImplementedError, BufferError):
            return self._slowly(self._inverse, "inverse", ("a", a), q, v, out)
        finally:
            if tree:
                library.lb_use_tree(self._work, False)
            self._leave()

    def _give(self, out: Any) -> np.ndarray:
        """Copies the result to an array of the caller."""
        try:
            view: Any = memoryview(out)
            view[:] = self._result
        except (TypeError, ValueError, NotImplementedError, BufferError):
            output(out, self._result.shape)[:] = self._result
        return out

    def _slowly(self, function: Any, name: str, third: tuple[str, Any], q: Any, v: Any, out: Any) -> np.ndarray:
        """What is not an array of float64 of the right shape: a batch, something to convert, or a mistake."""
        if np.ndim(q) > 1:
            self._many = True
            return self._batch.run(name, {"q": q, "v": v, third[0]: third[1]}, out, self._work)
        tau = self._take(self._tau, third[1], third[0])
        result = output(out, (self.model.v_count,))
        status = function(self._model, self._work, self._take(self._q, q, "q"), self._take(self._v, v, "v"), tau,
                          address(result))
        if status:
            self._judge(status)
        return result

    def bias(self, q: Any, v: Any, out: Any = None, tree: bool = False) -> np.ndarray:
        """The bias c of M a + c = tau: gravity, gyroscopic, elastic and damping forces of the tree. O(N)."""
        return self.inverse(q, v, None, out, tree)

    @_alone
    def mass_matrix(self, q: Any, out: Any = None, tree: bool = False) -> np.ndarray:
        """The mass matrix M of the tree."""
        with self._only(tree):
            if np.ndim(q) > 1:
                self._many = True
                return self._batch.run("mass_matrix", {"q": q}, out, self._work)
            n = self.model.v_count
            M = output(out, (n, n))
            self._judge(library.lb_compute_mass_matrix(self._model, self._work, self._take(self._q, q, "q"), address(M)))
            return M

    @_alone
    def mass_matrix_inverse(self, q: Any, out: Any = None, tree: bool = False) -> np.ndarray:
        """The inverse of the mass matrix of the tree, in O(N) per column."""
        with self._only(tree):
            n = self.model.v_count
            M = output(out, (n, n))
            self._judge(library.lb_compute_mass_matrix_inverse(self._model, self._work, self._take(self._q, q, "q"),
                                                               address(M)))
            return M

    @_alone
    def hybrid(self, q: Any, v: Any, driven: Any, a: Any, tau: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and forces where the hinges of some bodies are driven: `driven` lists these bodies by name or
        index, and `a`, in the order of v, has the accelerations of their hinges. Returns all of a, and tau with what acts in
        all at these hinges."""
        bodies = [self.model.bodies[body] for body in name_list(driven)]
        n = self.model.v_count
        a = vector(a, n, "a").copy()
        tau = np.zeros(n) if tau is None else vector(tau, n, "tau").copy()
        drive = np.empty(n)
        try:
            for body in bodies:
                check(library.lb_set_hinge_driven(self._model, self._work, body.index, True))
            self._judge(library.lb_compute_forward_dynamics(
                self._model, self._work, self._take(self._q, q, "q"), self._take(self._v, v, "v"), address(tau),
                address(a)))
            check(library.lb_get_drive_forces(self._model, self._work, address(drive)))
        finally:
            for body in bodies:
                library.lb_set_hinge_driven(self._model, self._work, body.index, False)
        for body in bodies:
            tau[body.v_hinge] = drive[body.v_hinge]
        return a, tau

    @_alone
    def drive_forces(self) -> np.ndarray:
        """The forces that act in all at locked hinges after the last `forward`; zero elsewhere. A brake supplies this less
        the tau that acts there anyhow."""
        drive = np.empty(self.model.v_count)
        self._judge(library.lb_get_drive_forces(self._model, self._work, address(drive)))
        return drive

    @_alone
    def kinematics(self, q: Any, v: Any = None, a: Any = None) -> None:
        """Positions, velocities and accelerations of all bodies, for the functions that take no state."""
        self._judge(library.lb_compute_kinematics(
            self._model, self._work, self._take(self._q, q, "q"), self._take(self._v, v, "v"),
            self._take(self._tau, a, "a")))

    # ---- derivatives -------------------------------------------------------------------------------------

    def _scratch(self) -> int:
        if self._derivative_work is None:
            self._derivative_work = own(self, library.lb_create_derivative_work(self._model),
                                        library.lb_destroy_derivative_work, self.model)
        return self._derivative_work

    @_alone
    def forward_derivatives(self, q: Any, v: Any, tau: Any = None, tree: bool = False) -> ForwardDerivatives:
        """Accelerations and their derivatives by q (along the speeds), v and tau. Analytic."""
        with self._only(tree):
            n = self.model.v_count
            a, matrices = np.empty(n), np.empty((3, n, n))
            self._judge(library.lb_compute_forward_derivatives(
                self._model, self._work, self._scratch(), self._take(self._q, q, "q"), self._take(self._v, v, "v"),
                self._take(self._tau, tau, "tau"), address(a), *map(address, matrices)))
            return ForwardDerivatives(a, *matrices)

    @_alone
    def inverse_derivatives(self, q: Any, v: Any, a: Any = None, tree: bool = False) -> InverseDerivatives:
        """Forces and their derivatives by q (along the speeds), v and a. Analytic."""
        with self._only(tree):
            n = self.model.v_count
            tau, matrices = np.empty(n), np.empty((3, n, n))
            self._judge(library.lb_compute_inverse_derivatives(
                self._model, self._work, self._scratch(), self._take(self._q, q, "q"), self._take(self._v, v, "v"),
                self._take(self._tau, a, "a"), address(tau), *map(address, matrices)))
            return InverseDerivatives(tau, *matrices)

    # ---- loops -------------------------------------------------------------------------------------------

    def _per_loop(self) -> np.ndarray:
        return np.zeros((library.lb_get_loop_capacity(self._model), 6))

    @_alone
    def loop_forces(self) -> np.ndarray:
        """Forces of the loops in the last `forward`: moment and force on b, in the axes of node a; one row of six per
        loop."""
        forces = self._per_loop()
        for loop, row in enumerate(forces):
            self._judge(library.lb_get_loop_force(self._model, self._work, loop, address(row)))
        return forces

    @_alone
    def set_loop(self, loop: str, active: bool) -> None:
        """Closes or releases a loop in this workspace. Speeds do not change."""
        if loop not in self.model.loops:
            raise missing(loop, self.model.loops, "loop")
        self._judge(library.lb_set_loop_active(self._model, self._work, self.model.loops.index(loop), active))

    @_alone
    def set_locked(self, body: str | int, locked: bool) -> None:
        """Locks the hinge of a body, or unlocks it. Speeds do not change."""
        self._judge(library.lb_set_hinge_locked(self._model, self._work, self.model.bodies[body].index, locked))

    @_alone
    def loop_errors(self, q: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """How far the loops are from closed, in position and in velocity: one row of six per loop."""
        self.kinematics(q, v)
        position, velocity = self._per_loop(), self._per_loop()
        self._judge(library.lb_compute_loop_errors(self._model, self._work, self._q.address, address(position),
                                                   address(velocity)))
        return position, velocity

    @_alone
    def loop_jacobian(self) -> np.ndarray:
        """The Jacobian of the loops at the last state, one row per constrained direction."""
        self._need_one_state()
        J = np.empty((library.lb_get_active_row_count(self._model, self._work), self.model.v_count))
        self._judge(library.lb_form_loop_jacobian(self._model, self._work, address(J)))
        return J

    @_alone
    def assemble(self, q: Any, v: Any = None, hold: Any = ()) -> tuple[np.ndarray, np.ndarray]:
        """Closes the loops from a rough configuration, and matches the speeds. The hinges of the bodies in `hold` keep
        their coordinates. Returns q and v."""
        model, options, found = self.model, AssemblyOptions(), Assembly()
        held = np.zeros(max(model.v_count, 1), np.uint8)
        for body in name_list(hold):
            held[model.bodies[body].v_hinge] = 1
        options.held = address(held)
        q = vector(q, model.q_count, "q").copy()
        v = np.zeros(model.v_count) if v is None else vector(v, model.v_count, "v").copy()
        scratch = np.empty(library.lb_get_assembly_scratch_count(self._model))
        status = library.lb_assemble_loops(self._model, self._work, ctypes.byref(options), address(q), address(v),
                                           address(scratch), ctypes.byref(found))
        if STATUS_NAMES.get(status) == "open":
            raise Error(f"loop {model.loops[found.loop]!r} stays open by {found.residual:.3g}", "open")
        self._judge(status)
        return q, v

    def _need_one_state(self) -> None:
        """Refuses to read what an older state has left behind a call with many."""
        if self._many:
            raise Error("the last call computed many states, of which this Data keeps nothing: call kinematics(q, v) with "
                        "one of them first", "stage")

    # ---- from the workspace ------------------------------------------------------------------------------

    @_alone
    def motion(self, node: Node | str) -> Motion:
        """Motion of a node at the last state."""
        self._need_one_state()
        found, where = NodeMotion(), self.model.find_node(node)
        self._judge(library.lb_compute_node_motion(self._model, self._work, where.body, where.index,
                                                   ctypes.byref(found)))
        return Motion(*(np.array(getattr(found, name)) for name in Motion._fields))

    def pose(self, node: Node | str) -> np.ndarray:
        """Pose of a node at the last state: the 4 x 4 matrix that maps its frame to the world."""
        motion = self.motion(node)
        w, x, y, z = motion.rotation
        pose = np.eye(4)
        pose[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        pose[:3, 3] = motion.position
        return pose

    @_alone
    def _at_node(self, function: Any, node: Node | str, axes: str, shape: tuple[int, ...], out: Any) -> np.ndarray:
        self._need_one_state()
        if axes not in AXES:
            raise missing(axes, AXES, "axes")
        where, result = self.model.find_node(node), output(out, shape)
        self._judge(function(self._model, self._work, where.body, where.index, AXES[axes], address(result)))
        return result

    def jacobian(self, node: Node | str, axes: str = "world", out: Any = None) -> np.ndarray:
        """Jacobian of a node at the last state, 6 x v_count, angular rows first, in the axes of the "world", the "body"
        or the "node"."""
        return self._at_node(library.lb_compute_jacobian, node, axes, (6, self.model.v_count), out)

    def jacobian_rate(self, node: Node | str, axes: str = "world") -> np.ndarray:
        """Acceleration of a node at zero generalized acceleration, at the last state."""
        return self._at_node(library.lb_compute_jacobian_rate, node, axes, (6,), None)

    def admittance(self, node: Node | str, axes: str = "world", tree: bool = False) -> np.ndarray:
        """J M^-1 J' of a node of the tree, 6 x 6, after `forward`."""
        with self._only(tree):
            return self._at_node(library.lb_compute_admittance, node, axes, (6, 6), None)

    @_alone
    def energy(self) -> tuple[float, float]:
        """Kinetic and potential energy at the last state, J."""
        self._need_one_state()
        kinetic, potential = ctypes.c_double(), ctypes.c_double()
        self._judge(library.lb_compute_energy(self._model, self._work, ctypes.byref(kinetic), ctypes.byref(potential)))
        return kinetic.value, potential.value

    @_alone
    def momentum(self) -> Momentum:
        """Momentum and centre of mass of the whole system at the last state."""
        self._need_one_state()
        found = SystemMotion()
        self._judge(library.lb_compute_system_motion(self._model, self._work, ctypes.byref(found)))
        return Momentum(found.mass, *(np.array(getattr(found, name)) for name in Momentum._fields[1:]))

    @_alone
    def reactions(self, forces: Mapping[Node | str, Any] | None = None, axes: str = "world") -> np.ndarray:
        """Moment and force that each hinge exerts on its body, in the axes of the hinge: one row of six per body, after
        a dynamics call.

        What acts at nodes must be given again: the workspace does not know what was added to tau. `forces` has six numbers,
        moment and force, for each such node, such as {"arm/tip": [0, 0, 0, 0, 0, 5]}, in the axes of the "world", the
        "body" or the "node"."""
        self._need_one_state()
        if axes not in AXES:
            raise missing(axes, AXES, "axes")
        given = forces or {}
        rows = (NodeForce * max(len(given), 1))()
        for row, (node, force) in zip(rows, given.items()):
            where = self.model.find_node(node)
            row.body, row.node, row.axes = where.body, where.index, AXES[axes]
            row.force[:] = vector(force, 6, "force")
        applied = AppliedLoads()
        applied.force_count, applied.forces = len(given), ctypes.addressof(rows)
        result = np.empty((len(self.model.bodies), 6))
        self._judge(library.lb_compute_reactions(self._model, self._work, ctypes.byref(applied), address(result)))
        return result

    def __reduce__(self) -> Any:
        return (Data, (self.model, self._batch.threads, self.algorithm))

    def __repr__(self) -> str:
        return f"<limber.Data of {self.model!r}>"
