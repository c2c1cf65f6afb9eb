// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where grids are, and along which axes they move, in basic coordinates.
//
// A grid has its position in one coordinate system (CP) and its displacements in another (CD), whose axes
// depend on the position if it is cylindrical (radial, tangential, axial: r, theta, z) or spherical (r, theta
// from the z axis, phi about it); angles are in degrees. A system is given by three points A, B, C in a
// reference system, or by three grids: its origin is A, its z axis points to B, and C lies in its xz plane on
// the side of positive x.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nastran.h"
#include "structure/fe.h"

static const double degree = 3.14159265358979323846 / 180;

// ---- each number once --------------------------------------------------------------------------

static int compare_systems(const void *a, const void *b)
{
    const lb_bulk_system *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool is_same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_same_system(const lb_bulk_system *a, const lb_bulk_system *b)
{
    return a->kind == b->kind && a->is_by_grids == b->is_by_grids && a->reference == b->reference &&
           is_same_point(a->points[0], b->points[0]) && is_same_point(a->points[1], b->points[1]) &&
           is_same_point(a->points[2], b->points[2]) &&
           memcmp(a->grids, b->grids, sizeof a->grids) == 0;
}

// Superelements come with the same entries in two files.
static lb_status sort_systems(lb_nastran *data)
{
    if (data->system_count == 0) {
        return LB_OK;
    }
    lb_bulk_system *all = data->systems;
    qsort(all, data->system_count, sizeof *all, compare_systems);
    size_t last = 0;
    for (size_t i = 1; i < data->system_count; ++i) {
        if (all[i].id != all[last].id) {
            all[++last] = all[i];
        } else if (!is_same_system(&all[i], &all[last])) {
            return lb_import_fail(
                data->import, all[i].file, all[i].line,
                "coordinate system %d differs from that of the same number in %s, line %d",
                all[i].id, all[last].file->path, all[last].line);
        }
    }
    data->system_count = last + 1;
    return LB_OK;
}

static lb_bulk_system *find_system(const lb_nastran *data, int id)
{
    const lb_bulk_system key = {.id = id};
    return data->system_count
               ? bsearch(&key, data->systems, data->system_count, sizeof key, compare_systems)
               : NULL;
}

static int compare_grids(const void *a, const void *b)
{
    const lb_bulk_grid *const *x = a, *const *y = b;
    return (*x)->id != (*y)->id ? ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id)
                                : (*x > *y) - (*x < *y);
}

