// Polygons that are drawn once, by the areas under their edges as outlines are: an edge is cut where it passes from row to
// row, or, where it leads more to the side than down, from column to column. What a cut adds depends on the edge alone, in
// whole numbers. Marks say which sixteen pixels of a row edges pass, so that what lies between is looked at only where it is
// inside.

namespace {
namespace INK_JOIN(outline_, INK_LEVEL) {

/// Pixels, in 1/65,536.
constexpr int32_t pixel = 65536;
/// The longest edge that is cut as it is, pixels either way: Float holds its places to 1/65,536 pixel.
constexpr int32_t edge_reach = 256;
/// How far edges that are marked together may reach, pixels.
constexpr int32_t marked_together = 12;
/// Cuts that are put aside before they are added.
constexpr int32_t cuts_max = 512;

/// The whole numbers of values of up to 2^31 without their fractions.
INK_INLINE int16lanes whole(float16 v) { return __builtin_convertvector(v, int16lanes); }

/// What sixteen cuts, none wider than a pixel, add to three pixels of a row each.
struct cut_shares {
    int16lanes first, second, third;

    /// - Parameters: left, way: where the cuts begin and how wide they are, 1/65,536 pixel; height: likewise; steepness: half
    ///   of the height by the way, 1/65,536.
    INK_INLINE cut_shares of(int16lanes left, int16lanes way, int16lanes height, float16 steepness) {
        const float16 from = to_float(left & (pixel - 1)), to = from + to_float(way);
        // What lies beyond the pixel is a triangle; what lies in it and beyond, a trapezoid.
        const float16 beyond = greatest(to - (float)pixel, (float16)0.0f);
        const float16 triangle = beyond * beyond * steepness;
        const int16lanes outer = nearest(triangle);
        const int16lanes next = nearest(to_float(height) * (0.5f / pixel) * (from + to) - triangle);
        return {height - next, next - outer, outer};
    }

    INK_INLINE float16 steepness(int16lanes way, int16lanes height) {
        // The areas beside a narrower cut are too small to be told apart.
        return to_float(height) * (0.5f / pixel) / to_float(greatest(way, (int16lanes)64));
    }
};

/// Cuts of edges from an upper to a lower end, 1/65,536 pixel from the cell's first one.
struct cuts {
    int32_t count = 0;
    int32_t x_upper[cuts_max], y_upper[cuts_max], x_lower[cuts_max], y_lower[cuts_max];
    /// -1 for an edge that leads upwards, else 0.
    int32_t is_upward[cuts_max];

    INK_METHOD void put(
        int32_t of, int16lanes first_x, int16lanes first_y, int16lanes last_x, int16lanes last_y, int32_t upward) {
        store(x_upper + count, first_x);
        store(y_upper + count, first_y);
        store(x_lower + count, last_x);
        store(y_lower + count, last_y);
        store(is_upward + count, (int16lanes)upward);
        count += of;
    }

    INK_METHOD void put_one(int32_t first_x, int32_t first_y, int32_t last_x, int32_t last_y, int32_t upward) {
        x_upper[count] = first_x;
        y_upper[count] = first_y;
        x_lower[count] = last_x;
        y_lower[count] = last_y;
        is_upward[count] = upward;
        count++;
    }

    /// Fills up the last vector with cuts of no height.
    INK_METHOD void fill_up() {
        store(y_upper + count, (int16lanes)0);
        store(y_lower + count, (int16lanes)0);
        store(x_upper + count, (int16lanes)0);
        store(x_lower + count, (int16lanes)0);
    }
};

/// What some edges pass, 1/65,536 pixel from the cell's first one.
struct extent {
    int32_t left = INT32_MAX, top = INT32_MAX, right = INT32_MIN, bottom = INT32_MIN;
};

struct edge_cutter {
    ink_deltas target;
    /// Neighbouring edges not yet marked.
    extent passed;
    /// Whole edges of at most a pixel either way. Of edges that lead down more than to the side: each within a row. Of the
    /// others: each within a column.
    cuts short_edges, steep, level;
    int32_t places[cuts_max], first[cuts_max], second[cuts_max], third[cuts_max];

