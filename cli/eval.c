// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber eval MODEL REQUEST: dynamics at given states, JSON in and out.
//
// All requests are checked against the model before any is evaluated; one that sets parameters, when its own
// model has been built. Nothing is printed unless everything could be computed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "console.h"
#include "hybrid.h"
#include "initial.h"
#include "json_out.h"
#include "limber/forces.h"
#include "memory_stream.h"
#include "resolve.h"
#include "settings.h"

typedef struct evaluation {
    const char *model_file;
    lb_document *document;
    const lb_cli_values *parameters; // that the model has, beside those of the command line
    lb_model *model;
    lb_work *work;                            // of the tree alone
    lb_work *forward[LB_CLI_ALGORITHM_COUNT]; // of forward dynamics, once they are needed
    int q_count, v_count;
    double *q, *v, *tau, *a, *qdd, *result; // the state, and one answer
    double *matrix;                         // v_count x v_count, once it is needed
    double *jacobian;                       // 6 x v_count, likewise
    double *loop_forces;                    // likewise, for models with loops
    unsigned char *driven;                  // by body
    lb_forces *forces;                      // once they are needed
    double *acting;                         // what they do; zero for requests without them
    double held;                            // potential energy in them
    lb_node_force *loads;                   // all that acts at nodes
    int load_count;
    lb_cli_request_list requests;
    char path[32]; // of the request at hand
    lb_cli_json json;
    int failure; // exit status where something cannot be done
} evaluation;

// ---- answers -----------------------------------------------------------------------------------

// What is going on, for messages about the model: "request[1]: forward".
static bool explain(const evaluation *e, const lb_work *work, lb_status status, const char *what)
{
    char doing[64];
    snprintf(doing, sizeof doing, "%s: %s", e->path, what);
    return lb_cli_explain_status(e->model, work, status, e->model_file, doing);
}

// A number that is not finite is never printed: it is an error.
static bool check_finite(const evaluation *e, const char *key, const double *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            lb_cli_complain("%s: %s is not finite (entry %zu is %g): the numbers given are beyond "
                            "what double precision can hold",
                            e->path, key, i, values[i]);
            return false;
        }
    }
    return true;
}

static bool put_matrix(evaluation *e, const char *key, const double *values, int rows, int columns)
{
    if (!check_finite(e, key, values, (size_t)rows * (size_t)columns)) {
        return false;
    }
    lb_cli_json_matrix(&e->json, key, values, rows, columns);
    return true;
}

static bool put_vector(evaluation *e, const char *key, const double *values, int count)
{
    if (!check_finite(e, key, values, (size_t)count)) {
        return false;
    }
    lb_cli_json_vector(&e->json, key, values, count);
    return true;
}

static bool put_scalar(evaluation *e, const char *key, double value)
{
    if (!check_finite(e, key, &value, 1)) {
        return false;
    }
    lb_cli_json_number(&e->json, key, value);
    return true;
}

static void need_matrix(evaluation *e)
{
    if (!e->matrix) {
        e->matrix = lb_cli_allocate(e->v_count, e->v_count, "mass matrix");
    }
}

// The workspace of an algorithm; NULL after saying why not.
static lb_work *need_work(evaluation *e, lb_cli_algorithm algorithm)
{
    static const lb_algorithm algorithms[] = {
        [LB_CLI_ARTICULATED] = LB_ALGORITHM_ARTICULATED,
        [LB_CLI_COMPOSITE] = LB_ALGORITHM_COMPOSITE,
        [LB_CLI_DIVIDE_AND_CONQUER] = LB_ALGORITHM_DIVIDE_AND_CONQUER,
        [LB_CLI_UNSPLIT] = LB_ALGORITHM_UNSPLIT,
    };
    lb_work **work = &e->forward[algorithm];
    if (!*work) {
        lb_work_options options = lb_default_work_options();
        options.algorithm = algorithms[algorithm];
        *work = lb_cli_create_work(e->model, &options);
        if (!lb_cli_take_initial_offsets(e->document, e->model, *work)) {
            lb_destroy_work(*work);
            *work = NULL;
        }
    }
    return *work;
}

