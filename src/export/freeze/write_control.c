// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_control.h"

#include <inttypes.h>

#include "parameters/tunable.h"
#include "write_c.h"

static void write_next_prototype(lb_page *page, const lb_freeze_options *options,
                                 const char *capitals)
{
    lb_write(page,
             "// Time of the next sample of a sensor or a controller.\n"
             "%s %s_next_sample(const %s memory[%s_MEMORY])",
             lb_get_real(options), options->name, lb_get_real(options), capitals);
}

static void write_control_prototype(lb_page *page, const lb_freeze_options *options,
                                    const char *capitals)
{
    const char *real = lb_get_real(options);
    lb_write(page,
             "// Takes the samples that are due at t: sensors, then controllers, which command "
             "their actuators.\n"
             "// memory is replaced; u gets what the actuators deliver at t, its other entries are "
             "read.\n"
             "int %s_control(",
             options->name);
    lb_write_parameter_argument(page, options);
    lb_write(page,
             "%s t, const %s q[%s_Q], const %s v[%s_V], const %s tau[%s_V], %s u[%s_U], %s "
             "memory[%s_MEMORY])",
             real, real, capitals, real, capitals, real, capitals, real, capitals, real, capitals);
}

static void write_run_prototype(lb_page *page, const lb_freeze_options *options,
                                const char *capitals)
{
    const char *real = lb_get_real(options);
    lb_write(
        page,
        "// From t to t + h with all samples from t on; those of t + h come with the next call. "
        "One step of\n"
        "// the method of %s_step, or several that end where a sample is due or a ramp of an "
        "actuator ends.\n"
        "// q, v, memory and u are replaced.\n"
        "int %s_run(",
        options->name, options->name);
    lb_write_parameter_argument(page, options);
    lb_write(page,
             "%s t, %s h, const %s tau[%s_V], %s u[%s_U], %s q[%s_Q], %s v[%s_V], %s "
             "memory[%s_MEMORY])",
             real, real, real, capitals, real, capitals, real, capitals, real, capitals, real,
             capitals);
}

void lb_write_control_prototypes(lb_page *page, const lb_frozen_control *control,
                                 const lb_freeze_options *options, const char *capitals)
{
    lb_write(page, "\n");
    write_next_prototype(page, options, capitals);
    lb_write(page, ";\n\n");
    write_control_prototype(page, options, capitals);
    lb_write(page, ";\n");
    if (control->runs) {
        lb_write(page, "\n");
        write_run_prototype(page, options, capitals);
        lb_write(page, ";\n");
    }
}

// As the engine: splitmix64 of Vigna, whose state is the seed and so many times a constant, then Box and Muller.
void lb_write_noise(lb_page *page, const lb_frozen_control *control,
                    const lb_freeze_options *options)
{
    if (control->noise_count == 0) {
        return;
    }
    lb_write(
        page,
        "// Above 0, up to 1: splitmix64 of Vigna at one state.\n"
        "static double %s_uniform(uint64_t z)\n{\n"
        "    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);\n"
        "    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);\n"
        "    z ^= z >> 31;\n"
        "    return ((double)(z >> 11) + 1.0) * 1.1102230246251565e-16;\n}\n\n"
        "// Normal numbers of mean 0 and deviation 1, by Box and Muller: that of one sample. "
        "Logarithm and cosine by\n"
        "// their series, whose bits are the same everywhere.\n"
        "static %s %s_normal(uint64_t seed, uint64_t sample)\n{\n"
        "    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15), z = seed + 2 * sample * step;\n"
        "    int e;\n"
        "    double m = frexp(%s_uniform(z + step), &e);\n"
        "    if (m < 0.70710678118654752) {\n        m *= 2.0;\n        --e;\n    }\n"
        "    const double s = (m - 1.0) / (m + 1.0);\n"
        "    double log_u = 0.0, sine = 1.0;\n"
        "    for (int k = 21; k > 0; k -= 2) {\n        log_u = log_u * s * s + 1.0 / k;\n    }\n"
        "    log_u = 0.69314718055994531 * e + 2.0 * s * log_u;\n"
        "    const double x = 6.28318530717958648 * (0.25 - fabs(%s_uniform(z + 2 * step) - "
        "0.5));\n"
        "    for (int k = 22; k > 0; k -= 2) {\n        sine = 1.0 - sine * x * x / (k * (k + "
        "1.0));\n    }\n"
        "    return (%s)(-sqrt(-2.0 * log_u) * x * sine);\n}\n\n",
        options->name, lb_get_real(options), options->name, options->name, options->name,
        lb_get_real(options));
}

