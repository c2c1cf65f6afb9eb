// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Mistakes with `limber import`: each gets its message, and nothing is written.
#define _POSIX_C_SOURCE 200809L // mkfifo, symlink
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "body_file.h"
#include "check.h"
#include "heard.h"
#include "run_cli.h"
#include "scratch.h"

// ---- the command -----------------------------------------------------------------------------------

// two elements, nodes 1 to 12, three rows each; its files are in the current folder
#define BLOCK "block.dof", "block.inp", "block.mas", "block.sti"

static const lb_cli_case cases[] = {
    // files
    {{"import"}, 2, "", "import: no files given; see limber help import"},
    {{"import", "nothing.inp"}, 1, "", "nothing.inp: cannot be read: No such file or directory"},
    {{"import", "."}, 1, "", ".: cannot be read: Is a directory"},
    {{"import", "/dev/zero"}, 1, "", "/dev/zero: cannot be read: it is a device"},
    {{"import", "words"}, 1, "", "words: not a format that Limber knows: expected matrices of"},
    {{"import", "empty"}, 1, "", "empty: not a format that Limber knows"},
    {{"import", BLOCK, "words"}, 1, "", "words: not used: the other files are of CalculiX"},
    {{"import", BLOCK, "bar.sid"}, 1, "", "block.dof: not used: the other files are of SID"},
    {{"import", "block.dof", "block.inp", "block.mas"}, 1, "", "one of .sti and .mas is missing"},
    {{"import", BLOCK, "block.sti"}, 1, "", "block.sti: a third matrix"},
    {{"import", "block.dof", "block.inp", "--stiffness", "block.mas", "--mass", "block.sti",
      "--nodes", "1"},
     1,
     "",
     "exchange the two"},
    // nodes
    {{"import", BLOCK}, 1, "", "no node has rotations: name the nodes that the model needs"},
    {{"import", BLOCK, "--nodes", "99"}, 1, "", "there is no node 99"},
    {{"import", BLOCK, "--nodes", "a=1,b=1"}, 1, "", "node 1 is kept twice"},
    {{"import", BLOCK, "--nodes", "a=1,a=2"}, 1, "", "two nodes are named \"a\""},
    {{"import", BLOCK, "--nodes", "1,a=2,1=3"}, 1, "", "two nodes are named \"1\""},
    {{"import", BLOCK, "--nodes", "origin=1"}, 1, "", "\"origin\" found, expected a name"},
    {{"import", BLOCK, "--nodes", "=3"}, 1, "", "\"\" found, expected a name of a node"},
    {{"import", BLOCK, "--nodes", "a=x"}, 2, "", "--nodes: 'x' found, expected the number"},
    // clamps
    {{"import", BLOCK, "--nodes", "1", "--clamp", "77"}, 1, "", "there is no node 77 to clamp"},
    {{"import", BLOCK, "--nodes", "1", "--clamp", "1"}, 1, "", "can still move as a rigid body"},
    {{"import", BLOCK, "--nodes", "1", "--clamp", "1,2"}, 1, "", "can still move as a rigid body"},
    {{"import", BLOCK, "--nodes", "1", "--clamp", "1,2,3,4,5,6,7,8,9,10,11,12"},
     1,
     "",
     "nothing is left that could move"},
    {{"import", BLOCK, "--clamp", "one"}, 2, "", "--clamp: 'one' found, expected the number"},
    {{"import", "bar.sid", "--clamp", "1"}, 1, "", "bar.sid: clamped nodes, names of nodes and"},
    // tied nodes, interfaces, residual modes
    {{"import", BLOCK, "--nodes", "a=rigid:1..4", "--clamp", "b"}, 2, "", "--clamp: 'b' found"},
    {{"import", BLOCK, "--nodes", "a=rigid:1..4", "--interface", "b"},
     2,
     "",
     "--interface: 'b' found, expected the number of a node or a name of --nodes"},
    {{"import", BLOCK, "--nodes", "a=1", "--residual", "b"}, 2, "", "--residual: 'b' found"},
    {{"import", BLOCK, "--nodes", "a=1", "--residual", "99"}, 1, "", "there is no node 99"},
    {{"import", BLOCK, "--nodes", "a=1", "--interface", "99"}, 1, "", "there is no node 99"},
    {{"import", BLOCK, "--nodes", "a=average:1..4@0:x:0"},
     2,
     "",
     "'0:x:0' found, expected a place"},
    {{"import", BLOCK, "--nodes", "a=average:1..4@0:0"}, 2, "", "'0:0' found, expected a place"},
    {{"import", BLOCK, "--nodes", "a=average:77"}, 1, "", "a: there is no node 77"},
    {{"import", BLOCK, "--nodes", "a=average:70..80"},
     1,
     "",
     "a: no node of \"70..80\" has degrees"},
    {{"import", BLOCK, "--nodes", "a=average:"}, 1, "", "a: no node of \"\" has degrees"},
    {{"import", BLOCK, "--nodes", "a=rigid:FACE"}, 1, "", "a: \"FACE\" found, expected the number"},
    {{"import", BLOCK, "--nodes", "a=rigid:1+2"},
     1,
     "",
     "a: its 2 nodes do not determine a rotation"},
    {{"import", BLOCK, "--nodes", "a=rigid:1..4,b=rigid:4..8"},
     1,
     "",
     "node 4 belongs to b and to another tied set"},
    {{"import", BLOCK, "--nodes", "a=rigid:1..4", "--clamp", "1,5,9"},
     1,
     "",
     "node 1 belongs to a and to the clamped nodes"},
    {{"import", BLOCK, "--nodes", "a=rigid:1..4", "--interface", "1"},
     1,
     "",
     "\"1\" cannot be an interface: it belongs to a set that is tied"},
    {{"import", BLOCK, "--nodes", "a=rigid:1..4", "--clamp", "a", "--interface", "a"},
     1,
     "",
     "\"a\" is clamped"},
    {{"import", BLOCK, "--nodes", "a=1", "--interface", "a"},
     1,
     "",
     "with the clamped nodes and the interfaces held, the structure can still move"},
    {{"import", BLOCK, "--nodes", "a=1,a=rigid:2..5"}, 1, "", "two nodes are named \"a\""},
    {{"import", "bar.sid", "--nodes", "a=rigid:1..4"}, 1, "", "which has its modes already"},
    {{"import", "bar.sid", "--residual", "1"}, 1, "", "which has its modes already"},
    // geometric stiffness
    {{"import", BLOCK, "--geometric", "wzz"},
     2,
     "",
     "--geometric: 'wzz' found, expected LOAD=FILE"},
    {{"import", BLOCK, "--geometric", "up=block.sti", "--nodes", "1"}, 1, "", "'up' is no load"},
    {{"import", BLOCK, "--geometric", "ax=block.dof", "--nodes", "1"}, 1, "", "expected a matrix"},
    {{"import", "bar.sid", "--geometric", "ax=block.sti"},
     1,
     "",
     "need the matrices of a structure, but this is SID"},
    {{"export", "--as", "step", "x.yaml"}, 2, "", "--as: 'step' found, expected matrices"},
    {{"export", "--as", "matrices", "x.yaml"}, 2, "", "--body is missing"},
    {{"export", "--as", "matrices", "x.yaml", "--body", "a"}, 2, "", "--output is missing"},
    {{"export", "--as", "matrices", "x.yaml", "--body", "a", "-o", "y"}, 1, "", "x.yaml"},
    // modes
    {{"import", BLOCK, "--modes", "-3"}, 2, "", "--modes: '-3' found, expected a number from 1"},
    {{"import", BLOCK, "--modes", "0"}, 2, "", "--modes: '0' found"},
    {{"import", BLOCK, "--modes", "many"}, 2, "", "--modes: 'many' found"},
    {{"import", BLOCK, "--below", "-1"}, 2, "", "--below: '-1' found, expected a frequency in Hz"},
    {{"import", BLOCK, "--below", "nan"}, 2, "", "--below: 'nan' found"},
    {{"import", BLOCK, "--below", "1", "--nodes", "1"}, 1, "", "no mode is below 1 Hz: the lowest"},
    {{"import", "bar.sid", "--modes", "1"}, 1, "", "which has its modes already; choose among"},
    // units
    {{"import", BLOCK, "--units", "mm,t"}, 2, "", "--units: 2 units found, expected length, mass"},
    {{"import", BLOCK, "--units", "mm,stone,s"}, 2, "", "'stone' found for mass, expected kg, g,"},
    {{"import", BLOCK, "--units", "t,mm,s"}, 2, "", "'t' found for length, expected m, mm,"},
    {{"import", BLOCK, "--units", "0,1,1"}, 2, "", "'0' found for length"},
    {{"import", BLOCK, "--units", "1,inf,1"}, 2, "", "'inf' found for mass"},
    // outputs
    {{"import", BLOCK, "--nodes", "1", "-o", "block.inp"},
     1,
     "",
     "cannot write block.inp: this command reads it"},
    {{"import", BLOCK, "--nodes", "1", "-o", "link"},
     1,
     "",
     "cannot write link: this command reads it"},
    {{"import", "block.dof", "block.inp", "--stiffness", "block.sti", "--mass", "block.mas",
      "--nodes", "1", "-o", "block.mas"},
     1,
     "",
     "cannot write block.mas: this command reads it"},
    {{"import", BLOCK, "--nodes", "1", "-o", "pipe"}, 1, "", "cannot write pipe: it is a named"},
    {{"import", BLOCK, "--nodes", "1", "-o", "/dev/null"}, 1, "", "/dev/null: it is a device"},
    {{"import", BLOCK, "--nodes", "1", "-o", "."}, 1, "", "cannot write .: it is a folder"},
    {{"import", BLOCK, "--nodes", "1", "-o", "no/x.flex"}, 1, "", "create its folder first"},
    // a mistake leaves nothing
    {{"import", BLOCK, "-o", "x.flex"}, 1, "", "no node has rotations"},
};

