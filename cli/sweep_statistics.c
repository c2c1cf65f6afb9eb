// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What the samples say together: percentiles, worst cases, and which parameters matter.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/command.h"
#include "json_out.h"
#include "sweep.h"

enum { PERCENTILE_COUNT = 7 };
static const double percentiles[PERCENTILE_COUNT] = {0.1, 1.0, 5.0, 50.0, 95.0, 99.0, 99.9};

// Samples that count: those that are done and independent, with their values.
typedef struct samples {
    int64_t count;
    int inputs, outputs;
    int64_t *index;
    double *values; // count x inputs
    double *column; // one output, or ranks
    double *ranks;  // of the output
    double *sorted;
    int64_t *order;
} samples;

typedef struct summary {
    double mean, deviation, percentile[PERCENTILE_COUNT];
    int64_t smallest, largest; // their indices
    double low, high;
} summary;

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take(const lb_sweep *sweep, const lb_sweep_table *table, samples *x)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    const size_t most = (size_t)table->done_count + 1;
    x->inputs = plan->variation_count;
    x->outputs = plan->output_count;
    x->index = lb_cli_malloc(most * sizeof *x->index);
    x->order = lb_cli_malloc(most * sizeof *x->order);
    x->values = lb_cli_malloc(most * (size_t)(x->inputs + 1) * sizeof *x->values);
    x->column = lb_cli_malloc(most * sizeof *x->column);
    x->ranks = lb_cli_malloc(most * sizeof *x->ranks);
    x->sorted = lb_cli_malloc(most * sizeof *x->sorted);
}

// Those that have an output: samples that are not stable have no margins.
static void gather(const lb_sweep *sweep, const lb_sweep_table *table, int output, samples *x)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    const int blocks = plan->variation_count + 2;
    x->count = 0;
    for (int64_t k = 0; k < table->sample_count; ++k) {
        // with `sensitivity`, only the first two samples of each group are independent of one another
        if (table->states[k] == LB_SAMPLE_DONE && !isnan(table->outputs[k * x->outputs + output]) &&
            (!plan->is_for_sensitivity || k % blocks < 2)) {
            lb_compute_sample(sweep, k, x->values + x->count * x->inputs);
            x->column[x->count] = table->outputs[k * x->outputs + output];
            x->index[x->count++] = k;
        }
    }
}

// With `sensitivity`, only the first two samples of each group are independent of one another.
static int64_t count_independent(const lb_sweep *sweep, const lb_sweep_table *table)
{
    const lb_sweep_info *plan = lb_get_sweep_info(sweep);
    const int blocks = plan->variation_count + 2;
    int64_t count = 0;
    for (int64_t k = 0; k < table->sample_count; ++k) {
        count +=
            table->states[k] == LB_SAMPLE_DONE && (!plan->is_for_sensitivity || k % blocks < 2);
    }
    return count;
}

static void release(samples *x)
{
    free(x->index);
    free(x->order);
    free(x->values);
    free(x->column);
    free(x->ranks);
    free(x->sorted);
}