// The recursion that is not split has neither loops nor drives.
static bool allows_unsplit(const evaluation *e, const lb_cli_request *request)
{
    const bool driven = memchr(e->driven, 1, (size_t)lb_get_body_count(e->model)) != NULL;
    if (lb_get_loop_count(e->model) > 0 || request->prescribed || driven) {
        lb_cli_complain("%s: algorithm 'unsplit' supports neither loops nor hinges that are driven "
                        "by motion; use another one",
                        e->path);
        return false;
    }
    return true;
}

// Hinges that the request drives, in e->driven and their accelerations in e->qdd.
static void start_drives(evaluation *e, const lb_cli_request *request)
{
    for (int i = 0; i < request->drive_count; ++i) {
        const lb_cli_drive *drive = &request->drives[i];
        const int body = drive->body_index;
        const int hinge = lb_get_v_offset(e->model, body) + lb_get_mode_count(e->model, body);
        e->driven[body] = 1;
        memcpy(&e->qdd[hinge], drive->accelerations.values,
               (size_t)drive->accelerations.count * sizeof *e->qdd);
    }
}

// Driven hinges by the mass matrix: a second road.
static bool answer_hybrid_composite(evaluation *e)
{
    // tau is in and out, so leave the caller's alone
    memcpy(e->result, e->tau, (size_t)e->v_count * sizeof *e->tau);
    need_matrix(e);
    double *scratch = lb_cli_allocate(1, e->v_count, "forward");
    int failure = -1;
    const lb_status status = lb_cli_compute_hybrid_composite(
        e->model, e->work, e->q, e->v, e->driven, e->result, e->qdd, e->matrix, scratch, &failure);
    free(scratch);
    if (failure < 0) {
        return explain(e, e->work, status, "forward");
    }
    // the last body that starts at or before the entry and has any speeds
    int body = lb_get_body_count(e->model) - 1;
    while (body > 0 && lb_get_v_offset(e->model, body) > failure) {
        --body;
    }
    char doing[64];
    snprintf(doing, sizeof doing, "%s: forward", e->path);
    return lb_cli_explain_inertia(e->model, body, failure - lb_get_v_offset(e->model, body), status,
                                  e->model_file, doing);
}

// Motions that cannot all be met: an error where any is prescribed.
static bool check_conflict(const evaluation *e, const lb_work *work)
{
    int loop = -1;
    double largest = 1.0;
    for (int i = 0; i < e->v_count; ++i) {
        largest = fmax(largest, fabs(e->qdd[i]));
    }
    const double conflict = lb_get_loop_conflict(e->model, work, &loop);
    const bool driven = memchr(e->driven, 1, (size_t)lb_get_body_count(e->model)) != NULL;
    if (loop >= 0 && driven && conflict > 1e-6 * largest) {
        lb_cli_complain("%s: the motions prescribed cannot be met together with loop '%s': "
                        "accelerations are %.3g apart; prescribe fewer, or such as the loop allows",
                        e->path, lb_get_loop_name(e->model, loop), conflict);
        return false;
    }
    return true;
}

// Forward dynamics with loops and drives: into e->qdd, and what driven hinges need into e->result. With loops, their
// forces into e->loop_forces.
static bool compute_forward(evaluation *e, const lb_cli_request *request)
{
    const int capacity = lb_get_loop_capacity(e->model);
    const bool closed = lb_get_loop_count(e->model) > 0;
    if (closed && !e->loop_forces) {
        e->loop_forces = lb_cli_allocate(6, capacity, "loops");
    }
    // with loops, composite and articulated lead to the same multipliers
    const bool plain = closed && request->algorithm != LB_CLI_DIVIDE_AND_CONQUER;
    lb_work *work = need_work(e, plain ? LB_CLI_ARTICULATED : request->algorithm);
    if (!work) {
        return false;
    }
    for (int body = 0; body < lb_get_body_count(e->model); ++body) {
        lb_set_hinge_driven(e->model, work, body, e->driven[body] != 0);
    }
    const lb_status status =
        lb_compute_forward_dynamics(e->model, work, e->q, e->v, e->tau, e->qdd);
    if (!explain(e, work, status, "forward")) {
        return false;
    }
    if (status == LB_OK && lb_get_redundant_row_count(work) > 0) {
        char doing[64];
        snprintf(doing, sizeof doing, "%s: forward", e->path);
        lb_cli_warn_of_redundancy(e->model_file, doing);
    }
    if (request->algorithm != LB_CLI_UNSPLIT) {
        lb_get_drive_forces(e->model, work, e->result);
    }
    for (int l = 0; closed && l < capacity; ++l) {
        lb_get_loop_force(e->model, work, l, e->loop_forces + 6 * (size_t)l);
    }
    return !plain || check_conflict(e, work);
}

