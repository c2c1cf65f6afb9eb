// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a plan, except `model`.
#include <math.h>
#include <string.h>

#include "document/values.h"
#include "limber/results.h"
#include "philox.h"
#include "simulate/store/audit_entries.h"
#include "sobol.h"
#include "sweep.h"

// Most samples, parameters, outputs and values that a plan may have.
enum { PARAMETER_MAX = 1000, OUTPUT_MAX = 1000, VALUE_MAX = 1000000 };
static const double sample_max = 1e9;

static const char *const sampling_words[] = {"random", "latin-hypercube", "sobol", "grid", "list",
                                             NULL};
static const char *const distribution_words[] = {"uniform",    "normal", "triangular",
                                                 "log-normal", "values", NULL};

// ---- one parameter -----------------------------------------------------------------------------

static bool read_value_list(lb_sweep *s, lb_reader *reader, const lb_place *at, lb_variation *v)
{
    const lb_place list = lb_place_at_key(at, "values");
    double from = 0.0, to = 0.0, count = 0.0;
    if (lb_place_get_kind(&list) == LB_DOC_MAPPING) {
        static const char *const known[] = {"from", "to", "count", NULL};
        if (!lb_read_mapping(reader, &list, known) ||
            !lb_read_number(reader, &list, "from", LB_REQUIRED, &from) ||
            !lb_read_number(reader, &list, "to", LB_REQUIRED, &to) ||
            !lb_read_number(reader, &list, "count", LB_REQUIRED, &count)) {
            return false;
        }
        if (!(count >= 2.0 && count <= VALUE_MAX && count == floor(count))) {
            const lb_place place = lb_place_at_key(&list, "count");
            lb_reader_fail(reader, &place, "%g found, expected a whole number from 2 to %d", count,
                           VALUE_MAX);
            return false;
        }
    } else if (lb_place_get_kind(&list) != LB_DOC_SEQUENCE || lb_place_get_count(&list) == 0 ||
               lb_place_get_count(&list) > VALUE_MAX) {
        lb_reader_fail_type(reader, &list, "a list of numbers, or {from, to, count}");
        return false;
    }
    v->value_count = count > 0.0 ? (int)count : (int)lb_place_get_count(&list);
    v->values = lb_take_numbers(s->arena, (size_t)v->value_count);
    for (int i = 0; v->values && i < v->value_count; ++i) {
        if (count > 0.0) {
            v->values[i] = i + 1 == v->value_count ? to : from + (to - from) * i / (count - 1.0);
        } else {
            const lb_place item = lb_place_at_index(&list, (size_t)i);
            if (!lb_read_angle_at(reader, &item, &v->values[i])) {
                return false;
            }
        }
    }
    return v->values != NULL;
}

static bool read_numbers(lb_reader *reader, const lb_place *at, const char *const *keys,
                         double *numbers)
{
    bool good = true;
    for (int i = 0; keys[i]; ++i) {
        good = lb_read_angle(reader, at, keys[i], LB_REQUIRED, &numbers[i]) && good;
    }
    return good;
}

