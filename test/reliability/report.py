#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""report.py [PART ...] [--page] [--check]: runs the long reliability tests and updates the table of their results.

Each part runs its commands and stores their results in results.json, beside this file, with the date and the commit.
The table in docs/guide/reliability.md is made from that file. Without names all parts run, which takes hours.
fuzz:TARGET,TARGET runs these targets alone; their lines then have a date and a commit of their own. --page only
rebuilds the table; --check fails if the page does not match the results.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = pathlib.Path(__file__).with_name("results.json")
PAGE = ROOT / "docs" / "guide" / "reliability.md"
BEGIN, END = "<!-- table: made by make reliability -->\n", "<!-- end of the table -->\n"

PYTHON = sys.executable
JOBS = str(os.cpu_count() or 2)
TESTS = r"(\d+% tests passed, \d+ tests failed out of \d+)"

# name, what it tries, commands, and the pattern of the lines with their results
PARTS = [
    ("fuzz", "Fuzzing of every reader, with the address and undefined-behaviour sanitizers",
     [["cmake", "--preset", "fuzz"],
      ["cmake", "--build", "--preset", "fuzz", "--parallel", JOBS, "--target", "fuzz-targets"],
      [PYTHON, "test/fuzz/run_fuzz.py", "build-fuzz", "--out", "build-fuzz/fuzz.json"]],
     r"^(fuzz_\w+: .*)"),
    ("writes", "Every write, flush, rename and close of every command that writes fails in turn",
     [[PYTHON, "test/faults/check_writes.py", "build/limber", "build/test/faults/libfail-write.so", "--full"]],
     r"^(\d[\d,]* failures.*)"),
    ("allocations", "Allocations of every command fail: a hundred of each, chosen at random, alone and with all that follow",
     [[PYTHON, "test/faults/check_allocations.py", "build/limber", "build/test/faults/libfail-alloc.so", "--full",
       "--most=100"]],
     r"^(\d[\d,]* allocations failed.*|\d+ .* in .*: it .*)"),
    ("kills", "Runs and servers killed at random moments, runs resumed to their end",
     [[PYTHON, "test/faults/check_kills.py", "build/limber", "1000"]],
     r"^(?:seed \d+: )(.*)"),
    ("sweeps", "A sweep of a flexible arm killed at random moments and resumed, its table compared with that of one process",
     [[PYTHON, "test/faults/check_sweep_kills.py", "build/limber", "100000", "100"]],
     r"^(?:seed \d+: )(.*)"),
    ("calls", "Functions of the C API called in any order, and with numbers that are not finite",
     [["ctest", "--test-dir", "build", "--verbose", "-R", "test_call_order|test_bad_numbers"]],
     r"^\d+: (\d[\d,]* (?:sequences|entries).*)"),
    ("failure", "Wrong models, requests, results and packets, each with the message that it must give",
     [["ctest", "--test-dir", "build", "--parallel", JOBS, "-L", "failure"]], TESTS),
    ("long", "Tests that are shortened otherwise, at their whole length",
     [["cmake", "-E", "env", "LIMBER_LONG_TESTS=1", "ctest", "--test-dir", "build", "--parallel", JOBS, "-L", "long"]], TESTS),
    ("address", "All tests under the address and undefined-behaviour sanitizers", [["make", "asan"]], TESTS),
    ("threads", "Tests with threads under the thread sanitizer, OpenMP included", [["make", "tsan"]], TESTS),
    ("coverage", "Lines and branches that the tests run, without the files that need a graphics processor", [["make", "coverage"]], r"^((?:src|cli): .*)"),
]


def run_part(what, commands, pattern):
    found = []
    for words in commands:
        print("+", *words, flush=True)
        process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            sys.stdout.write(line)
            match = re.match(pattern, line)
            if match:
                found.append(match.group(1))
        if process.wait() != 0:
            sys.exit(f"report: {' '.join(words)} failed")
    if not found:
        sys.exit(f"report: {what}: the commands printed no result")
    return found


def merge_lines(old, new, when):
    """Lines of single targets, by name, among those of the others."""
    lines = {line.split(":")[0]: line for line in old}
    lines.update({line.split(":")[0]: f"{line} ({when})" for line in new})
    return [lines[name] for name in sorted(lines)]


def list_lines(name, part):
    """What the table says of a part; fuzz targets that have not been run are named."""
    targets = {path.stem for path in (ROOT / "test" / "fuzz").glob("fuzz_*.c")} if name == "fuzz" else set()
    missing = targets - {line.split(":")[0] for line in part["found"]}
    return part["found"] + [f"{target}: not run yet" for target in sorted(missing)]


def use_targets(commands, targets):
    """The commands of the part fuzz for some targets."""
    build = [[word for entry in words for word in (targets if entry == "fuzz-targets" else [entry])]
             for words in commands[:-1]]
    return build + [commands[-1] + targets]


def find_commit():
    answer = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, capture_output=True, text=True)
    return answer.stdout.strip() + (" with changes" if changed.stdout.strip() else "")


def make_table(results):
    rows = [BEGIN, "| Test | Result | Date | Commit |\n", "| --- | --- | --- | --- |\n"]
    for name, what, _, _ in PARTS:
        if name in results:
            part = results[name]
            rows.append(f"| {what} | {'<br>'.join(list_lines(name, part))} | {part['date']} | {part['commit']} |\n")
    return "".join(rows) + END


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(part[0] for part in PARTS))
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    known = [part[0] for part in PARTS]
    asked = {name.partition(":")[0]: [word for word in name.partition(":")[2].split(",") if word]
             for name in options.parts}
    for name, targets in asked.items():
        if name not in known or (targets and name != "fuzz"):
            parser.error(f"no part is called {name}, or it has no targets")
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not options.page and not options.check:
        for name, what, commands, pattern in PARTS:
            targets = asked.get(name, [])
            if not asked or name in asked:
                found = run_part(what, use_targets(commands, targets) if targets else commands, pattern)
                date, commit = datetime.date.today().isoformat(), find_commit()
                if targets:
                    results[name]["found"] = merge_lines(results[name]["found"], found, f"{date}, {commit}")
                else:
                    results[name] = {"date": date, "commit": commit, "found": found}
                RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    text = PAGE.read_text()
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    table = make_table(results)
    if options.check and text[begin:end] != table:
        sys.exit("report: the table of docs/guide/reliability.md is not the one of test/reliability/results.json; "
                 "run test/reliability/report.py --page")
    if not options.check:
        PAGE.write_text(text[:begin] + table + text[end:])


if __name__ == "__main__":
    main()
