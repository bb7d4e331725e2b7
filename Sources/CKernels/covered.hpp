// What coverage leaves of pixels that are covered once, or many times by very little.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::raster {
namespace {

void multiply_covered(ink_kept plane, ink_plane covered, const ink_box *box, float alpha) {
    const float8 opacity = (float8)alpha;
    for (int32_t row = box->top; row < box->bottom; row++) {
        uint16_t *to = plane.values + row * plane.stride;
        float *from = covered.values + row * covered.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            const float8 share = least(greatest(load(from + column), (float8)0.0f), (float8)1.0f);
            store(to + column, rest(load(to + column), 1.0f - opacity * share));
            store(from + column, (float8)0.0f);
        }
    }
}

/// exp(-a) for a >= 0, with an error below 1/100,000: a polynomial of degree 3 for a / 64, squared six times.
INK_INLINE float8 decay(float8 a) {
    const float8 part = least(a, (float8)30.0f) * (1.0f / 64);
    float8 v = 1.0f - part * (1.0f - part * (0.5f - part * (1.0f / 6)));
    for (int i = 0; i < 6; i++) v = v * v;
    return v;
}

void multiply_depth(ink_kept plane, ink_plane depth, const ink_box *box) {
    for (int32_t row = box->top; row < box->bottom; row++) {
        uint16_t *to = plane.values + row * plane.stride;
        float *from = depth.values + row * depth.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            // Areas that were subtracted again may leave a value slightly below 0.
            const float8 sum = greatest(load(from + column), (float8)0.0f);
            const float8 kept = sum > 0.0f ? decay(sum) : (float8)1.0f;
            store(to + column, rest(load(to + column), kept));
            store(from + column, (float8)0.0f);
        }
    }
}

}  // namespace
}  // namespace INK_LEVEL::raster
