// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How a model is put together. Describe ground nodes and bodies in any order, then build:
//
//     lb_builder *builder = lb_create_builder(NULL, NULL);
//     lb_body_options link = lb_default_body_options();
//     link.name = "link";
//     link.hinge.type = LB_HINGE_REVOLUTE;
//     link.hinge.axis[2] = 1.0;
//     link.mass = 2.0;
//     int body;
//     lb_add_body(builder, &link, &body);
//     lb_model *model;
//     lb_status status = lb_build_model(builder, &model);
//     lb_destroy_builder(builder);
//
// Every mistake goes to the report as it is found, with its path in the vocabulary of the model
// file; adding goes on, and lb_build_model fails if anything was wrong. SI units, radians.
#ifndef LB_BUILD_H
#define LB_BUILD_H

#include "limber/base.h"

/// In place of a body's index: the ground.
#define LB_GROUND (-1)

/// How a body may move against its parent. O+ is the parent's node frame, O the body's own.
typedef enum lb_hinge_type {
    LB_HINGE_FIXED,
    LB_HINGE_REVOLUTE,      ///< q: angle about `axis`
    LB_HINGE_PRISMATIC,     ///< q: distance along `axis`
    LB_HINGE_SCREW,         ///< q: angle; shifts by pitch x angle along `axis`
    LB_HINGE_CYLINDRICAL,   ///< q: angle about, distance along `axis`
    LB_HINGE_UNIVERSAL,     ///< q: angle about axes[0] (fixed in O+), then axes[1] (fixed in O)
    LB_HINGE_PLANAR,        ///< q: x, y, then angle about z
    LB_HINGE_TRANSLATIONAL, ///< q: x, y, z
    LB_HINGE_SPHERICAL,     ///< q: quaternion w x y z; v: angular velocity in O
    LB_HINGE_FREE,          ///< q: quaternion, position; v: angular, then linear velocity, in O
    LB_HINGE_TYPE_COUNT
} lb_hinge_type;

/// Which inertia a flexible body has. See the theory manual, "Flexible bodies".
typedef enum lb_fidelity {
    LB_FIDELITY_CONSISTENT, ///< exactly Lagrangian at any deformation; the default
    LB_FIDELITY_RUTHLESS,   ///< everything at zero deformation
    LB_FIDELITY_APPENDIX_C  ///< modal integrals of US 5,546,508, Appendix C
} lb_fidelity;

typedef struct lb_hinge_options {
    lb_hinge_type type;
    double axis[3];    ///< revolute, prismatic, screw, cylindrical; any length but zero
    double axes[2][3]; ///< universal
    double pitch;      ///< screw, m/rad
} lb_hinge_options;

/// One entry of a node's second-order displacement: 1/2 sum_rs g_rs eta_r eta_s. An entry with
/// r < s stands for (r,s) and (s,r).
typedef struct lb_second_order {
    int r, s; ///< modes, r <= s
    double g[3];
} lb_second_order;

/// A node of a flexible body.
typedef struct lb_flex_node {
    const char *name;
    double position[3]; ///< undeformed, from the body frame
    double rotation[4]; ///< unit quaternion w x y z: node axes to body axes
    double mass;
    double offset[3];                    ///< node to the node's centre of mass, body axes
    double inertia[6];                   ///< xx yy zz xy xz yz about that centre, body axes
    const double *shape;                 ///< mode_count x 6: rotation x y z, translation x y z
    const lb_second_order *second_order; ///< may be NULL
    int second_order_count;
} lb_flex_node;

/// Inertia of a flexible body by modal integrals, for one that was built elsewhere and brings no
/// nodal masses: M_m as a polynomial in eta, about the body frame and in its axes. Theory: (FLX-3).
///
///     M_ff,   h = h0 + sum_r E_r eta_r,   M_vf = E,   M_wf,r = B0_r + sum_t eta_t B_tr
///     M_ww = S0 + sum_t eta_t (S_t + 1/2 sum_s S2_ts eta_s)
///
/// A symmetric 3 x 3 matrix is xx yy zz xy xz yz. What is NULL is zero.
typedef struct lb_flex_integrals {
    double mass;
    double h0[3];       ///< first moment, sum of m c
    double S0[6];       ///< inertia about the body frame
    const double *M_ff; ///< mode_count x mode_count, symmetric
    const double *E;    ///< mode_count x 3
    const double *B0;   ///< mode_count x 3
    const double *B;    ///< B[t][r]: mode_count x mode_count x 3
    const double *S;    ///< mode_count x 6
    const double *S2;   ///< mode_count x mode_count x 6, symmetric in t and s
} lb_flex_integrals;

