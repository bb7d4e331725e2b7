// Outlines, by the areas under their edges: each edge adds, in every row it passes, its height to the pixel where it is
// and to the next ones, shared by where in the pixel it passes; the running sum along a row is then what is covered.
// All that is added is a whole number of 1/65,536 pixel and depends on the edge alone, so sums do not depend on the
// order of the edges or on how the picture is cut.

namespace {
namespace INK_JOIN(outline_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);
using INK_JOIN(raster_, INK_LEVEL)::load;
using INK_JOIN(raster_, INK_LEVEL)::store;

constexpr int lanes = INK_CHAIN_LANES;
INK_INLINE int16lanes wholes16(const int32_t *p) { return *(const int16lanes_unaligned *)p; }
INK_INLINE float16 floats16(const float *p) { return *(const float16_unaligned *)p; }
INK_INLINE void store(int32_t *p, int16lanes v) { *(int16lanes_unaligned *)p = v; }
INK_INLINE float16 to_float(int16lanes v) { return __builtin_convertvector(v, float16); }

/// The nearest whole numbers to values of up to 2^21.
INK_INLINE int16lanes nearest(float16 v) {
    return __builtin_convertvector(v + 12582912.0f, int16lanes) - 12582912;
}

/// What sixteen pieces of edges, none longer than a pixel either way, add to three pixels of a row each.
struct shares {
    int16lanes column, first, second, third;

    /// - Parameters: a, b: columns where the pieces begin and end; height: signed, 1/65,536 pixel; steepness: half of the
    ///   height by column, with the height's sign.
    INK_INLINE shares of(float16 a, float16 b, int16lanes height, float16 steepness) {
        const float16 left = least(a, b), right = greatest(a, b);
        int16lanes column = __builtin_convertvector(left, int16lanes);
        column += (int16lanes)(to_float(column) > left);
        const float16 from = left - to_float(column), to = right - to_float(column);
        // What lies beyond the pixel is a triangle; what lies in it and beyond, a trapezoid.
        const float16 beyond = greatest(to - 1.0f, (float16)0.0f);
        const float16 triangle = beyond * beyond * steepness;
        const int16lanes third = nearest(triangle);
        const int16lanes second = nearest(to_float(height) * ((from + to) * 0.5f) - triangle);
        return {column, height - second, second - third, third};
    }
};

void add_chain(ink_deltas target, const ink_chain *chain, double x, double y) {
    const ink_chain edges = *chain;
    const int64_t column_origin = floor_of(x), row_origin = floor_of(y);
    const float shift_x = (float)(x - (double)column_origin);
    const int32_t shift_y = (int32_t)floor_of((y - (double)row_origin) * 65536 + 0.5);
    const int32_t to_column = (int32_t)(column_origin - target.left), to_row = (int32_t)(row_origin - target.top);
    const int16lanes last_column = (int16lanes)(target.width + 8), last_row = (int16lanes)target.height;
    for (int32_t edge = 0; edge < edges.count; edge += lanes) {
        const int16lanes top = wholes16(edges.y + edge) + shift_y, height = wholes16(edges.height + edge);
        const int16lanes is_upward = wholes16(edges.is_upward + edge);
        int16lanes row = top >> 16;
        const int16lanes above = least(((row + 1) << 16) - top, height), below = height - above;
        const float16 x_top = floats16(edges.x + edge) + shift_x;
        const float16 x_middle = x_top + floats16(edges.slope + edge) * to_float(above);
        const float16 x_bottom = x_top + floats16(edges.width + edge);
        const float16 steepness = floats16(edges.steepness + edge);
        const shares upper = shares::of(x_top, x_middle, (above ^ is_upward) - is_upward, steepness);
        const shares lower = shares::of(x_middle, x_bottom, (below ^ is_upward) - is_upward, steepness);
        // What lies outside goes to the margins. One row more before the first and after the last.
        row += to_row;
        const int16lanes first_row = least(greatest(row, (int16lanes)-1), last_row);
        const int16lanes next_row = least(greatest(row + 1, (int16lanes)-1), last_row);
        const int16lanes upper_column = least(greatest(upper.column + to_column, (int16lanes)-8), last_column);
        const int16lanes lower_column = least(greatest(lower.column + to_column, (int16lanes)-8), last_column);
        alignas(64) int32_t places[2 * lanes], first[2 * lanes], second[2 * lanes], third[2 * lanes];
        const auto keep = [&](int half, int16lanes place, const shares &s) __attribute__((always_inline)) {
            store(places + half * lanes, place);
            store(first + half * lanes, s.first);
            store(second + half * lanes, s.second);
            store(third + half * lanes, s.third);
        };
        keep(0, first_row * target.stride + upper_column, upper);
        keep(1, next_row * target.stride + lower_column, lower);
        const auto add = [&](int piece) __attribute__((always_inline)) {
            int32_t *at = target.values + places[piece];
            at[0] += first[piece];
            at[1] += second[piece];
            at[2] += third[piece];
        };
        for (int piece = 0; piece < lanes; piece++) add(piece);
        // Many edges end in the row where they begin; what is computed of the rest of them stands for nothing.
        for (uint32_t there = bits_of(below > 0); there != 0; there &= there - 1) add(lanes + __builtin_ctz(there));
    }
}

/// The running sums of sixteen values.
INK_INLINE int16lanes running_sums(int16lanes v) {
    const int16lanes zero = (int16lanes)0;
    v += __builtin_shufflevector(v, zero, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    v += __builtin_shufflevector(v, zero, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    v += __builtin_shufflevector(v, zero, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
    return v;
}

/// Calls `put(row, column, covered)` with sixteen running sums at a time, 1/65,536 pixel, and sets the changes to 0.
template <typename Put> INK_INLINE void use_deltas(ink_deltas deltas, const ink_box *box, const Put &put) {
    const int16lanes zero = (int16lanes)0;
    for (int32_t row = box->top; row < box->bottom; row++) {
        int32_t *changes = deltas.values + row * deltas.stride;
        int16lanes sum = zero;
        // The margin on the left holds what begins before the cell.
        if (box->left < lanes) {
            sum = (int16lanes)__builtin_reduce_add(wholes16(changes - lanes));
            store(changes - lanes, zero);
        }
        int32_t column = box->left & -lanes;
        for (; column < box->right; column += lanes) {
            const int16lanes sums = running_sums(wholes16(changes + column)) + sum;
            const int16lanes size = sums < 0 ? -sums : sums;
            put(row, column, to_float(least(size, (int16lanes)65536)));
            store(changes + column, zero);
            sum = __builtin_shufflevector(sums, sums, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
        }
        // What ends beyond the box is forgotten.
        store(changes + column, zero);
    }
}

void multiply_deltas(ink_kept plane, ink_deltas deltas, const ink_box *box, float alpha) {
    const float16 share = (float16)(alpha * (1.0f / 65536));
    use_deltas(deltas, box, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        uint16_t *at = plane.values + row * plane.stride + column;
        const float16 kept = __builtin_convertvector(load16(at), float16) * (1.0f - share * covered) + 0.5f;
        store(at, __builtin_convertvector(__builtin_convertvector(kept, int16lanes), ushort16));
    });
}

void add_deltas(ink_plane plane, ink_deltas deltas, const ink_box *box, float weight) {
    const float16 share = (float16)(weight * (1.0f / 65536));
    use_deltas(deltas, box, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        *(float16_unaligned *)at = floats16(at) + share * covered;
    });
}

}  // namespace INK_JOIN(outline_, INK_LEVEL)
}  // namespace
