// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Building a model. Add bodies, nodes and loops in any order, then build:
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
// Each mistake is reported as soon as it is found, with its path as in a model file. You can go on
// adding after a mistake; lb_build_model then fails. SI units, radians.
#ifndef LB_BUILD_H
#define LB_BUILD_H

#include "limber/base.h"

/// The ground, where the index of a body is expected.
#define LB_GROUND (-1)

// ---- flexible bodies ---------------------------------------------------------------------------

/// How the inertia of a flexible body is computed. See the theory manual, "Flexible bodies".
typedef enum lb_fidelity {
    LB_FIDELITY_CONSISTENT, ///< exactly Lagrangian at any deformation; the default
    LB_FIDELITY_RUTHLESS,   ///< everything at zero deformation
    LB_FIDELITY_APPENDIX_C  ///< modal integrals of US 5,546,508, Appendix C
} lb_fidelity;

/// One entry of the second-order displacement of a node, 1/2 sum_rs g_rs eta_r eta_s. An entry with
/// r < s counts for (r,s) and (s,r). Frozen: one term of a sum.
typedef struct lb_second_order {
    int r, s; ///< modes, r <= s
    double g[3];
} lb_second_order;

/// A node of a flexible body. Start from lb_default_flex_node(). Sized.
typedef struct lb_flex_node {
    size_t size;
    const char *name;
    double position[3];  ///< undeformed, from the body frame, m
    double rotation[4];  ///< unit quaternion w x y z: node axes to body axes
    double mass;         ///< kg
    double offset[3];    ///< from the node to its centre of mass, body axes
    double inertia[6];   ///< xx yy zz xy xz yz about that centre, body axes
    const double *shape; ///< mode_count x 6: rotation x y z, translation x y z; NULL without modes
    const lb_second_order *second_order; ///< NULL for none
    int second_order_count;
} lb_flex_node;

/// Inertia of a flexible body as modal integrals, for a body that comes from another program and
/// has no nodal masses. They are the coefficients of M_m as a polynomial in eta, about the body
/// frame and in its axes. Theory: (FLX-3). Sized: set `size`; the default of everything else is
/// zero.
///
///     M_ff,   h = h0 + sum_r E_r eta_r,   M_vf = E,   M_wf,r = B0_r + sum_t eta_t B_tr
///     M_ww = S0 + sum_t eta_t (S_t + 1/2 sum_s S2_ts eta_s)
///
/// A symmetric 3 x 3 matrix is given as xx yy zz xy xz yz. A NULL array means zeros.
///
/// G2 and T2 are first moments of the second-order displacement gamma2 that stiffens the body under
/// its own inertia, and nothing else of it needs to be known. Theory: (FLX-15). They need
/// the mass and M_ff. Fidelity `ruthless` takes no notice of them.
typedef struct lb_flex_integrals {
    size_t size;
    double mass;        ///< kg
    double h0[3];       ///< first moment, sum of m c
    double S0[6];       ///< inertia about the body frame
    const double *M_ff; ///< mode_count x mode_count, symmetric
    const double *E;    ///< mode_count x 3
    const double *B0;   ///< mode_count x 3
    const double *B;    ///< B[t][r]: mode_count x mode_count x 3
    const double *S;    ///< mode_count x 6
    const double *S2;   ///< mode_count x mode_count x 6, symmetric in t and s
    const double *G2;   ///< sum of m gamma2_rs: mode_count x mode_count x 3, symmetric in r and s
    const double *T2; ///< sum of m c_i gamma2_rs,j, 3 i + j: mode_count x mode_count x 9, likewise
} lb_flex_integrals;

