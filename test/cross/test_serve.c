// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// `limber serve` against a controller that greets, drops, delays, repeats and garbles packets. Counts are
// compared, never times: the machine may be busy.
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "commands.h"
#include "course.h"
#include "limber/control.h"
#include "limber/simulate.h"
#include "link.h"
#include "own_malloc.h"
#include "run_cli.h"

// A mass of 2 kg on a straight line.
#define MASS(integrator)                                                                           \
    "limber: 1\n"                                                                                  \
    "bodies:\n"                                                                                    \
    "  - {name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}\n"                       \
    "forces: [{name: drive, type: actuator, hinge: cart}]\n"                                       \
    "controllers:\n"                                                                               \
    "  - {name: push, rate: 1000, sensors: [{name: s, signal: cart.distance}],\n"                  \
    "     actuators: [drive], law: {type: callback}}\n"                                            \
    "run: {integrator: " integrator "}\n"

// ---- the codec -------------------------------------------------------------------------------------

static void packets_are_laid_out_as_documented(void **state)
{
    (void)state;
    static lb_packet packet, back;
    packet = (lb_packet){LB_PACKET_COMMANDS, 0x0102030405060708, 1.5, 0, 2, {-2.0, 0.25}};
    // clang-format off
    static const uint8_t expected[48] = {
        'L', 'M', 'B', 'R', 1, 0, 2, 0,  8, 7, 6, 5, 4, 3, 2, 1,  0, 0, 0, 0, 0, 0, 0xf8, 0x3f,
        0, 0, 2, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0xc0,  0, 0, 0, 0, 0, 0, 0xd0, 0x3f};
    // clang-format on
    uint8_t bytes[LB_PACKET_SIZE_MAX];
    assert_int_equal(lb_cli_encode_packet(&packet, bytes), 48);
    assert_memory_equal(bytes, expected, 48);
    assert_true(lb_cli_decode_packet(bytes, 48, &back));
    assert_true(back.kind == LB_PACKET_COMMANDS && back.sequence == packet.sequence);
    assert_true(back.time == 1.5 && back.sensor_count == 0 && back.channel_count == 2);
    assert_true(back.values[0] == -2.0 && back.values[1] == 0.25);
    // any shorter or longer
    for (size_t size = 0; size < 48; ++size) {
        assert_false(lb_cli_decode_packet(bytes, size, &back));
    }
    assert_false(lb_cli_decode_packet(bytes, 49, &back));
    // as large as it gets
    packet.channel_count = LB_PACKET_VALUE_MAX;
    assert_int_equal(lb_cli_encode_packet(&packet, bytes), LB_PACKET_SIZE_MAX);
    assert_true(lb_cli_decode_packet(bytes, LB_PACKET_SIZE_MAX, &back));
}

// ---- the link, without a socket ----------------------------------------------------------------------

// What became of one packet, by the counts of the link.
static char judge(lb_cli_link *link, int port, uint64_t sequence, double time, int count, double t)
{
    const lb_cli_link_counts before = link->counts, *now = &link->counts;
    const lb_packet packet = {LB_PACKET_COMMANDS, sequence, time, 0, count, {(double)sequence}};
    const struct sockaddr_in from = {.sin_port = htons((uint16_t)port)};
    lb_cli_judge_packet(link, lb_cli_encode_packet(&packet, link->bytes), &from, t);
    assert_int_equal(now->received, before.received + 1);
    return now->accepted > before.accepted     ? 'a'
           : now->late > before.late           ? 'l'
           : now->ignored > before.ignored     ? 'i'
           : now->malformed > before.malformed ? 'm'
                                               : '?';
}

