#pragma once
#include <stddef.h>
#include <stdint.h>

// Rows of pixels to sRGB of 8 bits: by a colour profile with Little CMS, or by the plain rules where there is none.
//
// `colors` is 1 gray, 3 RGB, 4 CMYK with 255 as full ink; straight alpha may follow. Samples are 8 bits, or 16 in the
// processor's byte order.

typedef struct ink_color ink_color;

// NULL for a profile that is damaged, larger than 16 MiB or not for such colours. For one thread at a time.
ink_color *ink_color_open(const uint8_t *profile, size_t count, int colors, int has_alpha, int is_16_bit);

// To RGB, with alpha where there is some: relative colorimetric with black point compensation.
void ink_color_convert(const ink_color *color, const uint8_t *row, size_t width, uint8_t *into);

void ink_color_close(ink_color *color);

// Without a profile, to `channels`: 1 gray, 2 with alpha, 3 RGB, 4 with alpha. Gray becomes RGB where that is asked,
// CMYK is (1-C)(1-K), (1-M)(1-K), (1-Y)(1-K).
void ink_color_plain(
    const uint8_t *row, int colors, int has_alpha, int is_16_bit, int channels, size_t width, uint8_t *into);

// Copies pixels of `channels` bytes that lie `step` bytes apart.
void ink_color_gather(const uint8_t *first, ptrdiff_t step, int channels, size_t width, uint8_t *into);
