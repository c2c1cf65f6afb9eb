// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Pinocchio.
//
//     peer_pinocchio TREE
//
// Its composite-body algorithm fills the upper triangle of the mass matrix, and there the call `mass`
// ends.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "peer.h"

namespace pin = pinocchio;

namespace
{

struct Self {
    const lb_tree *tree;
    pin::Model model;
    std::unique_ptr<pin::Data> data;
    Eigen::VectorXd q, v, tau, a;
};

Eigen::Vector3d vec3(const double *x)
{
    return Eigen::Vector3d(x[0], x[1], x[2]);
}

// Hinges about the axes of their frames are types of their own, as its reader of URDF has them.
pin::JointModel makeJoint(const lb_tree_body &b)
{
    const Eigen::Vector3d axis = vec3(b.axis);
    const bool turns = b.hinge == LB_TREE_REVOLUTE;
    if (b.hinge == LB_TREE_FREE) {
        return pin::JointModelFreeFlyer();
    }
    if (axis == Eigen::Vector3d::UnitX()) {
        return turns ? pin::JointModel(pin::JointModelRX()) : pin::JointModel(pin::JointModelPX());
    }
    if (axis == Eigen::Vector3d::UnitY()) {
        return turns ? pin::JointModel(pin::JointModelRY()) : pin::JointModel(pin::JointModelPY());
    }
    if (axis == Eigen::Vector3d::UnitZ()) {
        return turns ? pin::JointModel(pin::JointModelRZ()) : pin::JointModel(pin::JointModelPZ());
    }
    return turns ? pin::JointModel(pin::JointModelRevoluteUnaligned(axis))
                 : pin::JointModel(pin::JointModelPrismaticUnaligned(axis));
}

void addBodies(Self &s)
{
    std::vector<pin::JointIndex> ids;
    for (int k = 0; k < s.tree->body_count; ++k) {
        const lb_tree_body &b = s.tree->bodies[k];
        const double *J = b.inertia, *r = b.rotation;
        Eigen::Matrix3d inertia;
        inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
        const pin::SE3 X(Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix(),
                         vec3(b.position));
        const pin::JointIndex parent = b.parent < 0 ? 0 : ids[std::size_t(b.parent)];
        const pin::JointIndex id =
            s.model.addJoint(parent, makeJoint(b), X, "j" + std::to_string(k));
        s.model.appendBodyToJoint(id, pin::Inertia(b.mass, vec3(b.com), inertia),
                                  pin::SE3::Identity());
        ids.push_back(id);
    }
}

// The free hinge: position, then a quaternion x y z w; speeds in the body as Limber's, linear first.
Eigen::VectorXd convertQ(const lb_tree *tree)
{
    Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(tree->q, tree->q_count);
    if (lb_tree_floats(tree)) {
        const double *r = tree->q;
        q.head<7>() << r[4], r[5], r[6], r[1], r[2], r[3], r[0];
    }
    return q;
}

Eigen::VectorXd swapHalves(const lb_tree *tree, Eigen::VectorXd x)
{
    for (int i = 0; lb_tree_floats(tree) && i < 3; ++i) {
        std::swap(x[i], x[3 + i]);
    }
    return x;
}

Eigen::VectorXd convert(const lb_tree *tree, const double *x)
{
    return swapHalves(tree, Eigen::Map<const Eigen::VectorXd>(x, tree->v_count));
}

void runForward(void *self)
{
    Self &s = *static_cast<Self *>(self);
    pin::aba(s.model, *s.data, s.q, s.v, s.tau);
}

void runInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    pin::rnea(s.model, *s.data, s.q, s.v, s.a);
}

void runMass(void *self)
{
    Self &s = *static_cast<Self *>(self);
    pin::crba(s.model, *s.data, s.q);
}

void getAnswer(void *self, lb_call call, double *answer)
{
    Self &s = *static_cast<Self *>(self);
    const Eigen::VectorXd x =
        call == LB_CALL_FORWARD ? s.data->ddq
        : call == LB_CALL_INVERSE
            ? s.data->tau
            : Eigen::VectorXd(s.data->M.selfadjointView<Eigen::Upper>() * s.a);
    Eigen::Map<Eigen::VectorXd>(answer, s.tree->v_count) = swapHalves(s.tree, x);
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: peer_pinocchio TREE\n", stderr);
        return 2;
    }
    lb_tree *tree = lb_read_tree(argv[1]);
    const int n = tree->v_count;
    // its data hold tensors of n^3 numbers for second derivatives, used or not
    const int sizeMax = 300;
    if (n > sizeMax) {
        std::fputs("pinocchio: its data, which all of it needs, would take gigabytes\n", stderr);
        return 77;
    }
    Self s;
    s.tree = tree;
    s.model.gravity.linear(vec3(tree->gravity));
    addBodies(s);
    if (s.model.nv != n) {
        std::fputs("pinocchio: not the same tree\n", stderr);
        return 1;
    }
    s.data = std::make_unique<pin::Data>(s.model);
    s.q = convertQ(tree);
    s.v = convert(tree, tree->v);
    s.tau = convert(tree, tree->tau);
    s.a = convert(tree, tree->a);
    const lb_peer peer = {
        "Pinocchio", PINOCCHIO_VERSION, &s, {runForward, runInverse, runMass}, getAnswer};
    const int code = lb_serve_peer(&peer, n);
    lb_destroy_tree_data(tree);
    return code;
} catch (const std::exception &e) {
    std::fprintf(stderr, "pinocchio: %s\n", e.what());
    return 1;
}
