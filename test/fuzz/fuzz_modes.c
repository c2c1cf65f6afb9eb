// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any text as the mode shapes of `limber view --modes`: refused, or part of a page from which they can be
// read again and which nothing of them leaves.
#define _POSIX_C_SOURCE 200809L // mkdtemp, open_memstream
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "fuzz_folder.h"
#include "limber/simulate.h"
#include "view/page.h"

// in place of the viewer, which is large
const unsigned char lb_cli_viewer[] = "<!--limber:data-->\n";
const size_t lb_cli_viewer_size = sizeof lb_cli_viewer;

static const char model_text[] =
    "limber: 1\n"
    "bodies:\n"
    "- {name: arm, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: revolute, axis: [0, 0, "
    "1]}}\n"
    "- {name: ball, mass: 1, inertia: [1, 1, 1, 0, 0, 0], hinge: {type: spherical}}\n"
    "run: {duration: 0.1, interval: 0.1}\n";

static lb_cli_recording recording;
static lb_cli_scene scene;
static lb_cli_motion motion;

// A short run, in a file that is removed at once.
static void make_recording(void)
{
    char folder[LB_FUZZ_FOLDER_SIZE], path[LB_FUZZ_FOLDER_SIZE + 8];
    lb_document *document = NULL;
    lb_model *model = NULL;
    lb_simulation *sim = NULL;
    lb_fuzz_make_folder(folder);
    snprintf(path, sizeof path, "%s/run.h5", folder);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = model_text;
    request.model_length = sizeof model_text - 1;
    const bool good = lb_load_document_text(model_text, sizeof model_text - 1, "fuzz",
                                            LB_FORMAT_YAML, NULL, NULL, &document) == LB_OK &&
                      lb_load_document_model(document, NULL, &model) == LB_OK &&
                      lb_load_simulation(document, model, NULL, &sim) == LB_OK &&
                      lb_run_simulation(sim, &request, NULL) == LB_OK &&
                      lb_cli_open_recording(path, NULL, NULL, &recording) &&
                      lb_cli_make_scene(&recording, path, NULL, &scene) &&
                      lb_cli_make_motion(&scene, 10, 1000, &motion);
    lb_destroy_simulation(sim);
    lb_destroy_model(model);
    lb_destroy_document(document);
    unlink(path);
    rmdir(folder);
    if (!good) {
        exit(2);
    }
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

// Tags are those of the page alone, and the data are JSON that holds the modes.
static void check_page(const char *page, const json_t *modes)
{
    static const char start[] = "<script type=\"application/json\" id=\"limber-data\">";
    const char *at = strstr(page, start), *end = at ? strstr(at, "</script>") : NULL;
    if (!end || count_of(page, "<script") != count_of(page, "</script>") ||
        count_of(page, "<") != 2 * count_of(page, "<script")) {
        abort();
    }
    at += sizeof start - 1;
    json_t *data = json_loadb(at, (size_t)(end - at), 0, NULL);
    const json_t *kept = json_object_get(data, "modes");
    if (!kept || json_object_size(kept) != json_object_size(modes) ||
        json_array_size(json_object_get(kept, "modes")) !=
            json_array_size(json_object_get(modes, "modes"))) {
        abort();
    }
    json_decref(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!recording.results) {
        make_recording();
    }
    json_t *modes = lb_cli_parse_modes("fuzz", (const char *)data, size);
    if (!modes) {
        return 0;
    }
    char *page = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&page, &length);
    const lb_cli_page asked = {.recording = &recording,
                               .scene = &scene,
                               .motion = &motion,
                               .source = "fuzz.h5",
                               .modes = modes};
    const bool good = out && lb_cli_write_page(out, &(lb_cli_pages){{&asked}, 1});
    if (!out || fclose(out) != 0) {
        exit(2);
    }
    if (!good) {
        abort();
    }
    check_page(page, modes);
    free(page);
    json_decref(modes);
    return 0;
}
