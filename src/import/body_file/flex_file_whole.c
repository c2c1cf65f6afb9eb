// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Body files as a whole, with all that a model does not need: for reports, and to compare.
#include <string.h>

#include "flex_file_intake.h"

lb_status lb_probe_flex_file(const char *path, bool *is)
{
    lb_hdf5_reader reader;
    const lb_status status = lb_open_hdf5_reader(path, &reader);
    *is = status == LB_OK || status == LB_E_UNSUPPORTED;
    lb_close_hdf5_reader(&reader);
    return status == LB_E_MEMORY ? status : LB_OK;
}

// A text of several lines.
static lb_status read_report(lb_flex_intake *in, const char *name, const char **text)
{
    lb_hdf5_array array;
    char *copy;
    lb_status status = lb_find_flex_array(in, name, LB_HDF5_TEXT, 0, NULL, false, &array);
    if (status != LB_OK) {
        return status;
    }
    if (!LB_FE_TAKE(in->context, copy, array.item_size + 1)) {
        return LB_E_MEMORY;
    }
    status = lb_read_hdf5_bytes(&in->reader, array.at, array.item_size, copy);
    for (char *c = copy; status == LB_OK && *c; ++c) {
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == '\177') {
            return lb_fail_flex_file(in, "%s has control characters", name);
        }
    }
    *text = copy;
    return status == LB_OK ? LB_OK : lb_fail_flex_reader(in, status);
}

static lb_status read_all_nodes(lb_flex_intake *in, lb_flex_options *flex, const long **node_ids)
{
    const size_t n = (size_t)in->n;
    lb_status status = lb_find_flex_nodes(in);
    if (status != LB_OK) {
        return status;
    }
    if (in->node_count > INT32_MAX / 6) {
        return lb_fail_flex_file(in, "%.0f nodes are too many", (double)in->node_count);
    }
    const int N = (int)in->node_count;
    double *x, *turns, *shapes;
    lb_flex_node *nodes;
    int64_t *wide;
    long *ids;
    int *modes;
    if (!LB_FE_TAKE(in->context, nodes, N + 1) || !LB_FE_TAKE(in->context, wide, N + 1) ||
        !LB_FE_TAKE(in->context, ids, N + 1) || !LB_FE_TAKE(in->context, modes, n + 1)) {
        return LB_E_MEMORY;
    }
    for (int r = 0; r < in->n; ++r) {
        modes[r] = r;
    }
    status = lb_read_hdf5_bytes(&in->reader, in->ids.at, 8 * in->node_count, wide);
    status = status ? lb_fail_flex_reader(in, status) : LB_OK;
    status = status ? status : lb_read_flex_numbers(in, "node_positions", 2, N, 3, 1, false, &x);
    status =
        status ? status : lb_read_flex_numbers(in, "node_rotations", 2, N, 4, 1, false, &turns);
    status =
        status ? status : lb_read_flex_numbers(in, "node_shapes", 3, N, in->n, 6, false, &shapes);
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
        status = status ? status : lb_check_flex_shape(in, (uint64_t)i, nodes[i].shape);
        status = status ? status : lb_get_flex_second(in, (uint64_t)i, in->n, modes, &nodes[i]);
    }
    int first = 0; // that has no name
    for (uint64_t i = 0; i < in->kept.dims[0] && status == LB_OK; ++i) {
        int32_t index = 0;
        const char *name = "";
        status = lb_read_flex_name(in, i, &index, &name);
        nodes[index].name = name;
        first = index < first ? first : index + 1;
    }
    flex->nodes = nodes;
    flex->node_count = N;
    flex->point_count = N - first;
    *node_ids = ids;
    return status;
}

static lb_status read_whole(lb_flex_intake *in, lb_flex_body *made, lb_flex_content *content)
{
    lb_modal_body *body;
    double *units = NULL;
    *content = (lb_flex_content){0};
    if (!LB_FE_TAKE(in->context, body, 1)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_open_flex_file(in, &made->hash);
    status = status ? status : lb_read_flex_inertia(in, &made->options);
    status = status ? status : read_all_nodes(in, &made->options, &content->node_ids);
    status = status ? status : lb_read_flex_numbers(in, "units", 1, 3, 1, 1, false, &units);
    status = status ? status : lb_read_flex_text(in, "source_format", &body->format);
    status = status ? status : read_report(in, "report", &content->report);
    status = status ? status : read_report(in, "report_json", &content->json);
    status = status ? status : lb_check_flex_used(in);
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
    lb_flex_body *made = lb_make_flex_body(allocator, report);
    *body = NULL;
    if (!made) {
        return LB_E_MEMORY;
    }
    lb_flex_intake in = {.path = path, .key = "", .context = &made->context};
    const lb_status status = read_whole(&in, made, content);
    if (status != LB_OK) {
        lb_destroy_flex_body(made);
        return status;
    }
    *body = made;
    return LB_OK;
}
