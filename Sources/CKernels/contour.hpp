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
static_assert(leaf == 7 && leaf * fan * fan == INK_CONTOUR_BLOCK);

/// Places whose squared distances differ by a smaller share are equally near: rounding must not choose between them.
constexpr float tie = 2e-6f;
/// A length that nothing reaches, in output pixels.
constexpr float far_off = 1e15f;

template <typename M, typename V> INK_INLINE V select(M which, V a, V b) { return which ? a : b; }
template <typename V> INK_INLINE V held(V a, V low, V high) { return least(greatest(a, low), high); }
template <typename V> INK_INLINE V absolute(V a) { return greatest(a, -a); }
template <typename V> INK_INLINE V root(V a) { return __builtin_elementwise_sqrt(a); }
/// The nearest whole number, for |a| < 2^22.
template <typename V> INK_INLINE V rounded(V a) { return (a + 12582912.0f) - 12582912.0f; }

/// The values of a table at each lane's index. Most tables fit a register, which takes a fraction of the time.
INK_INLINE float16 pick(const float *table, ptrdiff_t count, int16lanes at) {
#if defined(__x86_64__) && INK_RANK >= 2
    if (count <= 16) {
        return (float16)_mm512_permutexvar_ps((__m512i)at, (__m512)*(const float16_unaligned *)table);
    }
#elif defined(__x86_64__) && INK_RANK >= 1
    if (count <= 8) {
        const __m256 all = (__m256)load(table);
        const float8 low = (float8)_mm256_permutevar8x32_ps(all, (__m256i)(int8lanes)at.lo);
        const float8 high = (float8)_mm256_permutevar8x32_ps(all, (__m256i)(int8lanes)at.hi);
        return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
#endif
    float16 v;
    for (int i = 0; i < 16; i++) v[i] = table[at[i]];
    return v;
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

/// What is known of points, two rows of eight: x is the distance from the line in units of the size there, above 0 on the right
/// and below on the left, and how it changes from one pixel to the next; alpha; and how far a point is within the stroke's ends.
struct place {
    float16 x, step_x, step_y, alpha, within;
};

/// The nearest places of sixteen points.
template <bool has_ends, bool varies> struct nearest {
    float16 side = (float16)0.0f, over = (float16)0.0f, along = (float16)0.0f, within = (float16)far_off;
    int16lanes at = (int16lanes)0;

    INK_INLINE nearest find(const segments &all, float16 x, float16 y) {
        nearest n;
        float16 limit = (float16)1e30f;
        for (ptrdiff_t i = 0; i < all.count; i++) {
            const float16 ux = (float16)all.row(segments::along_x)[i], uy = (float16)all.row(segments::along_y)[i];
            const float16 start = (float16)all.row(segments::start)[i], end = (float16)all.row(segments::end)[i];
            const float16 t = ux * x + uy * y, s = (all.row(segments::side)[i] - uy * x) + ux * y;
            const float16 beyond = t - held(t, start, end);
            const float16 squared = s * s + beyond * beyond;
            const int16lanes is_nearer = squared < limit;
            if (has_ends) {
                float16 inside = (float16)far_off;
                if (all.row(segments::first)[i] > 1) inside = t - start;
                if (all.row(segments::last)[i] > 1) inside = least(inside, end - t);
                const int16lanes is_tie = squared * (1 - 2 * tie) < limit;
                n.within = select(is_nearer, inside, select(is_tie, greatest(n.within, inside), n.within));
            }
            limit = select(is_nearer, squared * (1 - tie), limit);
            n.side = select(is_nearer, s, n.side);
            n.over = select(is_nearer, beyond, n.over);
            if (varies) n.along = select(is_nearer, t, n.along);
            n.at = select(is_nearer, (int16lanes)(int32_t)i, n.at);
        }
        return n;
    }

    INK_METHOD place get(const segments &all, const ink_contour &lines) const {
        const float16 ux = pick(all.row(segments::along_x), all.count, at), uy = pick(all.row(segments::along_y), all.count, at);
        const int16lanes is_beside = over == 0.0f;
        const float pixel_x = (float)lines.pixel_x, pixel_y = (float)lines.pixel_y;
        place p;
        p.within = within;
        p.x = side;
        float16 grow_x = -uy, grow_y = ux;
        if (__builtin_reduce_and(is_beside) == 0) {
            // At a vertex the distance grows away from it.
            const float16 distance = root(side * side + over * over);
            const float16 sign = select(side < 0.0f, (float16)-1.0f, (float16)1.0f);
            const float16 share = sign / greatest(distance, (float16)1e-20f);
            p.x = sign * distance;
            grow_x = select(is_beside, grow_x, (ux * over - uy * side) * share);
            grow_y = select(is_beside, grow_y, (uy * over + ux * side) * share);
        }
        p.step_x = grow_x * pixel_x;
        p.step_y = grow_y * pixel_y;
        p.alpha = (float16)(float)lines.alpha_least;
        if (varies) {
            const float16 way = along - over - pick(all.row(segments::start), all.count, at);
            const float16 step = pick(all.row(segments::size_step), all.count, at);
            const float16 size = pick(all.row(segments::size), all.count, at) + way * step;
            const float16 per_size = 1.0f / greatest(size, (float16)1e-5f);
            p.x = select(size > 0.0f, p.x * per_size, (float16)far_off);
            const float16 slope = select(is_beside, p.x * step, (float16)0.0f);
            p.step_x = (p.step_x - slope * ux * pixel_x) * per_size;
            p.step_y = (p.step_y - slope * uy * pixel_y) * per_size;
            p.alpha = pick(all.row(segments::alpha), all.count, at) + way * pick(all.row(segments::alpha_step), all.count, at);
        }
        return p;
    }
};

/// Lines at equal distances, as a function of x.
struct profile {
    float spacing, per_spacing, half, outermost;

    /// The function integrated twice, but for straight parts; x: from the middle of the line with this number.
    INK_METHOD float16 twice(float16 x, float16 number) const {
        const float16 n = rounded(held(x * per_spacing, -outermost - number, outermost - number));
        const float16 rest = x - n * spacing, in = held(rest, (float16)-half, (float16)half);
        return 2 * half * n * (0.5f * spacing * n + rest) + 0.5f * in * in + half * (absolute(rest) - absolute(in));
    }

    /// Where there is a single line; x: from its nearer side, below 0 within it. Numbers stay small however wide it is.
    INK_METHOD float16 once(float16 x) const {
        const float16 in = held(x, (float16)(-2 * half), (float16)0.0f);
        return in * (x - 0.5f * in);
    }

    /// The share of a square where there are lines, whose x in the middle and changes from side to side are given.
    INK_METHOD float16 area(float16 x, float16 step_x, float16 step_y) const {
        const float16 a = 0.5f * absolute(step_x), b = 0.5f * absolute(step_y);
        const float16 most = greatest(greatest(a, b), (float16)1e-12f);
        x = absolute(x);
        const float16 number = rounded(held(x * per_spacing, (float16)0.0f, (float16)outermost)), from = x - number * spacing;
        const float16 beside = absolute(from) - half;
        float16 bent, less = greatest(least(a, b), most * 1e-3f);
        // Whether no square meets two lines.
        if (__builtin_reduce_max(a + b) < 0.5f * spacing - half) {
            const float16 sum = most + less, difference = most - less;
            bent = (once(beside + sum) - once(beside + difference)) - (once(beside - difference) - once(beside - sum));
        } else {
            // Differences of greater numbers.
            less = greatest(less, most * (1.0f / 64));
            const float16 sum = most + less, difference = most - less;
            bent = (twice(from + sum, number) - twice(from + difference, number))
                - (twice(from - difference, number) - twice(from - sum, number));
        }
        const float16 share = held(bent / (4 * most * less), (float16)0.0f, (float16)1.0f), sum = most + less;
        const int16lanes is_inside = (beside <= -sum) & (beside >= sum - 2 * half);
        const int16lanes is_outside = x - outermost * spacing - half >= sum;
        return select(is_outside, (float16)0.0f, select(is_inside, (float16)1.0f, share));
    }
};

/// A number for each corner of a block's pixels, two rows at a time.
struct corners {
    float16 rows[(leaf + 1) / 2 + 1];

    /// Of two rows of pixels from an even one: those on the left and above, and those on the right, and below both. The last
    /// ones of each row are of no pixel.
    struct four {
        float16 a, b, c, d;

        INK_METHOD float16 low() const { return least(least(a, b), least(c, d)); }
        INK_METHOD float16 high() const { return greatest(greatest(a, b), greatest(c, d)); }
        INK_METHOD float16 spread() const { return high() - low(); }
        INK_METHOD float16 sum() const { return a + b + c + d; }
    };

    INK_METHOD four get(int pair) const {
        const float16 upper = rows[pair], next = rows[pair + 1];
        const float16 lower =
            __builtin_shufflevector(upper, next, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
        const auto right = [](float16 v) __attribute__((always_inline)) {
            return __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 7, 9, 10, 11, 12, 13, 14, 15, 15);
        };
        return {upper, right(upper), lower, right(lower)};
    }
};

template <bool has_ends, bool varies, bool is_filled> struct drawing {
    const ink_contour &lines;
    const segments &all;
    profile form;

    /// How many squares a pixel is divided into, in either direction, where corners do not agree.
    static constexpr int parts = varies || is_filled ? 8 : 4;
    static constexpr int pairs = (leaf + 1) / 2;

    /// What is taken of the pixel whose left upper corner is at x, y.
    INK_METHOD float divided(float x, float y) const {
        constexpr float part = 1.0f / parts;
        float16 sum = (float16)0.0f;
        for (int from = 0; from < parts * parts; from += 16) {
            float16 across, down;
            for (int i = 0; i < 16; i++) {
                across[i] = x + ((float)((from + i) % parts) + 0.5f) * part * (float)lines.pixel_x;
                down[i] = y + ((float)((from + i) / parts) + 0.5f) * part * (float)lines.pixel_y;
            }
            const place p = nearest<has_ends, varies>::find(all, across, down).get(all, lines);
            float16 taken = p.alpha;
            if (!is_filled) {
                taken = taken * form.area(p.x, p.step_x * part, p.step_y * part);
                if (has_ends) taken = taken * held(0.5f + p.within * parts, (float16)0.0f, (float16)1.0f);
            }
            sum = sum + taken;
        }
        float total = 0;
        for (int i = 0; i < 16; i++) total += sum[i];
        return total * (part * part);
    }

    /// What is taken of each pixel of a block, row by row; x, y: of its left upper corner.
    INK_METHOD void draw(float left, float top, float (&taken)[leaf + 1][8]) const {
        const float width = (float)lines.pixel_x, height = (float)lines.pixel_y;
        const float16 across = left + width * float16{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
        const float16 second = height * float16{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
        corners x, step_x, step_y, alpha, within;
        for (int pair = 0; pair < pairs; pair++) {
            const float16 down = (top + height * (float)(2 * pair)) + second;
            const place p = nearest<has_ends, varies>::find(all, across, down).get(all, lines);
            x.rows[pair] = p.x;
            step_x.rows[pair] = p.step_x;
            step_y.rows[pair] = p.step_y;
            alpha.rows[pair] = p.alpha;
            within.rows[pair] = p.within;
        }
        // No pixels.
        x.rows[pairs] = step_x.rows[pairs] = step_y.rows[pairs] = alpha.rows[pairs] = within.rows[pairs] = (float16)0.0f;
        for (int pair = 0; pair < pairs; pair++) {
            float16 share = (float16)(float)lines.alpha_least;
            int16lanes is_even = (int16lanes)-1;
            if (varies) {
                const auto shares = alpha.get(pair);
                share = shares.sum() * 0.25f;
                is_even = shares.spread() < 0.1f;
            }
            if (!is_filled) {
                const auto v = x.get(pair), gx = step_x.get(pair), gy = step_y.get(pair);
                // What each corner tells about the middle.
                const corners::four told = {
                    v.a + 0.5f * (gx.a + gy.a), v.b - 0.5f * (gx.b - gy.b), v.c + 0.5f * (gx.c - gy.c),
                    v.d - 0.5f * (gx.d + gy.d)};
                const float16 mean_x = gx.sum() * 0.25f, mean_y = gy.sum() * 0.25f;
                const float16 slope = absolute(mean_x) + absolute(mean_y), bend = gx.spread() + gy.spread();
                is_even &= (told.spread() < 0.06f * slope) & (bend < 0.3f * slope);
                // With these weights, what a circle bends away is what it bends away from the mean of a pixel.
                share = share * form.area(v.sum() * (1.0f / 6) + told.sum() * (1.0f / 12), mean_x, mean_y);
                if (has_ends) {
                    const auto inside = within.get(pair);
                    const float16 low = inside.low();
                    is_even &= (low >= 0.0f) | (inside.high() < 0.0f);
                    share = select(low >= 0.0f, share, (float16)0.0f);
                }
                // Too far away for any of it.
                const float16 close = least(
                    least(absolute(v.a), absolute(v.b)), least(absolute(v.c), absolute(v.d)));
                const int16lanes is_out =
                    close > form.outermost * form.spacing + form.half + 2.0f * slope + 2.0f * bend;
                share = select(is_out, (float16)0.0f, share);
                is_even |= is_out;
            }
            *(float16_unaligned *)taken[2 * pair] = share;
            const uint32_t last = pair == pairs - 1 ? 0x7F : 0x7F7F;
            for (uint32_t rest = ~bits_of(is_even) & last; rest; rest &= rest - 1) {
                const int lane = __builtin_ctz(rest), row = 2 * pair + lane / 8, column = lane % 8;
                taken[row][column] = divided(left + width * (float)column, top + height * (float)row);
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

    template <bool has_ends, bool varies, bool is_filled> void taken(const segments &all, float (&values)[leaf + 1][8]) const {
        const float left = -0.5f * leaf * (float)lines.pixel_x, top = -0.5f * leaf * (float)lines.pixel_y;
        drawing<has_ends, varies, is_filled>{lines, all, form}.draw(left, top, values);
    }

    /// Draws a smallest block; x, y: its first pixel, counted from the cell's.
    void draw(const segments &all, int32_t x, int32_t y) const {
        const int32_t left = greatest(x, 0), right = least(x + leaf, plane.width);
        const int32_t top = greatest(y, 0), bottom = least(y + leaf, plane.height);
        if (shape && is_untouched(left, top, right, bottom)) return;
        float values[leaf + 1][8];
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