// Drops grids that are there before, and fills fields that were blank. The order stays.
static lb_status settle_grids(lb_nastran *data)
{
    const size_t count = data->grid_count;
    lb_bulk_grid **sorted;
    if (!LB_IMPORT_TAKE(data->import, sorted, count)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        lb_bulk_grid *grid = sorted[i] = &data->grids[i];
        if (grid->position_system == LB_GRID_DEFAULT) {
            grid->position_system = data->default_position_system;
        }
        if (grid->displacement_system == LB_GRID_DEFAULT) {
            grid->displacement_system = data->default_displacement_system;
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_grids);
    lb_status status = LB_OK;
    const lb_bulk_grid *first = NULL;
    for (size_t i = 0; i < count && !status; ++i) {
        lb_bulk_grid *grid = sorted[i];
        if (!first || grid->id != first->id) {
            first = grid;
        } else if (grid->position_system != first->position_system ||
                   grid->displacement_system != first->displacement_system ||
                   !is_same_point(grid->x, first->x)) {
            status = lb_import_fail(data->import, grid->file, grid->line,
                                    "GRID %d differs from that of the same number in %s, line %d",
                                    grid->id, first->file->path, first->line);
        } else {
            grid->id = 0;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (data->grids[i].id > 0) {
            data->grids[kept++] = data->grids[i];
        }
    }
    data->grid_count = kept;
    return status;
}

// ---- places ------------------------------------------------------------------------------------

// Coordinates of a point in a system as a vector in the axes of the system.
static void get_vector(lb_system_kind kind, const double x[3], double vector[3])
{
    const double a = x[1] * degree, b = x[2] * degree;
    if (kind == LB_RECTANGULAR) {
        memcpy(vector, x, 3 * sizeof *x);
    } else if (kind == LB_CYLINDRICAL) {
        vector[0] = x[0] * cos(a);
        vector[1] = x[0] * sin(a);
        vector[2] = x[2];
    } else {
        vector[0] = x[0] * sin(a) * cos(b);
        vector[1] = x[0] * sin(a) * sin(b);
        vector[2] = x[0] * cos(a);
    }
}

// A point in basic coordinates. NULL stands for the basic system.
static void place_point(const lb_bulk_system *system, const double x[3], double place[3])
{
    if (!system) {
        memcpy(place, x, 3 * sizeof *x);
        return;
    }
    double vector[3];
    get_vector(system->kind, x, vector);
    for (int i = 0; i < 3; ++i) {
        place[i] = system->origin[i];
        for (int k = 0; k < 3; ++k) {
            place[i] += system->axes[i][k] * vector[k];
        }
    }
}

static double get_length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

// Axes of a system whose three points have places.
static lb_status set_axes(lb_nastran *data, lb_bulk_system *system, double place[3][3])
{
    double z[3], x[3], y[3];
    for (int i = 0; i < 3; ++i) {
        system->origin[i] = place[0][i];
        z[i] = place[1][i] - place[0][i];
        x[i] = place[2][i] - place[0][i];
    }
    const double z_length = get_length(z), x_length = get_length(x);
    lb_fe_cross(z, x, y);
    const double y_length = get_length(y);
    // 1e-10: three points on a line that were written with ten digits
    if (!(z_length > 0 && x_length > 0 && y_length > 1e-10 * z_length * x_length) ||
        !(y_length < HUGE_VAL)) {
        return lb_import_fail(data->import, system->file, system->line,
                              "the three points of coordinate system %d lie on a line", system->id);
    }
    for (int i = 0; i < 3; ++i) {
        z[i] /= z_length;
        y[i] /= y_length;
    }
    lb_fe_cross(y, z, x);
    for (int i = 0; i < 3; ++i) {
        system->axes[i][0] = x[i];
        system->axes[i][1] = y[i];
        system->axes[i][2] = z[i];
    }
    return LB_OK;
}

typedef struct grid_places {
    lb_nastran *data;
    lb_structure *structure; // its nodes have the numbers of the grids already
} grid_places;

// The system that point k of a system is given in (NULL: basic), and its coordinates there.
static lb_status find_point(const grid_places *places, const lb_bulk_system *system, int k,
                            lb_bulk_system **reference, const double **x)
{
    lb_nastran *data = places->data;
    int id = system->reference;
    *x = system->points[k];
    if (system->is_by_grids) {
        const int index = lb_find_grid(data->import, places->structure, system->grids[k]);
        if (!data->import->grid_order) {
            return LB_E_MEMORY;
        }
        if (index < 0) {
            return lb_import_fail(
                data->import, system->file, system->line,
                "coordinate system %d is given by grid %d, which has no GRID entry", system->id,
                system->grids[k]);
        }
        id = data->grids[index].position_system;
        *x = data->grids[index].x;
    }
    *reference = find_system(data, id);
    return *reference || id == 0
               ? LB_OK
               : lb_import_fail(data->import, system->file, system->line,
                                "coordinate system %d refers to system %d, which is not in the "
                                "files: give the file with its CORD entry",
                                system->id, id);
}

// Settles a system, and before it those it refers to. `stack` has room for all systems.
static lb_status settle_system(const grid_places *places, lb_bulk_system *system,
                               lb_bulk_system **stack)
{
    lb_nastran *data = places->data;
    size_t depth = 0;
    if (system->progress == 2) {
        return LB_OK;
    }
    system->progress = 1;
    stack[depth++] = system;
    while (depth > 0) {
        lb_bulk_system *top = stack[depth - 1], *needed = NULL;
        double place[3][3];
        for (int k = 0; k < 3 && !needed; ++k) {
            lb_bulk_system *reference = NULL;
            const double *x = NULL;
            const lb_status status = find_point(places, top, k, &reference, &x);
            if (status) {
                return status;
            }
            if (reference && reference->progress != 2) {
                needed = reference;
            } else {
                place_point(reference, x, place[k]);
            }
        }
        if (!needed) {
            const lb_status status = set_axes(data, top, place);
            if (status) {
                return status;
            }
            top->progress = 2;
            --depth;
        } else if (needed->progress == 1) {
            return lb_import_fail(data->import, needed->file, needed->line,
                                  "coordinate system %d refers to itself, by way of system %d",
                                  needed->id, top->id);
        } else {
            needed->progress = 1;
            stack[depth++] = needed;
        }
    }
    return LB_OK;
}

// ---- grids -------------------------------------------------------------------------------------

// Axes of displacements at a place; columns.
static void find_axes(lb_nastran *data, const lb_bulk_grid *grid, const lb_bulk_system *system,
                      lb_fe_grid *node)
{
    memset(node->axes, 0, sizeof node->axes);
    for (int i = 0; i < 3; ++i) {
        node->axes[i][i] = 1.0;
    }
    if (!system) {
        return;
    }
    memcpy(node->axes, system->axes, sizeof node->axes);
    if (system->kind == LB_RECTANGULAR) {
        return;
    }
    double v[3] = {0};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            v[k] += system->axes[i][k] * (node->x[i] - system->origin[i]);
        }
    }
    const double radius = hypot(v[0], v[1]), distance = get_length(v);
    // 1e-9: the digits of a file; the reference guides say which axes are used on the axis
    if (radius <= 1e-9 * distance || distance == 0.0) {
        lb_import_warn(data->import, grid->file, grid->line,
                       "grid %d is on the axis of its displacement system %d, where radial and "
                       "tangential are not defined: the axes of the system itself are used",
                       grid->id, system->id);
        return;
    }
    const double c = v[0] / radius, s = v[1] / radius;
    const double ct = v[2] / distance, st = radius / distance;
    // columns: r, theta, z or r, theta, phi, in the axes of the system
    const double cylindrical[3][3] = {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
    const double spherical[3][3] = {{st * c, ct * c, -s}, {st * s, ct * s, c}, {ct, -st, 0}};
    const double(*local)[3] = system->kind == LB_CYLINDRICAL ? cylindrical : spherical;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            node->axes[i][j] = 0.0;
            for (int k = 0; k < 3; ++k) {
                node->axes[i][j] += system->axes[i][k] * local[k][j];
            }
        }
    }
}