static void links_listen_to_one_controller(void **state)
{
    (void)state;
    static lb_cli_link link;
    link = (lb_cli_link){.timeout = 0.1, .first = {.channel_count = 1}};
    // nobody commands before a greeting
    assert_int_equal(judge(&link, 1, 5, 0.0, 1, 0.0), 'i');
    assert_int_equal(judge(&link, 1, 5, 0.0, 0, 1.0), 'a');
    assert_false(link.commanded);
    assert_int_equal(judge(&link, 1, 6, 1.0, 1, 1.01), 'a');
    assert_true(link.commanded && link.commands[0] == 6.0);
    // again, older, from another, of another size, from the future, too late
    assert_int_equal(judge(&link, 1, 6, 1.0, 1, 1.02), 'i');
    assert_int_equal(judge(&link, 1, 2, 1.0, 1, 1.02), 'i');
    assert_int_equal(judge(&link, 2, 9, 1.0, 1, 1.02), 'i');
    assert_int_equal(judge(&link, 2, 9, 1.0, 0, 1.02), 'i');
    assert_int_equal(judge(&link, 1, 9, 1.0, 2, 1.02), 'm');
    assert_int_equal(judge(&link, 1, 9, 1.1, 1, 1.02), 'm');
    assert_int_equal(judge(&link, 1, 9, 0.9, 1, 1.02), 'l');
    assert_true(link.commands[0] == 6.0);
    // numbers may leave gaps; late ones are used up
    assert_int_equal(judge(&link, 1, 9, 1.02, 1, 1.03), 'i');
    assert_int_equal(judge(&link, 1, 20, 1.02, 1, 1.03), 'a');
    assert_true(link.commands[0] == 20.0);
    // after a silence another may greet, or the same anew, but not command without
    assert_int_equal(judge(&link, 2, 1, 1.2, 1, 1.2), 'i');
    assert_int_equal(judge(&link, 1, 1, 0.0, 0, 1.2), 'a');
    assert_int_equal(judge(&link, 1, 2, 1.2, 1, 1.2), 'a');
    assert_int_equal(judge(&link, 2, 1, 0.0, 0, 1.4), 'a');
    assert_int_equal(judge(&link, 1, 3, 1.4, 1, 1.4), 'i');
}

// A forged greeting must not have sensors sent to whoever has the address.
static void greetings_from_other_machines_are_challenged(void **state)
{
    (void)state;
    static lb_cli_link link;
    link = (lb_cli_link){.timeout = 0.1, .first = {.channel_count = 1}, .key = {7, 11}};
    struct sockaddr_in far = {.sin_port = htons(9)};
    far.sin_addr.s_addr = htonl(0x0a000001);
    lb_packet packet = {.kind = LB_PACKET_COMMANDS, .sequence = 1};
    lb_cli_judge_packet(&link, lb_cli_encode_packet(&packet, link.bytes), &far, 0.0);
    assert_false(link.has_peer);
    assert_true(link.challenge_due);
    assert_int_equal(link.counts.ignored, 1);
    // the number is that of the address, and changes with the key
    packet.sequence = lb_cli_get_challenge(&link, &far);
    struct sockaddr_in other = far;
    other.sin_port = htons(10);
    assert_true(lb_cli_get_challenge(&link, &other) != packet.sequence);
    lb_cli_judge_packet(&link, lb_cli_encode_packet(&packet, link.bytes), &other, 0.0);
    assert_false(link.has_peer);
    lb_cli_judge_packet(&link, lb_cli_encode_packet(&packet, link.bytes), &far, 0.0);
    assert_true(link.has_peer);
    // its own numbers start anywhere
    packet = (lb_packet){LB_PACKET_COMMANDS, 1, 0.0, 0, 1, {5.0}};
    lb_cli_judge_packet(&link, lb_cli_encode_packet(&packet, link.bytes), &far, 0.01);
    assert_true(link.commanded && link.commands[0] == 5.0);
}

