// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber view RESULT: a web page of a recorded run, of two runs side by side, or of a model and its modes, written to a
// file or served on this machine.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "console.h"
#include "kept_files.h"
#include "memory_stream.h"
#include "output.h"
#include "point.h"
#include "setup.h"
#include "view/page.h"

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
    } else if (lb_cli_is_model(base)) {
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

static bool write_file(const lb_cli_pages *page, const char *path)
{
    lb_cli_output output;
    return lb_cli_open_output(path, &output) &&
           lb_cli_close_output(&output, lb_cli_write_page(output.stream, page));
}

static bool serve_page(const lb_cli_pages *page, int port, bool opens)
{
    lb_cli_memory memory;
    lb_cli_open_memory(&memory);
    bool good = lb_cli_write_page(memory.stream, page);
    lb_cli_close_memory(&memory);
    if (good) {
        good = lb_cli_serve_page(memory.text, memory.size, port, opens ? open_page : NULL);
    }
    free(memory.text);
    return good;
}

static int view(const lb_cli_arguments *arguments, const lb_cli_pages *page)
{
    double port;
    if (!lb_cli_get_number(arguments, "port", 0, 65535, 0, &port)) {
        return LB_CLI_USAGE;
    }
    const bool opens = lb_cli_get_option(arguments, "no-open") == NULL;
    if (lb_cli_get_option(arguments, "serve")) {
        if (lb_cli_get_option(arguments, "json")) {
            lb_cli_complain("view: --json names the file that is written, and --serve writes none");
            return LB_CLI_USAGE;
        }
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
        lb_cli_run_out();
        return LB_CLI_FAILED;
    }
    const bool good = write_file(page, path);
    if (good && opens && strcmp(path, "-") != 0) {
        open_page(path);
    }
    free(name);
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}

// ---- a model without a run -----------------------------------------------------------------------

static json_t *compute_modes(const lb_cli_arguments *arguments)
{
    lb_cli_memory memory;
    json_t *modes = NULL;
    lb_cli_open_memory(&memory);
    const bool good = lb_cli_write_modes(arguments, memory.stream);
    lb_cli_close_memory(&memory);
    if (good) {
        modes = lb_cli_parse_modes("modes", memory.text, memory.size);
    }
    free(memory.text);
    return modes;
}

// The pose as a recording; and the modes, if there are none yet.
static bool open_model(const lb_cli_arguments *arguments, lb_cli_recording *recording,
                       json_t **modes)
{
    const bool good = lb_cli_open_pose(arguments, recording);
    if (good && !*modes && recording->model && lb_get_v_count(recording->model) > 0) {
        *modes = compute_modes(arguments); // what is wrong with them is said; the pose can be seen
    }
    return good;
}

// ---- the command ---------------------------------------------------------------------------------

// A run with all that its part of the page is made of.
typedef struct shown {
    lb_cli_recording recording;
    lb_cli_scene scene;
    lb_cli_motion motion;
    lb_cli_page page;
} shown;

// The recording is open. Signals of a second run that it does not have are left out.
static bool show(const lb_cli_arguments *arguments, const char *path, shown *s)
{
    if (!s->recording.model) {
        lb_cli_complain("no scene: %s; --model FILE names another model", s->recording.why);
    }
    const char *slash = strrchr(path, '/');
    s->page.recording = &s->recording;
    s->page.scene = s->recording.model ? &s->scene : NULL;
    s->page.motion = &s->motion;
    s->page.source = slash ? slash + 1 : path;
    s->page.is_pose = lb_cli_is_model(path);
    return !s->recording.model ||
           (lb_cli_make_scene(&s->recording, path, lb_cli_get_option(arguments, "meshes"),
                              &s->scene) &&
            lb_cli_make_motion(&s->scene, FRAME_MAX, SCENE_BUDGET, &s->motion) &&
            lb_cli_fill_values(&s->scene, &s->motion));
}

static void hide(shown *s)
{
    lb_cli_free_motion(&s->motion);
    lb_cli_free_scene(&s->scene);
    lb_cli_close_recording(&s->recording);
}

// Whether an operand is a second run, not a signal.
static bool is_result(const char *operand)
{
    return lb_cli_ends_in(operand, ".h5") || lb_cli_ends_in(operand, ".h5.part");
}

// The scales of both runs reach as far as the wider of the two: a colour means the same in both.
static void join_scales(shown *a, shown *b)
{
    for (int i = 0; i < a->scene.scale_count && i < b->scene.scale_count; ++i) {
        lb_cli_scale *x = &a->scene.scales[i], *y = &b->scene.scales[i];
        if (strcmp(x->caption, y->caption) == 0) {
            x->low = y->low = fmin(x->low, y->low);
            x->high = y->high = fmax(x->high, y->high);
        }
    }
}

static bool show_second(const lb_cli_arguments *arguments, shown *first, shown *second)
{
    const char *path = arguments->operands[1];
    if (!lb_cli_open_recording(path, NULL, lb_cli_get_option(arguments, "allow-files"),
                               &second->recording)) {
        return false;
    }
    if (!show(arguments, path, second)) {
        return false;
    }
    join_scales(first, second);
    return true;
}

int lb_cli_run_view(const lb_cli_arguments *arguments)
{
    const bool has_second = arguments->count > 1 && is_result(arguments->operands[1]);
    const char *first = arguments->operands[0];
    if (arguments->count > 2 && has_second && is_result(arguments->operands[2])) {
        lb_cli_complain("a page compares two runs, and %s would be the third",
                        arguments->operands[2]);
        return LB_CLI_USAGE;
    }
    shown runs[2] = {0};
    const char *modes_path = lb_cli_get_option(arguments, "modes");
    json_t *modes = modes_path ? read_modes(modes_path) : NULL;
    if ((modes_path && !modes) ||
        !(lb_cli_is_model(first) ? open_model(arguments, &runs[0].recording, &modes)
                                 : lb_cli_open_asked_recording(arguments, &runs[0].recording))) {
        json_decref(modes);
        return LB_CLI_FAILED;
    }
    int status = LB_CLI_FAILED;
    if (show(arguments, first, &runs[0]) &&
        (!has_second || show_second(arguments, &runs[0], &runs[1]))) {
        const lb_cli_pages pages = {.runs = {&runs[0].page, &runs[1].page},
                                    .count = has_second ? 2 : 1};
        runs[0].page.modes = modes;
        for (int i = 0; i < pages.count; ++i) {
            runs[i].page.signals = arguments->operands + pages.count;
            runs[i].page.signal_count = arguments->count - pages.count;
        }
        status = view(arguments, &pages);
    }
    hide(&runs[0]);
    if (has_second) {
        hide(&runs[1]);
    }
    json_decref(modes);
    return status;
}
