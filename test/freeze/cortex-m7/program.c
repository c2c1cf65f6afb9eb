// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls the functions of a frozen file at a few states and prints the bits of all results, then, in lines that
// start with '#', the instructions of each function at the first state and the most stack that it took. Compiled for the board and for this computer, with the header of the
// file: the lines without '#' must be the same.
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "model.h"

#ifdef MODEL_FLOAT
typedef float real;
typedef uint32_t bits;
#else
typedef double real;
typedef uint64_t bits;
#endif

enum { STATES = 5 };

typedef struct state {
    real q[MODEL_Q], v[MODEL_V], x[MODEL_V];
} state;

// The largest result: a mass matrix, or q and v behind each other.
typedef struct results {
    real values[MODEL_V * MODEL_V + MODEL_Q + MODEL_V];
    int count, status;
} results;

typedef void (*function)(const state *s, results *r);

static void run_nothing(const state *s, results *r)
{
    (void)s;
    r->status = 0;
    r->count = 0;
}

static void run_forward(const state *s, results *r)
{
    r->status = model_forward(s->q, s->v, s->x, r->values);
    r->count = MODEL_V;
}

static void run_inverse(const state *s, results *r)
{
    r->status = model_inverse(s->q, s->v, s->x, r->values);
    r->count = MODEL_V;
}

static void run_mass(const state *s, results *r)
{
    r->status = model_mass(s->q, r->values);
    r->count = MODEL_V * MODEL_V;
}

static void run_step(const state *s, results *r)
{
    memcpy(r->values, s->q, sizeof s->q);
    memcpy(r->values + MODEL_Q, s->v, sizeof s->v);
    r->status = model_step((real)0.001, s->x, r->values, r->values + MODEL_Q);
    r->count = MODEL_Q + MODEL_V;
}

// ---- states ---------------------------------------------------------------------------------------

// Multiples of 2^-24 in [-1, 1), which float and double hold alike.
static real draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (real)((int32_t)(*seed >> 7) - (1 << 24)) / (real)(1 << 24);
}

// A state and forces. MODEL_SCALE keeps modal coordinates small; the last state has large angles.
static void make_state(int index, state *s)
{
    uint32_t seed = 20u + (uint32_t)index;
    int i;
    for (i = 0; i < MODEL_Q; ++i) {
        s->q[i] = draw(&seed) * (real)MODEL_SCALE;
        if (index == STATES - 1 && MODEL_SCALE == 1) {
            s->q[i] *= (real)(1 << 20);
        }
    }
    for (i = 0; i < MODEL_V; ++i) {
        s->v[i] = draw(&seed) * (real)MODEL_SCALE;
        s->x[i] = draw(&seed);
    }
}

// ---- text -----------------------------------------------------------------------------------------

static void print_number(unsigned long number)
{
    char text[24];
    int at = (int)sizeof text - 1;
    text[at] = 0;
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    board_print(" ");
    board_print(text + at);
}

static void print_bits(real value)
{
    char text[2 + 2 * sizeof(bits)];
    bits b;
    int i;
    memcpy(&b, &value, sizeof b);
    text[0] = ' ';
    for (i = 0; i < 2 * (int)sizeof b; ++i) {
        text[1 + i] = "0123456789abcdef"[(b >> (4 * (2 * (int)sizeof b - 1 - i))) & 15];
    }
    text[1 + i] = 0;
    board_print(text);
}

static void print_results(const char *name, const results *r)
{
    int i;
    board_print(name);
    print_number((unsigned long)(r->status < 0 ? 100 - r->status : r->status));
    for (i = 0; i < r->count; ++i) {
        print_bits(r->values[i]);
    }
    board_print("\n");
}

// ---- cost -----------------------------------------------------------------------------------------

// Not inline, so that every function has the same frame below it.
static __attribute__((noinline)) unsigned long count_instructions(function f, const state *s)
{
    results r;
    board_start_count();
    f(s, &r);
    return board_get_count();
}

static __attribute__((noinline)) unsigned long measure_stack(function f, const state *s)
{
    results r;
    board_paint_stack();
    f(s, &r);
    return board_get_stack();
}

int main(void)
{
    static const struct {
        const char *name;
        function run;
    } functions[] = {
        {"forward", run_forward}, {"inverse", run_inverse}, {"mass", run_mass}, {"step", run_step}};
    const int count = (int)(sizeof functions / sizeof *functions);
    int i, j;
    for (i = 0; i < STATES; ++i) {
        for (j = 0; j < count; ++j) {
            state s;
            results r;
            make_state(i, &s);
            functions[j].run(&s, &r);
            print_results(functions[j].name, &r);
        }
    }
    for (j = 0; j < count; ++j) {
        state s;
        unsigned long most = 0;
        for (i = STATES - 1; i >= 0; --i) {
            unsigned long stack;
            make_state(i, &s);
            stack = measure_stack(functions[j].run, &s) - measure_stack(run_nothing, &s);
            most = stack > most ? stack : most;
        }
        board_print("# ");
        board_print(functions[j].name);
        print_number(count_instructions(functions[j].run, &s) -
                     count_instructions(run_nothing, &s));
        print_number(most);
        board_print("\n");
    }
    return 0;
}
