// Stamps of waves of one direction and size, drawn from a table. The coverage of a pixel depends only on its phase
// between two lines and on its distance along them. Stamps are point-symmetric, so the table holds one half.
#pragma once

#include "stamps.hpp"

namespace INK_LEVEL::waves {
namespace {

using namespace stamps;

// MARK: Tables

/// Number of phases that are computed together.
constexpr int32_t group = INK_WAVE_PHASES_MIN;

/// Coverage of pixels in a row of the table, in 1/65,535: at the phases of a circle, again at its first phase, and at
/// those of both tails. One more value precedes those of the upper tail; 0 precedes those of the lower one.
struct wave_row {
    /// One bit for each group of the circle whose coverage may not be 0.
    uint32_t filled;

    INK_METHOD uint16_t *covered() { return values + 1; }
    INK_METHOD const uint16_t *covered() const { return values + 1; }

    /// First entry of each tail.
    INK_INLINE int32_t upper_tail(int32_t phases) { return phases + 2; }
    INK_INLINE int32_t lower_tail(int32_t phases) { return phases / 2 * 3; }

private:
    /// One more on either side, plus padding of the last group.
    uint16_t values[1 + 2 * INK_WAVE_PHASES_MAX + group];
};

/// The slices of a pixel, each at a section of its own.
struct wave_slices {
    int32_t count;

    INK_INLINE wave_slices of(const ink_wave_slice *all, int32_t count) {
        wave_slices s = {};
        uint32_t total = 0;
        for (int32_t i = 0; i < count; i++) total += ((uint32_t)all[i].width * all[i].share >> 16) + 1;
        s.count = count;
        s.bits = 15;
        while (((uint64_t)1 << (s.bits + 16)) / total > 65535) s.bits--;
        const uint32_t weight = (uint32_t)(((uint64_t)1 << (s.bits + 16)) / total);
        for (int32_t i = 0; i < count; i++) {
            s.middle[i] = all[i].middle;
            s.width[i] = all[i].width;
            s.weight[i] = twice(weight * all[i].share >> 16);
        }
        for (int32_t halvings = 0; halvings < 2; halvings++) {
            uint32_t full = 0;
            for (int32_t i = 0; i < count; i++) full += (s.width[i] >> halvings) * (s.weight[i] >> 16) >> 16;
            full <<= 16 - s.bits + halvings;
            s.filling[halvings] = full < 32768 ? 65535 : (uint16_t)((65535 - full) * 65536 / full);
        }
        return s;
    }

    /// Computes a row of the table, except for the part derived from neighbouring rows.
    INK_METHOD void cover(wave_row &row, const ink_wave_table &table, const ink_wave_section *sections) const {
        const int32_t phases = 1 << table.phase_bits;
        const uint16_t step = (uint16_t)(65536 >> table.phase_bits);
        uint16_t *covered = row.covered();
        cover_circle(row, phases, step, sections);
        covered[-1] = covered[phases - 1];
        covered[phases] = covered[0];
        if (table.tail_count == 0) return;
        const uint16_t half = step / 2, before = (uint16_t)((table.tail_start - 1) * half);
        const uint16_t last = (uint16_t)(before + table.tail_count * half);
        const meetings met = meet(sections, 1);
        cover(covered + wave_row::upper_tail(phases) - 1, table.tail_count + 1, before, half, met, 1);
        cover(covered + wave_row::lower_tail(phases), table.tail_count, (uint16_t)-last, half, met, 1);
    }

private:
    /// Middle and width in 1/65,536 period; the weight of each slice in the sum, as `meetings` needs it.
    uint32_t middle[INK_WAVE_SLICES_MAX], width[INK_WAVE_SLICES_MAX], weight[INK_WAVE_SLICES_MAX];
    /// A pixel that is completely covered is slightly less than 2^bits.
    int32_t bits;
    /// Factors that make this 65,535, on a circle of one period and on one of two.
    uint16_t filling[2];

    /// Each slice with the section at its position, for several phases; all values are repeated in both halves.
    struct meetings {
        /// Two intervals on a circle overlap by half of the sum of both widths minus their distance, but at most by the
        /// shorter width.
        uint32_t most[INK_WAVE_SLICES_MAX], reach[INK_WAVE_SLICES_MAX];
        /// From the middle of one to the middle of the other.
        uint32_t between[INK_WAVE_SLICES_MAX];
        /// Start of the range of all phases at which they overlap, on a circle of one period; none if `length` is
        /// negative.
        uint16_t start;
        int32_t length;
    };

