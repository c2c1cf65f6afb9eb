// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What targets that make flexible bodies share.
#ifndef LB_TEST_FUZZ_BODY_H
#define LB_TEST_FUZZ_BODY_H

#include "fuzz.h"
#include "limber/build.h"

/// Builds a model of a body: there is one, or errors say why not.
///
/// @param check  receives diagnostics, and counts errors in the int that its `user` points to
static inline void lb_fuzz_build_body(const lb_flex_options *flex,
                                      void check(void *user, const lb_diagnostic *diagnostic))
{
    int errors = 0;
    const lb_report report = {check, &errors};
    lb_builder *builder = lb_create_builder(NULL, &report);
    lb_body_options body = lb_default_body_options();
    lb_model *model = NULL;
    if (!builder) {
        exit(2);
    }
    body.name = "body";
    body.hinge.type = LB_HINGE_FREE;
    body.flex = flex;
    lb_add_body(builder, &body, NULL);
    const lb_status status = lb_build_model(builder, &model);
    if ((status == LB_OK) != (errors == 0) || (status == LB_OK) != (model != NULL)) {
        abort();
    }
    lb_destroy_model(model);
    lb_destroy_builder(builder);
}

#endif // LB_TEST_FUZZ_BODY_H
