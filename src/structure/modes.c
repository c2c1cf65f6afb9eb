// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which modes a body gets: how many, with what held, and what comes on top.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/dense.h"
#include "fe.h"

int lb_fe_find_joint(const lb_fe *fe, const char *name)
{
    for (int j = 0; j < fe->joint_count; ++j) {
        if (fe->joints[j].name && strcmp(fe->joints[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

void lb_fe_get_rigid(const lb_fe *fe, int i, double *x)
{
    const double axis[3] = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
    memset(x, 0, (size_t)(fe->node_count * LB_FE_DOFS) * sizeof *x);
    for (int j = 0; j < fe->node_count; ++j, x += LB_FE_DOFS) {
        if (i < 3) {
            x[i] = 1.0;
        } else {
            lb_fe_cross(axis, fe->nodes[j].x, x);
            x[i] = 1.0;
        }
    }
}

void lb_fe_multiply_elements(const lb_fe *fe, lb_fe_form *form, const double *x, double *y)
{
    memset(y, 0, (size_t)(fe->node_count * LB_FE_DOFS) * sizeof *y);
    for (int e = 0; e < fe->element_count; ++e) {
        const lb_fe_element *element = &fe->elements[e];
        double A[144];
        form(element, A);
        for (int i = 0; i < 12; ++i) {
            const int row = LB_FE_DOFS * (i < 6 ? element->a : element->b) + i % 6;
            for (int j = 0; j < 12; ++j) {
                y[row] += A[12 * i + j] * x[LB_FE_DOFS * (j < 6 ? element->a : element->b) + j % 6];
            }
        }
    }
}

void lb_fe_multiply_mass(const lb_fe *fe, const double *x, double *y)
{
    lb_fe_multiply_elements(fe, lb_fe_form_mass, x, y);
    for (int k = 0; k < fe->joint_count; ++k) {
        double M[36];
        lb_fe_form_lump(&fe->joints[k], M);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                y[6 * k + i] += M[6 * i + j] * x[6 * k + j];
            }
        }
    }
}

// ---- names -------------------------------------------------------------------------------------

static lb_status find_joints(lb_fe_context *context, const lb_fe *fe, const char *key,
                             const char *const *names, int count, int **joints)
{
    const int errors = context->errors;
    if (!LB_FE_TAKE(context, *joints, count > 0 ? count : 1)) {
        return LB_E_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        char path[64];
        snprintf(path, sizeof path, "modes.%s[%d]", key, i);
        (*joints)[i] = lb_fe_find_joint(fe, names[i]);
        if ((*joints)[i] < 0) {
            lb_fe_fail(context, path, "no node is called \"%.100s\"", names[i]);
        }
        for (int j = 0; j < i; ++j) {
            if ((*joints)[i] >= 0 && (*joints)[i] == (*joints)[j]) {
                lb_fe_fail(context, path, "\"%.100s\" stands twice", names[i]);
            }
        }
    }
    return context->errors > errors ? LB_E_MODEL : LB_OK;
}

lb_status lb_fe_find_fixed(lb_fe_context *context, const lb_fe *fe, const lb_modes_options *options,
                           lb_fe_modes *modes)
{
    static const char *const root[] = {"root"};
    if (options->type == LB_MODES_FREE_FREE && options->fixed_count > 0) {
        return lb_fe_fail(context, "modes.fixed", "free-free modes have nothing fixed");
    }
    if (options->fixed_count > 0) {
        modes->fixed_count = options->fixed_count;
        return find_joints(context, fe, "fixed", options->fixed, options->fixed_count,
                           &modes->fixed);
    }
    // adrift, second-order displacements still start somewhere
    const int joint = lb_fe_find_joint(fe, "root");
    if (joint < 0 && options->type != LB_MODES_FREE_FREE) {
        return lb_fe_fail(
            context, "modes",
            "no joint is called \"root\": say which are clamped, as in fixed: [NAME]");
    }
    modes->fixed_count = 1;
    const lb_status status =
        find_joints(context, fe, "fixed", root, joint < 0 ? 0 : 1, &modes->fixed);
    return status;
}

static bool check_options(lb_fe_context *context, const lb_modes_options *o)
{
    const int errors = context->errors;
    const int given = (o->count != 0) + (o->frequency != 0) + (o->effective_mass != 0);
    if (given != 1) {
        lb_fe_fail(context, "modes",
                   "%s of count, frequency and effective_mass given, expected one",
                   given == 0 ? "none" : "more than one");
    }
    if (o->count < 0 || o->count > LB_FE_MODES_MOST) {
        lb_fe_fail(context, "modes.count", "%d found, expected 1 to %d", o->count,
                   LB_FE_MODES_MOST);
    }
    if (o->frequency < 0 || !isfinite(o->frequency)) {
        lb_fe_fail(context, "modes.frequency", "%g found, expected a positive number (Hz)",
                   o->frequency);
    }
    if (o->effective_mass < 0 || !(o->effective_mass < 1)) {
        lb_fe_fail(context, "modes.effective_mass", "%g found, expected a fraction below 1",
                   o->effective_mass);
    }
    if (o->effective_mass > 0 && o->type == LB_MODES_FREE_FREE) {
        lb_fe_fail(context, "modes.effective_mass",
                   "free-free modes have none: they move no mass on the whole; give a count or a "
                   "frequency");
    }
    if (o->type == LB_MODES_CRAIG_BAMPTON && o->interface_count == 0) {
        lb_fe_fail(context, "modes", "no interfaces given: Craig-Bampton modes need them");
    }
    if (o->type != LB_MODES_CRAIG_BAMPTON && o->interface_count > 0) {
        lb_fe_fail(context, "modes.interfaces", "only craig-bampton modes have interfaces");
    }
    return context->errors == errors;
}

// ---- how many ----------------------------------------------------------------------------------

// Effective masses along x, y, z, and what all modes together would have: with g = M r, r the rigid
// motion, of mode r (phi_r . g)^2, of all g M^-1 g over the dofs that move.              (BM-13)
typedef struct movable {
    double *g[3];
    double total[3];
} movable;

static lb_status find_movable(lb_fe_context *context, const lb_fe *fe, const bool *held, movable *m)
{
    const int all = fe->node_count * LB_FE_DOFS;
    double *x;
    lb_fe_free free;
    if (!LB_FE_TAKE(context, x, all)) {
        return LB_E_MEMORY;
    }
    lb_status status = lb_fe_factor_free(context, fe, held, true, &free);
    for (int axis = 0; axis < 3 && status == LB_OK; ++axis) {
        if (!LB_FE_TAKE(context, m->g[axis], all)) {
            status = LB_E_MEMORY;
            break;
        }
        lb_fe_get_rigid(fe, axis, x);
        lb_fe_multiply_mass(fe, x, m->g[axis]);
        for (int i = 0; i < all; ++i) {
            m->g[axis][i] = held[i] ? 0.0 : m->g[axis][i];
            x[i] = 0.0;
        }
        status = lb_fe_add_solution(fe, &free, m->g[axis], x);
        m->total[axis] += lb_compute_dot(all, m->g[axis], x);
    }
    lb_fe_free_factors(free.factors);
    return status;
}

// The smallest number of modes with this fraction of what can be moved; -1 if all are too few.
static int count_for_mass(const lb_fe *fe, const lb_fe_modes *found, const movable *m,
                          double fraction)
{
    const size_t all = (size_t)fe->node_count * LB_FE_DOFS;
    const double most = fmax(m->total[0], fmax(m->total[1], m->total[2]));
    double sum[3] = {0, 0, 0};
    for (int r = 0; r < found->count; ++r) {
        int enough = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double L = 0.0;
            for (size_t i = 0; i < all; ++i) {
                L += found->shapes[(size_t)r * all + i] * m->g[axis][i];
            }
            sum[axis] += L * L;
            enough += sum[axis] >= fraction * m->total[axis] || m->total[axis] < 1e-9 * most;
        }
        if (enough == 3) {
            return r + 1;
        }
    }
    return -1;
}

// Looks for modes, more and more of them, until there are enough.
static lb_status find_enough(lb_fe_context *context, const lb_fe *fe, const bool *held,
                             const lb_modes_options *o, lb_fe_modes *modes)
{
    const bool adrift = o->type == LB_MODES_FREE_FREE;
    const double limit = 4 * LB_FE_PI * LB_FE_PI * o->frequency * o->frequency;
    movable m = {.total = {0}};
    lb_status status = LB_OK;
    if (o->effective_mass > 0) {
        status = find_movable(context, fe, held, &m);
    }
    // a few more than asked for: the choice among equal frequencies is made before some are dropped
    for (int wanted = o->count > 0 ? o->count + 3 : 16; status == LB_OK; wanted *= 2) {
        lb_fe_modes found = {.count = 0};
        status = lb_fe_find_lowest(context, fe, held, adrift, wanted, &found);
        if (status == LB_OK) {
            status = lb_fe_order_modes(context, fe, found.count, found.squares, found.shapes);
        }
        if (status != LB_OK) {
            break;
        }
        const bool all = found.count < wanted;
        int take = -1;
        if (o->count > 0) {
            take = o->count;
        } else if (o->effective_mass > 0) {
            take = count_for_mass(fe, &found, &m, o->effective_mass);
            take = take < 0 && all ? found.count : take;
        } else if (all || found.squares[found.count - 1] > limit) {
            for (take = 0; take < found.count && found.squares[take] <= limit; ++take) {
            }
        }
        if (take > found.count) {
            return lb_fe_fail(
                context, "modes.count",
                "%d modes found, expected at most %d: the finite elements have no more", take,
                found.count);
        }
        if (take == 0) {
            return lb_fe_fail(context, "modes.frequency",
                              "no mode has so low a frequency: the lowest has %g Hz",
                              sqrt(found.squares[0]) / (2 * LB_FE_PI));
        }
        if (take > 0) {
            modes->count = take;
            modes->shapes = found.shapes;
            modes->squares = found.squares;
            modes->next = take < found.count ? found.squares[take] : 0.0;
            return LB_OK;
        }
        if (wanted > LB_FE_MODES_MOST) {
            return lb_fe_fail(context, "modes", "more than %d modes, expected fewer",
                              LB_FE_MODES_MOST);
        }
    }
    return status;
}

// ---- the whole ---------------------------------------------------------------------------------

lb_status lb_fe_choose_modes(lb_fe_context *context, const lb_fe *fe,
                             const lb_modes_options *options, lb_fe_modes *modes)
{
    const size_t all = (size_t)fe->node_count * LB_FE_DOFS;
    const bool good = check_options(context, options);
    int *interfaces = NULL;
    lb_status status = lb_fe_find_fixed(context, fe, options, modes);
    if (status == LB_OK) {
        status = find_joints(context, fe, "interfaces", options->interfaces,
                             options->interface_count, &interfaces);
    }
    if (status != LB_OK || !good) {
        return status == LB_OK ? LB_E_MODEL : status;
    }

    // what is held: motions that are left out, clamped joints; for the normal modes, interfaces
    bool *held, *clamped;
    if (!LB_FE_TAKE(context, held, all) || !LB_FE_TAKE(context, clamped, all)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < all; ++i) {
        held[i] = !fe->active[i];
    }
    if (options->type != LB_MODES_FREE_FREE) {
        lb_fe_hold(modes->fixed_count, modes->fixed, held);
    }
    for (size_t i = 0; i < all; ++i) {
        modes->dof_count += !held[i];
    }
    memcpy(clamped, held, all * sizeof *held);
    for (int i = 0; i < options->interface_count; ++i) {
        if (held[(size_t)LB_FE_DOFS * (size_t)interfaces[i]] &&
            held[(size_t)LB_FE_DOFS * (size_t)interfaces[i] + 1]) {
            return lb_fe_fail(context, "modes.interfaces", "\"%.100s\" is clamped already",
                              options->interfaces[i]);
        }
        lb_fe_hold(1, &interfaces[i], clamped);
    }
    status = find_enough(context, fe, clamped, options, modes);

    // interfaces and corrections on top
    const int more = LB_FE_DOFS * options->interface_count + options->correction_count;
    if (status == LB_OK && more > 0) {
        const int first = modes->count;
        double *shapes, *squares;
        int added = 0;
        if (!LB_FE_TAKE(context, shapes, (size_t)(first + more) * all) ||
            !LB_FE_TAKE(context, squares, first + more)) {
            return LB_E_MEMORY;
        }
        memcpy(shapes, modes->shapes, (size_t)first * all * sizeof *shapes);
        status = lb_fe_add_static(context, fe, options, held, shapes + (size_t)first * all, &added);
        if (status == LB_OK) {
            status =
                lb_fe_orthonormalize(context, fe, options, first, first + added, shapes, squares);
        }
        modes->count = first + added;
        modes->shapes = shapes;
        modes->squares = squares;
    }
    return status == LB_OK
               ? lb_fe_order_modes(context, fe, modes->count, modes->squares, modes->shapes)
               : status;
}
