// Bars, by tables: away from its ends a bar covers, of eight neighbouring pixels of a row, what depends on nothing but
// the phase of its position, so that a row of it costs a few instructions. At the ends that is multiplied by the
// coverage of what lies before the end, which is off by at most 0.025 of a pixel that both a side and an end cross.

namespace {
namespace INK_JOIN(raster_, INK_LEVEL) {

INK_INLINE double magnitude(double a) { return a < 0 ? -a : a; }
template <typename V> INK_INLINE V least(V a, V b) { return a < b ? a : b; }
template <typename V> INK_INLINE V greatest(V a, V b) { return a > b ? a : b; }
INK_INLINE float8 load(const float *p) { return *(const float8_unaligned *)p; }
INK_INLINE void store(float *p, float8 v) { *(float8_unaligned *)p = v; }

/// The whole number at or below, for |a| < 2^62.
INK_INLINE int64_t floor_of(double a) {
    int64_t i = (int64_t)a;
    return i - (a < (double)i);
}

/// A position as a whole number of 2^-32 pixels, for |a| < 2^30.
INK_INLINE int64_t fixed(double a) { return floor_of(a * 4294967296.0 + 0.5); }

/// The coverage of a pixel by a half-plane: the integral of the pixel's shadow on the normal, a trapezoid, up to the
/// border. Distances `t` are of the pixel's centre inside the border, in the normal's units.
struct half_plane {
    /// Where the trapezoid ends, where its flat part ends, and half the slope between.
    float reach, flat, half_slope;

    INK_INLINE half_plane of(ink_normal n) {
        const double minor = greatest(least(magnitude(n.x), magnitude(n.y)), 1e-4);
        return {(float)((1 + minor) / 2), (float)((1 - minor) / 2), (float)(0.5 / minor)};
    }

    template <typename V, typename I> __attribute__((always_inline)) V coverage(V t) const {
        const V x = least(greatest(t, (V)-reach), (V)reach);
        const V a = (V)((I)x & 0x7FFFFFFF);
        const V q = greatest(a - flat, (V)0.0f);
        const V y = a - q * q * half_slope;
        const V covered = (V)((I)y | ((I)x & (int32_t)0x80000000)) + 0.5f;
        // Exactly nothing and exactly all beyond the shadow: what is not covered must not change by a rounding.
        return t <= -reach ? (V)0.0f : t >= reach ? (V)1.0f : covered;
    }

