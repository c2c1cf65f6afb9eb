// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How a scene moves: poses of bodies, bending of nodes and forces at chosen rows of a recording.
#ifndef LB_CLI_MOTION_H
#define LB_CLI_MOTION_H

#include "view/scene.h"

/// Arrows: a force element at one of its nodes.
typedef struct lb_cli_arrow {
    int force; ///< of the model's forces
    int node;  ///< of the scene
    bool is_torque;
} lb_cli_arrow;

typedef struct lb_cli_motion {
    long frame_count;
    long *rows;      ///< row of each frame
    double *times;   ///< s
    float *poses;    ///< frame, body: position x y z, rotation w x y z
    float *bends;    ///< frame, node that deforms: shift x y z, turn x y z, in axes of the body
    int arrow_count; ///
    lb_cli_arrow *arrows;
    float *values; ///< frame, value of the scene; NULL before lb_cli_fill_values
    float *loads;  ///< frame, arrow: x y z in the world, N or N m
} lb_cli_motion;

/// Computes the motion at rows evenly chosen, as many as fit into `budget` numbers, and `most` at
/// most; first and last row always among them.
///
/// @return false after saying why
bool lb_cli_make_motion(const lb_cli_scene *scene, long most, size_t budget, lb_cli_motion *motion);
/// The same at given rows, ascending.
bool lb_cli_make_motion_at(const lb_cli_scene *scene, const long *rows, long count,
                           lb_cli_motion *motion);
/// Poses and bends of the state that was last given to lb_compute_kinematics.
bool lb_cli_fill_bodies(const lb_cli_scene *scene, float *poses, float *bends);
/// Reads the signals that colour shapes at the frames of the motion, and sets the scales of the scene from all rows of
/// the recording.
///
/// @return false after saying why
bool lb_cli_fill_values(lb_cli_scene *scene, lb_cli_motion *motion);
void lb_cli_free_motion(lb_cli_motion *motion);

#endif // LB_CLI_MOTION_H
