// The lines of a stamp of contour lines, all at a time: each in a lane of its own, at the same row and column of its own
// box. They are parts of one fan, so that where one of them passes a row the others do.
//
// What an edge leaves to its left, beyond the left border of a column, is the difference of two squares; what it covers of
// a pixel is that, less the same for the next column. Lines that lie over each other are put down less what each shares
// with the next one, which is the convex polygon of the parts of either's edges that lie inside of the other.
#pragma once

#include "covered.hpp"
#include "stamps.hpp"

namespace INK_LEVEL::contour {
namespace {

using namespace raster;
using stamps::mark_drawn;

typedef int64_t long8 __attribute__((ext_vector_type(8)));

/// Seven of eight lanes; the spare one repeats the middle line.
constexpr int32_t lines = 7;

INK_INLINE int8lanes is_spare() { return int8lanes{0, 0, 0, 0, 0, 0, 0, -1}; }
/// Lines that have no next one.
INK_INLINE long8 is_last() { return long8{0, 0, 0, 0, 0, 0, -1, -1}; }
INK_INLINE long8 is_last_but_one() { return long8{0, 0, 0, 0, 0, -1, 0, 0}; }

/// Places are whole numbers of this part of a pixel, so that their differences are exact.
constexpr float place_step = 1.0f / 65536;

/// A line reaches less far than this either way: what lies outside of the cell must fit a plane's margin, as must all of a
/// line that is put there because none of it is inside.
constexpr double reach_max = INK_CONTOUR_REACH_MAX;

/// How far from the picture's first pixel lines may be.
constexpr double place_max = 1e9;

/// By how much of their length and width lines are enlarged, lest edges lie on each other: they lie inside or outside.
constexpr double enlargement = 1.2e-6;

/// Shorter and thinner lines, canvas pixels, are hardly larger then than places are rounded, and left to others.
constexpr double least_size = 1e-3;

struct points {
    double8 x, y;

    INK_METHOD points operator+(points p) const { return {x + p.x, y + p.y}; }
    INK_METHOD points operator-(points p) const { return {x - p.x, y - p.y}; }
    INK_METHOD points operator*(double8 factor) const { return {x * factor, y * factor}; }
    /// Those of the next lanes.
    INK_METHOD points next() const {
        return {
            __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 7), __builtin_shufflevector(y, y, 1, 2, 3, 4, 5, 6, 7, 7)};
    }
};

INK_INLINE double8 cross(points p, points q) { return p.x * q.y - p.y * q.x; }
INK_INLINE double8 dot(points p, points q) { return p.x * q.x + p.y * q.y; }
INK_INLINE bool all_of(long8 v) { return __builtin_reduce_and(v) != 0; }
INK_INLINE long8 are_beyond(double8 a, double8 b, double8 limit) { return (a >= limit) & (b >= limit); }

/// Where lines begin or end.
INK_INLINE points places_across(const ink_contour_end &end, double spacing) {
    const double8 offset = double8{-3, -2, -1, 0, 1, 2, 3, 0} * spacing * end.size;
    return {end.x + offset * end.across_x, end.y + offset * end.across_y};
}

/// Lines as rectangles, corners in order, all the same way round.
struct quads {
    points corners[4];

    INK_INLINE quads of(points start, points end, points side, double scale_x, double scale_y) {
        quads q = {{start - side, end - side, end + side, start + side}};
        for (points &corner : q.corners) corner = {corner.x * scale_x, corner.y * scale_y};
        return q;
    }

    INK_METHOD quads next() const {
        return {{corners[0].next(), corners[1].next(), corners[2].next(), corners[3].next()}};
    }
};

/// The parts of edges that lie inside of other convex shapes; of none, two equal ends.
struct segments {
    points from, to;

