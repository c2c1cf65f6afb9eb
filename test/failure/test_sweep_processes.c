// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Sweeps whose processes are killed or stopped, whose parts a scheduler chooses, and whose commands are wrong.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "limber/sweep.h"
#include "run_cli.h"
#include "scratch.h"

extern char **environ;

// An arm on a spring: 2.5 kg m^2, k N m/rad. The slow one has a cart besides, whose law reads a model of its own.
#define BODIES                                                                                     \
    "limber: 1\n"                                                                                  \
    "parameters: {k: {value: 10, range: [1, 100]}}\n"                                              \
    "bodies:\n"                                                                                    \
    "  - {name: arm, hinge: {type: revolute, axis: [0, 0, 1]}, mass: 2, com: [1, 0, 0],\n"         \
    "     inertia: [0.1, 0.1, 0.5, 0, 0, 0]}\n"
#define FORCES                                                                                     \
    "forces:\n"                                                                                    \
    "  - {name: spring, type: spring, hinge: arm, stiffness: k}\n"
#define RUN                                                                                        \
    "initial: {arm: {angle: 0.3}}\n"                                                               \
    "run: {duration: 1, interval: 0.05, integrator: {type: rk4, step: 1.0e-3}}\n"
#define MODEL BODIES FORCES RUN
#define CART "{name: cart, hinge: {type: prismatic, axis: [1, 0, 0]}, mass: 1}"
#define OWN "limber: 1\nbodies: [" CART "]\n"
#define SLOW_MODEL                                                                                 \
    BODIES "  - " CART "\n" FORCES "  - {name: drive, type: actuator, hinge: cart}\n"              \
           "controllers:\n"                                                                        \
           "  - name: hold\n"                                                                      \
           "    rate: 10\n"                                                                        \
           "    sensors: [{name: x, signal: cart.distance}, {name: v, signal: cart.rate}]\n"       \
           "    actuators: [{actuator: drive, position: x, speed: v, desired: 0}]\n"               \
           "    law: {type: computed-torque, kp: 1, kd: 1, model: own.yaml}\n" RUN

#define MODES                                                                                      \
    "limber_sweep: 1\nmodel: model.yaml\nvary: {k: {values: [10, 20, 30, 40, 50, 60]}}\n"          \
    "sampling: list\njob: modes\noutputs: {f: {frequency: 1}, zeta: {damping: 1}}\n"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *name)
{
    static char text[8192];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void expect(const lb_cli_case *cases, size_t count)
{
    lb_expect_cases(cases, (int)count, NULL);
}

// ---- processes that are killed -----------------------------------------------------------------

static pid_t start_sweep(const char *plan, const char *said)
{
    char *const words[] = {(char *)(uintptr_t)lb_find_built("limber"),
                           (char *)(uintptr_t) "sweep",
                           (char *)(uintptr_t)plan,
                           (char *)(uintptr_t) "--workers",
                           (char *)(uintptr_t) "1",
                           NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC,
                                     0644);
    assert_int_equal(posix_spawn(&child, lb_find_built("limber"), &actions, NULL, words, environ),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

// The process that a sweep has started.
static pid_t find_worker(pid_t sweep)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)sweep, (long)sweep);
    for (;;) {
        long pid = 0;
        FILE *file = fopen(path, "r");
        siginfo_t end = {0};
        assert_int_equal(waitid(P_PID, (id_t)sweep, &end, WEXITED | WNOHANG | WNOWAIT), 0);
        if (end.si_pid != 0) {
            fail_msg("the sweep has ended: %s", read_text("said"));
        }
        assert_non_null(file);
        const int found = fscanf(file, "%ld", &pid);
        fclose(file);
        if (found == 1) {
            return (pid_t)pid;
        }
        sched_yield();
    }
}

// Starts a sweep whose worker reads own.yaml from a pipe for each sample. It waits for the lock of its rows until the
// pipe is there: the process that starts it reads the file itself.
static pid_t start_slow_sweep(void)
{
    mkdir("slow.sweep", 0777);
    const int rows =
        open("slow.sweep/part-1-of-1-worker-1.rows", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(rows, F_SETLK, &whole), 0);
    setenv("LIMBER_CLOCK", "0", 1); // it is patient
    const pid_t sweep = start_sweep("slow.yaml", "said");
    unsetenv("LIMBER_CLOCK");
    find_worker(sweep);
    assert_int_equal(rename("own.yaml", "kept.yaml"), 0);
    assert_int_equal(mkfifo("own.yaml", 0600), 0);
    close(rows);
    return sweep;
}

