// Small convex polygons: eight rows at a time, one column of pixels after the other, exactly. What an edge leaves to its
// left, beyond the left border of a column, is the difference of two squares; what it covers of a pixel is that, less
// the same for the next column. Polygons of a few rows take less time so than by changes of a running sum, which are set
// down edge by edge and summed up over the whole row.

namespace {
namespace INK_JOIN(convex_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

/// Rows that are cut together, and pixels that are drawn together.
constexpr int32_t lanes = 8;

/// Places are whole numbers of this part of a pixel, so that their differences are exact.
constexpr float place_step = 1.0f / 65536;

INK_INLINE float8 to_places(float8 v) {
    static_assert(INK_CONVEX_REACH_MAX < 64, "a place beside what rounds it must fit the 24 bits of a Float");
    return (v + 192.0f) - 192.0f;
}

/// A corner, pixels from the polygon's origin.
struct corner {
    float x, y;
};

/// An edge from its upper to its lower end.
struct edge {
    corner upper, lower;
    float slope;
    bool is_upward;

    INK_INLINE edge of(corner from, corner to) {
        const bool is_upward = to.y < from.y;
        const corner upper = is_upward ? to : from, lower = is_upward ? from : to;
        return {upper, lower, (lower.x - upper.x) / greatest(lower.y - upper.y, place_step), is_upward};
    }

    template <typename V> INK_METHOD V x_at(V y) const { return upper.x + (y - upper.y) * slope; }
};

/// An edge in eight rows.
struct edge_rows {
    /// Where it passes a row, from left to right, pixels from the polygon's origin; never at one place.
    float8 left, right;
    /// Half of the height that it takes of a row by the way to the side, negative where it leads upwards.
    float8 steepness;

    /// - Parameters: first_row: of the eight, from the origin on; is_left: whether what is covered lies to the right.
    INK_INLINE edge_rows of(const edge &e, int32_t first_row, bool is_left) {
        const float8 row = iota() + (float)first_row;
        const float8 top = greatest(row, (float8)e.upper.y), bottom = least(row + 1.0f, (float8)e.lower.y);
        const float8 a = e.x_at(top), b = e.x_at(bottom);
        float8 left = to_places(least(a, b)), right = to_places(greatest(a, b));
        // An upright edge gets a width, where it is covered: the pixel beside it may not be.
        if (is_left) right = greatest(right, left + place_step);
        else left = least(left, right - place_step);
        const float8 height = greatest(bottom - top, (float8)0.0f);
        return {left, right, (e.is_upward ? -0.5f : 0.5f) * height / (right - left)};
    }

    /// What lies between the edge and the left border of a column further left, as far as rows and the edge reach.
    INK_METHOD float8 beyond(float column) const {
        const float8 a = greatest(left - column, (float8)0.0f), b = greatest(right - column, (float8)0.0f);
        return (b - a) * (b + a) * steepness;
    }
};

/// Calls `put(row, column, areas)` for all pixels that a convex polygon touches, and others, eight of a row at a time,
/// with the covered area, negative for a polygon that turns the other way. Rows and columns are counted from the cell's
/// first; columns may reach a vector beyond it.
template <typename Put>
INK_INLINE void draw(
    const double *corners, int32_t count, int32_t left, int32_t top, int32_t width, int32_t height, const Put &put) {
    if (count < 3) return;
    double min_x = corners[0], max_x = min_x, min_y = corners[1], max_y = min_y;
    for (int32_t i = 1; i < count; i++) {
        min_x = least(min_x, corners[2 * i]);
        max_x = greatest(max_x, corners[2 * i]);
        min_y = least(min_y, corners[2 * i + 1]);
        max_y = greatest(max_y, corners[2 * i + 1]);
    }
    if (!(max_y > top && min_y < top + height && max_x > left && min_x < left + width)) return;
    const int64_t origin_x = floor_of(min_x), origin_y = floor_of(min_y);
    corner places[INK_CONVEX_CORNERS_MAX];
    const auto place = [](double v) __attribute__((always_inline)) {
        return (float)(((v * 65536 + 6755399441055744.0) - 6755399441055744.0) * (1.0 / 65536));
    };
    for (int32_t i = 0; i < count; i++) {
        places[i] = {place(corners[2 * i] - (double)origin_x), place(corners[2 * i + 1] - (double)origin_y)};
    }
    float doubled_area = 0;
    for (int32_t i = 0, last = count - 1; i < count; last = i++) {
        doubled_area += places[last].x * places[i].y - places[i].x * places[last].y;
    }
    if (doubled_area == 0) return;
    const bool is_reversed = doubled_area < 0;
    const int32_t to_column = (int32_t)(origin_x - left), to_row = (int32_t)(origin_y - top);
    // Counted from the origin on.
    const int32_t columns = (int32_t)(max_x - (double)origin_x) + 1, rows = (int32_t)(max_y - (double)origin_y) + 1;
    const int32_t columns_begin = greatest(-to_column, 0) / lanes * lanes, columns_end = least(columns, width - to_column);
    const int32_t rows_begin = greatest(-to_row, 0), rows_end = least(rows, height - to_row);
    edge_rows edges[INK_CONVEX_CORNERS_MAX];
    // Eight rows from `first` on, which `used` edges pass, and columns from `begin` up to `end`.
    const auto draw_rows = [&](int32_t first, int32_t used, int32_t begin, int32_t end) __attribute__((always_inline)) {
        const auto beyond = [&](int32_t column) __attribute__((always_inline)) {
            float8 sum = edges[0].beyond((float)column);
            for (int32_t i = 1; i < used; i++) sum += edges[i].beyond((float)column);
            return sum;
        };
        begin = greatest(columns_begin, begin / lanes * lanes);
        for (int32_t group = begin; group < least(columns_end, end); group += lanes) {
            float8 areas[lanes] = {};
            float8 before = beyond(group);
            for (int32_t i = 0; i < least(end - group, lanes); i++) {
                const float8 after = beyond(group + i + 1);
                areas[i] = before - after;
                before = after;
            }
            transpose(areas);
            for (int32_t row = greatest(first, rows_begin); row < least(first + lanes, rows_end); row++) {
                put(to_row + row, to_column + group, areas[row - first]);
            }
        }
    };
    if (rows <= lanes) {
        for (int32_t i = 0, last = count - 1; i < count; last = i++) {
            const edge e = edge::of(places[last], places[i]);
            edges[i] = edge_rows::of(e, 0, e.is_upward != is_reversed);
        }
        draw_rows(0, count, 0, columns);
        return;
    }
    for (int32_t first = rows_begin / lanes * lanes; first < rows_end; first += lanes) {
        int32_t used = 0;
        float low = INK_CONVEX_REACH_MAX, high = 0;
        for (int32_t i = 0, last = count - 1; i < count; last = i++) {
            const edge e = edge::of(places[last], places[i]);
            const float top = greatest(e.upper.y, (float)first), bottom = least(e.lower.y, (float)(first + lanes));
            if (top >= bottom) continue;
            edges[used++] = edge_rows::of(e, first, e.is_upward != is_reversed);
            const float a = e.x_at(top), b = e.x_at(bottom);
            low = least(low, least(a, b));
            high = greatest(high, greatest(a, b));
        }
        if (used > 0) draw_rows(first, used, (int32_t)greatest(low, 0.0f), least((int32_t)high + 1, columns));
    }
}

/// The same for all pixels of some polygons, one after the other.
template <typename Plane, typename Put>
INK_INLINE void draw_all(
    Plane plane, const double *corners, const int32_t *counts, ptrdiff_t polygons, const Put &put) {
    for (ptrdiff_t polygon = 0; polygon < polygons; polygon++) {
        const int32_t count = counts[polygon];
        // Most are lines, for which loops over corners can be written out.
        if (count == 4) draw(corners, 4, plane.left, plane.top, plane.width, plane.height, put);
        else draw(corners, count, plane.left, plane.top, plane.width, plane.height, put);
        corners += 2 * count;
    }
}

void multiply_convex(
    ink_kept plane, const double *corners, const int32_t *counts, ptrdiff_t polygons, float alpha) {
    const auto put = [&](int32_t row, int32_t column, float8 areas) __attribute__((always_inline)) {
        uint16_t *at = plane.values + row * plane.stride + column;
        const float8 covered = (float8)((int8lanes)areas & 0x7FFFFFFF);
        store(at, rest(load(at), greatest(1.0f - alpha * covered, (float8)0.0f)));
    };
    draw_all(plane, corners, counts, polygons, put);
}

void add_convex(ink_plane plane, const double *corners, const int32_t *counts, ptrdiff_t polygons, float weight) {
    const auto put = [&](int32_t row, int32_t column, float8 areas) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        store(at, load(at) + weight * areas);
    };
    draw_all(plane, corners, counts, polygons, put);
}

}  // namespace INK_JOIN(convex_, INK_LEVEL)
}  // namespace
