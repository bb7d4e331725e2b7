// Edges of polygons, cut at the borders of rows or, for edges that are wider than high, at the borders of columns. The
// contribution of a cut depends only on its edge, in integers. Sixteen edges are processed together, one cut of each at
// a time.
#pragma once

#include "outline.hpp"

namespace INK_LEVEL::outline {
namespace {

/// One pixel, in units of 1/65,536.
constexpr int32_t pixel = 65536;
/// Maximum extent of an edge that is cut directly, in pixels in either direction: Float then holds positions to
/// 1/65,536 pixel.
constexpr int32_t edge_reach = 256;

/// Integer parts of values up to 2^31.
INK_INLINE int16lanes whole(float16 v) { return __builtin_convertvector(v, int16lanes); }
INK_INLINE int16lanes iota_wholes() { return int16lanes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
INK_INLINE int16lanes select(int16lanes which, int16lanes a, int16lanes b) { return (which & a) | (~which & b); }

/// Contribution of sixteen cuts, none wider than a pixel, to three pixels of a row each.
struct cut_shares {
    int16lanes first, second, third;

    /// - Parameters: left, way: start and width of the cuts, in 1/65,536 pixel; height: likewise; steepness: half of
    ///   the height divided by the width, in 1/65,536.
    INK_INLINE cut_shares of(int16lanes left, int16lanes way, int16lanes height, float16 steepness) {
        const float16 from = to_float(left & (pixel - 1)), to = from + to_float(way);
        // The area beyond the pixel is a triangle; the area in it and beyond is a trapezoid.
        const float16 beyond = greatest(to - (float)pixel, (float16)0.0f);
        const float16 triangle = beyond * beyond * steepness;
        const int16lanes outer = nearest(triangle);
        const int16lanes next = nearest(to_float(height) * (0.5f / pixel) * (from + to) - triangle);
        return {height - next, next - outer, outer};
    }

    INK_INLINE float16 steepness(int16lanes way, int16lanes height) {
        // For narrower cuts, the areas at the sides are too small to matter.
        return to_float(height) * (0.5f / pixel) / to_float(greatest(way, (int16lanes)64));
    }
};

/// Sixteen edges from an upper to a lower end, in 1/65,536 pixel from the cell's first pixel.
struct edges {
    int16lanes x_upper, y_upper, x_lower, y_lower;
    /// -1 for an edge that points upwards, else 0.
    int16lanes is_upward;
};

/// Edges collected until there are enough to cut together.
struct edge_list {
    static constexpr int32_t room = 128;
    int32_t count = 0;
    int32_t x_upper[room], y_upper[room], x_lower[room], y_lower[room], is_upward[room];

    /// Whether there may be no room for sixteen more edges.
    INK_METHOD bool is_full() const { return count > room - lanes; }

    /// Appends the edges whose bits are set.
    INK_METHOD void append(uint32_t which, const edges &e) {
#if INK_RANK >= 2
        const auto put = [&](int32_t *to, int16lanes v) __attribute__((always_inline)) {
            store(to + count, (int16lanes)_mm512_maskz_compress_epi32((__mmask16)which, (__m512i)v));
        };
        put(x_upper, e.x_upper);
        put(y_upper, e.y_upper);
        put(x_lower, e.x_lower);
        put(y_lower, e.y_lower);
        put(is_upward, e.is_upward);
        count += __builtin_popcount(which);
#else
        for (; which != 0; which &= which - 1, count++) {
            const int lane = __builtin_ctz(which);
            x_upper[count] = e.x_upper[lane];
            y_upper[count] = e.y_upper[lane];
            x_lower[count] = e.x_lower[lane];
            y_lower[count] = e.y_lower[lane];
            is_upward[count] = e.is_upward[lane];
        }
#endif
    }

    /// Calls `cut` with all edges, sixteen at a time, and empties the list. Edges of height 0 fill up the last group.
    template <typename Cut> INK_METHOD void drain(const Cut &cut) {
        if (count == 0) return;
        const int32_t end = (count + lanes - 1) / lanes * lanes;
        for (int32_t i = 0; i < end; i += lanes) {
            const int16lanes is_there = iota_wholes() + i < count;
            cut(edges{
                wholes16(x_upper + i) & is_there, wholes16(y_upper + i) & is_there, wholes16(x_lower + i) & is_there,
                wholes16(y_lower + i) & is_there, wholes16(is_upward + i) & is_there});
        }
        count = 0;
    }
};

struct edge_cutter {
    ink_deltas target;
    /// Edges by kind: whole edges of at most a pixel in either direction; of the others, those that are higher than
    /// wide, and the rest.
    edge_list short_edges, steep, level;
    /// Buffers for sixteen cuts and their parts in the next row: target positions and the contributions to three
    /// pixels.
    alignas(64) int32_t places[2 * lanes], first[2 * lanes], second[2 * lanes], third[2 * lanes];
    alignas(64) int32_t marks[2 * lanes];
    /// Bit masks of cuts that reach into the next sixteen pixels.
    uint32_t reaches_on[2];

    /// Stores cuts that contribute to three pixels of a row from `column` on.
    ///
    /// - Parameter at: 0, or `lanes` for the next row.
    INK_METHOD void keep(int32_t at, int16lanes row, int16lanes column, const cut_shares &all, int16lanes sign) {
        // Cuts outside the cell go to the margins.
        const int16lanes to_row = least(greatest(row, (int16lanes)-1), (int16lanes)target.height);
        const int16lanes to_column = least(greatest(column, (int16lanes)-8), (int16lanes)(target.width + 8));
        const int16lanes last = (int16lanes)((target.width - 1) >> 4);
        store(places + at, to_row * target.stride + to_column);
        const int16lanes mark = least(greatest(to_column >> 4, (int16lanes)0), last);
        store(marks + at, to_row * (int32_t)INK_MARKS_STRIDE + mark);
        reaches_on[at / lanes] = bits_of(least((to_column + 2) >> 4, last) > mark);
        store(first + at, (all.first ^ sign) - sign);
        store(second + at, (all.second ^ sign) - sign);
        store(third + at, (all.third ^ sign) - sign);
    }

    /// Adds the contributions of the cuts whose bits are set.
    INK_METHOD void add(int32_t at, uint32_t which) const {
        int32_t *const values = target.values;
        uint8_t *const marked = target.marks;
        const auto add_one = [&](int32_t cut) __attribute__((always_inline)) {
            add_three(values + places[cut], first[cut], second[cut], third[cut]);
            marked[marks[cut]] = 1;
        };
        for (uint32_t wide = which & reaches_on[at / lanes]; wide != 0; wide &= wide - 1) {
            marked[marks[at + __builtin_ctz(wide)] + 1] = 1;
        }
        if (which == 0xFFFF) {
            for (int32_t cut = at; cut < at + lanes; cut++) add_one(cut);
        } else {
            for (; which != 0; which &= which - 1) add_one(at + __builtin_ctz(which));
        }
    }

    /// Cuts edges that are higher than wide: each passes a row once, and meets at most two columns there.
    INK_METHOD void cut_steep(const edges &e) {
        const int16lanes end = least(((e.y_lower - 1) >> 16) + 1, (int16lanes)target.height);
        int16lanes row = greatest(e.y_upper >> 16, (int16lanes)0);
        const float16 slope =
            to_float(e.x_lower - e.x_upper) / to_float(greatest(e.y_lower - e.y_upper, (int16lanes)1));
        const auto x_at = [&](int16lanes y) __attribute__((always_inline)) {
            return whole(to_float(y - e.y_upper) * slope) + e.x_upper;
        };
        int16lanes from = greatest(row << 16, e.y_upper), x_from = x_at(from);
        for (;; row += 1) {
            const uint32_t there = bits_of(row < end);
            if (there == 0) break;
            const int16lanes to = least((row + 1) << 16, e.y_lower), x_to = x_at(to), height = to - from;
            const int16lanes left = least(x_from, x_to), way = greatest(x_from, x_to) - left;
            const cut_shares all = cut_shares::of(left, way, height, cut_shares::steepness(way, height));
            keep(0, row, left >> 16, all, e.is_upward);
            add(0, there);
            from = to;
            x_from = x_to;
        }
    }

    /// Cuts edges that are wider than high: each passes a column once, and meets at most two rows there.
    INK_METHOD void cut_level(const edges &e) {
        const int16lanes is_left_upper = e.x_upper < e.x_lower;
        const int16lanes left = least(e.x_upper, e.x_lower), right = greatest(e.x_upper, e.x_lower);
        const int16lanes y_left = select(is_left_upper, e.y_upper, e.y_lower);
        const int16lanes y_right = select(is_left_upper, e.y_lower, e.y_upper);
        const int16lanes way = e.x_lower - e.x_upper;
        const float16 slope = to_float(e.y_lower - e.y_upper) / to_float(select(way == 0, (int16lanes)1, way));
        // Despite rounding, the heights of all cuts in a row must add up to the edge's height.
        const auto y_at = [&](int16lanes x) __attribute__((always_inline)) {
            const int16lanes y = whole(to_float(x - left) * slope) + y_left;
            return select(x == right, y_right, least(greatest(y, e.y_upper), e.y_lower));
        };
        int16lanes column = left >> 16;
        const int16lanes end = select(way == 0, column, least(((right - 1) >> 16) + 1, (int16lanes)target.width));
        int16lanes from = left, y_from = y_at(from);
        for (;; column += 1) {
            const uint32_t there = bits_of(column < end);
            if (there == 0) break;
            const int16lanes to = least((column + 1) << 16, right), y_to = y_at(to), begin = column << 16;
            const int16lanes top = least(y_from, y_to), height = greatest(y_from, y_to) - top, row = top >> 16;
            const int16lanes above = least(((row + 1) << 16) - top, height), below = height - above;
            const float16 x_top = to_float(select(is_left_upper, from, to) - begin);
            const float16 x_bottom = to_float(select(is_left_upper, to, from) - begin);
            const float16 part = to_float(above) / greatest(to_float(height), (float16)1.0f);
            const float16 x_middle = x_top + (x_bottom - x_top) * part;
            const int16lanes next = nearest(to_float(above) * (0.5f / pixel) * (x_top + x_middle));
            keep(0, row, column, {above - next, next, (int16lanes)0}, e.is_upward);
            add(0, there);
            const uint32_t there_below = there & bits_of(below > 0);
            if (there_below != 0) {
                const int16lanes next_below = nearest(to_float(below) * (0.5f / pixel) * (x_middle + x_bottom));
                keep(lanes, row + 1, column, {below - next_below, next_below, (int16lanes)0}, e.is_upward);
                add(lanes, there_below);
            }
            from = to;
            y_from = y_to;
        }
    }

    /// Cuts edges of at most a pixel in either direction: they cross at most one row border and two column borders.
    INK_METHOD void cut_short(const edges &e) {
        const int16lanes height = e.y_lower - e.y_upper, row = e.y_upper >> 16;
        const int16lanes above = least(((row + 1) << 16) - e.y_upper, height), below = height - above;
        const float16 part = to_float(above) / to_float(greatest(height, (int16lanes)1));
        const int16lanes middle = e.x_upper + nearest(to_float(e.x_lower - e.x_upper) * part);
        const int16lanes way = greatest(e.x_upper, e.x_lower) - least(e.x_upper, e.x_lower);
        const float16 steepness = cut_shares::steepness(way, height);
        const auto keep_part = [&](int32_t at, int16lanes in_row, int16lanes a, int16lanes b, int16lanes high)
                                   __attribute__((always_inline)) {
            const int16lanes left = least(a, b);
            keep(at, in_row, left >> 16, cut_shares::of(left, greatest(a, b) - left, high, steepness), e.is_upward);
        };
        keep_part(0, row, e.x_upper, middle, above);
        add(0, bits_of(height > 0));
        const uint32_t there_below = bits_of(below > 0);
        if (there_below == 0) return;
        keep_part(lanes, row + 1, middle, e.x_lower, below);
        add(lanes, there_below);
    }

    void drain_short() {
        short_edges.drain([&](const edges &e) __attribute__((always_inline)) { cut_short(e); });
    }
    void drain_steep() {
        steep.drain([&](const edges &e) __attribute__((always_inline)) { cut_steep(e); });
    }
    void drain_level() {
        level.drain([&](const edges &e) __attribute__((always_inline)) { cut_level(e); });
    }

    /// Takes sixteen edges of at most `edge_reach` pixels in either direction, in 1/65,536 pixel from the cell's first
    /// pixel.
    INK_METHOD void take(int16lanes x0, int16lanes y0, int16lanes x1, int16lanes y1) {
        const int32_t width = target.width * pixel, height = target.height * pixel, margin = 8 * pixel;
        // Edges right of the cell cover nothing in it; of edges left of it, only the height counts.
        const int16lanes is_seen = (y0 != y1) & ((y0 >= 0) | (y1 >= 0)) & ((y0 < height) | (y1 < height))
            & ((x0 < width) | (x1 < width));
        if (bits_of(is_seen) == 0) return;
        const int16lanes is_left = (x0 < -margin) & (x1 < -margin);
        x0 = select(is_left, (int16lanes)-margin, x0);
        x1 = select(is_left, (int16lanes)-margin, x1);
        const int16lanes dx = x1 - x0, dy = y1 - y0, upward = dy >> 31;
        const int16lanes wide = (dx ^ (dx >> 31)) - (dx >> 31), high = (dy ^ upward) - upward;
        const int16lanes is_short = (wide <= pixel) & (high <= pixel);
        // If width and height are almost equal, rounding must not make a column's cut higher than a pixel.
        const int16lanes is_steep = wide - (wide >> 10) <= high;
        const edges all = {
            select(upward, x1, x0), select(upward, y1, y0), select(upward, x0, x1), select(upward, y0, y1), upward};
        const auto sort = [&](edge_list &list, int16lanes which) __attribute__((always_inline)) {
            list.append(bits_of(which), all);
            return list.is_full();
        };
        if (sort(short_edges, is_seen & is_short)) drain_short();
        if (sort(steep, is_seen & ~is_short & is_steep)) drain_steep();
        if (sort(level, is_seen & ~is_short & ~is_steep)) drain_level();
    }
};

}  // namespace
}  // namespace INK_LEVEL::outline
