// Stamps of bars, drawn sixteen rows of a stamp together, sixteen pixels of a row at a time. Two numbers determine the
// coverage of sixteen neighbouring pixels: the phase of the first pixel between two bars gives the coverage by the
// bars' sides, and its distance from the ends gives the coverage by the ends. The product of the two is the coverage,
// except where a side and an end meet in the same pixel; that corner gets a correction. Crossing bars consist of three
// such corners. Where a pixel may meet both sides of a bar and an end, each side has a corner of its own.
#pragma once

#include "stamps.hpp"

namespace INK_LEVEL::bars {
namespace {

using namespace raster;

using namespace stamps;

/// Coverage of pixels by a half-plane, as a function of the distance to its border: the integral of the pixel's
/// projection onto the normal, which is a trapezoid. Distances are 16-bit integers in parts of a pixel. Works on any
/// number of lanes.
struct border {
    uint16_t reach, flat, factor;
    int shift, bits;
    /// The coverage at the border that the parabola on the outer side gives, so that the two ends are exactly 0 and 1.
    uint16_t from_nothing;

    INK_INLINE border of(ink_normal n, int bits) {
        const double minor = least(magnitude(n.x), magnitude(n.y)), unit = 1 << bits;
        border e;
        e.bits = bits;
        e.reach = (uint16_t)((1 + minor) / 2 * unit + 0.5);
        e.flat = (uint16_t)((1 - minor) / 2 * unit + 0.5);
        // A parabola whose numbers use all 16 bits.
        int top = e.reach - e.flat;
        if (top > 0 && (top & (top - 1)) == 0) {
            e.reach--;
            top--;
        }
        e.shift = top == 0 ? 15 : __builtin_clz((uint32_t)top) - 16;
        const double scaled_unit = unit * (1 << e.shift);
        // Beyond the flat part the area is (pixels)^2 / (2 minor), in 1/65,536; each of two products keeps the upper 16
        // bits.
        e.factor = (uint16_t)least(0x1p47 / (minor * scaled_unit * scaled_unit), 65535.0);
        e.from_nothing = e.beyond_half((ushort32)e.reach)[0];
        return e;
    }

    /// - Parameter t: distance of the border beyond the pixels' centres.
    template <typename U, typename S> INK_METHOD U coverage(S t) const {
        const S sign = t >> 15;
        const U a = __builtin_elementwise_min((U)((t ^ sign) - sign), (U)reach);
        // On the inner side, the complement of this.
        return __builtin_elementwise_sub_sat((U)from_nothing, beyond_half(a)) ^ (U)~sign;
    }

    /// Coverage by the strip of this half width whose centre line is at distance `t`.
    template <typename U, typename S> INK_METHOD U strip(S t, int16_t half_width) const {
        const S sign = t >> 15, away = (t ^ sign) - sign, half = (S)(U)(uint16_t)half_width;
        const U nearer = coverage<U>(half - away);
        if (half_width >= reach) return nearer;
        return __builtin_elementwise_sub_sat(nearer, (U)~coverage<U>((S)__builtin_elementwise_add_sat(half, away)));
    }

private:
    template <typename U> INK_METHOD U beyond_half(U a) const {
        const U q = __builtin_elementwise_sub_sat(a, (U)flat) << (uint16_t)shift;
        return (a << (uint16_t)(16 - bits)) - product(product(q, q), (U)factor);
    }
};

/// Coverage of sixteen pixels by a shape, and the sign of its slope along the normal of measurement: no sign bit where
/// coverage increases along the normal, or where it makes no difference.
struct share {
    ushort16 covered;
    short16 slope;

    INK_METHOD ushort16 part() const { return covered; }
    INK_METHOD share within(ushort16 mask) const { return {covered & mask, slope}; }
};

/// The region behind the first and before the second of two borders that face each other, both measured along one
/// normal.
struct slab {
    ushort16 first, second;

    INK_METHOD ushort16 part() const { return __builtin_elementwise_sub_sat(first, (ushort16)~second); }
    INK_METHOD slab within(ushort16 mask) const { return {first & mask, second & mask}; }
};

// MARK: Corners

/// Corrects the product of two borders' coverage in a pixel where they cross. The product is off by up to 0.025 of the
/// pixel, depending on the directions, because it assumes that the pixel's projections onto the two normals are
/// independent. For a pixel seen as a diamond (45 degrees), the difference is odd in both distances; at 22.5 degrees,
/// half of it is antisymmetric. Two terms in the coverages, fitted to the exact areas at all angles, reduce the error
/// to 0.007.
struct corner {
    /// Coefficients: of the odd term in 1/2,048, and of the antisymmetric term in 1/4,096.
    int16_t odd, even;

