// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber view: the page that it writes, the key `view` of a model, and what it refuses. What a
// browser makes of the page is another test.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "run_cli.h"
#include "swing.h"

static lb_cli_run make_page(const char *result)
{
    lb_cli_run run = lb_run(NULL, "view", result, "--output", "-");
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    return run;
}

static int count_words(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        ++count;
    }
    return count;
}

static void page_holds_model_and_rows(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_get_swing());
    assert_non_null(strstr(run.out, "<!doctype html>"));
    assert_non_null(strstr(run.out, "Content-Security-Policy"));
    assert_non_null(strstr(run.out, "default-src 'none'"));
    assert_non_null(strstr(run.out, "\"rows\":201"));
    assert_non_null(strstr(run.out, "\"frames\":201"));
    assert_non_null(strstr(run.out, "\"name\":\"swing\""));
    assert_non_null(strstr(run.out, "</html>"));
    // nothing is fetched from anywhere
    assert_null(strstr(run.out, "<script src"));
    assert_null(strstr(run.out, "<link"));
    lb_end_run(&run);
}

// A loop that is led elsewhere is there twice, each with its ends and its times; one that is made holds from
// then on.
static void loops_are_shown_where_they_are(void **state)
{
    (void)state;
    static const char model[] =
        "limber: 1\n"
        "ground: {nodes: {one: {}, two: {position: [1, 0, 0]}}}\n"
        "bodies: [{name: bar, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 1, inertia: [1, 1, "
        "1, 0, 0, 0], nodes: {tip: "
        "{position: [1, 0, 0]}}},\n"
        "  {name: ball, hinge: {type: free}, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"
        "loops: [{name: tie, a: {body: ground, node: one}, b: {body: ball}, type: rod, length: 1, "
        "active: false}]\n"
        "initial: {ball: {position: [0, 2, 0]}}\n"
        "events:\n"
        "  - {name: a, when: t, crosses: 0.1, then: {grasp: tie}}\n"
        "  - {name: b, when: t, crosses: 0.2, then: {alter: tie, a: {body: ground, node: two}, "
        "grasp: "
        "true}}\n"
        "  - {name: c, when: t, crosses: 0.25, then: {make: {name: pin, type: weld, a: {body: "
        "bar}, b: "
        "{body: ball}, grasp: true}}}\n"
        "  - {name: d, when: t, crosses: 0.5, then: {release: tie}}\n"
        "run: {duration: 1, interval: 0.25}\n";
    lb_cli_run run = make_page(lb_record_run("led.yaml", model));
    assert_int_equal(count_words(run.out, "{\"name\":\"tie\",\"type\":\"rod\""), 2);
    assert_non_null(strstr(run.out, "\"holds\":[0.1,0.2]"));
    assert_non_null(strstr(run.out, "\"holds\":[0.2,0.5]"));
    assert_non_null(strstr(run.out, "{\"name\":\"pin\",\"type\":\"weld\",\"holds\":[0.25]"));
    lb_end_run(&run);
}

// However a model is named, the page has as many elements as for any other model.
static void names_stay_inside_of_their_element(void **state)
{
    (void)state;
    static const char format[] = "limber: 1\n"
                                 "name: \"%s\"\n"
                                 "bodies:\n"
                                 "  - {name: \"%s\", hinge: {type: prismatic, axis: [0, 0, 1]},"
                                 " mass: 1}\n"
                                 "run: {duration: 0.1}\n";
    static const char *const names[2] = {"plain", "</script><script>alert(1)</script><!--"};
    int elements[2], comments[2];
    for (int i = 0; i < 2; ++i) {
        char model[512];
        snprintf(model, sizeof model, format, names[i], names[i]);
        lb_cli_run run = make_page(lb_record_run(i ? "evil.yaml" : "plain.yaml", model));
        elements[i] = count_words(run.out, "<script");
        comments[i] = count_words(run.out, "<!--");
        if (i == 1) {
            assert_non_null(strstr(run.out, "\\u003c/script>"));
        }
        lb_end_run(&run);
    }
    assert_int_equal(elements[0], elements[1]);
    assert_int_equal(comments[0], comments[1]);
}

