// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber render: clips and pictures of a recorded run. The GIF is decoded here by a decoder of its
// own, so that what the encoder writes is what a reader sees.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

static unsigned char *read_back(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = calloc(*length + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    fclose(file);
    return bytes;
}

// ---- a decoder of GIF ----------------------------------------------------------------------------

typedef struct movie {
    int width, height, frames;
    unsigned char *screen;        // indices
    const unsigned char *palette; // of 256 entries
    int changed[400];             // pixels that each frame changed
} movie;

static int get16(const unsigned char *b)
{
    return b[0] | b[1] << 8;
}

// Codes of 9 to 12 bits; returns how many pixels came out.
static size_t expand(const unsigned char *data, size_t size, unsigned char *out, size_t room)
{
    static uint16_t prefix[4096];
    static unsigned char last[4096], stack[4096];
    int width = 9, next = 258, before = -1;
    uint32_t hold = 0;
    int held = 0;
    size_t made = 0;
    for (size_t i = 0; i < size;) {
        while (held < width && i < size) {
            hold |= (uint32_t)data[i++] << held;
            held += 8;
        }
        if (held < width) {
            break;
        }
        const int code = (int)(hold & ((1u << width) - 1));
        hold >>= width;
        held -= width;
        if (code == 256) {
            width = 9;
            next = 258;
            before = -1;
            continue;
        }
        if (code == 257) {
            return made;
        }
        assert_true(code <= next);
        int depth = 0, at = code == next ? before : code;
        assert_true(at >= 0);
        while (at >= 258) {
            stack[depth++] = last[at];
            at = prefix[at];
        }
        stack[depth++] = (unsigned char)at;
        const unsigned char first = (unsigned char)at;
        while (depth > 0 && made < room) {
            out[made++] = stack[--depth];
        }
        if (code == next && made < room) {
            out[made++] = first;
        }
        if (before >= 0 && next < 4096) {
            prefix[next] = (uint16_t)before;
            last[next] = first;
            ++next;
            if (next == 1 << width && width < 12) {
                ++width;
            }
        }
        before = code;
    }
    return made;
}

static movie decode(const unsigned char *b, size_t length)
{
    movie m = {.width = get16(b + 6), .height = get16(b + 8), .palette = b + 13};
    assert_memory_equal(b, "GIF89a", 6);
    assert_int_equal(b[10], 0xf7);
    const size_t size = (size_t)(m.width * m.height);
    m.screen = calloc(size, 1);
    unsigned char *data = malloc(length), *part = malloc(size);
    assert_true(m.screen && data && part);
    const unsigned char *at = b + 13 + 768;
    int clear = -1;
    while (*at != 0x3b) {
        if (*at == 0x21) {
            clear = at[1] == 0xf9 && (at[3] & 1) ? at[6] : clear;
            at += 2;
            while (*at) {
                at += *at + 1;
            }
            ++at;
            continue;
        }
        assert_int_equal(*at, 0x2c);
        const int x0 = get16(at + 1), y0 = get16(at + 3), w = get16(at + 5), h = get16(at + 7);
        assert_int_equal(at[10], 8);
        at += 11;
        size_t used = 0;
        while (*at) {
            memcpy(data + used, at + 1, *at);
            used += *at;
            at += *at + 1;
        }
        ++at;
        assert_int_equal(expand(data, used, part, size), (size_t)(w * h));
        for (int i = 0; i < w * h; ++i) {
            unsigned char *pixel = &m.screen[(y0 + i / w) * m.width + x0 + i % w];
            if (part[i] != clear) {
                m.changed[m.frames] += *pixel != part[i];
                *pixel = part[i];
            }
        }
        ++m.frames;
        assert_true(m.frames < 400);
    }
    assert_int_equal(at - b, (long)length - 1);
    free(data);
    free(part);
    return m;
}

// ---- cases ---------------------------------------------------------------------------------------

static void gif_moves(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s.gif", lb_get_swing());
    const char *const words[] = {"render", lb_get_swing(), "--output", path, "--size", "120x80",
                                 "--fps",  "10",           "--speed",  "1",  NULL};
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    size_t length;
    unsigned char *bytes = read_back(path, &length);
    remove(path);
    movie m = decode(bytes, length);
    assert_int_equal(m.width, 120);
    assert_int_equal(m.height, 80);
    // two seconds at ten frames each, and the first
    assert_int_equal(m.frames, 21);
    for (int i = 1; i < m.frames; ++i) {
        assert_true(m.changed[i] > 20);
    }
    // the corner is background
    const unsigned char *corner = m.palette + 3 * m.screen[119];
    assert_true(corner[0] > 230 && corner[1] > 230 && corner[2] > 230);
    free(m.screen);
    free(bytes);
}

// Nothing moves: every frame has a pixel all the same. One moment is one frame.
static void gif_of_rest_is_dark_and_still(void **state)
{
    (void)state;
    const char *still = lb_record_run(
        "still.yaml", "limber: 1\n"
                      "bodies: [{name: a, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1,\n"
                      "          com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
                      "run: {duration: 1, interval: 0.5}\n");
    char path[600];
    snprintf(path, sizeof path, "%s.gif", still);
    for (int i = 0; i < 2; ++i) {
        lb_cli_run run = lb_run(NULL, "render", still, "--output", path, "--size=64x40", "--fps=2",
                                "--speed=1", "--dark", "--no-time", i ? "--from=1" : "--from=0");
        assert_string_equal(run.err, "");
        lb_end_run(&run);
        size_t length;
        unsigned char *bytes = read_back(path, &length);
        remove(path);
        movie m = decode(bytes, length);
        assert_int_equal(m.frames, i ? 1 : 3);
        assert_true(i == 1 || (m.changed[1] == 0 && m.changed[2] == 0));
        const unsigned char *corner = m.palette + 3 * m.screen[63];
        assert_true(corner[0] < 80 && corner[1] < 80 && corner[2] < 80);
        free(m.screen);
        free(bytes);
    }
}

// The pendulum hangs to the one side at t = 0 and to the other half a period later: about 1.5 s.
static void picture_shows_the_moment(void **state)
{
    (void)state;
    char path[600];
    size_t lengths[2];
    unsigned char *bytes[2];
    snprintf(path, sizeof path, "%s.png", lb_get_swing());
    for (int i = 0; i < 2; ++i) {
        lb_cli_run run = lb_run(NULL, "render", lb_get_swing(), "--output", path, "--to",
                                i ? "1.5" : "0", "--no-time");
        assert_string_equal(run.err, "");
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
        bytes[i] = read_back(path, &lengths[i]);
        remove(path);
        assert_memory_equal(bytes[i], "\x89PNG\r\n\x1a\n", 8);
        assert_int_equal(bytes[i][18] << 8 | bytes[i][19], 640);
    }
    assert_true(lengths[0] != lengths[1] || memcmp(bytes[0], bytes[1], lengths[0]) != 0);
    free(bytes[0]);
    free(bytes[1]);
}

static void frames_fill_a_folder(void **state)
{
    (void)state;
    char folder[560], path[600];
    snprintf(folder, sizeof folder, "%s-frames", lb_get_swing());
    const char *const words[] = {"render", lb_get_swing(), "--output", folder,    "--size",
                                 "64x48",  "--fps",        "2",        "--speed", "1",
                                 NULL};
    lb_cli_run run = lb_run_cli(NULL, words);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    for (int i = 0; i < 6; ++i) {
        snprintf(path, sizeof path, "%s/%05d.png", folder, i);
        assert_int_equal(access(path, R_OK) == 0, i < 5);
        remove(path);
    }
    rmdir(folder);
}

// A folder where a frame should be: those before it stay only in a folder that was there.
static void a_frame_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    char folder[560], path[600];
    snprintf(folder, sizeof folder, "%s-blocked", lb_get_swing());
    snprintf(path, sizeof path, "%s/00000.png", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    lb_cli_run run = lb_run(NULL, "render", lb_get_swing(), "--output", folder, "--size=64x48",
                            "--fps=2", "--speed=1");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "00000.png: it is a folder"));
    lb_end_run(&run);
    rmdir(path);
    rmdir(folder);
}

