// Polygons that are drawn once, by the areas under their edges, as outlines are. Marks record which groups of sixteen
// pixels of a row edges pass. The pixels between marks are visited only if they are inside.
#pragma once

#include "edges.hpp"

namespace INK_LEVEL::outline {
namespace {

/// Clamps coordinates to a range beyond which nothing is drawn, in pixels; NaN becomes its limit.
template <typename V> INK_INLINE V within_reach(V a) { return greatest(least(a, (V)1e9), (V)-1e9); }

/// A coordinate in 1/65,536 pixel.
INK_INLINE int64_t exact_place(double a) { return floor_of(a * pixel + 0.5); }

/// Coordinates further from the cell are clamped to this distance, in 1/65,536 pixel, in either direction.
constexpr int32_t far_away = 1 << 29;

/// Number of corners that are tested together.
constexpr int32_t chunk = 16;

/// Whether the edges to the next `chunk` corners all lie above, below, or to the right of the cell.
INK_INLINE bool are_outside(const double *corners, double x, double y, ink_deltas target) {
    const double8 before = {x, y, x, y, x, y, x, y};
    double8 low = before, high = before;
    for (int32_t i = 0; i < 2 * chunk; i += 8) {
        const double8 next = *(const double8_unaligned *)(corners + i);
        low = least(low, next);
        high = greatest(high, next);
    }
    const double4 lowest = least(low.lo, low.hi), highest = greatest(high.lo, high.hi);
    const double left = least(lowest.x, lowest.z), top = least(lowest.y, lowest.w), bottom = greatest(highest.y, highest.w);
    return bottom < target.top - 1 || top > target.top + target.height + 1 || left > target.left + target.width + 1;
}

/// Corners in the form that the cutter takes.
struct places {
    int16lanes x, y;
};

/// Maps corners to 1/65,536 pixel from the cell's first pixel.
struct corner_map {
    /// The cell's corner, x and y alternating, in 1/65,536 pixel.
    double8 origin;

    INK_INLINE corner_map of(ink_deltas target) {
        const double x = (double)target.left * pixel, y = (double)target.top * pixel;
        return {{x, y, x, y, x, y, x, y}};
    }

    INK_METHOD int8lanes four(const double *corners) const {
        return eight(*(const double8_unaligned *)corners, origin);
    }

    /// - Parameter from: of each, the cell's corner.
    INK_METHOD int8lanes eight(double8 v, double8 from) const {
        const double8 scaled = within_reach(v) * pixel + 0.5;
        // Floor: the nearest integer, by rounding at 2^52, minus one if that is above.
        const double8 nearest = (scaled + 6755399441055744.0) - 6755399441055744.0;
        const double8 below = nearest - (nearest > scaled ? (double8)1.0 : (double8)0.0);
        const double8 far = (double8)(double)far_away;
        return __builtin_convertvector(least(greatest(below - from, -far), far), int8lanes);
    }

