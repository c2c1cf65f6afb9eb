// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

json_t *lb_ask_cli(const char *const *words)
{
    lb_cli_run run = lb_run_cli(NULL, words);
    json_error_t error;
    json_t *answer = json_loads(run.out, 0, &error);
    if (run.status != 0 || !answer) {
        fail_msg("limber %s: status %d, %s\n%s%s", words[0], run.status, error.text, run.out,
                 run.err);
    }
    lb_end_run(&run);
    return answer;
}

double lb_get_answer(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) {
        fail_msg("%s is no number", key);
    }
    return json_number_value(value);
}

void lb_expect_svg(const char *const *words, const char *path)
{
    const char *all[16] = {NULL};
    int count = 0;
    while (words[count]) {
        all[count] = words[count];
        ++count;
    }
    all[count++] = "-o";
    all[count++] = path;
    lb_cli_run run = lb_run_cli(NULL, all);
    assert_string_equal(run.err, "");
    assert_int_equal(run.status, 0);
    lb_end_run(&run);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char head[200] = "";
    assert_true(fread(head, 1, sizeof head - 1, file) > 100);
    assert_non_null(strstr(head, "<svg"));
    fclose(file);
    remove(path);
}
