// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber view RESULT: a web page of a recorded run, or of a model and its modes, written to a file or served on this
// machine.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console.h"
#include "memory_stream.h"
#include "output.h"
#include "point.h"
#include "setup.h"
#include "view/page.h"
#include "view/page_server.h"

// Numbers of the moving scene, and the most frames that are worth having.
enum { SCENE_BUDGET = 4 << 20, FRAME_MAX = 6000 };

static json_t *read_modes(const char *path)
{
    size_t length;
    char *text = lb_cli_read_file(path, &length);
    json_t *modes = text ? lb_cli_parse_modes(path, text, length) : NULL;
    free(text);
    return modes;
}

static bool is_model(const char *path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".urdf"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        if (lb_cli_ends_in(path, endings[i])) {
            return true;
        }
    }
    return false;
}

// "runs/arm.h5" and "runs/arm.yaml" give "arm.html" here.
static char *make_page_name(const char *result)
{
    const char *slash = strrchr(result, '/'), *base = slash ? slash + 1 : result;
    size_t length = strlen(base);
    if (length > 5 && strcmp(base + length - 5, ".part") == 0) {
        length -= 5;
    }
    if (length > 3 && strncmp(base + length - 3, ".h5", 3) == 0) {
        length -= 3;
    } else if (is_model(base)) {
        length = (size_t)(strrchr(base, '.') - base);
    }
    char *name = lb_cli_malloc(length + 6);
    if (name) {
        memcpy(name, base, length);
        memcpy(name + length, ".html", 6);
    }
    return name;
}