    /// - Parameters: i: which edges, from a corner to the next (Cyrus and Beck).
    INK_INLINE segments of(const quads &edges, int i, const quads &inside) {
        const points from = edges.corners[i], to = edges.corners[(i + 1) % 4];
        double8 begin = 0.0, end = 1.0;
        for (int k = 0; k < 4; k++) {
            const points corner = inside.corners[k], step = inside.corners[(k + 1) % 4] - corner;
            const double8 a = cross(step, from - corner), b = cross(step, to - corner), at = a / (a - b);
            begin = a < 0.0 ? greatest(at, begin) : begin;
            end = b < 0.0 ? least(at, end) : end;
        }
        const long8 is_none = (begin >= end) | is_last();
        const points step = to - from, first = from + step * begin, second = from + step * end;
        return {
            {is_none ? from.x : first.x, is_none ? from.y : first.y},
            {is_none ? from.x : second.x, is_none ? from.y : second.y}};
    }
};

/// Two edges of each line; lanes of the one, then of the other. Pixels from the origin of the line's box.
struct edges {
    float16 upper_x, upper_y, lower_y, slope;
    /// Half, negative where what the edge leaves to its left is taken away.
    float16 half;
    /// Whether what is covered lies to the right.
    int16lanes is_left;
    /// Rows that any of them passes.
    int32_t first_row, end_row;

    INK_INLINE edges of(float16 from_x, float16 from_y, float16 to_x, float16 to_y, float half) {
        const int16lanes is_upward = to_y < from_y;
        const float16 upper_x = is_upward ? to_x : from_x, lower_x = is_upward ? from_x : to_x;
        const float16 upper_y = is_upward ? to_y : from_y, lower_y = is_upward ? from_y : to_y;
        // Edges that are level or empty pass none.
        const int16lanes is_there = upper_y < lower_y, first = __builtin_convertvector(upper_y, int16lanes);
        const int16lanes last = __builtin_convertvector(lower_y, int16lanes);
        return {
            upper_x, upper_y, lower_y, (lower_x - upper_x) / greatest(lower_y - upper_y, (float16)place_step),
            is_upward ? (float16)-half : (float16)half, is_upward,
            __builtin_reduce_min(is_there ? first : (int16lanes)INT32_MAX),
            __builtin_reduce_max(is_there ? last : (int16lanes)-1) + 1};
    }

    INK_INLINE edges of(segments one, segments other, points origin, float half) {
        return of(
            both(place(one.from.x - origin.x), place(other.from.x - origin.x)),
            both(place(one.from.y - origin.y), place(other.from.y - origin.y)),
            both(place(one.to.x - origin.x), place(other.to.x - origin.x)),
            both(place(one.to.y - origin.y), place(other.to.y - origin.y)), half);
    }

private:
    INK_INLINE float8 place(double8 v) {
        return __builtin_convertvector(
            ((v * 65536.0 + 6755399441055744.0) - 6755399441055744.0) * (1.0 / 65536), float8);
    }
    INK_INLINE float16 both(float8 a, float8 b) {
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
};

/// The same edges in a row.
struct edges_in_row {
    /// Where they pass it, from left to right; never at one place.
    float16 left, right;
    /// Half of the height that they take of the row by the way to the side, with the sign of the half.
    float16 steepness;
    int16lanes is_there;

    INK_INLINE edges_in_row of(const edges &e, float row) {
        const float16 top = greatest((float16)row, e.upper_y), bottom = least((float16)(row + 1), e.lower_y);
        const float16 a = e.upper_x + (top - e.upper_y) * e.slope, b = e.upper_x + (bottom - e.upper_y) * e.slope;
        const float16 left = to_places(least(a, b)), right = to_places(greatest(a, b));
        // An upright edge gets a width, where it is covered: the pixel beside it may not be.
        const float16 wide_left = e.is_left ? left : least(left, right - place_step);
        const float16 wide_right = e.is_left ? greatest(right, left + place_step) : right;
        const float16 height = greatest(bottom - top, (float16)0.0f);
        return {wide_left, wide_right, e.half * height / (wide_right - wide_left), height > 0.0f};
    }

