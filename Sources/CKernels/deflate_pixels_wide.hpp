// The search for pixels, sixteen at a time. It finds the same tokens as the search for one pixel at a time.
#pragma once

#include "deflate_pixel_groups.hpp"

namespace ink_deflate::INK_LEVEL {
namespace {

/// The candidates for each pixel of a chunk, in raw form; they are decoded when needed. One extra group is read.
struct Candidates {
    /// Last position of the pixel in the window, and the pixel there.
    uint32_t pixel_at[chunk_pixels + 2 * group_pixels];
    uint32_t pixel_there[chunk_pixels + 2 * group_pixels];
    /// Last position of the pixel and its successor.
    uint32_t pair_at[chunk_pixels + 2 * group_pixels];
    /// Number of equal pixels there, within 32 bytes and the row.
    uint8_t same[chunk_pixels + 2 * group_pixels];
    /// Cost in bits as literals.
    uint16_t literals[chunk_pixels + 2 * group_pixels];
};

/// Loads sixteen pixels; reads 64 bytes.
template <uint32_t pixel>
INK_INLINE __m512i load_pixels(const uint8_t *bytes) {
    __m512i all = _mm512_loadu_si512(bytes);
    if (pixel == 4) return all;
    const __m512i quarters = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    const __m512i spread = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(quarters, all), spread);
}

/// Positions of a group's pixels in the window.
template <uint32_t pixel>
INK_INLINE __m512i places(uint32_t at) {
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(
        _mm512_set1_epi32(static_cast<int>(at)), _mm512_mullo_epi32(numbers, _mm512_set1_epi32(pixel)));
}

template <uint32_t pixel>
void find_candidates(
    const Costs &costs, const uint8_t *window, uint32_t first, uint32_t at, uint32_t count, PixelTables &tables,
    Candidates &found) {
    alignas(64) uint32_t pair_place[group_pixels];
    alignas(64) uint32_t pixel_place[group_pixels];
    const __m512i factor = _mm512_set1_epi32(static_cast<int>(hash_of(1)));
    uint8_t flat_lengths[group_pixels];
    for (uint32_t k = 0; k < group_pixels; k++) flat_lengths[k] = static_cast<uint8_t>(flat_length<pixel>(k));
    const uint32_t chunk_end = at + count * pixel;
    for (uint32_t start = 0; start < count; start += group_pixels, at += group_pixels * pixel) {
        __m512i pixels = load_pixels<pixel>(window + at);
        if (is_flat<pixel>(window, first, at)) {
            __m512i before = places<pixel>(at - pixel);
            _mm512_storeu_si512(found.pixel_at + start, before);
            _mm512_storeu_si512(found.pair_at + start, before);
            _mm512_storeu_si512(found.pixel_there + start, pixels);
            memcpy(found.same + start, flat_lengths, sizeof flat_lengths);
            __m256i cost = _mm256_set1_epi16(static_cast<short>(literal_cost<pixel>(costs, window + at)));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(found.literals + start), cost);
            continue;
        }
        __m512i hash = _mm512_mullo_epi32(pixels, factor);
        __m512i next_hash = _mm512_mullo_epi32(load_pixels<pixel>(window + at + pixel), factor);
        __m512i pair_hash = _mm512_add_epi32(_mm512_rol_epi32(hash, 5), next_hash);
        _mm512_store_si512(pixel_place, _mm512_srli_epi32(hash, 32 - PixelTables::pixel_bits));
        _mm512_store_si512(pair_place, _mm512_srli_epi32(pair_hash, 32 - PixelTables::pair_bits));
        uint32_t end = count - start < group_pixels ? count - start : group_pixels;
        uint32_t here = at;
        for (uint32_t k = start; k < start + end; k++, here += pixel) {
            uint32_t pair_at = tables.pair[pair_place[k - start]];
            uint32_t pixel_at = tables.pixel[pixel_place[k - start]];
            tables.pair[pair_place[k - start]] = here;
            tables.pixel[pixel_place[k - start]] = here;
            found.pair_at[k] = pair_at;
            found.pixel_at[k] = pixel_at;
            found.pixel_there[k] = load_pixel<pixel>(window + pixel_at);
            uint32_t length = equal_prefix32(window + pair_at, window + here);
            found.same[k] = static_cast<uint8_t>(length * pixels_of_bytes<pixel> >> 8);
            found.literals[k] = static_cast<uint16_t>(literal_cost<pixel>(costs, window + here));
        }
    }
    found.literals[count] = static_cast<uint16_t>(literal_cost<pixel>(costs, window + chunk_end));
}

