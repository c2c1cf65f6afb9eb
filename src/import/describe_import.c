// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of an import, as text and as JSON, from the same numbers.
#define _POSIX_C_SOURCE 200809L // newlocale, fmemopen
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imported.h"

static const char *const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};

// ---- verdicts ----------------------------------------------------------------------------------

enum { VERDICTS_MOST = 13 };

typedef struct verdict {
    const char *name;
    bool is_good;
    char words[320];
} verdict;

static verdict *add_verdict(verdict *list, int *count, const char *name, bool is_good,
                            const char *format, ...) LB_PRINTF(5, 6);
static verdict *add_verdict(verdict *list, int *count, const char *name, bool is_good,
                            const char *format, ...)
{
    verdict *v = &list[(*count)++];
    va_list arguments;
    v->name = name;
    v->is_good = is_good;
    va_start(arguments, format);
    vsnprintf(v->words, sizeof v->words, format, arguments);
    va_end(arguments);
    return v;
}

// The stiffness is free, but not by the places and axes of the files.
static void judge_axes(const lb_import_checks *c, verdict *list, int *count)
{
    char who[200] = "places or displacement axes of grids are wrong";
    if (c->wrong_count > 0 && c->has_wrong_axes) {
        snprintf(who, sizeof who, "the displacement axes of grid %ld contradict it (the system CD)",
                 c->wrong_grid);
    } else if (c->wrong_count > 0) {
        const double *x = c->wrong_place;
        snprintf(who, sizeof who,
                 "the place of grid %ld contradicts it, which has it at %.6g %.6g %.6g m",
                 c->wrong_grid, x[0], x[1], x[2]);
    }
    char others[48] = "";
    if (c->wrong_count > 1) {
        snprintf(others, sizeof others, ", and those of %d more", c->wrong_count - 1);
    }
    add_verdict(list, count, "grounding", false,
                "the stiffness itself has six free motions, but not those of the grids (%d of six "
                "are free): %s%s",
                c->free_count, who, others);
}

static int judge_structure(const lb_imported *imported, const lb_import_facts *f, verdict *list)
{
    const lb_import_checks *c = &imported->checks;
    int count = 0;
    const double spread = fmax(fabs(c->masses[0] - f->mass),
                               fmax(fabs(c->masses[1] - f->mass), fabs(c->masses[2] - f->mass))) /
                          f->mass;
    add_verdict(list, &count, "mass", spread < 1e-6,
                "the same along x, y and z to %.1e%s (limit 1e-6)", spread,
                spread < 1e-6 ? ""
                              : ": degrees of freedom are missing, or displacement axes are wrong");
    if (c->free_count == 6) {
        add_verdict(list, &count, "grounding", true,
                    "free: rigid motions meet no force, to %.1e of what they could (limit 1e-6)",
                    c->grounding);
    } else if (c->null_count == 6) {
        judge_axes(c, list, &count);
    } else if (c->null_count > 0) {
        add_verdict(list, &count, "grounding", false,
                    "the stiffness itself has %d free motions, of which %d are rigid motions of "
                    "the grids along or about an axis: expected six of both, or none; it is held "
                    "in part, has loose parts, or places or axes of grids are wrong",
                    c->null_count, c->free_count);
    } else {
        add_verdict(
            list, &count, "grounding", c->free_count == 0,
            "%d of six rigid motions are free, %.1e of the possible force in the others%s: %s",
            c->free_count, c->grounding,
            c->null_count == 0   ? ", and none of the stiffness itself"
            : c->free_count == 0 ? " (whether the stiffness itself has some was not found)"
                                 : "",
            c->free_count == 0
                ? "the files hold the structure, and mass of what they hold is not in them; export "
                  "it without supports"
                : "expected six, or none; wrong axes or coordinates look like this too");
    }
    if (isfinite(c->coordinates)) {
        add_verdict(list, &count, "coordinates", c->coordinates < 1e-5,
                    "distances that follow from the stiffness agree with the nodes to %.1e of the "
                    "size (limit 1e-5)",
                    c->coordinates);
    }
    add_verdict(list, &count, "modes", c->residual < 1e-5,
                "K phi = omega^2 M phi to %.1e (limit 1e-5), orthonormal to %.1e", c->residual,
                c->orthogonality);
    if (isfinite(c->anisotropy)) {
        add_verdict(
            list, &count, "mass matrix", true,
            c->anisotropy < 1e-9
                ? "couples equal directions only: inertia is exact at any deformation (%.1e)"
                : "couples directions or rotations (%.1e of its largest entry): inertia of the "
                  "deformed body is the usual approximation",
            c->anisotropy);
    }
    const double volume = c->box[0] * c->box[1] * c->box[2];
    const double density = volume > 0.0 ? f->mass / volume : NAN;
    if (isfinite(density)) {
        const bool is_usual = density > 1e-3 && density < 30000;
        add_verdict(list, &count, "units", is_usual,
                    "%.4g x %.4g x %.4g m with %.4g kg: %.3g kg/m^3 of its box%s", c->box[0],
                    c->box[1], c->box[2], f->mass, density,
                    is_usual ? "" : "; look at the units (--units)");
    }
    return count;
}

