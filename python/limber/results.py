# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a run: arrays by name, with the audit."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ._arrays import address
from ._errors import Error, Reporter, check, decode
from ._library import library
from ._names import missing
from ._structs import Audit, ResultsInfo

ENDINGS = ("unfinished", "end of its duration", "event", "request")


class Event(NamedTuple):
    """Something that happened during a run."""

    t: float
    name: str


class Results(Mapping):
    """What a run recorded: a mapping from names to arrays with one entry per output time.

    `r["t"]` are the times. A column is found by its name, "link.angle", or with its table in front, "q:link.angle".
    A name of several columns gives them side by side: `r["tip.position"]` has three, `r["q"]` is a whole table.
    `dict(r)` suits `pandas.DataFrame`.
    """

    def __init__(self, tables: dict[str, tuple[tuple[str, ...], np.ndarray]], events: tuple[Event, ...], ending: str,
                 audit: dict[str, float], verdict: str, file: bytes) -> None:
        #: Tables by name, each an array with one row per time; `columns` has the names of its columns.
        self.tables = {name: values for name, (_, values) in tables.items()}
        self.columns = {name: columns for name, (columns, _) in tables.items()}
        #: Events in the order in which they happened.
        self.events = events
        #: How the run ended: "end of its duration", "event", "request" or "unfinished".
        self.ending = ending
        #: What the run did and how well energy balances, by name; and that in words.
        self.audit, self.verdict = audit, verdict
        self._file = file
        self._places: dict[str, tuple[str, Any]] = {}
        for table, columns in self.columns.items():
            for i, column in enumerate(columns):
                self._places[f"{table}:{column}"] = (table, i)
                self._places.setdefault(column, (table, i))

    @property
    def t(self) -> np.ndarray:
        """Output times, s."""
        return self.tables["time"][:, 0]

    def _find(self, name: str) -> tuple[str, Any]:
        """The table of a name, and its column or columns there."""
        if name in self._places:
            return self._places[name]
        if name in self.tables:
            return name, slice(None)
        # a name of several columns: tip.position of tip.position.x, .y and .z
        for table, columns in self.columns.items():
            inside = [i for i, column in enumerate(columns) if column.startswith(name + ".")]
            if inside:
                return table, inside
        raise missing(name, [*self._places, *self.tables], "signal")

    def __getitem__(self, name: str) -> np.ndarray:
        table, columns = self._find(name)
        return self.tables[table][:, columns]

    def __iter__(self) -> Iterator[str]:
        yield "t"
        for table, columns in self.columns.items():
            if table != "time":
                for column in columns:
                    yield column if self._places[column][0] == table else f"{table}:{column}"

    def __len__(self) -> int:
        return 1 + sum(len(columns) for table, columns in self.columns.items() if table != "time")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file of results, which `limber view` and other programs read: HDF5."""
        with open(path, "wb") as file:
            file.write(self._file)

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draws signals over time with Matplotlib. Returns the axes."""
        import matplotlib.pyplot as plt
        if ax is None:
            _, ax = plt.subplots()
        for name in names:
            table, columns = self._find(name)
            ax.plot(self.t, self.tables[table][:, columns], label=np.array(self.columns[table])[columns])
        ax.set_xlabel("t, s")
        ax.legend()
        return ax

    def page(self) -> str:
        """The page of `limber view`, with the moving scene, plots and audit. Needs the command `limber`."""
        command = os.environ.get("LIMBER_COMMAND") or shutil.which("limber")
        if not command:
            raise Error("the command limber is not there: install it, or let LIMBER_COMMAND name it", "file")
        with tempfile.TemporaryDirectory() as folder:
            results, page = os.path.join(folder, "run.h5"), os.path.join(folder, "run.html")
            self.save(results)
            done = subprocess.run([command, "view", results, "--no-open", "-o", page], capture_output=True, text=True)
            if done.returncode:
                raise Error(done.stderr.strip(), "file")
            with open(page, encoding="utf-8") as file:
                return file.read()

    def show(self, height: int = 600) -> Any:
        """Shows the run in a notebook: the page of `limber view`, inline."""
        from html import escape

        from IPython.display import HTML
        return HTML(f'<iframe srcdoc="{escape(self.page())}" width="100%" height="{height}"></iframe>')

    def __reduce__(self) -> Any:
        tables = {name: (self.columns[name], values) for name, values in self.tables.items()}
        return (Results, (tables, self.events, self.ending, self.audit, self.verdict, self._file))

    def __repr__(self) -> str:
        audit, end = self.audit, self.t[-1] if len(self.t) else 0.0
        start = f"<limber.Results: {len(self.t)} rows to t = {end:g} s, {len(self.events)} events, "
        if self.ending == "unfinished":
            return start + "unfinished>"
        return (start + f"ended by {self.ending}\n"
                f"  {audit['steps']:.0f} steps, {audit['evaluations']:.0f} evaluations, "
                f"energy off by {audit['energy_error']:.2g} J of {audit['energy_scale']:.2g} J: {self.verdict}>")


def read_results(path: str | os.PathLike[str]) -> Results:
    """Reads a file of results."""
    reporter, handle = Reporter(), ctypes.c_void_p()
    reporter.check(library.lb_open_results(os.fsencode(path), reporter.address, ctypes.byref(handle)))
    try:
        info = ResultsInfo.from_address(library.lb_get_results_info(handle))
        rows, tables = info.row_count, {}
        for index in range(info.table_count):
            table = info.tables[index]
            values = np.empty((rows, table.column_count))
            check(library.lb_read_table(handle, index, 0, rows, address(values)),
                  decode(library.lb_get_results_message(handle)))
            columns = tuple(decode(table.columns[i]) for i in range(table.column_count))
            tables[decode(table.name)] = (columns, values)
        events = []
        t, name = ctypes.c_double(), ctypes.c_char_p()
        for i in range(info.event_count):
            check(library.lb_read_event(handle, i, ctypes.byref(t), ctypes.byref(name)))
            events.append(Event(t.value, decode(name.value)))
        audit = Audit()
        check(library.lb_read_audit(handle, ctypes.byref(audit)))
        verdict = decode(library.lb_get_verdict_text(library.lb_judge_audit(ctypes.byref(audit))))
        ending = ENDINGS[info.ending]
    finally:
        library.lb_close_results(handle)
    numbers = {field: getattr(audit, field) for field, *_ in Audit._fields_[1:]}
    file_name = os.fspath(path)
    with open(file_name if os.path.exists(file_name) else file_name + ".part", "rb") as file:
        return Results(tables, tuple(events), ending, numbers, verdict, file.read())
