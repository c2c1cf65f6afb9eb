// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Spectra of recorded signals.
#include <math.h>

#include "console.h"
#include "limber/spectra.h"
#include "loads.h"

// Rows are to be equally far apart. The last one need not be: a run may end between two of them.
static bool check_rows(lb_cli_load_run *run)
{
    const double *t = run->times;
    if (run->row_count < 9) {
        lb_cli_complain("%s: %ld rows are too few for a spectrum", run->path, run->row_count);
        return false;
    }
    const double step = t[1] - t[0];
    for (long i = 1; i < run->row_count; ++i) {
        if (!(fabs(t[i] - t[i - 1] - step) <= 1e-6 * step + 1e-12 * fabs(t[i]))) {
            if (i == run->row_count - 1) {
                --run->row_count;
                break;
            }
            lb_cli_complain("%s: rows are %.6g s apart at %.9g s and %.6g s before: a spectrum "
                            "needs equal steps",
                            run->path, t[i] - t[i - 1], t[i], step);
            return false;
        }
    }
    run->step = (t[run->row_count - 1] - t[0]) / (double)(run->row_count - 1);
    return true;
}

// The largest number up to n that is a product of 2, 3 and 5.
static long find_smooth(long n)
{
    for (;; --n) {
        long rest = n;
        for (long p = 2; p <= 5; ++p) {
            while (rest % p == 0) {
                rest /= p;
            }
        }
        if (rest == 1) {
            return n;
        }
    }
}

bool lb_cli_prepare_spectra(const lb_cli_loads *loads, lb_cli_load_run *run)
{
    if (!check_rows(run)) {
        return false;
    }
    if (loads->kind == LB_CLI_SRS) {
        run->frequency_count = loads->frequency_count;
    } else {
        const double rows = loads->segment > 0.0 ? loads->segment / run->step * (1.0 + 1e-9)
                                                 : (double)run->row_count / 8.0;
        if (!(rows >= 8.0 || loads->segment == 0.0) || !(rows <= (double)run->row_count)) {
            lb_cli_complain("%s: --segment: a segment must have from 8 rows to all %ld, which "
                            "are %.6g s apart",
                            run->path, run->row_count, run->step);
            return false;
        }
        run->segment = find_smooth(rows < 8.0 ? 8 : (long)rows);
        run->frequency_count = run->segment / 2 + 1;
    }
    run->frequencies = lb_cli_calloc((size_t)run->frequency_count, sizeof *run->frequencies);
    for (long k = 0; k < run->frequency_count; ++k) {
        run->frequencies[k] = loads->kind == LB_CLI_SRS
                                  ? loads->frequencies[k]
                                  : (double)k / ((double)run->segment * run->step);
    }
    return true;
}

bool lb_cli_compute_spectrum(const lb_cli_loads *loads, const lb_cli_load_run *run, const double *y,
                             const char *name, lb_cli_load *load)
{
    const size_t count = (size_t)run->frequency_count;
    load->spectrum = lb_cli_calloc(count, sizeof *load->spectrum);
    load->negative = lb_cli_calloc(count, sizeof *load->negative);
    const lb_status status =
        loads->kind == LB_CLI_PSD
            ? lb_compute_psd(run->step, run->row_count, y, run->segment, LB_WINDOW_HANN,
                             load->spectrum)
            : lb_compute_shock_spectrum(run->step, run->row_count, y, loads->q, (int)count,
                                        run->frequencies, load->spectrum, load->negative);
    if (status < 0) {
        lb_cli_complain("%s: spectrum of '%s': %s", run->path, name, lb_get_status_text(status));
    }
    return status >= 0;
}
