// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "hdf5_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOOK_MAX = 1 << 16, // more than the longest message of a header
    PAGE = 1 << 14,
    WINDOW_SIZE = LOOK_MAX + 2 * PAGE,
    BLOCK_MAX = 1024,  // pieces of one header
    STEP_MAX = 100000, // nodes and names that are looked at in all
    NAMES_SIZE = 4096, // names of a group that are read at once
    RANK_MAX = 3
};

// messages of object headers
enum {
    MESSAGE_SPACE = 0x01,
    MESSAGE_LINK_INFO = 0x02,
    MESSAGE_TYPE = 0x03,
    MESSAGE_LINK = 0x06,
    MESSAGE_EXTERNAL = 0x07,
    MESSAGE_LAYOUT = 0x08,
    MESSAGE_FILTERS = 0x0b,
    MESSAGE_ATTRIBUTE = 0x0c,
    MESSAGE_CONTINUATION = 0x10,
    MESSAGE_SYMBOLS = 0x11
};

static const char newer[] =
    "is written in a newer form of HDF5 than limber writes; h5repack without options makes a copy "
    "that can be read";

// ---- bytes -------------------------------------------------------------------------------------

static lb_status fail(lb_hdf5_reader *r, lb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->message, sizeof r->message, format, arguments);
    va_end(arguments);
    return status;
}

static uint64_t get_number(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; --i) {
        value = value << 8 | bytes[i];
    }
    return value;
}

lb_status lb_read_hdf5_bytes(lb_hdf5_reader *r, uint64_t at, uint64_t size, void *bytes)
{
    if (at > r->size || size > r->size - at) {
        return fail(r, LB_E_FILE, "the file ends before what it is said to hold");
    }
    char *to = bytes;
    while (size > 0) {
        const ssize_t got = pread(r->fd, to, size < 1 << 30 ? (size_t)size : 1 << 30, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return fail(r, LB_E_FILE, "%s", got < 0 ? strerror(errno) : "it has become shorter");
        }
        to += got;
        at += (uint64_t)got;
        size -= (uint64_t)got;
    }
    return LB_OK;
}

// A few bytes, at most LOOK_MAX, valid until the next call; NULL if the file does not have them.
static const unsigned char *look(lb_hdf5_reader *r, uint64_t at, uint64_t size)
{
    if (at > r->size || size > r->size - at || size > LOOK_MAX) {
        fail(r, LB_E_FILE, "the file ends before what describes it");
        return NULL;
    }
    if (at < r->window_at || at + size > r->window_at + r->window_size) {
        const uint64_t from = at / PAGE * PAGE, left = r->size - from;
        const uint64_t wanted = (at - from + size + PAGE - 1) / PAGE * PAGE;
        const uint64_t load = left < wanted ? left : wanted;
        r->window_size = 0;
        if (lb_read_hdf5_bytes(r, from, load, r->window) < 0) {
            return NULL;
        }
        r->window_at = from;
        r->window_size = load;
    }
    return r->window + (at - r->window_at);
}

void lb_turn_hdf5_items(const lb_hdf5_array *array, uint64_t count, void *items)
{
    unsigned char *item = items;
    for (uint64_t i = 0; array->is_swapped && i < count; ++i, item += array->item_size) {
        for (uint64_t a = 0, b = array->item_size - 1; a < b; ++a, --b) {
            const unsigned char kept = item[a];
            item[a] = item[b];
            item[b] = kept;
        }
    }
}

// ---- the file ----------------------------------------------------------------------------------

static lb_status read_superblock(lb_hdf5_reader *r)
{
    static const unsigned char mark[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char *b = r->size < 96 ? NULL : look(r, 0, 96);
    if (!b || memcmp(b, mark, sizeof mark) != 0) {
        return fail(r, LB_E_FILE, "it is no HDF5 file, or it was cut off");
    }
    // sizes of addresses and lengths, and where address 0 is
    if (b[8] != 0 || b[13] != 8 || b[14] != 8 || get_number(b + 24, 8) != 0) {
        return fail(r, LB_E_UNSUPPORTED, "the file %s", newer);
    }
    r->end = get_number(b + 40, 8);
    r->root = get_number(b + 64, 8);
    return LB_OK;
}

lb_status lb_open_hdf5_reader(const char *path, lb_hdf5_reader *r)
{
    struct stat about;
    *r = (lb_hdf5_reader){.fd = -1};
    // a FIFO must not make us wait
    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0 || fstat(r->fd, &about) != 0) {
        return fail(r, LB_E_FILE, "%s", strerror(errno));
    }
    if (!S_ISREG(about.st_mode)) {
        return fail(r, LB_E_FILE, "it is no regular file");
    }
    r->size = (uint64_t)about.st_size;
    r->window = malloc(WINDOW_SIZE);
    return r->window ? read_superblock(r) : fail(r, LB_E_MEMORY, "out of memory");
}

