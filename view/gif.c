// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Animated GIF: palette by median cut, frames as differences; the file itself by giflib. The palette
// is ours because giflib has dropped its own from the library, and made it of one image.
#include "view/gif.h"
#include "console.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 32768, KEEP = 255 };

static int put_bytes(GifFileType *file, const GifByteType *bytes, int count)
{
    // failures are found when the file is closed
    fwrite(bytes, 1, (size_t)count, file->UserData);
    return count;
}

bool lb_cli_start_gif(FILE *out, int width, int height, int delay, lb_cli_gif *g)
{
    *g = (lb_cli_gif){.out = out, .width = width, .height = height, .delay = delay};
    const size_t size = (size_t)width * (size_t)height;
    g->before = lb_cli_malloc(size);
    g->indices = lb_cli_malloc(size);
    g->counts = lb_cli_calloc(BINS, sizeof *g->counts);
    g->file = EGifOpen(out, put_bytes, NULL);
    if (!g->before || !g->indices || !g->counts || !g->file) {
        lb_cli_finish_gif(g);
        return false;
    }
    return true;
}

static unsigned get_bin(const unsigned char *pixel)
{
    uint32_t c;
    memcpy(&c, pixel, 4);
    return (c >> 19 & 31) << 10 | (c >> 11 & 31) << 5 | (c >> 3 & 31);
}

void lb_cli_sample_gif(lb_cli_gif *g, const unsigned char *pixels, int stride)
{
    for (int y = 0; y < g->height; ++y) {
        for (int x = 0; x < g->width; ++x) {
            ++g->counts[get_bin(pixels + (size_t)y * (size_t)stride + 4 * (size_t)x)];
        }
    }
}

// ---- the palette: the box of colours with most in it is cut in two until there are enough --------

typedef struct box {
    int low[3], high[3];
    uint64_t weight;
} box;

static uint32_t count_at(const lb_cli_gif *g, int r, int gr, int b)
{
    return g->counts[r << 10 | gr << 5 | b];
}

// Fits the box to what is in it.
static void shrink(const lb_cli_gif *g, box *b)
{
    box fit = {{31, 31, 31}, {0, 0, 0}, 0};
    for (int i = b->low[0]; i <= b->high[0]; ++i) {
        for (int j = b->low[1]; j <= b->high[1]; ++j) {
            for (int k = b->low[2]; k <= b->high[2]; ++k) {
                const uint32_t count = count_at(g, i, j, k);
                const int at[3] = {i, j, k};
                for (int c = 0; count && c < 3; ++c) {
                    fit.low[c] = at[c] < fit.low[c] ? at[c] : fit.low[c];
                    fit.high[c] = at[c] > fit.high[c] ? at[c] : fit.high[c];
                }
                fit.weight += count;
            }
        }
    }
    *b = fit;
}

static void cut(const lb_cli_gif *g, box *a, box *b)
{
    int axis = 0;
    for (int c = 1; c < 3; ++c) {
        axis = a->high[c] - a->low[c] > a->high[axis] - a->low[axis] ? c : axis;
    }
    *b = *a;
    // where half of the pixels lie on either side
    uint64_t sum = 0;
    int at = a->low[axis];
    for (; at < a->high[axis]; ++at) {
        box slice = *a;
        slice.low[axis] = slice.high[axis] = at;
        shrink(g, &slice);
        sum += slice.weight;
        if (2 * sum >= a->weight) {
            break;
        }
    }
    at = at == a->high[axis] ? at - 1 : at;
    a->high[axis] = at;
    b->low[axis] = at + 1;
    shrink(g, a);
    shrink(g, b);
}

