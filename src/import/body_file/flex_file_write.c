// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/output.h"
#include "base/hdf5/hdf5_writer.h"
#include "base/sha256.h"
#include "flex_file.h"
#include "model/modal/flex_draft.h"

// Adds arrays and takes them into the hash of the whole and, where models use them, into that.
typedef struct archive {
    lb_hdf5_writer writer;
    lb_sha256 hash, used;
} archive;

static void add_used(archive *a, const char *name, const void *bytes, size_t size)
{
    static const char *const used[] = LB_FLEX_USED;
    for (int i = 0; used[i]; ++i) {
        if (strcmp(used[i], name) == 0) {
            lb_add_sha256(&a->used, name, strlen(name) + 1);
            lb_add_sha256(&a->used, bytes, size);
        }
    }
}

static void put(archive *a, const char *name, lb_hdf5_type type, const uint64_t *dims, int rank,
                const void *values)
{
    lb_hdf5_shape shape = {.type = type, .rank = rank};
    size_t size = type == LB_HDF5_INT32 ? 4 : 8;
    for (int i = 0; i < rank; ++i) {
        shape.dims[i] = dims[i];
        size *= dims[i];
    }
    lb_put_hdf5_dataset(&a->writer, LB_HDF5_ROOT, name, &shape, values);
    lb_add_sha256(&a->hash, name, strlen(name) + 1);
    lb_add_sha256(&a->hash, values, size);
    add_used(a, name, values, size);
}

static void put_numbers(archive *a, const char *name, int rank, int rows, int columns, int depth,
                        const double *values)
{
    const uint64_t dims[3] = {(uint64_t)rows, (uint64_t)columns, (uint64_t)depth};
    if (values) {
        put(a, name, LB_HDF5_FLOAT64, dims, rank, values);
    }
}

static void put_integer(archive *a, const char *name, int value)
{
    const int32_t number = value;
    put(a, name, LB_HDF5_INT32, NULL, 0, &number);
}

static void put_text(archive *a, const char *name, const char *text)
{
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, name, text, strlen(text));
    lb_add_sha256(&a->hash, text, strlen(text) + 1);
}

static void put_names(archive *a, const char *name, size_t size, int count,
                      const char *const *names)
{
    lb_put_hdf5_names(&a->writer, LB_HDF5_ROOT, name, size, count, names);
    for (int i = 0; i < count; ++i) {
        lb_add_sha256(&a->hash, names[i], strlen(names[i]) + 1);
    }
}

static void put_inertia(archive *a, const lb_modal_body *body)
{
    lb_flex_integrals I = body->integrals;
    lb_integral_array arrays[LB_INTEGRAL_ARRAYS];
    const int n = body->flex.mode_count;
    put_integer(a, "inertia_order", (int)body->order);
    put_numbers(a, "mass", 0, 1, 1, 1, &I.mass);
    put_numbers(a, "h0", 1, 3, 1, 1, I.h0);
    put_numbers(a, "S0", 1, 6, 1, 1, I.S0);
    lb_list_integrals(&I, arrays);
    for (int i = 0; i < LB_INTEGRAL_ARRAYS; ++i) {
        const bool is_cube = arrays[i].is_pair && arrays[i].width > 1;
        put_numbers(a, arrays[i].name, is_cube ? 3 : 2, n, arrays[i].is_pair ? n : arrays[i].width,
                    arrays[i].width, *arrays[i].values);
    }
    put_numbers(a, "stiffness", 2, n, n, 1, body->flex.stiffness);
    put_numbers(a, "damping", 2, n, n, 1, body->flex.damping);
}

static int count_second(const lb_flex_options *flex)
{
    int count = 0;
    for (int i = 0; i < flex->node_count; ++i) {
        count += flex->nodes[i].second_order_count > 0;
    }
    return count;
}

