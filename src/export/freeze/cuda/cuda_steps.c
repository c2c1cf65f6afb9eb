// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Motion in time as CUDA: the fixed steps of the engine, src/simulate/integrate/fixed_step.c, with one thread per state. The
// functions of one state are for the host too, where tests compare them with the engine.
#include <stdlib.h>

#include "cuda_file.h"
#include "export/freeze/text/write_move.h"

// ---- what all steps need -----------------------------------------------------------------------

static const char rates_text[] =
    "// Accelerations and the rates of q at one time\n"
    "static @_device int @_rates_at($ t, const $ *q, const $ *v, const $ *tau, const $ *u, $ *a, "
    "$ *q_dot, volatile $ *kept)\n"
    "{\n"
    "    (void)t;\n"
    "    (void)u;\n"
    "    return @_rates(~q_dot, 1, kept);\n"
    "}\n"
    "\n";

// As NAME_close of the frozen C: (PRJ-1), then (PRJ-2)
static const char close_text[] =
    "// Puts a state back on its loops. q and v are replaced unless the status is negative.\n"
    "static @_device int @_close($ t, $ *q, $ *v, volatile $ *kept)\n"
    "{\n"
    "    (void)t;\n"
    "    // m and rad: what counts as closed, and what is round-off\n"
    "    const $ limit = ($)(@_CLOSED), round_off = ($)(@_ROUND_OFF);\n"
    "    $ q_now[@_Q], v_now[@_V], q_next[@_Q], gap[@_GAPS], worst = 0;\n"
    "    int status = 0, told;\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q_now[i] = q[i];\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    for (int pass = 0;; ++pass) {\n"
    "        told = @_close_positions(~q_now, q_next, gap, 1, kept);\n"
    "        if (told < 0) {\n"
    "            return told;\n"
    "        }\n"
    "        status = told ? told : status;\n"
    "        worst = 0;\n"
    "        for (int i = 0; i < @_GAPS; ++i) {\n"
    "            const $ size = gap[i] < 0 ? -gap[i] : gap[i];\n"
    "            worst = size <= worst ? worst : size; // NaN is the worst\n"
    "        }\n"
    "        if (pass == 6 || !(worst > round_off)) {\n"
    "            break;\n"
    "        }\n"
    "        for (int i = 0; i < @_Q; ++i) {\n"
    "            q_now[i] = q_next[i];\n"
    "        }\n"
    "    }\n"
    "    if (!(worst <= limit)) {\n"
    "        return -13;\n"
    "    }\n"
    "    told = @_close_speeds(~q_now, v, v_now, 1, kept);\n"
    "    if (told < 0) {\n"
    "        return told;\n"
    "    }\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q[i] = q_now[i];\n"
    "    }\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v[i] = v_now[i];\n"
    "    }\n"
    "    return told ? told : status;\n"
    "}\n"
    "\n";

static void write_settle(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps)
{
    lb_write_cuda_text(page, f,
                       "// The end of a step at t: unit quaternions, driven hinges, loops\n"
                       "static @_device int @_settle($ t, $ *q, $ *v, volatile $ *kept)\n"
                       "{\n"
                       "    (void)t;\n"
                       "    (void)q;\n"
                       "    (void)v;\n"
                       "    (void)kept;\n",
                       "");
    lb_write_unit_quaternions(page, f->model, f->real, f->style.is_float ? "sqrtf" : "sqrt");
    if (steps->is_placed) {
        lb_write_cuda_text(page, f, "    (void)@_place(&t, q, v, 1, kept);\n", "");
    }
    lb_write_cuda_text(page, f, "    return ~;\n}\n\n",
                       steps->is_closed ? "@_close(t, q, v, kept)" : "0");
}

// ---- steps -------------------------------------------------------------------------------------

