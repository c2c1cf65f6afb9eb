// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber render RESULT: a recorded run as a clip, a folder of frames or a picture, without a display.
#define _POSIX_C_SOURCE 200809L
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../src/command.h"
#include "console.h"
#include "output.h"
#include "progress.h"
#include "scratch.h"
#include "view/figure.h"
#include "view/gif.h"
#include "view/picture.h"

typedef enum kind { GIF, MP4, PNG, FRAMES } kind;

enum { FRAMES_MOST = 1000000 };

typedef struct clip {
    kind kind;
    const char *path;
    int width, height;
    double fps, speed, from, to;
    bool labelled;
    lb_cli_look look;
} clip;

// ---- times ---------------------------------------------------------------------------------------

static long find_row(const lb_cli_recording *r, double t)
{
    long low = 0, high = r->row_count - 1;
    while (low < high) {
        const long middle = (low + high) / 2;
        if (r->times[middle] < t) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // the nearer of the two
    return low > 0 && t - r->times[low - 1] < r->times[low] - t ? low - 1 : low;
}

// Rows nearest to the times of the frames; repeated ones come once. A picture is the last of them: those before
// it are for traces.
static long *choose_rows(const lb_cli_recording *r, const clip *c, bool traces, long *count)
{
    enum { TRACE_COUNT = 400 };
    const double length = (c->to - c->from) / c->speed;
    const long before = traces ? TRACE_COUNT : 0;
    const long wanted = c->kind == PNG ? before + 1 : (long)floor(length * c->fps + 1e-9) + 1;
    long *rows = lb_cli_malloc((size_t)wanted * sizeof *rows);
    *count = 0;
    for (long i = 0; rows && i < wanted; ++i) {
        const double t = c->kind != PNG ? c->from + (double)i * c->speed / c->fps
                         : i < before   ? c->from + (c->to - c->from) * (double)i / TRACE_COUNT
                                        : c->to;
        const long row = find_row(r, t);
        if (*count == 0 || rows[*count - 1] < row) {
            rows[(*count)++] = row;
        }
    }
    return rows;
}

// ---- frames --------------------------------------------------------------------------------------

static void label(cairo_surface_t *surface, const clip *c, double t)
{
    char text[64];
    snprintf(text, sizeof text, "t = %.2f s", t);
    cairo_t *cr = cairo_create(surface);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, fmax(10.0, 0.032 * c->height));
    const double grey = c->look.dark ? 0.8 : 0.25;
    cairo_set_source_rgb(cr, grey, grey, grey);
    cairo_move_to(cr, 0.02 * c->width, 0.96 * c->height);
    cairo_show_text(cr, text);
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS) {
        lb_cli_run_out(); // nothing else can be wrong
    }
    cairo_destroy(cr);
}

// The colour bars of values, one above the other in the lower right corner.
static void draw_scales(cairo_surface_t *surface, const clip *c, const lb_cli_scene *scene)
{
    cairo_t *cr = cairo_create(surface);
    const double text = fmax(9.0, 0.028 * c->height), width = 0.26 * c->width,
                 left = 0.98 * c->width - width, grey = c->look.dark ? 0.8 : 0.25;
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, text);
    for (int i = 0; i < scene->scale_count; ++i) {
        const lb_cli_scale *scale = &scene->scales[i];
        const double base = 0.96 * c->height - 3.8 * text * i;
        const int steps = 50;
        for (int k = 0; k < steps; ++k) {
            const lb_cli_paint paint = lb_cli_get_heat((k + 0.5) / steps);
            // to the end: pieces that only touch would show the background between them
            cairo_set_source_rgb(cr, paint.r, paint.g, paint.b);
            cairo_rectangle(cr, left + width * k / steps, base - 1.9 * text,
                            width * (steps - k) / steps, 0.7 * text);
            cairo_fill(cr);
        }
        char caption[2 * LB_CLI_SIGNAL_SIZE], low[32], high[32];
        snprintf(caption, sizeof caption, "%.*s%s%s", LB_CLI_SIGNAL_SIZE, scale->caption,
                 scale->unit[0] ? ", " : "", scale->unit);
        snprintf(low, sizeof low, "%.4g", scale->low);
        snprintf(high, sizeof high, "%.4g", scale->high);
        cairo_text_extents_t size;
        cairo_text_extents(cr, high, &size);
        cairo_set_source_rgb(cr, grey, grey, grey);
        cairo_move_to(cr, left, base - 2.3 * text);
        cairo_show_text(cr, caption);
        cairo_move_to(cr, left, base);
        cairo_show_text(cr, low);
        cairo_move_to(cr, left + width - size.x_advance, base);
        cairo_show_text(cr, high);
    }
    if (cairo_status(cr) != CAIRO_STATUS_SUCCESS) {
        lb_cli_run_out(); // nothing else can be wrong
    }
    cairo_destroy(cr);
}

