// Outlines, by the areas under their edges: each edge adds, in every row it passes, its height to the pixel where it is
// and to the next ones, shared by where in the pixel it passes; the running sum along a row is then what is covered.
// All that is added is a whole number of 1/65,536 pixel and depends on the edge alone, so sums do not depend on the
// order of the edges or on how the picture is cut.

namespace {
namespace INK_JOIN(outline_, INK_LEVEL) {

using INK_JOIN(raster_, INK_LEVEL)::floor_of;
using INK_JOIN(raster_, INK_LEVEL)::greatest;
using INK_JOIN(raster_, INK_LEVEL)::least;

using INK_JOIN(raster_, INK_LEVEL)::load;
using INK_JOIN(raster_, INK_LEVEL)::store;
INK_INLINE int8lanes load(const int32_t *p) { return *(const int8lanes_unaligned *)p; }
INK_INLINE void store(int32_t *p, int8lanes v) { *(int8lanes_unaligned *)p = v; }
INK_INLINE float8 to_float(int8lanes v) { return __builtin_convertvector(v, float8); }

/// The nearest whole numbers to values of up to 2^21.
INK_INLINE int8lanes nearest(float8 v) {
    return __builtin_convertvector(v + 12582912.0f, int8lanes) - 12582912;
}

/// What eight pieces of edges, none longer than a pixel either way, add to three pixels of a row each.
struct shares {
    int8lanes column, first, second, third;

    /// - Parameters: a, b: columns where the pieces begin and end; height: signed, 1/65,536 pixel.
    INK_INLINE shares of(float8 a, float8 b, int8lanes height) {
        const float8 left = least(a, b), right = greatest(a, b);
        int8lanes column = __builtin_convertvector(left, int8lanes);
        column += (int8lanes)(to_float(column) > left);
        const float8 from = left - to_float(column), to = right - to_float(column);
        // The mean of what lies beyond the pixel, and of what lies in it and beyond.
        const float8 beyond = greatest(to - 1.0f, (float8)0.0f);
        const float8 far = beyond * beyond * 0.5f / greatest(to - from, (float8)1e-9f);
        const float8 near = (from + to) * 0.5f - far;
        const float8 tall = to_float(height);
        const int8lanes second = nearest(tall * near), third = nearest(tall * far);
        return {column, height - second, second - third, third};
    }
};

void add_chain(ink_deltas target, const ink_chain *chain, double x, double y) {
    const int64_t column_origin = floor_of(x), row_origin = floor_of(y);
    const float shift_x = (float)(x - (double)column_origin);
    const int32_t shift_y = (int32_t)floor_of((y - (double)row_origin) * 65536 + 0.5);
    const int32_t to_column = (int32_t)(column_origin - target.left), to_row = (int32_t)(row_origin - target.top);
    const int8lanes last_column = (int8lanes)(target.width + 8), last_row = (int8lanes)target.height;
    for (int32_t edge = 0; edge < chain->count; edge += 8) {
        const float8 xa = load(chain->from_x + edge) + shift_x, xb = load(chain->to_x + edge) + shift_x;
        const int8lanes ya = load(chain->from_y + edge) + shift_y, yb = load(chain->to_y + edge) + shift_y;
        const int8lanes is_downward = ya < yb;
        const int8lanes top = is_downward ? ya : yb, bottom = is_downward ? yb : ya;
        const float8 x_top = is_downward ? xa : xb, x_bottom = is_downward ? xb : xa;
        const int8lanes sign = is_downward | 1;
        int8lanes row = top >> 16;
        const int8lanes border = (row + 1) << 16;
        const int8lanes middle = bottom < border ? bottom : border;
        const int8lanes above = middle - top, below = bottom - middle, height = bottom - top;
        const float8 share = to_float(above) / to_float(height > 1 ? height : (int8lanes)1);
        const float8 x_middle = x_top + (x_bottom - x_top) * share;
        const shares upper = shares::of(x_top, x_middle, above * -sign);
        const shares lower = shares::of(x_middle, x_bottom, below * -sign);
        // What lies outside goes to the margins. One row more before the first and after the last.
        row += to_row;
        const int8lanes next = row + 1;
        const int8lanes first_row = least(greatest(row, (int8lanes)-1), last_row);
        const int8lanes next_row = least(greatest(next, (int8lanes)-1), last_row);
        const int8lanes upper_column = least(greatest(upper.column + to_column, (int8lanes)-8), last_column);
        const int8lanes lower_column = least(greatest(lower.column + to_column, (int8lanes)-8), last_column);
        alignas(32) int32_t place[16], first[16], second[16], third[16];
        store(place, first_row * target.stride + upper_column);
        store(place + 8, next_row * target.stride + lower_column);
        store(first, upper.first);
        store(first + 8, lower.first);
        store(second, upper.second);
        store(second + 8, lower.second);
        store(third, upper.third);
        store(third + 8, lower.third);
        for (int piece = 0; piece < 16; piece++) {
            int32_t *at = target.values + place[piece];
            at[0] += first[piece];
            at[1] += second[piece];
            at[2] += third[piece];
        }
    }
}

/// The running sums of eight values.
INK_INLINE int8lanes running_sums(int8lanes v) {
    const int8lanes zero = (int8lanes)0;
    v += __builtin_shufflevector(v, zero, 8, 0, 1, 2, 3, 4, 5, 6);
    v += __builtin_shufflevector(v, zero, 8, 8, 0, 1, 2, 3, 4, 5);
    v += __builtin_shufflevector(v, zero, 8, 8, 8, 8, 0, 1, 2, 3);
    return v;
}

void multiply_deltas(ink_plane plane, ink_deltas deltas, const ink_box *box, float alpha) {
    const float8 share = (float8)(alpha * (1.0f / 65536));
    for (int32_t row = box->top; row < box->bottom; row++) {
        int32_t *changes = deltas.values + row * deltas.stride;
        float *to = plane.values + row * plane.stride;
        // The margin on the left holds what begins before the cell.
        int8lanes sum = (int8lanes)0;
        if (box->left < 8) {
            sum = running_sums(load(changes - 8));
            sum = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
            store(changes - 8, (int8lanes)0);
        }
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            sum += running_sums(load(changes + column));
            const int8lanes size = sum < 0 ? -sum : sum;
            const float8 covered = to_float(least(size, (int8lanes)65536));
            store(to + column, load(to + column) * (1.0f - share * covered));
            store(changes + column, (int8lanes)0);
            sum = __builtin_shufflevector(sum, sum, 7, 7, 7, 7, 7, 7, 7, 7);
        }
        // What ends beyond the box is forgotten.
        store(changes + ((box->right + 7) & ~7), (int8lanes)0);
        store(changes + ((box->right + 7) & ~7) + 8, (int8lanes)0);
    }
}

}  // namespace INK_JOIN(outline_, INK_LEVEL)
}  // namespace
