// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program of the test needs of the machine: a board without operating system, or this computer.
#ifndef LB_BOARD_H
#define LB_BOARD_H

/// Prints a text.
void board_print(const char *text);

/// Begins to count instructions.
void board_start_count(void);

/// Instructions since then; 0 where they are not counted.
unsigned long board_get_count(void);

/// Fills the free part of the stack with a pattern. Not inline: its own frame is part of what is free.
void board_paint_stack(void);

/// Bytes of stack below the frame of the caller that were written since it was painted; 0 where it cannot be.
unsigned long board_get_stack(void);

#endif // LB_BOARD_H
