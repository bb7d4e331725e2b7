// A deflate compressor (RFC 1951) for the filtered rows of a picture. It gives the same bytes at every processor level
// and for every memory address.
#ifndef INK_DEFLATE_H
#define INK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The repetitions to look for.
enum ink_deflate_search {
    /// Runs of one byte: the only repetitions in filtered noise, found at the speed of coding alone.
    INK_SEARCH_RUNS = 0,
    /// Pixels and strings of pixels, as in line art.
    INK_SEARCH_PIXELS = 1,
    /// Strings of bytes, and the cheapest sequence of literals and matches.
    INK_SEARCH_CHEAPEST = 2,
    /// Runs of one byte: all of at least 63 bytes, and some of 32 or more.
    INK_SEARCH_LONG_RUNS = 3,
};

/// What follows the rows written.
enum ink_deflate_end {
    INK_END_MORE = 0,
    /// Pad to a byte boundary. Later bytes refer to nothing before it.
    INK_END_FLUSH = 1,
    /// End the stream, at a byte boundary.
    INK_END_LAST = 2,
};

typedef struct ink_deflater ink_deflater;

/// Returns NULL if there is no memory.
ink_deflater *ink_deflater_create(enum ink_level level);
void ink_deflater_destroy(ink_deflater *deflater);

/// Begins a band. A row has `row_bytes` bytes: pixels of `pixel` bytes each (3 or 4 where pixels are searched for), after
/// the bytes that make no whole pixel, such as a filter number.
///
/// Of many consecutive literals the compressor counts all, 1/2, 1/4, 1/8 or 1/16, for a `coarseness` of 0 to 4. A
/// higher value is faster and compresses slightly less. `estimate` is the number of an estimate for similar rows, whose
/// symbol costs are used at first; -1: none.
void ink_deflater_begin(
    ink_deflater *deflater, enum ink_deflate_search search, size_t row_bytes, size_t pixel, uint32_t coarseness,
    int estimate);

/// Where to write the next `rows` rows. NULL if there is no memory. Valid until the next call.
uint8_t *ink_deflater_room(ink_deflater *deflater, size_t rows);

/// Estimates the bits that the `rows` rows just written would take. Call it once after a begin, before any write. The
/// symbol costs it learns are stored as estimate number `estimate`, 0 to 3.
uint64_t ink_deflater_estimate(ink_deflater *deflater, size_t rows, int estimate);

/// The maximum number of bytes that writing `rows` rows yields.
size_t ink_deflater_bound(const ink_deflater *deflater, size_t rows);

/// Compresses the `rows` rows just written to `out`, which has room for the bound. Returns the number of whole bytes
/// written. Bits of an incomplete last byte are written by the next call.
size_t ink_deflater_write(ink_deflater *deflater, size_t rows, enum ink_deflate_end end, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
