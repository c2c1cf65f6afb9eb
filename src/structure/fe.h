// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The finite-element model of a beam or frame, and the steps from it to modes. Displacements of a
// node are six: translation x y z, then rotation x y z, in body axes.
#ifndef LB_FE_H
#define LB_FE_H

#include <stdbool.h>
#include <stdlib.h>

#include "limber/beams.h"
#include "structure/eigen/eigen.h"

/// Points of Gauss's rule in an element: products of two second-order fields, of degree ten, are
/// integrated exactly.                                                                    (BM-5)
enum { LB_FE_POINTS = 6, LB_FE_DOFS = 6, LB_FE_MODES_MOST = 512 };

/// Elements times modes, at most: about half a gigabyte of shapes while the body is made.
enum { LB_FE_SHAPES_MOST = 500000 };

/// Places on 0 to 1, weights, and integrals from 0 to each place of the polynomials that are 1 at one
/// place and 0 at the others.
extern const double lb_fe_place[LB_FE_POINTS], lb_fe_weight[LB_FE_POINTS];
void lb_fe_get_integrals(double W[LB_FE_POINTS][LB_FE_POINTS]);

// ---- the model ---------------------------------------------------------------------------------

/// A section at a point of Gauss's rule: stiffnesses, and inertias per length.
typedef struct lb_fe_point {
    double EA, GJ, EIy, EIz, GAy, GAz; ///< GAy, GAz: 0 if rigid in shear
    double m, Jx, Jy, Jz;              ///< mass and rotary inertia per length
} lb_fe_point;

typedef struct lb_fe_element {
    int a, b;            ///< nodes
    double length;       ///< m
    double R[3][3];      ///< columns: local axes in body axes
    double phi_y, phi_z; ///< 12 EI / (GA length^2) for bending in x-y, in x-z; 0: Euler-Bernoulli
    lb_fe_point points[LB_FE_POINTS];
} lb_fe_element;

typedef struct lb_fe_node {
    double x[3];
    const lb_joint *joint; ///< NULL inside a member
} lb_fe_node;

typedef struct lb_fe {
    int node_count, element_count;
    lb_fe_node *nodes; ///< joints first, in their order
    lb_fe_element *elements;
    const lb_joint *joints;
    int joint_count;
    bool *active; ///< by dof: takes part in modes; false where a motion is left out
} lb_fe;

/// Displacement, rotation, and their derivatives along the axis, at one place of an element, in its
/// local axes. Strains follow from them by (BM-1).
typedef struct lb_fe_field {
    double u[3], t[3], du[3], dt[3];
} lb_fe_field;

/// Field at s = 0 to 1 of an element whose end displacements, in local axes, are d.     (BM-2)
lb_fe_field lb_fe_interpolate(const lb_fe_element *element, double s, const double d[12]);
/// The end displacements of an element in its axes, from those of all nodes.
void lb_fe_get_ends(const lb_fe_element *element, const double *displacements, double d[12]);

/// Fields at a point for unit values of each end displacement.
void lb_fe_get_columns(const lb_fe_element *element, double s, lb_fe_field columns[12]);
/// A = T A T', 12 x 12, T the rotation of an element repeated four times.
void lb_fe_turn_matrix(const double R[3][3], double A[144]);

/// What a pair of fields at a point has of stiffness and of mass per length.
double lb_fe_get_stiffness(const lb_fe_point *point, const lb_fe_field *a, const lb_fe_field *b);
double lb_fe_get_mass(const lb_fe_point *point, const lb_fe_field *a, const lb_fe_field *b);
/// 12 x 12, in body axes.                                                          (BM-3), (BM-4)
void lb_fe_form_stiffness(const lb_fe_element *element, double K[144]);
void lb_fe_form_mass(const lb_fe_element *element, double M[144]);
/// 6 x 6 of a joint's lumped mass, order translation, rotation.
void lb_fe_form_lump(const lb_joint *joint, double M[36]);

static inline void lb_fe_to_body(const double R[3][3], const double a[3], double b[3])
{
    for (int i = 0; i < 3; ++i) {
        b[i] = R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2];
    }
}

static inline void lb_fe_to_local(const double R[3][3], const double a[3], double b[3])
{
    for (int i = 0; i < 3; ++i) {
        b[i] = R[0][i] * a[0] + R[1][i] * a[1] + R[2][i] * a[2];
    }
}

static inline void lb_fe_cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/// The first of the set of i; `set` is an entry of the same set for each, and becomes a nearer one.
int lb_fe_find_set(int *set, int i);

/// Makes nodes and elements of a frame. What is wrong is reported.
///
/// @param starts  NULL, or for pieces of one beam, which has been checked: where each starts
lb_status lb_fe_mesh(lb_fe_context *context, const lb_frame_options *frame, const double *starts,
                     lb_fe *fe);

// ---- matrices ----------------------------------------------------------------------------------

