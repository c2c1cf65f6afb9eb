// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A satellite in free flight that turns by its wheels, built in C without reading a file: a bus, three reaction
// wheels, propellant that sloshes, two flexible solar arrays on drives, a law of attitude with a slew, a thruster that
// is a function of this program, and events. examples/satellite.yaml is the same satellite as a file, and gives the same
// bits.
//
// The thruster fires for two seconds, 5 cm beside the centre of mass. What must come out, with F turning along:
//
//     change of linear momentum   =  integral of F            about 20 N x 2 s
//     change of angular momentum  =  integral of (r - c) x F  about 20 N x 2 s x 0.05 m
//
// After the burn both are constant, whatever wheels, drives, propellant and arrays do.
#include <limber/beams.h>
#include <limber/control.h>
#include <limber/events.h>
#include <limber/limber.h>
#include <limber/linear.h>
#include <math.h>
#include <stdio.h>

static void print_diagnostic(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", diagnostic->path, diagnostic->message);
}

// ---- the model -----------------------------------------------------------------------------------

static const double goal[4] = {0.96, 0.168, 0,
                               0.224}; // where the slew ends: 32.5 degrees about (0.6, 0, 0.8)

static void add_wheel(lb_builder *builder, const char *name, int axis)
{
    lb_body_options wheel = lb_default_body_options();
    wheel.name = name;
    wheel.parent = "bus";
    wheel.at = "wheels";
    wheel.hinge.type = LB_HINGE_REVOLUTE;
    wheel.hinge.axis[axis] = 1.0;
    wheel.mass = 20.0;
    wheel.com[(axis + 1) % 3] = 2.0e-5; // not quite balanced
    for (int i = 0; i < 3; ++i) {
        wheel.inertia[i] = i == axis ? 0.5 : 0.3;
    }
    lb_add_body(builder, &wheel, NULL);
}

static void add_propellant(lb_builder *builder)
{
    lb_body_options propellant = lb_default_body_options();
    propellant.name = "propellant";
    propellant.parent = "bus";
    propellant.at = "tank";
    propellant.hinge.type = LB_HINGE_UNIVERSAL;
    propellant.hinge.axes[0][0] = 1.0;
    propellant.hinge.axes[1][1] = 1.0;
    propellant.mass = 40.0;
    propellant.com[2] = -0.3;
    propellant.inertia[0] = propellant.inertia[1] = 0.5;
    propellant.inertia[2] = 0.2;
    lb_add_body(builder, &propellant, NULL);
}

// A box of carbon skins, 6 m x 2 m, with its three lowest modes.
static lb_status make_array(const lb_report *report, lb_flex_body **array)
{
    lb_section skin = lb_default_section();
    skin.type = LB_SECTION_RECTANGLE;
    skin.width = 2.0;
    skin.height = 0.02;
    skin.wall = 0.0006;
    lb_modes_options modes = lb_default_modes_options();
    modes.count = 3;
    lb_damping_options damping = lb_default_damping_options();
    damping.ratio = 0.005;
    lb_beam_options beam = lb_default_beam_options();
    beam.length = 6.0;
    beam.section = &skin;
    beam.modes = &modes;
    beam.damping = &damping;
    lb_get_material(lb_find_material("carbon-epoxy"), &beam.material);
    return lb_create_beam_body(&beam, NULL, report, array);
}

static void add_array(lb_builder *builder, const char *name, const char *at,
                      const lb_flex_body *array)
{
    lb_body_options body = lb_default_body_options();
    body.name = name;
    body.parent = "bus";
    body.at = at;
    body.hinge.type = LB_HINGE_REVOLUTE; // the drive turns it about its length
    body.hinge.axis[0] = 1.0;
    body.flex = lb_get_flex_options(array);
    lb_add_body(builder, &body, NULL);
}

