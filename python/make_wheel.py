# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the module and its shared library.

    make_wheel.py LIBRARY FOLDER [--bare]

The wheel carries the libraries that LIBRARY needs, except those that every system has, each with its licence as Debian
keeps it. With --bare it carries none, for machines where they are installed. Needs ldd and patchelf. `make wheel` builds
a library without MUMPS first: its licence, CeCILL-C, asks more of those who pass it on than the others do.
"""

import argparse
import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# what every Linux has, and must have in one version only
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so(\..*)?$")
METADATA = """Metadata-Version: 2.1
Name: limber
Version: {version}
Summary: Dynamics of rigid and flexible multibody systems
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy>=1.24
Provides-Extra: all
Requires-Dist: scipy; extra == "all"
Requires-Dist: matplotlib; extra == "all"

"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def find_needed(library):
    """Libraries that a library needs, with those that they need: name and file of each."""
    lines = run("ldd", str(library)).splitlines()
    pairs = (re.match(r"\s*(\S+) => (/\S+)", line) for line in lines)
    return {found.group(1): Path(found.group(2)) for found in pairs if found and not SYSTEM.match(found.group(1))}


def find_licence(file):
    """The licence of a library as Debian keeps it, and the name of its package."""
    for name in dict.fromkeys((str(file.resolve()), str(file), "/usr" + str(file))):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            return package, Path(f"/usr/share/doc/{package}/copyright")
    raise SystemExit(f"make_wheel: no package, and so no licence, is known of {file}")


def add_libraries(library, package, licences):
    """Copies what a library needs beside it, so that they find each other."""
    folder = package / "libraries"
    folder.mkdir()
    licences.mkdir()
    for name, file in find_needed(library).items():
        if "mumps" in name:
            raise SystemExit("make_wheel: the library was built with MUMPS; configure with -DLB_WITH_MUMPS=OFF")
        shutil.copy(file, folder / name)
        run("patchelf", "--set-rpath", "$ORIGIN", str(folder / name))
        owner, licence = find_licence(file)
        shutil.copy(licence, licences / f"{owner}.txt")
    run("patchelf", "--set-rpath", "$ORIGIN/libraries", str(package / library.name))


def write_wheel(tree, path):
    """Packs a folder, with the record of its files that pip wants."""
    record = next(tree.glob("*.dist-info")) / "RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in sorted(file for file in tree.rglob("*") if file.is_file()):
            data, name = file.read_bytes(), file.relative_to(tree).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
            wheel.write(file, name)
        name = record.relative_to(tree).as_posix()
        wheel.writestr(name, "\n".join([*lines, f"{name},,", ""]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bare", action="store_true")
    options = parser.parse_args()
    library = options.library.resolve()
    soname = run("patchelf", "--print-soname", str(library)).strip() if shutil.which("patchelf") else \
        library.name.rsplit(".", 1)[0]
    text = (HERE.parent / "include" / "limber" / "base.h").read_text()
    version = re.search(r'#define LB_VERSION "(.*)"', text).group(1)
    tag = "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        package, information = tree / "limber", tree / f"limber-{version}.dist-info"
        shutil.copytree(HERE / "limber", package, ignore=shutil.ignore_patterns("__pycache__"))
        information.mkdir()
        shutil.copy(library, package / soname)
        if not options.bare:
            add_libraries(library.with_name(soname), package, information / "licences")
        shutil.copy(HERE.parent / "LICENSE", information / "LICENSE")
        (information / "METADATA").write_text(METADATA.format(version=version))
        (information / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: limber\nRoot-Is-Purelib: false\nTag: {tag}\n")
        options.folder.mkdir(parents=True, exist_ok=True)
        path = options.folder / f"limber-{version}-{tag}.whl"
        write_wheel(tree, path)
    print(path)


if __name__ == "__main__":
    sys.exit(main())