// Forces see no time beyond `latest`: a step that ends where one of them jumps sees it as it was before.
static const char rk4_text[] =
    "// One step of length h from t by the classical method of Runge and Kutta with constant tau\n"
    "static @_device int @_step($ t, $ latest, $ h, const $ *tau, const $ *u, $ *q, $ *v, "
    "volatile $ *kept)\n"
    "{\n"
    "    $ q_now[@_Q], v_now[@_V], q_sum[@_Q], v_sum[@_V];\n"
    "    int status = 0;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q_now[i] = q[i];\n"
    "        q_sum[i] = 0;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v_now[i] = v[i];\n"
    "        v_sum[i] = 0;\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    for (int stage = 0; stage < 4; ++stage) {\n"
    "        const $ weight = stage == 0 || stage == 3 ? 1 : 2;\n"
    "        const $ reach = stage == 2 ? h : ($)0.5 * h;\n"
    "        // a little inside the step: functions of time may jump where it ends\n"
    "        const $ inside = h * (sizeof h == sizeof(float) ? ($)1e-3 : ($)1e-6);\n"
    "        const $ later = t + (stage == 0 ? inside : stage == 3 ? h - inside : ($)0.5 * h);\n"
    "        $ q_dot[@_Q], a[@_V];\n"
    "        const int told = @_rates_at(later < latest ? later : latest, q_now, v_now, tau, u, a, "
    "q_dot, kept);\n"
    "        status = told ? told : status;\n"
    "        if (told < 0) {\n"
    "            return told;\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < @_Q; ++i) {\n"
    "            q_sum[i] += weight * q_dot[i];\n"
    "            q_now[i] = q[i] + reach * q_dot[i];\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < @_V; ++i) {\n"
    "            v_sum[i] += weight * a[i];\n"
    "            v_now[i] = v[i] + reach * a[i];\n"
    "        }\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q[i] += h / 6 * q_sum[i];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v[i] += h / 6 * v_sum[i];\n"
    "    }\n"
    "    const int told = @_settle(t + h, q, v, kept);\n"
    "    return told ? told : status;\n"
    "}\n"
    "\n";

// Bodies that turn freely take accelerations at the speeds of half a step, as the engine does.
static const char euler_text[] =
    "// One step of length h from t by the semi-implicit method of Euler: v + h a, then q moved by "
    "h "
    "v\n"
    "static @_device int @_step_euler($ t, $ latest, $ h, const $ *tau, const $ *u, $ *q, $ *v, "
    "volatile $ *kept)\n"
    "{\n"
    "    const int passes = ~;\n"
    "    $ v_now[@_V], d[@_V];\n"
    "    int status = 0;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v_now[i] = v[i];\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    for (int pass = 0; pass < passes; ++pass) {\n"
    "        const $ reach = pass + 1 < passes ? ($)0.5 * h : h;\n"
    "        $ q_dot[@_Q], a[@_V];\n"
    "        const int told = @_rates_at(t < latest ? t : latest, q, v_now, tau, u, a, q_dot, "
    "kept);\n"
    "        status = told ? told : status;\n"
    "        if (told < 0) {\n"
    "            return told;\n"
    "        }\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < @_V; ++i) {\n"
    "            v_now[i] = v[i] + reach * a[i];\n"
    "        }\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v[i] = v_now[i];\n"
    "        d[i] = h * v[i];\n"
    "    }\n"
    "    @_move(d, q);\n"
    "    const int told = @_settle(t + h, q, v, kept);\n"
    "    return told ? told : status;\n"
    "}\n"
    "\n";

