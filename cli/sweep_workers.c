// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The processes of a sweep. Each takes the next sample that is not done, and writes to a file of rows of its own. They
// share nothing but the number of the next sample, so that any of them may be killed at any time.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "../src/command.h"
#include "output.h"
#include "progress.h"
#include "sweep.h"
#include "sweep_gpu.h"
#include "sweep_mpi.h"

// What the processes share.
typedef struct board {
    _Atomic int64_t next;      // in the part
    _Atomic int64_t finished;  // rows that were written
    _Atomic int64_t failed;    // of them
    _Atomic int64_t at_hand[]; // one per worker: its sample; -1 for none
} board;

typedef struct team {
    const lb_cli_sweep *s;
    unsigned char *states; // as they were at the start
    board *shared;
    size_t board_size;
    bool has_mpi; // samples are handed out over all processes
    pid_t parent;
    pid_t *workers;   // 0 for one that has ended
    int64_t *retried; // one per worker: the sample at which it was killed last; -1 for none
} team;

static volatile sig_atomic_t asked_to_stop;

static void note_signal(int number)
{
    (void)number;
    asked_to_stop = 1;
}

static bool is_stopped(void *user)
{
    (void)user;
    return asked_to_stop || lb_cli_is_interrupted();
}

static void name_rows(const lb_cli_sweep *s, int worker, char path[LB_CLI_ROWS_SIZE])
{
    snprintf(path, LB_CLI_ROWS_SIZE, "%s/part-%d-of-%d-worker-%d.rows", s->folder, s->part + 1,
             s->part_count, worker + 1);
}

// ---- a worker ----------------------------------------------------------------------------------

// The next open sample of the part; -1 if there is none.
static int64_t take_sample(const team *t)
{
    const int64_t count = lb_get_sweep_info(t->s->sweep)->sample_count;
    for (;;) {
        const int64_t index =
            t->has_mpi ? lb_cli_take_mpi()
                       : t->s->part + atomic_fetch_add(&t->shared->next, 1) * t->s->part_count;
        if (index >= count) {
            return -1;
        }
        if (t->states[index] == LB_SAMPLE_OPEN) {
            return index;
        }
    }
}

static bool do_sample(const team *t, int worker, int64_t index, lb_sweep_rows *rows, double *values,
                      double *outputs)
{
    lb_sweep *sweep = t->s->sweep;
    atomic_store(&t->shared->at_hand[worker], index);
    lb_compute_sample(sweep, index, values);
    // memory is out for this machine, not for this sample
    const lb_status status = lb_cli_check_memory(lb_evaluate_sample(sweep, values, outputs));
    if (status == LB_NEWS_INTERRUPTED) {
        return false;
    }
    if (lb_write_sweep_row(rows, index, status, outputs, lb_get_sweep_message(sweep)) < 0) {
        lb_cli_complain("sweep: a row cannot be written: %s", strerror(errno));
        return false;
    }
    atomic_fetch_add(&t->shared->finished, 1);
    atomic_fetch_add(&t->shared->failed, status < 0);
    atomic_store(&t->shared->at_hand[worker], -1);
    return true;
}

// Opens rows, and says why not.
static bool open_rows(lb_sweep *sweep, const char *path, lb_sweep_rows **rows)
{
    const lb_report report = lb_cli_make_report(NULL);
    const lb_status status = lb_cli_check_memory(lb_open_sweep_rows(sweep, path, &report, rows));
    return status >= 0;
}

// @param first  to be done first; -1 for none
static int work(const team *t, int worker, int64_t first)
{
    lb_sweep *sweep = t->s->sweep;
    char path[LB_CLI_ROWS_SIZE];
    lb_sweep_rows *rows = NULL;
    double *values =
        lb_cli_calloc((size_t)lb_get_sweep_info(sweep)->variation_count + 1, sizeof *values);
    double *outputs =
        lb_cli_calloc((size_t)lb_get_sweep_info(sweep)->output_count + 1, sizeof *outputs);
    name_rows(t->s, worker, path);
    bool good = open_rows(sweep, path, &rows);
    lb_set_sweep_stop(sweep, is_stopped, NULL);
    // without the process that started it, a worker would be in the way of the next one
    while (good && !is_stopped(NULL) && getppid() == t->parent) {
        const int64_t index = first >= 0 ? first : take_sample(t);
        first = -1;
        if (index < 0) {
            break;
        }
        good = do_sample(t, worker, index, rows, values, outputs);
    }
    if (lb_close_sweep_rows(rows) < 0 && good) {
        lb_cli_complain("sweep: rows cannot be written to %s: %s", path, strerror(errno));
        good = false;
    }
    free(values);
    free(outputs);
    return good || is_stopped(NULL) ? LB_CLI_DONE : LB_CLI_FAILED;
}

