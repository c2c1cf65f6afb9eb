// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "info_body.h"

#include <math.h>
#include <stdlib.h>

#include "console.h"
#include "limber/beams.h"

typedef struct body_modes {
    int count;
    double *frequencies, *effective;
    lb_modal_summary summary;
    lb_status status;
} body_modes;

static body_modes find_modes(const lb_model *model, int body)
{
    body_modes modes = {.count = lb_get_mode_count(model, body),
                        .summary = {.size = sizeof modes.summary}};
    const size_t n = (size_t)modes.count;
    modes.frequencies = lb_cli_malloc((n + 1) * sizeof *modes.frequencies);
    modes.effective = lb_cli_malloc((6 * n + 1) * sizeof *modes.effective);
    modes.status = lb_cli_check_memory(
        lb_compute_modal_summary(model, body, modes.frequencies, modes.effective, &modes.summary));
    return modes;
}

static void drop_modes(body_modes *modes)
{
    free(modes->frequencies);
    free(modes->effective);
}

// The part of the whole that the modes do not have; nothing of nothing is zero.
static double get_left_out(const lb_modal_summary *summary, int i)
{
    return summary->whole[i] > 0 ? fmax(0.0, 1 - summary->sums[i] / summary->whole[i]) : 0.0;
}

// Along x y z first, then about them.
static void print_six(const double values[6], double scale)
{
    for (int i = 0; i < 6; ++i) {
        printf(" %10.4g", scale * values[(i + 3) % 6]);
    }
    putchar('\n');
}

void lb_cli_print_body_modes(const lb_model *model, int body)
{
    double mass, com[3], J[6];
    body_modes modes = find_modes(model, body);
    lb_get_mass_properties(model, body, &mass, com, J);
    fputs(lb_cli_get_colour(stdout, LB_CLI_BOLD), stdout);
    lb_cli_put_text(stdout, lb_get_body_name(model, body));
    printf("%s\n  mass     %.9g kg\n", lb_cli_get_colour(stdout, LB_CLI_PLAIN), mass);
    printf("  centre   %.6g %.6g %.6g m\n", com[0], com[1], com[2]);
    printf("  inertia  %.6g %.6g %.6g %.6g %.6g %.6g kg m^2 (xx yy zz xy xz yz, about it)\n", J[0],
           J[1], J[2], J[3], J[4], J[5]);
    if (modes.count > 0 && modes.status == LB_OK) {
        double left_out[6];
        printf("\n%22s   effective mass along x, y, z, kg   and about x, y, z, kg m^2\n",
               "mode and frequency");
        for (int r = 0; r < modes.count; ++r) {
            printf("%9d %9.5g Hz", r, modes.frequencies[r]);
            print_six(modes.effective + 6 * r, 1.0);
        }
        printf("%-22s", "  sum");
        print_six(modes.summary.sums, 1.0);
        printf("%-22s", "  whole body");
        print_six(modes.summary.whole, 1.0);
        for (int i = 0; i < 6; ++i) {
            left_out[i] = get_left_out(&modes.summary, i);
        }
        printf("%-22s", "  left out, %");
        print_six(left_out, 100.0);
        if (modes.summary.spin_rate > 0) {
            printf("\n  fit for spin up to %.3g rad/s\n", modes.summary.spin_rate);
        }
    } else if (modes.count > 0) {
        printf("\n  %d modes, a combination of which has no mass\n", modes.count);
    }
    drop_modes(&modes);
}

void lb_cli_write_body_modes(lb_cli_json *json, const lb_model *model, int body)
{
    body_modes modes = find_modes(model, body);
    if (modes.count > 0 && modes.status == LB_OK) {
        double left_out[6];
        for (int i = 0; i < 6; ++i) {
            left_out[i] = get_left_out(&modes.summary, i);
        }
        lb_cli_json_open(json, "effective_masses", '[');
        for (int r = 0; r < modes.count; ++r) {
            lb_cli_json_vector(json, NULL, modes.effective + 6 * r, 6);
        }
        lb_cli_json_close(json, ']');
        lb_cli_json_vector(json, "effective_sums", modes.summary.sums, 6);
        lb_cli_json_vector(json, "left_out", left_out, 6);
        lb_cli_json_number(json, "spin_rate", modes.summary.spin_rate);
    }
    drop_modes(&modes);
}