// When the worker has opened the pipe it computes a sample.
static int open_pipe(void)
{
    const int pipe = open("own.yaml", O_WRONLY);
    assert_true(pipe >= 0);
    return pipe;
}

static void kill_worker(pid_t sweep, int number)
{
    const int pipe = open_pipe();
    const pid_t worker = find_worker(sweep);
    while (kill(worker, number) == 0) {
        sched_yield();
        number = 0; // until the sweep knows
    }
    close(pipe);
}

static void fill_pipe(int pipe)
{
    assert_int_equal(write(pipe, OWN, sizeof OWN - 1), sizeof OWN - 1);
    close(pipe);
}

static int wait_for(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

// The worker of the first sample crashes, those of the second one are killed from outside.
static void crashes_are_recorded_and_kills_are_tried_again(void **state)
{
    (void)state;
    write_text("slow.yaml", "limber_sweep: 1\nmodel: slow_model.yaml\n"
                            "vary: {run.duration: {values: [1, 1, 0.1]},"
                            " run.interval: {values: [1, 1, 0.1]}}\n"
                            "sampling: list\njob: run\noutputs: {y: {signal: arm.angle}}\n");
    write_text("slow_model.yaml", SLOW_MODEL);
    write_text("own.yaml", OWN);
    const pid_t sweep = start_slow_sweep();
    kill_worker(sweep, SIGABRT);
    kill_worker(sweep, SIGKILL);
    kill_worker(sweep, SIGKILL);
    fill_pipe(open_pipe());
    assert_int_equal(wait_for(sweep), 1);
    assert_string_equal(read_text("said"),
                        "limber: sweep: two processes were killed with signal 9 at sample 1, which "
                        "stays open\n"
                        "limber: 2 of 3 samples are done; limber sweep resume slow.yaml goes on\n");
    assert_int_equal(rename("kept.yaml", "own.yaml"), 0);
    lb_cli_run run = lb_run(NULL, "sweep", "merge", "slow.yaml", "--partial");
    assert_int_equal(run.status, 0);
    double angle = 0.0;
    const char *last = strstr(run.out, "\n2,");
    assert_non_null(strstr(run.out, "\n0,1,1,,\"the process crashed with signal 6 "
                                    "(Aborted)\"\n"));
    assert_null(strstr(run.out, "\n1,"));
    assert_non_null(last);
    assert_int_equal(sscanf(last, " 2,%*f,%*f,%lf", &angle), 1);
    // 1e-12: rk4 with h omega = 0.002 errs by (h omega)^4 t omega / 120, 3e-14
    lb_expect_near("angle", angle, 0.3 * cos(0.2), 1e-12);
    lb_end_run(&run);

    // started again, it has one sample left, and is asked to stop
    const pid_t again = start_slow_sweep();
    const int pipe = open_pipe();
    assert_int_equal(kill(again, SIGUSR1), 0);
    assert_int_equal(kill(find_worker(again), SIGUSR1), 0);
    fill_pipe(pipe);
    assert_int_equal(wait_for(again), 1);
    assert_string_equal(read_text("said"),
                        "limber: 2 of 3 samples are done, and it was asked to stop; limber sweep "
                        "resume slow.yaml goes on\n");
}

// ---- parts -------------------------------------------------------------------------------------

// What schedulers tell a process, and the part that it then does.
static void schedulers_choose_the_part(void **state)
{
    (void)state;
    static const struct {
        const char *variables[8], *parts, *said;
    } table[] = {
        {{"SLURM_ARRAY_TASK_ID", "5"}, "4", "part 2 of 4: 2 samples in DIR\n"},
        {{"SLURM_ARRAY_TASK_ID", "8", "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_STEP", "2",
          "SLURM_ARRAY_TASK_COUNT", "3"},
         NULL,
         "part 3 of 3: 2 samples in DIR\n"},
        {{"SLURM_ARRAY_TASK_ID", "1", "SLURM_ARRAY_TASK_MIN", "4", "SLURM_ARRAY_TASK_COUNT", "2"},
         NULL,
         "part 1 of 2: 3 samples in DIR\n"},
        {{"SLURM_ARRAY_TASK_ID", "1", "SLURM_ARRAY_TASK_COUNT", "0"}, NULL, "6 samples in DIR\n"},
        {{"HQ_TASK_ID", "3"}, "2", "part 2 of 2: 3 samples in DIR\n"},
        {{"HQ_TASK_ID", "3"}, NULL, "6 samples in DIR\n"},
        {{"SLURM_STEP_ID", "0", "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "3",
          "SLURM_CPUS_PER_TASK", "2"},
         NULL,
         "part 2 of 3: 2 samples in DIR\n"},
        {{"PMI_RANK", "1", "PMI_SIZE", "2"}, NULL, "part 2 of 2: 3 samples in DIR\n"},
        {{"PMI_RANK", "2", "PMI_SIZE", "2"}, NULL, "6 samples in DIR\n"},
        {{"PMI_RANK", "one", "PMI_SIZE", "2"}, NULL, "6 samples in DIR\n"},
        {{"PMI_RANK", "", "PMI_SIZE", "2"}, NULL, "6 samples in DIR\n"},
    };
    write_text("plan.yaml", MODES);
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        char folder[16], said[64];
        const char *const *variables = table[i].variables;
        snprintf(folder, sizeof folder, "part%zu", i);
        snprintf(said, sizeof said, "%.*s%s\n", (int)(strlen(table[i].said) - 4), table[i].said,
                 folder);
        for (int k = 0; k < 8 && variables[k]; k += 2) {
            setenv(variables[k], variables[k + 1], 1);
        }
        const char *words[9] = {"sweep", "plan.yaml", "--folder", folder};
        words[4] = table[i].parts ? "--parts" : NULL;
        words[5] = table[i].parts;
        lb_cli_run run = lb_run_cli(NULL, words);
        for (int k = 0; k < 8 && variables[k]; k += 2) {
            unsetenv(variables[k]);
        }
        print_message("%s%s", run.out, run.err);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.out, said);
        lb_end_run(&run);
    }
    setenv("SLURM_ARRAY_TASK_ID", "0", 1);
    setenv("SLURM_ARRAY_TASK_COUNT", "1000000", 1);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "2", 1);
    const lb_cli_case many = {
        {"sweep", "plan.yaml"}, 2, "", "sweep: 2000000 parts, expected at most 1000000\n"};
    expect(&many, 1);
    unsetenv("SLURM_ARRAY_TASK_ID");
    unsetenv("SLURM_ARRAY_TASK_COUNT");
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
}

