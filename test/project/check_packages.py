# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_packages.py SOURCE READELF COMMAND: what packaging/ says of versions and libraries is what the sources say.

`make deb` builds the packages; this takes no time and finds what was forgotten.
"""

import re
import subprocess
import sys
from pathlib import Path

source, readelf, command = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
wrong = []


def read(name: str) -> str:
    return (source / name).read_text(encoding="utf-8")


def list_packages(text: str) -> set[str]:
    """Names of packages in a list, without versions and substitutions."""
    text = re.sub(r"\([^)]*\)|\$\{[^}]*\}", "", text)
    return set(re.findall(r"[a-z0-9][a-z0-9.+-]+", text))


# ---- versions ---------------------------------------------------------------------------------------

version = re.search(r'^#define LB_VERSION "(.*)"$', read("include/limber/base.h"), re.MULTILINE)[1]
packaged = re.match(r"limber \((.*)-[^-]*\)", read("packaging/debian/changelog"))[1]
if packaged != version:
    wrong.append(f"packaging/debian/changelog has version {packaged}, limber/base.h {version}")

# the name of the package has the version of the soname
control = read("packaging/debian/control")
library = "liblimber" + ".".join(version.split(".")[:2])
if f"\nPackage: {library}\n" not in control:
    wrong.append(f"packaging/debian/control has no package {library}")
if not (source / f"packaging/debian/{library}.install").exists():
    wrong.append(f"there is no packaging/debian/{library}.install")

# ---- libraries that a build needs: those that bootstrap installs ---------------------------------------

bootstrap = read("bootstrap")
needs = re.search(r"^look\(\) \{(.*?)if \[", bootstrap, re.DOTALL | re.MULTILINE)[1]
needed = set(re.findall(r"lib[a-z0-9-]+-dev", needs)) - {"libc6-dev"} | {"libmumps-seq-dev"}
build = list_packages(re.search(r"^Build-Depends:(.*?)\n\n", control, re.DOTALL | re.MULTILINE)[1])
dockerfile = read("packaging/Dockerfile")
first, last = (list_packages(stage) for stage in dockerfile.split("FROM debian:12")[1:])
for where, found in ("Build-Depends of packaging/debian/control", build), ("packaging/Dockerfile", first):
    wrong += [f"{where} does not name {name}" for name in sorted(needed - found)]

# static libraries are linked with what the shared ones are linked with; only the command draws
development = re.search(r"^Package: liblimber-dev\n(.*?)\n\n", control, re.DOTALL | re.MULTILINE)[1]
development = list_packages(re.search(r"^Depends:(.*?)\nSuggests", development, re.DOTALL | re.MULTILINE)[1])
wrong += [
    f"liblimber-dev of packaging/debian/control does not depend on {name}"
    for name in sorted(needed - {"libcairo2-dev", "libgif-dev"} - development)
]

# ---- libraries that the command loads, by the names that they have in the release of the Dockerfile -------

release = Path("/etc/debian_version")
if release.exists() and release.read_text().startswith("12."):
    dynamic = subprocess.run([readelf, "-d", command], capture_output=True, text=True, check=True).stdout
    # several packages offer blas and lapack
    names = [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not re.match(r"lib(blas|lapack)\.", name)]
    found = subprocess.run(["dpkg", "-S", *(f"*/{name}" for name in names)], capture_output=True, text=True, check=False)
    for name in names:
        owners = {line.split(":")[0] for line in found.stdout.splitlines() if line.endswith("/" + name)}
        # every system has the two of C
        if owners and not owners & (last | {"libc6", "libgcc-s1"}):
            wrong.append(f"packaging/Dockerfile has no package with {name}: {' '.join(sorted(owners))}")

for line in wrong:
    print(line)
sys.exit(bool(wrong))
