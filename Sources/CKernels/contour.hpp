// Contour lines, and opacity along a stroke, by the nearest place of its line. Blocks of the output, which lie at the same
// places in every cell, are divided twice, and at each step only those segments go on that may be nearest to any point.
// In the smallest blocks the nearest place is found for the corners of pixels. Where those of a pixel agree about a straight
// line, its area is exact; other pixels are divided.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::contour {
namespace {

using namespace raster;

/// Size of the smallest blocks, whose corners fill vectors, and the number of blocks in those above, in either direction.
constexpr int32_t leaf = 7, fan = 4;
static_assert(leaf * fan * fan == INK_CONTOUR_BLOCK);

/// Places whose squared distances differ by a smaller share are equally near: rounding must not choose between them.
constexpr float tie = 2e-6f;
/// A length that nothing reaches, in output pixels.
constexpr float far_off = 1e15f;

INK_INLINE float8 select(int8lanes which, float8 a, float8 b) { return which ? a : b; }
INK_INLINE int8lanes select(int8lanes which, int8lanes a, int8lanes b) { return which ? a : b; }
INK_INLINE float8 held(float8 a, float8 low, float8 high) { return least(greatest(a, low), high); }
INK_INLINE float8 absolute(float8 a) { return greatest(a, -a); }
INK_INLINE float8 root(float8 a) { return __builtin_elementwise_sqrt(a); }
/// The nearest whole number, for |a| < 2^22.
INK_INLINE float8 rounded(float8 a) { return (a + 12582912.0f) - 12582912.0f; }

/// The values of a table at each lane's index.
INK_INLINE float8 pick(const float *table, int8lanes at) {
#if defined(__x86_64__) && INK_RANK >= 1
    return (float8)_mm256_i32gather_ps(table, (__m256i)at, 4);
#else
    float8 v;
    for (int i = 0; i < 8; i++) v[i] = table[at[i]];
    return v;
#endif
}

/// Segments as they are seen from a point, the middle of a block, in output pixels: a row of numbers for each property.
struct segments {
    enum {
        along_x, along_y,
        /// How far the point is on the right of the segment's line.
        side,
        /// Where the segment starts and ends along itself, from the point.
        start, end,
        /// The direction of the segment before, and how far the point lies along it from where it ends; 0 and `far_off` if that
        /// is not known.
        before_x, before_y, before,
        /// What an end of the stroke is there: 2 for one that cuts lines off, 1 for one that they go round; 0 for no end.
        first, last,
        /// Size and alpha at the start, and how they change along the segment.
        size, size_step, alpha, alpha_step,
        count_of_properties
    };
    float *values;
    ptrdiff_t stride;
    ptrdiff_t count;

    INK_METHOD float *row(int property) const { return values + property * stride; }
    INK_METHOD float8 at(int property, ptrdiff_t index) const { return load(row(property) + index); }

    INK_METHOD void append(const segments &from, ptrdiff_t index) {
        for (int p = 0; p < count_of_properties; p++) row(p)[count] = from.row(p)[index];
        count++;
    }
};

/// Distances of segments, some of which go on to a smaller block.
struct sieve {
    /// How far the corners of the block are from its middle, and how far from the line anything is drawn.
    float radius, reach;

