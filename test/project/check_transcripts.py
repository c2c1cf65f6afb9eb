#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_transcripts.py LIMBER PAGE... [--update] [--times]: commands print what the pages say they print.

Looked at are fenced `console` blocks: commands after `$ `, continued after `> `, each followed by its output. A line
`...` in an output stands for lines that are left out. Numbers agree to what they are worth, see `is_equal`; words and whole
numbers exactly.

On pages of docs/tutorials all blocks run in their order in one empty folder, `limber` is the command, and blocks of
code with a caption are files in that folder. On other pages the blocks that have build/limber are run, in the root of
the sources. --update writes what is printed into the pages; --times adds a table of words and seconds.

The table of tutorials, docs/tutorials/index.md, has the words and commands of each, and the minutes it takes: 100 words or
20 lines of files and output a minute, and a minute per command, rounded up to five.
"""
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "-- end of an output --"
# Commands that integrate a model, or read what was integrated. A step errs by the tolerance, as a part of the motion. Of
# that, accelerations of modes make more: they are deflections times the squares of frequencies. The stiffest model of the
# pages, camera_boom, has a mode at 314 Hz and moves at 1.5 Hz.
RUN = re.compile(r"\blimber (?:demo|loads|plot|results|run|serve|simulate|sweep)\b(?:.* --tolerance (\S+))?")
TOLERANCE, MAGNIFIED = 1e-8, (314 / 1.5) ** 2
# all other commands: libm may differ in the last digit
EVALUATED = 1e-12
FENCE = re.compile(r"^```(?:console|\{code-block\} *\w*)\n.*?^```$", re.M | re.S)


def split_block(text):
    """[[command, output]] of a console block."""
    parts = []
    for line in text.splitlines(keepends=True)[1:-1]:
        if line.startswith("$ "):
            parts.append([line, ""])
        elif line.startswith("> ") and parts and not parts[-1][1]:
            parts[-1][0] += line
        elif parts:
            parts[-1][1] += line
    return parts


def is_equal(one, other, worth):
    """Whether two words are the same, or numbers that differ by no more than `worth` of their size. The last of many digits
    may be rounded either way then, and be the one that a badly conditioned model does not determine."""
    if one == other:
        return True
    numbers = [re.fullmatch(r"[-+]?(\d+)(?:\.(\d+))?(?:e([-+]\d+))?", word) for word in (one, other)]
    if not all(numbers) or not any(number[2] or number[3] for number in numbers):
        return False
    digits = max(len((number[1] + (number[2] or "")).lstrip("0")) for number in numbers)
    unit = 10.0 ** min(int(number[3] or 0) - len(number[2] or "") for number in numbers)
    apart, size = abs(float(one) - float(other)), max(abs(float(one)), abs(float(other)))
    return apart <= worth * size + (1.01 * unit if digits >= (6 if worth == EVALUATED else 4) else 0.0)


def is_alike(expected, actual, worth):
    """Whether two texts have the same words, apart from the punctuation of JSON."""
    expected, actual = (re.split(r"[\s,\[\]{}:]+", text.strip(" \n,[]{}:")) for text in (expected, actual))
    return len(expected) == len(actual) and all(is_equal(*words, worth) for words in zip(expected, actual))


def compare(command, expected, actual):
    """Whether the output of a command is as expected, and what should be expected if not."""
    run = RUN.search(command)
    worth = float(run[1] or TOLERANCE) * MAGNIFIED if run else EVALUATED
    actual = re.sub(r" +$", "", actual, flags=re.M)
    head, gap, tail = expected.partition("...\n")
    if not gap:
        return is_alike(expected, actual, worth), actual
    lines = actual.splitlines(keepends=True)
    first, last = len(head.splitlines()), len(tail.splitlines())
    shown_head, shown_tail = "".join(lines[:first]), "".join(lines[len(lines) - last:])
    return is_alike(head, shown_head, worth) and is_alike(tail, shown_tail, worth), shown_head + gap + shown_tail


def count_words(text):
    return len(re.findall(r"\w+", FENCE.sub("", text)))


def fill_index(path):
    """The table of tutorials with the numbers that the pages have now."""
    def fill(row):
        text = (path.parent / row[2]).read_text()
        words, blocks = count_words(text), FENCE.findall(text)
        commands = sum(len(split_block(block)) for block in blocks if block.startswith("```console"))
        minutes = words / 100 + sum(block.count("\n") for block in blocks) / 20 + commands
        return f"{row[1]} | {words} | {commands} | {5 * math.ceil(minutes / 5)} |"
    return re.sub(r"^(\| \[[^]]*\]\((\S+\.md)\) \| [^|]*\S) *\|.*\|$", fill, path.read_text(), flags=re.M)


class Page:
    def __init__(self, path, limber):
        self.path, self.limber = path, limber
        self.is_tutorial = path.parent.name == "tutorials"
        self.count = self.failed = 0
        self.folder = ROOT

    def run(self, commands):
        """[(exit status, output)] of the commands of a block, which share a shell."""
        words = "".join(re.sub("^[$>] ", "", command, flags=re.M) + f"echo '{MARK}' $?\n" for command in commands)
        if not self.is_tutorial:
            words = words.replace("build/limber", shlex.quote(self.limber))
        paths = os.path.dirname(self.limber) + os.pathsep + os.environ["PATH"]
        environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=paths, SOURCES=str(ROOT), TMPDIR=self.scratch)
        done = subprocess.run(["sh", "-c", words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        parts = re.split(rf"{MARK} (\d+)\n", done.stdout)
        return list(zip(map(int, parts[1::2]), parts[0::2]))

    def take(self, match):
        """Runs a block; returns what it should say."""
        block = match.group(0)
        if not block.startswith("```console"):
            caption = re.search(r"^:caption: (\S+)$", block, re.M)
            if self.is_tutorial and caption:
                body = re.sub(r"^(:.*\n)+\n?", "", block.split("\n", 1)[1], flags=re.M)
                (self.folder / caption.group(1)).write_text(body[:-len("```")])
            return block
        if not self.is_tutorial and "build/limber" not in block:
            return block
        said, parts = "```console\n", split_block(block)
        for (command, expected), (status, actual) in zip(parts, self.run([command for command, _ in parts])):
            good, better = compare(command, expected, actual)
            if status != 0 or not good:
                line = self.text.count("\n", 0, match.start()) + 1
                print(f"{self.path.relative_to(ROOT)}:{line}: {command.strip()}: exit status {status}, printed:\n{actual}")
                self.failed += 1
            self.count += 1
            said += command + (expected if good else better)
        return said + "```"

    def check(self):
        self.text = self.path.read_text()
        with tempfile.TemporaryDirectory(prefix="limber-") as self.scratch:
            if self.is_tutorial:
                self.folder = pathlib.Path(self.scratch)
            return FENCE.sub(self.take, self.text)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    limber, *paths = (word for word in sys.argv[1:] if not word.startswith("--"))
    count = failed = 0
    for path in paths:
        page, start = Page(pathlib.Path(path).resolve(), os.path.abspath(limber)), time.monotonic()
        text = page.check()
        count, failed = count + page.count, failed + page.failed
        if "--update" in options and text != page.text:
            page.path.write_text(text)
        if "--times" in options:
            print(f"{page.path.relative_to(ROOT)}: {count_words(page.text)} words, {time.monotonic() - start:.1f} s")
        if page.path.name == "index.md" and page.is_tutorial and fill_index(page.path) != page.text:
            if "--update" in options:
                page.path.write_text(fill_index(page.path))
            else:
                print(f"{page.path.relative_to(ROOT)}: other words or commands than the pages have: --update writes them")
                failed += 1
    print(f"{count} transcripts")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
