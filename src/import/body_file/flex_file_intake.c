// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What reading body files consists of: arrays of the expected shape, and checks against damage.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "flex_file_intake.h"
#include "model/modal/flex_draft.h"

enum { MODES_MOST = 4096 }; // as many as a flexible body can have

// ---- what is said ------------------------------------------------------------------------------

lb_status lb_fail_flex_file(const lb_flex_intake *in, const char *format, ...)
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

lb_status lb_fail_flex_reader(const lb_flex_intake *in, lb_status status)
{
    if (status != LB_E_MEMORY) {
        lb_fail_flex_file(in, "%s", in->reader.message);
        return status == LB_E_UNSUPPORTED ? status : LB_E_FILE;
    }
    return status;
}

// ---- arrays ------------------------------------------------------------------------------------

lb_status lb_find_flex_array(lb_flex_intake *in, const char *name, lb_hdf5_kind kind, int rank,
                             const int64_t dims[3], bool is_optional, lb_hdf5_array *array)
{
    const lb_status status = lb_find_hdf5_dataset(&in->reader, in->reader.root, name, array);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    if (!array->found) {
        return is_optional ? LB_OK
                           : lb_fail_flex_file(in, "%s is missing: no body file, or damaged", name);
    }
    bool fits = array->kind == kind && array->rank == rank && array->bytes <= in->reader.size &&
                (kind == LB_HDF5_TEXT || array->item_size == 8 || array->item_size == 4);
    for (int i = 0; i < rank; ++i) {
        fits = fits && (dims[i] < 0 || array->dims[i] == (uint64_t)dims[i]);
    }
    return fits ? LB_OK : lb_fail_flex_file(in, "%s has another shape or kind than expected", name);
}

lb_status lb_read_flex_numbers_at(lb_flex_intake *in, const char *name, const lb_hdf5_array *array,
                                  uint64_t first, uint64_t count, double *values)
{
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, array->at + 8 * first, 8 * count, values);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    lb_turn_hdf5_items(array, count, values);
    for (uint64_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return lb_fail_flex_file(in, "%s has %g, expected finite numbers", name, values[i]);
        }
    }
    return LB_OK;
}

lb_status lb_read_flex_numbers(lb_flex_intake *in, const char *name, int rank, int rows,
                               int columns, int depth, bool is_optional, double **values)
{
    const int64_t dims[3] = {rows, columns, depth};
    lb_hdf5_array array;
    *values = NULL;
    lb_status status =
        lb_find_flex_array(in, name, LB_HDF5_DOUBLE, rank, dims, is_optional, &array);
    if (status != LB_OK || !array.found) {
        return status;
    }
    if (array.item_size != 8) {
        return lb_fail_flex_file(in, "%s has numbers of %d bytes, expected 8", name,
                                 (int)array.item_size);
    }
    const uint64_t count = array.dims[0] * array.dims[1] * array.dims[2];
    if (!LB_FE_TAKE(in->context, *values, count)) {
        return LB_E_MEMORY;
    }
    return lb_read_flex_numbers_at(in, name, &array, 0, count, *values);
}

static lb_status read_integer(lb_flex_intake *in, const char *name, int *value)
{
    lb_hdf5_array array;
    int32_t number = 0;
    lb_status status = lb_find_flex_array(in, name, LB_HDF5_INTEGER, 0, NULL, false, &array);
    if (status == LB_OK && array.item_size != sizeof number) {
        status = lb_fail_flex_file(in, "%s has another size than expected", name);
    }
    if (status == LB_OK) {
        status = lb_read_hdf5_bytes(&in->reader, array.at, sizeof number, &number);
        status = status == LB_OK ? LB_OK : lb_fail_flex_reader(in, status);
    }
    if (status == LB_OK) {
        lb_turn_hdf5_items(&array, 1, &number);
        *value = (int)number;
    }
    return status;
}

