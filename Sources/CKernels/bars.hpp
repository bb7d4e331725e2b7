// Stamps of bars, a row of a stamp at a time, sixteen pixels at a time. What equal bars side by side cover of sixteen
// neighbouring pixels depends on the phase of the first pixel between two bars alone; what lies before the bars' ends,
// on that pixel's distance from the ends. The product of the two is the coverage but where a side and an end cross the
// same pixel, which it misses by at most 0.025. Stamps of one direction and size share tables of both.

namespace {
namespace INK_JOIN(bars_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

constexpr int lanes = INK_BAR_LANES;

/// The reach of a pixel's shadow on a normal, to either side of its middle.
INK_INLINE double shadow(ink_normal n) { return (1 + least(magnitude(n.x), magnitude(n.y))) / 2; }

/// The coverage of pixels by a half-plane, as `half_plane` has it, in 1/65,535 from float to the nearest whole number.
struct share_edge {
    float reach, flat, half_slope;

    INK_INLINE share_edge of(ink_normal n) {
        const half_plane edge = half_plane::of(n);
        return {edge.reach * 65535, edge.flat * 65535, edge.half_slope / 65535};
    }

    /// By how much more than a half is covered.
    INK_METHOD float16 beyond_half(float16 t) const {
        const float16 x = least(greatest(t, (float16)-reach), (float16)reach);
        const float16 a = (float16)((int16lanes)x & 0x7FFFFFFF);
        const float16 q = greatest(a - flat, (float16)0.0f);
        const float16 y = a - q * q * half_slope;
        return (float16)((int16lanes)y | ((int16lanes)x & (int32_t)0x80000000));
    }

    INK_METHOD ushort16 coverage(float16 t) const { return whole(beyond_half(t) + 32768.0f); }

    /// By the strip of this half width whose middle is `t` away, which `is_wide` when no pixel meets both borders.
    INK_METHOD ushort16 strip(float16 t, float half_width) const {
        const float16 away = (float16)((int16lanes)t & 0x7FFFFFFF);
        const float16 nearer = beyond_half(half_width - away);
        if (half_width >= reach) return whole(nearer + 32768.0f);
        return whole(nearer + beyond_half(half_width + away) + 0.5f);
    }

private:
    INK_INLINE ushort16 whole(float16 v) {
        return __builtin_convertvector(__builtin_convertvector(v, int16lanes), ushort16);
    }
};

// MARK: Sides

/// What the bars cover of sixteen pixels from one on, whatever their ends. Lengths are 1/65,535 pixel.
struct bar_sides {
    share_edge edge;
    float16 offsets;
    float period, inverse, half_width;
    /// 2^-32 periods that are not told apart.
    uint32_t step;

    /// - Parameter phases: how many phases are told apart; 0 for all.
    INK_INLINE bar_sides of(const ink_bars &bars, int32_t phases) {
        return {
            share_edge::of(bars.across), iota16() * (float)(bars.across.x * 65535), (float)(bars.period * 65535),
            (float)(1 / (bars.period * 65535)), (float)(bars.half_width * 65535),
            phases == 0 ? 1 : (uint32_t)(((uint64_t)1 << 32) / (uint32_t)phases)};
    }

    /// What `covered` takes of the first pixels' distances from the middle of a bar, 2^-32 periods.
    INK_METHOD uint16lanes places(uint16lanes phases) const { return (phases & (0 - step)) + step / 2; }

    INK_METHOD ushort16 covered(uint32_t place) const {
        const int32_t middle = (int32_t)place;
        const float16 distance = offsets + (float)middle * (period * (1.0f / 4294967296.0f));
        // The nearest whole number of periods, by rounding at 2^23.
        const float16 periods = (distance * inverse + 12582912.0f) - 12582912.0f;
        return edge.strip(distance - periods * period, half_width);
    }
};

void side_table(uint16_t *table, const ink_bars *bars, int32_t phases) {
    const bar_sides sides = bar_sides::of(*bars, phases);
    for (int32_t phase = 0; phase < phases; phase++) {
        store(table + phase * lanes, sides.covered((uint32_t)phase * sides.step + sides.step / 2));
    }
}

/// The same from a table.
struct bar_side_table {
    const uint16_t *table;
    int shift;

    INK_METHOD uint16lanes places(uint16lanes phases) const { return (phases >> (uint32_t)shift) * lanes; }
    INK_METHOD ushort16 covered(uint32_t place) const { return load16(table + place); }
};

// MARK: Ends

/// The distance that the first entry of the table of an end stands for, a little less than any pixel's from whose shadow
/// on it begins, and the last entry.
INK_INLINE double end_start(ink_normal along) {
    return -shadow(along) - greatest((lanes - 1) * along.x, 0.0) - 1.5 / INK_BAR_END_STEPS;
}
INK_INLINE int end_last(ink_normal along) {
    return (int)((2 * shadow(along) + (lanes - 1) * magnitude(along.x)) * INK_BAR_END_STEPS) + 3;
}

/// What lies before an end of sixteen pixels from one on. Distances are told apart by steps of a pixel's part.
struct bar_end {
    share_edge edge;
    float16 offsets;
    float first;

    INK_INLINE bar_end of(ink_normal along) {
        return {
            share_edge::of(along), iota16() * (float)(along.x * 65535),
            (float)((end_start(along) + 0.5 / INK_BAR_END_STEPS) * 65535)};
    }

    /// What `before` takes of the steps from the start at which the first pixels are.
    INK_METHOD int16lanes places(int16lanes steps) const { return steps; }

    INK_METHOD ushort16 before(int32_t step) const {
        return edge.coverage(offsets + (first + (float)step * (65535.0f / INK_BAR_END_STEPS)));
    }
};

void end_table(uint16_t *table, ink_normal along) {
    const bar_end end = bar_end::of(along);
    const int last = end_last(along);
    for (int entry = 0; entry <= last; entry++) store(table + entry * lanes, end.before(entry));
}

/// The same from a table.
struct bar_end_table {
    const uint16_t *table;

    INK_METHOD int16lanes places(int16lanes steps) const { return steps * lanes; }
    INK_METHOD ushort16 before(int32_t place) const { return load16(table + place); }
};

// MARK: Rows

/// Distances along bars are whole numbers of 2^-19 pixels.
constexpr int distance_bits = 19;
INK_INLINE int32_t distance_of(double a) { return (int32_t)floor_of(a * (1 << distance_bits) + 0.5); }

/// Columns of sixteen rows, from the stamp's origin on.
struct columns {
    int16lanes first, end;
};

/// How the bars of one direction lie in rows and columns of pixels from the stamp's origin, a whole pixel.
struct bar_rows {
    // For all stamps.
    ink_normal across, along;
    double inverse_period, inverse_across, inverse_along;
    /// By how much more in the next column and row: 2^-32 periods, 2^-19 pixels.
    uint32_t phase_by_column, phase_by_row;
    int32_t distance_by_column, distance_by_row;
    /// How far to the side of the middle the borders of a row are, and by how much that moves with the next row.
    float side_reach, side_by_row, end_reach, end_by_row;
    /// From the middle to the beginning of the table of either end, and the last step of it.
    int32_t near, far, last;
    /// How far above and below the centre anything may be, pixels, and to both sides.
    double reach_y, reach_x;
    // For a stamp.
    uint32_t phase;
    int32_t distance;
    float side_middle, end_middle;

    INK_INLINE double at_least(double a) { return a < 0 ? least(a, -1e-5) : greatest(a, 1e-5); }

    INK_INLINE bar_rows of(const ink_bars &bars) {
        bar_rows r;
        const ink_normal n1 = bars.across, n2 = bars.along;
        r.across = n1;
        r.along = n2;
        r.inverse_period = 1 / bars.period;
        r.phase_by_column = (uint32_t)fixed(n1.x * r.inverse_period);
        r.phase_by_row = (uint32_t)fixed(n1.y * r.inverse_period);
        r.distance_by_column = distance_of(n2.x);
        r.distance_by_row = distance_of(n2.y);
        const double side = (bars.count / 2) * bars.period + bars.half_width + shadow(n1);
        const double end = bars.half_length + shadow(n2);
        // Nearly level borders are taken to be a little steeper, which moves them by no more than 1/50 pixel.
        r.inverse_across = 1 / at_least(n1.x);
        r.inverse_along = 1 / at_least(n2.x);
        r.side_reach = (float)magnitude(side * r.inverse_across);
        r.end_reach = (float)magnitude(end * r.inverse_along);
        r.side_by_row = (float)(-n1.y * r.inverse_across);
        r.end_by_row = (float)(-n2.y * r.inverse_along);
        const double start = end_start(n2);
        r.near = distance_of(bars.half_length - start);
        r.far = distance_of(-bars.half_length - start);
        r.last = end_last(n2);
        const double inverse = 1 / magnitude(n1.x * n2.y - n1.y * n2.x);
        r.reach_y = (magnitude(n1.x) * end + magnitude(n2.x) * side) * inverse;
        r.reach_x = (magnitude(n1.y) * end + magnitude(n2.y) * side) * inverse;
        return r;
    }

    /// - Parameters: x, y: the middle of the stamp's first pixel from its centre.
    INK_METHOD void place(double x, double y) {
        const double s = x * across.x + y * across.y, t = x * along.x + y * along.y;
        phase = (uint32_t)fixed(s * inverse_period);
        distance = distance_of(t);
        side_middle = (float)(-s * inverse_across);
        end_middle = (float)(-t * inverse_along);
    }

    /// The pixels of rows whose middles lie between all borders, shadows included.
    INK_METHOD columns inside(float16 rows) const {
        const float16 side = rows * side_by_row + side_middle, end = rows * end_by_row + end_middle;
        return {above(greatest(side - side_reach, end - end_reach)), above(least(side + side_reach, end + end_reach))};
    }

private:
    /// The first whole numbers not below, within reason.
    INK_INLINE int16lanes above(float16 v) {
        v = least(greatest(v, (float16)-30000.0f), (float16)30000.0f);
        const int16lanes whole = __builtin_convertvector(v, int16lanes);
        return whole - (int16lanes)(__builtin_convertvector(whole, float16) < v);
    }
};

/// The part of a stamp in sixteen rows, drawn sixteen pixels of a row at a time: for as many rows at once it is worked out
/// where in tables and in the plane those pixels are.
template <typename Side, typename End> struct stamp_rows {
    const bar_rows *bars;
    const Side *sides;
    const End *ends;
    /// The plane at the stamp's origin, and its columns and rows from there.
    uint16_t *origin;
    int32_t stride, start, width, end_row;
    ushort16 alpha;
    /// From the origin.
    int16lanes rows;

    /// Where the coverage of sixteen pixels by one direction's bars is found, for each row.
    struct sources {
        alignas(64) uint32_t side[lanes];
        alignas(64) int32_t near[lanes], far[lanes];
    };

    /// - Parameters: phase, distance: of the first pixels.
    INK_METHOD void locate(sources &s, int d, uint16lanes phase, int16lanes distance) const {
        static_assert(INK_BAR_END_STEPS == 32, "steps are 5 bits of distances");
        *(uint16lanes *)s.side = sides[d].places(phase);
        const int16lanes first = (int16lanes)0, last = (int16lanes)bars[d].last;
        const int16lanes near = least(greatest((distance + bars[d].near) >> (distance_bits - 5), first), last);
        const int16lanes far = least(greatest((distance + bars[d].far) >> (distance_bits - 5), first), last);
        *(int16lanes *)s.near = ends[d].places(near);
        *(int16lanes *)s.far = ends[d].places(far);
    }

    INK_METHOD ushort16 covered(const sources &s, int d, int i) const {
        return product(sides[d].covered(s.side[i]), ends[d].before(s.near[i]) - ends[d].before(s.far[i]));
    }

    INK_METHOD uint16lanes phase(int d, int16lanes column) const {
        return bars[d].phase + (uint16lanes)rows * bars[d].phase_by_row + (uint16lanes)column * bars[d].phase_by_column;
    }

    INK_METHOD int16lanes distance(int d, int16lanes column) const {
        return bars[d].distance + rows * bars[d].distance_by_row + column * bars[d].distance_by_column;
    }

    /// Draws what the bars of the first direction cover in some columns of each row.
    INK_METHOD void draw(columns part) const {
        const int16lanes empty = (int16lanes)(part.first >= part.end) | (int16lanes)(rows >= end_row);
        const int16lanes widths = empty ? (int16lanes)0 : part.end - part.first;
        const int32_t widest = __builtin_reduce_max(widths);
        if (widest <= 0) return;
        uint16lanes phases = phase(0, part.first);
        int16lanes distances = distance(0, part.first);
        // Steps are counted from the stamp's own first pixels, in whatever cell they are.
        for (int32_t step = 0; step < widest; step += lanes) {
            const int16lanes column = part.first + step, left = widths - step;
            uint32_t there = bits_of((int16lanes)(left > 0) & in_cell(column));
            if (there != 0) {
                sources from;
                alignas(64) int32_t count[lanes], target[lanes];
                locate(from, 0, phases, distances);
                *(int16lanes *)count = least(left, (int16lanes)lanes);
                *(int16lanes *)target = rows * stride + column;
                do {
                    const int i = take(there);
                    multiply(target[i], covered(from, 0, i) & first_lanes(count[i]));
                } while (there != 0);
            }
            phases += lanes * bars[0].phase_by_column;
            distances += lanes * bars[0].distance_by_column;
        }
    }

    /// Draws what the bars of two directions cover, each in some columns of each row: pixel by pixel what one of them
    /// covers, or the union.
    INK_METHOD void draw_crossing(columns a, columns b) const {
        columns parts[2] = {a, b};
        for (int d = 0; d < 2; d++) {
            // Beyond all others, and of no width.
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
                has[d] = (int16lanes)(left_out < within) & seen;
                *(int16lanes *)before[d] = left_out;
                *(int16lanes *)count[d] = within;
            }
            uint32_t both = bits_of(has[0] & has[1]), only[2] = {bits_of(has[0] & ~has[1]), bits_of(has[1] & ~has[0])};
            if ((both | only[0] | only[1]) != 0) {
                sources from[2];
                alignas(64) int32_t target[lanes];
                for (int d = 0; d < 2; d++) locate(from[d], d, phases[d], distances[d]);
                *(int16lanes *)target = rows * stride + column;
                const auto part = [&](int d, int i) __attribute__((always_inline)) {
                    return covered(from[d], d, i) & first_lanes(count[d][i]) & ~first_lanes(before[d][i]);
                };
                while (both != 0) {
                    const int i = take(both);
                    const ushort16 taken = part(0, i);
                    multiply(target[i], taken + product(part(1, i), ~taken));
                }
                for (int d = 0; d < 2; d++) {
                    while (only[d] != 0) {
                        const int i = take(only[d]);
                        multiply(target[i], part(d, i));
                    }
                }
            }
            for (int d = 0; d < 2; d++) {
                phases[d] += lanes * bars[d].phase_by_column;
                distances[d] += lanes * bars[d].distance_by_column;
            }
        }
    }

private:
    /// The number of the lowest bit, which is taken away.
    INK_INLINE int take(uint32_t &bits) {
        const int i = __builtin_ctz(bits);
        bits &= bits - 1;
        return i;
    }

    INK_INLINE int16lanes clamped(int16lanes v) { return least(greatest(v, (int16lanes)0), (int16lanes)lanes); }

    /// Whether any of sixteen pixels from a column on are in the cell.
    INK_METHOD int16lanes in_cell(int16lanes column) const {
        return (int16lanes)(column > start - lanes) & (int16lanes)(column < start + width);
    }

    /// Leaves of sixteen pixels what is not taken.
    INK_METHOD void multiply(int32_t target, ushort16 taken) const {
        uint16_t *at = origin + target;
        const ushort16 kept = load16(at);
        store(at, kept - product(kept, product(taken, alpha)));
    }

    /// All bits of the first `count` of sixteen lanes.
    INK_INLINE ushort16 first_lanes(int32_t count) {
        alignas(64) static const uint16_t bits[2 * lanes] = {
            65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535,
            65535};
        return load16(bits + lanes - count);
    }
};

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

/// All of a group of stamps; `directions` is 1 or 2.
template <int directions, typename Side, typename End>
INK_INLINE void multiply(
    ink_kept plane, const ink_bars *bars, const Side *sides, const End *ends, const ink_place *places, ptrdiff_t count) {
    bar_rows rows[directions];
    double reach_x = 0, reach_y = 0;
    for (int d = 0; d < directions; d++) {
        rows[d] = bar_rows::of(bars[d]);
        reach_x = greatest(reach_x, rows[d].reach_x);
        reach_y = greatest(reach_y, rows[d].reach_y);
    }
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
        for (int d = 0; d < directions; d++) rows[d].place(x, y);
        stamp_rows<Side, End> target = {
            rows, sides, ends, plane.values + to_row * plane.stride + to_column, (int32_t)plane.stride,
            (int32_t)-to_column, plane.width, (int32_t)end_row, (ushort16)share_of(place.alpha), (int16lanes)0};
        for (int32_t row = (int32_t)first_row; row < end_row; row += lanes) {
            const float16 numbers = iota16() + (float)row;
            target.rows = __builtin_convertvector(numbers, int16lanes);
            if (directions == 1) target.draw(rows[0].inside(numbers));
            else target.draw_crossing(rows[0].inside(numbers), rows[1].inside(numbers));
        }
    }
}