// ---- what the commands say ---------------------------------------------------------------------

static void the_state_of_a_sweep_is_told(void **state)
{
    (void)state;
    write_text("plan.yaml", MODES);
    const lb_cli_case cases[] = {
        {{"sweep", "plan.yaml", "--folder", "told", "--part", "1/2"},
         0,
         "part 1 of 2: 3 samples in told\n",
         ""},
        {{"sweep", "status", "plan.yaml", "--folder", "told"},
         0,
         "samples  6\ndone     3\nfailed   0\nopen     3\n",
         ""},
        {{"sweep", "statistics", "plan.yaml", "--folder", "told"},
         1,
         "",
         "3 of 6 samples are not done: limber sweep resume plan.yaml goes on; --partial takes what "
         "is there\n"},
        {{"sweep", "run", "plan.yaml", "--folder", "told", "--part", "1/2"},
         0,
         "part 1 of 2: 3 samples in told\n",
         ""},
    };
    expect(cases, sizeof cases / sizeof *cases);
    lb_cli_run run = lb_run(NULL, "sweep", "status", "plan.yaml", "--folder", "told", "--json");
    json_t *answer = json_loads(run.out, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(answer, "samples")), 6);
    assert_int_equal(json_integer_value(json_object_get(answer, "done")), 3);
    assert_int_equal(json_integer_value(json_object_get(answer, "failed")), 0);
    assert_int_equal(json_integer_value(json_object_get(answer, "seed")), 0);
    assert_int_equal(strlen(json_string_value(json_object_get(answer, "hash"))), 64);
    json_decref(answer);
    lb_end_run(&run);

    // three samples in the last 300 s: three more take as long
    write_text("told/started", "0\n");
    const time_t started = time(NULL) - 300;
    const struct timespec times[2] = {{.tv_sec = started}, {.tv_sec = started}};
    assert_int_equal(utimensat(AT_FDCWD, "told/started", times, 0), 0);
    run = lb_run(NULL, "sweep", "status", "plan.yaml", "--folder", "told");
    const double passed = difftime(time(NULL), started);
    double left = 0.0;
    const char *line = strstr(run.out, "left     about ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "left about %lf s, if it goes on as since the last start", &left),
                     1);
    assert_true(left >= 300.0 && left <= passed);
    lb_end_run(&run);
}