static void nothing_is_sent_to_a_silent_controller(void **state)
{
    (void)state;
    static lb_cli_link link;
    link = (lb_cli_link){.timeout = 0.05, .first = {.channel_count = 1}};
    assert_int_equal(judge(&link, 1, 1, 0.0, 0, 0.0), 'a');
    lb_cli_drop_silent_peer(&link, 0.9);
    assert_true(link.has_peer);
    lb_cli_drop_silent_peer(&link, 1.1);
    assert_false(link.has_peer);
    assert_int_equal(judge(&link, 1, 2, 1.1, 1, 1.1), 'i');
    assert_int_equal(judge(&link, 1, 3, 0.0, 0, 1.1), 'a');
}

// ---- a controller ----------------------------------------------------------------------------------

typedef struct controller {
    int socket;
    struct sockaddr_in server;
    uint64_t sequence;
    lb_packet seen;
} controller;

static controller open_controller(int port)
{
    controller c = {.socket = socket(AF_INET, SOCK_DGRAM, 0),
                    .server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)}};
    assert_true(c.socket >= 0);
    c.server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return c;
}

static void send_bytes(const controller *c, const uint8_t *bytes, size_t size)
{
    assert_int_equal(
        sendto(c->socket, bytes, size, 0, (const struct sockaddr *)&c->server, sizeof c->server),
        (ssize_t)size);
}

// A greeting, with `count` 0, or a command.
static void send_command(const controller *c, uint64_t sequence, double time, int count,
                         double command)
{
    static lb_packet packet;
    static uint8_t bytes[LB_PACKET_SIZE_MAX];
    packet = (lb_packet){LB_PACKET_COMMANDS, sequence, time, 0, count, {command, command}};
    send_bytes(c, bytes, lb_cli_encode_packet(&packet, bytes));
}

// The newest sensors, which have not been seen before.
static void receive_sensors(controller *c)
{
    static uint8_t bytes[LB_PACKET_SIZE_MAX];
    struct pollfd wait = {.fd = c->socket, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, -1), 1);
    do {
        const ssize_t size = recv(c->socket, bytes, sizeof bytes, 0);
        assert_true(size > 0);
        const uint64_t before = c->seen.sequence;
        assert_true(lb_cli_decode_packet(bytes, (size_t)size, &c->seen));
        assert_true(c->seen.kind == LB_PACKET_SENSORS && c->seen.sequence > before);
        assert_true(c->seen.sensor_count == 1 && c->seen.channel_count == 1);
    } while (poll(&wait, 1, 0) == 1);
    // the sensor and the position agree
    assert_true(c->seen.values[0] == c->seen.values[1]);
}

static void receive_until(controller *c, double t)
{
    while (c->seen.time < t) {
        receive_sensors(c);
    }
}

// Nonsense of every kind; returns how much.
static int send_nonsense(const controller *c, double time)
{
    static const struct {
        int offset;
        uint8_t value;
    } changes[] = {{0, 'X'}, {4, 2}, {6, 1}, {6, 3}, {24, 1}, {26, 2}, {26, 0}, {28, 1}};
    lb_packet packet = {LB_PACKET_COMMANDS, 1000000, time, 0, 1, {1.0}};
    static uint8_t bytes[LB_PACKET_SIZE_MAX], longer[LB_PACKET_SIZE_MAX + 100];
    const size_t size = lb_cli_encode_packet(&packet, bytes);
    int count = 0;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i, ++count) {
        const uint8_t kept = bytes[changes[i].offset];
        bytes[changes[i].offset] = changes[i].value;
        send_bytes(c, bytes, size);
        bytes[changes[i].offset] = kept;
    }
    const size_t sizes[] = {0, 1, 31, size - 1, size + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i, ++count) {
        send_bytes(c, bytes, sizes[i]);
    }
    memcpy(longer, bytes, size);
    send_bytes(c, longer, sizeof longer);
    // numbers that are none, a time that has not come, no sequence number, another model's size
    send_command(c, 1000000, time, 1, (double)NAN);
    send_command(c, 1000000, time, 1, (double)INFINITY);
    send_command(c, 1000000, (double)NAN, 1, 1.0);
    send_command(c, 1000000, -1.0, 1, 1.0);
    send_command(c, 1000000, 1e6, 1, 1.0);
    send_command(c, 0, time, 1, 1.0);
    send_command(c, 1000000, time, 2, 1.0);
    return count + 8;
}