    INK_INLINE corner of(ink_normal u, ink_normal v) {
        const double area = 1 / (u.x * u.x + u.y * u.y);
        const double sine = 2 * u.x * u.y * area, cosine = (u.x * u.x - u.y * u.y) * area;
        const double side = u.x * v.y - u.y * v.x < 0 ? -1 : 1;
        const double odd = -9.92 * sine * sine * (1 + 0.14 * cosine * cosine), even = -11 * sine * cosine * side;
        return {(int16_t)(odd * 2048), (int16_t)(even * 4096)};
    }

    INK_METHOD ushort16 covered(share u, share v) const {
        return plus(product(u.part(), v.part()), more(u.part(), u.slope, v.part(), v.slope, all(odd), all(even)));
    }

    /// The same for 32 pixels.
    INK_METHOD ushort32 covered(ushort32 u, short32 u_slope, ushort32 v, short32 v_slope) const {
        return plus(
            product(u, v), more(u, u_slope, v, v_slope, joined(all(odd), all(odd)), joined(all(even), all(even))));
    }

    /// Coverage by the intersection of a slab and a border; the slab may be thinner or thicker than a pixel.
    INK_METHOD ushort16 covered(const slab &u, share v) const {
        return plus(product(u.part(), v.covered), by_either(u, v.covered, v.slope));
    }

    /// The same for two slabs.
    INK_METHOD ushort16 covered(const slab &u, const slab &v) const {
        const ushort16 us = u.part(), vs = v.part();
        const short16 by_first = by_either(u, v.first, all(0)), by_second = by_either(u, v.second, all(-1));
        // In an empty slab the borders do not meet.
        const short16 is_something = (short16)(us != 0) & (short16)(vs != 0);
        return plus(product(us, vs), (by_first + by_second) & is_something);
    }

private:
    static constexpr uint16_t half = 0x8000;

    INK_INLINE short16 all(int16_t v) { return (short16)(ushort16)(uint16_t)v; }

    INK_INLINE ushort32 pair(ushort16 a, ushort16 b) { return (ushort32)joined((short16)a, (short16)b); }

    /// By how much the coverage of a border with both borders of a slab exceeds the products.
    INK_METHOD short16 by_either(const slab &u, ushort16 v, short16 v_slope) const {
        const short32 each = more(
            pair(u.first, u.second), joined(all(0), all(-1)), pair(v, v), joined(v_slope, v_slope),
            joined(all(odd), all(odd)), joined(all(even), all(even)));
        return each.lo + each.hi;
    }

    /// By how much the coverage of two borders exceeds the product.
    template <typename U, typename S> INK_INLINE S more(U u, S u_slope, U v, S v_slope, S odd, S even) {
        const U a = product(u, (U)~u), b = product(v, (U)~v);
        const S both = rounded_product((S)(a + a), (S)b);
        const S halves = rounded_product((S)(u ^ half), (S)(v ^ half));
        const S apart = (S)(a - b) ^ ((u_slope ^ v_slope) >> 15);
        return rounded_product(both, rounded_product(halves, odd) + rounded_product(apart, even));
    }

    /// The sum, at least 0: where both coverages are almost 0 the borders do not meet.
    template <typename U, typename S> INK_INLINE U plus(U independent, S more) {
        return (U)__builtin_elementwise_add_sat((S)(independent ^ half), more) ^ half;
    }
};

// MARK: Sides and ends

/// Coverage of sixteen neighbouring pixels of a row by the bars, without regard to their ends.
struct bar_sides {
    border edge;
    /// Offset of each pixel from the first, in 2^-16 periods; wraps round as phases do.
    ushort16 offsets;
    /// Parts of a pixel; half a period.
    int16_t half_period, half_width;

