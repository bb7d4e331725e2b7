// Contour lines: quads between neighbouring stations of a stroke, whose areas add up. All seven lines at a time, each in a lane
// of its own. Where a line goes on, the edge across it is of both quads and covers nothing: it is left out.
#pragma once

#include "polygons.hpp"

namespace INK_LEVEL::outline {
namespace {

typedef int64_t long8 __attribute__((ext_vector_type(8)));

INK_INLINE int8lanes narrowed(long8 v) { return __builtin_convertvector(v, int8lanes); }
INK_INLINE int16lanes joined(int8lanes a, int8lanes b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
INK_INLINE int8lanes select(int8lanes which, int8lanes a, int8lanes b) { return (which & a) | (~which & b); }

struct points {
    double8 x, y;

    INK_METHOD points operator-(points p) const { return {x - p.x, y - p.y}; }
};

INK_INLINE double8 cross(points p, points q) { return p.x * q.y - p.y * q.x; }
INK_INLINE double8 dot(points p, points q) { return p.x * q.x + p.y * q.y; }

/// Where lines pass a station, canvas pixels: their middles, and both sides.
struct passage {
    points middle, low, high;
    int8lanes low_x, low_y, high_x, high_y;

    INK_INLINE passage of(const ink_station &s, const ink_contour &lines, const corner_map &map) {
        const double8 middle = double8{-3, -2, -1, 0, 1, 2, 3, 0} * (lines.spacing * s.size);
        const double8 half = (double8)(lines.width * s.size / 2);
        const auto at = [&](double8 offset) __attribute__((always_inline)) {
            return points{s.x + offset * s.across_x, s.y + offset * s.across_y};
        };
        passage p;
        p.middle = at(middle);
        p.low = at(middle - half);
        p.high = at(middle + half);
        p.low_x = map.eight(p.low.x * lines.scale_x, (double8)map.origin[0]);
        p.low_y = map.eight(p.low.y * lines.scale_y, (double8)map.origin[1]);
        p.high_x = map.eight(p.high.x * lines.scale_x, (double8)map.origin[0]);
        p.high_y = map.eight(p.high.y * lines.scale_y, (double8)map.origin[1]);
        return p;
    }
};

/// The quads between two passages: low, high, next high, next low.
struct quads {
    /// Lanes whose quads are there; and of these those that do not turn the way that all do along a stroke, or cross themselves.
    long8 are_there, are_unusual;
    /// Twice the areas of the triangles of three corners each, which are named by their places.
    double8 abc, abd, acd, bcd;

    INK_INLINE quads of(const passage &p, const passage &next, const ink_station &s, const ink_station &after) {
        quads q;
        const points along = {(double8)(after.x - s.x), (double8)(after.y - s.y)};
        // The last lane is spare. What is not a number is not there.
        const bool is_turn = s.across_x * after.across_x + s.across_y * after.across_y > 0;
        q.are_there = (dot(next.middle - p.middle, along) > 0) & long8{-1, -1, -1, -1, -1, -1, -1, 0};
        if (!is_turn) q.are_there = (long8)0;
        const points ab = p.high - p.low, ac = next.high - p.low, ad = next.low - p.low;
        q.abc = cross(ab, ac);
        q.abd = cross(ab, ad);
        q.acd = cross(ac, ad);
        q.bcd = cross(next.high - p.high, next.low - p.high);
        q.are_unusual = q.are_there & ~((q.abc <= 0) & (q.abd <= 0) & (q.acd <= 0) & (q.bcd <= 0));
        return q;
    }
};

struct contour_edges {
    polygon_edges edges;
    const ink_contour &lines;

    INK_METHOD void output(points p, int lane, double *to) const {
        to[0] = p.x[lane] * lines.scale_x;
        to[1] = p.y[lane] * lines.scale_y;
    }

    /// Edges along those quads whose lane is set, up on one side of a line and back on the other.
    INK_METHOD void take_sides(const passage &p, const passage &next, int8lanes which) {
        edges.take(
            {joined(p.high_x, next.low_x), joined(p.high_y, next.low_y)},
            {joined(next.high_x, p.low_x), joined(next.high_y, p.low_y)}, joined(which, which),
            [&](int32_t lane, double *from, double *to) __attribute__((always_inline)) {
                const int32_t line = lane & 7;
                output(lane < 8 ? p.high : next.low, line, from);
                output(lane < 8 ? next.high : p.low, line, to);
            });
    }

    /// Edges across those lines that begin or end at a station.
    INK_METHOD void take_ends(const passage &p, int8lanes begin, int8lanes end) {
        const int8lanes which = begin ^ end, none = (int8lanes)0;
        if (__builtin_reduce_or(which) == 0) return;
        edges.take(
            {joined(select(begin, p.low_x, p.high_x), none), joined(select(begin, p.low_y, p.high_y), none)},
            {joined(select(begin, p.high_x, p.low_x), none), joined(select(begin, p.high_y, p.low_y), none)},
            joined(which, none), [&](int32_t lane, double *from, double *to) __attribute__((always_inline)) {
                output(begin[lane] ? p.low : p.high, lane, from);
                output(begin[lane] ? p.high : p.low, lane, to);
            });
    }

    /// A quad that turns the other way, or that crosses itself and is then two triangles.
    void take_unusual(const passage &p, const passage &next, const quads &q, int lane) {
        double corners[2 * 4];
        output(p.low, lane, corners);
        output(p.high, lane, corners + 2);
        output(next.high, lane, corners + 4);
        output(next.low, lane, corners + 6);
        const double abc = q.abc[lane], abd = q.abd[lane], acd = q.acd[lane], bcd = q.bcd[lane];
        if (abc * abd < 0 && acd * bcd < 0) {
            // The edges across cross each other.
            const double share = acd / (acd - bcd);
            take_triangle(corners, 0, 1, share, 1, 2, bcd);
            take_triangle(corners, 0, 1, share, 3, 0, acd);
        } else if (abc * bcd < 0 && abd * acd < 0) {
            const double share = abd / (abd - acd);
            take_triangle(corners, 1, 2, share, 0, 1, abc);
            take_triangle(corners, 1, 2, share, 2, 3, bcd);
        } else {
            take(corners, 4, abc + acd);
        }
    }

    /// The triangle of an edge and the point that is some share of the way between two corners.
    void take_triangle(const double *corners, int a, int b, double share, int from, int to, double sign) {
        double triangle[2 * 3];
        for (int i = 0; i < 2; i++) {
            triangle[i] = corners[2 * a + i] + share * (corners[2 * b + i] - corners[2 * a + i]);
            triangle[2 + i] = corners[2 * from + i];
            triangle[4 + i] = corners[2 * to + i];
        }
        take(triangle, 3, sign);
    }

    /// Takes a polygon so that it turns as all do; `sign`: as its area's.
    void take(double *corners, int count, double sign) {
        if (sign > 0) {
            for (int i = 0; i < count / 2; i++) {
                for (int k = 0; k < 2; k++) {
                    const double kept = corners[2 * i + k];
                    corners[2 * i + k] = corners[2 * (count - 1 - i) + k];
                    corners[2 * (count - 1 - i) + k] = kept;
                }
            }
        }
        edges.take_polygon(corners, count);
    }
};

void add_contour(ink_deltas target, const ink_contour *contour, const ink_station *stations, ptrdiff_t count) {
    contour_edges all = {polygon_edges::of(target), *contour};
    passage p = passage::of(stations[0], *contour, all.edges.map);
    int8lanes are_open = (int8lanes)0;
    for (ptrdiff_t i = 1; i < count; i++) {
        const passage next = passage::of(stations[i], *contour, all.edges.map);
        const quads q = quads::of(p, next, stations[i - 1], stations[i]);
        const int8lanes which = narrowed(q.are_there & ~q.are_unusual);
        all.take_ends(p, which & ~are_open, are_open & ~which);
        all.take_sides(p, next, which);
        for (int lane = 0; lane < 8; lane++) {
            if (q.are_unusual[lane]) all.take_unusual(p, next, q, lane);
        }
        are_open = which;
        p = next;
    }
    all.take_ends(p, (int8lanes)0, are_open);
    all.edges.drain();
}

/// Adds areas, times alpha, to the sums; where they are above 0 the largest alpha is at least this.
void add_weighted(ink_sums sums, ink_deltas deltas, int32_t top, int32_t bottom, float alpha) {
    const float16 share = (float16)(alpha * (1.0f / pixel));
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, int16lanes area) __attribute__((always_inline)) {
        float *sum = sums.sums + row * sums.stride + column, *largest = sums.largest + row * sums.stride + column;
        *(float16_unaligned *)sum = floats16(sum) + share * to_float(area);
        *(float16_unaligned *)largest = greatest(floats16(largest), area > 0 ? (float16)alpha : (float16)0.0f);
        sums.drawn[row / INK_BLOCK_HEIGHT] |= (uint64_t)1 << (column / INK_BLOCK_WIDTH);
    });
}

void multiply_sums(ink_kept plane, ink_sums sums, const ink_box *box) {
    for (int32_t row = box->top; row < box->bottom; row++) {
        uint16_t *to = plane.values + row * plane.stride;
        float *sum = sums.sums + row * sums.stride, *largest = sums.largest + row * sums.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            const float8 alpha = least(load(sum + column), load(largest + column));
            store(to + column, rest(load(to + column), 1.0f - alpha));
            store(sum + column, (float8)0.0f);
            store(largest + column, (float8)0.0f);
        }
    }
}

}  // namespace
}  // namespace INK_LEVEL::outline