static double get_percentile(const double *sorted, int64_t count, double percent)
{
    const double at = percent / 100.0 * (double)(count - 1);
    const int64_t below = (int64_t)floor(at);
    const int64_t above = below + 1 < count ? below + 1 : below;
    return below == above ? sorted[below]
                          : sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static void summarize(samples *x, summary *r)
{
    double sum = 0.0, square = 0.0;
    r->low = r->high = x->column[0];
    r->smallest = r->largest = x->index[0];
    for (int64_t i = 0; i < x->count; ++i) {
        const double y = x->column[i];
        sum += y;
        x->sorted[i] = y;
        if (y < r->low) {
            r->low = y;
            r->smallest = x->index[i];
        }
        if (y > r->high) {
            r->high = y;
            r->largest = x->index[i];
        }
    }
    r->mean = sum / (double)x->count;
    for (int64_t i = 0; i < x->count; ++i) {
        square += (x->column[i] - r->mean) * (x->column[i] - r->mean);
    }
    r->deviation = x->count > 1 ? sqrt(square / (double)(x->count - 1)) : 0.0;
    qsort(x->sorted, (size_t)x->count, sizeof *x->sorted, compare);
    for (int i = 0; i < PERCENTILE_COUNT; ++i) {
        r->percentile[i] = get_percentile(x->sorted, x->count, percentiles[i]);
    }
}

static double correlate(const double *x, int stride, const double *y, int64_t count)
{
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (int64_t i = 0; i < count; ++i) {
        mx += x[i * stride] / (double)count;
        my += y[i] / (double)count;
    }
    for (int64_t i = 0; i < count; ++i) {
        const double dx = x[i * stride] - mx, dy = y[i] - my;
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : NAN;
}

// Ranks from a sorted copy; equal numbers share the middle of their ranks.
static void rank(samples *x, const double *y, int stride, double *ranks)
{
    for (int64_t i = 0; i < x->count; ++i) {
        x->sorted[i] = y[i * stride];
    }
    qsort(x->sorted, (size_t)x->count, sizeof *x->sorted, compare);
    for (int64_t i = 0; i < x->count; ++i) {
        int64_t ends[2]; // how many are smaller, how many are not larger
        for (int side = 0; side < 2; ++side) {
            int64_t low = 0, high = x->count;
            while (low < high) {
                const int64_t middle = low + (high - low) / 2;
                const bool before =
                    side ? x->sorted[middle] <= y[i * stride] : x->sorted[middle] < y[i * stride];
                low = before ? middle + 1 : low;
                high = before ? high : middle;
            }
            ends[side] = low;
        }
        ranks[i] = 0.5 * (double)(ends[0] + ends[1]);
    }
}

// Sobol indices of a parameter: Saltelli's estimator of the first order, Jansen's of the total.
//
// Source: Saltelli et al. (2010), "Variance based sensitivity analysis of model output", table 2 (b) and (f).
static void compute_indices(const lb_sweep_table *table, int inputs, int outputs, int output,
                            int parameter, double *first, double *total)
{
    const int blocks = inputs + 2;
    double sum = 0.0, square = 0.0, own = 0.0, other = 0.0, rows = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        const double mean = rows > 0.0 ? sum / (2.0 * rows) : 0.0;
        for (int64_t k = 0; k + blocks <= table->sample_count; k += blocks) {
            const int64_t mixed = k + 2 + parameter;
            if (table->states[k] != LB_SAMPLE_DONE || table->states[k + 1] != LB_SAMPLE_DONE ||
                table->states[mixed] != LB_SAMPLE_DONE) {
                continue;
            }
            const double a = table->outputs[k * outputs + output] - mean;
            const double b = table->outputs[(k + 1) * outputs + output] - mean;
            const double m = table->outputs[mixed * outputs + output] - mean;
            if (isnan(a) || isnan(b) || isnan(m)) {
                continue;
            }
            if (pass == 0) {
                rows += 1.0;
                sum += a + b;
            } else {
                square += a * a + b * b;
                own += b * (m - a);
                other += (a - m) * (a - m);
            }
        }
    }
    *first = square > 0.0 ? 2.0 * own / square : NAN;
    *total = square > 0.0 ? other / square : NAN;
}

// ---- what is printed ---------------------------------------------------------------------------

typedef struct influence {
    double linear, by_rank, first, total;
} influence;

static influence find_influence(const lb_cli_sweep *s, const lb_sweep_table *table, samples *x,
                                int output, int parameter)
{
    influence r = {.first = NAN, .total = NAN};
    const double *values = x->values + parameter;
    double *ranks = (double *)x->order; // as large
    r.linear = correlate(values, x->inputs, x->column, x->count);
    rank(x, values, x->inputs, ranks);
    r.by_rank = correlate(ranks, 1, x->ranks, x->count);
    if (lb_get_sweep_info(s->sweep)->is_for_sensitivity) {
        compute_indices(table, x->inputs, x->outputs, output, parameter, &r.first, &r.total);
    }
    return r;
}

// An output that is the same in all samples has no correlations.
static void print_share(double value)
{
    if (isfinite(value)) {
        printf(" %12.4f", value);
    } else {
        printf(" %12s", "-");
    }
}

static void print_text(const lb_cli_sweep *s, const lb_sweep_table *table, samples *x, int output,
                       const summary *r)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    lb_cli_put_text(stdout, plan->outputs[output]);
    if (x->count < count_independent(s->sweep, table)) {
        printf(": of %lld samples that have it", (long long)x->count);
    }
    printf("\n  mean %.9g, standard deviation %.6g\n", r->mean, r->deviation);
    printf("  smallest %.9g (sample %lld), largest %.9g (sample %lld)\n", r->low,
           (long long)r->smallest, r->high, (long long)r->largest);
    for (int i = 0; i < PERCENTILE_COUNT; ++i) {
        printf("  %5.1f %%  %.9g\n", percentiles[i], r->percentile[i]);
    }
    const bool indices = plan->is_for_sensitivity;
    printf("  %-24s %12s %12s%s\n", "parameter", "correlation", "of ranks",
           indices ? "  first index  total index" : "");
    for (int p = 0; p < x->inputs; ++p) {
        const influence f = find_influence(s, table, x, output, p);
        printf("  %-24s", plan->variations[p]);
        print_share(f.linear);
        print_share(f.by_rank);
        if (indices) {
            print_share(f.first);
            print_share(f.total);
        }
        putchar('\n');
    }
}