    /// Maps `count` corners, at most sixteen.
    INK_METHOD places sixteen(const double *corners, int32_t count) const {
        double some[2 * lanes];
        if (count < lanes) {
            __builtin_memset(some, 0, sizeof some);
            for (int32_t i = 0; i < 2 * count; i++) some[i] = corners[i];
            corners = some;
        }
        const int8lanes a = four(corners), b = four(corners + 8), c = four(corners + 16), d = four(corners + 24);
        const int16lanes ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const int16lanes cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        return {
            __builtin_shufflevector(ab, cd, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
            __builtin_shufflevector(ab, cd, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
    }

    INK_METHOD int32_t one(double a, int32_t axis) const {
        const int64_t place = exact_place(within_reach(a)) - (int64_t)origin[axis];
        return (int32_t)least(greatest(place, (int64_t)-far_away), (int64_t)far_away);
    }
};

struct polygon_edges {
    edge_cutter cutter;
    corner_map map;

    INK_INLINE polygon_edges of(ink_deltas target) {
        polygon_edges all;
        all.cutter.target = target;
        all.map = corner_map::of(target);
        return all;
    }

    /// Cuts those that are left.
    void drain() {
        cutter.drain_short();
        cutter.drain_steep();
        cutter.drain_level();
    }

    /// Takes those edges from `from` to `to` that are there. `ends(lane, p, q)` gives the corners of a long one.
    template <typename Ends> INK_METHOD void take(places from, places to, int16lanes is_there, const Ends &ends) {
        const int16lanes dx = to.x - from.x, dy = to.y - from.y;
        const int16lanes reach = greatest(greatest(dx, -dx), greatest(dy, -dy));
        const int16lanes is_long = reach > edge_reach * pixel;
        cutter.take(from.x, from.y, to.x, select(is_there & ~is_long, to.y, from.y));
        for (uint32_t left = bits_of(is_there & is_long); left != 0; left &= left - 1) {
            double p[2], q[2];
            ends((int32_t)__builtin_ctz(left), p, q);
            take_long(within_reach(p[0]), within_reach(p[1]), within_reach(q[0]), within_reach(q[1]));
        }
    }

    /// Cuts a long edge into pieces.
    void take_long(double px, double py, double qx, double qy) {
        const int64_t height = (int64_t)cutter.target.height * pixel;
        const int64_t left = (int64_t)map.origin[0], top = (int64_t)map.origin[1];
        const int64_t x0 = exact_place(px) - left, y0 = exact_place(py) - top;
        const int64_t x1 = exact_place(qx) - left, y1 = exact_place(qy) - top;
        if (y0 == y1) return;
        const int64_t reach = greatest(x1 > x0 ? x1 - x0 : x0 - x1, y1 > y0 ? y1 - y0 : y0 - y1);
        const int64_t parts = reach / ((edge_reach - 1) * (int64_t)pixel) + 1;
        const auto at = [&](int64_t part, double p, double q) __attribute__((always_inline)) {
            return part == parts ? q : p + (double)part / (double)parts * (q - p);
        };
        // The pieces that may pass rows of the cell.
        const double most = (double)parts, per_height = most / (double)(y1 - y0);
        const double at_top = (double)-y0 * per_height, at_bottom = (double)(height - y0) * per_height;
        const int64_t begin = floor_of(least(greatest(least(at_top, at_bottom) - 1, 0.0), most));
        const int64_t end = floor_of(least(greatest(greatest(at_top, at_bottom) + 2, 0.0), most));
        // Of those on the left of the cell only their height counts, of those on the right nothing.
        const bool is_upright = x1 == x0;
        const double per_width = is_upright ? 0 : most / (double)(x1 - x0), border = 9 * pixel;
        const double at_left = (-border - (double)x0) * per_width;
        const double at_right = ((double)cutter.target.width * pixel + border - (double)x0) * per_width;
        const auto within = [&](double part) __attribute__((always_inline)) {
            return floor_of(least(greatest(part, (double)begin), (double)end));
        };
        const int64_t first = is_upright ? begin : within(least(at_left, at_right) - 2);
        const int64_t last = is_upright ? end : within(greatest(at_left, at_right) + 3);
        const int64_t left_begin = x1 > x0 ? begin : last, left_end = x1 > x0 ? first : end;
        if (left_begin < left_end) {
            const int32_t from = map.one(at(left_begin, py, qy), 1), to = map.one(at(left_end, py, qy), 1);
            const int16lanes x = (int16lanes)(-16 * pixel), is_one = iota_wholes() < 1;
            cutter.take(x, (int16lanes)from & is_one, x, (int16lanes)to & is_one);
        }
        for (int64_t part = first; part < last; part += lanes) {
            places from = {}, to = {};
            for (int32_t lane = 0; lane < least(last - part, (int64_t)lanes); lane++) {
                from.x[lane] = map.one(at(part + lane, px, qx), 0);
                from.y[lane] = map.one(at(part + lane, py, qy), 1);
                to.x[lane] = map.one(at(part + lane + 1, px, qx), 0);
                to.y[lane] = map.one(at(part + lane + 1, py, qy), 1);
            }
            cutter.take(from.x, from.y, to.x, to.y);
        }
    }

    /// Takes up to four quadrilaterals.
    INK_METHOD void take_quads(const double *corners, int32_t quads) {
        const places to = map.sixteen(corners, 4 * quads);
        const auto before = [](int16lanes v) __attribute__((always_inline)) {
            return __builtin_shufflevector(v, v, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
        };
        take({before(to.x), before(to.y)}, to, iota_wholes() < 4 * quads, [&](int32_t lane, double *p, double *q) {
            const int32_t last = lane % 4 == 0 ? lane + 3 : lane - 1;
            __builtin_memcpy(p, corners + 2 * last, 2 * sizeof *p);
            __builtin_memcpy(q, corners + 2 * lane, 2 * sizeof *q);
        });
    }

    INK_METHOD void take_polygon(const double *corners, int32_t count) {
        if (count < 3) return;
        const double *last = corners + 2 * count - 2;
        for (int32_t begin = 0; begin < count; begin += chunk) {
            const double *first = corners + 2 * begin;
            const int32_t some = least(chunk, count - begin);
            // Most corners of a long outline are in other cells.
            if (some < chunk || !are_outside(first, within_reach(last[0]), within_reach(last[1]), cutter.target)) {
                const places to = map.sixteen(first, some);
                const auto before = [&](int16lanes v, int32_t axis) __attribute__((always_inline)) {
                    const int16lanes one = (int16lanes)map.one(last[axis], axis);
                    return __builtin_shufflevector(one, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
                };
                take({before(to.x, 0), before(to.y, 1)}, to, iota_wholes() < some, [&](int32_t lane, double *p, double *q) {
                    __builtin_memcpy(p, lane == 0 ? last : first + 2 * lane - 2, 2 * sizeof *p);
                    __builtin_memcpy(q, first + 2 * lane, 2 * sizeof *q);
                });
            }
            last = first + 2 * some - 2;
        }
    }
};

void add_polygons(ink_deltas target, const double *corners, const int32_t *counts, ptrdiff_t polygons) {
    polygon_edges all = polygon_edges::of(target);
    for (ptrdiff_t polygon = 0; polygon < polygons;) {
        ptrdiff_t quads = 0;
        while (quads < 4 && polygon + quads < polygons && counts[polygon + quads] == 4) quads++;
        if (quads > 0) {
            all.take_quads(corners, (int32_t)quads);
            corners += 8 * quads;
            polygon += quads;
        } else {
            all.take_polygon(corners, counts[polygon]);
            corners += 2 * counts[polygon];
            polygon++;
        }
    }
    all.drain();
}

/// One bit for each of 64 bytes that are 0 or 1.
INK_INLINE uint64_t set_bytes(const uint8_t *bytes) {
#if INK_RANK >= 2
    const __m512i all = _mm512_loadu_si512(bytes);
    return _mm512_test_epi8_mask(all, all);
#else
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t eight;
        __builtin_memcpy(&eight, bytes + 8 * i, sizeof eight);
        // Moves the bit of each byte to its own position in the highest byte.
        bits |= (eight * 0x0102040810204080) >> 56 << (8 * i);
    }
    return bits;
#endif
}

/// Calls `put(row, column, area)` with sixteen running sums at a time, 1/65,536 pixel, of those rows where edges or what is
/// inside them are, and sets the changes and the marks to 0.
template <typename Put> INK_INLINE void use_marked(ink_deltas deltas, int32_t top, int32_t bottom, const Put &put) {
    const int16lanes zero = (int16lanes)0;
    const bool has_high = deltas.width > 64 * lanes;
    for (int32_t row = top; row < bottom; row++) {
        uint8_t *marks = deltas.marks + row * INK_MARKS_STRIDE;
        const uint64_t low = set_bytes(marks), high = has_high ? set_bytes(marks + 64) : 0;
        if ((low | high) == 0) continue;
        if (low != 0) __builtin_memset(marks, 0, 64);
        if (high != 0) __builtin_memset(marks + 64, 0, 64);
        int32_t *changes = deltas.values + row * deltas.stride;
        int16lanes sum = zero;
        if (low & 1) {
            // The left margin holds whatever begins before the cell.
            sum = (int16lanes)__builtin_reduce_add(wholes16(changes - lanes));
            store(changes - lanes, zero);
        }
        const auto use = [&](int32_t index) __attribute__((always_inline)) {
            const int32_t column = lanes * index;
            const int16lanes sums = running_sums(wholes16(changes + column)) + sum;
            put(row, column, sums < 0 ? -sums : sums);
            store(changes + column, zero);
            sum = __builtin_shufflevector(sums, sums, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
        };
        // The next sixteen pixels.
        int32_t index = 0;
        for (int32_t word = 0; word < 2; word++) {
            uint64_t bits = word == 0 ? low : high;
            while (bits != 0) {
                const int32_t first = __builtin_ctzll(bits), begin = 64 * word + first;
                // Between marks the coverage is 0 or complete.
                if (sum[0] != 0) {
                    for (; index < begin; index++) use(index);
                }
                // The carry through a run of marks ends just after it; it is then subtracted again.
                bits += (uint64_t)1 << first;
                const int32_t end = 64 * word + (bits != 0 ? __builtin_ctzll(bits) : 64);
                bits &= bits - 1;
                for (index = begin; index < end; index++) use(index);
            }
        }
        if (sum[0] != 0) {
            for (; lanes * index < deltas.width; index++) use(index);
            // Whatever ends beyond the cell is discarded. Changes that stay in the margin, because nothing reaches the
            // cell's last pixels, are never read.
            store(changes + lanes * index, zero);
        }
    }
}

/// What is covered where areas add up to this, at most all.
INK_INLINE float16 covered(int16lanes area) { return to_float(least(area, (int16lanes)pixel)); }

void multiply_marked(ink_kept plane, ink_deltas deltas, int32_t top, int32_t bottom, float alpha) {
    const float16 share = (float16)(alpha * (1.0f / pixel));
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, int16lanes area) __attribute__((always_inline)) {
        uint16_t *at = plane.values + row * plane.stride + column;
        store(at, rest(load16(at), 1.0f - share * covered(area)));
        plane.drawn[row / INK_BLOCK_HEIGHT] |= (uint64_t)1 << (column / INK_BLOCK_WIDTH);
    });
}

void add_marked(ink_plane plane, ink_deltas deltas, int32_t top, int32_t bottom, float weight) {
    const float16 share = (float16)(weight * (1.0f / pixel));
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, int16lanes area) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        *(float16_unaligned *)at = floats16(at) + share * covered(area);
    });
}

}  // namespace
}  // namespace INK_LEVEL::outline
