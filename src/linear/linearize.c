// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// State-space models.
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "closed/closed_loop.h"
#include "linear.h"
#include "simulate/signals/signals_parse.h"

// What is being put together.
typedef struct assembly {
    lb_system *s;
    lb_arena *arena;
    lb_operating_point point;
    lb_tangent tangent;
    const lb_ports *ports; // beside those that are named; NULL for none
    lb_input *inputs;
    int n, m, p; // independent coordinates, inputs, outputs
    lb_tangent reduced;
    double *forces;    // of a unit of each input: m x v_count
    double *loop_rows; // of forces of loops, once they are asked for
    double *A, *B, *C, *D, *y;
    // n x n: speeds are those of a frame that moves along, and Z times deviations; its rate
    double *Z, *Z_dot;
    const char *averaged; // wheels
} assembly;

// ---- inputs ------------------------------------------------------------------------------------

// Whether an input is an actuator of a controller.
static bool is_port(const assembly *a, int input)
{
    return a->ports && input >= a->ports->first_input;
}

static lb_status read_inputs(assembly *a, const lb_linear_options *options, unsigned char **guided)
{
    a->m = options->input_count;
    a->inputs = lb_arena_take(a->arena, (size_t)a->m, sizeof *a->inputs);
    *guided = lb_arena_take(a->arena, (size_t)a->s->body_count, 1);
    if (!a->inputs || !*guided) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < a->m; ++i) {
        if (is_port(a, i)) {
            const int entry = a->ports->entries[i - a->ports->first_input];
            a->inputs[i] = (lb_input){
                .kind = LB_INPUT_HINGE, .entry = entry, .body = lb_find_owner(a->s->model, entry)};
            continue;
        }
        const lb_status status = lb_find_input(a->s, options->inputs[i], &a->inputs[i]);
        if (status < 0) {
            return status;
        }
        if (a->inputs[i].kind == LB_INPUT_MOTION) {
            (*guided)[a->inputs[i].body] = 1;
        }
        if (a->inputs[i].kind == LB_INPUT_HINGE && options->locked &&
            options->locked[a->inputs[i].body]) {
            return lb_say(a->s, LB_E_ARGUMENT, "input \"%s\": its hinge is locked",
                          options->inputs[i]);
        }
    }
    return LB_OK;
}

// Entry of v of an independent coordinate; and which of them an entry is, -1 for none.
static int get_entry(const assembly *a, int i)
{
    return a->point.coordinates[a->point.freedom.free[i]];
}

static int find_free(const assembly *a, int entry)
{
    int i = 0;
    while (i < a->n && get_entry(a, i) != entry) {
        ++i;
    }
    return i < a->n ? i : -1;
}

static bool is_guided(const assembly *a, int i)
{
    return lb_is_guided(a->s->model, &a->point, get_entry(a, i));
}

// Whether an entry of v is a coordinate that forces can move.
static bool can_move(const assembly *a, int entry)
{
    for (int i = 0; i < a->point.count; ++i) {
        if (a->point.coordinates[i] == entry) {
            return !lb_is_guided(a->s->model, &a->point, entry);
        }
    }
    return false;
}

// A column of G: generalized forces of a unit of an input, or its acceleration.
static lb_status fill_input(assembly *a, const lb_linear_options *options, int input,
                            double *column, double *G)
{
    lb_system *s = a->s;
    const lb_input *u = &a->inputs[input];
    lb_status status = LB_OK;
    memset(s->tau, 0, (size_t)s->v_count * sizeof *s->tau);
    if (u->kind == LB_INPUT_MOTION) {
        const int i = find_free(a, u->entry);
        if (i >= 0) {
            G[i * a->m + input] = 1.0;
        }
        return LB_OK;
    }
    if (u->kind == LB_INPUT_HINGE) {
        if (!can_move(a, u->entry) && is_port(a, input)) {
            return LB_OK;
        }
        if (!can_move(a, u->entry)) {
            return lb_say(s, LB_E_ARGUMENT,
                          "input \"%s\": its hinge is held or driven: nothing follows from it",
                          options->inputs[input]);
        }
        s->tau[u->entry] = 1.0;
    } else {
        lb_node_force force = {.body = u->body, .node = u->node, .axes = u->axes};
        force.force[u->component] = 1.0;
        status = lb_compute_kinematics(s->model, s->work, a->point.q, a->point.v, NULL);
        status = status < 0 ? status : lb_apply_node_forces(s->model, s->work, 1, &force, s->tau);
    }
    memcpy(a->forces + (size_t)input * (size_t)s->v_count, s->tau,
           (size_t)s->v_count * sizeof *s->tau);
    for (int i = 0; i < a->point.count; ++i) {
        column[i] = s->tau[a->point.coordinates[i]];
    }
    double *part = column + a->point.count;
    lb_gather(&a->point, a->point.freedom.T, column, part);
    for (int i = 0; i < a->n && status >= 0; ++i) {
        G[i * a->m + input] = is_guided(a, i) ? 0.0 : part[i];
    }
    return status;
}

