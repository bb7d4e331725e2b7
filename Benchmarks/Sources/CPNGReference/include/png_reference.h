#pragma once
#include <stddef.h>
#include <stdint.h>

// The bytes of a PNG of these pixels (3 or 4 bytes each) as libpng makes it with its default filters and zlib at
// `level`; 0 when it fails.
size_t png_reference_size(const uint8_t *pixels, uint32_t width, uint32_t height, int channels, int level);