// Fills the colours, and what colour is nearest.
static void make_palette(lb_cli_gif *g, GifColorType *palette)
{
    box boxes[KEEP];
    int count = 1;
    boxes[0] = (box){{0, 0, 0}, {31, 31, 31}, 0};
    shrink(g, &boxes[0]);
    while (count < KEEP) {
        // large boxes with many pixels first
        int best = -1;
        double worth = 0.0;
        for (int i = 0; i < count; ++i) {
            const int x = boxes[i].high[0] - boxes[i].low[0],
                      y = boxes[i].high[1] - boxes[i].low[1],
                      z = boxes[i].high[2] - boxes[i].low[2];
            const int longest = x > y ? (x > z ? x : z) : (y > z ? y : z);
            const double w = (double)boxes[i].weight * longest * longest;
            if (longest > 0 && w > worth) {
                worth = w;
                best = i;
            }
        }
        if (best < 0) {
            break;
        }
        cut(g, &boxes[best], &boxes[count++]);
    }
    for (int n = 0; n < count; ++n) {
        uint64_t sum[3] = {0, 0, 0}, weight = 0;
        for (int i = boxes[n].low[0]; i <= boxes[n].high[0]; ++i) {
            for (int j = boxes[n].low[1]; j <= boxes[n].high[1]; ++j) {
                for (int k = boxes[n].low[2]; k <= boxes[n].high[2]; ++k) {
                    const uint64_t c = count_at(g, i, j, k);
                    sum[0] += c * (uint64_t)i;
                    sum[1] += c * (uint64_t)j;
                    sum[2] += c * (uint64_t)k;
                    weight += c;
                }
            }
        }
        GifByteType colour[3] = {0, 0, 0};
        for (int c = 0; weight && c < 3; ++c) {
            colour[c] = (GifByteType)((sum[c] * 255 + 31 * weight / 2) / (31 * weight));
        }
        palette[n] = (GifColorType){colour[0], colour[1], colour[2]};
    }
    for (int bin = 0; bin < BINS; ++bin) {
        int best = 0, least = 1 << 30;
        for (int n = 0; n < count; ++n) {
            const int r = (bin >> 10 & 31) * 255 / 31 - palette[n].Red,
                      green = (bin >> 5 & 31) * 255 / 31 - palette[n].Green,
                      b = (bin & 31) * 255 / 31 - palette[n].Blue;
            const int distance = r * r + green * green + b * b;
            if (distance < least) {
                least = distance;
                best = n;
            }
        }
        g->nearest[bin] = (uint8_t)best;
    }
}

// ---- the file ------------------------------------------------------------------------------------

// Palette and header, and that it plays for ever.
static bool begin(lb_cli_gif *g)
{
    ColorMapObject *map = GifMakeMapObject(256, NULL);
    if (!map) {
        return false;
    }
    make_palette(g, map->Colors);
    EGifSetGifVersion(g->file, true);
    const bool good = EGifPutScreenDesc(g->file, g->width, g->height, 8, 0, map) == GIF_OK &&
                      EGifPutExtensionLeader(g->file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
                      EGifPutExtensionBlock(g->file, 11, "NETSCAPE2.0") == GIF_OK &&
                      EGifPutExtensionBlock(g->file, 3, "\1\0\0") == GIF_OK &&
                      EGifPutExtensionTrailer(g->file) == GIF_OK;
    GifFreeMapObject(map);
    g->started = true;
    return good;
}

void lb_cli_add_gif_frame(lb_cli_gif *g, const unsigned char *pixels, int stride)
{
    const bool first = !g->started;
    g->failed = (first && !begin(g)) || g->failed;
    int x0 = g->width, x1 = -1, y0 = g->height, y1 = -1;
    for (int y = 0; y < g->height; ++y) {
        for (int x = 0; x < g->width; ++x) {
            const size_t i = (size_t)y * (size_t)g->width + (size_t)x;
            const uint8_t index =
                g->nearest[get_bin(pixels + (size_t)y * (size_t)stride + 4 * (size_t)x)];
            const bool same = !first && g->before[i] == index;
            g->indices[i] = same ? KEEP : index;
            g->before[i] = index;
            if (!same) {
                x0 = x < x0 ? x : x0;
                x1 = x > x1 ? x : x1;
                y0 = y < y0 ? y : y0;
                y1 = y > y1 ? y : y1;
            }
        }
    }
    if (x1 < 0) {
        x0 = y0 = x1 = y1 = 0;
    }
    const int width = x1 - x0 + 1, height = y1 - y0 + 1;
    // the changed part, moved together
    uint8_t *part = g->indices;
    for (int y = 0; y < height; ++y) {
        memmove(part + (size_t)y * (size_t)width,
                g->indices + (size_t)(y0 + y) * (size_t)g->width + (size_t)x0, (size_t)width);
    }
    // how long it stays, and which index leaves what was there
    const GraphicsControlBlock control = {DISPOSE_DO_NOT, false, g->delay, KEEP};
    GifByteType bytes[4];
    const int count = (int)EGifGCBToExtension(&control, bytes);
    g->failed = g->failed ||
                EGifPutExtension(g->file, GRAPHICS_EXT_FUNC_CODE, count, bytes) != GIF_OK ||
                EGifPutImageDesc(g->file, x0, y0, width, height, false, NULL) != GIF_OK ||
                EGifPutLine(g->file, part, width * height) != GIF_OK;
}

bool lb_cli_finish_gif(lb_cli_gif *g)
{
    const bool good = g->file && EGifCloseFile(g->file, NULL) == GIF_OK && !g->failed;
    free(g->before);
    free(g->indices);
    free(g->counts);
    return good;
}