lb_status lb_read_flex_item(lb_flex_intake *in, const char *name, const lb_hdf5_array *array,
                            uint64_t index, const char **text)
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
            return lb_fail_flex_file(in, "%s has control characters", name);
        }
    }
    *text = copy;
    return status == LB_OK ? LB_OK : lb_fail_flex_reader(in, status);
}

lb_status lb_read_flex_text(lb_flex_intake *in, const char *name, const char **text)
{
    lb_hdf5_array array;
    const lb_status status = lb_find_flex_array(in, name, LB_HDF5_TEXT, 0, NULL, false, &array);
    return status == LB_OK ? lb_read_flex_item(in, name, &array, 0, text) : status;
}

// ---- damage ------------------------------------------------------------------------------------

static lb_status fail_damaged(const lb_flex_intake *in, const char *what)
{
    return lb_fail_flex_file(in, "%s: the file is damaged or was changed; import again", what);
}

// Takes a whole array into a hash, as it is in the file.
static lb_status add_array(lb_flex_intake *in, const char *name, lb_sha256 *hash)
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
    return status == LB_OK ? LB_OK : lb_fail_flex_reader(in, status);
}

lb_status lb_check_flex_shape(lb_flex_intake *in, uint64_t index, const double *shape)
{
    int64_t check = 0;
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, in->checks.at + 8 * index, sizeof check, &check);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    lb_turn_hdf5_items(&in->checks, 1, &check);
    // made from bytes: another order of them has another check
    return in->shapes.is_swapped || check == lb_check_node_shape(shape, 6 * (size_t)in->n)
               ? LB_OK
               : fail_damaged(in, "the shapes of a node do not agree with their check");
}

lb_status lb_check_flex_used(lb_flex_intake *in)
{
    static const char *const used[] = LB_FLEX_USED;
    lb_sha256 hash;
    const char *expected = "";
    char found[LB_FLEX_HASH_SIZE];
    lb_start_sha256(&hash);
    lb_status status = lb_read_flex_text(in, "used_hash", &expected);
    for (int i = 0; used[i] && status == LB_OK; ++i) {
        status = add_array(in, used[i], &hash);
    }
    lb_finish_sha256(&hash, found);
    return status == LB_OK && strcmp(found, expected) != 0
               ? fail_damaged(in, "its content does not agree with its used_hash")
               : status;
}

// ---- the parts of a body -----------------------------------------------------------------------

static lb_status read_head(lb_flex_intake *in, const char **hash)
{
    const char *format = NULL;
    int version = 0, order = 0;
    lb_status status = lb_read_flex_text(in, "format", &format);
    if (status == LB_OK && strcmp(format, LB_FLEX_FORMAT) != 0) {
        return lb_fail_flex_file(in, "not a body file");
    }
    status = status ? status : read_integer(in, "version", &version);
    if (status == LB_OK && (version < 1 || version > LB_FLEX_VERSION)) {
        lb_fail_flex_file(
            in, "format version %d, but this version of limber knows 1 to %d: import again",
            version, LB_FLEX_VERSION);
        return LB_E_UNSUPPORTED;
    }
    status = status ? status : read_integer(in, "inertia_order", &order);
    if (status == LB_OK && (order < 0 || order > 2)) {
        return lb_fail_flex_file(in, "inertia_order is %d, expected 0, 1 or 2", order);
    }
    in->order = (lb_inertia_order)order;
    status = status ? status : lb_read_flex_text(in, "content_hash", hash);
    if (status == LB_OK && in->hash && strcmp(in->hash, *hash) != 0) {
        return lb_fe_fail(in->context, "hash",
                          "%s has changed: its hash is %.16s..., expected %.16s...", in->path,
                          *hash, in->hash);
    }
    lb_hdf5_array M;
    const int64_t any[3] = {-1, -1, -1};
    status = status ? status : lb_find_flex_array(in, "M_ff", LB_HDF5_DOUBLE, 2, any, false, &M);
    if (status == LB_OK && M.dims[0] > MODES_MOST) {
        return lb_fail_flex_file(in, "%.0f modes, expected at most %d", (double)M.dims[0],
                                 MODES_MOST);
    }
    in->n = status == LB_OK ? (int)M.dims[0] : 0;
    return status;
}

