// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command does on a terminal and leaves out elsewhere: colours, progress, plots as wide as the screen.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "limber/simulate.h"
#include "run_cli.h"
#include "scratch.h"
#include "solids.h"

// What the test does once, when the command has shown a text; without a text when it has started.
static struct {
    const char *at;
    void (*act)(pid_t child);
} cue;

static void take_cue(const char *text, pid_t child)
{
    if (cue.act && (!cue.at || strstr(text, cue.at))) {
        cue.act(child);
        cue.act = NULL;
    }
}

// Runs limber with both streams on a terminal of 100 columns; returns what it showed, to be freed.
static char *show(int *status, const char *const *words)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const struct winsize size = {.ws_row = 40, .ws_col = 100};
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
    char name[100];
    snprintf(name, sizeof name, "%s", ptsname(terminal));
    const pid_t child = fork();
    if (child == 0) {
        const int end = open(name, O_RDWR | O_NOCTTY);
        dup2(end, STDOUT_FILENO);
        dup2(end, STDERR_FILENO);
        close(end);
        char *argv[16] = {(char *)(uintptr_t) "limber"};
        for (int i = 0; words[i]; ++i) {
            argv[i + 1] = (char *)(uintptr_t)words[i];
        }
        execv(lb_find_built("limber"), argv);
        _exit(127);
    }
    enum { ROOM = 1 << 20 };
    char *text = calloc(ROOM + 1, 1);
    assert_non_null(text);
    size_t used = 0;
    take_cue(text, child);
    // the end of a terminal that nobody has open any more is an error of its own
    for (ssize_t got;
         used < ROOM && ((got = read(terminal, text + used, ROOM - used)) > 0 || used == 0);) {
        used += got > 0 ? (size_t)got : 0;
        take_cue(text, child);
        if (got <= 0 && waitpid(child, status, WNOHANG) == child) {
            break;
        }
    }
    close(terminal);
    waitpid(child, status, 0);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return text;
}

#define SHOW(status, ...) show(status, (const char *const[]){__VA_ARGS__, NULL})

static const char *write_swing(void)
{
    return lb_write_file(
        "swing.yaml",
        "limber: 1\n"
        "name: swing\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: bob, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [0, 0, "
        "-2]}]\n"
        "initial: {bob: {angle: 1}}\n"
        "run: {duration: 1, interval: 0.01, integrator: {type: rk4, step: 1.0e-3}}\n");
}

