// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model from text: C, against the installed limber-io.
#include <limber/io.h>
#include <limber/limber.h>
#include <string.h>

int main(void)
{
    const char *text = "limber: 1\n"
                       "name: stone\n"
                       "bodies:\n"
                       "  - {name: stone, hinge: {type: free}, mass: 2}\n";
    lb_model *model = NULL;
    const lb_status status =
        lb_load_model_text(text, strlen(text), "stone.yaml", LB_FORMAT_AUTO, NULL, NULL, &model);
    const int count = status == LB_OK ? lb_get_v_count(model) : 0;
    lb_destroy_model(model);
    return count == 6 ? 0 : 1;
}
