// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Materials and cross-sections: of libraries, and where they are used.
#include <string.h>

#include "base/files/files.h"
#include "expand/expand.h"
#include "load.h"
#include "structure/sections.h"
#include "values.h"

// ---- libraries ---------------------------------------------------------------------------------

// Every entry is read once, so that mistakes come to light where they are, and once.
static void lb_check_library(lb_loader *loader, const lb_library *library)
{
    // in line, the parameters are those of the model
    static const char *const own[] = {"limber", "materials", "sections", "parameters", NULL},
                             *const in_line[] = {"limber", "materials", "sections", NULL};
    lb_loader local = *loader;
    local.reader.file = library->file;
    if (library->owned) {
        local.reader.context = library->doc.context;
    }
    local.reader.error_count = 0;
    if (lb_read_mapping(&local.reader, &library->root, library->owned ? own : in_line)) {
        double version = 0;
        if (library->owned &&
            lb_read_number(&local.reader, &library->root, "limber", LB_REQUIRED, &version) &&
            version != 1) {
            const lb_place place = lb_place_at_key(&library->root, "limber");
            lb_reader_fail(&local.reader, &place, "format version %.15g, expected 1", version);
        }
        for (int kind = 0; kind < 2; ++kind) {
            const lb_place list = lb_place_at_key(&library->root, kind ? "sections" : "materials");
            if (list.node && lb_place_get_kind(&list) != LB_DOC_MAPPING) {
                lb_reader_fail_type(&local.reader, &list, "a mapping from names to entries");
                continue;
            }
            for (size_t i = 0; i < lb_place_get_count(&list); ++i) {
                const lb_place entry = lb_place_at_pair(&list, i);
                lb_material material;
                lb_section section = lb_default_section();
                if (lb_place_get_kind(&entry) != LB_DOC_MAPPING) {
                    lb_reader_fail_type(&local.reader, &entry, "a mapping");
                } else if (kind == 0) {
                    lb_load_material(&local, &entry, &material);
                } else {
                    lb_load_section(&local, &entry, &section);
                }
            }
        }
    }
    loader->reader.error_count += local.reader.error_count;
}

typedef struct use_of_file {
    lb_reader *reader;
    const lb_place *place;
} use_of_file;

// What is wrong with a file is said where it is named.
static void fail_at_use(void *user, const lb_diagnostic *diagnostic)
{
    const use_of_file *use = user;
    lb_reader_fail(use->reader, use->place, "the library cannot be read: %s", diagnostic->message);
}

static lb_status lb_load_one_library(lb_loader *loader, const lb_place *place)
{
    if (loader->library_count == LB_LIBRARY_MOST) {
        lb_reader_fail(&loader->reader, place, "more than %d libraries given, expected fewer",
                       LB_LIBRARY_MOST);
        return LB_OK;
    }
    lb_library *library = &loader->libraries[loader->library_count];
    const char *path = lb_place_get_string(place);
    if (path) {
        const lb_load_options options = lb_default_load_options();
        library->doc.pool = lb_make_arena(&loader->scratch.allocator);
        char found[LB_PATH_SIZE];
        lb_status status = lb_find_named_file(&loader->reader, place, path, sizeof found, found);
        if (status != LB_OK) {
            return status == LB_E_MEMORY ? status : LB_OK;
        }
        char *joined = lb_arena_text(&library->doc.pool, found);
        if (!joined) {
            return LB_E_MEMORY;
        }
        library->names = library->doc.pool;
        library->file = joined;
        ++loader->library_count;
        char *text = NULL;
        size_t length = 0;
        use_of_file use = {&loader->reader, place};
        const lb_report report = {fail_at_use, &use};
        status = lb_read_file(joined, LB_TEXT_SIZE_MAX, &loader->scratch.allocator, &report, &text,
                              &length);
        if (status != LB_OK) {
            return status == LB_E_MEMORY ? status : LB_OK;
        }
        lb_source source = {.file = joined, .format = LB_FORMAT_AUTO};
        library->doc = lb_start_doc(&loader->scratch.allocator);
        status = lb_read_document(&library->doc, text, length, &options, &loader->reader.report,
                                  &source);
        loader->scratch.allocator.release(loader->scratch.allocator.user, text);
        library->owned = status == LB_OK;
        if (status != LB_OK) {
            ++loader->reader.error_count; // which was reported there
            return status == LB_E_MEMORY ? status : LB_OK;
        }
        library->root = (lb_place){.node = &library->doc.root};
    } else if (lb_place_get_kind(place) == LB_DOC_MAPPING) {
        library->file = loader->reader.file;
        library->root = *place;
        ++loader->library_count;
    } else {
        lb_reader_fail_type(&loader->reader, place,
                            "the name of a file, or a mapping of materials and sections");
        return LB_OK;
    }
    lb_check_library(loader, library);
    return LB_OK;
}

