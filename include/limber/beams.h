// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from beams (library limber-sim). You give lengths, sections and materials; you
// get modes with mass, stiffness, damping and second-order displacements, ready for lb_add_body.
//
//     lb_section tube = lb_default_section();
//     tube.type = LB_SECTION_TUBE;
//     tube.diameter = 0.05;
//     tube.wall = 0.002;
//     lb_modes_options modes = lb_default_modes_options();
//     modes.count = 6;
//     lb_beam_options boom = lb_default_beam_options();
//     boom.length = 2.0;
//     boom.section = &tube;
//     boom.modes = &modes;
//     lb_get_material(lb_find_material("aluminium"), &boom.material);
//     lb_flex_body *flexible;
//     lb_status status = lb_create_beam_body(&boom, NULL, &report, &flexible);
//
//     lb_body_options body = lb_default_body_options();
//     body.name = "boom";
//     body.flex = lb_get_flex_options(flexible);
//     lb_add_body(builder, &body, NULL);
//     lb_destroy_flex_body(flexible);
//
// A beam lies along x of the body frame, from x = 0 (node `root`) to its length (node `tip`). A
// frame is made of straight members between joints. See the theory manual, "Beams and frames", and
// for model files docs/guide/beams.md.
//
// Mistakes are reported with their path as in a model file. SI units, radians. Structs and arrays that the
// options point to are read while the body is made and not kept. Making a body allocates. Several threads
// may do it at the same time: the libraries of linear algebra are not all made for that, so a lock lets one
// thread at a time use them.
#ifndef LB_BEAMS_H
#define LB_BEAMS_H

#include "limber/build.h"
#include "limber/model.h"

// ---- materials ---------------------------------------------------------------------------------

/// An isotropic elastic material. Frozen: it is part of other structs.
typedef struct lb_material {
    double E;   ///< Young's modulus, Pa
    double G;   ///< shear modulus, Pa; Poisson's ratio is E / 2G - 1
    double rho; ///< density, kg/m^3
} lb_material;

/// Finds a built-in material: aluminium, steel, stainless-steel, titanium, magnesium, copper,
/// brass, invar or carbon-epoxy (quasi-isotropic laminate). aluminum is the same as aluminium.
///
/// @return its index, or LB_NOT_FOUND
LB_API int lb_find_material(const char *name);

/// Properties of a built-in material.
///
/// @param index     from lb_find_material, or from 0
/// @param material  out; unchanged on failure
/// @return LB_OK, or LB_E_ARGUMENT if there is no such material
LB_API lb_status lb_get_material(int index, lb_material *material);

// ---- sections ----------------------------------------------------------------------------------

typedef enum lb_section_type {
    LB_SECTION_GENERAL,   ///< given by A, Iy, Iz and so on
    LB_SECTION_TUBE,      ///< round; a solid rod if `wall` is zero
    LB_SECTION_RECTANGLE, ///< solid, or a box if `wall` is not zero
    LB_SECTION_I,         ///< flanges along y, web along z
    LB_SECTION_TYPE_COUNT
} lb_section_type;

/// A cross-section in the plane of the local axes y and z. Start from lb_default_section().
/// Dimensions that the type does not use are ignored. A, Iy, Iz, J, Ay and Az replace what follows
/// from the shape, where they are not zero. Sized.
typedef struct lb_section {
    size_t size;
    lb_section_type type;
    double diameter; ///< tube: outer, m
    double wall;     ///< tube, rectangle: thickness of the wall; 0 for a solid section
    double width;    ///< rectangle, I: along y
    double height;   ///< rectangle, I: along z
    double web;      ///< I: thickness of the web
    double flange;   ///< I: thickness of the flanges
    double A;        ///< area, m^2
    double Iy;       ///< integral of z^2: bending in the x-z plane, m^4
    double Iz;       ///< integral of y^2: bending in the x-y plane, m^4
    double J;        ///< torsion constant, m^4; a general section: Iy + Iz if zero
    double Ay, Az;   ///< shear areas for forces along y and z, m^2
} lb_section;

/// A general section; all numbers are zero and have to be given.
static inline lb_section lb_default_section(void)
{
    lb_section section = LB_ZEROES;
    section.size = sizeof section;
    return section;
}

/// The section at one place along a member. Between two stations of the same type the dimensions
/// vary linearly (the properties, for general sections); between different types the properties do.
/// Frozen: what may grow is the section.
typedef struct lb_station {
    double at; ///< distance from the start of the member, m
    const lb_section *section;
} lb_station;

