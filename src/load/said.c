// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "said.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/values.h"

// ---- errors of form ----------------------------------------------------------------------------

static void hear(void *user, const lb_diagnostic *diagnostic)
{
    lb_said *said = user;
    const bool is_error = diagnostic->severity == LB_SEVERITY_ERROR;
    said->reported += is_error;
    if (is_error && !said->is_relayed) {
        snprintf(said->paths[said->count++ % LB_SAID_MOST], LB_SAID_PATH_SIZE, "%s",
                 diagnostic->path);
    }
    if (said->report.emit) {
        said->report.emit(said->report.user, diagnostic);
    }
}

static lb_said *find_said(const lb_reader *reader)
{
    return reader->report.emit == hear ? reader->report.user : NULL;
}

void lb_start_said(lb_said *said, lb_reader *reader, const lb_place *root)
{
    memset(said, 0, sizeof *said);
    said->report = reader->report;
    said->root = root;
    said->arena = lb_make_arena(NULL);
    reader->report = (lb_report){hear, said};
}

void lb_end_said(lb_said *said)
{
    lb_arena_free(&said->arena);
}

lb_report lb_get_outer_report(const lb_reader *reader)
{
    const lb_said *said = find_said(reader);
    return said ? said->report : reader->report;
}

// ---- names -------------------------------------------------------------------------------------

void lb_add_vague(void *user, const char *name)
{
    lb_said *said = user;
    if (!name) {
        said->all_vague = true;
        return;
    }
    const char **names = lb_arena_grow(&said->arena, said->vague, said->vague_count,
                                       &said->vague_capacity, sizeof *names);
    const char *copy = lb_arena_text(&said->arena, name);
    if (!names || !copy) {
        said->no_memory = true;
        return;
    }
    said->vague = names;
    names[said->vague_count++] = copy;
}

void lb_make_vague(const lb_reader *reader, const char *name)
{
    lb_said *said = find_said(reader);
    if (said) {
        lb_add_vague(said, name);
    }
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Whether a name is part of a text, and not of a longer name.
static bool has_name(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at && length > 0; at = strstr(at + 1, name)) {
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length])) {
            return true;
        }
    }
    return false;
}

static bool names_vague(const lb_said *said, const char *text)
{
    if (said->all_vague) {
        return true;
    }
    for (int i = 0; i < said->vague_count; ++i) {
        if (has_name(text, said->vague[i])) {
            return true;
        }
    }
    return false;
}

bool lb_is_vague(const lb_reader *reader, const char *text)
{
    const lb_said *said = find_said(reader);
    return said && names_vague(said, text);
}

// Whether a value, or a part of it, has a name of which too little is known.
static bool is_about_vague(const lb_said *said, const lb_doc_node *node)
{
    const lb_doc_kind kind = lb_doc_get_kind(node);
    if (kind == LB_DOC_STRING) {
        return names_vague(said, node->value.text);
    }
    const bool is_mapping = kind == LB_DOC_MAPPING;
    const size_t count = is_mapping || kind == LB_DOC_SEQUENCE ? lb_doc_get_count(node) : 0;
    for (size_t i = 0; i < count; ++i) {
        if (is_about_vague(said,
                           is_mapping ? lb_doc_get_value(node, i) : lb_doc_get_element(node, i))) {
            return true;
        }
    }
    return false;
}

// ---- consequences ------------------------------------------------------------------------------

static bool is_below(const char *path, const char *upper)
{
    const size_t length = strlen(upper);
    return strncmp(path, upper, length) == 0 && path[length] && strchr(".[", path[length]);
}

// "forces[2]" of "forces[2].value[0]", "run" of "run.duration".
static size_t get_entry_length(const char *path)
{
    const size_t first = strcspn(path, ".[");
    return path[first] == '[' ? strcspn(path, "]") : first;
}

static bool is_consequence(const lb_said *said, const char *path)
{
    const size_t entry = get_entry_length(path);
    const lb_way here = lb_place_get_way(said->root, path);
    const bool exists = !*here.rest;
    if (exists && is_about_vague(said, here.nodes[here.count - 1])) {
        return true;
    }
    const int kept = said->count < LB_SAID_MOST ? said->count : LB_SAID_MOST;
    for (int i = 0; i < kept; ++i) {
        const char *other = said->paths[i];
        if (strncmp(path, other, entry) != 0 || get_entry_length(other) != entry) {
            continue;
        }
        // of an entry that could not be read in full: what it lacks, and what was wrong already
        if (!exists || strcmp(path, other) == 0 || is_below(other, path)) {
            return true;
        }
        // parts of a list that was wrong as a whole; parts of a mapping were read one by one
        const lb_way way = lb_place_get_way(said->root, other);
        if (is_below(path, other) &&
            (*way.rest || lb_doc_get_kind(way.nodes[way.count - 1]) != LB_DOC_MAPPING)) {
            return true;
        }
    }
    return false;
}

void lb_relay_said(lb_reader *reader, const lb_place *root, const lb_diagnostic *diagnostic)
{
    lb_said *said = find_said(reader);
    if (!said) {
        lb_reader_relay(reader, root, diagnostic);
        return;
    }
    if (diagnostic->severity == LB_SEVERITY_ERROR && is_consequence(said, diagnostic->path)) {
        ++reader->error_count;
        return;
    }
    said->is_relayed = true;
    lb_reader_relay(reader, root, diagnostic);
    said->is_relayed = false;
}