    INK_INLINE bar_sides of(const ink_bars &bars) {
        int bits = 12;
        while (bits > 0 && bars.period * (1 << bits) > 65534) bits--;
        const uint32_t by_column = (uint32_t)fixed(bars.across.x / bars.period);
        const uint16lanes numbers = __builtin_convertvector(iota16(), uint16lanes);
        const ushort16 offsets = __builtin_convertvector(numbers * by_column >> 16, ushort16);
        return {
            border::of(bars.across, bits), offsets, (int16_t)(bars.period * (1 << bits) / 2 + 0.5),
            (int16_t)(bars.half_width * (1 << bits) + 0.5)};
    }

    /// - Parameter phase: of the first pixel, from the middle of a bar, in 2^-16 periods.
    INK_METHOD share covered(int32_t phase) const {
        const short16 t = from_middle(phase);
        // Never 0: 0 would have no sign to change.
        return {edge.strip<ushort16>(t, half_width), ((short16)-t >> 15) | (short16)(ushort16)(uint16_t)1};
    }

    /// The region between the borders of the nearest bar.
    INK_METHOD slab borders(int32_t phase) const {
        const short16 t = from_middle(phase), half = (short16)(ushort16)(uint16_t)half_width;
        return {
            edge.coverage<ushort16>((short16)__builtin_elementwise_add_sat(half, t)),
            edge.coverage<ushort16>((short16)__builtin_elementwise_sub_sat(half, t))};
    }

private:
    /// Distance from the middle of the nearest bar.
    INK_METHOD short16 from_middle(int32_t phase) const {
        return rounded_product(
            (short16)((ushort16)(uint16_t)phase + offsets), (short16)(ushort16)(uint16_t)half_period);
    }
};

/// Distances along bars are integers in units of 2^-19 pixels.
constexpr int distance_bits = 19;
INK_INLINE int32_t distance_of(double a) { return (int32_t)floor_of(a * (1 << distance_bits) + 0.5); }

/// The region between both ends of the bars, for sixteen neighbouring pixels of a row.
struct bar_ends {
    /// Precision of distances that fit 16 bits for all sixteen pixels.
    static constexpr int bits = 10;
    border edge;
    /// Offset of each pixel from the first, in parts of a pixel.
    short16 offsets;
    int32_t half_length;
    /// Distances of the first pixel behind one end and before the other at which all sixteen pixels are between the
    /// ends.
    int32_t behind_all, before_all;

    INK_INLINE bar_ends of(ink_normal along, double half_length) {
        const float16 offsets = iota16() * (float)(along.x * (1 << bits));
        const int32_t last = (int32_t)((lanes - 1) * along.x * (1 << bits));
        const border edge = border::of(along, bits);
        return {
            edge, __builtin_convertvector(offsets, short16), distance_of(half_length), edge.reach + 1 - least(last, 0),
            edge.reach + 1 + greatest(last, 0)};
    }

    /// How far pixels at these distances from the middle are behind one end. With negated distances: before the other
    /// end.
    INK_METHOD int16lanes inside(int16lanes distances) const {
        const int16lanes parts = (half_length + distances) >> (distance_bits - bits);
        return least(greatest(parts, (int16lanes)-32768), (int16lanes)32767);
    }

    /// Assumes that no pixel meets both ends.
    /// - Parameters: behind, before: how far the first pixel is inside.
    INK_METHOD share covered(int32_t behind, int32_t before) const {
        const short16 first = __builtin_elementwise_add_sat((short16)(ushort16)(uint16_t)behind, offsets);
        const short16 second = __builtin_elementwise_sub_sat((short16)(ushort16)(uint16_t)before, offsets);
        return {edge.coverage<ushort16>((short16)__builtin_elementwise_min(first, second)), (short16)(second < first)};
    }
};

// MARK: Crossings

/// Properties of crossing bars. The sides of one direction and the ends of the other are parallel and may meet the same
/// pixel. Their coverage is then not independent and must not be multiplied.
struct bar_crossing {
    /// Whether they do so by enough that the product would be off by more than 0.006.
    bool is_close;
    /// All bits set where the other direction's sides are measured against the direction of these ends.
    int16_t turned;
    /// Coverage by the ends of a pixel in the middle of the surrounding bar of the other direction, or of the
    /// surrounding gap between two bars. `gap` has all bits set for a gap.
    uint16_t middle, gap;