    /// What lies between each edge and the left border of a column further left, as far as the row and the edge reach.
    INK_METHOD float16 beyond(float column) const {
        const float16 a = greatest(left - column, (float16)0.0f), b = greatest(right - column, (float16)0.0f);
        return (b - a) * (b + a) * steepness;
    }

private:
    INK_INLINE float16 to_places(float16 v) {
        static_assert(INK_CONTOUR_REACH_MAX < 64, "a place beside what rounds it must fit the 24 bits of a Float");
        return (v + 192.0f) - 192.0f;
    }
};

/// How the lines of a stamp lie.
enum class fan_kind {
    /// No pixel meets two of them.
    apart,
    /// None lies over another.
    close,
    /// Some lie over the next one, none over those behind it.
    overlapping,
    /// None of these, or lines that are too long, or that are no lines.
    other,
};

/// The lines of a stamp and where they are seen.
struct fan {
    fan_kind kind;
    quads all, larger;
    /// The first pixel of each line's box, also from the cell's.
    points origin;
    int8lanes to_column, to_row, is_seen;
    /// Rows from there on in which any line is seen, and all that lines cover of the cell.
    int32_t first_row, end_row;
    ink_box box;

    INK_INLINE fan of(const ink_contour &contour, int32_t left, int32_t top, int32_t width, int32_t height) {
        fan f;
        const points start = places_across(contour.start, contour.spacing);
        const points end = places_across(contour.end, contour.spacing), step = end - start;
        const double8 square = dot(step, step), length = __builtin_elementwise_sqrt(square);
        const points side = points{-step.y, step.x} * (contour.width / 2 / length);
        f.all = quads::of(start, end, side, contour.scale_x, contour.scale_y);
        f.kind = kind_of(contour, start, end, step, square, length);
        points low = f.all.corners[0], high = low;
        double8 sum = low.x + low.y;
        for (int i = 1; i < 4; i++) {
            const points corner = f.all.corners[i];
            low = {least(low.x, corner.x), least(low.y, corner.y)};
            high = {greatest(high.x, corner.x), greatest(high.y, corner.y)};
            sum += corner.x + corner.y;
        }
        // The sum is not itself if a corner is not a number, as it is of a line without length.
        const long8 are_short = (high.x - low.x < reach_max) & (high.y - low.y < reach_max) & (low.x > -place_max) &
                                (low.x < place_max) & (low.y > -place_max) & (low.y < place_max) & (sum == sum);
        if (!all_of(are_short)) f.kind = fan_kind::other;
        if (f.kind == fan_kind::other) return f;
        if (f.kind == fan_kind::overlapping) {
            const points more = step * enlargement;
            f.larger = quads::of(
                start - more, end + more, side * (1 + enlargement), contour.scale_x, contour.scale_y);
        }
        const int8lanes x = floor8(low.x), y = floor8(low.y);
        f.origin = {__builtin_convertvector(x, double8), __builtin_convertvector(y, double8)};
        f.to_column = x - left;
        f.to_row = y - top;
        const int8lanes columns = __builtin_convertvector(high.x - f.origin.x, int8lanes) + 1;
        const int8lanes rows = __builtin_convertvector(high.y - f.origin.y, int8lanes) + 1;
        f.is_seen = (f.to_column < width) & (f.to_column + columns > 0) & (f.to_row < height) & (f.to_row + rows > 0) &
                    ~is_spare();
        f.first_row = greatest(0, f.least_of(-f.to_row));
        f.end_row = least(f.most_of(rows), f.most_of(height - f.to_row));
        f.box = {
            greatest(f.least_of(f.to_column), 0), greatest(f.least_of(f.to_row), 0),
            least(f.most_of(f.to_column + columns), width), least(f.most_of(f.to_row + rows), height)};
        if (f.kind == fan_kind::apart && f.share_origins()) f.kind = fan_kind::close;
        return f;
    }

    INK_METHOD bool is_visible() const { return __builtin_reduce_or(is_seen) != 0; }

private:
    INK_INLINE int8lanes floor8(double8 v) {
        const int8lanes whole = __builtin_convertvector(v, int8lanes);
        return whole + __builtin_convertvector(v < __builtin_convertvector(whole, double8), int8lanes);
    }