/// With those tables that there are for all directions.
template <int directions>
INK_INLINE void multiply_by_tables(
    ink_kept plane, const ink_bars *bars, const ink_bar_tables *tables, const ink_place *places, ptrdiff_t count) {
    bar_sides sides[directions];
    bar_side_table side_tables[directions];
    bar_end ends[directions];
    bar_end_table end_tables[directions];
    bool have_sides = true, have_ends = true;
    for (int d = 0; d < directions; d++) {
        sides[d] = bar_sides::of(bars[d], tables[d].phases);
        ends[d] = bar_end::of(bars[d].along);
        have_sides = have_sides && tables[d].side;
        have_ends = have_ends && tables[d].end;
        if (have_sides) side_tables[d] = {tables[d].side, __builtin_clz((unsigned)tables[d].phases) + 1};
        if (have_ends) end_tables[d] = {tables[d].end};
    }
    if (!have_ends) multiply<directions>(plane, bars, sides, ends, places, count);
    else if (!have_sides) multiply<directions>(plane, bars, sides, end_tables, places, count);
    else multiply<directions>(plane, bars, side_tables, end_tables, places, count);
}

void multiply_bars(
    ink_kept plane, const ink_bars *bars, const ink_bar_tables *tables, int32_t directions, const ink_place *places,
    ptrdiff_t count) {
    if (directions == 1) multiply_by_tables<1>(plane, bars, tables, places, count);
    else multiply_by_tables<2>(plane, bars, tables, places, count);
}

}  // namespace INK_JOIN(bars_, INK_LEVEL)
}  // namespace