    /// Where a pixel is, counted from the cell's first. What lies outside goes to the margins.
    INK_METHOD int16lanes place(int16lanes row, int16lanes column) const {
        const int16lanes to_row = least(greatest(row, (int16lanes)-1), (int16lanes)target.height);
        const int16lanes to_column = least(greatest(column, (int16lanes)-8), (int16lanes)(target.width + 8));
        return to_row * target.stride + to_column;
    }

    void add_steep() {
        steep.fill_up();
        for (int32_t i = 0; i < steep.count; i += lanes) {
            const int16lanes a = wholes16(steep.x_upper + i), b = wholes16(steep.x_lower + i);
            const int16lanes top = wholes16(steep.y_upper + i), sign = wholes16(steep.is_upward + i);
            const int16lanes height = wholes16(steep.y_lower + i) - top;
            const int16lanes left = least(a, b), way = greatest(a, b) - left;
            const cut_shares all = cut_shares::of(left, way, height, cut_shares::steepness(way, height));
            store(places + i, place(top >> 16, left >> 16));
            store(first + i, (all.first ^ sign) - sign);
            store(second + i, (all.second ^ sign) - sign);
            store(third + i, (all.third ^ sign) - sign);
        }
        for (int32_t i = 0; i < steep.count; i++) add(i);
        steep.count = 0;
    }

    /// Adds a cut's shares.
    INK_METHOD void add(int32_t cut) const {
        int32_t *at = target.values + places[cut];
        at[0] += first[cut];
        at[1] += second[cut];
        at[2] += third[cut];
    }

    /// Edges of at most a pixel either way may pass from a row to the next and from a column to the next but one.
    void add_short() {
        short_edges.fill_up();
        for (int32_t i = 0; i < short_edges.count; i += lanes) {
            const int16lanes upper = wholes16(short_edges.x_upper + i), lower = wholes16(short_edges.x_lower + i);
            const int16lanes top = wholes16(short_edges.y_upper + i), height = wholes16(short_edges.y_lower + i) - top;
            const int16lanes sign = wholes16(short_edges.is_upward + i), row = top >> 16;
            const int16lanes above = least(((row + 1) << 16) - top, height), below = height - above;
            const float16 part = to_float(above) / to_float(greatest(height, (int16lanes)1));
            const int16lanes middle = upper + nearest(to_float(lower - upper) * part);
            const int16lanes way = greatest(upper, lower) - least(upper, lower);
            const float16 steepness = cut_shares::steepness(way, height);
            const auto keep = [&](int32_t at, int16lanes in_row, int16lanes a, int16lanes b, int16lanes high)
                                  __attribute__((always_inline)) {
                const int16lanes left = least(a, b);
                const cut_shares all = cut_shares::of(left, greatest(a, b) - left, high, steepness);
                store(places + at, place(in_row, left >> 16));
                store(first + at, (all.first ^ sign) - sign);
                store(second + at, (all.second ^ sign) - sign);
                store(third + at, (all.third ^ sign) - sign);
            };
            keep(0, row, upper, middle, above);
            keep(lanes, row + 1, middle, lower, below);
            for (int32_t cut = 0; cut < lanes; cut++) add(cut);
            for (uint32_t there = bits_of(below > 0); there != 0; there &= there - 1) add(lanes + __builtin_ctz(there));
        }
        short_edges.count = 0;
    }

    void add_level() {
        level.fill_up();
        for (int32_t i = 0; i < level.count; i += lanes) {
            const int16lanes upper = wholes16(level.x_upper + i), lower = wholes16(level.x_lower + i);
            const int16lanes top = wholes16(level.y_upper + i), height = wholes16(level.y_lower + i) - top;
            const int16lanes sign = wholes16(level.is_upward + i), row = top >> 16, column = least(upper, lower) >> 16;
            const int16lanes above = least(((row + 1) << 16) - top, height), below = height - above;
            const float16 from = to_float(upper - (column << 16)), to = to_float(lower - (column << 16));
            const float16 part = to_float(above) / greatest(to_float(height), (float16)1.0f);
            const float16 middle = from + (to - from) * part;
            const int16lanes next = nearest(to_float(above) * (0.5f / pixel) * (from + middle));
            const int16lanes next_below = nearest(to_float(below) * (0.5f / pixel) * (middle + to));
            const int16lanes upper_first = ((above - next) ^ sign) - sign, upper_second = (next ^ sign) - sign;
            store(places, place(row, column));
            store(places + lanes, place(row + 1, column));
            store(first, upper_first);
            store(second, upper_second);
            store(first + lanes, ((below - next_below) ^ sign) - sign);
            store(second + lanes, (next_below ^ sign) - sign);
            const auto add = [&](int32_t cut) __attribute__((always_inline)) {
                int32_t *at = target.values + places[cut];
                at[0] += first[cut];
                at[1] += second[cut];
            };
            for (int32_t cut = 0; cut < lanes; cut++) add(cut);
            for (uint32_t there = bits_of(below > 0); there != 0; there &= there - 1) add(lanes + __builtin_ctz(there));
        }
        level.count = 0;
    }