/// Quantities that follow from the deformation of a flexible body, such as stresses or forces of elements. Signals read
/// them as panel.recovery.NAME, and with the static correction as panel.recovery.NAME.corrected. Theory: (RCV-1) and
/// (RCV-2). Sized: set `size`; the default of everything else is zero.
typedef struct lb_flex_recovery {
    size_t size;
    int row_count;
    const char *const *names; ///< one per row; not empty, no two alike
    const double *modes;      ///< row_count x mode_count: value per modal coordinate
    /// row_count x 12: what modes that are left out add per unit of the acceleration of the body frame, angular then
    /// linear, gravity taken off, and of the products xx yy zz xy xz yz of its angular velocity. Body axes. NULL: not
    /// known, and there are no corrected values.
    const double *inertia;
    /// row_count x nodes with names x 6: likewise per moment and force at each node, body axes. NULL: zeros.
    const double *forces;
} lb_flex_recovery;
/// A plane through a node that divides a flexible body: its undeformed nodes on one side of it, those on the plane
/// included, are the far side. The force in the cut follows from the mass of that side (lb_compute_cut_force).
/// Frozen: a plane is all there is.
typedef struct lb_flex_cut {
    int node;         ///< index into the nodes; not of a mass point
    double normal[3]; ///< towards the far side, body axes; any length but zero
} lb_flex_cut;

/// The flexible part of a body. Start from lb_default_flex_options(). lb_add_body reads the arrays
/// and does not keep them. Sized.
typedef struct lb_flex_options {
    size_t size;
    lb_fidelity fidelity;
    int mode_count;
    int node_count;
    const lb_flex_node *nodes;
    const double *stiffness; ///< mode_count x mode_count, symmetric
    const double *damping;   ///< mode_count x mode_count, symmetric; NULL for none
    const lb_flex_integrals
        *integrals; ///< added to the inertia of the nodes' masses; NULL for none
    /// The last `point_count` nodes are mass points: they have no name and are not nodes of the
    /// model. Their inertia may be that of a slice of a thin line, which need not satisfy the
    /// triangle inequality.
    int point_count;
    const lb_flex_recovery *recovery; ///< NULL for none
    /// Planes in which forces can be asked for; the mass must be that of nodes, without integrals.
    int cut_count;
    const lb_flex_cut *cuts;
} lb_flex_options;

/// A massless node at the body frame, not rotated, without a name and a shape.
static inline lb_flex_node lb_default_flex_node(void)
{
    lb_flex_node node = LB_ZEROES;
    node.size = sizeof node;
    node.rotation[0] = 1.0;
    return node;
}

