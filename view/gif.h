// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Animated GIF: one palette for all frames, of each frame only what changed.
#ifndef LB_CLI_GIF_H
#define LB_CLI_GIF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct lb_cli_gif {
    FILE *out;
    struct GifFileType *file;
    int width, height, delay;  ///< hundredths of a second
    uint8_t nearest[32768];    ///< of a colour of five bits each; 255 is "as before"
    uint8_t *before, *indices; ///< one byte a pixel
    uint32_t *counts;          ///< histogram, until the first frame
    bool started, failed;
} lb_cli_gif;

/// @return false if there is no memory
bool lb_cli_start_gif(FILE *out, int width, int height, int delay, lb_cli_gif *gif);
/// Colours of a frame count for the palette. Before the first lb_cli_add_gif_frame only.
void lb_cli_sample_gif(lb_cli_gif *gif, const unsigned char *pixels, int stride);
/// Pixels are 0x00rrggbb.
void lb_cli_add_gif_frame(lb_cli_gif *gif, const unsigned char *pixels, int stride);
/// Ends the file and frees the memory; false if anything could not be written.
bool lb_cli_finish_gif(lb_cli_gif *gif);

#endif // LB_CLI_GIF_H