// ---- how a beam bends --------------------------------------------------------------------------

typedef enum lb_beam_theory {
    LB_THEORY_EULER_BERNOULLI, ///< no shear deformation
    LB_THEORY_TIMOSHENKO       ///< shear deformation, from the shear areas
} lb_beam_theory;

// ---- modes -------------------------------------------------------------------------------------

typedef enum lb_modes_type {
    LB_MODES_CANTILEVER, ///< the joints of `fixed` are clamped to the body frame
    LB_MODES_FREE_FREE,  ///< elastic modes of the free body
    /// The joints of `fixed` are clamped. The modes are the lowest ones with the interfaces clamped
    /// too, and six more for each interface: its unit displacements and rotations (Craig and
    /// Bampton 1968).
    LB_MODES_CRAIG_BAMPTON,
    LB_MODES_TYPE_COUNT
} lb_modes_type;

/// Motions of a straight beam that its modes may have.
enum {
    LB_MOTION_STRETCH = 1, ///< along x
    LB_MOTION_TWIST = 2,   ///< about x
    LB_MOTION_Y = 4,       ///< bending in the x-y plane
    LB_MOTION_Z = 8,       ///< bending in the x-z plane
    LB_MOTION_ALL = 15
};

/// A load whose static deflection is added to the modes. Frozen: it is a direction at a node.
typedef struct lb_correction {
    const char *at;   ///< a named node
    double force[3];  ///< direction in body axes; its magnitude does not matter
    double moment[3]; ///< likewise
} lb_correction;

/// Which modes to compute. Start from lb_default_modes_options(). Exactly one of count, frequency
/// and effective_mass says how many; leave the others zero. Modes are mass-orthonormal and sorted
/// by frequency; their signs, and the choice among modes of equal frequency, are reproducible.
/// Theory: (BM-11). Sized.
typedef struct lb_modes_options {
    size_t size;
    lb_modes_type type;
    int count;                ///< this many, from the lowest
    double frequency;         ///< all up to this frequency, Hz
    double effective_mass;    ///< until they reach this fraction of what can move along x, y and z
    int motions;              ///< beams: a sum of LB_MOTION_...
    const char *const *fixed; ///< names of clamped nodes
    int fixed_count;          ///< 0: the node `root`
    const char *const *interfaces; ///< names of nodes, for LB_MODES_CRAIG_BAMPTON
    int interface_count;
    const lb_correction *corrections; ///< each adds one mode
    int correction_count;
} lb_modes_options;

/// Cantilever modes with all motions. Their number has to be given.
static inline lb_modes_options lb_default_modes_options(void)
{
    lb_modes_options options = LB_ZEROES;
    options.size = sizeof options;
    options.motions = LB_MOTION_ALL;
    return options;
}

/// Families of shapes by formula, which straight beams may use instead of computed modes. They are
/// used as they are: the modal coordinate is the amplitude. s = x / length, k counts from 1. The
/// first five are for bending. Those of clamped and free ends are the eigenfunctions of a uniform
/// beam, such as (cosh - cos) - sigma (sinh - sin); clamped-free ones are 2 at the tip, up to sign.
typedef enum lb_shape_family {
    LB_SHAPE_CLAMPED_FREE,
    LB_SHAPE_CLAMPED_PINNED,
    LB_SHAPE_CLAMPED_CLAMPED,
    LB_SHAPE_PINNED_PINNED, ///< sin(k pi s)
    LB_SHAPE_FREE_FREE,
    LB_SHAPE_CLAMPED_FREE_BAR,    ///< stretch or twist: sin((2k-1) pi s / 2)
    LB_SHAPE_CLAMPED_CLAMPED_BAR, ///< stretch or twist: sin(k pi s)
    LB_SHAPE_FREE_FREE_BAR,       ///< stretch or twist: cos(k pi s)
    LB_SHAPE_POLYNOMIAL,          ///< sum of c_i s^i
    LB_SHAPE_FAMILY_COUNT
} lb_shape_family;

/// Shapes of one family. Frozen: new kinds of shapes will be new families.
typedef struct lb_beam_shape {
    lb_shape_family family;
    int motion;                 ///< one of LB_MOTION_...
    int count;                  ///< this many, from the first of the family; 1 for a polynomial
    const double *coefficients; ///< polynomial: c_0, c_1, ...
    int coefficient_count;
} lb_beam_shape;

