# SPDX-FileCopyrightText: The Limber authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes the files of this folder: one superelement of three grids and two modal coordinates, its matrices in
# many dialects of OUTPUT4 and as DMIG entries, and its bulk data. Run it here.
#
# Two elastic links join the grids, so that the stiffness of rigid motion is zero. Each grid has 2 kg and no
# inertia, so that the mass is 6 kg along every axis.
import math
import struct

N = 20


def unit(v):
    length = math.sqrt(sum(c * c for c in v))
    return [c / length for c in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def make_system(points, base=None):
    a, b, c = [place(base, "R", p) for p in points]
    z = unit([q - p for p, q in zip(a, b)])
    y = unit(cross(z, [q - p for p, q in zip(a, c)]))
    return a, [cross(y, z), y, z]  # origin, axes as rows


def place(system, kind, x):
    p, q = math.radians(x[1]), math.radians(x[2])
    if kind == "C":
        x = [x[0] * math.cos(p), x[0] * math.sin(p), x[2]]
    if kind == "S":
        x = [x[0] * math.sin(p) * math.cos(q), x[0] * math.sin(p) * math.sin(q), x[0] * math.cos(p)]
    if not system:
        return list(x)
    return [system[0][i] + sum(system[1][k][i] * x[k] for k in range(3)) for i in range(3)]


def displacement_axes(system, kind, at):
    d = [at[i] - system[0][i] for i in range(3)]
    u, v, w = [sum(axis[i] * d[i] for i in range(3)) for axis in system[1]]
    p, q = math.atan2(v, u), math.atan2(math.hypot(u, v), w)
    local = {"R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
             "C": [[math.cos(p), math.sin(p), 0], [-math.sin(p), math.cos(p), 0], [0, 0, 1]],
             "S": [[math.sin(q) * math.cos(p), math.sin(q) * math.sin(p), math.cos(q)],
                   [math.cos(q) * math.cos(p), math.cos(q) * math.sin(p), -math.sin(q)],
                   [-math.sin(p), math.cos(p), 0]]}[kind]
    return [[sum(row[k] * system[1][k][i] for k in range(3)) for i in range(3)] for row in local]


# systems 10 (rectangular), 20 (cylindrical, in 10), 30 (spherical, in 10)
P10 = [[1, 0, 0], [1, 1, 1], [2, 0, 1]]
P20 = [[0, 0, 0.5], [0, 1, 0.5], [1, 0, 0.5]]
P30 = [[0.5, 0, 0], [0.5, 0, 1], [1.5, 0, 0]]
S10 = make_system(P10)
S20 = make_system(P20, S10)
S30 = make_system(P30, S10)
X11, X12, X13 = [2, 30, 0.25], [3, -1, 0.5], [1.5, 60, 45]
at = {11: place(S20, "C", X11), 12: X12, 13: place(S30, "S", X13)}
axes = {11: displacement_axes(S20, "C", at[11]), 12: displacement_axes(S10, "R", X12),
        13: displacement_axes(S30, "S", at[13])}
first = {12: 0, 11: 6, 13: 13}  # rows; 12 and 19 are the modal coordinates
modal = [12, 19]

K = [[0.0] * N for _ in range(N)]
M = [[0.0] * N for _ in range(N)]


def strain(a, b):
    """Six rows that vanish for rigid motion: translation and rotation of b against a."""
    r = [at[b][i] - at[a][i] for i in range(3)]
    rows = [[0.0] * N for _ in range(6)]
    for i in range(3):
        for d in range(3):
            rows[i][first[b] + d] += axes[b][d][i]
            rows[i][first[a] + d] -= axes[a][d][i]
            rows[i][first[a] + 3 + d] -= cross(axes[a][d], r)[i]
            rows[3 + i][first[b] + 3 + d] += axes[b][d][i]
            rows[3 + i][first[a] + 3 + d] -= axes[a][d][i]
    return rows


for a, b in ((11, 12), (12, 13)):
    for k, row in zip((1e6, 2e6, 3e6, 4e5, 5e5, 6e5), strain(a, b)):
        for i in range(N):
            for j in range(i, N):
                K[i][j] += k * row[i] * row[j]
for g in first:
    for d in range(3):
        M[first[g] + d][first[g] + d] = 2.0
for n, i in enumerate(modal):
    K[i][i] = (2 * math.pi * (5 + 3 * n)) ** 2
    M[i][i] = 1.0
    for d in range(3):
        M[min(first[12] + d, i)][max(first[12] + d, i)] = 0.1 * (d + 1) * (n + 1)
for A in (K, M):
    for i in range(N):
        for j in range(i):
            A[i][j] = A[j][i]
MUG1 = [[0.0] * N for _ in range(9)]  # grid 11, and three rows of point 101
for d in range(6):
    MUG1[d][first[11] + d] = 1.0
MUG1[6][12] = 1.0
MUG1[8][19] = -0.5
CMAT = [[complex(i, -j) if (i + j) % 3 else 0 for j in range(4)] for i in range(5)]
MATRICES = [("KXX", 6, K), ("MXX", 6, M), ("BXX1", 6, [[0.0]]), ("MUG1", 2, MUG1), ("CMAT", 2, CMAT)]


def runs(column, is_dense):
    """First row and values: from the first to the last that is not zero, or without zeros."""
    used = [i for i, v in enumerate(column) if v != 0]
    if is_dense:
        return [(used[0], column[used[0]:used[-1] + 1])] if used else []
    out = []
    for i in used:
        if out and out[-1][0] + len(out[-1][1]) == i:
            out[-1][1].append(column[i])
        else:
            out.append((i, [column[i]]))
    return out


def flat(values):
    out = []
    for v in values:
        out += [v.real, v.imag] if isinstance(v, complex) or CPLX[0] else [v]
    return out


CPLX = [False]


def write_op4_text(name, kind, per, digits, letter="E", wide=False, double=True):
    width = digits + 7
    with open(name, "w", newline="\n") as f:
        for title, form, A in MATRICES:
            CPLX[0] = isinstance(A[1 % len(A)][0], complex) or isinstance(A[0][1 % len(A[0])], complex)
            rows = -len(A) if kind == "bigmat" else len(A)
            words = 2 if double else 1
            size = "%16d%16d%8d%8d" if wide else "%8d%8d%8d%8d"
            f.write(size % (len(A[0]), rows, form, (2 if double else 1) + 2 * CPLX[0]) +
                    "%-8s1P,%d%s%d.%d%s\n" % (title, per, letter, width, digits, "|I16" * wide))

            def numbers(values):
                text = [("%%%d.%dE" % (width, digits) % v).replace("E", letter) for v in values]
                for i in range(0, len(text), per):
                    f.write("".join(text[i:i + per]) + "\n")

            for j in range(len(A[0])):
                all_runs = [(r, flat(v)) for r, v in runs([row[j] for row in A], kind == "dense")]
                if not all_runs:
                    continue
                if kind == "dense":
                    f.write("%8d%8d%8d\n" % (j + 1, all_runs[0][0] + 1, len(all_runs[0][1])))
                    numbers(all_runs[0][1])
                    continue
                head = 2 if kind == "bigmat" else 1
                f.write("%8d%8d%8d\n" % (j + 1, 0, sum(head + words * len(v) for _, v in all_runs)))
                for r, v in all_runs:
                    length = words * len(v) + 1
                    f.write("%8d%8d\n" % (length, r + 1) if kind == "bigmat"
                            else "%8d\n" % (length * 65536 + r + 1))
                    numbers(v)
            f.write("%8d%8d%8d\n" % (len(A[0]) + 1, 1, 1))
            numbers([math.sqrt(2)])


def write_op4_binary(name, kind, order, word, double=True):
    integer, real = ("i", "f") if word == 4 else ("q", "d")
    real = "d" if double else real
    words = struct.calcsize(real) // word
    with open(name, "wb") as f:

        def record(data):
            f.write(struct.pack(order + "i", len(data)) + data + struct.pack(order + "i", len(data)))

        for title, form, A in MATRICES:
            CPLX[0] = isinstance(A[1 % len(A)][0], complex) or isinstance(A[0][1 % len(A[0])], complex)
            rows = -len(A) if kind == "bigmat" else len(A)
            record(struct.pack(order + "4" + integer, len(A[0]), rows, form,
                               (2 if double else 1) + 2 * CPLX[0]) +
                   title.ljust(2 * word).encode())
            for j in range(len(A[0])):
                body = b""
                all_runs = [(r, flat(v)) for r, v in runs([row[j] for row in A], kind == "dense")]
                for r, v in all_runs:
                    length = words * len(v) + 1
                    body += b"" if kind == "dense" else \
                        struct.pack(order + "2" + integer, length, r + 1) if kind == "bigmat" else \
                        struct.pack(order + integer, length * 65536 + r + 1)
                    body += struct.pack(order + "%d%s" % (len(v), real), *v)
                if all_runs:
                    row = all_runs[0][0] + 1 if kind == "dense" else 0
                    record(struct.pack(order + "3" + integer, j + 1, row, len(body) // word) + body)
            record(struct.pack(order + "3" + integer, len(A[0]) + 1, 1, 1) +
                   struct.pack(order + real, math.sqrt(2)))


write_op4_text("dense_text.op4", "dense", 3, 16)
write_op4_text("bigmat_text_wide.op4", "bigmat", 3, 16, wide=True)
write_op4_text("nonbigmat_text_d.op4", "nonbigmat", 5, 9, letter="D")
write_op4_text("nonbigmat_text_single.op4", "nonbigmat", 3, 16, double=False)
write_op4_binary("dense_be.op4", "dense", ">", 4)
write_op4_binary("dense_le_64.op4", "dense", "<", 8)
write_op4_binary("bigmat_le.op4", "bigmat", "<", 4)
write_op4_binary("bigmat_be_64.op4", "bigmat", ">", 8, double=False)
write_op4_binary("nonbigmat_be.op4", "nonbigmat", ">", 4)
write_op4_binary("nonbigmat_le_single.op4", "nonbigmat", "<", 4, double=False)

# ---- bulk data ----------------------------------------------------------------------------------


def real(v, width):
    """As Nastran writes it: as many digits as fit, without the E of the exponent."""
    for digits in range(17, 0, -1):
        text = "%.*E" % (digits, v)
        mantissa, exponent = text.split("E")
        text = mantissa + exponent[0] + exponent[1:].lstrip("0").rjust(1, "0")
        if len(text) <= width:
            return text


def card(name, fields, is_large=False):
    per, width = (4, 16) if is_large else (8, 8)
    text = ""
    for i in range(0, len(fields), per):
        head = (name if i == 0 else "") + ("*" if is_large else "")
        part = [real(v, width) if isinstance(v, float) else str(v) for v in fields[i:i + per]]
        text += (head.ljust(8) + "".join(p.rjust(width) for p in part)).rstrip() + "\n"
    return text


def system_card(kind, cid, rid, points, is_large=False):
    return card("CORD2" + kind, [cid, rid] + [float(c) for p in points for c in p], is_large)


GEOMETRY = (system_card("C", 20, 10, P20) + system_card("R", 10, 0, P10, True) +
            system_card("S", 30, 10, P30) +
            card("GRID", [11, 20] + [float(c) for c in X11] + [20]) +
            card("GRID", [12, ""] + [float(c) for c in X12] + [10], True) +
            "GRID,13,30,%s,30\n" % ",".join(map(str, X13)))
with open("se.asm", "w", newline="\n") as f:
    f.write("$ the part of the assembly\n" + card("SEBULK", [75, "EXTOP4", "", "MANUAL"]) +
            card("SECONCT", [75, 0, "", "NO", "", "", "", "", 11, 11, 12, 12, 13, 13]) +
            GEOMETRY + "SPOINT       101    THRU     102\n")
with open("se.pch", "w", newline="\n") as f:
    f.write("BEGIN SUPER       75\n" +
            card("EXTRN", [12, 123456, 11, 123456, 101, 0, 13, 123456, 102, 0]) + GEOMETRY +
            card("ASET", [11, 123456, 12, 123456, 13, 123456]) +
            card("QSET1", [0, 101, "THRU", 102]) + "SPOINT,101,102\n" +
            card("DTI", ["TUG1", 2, "", "", "", "", "", "", "TYPE", "ID", "COMP", "ROW", "TYPE", "ID",
                         "COMP", "ROW", 1, 11, 6, 1, 2, 101, 3, 7, "ENDREC"]))

NAMES = [(12, d) for d in range(1, 7)] + [(11, d) for d in range(1, 7)] + [(101, 0)] + \
        [(13, d) for d in range(1, 7)] + [(102, 0)]


def write_dmig(name, kind):
    with open(name, "w", newline="\n") as f:
        f.write("$ matrices, %s fields\n" % kind + GEOMETRY + "SPOINT,101,102\n")
        for title, A in (("KAAX", K), ("MAAX", M)):
            f.write(card("DMIG", [title, 0, 6, 2, 0, "", "", N]))
            for j in range(N):
                terms = [(i, A[i][j]) for i in range(j + 1) if A[i][j] != 0]
                if kind == "free":
                    f.write("DMIG*,%s,%d,%d,,\n" % ((title,) + NAMES[j]))
                    for i, v in terms:
                        f.write("*,%d,%s,%s\n" % (NAMES[i][0], NAMES[i][1] or "", repr(v)))
                    continue
                fields = [title, NAMES[j][0], NAMES[j][1], ""]
                for i, v in terms:
                    fields += [NAMES[i][0], NAMES[i][1], v, ""]
                f.write(card("DMIG", fields, kind == "large"))


write_dmig("dmig_small.pch", "small")
write_dmig("dmig_large.pch", "large")
write_dmig("dmig_free.pch", "free")
