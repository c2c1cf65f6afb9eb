#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# coverage.py BUILD [--out FILE] [--missed FILE]: what share of the lines and branches of src and cli the tests of
# a build with --coverage have run. A line or a branch that is compiled several times counts as run if one of its
# copies was; the preset coverage makes plain functions of those that are always inlined elsewhere. Of C++, branches to
# the handling of exceptions do not count: no line of a source asks for them. An object file that no test has run counts
# with all its lines. Files of DEVICE are left out. --out writes the shares as JSON; --missed lists lines that no test
# reaches.
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("src", "cli", "view")

# Files that need a graphics processor of NVIDIA, with what they are for. Without one, nothing of them runs but the
# refusal that there is none. The other files of src/export/cuda count: tests on hosts find and call the compiler, prepare the
# data of kernels, and run the kernels of large systems (src/export/cuda/large/*.h) as plain code.
DEVICE = {
    "src/export/cuda/cuda_batch.c": "batches of states on the device",
    "src/export/cuda/device.c": "memory, kernels and clocks of the device",
    "src/export/cuda/large/chain_device.c": "one long chain on the device",
    "src/export/cuda/large/cuda_division.c": "one large system on the device",
    "src/export/cuda/large/tree_device.c": "one large tree on the device",
    "cli/bench_gpu.c": "times of the device",
    "cli/sweep_gpu.c": "samples of a sweep on the device",
}


def read(counts):
    """What gcov says of one object file."""
    answer = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", counts.name],
                            cwd=counts.parent, capture_output=True)
    if answer.returncode != 0:
        sys.exit(f"coverage: {counts.with_suffix('.gcda')} is not of the program that was compiled last: remove it, and "
                 "run the tests again")
    return [json.loads(text) for text in answer.stdout.splitlines()]


def gather(build):
    """Of every source: runs of lines, and by line the runs of its branches."""
    lines, branches = {}, {}
    notes = [path for path in build.rglob("*.gcno") if "counted.dir" not in path.parts]
    if not any(path.with_suffix(".gcda").exists() for path in notes):
        return lines, branches
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for units in pool.map(read, notes):
            for unit in units:
                for source in unit["files"]:
                    path = os.path.relpath(os.path.join(unit["current_working_directory"], source["file"]), ROOT)
                    if path.split(os.sep)[0] not in ROOMS or path in DEVICE:
                        continue
                    runs, forks = lines.setdefault(path, {}), branches.setdefault(path, {})
                    for line in source["lines"]:
                        number = line["line_number"]
                        runs[number] = runs.get(number, 0) + line["count"]
                        taken = [branch["count"] for branch in line["branches"] if not branch["throw"]]
                        # copies for other instruction sets may have another number of branches: the best copy counts
                        known = forks.get(number, [])
                        if len(taken) == len(known):
                            forks[number] = [a + b for a, b in zip(taken, known)]
                        elif not known or sum(map(bool, taken)) * len(known) > sum(map(bool, known)) * len(taken):
                            forks[number] = taken
    return lines, branches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--missed", type=pathlib.Path)
    options = parser.parse_args()
    lines, branches = gather(options.build.resolve())
    if not lines:
        sys.exit("coverage: no counts found; configure with --preset coverage and run the tests first")
    result, missed = {}, []
    for room in ROOMS:
        paths = [path for path in sorted(lines) if path.split(os.sep)[0] == room]
        runs = [count for path in paths for count in lines[path].values()]
        forks = [count for path in paths for taken in branches[path].values() for count in taken]
        result[room] = {"lines": len(runs), "lines_run": sum(map(bool, runs)),
                        "branches": len(forks), "branches_taken": sum(map(bool, forks))}
        print(f"{room}: {100 * sum(map(bool, runs)) / len(runs):.1f} % of {len(runs)} lines, "
              f"{100 * sum(map(bool, forks)) / len(forks):.1f} % of {len(forks)} branches")
        for path in paths:
            idle = [number for number, count in sorted(lines[path].items()) if not count]
            untaken = sum(not count for taken in branches[path].values() for count in taken)
            missed.append((len(idle), untaken, path, idle))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n")
    if options.missed:
        rows = [f"{path}: {idle} lines, {untaken} branches: {' '.join(map(str, numbers))}\n"
                for idle, untaken, path, numbers in sorted(missed, reverse=True) if idle + untaken]
        options.missed.write_text("".join(rows))


if __name__ == "__main__":
    main()
