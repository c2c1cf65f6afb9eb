// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics of many states of one chain by loops over its bodies, whose numbers are in a table: revolute hinges
// about z, bodies that are rigid or ruthless with equally many modes. One thread computes one state. The equations are
// those of src/dynamics/tree/articulated_body.c and src/dynamics/tree/flexible.c.
//
// Kernels that `freeze` writes have all bodies one behind the other, with their numbers as constants. That saves
// arithmetic, but the text of a long chain of flexible bodies does not fit into a cache. This one is short whatever the
// number of bodies.
//
// What a sweep leaves for a later one is in shared memory, one column per thread: angles, rates of turning, gains of the
// hinges, and gains of the modes of as many bodies as there is room for, from the tip on. The rest is in local memory.
//
// Only the build reads this file, as a text (cmake/LimberKernels.cmake). table_text.c writes ahead of it: BODIES, at
// least 2, MODES per body, FIRST_SHARED body whose modes are in shared memory, NUMBERS of the table, and the table. A
// compiler for the host takes the function of one state, for tests.
#ifndef LB_TABLE_KERNEL_H
#define LB_TABLE_KERNEL_H

#ifdef __CUDACC__
#define TABLE_DEVICE static __device__ __forceinline__
#define TABLE_THREADS 128
#else
#define TABLE_DEVICE static inline
#define TABLE_THREADS 1
#endif

namespace lb_table
{

enum { TIP = BODIES - 1, PAIRS = MODES * (MODES + 1) / 2, ROOM = MODES ? MODES : 1 };

// Where a body is, and what it is without modes
struct frame {
    double R[9], p[3];          // hinge in the frame of the parent: rotation at angle zero, place
    double h[3], J[6];          // first moment, inertia: xx xy xz yy yz zz
    int q, v, hinge_q, hinge_v; // first entries
};

#if MODES
// Forces on the modes
struct modal {
    double S[MODES][6];        // -1/2 dJ/d eta
    double K[PAIRS], C[PAIRS]; // rows of lower triangles
};
#endif

// A body that carries another
struct body {
    frame f;
    double m;
#if MODES
    modal e;
    double Pi[MODES][6];   // motion of the place of the next hinge, referred to the frame
    double M_rf[MODES][6]; // inertia of the modes
    double M_ff[PAIRS];
#endif
};

// [J H; H' M]
struct inertia {
    double J[6], H[9], M[6];
};

// The last body: what is left of its inertia never changes
struct tip {
    frame f;
    inertia P;      // modes taken out
    inertia P_plus; // and the hinge: third row and column are zero
    double G[6], d; // gains of the hinge, 1 / D
#if MODES
    modal e;
    double g[MODES][6], D_inverse[PAIRS]; // of the modes
#endif
};

struct chain {
    body bodies[TIP];
    tip last;
    double gravity[3];
};

static_assert(sizeof(chain) == 8 * NUMBERS, "table_text.c writes another table");

// ---- vectors and inertias ----------------------------------------------------------------------

// Place in xx xy xz yy yz zz
TABLE_DEVICE constexpr int at(int i, int j)
{
    return i < j ? i * (5 - i) / 2 + j : j * (5 - j) / 2 + i;
}

// Place in rows of a lower triangle
TABLE_DEVICE constexpr int low(int i, int j)
{
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
}

TABLE_DEVICE void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// y = R x
TABLE_DEVICE void turn(const double *R, const double *x, double *y)
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
    }
}

// y = R* x
TABLE_DEVICE void turn_back(const double *R, const double *x, double *y)
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    }
}

// 1 / x to the last digit or two, as in kernels that are written
TABLE_DEVICE double invert(double x)
{
#ifdef __CUDA_ARCH__
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = fma(y, fma(-x, y, 1.0), y);
    return fma(y, fma(-x, y, 1.0), y);
#else
    return 1 / x;
#endif
}

// y = P x
TABLE_DEVICE void multiply(const inertia &P, const double *x, double *y)
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        y[i] = P.J[at(i, 0)] * x[0] + P.J[at(i, 1)] * x[1] + P.J[at(i, 2)] * x[2] +
               P.H[3 * i] * x[3] + P.H[3 * i + 1] * x[4] + P.H[3 * i + 2] * x[5];
        y[3 + i] = P.H[i] * x[0] + P.H[3 + i] * x[1] + P.H[6 + i] * x[2] + P.M[at(i, 0)] * x[3] +
                   P.M[at(i, 1)] * x[4] + P.M[at(i, 2)] * x[5];
    }
}