static bool read_variation(lb_sweep *s, lb_reader *reader, const lb_place *at, lb_variation *v)
{
    static const char *const keys[][4] = {
        {"low", "high"}, {"mean", "deviation"}, {"low", "mode", "high"}, {"median", "deviation"}};
    int kind = LB_VALUES;
    const char *known[6] = {"distribution", "values"};
    v->name = lb_place_get_key(at);
    v->stream = lb_get_stream(v->name);
    if (lb_place_get_kind(at) != LB_DOC_MAPPING) {
        lb_reader_fail_type(reader, at,
                            "a mapping such as {distribution: normal, mean: 2, deviation: 0.1} "
                            "or {values: [1, 2]}");
        return false;
    }
    if (!lb_place_has_key(at, "values") &&
        !lb_read_word(reader, at, "distribution", LB_REQUIRED, distribution_words, &kind)) {
        return false;
    }
    v->distribution = (lb_distribution)kind;
    if (kind == LB_VALUES) {
        known[0] = "values";
        known[1] = NULL;
        return lb_read_mapping(reader, at, known) && read_value_list(s, reader, at, v);
    }
    for (int i = 0; i < 4; ++i) {
        known[1 + i] = keys[kind][i];
    }
    if (!lb_read_mapping(reader, at, known) || !read_numbers(reader, at, keys[kind], v->numbers)) {
        return false;
    }
    const double *n = v->numbers;
    if (kind == LB_UNIFORM && !(n[0] < n[1])) {
        lb_reader_fail(reader, at, "low %g and high %g found, expected the smaller one first", n[0],
                       n[1]);
        return false;
    }
    if (kind == LB_TRIANGULAR && !(n[0] <= n[1] && n[1] <= n[2] && n[0] < n[2])) {
        lb_reader_fail(reader, at,
                       "low %g, mode %g and high %g found, expected them in this order of size",
                       n[0], n[1], n[2]);
        return false;
    }
    if ((kind == LB_NORMAL || kind == LB_LOG_NORMAL) && !(n[1] >= 0.0)) {
        const lb_place place = lb_place_at_key(at, "deviation");
        lb_reader_fail(reader, &place, "%g found, expected a standard deviation of 0 or more",
                       n[1]);
        return false;
    }
    if (kind == LB_LOG_NORMAL) {
        if (!(n[0] > 0.0)) {
            const lb_place place = lb_place_at_key(at, "median");
            lb_reader_fail(reader, &place, "%g found, expected a median above 0", n[0]);
            return false;
        }
        v->numbers[0] = log(n[0]);
    }
    return true;
}

// Whether the model has such a parameter, or a number at such a path.
static bool check_name(lb_sweep *s, lb_reader *reader, const lb_place *at, const char *name)
{
    for (int i = 0; i < lb_get_parameter_count(s->document); ++i) {
        lb_parameter parameter = {.size = sizeof parameter};
        if (lb_get_parameter(s->document, i, &parameter) == LB_OK &&
            strcmp(parameter.name, name) == 0) {
            return true;
        }
    }
    if (strchr(name, '.')) {
        return true; // a path: the check of the job finds out
    }
    lb_reader_fail_key(reader, at,
                       "there is no parameter \"%s\" in %s: define it under `parameters` there, or "
                       "name a number by its path, such as bodies.arm.mass",
                       name, s->model_path);
    return false;
}

static bool read_variations(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    const lb_place vary = lb_place_at_key(root, "vary");
    const size_t count = lb_place_get_count(&vary);
    if (lb_place_get_kind(&vary) != LB_DOC_MAPPING || count == 0 || count > PARAMETER_MAX) {
        lb_reader_fail_type(reader, &vary, "a mapping from names of parameters to distributions");
        return false;
    }
    s->variations = lb_arena_take(s->arena, count, sizeof *s->variations);
    s->variation_count = (int)count;
    for (size_t i = 0; s->variations && i < count; ++i) {
        const lb_place at = lb_place_at_pair(&vary, i);
        if (read_variation(s, reader, &at, &s->variations[i])) {
            check_name(s, reader, &at, s->variations[i].name);
        }
    }
    return s->variations != NULL;
}

// ---- samples -----------------------------------------------------------------------------------

static bool read_whole(lb_reader *reader, const lb_place *root, const char *key, lb_need need,
                       double low, double high, double *number)
{
    const lb_place at = lb_place_at_key(root, key);
    if (!lb_read_number(reader, root, key, need, number)) {
        if (lb_place_exists(&at)) {
            *number = low; // which converts to any type
        }
        return !lb_place_exists(&at) && need == LB_OPTIONAL;
    }
    if (!(*number >= low && *number <= high && *number == floor(*number))) {
        lb_reader_fail(reader, &at, "%g found, expected a whole number from %g to %g", *number, low,
                       high);
        *number = low;
        return false;
    }
    return true;
}

