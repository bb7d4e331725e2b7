// Comparisons of bytes, implemented for each level.
#pragma once

#include "lanes.hpp"

namespace ink_deflate::INK_LEVEL {

INK_INLINE uint32_t load32(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

INK_INLINE uint64_t load64(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

/// Bit k is set if byte k of `a` equals byte k of `b`; 64 bytes.
INK_INLINE uint64_t equal64(const uint8_t *a, const uint8_t *b) {
#if INK_RANK >= 2
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
#elif INK_RANK >= 1
    uint64_t mask = 0;
    for (int i = 0; i < 2; i++) {
        __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(a) + i);
        __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(b) + i);
        mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)))) << (32 * i);
    }
    return mask;
#elif defined(__x86_64__)
    uint64_t mask = 0;
    for (int i = 0; i < 4; i++) {
        __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(a) + i);
        __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i *>(b) + i);
        mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)))) << (16 * i);
    }
    return mask;
#else
    uint64_t mask = 0;
    for (int i = 0; i < 64; i++) mask |= static_cast<uint64_t>(a[i] == b[i]) << i;
    return mask;
#endif
}

/// Number of equal leading bytes of `a` and `b`, up to 32.
INK_INLINE uint32_t equal_prefix32(const uint8_t *a, const uint8_t *b) {
#if INK_RANK >= 1
    __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(a));
    __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(b));
    uint64_t equal = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)));
    return static_cast<uint32_t>(__builtin_ctzll(~equal));
#elif defined(__x86_64__)
    uint64_t equal = 0;
    for (int i = 0; i < 2; i++) {
        __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i *>(a) + i);
        __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i *>(b) + i);
        equal |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)))) << (16 * i);
    }
    return static_cast<uint32_t>(__builtin_ctzll(~equal));
#else
    uint32_t count = 0;
    while (count < 32 && a[count] == b[count]) count++;
    return count;
#endif
}

/// Number of equal bytes from `a` and `b` on, until `b` reaches `end`. Reads up to 64 bytes beyond `end`.
INK_INLINE uint32_t equal_prefix(const uint8_t *a, const uint8_t *b, const uint8_t *end) {
    uint32_t count = 0;
    uint32_t most = static_cast<uint32_t>(end - b);
    while (count < most) {
        uint64_t differ = ~equal64(a + count, b + count);
        if (differ != 0) {
            count += static_cast<uint32_t>(__builtin_ctzll(differ));
            break;
        }
        count += 64;
    }
    return count < most ? count : most;
}

}  // namespace ink_deflate::INK_LEVEL
