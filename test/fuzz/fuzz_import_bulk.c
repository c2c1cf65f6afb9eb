// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as Nastran's bulk data, alone and beside an OUTPUT4 file with two rows.
#include "fuzz.h"
#include "fuzz_structure.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char op4[] = "       2       2       6       2KXX     1P,1E16.9\n"
                              "       1       1       2\n 5.000000000E+00\n-5.000000000E+00\n"
                              "       2       1       2\n-5.000000000E+00\n 5.000000000E+00\n"
                              "       3       1       1\n 1.000000000E+00\n"
                              "       2       2       6       2MXX     1P,1E16.9\n"
                              "       1       1       1\n 2.000000000E+00\n"
                              "       2       2       1\n 3.000000000E+00\n"
                              "       3       1       1\n 1.000000000E+00\n";
    lb_fuzz_structure(lb_read_nastran, bytes, size, NULL);
    lb_fuzz_structure(lb_read_nastran, bytes, size, op4);
    return 0;
}