// P - x y* for a product that is symmetric
TABLE_DEVICE void take_away(inertia &P, const double *x, const double *y)
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            P.H[3 * i + j] -= x[i] * y[3 + j];
            if (j >= i) {
                P.J[at(i, j)] -= x[i] * y[j];
                P.M[at(i, j)] -= x[3 + i] * y[3 + j];
            }
        }
    }
}

// Gamma = phi P+ phi*, where the third row and column of P+ are zero
TABLE_DEVICE void carry(const double *R, const double *p, const inertia &P, inertia &Gamma)
{
    double T[9], J[6], H[9], M[6];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        T[2 * i] = R[3 * i] * P.J[0] + R[3 * i + 1] * P.J[1];
        T[2 * i + 1] = R[3 * i] * P.J[1] + R[3 * i + 1] * P.J[3];
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = i; j < 3; ++j) {
            J[at(i, j)] = T[2 * i] * R[3 * j] + T[2 * i + 1] * R[3 * j + 1];
        }
    }
    turn(R, P.H, T);
    turn(R, P.H + 3, T + 3);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            H[3 * i + j] = R[3 * i] * T[j] + R[3 * i + 1] * T[3 + j];
        }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            T[3 * i + j] = R[3 * i] * P.M[at(0, j)] + R[3 * i + 1] * P.M[at(1, j)] +
                           R[3 * i + 2] * P.M[at(2, j)];
        }
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = i; j < 3; ++j) {
            M[at(i, j)] =
                T[3 * i] * R[3 * j] + T[3 * i + 1] * R[3 * j + 1] + T[3 * i + 2] * R[3 * j + 2];
        }
    }
    // H + p~ M, then J + p~ H* - (H + p~ M) p~
#pragma unroll
    for (int j = 0; j < 3; ++j) {
        Gamma.H[j] = H[j] + p[1] * M[at(2, j)] - p[2] * M[at(1, j)];
        Gamma.H[3 + j] = H[3 + j] + p[2] * M[at(0, j)] - p[0] * M[at(2, j)];
        Gamma.H[6 + j] = H[6 + j] + p[0] * M[at(1, j)] - p[1] * M[at(0, j)];
    }
#pragma unroll
    for (int i = 0; i < 3; ++i) {
#pragma unroll
        for (int j = i; j < 3; ++j) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            Gamma.J[at(i, j)] = J[at(i, j)] + p[j1] * H[3 * i + j2] - p[j2] * H[3 * i + j1] +
                                p[i1] * Gamma.H[3 * j + i2] - p[i2] * Gamma.H[3 * j + i1];
        }
    }
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        Gamma.M[i] = M[i];
    }
}

// z := phi z
TABLE_DEVICE void carry_force(const double *R, const double *p, double *z)
{
    double n[3], f[3], x[3];
    turn(R, z, n);
    turn(R, z + 3, f);
    cross(p, f, x);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        z[i] = n[i] + x[i];
        z[3 + i] = f[i];
    }
}

// ---- steps at one body -------------------------------------------------------------------------

// R_p Rz(q)                                                                              (KIN-1)
TABLE_DEVICE void place(const frame &b, double s, double c, double *R)
{
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        R[3 * i] = b.R[3 * i] * c + b.R[3 * i + 1] * s;
        R[3 * i + 1] = b.R[3 * i + 1] * c - b.R[3 * i] * s;
        R[3 * i + 2] = b.R[3 * i + 2];
    }
}

// a = (w' x z v, w' x (w' x l)), w' of the parent in the axes of k                        (KIN-3)
TABLE_DEVICE void get_bias(const frame &b, const double *R, const double *w_p, double v, double *a)
{
    double x[3], y[3], w[3];
    cross(w_p, b.p, x);
    cross(w_p, x, y);
    turn_back(R, w_p, w);
    a[0] = w[1] * v;
    a[1] = -w[0] * v;
    a[2] = 0;
    turn_back(R, y, a + 3);
}

