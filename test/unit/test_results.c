// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of results: what is written is read, whatever happens to the writer.
#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "course.h"
#include "heard.h"
#include "run_cli.h"
#include "simulate/store/record_file.h"
#include "watched_run.h"

// A spherical pendulum with a stop that never comes; many small rows.
static const char model_text[] =
    "limber: 1\n"
    "name: swing\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: bob, hinge: {type: spherical}, mass: 1, com: [0.3, 0, -1], inertia: [0.1, 0.1, "
    "0.2, 0,\n"
    "     0, 0], nodes: {tip: {position: [0, 0, -1.2]}}}\n"
    "forces:\n"
    "  - {name: drag, type: damper, hinge: bob.0, damping: 0.01}\n"
    "events:\n"
    "  - {name: half, when: t, crosses: 1.5, then: {disable: drag}}\n"
    "initial: {bob: {angular_velocity: [0.3, 2, 0.5]}}\n"
    "run: {duration: 3, interval: 0.01, integrator: {type: rk4, step: 0.005}}\n"
    "outputs: [bob/tip, bob/tip.velocity.z, reactions]\n";

static char *make_path(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", lb_write_file("model.yaml", model_text));
    snprintf(strrchr(path, '/') + 1, 64, "%s", name);
    return path;
}

static lb_status run_to(const char *path, double duration, bool resume, lb_audit *audit)
{
    lb_course course = lb_begin_course(model_text);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.duration = duration;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    lb_run_request request = lb_default_run_request();
    request.path = path;
    request.model_text = model_text;
    request.model_length = strlen(model_text);
    request.resume = resume;
    const lb_status status = lb_run_simulation(course.simulation, &request, audit);
    if (status < 0) {
        print_message("%s\n", lb_get_simulation_message(course.simulation));
    }
    lb_end_course(&course);
    return status;
}

static lb_results *open_results(const char *path)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    lb_results *results = NULL;
    if (lb_open_results(path, &report, &results) < 0) {
        fail_msg("%s", heard.entries[0].message);
    }
    return results;
}

// Every counted row of a file is, bit by bit, a row of the other.
static void expect_same_rows(const lb_results *a, const lb_results *b)
{
    const lb_results_info *a_info = lb_get_results_info(a);
    const lb_results_info *b_info = lb_get_results_info(b);
    double x[64], y[64];
    assert_true(a_info->row_count <= b_info->row_count);
    assert_int_equal(a_info->table_count, b_info->table_count);
    for (int i = 0; i < a_info->table_count; ++i) {
        const int columns = a_info->tables[i].column_count;
        assert_true(columns <= 64);
        for (long row = 0; row < a_info->row_count; ++row) {
            lb_expect_ok(lb_read_table(a, i, row, 1, x));
            lb_expect_ok(lb_read_table(b, i, row, 1, y));
            assert_memory_equal(x, y, (size_t)columns * sizeof *x);
        }
    }
}

