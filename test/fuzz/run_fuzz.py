#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets one after the other and prints a table of what they tried and found.

    cmake --preset fuzz && cmake --build --preset fuzz --target fuzz-targets
    test/fuzz/run_fuzz.py build-fuzz --runs 10000000 --out fuzz.json

--runs is the number of inputs for each cheap target; targets that are marked dear get a tenth. With --out,
the table is also a JSON file, written after each portion of inputs: an interrupted run goes on from there
with the same command, and what earlier runs of the same sources tried is added up. Findings are kept in
BUILD/test/fuzz/found/TARGET; replay one with BUILD/test/fuzz/replay_TARGET FILE.
Exit status 1 if anything was found.
"""
import argparse
import concurrent.futures
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTH = {"fuzz_results": 12288, "fuzz_flex": 16384, "fuzz_packet": 8300, "fuzz_operator": 512, "fuzz_linear": 512}
DEAR = {
    "fuzz_flex",
    "fuzz_forces",
    "fuzz_import_bulk",
    "fuzz_import_matrices",
    "fuzz_import_modal",
    "fuzz_import_op4",
    "fuzz_linear",
    "fuzz_model",
    "fuzz_plan",
    "fuzz_rows",
    "fuzz_simulation",
    "fuzz_urdf",
}
PORTION = 200000  # inputs between two looks at the table
FINDINGS_MAX = 20  # of one target, after which it is left alone


def list_found(folder):
    return sorted(
        os.path.basename(path)
        for kind in ("crash", "leak", "oom", "timeout")
        for path in glob.glob(os.path.join(folder, kind + "-*"))
    )


def run_portion(build, name, runs, seconds, jobs):
    """Tries inputs in several processes, which share what they find worth keeping; returns how many."""
    found = os.path.join(build, "test", "fuzz", "found", name)
    os.makedirs(os.path.join(found, "corpus"), exist_ok=True)
    command = [
        os.path.join(build, "test", "fuzz", name),
        f"-max_total_time={seconds}",
        f"-max_len={LENGTH.get(name, 8192)}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-close_fd_mask=3",
        "-print_final_stats=1",
        f"-dict={HERE}/limber.dict",
        f"-artifact_prefix={found}/",
        os.path.join(found, "corpus"),
        os.path.join(HERE, "corpus", name),
    ]
    environment = dict(os.environ, UBSAN_OPTIONS="print_stacktrace=1")
    shares = [runs // jobs + (job < runs % jobs) for job in range(jobs)]
    processes = [
        subprocess.Popen(
            [command[0], f"-runs={share}", "-reload=1", *command[1:]],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, errors="replace", env=environment,
        )
        for share in shares
        if share
    ]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        logs = list(pool.map(lambda process: process.communicate()[1], processes))
    counts = [re.search(r"stat::number_of_executed_units: (\d+)", log) for log in logs]
    for process, text, count in zip(processes, logs, counts):
        if not count:
            sys.exit(f"{name} said nothing of its inputs:\n{text[-2000:]}")
        if process.returncode != 0:
            with open(os.path.join(found, "log"), "a", encoding="utf-8") as log:
                log.write(text)
    return sum(int(count.group(1)) for count in counts)


def describe_sources():
    command = ["git", "-C", HERE, "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def print_table(table):
    for name, row in sorted(table.items()):
        findings = len(row["findings"]) or "no"
        print(f"{name}: {row['inputs']:,} inputs in {row['seconds']:.0f} s, {findings} findings")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", help="build folder of the preset fuzz")
    parser.add_argument("targets", nargs="*", help="all if none is named")
    parser.add_argument("--runs", type=int, default=10000000, help="inputs per cheap target")
    parser.add_argument("--seconds", type=float, default=0, help="time per target; 0: no limit")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the inputs of a target")
    parser.add_argument("--out", help="JSON file of the table")
    arguments = parser.parse_intermixed_args()
    known = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(HERE, "fuzz_*.c")))
    unknown = set(arguments.targets) - set(known)
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}; there are {', '.join(known)}")

    sources, table = describe_sources(), {}
    if arguments.out and os.path.exists(arguments.out):
        with open(arguments.out, encoding="utf-8") as file:
            table = json.load(file)["targets"]
    failed = False
    for name in arguments.targets or known:
        if not os.path.exists(os.path.join(arguments.build, "test", "fuzz", name)):
            print(f"{name} is not built: left out", file=sys.stderr)
            continue
        row = table.setdefault(name, {"inputs": 0, "seconds": 0.0, "findings": [], "sources": []})
        limit = arguments.runs // 10 if name in DEAR else arguments.runs
        end = time.monotonic() + arguments.seconds if arguments.seconds else None
        while row["inputs"] < limit and len(row["findings"]) < FINDINGS_MAX:
            start = time.monotonic()
            left = int(end - start) if end else 0
            if end and left < 1:
                break
            portion = min(PORTION, limit - row["inputs"])
            count = run_portion(arguments.build, name, portion, left, arguments.jobs)
            row["inputs"] += count
            row["seconds"] = round(row["seconds"] + time.monotonic() - start, 1)
            row["findings"] = list_found(os.path.join(arguments.build, "test", "fuzz", "found", name))
            row["date"] = datetime.date.today().isoformat()
            row["sources"] = sorted(set(row["sources"]) | {sources})
            if arguments.out:
                with open(arguments.out + ".new", "w", encoding="utf-8") as file:
                    json.dump({"targets": table}, file, indent=1)
                    file.write("\n")
                os.replace(arguments.out + ".new", arguments.out)
        failed = failed or bool(row["findings"])
    print_table(table)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
