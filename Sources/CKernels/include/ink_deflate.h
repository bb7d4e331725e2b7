// A deflate compressor (RFC 1951) for the filtered rows of a picture. The same bytes for every level of processor and
// every address.
#ifndef INK_DEFLATE_H
#define INK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What repetitions are looked for.
enum ink_deflate_search {
    /// Runs of one byte: what is left to find in filtered noise, at the speed of coding alone.
    INK_SEARCH_RUNS = 0,
    /// Pixels and strings of pixels, as they come in line art.
    INK_SEARCH_PIXELS = 1,
    /// Strings of bytes, and the cheapest way to put the rows together of them.
    INK_SEARCH_CHEAPEST = 2,
    /// Runs of one byte: all of at least 63, and some of 32 and more.
    INK_SEARCH_LONG_RUNS = 3,
};

/// What follows the rows that are written.
enum ink_deflate_end {
    INK_END_MORE = 0,
    /// Up to a byte boundary; what comes after refers to nothing before.
    INK_END_FLUSH = 1,
    /// The stream ends, at a byte boundary.
    INK_END_LAST = 2,
};

typedef struct ink_deflater ink_deflater;

/// NULL when there is no memory.
ink_deflater *ink_deflater_create(enum ink_level level);
void ink_deflater_destroy(ink_deflater *deflater);

/// Begins a band of rows of `row_bytes` bytes: a filter's number and pixels of `pixel` bytes each.
///
/// Of many literals in a row all are counted, a half, a quarter, an eighth or a sixteenth, for a `coarseness` of 0 to 4,
/// which is faster and costs a little. `estimate` is the number of an estimate of rows like the band's, from which the
/// costs of symbols are taken at first; -1: none.
void ink_deflater_begin(
    ink_deflater *deflater, enum ink_deflate_search search, size_t row_bytes, size_t pixel, uint32_t coarseness,
    int estimate);

/// Where `rows` rows that come next are to be put; NULL when there is no memory. Good until the next call.
uint8_t *ink_deflater_room(ink_deflater *deflater, size_t rows);

/// About how many bits the `rows` rows just put would take; to be called once after a begin, with nothing written. What
/// is learnt of the costs of symbols is kept as number `estimate`, 0 to 3.
uint64_t ink_deflater_estimate(ink_deflater *deflater, size_t rows, int estimate);

/// The most bytes that writing `rows` rows gives.
size_t ink_deflater_bound(const ink_deflater *deflater, size_t rows);

/// Compresses the `rows` rows just put to `out`, which has room for the bound; the bytes that came out, of whole bytes:
/// what is left of the last one is written by the next call.
size_t ink_deflater_write(ink_deflater *deflater, size_t rows, enum ink_deflate_end end, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
