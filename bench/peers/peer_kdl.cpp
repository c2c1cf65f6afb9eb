// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// KDL: all three calls for a chain, inverse dynamics only for a tree, no floating base.
//
//     peer_kdl TREE
#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include "peer.h"

namespace
{

struct Self {
    const lb_tree *tree;
    KDL::Tree kdl{"ground"};
    KDL::Chain chain;
    std::unique_ptr<KDL::ChainFdSolver_RNE> forward;
    std::unique_ptr<KDL::ChainIdSolver_RNE> inverse;
    std::unique_ptr<KDL::TreeIdSolver_RNE> treeInverse;
    std::unique_ptr<KDL::ChainDynParam> mass;
    KDL::JntArray q, v, tau, a, x;
    KDL::Wrenches none;
    KDL::WrenchMap noneOfTree;
    KDL::JntSpaceInertiaMatrix M;
};

KDL::Vector vec3(const double *x)
{
    return KDL::Vector(x[0], x[1], x[2]);
}

bool isChain(const lb_tree *tree)
{
    for (int k = 0; k < tree->body_count; ++k) {
        if (tree->bodies[k].parent != k - 1) {
            return false;
        }
    }
    return true;
}

KDL::Segment makeSegment(const lb_tree_body &b, int k)
{
    const double *J = b.inertia, *r = b.rotation;
    const KDL::Frame X(KDL::Rotation::Quaternion(r[1], r[2], r[3], r[0]), vec3(b.position));
    const std::string name = "b" + std::to_string(k);
    // the axis is given where the parent ends, and in its axes
    const KDL::Joint joint("j" + name, X.p, X.M * vec3(b.axis),
                           b.hinge == LB_TREE_REVOLUTE ? KDL::Joint::RotAxis
                                                       : KDL::Joint::TransAxis);
    const KDL::RotationalInertia central(J[0], J[1], J[2], J[3], J[4], J[5]);
    return KDL::Segment(name, joint, X, KDL::RigidBodyInertia(b.mass, vec3(b.com), central));
}

void check(int status)
{
    if (status < 0) {
        std::fprintf(stderr, "kdl: error %d\n", status);
        std::exit(1);
    }
}

void runForward(void *self)
{
    Self &s = *static_cast<Self *>(self);
    check(s.forward->CartToJnt(s.q, s.v, s.tau, s.none, s.x));
}

void runInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    check(s.inverse->CartToJnt(s.q, s.v, s.a, s.none, s.x));
}

void runTreeInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    check(s.treeInverse->CartToJnt(s.q, s.v, s.a, s.noneOfTree, s.x));
}

void runMass(void *self)
{
    Self &s = *static_cast<Self *>(self);
    check(s.mass->JntToMass(s.q, s.M));
}

void getAnswer(void *self, lb_call call, double *answer)
{
    const Self &s = *static_cast<Self *>(self);
    const Eigen::VectorXd x =
        call == LB_CALL_MASS ? Eigen::VectorXd(s.M.data * s.a.data) : s.x.data;
    Eigen::Map<Eigen::VectorXd>(answer, s.tree->v_count) = x;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: peer_kdl TREE\n", stderr);
        return 2;
    }
    lb_tree *tree = lb_read_tree(argv[1]);
    const int n = tree->v_count;
    const unsigned int joints = static_cast<unsigned int>(n);
    if (lb_tree_floats(tree)) {
        std::fputs("kdl: has no floating base\n", stderr);
        return 77;
    }
    Self s;
    s.tree = tree;
    const bool chain = isChain(tree);
    for (int k = 0; k < tree->body_count; ++k) {
        const int p = tree->bodies[k].parent;
        if (chain) {
            s.chain.addSegment(makeSegment(tree->bodies[k], k));
        } else {
            s.kdl.addSegment(makeSegment(tree->bodies[k], k),
                             p < 0 ? "ground" : "b" + std::to_string(p));
        }
    }
    const KDL::Vector gravity = vec3(tree->gravity);
    for (KDL::JntArray *array : {&s.q, &s.v, &s.tau, &s.a, &s.x}) {
        array->resize(joints);
    }
    for (int i = 0; i < n; ++i) {
        s.q.data[i] = tree->q[i];
        s.v.data[i] = tree->v[i];
        s.tau.data[i] = tree->tau[i];
        s.a.data[i] = tree->a[i];
    }
    lb_peer peer = {"KDL", "1.5", &s, {nullptr, runTreeInverse, nullptr}, getAnswer};
    if (chain) {
        s.none.resize(s.chain.getNrOfSegments(), KDL::Wrench::Zero());
        s.M.resize(joints);
        s.forward = std::make_unique<KDL::ChainFdSolver_RNE>(s.chain, gravity);
        s.inverse = std::make_unique<KDL::ChainIdSolver_RNE>(s.chain, gravity);
        s.mass = std::make_unique<KDL::ChainDynParam>(s.chain, gravity);
        peer.run[LB_CALL_FORWARD] = runForward;
        peer.run[LB_CALL_INVERSE] = runInverse;
        peer.run[LB_CALL_MASS] = runMass;
    } else {
        s.treeInverse = std::make_unique<KDL::TreeIdSolver_RNE>(s.kdl, gravity);
    }
    const int code = lb_serve_peer(&peer, n);
    lb_destroy_tree_data(tree);
    return code;
} catch (const std::exception &e) {
    std::fprintf(stderr, "kdl: %s\n", e.what());
    return 1;
}
