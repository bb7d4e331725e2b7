// Search for pixels, and strings of pixels, that occurred before. Matches stay within rows.
//
// Candidates are looked up for every pixel, independently of the decisions for earlier pixels. The lookups never wait
// for a decision, and the decisions, which branch prediction cannot foresee, find all data ready.
#pragma once

#include "level.hpp"

#if INK_RANK >= 2
#include "deflate_pixels_wide.hpp"
#else
#include "deflate_pixels_narrow.hpp"
#endif

namespace ink_deflate::INK_LEVEL {
namespace {

/// Limits a chunk of `count` pixels: entries after it are no better, and no match leaves the row, which has `row_count`
/// pixels left.
template <uint32_t pixel>
void end_candidates(uint32_t count, uint32_t row_count, Candidates &found) {
    found.same[count] = 0;
    // The row may end within reach of a chunk that ends earlier.
    for (uint32_t left = row_count - count + 1; left <= known_length_max / pixel && left <= row_count; left++) {
        uint8_t &same = found.same[row_count - left];
        same = same < left ? same : static_cast<uint8_t>(left);
    }
}

template <uint32_t pixel>
void find_in_rows(
    const Costs &costs, const uint8_t *window, uint32_t first, uint32_t begin, uint32_t end, uint32_t row_bytes,
    PixelTables &tables, PixelTokens &tokens) {
    Candidates found;
    // The filter number, if there is one.
    uint32_t lead = row_bytes % pixel;
    uint32_t width = row_bytes / pixel;
    for (uint32_t row = begin; row < end; row += row_bytes) {
        for (uint32_t k = 0; k < lead; k++) {
            tokens.kinds[tokens.pixel_count + tokens.match_count] = 1;
            tokens.matches[tokens.match_count++] = {0, window[row + k]};
        }
        for (uint32_t x = 0; x < width;) {
            uint32_t at = row + lead + x * pixel;
            uint32_t count = width - x < chunk_pixels ? width - x : chunk_pixels;
            find_candidates<pixel>(costs, window, first, at, count, tables, found);
            end_candidates<pixel>(count, width - x, found);
            x += decide<pixel>(costs, window, at, count, width - x, found, tokens);
        }
    }
}

void find_pixels(
    const Costs &costs, const uint8_t *window, uint32_t first, uint32_t begin, uint32_t end, uint32_t row_bytes,
    uint32_t pixel, PixelTables &tables, PixelTokens &tokens) {
    if (pixel == 3) {
        find_in_rows<3>(costs, window, first, begin, end, row_bytes, tables, tokens);
    } else {
        find_in_rows<4>(costs, window, first, begin, end, row_bytes, tables, tokens);
    }
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