typedef struct studio {
    const lb_cli_scene *scene;
    const lb_cli_motion *motion;
    lb_cli_raster raster;
    cairo_surface_t *surface;
} studio;

static const unsigned char *shoot(studio *s, const clip *c, long frame)
{
    lb_cli_show_progress("frames", (double)frame / (double)s->motion->frame_count);
    lb_cli_draw_frame(s->scene, s->motion, frame, &c->look, &s->raster);
    lb_cli_finish_raster(&s->raster, cairo_image_surface_get_data(s->surface),
                         cairo_image_surface_get_stride(s->surface));
    cairo_surface_mark_dirty(s->surface);
    if (c->labelled) {
        label(s->surface, c, s->motion->times[frame]);
    }
    if (s->scene->scale_count > 0) {
        draw_scales(s->surface, c, s->scene);
    }
    cairo_surface_flush(s->surface);
    return cairo_image_surface_get_data(s->surface);
}

// ---- outputs -------------------------------------------------------------------------------------

static bool write_gif(studio *s, const clip *c)
{
    lb_cli_output output;
    if (!lb_cli_open_output(c->path, &output)) {
        return false;
    }
    const int stride = cairo_image_surface_get_stride(s->surface);
    // where there are fewer rows than frames, each stays longer
    const long count = s->motion->frame_count;
    const double length = (c->to - c->from) / c->speed,
                 delay = count > 1 ? 100.0 * length / (double)(count - 1) : 100.0;
    lb_cli_gif gif;
    bool good = lb_cli_start_gif(output.stream, c->width, c->height,
                                 (int)fmax(2.0, fmin(round(delay), 6000.0)), &gif);
    if (good) {
        for (long i = 0; i < count; i += count / 8 + 1) {
            lb_cli_sample_gif(&gif, shoot(s, c, i), stride);
        }
        for (long i = 0; i < count; ++i) {
            lb_cli_add_gif_frame(&gif, shoot(s, c, i), stride);
        }
        good = lb_cli_finish_gif(&gif);
    }
    if (!good) {
        lb_cli_complain("cannot write %s: out of memory", c->path);
    }
    return lb_cli_close_output(&output, good);
}

static void name_frame(const clip *c, long frame, char path[4096])
{
    snprintf(path, 4096, "%s/%05ld.png", c->path, frame);
}

static bool write_frames(studio *s, const clip *c)
{
    const bool is_new = mkdir(c->path, 0777) == 0;
    if (!is_new && errno != EEXIST) {
        lb_cli_complain("cannot make the folder %s: %s", c->path, strerror(errno));
        return false;
    }
    char path[4096];
    for (long i = 0; i < s->motion->frame_count; ++i) {
        name_frame(c, i, path);
        if (is_new) {
            lb_cli_note_scratch(c->path, path + strlen(c->path) + 1);
        }
        shoot(s, c, i);
        if (!lb_cli_write_png(s->surface, path, false)) {
            // nothing stays of a clip that is not complete
            lb_cli_remove_scratch(c->path);
            return false;
        }
    }
    lb_cli_keep_scratch(c->path);
    lb_cli_say_written(c->path);
    return true;
}

