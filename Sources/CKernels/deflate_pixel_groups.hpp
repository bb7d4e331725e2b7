// Code that both searches for pixels share.
#pragma once

#include "literals.hpp"

namespace ink_deflate::INK_LEVEL {
namespace {

enum : uint32_t { chunk_pixels = 512, group_pixels = 16, known_length_max = 32 };

/// All bits or none. An assembler barrier hides the value from the compiler, which would otherwise turn a selection
/// into a branch.
INK_INLINE uint32_t mask_if(bool condition) {
    uint32_t mask = 0 - static_cast<uint32_t>(condition);
    __asm__("" : "+r"(mask));
    return mask;
}

template <uint32_t pixel>
INK_INLINE uint32_t load_pixel(const uint8_t *bytes) {
    return pixel == 3 ? load32(bytes) & 0xFFFFFF : load32(bytes);
}

/// Cost in bits of a pixel's bytes as literals.
template <uint32_t pixel>
INK_INLINE uint32_t literal_cost(const Costs &costs, const uint8_t *bytes) {
    uint32_t value = load32(bytes);
    uint32_t cost = 0;
    for (uint32_t k = 0; k < pixel; k++) cost += costs.literal[value >> (8 * k) & 0xFF];
    return cost;
}

/// Number of whole pixels in 32 bytes, computed with a factor in 1/256.
template <uint32_t pixel>
constexpr uint32_t pixels_of_bytes = pixel == 3 ? 86 : 64;

/// Whether every pixel of a group equals the one before it. No other match is needed then.
template <uint32_t pixel>
INK_INLINE bool is_flat(const uint8_t *window, uint32_t first, uint32_t at) {
    const uint64_t group = ~uint64_t(0) >> (64 - group_pixels * pixel);
    return at >= first + pixel && (~equal64(window + at, window + at - pixel) & group) == 0;
}

/// Number of pixels known to be equal, from pixel `k` of a flat group on.
template <uint32_t pixel>
INK_INLINE uint32_t flat_length(uint32_t k) {
    uint32_t length = (group_pixels - k) * pixel;
    return (length < known_length_max ? length : uint32_t(known_length_max)) / pixel;
}

/// Hashes of one pixel, and of two pixels from their hashes. The upper bits index the tables.
INK_INLINE uint32_t hash_of(uint32_t value) { return value * 0x9E3779B1u; }
INK_INLINE uint32_t hash_of_pair(uint32_t one, uint32_t next) { return (one << 5 | one >> 27) + next; }

/// Emits the tokens of a match of `size` bytes (whole pixels) at a distance.
template <uint32_t pixel>
INK_INLINE void add_match(uint32_t size, uint32_t distance, Match *&matches, uint8_t *&kinds) {
    enum : uint32_t { part_max = match_max / pixel * pixel };
    for (; size > part_max; size -= part_max) {
        *matches++ = {static_cast<uint16_t>(part_max), static_cast<uint16_t>(distance)};
        *kinds++ = 1;
    }
    *matches++ = {static_cast<uint16_t>(size), static_cast<uint16_t>(distance)};
    *kinds++ = 1;
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