/// Stiffness and mass over dofs numbered by `number` (-1: left out), of one pattern.
lb_status lb_fe_assemble(lb_fe_context *context, const lb_fe *fe, const int *number, int n,
                         lb_fe_matrix *K, lb_fe_matrix *M);
/// Adds the 6 x 6 block of two nodes to a matrix whose pattern has it; rows of the block are `stride` apart.
void lb_fe_add_block(lb_fe_matrix *A, const int *number, int a, int b, const double *block,
                     int stride);

/// K, or M, over the dofs that are not held, factored.
typedef struct lb_fe_free {
    lb_fe_factors *factors; ///< NULL: none
    int *number;            ///< of a dof; -1 where it is held
    double *small;
} lb_fe_free;

/// Marks the dofs of some nodes as held.
void lb_fe_hold(int count, const int *nodes, bool *held);
/// Factors one of them. To be ended by lb_fe_free_factors, also after errors.
lb_status lb_fe_factor_free(lb_fe_context *context, const lb_fe *fe, const bool *held, bool is_mass,
                            lb_fe_free *free);
/// x += K^-1 f, or M^-1 f, over the free dofs; f and x over all.
lb_status lb_fe_add_solution(const lb_fe *fe, const lb_fe_free *free, const double *f, double *x);

// ---- modes -------------------------------------------------------------------------------------

#define LB_FE_PI 3.14159265358979323846

/// Displacements of all nodes, one column of 6 node_count a mode, and the squared frequencies.
typedef struct lb_fe_modes {
    int count;
    double *shapes;
    double *squares;
    double next;   ///< squared frequency of the lowest mode that was left out; 0 if unknown
    int dof_count; ///< dofs that are free and active
    int *fixed;    ///< nodes that are held, the first the reference of second-order displacements
    int fixed_count;
} lb_fe_modes;

/// The modes that the options ask for. What is wrong with them is reported.
lb_status lb_fe_choose_modes(lb_fe_context *context, const lb_fe *fe,
                             const lb_modes_options *options, lb_fe_modes *modes);

/// The joints that are held, into modes->fixed.
lb_status lb_fe_find_fixed(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *options,
                           lb_fe_modes *modes);

/// Joint of that name, or -1.
int lb_fe_find_joint(const lb_fe *fe, const char *name);

/// The lowest modes with some dofs held, sorted; count is what was found, at most `wanted`.
///
/// @param held    by dof: does not move
/// @param rigid   whether the body is adrift, so that rigid motions are left out
/// @param shapes  out: modes of the whole, taken from the context
lb_status lb_fe_find_lowest(lb_fe_context *context, const lb_fe *fe, const bool *held, bool rigid,
                            int wanted, lb_fe_modes *found);

/// A displacement of all nodes times the sum of what `form` makes of each element: K, or M without
/// lumps.
typedef void lb_fe_form(const lb_fe_element *element, double A[144]);
void lb_fe_multiply_elements(const lb_fe *fe, lb_fe_form *form, const double *x, double *y);
/// M times a displacement of all nodes.
void lb_fe_multiply_mass(const lb_fe *fe, const double *x, double *y);
/// Rigid motion number i (three translations, three turns about the origin) of all nodes.
void lb_fe_get_rigid(const lb_fe *fe, int i, double *x);

/// Shapes of static loads and of unit displacements of interfaces, with the joints of `held` clamped.
///
/// @param shapes  out: room for 6 interface_count + correction_count columns
/// @param count   out: columns that there are
lb_status lb_fe_add_static(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *options,
                           const bool *held, double *shapes, int *count);

/// Makes shapes that are not orthonormal into modes, by the eigenproblem within their span.
lb_status lb_fe_orthonormalize(lb_fe_context *context, const lb_fe *fe,
                               const lb_modes_options *options, int mode_count, int count,
                               double *shapes, double *squares);

/// Fixes sign, and the choice among modes of equal frequency.                         (BM-11)
lb_status lb_fe_order_modes(lb_fe_context *context, const lb_fe *fe, int count, double *squares,
                            double *shapes);

// ---- fields at Gauss's points, and second order ------------------------------------------------

/// Fields of every mode at every point, and at every joint; second-order displacements in body axes.
typedef struct lb_fe_fields {
    int mode_count, pair_count;
    bool second_order;
    double stretch; ///< share of the stretch in second order: 1/2, or 0 for shapes by formula
    lb_fe_field *at_points; ///< [element][point][mode], local axes
    double *at_joints;      ///< [joint][mode][6], translation, rotation, body axes
    double *point_second;   ///< [element][point][pair][3]
    double *joint_second;   ///< [joint][pair][3]
} lb_fe_fields;

/// Fields of computed modes.
lb_status lb_fe_sample_modes(lb_fe_context *context, const lb_fe *fe, const lb_fe_modes *modes,
                             lb_fe_fields *fields);
/// Rates of the second-order displacement and turn of a pair of fields at a point of an element, in its axes,
/// but for the part theta2 x e.                                                       (BM-7)
void lb_fe_get_second_rate(const lb_fe_point *point, const lb_fe_field *a, const lb_fe_field *b,
                           double stretch, double gamma[3], double kappa[3]);