// z += (w x J w, w x (w x h))                                                             (KIN-5)
TABLE_DEVICE void add_gyroscopic(const frame &b, const double *w, double *z)
{
    double x[3], y[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        x[i] = b.J[at(i, 0)] * w[0] + b.J[at(i, 1)] * w[1] + b.J[at(i, 2)] * w[2];
    }
    cross(w, x, y);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        z[i] += y[i];
    }
    cross(w, b.h, x);
    cross(w, x, y);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        z[3 + i] += y[i];
    }
}

// Inertia and gyroscopic force of a body by itself
TABLE_DEVICE void add_own(const body &b, const double *w, inertia &P, double *z)
{
    const double *h = b.f.h;
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        P.J[i] += b.f.J[i];
    }
    P.H[1] -= h[2];
    P.H[2] += h[1];
    P.H[3] += h[2];
    P.H[5] -= h[0];
    P.H[6] -= h[1];
    P.H[7] += h[0];
    P.M[0] += b.m;
    P.M[3] += b.m;
    P.M[5] += b.m;
    add_gyroscopic(b.f, w, z);
}

// What a state has of one body
struct entries {
    double hinge_v, hinge_tau, q[ROOM], v[ROOM], tau[ROOM];
};

TABLE_DEVICE entries take_entries(const frame &b, const double *q, const double *v,
                                  const double *tau, long long n)
{
    entries x;
    x.hinge_v = v[b.hinge_v * n];
    x.hinge_tau = tau[b.hinge_v * n];
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
        x.q[r] = q[(b.q + r) * n];
        x.v[r] = v[(b.v + r) * n];
        x.tau[r] = tau[(b.v + r) * n];
    }
    return x;
}

#if MODES
// eps_r = tau - b_f - K eta - C eta_dot                                                   (FLX-10)
TABLE_DEVICE double get_modal_force(const modal &e, int r, const double *w, const entries &x)
{
    const double *S = e.S[r];
    double sum = x.tau[r] - w[0] * (S[0] * w[0] + 2 * (S[1] * w[1] + S[2] * w[2])) -
                 w[1] * (S[3] * w[1] + 2 * (S[4] * w[2])) - S[5] * w[2] * w[2];
#pragma unroll
    for (int s = 0; s < MODES; ++s) {
        sum -= e.K[low(r, s)] * x.q[s];
        sum -= e.C[low(r, s)] * x.v[s];
    }
    return sum;
}

// What the outward sweep needs of the modes of a body: six gains and nu of each
struct gains {
    double x[7 * MODES];
};

// Takes the modes out of a body. Gamma in P and z are what it carries; then P and z of the whole without modes.
//
//     Gamma Pi,  D_f = M_ff + Pi* Gamma Pi,  mu = M_rf + Gamma Pi                          (FLX-9)
//     D_f = L d L*,  g = mu D_f^-1,  P = M + Gamma - g mu*,  z + g eps             (ABA-5), (ABA-6)
TABLE_DEVICE void take_out_modes(const body &b, const double *w, const entries &in, inertia &P,
                                 double *z, gains &kept, int &singular, int &indefinite)
{
    double mu[MODES][6], D[PAIRS], eps[MODES], size[MODES];
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
        double F[6];
        multiply(P, b.Pi[r], F);
#pragma unroll
        for (int s = 0; s <= r; ++s) {
            double sum = b.M_ff[low(r, s)];
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                sum += b.Pi[s][i] * F[i];
            }
            D[low(r, s)] = sum;
        }
        size[r] = 1e-14 * D[low(r, r)];
        eps[r] = get_modal_force(b.e, r, w, in);
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            mu[r][i] = b.M_rf[r][i] + F[i];
            eps[r] -= b.Pi[r][i] * z[i];
        }
    }
    add_own(b, w, P, z);
    // pivot by pivot: mu := mu L*^-1, eps := L^-1 eps, L in the place of D
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
        const double pivot = D[low(r, r)], d = invert(pivot);
        singular |= (pivot < 0 ? -pivot : pivot) <= (size[r] < 0 ? -size[r] : size[r]);
        indefinite |= pivot < 0;
        double g[6];
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            g[i] = mu[r][i] * d;
            z[i] += g[i] * eps[r];
        }
        take_away(P, g, mu[r]);
