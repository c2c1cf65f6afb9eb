// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Animated GIF (GIF89a): palette by median cut, LZW, frames as differences.
#include "view/gif.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 32768, KEEP = 255 };

bool lb_cli_start_gif(FILE *out, int width, int height, int delay, lb_cli_gif *g)
{
    *g = (lb_cli_gif){.out = out, .width = width, .height = height, .delay = delay};
    const size_t size = (size_t)width * (size_t)height;
    g->before = malloc(size);
    g->indices = malloc(size);
    g->counts = calloc(BINS, sizeof *g->counts);
    if (!g->before || !g->indices || !g->counts) {
        free(g->before);
        free(g->indices);
        free(g->counts);
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

static void make_palette(lb_cli_gif *g)
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
        for (int c = 0; c < 3; ++c) {
            g->palette[n][c] =
                (uint8_t)(weight ? (sum[c] * 255 + 31 * weight / 2) / (31 * weight) : 0);
        }
    }
    for (int bin = 0; bin < BINS; ++bin) {
        int best = 0, least = 1 << 30;
        for (int n = 0; n < count; ++n) {
            int distance = 0;
            for (int c = 0; c < 3; ++c) {
                const int d = (bin >> (10 - 5 * c) & 31) * 255 / 31 - g->palette[n][c];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                best = n;
            }
        }
        g->nearest[bin] = (uint8_t)best;
    }
}

// ---- the file ------------------------------------------------------------------------------------

static void put16(lb_cli_gif *g, int x)
{
    fputc(x & 255, g->out);
    fputc(x >> 8 & 255, g->out);
}

static void begin(lb_cli_gif *g)
{
    make_palette(g);
    fputs("GIF89a", g->out);
    put16(g, g->width);
    put16(g, g->height);
    fputc(0xf7, g->out); // a palette of 256
    fputc(0, g->out);
    fputc(0, g->out);
    fwrite(g->palette, 1, sizeof g->palette, g->out);
    // play for ever
    static const unsigned char loop[] = {0x21, 0xff, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                                         'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
    fwrite(loop, 1, sizeof loop, g->out);
    g->started = true;
}

// Bits of codes into blocks of up to 255 bytes.
typedef struct bits {
    FILE *out;
    unsigned char block[255];
    int used;
    uint32_t hold;
    int held;
} bits;

static void flush_block(bits *b)
{
    if (b->used > 0) {
        fputc(b->used, b->out);
        fwrite(b->block, 1, (size_t)b->used, b->out);
        b->used = 0;
    }
}

static void put_code(bits *b, int code, int width)
{
    b->hold |= (uint32_t)code << b->held;
    b->held += width;
    while (b->held >= 8) {
        b->block[b->used++] = (unsigned char)(b->hold & 255);
        b->hold >>= 8;
        b->held -= 8;
        if (b->used == 255) {
            flush_block(b);
        }
    }
}

// LZW with codes of 9 to 12 bits; the table maps (prefix, byte) to a code by a hash.
static void compress(FILE *out, const uint8_t *data, size_t count)
{
    enum { CLEAR = 256, END = 257, MOST = 4096, SLOTS = 16384 };
    static int32_t keys[SLOTS];
    static int16_t codes[SLOTS];
    bits b = {.out = out};
    int next = END + 1, width = 9;
    fputc(8, out);
    memset(keys, -1, sizeof keys);
    put_code(&b, CLEAR, width);
    int prefix = data[0];
    for (size_t i = 1; i < count; ++i) {
        const int32_t key = (int32_t)prefix << 8 | data[i];
        uint32_t slot = (uint32_t)key * 2654435761u >> 18;
        while (keys[slot] >= 0 && keys[slot] != key) {
            slot = (slot + 1) % SLOTS;
        }
        if (keys[slot] == key) {
            prefix = codes[slot];
            continue;
        }
        put_code(&b, prefix, width);
        if (next < MOST) {
            keys[slot] = key;
            codes[slot] = (int16_t)next;
            if (next == 1 << width) {
                ++width;
            }
            ++next;
        } else {
            put_code(&b, CLEAR, width);
            memset(keys, -1, sizeof keys);
            next = END + 1;
            width = 9;
        }
        prefix = data[i];
    }
    put_code(&b, prefix, width);
    put_code(&b, END, width);
    put_code(&b, 0, 7); // the last bits
    flush_block(&b);
    fputc(0, out);
}

void lb_cli_add_gif_frame(lb_cli_gif *g, const unsigned char *pixels, int stride)
{
    const bool first = !g->started;
    if (first) {
        begin(g);
    }
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
    // how long it stays, and which index leaves what was there
    static const unsigned char control[] = {0x21, 0xf9, 4, 0x05};
    fwrite(control, 1, sizeof control, g->out);
    put16(g, g->delay);
    fputc(KEEP, g->out);
    fputc(0, g->out);
    const int width = x1 - x0 + 1, height = y1 - y0 + 1;
    fputc(0x2c, g->out);
    put16(g, x0);
    put16(g, y0);
    put16(g, width);
    put16(g, height);
    fputc(0, g->out);
    // the changed part, moved together
    uint8_t *part = g->indices;
    for (int y = 0; y < height; ++y) {
        memmove(part + (size_t)y * (size_t)width,
                g->indices + (size_t)(y0 + y) * (size_t)g->width + (size_t)x0, (size_t)width);
    }
    compress(g->out, part, (size_t)width * (size_t)height);
}

bool lb_cli_finish_gif(lb_cli_gif *g)
{
    fputc(0x3b, g->out);
    const bool good = !ferror(g->out);
    free(g->before);
    free(g->indices);
    free(g->counts);
    return good;
}