    INK_INLINE bar_crossing of(const ink_bars &bars, const ink_bars &others) {
        const double last = others.count / 2;
        const double index = least((double)floor_of(bars.half_length / others.period + 0.5), last);
        const double from_bar = bars.half_length - index * others.period;
        const double clear = magnitude(magnitude(from_bar) - others.half_width);
        const bool is_gap = magnitude(from_bar) > others.half_width;
        const double half_way = from_bar < 0 ? -others.period / 2 : others.period / 2;
        const double from_middle = is_gap ? from_bar - half_way : from_bar;
        const double clipped = least(greatest(from_middle, -1.5), 1.5);
        // The gap behind the last bar has no end.
        const bool is_behind = is_gap && from_bar > 0 && index == last;
        const border edge = border::of(bars.along, 14);
        return {
            clear < 1.7 * shadow(bars.along),
            (int16_t)(bars.along.x * others.across.x + bars.along.y * others.across.y < 0 ? -1 : 0),
            is_behind ? (uint16_t)0 : edge.coverage<ushort16>((short16)(ushort16)(uint16_t)(int16_t)(clipped * (1 << 14)))[0],
            is_gap ? (uint16_t)65535 : (uint16_t)0};
    }

    /// The region within the other direction's sides, measured along the ends' normal.
    INK_METHOD share turned_side(share s) const { return {s.covered, (s.slope ^ turned) - turned}; }

    /// Coverage by the region between the ends and within the other direction's sides. It is exact if the pixel meets
    /// only one side: in the first half of a bar the side where the bar begins, in the second half the side where it
    /// ends; in a gap the opposite.
    INK_METHOD share common(share between_ends, share within_sides) const {
        const share side = turned_side(within_sides);
        const ushort16 ending = __builtin_elementwise_min(between_ends.covered, side.covered);
        // Hardly any pixel meets two borders: the slope of the other one is 0.
        if (!is_close) return {ending, between_ends.slope + side.slope};
        const ushort16 beginning = __builtin_elementwise_sub_sat(between_ends.covered, (ushort16)~side.covered);
        const ushort16 is_ending = this->is_ending(between_ends);
        // The border with the smaller coverage determines the direction of the slope.
        const short16 by_ends = (short16)(between_ends.covered < side.covered);
        const short16 slope = (between_ends.slope & by_ends) | (side.slope & ~by_ends);
        return {(ending & is_ending) | (beginning & ~is_ending), slope};
    }

    /// The same where a pixel may meet any of the sides. For parallel borders that face the same way, the coverage is
    /// that of the nearer one.
    INK_METHOD slab common(share between_ends, const slab &within_sides) const {
        const ushort16 is_before = (ushort16)(between_ends.slope >> 15);
        const ushort16 first = turned ? within_sides.second : within_sides.first;
        const ushort16 second = turned ? within_sides.first : within_sides.second;
        return {
            __builtin_elementwise_min((ushort16)(between_ends.covered | is_before), first),
            __builtin_elementwise_min((ushort16)(between_ends.covered | ~is_before), second)};
    }

private:
    INK_METHOD ushort16 is_ending(share between_ends) const { return (ushort16)(between_ends.covered < middle) ^ gap; }
};

// MARK: Rows

/// How the bars of one direction lie relative to rows and columns of pixels. Positions count from the stamp's origin, a
/// whole pixel.
struct bar_rows {
    stamp_borders borders;
    // The same for all stamps.
    ink_normal across, along;
    double inverse_period;
    /// Increments per column and per row: in 2^-32 periods, and in 2^-19 pixels.
    uint32_t phase_by_column, phase_by_row;
    int32_t distance_by_column, distance_by_row;
    /// From the first phase at which any of sixteen pixels may meet a bar to the middle of the bar; and the number of
    /// such phases.
    uint32_t phase_before, phases_met;
    // For the current stamp.
    uint32_t phase;
    int32_t distance;