/// The flexible part of a body. Arrays are read during lb_add_body and not kept.
typedef struct lb_flex_options {
    lb_fidelity fidelity;
    int mode_count;
    int node_count;
    const lb_flex_node *nodes;
    const double *stiffness;            ///< mode_count x mode_count, symmetric
    const double *damping;              ///< likewise; NULL for none
    const lb_flex_integrals *integrals; ///< added to what the nodes' masses give; NULL for none
    /// The last so many nodes are points: they carry mass, have no name and are not nodes of the
    /// model. Their inertia may be that of a thin line's section, which need not obey the triangle
    /// inequality.
    int point_count;
} lb_flex_options;

/// A body and the hinge that joins it to its parent. Start from lb_default_body_options().
typedef struct lb_body_options {
    size_t size; ///< of this struct, set by lb_default_body_options
    const char *name;
    const char *parent; ///< a body's name or "ground"; NULL means "ground"
    const char *at;     ///< node of the parent that carries the hinge; NULL means "origin"
    const char *by;     ///< node of this body that carries the hinge; NULL means "origin"
    lb_hinge_options hinge;
    double mass;                 ///< rigid bodies
    double com[3];               ///< centre of mass, body frame
    double inertia[6];           ///< xx yy zz xy xz yz about the centre of mass, body axes
    const lb_flex_options *flex; ///< NULL for a rigid body; mass, com, inertia are then unused
} lb_body_options;

/// A massless rigid body fixed to the ground: the point from which to describe any other.
LB_API lb_body_options lb_default_body_options(void);

/// A node without mass at the body frame; `shape` is still to be given.
LB_API lb_flex_node lb_default_flex_node(void);

typedef struct lb_builder lb_builder;

/// Starts a model.
///
/// @param allocator  for the builder and the model, NULL for malloc and free; copied
/// @param report     receives errors and warnings, NULL to drop them; copied
/// @return the builder, or NULL if memory is out
LB_API lb_builder *lb_create_builder(const lb_allocator *allocator, const lb_report *report);

/// Frees a builder, whether or not a model was built. NULL is fine.
LB_API void lb_destroy_builder(lb_builder *builder);

/// Names the model. Empty if never called.
LB_API lb_status lb_set_model_name(lb_builder *builder, const char *name);

/// Uniform gravity in world axes, m/s^2. Zero if never called.
LB_API lb_status lb_set_gravity(lb_builder *builder, const double gravity[3]);

/// Which machine instructions the dynamics of a model use. Answers agree to round-off; for one of
/// them they are the same bits every time.
typedef enum lb_instruction_set {
    LB_INSTRUCTIONS_BEST, ///< the fastest that the machine supports; the default
    LB_INSTRUCTIONS_PORTABLE,
    LB_INSTRUCTIONS_AVX2,  ///< with FMA
    LB_INSTRUCTIONS_AVX512 ///< F, DQ and VL, with FMA, in batches; all else as with AVX2
} lb_instruction_set;

/// @return LB_OK, or LB_E_UNSUPPORTED where the machine or the build does not support it
LB_API lb_status lb_set_instruction_set(lb_builder *builder, lb_instruction_set set);

/// How forward dynamics eliminates the modes of ruthless bodies: by forming and factoring D_f, or by
/// an update whose cost grows with the square of the number of modes only. Theory: (RTH-1).
typedef enum lb_elimination {
    LB_ELIMINATION_AUTO, ///< whichever is cheaper, body by body; the default
    LB_ELIMINATION_FORM,
    LB_ELIMINATION_UPDATE ///< wherever it is possible
} lb_elimination;

/// For measuring and checking: both ways give the same answer.
LB_API void lb_set_elimination(lb_builder *builder, lb_elimination elimination);

/// Adds a body. Its parent may be added later; names are resolved by lb_build_model.
///
/// @param body  out: index of the body, in the order of adding; may be NULL
/// @return LB_OK, LB_E_MODEL if something is wrong with it (reported; the index is used up
///         nevertheless), LB_E_ARGUMENT if options->size is not that of a known version, or
///         LB_E_MEMORY
LB_API lb_status lb_add_body(lb_builder *builder, const lb_body_options *options, int *body);

