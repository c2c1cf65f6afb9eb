// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The same services on this computer: it prints, and counts nothing.
#include <stdio.h>

#include "board.h"

void board_print(const char *text)
{
    fputs(text, stdout);
}

void board_start_count(void)
{
}

unsigned long board_get_count(void)
{
    return 0;
}

void board_paint_stack(void)
{
}

unsigned long board_get_stack(void)
{
    return 0;
}