/// Costs of distances, looked up for sixteen at a time.
struct DistanceCosts {
    __m512i low, high;
};

INK_INLINE DistanceCosts load_costs(const Costs &costs) {
    const __m128i *bytes = reinterpret_cast<const __m128i *>(costs.distance);
    return {_mm512_cvtepu8_epi32(_mm_loadu_si128(bytes)), _mm512_cvtepu8_epi32(_mm_loadu_si128(bytes + 1))};
}

/// `distance_symbol` of distances of at least 1.
INK_INLINE __m512i distance_symbols(__m512i distance) {
    const __m512i one = _mm512_set1_epi32(1);
    __m512i d = _mm512_sub_epi32(distance, one);
    __m512i power = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(_mm512_or_si512(d, one)));
    __m512i half = _mm512_and_si512(_mm512_srlv_epi32(d, _mm512_sub_epi32(power, one)), one);
    __m512i symbol = _mm512_add_epi32(_mm512_add_epi32(power, power), half);
    return _mm512_mask_mov_epi32(symbol, _mm512_cmplt_epu32_mask(d, _mm512_set1_epi32(2)), d);
}

INK_INLINE __m512i cost_of(const DistanceCosts &costs, __m512i distance) {
    return _mm512_permutex2var_epi32(costs.low, distance_symbols(distance), costs.high);
}

/// The best choice for each pixel of a group, independent of the choices for earlier pixels.
struct Plan {
    /// Bit masks: pixels that begin a string that occurred before, and pixels that occurred alone.
    uint32_t strings, ones;
    /// Known lengths of the strings, in pixels.
    __m512i same;
    __m512i pair_distance, pixel_distance;
    __m512i pixels;
};

/// Number of equal pixels from `group` on; 0 where the distance is too large.
INK_INLINE __m512i same_pixels(const Candidates &found, uint32_t group, __m512i distance) {
    __m128i same = _mm_loadu_si128(reinterpret_cast<const __m128i *>(found.same + group));
    return _mm512_maskz_cvtepu8_epi32(_mm512_cmple_epu32_mask(distance, _mm512_set1_epi32(distance_max)), same);
}

INK_INLINE __m512i literal_costs(const Candidates &found, uint32_t group) {
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(found.literals + group)));
}

template <uint32_t pixel>
INK_INLINE Plan plan_group(
    const Costs &costs, const DistanceCosts &distance_costs, const uint8_t *window, uint32_t at,
    const Candidates &found, uint32_t group) {
    Plan plan;
    plan.pixels = load_pixels<pixel>(window + at);
    __m512i here = places<pixel>(at);
    __m512i next = places<pixel>(at + pixel);
    plan.pair_distance = _mm512_sub_epi32(here, _mm512_loadu_si512(found.pair_at + group));
    plan.pixel_distance = _mm512_sub_epi32(here, _mm512_loadu_si512(found.pixel_at + group));
    __m512i next_distance = _mm512_sub_epi32(next, _mm512_loadu_si512(found.pair_at + group + 1));
    plan.same = same_pixels(found, group, plan.pair_distance);
    __m512i next_same = same_pixels(found, group + 1, next_distance);
    __m512i literals = literal_costs(found, group);
    __m512i both = _mm512_add_epi32(literals, literal_costs(found, group + 1));
    __m512i pair_cost = _mm512_add_epi32(
        _mm512_set1_epi32(costs.length[2 * pixel]), cost_of(distance_costs, plan.pair_distance));
    __m512i pixel_cost = _mm512_add_epi32(
        _mm512_set1_epi32(costs.length[pixel]), cost_of(distance_costs, plan.pixel_distance));
    uint32_t is_two = _mm512_cmpeq_epi32_mask(plan.same, _mm512_set1_epi32(2));
    uint32_t is_more = _mm512_cmpgt_epu32_mask(plan.same, _mm512_set1_epi32(2));
    uint32_t is_cheap = _mm512_cmplt_epu32_mask(pair_cost, both);
    uint32_t is_better_next = _mm512_mask_cmpgt_epu32_mask(
        _mm512_cmplt_epu32_mask(plan.same, _mm512_set1_epi32(8)), next_same, plan.same);
    plan.strings = (is_more | (is_two & is_cheap)) & ~is_better_next;
    uint32_t is_near = _mm512_cmple_epu32_mask(plan.pixel_distance, _mm512_set1_epi32(distance_max));
    uint32_t is_same = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(found.pixel_there + group), plan.pixels);
    plan.ones = is_near & is_same & _mm512_cmplt_epu32_mask(pixel_cost, literals);
    return plan;
}

