// The filters of PNG.
#pragma once

#include "unfilter.hpp"

namespace INK_LEVEL::filters {
namespace {

void filter_sub(const uint8_t *__restrict row, size_t count, size_t pixel, uint8_t *__restrict out) {
    memcpy(out, row, pixel);
    for (size_t i = pixel; i < count; i++) out[i] = static_cast<uint8_t>(row[i] - row[i - pixel]);
}

void filter_up(const uint8_t *__restrict row, const uint8_t *__restrict prior, size_t count, uint8_t *__restrict out) {
    for (size_t i = 0; i < count; i++) out[i] = static_cast<uint8_t>(row[i] - prior[i]);
}

void filter_average(
    const uint8_t *__restrict row, const uint8_t *__restrict prior, size_t count, size_t pixel,
    uint8_t *__restrict out) {
    for (size_t i = 0; i < pixel; i++) out[i] = static_cast<uint8_t>(row[i] - (prior[i] >> 1));
    for (size_t i = pixel; i < count; i++) {
        // The mean rounded down: the common bits, plus half of the bits that differ.
        uint8_t left = row[i - pixel];
        uint8_t above = prior[i];
        uint8_t mean = static_cast<uint8_t>((left & above) + ((left ^ above) >> 1));
        out[i] = static_cast<uint8_t>(row[i] - mean);
    }
}

/// A vector as wide as the registers that every processor of the level has.
#if INK_RANK >= 1
typedef uint8_t bytes_of_level __attribute__((ext_vector_type(32)));
#else
typedef uint8_t bytes_of_level __attribute__((ext_vector_type(16)));
#endif

INK_INLINE bytes_of_level load_bytes(const uint8_t *from) {
    bytes_of_level bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

INK_INLINE bytes_of_level larger(bytes_of_level a, bytes_of_level b) { return a > b ? a : b; }
INK_INLINE bytes_of_level smaller(bytes_of_level a, bytes_of_level b) { return a < b ? a : b; }

/// Paeth predictor: the one of left, above and upper left that is nearest to a + b - c.
INK_INLINE bytes_of_level paeth_predictor(bytes_of_level a, bytes_of_level b, bytes_of_level c) {
    bytes_of_level to_a = larger(b, c) - smaller(b, c);
    bytes_of_level to_b = larger(a, c) - smaller(a, c);
    // If c lies between a and b, the distance to c is the difference of these two distances. Otherwise it is their sum,
    // and c is not the nearest. Bytes are therefore sufficient.
    bytes_of_level to_c = larger(to_a, to_b) - smaller(to_a, to_b);
    bytes_of_level is_below = (bytes_of_level)(smaller(a, b) <= c);
    bytes_of_level is_above = (bytes_of_level)(larger(a, b) >= c);
    to_c |= ~(is_below & is_above);
    bytes_of_level nearer = smaller(to_b, to_c) == to_b ? b : c;
    bytes_of_level least = smaller(smaller(to_b, to_c), to_a);
    return least == to_a ? a : nearer;
}

INK_INLINE uint8_t paeth_of_bytes(int a, int b, int c) {
    int to_a = b > c ? b - c : c - b;
    int to_b = a > c ? a - c : c - a;
    int to_c = a + b - 2 * c;
    to_c = to_c < 0 ? -to_c : to_c;
    int nearer = to_b <= to_c ? b : c;
    return static_cast<uint8_t>(to_a <= to_b && to_a <= to_c ? a : nearer);
}

void filter_paeth(const uint8_t *row, const uint8_t *prior, size_t count, size_t pixel, uint8_t *out) {
    for (size_t i = 0; i < pixel; i++) out[i] = static_cast<uint8_t>(row[i] - prior[i]);
    size_t i = pixel;
    for (; count - i >= sizeof(bytes_of_level); i += sizeof(bytes_of_level)) {
        bytes_of_level left = load_bytes(row + i - pixel);
        bytes_of_level predicted = paeth_predictor(left, load_bytes(prior + i), load_bytes(prior + i - pixel));
        bytes_of_level filtered = load_bytes(row + i) - predicted;
        memcpy(out + i, &filtered, sizeof filtered);
    }
    for (; i < count; i++)
        out[i] = static_cast<uint8_t>(row[i] - paeth_of_bytes(row[i - pixel], prior[i], prior[i - pixel]));
}

void filter_apply(
    unsigned filter, const uint8_t *row, const uint8_t *prior, size_t count, size_t pixel, uint8_t *out) {
    switch (filter) {
        case 1: filter_sub(row, count, pixel, out); break;
        case 2: filter_up(row, prior, count, out); break;
        case 3: filter_average(row, prior, count, pixel, out); break;
        case 4: filter_paeth(row, prior, count, pixel, out); break;
        default: memcpy(out, row, count);
    }
}

/// Bit lengths of the absolute values (distance from 0 modulo 256).
INK_INLINE bytes_of_level magnitude_bits(bytes_of_level bytes) {
    bytes_of_level magnitude = smaller(bytes, 0 - bytes);
#if INK_RANK >= 1
    // Taken from the upper half byte if it is not 0, else from the lower one.
    const __m256i lower = _mm256_setr_epi8(
        0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4);
    const __m256i upper = _mm256_setr_epi8(
        0, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 0, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8);
    __m256i low = _mm256_shuffle_epi8(lower, (__m256i)(magnitude & (bytes_of_level)(uint8_t)15));
    __m256i high = _mm256_shuffle_epi8(upper, (__m256i)(magnitude >> (bytes_of_level)(uint8_t)4));
    return (bytes_of_level)_mm256_max_epu8(low, high);
#else
    bytes_of_level bits = 0;
    // A comparison yields -1 where it is true.
    for (uint32_t power = 0; power < 8; power++)
        bits -= (bytes_of_level)(larger(magnitude, (bytes_of_level)(uint8_t)(1u << power)) == magnitude);
    return bits;
#endif
}

INK_INLINE uint64_t sum_of_bytes(bytes_of_level bytes) {
#if INK_RANK >= 1
    __m256i sums = _mm256_sad_epu8((__m256i)bytes, _mm256_setzero_si256());
    __m128i both = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(both)) + static_cast<uint64_t>(_mm_extract_epi64(both, 1));
#else
    uint64_t sum = 0;
    for (int i = 0; i < 16; i++) sum += bytes[i];
    return sum;
#endif
}

uint64_t filter_cost(const uint8_t *bytes, size_t count) {
    uint64_t sum = 0;
    size_t i = 0;
    while (count - i >= sizeof(bytes_of_level)) {
        // 31 lengths of at most 8 bits fit in a byte.
        size_t rounds = (count - i) / sizeof(bytes_of_level);
        bytes_of_level part = 0;
        for (size_t round = 0; round < (rounds < 31 ? rounds : 31); round++, i += sizeof(bytes_of_level))
            part += magnitude_bits(load_bytes(bytes + i));
        sum += sum_of_bytes(part);
    }
    for (; i < count; i++) {
        uint32_t magnitude = bytes[i] < 128 ? bytes[i] : 256u - bytes[i];
        sum += magnitude == 0 ? 0 : 32 - static_cast<uint32_t>(__builtin_clz(magnitude));
    }
    return sum;
}

/// Adler-32 (RFC 1950, section 8.2), sixteen bytes at a time. Each lane sums its bytes, and sums those sums.
uint32_t filter_adler32(const uint8_t *bytes, size_t count) {
    typedef uint8_t byte_lanes __attribute__((ext_vector_type(16)));
    typedef uint32_t sum_lanes __attribute__((ext_vector_type(16)));
    constexpr uint32_t modulus = 65521;
    // With more rounds, a lane's sum of sums might overflow.
    constexpr size_t rounds_max = 4096;
    uint64_t first = 1, second = 0;
    size_t i = 0;
    while (count - i >= 16) {
        const size_t rounds = (count - i) / 16 < rounds_max ? (count - i) / 16 : rounds_max;
        sum_lanes sums = 0, sums_of_sums = 0;
        for (size_t round = 0; round < rounds; round++, i += 16) {
            byte_lanes sixteen;
            __builtin_memcpy(&sixteen, bytes + i, sizeof sixteen);
            sums += __builtin_convertvector(sixteen, sum_lanes);
            sums_of_sums += sums;
        }
        // The last byte of a lane counts once, each earlier one sixteen times more than the next; lanes further right
        // count less.
        uint64_t all = 0, weighted = 0;
        for (uint64_t lane = 0; lane < 16; lane++) {
            all += sums[lane];
            weighted += 16 * static_cast<uint64_t>(sums_of_sums[lane]) - lane * sums[lane];
        }
        second = (second + 16 * rounds * first + weighted) % modulus;
        first = (first + all) % modulus;
    }
    for (; i < count; i++) {
        first += bytes[i];
        second += first;
    }
    return static_cast<uint32_t>(second % modulus << 16 | first % modulus);
}

}  // namespace
}  // namespace INK_LEVEL::filters

extern "C" const ink_filters INK_TABLE(ink_filters_) = {
    .apply = INK_LEVEL::filters::filter_apply,
    .cost = INK_LEVEL::filters::filter_cost,
    .adler32 = INK_LEVEL::filters::filter_adler32,
    .undo = INK_LEVEL::filters::filter_undo,
};
