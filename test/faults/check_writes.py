#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_writes.py LIMBER SHIM [--full] [COMMAND...]: every write of every command that writes is made to fail in turn.

SHIM is the library made of fail_write.c. Whatever fails, the command must say so in one message, end with
exit status 1, leave no partial file, and leave what was there before. Only `run` may leave its .part, which
must be readable and can be resumed; so must the rows of a sweep. A write that takes half of the bytes is no failure: the result must be
that of an undisturbed run. Without --full, long series of writes are sampled. The last line counts the
outcomes. COMMAND limits it to some commands.
"""
import collections
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from outcomes import get_commands, get_rows, preload, read_all, strip_date

MODEL = """limber: 1
name: swing
gravity: [0, -9.81, 0]
bodies:
  - {name: a, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, com: [0, -1, 0],
     inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
initial: {a: {q: [1]}}
run: {duration: 0.2, interval: 0.05, integrator: {type: rk4, step: 0.05}}
"""
PLAN = """limber_sweep: 1
model: m.yaml
vary: {bodies.a.mass: {values: [1, 2, 3]}}
sampling: grid
job: {type: run, duration: 0.1}
outputs: {y: {signal: a.angle}}
"""
HERE = os.path.dirname(os.path.abspath(__file__))
BAR = os.path.join(HERE, "..", "data", "fe", "modes", "bar.sid")
BEAM = os.path.join(HERE, "models", "beam.yaml")
OLD = b"what was there before\n"

# words of the command, files that it writes; None: standard output
CASES = [
    (["run", "m.yaml", "-o", "out.h5", "--quiet"], ["out.h5"]),
    (["run", "m.yaml", "-o", "out.h5", "--csv", "--quiet"], ["out.h5", "out.csv"]),
    (["run", "m.yaml", "-o", "out.h5"], ["out.h5"]),
    (["run", "m.yaml", "-o", "old.h5", "--resume", "--quiet", "--duration", "0.4"], ["old.h5"]),
    (["plot", "r.h5", "a.angle", "-o", "out.pdf"], ["out.pdf"]),
    (["plot", "r.h5", "a.angle", "-o", "out.svg"], ["out.svg"]),
    (["plot", "r.h5", "a.angle", "-o", "out.png", "--dpi", "40"], ["out.png"]),
    (["plot", "r.h5", "a.angle"], [None]),
    (["loads", "r.h5", "--signal", "a.angle"], [None]),
    (["loads", "r.h5", "--signal", "a.angle", "-o", "out.csv"], ["out.csv"]),
    (["loads", "r.h5", "--budget", "a", "-o", "out.json"], ["out.json"]),
    (["loads", "r.h5", "--signal", "a.angle", "-o", "out.svg"], ["out.svg"]),
    (["render", "r.h5", "-o", "out.gif", "--size", "64x40"], ["out.gif"]),
    (["render", "r.h5", "-o", "out.png", "--size", "64x40"], ["out.png"]),
    (["render", "r.h5", "-o", "frames", "--size", "64x40"], ["frames"]),
    (["view", "r.h5", "--no-open", "-o", "out.html"], ["out.html"]),
    (["view", "r.h5", "-o", "-"], [None]),
    (["linearize", "m.yaml", "-o", "out.mat"], ["out.mat"]),
    (["linearize", "m.yaml", "-o", "out.h5"], ["out.h5"]),
    (["linearize", "m.yaml", "-o", "out.json"], ["out.json"]),
    (["linearize", "m.yaml"], [None]),
    (["response", "m.yaml", "--input", "a.motor", "--signal", "a.angle", "--range", "1:9:3", "--csv"], [None]),
    (["response", "m.yaml", "--input", "a.motor", "--signal", "a.angle", "--range", "1:9:3", "-o", "out.svg"], ["out.svg"]),
    (["modes", "m.yaml", "--json", "-o", "out.json"], ["out.json"]),
    (["modes", "m.yaml", "--csv", "-o", "out.csv"], ["out.csv"]),
    (["convert", "m.yaml", "out.json"], ["out.json"]),
    (["freeze", "m.yaml", "-o", "out.c"], ["out.c", "out.h"]),
    (["freeze", "m.yaml", "-o", "out.c", "--simulation"], ["out.c", "out.h"]),
    (["export", "--as", "fmi2", "m.yaml", "--sources-only", "-o", "out.fmu"], ["out.fmu"]),
    (["export", "--as", "fmi3", "m.yaml", "--sources-only", "-o", "out.fmu"], ["out.fmu"]),
    (["export", "--as", "matrices", "beam.yaml", "--body", "boom", "-o", "folder"], ["folder"]),
    (["run", "m.yaml", "-o", "out.h5", "--quiet", "--frozen", "out.so", "--allow-plugins"], ["out.h5", "out.so"]),
    (["sweep", "plan.yaml", "--workers", "1", "--folder", "fresh"], ["fresh"]),
    (["sweep", "merge", "plan.yaml", "-o", "out.csv"], ["out.csv"]),
    (["sweep", "merge", "plan.yaml", "-o", "out.h5"], ["out.h5"]),
    (["sweep", "merge", "plan.yaml"], [None]),
    (["sweep", "statistics", "plan.yaml", "--json"], [None]),
    (["sweep", "figure", "plan.yaml", "-o", "out.svg"], ["out.svg"]),
    (["convert", "m.yaml", "out.yaml"], ["out.yaml"]),
    (["convert", "m.yaml", "-"], [None]),
    (["new", "-"], [None]),
    (["import", "bar.sid", "-o", "out.flex"], ["out.flex"]),
    (["import", "bar.sid", "--json"], [None]),
    (["import", "bar.sid", "-o", "out.flex", "--page", "out.html"], ["out.flex", "out.html"]),
    (["import", "bar.sid", "--page", "-"], [None]),
    (["results", "r.h5", "--csv"], [None]),
    (["results", "r.h5"], [None]),
    (["info", "m.yaml"], [None]),
    (["check", "m.yaml"], [None]),
    (["help"], [None]),
]


class Bench:
    def __init__(self, limber, shim):
        self.limber, self.shim = limber, shim
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="limber-writes-"))
        self.start = os.path.join(self.home, "start")
        os.mkdir(self.start)
        with open(os.path.join(self.start, "m.yaml"), "w", encoding="utf-8") as file:
            file.write(MODEL)
        with open(os.path.join(self.start, "plan.yaml"), "w", encoding="utf-8") as file:
            file.write(PLAN)
        shutil.copy(BAR, self.start)
        shutil.copy(BEAM, self.start)
        for name in ("r.h5", "old.h5"):
            subprocess.run([limber, "run", "m.yaml", "-o", name, "--quiet"], cwd=self.start, check=True)
        available = get_commands(limber)
        if "sweep" in available:
            subprocess.run([limber, "sweep", "plan.yaml", "-q"], cwd=self.start, check=True)
        # compiling takes long: the compiler of the tests has its answer at hand
        self.tools = os.path.join(self.home, "bin")
        os.mkdir(self.tools)
        if "freeze" in available:
            kept = os.path.join(self.home, "kept.so")
            words = ["run", "m.yaml", "-o", "../m.h5", "--quiet", "--frozen", kept, "--allow-plugins"]
            subprocess.run([limber, *words], cwd=self.start, check=True)
            with open(os.path.join(self.tools, "cc"), "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nexec cp {shlex.quote(kept)} "$2"\n')
            os.chmod(file.name, 0o755)

    def prepare(self, files):
        """A folder in which every output is there already, except folders and a run to be resumed."""
        work = os.path.join(self.home, "work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.start, work)
        for name in files:
            if name and "." in name and name != "out.so" and not os.path.exists(os.path.join(work, name)):
                with open(os.path.join(work, name), "wb") as file:
                    file.write(OLD)
        return work

    def call(self, words, work, **faults):
        """Exit status, standard output, messages without warnings, operations, what failed."""
        counts = os.path.join(self.home, "counts")
        if os.path.exists(counts):
            os.remove(counts)
        path = self.tools + os.pathsep + os.environ["PATH"]
        variables = dict(os.environ, **preload(self.shim), PATH=path, FAIL_UNDER=work, COUNT_FILE=counts, LIMBER_CLOCK="0",
                         **faults)
        done = subprocess.run([self.limber] + words, cwd=work, env=variables, capture_output=True)
        number, what = "0", "-"
        if os.path.exists(counts):
            with open(counts, encoding="utf-8") as file:
                number, what = file.read().split()
        said = [line for line in done.stderr.decode(errors="replace").splitlines()
                if "warning: " not in line]
        return done.returncode, done.stdout, said, int(number), what


def judge(bench, words, files, work, before, good, outcome):
    """Complaints about the outcome of one failure."""
    status, _, said, _, what = outcome
    after = read_all(work)
    wrong = []
    if status != 1:
        wrong.append(f"exit status {status}")
    is_sweep = words[:2] == ["sweep", "plan.yaml"]
    if len(said) != 1 and not (is_sweep and len(said) == 2 and "samples are done; limber sweep resume" in said[1]):
        wrong.append(f"{len(said)} messages: {said}")
    is_named = said and "the file is complete" in said[0]
    for name in after.keys() | before.keys():
        if after.get(name) == before.get(name):
            continue
        is_run = words[0] == "run"
        if is_run and name.endswith(".part"):
            rows = get_rows(bench.limber, work, name)
            if not rows or rows.count(b"\n") < 2:
                wrong.append(f"{name} cannot be read, or has no rows")
        elif is_sweep and name.startswith("fresh" + os.sep) and name.endswith((".rows", "started")):
            pass
        elif is_run and name.endswith(".h5") and get_rows(bench.limber, work, name) == good["rows"]:
            pass  # what failed came after it
        elif name in good["files"] and strip_date(name, after.get(name)) == strip_date(name, good["files"][name]) and (
                is_named or what in ("write", "close") or words[0] == "run" or len(files) > 1 or
                name.startswith("folder" + os.sep)):
            pass  # whole; of several files, one before that which failed
        elif is_named and name in files:
            pass
        elif name.startswith("frames" + os.sep):
            wrong.append(f"{name} is left of a clip")
        else:
            wrong.append(f"{name} was {'changed' if name in before else 'left behind'}")
    if words[0] == "run" and not wrong and any(name.endswith(".part") for name in after):
        again = [word for word in words if word != "--resume"] + ["--resume"]
        subprocess.run([bench.limber] + again, cwd=work, capture_output=True)
        if get_rows(bench.limber, work, files[0]) != good["rows"]:
            wrong.append("the resumed run has other rows")
    if is_sweep and not wrong:
        subprocess.run([bench.limber, *words], cwd=work, capture_output=True)
        if get_table(bench.limber, work) != good["table"]:
            wrong.append("the resumed sweep has another table")
    return wrong


def get_table(limber, work):
    """The table of a sweep, or None."""
    words = [limber, "sweep", "merge", "plan.yaml", "--folder", "fresh"]
    done = subprocess.run(words, cwd=work, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def choose(count, mode, full):
    """Which operations of a command fail."""
    if full or (not mode and count <= 8):
        return range(1, count + 1)
    first, last = (2, 5) if not mode else (0, 1)
    chosen = set(range(1, first + 1)) | {count // 2} | set(range(count - last + 1, count + 1))
    return sorted(number for number in chosen if 1 <= number <= count)


def main():
    limber, shim = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    full = "--full" in sys.argv
    only = [word for word in sys.argv[3:] if not word.startswith("--")]
    bench = Bench(limber, shim)
    tally, bad = collections.Counter(), 0
    modes = [{}, {"FAIL_FROM": "1"}, {"FAIL_SHORT": "1"}]
    if full:
        modes.append({"FAIL_EIO": "1"})
    available = get_commands(limber)
    for words, files in CASES:
        if words[0] not in available or (only and words[0] not in only):
            continue
        work = bench.prepare(files)
        status, out, said, count, _ = bench.call(words, work)
        good = {"files": read_all(work), "out": out,
                "rows": get_rows(limber, work, files[0]) if words[0] == "run" else None,
                "table": get_table(limber, work) if files[0] == "fresh" else None}
        if status != 0 or count == 0:
            print(f"{' '.join(words)}: exit status {status}, {count} operations: {said}")
            bad += 1
            continue
        tally["operations"] += count
        for mode in modes:
            for number in choose(count, mode, full):
                work = bench.prepare(files)
                before = read_all(work)
                outcome = bench.call(words, work, FAIL_AT=str(number), **mode)
                what = outcome[4]
                if what == "-":
                    continue  # the order of operations is not always the same
                if "FAIL_SHORT" in mode:
                    fine = outcome[0] == 0 and (files[0] or outcome[1] == out)
                    wrong = [] if fine else [f"a short {what}: exit status {outcome[0]}: {outcome[2]}"]
                else:
                    wrong = judge(bench, words, files, work, before, good, outcome)
                tally["tried"] += 1
                tally["crashed"] += outcome[0] < 0
                tally["silent"] += outcome[0] == 0 and "FAIL_SHORT" not in mode
                if wrong:
                    bad += 1
                    print(f"{' '.join(words)}: {what} number {number} of {count} {mode}: {'; '.join(wrong)}")
    shutil.rmtree(bench.home)
    print(f"{tally['tried']} failures injected into {tally['operations']} operations: {tally['silent']} "
          f"silent, {tally['crashed']} crashed, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
