// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Output files: what is refused, what stays as it was, and what becomes of the files of earlier runs.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/output.h"
#include "course.h"
#include "heard.h"
#include "loaded.h"
#include "run_cli.h"

#define PENDULUM                                                                                   \
    "limber: 1\n"                                                                                  \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: rod, hinge: {type: revolute, axis: [0, 1, 0]}, mass: 1, com: [1, 0, 0],\n"         \
    "     inertia: [0.01, 0.1, 0.1, 0, 0, 0]}\n"
#define SHORT PENDULUM "run: {duration: 1, interval: 0.1, integrator: {type: rk4, step: 0.1}}\n"
#define STOP "events: [{name: enough, when: t, crosses: 0.5, then: stop}]\n"

enum { PATH = 512 };

// A path beside the files of the test.
static void make_path(const char *name, char path[PATH])
{
    snprintf(path, PATH, "%s", lb_write_file("any.yaml", PENDULUM));
    snprintf(strrchr(path, '/') + 1, 100, "%s", name);
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *length = fread(text, 1, 1 << 20, in);
    fclose(in);
    return text;
}

static bool has_text(const char *path, const char *text)
{
    size_t length;
    char *found = read_whole(path, &length);
    const bool same = length == strlen(text) && memcmp(found, text, length) == 0;
    free(found);
    return same;
}

// Expects one message that holds a word, and exit status 1.
static void expect_refusal(lb_cli_run run, const char *word)
{
    if (run.status != 1 || !strstr(run.err, word)) {
        fail_msg("expected '%s', status %d: %s", word, run.status, run.err);
    }
    assert_ptr_equal(strchr(run.err, '\n'), run.err + strlen(run.err) - 1);
    lb_end_run(&run);
}

static void run_to_end(const char *model, const char *path)
{
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
}

// ---- what is never overwritten -----------------------------------------------------------------

#ifdef LB_WITH_VIEW
#endif

static void what_is_no_regular_file_is_refused_by_name(void **state)
{
    (void)state;
    const char *model = lb_write_file("m.yaml", SHORT);
    char folder[PATH], fifo[PATH], plug[PATH];
    make_path("folder", folder);
    make_path("fifo", fifo);
    make_path("socket", plug);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(mkfifo(fifo, 0666), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", plug);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    const struct {
        const char *path, *word;
    } cases[] = {{folder, "it is a folder"},
                 {fifo, "it is a named pipe"},
                 {plug, "it is a socket"},
                 {"/dev/null", "it is a device"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct stat before, after;
        assert_int_equal(stat(cases[i].path, &before), 0);
        expect_refusal(lb_run(NULL, "run", model, "-o", cases[i].path), cases[i].word);
        expect_refusal(lb_run(NULL, "convert", model, cases[i].path), cases[i].word);
        expect_refusal(lb_run(NULL, "modes", model, "--trim", "-o", cases[i].path), cases[i].word);
        assert_int_equal(stat(cases[i].path, &after), 0);
        assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
    }
    assert_int_not_equal(access("/dev/null.part", F_OK), 0);
    close(fd);
    unlink(plug);
    unlink(fifo);
    rmdir(folder);
}

// ---- the functions -----------------------------------------------------------------------------

static void dropped_and_refused_outputs_leave_nothing(void **state)
{
    (void)state;
    const char *old = lb_write_file("kept.txt", "old");
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_output *output;
    lb_expect_ok(lb_open_output(old, &report, &output));
    char name[PATH];
    snprintf(name, sizeof name, "%s", lb_get_output_name(output));
    assert_int_equal(write(lb_get_output_descriptor(output), "new", 3), 3);
    lb_drop_output(output, ENOSPC, &report);
    assert_non_null(strstr(heard.entries[0].message, "No space left on device; free some space"));
    assert_true(has_text(old, "old"));
    assert_int_not_equal(access(name, F_OK), 0);

    // not over another file unless that is wanted
    lb_expect_ok(lb_open_output(old, &report, &output));
    assert_int_equal(lb_finish_output(output, false, &report), LB_E_ARGUMENT);
    assert_true(has_text(old, "old"));
    lb_expect_ok(lb_open_output(old, &report, &output));
    assert_int_equal(write(lb_get_output_descriptor(output), "new", 3), 3);
    lb_expect_ok(lb_finish_output(output, true, &report));
    assert_true(has_text(old, "new"));
}

// ---- runs to the same file ---------------------------------------------------------------------

static void second_run_to_a_file_is_refused_while_the_first_lives(void **state)
{
    (void)state;
    char path[PATH], part[PATH + 8];
    make_path("shared.h5", path);
    snprintf(part, sizeof part, "%s.part", path);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    lb_loaded first = lb_begin_loaded(SHORT, NULL), second = lb_begin_loaded(SHORT, NULL);
    lb_expect_ok(lb_start_recording(first.simulation, &request));
    for (int resume = 0; resume < 2; ++resume) {
        request.resume = resume;
        assert_int_equal(lb_start_recording(second.simulation, &request), LB_E_FILE);
        assert_non_null(
            strstr(lb_get_simulation_message(second.simulation), "another run is writing"));
    }
    // readers are welcome
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(part, NULL, &results));
    lb_close_results(results);
    // also in another process
    const char *model = lb_write_file("m.yaml", SHORT);
    expect_refusal(lb_run(NULL, "run", model, "-o", path), "another run is writing");
    // the lock ends with the recording
    lb_end_loaded(&first);
    request.resume = false;
    lb_expect_ok(lb_start_recording(second.simulation, &request));
    lb_end_loaded(&second);
    unlink(part);
}

