// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// MuJoCo, constraints and contacts off.
//
//     peer_mujoco [--dense] TREE
//
// MuJoCo keeps the mass matrix as a sparse triangle. The call `mass` ends there, which is what its own
// algorithms use; with --dense it goes on to the whole square matrix, which is what Limber returns.
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

typedef struct lb_self {
    const lb_tree *tree;
    mjModel *model;
    mjData *data;
    double *q, *v, *tau, *a, *x, *M;
    int dense;
} lb_self;

// ---- the tree as MJCF --------------------------------------------------------------------------

// One turn of Jacobi's method: S := G' S G with the (i,j) entry gone, V := V G.
static void lb_turn(double S[3][3], double V[3][3], int i, int j)
{
    if (S[i][j] == 0.0) {
        return;
    }
    const double theta = (S[j][j] - S[i][i]) / (2 * S[i][j]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        const double a = S[k][i], b = S[k][j], u = V[k][i], v = V[k][j];
        S[k][i] = c * a - s * b;
        S[k][j] = s * a + c * b;
        V[k][i] = c * u - s * v;
        V[k][j] = s * u + c * v;
    }
    for (int k = 0; k < 3; ++k) {
        const double a = S[i][k], b = S[j][k];
        S[i][k] = c * a - s * b;
        S[j][k] = s * a + c * b;
    }
}

// Principal moments and axes in full precision: what MuJoCo makes of `fullinertia` has half of it.
static void lb_find_principal_axes(const double J[6], double moments[3], double quaternion[4])
{
    double S[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    double V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 10; ++sweep) {
        lb_turn(S, V, 0, 1);
        lb_turn(S, V, 0, 2);
        lb_turn(S, V, 1, 2);
    }
    for (int i = 0; i < 3; ++i) {
        moments[i] = S[i][i];
    }
    double axes[9];
    memcpy(axes, V, sizeof axes);
    mju_mat2Quat(quaternion, axes);
    mju_normalize4(quaternion);
}

// As a tree, or flat: every body on the ground, but with the pose that it has in its parent.
static void lb_print_mjcf(const lb_tree *tree, int flat, FILE *file)
{
    fprintf(file,
            "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" boundmass=\"0\" "
            "boundinertia=\"0\" balanceinertia=\"false\"/><option gravity=\"%.17g %.17g %.17g\"/>"
            "<size njmax=\"1\" nconmax=\"1\"/><worldbody>\n",
            tree->gravity[0], tree->gravity[1], tree->gravity[2]);
    for (int k = 0, open = -1; k < tree->body_count; ++k) {
        const lb_tree_body *b = &tree->bodies[k];
        // close what the last body was in, as far as this one's parent
        for (; open >= 0 && (flat || open != b->parent);
             open = flat ? -1 : tree->bodies[open].parent) {
            fprintf(file, "</body>\n");
        }
        open = k;
        const double *p = b->position, *r = b->rotation, *c = b->com, *e = b->axis;
        double J[3], o[4];
        lb_find_principal_axes(b->inertia, J, o);
        fprintf(file,
                "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"><inertial "
                "mass=\"%.17g\" pos=\"%.17g %.17g %.17g\" "
                "quat=\"%.17g %.17g %.17g %.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
                p[0], p[1], p[2], r[0], r[1], r[2], r[3], b->mass, c[0], c[1], c[2], o[0], o[1],
                o[2], o[3], J[0], J[1], J[2]);
        if (b->hinge == LB_TREE_FREE) {
            fprintf(file, "<freejoint/>\n");
        } else {
            fprintf(file, "<joint type=\"%s\" axis=\"%.17g %.17g %.17g\"/>\n",
                    b->hinge == LB_TREE_REVOLUTE ? "hinge" : "slide", e[0], e[1], e[2]);
        }
        for (; k == tree->body_count - 1 && open >= 0;
             open = flat ? -1 : tree->bodies[open].parent) {
            fprintf(file, "</body>\n");
        }
    }
    fprintf(file, "</worldbody></mujoco>\n");
}

