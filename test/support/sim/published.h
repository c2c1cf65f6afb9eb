// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Problems with numbers from elsewhere that the files of examples/ state: the numbers, and how they
// are found in a run. Shared by the reference tests and by the program that writes docs/validation.
#ifndef LB_TEST_PUBLISHED_H
#define LB_TEST_PUBLISHED_H

#include "course.h"

/// A history: at each time of a table, numbers to compare.
typedef struct lb_published {
    const char *example;            ///< file of examples/
    const double *rows;             ///< time, then the numbers, then perhaps more
    int row_count, row_size, count; ///< count: numbers to compare in a row
    /// The same numbers out of a run; `reference` (or NULL) settles the sign of a quaternion.
    void (*measure)(lb_course *course, const double *reference, double *found);
} lb_published;

/// A row: its time, then the numbers.
static inline const double *lb_get_published_row(const lb_published *problem, int i)
{
    return problem->rows + i * problem->row_size;
}

/// Runs a history; `check` sees every row, and the numbers found for it.
void lb_follow_published(const lb_published *problem,
                         void (*check)(const double *row, const double *found));

enum { LB_PUBLISHED_MAX = 32 }; ///< no row has more numbers

extern const lb_published lb_published_pendulum;  ///< x, y, vx, vy, tension
extern const lb_published lb_published_free_body; ///< angular velocity, quaternion
extern const lb_published lb_published_rods;      ///< angles, rates; then the error of the source
extern const lb_published lb_published_babyboot;  ///< angles in degrees, rates, accelerations
extern const lb_published lb_published_babyboot_end; ///< the same at 10 s, as published
/// Position, quaternion, velocity, angular velocity, acceleration, angular acceleration; force and
/// torque on the ground.
extern const lb_published lb_published_oblique;
extern const lb_published lb_published_cubes; ///< moment and force at each pin: on parent, on child
extern const lb_published lb_published_arm;   ///< axial, bending coordinate of each link; tip
extern const lb_published lb_published_straight_arm; ///< the same, without `trim`
extern const lb_published lb_published_bar;          ///< displacement of the tip
extern const lb_published lb_published_lag;          ///< displacement of the tip across the beam
extern const lb_published
    lb_published_kane_lag; ///< the same, of the model linear in its coordinates

extern const lb_published lb_published_four_bars;     ///< x, y, vx, vy, angle, rate
extern const lb_published lb_published_four_bars_end; ///< x, y, vx, vy at 10 s, as published
extern const lb_published lb_published_four_bars_40;  ///< as the first
/// Seven angles, rates, accelerations, six multipliers: as published, and computed anew.
extern const lb_published lb_published_andrews, lb_published_andrews_again;
extern const lb_published lb_published_bricard;          ///< position, velocity
extern const lb_published lb_published_slider_crank;     ///< angle, rate
extern const lb_published lb_published_slider_crank_end; ///< the same at 3 s, as published
extern const lb_published lb_published_governor; ///< arms, slider, shaft: coordinates, then rates
extern const lb_published lb_published_governor_rods; ///< likewise
/// Crank and slider, each with its speed; centre and angular velocity of the rod, force on it.
extern const lb_published lb_published_spatial;
extern const lb_published lb_published_spatial_sum; ///< one number, as published
/// Angle of the rod, modes, slider; rates of the first three; force of the rail.
extern const lb_published lb_published_flexible_crank;

/// Three bars that hang between two pins.
typedef struct lb_hanging_bars {
    double angles[3];   ///< degrees
    double pins[2];     ///< vertical force of each pin on its bar
    double compression; ///< of the middle bar
} lb_hanging_bars;
void lb_compute_hanging_bars(lb_hanging_bars *bars);
extern const double lb_hanging_angles[3], lb_hanging_pin, lb_hanging_compression;

/// The robot in one state of motion, and at rest there.
typedef struct lb_kuka {
    double position[3], torques[7], torques_at_rest[7];
    double wrenches[7][6]; ///< moment and force on each link, in world axes
} lb_kuka;
void lb_compute_kuka(lb_kuka *kuka);
extern const double lb_kuka_position[3], lb_kuka_torques[7], lb_kuka_torques_at_rest[7];
extern const double lb_kuka_wrenches[7][6];

/// Lowest frequency of the bar, rad/s.
double lb_find_bar_frequency(void);
extern const double lb_bar_frequency;

/// Largest lag of a spun-up beam, m, and when, s: the tip of body `end` against the driven angle,
/// entry `angle_index` of q.
void lb_find_largest_lag(const char *example, const char *end, int angle_index, double peak[2]);
extern const double lb_lag_peak[2]; ///< of the whole quadratic field, as lb_published_lag

/// First three torsional frequencies of a strip that spins about the normal of its plane, rad/s.
void lb_find_strip_frequencies(double spin, double found[3]);
typedef struct lb_strip_row {
    double spin, frequencies[3]; ///< rad/s
} lb_strip_row;
extern const lb_strip_row lb_strip_rows[4];
/// Angle of the end of the strip under a torque of 0.5 N m while a force of 2000 N stretches it, rad.
double lb_find_strip_angle(void);
extern const double lb_strip_angle;

/// The text of examples/spin_up.yaml without its second-order displacements; the caller frees it.
char *lb_read_spin_up_without_second_order(void);

#endif // LB_TEST_PUBLISHED_H