// A and B                                                                               (LIN-9)
//
//     [M_ff M_fd; 0 I] da = -[K_f; 0] xi - [C_f; 0] dv + [G; 0] u_f + [0; I] u_d
//
// f the coordinates that move as forces say, d those that are driven by inputs
static lb_status solve_system(assembly *a, const lb_linear_options *options)
{
    const int n = a->n, m = a->m;
    double *G = lb_take_numbers(a->arena, (size_t)n * (size_t)m);
    double *column = lb_take_numbers(a->arena, 2 * (size_t)a->point.count);
    a->A = lb_take_numbers(a->arena, 4 * (size_t)n * (size_t)n);
    a->B = lb_take_numbers(a->arena, 2 * (size_t)n * (size_t)m);
    a->forces = lb_take_numbers(a->arena, (size_t)m * (size_t)a->s->v_count);
    if (!G || !column || !a->A || !a->B || !a->forces) {
        return LB_E_MEMORY;
    }
    double *M = a->reduced.M, *C = a->reduced.C, *K = a->reduced.K, *N = a->reduced.N;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n && is_guided(a, i); ++j) {
            M[i * n + j] = i == j ? 1.0 : 0.0;
            K[i * n + j] = C[i * n + j] = 0.0;
            a->reduced.K_error[i * n + j] = a->reduced.C_error[i * n + j] = 0.0;
        }
    }
    lb_status status = LB_OK;
    for (int k = 0; k < m && status >= 0; ++k) {
        status = fill_input(a, options, k, column, G);
    }
    status = status < 0 ? status : lb_form_system_matrix(n, M, C, K, N, m, G, a->arena, a->A, a->B);
    return status == LB_E_SINGULAR ? lb_say(a->s, status, "linear: the mass matrix is singular")
                                   : status;
}

static lb_status fill_system(assembly *a, const lb_linear_options *options)
{
    lb_status status = lb_take_tangent(a->arena, a->s->v_count, &a->tangent);
    status = status < 0 ? status : lb_compute_tangent(a->s, &a->point, &a->tangent);
    status = status < 0 ? status
                        : lb_reduce(&a->point, a->s->v_count, &a->tangent, a->arena, &a->reduced);
    a->averaged = "";
    if (status >= 0 && options->period == 0.0) {
        status = lb_average_wheels(a->s, &a->point, &a->reduced, a->arena, &a->averaged);
    }
    return status < 0 ? status : solve_system(a, options);
}

lb_status lb_form_moving_plant(lb_system *s, const lb_linear_options *options,
                               const lb_ports *ports, const lb_operating_point *at, lb_arena *arena,
                               double **A, double **B)
{
    assembly a = {.s = s, .arena = arena, .ports = ports, .point = *at};
    unsigned char *guided;
    lb_status status = read_inputs(&a, options, &guided);
    a.n = at->freedom.free_count;
    status = status < 0 ? status : lb_take_tangent(arena, s->v_count, &a.tangent);
    status = status < 0 ? status : lb_compute_moving_tangent(s, at, &a.tangent);
    status = status < 0 ? status : lb_reduce(at, s->v_count, &a.tangent, arena, &a.reduced);
    status = status < 0 ? status : solve_system(&a, options);
    *A = a.A;
    *B = a.B;
    return status;
}

// ---- outputs -----------------------------------------------------------------------------------