// Modes of what is built have a per cent or so; from one on they do not swing.
static void judge_damping(int n, const lb_import_facts *f, verdict *list, int *count)
{
    int least = -1, most = -1, none = 0;
    for (int r = 0; r < n; ++r) {
        const double ratio = f->damping[r];
        if (isnan(ratio) || isinf(ratio)) {
            ++none;
            continue;
        }
        least = least < 0 || ratio < f->damping[least] ? r : least;
        most = most < 0 || ratio > f->damping[most] ? r : most;
    }
    if (most < 0) {
        add_verdict(list, count, "damping", false, "modes without a frequency are damped");
        return;
    }
    const double low = f->damping[least], high = f->damping[most];
    const bool is_good = low >= 0 && high < 1 && none == 0;
    const char *why = is_good     ? ""
                      : low < 0   ? ": a negative one feeds energy into the body"
                      : high >= 1 ? ": from 1 on a mode does not swing; look at the units of the "
                                    "damping matrix, and at what it stands for"
                                  : "; modes without a frequency are damped too";
    if (low < high) {
        add_verdict(list, count, "damping", is_good,
                    "ratios from %.4g (mode %d) to %.4g of critical (mode %d)%s", low, least + 1,
                    high, most + 1, why);
    } else {
        add_verdict(list, count, "damping", is_good, "a ratio of %.4g of critical%s%s", high,
                    n > 1 ? " in all modes" : "", why);
    }
}

static int judge(const lb_imported *imported, const lb_import_facts *f, verdict *list)
{
    static const char *const orders[] = {("0: the first moment follows the deformation, nothing "
                                          "else; that is what a superelement gives"),
                                         "1: linear in the deformation", "2: complete"};
    int count = imported->checks.has_structure ? judge_structure(imported, f, list) : 0;
    add_verdict(list, &count, "order of inertia", true, "%s", orders[imported->body.order]);
    const lb_flex_options *flex = &imported->body.flex;
    int forces = 0;
    for (int i = 0; i < flex->node_count; ++i) {
        forces += flex->nodes[i].second_order_count > 0;
    }
    if (imported->body.known_loads || forces > 0) {
        char loads[160] = "";
        for (int i = 0; i < LB_INERTIA_LOADS; ++i) {
            const int load = i < 6 ? (i + 3) % 6 : i; // plain accelerations first
            if (imported->body.known_loads & 1u << load) {
                strcat(strcat(loads, " "), lb_inertia_load_names[load]);
            }
        }
        add_verdict(list, &count, "stiffening", true, "loads%s, forces at %d node%s",
                    *loads ? loads : " none", forces, forces == 1 ? "" : "s");
    }
    if (f->damping) {
        judge_damping(flex->mode_count, f, list, &count);
    }
    const double least = fmin(f->principal[0], fmin(f->principal[1], f->principal[2]));
    const double most = fmax(f->principal[0], fmax(f->principal[1], f->principal[2]));
    add_verdict(list, &count, "inertia", f->mass > 0.0 && least >= 0.0,
                !(f->mass > 0.0) ? "the mass is not positive: %g"
                : least < 0.0    ? "a principal moment is negative: %g"
                : least > 1e-12 * most
                    ? "mass and principal moments are positive"
                    : "mass is positive; a principal moment is zero: masses in a line",
                f->mass > 0.0 ? least : f->mass);
    return count;
}

