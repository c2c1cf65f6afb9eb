# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Models: loaded from files or made of Python's own lists, dictionaries and arrays."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import address, vector
from ._errors import Reporter, check, decode
from ._library import library
from ._names import Coordinates, Named, missing
from ._owned import own
from ._structs import LoadOptions, ParameterValue

if TYPE_CHECKING:
    from .data import Data
    from .operators import Operator
    from .simulation import Simulation

GROUND = -1
FORMATS = {"auto": 0, "yaml": 1, "json": 2, "urdf": 3}


@dataclass(frozen=True)
class Node:
    """A node of a body."""

    name: str
    body: int  #: index of its body; -1 for the ground
    index: int  #: among the nodes of its body


class Body:
    """A body of a model, with the hinge that joins it to its parent."""

    def __init__(self, model: Model, index: int) -> None:
        handle = model._handle
        self.name: str = decode(library.lb_get_body_name(handle, index))
        self.index = index
        #: Nodes by index or name.
        self.nodes: Named[Node] = Named("node", [
            Node(decode(library.lb_get_node_name(handle, index, i)), index, i)
            for i in range(library.lb_get_node_count(handle, index))])
        if index == GROUND:
            return
        #: Index of the parent; -1 for the ground.
        hinge = library.lb_get_hinge(handle, index)
        self.parent: int = hinge.parent
        self.hinge: str = decode(library.lb_get_hinge_type_name(hinge.type))
        self.mode_count: int = library.lb_get_mode_count(handle, index)
        modes = self.mode_count
        q, v = library.lb_get_q_offset(handle, index), library.lb_get_v_offset(handle, index)
        #: Entries of the modes and of the hinge in q and in v.
        self.q_modes, self.v_modes = slice(q, q + modes), slice(v, v + modes)
        self.q_hinge = slice(q + modes, q + modes + hinge.q_count)
        self.v_hinge = slice(v + modes, v + modes + hinge.v_count)
        mass, com, inertia = ctypes.c_double(), np.empty(3), np.empty(6)
        library.lb_get_mass_properties(handle, index, ctypes.byref(mass), address(com), address(inertia))
        #: kg; centre of mass in the body frame, m; xx yy zz xy xz yz about it, kg m^2.
        self.mass, self.com, self.inertia = mass.value, com, inertia

    def __repr__(self) -> str:
        return f"<limber.Body {self.name!r}>"


def _index_names(model: Model, which: str) -> dict[str, Any]:
    """Where each body's coordinates (or speeds) are: a number if there is one, else a slice. Modes are
    "body.eta"."""
    names: dict[str, Any] = {}
    for body in model.bodies:
        hinge, modes = getattr(body, which + "_hinge"), getattr(body, which + "_modes")
        names[body.name] = hinge.start if hinge.stop - hinge.start == 1 else hinge
        if modes.stop > modes.start:
            names[body.name + ".eta"] = modes
    return names