    INK_INLINE bar_rows of(const ink_bars &bars) {
        bar_rows r;
        const ink_normal n1 = bars.across, n2 = bars.along;
        const double side = (bars.count / 2) * bars.period + bars.half_width + shadow(n1);
        r.borders = stamp_borders::of(n1, n2, side, bars.half_length + shadow(n2));
        r.across = n1;
        r.along = n2;
        r.inverse_period = 1 / bars.period;
        r.phase_by_column = (uint32_t)fixed(n1.x * r.inverse_period);
        r.phase_by_row = (uint32_t)fixed(n1.y * r.inverse_period);
        r.distance_by_column = distance_of(n2.x);
        r.distance_by_row = distance_of(n2.y);
        // Phases are truncated to 2^-16 periods.
        const double reach = bars.half_width + shadow(n1) + 0.1, span = (lanes - 1) * n1.x;
        const double met = 2 * reach + magnitude(span);
        r.phase_before = (uint32_t)fixed((reach + greatest(span, 0.0)) * r.inverse_period);
        r.phases_met = met < bars.period * (1 - 1e-9) ? (uint32_t)fixed(met * r.inverse_period) : ~(uint32_t)0;
        return r;
    }

    /// Whether any of sixteen pixels may meet a bar, by the phase of the first one.
    INK_METHOD int16lanes may_meet(uint16lanes phases) const {
        return (int16lanes)(phases + phase_before <= (uint16lanes)phases_met);
    }

