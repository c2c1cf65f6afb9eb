// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
#include "loose_satellite.h"

#include <stdlib.h>
#include <string.h>

lb_loose_satellite lb_begin_loose_satellite(void)
{
    static const char hinge[] = "    hinge: {type: revolute, axis: [1, 0, 0]}\n";
    lb_loose_satellite l = {0};
    char *text = lb_read_example("satellite.yaml");
    int count = 0;
    for (char *at; (at = strstr(text, hinge)); ++count) {
        memset(at, ' ', strlen(hinge) - 1);
        memcpy(at + 4, "hinge: {type: free}", 19);
    }
    assert_int_equal(count, 2);
    lb_expect_ok(lb_load_document_text(text, strlen(text), "loose.yaml", LB_FORMAT_YAML, NULL, NULL,
                                       &l.document));
    lb_expect_ok(lb_load_document_model(l.document, NULL, &l.model));
    l.work = lb_create_work(l.model);
    assert_int_equal(lb_get_v_count(l.model), SPEEDS);
    assert_int_equal(lb_get_v_offset(l.model, lb_find_body(l.model, "left array")), LEFT);
    free(text);
    return l;
}

void lb_end_loose_satellite(lb_loose_satellite *satellite)
{
    lb_destroy_work(satellite->work);
    lb_destroy_model(satellite->model);
    lb_destroy_document(satellite->document);
}
