#pragma once
#include <stddef.h>
#include <stdint.h>

// libpng's row reader behind plain functions.
//
// libpng reports errors by longjmp, which Swift cannot take part in: every jump starts and ends inside this file.
// A function that returns 0 has failed; the reader is then good for ink_png_error and ink_png_close only.

typedef struct ink_png_reader ink_png_reader;

typedef struct {
    uint32_t width;
    uint32_t height;
    // Samples of 8 bits a pixel after expansion: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
    uint32_t channels;
    // 1, or 7 when interlaced.
    uint32_t passes;
    // Bytes of a row after expansion: width * channels.
    size_t row_bytes;
} ink_png_layout;

// What libpng could not even begin with is NULL: no memory.
// `bytes` must outlive the reader.
ink_png_reader *ink_png_open(const uint8_t *bytes, size_t count);

// Reads up to the first IDAT and sets the expansion to 8 bits a sample: palettes become colours, tRNS becomes alpha,
// 16 bits become round(v / 257), gray becomes RGB when asked. Images wider or higher than max_edge are refused.
int ink_png_read_header(ink_png_reader *reader, uint32_t max_edge, int gray_to_rgb, ink_png_layout *layout);

// Reads the next row of the current pass into row_bytes bytes. An interlaced image is read pass by pass: the same
// height rows seven times over, each call updating the pixels of its pass in a row that keeps what it held.
int ink_png_read_row(ink_png_reader *reader, uint8_t *row);

// Reads what follows the pixels, up to and with IEND.
int ink_png_finish(ink_png_reader *reader);

// Why the last function failed; empty when none did.
const char *ink_png_error(const ink_png_reader *reader);

void ink_png_close(ink_png_reader *reader);
