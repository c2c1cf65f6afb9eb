# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Spatial operators as linear operators: multiplied without being formed."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import address, vector
from ._errors import Reporter, check
from ._library import library
from ._owned import own

if TYPE_CHECKING:
    from .model import Model

try:
    from scipy.sparse.linalg import LinearOperator
    _Base: Any = LinearOperator
except ImportError:
    _Base = object


class Operator(_Base):
    """An expression of spatial operators at a configuration. With SciPy it is a LinearOperator.

    `A @ x` multiplies in O(N); `A.form()` is the dense matrix.
    """

    def __init__(self, model: Model, expression: str, q: Any) -> None:
        self.model, self.expression = model, expression
        handle, reporter = model._handle, Reporter()
        parsed = ctypes.c_void_p()
        reporter.check(library.lb_op_parse(expression.encode(), reporter.address, ctypes.byref(parsed)))
        self._parsed = own(self, parsed.value, library.lb_op_destroy_expression)
        self._work = own(self, library.lb_create_work(handle), library.lb_destroy_work, model)
        self._blocks = own(self, library.lb_op_create_work(handle), library.lb_op_destroy_work, model)
        rows = library.lb_op_get_size(handle, library.lb_op_get_expression_row_space(parsed))
        columns = library.lb_op_get_size(handle, library.lb_op_get_expression_column_space(parsed))
        self._scratch = np.empty(library.lb_op_get_scratch_count(handle, parsed))
        if _Base is not object:
            super().__init__(np.dtype(np.float64), (rows, columns))
        else:
            self.shape, self.dtype = (rows, columns), np.dtype(np.float64)
        self.move(model.neutral() if q is None else q)

    def move(self, q: Any) -> None:
        """Moves the operator to another configuration."""
        self.q = vector(q, self.model.q_count, "q").copy()
        check(library.lb_compute_operators(self.model._handle, self._work, address(self.q), self._blocks))

    def _matvec(self, x: Any) -> np.ndarray:
        x, y = vector(np.reshape(x, -1), self.shape[1], "x"), np.empty(self.shape[0])
        check(library.lb_op_apply_expression(self.model._handle, self._blocks, self._parsed, address(self._scratch),
                                             address(x), address(y)))
        return y

    def _adjoint(self) -> Operator:
        return Operator(self.model, f"({self.expression})*", self.q)

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