// Hands the page to the desktop's browser, if there is a desktop.
static void open_page(const char *target)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(display && display[0]) && !(wayland && wayland[0])) {
        return;
    }
    const pid_t child = fork();
    if (child == 0) {
        // a grandchild, so that nobody waits for the browser
        if (fork() == 0) {
            fclose(stdout);
            fclose(stderr);
            execlp("xdg-open", "xdg-open", target, (char *)NULL);
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}

static bool write_file(const lb_cli_page *page, const char *path)
{
    lb_cli_output output;
    return lb_cli_open_output(path, &output) &&
           lb_cli_close_output(&output, lb_cli_write_page(output.stream, page));
}

static bool serve_page(const lb_cli_page *page, int port, bool opens)
{
    lb_cli_memory memory;
    if (!lb_cli_open_memory(&memory)) {
        return false;
    }
    bool good = lb_cli_write_page(memory.stream, page);
    good = lb_cli_close_memory(&memory) && good;
    if (good) {
        good = lb_cli_serve_page(memory.text, memory.size, port, opens ? open_page : NULL);
    }
    free(memory.text);
    return good;
}

static int view(const lb_cli_arguments *arguments, const lb_cli_page *page)
{
    double port;
    if (!lb_cli_get_number(arguments, "port", 0, 65535, 0, &port)) {
        return LB_CLI_USAGE;
    }
    const bool opens = lb_cli_get_option(arguments, "no-open") == NULL;
    if (lb_cli_get_option(arguments, "serve")) {
        return serve_page(page, (int)port, opens) ? LB_CLI_DONE : LB_CLI_FAILED;
    }
    const char *asked = lb_cli_get_option(arguments, "output");
    if (asked && !lb_cli_check_output(asked)) {
        return LB_CLI_FAILED;
    }
    if (!lb_cli_check_ending(arguments, "output", asked, ".html .htm")) {
        return LB_CLI_USAGE;
    }
    char *name = asked ? NULL : make_page_name(arguments->operands[0]);
    const char *path = asked ? asked : name;
    if (!path) {
        lb_cli_complain_of_memory();
        return LB_CLI_FAILED;
    }
    const bool good = write_file(page, path);
    if (good && strcmp(path, "-") != 0) {
        if (opens) {
            open_page(path);
        }
    }
    free(name);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}

// ---- a model without a run -----------------------------------------------------------------------

// Ends a run after its first row.
static int stop(void *user, double t, double duration)
{
    (void)user;
    (void)t;
    (void)duration;
    return 1;
}

// Records the initial state of the model, and no more.
static bool record_pose(const lb_cli_arguments *arguments, const char *path)
{
    size_t length = 0;
    char *text = lb_cli_read_file(arguments->operands[0], &length);
    lb_cli_setup s = {0};
    bool good = text && lb_cli_open_setup(arguments, text, length, &s);
    if (good) {
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.model_text = s.text;
        request.model_length = s.length;
        request.progress = stop;
        good = lb_run_simulation(s.simulation, &request, NULL) >= 0;
        if (!good) {
            lb_cli_explain_setup(&s);
        }
    }
    lb_cli_close_setup(&s);
    free(text);
    return good;
}

static json_t *compute_modes(const lb_cli_arguments *arguments)
{
    lb_cli_memory memory;
    json_t *modes = NULL;
    if (!lb_cli_open_memory(&memory)) {
        return NULL;
    }
    const bool good = lb_cli_write_modes(arguments, memory.stream);
    if (lb_cli_close_memory(&memory) && good) {
        modes = lb_cli_parse_modes("modes", memory.text, memory.size);
    }
    free(memory.text);
    return modes;
}

// The pose as a recording, which goes through a file that is gone when it is open; and the modes, if there are none yet.
static bool open_model(const lb_cli_arguments *arguments, lb_cli_recording *recording,
                       json_t **modes)
{
    const char *shelf = getenv("TMPDIR");
    char folder[1024], path[1100];
    snprintf(folder, sizeof folder, "%.1000s/limber-XXXXXX", shelf && shelf[0] ? shelf : "/tmp");
    if (!mkdtemp(folder)) {
        lb_cli_complain("cannot make a folder in %s: %s", folder, strerror(errno));
        return false;
    }
    snprintf(path, sizeof path, "%s/pose.h5", folder);
    // the text that is recorded has the values of --set; the file itself finds what lies beside it
    const bool is_set =
        lb_cli_get_option(arguments, "set") || lb_cli_get_option(arguments, "gravity");
    const bool good = record_pose(arguments, path) &&
                      lb_cli_open_recording(path, is_set ? NULL : arguments->operands[0],
                                            lb_cli_get_option(arguments, "allow-files"), recording);
    remove(path);
    rmdir(folder);
    if (good && !*modes && recording->model && lb_get_v_count(recording->model) > 0) {
        *modes = compute_modes(arguments); // what is wrong with them is said; the pose can be seen
    }
    return good;
}

// ---- the command ---------------------------------------------------------------------------------

int lb_cli_run_view(const lb_cli_arguments *arguments)
{
    lb_cli_recording recording;
    const char *modes_path = lb_cli_get_option(arguments, "modes");
    json_t *modes = modes_path ? read_modes(modes_path) : NULL;
    if ((modes_path && !modes) ||
        !(is_model(arguments->operands[0]) ? open_model(arguments, &recording, &modes)
                                           : lb_cli_open_asked_recording(arguments, &recording))) {
        json_decref(modes);
        return LB_CLI_FAILED;
    }
    if (!recording.model) {
        lb_cli_complain("no scene: %s; --model FILE names another model", recording.trouble);
    }
    lb_cli_scene scene = {0};
    lb_cli_motion motion = {0};
    const char *result = arguments->operands[0];
    bool good =
        !recording.model ||
        (lb_cli_make_scene(&recording, result, lb_cli_get_option(arguments, "meshes"), &scene) &&
         lb_cli_make_motion(&scene, FRAME_MAX, SCENE_BUDGET, &motion) &&
         lb_cli_fill_values(&scene, &motion));
    int status = LB_CLI_FAILED;
    if (good) {
        const char *slash = strrchr(result, '/');
        const lb_cli_page page = {.recording = &recording,
                                  .scene = recording.model ? &scene : NULL,
                                  .motion = &motion,
                                  .source = slash ? slash + 1 : result,
                                  .modes = modes,
                                  .signals = arguments->operands + 1,
                                  .signal_count = arguments->count - 1};
        status = view(arguments, &page);
    }
    lb_cli_free_motion(&motion);
    lb_cli_free_scene(&scene);
    lb_cli_close_recording(&recording);
    json_decref(modes);
    return status;
}