    /// Leaves in `to` those segments that may be nearest to a point of the block whose middle is at x, y, as seen from there.
    /// `distances`: scratch memory for as many as there are.
    void pass(const segments &from, float x, float y, segments &to, float *distances) const {
        float8 nearest = (float8)far_off;
        for (ptrdiff_t i = 0; i < from.count; i += 8) {
            const float8 ux = from.at(segments::along_x, i), uy = from.at(segments::along_y, i);
            const float8 side = from.at(segments::side, i) + (ux * y - uy * x), move = ux * x + uy * y;
            const float8 start = from.at(segments::start, i) - move, end = from.at(segments::end, i) - move;
            const float8 over = held((float8)0.0f, start, end);
            float8 distance = root(side * side + over * over);
            // No place of the segment is nearer to a point than those beside it.
            const float8 before = from.at(segments::before, i) + from.at(segments::before_x, i) * x
                + from.at(segments::before_y, i) * y;
            const float8 margin = radius + 1e-3f + 1e-6f * (absolute(start) + absolute(end));
            const int8lanes is_there = ((start <= margin) | (before >= -margin))
                & ((end >= -margin) | (from.at(segments::last, i) > 0.0f));
            distance = select(is_there, distance, (float8)far_off);
            store(distances + i, distance);
            const int8lanes is_one = int8lanes{0, 1, 2, 3, 4, 5, 6, 7} < (int8lanes)(int32_t)least(from.count - i, (ptrdiff_t)8);
            nearest = least(nearest, select(is_one, distance, (float8)far_off));
        }
        const float most = least(__builtin_reduce_min(nearest) + 2 * radius, reach + radius) * (1 + 1e-6f) + 1e-3f;
        to.count = 0;
        for (ptrdiff_t i = 0; i < from.count; i++) {
            if (!(distances[i] <= most)) continue;
            const ptrdiff_t at = to.count;
            to.append(from, i);
            const float ux = to.row(segments::along_x)[at], uy = to.row(segments::along_y)[at];
            const float move = ux * x + uy * y;
            to.row(segments::side)[at] += ux * y - uy * x;
            to.row(segments::start)[at] -= move;
            to.row(segments::end)[at] -= move;
            to.row(segments::before)[at] += to.row(segments::before_x)[at] * x + to.row(segments::before_y)[at] * y;
        }
    }
};

/// What is known of points, eight in a row: x is the distance from the line in units of the size there, above 0 on the right
/// and below on the left, and how it changes from one pixel to the next; alpha; and how far a point is within the stroke's ends.
struct place {
    float8 x, step_x, step_y, alpha, within;
};

/// The nearest places of `rows` times eight points.
template <bool has_ends, bool varies, int rows> struct nearest {
    float8 side[rows], over[rows], along[rows], within[rows];
    int8lanes at[rows];

    /// Two rows at a time, which registers hold.
    INK_METHOD void find(const segments &all, float8 x, const float8 *y) {
        static_assert(rows % 2 == 0);
        for (int r = 0; r < rows; r += 2) find_two(all, x, y, r);
    }

    INK_METHOD void find_two(const segments &all, float8 x, const float8 *y, int first) {
        float8 limits[2], sides[2], overs[2], alongs[2], withins[2];
        int8lanes places[2];
        for (int r = 0; r < 2; r++) {
            limits[r] = (float8)1e30f;
            sides[r] = overs[r] = alongs[r] = (float8)0.0f;
            withins[r] = (float8)far_off;
            places[r] = (int8lanes)0;
        }
        for (ptrdiff_t i = 0; i < all.count; i++) {
            const float8 ux = (float8)all.row(segments::along_x)[i], uy = (float8)all.row(segments::along_y)[i];
            const float8 start = (float8)all.row(segments::start)[i], end = (float8)all.row(segments::end)[i];
            const float8 along_x = ux * x, side_x = all.row(segments::side)[i] - uy * x;
            for (int r = 0; r < 2; r++) {
                const float8 t = along_x + uy * y[first + r], s = side_x + ux * y[first + r];
                const float8 beyond = t - held(t, start, end);
                const float8 squared = s * s + beyond * beyond;
                const int8lanes is_nearer = squared < limits[r];
                if (has_ends) {
                    float8 inside = (float8)far_off;
                    if (all.row(segments::first)[i] > 1) inside = t - start;
                    if (all.row(segments::last)[i] > 1) inside = least(inside, end - t);
                    const int8lanes is_tie = squared * (1 - 2 * tie) < limits[r];
                    withins[r] = select(is_nearer, inside, select(is_tie, greatest(withins[r], inside), withins[r]));
                }
                limits[r] = select(is_nearer, squared * (1 - tie), limits[r]);
                sides[r] = select(is_nearer, s, sides[r]);
                overs[r] = select(is_nearer, beyond, overs[r]);
                if (varies) alongs[r] = select(is_nearer, t, alongs[r]);
                places[r] = select(is_nearer, (int8lanes)(int32_t)i, places[r]);
            }
        }
        for (int r = 0; r < 2; r++) {
            side[first + r] = sides[r];
            over[first + r] = overs[r];
            along[first + r] = alongs[r];
            within[first + r] = withins[r];
            at[first + r] = places[r];
        }
    }

    INK_METHOD place get(const segments &all, const ink_contour &lines, int r) const {
        const float8 ux = pick(all.row(segments::along_x), at[r]), uy = pick(all.row(segments::along_y), at[r]);
        const float8 s = side[r], o = over[r], distance = root(s * s + o * o);
        const int8lanes is_beside = o == 0.0f;
        // At a vertex the distance grows away from it.
        const float8 sign = select(s < 0.0f, (float8)-1.0f, (float8)1.0f);
        const float8 share = select(is_beside, (float8)0.0f, sign / greatest(distance, (float8)1e-20f));
        const float8 grow_x = select(is_beside, -uy, (ux * o - uy * s) * share);
        const float8 grow_y = select(is_beside, ux, (uy * o + ux * s) * share);
        place p;
        p.within = within[r];
        p.x = sign * distance;
        p.step_x = grow_x * (float)lines.pixel_x;
        p.step_y = grow_y * (float)lines.pixel_y;
        p.alpha = (float8)(float)lines.alpha_least;
        if (varies) {
            const float8 way = along[r] - o - pick(all.row(segments::start), at[r]);
            const float8 step = pick(all.row(segments::size_step), at[r]);
            const float8 size = pick(all.row(segments::size), at[r]) + way * step;
            const float8 per_size = 1.0f / greatest(size, (float8)1e-5f);
            p.x = select(size > 0.0f, p.x * per_size, (float8)far_off);
            const float8 slope = select(is_beside, p.x * step, (float8)0.0f);
            p.step_x = (p.step_x - slope * ux * (float)lines.pixel_x) * per_size;
            p.step_y = (p.step_y - slope * uy * (float)lines.pixel_y) * per_size;
            p.alpha = pick(all.row(segments::alpha), at[r]) + way * pick(all.row(segments::alpha_step), at[r]);
        }
        return p;
    }
};

/// Lines at equal distances, as a function of x: what it is after it was integrated twice, but for straight parts.
struct profile {
    float spacing, per_spacing, half, outermost;