static const char shaped[] =
    "limber: 1\n"
    "bodies:\n"
    "  - {name: hull, hinge: {type: free}, mass: 10, inertia: [1, 1, 1, 0, 0, 0],\n"
    "     nodes: {a: {position: [1, 0, 0]}, b: {position: [0, 1, 0]}, c: {position: [1, 1, 0]}}}\n"
    "run: {duration: 0.1}\n"
    "view:\n"
    "  camera: {from: [3, -4, 2], to: [0, 0, 0]}\n"
    "  traces: [hull/a]\n"
    "  shapes:\n"
    "    - {body: hull, box: [1, 2, 3], position: [0, 0, 0.5], colour: \"#c8a048\"}\n"
    "    - {body: hull, cylinder: [0.1, 2], rotation: [1, 0, 0, 0]}\n"
    "    - {body: hull, sphere: 0.2}\n"
    "    - {body: hull, tube: 0.05, nodes: [origin, a]}\n"
    "    - {body: hull, sheet: [[origin, a], [b, c]]}\n";

static void shapes_of_the_model_are_drawn(void **state)
{
    (void)state;
    lb_cli_run run = make_page(lb_record_run("shaped.yaml", shaped));
    static const char *const expected[] = {
        "{\"kind\":\"box\",\"body\":0,\"size\":[1.0,2.0,3.0]", "\"kind\":\"cylinder\"",
        "\"kind\":\"sphere\"", "\"kind\":\"tube\"", "\"kind\":\"sheet\"",
        // two triangles of the four nodes
        "\"nodes\":[0,1,2,1,3,2]", "\"traces\":[1]", "\"from\":[3.0,-4.0,2.0]"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        if (!strstr(run.out, expected[i])) {
            fail_msg("no %s", expected[i]);
        }
    }
    lb_end_run(&run);
}

static void mistakes_in_view_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *view, *says;
    } cases[] = {
        {"{shape: []}", "view"},
        {"[1]", "expected a mapping"},
        {"{shapes: [{box: [1, 1, 1]}]}", "view.shapes[0].body"},
        {"{shapes: [{body: bob}]}", "expected one of box"},
        {"{shapes: [{body: bob, box: [1, 1, 1], sphere: 1}]}", "found 2"},
        {"{shapes: [{body: bob, box: [1, 1]}]}", "view.shapes[0].box"},
        {"{shapes: [{body: bob, box: [1, 1, 0]}]}", "a size above zero"},
        {"{shapes: [{body: bib, sphere: 1}]}", "no body \"bib\""},
        {"{shapes: [{body: bob, tube: 0.1, nodes: [origin, tap]}]}", "no node \"tap\""},
        {"{shapes: [{body: bob, sphere: 1, colour: red}]}", "such as \"#c8a048\""},
        {"{shapes: [{body: bob, sphere: 1, rotation: [1, 1, 0, 0]}]}", "unit quaternion"},
        {"{shapes: [{body: bob, sheet: [[origin, tip]]}]}", "two rows"},
        {"{traces: [bob/tap]}", "no node \"bob/tap\""},
        {"{camera: {to: [0, 0, 0]}}", "view.camera.from"},
        {"{camera: {from: [0, 0, 5]}}", "looks along `up`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char model[512];
        snprintf(model, sizeof model,
                 "limber: 1\nbodies:\n  - {name: bob, hinge: {type: free}, mass: 1, nodes: {tip: "
                 "{position: [1, 0, 0]}}}\nview: %s\n",
                 cases[i].view);
        lb_cli_run run = lb_run(NULL, "check", lb_write_file("bad.yaml", model));
        if (run.status != 1 || !strstr(run.err, cases[i].says)) {
            fail_msg("%s: '%s' does not say '%s'", cases[i].view, run.err, cases[i].says);
        }
        lb_end_run(&run);
    }
}

