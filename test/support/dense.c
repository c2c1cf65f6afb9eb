// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "dense.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double complex lb_z;

// A frame in the world, as complex numbers: the imaginary part carries LB_STEP times the rate.
typedef struct lb_frame {
    lb_z R[9], p[3];
    lb_z *J; // 6 x v_count, angular first, of the frame's origin
} lb_frame;

// Far below round-off, so that the derivative has no truncation error at all.
static const long double LB_STEP = 1e-30L;

static void *lb_dense_allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

// ---- small complex algebra ---------------------------------------------------------------------

static void lb_z_mul(const lb_z A[9], const lb_z B[9], lb_z C[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

static void lb_z_apply(const lb_z A[9], const lb_z b[3], lb_z c[3])
{
    for (int i = 0; i < 3; ++i) {
        c[i] = A[3 * i] * b[0] + A[3 * i + 1] * b[1] + A[3 * i + 2] * b[2];
    }
}

static void lb_z_cross(const lb_z a[3], const lb_z b[3], lb_z c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Rotation of a quaternion of any length but zero.
static void lb_z_rotation(const lb_z q[4], lb_z R[9])
{
    const lb_z w = q[0], x = q[1], y = q[2], z = q[3];
    const lb_z n = w * w + x * x + y * y + z * z;
    const lb_z rows[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                          2 * (x * z + w * y),           2 * (x * y + w * z),
                          w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                          2 * (x * z - w * y),           2 * (y * z + w * x),
                          w * w - x * x - y * y + z * z};
    for (int i = 0; i < 9; ++i) {
        R[i] = rows[i] / n;
    }
}

static void lb_z_real_rotation(const double q[4], lb_z R[9])
{
    const lb_z z[4] = {q[0], q[1], q[2], q[3]};
    lb_z_rotation(z, R);
}

// Turn by `angle` about an axis of any length, by the quaternion of half the angle.
static void lb_z_turn(const double axis[3], lb_z angle, lb_z unit[3], lb_z R[9])
{
    const long double x = axis[0], y = axis[1], z = axis[2], n = sqrtl(x * x + y * y + z * z);
    unit[0] = x / n;
    unit[1] = y / n;
    unit[2] = z / n;
    const lb_z s = csinl(angle / 2),
               q[4] = {ccosl(angle / 2), s * unit[0], s * unit[1], s * unit[2]};
    lb_z_rotation(q, R);
}

// ---- kinematics --------------------------------------------------------------------------------

// Moves a frame's origin by d (world axes): dx/dt = v + w x d.
static void lb_shift_frame(lb_frame *frame, int n, const lb_z d[3])
{
    for (int j = 0; j < n; ++j) {
        const lb_z w[3] = {frame->J[j], frame->J[n + j], frame->J[2 * n + j]};
        if (w[0] == 0 && w[1] == 0 && w[2] == 0) {
            continue;
        }
        lb_z u[3];
        lb_z_cross(w, d, u);
        for (int i = 0; i < 3; ++i) {
            frame->J[(3 + i) * n + j] += u[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        frame->p[i] += d[i];
    }
}

static void lb_set_column(lb_frame *frame, int n, int row, int column, const lb_z x[3])
{
    for (int i = 0; i < 3; ++i) {
        frame->J[(row + i) * n + column] = x[i];
    }
}

// Takes a frame from O+ to O. The table of the model format, row by row: the pose moves the frame,
// and each speed gets the velocity that it gives to O, in world axes.
static void lb_cross_hinge(lb_frame *frame, int n, const lb_hinge_options *hinge, const lb_z *q,
                           int column)
{
    lb_z R_plus[9], turn[9], second[9], unit[3], other[3], axis[3], shift[3] = {0, 0, 0}, d[3];
    const double z_axis[3] = {0, 0, 1};
    memcpy(R_plus, frame->R, sizeof R_plus);
    lb_z_turn(z_axis, 0, unit, turn);

    switch (hinge->type) {
    case LB_HINGE_REVOLUTE:
        lb_z_turn(hinge->axis, q[0], unit, turn);
        break;
    case LB_HINGE_PRISMATIC:
        lb_z_turn(hinge->axis, 0, unit, turn);
        for (int i = 0; i < 3; ++i) {
            shift[i] = unit[i] * q[0];
        }
        break;
    case LB_HINGE_SCREW:
        lb_z_turn(hinge->axis, q[0], unit, turn);
        for (int i = 0; i < 3; ++i) {
            shift[i] = unit[i] * (long double)hinge->pitch * q[0];
        }
        break;
    case LB_HINGE_CYLINDRICAL:
        lb_z_turn(hinge->axis, q[0], unit, turn);
        for (int i = 0; i < 3; ++i) {
            shift[i] = unit[i] * q[1];
        }
        break;
    case LB_HINGE_UNIVERSAL: {
        lb_z first[9];
        lb_z_turn(hinge->axes[0], q[0], unit, first);
        lb_z_turn(hinge->axes[1], q[1], other, second);
        lb_z_mul(first, second, turn);
        break;
    }
    case LB_HINGE_PLANAR:
        lb_z_turn(z_axis, q[2], unit, turn);
        shift[0] = q[0];
        shift[1] = q[1];
        break;
    case LB_HINGE_TRANSLATIONAL:
        memcpy(shift, q, sizeof shift);
        break;
    case LB_HINGE_SPHERICAL:
        lb_z_rotation(q, turn);
        break;
    case LB_HINGE_FREE:
        lb_z_rotation(q, turn);
        memcpy(shift, q + 4, sizeof shift);
        break;
    default:
        break;
    }
    lb_z_apply(R_plus, shift, d);
    lb_shift_frame(frame, n, d);
    lb_z_mul(R_plus, turn, frame->R);

    // columns: axes fixed in O+ are R_plus a, axes fixed in O are R a
    lb_z_apply(R_plus, unit, axis);
    switch (hinge->type) {
    case LB_HINGE_REVOLUTE:
        lb_set_column(frame, n, 0, column, axis);
        break;
    case LB_HINGE_PRISMATIC:
        lb_set_column(frame, n, 3, column, axis);
        break;
    case LB_HINGE_SCREW:
        lb_set_column(frame, n, 0, column, axis);
        for (int i = 0; i < 3; ++i) {
            axis[i] *= (long double)hinge->pitch;
        }
        lb_set_column(frame, n, 3, column, axis);
        break;
    case LB_HINGE_CYLINDRICAL:
        lb_set_column(frame, n, 0, column, axis);
        lb_set_column(frame, n, 3, column + 1, axis);
        break;
    case LB_HINGE_UNIVERSAL:
        lb_set_column(frame, n, 0, column, axis);
        lb_z_apply(frame->R, other, axis);
        lb_set_column(frame, n, 0, column + 1, axis);
        break;
    default: {
        // planar: x, y of O+ and the turn; translational: x, y, z of O+; the others: axes of O
        const int in_plus = hinge->type == LB_HINGE_PLANAR || hinge->type == LB_HINGE_TRANSLATIONAL;
        const int count = lb_scene_hinge_v_count[hinge->type];
        for (int j = 0; j < count; ++j) {
            lb_z e[3] = {0, 0, 0};
            e[j % 3] = 1;
            lb_z_apply(in_plus ? R_plus : frame->R, e, axis);
            const int angular = hinge->type == LB_HINGE_SPHERICAL ||
                                (hinge->type == LB_HINGE_FREE && j < 3) ||
                                (hinge->type == LB_HINGE_PLANAR && j == 2);
            lb_set_column(frame, n, angular ? 0 : 3, column + j, axis);
        }
        break;
    }
    }
}

// q + i h dq/dt, entry by entry, with dq/dt from the table.
static void lb_step_configuration(const lb_scene *scene, const double *q, const double *v,
                                  lb_z *out)
{
    for (int k = 0; k < scene->body_count; ++k) {
        const lb_scene_body *body = &scene->bodies[k];
        const double *qk = q + body->q_offset, *vk = v + body->v_offset;
        lb_z *zk = out + body->q_offset;
        const int turns =
            body->hinge.type == LB_HINGE_SPHERICAL || body->hinge.type == LB_HINGE_FREE;
        if (!turns) {
            for (int i = 0; i < lb_scene_hinge_q_count[body->hinge.type]; ++i) {
                zk[i] = qk[i] + I * LB_STEP * vk[i];
            }
            continue;
        }
        // quaternion times (0, w) / 2, w in O
        const long double w = qk[0], x = qk[1], y = qk[2], z = qk[3];
        const long double a = vk[0], b = vk[1], c = vk[2];
        zk[0] = w + I * LB_STEP * (-x * a - y * b - z * c) / 2;
        zk[1] = x + I * LB_STEP * (w * a + y * c - z * b) / 2;
        zk[2] = y + I * LB_STEP * (w * b - x * c + z * a) / 2;
        zk[3] = z + I * LB_STEP * (w * c + x * b - y * a) / 2;
        if (body->hinge.type == LB_HINGE_FREE) {
            lb_z R[9], rate[3];
            const lb_z u[3] = {vk[3], vk[4], vk[5]};
            lb_z_real_rotation(qk, R);
            lb_z_apply(R, u, rate);
            for (int i = 0; i < 3; ++i) {
                zk[4 + i] = qk[4 + i] + I * LB_STEP * rate[i];
            }
        }
    }
}

// Moves a frame from its body's frame to a node of the body, and from the node back.
static void lb_move_to_node(lb_frame *frame, int n, const lb_scene_node *node)
{
    const lb_z r[3] = {node->position[0], node->position[1], node->position[2]};
    lb_z R_body[9], R_node[9], d[3];
    memcpy(R_body, frame->R, sizeof R_body);
    lb_z_apply(R_body, r, d);
    lb_shift_frame(frame, n, d);
    lb_z_real_rotation(node->rotation, R_node);
    lb_z_mul(R_body, R_node, frame->R);
}

static void lb_move_from_node(lb_frame *frame, int n, const lb_scene_node *node)
{
    const lb_z r[3] = {-node->position[0], -node->position[1], -node->position[2]};
    lb_z R_O[9], R_node[9], back[9], d[3];
    memcpy(R_O, frame->R, sizeof R_O);
    lb_z_real_rotation(node->rotation, R_node);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            back[3 * i + j] = R_node[3 * j + i];
        }
    }
    lb_z_mul(R_O, back, frame->R);
    lb_z_apply(frame->R, r, d);
    lb_shift_frame(frame, n, d);
}

// Frame of one body, and of its parents first where they are missing.
static void lb_place_body(const lb_scene *scene, const lb_z *q, lb_frame *frames, int k)
{
    lb_frame *frame = &frames[k];
    const lb_scene_body *body = &scene->bodies[k];
    const int n = scene->v_count;
    const size_t bytes = 6 * (size_t)n * sizeof *frame->J;
    if (frame->J != NULL) {
        return;
    }
    if (body->parent == LB_GROUND) {
        frame->J = lb_dense_allocate(6 * (size_t)n, sizeof *frame->J);
        frame->R[0] = frame->R[4] = frame->R[8] = 1;
        lb_move_to_node(frame, n, &scene->ground[body->at]);
    } else {
        lb_place_body(scene, q, frames, body->parent);
        *frame = frames[body->parent];
        frame->J = lb_dense_allocate(6 * (size_t)n, sizeof *frame->J);
        memcpy(frame->J, frames[body->parent].J, bytes);
        lb_move_to_node(frame, n, &scene->bodies[body->parent].nodes[body->at]);
    }
    lb_cross_hinge(frame, n, &body->hinge, q + body->q_offset, body->v_offset);
    lb_move_from_node(frame, n, &body->nodes[body->by]);
}

// ---- dynamics ----------------------------------------------------------------------------------

static void lb_cross(const long double a[3], const long double b[3], long double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// dJ/dt v of a point at d from the origin: A + (alpha x d, omega x (omega x d)).
static void lb_shift_rate(const lb_dense_body *body, const long double d[3], long double rate[6])
{
    long double a[3], b[3], c[3];
    lb_cross(body->A, d, a);
    lb_cross(body->V, d, b);
    lb_cross(body->V, b, c);
    for (int i = 0; i < 3; ++i) {
        rate[i] = body->A[i];
        rate[3 + i] = body->A[3 + i] + a[i] + c[i];
    }
}

// Adds a body's share of M, c, energy and momentum, all about its centre of mass.
static void lb_add_dense_body(lb_dense *dense, const lb_scene *scene, int k)
{
    const lb_scene_body *given = &scene->bodies[k];
    const lb_dense_body *body = &dense->bodies[k];
    const int n = dense->v_count;
    const long double m = given->mass;
    const double *t = given->inertia;
    const long double in_body[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};

    // centre of mass, and inertia R I R', in world axes
    long double d[3] = {0}, inertia[9] = {0}, rate[6], vc[3], h[3] = {0}, gyro[3], moment[3] = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            d[i] += body->R[3 * i + j] * given->com[j];
            for (int r = 0; r < 3; ++r) {
                for (int s = 0; s < 3; ++s) {
                    inertia[3 * i + j] +=
                        body->R[3 * i + r] * in_body[3 * r + s] * body->R[3 * j + s];
                }
            }
        }
    }
    lb_shift_rate(body, d, rate);
    lb_cross(body->V, d, vc);
    for (int i = 0; i < 3; ++i) {
        vc[i] += body->V[3 + i];
        for (int j = 0; j < 3; ++j) {
            h[i] += inertia[3 * i + j] * body->V[j];
            moment[i] += inertia[3 * i + j] * rate[j];
        }
    }
    lb_cross(body->V, h, gyro);

    // energies and momentum
    long double x[3], orbital[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = body->p[i] + d[i];
        dense->kinetic += (m * vc[i] * vc[i] + body->V[i] * h[i]) / 2;
        dense->potential -= m * (long double)scene->gravity[i] * x[i];
        dense->linear[i] += m * vc[i];
    }
    lb_cross(x, vc, orbital);
    for (int i = 0; i < 3; ++i) {
        dense->angular[i] += h[i] + m * orbital[i];
    }

    // columns that move the body, carried to the centre of mass
    int *columns = lb_dense_allocate((size_t)n, sizeof *columns), count = 0;
    long double(*J)[6] = lb_dense_allocate((size_t)n, sizeof *J);
    long double(*MJ)[6] = lb_dense_allocate((size_t)n, sizeof *MJ);
    for (int j = 0; j < n; ++j) {
        long double *c = J[count], u[3], any = 0;
        for (int i = 0; i < 6; ++i) {
            c[i] = body->J[i * n + j];
            any += fabsl(c[i]);
        }
        if (any == 0) {
            continue;
        }
        lb_cross(c, d, u);
        for (int i = 0; i < 3; ++i) {
            c[3 + i] += u[i];
            MJ[count][3 + i] = m * c[3 + i];
            MJ[count][i] =
                inertia[3 * i] * c[0] + inertia[3 * i + 1] * c[1] + inertia[3 * i + 2] * c[2];
        }
        columns[count++] = j;
    }
    for (int r = 0; r < count; ++r) {
        for (int i = 0; i < 3; ++i) {
            dense->c[columns[r]] +=
                J[r][i] * (moment[i] + gyro[i]) +
                m * J[r][3 + i] * (rate[3 + i] - (long double)scene->gravity[i]);
        }
        for (int s = 0; s < count; ++s) {
            long double sum = 0;
            for (int i = 0; i < 6; ++i) {
                sum += J[r][i] * MJ[s][i];
            }
            dense->M[columns[r] * n + columns[s]] += sum;
        }
    }
    free(columns);
    free(J);
    free(MJ);
}

lb_dense *lb_create_dense(const lb_scene *scene, const double *q, const double *v)
{
    const int n = scene->v_count, bodies = scene->body_count;
    lb_dense *dense = lb_dense_allocate(1, sizeof *dense);
    dense->body_count = bodies;
    dense->v_count = n;
    dense->bodies = lb_dense_allocate((size_t)bodies, sizeof *dense->bodies);
    dense->M = lb_dense_allocate((size_t)n * (size_t)n, sizeof *dense->M);
    dense->c = lb_dense_allocate((size_t)n, sizeof *dense->c);
    dense->jacobians = lb_dense_allocate(6 * (size_t)n * (size_t)bodies, sizeof *dense->jacobians);

    // all frames, complex
    lb_z *z = lb_dense_allocate((size_t)scene->q_count, sizeof *z);
    lb_frame *frames = lb_dense_allocate((size_t)bodies, sizeof *frames);
    lb_step_configuration(scene, q, v, z);
    for (int k = 0; k < bodies; ++k) {
        lb_place_body(scene, z, frames, k);
    }

    // real parts are positions and Jacobians, imaginary parts their rates
    for (int k = 0; k < bodies; ++k) {
        lb_dense_body *body = &dense->bodies[k];
        body->J = dense->jacobians + (size_t)k * 6 * (size_t)n;
        for (int i = 0; i < 9; ++i) {
            body->R[i] = creall(frames[k].R[i]);
        }
        for (int i = 0; i < 3; ++i) {
            body->p[i] = creall(frames[k].p[i]);
        }
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < n; ++j) {
                body->J[i * n + j] = creall(frames[k].J[i * n + j]);
                body->V[i] += body->J[i * n + j] * v[j];
                body->A[i] += cimagl(frames[k].J[i * n + j]) / LB_STEP * v[j];
            }
        }
    }
    for (int k = 0; k < bodies; ++k) {
        free(frames[k].J);
        lb_add_dense_body(dense, scene, k);
    }
    free(frames);
    free(z);
    return dense;
}

