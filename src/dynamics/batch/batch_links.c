// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames in which the poses behind simple hinges are short products                      (CRB-4)
#include "batch_work.h"

// X = Rz Tz Rest, where the third axis of Rest has no x and its place no z.
static lb_screw split_screw(const lb_pose *X)
{
    const double x = X->R.m[0][2], y = X->R.m[1][2], sine = hypot(x, y);
    lb_screw screw = {1.0, 0.0, X->p.z};
    if (sine > 0.0) {
        screw.c = -y / sine;
        screw.s = x / sine;
    }
    return screw;
}

static lb_screw invert_screw(lb_screw screw)
{
    return (lb_screw){screw.c, -screw.s, -screw.l};
}

static lb_pose apply_screw(const lb_screw *screw, const lb_pose *X)
{
    const lb_pose Z = {{{{screw->c, -screw->s, 0.0}, {screw->s, screw->c, 0.0}, {0.0, 0.0, 1.0}}},
                       {0.0, 0.0, screw->l}};
    return lb_pose_mul(&Z, X);
}

// Where the frame of a body behind a hinge is at angle zero, seen from the parent: shifted along the
// axis, whatever the angle.
static lb_pose place_frame(const lb_body *b, const lb_screw *own)
{
    lb_pose X = b->X_p;
    const lb_vec3 axis = {X.R.m[0][2], X.R.m[1][2], X.R.m[2][2]};
    X.p = lb_vec3_axpy(X.p, own->l, axis);
    return X;
}

static lb_lane_moments spread_moments(const lb_body *b)
{
    const double *S = b->second + 1;
    return (lb_lane_moments){lb_lane_vec3_spread(b->M.h),
                             lb_lane_sym3_spread((lb_sym3){S[0], S[4], S[8], S[1], S[2], S[5]})};
}

// Shifts along axes that are nearly parallel add up from hinge to hinge. Beyond a few times the longest
// way between two hinges they would cost digits.
static double get_longest_shift(const lb_model *model)
{
    double longest = 0.0;
    for (int k = 0; k < model->body_count; ++k) {
        longest = fmax(longest, lb_vec3_norm(model->bodies[k].X_p.p));
    }
    return 4.0 * longest;
}

// The frame of a body is turned and shifted to suit one simple child. Others have a screw left.
void lb_make_links(const lb_model *model, lb_lane_link *links)
{
    const lb_screw none = {1.0, 0.0, 0.0};
    const double longest = get_longest_shift(model);
    for (int k = 0; k < model->body_count; ++k) {
        links[k].screw = none; // for now, that from the new frame of k to its old one
        links[k].aside = -1;   // for now, the child that it suits
        links[k].m = 0.0;
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        if (!b->simple || b->parent < 0 || !model->bodies[b->parent].simple ||
            links[b->parent].aside >= 0) {
            continue;
        }
        const lb_pose X = place_frame(b, &links[k].screw);
        const lb_screw screw = split_screw(&X);
        if (fabs(screw.l) <= longest) {
            links[b->parent].aside = k;
            links[b->parent].screw = screw;
        }
    }
    for (int k = model->body_count - 1; k >= 0; --k) {
        const lb_body *b = &model->bodies[k];
        lb_lane_link *link = &links[k];
        // a parent comes later in this order: its screw is still that of its frame
        const lb_screw own = link->screw, parent = b->parent >= 0 ? links[b->parent].screw : none;
        const int suits = b->parent >= 0 && links[b->parent].aside == k;
        const lb_screw back = invert_screw(own), to_parent = invert_screw(parent);
        const lb_lane_moments moments = spread_moments(b);
        link->own = lb_lane_screw_moments(&back, b->M.m, moments);
        link->m += b->M.m;
        if (b->parent >= 0) {
            links[b->parent].m += link->m;
        }
        link->screw = to_parent;
        link->aside = to_parent.s != 0.0 || to_parent.c != 1.0 || to_parent.l != 0.0;
        if (!b->simple) {
            continue;
        }
        const lb_pose place = place_frame(b, &own);
        lb_pose X = apply_screw(&to_parent, &place);
        link->screw = none;
        link->aside = !suits && b->parent >= 0;
        if (link->aside) {
            link->screw = split_screw(&X);
            const lb_screw rest = invert_screw(link->screw);
            X = apply_screw(&rest, &X);
        }
        link->x = X.p.x;
        link->y = X.p.y;
        const double c = X.R.m[2][2], s = -X.R.m[1][2], length = hypot(c, s);
        link->c = c / length;
        link->s = s / length;
        // X.R = Rx Rz(psi), and the frame behind the hinge is turned as well
        const double cosine = X.R.m[0][0], sine = -X.R.m[0][1], size = hypot(cosine, sine);
        link->c0 = (cosine * own.c - sine * own.s) / size;
        link->s0 = (sine * own.c + cosine * own.s) / size;
    }
}
