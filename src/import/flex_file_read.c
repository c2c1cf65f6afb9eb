// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies from body files: what a model asks for, out of what a file has.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/faults.h"
#include "base/sha256.h"
#include "base/sized.h"
#include "base/text.h"
#include "flex_file.h"
#include "hdf5/hdf5_reader.h"
#include "reduction.h"

enum { MODES_MOST = 4096 }; // as many as a flexible body can have

// A body file that is being read.
typedef struct intake {
    lb_hdf5_reader reader;
    const char *path;
    const char *key;        // where a model names the file; "" outside of models
    lb_fe_context *context; // of the body
    lb_flex_file_options options;
    int n;            // modes of the file
    int m;            // modes that are used
    const int *modes; // which
    lb_inertia_order order;
    uint64_t node_count;
    lb_hdf5_array ids, positions, rotations, shapes, checks;
} intake;

// ---- what is said ------------------------------------------------------------------------------

static lb_status fail_file(const intake *in, const char *format, ...) LB_PRINTF(2, 3);
static lb_status fail_file(const intake *in, const char *format, ...)
{
    lb_text message = {.length = 0};
    va_list arguments;
    va_start(arguments, format);
    lb_text_add(&message, "%s: ", in->path);
    lb_text_add_list(&message, format, arguments);
    va_end(arguments);
    lb_fe_fail(in->context, in->key, "%s", message.data);
    return LB_E_FILE;
}

static lb_status fail_reader(const intake *in, lb_status status)
{
    if (status != LB_E_MEMORY) {
        fail_file(in, "%s", in->reader.trouble);
        return status == LB_E_UNSUPPORTED ? status : LB_E_FILE;
    }
    return status;
}

// ---- arrays ------------------------------------------------------------------------------------

// Finds an array of this kind and shape; -1 stands for any length.
static lb_status find(intake *in, const char *name, lb_hdf5_kind kind, int rank,
                      const int64_t dims[3], bool is_optional, lb_hdf5_array *array)
{
    const lb_status status = lb_find_hdf5_dataset(&in->reader, in->reader.root, name, array);
    if (status != LB_OK) {
        return fail_reader(in, status);
    }
    if (!array->found) {
        return is_optional ? LB_OK : fail_file(in, "%s is missing: no body file, or damaged", name);
    }
    bool fits = array->kind == kind && array->rank == rank && array->bytes <= in->reader.size &&
                (kind == LB_HDF5_TEXT || array->item_size == 8 || array->item_size == 4);
    for (int i = 0; i < rank; ++i) {
        fits = fits && (dims[i] < 0 || array->dims[i] == (uint64_t)dims[i]);
    }
    return fits ? LB_OK : fail_file(in, "%s has another shape or kind than expected", name);
}

static lb_status read_numbers_at(intake *in, const char *name, const lb_hdf5_array *array,
                                 uint64_t first, uint64_t count, double *values)
{
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, array->at + 8 * first, 8 * count, values);
    if (status != LB_OK) {
        return fail_reader(in, status);
    }
    lb_turn_hdf5_items(array, count, values);
    for (uint64_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return fail_file(in, "%s has %g, expected finite numbers", name, values[i]);
        }
    }
    return LB_OK;
}

// A whole array of doubles; NULL in *values if it is absent and may be.
static lb_status read_numbers(intake *in, const char *name, int rank, int rows, int columns,
                              int depth, bool is_optional, double **values)
{
    const int64_t dims[3] = {rows, columns, depth};
    lb_hdf5_array array;
    *values = NULL;
    lb_status status = find(in, name, LB_HDF5_DOUBLE, rank, dims, is_optional, &array);
    if (status != LB_OK || !array.found) {
        return status;
    }
    if (array.item_size != 8) {
        return fail_file(in, "%s has numbers of %d bytes, expected 8", name, (int)array.item_size);
    }
    const uint64_t count = array.dims[0] * array.dims[1] * array.dims[2];
    if (!LB_FE_TAKE(in->context, *values, count)) {
        return LB_E_MEMORY;
    }
    return read_numbers_at(in, name, &array, 0, count, *values);
}