static void copy(const char *folder, const char *name)
{
    char path[512], buffer[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb"), *out = fopen(name, "wb");
    assert_true(in && out);
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, in)) > 0;) {
        assert_int_equal(fwrite(buffer, 1, count, out), count);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static long get_size(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? (long)found.st_size : -1;
}

static void mistakes_are_named(void **state)
{
    static const char *const inputs[] = {BLOCK};
    (void)state;
    for (size_t i = 0; i < 4; ++i) {
        copy(lb_find_source("test/data/fe/calculix"), inputs[i]);
    }
    copy(lb_find_source("test/data/fe/modes"), "bar.sid");
    FILE *words = fopen("words", "w"), *empty = fopen("empty", "w"), *sets = fopen("sets.inp", "w");
    assert_true(words && empty && sets);
    fputs("*NSET, GENERATE, NSET=Backwards\n5, 1\n*NSET, NSET=ITSELF\nITSELF, 77\n", sets);
    fclose(sets);
    fputs("nothing that anyone would import\n", words);
    fclose(words);
    fclose(empty);
    assert_int_equal(symlink("block.sti", "link"), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    long sizes[4];
    for (size_t i = 0; i < 4; ++i) {
        sizes[i] = get_size(inputs[i]);
    }
    lb_expect_cases(cases, sizeof cases / sizeof *cases, NULL);
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(get_size(inputs[i]), sizes[i]);
    }
    assert_int_equal(get_size("x.flex"), -1);
    assert_int_equal(get_size("x.flex.part"), -1);
}

static void right_commands_work(void **state)
{
    (void)state;
    static const lb_cli_case right[] = {
        {{"import", BLOCK, "--nodes", "1,tip=9", "--units", "mm,t,s", "-o", "x.flex"},
         0,
         "Nodes for models: 1 tip",
         ""},
        {{"import", BLOCK, "--nodes", "1", "--json"}, 0, "{", ""},
        {{"import", "bar.sid", "-o", "x.flex"}, 0, "Written to x.flex", ""}, // over an older one
        {{"import", "block.dof", "block.inp", "--stiffness", "block.sti", "--mass", "block.mas",
          "--nodes", "1", "--clamp", "1,2,3,4"},
         0,
         "clamped",
         ""},
        // the set of nodes that *NODE names, and a place for its node
        {{"import", BLOCK, "--nodes", "all=average:ALL@1.5:0:0", "--modes", "3"},
         0,
         "Nodes for models: all",
         ""},
        {{"import", BLOCK, "--nodes", "a=rigid:1+4+5+8,b=average:9..12", "--interface", "a,b",
          "--modes", "2", "--residual", "3"},
         0,
         "Craig-Bampton: 2 modes with the interfaces held, 6 static shapes of a, b; 6 rigid",
         ""},
        {{"import", BLOCK, "--nodes", "a=rigid:1+4+5+8,b=3", "--clamp", "a", "--residual", "b,a",
          "--modes", "2"},
         0,
         "Residual modes: 3, from mode 3 on.",
         ""},
        {{"import", BLOCK, "--nodes", "a=rigid:1+4+5+8,b=rigid:9..12", "--clamp", "a",
          "--interface", "b", "--residual", "b"},
         0,
         "Residual modes: 0; 6 further loads need none",
         ""},
    };
    lb_expect_cases(right, sizeof right / sizeof *right, NULL);
    assert_true(get_size("x.flex") > 0);
}

// ---- calls -----------------------------------------------------------------------------------------

static void wrong_options_are_named(void **state)
{
    (void)state;
    static const char *const files[] = {BLOCK}, *const missing[] = {"block.dof", NULL};
    static const lb_file_role roles[] = {(lb_file_role)9, LB_FILE_ANY, LB_FILE_ANY, LB_FILE_ANY};
    static const lb_tied_node nameless = {.size = sizeof nameless, .set = "1..4"},
                              newer = {.size = sizeof newer + 8};
    static const double nowhere[3] = {0, NAN, 0};
    const lb_tied_node astray = {
        .size = sizeof astray, .name = "a", .set = "1..4", .position = nowhere};
    enum { COUNT = 18 };
    lb_import_options wrong[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        wrong[i] = lb_default_import_options();
        wrong[i].files = files;
        wrong[i].file_count = 4;
    }
    wrong[0].file_count = 0;
    wrong[1].files = NULL;
    wrong[2].file_count = -1;
    wrong[3].mode_count = -1;
    wrong[4].clamp_count = -1;
    wrong[5].node_count = -1;
    wrong[6].clamp_count = 1;
    wrong[7].node_count = 1;
    wrong[8].files = missing;
    wrong[8].file_count = 2;
    wrong[9].roles = roles;
    wrong[10].length = 0.0;
    wrong[11].below = -1.0;
    wrong[12].tie_count = 1;
    wrong[13].ties = &nameless;
    wrong[13].tie_count = 1;
    wrong[14].ties = &astray;
    wrong[14].tie_count = 1;
    wrong[15].interface_count = 1;
    wrong[16].residual_count = -1;
    wrong[17].ties = &newer;
    wrong[17].tie_count = 1;
    static const char *const said[COUNT] = {"no files given",
                                            "no files given",
                                            "no files given",
                                            "mode_count",
                                            "clamp_count",
                                            "node_count",
                                            "a name or a list is missing",
                                            "a name or a list is missing",
                                            "a name or a list is missing",
                                            "a role is none",
                                            "length: a unit of 0 found",
                                            "below",
                                            "the ties are missing",
                                            "ties[0]: its name",
                                            "its position is not finite",
                                            "a name or a list is missing",
                                            "a name or a list is missing",
                                            "a newer version of limber"};
    for (int i = 0; i < COUNT; ++i) {
        lb_heard heard = {.count = 0};
        const lb_report report = lb_listen(&heard);
        lb_imported *imported = NULL;
        const lb_status expected = i == 17 ? LB_E_VERSION : LB_E_ARGUMENT;
        assert_int_equal(lb_import_files(&wrong[i], NULL, &report, &imported), expected);
        assert_null(imported);
        assert_int_equal(heard.count, 1);
        if (!strstr(heard.entries[0].message, said[i])) {
            fail_msg("%s, expected %s", heard.entries[0].message, said[i]);
        }
        assert_int_equal(lb_import_files(&wrong[i], NULL, NULL, &imported), expected);
    }
}

static int enter(void **state)
{
    (void)state;
    return lb_enter_scratch_folder() ? 0 : -1;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(right_commands_work),
        cmocka_unit_test(wrong_options_are_named),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