    /// The coverage by a strip of this half width whose middle is `t` away.
    template <typename V, typename I> __attribute__((always_inline)) V strip(V t, float half_width) const {
        const V away = (V)((I)t & 0x7FFFFFFF);
        const V nearer = coverage<V, I>(half_width - away);
        // A pixel that meets both borders misses what lies beyond the further one.
        if (half_width >= reach) return nearer;
        return nearer + coverage<V, I>(half_width + away) - 1.0f;
    }
};

INK_INLINE float8 iota() { return float8{0, 1, 2, 3, 4, 5, 6, 7}; }
INK_INLINE float16 iota16() { return float16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }

/// How far along a row a strip reaches to either side of its middle, shadow of a pixel included; pixels.
INK_INLINE double strip_reach(ink_normal across, double half_width) {
    double minor = least(magnitude(across.x), magnitude(across.y));
    return (half_width + (1 + minor) / 2) / magnitude(across.x);
}

/// How many pixels an entry of the strip's table holds: 8, 16 or 32; 0 when the strip is too long along a row to have
/// one. An entry begins at the pixel in which the strip's reach begins, plus one half.
INK_INLINE int strip_lanes(ink_normal across, double half_width) {
    if (magnitude(across.x) < 1.0 / 16) return 0;
    double columns = 2 * strip_reach(across, half_width) + 1;
    return columns <= 8 ? 8 : columns <= 16 ? 16 : columns <= 32 ? 32 : 0;
}

void strip_table(float *table, ink_normal across, double half_width) {
    const int lanes = strip_lanes(across, half_width);
    if (lanes == 0) return;
    const int phases = INK_STRIP_TABLE_COUNT / lanes;
    const half_plane edge = half_plane::of(across);
    const double reach = strip_reach(across, half_width);
    const float nx = (float)across.x, half = (float)half_width;
    // Two entries of eight lanes, or a part of one, at a time.
    const float16 both = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    const float16 later = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
    const float step = (float)(1.0 / phases);
    for (int place = 0; place < INK_STRIP_TABLE_COUNT; place += 16) {
        const int phase = place / lanes;
        const float start = (float)(1 - reach - (phase + 0.5) / phases);
        const float16 from = lanes == 8 ? both + (start - step * later) : iota16() + (start + (float)(place % lanes));
        *(float16_unaligned *)(table + place) = edge.strip<float16, int16lanes>(from * nx, half);
    }
}

/// The least distance that has an entry of its own in the table of an end.
INK_INLINE double end_start(ink_normal along) {
    double minor = least(magnitude(along.x), magnitude(along.y));
    return -(1 + minor) / 2 - greatest(7 * along.x, 0.0);
}

/// The last entry of the table of an end.
INK_INLINE int end_last(ink_normal along) {
    double minor = least(magnitude(along.x), magnitude(along.y));
    return (int)((1 + minor + 7 * magnitude(along.x)) * INK_END_TABLE_STEPS) + 1;
}

void end_table(float *table, ink_normal along) {
    const half_plane edge = half_plane::of(along);
    const double start = end_start(along);
    const int last = end_last(along);
    const float nx = (float)along.x;
    const float16 offset = float16{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7} * nx
        + float16{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1} * (1.0f / INK_END_TABLE_STEPS);
    for (int entry = 0; entry <= last; entry += 2) {
        const float t = (float)(start + (entry + 0.5) / INK_END_TABLE_STEPS);
        *(float16_unaligned *)(table + entry * INK_TABLE_LANES) = edge.coverage<float16, int16lanes>(offset + t);
    }
    // The first and the last entry stand for all that is further out.
    store(table, (float8)0.0f);
    store(table + last * INK_TABLE_LANES, (float8)1.0f);
}

/// How the bars of a stamp lie in the rows of pixels, in 2^-32 pixels from the stamp's origin, a whole pixel. All of it
/// is linear in the bar's index, the row and the column, so that a bar and a row of it cost a few additions.
struct bar_rows {
    int64_t origin_column, origin_row;
    /// Where the entry of the middle bar begins in row 0, and by how much more in the next row and bar.
    int64_t left, left_by_row, left_by_bar;
    /// The top of the middle bar and of the next one.
    int64_t top, top_by_bar;
    /// The distance along the bars of the middle of pixel (0, 0), from the first entry of the end's table on.
    int64_t distance, distance_by_column, distance_by_row, half_length, last_entry;
    /// The rows of a bar, the same for all so that the processor can foresee the ends of the loops, and how many at
    /// both ends of a bar may show its ends.
    int64_t rows, end_rows;

