// Colour onto a layer, where strokes have left less than all of it.

namespace {
namespace INK_JOIN(paint_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

/// The product of shares in 65,536ths, rounded up where what is cut off and `rounding` make one: of nothing nothing, and
/// nearly all of 65,535.
INK_INLINE ushort16 rounded_product(ushort16 a, ushort16 b, ushort16 rounding) {
    const ushort16 cut_off = a * b + rounding;
    return product(a, b) - (ushort16)(cut_off < rounding);
}

/// Whether nothing was drawn.
INK_INLINE bool is_untouched(ushort16 left) {
    typedef uint64_t words __attribute__((ext_vector_type(4)));
    return __builtin_reduce_and((words)left) == ~(uint64_t)0;
}

/// - Parameter color: red, green, blue of ink that is put on; nothing to take away only.
INK_INLINE void paint_sixteen(
    uint16_t *kept, const ink_shares &layer, ptrdiff_t at, const uint16_t *color, ushort16 rounding) {
    const ushort16 left = load16(kept);
    // Blocks are coarse: much of them may be untouched.
    if (is_untouched(left)) return;
    const ushort16 taken = ~left;
    // No colour comes to exceed alpha, which goes through the same operations as a channel that is 1.
    const auto paint = [&](uint16_t *plane, uint16_t ink) __attribute__((always_inline)) {
        const ushort16 under = load16(plane + at), rest = under - rounded_product(under, taken, rounding);
        store(plane + at, color ? rest + rounded_product((ushort16)ink, taken, rounding) : rest);
    };
    paint(layer.red, color ? color[0] : 0);
    paint(layer.green, color ? color[1] : 0);
    paint(layer.blue, color ? color[2] : 0);
    paint(layer.alpha, 65535);
    store(kept, (ushort16)65535);
}

INK_INLINE void paint_box(
    ink_kept plane, const ink_box &box, const ink_shares &layer, const uint16_t *color, uint16_t rounding) {
    for (int32_t row = box.top; row < box.bottom; row++) {
        uint16_t *kept = plane.values + row * plane.stride;
        const ptrdiff_t at = row * layer.stride;
        for (int32_t column = box.left; column < box.right; column += 16) {
            paint_sixteen(kept + column, layer, at + column, color, (ushort16)rounding);
        }
    }
}

void paint(ink_kept plane, const ink_box *box, const ink_shares *layer, const uint16_t *color, uint16_t rounding) {
    const uint16_t ink[3] = {color[0], color[1], color[2]};
    paint_box(plane, *box, *layer, ink, rounding);
}

void erase(ink_kept plane, const ink_box *box, const ink_shares *layer, uint16_t rounding) {
    paint_box(plane, *box, *layer, nullptr, rounding);
}

}  // namespace INK_JOIN(paint_, INK_LEVEL)
}  // namespace