static void put_number(lb_cli_json *out, const char *key, double value)
{
    lb_cli_json_number(out, key, value);
}

static void print_json(lb_cli_json *out, const lb_cli_sweep *s, const lb_sweep_table *table,
                       samples *x, int output, const summary *r)
{
    const lb_sweep_info *plan = lb_get_sweep_info(s->sweep);
    lb_cli_json_open(out, plan->outputs[output], '{');
    if (x->count < count_independent(s->sweep, table)) {
        lb_cli_json_integer(out, "samples", x->count);
    }
    put_number(out, "mean", r->mean);
    put_number(out, "deviation", r->deviation);
    put_number(out, "smallest", r->low);
    lb_cli_json_integer(out, "smallest_sample", r->smallest);
    put_number(out, "largest", r->high);
    lb_cli_json_integer(out, "largest_sample", r->largest);
    lb_cli_json_open(out, "percentiles", '{');
    for (int i = 0; i < PERCENTILE_COUNT; ++i) {
        char key[16];
        snprintf(key, sizeof key, "%g", percentiles[i]);
        put_number(out, key, r->percentile[i]);
    }
    lb_cli_json_close(out, '}');
    lb_cli_json_open(out, "parameters", '{');
    for (int p = 0; p < x->inputs; ++p) {
        const influence f = find_influence(s, table, x, output, p);
        lb_cli_json_open(out, plan->variations[p], '{');
        put_number(out, "correlation", f.linear);
        put_number(out, "rank_correlation", f.by_rank);
        if (plan->is_for_sensitivity) {
            put_number(out, "first_index", f.first);
            put_number(out, "total_index", f.total);
        }
        lb_cli_json_close(out, '}');
    }
    lb_cli_json_close(out, '}');
    lb_cli_json_close(out, '}');
}

// An output that no sample has.
static void note_nothing(lb_cli_json *out, bool json, const lb_cli_sweep *s, int output)
{
    const char *name = lb_get_sweep_info(s->sweep)->outputs[output];
    if (json) {
        lb_cli_json_open(out, name, '{');
        lb_cli_json_integer(out, "samples", 0);
        lb_cli_json_close(out, '}');
    } else {
        lb_cli_put_text(stdout, name);
        printf("\n  no sample has it\n");
    }
}

int lb_cli_print_sweep_statistics(const lb_cli_sweep *s)
{
    samples x = {0};
    lb_sweep_table *table = lb_cli_read_sweep_table(s);
    if (!table) {
        return LB_CLI_FAILED;
    }
    int result = LB_CLI_FAILED;
    take(s->sweep, table, &x);
    if (table->done_count == 0) {
        lb_cli_complain("sweep: no sample has outputs");
    } else {
        const bool json = lb_cli_get_option(s->arguments, "json") != NULL;
        lb_cli_json out = lb_cli_json_start(stdout);
        if (json) {
            lb_cli_json_open(&out, NULL, '{');
            if (table->unstable_count > 0) {
                lb_cli_json_integer(&out, "unstable", table->unstable_count);
            }
        } else {
            printf("%lld samples, %lld failed", (long long)count_independent(s->sweep, table),
                   (long long)table->failed_count);
            if (table->unstable_count > 0) {
                printf(", %lld not stable", (long long)table->unstable_count);
            }
            putchar('\n');
        }
        for (int m = 0; m < x.outputs; ++m) {
            summary r;
            gather(s->sweep, table, m, &x);
            if (x.count == 0) {
                note_nothing(&out, json, s, m);
                continue;
            }
            rank(&x, x.column, 1, x.ranks);
            summarize(&x, &r);
            if (json) {
                print_json(&out, s, table, &x, m, &r);
            } else {
                print_text(s, table, &x, m, &r);
            }
        }
        if (json) {
            lb_cli_json_close(&out, '}');
            lb_cli_json_finish(&out);
        }
        result = LB_CLI_DONE;
    }
    release(&x);
    lb_destroy_sweep_table(table);
    return result;
}