    INK_INLINE fan_kind kind_of(
        const ink_contour &contour, points start, points end, points step, double8 square, double8 length) {
        // Ends lie on straight lines: what is so far away from a line is so from all further ones.
        const double8 least_away = contour.width * length, enough = least_away + contour.gap * length;
        const double8 a = cross(step, start.next() - start), b = cross(step, end.next() - start);
        if (all_of(are_beyond(a, b, enough) | are_beyond(-a, -b, enough) | is_last())) return fan_kind::apart;
        if (all_of(are_beyond(a, b, least_away) | are_beyond(-a, -b, least_away) | is_last())) return fan_kind::close;
        if (!(contour.width >= least_size && all_of(length >= least_size))) return fan_kind::other;
        const points later_start = start.next().next() - start, later_end = end.next().next() - start;
        const double8 c = cross(step, later_start), d = cross(step, later_end);
        // Half a width more for the corners, of which it is not known how they lie.
        const double8 before = dot(step, later_start), behind = dot(step, later_end), corner = least_away / 2;
        const long8 is_apart = are_beyond(c, d, least_away) | are_beyond(-c, -d, least_away) |
                               are_beyond(before, behind, square + corner) | are_beyond(-before, -behind, corner) |
                               is_last() | is_last_but_one();
        return all_of(is_apart) ? fan_kind::overlapping : fan_kind::other;
    }

    /// Whether two boxes begin in the same pixel: then a pixel would be put down for both at once.
    INK_METHOD bool share_origins() const {
        const int8lanes key = is_spare() ? (int8lanes)INT32_MIN : to_row * 65536 + to_column;
        const int8lanes is_shared = (key == __builtin_shufflevector(key, key, 1, 2, 3, 4, 5, 6, 7, 0)) |
                                    (key == __builtin_shufflevector(key, key, 2, 3, 4, 5, 6, 7, 0, 1)) |
                                    (key == __builtin_shufflevector(key, key, 3, 4, 5, 6, 7, 0, 1, 2)) |
                                    (key == __builtin_shufflevector(key, key, 4, 5, 6, 7, 0, 1, 2, 3));
        return __builtin_reduce_or(is_shared) != 0;
    }

