// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from beams (library limber-flex): lengths, sections and materials in, modes with
// mass, stiffness, damping and second-order displacement out, as lb_add_body takes them.
//
//     lb_beam_options boom = lb_default_beam_options();
//     boom.length = 2.0;
//     boom.section = (lb_section){.type = LB_SECTION_TUBE, .diameter = 0.05, .wall = 0.002};
//     lb_find_material("aluminium", &boom.material);
//     boom.modes.count = 6;
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
// frame is any number of straight members between joints. The theory chapter "Beams and frames"
// derives what is computed; the guide, docs/guide/beams.md, has the same by model files.
//
// What is wrong goes to the report, with its path in the words of the model file. SI units, radians.
// Creating a body allocates and is meant for set-up. Several threads may do it at the same time. ARPACK,
// which finds the modes of large frames, keeps state of its own, so a lock in the library lets one
// thread at a time use it.
#ifndef LB_BEAMS_H
#define LB_BEAMS_H

#include "limber/build.h"
#include "limber/model.h"

// ---- materials ---------------------------------------------------------------------------------

/// An isotropic elastic material.
typedef struct lb_material {
    double E;   ///< Young's modulus, Pa
    double G;   ///< shear modulus, Pa; Poisson's ratio is E / 2G - 1
    double rho; ///< density, kg/m^3
} lb_material;

/// A material of the built-in table: aluminium, steel, stainless-steel, titanium, magnesium, copper,
/// brass, invar, carbon-epoxy (quasi-isotropic laminate).
///
/// @return LB_OK, or LB_E_ARGUMENT for an unknown name; the material is then left as it was
LB_API lb_status lb_find_material(const char *name, lb_material *material);
/// Name number i of that table; NULL behind its end.
LB_API const char *lb_get_material_name(int i);

// ---- sections ----------------------------------------------------------------------------------

typedef enum lb_section_type {
    LB_SECTION_GENERAL,   ///< by its properties
    LB_SECTION_TUBE,      ///< round; a solid rod if `wall` is zero
    LB_SECTION_RECTANGLE, ///< solid, or a box with `wall`
    LB_SECTION_I,         ///< flanges along y, web along z
    LB_SECTION_TYPE_COUNT
} lb_section_type;

/// A cross-section in the plane of the local axes y and z. What the type does not use is ignored,
/// but for A, Iy, Iz, J, Ay, Az: where they are not zero they replace what follows from the shape.
typedef struct lb_section {
    lb_section_type type;
    double diameter; ///< tube: outer
    double wall;     ///< tube, rectangle: thickness of the wall; 0 for a solid section
    double width;    ///< rectangle, I: along y
    double height;   ///< rectangle, I: along z
    double web;      ///< I: thickness of the web
    double flange;   ///< I: thickness of the flanges
    double A;        ///< area
    double Iy;       ///< integral of z^2: bending in the x-z plane
    double Iz;       ///< integral of y^2: bending in the x-y plane
    double J;        ///< torsion constant; general: Iy + Iz if zero
    double Ay, Az;   ///< shear areas for forces along y and z
} lb_section;

/// The properties of a section as type LB_SECTION_GENERAL. Shear areas: rectangle 5/6 of the area,
/// tube after Cowper, I the web's area along z and 5/6 of the flanges' along y, box its walls'
/// areas; a general section keeps what it has, zero if unknown.
///
/// @param material  for Poisson's ratio
/// @param report    receives what is wrong, at `where`; NULL to drop it
/// @return LB_OK or LB_E_MODEL
LB_API lb_status lb_compute_section(const lb_section *section, const lb_material *material,
                                    const char *where, const lb_report *report,
                                    lb_section *properties);

/// "general", "tube" and so on.
LB_API const char *lb_get_section_type_name(lb_section_type type);

/// The section at one place along a member. Between two stations of one type the dimensions (of
/// general sections, the properties) vary linearly; between different types the properties do.
typedef struct lb_station {
    double at; ///< distance from the start of the member, m
    lb_section section;
} lb_station;

// ---- how a beam bends --------------------------------------------------------------------------

typedef enum lb_beam_theory {
    LB_THEORY_EULER_BERNOULLI, ///< no shear deformation
    LB_THEORY_TIMOSHENKO       ///< shear deformation, by the shear areas
} lb_beam_theory;

// ---- modes -------------------------------------------------------------------------------------

