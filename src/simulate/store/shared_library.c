// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "shared_library.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

lb_status lb_find_library_function(const char *path, const char *name, void *function, size_t size,
                                   void **library, char message[256])
{
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = *library ? dlsym(*library, name) : NULL;
    if (!symbol) {
        const char *why = dlerror();
        snprintf(message, 256, "%s", why ? why : "the function is missing");
        return LB_E_FILE;
    }
    // ISO C has no conversion from an object to a function pointer; POSIX asks for this one
    assert(size == sizeof symbol);
    memcpy(function, &symbol, size);
    return LB_OK;
}

void lb_close_library(void *library)
{
    if (library) {
        dlclose(library);
    }
}