// [model]
static lb_status build_satellite(const lb_report *report, lb_model **model)
{
    const double half = 0.70710678118654752; // of a square root of 2: a quarter turn
    lb_builder *builder = lb_create_builder(NULL, report);
    lb_flex_body *array = NULL;
    lb_status status = builder ? make_array(report, &array) : LB_E_MEMORY;
    *model = NULL;
    if (status < 0) {
        lb_destroy_builder(builder);
        return status;
    }
    lb_set_model_name(builder, "satellite");
    lb_add_node(builder, LB_GROUND, "goal", NULL, goal);
    lb_body_options bus = lb_default_body_options();
    bus.name = "bus";
    bus.hinge.type = LB_HINGE_FREE;
    bus.mass = 800.0;
    bus.com[2] = 0.05;
    bus.inertia[0] = 340.0;
    bus.inertia[1] = 360.0;
    bus.inertia[2] = 300.0;
    int body;
    lb_add_body(builder, &bus, &body);
    // an array is a beam along its own x, here +y and -y of the bus; both face +z
    lb_add_node(builder, body, "left", (double[]){0, 0.9, 0}, (double[]){half, 0, 0, half});
    lb_add_node(builder, body, "right", (double[]){0, -0.9, 0}, (double[]){half, 0, 0, -half});
    lb_add_node(builder, body, "wheels", (double[]){0, 0, -0.3}, NULL);
    lb_add_node(builder, body, "tank", (double[]){0, 0, -0.2}, NULL);
    lb_add_node(builder, body, "thruster", (double[]){0.05, 0, -0.9}, NULL);
    lb_add_node(builder, body, "camera", (double[]){0, 0, 1.1}, NULL);
    add_wheel(builder, "wheel x", 0);
    add_wheel(builder, "wheel y", 1);
    add_wheel(builder, "wheel z", 2);
    add_propellant(builder);
    add_array(builder, "left array", "left", array);
    add_array(builder, "right array", "right", array);
    status = lb_build_model(builder, model);
    lb_destroy_builder(builder);
    lb_destroy_flex_body(array);
    return status;
}
// [model]

// ---- a function of this program --------------------------------------------------------------------

// [thruster]
// A force along z of the node, which turns along with the bus.
static int push(void *user, const lb_force_sample *sample, lb_force_answer *answer)
{
    const double *thrust = user;
    (void)sample;
    answer->loads[0][5] = *thrust;
    return 0;
}

// In these axes it does not depend on the motion of the node: all derivatives stay zero.
static int push_slopes(void *user, const lb_force_sample *sample, lb_force_slopes *slopes)
{
    (void)user;
    (void)sample;
    (void)slopes;
    return 0;
}

static void add_thruster(lb_forces *forces, double *thrust)
{
    lb_node_name nozzle = {"bus", "thruster"};
    lb_force_callbacks callbacks = lb_default_force_callbacks();
    callbacks.compute = push;
    callbacks.differentiate = push_slopes;
    callbacks.user = thrust;
    lb_force_options thruster = lb_default_force_options();
    thruster.name = "thruster";
    thruster.type = LB_FORCE_CALLBACK;
    thruster.enabled = false; // until the event "burn"
    thruster.callbacks = &callbacks;
    thruster.nodes = &nozzle;
    thruster.node_count = 1;
    thruster.axes = LB_AXES_NODE;
    lb_add_force(forces, &thruster, NULL);
}
// [thruster]

// ---- the simulation --------------------------------------------------------------------------------

static void add_signal(lb_signals *signals, const char *name, const char *expression)
{
    lb_signal_options signal = lb_default_signal_options();
    signal.name = name;
    signal.expression = expression;
    lb_add_signal(signals, &signal, NULL);
}

static void add_event(lb_simulation *simulation, const char *name, double t, lb_action_type type)
{
    lb_action_options action = lb_default_action_options();
    action.type = type;
    action.subject = "thruster";
    lb_event_options event = lb_default_event_options();
    event.name = name;
    event.when = "t";
    event.crosses = t;
    event.actions = &action;
    event.action_count = 1;
    lb_add_event(simulation, &event, NULL);
}

static void add_guard(lb_simulation *simulation)
{
    lb_action_options stop = lb_default_action_options(); // ends the run
    lb_event_options lost = lb_default_event_options();
    lost.name = "lost";
    lost.when = "lag";
    lost.crosses = 0.1;
    lost.direction = LB_DIRECTION_RISING;
    lost.actions = &stop;
    lost.action_count = 1;
    lb_add_event(simulation, &lost, NULL);
}