static bool answer_forward(evaluation *e, const lb_cli_request *request)
{
    if (request->algorithm == LB_CLI_UNSPLIT && !allows_unsplit(e, request)) {
        return false;
    }
    start_drives(e, request);
    const bool driven = memchr(e->driven, 1, (size_t)lb_get_body_count(e->model)) != NULL;
    const bool by_matrix =
        driven && lb_get_loop_count(e->model) == 0 && request->algorithm == LB_CLI_COMPOSITE;
    if (!(by_matrix ? answer_hybrid_composite(e) : compute_forward(e, request)) ||
        !put_vector(e, "qdd", e->qdd, e->v_count) || !put_vector(e, "a", e->qdd, e->v_count)) {
        return false;
    }
    if (request->prescribed) {
        lb_cli_json_open(&e->json, "drive", '{');
        for (int i = 0; i < request->drive_count; ++i) {
            const lb_cli_drive *drive = &request->drives[i];
            const int body = drive->body_index;
            const int hinge = lb_get_v_offset(e->model, body) + lb_get_mode_count(e->model, body);
            // the drive supplies what force elements at the hinge do not
            for (int j = 0; j < drive->accelerations.count; ++j) {
                e->result[hinge + j] -= e->acting[hinge + j];
            }
            if (!put_vector(e, drive->body, &e->result[hinge], drive->accelerations.count)) {
                return false;
            }
        }
        lb_cli_json_close(&e->json, '}');
    }
    return true;
}

static bool answer_matrices(evaluation *e, const lb_cli_request *request)
{
    const int nv = e->v_count;
    if (request->compute[LB_CLI_MASS] || request->compute[LB_CLI_MASS_INVERSE]) {
        need_matrix(e);
    }
    if (request->compute[LB_CLI_MASS] &&
        (!explain(e, e->work, lb_compute_mass_matrix(e->model, e->work, e->q, e->matrix), "mass") ||
         !put_matrix(e, "mass", e->matrix, nv, nv))) {
        return false;
    }
    if (request->compute[LB_CLI_MASS_INVERSE] &&
        (!explain(e, e->work, lb_compute_mass_matrix_inverse(e->model, e->work, e->q, e->matrix),
                  "mass-inverse") ||
         !put_matrix(e, "mass_inverse", e->matrix, nv, nv))) {
        return false;
    }
    return true;
}

// Every node of a body. Needs kinematics.
static bool answer_nodes_of(evaluation *e, int body)
{
    lb_cli_json_open(&e->json, lb_get_body_name(e->model, body), '{');
    for (int node = 0; node < lb_get_node_count(e->model, body); ++node) {
        lb_node_motion motion;
        const lb_status status = lb_compute_node_motion(e->model, e->work, body, node, &motion);
        if (!explain(e, e->work, status, "nodes")) {
            return false;
        }
        lb_cli_json_open(&e->json, lb_get_node_name(e->model, body, node), '{');
        if (!put_vector(e, "position", motion.position, 3) ||
            !put_vector(e, "rotation", motion.rotation, 4) ||
            !put_vector(e, "velocity", motion.velocity, 6) ||
            !put_vector(e, "acceleration", motion.acceleration, 6)) {
            return false;
        }
        lb_cli_json_close(&e->json, '}');
    }
    lb_cli_json_close(&e->json, '}');
    return true;
}

// Of the whole system. Needs velocities.
static bool answer_momentum(evaluation *e)
{
    lb_system_motion motion;
    if (!explain(e, e->work, lb_compute_system_motion(e->model, e->work, &motion), "momentum")) {
        return false;
    }
    lb_cli_json_open(&e->json, "momentum", '{');
    const bool good = put_scalar(e, "mass", motion.mass) && put_vector(e, "com", motion.com, 3) &&
                      put_vector(e, "com_velocity", motion.com_velocity, 3) &&
                      put_vector(e, "linear", motion.linear, 3) &&
                      put_vector(e, "angular", motion.angular, 3) &&
                      put_vector(e, "angular_world", motion.angular_world, 3);
    lb_cli_json_close(&e->json, '}');
    return good;
}