static lb_status read_integer(intake *in, const char *name, int *value)
{
    lb_hdf5_array array;
    int32_t number = 0;
    lb_status status = find(in, name, LB_HDF5_INTEGER, 0, NULL, false, &array);
    if (status == LB_OK && array.item_size != sizeof number) {
        status = fail_file(in, "%s has another size than expected", name);
    }
    if (status == LB_OK) {
        status = lb_read_hdf5_bytes(&in->reader, array.at, sizeof number, &number);
        status = status == LB_OK ? LB_OK : fail_reader(in, status);
    }
    if (status == LB_OK) {
        lb_turn_hdf5_items(&array, 1, &number);
        *value = (int)number;
    }
    return status;
}

// A string of the file, or one of a list of them.
static lb_status read_text(intake *in, const char *name, const lb_hdf5_array *array, uint64_t index,
                           const char **text)
{
    const size_t size = array->item_size < 4096 ? (size_t)array->item_size : 4096;
    char *copy;
    if (!LB_FE_TAKE(in->context, copy, size + 1)) {
        return LB_E_MEMORY;
    }
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, array->at + index * array->item_size, size, copy);
    for (size_t i = 0; status == LB_OK && copy[i]; ++i) {
        if ((unsigned char)copy[i] < ' ') {
            return fail_file(in, "%s has control characters", name);
        }
    }
    *text = copy;
    return status == LB_OK ? LB_OK : fail_reader(in, status);
}

static lb_status read_single_text(intake *in, const char *name, const char **text)
{
    lb_hdf5_array array;
    const lb_status status = find(in, name, LB_HDF5_TEXT, 0, NULL, false, &array);
    return status == LB_OK ? read_text(in, name, &array, 0, text) : status;
}

// ---- damage ------------------------------------------------------------------------------------

static lb_status fail_damaged(const intake *in, const char *what)
{
    return fail_file(in, "%s: the file is damaged or was changed; import again", what);
}

// Takes a whole array into a hash, as it is in the file.
static lb_status add_array(intake *in, const char *name, lb_sha256 *hash)
{
    unsigned char bytes[4096];
    lb_hdf5_array array;
    lb_status status = lb_find_hdf5_dataset(&in->reader, in->reader.root, name, &array);
    if (status == LB_OK && array.found) {
        lb_add_sha256(hash, name, strlen(name) + 1);
    }
    for (uint64_t done = 0; status == LB_OK && array.found && done < array.bytes;) {
        const uint64_t left = array.bytes - done, size = left < sizeof bytes ? left : sizeof bytes;
        status = lb_read_hdf5_bytes(&in->reader, array.at + done, size, bytes);
        lb_add_sha256(hash, bytes, status == LB_OK ? (size_t)size : 0);
        done += size;
    }
    return status == LB_OK ? LB_OK : fail_reader(in, status);
}

// The shapes of a node, all modes of the file.
static lb_status check_shape(intake *in, uint64_t index, const double *shape)
{
    int64_t check = 0;
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, in->checks.at + 8 * index, sizeof check, &check);
    if (status != LB_OK) {
        return fail_reader(in, status);
    }
    lb_turn_hdf5_items(&in->checks, 1, &check);
    // made from bytes: another order of them has another check
    return in->shapes.is_swapped || check == lb_check_node_shape(shape, 6 * (size_t)in->n)
               ? LB_OK
               : fail_damaged(in, "the shapes of a node do not agree with their check");
}

// Last, so that a file that was not written by us gets words that say more.
static lb_status check_used(intake *in)
{
    static const char *const used[] = LB_FLEX_USED;
    lb_sha256 hash;
    const char *expected = "";
    char found[LB_FLEX_HASH_SIZE];
    lb_start_sha256(&hash);
    lb_status status = read_single_text(in, "used_hash", &expected);
    for (int i = 0; used[i] && status == LB_OK; ++i) {
        status = add_array(in, used[i], &hash);
    }
    lb_finish_sha256(&hash, found);
    return status == LB_OK && strcmp(found, expected) != 0
               ? fail_damaged(in, "its content does not agree with its used_hash")
               : status;
}

// ---- which modes -------------------------------------------------------------------------------

static bool is_diagonal(int n, const double *A)
{
    double largest = 0.0, beside = 0.0;
    for (int i = 0; i < n * n; ++i) {
        const double size = fabs(A[i]);
        largest = fmax(largest, size);
        beside = i % (n + 1) == 0 ? beside : fmax(beside, size);
    }
    return beside <= 1e-9 * largest;
}