typedef enum lb_modes_type {
    LB_MODES_CANTILEVER, ///< some joints clamped to the body frame: those of `fixed`
    LB_MODES_FREE_FREE,  ///< the elastic modes of the body adrift
    /// Joints of `fixed` clamped; the lowest modes with the interfaces clamped too, and six more for
    /// each interface: its unit displacements and turns (Craig and Bampton 1968).
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

/// A load whose static deflection becomes a mode of its own.
typedef struct lb_correction {
    const char *at;   ///< a named node
    double force[3];  ///< direction, body axes; its size does not matter
    double moment[3]; ///< likewise
} lb_correction;

/// Which modes. One of count, frequency and effective_mass says how many; the others are zero.
/// Modes are orthonormal with respect to mass and sorted by frequency. Their sign, and the choice
/// within a set of equal frequencies, are fixed. Theory: (BM-11).
typedef struct lb_modes_options {
    lb_modes_type type;
    int count;             ///< the lowest so many
    double frequency;      ///< all up to this frequency, Hz
    double effective_mass; ///< as many as move this fraction of what can be moved along x, y and z
    int motions;           ///< beams: a sum of LB_MOTION_...; LB_MOTION_ALL for all
    const char *const *fixed;      ///< clamped nodes
    int fixed_count;               ///< 0: the node `root`
    const char *const *interfaces; ///< LB_MODES_CRAIG_BAMPTON
    int interface_count;
    const lb_correction *corrections; ///< each one mode more
    int correction_count;
} lb_modes_options;

/// Shapes by formula, for straight beams, in place of computed modes. They are taken as they are:
/// the modal coordinate is the amplitude. s = x / length.
typedef enum lb_shape_family {
    LB_SHAPE_CLAMPED_FREE,    ///< bending; 2 at the tip up to sign: the eigenfunctions of a uniform
    LB_SHAPE_CLAMPED_PINNED,  ///< beam with these ends, (cosh - cos) - sigma (sinh - sin) and the
    LB_SHAPE_CLAMPED_CLAMPED, ///< like
    LB_SHAPE_PINNED_PINNED,   ///< bending; sin(k pi s)
    LB_SHAPE_FREE_FREE,       ///< bending
    LB_SHAPE_CLAMPED_FREE_BAR,    ///< stretch or twist; sin((2k-1) pi s / 2)
    LB_SHAPE_CLAMPED_CLAMPED_BAR, ///< stretch or twist; sin(k pi s)
    LB_SHAPE_FREE_FREE_BAR,       ///< stretch or twist; cos(k pi s)
    LB_SHAPE_POLYNOMIAL,          ///< sum of c_i s^i
    LB_SHAPE_FAMILY_COUNT
} lb_shape_family;

typedef struct lb_beam_shape {
    lb_shape_family family;
    int motion; ///< one of LB_MOTION_...
    int count;  ///< the first so many of the family; 1 for a polynomial
    const double *coefficients;
    int coefficient_count;
} lb_beam_shape;

/// "clamped-free-bar" and so on.
LB_API const char *lb_get_shape_family_name(lb_shape_family family);

// ---- damping -----------------------------------------------------------------------------------

/// How the modes are damped. At most one of the following; none of them means no damping.
typedef struct lb_damping_options {
    double ratio;         ///< of critical damping, of every mode
    const double *ratios; ///< one a mode, by frequency
    int ratio_count;
    double rayleigh[2];       ///< C = rayleigh[0] M + rayleigh[1] K: 1/s, s
    const double (*table)[2]; ///< frequency in Hz (rising), ratio; linear between, constant beyond
    int table_count;
} lb_damping_options;

// ---- a beam ------------------------------------------------------------------------------------

/// A lumped mass.
typedef struct lb_lump {
    const char *at;    ///< a named node of the beam; NULL for `x`
    double x;          ///< along the beam
    double mass;       ///< kg
    double offset[3];  ///< from the axis to its centre of mass, body axes
    double inertia[6]; ///< xx yy zz xy xz yz about that, body axes
} lb_lump;

/// A named node along a beam, besides `root` and `tip`.
typedef struct lb_beam_node {
    const char *name;
    double x;
} lb_beam_node;

/// A straight beam. Start from lb_default_beam_options().
typedef struct lb_beam_options {
    size_t size; ///< of this struct, set by lb_default_beam_options
    double length;
    lb_section section;         ///< if there are no stations
    const lb_station *stations; ///< at least two, the first at 0, the last at the length
    int station_count;
    lb_material material;
    lb_beam_theory theory;
    int rotary; ///< whether sections resist being turned in bending; about the axis they always do
    int second_order; ///< whether second-order displacements are made (consistent fidelity only)
    const lb_lump *lumps;
    int lump_count;
    const lb_beam_node *nodes;
    int node_count;
    int element_count; ///< of the whole beam; 0 for as many as the modes need
    lb_modes_options modes;
    const lb_beam_shape *shapes; ///< in place of `modes`
    int shape_count;
    lb_damping_options damping;
    lb_fidelity fidelity;
} lb_beam_options;

/// Euler and Bernoulli's beam with rotary inertia and second-order displacements; cantilever modes of
/// all motions, whose number is still to be given.
LB_API lb_beam_options lb_default_beam_options(void);

// ---- a frame -----------------------------------------------------------------------------------

/// A joint: members that meet here are rigidly connected. It becomes a named node.
typedef struct lb_joint {
    const char *name;
    double position[3]; ///< in the body frame
    double rotation[4]; ///< of the node's frame, unit quaternion w x y z
    double mass;        ///< lumped here
    double offset[3];
    double inertia[6];
} lb_joint;

/// A member from one joint to another, straight or along a polygon.
typedef struct lb_member {
    const char *joints[2];
    const double (*path)[3]; ///< corners between the joints; NULL for a straight member
    int path_count;
    lb_section section;         ///< if there are no stations
    const lb_station *stations; ///< by the distance along the member, as for a beam
    int station_count;
    lb_material material;
    double up[3];      ///< local z leans to this side; all zero: body z, or y for a member along z
    int element_count; ///< 0: by its length
} lb_member;

/// A frame. Start from lb_default_frame_options().
typedef struct lb_frame_options {
    size_t size;
    const lb_joint *joints;
    int joint_count;
    const lb_member *members;
    int member_count;
    lb_beam_theory theory;
    int rotary, second_order; ///< as for a beam
    lb_modes_options modes;
    lb_damping_options damping;
    lb_fidelity fidelity;
} lb_frame_options;

LB_API lb_frame_options lb_default_frame_options(void);
/// A joint without mass at the origin.
LB_API lb_joint lb_default_joint(void);

// ---- making a body -----------------------------------------------------------------------------

typedef struct lb_flex_body lb_flex_body;

/// Makes a flexible body of a beam.
///
/// @param allocator  NULL for malloc and free (LAPACK, ARPACK and SuperLU use these anyway)
/// @param report     receives errors and warnings; NULL to drop them
/// @param body       out: to be freed by lb_destroy_flex_body; NULL on failure
/// @return LB_OK, LB_E_MODEL if the beam is not one (reported), LB_E_ARGUMENT if options->size is
///         not that of a known version, LB_E_SINGULAR if the modes could not be found (reported), or
///         LB_E_MEMORY
LB_API lb_status lb_create_beam_body(const lb_beam_options *options, const lb_allocator *allocator,
                                     const lb_report *report, lb_flex_body **body);
/// The same of a frame.
LB_API lb_status lb_create_frame_body(const lb_frame_options *options,
                                      const lb_allocator *allocator, const lb_report *report,
                                      lb_flex_body **body);
/// NULL is fine.
LB_API void lb_destroy_flex_body(lb_flex_body *body);

/// What lb_add_body needs. It lives as long as the body here; a model keeps copies.
LB_API const lb_flex_options *lb_get_flex_options(const lb_flex_body *body);

/// The finite-element model behind a body, and what of it the modes leave out.
typedef struct lb_flex_summary {
    int element_count;
    int dof_count;         ///< of the finite-element model, with its supports
    double mass;           ///< kg
    double next_frequency; ///< Hz: the lowest mode that was not taken; 0 if unknown
} lb_flex_summary;
LB_API lb_flex_summary lb_get_flex_summary(const lb_flex_body *body);

// ---- what a flexible body can do ---------------------------------------------------------------

/// A flexible body of a model, made in whatever way, with its frame held.
typedef struct lb_modal_summary {
    double sums[6];  ///< effective masses of all modes: kg m^2 about x y z of the frame, kg along
    double whole[6]; ///< the body's inertia about its frame and its mass: what all modes could have
    /// Up to this rate, rad/s, of spin about any of its axes x, y, z the modes will do (up to their
    /// highest frequency, and as far as the body itself stands the spin): leaving out the
    /// highest quarter of them (at least one) changes the lowest frequency by at most 1 %. Without
    /// second-order displacements: a tenth of the lowest frequency. Zero if there is nothing to say.
    double spin_rate;
} lb_modal_summary;

/// Frequencies and effective masses of a flexible body's modes: of the eigenvectors of its modal
/// stiffness and mass, whether or not its shapes are orthonormal.
///
/// @param frequencies  out: mode_count, Hz, rising
/// @param effective    out: mode_count x 6, as in the sums
/// @return LB_OK, LB_E_SINGULAR if a combination of modes has no mass, or LB_E_MEMORY
LB_API lb_status lb_compute_modal_summary(const lb_model *model, int body, double *frequencies,
                                          double *effective, lb_modal_summary *summary);

#endif // LB_BEAMS_H
