// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of every force element and of every kind of function and signal, in models from a millionth to a
// million times the usual size. What is there is counted: an element, function or signal that nobody put into this
// test makes it fail.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"
#include "simulate/forces/force_set.h"
#include "simulate/forces/forces.h"
#include "simulate/signals/expression.h"

// Units of a model. What is written for 1 m, 1 kg, 1 s is the same model in all of them.
typedef struct units {
    double length, mass, time;
    double speed, force, torque, energy, momentum; // that follow
} units;

static units make_units(double length, double mass, double time)
{
    units u = {.length = length, .mass = mass, .time = time, .speed = length / time};
    u.force = mass * u.speed / time;
    u.torque = u.energy = u.force * length;
    u.momentum = mass * u.speed;
    return u;
}

// ---- texts with units ----------------------------------------------------------------------------

typedef struct writing {
    char *text;
    size_t size, used;
    const units *u;
    lb_fidelity fidelity;
} writing;

static const char *const fidelities[] = {[LB_FIDELITY_CONSISTENT] = "consistent",
                                         [LB_FIDELITY_RUTHLESS] = "ruthless",
                                         [LB_FIDELITY_APPENDIX_C] = "appendix-c"};

// Copies text; "<3 L/T>" becomes 3 times these units: L, M, T, V speed, F force, W torque or energy, P momentum.
// "@" becomes the fidelity, and what is between two "~" is left out of other fidelities than `consistent`.
static void put(writing *w, const char *text)
{
    for (const char *c = text; *c;) {
        if (*c == '@') {
            w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, "%s",
                                        fidelities[w->fidelity]);
            ++c;
            continue;
        }
        if (*c == '~') {
            c = (w->fidelity == LB_FIDELITY_CONSISTENT ? c : strchr(c + 1, '~')) + 1;
            continue;
        }
        if (*c != '<' || c[1] == ' ' || c[1] == '=' || !c[1]) { // or a comparison
            assert_true(w->used + 1 < w->size);
            w->text[w->used++] = *c++;
            continue;
        }
        char *end;
        double value = strtod(c + 1, &end);
        bool divide = false;
        for (; *end != '>'; ++end) {
            const units *u = w->u;
            const double unit = *end == 'L'   ? u->length
                                : *end == 'M' ? u->mass
                                : *end == 'T' ? u->time
                                : *end == 'V' ? u->speed
                                : *end == 'F' ? u->force
                                : *end == 'W' ? u->energy
                                : *end == 'P' ? u->momentum
                                              : 1.0;
            value = divide ? value / unit : value * unit;
            divide = divide || *end == '/';
        }
        w->used += (size_t)snprintf(w->text + w->used, w->size - w->used, "%.17g", value);
        c = end + 1;
    }
    w->text[w->used] = '\0';
}

// A free hub with a bending arm on a hinge, a carriage on a slide and a ball on that.
static const char *const bodies =
    "limber: 1\n"
    "gravity: [0, <0.3 L/TT>, <-1.1 L/TT>]\n"
    "ground: {nodes: {g: {position: [<0.4 L>, <-0.7 L>, <1.2 L>]}}}\n"
    "bodies:\n"
    "  - {name: hub, hinge: {type: free}, mass: <2 M>, com: [<0.1 L>, 0, <0.05 L>],\n"
    "     inertia: [<0.4 MLL>, <0.5 MLL>, <0.6 MLL>, 0, 0, 0],\n"
    "     nodes: {a: {position: [<0.5 L>, <0.1 L>, 0]}, b: {position: [0, <-0.4 L>, <0.2 L>]}}}\n"
    "  - name: arm\n"
    "    parent: hub\n"
    "    at: a\n"
    "    hinge: {type: revolute, axis: [0, 0.6, 0.8]}\n"
    "    flex:\n"
    "      fidelity: @\n"
    "      nodes:\n"
    "        - {name: n0, mass: <0.4 M>, shape: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}\n"
    "        - {name: n1, position: [<1 L>, 0, 0], mass: <0.6 M>,\n"
    "           shape: [[0, 0, <1.38 /L>, 0, 1, 0], [0, <-1.38 /L>, 0, 0, 0, 1]]~,\n"
    "           second_order: [[0, 0, [<-1.2 /L>, 0, 0]], [1, 1, [<-1.2 /L>, 0, 0]]]~}\n"
    "      stiffness: [<12 F/L>, <8 F/L>]\n"
    "  - {name: slide, parent: hub, at: b, hinge: {type: prismatic, axis: [0, 1, 0]}, mass: <1 "
    "M>,\n"
    "     nodes: {n: {position: [0, <0.3 L>, 0]}}}\n"
    "  - {name: ball, parent: slide, at: n, hinge: {type: spherical}, mass: <0.5 M>,\n"
    "     inertia: [<0.1 MLL>, <0.1 MLL>, <0.1 MLL>, 0, 0, 0],\n"
    "     nodes: {tip: {position: [<0.6 L>, 0, <0.1 L>]}}}\n"
    "  - {name: wheel, parent: hub, at: b, hinge: {type: revolute, axis: [1, 0, 0]}, mass: <0.2 "
    "M>,\n"
    "     inertia: [<0.1 MLL>, <0.1 MLL>, <0.1 MLL>, 0, 0, 0]}\n"
    "signals:\n"
    "  reach: arm/n1.position.x/<1 L>\n"
    "  twice: reach^2 + sin(reach*arm.angle)\n"
    "forces:\n";

