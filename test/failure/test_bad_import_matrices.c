// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Wrong matrices of CalculiX, Abaqus and Matrix Market: each mistake is named with file and line, and a cure.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "import_case.h"
#include "own_malloc.h"

// Two nodes that a spring joins.
#define DECK "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n"
#define DOF "1.1\n2.1\n"
#define STI "1 1 3.\n1 2 -3.\n2 2 3.\n"
#define MAS "1 1 2.\n1 2 0.\n2 2 2.\n"
#define FULL_STI "1 1 3.\n1 2 -3.\n2 1 -3.\n2 2 3.\n"
#define BARS "*NODE\n1, 0\n2, 1\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n"
#define MATRIX(form, body) "%%MatrixMarket matrix " form "\n" body
#define MARKET_K MATRIX("coordinate real symmetric", "2 2 3\n" STI)
#define MARKET_M MATRIX("coordinate real symmetric", "2 2 2\n1 1 2.\n2 2 2.\n")
#define PLACES "1 0 0 0\n2 1 0 0\n"

typedef struct mistake {
    lb_structure_reader *reader;
    const char *files[5][2]; // name, text
    const char *message;     // how what is heard starts
} mistake;

#define CALCULIX(inp, dof, sti, mas)                                                               \
    lb_read_calculix,                                                                              \
    {                                                                                              \
        {"a.inp", inp}, {"a.dof", dof}, {"a.sti", sti},                                            \
        {                                                                                          \
            "a.mas", mas                                                                           \
        }                                                                                          \
    }
#define ABAQUS(inp, stiffness, mass)                                                               \
    lb_read_abaqus,                                                                                \
    {                                                                                              \
        {"a.inp", inp}, {"STIF1.mtx", stiffness},                                                  \
        {                                                                                          \
            "MASS1.mtx", mass                                                                      \
        }                                                                                          \
    }
#define ELEMENT(text)                                                                              \
    lb_read_abaqus,                                                                                \
    {                                                                                              \
        {"a.inp", DECK},                                                                           \
        {                                                                                          \
            "a.mtx", text                                                                          \
        }                                                                                          \
    }
#define MARKET(k, m, map, nodes)                                                                   \
    lb_read_matrix_market,                                                                         \
    {                                                                                              \
        {"K", k}, {"M", m}, {"map", map},                                                          \
        {                                                                                          \
            "nodes", nodes                                                                         \
        }                                                                                          \
    }