    template <typename V> INK_INLINE V twice(V v) { return v | v << 16; }

    /// - Parameter halvings: 0 for a circle of one period, 1 for a circle of two periods with one line.
    INK_METHOD meetings meet(const ink_wave_section *sections, int32_t halvings) const {
        meetings met;
        const ink_wave_section *first = sections - count / 2;
        // Where any slice meets a line, the first one does, because lines end further out.
        const uint32_t origin = first->middle - middle[0];
        int16lanes low = (int16lanes)65536, high = (int16lanes)-65536;
        const int16lanes numbers = __builtin_convertvector(iota16(), int16lanes);
        for (int32_t i = 0; i < count; i += lanes) {
            const uint16lanes section = *(const uint16lanes_unaligned *)(first + i);
            const uint16lanes own_width = *(const uint16lanes_unaligned *)(width + i), width = section >> 16;
            const uint16lanes between = *(const uint16lanes_unaligned *)(middle + i) - (section & 65535);
            const uint16lanes reach = (own_width + width) >> 1;
            const int16lanes signed_between = (int16lanes)(between << 16) >> 16;
            *(uint16lanes_unaligned *)(met.most + i) = twice(least(own_width, width) >> halvings);
            *(uint16lanes_unaligned *)(met.reach + i) = twice(reach >> halvings);
            *(uint16lanes_unaligned *)(met.between + i) = twice((uint16lanes)(signed_between >> halvings) & 65535);
            const int16lanes from_origin = (int16lanes)((0 - between - origin) << 16) >> 16;
            const int16lanes half = (int16lanes)reach + 2;
            const int16lanes is_met = (width != 0) & (numbers < count - i);
            low = is_met ? least(low, from_origin - half) : low;
            high = is_met ? greatest(high, from_origin + half) : high;
        }
        const int32_t lowest = __builtin_reduce_min(low);
        met.start = (uint16_t)(origin + (uint32_t)lowest);
        met.length = __builtin_reduce_max(high) - lowest;
        return met;
    }

    /// Computes the phases of a whole period, and which groups of them may be covered.
    INK_METHOD void cover_circle(
        wave_row &row, int32_t phases, uint16_t step, const ink_wave_section *sections) const {
        __builtin_memset(row.covered(), 0, (size_t)phases * sizeof(uint16_t));
        row.filled = 0;
        const meetings met = meet(sections, 0);
        if (met.length < 0) return;
        uint16_t covered[INK_WAVE_PHASES_MAX];
        const int32_t first = met.start / step, steps = (met.start % step + met.length) / step + 1;
        const int32_t met_phases = least((steps + group - 1) / group * group, phases);
        cover(covered, met_phases, (uint16_t)(first * step), step, met, 0);
        const int32_t before_end = least(met_phases, phases - first);
        __builtin_memcpy(row.covered() + first, covered, (size_t)before_end * sizeof *covered);
        __builtin_memcpy(row.covered(), covered + before_end, (size_t)(met_phases - before_end) * sizeof *covered);
        for (int32_t i = 0; i < met_phases; i += group) row.filled |= 1u << ((first + i) / group % (phases / group));
        row.filled |= 1u << ((first + met_phases - 1) / group % (phases / group));
    }

    /// Computes the coverage at a number of phases, rounded up to whole groups.
    /// - Parameters: first, step: in 1/65,536 circle.
    INK_METHOD void cover(
        uint16_t *covered, int32_t phases, uint16_t first, uint16_t step, const meetings &met,
        int32_t halvings) const {
        const ushort32 numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        const auto same = [](uint32_t both) __attribute__((always_inline)) { return (ushort32)(uint16lanes)both; };
        for (int32_t phase = 0; phase < phases; phase += group) {
            const ushort32 at = numbers * step + (uint16_t)(first + phase * step);
            const ushort32 later_at = at + (uint16_t)(32 * step);
            ushort32 sum = (ushort32)(uint16_t)0, later = (ushort32)(uint16_t)0;
            for (int32_t i = 0; i < count; i++) {
                const ushort32 most = same(met.most[i]), reach = same(met.reach[i]), each = same(weight[i]);
                const ushort32 here = size_of(at + same(met.between[i]));
                const ushort32 there = size_of(later_at + same(met.between[i]));
                sum += product(least(__builtin_elementwise_sub_sat(reach, here), most), each);
                later += product(least(__builtin_elementwise_sub_sat(reach, there), most), each);
            }
            store(covered + phase, share(sum, halvings));
            store(covered + phase + 32, share(later, halvings));
        }
    }

