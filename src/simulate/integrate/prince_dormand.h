// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_PRINCE_DORMAND_H
#define LB_PRINCE_DORMAND_H

#include <stdio.h> // the next needs it

#include <arkode/arkode_butcher.h>

/// RK8(7)13M, for ARKodeButcherTable_Free; NULL if memory is out.
ARKodeButcherTable lb_create_prince_dormand(void);

#endif // LB_PRINCE_DORMAND_H