    /// - Parameters: x, y: centre of the stamp's first pixel relative to the stamp's centre.
    INK_METHOD void place(double x, double y) {
        const double s = x * across.x + y * across.y, t = x * along.x + y * along.y;
        phase = (uint32_t)fixed(s * inverse_period);
        distance = distance_of(t);
        borders.place(s, t);
    }
};

/// Part of a stamp in sixteen rows, drawn sixteen pixels of a row at a time. The positions of these pixels are computed
/// for all rows at once. Thin bars are computed border by border.
template <bool is_thin> struct stamp_rows {
    const bar_rows *bars;
    const bar_sides *sides;
    const bar_ends *ends;
    const bar_crossing *crossings;
    const corner *corners;
    /// The plane at the stamp's origin, and its columns and rows from there.
    uint16_t *origin;
    int32_t stride, start, width, end_row;
    ushort16 alpha;
    /// From the origin.
    int16lanes rows;

    /// Positions of the first of sixteen pixels relative to the bars of one direction, for each row.
    struct row_places {
        alignas(64) int32_t phase[lanes], behind[lanes], before[lanes];
        /// Set where all sixteen pixels lie between both ends.
        int16lanes between_all;

        INK_METHOD row_places(const bar_ends &ends, uint16lanes phases, int16lanes distances) {
            *(uint16lanes *)phase = phases >> 16;
            const int16lanes a = ends.inside(distances), b = ends.inside(-distances);
            *(int16lanes *)behind = a;
            *(int16lanes *)before = b;
            between_all = (int16lanes)(a >= ends.behind_all) & (int16lanes)(b >= ends.before_all);
        }
    };

    /// The region within the sides; border by border if the bars are thin.
    INK_METHOD auto side_at(const row_places &s, int d, int i) const {
        if constexpr (is_thin) return sides[d].borders(s.phase[i]);
        else return sides[d].covered(s.phase[i]);
    }
    INK_METHOD share end_at(const row_places &s, int d, int i) const { return ends[d].covered(s.behind[i], s.before[i]); }

    /// Draws the bars of one direction in the rows whose bits are set.
    template <typename Mask>
    INK_METHOD void draw(const row_places &s, int d, uint32_t rows, const int32_t *target, const Mask &mask) const {
        uint32_t between = rows & bits_of(s.between_all), others = rows & ~between;
        while (between != 0) {
            const int i = take(between);
            multiply(target[i], side_at(s, d, i).part() & mask(i));
        }
        while (others != 0) {
            const int i = take(others);
            multiply(target[i], corners[d].covered(side_at(s, d, i), end_at(s, d, i)) & mask(i));
        }
    }

    /// Coverage of sixteen pixels of a row by the bars of both directions: the sum, minus the part between the ends of
    /// one direction and within the sides of the other.
    template <typename Masks>
    INK_METHOD ushort16 united(const row_places (&s)[2], bool meets_ends, const Masks &masks, int i) const {
        const auto side = side_at(s[0], 0, i).within(masks(0, i)), other_side = side_at(s[1], 1, i).within(masks(1, i));
        share end = {(ushort16)65535, (short16)(ushort16)0}, other_end = end;
        ushort16 one = side.part(), other = other_side.part();
        if (meets_ends) {
            end = end_at(s[0], 0, i);
            other_end = end_at(s[1], 1, i);
            one = corners[0].covered(side, end);
            other = corners[1].covered(other_side, other_end);
        }
        const ushort16 both = corners[2].covered(
            crossings[1].common(other_end, side), crossings[0].common(end, other_side));
        return __builtin_elementwise_add_sat(one, __builtin_elementwise_sub_sat(other, both));
    }

    /// Draws the bars of both directions in the rows whose bits are set.
    template <typename Masks>
    INK_METHOD void draw_united(
        const row_places (&s)[2], uint32_t rows, const int32_t *target, const Masks &masks) const {
        uint32_t between = rows & bits_of(s[0].between_all & s[1].between_all), others = rows & ~between;
        while (between != 0) {
            const int i = take(between);
            multiply(target[i], united(s, false, masks, i));
        }
        while (others != 0) {
            const int i = take(others);
            multiply(target[i], united(s, true, masks, i));
        }
    }

    INK_METHOD uint16lanes phase(int d, int16lanes column) const {
        return bars[d].phase + (uint16lanes)rows * bars[d].phase_by_row + (uint16lanes)column * bars[d].phase_by_column;
    }

    INK_METHOD int16lanes distance(int d, int16lanes column) const {
        return bars[d].distance + rows * bars[d].distance_by_row + column * bars[d].distance_by_column;
    }

    /// Draws the bars of the first direction in a range of columns of each row.
    INK_METHOD void draw(columns part) const {
        const int16lanes empty = (int16lanes)(part.first >= part.end) | (int16lanes)(rows >= end_row);
        const int16lanes widths = empty ? (int16lanes)0 : part.end - part.first;
        const int32_t widest = __builtin_reduce_max(widths);
        if (widest <= 0) return;
        uint16lanes phases = phase(0, part.first);
        int16lanes distances = distance(0, part.first);
        // Steps count from the stamp's own first pixels, so they are the same in every cell.
        for (int32_t step = 0; step < widest; step += lanes) {
            const int16lanes column = part.first + step, left = widths - step;
            const int16lanes there = (int16lanes)(left > 0) & in_cell(column) & bars[0].may_meet(phases);
            if (bits_of(there) != 0) {
                const row_places from(ends[0], phases, distances);
                alignas(64) int32_t count[lanes], target[lanes];
                *(int16lanes *)count = least(left, (int16lanes)lanes);
                *(int16lanes *)target = rows * stride + column;
                const auto mask = [&](int i) __attribute__((always_inline)) { return first_lanes(count[i]); };
                draw(from, 0, bits_of(there), target, mask);
            }
            phases += lanes * bars[0].phase_by_column;
            distances += lanes * bars[0].distance_by_column;
        }
    }

    /// Draws the bars of two directions, each in a range of columns of each row: where both ranges overlap, their
    /// union.
    INK_METHOD void draw_crossing(columns a, columns b) const {
        columns parts[2] = {a, b};
        for (int d = 0; d < 2; d++) {
            // An empty range begins beyond all others and has no width.
            const int16lanes empty = (int16lanes)(parts[d].first >= parts[d].end) | (int16lanes)(rows >= end_row);
            parts[d].first = empty ? (int16lanes)(1 << 20) : parts[d].first;
            parts[d].end = empty ? (int16lanes) - (1 << 20) : parts[d].end;
        }
        const int16lanes end = greatest(parts[0].end, parts[1].end);
        int16lanes first = least(parts[0].first, parts[1].first);
        first = first < end ? first : (int16lanes)0;
        const int32_t widest = __builtin_reduce_max(end - first);
        if (widest <= 0) return;
        uint16lanes phases[2] = {phase(0, first), phase(1, first)};
        int16lanes distances[2] = {distance(0, first), distance(1, first)};
        for (int32_t step = 0; step < widest; step += lanes) {
            const int16lanes column = first + step, seen = in_cell(column);
            alignas(64) int32_t before[2][lanes], count[2][lanes];
            int16lanes has[2];
            for (int d = 0; d < 2; d++) {
                const int16lanes left_out = clamped(parts[d].first - column), within = clamped(parts[d].end - column);
                has[d] = (int16lanes)(left_out < within) & seen & bars[d].may_meet(phases[d]);
                *(int16lanes *)before[d] = left_out;
                *(int16lanes *)count[d] = within;
            }
            if (bits_of(has[0] | has[1]) != 0) {
                const row_places from[2] = {{ends[0], phases[0], distances[0]}, {ends[1], phases[1], distances[1]}};
                alignas(64) int32_t target[lanes];
                *(int16lanes *)target = rows * stride + column;
                const auto mask = [&](int d, int i) __attribute__((always_inline)) {
                    return first_lanes(count[d][i]) & ~first_lanes(before[d][i]);
                };
                draw_united(from, bits_of(has[0] & has[1]), target, mask);
                for (int d = 0; d < 2; d++) {
                    const uint32_t only = bits_of(has[d] & ~has[1 - d]);
                    draw(from[d], d, only, target, [&](int i) __attribute__((always_inline)) { return mask(d, i); });
                }
            }
            for (int d = 0; d < 2; d++) {
                phases[d] += lanes * bars[d].phase_by_column;
                distances[d] += lanes * bars[d].distance_by_column;
            }
        }
    }

private:
    /// Removes the lowest bit and returns its number.
    INK_INLINE int take(uint32_t &bits) {
        const int i = __builtin_ctz(bits);
        bits &= bits - 1;
        return i;
    }

    INK_INLINE int16lanes clamped(int16lanes v) { return least(greatest(v, (int16lanes)0), (int16lanes)lanes); }

    /// Whether any of sixteen pixels, beginning at a column, is in the cell.
    INK_METHOD int16lanes in_cell(int16lanes column) const {
        return (int16lanes)(column > start - lanes) & (int16lanes)(column < start + width);
    }

    /// Multiplies sixteen pixels by the part that is not covered.
    INK_METHOD void multiply(int32_t target, ushort16 taken) const {
        uint16_t *at = origin + target;
        const ushort16 kept = load16(at);
        store(at, left_by(kept, taken, alpha));
    }
};

/// Draws all stamps of a group. `directions` is 1 or 2.
template <int directions, bool is_thin>
INK_INLINE void multiply(ink_kept plane, const ink_bars *bars, const ink_place *places, ptrdiff_t count) {
    bar_rows rows[directions];
    bar_sides sides[directions];
    bar_ends ends[directions];
    bar_crossing crossings[2] = {};
    corner corners[3];
    for (int d = 0; d < directions; d++) corners[d] = corner::of(bars[d].across, bars[d].along);
    if (directions == 2) {
        crossings[0] = bar_crossing::of(bars[0], bars[1]);
        crossings[1] = bar_crossing::of(bars[1], bars[0]);
        corners[2] = corner::of(bars[1].along, bars[0].along);
    }
    double reach_x = 0, reach_y = 0;
    for (int d = 0; d < directions; d++) {
        rows[d] = bar_rows::of(bars[d]);
        sides[d] = bar_sides::of(bars[d]);
        ends[d] = bar_ends::of(bars[d].along, bars[d].half_length);
        reach_x = greatest(reach_x, rows[d].borders.reach_x);
        reach_y = greatest(reach_y, rows[d].borders.reach_y);
    }
    for_each_stamp(plane, reach_x, reach_y, places, count, [&](const seen_stamp &stamp) __attribute__((always_inline)) {
        for (int d = 0; d < directions; d++) rows[d].place(stamp.x, stamp.y);
        stamp_rows<is_thin> target = {
            rows, sides, ends, crossings, corners, stamp.origin, (int32_t)plane.stride, stamp.start, plane.width, stamp.end_row,
            stamp.alpha, (int16lanes)0};
        for (int32_t row = stamp.first_row; row < stamp.end_row; row += lanes) {
            const float16 numbers = iota16() + (float)row;
            target.rows = __builtin_convertvector(numbers, int16lanes);
            if (directions == 1) target.draw(rows[0].borders.inside(numbers));
            else target.draw_crossing(rows[0].borders.inside(numbers), rows[1].borders.inside(numbers));
        }
    });
}

void multiply_bars(
    ink_kept plane, const ink_bars *bars, int32_t directions, const ink_place *places, ptrdiff_t count) {
    // Crossing bars have the same width.
    if (directions == 1 && bars->is_thin) multiply<1, true>(plane, bars, places, count);
    else if (directions == 1) multiply<1, false>(plane, bars, places, count);
    else if (bars->is_thin) multiply<2, true>(plane, bars, places, count);
    else multiply<2, false>(plane, bars, places, count);
}

}  // namespace
}  // namespace INK_LEVEL::bars