    INK_INLINE bar_rows of(const ink_bars &bars, int lanes) {
        const ink_normal n1 = bars.across, n2 = bars.along;
        const double reach = strip_reach(n1, bars.half_width), slope = -n1.y / n1.x;
        const double inverse = 1 / (n1.x * n2.y - n1.y * n2.x);
        const double reach_y = magnitude(n1.x * bars.half_length * inverse) + magnitude(n2.x * bars.half_width * inverse);
        bar_rows r;
        r.origin_column = floor_of(bars.x);
        r.origin_row = floor_of(bars.y);
        const double x = bars.x - (double)r.origin_column, y = bars.y - (double)r.origin_row;
        // An entry begins at the pixel whose middle is the first that the strip may reach.
        r.left = fixed(x - reach + 0.5 + (0.5 - y) * slope);
        r.left_by_row = fixed(slope);
        r.left_by_bar = fixed(bars.step_x - bars.step_y * slope);
        r.top = fixed(y - reach_y);
        r.top_by_bar = fixed(bars.step_y);
        r.distance = fixed((0.5 - x) * n2.x + (0.5 - y) * n2.y - end_start(n2));
        r.distance_by_column = fixed(n2.x);
        r.distance_by_row = fixed(n2.y);
        r.half_length = fixed(bars.half_length);
        r.last_entry = end_last(n2);
        r.rows = floor_of(2 * reach_y) + 2;
        const double end_reach = (1 + least(magnitude(n2.x), magnitude(n2.y))) / 2 + reach * magnitude(n2.x);
        const double middle_rows = (bars.half_length - end_reach) / magnitude(n2.y + n2.x * slope);
        r.end_rows = middle_rows < 1 ? r.rows : floor_of(reach_y - middle_rows + 1.5) + 1;
        if (2 * r.end_rows > r.rows) r.end_rows = r.rows;
        return r;
    }
};

/// One bar, from `top` on. `at_border`: parts of it may lie outside the plane.
template <int lanes, bool at_border>
INK_INLINE void bar_by_table(
    ink_plane plane, const bar_rows &bar, const ink_bar_tables &tables, float8 opacity, int64_t first, int64_t left) {
    const int shift = lanes == 8 ? 24 : lanes == 16 ? 25 : 26;
    const int64_t phase_mask = INK_STRIP_TABLE_COUNT / lanes - 1;
    const int64_t to_plane = bar.origin_column - plane.left;
    int64_t row = first, until = first + bar.rows;
    int64_t middle = row + bar.end_rows, middle_end = middle < until ? until - bar.end_rows : until;
    if (at_border) {
        const int64_t top = plane.top - bar.origin_row, bottom = top + plane.height;
        row = greatest(row, top);
        until = least(until, bottom);
        middle = least(middle, until);
        middle_end = least(middle_end, until);
    }
    left += row * bar.left_by_row;
    int64_t along = bar.distance + row * bar.distance_by_row;
    float *line = plane.values + (row + bar.origin_row - plane.top) * plane.stride + to_plane;
    const auto with_ends = [&](int64_t end) __attribute__((always_inline)) {
        for (; row < end; row++, left += bar.left_by_row, along += bar.distance_by_row, line += plane.stride) {
            const float *entry = tables.strip + ((left >> shift) & phase_mask) * lanes;
            int64_t column = left >> 32;
            int64_t distance = along + column * bar.distance_by_column;
            for (int lane = 0; lane < lanes; lane += 8, distance += 8 * bar.distance_by_column) {
                int64_t target = column + lane;
                if (at_border) target = least(greatest(target, -8 - to_plane), plane.width - to_plane);
                const int64_t near = least(greatest((distance + bar.half_length) >> 26, (int64_t)0), bar.last_entry);
                const int64_t far = least(greatest((distance - bar.half_length) >> 26, (int64_t)0), bar.last_entry);
                const float8 within = load(tables.end + near * 8) - load(tables.end + far * 8);
                const float8 kept = 1.0f - opacity * (load(entry + lane) * within);
                store(line + target, load(line + target) * kept);
            }
        }
    };
    with_ends(middle);
    for (; row < middle_end; row++, left += bar.left_by_row, along += bar.distance_by_row, line += plane.stride) {
        const float *entry = tables.strip + ((left >> shift) & phase_mask) * lanes;
        int64_t column = left >> 32;
        for (int lane = 0; lane < lanes; lane += 8) {
            int64_t target = column + lane;
            if (at_border) target = least(greatest(target, -8 - to_plane), plane.width - to_plane);
            store(line + target, load(line + target) * (1.0f - opacity * load(entry + lane)));
        }
    }
    with_ends(until);
}

template <int lanes>
INK_INLINE void bars_by_table(ink_plane plane, const ink_bars &bars, const ink_bar_tables &tables, float alpha) {
    const bar_rows rows = bar_rows::of(bars, lanes);
    const float8 opacity = (float8)alpha;
    const int64_t half = bars.count / 2;
    const int64_t top = plane.top - rows.origin_row, bottom = top + plane.height;
    const int64_t start = plane.left - rows.origin_column, end = start + plane.width;
    for (int64_t index = -half; index <= half; index++) {
        const int64_t first = (rows.top + index * rows.top_by_bar) >> 32;
        const int64_t left = rows.left + index * rows.left_by_bar;
        const int64_t last = first + rows.rows;
        if (last <= top || first >= bottom) continue;
        // The strip's columns in its first and last row, and all that an entry holds.
        const int64_t one = (left + first * rows.left_by_row) >> 32, other = (left + last * rows.left_by_row) >> 32;
        const int64_t leftmost = least(one, other), rightmost = greatest(one, other) + lanes;
        if (rightmost <= start || leftmost >= end) continue;
        const bool is_inside = first >= top && last <= bottom && leftmost >= start - INK_PLANE_MARGIN
            && rightmost <= end + INK_PLANE_MARGIN;
        if (is_inside) bar_by_table<lanes, false>(plane, rows, tables, opacity, first, left);
        else bar_by_table<lanes, true>(plane, rows, tables, opacity, first, left);
    }
}

/// Bars too level or too wide for tables, worked out pixel by pixel.
INK_INLINE void bars_by_formula(ink_plane plane, const ink_bars &bars, float alpha) {
    const ink_normal n1 = bars.across, n2 = bars.along;
    const half_plane side = half_plane::of(n1), end = half_plane::of(n2);
    const double inverse = 1 / (n1.x * n2.y - n1.y * n2.x);
    const double ax = -n1.y * bars.half_length * inverse, ay = n1.x * bars.half_length * inverse;
    const double bx = n2.y * bars.half_width * inverse, by = -n2.x * bars.half_width * inverse;
    const double reach_x = magnitude(ax) + magnitude(bx), reach_y = magnitude(ay) + magnitude(by);
    const bool is_sloped = magnitude(n1.x) > 1e-3;
    const double reach = is_sloped ? strip_reach(n1, bars.half_width) : 0, slope = is_sloped ? -n1.y / n1.x : 0;
    const float half_width = (float)bars.half_width, half_length = (float)bars.half_length;
    // How far along the bar from its middle the first of eight pixels may be if neither end is to show in them.
    const double inner = bars.half_length - end.reach - 7 * magnitude(n2.x);
    const float8 opacity = (float8)alpha;
    const float8 step1 = iota() * (float)n1.x, step2 = iota() * (float)n2.x;
    const double left_border = plane.left, right_border = plane.left + plane.width;
    for (int32_t index = 0; index < bars.count; index++) {
        const double offset = index - bars.count / 2;
        const double x = bars.x + offset * bars.step_x, y = bars.y + offset * bars.step_y;
        if (y + reach_y <= plane.top || y - reach_y >= plane.top + plane.height) continue;
        const int64_t first = greatest(floor_of(y - reach_y), (int64_t)plane.top);
        const int64_t until = least(floor_of(y + reach_y) + 1, (int64_t)plane.top + plane.height);
        for (int64_t row = first; row < until; row++) {
            const double below = (double)row + 0.5 - y;
            double left = x - reach_x, right = x + reach_x;
            if (is_sloped) {
                left = greatest(left, x + below * slope - reach);
                right = least(right, x + below * slope + reach);
            }
            left = greatest(left, left_border);
            right = least(right, right_border);
            if (!(left < right)) continue;
            float *line = plane.values + (row - plane.top) * plane.stride;
            // Eight pixels always begin at a multiple of eight, so that a pixel is computed alike in every cell.
            for (int64_t column = floor_of(left) & ~(int64_t)7; (double)column < right; column += 8) {
                const double aside = (double)column + 0.5 - x;
                const double along = aside * n2.x + below * n2.y;
                float8 covered
                    = side.strip<float8, int8lanes>(step1 + (float)(aside * n1.x + below * n1.y), half_width);
                if (magnitude(along) > inner) {
                    covered *= end.strip<float8, int8lanes>(step2 + (float)along, half_length);
                }
                float *target = line + (column - plane.left);
                store(target, load(target) * (1.0f - opacity * covered));
            }
        }
    }
}

/// Edges where they pass eight rows of pixels.
struct row_edges {
    /// Where an edge enters and leaves each row, and the signed height between over the way along x.
    float from[4][8], to[4][8], weight[4][8];
    /// What all edges reach in a row.
    float left[8], right[8];
};

/// What lies left of an edge inside the pixels of a row, exactly: the integral of each pixel's covered width.
INK_INLINE float8 edge_area(float8 columns, float from, float to, float weight) {
    const float8 a = greatest(to - columns, (float8)0.0f), b = greatest(from - columns, (float8)0.0f);
    const float8 c = least(a, (float8)1.0f), d = least(b, (float8)1.0f);
    return (c * (a - 0.5f * c) - d * (b - 0.5f * d)) * weight;
}

void add_quad(ink_plane plane, const double *corners, float weight) {
    const int64_t column_origin = floor_of(corners[0]), row_origin = floor_of(corners[1]);
    float x[5], y[5], slope[4], top = 1e30f, bottom = -1e30f, leftmost = 1e30f, rightmost = -1e30f, area = 0;
    for (int i = 0; i < 4; i++) {
        x[i] = (float)(corners[2 * i] - (double)column_origin);
        y[i] = (float)(corners[2 * i + 1] - (double)row_origin);
        top = least(top, y[i]);
        bottom = greatest(bottom, y[i]);
        leftmost = least(leftmost, x[i]);
        rightmost = greatest(rightmost, x[i]);
    }
    x[4] = x[0];
    y[4] = y[0];
    const float plane_top = (float)(plane.top - row_origin), plane_left = (float)(plane.left - column_origin);
    const float plane_bottom = plane_top + (float)plane.height, plane_right = plane_left + (float)plane.width;
    if (!(top < plane_bottom && bottom > plane_top && leftmost < plane_right && rightmost > plane_left)) return;
    for (int i = 0; i < 4; i++) {
        area += x[i] * y[i + 1] - x[i + 1] * y[i];
        const float height = y[i + 1] - y[i];
        slope[i] = height != 0 ? (x[i + 1] - x[i]) / height : 0;
    }
    if (area < 0) weight = -weight;
    const int first = (int)floor_of(greatest(top, plane_top)), end = (int)-floor_of(-least(bottom, plane_bottom));
    float *line = plane.values + (first + row_origin - plane.top) * plane.stride + (column_origin - plane.left);
    for (int row = first; row < end; row += 8) {
        row_edges rows;
        float8 left = (float8)1e30f, right = (float8)-1e30f;
        const float8 row_top = iota() + (float)row, row_bottom = row_top + 1.0f;
        for (int i = 0; i < 4; i++) {
            const float8 upper = (float8)least(y[i], y[i + 1]), lower = (float8)greatest(y[i], y[i + 1]);
            const float8 above = least(greatest(row_top, upper), lower), below = least(greatest(row_bottom, upper), lower);
            const float8 a = (above - y[i]) * slope[i] + x[i], b = (below - y[i]) * slope[i] + x[i];
            // An upright edge is made to lean by 1/256 pixel, which moves no coverage by more than 1/1000.
            const float8 middle = (a + b) * 0.5f, way = b - a;
            const float8 half = greatest((float8)((int8lanes)way & 0x7FFFFFFF) * 0.5f, (float8)(1.0f / 512));
            const float8 height = below - above;
            const float signed_weight = y[i + 1] > y[i] ? weight : -weight;
            const float8 from = middle - half, to = middle + half;
            store(rows.from[i], from);
            store(rows.to[i], to);
            store(rows.weight[i], height * signed_weight / (half + half));
            left = height > 0.0f ? least(left, from) : left;
            right = height > 0.0f ? greatest(right, to) : right;
        }
        store(rows.left, left);
        store(rows.right, right);
        const int count = end - row < 8 ? end - row : 8;
        for (int r = 0; r < count; r++, line += plane.stride) {
            // Eight pixels always begin at a multiple of eight, so that a pixel is computed alike in every cell.
            const float start = greatest(rows.left[r], plane_left), stop = least(rows.right[r], plane_right);
            for (int column = (int)floor_of(start) & ~7; (float)column < stop; column += 8) {
                const float8 columns = iota() + (float)column;
                float8 covered = (float8)0.0f;
                for (int i = 0; i < 4; i++) {
                    if (rows.weight[i][r] == 0) continue;
                    covered += edge_area(columns, rows.from[i][r], rows.to[i][r], rows.weight[i][r]);
                }
                // The sum of areas that take each other away is not quite nothing.
                covered = columns + 1.0f > rows.left[r] ? covered : (float8)0.0f;
                covered = columns < rows.right[r] ? covered : (float8)0.0f;
                store(line + column, load(line + column) + covered);
            }
        }
    }
}

void multiply_bars(ink_plane plane, const ink_bars *bars, const ink_bar_tables *tables, float alpha) {
    switch (strip_lanes(bars->across, bars->half_width)) {
    case 8: return bars_by_table<8>(plane, *bars, *tables, alpha);
    case 16: return bars_by_table<16>(plane, *bars, *tables, alpha);
    case 32: return bars_by_table<32>(plane, *bars, *tables, alpha);
    default: bars_by_formula(plane, *bars, alpha);
    }
}

void multiply_kept(ink_plane plane, ink_plane kept, const ink_box *box, float alpha) {
    const float8 opacity = (float8)alpha;
    for (int32_t row = box->top; row < box->bottom; row++) {
        float *to = plane.values + row * plane.stride;
        float *from = kept.values + row * kept.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            store(to + column, load(to + column) * (1.0f - opacity * (1.0f - load(from + column))));
            store(from + column, (float8)1.0f);
        }
    }
}

void multiply_covered(ink_plane plane, ink_plane covered, const ink_box *box, float alpha) {
    const float8 opacity = (float8)alpha;
    for (int32_t row = box->top; row < box->bottom; row++) {
        float *to = plane.values + row * plane.stride;
        float *from = covered.values + row * covered.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            const float8 share = least(greatest(load(from + column), (float8)0.0f), (float8)1.0f);
            store(to + column, load(to + column) * (1.0f - opacity * share));
            store(from + column, (float8)0.0f);
        }
    }
}

