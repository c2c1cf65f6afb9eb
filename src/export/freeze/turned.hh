// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A few functions of the sweeps in forms that take fewer operations: where a rotation is known to be quarter turns
// and one angle about z, or one angle about an axis that does not move, or where products of angular velocities are
// shared. The engine does not know the rotations of a model when it is compiled; here they are known. They take the
// place of the functions of the same names.
#ifndef LB_TURNED_HH
#define LB_TURNED_HH

// A turn about z, then axes exchanged: R x = e_i (c x - s y) + sign e_j (s x + c y) + sign e_k z
struct quarter_turn {
    int i, j, k;   // axes of the parent that x, y and z lie along at angle zero
    double sign;   // of z along k; y lies along sign e_j
    double s, c;   // of the angle
};

static bool has_bits(double x, double y)
{
    return x.term.bits == y.term.bits;
}

// Whether a rotation has that form.
static bool find_turn(const lb_mat3 *R, quarter_turn *t)
{
    t->k = -1;
    for (int i = 0; i < 3; ++i) {
        if (has_bits(R->m[i][2], 1.0) || has_bits(R->m[i][2], -1.0)) {
            t->k = i;
        }
    }
    if (t->k < 0) {
        return false;
    }
    t->i = (t->k + 1) % 3;
    t->j = (t->k + 2) % 3;
    t->sign = R->m[t->k][2];
    t->c = R->m[t->i][0];
    t->s = t->sign * R->m[t->j][0];
    if (!lb_is_node(t->c.term) || !lb_is_node(t->s.term)) {
        return false;
    }
    const lb_graph_node *c = &graph->nodes[lb_get_index(t->c.term)];
    const lb_graph_node *s = &graph->nodes[lb_get_index(t->s.term)];
    const bool pair = (c->op == LB_OP_COSINE && s->op == LB_OP_SINE) ||
                      (c->op == LB_OP_SINE && s->op == LB_OP_COSINE);
    return pair && c->a == s->a && has_bits(R->m[t->i][1], -t->s) &&
           has_bits(R->m[t->j][1], t->sign * t->c);
}

// R A R' for A = [a b e; c d f; g h k]. With u = (sin) (a - d) + (cos) (b + c):
//
//     a - (sin) u,   (cos) u - c,   (cos) u - b,   d + (sin) u     and the others turn as vectors do
static void turn_matrix(const quarter_turn *t, const double A[3][3], double out[3][3])
{
    const double u = t->s * (A[0][0] - A[1][1]) + t->c * (A[0][1] + A[1][0]);
    const double su = t->s * u, cu = t->c * u;
    const int i = t->i, j = t->j, k = t->k;
    out[i][i] = A[0][0] - su;
    out[j][j] = A[1][1] + su;
    out[i][j] = t->sign * (cu - A[1][0]);
    out[j][i] = t->sign * (cu - A[0][1]);
    out[i][k] = t->sign * (t->c * A[0][2] - t->s * A[1][2]);
    out[j][k] = t->s * A[0][2] + t->c * A[1][2];
    out[k][i] = t->sign * (t->c * A[2][0] - t->s * A[2][1]);
    out[k][j] = t->s * A[2][0] + t->c * A[2][1];
    out[k][k] = A[2][2];
}

static lb_mat3 get_matrix(const lb_sym3 *S)
{
    return (lb_mat3){{{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}}};
}

static lb_sym3 get_symmetric(const lb_mat3 *A)
{
    return (lb_sym3){A->m[0][0], A->m[1][1], A->m[2][2], A->m[0][1], A->m[0][2], A->m[1][2]};
}

// A turn about an axis that lies askew in the parent: R = Rz(b) Ry(a) Rz(c). Three turns about axes of their frames take
// fewer operations than one about any axis.
struct skew_turn {
    lb_vec3 cosines, sines; // of a, b and c
};

// The third column of R is that axis, (sin a cos b, sin a sin b, cos a); the third row has the angle, in sin a (-cos c,
// sin c).
static bool find_skew(const lb_mat3 *R, skew_turn *t)
{
    const lb_term x = R->m[0][2].term, y = R->m[1][2].term, z = R->m[2][2].term;
    if (lb_is_node(x) || lb_is_node(y) || lb_is_node(z) || !lb_is_node(R->m[2][0].term)) {
        return false;
    }
    const auto sine = ::sqrt(x.number * x.number + y.number * y.number);
    if (sine < 0.1) { // the angle would lose digits
        return false;
    }
    t->cosines = {z.number, x.number / sine, R->m[2][0] * (-1 / sine)};
    t->sines = {sine, y.number / sine, R->m[2][1] * (1 / sine)};
    return true;
}

// A := P A P', P a turn from the axis i to j, as turn_matrix has it
static void turn_plane(int i, int j, double c, double s, lb_mat3 *A)
{
    double(*m)[3] = A->m;
    const int k = 3 - i - j;
    const double u = s * (m[i][i] - m[j][j]) + c * (m[i][j] + m[j][i]);
    const double ij = m[i][j], ji = m[j][i], ik = m[i][k], jk = m[j][k], ki = m[k][i], kj = m[k][j];
    m[i][i] = m[i][i] - s * u;
    m[j][j] = m[j][j] + s * u;
    m[i][j] = c * u - ji;
    m[j][i] = c * u - ij;
    m[i][k] = c * ik - s * jk;
    m[j][k] = s * ik + c * jk;
    m[k][i] = c * ki - s * kj;
    m[k][j] = s * ki + c * kj;
}

