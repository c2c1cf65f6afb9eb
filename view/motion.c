// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// How a scene moves, computed by the engine from the recorded coordinates, and the signals that colour its shapes.
#include "view/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "view/figure.h"
#include "view/replay.h"

// ---- one frame -----------------------------------------------------------------------------------

bool lb_cli_fill_bodies(const lb_cli_scene *s, float *poses, float *bends)
{
    const lb_cli_recording *r = s->recording;
    const int body_count = lb_get_body_count(r->model);
    for (int k = 0; k < body_count; ++k) {
        lb_node_motion motion;
        if (lb_compute_node_motion(r->model, r->work, k, 0, &motion) < 0) {
            return false;
        }
        for (int i = 0; i < 3; ++i) {
            poses[7 * k + i] = (float)motion.position[i];
        }
        for (int i = 0; i < 4; ++i) {
            poses[7 * k + 3 + i] = (float)motion.rotation[i];
        }
        if (lb_get_mode_count(r->model, k) == 0) {
            continue;
        }
        // what is left of a node's pose in the body's frame once its place at rest is taken off
        const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
        const lb_vec3 p = lb_vec3_from(motion.position);
        for (int n = s->first_node[k]; n < s->first_node[k + 1]; ++n) {
            const lb_cli_scene_node *node = &s->nodes[n];
            if (node->flexible < 0) {
                continue;
            }
            if (lb_compute_node_motion(r->model, r->work, k, node->node, &motion) < 0) {
                return false;
            }
            const lb_vec3 at = lb_mat3_tmul_vec(&R, lb_vec3_sub(lb_vec3_from(motion.position), p));
            const lb_vec3 shift = lb_vec3_sub(at, node->pose.p);
            const lb_mat3 world = lb_quat_to_mat3(lb_quat_from(motion.rotation)),
                          Rt = lb_mat3_transpose(&R), local = lb_mat3_mul(&Rt, &world),
                          bent = lb_mat3_mul_t(&local, &node->pose.R);
            const lb_vec3 turn = lb_quat_log(lb_quat_from_mat3(&bent));
            float *b = bends + 6 * node->flexible;
            b[0] = (float)shift.x;
            b[1] = (float)shift.y;
            b[2] = (float)shift.z;
            b[3] = (float)turn.x;
            b[4] = (float)turn.y;
            b[5] = (float)turn.z;
        }
    }
    return true;
}

static lb_vec3 to_world(const lb_cli_recording *r, const lb_node_force *load, lb_vec3 f)
{
    lb_node_motion motion;
    if (load->axes == LB_AXES_WORLD ||
        lb_compute_node_motion(r->model, r->work, load->body,
                               load->axes == LB_AXES_BODY ? 0 : load->node, &motion) < 0) {
        return f;
    }
    const lb_mat3 R = lb_quat_to_mat3(lb_quat_from(motion.rotation));
    return lb_mat3_mul_vec(&R, f);
}

static void fill_loads(const lb_cli_scene *s, const lb_instant *instant, lb_cli_motion *m,
                       float *out)
{
    const lb_cli_recording *r = s->recording;
    int arrow = 0;
    for (int i = 0; i < lb_get_force_count(r->forces); ++i) {
        lb_node_force loads[2];
        int count;
        const bool good = lb_compute_force_loads(r->forces, i, instant, loads, &count) >= 0;
        for (int k = 0; k < count; ++k, ++arrow) {
            const lb_node_force *load = &loads[k];
            if (m->arrows) {
                m->arrows[arrow].force = i;
                m->arrows[arrow].node = lb_cli_get_scene_node(s, load->body, load->node);
                m->arrows[arrow].is_torque =
                    lb_get_force_info(r->forces, i).type == LB_FORCE_TORQUE;
            }
            if (out) {
                const double *f = load->force + (m->arrows[arrow].is_torque ? 0 : 3);
                const lb_vec3 w = to_world(r, load, lb_vec3_from(f));
                const bool acts = good && lb_get_force_info(r->forces, i).is_enabled;
                out[3 * arrow] = acts ? (float)w.x : 0.0f;
                out[3 * arrow + 1] = acts ? (float)w.y : 0.0f;
                out[3 * arrow + 2] = acts ? (float)w.z : 0.0f;
            }
        }
    }
    m->arrow_count = arrow;
}