INK_INLINE bool any(int8lanes condition) { return __builtin_reduce_or(condition) != 0; }

/// Eight pixels, or the last ones of a row.
template <bool is_whole> INK_INLINE float8 load(const float *p, int count) {
    if (is_whole) return load(p);
    float8 v = (float8)0.0f;
    for (int i = 0; i < count; i++) v[i] = p[i];
    return v;
}

template <bool is_whole> INK_INLINE void store(float *p, float8 v, int count) {
    if (is_whole) return store(p, v);
    for (int i = 0; i < count; i++) p[i] = v[i];
}

template <bool is_whole> INK_INLINE void paint_eight(
    float *kept, ink_layer layer, ptrdiff_t at, int count, float red, float green, float blue) {
    const float8 t = load(kept), u = 1.0f - t;
    // Blocks are coarse: much of them may be untouched.
    if (!any(t != 1.0f)) return;
    store<is_whole>(layer.red + at, load<is_whole>(layer.red + at, count) * t + red * u, count);
    store<is_whole>(layer.green + at, load<is_whole>(layer.green + at, count) * t + green * u, count);
    store<is_whole>(layer.blue + at, load<is_whole>(layer.blue + at, count) * t + blue * u, count);
    store<is_whole>(layer.alpha + at, load<is_whole>(layer.alpha + at, count) * t + u, count);
    store(kept, (float8)1.0f);
}

