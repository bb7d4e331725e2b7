// The union of convex parts that may overlap. It is exact along a row, and sampled at the middles of 64 lines per row,
// sixteen at a time.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::parts {
namespace {

using namespace raster;

constexpr int lanes = INK_PART_LANES;
/// Positions on a line are integers in units of 2^-12 pixels.
constexpr int32_t one = 4096;
/// Weight of a line as a fraction of a row's height, in 1/65,536.
constexpr int32_t weight = 65536 / INK_PART_LINES;

/// Anything further outside the cell is moved to this distance, pixels.
constexpr int32_t margin = 4;
/// Up to this number of parts are joined without checks for cancellation.
constexpr ptrdiff_t asking_min = 1024;
/// How far rounding may move the intersections with lines relative to those with the rows around them.
constexpr int32_t slack = 8;

/// One interval on each of sixteen lines, or in each of sixteen rows; none where `end` < `start`.
struct spans {
    int16lanes start, end;

    INK_INLINE spans none() { return {(int16lanes)INT32_MAX, (int16lanes)INT32_MIN}; }
    INK_METHOD int16lanes are_empty() const { return (int16lanes)(start > end); }
    /// Whether the union with another interval is an interval.
    INK_METHOD int16lanes meet(const spans &other) const {
        return ((int16lanes)(other.start <= end) & (int16lanes)(start <= other.end)) | are_empty() | other.are_empty();
    }
    INK_METHOD int16lanes hold(const spans &other) const {
        return (int16lanes)(start <= other.start) & (int16lanes)(end >= other.end);
    }
    INK_METHOD spans joined(const spans &other) const { return {least(start, other.start), greatest(end, other.end)}; }
    INK_METHOD spans chosen(int16lanes is_chosen, const spans &other) const {
        return {is_chosen ? start : other.start, is_chosen ? end : other.end};
    }
    /// A row's interval, on all of its lines.
    INK_METHOD spans row(int row) const { return {(int16lanes)start[row], (int16lanes)end[row]}; }
    /// Whether each interval covers all of the cell and the margin, the maximum.
    INK_METHOD bool cover_cell(int32_t width) const {
        const int16lanes is_all = (int16lanes)(start <= -margin * one) & (int16lanes)(end >= (width + margin) * one);
        return __builtin_reduce_and(is_all) != 0;
    }
};

/// The outermost intersections with lines or rows, in pixels from a part's origin.
struct chords {
    float16 start, end;

    INK_INLINE chords none() { return {(float16)1e9f, (float16)-1e9f}; }

    INK_METHOD void include(int16lanes is_met, float16 first, float16 last) {
        start = is_met ? least(start, first) : start;
        end = is_met ? greatest(end, last) : end;
    }
    INK_METHOD void include(const ink_part_disc &disc, float16 y) {
        const float16 t = (y - disc.y) * disc.per_radius_y, square = 1.0f - t * t;
        const float16 half = __builtin_elementwise_sqrt(greatest(square, (float16)0.0f)) * disc.radius_x;
        include((int16lanes)(square > 0.0f), disc.x - half, disc.x + half);
    }
    /// Converted to positions from the cell's first column; positions outside the cell are moved to just outside.
    ///
    /// - Parameters: left: the cell's first column from the part's origin, less than 2^18 away; width: its columns.
    INK_METHOD spans fixed(int32_t left, int32_t width) const {
        const float first = (float)(left - margin), last = (float)(left + width + margin);
        const auto place = [&](float16 v) __attribute__((always_inline)) {
            const float16 scaled = least(greatest(v, (float16)first), (float16)last) * (float)one;
            return __builtin_convertvector(scaled, int16lanes) - left * one;
        };
        return spans{place(start), place(end)}.chosen((int16lanes)(start < end), spans::none());
    }
};

/// The parts to join, and the cell.
struct joined_parts {
    const ink_part *parts;
    const ink_part_disc *discs;
    const ink_part_edge *edges;
    int32_t left, width;

    /// Intersections of a part with lines at distance `y` from its origin.
    INK_METHOD spans on_lines(const ink_part &part, float16 y) const {
        chords met = chords::none();
        for (int32_t i = part.first_disc; i < part.first_disc + part.disc_count; i++) met.include(discs[i], y);
        for (int32_t i = part.first_edge; i < part.first_edge + part.edge_count; i++) {
            const ink_part_edge edge = edges[i];
            const float16 x = (y - edge.top) * edge.slope + edge.x;
            met.include((int16lanes)(y >= edge.top) & (int16lanes)(y < edge.bottom), x, x);
        }
        return met.fixed(left - part.origin_x, width);
    }