lb_status lb_open_flex_file(lb_flex_intake *in, const char **hash)
{
    const lb_status status = lb_open_hdf5_reader(in->path, &in->reader);
    return status == LB_OK ? read_head(in, hash) : lb_fail_flex_reader(in, status);
}

lb_status lb_read_flex_inertia(lb_flex_intake *in, lb_flex_options *flex)
{
    enum { REQUIRED = 3 }; // M_ff, E and B0
    const int n = in->n;
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    lb_flex_integrals *I;
    double *mass, *h0, *S0, *values = NULL;
    if (!LB_FE_TAKE(in->context, I, 1)) {
        return LB_E_MEMORY;
    }
    I->size = sizeof *I;
    lb_list_integrals(I, arrays);
    lb_status status = lb_read_flex_numbers(in, "mass", 0, 1, 1, 1, false, &mass);
    status = status ? status : lb_read_flex_numbers(in, "h0", 1, 3, 1, 1, false, &h0);
    status = status ? status : lb_read_flex_numbers(in, "S0", 1, 6, 1, 1, false, &S0);
    if (status != LB_OK) {
        return status;
    }
    I->mass = *mass;
    memcpy(I->h0, h0, sizeof I->h0);
    memcpy(I->S0, S0, sizeof I->S0);
    for (int i = 0; i < LB_INTEGRAL_ARRAYS && status == LB_OK; ++i) {
        const lb_integral_array *a = &arrays[i];
        const bool is_cube = a->is_pair && a->width > 1;
        status = lb_read_flex_numbers(in, a->name, is_cube ? 3 : 2, n, a->is_pair ? n : a->width,
                                      is_cube ? a->width : 1, i >= REQUIRED, &values);
        *a->values = values;
    }
    status = status ? status : lb_read_flex_numbers(in, "stiffness", 2, n, n, 1, false, &values);
    flex->stiffness = values;
    status = status ? status : lb_read_flex_numbers(in, "damping", 2, n, n, 1, true, &values);
    flex->damping = values;
    flex->integrals = I;
    flex->mode_count = n;
    return status;
}

bool lb_is_diagonal(int n, const double *A)
{
    double largest = 0.0, beside = 0.0;
    for (int i = 0; i < n * n; ++i) {
        largest = fmax(largest, fabs(A[i]));
        beside = i % (n + 1) == 0 ? beside : fmax(beside, fabs(A[i]));
    }
    return beside <= 1e-9 * largest;
}

lb_status lb_read_flex_name(lb_flex_intake *in, uint64_t i, int32_t *node, const char **name)
{
    int32_t index = 0;
    const lb_status status =
        lb_read_hdf5_bytes(&in->reader, in->kept.at + 4 * i, sizeof index, &index);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    lb_turn_hdf5_items(&in->kept, 1, &index);
    if (index < 0 || (uint64_t)index >= in->node_count) {
        return lb_fail_flex_file(in, "kept_nodes names node %d of %d", (int)index,
                                 (int)in->node_count);
    }
    *node = index;
    return lb_read_flex_item(in, "kept_names", &in->names, i, name);
}

// The nodes that have second-order displacements, if any.
static lb_status read_second(lb_flex_intake *in)
{
    const int64_t any[3] = {-1, -1, -1};
    const int pairs = in->n * (in->n + 1) / 2;
    lb_hdf5_array array;
    int32_t *indices;
    int *nodes;
    double *second;
    lb_status status =
        lb_find_flex_array(in, "second_nodes", LB_HDF5_INTEGER, 1, any, true, &array);
    if (status != LB_OK || !array.found) {
        return status;
    }
    if (array.item_size != sizeof *indices || array.dims[0] > in->node_count) {
        return lb_fail_flex_file(in, "second_nodes has another size than expected");
    }
    const int count = (int)array.dims[0];
    if (!LB_FE_TAKE(in->context, indices, count + 1) ||
        !LB_FE_TAKE(in->context, nodes, count + 1)) {
        return LB_E_MEMORY;
    }
    status = lb_read_hdf5_bytes(&in->reader, array.at, array.bytes, indices);
    if (status != LB_OK) {
        return lb_fail_flex_reader(in, status);
    }
    lb_turn_hdf5_items(&array, array.dims[0], indices);
    for (int i = 0; i < count; ++i) {
        nodes[i] = (int)indices[i];
    }
    status = lb_read_flex_numbers(in, "second_order", 3, count, pairs, 3, false, &second);
    in->second_nodes = nodes;
    in->second = second;
    in->second_count = status == LB_OK ? count : 0;
    return status;
}

