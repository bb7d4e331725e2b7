// The union of convex parts that may overlap: exact along a row, and sampled at the middles of 64 lines a row, sixteen at
// a time.

namespace {
namespace INK_JOIN(parts_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

constexpr int lanes = INK_PART_INTERVALS;
/// Places on a line are whole numbers of 2^-12 pixels.
constexpr int32_t one = 4096;
/// What a line is of a row's height, 1/65,536.
constexpr int32_t weight = 65536 / INK_PART_LINES;

/// So far outside the cell lies what lies further outside, pixels.
constexpr int32_t margin = 4;

/// An interval on each of sixteen lines; where `end` < `start` there is none.
struct spans {
    int16lanes start, end;

    INK_INLINE spans none() { return {(int16lanes)INT32_MAX, (int16lanes)INT32_MIN}; }
    INK_METHOD int16lanes are_empty() const { return (int16lanes)(start > end); }
    /// Whether each covers all of the cell and the margin: no interval reaches further.
    INK_METHOD bool cover_cell(int32_t width) const {
        const int16lanes is_all = (int16lanes)(start <= -margin * one) & (int16lanes)(end >= (width + margin) * one);
        return __builtin_reduce_and(is_all) != 0;
    }
};

/// What lines meet of a part.
/// - Parameters: y: the lines, from the part's origin; left, width: the cell's
///   first column from the part's origin, less than 2^18 away, and its columns.
INK_INLINE spans spans_of(
    const ink_part &part, const ink_part_disc *discs, const ink_part_edge *edges, float16 y, int32_t left, int32_t width) {
    float16 start = (float16)1e9f, end = (float16)-1e9f;
    const auto include = [&](int16lanes is_met, float16 first, float16 last) __attribute__((always_inline)) {
        start = is_met ? least(start, first) : start;
        end = is_met ? greatest(end, last) : end;
    };
    for (int32_t i = part.first_disc; i < part.first_disc + part.disc_count; i++) {
        const ink_part_disc disc = discs[i];
        const float16 t = (y - disc.y) * disc.per_radius_y, square = 1.0f - t * t;
        const float16 half = __builtin_elementwise_sqrt(greatest(square, (float16)0.0f)) * disc.radius_x;
        include((int16lanes)(square > 0.0f), disc.x - half, disc.x + half);
    }
    for (int32_t i = part.first_edge; i < part.first_edge + part.edge_count; i++) {
        const ink_part_edge edge = edges[i];
        const float16 x = (y - edge.top) * edge.slope + edge.x;
        include((int16lanes)(y >= edge.top) & (int16lanes)(y < edge.bottom), x, x);
    }
    const float first = (float)(left - margin), last = (float)(left + width + margin);
    const auto fixed_place = [&](float16 v) __attribute__((always_inline)) {
        // What lies outside the cell lies just outside.
        const float16 scaled = least(greatest(v, (float16)first), (float16)last) * (float)one;
        return __builtin_convertvector(scaled, int16lanes) - left * one;
    };
    const int16lanes is_there = (int16lanes)(start < end);
    return {
        is_there ? fixed_place(start) : (int16lanes)INT32_MAX, is_there ? fixed_place(end) : (int16lanes)INT32_MIN};
}

/// The change of the running sums at a place, `count` times.
INK_INLINE void add_step(int32_t *row, int32_t column, int32_t share, int32_t whole) {
    row[column] += whole - share;
    row[column + 1] += share;
}

INK_INLINE int32_t share_beyond(int32_t place) { return ((place & (one - 1)) * weight + one / 2) / one; }

INK_INLINE void add_span(int32_t *row, int32_t start, int32_t end) {
    add_step(row, start >> 12, share_beyond(start), weight);
    add_step(row, end >> 12, -share_beyond(end), -weight);
}

/// One side of the intervals of sixteen lines, all of which are there.
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

/// Intervals of a line that do not touch the one that is being put together, in the order in which they came.
struct waiting {
    /// Starts and ends, `capacity` for each of sixteen lines.
    ink_interval *intervals;
    ptrdiff_t capacity;
    int32_t counts[lanes];

    INK_METHOD void put(int line, int32_t start, int32_t end) { intervals[line * capacity + counts[line]++] = {start, end}; }

    /// Adds the union of all of a line.
    INK_METHOD void add(int line, int32_t *row) {
        ink_interval *of = intervals + line * capacity;
        const int32_t count = counts[line];
        // Sorted by insertion over ever smaller distances (Shell, with Knuth's distances).
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

void add_parts(
    ink_deltas target, int32_t row, const ink_part *parts, const ink_part_disc *discs, const ink_part_edge *edges,
    const int32_t *indices, ptrdiff_t first, ptrdiff_t count, ink_interval *scratch) {
    int32_t *changes = target.values + row * target.stride;
    const float16 line = (iota16() + 0.5f) * (1.0f / INK_PART_LINES);
    for (int group = 0; group < INK_PART_LINES / lanes; group++) {
        const float16 lines = line + (float)group * ((float)lanes / INK_PART_LINES);
        spans all = spans::none();
        waiting others = {scratch, count, {}};
        bool is_one = true;
        for (ptrdiff_t i = 0; i < count; i++) {
            const ink_part part = parts[indices[first + i]];
            const float16 y = lines + (float)(target.top + row - part.origin_y);
            if (y[0] > part.bottom || y[lanes - 1] < part.top) continue;
            const spans next = spans_of(part, discs, edges, y, target.left - part.origin_x, target.width);
            const int16lanes meet = ((int16lanes)(next.start <= all.end) & (int16lanes)(all.start <= next.end))
                | next.are_empty() | all.are_empty();
            if (__builtin_reduce_and(meet) == 0) {
                is_one = false;
                for (int k = 0; k < lanes; k++) {
                    if (meet[k] == 0) others.put(k, all.start[k], all.end[k]);
                }
            }
            all.start = meet ? least(all.start, next.start) : next.start;
            all.end = meet ? greatest(all.end, next.end) : next.end;
            if (all.cover_cell(target.width)) {
                // Nothing more can be added, and what has been put away lies within.
                is_one = true;
                break;
            }
        }
        if (is_one && __builtin_reduce_or(all.are_empty()) == 0) {
            add_steps(changes, all.start, 1);
            add_steps(changes, all.end, -1);
            continue;
        }
        for (int k = 0; k < lanes; k++) {
            if (all.start[k] > all.end[k]) continue;
            others.put(k, all.start[k], all.end[k]);
            others.add(k, changes);
        }
    }
}

}  // namespace INK_JOIN(parts_, INK_LEVEL)
}  // namespace
