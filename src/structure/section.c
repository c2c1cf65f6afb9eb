// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Materials and cross-sections.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "fe.h"
#include "sections.h"

// ---- materials ---------------------------------------------------------------------------------

// Common handbook values at room temperature; the guide prints the same table.
static const struct {
    const char *name;
    lb_material material;
} materials[] = {
    {"aluminium", {70e9, 26e9, 2700}},        {"steel", {210e9, 81e9, 7850}},
    {"stainless-steel", {193e9, 77e9, 8000}}, {"titanium", {114e9, 44e9, 4430}},
    {"magnesium", {45e9, 17e9, 1770}},        {"copper", {120e9, 45e9, 8960}},
    {"brass", {100e9, 37e9, 8500}},           {"invar", {141e9, 56e9, 8050}},
    {"carbon-epoxy", {70e9, 27e9, 1600}},
};

static bool has_material(int index)
{
    return index >= 0 && (size_t)index < sizeof materials / sizeof *materials;
}

int lb_find_material(const char *name)
{
    int index = 0;
    name = strcmp(name, "aluminum") == 0 ? "aluminium" : name;
    while (has_material(index) && strcmp(materials[index].name, name) != 0) {
        ++index;
    }
    return has_material(index) ? index : LB_NOT_FOUND;
}

lb_status lb_get_material(int index, lb_material *material)
{
    if (!has_material(index)) {
        return LB_E_ARGUMENT;
    }
    *material = materials[index].material;
    return LB_OK;
}

const char *lb_get_material_name(int index)
{
    return has_material(index) ? materials[index].name : NULL;
}

bool lb_fe_check_material(lb_fe_context *context, const char *path, const lb_material *material)
{
    const struct {
        const char *key;
        double value;
    } needed[] = {{"E", material->E}, {"G", material->G}, {"rho", material->rho}};
    bool good = true;
    for (int i = 0; i < 3; ++i) {
        char where[256];
        if (!(needed[i].value > 0) || !isfinite(needed[i].value)) {
            snprintf(where, sizeof where, "%s.%s", path, needed[i].key);
            lb_fe_fail(context, where, "%g found, expected a positive number (%s)", needed[i].value,
                       i == 2 ? "kg/m^3" : "Pa");
            good = false;
        }
    }
    return good;
}

// ---- shapes ------------------------------------------------------------------------------------

static const char *const type_names[] = {"general", "tube", "rectangle", "I"};

const char *lb_get_section_type_name(lb_section_type type)
{
    return type >= 0 && type < LB_SECTION_TYPE_COUNT ? type_names[type] : "?";
}

// Torsion constant of a solid rectangle, Saint-Venant's series, a >= b:
//
//     J = a b^3 / 3 (1 - 192/pi^5 b/a sum over odd n of tanh(n pi a / 2b) / n^5)        (BM-12)
static double get_rectangle_torsion(double width, double height)
{
    const double a = fmax(width, height), b = fmin(width, height);
    double sum = 0.0;
    for (int n = 1; n < 200; n += 2) {
        sum += tanh(n * LB_FE_PI * a / (2 * b)) / pow(n, 5);
    }
    return a * b * b * b / 3 * (1 - 192 / pow(LB_FE_PI, 5) * b / a * sum);
}

static void fill_tube(const lb_section *s, double nu, lb_section *p)
{
    const double ro = 0.5 * s->diameter, ri = s->wall > 0 ? ro - s->wall : 0.0;
    const double m = ri / ro, k = (1 + m * m) * (1 + m * m);
    p->A = LB_FE_PI * (ro * ro - ri * ri);
    p->Iy = p->Iz = LB_FE_PI / 4 * (pow(ro, 4) - pow(ri, 4));
    p->J = 2 * p->Iy;
    // Cowper 1966
    p->Ay = p->Az = p->A * 6 * (1 + nu) * k / ((7 + 6 * nu) * k + (20 + 12 * nu) * m * m);
}

static void fill_rectangle(const lb_section *s, lb_section *p)
{
    const double b = s->width, h = s->height, t = s->wall;
    p->A = b * h;
    p->Iy = b * h * h * h / 12;
    p->Iz = h * b * b * b / 12;
    p->J = get_rectangle_torsion(b, h);
    p->Ay = p->Az = 5.0 / 6.0 * p->A;
    if (t > 0) {
        const double bi = b - 2 * t, hi = h - 2 * t, bm = b - t, hm = h - t;
        p->A -= bi * hi;
        p->Iy -= bi * hi * hi * hi / 12;
        p->Iz -= hi * bi * bi * bi / 12;
        p->J = 2 * t * bm * bm * hm * hm / (bm + hm); // Bredt, one cell
        p->Ay = 2 * t * b;
        p->Az = 2 * t * h;
    }
}