static void hash_is_sha256(void **state)
{
    (void)state;
    // FIPS 180-4 examples, and lengths about a block's
    char hash[65], text[121];
    lb_compute_sha256("abc", 3, hash);
    assert_string_equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    lb_compute_sha256("", 0, hash);
    assert_string_equal(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    lb_compute_sha256(two, strlen(two), hash);
    assert_string_equal(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(text, 'a', sizeof text);
    lb_compute_sha256(text, 64, hash);
    assert_string_equal(hash, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
    // in pieces of any length
    for (size_t length = 0; length < sizeof text; ++length) {
        for (size_t first = 0; first <= length; first += 7) {
            lb_sha256 pieces;
            char digits[65];
            lb_start_sha256(&pieces);
            lb_add_sha256(&pieces, text, first);
            lb_add_sha256(&pieces, text + first, length - first);
            lb_finish_sha256(&pieces, digits);
            lb_compute_sha256(text, length, hash);
            assert_string_equal(digits, hash);
        }
    }
}

static void checksum_is_crc32(void **state)
{
    (void)state;
    // the value that every description of CRC-32 gives, and crc32(b"123456789", 7) of Python's zlib
    static const unsigned char bytes[] = "123456789";
    assert_int_equal(lb_compute_row_checksum(0, bytes, 9), 0xcbf43926);
    assert_int_equal(lb_compute_row_checksum(7, bytes, 9), 0xaf9554ef);
    // a hole in a file is no row
    const double nothing[3] = {0};
    assert_int_not_equal(lb_compute_row_checksum(0, nothing, sizeof nothing), 0);
}

// A file of an earlier version, and the rows that its model gives now.
static void files_that_the_library_of_hdf5_wrote_are_read(void **state)
{
    (void)state;
    char model[512], path[512];
    lb_results *kept = open_results(lb_find_source("test/data/kept_results/hdf5_library.h5"));
    snprintf(model, sizeof model, "%s",
             lb_write_file("kept.yaml", lb_get_results_info(kept)->model));
    snprintf(path, sizeof path, "%s", make_path("kept.h5"));
    lb_cli_run run = lb_run(NULL, "run", model, "-o", path, "--quiet");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    lb_results *now = open_results(path);
    double x[7 * 64], y[7 * 64];
    assert_int_equal(lb_get_results_info(kept)->row_count, 7);
    assert_int_equal(lb_get_results_info(now)->row_count, 7);
    assert_int_equal(lb_get_results_info(kept)->event_count, 1);
    assert_int_equal(lb_get_results_info(kept)->table_count, lb_get_results_info(now)->table_count);
    for (int i = 0; i < lb_get_results_info(kept)->table_count; ++i) {
        const int columns = lb_get_results_info(kept)->tables[i].column_count;
        assert_int_equal(columns, lb_get_results_info(now)->tables[i].column_count);
        assert_true(columns <= 64);
        lb_expect_ok(lb_read_table(kept, i, 0, 7, x));
        lb_expect_ok(lb_read_table(now, i, 0, 7, y));
        for (int k = 0; k < 7 * columns; ++k) {
            // 60 steps, and functions of another C library
            assert_true(fabs(x[k] - y[k]) <= 1e-11 * fmax(1.0, fabs(x[k])));
        }
    }
    lb_close_results(now);
    lb_close_results(kept);
    remove(path);
}

// The library of HDF5 sees the same numbers as our reader, and a checksum for each row.
static void hdf5_reads_the_same_rows(void **state)
{
    (void)state;
    const char *path = make_path("both.h5");
    lb_expect_ok(run_to(path, 1.0, false, NULL));
    lb_results *results = open_results(path);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const long rows = lb_get_results_info(results)->row_count;
    assert_true(file >= 0 && rows == 101);
    for (int i = 0; i < lb_get_results_info(results)->table_count; ++i) {
        static double ours[101 * 64], theirs[101 * 64];
        uint32_t checksums[101];
        char name[64];
        const int columns = lb_get_results_info(results)->tables[i].column_count;
        assert_true(columns <= 64);
        lb_expect_ok(lb_read_table(results, i, 0, rows, ours));
        hid_t set = H5Dopen2(file, lb_get_results_info(results)->tables[i].name, H5P_DEFAULT);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, theirs) >= 0);
        H5Dclose(set);
        assert_memory_equal(ours, theirs, (size_t)(rows * columns) * sizeof *ours);
        snprintf(name, sizeof name, "checksums/%s", lb_get_results_info(results)->tables[i].name);
        set = H5Dopen2(file, name, H5P_DEFAULT);
        assert_true(H5Dread(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, checksums) >= 0);
        H5Dclose(set);
        for (long row = 0; row < rows; ++row) {
            assert_int_equal(checksums[row],
                             lb_compute_row_checksum(row, theirs + row * columns,
                                                     (size_t)columns * sizeof *theirs));
        }
    }
    H5Fclose(file);
    lb_close_results(results);
    unlink(path);
}

// Files of any bytes, read by us and by the library of HDF5; what cannot be kept is refused before anything is written.
static void files_are_kept(void **state)
{
    (void)state;
    char path[512], long_name[400];
    snprintf(path, sizeof path, "%s", make_path("kept_files.h5"));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    unsigned char bytes[1000];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (unsigned char)(i * 37);
    }
    const lb_kept_file good[] = {{"parts/a.flex", bytes, sizeof bytes}, {"empty", NULL, 0}},
                       nameless = {NULL, bytes, 1}, longer = {long_name, bytes, 1},
                       hollow = {"hollow", NULL, 1};
    const struct {
        const lb_kept_file *files;
        int count;
        lb_status status;
    } cases[] = {{good, LB_KEPT_FILE_MAX + 1, LB_E_ARGUMENT},
                 {good, -1, LB_E_ARGUMENT},
                 {&nameless, 1, LB_E_ARGUMENT},
                 {&longer, 1, LB_E_ARGUMENT},
                 {&hollow, 1, LB_E_ARGUMENT},
                 {NULL, 3, LB_OK},
                 {good, 2, LB_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        lb_course course = lb_begin_course(model_text);
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.files = cases[i].files;
        request.file_count = cases[i].count;
        remove(path);
        assert_int_equal(lb_run_simulation(course.simulation, &request, NULL), cases[i].status);
        assert_int_equal(access(path, F_OK) == 0, cases[i].status == LB_OK);
        lb_end_course(&course);
    }
    lb_results *results = open_results(path);
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(lb_get_results_info(results)->file_count, 2);
    assert_string_equal(lb_get_results_info(results)->files[0], "parts/a.flex");
    lb_expect_ok(lb_read_results_file(results, 0, &data, &size));
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(data, bytes, size);
    free(data);
    lb_expect_ok(lb_read_results_file(results, 1, &data, &size));
    assert_int_equal(size, 0);
    free(data);
    assert_int_equal(lb_read_results_file(results, -1, &data, &size), LB_E_ARGUMENT);
    assert_null(data);
    lb_close_results(results);

    unsigned char theirs[sizeof bytes] = {0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "files/0", H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, theirs) >= 0);
    assert_memory_equal(theirs, bytes, sizeof bytes);
    H5Dclose(set);
    H5Fclose(file);
    remove(path);
}