/// A flexible body of fidelity `consistent` without modes and nodes. At least one node is needed.
static inline lb_flex_options lb_default_flex_options(void)
{
    lb_flex_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

// ---- bodies ------------------------------------------------------------------------------------

/// How a body moves relative to its parent. O+ is the node frame of the parent, O that of the body.
typedef enum lb_hinge_type {
    LB_HINGE_FIXED,
    LB_HINGE_REVOLUTE,    ///< q: angle about `axis`
    LB_HINGE_PRISMATIC,   ///< q: distance along `axis`
    LB_HINGE_SCREW,       ///< q: angle; shifts by pitch x angle along `axis`
    LB_HINGE_CYLINDRICAL, ///< q: angle about `axis`, distance along it
    LB_HINGE_UNIVERSAL,   ///< q: angle about axes[0] (fixed in O+), then about axes[1] (fixed in O)
    LB_HINGE_PLANAR,      ///< q: x, y, then angle about z
    LB_HINGE_TRANSLATIONAL, ///< q: x, y, z
    LB_HINGE_SPHERICAL,     ///< q: quaternion w x y z; v: angular velocity in O
    LB_HINGE_FREE,          ///< q: quaternion, position; v: angular, then linear velocity, in O
    LB_HINGE_TYPE_COUNT
} lb_hinge_type;

/// A hinge. Frozen: it is part of lb_body_options; what else a hinge may need will be added there.
typedef struct lb_hinge_options {
    lb_hinge_type type;
    double axis[3];    ///< revolute, prismatic, screw, cylindrical; any length but zero
    double axes[2][3]; ///< universal
    double pitch;      ///< screw, m/rad
} lb_hinge_options;

/// A body and the hinge that joins it to its parent. Start from lb_default_body_options(). Sized.
typedef struct lb_body_options {
    size_t size;
    const char *name;
    const char *parent; ///< name of a body, or "ground"; NULL means "ground"
    const char *at;     ///< node of the parent that carries the hinge; NULL means "origin"
    const char *by;     ///< node of this body that carries the hinge; NULL means "origin"
    lb_hinge_options hinge;
    double mass;   ///< kg; rigid bodies only
    double com[3]; ///< centre of mass in the body frame, m; rigid bodies only
    double inertia
        [6]; ///< xx yy zz xy xz yz about it, body axes: entries of the matrix, so that xy is the
             ///< negative of the product, -sum m x y; rigid bodies only
    const lb_flex_options *flex; ///< NULL for a rigid body
} lb_body_options;

/// A massless rigid body that is fixed to the ground. It has no name yet.
static inline lb_body_options lb_default_body_options(void)
{
    lb_body_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

// ---- the builder -------------------------------------------------------------------------------

/// Collects the parts of a model. Opaque.
typedef struct lb_builder lb_builder;

/// Starts a model. Allocates.
///
/// @param allocator  for the builder and the model; NULL for malloc and free; copied
/// @param report     receives errors and warnings; NULL to drop them; copied
/// @return the builder, to be freed by lb_destroy_builder; NULL if there is no memory
LB_API lb_builder *lb_create_builder(const lb_allocator *allocator, const lb_report *report);

/// Frees a builder. The model that it built stays. NULL is allowed.
LB_API void lb_destroy_builder(lb_builder *builder);

/// Sets the name of the model. The default is an empty name. Allocates.
///
/// @return LB_OK or LB_E_MEMORY
LB_API lb_status lb_set_model_name(lb_builder *builder, const char *name);

/// Sets uniform gravity, in world axes, m/s^2. The default is zero.
///
/// @return LB_OK, or LB_E_MODEL for a number that is not finite (reported)
LB_API lb_status lb_set_gravity(lb_builder *builder, const double gravity[3]);

/// Machine instructions that the dynamics of a model use. Results of different sets agree to
/// round-off; one set gives the same bits every time.
typedef enum lb_instruction_set {
    /// What the environment variable LIMBER_INSTRUCTIONS names: portable, avx2 or avx512. If it is
    /// not set or empty, the fastest that the machine supports. The default.
    LB_INSTRUCTIONS_BEST,
    LB_INSTRUCTIONS_PORTABLE,
    LB_INSTRUCTIONS_AVX2,  ///< with FMA
    LB_INSTRUCTIONS_AVX512 ///< F, DQ and VL, with FMA, in batches; as AVX2 otherwise
} lb_instruction_set;

/// Chooses the machine instructions of the model. Any choice but LB_INSTRUCTIONS_BEST wins over
/// LIMBER_INSTRUCTIONS, which is then not even read.
///
/// @return LB_OK, or LB_E_UNSUPPORTED if this machine or this build of the library does not support
///         them
LB_API lb_status lb_set_instruction_set(lb_builder *builder, lb_instruction_set set);

/// Adds a body. Its parent may be added later: lb_build_model resolves names. Allocates.
///
/// @param body  out: index of the body, in the order of adding; may be NULL
/// @return LB_OK; LB_E_MODEL if something is wrong with it (reported; the index counts all the
///         same); LB_E_VERSION if the options, or what they point to, are from a newer version
///         (reported); LB_E_MEMORY
LB_API lb_status lb_add_body(lb_builder *builder, const lb_body_options *options, int *body);

/// Adds a named node to a rigid body or to the ground: a place for hinges, loads and outputs. Every
/// body and the ground have a node `origin`, which is the frame itself. The nodes of a flexible
/// body are part of its options. Allocates.
///
/// @param body      index from lb_add_body, or LB_GROUND
/// @param position  from the body frame, in its axes, m; NULL for the origin
/// @param rotation  unit quaternion w x y z that maps node axes to body axes; NULL for the identity
/// @return LB_OK; LB_E_MODEL if something is wrong with it (reported); LB_E_ARGUMENT if there is no
///         such body or it is flexible; LB_E_MEMORY
LB_API lb_status lb_add_node(lb_builder *builder, int body, const char *name,
                             const double position[3], const double rotation[4]);

// ---- loops -------------------------------------------------------------------------------------

/// The joint that a closure constraint forms. It constrains all relative motion except that of the
/// joint, in the frame of node a.
typedef enum lb_loop_type {
    LB_LOOP_WELD,
    LB_LOOP_SPHERICAL,
    LB_LOOP_REVOLUTE,
    LB_LOOP_PRISMATIC,
    LB_LOOP_CYLINDRICAL,
    LB_LOOP_PLANAR,      ///< slides perpendicular to `axis` and turns about it
    LB_LOOP_POINT_LINE,  ///< point b slides along `axis` and turns freely
    LB_LOOP_POINT_PLANE, ///< point b slides perpendicular to `axis` and turns freely
    LB_LOOP_ROD,         ///< the points keep their distance
    LB_LOOP_COUPLER,     ///< a linear relation between hinge coordinates: gears, mimic joints
    LB_LOOP_TYPE_COUNT
} lb_loop_type;

/// One term of a coupler: factor times a hinge coordinate. Spherical and free hinges cannot be
/// coupled. Frozen: one term of a sum.
typedef struct lb_coupler_term {
    const char *body;
    int coordinate; ///< index among the coordinates of the hinge, from 0
    double factor;  ///< not zero
} lb_coupler_term;

/// A closure constraint between two nodes. Start from lb_default_loop_options(). Sized.
typedef struct lb_loop_options {
    size_t size;
    const char *name;
    const char *body_a, *node_a; ///< NULL means "ground" and "origin"
    const char *body_b, *node_b; ///< likewise
    lb_loop_type type;
    double axis[3];    ///< in the frame of node a, for types with an axis; any length but zero
    double length;     ///< rod, m; not read if as_assembled
    bool as_assembled; ///< closes where it is in the initial configuration
    bool driven;       ///< follows a motion that is given later, see lb_set_loop_motion
    int term_count;    ///< coupler: sum of the terms = offset
    const lb_coupler_term *terms; ///< read by lb_add_loop and not kept
    double offset;                ///< coupler; not read if as_assembled
    bool inactive;                ///< is not active in a new workspace
    /// Bodies that lb_alter_loop may attach the loop to at run time. The ground and the bodies of
    /// the branches that the loop joins at first are always allowed; list others here, or set
    /// reach_all.
    int reach_count;
    const char *const *reach; ///< names of bodies; read by lb_add_loop and not kept
    bool reach_all;           ///< any body; costs as much as a spare loop
    int term_capacity;        ///< coupler: room for this many terms; at least term_count
} lb_loop_options;

/// A weld of the ground to the ground, without a name. Set at least the name and one body.
static inline lb_loop_options lb_default_loop_options(void)
{
    lb_loop_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

/// Adds a closure constraint. Its bodies may be added later: lb_build_model resolves names.
/// Allocates.
///
/// @param loop  out: index of the loop, in the order of adding; may be NULL
/// @return LB_OK; LB_E_MODEL if something is wrong with it (reported; the index counts all the
///         same); LB_E_VERSION if the options are from a newer version (reported); LB_E_MEMORY
LB_API lb_status lb_add_loop(lb_builder *builder, const lb_loop_options *options, int *loop);

/// Reserves room for loops that lb_make_loop makes at run time between any nodes. The default is
/// none.
///
/// @param count       loops, at most 1000
/// @param term_count  terms that a coupler among them may have: 1 to 1000, usually 2
/// @return LB_OK, or LB_E_MODEL for a number that is out of these bounds (reported)
LB_API lb_status lb_set_spare_loops(lb_builder *builder, int count, int term_count);

// ---- the model ---------------------------------------------------------------------------------

/// A finished model. Opaque; see model.h.
typedef struct lb_model lb_model;

/// Finishes the model: resolves names, sorts the bodies, computes everything that is constant. The
/// model never changes afterwards and may be shared by threads. The builder stays valid. Allocates.
///
/// @param model  out: to be freed by lb_destroy_model; NULL on failure
/// @return LB_OK; LB_E_MODEL if any error has been reported; LB_E_UNSUPPORTED if LIMBER_INSTRUCTIONS
///         names what this machine or this build does not support (reported); LB_E_MEMORY
LB_API lb_status lb_build_model(lb_builder *builder, lb_model **model);

/// Frees a model. Its workspaces must be destroyed before. NULL is allowed.
LB_API void lb_destroy_model(lb_model *model);

#endif // LB_BUILD_H
