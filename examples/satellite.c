// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A satellite in free flight that keeps its attitude, built in C without reading a file: a bus, three
// reaction wheels, two flexible solar arrays, a control law and a thruster that are functions of this
// program, and events. examples/satellite.yaml is the same satellite as a file, and gives the same bits.
//
// The thruster fires for two seconds, 5 cm beside the centre of mass. What must come out:
//
//     change of linear momentum   =  10 N x 2 s           = 20 N s
//     change of angular momentum  =  10 N x 2 s x 0.05 m  =  1 N m s
//
// up to the turning of the bus, which is about a degree. Between the burns both are constant.
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

static void add_wheel(lb_builder *builder, const char *name, int axis)
{
    lb_body_options wheel = lb_default_body_options();
    wheel.name = name;
    wheel.parent = "bus";
    wheel.hinge.type = LB_HINGE_REVOLUTE;
    wheel.hinge.axis[axis] = 1.0;
    wheel.mass = 6.0;
    for (int i = 0; i < 3; ++i) {
        wheel.inertia[i] = i == axis ? 0.08 : 0.05;
    }
    lb_add_body(builder, &wheel, NULL);
}

// A box of carbon skins, 6 m x 2 m, with its four lowest modes.
static lb_status make_array(const lb_report *report, lb_flex_body **array)
{
    lb_section skin = lb_default_section();
    skin.type = LB_SECTION_RECTANGLE;
    skin.width = 2.0;
    skin.height = 0.02;
    skin.wall = 0.0006;
    lb_modes_options modes = lb_default_modes_options();
    modes.count = 4;
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
    lb_add_node(builder, body, "thruster", (double[]){0.05, 0, -0.9}, NULL);
    lb_add_node(builder, body, "antenna", (double[]){0, 0, 1.2}, NULL);
    add_wheel(builder, "wheel x", 0);
    add_wheel(builder, "wheel y", 1);
    add_wheel(builder, "wheel z", 2);
    add_array(builder, "left array", "left", array);
    add_array(builder, "right array", "right", array);
    status = lb_build_model(builder, model);
    lb_destroy_builder(builder);
    lb_destroy_flex_body(array);
    return status;
}
// [model]

// ---- functions of this program ---------------------------------------------------------------------

// [law]
typedef struct pd_gains {
    double kp, kd;
} pd_gains;

// Torques of the wheels, from turns and rates that are left to go.
static int hold_attitude(void *user, const lb_control_sample *sample, double *commands)
{
    const pd_gains *gains = user;
    for (int i = 0; i < sample->channel_count; ++i) {
        commands[i] = gains->kp * (sample->desired[i] - sample->position[i]) +
                      gains->kd * (sample->desired_speed[i] - sample->speed[i]);
    }
    return 0;
}
// [law]

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
    lost.when = "off_pointing";
    lost.crosses = 0.2;
    lost.direction = LB_DIRECTION_RISING;
    lost.actions = &stop;
    lost.action_count = 1;
    lb_add_event(simulation, &lost, NULL);
}

// [controller]
static void add_controller(lb_simulation *simulation, pd_gains *gains)
{
    static const char *const motors[] = {"motor x", "motor y", "motor z"};
    static const char *const names[] = {"turn x", "turn y", "turn z", "gyro x", "gyro y", "gyro z"};
    static const char *const signals[] = {"turn_x", "turn_y", "turn_z",
                                          "rate_x", "rate_y", "rate_z"};
    const lb_function_options zero = lb_constant_function(0.0);
    lb_sensor_options sensors[6];
    lb_channel_options channels[3];
    for (int i = 0; i < 6; ++i) {
        sensors[i] = lb_default_sensor_options();
        sensors[i].name = names[i];
        sensors[i].signal = signals[i];
    }
    for (int i = 0; i < 3; ++i) {
        channels[i] = lb_default_channel_options();
        channels[i].actuator = motors[i];
        channels[i].position_sensor = names[i];
        channels[i].speed_sensor = names[3 + i];
        channels[i].desired = &zero;
    }
    lb_law_options law = lb_default_law_options();
    law.type = LB_LAW_CALLBACK;
    law.callback = hold_attitude;
    law.user = gains;
    lb_controller_options controller = lb_default_controller_options();
    controller.name = "attitude";
    controller.rate = 10.0;
    controller.sensors = sensors;
    controller.sensor_count = 6;
    controller.channels = channels;
    controller.channel_count = 3;
    controller.law = &law;
    lb_add_controller(simulation, &controller, NULL);
}
// [controller]

