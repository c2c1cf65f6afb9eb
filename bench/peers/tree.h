// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A rigid tree and a state of it as plain numbers: what every engine is given. Conventions are
// Limber's: SI, quaternions w x y z, speeds of the free hinge in the body's axes, angular first.
#ifndef LB_BENCH_TREE_H
#define LB_BENCH_TREE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lb_tree_hinge {
    LB_TREE_REVOLUTE,
    LB_TREE_PRISMATIC,
    LB_TREE_FREE, ///< body 0 only
    LB_TREE_HINGE_COUNT
} lb_tree_hinge;

typedef struct lb_tree_body {
    int parent; ///< smaller than its own index; -1 for the ground
    lb_tree_hinge hinge;
    double position[3]; ///< of the body's frame in its parent's, at q = 0
    double rotation[4]; ///< likewise, unit quaternion
    double axis[3];     ///< unit, in the body's frame; zero for a free hinge
    double mass;
    double com[3];
    double inertia[6]; ///< xx yy zz xy xz yz about the centre of mass
    int q, v;          ///< where its hinge starts
} lb_tree_body;

typedef struct lb_tree {
    int body_count, q_count, v_count;
    double gravity[3];
    lb_tree_body *bodies; ///< a body's subtree follows it
    double *q, *v, *tau, *a;
} lb_tree;

/// A tree of bodies still to be filled in; ends the program if memory is out.
lb_tree *lb_create_tree_data(int body_count);
void lb_destroy_tree_data(lb_tree *tree);

/// Sets offsets and counts from the hinges, and makes room for the state.
void lb_count_tree(lb_tree *tree);

/// Both end the program, with a message, if the file cannot be written or read.
void lb_write_tree(const lb_tree *tree, const char *path);
lb_tree *lb_read_tree(const char *path);

/// Whether body 0 moves freely.
int lb_tree_floats(const lb_tree *tree);

/// Rotation of the free body in the state of the tree, row by row.
void lb_get_free_rotation(const lb_tree *tree, double R[9]);

/// From Limber's free hinge to one with the same angular part and the linear part in world axes, and
/// back; in place, the first six entries of `x` only, and nothing if the tree does not float. For
/// accelerations the linear part of Limber's is the derivative of the components.
typedef enum lb_free_kind { LB_FREE_SPEED, LB_FREE_ACCELERATION, LB_FREE_FORCE } lb_free_kind;
void lb_free_to_world(const lb_tree *tree, lb_free_kind kind, double *x);
void lb_free_from_world(const lb_tree *tree, lb_free_kind kind, double *x);

#ifdef __cplusplus
}
#endif

#endif // LB_BENCH_TREE_H
