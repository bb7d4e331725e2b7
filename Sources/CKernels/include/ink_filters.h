// PNG's row filters (PNG specification, 9.2) and the checksum of what they give, for each level of processor; whole numbers
// only, so every level gives the same bytes.
#ifndef INK_FILTERS_H
#define INK_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ink_filters {
    /// Filters `count` bytes of `row` with filter 0 to 4 to `out`. `prior` is the row above, of which None and Sub read
    /// nothing; `pixel` is the bytes of a pixel, at most `count`. `out` overlaps neither row.
    void (*apply)(
        unsigned filter, const uint8_t *row, const uint8_t *prior, size_t count, size_t pixel, uint8_t *out);
    /// About how many bits the filtered bytes take: the sum of the bit lengths of their distances from 0 modulo 256.
    /// Unlike the sum of the distances it does not let a few edges outweigh a row.
    uint64_t (*cost)(const uint8_t *bytes, size_t count);
    /// The checksum of a zlib stream of these bytes, Adler-32.
    uint32_t (*adler32)(const uint8_t *bytes, size_t count);
    /// Restores filtered rows of `count` bytes in place, each behind the byte of its filter. `prior` is the restored row
    /// above the first, zeros where there is none. A byte behind the rows and behind `prior` may be read. False when it
    /// meets a filter that PNG does not have.
    bool (*undo)(uint8_t *rows, size_t row_count, const uint8_t *prior, size_t count, size_t pixel);
};

const struct ink_filters *ink_filters_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
