// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Robots in URDF. The XML (urdf_xml.c) becomes a robot (urdf_element.c, urdf_parse.c), joined to
// a tree (urdf_tree.c); the tree becomes bodies and nodes (urdf_plan.c) and is written as a document of
// the model format (urdf.c). From there on it is a model like any other: one loader, one writer.
#ifndef LB_URDF_H
#define LB_URDF_H

#include "document/doc.h"
#include "limber/io.h"

/// Reads a robot as a document of the model format; see lb_doc_read_yaml. Limits, damping and friction
/// become force elements.
lb_status lb_doc_read_urdf(lb_doc *doc, const char *text, size_t length, const char *file,
                           const lb_load_options *options, const lb_report *report);

/// Puts a path of the builder ("bodies[2].inertia") into words of the robot. Others stay as they are.
const char *lb_urdf_translate_path(const lb_doc_node *root, const char *path, lb_text *out);

#endif // LB_URDF_H
