// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Limber as a peer among peers.
//
//     peer_limber [--portable] TREE
//     peer_limber --frozen TREE       as C that is compiled for this tree (limber freeze)
//     peer_limber --beams FIDELITY    ten flexible bodies of five modes in place of a tree
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../measure.h"
#ifdef LB_WITH_FREEZE
#include "frozen/program.h"
#endif
#include "peer.h"
#include "scenes.h"

typedef struct lb_self {
    lb_model *model;
    lb_work *work;
    double *q, *v, *tau, *a, *M, *x;
} lb_self;

static void lb_complain(void *user, const lb_diagnostic *diagnostic)
{
    (void)user;
    fprintf(stderr, "%s: %s\n", diagnostic->path, diagnostic->message);
}

static lb_model *lb_build_tree(const lb_tree *tree, lb_instruction_set set)
{
    const lb_report report = {lb_complain, NULL};
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_model *model = NULL;
    lb_set_gravity(builder, tree->gravity);
    if (lb_set_instruction_set(builder, set) < LB_OK) {
        fputs("this machine has not got these instructions\n", stderr);
        exit(1);
    }
    for (int k = 0; k < tree->body_count; ++k) {
        static const lb_hinge_type types[] = {LB_HINGE_REVOLUTE, LB_HINGE_PRISMATIC, LB_HINGE_FREE};
        const lb_tree_body *b = &tree->bodies[k];
        char name[16], parent[16], at[16];
        lb_body_options options = lb_default_body_options();
        snprintf(name, sizeof name, "b%d", k);
        snprintf(parent, sizeof parent, "b%d", b->parent);
        snprintf(at, sizeof at, "n%d", k);
        options.name = name;
        options.parent = b->parent < 0 ? "ground" : parent;
        options.at = at;
        options.hinge.type = types[b->hinge];
        memcpy(options.hinge.axis, b->axis, sizeof b->axis);
        options.mass = b->mass;
        memcpy(options.com, b->com, sizeof b->com);
        memcpy(options.inertia, b->inertia, sizeof b->inertia);
        lb_add_body(builder, &options, NULL);
        lb_add_node(builder, b->parent < 0 ? LB_GROUND : b->parent, at, b->position, b->rotation);
    }
    lb_build_model(builder, &model);
    lb_destroy_builder(builder);
    return model;
}

static lb_model *lb_build_beams(const char *fidelity, lb_self *self)
{
    enum { BODIES = 10, MODES = 5 };
    lb_scene_beam_options options = lb_default_scene_beam();
    options.mode_count = MODES;
    options.fidelity =
        strcmp(fidelity, "ruthless") == 0 ? LB_FIDELITY_RUTHLESS : LB_FIDELITY_CONSISTENT;
    options.second_order = options.fidelity == LB_FIDELITY_CONSISTENT;
    lb_scene *scene = lb_create_beam_chain(&options, BODIES);
    lb_model *model = lb_build_scene(scene);
    lb_random random;
    self->q = lb_make_numbers(scene->q_count);
    self->v = lb_make_numbers(scene->v_count);
    self->tau = lb_make_numbers(scene->v_count);
    self->a = lb_make_numbers(scene->v_count);
    lb_seed_random(&random, 1);
    lb_draw_state(scene, &random, self->q, self->v);
    lb_draw_vector(&random, scene->v_count, 1.0, self->tau);
    lb_draw_vector(&random, scene->v_count, 1.0, self->a);
    lb_destroy_scene(scene);
    return model;
}

// ---- frozen ------------------------------------------------------------------------------------

#ifdef LB_WITH_FREEZE
typedef struct lb_frozen_self {
    lb_self engine;
    lb_program program;
    lb_frozen_four forward, inverse;
    lb_frozen_two mass;
} lb_frozen_self;

// above this a compiler takes minutes
enum { FROZEN_MOST = 50 };

static const char frozen_compiler[] = "cc -std=c99 -O3 -march=native -ffp-contract=fast";

static void lb_run_frozen_forward(void *self)
{
    const lb_frozen_self *s = self;
    (void)s->forward(s->engine.q, s->engine.v, s->engine.tau, s->engine.x);
}

static void lb_run_frozen_inverse(void *self)
{
    const lb_frozen_self *s = self;
    (void)s->inverse(s->engine.q, s->engine.v, s->engine.a, s->engine.x);
}

static void lb_run_frozen_mass(void *self)
{
    const lb_frozen_self *s = self;
    (void)s->mass(s->engine.q, s->engine.M);
}

