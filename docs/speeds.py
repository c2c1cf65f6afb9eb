#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
"""speeds.py [--check]: writes the speeds of bench/results into docs/guide/comparison.md; --check only compares."""
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/guide/comparison.md"
with open(ROOT / "bench/results/amd-epyc-kvm-2/peers.csv", encoding="utf-8") as file:
    peers = list(csv.DictReader(file))


def compare_peers():
    """How many times Limber's time the fastest other engine needs: the least over the robots. Time of ten beams, us."""
    ratios, beams = {}, 0.0
    for row in peers:
        if row["call"] == "forward" and row["peer"] == "Limber gcc ruthless":
            beams = float(row["min_us"])
        if row["call"] == "forward" and not row["peer"].startswith("Limber") and row["model"] in (
                "panda", "anymal_b", "simple_humanoid", "ur5"):
            ratios.setdefault(row["model"], []).append(float(row["ratio"]))
    return min(map(min, ratios.values())), beams


def format_number(value):
    """Three digits, and all of those before the point."""
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"


def make_speed_table(call):
    """Markdown: one row per engine with its version, one column per model; microseconds and times Limber's."""
    models = {"ur5": "UR5", "panda": "Panda", "anymal_b": "ANYmal B", "simple_humanoid": "humanoid",
              "chain-100": "100 links", "chain-1000": "1,000 links"}
    rows = [row for row in peers if row["call"] == call and row["model"] in models]
    dofs = {row["model"]: row["dofs"] for row in rows}
    lines = ["| | " + " | ".join(f"{title}, {dofs[model]} dofs" if "links" not in title else title
                                 for model, title in models.items()) + " |", "| --- |" + " ---: |" * len(models)]
    for peer in ("Limber gcc", "Pinocchio", "RBDL", "MuJoCo", "KDL", "DART", "Simbody"):
        found = {row["model"]: row for row in rows if row["peer"] == peer}
        version = found["panda"]["setting"].split(",")[0]
        cells = [f"{peer.split()[0]} {version}"]
        for model in models:
            row = found.get(model)
            cells.append(row and f"{format_number(float(row['min_us']))} ({format_number(float(row['ratio']))})" or "")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def fill(page):
    """The page with the speeds between their marks."""
    parts = {"forward": make_speed_table("forward"), "inverse": make_speed_table("inverse"),
             "beams": f"- Ten flexible bodies of five modes each take Limber {compare_peers()[1]:.1f} µs. Nothing like it was "
                      "measured with the\n  others."}
    for name, text in parts.items():
        page, count = re.subn(rf"(<!-- {name}: .*? -->\n).*?(\n<!-- end -->)", rf"\g<1>{text}\g<2>", page, flags=re.S)
        if count != 1:
            sys.exit(f"{PAGE}: {count} marks for {name}, expected one")
    return page


def main():
    page = PAGE.read_text(encoding="utf-8")
    filled = fill(page)
    if sys.argv[1:] == ["--check"]:
        if page != filled:
            sys.exit(f"{PAGE} has other numbers than bench/results: run docs/speeds.py")
    else:
        PAGE.write_text(filled, encoding="utf-8")


if __name__ == "__main__":
    main()