// Makes PATH.part with all rows of a run, as if it had been killed before its end.
static void leave_part(const char *text, const char *path)
{
    const pid_t child = fork();
    if (child == 0) {
        lb_loaded l = lb_begin_loaded(text, NULL);
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.model_text = text;
        request.model_length = strlen(text);
        lb_set_clock(1.0); // each row goes to the file at once
        lb_status status = lb_start_recording(l.simulation, &request);
        status = status < 0 ? status : lb_start_simulation(l.simulation);
        status = status < 0 ? status : lb_record_simulation(l.simulation);
        for (int i = 1; status == LB_OK && i <= 10; ++i) {
            status = lb_advance_simulation(l.simulation, 0.1 * i);
            const lb_status recorded = lb_record_simulation(l.simulation);
            status = recorded < 0 ? recorded : status;
        }
        _exit(status < 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void rows_of_an_earlier_run_are_kept_aside(void **state)
{
    (void)state;
    char path[PATH], part[PATH + 8], kept[PATH + 16];
    make_path("stale.h5", path);
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(kept, sizeof kept, "%s.1", part);
    leave_part(SHORT, path);
    // a run that fails does not touch them
    const char *bad = lb_write_file("bad.yaml", PENDULUM "run: {duration: -1}\n");
    lb_cli_run run = lb_run(NULL, "run", bad, "-o", path);
    assert_int_not_equal(run.status, 0);
    lb_end_run(&run);
    assert_int_equal(access(part, F_OK), 0);
    // one that does not says where they are
    const char *model = lb_write_file("m.yaml", SHORT);
    run = lb_run(NULL, "run", model, "-o", path, "--quiet");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "is kept as"));
    assert_non_null(strstr(run.err, "stale.h5.part.1"));
    lb_end_run(&run);
    lb_results *results = NULL;
    lb_expect_ok(lb_open_results(kept, NULL, &results));
    assert_int_equal(lb_get_results_info(results)->row_count, 11);
    lb_close_results(results);
    unlink(kept);
    unlink(path);
}

static void run_killed_between_its_last_row_and_its_end_is_ended(void **state)
{
    (void)state;
    static const char *const texts[] = {SHORT, SHORT STOP};
    for (int i = 0; i < 2; ++i) {
        char path[PATH], part[PATH + 8], whole[PATH];
        make_path("ended.h5", path);
        make_path("whole.h5", whole);
        snprintf(part, sizeof part, "%s.part", path);
        const char *model = lb_write_file("m.yaml", texts[i]);
        run_to_end(model, whole);
        leave_part(texts[i], path);
        lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--resume", "--quiet");
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
        assert_int_not_equal(access(part, F_OK), 0);
        lb_results *results = NULL;
        lb_expect_ok(lb_open_results(path, NULL, &results));
        assert_int_equal(lb_get_results_info(results)->ending, 1 + i);
        assert_int_equal(lb_get_results_info(results)->row_count, i ? 6 : 11);
        lb_close_results(results);
        run = lb_run(NULL, "results", path, "--compare", whole, "--tolerance", "0");
        assert_int_equal(run.status, 0);
        lb_end_run(&run);
        unlink(path);
        unlink(whole);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
#ifdef LB_WITH_VIEW
#endif
        cmocka_unit_test(what_is_no_regular_file_is_refused_by_name),
        cmocka_unit_test(dropped_and_refused_outputs_leave_nothing),
        cmocka_unit_test(second_run_to_a_file_is_refused_while_the_first_lives),
        cmocka_unit_test(rows_of_an_earlier_run_are_kept_aside),
        cmocka_unit_test(run_killed_between_its_last_row_and_its_end_is_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