// The equations of src/simulate/integrate/fixed_step_alpha.c. Newton's matrix is differenced, factored whole, and kept until
// it serves badly.
static const char alpha_text[] =
    "// What generalized-alpha keeps from step to step, and its scratch\n"
    "struct @_alpha {\n"
    "    $ am, af, beta, gamma;\n"
    "    $ a0[@_V], alpha0[@_V], alpha1[@_V], x[@_V], r[@_V], other[@_V];\n"
    "    $ q1[@_Q], v1[@_V], S[@_V * @_V];\n"
    "    int pivot[@_V], has_S;\n"
    "};\n"
    "\n"
    "static @_apart int @_rates_apart($ t, const $ *q, const $ *v, const $ *tau, const $ *u, $ *a, "
    "volatile $ *kept)\n"
    "{\n"
    "    $ q_dot[@_Q];\n"
    "    return @_rates_at(t, q, v, tau, u, a, q_dot, kept);\n"
    "}\n"
    "\n"
    "// r = x - a(t1, q1, v1), where q1 and v1 follow from x\n"
    "static @_device int @_residual(@_alpha *m, $ t1, $ h, const $ *q, const $ *v, const $ *tau, "
    "const $ *u, $ *r, volatile $ *kept)\n"
    "{\n"
    "    $ d[@_V];\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        const $ alpha0 = m->alpha0[i];\n"
    "        const $ alpha1 = ((1 - m->af) * m->x[i] + m->af * m->a0[i] - m->am * alpha0) / (1 - "
    "m->am);\n"
    "        m->alpha1[i] = alpha1;\n"
    "        d[i] = h * v[i] + h * h * ((($)0.5 - m->beta) * alpha0 + m->beta * alpha1);\n"
    "        m->v1[i] = v[i] + h * ((1 - m->gamma) * alpha0 + m->gamma * alpha1);\n"
    "    }\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        m->q1[i] = q[i];\n"
    "    }\n"
    "    @_move(d, m->q1);\n"
    "    const int status = @_rates_apart(t1, m->q1, m->v1, tau, u, r, kept);\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        r[i] = m->x[i] - r[i];\n"
    "    }\n"
    "    return status;\n"
    "}\n"
    "\n";

static const char factor_text[] =
    "// S = L U with rows exchanged; 0 if it is singular\n"
    "static @_apart int @_factor(@_alpha *m)\n"
    "{\n"
    "    $ *S = m->S;\n"
    "    for (int k = 0; k < @_V; ++k) {\n"
    "        int p = k;\n"
    "        for (int i = k + 1; i < @_V; ++i) {\n"
    "            p = fabs~(S[i * @_V + k]) > fabs~(S[p * @_V + k]) ? i : p;\n"
    "        }\n"
    "        m->pivot[k] = p;\n"
    "        if (!(fabs~(S[p * @_V + k]) > 0)) {\n"
    "            return 0;\n"
    "        }\n"
    "        for (int j = 0; p != k && j < @_V; ++j) {\n"
    "            const $ x = S[k * @_V + j];\n"
    "            S[k * @_V + j] = S[p * @_V + j];\n"
    "            S[p * @_V + j] = x;\n"
    "        }\n"
    "        const $ s = 1 / S[k * @_V + k];\n"
    "        for (int i = k + 1; i < @_V; ++i) {\n"
    "            const $ x = S[i * @_V + k] *= s;\n"
    "            for (int j = k + 1; j < @_V; ++j) {\n"
    "                S[i * @_V + j] -= x * S[k * @_V + j];\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    return 1;\n"
    "}\n"
    "\n"
    "// r := S^-1 r; the largest entry\n"
    "static @_apart $ @_solve(const @_alpha *m, $ *r)\n"
    "{\n"
    "    const $ *S = m->S;\n"
    "    $ largest = 0;\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        const $ x = r[m->pivot[i]];\n"
    "        r[m->pivot[i]] = r[i];\n"
    "        r[i] = x;\n"
    "    }\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        for (int j = 0; j < i; ++j) {\n"
    "            r[i] -= S[i * @_V + j] * r[j];\n"
    "        }\n"
    "    }\n"
    "    for (int i = @_V - 1; i >= 0; --i) {\n"
    "        for (int j = i + 1; j < @_V; ++j) {\n"
    "            r[i] -= S[i * @_V + j] * r[j];\n"
    "        }\n"
    "        r[i] /= S[i * @_V + i];\n"
    "        largest = fabs~(r[i]) <= largest ? largest : fabs~(r[i]);\n"
    "    }\n"
    "    return largest;\n"
    "}\n"
    "\n";

