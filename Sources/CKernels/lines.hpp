// Stamps of straight lines, drawn line by line and row by row. In a row of pixels a line meets a few neighbours, which
// form a chunk. If no end is near, their coverage depends only on the position of the line's border in the first pixel;
// all stamps of one direction and size share a table of this coverage. Rows are listed before they are drawn, line
// after line, so that several chunks fill a register for any number of rows per line. There are separate lists for rows
// that meet no end, one end, or possibly both.
//
// For crossing lines, the coverage of the first direction is kept in a plane of its own. The lines of the second
// direction consume the part that shares pixels with them; the rest is drawn afterwards.
#pragma once

#include "bars.hpp"

namespace INK_LEVEL::lines {
namespace {

using namespace raster;
using namespace stamps;
using bars::border;
using bars::corner;

// MARK: Chunks

/// A register of chunks, each `width` pixels of a row. Chunks may overlap: rows are written one after the other.
template <int width> struct chunks {
    static constexpr int rows = 32 / width, phase_bits = width == 8 ? 8 : width == 16 ? 7 : 6;
    typedef uint16_t pixels __attribute__((ext_vector_type(width)));

    /// - Parameter at: the position of each row's chunk.
    INK_INLINE ushort32 load(const uint16_t *from, const int32_t *at) {
        ushort32 all;
        for (int row = 0; row < rows; row++) {
            const pixels p = read(from + at[row]);
            __builtin_memcpy((uint16_t *)&all + row * width, &p, sizeof p);
        }
        return all;
    }

    /// Multiplies each row's pixels by `part`.
    INK_INLINE void leave(uint16_t *of, const int32_t *at, ushort32 part) {
        for (int row = 0; row < rows; row++) write(of + at[row], left(read(of + at[row]), row_of(part, row)));
    }

    /// Broadcasts each row's value, which is repeated in both halves of 32 bits, to all lanes of its chunk.
    INK_INLINE ushort32 spread(const int32_t *v) {
        typedef int32_t words __attribute__((ext_vector_type(width / 2)));
        ushort32 all;
        for (int row = 0; row < rows; row++) {
            const words w = v[row];
            __builtin_memcpy((uint16_t *)&all + row * width, &w, sizeof w);
        }
        return all;
    }

    /// `keep` adds to the values kept aside for each row's pixels; `drop` clears all but a mask of them.
    INK_INLINE void keep(uint16_t *in, const int32_t *at, ushort32 part) {
        for (int row = 0; row < rows; row++) write(in + at[row], read(in + at[row]) | row_of(part, row));
    }
    INK_INLINE void drop(uint16_t *in, const int32_t *at, ushort32 all_but) {
        for (int row = 0; row < rows; row++) write(in + at[row], read(in + at[row]) & row_of(all_but, row));
    }

    /// Multiplies a row's pixels by what the values kept aside leave, and clears those values.
    INK_INLINE void leave_kept(uint16_t *of, uint16_t *in, int32_t at, ushort32 alpha) {
        write(of + at, left(read(of + at), ~product(read(in + at), row_of(alpha, 0))));
        write(in + at, (pixels)(uint16_t)0);
    }

private:
    INK_INLINE pixels read(const uint16_t *p) {
        pixels v;
        __builtin_memcpy(&v, p, sizeof v);
        return v;
    }
    INK_INLINE void write(uint16_t *p, pixels v) { __builtin_memcpy(p, &v, sizeof v); }
    INK_INLINE pixels row_of(ushort32 all, int row) { return read((const uint16_t *)&all + row * width); }
    INK_INLINE pixels left(pixels of, pixels part) { return product(of, part) + (pixels)(uint16_t)1; }
};

// MARK: Lines

/// Positions along rows and columns are integers in units of 2^-20 pixels.
constexpr int position_bits = 20;
constexpr int32_t position_one = 1 << position_bits;

INK_INLINE int32_t position(double a) { return (int32_t)floor_of(a * position_one + 0.5); }

/// Number of fraction bits of distances from an end, chosen so that the distances in a chunk fit 16 bits.
template <int width> constexpr int end_bits = width == 8 ? 11 : width == 16 ? 10 : 9;

/// Positions of the lines of one direction, relative to the stamp's origin, a whole pixel.
struct line_places {
    // The same for all stamps.
    ink_normal across, along;
    double inverse, by_row, slant, shadow_across, shadow_along;
    int32_t x_by_row, count;
    /// Increments of the distance along the lines, in 2^-19 pixels.
    int32_t t_by_row, t_by_column;
    /// Reach in both directions. It includes a margin, because the phases of the table, and therefore its last pixels,
    /// are slightly off.
    double reach_x, reach_y;
    double half_width, period, half_length;
    /// Offset of a line's first pixel from one line to the next; offset of its middle row.
    int32_t x_by_line, y_by_line;
    /// From a line's middle row: to its last row, and to the last row that meets no end (negative if all rows meet
    /// one).
    int32_t all_rows, middle_rows;
    int32_t end;
    /// Distance from a line's middle to its first border along a row, pixels.
    double first;

