#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# deb.sh [FOLDER]: Debian packages of this checkout, in FOLDER (build/deb). Ends with an error if lintian has an error
# or a warning, or if the packages, unpacked, do not work.
#
# The project has no address for mail: the maintainer's ends in .invalid, which no mail reaches. Debian wants one that
# somebody reads, so whoever hands packages on gives theirs: DEBFULLNAME="Jane Doe" DEBEMAIL=jane@example.org make deb.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
folder=${1:-build/deb}

missing=()
for package in debhelper dh-python fakeroot lintian; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "deb: missing ${missing[*]}: ./bootstrap deb installs them" >&2
    exit 1
fi

version=$(sed -n 's/^#define LB_VERSION "\(.*\)"$/\1/p' include/limber/base.h)
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# ---- the source: what git knows of, changed files as they are now ---------------------------------

git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | tar --create --xz --no-recursion --null --files-from - --owner 0 --group 0 --numeric-owner --sort name \
    --transform "s#^#limber-$version/#S" --file "$folder/limber_$version.orig.tar.xz"
tar --extract --file "$folder/limber_$version.orig.tar.xz" --directory "$folder"
cp -r packaging/debian "$folder/limber-$version/debian"
if [ -n "${DEBEMAIL:-}" ]; then
    sed -i "s/The Limber authors <maintainers@limber.invalid>/${DEBFULLNAME:-The Limber authors} <$DEBEMAIL>/" \
        "$folder/limber-$version/debian/control" "$folder/limber-$version/debian/changelog"
fi

# ---- build, and lintian ------------------------------------------------------------------------------

cd "$folder/limber-$version"
dpkg-buildpackage --build=full --unsigned-source --unsigned-changes --unsigned-buildinfo
cd ..
rm -r "limber-$version"
# Root is who runs this in a container. The first version in Debian closes a bug of Debian; these packages are our own.
lintian --allow-root --suppress-tags initial-upload-closes-no-bugs --fail-on error,warning ./*.changes

# ---- try them, unpacked ------------------------------------------------------------------------------

root=$folder/root
for package in ./*.deb; do
    dpkg-deb --extract "$package" "$root"
done
library=$(dirname "$(find "$root/usr/lib" -name liblimber.so)")
"$root/usr/bin/limber" check "$root/usr/share/limber/examples/double_pendulum.yaml"
"$root/usr/bin/limber" run "$root/usr/share/limber/examples/double_pendulum.yaml" --output "$folder/try.h5" >/dev/null
"$root/usr/bin/limber" view "$folder/try.h5" --no-open --output "$folder/try.html" >/dev/null
PYTHONPATH=$root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import limber
assert limber.load('$root/usr/share/limber/examples/double_pendulum.yaml').simulation().run(0.1).t[-1] == 0.1"
# flags, on purpose
# shellcheck disable=SC2046
cc -std=c17 "$top/test/consumer/sim.c" -o "$folder/try" \
    $(PKG_CONFIG_PATH="$library/pkgconfig" pkg-config --cflags --libs limber-sim)
LD_LIBRARY_PATH=$library "$folder/try"
rm -r "$root" "$folder"/try*
ls -l "$folder"