static const char alpha_step_text[] =
    "// Starts from the accelerations at t, or from those of the method that came before\n"
    "static @_device int @_start_alpha(@_alpha *m, $ damping, $ t, const $ *past, const $ *tau, "
    "const $ *u, const $ *q, const $ *v, volatile $ *kept)\n"
    "{\n"
    "    m->am = (2 * damping - 1) / (damping + 1);\n"
    "    m->af = damping / (damping + 1);\n"
    "    m->gamma = ($)0.5 - m->am + m->af;\n"
    "    m->beta = ($)0.25 * (1 - m->am + m->af) * (1 - m->am + m->af);\n"
    "    m->has_S = 0;\n"
    "    const int status = @_rates_apart(t, q, v, tau, u, m->a0, kept);\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        m->alpha0[i] = past ? past[i] : m->a0[i];\n"
    "    }\n"
    "    return status;\n"
    "}\n"
    "\n"
    "// Newton's matrix by differences: half the digits of a change in the speeds\n"
    "static @_device int @_renew(@_alpha *m, $ dv_dx, $ t1, $ h, const $ *q, const $ *v, const $ "
    "*tau, const $ *u, volatile $ *kept)\n"
    "{\n"
    "    const $ delta = ($)(~) / dv_dx;\n"
    "#pragma unroll 1\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        const $ x = m->x[j];\n"
    "        m->x[j] = x + delta;\n"
    "        const int status = @_residual(m, t1, h, q, v, tau, u, m->other, kept);\n"
    "        m->x[j] = x;\n"
    "        if (status < 0) {\n"
    "            return status;\n"
    "        }\n"
    "        for (int i = 0; i < @_V; ++i) {\n"
    "            m->S[i * @_V + j] = (m->other[i] - m->r[i]) / delta;\n"
    "        }\n"
    "    }\n"
    "    m->has_S = 1;\n"
    "    return @_factor(m) ? 0 : -9;\n"
    "}\n"
    "\n";

static const char alpha_solve_text[] =
    "// One step of length h from t by generalized-alpha\n"
    "static @_device int @_step_alpha(@_alpha *m, $ t, $ latest, $ h, const $ *tau, const $ *u, $ "
    "*q, $ *v, volatile $ *kept)\n"
    "{\n"
    "    const $ dv_dx = h * m->gamma * (1 - m->af) / (1 - m->am);\n"
    "    const $ t1 = t + h < latest ? t + h : latest;\n"
    "    int status = 0, iteration = 0, done = 0, fresh = 0;\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        m->x[i] = m->a0[i];\n"
    "    }\n"
    "#pragma unroll 1\n"
    "    while (!done) {\n"
    "        status = @_residual(m, t1, h, q, v, tau, u, m->r, kept);\n"
    "        if (status >= 0 && !m->has_S) {\n"
    "            status = @_renew(m, dv_dx, t1, h, q, v, tau, u, kept);\n"
    "            fresh = 1;\n"
    "        }\n"
    "        if (status >= 0) {\n"
    "            $ speed = 1;\n"
    "            for (int i = 0; i < @_V; ++i) {\n"
    "                const $ size = m->v1[i] < 0 ? -m->v1[i] : m->v1[i];\n"
    "                speed = size > speed ? size : speed;\n"
    "            }\n"
    "            done = @_solve(m, m->r) * dv_dx <= ($)(~) * speed;\n"
    "            for (int i = 0; i < @_V; ++i) {\n"
    "                m->x[i] -= m->r[i];\n"
    "            }\n"
    "        }\n"
    "        // 12 iterations at most; then, or after a failure, once more with a new matrix\n"
    "        if (++iteration > 12 || status < 0) {\n"
    "            if (fresh) {\n"
    "                return status < 0 ? status : -9;\n"
    "            }\n"
    "            for (int i = 0; i < @_V; ++i) {\n"
    "                m->x[i] = m->a0[i];\n"
    "            }\n"
    "            m->has_S = iteration = done = 0;\n"
    "        }\n"
    "    }\n"
    "    status = @_residual(m, t1, h, q, v, tau, u, m->r, kept);\n"
    "    if (status < 0) {\n"
    "        return status;\n"
    "    }\n"
    "    m->has_S = iteration <= 5;\n"
    "    for (int i = 0; i < @_Q; ++i) {\n"
    "        q[i] = m->q1[i];\n"
    "    }\n"
    "    for (int i = 0; i < @_V; ++i) {\n"
    "        v[i] = m->v1[i];\n"
    "        m->a0[i] = m->x[i] - m->r[i];\n"
    "        m->alpha0[i] = m->alpha1[i];\n"
    "    }\n"
    "    const int told = @_settle(t + h, q, v, kept);\n"
    "    return told ? told : status;\n"
    "}\n"
    "\n";

