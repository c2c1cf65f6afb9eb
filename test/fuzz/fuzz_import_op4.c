// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an OUTPUT4 file beside bulk data with two rows, and as text as well as binary.
#include "fuzz.h"
#include "fuzz_structure.h"
#include "import/nastran/nastran.h"

static void check_matrices(const lb_nastran *data)
{
    for (size_t i = 0; i < data->matrix_count; ++i) {
        const lb_nastran_matrix *matrix = &data->matrices[i];
        const size_t parts = matrix->is_complex ? 2 : 1;
        for (size_t k = 0; k < matrix->run_count; ++k) {
            const lb_op4_run *run = &matrix->runs[k];
            if (run->row < 0 || run->count > matrix->rows - run->row || run->column < 0 ||
                run->column >= matrix->columns ||
                run->first + (size_t)run->count * parts > matrix->value_count) {
                abort();
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char bulk[] = "GRID,1\nGRID,2,,1.\nEXTRN,1,1,2,1\n";
    lb_fuzz_structure(lb_read_nastran, bytes, size, bulk);
    for (int is_binary = 0; is_binary < 2; ++is_binary) {
        lb_fuzz_import fuzz;
        lb_fuzz_start(&fuzz, bytes, size, NULL);
        lb_nastran data = {.import = &fuzz.import};
        const lb_status status = is_binary ? lb_read_op4_binary(&data, &fuzz.files[0])
                                           : lb_read_op4_text(&data, &fuzz.files[0]);
        lb_fuzz_check_status(&fuzz, status);
        if (status == LB_OK) {
            check_matrices(&data);
        }
        lb_free_nastran(&data);
        lb_fuzz_end(&fuzz);
    }
    return 0;
}
