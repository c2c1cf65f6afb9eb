// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/base.h"

const char *lb_get_status_text(lb_status status)
{
    switch (status) {
#define LB_STATUS_TEXT(name, value, text)                                                          \
    case name:                                                                                     \
        return text;
        LB_STATUS_LIST(LB_STATUS_TEXT)
#undef LB_STATUS_TEXT
    }
    return "unknown status";
}

const char *lb_get_version(void)
{
    return LB_VERSION;
}
