// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports of files that are cut off, and imports with each allocation failing in turn: LB_E_MEMORY, no message, nothing
// left behind. Wrong files are in test/failure/cases/import.
#include <string.h>

#include "check.h"
#include "nastran_files.h"
#include "own_malloc.h"

#define DATA(name) lb_find_source("test/data/fe/" name)

// Any beginning of a file that is cut off is an error or is noticed by its size: never a crash.
static void files_that_are_cut_off_are_refused(void **state)
{
    const char *const files[] = {DATA("calculix/block.inp"), DATA("calculix/block.dof"),
                                 DATA("calculix/block.sti"), DATA("calculix/block.mas")};
    static lb_test_import test;
    (void)state;
    for (int cut = 0; cut < 4; ++cut) {
        for (int part = 0; part < 40; ++part) {
            lb_structure structure = {.row_count = 0};
            lb_start_test_import(&test);
            for (int i = 0; i < 4; ++i) {
                assert_true(lb_add_test_file(&test, files[i]));
            }
            lb_import_file *file = &test.files[cut];
            file->length = file->length * (size_t)part / 40 + (size_t)part % 3;
            test.owned[cut][file->length] = '\0';
            const lb_status status = lb_read_calculix(&test.import, &structure);
            // the end of the input file does not matter
            if (cut > 0 || part < 15) {
                assert_int_equal(status, LB_E_SYNTAX);
                assert_int_equal(test.import.error_count, 1);
            }
            lb_free_structure(&structure);
            lb_end_test_import(&test);
        }
    }
}

#if LB_OWN_MALLOC

static void starve(lb_test_import *test, lb_structure_reader *reader, long least)
{
    lb_status status = LB_E_MEMORY;
    long failed = 0;
    while (status != LB_OK) {
        lb_structure structure = {.row_count = 0};
        const long live = lb_malloc_live;
        test->import.grid_order = NULL;
        lb_scarce_count = 0;
        lb_scarce_at = failed + 1;
        status = reader(&test->import, &structure);
        lb_scarce_at = 0;
        failed += status != LB_OK;
        assert_true(status == LB_OK || status == LB_E_MEMORY);
        assert_int_equal(test->import.error_count, 0);
        lb_free_structure(&structure);
        lb_arena_free(&test->import.arena);
        assert_int_equal(lb_malloc_live, live);
    }
    assert_true(failed > least);
    lb_end_test_import(test);
}

static void readers_survive_any_lack_of_memory(void **state)
{
    const char *const nastran[][3] = {
        {DATA("nastran/dense_text.op4"), DATA("nastran/se.pch"), DATA("nastran/se.asm")},
        {DATA("nastran/nonbigmat_be.op4"), DATA("nastran/se.asm"), NULL},
        {DATA("nastran/dmig_small.pch"), NULL, NULL},
    };
#define DECK "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n"
#define MARKET "%%MatrixMarket matrix coordinate real symmetric\n2 2 "
    static const struct {
        lb_structure_reader *reader;
        const char *files[4][2];
    } texts[] = {
        {lb_read_calculix,
         {{"a.inp", DECK "9, 0\n*RIGID BODY, REF NODE=1, ROT NODE=9\n"},
          {"a.dof", "1.1\n2.1\n9.1\n"},
          {"a.sti", "1 1 3.\n1 2 -3.\n2 2 3.\n3 3 1\n"},
          {"a.mas", "1 1 2.\n1 2 0.\n2 2 2.\n3 3 1\n"}}},
        // a beam of three nodes that lets only one order turn freely
        {lb_read_abaqus,
         {{"a.inp", "*NODE\n3, 3\n1, 0\n2, 1\n*ELEMENT, TYPE=MASS\n1, 1\n2, 2\n3, 3\n"},
          {"STIF1.mtx",
           "2 2 4\n2 5 -6\n5 2 -6\n2 8 2\n8 2 2\n5 5 9\n5 8 -3\n8 5 -3\n8 8 1\n9 9 0\n"},
          {"MASS1.mtx", "1 1 1\n2 2 1\n3 3 1\n4 4 1\n5 5 1\n6 6 1\n7 7 1\n8 8 1\n9 9 1\n"}}},
        {lb_read_abaqus,
         {{"a.inp", DECK},
          {"STIF1.mtx", "1,1, 1,1, 3.\n1,1, 2,1, -3.\n2,1, 2,1, 3.\n"},
          {"MASS1.mtx", "1,1, 1,1, 2.\n2,1, 2,1, 2.\n"}}},
        {lb_read_abaqus,
         {{"a.inp", DECK},
          {"a.mtx", "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1\n"
                    "*MATRIX, TYPE=STIFFNESS\n1\n*MATRIX, TYPE=MASS\n1\n"}}},
        {lb_read_matrix_market,
         {{"K", MARKET "3\n1 1 3.\n1 2 -3.\n2 2 3.\n"},
          {"M", MARKET "2\n1 1 2.\n2 2 2.\n"},
          {"map", "1.1\n2.1\n"},
          {"nodes", "1 0 0 0\n2 1 0 0\n"}}},
    };
    static lb_test_import test;
    (void)state;
    for (size_t i = 0; i < sizeof nastran / sizeof *nastran; ++i) {
        lb_start_test_import(&test);
        for (int k = 0; k < 3 && nastran[i][k]; ++k) {
            assert_true(lb_add_test_file(&test, nastran[i][k]));
        }
        starve(&test, lb_read_nastran, 20);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        lb_start_test_import(&test);
        for (int k = 0; k < 4 && texts[i].files[k][0]; ++k) {
            lb_add_test_text(&test, texts[i].files[k][0], texts[i].files[k][1],
                             strlen(texts[i].files[k][1]));
        }
        starve(&test, texts[i].reader, 4);
    }
}

#endif // sanitizers bring their own malloc

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_cut_off_are_refused),
#if LB_OWN_MALLOC
        cmocka_unit_test(readers_survive_any_lack_of_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
