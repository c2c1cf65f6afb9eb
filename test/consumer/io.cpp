// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A model from text: C++, against the installed limber-io.
#include <limber/io.h>
#include <limber/limber.h>
#include <string>

int main()
{
    const std::string text = R"({"limber": 1, "name": "stone", "bodies": [
        {"name": "stone", "hinge": {"type": "free"}, "mass": 2}]})";
    lb_model *model = nullptr;
    const lb_status status = lb_load_model_text(text.data(), text.size(), "stone.json",
                                                LB_FORMAT_AUTO, nullptr, nullptr, &model);
    const int count = status == LB_OK ? lb_get_v_count(model) : 0;
    lb_destroy_model(model);
    return count == 6 ? 0 : 1;
}
