#pragma once
#include <stddef.h>
#include <stdint.h>

// libjxl behind plain functions: encodes rows of a picture as frames of a JPEG XL codestream, without its header.
//
// The library is large and not everywhere: it is loaded when it is asked for, and its own headers are not needed to
// build.

// Whether libjxl is there; loads it.
int ink_jxl_is_present(void);

// Such as 0.7.0; empty when it is not there.
const char *ink_jxl_version(void);

typedef struct {
    // Of the rows.
    uint32_t width;
    uint32_t height;
    // Index of the first row in the picture.
    uint32_t first_row;
    // 3: RGB; 4: RGBA, straight.
    uint32_t channels;
    // Exact; else `distance` is how far the colours may be off, as butteraugli measures it. Up to 1.18 alpha is exact.
    int is_lossless;
    float distance;
    // 1 fast to 9 slow.
    int effort;
    // Whether the rows are all of the picture.
    int is_whole;
    // Whether no frame follows.
    int is_last;
} ink_jxl_settings;

// Encodes rows without padding to a frame, in this thread. NULL, or why it failed. The frame is to be freed by `free`.
const char *ink_jxl_encode(
    const uint8_t *pixels, const ink_jxl_settings *settings, uint8_t **frame, size_t *count);