static bool start_worker(team *t, int worker, int64_t first)
{
    atomic_store(&t->shared->at_hand[worker], -1);
    fflush(NULL); // what waits in a buffer would be written twice
    const pid_t pid = fork();
    if (pid == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        const int result = getppid() == t->parent ? work(t, worker, first) : LB_CLI_FAILED;
        fflush(NULL);
        _exit(result);
    }
    if (pid < 0) {
        lb_cli_complain("sweep: no process can be started: %s", strerror(errno));
        return false;
    }
    t->workers[worker] = pid;
    return true;
}

// ---- the process that starts them --------------------------------------------------------------

// A crash is the fault of the sample, and is recorded as such.
static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGABRT;
}

static bool record_crash(const team *t, int worker, int64_t index, int number)
{
    char path[LB_CLI_ROWS_SIZE], message[128];
    lb_sweep_rows *rows = NULL;
    name_rows(t->s, worker, path);
    snprintf(message, sizeof message, "the process crashed with signal %d (%s)", number,
             strsignal(number));
    bool good = open_rows(t->s->sweep, path, &rows);
    good = good && lb_write_sweep_row(rows, index, LB_E_CALLBACK, NULL, message) >= 0;
    atomic_fetch_add(&t->shared->finished, good);
    atomic_fetch_add(&t->shared->failed, good);
    return lb_close_sweep_rows(rows) >= 0 && good;
}

// A worker was killed. Another one takes its place and its sample, once.
static bool replace_worker(team *t, int worker, int number)
{
    const int64_t index = atomic_load(&t->shared->at_hand[worker]);
    const bool again = index >= 0 && t->retried[worker] == index;
    if (is_stopped(NULL)) {
        return true;
    }
    if (index >= 0 && is_crash(number)) {
        return record_crash(t, worker, index, number) && start_worker(t, worker, -1);
    }
    if (again) {
        lb_cli_complain("sweep: two processes were killed with signal %d at sample %lld, which "
                        "stays open",
                        number, (long long)index);
    }
    t->retried[worker] = index;
    return start_worker(t, worker, again ? -1 : index);
}

// Waits until all workers have ended. False if one of them failed.
static bool watch(team *t, int64_t before, int64_t to_do)
{
    bool good = true, told = false;
    int alive = t->s->worker_count;
    while (alive > 0) {
        int how = 0;
        const pid_t pid = waitpid(-1, &how, WNOHANG);
        if (is_stopped(NULL) && !told) {
            told = true;
            for (int i = 0; i < t->s->worker_count; ++i) {
                if (t->workers[i] > 0) {
                    kill(t->workers[i], SIGUSR1);
                }
            }
        }
        if (pid == 0) {
            const int64_t finished = atomic_load(&t->shared->finished);
            lb_cli_show_progress("samples", (double)(before + finished) / (double)(before + to_do));
            nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
            continue;
        }
        if (pid < 0 && errno != EINTR) {
            break;
        }
        for (int i = 0; pid > 0 && i < t->s->worker_count; ++i) {
            if (t->workers[i] != pid) {
                continue;
            }
            t->workers[i] = 0;
            --alive;
            if (WIFSIGNALED(how)) {
                good = replace_worker(t, i, WTERMSIG(how)) && good;
                alive += t->workers[i] > 0;
            } else {
                good = WEXITSTATUS(how) == 0 && good;
            }
        }
    }
    lb_cli_clear_progress();
    return good;
}

static bool make_folder(const lb_cli_sweep *s, int64_t before)
{
    char path[LB_CLI_ROWS_SIZE];
    lb_cli_output output;
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST) {
        lb_cli_complain("%s: %s; name another folder", s->folder, strerror(errno));
        return false;
    }
    // for the time left that `status` shows
    snprintf(path, sizeof path, "%s/started", s->folder);
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    output.is_told = true;
    fprintf(output.stream, "%lld\n", (long long)before);
    return lb_cli_close_output(&output, true);
}

// @param finished, failed  rows that were written, and those of them that tell of a failure
static int report_end(const team *t, int64_t before, int64_t to_do, int64_t finished,
                      int64_t failed, bool good)
{
    const lb_cli_sweep *s = t->s;
    if (finished < to_do) {
        lb_cli_complain("%lld of %lld samples are done%s; limber sweep resume %s goes on",
                        (long long)(before + finished), (long long)(before + to_do),
                        is_stopped(NULL) ? ", and it was asked to stop" : "", s->plan);
        return LB_CLI_FAILED;
    }
    if (good && lb_cli_is_talking()) {
        if (s->part_count > 1 && !t->has_mpi) {
            printf("part %d of %d: ", s->part + 1, s->part_count);
        }
        printf("%lld samples in ", (long long)(before + finished));
        lb_cli_put_text(stdout, s->folder);
        fputc('\n', stdout);
    }
    if (failed > 0) {
        fflush(stdout);
        lb_cli_complain("%lld failed: the column `failure` of the table says why",
                        (long long)failed);
    }
    return good ? LB_CLI_DONE : LB_CLI_FAILED;
}

static int64_t get_finished(const team *t)
{
    return atomic_load(&t->shared->finished);
}