static int lb_serve_frozen(lb_self *self, lb_peer *peer, int n)
{
    lb_frozen_self frozen = {.engine = *self};
    const lb_freeze_options options = lb_default_freeze_options();
    int code = 1;
    peer->self = &frozen; // it starts with what the answers are read from
    if (n > FROZEN_MOST) {
        memset(peer->run, 0, sizeof peer->run);
        return lb_serve_peer(peer, n);
    }
    if (lb_write_program(self->model, &options, &frozen.program) &&
        lb_load_program(&frozen.program, frozen_compiler)) {
        lb_get_program_function(&frozen.program, "forward", &frozen.forward);
        lb_get_program_function(&frozen.program, "inverse", &frozen.inverse);
        lb_get_program_function(&frozen.program, "mass", &frozen.mass);
        peer->run[0] = lb_run_frozen_forward;
        peer->run[1] = lb_run_frozen_inverse;
        peer->run[2] = lb_run_frozen_mass;
        code = lb_serve_peer(peer, n);
    }
    lb_end_program(&frozen.program);
    return code;
}
#else
static int lb_serve_frozen(lb_self *self, lb_peer *peer, int n)
{
    (void)self, (void)peer, (void)n;
    fputs("peer_limber: built without freezing\n", stderr);
    return 1;
}
#endif // LB_WITH_FREEZE

// ---- calls -------------------------------------------------------------------------------------

static void lb_check(lb_status status)
{
    if (status != LB_OK) {
        fprintf(stderr, "limber: %s\n", lb_get_status_text(status));
        exit(1);
    }
}

static void lb_run_forward(void *self)
{
    const lb_self *s = self;
    lb_check(lb_compute_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, s->x));
}

static void lb_run_inverse(void *self)
{
    const lb_self *s = self;
    lb_check(lb_compute_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, s->x));
}

static void lb_run_mass(void *self)
{
    const lb_self *s = self;
    lb_check(lb_compute_mass_matrix(s->model, s->work, s->q, s->M));
}

static void lb_get_answer(void *self, lb_call call, double *answer)
{
    const lb_self *s = self;
    const int n = lb_get_v_count(s->model);
    for (int i = 0; i < n; ++i) {
        answer[i] = call == LB_CALL_MASS ? 0.0 : s->x[i];
        for (int j = 0; call == LB_CALL_MASS && j < n; ++j) {
            answer[i] += s->M[(size_t)i * (size_t)n + (size_t)j] * s->a[j];
        }
    }
}

int main(int argc, char **argv)
{
    // above this a dense matrix is not what the model is for
    enum { MATRIX_MAX = 2000 };
    lb_self self = {0};
    lb_tree *tree = NULL;
    const int portable = argc == 3 && strcmp(argv[1], "--portable") == 0;
    const int frozen = argc == 3 && strcmp(argv[1], "--frozen") == 0;
    const int beams = argc == 3 && strcmp(argv[1], "--beams") == 0;
    char name[64];
    const char *compiler = strncmp(lb_get_compiler(), "clang", 5) == 0 ? "clang" : "gcc";
    snprintf(name, sizeof name, "Limber %s%s", compiler,
             portable ? " portable"
             : frozen ? " frozen"
                      : "");
    if (beams) {
        self.model = lb_build_beams(argv[2], &self);
        snprintf(name, sizeof name, "Limber %s %s", compiler, argv[2]);
    } else if (portable || frozen || argc == 2) {
        tree = lb_read_tree(argv[argc - 1]);
        self.q = tree->q;
        self.v = tree->v;
        self.tau = tree->tau;
        self.a = tree->a;
        self.model =
            lb_build_tree(tree, portable ? LB_INSTRUCTIONS_PORTABLE : LB_INSTRUCTIONS_BEST);
    } else {
        fputs("usage: peer_limber [--portable | --frozen] TREE | --beams FIDELITY\n", stderr);
        return 2;
    }
    if (self.model == NULL || (self.work = lb_create_work(self.model)) == NULL) {
        fputs("limber: cannot build the model\n", stderr);
        return 1;
    }
    const int n = lb_get_v_count(self.model);
    const int matrix = n <= MATRIX_MAX;
    self.x = lb_make_numbers(n);
    self.M = lb_make_numbers(matrix ? n * n : 0);
    static const char *const sets[] = {[LB_INSTRUCTIONS_PORTABLE] = "portable",
                                       [LB_INSTRUCTIONS_AVX2] = "AVX2",
                                       [LB_INSTRUCTIONS_AVX512] = "AVX-512"};
    char setting[512];
    snprintf(setting, sizeof setting, "%s, commit %s, %s, %s, %s", lb_get_version(),
             lb_get_commit(), lb_get_compiler(), lb_get_flags(),
             sets[lb_get_instruction_set(self.model)]);
    lb_peer peer = {name,
                    setting,
                    &self,
                    {lb_run_forward, lb_run_inverse, matrix ? lb_run_mass : NULL},
                    lb_get_answer};
    const int code = frozen ? lb_serve_frozen(&self, &peer, n) : lb_serve_peer(&peer, n);
    lb_destroy_work(self.work);
    lb_destroy_model(self.model);
    free(self.x);
    free(self.M);
    if (tree == NULL) {
        free(self.q);
        free(self.v);
        free(self.tau);
        free(self.a);
    }
    lb_destroy_tree_data(tree);
    return code;
}