    /// Marks what the edges since the last time pass.
    INK_METHOD void mark() {
        const int32_t first_row = greatest(passed.top >> 16, 0), rows_end = least((passed.bottom >> 16) + 1, target.height);
        const int32_t last = (target.width - 1) >> 4;
        // What an edge adds lies up to two columns further.
        const int32_t first_bit = least(greatest(passed.left >> 20, 0), last);
        const int32_t last_bit = least(greatest((passed.right + 2 * pixel) >> 20, 0), last);
        const uint64_t low = ~(uint64_t)0 << (first_bit & 63), high = ~(uint64_t)0 >> (63 - (last_bit & 63));
        const bool is_one_word = (first_bit ^ last_bit) < 64;
        uint64_t *at = target.marks + 2 * first_row + (is_one_word ? first_bit >> 6 : 0);
#pragma clang loop vectorize(disable)
        for (int32_t row = first_row; row < rows_end; row++, at += 2) {
            at[0] |= is_one_word ? low & high : low;
            if (!is_one_word) at[1] |= high;
        }
        passed = extent();
    }

    /// Notes what an edge passes.
    INK_METHOD void pass(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
        passed.left = least(passed.left, least(x0, x1));
        passed.right = greatest(passed.right, greatest(x0, x1));
        passed.top = least(passed.top, least(y0, y1));
        passed.bottom = greatest(passed.bottom, greatest(y0, y1));
        if (greatest(passed.right - passed.left, passed.bottom - passed.top) > marked_together * pixel) mark();
    }

