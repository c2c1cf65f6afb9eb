// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Start-up and services for the board mps2-an500: a Cortex-M7, emulated by qemu with -icount shift=8 and semihosting.
#include "board.h"

#include <stdint.h>

int main(void);
void start(void);

extern uint32_t data_source[], data_begin[], data_end[], bss_begin[], bss_end[];
extern uint32_t stack_bottom[], stack_top[];

// ---- semihosting: the emulator does what a breakpoint asks for ----------------------------------

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };

static uint32_t ask_host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void leave(uint32_t code)
{
    const uint32_t block[2] = {APPLICATION_EXIT, code};
    for (;;) {
        (void)ask_host(SYS_EXIT_EXTENDED, block);
    }
}

void board_print(const char *text)
{
    (void)ask_host(SYS_WRITE0, text);
}

// ---- start --------------------------------------------------------------------------------------

static void fail(void)
{
    board_print("an exception\n");
    leave(3);
}

// the first entries: where the stack begins, where the program begins, then faults
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[15])(void);
} vectors = {
    stack_top,
    {start, fail, fail, fail, fail, fail, fail, fail, fail, fail, fail, fail, fail, fail, fail}};

void start(void)
{
    // the unit for floating point, which is off after a reset
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
    for (uint32_t *to = data_begin, *from = data_source; to < data_end; ++to, ++from) {
        *to = *from;
    }
    for (uint32_t *to = bss_begin; to < bss_end; ++to) {
        *to = 0;
    }
    leave((uint32_t)main());
}

// ---- instructions -------------------------------------------------------------------------------

// SysTick counts down 24 bits at 25 MHz. With -icount shift=8 an instruction takes 256 ns, or 6.4 ticks.
#define TICK_CONTROL (*(volatile uint32_t *)0xe000e010)
#define TICK_RELOAD (*(volatile uint32_t *)0xe000e014)
#define TICK_NOW (*(volatile uint32_t *)0xe000e018)

void board_start_count(void)
{
    TICK_CONTROL = 0;
    TICK_RELOAD = 0xffffff;
    TICK_NOW = 0;
    TICK_CONTROL = 5;
}

unsigned long board_get_count(void)
{
    // 2.6 million instructions until it wraps
    return (unsigned long)(((0xffffff - TICK_NOW) * 10ull + 32) / 64);
}

// ---- stack --------------------------------------------------------------------------------------

enum { PATTERN = 0x5aa5c33c, PAINTED = 1 << 18 };

static uint32_t *get_stack_pointer(void)
{
    uint32_t *pointer;
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
    return pointer;
}

__attribute__((noinline)) void board_paint_stack(void)
{
    // 1 MiB below the stack pointer: more than any function of the test takes
    volatile uint32_t *end = get_stack_pointer();
    for (volatile uint32_t *at = end - PAINTED; at < end; ++at) {
        *at = PATTERN;
    }
}

__attribute__((noinline)) unsigned long board_get_stack(void)
{
    uint32_t *const end = get_stack_pointer();
    volatile uint32_t *at = end - PAINTED + 64;
    while (at < end && *at == PATTERN) {
        ++at;
    }
    return 4ul * (unsigned long)(end - at);
}
