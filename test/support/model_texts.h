// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies of model files that several tests have, as texts.
#ifndef LB_MODEL_TEXTS_H
#define LB_MODEL_TEXTS_H

/// A body with one mode on the node `end` of a body `arm`.
#define LB_BOOM                                                                                    \
    "  - name: boom\n"                                                                             \
    "    parent: arm\n"                                                                            \
    "    at: end\n"                                                                                \
    "    hinge: {type: revolute, axis: [0, 0, 1]}\n"                                               \
    "    flex:\n"                                                                                  \
    "      nodes:\n"                                                                               \
    "        - {name: root, mass: 0.75, shape: [[0, 0, 0, 0, 0, 0]]}\n"                            \
    "        - {name: tip, position: [2, 0, 0], mass: 0.75, shape: [[0, 0, 0.6883, 0, 1, 0]],\n"   \
    "           second_order: [[0, 0, [-0.5810, 0, 0]]]}\n"                                        \
    "        - {name: side, position: [1, 0.2, 0], mass: 0.3, shape: [[0, 0, 0.5815, 0, 0.34, "    \
    "0]]}\n"                                                                                       \
    "      stiffness: [90]\n"                                                                      \
    "      damping: [0.5]\n"

/// A rigid arm, a flexible boom, a body that slides on the arm, and a free one, which most force elements hang on.
#define LB_ARM_BOOM_BIRD                                                                           \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "ground: {nodes: {post: {position: [0.4, 0.1, 1.5]}}}\n"                                       \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 3, com: [0.4, 0.1, 0],\n"     \
    "     inertia: [0.2, 0.5, 0.6, 0.01, 0, 0.02],\n"                                              \
    "     nodes: {hook: {position: [0.8, 0, 0.1]}, end: {position: [1, 0, 0]}}}\n" LB_BOOM         \
    "  - {name: slide, parent: arm, hinge: {type: prismatic, axis: [0, 0, 1]}, mass: 1,\n"         \
    "     com: [0, 0.1, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}\n"                                  \
    "  - {name: bird, hinge: {type: free}, mass: 2, com: [0.1, 0, 0],\n"                           \
    "     inertia: [0.3, 0.4, 0.5, 0, 0, 0], nodes: {beak: {position: [0.3, 0, 0]}}}\n"

/// A point mass that slides on an arm without mass: at the pivot nothing resists the arm.
#define LB_BEAD                                                                                    \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - name: arm\n"                                                                              \
    "    parent: ground\n"                                                                         \
    "    hinge: {type: revolute, axis: [0, 0, 1]}\n"                                               \
    "    mass: 0\n"                                                                                \
    "  - name: bead\n"                                                                             \
    "    parent: arm\n"                                                                            \
    "    hinge: {type: prismatic, axis: [1, 0, 0]}\n"                                              \
    "    mass: 2\n"

/// Micrometres and micrograms: a lever on a hair spring, with a bead that a spring holds.
#define LB_TINY_LEVER                                                                              \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: lever, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1e-9, "                     \
    "com: [5e-5, 0, 0], inertia: [1e-20, 1e-18, 1e-18, 0, 0, 0]}\n"                                \
    "  - {name: bead, parent: lever, hinge: {type: prismatic, axis: [1, 0, 0]}, "                  \
    "mass: 2e-10, com: [4e-5, 0, 0], inertia: [1e-21, 1e-21, 1e-21, 0, 0, 0]}\n"                   \
    "initial: {lever: {angle: 0.2}, bead: {distance: 1e-5}}\n"                                     \
    "forces:\n"                                                                                    \
    "  - {name: hair, type: spring, hinge: lever, stiffness: 1e-11}\n"                             \
    "  - {name: pull, type: spring, hinge: bead, stiffness: 1e-3}\n"

#endif // LB_MODEL_TEXTS_H