    INK_INLINE ushort32 size_of(ushort32 v) { return (ushort32)__builtin_elementwise_abs((short32)v); }

    /// Overlap of all slices with lines, in 1/65,535.
    INK_METHOD ushort32 share(ushort32 sum, int32_t halvings) const {
        const ushort32 wide = sum << (uint16_t)(16 - bits + halvings);
        return wide + product(wide, (ushort32)filling[halvings]);
    }
};

/// Computes a row to interpolate from, of `used` phases, from the row itself and both its neighbours.
///
/// Planes through the values themselves would on average be off by 1/12 of the curvature in both directions: narrow
/// gaps would be too dark, and thin lines too light.
INK_INLINE void sharpen(
    wave_row &sharp, const wave_row &above, const wave_row &row, const wave_row &below, int32_t phases, int32_t used) {
    const uint16_t *here = row.covered(), *up = above.covered(), *down = below.covered();
    for (int32_t phase = 0; phase < used; phase += 32) {
        const ushort32 value = load32(here + phase);
        const ushort32 beside = (load32(here + phase - 1) >> 2) + (load32(here + phase + 1) >> 2)
            + (load32(up + phase) >> 2) + (load32(down + phase) >> 2);
        const ushort32 third = (ushort32)(uint16_t)21845;
        const ushort32 more = product(__builtin_elementwise_sub_sat(value, beside), third);
        const ushort32 less = product(__builtin_elementwise_sub_sat(beside, value), third);
        store(
            sharp.covered() + phase,
            __builtin_elementwise_sub_sat(__builtin_elementwise_add_sat(value, more), less));
    }
    // The entry before the upper tail is its neighbour only in memory.
    sharp.covered()[phases] = sharp.covered()[0];
    sharp.filled = row.filled;
}

/// The entry for coverage 0. Planes may go below 0 and above full coverage by at most this much.
constexpr uint16_t wave_zero = 16384;

/// Sixteen entries of a table, from the coverage in two rows at sixteen phases and at the next ones: the plane closest
/// to all four, in 1/32,768.
INK_INLINE uint16lanes wave_entries(int16lanes here, int16lanes after, int16lanes below, int16lanes below_after) {
    const auto slope = [&](int16lanes twice) __attribute__((always_inline)) {
        return least(greatest((twice + 256) >> 9, (int16lanes)-127), (int16lanes)127);
    };
    const int16lanes by_phase = slope(after - here + below_after - below);
    const int16lanes by_row = slope(below - here + below_after - after);
    const int16lanes middle = ((here + after + below + below_after + 4) >> 3) + wave_zero;
    return (uint16lanes)((middle - (by_phase + by_row) * 64) | (by_phase & 255) << 16 | by_row << 24);
}

void wave_table(
    const ink_wave_table *table, uint32_t *entries, const ink_wave_section *sections, const ink_wave_slice *slices,
    int32_t slice_count) {
    const wave_slices pixel = wave_slices::of(slices, slice_count);
    const int32_t phases = 1 << table->phase_bits, width = 2 * phases;
    const int32_t used = table->tail_count > 0 ? width : phases;
    // Three rows are kept in rotation, and two of those to interpolate from; 0 where nothing is written.
    wave_row rows[3] = {}, sharp[2] = {};
    for (int32_t row = -1; row <= 1; row++) pixel.cover(rows[row + 1], *table, sections + row);
    sharpen(sharp[0], rows[0], rows[1], rows[2], phases, used);
    for (int32_t row = 0; row < table->rows; row++) {
        wave_row &below = rows[row % 3];
        pixel.cover(below, *table, sections + row + 2);
        const wave_row &here = sharp[row & 1];
        wave_row &next = sharp[(row & 1) ^ 1];
        sharpen(next, rows[(row + 1) % 3], rows[(row + 2) % 3], below, phases, used);
        const uint32_t either = here.filled | next.filled;
        // The last entry of a group depends on the first phase of the next group; that of the last group, on the first
        // group.
        const uint32_t meant = either | either >> 1 | either << (phases / group - 1) | ~(uint32_t)0 << (phases / group);
        for (int32_t phase = 0; phase < used; phase += lanes) {
            uint16lanes_unaligned *entry = (uint16lanes_unaligned *)(entries + row * width + phase);
            if ((meant >> (phase / group) & 1) == 0) {
                *entry = (uint16lanes)(uint32_t)wave_zero;
                continue;
            }
            const auto wide = [&](const uint16_t *from) __attribute__((always_inline)) {
                return __builtin_convertvector(load16(from + phase), int16lanes);
            };
            *entry = wave_entries(
                wide(here.covered()), wide(here.covered() + 1), wide(next.covered()), wide(next.covered() + 1));
        }
    }
}

// MARK: Stamps

/// Phases and distances of the stamps in rows and columns of pixels, in 2^-16 steps of the table.
struct wave_rows {
    stamp_borders borders;
    ink_normal across, along;
    /// Steps of a distance across and along.
    double per_phase, per_row;
    int32_t phase_by_column, phase_by_row, distance_by_column, distance_by_row;
    const uint32_t *entries;
    int32_t phase_bits, last_row;
    /// The range, from the middle on, in which the outermost line has no neighbour that a pixel might meet, and its
    /// last phase.
    int32_t tail_start, tail_last, upper_tail, lower_tail;