// One of each. %s stands for a number of order one in the next list.
static const char *const elements[] = {
    // at hinges
    "type: spring, hinge: arm, stiffness: <3 W>, rest: 0.2",
    "type: spring, hinge: slide, stiffness: <3 F/L>, rest: <0.1 L>",
    "type: damper, hinge: arm, damping: <0.7 WT>",
    "type: damper, hinge: slide, damping: <0.7 F/V>",
    "type: damper, hinge: hub.4, damping: <0.7 F/V>",
    "type: friction, hinge: arm, coulomb: <2 W>, viscous: <0.1 WT>, speed: <0.8 /T>",
    "type: friction, hinge: slide, coulomb: <2 F>, viscous: <0.1 F/V>, speed: <0.8 V>",
    "type: stop, hinge: arm, upper: 0.1, stiffness: <20 W>, damping: <1 WT>, width: 0.9",
    "type: stop, hinge: arm, upper: 0.1, stiffness: <20 W>, damping: <1 WT>, width: 0.1",
    "type: stop, hinge: slide, lower: <0.9 L>, stiffness: <20 F/L>, damping: <1 F/V>, width: <0.9 "
    "L>",
    "type: motor, hinge: arm, value: <4 W>*cos(arm.angle)*exp(arm.rate*<0.1 T>)",
    "type: motor, hinge: arm, value: <4 W>*cos(arm.angle), limits: [<-1 W>, <1 W>], max_speed: <9 "
    "/T>",
    "type: motor, hinge: arm, value: <1 W>*cos(arm.angle), limits: [<-3 W>, <3 W>], max_speed: <9 "
    "/T>",
    "type: motor, hinge: arm, value: <4 W>*cos(arm.angle), max_power: <0.3 W/T>",
    "type: motor, hinge: slide, value: <1 F>*(slide.distance/<2 L>)^3 - <1 F/V>*slide.rate",
    "type: motor, hinge: slide, value: {table: [[0, 0], [<4 T>, <5 F>]]}",
    "type: motor, hinge: slide, value: {table: [[0, 0], [<1 T>, <5 F>], [<4 T>, 0]], "
    "interpolation: cubic}",
    "type: motor, hinge: slide, value: {table: [[0, <1 F>], [<1 T>, <5 F>], [<4 T>, 0]], "
    "interpolation: steps}",
    "type: motor, hinge: slide, value: {sine: {amplitude: <2 F>, frequency: <0.3 /T>}}",
    "type: motor, hinge: slide, value: {pulse: {value: <2 F>, start: 0, width: <5 T>, rise: <2 "
    "T>}}",
    "type: motor, hinge: slide, value: {pieces: [{from: 0, coefficients: [0, <1 F/T>]}], "
    "until: <9 T>}",
    // at nodes
    "type: spring, between: [arm/n1, ground/g], stiffness: <5 F/L>, length: <0.5 L>",
    "type: spring, between: [arm/n1, ball/tip], stiffness: <5 F/L>",
    "type: damper, between: [arm/n1, ball/tip], damping: <2 F/V>",
    "type: damper, between: [ground/g, ball/tip], damping: <2 F/V>",
    "type: force, at: arm/n1, axes: world, value: [<1 F>, <-2 F>, <0.5 F>]",
    "type: force, at: arm/n1, axes: body, value: [<1 F>, <2 F/T>*t, <0.5 F>]",
    "type: torque, at: arm/n1, axes: node, value: [<1 W>, <-2 W>, <0.5 W>]",
    "type: force, at: arm/n1, axes: world, value: [<1 F/L>*arm/n1.position.y, "
    "<-1 F/V>*arm/n1.velocity.x, <1 F>*sin(ball.q.1)]",
    "type: force, at: ball/tip, axes: body, value: [<1 F/L>*arm/n1.position.y, "
    "<-1 F/V>*ball/tip.velocity.x, <2 F>*twice]",
    "type: torque, at: arm/n1, axes: node, value: [<1 W>*reach, <-2 WT>*arm.rate, <0.5 "
    "W>*arm.angle]",
    // fields
    "type: gravity-point, mu: <40 LLL/TT>, position: [<9 L>, <-8 L>, <7 L>], gradient: false",
    "type: gravity-point, mu: <40 LLL/TT>, position: [<2 L>, <-2 L>, <3 L>], gradient: true",
    "type: gravity-point, mu: <40 LLL/TT>, position: [<2 L>, <-2 L>, <3 L>], j2: 0.3, radius: <2 "
    "L>, axis: [1, 2, -2]",
    // functions of time alone
    "type: actuator, hinge: arm",
    "type: motion, hinge: wheel, speed: <1 /T>",
};