// What is printed.
typedef struct findings {
    const lb_imported *imported;
    lb_import_facts facts;
    verdict verdicts[VERDICTS_MOST];
    int verdict_count;
} findings;

// ---- text --------------------------------------------------------------------------------------

static const char *get_boundary(const lb_imported *imported)
{
    return imported->is_clamped               ? "with nodes clamped"
           : !imported->checks.has_structure  ? "as in the file"
           : imported->checks.free_count == 6 ? "of the free body"
                                              : "as the files hold it";
}

// Modes of a free body move neither its centre nor its momentum, and have no effective mass.
static bool is_balanced(const lb_import_facts *f)
{
    bool is = true;
    for (int k = 0; k < 6; ++k) {
        is = is && f->sums[k] <= 1e-9 * f->whole[k];
    }
    return is;
}

// A number of a table, or a dash where there is none: a share of nothing, a frequency of what has no mass.
static void print_cell(FILE *out, int width, const char *format, double value)
{
    char text[32] = "-";
    if (isfinite(value)) {
        snprintf(text, sizeof text, format, value);
    }
    fprintf(out, " %*s", width, text);
}

static void print_effective(FILE *out, int n, const lb_import_facts *f)
{
    const bool damped = f->damping != NULL;
    fprintf(out,
            "                    %seffective mass, %% of the body's, and inertia about the origin\n"
            "  mode         Hz %s       x       y       z      rx      ry      rz\n",
            damped ? "          " : "", damped ? "  damping " : "");
    for (int r = 0; r < n; ++r) {
        fprintf(out, "  %4d", r + 1);
        print_cell(out, 10, "%.7g", f->frequencies[r]);
        if (damped) {
            print_cell(out, 9, "%.4g", f->damping[r]);
        }
        fputc(' ', out);
        for (int k = 0; k < 6; ++k) {
            print_cell(out, 7, "%.3f", 100 * f->effective[r][k] / f->whole[k]);
        }
        fputc('\n', out);
    }
    fprintf(out, "   sum            %s", damped ? "          " : "");
    for (int k = 0; k < 6; ++k) {
        print_cell(out, 7, "%.3f", 100 * f->sums[k] / f->whole[k]);
    }
    fputc('\n', out);
}

static void print_modes(FILE *out, const lb_imported *imported, const lb_import_facts *f)
{
    enum { ROW = 6 }; // frequencies in a line
    const int n = imported->body.flex.mode_count;
    fprintf(out, "\nModes, %s%s\n", get_boundary(imported),
            f->shapes ? "; mass and stiffness couple the coordinates: these are modes of both"
                      : "");
    if (!is_balanced(f)) {
        print_effective(out, n, f);
        return;
    }
    for (int r = 0; r < n; ++r) {
        if (r % ROW == 0) {
            char range[32];
            const int last = r + ROW < n ? r + ROW : n;
            snprintf(range, sizeof range, last > r + 1 ? "%d-%d" : "%d", r + 1, last);
            fprintf(out, "  %9s:", range);
        }
        print_cell(out, 10, "%.7g", f->frequencies[r]);
        fputs(r % ROW == ROW - 1 || r == n - 1 ? " Hz\n" : "", out);
    }
    fputs("  No effective masses: the modes leave the centre of mass and the momentum at rest.\n",
          out);
}

// How many quantities there are, and the first of them.
static void print_recovery(FILE *out, const lb_modal_body *body)
{
    int count = 0;
    for (int i = 0; i < body->recovery_count; ++i) {
        count += body->recovery[i].rows;
    }
    if (count == 0) {
        return;
    }
    fprintf(out, "\nRecovered quantities: %d, %s a static correction\n", count,
            body->recovery[0].response ? "with" : "without");
    for (int i = 0; i < body->recovery_count; ++i) {
        const lb_fe_recovery *r = &body->recovery[i];
        fprintf(out, "  %-4s %6d:", r->name, r->rows);
        for (int k = 0; k < r->rows && k < 3; ++k) {
            fprintf(out, "%s %s", k ? "," : "", r->what[k]);
        }
        fprintf(out, "%s\n", r->rows > 3 ? ", ..." : "");
    }
}

