// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a mesh, as STL, OBJ and Collada: refused, or triangles between points that there are, all finite.
#include <math.h>

#include "fuzz.h"
#include "view/scene.h"

static void check(const lb_cli_shape *shape)
{
    if (shape->point_count < 1 || shape->corner_count < 3 || shape->corner_count % 3 != 0) {
        abort();
    }
    for (int i = 0; i < 3 * shape->point_count; ++i) {
        if (!isfinite(shape->points[i])) {
            abort();
        }
    }
    for (int i = 0; i < shape->corner_count; ++i) {
        if (shape->corners[i] < 0 || shape->corners[i] >= shape->point_count) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = lb_fuzz_join("", data, size);
    for (int is_obj = 0; is_obj < 2; ++is_obj) {
        lb_cli_scene scene = {0};
        lb_cli_shape shape = {0};
        if (lb_cli_parse_mesh(&scene, is_obj, text, size, &shape)) {
            check(&shape);
        }
        lb_cli_free_scene(&scene);
    }
    lb_cli_scene scene = {0};
    lb_cli_shape parts[LB_CLI_PART_MAX];
    const int count = lb_cli_parse_collada(&scene, text, size, parts);
    for (int i = 0; i < count; ++i) {
        check(&parts[i]);
    }
    lb_cli_free_scene(&scene);
    free(text);
    return 0;
}
