#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_allocations.py LIMBER SHIM [--full] [--most=N] [--verbose] [COMMAND...]: every allocation of every command is
made to fail in turn.

SHIM is the library made of fail_alloc.c. Each allocation fails alone, and then with all that follow it.
The outcome must be right (exit status, output, messages and files are those of an undisturbed run) or clear
(exit status 1, a message that speaks of memory and none that was not there before, nothing left behind).
With --full all of them fail, or N of each command, also those inside of libraries that are known to
crash, hang or exit, which are listed. Without it, a few places of each command fail that no command before had;
a place is a call stack of six functions. The table counts the outcomes. COMMAND limits it to some commands.
"""
import array
import collections
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from outcomes import get_commands, get_rows, preload, read_all, strip_date

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")

# files of others: two bricks of CalculiX, a bar of modes
STRUCTURES = [os.path.join(os.path.dirname(MODELS), "..", "data", "fe", name)
              for name in ("calculix/block.dof", "calculix/block.inp", "calculix/block.mas", "calculix/block.sti",
                           "modes/bar.sid", "modes/bar.fem")]
BLOCK = ["block.dof", "block.inp", "block.mas", "block.sti"]

# words of a command; the files that it needs
CASES = [
    (["check", "arm.yaml", "beam.yaml", "loop.yaml", "control.yaml"], []),
    (["check", "wrong.yaml"], []),
    (["check", "--json", "wrong.yaml", "arm.yaml"], []),
    (["check", "robot.urdf"], ["part.stl"]),
    (["check", "loop.json"], []),
    (["info", "arm.yaml"], []),
    (["info", "--json", "loop.yaml"], []),
    (["info", "--body", "boom", "beam.yaml"], []),
    (["info", "--set", "n=1", "many.yaml"], ["more.yaml", "tubes.yaml"]),
    (["info", "--state", "state.json", "arm.yaml"], []),
    (["eval", "arm.yaml", "request.json"], []),
    (["eval", "loop.yaml", "loops.json"], []),
    (["eval", "beam.yaml", "unsplit.json"], []),
    (["eval", "many.yaml", "values.json"], ["more.yaml", "tubes.yaml"]),
    (["operator", "arm.yaml", "H Phi M Phi* H*", "--state", "state.json"], []),
    (["operator", "beam.yaml", "(I - H Psi K)* D^-1 (I - H Psi K)", "--json"], []),
    (["bench", "arm.yaml", "--rounds", "1", "--seconds", "0.00001", "--batch", "4"], []),
    (["convert", "robot.urdf", "out.yaml"], []),
    (["freeze", "arm.yaml", "-o", "out.c"], []),
    (["freeze", "loop.yaml", "-o", "out.c", "--functions", "forward,close,jacobian:A.tip"], []),
    (["freeze", "plain.yaml", "-o", "out.c", "--parameters", "m,l", "--functions", "forward"], []),
    (["freeze", "plain.yaml", "-o", "out.c", "--simulation", "--inputs", "motor", "--functions",
      "rates,step,outputs,indicators,control", "--json"], []),
    (["freeze", "plain.yaml", "-o", "out.c", "--parameters", "m", "--simulation"], []),
    (["freeze", "plain.yaml", "-o", "out.c", "--parameters", "m,nothing"], []),
    (["convert", "arm.yaml", "out.json"], []),
    (["new", "fresh"], []),
    (["convert", "many.yaml", "out.yaml"], ["more.yaml", "tubes.yaml"]),
    (["run", "arm.yaml", "-o", "out.h5", "--quiet"], []),
    (["run", "arm.yaml", "-o", "out.h5", "--csv"], []),
    (["run", "beam.yaml", "-o", "out.h5", "--quiet"], []),
    (["run", "loop.yaml", "-o", "out.h5", "--quiet"], []),
    (["run", "loop.yaml", "-o", "out.h5", "--quiet", "--trim", "--algorithm", "divide-and-conquer",
      "--integrator", "adams"], []),
    (["run", "control.yaml", "-o", "out.h5", "--quiet"], []),
    (["run", "arm.yaml", "-o", "arm.h5", "--resume", "--quiet", "--duration", "0.3"], ["arm.h5"]),
    (["run", "control.yaml", "-o", "control.h5", "--resume", "--quiet", "--duration", "0.1"], ["control.h5"]),
    (["serve", "served.yaml", "--port", "0", "--duration", "0.02", "-o", "out.h5"], []),
    (["assemble", "loop.yaml"], []),
    (["assemble", "loop.yaml", "--hold", "A.angle", "--json"], []),
    (["trim", "loop.yaml"], []),
    (["trim", "beam.yaml", "--json"], []),
    (["modes", "loop.yaml", "--effective"], []),
    (["modes", "control.yaml", "--json", "-o", "out.json"], []),
    (["modes", "arm.yaml", "--at", "arm.h5@0.1", "--csv"], ["arm.h5"]),
    (["modes", "control.yaml", "--open", "all", "--spin", "arm", "--campbell", "0:10:3"], []),
    (["linearize", "control.yaml", "--margins"], []),
    (["linearize", "turn.yaml", "--period", "auto", "--input", "tilt.motor.0", "--signal", "tilt.q.0"], []),
    (["modes", "turn.yaml", "--period", "auto", "--json", "-o", "out.json"], []),
    (["modes", "loop.yaml", "--period", "1", "--lock", "A"], []),
    (["linearize", "control.yaml", "--discrete", "-o", "out.h5"], []),
    (["linearize", "arm.yaml", "--input", "b.motor.1", "--signal", "far", "-o", "out.mat"], []),
    (["linearize", "loop.yaml", "--input", "A.motor", "--signal", "C.angle", "--bode", "0.1:10:3", "--csv"], []),
    (["linearize", "beam.yaml", "--trim", "-o", "out.json"], []),
    (["linearize", "many.yaml", "--input", "link0.motor", "-o", "out.mat"], ["more.yaml", "tubes.yaml"]),
    (["response", "control.yaml", "--loop", "slew.motor", "--range", "0.1:10:5", "-o", "out.svg"], []),
    (["response", "arm.yaml", "--psd", "b.motor.1=1:2,3:4", "--signal", "far", "--json"], []),
    (["response", "arm.yaml", "--input", "b.motor.1", "--signal", "far", "--range", "1:9:3", "--singular"], []),
    (["results", "arm.h5"], ["arm.h5"]),
    (["results", "arm.h5", "--csv"], ["arm.h5"]),
    (["results", "arm.h5", "--print", "a.angle", "far"], ["arm.h5"]),
    (["results", "arm.h5", "--compare", "other.h5"], ["arm.h5", "other.h5"]),
    (["loads", "arm.h5", "other.h5", "--signal", "a.angle", "--with", "far", "--json"], ["arm.h5", "other.h5"]),
    (["loads", "arm.h5", "--signal", "far", "--psd", "-o", "out.svg"], ["arm.h5"]),
    (["loads", "arm.h5", "--signal", "far", "--srs", "1:10:3"], ["arm.h5"]),
    (["loads", "arm.h5", "--budget", "a", "--csv"], ["arm.h5"]),
    (["loads", "arm.h5", "--signal", "2*far + reaction(a).force.x"], ["arm.h5"]),
    (["plot", "arm.h5", "a.angle", "far"], ["arm.h5"]),
    (["plot", "arm.h5", "a.angle", "ball.velocity.x", "-o", "out.pdf"], ["arm.h5"]),
    (["plot", "arm.h5", "a.angle", "--x", "far", "-o", "out.svg"], ["arm.h5"]),
    (["plot", "arm.h5", "a.angle", "-o", "out.png", "--dpi", "40"], ["arm.h5"]),
    (["view", "arm.h5", "ball.velocity.x", "--no-open", "-o", "out.html"], ["arm.h5"]),
    (["view", "beam.h5", "arm.h5", "--no-open", "-o", "out.html"], ["beam.h5", "arm.h5"]),
    (["view", "beam.h5", "--no-open", "--modes", "modes.json", "-o", "out.html"], ["beam.h5", "modes.json"]),
    (["view", "robot.h5", "--no-open", "--model", "robot.urdf", "-o", "out.html"],
     ["robot.h5", "robot.urdf", "part.stl"]),
    (["render", "arm.h5", "-o", "out.gif", "--size", "64x40", "--fps", "4"], ["arm.h5"]),
    (["render", "robot.h5", "-o", "out.png", "--size", "64x40"], ["robot.h5", "part.stl"]),
    (["render", "drawn.yaml", "-o", "out.png", "--size", "64x40"], ["part.dae"]),
    (["render", "beam.h5", "-o", "frames", "--size", "64x40", "--fps", "1"], ["beam.h5"]),
    (["import", *BLOCK, "--nodes", "root=1,tip=9", "--clamp", "1,2,3,4", "--units", "mm,t,s", "-o", "out.flex"], BLOCK),
    (["import", *BLOCK, "--nodes", "1", "--modes", "3", "--json"], BLOCK),
    (["import", *BLOCK, "--nodes", "a=rigid:1+4+5+8,b=average:9..12,c=average:ALL", "--interface", "a,b", "--residual", "c", "--modes", "2", "-o", "out.flex"], BLOCK),
    (["import", *BLOCK, "--nodes", "99"], BLOCK),
    (["import", "bar.sid", "-o", "out.flex"], ["bar.sid"]),
    (["import", "bar.fem", "-o", "out.flex", "--page", "out.html"], ["bar.fem"]),
    (["import", "bar.fem", "--compare", "bar.flex", "--page", "out.html"], ["bar.fem", "bar.flex"]),
    (["import", "bar.flex", "--compare", "bar.flex", "--json"], ["bar.flex"]),
    (["import", *BLOCK, "--nodes", "1", "--geometric", "fx@1=block.sti,wzz=block.sti"], BLOCK),
    (["export", "--as", "fmi2", "plain.yaml", "--sources-only", "-o", "out.fmu"], []),
    (["export", "--as", "fmi3", "plain.yaml", "--sources-only", "--inputs", "motor", "-o", "out.fmu"], []),
    (["export", "--as", "fmi3", "arm.yaml", "--sources-only", "-o", "out.fmu"], []),
    (["run", "plain.yaml", "-o", "out.h5", "--quiet", "--frozen", "kept.so", "--allow-plugins"], ["kept.so"]),
    (["run", "plain.yaml", "-o", "out.h5", "--quiet", "--frozen", "new.so", "--allow-plugins"], ["kept.so"]),
    (["export", "--as", "matrices", "beam.yaml", "--body", "boom", "-o", "out"], []),
    (["check", "body.yaml"], ["body.flex"]),
    (["modes", "body.yaml"], ["body.flex"]),
    (["run", "body.yaml", "-o", "out.h5", "--quiet"], ["body.flex"]),
    (["plot", "body.h5", "b.angle", "--json"], ["body.h5"]),
    (["convert", "arm.yaml", "out.json", "--json"], []),
    (["sweep", "plan.yaml", "--workers", "1"], ["arm.yaml"]),
    (["sweep", "plan.yaml", "--workers", "2"], ["arm.yaml", "plan.sweep"]),
    (["sweep", "merge", "plan.yaml", "-o", "out.csv"], ["arm.yaml", "plan.sweep"]),
    (["sweep", "merge", "plan.yaml", "-o", "out.h5"], ["arm.yaml", "plan.sweep"]),
    (["sweep", "statistics", "plan.yaml", "--json"], ["arm.yaml", "plan.sweep"]),
    (["sweep", "figure", "plan.yaml", "-o", "out.svg"], ["arm.yaml", "plan.sweep"]),
    (["sweep", "status", "plan.yaml"], ["arm.yaml"]),
    (["sweep", "show", "plan.yaml", "--index", "1"], ["arm.yaml"]),
    (["sweep", "script", "plan.yaml"], ["arm.yaml"]),
    (["examples", "chain", "--json"], []),
    (["help", "run", "--man"], []),
    (["help", "--json"], []),
    (["completion", "bash"], []),
    (["help"], []),
    (["help", "run"], []),
    (["version"], []),
    (["chekc", "arm.yaml"], []),
    (["run", "arm.yaml", "--duratoin", "1"], []),
]
# takes seconds: only some allocations fail
LONG = (["demo", "out"], [])

# What libraries print themselves; our own message comes beside it.
NOISE = re.compile(r"^\s*\[(ARKODE|CVODE).*ERROR\]|^  (Allocation of|Unable to|A memory request|arkode_mem)|"
                   r"^libgomp: Out of memory|^$")
# What our own message may be followed by.
AFTER = re.compile(r" rows before it are in |samples are done; limber sweep resume")
# What libraries do if an allocation of their own fails, and we cannot prevent. Before they are called, the
# command sees that there is memory for what they need, so that this takes a lack that comes in between.
FOREIGN = {
    "libsuperlu": ("ends the program with a message of its own", {"misleading", "another answer"}),
    "libsundials": ("crashes where a vector cannot be copied", {"crashed", "misleading"}),
    "libfontconfig": ("crashes, hangs, or finds another font",
                      {"crashed", "hangs", "misleading", "another answer"}),
    "libexpat": ("likewise, under fontconfig", {"crashed", "hangs", "misleading", "another answer"}),
    "libcairo": ("crashes, or leaves out a stroke", {"crashed", "another answer"}),
    "libpixman": ("likewise, under cairo", {"crashed", "another answer"}),
    "libfreetype": ("likewise, under cairo", {"crashed", "another answer"}),
    "libz": ("leaves out a part of a PDF, under cairo", {"another answer"}),
    "libopenblas": ("crashes in a product of small matrices, with AVX-512", {"crashed"}),
    "libgomp": ("ends the program with a message of its own", {"misleading", "silent"}),
    # of the C library, called by main, which allocates nothing else
    "setlocale": ("says that there is no such locale, and characters are plain", {"another answer"}),
}

OUTCOMES = ["right", "clear", "another answer", "silent", "misleading", "left behind", "crashed", "hangs"]
LIBC = ("libc.so", "ld-linux", "libfail", "fail-alloc", "?")


class Bench:
    def __init__(self, limber, shim):
        self.limber, self.shim = limber, shim
        home = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="limber-memory-", dir=home))
        self.work = os.path.join(self.home, "work")
        self.store = os.path.join(self.home, "store")
        shutil.copytree(MODELS, self.store)
        for path in STRUCTURES:
            shutil.copy(path, self.store)
        with open(os.path.join(self.home, "in"), "wb"):
            pass
        available = get_commands(limber)
        self.has = lambda words: words[0] in available or words[0] == "chekc"
        for words in [["import", *BLOCK, "--nodes", "root=1,tip=9", "--units", "mm,t,s", "-o", "body.flex"], ["import", "bar.fem", "-o", "bar.flex"],
                      ["run", "arm.yaml"], ["run", "control.yaml"], ["run", "beam.yaml"], ["run", "body.yaml"], ["run", "robot.urdf", "--duration", "0.1"],
                      ["run", "arm.yaml", "-o", "other.h5"], ["run", "plain.yaml", "--frozen", "kept.so", "--allow-plugins"],
                      ["sweep", "plan.yaml", "--workers", "1"], ["convert", "loop.yaml", "loop.json"], ["modes", "beam.yaml", "--trim", "--json", "-o", "modes.json"]]:
            if self.has(words):
                quiet = ["--quiet"] if words[0] == "run" else []
                subprocess.run([limber] + words + quiet, cwd=self.store, check=True, capture_output=True)

        # compiling takes long: the compiler of the tests has its answer at hand
        os.mkdir(os.path.join(self.home, "bin"))
        with open(os.path.join(self.home, "bin", "cc"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nexec cp {shlex.quote(self.store)}/kept.so "$2"\n')
        os.chmod(file.name, 0o755)

    def start(self, words):
        path = os.path.join(self.home, "bin") + os.pathsep + os.environ["PATH"]
        variables = dict(os.environ, **preload(self.shim), PATH=path, TMPDIR=self.work, FAIL_ALLOC="1", FAIL_NOT=" ".join(FOREIGN), OPENBLAS_NUM_THREADS="1",
                         OMP_NUM_THREADS="1", TERM="dumb", LC_ALL="C.UTF-8", LIMBER_CLOCK="0.001")
        return subprocess.Popen([self.limber] + words, env=variables, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, cwd=self.home, text=True)

    def prepare(self, words, needed):
        """The folder in which a command runs; {name: bytes} of it."""
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        for name in set(needed) | {word for word in words if word.endswith((".yaml", ".json", ".urdf"))}:
            path = os.path.join(self.store, name)
            if os.path.isdir(path):
                shutil.copytree(path, os.path.join(self.work, name))
            elif os.path.exists(path):
                shutil.copy(path, self.work)
        return read_all(self.work)

    def restore(self, before, after):
        """Undoes what a command has done to its folder."""
        for name in after.keys() | before.keys():
            path = os.path.join(self.work, name)
            if name not in before:
                os.remove(path)
            elif after.get(name) != before[name]:
                with open(path, "wb") as file:
                    file.write(before[name])
        for name in os.listdir(self.work):
            was_there = any(known.startswith(name + os.sep) for known in before)
            if os.path.isdir(os.path.join(self.work, name)) and not was_there:
                shutil.rmtree(os.path.join(self.work, name))

    def call(self, server, at, mode, seconds=0):
        """Exit status, below zero for signals; output; messages; files; number of allocations; call stack."""
        server.stdin.write(f"{at} {mode} {seconds} {self.home}\n")
        server.stdin.flush()
        answer = server.stdout.readline().split()
        status = os.waitstatus_to_exitcode(int(answer[0]))
        with open(os.path.join(self.home, "out"), "rb") as file:
            out = file.read()
        with open(os.path.join(self.home, "err"), "rb") as file:
            said = file.read().decode(errors="replace")
        return {"status": status, "out": out, "said": said.splitlines(), "files": read_all(self.work),
                "count": int(answer[1]), "stack": answer[2:]}


def clean(words, out):
    """What is printed without the times of `serve`, which are never the same."""
    return re.sub(rb"(?m)[ 0-9].*", b"", out) if words[0] == "serve" else out


def is_same(words, files, good):
    """Whether files are those of an undisturbed run."""
    if files.keys() != good["files"].keys():
        return False
    return all(words[0] == "serve" and not name.endswith(".yaml") or
               strip_date(name, content) == strip_date(name, good["files"][name])
               for name, content in files.items())


def judge(words, before, good, outcome):
    """The outcome in a word of OUTCOMES."""
    status, said = outcome["status"], outcome["said"]
    if status < 0:
        return "hangs" if status == -14 else "crashed"
    # a sweep outlives its workers
    if any(b"the process crashed with signal" in content for content in outcome["files"].values()):
        return "crashed"
    same = (status == good["status"] and clean(words, outcome["out"]) == clean(words, good["out"])
            and said == good["said"])
    if same and is_same(words, outcome["files"], good):
        return "right"
    if words[0] == "check" and "--json" in words and not said:
        said = [line for line in outcome["out"].decode().splitlines() if '"message"' in line and "memory" in line]
    if status == good["status"] and not any("memory" in line for line in said):
        return "another answer"
    if not said:
        return "silent"
    said = [line for line in said if not NOISE.match(line)]
    known = good["said"]
    if status not in (1, 2) or not any("memory" in line for line in said) or any(
            "memory" not in line and not AFTER.search(line) and line not in known for line in said):
        return "misleading"
    for name, content in outcome["files"].items():
        # rows that were done stay, and a sweep goes on from there
        is_part = (words[0] in ("run", "serve") and name.endswith(".part")) or (
            words[0] == "sweep" and (name.endswith(".rows") or name.endswith("started")))
        if content != before.get(name) and not is_part and not (
                name in good["files"] and is_same(words, {name: content}, {"files": {name: good["files"][name]}})):
            return "left behind"
    if any(name not in outcome["files"] for name in before):
        return "left behind"
    return "clear"


def find_owner(stack):
    """The library that asked for the memory, and the innermost function of ours."""
    frames = [frame for frame in stack if not frame.startswith(LIBC)]
    owner = frames[0].split("+")[0] if frames else "libc"
    ours = next((frame for frame in frames if frame.startswith(("limber+", "liblimber"))), "")
    return owner, ours


def name_functions(limber, places):
    """{place: function and line} of places such as limber+0x1234."""
    offsets = [place.split("+")[1] for place in places]
    if not offsets:
        return {}
    done = subprocess.run(["addr2line", "-f", "-s", "-e", limber] + [hex(int(x, 16) - 1) for x in offsets],
                          capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return {place: f"{lines[2 * i]} {lines[2 * i + 1]}" for i, place in enumerate(places)
            if len(lines) > 2 * i + 1}


def choose(sites, seen, full, limit):
    """Numbers of the allocations that fail."""
    chance = random.Random(1)
    numbers = list(range(1, len(sites) + 1))
    if not full:
        places = collections.defaultdict(list)
        for number, site in zip(numbers, sites):
            if site and site not in seen:
                places[site].append(number)
        chosen = chance.sample(sorted(places), min(limit, len(places)))
        seen.update(chosen)
        numbers = sorted(chance.choice(places[site]) for site in chosen)
    if len(numbers) > limit:
        numbers = sorted(chance.sample(numbers, limit))
    return numbers


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    limber, shim = os.path.abspath(arguments[0]), os.path.abspath(arguments[1])
    full, verbose = "--full" in sys.argv, "--verbose" in sys.argv
    bench = Bench(limber, shim)
    seen, tables, findings = set(), collections.defaultdict(collections.Counter), collections.Counter()
    examples, broken = {}, 0
    most = next((int(word[7:]) for word in sys.argv if word.startswith("--most=")), 10**9 if full else 12)
    cases = [(words, needed, most) for words, needed in CASES]
    if full:
        cases.append((*LONG, min(most, 40)))
    for words, needed, limit in cases:
        if not bench.has(words) or (arguments[2:] and words[0] not in arguments[2:]):
            continue
        before = bench.prepare(words, needed)
        server = bench.start(words)
        start = time.monotonic()
        good = bench.call(server, 0, 0)
        # what takes so long hangs, on any machine
        seconds = 10 + int(100 * (time.monotonic() - start))
        sites = array.array("Q")
        with open(os.path.join(bench.home, "sites"), "rb") as file:
            sites.frombytes(file.read())
        bench.restore(before, good["files"])
        again = bench.call(server, 10**9, 0, seconds)
        bench.restore(before, again["files"])
        if judge(words, before, good, again) != "right":
            server.stdin.close()
            server.wait()
            print(f"{' '.join(words)}: two undisturbed runs differ: {good['said']} {again['said']}")
            broken += 1
            continue
        table = tables[words[0]]
        table["allocations"] += len(sites)
        for mode in (0, 1):
            for number in choose(sites, set() if mode else seen, full, limit if mode == 0 or full else 3):
                outcome = bench.call(server, number, mode, seconds)
                word = judge(words, before, good, outcome)
                bench.restore(before, outcome["files"])
                table["failed"] += 1
                table[word] += 1
                if word not in ("right", "clear"):
                    owner, ours = find_owner(outcome["stack"])
                    key = (word, owner, ours)
                    findings[key] += 1
                    if key not in examples or verbose:
                        examples[key] = (words, number, mode, outcome)
        server.stdin.close()
        server.wait()
    names = name_functions(limber, sorted({key[2] for key in findings if key[2]}))
    foreign = collections.Counter()
    for key, count in sorted(findings.items()):
        name = next((name for name in FOREIGN if key[1].startswith(name)), None)
        name = "setlocale" if names.get(key[2], "").startswith("main ") else name
        if name and key[0] in FOREIGN[name][1]:
            foreign[name, key[0]] += count
            if not verbose:
                continue
        else:
            broken += count
        words, number, mode, outcome = examples[key]
        print(f"{key[0]}, {count} times: asked by {key[1]}, {names.get(key[2], key[2])}: {' '.join(words)}: "
              f"allocation {number}{' and all that follow' if mode else ''}: exit status "
              f"{outcome['status']}: {outcome['said'][:3]}")
        if verbose:
            print("   ", " ".join(outcome["stack"][:12]))
    columns = ["allocations", "failed"] + OUTCOMES
    print(f"{'command':12}" + "".join(f"{name:>16}" for name in columns))
    total = collections.Counter()
    for command, table in tables.items():
        total.update(table)
        print(f"{command:12}" + "".join(f"{table[name]:>16}" for name in columns))
    print(f"{'all':12}" + "".join(f"{total[name]:>16}" for name in columns))
    for (name, word), count in sorted(foreign.items()):
        print(f"{count} {word} in {name}: it {FOREIGN[name][0]}")
    print(f"{total['failed']} allocations failed, {sum(foreign.values())} of them not contained in libraries of "
          f"others, {broken} wrong")
    shutil.rmtree(bench.home)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
