// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies of fidelity `appendix-c` in motion: the modal integrals of modal_integrals.h,
// contracted as far as they can be before eta, eta_dot and omega are known.
//
// M_m has the form of the polynomials (FLX-3), so that those of lb_flex hold it; only the bias has
// terms of its own.
#ifndef LB_APPENDIX_C_H
#define LB_APPENDIX_C_H

#include "base/hot.h"
#include "flex_draft.h"

/// The integrals grow with the cube of the modes: beyond this a body needs hundreds of megabytes.
enum { LB_APPENDIX_C_MODES = 200 };

/// What the bias needs. Pairs are r <= s in packed order; both orders of a pair are summed.
struct lb_appendix_c {
    const lb_mat3 *Z1; ///< (r) S1(r) + J1(r)
    const lb_mat3 *Z2; ///< (r,s) S2(r,s) + J2(r,s)
    const lb_vec3 *Q;  ///< (r,s)
    const lb_vec3 *C;  ///< (r) R1(r) + x(r), x(r)~ = 2 S1(r)' - K1(r)
    const lb_vec6 *RL; ///< by pair: R2, m L
    const double *T3;  ///< by pair (q,s), then by mode r; NULL if all are zero
    const lb_vec3 *R3; ///< by pair (r,s), then by mode q; NULL if all are zero
};

/// Fills mass, polynomials and `appendix_c` of a body; X as in lb_build_flex.
lb_status lb_build_appendix_c(lb_flex *flex, const lb_flex_draft *draft, const lb_pose *X,
                              lb_arena *arena);

/// The bias, into w->b_f and w->b_r. Needs M_m in w.
LB_HOT void lb_compute_appendix_c_bias(const lb_flex *flex, lb_vec3 omega, lb_flex_work *w);

#endif // LB_APPENDIX_C_H
