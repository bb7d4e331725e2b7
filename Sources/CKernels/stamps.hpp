// Code shared by kernels that draw stamps row by row: where a stamp's borders cross rows of pixels, and which stamps
// and which of their rows are in a cell.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::stamps {
namespace {

using namespace raster;

/// Number of pixels that are drawn together, and of rows whose borders are computed together.
constexpr int lanes = 16;

/// Half the length of a pixel's projection onto a normal.
INK_INLINE double shadow(ink_normal n) { return (1 + least(magnitude(n.x), magnitude(n.y))) / 2; }

/// Columns of sixteen rows, from the stamp's origin.
struct columns {
    int16lanes first, end;
};

/// The four borders of a stamp: two in each direction, at the same distance from its centre.
struct stamp_borders {
    double inverse_across, inverse_along;
    /// Distance of a row's borders from the middle, and its change from row to row.
    float side_reach, side_by_row, end_reach, end_by_row;
    /// Bounds of the stamp's extent above and below the centre, and to both sides, pixels.
    double reach_y, reach_x;
    // For the current stamp.
    float side_middle, end_middle;

    /// - Parameters: side, end: distance of the borders, in the unit of each normal.
    INK_INLINE stamp_borders of(ink_normal across, ink_normal along, double side, double end) {
        stamp_borders b;
        // Almost horizontal borders are made slightly steeper, which moves them by at most 1/50 pixel.
        b.inverse_across = 1 / at_least(across.x);
        b.inverse_along = 1 / at_least(along.x);
        b.side_reach = (float)magnitude(side * b.inverse_across);
        b.end_reach = (float)magnitude(end * b.inverse_along);
        b.side_by_row = (float)(-across.y * b.inverse_across);
        b.end_by_row = (float)(-along.y * b.inverse_along);
        const double inverse = 1 / magnitude(across.x * along.y - across.y * along.x);
        b.reach_y = (magnitude(across.x) * end + magnitude(along.x) * side) * inverse;
        b.reach_x = (magnitude(across.y) * end + magnitude(along.y) * side) * inverse;
        b.side_middle = b.end_middle = 0;
        return b;
    }

    /// - Parameters: s, t: distance of the stamp's first pixel from the stamp's centre, across and along.
    INK_METHOD void place(double s, double t) {
        side_middle = (float)(-s * inverse_across);
        end_middle = (float)(-t * inverse_along);
    }

    /// The pixels of rows whose centres lie between all borders.
    INK_METHOD columns inside(float16 rows) const {
        const float16 side = rows * side_by_row + side_middle, end = rows * end_by_row + end_middle;
        return {above(greatest(side - side_reach, end - end_reach)), above(least(side + side_reach, end + end_reach))};
    }

private:
    INK_INLINE double at_least(double a) { return a < 0 ? least(a, -1e-5) : greatest(a, 1e-5); }

    /// Ceiling, clamped to a useful range.
    INK_INLINE int16lanes above(float16 v) {
        v = least(greatest(v, (float16)-30000.0f), (float16)30000.0f);
        const int16lanes whole = __builtin_convertvector(v, int16lanes);
        return whole - (int16lanes)(__builtin_convertvector(whole, float16) < v);
    }
};

/// All bits of the first `count` of sixteen lanes.
INK_INLINE ushort16 first_lanes(int32_t count) {
    alignas(64) static const uint16_t bits[2 * lanes] = {
        65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
        65535};
    return load16(bits + lanes - count);
}

INK_INLINE void mark_drawn(ink_kept plane, int64_t left, int64_t top, int64_t right, int64_t bottom) {
    left = greatest(left, (int64_t)0);
    top = greatest(top, (int64_t)0);
    right = least(right, (int64_t)plane.width);
    bottom = least(bottom, (int64_t)plane.height);
    if (left >= right || top >= bottom) return;
    const int64_t first = left / INK_BLOCK_WIDTH, last = (right - 1) / INK_BLOCK_WIDTH;
    const uint64_t bits = (~(uint64_t)0 >> (63 - (last - first))) << first;
    for (int64_t row = top / INK_BLOCK_HEIGHT; row <= (bottom - 1) / INK_BLOCK_HEIGHT; row++) plane.drawn[row] |= bits;
}

/// A stamp that may be visible in a cell.
struct seen_stamp {
    /// Centre of its first pixel, the origin, relative to the stamp's centre.
    double x, y;
    ushort16 alpha;
    /// The plane at the origin; the plane's first column and the rows to draw, counted from there.
    uint16_t *origin;
    int32_t start, first_row, end_row;
};

/// Calls `draw` for each stamp that may meet the plane, and marks its blocks as drawn.
/// - Parameters: reach_x, reach_y: bounds of a stamp's extent from its centre, pixels.
template <typename Draw>
INK_INLINE void for_each_stamp(
    ink_kept plane, double reach_x, double reach_y, const ink_place *places, ptrdiff_t count, const Draw &draw) {
    const double left = plane.left, top = plane.top, right = left + plane.width, bottom = top + plane.height;
    const int64_t reach = floor_of(reach_x) + 2;
    for (ptrdiff_t stamp = 0; stamp < count; stamp++) {
        const ink_place place = places[stamp];
        if (!(place.x + reach_x > left && place.x - reach_x < right)) continue;
        if (!(place.y + reach_y > top && place.y - reach_y < bottom)) continue;
        const int64_t origin_x = floor_of(place.x), origin_y = floor_of(place.y);
        const double x = (double)origin_x + 0.5 - place.x, y = (double)origin_y + 0.5 - place.y;
        const int64_t to_column = origin_x - plane.left, to_row = origin_y - plane.top;
        const int64_t first_row = greatest(floor_of(-reach_y - y), -to_row);
        const int64_t end_row = least(floor_of(reach_y - y) + 1, plane.height - to_row);
        mark_drawn(plane, to_column - reach, to_row + first_row, to_column + reach + 1, to_row + end_row);
        draw(seen_stamp{
            x, y, (ushort16)share_of(place.alpha), plane.values + to_row * plane.stride + to_column, (int32_t)-to_column,
            (int32_t)first_row, (int32_t)end_row});
    }
}

}  // namespace
}  // namespace INK_LEVEL::stamps