    /// Intersection of all lines of each row with a part. Parts are convex, so it is the intersection of the first and
    /// the last line.
    INK_METHOD spans inside_rows(const ink_part &part, float16 top) const {
        const spans first = on_lines(part, top), last = on_lines(part, top + 1.0f);
        const spans both{greatest(first.start, last.start), least(first.end, last.end)};
        const int16lanes is_first = (int16lanes)(both.start <= -margin * one);
        const int16lanes is_last = (int16lanes)(both.end >= (width + margin) * one);
        return spans{is_first ? both.start : both.start + slack, is_last ? both.end : both.end - slack}.chosen(
            (int16lanes)(both.end - both.start > 2 * slack) & ~first.are_empty() & ~last.are_empty(), spans::none());
    }

    /// An interval that contains the intersections of all lines of each row with a part.
    INK_METHOD spans round_rows(const ink_part &part, float16 top) const {
        const float16 bottom = top + 1.0f;
        chords met = chords::none();
        for (int32_t i = part.first_disc; i < part.first_disc + part.disc_count; i++) {
            met.include(discs[i], least(greatest((float16)discs[i].y, top), bottom));
        }
        for (int32_t i = part.first_edge; i < part.first_edge + part.edge_count; i++) {
            const ink_part_edge edge = edges[i];
            const float16 from = greatest(top, (float16)edge.top), to = least(bottom, (float16)edge.bottom);
            const float16 a = (from - edge.top) * edge.slope + edge.x, b = (to - edge.top) * edge.slope + edge.x;
            met.include((int16lanes)(from <= to), least(a, b), greatest(a, b));
        }
        const spans all = met.fixed(left - part.origin_x, width);
        const spans more{
            greatest(all.start - slack, (int16lanes)(-margin * one)), least(all.end + slack, (int16lanes)((width + margin) * one))};
        return more.chosen(~all.are_empty(), all);
    }
};

/// Adds `count` times the change of the running sums at a position.
INK_INLINE void add_step(int32_t *row, int32_t column, int32_t share, int32_t whole) {
    row[column] += whole - share;
    row[column + 1] += share;
}

INK_INLINE int32_t share_beyond(int32_t place) { return ((place & (one - 1)) * weight + one / 2) / one; }

INK_INLINE void add_span(int32_t *row, int32_t start, int32_t end) {
    add_step(row, start >> 12, share_beyond(start), weight);
    add_step(row, end >> 12, -share_beyond(end), -weight);
}

/// Adds one side of the intervals of sixteen lines, none of which is empty.
INK_INLINE void add_steps(int32_t *row, int16lanes places, int32_t sign) {
    const int16lanes columns = places >> 12;
    const int32_t first = __builtin_reduce_min(columns);
    if (first == __builtin_reduce_max(columns)) {
        const int16lanes shares = ((places & (one - 1)) * weight + one / 2) >> 12;
        add_step(row, first, sign * __builtin_reduce_add(shares), sign * lanes * weight);
        return;
    }
    alignas(64) int32_t place[lanes];
    *(int16lanes *)place = places;
    for (int i = 0; i < lanes; i++) add_step(row, place[i] >> 12, sign * share_beyond(place[i]), sign * weight);
}

/// Memory for the intervals of sixteen lines: the scratch memory if it is large enough.
struct interval_memory {
    ink_interval *intervals;
    const bool is_own;

    /// - Parameter count: intervals per line.
    interval_memory(const ink_part_scratch &scratch, ptrdiff_t count)
        : intervals(scratch.intervals), is_own(count > scratch.interval_count) {
        if (!is_own) return;
        intervals = (ink_interval *)malloc(sizeof(ink_interval) * lanes * (size_t)count);
        if (intervals == nullptr) abort();
    }
    ~interval_memory() {
        if (is_own) free(intervals);
    }
};

/// Intervals of a line that do not touch the current one, in order of arrival.
struct waiting {
    /// Starts and ends; `capacity` for each of sixteen lines.
    ink_interval *intervals;
    ptrdiff_t capacity;
    int32_t counts[lanes];

    INK_METHOD void put(int line, int32_t start, int32_t end) { intervals[line * capacity + counts[line]++] = {start, end}; }

    /// Adds the union of all intervals of a line.
    INK_METHOD void add(int line, int32_t *row) {
        ink_interval *of = intervals + line * capacity;
        const int32_t count = counts[line];
        // Shell sort with Knuth's gaps.
        int32_t gap = 1;
        while (gap < count / 3) gap = 3 * gap + 1;
        for (; gap > 0; gap /= 3) {
            for (int32_t i = gap; i < count; i++) {
                const ink_interval interval = of[i];
                int32_t at = i;
                for (; at >= gap && of[at - gap].start > interval.start; at -= gap) of[at] = of[at - gap];
                of[at] = interval;
            }
        }
        for (int32_t i = 0; i < count;) {
            int32_t end = of[i].end;
            const int32_t start = of[i].start;
            for (i++; i < count && of[i].start <= end; i++) end = greatest(end, of[i].end);
            add_span(row, start, end);
        }
    }
};

/// What some parts together cover of each row: up to two disjoint intervals.
struct cores {
    spans first, second;