    INK_INLINE int32_t steps_of(double a) { return (int32_t)floor_of(a * 65536 + 0.5); }

    INK_INLINE wave_rows of(const ink_waves &waves, const ink_wave_table &table) {
        wave_rows r;
        r.borders = stamp_borders::of(
            waves.across, waves.along, waves.side + shadow(waves.across), waves.end + shadow(waves.along));
        r.across = waves.across;
        r.along = waves.along;
        r.per_phase = (double)(1 << table.phase_bits) / waves.period;
        r.per_row = 1 / waves.row;
        r.phase_by_column = steps_of(waves.across.x * r.per_phase);
        r.phase_by_row = steps_of(waves.across.y * r.per_phase);
        r.distance_by_column = steps_of(waves.along.x * r.per_row);
        r.distance_by_row = steps_of(waves.along.y * r.per_row);
        r.entries = table.entries;
        r.phase_bits = table.phase_bits;
        r.last_row = (table.rows - 1) << 16;
        r.tail_start = table.tail_count > 0 ? ((3 << table.phase_bits) + table.tail_start) << 16 : INT32_MAX / 2;
        r.tail_last = (table.tail_count - 2) * 65536;
        r.upper_tail = wave_row::upper_tail(1 << table.phase_bits) << 16;
        r.lower_tail = wave_row::lower_tail(1 << table.phase_bits) << 16;
        return r;
    }

    /// Coverage by the lines of sixteen pixels, in 1/65,535.
    INK_METHOD ushort16 covered(int16lanes phase, int16lanes distance) const {
        const int16lanes turned = distance >> 31;
        phase = (phase ^ turned) - turned;
        distance = least((distance ^ turned) - turned, (int16lanes)last_row);
        const int32_t one = 65536 << phase_bits;
        const int16lanes above = phase - tail_start, below = phase + (tail_start + tail_last + 65536);
        int16lanes place = phase & (one - 1);
        place = above >= 0 ? least(above, (int16lanes)tail_last) + upper_tail : place;
        place = below <= tail_last ? greatest(below, (int16lanes)0) + lower_tail : place;
        const uint16lanes entry = gathered((int16lanes)((distance >> 16) << (phase_bits + 1)) + (place >> 16));
        const uint16lanes phase_part = (uint16lanes)(place >> 9) & 127, row_part = (uint16lanes)(distance >> 9) & 127;
        const uint16lanes here = entry + (slopes(entry, phase_part << 16 | row_part << 24) >> 16);
        const ushort16 half = __builtin_elementwise_sub_sat(
            __builtin_convertvector(here, ushort16), (ushort16)wave_zero);
        return __builtin_elementwise_add_sat(half, half);
    }

private:
    INK_METHOD uint16lanes gathered(int16lanes place) const {
#if defined(__x86_64__) && INK_RANK >= 2
        return (uint16lanes)_mm512_i32gather_epi32((__m512i)place, entries, 4);
#elif defined(__x86_64__) && INK_RANK >= 1
        const uint8lanes low = (uint8lanes)_mm256_i32gather_epi32((const int *)entries, (__m256i)place.lo, 4);
        const uint8lanes high = (uint8lanes)_mm256_i32gather_epi32((const int *)entries, (__m256i)place.hi, 4);
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
        // In memory: inserting and extracting the lanes of a vector would wait for each lane.
        alignas(64) int32_t from[lanes];
        alignas(64) uint32_t found[lanes];
        *(int16lanes *)from = place;
        for (int i = 0; i < lanes; i++) found[i] = entries[from[i]];
        return *(const uint16lanes *)found;
#endif
    }

