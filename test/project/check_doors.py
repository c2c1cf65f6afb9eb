#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_doors.py SOURCE NM OBJECTS [LIBRARY...]: rooms of src use only the rooms that docs/development/rooms.md lets them.

Reads the table of that page, every #include of src, and the symbols of the object files that
the file OBJECTS lists, one per line. Exit status 1 if a room uses another than its row names, if
rooms use each other in a circle, if a row names more than is used, if a library is used outside its
room, if a folder holds more than 25 files or if two files of src have the same name.
This build was made without the LIBRARYs, so that their use does not show.
"""
import collections
import os
import re
import subprocess
import sys

MOST_FILES = 25

# Undefined symbols that show the use of a library; "files" are calls that open, rename or remove files.
LIBRARIES = {
    "OpenMP": r"omp_|GOMP_|__kmpc_",
    "SUNDIALS": r"CVode|ARKode|ERKStep|N_V[A-Z]|SUN[A-Z]",
    "LAPACK": r"LAPACKE_|cblas_|d(ge|gg|sy|po|tr|or|la)[a-z0-9]+_$",
    "SuperLU": r"dgs[a-z]+$|dCreate_|Destroy_|StatInit|StatFree|set_default_options|sp_preorder|"
    r"get_perm_c|superlu_",
    "MUMPS": r"dmumps_c$",
    "libyaml": r"yaml_",
    "jansson": r"json_",
    "libxml2": r"xml[A-Z]",
    # hardened builds call __open_2 for open
    "files": r"_*(fopen|fdopen|freopen|open|openat|creat|rename|unlink|remove|mkdir|tmpfile|"
    r"opendir|dlopen)(64)?(_2)?$",
    "processes": r"fork$|execv|execl|posix_spawn|system$|popen$",
}


def fold(path):
    """The room of a file below src: io/urdf belongs to io."""
    return path.split("/")[0]


def read_table(source):
    """{room: (rooms it may use, libraries)} from the table of docs/development/rooms.md."""
    table = {}
    with open(os.path.join(source, "docs", "development", "rooms.md"), encoding="utf-8") as file:
        text = file.read()
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        name = re.fullmatch(r"`(\w+)`", cells[0])
        if line.startswith("|") and name and len(cells) == 4:
            libraries = {word.strip() for word in cells[3].split(",") if word.strip()}
            table[name.group(1)] = (set(re.findall(r"`(\w+)`", cells[2])), libraries)
    return table


def check_table(table, rooms, complain):
    for room in sorted(rooms - table.keys()):
        complain(f"src/{room} has no row in the table of rooms")
    for room, (uses, libraries) in table.items():
        if room not in rooms:
            complain(f"the table of rooms names {room}, which is not in src")
        for other in sorted(uses - table.keys()):
            complain(f"the row of {room} names {other}, which is no room")
        for library in sorted(libraries - LIBRARIES.keys()):
            complain(f"the row of {room} names the library {library}, which this test does not know")
    # rooms whose doors all lead to rooms that are done, until none is left
    done = set()
    while True:
        ready = {room for room, row in table.items() if row[0] <= done} - done
        if not ready:
            break
        done |= ready
    if done != table.keys():
        complain("these rooms use each other in a circle: " + ", ".join(sorted(table.keys() - done)))


def check_files(folders, complain):
    names = collections.defaultdict(list)
    for folder, files in sorted(folders.items()):
        if len(files) > MOST_FILES:
            complain(f"src/{folder} holds {len(files)} files, {MOST_FILES} are the most")
        for file in files:
            names[file].append(f"src/{folder}/{file}")
    for places in names.values():
        if len(places) > 1:
            complain("two files of one name: " + ", ".join(places))


def read_symbols(nm, objects):
    """{file below src: (symbols it defines, symbols it needs)}"""
    symbols = {}
    # -A: each line begins with the name of the file
    output = subprocess.run([nm, "-A", *objects], capture_output=True, text=True, check=True).stdout
    for path, kind, name in re.findall(r"^(.*):[0-9a-f ]+ (\S) (\S+)$", output, re.M):
        match = re.search(r"/src/([^:]+\.c)\.o(bj)?$", path)
        if not match:
            continue
        defined, needed = symbols.setdefault(match.group(1), (set(), set()))
        if kind == "U":
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return symbols


def check_symbols(table, symbols, owner, complain):
    """Complains of symbols of other rooms; gives back {(room, room or library that it uses)}."""
    seen = set()
    for file, (_, needed) in sorted(symbols.items()):
        room = fold(file)
        uses, libraries = table.get(room, (set(), set()))
        for name in sorted(needed):
            other = fold(owner[name]) if name in owner else room
            seen.add((room, other))
            if other != room and other not in uses:
                complain(f"src/{file} ({room}) uses {name} of {owner[name]}: {room} may not use {other}")
            for library, pattern in LIBRARIES.items():
                if name in owner or not re.match(pattern, name):
                    continue
                seen.add((room, library))
                if library not in libraries:
                    complain(f"src/{file} uses {name}: {room} may not use {library}")
    return seen


def read_headers(source, owner):
    """{public header: rooms that define its functions}"""
    headers = {}
    folder = os.path.join(source, "include", "limber")
    for header in sorted(os.listdir(folder)):
        with open(os.path.join(folder, header), encoding="utf-8") as file:
            names = re.findall(r"^LB_API[^;{]*?\b(lb_\w+)\(", file.read(), re.M)
        headers[header] = {fold(owner[name]) for name in names if name in owner}
    return headers


def check_includes(source, table, folders, headers, seen, complain):
    """Complains of headers of other rooms, adds what is used to `seen`; counts includes."""
    count = 0
    for folder, files in sorted(folders.items()):
        room = fold(folder)
        uses = table.get(room, (set(), set()))[0] | {room}
        for file in sorted(files):
            with open(os.path.join(source, "src", folder, file), encoding="utf-8") as text:
                includes = re.findall(r'^#include "([^"]+)"', text.read(), re.M)
            for include in includes:
                count += 1
                public = re.fullmatch(r"limber/(\w+\.h)", include)
                if public:
                    rooms = headers.get(public.group(1), set())
                    seen.update((room, other) for other in rooms)
                    if rooms and not rooms & uses:
                        complain(f"src/{folder}/{file} includes {include}, which belongs to "
                                 f"{', '.join(sorted(rooms))}: {room} may not use it")
                    continue
                if os.path.exists(os.path.join(source, "src", folder, include)):
                    continue  # beside it
                seen.add((room, fold(include)))
                if fold(include) not in uses:
                    complain(f"src/{folder}/{file} includes {include}: "
                             f"{room} may not use {fold(include)}")
    return count


def main():
    source, nm, objects = sys.argv[1:4]
    absent = set(sys.argv[4:])
    complaints = []
    folders = {}
    for path, _, files in os.walk(os.path.join(source, "src")):
        below = os.path.relpath(path, os.path.join(source, "src"))
        # what is in `glue` is copied into FMUs and compiled there
        if files and below != "." and not below.endswith("/glue"):
            folders[below] = set(files) - {"README.md"}
    table = read_table(source)
    if not table:
        complaints.append("docs/development/rooms.md has no table of rooms")
    check_table(table, {fold(folder) for folder in folders}, complaints.append)
    check_files(folders, complaints.append)

    with open(objects, encoding="utf-8") as file:
        symbols = read_symbols(nm, file.read().splitlines())
    owner = {name: file for file, (defined, _) in symbols.items() for name in defined}
    seen = check_symbols(table, symbols, owner, complaints.append)
    count = check_includes(source, table, folders, read_headers(source, owner), seen,
                           complaints.append)
    for room, (uses, libraries) in table.items():
        for other in sorted(uses | libraries - absent):
            if (room, other) not in seen:
                complaints.append(f"the row of {room} names {other}, which it does not use")

    sources = {os.path.join(folder, file) for folder, files in folders.items() for file in files
               if file.endswith(".c")}
    # an empty list would mean that nothing was looked at
    if not symbols or not count:
        complaints.append("no object file or no #include was found")
    for complaint in complaints:
        print(complaint)
    print(f"{len(table)} rooms, {len(sources)} sources, {len(symbols)} objects, {count} includes")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