#pragma unroll
        for (int s = r + 1; s < MODES; ++s) {
            const double u = D[low(s, r)], l = u * d;
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                mu[s][i] -= l * mu[r][i];
            }
            eps[s] -= l * eps[r];
            D[low(s, r)] = l;
#pragma unroll
            for (int t = r + 1; t <= s; ++t) {
                D[low(s, t)] -= u * D[low(t, r)];
            }
        }
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            mu[r][i] = g[i];
        }
        eps[r] *= d;
    }
    // gains of each mode by itself: L*^-1 from the left
#pragma unroll
    for (int r = MODES - 1; r >= 0; --r) {
#pragma unroll
        for (int s = r + 1; s < MODES; ++s) {
            const double l = D[low(s, r)];
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                mu[r][i] -= l * mu[s][i];
            }
            eps[r] -= l * eps[s];
        }
    }
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            kept.x[7 * r + i] = mu[r][i];
        }
        kept.x[7 * r + 6] = eps[r];
    }
}
#endif

// ---- one state ---------------------------------------------------------------------------------

// Columns of shared memory of a thread
#define TABLE_SINE(k) kept[(k)*TABLE_THREADS]
#define TABLE_COSINE(k) kept[(BODIES + (k)) * TABLE_THREADS]
#define TABLE_W(k, i) kept[(2 * BODIES + 3 * (k) + (i)) * TABLE_THREADS] // of bodies but the tip
#define TABLE_HINGE(k, i) kept[(2 * BODIES + 3 * TIP + 6 * (k) + (i)) * TABLE_THREADS]
#define TABLE_TIP(i)                                                                               \
    kept[(2 * BODIES + 9 * TIP + (i)) * TABLE_THREADS] // nu of the hinge, then of the modes
#define TABLE_MODES(k, i)                                                                          \
    kept[(2 * BODIES + 9 * TIP + 1 + MODES + 7 * MODES * ((k)-FIRST_SHARED) + (i)) * TABLE_THREADS]

// The hinge of a body, after its bias force: what is left of z, and nu. G is (x, y, 1, ...).
TABLE_DEVICE double pass_hinge(const double *G, double d, double tau, double *z)
{
    const double eps = tau - z[2];
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        z[i] = i == 2 ? tau : z[i] + G[i] * eps;
    }
    return eps * d;
}

// Rates of turning, base to tip: w = R* (w_p + Pi_w eta_dot_p) + z v                      (KIN-2)
TABLE_DEVICE void sweep_rates(const chain &c, const double *q, const double *v, long long n,
                              double *kept, double *w)
{
    w[0] = w[1] = w[2] = 0;
    double angle = q[c.bodies[0].f.hinge_q * n], rate = v[c.bodies[0].f.hinge_v * n];
#pragma unroll 1
    for (int k = 0; k < BODIES; ++k) {
        const frame &b = k < TIP ? c.bodies[k].f : c.last.f;
        double R[9], x[3] = {w[0], w[1], w[2]}, s, co;
        sincos(angle, &s, &co);
        TABLE_SINE(k) = s;
        TABLE_COSINE(k) = co;
        place(b, s, co, R);
#if MODES
        if (k) {
            const body &p = c.bodies[k - 1];
#pragma unroll
            for (int r = 0; r < MODES; ++r) {
                const double eta_dot = v[(p.f.v + r) * n];
#pragma unroll
                for (int i = 0; i < 3; ++i) {
                    x[i] += p.Pi[r][i] * eta_dot;
                }
            }
        }
#endif
        turn_back(R, x, w);
        w[2] += rate;
        if (k < TIP) { // fetched before they are needed
            const frame &next = k + 1 < TIP ? c.bodies[k + 1].f : c.last.f;
            angle = q[next.hinge_q * n];
            rate = v[next.hinge_v * n];
#pragma unroll
            for (int i = 0; i < 3; ++i) {
                TABLE_W(k, i) = w[i];
            }
        }
    }
}

// The inward step of the tip, whose inertia is in the table. Gamma and z are what its parent carries then.
TABLE_DEVICE void pass_tip(const tip &b, const double *w, const entries &in, double *kept,
                           inertia &Gamma, double *z)
{
    double R[9], w_p[3], a[6], f[6];
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        z[i] = 0;
    }
    add_gyroscopic(b.f, w, z);
