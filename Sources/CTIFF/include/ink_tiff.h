#pragma once
#include <stddef.h>
#include <stdint.h>

#include "ink_lzw.h"

// libtiff behind plain functions: the first page of a file in memory, row by row.
//
// A function that returns 0 has failed; `ink_tiff_error` then says why.

typedef struct ink_tiff_reader ink_tiff_reader;

typedef struct {
    uint32_t width;
    uint32_t height;
    // 1 gray, 3 RGB, 4 CMYK with 255 as full ink.
    int colors;
    // Straight, after the colours.
    int has_alpha;
    // Samples in the processor's byte order, else bytes.
    int is_16_bit;
    // 1 to 8, as in EXIF.
    int orientation;
    // Tiles, or the strips of separate planes, are so high that a row of them is like the whole picture.
    int is_held_whole;
    // Belongs to the reader. NULL: none.
    const uint8_t *profile;
    size_t profile_bytes;
} ink_tiff_layout;

// NULL: no memory. `bytes` must outlive the reader.
ink_tiff_reader *ink_tiff_open(const uint8_t *bytes, size_t count);

// Reads the first page's directory, and takes no memory for pixels.
int ink_tiff_read_layout(ink_tiff_reader *reader, ink_tiff_layout *layout);

// Reads the next row as it is stored.
int ink_tiff_read_row(ink_tiff_reader *reader, uint8_t *row);

// Why the last function failed: one line, or empty.
const char *ink_tiff_error(const ink_tiff_reader *reader);

void ink_tiff_close(ink_tiff_reader *reader);