// Numbers of order one that a motor multiplies its torque by.
static const char *const numbers[] = {
    // operations, x being of order one
    "-(%s)",
    "%s + 2",
    "3 - %s",
    "%s*cos(%s)",
    "(1 + %s)/(3 + sin(%s))",
    "(2 + %s)^3",
    "(3 + %s)^(1 + 0.3*%s)",
    "2^%s",
    "(%s < 5)*%s",
    "(%s <= -5)*%s",
    "sin(%s)",
    "cos(%s)",
    "tan(0.3*%s)",
    "asin(0.2*%s)",
    "acos(0.2*%s)",
    "atan(%s)",
    "atan2(2 + %s, 1 - 0.3*%s)",
    "sinh(%s)",
    "cosh(%s)",
    "tanh(%s)",
    "exp(%s)",
    "log(4 + %s)",
    "sqrt(4 + %s)",
    "hypot(%s, 2)",
    "abs(5 + %s)",
    "abs(-5 + %s)",
    "sign(5 + %s)*%s",
    "step(5 + %s)*%s",
    "floor(0.1*%s + 0.5) + %s",
    "mod(0.1*%s + 0.5, 3 + 0.1*%s)",
    "min(%s, 5)",
    "max(%s, 5 + %s)",
    "clamp(%s, -5, 5)",
    "clamp(%s, 6 + %s, 9)",
    "clamp(%s, -9, -7 + %s)",
    "if(5 + %s, sin(%s), 3)",
    "if(%s - 5, sin(%s), cos(%s))",
};

