// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A number that tells models apart.
#ifndef LB_MODEL_HASH_H
#define LB_MODEL_HASH_H

#include <stdint.h>

#include "limber/model.h"

/// A hash of all that frozen functions of a model without loops are made of: its tree, and every number of its bodies,
/// bit by bit. Names are not in it.
uint64_t lb_hash_model(const lb_model *model);

#endif // LB_MODEL_HASH_H