// C and D                                                                               (LIN-10)
//
//     dy = y_q xi + y_v dv + y_a da,   da = A_2 x + B_2 u, the lower halves of A and B
//
// with loops by (LIN-14): y_q T + y_v S + y_a R_q, y_v T + y_a R_v and y_a T
static void fill_output(assembly *a, int output, const lb_output_rows *rows, double *part)
{
    const lb_operating_point *point = &a->point;
    const double *T = point->freedom.T;
    const int n = a->n, m = a->m, count = point->count;
    double *C = a->C + (size_t)output * 2 * (size_t)n, *D = a->D + (size_t)output * (size_t)m;
    double *y_a = part + n, *picked = y_a + n;
    // which row by which matrix to which part of C; without loops there are the first three
    const struct {
        const double *row, *X;
        double *to;
    } terms[] = {{rows->q, T, C},        {rows->v, T, C + n},      {rows->a, T, y_a},
                 {rows->v, point->S, C}, {rows->a, point->R_q, C}, {rows->a, point->R_v, C + n}};
    memset(C, 0, 2 * (size_t)n * sizeof *C);
    memset(y_a, 0, (size_t)n * sizeof *y_a);
    for (int k = 0; k < (T ? 6 : 3); ++k) {
        for (int i = 0; i < count; ++i) {
            picked[i] = terms[k].row[point->coordinates[i]];
        }
        lb_gather(point, terms[k].X, picked, part);
        for (int i = 0; i < n; ++i) {
            terms[k].to[i] += part[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        const double weight = y_a[i];
        for (int j = 0; j < 2 * n && weight != 0.0; ++j) {
            C[j] += weight * a->A[(n + i) * 2 * n + j];
        }
        for (int j = 0; j < m && weight != 0.0; ++j) {
            D[j] += weight * a->B[(n + i) * m + j];
        }
    }
}

// Adds what forces of loops do to an output, by how these change with states and inputs (LIN-16)
static lb_status add_loop_forces(assembly *a, int output, const double *by_force)
{
    const int states = 2 * a->n, width = states + a->m;
    lb_status status = LB_OK;
    if (!a->loop_rows) {
        status = lb_differentiate_loop_forces(a->s, &a->point, &a->tangent, a->A, a->B, a->m,
                                              a->forces, a->arena, &a->loop_rows);
    }
    for (int i = 0; i < a->point.freedom.rows && status >= 0; ++i) {
        const double *row = a->loop_rows + (size_t)i * (size_t)width;
        if (by_force[i] != 0.0) {
            lb_add_scaled(states, by_force[i], row, a->C + (size_t)output * (size_t)states);
            lb_add_scaled(a->m, by_force[i], row + states, a->D + (size_t)output * (size_t)a->m);
        }
    }
    return status;
}

// Rows of C and D of what reads loads, by the chain rule                        (FRC-13), (LIN-23)
static lb_status fill_load_output(assembly *a, int output, const lb_signal *signal,
                                  lb_derivative_work *scratch, lb_arena *arena,
                                  lb_output_rows *rows, double *part)
{
    lb_output_leaf *leaves;
    int count, kept = 0;
    const int slots = a->s->closure ? lb_get_loop_capacity(a->s->model) : 0;
    lb_load_rows other = {lb_take_numbers(arena, 6 * (size_t)slots + 1),
                          lb_take_numbers(arena, (size_t)a->m + 1)};
    lb_status status = other.loops && other.inputs ? LB_OK : LB_E_MEMORY;
    status = status < 0 ? status
                        : lb_find_output_leaves(a->s, &a->point, signal, arena, &a->y[output],
                                                &leaves, &count);
    // loads to the end
    for (int i = 0; i < (status < 0 ? 0 : count); ++i) {
        leaves[i].alone = leaves[i].signal == signal;
        if (!lb_is_load_signal(leaves[i].signal)) {
            const lb_output_leaf leaf = leaves[i];
            leaves[i] = leaves[kept];
            leaves[kept++] = leaf;
        }
    }
    status = status < 0 ? status
                        : lb_add_output_slopes(a->s, &a->point, scratch, kept, leaves, arena, rows);
    for (int i = kept; status >= 0 && i < count; ++i) {
        status = lb_add_load_slopes(a->s, &a->point, scratch, &leaves[i], a->m, a->inputs, arena,
                                    rows, &other);
    }
    if (status < 0) {
        return status;
    }
    fill_output(a, output, rows, part);
    lb_add_scaled(a->m, 1.0, other.inputs, a->D + (size_t)output * (size_t)a->m);
    return a->s->closure ? add_loop_forces(a, output, other.loops) : LB_OK;
}

static lb_status fill_outputs(assembly *a, const lb_linear_options *options)
{
    lb_system *s = a->s;
    const size_t n = (size_t)s->v_count;
    a->p = options->output_count;
    a->C = lb_take_numbers(a->arena, (size_t)a->p * 2 * (size_t)a->n);
    a->D = lb_take_numbers(a->arena, (size_t)a->p * (size_t)a->m);
    a->y = lb_take_numbers(a->arena, (size_t)a->p);
    double *numbers = lb_take_numbers(a->arena, 3 * n);
    double *part = lb_take_numbers(a->arena, 2 * (size_t)a->n + (size_t)a->point.count);
    lb_derivative_work *scratch = lb_create_derivative_work(s->model);
    lb_status status = a->C && a->D && a->y && numbers && part && scratch ? LB_OK : LB_E_MEMORY;
    lb_output_rows rows = {numbers, numbers + n, numbers + 2 * n};
    for (int i = 0; i < a->p && status >= 0; ++i) {
        lb_signal signal;
        lb_scan_error error;
        lb_arena own = lb_make_arena(NULL);
        const char *text = options->outputs[i];
        if (!text) {
            // what a controller reads without a signal
            status = a->ports->differentiate(a->ports->user, s, &a->point, scratch,
                                             i - a->ports->first_output, &a->y[i], &rows);
            if (status >= 0) {
                fill_output(a, i, &rows, part);
            }
            lb_arena_free(&own);
            continue;
        }
        if (lb_parse_signal(s->model, lb_get_force_signals(s->forces), text, &error, &signal) < 0) {
            status = lb_say(s, LB_E_SYNTAX, "output \"%s\": %s", text, error.message);
            break;
        }
        status = lb_differentiate_output(s, &a->point, scratch, &signal, &own, &a->y[i], &rows);
        if (status >= 0) {
            fill_output(a, i, &rows, part);
        } else if (status == LB_E_STAGE) {
            status = fill_load_output(a, i, &signal, scratch, &own, &rows, part);
        }
        lb_arena_free(&own);
        if (status < 0 && status != LB_E_MEMORY) {
            status = lb_say(
                s, status, "output \"%s\" is not a finite number here, or has no derivative", text);
        }
        for (int j = 0; j < 2 * a->n && status >= 0; ++j) {
            if (!isfinite(a->C[(size_t)i * 2 * (size_t)a->n + (size_t)j])) {
                status = lb_say(s, LB_E_NUMBER, "output \"%s\" has no derivative here", text);
            }
        }
    }
    lb_destroy_derivative_work(scratch);
    return status;
}

// ---- eigenvalues -------------------------------------------------------------------------------

// Participation of state k in eigenvalue i                                              (LIN-11)
//
//     |w_k| |v_k| / sum over k,   v and w the right and left eigenvector
static void compute_participation(const lb_spectrum *s, double *out)
{
    const int n = s->count;
    for (int i = s->zero_count; i < n; ++i) {
        // of a pair, columns i and i + 1 hold real and imaginary part of both
        const bool complex = s->imaginary[i] != 0.0;
        const int re = complex && s->imaginary[i] < 0.0 ? i - 1 : i;
        double sum = 0.0, *row = out + (size_t)i * (size_t)n;
        for (int k = 0; k < n; ++k) {
            const double *w = s->left + k * n + re, *v = s->right + k * n + re;
            row[k] = complex ? hypot(w[0], w[1]) * hypot(v[0], v[1]) : fabs(w[0] * v[0]);
            sum += row[k];
        }
        for (int k = 0; k < n && sum > 0.0; ++k) {
            row[k] /= sum;
        }
    }
}

static lb_status fill_spectrum(lb_simulation *sim, assembly *a, const lb_linear_options *options,
                               lb_linear *linear)
{
    const int n = a->n;
    const size_t count = 2 * (size_t)n;
    double *pairs = lb_take_numbers(a->arena, 2 * count);
    double *participation = lb_take_numbers(a->arena, count * count);
    lb_spectrum spectrum;
    if (!pairs || !participation) {
        return LB_E_MEMORY;
    }
    const lb_status status = lb_compute_spectrum(n, &a->reduced, a->A, a->arena, &spectrum);
    if (status < 0) {
        return lb_say(a->s, status, "linear: the eigenvalues do not converge");
    }
    for (size_t i = 0; i < count; ++i) {
        pairs[2 * i] = spectrum.real[i];
        pairs[2 * i + 1] = spectrum.imaginary[i];
    }
    compute_participation(&spectrum, participation);
    linear->changes = linear->moved_name = "";
    const lb_status looked = options->period != 0.0 ? LB_OK
                                                    : lb_find_change(sim, &a->point, &a->reduced,
                                                                     a->arena, &linear->changes);
    if (looked < 0) {
        return looked;
    }
    linear->averaged = a->averaged;
    linear->eigenvalues = pairs;
    linear->stable = !lb_find_growth((int)count, pairs, linear->growth);
    linear->zero_count = spectrum.zero_count;
    linear->participation = participation;
    return LB_OK;
}

// ---- uniform motion ----------------------------------------------------------------------------

static lb_status find_carry(assembly *a)
{
    const int width = a->s->v_count;
    lb_carry carry;
    lb_status status = lb_take_carry(a->arena, width, &carry);
    a->Z = lb_take_numbers(a->arena, (size_t)a->n * (size_t)a->n);
    a->Z_dot = lb_take_numbers(a->arena, (size_t)a->n * (size_t)a->n);
    if (status < 0 || !a->Z || !a->Z_dot) {
        return LB_E_MEMORY;
    }
    lb_form_carry(a->s, &a->point, &carry);
    for (int i = 0; i < a->n; ++i) {
        for (int j = 0; j < a->n; ++j) {
            const int at = get_entry(a, i) * width + get_entry(a, j);
            a->Z[i * a->n + j] = carry.Z[at];
            a->Z_dot[i * a->n + j] = carry.straight[at];
        }
    }
    return LB_OK;
}

// From speeds that are seen from a frame that moves along, x' = (xi, dv'), to the speeds of the state
//                                                                                       (LIN-17)
//     x = L x',   L = [I 0; Z I]:   A = L A' L^-1 + [0 0; Z_dot 0],   B = L B'
static lb_status leave_frame(assembly *a)
{
    const int n = a->n, count = 2 * n, m = a->m;
    double *A = lb_take_numbers(a->arena, (size_t)count * (size_t)count);
    if (!A) {
        return LB_E_MEMORY;
    }
    lb_carry_matrix(n, 1.0, a->Z, a->A, A);
    a->A = A;
    for (int i = 0; i < n; ++i) {
        lb_add_scaled(n, 1.0, a->Z_dot + i * n, A + (n + i) * count);
    }
    for (int i = 0; i < n && m > 0; ++i) {
        for (int k = 0; k < n; ++k) {
            lb_add_scaled(m, a->Z[i * n + k], a->B + k * m, a->B + (n + i) * m);
        }
    }
    return LB_OK;
}

// ---- all ---------------------------------------------------------------------------------------

static const char **copy_names(lb_arena *arena, int count, const char *const *texts)
{
    const char **names = lb_arena_take(arena, (size_t)count, sizeof *names);
    for (int i = 0; names && i < count; ++i) {
        names[i] = lb_arena_text(arena, texts[i] ? texts[i] : "");
        if (!names[i]) {
            return NULL;
        }
    }
    return names;
}

static lb_status name_all(assembly *a, const lb_linear_options *options, lb_linear *linear)
{
    const int n = a->n;
    const char **states = lb_arena_take(a->arena, 2 * (size_t)n, sizeof *states);
    char(*speeds)[LB_COLUMN_SIZE] = lb_arena_take(a->arena, (size_t)n, sizeof *speeds);
    linear->inputs = copy_names(a->arena, a->m, options->inputs);
    linear->outputs = copy_names(a->arena, a->p, options->outputs);
    if (!states || !speeds || !linear->inputs || !linear->outputs) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        lb_name_coordinate(a->s->model, get_entry(a, i), true, speeds[i]);
        states[i] = a->point.names[a->point.freedom.free[i]];
        states[n + i] = speeds[i];
    }
    linear->states = states;
    return LB_OK;
}

lb_status lb_fill_plant(lb_simulation *sim, const lb_linear_options *options, const lb_ports *ports,
                        lb_arena *arena, lb_linear *linear)
{
    assembly a = {.s = &sim->system, .arena = arena, .ports = ports};
    unsigned char *guided = NULL;
    lb_status status = read_inputs(&a, options, &guided);
    status = status < 0 ? status : lb_find_point(sim, options, guided, a.arena, &a.point);
    a.n = a.point.freedom.free_count;
    status = status < 0 ? status : fill_system(&a, options);
    status = status < 0 ? status : fill_spectrum(sim, &a, options, linear);
    status = status < 0 ? status : find_carry(&a);
    status = status < 0 ? status : leave_frame(&a);
    status = status < 0 ? status : fill_outputs(&a, options);
    status = status < 0 ? status : name_all(&a, options, linear);
    if (status < 0) {
        return status;
    }
    int *entries = lb_arena_take(a.arena, (size_t)a.n, sizeof *entries);
    if (!entries) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < a.n; ++i) {
        entries[i] = get_entry(&a, i);
    }
    linear->coordinate_count = a.n;
    linear->state_count = 2 * a.n;
    linear->input_count = a.m;
    linear->output_count = a.p;
    linear->A = a.A;
    linear->B = a.B;
    linear->C = a.C;
    linear->D = a.D;
    linear->coordinates = entries;
    linear->carry = a.Z;
    linear->carry_rate = a.Z_dot;
    linear->output_values = a.y;
    linear->t = a.point.t;
    linear->q_count = a.s->q_count;
    linear->v_count = a.s->v_count;
    linear->q = a.point.q;
    linear->v = a.point.v;
    linear->a = a.point.a;
    linear->unbalance = a.point.unbalance;
    linear->unbalanced = a.point.unbalanced >= 0 ? a.point.names[a.point.unbalanced] : "";
    return LB_OK;
}