// Another model whose `view` has mistakes: they are reported, and the scene does without.
static void mistakes_in_view_are_left_aside(void **state)
{
    (void)state;
    const char *model = lb_write_file(
        "look.yaml", "limber: 1\n"
                     "bodies: [{name: bob, mass: 1, hinge: {type: revolute, axis: [0, 1, 0]}}]\n"
                     "view: {shapes: [{body: bob, box: [1, 1, 1], colour: \"#zz0000\"}],\n"
                     "       traces: [bob/none, 3]}\n");
    char path[600];
    snprintf(path, sizeof path, "%s.png", model);
    lb_cli_run run =
        lb_run(NULL, "render", lb_get_swing(), "--model", model, "--output", path, "--size=64x48");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "expected a colour such as"));
    assert_non_null(strstr(run.err, "there is no node \"bob/none\""));
    assert_non_null(strstr(run.err, "expected a node such as hand/tip"));
    assert_non_null(strstr(run.err, "the model's `view` has errors and is left aside"));
    lb_end_run(&run);
    remove(path);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *words[4], *says;
        int status;
    } cases[] = {
        {{NULL}, "-o FILE is missing", 2},
        {{"--output", "a.gif", "--size", "9"}, "such as 640x400", 2},
        {{"--output", "a.gif", "--from", "3"}, "nothing between", 2},
        {{"--output", "/nowhere/a.gif"}, "cannot write /nowhere/a.gif", 1},
        {{"--output", "/nowhere/a.png"}, "cannot write /nowhere/a.png", 1},
        {{"--output", "/nowhere/frames"}, "cannot make the folder", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *words[7] = {"render", lb_get_swing()};
        memcpy(words + 2, cases[i].words, sizeof cases[i].words);
        lb_cli_run run = lb_run_cli(NULL, words);
        if (run.status != cases[i].status || !strstr(run.err, cases[i].says)) {
            fail_msg("%d: '%s' does not say '%s'", run.status, run.err, cases[i].says);
        }
        lb_end_run(&run);
    }
}

