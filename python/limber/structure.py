# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Flexible bodies from finite-element programs, and from matrices in memory."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import Reporter, decode
from ._library import library
from ._names import missing
from ._owned import own
from ._structs import GeometricFile, ImportOptions, ImportProgress, NamedNode, TiedNode
from .callbacks import Failure

TIES = {"rigid": 0, "average": 1}
ROLES = {"any": 0, "stiffness": 1, "mass": 2, "damping": 3, "rows": 4}
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")


class Structure:
    """A structure that has been imported: modes, inertia, and a report of what was found and checked.

    `save` writes a body file, which models use as `{"flex": {"file": "panel.flex"}}`.
    """

    def __init__(self, handle: int) -> None:
        self._handle = own(self, handle, library.lb_destroy_imported)
        #: What was found and checked, for a reader.
        self.report: str = decode(library.lb_get_import_report(handle))
        #: The same as a dictionary.
        self.summary: dict[str, Any] = json.loads(decode(library.lb_get_import_json(handle)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a body file, `*.flex`. It appears when it is complete."""
        reporter = Reporter()
        reporter.check(library.lb_save_imported(self._handle, os.fsencode(path), reporter.address))

    def __repr__(self) -> str:
        return self.report


def _texts(values: Iterable[Any]) -> tuple[Any, int]:
    encoded = [str(value).encode() for value in values]
    return (ctypes.c_char_p * max(len(encoded), 1))(*encoded), len(encoded)


def _tie(name: str, kind: str, members: str, position: Any = None) -> tuple[TiedNode, Any]:
    """A node that is tied to a set, and the array that it points to."""
    if kind not in TIES:
        raise missing(kind, TIES, "tie")
    place = None if position is None else np.array(position, float)
    if place is not None and place.shape != (3,):
        raise ValueError(f"the position of node {name!r} has shape {place.shape}, expected 3 numbers")
    tied = TiedNode()
    tied.name, tied.tie, tied.set = name.encode(), TIES[kind], members.encode()
    tied.position = None if place is None else place.ctypes.data
    return tied, place


def import_structure(*files: str | os.PathLike[str], units: Sequence[float] = (1.0, 1.0, 1.0),
                     nodes: Mapping[str, Any] | None = None, clamp: Iterable[str | int] = (), modes: int = 0,
                     below: float = 0.0, interfaces: Iterable[str | int] = (), residuals: Iterable[str | int] = (),
                     geometric: Mapping[str, str | os.PathLike[str]] | None = None, roles: Sequence[str] | None = None,
                     progress: Callable[[str, float], Any] | None = None) -> Structure:
    """Reads all files of one structure, checks them, and finds modes and inertia.

    `units` are those of the files: length in m, mass in kg, time in s, so (1e-3, 1e3, 1) for mm, t and s. `nodes` names nodes
    for models: a number, or a tie such as ("average", "12..40+TIP") or ("rigid", "FACE", [0, 0, 1]) with the position of
    the node. `clamp` holds nodes, `interfaces` asks for Craig-Bampton modes, `residuals` for residual modes; each lists
    names or numbers. At most `modes` normal modes (0: all, up to 50), and none above `below` Hz (0: no limit). `geometric`
    has a file of geometric stiffness for each load, such as {"ax": "gx.mtx"}. `roles` says what each file is ("any",
    "stiffness", "mass", "damping", "rows") where the content does not tell. `progress(step, share)` is called between
    steps; True ends the import, and so does Ctrl-C.
    """
    length, mass, time = (float(unit) for unit in units)
    if roles is not None and len(roles) != len(files):
        raise ValueError(f"{len(roles)} roles for {len(files)} files, expected one for each")
    for role in roles or ():
        if role not in ROLES:
            raise missing(role, ROLES, "role")
    options = ImportOptions()
    options.files, options.file_count = _texts(os.fsdecode(file) for file in files)
    options.length, options.mass, options.time = length, mass, time
    if roles is not None:
        options.roles = (ctypes.c_int * max(len(roles), 1))(*[ROLES[role] for role in roles])
    named = {name: int(node) for name, node in (nodes or {}).items() if isinstance(node, (int, np.integer))}
    tied = [_tie(name, *node) for name, node in (nodes or {}).items() if name not in named]
    options.nodes = (NamedNode * max(len(named), 1))(*[NamedNode(name.encode(), node) for name, node in named.items()])
    options.ties = (TiedNode * max(len(tied), 1))(*[one for one, _ in tied])
    options.node_count, options.tie_count = len(named), len(tied)
    options.held, options.held_count = _texts(clamp)
    options.interfaces, options.interface_count = _texts(interfaces)
    options.residuals, options.residual_count = _texts(residuals)
    options.mode_count, options.below = modes, below
    loads = [GeometricFile(load.encode(), os.fsencode(file)) for load, file in (geometric or {}).items()]
    options.geometric, options.geometric_count = (GeometricFile * max(len(loads), 1))(*loads), len(loads)

    # an exception in the function of the user, Ctrl-C among them, ends the import and is raised here
    failure, reporter, handle = Failure(), Reporter(), ctypes.c_void_p()

    def watch(user: Any, step: bytes, share: float) -> int:
        return 1 if progress is not None and progress(decode(step), share) else 0

    options.progress = ImportProgress(failure.guard(watch))
    status = library.lb_import_files(ctypes.byref(options), None, reporter.address, ctypes.byref(handle))
    failure.raise_if_any()
    reporter.check(status)
    return Structure(handle.value or 0)


def _write_matrix(path: Path, matrix: Any, count: int, name: str) -> None:
    """A matrix in Matrix Market form, every entry with all its digits."""
    dense = matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix, float)
    if dense.shape != (count, count):
        raise ValueError(f"{name} has shape {dense.shape}, expected {(count, count)}: one row per entry of rows")
    if not np.isfinite(dense).all():
        raise ValueError(f"{name} has entries that are not finite")
    places = np.argwhere(dense)
    with path.open("w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{count} {count} {len(places)}\n")
        file.writelines(f"{i + 1} {j + 1} {float(dense[i, j])!r}\n" for i, j in places)


def import_matrices(stiffness: Any, mass: Any, rows: Iterable[tuple[int, str]], positions: Mapping[int, Any],
                    **options: Any) -> Structure:
    """Makes a structure of its stiffness and mass matrix: arrays, or sparse matrices of SciPy, of the free structure.

    `rows` says which node and direction ("x", "y", "z", "rx", "ry", "rz") each row belongs to, `positions` where the nodes
    are. All other options are those of `import_structure`.
    """
    rows = [(int(node), direction) for node, direction in rows]
    for _, direction in rows:
        if direction not in DIRECTIONS:
            raise missing(direction, DIRECTIONS, "direction")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _write_matrix(place / "stiffness.mtx", stiffness, len(rows), "stiffness")
        _write_matrix(place / "mass.mtx", mass, len(rows), "mass")
        (place / "rows.txt").write_text("".join(f"{node}.{DIRECTIONS.index(direction) + 1}\n" for node, direction in rows))
        (place / "nodes.txt").write_text("".join(
            f"{int(node)} " + " ".join(repr(float(x)) for x in np.asarray(position, float)) + "\n"
            for node, position in positions.items()))
        return import_structure(place / "stiffness.mtx", place / "mass.mtx", place / "rows.txt", place / "nodes.txt",
                                roles=("stiffness", "mass", "any", "any"), **options)