static const mistake mistakes[] = {
    // CalculiX: companions
    {lb_read_calculix,
     {{"a.dof", DOF}, {"a.sti", STI}},
     "error: a.dof:0: one of .sti and .mas is missing: CalculiX"},
    {lb_read_calculix, {{"a.dof", DOF}}, "error: a.dof:0: the .sti and .mas files are missing"},
    {lb_read_calculix,
     {{"a.dof", DOF}, {"a.sti", STI}, {"a.mas", MAS}},
     "error: a.dof:0: the input file (.inp) is missing"},
    {lb_read_calculix,
     {{"a.dof", DOF}, {"a.sti", STI}, {"a.mas", MAS}, {"b.mas", MAS}},
     "error: b.mas:0: a third matrix"},
    {lb_read_calculix, {{"a.dof", DOF}, {"b.dof", DOF}}, "error: b.dof:0: a second .dof file"},
    // CalculiX: rows
    {CALCULIX(DECK, "1.1\n2.1\n1.1\n", STI, MAS),
     "error: a.dof:3: node 1 has direction 1 twice, in rows 1 and 3: shells and beams are solids "
     "with more nodes"},
    {CALCULIX(DECK, "1.1\n3.1\n", STI, MAS),
     "error: a.dof:2: node 3 has a row, but no coordinates: give the input file that has it; a "
     "*RIGID BODY needs "
     "both"},
    {CALCULIX(DECK, DOF DOF DOF DOF DOF "2.0\n", STI, MAS),
     "error: a.dof:11: expected 'node.direction' with a direction from 1 to 6, found '2.0'"},
    {CALCULIX(DECK "*RIGID BODY, NSET=X, REF NODE=1, ROT NODE=2\n", "1.1\n2.4\n", STI, MAS),
     "error: a.dof:2: ROT NODE 2 has direction 4"},
    {CALCULIX(DECK "*RIGID BODY, NSET=X, REF NODE=1, ROT NODE=1\n", DOF, STI, MAS),
     "error: a.inp:4: REF NODE and ROT NODE must be numbers of two nodes"},
    {CALCULIX(DECK "*RIGID BODY, REF NODE=1, ROT NODE=9\n*RIGID BODY, REF NODE=2, ROT NODE=9\n",
              DOF, STI, MAS),
     "error: a.inp:5: node 9 is ROT NODE of two rigid bodies"},
    // CalculiX: what the input file says
    {CALCULIX(DECK "*CYCLIC SYMMETRY MODEL, N=4\n", DOF, STI, MAS),
     "error: a.inp:4: matrices of cyclic symmetry describe a sector"},
    {CALCULIX(DECK "*TRANSFORM, NSET=A\n*FREQUENCY, SOLVER=MATRIXSTORAGE, GLOBAL=NO\n", DOF, STI,
              MAS),
     "error: a.inp:5: GLOBAL=NO writes the matrices in the axes of *TRANSFORM"},
    {CALCULIX("*INCLUDE, INPUT=mesh/all.msh\n" DECK, DOF, STI, MAS),
     "error: a.inp:1: *INCLUDE: give the file 'all.msh' as well, or paste it"},
    {CALCULIX("*INCLUDE, INPUT=\"a.dof\"\n" DECK, DOF, STI, MAS),
     "error: a.inp:1: 'a.dof' does not start with a keyword"},
    {CALCULIX("*INCLUDE\n" DECK, DOF, STI, MAS), "error: a.inp:1: *INCLUDE needs INPUT=file"},
    {CALCULIX(DECK "1, 5, 5, 5\n", DOF, STI, MAS),
     "error: a.inp:4: node 1 is defined a second time (first in line 2 of 'a.inp')"},
    {CALCULIX(DECK "x, 5, 5, 5\n", DOF, STI, MAS),
     "error: a.inp:4: expected 'number, x, y, z' of a node"},
    {CALCULIX(DECK "4, 5, nan, 5\n", DOF, STI, MAS),
     "error: a.inp:4: 'nan' is no coordinate of node 4"},
    {CALCULIX(DECK "*NODE, SYSTEM=C\n", DOF, STI, MAS),
     "error: a.inp:4: *NODE with INPUT= or SYSTEM= is not read"},
    {CALCULIX(DECK "*ngen\n", DOF, STI, MAS), "error: a.inp:4: *ngen is not read"},
    {CALCULIX(DECK "*INSTANCE, NAME=A\n*INSTANCE, NAME=B\n", DOF, STI, MAS),
     "error: a.inp:5: more than one *INSTANCE"},
    {CALCULIX(DECK "*INSTANCE, NAME=A\n1, x\n", DOF, STI, MAS),
     "error: a.inp:5: expected the place of the instance"},
    {CALCULIX(DECK "3, 1, 1, 1.2", DOF, STI, MAS), "error: a.inp:0: the last line has no end"},
    // CalculiX: matrices
    {CALCULIX(DECK, DOF, STI "2 1 x\n", MAS),
     "error: a.sti:4: expected 'row column value' with rows and columns"},
    {CALCULIX(DECK, DOF, STI "2 1\n", MAS), "error: a.sti:4: expected 'row column value'"},
    {CALCULIX(DECK, DOF, STI "0 1 1.\n", MAS), "error: a.sti:4: expected 'row column value'"},
    {CALCULIX(DECK, DOF, STI "1 1 inf\n", MAS), "error: a.sti:4: expected 'row column value'"},
    {CALCULIX(DECK, DOF, STI "1 1 1 1\n", MAS), "error: a.sti:4: expected 'row column value'"},
    {CALCULIX(DECK, DOF, STI "99999999999 1 1\n", MAS),
     "error: a.sti:4: row or column of '99999999999 1 1' is larger"},
    {CALCULIX(DECK, DOF, STI "1 5 1\n", MAS),
     "error: a.sti:4: row or column of '1 5 1' is larger than the 4 rows"},
    {CALCULIX(DECK, DOF, STI "1 4 1\n", MAS),
     "error: a.sti:0: 4 rows, twice those of the .dof file, as cyclic"},
    {CALCULIX(DECK, DOF "2.2\n", STI, MAS), "error: a.sti:0: 2 rows, but the .dof file has 3"},
    {CALCULIX(DECK, DOF, STI, "1 1 2.\n2 2 2.\n"),
     "error: a.mas:0: 2 entries, but 'a.sti' has 3: CalculiX writes as many to both"},
    {CALCULIX(DECK, DOF, STI, "1 1 2.\n1 2 0.\n2 2 2."),
     "error: a.mas:0: the last line has no end"},
    // Abaqus: companions and input file
    {lb_read_abaqus,
     {{"a.inp", BARS}},
     "error: a.inp:0: the matrices are missing: *MATRIX GENERATE"},
    {lb_read_abaqus, {{"a.mtx", STI}}, "error: a.mtx:0: the other matrix is missing"},
    {lb_read_abaqus,
     {{"a.mtx", STI}, {"b.mtx", STI}},
     "error: a.mtx:0: no coordinates: give the input file"},
    {lb_read_abaqus,
     {{"a", STI}, {"b", STI}, {"c", STI}, {"d", STI}},
     "error: d:0: too many matrices"},
    {lb_read_abaqus,
     {{"a.inp", DECK},
      {"x_STIF1.mtx", "1,1, 1,1, 1.\n"},
      {"x_MASS1.mtx", "1,1, 1,1, 1.\n"},
      {"x_DMPV1.mtx", "1,1, 1,1, 1.\n"}},
     "error: x_DMPV1.mtx:0: by its name this is a damping matrix: give its role"},
    {ABAQUS(BARS "*TRANSFORM\n", STI, MAS),
     "error: a.inp:6: *TRANSFORM gives nodes axes of their own"},
    {ABAQUS(BARS, STI, "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:0: the matrices are in different formats"},
    // Abaqus: row column value
    {ABAQUS(BARS, STI, MAS), "error: STIF1.mtx:0: only one triangle, but Abaqus writes both"},
    {ABAQUS(BARS "*TIE, NAME=A\n", FULL_STI, MAS),
     "error: a.inp:6: this joins nodes, so the rows of the matrices"},
    {ABAQUS(BARS "*ELEMENT, TYPE=B31H\n", FULL_STI, MAS),
     "error: a.inp:6: the directions of elements of type 'B31H' are not known here: write the "
     "matrices with "
     "FORMAT=MATRIX INPUT"},
    {ABAQUS(BARS "2, 2, 3\n", FULL_STI, MAS), "error: a.inp:6: there is no node '3'"},
    {ABAQUS(BARS, FULL_STI, MAS),
     "error: STIF1.mtx:0: 2 rows, but the nodes of the elements in 'a.inp' have 6"},
    {ABAQUS("*NODE\n2, 1\n1, 0\n*ELEMENT, TYPE=MASS\n1, 1\n2, 2\n", "1 1 1.\n6 6 1.\n",
            "1 1 1.\n6 6 1.\n"),
     "error: STIF1.mtx:0: the input file does not list the nodes in the order of their numbers"},
    // Abaqus: node,direction
    {ABAQUS(DECK, "1,1, 1,1, 1.\n1,1, 2,1\n", "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:2: expected 'node,direction, node,direction, value', found '1,1, 2,1'"},
    {ABAQUS(DECK, "1,1, 1,1, 1.\n1,1, -2,1, 1\n", "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:2: node -2 is one that Abaqus adds"},
    {ABAQUS(DECK, "1,1, 1,1, 1.\n1,1, 2,7, 1\n", "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:2: direction 7 of node 2 is neither"},
    {ABAQUS(DECK, "1,1, 1,1, 1.\n1,1, 3,1, 1\n", "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:2: node 3 is not in the input file"},
    {ABAQUS(DECK, "1,1, 1,1, 1.\n", "1,1, 1,1, 1."),
     "error: MASS1.mtx:0: the last line has no end"},
    {ABAQUS(DECK, "1,1, 1,1, 1.\n2,3, 2,3, 1.000000000000000e+36\n", "1,1, 1,1, 1.\n"),
     "error: STIF1.mtx:0: direction 3 of node 2 is held (1e+36 on the diagonal): write the "
     "matrices without *BOUNDARY"},
    // substructures
    {ELEMENT("*USER ELEMENT, LINEAR\n"), "error: a.mtx:1: *USER ELEMENT needs NODES=number"},
    {ELEMENT("*USER ELEMENT, NODES=1\n*USER ELEMENT, NODES=1\n"),
     "error: a.mtx:2: a second *USER ELEMENT"},
    {ELEMENT("*USER ELEMENT, NODES=99999999999\n"),
     "error: a.mtx:1: *USER ELEMENT needs NODES=number"},
    {ELEMENT("*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1\n1\n"),
     "error: a.mtx:0: *USER ELEMENT declares 2 nodes"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** one\n1\n"),
     "error: a.mtx:3: expected numbers of nodes"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1, 7\n"),
     "error: a.mtx:4: expected directions from 1 to 6"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX, TYPE=STIFFNESS\n1.\n"),
     "error: a.mtx:0: there is no mass matrix: write it with *SUBSTRUCTURE MATRIX OUTPUT, "
     "STIFFNESS=YES, MASS=YES "
     "(CalculiX"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX, "
             "TYPE=STIFFNESS\n1.\n*MATRIX, TYPE=MASS\n"),
     "error: a.mtx:5: 1 values of stiffness and 0 of mass do not fit the 1 rows"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1,2\n*MATRIX, "
             "TYPE=STIFFNESS\n1.\n*MATRIX, TYPE=MASS\n2\n"),
     "error: a.mtx:5: 1 values of stiffness and 1 of mass do not fit the 2 rows"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX, TYPE=STIFFNESS\n1x\n"),
     "error: a.mtx:6: expected a number, found '1x'"},
    {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 5\n1\n*MATRIX, "
             "TYPE=STIFFNESS\n1\n*MATRIX, TYPE=MASS\n1\n"),
     "error: a.mtx:4: node 5 has a row, but no coordinates"},
    {ELEMENT("*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1, 1\n1\n*MATRIX, TYPE=STIFFNESS\n1, 1, "
             "1\n*MATRIX, "
             "TYPE=MASS\n1, 1, 1\n"),
     "error: a.mtx:4: node 1 has direction 1 twice"},
    {ELEMENT("*USER ELEMENT, NODES=1\n*MATRIX, TYPE=MASS\n*MATRIX, TYPE=MASS\n"),
     "error: a.mtx:3: this matrix is here twice"},
    // Matrix Market: heads
    {MARKET(MATRIX("coordinate complex symmetric", ""), MARKET_M, DOF, PLACES),
     "error: K:1: '%%MatrixMarket matrix coordinate complex sym...': only matrices of real "
     "numbers"},
    {MARKET(MATRIX("coordinate pattern symmetric", ""), MARKET_M, DOF, PLACES),
     "error: K:1: '%%MatrixMarket"},
    {MARKET(MATRIX("coordinate real hermitian", ""), MARKET_M, DOF, PLACES),
     "error: K:1: '%%MatrixMarket"},
    {MARKET(MATRIX("coordinate real symmetric", "% no more\n"), MARKET_M, DOF, PLACES),
     "error: K:2: the file ends before the sizes"},
    {MARKET(MATRIX("coordinate real symmetric", "2 2\n"), MARKET_M, DOF, PLACES),
     "error: K:2: expected the number of rows, of columns and of entries, found '2 2'"},
    {MARKET(MATRIX("coordinate real symmetric", "2 2 99999999999\n"), MARKET_M, DOF, PLACES),
     "error: K:2: expected the number"},
    // Matrix Market: entries
    {MARKET(MATRIX("coordinate real symmetric", "2 2 4\n" STI), MARKET_M, DOF, PLACES),
     "error: K:2: 4 entries announced, but there are 3: the file is truncated"},
    {MARKET(MATRIX("coordinate real symmetric", "2 2 1\n3 1 1.\n"), MARKET_M, DOF, PLACES),
     "error: K:3: row or column of '3 1 1.' is larger than the 2 rows"},
    {MARKET(MATRIX("coordinate real symmetric", "2 2 4\n" FULL_STI), MARKET_M, DOF, PLACES),
     "error: K:1: a symmetric matrix has entries of one triangle, but this one of both"},
    {MARKET(MATRIX("coordinate real symmetric", "2 3 3\n" STI), MARKET_M, DOF, PLACES),
     "error: K:2: 2 rows and 3 columns, but the map from rows to nodes has 2 rows"},
    {MARKET(MATRIX("array real general", "2 2\n1\n2\n3\n"), MARKET_M, DOF, PLACES),
     "error: K:5: the file ends too early"},
    {MARKET(MATRIX("array real general", "2 2\n1\nx\n3\n"), MARKET_M, DOF, PLACES),
     "error: K:4: expected a number"},
    {MARKET(MATRIX("array real general", "2 2\n1\n2\n2\n3\n4\n"), MARKET_M, DOF, PLACES),
     "error: K:7: more numbers than"},
    {MARKET(MATRIX("array real general", "99999 99999\n1\n"), MARKET_M, "1\n", PLACES),
     "error: map:0: 1 nodes do not fit 99999 rows"},
    {MARKET(MATRIX("coordinate real symmetric", "2 2 1\n1 1 3."), MARKET_M, DOF, PLACES),
     "error: K:0: the last line has no end"},
    // Matrix Market: companions
    {lb_read_matrix_market,
     {{"K", MARKET_K}},
     "error: K:0: 1 matrix: give the stiffness and the mass"},
    {lb_read_matrix_market,
     {{"K", MARKET_K}, {"M", MARKET_M}, {"nodes", PLACES}},
     "error: K:0: nothing says which node each row belongs to"},
    {lb_read_matrix_market,
     {{"K", MARKET_K}, {"M", MARKET_M}, {"map", DOF}},
     "error: K:0: the coordinates of the nodes are missing"},
    {lb_read_matrix_market,
     {{"K", MARKET_K}, {"M", MARKET_M}, {"map", DOF}, {"nodes", PLACES}, {"a.inp", DECK}},
     "error: K:0: two files have coordinates"},
    {lb_read_matrix_market,
     {{"K", MARKET_K}, {"map", DOF}, {"b", DOF}},
     "error: b:0: a second file with nodes of rows"},
    // Matrix Market: map and coordinates
    {MARKET(MARKET_K, MARKET_M, "1.1\n2\n", PLACES), "error: map:0: 2 nodes do not fit 2 rows"},
    {MARKET(MARKET_K, MARKET_M, "1.1\n2 1\n", PLACES),
     "error: map:2: expected a node, 'node.direction'"},
    {MARKET(MARKET_K, MARKET_M, "1 UX\n2 TEMP\n", PLACES),
     "error: map:2: expected a node, 'node.direction'"},
    {MARKET(MARKET_K, MARKET_M, "1 1 UX\n3 2 UX\n", PLACES),
     "error: map:2: rows must be listed in order: expected row 2"},
    {MARKET(MARKET_K, MARKET_M, "1.1\n1.1\n", PLACES),
     "error: map:2: node 1 has direction 1 twice, in rows 1 and 2"},
    {MARKET(MARKET_K, MARKET_M, "1.1\n3.1\n", PLACES),
     "error: map:2: node 3 has a row, but no coordinates"},
    {MARKET(MARKET_K, MARKET_M, "1.1\n", PLACES), "error: K:2: 2 rows and 2 columns, but the map"},
    {MARKET(MARKET_K, MARKET_M, MATRIX("array integer general", "2 1\n1\n2.5\n"), PLACES),
     "error: map:4: 2.5 is no number"},
    {MARKET(MARKET_K, MARKET_M, DOF, "1 0 0 0\n2 1 0 x\n"),
     "error: nodes:2: expected 'node x y z', found '2 1 0 x'"},
    {MARKET(MARKET_K, MARKET_M, DOF, "1 0 0 0\n2 1 0\n"), "error: nodes:2: expected 'node x y z'"},
    {MARKET(MARKET_K, MARKET_M, DOF, "1;0;0;0\n2;1.000,5;0;0\n"),
     "error: nodes:2: expected 'node x y z'"},
    {MARKET(MARKET_K, MARKET_M, DOF, "1 0 0 0\n2 1 0 0 30 0 0\n"),
     "error: nodes:2: node 2 has axes of its own"},
    {MARKET(MARKET_K, MARKET_M, DOF, PLACES "1 0 0 0\n"),
     "error: nodes:0: node 1 has coordinates twice"},
};

static void test_mistakes(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
        const mistake *m = &mistakes[i];
        lb_import_case c;
        lb_begin_case(&c);
        for (int k = 0; k < 5 && m->files[k][0]; ++k) {
            lb_add_case_text(&c, m->files[k][0], m->files[k][1]);
        }
        const lb_status status = lb_read_case(&c, m->reader);
        if (status != LB_E_SYNTAX || strncmp(c.heard, m->message, strlen(m->message)) != 0) {
            print_error("case %zu: expected\n%s\nheard (%d)\n%s\n", i, m->message, status, c.heard);
            ++failed;
        }
        assert_int_equal(c.import.error_count, status ? 1 : 0);
        lb_end_case(&c);
    }
    assert_int_equal(failed, 0);
}

// What is held is read, and said.
static void test_boundary_is_warned_about(void **state)
{
    (void)state;
    lb_import_case c;
    lb_begin_case(&c);
    lb_add_case_text(&c, "a.inp", DECK "*BOUNDARY\n1, 2\n");
    lb_add_case_text(&c, "a.dof", DOF);
    lb_add_case_text(&c, "a.sti", STI);
    lb_add_case_text(&c, "a.mas", MAS);
    lb_expect_ok(lb_read_case(&c, lb_read_calculix));
    assert_non_null(
        strstr(c.heard, "warning: a.inp:4: *BOUNDARY: what it holds has no rows in the matrices"));
    lb_end_case(&c);
}

// Any beginning of a file that is cut off is an error or is noticed by its size: never a crash.
static void test_truncated_files(void **state)
{
    static const char *const endings[] = {"inp", "dof", "sti", "mas"};
    (void)state;
    for (int cut = 0; cut < 4; ++cut) {
        for (int part = 0; part < 40; ++part) {
            lb_import_case c;
            lb_begin_case(&c);
            for (int i = 0; i < 4; ++i) {
                char name[32];
                snprintf(name, sizeof name, "block.%s", endings[i]);
                assert_true(lb_add_case_file(&c, lb_find_source("test/data/fe/calculix"), name));
            }
            lb_import_file *file = &c.files[cut];
            file->length = file->length * (size_t)part / 40 + (size_t)part % 3;
            c.owned[cut][file->length] = '\0';
            const lb_status status = lb_read_case(&c, lb_read_calculix);
            // the end of the input file does not matter
            if (cut > 0 || part < 15) {
                assert_int_equal(status, LB_E_SYNTAX);
                assert_int_equal(c.import.error_count, 1);
            }
            lb_end_case(&c);
        }
    }
}

// Every allocation fails in turn: the reader says so and leaves nothing behind.
static void test_scarce_memory(void **state)
{
    (void)state;
#if LB_OWN_MALLOC
    static const mistake sound[] = {
        {CALCULIX(DECK "9, 0\n*RIGID BODY, REF NODE=1, ROT NODE=9\n", "1.1\n2.1\n9.1\n",
                  STI "3 3 1\n", MAS "3 3 1\n"),
         NULL},
        // a beam of three nodes that lets only one order turn freely
        {ABAQUS("*NODE\n3, 3\n1, 0\n2, 1\n*ELEMENT, TYPE=MASS\n1, 1\n2, 2\n3, 3\n",
                "2 2 4\n2 5 -6\n5 2 -6\n2 8 2\n8 2 2\n5 5 9\n5 8 -3\n8 5 -3\n8 8 1\n9 9 0\n",
                "1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 1\n7 7 1\n8 8 1\n9 9 1\n"),
         NULL},
        {ABAQUS(DECK, "1,1, 1,1, 3.\n1,1, 2,1, -3.\n2,1, 2,1, 3.\n",
                "1,1, 1,1, 2.\n2,1, 2,1, 2.\n"),
         NULL},
        {ELEMENT("*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n*MATRIX, "
                 "TYPE=STIFFNESS\n1\n*MATRIX, TYPE=MASS\n1\n"),
         NULL},
        {MARKET(MARKET_K, MARKET_M, DOF, PLACES), NULL},
    };
    for (size_t i = 0; i < sizeof sound / sizeof *sound; ++i) {
        lb_status status = LB_E_MEMORY;
        int tries = 0;
        for (; status == LB_E_MEMORY && tries < 1000; ++tries) {
            const long live = lb_malloc_live;
            lb_import_case c;
            lb_begin_case(&c);
            for (int k = 0; k < 5 && sound[i].files[k][0]; ++k) {
                lb_add_case_text(&c, sound[i].files[k][0], sound[i].files[k][1]);
            }
            lb_scarce_count = 0;
            lb_scarce_at = tries + 1;
            status = lb_read_case(&c, sound[i].reader);
            lb_scarce_at = 0;
            if (status) {
                assert_string_equal(c.heard, "");
                assert_int_equal(status, LB_E_MEMORY);
            }
            lb_end_case(&c);
            assert_int_equal(lb_malloc_live, live);
        }
        assert_int_equal(status, LB_OK);
        assert_true(tries > 5);
    }
#else
    skip();
#endif
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_boundary_is_warned_about),
        cmocka_unit_test(test_truncated_files),
        cmocka_unit_test(test_scarce_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
