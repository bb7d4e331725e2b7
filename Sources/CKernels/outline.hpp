// Outlines, drawn by the areas under their edges. In each row that it passes, an edge adds its height to the pixel that
// it passes and to the next ones, split by its position in the pixel. The running sum along a row is then the coverage.
// Everything added is an integer in 1/65,536 pixel and depends only on the edge. The sums therefore do not depend on
// the order of the edges or on how the picture is tiled.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::outline {
namespace {

using namespace raster;
using raster::load;
using raster::store;

constexpr int lanes = INK_CHAIN_LANES;
INK_INLINE int16lanes wholes16(const int32_t *p) { return *(const int16lanes_unaligned *)p; }
INK_INLINE float16 floats16(const float *p) { return *(const float16_unaligned *)p; }
INK_INLINE void store(int32_t *p, int16lanes v) { *(int16lanes_unaligned *)p = v; }
INK_INLINE float16 to_float(int16lanes v) { return __builtin_convertvector(v, float16); }

/// The nearest integers to values of up to 2^21.
INK_INLINE int16lanes nearest(float16 v) {
    return __builtin_convertvector(v + 12582912.0f, int16lanes) - 12582912;
}

/// Adds to three values, one after the other. Adding two at a time would load across a value just stored, and wait
/// until the store has reached memory. Sums outside the cell may overflow; nobody reads them.
INK_INLINE void add_three(int32_t *to, int32_t first, int32_t second, int32_t third) {
    volatile uint32_t *const apart = (volatile uint32_t *)to;
    apart[0] = apart[0] + (uint32_t)first;
    apart[1] = apart[1] + (uint32_t)second;
    apart[2] = apart[2] + (uint32_t)third;
}

/// Contribution of sixteen pieces of edges, none longer than a pixel in either direction, to three pixels of a row
/// each.
struct shares {
    int16lanes column, first, second, third;

    /// - Parameters: a, b: columns where the pieces begin and end; height: signed, in 1/65,536 pixel; steepness: half
    ///   of the height divided by the width in columns, with the sign of the height.
    INK_INLINE shares of(float16 a, float16 b, int16lanes height, float16 steepness) {
        const float16 left = least(a, b), right = greatest(a, b);
        int16lanes column = __builtin_convertvector(left, int16lanes);
        column += (int16lanes)(to_float(column) > left);
        const float16 from = left - to_float(column), to = right - to_float(column);
        // The area beyond the pixel is a triangle; the area in it and beyond is a trapezoid.
        const float16 beyond = greatest(to - 1.0f, (float16)0.0f);
        const float16 triangle = beyond * beyond * steepness;
        const int16lanes third = nearest(triangle);
        const int16lanes second = nearest(to_float(height) * ((from + to) * 0.5f) - triangle);
        return {column, height - second, second - third, third};
    }
};

/// Sixteen edges of a chain from their upper ends downwards, in pixels and in 1/65,536 pixel from the position of the
/// chain.
struct chain_edges {
    /// The column of the upper end, the distance in columns to the lower end, and that distance divided by the height
    /// in 1/65,536 pixel.
    float16 x, way, slope;
    /// Half of the height, in 1/65,536 pixel, divided by the distance in columns; negative for an edge that points
    /// upwards.
    float16 steepness;
    int16lanes y, height;
    /// -1 for an edge that points upwards, else 0.
    int16lanes is_upward;

    /// - Parameters: x, y: the points where the edges begin, followed, `lanes` later, by those where they end.
    INK_INLINE chain_edges of(const float *x, const float *y, float factor) {
        const float16 x_from = floats16(x) * factor, x_to = floats16(x + lanes) * factor;
        const int16lanes y_from = row(floats16(y) * factor), y_to = row(floats16(y + lanes) * factor);
        const int16lanes is_upward = y_to < y_from;
        const float16 upper = is_upward ? x_to : x_from, lower = is_upward ? x_from : x_to;
        const int16lanes top = least(y_from, y_to), height = greatest(y_from, y_to) - top;
        const float16 way = lower - upper, tall = to_float(height);
        const float16 size = (float16)((int16lanes)way & 0x7FFFFFFF);
        // For steeper edges, the areas at the sides are too small to matter.
        const float16 steepness = tall * 0.5f / greatest(size, (float16)(1.0f / 1024));
        return {
            upper, way, way / greatest(tall, (float16)1.0f), is_upward ? -steepness : steepness, top, height, is_upward};
    }

private:
    /// Rows in 1/65,536 pixel, for up to 2^14 pixels.
    INK_INLINE int16lanes row(float16 y) {
        const float16 scaled = y * 65536.0f;
        return __builtin_convertvector(scaled + (scaled < 0 ? (float16)-0.5f : (float16)0.5f), int16lanes);
    }
};

/// A position of a chain, from the cell's first pixel.
struct chain_place {
    int32_t column, row;
    /// The fractions of a pixel; rows in 1/65,536.
    float x;
    int32_t y;

