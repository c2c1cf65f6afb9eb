#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_api.py SOURCE [COMPILER]: what include/limber promises about itself, and what the command uses beside it.

There are not more public functions than MOST_PUBLIC. The command includes public headers, its own, and two of src:
base/clock.h and command.h, whose headers declare not more than MOST_PRIVATE functions.

Every function of the API has a comment of its own, directly above it. Every struct can grow, because
it starts with `size_t size`, or its comment says "Frozen". With a compiler, every piece of code in the
comments compiles: indented blocks of which a line ends in a semicolon or a brace. They may use the
names that snippets.h declares. A line that starts with ... is left out; ... at the end of a line stands
for a statement. Exit status 1 if something is not so.
"""
import os
import re
import subprocess
import sys
import tempfile

# Both may shrink. Before you raise one, look for functions that nobody calls, and for a family that a struct would replace.
MOST_PUBLIC = 318
MOST_PRIVATE = 60

# small values of vectors and the like: their names say what they do
WITHOUT_COMMENTS = {"spatial.h"}


def check_functions(name, lines, complain):
    """Counts the functions of a header."""
    count = 0
    for i, line in enumerate(lines):
        inline = line.startswith("static inline") and name not in WITHOUT_COMMENTS
        if not inline and not re.match(r"LB_API\b", line):
            continue
        count += 1
        if not lines[i - 1].startswith("///"):
            found = re.search(r"\b(lb_\w+)\(", " ".join(lines[i:i + 3]))
            complain(f"{name}:{i + 1}: {found.group(1) if found else line} has no comment of its own")
    return count


def read_text(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def check_door(source, complain):
    """Counts the private functions that the command may use; of cli, view uses what its README names."""
    named = set(re.findall(r"`(\w+\.h)`", read_text(source, "view", "README.md")))
    for room in ("cli", "view"):
        for file in sorted(os.listdir(os.path.join(source, room))):
            if not file.endswith((".c", ".h")):
                continue
            for include in re.findall(r'^#include "([^"]+)"', read_text(source, room, file), re.M):
                if "src/" in include and include not in ("../src/base/clock.h", "../src/command.h"):
                    complain(f"{room}/{file} includes {include}: src/command.h is the way into src")
                if room == "view" and "/" not in include and include not in named:
                    complain(f"view/{file} includes {include}, which view/README.md does not name")
    waiting, seen, count = ["command.h"], set(), 0
    while waiting:
        header = waiting.pop()
        if header in seen:
            continue
        seen.add(header)
        text = read_text(source, "src", header)
        count += len(re.findall(r"^[a-z][^;{}#/]*?\b(?:lb_\w+)\([^;{]*;", text, re.M))
        for include in re.findall(r'^#include "([^"]+)"', text, re.M):
            beside = os.path.join(os.path.dirname(header), include)
            if os.path.exists(os.path.join(source, "src", beside)):
                waiting.append(beside)
            elif os.path.exists(os.path.join(source, "src", include)):
                waiting.append(include)
    if not 0 < count <= MOST_PRIVATE:
        complain(f"src/command.h declares {count} functions, {MOST_PRIVATE} are the most")
    return count


def check_structs(name, lines, complain):
    """Counts the structs of a header that are not opaque."""
    count = 0
    for i, line in enumerate(lines):
        match = re.match(r"(?:typedef )?struct (\w+) \{", line)
        if not match:
            continue
        count += 1
        above = i
        while above > 0 and lines[above - 1].startswith("///"):
            above -= 1
        comment = " ".join(lines[above:i])
        body = [text.strip() for text in lines[i + 1:i + 40]]
        first = next((text for text in body if text and not text.startswith("//")), "")
        if not re.match(r"size_t size;", first) and "Frozen" not in comment:
            complain(f"{name}:{i + 1}: {match.group(1)} neither starts with size_t size nor says "
                     "Frozen in its comment")
    return count


def find_blocks(lines):
    """Indented blocks of comments: lists of (number of the line, text)."""
    block, blocks = [], []
    for number, line in enumerate(lines + [""], 1):
        match = re.match(r"///?     (.*)", line)
        # what @return and @param go on with is indented further
        if match and (block or not match.group(1).startswith(" ")):
            block.append((number, match.group(1)))
        elif block and re.fullmatch(r"///?", line):
            block.append((number, ""))
        else:
            blocks.append(block)
            block = []
    return [block for block in blocks if is_code(block)]


def is_code(block):
    """Tables and equations are indented as well."""
    return any(re.search(r"[;{}]$", re.sub(r"\s*//.*", "", text)) for _, text in block)


def write_snippet(name, block):
    """C text of a block: functions in it on their own, the rest as the body of one."""
    outside, inside, in_function = [], [], False
    for position, (number, text) in enumerate(block):
        following = block[position + 1][1] if position + 1 < len(block) else ""
        in_function = in_function or (re.match(r"\w.*\)$", text) and following == "{")
        text = re.sub(r"^(\s*)\.\.\..*", r"\1;", text)
        text = re.sub(r"\.\.\.\s*$", "{ }", text)
        (outside if in_function else inside).append(f'#line {number} "{name}"\n{text}')
        in_function = in_function and text != "}"
    return "\n".join(outside + [f"void snippet_{block[0][0]}(void);",
                                f"void snippet_{block[0][0]}(void)\n{{"] + inside + ["}\n"])


def check_snippets(source, name, blocks, compiler, complain):
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(f'#include "limber/{name}"\n#include "snippets.h"\n')
        file.write("\n".join(write_snippet(name, block) for block in blocks))
        file.flush()
        done = subprocess.run(
            [compiler, "-std=c17", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused",
             "-Wno-unknown-pragmas",
             "-I", os.path.join(source, "include"), "-I", here, file.name],
            capture_output=True, text=True, check=False)
    if done.returncode:
        complain(f"{name}: code in its comments does not compile:\n{done.stderr}")


def main():
    source = sys.argv[1]
    compiler = sys.argv[2] if len(sys.argv) > 2 else None
    folder = os.path.join(source, "include", "limber")
    complaints = []
    functions = public = structs = snippets = 0
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            lines = file.read().splitlines()
        functions += check_functions(name, lines, complaints.append)
        public += sum(line.startswith("LB_API ") for line in lines)
        structs += check_structs(name, lines, complaints.append)
        blocks = find_blocks(lines)
        snippets += len(blocks)
        if compiler and blocks:
            check_snippets(source, name, blocks, compiler, complaints.append)
    if public > MOST_PUBLIC:
        complaints.append(f"include/limber has {public} public functions, {MOST_PUBLIC} are the most")
    private = check_door(source, complaints.append)
    # nothing found would mean that nothing was looked at
    if not functions or not structs or not snippets:
        complaints.append("no functions, structs or snippets were found")
    for complaint in complaints:
        print(complaint)
    print(f"{public} public functions, {private} more for the command")
    print(f"{functions} functions with inline ones, {structs} structs, {snippets} snippets, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