// ---- the command, in a process of its own ------------------------------------------------------------

typedef struct server {
    pid_t process;
    FILE *out;
    int port;
} server;

static server start_server(const char *model)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    server s = {.process = fork()};
    assert_true(s.process >= 0);
    if (s.process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(lb_find_built("limber"), "limber", "serve", model, "--rate", "1000", "--port", "0",
              "--timeout", "1", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    s.out = fdopen(ends[0], "r");
    assert_non_null(s.out);
    char line[256];
    assert_non_null(fgets(line, sizeof line, s.out));
    assert_int_equal(sscanf(line, "serving 127.0.0.1:%d", &s.port), 1);
    return s;
}

static long long find_count(const char *report, const char *name)
{
    const char *line = strstr(report, name);
    assert_non_null(line);
    return atoll(line + strlen(name));
}

static void serve_survives_a_bad_network(void **state)
{
    (void)state;
    server s = start_server(lb_write_file("mass.yaml", MASS("rk4")));
    controller c = open_controller(s.port), stranger = open_controller(s.port);
    int malformed = send_nonsense(&c, 0.0), ignored = 0, valid = 0;
    // commands before a greeting come from nobody
    send_command(&stranger, 1, 0.0, 1, 1.0), ++ignored;
    send_command(&c, ++c.sequence, 0.0, 0, 0.0), ++valid;
    receive_sensors(&c);
    assert_true(c.seen.values[2] == 0.0);

    // a push of 4 N, in packets that get lost, come twice or too late
    for (int i = 0; i < 500; ++i) {
        receive_sensors(&c);
        const uint64_t number = ++c.sequence;
        if (i % 7 == 0) {
            continue; // lost
        }
        send_command(&c, number, c.seen.time, 1, 4.0), ++valid;
        if (i % 10 == 1) {
            send_command(&c, number, c.seen.time, 1, -1e6), ++ignored;
        }
        if (i % 10 == 2) {
            send_command(&c, number - 1, c.seen.time, 1, -1e6), ++ignored;
        }
        if (i % 50 == 3) {
            malformed += send_nonsense(&c, c.seen.time);
            send_command(&stranger, number + 100, c.seen.time, 1, -1e6), ++ignored;
        }
    }
    receive_until(&c, 1.1);
    // an answer to sensors of long ago
    send_command(&c, ++c.sequence, 0.01, 1, -1e6), ++valid;
    // silence, and after the time-out no force
    const double silent = c.seen.time;
    receive_until(&c, silent + 1.1);
    const double speed = c.seen.values[2];
    assert_true(speed > 0.0 && speed < 4.0 / 2.0 * c.seen.time + 1e-9);
    receive_until(&c, silent + 1.2);
    assert_true(fabs(c.seen.values[2] - speed) < 1e-12);

    kill(s.process, SIGINT);
    char report[4096];
    const size_t length = fread(report, 1, sizeof report - 1, s.out);
    report[length] = 0;
    int status;
    assert_int_equal(waitpid(s.process, &status, 0), s.process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    print_message("%s", report);
    assert_int_equal(find_count(report, "\nreceived "), valid + ignored + malformed);
    assert_int_equal(find_count(report, "\nmalformed "), malformed);
    assert_int_equal(find_count(report, "\nignored "), ignored);
    // on a busy machine more may be late than the one that is meant to be
    const long long late = find_count(report, "\nlate ");
    assert_true(late >= 1);
    assert_int_equal(find_count(report, "\naccepted ") + late, valid);
    assert_true(find_count(report, "\ntime-outs ") >= 1);
    assert_true(find_count(report, "\npackets sent ") >= (long long)c.seen.sequence);
    assert_true((double)find_count(report, "\nsteps ") >= 1000.0 * c.seen.time);
    fclose(s.out);
    close(c.socket);
    close(stranger.socket);
}

static void serve_says_what_is_wrong(void **state)
{
    (void)state;
    const char *good = lb_write_file("good.yaml", MASS("rk4"));
    const struct {
        const char *option, *value, *model, *expected;
    } cases[] = {
        {"--rate", "0", good, "expected a number from 1"},
        {"--rate", "1500", good, "not a multiple of the rate of controller 'push', 1000"},
        {"--rate", "500", good, "not a multiple"},
        {"--controller", "pull", good, "there is no controller 'pull'"},
        {"--bind", "localhost", good, "expected an IPv4 address"},
        {"--bind", "203.0.113.1", good, "cannot listen on 203.0.113.1"},
        {"--integrator", "bdf", good, "expected rk4, euler or alpha"},
        {"--port", "70000", good, "from 0 to 65535"},
        {"-o", "served.h5", good, "--output needs --duration"},
        {"--duration", "1", lb_find_source("examples/double_pendulum.yaml"), "type: callback"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lb_cli_run run =
            lb_run(NULL, "serve", cases[i].model, "--port", "0", cases[i].option, cases[i].value);
        assert_true(run.status == 1 || run.status == 2);
        if (!strstr(run.err, cases[i].expected)) {
            fail_msg("'%s' instead of '%s'", run.err, cases[i].expected);
        }
        lb_end_run(&run);
    }
    // an integrator that chooses its steps is replaced, and that is said
    lb_cli_run run = lb_run(NULL, "serve", lb_write_file("erk.yaml", MASS("erk")), "--duration",
                            "0.01", "--port", "0", "--step", "0.0004");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "rk4 is used instead"));
    assert_int_equal(find_count(run.out, "\nsteps "), 10);
    lb_end_run(&run);
}

static void controllers_that_cannot_be_served_are_named(void **state)
{
    (void)state;
    enum { SENSORS = 1100, SIZE = 64 * SENSORS };
    char *text = malloc(SIZE);
    assert_non_null(text);
    snprintf(text, SIZE, "%s",
             MASS("rk4") "initial: {cart: {rate: 0.3}}\n"
                         "signals: {twice: 2*cart.distance}\n");
    // one more controller of the same kind
    char *list = strstr(text, "run:");
    assert_non_null(list);
    char rest[256];
    snprintf(rest, sizeof rest, "%s", list);
    snprintf(list, (size_t)(SIZE - (list - text)),
             "  - {name: pull, rate: 1000, sensors: [{name: s, signal: twice}],\n"
             "     actuators: [drive], law: {type: callback}}\n%s",
             rest);
    lb_cli_run run =
        lb_run(NULL, "serve", lb_write_file("two.yaml", text), "--port", "0", "--duration", "0.01");
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "serve: controllers 'push' and 'pull' are both of type "
                                    "callback, and one can be served\n"));
    lb_end_run(&run);

    // more numbers than a packet holds: 8 bytes each, after a head of 32
    int used =
        snprintf(text, SIZE,
                 "limber: 1\n"
                 "bodies: [{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 2}]\n"
                 "forces: [{name: drive, type: actuator, hinge: cart}]\n"
                 "controllers:\n"
                 "  - name: push\n"
                 "    rate: 1000\n"
                 "    actuators: [drive]\n"
                 "    law: {type: callback}\n"
                 "    sensors:\n");
    for (int i = 0; i < SENSORS; ++i) {
        used += snprintf(text + used, (size_t)(SIZE - used),
                         "      - {name: s%d, signal: cart.distance}\n", i);
    }
    run = lb_run(NULL, "serve", lb_write_file("many.yaml", text), "--port", "0", "--duration",
                 "0.01");
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(run.err, "serve: controller 'push' has 1100 sensors and 1 actuators, "
                                    "more than a packet of 8192 bytes holds\n"));
    lb_end_run(&run);
    free(text);
}

