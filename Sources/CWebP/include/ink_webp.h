#pragma once
#include <stddef.h>
#include <stdint.h>

// libwebp behind plain functions: the first frame of a file in memory.

typedef struct {
    // Of the picture.
    uint32_t width;
    uint32_t height;
    // Of the first frame, inside the picture.
    uint32_t frame_x;
    uint32_t frame_y;
    uint32_t frame_width;
    uint32_t frame_height;
    // Whether pixels have alpha, or the frame leaves some of the picture empty.
    int has_alpha;
    // Parts of the file.
    const uint8_t *frame;
    size_t frame_bytes;
    const uint8_t *exif;
    size_t exif_bytes;
    const uint8_t *profile;
    size_t profile_bytes;
} ink_webp_layout;

// Finds the parts of a file. 0: the file is damaged or cut.
int ink_webp_read_layout(const uint8_t *bytes, size_t count, ink_webp_layout *layout);

typedef struct {
    uint32_t width;
    uint32_t height;
    // 3: RGB, 4: RGBA.
    uint32_t bytes_per_pixel;
    int is_lossless;
    // 1 to 100; of lossy files.
    float quality;
    // 0 fast to 6 small; of lossless files 0 to 9.
    int effort;
    // Asked with the context while the file is encoded: not 0 ends it. May be NULL.
    int (*is_cancelled)(void *context);
    void *context;
} ink_webp_settings;

// Encodes rows without padding. NULL and a file to be freed by ink_webp_free, or why it failed.
const char *ink_webp_encode(
    const uint8_t *pixels, const ink_webp_settings *settings, uint8_t **file, size_t *count);
void ink_webp_free(uint8_t *file);

// Decodes the frame into a zeroed picture of RGB, or RGBA where there is alpha. NULL, or why it failed.
const char *ink_webp_decode(const ink_webp_layout *layout, uint8_t *pixels);
