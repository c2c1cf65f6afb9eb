// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from body files: what a model asks for, out of what a file has.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/faults.h"
#include "base/sized.h"
#include "flex_file_intake.h"
#include "model/modal/flex_draft.h"

// What a model asks for, and the file that has it.
typedef struct request {
    lb_flex_intake in;
    lb_flex_file_options options;
    int m;            // modes that are used
    const int *modes; // which
    int *node_of;     // by node of the body: its index in the file
} request;

// ---- which modes -------------------------------------------------------------------------------

static lb_status choose_modes(request *ask, const double *K, const double *M)
{
    const lb_flex_intake *in = &ask->in;
    const lb_flex_file_options *o = &ask->options;
    const int n = in->n;
    int *modes;
    if (!LB_FE_TAKE(in->context, modes, n + 1)) {
        return LB_E_MEMORY;
    }
    if (o->mode_count < 0 || o->mode_count > n) {
        return lb_fe_fail(in->context, "modes.count", "%d given, but %s has %d modes",
                          o->mode_count, in->path, n);
    }
    if (!(o->below >= 0.0) || !isfinite(o->below)) {
        return lb_fe_fail(in->context, "modes.below", "%g found, expected a frequency in Hz",
                          o->below);
    }
    if ((o->mode_count > 0 || o->below > 0.0) && !(lb_is_diagonal(n, K) && lb_is_diagonal(n, M))) {
        return lb_fe_fail(in->context, "modes",
                          "the modes of %s are not orthogonal: none can be left out alone",
                          in->path);
    }
    const int most = o->mode_count > 0 ? o->mode_count : n;
    // frequencies as the model has them
    const double limit = LB_TWO_PI * o->below / o->frequency_factor;
    for (int r = 0; r < n; ++r) {
        // files may have their modes in any order
        const double square = K[r * n + r] / M[r * n + r];
        int lower = 0;
        for (int s = 0; s < n && lower < most && most < n; ++s) {
            const double other = K[s * n + s] / M[s * n + s];
            lower += other < square || (other == square && s < r);
        }
        if (lower < most && (o->below == 0.0 || square <= limit * limit)) {
            modes[ask->m++] = r;
        }
    }
    if (ask->m == 0 && n > 0) {
        return lb_fe_fail(in->context, "modes.below", "no mode of %s is below %g Hz", in->path,
                          o->below);
    }
    ask->modes = modes;
    return LB_OK;
}

// Keeps the rows, and columns if they are modes too, of the modes that are used, times a factor.
static void keep_rows(const request *ask, int width, double factor, double *A)
{
    for (int r = 0; A && r < ask->m; ++r) {
        for (int c = 0; c < width; ++c) {
            A[width * r + c] = factor * A[width * ask->modes[r] + c];
        }
    }
}

static void keep_pairs(const request *ask, int width, double factor, double *A)
{
    for (int r = 0; A && r < ask->m; ++r) {
        for (int s = 0; s < ask->m; ++s) {
            for (int c = 0; c < width; ++c) {
                A[width * (r * ask->m + s) + c] =
                    factor * A[width * (ask->modes[r] * ask->in.n + ask->modes[s]) + c];
            }
        }
    }
}

// ---- the parts of a body -----------------------------------------------------------------------

static lb_status check_factor(const request *ask, const char *key, double factor)
{
    if (factor > 0.0 && isfinite(factor)) {
        return LB_OK;
    }
    return lb_fe_fail(ask->in.context, key, "%g found, expected a number above 0", factor);
}

static lb_status set_damping(const request *ask, lb_flex_options *flex)
{
    lb_fe_context *context = ask->in.context;
    lb_damping_options damping = lb_default_damping_options();
    double *chosen = NULL;
    if (!ask->options.damping) {
        return LB_OK;
    }
    if (lb_take_reported(&context->report, "damping", &damping, sizeof damping,
                         LB_SIZE_THROUGH(lb_damping_options, ratio),
                         ask->options.damping) != LB_OK) {
        return LB_E_VERSION;
    }
    if (!lb_fe_check_damping(context, &damping)) {
        return LB_E_MODEL;
    }
    const lb_status status = lb_fe_form_damping(context, &damping, ask->m, flex->integrals->M_ff,
                                                flex->stiffness, &chosen);
    flex->damping = chosen;
    return status;
}

