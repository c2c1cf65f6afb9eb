// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber: the command. Finds the subcommand, runs it, and sees that what it printed has arrived.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "console.h"
#include "help.h"
#include "output.h"
#include "progress.h"
#include "settings.h"

// Whoever started us may have closed our standard streams; the next file opened would then take
// their place. Fill the gaps with something that cannot be written to.
static void plug_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            const int plug = open("/dev/null", O_RDONLY);
            (void)plug; // the lowest free number is fd itself
        }
    }
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        lb_cli_print_help(stderr);
        return LB_CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "-v") == 0) {
        return lb_cli_run_version(NULL);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        lb_cli_print_help(stdout);
        return LB_CLI_DONE;
    }
    const lb_cli_command *command = lb_cli_find_command(argv[1]);
    if (!command) {
        return lb_cli_refuse_command(argv[1]);
    }
    if (wants_help(argc - 2, argv + 2)) {
        lb_cli_print_command_help(stdout, command);
        return LB_CLI_DONE;
    }
    lb_cli_arguments arguments;
    int status = lb_cli_parse_arguments(command, argc - 2, argv + 2, &arguments);
    status = status == LB_CLI_DONE ? lb_cli_read_settings(&arguments) : status;
    if (status != LB_CLI_DONE) {
        return status;
    }
    const bool lists = command->lists_written && lb_cli_get_option(&arguments, "json");
    if (lists) {
        lb_cli_collect_written();
    }
    status = command->run(&arguments);
    lb_cli_clear_progress();
    if (lists && status == LB_CLI_DONE) {
        lb_cli_json json = lb_cli_json_start(stdout);
        lb_cli_json_open(&json, NULL, '{');
        lb_cli_put_written(&json);
        lb_cli_json_close(&json, '}');
        lb_cli_json_finish(&json);
    }
    return status;
}

int main(int argc, char **argv)
{
    plug_standard_streams();
    // one write per line: there may be a hundred thousand of them
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    // a reader that goes away shall give an error to report, not kill us silently
    signal(SIGPIPE, SIG_IGN);
    // likewise a file that becomes larger than this process may write
    signal(SIGXFSZ, SIG_IGN);
    // characters only: numbers keep their decimal point everywhere. A lack of memory is not always told from a
    // locale that is not there: the second time, it is
    if (!setlocale(LC_CTYPE, "") && !setlocale(LC_CTYPE, "") && errno == ENOMEM) {
        lb_cli_run_out();
    }
    lb_cli_watch_jansson();

    const char *clock = getenv("LIMBER_CLOCK"); // given by a test: seconds from reading to reading
    if (clock) {
        lb_set_clock(strtod(clock, NULL));
    }
    const double start = lb_get_wall_time();
    int status = run(argc, argv);
    if (lb_cli_get_volume() > 0) {
        lb_cli_complain("limber %s, %.3g s", lb_get_version(), lb_get_wall_time() - start);
    }

    // an answer that did not arrive is no success: disk full, pipe closed
    int error = lb_cli_find_write_error(stdout);
    if (error == 0 && fclose(stdout) != 0) {
        error = errno;
    }
    if (error == EPIPE) {
        // the reader has seen enough, as `| head` has: nothing to say
        status = status == LB_CLI_DONE ? LB_CLI_FAILED : status;
    } else if (error != 0) {
        lb_cli_complain("cannot write standard output: %s", strerror(error));
        status = status == LB_CLI_DONE ? LB_CLI_FAILED : status;
    }
    return status;
}
