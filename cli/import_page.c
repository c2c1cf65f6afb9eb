// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of an import as a page. Every text of a file goes through put_text, so that none is taken for markup.
#include "import_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

enum {
    ROWS_MOST = 100, // modes in tables
    NAMES_MOST = 40  // nodes that are listed
};

static const char *const directions[6] = {"x", "y", "z", "rx", "ry", "rz"};

static const char style[] =
    ":root{color-scheme:light}"
    "*{box-sizing:border-box}"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica "
    "Neue',Arial,sans-serif;"
    "color:#1d2530;background:#fff;margin:0 auto;padding:1.2rem 1rem 3rem;max-width:62rem}"
    "h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-bottom:.25rem;border-bottom:2px solid "
    "#e3e7ec}"
    "p{margin:.4rem 0}.soft{color:#5c6773}"
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.7rem;"
    "margin:1.1rem 0}"
    ".facts div{background:#f4f6f9;border-radius:.5rem;padding:.6rem .8rem}"
    ".facts b{display:block;font-size:1.25rem;font-weight:600;overflow-wrap:anywhere}"
    ".facts span{color:#5c6773;font-size:.85rem}"
    "table.full{width:100%}td.soft{color:#a3abb5}"
    ".facts .good{background:#e5f4ea}.facts .look{background:#fdf0d8}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}"
    "th,td{padding:.22rem .65rem;text-align:right;border-bottom:1px solid "
    "#e8ebef;white-space:nowrap}"
    "th{font-weight:600;color:#3c4754}th:first-child,td.name{text-align:left}"
    "td.name{white-space:normal}td .chip{min-width:0}"
    "td.bar{min-width:4.6rem;background:linear-gradient(to right,#cfe2f3 var(--p),transparent 0)}"
    "tr.sum td{font-weight:600;border-top:2px solid #c4cbd4}"
    "tr.sum td.bar{background:linear-gradient(to right,#a9cbe8 var(--p),transparent 0)}"
    "ul.checks{list-style:none;padding:0;margin:0}"
    "ul.checks li{display:flex;gap:.7rem;padding:.38rem 0;border-bottom:1px solid #e8ebef}"
    ".chip{flex:none;align-self:flex-start;min-width:3.6rem;text-align:center;border-radius:1rem;"
    "font-size:.8rem;font-weight:600;padding:.1rem .6rem}"
    ".chip.good{background:#d5eedd;color:#14602f}.chip.look{background:#fbdfa8;color:#774700}"
    ".modes{display:grid;grid-template-columns:repeat(auto-fill,minmax(16.5rem,1fr));gap:.9rem}"
    "figure{margin:0;border:1px solid #e3e7ec;border-radius:.5rem;padding:.4rem .6rem .55rem;"
    "break-inside:avoid}"
    "figcaption{font-size:.9rem}figcaption b{font-weight:600}"
    "svg{display:block;width:100%;height:auto;font:11px system-ui,sans-serif;fill:#3c4754}"
    "svg.wide{margin:.6rem 0;min-width:30rem}svg path{fill:none}"
    ".dots{stroke-linecap:round}.still{stroke:#cfd4db;stroke-width:.8}"
    ".moved{stroke:#8791a0;stroke-width:.9}"
    "path.axis{stroke:#6b7683;stroke-width:1}text.axis{text-anchor:middle;fill:#6b7683;font-size:"
    "10px}"
    ".grid{stroke:#e3e7ec}.frame{stroke:#6b7683}.mark{stroke:#1d2530;stroke-width:1.2}"
    ".sum{stroke-width:2}.turn{stroke-dasharray:5 3}"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.85rem;color:#3c4754}"
    ".legend i{display:inline-block;width:1.5rem;border-top:3px solid;vertical-align:middle;"
    "margin-right:.35rem}.legend i.dash{border-top-style:dashed}"
    "svg.mac{margin:.6rem 0}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:"
    "1rem 2rem;"
    "align-items:start}"
    "code{font-size:.8rem;overflow-wrap:anywhere;color:#5c6773}"
    "footer{margin-top:2.5rem;color:#5c6773;font-size:.85rem}"
    "@media(max-width:34rem){table{font-size:.82rem}th,td{padding:.2rem .35rem}"
    "td.bar{min-width:3.2rem}svg.wide{min-width:26rem}}"
    "@media print{@page{margin:14mm}body{padding:0;max-width:none;font-size:10pt}"
    ".facts{grid-template-columns:repeat(5,1fr)}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
    "h2{break-after:avoid}.modes{grid-template-columns:repeat(3,1fr)}.scroll{overflow:visible}"
    "svg.wide{min-width:0}tr,li{break-inside:avoid}}";