lb_status lb_load_libraries(lb_loader *loader, const lb_place *root)
{
    const lb_place place = lb_place_at_key(root, "library");
    lb_status status = LB_OK;
    // a place that outlives this function: the paths of in-line entries start there
    loader->library_place = place;
    if (!place.node) {
        return status;
    }
    if (lb_place_get_kind(&place) != LB_DOC_SEQUENCE) {
        return lb_load_one_library(loader, &loader->library_place);
    }
    for (size_t i = 0; i < lb_place_get_count(&place) && status == LB_OK; ++i) {
        const lb_place entry = lb_place_at_index(&loader->library_place, i);
        status = lb_load_one_library(loader, &entry);
    }
    return status;
}

void lb_free_libraries(lb_loader *loader)
{
    for (int i = 0; i < loader->library_count; ++i) {
        lb_arena_free(&loader->libraries[i].names);
        if (loader->libraries[i].owned) {
            lb_free_doc(&loader->libraries[i].doc);
        }
    }
}

// The entry of that name, and the library that it is in; later libraries go before earlier ones.
static const lb_library *lb_find_entry(const lb_loader *loader, const char *list, const char *name,
                                       lb_place *up, lb_place *entry)
{
    for (int i = loader->library_count - 1; i >= 0; --i) {
        *up = lb_place_at_key(&loader->libraries[i].root, list);
        *entry = lb_place_at_key(up, name);
        if (entry->node && lb_place_get_kind(entry) == LB_DOC_MAPPING) {
            return &loader->libraries[i];
        }
    }
    return NULL;
}

// Says which names there are.
static void lb_fail_unknown(lb_loader *loader, const lb_place *place, const char *list,
                            const char *what, bool built_in)
{
    lb_text known = {.length = 0};
    for (int i = 0; i < loader->library_count; ++i) {
        const lb_place up = lb_place_at_key(&loader->libraries[i].root, list);
        for (size_t k = 0; k < lb_place_get_count(&up) && lb_place_get_kind(&up) == LB_DOC_MAPPING;
             ++k) {
            lb_text_add(&known, "%s", known.length ? ", " : "");
            const lb_place pair = lb_place_at_pair(&up, k);
            lb_text_add_excerpt(&known, pair.key);
        }
    }
    for (int i = 0; built_in && lb_get_material_name(i); ++i) {
        lb_text_add(&known, "%s%s", known.length ? ", " : "", lb_get_material_name(i));
    }
    lb_text name = {.length = 0};
    lb_text_add_excerpt(&name, lb_place_get_string(place));
    lb_reader_fail(&loader->reader, place, "no %s is called \"%s\"; there %s %s", what, name.data,
                   known.length ? "are" : "is", known.length ? known.data : "none in the library");
}

// A reader for entries of a library, which have been checked: what is wrong was reported.
static lb_loader lb_make_silent(const lb_loader *loader, const lb_library *library)
{
    lb_loader silent = *loader;
    silent.reader.report = (lb_report){NULL, NULL};
    silent.reader.error_count = 0;
    if (library->owned) {
        silent.reader.context = library->doc.context;
    }
    return silent;
}

