// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A controller in a process of its own: PD on every actuator. See docs/guide/control.md.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 65536, MOST = 64 };

// The number in "sensors N<tab>name...".
static int read_count(char *line, const char *word)
{
    const size_t length = strlen(word);
    if (!fgets(line, LINE_SIZE, stdin) || strncmp(line, word, length) != 0) {
        exit(1);
    }
    return atoi(line + length);
}

int main(void)
{
    static char line[LINE_SIZE];
    read_count(line, "limber-control");
    const int sensor_count = read_count(line, "sensors"), n = read_count(line, "actuators");
    const int number_count = 1 + sensor_count + 5 * n;
    double numbers[6 * MOST];
    if (number_count > 6 * MOST) {
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        char *at = line;
        for (int i = 0; i < number_count; ++i) {
            numbers[i] = strtod(at, &at);
        }
        const double *position = numbers + 1 + sensor_count, *speed = position + n;
        const double *desired = speed + n, *desired_speed = desired + n;
        for (int i = 0; i < n; ++i) {
            printf("%.17g ", 80 * (desired[i] - position[i]) + 10 * (desired_speed[i] - speed[i]));
        }
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}