    INK_METHOD int32_t least_of(int8lanes v) const {
        return __builtin_reduce_min(is_seen ? v : (int8lanes)INT32_MAX);
    }
    INK_METHOD int32_t most_of(int8lanes v) const {
        return __builtin_reduce_max(is_seen ? v : (int8lanes)INT32_MIN);
    }
};

/// Calls `put(pixels, column, areas)` for each row and each column of the boxes that any line touches: what of the lines is
/// to be put down there, and where each line's row begins. Of lines that are not seen there these are margins.
/// - Parameters: count: 2 for whole lines; 6 for lines less what they share with the next one.
template <int count, typename Number, typename Put>
INK_INLINE void draw_rows(const fan &f, Number *values, ptrdiff_t stride, int32_t height, const Put &put) {
    const auto whole = [&](int i) __attribute__((always_inline)) {
        return segments{f.all.corners[i], f.all.corners[(i + 1) % 4]};
    };
    edges all[count];
    for (int i = 0; i < 2; i++) all[i] = edges::of(whole(i), whole(i + 2), f.origin, 0.5f);
    if (count == 6) {
        const quads next = f.larger.next();
        for (int i = 0; i < 2; i++) {
            all[count - 4 + i] = edges::of(
                segments::of(f.all, i, next), segments::of(f.all, i + 2, next), f.origin, -0.5f);
            all[count - 2 + i] = edges::of(
                segments::of(next, i, f.all), segments::of(next, i + 2, f.all), f.origin, -0.5f);
        }
    }
    for (int32_t row = f.first_row; row < f.end_row; row++) {
        edges_in_row here[count];
        int32_t used = 0;
        const float16 nowhere = (float16)INK_PLANE_MARGIN;
        float16 leftmost = nowhere, rightmost = -nowhere;
        for (int i = 0; i < count; i++) {
            if (row < all[i].first_row || row >= all[i].end_row) continue;
            here[used] = edges_in_row::of(all[i], (float)row);
            if (i < 2) {
                leftmost = least(leftmost, here[used].is_there ? here[used].left : nowhere);
                rightmost = greatest(rightmost, here[used].is_there ? here[used].right : -nowhere);
            }
            used++;
        }
        if (used == 0) continue;
        const int32_t first_column = __builtin_reduce_min(__builtin_convertvector(leftmost, int16lanes));
        const int32_t end_column = __builtin_reduce_max(__builtin_convertvector(rightmost, int16lanes)) + 1;
        const auto beyond = [&](int32_t column) __attribute__((always_inline)) {
            float16 sum = here[0].beyond((float)column);
            for (int32_t i = 1; i < used; i++) sum += here[i].beyond((float)column);
            return sum.lo + sum.hi;
        };
        const int8lanes rows = f.to_row + row;
        const int8lanes is_seen = f.is_seen & (rows >= 0) & (rows < height);
        const int8lanes offsets = is_seen ? rows * (int32_t)stride + f.to_column : (int8lanes)-INK_PLANE_MARGIN;
        Number *pixels[lines];
        for (int i = 0; i < lines; i++) pixels[i] = values + offsets[i];
        float8 before = beyond(first_column);
        for (int32_t column = first_column; column < end_column; column++) {
            const float8 after = beyond(column + 1);
            put(pixels, column, before - after);
            before = after;
        }
    }
}

template <int count> INK_INLINE void add(const fan &f, ink_plane plane, float weight) {
    const auto put = [&](float *const *pixels, int32_t column, float8 areas) __attribute__((always_inline)) {
        areas *= weight;
        for (int i = 0; i < lines; i++) pixels[i][column] += areas[i];
    };
    draw_rows<count>(f, plane.values, plane.stride, plane.height, put);
}

INK_INLINE void add(const fan &f, ink_plane plane, float weight) {
    if (f.kind == fan_kind::overlapping) add<6>(f, plane, weight);
    else add<2>(f, plane, weight);
}

bool multiply_contour(ink_kept plane, ink_plane covered, const ink_contour *contour, float alpha) {
    const fan f = fan::of(*contour, plane.left, plane.top, plane.width, plane.height);
    if (f.kind == fan_kind::other) return false;
    if (!f.is_visible()) return true;
    mark_drawn(plane, f.box.left, f.box.top, f.box.right, f.box.bottom);
    if (f.kind != fan_kind::apart) {
        add(f, covered, 1);
        multiply_covered(plane, covered, &f.box, alpha);
        return true;
    }
    const auto put = [&](uint16_t *const *pixels, int32_t column, float8 areas) __attribute__((always_inline)) {
        const float8 covered = (float8)((int8lanes)areas & 0x7FFFFFFF);
        ushort8 left = {};
        for (int i = 0; i < lines; i++) left[i] = pixels[i][column];
        left = rest(left, greatest(1.0f - alpha * covered, (float8)0.0f));
#if defined(__x86_64__)
        // Else the compiler rounds lane by lane.
        __asm__("" : "+x"(left));
#endif
        for (int i = 0; i < lines; i++) pixels[i][column] = left[i];
    };
    draw_rows<2>(f, plane.values, plane.stride, plane.height, put);
    return true;
}

bool add_contour(ink_kept plane, ink_plane covered, const ink_contour *contour, float weight) {
    const fan f = fan::of(*contour, plane.left, plane.top, plane.width, plane.height);
    if (f.kind == fan_kind::other) return false;
    if (!f.is_visible()) return true;
    mark_drawn(plane, f.box.left, f.box.top, f.box.right, f.box.bottom);
    add(f, covered, weight);
    return true;
}

}  // namespace
}  // namespace INK_LEVEL::contour