    /// x: from the line with this number.
    INK_METHOD float8 twice(float8 x, float8 number) const {
        const float8 n = rounded(held(x * per_spacing, -outermost - number, outermost - number));
        const float8 rest = x - n * spacing, in = held(rest, (float8)-half, (float8)half);
        return 2 * half * n * (0.5f * spacing * n + rest) + 0.5f * in * in + half * (absolute(rest) - absolute(in));
    }

    /// The share of a square where there are lines, whose x in the middle and changes from side to side are given.
    INK_METHOD float8 area(float8 x, float8 step_x, float8 step_y) const {
        const float8 a = 0.5f * absolute(step_x), b = 0.5f * absolute(step_y);
        const float8 most = greatest(greatest(a, b), (float8)1e-12f), less = greatest(least(a, b), most * 1e-3f);
        x = absolute(x);
        const float8 number = rounded(held(x * per_spacing, (float8)0.0f, (float8)outermost)), from = x - number * spacing;
        const float8 sum = most + less, difference = most - less;
        const float8 bent = (twice(from + sum, number) - twice(from + difference, number))
            - (twice(from - difference, number) - twice(from - sum, number));
        const float8 share = held(bent / (4 * most * less), (float8)0.0f, (float8)1.0f);
        return select(x - outermost * spacing - half < sum, share, (float8)0.0f);
    }
};

/// A number for each corner of a block's pixels.
struct corners {
    float8 values[leaf + 1];

    INK_METHOD void set(int row, float8 v) { values[row] = v; }
    /// Those on the left of the pixels of a row, or on their right; the last one is of no pixel.
    INK_METHOD float8 get(int row, int column) const {
        const float8 v = values[row];
        return column ? __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 7) : v;
    }
};