// ---- parts with arguments ------------------------------------------------------------------------

// {part: tube, d: 0.03}: an entry of a library whose file has parameters, with other values for some of them.
typedef struct lb_part {
    lb_doc doc; // the library with those values
    lb_loader loader;
    lb_place root, up, entry;
} lb_part;

static void lb_keep_first(void *user, const lb_diagnostic *diagnostic)
{
    lb_text *message = user;
    if (message->length == 0) {
        lb_text_add(message, "%s", diagnostic->message);
    }
}

// @return whether all is well; lb_arena_free(&part->doc.expansion) in any case
static bool lb_open_part(lb_loader *loader, const lb_place *place, const char *list, lb_part *part)
{
    enum { MOST = 32 };
    lb_parameter_value values[MOST];
    int count = 0;
    const char *name = NULL;
    *part = (lb_part){.doc = {.expansion = lb_make_arena(&loader->scratch.allocator)}};
    if (!lb_read_string(&loader->reader, place, "part", LB_REQUIRED, &name)) {
        return false;
    }
    const lb_library *library = lb_find_entry(loader, list, name, &part->up, &part->entry);
    const lb_place at = lb_place_at_key(place, "part");
    if (!library || !library->owned) {
        lb_reader_fail(&loader->reader, &at, "no part is called \"%.100s\" in the library files",
                       name);
        return false;
    }
    const int errors = loader->reader.error_count;
    for (size_t i = 0; i < lb_place_get_count(place); ++i) {
        const lb_place pair = lb_place_at_pair(place, i);
        if (strcmp(pair.key, "part") == 0) {
            continue;
        }
        if (count == MOST) {
            lb_reader_fail(&loader->reader, &pair, "more than %d values given, expected fewer",
                           MOST);
            return false;
        }
        values[count].name = pair.key;
        lb_read_angle_at(&loader->reader, &pair, &values[count++].value);
    }
    lb_text message = {.length = 0};
    const lb_report report = {lb_keep_first, &message};
    const lb_source source = {.file = library->file};
    part->doc.raw = library->doc.raw;
    part->doc.files = library->doc.files;
    part->doc.has_repeat = library->doc.has_repeat;
    part->doc.has_braces = library->doc.has_braces;
    if (loader->reader.error_count == errors &&
        lb_expand_document(&part->doc, &source, values, count, &report) != LB_OK) {
        lb_reader_fail(&loader->reader, place, "%s", message.data);
    }
    part->root = (lb_place){.node = &part->doc.root};
    part->up = lb_place_at_key(&part->root, list);
    part->entry = lb_place_at_key(&part->up, name);
    part->loader = *loader;
    part->loader.reader.context = part->doc.context;
    return loader->reader.error_count == errors;
}

// A material or a section, the other being NULL. What its values make wrong in it is said where it is used.
static bool lb_load_part(lb_loader *loader, const lb_place *place, lb_material *material,
                         lb_section *section)
{
    lb_part part;
    bool good = lb_open_part(loader, place, material ? "materials" : "sections", &part);
    if (good) {
        lb_text message = {.length = 0};
        part.loader.reader.report = (lb_report){lb_keep_first, &message};
        good = material ? lb_load_material(&part.loader, &part.entry, material)
                        : lb_load_section(&part.loader, &part.entry, section);
        if (!good) {
            lb_reader_fail(&loader->reader, place, "with these values, the part is wrong: %s",
                           message.data);
        }
    }
    lb_arena_free(&part.doc.expansion);
    return good;
}

// ---- materials ---------------------------------------------------------------------------------

bool lb_load_positive(lb_loader *loader, const lb_place *owner, const char *key, lb_need need,
                      double *number)
{
    double value = 0;
    if (!lb_read_number(&loader->reader, owner, key, need, &value)) {
        return false;
    }
    if (!(value > 0)) {
        const lb_place place = lb_place_at_key(owner, key);
        lb_reader_fail(&loader->reader, &place, "%.15g found, expected a positive number", value);
        return false;
    }
    *number = value;
    return true;
}