// Grids and lists: values count the samples.
static void count_values(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    const lb_place vary = lb_place_at_key(root, "vary");
    const char *word = sampling_words[s->sampling];
    double product = 1.0;
    for (int i = 0; i < s->variation_count; ++i) {
        const lb_variation *v = &s->variations[i];
        const lb_place at = lb_place_at_pair(&vary, (size_t)i);
        if (v->distribution != LB_VALUES) {
            lb_reader_fail(reader, &at, "a %s takes `values`, not a distribution", word);
            return;
        }
        if (s->sampling == LB_SAMPLING_LIST && v->value_count != s->variations[0].value_count) {
            lb_reader_fail(reader, &at, "%d values found, expected %d as for %s", v->value_count,
                           s->variations[0].value_count, s->variations[0].name);
            return;
        }
        product = s->sampling == LB_SAMPLING_LIST ? v->value_count : product * v->value_count;
    }
    const char *const useless[] = {"samples", "seed", "correlations", "sensitivity"};
    for (int i = 0; i < 4; ++i) {
        const lb_place at = lb_place_at_key(root, useless[i]);
        if (lb_place_exists(&at)) {
            lb_reader_fail_key(reader, &at, "a %s has no `%s`: leave it out", word, useless[i]);
        }
    }
    if (product > sample_max) {
        lb_reader_fail(reader, &vary, "a grid of %g samples, expected at most %g", product,
                       sample_max);
        return;
    }
    s->count = (int64_t)product;
}

