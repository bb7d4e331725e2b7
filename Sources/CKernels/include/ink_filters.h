// PNG's row filters (PNG specification, 9.2), for each level of processor; whole numbers only, so every level gives the
// same bytes.
#ifndef INK_FILTERS_H
#define INK_FILTERS_H

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
    /// Restores `count` bytes of `row` in place. `prior` is the restored row above, zeros for the first.
    void (*undo)(unsigned filter, uint8_t *row, const uint8_t *prior, size_t count, size_t pixel);
};

const struct ink_filters *ink_filters_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
