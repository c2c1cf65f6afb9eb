// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "write_move.h"

#include "model/layout.h"

static bool has_quaternion(const lb_body *b)
{
    return b->nq == 4 || b->nq == 7;
}

bool lb_has_quaternions(const lb_model *model)
{
    return model->q_count > model->v_count;
}

// R exp(d~) by quaternions, and p + R J_l(d) u with the left Jacobian of SO(3)              (HNG-4)
static void write_turned(lb_page *page, const char *name, const char *kind, const char *real)
{
    lb_write(page,
             "// A quaternion turned by a rotation vector d; with `shifts`, a screw along d "
             "(HNG-4)\n"
             "%s void %s_move_turned(const %s *d, int shifts, %s *q)\n"
             "{\n"
             "    const %s t2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];\n"
             "    const %s w = q[0], x = q[1], y = q[2], z = q[3];\n"
             "    %s c[5], s, r;\n"
             "    if (shifts) {\n"
             "        const %s *u = d + 3;\n"
             "        %s e[3], g[3], h[3];\n"
             "        %s_rotation(t2, c);\n"
             "        // J_l u = u + c1 d x u + c2 d x (d x u)\n"
             "        e[0] = d[1] * u[2] - d[2] * u[1];\n"
             "        e[1] = d[2] * u[0] - d[0] * u[2];\n"
             "        e[2] = d[0] * u[1] - d[1] * u[0];\n"
             "        g[0] = u[0] + c[1] * e[0] + c[2] * (d[1] * e[2] - d[2] * e[1]);\n"
             "        g[1] = u[1] + c[1] * e[1] + c[2] * (d[2] * e[0] - d[0] * e[2]);\n"
             "        g[2] = u[2] + c[1] * e[2] + c[2] * (d[0] * e[1] - d[1] * e[0]);\n",
             kind, name, real, real, real, real, real, real, real, name);
    lb_write(page,
             "        // R g = g + 2 n x (w g + n x g), with n = (x, y, z)\n"
             "        h[0] = w * g[0] + y * g[2] - z * g[1];\n"
             "        h[1] = w * g[1] + z * g[0] - x * g[2];\n"
             "        h[2] = w * g[2] + x * g[1] - y * g[0];\n"
             "        q[4] += g[0] + 2 * (y * h[2] - z * h[1]);\n"
             "        q[5] += g[1] + 2 * (z * h[0] - x * h[2]);\n"
             "        q[6] += g[2] + 2 * (x * h[1] - y * h[0]);\n"
             "    }\n"
             "    // half the angle: sine over angle, cosine\n"
             "    %s_rotation(t2 / 4, c);\n"
             "    s = c[0] / 2;\n"
             "    r = 1 - t2 / 4 * c[1];\n"
             "    q[0] = w * r - s * (x * d[0] + y * d[1] + z * d[2]);\n"
             "    q[1] = x * r + s * (w * d[0] + y * d[2] - z * d[1]);\n"
             "    q[2] = y * r + s * (w * d[1] + z * d[0] - x * d[2]);\n"
             "    q[3] = z * r + s * (w * d[2] + x * d[1] - y * d[0]);\n"
             "}\n\n",
             name);
}

void lb_write_move(lb_page *page, const lb_model *model, const char *name, const char *kind,
                   const char *real)
{
    if (lb_has_quaternions(model)) {
        write_turned(page, name, kind, real);
    }
    lb_write(page,
             "// Coordinates moved by d: where speeds d lead in a unit of time\n"
             "%s void %s_move(const %s *d, %s *q)\n{\n",
             kind, name, real, real);
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        for (int r = 0; r < b->mode_count; ++r) {
            lb_write(page, "    q[%d] += d[%d];\n", b->q + r, b->v + r);
        }
        if (has_quaternion(b)) {
            lb_write(page, "    %s_move_turned(d + %d, %d, q + %d);\n", name, b->hinge_v,
                     b->nq == 7, b->hinge_q);
        }
        for (int i = 0; !has_quaternion(b) && i < b->nq; ++i) {
            lb_write(page, "    q[%d] += d[%d];\n", b->hinge_q + i, b->hinge_v + i);
        }
    }
    lb_write(page, "}\n\n");
}

void lb_write_unit_quaternions(lb_page *page, const lb_model *model, const char *real,
                               const char *root)
{
    for (int body = 0; body < model->body_count; ++body) {
        const lb_body *b = lb_get_record(model, body);
        const int k = b->hinge_q;
        if (has_quaternion(b)) { // it comes first
            lb_write(page,
                     "    {\n        const %s s = 1 / %s(q[%d] * q[%d] + q[%d] * q[%d] + q[%d] "
                     "* q[%d] + q[%d] * q[%d]);\n",
                     real, root, k, k, k + 1, k + 1, k + 2, k + 2, k + 3, k + 3);
            for (int i = k; i < k + 4; ++i) {
                lb_write(page, "        q[%d] *= s;\n", i);
            }
            lb_write(page, "    }\n");
        }
    }
}
