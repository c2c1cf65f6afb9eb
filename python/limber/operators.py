# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Spatial operators as linear operators: multiplied without being formed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import address, vector
from ._errors import Reporter, check
from ._library import library
from ._owned import own

if TYPE_CHECKING:
    from .model import Model, Node

try:
    from scipy.sparse.linalg import LinearOperator
    _Base: Any = LinearOperator
except ImportError:
    _Base = object


class Operator(_Base):
    """An expression of spatial operators at a state. With SciPy it is a LinearOperator.

    `A @ x` multiplies in O(N); `A.form()` is the dense matrix. Vectors such as `nu` are matrices of one column.
    """

    def __init__(self, model: Model, expression: str, q: Any, v: Any = None, tau: Any = None,
                 nodes: Sequence[Node | str] | None = None, blocks: Any = None) -> None:
        self.model, self.expression, self._nodes, self._matrices = model, expression, nodes, blocks
        handle, reporter = model._handle, Reporter()
        parsed = ctypes.c_void_p()
        reporter.check(library.lb_op_parse(expression.encode(), reporter.address, ctypes.byref(parsed)))
        self._parsed = own(self, parsed.value, library.lb_op_destroy_expression)
        self._work = own(self, library.lb_create_work(handle), library.lb_destroy_work, model)
        self._blocks = own(self, library.lb_op_create_work(handle), library.lb_op_destroy_work, model)
        self._pick(nodes)
        if blocks is not None:
            matrices = np.ascontiguousarray(blocks, dtype=np.float64)
            if matrices.ndim != 3 or matrices.shape[0] != len(model.bodies) or matrices.shape[1] != matrices.shape[2]:
                raise ValueError(f"blocks have the shape {matrices.shape}, expected (bodies, k, k) with "
                                 f"{len(model.bodies)} bodies")
            check(library.lb_op_set_blocks(handle, self._blocks, matrices.shape[1], address(matrices)))
        rows = library.lb_op_get_size(self._blocks, library.lb_op_get_spaces(parsed).rows)
        columns = library.lb_op_get_size(self._blocks, library.lb_op_get_spaces(parsed).columns)
        self._scratch = np.empty(library.lb_op_get_scratch_count(self._blocks, parsed))
        if _Base is not object:
            super().__init__(np.dtype(np.float64), (rows, columns))
        else:
            self.shape, self.dtype = (rows, columns), np.dtype(np.float64)
        self.move(model.neutral() if q is None else q, v, tau)

    def _pick(self, nodes: Sequence[Node | str] | None) -> None:
        handle = self.model._handle
        if nodes is None:
            # those of loops; whether they are needed is seen later
            library.lb_op_pick_nodes(handle, self._work, self._blocks, 0, None)
            return
        found = [self.model.find_node(node) for node in nodes]
        pairs = np.array([[node.body, node.index] for node in found], dtype=np.int32).reshape(-1, 2)
        check(library.lb_op_pick_nodes(handle, self._work, self._blocks, len(pairs), address(pairs)))

    def move(self, q: Any, v: Any = None, tau: Any = None) -> None:
        """Moves the operator to another state; speeds and forces are zero unless given."""
        count = self.model.v_count
        self.q = vector(q, self.model.q_count, "q").copy()
        self.v = vector(np.zeros(count) if v is None else v, count, "v").copy()
        self.tau = vector(np.zeros(count) if tau is None else tau, count, "tau").copy()
        handle = self.model._handle
        check(library.lb_compute_operators(handle, self._work, address(self.q), self._blocks))
        check(library.lb_compute_operator_motion(handle, self._work, address(self.q), address(self.v),
                                                 address(self.tau), self._blocks))

    def _matvec(self, x: Any) -> np.ndarray:
        x, y = vector(np.reshape(x, -1), self.shape[1], "x"), np.empty(self.shape[0])
        check(library.lb_op_apply_expression(self.model._handle, self._blocks, self._parsed, address(self._scratch),
                                             address(x), address(y)))
        return y

    def _adjoint(self) -> Operator:
        return Operator(self.model, f"({self.expression})*", self.q, self.v, self.tau, self._nodes, self._matrices)

    def form(self) -> np.ndarray:
        """The operator as a dense matrix."""
        A = np.empty(self.shape)
        check(library.lb_op_form_expression(self.model._handle, self._blocks, self._parsed, address(self._scratch),
                                            address(A)))
        return A

    if _Base is object:
        # the little of LinearOperator that needs no SciPy
        def __matmul__(self, x: Any) -> np.ndarray:
            x = np.asarray(x)
            return self._matvec(x) if x.ndim == 1 else np.stack([self._matvec(column) for column in x.T], axis=1)

        @property
        def T(self) -> Operator:
            return self._adjoint()

    def __repr__(self) -> str:
        return f"<limber.Operator {self.expression!r}: {self.shape[0]} x {self.shape[1]}>"
