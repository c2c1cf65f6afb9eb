// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Triangles of a file: STL, binary or text, OBJ, and Collada (collada.c). Numbers of a file are not trusted.
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "console.h"
#include "output.h"
#include "view/scene.h"

enum { FILE_MAX = 64 << 20, TRIANGLE_MAX = 200000 };

static char *read_all(const char *path, size_t *length)
{
    lb_cli_note_input(path);
    struct stat about;
    // not a pipe that nobody writes to, nor a device without an end
    const bool plain = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = plain ? fopen(path, "rb") : NULL;
    if (plain && !file && errno == ENOMEM) {
        lb_cli_run_out();
    }
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        if (size > 0 && size <= FILE_MAX) {
            bytes = lb_cli_malloc((size_t)size + 1);
            if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
                free(bytes);
                bytes = NULL;
            }
            if (bytes) {
                bytes[size] = 0;
                *length = (size_t)size;
            }
        }
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

static float get_float(const unsigned char *b)
{
    const uint32_t bits =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

// Three numbers of a text. Not by sscanf, which looks for the end of all the text each time.
static bool read_point(const char *text, float p[3])
{
    for (int i = 0; i < 3; ++i) {
        char *end;
        p[i] = strtof(text, &end);
        if (end == text) {
            return false;
        }
        text = end;
    }
    return true;
}

static bool take(lb_cli_scene *scene, lb_cli_shape *shape, size_t points, size_t corners)
{
    shape->points = lb_cli_keep(scene, 3 * points, sizeof *shape->points);
    shape->corners = lb_cli_keep(scene, corners, sizeof *shape->corners);
    return shape->points && shape->corners;
}

// 80 bytes of anything, a count, 50 bytes a triangle: a normal, three points, two bytes more.
static bool read_binary_stl(lb_cli_scene *scene, const unsigned char *b, size_t length,
                            lb_cli_shape *shape)
{
    if (length < 84) {
        return false;
    }
    const uint32_t count =
        (uint32_t)b[80] | (uint32_t)b[81] << 8 | (uint32_t)b[82] << 16 | (uint32_t)b[83] << 24;
    if (count == 0 || count > TRIANGLE_MAX || 84 + 50 * (size_t)count > length ||
        !take(scene, shape, 3 * (size_t)count, 3 * (size_t)count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 9; ++k) {
            shape->points[9 * i + (uint32_t)k] = get_float(b + 84 + 50 * (size_t)i + 12 + 4 * k);
        }
    }
    shape->point_count = shape->corner_count = (int)(3 * count);
    for (int i = 0; i < shape->corner_count; ++i) {
        shape->corners[i] = i;
    }
    return true;
}

static bool read_text_stl(lb_cli_scene *scene, const char *text, lb_cli_shape *shape)
{
    size_t count = 0;
    for (const char *at = strstr(text, "vertex"); at; at = strstr(at + 6, "vertex")) {
        ++count;
    }
    if (count < 3 || count > 3 * (size_t)TRIANGLE_MAX || !take(scene, shape, count, count)) {
        return false;
    }
    float *p = shape->points;
    for (const char *at = strstr(text, "vertex"); at; at = strstr(at + 6, "vertex")) {
        if (!read_point(at + 6, p)) {
            return false;
        }
        p += 3;
    }
    shape->point_count = (int)count;
    shape->corner_count = (int)(count / 3 * 3);
    for (int i = 0; i < shape->corner_count; ++i) {
        shape->corners[i] = i;
    }
    return true;
}

// Lines `v x y z` and `f a b c ...`, corners counted from 1, or from the end if negative.
static bool read_obj(lb_cli_scene *scene, const char *text, lb_cli_shape *shape)
{
    size_t points = 0, corners = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        points += line[0] == 'v' && isspace((unsigned char)line[1]);
        if (line[0] == 'f' && isspace((unsigned char)line[1])) {
            size_t words = 0;
            for (const char *c = line + 1; *c && *c != '\n'; ++c) {
                words += isspace((unsigned char)c[0]) && c[1] && !isspace((unsigned char)c[1]);
            }
            corners += words > 2 ? 3 * (words - 2) : 0;
        }
    }
    if (points == 0 || corners == 0 || points > 3 * (size_t)TRIANGLE_MAX ||
        corners > 3 * (size_t)TRIANGLE_MAX || !take(scene, shape, points, corners)) {
        return false;
    }
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (line[0] == 'v' && isspace((unsigned char)line[1])) {
            float *p = shape->points + 3 * shape->point_count++;
            if (!read_point(line + 1, p)) {
                return false;
            }
        } else if (line[0] == 'f' && isspace((unsigned char)line[1])) {
            long fan[3] = {0, 0, 0};
            int met = 0;
            const char *c = line + 1;
            for (;;) {
                while (*c == ' ' || *c == '\t') {
                    ++c;
                }
                char *end;
                long index = strtol(c, &end, 10);
                if (end == c || *c == '\n' || *c == '\r') {
                    break;
                }
                index = index < 0 ? shape->point_count + index : index - 1;
                if (index < 0 || index >= (long)points) {
                    return false;
                }
                fan[met < 2 ? met : 2] = index;
                if (++met >= 3 && (size_t)shape->corner_count + 3 <= corners) {
                    for (int k = 0; k < 3; ++k) {
                        shape->corners[shape->corner_count++] = (int)fan[k];
                    }
                    fan[1] = fan[2];
                }
                for (c = end; *c && !isspace((unsigned char)*c); ++c) {
                }
            }
        }
    }
    return shape->corner_count > 0;
}

bool lb_cli_parse_mesh(lb_cli_scene *scene, bool is_obj, const char *text, size_t length,
                       lb_cli_shape *shape)
{
    // nothing of an attempt that failed before
    shape->point_count = shape->corner_count = 0;
    bool good;
    if (is_obj) {
        good = read_obj(scene, text, shape);
    } else {
        good = strncmp(text, "solid", 5) == 0 && read_text_stl(scene, text, shape);
        good = good || read_binary_stl(scene, (const unsigned char *)text, length, shape);
    }
    for (int i = 0; good && i < 3 * shape->point_count; ++i) {
        good = isfinite(shape->points[i]);
    }
    return good;
}

lb_cli_mesh_format lb_cli_find_mesh_format(const char *path)
{
    static const char *const endings[] = {".stl", ".obj", ".dae"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < LB_CLI_MESH_UNKNOWN; ++i) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return (lb_cli_mesh_format)i;
        }
    }
    return LB_CLI_MESH_UNKNOWN;
}

int lb_cli_read_mesh(lb_cli_scene *scene, const char *path, lb_cli_shape parts[LB_CLI_PART_MAX])
{
    const lb_cli_mesh_format format = lb_cli_find_mesh_format(path);
    size_t length = 0;
    char *text = format != LB_CLI_MESH_UNKNOWN ? read_all(path, &length) : NULL;
    int count = 0;
    if (text && format == LB_CLI_MESH_COLLADA) {
        count = lb_cli_parse_collada(scene, text, length, parts);
    } else if (text) {
        parts[0] =
            (lb_cli_shape){.kind = LB_CLI_MESH, .pose = lb_pose_identity(), .colour = {-1.0}};
        count = lb_cli_parse_mesh(scene, format == LB_CLI_MESH_OBJ, text, length, &parts[0]);
    }
    free(text);
    return count;
}