static void one_sample_is_shown_as_other_commands_take_it(void **state)
{
    (void)state;
    write_text("plan.yaml", MODES);
    write_text("trimmed.yaml", "limber_sweep: 1\nmodel: model.yaml\n"
                               "vary: {k: {values: [10, 20]}, bodies.arm.mass: {values: [2, 3]}}\n"
                               "sampling: grid\n"
                               "job: {type: run, duration: 0.25, trim: true, assemble: true}\n"
                               "outputs: {y: {signal: arm.angle}}\n");
    const lb_cli_case cases[] = {
        {{"sweep", "show", "plan.yaml", "--index", "5"}, 0, "model.yaml --set k=60\n", ""},
        {{"sweep", "show", "trimmed.yaml", "--index", "2"},
         0,
         "model.yaml --duration 0.25 --assemble --trim --set k=20,bodies.arm.mass=2\n",
         ""},
        {{"sweep", "show", "plan.yaml", "--index", "6"}, 2, "", "--index: '6' given"},
    };
    expect(cases, sizeof cases / sizeof *cases);

    static const struct {
        const char *input, *said;
        int status;
    } wrong[] = {
        {"{\"k\": \"x\"}", "limber: sweep: 'k': expected a number\n", 2},
        {"{\"z\": 1}", "limber: sweep: 'z' given, which the plan does not vary\n", 2},
        {"{\"k\": 1", "limber: sweep: standard input: '}' expected near end of file\n", 2},
        {"  \n 12\n1 other\n",
         "limber: sweep: standard input has no value for 'k': expected an object such as "
         "{\"k\": 1}, or lines with a number and a name\n",
         2},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        lb_cli_run run = lb_run(wrong[i].input, "sweep", "evaluate", "plan.yaml");
        assert_string_equal(run.err, wrong[i].said);
        assert_string_equal(run.out, "");
        assert_int_equal(run.status, wrong[i].status);
        lb_end_run(&run);
    }
    lb_cli_run run = lb_run("{\"k\": 1000}", "sweep", "evaluate", "plan.yaml");
    json_t *answer = json_loads(run.out, 0, NULL);
    assert_int_equal(run.status, 1);
    assert_non_null(strstr(json_string_value(json_object_get(answer, "failure")),
                           "1000 was set, expected a value of its range"));
    json_decref(answer);
    lb_end_run(&run);
}

static void scripts_repeat_what_was_asked(void **state)
{
    (void)state;
    write_text("plan.yaml", MODES);
    lb_cli_run run =
        lb_run(NULL, "sweep", "script", "plan.yaml", "--parts", "20", "--workers", "4", "--folder",
               "work/rows", "--time-limit", "00:30:00", "--set", "bodies.arm.mass=3");
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "#!/bin/bash\n"
        "# Submit with: sbatch THIS_FILE\n"
        "#SBATCH --job-name=rows\n"
        "#SBATCH --array=1-20\n"
        "#SBATCH --ntasks=1\n"
        "#SBATCH --cpus-per-task=4\n"
        "#SBATCH --time=00:30:00\n"
        "#SBATCH --signal=USR1@90\n"
        "#SBATCH --requeue\n"
        "#SBATCH --open-mode=append\n"
        "srun limber sweep plan.yaml --parts 20 --workers \"$SLURM_CPUS_PER_TASK\" --folder "
        "work/rows --set bodies.arm.mass=3\n"
        "# when all tasks have ended: limber sweep merge plan.yaml --folder work/rows --csv\n");
    lb_end_run(&run);
}

