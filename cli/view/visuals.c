// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Visuals of a robot in URDF: boxes, cylinders, spheres, and meshes where their files are found.
#define _XOPEN_SOURCE 700 // realpath
#include <errno.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "limber/files.h"
#include "view/scene.h"

#if LIBXML_VERSION >= 21200
typedef const xmlError lb_xml_error;
#else
typedef xmlError lb_xml_error;
#endif

typedef struct visuals {
    lb_cli_scene *scene;
    const char *const *folders; // up to four, NULL ends them early
    xmlNode *robot;
    int missing; // meshes
    char first[LB_CLI_SIGNAL_SIZE];
    bool short_of_memory;
} visuals;

static xmlNode *find_child(const xmlNode *up, const char *name)
{
    for (xmlNode *node = up ? up->children : NULL; node; node = node->next) {
        if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0) {
            return node;
        }
    }
    return NULL;
}

static bool read_numbers(xmlNode *node, const char *name, int count, double *numbers)
{
    xmlChar *text = node ? xmlGetProp(node, (const xmlChar *)name) : NULL;
    const char *at = (const char *)text;
    int found = 0;
    while (at && found < count) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || !isfinite(value)) {
            break;
        }
        numbers[found++] = value;
        at = end;
    }
    xmlFree(text);
    return found == count;
}

static lb_pose read_origin(xmlNode *visual)
{
    double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
    xmlNode *origin = find_child(visual, "origin");
    read_numbers(origin, "xyz", 3, xyz);
    read_numbers(origin, "rpy", 3, rpy);
    const lb_mat3 x = lb_cli_turn_by(lb_vec3_make(rpy[0], 0, 0)),
                  y = lb_cli_turn_by(lb_vec3_make(0, rpy[1], 0)),
                  z = lb_cli_turn_by(lb_vec3_make(0, 0, rpy[2]));
    const lb_mat3 zy = lb_mat3_mul(&z, &y);
    const lb_pose X = {lb_mat3_mul(&zy, &x), lb_vec3_from(xyz)};
    return X;
}

// A material gives its colour, or its name alone where the robot defines it.
static void read_material(const visuals *v, xmlNode *visual, double colour[3])
{
    double rgba[4];
    xmlNode *material = find_child(visual, "material");
    if (read_numbers(find_child(material, "color"), "rgba", 4, rgba)) {
        memcpy(colour, rgba, 3 * sizeof *rgba);
        return;
    }
    xmlChar *name = material ? xmlGetProp(material, (const xmlChar *)"name") : NULL;
    for (xmlNode *node = name ? v->robot->children : NULL; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE || strcmp((const char *)node->name, "material") != 0) {
            continue;
        }
        xmlChar *other = xmlGetProp(node, (const xmlChar *)"name");
        if (other && xmlStrcmp(name, other) == 0 &&
            read_numbers(find_child(node, "color"), "rgba", 4, rgba)) {
            memcpy(colour, rgba, 3 * sizeof *rgba);
        }
        xmlFree(other);
    }
    xmlFree(name);
}

static char *find_real_path(const char *path)
{
    char *real = realpath(path, NULL);
    if (!real && errno == ENOMEM) {
        lb_cli_note_lack();
    }
    return real;
}

// The package of a robot: the nearest folder upwards with a package.xml, or else its own.
static char *find_package(const char *folder)
{
    char *own = find_real_path(folder), *up = own ? lb_cli_copy_text(own) : NULL;
    char file[4096 + 16];
    while (up) {
        const int length = snprintf(file, sizeof file, "%s/package.xml", up);
        if (length > 0 && (size_t)length < sizeof file && access(file, F_OK) == 0) {
            free(own);
            return up;
        }
        char *slash = strrchr(up, '/');
        if (!slash || slash == up) {
            break;
        }
        *slash = 0;
    }
    free(up);
    return own;
}

// A robot may name files of its package and of the folder that was given for meshes, links followed.
static bool is_permitted(const visuals *v, const char *path)
{
    bool inside = false;
    for (int i = 0; i < 4 && v->folders[i] && !inside; ++i) {
        char *package = i == 0 ? find_package(v->folders[i]) : NULL;
        inside = lb_is_in_folder(path, package ? package : v->folders[i]);
        if (errno == ENOMEM) {
            lb_cli_note_lack();
        }
        free(package);
    }
    return inside;
}

// The file of a mesh: as it is named, in each of the folders, without `package://NAME/` as well.
static bool find_mesh(visuals *v, const char *name, lb_cli_shape *shape)
{
    const char *plain = strncmp(name, "file://", 7) == 0       ? name + 7
                        : strncmp(name, "package://", 10) == 0 ? name + 10
                        : strncmp(name, "model://", 8) == 0    ? name + 8
                                                               : name;
    const char *inside = plain != name ? strchr(plain, '/') : NULL;
    const char *names[2] = {plain, inside ? inside + 1 : NULL};
    char path[4096];
    for (int i = 0; i < 4 && v->folders[i]; ++i) {
        for (int k = 0; k < 2 && names[k]; ++k) {
            snprintf(path, sizeof path, "%s%s%s", names[k][0] == '/' ? "" : v->folders[i],
                     names[k][0] == '/' ? "" : "/", names[k]);
            if (is_permitted(v, path) && lb_cli_read_mesh(v->scene, path, shape)) {
                return true;
            }
        }
    }
    return false;
}