static lb_status fill_open(lb_simulation *sim, const lb_linear_options *options,
                           const lb_feedbacks *feedbacks, lb_arena *arena, lb_linear *linear)
{
    lb_feedback_arrays arrays;
    lb_status status = lb_fill_plant(sim, options, NULL, arena, linear);
    status = status < 0 ? status : lb_spread_feedbacks(feedbacks, arena, &arrays);
    if (status >= 0) {
        linear->feedback_count = feedbacks->count;
        linear->feedbacks = arrays.names;
        linear->closed = arrays.closed;
        linear->feedback_notes = arrays.notes;
    }
    return status;
}

// What the model was made with.
static lb_status record_parameters(const lb_simulation *sim, lb_arena *arena, lb_linear *linear)
{
    const int count = sim->parameter_count;
    double *values = lb_take_numbers(arena, (size_t)count);
    const char **names = copy_names(arena, count, sim->parameters);
    if (!values || !names) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        values[i] = sim->parameter_values[i];
    }
    linear->parameter_count = count;
    linear->parameters = names;
    linear->parameter_values = values;
    return LB_OK;
}

lb_status lb_linearize(lb_simulation *sim, const lb_linear_options *options, lb_linear **linear)
{
    lb_arena *arena = NULL;
    lb_linear_options own;
    lb_feedbacks feedbacks;
    lb_linear *record = lb_create_record(sizeof *record, &arena);
    lb_status status =
        record ? lb_begin_linear(sim, options, arena, &own, &feedbacks) : LB_E_MEMORY;
    if (record) {
        record->size = sizeof *record;
    }
    if (status >= 0 && (feedbacks.closed_count > 0 || own.period != 0.0)) {
        status = lb_fill_closed(sim, &own, &feedbacks, arena, record);
    } else if (status >= 0) {
        status = fill_open(sim, &own, &feedbacks, arena, record);
    }
    status = status < 0 ? status : record_parameters(sim, arena, record);
    *linear = lb_leave_point(&sim->system, status, record);
    return status < 0 ? status : LB_OK;
}

void lb_destroy_linear(lb_linear *linear)
{
    lb_destroy_record(linear);
}
