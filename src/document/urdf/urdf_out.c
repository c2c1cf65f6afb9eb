// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What a robot is written with: values of the document, until something fails.
#include "document/places.h"
#include "urdf_robot.h"

void lb_urdf_open(lb_urdf_out *out, lb_doc_kind kind)
{
    if (out->status == LB_OK) {
        out->status = lb_doc_open(out->writer, kind, out->mark);
    }
}

void lb_urdf_close(lb_urdf_out *out)
{
    if (out->status == LB_OK) {
        out->status = lb_doc_close(out->writer);
    }
}

void lb_urdf_put(lb_urdf_out *out, const char *text)
{
    if (out->status == LB_OK) {
        out->status = lb_doc_add_pooled(out->writer, text, out->mark);
    }
}

void lb_urdf_put_pair(lb_urdf_out *out, const char *key, const char *text)
{
    lb_urdf_put(out, key);
    lb_urdf_put(out, text);
}

void lb_urdf_put_number(lb_urdf_out *out, double number)
{
    if (out->status == LB_OK) {
        out->status = lb_doc_add_number(out->writer, number, out->mark);
    }
}

void lb_urdf_put_value(lb_urdf_out *out, const char *key, double value)
{
    lb_urdf_put(out, key);
    lb_urdf_put_number(out, value);
}

void lb_urdf_put_numbers(lb_urdf_out *out, const char *key, const double *numbers, int count)
{
    lb_urdf_put(out, key);
    lb_urdf_open(out, LB_DOC_SEQUENCE);
    for (int i = 0; i < count; ++i) {
        lb_urdf_put_number(out, numbers[i]);
    }
    lb_urdf_close(out);
}

void lb_urdf_put_pose(lb_urdf_out *out, const lb_urdf_pose *pose)
{
    const double position[3] = {pose->p.x, pose->p.y, pose->p.z};
    const double rotation[4] = {pose->r.w, pose->r.x, pose->r.y, pose->r.z};
    lb_urdf_put_numbers(out, "position", position, 3);
    if (pose->r.w != 1) {
        lb_urdf_put_numbers(out, "rotation", rotation, 4);
    }
}
