// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The web page of a recording: the viewer with its data.
#include "view/page.h"
#include "console.h"

#include <stdlib.h>
#include <string.h>

#include "view/page_writer.h"

enum {
    TABLE_BUDGET = 6 << 20, // numbers of all plots
    TEXT_MAX = 1 << 18      // bytes of the model text that are shown
};

static json_t *write_data(lb_cli_writer *w)
{
    const lb_cli_recording *r = w->page->recording;
    const lb_results_info *info = lb_get_results_info(r->results);
    const int ending = info->ending;
    const char *damage = info->damage;
    if (damage[0]) {
        lb_cli_add_notice(
            w, "The result file is damaged: %s. Shown are the %ld rows that can be read.", damage,
            r->row_count);
    } else if (ending == 0) {
        lb_cli_add_notice(w,
                          "The run is not finished, or was cut off: shown are its first %ld rows.",
                          r->row_count);
    } else if (ending == 3 && !w->page->is_pose) {
        lb_cli_add_notice(w, "The run was ended on request before its end.");
    }
    if (!r->model) {
        lb_cli_add_notice(w, "No scene: the model cannot be loaded (%s).", r->why);
    }
    json_t *asked = json_array(),
           *meta = json_pack("{s:s,s:o,s:o,s:o,s:i,s:I,s:b}", "format", "limber-view-1", "source",
                             lb_cli_make_text(w->page->source), "version",
                             lb_cli_make_text(info->version), "hash", lb_cli_make_text(info->hash),
                             "ending", ending, "rows", (json_int_t)r->row_count, "pose",
                             (int)w->page->is_pose);

    // plots: thinned out where there is too much
    size_t columns = 1;
    for (int i = 1; i < info->table_count; ++i) {
        columns += (size_t)info->tables[i].column_count;
    }
    w->row_stride = 1;
    while ((size_t)(r->row_count / w->row_stride) * columns > TABLE_BUDGET) {
        ++w->row_stride;
    }
    w->row_count = r->row_count > 0 ? (r->row_count - 1) / w->row_stride + 1 : 0;
    if (w->row_stride > 1) {
        lb_cli_add_notice(w,
                          "Plots show one in %ld of the %ld recorded rows; limber plot shows all.",
                          w->row_stride, r->row_count);
    }
    double *times = lb_cli_malloc(((size_t)w->row_count + 1) * sizeof *times);
    if (!times) {
        w->good = false;
    } else {
        for (long i = 0; i < w->row_count; ++i) {
            times[i] = r->times[i * w->row_stride];
        }
        json_object_set_new(
            meta, "times",
            json_integer(lb_cli_write_block(w, times, (size_t)w->row_count * sizeof *times)));
        free(times);
    }
    json_t *tables = lb_cli_write_tables(w);
    w->good = lb_cli_write_signals(w, tables, asked) && w->good;
    json_object_set_new(meta, "tables", tables);
    json_object_set_new(meta, "asked", asked);
    json_object_set_new(meta, "model", w->page->scene ? lb_cli_write_model(w) : json_null());
    json_object_set_new(meta, "events", lb_cli_make_event_list(r));
    json_object_set_new(meta, "audit", lb_cli_make_audit_lines(r->results));
    json_object_set_new(meta, "options", lb_cli_make_text(info->options));
    const char *text = info->model;
    json_object_set_new(meta, "text",
                        strlen(text) <= TEXT_MAX ? lb_cli_make_text(text) : json_null());
    json_object_set(meta, "modes", w->page->modes ? w->page->modes : json_null());
    json_object_set(meta, "notices", w->notices);
    return meta;
}

json_t *lb_cli_parse_modes(const char *path, const char *text, size_t length)
{
    json_error_t error;
    json_t *modes = json_loadb(text, length, 0, &error);
    if (!modes) {
        lb_cli_complain("%s:%d:%d: %s", path, error.line, error.column, error.text);
    } else if (!json_is_array(json_object_get(modes, "modes"))) {
        lb_cli_complain("%s: expected an object with a list `modes`, as `limber modes --json` "
                        "writes it",
                        path);
        json_decref(modes);
        modes = NULL;
    }
    return modes;
}

bool lb_cli_write_page(FILE *out, const lb_cli_pages *pages)
{
    static const char marker[] = "<!--limber:data-->";
    const char *viewer = (const char *)lb_cli_viewer, *at = NULL;
    for (size_t i = 0; !at && i + sizeof marker <= lb_cli_viewer_size; ++i) {
        at = memcmp(viewer + i, marker, sizeof marker - 1) == 0 ? viewer + i : NULL;
    }
    if (!at) {
        lb_cli_complain("the viewer of this build has no place for data");
        return false;
    }
    lb_cli_writer w = {.out = out, .good = true};
    fwrite(viewer, 1, (size_t)(at - viewer), out);
    for (int i = 0; i < pages->count; ++i) {
        w.page = pages->runs[i];
        w.is_second = i > 0;
        w.notices = json_array();
        json_t *meta = write_data(&w);
        lb_cli_write_json(&w, i == 0 ? "limber-data" : "limber-data-2", meta);
        json_decref(meta);
        json_decref(w.notices);
    }
    const char *rest = at + sizeof marker - 1;
    fwrite(rest, 1, lb_cli_viewer_size - (size_t)(rest - viewer), out);
    return w.good;
}