void lb_close_hdf5_reader(lb_hdf5_reader *r)
{
    if (r->fd >= 0) {
        close(r->fd);
    }
    free(r->window);
    *r = (lb_hdf5_reader){.fd = -1};
}

// ---- headers of objects --------------------------------------------------------------------------

// Messages of a header, one after the other; they are in one or more blocks of the file.
typedef struct messages {
    uint64_t at, end;
    int left;
    uint64_t blocks[BLOCK_MAX][2]; // where, how long
    int block_count, next_block;
    // the present message
    int type;
    bool is_shared;
    uint64_t data_at, size;
} messages;

static lb_status begin_messages(lb_hdf5_reader *r, uint64_t header, const char *name, messages *m)
{
    const unsigned char *b = look(r, header, 16);
    if (!b) {
        return LB_E_FILE;
    }
    if (memcmp(b, "OHDR", 4) == 0) {
        return fail(r, LB_E_UNSUPPORTED, "%s %s", name, newer);
    }
    if (b[0] != 1) {
        return fail(r, LB_E_SYNTAX, "%s: its header is not readable", name);
    }
    m->left = (int)get_number(b + 2, 2);
    m->at = header + 16;
    m->end = m->at + get_number(b + 8, 4);
    m->block_count = m->next_block = 0;
    return LB_OK;
}

// LB_NEWS_STOP behind the last message.
static lb_status get_next_message(lb_hdf5_reader *r, const char *name, messages *m)
{
    while (m->at + 8 > m->end) {
        if (m->next_block == m->block_count) {
            return LB_NEWS_STOP;
        }
        m->at = m->blocks[m->next_block][0];
        m->end = m->at + m->blocks[m->next_block++][1];
    }
    if (m->left-- <= 0) {
        return LB_NEWS_STOP;
    }
    const unsigned char *b = look(r, m->at, 8);
    if (!b) {
        return LB_E_FILE;
    }
    m->type = (int)get_number(b, 2);
    m->size = get_number(b + 2, 2);
    m->is_shared = b[4] & 2;
    m->data_at = m->at + 8;
    m->at = m->data_at + m->size;
    if (m->at > m->end) {
        return fail(r, LB_E_SYNTAX, "%s: its header is not readable", name);
    }
    if (m->type == MESSAGE_CONTINUATION) {
        b = m->size >= 16 ? look(r, m->data_at, 16) : NULL;
        const uint64_t at = b ? get_number(b, 8) : 0, length = b ? get_number(b + 8, 8) : 0;
        if (!b || at > r->size || length > r->size - at || m->block_count == BLOCK_MAX) {
            return fail(r, b ? LB_E_SYNTAX : LB_E_FILE, "%s: its header is not readable", name);
        }
        m->blocks[m->block_count][0] = at;
        m->blocks[m->block_count++][1] = length;
    }
    return LB_OK;
}

// ---- what an array is ----------------------------------------------------------------------------

static lb_status read_space(lb_hdf5_reader *r, const unsigned char *b, uint64_t size,
                            const char *name, lb_hdf5_array *array)
{
    const uint64_t start = size < 4 ? 0 : b[0] == 1 ? 8 : b[0] == 2 ? 4 : 0;
    const uint64_t rank = size < 4 ? 0 : b[1];
    // version 2 has spaces without any points
    if (start == 0 || size < start + 8 * rank || rank > RANK_MAX || (b[0] == 2 && b[3] > 1)) {
        return fail(r, LB_E_SYNTAX, "%s: %s", name,
                    rank > RANK_MAX ? "more than three dimensions" : "its shape is not readable");
    }
    array->rank = (int)rank;
    for (uint64_t i = 0; i < RANK_MAX; ++i) {
        array->dims[i] = i < rank ? get_number(b + start + 8 * i, 8) : 1;
    }
    return LB_OK;
}

