// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the core that limber-sim uses, and programs do not: no part of the API. A shared library exports them for
// its sisters of the same version.
#ifndef LB_INTERNAL_H
#define LB_INTERNAL_H

#include "limber/base.h"

#define LB_INTERNAL LB_API

#endif // LB_INTERNAL_H