static int64_t get_failed(const team *t)
{
    return atomic_load(&t->shared->failed);
}

// One of many processes of MPI, which must not start others: it works itself.
static int work_with_others(team *t, int64_t before, int64_t to_do)
{
    t->parent = getppid();
    if (!lb_cli_start_mpi()) {
        lb_cli_end_mpi();
        return LB_CLI_FAILED;
    }
    int result = work(t, 0, -1);
    int64_t sums[] = {get_finished(t), get_failed(t), result != LB_CLI_DONE};
    if (lb_cli_add_mpi(sums, 3)) {
        result = report_end(t, before, to_do, sums[0], sums[1], sums[2] == 0);
    }
    lb_cli_end_mpi();
    return result;
}

// ---- on a graphics processor -------------------------------------------------------------------

typedef struct side_rows {
    const team *t;
    lb_sweep_rows *rows;
} side_rows;

static lb_status write_side_row(void *user, int64_t index, lb_status status, const double *outputs,
                                const char *message)
{
    const side_rows *own = user;
    if (lb_write_sweep_row(own->rows, index, status, outputs, message) < 0) {
        lb_cli_complain("sweep: a row cannot be written: %s", strerror(errno));
        return LB_E_FILE;
    }
    atomic_fetch_add(&own->t->shared->finished, 1);
    atomic_fetch_add(&own->t->shared->failed, status < 0);
    return LB_OK;
}

// This process hands the open samples of its part to the graphics processor, a million at a time.
static bool work_on_gpu(const team *t)
{
    enum { MOST = 1 << 20 };
    const lb_cli_sweep *s = t->s;
    const int64_t count = lb_get_sweep_info(s->sweep)->sample_count;
    char path[LB_CLI_ROWS_SIZE];
    side_rows own = {.t = t};
    int64_t *indices = lb_cli_malloc((size_t)(count < MOST ? count : MOST) * sizeof *indices);
    name_rows(s, 0, path);
    bool good = open_rows(s->sweep, path, &own.rows);
    lb_set_sweep_stop(s->sweep, is_stopped, NULL);
    int64_t next = s->part;
    while (good && next < count) {
        int64_t used = 0;
        for (; next < count && used < MOST; next += s->part_count) {
            if (t->states[next] == LB_SAMPLE_OPEN) {
                indices[used++] = next;
            }
        }
        good = lb_cli_run_sweep_gpu(s, used, indices, write_side_row, &own);
    }
    free(indices);
    return lb_close_sweep_rows(own.rows) >= 0 && good;
}

static int run_team(team *t)
{
    const lb_cli_sweep *s = t->s;
    const int64_t count = lb_get_sweep_info(s->sweep)->sample_count;
    const lb_report report = lb_cli_make_report(NULL);
    // with MPI every process may get any sample
    const int first = t->has_mpi ? 0 : s->part, step = t->has_mpi ? 1 : s->part_count;
    int64_t before = 0, part = 0;
    const lb_status status =
        lb_cli_check_memory(lb_read_sample_states(s->sweep, s->folder, &report, t->states));
    if (status < 0) {
        return LB_CLI_FAILED;
    }
    for (int64_t i = first; i < count; i += step) {
        before += t->states[i] != LB_SAMPLE_OPEN;
        ++part;
    }
    if (!make_folder(s, before)) {
        return LB_CLI_FAILED;
    }
    lb_cli_catch_interrupts();
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGUSR1, &action, NULL);
    if (t->has_mpi) {
        return work_with_others(t, before, part - before);
    }
    if (lb_cli_get_option(s->arguments, "gpu")) {
        const bool done = before == part || work_on_gpu(t);
        return report_end(t, before, part - before, get_finished(t), get_failed(t), done);
    }
    t->parent = getpid();
    bool good = true;
    for (int i = 0; good && before < part && i < s->worker_count; ++i) {
        good = start_worker(t, i, -1);
    }
    good = (before == part || watch(t, before, part - before)) && good;
    return report_end(t, before, part - before, get_finished(t), get_failed(t), good);
}

int lb_cli_run_workers(const lb_cli_sweep *s)
{
    const size_t workers = (size_t)s->worker_count;
    team t = {.s = s,
              .has_mpi = lb_cli_has_mpi(),
              .board_size = sizeof(board) + workers * sizeof(_Atomic int64_t)};
    t.states = lb_cli_malloc((size_t)lb_get_sweep_info(s->sweep)->sample_count);
    t.workers = lb_cli_calloc(workers, sizeof *t.workers);
    t.retried = lb_cli_malloc(workers * sizeof *t.retried);
    t.shared = mmap(NULL, t.board_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t.shared == MAP_FAILED) {
        lb_cli_run_out();
    }
    for (size_t i = 0; i < workers; ++i) {
        t.retried[i] = -1;
    }
    const int result = run_team(&t);
    munmap(t.shared, t.board_size);
    free(t.states);
    free(t.workers);
    free(t.retried);
    return result;
}