    // For the current stamp.
    int32_t x, y, t;

    INK_INLINE line_places of(const ink_bars &bars) {
        line_places p;
        p.half_width = bars.half_width;
        p.period = bars.period;
        p.half_length = bars.half_length;
        p.count = bars.count;
        p.shadow_across = shadow(bars.across);
        p.shadow_along = shadow(bars.along);
        const double side = (bars.count / 2) * bars.period + bars.half_width + p.shadow_across;
        const stamp_borders borders =
            stamp_borders::of(bars.across, bars.along, side, bars.half_length + p.shadow_along);
        p.reach_x = borders.reach_x + 1;
        p.reach_y = borders.reach_y + 1;
        // Pointing along rows and downwards.
        p.across = facing(bars.across, bars.across.x);
        p.inverse = 1 / p.across.x;
        const double by_row = bars.along.y - bars.along.x * p.across.y * p.inverse;
        p.along = facing(bars.along, by_row);
        p.by_row = 1 / magnitude(by_row);
        p.slant = p.along.x * p.inverse;
        p.x_by_row = position(-p.across.y * p.inverse);
        p.t_by_row = distance(p.along.y);
        p.t_by_column = distance(p.along.x);
        p.x = p.y = p.t = 0;
        const double width = p.half_width + p.shadow_across;
        const double meets = p.shadow_along + magnitude(p.slant) * width + 1.0 / 256;
        p.x_by_line = position(p.period * p.inverse);
        p.y_by_line = position(-p.period * p.slant * p.by_row);
        p.all_rows = position((p.half_length + meets) * p.by_row);
        p.middle_rows = position((p.half_length - meets) * p.by_row);
        p.end = distance(p.half_length);
        p.first = -width * p.inverse;
        return p;
    }

    /// - Parameters: to_x, to_y: centre of the stamp's first pixel relative to the stamp's centre.
    INK_METHOD void place(double to_x, double to_y) {
        x = position(first - across.y * inverse * to_y - to_x);
        y = position(-to_y);
        t = distance(along.x * to_x + along.y * to_y);
    }