static void fill_i(const lb_section *s, lb_section *p)
{
    const double b = s->width, h = s->height, tw = s->web, tf = s->flange, hi = h - 2 * tf;
    p->A = 2 * b * tf + hi * tw;
    p->Iy = (b * h * h * h - (b - tw) * hi * hi * hi) / 12;
    p->Iz = (2 * tf * b * b * b + hi * tw * tw * tw) / 12;
    p->J = (2 * b * tf * tf * tf + (h - tf) * tw * tw * tw) / 3; // thin and open
    p->Ay = 5.0 / 6.0 * 2 * b * tf;
    p->Az = h * tw;
}

// Dimensions must be positive, walls thinner than half of what they leave room for.
static bool check_dimensions(lb_fe_context *context, const char *where, const lb_section *s)
{
    const double half = 0.5 * fmin(s->width, s->height);
    const struct {
        lb_section_type type;
        const char *key;
        double value, below; // below: 0 for no bound
        bool zero;           // may be zero
    } rules[] = {
        {LB_SECTION_TUBE, "diameter", s->diameter, 0, false},
        {LB_SECTION_TUBE, "wall", s->wall, 0.5 * s->diameter, true},
        {LB_SECTION_RECTANGLE, "width", s->width, 0, false},
        {LB_SECTION_RECTANGLE, "height", s->height, 0, false},
        {LB_SECTION_RECTANGLE, "wall", s->wall, half, true},
        {LB_SECTION_I, "width", s->width, 0, false},
        {LB_SECTION_I, "height", s->height, 0, false},
        {LB_SECTION_I, "web", s->web, s->width, false},
        {LB_SECTION_I, "flange", s->flange, 0.5 * s->height, false},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && good; ++i) {
        const double x = rules[i].value;
        char path[256];
        if (rules[i].type != s->type || (rules[i].zero && x == 0)) {
            continue;
        }
        snprintf(path, sizeof path, "%s.%s", where, rules[i].key);
        if (!(x > 0) || !isfinite(x)) {
            lb_fe_fail(context, path, "%g found, expected a positive length (m)", x);
            good = false;
        } else if (rules[i].below > 0 && x > rules[i].below) {
            lb_fe_fail(context, path, "%g m found, expected at most %g m", x, rules[i].below);
            good = false;
        }
    }
    return good;
}

static bool fill_section(lb_fe_context *context, const char *where, const lb_section *s,
                         const lb_material *material, lb_section *p)
{
    *p = (lb_section){.size = sizeof *p, .type = LB_SECTION_GENERAL};
    if ((int)s->type < 0 || s->type >= LB_SECTION_TYPE_COUNT) {
        lb_fe_fail(context, where, "%d found, expected one of lb_section_type", (int)s->type);
        return false;
    }
    if (!check_dimensions(context, where, s)) {
        return false;
    }
    switch (s->type) {
    case LB_SECTION_TUBE:
        fill_tube(s, material->E / (2 * material->G) - 1, p);
        break;
    case LB_SECTION_RECTANGLE:
        fill_rectangle(s, p);
        break;
    case LB_SECTION_I:
        fill_i(s, p);
        break;
    default:
        break;
    }
    // what is given beats what follows from the shape
    const double given[] = {s->A, s->Iy, s->Iz, s->J, s->Ay, s->Az};
    double *const found[] = {&p->A, &p->Iy, &p->Iz, &p->J, &p->Ay, &p->Az};
    static const char *const keys[] = {"A", "Iy", "Iz", "J", "Ay", "Az"};
    bool good = true;
    for (int i = 0; i < 6; ++i) {
        char path[256];
        if (given[i] != 0) {
            *found[i] = given[i];
        } else if (i == 3 && s->type == LB_SECTION_GENERAL) {
            p->J = p->Iy + p->Iz;
        }
        snprintf(path, sizeof path, "%s.%s", where, keys[i]);
        const double x = *found[i];
        if (!isfinite(x) || x < 0 || (x == 0 && i < 4)) {
            lb_fe_fail(context, path, "%g found, expected a positive number (%s)", x,
                       i == 0 || i > 3 ? "m^2" : "m^4");
            good = false;
        }
    }
    return good;
}

lb_status lb_compute_section(const lb_section *section, const lb_material *material,
                             const char *where, const lb_report *report, lb_section *properties)
{
    lb_fe_context context;
    lb_section given, own;
    lb_fe_init(&context, NULL, report);
    if (lb_fe_take_section(where, section, report, &given) != LB_OK ||
        lb_fe_take_section(where, properties, report, &own) != LB_OK) {
        return LB_E_VERSION;
    }
    bool good = fill_section(&context, where, &given, material, &own);
    if (given.type == LB_SECTION_TUBE && !(isfinite(material->E) && isfinite(material->G))) {
        lb_fe_fail(&context, where, "E or G of the material is not a finite number");
        good = false;
    }
    (void)lb_give_sized(&own, sizeof own, LB_SIZE_THROUGH(lb_section, type), properties);
    return good ? LB_OK : LB_E_MODEL;
}

