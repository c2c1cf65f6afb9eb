// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions in shared libraries named by a model.
#ifndef LB_SHARED_LIBRARY_H
#define LB_SHARED_LIBRARY_H

#include "limber/base.h"

/// Opens a library and finds a function in it.
///
/// @param function  out: a function pointer of that size
/// @param library   out: to be closed by lb_close_library, also on failure; NULL if nothing was opened
/// @param message   out: on failure, why
/// @return LB_OK or LB_E_FILE
lb_status lb_find_library_function(const char *path, const char *name, void *function, size_t size,
                                   void **library, char message[256]);

/// @param library  NULL does nothing
void lb_close_library(void *library);

#endif // LB_SHARED_LIBRARY_H
