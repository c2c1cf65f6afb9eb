// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include <string.h>

// most options have no choices, and end with their description
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

// What every command that loads a model takes; see lb_cli_get_load_options.
#define MODEL_OPTIONS                                                                              \
    {"set", "NAME=VALUE", "a parameter, or the path of a key: initial.arm.angle"},                 \
        {"gravity", "X,Y,Z", "gravity of the world in m/s^2; 0 for none"},                         \
        {"allow-files", "DIR", "let the model also name files of this folder"},                    \
        {"floating", NULL, "URDF: let the root link move freely"},                                 \
    {                                                                                              \
        "keep-fixed", NULL, "URDF: keep links on fixed joints as bodies"                           \
    }

// What commands take that work about a point; see lb_cli_open_point.
#define POINT_OPTIONS                                                                              \
    {"at", "STATE", "FILE.json with q and v, or FILE.h5@TIME of a run (initial state)"},           \
        {"trim", NULL, "about the equilibrium at rest nearest to it"},                             \
        {"steady", NULL, "about the steady motion with its speeds"},                               \
        {"spin", "HINGE=SPEED", "drive this hinge at a constant speed, rad/s"},                    \
        {"lock", "BODIES", "hold the hinges of these bodies, with commas or repeated; or all"},    \
    {                                                                                              \
        "open", "FEEDBACKS",                                                                       \
            "leave out controllers, or CONTROLLER.ACTUATOR; may be repeated; or all"               \
    }