// What the modes are made of, where they are not those of one eigenproblem.
static void print_basis(FILE *out, const lb_imported *imported)
{
    const lb_import_checks *c = &imported->checks;
    if (imported->interface_count > 0) {
        fprintf(out, "  Craig-Bampton: %d modes with the interfaces held, %d static shapes of",
                c->normal_count, c->constraint_count);
        for (int i = 0; i < imported->interface_count; ++i) {
            fprintf(out, "%s %s", i > 0 ? "," : "", imported->interfaces[i]);
        }
        fprintf(out, c->rigid_count > 0 ? "; %d rigid motions are taken out.\n" : ".\n",
                c->rigid_count);
    }
    if (c->residual_modes + c->dropped_count > 0) {
        fprintf(out, "  Residual modes: %d", c->residual_modes);
        if (imported->interface_count == 0 && c->residual_modes > 0) {
            fprintf(out, ", from mode %d on", c->normal_count + 1);
        }
        fprintf(out,
                c->dropped_count > 0
                    ? "; %d further loads need none, since the other modes have their deflection.\n"
                    : ".\n",
                c->dropped_count);
    }
}

static void print_residuals(FILE *out, const lb_import_checks *c)
{
    if (c->other_count > 0) {
        fputs("\nFree of clamps, Hz: ", out);
        for (int i = 0; i < c->other_count; ++i) {
            fprintf(out, " %.7g", c->others[i]);
        }
        fputc('\n', out);
    }
    if (c->residual_count == 0) {
        return;
    }
    fputs("\nStatic flexibility at nodes (m/N, rad/(N m)), and what the modes leave out of it\n",
          out);
    for (int i = 0; i < c->residual_count; ++i) {
        const struct lb_residual *found = &c->residuals[i];
        // what is rounding shows as nothing
        const double lacks = found->whole > 0.0 ? fmax(1 - found->modes / found->whole, 0.0) : 0.0;
        char number[32];
        snprintf(number, sizeof number, "%ld", found->node);
        fprintf(out, "  node %s %-2s  %11.4e  %6.2f %%\n", found->name ? found->name : number,
                directions[found->direction], found->whole, 100 * lacks);
    }
}

static void print_text(FILE *out, const void *data)
{
    const findings *all = data;
    const lb_imported *imported = all->imported;
    const lb_import_facts *f = &all->facts;
    const lb_import_checks *c = &imported->checks;
    fprintf(out, "%s:", imported->body.format);
    for (int i = 0; i < lb_count_files(&imported->import); ++i) {
        fprintf(out, " %s", imported->source_names[i]);
    }
    if (c->has_structure) {
        fprintf(out, "\n%d nodes, %d rows", c->node_count, c->row_count);
        if (c->modal_count > 0) {
            fprintf(out, ", %d of them modal coordinates", c->modal_count);
        }
    } else {
        fprintf(out, "\n%d nodes", imported->body.flex.node_count);
    }
    fprintf(out, "\nUnits of the files: %g m, %g kg, %g s\n\n", imported->units.length,
            imported->units.mass, imported->units.time);
    fprintf(out, "Mass               %.10g kg\n", f->mass);
    fprintf(out, "Centre of mass     %.7g %.7g %.7g m\n", f->centre[0], f->centre[1], f->centre[2]);
    fprintf(out, "Inertia about it   %.6g %.6g %.6g %.6g %.6g %.6g kg m^2 (xx yy zz xy xz yz)\n",
            f->inertia[0], f->inertia[1], f->inertia[2], f->inertia[3], f->inertia[4],
            f->inertia[5]);
    fprintf(out, "Principal moments  %.6g %.6g %.6g kg m^2\n", f->principal[0], f->principal[1],
            f->principal[2]);
    print_modes(out, imported, f);
    if (c->possible_count > c->normal_count) {
        fprintf(out,
                "  The lowest %d of %d modes, none missing: --modes or --below asks for others.\n",
                c->normal_count, c->possible_count);
    }
    print_basis(out, imported);
    print_residuals(out, c);
    fputs("\nChecks\n", out);
    for (int i = 0; i < all->verdict_count; ++i) {
        const verdict *v = &all->verdicts[i];
        fprintf(out, "  %-4s %s: %s\n", v->is_good ? "ok" : "LOOK", v->name, v->words);
    }
    fputs(imported->kept_count > 0
              ? "\nNodes for models:"
              : "\nNodes for models: none has rotations; a body file needs some by name (--nodes)",
          out);
    for (int i = 0; i < imported->kept_count && i < 40; ++i) {
        fprintf(out, " %s", imported->body.flex.nodes[i].name);
    }
    fprintf(out, "%s\n", imported->kept_count > 40 ? " ..." : "");
    print_recovery(out, &imported->body);
}