INK_INLINE float8 spread(float8 a, float8 b, float8 c, float8 d) {
    return greatest(greatest(a, b), greatest(c, d)) - least(least(a, b), least(c, d));
}

template <bool has_ends, bool varies, bool is_filled> struct drawing {
    const ink_contour &lines;
    const segments &all;
    profile form;

    /// How many squares a pixel is divided into, in either direction, where corners do not agree.
    static constexpr int parts = varies || is_filled ? 8 : 4;

    /// What is taken of the pixel whose left upper corner is at x, y.
    INK_METHOD float divided(float x, float y) const {
        constexpr int rows = parts * parts / 8;
        float8 across, down[rows];
        for (int i = 0; i < 8; i++) across[i] = x + ((float)(i % parts) + 0.5f) * (1.0f / parts) * (float)lines.pixel_x;
        for (int r = 0; r < rows; r++) {
            for (int i = 0; i < 8; i++) {
                const int row = r * (8 / parts) + i / parts;
                down[r][i] = y + ((float)row + 0.5f) * (1.0f / parts) * (float)lines.pixel_y;
            }
        }
        nearest<has_ends, varies, rows> found;
        found.find(all, across, down);
        float8 sum = (float8)0.0f;
        for (int r = 0; r < rows; r++) {
            const place p = found.get(all, lines, r);
            float8 taken = p.alpha;
            if (!is_filled) {
                taken = taken * form.area(p.x, p.step_x * (1.0f / parts), p.step_y * (1.0f / parts));
                if (has_ends) taken = taken * held(0.5f + p.within * parts, (float8)0.0f, (float8)1.0f);
            }
            sum = sum + taken;
        }
        float total = 0;
        for (int i = 0; i < 8; i++) total += sum[i];
        return total * (1.0f / (parts * parts));
    }

    /// What is taken of each pixel of a block, row by row; x, y: of its left upper corner.
    INK_METHOD void draw(float left, float top, float (&taken)[leaf][8]) const {
        nearest<has_ends, varies, leaf + 1> found;
        const float8 across = left + (float)lines.pixel_x * float8{0, 1, 2, 3, 4, 5, 6, 7};
        float8 down[leaf + 1];
        for (int r = 0; r <= leaf; r++) down[r] = (float8)(top + (float)lines.pixel_y * (float)r);
        found.find(all, across, down);
        corners x, step_x, step_y, alpha, within;
        for (int r = 0; r <= leaf; r++) {
            const place p = found.get(all, lines, r);
            alpha.set(r, p.alpha);
            if (is_filled) continue;
            x.set(r, p.x);
            step_x.set(r, p.step_x);
            step_y.set(r, p.step_y);
            if (has_ends) within.set(r, p.within);
        }
        for (int r = 0; r < leaf; r++) {
            float8 share = (float8)(float)lines.alpha_least;
            int8lanes is_even = (int8lanes)-1;
            if (varies) {
                const float8 a = alpha.get(r, 0), b = alpha.get(r, 1), c = alpha.get(r + 1, 0), d = alpha.get(r + 1, 1);
                share = (a + b + c + d) * 0.25f;
                is_even = spread(a, b, c, d) < 0.02f;
            }
            if (!is_filled) {
                const float8 gx[] = {step_x.get(r, 0), step_x.get(r, 1), step_x.get(r + 1, 0), step_x.get(r + 1, 1)};
                const float8 gy[] = {step_y.get(r, 0), step_y.get(r, 1), step_y.get(r + 1, 0), step_y.get(r + 1, 1)};
                const float8 v[] = {x.get(r, 0), x.get(r, 1), x.get(r + 1, 0), x.get(r + 1, 1)};
                // What each corner tells about the middle.
                const float8 p = v[0] + 0.5f * (gx[0] + gy[0]), q = v[1] - 0.5f * (gx[1] - gy[1]);
                const float8 s = v[2] + 0.5f * (gx[2] - gy[2]), t = v[3] - 0.5f * (gx[3] + gy[3]);
                const float8 mean_x = (gx[0] + gx[1] + gx[2] + gx[3]) * 0.25f;
                const float8 mean_y = (gy[0] + gy[1] + gy[2] + gy[3]) * 0.25f;
                const float8 slope = absolute(mean_x) + absolute(mean_y);
                const float8 bend = spread(gx[0], gx[1], gx[2], gx[3]) + spread(gy[0], gy[1], gy[2], gy[3]);
                is_even &= (spread(p, q, s, t) < 0.06f * slope) & (bend < 0.3f * slope);
                // With these weights, what a circle bends away is what it bends away from the mean of a pixel.
                const float8 middle =
                    (v[0] + v[1] + v[2] + v[3]) * (1.0f / 6) + (p + q + s + t) * (1.0f / 12);
                share = share * form.area(middle, mean_x, mean_y);
                if (has_ends) {
                    const float8 a = within.get(r, 0), b = within.get(r, 1), c = within.get(r + 1, 0),
                                 d = within.get(r + 1, 1);
                    const float8 low = least(least(a, b), least(c, d)), high = greatest(greatest(a, b), greatest(c, d));
                    is_even &= (low >= 0.0f) | (high < 0.0f);
                    share = select(low >= 0.0f, share, (float8)0.0f);
                }
                // Too far away for any of it.
                const float8 close = least(least(absolute(v[0]), absolute(v[1])), least(absolute(v[2]), absolute(v[3])));
                const int8lanes is_out = close > form.outermost * form.spacing + form.half + 2.0f * slope + 2.0f * bend;
                share = select(is_out, (float8)0.0f, share);
                is_even |= is_out;
            }
            store(taken[r], share);
            if (__builtin_reduce_and(is_even) == -1) continue;
            for (int i = 0; i < leaf; i++) {
                if (is_even[i]) continue;
                taken[r][i] = divided(left + (float)lines.pixel_x * (float)i, top + (float)lines.pixel_y * (float)r);
            }
        }
    }
};

