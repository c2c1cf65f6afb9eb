# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Failures of the library as exceptions, with the file, line and column that they are about."""

from __future__ import annotations

import ctypes
import warnings
from typing import Any, NamedTuple

from ._library import library
from ._structs import Emit, Report

#: Names of the failures, as in limber/status_list.h.
STATUS_NAMES = {
    -1: "argument", -2: "memory", -3: "stage", -4: "singular", -5: "model", -6: "file", -7: "syntax",
    -8: "unsupported", -9: "step", -10: "number", -12: "capacity", -13: "open", -14: "equilibrium", -15: "events",
    -16: "callback", -17: "version", -18: "loops",
}


class Diagnostic(NamedTuple):
    """One error or warning about an input."""

    severity: str  #: "error", "warning" or "note"
    file: str  #: "" if there is no file
    line: int  #: from 1; 0 if unknown
    column: int  #: from 1; 0 if unknown
    path: str  #: place in the model, such as "bodies[2].hinge.axis"
    message: str

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return ": ".join(part for part in (place, self.path, self.message) if part)


class Error(Exception):
    """What the library refused or could not do.

    `status` is a word such as "model" or "singular". `diagnostics` lists everything that was reported; `file`,
    `line` and `column` are those of the first error.
    """

    def __init__(self, message: str, status: str = "", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message, status, diagnostics)
        self.status = status
        self.diagnostics = diagnostics
        first = diagnostics[0] if diagnostics else Diagnostic("error", "", 0, 0, "", message)
        self.file, self.line, self.column = first.file, first.line, first.column

    def __str__(self) -> str:
        return str(self.args[0])


class LimberWarning(UserWarning):
    """What the library accepted but found doubtful."""


def decode(text: bytes | None) -> str:
    return text.decode(errors="replace") if text else ""


class Reporter:
    """Collects what the library reports. Keep it as long as the library may report to it. A quiet one drops warnings."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        diagnostics: list[Diagnostic] = []

        # a function of the list alone: with `self` the two would keep each other alive
        def take(user: Any, found: Any) -> None:
            one = found.contents
            diagnostics.append(Diagnostic(("error", "warning", "note")[one.severity], decode(one.file), one.line,
                                          one.column, decode(one.path), decode(one.message)))

        self.diagnostics = diagnostics
        self.report = Report(Emit(take), None)
        self.address = ctypes.addressof(self.report)

    def check(self, status: int, otherwise: str = "") -> None:
        """Raises an Error if the status is a failure, and passes on warnings. `otherwise` is said where nothing was
        reported."""
        found = self.diagnostics[:]
        self.diagnostics.clear()
        errors = tuple(one for one in found if one.severity == "error")
        if status < 0:
            words = "\n".join(str(one) for one in errors) or otherwise or decode(library.lb_get_status_text(status))
            raise Error(words, STATUS_NAMES.get(status, ""), errors)
        for one in found:
            if one.severity == "warning" and not self.quiet:
                warnings.warn(str(one), LimberWarning, stacklevel=4)


def check(status: int, otherwise: str = "") -> None:
    """Raises an Error if the status is a failure."""
    if status < 0:
        raise Error(otherwise or decode(library.lb_get_status_text(status)), STATUS_NAMES.get(status, ""))