// MuJoCo's reader refuses elements that are nested deeper than this.
enum { LB_DEPTH_MAX = 80 };

static int lb_get_depth(const lb_tree *tree)
{
    int deepest = 0;
    for (int k = 0; k < tree->body_count && deepest <= LB_DEPTH_MAX; ++k) {
        int depth = 0;
        for (int j = k; j >= 0 && depth <= LB_DEPTH_MAX; j = tree->bodies[j].parent) {
            ++depth;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

// Hangs the bodies of a flat model on their parents: body k of the tree is body k + 1 here. That the
// answers are right afterwards is what the comparison with the reference shows.
static void lb_hang_bodies(const lb_tree *tree, mjModel *m)
{
    int *last = mju_malloc((size_t)m->nbody * sizeof *last),
        *inward =
            mju_malloc((size_t)m->nv * sizeof *inward); // last dof up to a body; dofs up to a dof
    last[0] = -1;
    m->nM = 0;
    for (int k = 0; k < tree->body_count; ++k) {
        const int body = k + 1, parent = tree->bodies[k].parent + 1;
        m->body_parentid[body] = parent;
        m->body_rootid[body] = parent > 0 ? m->body_rootid[parent] : body;
        m->body_simple[body] = 0;
        last[body] = last[parent];
        for (int i = 0; i < m->body_dofnum[body]; ++i) {
            const int dof = m->body_dofadr[body] + i;
            m->dof_parentid[dof] = last[body];
            m->dof_simplenum[dof] = 0;
            m->dof_Madr[dof] = m->nM;
            inward[dof] = 1 + (last[body] < 0 ? 0 : inward[last[body]]);
            m->nM += inward[dof];
            last[body] = dof;
        }
    }
    m->nD = 2 * m->nM - m->nv;
    for (int body = m->nbody - 1; body > 0; --body) {
        if (m->body_parentid[body] > 0) {
            m->body_subtreemass[m->body_parentid[body]] += m->body_subtreemass[body];
        }
    }
    mju_free(last);
    mju_free(inward);
}

static mjModel *lb_load_mjcf(const lb_tree *tree, const char *path)
{
    char name[4096], error[1000] = "";
    snprintf(name, sizeof name, "%s.mjcf", path);
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        perror(name);
        exit(1);
    }
    const int flat = lb_get_depth(tree) > LB_DEPTH_MAX;
    lb_print_mjcf(tree, flat, file);
    fclose(file);
    mjModel *model = mj_loadXML(name, NULL, error, sizeof error);
    if (model == NULL) {
        fprintf(stderr, "mujoco: %s\n", error);
        exit(1);
    }
    if (flat) {
        lb_hang_bodies(tree, model);
    }
    return model;
}

// ---- conventions: position before quaternion, linear before angular, linear in world axes -------

static void lb_swap_halves(const lb_tree *tree, double *x)
{
    for (int i = 0; lb_tree_floats(tree) && i < 3; ++i) {
        const double t = x[i];
        x[i] = x[3 + i];
        x[3 + i] = t;
    }
}

static double *lb_convert(const lb_tree *tree, lb_free_kind kind, const double *x)
{
    double *r = mju_malloc((size_t)tree->v_count * sizeof *r);
    memcpy(r, x, (size_t)tree->v_count * sizeof *r);
    lb_free_to_world(tree, kind, r);
    lb_swap_halves(tree, r);
    return r;
}

static double *lb_convert_q(const lb_tree *tree)
{
    const double *q = tree->q;
    double *r = mju_malloc((size_t)tree->q_count * sizeof *r);
    memcpy(r, q, (size_t)tree->q_count * sizeof *r);
    if (lb_tree_floats(tree)) {
        const double free[7] = {q[4], q[5], q[6], q[0], q[1], q[2], q[3]};
        memcpy(r, free, sizeof free);
    }
    return r;
}

// ---- calls -------------------------------------------------------------------------------------

static void lb_run_forward(void *self)
{
    lb_self *s = self;
    const mjModel *m = s->model;
    mjData *d = s->data;
    mju_copy(d->qpos, s->q, m->nq);
    mju_copy(d->qvel, s->v, m->nv);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    mju_sub(d->qfrc_smooth, s->tau, d->qfrc_bias, m->nv);
    mj_solveM(m, d, s->x, d->qfrc_smooth, 1);
}

static void lb_run_inverse(void *self)
{
    lb_self *s = self;
    const mjModel *m = s->model;
    mjData *d = s->data;
    mju_copy(d->qpos, s->q, m->nq);
    mju_copy(d->qvel, s->v, m->nv);
    mju_copy(d->qacc, s->a, m->nv);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, s->x);
}

static void lb_run_mass(void *self)
{
    lb_self *s = self;
    const mjModel *m = s->model;
    mjData *d = s->data;
    mju_copy(d->qpos, s->q, m->nq);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    if (s->dense) {
        mj_fullM(m, s->M, d->qM);
    }
}

static void lb_get_answer(void *self, lb_call call, double *answer)
{
    lb_self *s = self;
    if (call == LB_CALL_MASS) {
        double *x = lb_convert(s->tree, LB_FREE_SPEED, s->tree->a);
        if (s->dense) {
            mju_mulMatVec(answer, s->M, x, s->model->nv, s->model->nv);
        } else {
            mj_mulM(s->model, s->data, answer, x);
        }
        mju_free(x);
    } else {
        memcpy(answer, s->x, (size_t)s->tree->v_count * sizeof *answer);
    }
    lb_swap_halves(s->tree, answer);
    lb_free_from_world(s->tree, call == LB_CALL_FORWARD ? LB_FREE_ACCELERATION : LB_FREE_FORCE,
                       answer);
}

int main(int argc, char **argv)
{
    lb_self self = {0};
    self.dense = argc == 3 && strcmp(argv[1], "--dense") == 0;
    if (argc != 2 && !self.dense) {
        fputs("usage: peer_mujoco [--dense] TREE\n", stderr);
        return 2;
    }
    lb_tree *tree = lb_read_tree(argv[argc - 1]);
    if (tree->body_count > 3000) {
        fputs("mujoco: its mass matrix, which all of it needs, would take gigabytes\n", stderr);
        return 77;
    }
    self.tree = tree;
    self.model = lb_load_mjcf(tree, argv[argc - 1]);
    if (self.model->nv != tree->v_count) {
        fputs("mujoco: not the same tree\n", stderr);
        return 1;
    }
    self.model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    self.data = mj_makeData(self.model);
    self.q = lb_convert_q(tree);
    self.v = lb_convert(tree, LB_FREE_SPEED, tree->v);
    self.tau = lb_convert(tree, LB_FREE_FORCE, tree->tau);
    self.a = lb_convert(tree, LB_FREE_ACCELERATION, tree->a);
    const size_t n = (size_t)tree->v_count;
    self.x = mju_malloc(n * sizeof *self.x);
    self.M = mju_malloc((self.dense ? n * n : 1) * sizeof *self.M);
    const lb_peer peer = {
        self.dense ? "MuJoCo dense" : "MuJoCo",
        mj_versionString(),
        &self,
        {self.dense ? NULL : lb_run_forward, self.dense ? NULL : lb_run_inverse, lb_run_mass},
        lb_get_answer};
    const int code = lb_serve_peer(&peer, tree->v_count);
    double *const numbers[] = {self.q, self.v, self.tau, self.a, self.x, self.M};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        mju_free(numbers[i]);
    }
    mj_deleteData(self.data);
    mj_deleteModel(self.model);
    lb_destroy_tree_data(tree);
    return code;
}