static void wrong_commands_are_refused(void **state)
{
    (void)state;
    char name[4200];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    write_text("plan.yaml", MODES);
    write_text("file", "");
    write_text("failing.yaml", "limber_sweep: 1\nmodel: model.yaml\nvary: {k: {values: [10]}}\n"
                               "sampling: list\njob: modes\noutputs: {f: {frequency: 9}}\n");
    const lb_cli_case cases[] = {
        {{"sweep", "plan.yaml", "--folder", ""},
         2,
         "",
         "sweep: the name of the folder is empty or too long\n"},
        {{"sweep", "plan.yaml", "--folder", name},
         2,
         "",
         "sweep: the name of the folder is empty or too long\n"},
        {{"sweep", "plan.yaml", "--folder", "no/such/folder"},
         1,
         "",
         "no/such/folder: No such file or directory; name another folder\n"},
        {{"sweep", "plan.yaml", "--folder", "file"}, 1, "", "file"},
        {{"sweep", "plan.yaml", "--parts", "0"}, 2, "", "--parts: '0' given"},
        {{"sweep", "plan.yaml", "--workers", "5000"}, 2, "", "--workers: '5000' given"},
        {{"sweep", "plan.yaml", "--part", "1/2x"},
         2,
         "",
         "sweep: --part: '1/2x' given, expected I/N with I from 1 to N\n"},
        {{"sweep", "none.yaml"}, 1, "", "none.yaml"},
        {{"sweep", "failing.yaml"},
         0,
         "1 samples in failing.sweep\n",
         "limber: 1 failed: the column `failure` of the table says why\n"},
        {{"sweep", "statistics", "failing.yaml"}, 1, "", "limber: sweep: no sample has outputs\n"},
        {{"sweep", "plan.yaml", "--workers", "1"}, 0, "6 samples in plan.sweep\n", ""},
        {{"sweep", "merge", "plan.yaml", "-o", "out.txt"}, 2, "", "out.txt"},
        {{"sweep", "merge", "plan.yaml", "-o", "plan.sweep/part-1-of-1-worker-1.rows"},
         2,
         "",
         "part-1-of-1-worker-1.rows"},
#ifdef LB_WITH_VIEW
        {{"sweep", "figure", "plan.yaml"},
         2,
         "",
         "limber: sweep: figure needs -o FILE with the ending .svg, .pdf or .png\n"},
        {{"sweep", "figure", "plan.yaml", "-o", "out.txt"},
         2,
         "",
         "limber: sweep: figure needs -o FILE with the ending .svg, .pdf or .png\n"},
        {{"sweep", "figure", "plan.yaml", "-o", "out.svg", "--of", "g"},
         2,
         "",
         "limber: sweep: the plan has no output 'g'; its first one is 'f'\n"},
        {{"sweep", "figure", "plan.yaml", "-o", "out.svg", "--against", "g"},
         2,
         "",
         "limber: sweep: the plan has no output 'g'; its first one is 'f'\n"},
        {{"sweep", "figure", "plan.yaml", "-o", "out.svg", "--of", "zeta"},
         1,
         "",
         "limber: sweep: all values of 'zeta' are equal, or none is finite\n"},
        {{"sweep", "figure", "failing.yaml", "-o", "out.svg"},
         1,
         "",
         "limber: sweep: all values of 'f' are equal, or none is finite\n"},
        {{"sweep", "figure", "plan.yaml", "-o", "out.svg", "--of", "f", "--against", "zeta"},
         0,
         NULL,
         ""},
#endif
    };
    expect(cases, sizeof cases / sizeof *cases);
}

static int enter(void **state)
{
    (void)state;
    if (!lb_enter_scratch_folder()) {
        return -1;
    }
    write_text("model.yaml", MODEL);
    return 0;
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashes_are_recorded_and_kills_are_tried_again),
        cmocka_unit_test(schedulers_choose_the_part),
        cmocka_unit_test(the_state_of_a_sweep_is_told),
        cmocka_unit_test(one_sample_is_shown_as_other_commands_take_it),
        cmocka_unit_test(scripts_repeat_what_was_asked),
        cmocka_unit_test(wrong_commands_are_refused),
    };
    return cmocka_run_group_tests(tests, enter, NULL);
}