static lb_status place_grid(const grid_places *places, const lb_bulk_grid *grid,
                            lb_bulk_system **stack, lb_fe_grid *node)
{
    lb_nastran *data = places->data;
    const int ids[] = {grid->position_system, grid->displacement_system};
    lb_bulk_system *systems[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        if (ids[i] == 0) {
            continue;
        }
        systems[i] = find_system(data, ids[i]);
        if (!systems[i]) {
            return lb_import_fail(data->import, grid->file, grid->line,
                                  "grid %d has its %s in coordinate system %d, which is not in the "
                                  "files: give the file with its CORD entry",
                                  grid->id, i ? "displacements (CD)" : "position (CP)", ids[i]);
        }
        const lb_status status = settle_system(places, systems[i], stack);
        if (status) {
            return status;
        }
    }
    place_point(systems[0], grid->x, node->x);
    find_axes(data, grid, systems[1], node);
    for (int i = 0; i < 3; ++i) {
        if (node->x[i] - node->x[i] != 0.0) {
            return lb_import_fail(data->import, grid->file, grid->line,
                                  "the position of grid %d is too large for a number", grid->id);
        }
    }
    return LB_OK;
}

lb_status lb_place_nastran_grids(lb_nastran *data, lb_structure *structure)
{
    lb_status status = sort_systems(data);
    status = status ? status : settle_grids(data);
    if (status) {
        return status;
    }
    structure->node_count = (int)data->grid_count;
    lb_bulk_system **stack;
    if (!LB_IMPORT_TAKE(data->import, stack, data->system_count) ||
        !LB_IMPORT_TAKE(data->import, structure->nodes, data->grid_count + 1)) {
        return LB_E_MEMORY;
    }
    for (size_t i = 0; i < data->grid_count; ++i) {
        structure->nodes[i].id = data->grids[i].id;
    }
    const grid_places places = {data, structure};
    for (size_t i = 0; i < data->grid_count && !status; ++i) {
        status = place_grid(&places, &data->grids[i], stack, &structure->nodes[i]);
    }
    return status;
}
