// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber demo: a spacecraft catches a payload, slews it past its flexible panel and lets it go. The
// demo is made of commands that anybody can type, and shows them.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "console.h"
#include "output.h"
#include "view/demo.h"
#include "view/motion.h"

enum { WORD_MAX = 12 };

// Runs one command of ours and shows it first. Words end in NULL.
static bool call(const char *const *words)
{
    printf("%s$ limber", lb_cli_get_colour(stdout, LB_CLI_BOLD));
    char *argv[WORD_MAX];
    int count = 0;
    for (; words[count]; ++count) {
        const bool quoted = strpbrk(words[count], " ()'") != NULL;
        printf(quoted ? " \"%s\"" : " %s", words[count]);
        argv[count] = lb_cli_copy_text(words[count]);
    }
    printf("%s\n", lb_cli_get_colour(stdout, LB_CLI_PLAIN));
    fflush(stdout);
    const lb_cli_command *command = lb_cli_find_command(words[0]);
    lb_cli_arguments arguments;
    const bool good =
        command &&
        lb_cli_parse_arguments(command, count - 1, argv + 1, &arguments) == LB_CLI_DONE &&
        command->run(&arguments) == LB_CLI_DONE;
    for (int i = 0; i < count; ++i) {
        free(argv[i]);
    }
    return good;
}

static bool write_model(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        size_t length = 0;
        char *text = lb_cli_read_file(path, &length);
        const bool same = text && length == lb_cli_demo_model_size &&
                          memcmp(text, lb_cli_demo_model, length) == 0;
        free(text);
        if (text && !same) {
            lb_cli_complain(
                "cannot write %s: it is there already, with other content; name another "
                "folder",
                path);
        }
        return same;
    }
    lb_cli_output output;
    if (!lb_cli_open_output(path, &output)) {
        return false;
    }
    fwrite(lb_cli_demo_model, 1, lb_cli_demo_model_size, output.stream);
    return lb_cli_close_output(&output, true);
}

// What happened when, and how far each flexible body was bent.
static bool tell(const char *result)
{
    lb_cli_recording r;
    if (!lb_cli_open_recording(result, NULL, NULL, &r)) {
        return false;
    }
    lb_cli_scene scene = {0};
    lb_cli_motion motion = {0};
    const bool good = r.model && lb_cli_make_scene(&r, result, NULL, &scene) &&
                      lb_cli_make_motion(&scene, 2000, 4 << 20, &motion);
    for (int i = 0; good && i < lb_get_results_info(r.results)->event_count; ++i) {
        double t;
        const char *name;
        if (lb_read_event(r.results, i, &t, &name) >= 0) {
            printf("%7.3f s  %s\n", t, name);
        }
    }
    for (int k = 0; good && k < lb_get_body_count(r.model); ++k) {
        double most = 0.0, when = 0.0;
        for (long f = 0; f < motion.frame_count; ++f) {
            for (int n = scene.first_node[k]; n < scene.first_node[k + 1]; ++n) {
                const int flexible = scene.nodes[n].flexible;
                if (flexible < 0) {
                    continue;
                }
                const float *b = motion.bends +
                                 6 * ((size_t)f * (size_t)scene.flexible_count + (size_t)flexible);
                const double shift = lb_vec3_norm(lb_vec3_make(b[0], b[1], b[2]));
                when = shift > most ? motion.times[f] : when;
                most = fmax(most, shift);
            }
        }
        if (lb_get_mode_count(r.model, k) > 0) {
            printf("%7.3f s  %s is bent most: by %.0f mm\n", when, lb_get_body_name(r.model, k),
                   1000.0 * most);
        }
    }
    lb_cli_free_motion(&motion);
    lb_cli_free_scene(&scene);
    lb_cli_close_recording(&r);
    return good;
}

int lb_cli_run_demo(const lb_cli_arguments *arguments)
{
    const char *folder = arguments->count > 0 ? arguments->operands[0] : "demo";
    char model[4096], result[4096], page[4096];
    snprintf(model, sizeof model, "%s/spacecraft_arm.yaml", folder);
    snprintf(result, sizeof result, "%s/spacecraft_arm.h5", folder);
    snprintf(page, sizeof page, "%s/report.html", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        lb_cli_complain("cannot make the folder %s: %s", folder, strerror(errno));
        return LB_CLI_FAILED;
    }
    if (!write_model(model)) {
        return LB_CLI_FAILED;
    }
    puts("A free-flying spacecraft catches a payload with its two-link flexible arm, slews it\n"
         "past its flexible solar panel, and lets it go. Nothing holds the spacecraft: it turns\n"
         "the other way, and the panel swings.\n");
    if (!call((const char *const[]){"info", model, NULL})) {
        return LB_CLI_FAILED;
    }
    putchar('\n');
    if (!call((const char *const[]){"run", model, "--output", result, NULL})) {
        return LB_CLI_FAILED;
    }
    putchar('\n');
    if (!tell(result)) {
        return LB_CLI_FAILED;
    }
    putchar('\n');
    if (!call((const char *const[]){"plot", result, "payload.position.y", "hand/grip.position.y",
                                    NULL})) {
        return LB_CLI_FAILED;
    }
    putchar('\n');
    return call((const char *const[]){"view", result, "payload.position.y", "hand/grip.position.y",
                                      "panel/a6.velocity.norm", "system.angular_momentum.z",
                                      "--output", page, NULL})
               ? LB_CLI_DONE
               : LB_CLI_FAILED;
}