static lb_status read_inertia(request *ask, lb_flex_options *flex)
{
    lb_status status = lb_read_flex_inertia(&ask->in, flex);
    status = status ? status : check_factor(ask, "scale.mass", ask->options.mass_factor);
    status = status ? status : check_factor(ask, "scale.frequency", ask->options.frequency_factor);
    status = status ? status : choose_modes(ask, flex->stiffness, flex->integrals->M_ff);
    if (status != LB_OK) {
        return status;
    }
    const double f = ask->options.frequency_factor, m = ask->options.mass_factor;
    lb_flex_integrals *I = (lb_flex_integrals *)flex->integrals; // all of the context
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    I->mass *= m;
    for (int i = 0; i < 6; ++i) {
        I->S0[i] *= m;
        if (i < 3) {
            I->h0[i] *= m;
        }
    }
    lb_list_integrals(I, arrays);
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        (arrays[i].is_pair ? keep_pairs : keep_rows)(ask, arrays[i].width, m,
                                                     (double *)*arrays[i].values);
    }
    keep_pairs(ask, 1, m * f * f, (double *)flex->stiffness);
    keep_pairs(ask, 1, m * f, (double *)flex->damping);
    flex->mode_count = ask->m;
    return set_damping(ask, flex);
}

static lb_status read_node(request *ask, uint64_t index, const char *name, lb_flex_node *node)
{
    lb_flex_intake *in = &ask->in;
    const uint64_t n = (uint64_t)in->n;
    double *all;
    *node = lb_default_flex_node();
    node->name = name;
    if (!LB_FE_TAKE(in->context, all, 6 * n + 1)) {
        return LB_E_MEMORY;
    }
    lb_status status =
        lb_read_flex_numbers_at(in, "node_positions", &in->positions, 3 * index, 3, node->position);
    status = status ? status
                    : lb_read_flex_numbers_at(in, "node_rotations", &in->rotations, 4 * index, 4,
                                              node->rotation);
    status =
        status ? status
               : lb_read_flex_numbers_at(in, "node_shapes", &in->shapes, 6 * n * index, 6 * n, all);
    status = status ? status : lb_check_flex_shape(in, index, all);
    if (status == LB_OK) {
        keep_rows(ask, 6, 1.0, all);
        node->shape = all;
        status = lb_get_flex_second(in, index, ask->m, ask->modes, node);
    }
    return status;
}

static lb_status find_id(lb_flex_intake *in, const lb_named_node *wanted, uint64_t *index)
{
    int64_t ids[512];
    for (uint64_t first = 0; first < in->node_count; first += 512) {
        const uint64_t left = in->node_count - first, count = left < 512 ? left : 512;
        const lb_status status =
            lb_read_hdf5_bytes(&in->reader, in->ids.at + 8 * first, 8 * count, ids);
        if (status != LB_OK) {
            return lb_fail_flex_reader(in, status);
        }
        lb_turn_hdf5_items(&in->ids, count, ids);
        for (uint64_t i = 0; i < count; ++i) {
            if (ids[i] == wanted->id) {
                *index = first + i;
                return LB_OK;
            }
        }
    }
    return lb_fe_fail(in->context, "nodes", "%s has no node %ld", in->path, wanted->id);
}

static lb_status read_nodes(request *ask, lb_flex_options *flex)
{
    lb_flex_intake *in = &ask->in;
    lb_status status = lb_find_flex_nodes(in);
    if (status != LB_OK) {
        return status;
    }
    const lb_flex_file_options *o = &ask->options;
    const size_t most = (size_t)in->kept.dims[0] + (size_t)o->node_count;
    lb_flex_node *nodes;
    if (!LB_FE_TAKE(in->context, nodes, most + 1) ||
        !LB_FE_TAKE(in->context, ask->node_of, most + 1)) {
        return LB_E_MEMORY;
    }
    size_t used = 0;
    for (uint64_t i = 0; i < in->kept.dims[0] && status == LB_OK; ++i) {
        int32_t index = 0;
        const char *name = NULL;
        status = lb_read_flex_name(in, i, &index, &name);
        ask->node_of[used] = (int)index;
        status = status ? status : read_node(ask, (uint64_t)index, name, &nodes[used++]);
    }
    for (int i = 0; i < o->node_count && status == LB_OK; ++i) {
        uint64_t index = 0;
        char *name;
        status = find_id(in, &o->nodes[i], &index);
        if (status != LB_OK) {
            break;
        }
        if (!LB_FE_TAKE(in->context, name, LB_FLEX_NAME_SIZE)) {
            return LB_E_MEMORY;
        }
        if (o->nodes[i].name) {
            snprintf(name, LB_FLEX_NAME_SIZE, "%s", o->nodes[i].name);
        } else {
            snprintf(name, LB_FLEX_NAME_SIZE, "%ld", o->nodes[i].id);
        }
        // a name that the file has too means the node that is asked for
        size_t place = 0;
        while (place < used && strcmp(nodes[place].name, name) != 0) {
            ++place;
        }
        status = read_node(ask, index, name, &nodes[place]);
        ask->node_of[place] = index < INT32_MAX ? (int)index : INT32_MAX;
        used += place == used;
    }
    flex->nodes = nodes;
    flex->node_count = (int)used;
    return status;
}