static bool answer_motion(evaluation *e, const lb_cli_request *request)
{
    const double *a = request->compute[LB_CLI_FORWARD] ? e->qdd : e->a;
    if (!explain(e, e->work, lb_compute_kinematics(e->model, e->work, e->q, e->v, a),
                 "kinematics")) {
        return false;
    }
    if (request->compute[LB_CLI_ENERGY]) {
        double kinetic, potential;
        if (!explain(e, e->work, lb_compute_energy(e->model, e->work, &kinetic, &potential),
                     "energy") ||
            !put_scalar(e, "kinetic", kinetic) ||
            !put_scalar(e, "potential", potential + e->held)) {
            return false;
        }
    }
    if (request->compute[LB_CLI_MOMENTUM] && !answer_momentum(e)) {
        return false;
    }
    if (request->compute[LB_CLI_NODES]) {
        lb_cli_json_open(&e->json, "nodes", '{');
        for (int body = LB_GROUND; body < lb_get_body_count(e->model); ++body) {
            if (!answer_nodes_of(e, body)) {
                return false;
            }
        }
        lb_cli_json_close(&e->json, '}');
    }
    if (request->compute[LB_CLI_JACOBIAN]) {
        if (!e->jacobian) {
            e->jacobian = lb_cli_allocate(6, e->v_count, "jacobian");
        }
        if (!explain(e, e->work,
                     lb_compute_jacobian(e->model, e->work, request->at.body_index,
                                         request->at.node_index, LB_AXES_WORLD, e->jacobian),
                     "jacobian") ||
            !put_matrix(e, "jacobian", e->jacobian, 6, e->v_count)) {
            return false;
        }
    }
    return true;
}

static bool answer_admittance(evaluation *e, const lb_cli_request *request)
{
    double admittance[36];
    return explain(e, e->work, lb_compute_articulated_inertia(e->model, e->work, e->q),
                   "admittance") &&
           explain(e, e->work,
                   lb_compute_admittance(e->model, e->work, request->at.body_index,
                                         request->at.node_index, LB_AXES_WORLD, admittance),
                   "admittance") &&
           put_matrix(e, "admittance", admittance, 6, 6);
}

static void set_vector(double *to, const lb_cli_numbers *from, int count)
{
    if (from->values) {
        memcpy(to, from->values, (size_t)count * sizeof *to);
    } else {
        memset(to, 0, (size_t)count * sizeof *to);
    }
}

// What force elements do, in e->acting, e->driven and e->qdd.
static bool start_elements(evaluation *e)
{
    const lb_report report = lb_cli_make_report(NULL);
    if (!e->forces && lb_load_forces(e->document, e->model, &report, &e->forces) < 0) {
        return false;
    }
    lb_status status = lb_compute_kinematics(e->model, e->work, e->q, e->v, NULL);
    if (status == LB_OK) {
        status = lb_compute_forces(e->forces, e->model, e->work, 0.0, e->q, e->v, e->acting,
                                   e->driven, e->qdd);
    }
    if (status < 0) {
        const char *message = lb_get_force_message(e->forces);
        lb_cli_complain("%s: %s", e->path, message[0] ? message : lb_get_status_text(status));
        return false;
    }
    for (int i = 0; i < lb_get_force_count(e->forces); ++i) {
        const lb_force_info info = lb_get_force_info(e->forces, i);
        e->held += info.is_conservative ? info.energy : 0.0;
    }
    return true;
}

