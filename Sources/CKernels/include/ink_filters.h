// PNG's row filters (PNG specification, 9.2) and the checksum of the filtered bytes, for each processor level. They use
// only integers, so every level gives the same bytes.
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
    /// Filters `count` bytes of `row` with filter 0 to 4 into `out`. `prior` is the row above; None and Sub do not read
    /// it. `pixel` is the number of bytes per pixel, at most `count`. `out` must not overlap either row.
    void (*apply)(
        unsigned filter, const uint8_t *row, const uint8_t *prior, size_t count, size_t pixel, uint8_t *out);
    /// Estimates the bits that the filtered bytes take: the sum of the bit lengths of their distances from 0 modulo
    /// 256. Unlike a sum of distances, a few edges do not dominate it.
    uint64_t (*cost)(const uint8_t *bytes, size_t count);
    /// Adler-32, the checksum of a zlib stream of these bytes.
    uint32_t (*adler32)(const uint8_t *bytes, size_t count);
    /// Restores filtered rows of `count` bytes in place; each row follows its filter byte. `prior` is the restored row
    /// above the first one, or zeros. One byte beyond the rows, and beyond `prior`, may be read. Returns false at a
    /// filter that PNG does not have.
    bool (*undo)(uint8_t *rows, size_t row_count, const uint8_t *prior, size_t count, size_t pixel);
};

const struct ink_filters *ink_filters_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