static void file_holds_what_was_asked_for(void **state)
{
    (void)state;
    const char *path = make_path("whole.h5");
    lb_audit audit = {.size = sizeof audit}, kept = {.size = sizeof kept};
    lb_expect_ok(run_to(path, 3.0, false, &audit));
    lb_results *results = open_results(path);
    assert_int_equal(lb_get_results_info(results)->row_count, 301);
    assert_int_equal(lb_get_results_info(results)->ending, 1);
    assert_string_equal(lb_get_results_info(results)->model, model_text);
    assert_string_equal(lb_get_results_info(results)->version, lb_get_version());
    assert_non_null(strstr(lb_get_results_info(results)->options, "type: rk4"));
    assert_non_null(strstr(lb_get_results_info(results)->options, "tolerance: 1.0e-08"));
    static const char *const columns[] = {"t",
                                          "bob.q.0",
                                          "bob.v.2",
                                          "a:bob.a.1",
                                          "kinetic",
                                          "work.drag",
                                          "system.angular_momentum.z",
                                          "bob/tip.position.x",
                                          "signals:bob/tip.velocity.z",
                                          "bob.reaction_force.z"};
    int table, column;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        column = lb_find_column(results, columns[i], &table);
        assert_true(column >= 0);
    }
    assert_int_equal(lb_find_column(results, "bob.q.4", &table), LB_NOT_FOUND);
    double t, expected = 0.01 * 300;
    lb_expect_ok(lb_read_table(results, 0, 300, 1, &t));
    lb_expect_near("last time", t, expected, 1e-15);
    assert_int_equal(lb_read_table(results, 0, 300, 2, &t), LB_E_ARGUMENT);
    const char *name;
    assert_int_equal(lb_get_results_info(results)->event_count, 1);
    lb_expect_ok(lb_read_event(results, 0, &t, &name));
    assert_string_equal(name, "half");
    lb_expect_near("time of the event", t, 1.5, 1e-9);
    lb_expect_ok(lb_read_audit(results, &kept));
    assert_memory_equal(&kept, &audit, sizeof audit);
    lb_close_results(results);
    // nothing is left over
    char part[600];
    snprintf(part, sizeof part, "%s.part", path);
    assert_int_not_equal(access(part, F_OK), 0);
    unlink(path);
}

