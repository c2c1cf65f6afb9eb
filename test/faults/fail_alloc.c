// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A library to be preloaded that lets one allocation fail, in one copy of the program after another.
//
// When all libraries are loaded, the program stops before its main function and reads orders from its
// standard input, one line each:
//
//     AT MODE SECONDS FOLDER
//
// For each it forks. The copy goes to FOLDER/work with the files FOLDER/in, FOLDER/out and FOLDER/err as
// its standard streams, and runs. Its allocation number AT fails, in MODE 1 also all that follow. AT 0
// lets none fail; FOLDER/sites then gets 8 bytes per allocation that tell call stacks apart, and are zero
// for libraries whose names start with a word of FAIL_NOT. A copy that
// takes more than SECONDS, if that is not 0, dies of SIGALRM. When it has ended, one line answers: its wait status, the number of allocations, and the call stack of
// the one that failed, as library+offset.
//
// Nothing fails after the functions of atexit have run: a build that counts coverage writes its counts then.
//
// Functions of the C library that allocate, such as strdup, getline, fopen and open_memstream, call the
// functions that are replaced here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { SITES_MAX = 1 << 22, DEPTH = 24, SITE_DEPTH = 8 };

// What a copy tells its parent.
typedef struct shared {
    long count;
    char stack[4096];
    uint64_t sites[SITES_MAX];
} shared;

static shared *told;
static long at;
static bool armed, from;
static const char *left_out;

// ---- where an allocation comes from ------------------------------------------------------------

// Call stack without the functions of this file; names of libraries without folders.
static const char *find_place(void *address, uintptr_t *offset)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) {
        *offset = (uintptr_t)address;
        return "?";
    }
    *offset = (uintptr_t)address - (uintptr_t)info.dli_fbase;
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

// Whether a library is one of those in FAIL_NOT.
static bool is_left_out(const char *name)
{
    for (const char *word = left_out; word && *word;) {
        const size_t length = strcspn(word, " ");
        if (strncmp(name, word, length) == 0) {
            return true;
        }
        word += length + (word[length] == ' ');
    }
    return false;
}

static uint64_t hash_stack(void)
{
    void *frames[SITE_DEPTH];
    const int count = backtrace(frames, SITE_DEPTH);
    uint64_t hash = 1469598103934665603u;
    bool is_found = false;
    for (int i = 2; i < count; ++i) {
        uintptr_t offset = 0;
        const char *name = find_place(frames[i], &offset);
        // the C library allocates for others
        if (!is_found && strncmp(name, "libc.so", 7) != 0) {
            is_found = true;
            if (is_left_out(name)) {
                return 0;
            }
        }
        for (const char *c = name; *c; ++c) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        }
        hash = (hash ^ offset) * 1099511628211u;
    }
    return hash;
}

static void tell_stack(void)
{
    void *frames[DEPTH];
    const int count = backtrace(frames, DEPTH);
    size_t used = 0;
    for (int i = 2; i < count && used + 256 < sizeof told->stack; ++i) {
        uintptr_t offset = 0;
        const char *name = find_place(frames[i], &offset);
        used += (size_t)snprintf(told->stack + used, 256, " %.200s+%#lx", name, (long)offset);
    }
}

void lb_end_faults(void);
void lb_end_faults(void)
{
    armed = false;
}

static bool hits(void)
{
    static bool has_end;
    if (!armed) {
        return false;
    }
    if (!has_end) {
        // the end of the program itself was registered before it began, and comes after this
        armed = false;
        has_end = atexit(lb_end_faults) == 0;
        armed = true;
    }
    const long number = __atomic_add_fetch(&told->count, 1, __ATOMIC_RELAXED);
    if (at == 0 && number <= SITES_MAX) {
        armed = false;
        told->sites[number - 1] = hash_stack();
        armed = true;
    }
    if (at == 0 || number < at || (number > at && !from)) {
        return false;
    }
    if (number == at) {
        armed = false;
        tell_stack();
        armed = true;
    }
    errno = ENOMEM;
    return true;
}

// ---- functions that are replaced ---------------------------------------------------------------

void *malloc(size_t size)
{
    return hits() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return hits() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return hits() ? NULL : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes = 0;
    const bool wraps = __builtin_mul_overflow(count, size, &bytes);
    return wraps || hits() ? NULL : __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t size)
{
    return hits() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return hits() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *piece = hits() ? NULL : __libc_memalign(alignment, size);
    *memory = piece ? piece : *memory;
    return piece ? 0 : ENOMEM;
}

// ---- copies ------------------------------------------------------------------------------------

// A file of the folder as one of the standard streams.
static void redirect(int fd, const char *folder, const char *name, int flags)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, flags, 0644);
    if (file < 0 || dup2(file, fd) < 0) {
        _exit(126);
    }
    close(file);
}

static void tell_sites(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sites", folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const long count = told->count < SITES_MAX ? told->count : SITES_MAX;
    const char *bytes = (const char *)told->sites;
    for (size_t left = (size_t)count * sizeof *told->sites; file >= 0 && left > 0;) {
        const ssize_t done = write(file, bytes, left);
        if (done <= 0) {
            break;
        }
        bytes += done;
        left -= (size_t)done;
    }
    close(file);
}

// One line of standard input; false at its end.
static bool read_order(char *line, size_t size)
{
    size_t used = 0;
    char c = 0;
    while (used + 1 < size && read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
        line[used++] = c;
    }
    line[used] = 0;
    return c == '\n';
}

__attribute__((constructor)) static void begin(void)
{
    if (!getenv("FAIL_ALLOC")) {
        return; // a program that the command starts
    }
    unsetenv("FAIL_ALLOC");
    left_out = getenv("FAIL_NOT");
    void *frames[2];
    backtrace(frames, 2); // loads what it needs
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (told == MAP_FAILED) {
        _exit(126);
    }
    char line[PATH_MAX + 64], answer[sizeof told->stack + 64];
    while (read_order(line, sizeof line)) {
        int mode = 0, start = 0;
        unsigned seconds = 0;
        if (sscanf(line, "%ld %d %u %n", &at, &mode, &seconds, &start) != 3) {
            break;
        }
        const char *folder = line + start;
        from = mode == 1;
        told->count = 0;
        told->stack[0] = 0;
        const pid_t copy = fork();
        if (copy == 0) {
            char work[PATH_MAX];
            snprintf(work, sizeof work, "%s/work", folder);
            redirect(STDIN_FILENO, folder, "in", O_RDONLY);
            redirect(STDOUT_FILENO, folder, "out", O_WRONLY | O_CREAT | O_TRUNC);
            redirect(STDERR_FILENO, folder, "err", O_WRONLY | O_CREAT | O_TRUNC);
            if (chdir(work) != 0) {
                _exit(126);
            }
            alarm(seconds);
            armed = true;
            return;
        }
        int status = 0;
        if (copy < 0 || waitpid(copy, &status, 0) < 0) {
            break;
        }
        if (at == 0) {
            tell_sites(folder);
        }
        const int length =
            snprintf(answer, sizeof answer, "%d %ld%s\n", status, told->count, told->stack);
        if (write(STDOUT_FILENO, answer, (size_t)length) != length) {
            break;
        }
    }
    _exit(0);
}
