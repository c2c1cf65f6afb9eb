// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Which matrix is the stiffness and which the mass. Files without a header do not say it, and taking one for
// the other must not happen. In this order:
//
//   1. What the user said (role). It is refused if rigid motion shows that it cannot be.
//   2. Rigid motion: to translate a free structure costs no force, so the translations v have K v = 0, while
//      v' M v is its mass. Decides only if one matrix is clearly the one and the other clearly the other.
//   3. The names of the files, with a warning.
//
// Otherwise the files are refused, and the user is asked for the roles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrices.h"

// a stiffness written with ten digits stays well below, a mass well above
static const double free_limit = 1e-6, mass_limit = 1e-3;

// ---- rigid motion ------------------------------------------------------------------------------

// Displacement of each row if the whole moves: along axis d for d < 3, about axis d - 3 through the origin o
// otherwise.
static void set_rigid_motion(const lb_structure *structure, int d, const double o[3], double *v)
{
    const int axis = d % 3;
    for (int i = 0; i < structure->row_count; ++i) {
        const lb_fe_row *row = &structure->rows[i];
        v[i] = 0.0;
        if (row->node == LB_FE_MODAL) {
            continue;
        }
        const lb_fe_grid *node = &structure->nodes[row->node];
        double move[3] = {0.0, 0.0, 0.0}; // of this kind of row, in the axes of the model
        if (row->direction < 3 && d >= 3) {
            // e x (x - o)
            const int next = (axis + 1) % 3, last = (axis + 2) % 3;
            move[next] = -(node->x[last] - o[last]);
            move[last] = node->x[next] - o[next];
        } else if (row->direction >= 3 ? d >= 3 : d < 3) {
            move[axis] = 1.0;
        }
        for (int k = 0; k < 3; ++k) {
            v[i] += node->axes[k][row->direction % 3] * move[k];
        }
    }
}

bool lb_measure_grounding(const lb_structure *structure, const lb_fe_entries *entries, int first,
                          double ratio[3])
{
    double *v = malloc(((size_t)structure->row_count + 1) * sizeof *v);
    if (!v) {
        return false;
    }
    // about the middle of the nodes, so that rotations do not drown in translations
    double o[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < structure->node_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            o[k] += structure->nodes[i].x[k] / structure->node_count;
        }
    }
    for (int d = 0; d < 3; ++d) {
        double sum = 0.0, scale = 0.0;
        set_rigid_motion(structure, first + d, o, v);
        for (size_t i = 0; i < entries->count; ++i) {
            const lb_fe_entry *entry = &entries->all[i];
            const bool is_twice = entries->part == LB_FE_HALF && entry->row != entry->column;
            const double term =
                (is_twice ? 2.0 : 1.0) * v[entry->row] * entry->value * v[entry->column];
            sum += term;
            scale += fabs(term);
        }
        ratio[d] = scale > 0.0 ? fabs(sum) / scale : -1.0;
    }
    free(v);
    return true;
}

typedef enum lb_verdict {
    LB_VERDICT_OPEN,
    LB_VERDICT_FREE,  // gives way to every translation: no mass
    LB_VERDICT_HEAVY, // resists every translation: a mass, or the stiffness of what is held
} lb_verdict;

static lb_verdict judge(const double ratio[3])
{
    int free_count = 0, heavy_count = 0, count = 0;
    for (int d = 0; d < 3; ++d) {
        count += ratio[d] >= 0.0;
        free_count += ratio[d] >= 0.0 && ratio[d] < free_limit;
        heavy_count += ratio[d] > mass_limit;
    }
    return count == 0             ? LB_VERDICT_OPEN
           : free_count == count  ? LB_VERDICT_FREE
           : heavy_count == count ? LB_VERDICT_HEAVY
                                  : LB_VERDICT_OPEN;
}

// ---- names -------------------------------------------------------------------------------------

static bool has_word(const char *name, const char *word)
{
    for (; *name; ++name) {
        if (lb_span_starts((lb_span){name, strlen(name)}, word)) {
            return true;
        }
    }
    return false;
}

// job.sti and job.mas of CalculiX; job_STIF1.mtx, job_MASS1.mtx, job_DMPV1.mtx, job_DMPS1.mtx of Abaqus; and what
// people write.
static lb_file_role get_role_of_name(const lb_import_file *file)
{
    const char *name = lb_get_base_name(file->path);
    const char *ending = strrchr(name, '.');
    if (ending && lb_span_is((lb_span){ending, strlen(ending)}, ".sti")) {
        return LB_FILE_STIFFNESS;
    }
    if (ending && lb_span_is((lb_span){ending, strlen(ending)}, ".mas")) {
        return LB_FILE_MASS;
    }
    if (has_word(name, "damp") || has_word(name, "dmpv") || has_word(name, "dmps")) {
        return LB_FILE_DAMPING;
    }
    const bool is_stiffness = has_word(name, "stif"), is_mass = has_word(name, "mass");
    return is_stiffness == is_mass ? LB_FILE_ANY : is_mass ? LB_FILE_MASS : LB_FILE_STIFFNESS;
}

// ---- the choice --------------------------------------------------------------------------------

static lb_fe_entries *get_place(lb_structure *structure, lb_file_role role)
{
    return role == LB_FILE_STIFFNESS ? &structure->K
           : role == LB_FILE_MASS    ? &structure->M
                                     : &structure->C;
}