// A beam of two bodies at rest, clamped, loaded at its end and held by a spring: statics.
static void reactions_take_loads_at_nodes_into_account(void **state)
{
    (void)state;
    static const char text[] =
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "ground: {nodes: {post: {position: [2, 0, 3]}}}\n"
        "bodies:\n"
        "  - {name: a, hinge: {type: fixed}, mass: 1, com: [0.5, 0, 0], nodes: {end: {position: "
        "[1, 0,\n"
        "     0]}}}\n"
        "  - {name: b, parent: a, at: end, hinge: {type: fixed}, mass: 2, com: [0.5, 0, 0], nodes: "
        "{end:\n"
        "     {position: [1, 0, 0], rotation: [0.70710678118654752, 0, 0.70710678118654752, 0]}}}\n"
        "  - {name: wheel, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, 1, "
        "0, 0, 0]}\n"
        "forces:\n"
        "  - {name: pull, type: spring, between: [b/end, ground/post], stiffness: 4, length: 1}\n"
        "  - {name: twist, type: torque, at: b/end, axes: node, value: [0, 5, 7]}\n"
        "run: {duration: 0.1}\n"
        "outputs: [reactions]\n";
    // 8 N up at x = 2; node axes: y stays, z is the world's x
    static const double expected[12] = {-7, 0 + 0 - 5 - 10 * 0.5 - 20 * 1.5 + 8 * 2,
                                        0,  0,
                                        0,  30 - 8,
                                        -7, -5 - 20 * 0.5 + 8 * 1,
                                        0,  0,
                                        0,  20 - 8};
    const char *path = make_path("loads.h5");
    lb_course course = lb_begin_course(text);
    lb_run_request request = lb_default_run_request();
    request.path = path;
    lb_expect_ok(lb_run_simulation(course.simulation, &request, NULL));
    lb_end_course(&course);
    lb_results *results = open_results(path);
    int table, column;
    double row[18];
    column = lb_find_column(results, "a.reaction_moment.x", &table);
    assert_true(column >= 0);
    lb_expect_ok(lb_read_table(results, table, 0, 1, row));
    lb_expect_within("reactions", row, expected, 12, 1e-13);
    lb_close_results(results);
    unlink(path);
}

static void resumed_run_equals_an_undisturbed_one(void **state)
{
    (void)state;
    char whole[512];
    snprintf(whole, sizeof whole, "%s", make_path("undisturbed.h5"));
    const char *path = make_path("resumed.h5");
    lb_expect_ok(run_to(whole, 3.0, false, NULL));
    // once before the event, once behind it; the outputs are on the grid of steps: the same bits
    lb_expect_ok(run_to(path, 1.0, false, NULL));
    lb_expect_ok(run_to(path, 2.0, true, NULL));
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(run_to(path, 3.0, true, &audit));
    assert_true(audit.rows == 301.0 && audit.events == 1.0);
    lb_results *a = open_results(path), *b = open_results(whole);
    assert_int_equal(lb_get_results_info(a)->row_count, 301);
    expect_same_rows(a, b);
    lb_close_results(a);
    lb_close_results(b);
    // there is nothing left to do
    assert_int_equal(run_to(path, 3.0, true, NULL), LB_NEWS_STOP);
    unlink(path);
    unlink(whole);
}