// The wrenches of the request, in e->acting; and in e->loads, behind those of force elements.
static bool start_wrenches(evaluation *e, const lb_cli_request *request)
{
    const lb_applied_loads *own = request->forces ? lb_get_applied_loads(e->forces) : NULL;
    const int first = own ? own->force_count : 0, count = request->wrench_count;
    free(e->loads);
    e->loads = lb_cli_calloc((size_t)(first + count) + 1, sizeof *e->loads);
    e->load_count = first + count;
    if (first > 0) {
        memcpy(e->loads, own->forces, (size_t)first * sizeof *e->loads);
    }
    for (int i = 0; i < count; ++i) {
        const lb_cli_wrench *wrench = &request->wrenches[i];
        lb_node_force *load = &e->loads[first + i];
        *load = (lb_node_force){
            .body = wrench->at.body_index, .node = wrench->at.node_index, .axes = LB_AXES_WORLD};
        memcpy(load->force, wrench->values.values, sizeof load->force);
    }
    if (count > 0 &&
        (!explain(e, e->work, lb_compute_kinematics(e->model, e->work, e->q, e->v, NULL),
                  "wrenches") ||
         !explain(e, e->work,
                  lb_apply_node_forces(e->model, e->work, count, e->loads + first, e->acting),
                  "wrenches"))) {
        return false;
    }
    for (int i = 0; i < e->v_count; ++i) {
        e->tau[i] += e->acting[i];
    }
    return true;
}

// What acts beside tau.
static bool start_forces(evaluation *e, const lb_cli_request *request)
{
    memset(e->driven, 0, (size_t)lb_get_body_count(e->model));
    memset(e->acting, 0, (size_t)e->v_count * sizeof *e->acting);
    e->held = 0.0;
    return (!request->forces || start_elements(e)) && start_wrenches(e, request);
}

// M a + c, less what acts beside tau.
static bool put_inverse(evaluation *e, const char *key, const char *what, const double *a)
{
    const lb_status status =
        lb_compute_inverse_dynamics(e->model, e->work, e->q, e->v, a, e->result);
    if (!explain(e, e->work, status, what)) {
        return false;
    }
    for (int i = 0; i < e->v_count; ++i) {
        e->result[i] -= e->acting[i];
    }
    return put_vector(e, key, e->result, e->v_count);
}

// Forces of the loops, of the forward dynamics of this request, and how far its state is off them.
static bool answer_loops(evaluation *e, const lb_cli_request *request)
{
    const int count = lb_get_loop_count(e->model);
    const int capacity = lb_get_loop_capacity(e->model);
    if (count > 0 && !request->compute[LB_CLI_FORWARD]) {
        start_drives(e, request);
        if (!compute_forward(e, request)) {
            return false;
        }
    }
    double *errors = lb_cli_allocate(12, capacity > 0 ? capacity : 1, "loops");
    double *velocity = errors + 6 * (size_t)capacity;
    bool good =
        explain(e, e->work, lb_compute_kinematics(e->model, e->work, e->q, e->v, NULL), "loops") &&
        explain(e, e->work, lb_compute_loop_errors(e->model, e->work, e->q, errors, velocity),
                "loops");
    lb_cli_json_open(&e->json, "loops", '{');
    for (int i = 0; i < count && good; ++i) {
        lb_cli_json_open(&e->json, lb_get_loop_name(e->model, i), '{');
        good = put_vector(e, "force", e->loop_forces + 6 * (size_t)i, 6) &&
               put_vector(e, "position_error", errors + 6 * (size_t)i, 6) &&
               put_vector(e, "velocity_error", velocity + 6 * (size_t)i, 6);
        lb_cli_json_close(&e->json, '}');
    }
    lb_cli_json_close(&e->json, '}');
    free(errors);
    return good;
}

// What each hinge exerts on its body, of the forward dynamics of this request by the articulated recursion.
static bool answer_reactions(evaluation *e, const lb_cli_request *request)
{
    const int count = lb_get_body_count(e->model);
    lb_cli_request own = *request;
    own.algorithm = LB_CLI_ARTICULATED;
    start_drives(e, &own);
    if (!compute_forward(e, &own)) {
        return false;
    }
    const lb_applied_loads *elements = request->forces ? lb_get_applied_loads(e->forces) : NULL;
    const lb_applied_loads applied = {.size = sizeof applied,
                                      .force_count = e->load_count,
                                      .forces = e->loads,
                                      .field_count = elements ? elements->field_count : 0,
                                      .fields = elements ? elements->fields : NULL};
    lb_work *work = e->forward[LB_CLI_ARTICULATED];
    double *reactions = lb_cli_allocate(6, count, "reactions");
    bool good =
        explain(e, work, lb_compute_reactions(e->model, work, &applied, reactions), "reactions");
    lb_cli_json_open(&e->json, "reactions", '{');
    for (int body = 0; body < count && good; ++body) {
        good = put_vector(e, lb_get_body_name(e->model, body), reactions + 6 * (ptrdiff_t)body, 6);
    }
    lb_cli_json_close(&e->json, '}');
    free(reactions);
    return good;
}