struct contour_block {
    ink_kept plane;
    const ink_kept *shape;
    const ink_contour &lines;
    profile form;

    /// Whether a shape leaves all of a block of pixels as it was.
    INK_METHOD bool is_untouched(int32_t left, int32_t top, int32_t right, int32_t bottom) const {
        for (int32_t row = top; row < bottom; row++) {
            for (int32_t column = left; column < right; column++) {
                if (shape->values[row * shape->stride + column] != 65535) return false;
            }
        }
        return true;
    }

    template <bool has_ends, bool varies, bool is_filled> void taken(const segments &all, float (&values)[leaf][8]) const {
        const float left = -0.5f * leaf * (float)lines.pixel_x, top = -0.5f * leaf * (float)lines.pixel_y;
        drawing<has_ends, varies, is_filled>{lines, all, form}.draw(left, top, values);
    }

    /// Draws a smallest block; x, y: its first pixel, counted from the cell's.
    void draw(const segments &all, int32_t x, int32_t y) const {
        const int32_t left = greatest(x, 0), right = least(x + leaf, plane.width);
        const int32_t top = greatest(y, 0), bottom = least(y + leaf, plane.height);
        if (shape && is_untouched(left, top, right, bottom)) return;
        float values[leaf][8];
        bool has_ends = false;
        for (ptrdiff_t i = 0; i < all.count; i++) {
            has_ends |= greatest(all.row(segments::first)[i], all.row(segments::last)[i]) > 1;
        }
        if (shape) {
            taken<false, true, true>(all, values);
        } else if (lines.varies) {
            has_ends ? taken<true, true, false>(all, values) : taken<false, true, false>(all, values);
        } else {
            has_ends ? taken<true, false, false>(all, values) : taken<false, false, false>(all, values);
        }
        for (int32_t row = top; row < bottom; row++) {
            float *value = values[row - y];
            if (shape) {
                for (int32_t column = left; column < right; column++) {
                    const float left_over = (float)shape->values[row * shape->stride + column];
                    // What is covered entirely keeps a share.
                    value[column - x] *= least((65535 - left_over) * (1.0f / 65534), 1.0f);
                }
            }
            for (int32_t i = 0; i < 8; i++) {
                if (i >= leaf || x + i < left || x + i >= right) value[i] = 0;
            }
            const float8 all_taken = load(value);
            if (!(__builtin_reduce_max(all_taken) > 0)) continue;
            uint16_t *to = plane.values + row * plane.stride + x;
            store(to, rest(load(to), 1.0f - all_taken));
            uint64_t &drawn = plane.drawn[row / INK_BLOCK_HEIGHT];
            drawn |= (uint64_t)1 << (left / INK_BLOCK_WIDTH) | (uint64_t)1 << ((right - 1) / INK_BLOCK_WIDTH);
        }
    }
};