// ---- simulations -------------------------------------------------------------------------------

// Entry j of state i of an array is at [j * count + i].
static const char load_text[] =
    "// State i of many: so many steps of length h from t\n"
    "static @_device int @_simulate_~(long long i, long long count, long long step_count, $ h, $ "
    "t, "
    "$ latest, $ damping,\n"
    "    int goes_on, const $ *tau, const $ *u, $ *q_all, $ *v_all, $ *past, volatile $ *kept)\n"
    "{\n"
    "    $ q[@_Q], v[@_V], force[@_V], input[@_U + 1];\n"
    "    int status = 0;\n"
    "    (void)damping;\n"
    "    (void)goes_on;\n"
    "    (void)past;\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q[j] = q_all[j * count + i];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v[j] = v_all[j * count + i];\n"
    "        force[j] = tau[j * count + i];\n"
    "    }\n"
    "    input[@_U] = 0;\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_U; ++j) {\n"
    "        input[j] = u[j * count + i];\n"
    "    }\n";

static const char alpha_load_text[] =
    "    @_alpha m;\n"
    "    $ before[@_V];\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        before[j] = goes_on ? past[j * count + i] : 0;\n"
    "    }\n"
    "    status = @_start_alpha(&m, damping, t, goes_on ? before : 0, force, input, q, v, kept);\n";

static const char run_text[] =
    "#pragma unroll 1\n"
    "    for (long long step = 0; step < step_count && status >= 0; ++step) {\n"
    "        const int told = ~t + ($)step * h, latest, h, force, input, q, v, kept);\n"
    "        status = told ? told : status;\n"
    "    }\n"
    "    if (status >= 0 && !(@_are_finite(@_Q, q, 1) && @_are_finite(@_V, v, 1))) {\n"
    "        status = -10;\n"
    "    }\n"
    "    if (status < 0) {\n"
    "        return status;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q_all[j * count + i] = q[j];\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v_all[j * count + i] = v[j];\n"
    "    }\n";

static const char alpha_store_text[] = "    for (int j = 0; past && j < @_V; ++j) {\n"
                                       "        past[j * count + i] = m.alpha0[j];\n"
                                       "    }\n";

static const char simulate_kernel_text[] =
    "@_kernel(1) @_simulate_~_kernel(long long count, long long step_count, $ h, $ t, $ latest, $ "
    "damping, int goes_on,\n"
    "    const $ *__restrict__ tau, const $ *__restrict__ u, $ *__restrict__ q, $ *__restrict__ v, "
    "$ *__restrict__ past,\n"
    "    unsigned long long *trouble)\n"
    "{\n"
    "    const long long i = (long long)blockIdx.x * @_THREADS + threadIdx.x;\n"
    "    @_KEPT_ARRAY\n"
    "    if (i >= count) {\n"
    "        return;\n"
    "    }\n"
    "    const int status = @_simulate_~(i, count, step_count, h, t, latest, damping, goes_on, "
    "tau, "
    "u, q, v, past, kept);\n"
    "    if (status) {\n"
    "        @_report(status, i, trouble);\n"
    "    }\n"
    "    if (status < 0) {\n"
    "        @_spoil(@_Q, q + i, count);\n"
    "        @_spoil(@_V, v + i, count);\n"
    "    }\n"
    "}\n"
    "\n";

