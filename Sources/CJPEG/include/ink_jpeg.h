#pragma once
#include <stddef.h>
#include <stdint.h>

// libjpeg-turbo behind plain functions.
//
// libjpeg reports errors by longjmp, which Swift cannot take part in: every jump starts and ends inside this file.
// A function that returns 0 has failed; `ink_jpeg_error` then says why.

// Room for one message, with its end.
enum { INK_JPEG_MESSAGE_BYTES = 256 };

typedef struct {
    uint32_t width;
    uint32_t height;
    // Of `pixels`: 3 RGB, 4 RGB and a byte that is passed over.
    uint32_t bytes_per_pixel;
    // 1 to 100.
    uint32_t quality;
    // 4:4:4, else 4:2:0.
    int full_chroma;
    // A coarse picture first, with Huffman codes of its own; takes memory for the whole picture.
    int is_progressive;
    // 0: none is said.
    uint32_t dots_per_inch_across;
    uint32_t dots_per_inch_down;
} ink_jpeg_settings;

// A whole baseline file with a restart interval for each row of MCUs, in memory that `free` gives back. The same pixels give
// the same bytes on every processor (the slow integer transform).
int ink_jpeg_encode(
    const uint8_t *pixels, const ink_jpeg_settings *settings, uint8_t **file, size_t *count,
    char message[INK_JPEG_MESSAGE_BYTES]);

typedef struct ink_jpeg_reader ink_jpeg_reader;

typedef struct {
    uint32_t width;
    uint32_t height;
    // 1 gray, 3 RGB, 4 CMYK with 255 as full ink.
    uint32_t channels;
} ink_jpeg_layout;

// NULL: no memory. `bytes` must outlive the reader.
ink_jpeg_reader *ink_jpeg_open(const uint8_t *bytes, size_t count);

// Reads up to the pixels. Gray becomes RGB when asked; CMYK does unless it is to be kept.
int ink_jpeg_read_header(ink_jpeg_reader *reader, int gray_to_rgb, int keeps_inks, ink_jpeg_layout *layout);

// Reads the next row of width * channels bytes.
int ink_jpeg_read_row(ink_jpeg_reader *reader, uint8_t *row);

// Reads what follows the pixels. Damage that libjpeg only warns of is a failure, too.
int ink_jpeg_finish(ink_jpeg_reader *reader);

// Why the last function failed; empty when none did.
const char *ink_jpeg_error(const ink_jpeg_reader *reader);

void ink_jpeg_close(ink_jpeg_reader *reader);