static void colours_are_shown_unless_they_are_unwanted(void **state)
{
    (void)state;
    static const struct {
        const char *term, *no_color;
        bool coloured;
    } cases[] = {{"xterm", NULL, true},
                 {"xterm", "", true},
                 {"xterm", "1", false},
                 {"dumb", NULL, false},
                 {NULL, NULL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cases[i].term ? setenv("TERM", cases[i].term, 1) : unsetenv("TERM");
        cases[i].no_color ? setenv("NO_COLOR", cases[i].no_color, 1) : unsetenv("NO_COLOR");
        int status = -1;
        char *text = SHOW(&status, "info", write_swing());
        assert_int_equal(status, 0);
        assert_non_null(strstr(text, "swing"));
        if ((strchr(text, '\033') != NULL) != cases[i].coloured) {
            fail_msg("case %zu: %s", i, text);
        }
        free(text);
        text = SHOW(&status, "check", "/nonexistent.yaml");
        assert_int_equal(status, 1);
        assert_int_equal(strchr(text, '\033') != NULL, cases[i].coloured);
        free(text);
    }
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
}

// A run that takes longer than a glance says how far it is, and wipes that away at its end; --quiet does not. The
// clock is the test's: each step takes a while, or no time at all.
static void long_runs_show_how_far_they_are(void **state)
{
    (void)state;
    char result[600];
    const char *model = write_swing();
    snprintf(result, sizeof result, "%s.h5", model);
    int status = -1;
    setenv("LIMBER_CLOCK", "0", 1);
    char *text = SHOW(&status, "run", model, "--output", result);
    assert_int_equal(status, 0);
    assert_null(strstr(text, " s left"));
    free(text);
    setenv("LIMBER_CLOCK", "0.3", 1);
    text = SHOW(&status, "run", model, "--output", result);
    assert_int_equal(status, 0);
    const char *shown = strstr(text, " of 1 s, ");
    assert_non_null(shown);
    assert_non_null(strstr(shown, " s left"));
    const char *wiped = strstr(shown, "\r          ");
    assert_non_null(wiped);
    assert_non_null(strstr(wiped, "energy balance"));
    free(text);
    text = SHOW(&status, "run", model, "--output", result, "--quiet");
    assert_int_equal(status, 0);
    assert_string_equal(text, "");
    free(text);
    unsetenv("LIMBER_CLOCK");
#ifdef LB_WITH_VIEW
    text = SHOW(&status, "plot", result, "bob.angle");
    assert_int_equal(status, 0);
    // lines are as wide as the screen, and not wider
    int widest = 0, wide = 0;
    for (const char *c = text; *c; ++c) {
        const bool ends = *c == '\r' || *c == '\n', escapes = *c == '\033';
        if (escapes) {
            c = strchr(c, 'm');
        } else {
            wide = ends ? 0 : wide + (((unsigned char)*c & 0xc0) != 0x80);
        }
        widest = wide > widest ? wide : widest;
    }
    assert_true(widest > 90 && widest <= 100);
    free(text);
#endif
    remove(result);
}

// Ctrl-C while the command reads a pipe, to which the end of the file is written then.
static void interrupt_and_write(pid_t child)
{
    char text[4096];
    FILE *from = fopen("solid.inp", "r"), *to = fopen("pipe.inp", "w"); // waits for the reader
    assert_true(from && to);
    kill(child, SIGINT);
    for (size_t got; (got = fread(text, 1, sizeof text, from)) > 0;) {
        assert_int_equal(fwrite(text, 1, got, to), got);
    }
    fclose(from);
    assert_int_equal(fclose(to), 0);
}

// So does an import; and Ctrl-C ends it without a file.
static void imports_show_how_far_they_are_and_can_be_ended(void **state)
{
    (void)state;
    const lb_solid_options solid = {.cells = {8, 4, 4}, .size = {160, 80, 80}};
    int rows, last, status = -1;
    assert_true(lb_enter_scratch_folder());
    assert_true(lb_write_solid(&solid, ".", "solid", &rows, &last));
    assert_int_equal(mkfifo("pipe.inp", 0600), 0);
    setenv("LIMBER_CLOCK", "1e-4", 1); // it is patient, but not for ever
    cue.at = NULL;
    cue.act = interrupt_and_write;
    char *text = SHOW(&status, "import", "solid.sti", "solid.mas", "solid.dof", "pipe.inp",
                      "--nodes", "1", "-o", "solid.flex");
    assert_int_equal(status, 1);
    unsetenv("LIMBER_CLOCK");
    assert_non_null(strstr(text, "\rfiles  75 %"));
    assert_null(strstr(text, "\rfactors"));
    assert_non_null(strstr(text, "interrupted; nothing was written"));
    assert_int_not_equal(access("solid.flex", F_OK), 0);
    free(text);
    text = SHOW(&status, "import", "solid.sti", "solid.mas", "solid.dof", "solid.inp", "--nodes",
                "1", "-o", "solid.flex");
    assert_int_equal(status, 0);
    const char *shown = strstr(text, "\rfactors   0 %");
    assert_non_null(shown);
    shown = strstr(shown, "\rmodes ");
    assert_non_null(shown);
    assert_non_null(strstr(shown, "\r          "));
    assert_int_equal(access("solid.flex", F_OK), 0);
    free(text);
}

static bool shows_the_time;

// A model that comes through a pipe, when the command waits for it. It shows the time if it asked for an alarm.
static void write_model(pid_t child)
{
    char path[64], line[256];
    unsigned long long caught = 0;
    FILE *out = fopen("pipe.yaml", "w"); // waits for the reader
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *about = fopen(path, "r");
    assert_true(out && about);
    while (fgets(line, sizeof line, about) && sscanf(line, "SigCgt: %llx", &caught) != 1) {
    }
    fclose(about);
    shows_the_time = caught >> (SIGALRM - 1) & 1;
    fputs("limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: free}}]\n", out);
    assert_int_equal(fclose(out), 0);
}

static void long_work_without_a_known_end_shows_the_time(void **state)
{
    (void)state;
    static const char wait[] = "\r\033[Kloading: 1 s";
    int status = -1;
    assert_true(lb_enter_scratch_folder());
    remove("pipe.yaml");
    assert_int_equal(mkfifo("pipe.yaml", 0600), 0);
    setenv("LIMBER_CLOCK", "1e-4", 1);
    for (int i = 0; i < 2; ++i) {
        cue.at = i == 0 ? wait : NULL;
        cue.act = write_model;
        char *text = i == 0 ? SHOW(&status, "trim", "pipe.yaml")
                            : SHOW(&status, "trim", "pipe.yaml", "--quiet");
        assert_int_equal(status, 0);
        const char *wiped = strstr(text, "\033[K#");
        assert_int_equal(shows_the_time, i == 0);
        assert_int_equal(strstr(text, wait) != NULL, i == 0);
        assert_int_equal(wiped != NULL, i == 0);
        assert_non_null(strstr(text, "# equilibrium"));
        free(text);
    }
    unsetenv("LIMBER_CLOCK");
    remove("pipe.yaml");
}

#ifdef LB_WITH_VIEW
static void long_clips_show_how_far_they_are(void **state)
{
    (void)state;
    int status = -1;
    assert_true(lb_enter_scratch_folder());
    const char *model = write_swing();
    char *text = SHOW(&status, "run", model, "--output", "swing.h5", "--quiet");
    assert_int_equal(status, 0);
    free(text);
    setenv("LIMBER_CLOCK", "0.3", 1);
    text = SHOW(&status, "render", "swing.h5", "-o", "swing.gif", "--size", "80x50");
    assert_int_equal(status, 0);
    const char *shown = strstr(text, "\r\033[Kframes: ");
    assert_non_null(shown);
    assert_non_null(strstr(shown, " s left"));
    assert_non_null(strstr(shown, "\r\033[Kwrote swing.gif"));
    free(text);
    text = SHOW(&status, "render", "swing.h5", "-o", "swing.png", "--quiet");
    assert_int_equal(status, 0);
    assert_string_equal(text, "");
    free(text);
    unsetenv("LIMBER_CLOCK");
    remove("swing.h5");
    remove("swing.gif");
    remove("swing.png");
}
#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_shown_unless_they_are_unwanted),
        cmocka_unit_test(long_runs_show_how_far_they_are),
        cmocka_unit_test(imports_show_how_far_they_are_and_can_be_ended),
        cmocka_unit_test(long_work_without_a_known_end_shows_the_time),
#ifdef LB_WITH_VIEW
        cmocka_unit_test(long_clips_show_how_far_they_are),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