// The same place with the modal coordinates multiplied.
static bool enlarge(const lb_cli_scene *s, double *q, const double *v)
{
    const lb_cli_recording *r = s->recording;
    for (int k = 0; k < lb_get_body_count(r->model); ++k) {
        double *eta = q + lb_get_q_offset(r->model, k);
        for (int i = 0; i < lb_get_mode_count(r->model, k); ++i) {
            eta[i] *= s->deformation;
        }
    }
    return lb_compute_kinematics(r->model, r->work, q, v, NULL) >= 0;
}

// ---- all frames ----------------------------------------------------------------------------------

void lb_cli_free_motion(lb_cli_motion *m)
{
    free(m->rows);
    free(m->times);
    free(m->poses);
    free(m->bends);
    free(m->arrows);
    free(m->loads);
    free(m->values);
    *m = (lb_cli_motion){0};
}

bool lb_cli_make_motion_at(const lb_cli_scene *s, const long *rows, long count, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    const size_t frames = (size_t)count, bodies = (size_t)lb_get_body_count(r->model),
                 flexible = (size_t)s->flexible_count;
    const size_t q_count = (size_t)lb_get_q_count(r->model) + 1,
                 v_count = (size_t)lb_get_v_count(r->model) + 1;
    double *q = lb_cli_calloc(q_count + v_count, sizeof *q), *v = q ? q + q_count : NULL;
    *m = (lb_cli_motion){.frame_count = count};
    // an arrow for each load, counted at the neutral configuration that the scene left
    const size_t room = 2 * (size_t)lb_get_force_count(r->forces);
    m->arrows = lb_cli_calloc(room + 1, sizeof *m->arrows);
    m->rows = lb_cli_calloc(frames + 1, sizeof *m->rows);
    m->times = lb_cli_calloc(frames + 1, sizeof *m->times);
    m->poses = lb_cli_calloc(frames * bodies * 7 + 1, sizeof *m->poses);
    m->bends = lb_cli_calloc(frames * flexible * 6 + 1, sizeof *m->bends);
    m->loads = lb_cli_calloc(frames * room * 3 + 1, sizeof *m->loads);
    bool good = q && m->arrows && m->rows && m->times && m->poses && m->bends && m->loads;
    if (!good) {
        lb_cli_complain("the motion does not fit into memory");
    }
    int event = 0;
    for (long f = 0; good && f < count; ++f) {
        good = lb_cli_move_to_row(r, rows[f], q, v, NULL);
        if (!good) {
            const char *why = lb_get_results_message(r->results);
            lb_cli_complain("cannot compute the motion at row %ld%s%s", rows[f], why[0] ? ": " : "",
                            why);
            break;
        }
        if (s->deformation != 1.0) {
            good = enlarge(s, q, v);
        }
        m->rows[f] = rows[f];
        m->times[f] = r->times[rows[f]];
        const lb_instant instant = {.size = sizeof instant,
                                    .model = r->model,
                                    .work = r->work,
                                    .t = m->times[f],
                                    .q = q,
                                    .v = v};
        event = lb_cli_replay(r, event, m->times[f], lb_cli_switch_force, r->forces);
        good = lb_cli_fill_bodies(s, m->poses + (size_t)f * bodies * 7,
                                  m->bends + (size_t)f * flexible * 6);
        if (f == 0) {
            fill_loads(s, &instant, m, NULL);
        }
        fill_loads(s, &instant, m, m->loads + (size_t)f * (size_t)m->arrow_count * 3);
    }
    free(q);
    if (!good) {
        lb_cli_free_motion(m);
    }
    return good;
}

bool lb_cli_make_motion(const lb_cli_scene *s, long most, size_t budget, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    const size_t each = 7 * (size_t)lb_get_body_count(r->model) + 6 * (size_t)s->flexible_count +
                        6 * (size_t)lb_get_force_count(r->forces) + (size_t)s->value_count + 1;
    long count = r->row_count;
    count = count < most ? count : most;
    count = (size_t)count * each <= budget ? count : (long)(budget / each);
    count = count < 2 && r->row_count > 1 ? 2 : count;
    long *rows = lb_cli_malloc(((size_t)count + 1) * sizeof *rows);
    if (!rows) {
        lb_cli_run_out();
        return false;
    }
    for (long i = 0; i < count; ++i) {
        rows[i] = count > 1
                      ? (long)llround((double)i * (double)(r->row_count - 1) / (double)(count - 1))
                      : 0;
    }
    const bool good = lb_cli_make_motion_at(s, rows, count, m);
    free(rows);
    return good;
}

