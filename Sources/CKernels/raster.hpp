// Code that the rasterizer's kernels share: vectors, positions, transmittance, half-planes.
#pragma once

#include "ink_raster.h"

#include "lanes.hpp"

namespace INK_LEVEL::raster {
namespace {

INK_INLINE double magnitude(double a) { return a < 0 ? -a : a; }
template <typename V> INK_INLINE V least(V a, V b) { return a < b ? a : b; }
template <typename V> INK_INLINE V greatest(V a, V b) { return a > b ? a : b; }
INK_INLINE float8 load(const float *p) { return *(const float8_unaligned *)p; }
INK_INLINE void store(float *p, float8 v) { *(float8_unaligned *)p = v; }
INK_INLINE ushort8 load(const uint16_t *p) { return *(const ushort8_unaligned *)p; }
INK_INLINE void store(uint16_t *p, ushort8 v) { *(ushort8_unaligned *)p = v; }
INK_INLINE ushort16 load16(const uint16_t *p) { return *(const ushort16_unaligned *)p; }
INK_INLINE void store(uint16_t *p, ushort16 v) { *(ushort16_unaligned *)p = v; }
INK_INLINE ushort32 load32(const uint16_t *p) { return *(const ushort32_unaligned *)p; }
INK_INLINE void store(uint16_t *p, ushort32 v) { *(ushort32_unaligned *)p = v; }

/// Floor, for |a| < 2^62.
INK_INLINE int64_t floor_of(double a) {
    int64_t i = (int64_t)a;
    return i - (a < (double)i);
}

/// A position as an integer in 2^-32 pixels, for |a| < 2^30.
INK_INLINE int64_t fixed(double a) { return floor_of(a * 4294967296.0 + 0.5); }

INK_INLINE float16 iota16() { return float16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }

// Products of shares in 1/65,536: the upper halves. Written out, because the compiler would otherwise multiply at twice
// the width.
INK_INLINE ushort8 product(ushort8 a, ushort8 b) {
#if defined(__x86_64__)
    return (ushort8)__builtin_ia32_pmulhuw128((short8)a, (short8)b);
#else
    return __builtin_convertvector(
        (__builtin_convertvector(a, uint8lanes) * __builtin_convertvector(b, uint8lanes)) >> 16, ushort8);
#endif
}

INK_INLINE ushort16 product(ushort16 a, ushort16 b) {
#if defined(__x86_64__) && INK_RANK >= 1
    return (ushort16)__builtin_ia32_pmulhuw256((short16)a, (short16)b);
#else
    return __builtin_shufflevector(
        product(a.lo, b.lo), product(a.hi, b.hi), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

INK_INLINE ushort32 product(ushort32 a, ushort32 b) {
#if defined(__x86_64__) && INK_RANK >= 2
    return (ushort32)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#else
    const ushort16 low = product(a.lo, b.lo), high = product(a.hi, b.hi);
    return __builtin_shufflevector(
        low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
        28, 29, 30, 31);
#endif
}

/// Transmittance of pixels after a stamp with this coverage: unchanged where the coverage is 0, and at least one share
/// (1/65,536). Products are truncated. For a faint stamp, the inner product leaves half a share too much; the outer
/// one, of the transmittance and not of its complement, half a share too little. If both erred in the same direction,
/// thousands of thin lines would be two levels of 255 too light.
template <typename U> INK_INLINE U left_by(U kept, U covered, U alpha) {
    return product(kept, (U)~product(covered, alpha)) + (U)1;
}

/// Concatenation.
INK_INLINE short32 joined(short16 a, short16 b) {
    return (short32)__builtin_shufflevector(
        a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
        29, 30, 31);
}

/// The same for signed numbers, rounded down.
INK_INLINE short8 signed_product(short8 a, short8 b) {
#if defined(__x86_64__)
    return (short8)__builtin_ia32_pmulhw128(a, b);
#else
    typedef int32_t wide __attribute__((vector_size(32)));
    return __builtin_convertvector((__builtin_convertvector(a, wide) * __builtin_convertvector(b, wide)) >> 16, short8);
#endif
}

INK_INLINE short16 signed_product(short16 a, short16 b) {
#if defined(__x86_64__) && INK_RANK >= 1
    return (short16)__builtin_ia32_pmulhw256(a, b);
#else
    const auto half = [](short16 v, bool is_high) __attribute__((always_inline)) {
        return is_high ? __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)
                       : __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
    };
    return __builtin_shufflevector(
        signed_product(half(a, false), half(b, false)), signed_product(half(a, true), half(b, true)), 0, 1, 2, 3, 4, 5, 6,
        7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

/// Twice the product, rounded to the nearest; not for -32,768 squared.
INK_INLINE short16 rounded_product(short16 a, short16 b) {
#if defined(__x86_64__) && INK_RANK >= 1
    return (short16)__builtin_ia32_pmulhrsw256(a, b);
#else
    const ushort16 low = (ushort16)(a * b), sum = low + (ushort16)0x4000;
    return (short16)((((ushort16)signed_product(a, b) - (ushort16)(sum < low)) << 1) | (sum >> 15));
#endif
}

INK_INLINE short32 rounded_product(short32 a, short32 b) {
#if defined(__x86_64__) && INK_RANK >= 2
    return (short32)_mm512_mulhrs_epi16((__m512i)a, (__m512i)b);
#else
    return joined(rounded_product((short16)a.lo, (short16)b.lo), rounded_product((short16)a.hi, (short16)b.hi));
#endif
}

/// 0...1 as the nearest integer in 1/65,536; 1 is 65,535.
INK_INLINE uint16_t share_of(float a) {
    const float scaled = a * 65536 + 0.5f;
    return scaled >= 65535 ? 65535 : (uint16_t)scaled;
}

/// Transmittance of pixels multiplied by `kept`, rounded to the nearest and at least one share, as in `left_by`.
INK_INLINE ushort8 rest(ushort8 left, float8 kept) {
    const float8 product = greatest(__builtin_convertvector(left, float8) * kept + 0.5f, (float8)1.0f);
    return __builtin_convertvector(__builtin_convertvector(product, int8lanes), ushort8);
}
INK_INLINE ushort16 rest(ushort16 left, float16 kept) {
    const float16 product = greatest(__builtin_convertvector(left, float16) * kept + 0.5f, (float16)1.0f);
    return __builtin_convertvector(__builtin_convertvector(product, int16lanes), ushort16);
}

}  // namespace
}  // namespace INK_LEVEL::raster
