#include "png_reference.h"

#include <png.h>
#include <setjmp.h>

static void count_bytes(png_structp png, png_bytep bytes, size_t count) {
    (void)bytes;
    *(size_t *)png_get_io_ptr(png) += count;
}

static void flush_nothing(png_structp png) { (void)png; }

size_t png_reference_size(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level) {
    size_t count = 0;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return 0;
    }
    png_set_write_fn(png, &count, count_bytes, flush_nothing);
    png_set_compression_level(png, level);
    int color = channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(png, info, width, height, 8, color, PNG_INTERLACE_NONE, 0, 0);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * width * (size_t)channels);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return count;
}