static lb_status put_second(archive *a, const lb_flex_options *flex, lb_arena *scratch)
{
    const int n = flex->mode_count, pairs = n * (n + 1) / 2, count = count_second(flex);
    int32_t *nodes = lb_arena_take(scratch, (size_t)count, sizeof *nodes);
    double *second = lb_take_numbers(scratch, 3 * (size_t)count * (size_t)pairs);
    int used = 0;
    if (count == 0) {
        return LB_OK;
    }
    if (!nodes || !second) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < flex->node_count; ++i) {
        const lb_flex_node *node = &flex->nodes[i];
        double *to = second + 3 * (size_t)used * (size_t)pairs;
        for (int e = 0; e < node->second_order_count; ++e) {
            const lb_second_order *g = &node->second_order[e];
            memcpy(to + 3 * lb_packed(n, g->r, g->s), g->g, sizeof g->g);
        }
        if (node->second_order_count > 0) {
            nodes[used++] = i;
        }
    }
    const uint64_t all = (uint64_t)count;
    put(a, "second_nodes", LB_HDF5_INT32, &all, 1, nodes);
    put_numbers(a, "second_order", 3, count, pairs, 3, second);
    return LB_OK;
}

static lb_status put_nodes(archive *a, const lb_flex_content *content, lb_arena *scratch)
{
    const lb_flex_options *flex = &content->body->flex;
    const int n = flex->mode_count, N = flex->node_count;
    int64_t *ids = lb_arena_take(scratch, (size_t)N, sizeof *ids);
    double *positions = lb_take_numbers(scratch, 3 * (size_t)N);
    double *rotations = lb_take_numbers(scratch, 4 * (size_t)N);
    double *shapes = lb_take_numbers(scratch, 6 * (size_t)N * (size_t)n);
    int64_t *checks = lb_arena_take(scratch, (size_t)N, sizeof *checks);
    int32_t *kept = lb_arena_take(scratch, (size_t)content->kept_count, sizeof *kept);
    const char **names = lb_arena_take(scratch, (size_t)content->kept_count, sizeof *names);
    char *padded = lb_arena_take(scratch, (size_t)content->kept_count, LB_FLEX_NAME_SIZE);
    if (!ids || !positions || !rotations || !shapes || !checks || !kept || !names || !padded) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < N; ++i) {
        const lb_flex_node *node = &flex->nodes[i];
        ids[i] = content->node_ids[i];
        memcpy(positions + 3 * i, node->position, sizeof node->position);
        memcpy(rotations + 4 * i, node->rotation, sizeof node->rotation);
        if (n > 0) {
            memcpy(shapes + 6 * (size_t)n * (size_t)i, node->shape, 6 * (size_t)n * sizeof *shapes);
        }
        checks[i] = lb_check_node_shape(node->shape, 6 * (size_t)n);
        if (i < content->kept_count) {
            kept[i] = i;
            names[i] = node->name;
            snprintf(padded + LB_FLEX_NAME_SIZE * i, LB_FLEX_NAME_SIZE, "%s", node->name);
        }
    }
    const uint64_t count = (uint64_t)N, kept_count = (uint64_t)content->kept_count;
    put(a, "node_ids", LB_HDF5_INT64, &count, 1, ids);
    put_numbers(a, "node_positions", 2, N, 3, 1, positions);
    put_numbers(a, "node_rotations", 2, N, 4, 1, rotations);
    put_numbers(a, "node_shapes", 3, N, n, 6, shapes);
    put(a, "node_checks", LB_HDF5_INT64, &count, 1, checks);
    if (put_second(a, flex, scratch) != LB_OK) {
        return LB_E_MEMORY;
    }
    put(a, "kept_nodes", LB_HDF5_INT32, &kept_count, 1, kept);
    put_names(a, "kept_names", LB_FLEX_NAME_SIZE, content->kept_count, names);
    add_used(a, "kept_names", padded, (size_t)content->kept_count * LB_FLEX_NAME_SIZE);
    return LB_OK;
}