static int find_variation(const lb_sweep *s, const char *name)
{
    for (int i = 0; name && i < s->variation_count; ++i) {
        if (strcmp(s->variations[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// The Cholesky factor of the matrix of correlations, which has ones on its diagonal, in its own place.
static bool factor(int n, double *a)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 1e-12)) {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

static bool read_correlations(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    lb_place list;
    const int n = s->variation_count;
    if (!lb_read_sequence(reader, root, "correlations", LB_OPTIONAL, &list)) {
        return true;
    }
    s->correlation = lb_take_numbers(s->arena, (size_t)n * (size_t)n);
    if (!s->correlation) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        s->correlation[i * n + i] = 1.0;
    }
    for (size_t i = 0; i < lb_place_get_count(&list); ++i) {
        const lb_place item = lb_place_at_index(&list, i);
        int at[2];
        double r = 0.0;
        if (lb_place_get_kind(&item) != LB_DOC_SEQUENCE || lb_place_get_count(&item) != 3) {
            lb_reader_fail_type(reader, &item,
                                "two parameters and a number: [mass, stiffness, 0.5]");
            continue;
        }
        const lb_place third = lb_place_at_index(&item, 2);
        bool good = lb_read_number_at(reader, &third, &r);
        if (good && !(fabs(r) < 1.0)) {
            lb_reader_fail(reader, &third, "%g found, expected a number between -1 and 1", r);
            good = false;
        }
        for (size_t k = 0; k < 2; ++k) {
            const lb_place name = lb_place_at_index(&item, k);
            at[k] = find_variation(s, lb_place_get_string(&name));
            const lb_distribution kind = at[k] < 0 ? LB_NORMAL : s->variations[at[k]].distribution;
            if (at[k] < 0) {
                lb_reader_fail_type(reader, &name, "the name of a parameter under `vary`");
            } else if (kind != LB_NORMAL && kind != LB_LOG_NORMAL) {
                lb_reader_fail(reader, &name,
                               "the distribution of \"%s\" is %s, expected normal or log-normal",
                               s->variations[at[k]].name, distribution_words[kind]);
                good = false;
            }
            good = good && at[k] >= 0;
        }
        if (good && at[0] == at[1]) {
            lb_reader_fail(reader, &item, "expected two different parameters");
        } else if (good) {
            s->correlation[at[0] * n + at[1]] = s->correlation[at[1] * n + at[0]] = r;
        }
    }
    if (!factor(n, s->correlation)) {
        lb_reader_fail(reader, &list,
                       "no parameters have these correlations together (the matrix is not positive "
                       "definite): make them smaller");
    }
    return true;
}

static bool read_samples(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    int word = LB_SAMPLING_RANDOM;
    double count = 0.0, seed = 0.0;
    lb_read_word(reader, root, "sampling", LB_OPTIONAL, sampling_words, &word);
    s->sampling = (lb_sampling)word;
    if (word == LB_SAMPLING_GRID || word == LB_SAMPLING_LIST) {
        count_values(s, reader, root);
        return true;
    }
    read_whole(reader, root, "samples", LB_REQUIRED, 1.0, sample_max, &count);
    read_whole(reader, root, "seed", LB_OPTIONAL, 0.0, 9007199254740992.0, &seed);
    lb_read_bool(reader, root, "sensitivity", LB_OPTIONAL, &s->sensitivity);
    s->count = (int64_t)count;
    s->seed = (uint64_t)seed;
    const lb_place sensitivity = lb_place_at_key(root, "sensitivity");
    if (s->sensitivity && (word == LB_SAMPLING_LATIN || lb_place_has_key(root, "correlations"))) {
        lb_reader_fail(reader, &sensitivity,
                       "Sobol indices need sampling: random or sobol, and no correlations");
    }
    const int dimensions = s->variation_count * (s->sensitivity ? 2 : 1);
    if (word == LB_SAMPLING_SOBOL && dimensions > LB_SOBOL_DIMENSIONS) {
        const lb_place vary = lb_place_at_key(root, "vary");
        lb_reader_fail(reader, &vary,
                       "%d dimensions, expected at most %d for sobol: take random or "
                       "latin-hypercube",
                       dimensions, LB_SOBOL_DIMENSIONS);
    }
    return read_correlations(s, reader, root);
}

// ---- the job and what is kept of it ------------------------------------------------------------

// `period` of a job: a time, or the word auto.
static void read_period(lb_sweep *s, lb_reader *reader, const lb_place *job)
{
    const lb_place at = lb_place_at_key(job, "period");
    const char *word = "";
    if (!lb_place_has_key(job, "period")) {
        return;
    }
    if (lb_place_get_kind(&at) == LB_DOC_STRING) {
        (void)lb_read_string(reader, job, "period", LB_REQUIRED, &word);
        s->period = strcmp(word, "auto") == 0 ? -1.0 : 0.0;
    } else {
        lb_read_number(reader, job, "period", LB_REQUIRED, &s->period);
    }
    if (s->period == 0.0 || (s->period < 0.0 && !word[0])) {
        lb_reader_fail(reader, &at, "expected a time above 0 (s), or auto");
    }
    if (s->job <= LB_JOB_LOADS) {
        lb_reader_fail_key(reader, &at,
                           "a run has no period: expected the type modes or linearize");
    } else if (s->trim) {
        lb_reader_fail_key(reader, &at,
                           "an equilibrium does not move: leave `trim` or "
                           "`period` out");
    }
}

static void read_job(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    static const char *const words[] = {"run", "loads", "modes", "linearize", NULL};
    static const char *const known[] = {"type", "duration", "trim", "assemble", "period", NULL};
    const lb_place job = lb_place_at_key(root, "job");
    int word = LB_JOB_RUN;
    if (lb_place_get_kind(&job) != LB_DOC_MAPPING) {
        lb_read_word(reader, root, "job", LB_REQUIRED, words, &word);
        s->job = (lb_job)word;
        return;
    }
    lb_read_mapping(reader, &job, known);
    lb_read_word(reader, &job, "type", LB_REQUIRED, words, &word);
    lb_read_bool(reader, &job, "trim", LB_OPTIONAL, &s->trim);
    lb_read_bool(reader, &job, "assemble", LB_OPTIONAL, &s->assemble);
    s->job = (lb_job)word;
    read_period(s, reader, &job);
    if (lb_read_number(reader, &job, "duration", LB_OPTIONAL, &s->duration)) {
        const lb_place at = lb_place_at_key(&job, "duration");
        if (word > LB_JOB_LOADS) {
            lb_reader_fail_key(reader, &at, "%s takes no time: leave `duration` out", words[word]);
        } else if (!(s->duration > 0.0)) {
            lb_reader_fail(reader, &at, "%g found, expected a time above 0 (s)", s->duration);
        }
    }
}

static bool read_audit_entry(lb_reader *reader, const lb_place *at, lb_sweep_output *o)
{
    const char *name = NULL;
    if (!lb_read_string(reader, at, "audit", LB_REQUIRED, &name)) {
        return false;
    }
    for (o->number = 0; o->number < lb_get_audit_count(); ++o->number) {
        const char *entry = lb_get_audit_name(o->number);
        // what the clock says is never the same twice
        if (strcmp(entry, name) == 0 && !strstr(name, "wall") && !strstr(name, "processor")) {
            return true;
        }
    }
    const lb_place place = lb_place_at_key(at, "audit");
    lb_reader_fail(reader, &place,
                   "\"%s\" found, expected an entry of the audit that a run prints, such as "
                   "energy_error, steps or events, but no times by the clock",
                   name);
    return false;
}

static void read_output(lb_sweep *s, lb_reader *reader, const lb_place *at, lb_sweep_output *o)
{
    static const char *const kinds[] = {"signal", "audit",  "frequency", "damping",
                                        "margin", "growth", NULL};
    static const char *const values[] = {"end", "max",         "min",         "largest", "mean",
                                         "rms", "time-of-max", "time-of-min", NULL};
    static const char *const margins[] = {"gain-up", "gain-down", "phase", "delay", NULL};
    const bool runs = s->job <= LB_JOB_LOADS;
    o->name = lb_place_get_key(at);
    int kind = -1;
    for (int i = 0; lb_place_get_kind(at) == LB_DOC_MAPPING && kinds[i]; ++i) {
        kind = lb_place_has_key(at, kinds[i]) ? i : kind;
    }
    if (kind < 0) {
        lb_reader_fail_type(reader, at,
                            runs ? "a mapping with `signal` or `audit`"
                                 : "a mapping with `frequency`, `damping`, `growth` or `margin`");
        return;
    }
    o->kind = (lb_sweep_kind)kind;
    const char *known[3] = {kinds[kind], kind == LB_KEEP_SIGNAL   ? "value"
                                         : kind == LB_KEEP_MARGIN ? "feedback"
                                                                  : NULL};
    const lb_place place = lb_place_at_key(at, kinds[kind]);
    lb_read_mapping(reader, at, known);
    if (runs != (kind <= LB_KEEP_AUDIT)) {
        lb_reader_fail_key(reader, &place, "%s no `%s`, expected %s",
                           runs ? "a run has" : "modes and linearize have", kinds[kind],
                           runs ? "signal or audit" : "frequency, damping, growth or margin");
        return;
    }
    double number = 1.0;
    if (kind == LB_KEEP_SIGNAL) {
        o->number = s->job == LB_JOB_LOADS ? LB_VALUE_LARGEST : LB_VALUE_END;
        lb_read_string(reader, at, "signal", LB_REQUIRED, &o->text);
        lb_read_word(reader, at, "value", LB_OPTIONAL, values, &o->number);
    } else if (kind == LB_KEEP_AUDIT) {
        read_audit_entry(reader, at, o);
    } else if (kind == LB_KEEP_MARGIN) {
        lb_read_word(reader, at, "margin", LB_REQUIRED, margins, &o->number);
        lb_read_string(reader, at, "feedback", LB_REQUIRED, &o->text);
    } else if (kind == LB_KEEP_GROWTH) {
        bool truth = false;
        if (lb_read_bool(reader, at, "growth", LB_REQUIRED, &truth) && !truth) {
            lb_reader_fail(reader, &place, "expected true");
        }
    } else {
        read_whole(reader, at, kinds[kind], LB_REQUIRED, 1.0, 1e6, &number);
        o->number = (int)number;
    }
}

static bool read_outputs(lb_sweep *s, lb_reader *reader, const lb_place *root)
{
    const lb_place outputs = lb_place_at_key(root, "outputs");
    const size_t count = lb_place_get_count(&outputs);
    if (lb_place_get_kind(&outputs) != LB_DOC_MAPPING || count == 0 || count > OUTPUT_MAX) {
        lb_reader_fail_type(reader, &outputs, "a mapping from names to what is kept");
        return false;
    }
    s->outputs = lb_arena_take(s->arena, count, sizeof *s->outputs);
    s->output_count = (int)count;
    for (size_t i = 0; s->outputs && i < count; ++i) {
        const lb_place at = lb_place_at_pair(&outputs, i);
        read_output(s, reader, &at, &s->outputs[i]);
        if (find_variation(s, s->outputs[i].name) >= 0) {
            lb_reader_fail_key(reader, &at, "a parameter has this name, expected another");
        }
    }
    return s->outputs != NULL;
}

lb_status lb_read_plan(lb_sweep *s, lb_reader *reader)
{
    const lb_place root = lb_get_document_root(s->plan);
    const bool whole = read_variations(s, reader, &root) && read_samples(s, reader, &root);
    read_job(s, reader, &root);
    const bool kept = whole && read_outputs(s, reader, &root);
    return reader->error_count > 0 ? LB_E_MODEL : kept ? LB_OK : LB_E_MEMORY;
}
