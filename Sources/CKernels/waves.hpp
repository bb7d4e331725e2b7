// Stamps of waves of one direction and size, by a table: what they cover of a pixel depends on the phase of the pixel
// between two lines and on its distance along them alone. Stamps look the same upside down, so half of them will do.

namespace {
namespace INK_JOIN(waves_, INK_LEVEL) {

using namespace INK_JOIN(stamps_, INK_LEVEL);

// MARK: Tables

/// Phases that are worked out together.
constexpr int32_t group = INK_WAVE_PHASES_MIN;

/// The slices of a pixel, each with what the sum of what it shares with lines counts.
struct wave_slices {
    struct slice {
        int32_t distance;
        uint16_t middle, width, weight;
    };
    slice slices[INK_WAVE_SLICES_MAX];
    int32_t count;
    /// A pixel that is covered is a little less than 2^bits.
    int32_t bits;

    INK_INLINE wave_slices of(const ink_wave_slice *all, int32_t count) {
        wave_slices s;
        uint32_t total = 1;
        for (int32_t i = 0; i < count; i++) total += (uint32_t)all[i].width * all[i].share >> 16;
        s.count = count;
        s.bits = 15;
        while (((uint64_t)1 << (s.bits + 16)) / total > 65535) s.bits--;
        const uint32_t weight = (uint32_t)(((uint64_t)1 << (s.bits + 16)) / total);
        for (int32_t i = 0; i < count; i++) {
            s.slices[i] = {all[i].distance, all[i].middle, all[i].width, (uint16_t)(weight * all[i].share >> 16)};
        }
        return s;
    }

    /// What lines cover of pixels at so many phases from one on, 1/255, rounded up to whole groups.
    /// - Parameters: first, step: 1/65,536 circle; halvings: 0 for a circle of one period, 1 for one of two with one line.
    /// - Returns: a bit for each group in which anything may be covered.
    INK_METHOD uint32_t cover(
        uint8_t *covered, int32_t phases, uint16_t first, uint16_t step, const ink_wave_section *sections,
        int32_t halvings) const {
        const ushort32 numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
        const reach all = reach_of(sections, halvings);
        uint32_t filled = 0;
        for (int32_t phase = 0; phase < phases; phase += group) {
            const uint16_t start = (uint16_t)(first + phase * step);
            if ((uint16_t)(start - all.start) > all.length && (uint16_t)(all.start - start) > (group - 1) * step) {
                store(covered + phase, (ushort32)(uint16_t)0, halvings);
                store(covered + phase + 32, (ushort32)(uint16_t)0, halvings);
                continue;
            }
            filled |= (uint32_t)1 << (phase / group);
            const ushort32 at = numbers * step + start;
            ushort32 sum = (ushort32)(uint16_t)0, later = (ushort32)(uint16_t)0;
            for (int32_t i = 0; i < count; i++) {
                const ink_wave_section section = sections[slices[i].distance];
                const uint16_t width = slices[i].width;
                // Two intervals on a circle share what is left of half of both widths, at most the shorter one.
                const ushort32 most = (ushort32)(uint16_t)((width < section.width ? width : section.width) >> halvings);
                const ushort32 reach = (ushort32)(uint16_t)((width + section.width) >> (halvings + 1));
                const ushort32 weight = (ushort32)slices[i].weight;
                const uint16_t middle = (uint16_t)((int16_t)(slices[i].middle - section.middle) >> halvings);
                const ushort32 here = at + middle, there = at + (uint16_t)(middle + 32 * step);
                sum += product(least(reach - least(size_of(here), reach), most), weight);
                later += product(least(reach - least(size_of(there), reach), most), weight);
            }
            store(covered + phase, sum, halvings);
            store(covered + phase + 32, later, halvings);
        }
        return filled;
    }

    /// All of a row of the table.
    /// - Returns: a bit for each group of the period in which anything may be covered.
    INK_METHOD uint32_t cover_row(
        uint8_t *covered, const ink_wave_table &table, const ink_wave_section *sections) const {
        const int32_t phases = 1 << table.phase_bits;
        const uint16_t step = (uint16_t)(65536 >> table.phase_bits);
        if (table.tail_count > 0) {
            const uint16_t half = step / 2, first = (uint16_t)(table.tail_start * half);
            const uint16_t last = (uint16_t)(first + (table.tail_count - 1) * half);
            cover(covered + phases + 1, table.tail_count, first, half, sections, 1);
            cover(covered + phases / 2 * 3, table.tail_count, (uint16_t)-last, half, sections, 1);
        }
        const uint32_t filled = cover(covered, phases, 0, step, sections, 0);
        covered[phases] = covered[0];
        return filled;
    }

private:
    /// An interval of a circle: `length` more than its start.
    struct reach {
        uint16_t start, length;
    };

    /// What holds all phases at which the slices meet a line.
    INK_METHOD reach reach_of(const ink_wave_section *sections, int32_t halvings) const {
        const uint16_t origin = (uint16_t)(sections[0].middle - slices[count / 2].middle);
        int32_t low = 0, high = 0;
        for (int32_t i = 0; i < count; i++) {
            const ink_wave_section section = sections[slices[i].distance];
            const int32_t from_origin = (int16_t)(section.middle - slices[i].middle - origin);
            const int32_t half = (slices[i].width + section.width) / 2 + 2;
            low = least(low, from_origin - half);
            high = greatest(high, from_origin + half);
        }
        // Where it is more than a circle all is reached.
        return {(uint16_t)(((int16_t)origin + low) >> halvings), (uint16_t)least((high - low) >> halvings, 65535)};
    }

