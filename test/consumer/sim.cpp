// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A spring out of a file's text: C++, against the installed limber-sim.
#include <limber/forces.h>
#include <string>

int main()
{
    const std::string text = R"({"limber": 1, "bodies": [
        {"name": "cart", "mass": 2, "hinge": {"type": "prismatic", "axis": [1, 0, 0]}}],
        "forces": [{"name": "spring", "type": "spring", "hinge": "cart", "stiffness": 6}]})";
    lb_document *document = nullptr;
    lb_model *model = nullptr;
    lb_forces *forces = nullptr;
    lb_status status = lb_load_document_text(text.data(), text.size(), "cart.json", LB_FORMAT_AUTO,
                                             nullptr, nullptr, &document);
    status = status < 0 ? status : lb_load_document_model(document, nullptr, &model);
    status = status < 0 ? status : lb_load_forces(document, model, nullptr, &forces);
    const bool good = status == LB_OK && lb_find_force(forces, "spring") == 0;
    lb_destroy_forces(forces);
    lb_destroy_model(model);
    lb_destroy_document(document);
    return good ? 0 : 1;
}
