#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/results from what bench_cuda printed: table.py batch.csv > batch.md."""

import csv
import sys


def main():
    with open(sys.argv[1], newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    of = {}
    for row in rows:
        of.setdefault(row[0], []).append(row[1:])
    ceilings = {name: float(median) for name, median, *_ in of.get("ceiling", [])}
    counts = {}
    for model, function, doubles, _ in of.get("count", []):  # functions in parts have a row for each
        key = model.removesuffix("-d"), function
        counts[key] = counts.get(key, 0) + int(doubles or 0)
    peak = ceilings.get("multiply-adds", 0)
    print(f"# Batches on {of['device'][0][0]}\n")
    print("Written by `bench/gpu/run_all.sh`. States per second with the data on the device: median, slowest and fastest of "
          "15 timings. `of bound` is the share of the time in which the units for doubles work: the instructions for doubles "
          f"of one state times states per second, over {peak:.3g} such instructions per second, measured in the same run. "
          f"A copy within the device moves {ceilings.get('bytes', 0):.3g} bytes per second. `gap` is the largest difference "
          "to the engine on the host in 64 states, relative to the largest entry of an answer.\n")
    print("| model | function | numbers | states | registers | local bytes | states/s | slowest | fastest | of bound | gap |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for model, function, number, states, _, _, registers, local, median, fastest, slowest, gap in of.get("speed", []):
        doubles = counts.get((model, function)) if number == "double" else None
        share = f"{doubles * float(median) / peak:.2f}" if doubles and peak else ""
        print(f"| {model} | {function} | {number} | {states} | {registers} | {local} | {float(median):.3g} | "
              f"{float(slowest):.3g} | {float(fastest):.3g} | {share} | {float(gap):.1e} |")
    if of.get("simulate"):
        print("\nSimulations by `rk4`; `gap` is the largest difference of a coordinate to the engine after the run, in four "
              "of them, `last digit` what one unit in the last place of the initial coordinates becomes on the host, `worst` the "
              "worst that happened to any of them.\n")
        print("| model | simulations | steps | step, s | seconds | evaluations/s | gap | last digit | largest | worst |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
        for model, states, steps, h, _, _, seconds, rate, gap, growth, largest, worst in of["simulate"]:
            print(f"| {model} | {states} | {steps} | {float(h):g} | {float(seconds):.3f} | {float(rate):.3g} | "
                  f"{float(gap):.1e} | {float(growth):.1e} | {float(largest):.2g} | {worst} |")
    for model, states, failed, first, *ways in of.get("failed", []):
        print(f"\n{failed} of the {states} simulations of {model} failed. The first, number {first}, by the engine on the "
              "host: " + "; ".join(
                  f"with steps of {float(step):g} s a mode is beyond 0.3 m at {float(left):.3f} s, and at {float(end):.3f} s: "
                  f"{words}" for step, left, end, words in zip(*[iter(ways)] * 4)) + ".")
    if of.get("forces"):
        print("\nSimulations with force elements; `steps/s` are those of all simulations together, the other columns as above, "
              "`failed` how many did.\n")
        print("| model | method | simulations | steps | step, s | registers | local bytes | seconds | steps/s | gap | "
              "last digit | largest | failed | worst |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
        for (model, method, states, steps, h, registers, local, seconds, rate, gap, growth, largest, failed,
             worst) in of["forces"]:
            print(f"| {model} | {method} | {states} | {steps} | {float(h):g} | {registers} | {local} | {float(seconds):.3f} | "
                  f"{float(rate):.3g} | {float(gap):.1e} | {float(growth):.1e} | {float(largest):.2g} | {failed} | {worst} |")
    if of.get("sweep"):
        print("\n`limber sweep`: seconds of the whole command, model and rows included; `gap` is the largest difference of an "
              "output, relative to the largest value of that output.\n")
        print("| plan | samples | --gpu | without, all cores | gap |\n| --- | ---: | ---: | ---: | ---: |")
        for plan, samples, gpu, cores, gap in of["sweep"]:
            print(f"| {plan} | {samples} | {float(gpu):.1f} | {float(cores):.1f} | {float(gap):.1e} |")
    if of.get("sizes"):
        cores = of["sizes"][0][-1]
        print("\nForward dynamics against the number of states, in seconds per batch: on the device, with copies there and "
              "back, on one core of the host, on all of them.\n")
        print(f"| model | states | device | with copies | one core | {cores} cores |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for model, states, *times, _ in of["sizes"]:
            print(f"| {model} | {states} | " + " | ".join(f"{float(time):.2e}" for time in times) + " |")
    if of.get("compile"):
        print("\nSeconds to write and compile the kernels; files that the compiler has seen before come from its cache.\n")
        print("| model | functions | seconds |\n| --- | --- | ---: |")
        for model, *functions, seconds in of["compile"]:
            print(f"| {model} | {', '.join(functions)} | {seconds} |")


main()
