// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "small_tree.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

lb_model *lb_make_small_tree(unsigned hinges, int body_count, int mode_count, lb_fidelity fidelity)
{
    lb_tree_options options = lb_default_tree_options();
    options.body_count = body_count;
    options.hinges = hinges;
    options.mode_min = options.mode_max = mode_count;
    options.rigid_percent = mode_count ? 0 : 100;
    options.fidelity = fidelity;
    lb_scene *scene = lb_create_tree(&options, 4);
    lb_model *model = lb_build_scene(scene);
    lb_destroy_scene(scene);
    assert_non_null(model);
    return model;
}

void lb_make_small_state(const lb_model *model, int number, double size, double *q, double *v,
                         double *x)
{
    const int n = lb_get_v_count(model);
    double *d = lb_make_numbers((size_t)n),
           *neutral = lb_make_numbers((size_t)lb_get_q_count(model));
    for (int i = 0; i < n; ++i) {
        d[i] = size * sin(1.0 + i + 10.0 * number);
        v[i] = 0.1 * cos(2.0 * i + number);
        x[i] = cos(3.0 * i + number);
    }
    for (int body = 0; body < lb_get_body_count(model); ++body) {
        for (int i = 0; i < lb_get_mode_count(model, body); ++i) {
            d[lb_get_v_offset(model, body) + i] = 0.02 * cos(5.0 * i + body + number);
        }
    }
    lb_get_neutral_configuration(model, neutral);
    lb_integrate_configuration(model, neutral, d, q);
    free(neutral);
    free(d);
}