static bool answer(evaluation *e, const lb_cli_request *request)
{
    lb_get_neutral_configuration(e->model, e->q);
    if (request->q.values) {
        set_vector(e->q, &request->q, e->q_count);
    }
    set_vector(e->v, &request->v, e->v_count);
    set_vector(e->tau, &request->tau, e->v_count);
    set_vector(e->a, &request->a, e->v_count);

    if (!start_forces(e, request)) {
        return false;
    }

    lb_cli_json_open(&e->json, NULL, '{');
    if (request->compute[LB_CLI_FORWARD] && !answer_forward(e, request)) {
        return false;
    }
    if (request->compute[LB_CLI_INVERSE] && !put_inverse(e, "tau", "inverse", e->a)) {
        return false;
    }
    if (!answer_matrices(e, request)) {
        return false;
    }
    if (request->compute[LB_CLI_BIAS] && !put_inverse(e, "bias", "bias", NULL)) {
        return false;
    }
    if ((request->compute[LB_CLI_ENERGY] || request->compute[LB_CLI_NODES] ||
         request->compute[LB_CLI_JACOBIAN] || request->compute[LB_CLI_MOMENTUM]) &&
        !answer_motion(e, request)) {
        return false;
    }
    if (request->compute[LB_CLI_ADMITTANCE] && !answer_admittance(e, request)) {
        return false;
    }
    if (request->compute[LB_CLI_LOOPS] && !answer_loops(e, request)) {
        return false;
    }
    if (request->compute[LB_CLI_REACTIONS] && !answer_reactions(e, request)) {
        return false;
    }
    lb_cli_json_close(&e->json, '}');
    return true;
}

// ---- the model ---------------------------------------------------------------------------------

// Workspace and vectors for the model.
static bool prepare(evaluation *e)
{
    e->q_count = lb_get_q_count(e->model);
    e->v_count = lb_get_v_count(e->model);
    e->work = lb_cli_create_work(e->model, NULL);
    lb_use_tree(e->work, true);
    double **const vectors[] = {&e->v, &e->tau, &e->a, &e->qdd, &e->result, &e->acting};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = lb_cli_allocate(1, e->v_count, "state");
    }
    e->q = lb_cli_allocate(1, e->q_count, "state");
    e->driven = lb_cli_calloc((size_t)lb_get_body_count(e->model) + 1, 1);
    return lb_cli_take_initial_offsets(e->document, e->model, e->work);
}

// The model, and all that was made for it.
static void drop_model(evaluation *e)
{
    double **const numbers[] = {&e->q,      &e->v,      &e->tau,    &e->a,        &e->qdd,
                                &e->result, &e->acting, &e->matrix, &e->jacobian, &e->loop_forces};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        free(*numbers[i]);
        *numbers[i] = NULL;
    }
    free(e->driven);
    free(e->loads);
    e->driven = NULL;
    e->loads = NULL;
    for (int i = 0; i < LB_CLI_ALGORITHM_COUNT; ++i) {
        lb_destroy_work(e->forward[i]);
        e->forward[i] = NULL;
    }
    lb_destroy_work(e->work);
    e->work = NULL;
    lb_destroy_forces(e->forces);
    e->forces = NULL;
    lb_destroy_model(e->model);
    e->model = NULL;
}

static bool are_equal(const lb_cli_values *a, const lb_cli_values *b)
{
    int same = 0;
    for (int i = 0; i < a->count; ++i) {
        for (int k = 0; k < b->count; ++k) {
            same += a->values[i].value == b->values[k].value &&
                    strcmp(a->values[i].name, b->values[k].name) == 0;
        }
    }
    return same == a->count && same == b->count;
}

