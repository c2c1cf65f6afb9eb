// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A small rasteriser with a depth buffer, for pictures without a display.
#include "view/raster.h"
#include "console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lb_cli_create_raster(int width, int height, lb_cli_raster *r)
{
    *r = (lb_cli_raster){.width = width, .height = height};
    const size_t count = 4 * (size_t)width * (size_t)height;
    r->depth = lb_cli_malloc(count * sizeof *r->depth);
    r->colour = lb_cli_malloc(3 * count * sizeof *r->colour);
    if (!r->depth || !r->colour) {
        lb_cli_destroy_raster(r);
        return false;
    }
    return true;
}

void lb_cli_destroy_raster(lb_cli_raster *r)
{
    free(r->depth);
    free(r->colour);
    r->depth = r->colour = NULL;
}

static lb_vec3 normalize(lb_vec3 a)
{
    return lb_vec3_scale(1.0 / fmax(lb_vec3_norm(a), 1e-300), a);
}

void lb_cli_aim_raster(lb_cli_raster *r, lb_vec3 eye, lb_vec3 target, lb_vec3 up)
{
    r->eye = eye;
    r->ahead = normalize(lb_vec3_sub(target, eye));
    r->right = normalize(lb_vec3_cross(r->ahead, up));
    r->up = lb_vec3_cross(r->right, r->ahead);
    r->focus = r->height / tan(20.0 * 3.14159265358979 / 180.0);
}

void lb_cli_clear_raster(lb_cli_raster *r, lb_cli_paint b)
{
    const size_t count = 4 * (size_t)r->width * (size_t)r->height;
    for (size_t i = 0; i < count; ++i) {
        r->depth[i] = 0.0f;
        r->colour[3 * i] = b.r;
        r->colour[3 * i + 1] = b.g;
        r->colour[3 * i + 2] = b.b;
    }
}

// Pixels of the doubled image, and 1 / distance; false behind the camera.
static bool project(const lb_cli_raster *r, lb_vec3 p, double out[3])
{
    const lb_vec3 d = lb_vec3_sub(p, r->eye);
    const double z = lb_vec3_dot(d, r->ahead);
    if (!(z > 1e-6)) {
        return false;
    }
    out[0] = r->width + r->focus * lb_vec3_dot(d, r->right) / z;
    out[1] = r->height - r->focus * lb_vec3_dot(d, r->up) / z;
    out[2] = 1.0 / z;
    return true;
}

static void put(lb_cli_raster *r, int x, int y, double depth, lb_cli_paint c)
{
    const size_t i = (size_t)y * 2 * (size_t)r->width + (size_t)x;
    if (depth > r->depth[i]) {
        r->depth[i] = (float)depth;
        r->colour[3 * i] = c.r;
        r->colour[3 * i + 1] = c.g;
        r->colour[3 * i + 2] = c.b;
    }
}

static int clamp(double x, int low, int high)
{
    return x < low ? low : x > high ? high : (int)x;
}

