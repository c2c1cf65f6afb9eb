// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page tells about a run in words: its events with what they did, and its audit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "memory_stream.h"
#include "results_out.h"
#include "view/page_writer.h"
#include "view/replay.h"

json_t *lb_cli_make_text(const char *text)
{
    json_t *string = json_string(text);
    if (!string) {
        char *copy = lb_cli_malloc(strlen(text) + 1);
        if (copy) {
            strcpy(copy, text);
            for (char *c = copy; *c; ++c) {
                *c = (unsigned char)*c < 0x80 ? *c : '?';
            }
            string = json_string(copy);
            free(copy);
        }
    }
    return string;
}

json_t *lb_cli_make_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *lb_cli_make_numbers(const double *x, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, lb_cli_make_number(x[i]));
    }
    return list;
}

// ---- events --------------------------------------------------------------------------------------

// One event of a run, and the list of what it did.
typedef struct deed {
    const char *event;
    json_t *list;
} deed;

static bool add_deed(void *user, const char *event, const char *key, const char *subject,
                     const lb_place *what)
{
    const deed *d = user;
    (void)what;
    if (event && strcmp(event, d->event) == 0) {
        char text[2 * LB_CLI_SIGNAL_SIZE];
        snprintf(text, sizeof text, "%s %s", key, subject ? subject : "");
        json_array_append_new(d->list, lb_cli_make_text(text));
    }
    return true;
}

json_t *lb_cli_make_event_list(const lb_cli_recording *r)
{
    json_t *list = json_array();
    for (int i = 0; i < lb_get_results_info(r->results)->event_count; ++i) {
        double t;
        deed d = {.list = json_array()};
        if (lb_read_event(r->results, i, &t, &d.event) >= 0) {
            if (r->model) {
                const lb_place root = lb_get_document_root(r->document);
                lb_visit_actions(&root, add_deed, &d);
            }
            json_array_append_new(list,
                                  json_pack("{s:o,s:o,s:O}", "t", lb_cli_make_number(t), "name",
                                            lb_cli_make_text(d.event), "does", d.list));
        }
        json_decref(d.list);
    }
    return list;
}

// ---- the audit -----------------------------------------------------------------------------------

// Lines of "label   text": the label ends at the first two spaces.
static json_t *split_lines(char *text)
{
    json_t *lines = json_array();
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) {
            *end++ = '\0';
        }
        char *gap = strstr(line, "  ");
        const char *rest = gap ? gap + strspn(gap, " ") : "";
        if (gap) {
            *gap = '\0';
        }
        json_array_append_new(lines,
                              json_pack("[o,o]", lb_cli_make_text(line), lb_cli_make_text(rest)));
    }
    return lines;
}

json_t *lb_cli_make_audit_lines(const lb_results *results)
{
    const lb_results_info *info = lb_get_results_info(results);
    lb_audit audit = {.size = sizeof audit};
    const lb_status status = info->ending == 0 ? LB_E_SYNTAX : lb_read_audit(results, &audit);
    lb_cli_memory memory;
    if (lb_cli_check_memory(status) < 0) {
        return json_null();
    }
    lb_cli_open_memory(&memory);
    bool with_loops = false;
    for (int i = 0; i < info->table_count; ++i) {
        with_loops = with_loops || strcmp(info->tables[i].name, "loops") == 0;
    }
    lb_cli_print_audit(memory.stream, &audit, with_loops);
    lb_cli_close_memory(&memory);
    json_t *lines = split_lines(memory.text);
    free(memory.text);
    return lines;
}
