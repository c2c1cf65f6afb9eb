// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Imports of Nastran's files with each allocation failing in turn: LB_E_MEMORY, no message, nothing left behind.
#include "check.h"
#include "nastran_files.h"
#include "own_malloc.h"

#define DATA(name) lb_find_source("test/data/fe/nastran/" name)

#if LB_OWN_MALLOC

static void failing_allocations_leave_nothing_behind(void **state)
{
    const char *const files[][3] = {
        {DATA("dense_text.op4"), DATA("se.pch"), DATA("se.asm")},
        {DATA("nonbigmat_be.op4"), DATA("se.asm"), NULL},
        {DATA("dmig_small.pch"), NULL, NULL},
    };
    static lb_test_import test;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        lb_start_test_import(&test);
        for (int k = 0; k < 3 && files[i][k]; ++k) {
            assert_true(lb_add_test_file(&test, files[i][k]));
        }
        lb_status status = LB_E_MEMORY;
        long failed = 0;
        while (status != LB_OK) {
            lb_structure structure = {.row_count = 0};
            const long live = lb_malloc_live;
            test.import.grid_order = NULL;
            lb_scarce_count = 0;
            lb_scarce_at = failed + 1;
            status = lb_read_nastran(&test.import, &structure);
            lb_scarce_at = 0;
            failed += status != LB_OK;
            assert_true(status == LB_OK || status == LB_E_MEMORY);
            assert_int_equal(test.import.error_count, 0);
            lb_free_structure(&structure);
            lb_arena_free(&test.import.arena);
            assert_int_equal(lb_malloc_live, live);
        }
        assert_true(failed > 20);
        lb_end_test_import(&test);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

LB_TESTS()
{
    return 77; // sanitizers bring their own malloc
}

#endif
