// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// limber trim MODEL: the equilibrium at rest, as an `initial` block for the model file, or as JSON.
#include "console.h"
#include "initial_out.h"
#include "setup.h"

int lb_cli_run_trim(const lb_cli_arguments *arguments)
{
    lb_cli_setup s;
    lb_trim trim = {.size = sizeof trim};
    int result = LB_CLI_FAILED;
    if (!lb_cli_open_setup(arguments, NULL, 0, &s)) {
        // said already
    } else if (lb_trim_simulation(s.simulation, &trim) < 0) {
        lb_cli_explain_setup(&s);
    } else {
        const double *q, *v;
        lb_get_initial_state(s.simulation, &q, &v);
        result = LB_CLI_DONE;
        const bool in_place = lb_cli_get_option(arguments, "in-place") != NULL;
        if (lb_cli_get_option(arguments, "json")) {
            lb_cli_print_state(s.model, q, v);
        } else if (!in_place && !lb_cli_may_print_initial(arguments, &s)) {
            result = LB_CLI_USAGE;
        } else {
            if (!in_place || lb_cli_get_volume() >= 0) {
                trim.under_control
                    ? printf("# equilibrium under the controllers\n")
                    : printf("# equilibrium after %d iterations, largest force left %.3g\n",
                             trim.iterations, trim.residual);
            }
            if (in_place) {
                result = lb_cli_replace_initial(arguments, &s, q, NULL);
            } else {
                lb_cli_print_initial(stdout, s.model, q, NULL);
            }
        }
    }
    lb_cli_close_setup(&s);
    return result;
}
