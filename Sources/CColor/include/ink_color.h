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

// Whether an RGB profile has colours that sRGB has not; its name goes into `name`, ended by NUL.
int ink_color_is_wide(const uint8_t *profile, size_t count, char *name, size_t name_count);

// Without a profile, to `channels`: 1 gray, 2 with alpha, 3 RGB, 4 with alpha. Gray becomes RGB where that is asked,
// CMYK is (1-C)(1-K), (1-M)(1-K), (1-Y)(1-K).
void ink_color_plain(
    const uint8_t *row, int colors, int has_alpha, int is_16_bit, int channels, size_t width, uint8_t *into);

// Copies pixels of `channels` bytes that lie `step` bytes apart.
void ink_color_gather(const uint8_t *first, ptrdiff_t step, int channels, size_t width, uint8_t *into);

// Of pixels that painting programs keep: samples of each colour by themselves, in any byte order, as numbers of light.

// Lab of 8 or 16 bits, as Photoshop keeps it, to sRGB by `ink_color_convert`. NULL without memory.
ink_color *ink_color_open_lab(int has_alpha, int is_16_bit);

// Puts the samples of `count` planes together, pixel by pixel; samples have 1, 2 or 4 bytes.
void ink_color_interleave(const uint8_t *const *planes, int count, int sample_bytes, size_t width, uint8_t *into);

// Exchanges the bytes of samples of 16 bits.
void ink_color_swap_16(uint8_t *samples, size_t count);

// Floating point samples of 2 or 4 bytes to 16 bits in the processor's order, within 0 and 1, in place; colours from
// linear light to sRGB unless `is_plain`, alpha (the last of `count` samples of a pixel) as it is.
void ink_color_from_float(
    uint8_t *samples, int sample_bytes, int is_big_endian, int count, int has_alpha, int is_plain, size_t width);

// Turns the first `colors` samples of each pixel around: full becomes none.
void ink_color_invert(uint8_t *pixels, int colors, int has_alpha, int is_16_bit, size_t width);

// Maps none and full to `low` and `high` of 255.
void ink_color_limit(uint8_t *samples, int is_16_bit, size_t count, int low, int high);

// Takes away the white that colours of 8 bits have been blended onto; alpha is the last of `count` samples.
void ink_color_off_white(uint8_t *pixels, int count, size_t width);