void lb_destroy_dense(lb_dense *dense)
{
    free(dense->bodies);
    free(dense->jacobians);
    free(dense->M);
    free(dense->c);
    free(dense);
}

void lb_get_dense(const lb_dense *dense, double *M, double *c)
{
    const size_t n = (size_t)dense->v_count;
    for (size_t i = 0; M != NULL && i < n * n; ++i) {
        M[i] = (double)dense->M[i];
    }
    for (size_t i = 0; c != NULL && i < n; ++i) {
        c[i] = (double)dense->c[i];
    }
}

void lb_solve_dense(const lb_dense *dense, const double *tau, double *a)
{
    const int n = dense->v_count;
    long double *L = lb_dense_allocate((size_t)n * (size_t)n, sizeof *L);
    long double *x = lb_dense_allocate((size_t)n, sizeof *x);
    for (int i = 0; i < n; ++i) {
        x[i] = tau[i] - dense->c[i];
        for (int j = 0; j <= i; ++j) {
            long double sum = dense->M[i * n + j];
            for (int r = 0; r < j; ++r) {
                sum -= L[i * n + r] * L[j * n + r];
            }
            L[i * n + j] = i == j ? sqrtl(sum) : sum / L[j * n + j];
        }
        for (int j = 0; j < i; ++j) {
            x[i] -= L[i * n + j] * x[j];
        }
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            x[i] -= L[j * n + i] * x[j];
        }
        x[i] /= L[i * n + i];
        a[i] = (double)x[i];
    }
    free(L);
    free(x);
}