// Where there is no ffmpeg the message says what else there is.
static void mp4_needs_ffmpeg(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s.mp4", lb_get_swing());
    lb_cli_run run = lb_run(NULL, "render", lb_get_swing(), "--output", path, "--size", "64x48");
    if (run.status == 0) {
        size_t length;
        unsigned char *bytes = read_back(path, &length);
        assert_memory_equal(bytes + 4, "ftyp", 4);
        free(bytes);
    } else {
        assert_non_null(strstr(run.err, "a .gif or a folder of frames does without it"));
    }
    remove(path);
    lb_end_run(&run);
}

static void clips_of_years_are_refused_with_numbers(void **state)
{
    (void)state;
    lb_cli_run run =
        lb_run(NULL, "render", lb_get_swing(), "--speed", "1e-9", "--output", "never.gif");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "--speed 1e-09 makes a clip of"));
    lb_end_run(&run);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_of_years_are_refused_with_numbers),
        cmocka_unit_test(gif_moves),
        cmocka_unit_test(gif_of_rest_is_dark_and_still),
        cmocka_unit_test(a_frame_that_cannot_be_written_is_named),
        cmocka_unit_test(mistakes_in_view_are_left_aside),
        cmocka_unit_test(picture_shows_the_moment),
        cmocka_unit_test(frames_fill_a_folder),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(mp4_needs_ffmpeg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