// ---- texts and numbers -------------------------------------------------------------------------

static void put_text(FILE *out, const char *text)
{
    for (; text && *text; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'') {
            fprintf(out, "&#%d;", c);
        } else {
            fputc(c < ' ' || c == 0x7f ? '?' : c, out);
        }
    }
}

static void put_string(FILE *out, const json_t *value)
{
    put_text(out, json_string_value(value));
}

static double get_number(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static double get_item(const json_t *list, size_t i)
{
    return get_number(json_array_get(list, i));
}

static double get_member(const json_t *object, const char *key)
{
    return get_number(json_object_get(object, key));
}

// A number in a cell, or a dash.
static void put_cell(FILE *out, const char *format, double value)
    __attribute__((format(printf, 2, 0)));
static void put_cell(FILE *out, const char *format, double value)
{
    fputs("<td>", out);
    if (isfinite(value)) {
        fprintf(out, format, value);
    } else {
        fputs("\xe2\x80\x93", out);
    }
    fputs("</td>", out);
}

// What lists of numbers hold; to be freed.
static double *copy_numbers(const json_t *list, size_t *count)
{
    *count = json_array_size(list);
    double *numbers = lb_cli_calloc(*count + 1, sizeof *numbers);
    for (size_t i = 0; i < *count; ++i) {
        numbers[i] = get_item(list, i);
    }
    return numbers;
}

// ---- the head ----------------------------------------------------------------------------------

static void put_fact(FILE *out, const char *class, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put_fact(FILE *out, const char *class, const char *what, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(out, "<div class=\"%s\"><b>", class);
    vfprintf(out, format, arguments);
    fprintf(out, "</b><span>%s</span></div>", what);
    va_end(arguments);
}

static size_t count_looks(const json_t *report)
{
    const json_t *check;
    size_t i, count = 0;
    json_array_foreach(json_object_get(report, "checks"), i, check)
    {
        count += !json_is_true(json_object_get(check, "good"));
    }
    return count;
}

static void put_head(FILE *out, const char *name, const json_t *report)
{
    const json_t *frequencies = json_object_get(report, "frequencies"),
                 *units = json_object_get(report, "units");
    const size_t looks = count_looks(report);
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"><title>",
          out);
    put_text(out, name);
    fprintf(out, "</title><style>%s</style></head><body>\n<header><p class=\"soft\">", style);
    put_string(out, json_object_get(report, "format"));
    fputs("</p><h1>", out);
    put_text(out, name);
    fprintf(out, "</h1><p class=\"soft\">%.0f node%s", get_member(report, "nodes"),
            get_member(report, "nodes") == 1 ? "" : "s");
    if (get_member(report, "rows") > 0) {
        fprintf(out, ", %.0f rows", get_member(report, "rows"));
    }
    fprintf(out, "; units of the files: %g m, %g kg, %g s</p></header>\n<div class=\"facts\">",
            get_item(units, 0), get_item(units, 1), get_item(units, 2));
    put_fact(out, "", "mass", "%.6g kg", get_member(report, "mass"));
    put_fact(out, "", "modes", "%d", (int)json_array_size(frequencies));
    if (isfinite(get_item(frequencies, 0))) {
        put_fact(out, "", "first frequency", "%.5g Hz", get_item(frequencies, 0));
    }
    put_fact(out, "", "order of inertia in the deformation", "%.0f",
             get_member(report, "inertia_order"));
    put_fact(out, looks ? "look" : "good",
             looks == 1 ? "check needs a look"
             : looks    ? "checks need a look"
                        : "checks passed",
             "%d of %d", (int)(looks ? looks : json_array_size(json_object_get(report, "checks"))),
             (int)json_array_size(json_object_get(report, "checks")));
    fputs("</div>\n", out);
}

// ---- checks and mass ---------------------------------------------------------------------------

static void put_note(FILE *out, bool is_good, const char *name, const char *words)
{
    fprintf(out, "<li><span class=\"chip %s</span><span><b>",
            is_good ? "good\">ok" : "look\">look");
    put_text(out, name);
    fputs("</b> ", out);
    put_text(out, words);
    fputs("</span></li>\n", out);
}

static void put_checks(FILE *out, const json_t *report)
{
    const json_t *check;
    size_t i;
    fputs("<section><h2>Checks</h2><ul class=\"checks\">\n", out);
    json_array_foreach(json_object_get(report, "checks"), i, check)
    {
        put_note(out, json_is_true(json_object_get(check, "good")),
                 json_string_value(json_object_get(check, "name")),
                 json_string_value(json_object_get(check, "words")));
    }
    fputs("</ul></section>\n", out);
}

// Three numbers of a list, from `first` on.
static void put_row(FILE *out, const char *name, const json_t *values, size_t first)
{
    fprintf(out, "<tr><td class=\"name\">%s</td>", name);
    for (size_t i = 0; i < 3; ++i) {
        put_cell(out, "%.6g", get_item(values, first + i));
    }
    fputs("</tr>", out);
}

static void put_mass(FILE *out, const json_t *report)
{
    const json_t *inertia = json_object_get(report, "inertia");
    fputs("<section><h2>Mass</h2><div class=\"scroll\"><table><tr><th></th><th>x</th><th>y</th>"
          "<th>z</th></tr>",
          out);
    put_row(out, "centre of mass, m", json_object_get(report, "centre"), 0);
    put_row(out, "inertia about it xx yy zz, kg m\xc2\xb2", inertia, 0);
    put_row(out, "products xy xz yz, kg m\xc2\xb2", inertia, 3);
    put_row(out, "principal moments, kg m\xc2\xb2", json_object_get(report, "principal"), 0);
    fputs("</table></div></section>\n", out);
}

// ---- modes -------------------------------------------------------------------------------------

// Effective masses as parts of the whole. Free bodies, whose modes have none, give NULL; to be freed.
typedef double parts[6];
static parts *get_parts(const json_t *report, size_t count)
{
    const json_t *whole = json_object_get(report, "whole"),
                 *effective = json_object_get(report, "effective");
    parts *found = lb_cli_calloc(count + 1, sizeof *found);
    bool any = false;
    for (size_t r = 0; r < count; ++r) {
        for (size_t k = 0; k < 6; ++k) {
            found[r][k] = get_item(json_array_get(effective, r), k) / get_item(whole, k);
            any = any || found[r][k] > 1e-9;
        }
    }
    if (!any) {
        free(found);
        found = NULL;
    }
    return found;
}

static void put_bar(FILE *out, double part)
{
    if (!isfinite(part)) {
        fputs("<td>\xe2\x80\x93</td>", out);
        return;
    }
    fprintf(out, "<td class=\"bar%s\" style=\"--p:%.1f%%\">%.2f</td>",
            fabs(part) < 5e-5 ? " soft" : "", 100 * fmin(1.0, fmax(0.0, part)), 100 * part);
}

static void put_effective(FILE *out, size_t count, const double *frequencies,
                          const parts *effective)
{
    parts sums = {0};
    fputs("<div class=\"legend\">", out);
    for (int k = 0; k < 6; ++k) {
        fprintf(out, "<span><i%s style=\"border-color:%s\"></i>%s %s</span>",
                k < 3 ? "" : " class=\"dash\"", lb_cli_direction_colours[k],
                k < 3 ? "along" : "about", directions[k % 3]);
    }
    fputs(
        "</div><p class=\"soft\">Effective mass in % of the body\xe2\x80\x99s mass, and effective "
        "inertia in % of its inertia about the origin.</p><div class=\"scroll\"><table "
        "class=\"full\"><tr><th>mode"
        "</th><th>Hz</th>",
        out);
    for (int k = 0; k < 6; ++k) {
        fprintf(out, "<th>%s</th>", directions[k]);
    }
    fputs("</tr>\n", out);
    for (size_t r = 0; r < count; ++r) {
        if (r < ROWS_MOST) {
            fprintf(out, "<tr><td class=\"name\">%d</td>", (int)r + 1);
            put_cell(out, "%.6g", frequencies[r]);
        }
        for (int k = 0; k < 6; ++k) {
            sums[k] += effective[r][k];
            if (r < ROWS_MOST) {
                put_bar(out, effective[r][k]);
            }
        }
        fputs(r < ROWS_MOST ? "</tr>\n" : "", out);
    }
    fputs("<tr class=\"sum\"><td class=\"name\">sum</td><td></td>", out);
    for (int k = 0; k < 6; ++k) {
        put_bar(out, sums[k]);
    }
    fputs("</tr></table></div>", out);
}

static void put_frequencies(FILE *out, size_t count, const double *frequencies)
{
    const size_t shown = count < ROWS_MOST ? count : ROWS_MOST;
    fputs("<p class=\"soft\">No effective masses: the modes leave the centre of mass and the "
          "momentum at rest.</p><div class=\"scroll\"><table>",
          out);
    for (size_t r = 0; r < shown; ++r) {
        if (r % 6 == 0) {
            fprintf(out, "%s<tr><td class=\"name soft\">%d\xe2\x80\x93%d</td>", r ? "</tr>\n" : "",
                    (int)r + 1, (int)(r + 6 < shown ? r + 6 : shown));
        }
        put_cell(out, "%.6g Hz", frequencies[r]);
    }
    fputs("</tr></table></div>", out);
}

static void put_modes(FILE *out, const json_t *report)
{
    size_t count;
    double *frequencies = copy_numbers(json_object_get(report, "frequencies"), &count);
    if (count > 0) {
        parts *effective = get_parts(report, count);
        fputs("<section><h2>Modes, ", out);
        put_string(out, json_object_get(report, "boundary"));
        fputs("</h2><div class=\"scroll\">", out);
        lb_cli_draw_spectrum(out, (int)count, frequencies, (const parts *)effective);
        fputs("</div>", out);
        if (effective) {
            put_effective(out, count, frequencies, (const parts *)effective);
        } else {
            put_frequencies(out, count, frequencies);
        }
        if (count > ROWS_MOST) {
            fprintf(out, "<p class=\"soft\">The first %d of %d modes%s.</p>", ROWS_MOST, (int)count,
                    effective ? "; the sums are of all" : "");
        }
        fputs("</section>\n", out);
        free(effective);
    }
    free(frequencies);
}

// What a mode mostly is: its largest effective mass.
static void put_nature(FILE *out, const json_t *report, int mode)
{
    const json_t *whole = json_object_get(report, "whole"),
                 *effective = json_array_get(json_object_get(report, "effective"), (size_t)mode);
    double most = 0.005;
    int which = -1;
    for (int k = 0; k < 6; ++k) {
        const double part = get_item(effective, (size_t)k) / get_item(whole, (size_t)k);
        if (part > most) {
            most = part;
            which = k;
        }
    }
    if (which >= 0) {
        fprintf(out, "<br><span class=\"soft\">%.0f %% of the %s %s</span>", 100 * most,
                which < 3 ? "mass along" : "inertia about", directions[which % 3]);
    }
}

static void put_shapes(FILE *out, const json_t *report, const lb_flex_options *flex)
{
    const int count = flex->mode_count < LB_CLI_MODES_DRAWN ? flex->mode_count : LB_CLI_MODES_DRAWN;
    lb_cli_cloud cloud;
    if (count == 0 || flex->node_count == 0) {
        return;
    }
    if (!lb_cli_has_shapes(flex)) {
        fputs("<section><h2>Mode shapes</h2><p>No node of the files moves in any "
              "mode.</p></section>\n",
              out);
        return;
    }
    lb_cli_make_cloud(flex, &cloud);
    fputs("<section><h2>Mode shapes</h2><p class=\"soft\">Nodes are coloured by displacement, from "
          "blue (none) to yellow (the largest), above the body at rest in grey. Displacements are "
          "enlarged.",
          out);
    fputs(cloud.line_count > 0 ? " Lines join neighbouring nodes; elements are not known." : "",
          out);
    fputs(cloud.count < flex->node_count ? " Not all nodes are drawn." : "", out);
    fputs("</p><div class=\"modes\">\n", out);
    for (int r = 0; r < count; ++r) {
        fputs("<figure>", out);
        lb_cli_draw_mode(out, &cloud, r);
        if (json_is_true(json_object_get(report, "coupled"))) {
            // the frequencies are of modes, of which each moves all coordinates
            fprintf(out, "<figcaption><b>Coordinate %d</b>", r + 1);
        } else {
            fprintf(out, "<figcaption><b>Mode %d</b> \xc2\xb7 %.5g Hz", r + 1,
                    get_item(json_object_get(report, "frequencies"), (size_t)r));
            put_nature(out, report, r);
        }
        fputs("</figcaption></figure>\n", out);
    }
    fputs("</div></section>\n", out);
    lb_cli_free_cloud(&cloud);
}

static void put_flexibility(FILE *out, const json_t *report)
{
    const json_t *list = json_object_get(report, "flexibility"),
                 *frequencies = json_object_get(report, "free_frequencies"), *item;
    size_t i;
    if (json_array_size(frequencies) > 0) {
        fputs("<section><h2>Free of clamps</h2><p>", out);
        json_array_foreach(frequencies, i, item)
        {
            fprintf(out, "%s%.6g", i ? ", " : "", get_number(item));
        }
        fputs(" Hz</p></section>\n", out);
    }
    if (json_array_size(list) == 0) {
        return;
    }
    fputs("<section><h2>Static flexibility at nodes</h2><p class=\"soft\">What a unit force or "
          "moment "
          "does, and the part of it that the modes leave out.</p><div class=\"scroll\"><table>"
          "<tr><th>node</th><th>direction</th><th>m/N, rad/(N m)</th><th>left out, %</th></tr>",
          out);
    json_array_foreach(list, i, item)
    {
        const double whole = get_member(item, "whole"),
                     part = 1 - get_member(item, "modes") / whole;
        fputs("<tr><td class=\"name\">", out);
        if (json_object_get(item, "name")) {
            put_string(out, json_object_get(item, "name"));
        } else {
            fprintf(out, "%.0f", get_member(item, "node"));
        }
        fputs("</td><td>", out);
        put_string(out, json_object_get(item, "direction"));
        fputs("</td>", out);
        put_cell(out, "%.4e", whole);
        put_bar(out, part);
        fputs("</tr>", out);
    }
    fputs("</table></div></section>\n", out);
}

// ---- comparison --------------------------------------------------------------------------------

static void put_difference(FILE *out, const char *name, double a, double b, double of)
{
    fprintf(out, "<tr><td class=\"name\">%s</td>", name);
    put_cell(out, "%.7g", a);
    put_cell(out, "%.7g", b);
    put_cell(out, of > 0.0 ? "%+.4f %%" : "%+.4g m", of > 0.0 ? 100 * (b - a) / of : b - a);
    fputs("</tr>", out);
}

static void put_bodies(FILE *out, const json_t *a, const json_t *b)
{
    static const char *const centres[3] = {"centre x, m", "centre y, m", "centre z, m"},
                             *const moments[6] = {
                                 "inertia xx, kg m\xc2\xb2", "yy", "zz", "xy", "xz", "yz"};
    const json_t *J[2] = {json_object_get(a, "inertia"), json_object_get(b, "inertia")},
                 *c[2] = {json_object_get(a, "centre"), json_object_get(b, "centre")};
    const double mass = get_member(a, "mass"),
                 largest = fmax(get_item(J[0], 0), fmax(get_item(J[0], 1), get_item(J[0], 2)));
    fputs(
        "<div class=\"scroll\"><table><tr><th></th><th>first</th><th>second</th><th>difference</th>"
        "</tr>",
        out);
    put_difference(out, "mass, kg", mass, get_member(b, "mass"), mass);
    for (size_t k = 0; k < 3; ++k) {
        put_difference(out, centres[k], get_item(c[0], k), get_item(c[1], k), 0.0);
    }
    for (size_t k = 0; k < 6; ++k) {
        put_difference(out, moments[k], get_item(J[0], k), get_item(J[1], k), largest);
    }
    fputs("</table><p class=\"soft\">Inertia about the centre of mass; differences in % of the "
          "largest moment.</p></div>",
          out);
}

static void put_pairs(FILE *out, const json_t *comparison, const json_t *a, const json_t *b)
{
    const json_t *pair, *f = json_object_get(a, "frequencies"),
                        *g = json_object_get(b, "frequencies");
    size_t i;
    fputs("<div class=\"scroll\"><table><tr><th>mode</th><th>Hz</th><th>mode</th><th>Hz</th>"
          "<th>difference</th><th>MAC</th></tr>",
          out);
    json_array_foreach(json_object_get(comparison, "pairs"), i, pair)
    {
        const size_t r = (size_t)json_integer_value(json_array_get(pair, 0)) - 1,
                     s = (size_t)json_integer_value(json_array_get(pair, 1)) - 1;
        const double mac = get_item(json_array_get(json_object_get(comparison, "mac"), r), s);
        fprintf(out, "<tr><td class=\"name\">%d</td>", (int)r + 1);
        put_cell(out, "%.6g", get_item(f, r));
        fprintf(out, "<td>%d</td>", (int)s + 1);
        put_cell(out, "%.6g", get_item(g, s));
        put_cell(out, "%+.4f %%", 100 * (get_item(g, s) / get_item(f, r) - 1));
        if (isfinite(mac)) {
            fprintf(out, "<td><span class=\"chip %s\">%.4f</span></td></tr>\n",
                    mac >= 0.9 ? "good" : "look", mac);
        } else {
            fputs("<td>\xe2\x80\x93</td></tr>\n", out);
        }
    }
    fputs("</table></div>", out);
}

static void put_mac(FILE *out, const json_t *mac)
{
    const size_t rows = json_array_size(mac), columns = json_array_size(json_array_get(mac, 0));
    if (rows == 0) {
        return;
    }
    double *values = lb_cli_calloc(rows * columns + 1, sizeof *values);
    for (size_t i = 0; i < rows * columns; ++i) {
        values[i] = get_item(json_array_get(mac, i / columns), i % columns);
    }
    fputs("<div><p class=\"soft\">MAC in %; rows: modes of the first, columns: modes of the second"
          "</p>",
          out);
    lb_cli_draw_mac(out, (int)rows, (int)columns, values);
    fputs("</div>", out);
    free(values);
}

static void put_comparison(FILE *out, const json_t *comparison)
{
    const json_t *structures = json_object_get(comparison, "structures"), *note;
    const json_t *a = json_array_get(structures, 0), *b = json_array_get(structures, 1);
    size_t i;
    if (!comparison) {
        return;
    }
    fputs("<section><h2>Comparison of ", out);
    put_string(out, json_object_get(a, "name"));
    fputs(" with ", out);
    put_string(out, json_object_get(b, "name"));
    fprintf(out,
            "</h2><p class=\"soft\">Common nodes: %.0f of %.0f and %.0f</p><ul class=\"checks\">",
            get_member(comparison, "common_nodes"), get_member(a, "nodes"), get_member(b, "nodes"));
    json_array_foreach(json_object_get(comparison, "notes"), i, note)
    {
        put_note(out, false, "", json_string_value(note));
    }
    fputs("</ul>", out);
    put_bodies(out, a, b);
    if (json_array_size(json_object_get(comparison, "pairs")) > 0) {
        fputs("<h2>Modes of both</h2><div class=\"pair\">", out);
        put_pairs(out, comparison, a, b);
        put_mac(out, json_object_get(comparison, "mac"));
        fputs("</div>", out);
    }
    fputs("</section>\n", out);
}

// ---- the whole ---------------------------------------------------------------------------------

static void put_sources(FILE *out, const json_t *report, const lb_flex_options *flex)
{
    const json_t *file;
    size_t i;
    int named = 0;
    fputs("<section><h2>Nodes for models</h2><p>", out);
    for (int k = 0; k < flex->node_count && named <= NAMES_MOST; ++k) {
        if (flex->nodes[k].name && *flex->nodes[k].name) {
            fputs(named ? ", " : "", out);
            put_text(out, named < NAMES_MOST ? flex->nodes[k].name : "...");
            ++named;
        }
    }
    fputs("</p></section>\n<section><h2>Files</h2>", out);
    json_array_foreach(json_object_get(report, "files"), i, file)
    {
        fputs("<p>", out);
        put_string(out, json_object_get(file, "name"));
        fputs("<br><code>SHA-256 ", out);
        put_string(out, json_object_get(file, "sha256"));
        fputs("</code></p>\n", out);
    }
    fprintf(out, "</section>\n<footer>Written by limber %s</footer></body></html>\n",
            lb_get_version());
}

void lb_cli_write_import_page(FILE *out, const char *name, const json_t *report,
                              const lb_flex_options *flex)
{
    put_head(out, name, report);
    put_checks(out, report);
    put_mass(out, report);
    put_modes(out, report);
    put_shapes(out, report, flex);
    put_flexibility(out, report);
    put_comparison(out, json_object_get(report, "comparison"));
    put_sources(out, report, flex);
}