/// Adds a named node to a rigid body or the ground: a place for hinges, loads and read-outs.
/// Every body and the ground have a node `origin`, the frame itself. Nodes of a flexible body come
/// with its options.
///
/// @param body      index from lb_add_body, or LB_GROUND
/// @param position  from the body frame, in its axes; NULL for the origin
/// @param rotation  unit quaternion w x y z that maps node axes to body axes; NULL for identity
LB_API lb_status lb_add_node(lb_builder *builder, int body, const char *name,
                             const double position[3], const double rotation[4]);

/// What a closure constraint leaves free. Its rows are the complement of that motion, in the frame of
/// node a.
typedef enum lb_loop_type {
    LB_LOOP_WELD,
    LB_LOOP_SPHERICAL,
    LB_LOOP_REVOLUTE,
    LB_LOOP_PRISMATIC,
    LB_LOOP_CYLINDRICAL,
    LB_LOOP_PLANAR,      ///< slides perpendicular to `axis` and turns about it
    LB_LOOP_POINT_LINE,  ///< the point b slides along `axis` and turns freely
    LB_LOOP_POINT_PLANE, ///< the point b slides perpendicular to `axis` and turns freely
    LB_LOOP_ROD,         ///< the points keep their distance
    LB_LOOP_COUPLER,     ///< a linear relation between hinge coordinates: gears, mimic joints
    LB_LOOP_TYPE_COUNT
} lb_loop_type;

/// One term of a coupler: factor x (entry of the hinge's configuration). Hinges whose rates are their
/// speeds only: not spherical, not free.
typedef struct lb_coupler_term {
    const char *body;
    int coordinate; ///< entry among those of the hinge, from 0
    double factor;
} lb_coupler_term;

/// A closure constraint between two nodes. Start from lb_default_loop_options().
typedef struct lb_loop_options {
    size_t size;
    const char *name;
    const char *body_a, *node_a; ///< a body's name or "ground"; NULL means "ground", "origin"
    const char *body_b, *node_b;
    lb_loop_type type;
    double axis[3];               ///< in the frame of node a, where the type has one
    double length;                ///< rod; not read if as_assembled
    int as_assembled;             ///< non-zero: closes where it is in the initial configuration
    int driven;                   ///< non-zero: follows a motion given later, see loops.h
    int term_count;               ///< coupler: sum of the terms = offset
    const lb_coupler_term *terms; ///< read during lb_add_loop and not kept
    double offset;                ///< coupler; not read if as_assembled
    int inactive;                 ///< non-zero: does not hold in a new workspace
    /// What it may become at run time, see lb_alter_loop. Bodies of the branches (as told there) that
    /// it joins at first, and the ground, are always within its reach; others are named here, or all
    /// are.
    int reach_count;
    const char *const *reach; ///< bodies; read during lb_add_loop and not kept
    int reach_all;            ///< non-zero: any body. Costs as much as a spare loop
    int term_capacity;        ///< room for terms; at least term_count
} lb_loop_options;

LB_API lb_loop_options lb_default_loop_options(void);

/// Adds a closure constraint; names are resolved by lb_build_model.
LB_API lb_status lb_add_loop(lb_builder *builder, const lb_loop_options *options, int *loop);

/// Room for loops that are made at run time, anywhere, between any nodes: see lb_make_loop. None if
/// never called. Each has room for a coupler of two terms, or of as many as lb_set_spare_terms says.
LB_API lb_status lb_set_spare_loops(lb_builder *builder, int count);
LB_API lb_status lb_set_spare_terms(lb_builder *builder, int count);

typedef struct lb_model lb_model;

/// Finishes the model: resolves names, orders bodies for the sweeps, precomputes what is constant.
///
/// The model never changes afterwards and may be shared by threads. The builder stays valid.
///
/// @param model  out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK, LB_E_MODEL if anything was reported as an error, or LB_E_MEMORY
LB_API lb_status lb_build_model(lb_builder *builder, lb_model **model);

/// Frees a model. NULL is fine.
LB_API void lb_destroy_model(lb_model *model);

#endif // LB_BUILD_H