static lb_status read_recovery(request *ask, lb_flex_options *flex)
{
    const lb_flex_file_options *o = &ask->options;
    const lb_flex_recovery_request wanted = {.names = o->recovery,
                                             .name_count = o->recovery_count,
                                             .mode_count = ask->m,
                                             .modes = ask->modes,
                                             .node_of = ask->node_of,
                                             .mass = o->mass_factor,
                                             .square = o->frequency_factor * o->frequency_factor};
    return lb_read_flex_recovery(&ask->in, &wanted, flex);
}

// ---- fidelity ----------------------------------------------------------------------------------

static lb_status choose_fidelity(const request *ask, lb_flex_options *flex)
{
    const lb_flex_intake *in = &ask->in;
    flex->fidelity = LB_FIDELITY_CONSISTENT;
    if (!ask->options.fidelity) {
        return LB_OK;
    }
    if (*ask->options.fidelity == LB_FIDELITY_RUTHLESS) {
        flex->fidelity = LB_FIDELITY_RUTHLESS;
        for (int i = 0; i < flex->node_count; ++i) {
            ((lb_flex_node *)&flex->nodes[i])->second_order_count = 0; // of the context
        }
        return LB_OK;
    }
    if (*ask->options.fidelity == LB_FIDELITY_APPENDIX_C) {
        return lb_fe_fail(
            in->context, "fidelity",
            "appendix-c needs nodal masses, which body files do not have; leave it out");
    }
    if (in->order < LB_INERTIA_ORDER_2) {
        return lb_fe_fail(
            in->context, "fidelity",
            "consistent needs inertia of order 2 in the deformation, but %s has order %d; leave "
            "fidelity out to use what there is, or import the full mass matrix",
            in->path, (int)in->order);
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status read_flex_file(const char *path, const lb_flex_file_options *given,
                                lb_flex_body *body)
{
    request ask = {.in = {.path = path, .key = "file", .context = &body->context},
                   .options = lb_default_flex_file_options()};
    if (given &&
        lb_take_reported(&body->context.report, "file", &ask.options, sizeof ask.options,
                         LB_SIZE_THROUGH(lb_flex_file_options, mode_count), given) != LB_OK) {
        return LB_E_VERSION;
    }
    ask.in.hash = ask.options.hash;
    lb_status status = lb_open_flex_file(&ask.in, &body->hash);
    status = status ? status : read_inertia(&ask, &body->options);
    status = status ? status : read_nodes(&ask, &body->options);
    status = status ? status : read_recovery(&ask, &body->options);
    status = status ? status : choose_fidelity(&ask, &body->options);
    status = status ? status : lb_check_flex_used(&ask.in);
    lb_close_hdf5_reader(&ask.in.reader);
    if (status == LB_OK) {
        body->summary =
            (lb_flex_summary){.size = sizeof body->summary, .mass = body->options.integrals->mass};
    }
    return status;
}

lb_status lb_load_flex_file(const char *path, const lb_flex_file_options *options,
                            const lb_allocator *allocator, const lb_report *report,
                            lb_flex_body **body)
{
    lb_flex_body *made = lb_make_flex_body(allocator, report);
    *body = NULL;
    if (!made) {
        return LB_E_MEMORY;
    }
    const lb_status status = read_flex_file(path, options, made);
    if (status != LB_OK) {
        lb_destroy_flex_body(made);
        return status;
    }
    *body = made;
    return LB_OK;
}

const char *lb_get_flex_hash(const lb_flex_body *body)
{
    return body->hash ? body->hash : "";
}

lb_status lb_read_flex_hash(const char *path, const lb_report *report, char hash[65])
{
    lb_fe_context context;
    lb_fe_init(&context, NULL, report);
    lb_flex_intake in = {.path = path, .context = &context};
    const char *text = "";
    lb_status status = lb_open_flex_file(&in, &text);
    lb_close_hdf5_reader(&in.reader);
    if (status == LB_OK && strlen(text) != 64) {
        status =
            lb_fail_flex_file(&in, "content_hash has %zu characters, expected 64", strlen(text));
    }
    snprintf(hash, 65, "%s", status == LB_OK ? text : "");
    lb_arena_free(&context.arena);
    return status;
}