static lb_status choose_modes(intake *in, const double *K, const double *M)
{
    const lb_flex_file_options *o = &in->options;
    const int n = in->n;
    int *modes;
    if (!LB_FE_TAKE(in->context, modes, n + 1)) {
        return LB_E_MEMORY;
    }
    if (o->mode_count < 0 || o->mode_count > n) {
        lb_fe_fail(in->context, "modes.count", "%d given, but %s has %d modes", o->mode_count,
                   in->path, n);
        return LB_E_MODEL;
    }
    if (!(o->below >= 0.0) || !isfinite(o->below)) {
        lb_fe_fail(in->context, "modes.below", "%g found, expected a frequency in Hz", o->below);
        return LB_E_MODEL;
    }
    if ((o->mode_count > 0 || o->below > 0.0) && !(is_diagonal(n, K) && is_diagonal(n, M))) {
        lb_fe_fail(in->context, "modes",
                   "the modes of %s are not orthogonal: none can be left out alone", in->path);
        return LB_E_MODEL;
    }
    const int most = o->mode_count > 0 ? o->mode_count : n;
    const double limit = LB_TWO_PI * o->below;
    for (int r = 0; r < n; ++r) {
        // files may have their modes in any order
        const double square = K[r * n + r] / M[r * n + r];
        int lower = 0;
        for (int s = 0; s < n && lower < most && most < n; ++s) {
            const double other = K[s * n + s] / M[s * n + s];
            lower += other < square || (other == square && s < r);
        }
        if (lower < most && (o->below == 0.0 || square <= limit * limit)) {
            modes[in->m++] = r;
        }
    }
    if (in->m == 0 && n > 0) {
        lb_fe_fail(in->context, "modes.below", "no mode of %s is below %g Hz", in->path, o->below);
        return LB_E_MODEL;
    }
    in->modes = modes;
    return LB_OK;
}

// Keeps the rows, and columns if they are modes too, of the modes that are used, times a factor.
static void keep_rows(const intake *in, int width, double factor, double *A)
{
    for (int r = 0; A && r < in->m; ++r) {
        for (int c = 0; c < width; ++c) {
            A[width * r + c] = factor * A[width * in->modes[r] + c];
        }
    }
}

static void keep_pairs(const intake *in, int width, double factor, double *A)
{
    for (int r = 0; A && r < in->m; ++r) {
        for (int s = 0; s < in->m; ++s) {
            for (int c = 0; c < width; ++c) {
                A[width * (r * in->m + s) + c] =
                    factor * A[width * (in->modes[r] * in->n + in->modes[s]) + c];
            }
        }
    }
}

// ---- the parts of a body -----------------------------------------------------------------------

static lb_status check_factor(const intake *in, const char *key, double factor)
{
    if (factor > 0.0 && isfinite(factor)) {
        return LB_OK;
    }
    lb_fe_fail(in->context, key, "%g found, expected a number above 0", factor);
    return LB_E_MODEL;
}

