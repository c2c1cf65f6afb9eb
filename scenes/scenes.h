// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Models for tests and benchmarks. A scene is the plain description of a model, before the builder
// sees it, so that an independent program can read the same data.
//
//     lb_tree_options options = lb_default_tree_options();
//     options.body_count = 20;
//     options.shape = LB_SHAPE_DEEP;
//     lb_scene *scene = lb_create_tree(&options, seed);
//     lb_model *model = lb_build_scene(scene);
//
// Out of memory ends the program: there is nothing that a test or a benchmark could do about it.
#ifndef LB_SCENES_H
#define LB_SCENES_H

#include <limber/limber.h>

#include "build/elimination.h"
#include "random.h"

/// A place on a body. Node 0 is the frame itself (`origin`); node i is called "n<i>".
typedef struct lb_scene_node {
    double position[3];
    double rotation[4];
} lb_scene_node;

enum { LB_SCENE_NODE_COUNT = 3 };

/// The flexible part: nodes 1 .. node_count of the body, and owned arrays.
typedef struct lb_scene_flex {
    lb_flex_options options;
    lb_flex_node *nodes;
    double *numbers;               ///< shapes, stiffness and damping, one block
    lb_second_order *second_order; ///< of all nodes, one block
    char (*names)[16];
    int use_count; ///< bodies that share it
} lb_scene_flex;

typedef struct lb_scene_body {
    int parent; ///< index of a body, or LB_GROUND
    int at, by; ///< nodes of the parent and of this body
    lb_hinge_options hinge;
    double mass;
    double com[3];
    double inertia[6];
    lb_scene_node nodes[LB_SCENE_NODE_COUNT]; ///< of a rigid body; nodes[0] is the origin
    lb_scene_flex *flex;                      ///< NULL for a rigid body
    int q_offset, v_offset;                   ///< where its modes start
    int hinge_q, hinge_v;                     ///< where its hinge starts
} lb_scene_body;

/// A closure constraint. Indices in place of names.
typedef struct lb_scene_loop {
    lb_loop_type type;
    int body[2], node[2]; ///< a, b; body may be LB_GROUND
    double axis[3];
    double length;     ///< of a rod
    int driven;        ///< follows a motion
    int as_assembled;  ///< closes where it is in the initial configuration
    int term_count;    ///< of a coupler
    int term_body[3];  ///< by term
    int coordinate[3]; ///< likewise
    double factor[3];  ///< likewise
    int reach_count;   ///< bodies that it may join besides
    int reach[3];
    int reach_all;
    int term_capacity;
} lb_scene_loop;

typedef struct lb_scene {
    double gravity[3];
    lb_scene_node ground[LB_SCENE_NODE_COUNT];
    int body_count, q_count, v_count;
    lb_scene_body *bodies; ///< listed order; body i is called "b<i>"
    lb_elimination elimination;
    lb_scene_loop *loops; ///< loop i is called "l<i>"
    int loop_count, spare_count;
} lb_scene;

typedef enum lb_shape {
    LB_SHAPE_CHAIN,  ///< every body hangs on the one before
    LB_SHAPE_STAR,   ///< every body hangs on a root
    LB_SHAPE_DEEP,   ///< on one of the three before
    LB_SHAPE_WIDE,   ///< on one of the first few (about the square root of the count)
    LB_SHAPE_RANDOM, ///< on any before
    LB_SHAPE_COUNT
} lb_shape;

#define LB_HINGE_BIT(type) (1u << (type))
#define LB_ALL_HINGES ((1u << LB_HINGE_TYPE_COUNT) - 1u)

/// What a random tree is drawn from. Start from lb_default_tree_options().
typedef struct lb_tree_options {
    int body_count;
    int root_count; ///< bodies on the ground
    lb_shape shape;
    unsigned hinges;      ///< LB_HINGE_BIT of every type that may occur
    unsigned root_hinges; ///< likewise for roots; 0 for the same as `hinges`
    int shuffle;          ///< list bodies in random order
    int plain_nodes;      ///< hinges at body frames only
    double gravity;       ///< magnitude; the direction is random
    int mode_min, mode_max;
    int rigid_percent;  ///< of bodies that stay rigid when mode_max > 0
    int free_free;      ///< hinge nodes of flexible bodies deform
    int rotary_inertia; ///< nodes carry offset and inertia
    int second_order;
    int undamped;
    int node_count; ///< of flexible bodies; 0 for as many as their modes need
    lb_fidelity fidelity;
    int mixed_fidelity; ///< every flexible body draws its own
} lb_tree_options;