static const char *const signals[] = {
    "arm.angle",
    "arm.rate*<1 T>",
    "arm.eta.1/<0.1 L>",
    "arm.eta_rate.0/<0.1 V>",
    "slide.distance/<1 L>",
    "slide.distance_rate/<1 V>",
    "hub.q.0",
    "hub.q.3",
    "hub.q.5/<1 L>",
    "hub.v.1*<1 T>",
    "hub.v.4/<1 V>",
    "ball.q.0",
    "ball.q.2",
    "ball.v.2*<1 T>",
    "arm/n1.position.x/<1 L>",
    "arm/n1.position.norm/<1 L>",
    "ball/tip.rotation.w",
    "arm/n1.rotation.x",
    "ball/tip.rotation.y",
    "arm/n1.rotation.z",
    "ball/tip.rotation.norm",
    "arm/n1.velocity.y/<1 V>",
    "ball/tip.velocity.norm/<1 V>",
    "arm/n1.angular_velocity.z*<1 T>",
    "ball.angular_velocity.norm*<1 T>",
    "distance(arm/n1, ball/tip)/<1 L>",
    "distance(ground/g, ball/tip)/<1 L>",
    "distance_rate(arm/n1, ball/tip)/<1 V>",
    "distance_rate(arm/n1, ground/g)/<1 V>",
    "system.mass/<10 M>*t/<1 T>",
    "system.com.x/<1 L>",
    "system.com.norm/<1 L>",
    "system.com_velocity.y/<1 V>",
    "system.momentum.z/<3 P>",
    "system.angular_momentum.x/<1 PL>",
    "system.kinetic/<9 W>",
    "system.potential/<9 W>",
    "attitude(arm/n1, in ball/tip).w",
    "attitude(ball/tip).y",
    "turn(arm/n1, in ball/tip).x",
    "euler(ball/tip, in arm/n1, zyx).0",
    "sight(arm/n1, ball/tip).off",
    "arm/n1.displacement.y/<0.1 L>",
    "reach",
    "twice",
};

enum {
    ELEMENT_COUNT = sizeof elements / sizeof *elements,
    NUMBER_COUNT = sizeof numbers / sizeof *numbers,
    SIGNAL_COUNT = sizeof signals / sizeof *signals,
    OWN_COUNT = 3, // two forces, and a motor that reads a signal
    WRITTEN_COUNT = ELEMENT_COUNT + NUMBER_COUNT + SIGNAL_COUNT,
    FORCE_COUNT = WRITTEN_COUNT + OWN_COUNT
};

static void write_model(writing *w)
{
    put(w, bodies);
    for (int i = 0; i < WRITTEN_COUNT; ++i) {
        char name[32];
        snprintf(name, sizeof name, "  - {name: f%d, ", i);
        put(w, name);
        if (i < ELEMENT_COUNT) {
            put(w, elements[i]);
        } else if (i < ELEMENT_COUNT + NUMBER_COUNT) {
            // each function of a number that moves with q and v
            put(w, "type: motor, hinge: arm, value: '<2 W>*(");
            for (const char *c = numbers[i - ELEMENT_COUNT]; *c; ++c) {
                const char letter[2] = {*c == '%' ? '\0' : *c, '\0'};
                put(w, *c == '%' ? "(reach + 0.3*arm.rate*<1 T>)" : letter);
                c += *c == '%';
            }
            put(w, ")'");
        } else {
            put(w, "type: motor, hinge: arm, value: \"<2 W>*sin(");
            put(w, signals[i - ELEMENT_COUNT - NUMBER_COUNT]);
            put(w, ")\"");
        }
        put(w, "}\n");
    }
}

// ---- functions of the caller ---------------------------------------------------------------------

// A force of one's own: F = F_0 (sin(x / L), -v_y / V, 0) at a node, and W tanh(2 T v) at every speed.
static int pull(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const units *u = user;
    const lb_node_motion *node = &sample->nodes[0];
    answer->loads[0][3] = u->force * sin(node->position[0] / u->length);
    answer->loads[0][4] = -u->force * node->velocity[4] / u->speed;
    const int arm = lb_get_v_offset(sample->instant->model, 1) + 2;
    answer->tau[arm] = u->torque * tanh(2.0 * u->time * sample->instant->v[arm]);
    return 0;
}

static int pull_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    const units *u = user;
    const lb_node_motion *node = &sample->nodes[0];
    const int arm = lb_get_v_offset(sample->instant->model, 1) + 2;
    const int n = lb_get_v_count(sample->instant->model);
    const double c = cosh(2.0 * u->time * sample->instant->v[arm]);
    slopes->loads_by_pose[3 * 6 + 3] = u->force / u->length * cos(node->position[0] / u->length);
    slopes->loads_by_velocity[4 * 6 + 4] = -u->force / u->speed;
    slopes->tau_by_v[arm * n + arm] = 2.0 * u->torque * u->time / (c * c);
    return 0;
}