// Says what is wrong under the parameters of a request: at its key "request[1].parameters.k", or in the model:
// "with the parameters of request[1]: ...".
static void blame_parameters(void *user, const lb_diagnostic *diagnostic)
{
    static const char list[] = "parameters.";
    const evaluation *e = user;
    const bool listed = strncmp(diagnostic->path, list, sizeof list - 1) == 0;
    lb_diagnostic other = *diagnostic;
    char message[1024], path[192];
    snprintf(message, sizeof message, "with the parameters of %s: %s", e->path,
             diagnostic->message);
    other.message = message;
    for (int i = 0; listed && i < e->parameters->count; ++i) {
        if (strcmp(diagnostic->path + sizeof list - 1, e->parameters->values[i].name) == 0) {
            snprintf(path, sizeof path, "%s.%s", e->path, diagnostic->path);
            other = (lb_diagnostic){sizeof other, diagnostic->severity, e->requests.file, 0, 0,
                                    path,         diagnostic->message};
        }
    }
    lb_cli_print_diagnostic(&other);
}

// Gives the document the values of the command line and then those of the request.
static lb_status set_parameters(evaluation *e, const lb_cli_values *parameters,
                                const lb_report *report)
{
    lb_load_options given = lb_default_load_options();
    lb_cli_add_settings(&given);
    const size_t first = (size_t)given.parameter_count, count = (size_t)parameters->count;
    lb_parameter_value *values = lb_cli_calloc(first + count, sizeof *values);
    for (size_t i = 0; i < first + count; ++i) {
        values[i] = i < first ? given.parameters[i] : parameters->values[i - first];
    }
    const lb_status status = lb_set_parameters(e->document, values, (int)(first + count), report);
    free(values);
    return status;
}

// The model that a request is about. Built again only if its parameters are others than those before.
static bool choose_model(evaluation *e, int index)
{
    const lb_cli_values *parameters = &e->requests.requests[index].parameters;
    if (are_equal(parameters, e->parameters)) {
        return e->work || prepare(e);
    }
    const lb_report report = {blame_parameters, e};
    drop_model(e);
    e->parameters = parameters;
    lb_status status = set_parameters(e, parameters, &report);
    status = status < 0 ? status : lb_load_document_model(e->document, &report, &e->model);
    if (lb_cli_check_memory(status) < 0) {
        e->failure = LB_CLI_USAGE;
        return false;
    }
    return prepare(e);
}

// ---- the command -------------------------------------------------------------------------------

// A request that sets parameters was not checked against its model yet.
static bool check(evaluation *e, int index)
{
    if (e->parameters->count == 0 || lb_cli_check_request(e->model, &e->requests, index)) {
        return true;
    }
    e->failure = LB_CLI_USAGE;
    return false;
}

// All answers into memory, and only then to standard output.
static int write_answers(evaluation *e)
{
    lb_cli_memory memory;
    lb_cli_open_memory(&memory);
    e->json = lb_cli_json_start(memory.stream);
    if (e->requests.is_list) {
        lb_cli_json_open(&e->json, NULL, '[');
    }
    bool done = true;
    for (int i = 0; done && i < e->requests.count; ++i) {
        lb_cli_format_request_path(&e->requests, i, e->path, sizeof e->path);
        done = choose_model(e, i) && check(e, i) && answer(e, &e->requests.requests[i]);
    }
    if (e->requests.is_list) {
        lb_cli_json_close(&e->json, ']');
    }
    lb_cli_json_finish(&e->json);
    lb_cli_close_memory(&memory);
    if (done) {
        fwrite(memory.text, 1, memory.size, stdout); // main sees to what goes wrong here
    }
    free(memory.text);
    return done ? LB_CLI_DONE : e->failure;
}

int lb_cli_run_eval(const lb_cli_arguments *arguments)
{
    const lb_cli_values none = {0};
    const lb_report report = lb_cli_make_report(NULL);
    evaluation e = {.model_file = arguments->operands[0],
                    .document = lb_cli_load_document(arguments, NULL, 0),
                    .parameters = &none,
                    .failure = LB_CLI_FAILED};
    int status = LB_CLI_FAILED;
    if (e.document && lb_load_document_model(e.document, &report, &e.model) >= 0) {
        status = lb_cli_load_requests(e.model, arguments->operands[1], false, &e.requests);
    }
    for (int i = 0; i < e.requests.count; ++i) {
        if (!lb_cli_check_parameters(e.document, &e.requests, i)) {
            status = LB_CLI_USAGE;
        }
    }
    if (status == LB_CLI_DONE) {
        status = write_answers(&e);
    }
    drop_model(&e);
    lb_cli_free_requests(&e.requests);
    lb_destroy_document(e.document);
    return status;
}
