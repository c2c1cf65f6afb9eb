// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of shared libraries that a model names.
#ifndef LB_SHARED_LIBRARY_H
#define LB_SHARED_LIBRARY_H

#include "limber/base.h"

/// Opens a library and finds a function in it.
///
/// @param function  out: a function pointer of that size
/// @param library   out: for lb_close_library, on failure, too; NULL if nothing was opened
/// @param message   out: on failure, why
/// @return LB_OK or LB_E_FILE
lb_status lb_find_library_function(const char *path, const char *name, void *function, size_t size,
                                   void **library, char message[256]);

/// @param library  NULL does nothing
void lb_close_library(void *library);

#endif // LB_SHARED_LIBRARY_H