static lb_status read_inertia(intake *in, lb_flex_options *flex)
{
    const int n = in->n;
    lb_flex_integrals *I;
    double *mass, *h0, *S0, *M, *E, *B0, *B, *S, *S2, *K, *C;
    lb_status status = LB_FE_TAKE(in->context, I, 1) ? LB_OK : LB_E_MEMORY;
    status = status ? status : read_numbers(in, "mass", 0, 1, 1, 1, false, &mass);
    status = status ? status : read_numbers(in, "h0", 1, 3, 1, 1, false, &h0);
    status = status ? status : read_numbers(in, "S0", 1, 6, 1, 1, false, &S0);
    status = status ? status : read_numbers(in, "M_ff", 2, n, n, 1, false, &M);
    status = status ? status : read_numbers(in, "E", 2, n, 3, 1, false, &E);
    status = status ? status : read_numbers(in, "B0", 2, n, 3, 1, false, &B0);
    status = status ? status : read_numbers(in, "B", 3, n, n, 3, true, &B);
    status = status ? status : read_numbers(in, "S", 2, n, 6, 1, true, &S);
    status = status ? status : read_numbers(in, "S2", 3, n, n, 6, true, &S2);
    status = status ? status : read_numbers(in, "stiffness", 2, n, n, 1, false, &K);
    status = status ? status : read_numbers(in, "damping", 2, n, n, 1, true, &C);
    status = status ? status : choose_modes(in, K, M);
    status = status ? status : check_factor(in, "scale.mass", in->options.mass_factor);
    status = status ? status : check_factor(in, "scale.frequency", in->options.frequency_factor);
    if (status != LB_OK) {
        return status;
    }
    const double f = in->options.frequency_factor, m = in->options.mass_factor;
    *I = (lb_flex_integrals){.size = sizeof *I, .mass = m * mass[0]};
    for (int i = 0; i < 6; ++i) {
        I->S0[i] = m * S0[i];
        if (i < 3) {
            I->h0[i] = m * h0[i];
        }
    }
    keep_pairs(in, 1, m, M);
    keep_rows(in, 3, m, E);
    keep_rows(in, 3, m, B0);
    keep_pairs(in, 3, m, B);
    keep_rows(in, 6, m, S);
    keep_pairs(in, 6, m, S2);
    keep_pairs(in, 1, m * f * f, K);
    keep_pairs(in, 1, m * f, C);
    I->M_ff = M;
    I->E = E;
    I->B0 = B0;
    I->B = B;
    I->S = S;
    I->S2 = S2;
    flex->integrals = I;
    flex->mode_count = in->m;
    flex->stiffness = K;
    flex->damping = C;
    if (in->options.damping) {
        lb_damping_options damping = lb_default_damping_options();
        double *chosen = NULL;
        if (lb_take_reported(&in->context->report, "damping", &damping, sizeof damping,
                             LB_SIZE_THROUGH(lb_damping_options, ratio),
                             in->options.damping) != LB_OK) {
            return LB_E_VERSION;
        }
        if (!lb_fe_check_damping(in->context, &damping)) {
            return LB_E_MODEL;
        }
        status = lb_fe_form_damping(in->context, &damping, in->m, M, K, &chosen);
        flex->damping = chosen;
    }
    return status;
}

static lb_status read_node(intake *in, uint64_t index, const char *name, lb_flex_node *node)
{
    const uint64_t n = (uint64_t)in->n;
    double *shape, *all;
    *node = lb_default_flex_node();
    node->name = name;
    if (!LB_FE_TAKE(in->context, all, 6 * n + 1)) {
        return LB_E_MEMORY;
    }
    shape = all;
    lb_status status =
        read_numbers_at(in, "node_positions", &in->positions, 3 * index, 3, node->position);
    status = status ? status
                    : read_numbers_at(in, "node_rotations", &in->rotations, 4 * index, 4,
                                      node->rotation);
    status = status ? status
                    : read_numbers_at(in, "node_shapes", &in->shapes, 6 * n * index, 6 * n, all);
    status = status ? status : check_shape(in, index, all);
    if (status == LB_OK) {
        keep_rows(in, 6, 1.0, all);
        node->shape = shape;
    }
    return status;
}

static lb_status find_id(intake *in, const lb_named_node *wanted, uint64_t *index)
{
    int64_t ids[512];
    for (uint64_t first = 0; first < in->node_count; first += 512) {
        const uint64_t left = in->node_count - first, count = left < 512 ? left : 512;
        const lb_status status =
            lb_read_hdf5_bytes(&in->reader, in->ids.at + 8 * first, 8 * count, ids);
        if (status != LB_OK) {
            return fail_reader(in, status);
        }
        lb_turn_hdf5_items(&in->ids, count, ids);
        for (uint64_t i = 0; i < count; ++i) {
            if (ids[i] == wanted->id) {
                *index = first + i;
                return LB_OK;
            }
        }
    }
    lb_fe_fail(in->context, "nodes", "%s has no node %ld", in->path, wanted->id);
    return LB_E_MODEL;
}

// The index and the name of a node that has one.
static lb_status read_name(intake *in, const lb_hdf5_array *kept, const lb_hdf5_array *names,
                           uint64_t i, int32_t *node, const char **name)
{
    int32_t index = 0;
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, kept->at + 4 * i, sizeof index, &index);
    if (status != LB_OK) {
        return fail_reader(in, status);
    }
    lb_turn_hdf5_items(kept, 1, &index);
    if (index < 0 || (uint64_t)index >= in->node_count) {
        return fail_file(in, "kept_nodes names node %d of %d", (int)index, (int)in->node_count);
    }
    *node = index;
    return read_text(in, "kept_names", names, i, name);
}

