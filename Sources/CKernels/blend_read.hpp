// Reading pixels of several formats into lanes.
#pragma once

#include "blend_lanes.hpp"

namespace INK_LEVEL::blend {
namespace {

INK_INLINE pixels scaled(pixels p, lanes factor) {
    return {p.red * factor, p.green * factor, p.blue * factor, p.alpha * factor};
}

INK_INLINE pixels load(struct ink_planes planes, ptrdiff_t i) {
    return {load(planes.red + i), load(planes.green + i), load(planes.blue + i), load(planes.alpha + i)};
}

/// 16-bit values as 0...1.
INK_INLINE lanes load(const uint16_t *source) {
    typedef uint16_t share_lanes __attribute__((ext_vector_type(INK_WIDTH)));
    constexpr float per_share = 1.0f / 65535.0f;
    static_assert(65535.0f * per_share == 1.0f, "the largest share is 1");
    share_lanes shares;
    __builtin_memcpy(&shares, source, sizeof(shares));
    return __builtin_convertvector(__builtin_convertvector(shares, mask_lanes), lanes) * per_share;
}

INK_INLINE pixels load(struct ink_shares shares, ptrdiff_t i) {
    return {load(shares.red + i), load(shares.green + i), load(shares.blue + i), load(shares.alpha + i)};
}

INK_INLINE pixels premultiplied(word_lanes red, word_lanes green, word_lanes blue, word_lanes alpha) {
    lanes a = floats(alpha);
    // Integers up to 65,025, which Float holds exactly; a channel of 255 is therefore exactly its alpha.
    return scaled({floats(red) * a, floats(green) * a, floats(blue) * a, a * 255}, per_product);
}

/// `INK_WIDTH` pixels of 3 bytes as words whose highest byte is 0.
INK_INLINE word_lanes colors_at(const uint8_t *samples) {
    typedef uint8_t bytes __attribute__((ext_vector_type(16)));
    word_lanes words;
    for (int i = 0; i < INK_WIDTH; i += 4) {
        bytes twelve = 0;
        __builtin_memcpy(&twelve, samples + 3 * i, 12);
        const bytes four = __builtin_shufflevector(
            twelve, twelve, 0, 1, 2, 15, 3, 4, 5, 15, 6, 7, 8, 15, 9, 10, 11, 15);
        __builtin_memcpy((uint8_t *)&words + 4 * i, &four, 16);
    }
    return words;
}

template <enum ink_pixels format>
INK_INLINE pixels read(const uint8_t *samples) {
    word_lanes words;
    if (format == INK_PIXELS_RGB8)
        words = colors_at(samples);
    else
        __builtin_memcpy(&words, samples, sizeof(words));
    const word_lanes red = words & 255;
    const word_lanes green = words >> 8 & 255;
    const word_lanes blue = words >> 16 & 255;
    if (format == INK_PIXELS_RGB8)
        return {floats(red) * per_level, floats(green) * per_level, floats(blue) * per_level, 1};
    return premultiplied(red, green, blue, words >> 24);
}

}  // namespace
}  // namespace INK_LEVEL::blend
