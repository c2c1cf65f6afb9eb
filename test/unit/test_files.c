// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole files in memory, and which folder a file is in.
#define _XOPEN_SOURCE 700 // symlink
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files/files.h"
#include "heard.h"
#include "program.h"
#include "scratch.h"

// A folder with a file.
typedef struct place {
    const char *folder;
    char file[LB_SCRATCH_PATH_SIZE];
} place;

static place make_place(const char *text, size_t length)
{
    place p = {.folder = lb_make_scratch_folder()};
    assert_non_null(p.folder);
    snprintf(p.file, sizeof p.file, "%s/a.txt", p.folder);
    FILE *out = fopen(p.file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
    return p;
}

static void a_file_is_read_whole(void **state)
{
    (void)state;
    // longer than the first piece, with zeros in it
    enum { LENGTH = 200001 };
    char *bytes = malloc(LENGTH), *text;
    size_t length;
    assert_non_null(bytes);
    for (int i = 0; i < LENGTH; ++i) {
        bytes[i] = (char)(i * 7);
    }
    const place p = make_place(bytes, LENGTH);
    assert_int_equal(lb_read_file(p.file, LENGTH + 1, NULL, NULL, &text, &length), LB_OK);
    assert_int_equal(length, LENGTH);
    assert_memory_equal(text, bytes, LENGTH);
    assert_int_equal(text[LENGTH], 0);
    free(text);
    free(bytes);
}

static void an_empty_file_is_an_empty_text(void **state)
{
    (void)state;
    const place p = make_place("", 0);
    char *text;
    size_t length = 5;
    assert_int_equal(lb_read_file(p.file, 10, NULL, NULL, &text, &length), LB_OK);
    assert_int_equal(length, 0);
    assert_string_equal(text, "");
    free(text);
}

static void expect_refusal(const char *path, size_t limit, const char *why)
{
    lb_heard heard = {.count = 0};
    const lb_report report = lb_listen(&heard);
    char *text;
    size_t length;
    assert_int_equal(lb_read_file(path, limit, NULL, &report, &text, &length), LB_E_FILE);
    assert_null(text);
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.entries[0].file, path);
    assert_string_equal(heard.entries[0].message, why);
}

static void what_cannot_be_read_is_refused_in_words(void **state)
{
    (void)state;
    expect_refusal("/no/such/file", 10, "No such file or directory");
    expect_refusal("/", 10, "Is a directory");
    expect_refusal("/dev/zero", (size_t)1 << 30, "it is a device, expected a file");
}

static void the_limit_is_that_of_the_caller(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    char *bytes = calloc(1, MIB), *text;
    size_t length;
    assert_non_null(bytes);
    const place p = make_place(bytes, MIB);
    expect_refusal(p.file, MIB, "it has 1 MiB or more, expected less");
    assert_int_equal(lb_read_file(p.file, MIB + 1, NULL, NULL, &text, &length), LB_OK);
    assert_int_equal(length, MIB);
    free(text);
    free(bytes);
}

static void a_pipe_is_read_to_its_end(void **state)
{
    (void)state;
    int ends[2];
    char path[64], *text;
    size_t length;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "from a pipe", 11), 11);
    assert_int_equal(close(ends[1]), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(lb_read_file(path, 100, NULL, NULL, &text, &length), LB_OK);
    assert_string_equal(text, "from a pipe");
    free(text);
    close(ends[0]);
}

static void links_are_followed_to_the_folder_they_lead_to(void **state)
{
    (void)state;
    const place p = make_place("x", 1), other = make_place("y", 1);
    char link[LB_SCRATCH_PATH_SIZE], beside[LB_SCRATCH_PATH_SIZE], below[2 * LB_SCRATCH_PATH_SIZE];
    snprintf(link, sizeof link, "%s/link", p.folder);
    snprintf(beside, sizeof beside, "%s-more", p.folder);
    snprintf(below, sizeof below, "%s/../%s", p.folder, strrchr(other.file, '/') + 1);
    assert_true(lb_is_in_folder(p.file, p.folder));
    assert_true(lb_is_in_folder(p.file, "/"));
    assert_false(lb_is_in_folder(other.file, p.folder));
    assert_int_equal(symlink(other.file, link), 0);
    assert_false(lb_is_in_folder(link, p.folder));
    assert_true(lb_is_in_folder(link, other.folder));
    // a name that only begins in the same way
    assert_int_equal(mkdir(beside, 0700), 0);
    assert_false(lb_is_in_folder(beside, p.folder));
    // out of it again, and one that does not exist
    assert_false(lb_is_in_folder("/etc/passwd", p.folder));
    assert_true(lb_is_in_folder(below, p.folder));
}