void lb_get_dense_node(const lb_dense *dense, const lb_scene *scene, int body, int node,
                       double position[3], double rotation[9], double *J, double rate[6])
{
    const lb_dense_body *b = &dense->bodies[body];
    const lb_scene_node *place = &scene->bodies[body].nodes[node];
    const int n = dense->v_count;
    lb_z R_node[9];
    lb_z_real_rotation(place->rotation, R_node);
    long double d[3] = {0}, at_node[6];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            d[i] += b->R[3 * i + j] * place->position[j];
            long double sum = 0;
            for (int r = 0; r < 3; ++r) {
                sum += b->R[3 * i + r] * creall(R_node[3 * r + j]);
            }
            rotation[3 * i + j] = (double)sum;
        }
        position[i] = (double)(b->p[i] + d[i]);
    }
    for (int j = 0; j < n; ++j) {
        const long double w[3] = {b->J[j], b->J[n + j], b->J[2 * n + j]};
        long double u[3];
        lb_cross(w, d, u);
        for (int i = 0; i < 3; ++i) {
            J[i * n + j] = (double)w[i];
            J[(3 + i) * n + j] = (double)(b->J[(3 + i) * n + j] + u[i]);
        }
    }
    lb_shift_rate(b, d, at_node);
    for (int i = 0; i < 6; ++i) {
        rate[i] = (double)at_node[i];
    }
}