// ---- recording ---------------------------------------------------------------------------------------

static int give_nothing(void *user, const lb_control_sample *sample, double *commands)
{
    (void)user;
    memset(commands, 0, (size_t)sample->channel_count * sizeof *commands);
    return 0;
}

// Nobody answers, so that the commands are zero: the file has the bits of a run without commands.
static void what_is_served_is_recorded(void **state)
{
    (void)state;
    static const char text[] =
        MASS("{type: rk4, step: 0.001}") "initial: {cart: {rate: 0.3}}\n"
                                         "events: [{name: far, when: cart.distance, crosses: 0.03, "
                                         "then: {lock: cart}}]\n";
    char served[512], run[512], model[512];
    snprintf(model, sizeof model, "%s", lb_write_file("served.yaml", text));
    snprintf(served, sizeof served, "%s.h5", model);
    snprintf(run, sizeof run, "%s.run.h5", model);
    lb_cli_run serve =
        lb_run(NULL, "serve", model, "--port", "0", "--duration", "0.205", "-o", served);
    if (serve.status != 0) {
        fail_msg("%s", serve.err);
    }
    assert_non_null(strstr(serve.out, "results           "));
    lb_end_run(&serve);

    lb_course course = lb_begin_course(text);
    lb_run_options o = {.size = sizeof o};
    lb_get_run_options(course.simulation, &o);
    o.duration = 0.205;
    lb_expect_ok(lb_set_run_options(course.simulation, &o));
    lb_expect_ok(lb_set_control_callback(course.simulation, "push", give_nothing, NULL));
    lb_run_request request = lb_default_run_request();
    request.path = run;
    request.model_text = text;
    request.model_length = strlen(text);
    lb_expect_ok(lb_run_simulation(course.simulation, &request, NULL));
    lb_end_course(&course);

    lb_results *a = NULL, *b = NULL;
    lb_expect_ok(lb_open_results(served, NULL, &a));
    lb_expect_ok(lb_open_results(run, NULL, &b));
    // every 10 ms, and the end
    assert_int_equal(lb_get_results_info(a)->row_count, 22);
    assert_int_equal(lb_get_results_info(b)->row_count, 22);
    assert_int_equal(lb_get_results_info(a)->ending, 1);
    assert_string_equal(lb_get_results_info(a)->hash, lb_get_results_info(b)->hash);
    assert_int_equal(lb_get_results_info(a)->event_count, lb_get_results_info(b)->event_count);
    assert_int_equal(lb_get_results_info(a)->table_count, lb_get_results_info(b)->table_count);
    double x[22 * 32], y[22 * 32];
    for (int i = 0; i < lb_get_results_info(a)->table_count; ++i) {
        const int count = lb_get_results_info(a)->tables[i].column_count;
        assert_true(count <= 32);
        lb_expect_ok(lb_read_table(a, i, 0, 22, x));
        lb_expect_ok(lb_read_table(b, i, 0, 22, y));
        assert_memory_equal(x, y, 22 * (size_t)count * sizeof *x);
    }
    lb_audit audit = {.size = sizeof audit};
    lb_expect_ok(lb_read_audit(a, &audit));
    assert_true(audit.time == 0.205);
    lb_close_results(a);
    lb_close_results(b);
    unlink(served);
    unlink(run);
}