    /// Cuts an edge of at most `edge_reach` pixels either way, 1/65,536 pixel from the cell's first one.
    INK_METHOD void cut(int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
        const int32_t dx = x1 - x0, dy = y1 - y0, upward = dy >> 31;
        const int32_t wide = (dx ^ (dx >> 31)) - (dx >> 31);
        const int16lanes index = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        if ((uint32_t)(dx + pixel) <= 2 * pixel && (uint32_t)(dy + pixel) <= 2 * pixel) {
            short_edges.put_one(upward ? x1 : x0, upward ? y1 : y0, upward ? x0 : x1, upward ? y0 : y1, upward);
            if (short_edges.count == cuts_max - lanes) add_short();
        } else if (wide - (wide >> 10) <= (dy ^ upward) - upward) {
            // Where both are alike rounding must not make a column's cut higher than a pixel.
            const int32_t x_top = upward ? x1 : x0, top = upward ? y1 : y0, bottom = upward ? y0 : y1;
            const float slope = (float)dx / (float)dy;
            const int32_t end = least(((bottom - 1) >> 16) + 1, target.height);
            for (int32_t row = greatest(top >> 16, 0); row < end; row += lanes) {
                const int16lanes begin = (index + row) << 16;
                const int16lanes from = greatest(begin, (int16lanes)top), to = least(begin + pixel, (int16lanes)bottom);
                steep.put(
                    least(end - row, lanes), whole(to_float(from - top) * slope) + x_top, from,
                    whole(to_float(to - top) * slope) + x_top, to, upward);
                if (steep.count > cuts_max - 2 * lanes) add_steep();
            }
        } else {
            const int32_t leftward = dx >> 31, right = leftward ? x0 : x1, left = leftward ? x1 : x0;
            const int32_t y_left = leftward ? y1 : y0, y_right = leftward ? y0 : y1;
            const float slope = (float)dy / (float)dx;
            const int32_t end = least(((right - 1) >> 16) + 1, target.width);
            for (int32_t column = left >> 16; column < end; column += lanes) {
                const int16lanes begin = (index + column) << 16;
                const int16lanes from = greatest(begin, (int16lanes)left), to = least(begin + pixel, (int16lanes)right);
                // Whatever is rounded, in each row the height of all cuts together must be the edge's.
                const auto y_at = [&](int16lanes x) __attribute__((always_inline)) {
                    const int16lanes y = whole(to_float(x - left) * slope) + y_left;
                    const int16lanes inside =
                        least(greatest(y, (int16lanes)least(y0, y1)), (int16lanes)greatest(y0, y1));
                    return x == (int16lanes)right ? (int16lanes)y_right : inside;
                };
                const int16lanes y_from = y_at(from), y_to = y_at(to);
                const int32_t count = least(end - column, lanes);
                if (leftward == upward) level.put(count, from, y_from, to, y_to, upward);
                else level.put(count, to, y_to, from, y_from, upward);
                if (level.count > cuts_max - 2 * lanes) add_level();
            }
        }
    }
};

/// No polygon is drawn any further away, pixels; what is not a number is this far.
INK_INLINE double within_reach(double a) { return greatest(least(a, 1e9), -1e9); }

/// A coordinate in 1/65,536 pixel.
INK_INLINE int64_t exact_place(double a) { return floor_of(a * pixel + 0.5); }

/// Corners that are looked at together.
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

void add_polygons(ink_deltas target, const double *corners, const int32_t *counts, ptrdiff_t polygons) {
    edge_cutter cutter;
    cutter.target = target;
    const int64_t left = (int64_t)target.left * pixel, top = (int64_t)target.top * pixel;
    const int64_t width = (int64_t)target.width * pixel, height = (int64_t)target.height * pixel;
    const int64_t margin = 8 * pixel;
    const auto take = [&](int64_t x0, int64_t y0, int64_t x1, int64_t y1) __attribute__((always_inline)) {
        const bool is_above = (y0 < 0) & (y1 < 0), is_below = (y0 >= height) & (y1 >= height);
        // What lies to the right of the cell covers nothing in it; of what lies to the left only the height counts.
        if (is_above | is_below | ((x0 >= width) & (x1 >= width)) | (y0 == y1)) return;
        if (x0 < -margin && x1 < -margin) x0 = x1 = -margin;
        cutter.pass((int32_t)x0, (int32_t)y0, (int32_t)x1, (int32_t)y1);
        cutter.cut((int32_t)x0, (int32_t)y0, (int32_t)x1, (int32_t)y1);
    };
    const auto take_long = [&](double px, double py, double qx, double qy) {
        const int64_t x0 = exact_place(px) - left, y0 = exact_place(py) - top;
        const int64_t x1 = exact_place(qx) - left, y1 = exact_place(qy) - top;
        if (y0 == y1) return;
        const int64_t reach = greatest(x1 > x0 ? x1 - x0 : x0 - x1, y1 > y0 ? y1 - y0 : y0 - y1);
        const int64_t parts = reach / ((edge_reach - 1) * (int64_t)pixel) + 1;
        const auto place_at = [&](int64_t part, double p, double q) __attribute__((always_inline)) {
            return exact_place(part == parts ? q : p + (double)part / (double)parts * (q - p));
        };
        // Those that may pass rows of the cell.
        const double most = (double)parts, per_height = most / (double)(y1 - y0);
        const double at_top = (double)-y0 * per_height, at_bottom = (double)(height - y0) * per_height;
        const int64_t begin = floor_of(least(greatest(least(at_top, at_bottom) - 1, 0.0), most));
        const int64_t end = floor_of(least(greatest(greatest(at_top, at_bottom) + 2, 0.0), most));
        for (int64_t part = begin; part < end; part++) {
            take(
                place_at(part, px, qx) - left, place_at(part, py, qy) - top, place_at(part + 1, px, qx) - left,
                place_at(part + 1, py, qy) - top);
        }
    };
    for (ptrdiff_t polygon = 0; polygon < polygons; polygon++) {
        const int32_t count = counts[polygon];
        double px = within_reach(corners[2 * count - 2]), py = within_reach(corners[2 * count - 1]);
        for (int32_t begin = 0; begin < count; begin += chunk) {
            const int32_t end = least(begin + chunk, count);
            // Most corners of a long outline lie in other cells.
            if (end < begin + chunk || !are_outside(corners + 2 * begin, px, py, target)) {
                int64_t x0 = exact_place(px) - left, y0 = exact_place(py) - top;
                for (int32_t i = begin; i < end; i++) {
                    const double qx = within_reach(corners[2 * i]), qy = within_reach(corners[2 * i + 1]);
                    const int64_t x1 = exact_place(qx) - left, y1 = exact_place(qy) - top;
                    const int64_t reach = greatest(x1 > x0 ? x1 - x0 : x0 - x1, y1 > y0 ? y1 - y0 : y0 - y1);
                    if (reach <= (int64_t)edge_reach * pixel) take(x0, y0, x1, y1);
                    else take_long(px, py, qx, qy);
                    px = qx;
                    py = qy;
                    x0 = x1;
                    y0 = y1;
                }
            }
            px = within_reach(corners[2 * end - 2]);
            py = within_reach(corners[2 * end - 1]);
        }
        corners += 2 * count;
        if (cutter.passed.left <= cutter.passed.right) cutter.mark();
    }
    cutter.add_short();
    cutter.add_steep();
    cutter.add_level();
}

/// Calls `put(row, column, covered)` with sixteen running sums at a time, 1/65,536 pixel, of those rows where edges or what
/// is inside them are, and sets the changes and the marks to 0.
template <typename Put> INK_INLINE void use_marked(ink_deltas deltas, int32_t top, int32_t bottom, const Put &put) {
    const int16lanes zero = (int16lanes)0;
    for (int32_t row = top; row < bottom; row++) {
        uint64_t *marks = deltas.marks + 2 * row, low = marks[0], high = marks[1];
        if ((low | high) == 0) continue;
        marks[0] = marks[1] = 0;
        int32_t *changes = deltas.values + row * deltas.stride;
        int16lanes sum = zero;
        if (low & 1) {
            // The margin on the left holds what begins before the cell.
            sum = (int16lanes)__builtin_reduce_add(wholes16(changes - lanes));
            store(changes - lanes, zero);
        }
        const auto use = [&](int32_t index) __attribute__((always_inline)) {
            const int32_t column = lanes * index;
            const int16lanes sums = running_sums(wholes16(changes + column)) + sum;
            const int16lanes size = sums < 0 ? -sums : sums;
            put(row, column, to_float(least(size, (int16lanes)65536)));
            store(changes + column, zero);
            sum = __builtin_shufflevector(sums, sums, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
        };
        // The next sixteen pixels.
        int32_t index = 0;
        for (int32_t word = 0; word < 2; word++) {
            uint64_t bits = word == 0 ? low : high;
            while (bits != 0) {
                const int32_t first = __builtin_ctzll(bits), begin = 64 * word + first;
                // Between marks is all or nothing.
                if (sum[0] != 0) {
                    for (; index < begin; index++) use(index);
                }
                // The carry through a run of marks ends just behind it; then it is taken away again.
                bits += (uint64_t)1 << first;
                const int32_t end = 64 * word + (bits != 0 ? __builtin_ctzll(bits) : 64);
                bits &= bits - 1;
                for (index = begin; index < end; index++) use(index);
            }
        }
        if (sum[0] != 0) {
            for (; lanes * index < deltas.width; index++) use(index);
            // What ends beyond the cell is forgotten. Where nothing reaches the cell's last pixels it stays in the margin, and
            // nobody reads it.
            store(changes + lanes * index, zero);
        }
    }
}

void multiply_marked(ink_kept plane, ink_deltas deltas, int32_t top, int32_t bottom, float alpha) {
    const float16 share = (float16)(alpha * (1.0f / pixel));
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        uint16_t *at = plane.values + row * plane.stride + column;
        const float16 kept = __builtin_convertvector(load16(at), float16) * (1.0f - share * covered) + 0.5f;
        store(at, __builtin_convertvector(__builtin_convertvector(kept, int16lanes), ushort16));
        plane.drawn[row / INK_BLOCK_HEIGHT] |= (uint64_t)1 << (column / INK_BLOCK_WIDTH);
    });
}

void add_marked(ink_plane plane, ink_deltas deltas, int32_t top, int32_t bottom, float weight) {
    const float16 share = (float16)(weight * (1.0f / pixel));
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        *(float16_unaligned *)at = floats16(at) + share * covered;
    });
}

}  // namespace INK_JOIN(outline_, INK_LEVEL)
}  // namespace
