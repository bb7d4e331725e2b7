// Conversion of finished planes to bytes.
#pragma once

#include "blend_modes.hpp"

namespace INK_LEVEL::blend {
namespace {

/// 255 times the value, clamped and rounded to the nearest integer, halves up. Values that are slightly below a half
/// because of their 16-bit source also round up: a wash at half opacity is a picture full of halves.
INK_INLINE word_lanes rounded(lanes value) {
    constexpr float two_shares = 1.0f / 128;
    lanes raised = lesser(greater(value, 0), 1) * 255 + (0.5f + two_shares);
    return (word_lanes)__builtin_convertvector(raised, mask_lanes);
}

/// The lower three bytes of each word, one after the other.
INK_INLINE void store_colors(uint8_t *target, word_lanes words) {
#if INK_RANK >= 2
    // Packs twelve bytes of each quarter, then joins the quarters.
    const __m512i bytes = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    const __m512i quarters = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    const __m512i packed = _mm512_permutexvar_epi32(quarters, _mm512_shuffle_epi8((__m512i)words, bytes));
    _mm512_mask_storeu_epi32(target, 0xFFF, packed);
#else
    // First the 24 bits of two words in each of half as many elements, then the words across the borders.
    typedef uint64_t pairs __attribute__((ext_vector_type(INK_WIDTH / 2)));
    pairs two;
    __builtin_memcpy(&two, &words, sizeof(two));
    two = (two & 0xFFFFFF) | (two >> 8 & 0xFFFFFF000000);
    for (int i = 0; i < INK_WIDTH / 2; i += 2) {
        // Twelve bytes; the second store contains what the first one lacks.
        const uint64_t low = two[i] | two[i + 1] << 48;
        const uint32_t high = (uint32_t)(two[i + 1] >> 16);
        __builtin_memcpy(target + 6 * i, &low, 8);
        __builtin_memcpy(target + 6 * i + 8, &high, 4);
    }
#endif
}

template <int bytes, bool is_opaque>
static void write_pixels(const struct ink_planes *row, size_t count, int on_white, uint8_t *target) {
    for (size_t x = 0; x < count; x += INK_WIDTH) {
        const size_t part = count - x < INK_WIDTH ? count - x : INK_WIDTH;
        float rest[4][INK_WIDTH] = {};
        pixels p;
        if (part == INK_WIDTH) {
            p = {load(row->red + x), load(row->green + x), load(row->blue + x), 1};
            if (!is_opaque) p.alpha = load(row->alpha + x);
        } else {
            __builtin_memcpy(rest[0], row->red + x, part * sizeof(float));
            __builtin_memcpy(rest[1], row->green + x, part * sizeof(float));
            __builtin_memcpy(rest[2], row->blue + x, part * sizeof(float));
            if (!is_opaque) __builtin_memcpy(rest[3], row->alpha + x, part * sizeof(float));
            p = {load(rest[0]), load(rest[1]), load(rest[2]), is_opaque ? lanes(1.0f) : load(rest[3])};
        }
        if (!is_opaque && on_white) {
            lanes missing = 1 - p.alpha;
            p = {p.red + missing, p.green + missing, p.blue + missing, p.alpha + missing};
        }
        if (!is_opaque && bytes == 4)
            p = {straight(p.red, p.alpha), straight(p.green, p.alpha), straight(p.blue, p.alpha), p.alpha};
        word_lanes words = rounded(p.red) | rounded(p.green) << 8 | rounded(p.blue) << 16;
        if (bytes == 4) words |= rounded(p.alpha) << 24;
        uint8_t packed[4 * INK_WIDTH];
        uint8_t *place = part == INK_WIDTH ? target + bytes * x : packed;
        if (bytes == 3)
            store_colors(place, words);
        else
            __builtin_memcpy(place, &words, sizeof(words));
        if (part < INK_WIDTH) __builtin_memcpy(target + bytes * x, packed, part * bytes);
    }
}

static void write_row(
    const struct ink_planes *row, size_t count, int has_alpha, int is_opaque, int on_white, uint8_t *target) {
    if (has_alpha)
        (is_opaque ? write_pixels<4, true> : write_pixels<4, false>)(row, count, on_white, target);
    else
        (is_opaque ? write_pixels<3, true> : write_pixels<3, false>)(row, count, on_white, target);
}

}  // namespace
}  // namespace INK_LEVEL::blend