class Model:
    """A constant model. `load`, `loads` and `build` make one.

    Any number of threads may use it. States q have `q_count` numbers and speeds v have `v_count`; bodies are listed
    in the order of the file, each with its modes first and then its hinge.
    """

    def __init__(self, text: bytes | None, name: str, options: dict[str, Any]) -> None:
        """Loads `text`, or the file `name` if there is no text."""
        format_name, parameters = options.get("format", "auto"), options.get("parameters") or {}
        if format_name not in FORMATS:
            raise missing(format_name, FORMATS, "format")
        c_options = LoadOptions()
        c_options.floating_base = options.get("floating_base", False)
        c_options.keep_fixed = options.get("keep_fixed", False)
        allow = options.get("allow_files")
        c_options.allow_files = os.fsencode(allow) if allow else None
        values = (ParameterValue * len(parameters))(*[ParameterValue(key.encode(), value)
                                                     for key, value in parameters.items()])
        c_options.parameters, c_options.parameter_count = values, len(parameters)

        reporter = Reporter(quiet=options.get("quiet", False))
        document, model = ctypes.c_void_p(), ctypes.c_void_p()
        file = os.fsencode(name)
        if text is None:
            status = library.lb_load_document(file, ctypes.byref(c_options), reporter.address, ctypes.byref(document))
        else:
            status = library.lb_load_document_text(text, len(text), file, FORMATS[format_name],
                                                   ctypes.byref(c_options), reporter.address, ctypes.byref(document))
        reporter.check(status)
        self._document = own(self, document.value, library.lb_destroy_document)
        reporter.check(library.lb_load_document_model(document, reporter.address, ctypes.byref(model)))
        self._handle = own(self, model.value, library.lb_destroy_model)
        # where files that the model names are, wherever the process or another goes
        self._file, self._options = os.path.abspath(name) if name else "", options
        #: Name of the model; "" if it has none.
        self.name: str = decode(library.lb_get_model_name(model))
        self.q_count: int = library.lb_get_q_count(model)
        self.v_count: int = library.lb_get_v_count(model)
        #: Bodies by index or name, without the ground.
        self.bodies: Named[Body] = Named("body", [Body(self, i) for i in range(library.lb_get_body_count(model))])
        self.ground = Body(self, GROUND)
        #: Names of the loops.
        self.loops: tuple[str, ...] = tuple(decode(library.lb_get_loop_name(model, i))
                                            for i in range(library.lb_get_loop_count(model)))
        #: Where a body's hinge is in q and in v, by name: `a[m.v_index["elbow"]]`. Modes are "panel.eta".
        self.q_index: Mapping[str, Any] = _index_names(self, "q")
        self.v_index: Mapping[str, Any] = _index_names(self, "v")

    @property
    def gravity(self) -> np.ndarray:
        """Uniform gravity in world axes, m/s^2."""
        gravity = np.empty(3)
        library.lb_get_gravity(self._handle, address(gravity))
        return gravity

    # ---- states ------------------------------------------------------------------------------------------

    def neutral(self) -> Coordinates:
        """The neutral configuration: every coordinate zero, every quaternion the identity. Names index it."""
        q = np.empty(self.q_count)
        library.lb_get_neutral_configuration(self._handle, address(q))
        return Coordinates(q, self.q_index)

    def speeds(self) -> Coordinates:
        """Zero speeds, forces or accelerations, in the order of v. Names index them."""
        return Coordinates(np.zeros(self.v_count), self.v_index)

    def normalize(self, q: Any, tolerance: float = 1e-6) -> np.ndarray:
        """The configuration with quaternions of unit length, from which they may be off by the tolerance."""
        q, wrong = vector(q, self.q_count, "q").copy(), ctypes.c_int()
        status = library.lb_normalize_configuration(self._handle, tolerance, address(q), ctypes.byref(wrong))
        check(status, f"q[{wrong.value}] is not finite, or its quaternion is not of unit length")
        return q

    def integrate(self, q: Any, dv: Any) -> np.ndarray:
        """The configuration to which the constant speeds dv lead from q in unit time."""
        q, dv, out = vector(q, self.q_count, "q"), vector(dv, self.v_count, "dv"), np.empty(self.q_count)
        library.lb_integrate_configuration(self._handle, address(q), address(dv), address(out))
        return out

    def difference(self, q0: Any, q1: Any) -> np.ndarray:
        """The dv for which integrate(q0, dv) is q1. Rotations take the short way."""
        q0, q1, out = vector(q0, self.q_count, "q0"), vector(q1, self.q_count, "q1"), np.empty(self.v_count)
        library.lb_difference_configuration(self._handle, address(q0), address(q1), address(out))
        return out

    def rate(self, q: Any, v: Any) -> np.ndarray:
        """dq/dt of a state."""
        q, v, out = vector(q, self.q_count, "q"), vector(v, self.v_count, "v"), np.empty(self.q_count)
        library.lb_compute_configuration_rate(self._handle, address(q), address(v), address(out))
        return out

    def find_node(self, node: Node | str) -> Node:
        """A node by name: "panel/tip", or "panel" for the origin of a body."""
        if isinstance(node, Node):
            return node
        body_name, _, node_name = node.partition("/")
        body = self.ground if body_name == "ground" else self.bodies[body_name]
        return body.nodes[node_name] if node_name else body.nodes[0]

    # ---- what is made of a model -------------------------------------------------------------------------

    def data(self, threads: int | None = None, algorithm: str = "articulated") -> Data:
        """A workspace for the dynamics of this model. Use one per thread. Batches use `threads` threads of their own;
        by default one per core, and fewer for batches that are too small for another thread to pay. `algorithm` is that
        of `forward`: "articulated", "divide-and-conquer", "composite" or "unsplit"."""
        from .data import Data
        return Data(self, threads, algorithm)

    def operator(self, expression: str, q: Any = None, v: Any = None, tau: Any = None,
                 nodes: Sequence[Node | str] | None = None, blocks: Any = None) -> Operator:
        """A spatial operator at a state, by default at rest in the neutral configuration: `m.operator("H Phi M Phi* H*", q)`
        is the mass matrix. With SciPy it is a LinearOperator.

        `nodes`, such as ["arm/tip"], are those of B, J and Lambda; without them those of the closed loops are.
        `blocks`, (bodies, k, k), make Phi_A and Psi_A."""
        from .operators import Operator
        return Operator(self, expression, q, v, tau, nodes, blocks)

    def simulation(self) -> Simulation:
        """The simulation that the file describes: forces, events, controllers, outputs and initial state."""
        from .simulation import Simulation
        return Simulation(self)

    def document(self, format: str = "yaml") -> str:
        """The model as text, "yaml" or "json", with all that it includes and the values of its parameters."""
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        check(library.lb_format_document(self._document, FORMATS[format], ctypes.byref(text), ctypes.byref(length)))
        try:
            return ctypes.string_at(text.value or 0, length.value).decode()
        finally:
            _free(text)

    # models pickle by their document; its name tells where files that it names are, and warnings have been given
    def __reduce__(self) -> Any:
        options = {"format": "json", "allow_files": self._options.get("allow_files"), "quiet": True}
        return (Model, (self.document("json").encode(), self._file, options))

    def __repr__(self) -> str:
        loops = f", {len(self.loops)} loop{'s' if len(self.loops) > 1 else ''}" if self.loops else ""
        return f"<limber.Model {self.name!r}: {len(self.bodies)} bodies, {self.v_count} degrees of freedom{loops}>"