    /// The last line, counted from the middle one, that the ends of the other direction's lines may reach.
    INK_METHOD int last_crossed(const line_places &others) const {
        const double lines = (others.half_length + half_width + 2 * shadow_across) / period;
        return lines < count / 2 ? (int)lines : count / 2;
    }

private:
    INK_INLINE ink_normal facing(ink_normal n, double by) { return by < 0 ? ink_normal{-n.x, -n.y} : n; }
    INK_INLINE int32_t distance(double a) { return (int32_t)floor_of(a * (1 << 19) + 0.5); }
};

/// Rows of lines that are drawn in the same way.
struct row_list {
    /// Number of rows, plus as many as are written together beyond them.
    static constexpr int size = INK_LINE_ROWS_MAX + lanes;
    int32_t count;
    /// Position of each row's chunk in the plane and in the table.
    alignas(64) int32_t target[size], entry[size];
    /// For rows that meet ends: how far their first pixel is inside each end, repeated in both halves of 32 bits.
    alignas(64) int32_t upper[size], lower[size];
};

/// The rows of a stamp's lines: those that meet no end, only the upper or the lower end, and those that may meet both.
struct listed_rows {
    row_list middle, upper, lower, both;
};

/// The cell relative to the stamp.
struct stamp_cell {
    int32_t stride, start, width, first_row, end_row;
};

template <int width> struct lister {
    const line_places &p;
    const stamp_cell &cell;
    int16lanes x_of_rows, target_of_rows, t_of_rows;
    /// Target for rows outside the cell, where coverage is 0.
    int32_t aside;
    static constexpr int32_t nothing = width << chunks<width>::phase_bits;

    INK_METHOD lister(const line_places &p, const stamp_cell &cell) : p(p), cell(cell) {
        const int16lanes numbers = __builtin_convertvector(iota16(), int16lanes);
        x_of_rows = numbers * p.x_by_row;
        target_of_rows = numbers * cell.stride;
        t_of_rows = numbers * p.t_by_row;
        aside = cell.first_row * cell.stride + cell.start - INK_PLANE_MARGIN;
    }

    /// Lists the rows within the cell of the lines up to `inner` from the middle one, or of the lines further away.
    INK_METHOD void list(listed_rows &rows, int inner, bool is_outer) const {
        rows.middle.count = rows.upper.count = rows.lower.count = rows.both.count = 0;
        const int8lanes numbers = int8lanes{0, 1, 2, 3, 4, 5, 6, 7} - p.count / 2;
        const int8lanes middles = p.y + numbers * p.y_by_line;
        constexpr int most = INK_LINE_COUNT_MAX;
        alignas(32) int32_t x[most], first[most], top[most], bottom[most], end[most];
        const auto clipped = [](int8lanes v, int8lanes low, int8lanes high) __attribute__((always_inline)) {
            return least(greatest(v, low), high);
        };
        const int8lanes start = clipped(above(middles - p.all_rows), cell.first_row, cell.end_row);
        const int8lanes stop = clipped(beyond(middles + p.all_rows), cell.first_row, cell.end_row);
        const int8lanes inside = clipped(above(middles - p.middle_rows), start, stop);
        const int8lanes outside = clipped(beyond(middles + p.middle_rows), start, stop);
        *(int8lanes *)x = p.x + numbers * p.x_by_line;
        *(int8lanes *)first = start;
        *(int8lanes *)top = least(inside, outside);
        *(int8lanes *)bottom = greatest(inside, outside);
        *(int8lanes *)end = stop;
        for (int line = 0; line < p.count; line++) {
            const int from_middle = line < p.count / 2 ? p.count / 2 - line : line - p.count / 2;
            if ((from_middle > inner) != is_outer) continue;
            append<true, false>(rows.upper, x[line], first[line], top[line]);
            if (p.middle_rows >= 0) append<false, false>(rows.middle, x[line], top[line], bottom[line]);
            else append<true, true>(rows.both, x[line], top[line], bottom[line]);
            append<false, true>(rows.lower, x[line], bottom[line], end[line]);
        }
        finish(rows.middle);
        finish(rows.upper);
        finish(rows.lower);
        finish(rows.both);
    }

private:
    /// First rows at or below a position.
    INK_INLINE int8lanes above(int8lanes v) { return (v + (position_one - 1)) >> position_bits; }
    INK_INLINE int8lanes beyond(int8lanes v) { return (v >> position_bits) + 1; }

    INK_INLINE void store16(int32_t *p, int16lanes v) { *(int16lanes_unaligned *)p = v; }

    /// Lists a line's rows from `first` up to `end`. `x` is the position of its border in the stamp's first row.
    template <bool has_upper, bool has_lower>
    INK_METHOD void append(row_list &list, int32_t x, int32_t first, int32_t end_row) const {
        constexpr int bits = chunks<width>::phase_bits;
        for (int32_t row = first; row < end_row; row += lanes) {
            const int16lanes at = (int32_t)((uint32_t)x + (uint32_t)row * (uint32_t)p.x_by_row) + x_of_rows;
            const int16lanes column = (at + (position_one - 1)) >> position_bits, before = -at & (position_one - 1);
            const int16lanes is_seen =
                (int16lanes)(column > cell.start - width) & (int16lanes)(column < cell.start + cell.width);
            const int16lanes entry = (before >> (position_bits - bits)) * width;
            store16(list.target + list.count, is_seen ? row * cell.stride + target_of_rows + column : (int16lanes)aside);
            store16(list.entry + list.count, is_seen ? entry : (int16lanes)nothing);
            const int16lanes t = p.t + row * p.t_by_row + t_of_rows + column * p.t_by_column;
            if (has_upper) store16(list.upper + list.count, inside_end(p.end + t));
            if (has_lower) store16(list.lower + list.count, inside_end(p.end - t));
            list.count += end_row - row < lanes ? end_row - row : lanes;
        }
    }

    INK_INLINE int16lanes inside_end(int16lanes t) {
        t = (t + (1 << (18 - end_bits<width>))) >> (19 - end_bits<width>);
        return twice(least(greatest(t, (int16lanes)-32768), (int16lanes)32767));
    }

    INK_INLINE int16lanes twice(int16lanes v) { return (v << 16) | (v & 0xFFFF); }

    /// Fills up the last register.
    INK_METHOD void finish(row_list &list) const {
        store16(list.target + list.count, (int16lanes)aside);
        store16(list.entry + list.count, (int16lanes)nothing);
        store16(list.upper + list.count, (int16lanes)0);
        store16(list.lower + list.count, (int16lanes)0);
    }
};

/// Shared by all drawing functions, because it is long.
template <int width>
__attribute__((noinline)) void list(
    listed_rows &rows, const line_places &p, const stamp_cell &cell, int inner, bool is_outer) {
    lister<width>(p, cell).list(rows, inner, is_outer);
}

// MARK: Coverage

/// Computes the coverage of a chunk by a line, for each position of its border before the first pixel.
template <int width> INK_INLINE void line_table(uint16_t *table, const ink_bars &bars) {
    constexpr int phases = 1 << chunks<width>::phase_bits;
    const double step = magnitude(bars.across.x), first = -bars.half_width - shadow(bars.across);
    // Pixels are up to a chunk's width from the line's middle; this distance has to fit 16 bits.
    int bits = 12;
    while (greatest(-first, first + step * (width + 1)) * (1 << bits) > 32767) bits--;
    const border edge = border::of(bars.across, bits);
    const int16_t half_width = (int16_t)(bars.half_width * (1 << bits) + 0.5);
    const float unit = (float)(1 << bits), by_column = (float)step * unit;
    const float16 number = iota16(), half = width == 8 ? (float16)(number >= 8.0f ? (float16)8.0f : (float16)0.0f) : (float16)0.0f;
    // Two phases of eight pixels at a time, or one phase of sixteen, or half of one.
    const float16 pixels = (number - half) * by_column, later = half * (by_column / phases / 8);
    for (int phase = 0; phase < phases; phase += width == 8 ? 2 : 1) {
        for (int lane = 0; lane < width; lane += lanes) {
            const float16 t = pixels + later + (float)(first + step * (lane + (phase + 0.5) / phases)) * unit;
            const short16 whole = __builtin_convertvector(t, short16);
            store(
                table + phase * width + lane,
                (edge.strip<ushort16>(whole, half_width) & (uint16_t)0xFFFE) | ((ushort16)-whole >> (uint16_t)15));
        }
    }
    for (int lane = 0; lane < width; lane++) table[phases * width + lane] = 0;
}

void line_table(uint16_t *table, const ink_bars *bars, int32_t width) {
    if (width == 8) line_table<8>(table, *bars);
    else if (width == 16) line_table<16>(table, *bars);
    else line_table<32>(table, *bars);
}

/// The lines of one direction for a group of stamps. The lowest bit of a coverage tells whether coverage decreases
/// further along the normal across the lines.
struct direction {
    line_places places;
    border end;
    corner at_end;
    const uint16_t *table;
    int width;
    /// Distance of each lane from its chunk's first pixel, along the lines.
    alignas(64) int16_t end_steps[32];