static bool has_ffmpeg(void)
{
    const char *list = getenv("PATH");
    char path[4096];
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        snprintf(path, sizeof path, "%.*s/ffmpeg", (int)length, list);
        if (access(path, X_OK) == 0) {
            return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

// Frames go to ffmpeg through a pipe.
static bool write_mp4(studio *s, const clip *c)
{
    int ends[2];
    if (!has_ffmpeg()) {
        lb_cli_complain("an mp4 needs the program ffmpeg, which is not here; a .gif or a folder of "
                        "frames does without it");
        return false;
    }
    lb_cli_output output;
    if (!lb_cli_open_output(c->path, &output)) {
        return false;
    }
    if (pipe(ends) != 0) {
        lb_cli_complain("cannot start ffmpeg: %s", strerror(errno));
        return lb_cli_close_output(&output, false);
    }
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", c->width, c->height);
    const double length = (c->to - c->from) / c->speed;
    snprintf(rate, sizeof rate, "%.6g",
             length > 0.0 ? fmax(1.0, (double)(s->motion->frame_count - 1) / length) : 1.0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("ffmpeg", "ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0",
               "-s", size, "-r", rate, "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags",
               "+faststart", "-f", "mp4", lb_get_output_name(output.file), (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    bool good = child > 0;
    const int stride = cairo_image_surface_get_stride(s->surface);
    for (long i = 0; good && i < s->motion->frame_count; ++i) {
        const unsigned char *pixels = shoot(s, c, i);
        for (int y = 0; good && y < c->height; ++y) {
            const unsigned char *row = pixels + (size_t)y * (size_t)stride;
            size_t left = 4 * (size_t)c->width;
            while (good && left > 0) {
                const ssize_t sent = write(ends[1], row, left);
                good = sent > 0;
                row += good ? sent : 0;
                left -= good ? (size_t)sent : 0;
            }
        }
    }
    close(ends[1]);
    int status = -1;
    good = child > 0 && waitpid(child, &status, 0) == child && good && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
    if (!good) {
        lb_cli_complain("ffmpeg could not write %s", c->path);
    }
    return lb_cli_close_output(&output, good);
}

static bool render(const lb_cli_recording *r, const char *result, const char *meshes,
                   double deformation, clip *c)
{
    lb_cli_scene scene;
    if (!lb_cli_make_scene(r, result, meshes, &scene)) {
        return false;
    }
    scene.deformation = deformation;
    for (int i = 0; i < scene.notice_count; ++i) {
        lb_cli_complain("%s", scene.notices[i]);
    }
    lb_cli_motion motion = {0};
    studio s = {.scene = &scene, .motion = &motion};
    long count = 0;
    long *rows = choose_rows(r, c, scene.trace_count > 0, &count);
    bool good = rows && lb_cli_make_motion_at(&scene, rows, count, &motion) &&
                lb_cli_fill_values(&scene, &motion);
    if (good && !lb_cli_create_raster(c->width, c->height, &s.raster)) {
        lb_cli_complain("the picture does not fit into memory");
        good = false;
    }
    if (good) {
        // the camera of a clip and the colours are those of the whole, whatever part is drawn
        lb_cli_motion whole;
        good = lb_cli_make_motion(&scene, 100, SIZE_MAX, &whole);
        if (good) {
            lb_cli_find_extent(&scene, c->kind == PNG ? &motion : &whole, &c->look.extent);
            lb_cli_aim_at_scene(&scene, &c->look.extent, &s.raster);
            c->look.largest = fmax(lb_cli_find_largest_bend(&scene, &whole),
                                   lb_cli_find_largest_bend(&scene, &motion));
            lb_cli_free_motion(&whole);
        }
        c->look.traces = scene.trace_count > 0;
        s.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, c->width, c->height);
        if (cairo_surface_status(s.surface) != CAIRO_STATUS_SUCCESS) {
            lb_cli_run_out();
        }
        lb_cli_need_memory(LB_CLI_FONTS_NEED);
    }
    if (good) {
        switch (c->kind) {
        case GIF:
            good = write_gif(&s, c);
            break;
        case MP4:
            good = write_mp4(&s, c);
            break;
        case FRAMES:
            good = write_frames(&s, c);
            break;
        case PNG:
            shoot(&s, c, motion.frame_count - 1);
            good = lb_cli_write_png(s.surface, c->path, true);
            break;
        }
    }
    cairo_surface_destroy(s.surface);
    lb_cli_destroy_raster(&s.raster);
    lb_cli_free_motion(&motion);
    lb_cli_free_scene(&scene);
    free(rows);
    return good;
}

// ---- the command ---------------------------------------------------------------------------------

static kind find_kind(const char *path)
{
    static const struct {
        const char *ending;
        kind kind;
    } kinds[] = {{".gif", GIF}, {".mp4", MP4}, {".png", PNG}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(dot, kinds[i].ending) == 0) {
            return kinds[i].kind;
        }
    }
    return FRAMES;
}

// "640x400"
static bool read_size(const char *text, clip *c)
{
    char rest;
    if (text && (sscanf(text, "%dx%d%c", &c->width, &c->height, &rest) != 2 || c->width < 16 ||
                 c->height < 16 || c->width > 8192 || c->height > 8192)) {
        lb_cli_complain("render: --size: '%s' given, expected a size such as 640x400, 16 to 8192",
                        text);
        return false;
    }
    return true;
}

int lb_cli_run_render(const lb_cli_arguments *arguments)
{
    clip c = {.width = 640, .height = 400, .path = lb_cli_get_option(arguments, "output")};
    double deformation;
    if (!c.path) {
        lb_cli_complain("render: -o FILE is missing: a name that ends in .gif, .mp4 or .png, or a "
                        "folder for frames");
        return LB_CLI_USAGE;
    }
    struct stat there;
    const bool is_folder = stat(c.path, &there) == 0 && S_ISDIR(there.st_mode);
    if (!is_folder && !lb_cli_check_ending(arguments, "output", c.path, ".gif .mp4 .png")) {
        return LB_CLI_USAGE;
    }
    c.kind = find_kind(c.path);
    c.look.dark = lb_cli_get_option(arguments, "dark") != NULL;
    const bool is_pose = lb_cli_is_model(arguments->operands[0]);
    if (is_pose && c.kind != PNG) {
        lb_cli_complain(
            "render: a model without a run does not move: -o FILE.png draws its initial "
            "state; 'limber run' computes the motion");
        return LB_CLI_USAGE;
    }
    c.labelled = !is_pose && lb_cli_get_option(arguments, "no-time") == NULL;
    lb_cli_recording recording;
    if (!read_size(lb_cli_get_option(arguments, "size"), &c) ||
        !lb_cli_get_number(arguments, "fps", 0.1, 100, 25, &c.fps) ||
        !lb_cli_get_number(arguments, "speed", 1e-9, 1e9, 0, &c.speed) ||
        !lb_cli_get_number(arguments, "deformation", 0, 1e6, 1, &deformation) ||
        !lb_cli_get_number(arguments, "from", -1e300, 1e300, NAN, &c.from) ||
        !lb_cli_get_number(arguments, "to", -1e300, 1e300, NAN, &c.to)) {
        return LB_CLI_USAGE;
    }
    // mp4 wants even numbers
    c.width += c.kind == MP4 ? c.width % 2 : 0;
    c.height += c.kind == MP4 ? c.height % 2 : 0;
    if (!(is_pose ? lb_cli_open_pose(arguments, &recording)
                  : lb_cli_open_asked_recording(arguments, &recording))) {
        return LB_CLI_FAILED;
    }
    int status = LB_CLI_FAILED;
    const long last = recording.row_count - 1;
    if (!recording.model) {
        lb_cli_complain("no scene: %s; --model FILE names another model", recording.why);
    } else if (last < 0) {
        lb_cli_complain("%s: no rows are recorded yet", arguments->operands[0]);
    } else {
        c.from = isnan(c.from) ? recording.times[0] : fmax(c.from, recording.times[0]);
        c.to = isnan(c.to) ? recording.times[last] : fmin(c.to, recording.times[last]);
        // about eight seconds to look at unless it is said otherwise
        c.speed = c.speed > 0.0 ? c.speed : fmax((c.to - c.from) / 8.0, 1e-12);
        if (!(c.from <= c.to)) {
            lb_cli_complain("render: there is nothing between --from and --to");
            status = LB_CLI_USAGE;
        } else if (c.kind != PNG && (c.to - c.from) / c.speed * c.fps > FRAMES_MOST) {
            lb_cli_complain(
                "render: --speed %g makes a clip of %.3g s with %.3g frames, expected at "
                "most %d: choose a larger one, or a shorter part by --from and --to",
                c.speed, (c.to - c.from) / c.speed, (c.to - c.from) / c.speed * c.fps, FRAMES_MOST);
            status = LB_CLI_USAGE;
        } else if (render(&recording, arguments->operands[0],
                          lb_cli_get_option(arguments, "meshes"), deformation, &c)) {
            status = LB_CLI_DONE;
        }
    }
    lb_cli_close_recording(&recording);
    return status;
}