// A signal of one's own.
static int read_own(void *user, const lb_instant *instant, double *value)
{
    const units *u = user;
    lb_node_motion node;
    const lb_status status = lb_compute_node_motion(instant->model, instant->work, 1, 2, &node);
    *value = sin(node.position[1] / u->length) + node.velocity[3] / u->speed;
    return status != LB_OK;
}

static void add_own(lb_rig *rig, units *u)
{
    const lb_node_name node = {"arm", "n1"};
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = pull;
    callbacks.user = u;
    lb_force_options force = lb_default_force_options();
    force.type = LB_FORCE_CALLBACK;
    force.callbacks = &callbacks;
    force.nodes = &node;
    force.node_count = 1;
    force.name = "own";
    int index;
    lb_expect_ok(lb_add_force(rig->forces, &force, &index));
    callbacks.differentiate = pull_slopes;
    force.name = "own with slopes";
    force.axes = LB_AXES_BODY;
    lb_expect_ok(lb_add_force(rig->forces, &force, &index));

    lb_signal_options signal = lb_default_signal_options();
    signal.name = "seen";
    signal.callback = read_own;
    signal.user = u;
    lb_expect_ok(lb_add_signal(lb_get_force_signals(rig->forces), &signal, NULL));
    char text[64];
    snprintf(text, sizeof text, "%.17g*sin(seen)", 2.0 * u->torque);
    const lb_function_options value = lb_expression_function(text);
    lb_force_options motor = lb_default_force_options();
    motor.type = LB_FORCE_MOTOR;
    motor.name = "sees";
    motor.hinge = "arm";
    motor.values = &value;
    motor.value_count = 1;
    lb_expect_ok(lb_add_force(rig->forces, &motor, &index));
}

// ---- what is there -------------------------------------------------------------------------------

typedef struct census {
    bool forces[LB_FORCE_TYPE_COUNT], functions[LB_FUNCTION_TYPE_COUNT], terms[LB_TERM_COUNT];
    bool signals[LB_SIGNAL_CORRECTED + 1];
} census;

static void count_expression(const lb_expression *e, census *seen)
{
    for (int i = 0; i < e->count; ++i) {
        seen->terms[e->program[i].op] = true;
    }
    for (int i = 0; i < e->signal_count; ++i) {
        seen->signals[e->signals[i].kind] = true;
    }
}

// Every element, operation, function, table and signal occurs.
static void nothing_is_forgotten(const lb_rig *rig, const char *text)
{
    static const char *const tables[LB_INTERPOLATION_COUNT] = {
        [LB_INTERPOLATION_LINEAR] = "table: [[0, 0], [", // the default
        [LB_INTERPOLATION_CUBIC] = "interpolation: cubic",
        [LB_INTERPOLATION_STEPS] = "interpolation: steps"};
    census seen = {0};
    for (int i = 0; i < rig->forces->count; ++i) {
        const lb_force *force = &rig->forces->forces[i];
        seen.forces[force->type] = true;
        for (int k = 0; k < force->function_count; ++k) {
            const lb_function *f = &force->functions[k];
            seen.functions[f->type] = true;
            if (f->type == LB_FUNCTION_EXPRESSION) {
                count_expression(f->expressions[0], &seen);
            }
        }
    }
    for (int i = 0; i < LB_FORCE_TYPE_COUNT; ++i) {
        assert_true(seen.forces[i]);
    }
    for (int i = 0; i < LB_FUNCTION_TYPE_COUNT; ++i) {
        assert_true(seen.functions[i] ||
                    i == LB_FUNCTION_TABLE); // which is pieces once it is loaded
    }
    for (int i = 0; i < LB_INTERPOLATION_COUNT; ++i) {
        assert_non_null(tables[i]);
        assert_non_null(strstr(text, tables[i]));
    }
    for (int i = 0; i < LB_TERM_COUNT; ++i) {
        if (!seen.terms[i]) {
            const char *word = lb_get_function_word((lb_term_op)i);
            fail_msg("operation %d (%s) is missing from this test", i, word ? word : "operator");
        }
    }
    for (int i = 0; i <= LB_SIGNAL_CORRECTED; ++i) {
        // no forces, for they depend on them; outputs of linear models have their own tests, and so have
        // recovered quantities
        const bool of_motion = i == LB_SIGNAL_A || i == LB_SIGNAL_NODE_ACCELERATION ||
                               i == LB_SIGNAL_ANGULAR_ACCELERATION ||
                               (i >= LB_SIGNAL_LOOP_MOMENT && i <= LB_SIGNAL_SECTION_FORCE) ||
                               i >= LB_SIGNAL_RECOVERY;
        if (!seen.signals[i] && !of_motion) {
            fail_msg("signals of kind %d are missing from this test", i);
        }
    }
}

