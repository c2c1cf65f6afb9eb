// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "listener.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/values.h"

// ---- errors of form ----------------------------------------------------------------------------

static void hear(void *user, const lb_diagnostic *diagnostic)
{
    lb_listener *listener = user;
    const bool is_error = diagnostic->severity == LB_SEVERITY_ERROR;
    listener->reported += is_error;
    if (is_error && !listener->is_relayed) {
        snprintf(listener->paths[listener->count++ % LB_LISTENER_MOST], LB_LISTENER_PATH_SIZE, "%s",
                 diagnostic->path);
    }
    if (listener->report.emit) {
        listener->report.emit(listener->report.user, diagnostic);
    }
}

static lb_listener *find_listener(const lb_reader *reader)
{
    return reader->report.emit == hear ? reader->report.user : NULL;
}

void lb_start_listening(lb_listener *listener, lb_reader *reader, const lb_place *root)
{
    memset(listener, 0, sizeof *listener);
    listener->report = reader->report;
    listener->root = root;
    listener->arena = lb_make_arena(NULL);
    reader->report = (lb_report){hear, listener};
}

void lb_end_listening(lb_listener *listener)
{
    lb_arena_free(&listener->arena);
}

lb_report lb_get_outer_report(const lb_reader *reader)
{
    const lb_listener *listener = find_listener(reader);
    return listener ? listener->report : reader->report;
}

// ---- names -------------------------------------------------------------------------------------

void lb_add_half_known(void *user, const char *name)
{
    lb_listener *listener = user;
    if (!name) {
        listener->all_half_known = true;
        return;
    }
    const char **names =
        lb_arena_grow(&listener->arena, listener->half_known, listener->half_known_count,
                      &listener->half_known_capacity, sizeof *names);
    const char *copy = lb_arena_text(&listener->arena, name);
    if (!names || !copy) {
        listener->no_memory = true;
        return;
    }
    listener->half_known = names;
    names[listener->half_known_count++] = copy;
}

void lb_make_half_known(const lb_reader *reader, const char *name)
{
    lb_listener *listener = find_listener(reader);
    if (listener) {
        lb_add_half_known(listener, name);
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

static bool names_half_known(const lb_listener *listener, const char *text)
{
    if (listener->all_half_known) {
        return true;
    }
    for (int i = 0; i < listener->half_known_count; ++i) {
        if (has_name(text, listener->half_known[i])) {
            return true;
        }
    }
    return false;
}

bool lb_is_half_known(const lb_reader *reader, const char *text)
{
    const lb_listener *listener = find_listener(reader);
    return listener && names_half_known(listener, text);
}

// Whether a value, or a part of it, has a name of which too little is known.
static bool is_about_half_known(const lb_listener *listener, const lb_doc_node *node)
{
    const lb_doc_kind kind = lb_doc_get_kind(node);
    if (kind == LB_DOC_STRING) {
        return names_half_known(listener, node->value.text);
    }
    const bool is_mapping = kind == LB_DOC_MAPPING;
    const size_t count = is_mapping || kind == LB_DOC_SEQUENCE ? lb_doc_get_count(node) : 0;
    for (size_t i = 0; i < count; ++i) {
        if (is_about_half_known(listener, is_mapping ? lb_doc_get_value(node, i)
                                                     : lb_doc_get_element(node, i))) {
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

static bool is_consequence(const lb_listener *listener, const char *path)
{
    const size_t entry = get_entry_length(path);
    const lb_way here = lb_place_get_way(listener->root, path);
    const bool exists = !*here.rest;
    if (exists && is_about_half_known(listener, here.nodes[here.count - 1])) {
        return true;
    }
    const int kept = listener->count < LB_LISTENER_MOST ? listener->count : LB_LISTENER_MOST;
    for (int i = 0; i < kept; ++i) {
        const char *other = listener->paths[i];
        if (strncmp(path, other, entry) != 0 || get_entry_length(other) != entry) {
            continue;
        }
        // of an entry that could not be read in full: what it lacks, and what was wrong already
        if (!exists || strcmp(path, other) == 0 || is_below(other, path)) {
            return true;
        }
        // parts of a list that was wrong as a whole; parts of a mapping were read one by one
        const lb_way way = lb_place_get_way(listener->root, other);
        if (is_below(path, other) &&
            (*way.rest || lb_doc_get_kind(way.nodes[way.count - 1]) != LB_DOC_MAPPING)) {
            return true;
        }
    }
    return false;
}

void lb_relay_finding(lb_reader *reader, const lb_place *root, const lb_diagnostic *diagnostic)
{
    lb_listener *listener = find_listener(reader);
    if (!listener) {
        lb_reader_relay(reader, root, diagnostic);
        return;
    }
    if (diagnostic->severity == LB_SEVERITY_ERROR && is_consequence(listener, diagnostic->path)) {
        ++reader->error_count;
        return;
    }
    listener->is_relayed = true;
    lb_reader_relay(reader, root, diagnostic);
    listener->is_relayed = false;
}