// Where the nodes are, and those that have names.
static lb_status find_nodes(intake *in, lb_hdf5_array *kept, lb_hdf5_array *names)
{
    const int64_t n = in->n, any[3] = {-1, -1, -1};
    lb_status status = find(in, "node_ids", LB_HDF5_INTEGER, 1, any, false, &in->ids);
    in->node_count = in->ids.dims[0];
    const int64_t count = (int64_t)in->node_count;
    const int64_t places[3] = {count, 3, -1}, turns[3] = {count, 4, -1}, shapes[3] = {count, n, 6};
    status = status ? status
                    : find(in, "node_positions", LB_HDF5_DOUBLE, 2, places, false, &in->positions);
    status = status ? status
                    : find(in, "node_rotations", LB_HDF5_DOUBLE, 2, turns, false, &in->rotations);
    status =
        status ? status : find(in, "node_shapes", LB_HDF5_DOUBLE, 3, shapes, false, &in->shapes);
    status =
        status ? status : find(in, "node_checks", LB_HDF5_INTEGER, 1, places, false, &in->checks);
    status = status ? status : find(in, "kept_nodes", LB_HDF5_INTEGER, 1, any, false, kept);
    if (status != LB_OK) {
        return status;
    }
    const int64_t kept_count[3] = {(int64_t)kept->dims[0], -1, -1};
    status = find(in, "kept_names", LB_HDF5_TEXT, 1, kept_count, false, names);
    if (status != LB_OK) {
        return status;
    }
    if (in->ids.item_size != 8 || in->positions.item_size != 8 || in->rotations.item_size != 8 ||
        in->shapes.item_size != 8 || in->checks.item_size != 8 || kept->item_size != 4 ||
        names->item_size > 4096) {
        return fail_file(in, "nodes have numbers of another size than expected");
    }
    return LB_OK;
}

static lb_status read_nodes(intake *in, lb_flex_options *flex)
{
    lb_hdf5_array kept, names;
    lb_status status = find_nodes(in, &kept, &names);
    if (status != LB_OK) {
        return status;
    }
    const lb_flex_file_options *o = &in->options;
    const size_t most = (size_t)kept.dims[0] + (size_t)o->node_count;
    lb_flex_node *nodes;
    if (!LB_FE_TAKE(in->context, nodes, most + 1)) {
        return LB_E_MEMORY;
    }
    size_t used = 0;
    for (uint64_t i = 0; i < kept.dims[0] && status == LB_OK; ++i) {
        int32_t index = 0;
        const char *name = NULL;
        status = read_name(in, &kept, &names, i, &index, &name);
        status = status ? status : read_node(in, (uint64_t)index, name, &nodes[used++]);
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
        status = read_node(in, index, name, &nodes[place]);
        used += place == used;
    }
    flex->nodes = nodes;
    flex->node_count = (int)used;
    return status;
}

// ---- fidelity ----------------------------------------------------------------------------------