// ---- two roads -----------------------------------------------------------------------------------

// Sizes of the coordinates and speeds in the caller's order.
static void find_sizes(const lb_rig *rig, const units *u, double *by_q, double *by_v)
{
    for (int b = 0; b < rig->body_count; ++b) {
        const lb_hinge_type type = lb_get_hinge(rig->model, b).type;
        const int modes = lb_get_mode_count(rig->model, b), v = lb_get_v_offset(rig->model, b);
        for (int i = 0; i < modes + lb_get_hinge(rig->model, b).v_count; ++i) {
            const bool shift = i < modes || type == LB_HINGE_PRISMATIC ||
                               (type == LB_HINGE_FREE && i - modes >= 3);
            by_q[v + i] = shift ? u->length : 1.0;
            by_v[v + i] = by_q[v + i] / u->time;
        }
    }
}

// Central differences of the eighth order, with steps of a hundredth of the sizes: what is left out is
// 1e-16 f(9) / 630, round-off 1e-14 f.
static void difference(lb_rig *rig, double t, int force, bool along_q, const double *sizes,
                       double *dtau, double *power)
{
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    const size_t n = (size_t)rig->v_count, nq = (size_t)rig->q_count;
    double *q = lb_make_numbers(nq), *v = lb_make_numbers(n), *step = lb_make_numbers(n);
    memcpy(q, rig->q, nq * sizeof *q);
    memcpy(v, rig->v, n * sizeof *v);
    memset(dtau, 0, n * n * sizeof *dtau);
    memset(power, 0, n * sizeof *power);
    for (size_t j = 0; j < n; ++j) {
        const double h = 1e-2 * sizes[j];
        for (int side = 0; side < 8; ++side) {
            const double sign = side % 2 ? -1.0 : 1.0, size = sign * h * (side / 2 + 1);
            if (along_q) {
                memset(step, 0, n * sizeof *step);
                step[j] = size;
                lb_integrate_configuration(rig->model, q, step, rig->q);
            } else {
                rig->v[j] = v[j] + size;
            }
            lb_expect_ok(lb_evaluate_rig(rig, t));
            for (size_t i = 0; i < n; ++i) {
                dtau[i * n + j] += sign * weights[side / 2] / h * rig->tau[i];
            }
            power[j] += sign * weights[side / 2] / h * lb_get_force_info(rig->forces, force).power;
        }
        memcpy(rig->q, q, nq * sizeof *q);
        memcpy(rig->v, v, n * sizeof *v);
    }
    free(q);
    free(v);
    free(step);
}

// What an element exerts in a row or, where that is zero by chance, would after a change of one size.
static double find_force(size_t n, const double *sizes, double tau, const double *row)
{
    double f = fabs(tau);
    for (size_t j = 0; j < n; ++j) {
        f = fmax(f, fabs(row[j]) * sizes[j]);
    }
    return f;
}