/// Six rigid bodies of any hinge type, one root, random shape, shuffled, in gravity.
lb_tree_options lb_default_tree_options(void);

/// A random tree; the same for the same options and seed, on every machine.
lb_scene *lb_create_tree(const lb_tree_options *options, uint64_t seed);

/// A chain of equal links on revolute hinges of alternating, skew axes: the benchmark's model.
lb_scene *lb_create_revolute_chain(int link_count);

/// What makes a chain hard for algorithms that do not go from body to body.
typedef enum lb_hard_chain {
    LB_HARD_NONE,     ///< lb_create_revolute_chain
    LB_HARD_STRAIGHT, ///< parallel axes, to be used nearly straight
    LB_HARD_TINY,     ///< the same with almost no rotary inertia: 1e-8 of it
    LB_HARD_RATIO,    ///< the same, every other link of 1e-4 of the mass
    LB_HARD_WILD, ///< axes as in the first, masses over eight decades, rotary inertias over three more
    LB_HARD_COUNT
} lb_hard_chain;
lb_scene *lb_create_hard_chain(lb_hard_chain kind, int link_count);

/// What a beam is made of. Start from lb_default_scene_beam().
typedef struct lb_scene_beam_options {
    int mode_count;           ///< bending shapes in the planes xy and xz in turn
    int node_count;           ///< along the beam, both ends included
    int free_free;            ///< both ends move; otherwise clamped at its frame
    int second_order;         ///< foreshortening
    double bending_stiffness; ///< E I, N m^2
    lb_fidelity fidelity;
} lb_scene_beam_options;

/// Four clamped modes, ten nodes, foreshortening.
lb_scene_beam_options lb_default_scene_beam(void);

/// An undamped beam of 1 m and 1 kg along x, node 1 at its frame and the last node at its tip.
lb_scene_flex *lb_create_beam(const lb_scene_beam_options *options);

/// A chain of equal beams, the hinges of lb_create_revolute_chain between their ends.
lb_scene *lb_create_beam_chain(const lb_scene_beam_options *options, int link_count);

/// One body with random mass properties and nodes, on the ground by a hinge of this type.
lb_scene *lb_create_single_body(lb_hinge_type type, double gravity, uint64_t seed);

/// Adds random closure constraints of every type between random nodes. A state does not satisfy them.
void lb_draw_loops(lb_scene *scene, lb_random *random, int count);

/// n planar four-bars side by side, each of a crank, a coupler and a rocker, closed between the coupler
/// and the rocker by a loop of this type (not a weld); the crank of `shared` ones is the rocker of the
/// one before, so that all loops are coupled in a row. Every coordinate zero satisfies the loops.
lb_scene *lb_create_four_bars(int n, lb_loop_type type, int shared);

/// n such four-bars on a free-flying base, without gravity: all of them meet at the base. The neutral
/// configuration satisfies the loops.
lb_scene *lb_create_flyer(int n, lb_loop_type type);

/// A platform (body 0, free) on n legs, each of two halves: a universal hinge at one of three feet and a
/// sliding one, closed on one of three places of the platform by a loop of this type (spherical: an
/// octahedral hexapod for six). The neutral configuration satisfies spherical ones once
/// lb_place_platform has lifted the platform.
lb_scene *lb_create_platform(int n, lb_loop_type type);
void lb_place_platform(const lb_scene *scene, double *q);

/// The same scene with every length times `size`; modal coordinates stay numbers. No two bodies may share their modes.
void lb_scale_scene(lb_scene *scene, double size);

void lb_destroy_scene(lb_scene *scene);

/// Recounts offsets after a change to hinges or modes.
void lb_count_scene(lb_scene *scene);

/// The model of a scene, or NULL if the builder refuses it.
lb_model *lb_build_scene(const lb_scene *scene);

/// A chain of unlike bodies on revolute hinges, each hinge at the far end of the body before.
///
/// @param mode_count  of every body; 0 for rigid ones
lb_model *lb_build_unlike_chain(int body_count, int mode_count, lb_fidelity fidelity,
                                uint64_t seed);

/// Name of a node, as in the model; the buffer is the caller's.
const char *lb_get_scene_node_name(int node, char name[16]);

/// Random state: angles in +-pi, distances and speeds in +-1, modal coordinates in +-0.1.
void lb_draw_state(const lb_scene *scene, lb_random *random, double *q, double *v);

/// Entries of q and v for a hinge type, from the table of the model format.
extern const int lb_scene_hinge_q_count[LB_HINGE_TYPE_COUNT];
extern const int lb_scene_hinge_v_count[LB_HINGE_TYPE_COUNT];

#endif // LB_SCENES_H