// Visuals of a robot: a box, an STL mesh, an OBJ mesh with a corner that does not exist, and a mesh that
// is not there. The last two are left out, with a remark.
static void visuals_of_a_robot_are_drawn(void **state)
{
    (void)state;
    static const char robot[] =
        "<robot name=\"bot\"><link name=\"base\"><visual><geometry><box size=\"1 1 1\"/></geometry>"
        "</visual></link><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
        "iyy=\"1\" "
        "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "<visual><geometry><mesh filename=\"package://bot/one.stl\"/></geometry></visual>"
        "<visual><geometry><mesh filename=\"bad.obj\"/></geometry></visual>"
        "<visual><geometry><mesh filename=\"none.dae\"/></geometry></visual></link>"
        "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/>"
        "<axis xyz=\"0 0 1\"/></joint></robot>";
    static const char stl[] =
        "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n";
    char result[560], folder[512];
    lb_write_file("bad.obj", obj);
    const char *file = lb_write_file("bot.urdf", robot);
    snprintf(result, sizeof result, "%s.h5", file);
    snprintf(folder, sizeof folder, "%s", lb_write_file("one.stl", stl));
    *strrchr(folder, '/') = 0;
    lb_cli_run run = lb_run(NULL, "run", file, "--duration", "0.1", "--quiet", "--output", result);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    run = lb_run(NULL, "view", result, "--output", "-", "--meshes", folder);
    assert_int_equal(run.status, 0);
    assert_int_equal(count_words(run.out, "{\"kind\":\"mesh\""), 1);
    assert_int_equal(count_words(run.out, "{\"kind\":\"box\""), 1);
    assert_non_null(strstr(run.out, "2 meshes not found or not STL or OBJ"));
    lb_end_run(&run);
    remove(result);
}

// A robot names files of its package, not any that there are.
static void meshes_outside_of_the_package_are_not_opened(void **state)
{
    (void)state;
    static const char stl[] =
        "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
        "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
    char robot[1024], folder[512], path[600], result[600];
    snprintf(folder, sizeof folder, "%s", lb_write_file("far.stl", stl));
    *strrchr(folder, '/') = 0;
    snprintf(path, sizeof path, "%s/urdf", folder);
    mkdir(path, 0700);
    snprintf(robot, sizeof robot,
             "<robot name=\"bot\"><link name=\"base\"><inertial><mass value=\"1\"/><inertia "
             "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
             "<visual><geometry><mesh filename=\"../far.stl\"/></geometry></visual>"
             "<visual><geometry><mesh filename=\"%s/far.stl\"/></geometry></visual></link></robot>",
             folder);
    const char *file = lb_write_file("far.urdf", robot);
    snprintf(result, sizeof result, "%s/urdf/far.h5", folder);
    lb_cli_run run = lb_run(NULL, "run", file, "--floating", "--duration", "0.02", "--quiet",
                            "--output", result);
    assert_string_equal(run.err, "");
    lb_end_run(&run);
    for (int i = 0; i < 3; ++i) {
        // outside; permitted; in the package
        if (i == 2) {
            lb_write_file("package.xml", "<package/>");
        }
        run = i == 1 ? lb_run(NULL, "view", result, "--output", "-", "--meshes", folder)
                     : lb_run(NULL, "view", result, "--output", "-");
        assert_int_equal(count_words(run.out, "{\"kind\":\"mesh\""), i == 0 ? 0 : 2);
        lb_end_run(&run);
    }
    remove(result);
    rmdir(path);
}

// ---- serving -------------------------------------------------------------------------------------

static int connect_to(int port)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(s >= 0 && connect(s, (struct sockaddr *)&where, sizeof where) == 0);
    // an answer that does not come shall fail the test, not hold it up
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 60}, sizeof(struct timeval));
    return s;
}

