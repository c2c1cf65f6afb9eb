// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// DART.
//
//     peer_dart TREE
#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <cstdio>
#include <exception>
#include <string>

#include "peer.h"

using namespace dart::dynamics;

namespace
{

struct Self {
    const lb_tree *tree;
    SkeletonPtr skeleton;
    Eigen::VectorXd q, otherQ, v, tau, a, x;
    Eigen::MatrixXd M;
    bool other = true;

    // The engine keeps what it has computed as long as the same numbers are set, so that a repeated
    // call would do nothing: every call starts from another state than the last.
    void setState()
    {
        other = !other;
        skeleton->setPositions(other ? otherQ : q);
    }
};

Eigen::Vector3d vec3(const double *x)
{
    return Eigen::Vector3d(x[0], x[1], x[2]);
}

template <class JointType>
BodyNode *addBody(Self &s, BodyNode *parent, const Eigen::Isometry3d &X,
                  typename JointType::Properties joint, const BodyNode::Properties &body)
{
    joint.mName = "j" + body.mName;
    joint.mT_ParentBodyToJoint = X;
    return s.skeleton->createJointAndBodyNodePair<JointType>(parent, joint, body).second;
}

void addBodies(Self &s)
{
    for (int k = 0; k < s.tree->body_count; ++k) {
        const lb_tree_body &b = s.tree->bodies[k];
        const double *J = b.inertia, *r = b.rotation;
        BodyNode *parent = b.parent < 0 ? nullptr : s.skeleton->getBodyNode(std::size_t(b.parent));
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() = Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix();
        X.translation() = vec3(b.position);
        // names of its own, or the engine makes some up, slowly, and says so
        BodyNode::Properties body;
        body.mName = "b" + std::to_string(k);
        BodyNode *node;
        if (b.hinge == LB_TREE_FREE) {
            node = addBody<FreeJoint>(s, parent, X, FreeJoint::Properties(), body);
        } else if (b.hinge == LB_TREE_REVOLUTE) {
            RevoluteJoint::Properties joint;
            joint.mAxis = vec3(b.axis);
            node = addBody<RevoluteJoint>(s, parent, X, joint, body);
        } else {
            PrismaticJoint::Properties joint;
            joint.mAxis = vec3(b.axis);
            node = addBody<PrismaticJoint>(s, parent, X, joint, body);
        }
        Inertia inertia(b.mass, vec3(b.com));
        inertia.setMoment(J[0], J[1], J[2], J[3], J[4], J[5]);
        node->setInertia(inertia);
    }
}

// The free hinge: a rotation vector, then the position; speeds as Limber's.
Eigen::VectorXd convertQ(const lb_tree *tree)
{
    Eigen::VectorXd q(tree->v_count);
    if (lb_tree_floats(tree)) {
        const double *r = tree->q;
        Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
        X.linear() = Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix();
        X.translation() = vec3(r + 4);
        q.head<6>() = FreeJoint::convertToPositions(X);
    }
    const int first = lb_tree_floats(tree) ? 1 : 0;
    for (int k = first; k < tree->body_count; ++k) {
        q[tree->bodies[k].v] = tree->q[tree->bodies[k].q];
    }
    return q;
}

void runForward(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.setState();
    s.skeleton->setVelocities(s.v);
    s.skeleton->setForces(s.tau);
    s.skeleton->computeForwardDynamics();
    s.x = s.skeleton->getAccelerations();
}

void runInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.setState();
    s.skeleton->setVelocities(s.v);
    s.skeleton->setAccelerations(s.a);
    s.skeleton->computeInverseDynamics();
    s.x = s.skeleton->getForces();
}

void runMass(void *self)
{
    Self &s = *static_cast<Self *>(self);
    s.setState();
    s.M = s.skeleton->getMassMatrix();
}

void getAnswer(void *self, lb_call call, double *answer)
{
    Self &s = *static_cast<Self *>(self);
    void (*const run[])(void *) = {runForward, runInverse, runMass};
    if (s.other) {
        run[call](self);
    }
    const Eigen::VectorXd x = call == LB_CALL_MASS ? Eigen::VectorXd(s.M * s.a) : s.x;
    Eigen::Map<Eigen::VectorXd>(answer, s.tree->v_count) = x;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: peer_dart TREE\n", stderr);
        return 2;
    }
    // above this a dense matrix is not what the model is for
    const int matrixMax = 2000;
    lb_tree *tree = lb_read_tree(argv[1]);
    const int n = tree->v_count;
    Self s;
    s.tree = tree;
    s.skeleton = Skeleton::create();
    s.skeleton->setGravity(vec3(tree->gravity));
    addBodies(s);
    if (int(s.skeleton->getNumDofs()) != n) {
        std::fputs("dart: not the same tree\n", stderr);
        return 1;
    }
    s.q = convertQ(tree);
    s.otherQ = -s.q;
    s.v = Eigen::Map<Eigen::VectorXd>(tree->v, n);
    s.tau = Eigen::Map<Eigen::VectorXd>(tree->tau, n);
    s.a = Eigen::Map<Eigen::VectorXd>(tree->a, n);
    const lb_peer peer = {"DART",
                          DART_VERSION,
                          &s,
                          {runForward, runInverse, n <= matrixMax ? runMass : nullptr},
                          getAnswer};
    const int code = lb_serve_peer(&peer, n);
    lb_destroy_tree_data(tree);
    return code;
} catch (const std::exception &e) {
    std::fprintf(stderr, "dart: %s\n", e.what());
    return 1;
}