// Replaces the audit of a file by numbers under other names.
static void replace_audit(const char *path, int count, const char *const *names,
                          const double *values)
{
    char fixed[8][LB_COLUMN_SIZE] = {{0}};
    const hsize_t size = (hsize_t)count;
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0 && count <= 8);
    for (int i = 0; i < count; ++i) {
        snprintf(fixed[i], sizeof fixed[i], "%s", names[i]);
    }
    assert_true(H5Ldelete(file, "audit", H5P_DEFAULT) >= 0);
    assert_true(H5Ldelete(file, "audit_names", H5P_DEFAULT) >= 0);
    const hid_t space = H5Screate_simple(1, &size, NULL), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, LB_COLUMN_SIZE);
    const hid_t audit =
        H5Dcreate2(file, "audit", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(audit, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    const hid_t list =
        H5Dcreate2(file, "audit_names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(list, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, fixed) >= 0);
    H5Dclose(list);
    H5Dclose(audit);
    H5Tclose(type);
    H5Sclose(space);
    H5Fclose(file);
}

// A file of an older version lacks entries, one of a newer version has more, in any order.
static void audit_is_read_by_names(void **state)
{
    (void)state;
    static const char *const names[] = {"rows", "heat_of_bearings", "time"};
    static const double values[] = {31, 7, 2.5};
    const char *path = make_path("named.h5");
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(run_to(path, 0.5, false, NULL));
    replace_audit(path, 3, names, values);
    lb_results *results = open_results(path);
    lb_expect_ok(lb_read_audit(results, &audit));
    assert_true(audit.rows == 31 && audit.time == 2.5);
    assert_true(isnan(audit.steps) && isnan(audit.fallbacks));
    lb_close_results(results);
    unlink(path);
}

static void cut_and_foreign_files_are_refused(void **state)
{
    (void)state;
    lb_results *results;
    const char *path = make_path("cut.h5");
    lb_expect_ok(run_to(path, 1.0, false, NULL));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    for (int i = 9; i >= 0; --i) {
        assert_int_equal(truncate(path, about.st_size * i / 10), 0);
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        assert_true(lb_open_results(path, &report, &results) < 0);
        assert_null(results);
        assert_int_equal(heard.error_count, 1);
        assert_non_null(strstr(heard.entries[0].message, "cut.h5"));
    }
    unlink(path);
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    assert_int_equal(lb_open_results(path, &report, &results), LB_E_FILE);
    assert_non_null(strstr(heard.entries[0].message, "No such file"));
}

// ---- kill -9 ---------------------------------------------------------------------------------------

// a sanitized program runs several times slower
#if defined(__SANITIZE_ADDRESS__)
enum { KILL_COUNT = 25 };
#else
enum { KILL_COUNT = 100 };
#endif

// A run of the command with six blocks of rows.
static const char *write_long_model(void)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s", model_text);
    char *run = strstr(text, "run: ");
    snprintf(run, sizeof text - (size_t)(run - text),
             "run: {duration: 60, interval: 0.01, integrator: {type: rk4, step: 0.005}}\n"
             "outputs: [bob/tip, reactions]\n");
    return lb_write_file("long.yaml", text);
}

// Killed at once, or when the file has some of the rows: those of some runs go there by dozens, of others in blocks.
static void killed_runs_leave_right_rows(void **state)
{
    (void)state;
    const char *model = write_long_model();
    char whole[512], part[600];
    snprintf(whole, sizeof whole, "%s", make_path("long.h5"));
    const char *path = make_path("killed.h5");
    snprintf(part, sizeof part, "%s.part", path);
    int status, partial = 0;
    assert_true(waitpid(lb_start_watched_run(model, whole, NULL), &status, 0) > 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    lb_results *undisturbed = open_results(whole);
    const double count = (double)lb_get_results_info(undisturbed)->row_count;
    lb_random random;
    lb_seed_random(&random, lb_get_base_seed());
    for (int i = 0; i < KILL_COUNT; ++i) {
        const pid_t child = lb_start_watched_run(model, path, i % 4 ? NULL : "0.002");
        const long rows = (long)lb_draw_uniform(&random, -0.1 * count, count);
        lb_wait_for_rows(child, path, rows);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        // before the file has its structure there is nothing to read and nothing to lose
        lb_results *results = NULL;
        if (lb_open_results(path, NULL, &results) >= 0) {
            const long found = lb_get_results_info(results)->row_count;
            partial += found > 0 && found < lb_get_results_info(undisturbed)->row_count;
            expect_same_rows(results, undisturbed);
        }
        assert_true(!results ? rows <= 0 : lb_get_results_info(results)->row_count >= rows);
        lb_close_results(results);
        unlink(path);
        unlink(part);
    }
    print_message("%d of %d killed runs had some of their rows\n", partial, KILL_COUNT);
    lb_close_results(undisturbed);
    unlink(whole);
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_is_sha256),
        cmocka_unit_test(checksum_is_crc32),
        cmocka_unit_test(files_that_the_library_of_hdf5_wrote_are_read),
        cmocka_unit_test(hdf5_reads_the_same_rows),
        cmocka_unit_test(files_are_kept),
        cmocka_unit_test(file_holds_what_was_asked_for),
        cmocka_unit_test(reactions_take_loads_at_nodes_into_account),
        cmocka_unit_test(resumed_run_equals_an_undisturbed_one),
        cmocka_unit_test(audit_is_read_by_names),
        cmocka_unit_test(cut_and_foreign_files_are_refused),
        cmocka_unit_test(killed_runs_leave_right_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