// A folder, or a file where there is a text.
static void make(const char *folder, const char *name, const char *text)
{
    char path[LB_SCRATCH_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = text ? fopen(path, "wb") : NULL;
    assert_int_equal(text ? (file ? 0 : -1) : mkdir(path, 0700), 0);
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

// What a robot at FOLDER/PLACE finds by a name: "" for none, and "!" before what is not of its package.
static void expect_mesh(const char *folder, const char *from_folder, const char *name,
                        const char *expected)
{
    char from[LB_SCRATCH_PATH_SIZE], file[4096], told[4200] = "";
    bool inside;
    snprintf(from, sizeof from, "%s/%s", folder, from_folder);
    const lb_status status = lb_find_mesh_file(from, name, sizeof file, file, &inside);
    if (status == LB_OK) {
        assert_int_equal(strncmp(file, folder, strlen(folder)), 0);
        snprintf(told, sizeof told, "%s%s", inside ? "" : "!", file + strlen(folder) + 1);
    }
    if (strcmp(told, expected) != 0) {
        fail_msg("%s from %s: '%s', expected '%s'", name, from_folder, told, expected);
    }
}

static void packages_are_found_from_the_robot_upwards(void **state)
{
    (void)state;
    static const char *const folders[] = {
        "ws",         "ws/arm",     "ws/arm/urdf", "ws/arm/meshes",   "ws/clone",
        "ws/clone/m", "ws/clone/u", "ws/hand",     "ws/arm/urdf/arm", NULL};
    char text[LB_SCRATCH_PATH_SIZE];
    const char *root = lb_make_scratch_folder();
    assert_non_null(root);
    for (int i = 0; folders[i]; ++i) {
        make(root, folders[i], NULL);
    }
    make(root, "ws/arm/meshes/a.stl", "x");
    make(root, "ws/clone/m/b.stl", "x");
    make(root, "ws/clone/package.xml", "<package>\n <name> gripper\n</name></package>");
    make(root, "ws/hand/c.stl", "x");
    make(root, "ws/arm/urdf/d.stl", "x");
    // a folder called so, of which the nearest has no such file
    expect_mesh(root, "ws/arm/urdf", "package://arm/meshes/a.stl", "ws/arm/meshes/a.stl");
    expect_mesh(root, "ws/arm/urdf", "model://arm/meshes/a.stl", "ws/arm/meshes/a.stl");
    // by the name in package.xml
    expect_mesh(root, "ws/clone/u", "package://gripper/m/b.stl", "ws/clone/m/b.stl");
    expect_mesh(root, "ws/clone/u", "package://grip/m/b.stl", "");
    // a folder above that contains it: below the model's own, or only with permission
    expect_mesh(root, "ws", "package://hand/c.stl", "ws/hand/c.stl");
    expect_mesh(root, "ws/arm/urdf", "package://hand/c.stl", "!ws/hand/c.stl");
    expect_mesh(root, "ws/arm/urdf", "package://arm/../hand/c.stl", "!ws/arm/../hand/c.stl");
    // beside the robot, and paths
    expect_mesh(root, "ws/arm/urdf", "package://other/d.stl", "ws/arm/urdf/d.stl");
    expect_mesh(root, "ws/arm/urdf", "d.stl", "ws/arm/urdf/d.stl");
    expect_mesh(root, "ws/arm/urdf", "../meshes/a.stl", "!ws/arm/urdf/../meshes/a.stl");
    expect_mesh(root, "ws/clone/u", "../m/b.stl", "ws/clone/u/../m/b.stl");
    snprintf(text, sizeof text, "file://%s/ws/hand/c.stl", root);
    expect_mesh(root, "ws/arm/urdf", text, "!ws/hand/c.stl");
    // folders and what does not exist are no meshes
    expect_mesh(root, "ws/arm/urdf", "package://arm/meshes", "");
    expect_mesh(root, "ws/arm/urdf", "package://arm", "");
    expect_mesh(root, "ws/arm/urdf", "", "");
    expect_mesh(root, "ws/none", "d.stl", "");
    // /tmp or /home is no package, though the robot lies below it
    make(root, "e.stl", "x");
    snprintf(text, sizeof text, "package:/%s/e.stl", root);
    expect_mesh(root, "ws/arm/urdf", text, "!e.stl");
    // a link out of the package
    snprintf(text, sizeof text, "%s/ws/arm/meshes/link.stl", root);
    assert_int_equal(symlink("../../hand/c.stl", text), 0);
    expect_mesh(root, "ws/arm/urdf", "package://arm/meshes/link.stl", "!ws/arm/meshes/link.stl");
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(an_empty_file_is_an_empty_text),
        cmocka_unit_test(what_cannot_be_read_is_refused_in_words),
        cmocka_unit_test(the_limit_is_that_of_the_caller),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(links_are_followed_to_the_folder_they_lead_to),
        cmocka_unit_test(packages_are_found_from_the_robot_upwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