struct contour_scratch {
    float *memory;
    ptrdiff_t stride;

    INK_METHOD segments list(int level) const {
        return {memory + level * segments::count_of_properties * stride, stride, 0};
    }
    INK_METHOD float *distances() const { return memory + 3 * segments::count_of_properties * stride; }
};

/// How far a line may move where vertices are left out, in output pixels.
constexpr double straightness = 1.0 / 128;
/// The line of a stroke.
struct polyline {
    const ink_contour &lines;
    /// By how much pressure may differ from what it is.
    double evenness;

    INK_INLINE polyline of(const ink_contour &lines) {
        const double size = magnitude(lines.size_more) * lines.reach, alpha = magnitude(lines.alpha_more);
        return {lines, least(size > 0 ? straightness / size : 1.0, alpha > 0 ? 1.0 / 1024 / alpha : 1.0)};
    }

    /// The last vertex, up to `end`, to which one segment leads as well: of all that are left out, none moves further than it
    /// may. These are those whose direction from the first lies within narrower and narrower bounds.
    int32_t last_of(int32_t first, int32_t end) const {
        const double *const from = lines.samples + 4 * first;
        int32_t last = first + 1;
        double ux = 0, uy = 0, most = 0, low = -1e300, high = 1e300, slow = -1e300, fast = 1e300;
        bool has_direction = false;
        for (int32_t i = first + 1; i <= end; i++) {
            const double *to = lines.samples + 4 * i;
            const double dx = (to[0] - from[0]) * lines.scale, dy = (to[1] - from[1]) * lines.scale, more = to[2] - from[2];
            if (!has_direction) {
                const double length = __builtin_sqrt(dx * dx + dy * dy);
                if (length <= straightness) {
                    if (!(magnitude(more) <= evenness)) return last;
                    last = i;
                    continue;
                }
                ux = dx / length;
                uy = dy / length;
                has_direction = true;
            }
            const double along = dx * ux + dy * uy, side = ux * dy - uy * dx, per_along = 1 / along;
            if (!(along >= most) || !(along > straightness)) return last;
            most = along;
            const double slope = side * per_along, change = more * per_along;
            if (slope >= low && slope <= high && change >= slow && change <= fast) last = i;
            low = greatest(low, (side - straightness) * per_along);
            high = least(high, (side + straightness) * per_along);
            slow = greatest(slow, (more - evenness) * per_along);
            fast = least(fast, (more + evenness) * per_along);
            if (low > high || slow > fast) return last;
        }
        return last;
    }