// ---- JSON --------------------------------------------------------------------------------------

// Bytes of the character at the beginning of a text: 0 if it is no UTF-8.
static int get_character(const unsigned char *c)
{
    const int length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    // neither longer than needed, nor halves of pairs, nor beyond Unicode
    const bool is_wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
                          (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) ||
                          c[0] > 0xf4;
    return is_wrong ? 0 : length;
}

// Names of files may be in any code: what is no UTF-8 shows as '?'.
void lb_put_json_string(FILE *out, const char *before, const char *text)
{
    fprintf(out, "%s\"", before);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int length = get_character(c);
        if (*c < ' ') {
            fprintf(out, "\\u%04x", *c);
        } else if (length == 0) {
            fputc('?', out);
        } else {
            fputs(*c == '"' || *c == '\\' ? "\\" : "", out);
            fwrite(c, 1, (size_t)length, out);
        }
        c += length > 0 ? length : 1;
    }
    fputc('"', out);
}

void lb_put_json_numbers(FILE *out, const char *before, int count, const double *values)
{
    fprintf(out, "%s[", before);
    for (int i = 0; i < count; ++i) {
        fprintf(out, isfinite(values[i]) ? "%s%.17g" : "%snull", i ? ", " : "", values[i]);
    }
    fputc(']', out);
}