static lb_status choose_fidelity(const intake *in, lb_flex_options *flex)
{
    flex->fidelity = LB_FIDELITY_CONSISTENT;
    if (!in->options.fidelity || *in->options.fidelity == LB_FIDELITY_RUTHLESS) {
        flex->fidelity = in->options.fidelity ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT;
        return LB_OK;
    }
    if (*in->options.fidelity == LB_FIDELITY_APPENDIX_C) {
        lb_fe_fail(in->context, "fidelity",
                   "appendix-c needs nodal masses, which body files do not have; leave it out");
        return LB_E_MODEL;
    }
    if (in->order < LB_INERTIA_ORDER_2) {
        lb_fe_fail(in->context, "fidelity",
                   "consistent needs inertia of order 2 in the deformation, but %s has order %d; "
                   "leave fidelity out to use what there is, or import the full mass matrix",
                   in->path, (int)in->order);
        return LB_E_MODEL;
    }
    return LB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static lb_status read_head(intake *in, const char **hash)
{
    const char *format = NULL;
    int version = 0, order = 0;
    lb_status status = read_single_text(in, "format", &format);
    if (status == LB_OK && strcmp(format, LB_FLEX_FORMAT) != 0) {
        return fail_file(in, "not a body file");
    }
    status = status ? status : read_integer(in, "version", &version);
    if (status == LB_OK && version != LB_FLEX_VERSION) {
        fail_file(in, "format version %d, but this version of limber knows %d: import again",
                  version, LB_FLEX_VERSION);
        return LB_E_UNSUPPORTED;
    }
    status = status ? status : read_integer(in, "inertia_order", &order);
    if (status == LB_OK && (order < 0 || order > 2)) {
        return fail_file(in, "inertia_order is %d, expected 0, 1 or 2", order);
    }
    in->order = (lb_inertia_order)order;
    status = status ? status : read_single_text(in, "content_hash", hash);
    if (status == LB_OK && in->options.hash && strcmp(in->options.hash, *hash) != 0) {
        lb_fe_fail(in->context, "hash", "%s has changed: its hash is %.16s..., expected %.16s...",
                   in->path, *hash, in->options.hash);
        return LB_E_MODEL;
    }
    lb_hdf5_array M;
    const int64_t any[3] = {-1, -1, -1};
    status = status ? status : find(in, "M_ff", LB_HDF5_DOUBLE, 2, any, false, &M);
    if (status == LB_OK && M.dims[0] > MODES_MOST) {
        return fail_file(in, "%.0f modes, expected at most %d", (double)M.dims[0], MODES_MOST);
    }
    in->n = status == LB_OK ? (int)M.dims[0] : 0;
    return status;
}

static lb_status read_flex_file(const char *path, const lb_flex_file_options *given,
                                lb_flex_body *body)
{
    intake in = {.path = path,
                 .key = "file",
                 .context = &body->context,
                 .options = lb_default_flex_file_options()};
    if (given &&
        lb_take_reported(&body->context.report, "file", &in.options, sizeof in.options,
                         LB_SIZE_THROUGH(lb_flex_file_options, mode_count), given) != LB_OK) {
        return LB_E_VERSION;
    }
    lb_status status = lb_open_hdf5_reader(path, &in.reader);
    status = status ? fail_reader(&in, status) : read_head(&in, &body->hash);
    status = status ? status : read_inertia(&in, &body->options);
    status = status ? status : read_nodes(&in, &body->options);
    status = status ? status : choose_fidelity(&in, &body->options);
    status = status ? status : check_used(&in);
    lb_close_hdf5_reader(&in.reader);
    if (status == LB_OK) {
        body->summary =
            (lb_flex_summary){.size = sizeof body->summary, .mass = body->options.integrals->mass};
    }
    return status;
}

void lb_init_flex_file_options(lb_flex_file_options *options, size_t size)
{
    const lb_flex_file_options defaults = {
        .size = sizeof defaults, .frequency_factor = 1.0, .mass_factor = 1.0};
    lb_set_sized(&defaults, sizeof defaults, options, size);
}

// An empty body, or NULL if memory is out.
static lb_flex_body *make_body(const lb_allocator *allocator, const lb_report *report)
{
    lb_fe_context context;
    lb_fe_init(&context, allocator, report);
    lb_flex_body *made = lb_arena_take(&context.arena, 1, sizeof *made);
    if (made) {
        made->context = context;
        made->options = lb_default_flex_options();
    }
    return made;
}

lb_status lb_load_flex_file(const char *path, const lb_flex_file_options *options,
                            const lb_allocator *allocator, const lb_report *report,
                            lb_flex_body **body)
{
    lb_flex_body *made = make_body(allocator, report);
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

// ---- with all that a model does not need ----------------------------------------------------------

lb_status lb_probe_flex_file(const char *path, bool *is)
{
    lb_hdf5_reader reader;
    const lb_status status = lb_open_hdf5_reader(path, &reader);
    *is = status == LB_OK || status == LB_E_UNSUPPORTED;
    lb_close_hdf5_reader(&reader);
    return status == LB_E_MEMORY ? status : LB_OK;
}

// A text of several lines.
static lb_status read_report(intake *in, const char *name, const char **text)
{
    lb_hdf5_array array;
    char *copy;
    lb_status status = find(in, name, LB_HDF5_TEXT, 0, NULL, false, &array);
    if (status != LB_OK) {
        return status;
    }
    if (!LB_FE_TAKE(in->context, copy, array.item_size + 1)) {
        return LB_E_MEMORY;
    }
    status = lb_read_hdf5_bytes(&in->reader, array.at, array.item_size, copy);
    for (char *c = copy; status == LB_OK && *c; ++c) {
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == '\177') {
            return fail_file(in, "%s has control characters", name);
        }
    }
    *text = copy;
    return status == LB_OK ? LB_OK : fail_reader(in, status);
}

static lb_status read_all_nodes(intake *in, lb_flex_options *flex, const long **node_ids)
{
    const size_t n = (size_t)in->n;
    lb_hdf5_array kept, names;
    lb_status status = find_nodes(in, &kept, &names);
    if (status != LB_OK) {
        return status;
    }
    if (in->node_count > INT32_MAX / 6) {
        return fail_file(in, "%.0f nodes are too many", (double)in->node_count);
    }
    const int N = (int)in->node_count;
    double *x, *turns, *shapes;
    lb_flex_node *nodes;
    int64_t *wide;
    long *ids;
    if (!LB_FE_TAKE(in->context, nodes, N + 1) || !LB_FE_TAKE(in->context, wide, N + 1) ||
        !LB_FE_TAKE(in->context, ids, N + 1)) {
        return LB_E_MEMORY;
    }
    status = lb_read_hdf5_bytes(&in->reader, in->ids.at, 8 * in->node_count, wide);
    status = status ? fail_reader(in, status) : LB_OK;
    status = status ? status : read_numbers(in, "node_positions", 2, N, 3, 1, false, &x);
    status = status ? status : read_numbers(in, "node_rotations", 2, N, 4, 1, false, &turns);
    status = status ? status : read_numbers(in, "node_shapes", 3, N, in->n, 6, false, &shapes);
    if (status != LB_OK) {
        return status;
    }
    lb_turn_hdf5_items(&in->ids, in->node_count, wide);
    for (int i = 0; i < N; ++i) {
        ids[i] = (long)wide[i];
        nodes[i] = lb_default_flex_node();
        nodes[i].name = "";
        nodes[i].shape = shapes + 6 * n * (size_t)i;
        memcpy(nodes[i].position, x + 3 * i, sizeof nodes[i].position);
        memcpy(nodes[i].rotation, turns + 4 * i, sizeof nodes[i].rotation);
        status = status ? status : check_shape(in, (uint64_t)i, nodes[i].shape);
    }
    int first = 0; // that has no name
    for (uint64_t i = 0; i < kept.dims[0] && status == LB_OK; ++i) {
        int32_t index = 0;
        const char *name = "";
        status = read_name(in, &kept, &names, i, &index, &name);
        nodes[index].name = name;
        first = index < first ? first : index + 1;
    }
    flex->nodes = nodes;
    flex->node_count = N;
    flex->point_count = N - first;
    *node_ids = ids;
    return status;
}

static lb_status read_whole(intake *in, lb_flex_body *made, lb_flex_content *content)
{
    lb_modal_body *body;
    double *units = NULL;
    *content = (lb_flex_content){0};
    if (!LB_FE_TAKE(in->context, body, 1)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_open_hdf5_reader(in->path, &in->reader);
    status = status ? fail_reader(in, status) : read_head(in, &made->hash);
    status = status ? status : read_inertia(in, &made->options);
    status = status ? status : read_all_nodes(in, &made->options, &content->node_ids);
    status = status ? status : read_numbers(in, "units", 1, 3, 1, 1, false, &units);
    status = status ? status : read_single_text(in, "source_format", &body->format);
    status = status ? status : read_report(in, "report", &content->report);
    status = status ? status : read_report(in, "report_json", &content->json);
    status = status ? status : check_used(in);
    lb_close_hdf5_reader(&in->reader);
    if (status == LB_OK) {
        body->flex = made->options;
        body->integrals = *made->options.integrals;
        body->order = in->order;
        memcpy(content->units, units, sizeof content->units);
        content->body = body;
    }
    return status;
}

lb_status lb_read_whole_flex_file(const char *path, const lb_allocator *allocator,
                                  const lb_report *report, lb_flex_content *content,
                                  lb_flex_body **body)
{
    lb_flex_body *made = make_body(allocator, report);
    *body = NULL;
    if (!made) {
        return LB_E_MEMORY;
    }
    intake in = {.path = path,
                 .key = "",
                 .context = &made->context,
                 .options = lb_default_flex_file_options()};
    const lb_status status = read_whole(&in, made, content);
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
    intake in = {.path = path, .context = &context, .options = lb_default_flex_file_options()};
    const char *text = "";
    lb_status status = lb_open_hdf5_reader(path, &in.reader);
    status = status ? fail_reader(&in, status) : read_head(&in, &text);
    lb_close_hdf5_reader(&in.reader);
    if (status == LB_OK && strlen(text) != 64) {
        status = fail_file(&in, "content_hash has %zu characters, expected 64", strlen(text));
    }
    snprintf(hash, 65, "%s", status == LB_OK ? text : "");
    lb_arena_free(&context.arena);
    return status;
}