    /// The segments in some ranges as seen from a point of the canvas.
    void look(double x, double y, const int32_t *ranges, ptrdiff_t range_count, segments &to) const {
        const int32_t last = (int32_t)lines.sample_count - 2;
        const float cap = lines.is_closed ? 0 : lines.cuts_ends && last >= 0 ? 2 : 1;
        for (ptrdiff_t range = 0; range < range_count; range++) {
            // The direction before the first segment would be that of a segment of others as well.
            double before_x = 0, before_y = 0;
            bool is_free = true;
            int32_t end = 0;
            for (int32_t i = ranges[2 * range]; i < ranges[2 * range + 1]; i = end) {
                end = last < 0 ? 1 : last_of(i, least((i / INK_CONTOUR_RUN + 1) * INK_CONTOUR_RUN, ranges[2 * range + 1]));
                const double *a = lines.samples + 4 * i, *b = last < 0 ? a : lines.samples + 4 * end;
                const double step_x = b[0] - a[0], step_y = b[1] - a[1];
                const double length = __builtin_sqrt(step_x * step_x + step_y * step_y);
                const double ux = length > 0 ? step_x / length : 1, uy = length > 0 ? step_y / length : 0;
                const double dx = x - a[0], dy = y - a[1], along = dx * ux + dy * uy;
                const auto limited = [&](double v) {
                    return (float)least(greatest(v * lines.scale, -(double)far_off), (double)far_off);
                };
                const ptrdiff_t at = to.count++;
                to.row(segments::along_x)[at] = (float)ux;
                to.row(segments::along_y)[at] = (float)uy;
                to.row(segments::side)[at] = limited(ux * dy - uy * dx);
                to.row(segments::start)[at] = limited(-along);
                to.row(segments::end)[at] = limited(length - along);
                to.row(segments::before_x)[at] = (float)before_x;
                to.row(segments::before_y)[at] = (float)before_y;
                to.row(segments::before)[at] = is_free ? far_off : limited(before_x * dx + before_y * dy);
                to.row(segments::first)[at] = i == 0 ? cap : 0;
                to.row(segments::last)[at] = end > last ? cap : 0;
                const double per_length = length > 0 ? 1 / (length * lines.scale) : 0;
                to.row(segments::size)[at] = (float)(lines.size_least + lines.size_more * a[2]);
                to.row(segments::size_step)[at] = (float)(lines.size_more * (b[2] - a[2]) * per_length);
                to.row(segments::alpha)[at] = (float)(lines.alpha_least + lines.alpha_more * a[2]);
                to.row(segments::alpha_step)[at] = (float)(lines.alpha_more * (b[2] - a[2]) * per_length);
                before_x = ux;
                before_y = uy;
                is_free = false;
            }
        }
    }
};

/// The first pixel of a block, or of one of the blocks in it, counted from the cell's; and whether the cell has any of it.
INK_INLINE bool is_met(ink_kept plane, int32_t x, int32_t y, int32_t size) {
    return x < plane.width && y < plane.height && x + size > 0 && y + size > 0;
}

void multiply_contour(
    ink_kept plane, const ink_kept *shape, const ink_contour *contour, const int32_t *ranges, ptrdiff_t range_count,
    int32_t x, int32_t y, float *scratch, ptrdiff_t room) {
    const ink_contour &lines = *contour;
    const contour_scratch memory = {scratch, room};
    segments all = memory.list(0), near = memory.list(1), nearest = memory.list(2);
    const double half = 0.5 * INK_CONTOUR_BLOCK;
    polyline::of(lines).look(
        ((double)x + half) * lines.pixel_x / lines.scale, ((double)y + half) * lines.pixel_y / lines.scale, ranges,
        range_count, all);
    const float width = (float)lines.pixel_x, height = (float)lines.pixel_y;
    const float radius = __builtin_sqrtf(width * width + height * height) * 0.5f;
    const contour_block block = {
        plane, shape, lines, {lines.spacing, 1 / lines.spacing, lines.half_width, (float)lines.outermost}};
    const int32_t middle = leaf * fan;
    for (int32_t i = 0; i < fan * fan; i++) {
        const int32_t column = i % fan, row = i / fan;
        const int32_t left = x + column * middle - plane.left, top = y + row * middle - plane.top;
        if (!is_met(plane, left, top, middle)) continue;
        const float center = 0.5f * fan - 0.5f;
        sieve{radius * (float)middle, lines.reach}.pass(
            all, ((float)column - center) * (float)middle * width, ((float)row - center) * (float)middle * height, near,
            memory.distances());
        if (near.count == 0) continue;
        for (int32_t k = 0; k < fan * fan; k++) {
            const int32_t inner_left = left + k % fan * leaf, inner_top = top + k / fan * leaf;
            if (!is_met(plane, inner_left, inner_top, leaf)) continue;
            sieve{radius * (float)leaf, lines.reach}.pass(
                near, ((float)(k % fan) - center) * (float)leaf * width, ((float)(k / fan) - center) * (float)leaf * height,
                nearest, memory.distances());
            if (nearest.count > 0) block.draw(nearest, inner_left, inner_top);
        }
    }
}

}  // namespace
}  // namespace INK_LEVEL::contour