    INK_INLINE chain_place of(const ink_point &p, const ink_deltas &target) {
        const int64_t column = floor_of(p.x), row = floor_of(p.y);
        return {
            (int32_t)(column - target.left), (int32_t)(row - target.top), (float)(p.x - (double)column),
            (int32_t)floor_of((p.y - (double)row) * 65536 + 0.5)};
    }
};

INK_INLINE void add_edges(const ink_deltas &target, const chain_edges &e, const chain_place &place) {
    const int16lanes last_column = (int16lanes)(target.width + 8), last_row = (int16lanes)target.height;
    const int16lanes top = e.y + place.y;
    int16lanes row = top >> 16;
    const int16lanes above = least(((row + 1) << 16) - top, e.height), below = e.height - above;
    const float16 x_top = e.x + place.x;
    const float16 x_middle = x_top + e.slope * to_float(above);
    const float16 x_bottom = x_top + e.way;
    const shares upper = shares::of(x_top, x_middle, (above ^ e.is_upward) - e.is_upward, e.steepness);
    const shares lower = shares::of(x_middle, x_bottom, (below ^ e.is_upward) - e.is_upward, e.steepness);
    // Pieces outside the cell go to the margins, which have one row more above and below.
    row += place.row;
    const int16lanes first_row = least(greatest(row, (int16lanes)-1), last_row);
    const int16lanes next_row = least(greatest(row + 1, (int16lanes)-1), last_row);
    const int16lanes upper_column = least(greatest(upper.column + place.column, (int16lanes)-8), last_column);
    const int16lanes lower_column = least(greatest(lower.column + place.column, (int16lanes)-8), last_column);
    alignas(64) int32_t places[2 * lanes], first[2 * lanes], second[2 * lanes], third[2 * lanes];
    const auto keep = [&](int half, int16lanes at, const shares &s) __attribute__((always_inline)) {
        store(places + half * lanes, at);
        store(first + half * lanes, s.first);
        store(second + half * lanes, s.second);
        store(third + half * lanes, s.third);
    };
    keep(0, first_row * target.stride + upper_column, upper);
    keep(1, next_row * target.stride + lower_column, lower);
    const auto add = [&](int piece) __attribute__((always_inline)) {
        add_three(target.values + places[piece], first[piece], second[piece], third[piece]);
    };
    for (int piece = 0; piece < lanes; piece++) add(piece);
    // Many edges end in the row where they begin; the values computed for the rest of these are not used.
    for (uint32_t there = bits_of(below > 0); there != 0; there &= there - 1) add(lanes + __builtin_ctz(there));
}

void add_chain(
    ink_deltas target, const ink_chain *chain, float factor, const ink_point *places, ptrdiff_t count) {
    // Number of edge groups that are computed once for all positions.
    constexpr int32_t some = 8;
    chain_edges edges[some];
    for (int32_t begin = 0; begin < chain->part_length; begin += some) {
        const int32_t there = least(some, chain->part_length - begin);
        for (int32_t i = 0; i < there; i++) {
            const ptrdiff_t at = (ptrdiff_t)(begin + i) * lanes;
            edges[i] = chain_edges::of(chain->x + at, chain->y + at, factor);
        }
        for (ptrdiff_t p = 0; p < count; p++) {
            const chain_place place = chain_place::of(places[p], target);
            for (int32_t i = 0; i < there; i++) add_edges(target, edges[i], place);
        }
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

/// Calls `put(row, column, covered)` with sixteen running sums at a time, in 1/65,536 pixel, and sets the changes to 0.
template <typename Put> INK_INLINE void use_deltas(ink_deltas deltas, const ink_box *box, const Put &put) {
    const int16lanes zero = (int16lanes)0;
    for (int32_t row = box->top; row < box->bottom; row++) {
        int32_t *changes = deltas.values + row * deltas.stride;
        int16lanes sum = zero;
        // The left margin holds whatever begins before the cell.
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
        // Whatever ends beyond the box is discarded.
        store(changes + column, zero);
    }
}

void multiply_deltas(ink_kept plane, ink_deltas deltas, const ink_box *box, float alpha) {
    const float16 share = (float16)(alpha * (1.0f / 65536));
    use_deltas(deltas, box, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        uint16_t *at = plane.values + row * plane.stride + column;
        store(at, rest(load16(at), 1.0f - share * covered));
    });
}

void add_deltas(ink_plane plane, ink_deltas deltas, const ink_box *box, float weight) {
    const float16 share = (float16)(weight * (1.0f / 65536));
    use_deltas(deltas, box, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        *(float16_unaligned *)at = floats16(at) + share * covered;
    });
}

}  // namespace
}  // namespace INK_LEVEL::outline
