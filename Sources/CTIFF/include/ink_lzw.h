#pragma once
#include <stddef.h>
#include <stdint.h>

// LZW as in TIFF (TIFF 6.0, section 13): codes of 9 to 12 bits, the highest bit first, wider one code early.

// The most bytes that `count` bytes can take.
size_t ink_lzw_bound(size_t count);

// Compresses to `out`, which has room for the bound. Returns the number of bytes written.
size_t ink_lzw_encode(const uint8_t *bytes, size_t count, uint8_t *out);
