// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// RBDL.
//
//     peer_rbdl TREE
#include <rbdl/rbdl.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "peer.h"

using namespace RigidBodyDynamics;
using Math::Matrix3d;
using Math::MatrixNd;
using Math::Vector3d;
using Math::VectorNd;

namespace
{

struct Self {
    const lb_tree *tree;
    Model model;
    VectorNd q, v, tau, a, x;
    MatrixNd M;
};

Vector3d vec3(const double *x)
{
    return Vector3d(x[0], x[1], x[2]);
}

// @return the id of the free body, or 0
unsigned addBodies(Self &s)
{
    std::vector<unsigned> ids;
    for (int k = 0; k < s.tree->body_count; ++k) {
        const lb_tree_body &b = s.tree->bodies[k];
        const double *J = b.inertia, *r = b.rotation;
        Matrix3d inertia, R;
        inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
        R = Eigen::Quaterniond(r[0], r[1], r[2], r[3]).toRotationMatrix();
        // from coordinates of the parent to those of the body
        const Math::SpatialTransform X(R.transpose(), vec3(b.position));
        const Body body(b.mass, vec3(b.com), inertia);
        const Joint joint = b.hinge == LB_TREE_FREE       ? Joint(JointTypeFloatingBase)
                            : b.hinge == LB_TREE_REVOLUTE ? Joint(JointTypeRevolute, vec3(b.axis))
                                                          : Joint(JointTypePrismatic, vec3(b.axis));
        const unsigned parent = b.parent < 0 ? 0 : ids[std::size_t(b.parent)];
        ids.push_back(s.model.AddBody(parent, X, joint, body, "b" + std::to_string(k)));
    }
    return lb_tree_floats(s.tree) ? ids[0] : 0;
}

// The free hinge: position in the world, then a quaternion; linear speed in the world, then angular
// in the body.
VectorNd convertQ(Self &s, unsigned freeBody)
{
    const lb_tree *tree = s.tree;
    VectorNd q = VectorNd::Zero(s.model.q_size);
    if (freeBody) {
        const double *r = tree->q;
        q.head<3>() = vec3(r + 4);
        s.model.SetQuaternion(freeBody, Math::Quaternion(r[1], r[2], r[3], r[0]), q);
    }
    for (int k = freeBody ? 1 : 0; k < tree->body_count; ++k) {
        q[tree->bodies[k].v] = tree->q[tree->bodies[k].q];
    }
    return q;
}

void swapHalves(const lb_tree *tree, VectorNd &x)
{
    for (int i = 0; lb_tree_floats(tree) && i < 3; ++i) {
        std::swap(x[i], x[3 + i]);
    }
}

VectorNd convert(const lb_tree *tree, lb_free_kind kind, const double *x)
{
    VectorNd r = Eigen::Map<const VectorNd>(x, tree->v_count);
    lb_free_to_world(tree, kind, r.data());
    swapHalves(tree, r);
    return r;
}

void runForward(void *self)
{
    Self &s = *static_cast<Self *>(self);
    ForwardDynamics(s.model, s.q, s.v, s.tau, s.x);
}

void runInverse(void *self)
{
    Self &s = *static_cast<Self *>(self);
    InverseDynamics(s.model, s.q, s.v, s.a, s.x);
}

void runMass(void *self)
{
    Self &s = *static_cast<Self *>(self);
    // only entries that the tree makes non-zero are written
    s.M.setZero();
    CompositeRigidBodyAlgorithm(s.model, s.q, s.M);
}

void getAnswer(void *self, lb_call call, double *answer)
{
    Self &s = *static_cast<Self *>(self);
    VectorNd x = s.x;
    if (call == LB_CALL_MASS) {
        // M a, where a is a speed as good as any
        x = s.M * convert(s.tree, LB_FREE_SPEED, s.tree->a);
    }
    swapHalves(s.tree, x);
    lb_free_from_world(s.tree, call == LB_CALL_FORWARD ? LB_FREE_ACCELERATION : LB_FREE_FORCE,
                       x.data());
    Eigen::Map<VectorNd>(answer, s.tree->v_count) = x;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc != 2) {
        std::fputs("usage: peer_rbdl TREE\n", stderr);
        return 2;
    }
    // above this a dense matrix is not what the model is for
    const int matrixMax = 2000;
    lb_tree *tree = lb_read_tree(argv[1]);
    const int n = tree->v_count;
    Self s;
    s.tree = tree;
    s.model.gravity = vec3(tree->gravity);
    const unsigned freeBody = addBodies(s);
    if (int(s.model.dof_count) != n) {
        std::fputs("rbdl: not the same tree\n", stderr);
        return 1;
    }
    s.q = convertQ(s, freeBody);
    s.v = convert(tree, LB_FREE_SPEED, tree->v);
    s.tau = convert(tree, LB_FREE_FORCE, tree->tau);
    s.a = convert(tree, LB_FREE_ACCELERATION, tree->a);
    s.x = VectorNd::Zero(n);
    s.M = MatrixNd::Zero(n <= matrixMax ? n : 0, n <= matrixMax ? n : 0);
    char version[32];
    std::snprintf(version, sizeof version, "%d.%d.%d", (RBDL_API_VERSION >> 16) & 0xff,
                  (RBDL_API_VERSION >> 8) & 0xff, RBDL_API_VERSION & 0xff);
    const lb_peer peer = {"RBDL",
                          version,
                          &s,
                          {runForward, runInverse, n <= matrixMax ? runMass : nullptr},
                          getAnswer};
    const int code = lb_serve_peer(&peer, n);
    lb_destroy_tree_data(tree);
    return code;
} catch (const std::exception &e) {
    std::fprintf(stderr, "rbdl: %s\n", e.what());
    return 1;
}
