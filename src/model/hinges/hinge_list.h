// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Every hinge type: X(ENUM, name, entries of q, entries of v, whether H is constant in O).
// A new type is one header beside this file and one line here.
#ifndef LB_HINGE_LIST_H
#define LB_HINGE_LIST_H

#define LB_HINGE_LIST(X)                                                                           \
    X(FIXED, fixed, 0, 0, 1)                                                                       \
    X(REVOLUTE, revolute, 1, 1, 1)                                                                 \
    X(PRISMATIC, prismatic, 1, 1, 1)                                                               \
    X(SCREW, screw, 1, 1, 1)                                                                       \
    X(CYLINDRICAL, cylindrical, 2, 2, 1)                                                           \
    X(UNIVERSAL, universal, 2, 2, 0)                                                               \
    X(PLANAR, planar, 3, 3, 0)                                                                     \
    X(TRANSLATIONAL, translational, 3, 3, 1)                                                       \
    X(SPHERICAL, spherical, 4, 3, 1)                                                               \
    X(FREE, free, 7, 6, 1)

#endif // LB_HINGE_LIST_H