#if MODES
    double eps[MODES];
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
        eps[r] = get_modal_force(b.e, r, w, in);
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            z[i] += b.g[r][i] * eps[r];
        }
    }
#pragma unroll
    for (int r = 0; r < MODES; ++r) {
        double nu = 0;
#pragma unroll
        for (int s = 0; s < MODES; ++s) {
            nu += b.D_inverse[low(r, s)] * eps[s];
        }
        TABLE_TIP(1 + r) = nu;
    }
#endif
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        w_p[i] = TABLE_W(TIP - 1, i);
    }
    place(b.f, TABLE_SINE(TIP), TABLE_COSINE(TIP), R);
    get_bias(b.f, R, w_p, in.hinge_v, a);
    multiply(b.P, a, f);
#pragma unroll
    for (int i = 0; i < 6; ++i) {
        z[i] += f[i];
    }
    TABLE_TIP(0) = pass_hinge(b.G, b.d, in.hinge_tau, z);
    carry(R, b.f.p, b.P_plus, Gamma);
    carry_force(R, b.f.p, z);
}

// Forward dynamics of one state: 0; 1 where an inertia is indefinite, -4 where one is singular, -10 where a number is
// not finite.
//
// @param n     from one entry of a state to the next
// @param kept  a column of shared memory
TABLE_DEVICE int compute(const chain &c, const double *q, const double *v, const double *tau,
                         double *out, long long n, double *kept)
{
    int singular = 0, indefinite = 0;
    double w[3], z[6];
    inertia P;
#if MODES
    gains local[FIRST_SHARED ? FIRST_SHARED : 1];
#endif
    sweep_rates(c, q, v, n, kept, w);

    // tip to base                                                                          (ABA-2)
    entries next = take_entries(c.last.f, q, v, tau, n);
    {
        const entries in = next;
        next = take_entries(c.bodies[TIP - 1].f, q, v, tau, n);
        pass_tip(c.last, w, in, kept, P, z);
    }
#pragma unroll 1
    for (int k = TIP - 1; k >= 0; --k) {
        const body &b = c.bodies[k];
        const entries in = next;
        double R[9], w_p[3], a[6], f[6], G[6];
        if (k) { // fetched before they are needed
            next = take_entries(c.bodies[k - 1].f, q, v, tau, n);
        }
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            w[i] = TABLE_W(k, i);
            w_p[i] = k ? TABLE_W(k - 1, i) : 0;
        }
#if MODES
        gains g;
        take_out_modes(b, w, in, P, z, g, singular, indefinite);
        if (k < FIRST_SHARED) {
            local[k] = g;
        } else {
#pragma unroll
            for (int i = 0; i < 7 * MODES; ++i) {
                TABLE_MODES(k, i) = g.x[i];
            }
        }
#else
        add_own(b, w, P, z);
#endif
        place(b.f, TABLE_SINE(k), TABLE_COSINE(k), R);
        get_bias(b.f, R, w_p, in.hinge_v, a);
        multiply(P, a, f);
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            z[i] += f[i];
        }
        // D = J_zz, G = P z / D
        const double D = P.J[5], d = invert(D), all = 1e-14 * (P.J[0] + P.J[3] + D);
        const double U[6] = {P.J[2], P.J[4], D, P.H[6], P.H[7], P.H[8]};
        singular |= (D < 0 ? -D : D) <= (all < 0 ? -all : all);
        indefinite |= D < 0;
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            G[i] = i == 2 ? 1 : U[i] * d;
        }
        const double nu = pass_hinge(G, d, in.hinge_tau, z);
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            TABLE_HINGE(k, i) = i == 2 ? nu : G[i];
        }
        if (k) { // the ground needs nothing
            take_away(P, G, U);
            carry(R, b.f.p, P, P);
            carry_force(R, b.f.p, z);
        }
    }

    // base to tip                                                                  (ABA-3), (ABA-7)
    double alpha[6] = {0, 0, 0, -c.gravity[0], -c.gravity[1], -c.gravity[2]}, check = 0;
