#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""check_links.py FOLDER [--external]: every link, picture and anchor inside the manual that was built there leads somewhere.

Links to other sites are only looked at: each is an address, by https wherever the site has it. --external lists them.
"""
import html.parser
import pathlib
import sys
import urllib.parse

# sites that have no https
PLAIN = {"www.aero.polimi.it"}


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    # pages of limber view, sources of the manual and MathJax are not pages of the manual
    outside = [folder / "gallery/live", folder / "_static", folder / "_sources"]
    pages = {path: Reader(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))
             if not any(other in path.parents for other in outside)}
    external, wrong, count = {}, [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            where = f"{path.relative_to(folder)}: {link}"
            if parts.scheme in ("data", "mailto"):
                continue
            count += 1
            if parts.scheme or parts.netloc:
                external.setdefault(link, path)
                if parts.scheme != "https" and parts.netloc not in PLAIN or "." not in parts.netloc or " " in link:
                    wrong.append(f"{where}: not an address by https")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            fragment = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                wrong.append(f"{where}: no such file")
            elif fragment and target in pages and fragment not in pages[target].ids:
                wrong.append(f"{where}: no such anchor")
    if "--external" in sys.argv:
        print("\n".join(sorted(external)))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(pages)} pages, {count} links, {len(external)} different ones to other sites, {len(wrong)} wrong")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
