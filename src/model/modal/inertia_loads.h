// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#ifndef LB_INERTIA_LOADS_H
#define LB_INERTIA_LOADS_H

/// Loads that a body puts on itself as it moves, per unit of: its angular acceleration x y z, the acceleration of its
/// frame x y z, and the products xx yy zz xy xz yz of its angular velocity. Tables have them in this order, body files
/// too.
enum { LB_INERTIA_LOADS = 12 };

#endif // LB_INERTIA_LOADS_H