// A stop is told on the other stream, so that the report stays JSON.
static void reports_come_as_json(void **state)
{
    (void)state;
    static const char text[] =
        MASS("{type: rk4, step: 0.001}") "initial: {cart: {rate: 0.3}}\n"
                                         "events: [{name: far, when: cart.distance, crosses: 0.03, "
                                         "then: stop}]\n";
    char model[512], served[512];
    snprintf(model, sizeof model, "%s", lb_write_file("stopped.yaml", text));
    snprintf(served, sizeof served, "%s.h5", model);
    lb_cli_run run =
        lb_run(NULL, "serve", model, "--json", "--port", "0", "--duration", "0.5", "-o", served);
    json_t *answer = json_loads(run.out, 0, NULL);
    if (!answer) {
        fail_msg("%s%s", run.out, run.err);
    }
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.err, "controller        push: 1 sensors, 1 actuators\n"));
    assert_non_null(strstr(run.err, "stopped by event: far\n"));
    // 0.03 m at 0.3 m/s: the step to 0.1 s is not ended
    const json_t *packets = json_object_get(answer, "packets");
    const json_t *written = json_object_get(answer, "written");
    assert_int_equal(json_integer_value(json_object_get(answer, "steps")), 99);
    assert_true(json_number_value(json_object_get(answer, "simulated")) == 0.099);
    assert_true(json_number_value(json_object_get(answer, "late_max")) >=
                json_number_value(json_object_get(answer, "late_mean")));
    assert_int_equal(json_integer_value(json_object_get(packets, "received")), 0);
    assert_int_equal(json_integer_value(json_object_get(packets, "accepted")), 0);
    assert_int_equal(json_array_size(written), 1);
    assert_string_equal(json_string_value(json_array_get(written, 0)), served);
    json_decref(answer);
    lb_end_run(&run);
    unlink(served);
}