// ---- damping -----------------------------------------------------------------------------------

/// Modal damping. Start from lb_default_damping_options(). Give at most one of ratio, ratios,
/// rayleigh and table. Sized.
typedef struct lb_damping_options {
    size_t size;
    double ratio;         ///< modal damping ratio of every mode
    const double *ratios; ///< one per mode, in the order of frequency
    int ratio_count;
    double rayleigh[2]; ///< C = rayleigh[0] M + rayleigh[1] K: 1/s, s
    const double (
        *table)[2]; ///< frequency in Hz (rising) and ratio; linear between, constant beyond
    int table_count;
} lb_damping_options;

/// No damping.
static inline lb_damping_options lb_default_damping_options(void)
{
    lb_damping_options options = LB_ZEROES;
    options.size = sizeof options;
    return options;
}

// ---- a beam ------------------------------------------------------------------------------------

/// A lumped mass on a beam. Start from lb_default_lump(). Sized.
typedef struct lb_lump {
    size_t size;
    const char *at;    ///< a named node of the beam; NULL to use `x`
    double x;          ///< distance along the beam, m
    double mass;       ///< kg
    double offset[3];  ///< from the axis of the beam to its centre of mass, body axes
    double inertia[6]; ///< xx yy zz xy xz yz about that centre, body axes
} lb_lump;

/// A lump at the root, without mass.
static inline lb_lump lb_default_lump(void)
{
    lb_lump lump = LB_ZEROES;
    lump.size = sizeof lump;
    return lump;
}

/// A named node along a beam, besides `root` and `tip`. Frozen: a name and a place.
typedef struct lb_beam_node {
    const char *name;
    double x; ///< distance along the beam, m
} lb_beam_node;

/// A straight beam. Start from lb_default_beam_options(). Sized.
typedef struct lb_beam_options {
    size_t size;
    double length; ///< m
    lb_material material;
    const lb_section *section;     ///< of a uniform beam; not read if there are stations
    const lb_modes_options *modes; ///< needed unless there are shapes
    const lb_station *stations;    ///< at least two, the first at 0, the last at the length
    int station_count;
    const lb_beam_shape *shapes; ///< used instead of computed modes
    int shape_count;
    const lb_damping_options *damping; ///< NULL for none
    lb_beam_theory theory;
    bool rotary;       ///< rotary inertia of the sections in bending; in torsion it is always there
    bool second_order; ///< second-order displacements; fidelity `consistent` only
    const lb_lump *lumps;
    int lump_count;
    const lb_beam_node *nodes;
    int node_count;
    int element_count; ///< of the whole beam; 0 to choose by the number of modes
    lb_fidelity fidelity;
} lb_beam_options;

/// An Euler-Bernoulli beam with rotary inertia and second-order displacements, no damping. Length,
/// material, section and modes have to be given.
static inline lb_beam_options lb_default_beam_options(void)
{
    lb_beam_options options = LB_ZEROES;
    options.size = sizeof options;
    options.rotary = true;
    options.second_order = true;
    return options;
}

// ---- a frame -----------------------------------------------------------------------------------

/// A joint: members that meet here are rigidly connected. It becomes a named node. Start from
/// lb_default_joint(). Sized.
typedef struct lb_joint {
    size_t size;
    const char *name;
    double position[3]; ///< in the body frame, m
    double rotation[4]; ///< of the node's frame: unit quaternion w x y z
    double mass;        ///< lumped mass here, kg
    double offset[3];   ///< from the joint to the centre of that mass, body axes
    double inertia[6];  ///< xx yy zz xy xz yz about that centre, body axes
} lb_joint;

/// A massless joint at the origin, not rotated. It has no name yet.
static inline lb_joint lb_default_joint(void)
{
    lb_joint joint = LB_ZEROES;
    joint.size = sizeof joint;
    joint.rotation[0] = 1.0;
    return joint;
}

/// A member from one joint to another, straight or along a polygon. Start from lb_default_member().
/// Sized.
typedef struct lb_member {
    size_t size;
    const char *joints[2];
    lb_material material;
    const lb_section *section;  ///< of a uniform member; not read if there are stations
    const lb_station *stations; ///< by distance along the member, as for a beam
    int station_count;
    const double (*path)[3]; ///< corners between the joints, in the body frame; NULL if straight
    int path_count;
    double up[3];      ///< local z is on this side; all zero: body z, or y for a member along z
    int element_count; ///< 0 to choose by its length
} lb_member;