static void add_at_hinge(lb_forces *forces, const char *name, lb_force_type type, const char *hinge)
{
    lb_force_options force = lb_default_force_options();
    force.name = name;
    force.type = type;
    force.hinge = hinge;
    force.stiffness = 4.0; // each type reads what is its own
    force.damping = 0.1;
    force.low = -2.5;
    force.high = 2.5;
    lb_add_force(forces, &force, NULL);
}

static void add_drive(lb_forces *forces, const char *name, const char *hinge, const char *angle)
{
    const lb_function_options position = lb_expression_function(angle);
    lb_force_options drive = lb_default_force_options();
    drive.name = name;
    drive.type = LB_FORCE_MOTION;
    drive.hinge = hinge;
    drive.order = LB_MOTION_POSITION;
    drive.values = &position;
    drive.value_count = 1;
    lb_add_force(forces, &drive, NULL);
}

// [controller]
static void add_controller(lb_simulation *simulation)
{
    static const char *const motors[] = {"motor x", "motor y", "motor z"};
    static const double kp[9] = {80, 0, 0, 0, 80, 0, 0, 0, 80};
    static const double kd[9] = {300, 0, 0, 0, 300, 0, 0, 0, 300};
    static const double inertia[9] = {1190, 0, 0, 0, 380, 0, 0, 0, 1150};
    // a motor that drives a wheel turns the bus the other way
    static const double distribution[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    const double times[2] = {10.0, 50.0};
    const double attitudes[8] = {1, 0, 0, 0, goal[0], goal[1], goal[2], goal[3]};
    lb_channel_options channels[3];
    for (int i = 0; i < 3; ++i) {
        channels[i] = lb_default_channel_options();
        channels[i].actuator = motors[i];
    }
    lb_attitude_options slew = lb_default_attitude_options();
    slew.node.body = "bus";
    slew.kp = kp;
    slew.kd = kd;
    slew.inertia = inertia; // feeds the torque of the slew forward
    slew.distribution = distribution;
    slew.waypoint_count = 2;
    slew.waypoint_times = times;
    slew.waypoints = attitudes;
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_ATTITUDE;
    law.attitude = &slew;
    lb_controller_options controller = lb_default_controller_options();
    controller.name = "attitude";
    controller.rate = 10.0;
    controller.channels = channels;
    controller.channel_count = 3;
    controller.law = &law;
    lb_add_controller(simulation, &controller, NULL);
}
// [controller]

#define PART "clamp((t - 10)/40, 0, 1)"
#define QUINTIC PART "^3*(10 - 15*" PART " + 6*" PART "^2)"

static void add_signals(lb_signals *signals)
{
    add_signal(signals, "part", PART);
    add_signal(signals, "command", "2*acos(0.96)*part^3*(10 - 15*part + 6*part^2)");
    add_signal(signals, "lag", "command - 0.6*turn(bus).x - 0.8*turn(bus).z");
    add_signal(signals, "sight_x", "turn(bus, in ground/goal).x");
    add_signal(signals, "sight_y", "turn(bus, in ground/goal).y");
    add_signal(signals, "root_bending", "reaction('left array').moment.y");
    add_signal(signals, "root_edgewise", "reaction('left array').moment.z");
}

// What does not fit is reported when it is added, and the first use of the simulation fails.
static lb_status create_satellite(const lb_model *model, const lb_report *report, double *thrust,
                                  lb_simulation **simulation)
{
    static const char *const outputs[] = {
        "lag",           "sight_x",        "sight_y",         "root_bending",
        "root_edgewise", "left array/tip", "right array/tip", "bus/camera"};
    const lb_status status = lb_create_simulation(model, report, simulation);
    if (status < 0) {
        return status;
    }
    lb_simulation *sim = *simulation;
    lb_forces *forces = lb_get_simulation_forces(sim);
    add_signals(lb_get_force_signals(forces));
    add_at_hinge(forces, "motor x", LB_FORCE_ACTUATOR, "wheel x");
    add_at_hinge(forces, "motor y", LB_FORCE_ACTUATOR, "wheel y");
    add_at_hinge(forces, "motor z", LB_FORCE_ACTUATOR, "wheel z");
    add_at_hinge(forces, "slosh x", LB_FORCE_SPRING, "propellant.0");
    add_at_hinge(forces, "slosh y", LB_FORCE_SPRING, "propellant.1");
    add_at_hinge(forces, "swirl x", LB_FORCE_DAMPER, "propellant.0");
    add_at_hinge(forces, "swirl y", LB_FORCE_DAMPER, "propellant.1");
    add_drive(forces, "left drive", "left array", "-20 deg*" QUINTIC);
    add_drive(forces, "right drive", "right array", "20 deg*" QUINTIC);
    add_thruster(forces, thrust);
    add_controller(sim);
    add_event(sim, "burn", 1.0, LB_ACTION_ENABLE);
    add_event(sim, "cut", 3.0, LB_ACTION_DISABLE);
    add_guard(sim);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) {
        lb_add_output(sim, outputs[i]);
    }
    lb_run_options run = lb_default_run_options();
    run.duration = 80.0;
    run.interval = 0.02;
    run.integrator = LB_INTEGRATOR_ERK;
    run.order = 8;
    run.relative_tolerance = 1.0e-12;
    run.stop_at_outputs = true; // rows are as exact as steps
    return lb_set_run_options(sim, &run);
}