    /// The sum of each entry's two slopes times the distance from the entry, in the upper halves.
    INK_INLINE uint16lanes slopes(uint16lanes entry, uint16lanes parts) {
#if defined(__x86_64__) && INK_RANK >= 2
        return (uint16lanes)_mm512_maddubs_epi16((__m512i)parts, (__m512i)entry);
#elif defined(__x86_64__) && INK_RANK >= 1
        const uint8lanes low = (uint8lanes)_mm256_maddubs_epi16((__m256i)parts.lo, (__m256i)entry.lo);
        const uint8lanes high = (uint8lanes)_mm256_maddubs_epi16((__m256i)parts.hi, (__m256i)entry.hi);
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
        const int16lanes by_phase = (int16lanes)(entry << 8) >> 24, by_row = (int16lanes)entry >> 24;
        return (uint16lanes)(by_phase * (int16lanes)(parts >> 16 & 255) + by_row * (int16lanes)(parts >> 24)) << 16;
#endif
    }
};

void multiply_waves(
    ink_kept plane, const ink_waves *waves, const ink_wave_table *table, const ink_place *places, ptrdiff_t count) {
    wave_rows rows = wave_rows::of(*waves, *table);
    const int16lanes number = __builtin_convertvector(iota16(), int16lanes);
    const int16lanes phase_steps = number * rows.phase_by_column, distance_steps = number * rows.distance_by_column;
    const auto draw = [&](const seen_stamp &stamp) __attribute__((always_inline)) {
        const double s = stamp.x * rows.across.x + stamp.y * rows.across.y;
        const double t = stamp.x * rows.along.x + stamp.y * rows.along.y;
        rows.borders.place(s, t);
        const int32_t phase = wave_rows::steps_of(s * rows.per_phase), distance = wave_rows::steps_of(t * rows.per_row);
        const int32_t cell_end = stamp.start + plane.width;
        for (int32_t first_row = stamp.first_row; first_row < stamp.end_row; first_row += lanes) {
            const columns inside = rows.borders.inside(iota16() + (float)first_row);
            alignas(64) int32_t firsts[lanes], ends[lanes];
            *(int16lanes *)firsts = inside.first;
            *(int16lanes *)ends = least(inside.end, (int16lanes)cell_end);
            const int32_t count = stamp.end_row - first_row < lanes ? stamp.end_row - first_row : lanes;
            for (int32_t i = 0; i < count; i++) {
                const int32_t row = first_row + i, end = ends[i];
                int32_t column = firsts[i];
                // Whole steps to the cell.
                if (column < stamp.start) column += (stamp.start - column) / lanes * lanes;
                const int32_t row_phase = phase + row * rows.phase_by_row;
                const int32_t row_distance = distance + row * rows.distance_by_row;
                for (; column < end; column += lanes) {
                    const int16lanes phases = phase_steps + (row_phase + column * rows.phase_by_column);
                    const int16lanes distances = distance_steps + (row_distance + column * rows.distance_by_column);
                    const int32_t left = end - column;
                    const ushort16 taken = rows.covered(phases, distances) & first_lanes(left < lanes ? left : lanes);
                    uint16_t *at = stamp.origin + row * (int32_t)plane.stride + column;
                    const ushort16 kept = load16(at);
                    store(at, left_by(kept, taken, stamp.alpha));
                }
            }
        }
    };
    for_each_stamp(plane, rows.borders.reach_x, rows.borders.reach_y, places, count, draw);
}

}  // namespace
}  // namespace INK_LEVEL::waves