// ---- the same in this process, where allocations are counted ----------------------------------------

#if LB_OWN_MALLOC

static void *serve_here(void *user)
{
    const lb_cli_command command = {
        .name = "serve",
        .operands = "MODEL",
        .options = {{"port", "N", ""},
                    {"duration", "S", ""},
                    {"timeout", "S", ""},
                    {"output", "FILE", ""}},
    };
    lb_cli_arguments arguments;
    assert_int_equal(lb_cli_parse_arguments(&command, 5, user, &arguments), 0);
    lb_cli_run_serve(&arguments);
    return NULL;
}

static void serve_allocates_nothing_while_it_runs(void **state)
{
    (void)state;
    char model[256], output[280], line[256];
    snprintf(model, sizeof model, "%s", lb_write_file("here.yaml", MASS("rk4")));
    snprintf(output, sizeof output, "--output=%s.h5", model);
    char any[] = "--port=0", duration[] = "--duration=3600", patience[] = "--timeout=1000",
         *words[] = {model, any, duration, patience, output};
    // it says its port on standard output
    int ends[2], port;
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serve_here, words), 0);
    FILE *said = fdopen(ends[0], "r");
    assert_non_null(fgets(line, sizeof line, said));
    assert_int_equal(sscanf(line, "serving 127.0.0.1:%d", &port), 1);
    controller c = open_controller(port);
    send_command(&c, ++c.sequence, 0.0, 0, 0.0);
    receive_sensors(&c);
    const long before = lb_malloc_count, freed = lb_free_count;
    for (int i = 0; i < 300; ++i) {
        send_command(&c, ++c.sequence, c.seen.time, 1, 1.0);
        receive_sensors(&c);
    }
    const long after = lb_malloc_count, freed_after = lb_free_count;
    kill(getpid(), SIGINT);
    assert_int_equal(pthread_join(thread, NULL), 0);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    fclose(said);
    close(c.socket);
    unlink(output + strlen("--output="));
    assert_true(before > 0);
    assert_int_equal(after - before, 0);
    assert_int_equal(freed_after - freed, 0);
}

#else

static void serve_allocates_nothing_while_it_runs(void **state)
{
    (void)state;
    skip();
}

#endif

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_laid_out_as_documented),
        cmocka_unit_test(links_listen_to_one_controller),
        cmocka_unit_test(greetings_from_other_machines_are_challenged),
        cmocka_unit_test(nothing_is_sent_to_a_silent_controller),
        cmocka_unit_test(serve_survives_a_bad_network),
        cmocka_unit_test(serve_says_what_is_wrong),
        cmocka_unit_test(controllers_that_cannot_be_served_are_named),
        cmocka_unit_test(what_is_served_is_recorded),
        cmocka_unit_test(reports_come_as_json),
        cmocka_unit_test(serve_allocates_nothing_while_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