const lb_cli_command lb_cli_commands[] = {
    {
        .name = "eval",
        .task = "At one state",
        .operands = "MODEL REQUEST",
        .summary = "evaluate dynamics at given states, JSON in and out",
        .help =
            "REQUEST is JSON, a file with it, or - for standard input: an object, or a list of "
            "them.\n"
            "\n"
            "  q, v        the state; zeros (unit quaternions) if absent\n"
            "  compute     a list of quantities: forward, inverse, mass, mass-inverse,\n"
            "              bias, energy, nodes, jacobian, admittance, loops, reactions, momentum\n"
            "  tau         generalized forces for forward; zeros if absent\n"
            "  a           generalized accelerations for inverse and nodes; zeros if absent\n"
            "  prescribed  {body: [accelerations]}: hinges driven by motion in forward\n"
            "  algorithm   for forward: articulated (default), composite, divide-and-conquer,\n"
            "              unsplit\n"
            "  at          {body, node} for jacobian and admittance\n"
            "  wrenches    a list of {body, node, wrench}: moment and force at nodes, world axes\n"
            "  forces      true to include the model's force elements\n"
            "\n"
            "Examples:\n"
            "  limber eval arm.yaml request.json\n"
            "  limber eval arm.yaml '{\"compute\": [\"forward\", \"energy\"]}'\n"
            "  echo '{\"compute\": [\"jacobian\"], \"at\": {\"body\": \"hand\", \"node\": "
            "\"tip\"}}' |\n"
            "      limber eval arm.yaml -\n"
            "  limber eval --floating robot.urdf request.json\n",
        .options = {{"json", NULL, "print as JSON (the only form)"}, MODEL_OPTIONS},
        .run = lb_cli_run_eval,
    },
    {
        .name = "check",
        .task = "Models",
        .operands = "MODEL...",
        .summary = "check model files and list everything that is wrong",
        .help = "MODEL may be - for standard input.\n"
                "\n"
                "Examples:\n"
                "  limber check arm.yaml\n"
                "  limber check --json models/*.yaml\n",
        .options = {{"json", NULL, "print the findings as JSON"}, MODEL_OPTIONS},
        .run = lb_cli_run_check,
    },
    {
        .name = "info",
        .task = "Models",
        .operands = "MODEL",
        .summary = "draw the tree of a model, with masses, hinges and degrees of freedom",
        .help = "Examples:\n"
                "  limber info arm.yaml\n"
                "  limber info --json arm.yaml\n"
                "  limber info --body boom satellite.yaml\n"
                "  echo '{\"q\": [0.1, 0.2]}' | limber info --state - arm.yaml\n",
        .options = {{"json", NULL, "print as JSON, every body included"},
                    {"all", NULL, "draw every body of a large model"},
                    {"body", "NAME", "one body: mass, modes, effective masses; may be repeated"},
                    {"state", "FILE", "where to count mobility (initial configuration)"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_info,
    },
    {
        .name = "operator",
        .task = "At one state",
        .operands = "MODEL EXPRESSION",
        .summary = "evaluate an expression of spatial operators, such as the mass matrix",
        .help =
            "EXPRESSION is written as in the theory: operators side by side for products, + and\n"
            "- for sums, numbers for scale, * right behind an operator or parenthesis for the\n"
            "transpose, ^-1 or inv() for the inverse, D^1/2 for the root, I for the identity.\n"
            "\n"
            "  E_Phi Phi H M        kinematics and modal mass matrices\n"
            "  R                    composite bodies\n"
            "  P D G K tau_bar      articulated bodies\n"
            "  E_Psi Psi            the same as Phi, for hinges that are free to move\n"
            "  Upsilon Omega        admittances\n"
            "  B J Lambda           nodes, their Jacobian and admittance, of --nodes or of loops\n"
            "  A                    rows of closed loops on the velocities of their nodes\n"
            "  S                    from the frames of bodies to their centres of mass\n"
            "  Phi_A Psi_A          influence of the block-diagonal matrix of --blocks\n"
            "  beta T a_m b_m nu    vectors of a motion: speeds, forces, biases, innovations\n"
            "\n"
            "FILE is JSON, - for standard input: for --state an object with q, v and tau as in a\n"
            "request of limber eval, for --vector a list of numbers, for --blocks k x k numbers a\n"
            "body, one list of all, row by row.\n"
            "\n"
            "Examples:\n"
            "  limber operator arm.yaml 'H Phi M Phi* H*'\n"
            "  limber operator arm.yaml '(I - H Psi K)* D^-1 (I - H Psi K)' --state q.json\n"
            "  echo '[1, 0, 0, 0, 0, 0]' | limber operator arm.yaml 'Phi* H*' --vector -\n"
            "  limber operator arm.yaml 'Lambda^-1' --nodes arm/tip\n",
        .options = {{"state", "FILE", "the state; zeros (unit quaternions) if absent"},
                    {"nodes", "BODY/NODE,...",
                     "nodes of B, J and Lambda; those of loops if absent"},
                    {"blocks", "FILE", "the matrix of Phi_A and Psi_A"},
                    {"vector", "FILE", "multiply this vector"},
                    {"form", NULL, "form the matrix (the default)"},
                    {"json", NULL, "print as JSON, numbers in full"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_operator,
    },
    {
        .name = "bench",
        .task = "At one state",
        .operands = "MODEL",
        .summary = "time each algorithm on a model",
        .help = "Times are in nanoseconds per evaluation at one random state. --batch adds times\n"
                "per state for batches of N random states, on one core and on all. --threads adds\n"
                "times for one state on N threads, for algorithms that can use them. --gpu adds\n"
                "states per second for batches of N states on a graphics processor.\n"
                "\n"
                "Examples:\n"
                "  limber bench arm.yaml\n"
                "  limber bench --batch 1000 arm.yaml\n"
                "  limber bench --threads 2 long_chain.yaml\n"
                "  limber bench --instructions portable arm.yaml\n"
                "  limber bench --gpu 1000000 arm.yaml\n"
                "  limber bench --rounds 100 --seconds 1 --json arm.yaml\n",
        .options = {{"rounds", "N", "rounds for each algorithm (30)"},
                    {"seconds", "S", "time for each algorithm, about (0.3)"},
                    {"seed", "N", "seed of the random state (1)"},
                    {"batch", "N", "also evaluate N states at a time"},
                    {"threads", "N", "also one state by N threads"},
                    {"gpu", "N", "also N states at a time on a graphics processor"},
                    {"instructions", "SET", "portable, avx2 or avx512 (the fastest)",
                     "portable avx2 avx512"},
                    {"json", NULL, "print as JSON"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_bench,
    },
    {
        .name = "convert",
        .task = "Models",
        .operands = "IN OUT",
        .summary = "write a model, such as a URDF robot, in the model format",
        .help =
            "IN is a model of any format. OUT is written as JSON if its name ends in .json, as\n"
            "YAML otherwise; - is standard output. Numbers are kept exactly, comments are lost.\n"
            "\n"
            "Examples:\n"
            "  limber convert robot.urdf robot.yaml\n"
            "  limber convert --floating robot.urdf - | less\n",
        .options = {{"json", NULL, "print the names of the files that were written as JSON"},
                    MODEL_OPTIONS},
        .lists_written = true,
        .run = lb_cli_run_convert,
    },
#ifdef LB_WITH_FREEZE
    {
        .name = "freeze",
        .task = "Models",
        .operands = "MODEL",
        .summary = "write a model as one C file that needs no library",
        .help =
            "Writes FILE.c and FILE.h: C99, no heap, libm only, the numbers of the model as "
            "constants.\n"
            "Functions:\n"
            "\n"
            "  forward              accelerations of forces tau\n"
            "  inverse              forces that accelerations need\n"
            "  mass                 the mass matrix\n"
            "  rates                accelerations, and the rates of q\n"
            "  step                 one step of integration, Runge-Kutta of fourth order, with "
            "rates\n"
            "  close                puts q and v back on the loops of a model; comes with step\n"
            "  derivatives          accelerations and their derivatives by q, v and tau\n"
            "  jacobian:NODE        the Jacobian of a node, world axes; or jacobian:BODY.NODE\n"
            "\n"
            "Trees of bodies are frozen with every hinge type and fidelity, and closed loops. "
            "Force\n"
            "elements and controllers are left out: their forces belong into tau. Parameters of "
            "the\n"
            "model that --parameters names become fields of a struct that every function takes.\n"
            "\n"
            "With --simulation, rates and step take the time, and have all force elements and\n"
            "functions of time in them. There are more functions then:\n"
            "\n"
            "  outputs              the outputs of the model\n"
            "  indicators           levels of its events, and the room at its stops\n"
            "  control              its sensors, controllers and actuators, at their sampling "
            "times\n"
            "  run                  steps with all samples in them; comes with rates and control\n"
            "\n"
            "Examples:\n"
            "  limber freeze arm.yaml -o arm.c\n"
            "  limber freeze robot.urdf --floating -o robot.c --functions forward,mass\n"
            "  limber freeze arm.yaml -o arm.c --float --functions inverse,jacobian:hand.tip\n"
            "  limber freeze arm.yaml -o arm.c --simulation --inputs servo\n"
            "  cc -O3 -march=native -DARM_SELF_TEST arm.c -o test_arm -lm && ./test_arm\n",
        .options = {{"json", NULL, "print the names of the files that were written as JSON"},
                    {"output", "FILE", "the C file; the header goes beside it (MODEL.c)"},
                    {"functions", "LIST", "with commas (forward,inverse,mass)"},
                    {"simulation", NULL, "with forces and functions of time (rates,step)"},
                    {"inputs", "NAMES", "forces, motions and desired motions that become inputs"},
                    {"float", NULL, "numbers of single precision"},
                    {"vector", NULL, "equal limbs in vector types of GNU C"},
                    {"batch", NULL, "functions for eight states at once too"},
                    {"parameters", "LIST", "parameters that stay open, with commas"},
                    MODEL_OPTIONS},
        .lists_written = true,
        .run = lb_cli_run_freeze,
    },
#endif
    {
        .name = "new",
        .task = "Start",
        .operands = "[NAME]",
        .summary = "write a commented model to start from",
        .help =
            "Writes NAME.yaml, arm.yaml if absent: an arm of two links, one of them a flexible\n"
            "beam, with a comment for every part of the file. - is standard output. A file that\n"
            "exists is kept.\n"
            "\n"
            "Examples:\n"
            "  limber new\n"
            "  limber new robot && limber run robot.yaml && limber view robot.h5\n",
        .options = {{"json", NULL, "print the names of the files that were written as JSON"}},
        .lists_written = true,
        .run = lb_cli_run_new,
    },
    {
        .name = "examples",
        .task = "Start",
        .operands = "[NAME...]",
        .summary = "list the example models, or copy them to this folder",
        .help = "A file that exists is kept. A library that an example names is copied with it.\n"
                "\n"
                "Examples:\n"
                "  limber examples\n"
                "  limber examples chain && limber run chain.yaml && limber view chain.h5\n",
        .options = {{"json", NULL, "print the list, or what was copied, as JSON"}},
        .run = lb_cli_run_examples,
    },
    {
        .name = "import",
        .task = "Models",
        .operands = "FILE...",
        .has_other_operands = true,
        .summary = "make a flexible body from files of a finite-element program",
        .help =
            "Files are recognised by their content: matrices of CalculiX, Abaqus and Ansys "
            "(Matrix\n"
            "Market), Nastran DMIG, OUTPUT4 and EXTSEOUT, SID, MBDyn .fem, participation tables.\n"
            "Give all files of one structure together. The report says what they hold and whether\n"
            "it can be trusted. Models use the body file as  flex: {file: panel.flex}\n"
            "A body file alone gives the report of its import.\n"
            "\n"
            "With geometric stiffness the body stiffens as it moves. A LOAD is ax, ay or az\n"
            "(acceleration), alphax.. (angular acceleration), wxx wyy wzz wxy wxz wyz (products\n"
            "of the spin), fx@NODE.. (force at a node).\n"
            "\n"
            "Examples:\n"
            "  limber import panel.sti panel.mas panel.dof panel.inp --units mm,t,s -o panel.flex\n"
            "  limber import wing.asm wing.pch wing.op4 --clamp 3 -o wing.flex\n"
            "  limber import boom.SID_FEM --page boom.html\n"
            "  limber import panel.flex --compare tested.flex\n",
        .options = {{"output", "FILE", "body file, *.flex; only the report if absent"},
                    {"units", "L,M,T", "units of the files, such as mm,t,s; m,kg,s if absent"},
                    {"clamp", "NODES",
                     "modes with these nodes held, such as 3,root; free if absent"},
                    {"nodes", "NODES",
                     "nodes for models: 3, root=3, face=rigid:FACE or tip=average:12..40+77"},
                    {"interface", "NODES", "interfaces of a Craig-Bampton body, such as root,tip"},
                    {"residual", "NODES", "residual modes for loads at these nodes, such as tip"},
                    {"modes", "COUNT", "at most this many modes"},
                    {"below", "HZ", "no mode above this frequency"},
                    {"stiffness", "FILE", "this file is the stiffness"},
                    {"mass", "FILE", "this file is the mass"},
                    {"damping", "FILE", "this file is the damping"},
                    {"geometric", "LOAD=FILE",
                     "geometric stiffness for a unit load; with commas or repeated"},
                    {"rows", "FILE", "quantities to recover: name, node, direction, coefficient"},
                    {"compare", "FILE", "compare with this body file: mass, frequencies, MAC"},
                    {"page", "FILE", "write the report as a web page with pictures"},
                    {"json", NULL, "print the report as JSON"}},
        .run = lb_cli_run_import,
    },
    {
        .name = "export",
        .task = "Models",
        .operands = "MODEL",
        .summary = "write a model as an FMU, or the finite elements of a beam as matrices",
        .help =
            "With --as fmi2 or fmi3: writes an FMU for Simulink, OpenModelica, Dymola, FMPy and\n"
            "others, for model exchange and co-simulation, with its sources in C and a binary for\n"
            "this machine, which the compiler in CC, or cc, makes.\n"
            "\n"
            "With --as matrices: writes stiffness, mass and geometric stiffness for unit loads\n"
            "(Matrix Market), what each row is, and the coordinates of the nodes. limber import\n"
            "reads them back.\n"
            "\n"
            "Examples:\n"
            "  limber export --as fmi3 arm.yaml -o arm.fmu\n"
            "  limber export --as matrices rotor.yaml --body blade -o blade\n"
            "  limber import blade/* --clamp 1 --nodes root=1,tip=2 -o blade.flex\n",
        .options =
            {{"json", NULL, "print the names of the files that were written as JSON"},
             {"as", "FORM", "fmi2, fmi3 or matrices (matrices)", "fmi2 fmi3 matrices"},
             {"body", "NAME", "matrices: which body"},
             {"output", "FILE", "the FMU (MODEL.fmu); matrices: the folder to write to"},
             {"inputs", "NAMES",
              "FMU: motors, forces, torques, motions, and desired motions CONTROLLER.ACTUATOR that "
              "become inputs"},
             {"open-loop", NULL, "FMU: without controllers; their actuators are inputs"},
             {"signal", "LIST", "FMU: outputs, besides those of the model; may be repeated"},
             {"parameters", "NAMES", "FMU: parameters that can be set after the export"},
             {"sources-only", NULL, "FMU: no binary; needs no compiler"},
             MODEL_OPTIONS},
        .lists_written = true,
        .run = lb_cli_run_export,
    },
    {
        .name = "run",
        .task = "Motion in time",
        .operands = "MODEL",
        .summary = "integrate a model in time, record it, and audit the run",
        .help =
            "What `run`, `initial`, `forces`, `events` and `outputs` of the model ask for goes to\n"
            "FILE (MODEL with the ending .h5 if absent), and to FILE.part until it is complete.\n"
            "Ctrl-C ends it and keeps what is recorded; --resume continues an unfinished file.\n"
            "With -o FILE.csv there is a table beside the result file FILE.h5.\n"
            "`limber simulate` is the same command.\n"
            "\n"
            "Examples:\n"
            "  limber run arm.yaml\n"
            "  limber run arm.yaml -o fast.h5 --integrator rk4 --step 0.001\n"
            "  limber run arm.yaml --duration 100 --resume --csv\n",
        .options = {{"output", "FILE", "result file"},
                    {"csv", NULL, "write all columns as CSV beside it"},
                    {"duration", "S", "seconds from t = 0"},
                    {"integrator", "NAME", "erk, adams, bdf, rk4, euler, alpha",
                     "erk adams bdf rk4 euler alpha"},
                    {"tolerance", "X", "of adaptive integrators, relative to the motion"},
                    {"step", "S", "step of rk4, euler and alpha"},
                    {"assemble", NULL, "close the loops of the initial state first"},
                    {"algorithm", "NAME", "articulated, divide-and-conquer",
                     "articulated divide-and-conquer"},
                    {"trim", NULL, "start from the equilibrium nearest to the initial state"},
                    {"resume", NULL, "continue where FILE stopped"},
                    {"allow-programs", NULL, "let controllers start programs that the model names"},
                    {"allow-plugins", NULL, "let controllers load libraries that the model names"},
#ifdef LB_WITH_FREEZE
                    {"frozen", "FILE", "compute by the model as compiled C code, kept in FILE"},
#endif
                    {"check-rows", NULL,
                     "run again with half the tolerance, or step, and compare the rows"},
                    {"strict", NULL, "fail if the verdict of the audit is not good"},
                    {"json", NULL, "print the audit as JSON"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_run,
    },
    {
        .name = "serve",
        .task = "Motion in time",
        .operands = "MODEL",
        .summary = "step a model in real time, with a controller that answers by UDP",
        .help = "The law of a controller of type callback is what the last packet commands; "
                "sensors are\n"
                "sent to who sent it. Listens on this machine only unless --bind says otherwise. "
                "Ctrl-C\n"
                "ends it with a report of jitter, missed deadlines and packets. The packets are\n"
                "described in the guide, under Control.\n"
                "\n"
                "Examples:\n"
                "  limber serve arm.yaml --rate 1000\n"
                "  limber serve arm.yaml --rate 2000 --port 5000 --timeout 0.01 --duration 60\n",
        .options = {{"json", NULL, "print the report as JSON"},
                    {"output", "FILE", "record the motion, as run does; needs --duration"},
                    {"rate", "HZ", "steps a second (1000)"},
                    {"duration", "S", "seconds (until Ctrl-C)"},
                    {"timeout", "S", "commands older than this go to zero (0.1)"},
                    {"controller", "NAME", "whose commands come by UDP (the only callback)"},
                    {"port", "N", "UDP port, 0 for any that is free (14650)"},
                    {"bind", "ADDRESS", "IPv4 address to listen on (127.0.0.1)"},
                    {"integrator", "NAME", "rk4, euler, alpha", "rk4 euler alpha"},
                    {"step", "S", "longest step of the integrator"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_serve,
    },
    {
        .name = "sweep",
        .task = "Motion in time",
        .operands = "[ACTION] PLAN",
        .summary = "compute many variations of a model: grids, Monte Carlo, sensitivities",
        .help =
            "PLAN says which parameters vary and how, what is computed for each sample and what "
            "is\n"
            "kept of it. Rows go to files in the folder PLAN.sweep. Started again after a kill, "
            "the\n"
            "command computes what is missing. The part of the samples that it does is found from\n"
            "the variables of Slurm, Open MPI, MPICH and HyperQueue. --gpu takes plans whose\n"
            "samples differ in their initial states, and says why not of others.\n"
            "\n"
            "  run         compute what is missing (the default); resume is the same\n"
            "  status      how many samples are done\n"
            "  merge       one table of all samples, .csv or .h5\n"
            "  statistics  percentiles, worst cases, correlations, Sobol indices\n"
            "  figure      a histogram of an output, or a scatter\n"
            "  show        the values of a sample, as limber run takes them\n"
            "  evaluate    values from standard input, outputs to standard output\n"
            "  script      print a script for sbatch\n"
            "\n"
            "Examples:\n"
            "  limber sweep slew.yaml --workers 8\n"
            "  limber sweep drops.yaml --gpu\n"
            "  limber sweep status slew.yaml\n"
            "  limber sweep merge slew.yaml -o slew.csv\n"
            "  limber sweep statistics slew.yaml --json\n"
            "  limber sweep figure slew.yaml --of settled --against stiffness -o scatter.svg\n"
            "  limber run $(limber sweep show slew.yaml --index 17) -o worst.h5\n"
            "  limber sweep script slew.yaml --parts 20 --workers 4 > slew.sh\n"
            "  echo '{\"mass\": 2.1}' | limber sweep --evaluate slew.yaml\n",
        .options = {{"folder", "DIR", "where rows are (PLAN.sweep in this folder)"},
                    {"workers", "N", "processes (one per processor; one where there are parts)"},
                    {"part", "I/N", "do part I of N, from 1"},
                    {"parts", "N",
                     "of a task array whose scheduler does not say how many there are"},
                    {"gpu", NULL, "runs with fixed steps, side by side on a graphics processor"},
                    {"output", "FILE", "merge: .csv or .h5; figure: .svg, .pdf or .png"},
                    {"csv", NULL, "merge: CSV (the default)"},
                    {"json", NULL, "status, statistics: print as JSON"},
                    {"partial", NULL, "merge, statistics, figure: take what is there so far"},
                    {"index", "N", "show: the sample, from 0"},
                    {"of", "NAME", "figure: the output (the first one)"},
                    {"against", "NAME", "figure: a parameter or output, for a scatter"},
                    {"title", "TEXT", "figure: its title"},
                    {"time-limit", "TIME", "script: of a task (01:00:00)"},
                    {"evaluate", NULL, "the same as the action evaluate"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_sweep,
    },
    {
        .name = "assemble",
        .task = "Initial states",
        .operands = "MODEL [COORDINATE...]",
        .summary = "close the loops of a model from a rough initial state",
        .help =
            "Finds a configuration near the initial state in which all loops close at t = 0, and\n"
            "speeds that agree with them, and prints them as an `initial` block for the model\n"
            "file. Coordinates of --hold keep their values, and so do their speeds; hinges\n"
            "driven by motion stay where that puts them. `limber run --assemble` starts from it.\n"
            "\n"
            "Examples:\n"
            "  limber assemble four_bar.yaml\n"
            "  limber assemble four_bar.yaml --hold crank.angle,rocker\n"
            "  limber assemble four_bar.yaml --state guess.json --json > state.json\n",
        .options = {{"state", "FILE", "JSON with q and v, in place of the initial state"},
                    {"hold", "COORDINATES", "bodies, or such as crank.angle; may be repeated"},
                    {"json", NULL, "print q and v as JSON, as eval takes them"},
                    {"in-place", NULL, "replace initial of the model file"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_assemble,
    },
    {
        .name = "trim",
        .task = "Initial states",
        .operands = "MODEL",
        .summary = "find the equilibrium at rest nearest to the initial state",
        .help =
            "Seeks the configuration in which all forces of the model balance at t = 0, hinges\n"
            "driven by motion held, and prints it as an `initial` block for the model file.\n"
            "`limber run --trim` starts from it.\n"
            "\n"
            "Examples:\n"
            "  limber trim arm.yaml\n"
            "  limber trim arm.yaml --in-place\n"
            "  limber trim arm.yaml --json > state.json\n",
        .options = {{"json", NULL, "print q and v as JSON, as eval takes them"},
                    {"in-place", NULL, "replace initial of the model file"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_trim,
    },
    {
        .name = "modes",
        .task = "Frequencies",
        .operands = "MODEL",
        .summary = "natural frequencies, damping and shapes of the whole system",
        .help =
            "About the configuration of the initial state, at rest; or about that of --at, the\n"
            "equilibrium of --trim, the steady motion of --steady or --spin. Force elements of "
            "the\n"
            "model act; hinges driven by a motion of the model are held. With controllers the "
            "modes "
            "are\n"
            "the poles of the closed loop; --open all leaves them out.\n"
            "\n"
            "--campbell sweeps the speed of the hinge that --spin names, in rad/s.\n"
            "\n"
            "Examples:\n"
            "  limber modes satellite.yaml\n"
            "  limber modes arm.yaml --trim --lock all\n"
            "  limber modes rotor.yaml --spin hub=40 --json -o shapes.json\n"
            "  limber modes rotor.yaml --spin hub --campbell 0:100:21 --csv\n",
        .options = {POINT_OPTIONS,
                    {"period", "SECONDS",
                     "over a motion that repeats itself after this time, or auto: Floquet"},
                    {"campbell", "FROM:TO:COUNT", "frequencies over a range of spin speeds"},
                    {"count", "N", "only the first N modes"},
                    {"effective", NULL, "effective masses as well"},
                    {"about", "X,Y,Z", "point of angular effective masses, m (world's origin)"},
                    {"csv", NULL, "print as CSV, numbers in full"},
                    {"json", NULL, "print as JSON, shapes included"},
                    {"output", "FILE", "write to this file"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_modes,
    },
    {
        .name = "linearize",
        .task = "Frequencies",
        .operands = "MODEL",
        .summary = "state-space model about a state, with eigenvalues and frequency response",
        .help =
            "dx/dt = A x + B u, y = C x + D u of small deviations from the initial state, or from\n"
            "that of --at, --trim, --steady or --spin. Inputs, with commas:\n"
            "\n"
            "  panel/n1.force.x, panel/n1.torque.z  at a node, world axes\n"
            "  link.motor, base.motor.2             force or torque at a hinge\n"
            "  link.motion, base.motion.2           acceleration of a hinge, which is then driven\n"
            "  servo, thruster.x, scan              motors, forces and motions of the model\n"
            "  slew.elbow.desired, .command         of a controller and its actuator\n"
            "\n"
            "Outputs (--signal) are signals, with commas. The format follows the name of FILE:\n"
            ".mat, .h5 or .json. Without one a summary is printed, with --bode a table.\n"
            "\n"
            "Controllers of the model are closed, with approximations of delays and holds; with\n"
            "--discrete exactly, as x(t + T) = A x(t) + B u. --open leaves feedbacks out.\n"
            "\n"
            "Examples:\n"
            "  limber linearize arm.yaml --trim\n"
            "  limber linearize arm.yaml --input elbow.motor --signal hand/tool.position.z -o "
            "arm.mat\n"
            "  limber linearize arm.yaml --input elbow.motor --signal elbow.angle --bode "
            "0.1:100:200 "
            "--csv\n",
        .options = {POINT_OPTIONS,
                    {"period", "SECONDS",
                     "over a motion that repeats itself after this time, or auto: Floquet"},
                    {"input", "LIST", "inputs u; may be repeated"},
                    {"signal", "LIST", "outputs y; may be repeated"},
                    {"bode", "FROM:TO:COUNT", "frequency response from FROM to TO Hz"},
                    {"discrete", NULL, "controllers exactly, from sample to sample"},
                    {"pade", "N", "order of delays and holds of controllers, 1 to 6 (2)"},
                    {"margins", NULL, "gain, phase and delay margins of each feedback"},
                    {"csv", NULL, "the table of --bode as CSV, numbers in full"},
                    {"json", NULL, "print as JSON"},
                    {"format", "NAME", "json, mat or hdf5, whatever the name of the file",
                     "json mat hdf5"},
                    {"output", "FILE", "write to this file"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_linearize,
    },
    {
        .name = "response",
        .task = "Frequencies",
        .operands = "MODEL",
        .summary = "response to shaking, noise and sines, transfer functions, loops with margins",
        .help =
            "Responses of the linear model about the initial state, or that of --at, --trim, "
            "--steady\n"
            "or --spin. Inputs and signals are as for 'limber linearize'. LEVEL is a number for "
            "all\n"
            "frequencies, HZ:LEVEL,HZ:LEVEL,... or a file with two columns; between two points it "
            "is\n"
            "straight on logarithmic axes. The format follows the name of FILE: .csv, .json, or a\n"
            "figure as .svg, .pdf or .png. Without one a summary is printed.\n"
            "\n"
            "Examples:\n"
            "  limber response boom.yaml --psd table.motion=20:0.01,80:0.04,500:0.04 --signal "
            "tip.acceleration.z\n"
            "  limber response boom.yaml --sine table.motion=9.81 --range 5:100:200 --signal "
            "tip.acceleration.z\n"
            "  limber response arm.yaml --input elbow.motor --signal elbow.angle --range "
            "0.1:100:200 "
            "-o bode.svg\n"
            "  limber response arm.yaml --loop slew.elbow --range 0.1:50:400 --nyquist -o "
            "loop.svg\n",
        .options = {{"input", "LIST", "inputs of transfer functions; may be repeated"},
                    {"signal", "LIST", "outputs; may be repeated"},
                    {"range", "FROM:TO:COUNT", "frequencies from FROM to TO Hz"},
                    {"psd", "INPUT=LEVEL", "noise with this density per Hz; may be repeated"},
                    {"sine", "INPUT=LEVEL", "a sine of this amplitude; may be repeated"},
                    {"singular", NULL, "singular values of all transfer functions together"},
                    {"loop", "NAME", "the loop cut at CONTROLLER.ACTUATOR, with its margins"},
                    {"nyquist", NULL, "figure over real and imaginary part"},
                    POINT_OPTIONS,
                    {"csv", NULL, "print as CSV, numbers in full"},
                    {"json", NULL, "print as JSON"},
                    {"output", "FILE", "write to this file"},
                    {"title", "TEXT", "line above the figure"},
                    MODEL_OPTIONS},
        .run = lb_cli_run_response,
    },
    {
        .name = "results",
        .task = "Results",
        .operands = "FILE [SIGNAL...]",
        .summary = "list, print and compare recorded runs",
        .help = "Examples:\n"
                "  limber results arm.h5\n"
                "  limber results arm.h5 --print link.angle kinetic > link.csv\n"
                "  limber results arm.h5 --compare other.h5 --tolerance 1e-6\n",
        .options = {{"list", NULL, "tables, columns, events and audit (the default)"},
                    {"print", "SIGNAL", "print as CSV; may be repeated, or more may follow"},
                    {"csv", NULL, "print all columns as CSV"},
                    {"json", NULL, "print the list as JSON"},
                    {"compare", "OTHER", "compare with another file"},
                    {"tolerance", "X", "for compare: difference over 1 + largest value (1e-9)"}},
        .run = lb_cli_run_results,
    },
    {
        .name = "loads",
        .task = "Results",
        .operands = "RUN...",
        .summary = "extremes, envelopes over runs, power and shock spectra of recorded signals",
        .help =
            "For each signal, the largest and smallest value with their times, and the RMS. For\n"
            "several runs, the envelope and the run that sets it. Without --signal, all\n"
            "reactions and signals that the first run has recorded. A signal may be an\n"
            "expression. The format follows the name of FILE: .csv, .json, or a figure as .svg,\n"
            ".pdf or .png. --budget splits the reaction of a hinge into gravity, inertia,\n"
            "deformation and drive.\n"
            "\n"
            "Examples:\n"
            "  limber loads slew.h5\n"
            "  limber loads slew.h5 safe.h5 --signal 'panel.force.z,panel.moment.y' --with all\n"
            "  limber loads *.h5 --factor 1.25 --factor 'panel.*=1.4' -o loads.csv\n"
            "  limber loads slew.h5 --budget panel\n"
            "  limber loads slew.h5 --signal camera.acceleration.x --psd --segment 2 -o psd.svg\n"
            "  limber loads latch.h5 --signal camera.acceleration.x --srs 10:2000:100 --q 10\n",
        .options = {{"signal", "LIST", "signals, recorded or computed; may be repeated"},
                    {"with", "LIST", "signals to give at the time of each extreme; or all"},
                    {"factor", "[SIGNAL=]X",
                     "multiply by X; a SIGNAL may end in *, for all that match"},
                    {"from", "T", "rows from this time on"},
                    {"to", "T", "rows up to this time"},
                    {"budget", "HINGE", "what the reaction of this body's hinge consists of"},
                    {"psd", NULL, "power spectral densities"},
                    {"segment", "S", "with --psd: length of a segment, s (an eighth of the run)"},
                    {"srs", "FROM:TO:COUNT", "shock response spectra from FROM to TO Hz"},
                    {"q", "X", "with --srs: amplification at resonance (10)"},
                    {"csv", NULL, "print as CSV, numbers in full"},
                    {"json", NULL, "print as JSON"},
                    {"output", "FILE", "write to this file"},
                    {"title", "TEXT", "line above the figure"},
                    {"model", "FILE", "model file, in place of the recorded text"},
                    {"allow-files", "DIR", "let the model also name files of this folder"}},
        .run = lb_cli_run_loads,
    },
#ifdef LB_WITH_VIEW
    {
        .name = "plot",
        .task = "Results",
        .operands = "RESULT [SIGNAL...]",
        .summary = "plot recorded signals, on the terminal or as SVG, PDF or PNG",
        .help =
            "SIGNAL is a recorded column, or any signal of the model, which is then computed from\n"
            "the recorded states. Patterns such as 'arm.*' plot all columns that match. Without\n"
            "a signal, lists the columns and plots the first coordinates. Signals of one unit\n"
            "share a frame.\n"
            "\n"
            "Examples:\n"
            "  limber plot arm.h5\n"
            "  limber plot arm.h5 '*.angle'\n"
            "  limber plot arm.h5 kinetic potential elbow.rate -o energy.pdf\n"
            "  limber plot arm.h5 arm/tip.position.y --x arm/tip.position.x -o path.svg\n",
        .options = {{"json", NULL, "print signals, their ranges and what was written as JSON"},
                    {"output", "FILE", "figure: .svg, .pdf or .png; text if absent"},
                    {"x", "SIGNAL", "horizontal axis; time if absent"},
                    {"from", "X", "begin the horizontal axis here"},
                    {"to", "X", "end it here"},
                    {"title", "TEXT", "line above the figure"},
                    {"width", "MM", "of the figure (120)"},
                    {"height", "MM", "of the figure (by the number of frames)"},
                    {"dpi", "N", "resolution of a PNG (300)"},
                    {"model", "FILE", "model file, in place of the recorded text"},
                    {"allow-files", "DIR", "let the model also name files of this folder"}},
        .run = lb_cli_run_plot,
    },
    {
        .name = "view",
        .task = "Results",
        .operands = "RESULT|MODEL [RESULT] [SIGNAL...]",
        .summary = "make a web page of a recorded run or of a model: moving scene, plots, modes",
        .help =
            "The page is one file that needs no network: RESULT with the ending .html if -o is\n"
            "absent. It is opened where there is a desktop. Signals are plotted at first; those\n"
            "that are not recorded are computed. Of a MODEL or a robot, the page shows the "
            "initial\n"
            "pose and the modes about it. A second RESULT is shown beside the first, at the same\n"
            "time and from the same place, and its signals are dashed.\n"
            "\n"
            "Examples:\n"
            "  limber view arm.h5\n"
            "  limber view rigid.h5 flexible.h5 hand/tip.position.z\n"
            "  limber view arm.h5 elbow.angle hand/tip.position.z -o report.html\n"
            "  limber view arm.h5 --serve\n"
            "  limber view robot.urdf --floating\n",
        .options = {{"json", NULL, "print the names of the files that were written as JSON"},
                    {"output", "FILE", "the page; - for standard output"},
                    {"serve", NULL, "serve the page on this machine only, until Ctrl-C"},
                    {"port", "N", "with --serve: port (any that is free)"},
                    {"modes", "FILE", "mode shapes to show, JSON of limber modes"},
                    {"meshes", "DIR", "also look for the files of meshes in this folder"},
                    {"model", "FILE", "model file, in place of the recorded text"},
                    {"no-open", NULL, "do not open the page"},
                    MODEL_OPTIONS},
        .lists_written = true,
        .run = lb_cli_run_view,
    },
    {
        .name = "render",
        .task = "Results",
        .operands = "RESULT",
        .summary = "draw a recorded run as a clip, frames or a picture, without a display",
        .help = "What is written follows from the name: .gif, .mp4 (by ffmpeg), .png for one\n"
                "picture, of the last moment or that of --to, or a folder of frames. A model file\n"
                "or a robot in URDF in place of RESULT is drawn in its initial state.\n"
                "\n"
                "Examples:\n"
                "  limber render arm.h5 -o arm.gif\n"
                "  limber render arm.h5 -o arm.png --to 1.5 --size 1200x800\n"
                "  limber render arm.h5 -o frames --fps 30 --speed 0.1 --dark\n"
                "  limber render robot.urdf -o robot.png\n",
        .options = {{"json", NULL, "print the names of the files that were written as JSON"},
                    {"output", "FILE", ".gif, .mp4, .png, or a folder for frames"},
                    {"size", "WxH", "pixels (640x400)"},
                    {"fps", "N", "frames per second (25)"},
                    {"speed", "X", "times real time (so that the clip lasts 8 s)"},
                    {"from", "T", "begin at this time"},
                    {"to", "T", "end at this time"},
                    {"deformation", "X", "draw modal deformation this much larger (1)"},
                    {"dark", NULL, "dark background"},
                    {"no-time", NULL, "do not show the time in a corner"},
                    {"meshes", "DIR", "also look for the files of meshes in this folder"},
                    {"model", "FILE", "model file, in place of the recorded text"},
                    MODEL_OPTIONS},
        .lists_written = true,
        .run = lb_cli_run_render,
    },
    {
        .name = "demo",
        .task = "Start",
        .operands = "[FOLDER]",
        .summary = "run a spacecraft that catches a payload, and leave a report",
        .help = "Writes model, results and report.html into FOLDER, demo if absent.\n"
                "\n"
                "Example:\n"
                "  limber demo\n",
        .run = lb_cli_run_demo,
    },
#endif
    {
        .name = "completion",
        .task = "Program",
        .operands = "SHELL",
        .choices = "bash zsh fish",
        .summary = "print a completion script for bash, zsh or fish",
        .help = "Examples:\n"
                "  source <(limber completion bash)\n"
                "  limber completion zsh > ~/.zfunc/_limber\n"
                "  limber completion fish > ~/.config/fish/completions/limber.fish\n",
        .run = lb_cli_run_completion,
    },
    {
        .name = "help",
        .task = "Program",
        .operands = "[COMMAND]",
        .choices = LB_CLI_ANY_COMMAND,
        .summary = "show help on the program or on a command",
        .help = "Examples:\n"
                "  limber help eval\n"
                "  limber help run --man | man -l -\n",
        .options = {{"json", NULL, "print commands and options as JSON"},
                    {"man", NULL, "print a page for man"}},
        .run = lb_cli_run_help,
    },
    {
        .name = "version",
        .task = "Program",
        .operands = "",
        .choices = "",
        .summary = "print the version",
        .help = "Example:\n"
                "  limber version\n",
        .options = {{"json", NULL, "print as JSON"}},
        .run = lb_cli_run_version,
    },
};

const int lb_cli_command_count = (int)(sizeof lb_cli_commands / sizeof lb_cli_commands[0]);

const lb_cli_command *lb_cli_find_command(const char *name)
{
    name = strcmp(name, "simulate") == 0    ? "run"
           : strcmp(name, "linearise") == 0 ? "linearize"
                                            : name;
    for (int i = 0; i < lb_cli_command_count; ++i) {
        if (strcmp(lb_cli_commands[i].name, name) == 0) {
            return &lb_cli_commands[i];
        }
    }
    return NULL;
}
