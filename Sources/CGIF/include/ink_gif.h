#pragma once
#include <stddef.h>
#include <stdint.h>

// giflib behind plain functions: the first frame of a file in memory.
//
// A function that returns 0 has failed; `ink_gif_error` then says why.

typedef struct ink_gif_reader ink_gif_reader;

typedef struct {
    // Of the picture.
    uint32_t width;
    uint32_t height;
    // Of the first frame, which may reach beyond the picture.
    uint32_t frame_width;
    uint32_t frame_height;
} ink_gif_layout;

// NULL: no memory. `bytes` must outlive the reader.
ink_gif_reader *ink_gif_open(const uint8_t *bytes, size_t count);

// Reads up to the first frame's pixels.
int ink_gif_read_layout(ink_gif_reader *reader, ink_gif_layout *layout);

// Decodes the frame into a zeroed picture of RGBA. What no pixel covers stays transparent.
int ink_gif_decode(ink_gif_reader *reader, uint8_t *pixels);

// Packs a picture of RGBA as RGB when nothing of it is transparent: 1, else 0.
int ink_gif_pack_opaque(uint8_t *pixels, size_t count);

// Why the last function failed.
const char *ink_gif_error(const ink_gif_reader *reader);

void ink_gif_close(ink_gif_reader *reader);
