// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A body among those that it is packed with: see limbs.h.
#ifndef LB_PACK_H
#define LB_PACK_H

typedef struct lb_limb_pack {
    int group; ///< 0 for none
    int lane;  ///< within the group, from 0 on
} lb_limb_pack;

#endif // LB_PACK_H