void lb_cli_fill_triangle(lb_cli_raster *r, const lb_vec3 p[3], const lb_cli_paint paints[3])
{
    double s[3][3];
    for (int i = 0; i < 3; ++i) {
        if (!project(r, p[i], s[i])) {
            return;
        }
    }
    const double area =
        (s[1][0] - s[0][0]) * (s[2][1] - s[0][1]) - (s[1][1] - s[0][1]) * (s[2][0] - s[0][0]);
    if (fabs(area) < 1e-9 || !isfinite(area)) {
        return;
    }
    // light from above the camera's right shoulder, and some from everywhere
    const lb_vec3 n = normalize(lb_vec3_cross(lb_vec3_sub(p[1], p[0]), lb_vec3_sub(p[2], p[0])));
    const lb_vec3 light = normalize(
        lb_vec3_axpy(lb_vec3_axpy(lb_vec3_scale(-0.7, r->ahead), 0.75, r->up), 0.35, r->right));
    const double shade = 0.55 + 0.45 * fabs(lb_vec3_dot(n, light));

    const int w = 2 * r->width - 1, h = 2 * r->height - 1;
    const int x0 = clamp(floor(fmin(s[0][0], fmin(s[1][0], s[2][0]))), 0, w),
              x1 = clamp(ceil(fmax(s[0][0], fmax(s[1][0], s[2][0]))), 0, w),
              y0 = clamp(floor(fmin(s[0][1], fmin(s[1][1], s[2][1]))), 0, h),
              y1 = clamp(ceil(fmax(s[0][1], fmax(s[1][1], s[2][1]))), 0, h);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            // weights of the corners at the middle of the pixel
            const double cx = x + 0.5, cy = y + 0.5;
            const double a = ((s[1][0] - cx) * (s[2][1] - cy) - (s[1][1] - cy) * (s[2][0] - cx)) /
                             area,
                         b = ((s[2][0] - cx) * (s[0][1] - cy) - (s[2][1] - cy) * (s[0][0] - cx)) /
                             area,
                         c = 1.0 - a - b;
            if (a < 0.0 || b < 0.0 || c < 0.0) {
                continue;
            }
            const double depth = a * s[0][2] + b * s[1][2] + c * s[2][2];
            const lb_cli_paint paint = {
                (float)(shade * (a * paints[0].r + b * paints[1].r + c * paints[2].r)),
                (float)(shade * (a * paints[0].g + b * paints[1].g + c * paints[2].g)),
                (float)(shade * (a * paints[0].b + b * paints[1].b + c * paints[2].b))};
            put(r, x, y, depth, paint);
        }
    }
}

void lb_cli_draw_line(lb_cli_raster *r, lb_vec3 a, lb_vec3 b, double width, lb_cli_paint paint)
{
    double s[2][3];
    if (!project(r, a, s[0]) || !project(r, b, s[1])) {
        return;
    }
    const double length = fmax(fabs(s[1][0] - s[0][0]), fabs(s[1][1] - s[0][1]));
    if (!(length < 1e5)) {
        return;
    }
    const int steps = (int)ceil(length) + 1, w = 2 * r->width, h = 2 * r->height;
    const int half = (int)lround(width); // of the doubled image
    for (int i = 0; i <= steps; ++i) {
        const double t = (double)i / steps;
        const int x = (int)floor(s[0][0] + t * (s[1][0] - s[0][0])),
                  y = (int)floor(s[0][1] + t * (s[1][1] - s[0][1]));
        // a touch nearer than what it lies on
        const double depth = 1.002 * (s[0][2] + t * (s[1][2] - s[0][2]));
        for (int dy = -half / 2; dy <= (half - 1) / 2; ++dy) {
            for (int dx = -half / 2; dx <= (half - 1) / 2; ++dx) {
                if (x + dx >= 0 && x + dx < w && y + dy >= 0 && y + dy < h) {
                    put(r, x + dx, y + dy, depth, paint);
                }
            }
        }
    }
}

void lb_cli_finish_raster(const lb_cli_raster *r, unsigned char *pixels, int stride)
{
    for (int y = 0; y < r->height; ++y) {
        for (int x = 0; x < r->width; ++x) {
            float sum[3] = {0, 0, 0};
            for (int k = 0; k < 4; ++k) {
                const size_t i =
                    (size_t)(2 * y + k / 2) * 2 * (size_t)r->width + (size_t)(2 * x + k % 2);
                for (int c = 0; c < 3; ++c) {
                    sum[c] += r->colour[3 * i + (size_t)c];
                }
            }
            uint32_t pixel = 0;
            for (int c = 0; c < 3; ++c) {
                const float v = 0.25f * sum[c];
                pixel = pixel << 8 | (uint32_t)lrintf(255.0f * (v < 0.0f   ? 0.0f
                                                                : v > 1.0f ? 1.0f
                                                                           : v));
            }
            memcpy(pixels + (size_t)y * (size_t)stride + 4 * (size_t)x, &pixel, 4);
        }
    }
}