static lb_status check_roles(lb_import *import, const lb_fe_matrices *matrices,
                             const lb_file_role *roles, const lb_verdict *verdicts)
{
    int used[LB_FILE_DAMPING + 1] = {0};
    for (int i = 0; i < matrices->count; ++i) {
        const lb_import_file *file = matrices->all[i].file;
        if (roles[i] == LB_FILE_MASS && verdicts[i] == LB_VERDICT_FREE) {
            return lb_import_fail(import, file, 0,
                                  "this file is given as the mass, but its entries add up to no "
                                  "mass at all, as those of a stiffness do: exchange the two");
        }
        if (used[roles[i]]++) {
            return lb_import_fail(
                import, file, 0,
                "two files are given as the %s: say which file is the stiffness and which the mass",
                roles[i] == LB_FILE_MASS        ? "mass"
                : roles[i] == LB_FILE_STIFFNESS ? "stiffness"
                                                : "damping");
        }
    }
    if (!used[LB_FILE_STIFFNESS] || !used[LB_FILE_MASS]) {
        return lb_import_fail(import, matrices->all[0].file, 0,
                              "there is no %s matrix: give both the stiffness and the mass",
                              used[LB_FILE_MASS] ? "stiffness" : "mass");
    }
    return LB_OK;
}

// Roles of the files that nobody has named.
static lb_status find_roles(lb_import *import, const lb_fe_matrices *matrices, lb_file_role *roles,
                            const lb_verdict *verdicts)
{
    int open[LB_MAX_MATRICES], count = 0;
    bool is_taken[LB_FILE_DAMPING + 1] = {false};
    for (int i = 0; i < matrices->count; ++i) {
        is_taken[roles[i]] = true;
        if (roles[i] != LB_FILE_ANY) {
            continue;
        }
        // it gives way to rigid motion as a stiffness does
        if (get_role_of_name(matrices->all[i].file) == LB_FILE_DAMPING) {
            return lb_import_fail(import, matrices->all[i].file, 0,
                                  "by its name this is a damping matrix: give its role if it is "
                                  "that of viscous damping, or leave it away");
        }
        open[count++] = i;
    }
    if (count == 0) {
        return LB_OK;
    }
    // one of two is named: the other is the other
    if (count == 1 && is_taken[LB_FILE_STIFFNESS] != is_taken[LB_FILE_MASS]) {
        roles[open[0]] = is_taken[LB_FILE_MASS] ? LB_FILE_STIFFNESS : LB_FILE_MASS;
        return LB_OK;
    }
    if (count != 2 || is_taken[LB_FILE_STIFFNESS] || is_taken[LB_FILE_MASS]) {
        return lb_import_fail(
            import, matrices->all[open[0]].file, 0,
            "%s: say which file is the stiffness, which the mass and which the damping",
            count == 1 ? "one matrix is not enough" : "it is not clear what this matrix is");
    }
    const int a = open[0], b = open[1];
    const lb_import_file *file_a = matrices->all[a].file, *file_b = matrices->all[b].file;
    const lb_file_role name_a = get_role_of_name(file_a), name_b = get_role_of_name(file_b);
    const bool has_names = name_a != LB_FILE_ANY && name_b != LB_FILE_ANY && name_a != name_b;
    lb_file_role role_a;
    if (verdicts[a] != verdicts[b] && verdicts[a] != LB_VERDICT_OPEN &&
        verdicts[b] != LB_VERDICT_OPEN) {
        role_a = verdicts[a] == LB_VERDICT_FREE ? LB_FILE_STIFFNESS : LB_FILE_MASS;
        if (has_names && name_a != role_a) {
            lb_import_warn(
                import, file_a, 0,
                "by its name this file is the %s, but rigid motion shows that it is the %s",
                role_a == LB_FILE_MASS ? "stiffness" : "mass",
                role_a == LB_FILE_MASS ? "mass" : "stiffness");
        }
    } else if (has_names) {
        role_a = name_a;
        lb_import_warn(import, name_a == LB_FILE_STIFFNESS ? file_a : file_b, 0,
                       "taken for the stiffness because of its name, and '%s' for the mass: the "
                       "structure is held, so rigid motion does not tell them apart",
                       lb_get_base_name(name_a == LB_FILE_STIFFNESS ? file_b->path : file_a->path));
    } else {
        return lb_import_fail(
            import, file_a, 0,
            "it is not clear which of '%s' and '%s' is the stiffness and which the mass: the "
            "structure is held, and the names do not say it; give their roles",
            lb_get_base_name(file_a->path), lb_get_base_name(file_b->path));
    }
    roles[a] = role_a;
    roles[b] = role_a == LB_FILE_MASS ? LB_FILE_STIFFNESS : LB_FILE_MASS;
    return LB_OK;
}

lb_status lb_assign_matrices(lb_import *import, lb_structure *structure, lb_fe_matrices *matrices)
{
    lb_file_role roles[LB_MAX_MATRICES];
    lb_verdict verdicts[LB_MAX_MATRICES];
    for (int i = 0; i < matrices->count; ++i) {
        lb_file_matrix *matrix = &matrices->all[i];
        double ratio[3];
        if (!lb_measure_grounding(structure, &matrix->entries, 0, ratio)) {
            return LB_E_MEMORY;
        }
        roles[i] = matrix->file->role;
        verdicts[i] = judge(ratio);
    }
    lb_status status = find_roles(import, matrices, roles, verdicts);
    status = status ? status : check_roles(import, matrices, roles, verdicts);
    for (int i = 0; !status && i < matrices->count; ++i) {
        *get_place(structure, roles[i]) = matrices->all[i].entries;
        matrices->all[i].entries = (lb_fe_entries){.count = 0};
    }
    return status;
}

void lb_free_matrices(lb_fe_matrices *matrices)
{
    for (int i = 0; i < matrices->count; ++i) {
        free(matrices->all[i].entries.all);
    }
    matrices->count = 0;
}