template <bool is_whole> INK_INLINE void erase_eight(float *kept, ink_layer layer, ptrdiff_t at, int count) {
    const float8 t = load(kept);
    store<is_whole>(layer.red + at, load<is_whole>(layer.red + at, count) * t, count);
    store<is_whole>(layer.green + at, load<is_whole>(layer.green + at, count) * t, count);
    store<is_whole>(layer.blue + at, load<is_whole>(layer.blue + at, count) * t, count);
    store<is_whole>(layer.alpha + at, load<is_whole>(layer.alpha + at, count) * t, count);
    store(kept, (float8)1.0f);
}

void paint(ink_plane plane, const ink_box *box, const ink_layer *layer, const float *color) {
    for (int32_t row = box->top; row < box->bottom; row++) {
        float *kept = plane.values + row * plane.stride;
        const ptrdiff_t at = row * layer->stride;
        int32_t column = box->left;
        for (; column + 8 <= box->right; column += 8) {
            paint_eight<true>(kept + column, *layer, at + column, 8, color[0], color[1], color[2]);
        }
        if (column < box->right) {
            paint_eight<false>(kept + column, *layer, at + column, box->right - column, color[0], color[1], color[2]);
        }
    }
}

void erase(ink_plane plane, const ink_box *box, const ink_layer *layer) {
    for (int32_t row = box->top; row < box->bottom; row++) {
        float *kept = plane.values + row * plane.stride;
        const ptrdiff_t at = row * layer->stride;
        int32_t column = box->left;
        for (; column + 8 <= box->right; column += 8) erase_eight<true>(kept + column, *layer, at + column, 8);
        if (column < box->right) erase_eight<false>(kept + column, *layer, at + column, box->right - column);
    }
}

}  // namespace INK_JOIN(raster_, INK_LEVEL)
}  // namespace