    INK_METHOD void add(const spans &inside) {
        const int16lanes is_first = first.meet(inside);
        first = first.joined(inside).chosen(is_first, first);
        const int16lanes is_second = ~is_first & second.meet(inside);
        second = second.joined(inside).chosen(is_second, second);
    }
    INK_METHOD void join() {
        const int16lanes is_one = first.meet(second);
        first = first.joined(second).chosen(is_one, first);
        second = spans::none().chosen(is_one, second);
    }
    INK_METHOD int16lanes hold(const spans &part) const {
        return first.hold(part) | second.hold(part) | part.are_empty();
    }
};

/// The union of the intersections of parts with sixteen lines, built one part at a time.
struct line_union {
    spans all;
    waiting others;
    bool is_one;

    INK_METHOD void add(const spans &next) {
        const int16lanes meet = all.meet(next);
        if (__builtin_reduce_and(meet) == 0) {
            is_one = false;
            for (int k = 0; k < lanes; k++) {
                if (meet[k] == 0) others.put(k, all.start[k], all.end[k]);
            }
        }
        all = all.joined(next).chosen(meet, next);
    }
    INK_METHOD void take_down(int32_t *row) {
        if (is_one && __builtin_reduce_or(all.are_empty()) == 0) {
            add_steps(row, all.start, 1);
            add_steps(row, all.end, -1);
            return;
        }
        for (int k = 0; k < lanes; k++) {
            if (all.start[k] > all.end[k]) continue;
            others.put(k, all.start[k], all.end[k]);
            others.add(k, row);
        }
    }
};

/// Adds an interval on all lines of a row.
INK_INLINE void add_to_all_lines(int32_t *row, int32_t start, int32_t end) {
    if (start > end) return;
    add_step(row, start >> 12, INK_PART_LINES * share_beyond(start), INK_PART_LINES * weight);
    add_step(row, end >> 12, -INK_PART_LINES * share_beyond(end), -INK_PART_LINES * weight);
}

void add_parts(
    ink_deltas target, int32_t row, int32_t row_count, const ink_part *parts, const ink_part_disc *discs,
    const ink_part_edge *edges, const int32_t *indices, ptrdiff_t count, ink_part_scratch scratch) {
    const joined_parts joined{parts, discs, edges, target.left, target.width};
    const auto rows_from = [&](const ink_part &part) __attribute__((always_inline)) {
        return iota16() + (float)(target.top + row - part.origin_y);
    };
    // Of a hundred discs in a row of pixels, almost all lie within the area that others cover.
    cores held{spans::none(), spans::none()};
    for (ptrdiff_t i = 0; i < count; i++) {
        const ink_part part = parts[indices[i]];
        held.add(joined.inside_rows(part, rows_from(part)));
        if (held.first.cover_cell(target.width)) {
            count = 0;
            break;
        }
    }
    held.join();
    int32_t *near = scratch.indices, *rows_near = scratch.indices + count;
    ptrdiff_t near_count = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        const ink_part part = parts[indices[i]];
        const uint32_t rows = bits_of(~held.hold(joined.round_rows(part, rows_from(part))));
        if (rows == 0) continue;
        near[near_count] = indices[i];
        rows_near[near_count++] = (int32_t)rows;
    }
    // Almost always a few of many, so memory is not reserved for all.
    const interval_memory memory(scratch, near_count + 2);
    const float16 line = (iota16() + 0.5f) * (1.0f / INK_PART_LINES);
    for (int32_t r = 0; r < row_count; r++) {
        int32_t *changes = target.values + (row + r) * target.stride;
        bool is_held = true;
        for (ptrdiff_t i = 0; i < near_count && is_held; i++) is_held = !(rows_near[i] >> r & 1);
        if (is_held) {
            add_to_all_lines(changes, held.first.start[r], held.first.end[r]);
            add_to_all_lines(changes, held.second.start[r], held.second.end[r]);
            continue;
        }
        for (int group = 0; group < INK_PART_LINES / lanes; group++) {
            // A hundred thousand parts may take a second for all rows.
            if (near_count > asking_min && scratch.is_cancelled(scratch.context)) return;
            const float16 lines = line + (float)group * ((float)lanes / INK_PART_LINES);
            line_union met{spans::none(), {memory.intervals, near_count + 2, {}}, true};
            if (held.first.start[r] <= held.first.end[r]) met.add(held.first.row(r));
            if (held.second.start[r] <= held.second.end[r]) met.add(held.second.row(r));
            for (ptrdiff_t i = 0; i < near_count; i++) {
                if (!(rows_near[i] >> r & 1)) continue;
                const ink_part part = parts[near[i]];
                const float16 y = lines + (float)(target.top + row + r - part.origin_y);
                if (y[0] > part.bottom || y[lanes - 1] < part.top) continue;
                met.add(joined.on_lines(part, y));
                if (met.all.cover_cell(target.width)) {
                    // Nothing more can be added, and the waiting intervals lie within.
                    met.is_one = true;
                    break;
                }
            }
            met.take_down(changes);
        }
    }
}

}  // namespace
}  // namespace INK_LEVEL::parts