lb_status lb_get_flex_second(const lb_flex_intake *in, uint64_t node, int mode_count,
                             const int *modes, lb_flex_node *out)
{
    const size_t pairs = (size_t)in->n * ((size_t)in->n + 1) / 2;
    int at = 0;
    while (at < in->second_count && (uint64_t)in->second_nodes[at] != node) {
        ++at;
    }
    if (at == in->second_count) {
        return LB_OK;
    }
    lb_second_order *entries;
    if (!LB_FE_TAKE(in->context, entries, mode_count * (mode_count + 1) / 2 + 1)) {
        return LB_E_MEMORY;
    }
    int count = 0;
    for (int r = 0; r < mode_count; ++r) {
        for (int s = r; s < mode_count; ++s) {
            const int pair = lb_packed(in->n, modes[r], modes[s]);
            lb_second_order *entry = &entries[count++];
            *entry = (lb_second_order){.r = r, .s = s};
            memcpy(entry->g, in->second + 3 * ((size_t)at * pairs + (size_t)pair), sizeof entry->g);
        }
    }
    out->second_order = entries;
    out->second_order_count = count;
    return LB_OK;
}

lb_status lb_find_flex_nodes(lb_flex_intake *in)
{
    const int64_t n = in->n, any[3] = {-1, -1, -1};
    lb_status status = lb_find_flex_array(in, "node_ids", LB_HDF5_INTEGER, 1, any, false, &in->ids);
    in->node_count = in->ids.dims[0];
    const int64_t count = (int64_t)in->node_count;
    const int64_t places[3] = {count, 3, -1}, turns[3] = {count, 4, -1}, shapes[3] = {count, n, 6};
    status = status ? status
                    : lb_find_flex_array(in, "node_positions", LB_HDF5_DOUBLE, 2, places, false,
                                         &in->positions);
    status = status ? status
                    : lb_find_flex_array(in, "node_rotations", LB_HDF5_DOUBLE, 2, turns, false,
                                         &in->rotations);
    status = status ? status
                    : lb_find_flex_array(in, "node_shapes", LB_HDF5_DOUBLE, 3, shapes, false,
                                         &in->shapes);
    status = status ? status
                    : lb_find_flex_array(in, "node_checks", LB_HDF5_INTEGER, 1, places, false,
                                         &in->checks);
    status = status
                 ? status
                 : lb_find_flex_array(in, "kept_nodes", LB_HDF5_INTEGER, 1, any, false, &in->kept);
    if (status != LB_OK) {
        return status;
    }
    const int64_t kept_count[3] = {(int64_t)in->kept.dims[0], -1, -1};
    status = lb_find_flex_array(in, "kept_names", LB_HDF5_TEXT, 1, kept_count, false, &in->names);
    if (status != LB_OK) {
        return status;
    }
    if (in->ids.item_size != 8 || in->positions.item_size != 8 || in->rotations.item_size != 8 ||
        in->shapes.item_size != 8 || in->checks.item_size != 8 || in->kept.item_size != 4 ||
        in->names.item_size > 4096) {
        return lb_fail_flex_file(in, "nodes have numbers of another size than expected");
    }
    return read_second(in);
}

lb_flex_body *lb_make_flex_body(const lb_allocator *allocator, const lb_report *report)
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
