// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target over files, without a fuzzer: replay_NAME FILE_OR_FOLDER...
#define _POSIX_C_SOURCE 200809L // opendir
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static int replay_file(const char *path)
{
    enum { SIZE_MAX_KEPT = 1 << 20 };
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(SIZE_MAX_KEPT);
    if (!file || !data) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    // exactly as large as the input, so that a sanitizer sees a step beyond it
    const size_t size = fread(data, 1, SIZE_MAX_KEPT, file);
    fclose(file);
    uint8_t *input = realloc(data, size ? size : 1);
    LLVMFuzzerTestOneInput(input ? input : data, size);
    free(input ? input : data);
    return 1;
}

static int replay_folder(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        return replay_file(path);
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            char file[4096];
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
            count += replay_file(file);
        }
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        count += replay_folder(argv[i]);
    }
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
