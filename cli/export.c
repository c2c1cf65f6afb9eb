// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber export --as matrices MODEL --body NAME -o FOLDER: the finite elements of a beam or frame as matrices; other forms
// are in files of their own.
#include <string.h>

#include "console.h"
#include "export_fmu.h"
#include "limber/io.h"
#include "output.h"
#include "progress.h"

int lb_cli_run_export(const lb_cli_arguments *arguments)
{
    const char *as = lb_cli_get_option(arguments, "as"),
               *body = lb_cli_get_option(arguments, "body"),
               *folder = lb_cli_get_option(arguments, "output"), *model = arguments->operands[0];
    if (lb_cli_is_fmu_form(as)) {
        return lb_cli_export_fmu(arguments);
    }
    if (as && strcmp(as, "matrices") != 0) {
        lb_cli_complain("export: --as: '%s' found, expected matrices, fmi2 or fmi3", as);
        return LB_CLI_USAGE;
    }
    if (!body || !folder) {
        lb_cli_complain("export: %s is missing: see limber help export",
                        body ? "--output" : "--body");
        return LB_CLI_USAGE;
    }
    int error_count = 0;
    const lb_report report = lb_cli_make_report(&error_count);
    const lb_load_options options = lb_cli_get_load_options(arguments);
    lb_cli_show_waiting("matrices");
    const lb_status status = lb_export_matrices(model, &options, body, folder, &report);
    lb_cli_clear_progress();
    if (status != LB_OK) {
        if (error_count == 0) {
            lb_cli_complain("%s: %s", model, lb_get_status_text(status));
        }
        return LB_CLI_FAILED;
    }
    lb_cli_note_written(folder);
    if (!lb_cli_is_talking()) {
        return LB_CLI_DONE;
    }
    printf("Written to %s; to be read by:  limber import %s/*\n", folder, folder);
    return LB_CLI_DONE;
}