    INK_INLINE ushort32 size_of(ushort32 v) { return (short32)v < 0 ? -v : v; }

    INK_METHOD void store(uint8_t *covered, ushort32 sum, int32_t halvings) const {
        const int32_t shift = bits - 8 - halvings;
        const ushort32 rounded = least((sum + (uint16_t)(1 << (shift - 1))) >> (uint16_t)shift, (ushort32)(uint16_t)255);
        *(uchar32_unaligned *)covered = __builtin_convertvector(rounded, uchar32);
    }
};

void wave_table(
    const ink_wave_table *table, uint32_t *entries, const ink_wave_section *sections, const ink_wave_slice *slices,
    int32_t slice_count) {
    const wave_slices pixel = wave_slices::of(slices, slice_count);
    const int32_t phases = 1 << table->phase_bits, width = 2 * phases;
    const int32_t used = table->tail_count > 0 ? width : phases;
    uint8_t covered[2][2 * INK_WAVE_PHASES_MAX + 128];
    uint32_t filled = pixel.cover_row(covered[0], *table, sections);
    for (int32_t row = 0; row < table->rows; row++) {
        const uint8_t *here = covered[row & 1];
        uint8_t *next = covered[(row & 1) ^ 1];
        const uint32_t next_filled = pixel.cover_row(next, *table, sections + row + 1), either = filled | next_filled;
        // The last entry of a group has the first phase of the next one, of the last group that of the first.
        const uint32_t meant = either | either >> 1 | either << (phases / group - 1) | ~(uint32_t)0 << (phases / group);
        for (int32_t phase = 0; phase < used; phase += lanes) {
            uint16lanes_unaligned *entry = (uint16lanes_unaligned *)(entries + row * width + phase);
            if ((meant >> (phase / group) & 1) == 0) {
                *entry = (uint16lanes)0;
                continue;
            }
            const auto wide = [&](const uint8_t *from) __attribute__((always_inline)) {
                return __builtin_convertvector(*(const uchar16_unaligned *)(from + phase), uint16lanes);
            };
            *entry = wide(here) | wide(here + 1) << 8 | wide(next) << 16 | wide(next + 1) << 24;
        }
        filled = next_filled;
    }
}

// MARK: Stamps

/// How the stamps' phases and distances lie in rows and columns of pixels: 2^-16 steps of the table.
struct wave_rows {
    stamp_borders borders;
    ink_normal across, along;
    /// Steps of a measure across and along.
    double per_phase, per_row;
    int32_t phase_by_column, phase_by_row, distance_by_column, distance_by_row;
    const uint32_t *entries;
    int32_t phase_bits, last_row;
    /// Where the outermost line has no neighbour that a pixel might meet, from the middle on, and the last phase there.
    int32_t tail_start, tail_last;

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
        return r;
    }

    /// What the lines cover of sixteen pixels, 1/65,535, between four entries of the table.
    INK_METHOD ushort16 covered(int16lanes phase, int16lanes distance) const {
        const int16lanes turned = distance >> 31;
        phase = (phase ^ turned) - turned;
        distance = least((distance ^ turned) - turned, (int16lanes)last_row);
        const int32_t one = 65536 << phase_bits;
        const int16lanes above = phase - tail_start, below = phase + (tail_start + tail_last + 65536);
        int16lanes place = phase & (one - 1);
        place = above >= 0 ? least(above, (int16lanes)tail_last) + (one + 65536) : place;
        place = below <= tail_last ? greatest(below, (int16lanes)0) + one / 2 * 3 : place;
        const uint16lanes four = gathered((int16lanes)((distance >> 16) << (phase_bits + 1)) + (place >> 16));
        // Between phases, two rows at once in halves of each lane; then between rows.
        const uint16lanes part = (uint16lanes)(place >> 12) & 15;
        const ushort32 near = (ushort32)(four & 0x00FF00FF), far = (ushort32)((four >> 8) & 0x00FF00FF);
        const uint16lanes both = (uint16lanes)(near * (uint16_t)16 + (far - near) * (ushort32)(part | part << 16));
        const uint16lanes part_of_row = (uint16lanes)(distance >> 12) & 15;
        const uint16lanes sum = weighted(both, (16 - part_of_row) | part_of_row << 16);
        return __builtin_convertvector(sum + (sum >> 8), ushort16);
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
        uint16lanes four;
        for (int i = 0; i < lanes; i++) four[i] = entries[place[i]];
        return four;
#endif
    }

    /// The sum of the products of both halves of each lane.
    INK_INLINE uint16lanes weighted(uint16lanes a, uint16lanes b) {
#if defined(__x86_64__) && INK_RANK >= 2
        return (uint16lanes)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__x86_64__) && INK_RANK >= 1
        const uint8lanes low = (uint8lanes)_mm256_madd_epi16((__m256i)a.lo, (__m256i)b.lo);
        const uint8lanes high = (uint8lanes)_mm256_madd_epi16((__m256i)a.hi, (__m256i)b.hi);
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
        return (a & 0xFFFF) * (b & 0xFFFF) + (a >> 16) * (b >> 16);
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
                    store(at, kept - product(kept, product(taken, stamp.alpha)));
                }
            }
        }
    };
    for_each_stamp(plane, rows.borders.reach_x, rows.borders.reach_y, places, count, draw);
}

}  // namespace INK_JOIN(waves_, INK_LEVEL)
}  // namespace