static const char close_kernel_text[] =
    "@_kernel(1) @_close_kernel(long long count, $ t, $ *__restrict__ q_all, $ *__restrict__ "
    "v_all, "
    "unsigned long long *trouble)\n"
    "{\n"
    "    const long long i = (long long)blockIdx.x * @_THREADS + threadIdx.x;\n"
    "    $ q[@_Q], v[@_V];\n"
    "    @_KEPT_ARRAY\n"
    "    if (i >= count) {\n"
    "        return;\n"
    "    }\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q[j] = q_all[j * count + i];\n"
    "    }\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v[j] = v_all[j * count + i];\n"
    "    }\n"
    "    const int status = @_close(t, q, v, kept);\n"
    "    if (status) {\n"
    "        @_report(status, i, trouble);\n"
    "    }\n"
    "    if (status < 0) {\n"
    "        @_spoil(@_Q, q_all + i, count);\n"
    "        @_spoil(@_V, v_all + i, count);\n"
    "        return;\n"
    "    }\n"
    "    for (int j = 0; j < @_Q; ++j) {\n"
    "        q_all[j * count + i] = q[j];\n"
    "    }\n"
    "    for (int j = 0; j < @_V; ++j) {\n"
    "        v_all[j * count + i] = v[j];\n"
    "    }\n"
    "}\n"
    "\n";

// ---- all ---------------------------------------------------------------------------------------

static void write_simulation(lb_page *page, const lb_cuda_file *f, const char *method)
{
    const bool alpha = method[0] == 'a';
    lb_write_cuda_text(page, f, load_text, method);
    if (alpha) {
        lb_write_cuda_text(page, f, alpha_load_text, "");
    }
    lb_write_cuda_text(page, f, run_text,
                       alpha              ? "@_step_alpha(&m, "
                       : method[0] == 'e' ? "@_step_euler("
                                          : "@_step(");
    if (alpha) {
        lb_write_cuda_text(page, f, alpha_store_text, "");
    }
    lb_write(page, "    return status;\n}\n\n");
}

void lb_write_cuda_steps(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps)
{
    const bool is_float = f->style.is_float;
    if (steps->is_closed) {
        lb_write(page, "#define %s_CLOSED %s\n#define %s_ROUND_OFF %s\n\n", f->name,
                 is_float ? "1e-4" : "1e-9", f->name, is_float ? "1e-6" : "1e-13");
        lb_write_cuda_text(page, f, close_text, steps->closes_in_time ? "&t, " : "");
    }
    if (!steps->methods) {
        return;
    }
    lb_write_cuda_text(page, f, rates_text,
                       steps->is_timed ? "&t, q, v, tau, u, a, " : "q, v, tau, a, ");
    write_settle(page, f, steps);
    if (steps->methods & LB_STEP_RK4) {
        lb_write_cuda_text(page, f, rk4_text, "");
        write_simulation(page, f, "rk4");
    }
    if (steps->methods & (LB_STEP_EULER | LB_STEP_ALPHA)) {
        lb_page kind = {.text = NULL};
        lb_write_cuda_text(&kind, f, "static @_device", "");
        lb_write_move(page, f->model, f->name, kind.text ? kind.text : "", f->real);
        page->out_of_memory = page->out_of_memory || kind.out_of_memory;
        free(kind.text);
    }
    if (steps->methods & LB_STEP_EULER) {
        lb_write_cuda_text(page, f, euler_text,
                           lb_has_quaternions(f->model) && !steps->is_closed ? "2" : "1");
        write_simulation(page, f, "euler");
    }
    if (steps->methods & LB_STEP_ALPHA) {
        lb_write_cuda_text(page, f, alpha_text, "");
        lb_write_cuda_text(page, f, factor_text, is_float ? "f" : "");
        lb_write_cuda_text(page, f, alpha_step_text, is_float ? "1e-3" : "1e-7");
        // as the engine; of float what it can have
        lb_write_cuda_text(page, f, alpha_solve_text, is_float ? "1e-6" : "1e-12");
        write_simulation(page, f, "alpha");
    }
}

void lb_write_cuda_step_kernels(lb_page *page, const lb_cuda_file *f, const lb_cuda_steps *steps)
{
    static const char *const methods[] = {"rk4", "euler", "alpha"};
    if (steps->is_closed) {
        lb_write_cuda_text(page, f, close_kernel_text, "");
    }
    for (int i = 0; i < 3; ++i) {
        if (steps->methods & 1 << i) {
            lb_write_cuda_text(page, f, simulate_kernel_text, methods[i]);
        }
    }
}