// Reads a material or a section that does not stand here but is named, or of a part; the other one is NULL.
//
// @param good  out: whether it was read
// @return false if it stands here
static bool load_from_elsewhere(lb_loader *loader, const lb_place *place, lb_material *material,
                                lb_section *section, bool *good)
{
    const char *name = lb_place_get_string(place), *kind = material ? "materials" : "sections";
    *good = false;
    if (name) {
        lb_place up, entry;
        const lb_library *library = lb_find_entry(loader, kind, name, &up, &entry);
        if (library) {
            lb_loader silent = lb_make_silent(loader, library);
            *good = material ? lb_load_material(&silent, &entry, material)
                             : lb_load_section(&silent, &entry, section);
            loader->reader.error_count += !*good; // which was reported there
        } else {
            *good = material && lb_get_material(lb_find_material(name), material) == LB_OK;
            if (!*good) {
                lb_fail_unknown(loader, place, kind, material ? "material" : "section",
                                material != NULL);
            }
        }
    } else if (lb_place_get_kind(place) != LB_DOC_MAPPING) {
        lb_reader_fail_type(&loader->reader, place,
                            material ? "the name of a material, or {E: ..., G: ..., rho: ...}"
                                     : "the name of a section, or {type: ..., ...}");
    } else if (lb_place_has_key(place, "part")) {
        *good = lb_load_part(loader, place, material, section);
    } else {
        return false;
    }
    return true;
}

bool lb_load_material(lb_loader *loader, const lb_place *place, lb_material *material)
{
    static const char *const known[] = {"E", "G", "nu", "rho", NULL};
    lb_reader *reader = &loader->reader;
    bool good;
    if (load_from_elsewhere(loader, place, material, NULL, &good)) {
        return good;
    }
    const int errors = reader->error_count;
    lb_read_mapping(reader, place, known);
    double nu = 0;
    lb_load_positive(loader, place, "E", LB_REQUIRED, &material->E);
    lb_load_positive(loader, place, "rho", LB_REQUIRED, &material->rho);
    const lb_place G = lb_place_at_key(place, "G"), poisson = lb_place_at_key(place, "nu");
    if (!G.node == !poisson.node) {
        lb_reader_fail(reader, place, "%s of \"G\" and \"nu\" given, expected one of them",
                       G.node ? "both" : "none");
    } else if (G.node) {
        lb_load_positive(loader, place, "G", LB_REQUIRED, &material->G);
    } else if (lb_read_number(reader, place, "nu", LB_REQUIRED, &nu)) {
        if (!(nu > -1 && nu <= 0.5)) {
            lb_reader_fail(reader, &poisson, "%.15g found, expected above -1 and at most 0.5", nu);
        }
        material->G = material->E / (2 * (1 + nu));
    }
    return reader->error_count == errors;
}

// ---- sections ----------------------------------------------------------------------------------

// The keys of each type, all positive numbers; those before the bar are required.
static const struct {
    const char *required[5], *optional[5];
} lb_section_keys[LB_SECTION_TYPE_COUNT] = {
    [LB_SECTION_GENERAL] = {{"A", "Iy", "Iz"}, {"J", "Ay", "Az"}},
    [LB_SECTION_TUBE] = {{"diameter"}, {"wall", "J", "Ay", "Az"}},
    [LB_SECTION_RECTANGLE] = {{"width", "height"}, {"wall", "J", "Ay", "Az"}},
    [LB_SECTION_I] = {{"width", "height", "web", "flange"}, {"J", "Ay", "Az"}},
};