// ---- values ------------------------------------------------------------------------------------

enum { BLOCK = 64 }; // rows computed at once

// What is known of `value` at a row: it widens the scale, and some rows are frames. `frame` is that of an earlier row, or 0.
static void take_value(lb_cli_scene *s, lb_cli_motion *m, size_t value, long row, double x,
                       long *frame)
{
    lb_cli_scale *scale = &s->scales[s->values[value].scale];
    if (isfinite(x)) {
        scale->low = fmin(scale->low, x);
        scale->high = fmax(scale->high, x);
    }
    while (*frame < m->frame_count && m->rows[*frame] < row) {
        ++*frame;
    }
    if (*frame < m->frame_count && m->rows[*frame] == row) {
        m->values[(size_t)*frame * (size_t)s->value_count + value] = (float)x;
    }
}

// Values that are columns of the results.
static bool read_recorded(lb_cli_scene *s, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    double *rows = lb_cli_malloc(((size_t)r->row_count + 1) * sizeof *rows);
    bool good = rows != NULL;
    for (size_t i = 0; good && i < (size_t)s->value_count; ++i) {
        long frame = 0;
        if (lb_cli_is_recorded(r, s->values[i].signal)) {
            good = lb_cli_read_signal(r, s->values[i].signal, rows) == LB_CLI_DONE;
            for (long row = 0; good && row < r->row_count; ++row) {
                take_value(s, m, i, row, rows[row], &frame);
            }
        }
    }
    free(rows);
    return good;
}

// All others, in one pass: moving the model to a row is the greater part of the work.
static bool compute_others(lb_cli_scene *s, lb_cli_motion *m)
{
    const lb_cli_recording *r = s->recording;
    const size_t room = (size_t)s->value_count + 1;
    lb_signal **signals = lb_cli_calloc(room, sizeof *signals);
    size_t *owners = lb_cli_calloc(room, sizeof *owners), count = 0;
    double *block = lb_cli_malloc(room * BLOCK * sizeof *block);
    bool good = signals && owners && block;
    for (int i = 0; good && i < s->value_count; ++i) {
        if (!lb_cli_is_recorded(r, s->values[i].signal)) {
            owners[count] = (size_t)i;
            good = lb_compile_signal(r->model, lb_get_force_signals(r->forces), s->values[i].signal,
                                     NULL, &signals[count++]) >= 0;
            if (!good) {
                lb_cli_run_out(); // the signals were compiled before: nothing else can be wrong
            }
        }
    }
    long frame = 0;
    for (long row = 0; good && count > 0 && row < r->row_count; row += BLOCK) {
        const long rows = row + BLOCK < r->row_count ? BLOCK : r->row_count - row;
        good = lb_cli_compute_signals(r, signals, count, row, rows, block);
        for (long k = 0; good && k < rows; ++k) {
            for (size_t i = 0; i < count; ++i) {
                take_value(s, m, owners[i], row + k, block[(size_t)k * count + i], &frame);
            }
        }
    }
    for (size_t i = 0; signals && i < count; ++i) {
        lb_destroy_signal(signals[i]);
    }
    free(signals);
    free(owners);
    free(block);
    return good;
}

// Round ends, and a range of its own for what does not vary or has no value.
static void round_scale(lb_cli_scale *scale)
{
    enum { MARKS = 11 };
    const bool any = scale->low <= scale->high;
    const lb_cli_ticks ticks =
        lb_cli_make_ticks(any ? scale->low : 0.0, any ? scale->high : 1.0, MARKS, true);
    scale->low = ticks.low;
    scale->high = ticks.high;
}

bool lb_cli_fill_values(lb_cli_scene *s, lb_cli_motion *m)
{
    m->values =
        lb_cli_calloc((size_t)m->frame_count * (size_t)s->value_count + 1, sizeof *m->values);
    for (int i = 0; i < s->scale_count; ++i) {
        s->scales[i].low = HUGE_VAL;
        s->scales[i].high = -HUGE_VAL;
    }
    const bool good = m->values && read_recorded(s, m) && compute_others(s, m);
    for (int i = 0; i < s->scale_count; ++i) {
        round_scale(&s->scales[i]);
    }
    if (!good) {
        const char *message = lb_get_results_message(s->recording->results);
        lb_cli_complain("cannot read the values that colour shapes%s%s", message[0] ? ": " : "",
                        message);
    }
    return good;
}