/// A straight member. Joints, material and section have to be given.
static inline lb_member lb_default_member(void)
{
    lb_member member = LB_ZEROES;
    member.size = sizeof member;
    return member;
}

/// A frame. Start from lb_default_frame_options(). Sized.
typedef struct lb_frame_options {
    size_t size;
    const lb_joint *joints;
    int joint_count;
    const lb_member *members;
    int member_count;
    const lb_modes_options *modes;
    const lb_damping_options *damping; ///< NULL for none
    lb_beam_theory theory;
    bool rotary, second_order; ///< as for a beam
    lb_fidelity fidelity;
} lb_frame_options;

/// Euler-Bernoulli members with rotary inertia and second-order displacements, no damping. Joints,
/// members and modes have to be given.
static inline lb_frame_options lb_default_frame_options(void)
{
    lb_frame_options options = LB_ZEROES;
    options.size = sizeof options;
    options.rotary = true;
    options.second_order = true;
    return options;
}

// ---- making a body -----------------------------------------------------------------------------

/// A flexible body that has been computed. Opaque.
typedef struct lb_flex_body lb_flex_body;

/// Makes a flexible body from a beam. Allocates.
///
/// @param allocator  NULL for malloc and free (LAPACK, MUMPS and SuperLU always use these)
/// @param report     receives errors and warnings; NULL to drop them
/// @param body       out: to be freed by lb_destroy_flex_body; NULL on failure
/// @return LB_OK; LB_E_MODEL for a mistake in the options (reported); LB_E_SINGULAR if the modes
///         cannot be found (reported); LB_E_VERSION if the options, or what they point to, are from
///         a newer version (reported); LB_E_MEMORY
LB_API lb_status lb_create_beam_body(const lb_beam_options *options, const lb_allocator *allocator,
                                     const lb_report *report, lb_flex_body **body);

/// Makes a flexible body from a frame. Allocates. Parameters and errors as lb_create_beam_body.
LB_API lb_status lb_create_frame_body(const lb_frame_options *options,
                                      const lb_allocator *allocator, const lb_report *report,
                                      lb_flex_body **body);

/// Frees a body. NULL is allowed.
LB_API void lb_destroy_flex_body(lb_flex_body *body);

/// The body in the form that lb_add_body takes. It lives as long as the body; models keep copies.
LB_API const lb_flex_options *lb_get_flex_options(const lb_flex_body *body);

/// The finite-element model behind a body. Sized.
typedef struct lb_flex_summary {
    size_t size;
    int element_count;
    int dof_count;         ///< of the finite-element model, with its supports
    double mass;           ///< kg
    double next_frequency; ///< Hz: the lowest mode that was left out; 0 if unknown
} lb_flex_summary;

// ---- flexible bodies of a model ----------------------------------------------------------------

/// What the modes of a flexible body can represent, with its frame clamped. Sized.
typedef struct lb_modal_summary {
    size_t size;
    double
        sums[6]; ///< effective masses of all modes: kg m^2 about x y z of the frame, kg along them
    double
        whole[6]; ///< inertia of the body about its frame, and its mass: what all modes could reach
    /// The modes are good for spin about x, y or z up to this rate, rad/s: leaving out the highest
    /// quarter of them (at least one) changes the lowest frequency by at most 1 %. It is not above
    /// the highest frequency of the modes, nor above the spin at which the body itself becomes
    /// unstable. Without second-order displacements it is a tenth of the lowest frequency. Zero if
    /// nothing can be said.
    double spin_rate;
} lb_modal_summary;

/// Frequencies and effective masses of a flexible body of any origin. They belong to the
/// eigenvectors of its modal stiffness and mass, so its shapes need not be orthonormal. Allocates.
/// Time grows with the cube of the number of modes.
///
/// @param frequencies  out: mode_count, ascending, Hz
/// @param effective    out: mode_count x 6, units as in `sums`
/// @param summary      out; set `size` before
/// @return LB_OK; LB_E_SINGULAR if a combination of modes has no mass; LB_E_VERSION if `summary` is
///         from a newer version; LB_E_MEMORY
LB_API lb_status lb_compute_modal_summary(const lb_model *model, int body, double *frequencies,
                                          double *effective, lb_modal_summary *summary);

#endif // LB_BEAMS_H