// ---- using it --------------------------------------------------------------------------------------

// [linear]
// Natural frequency of the first mode that bends the arrays, Hz; propellant swings at less than half a hertz.
static double find_array_frequency(lb_simulation *simulation)
{
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    double frequency = 0.0;
    if (lb_compute_modes(simulation, &options, &modes) < 0) {
        return 0.0;
    }
    for (int i = 0; i < modes->mode_count && frequency < 0.5; ++i) {
        frequency = modes->kinds[i] == LB_MODE_OSCILLATION ? modes->frequencies[i] : 0.0;
    }
    lb_destroy_modes(modes);
    return frequency;
}
// [linear]

// Moment at the root of the left array for a torque of wheel x at 1 Hz, N m per N m.
static double find_root_response(lb_simulation *simulation)
{
    const double frequency = 1.0;
    double response[2] = {0};
    lb_linear_options options = lb_default_linear_options();
    lb_linear *linear = NULL;
    options.inputs = (const char *const[]){"'wheel x'.motor"};
    options.input_count = 1;
    options.outputs = (const char *const[]){"root_bending"};
    options.output_count = 1;
    if (lb_linearize(simulation, &options, &linear) >= 0) {
        lb_compute_response(linear, 1, &frequency, response);
    }
    lb_destroy_linear(linear);
    return hypot(response[0], response[1]);
}

// Phase margin of the feedback by wheel x, sampling included, degrees.
static double find_phase_margin(lb_simulation *simulation)
{
    const lb_linear_options options = lb_default_linear_options();
    lb_margins *margins = NULL;
    if (lb_compute_margins(simulation, &options, &margins) < 0) {
        return 0.0;
    }
    const double phase = margins->phase[0] * 180.0 / 3.14159265358979323846;
    lb_destroy_margins(margins);
    return phase;
}

// ---- momentum --------------------------------------------------------------------------------------

// Thrust, and its moment about the centre of mass, world axes; what the whole system moves with.
static lb_status find_thrust(const lb_model *model, lb_work *work, lb_simulation *simulation,
                             double thrust, double load[6], lb_system_motion *motion)
{
    double t;
    const double *q, *v, *a;
    lb_node_motion node;
    lb_get_simulation_state(simulation, &t, &q, &v, &a);
    lb_compute_kinematics(model, work, q, v, NULL);
    const lb_status status = lb_compute_system_motion(model, work, motion);
    const int bus = lb_find_body(model, "bus");
    lb_compute_node_motion(model, work, bus, lb_find_node(model, bus, "thruster"), &node);
    const double w = node.rotation[0], x = node.rotation[1];
    const double y = node.rotation[2], z = node.rotation[3];
    const double F[3] = {thrust * 2 * (x * z + w * y), thrust * 2 * (y * z - w * x),
                         thrust * (1 - 2 * (x * x + y * y))};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        load[i] =
            (node.position[j] - motion->com[j]) * F[k] - (node.position[k] - motion->com[k]) * F[j];
        load[3 + i] = F[i];
    }
    return status;
}