static double *lb_get_dimension(lb_section *s, const char *key)
{
    static const char *const keys[] = {"diameter", "wall", "width", "height", "web", "flange",
                                       "A",        "Iy",   "Iz",    "J",      "Ay",  "Az"};
    double *const fields[] = {&s->diameter, &s->wall, &s->width, &s->height, &s->web, &s->flange,
                              &s->A,        &s->Iy,   &s->Iz,    &s->J,      &s->Ay,  &s->Az};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (strcmp(keys[i], key) == 0) {
            return fields[i];
        }
    }
    return NULL;
}

bool lb_load_section(lb_loader *loader, const lb_place *place, lb_section *section)
{
    lb_reader *reader = &loader->reader;
    bool good;
    if (load_from_elsewhere(loader, place, NULL, section, &good)) {
        return good;
    }
    const int errors = reader->error_count;
    const char *types[LB_SECTION_TYPE_COUNT + 1] = {NULL};
    for (int i = 0; i < LB_SECTION_TYPE_COUNT; ++i) {
        types[i] = lb_get_section_type_name((lb_section_type)i);
    }
    int type = 0;
    *section = lb_default_section();
    if (!lb_read_word(reader, place, "type", LB_REQUIRED, types, &type)) {
        return false;
    }
    section->type = (lb_section_type)type;
    const char *known[12] = {"type"};
    int count = 1;
    for (int i = 0; i < 5 && lb_section_keys[type].required[i]; ++i) {
        const char *key = known[count++] = lb_section_keys[type].required[i];
        lb_load_positive(loader, place, key, LB_REQUIRED, lb_get_dimension(section, key));
    }
    for (int i = 0; i < 5 && lb_section_keys[type].optional[i]; ++i) {
        const char *key = known[count++] = lb_section_keys[type].optional[i];
        lb_load_positive(loader, place, key, LB_OPTIONAL, lb_get_dimension(section, key));
    }
    known[count] = NULL;
    lb_read_mapping(reader, place, known);
    return reader->error_count == errors;
}

lb_status lb_load_sections(lb_loader *loader, const lb_place *owner, const lb_section *fallback,
                           const lb_section **section, const lb_station **stations,
                           int *station_count)
{
    static const char *const known[] = {"at", "section", NULL};
    lb_reader *reader = &loader->reader;
    lb_section *read_section = lb_arena_take(&loader->scratch, 1, sizeof *read_section);
    if (!read_section) {
        return LB_E_MEMORY;
    }
    *read_section = fallback ? *fallback : lb_default_section();
    *section = read_section;
    const lb_place one = lb_place_at_key(owner, "section"),
                   list = lb_place_at_key(owner, "stations");
    if (one.node && list.node) {
        lb_reader_fail(reader, &list,
                       "both \"section\" and \"stations\" given, expected one of them");
        return LB_OK;
    }
    if (!list.node) {
        if (one.node) {
            lb_load_section(loader, &one, read_section);
        } else if (!fallback) {
            lb_reader_fail(reader, &one, "missing: a section, or stations, is required here");
        }
        return LB_OK;
    }
    lb_place places;
    if (!lb_read_sequence(reader, owner, "stations", LB_REQUIRED, &places)) {
        return LB_OK;
    }
    const size_t count = lb_place_get_count(&places);
    if (count < 2) {
        lb_reader_fail(reader, &places, "%zu stations given, expected at least two", count);
        return LB_OK;
    }
    lb_station *read = lb_arena_take(&loader->scratch, count, sizeof *read);
    lb_section *sections = lb_arena_take(&loader->scratch, count, sizeof *sections);
    if (!read || !sections) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        const lb_place station = lb_place_at_index(&places, i);
        sections[i] = lb_default_section();
        read[i] = (lb_station){.section = &sections[i]};
        if (lb_read_mapping(reader, &station, known)) {
            lb_place at;
            lb_read_number(reader, &station, "at", LB_REQUIRED, &read[i].at);
            if (lb_find_value(reader, &station, "section", LB_REQUIRED, &at)) {
                lb_load_section(loader, &at, &sections[i]);
            }
        }
    }
    *stations = read;
    *station_count = (int)count;
    return LB_OK;
}