// Draws what the sensors of a group need.
static bool write_draws(lb_page *page, const lb_frozen_control *control, int sampler,
                        const lb_freeze_options *options, const char *capitals)
{
    const int at = control->samplers[sampler].at;
    bool any = false;
    for (int i = 0; i < control->noise_count; ++i) {
        if (control->noises[i].sampler == sampler) {
            if (!any) {
                lb_write(page, "        %s noise[%s_NOISE] = {0};\n", lb_get_real(options),
                         capitals);
            }
            lb_write(page,
                     "        noise[%d] = %s_normal(UINT64_C(%" PRIu64
                     "), (uint64_t)memory[%d]);\n",
                     i, options->name, control->noises[i].seed, at);
            any = true;
        }
    }
    return any;
}

// Classical Runge-Kutta with forces held, as the engine does it                         (CTL-7)
static void write_plan(lb_page *page, const lb_frozen_sampler *s, const lb_freeze_options *options,
                       const char *capitals)
{
    const char *real = lb_get_real(options);
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    const int n = s->plan_v_count;
    lb_write(
        page,
        "// The model of a controller moves on by a period: Runge-Kutta of fourth order, forces "
        "held (CTL-7).\n"
        "static int %s_advance_%s(",
        options->name, s->plan);
    lb_write_parameter_argument(page, options);
    lb_write(page,
             "%s memory[%s_MEMORY])\n{\n"
             "    %s *q = memory + %d, *v = memory + %d, *a = memory + %d;\n"
             "    %s q0[%d], v0[%d], v_sum[%d], a_sum[%d];\n    const %s h = ",
             real, capitals, real, s->plan_at, s->plan_at + s->plan_q_count,
             s->plan_at + s->plan_q_count + 3 * n, real, n, n, n, n, real);
    lb_write_number(page, 1.0 / s->rate / s->plan_steps, is_float);
    lb_write(page,
             ";\n    int i, step, stage, status = 0;\n"
             "    for (step = 0; step < %d; ++step) {\n"
             "        for (i = 0; i < %d; ++i) {\n"
             "            q0[i] = q[i];\n            v0[i] = v[i];\n"
             "            v_sum[i] = a_sum[i] = 0;\n        }\n"
             "        for (stage = 0; stage < 4; ++stage) {\n"
             "            const %s weight = h * (stage == 0 || stage == 3 ? 1 : 2) / 6;\n"
             "            const %s reach = stage == 2 ? h : h / 2;\n"
             "            const int told = %s_%s(%smemory);\n"
             "            if (told < 0) {\n                return told;\n            }\n"
             "            status = told ? told : status;\n"
             "            for (i = 0; i < %d; ++i) {\n"
             "                v_sum[i] += weight * v[i];\n"
             "                a_sum[i] += weight * a[i];\n"
             "                q[i] = q0[i] + (stage < 3 ? reach * v[i] : v_sum[i]);\n"
             "                v[i] = v0[i] + (stage < 3 ? reach * a[i] : a_sum[i]);\n"
             "            }\n        }\n    }\n    return status;\n}\n\n",
             s->plan_steps, n, real, real, options->name, s->plan, lb_get_passed(options), n);
}

void lb_write_plans(lb_page *page, const lb_frozen_control *control,
                    const lb_freeze_options *options, const char *capitals)
{
    for (int i = 0; i < control->sampler_count; ++i) {
        if (control->samplers[i].plan_at >= 0) {
            write_plan(page, &control->samplers[i], options, capitals);
        }
    }
}