_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


def load(path: str | os.PathLike[str], *, floating_base: bool = False, keep_fixed: bool = False,
         allow_files: str | None = None, parameters: Mapping[str, float] | None = None) -> Model:
    """Loads a model from a YAML, JSON or URDF file.

    Of URDF: with `floating_base` the root link moves freely; with `keep_fixed`, links on fixed joints stay bodies.
    `parameters` replaces values of the file, by the name of a parameter or by a path such as "bodies.arm.mass".
    Files that the model names must be in its folder, or in `allow_files`. Errors are raised as limber.Error.
    """
    return Model(None, os.fspath(path), {"floating_base": floating_base, "keep_fixed": keep_fixed,
                                         "allow_files": allow_files, "parameters": dict(parameters or {})})


def loads(text: str | bytes, *, format: str = "auto", name: str = "", floating_base: bool = False,
          keep_fixed: bool = False, allow_files: str | None = None,
          parameters: Mapping[str, float] | None = None) -> Model:
    """Loads a model from text. `name` stands for the file in messages and says where files that the model names are.

    >>> m = loads("limber: 1\\nbodies: [{name: ball, hinge: {type: free}, mass: 2}]")
    >>> m.v_count
    6
    """
    text = text.encode() if isinstance(text, str) else bytes(text)
    return Model(text, name, {"format": format, "floating_base": floating_base, "keep_fixed": keep_fixed,
                              "allow_files": allow_files, "parameters": dict(parameters or {})})


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a model is made of numbers, strings, lists, dictionaries and arrays, not {type(value).__name__}")


def build(document: Mapping[str, Any], *, name: str = "", allow_files: str | None = None) -> Model:
    """Makes a model of Python's own values, with the keys of the model format. NumPy arrays stand for lists.

    >>> import numpy as np
    >>> m = build({"bodies": [{"name": "ball", "hinge": {"type": "free"}, "mass": 2.0,
    ...                        "inertia": np.array([1.0, 1, 1, 0, 0, 0])}]})
    >>> m.bodies["ball"].mass
    2.0
    """
    text = json.dumps({"limber": 1, **document}, default=_plain, allow_nan=False)
    return loads(text, format="json", name=name, allow_files=allow_files)