// What does not fit is reported when it is added, and the first use of the simulation fails.
static lb_status create_satellite(const lb_model *model, const lb_report *report, pd_gains *gains,
                                  double *thrust, lb_simulation **simulation)
{
    static const char *const motors[] = {"motor x", "motor y", "motor z"};
    static const char *const wheels[] = {"wheel x", "wheel y", "wheel z"};
    const lb_status status = lb_create_simulation(model, report, simulation);
    if (status < 0) {
        return status;
    }
    lb_simulation *sim = *simulation;
    lb_forces *forces = lb_get_simulation_forces(sim);
    lb_signals *signals = lb_get_force_signals(forces);
    add_signal(signals, "turn_x", "-2 * bus.rotation.x");
    add_signal(signals, "turn_y", "-2 * bus.rotation.y");
    add_signal(signals, "turn_z", "-2 * bus.rotation.z");
    add_signal(signals, "rate_x", "-bus.v.0");
    add_signal(signals, "rate_y", "-bus.v.1");
    add_signal(signals, "rate_z", "-bus.v.2");
    add_signal(signals, "off_pointing",
               "2 * sqrt(bus.rotation.x^2 + bus.rotation.y^2 + bus.rotation.z^2)");
    for (int i = 0; i < 3; ++i) {
        lb_force_options motor = lb_default_force_options();
        motor.name = motors[i];
        motor.type = LB_FORCE_ACTUATOR;
        motor.hinge = wheels[i];
        motor.low = -1.0;
        motor.high = 1.0;
        lb_add_force(forces, &motor, NULL);
    }
    add_thruster(forces, thrust);

    // one degree off its target
    lb_set_initial_value(sim, "bus.q.0", 0.99996192306417131);
    lb_set_initial_value(sim, "bus.q.1", 0.0061705925);
    lb_set_initial_value(sim, "bus.q.2", 0.0061705925);

    add_controller(sim, gains);
    add_event(sim, "burn", 20.0, LB_ACTION_ENABLE);
    add_event(sim, "cut", 22.0, LB_ACTION_DISABLE);
    add_guard(sim);
    lb_add_output(sim, "off_pointing");
    lb_add_output(sim, "left array/tip");
    lb_add_output(sim, "right array/tip");
    lb_add_output(sim, "bus/antenna");
    lb_run_options run = lb_default_run_options();
    run.duration = 60.0;
    run.interval = 0.1;
    return lb_set_run_options(sim, &run);
}

// ---- using it --------------------------------------------------------------------------------------

// [linear]
// Natural frequency of the first mode that bends the arrays, Hz.
static double find_first_frequency(lb_simulation *simulation)
{
    lb_linear_options options = lb_default_linear_options();
    lb_modes *modes = NULL;
    double frequency = 0.0;
    if (lb_compute_modes(simulation, &options, &modes) < 0) {
        return 0.0;
    }
    for (int i = 0; i < modes->mode_count && frequency == 0.0; ++i) {
        frequency = modes->kinds[i] == LB_MODE_OSCILLATION ? modes->frequencies[i] : 0.0;
    }
    lb_destroy_modes(modes);
    return frequency;
}
// [linear]

static int check(const char *what, double value, double expected, double tolerance)
{
    const int good = fabs(value - expected) <= tolerance;
    printf("%-28s %.9g%s\n", what, value, good ? "" : "  WRONG");
    return good;
}

int main(int count, char **arguments)
{
    const lb_report report = {print_diagnostic, NULL};
    lb_model *model = NULL;
    lb_simulation *simulation = NULL;
    pd_gains gains = {40.0, 300.0};
    double thrust = 10.0;
    lb_status status = build_satellite(&report, &model);
    status = status < 0 ? status : create_satellite(model, &report, &gains, &thrust, &simulation);
    if (status < 0) {
        fprintf(stderr, "%s\n", lb_get_status_text(status));
        return 1;
    }
    // a panel clamped at a fixed bus swings at 0.9943 Hz, and at a free one a little faster
    int good = check("first frequency, Hz", find_first_frequency(simulation), 1.0110747, 1e-6);

    // [run]
    lb_run_request request = lb_default_run_request();
    request.path = count > 1 ? arguments[1] : "satellite.h5";
    lb_audit audit = {.size = sizeof audit};
    status = lb_run_simulation(simulation, &request, &audit);
    // [run]
    if (status < 0) {
        fprintf(stderr, "%s\n", lb_get_simulation_message(simulation));
    }
    // 1e-2: cosine of the turn of the bus; 1e-5: what an integrator at 1e-8 leaves of 10 J
    good = check("change of momentum, N s", audit.linear_change, 20.0, 1e-2) && good;
    good = check("of angular momentum, N m s", audit.angular_change, 1.0, 1e-2) && good;
    good = check("events", audit.events, 2.0, 0.0) && good;
    good = check("energy error, J", audit.energy_error, 0.0, 1e-5) && good;
    lb_destroy_simulation(simulation);
    lb_destroy_model(model);
    return status >= 0 && good ? 0 : 1;
}