static lb_status advance(lb_simulation *simulation, double t)
{
    lb_status status;
    do {
        status = lb_advance_simulation(simulation, t);
    } while (status == LB_NEWS_EVENT);
    return status;
}

// By how much momentum at t = 20 s differs from what the thruster gave, relative to that: angular, linear. The integral is
// Gauss's with four points in every period of the controller, between which torques jump.
static lb_status compare_momentum(const lb_model *model, const lb_report *report, double *thrust,
                                  double gap[2])
{
    static const double points[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                    0.8611363115940526};
    static const double weights[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                     0.3478548451374538};
    double load[6], given[6] = {0};
    lb_system_motion motion = {0};
    lb_simulation *simulation = NULL;
    lb_work *work = lb_create_work(model);
    lb_status status = work ? create_satellite(model, report, thrust, &simulation) : LB_E_MEMORY;
    status = status < 0 ? status : lb_start_simulation(simulation);
    for (int k = 0; k < 80 && status >= 0; ++k) {
        status = advance(simulation, 1.0 + 0.1 * (k / 4) + 0.05 * (1.0 + points[k % 4]));
        status = status < 0 ? status : find_thrust(model, work, simulation, *thrust, load, &motion);
        for (int i = 0; i < 6 && status >= 0; ++i) {
            given[i] += 0.05 * weights[k % 4] * load[i];
        }
    }
    status = status < 0 ? status : advance(simulation, 20.0);
    status = status < 0 ? status : find_thrust(model, work, simulation, *thrust, load, &motion);
    for (int part = 0; part < 2; ++part) {
        const double *found = part ? motion.linear : motion.angular, *sum = given + 3 * part;
        gap[part] = sqrt(pow(found[0] - sum[0], 2) + pow(found[1] - sum[1], 2) +
                         pow(found[2] - sum[2], 2)) /
                    sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    }
    lb_destroy_simulation(simulation);
    lb_destroy_work(work);
    return status;
}

static int check(const char *what, double value, double expected, double tolerance)
{
    const int good = fabs(value - expected) <= tolerance;
    printf("%-34s %.7g%s\n", what, value, good ? "" : "  WRONG");
    return good;
}

static int check_small(const char *what, double value, double bound)
{
    const int good = fabs(value) <= bound;
    printf("%-34s %s %.0e\n", what, good ? "below" : "WRONG, above", bound);
    return good;
}

int main(int count, char **arguments)
{
    const lb_report report = {print_diagnostic, NULL};
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    double thrust = 20.0, gap[2] = {1.0, 1.0};
    lb_status status = build_satellite(&report, &model);
    status = status < 0 ? status : create_satellite(model, &report, &thrust, &simulation);
    if (status < 0) {
        fprintf(stderr, "%s\n", lb_get_status_text(status));
        return 1;
    }
    // test_satellite_linear finds these on other roads
    int good =
        check("first mode of the arrays, Hz", find_array_frequency(simulation), 1.009585, 1e-6);
    good =
        check("root moment per torque at 1 Hz", find_root_response(simulation), 0.4188492, 1e-6) &&
        good;
    good = check("phase margin of wheel x, degrees", find_phase_margin(simulation), 63.421, 1e-3) &&
           good;
    status = compare_momentum(model, &report, &thrust, gap);
    good = check_small("momentum less impulse, angular", gap[0], 1e-11) && good;
    good = check_small("momentum less impulse, linear", gap[1], 1e-11) && good;

    // [run]
    lb_run_request request = lb_default_run_request();
    request.path = count > 1 ? arguments[1] : "satellite.h5";
    lb_audit audit = {.size = sizeof audit};
    status = status < 0 ? status : lb_run_simulation(simulation, &request, &audit);
    // [run]
    if (status < 0) {
        fprintf(stderr, "%s\n", lb_get_simulation_message(simulation));
    }
    // 1e-2: cosine of the turn of the bus
    good = check("change of momentum, N s", audit.linear_change, 40.0, 1e-2) && good;
    good = check("of angular momentum, N m s", audit.angular_change, 2.0, 1e-2) && good;
    good = check("events", audit.events, 2.0, 0.0) && good;
    good = check_small("energy error, part of the largest", audit.energy_error / audit.energy_scale,
                       1e-11) &&
           good;
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    return status >= 0 && good ? 0 : 1;
}