static void print_json(FILE *out, const void *data)
{
    const findings *all = data;
    const lb_imported *imported = all->imported;
    const lb_import_facts *f = &all->facts;
    const int n = imported->body.flex.mode_count;
    const lb_import_checks *c = &imported->checks;
    lb_put_json_string(out, "{\"format\": ", imported->body.format);
    fputs(",\n \"files\": [", out);
    for (int i = 0; i < lb_count_files(&imported->import); ++i) {
        lb_put_json_string(out, i ? ", {\"name\": " : "{\"name\": ", imported->source_names[i]);
        fprintf(out, ", \"sha256\": \"%s\"}", imported->source_hashes[i]);
    }
    fprintf(out, "],\n \"nodes\": %d, \"rows\": %d, \"modal_coordinates\": %d",
            imported->body.flex.node_count, c->row_count, c->modal_count);
    const double units[3] = {imported->units.length, imported->units.mass, imported->units.time};
    lb_put_json_numbers(out, ",\n \"units\": ", 3, units);
    fprintf(out, ",\n \"inertia_order\": %d, ", (int)imported->body.order);
    fprintf(out, isfinite(f->mass) ? "\"mass\": %.17g" : "\"mass\": null", f->mass);
    lb_put_json_numbers(out, ", \"centre\": ", 3, f->centre);
    lb_put_json_numbers(out, ", \"inertia\": ", 6, f->inertia);
    lb_put_json_numbers(out, ", \"principal\": ", 3, f->principal);
    lb_put_json_numbers(out, ",\n \"whole\": ", 6, f->whole);
    fprintf(out, ",\n \"boundary\": \"%s\"", get_boundary(imported));
    lb_put_json_numbers(out, ", \"frequencies\": ", n, f->frequencies);
    if (f->damping) {
        lb_put_json_numbers(out, ",\n \"damping_ratios\": ", n, f->damping);
    }
    fprintf(out, ",\n \"coupled\": %s,\n \"effective\": [", f->shapes ? "true" : "false");
    for (int r = 0; r < n; ++r) {
        lb_put_json_numbers(out, r ? ",\n  " : "\n  ", 6, f->effective[r]);
    }
    fputs("],\n ", out);
    if (c->has_structure) {
        fprintf(out,
                "\"reduction\": {\"normal\": %d, \"constraint\": %d, \"residual\": %d, "
                "\"dropped\": %d, \"rigid\": %d, \"interfaces\": [",
                c->normal_count, c->constraint_count, c->residual_modes, c->dropped_count,
                c->rigid_count);
        for (int i = 0; i < imported->interface_count; ++i) {
            lb_put_json_string(out, i > 0 ? ", " : "", imported->interfaces[i]);
        }
        fputs("]},\n ", out);
    }
    lb_put_json_numbers(out, "\"free_frequencies\": ", c->other_count, c->others);
    fputs(",\n \"flexibility\": [", out);
    for (int i = 0; i < c->residual_count; ++i) {
        const struct lb_residual *found = &c->residuals[i];
        fprintf(out, "%s{\"node\": %ld, ", i ? ",\n  " : "\n  ", found->node);
        if (found->name) {
            lb_put_json_string(out, "\"name\": ", found->name);
            fputs(", ", out);
        }
        fprintf(out, "\"direction\": \"%s\", \"whole\": %.17g, \"modes\": %.17g}",
                directions[found->direction], found->whole, found->modes);
    }
    fputs("],\n \"recovery\": [", out);
    for (int i = 0; i < imported->body.recovery_count; ++i) {
        const lb_fe_recovery *rows = &imported->body.recovery[i];
        lb_put_json_string(out, i ? ", {\"name\": " : "{\"name\": ", rows->name);
        fprintf(out, ", \"rows\": %d, \"corrected\": %s}", rows->rows,
                rows->response ? "true" : "false");
    }
    fputs("],\n \"checks\": [", out);
    for (int i = 0; i < all->verdict_count; ++i) {
        const verdict *v = &all->verdicts[i];
        lb_put_json_string(out, i ? ",\n  {\"name\": " : "\n  {\"name\": ", v->name);
        fprintf(out, ", \"good\": %s", v->is_good ? "true" : "false");
        lb_put_json_string(out, ", \"words\": ", v->words);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

// ---- both --------------------------------------------------------------------------------------

// Prints into memory of a fixed size, since streams that grow do not tell when memory is out.
//
// @param fits  out: whether it was large enough
static lb_status print_to(lb_printer *print, const void *data, char *text, size_t size, bool *fits)
{
    FILE *out = fmemopen(text, size, "w");
    char buffer[4096];
    if (!out) {
        return LB_E_MEMORY;
    }
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
    print(out, data);
    *fits = fflush(out) == 0 && !ferror(out) && ftell(out) < (long)size - 1;
    fclose(out);
    return LB_OK;
}

lb_status lb_print_report(lb_printer *print, const void *data, char **text)
{
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return LB_E_MEMORY;
    }
    const locale_t before = uselocale(plain);
    lb_status status = LB_OK;
    bool fits = false;
    *text = NULL;
    for (size_t size = 1 << 14; status == LB_OK && !fits; size *= 2) {
        free(*text);
        *text = size <= (size_t)1 << 30 ? calloc(size, 1) : NULL;
        status = *text ? print_to(print, data, *text, size, &fits) : LB_E_MEMORY;
    }
    if (status != LB_OK) {
        free(*text);
        *text = NULL;
    }
    uselocale(before);
    freelocale(plain);
    return status;
}

lb_status lb_describe_import(lb_imported *imported)
{
    findings f = {.imported = imported};
    lb_status status = lb_find_import_facts(&imported->import.arena, &imported->body, &f.facts);
    if (status == LB_OK) {
        f.verdict_count = judge(imported, &f.facts, f.verdicts);
        status = lb_print_report(print_text, &f, &imported->text);
    }
    return status == LB_OK ? lb_print_report(print_json, &f, &imported->json) : status;
}
