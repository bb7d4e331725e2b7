// Vector types of every level. If the registers are narrower, the compiler uses several of them.
#pragma once

#include "level.hpp"

typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double4 __attribute__((ext_vector_type(4)));
typedef double double8 __attribute__((ext_vector_type(8)));
typedef int32_t int8lanes __attribute__((ext_vector_type(8)));
typedef int32_t int16lanes __attribute__((ext_vector_type(16)));
typedef uint32_t uint16lanes __attribute__((ext_vector_type(16)));
typedef uint32_t uint8lanes __attribute__((ext_vector_type(8)));
typedef uint16_t ushort8 __attribute__((ext_vector_type(8)));
typedef uint16_t ushort16 __attribute__((ext_vector_type(16)));
typedef uint16_t ushort32 __attribute__((ext_vector_type(32)));
typedef int16_t short32 __attribute__((ext_vector_type(32)));
typedef int16_t short8 __attribute__((vector_size(16)));
typedef int16_t short16 __attribute__((vector_size(32)));
// The same with the alignment of a float.
typedef double double8_unaligned __attribute__((ext_vector_type(8), aligned(8)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));
typedef uint16_t ushort8_unaligned __attribute__((ext_vector_type(8), aligned(2)));
typedef uint16_t ushort32_unaligned __attribute__((ext_vector_type(32), aligned(2)));
typedef uint16_t ushort16_unaligned __attribute__((ext_vector_type(16), aligned(2)));
typedef uint32_t uint16lanes_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef int32_t int16lanes_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef float float16_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef bool bool16 __attribute__((ext_vector_type(16)));

/// One bit for each nonzero lane.
INK_INLINE uint32_t bits_of(int16lanes v) {
    const bool16 set = __builtin_convertvector(v, bool16);
    uint16_t bits;
    __builtin_memcpy(&bits, &set, sizeof bits);
    return bits;
}

/// Value c of row r becomes value r of row c.
INK_INLINE void transpose(float8 (&v)[8]) {
    float8 a[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    float8 b[8];
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            b[i + k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + k + 2] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; i++) {
        v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
