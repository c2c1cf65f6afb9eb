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
static bool is_about_vague(const lb_said *said, const lb_place *place)
{
    const char *text = lb_place_get_string(place);
    if (text) {
        return names_vague(said, text);
    }
    const bool is_mapping = lb_place_get_kind(place) == LB_DOC_MAPPING;
    for (size_t i = 0; i < lb_place_get_count(place); ++i) {
        const lb_place part = is_mapping ? lb_place_at_pair(place, i) : lb_place_at_index(place, i);
        if (is_about_vague(said, &part)) {
            return true;
        }
    }
    return false;
}

// ---- places ------------------------------------------------------------------------------------

// The entry of a mapping whose key is the longest beginning of a path. Keys may hold dots and brackets.
static bool follow_key(const lb_place *up, const char **path, lb_place *place)
{
    size_t best = 0;
    for (size_t i = 0; i < lb_place_get_count(up); ++i) {
        const lb_place entry = lb_place_at_pair(up, i);
        const size_t length = strlen(entry.key);
        if (length > best && strncmp(*path, entry.key, length) == 0 &&
            strchr(".[", (*path)[length])) {
            *place = entry;
            best = length;
        }
    }
    *path += best;
    return best > 0;
}

static bool follow_index(const lb_place *up, const char **path, lb_place *place)
{
    char *end;
    const size_t index = **path == '[' ? strtoul(*path + 1, &end, 10) : (size_t)-1;
    if (index >= lb_place_get_count(up)) {
        return false;
    }
    *place = lb_place_at_index(up, index);
    *path = end + (*end == ']');
    return true;
}

// What there is at a path.
typedef struct found {
    bool exists;
    bool is_vague; // it has a name of which too little is known
    lb_doc_kind kind;
} found;

// Calls itself along the path: places point to those around them.
static found look_at(const lb_said *said, const lb_place *place, const char *path)
{
    const lb_doc_kind kind = lb_place_get_kind(place);
    path += *path == '.';
    if (!*path) {
        return (found){true, is_about_vague(said, place), kind};
    }
    lb_place next;
    if ((kind == LB_DOC_MAPPING && follow_key(place, &path, &next)) ||
        (kind == LB_DOC_SEQUENCE && follow_index(place, &path, &next))) {
        return look_at(said, &next, path);
    }
    return (found){false, false, LB_DOC_NULL};
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
    const found here = look_at(said, said->root, path);
    if (here.is_vague) {
        return true;
    }
    const int kept = said->count < LB_SAID_MOST ? said->count : LB_SAID_MOST;
    for (int i = 0; i < kept; ++i) {
        const char *other = said->paths[i];
        if (strncmp(path, other, entry) != 0 || get_entry_length(other) != entry) {
            continue;
        }
        // of an entry that could not be read in full: what it lacks, and what was wrong already
        if (!here.exists || strcmp(path, other) == 0 || is_below(other, path)) {
            return true;
        }
        // parts of a list that was wrong as a whole; parts of a mapping were read one by one
        if (is_below(path, other) && look_at(said, said->root, other).kind != LB_DOC_MAPPING) {
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
