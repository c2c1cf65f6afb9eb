# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""grow.py FOLDER: makes every struct in the headers of FOLDER that starts with its size longer.

A later version of the library may add fields at the end of such a struct. Here each of them gets some,
so that a test can see whether programs that know nothing of them still work.
"""
import pathlib
import re
import sys

STRUCT = re.compile(r"(typedef struct (lb_\w+) \{\n    size_t size;.*?\n)(\} \2;)", re.S)


def main():
    grown = []
    for header in sorted(pathlib.Path(sys.argv[1]).glob("*.h")):
        text = header.read_text()
        grown += [found.group(2) for found in STRUCT.finditer(text)]
        header.write_text(STRUCT.sub(r"\1    double grown[7];\n\3", text))
    if len(grown) < 20:
        sys.exit(f"only {len(grown)} structs start with their size: {' '.join(grown)}")
    print(f"{len(grown)} structs grown")


main()
