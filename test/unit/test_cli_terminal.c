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

// Text at which Ctrl-C is pressed, once; NULL for never.
static const char *interrupt_at;

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
        execv(LB_CLI, argv);
        _exit(127);
    }
    enum { ROOM = 1 << 20 };
    char *text = calloc(ROOM + 1, 1);
    assert_non_null(text);
    size_t used = 0;
    // the end of a terminal that nobody has open any more is an error of its own
    for (ssize_t got;
         used < ROOM && ((got = read(terminal, text + used, ROOM - used)) > 0 || used == 0);) {
        used += got > 0 ? (size_t)got : 0;
        if (interrupt_at && strstr(text, interrupt_at)) {
            kill(child, SIGINT);
            interrupt_at = NULL;
        }
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
        "run: {duration: 1, interval: 0.01, integrator: {type: rk4, step: 1.0e-4}}\n");
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

// A run that takes longer than a glance says how far it is, and wipes that away at its end; --quiet does not.
static void long_runs_show_how_far_they_are(void **state)
{
    (void)state;
    char result[600];
    const char *model = write_swing();
    snprintf(result, sizeof result, "%s.h5", model);
    int status = -1;
    char *text = SHOW(&status, "run", model, "--output", result, "--duration", "40");
    assert_int_equal(status, 0);
    const char *shown = strstr(text, " of 40 s, ");
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

// So does an import; and Ctrl-C ends it without a file.
static void imports_show_how_far_they_are_and_can_be_ended(void **state)
{
    (void)state;
    const lb_solid_options solid = {.cells = {8, 4, 4}, .size = {160, 80, 80}};
    int rows, last, status = -1;
    assert_true(lb_enter_scratch_folder());
    assert_true(lb_write_solid(&solid, ".", "solid", &rows, &last));
    interrupt_at = "factors";
    char *text = SHOW(&status, "import", "solid.sti", "solid.mas", "solid.dof", "solid.inp",
                      "--nodes", "1", "-o", "solid.flex");
    assert_int_equal(status, 1);
    assert_non_null(strstr(text, "\rfactors   0 %"));
    assert_non_null(strstr(text, "interrupted; nothing was written"));
    assert_int_not_equal(access("solid.flex", F_OK), 0);
    free(text);
    text = SHOW(&status, "import", "solid.sti", "solid.mas", "solid.dof", "solid.inp", "--nodes",
                "1", "-o", "solid.flex");
    assert_int_equal(status, 0);
    const char *shown = strstr(text, "\rmodes ");
    assert_non_null(shown);
    assert_non_null(strstr(shown, "\r          "));
    assert_int_equal(access("solid.flex", F_OK), 0);
    free(text);
}

// A model that takes its time: it comes through a pipe, a while after the command asks for it.
static void long_work_without_a_known_end_shows_the_time(void **state)
{
    (void)state;
    int status = -1;
    assert_true(lb_enter_scratch_folder());
    remove("pipe.yaml");
    assert_int_equal(mkfifo("pipe.yaml", 0600), 0);
    const char *const words[][3] = {{"trim", "pipe.yaml", NULL}, {"trim", "pipe.yaml", "--quiet"}};
    for (int i = 0; i < 2; ++i) {
        const pid_t writer = fork();
        if (writer == 0) {
            // opening waits for the reader
            FILE *out = fopen("pipe.yaml", "w");
            sleep(2);
            fputs("limber: 1\nbodies: [{name: a, mass: 1, hinge: {type: free}}]\n", out);
            fclose(out);
            _exit(0);
        }
        char *text =
            show(&status, (const char *const[]){words[i][0], words[i][1], words[i][2], NULL});
        assert_int_equal(status, 0);
        const char *shown = strstr(text, "\r\033[Kloading: 1 s"), *wiped = strstr(text, "\033[K#");
        assert_int_equal(shown != NULL, i == 0);
        assert_int_equal(wiped != NULL, i == 0);
        assert_non_null(strstr(text, "# equilibrium"));
        waitpid(writer, NULL, 0);
        free(text);
    }
    remove("pipe.yaml");
}

#ifdef LB_WITH_VIEW
static void long_clips_show_how_far_they_are(void **state)
{
    (void)state;
    int status = -1;
    assert_true(lb_enter_scratch_folder());
    const char *model = write_swing();
    char *text = SHOW(&status, "run", model, "--output", "swing.h5", "--quiet", "--duration", "8");
    assert_int_equal(status, 0);
    free(text);
    text = SHOW(&status, "render", "swing.h5", "-o", "swing.gif", "--size", "800x500");
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
