// The search for pixels, one pixel at a time.
#pragma once

#include "deflate_pixel_groups.hpp"

namespace ink_deflate::INK_LEVEL {
namespace {

/// The candidates for each pixel of a chunk.
struct Candidates {
    /// Distance to the last occurrence of the pixel; 0 if none.
    uint16_t pixel[chunk_pixels + group_pixels];
    /// Distance to the last occurrence of the pixel and its successor.
    uint16_t pair[chunk_pixels + group_pixels];
    /// Number of equal pixels there, within 32 bytes and the row. One extra entry is read.
    uint8_t same[chunk_pixels + group_pixels];
};

template <uint32_t pixel>
void find_candidates(
    const Costs &, const uint8_t *window, uint32_t first, uint32_t at, uint32_t count, PixelTables &tables,
    Candidates &found) {
    for (uint32_t start = 0; start < count; start += group_pixels, at += group_pixels * pixel) {
        if (is_flat<pixel>(window, first, at)) {
            for (uint32_t k = 0; k < group_pixels; k++) {
                found.pixel[start + k] = pixel;
                found.pair[start + k] = pixel;
                found.same[start + k] = static_cast<uint8_t>(flat_length<pixel>(k));
            }
            continue;
        }
        uint32_t end = count - start < group_pixels ? count - start : group_pixels;
        uint32_t hash = hash_of(load_pixel<pixel>(window + at));
        for (uint32_t k = 0; k < end; k++) {
            uint32_t here = at + k * pixel;
            uint32_t next_hash = hash_of(load_pixel<pixel>(window + here + pixel));
            uint32_t &pair_entry = tables.pair[hash_of_pair(hash, next_hash) >> (32 - PixelTables::pair_bits)];
            uint32_t &pixel_entry = tables.pixel[hash >> (32 - PixelTables::pixel_bits)];
            hash = next_hash;
            uint32_t pair_at = pair_entry;
            uint32_t pixel_at = pixel_entry;
            pair_entry = here;
            pixel_entry = here;
            uint32_t length = equal_prefix32(window + pair_at, window + here);
            uint32_t pair_distance = here - pair_at;
            uint32_t pixel_distance = here - pixel_at;
            bool is_same = (load_pixel<pixel>(window + pixel_at) == load_pixel<pixel>(window + here))
                & (pixel_distance <= distance_max);
            found.pair[start + k] = static_cast<uint16_t>(pair_distance);
            found.same[start + k] = static_cast<uint8_t>(
                length * pixels_of_bytes<pixel> >> 8 & mask_if(pair_distance <= distance_max));
            found.pixel[start + k] = static_cast<uint16_t>(pixel_distance & mask_if(is_same));
        }
    }
}

/// Chooses a chunk's tokens. Returns the number of pixels that they cover: more than `count` if the last match
/// continues, up to `row_count`.
template <uint32_t pixel>
uint32_t decide(
    const Costs &costs, const uint8_t *window, uint32_t at, uint32_t count, uint32_t row_count,
    const Candidates &found, PixelTokens &tokens) {
    const uint8_t *bytes = window + at;
    uint32_t *pixels = tokens.pixels + tokens.pixel_count;
    Match *matches = tokens.matches + tokens.match_count;
    uint8_t *kinds = tokens.kinds + tokens.pixel_count + tokens.match_count;
    const uint8_t *row_end = bytes + row_count * pixel;
    const uint32_t pair_length = costs.length[2 * pixel];
    const uint32_t pixel_length = costs.length[pixel];
    uint32_t i = 0;
    while (i < count) {
        const uint8_t *here = bytes + i * pixel;
        uint32_t literals = literal_cost<pixel>(costs, here);
        uint32_t same = found.same[i];
        uint32_t pair = found.pair[i];
        // Mispredicted branches cost most here, so there is one branch per token and none in the conditions.
        bool is_pair_cheap = pair_length + costs.distance[distance_symbol(pair + (pair == 0))]
            < literals + literal_cost<pixel>(costs, here + pixel);
        bool is_better_next = (same < 8) & (found.same[i + 1] > same);
        if ((same >= 2) & !is_better_next & ((same > 2) | is_pair_cheap)) {
            uint32_t size = same * pixel;
            if (size + pixel > known_length_max || pair == pixel)
                size = equal_prefix(here - pair, here, row_end) / pixel * pixel;
            i += size / pixel;
            add_match<pixel>(size, pair, matches, kinds);
            continue;
        }
        uint32_t one = found.pixel[i];
        bool is_match = (one != 0) & (pixel_length + costs.distance[distance_symbol(one + (one == 0))] < literals);
        *kinds++ = is_match;
        *matches = {static_cast<uint16_t>(pixel), static_cast<uint16_t>(one)};
        *pixels = load_pixel<pixel>(here);
        matches += is_match;
        pixels += !is_match;
        i++;
    }
    tokens.pixel_count = static_cast<size_t>(pixels - tokens.pixels);
    tokens.match_count = static_cast<size_t>(matches - tokens.matches);
    return i;
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
