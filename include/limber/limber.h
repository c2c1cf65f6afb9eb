// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Limber: dynamics of rigid and flexible multibody systems. The whole of the core library; files
// are in limber/io.h.
#ifndef LB_LIMBER_H
#define LB_LIMBER_H

#include "limber/assemble.h"
#include "limber/base.h"
#include "limber/batch.h"
#include "limber/build.h"
#include "limber/derivatives.h"
#include "limber/divide_and_conquer.h"
#include "limber/dynamics.h"
#include "limber/loops.h"
#include "limber/model.h"
#include "limber/operators.h"
#include "limber/spatial.h"
#include "limber/work.h"

#endif // LB_LIMBER_H
