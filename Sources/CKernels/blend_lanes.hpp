// Vectors of as many pixels as a register of the level holds. The result of a lane does not depend on their number.
#pragma once

#include "ink_blend.h"

#include "lanes.hpp"

#define INK_WIDTH_scalar 4
#define INK_WIDTH_v3 8
#define INK_WIDTH_v4 16
/// Number of lanes at each level.
#define INK_WIDTH INK_JOIN(INK_WIDTH_, INK_LEVEL)

namespace INK_LEVEL::blend {
namespace {

typedef float lanes __attribute__((ext_vector_type(INK_WIDTH)));
typedef int mask_lanes __attribute__((ext_vector_type(INK_WIDTH)));
typedef unsigned word_lanes __attribute__((ext_vector_type(INK_WIDTH)));
typedef uint8_t byte_lanes __attribute__((ext_vector_type(INK_WIDTH)));

INK_INLINE lanes load(const float *source) {
    lanes result;
    __builtin_memcpy(&result, source, sizeof(result));
    return result;
}

INK_INLINE void store(float *target, lanes value) { __builtin_memcpy(target, &value, sizeof(value)); }

INK_INLINE lanes lesser(lanes a, lanes b) { return b < a ? b : a; }

INK_INLINE lanes greater(lanes a, lanes b) { return b > a ? b : a; }

/// Whether a comparison holds in any lane.
INK_INLINE bool any(mask_lanes comparison) { return __builtin_reduce_or(comparison) != 0; }

/// Factors that scale samples to 0...1: their products with the largest sample are exactly 1.
constexpr float per_level = 1.0f / 255.0f;
constexpr float per_product = 1.0f / 65025.0f;
static_assert(255.0f * per_level == 1.0f && 65025.0f * per_product == 1.0f, "the largest sample is 1");

INK_INLINE lanes floats(word_lanes words) { return __builtin_convertvector((mask_lanes)words, lanes); }

/// Bytes as integers.
INK_INLINE lanes wholes(const uint8_t *source) {
    byte_lanes bytes;
    __builtin_memcpy(&bytes, source, sizeof(bytes));
    return __builtin_convertvector(__builtin_convertvector(bytes, mask_lanes), lanes);
}

struct colors {
    lanes red, green, blue;
};

struct pixels {
    lanes red, green, blue, alpha;
};

}  // namespace
}  // namespace INK_LEVEL::blend
