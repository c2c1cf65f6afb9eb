#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Frozen models on a microcontroller: cortex_m7.py LIMBER FOLDER [--update]

Freezes two arms, in double and in single precision, compiles them for a Cortex-M7 and for this computer, and runs
both, the first in qemu. All results must have the same bits, the stack must stay below what the head of the file
says, and the table of docs/guide/freeze.md must be right; --update writes it. FOLDER is for the files.
"""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PARTS = HERE / "cortex-m7"
ROOT = HERE.parent.parent
GUIDE = ROOT / "docs" / "guide" / "freeze.md"
ARM = "arm-none-eabi-gcc"
TARGET = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard".split()
FLAGS = "-std=gnu99 -Wall -Wextra -Werror -ffp-contract=off".split()
QEMU = ("qemu-system-arm -M mps2-an500 -icount shift=8 -display none -monitor none -serial none "
        "-semihosting-config enable=on,target=native -kernel").split()
BEGIN, END = "<!-- cortex-m7: begin -->", "<!-- cortex-m7: end -->"
FUNCTIONS = ["forward", "inverse", "mass", "step"]
# file, what the table calls it, scale of its states: modal coordinates must be small
MODELS = [("arm", "six joints, rigid", "1"), ("two_link_arm", "two links, two modes each", "0.0078125")]
NUMBERS = ["double", "float"]


def run(command, folder):
    """The output of a command, which must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def split(text):
    """Results, and the rows of cost by function."""
    lines = text.splitlines()
    cost = {row[1]: (int(row[2]), int(row[3])) for row in map(str.split, lines) if row[0] == "#"}
    return [line for line in lines if line[0] != "#"], cost


def measure(limber, folder, model, number, scale):
    """Compares one frozen file with itself on this computer; its rows of the table."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    option = ["--float"] if number == "float" else []
    run([limber, "freeze", ROOT / "examples" / f"{model}.yaml", *option, "--functions", ",".join(FUNCTIONS), "-o",
         "model.c"], folder)
    flags = FLAGS + [f"-DMODEL_SCALE={scale}", "-I."] + (["-DMODEL_FLOAT"] if option else [])
    run(["cc", "-O1", *flags, PARTS / "program.c", PARTS / "host.c", "model.c", "-o", "host", "-lm"], folder)
    run([ARM, *TARGET, "-O2", *flags, "-c", "model.c"], folder)
    run([ARM, *TARGET, "-O2", *flags, "-nostartfiles", "-T", PARTS / "board.ld", PARTS / "program.c",
         PARTS / "board.c", "model.o", "-o", "board.elf", "-lm", "-lc", "-lgcc"], folder)
    host, _ = split(run(["./host"], folder))
    board, cost = split(run([*QEMU, "board.elf"], folder))
    if host != board or len(host) != 5 * len(FUNCTIONS):
        different = [f"host:  {a}\nboard: {b}" for a, b in zip(host, board) if a != b]
        sys.exit("\n".join([f"{model}, {number}: results differ", *different]))
    if not all(line.split()[1] == "0" for line in host):
        sys.exit(f"{model}, {number}: a function failed")

    # what its head says of the stack
    head = dict(re.findall(r"^//     model_(\w+): .*; (\d+) bytes$", (folder / "model.c").read_text(), re.M))
    for name in FUNCTIONS[:3]:
        bound = int(head[name]) * 5 // 4 + 500
        if not 0 < cost[name][1] <= bound:
            sys.exit(f"{model}, {number}: {name} took {cost[name][1]} bytes of stack, more than {bound}")
    text, data, bss = map(int, run(["arm-none-eabi-size", "model.o"], folder).splitlines()[1].split()[:3])
    if data + bss > 0:
        sys.exit(f"{model}, {number}: the file has variables of its own")
    sizes = {name: int(size, 16) for size, name in
             re.findall(r"^\w+ (\w+) T model_(\w+)$", run(["arm-none-eabi-nm", "-S", "model.o"], folder), re.M)}
    rows = [(name, cost[name][0], sizes[name], cost[name][1]) for name in FUNCTIONS]
    return rows + [("the whole file", 0, text, 0)]


def make_table(limber, folder, compiler):
    """The lines of the table."""
    lines = [f"Compiled by {ARM} {compiler} with `-O2 -ffp-contract=off`.", "",
             "| model | numbers | function | instructions | flash, bytes | stack, bytes |",
             "| --- | --- | --- | --- | --- | --- |"]
    for model, title, scale in MODELS:
        for number in NUMBERS:
            for name, count, flash, stack in measure(limber, folder / f"{model}_{number}", model, number, scale):
                cells = [title, number, f"`{name}`" if count else name, count or "", flash, stack or ""]
                lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return lines


def is_close(old, new):
    """Whether lines have the same words, and numbers within a tenth."""
    def take(line):
        cells = [cell.strip() for cell in line.split("|")]
        return [cell for cell in cells if not cell.isdigit()], [int(cell) for cell in cells if cell.isdigit()]
    words, numbers = zip(*map(take, old)), zip(*map(take, new))
    (old_words, old_numbers), (new_words, new_numbers) = words, numbers
    return old_words == new_words and all(
        abs(a - b) <= 0.1 * b for x, y in zip(old_numbers, new_numbers) for a, b in zip(x, y))


def main():
    limber, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for need in (ARM, QEMU[0], "cc"):
        if not shutil.which(need):
            print(f"no {need} here: skipped")
            sys.exit(77)
    compiler = run([ARM, "-dumpversion"], HERE).strip()
    lines = make_table(pathlib.Path(limber).resolve(), folder, compiler)
    page = GUIDE.read_text()
    before, rest = page.split(BEGIN)
    now, after = rest.split(END)
    old = now.strip().splitlines()
    if "--update" in sys.argv:
        GUIDE.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)
    elif old and compiler not in old[0]:
        print(f"the table is of another compiler than {compiler}: not compared")
    elif not is_close(old, lines):
        print("\n".join(lines))
        sys.exit("the table of docs/guide/freeze.md is out of date: cmake --build build --target cortex-m7-docs")


main()