// Entries agree to 1e-9 of the force of their row over the size of the coordinate.
static void expect_same(const char *what, int force, double scale, size_t n, const double *rows,
                        const double *sizes, const double *tau, const double *x,
                        const double *reference)
{
    double energy = 0.0; // of the whole element
    for (size_t i = 0; i < n; ++i) {
        energy = fmax(energy, rows[i] * find_force(n, sizes, tau[i], reference + i * n));
    }
    for (size_t i = 0; i < n; ++i) {
        const double f = find_force(n, sizes, tau[i], reference + i * n);
        for (size_t j = 0; j < n; ++j) {
            const double error = fabs(x[i * n + j] - reference[i * n + j]);
            // 1e-12: round-off of differences, also in rows where the sum of what acts is zero
            const double bound = (1e-9 * f + 1e-12 * energy / rows[i]) / sizes[j];
            if (!(error <= bound)) {
                fail_msg("%s of f%d at scale %g: [%zu, %zu] is %.17g, expected %.17g: %.3g of %.3g",
                         what, force, scale, i, j, x[i * n + j], reference[i * n + j],
                         error * sizes[j] / f, f);
            }
        }
    }
}

static void check_model(units *u, double scale, lb_fidelity fidelity)
{
    static char text[65536];
    writing w = {text, sizeof text, 0, u, fidelity};
    write_model(&w);
    lb_rig rig = lb_begin_rig(text, NULL);
    add_own(&rig, u);
    nothing_is_forgotten(&rig, text);
    assert_int_equal(lb_get_force_count(rig.forces), FORCE_COUNT);
    lb_derivative_work *scratch = lb_create_derivative_work(rig.model);
    assert_non_null(scratch);
    const size_t n = (size_t)rig.v_count;
    const size_t rows = FORCE_COUNT * n;
    double *space = lb_make_numbers(4 * n * n + 6 * n + 2 * rows);
    double *dq = space, *dv = dq + n * n, *dq_seen = dv + n * n, *dv_seen = dq_seen + n * n;
    double *by_q = dv_seen + n * n, *by_v = by_q + n, *step = by_v + n, *tau = step + n;
    double *pq_seen = tau + n, *pv_seen = pq_seen + n, *pq = pv_seen + n, *pv = pq + rows;
    find_sizes(&rig, u, by_q, by_v);

    // a state of order one, away from kinks: arm at 0.5, speeds positive
    for (size_t i = 0; i < n; ++i) {
        step[i] = by_q[i] * (0.4 + 0.1 * sin(2.0 * (double)i));
        rig.v[i] = by_v[i] * (0.6 + 0.3 * cos(3.0 * (double)i));
    }
    const int modes = lb_get_v_offset(rig.model, 1);
    step[modes] = 0.1 * u->length;
    step[modes + 1] = -0.07 * u->length;
    step[modes + 2] = 0.5;
    double *neutral = lb_make_numbers((size_t)rig.q_count);
    memcpy(neutral, rig.q, (size_t)rig.q_count * sizeof *neutral);
    lb_integrate_configuration(rig.model, neutral, step, rig.q);
    free(neutral);

    const double t = 1.3 * u->time;
    for (int f = 0; f < FORCE_COUNT; ++f) {
        for (int other = 0; other < FORCE_COUNT; ++other) {
            lb_set_force_enabled(rig.forces, other, other == f);
        }
        difference(&rig, t, f, true, by_q, dq_seen, pq_seen);
        difference(&rig, t, f, false, by_v, dv_seen, pv_seen);
        lb_expect_ok(lb_evaluate_rig(&rig, t));
        memcpy(tau, rig.tau, n * sizeof *tau);
        lb_expect_ok(lb_compute_inverse_derivatives(rig.model, rig.work, scratch, rig.q, rig.v,
                                                    NULL, NULL, NULL, NULL, NULL));
        lb_expect_ok(lb_compute_force_derivatives(rig.forces, rig.model, rig.work, scratch, t,
                                                  rig.q, rig.v, dq, dv, pq, pv));
        expect_same("dtau/dq", f, scale, n, by_q, by_q, tau, dq, dq_seen);
        expect_same("dtau/dv", f, scale, n, by_q, by_v, tau, dv, dv_seen);
        // of power, whose size is that of the force by the size of a speed
        double power = 0.0;
        for (size_t j = 0; j < n; ++j) {
            power = fmax(power, by_v[j] * find_force(n, by_q, tau[j], dq_seen + j * n));
        }
        for (size_t j = 0; j < n; ++j) {
            assert_true(fabs(pq[(size_t)f * n + j] - pq_seen[j]) <= 1e-9 * power / by_q[j]);
            assert_true(fabs(pv[(size_t)f * n + j] - pv_seen[j]) <= 1e-9 * power / by_v[j]);
        }
    }
    free(space);
    lb_destroy_derivative_work(scratch);
    lb_end_rig(&rig);
}