/// Emits the tokens of a group. `begins` marks the tokens, `starts` those of them that are strings.
template <uint32_t pixel>
INK_INLINE void put_tokens(
    const Plan &plan, uint32_t begins, uint32_t starts, uint32_t *&pixels, Match *&matches, uint8_t *&kinds) {
    uint32_t is_match = (starts | plan.ones) & begins;
    uint32_t is_pixel = begins & ~is_match;
    // A match's length, with its distance in the upper bits.
    const __m512i size = _mm512_set1_epi32(pixel);
    __m512i string = _mm512_or_si512(
        _mm512_mullo_epi16(plan.same, size), _mm512_slli_epi32(plan.pair_distance, 16));
    __m512i one = _mm512_or_si512(size, _mm512_slli_epi32(plan.pixel_distance, 16));
    __m512i match = _mm512_mask_mov_epi32(one, static_cast<__mmask16>(starts), string);
    _mm512_storeu_si512(matches, _mm512_maskz_compress_epi32(static_cast<__mmask16>(is_match), match));
    _mm512_storeu_si512(pixels, _mm512_maskz_compress_epi32(static_cast<__mmask16>(is_pixel), plan.pixels));
    __mmask16 ordered = static_cast<__mmask16>(_pext_u32(is_match, begins));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(kinds), _mm_maskz_set1_epi8(ordered, 1));
    matches += __builtin_popcount(is_match);
    pixels += __builtin_popcount(is_pixel);
    kinds += __builtin_popcount(begins);
}

/// Chooses a chunk's tokens, a group at a time. Starts of strings are found one by one, and the tokens between them are
/// emitted at once. Returns the number of pixels covered: more than `count` if the last match continues, up to
/// `row_count`.
template <uint32_t pixel>
uint32_t decide(
    const Costs &costs, const uint8_t *window, uint32_t at, uint32_t count, uint32_t row_count,
    const Candidates &found, PixelTokens &tokens) {
    enum : uint32_t { part_max = match_max / pixel };
    uint32_t *pixels = tokens.pixels + tokens.pixel_count;
    Match *matches = tokens.matches + tokens.match_count;
    uint8_t *kinds = tokens.kinds + tokens.pixel_count + tokens.match_count;
    const uint8_t *row_end = window + at + row_count * pixel;
    const DistanceCosts distance_costs = load_costs(costs);
    uint32_t i = 0;
    while (i < count) {
        uint32_t group = i - i % group_pixels;
        const uint8_t *bytes = window + at + group * pixel;
        Plan plan = plan_group<pixel>(costs, distance_costs, window, at + group * pixel, found, group);
        alignas(64) uint32_t same[group_pixels];
        alignas(64) uint32_t distances[group_pixels];
        _mm512_store_si512(same, plan.same);
        _mm512_store_si512(distances, plan.pair_distance);
        const uint32_t end = count - group < group_pixels ? count - group : group_pixels;
        uint32_t next = i - group;
        uint32_t begins = (1u << end) - (1u << next);
        uint32_t starts = 0;
        uint32_t rest = 0;
        uint32_t distance = 0;
        while (uint32_t left = plan.strings & begins & ~((1u << next) - 1)) {
            uint32_t k = static_cast<uint32_t>(__builtin_ctz(left));
            uint32_t length = same[k];
            distance = distances[k];
            if ((length + 1) * pixel > known_length_max || distance == pixel) {
                const uint8_t *here = bytes + k * pixel;
                length = equal_prefix(here - distance, here, row_end) / pixel;
                uint32_t part = length < part_max ? length : part_max;
                rest = length - part;
                plan.same = _mm512_mask_set1_epi32(plan.same, static_cast<__mmask16>(1u << k), static_cast<int>(part));
            }
            starts |= 1u << k;
            next = k + length;
            uint32_t behind = next < end ? begins & ~((1u << next) - 1) : 0;
            begins = (begins & ((2u << k) - 1)) | behind;
            if (next >= end) break;
        }
        put_tokens<pixel>(plan, begins, starts, pixels, matches, kinds);
        if (rest != 0) add_match<pixel>(rest * pixel, distance, matches, kinds);
        i = group + (next > end ? next : end);
    }
    tokens.pixel_count = static_cast<size_t>(pixels - tokens.pixels);
    tokens.match_count = static_cast<size_t>(matches - tokens.matches);
    return i;
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