static void read_geometry(visuals *v, xmlNode *visual, int body, const lb_pose *X_link)
{
    xmlNode *geometry = find_child(visual, "geometry");
    double size[3] = {0, 0, 0};
    lb_cli_shape shape = {.body = body, .colour = {-1.0}};
    const lb_pose X = read_origin(visual);
    shape.pose = lb_pose_mul(X_link, &X);
    xmlNode *box = find_child(geometry, "box"), *cylinder = find_child(geometry, "cylinder"),
            *sphere = find_child(geometry, "sphere"), *mesh = find_child(geometry, "mesh");
    bool good = false;
    if (box) {
        shape.kind = LB_CLI_BOX;
        good = read_numbers(box, "size", 3, size);
    } else if (cylinder) {
        shape.kind = LB_CLI_CYLINDER;
        good = read_numbers(cylinder, "radius", 1, size) &&
               read_numbers(cylinder, "length", 1, size + 1);
    } else if (sphere) {
        shape.kind = LB_CLI_SPHERE;
        good = read_numbers(sphere, "radius", 1, size);
    } else if (mesh) {
        shape.kind = LB_CLI_MESH;
        xmlChar *name = xmlGetProp(mesh, (const xmlChar *)"filename");
        good = name && find_mesh(v, (const char *)name, &shape);
        if (!good) {
            if (v->missing++ == 0) {
                snprintf(v->first, sizeof v->first, "%s", name ? (const char *)name : "?");
            }
        }
        xmlFree(name);
        double scale[3] = {1, 1, 1};
        read_numbers(mesh, "scale", 3, scale);
        for (int i = 0; good && i < 3 * shape.point_count; ++i) {
            shape.points[i] = (float)(shape.points[i] * scale[i % 3]);
        }
    }
    if (good) {
        memcpy(shape.size, size, sizeof size);
        read_material(v, visual, shape.colour);
        lb_cli_shape *new = lb_cli_add_shape(v->scene, shape.kind, body);
        v->short_of_memory = v->short_of_memory || !new;
        if (new) {
            *new = shape;
        }
    }
}

// The body that a link became, and where the link is in it: a body of its name, or a node.
static bool find_link(const lb_cli_scene *s, const char *name, int *body, lb_pose *X)
{
    const lb_model *model = s->recording->model;
    const int found = lb_find_body(model, name);
    *X = lb_pose_identity();
    if (found >= 0) {
        *body = found;
        return true;
    }
    for (int k = LB_GROUND; k < lb_get_body_count(model); ++k) {
        const int node = lb_find_node(model, k, name);
        if (node >= 0) {
            *body = k;
            *X = s->nodes[lb_cli_get_scene_node(s, k, node)].pose;
            return true;
        }
    }
    return false;
}

// libxml2 is silent; what is wrong with the text, the reader of the model has said.
static void watch_xml(void *user, lb_xml_error *error)
{
    (void)user;
    if (error->code == XML_ERR_NO_MEMORY) {
        lb_cli_note_lack();
    }
}

bool lb_cli_read_visuals(lb_cli_scene *scene, const char *text, const char *const *folders)
{
    const char *start = text + strspn(text, " \t\r\n");
    if (start[0] != '<') {
        return true;
    }
    xmlSetStructuredErrorFunc(NULL, watch_xml);
    // no network, no entities: the same as for the model itself
    xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), "robot.urdf", NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    visuals v = {scene, folders, doc ? xmlDocGetRootElement(doc) : NULL, 0, "", false};
    for (xmlNode *link = v.robot ? v.robot->children : NULL; link; link = link->next) {
        if (link->type != XML_ELEMENT_NODE || strcmp((const char *)link->name, "link") != 0) {
            continue;
        }
        xmlChar *name = xmlGetProp(link, (const xmlChar *)"name");
        int body;
        lb_pose X;
        if (name && find_link(scene, (const char *)name, &body, &X)) {
            for (xmlNode *node = link->children; node; node = node->next) {
                if (node->type == XML_ELEMENT_NODE &&
                    strcmp((const char *)node->name, "visual") == 0) {
                    read_geometry(&v, node, body, &X);
                }
            }
        }
        xmlFree(name);
    }
    if (v.missing > 0) {
        lb_cli_note(scene,
                    "%d meshes not found or not STL or OBJ, such as %s: other shapes instead "
                    "(--meshes DIR for those outside of the package)",
                    v.missing, v.first);
    }
    xmlFreeDoc(doc);
    return !v.short_of_memory && !lb_cli_lacks_memory();
}
