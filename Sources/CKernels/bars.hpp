// Stamps of bars, a row of a stamp at a time, sixteen pixels at a time. What equal bars side by side cover of sixteen
// neighbouring pixels depends on the phase of the first pixel between two bars alone; what lies before the bars' ends,
// on that pixel's distance from the ends. The product of the two is the coverage but where a side and an end cross the
// same pixel: that corner is put right by what both leave of it. Three such corners make up crossing bars. Where a pixel
// may meet both sides of a bar and an end, either side makes a corner of its own. Stamps of one direction and size share
// tables of both.

namespace {
namespace INK_JOIN(bars_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

using namespace INK_JOIN(stamps_, INK_LEVEL);

static_assert(lanes == INK_BAR_LANES, "an entry of a table is for pixels that are drawn together");

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

    /// By the strip of this half width whose middle is `t` away.
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

/// The same in whole numbers of a part of a pixel that fit 16 bits, lanes of any number.
struct border {
    uint16_t reach, flat, factor;
    int shift, bits;
    /// What is covered at the border by the parabola on the outer side, so that nothing and all are just that.
    uint16_t from_nothing;

    INK_INLINE border of(ink_normal n, int bits) {
        const double minor = least(magnitude(n.x), magnitude(n.y)), unit = 1 << bits;
        border e;
        e.bits = bits;
        e.reach = (uint16_t)((1 + minor) / 2 * unit + 0.5);
        e.flat = (uint16_t)((1 - minor) / 2 * unit + 0.5);
        // A parabola, of numbers that use all 16 bits.
        int top = e.reach - e.flat;
        if (top > 0 && (top & (top - 1)) == 0) {
            e.reach--;
            top--;
        }
        e.shift = top == 0 ? 15 : __builtin_clz((uint32_t)top) - 16;
        const double scaled_unit = unit * (1 << e.shift);
        // Beyond the flat part (pixels)^2 / (2 minor), in 2^16 shares; two products keep the upper 16 bits each.
        e.factor = (uint16_t)least(0x1p47 / (minor * scaled_unit * scaled_unit), 65535.0);
        e.from_nothing = e.beyond_half((ushort32)e.reach)[0];
        return e;
    }

    /// - Parameter t: how far the border is beyond the pixels' middles.
    template <typename U, typename S> INK_METHOD U coverage(S t) const {
        const S sign = t >> 15;
        const U a = __builtin_elementwise_min((U)((t ^ sign) - sign), (U)reach);
        // All less than this on the inner side.
        return __builtin_elementwise_sub_sat((U)from_nothing, beyond_half(a)) ^ (U)~sign;
    }

    /// By the strip of this half width whose middle is `t` away.
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

/// What something covers of sixteen pixels, and whether it covers more of those that lie further along the normal that it is
/// measured by: no sign where it does, or where it makes no difference.
struct share {
    ushort16 part;
    short16 slope;
};

/// What lies within two borders that face each other: behind the first and before the second one, along the normal that
/// both are measured by.
struct slab {
    ushort16 first, second;

    INK_METHOD ushort16 part() const { return __builtin_elementwise_sub_sat(first, (ushort16)~second); }
    INK_METHOD slab within(ushort16 mask) const { return {first & mask, second & mask}; }
};

// MARK: Corners

/// Puts right what two borders that cross in a pixel cover together. Their product is off by up to 0.025 of the pixel,
/// depending on their directions: as if the pixel's shadows on both normals did not depend on each other. For a pixel as
/// a diamond (45 degrees) the difference is odd in both distances, at 22.5 degrees half of it is antisymmetric; two terms of
/// the shares themselves, fitted to the exact areas at all angles, leave 0.007 of it.
struct corner {
    /// Of the odd term in 1/2,048, and of the antisymmetric one in 1/4,096.
    int16_t odd, even;

    INK_INLINE corner of(ink_normal u, ink_normal v) {
        const double area = 1 / (u.x * u.x + u.y * u.y);
        const double sine = 2 * u.x * u.y * area, cosine = (u.x * u.x - u.y * u.y) * area;
        const double side = u.x * v.y - u.y * v.x < 0 ? -1 : 1;
        const double odd = -9.92 * sine * sine * (1 + 0.14 * cosine * cosine), even = -11 * sine * cosine * side;
        return {(int16_t)(odd * 2048), (int16_t)(even * 4096)};
    }

    INK_METHOD ushort16 covered(share u, share v) const {
        return plus(product(u.part, v.part), more(u.part, u.slope, v.part, v.slope, all(odd), all(even)));
    }

    /// The same of 32 pixels.
    INK_METHOD ushort32 covered(ushort32 u, short32 u_slope, ushort32 v, short32 v_slope) const {
        return plus(
            product(u, v), more(u, u_slope, v, v_slope, joined(all(odd), all(odd)), joined(all(even), all(even))));
    }

    /// Of two corners side by side.
    INK_INLINE ushort32 covered(
        const corner &one, const corner &other, share u, share other_u, share v, share other_v) {
        const ushort32 us = parts(u, other_u), vs = parts(v, other_v);
        return plus(
            product(us, vs), more(
                                 us, joined(u.slope, other_u.slope), vs, joined(v.slope, other_v.slope),
                                 joined(all(one.odd), all(other.odd)), joined(all(one.even), all(other.even))));
    }

    /// What a slab and a border cover together, the borders of the slab less than a pixel apart or more.
    INK_METHOD ushort16 covered(const slab &u, share v) const {
        return plus(product(u.part(), v.part), by_either(u, v.part, v.slope));
    }

    /// The same of two slabs.
    INK_METHOD ushort16 covered(const slab &u, const slab &v) const {
        const ushort16 us = u.part(), vs = v.part();
        const short16 by_first = by_either(u, v.first, all(0)), by_second = by_either(u, v.second, all(-1));
        // In a slab that ends before it begins borders do not meet.
        const short16 is_something = (short16)(us != 0) & (short16)(vs != 0);
        return plus(product(us, vs), (by_first + by_second) & is_something);
    }

private:
    static constexpr uint16_t half = 0x8000;

    INK_INLINE short16 all(int16_t v) { return (short16)(ushort16)(uint16_t)v; }

    INK_INLINE ushort32 parts(share a, share b) { return pair(a.part, b.part); }
    INK_INLINE ushort32 pair(ushort16 a, ushort16 b) { return (ushort32)joined((short16)a, (short16)b); }

    /// By how much more than the products a border covers together with both of a slab.
    INK_METHOD short16 by_either(const slab &u, ushort16 v, short16 v_slope) const {
        const short32 each = more(
            pair(u.first, u.second), joined(all(0), all(-1)), pair(v, v), joined(v_slope, v_slope),
            joined(all(odd), all(odd)), joined(all(even), all(even)));
        return each.lo + each.hi;
    }

    /// By how much more than the product two borders cover.
    template <typename U, typename S> INK_INLINE S more(U u, S u_slope, U v, S v_slope, S odd, S even) {
        const U a = product(u, (U)~u), b = product(v, (U)~v);
        const S both = rounded_product((S)(a + a), (S)b);
        const S halves = rounded_product((S)(u ^ half), (S)(v ^ half));
        const S apart = (S)(a - b) ^ ((u_slope ^ v_slope) >> 15);
        return rounded_product(both, rounded_product(halves, odd) + rounded_product(apart, even));
    }

    /// Where both cover next to nothing they do not meet: no less than nothing.
    template <typename U, typename S> INK_INLINE U plus(U independent, S more) {
        return (U)__builtin_elementwise_add_sat((S)(independent ^ half), more) ^ half;
    }
};

// MARK: Places in tables

/// Between which entries of a table the coverage of sixteen pixels is found, for each of sixteen rows.
struct table_places {
    alignas(64) int32_t at[lanes];
    /// Of the next entry, twice in 1/32,768.
    alignas(64) uint32_t weight[lanes];

    INK_METHOD ushort16 between(ushort16 there, ushort16 twice_more, int i) const {
        return there + (ushort16)signed_product((short16)twice_more, (short16)(uint8lanes)weight[i]);
    }

    INK_METHOD share shared(ushort16 there, ushort16 twice_more, int i) const {
        return {between(there, twice_more, i), (short16)twice_more};
    }

    /// - Parameter table: of entries as `store_entry` makes them.
    INK_METHOD share shared(const uint16_t *table, int i) const {
        const uint16_t *entry = table + at[i];
        return shared(load16(entry), load16(entry + lanes), i);
    }
};

/// Twice what the next entry is more than this one: steps are so short that it fits.
INK_INLINE ushort16 twice_more(ushort16 there, ushort16 next) { return (next - there) << 1; }

constexpr int entry_size = INK_BAR_ENTRY_SIZE;
static_assert(entry_size == 2 * lanes, "an entry is what is covered, and twice what the next one covers more");

INK_INLINE void store_entry(uint16_t *table, int entry, ushort16 there, ushort16 next) {
    store(table + entry * entry_size, there);
    store(table + entry * entry_size + lanes, twice_more(there, next));
}

/// The same of a border of bars: nothing where the next entry is that of the next bar, of which there is nothing instead of all,
/// or the other way round.
INK_INLINE ushort16 twice_more_of_one_bar(ushort16 there, ushort16 next) {
    const ushort16 apart = __builtin_elementwise_max(there, next) - __builtin_elementwise_min(there, next);
    return twice_more(there, next) & (ushort16)(apart < (ushort16)0x4000);
}

// MARK: Sides

/// What the bars cover of sixteen pixels from one on, whatever their ends, interpolated between phases of a period. Lengths
/// are 1/65,535 pixel.
struct bar_sides {
    share_edge edge;
    float16 offsets;
    float period, inverse, half_width;
    uint32_t phases;
    /// From one phase to the next.
    float step;

    INK_INLINE bar_sides of(const ink_bars &bars, int32_t phases) {
        const double period = bars.period * 65535;
        return {
            share_edge::of(bars.across), iota16() * (float)(bars.across.x * 65535), (float)period, (float)(1 / period),
            (float)(bars.half_width * 65535), (uint32_t)phases, (float)(period / phases)};
    }

    /// - Parameter distances: of the first pixels from the middle of a bar, 2^-32 periods.
    INK_METHOD void locate(table_places &places, uint16lanes distances) const { locate(places, distances, phases, 1); }

    INK_METHOD share covered(const table_places &places, int i) const {
        const int32_t place = places.at[i];
        const ushort16 there = at(place);
        return places.shared(there, twice_more(there, at(place + 1)), i);
    }

    /// - Parameter size: from a phase's entry to the next one's.
    INK_INLINE void locate(table_places &places, uint16lanes distances, uint32_t phases, int size) {
        const uint16lanes steps = (distances >> 16) * phases;
        *(int16lanes *)places.at = (int16lanes)(steps >> 16) * size;
        *(uint16lanes *)places.weight = ((steps & 65535) >> 1) * 65537;
    }

    INK_METHOD ushort16 at(int32_t place) const { return edge.strip(from_middle(place), half_width); }

    /// What lies behind and before the borders of the nearest bar.
    INK_METHOD slab borders(const table_places &places, int i) const {
        const int32_t place = places.at[i];
        const slab there = borders_at(place), next = borders_at(place + 1);
        return {
            places.between(there.first, twice_more_of_one_bar(there.first, next.first), i),
            places.between(there.second, twice_more_of_one_bar(there.second, next.second), i)};
    }

    INK_METHOD slab borders_at(int32_t place) const {
        const float16 t = from_middle(place);
        return {edge.coverage(half_width + t), edge.coverage(half_width - t)};
    }

private:
    /// Of the nearest bar.
    INK_METHOD float16 from_middle(int32_t place) const {
        const float16 distance = offsets + (float)place * step;
        // The nearest whole number of periods, by rounding at 2^23.
        const float16 periods = (distance * inverse + 12582912.0f) - 12582912.0f;
        return distance - periods * period;
    }
};

void side_table(uint16_t *table, const ink_bars *bars, int32_t phases) {
    const bar_sides sides = bar_sides::of(*bars, phases);
    if (bars->is_thin) {
        slab there = sides.borders_at(0);
        for (int32_t phase = 0; phase < phases; phase++) {
            const slab next = sides.borders_at(phase + 1);
            uint16_t *entry = table + phase * (2 * entry_size);
            store(entry, there.first);
            store(entry + lanes, twice_more_of_one_bar(there.first, next.first));
            store(entry + 2 * lanes, there.second);
            store(entry + 3 * lanes, twice_more_of_one_bar(there.second, next.second));
            there = next;
        }
        return;
    }
    ushort16 there = sides.at(0);
    for (int32_t phase = 0; phase < phases; phase++) {
        const ushort16 next = sides.at(phase + 1);
        store_entry(table, phase, there, next);
        there = next;
    }
}

/// The same from a table.
struct bar_side_table {
    const uint16_t *table;
    uint32_t phases;

    INK_METHOD void locate(table_places &places, uint16lanes distances) const {
        bar_sides::locate(places, distances, phases, entry_size);
    }

    INK_METHOD share covered(const table_places &places, int i) const { return places.shared(table, i); }

    /// From a table of thin bars.
    INK_METHOD slab borders(const table_places &places, int i) const {
        const uint16_t *entry = table + 2 * places.at[i];
        return {
            places.between(load16(entry), load16(entry + lanes), i),
            places.between(load16(entry + 2 * lanes), load16(entry + 3 * lanes), i)};
    }
};

/// The same worked out for each phase.
struct bar_measured_sides {
    border edge;
    /// Of each pixel from the first, 2^-16 periods, which wrap round as phases do.
    ushort16 offsets;
    /// Parts of a pixel; half a period.
    int16_t half_period, half_width;

    INK_INLINE bar_measured_sides of(const ink_bars &bars) {
        int bits = 12;
        while (bits > 0 && bars.period * (1 << bits) > 65534) bits--;
        const uint32_t by_column = (uint32_t)fixed(bars.across.x / bars.period);
        const uint16lanes numbers = __builtin_convertvector(iota16(), uint16lanes);
        const ushort16 offsets = __builtin_convertvector(numbers * by_column >> 16, ushort16);
        return {
            border::of(bars.across, bits), offsets, (int16_t)(bars.period * (1 << bits) / 2 + 0.5),
            (int16_t)(bars.half_width * (1 << bits) + 0.5)};
    }

    INK_METHOD void locate(table_places &places, uint16lanes distances) const {
        *(uint16lanes *)places.at = distances >> 16;
    }

    INK_METHOD share covered(const table_places &places, int i) const {
        const short16 t = from_middle(places, i);
        // Never 0, which would not change its sign.
        return {edge.strip<ushort16>(t, half_width), ((short16)-t >> 15) | (short16)(ushort16)(uint16_t)1};
    }

    INK_METHOD slab borders(const table_places &places, int i) const {
        const short16 t = from_middle(places, i), half = (short16)(ushort16)(uint16_t)half_width;
        return {
            edge.coverage<ushort16>((short16)__builtin_elementwise_add_sat(half, t)),
            edge.coverage<ushort16>((short16)__builtin_elementwise_sub_sat(half, t))};
    }

private:
    /// Of the nearest bar.
    INK_METHOD short16 from_middle(const table_places &places, int i) const {
        const ushort16 phase = (ushort16)(uint16_t)places.at[i] + offsets;
        return rounded_product((short16)phase, (short16)(ushort16)(uint16_t)half_period);
    }
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

/// Distances along bars are whole numbers of 2^-19 pixels.
constexpr int distance_bits = 19;
INK_INLINE int32_t distance_of(double a) { return (int32_t)floor_of(a * (1 << distance_bits) + 0.5); }

/// From one entry to the next.
constexpr int end_step_bits = distance_bits - 4;
static_assert(INK_BAR_END_STEPS == 16, "steps are 4 bits of distances");

/// Where what lies before the further end of sixteen pixels is found, and what lies behind the nearer one.
struct end_places {
    table_places before, behind;
    /// Where all sixteen pixels lie between both ends.
    int16lanes between_all;
};

/// What lies between both ends of bars of sixteen pixels from one on, interpolated between steps of a pixel's part.
struct bar_ends {
    share_edge edge;
    float16 offsets;
    float first;
    /// From the middle to the beginning of the table of either end, and the last entry of it.
    int32_t further, nearer, last;

    INK_INLINE bar_ends of(ink_normal along, double half_length) {
        const double start = end_start(along);
        return {
            share_edge::of(along), iota16() * (float)(along.x * 65535), (float)(start * 65535),
            distance_of(half_length - start), distance_of(-half_length - start), end_last(along)};
    }

    /// Whether no sixteen pixels meet both ends.
    INK_METHOD bool are_apart() const { return further - nearer >= last << end_step_bits; }

    /// - Parameter distances: of the first pixels from the middle.
    /// - Parameter size: from a step's entry to the next one's.
    INK_METHOD void locate(end_places &places, int16lanes distances, int size = 1) const {
        const int16lanes before = within(distances + further), behind = within(distances + nearer);
        locate(places.before, before, size);
        locate(places.behind, behind, size);
        places.between_all = is_everything(before) & (int16lanes)(behind == 0);
    }

    INK_METHOD share covered(const end_places &places, int i) const {
        const ushort16 a = before(places.before.at[i]), b = before(places.before.at[i] + 1);
        const ushort16 c = ~before(places.behind.at[i]), d = ~before(places.behind.at[i] + 1);
        return both(places.before.shared(a, twice_more(a, b), i), places.behind.shared(c, twice_more(c, d), i));
    }

    /// What lies before an end this many steps away.
    INK_METHOD ushort16 before(int32_t step) const {
        return edge.coverage(offsets + (first + (float)step * (65535.0f / INK_BAR_END_STEPS)));
    }

    /// No pixel meets both ends: of what lies before one and behind the other at least one is everything, 65,535.
    INK_INLINE share both(share before, share behind) {
        return {before.part + behind.part + 1, before.slope + behind.slope};
    }

    /// Whether all of sixteen pixels lies before an end, by their distance from its table's beginning.
    INK_METHOD int16lanes is_everything(int16lanes distances) const {
        return (int16lanes)(distances == last << end_step_bits);
    }

    /// Distances from a table's beginning, up to its last entry.
    INK_METHOD int16lanes within(int16lanes distances) const {
        return least(greatest(distances, (int16lanes)0), (int16lanes)(last << end_step_bits));
    }

    INK_INLINE void locate(table_places &places, int16lanes distances, int size) {
        *(int16lanes *)places.at = (distances >> end_step_bits) * size;
        *(int16lanes *)places.weight = (distances & ((1 << end_step_bits) - 1)) * 65537;
    }
};

/// What lies before an end at each step up to the last, where it is everything, and what lies behind one from there on.
void end_table(uint16_t *table, ink_normal along) {
    const bar_ends ends = bar_ends::of(along, 0);
    ushort16 there = ends.before(0);
    for (int step = 0; step < ends.last; step++) {
        const ushort16 next = ends.before(step + 1);
        store_entry(table, step, there, next);
        store_entry(table, ends.last + step, ~there, ~next);
        there = next;
    }
    store_entry(table, 2 * ends.last, ~there, ~there);
}

/// The same from a table.
struct bar_end_table {
    bar_ends ends;
    const uint16_t *table;

    INK_METHOD void locate(end_places &places, int16lanes distances) const {
        ends.locate(places, distances, entry_size);
    }

    INK_METHOD share covered(const end_places &places, int i) const {
        return bar_ends::both(places.before.shared(table, i), places.behind.shared(table + ends.last * entry_size, i));
    }
};

/// The same of ends that are apart: on the way through the whole table the first end is over where the second begins.
struct bar_ends_apart_table {
    bar_ends ends;
    const uint16_t *table;

    INK_METHOD void locate(end_places &places, int16lanes distances) const {
        const int16lanes way = ends.within(distances + ends.further) + ends.within(distances + ends.nearer);
        bar_ends::locate(places.before, way, entry_size);
        places.between_all = ends.is_everything(way);
    }

    INK_METHOD share covered(const end_places &places, int i) const { return places.before.shared(table, i); }
};

// MARK: Crossings

/// What crossing bars have in common: sides of one direction and ends of the other lie the same way and may meet the same
/// pixel, where their coverage is not independent and must not be multiplied.
struct bar_crossing {
    /// Whether they do, by so much that the product would be off by more than 0.006.
    bool is_close;
    /// All bits where the other direction's sides are measured against the direction of these ends.
    int16_t turned;
    /// What lies before the ends of a pixel in the middle of what they are in, a bar of the other direction or a gap between
    /// two, and all bits for a gap.
    uint16_t middle, gap;

    INK_INLINE bar_crossing of(const ink_bars &bars, const ink_bars &others) {
        const double last = others.count / 2;
        const double index = least((double)floor_of(bars.half_length / others.period + 0.5), last);
        const double from_bar = bars.half_length - index * others.period;
        const double clear = magnitude(magnitude(from_bar) - others.half_width);
        const bool is_gap = magnitude(from_bar) > others.half_width;
        const double half_way = from_bar < 0 ? -others.period / 2 : others.period / 2;
        const double from_middle = is_gap ? from_bar - half_way : from_bar;
        // The gap behind the last bar has no end.
        const bool is_behind = is_gap && from_bar > 0 && index == last;
        const share_edge edge = share_edge::of(bars.along);
        return {
            clear < 1.7 * shadow(bars.along),
            (int16_t)(bars.along.x * others.across.x + bars.along.y * others.across.y < 0 ? -1 : 0),
            is_behind ? (uint16_t)0 : edge.coverage((float16)(float)(from_middle * 65535))[0],
            is_gap ? (uint16_t)65535 : (uint16_t)0};
    }

    /// What lies within the other direction's sides, by the ends' normal.
    INK_METHOD share turned_side(share s) const { return {s.part, (s.slope ^ turned) - turned}; }

    /// What of a pixel lies between the ends and within the other direction's sides, exactly if it meets one of these sides:
    /// in the first half of a bar the one where it begins, in the other half the one where it ends; in a gap the other way
    /// round.
    INK_METHOD share common(share between_ends, share within_sides) const {
        const share side = turned_side(within_sides);
        const ushort16 ending = __builtin_elementwise_min(between_ends.part, side.part);
        // Hardly any pixel meets two borders: the other one has no slope.
        if (!is_close) return {ending, between_ends.slope + side.slope};
        const ushort16 beginning = __builtin_elementwise_sub_sat(between_ends.part, (ushort16)~side.part);
        const ushort16 is_ending = this->is_ending(between_ends);
        // Of two borders the one that leaves less says where there is more.
        const short16 by_ends = (short16)(between_ends.part < side.part);
        const short16 slope = (between_ends.slope & by_ends) | (side.slope & ~by_ends);
        return {(ending & is_ending) | (beginning & ~is_ending), slope};
    }

    /// What of a pixel lies between the ends and within the other direction's sides, of which it may meet any: by parallel
    /// borders that face the same way it is what the nearer one leaves.
    INK_METHOD slab common(share between_ends, const slab &within_sides) const {
        const ushort16 is_before = (ushort16)(between_ends.slope >> 15);
        const ushort16 first = turned ? within_sides.second : within_sides.first;
        const ushort16 second = turned ? within_sides.first : within_sides.second;
        return {
            __builtin_elementwise_min((ushort16)(between_ends.part | is_before), first),
            __builtin_elementwise_min((ushort16)(between_ends.part | ~is_before), second)};
    }

private:
    INK_METHOD ushort16 is_ending(share between_ends) const { return (ushort16)(between_ends.part < middle) ^ gap; }
};

// MARK: Rows

/// How the bars of one direction lie in rows and columns of pixels from the stamp's origin, a whole pixel.
struct bar_rows {
    stamp_borders borders;
    // For all stamps.
    ink_normal across, along;
    double inverse_period;
    /// By how much more in the next column and row: 2^-32 periods, 2^-19 pixels.
    uint32_t phase_by_column, phase_by_row;
    int32_t distance_by_column, distance_by_row;
    /// From the first phase at which any of sixteen pixels may meet a bar to the middle of one, and how many such phases there are.
    uint32_t phase_before, phases_met;
    // For a stamp.
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
        // Between two phases of a table a little more is covered than there is.
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

    /// - Parameters: x, y: the middle of the stamp's first pixel from its centre.
    INK_METHOD void place(double x, double y) {
        const double s = x * across.x + y * across.y, t = x * along.x + y * along.y;
        phase = (uint32_t)fixed(s * inverse_period);
        distance = distance_of(t);
        borders.place(s, t);
    }
};

/// The part of a stamp in sixteen rows, drawn sixteen pixels of a row at a time: for as many rows at once it is worked out
/// where in tables and in the plane those pixels are. Thin bars are worked out border by border.
template <bool is_thin, typename Side, typename End> struct stamp_rows {
    const bar_rows *bars;
    const Side *sides;
    const End *ends;
    const bar_crossing *crossings;
    const corner *corners;
    /// The plane at the stamp's origin, and its columns and rows from there.
    uint16_t *origin;
    int32_t stride, start, width, end_row;
    ushort16 alpha;
    /// From the origin.
    int16lanes rows;

    /// Where the coverage of sixteen pixels by one direction's bars is found, for each row.
    struct sources {
        table_places side;
        end_places end;
    };

    /// - Parameters: phase, distance: of the first pixels.
    INK_METHOD void locate(sources &s, int d, uint16lanes phase, int16lanes distance) const {
        sides[d].locate(s.side, phase);
        ends[d].locate(s.end, distance);
    }

    /// Draws what one direction's bars cover of those rows whose bits are set, two at a time.
    template <typename Mask>
    INK_METHOD void draw(
        const sources &s, int d, uint32_t rows, const int32_t *target, const Mask &mask) const {
        if constexpr (is_thin) {
            while (rows != 0) {
                const int i = take(rows);
                const slab side = sides[d].borders(s.side, i);
                multiply(target[i], corners[d].covered(side, ends[d].covered(s.end, i)) & mask(i));
            }
            return;
        }
        while ((rows & (rows - 1)) != 0) {
            const int i = take(rows), j = take(rows);
            const ushort32 covered = corner::covered(
                corners[d], corners[d], sides[d].covered(s.side, i), sides[d].covered(s.side, j),
                ends[d].covered(s.end, i), ends[d].covered(s.end, j));
            multiply(target[i], covered.lo & mask(i));
            multiply(target[j], covered.hi & mask(j));
        }
        if (rows == 0) return;
        const int i = take(rows);
        multiply(target[i], corners[d].covered(sides[d].covered(s.side, i), ends[d].covered(s.end, i)) & mask(i));
    }

    /// Draws what one direction's bars cover of those rows whose bits are set, which lie between all ends.
    template <typename Mask>
    INK_METHOD void draw_between_ends(
        const sources &s, int d, uint32_t rows, const int32_t *target, const Mask &mask) const {
        while (rows != 0) {
            const int i = take(rows);
            ushort16 part;
            if constexpr (is_thin) part = sides[d].borders(s.side, i).part();
            else part = sides[d].covered(s.side, i).part;
            multiply(target[i], part & mask(i));
        }
    }

    /// What the bars of either direction cover of sixteen pixels, and what lies within their borders: what both cover lies
    /// between the ends of either and within the other's sides.
    struct crossing_shares {
        ushort16 one, other;
        share side, end, other_side, other_end;

        /// By either.
        INK_METHOD ushort16 united(ushort16 both) const {
            return __builtin_elementwise_add_sat(one, __builtin_elementwise_sub_sat(other, both));
        }
    };

    /// - Parameter masks: pixels that the bars of one direction may meet.
    INK_METHOD crossing_shares shares(const sources (&s)[2], const ushort16 (&masks)[2], int i) const {
        const share side = within(masks[0], sides[0].covered(s[0].side, i)), end = ends[0].covered(s[0].end, i);
        const share other_side = within(masks[1], sides[1].covered(s[1].side, i));
        const share other_end = ends[1].covered(s[1].end, i);
        const ushort32 each = corner::covered(corners[0], corners[1], side, other_side, end, other_end);
        return {each.lo, each.hi, side, end, other_side, other_end};
    }

    /// By the normals of both ends, the second's first.
    INK_METHOD share common_u(const crossing_shares &s) const { return crossings[1].common(s.other_end, s.side); }
    INK_METHOD share common_v(const crossing_shares &s) const { return crossings[0].common(s.end, s.other_side); }

    INK_INLINE share within(ushort16 mask, share s) { return {s.part & mask, s.slope}; }

    /// What both directions' thin bars cover of sixteen pixels of a row.
    template <typename Masks>
    INK_METHOD ushort16 united_thin(const sources (&s)[2], bool meets_ends, const Masks &masks, int i) const {
        const slab side = sides[0].borders(s[0].side, i).within(masks(0, i));
        const slab other_side = sides[1].borders(s[1].side, i).within(masks(1, i));
        share end = {(ushort16)65535, (short16)(ushort16)0}, other_end = end;
        ushort16 one = side.part(), other = other_side.part();
        if (meets_ends) {
            end = ends[0].covered(s[0].end, i);
            other_end = ends[1].covered(s[1].end, i);
            one = corners[0].covered(side, end);
            other = corners[1].covered(other_side, other_end);
        }
        const ushort16 both = corners[2].covered(
            crossings[1].common(other_end, side), crossings[0].common(end, other_side));
        return __builtin_elementwise_add_sat(one, __builtin_elementwise_sub_sat(other, both));
    }

    /// Draws what both directions' bars cover of those rows whose bits are set, two at a time.
    template <typename Masks>
    INK_METHOD void draw_united(
        const sources (&s)[2], uint32_t rows, const int32_t *target, const Masks &masks) const {
        if constexpr (is_thin) {
            uint32_t between = rows & bits_of(s[0].end.between_all & s[1].end.between_all), others = rows & ~between;
            while (between != 0) {
                const int i = take(between);
                multiply(target[i], united_thin(s, false, masks, i));
            }
            while (others != 0) {
                const int i = take(others);
                multiply(target[i], united_thin(s, true, masks, i));
            }
            return;
        }
        const auto from = [&](int i) __attribute__((always_inline)) {
            return shares(s, {masks(0, i), masks(1, i)}, i);
        };
        while ((rows & (rows - 1)) != 0) {
            const int i = take(rows), j = take(rows);
            const crossing_shares a = from(i), b = from(j);
            const ushort32 both =
                corner::covered(corners[2], corners[2], common_u(a), common_u(b), common_v(a), common_v(b));
            multiply(target[i], a.united(both.lo));
            multiply(target[j], b.united(both.hi));
        }
        if (rows == 0) return;
        const int i = take(rows);
        const crossing_shares a = from(i);
        multiply(target[i], a.united(corners[2].covered(common_u(a), common_v(a))));
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
            const int16lanes there = (int16lanes)(left > 0) & in_cell(column) & bars[0].may_meet(phases);
            if (bits_of(there) != 0) {
                sources from;
                alignas(64) int32_t count[lanes], target[lanes];
                locate(from, 0, phases, distances);
                *(int16lanes *)count = least(left, (int16lanes)lanes);
                *(int16lanes *)target = rows * stride + column;
                const auto mask = [&](int i) __attribute__((always_inline)) { return first_lanes(count[i]); };
                draw(from, 0, bits_of(there & ~from.end.between_all), target, mask);
                draw_between_ends(from, 0, bits_of(there & from.end.between_all), target, mask);
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
                has[d] = (int16lanes)(left_out < within) & seen & bars[d].may_meet(phases[d]);
                *(int16lanes *)before[d] = left_out;
                *(int16lanes *)count[d] = within;
            }
            if (bits_of(has[0] | has[1]) != 0) {
                sources from[2];
                alignas(64) int32_t target[lanes];
                for (int d = 0; d < 2; d++) locate(from[d], d, phases[d], distances[d]);
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
        store(at, left_by(kept, taken, alpha));
    }
};

/// All of a group of stamps; `directions` is 1 or 2.
template <int directions, bool is_thin, typename Side, typename End>
INK_INLINE void multiply(
    ink_kept plane, const ink_bars *bars, const Side *sides, const End *ends, const ink_place *places, ptrdiff_t count) {
    bar_rows rows[directions];
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
        reach_x = greatest(reach_x, rows[d].borders.reach_x);
        reach_y = greatest(reach_y, rows[d].borders.reach_y);
    }
    for_each_stamp(plane, reach_x, reach_y, places, count, [&](const seen_stamp &stamp) __attribute__((always_inline)) {
        for (int d = 0; d < directions; d++) rows[d].place(stamp.x, stamp.y);
        stamp_rows<is_thin, Side, End> target = {
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

/// With those tables that there are for all directions.
template <int directions, bool is_thin>
INK_INLINE void multiply_by_tables(
    ink_kept plane, const ink_bars *bars, const ink_bar_tables *tables, const ink_place *places, ptrdiff_t count) {
    bar_sides sides[directions];
    bar_measured_sides measured[directions];
    bar_side_table side_tables[directions];
    bar_ends ends[directions];
    bar_end_table end_tables[directions];
    bar_ends_apart_table ends_tables[directions];
    bool have_phases = true, have_sides = true, have_ends = true, are_apart = true;
    for (int d = 0; d < directions; d++) {
        have_phases = have_phases && tables[d].phases > 0;
        have_sides = have_sides && tables[d].side;
        have_ends = have_ends && tables[d].end;
        ends[d] = bar_ends::of(bars[d].along, bars[d].half_length);
        are_apart = are_apart && ends[d].are_apart();
        end_tables[d] = {ends[d], tables[d].end};
        ends_tables[d] = {ends[d], tables[d].end};
    }
    const auto with_ends = [&](const auto *sides) __attribute__((always_inline)) {
        if (are_apart) multiply<directions, is_thin>(plane, bars, sides, ends_tables, places, count);
        else multiply<directions, is_thin>(plane, bars, sides, end_tables, places, count);
    };
    if (!have_phases) {
        for (int d = 0; d < directions; d++) measured[d] = bar_measured_sides::of(bars[d]);
        if (have_ends) with_ends(measured);
        else multiply<directions, is_thin>(plane, bars, measured, ends, places, count);
    } else if (have_sides && have_ends) {
        for (int d = 0; d < directions; d++) side_tables[d] = {tables[d].side, (uint32_t)tables[d].phases};
        with_ends(side_tables);
    } else {
        // Few stamps, of which other cells may have more: the same as by tables.
        for (int d = 0; d < directions; d++) sides[d] = bar_sides::of(bars[d], tables[d].phases);
        multiply<directions, is_thin>(plane, bars, sides, ends, places, count);
    }
}

void multiply_bars(
    ink_kept plane, const ink_bars *bars, const ink_bar_tables *tables, int32_t directions, const ink_place *places,
    ptrdiff_t count) {
    // Crossing bars are of one width.
    if (directions == 1 && bars->is_thin) multiply_by_tables<1, true>(plane, bars, tables, places, count);
    else if (directions == 1) multiply_by_tables<1, false>(plane, bars, tables, places, count);
    else if (bars->is_thin) multiply_by_tables<2, true>(plane, bars, tables, places, count);
    else multiply_by_tables<2, false>(plane, bars, tables, places, count);
}

}  // namespace INK_JOIN(bars_, INK_LEVEL)
}  // namespace