static void write_due(lb_page *page, const lb_frozen_sampler *s, const lb_freeze_options *options)
{
    lb_write(page, "memory[%d] / ", s->at);
    lb_write_number(page, s->rate, options->number == LB_FROZEN_FLOAT);
}

void lb_write_control(lb_page *page, const lb_frozen_control *control,
                      const lb_freeze_options *options, const char *capitals)
{
    const char *real = lb_get_real(options), *passed = lb_get_passed(options);
    write_next_prototype(page, options, capitals);
    lb_write(page, "\n{\n    %s first = ", real);
    write_due(page, &control->samplers[0], options);
    lb_write(page, ", t = first;\n");
    for (int i = 1; i < control->sampler_count; ++i) {
        lb_write(page, "    t = ");
        write_due(page, &control->samplers[i], options);
        lb_write(page, ";\n    first = t < first ? t : first;\n");
    }
    lb_write(page, "    return t < first ? t : first;\n}\n\n");
    write_control_prototype(page, options, capitals);
    lb_write(page,
             "\n{\n    // forces as they have been so far, which sensors may see\n"
             "    int status = %s_actuate(%st, memory, u);\n",
             options->name, passed);
    for (int i = 0; i < control->sampler_count; ++i) {
        lb_write(page, "    if (status >= 0 && ");
        write_due(page, &control->samplers[i], options);
        lb_write(page, " <= t) {\n");
        const bool noisy = write_draws(page, control, i, options, capitals);
        lb_write(page, "        status = %s_%s(%st, q, v, tau, u, %smemory);\n", options->name,
                 control->samplers[i].name, passed, noisy ? "noise, " : "");
        if (control->samplers[i].plan_at >= 0) {
            lb_write(page, "        status = status < 0 ? status : %s_advance_%s(%smemory);\n",
                     options->name, control->samplers[i].plan, passed);
        }
        lb_write(page, "    }\n");
    }
    lb_write(page, "    return status < 0 ? status : %s_actuate(%st, memory, u);\n}\n\n",
             options->name, passed);
}

void lb_write_run(lb_page *page, const lb_frozen_control *control, const lb_freeze_options *options,
                  const char *capitals, bool closes)
{
    const char *real = lb_get_real(options), *name = options->name,
               *passed = lb_get_passed(options);
    const bool is_float = options->number == LB_FROZEN_FLOAT;
    write_run_prototype(page, options, capitals);
    lb_write(page,
             "\n{\n    const %s end = t + h, near = h * %s;\n    int status = 0;\n"
             "    while (status >= 0 && t < end) {\n"
             "        %s next = %s_next_sample(memory), stop = end;\n"
             "        // a sample that is due but for rounding\n"
             "        t = next > t && next - t <= near ? next : t;\n"
             "        status = %s_control(%st, q, v, tau, u, memory);\n"
             "        next = %s_next_sample(memory);\n"
             "        stop = next > t && next < end - near ? next : stop;\n",
             real, is_float ? "1e-4f" : "1e-9", real, name, name, passed, name);
    for (int i = 0; i < control->ramp_count; ++i) {
        const int at = control->ramps[i].at;
        lb_write(page, "        next = memory[%d] + fabs%s(memory[%d] - memory[%d]) / ", at,
                 is_float ? "f" : "", at + 1, at + 2);
        lb_write_number(page, control->ramps[i].rate_limit, is_float);
        lb_write(page, ";\n        stop = next > t && next < stop ? next : stop;\n");
    }
    lb_write(page,
             "        if (status >= 0) {\n"
             "            status = %s_advance(%st, stop - t, tau, u, q, v, memory);\n        }\n",
             name, passed);
    if (closes) {
        lb_write(
            page,
            "        if (status >= 0) {\n            status = %s_close(%sstop, q, v);\n        }\n",
            name, passed);
    }
    lb_write(page, "        t = stop;\n    }\n    return status;\n}\n\n");
}
