#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_duplicates.py SOURCE: nothing in SOURCE/src is written twice.

Reads every .c and .h file. Blank lines, comments, #include lines and lines of punctuation alone are
passed over, white space is folded. Exit status 1 if six or more lines that are left stand in a row
in two places; both are said.
"""
import collections
import pathlib
import re
import sys

RUN = 6

# comments and, so that "//" inside them is none, strings and characters
TOKENS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def blank_comment(match):
    text = match.group()
    return text if text[0] in "\"'" else "\n" * text.count("\n")


def read_lines(path):
    """[(number, text)] of the lines that count."""
    text = TOKENS.sub(blank_comment, path.read_text(encoding="utf-8"))
    folded = ((number, " ".join(line.split())) for number, line in enumerate(text.split("\n"), 1))
    return [
        (number, line)
        for number, line in folded
        if re.search(r"\w", line) and not re.match(r"# ?include\b", line)
    ]


def find_pairs(files):
    """Yields (name, first, last, name, first, last) of the longest runs that stand twice."""
    places = collections.defaultdict(list)
    for name, lines in files.items():
        for i in range(len(lines) - RUN + 1):
            places[tuple(text for _, text in lines[i : i + RUN])].append((name, i))
    for run in places.values():
        for k, (one, i) in enumerate(run):
            for other, j in run[k + 1 :]:
                a, b = files[one], files[other]
                if i > 0 and j > 0 and a[i - 1][1] == b[j - 1][1]:
                    continue  # said where it starts
                length = RUN
                while (
                    i + length < len(a)
                    and j + length < len(b)
                    and a[i + length][1] == b[j + length][1]
                ):
                    length += 1
                yield one, a[i][0], a[i + length - 1][0], other, b[j][0], b[j + length - 1][0]


def main():
    source = pathlib.Path(sys.argv[1])
    names = sorted(p for p in (source / "src").rglob("*") if p.suffix in (".c", ".h"))
    if not names:
        sys.exit(f"{source}/src has no C files")
    pairs = list(find_pairs({str(p.relative_to(source)): read_lines(p) for p in names}))
    for pair in pairs:
        print("{}:{}-{} is {}:{}-{} again".format(*pair))
    print(f"{len(names)} files, {len(pairs)} runs of {RUN} or more lines that stand twice")
    return 1 if pairs else 0


if __name__ == "__main__":
    sys.exit(main())