// ---- along a member ----------------------------------------------------------------------------

static bool check_shear(lb_fe_context *context, const char *path, const lb_section *p,
                        lb_beam_theory theory)
{
    if (theory == LB_THEORY_TIMOSHENKO && !(p->Ay > 0 && p->Az > 0)) {
        lb_fe_fail(context, path,
                   "no shear areas given: Timoshenko's beam needs Ay and Az of a general section");
        return false;
    }
    return true;
}

// What one of two neighbours of a type has, the other must have: a wall that grows from zero would be
// a solid section that turns hollow.
static bool check_pair(lb_fe_context *context, const char *path, const lb_section *a,
                       const lb_section *b)
{
    const double x[] = {a->wall, a->A, a->Iy, a->Iz, a->J, a->Ay, a->Az};
    const double y[] = {b->wall, b->A, b->Iy, b->Iz, b->J, b->Ay, b->Az};
    static const char *const keys[] = {"wall", "A", "Iy", "Iz", "J", "Ay", "Az"};
    for (int i = 0; i < 7 && a->type == b->type; ++i) {
        if ((x[i] == 0) != (y[i] == 0)) {
            lb_fe_fail(context, path, "only one of this station and the one before it has \"%s\"",
                       keys[i]);
            return false;
        }
    }
    return true;
}

bool lb_fe_check_stations(lb_fe_context *context, const char *path, double length,
                          const lb_section *section, const lb_station *stations, int station_count,
                          const lb_material *material, lb_beam_theory theory)
{
    char where[256];
    lb_section p;
    if (station_count == 0) {
        snprintf(where, sizeof where, "%s%ssection", path, *path ? "." : "");
        return fill_section(context, where, section, material, &p) &&
               check_shear(context, where, &p, theory);
    }
    bool good = true;
    for (int i = 0; i < station_count; ++i) {
        snprintf(where, sizeof where, "%s%sstations[%d].section", path, *path ? "." : "", i);
        good = fill_section(context, where, stations[i].section, material, &p) &&
               check_shear(context, where, &p, theory) && good;
        snprintf(where, sizeof where, "%s%sstations[%d].at", path, *path ? "." : "", i);
        if (i > 0 && !check_pair(context, where, stations[i - 1].section, stations[i].section)) {
            good = false;
        }
        if (i > 0 && !(stations[i].at > stations[i - 1].at)) {
            lb_fe_fail(context, where, "%g m found after %g m, expected rising distances",
                       stations[i].at, stations[i - 1].at);
            good = false;
        }
    }
    // 1e-9: lengths along a polygon are sums
    snprintf(where, sizeof where, "%s%sstations", path, *path ? "." : "");
    if (station_count < 2) {
        lb_fe_fail(
            context, where,
            "one station found, expected at least two; a uniform member has a \"section\" instead");
        return false;
    }
    const double first = stations[0].at, last = stations[station_count - 1].at;
    if (!(fabs(first) <= 1e-9 * length) || !(fabs(last - length) <= 1e-9 * length)) {
        lb_fe_fail(context, where, "from %g to %g m found, expected stations from 0 to %.15g m",
                   first, last, length);
        return false;
    }
    return good;
}

lb_section lb_fe_get_section(const lb_section *section, const lb_station *stations,
                             int station_count, const lb_material *material, double at)
{
    lb_fe_context silent = {.errors = 0};
    lb_section p;
    if (station_count == 0) {
        fill_section(&silent, "", section, material, &p);
        return p;
    }
    int i = 0;
    while (i + 2 < station_count && at > stations[i + 1].at) {
        ++i;
    }
    lb_section a = *stations[i].section, b = *stations[i + 1].section;
    const double w = (at - stations[i].at) / (stations[i + 1].at - stations[i].at);
    if (a.type != b.type) {
        fill_section(&silent, "", stations[i].section, material, &a);
        fill_section(&silent, "", stations[i + 1].section, material, &b);
    }
    double *const to[] = {&a.diameter, &a.wall, &a.width, &a.height, &a.web, &a.flange,
                          &a.A,        &a.Iy,   &a.Iz,    &a.J,      &a.Ay,  &a.Az};
    const double from[] = {b.diameter, b.wall, b.width, b.height, b.web, b.flange,
                           b.A,        b.Iy,   b.Iz,    b.J,      b.Ay,  b.Az};
    for (int j = 0; j < 12; ++j) {
        *to[j] += w * (from[j] - *to[j]);
    }
    fill_section(&silent, "", &a, material, &p);
    return p;
}