static lb_status read_type(lb_hdf5_reader *r, const unsigned char *b, uint64_t size,
                           const char *name, lb_hdf5_array *array)
{
    static const char *const classes[] = {
        "integers",    "numbers",   "times",      "text",         "bits",
        "raw bytes",   "compounds", "references", "enumerations", "texts of any length",
        "small arrays"};
    // IEEE 754 of 64 bits: place and size of everything, exponent, fraction, bias
    static const unsigned char ieee[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
    const uint16_t probe = 1;
    const bool is_big = *(const unsigned char *)&probe == 0;
    const int class = size < 8 ? -1 : b[0] & 15;
    array->item_size = size < 8 ? 0 : get_number(b + 4, 4);
    array->is_swapped = class >= 0 && class <= 1 && (b[1] & 1) != is_big;
    bool good = array->item_size > 0;
    if (class == 3) {
        array->kind = LB_HDF5_TEXT;
    } else if (class == 0) {
        array->kind = LB_HDF5_INTEGER;
        good = good && array->item_size <= 8 && size >= 12 && get_number(b + 8, 2) == 0 &&
               get_number(b + 10, 2) == 8 * array->item_size;
    } else if (class == 1) {
        array->kind = LB_HDF5_DOUBLE;
        good = array->item_size == 8 && size >= 20 && memcmp(b + 8, ieee, sizeof ieee) == 0 &&
               (b[1] & 0x70) == 0x20 && b[2] == 63;
    } else {
        good = false;
    }
    return good ? LB_OK
                : fail(r, LB_E_SYNTAX, "%s: it holds %s of a kind that limber does not write", name,
                       class >= 0 && class <= 10 ? classes[class] : "something");
}

static lb_status read_layout(lb_hdf5_reader *r, const unsigned char *b, const messages *m,
                             const char *name, lb_hdf5_array *array, uint64_t *room)
{
    if (m->size < 4 || (b[0] != 3 && b[0] != 4)) {
        return fail(r, m->size < 4 ? LB_E_SYNTAX : LB_E_UNSUPPORTED, "%s %s", name, newer);
    }
    if (b[1] == 0) {
        array->at = m->data_at + 4;
        *room = get_number(b + 2, 2);
        return *room <= m->size - 4 ? LB_OK : fail(r, LB_E_SYNTAX, "%s: it has no place", name);
    }
    if (b[1] != 1) {
        return fail(r, LB_E_UNSUPPORTED,
                    "%s: it is stored %s; limber reads tables in one piece, as "
                    "`h5repack -l CONTI -f NONE` makes them",
                    name, b[1] == 2 ? "in chunks" : "in other datasets");
    }
    if (m->size < 18) {
        return fail(r, LB_E_SYNTAX, "%s: it has no place", name);
    }
    array->at = get_number(b + 2, 8);
    *room = get_number(b + 10, 8);
    return LB_OK;
}

// How long it is; no more than the file could hold, if it was not cut off.
static lb_status measure(lb_hdf5_reader *r, const char *name, uint64_t room, lb_hdf5_array *array)
{
    const uint64_t most = r->end > r->size ? r->end : r->size;
    uint64_t bytes = array->item_size;
    for (int i = 0; i < RANK_MAX; ++i) {
        if (array->dims[i] > 0 && bytes > most / array->dims[i]) {
            return fail(r, LB_E_SYNTAX, "%s: it is said to be larger than the file", name);
        }
        bytes *= array->dims[i];
    }
    array->bytes = bytes;
    array->found = true;
    if (bytes == 0) {
        array->at = 0;
        return LB_OK;
    }
    if (room < bytes || array->at > most || bytes > most - array->at) {
        return fail(r, LB_E_SYNTAX, "%s: its place is not inside the file", name);
    }
    return LB_OK;
}

static lb_status read_dataset(lb_hdf5_reader *r, uint64_t header, const char *name,
                              lb_hdf5_array *array)
{
    messages m;
    uint64_t room = 0;
    bool has_space = false, has_type = false, has_layout = false;
    lb_status status = begin_messages(r, header, name, &m);
    while (status == LB_OK && (status = get_next_message(r, name, &m)) == LB_OK) {
        const unsigned char *b = look(r, m.data_at, m.size);
        if (!b) {
            return LB_E_FILE;
        }
        if (m.type == MESSAGE_EXTERNAL) {
            return fail(r, LB_E_UNSUPPORTED,
                        "%s: it is stored in another file, which limber does not read", name);
        }
        if (m.type == MESSAGE_FILTERS) {
            return fail(r, LB_E_UNSUPPORTED,
                        "%s: it is compressed or filtered; `h5repack -l CONTI -f NONE` makes a "
                        "copy that can be read",
                        name);
        }
        if (m.is_shared && (m.type == MESSAGE_SPACE || m.type == MESSAGE_TYPE)) {
            return fail(r, LB_E_UNSUPPORTED, "%s: its type is described elsewhere", name);
        }
        if (m.type == MESSAGE_SPACE) {
            status = read_space(r, b, m.size, name, array);
            has_space = true;
        } else if (m.type == MESSAGE_TYPE) {
            status = read_type(r, b, m.size, name, array);
            has_type = true;
        } else if (m.type == MESSAGE_LAYOUT) {
            status = read_layout(r, b, &m, name, array, &room);
            has_layout = true;
        }
    }
    if (status >= 0 && !(has_space && has_type && has_layout)) {
        return fail(r, LB_E_SYNTAX, "%s: it is no dataset", name);
    }
    return status < 0 ? status : measure(r, name, room, array);
}

static uint64_t round_up(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

// An attribute, if it has that name.
static lb_status read_attribute(lb_hdf5_reader *r, const unsigned char *b, const messages *m,
                                const char *name, lb_hdf5_array *array)
{
    if (m->size < 9 || m->is_shared || b[0] < 1 || b[0] > 3) {
        return LB_OK;
    }
    // padded in version 1; version 3 has a byte for the character set
    const bool padded = b[0] == 1;
    const uint64_t lengths[3] = {get_number(b + 2, 2), get_number(b + 4, 2), get_number(b + 6, 2)};
    uint64_t places[4] = {b[0] == 3 ? 9 : 8};
    for (int i = 0; i < 3; ++i) {
        places[i + 1] = places[i] + (padded ? round_up(lengths[i]) : lengths[i]);
    }
    const size_t length = strlen(name) + 1;
    if (places[3] > m->size || lengths[0] != length || memcmp(b + places[0], name, length) != 0) {
        return LB_OK;
    }
    if (b[0] > 1 && (b[1] & 3)) {
        return fail(r, LB_E_UNSUPPORTED, "%s: its type is described elsewhere", name);
    }
    lb_status status = read_type(r, b + places[1], lengths[1], name, array);
    status = status < 0 ? status : read_space(r, b + places[2], lengths[2], name, array);
    array->at = m->data_at + places[3];
    return status < 0 ? status : measure(r, name, m->size - places[3], array);
}

lb_status lb_find_hdf5_attribute(lb_hdf5_reader *r, uint64_t header, const char *name,
                                 lb_hdf5_array *array)
{
    messages m;
    *array = (lb_hdf5_array){.found = false};
    lb_status status = begin_messages(r, header, name, &m);
    while (status == LB_OK && (status = get_next_message(r, name, &m)) == LB_OK) {
        if (m.type == MESSAGE_ATTRIBUTE && !array->found) {
            const unsigned char *b = look(r, m.data_at, m.size);
            status = b ? read_attribute(r, b, &m, name, array) : LB_E_FILE;
        }
    }
    return status < 0 ? status : LB_OK;
}

// ---- groups --------------------------------------------------------------------------------------

typedef struct search {
    const char *name;
    uint64_t names_at, names_size; // texts of the group's names
    uint64_t kept_size;            // how many of their bytes are in `kept`
    char kept[NAMES_SIZE];
    uint64_t header; // found
} search;

// Whether the text at this place of the names is the one looked for.
static lb_status compare_name(lb_hdf5_reader *r, const search *s, uint64_t place, bool *same)
{
    char text[NAMES_SIZE];
    const uint64_t length = strlen(s->name) + 1;
    *same = false;
    if (length > sizeof text || place > s->names_size || length > s->names_size - place) {
        return LB_OK;
    }
    if (place + length <= s->kept_size) {
        *same = memcmp(s->kept + place, s->name, length) == 0;
        return LB_OK;
    }
    // not through the window, which shows the list
    const lb_status status = lb_read_hdf5_bytes(r, s->names_at + place, length, text);
    *same = status >= 0 && memcmp(text, s->name, length) == 0;
    return status;
}

static lb_status search_leaf(lb_hdf5_reader *r, uint64_t at, search *s)
{
    enum { ENTRY_SIZE = 40, SOFT_LINK = 2 };
    const unsigned char *b = look(r, at, 8);
    if (!b || memcmp(b, "SNOD", 4) != 0) {
        return fail(r, b ? LB_E_SYNTAX : LB_E_FILE, "%s: the list of names is damaged", s->name);
    }
    const int count = (int)get_number(b + 6, 2);
    for (int i = 0; i < count && s->header == 0 && ++r->step_count <= STEP_MAX; ++i) {
        b = look(r, at + 8 + (uint64_t)i * ENTRY_SIZE, ENTRY_SIZE);
        if (!b) {
            return LB_E_FILE;
        }
        const uint64_t header = get_number(b + 8, 8);
        const bool is_link = get_number(b + 16, 4) == SOFT_LINK;
        bool same;
        const lb_status status = compare_name(r, s, get_number(b, 8), &same);
        if (status < 0) {
            return status;
        }
        if (same && is_link) {
            return fail(r, LB_E_UNSUPPORTED, "%s: it is a link, which limber does not follow",
                        s->name);
        }
        s->header = same ? header : 0;
    }
    return LB_OK;
}

// A node of the tree of a group, `level` above its leaves.
static lb_status search_node(lb_hdf5_reader *r, uint64_t at, int level, search *s)
{
    const unsigned char *b = look(r, at, 24);
    if (!b || memcmp(b, "TREE", 4) != 0 || b[4] != 0 || (level >= 0 && b[5] != level) ||
        ++r->step_count > STEP_MAX) {
        return fail(r, b ? LB_E_SYNTAX : LB_E_FILE, "%s: the list of names is damaged", s->name);
    }
    level = b[5];
    const int count = (int)get_number(b + 6, 2);
    lb_status status = LB_OK;
    for (int i = 0; status >= 0 && i < count && s->header == 0; ++i) {
        // key, child, key, child, ..., key
        b = look(r, at + 24 + (uint64_t)i * 16 + 8, 8);
        const uint64_t child = b ? get_number(b, 8) : 0;
        if (++r->step_count > STEP_MAX) {
            return fail(r, LB_E_SYNTAX, "%s: the list of names is damaged", s->name);
        }
        status = !b          ? LB_E_FILE
                 : level > 0 ? search_node(r, child, level - 1, s)
                             : search_leaf(r, child, s);
    }
    return status;
}

static lb_status search_group(lb_hdf5_reader *r, uint64_t tree, uint64_t heap, search *s)
{
    const unsigned char *b = look(r, heap, 32);
    if (!b || memcmp(b, "HEAP", 4) != 0) {
        return fail(r, b ? LB_E_SYNTAX : LB_E_FILE, "%s: the list of names is damaged", s->name);
    }
    s->names_size = get_number(b + 8, 8);
    s->names_at = get_number(b + 24, 8);
    if (s->names_at > r->size || s->names_size > r->size - s->names_at) {
        return fail(r, LB_E_FILE, "%s: the list of names is not in the file", s->name);
    }
    s->kept_size = s->names_size < sizeof s->kept ? s->names_size : sizeof s->kept;
    const lb_status status = lb_read_hdf5_bytes(r, s->names_at, s->kept_size, s->kept);
    return status < 0 ? status : search_node(r, tree, -1, s);
}

lb_status lb_find_hdf5_object(lb_hdf5_reader *r, uint64_t group, const char *name, uint64_t *header)
{
    messages m;
    search s;
    bool is_group = false;
    s.name = name;
    s.header = *header = 0;
    lb_status status = begin_messages(r, group, name, &m);
    while (status == LB_OK && (status = get_next_message(r, name, &m)) == LB_OK) {
        if (m.type == MESSAGE_LINK || m.type == MESSAGE_LINK_INFO) {
            return fail(r, LB_E_UNSUPPORTED,
                        "%s: its group has links of a newer kind, which may lead to other files; "
                        "limber does not follow them",
                        name);
        }
        if (m.type == MESSAGE_SYMBOLS && !is_group) {
            const unsigned char *b = m.size >= 16 ? look(r, m.data_at, 16) : NULL;
            status = b ? search_group(r, get_number(b, 8), get_number(b + 8, 8), &s)
                       : fail(r, LB_E_FILE, "%s: the list of names is damaged", name);
            is_group = true;
        }
    }
    if (status >= 0 && !is_group) {
        return fail(r, LB_E_SYNTAX, "%s: it should be in a group, which is none", name);
    }
    *header = s.header;
    return status < 0 ? status : LB_OK;
}

lb_status lb_find_hdf5_dataset(lb_hdf5_reader *r, uint64_t group, const char *name,
                               lb_hdf5_array *array)
{
    uint64_t header;
    *array = (lb_hdf5_array){.found = false};
    const lb_status status = lb_find_hdf5_object(r, group, name, &header);
    return status < 0 || header == 0 ? status : read_dataset(r, header, name, array);
}