    INK_METHOD void prepare(const ink_bars &bars, const ink_line_table &from) {
        places = line_places::of(bars);
        table = from.values;
        width = from.width;
        const int bits = width == 8 ? end_bits<8> : width == 16 ? end_bits<16> : end_bits<32>;
        end = border::of(places.along, bits);
        at_end = corner::of(places.across, places.along);
        for (int i = 0; i < 32; i++)
            end_steps[i] = (int16_t)floor_of((i & (width - 1)) * places.along.x * (1 << bits) + 0.5);
    }
};

/// Coverage by lines of a register of chunks.
template <int width> struct line_cover {
    // Copies, which stay in registers whatever is written in the meantime.
    const uint16_t *const table;
    const short32 end_steps;
    const border end;
    const corner at_end;

    INK_METHOD line_cover(const direction &lines)
        : table(lines.table), end_steps(*(const short32 *)lines.end_steps), end(lines.end), at_end(lines.at_end) {}

    INK_METHOD ushort32 middle(const row_list &list, int i) const {
        return chunks<width>::load(table, list.entry + i);
    }

    template <bool has_upper, bool has_lower> INK_METHOD ushort32 ended(const row_list &list, int i) const {
        const ushort32 within = middle(list, i);
        ushort32 before;
        short32 slope = (short32)(int16_t)0;
        if (has_upper) before = end.coverage<ushort32>(sum((short32)chunks<width>::spread(list.upper + i), end_steps));
        if (has_lower) {
            const ushort32 lower = end.coverage<ushort32>(sum((short32)chunks<width>::spread(list.lower + i), -end_steps));
            slope = has_upper ? (short32)(lower < before) : (short32)(int16_t)-1;
            before = has_upper ? __builtin_elementwise_min(before, lower) : lower;
        }
        const ushort32 part = at_end.covered(within, (short32)(within << (uint16_t)15), before, slope);
        return (part & (uint16_t)0xFFFE) | (within & (uint16_t)1);
    }

    /// Calls `draw` with each list of rows and a function that returns the coverage of a register of its chunks.
    template <typename Draw> INK_METHOD void for_each_list(const listed_rows &rows, const Draw &draw) const {
        draw(rows.middle, [&](int i) __attribute__((always_inline)) { return middle(rows.middle, i); });
        draw(rows.upper, [&](int i) __attribute__((always_inline)) { return ended<true, false>(rows.upper, i); });
        draw(rows.lower, [&](int i) __attribute__((always_inline)) { return ended<false, true>(rows.lower, i); });
        if (rows.both.count == 0) return;
        draw(rows.both, [&](int i) __attribute__((always_inline)) { return ended<true, true>(rows.both, i); });
    }

private:
    INK_INLINE short32 sum(short32 a, short32 b) { return __builtin_elementwise_add_sat(a, b); }
};

// MARK: Stamps

/// A stamp in a cell: its origin there, and in the plane for values kept aside.
struct line_stamp {
    stamp_cell cell;
    uint16_t *origin, *aside;
    uint16_t alpha;
    /// The last line, counted from the middle one, that may cross others.
    int inner;
};

/// Draws lines that do not cross others: those outside the inner ones, or all.
template <int width>
INK_CALLED void draw(const direction &lines, listed_rows &rows, const line_stamp &stamp) {
    list<width>(rows, lines.places, stamp.cell, stamp.inner, true);
    const ushort32 alpha = (ushort32)stamp.alpha;
    const line_cover<width> cover(lines);
    cover.for_each_list(rows, [&](const row_list &list, const auto &covered) __attribute__((always_inline)) {
        for (int i = 0; i < list.count; i += chunks<width>::rows)
            chunks<width>::leave(stamp.origin, list.target + i, ~product(covered(i), alpha));
    });
}

/// Keeps the coverage by the inner lines aside.
template <int width>
INK_CALLED void keep(const direction &lines, listed_rows &rows, const line_stamp &stamp) {
    list<width>(rows, lines.places, stamp.cell, stamp.inner, false);
    const line_cover<width> cover(lines);
    cover.for_each_list(rows, [&](const row_list &list, const auto &covered) __attribute__((always_inline)) {
        for (int i = 0; i < list.count; i += chunks<width>::rows)
            chunks<width>::keep(stamp.aside, list.target + i, covered(i));
    });
}

/// Draws the inner lines together with the values kept aside for their pixels, and removes those values.
template <int width>
INK_CALLED void cross(
    const direction &lines, listed_rows &rows, const line_stamp &stamp, const corner &crossing) {
    list<width>(rows, lines.places, stamp.cell, stamp.inner, false);
    const ushort32 alpha = (ushort32)stamp.alpha;
    const line_cover<width> cover(lines);
    cover.for_each_list(rows, [&](const row_list &list, const auto &covered) __attribute__((always_inline)) {
        for (int i = 0; i < list.count; i += chunks<width>::rows) {
            const ushort32 other = covered(i), kept = chunks<width>::load(stamp.aside, list.target + i);
            // Chunks contain pixels of other lines too, which are left for those lines.
            const ushort32 here = (ushort32)(other > (ushort32)(uint16_t)1), one = kept & here;
            const ushort32 both = crossing.covered(
                one, (short32)(kept << (uint16_t)15), other, (short32)(other << (uint16_t)15));
            const ushort32 united =
                __builtin_elementwise_add_sat(one, __builtin_elementwise_sub_sat(other, both));
            chunks<width>::leave(stamp.origin, list.target + i, ~product(united, alpha));
            chunks<width>::drop(stamp.aside, list.target + i, ~here);
        }
    });
}

/// Draws the remaining values kept aside.
template <int width> INK_CALLED void draw_kept(const listed_rows &rows, const line_stamp &stamp) {
    const ushort32 alpha = (ushort32)stamp.alpha;
    const row_list *const lists[] = {&rows.middle, &rows.upper, &rows.lower, &rows.both};
    for (const row_list *list : lists)
        for (int i = 0; i < (list->count + chunks<width>::rows - 1) / chunks<width>::rows * chunks<width>::rows; i++)
            chunks<width>::leave_kept(stamp.origin, stamp.aside, list->target[i], alpha);
}

/// Draws all lines of a stamp.
template <int width, int other_width>
INK_INLINE void draw_crossing(
    const direction &lines, const direction &others, listed_rows &rows, listed_rows &other_rows, const line_stamp &stamp,
    const corner &crossing) {
    keep<width>(lines, rows, stamp);
    cross<other_width>(others, other_rows, stamp, crossing);
    draw_kept<width>(rows, stamp);
    if (stamp.inner == lines.places.count / 2) return;
    draw<width>(lines, rows, stamp);
    draw<other_width>(others, other_rows, stamp);
}

/// A chunk width as a type.
template <int value> struct chunk_width {
    static constexpr int width = value;
};

template <typename Body> INK_INLINE void by_width(const direction &lines, const Body &body) {
    if (lines.width == 8) body(chunk_width<8>());
    else if (lines.width == 16) body(chunk_width<16>());
    else body(chunk_width<32>());
}

/// Calls `draw` with each stamp that may meet the plane.
template <typename Draw>
INK_INLINE void for_each_line_stamp(
    ink_kept plane, uint16_t *aside, direction (&lines)[2], int32_t directions, const ink_place *places, ptrdiff_t count,
    const Draw &draw) {
    const line_places &first = lines[0].places, &second = lines[directions - 1].places;
    const int inner = directions == 1 ? -1 : greatest(first.last_crossed(second), second.last_crossed(first));
    for_each_stamp(
        plane, greatest(first.reach_x, second.reach_x), greatest(first.reach_y, second.reach_y), places, count,
        [&](const seen_stamp &stamp) __attribute__((always_inline)) {
            if (stamp.first_row >= stamp.end_row) return;
            for (int d = 0; d < directions; d++) lines[d].places.place(stamp.x, stamp.y);
            draw(line_stamp{
                {(int32_t)plane.stride, stamp.start, plane.width, stamp.first_row, stamp.end_row}, stamp.origin,
                directions == 1 ? nullptr : aside + (stamp.origin - plane.values), stamp.alpha[0], inner});
        });
}

void multiply_lines(
    ink_kept plane, uint16_t *aside, const ink_bars *bars, const ink_line_table *tables, int32_t directions,
    const ink_place *places, ptrdiff_t count) {
    direction lines[2];
    for (int d = 0; d < directions; d++) lines[d].prepare(bars[d], tables[d]);
    listed_rows rows, other_rows;
    const auto for_each = [&](const auto &draw) __attribute__((always_inline)) {
        for_each_line_stamp(plane, aside, lines, directions, places, count, draw);
    };
    const direction &first = lines[0], &second = lines[1];
    by_width(first, [&](auto w) __attribute__((always_inline)) {
        if (directions == 1) {
            for_each([&](const line_stamp &stamp) __attribute__((always_inline)) { draw<w.width>(first, rows, stamp); });
            return;
        }
        const corner crossing = corner::of(first.places.across, second.places.across);
        by_width(second, [&](auto v) __attribute__((always_inline)) {
            for_each([&](const line_stamp &stamp) __attribute__((always_inline)) {
                draw_crossing<w.width, v.width>(first, second, rows, other_rows, stamp, crossing);
            });
        });
    });
}

}  // namespace
}  // namespace INK_LEVEL::lines
