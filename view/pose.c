// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model without a run: its initial state, as a recording of one row.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "kept_files.h"
#include "output.h"
#include "setup.h"
#include "view/recording.h"

bool lb_cli_is_model(const char *path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".urdf"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        if (lb_cli_ends_in(path, endings[i])) {
            return true;
        }
    }
    return false;
}

// Ends a run after its first row.
static int stop(void *user, double t, double duration)
{
    (void)user;
    (void)t;
    (void)duration;
    return 1;
}

// Records the initial state of the model, and no more.
static bool record_pose(const lb_cli_arguments *arguments, const char *path)
{
    size_t length = 0;
    char *text = lb_cli_read_file(arguments->operands[0], &length);
    lb_cli_setup s = {0};
    bool good = text && lb_cli_open_setup(arguments, text, length, &s);
    if (good) {
        lb_run_request request = lb_default_run_request();
        request.path = path;
        request.model_text = s.text;
        request.model_length = s.length;
        request.progress = stop;
        lb_cli_kept_files files;
        lb_cli_gather_files(s.document, &files);
        request.files = files.files;
        request.file_count = files.count;
        if (lb_run_simulation(s.simulation, &request, NULL) < 0) {
            lb_cli_explain_setup(&s);
            good = false;
        }
        lb_cli_free_files(&files);
    }
    lb_cli_close_setup(&s);
    free(text);
    return good;
}

// It goes through a file that is gone when it is open.
bool lb_cli_open_pose(const lb_cli_arguments *arguments, lb_cli_recording *recording)
{
    char folder[LB_CLI_SCRATCH_SIZE], path[LB_CLI_SCRATCH_SIZE + 20]; // with room for ".part"
    if (!lb_cli_make_scratch(folder)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/pose.h5", folder);
    lb_cli_note_scratch(folder, "pose.h5");
    lb_cli_note_scratch(folder, "pose.h5.part"); // what a run that failed leaves
    // the text that is recorded has the values of --set; the file itself finds what lies beside it
    const bool is_set =
        lb_cli_get_option(arguments, "set") || lb_cli_get_option(arguments, "gravity");
    const bool good = record_pose(arguments, path) &&
                      lb_cli_open_recording(path, is_set ? NULL : arguments->operands[0],
                                            lb_cli_get_option(arguments, "allow-files"), recording);
    lb_cli_remove_scratch(folder);
    if (good && recording->row_count > 1) {
        recording->row_count = 1; // the run went on for an interval before it was stopped
    }
    return good;
}