static lb_status put_recovery(archive *a, const lb_modal_body *body, lb_arena *scratch)
{
    const size_t n = (size_t)body->flex.mode_count;
    size_t rows = 0, width = 0, done = 0;
    for (int i = 0; i < body->recovery_count; ++i) {
        rows += (size_t)body->recovery[i].rows;
        width = body->recovery[i].response ? LB_INERTIA_LOADS + 6 * (size_t)body->recovery[i].forced
                                           : 0;
    }
    const char **names = lb_arena_take(scratch, rows + 1, sizeof *names);
    double *modes = lb_take_numbers(scratch, rows * n + 1);
    double *response = lb_take_numbers(scratch, rows * width + 1);
    int64_t *checks = lb_arena_take(scratch, rows + 1, sizeof *checks);
    if (!names || !modes || !response || !checks) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < body->recovery_count; ++i) {
        const lb_fe_recovery *r = &body->recovery[i];
        const size_t count = (size_t)r->rows;
        memcpy(modes + done * n, r->A, count * n * sizeof *modes);
        if (width > 0) {
            memcpy(response + done * width, r->response, count * width * sizeof *response);
        }
        for (size_t k = 0; k < count; ++k, ++done) {
            names[done] = r->what[k];
            checks[done] = lb_check_recovery_row(r->what[k], modes + done * n, n,
                                                 width > 0 ? response + done * width : NULL, width);
        }
    }
    if (rows > 0) {
        const uint64_t all = (uint64_t)rows;
        put_names(a, "recovery_names", LB_FLEX_ROW_NAME_SIZE, (int)rows, names);
        put_numbers(a, "recovery_modes", 2, (int)rows, (int)n, 1, modes);
        put_numbers(a, "recovery_static", 2, (int)rows, (int)width, 1, width > 0 ? response : NULL);
        put(a, "recovery_checks", LB_HDF5_INT64, &all, 1, checks);
    }
    return LB_OK;
}

static lb_status fill(archive *a, const lb_flex_content *content, lb_arena *scratch)
{
    const lb_flex_integrals *I = &content->body->integrals;
    const bool is_newer = I->G2 || I->T2 || count_second(&content->body->flex) > 0;
    const int32_t version = is_newer ? LB_FLEX_VERSION : 1;
    const lb_hdf5_shape number = {.type = LB_HDF5_INT32};
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, "format", LB_FLEX_FORMAT, strlen(LB_FLEX_FORMAT));
    lb_put_hdf5_dataset(&a->writer, LB_HDF5_ROOT, "version", &number, &version);
    put_text(a, "source_format", content->body->format);
    put_names(a, "source_names", 256, content->source_count, content->source_names);
    put_names(a, "source_hashes", LB_FLEX_HASH_SIZE, content->source_count, content->source_hashes);
    put_numbers(a, "units", 1, 3, 1, 1, content->units);
    put_inertia(a, content->body);
    lb_status status = put_recovery(a, content->body, scratch);
    status = status ? status : put_nodes(a, content, scratch);
    char hash[LB_FLEX_HASH_SIZE];
    lb_finish_sha256(&a->hash, hash);
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, "content_hash", hash, strlen(hash));
    add_used(a, "content_hash", hash, sizeof hash);
    lb_finish_sha256(&a->used, hash);
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, "used_hash", hash, strlen(hash));
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, "report", content->report, strlen(content->report));
    lb_put_hdf5_text(&a->writer, LB_HDF5_ROOT, "report_json", content->json, strlen(content->json));
    return status;
}

lb_status lb_write_bytes(const void *bytes, size_t size, const char *path, const lb_report *report)
{
    lb_output *output;
    lb_status status = lb_open_output(path, report, &output);
    for (size_t done = 0; status == LB_OK && done < size;) {
        const size_t most = (size_t)1 << 30, left = size - done;
        const ssize_t count = write(lb_get_output_descriptor(output), (const char *)bytes + done,
                                    left < most ? left : most);
        if (count < 0 && errno != EINTR) {
            lb_drop_output(output, errno, report);
            return LB_E_FILE;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return status == LB_OK ? lb_finish_output(output, true, report) : status;
}

lb_status lb_write_flex_file(const lb_flex_content *content, const char *path,
                             const lb_report *report)
{
    archive a;
    lb_arena scratch = lb_make_arena(NULL);
    lb_start_hdf5_writer(&a.writer);
    lb_start_sha256(&a.hash);
    lb_start_sha256(&a.used);
    lb_status status = fill(&a, content, &scratch);
    status = status == LB_OK ? lb_finish_hdf5_writer(&a.writer) : status;
    if (status == LB_OK) {
        status = lb_write_bytes(a.writer.bytes, a.writer.size, path, report);
    }
    lb_free_hdf5_writer(&a.writer);
    lb_arena_free(&scratch);
    return status;
}