#pragma unroll 1
    for (int k = 0; k < BODIES; ++k) {
        const frame &b = k < TIP ? c.bodies[k].f : c.last.f;
        double R[9], w_p[3], a[6], x[3], carried[6], G[6];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            w_p[i] = k ? TABLE_W(k - 1, i) : 0;
        }
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            G[i] = k < TIP ? TABLE_HINGE(k, i) : i == 2 ? TABLE_TIP(0) : c.last.G[i];
        }
#if MODES
        gains g;
        if (k < FIRST_SHARED) {
            g = local[k];
        } else if (k < TIP) {
#pragma unroll
            for (int i = 0; i < 7 * MODES; ++i) {
                g.x[i] = TABLE_MODES(k, i);
            }
        } else {
#pragma unroll
            for (int r = 0; r < MODES; ++r) {
#pragma unroll
                for (int i = 0; i < 6; ++i) {
                    g.x[7 * r + i] = c.last.g[r][i];
                }
                g.x[7 * r + 6] = TABLE_TIP(1 + r);
            }
        }
#endif
        place(b, TABLE_SINE(k), TABLE_COSINE(k), R);
        get_bias(b, R, w_p, v[b.hinge_v * n], a);
        cross(alpha, b.p, x);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            x[i] += alpha[3 + i];
        }
        turn_back(R, alpha, carried);
        turn_back(R, x, carried + 3);
        const double rate = G[2] - carried[2] - (G[0] * carried[0] + G[1] * carried[1]) -
                            (G[3] * carried[3] + G[4] * carried[4] + G[5] * carried[5]);
        out[b.hinge_v * n] = rate;
        check += 0 * rate; // NaN if it is not finite
#pragma unroll
        for (int i = 0; i < 6; ++i) {
            alpha[i] = carried[i] + (i == 2 ? rate : a[i]);
        }
#if MODES
        double eta[MODES];
#pragma unroll
        for (int r = 0; r < MODES; ++r) {
            eta[r] = g.x[7 * r + 6];
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                eta[r] -= g.x[7 * r + i] * alpha[i];
            }
            out[(b.v + r) * n] = eta[r];
            check += 0 * eta[r];
        }
        if (k < TIP) {
#pragma unroll
            for (int r = 0; r < MODES; ++r) {
#pragma unroll
                for (int i = 0; i < 6; ++i) {
                    alpha[i] += c.bodies[k].Pi[r][i] * eta[r];
                }
            }
        }
#endif
    }
    return singular ? -4 : check != check ? -10 : indefinite; // NaN is not singular
}

// ---- many states -------------------------------------------------------------------------------

#ifdef __CUDACC__
static __constant__ unsigned long long table[NUMBERS] = {TABLE};

// The first state with each kind of trouble, in the order of lb_get_cuda_failure
static __device__ __noinline__ void report(int status, long long state, unsigned long long *trouble)
{
    atomicMin(trouble + (status == -4 ? 0 : status == -10 ? 1 : 4), (unsigned long long)state);
}

static __device__ __noinline__ void spoil(double *out, long long n)
{
    for (int i = 0; i < BODIES * (MODES + 1); ++i) {
        out[i * n] = __longlong_as_double(0x7ff8000000000000ll);
    }
}
#endif

} // namespace lb_table

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(TABLE_THREADS, 2)
    model_forward_kernel(long long count, const double *__restrict__ q,
                         const double *__restrict__ v, const double *__restrict__ tau,
                         double *__restrict__ a, unsigned long long *trouble)
{
    extern __shared__ unsigned long long lb_table_shared[];
    const long long i = (long long)blockIdx.x * TABLE_THREADS + threadIdx.x;
    // the table first, then what threads keep
    for (int k = threadIdx.x; k < NUMBERS; k += TABLE_THREADS) {
        lb_table_shared[k] = lb_table::table[k];
    }
    __syncthreads();
    if (i >= count) {
        return;
    }
    double *kept =
        (double *)lb_table_shared + (NUMBERS + TABLE_THREADS - 1) / TABLE_THREADS * TABLE_THREADS;
    const int status = lb_table::compute(*(const lb_table::chain *)lb_table_shared, q + i, v + i,
                                         tau + i, a + i, count, kept + threadIdx.x);
    if (status) {
        lb_table::report(status, i, trouble);
    }
    if (status < 0) {
        lb_table::spoil(a + i, count);
    }
}
#endif

#endif // LB_TABLE_KERNEL_H