static void one_slow_client_does_not_hold_up_others(void **state)
{
    (void)state;
    int ends[2], port = 0;
    const char *result = lb_get_swing();
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl(LB_CLI, "limber", "view", result, "--serve", "--no-open", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    assert_int_equal(fscanf(said, "http://127.0.0.1:%d/", &port), 1);
    // two ask for half of a page and for one that they do not take; a third for a page
    static const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const int silent = connect_to(port), slow = connect_to(port), third = connect_to(port);
    assert_int_equal(send(silent, ask, 10, MSG_NOSIGNAL), 10);
    assert_int_equal(send(slow, ask, sizeof ask - 1, MSG_NOSIGNAL), sizeof ask - 1);
    assert_int_equal(send(third, ask, sizeof ask - 1, MSG_NOSIGNAL), sizeof ask - 1);
    char block[4096], start[16] = "";
    size_t all = 0;
    for (ssize_t got; (got = recv(third, block, sizeof block, 0)) > 0; all += (size_t)got) {
        if (all == 0) {
            memcpy(start, block, 15);
        }
    }
    assert_string_equal(start, "HTTP/1.1 200 OK");
    assert_true(all > 100000);
    // the silent one has not been dropped yet, so that it was not waited for
    assert_true(recv(silent, block, 1, MSG_DONTWAIT) < 0);
    close(silent);
    close(slow);
    close(third);
    kill(child, SIGTERM);
    fclose(said);
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    lb_cli_run run = lb_run(NULL, "view", "/nowhere.h5");
    assert_non_null(strstr(run.err, "cannot read /nowhere.h5"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    run = lb_run(NULL, "view", lb_get_swing(), "--output", "/nowhere/page.html");
    assert_non_null(strstr(run.err, "cannot write /nowhere/page.html"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    run = lb_run(NULL, "view", lb_get_swing(), "bob.angel", "--output", "-");
    assert_non_null(strstr(run.err, "did you mean 'bob.angle'"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
    const char *modes = lb_write_file("modes.json", "{\"frequencies\": []}");
    run = lb_run(NULL, "view", lb_get_swing(), "--modes", modes, "--output", "-");
    assert_non_null(strstr(run.err, "a list `modes`"));
    assert_int_equal(run.status, 1);
    lb_end_run(&run);
}

// A file that was cut off at any place is shown as far as it goes, or refused in words.
static void cut_files_show_what_is_there(void **state)
{
    (void)state;
    FILE *file = fopen(lb_get_swing(), "rb");
    assert_non_null(file);
    static char bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    char path[600];
    snprintf(path, sizeof path, "%s.cut", lb_get_swing());
    int shown = 0;
    for (int tenth = 0; tenth < 10; ++tenth) {
        file = fopen(path, "wb");
        assert_non_null(file);
        fwrite(bytes, 1, size * (size_t)tenth / 10, file);
        fclose(file);
        lb_cli_run run = lb_run(NULL, "view", path, "--output", "-");
        if (run.status == 0) {
            assert_non_null(strstr(run.out, "The result file is damaged"));
            ++shown;
        } else {
            assert_int_equal(run.status, 1);
            assert_non_null(strstr(run.err, "cut off"));
        }
        lb_end_run(&run);
    }
    remove(path);
    // all that describes the file lies at its beginning
    assert_true(shown >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_holds_model_and_rows),
        cmocka_unit_test(loops_are_shown_where_they_are),
        cmocka_unit_test(names_stay_inside_of_their_element),
        cmocka_unit_test(shapes_of_the_model_are_drawn),
        cmocka_unit_test(mistakes_in_view_have_their_place),
        cmocka_unit_test(visuals_of_a_robot_are_drawn),
        cmocka_unit_test(meshes_outside_of_the_package_are_not_opened),
        cmocka_unit_test(one_slow_client_does_not_hold_up_others),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(cut_files_show_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
