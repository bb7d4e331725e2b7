// Colour onto a layer, where strokes have left less than all of it.

namespace {
namespace INK_JOIN(paint_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

/// Sixteen pixels, or the last ones of a row.
template <bool is_whole> INK_INLINE float16 pixels(const float *p, int count) {
    if (is_whole) return *(const float16_unaligned *)p;
    float16 v = (float16)0.0f;
    for (int i = 0; i < count; i++) v[i] = p[i];
    return v;
}

template <bool is_whole> INK_INLINE void put(float *p, float16 v, int count) {
    if (is_whole) *(float16_unaligned *)p = v;
    else for (int i = 0; i < count; i++) p[i] = v[i];
}

/// - Parameter color: red, green, blue of ink that is put on; nothing to take away only.
template <bool is_whole>
INK_INLINE void paint_sixteen(uint16_t *kept, const ink_layer &layer, ptrdiff_t at, int count, const float *color) {
    const ushort16 left = load16(kept);
    // Blocks are coarse: much of them may be untouched.
    if (__builtin_reduce_and(left) == 65535) return;
    const float16 taken = __builtin_convertvector((ushort16)65535 - left, float16) * (1.0f / 65535), t = 1.0f - taken;
    const auto paint = [&](float *plane, float ink) __attribute__((always_inline)) {
        const float16 under = pixels<is_whole>(plane + at, count) * t;
        put<is_whole>(plane + at, color ? under + ink * taken : under, count);
    };
    paint(layer.red, color ? color[0] : 0);
    paint(layer.green, color ? color[1] : 0);
    paint(layer.blue, color ? color[2] : 0);
    paint(layer.alpha, 1);
    store(kept, (ushort16)65535);
}

INK_INLINE void paint_box(ink_kept plane, const ink_box &box, const ink_layer &layer, const float *color) {
    for (int32_t row = box.top; row < box.bottom; row++) {
        uint16_t *kept = plane.values + row * plane.stride;
        const ptrdiff_t at = row * layer.stride;
        int32_t column = box.left;
        for (; column + 16 <= box.right; column += 16) paint_sixteen<true>(kept + column, layer, at + column, 16, color);
        if (column < box.right) paint_sixteen<false>(kept + column, layer, at + column, box.right - column, color);
    }
}

void paint(ink_kept plane, const ink_box *box, const ink_layer *layer, const float *color) {
    const float ink[3] = {color[0], color[1], color[2]};
    paint_box(plane, *box, *layer, ink);
}

void erase(ink_kept plane, const ink_box *box, const ink_layer *layer) { paint_box(plane, *box, *layer, nullptr); }

}  // namespace INK_JOIN(paint_, INK_LEVEL)
}  // namespace
