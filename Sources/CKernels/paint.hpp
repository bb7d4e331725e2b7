// Applies colour to a layer where strokes have covered something.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::paint {
namespace {

using namespace raster;

typedef uint16_t shares32 __attribute__((ext_vector_type(32)));
typedef uint16_t shares32_unaligned __attribute__((ext_vector_type(32), aligned(2)));

INK_INLINE shares32 load32(const uint16_t *p) { return *(const shares32_unaligned *)p; }
INK_INLINE void store32(uint16_t *p, shares32 v) { *(shares32_unaligned *)p = v; }

INK_INLINE shares32 product32(shares32 a, shares32 b) {
#if INK_RANK >= 2
    return (shares32)_mm512_mulhi_epu16((__m512i)a, (__m512i)b);
#else
    shares32 result;
    result.lo = product(a.lo, b.lo);
    result.hi = product(a.hi, b.hi);
    return result;
#endif
}

/// Mean of two numbers, rounded up.
INK_INLINE shares32 mean(shares32 a, shares32 b) {
#if INK_RANK >= 2
    return (shares32)_mm512_avg_epu16((__m512i)a, (__m512i)b);
#elif defined(__x86_64__) && INK_RANK >= 1
    shares32 result;
    result.lo = (ushort16)__builtin_ia32_pavgw256((short16)a.lo, (short16)b.lo);
    result.hi = (ushort16)__builtin_ia32_pavgw256((short16)a.hi, (short16)b.hi);
    return result;
#else
    return (a | b) - ((a ^ b) >> (shares32)(uint16_t)1);
#endif
}

/// The product of two shares in 1/65,536, rounded up where the fraction plus `rounding`, 1 to 65,534, reaches 1. A
/// factor of 0 gives 0; a factor of 65,535 gives almost the other factor.
INK_INLINE shares32 rounded_product(shares32 a, shares32 b, shares32 rounding) {
    // The top bit of their mean, rounded up, is the carry of the sum.
    return product32(a, b) + (mean(a * b, rounding - (shares32)(uint16_t)1) >> (shares32)(uint16_t)15);
}

/// Whether nothing was drawn.
INK_INLINE bool is_untouched(shares32 left) {
    typedef uint64_t words __attribute__((ext_vector_type(8)));
    return __builtin_reduce_and((words)left) == ~(uint64_t)0;
}

/// Transmittance up to this counts as 0. More than what rounding leaves of a pixel under an opaque stamp; the maximum observed
/// is five.
const uint16_t rounded_off = 16;

/// - Parameters: color: red, green and blue of the ink; absent when erasing.
INK_INLINE void paint_pixels(
    uint16_t *kept, const ink_shares &layer, ptrdiff_t at, const uint16_t *color, shares32 rounding) {
    const shares32 left = load32(kept);
    // Blocks are coarse: much of them may be untouched.
    if (is_untouched(left)) return;
    // Products with 65,535 are slightly too small, but full coverage must be exact, because colour burn and dodge jump
    // at 0 and 1.
    const shares32 is_left = (shares32)(left > (shares32)rounded_off);
    const shares32 taken = ~(left & is_left);
    const auto paint = [&](uint16_t *plane, shares32 ink) __attribute__((always_inline)) {
        const shares32 under = load32(plane + at), rest = (under - rounded_product(under, taken, rounding)) & is_left;
        store32(plane + at, color ? rest + ink : rest);
    };
    const auto product_with = [&](uint16_t ink) __attribute__((always_inline)) {
        return (rounded_product((shares32)ink, taken, rounding) & is_left) | ((shares32)ink & ~is_left);
    };
    paint(layer.red, product_with(color ? color[0] : 0));
    paint(layer.green, product_with(color ? color[1] : 0));
    paint(layer.blue, product_with(color ? color[2] : 0));
    // No colour may exceed alpha. Alpha goes through the same operations as a channel that is 1. Its product is
    // computed like this, because the fraction of 65,535 times a number is 65,536 minus that number.
    const shares32 is_more = mean(taken, ~rounding - (shares32)(uint16_t)1) >> (shares32)(uint16_t)15;
    paint(layer.alpha, (taken - is_more) | ~is_left);
    store32(kept, (shares32)65535);
}

/// A box begins and ends at blocks, or at the cell, whose rows are padded.
INK_INLINE void paint_box(
    ink_kept plane, const ink_box &box, const ink_shares &layer, const uint16_t *color, uint16_t rounding) {
    // Strokes leave at least 1/65,536 of each pixel.
    rounding = least(greatest(rounding, (uint16_t)1), (uint16_t)65534);
    for (int32_t row = box.top; row < box.bottom; row++) {
        uint16_t *kept = plane.values + row * plane.stride;
        const ptrdiff_t at = row * layer.stride;
        for (int32_t column = box.left; column < box.right; column += INK_BLOCK_WIDTH) {
            paint_pixels(kept + column, layer, at + column, color, (shares32)rounding);
        }
    }
}

void paint(
    ink_kept plane, const ink_box *box, const ink_shares *layer, const uint16_t *color, uint16_t rounding) {
    const uint16_t ink[3] = {color[0], color[1], color[2]};
    paint_box(plane, *box, *layer, ink, rounding);
}

void erase(ink_kept plane, const ink_box *box, const ink_shares *layer, uint16_t rounding) {
    paint_box(plane, *box, *layer, nullptr, rounding);
}

}  // namespace
}  // namespace INK_LEVEL::paint
