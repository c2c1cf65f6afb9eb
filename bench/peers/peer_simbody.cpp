// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Simbody.
//
//     peer_simbody TREE
#include <Simbody.h>

#include <cstdio>
#include <vector>

#include "peer.h"

using namespace SimTK;

namespace
{

struct Self {
    const lb_tree *tree;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    Force::Gravity gravity;
    Force::DiscreteForces drive;
    State state;
    Vector q, u, tau, udot, x;
    Matrix M;

    explicit Self(const lb_tree *t)
        : tree(t), matter(system), forces(system),
          gravity(forces, matter, Vec3(t->gravity[0], t->gravity[1], t->gravity[2])),
          drive(forces, matter)
    {
    }
};

Vec3 vec3(const double *x)
{
    return Vec3(x[0], x[1], x[2]);
}

void addBodies(Self &s)
{
    std::vector<MobilizedBodyIndex> bodies;
    for (int k = 0; k < s.tree->body_count; ++k) {
        const lb_tree_body &b = s.tree->bodies[k];
        const double *J = b.inertia, *r = b.rotation;
        const Inertia central(J[0], J[1], J[2], J[3], J[4], J[5]);
        const Body::Rigid body(
            MassProperties(b.mass, vec3(b.com), central.shiftFromMassCenter(vec3(b.com), b.mass)));
        const Rotation R_PB(Quaternion(r[0], r[1], r[2], r[3]));
        MobilizedBody &parent = s.matter.updMobilizedBody(
            b.parent < 0 ? MobilizedBodyIndex(GroundIndex) : bodies[size_t(b.parent)]);
        if (b.hinge == LB_TREE_FREE) {
            const MobilizedBody::Free hinge(parent, Transform(R_PB, vec3(b.position)), body,
                                            Transform());
            bodies.push_back(hinge.getMobilizedBodyIndex());
        } else {
            // a pin turns about z, a slider moves along x
            const bool pin = b.hinge == LB_TREE_REVOLUTE;
            const Rotation R_BM(UnitVec3(vec3(b.axis)),
                                pin ? CoordinateAxis(ZAxis) : CoordinateAxis(XAxis));
            const Transform X_PF(R_PB * R_BM, vec3(b.position)), X_BM(R_BM);
            if (pin) {
                const MobilizedBody::Pin hinge(parent, X_PF, body, X_BM);
                bodies.push_back(hinge.getMobilizedBodyIndex());
            } else {
                const MobilizedBody::Slider hinge(parent, X_PF, body, X_BM);
                bodies.push_back(hinge.getMobilizedBodyIndex());
            }
        }
    }
}

// The free hinge: both halves in the parent's axes, angular first.
Vector convert(const lb_tree *tree, lb_free_kind kind, const double *x)
{
    std::vector<double> r(x, x + tree->v_count);
    lb_free_to_world(tree, kind, r.data());
    if (lb_tree_floats(tree)) {
        double R[9];
        lb_get_free_rotation(tree, R);
        for (int i = 0; i < 3; ++i) {
            r[size_t(i)] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
        }
    }
    return Vector(tree->v_count, r.data());
}

void convertBack(const lb_tree *tree, lb_free_kind kind, const Vector &x, double *answer)
{
    for (int i = 0; i < tree->v_count; ++i) {
        answer[i] = x[i];
    }
    lb_free_from_world(tree, kind, answer);
    if (lb_tree_floats(tree)) {
        double R[9];
        lb_get_free_rotation(tree, R);
        for (int i = 0; i < 3; ++i) {
            answer[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
        }
    }
}

void runForward(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.state.updQ() = s.q;
    s.state.updU() = s.u;
    s.drive.setAllMobilityForces(s.state, s.tau);
    s.system.realize(s.state, Stage::Acceleration);
    s.x = s.state.getUDot();
}

void runInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.state.updQ() = s.q;
    s.state.updU() = s.u;
    s.system.realize(s.state, Stage::Velocity);
    s.matter.calcResidualForceIgnoringConstraints(s.state, Vector(),
                                                  s.gravity.getBodyForces(s.state), s.udot, s.x);
}

void runMass(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.state.updQ() = s.q;
    s.system.realize(s.state, Stage::Position);
    s.matter.calcM(s.state, s.M);
}

void getAnswer(void *self, lb_call call, double *answer)
{
    const Self &s = *static_cast<Self *>(self);
    if (call == LB_CALL_MASS) {
        const Vector y = s.M * convert(s.tree, LB_FREE_SPEED, s.tree->a);
        convertBack(s.tree, LB_FREE_FORCE, y, answer);
    } else {
        convertBack(s.tree, call == LB_CALL_FORWARD ? LB_FREE_ACCELERATION : LB_FREE_FORCE, s.x,
                    answer);
    }
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: peer_simbody TREE\n", stderr);
        return 2;
    }
    // above this a dense matrix is not what the model is for
    const int matrixMax = 2000;
    lb_tree *tree = lb_read_tree(argv[1]);
    Self s(tree);
    addBodies(s);
    s.state = s.system.realizeTopology();
    s.system.realizeModel(s.state);
    s.q = s.state.getQ();
    for (int i = 0; i < tree->q_count; ++i) {
        s.q[i] = tree->q[i];
    }
    s.u = convert(tree, LB_FREE_SPEED, tree->v);
    s.tau = convert(tree, LB_FREE_FORCE, tree->tau);
    s.udot = convert(tree, LB_FREE_ACCELERATION, tree->a);
    int major, minor, patch;
    SimTK_version_simbody(&major, &minor, &patch);
    char setting[64];
    std::snprintf(setting, sizeof setting, "%d.%d.%d", major, minor, patch);
    const lb_peer peer = {"Simbody",
                          setting,
                          &s,
                          {runForward, runInverse, tree->v_count <= matrixMax ? runMass : nullptr},
                          getAnswer};
    const int code = lb_serve_peer(&peer, tree->v_count);
    lb_destroy_tree_data(tree);
    return code;
} catch (const std::exception &e) {
    std::fprintf(stderr, "simbody: %s\n", e.what());
    return 1;
}
