#include "ink_png.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct ink_png_reader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    char error[160];
};

static void on_error(png_structp png, png_const_charp message) {
    ink_png_reader *reader = png_get_error_ptr(png);
    // The text may hold bytes of the file (a chunk's name); only plain ones go into a message.
    size_t length = 0;
    for (; message[length] != 0 && length < sizeof reader->error - 1; length++) {
        char c = message[length];
        reader->error[length] = c >= 32 && c < 127 ? c : '?';
    }
    reader->error[length] = 0;
    png_longjmp(png, 1);
}

// libpng only warns of two kinds of damage that change the picture, or may: a tRNS chunk that fails its CRC is left
// out, and a wrong adler32 comes to light after the last row. Both are errors here; other warnings mean nothing.
static void on_warning(png_structp png, png_const_charp message) {
    if (strcmp(message, "tRNS: CRC error") == 0 || strcmp(message, "IDAT: incorrect data check") == 0)
        on_error(png, message);
}

static void read_bytes(png_structp png, png_bytep into, size_t count) {
    ink_png_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) png_error(png, "the file is cut off");
    memcpy(into, reader->bytes + reader->offset, count);
    reader->offset += count;
}

ink_png_reader *ink_png_open(const uint8_t *bytes, size_t count) {
    ink_png_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
    if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
    if (reader->info == NULL) {
        ink_png_close(reader);
        return NULL;
    }
    return reader;
}

int ink_png_read_header(ink_png_reader *reader, uint32_t max_edge, int gray_to_rgb, ink_png_layout *layout) {
    png_structp png = reader->png;
    png_infop info = reader->info;
    if (setjmp(png_jmpbuf(png))) return 0;

    png_set_read_fn(png, reader, read_bytes);
    png_set_user_limits(png, max_edge, max_edge);
    // No chunk can be longer than the file. With that as the limit, one whose length lies is refused before anything
    // is taken for it, and long profiles or animation frames, which are skipped below, do no harm.
    png_set_chunk_malloc_max(png, reader->count);
    png_set_chunk_cache_max(png, 1);
    // Of all chunks only IHDR, PLTE, tRNS, IDAT and IEND are parsed. -1 stands for every other one that libpng knows.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_read_info(png, info);

    png_set_expand(png);
    png_set_scale_16(png);
    if (gray_to_rgb) png_set_gray_to_rgb(png);
    layout->passes = (uint32_t)png_set_interlace_handling(png);
    png_read_update_info(png, info);

    layout->width = png_get_image_width(png, info);
    layout->height = png_get_image_height(png, info);
    layout->channels = png_get_channels(png, info);
    layout->row_bytes = png_get_rowbytes(png, info);
    if (png_get_bit_depth(png, info) != 8 || layout->row_bytes != (size_t)layout->width * layout->channels)
        png_error(png, "the pixels cannot be expanded to 8 bits");
    return 1;
}

int ink_png_read_row(ink_png_reader *reader, uint8_t *row) {
    if (setjmp(png_jmpbuf(reader->png))) return 0;
    png_read_row(reader->png, row, NULL);
    return 1;
}

int ink_png_finish(ink_png_reader *reader) {
    if (setjmp(png_jmpbuf(reader->png))) return 0;
    png_read_end(reader->png, NULL);
    return 1;
}

const char *ink_png_error(const ink_png_reader *reader) { return reader->error; }

void ink_png_close(ink_png_reader *reader) {
    if (reader == NULL) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}