// R A R'; false if R has neither form
static bool turn_around(const lb_mat3 *R, lb_mat3 *A)
{
    quarter_turn quarter;
    skew_turn skew;
    if (find_turn(R, &quarter)) {
        const lb_mat3 given = *A;
        turn_matrix(&quarter, given.m, A->m);
        return true;
    }
    if (!find_skew(R, &skew)) {
        return false;
    }
    turn_plane(0, 1, skew.cosines.z, skew.sines.z, A);
    turn_plane(2, 0, skew.cosines.x, skew.sines.x, A);
    turn_plane(0, 1, skew.cosines.y, skew.sines.y, A);
    return true;
}

// phi(p,k) M phi*(p,k)
static lb_inertia lb_inertia_carry(const lb_pose *X, const lb_inertia *M)
{
    lb_mat3 J = get_matrix(&M->J);
    if (!turn_around(&X->R, &J)) {
        return lb_inertia_carry_plain(X, M);
    }
    const lb_inertia turned = {M->m, lb_mat3_mul_vec(&X->R, M->h), get_symmetric(&J)};
    const lb_pose shift = {lb_mat3_identity(), X->p};
    return lb_inertia_carry_plain(&shift, &turned);
}

// phi(p,k) P phi*(p,k)
static lb_sym6 lb_sym6_carry(const lb_pose *X, const lb_sym6 *P)
{
    lb_mat3 J = get_matrix(&P->J), H = P->H, M = get_matrix(&P->M);
    if (!turn_around(&X->R, &J)) {
        return lb_sym6_carry_plain(X, P);
    }
    turn_around(&X->R, &H);
    turn_around(&X->R, &M);
    const lb_sym6 turned = {get_symmetric(&J), H, get_symmetric(&M)};
    const lb_pose shift = {lb_mat3_identity(), X->p};
    return lb_sym6_carry_plain(&shift, &turned);
}

static void lb_sym6_add_carried(lb_sym6 *P_p, const lb_pose *X, const lb_sym6 *P)
{
    const lb_sym6 carried = lb_sym6_carry(X, P);
    lb_sym6_add(P_p, &carried);
}

// The matrix w~w~ + alpha~, which a body shares with its children: acceleration of a point of it, less that of
// its origin.
static lb_mat3 get_spin(lb_vec3 w, lb_vec3 a)
{
    const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    return (lb_mat3){{{-(yy + zz), xy - a.z, xz + a.y},
                      {xy + a.z, -(xx + zz), yz - a.x},
                      {xz - a.y, yz + a.x, -(xx + yy)}}};
}

// (KIN-2), (KIN-3)
static void lb_revolute_step_velocity(lb_body_work *w, lb_vec3 w_parent, double v)
{
    const lb_mat3 U = get_spin(w_parent, lb_vec3_make(0, 0, 0));
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, w_parent);
    w->V.w = lb_vec3_make(w_p.x, w_p.y, w_p.z + v);
    w->a.w = lb_vec3_make(w_p.y * v, -w_p.x * v, 0);
    w->a.v = lb_mat3_tmul_vec(&w->X.R, lb_mat3_mul_vec(&U, w->X.p));
}

// (KIN-2) and (KIN-4)
static void lb_revolute_step_motion(lb_body_work *w, const lb_body_work *p, double v,
                                    double beta_dot)
{
    const lb_mat3 U = get_spin(p->V.w, p->alpha.w);
    const lb_vec3 w_p = lb_mat3_tmul_vec(&w->X.R, p->V.w);
    const lb_vec3 alpha = lb_mat3_tmul_vec(&w->X.R, p->alpha.w);
    const lb_vec3 linear = lb_vec3_add(p->alpha.v, lb_mat3_mul_vec(&U, w->X.p));
    w->V.w = lb_vec3_make(w_p.x, w_p.y, w_p.z + v);
    w->alpha.w = lb_vec3_make(alpha.x + w_p.y * v, alpha.y - w_p.x * v, alpha.z + beta_dot);
    w->alpha.v = lb_mat3_tmul_vec(&w->X.R, linear);
}

// P+ = P - G (P z)*, handed to the parent
static void lb_revolute_hand_over(const lb_sym6 *P, const lb_vec6 *G, const lb_pose *X, lb_sym6 *P_p)
{
    const double x = P->J.xz, y = P->J.yz;
    const double *u = P->H.m[2];
    lb_sym6 P_plus = {{P->J.xx - G->w.x * x, P->J.yy - G->w.y * y, 0, P->J.xy - G->w.x * y, 0, 0},
                      {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
                      {P->M.xx - G->v.x * u[0], P->M.yy - G->v.y * u[1], P->M.zz - G->v.z * u[2],
                       P->M.xy - G->v.x * u[1], P->M.xz - G->v.x * u[2], P->M.yz - G->v.y * u[2]}};
    for (int j = 0; j < 3; ++j) {
        P_plus.H.m[0][j] = P->H.m[0][j] - G->w.x * u[j];
        P_plus.H.m[1][j] = P->H.m[1][j] - G->w.y * u[j];
    }
    lb_sym6_add_carried(P_p, X, &P_plus);
}

#endif // LB_TURNED_HH