static void derivatives_are_right_from_a_millionth_to_a_million(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) {
        const double scale = pow(10.0, -6.0 + 12.0 * i / 9.0);
        units longer = make_units(scale, 1.0, 1.0);
        for (int fidelity = 0; fidelity < 3; ++fidelity) {
            check_model(&longer, scale, (lb_fidelity)fidelity);
        }
    }
}

static void so_they_are_where_masses_and_times_change(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) {
        const double scale = pow(10.0, -6.0 + 12.0 * i / 9.0);
        // by size alone, a mass is the cube of a length and a time its root
        units by_size = make_units(scale, scale * scale * scale, sqrt(scale));
        check_model(&by_size, scale, LB_FIDELITY_CONSISTENT);
        units slow = make_units(1.0, 1.0 / scale, scale);
        check_model(&slow, scale, LB_FIDELITY_CONSISTENT);
    }
}

// Nodes that coincide: a spring of length zero is linear, and what has no direction there has no slope: dampers,
// springs with a length, distances and their rates.
static void nodes_that_coincide_have_the_slopes_that_are_documented(void **state)
{
    (void)state;
    for (int i = 0; i < 10; ++i) {
        const double scale = pow(10.0, -6.0 + 12.0 * i / 9.0);
        const units u = make_units(scale, scale * scale * scale, sqrt(scale));
        char text[4096];
        writing w = {text, sizeof text, 0, &u, LB_FIDELITY_CONSISTENT};
        put(&w, "limber: 1\n"
                "ground: {nodes: {g: {position: [<0.3 L>, <-0.2 L>, <0.5 L>]}}}\n"
                "bodies:\n"
                "  - {name: b, hinge: {type: translational}, mass: <1 M>,\n"
                "     nodes: {n: {position: [<0.3 L>, <-0.2 L>, <0.5 L>]}}}\n"
                "forces:\n"
                "  - {name: s, type: spring, between: [b/n, ground/g], stiffness: <7 F/L>}\n"
                "  - {name: l, type: spring, between: [b/n, ground/g], stiffness: <7 F/L>,\n"
                "     length: <0.1 L>}\n"
                "  - {name: d, type: damper, between: [b/n, ground/g], damping: <3 F/V>}\n"
                "  - {name: m, type: motor, hinge: b.0, value: '<2 F/L>*distance(b/n, ground/g) + "
                "<2 F/V>*distance_rate(b/n, ground/g)'}\n");
        lb_rig rig = lb_begin_rig(text, NULL);
        rig.v[0] = u.speed;
        rig.v[2] = -0.4 * u.speed;
        lb_derivative_work *scratch = lb_create_derivative_work(rig.model);
        assert_non_null(scratch);
        double dq[9], dv[9], pq[12], pv[12];
        lb_expect_ok(lb_evaluate_rig(&rig, 0.0));
        lb_expect_ok(lb_compute_inverse_derivatives(rig.model, rig.work, scratch, rig.q, rig.v,
                                                    NULL, NULL, NULL, NULL, NULL));
        lb_expect_ok(lb_compute_force_derivatives(rig.forces, rig.model, rig.work, scratch, 0.0,
                                                  rig.q, rig.v, dq, dv, pq, pv));
        const double k = 7.0 * u.force / u.length;
        for (int j = 0; j < 9; ++j) {
            assert_true(rig.tau[j % 3] == 0.0);
            lb_expect_below("dtau/dq", dq[j] + (j % 4 == 0) * k, 1e-14 * k);
            assert_true(dv[j] == 0.0);
        }
        lb_destroy_derivative_work(scratch);
        lb_end_rig(&rig);
    }
}

LB_TESTS()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_right_from_a_millionth_to_a_million),
        cmocka_unit_test(so_they_are_where_masses_and_times_change),
        cmocka_unit_test(nodes_that_coincide_have_the_slopes_that_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