/// Second-order displacements of all pairs r <= s.                                (BM-6) to (BM-9)
///
/// @param fixed  nodes that are held, the first the reference
lb_status lb_fe_find_second_order(lb_fe_context *context, const lb_fe *fe, const int *fixed,
                                  int fixed_count, lb_fe_fields *fields);

/// Shapes by formula on the beam from x = 0 to `length`.
lb_status lb_fe_sample_shapes(lb_fe_context *context, const lb_fe *fe, double length,
                              const lb_beam_shape *shapes, int shape_count, lb_fe_fields *fields);

// ---- geometric stiffness -----------------------------------------------------------------------

/// A load: on each mass m at x the force -m (a + A x), and a force at a joint.
typedef struct lb_fe_load {
    double a[3], A[3][3];
    int joint; ///< -1 for none
    double force[3];
} lb_fe_load;

/// What the geometric stiffness of one load after the other needs.
typedef struct lb_fe_geometric {
    const lb_fe *fe;
    lb_fe_free free;
    bool *held;
    int *all;      ///< numbers of all dofs
    double *f, *y; ///< loads, and the displacements that they cause
} lb_fe_geometric;

/// Starts with the joints that are held; `K` and `M` get all dofs. To be ended, also after errors.
lb_status lb_fe_start_geometric(lb_fe_context *context, const lb_fe *fe, const int *fixed,
                                int fixed_count, lb_fe_geometric *geometric, lb_fe_matrix *K,
                                lb_fe_matrix *M);
/// The geometric stiffness of a load, over all dofs.                                   (BM-19)
///
/// @param G  of the pattern of K; its values are replaced
lb_status lb_fe_form_geometric(lb_fe_geometric *geometric, const lb_fe_load *load, lb_fe_matrix *G);
void lb_fe_end_geometric(lb_fe_geometric *geometric);

// ---- the body ----------------------------------------------------------------------------------

struct lb_flex_body {
    lb_fe_context context;
    lb_flex_options options;
    lb_flex_summary summary;
    const char *hash; ///< of the file that it comes from, or NULL
};

/// Damping matrix of modal mass M and stiffness K, both n x n; *C is NULL for none.
lb_status lb_fe_form_damping(lb_fe_context *context, const lb_damping_options *options, int n,
                             const double *M, const double *K, double **C);

/// What a beam and a frame have in common: mesh, modes or shapes, body.
typedef struct lb_fe_plan {
    const lb_frame_options *frame;
    const double *starts; ///< see lb_fe_mesh
    int motions;          ///< of a straight beam along x
    double length;        ///< of the beam, for shapes
    const lb_beam_shape *shapes;
    int shape_count;
} lb_fe_plan;
/// The plan of a beam; of a frame. What it points to is taken from the context.
lb_status lb_fe_plan_beam(lb_fe_context *context, const lb_beam_options *options, lb_fe_plan *plan);
lb_status lb_fe_plan_frame(lb_fe_context *context, const lb_frame_options *options,
                           lb_fe_plan *plan);
/// Motions of a beam along x that are left out do not move.
void lb_fe_choose_motions(lb_fe *fe, int motions);
/// Refuses a mesh that is so fine that rounding hides its modes, before it is made.                 (BM-23)
lb_status lb_fe_check_fineness(lb_fe_context *context, const lb_fe_plan *plan);
lb_status lb_fe_make_body(const lb_fe_plan *plan, const lb_allocator *allocator,
                          const lb_report *report, lb_flex_body **body);

/// Copies of a caller's options, and of all that they point to and may be of another size, over defaults.
/// What is of a newer version is reported: LB_E_VERSION.
lb_status lb_fe_take_beam(lb_fe_context *context, const lb_beam_options *given,
                          lb_beam_options *own);
lb_status lb_fe_take_frame(lb_fe_context *context, const lb_frame_options *given,
                           lb_frame_options *own);
lb_status lb_fe_take_section(const char *path, const lb_section *given, const lb_report *report,
                             lb_section *own);

/// Checks names, masses and numbers of a lump at `path`.
bool lb_fe_check_lump(lb_fe_context *context, const char *path, double mass, const double offset[3],
                      const double inertia[6]);
/// Checks a damping and, but for a list of ratios, whose number depends on the modes, all of it.
bool lb_fe_check_damping(lb_fe_context *context, const lb_damping_options *damping);
/// Checks a material, sections and stations at `path`, along a member of this length.
bool lb_fe_check_material(lb_fe_context *context, const char *path, const lb_material *material);
bool lb_fe_check_stations(lb_fe_context *context, const char *path, double length,
                          const lb_section *section, const lb_station *stations, int station_count,
                          const lb_material *material, lb_beam_theory theory);
/// The properties at a distance along a member whose sections have been checked.
lb_section lb_fe_get_section(const lb_section *section, const lb_station *stations,
                             int station_count, const lb_material *material, double at);

#endif // LB_FE_H
