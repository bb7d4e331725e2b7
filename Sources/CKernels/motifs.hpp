// Patterns that lie still on the canvas: copies of a motif at the points of a lattice, and what a footprint uncovers of
// them. Where both footprint and pattern cover a pixel in part, the area is that of the polygons' intersection.
#pragma once

#include "parts.hpp"
#include "polygons.hpp"

namespace INK_LEVEL::motifs {
namespace {

using namespace outline;

constexpr int32_t group = INK_GROUP_SIZE;

void add_footprint(ink_plane plane, ink_deltas deltas, int32_t top, int32_t bottom, uint8_t *groups) {
    const float16 share = (float16)(1.0f / pixel);
    use_marked(deltas, top, bottom, [&](int32_t row, int32_t column, int16lanes area) __attribute__((always_inline)) {
        float *at = plane.values + row * plane.stride + column;
        *(float16_unaligned *)at = floats16(at) + share * covered(area);
        groups[row / group * INK_MARKS_STRIDE + column / group] = 1;
    });
}

/// A range of whole numbers, the end not included.
struct span {
    double first, end;

    /// Narrows it to the i for which least <= start + i * step <= most.
    INK_METHOD void narrow(double start, double step, double least_one, double most) {
        if (step == 0) {
            if (start < least_one || start > most) end = first;
            return;
        }
        const double a = (least_one - start) / step, b = (most - start) / step;
        first = greatest(first, least(a, b) - 1e-6);
        end = least(end, greatest(a, b) + 1e-6);
    }
};

/// The smallest whole number that is not below a, for |a| < 2^62.
INK_INLINE int64_t ceiling_of(double a) { return -floor_of(-a); }

void add_motif(
    ink_deltas target, const ink_chain *chain, const ink_motif *motif, const uint8_t *groups, int32_t *bands) {
    constexpr ptrdiff_t some = 256;
    ink_point places[some];
    ptrdiff_t count = 0;
    const int32_t last_row = (target.height - 1) / group, last_column = (target.width - 1) / group;
    // The groups to meet.
    int32_t first_seen = last_column + 1, last_seen = -1, upper_seen = last_row + 1, lower_seen = -1;
    for (int32_t row = 0; row <= last_row; row++) {
        for (int32_t column = 0; column <= last_column; column++) {
            if (groups[row * INK_MARKS_STRIDE + column] == 0) continue;
            first_seen = least(first_seen, column);
            last_seen = greatest(last_seen, column);
            upper_seen = least(upper_seen, row);
            lower_seen = row;
        }
    }
    if (last_seen < 0) return;
    // Contributions reach two pixels beyond an edge.
    const double left = target.left + group * first_seen - 4, right = target.left + group * (last_seen + 1) + 4;
    const double top = target.top + group * upper_seen - 4, bottom = target.top + group * (lower_seen + 1) + 4;
    // The lattice's steps across whose points can reach them.
    double low = 1e18, high = -1e18;
    for (int corner = 0; corner < 4; corner++) {
        const double x = (corner & 1 ? right - motif->left : left - motif->right) - motif->x;
        const double y = (corner & 2 ? bottom - motif->top : top - motif->bottom) - motif->y;
        const double across = x * motif->columns_across + y * motif->rows_across;
        low = least(low, across);
        high = greatest(high, across);
    }
    for (int64_t j = ceiling_of(low - 1e-6); j <= floor_of(high + 1e-6); j++) {
        const double x0 = motif->x + (double)j * motif->across_x, y0 = motif->y + (double)j * motif->across_y;
        span along = {-1e15, 1e15};
        along.narrow(x0, motif->along_x, left - motif->right, right - motif->left);
        along.narrow(y0, motif->along_y, top - motif->bottom, bottom - motif->top);
        if (!(along.first <= along.end)) continue;
        for (int64_t i = ceiling_of(along.first); i <= floor_of(along.end); i++) {
            const double x = x0 + (double)i * motif->along_x, y = y0 + (double)i * motif->along_y;
            const double column = x - target.left, row = y - target.top;
            const int64_t from = floor_of(column + motif->left) - 1, to = floor_of(column + motif->right) + 3;
            const int64_t upper = floor_of(row + motif->top) - 1, lower = floor_of(row + motif->bottom) + 1;
            if (to <= 0 || from >= target.width || lower < 0 || upper >= target.height) continue;
            const int32_t first_group = (int32_t)(greatest(from, (int64_t)0) / group);
            const int32_t last_group = (int32_t)least((to - 1) / group, (int64_t)last_column);
            const int32_t first_band = (int32_t)(greatest(upper, (int64_t)0) / group);
            const int32_t last_band = (int32_t)least(lower / group, (int64_t)last_row);
            bool is_seen = false;
            for (int32_t band = first_band; band <= last_band && !is_seen; band++) {
                const uint8_t *row = groups + band * INK_MARKS_STRIDE;
                for (int32_t column = first_group; column <= last_group; column++) is_seen |= row[column] != 0;
            }
            if (!is_seen) continue;
            for (int32_t band = first_band; band <= last_band; band++) {
                bands[2 * band] = least(bands[2 * band], (int32_t)greatest(from, (int64_t)0));
                bands[2 * band + 1] = greatest(bands[2 * band + 1], (int32_t)least(to, (int64_t)target.width));
            }
            places[count++] = {x, y};
            if (count == some) {
                add_chain(target, chain, 1, places, count);
                count = 0;
            }
        }
    }
    if (count > 0) add_chain(target, chain, 1, places, count);
}

/// Where products of coverages are less exact than this, intersections are computed.
constexpr float some_coverage = 1.0f / 512;

/// Multiplies sixteen pixels of a footprint by a pattern, and stores those that both cover in part.
INK_INLINE void mix(
    ink_plane footprint, int32_t row, int32_t column, int32_t end, float16 pattern, ink_pixel *mixed, ptrdiff_t &count) {
    float *at = footprint.values + row * footprint.stride + column;
    const float16 covered = least(floats16(at), (float16)1.0f);
    const int16lanes both = (covered > some_coverage) & (covered < 1 - some_coverage) & (pattern > some_coverage)
        & (pattern < 1 - some_coverage);
    *(float16_unaligned *)at = covered * pattern;
    for (uint32_t bits = bits_of(both); bits != 0; bits &= bits - 1) {
        const int32_t place = column + __builtin_ctz(bits);
        if (place < end) mixed[count++] = {(uint16_t)place, (uint16_t)row};
    }
}

ptrdiff_t mix_deltas(ink_plane footprint, ink_deltas deltas, const ink_box *box, ink_pixel *mixed) {
    ptrdiff_t count = 0;
    use_deltas(deltas, box, [&](int32_t row, int32_t column, float16 covered) __attribute__((always_inline)) {
        mix(footprint, row, column, deltas.width, covered * (float16)(1.0f / pixel), mixed, count);
    });
    return count;
}

ptrdiff_t mix_table(
    ink_plane footprint, const ink_motif *motif, const ink_motif_table *table, const ink_box *box, ink_pixel *mixed) {
    ptrdiff_t count = 0;
    const double along = table->along, across = table->across;
    const ptrdiff_t stride = table->along + 1;
    for (int32_t row = box->top; row < box->bottom; row++) {
        const double y = (double)(footprint.top + row) + 0.5 - motif->y;
        for (int32_t column = box->left & -lanes; column < box->right; column += lanes) {
            float16 pattern = (float16)0.0f;
            for (int32_t lane = 0; lane < lanes; lane++) {
                const double x = (double)(footprint.left + column + lane) + 0.5 - motif->x;
                const double i = x * motif->columns_along + y * motif->rows_along;
                const double j = x * motif->columns_across + y * motif->rows_across;
                const double u = (i - (double)floor_of(i)) * along, v = (j - (double)floor_of(j)) * across;
                const int32_t a = least((int32_t)u, table->along - 1), b = least((int32_t)v, table->across - 1);
                const float s = (float)(u - (double)a), t = (float)(v - (double)b);
                const float *at = table->values + b * stride + a;
                const float upper = at[0] + s * (at[1] - at[0]);
                const float lower = at[stride] + s * (at[stride + 1] - at[stride]);
                pattern[lane] = upper + t * (lower - upper);
            }
            mix(footprint, row, column, footprint.width, pattern, mixed, count);
        }
    }
    return count;
}

/// A convex polygon, x and y of its corners.
struct shape {
    int32_t count;
    double corners[2 * (INK_MOTIF_CORNERS_MAX + 16)];

    /// What lies where a * x + b * y >= c.
    INK_METHOD void clip(const double *from, int32_t from_count, double a, double b, double c) {
        count = 0;
        if (from_count == 0) return;
        double x = from[2 * from_count - 2], y = from[2 * from_count - 1], height = a * x + b * y - c;
        for (int32_t i = 0; i < from_count; i++) {
            const double next_x = from[2 * i], next_y = from[2 * i + 1], next = a * next_x + b * next_y - c;
            if ((height < 0) != (next < 0)) {
                const double share = height / (height - next);
                corners[2 * count] = x + share * (next_x - x);
                corners[2 * count + 1] = y + share * (next_y - y);
                count++;
            }
            if (next >= 0) {
                corners[2 * count] = next_x;
                corners[2 * count + 1] = next_y;
                count++;
            }
            x = next_x;
            y = next_y;
            height = next;
        }
    }

    INK_METHOD double area() const {
        double sum = 0;
        for (int32_t i = 1; i + 1 < count; i++) {
            const double ax = corners[2 * i] - corners[0], ay = corners[2 * i + 1] - corners[1];
            const double bx = corners[2 * i + 2] - corners[0], by = corners[2 * i + 3] - corners[1];
            sum += ax * by - ay * bx;
        }
        return magnitude(sum) / 2;
    }
};

/// Buffers for clipping.
struct shapes {
    shape a, b;

    /// Moves a part so that a pixel's left upper corner is at 0, 0, and clips it to the pixel; the result is in `b`.
    void clip_to_pixel(const double *corners, int32_t count, double x, double y) {
        a.count = count;
        for (int32_t i = 0; i < count; i++) {
            a.corners[2 * i] = corners[2 * i] + x;
            a.corners[2 * i + 1] = corners[2 * i + 1] + y;
        }
        b.clip(a.corners, a.count, 1, 0, 0);
        a.clip(b.corners, b.count, -1, 0, -1);
        b.clip(a.corners, a.count, 0, 1, 0);
        a.clip(b.corners, b.count, 0, -1, -1);
    }
};

/// Calls `body(shapes)` with each part of each copy of the motif that meets the pixel with this corner: the pixel's
/// corner is at 0, 0, and `shapes.a` is the part within it.
template <typename Body> INK_INLINE void each_part(const ink_motif *motif, double x, double y, shapes &all, const Body &body) {
    const double dx = x + 0.5 - motif->x, dy = y + 0.5 - motif->y;
    const double i = dx * motif->columns_along + dy * motif->rows_along;
    const double j = dx * motif->columns_across + dy * motif->rows_across;
    const double reach_along = (magnitude(motif->columns_along) + magnitude(motif->rows_along)) * 0.5 + 1e-6;
    const double reach_across = (magnitude(motif->columns_across) + magnitude(motif->rows_across)) * 0.5 + 1e-6;
    const int64_t first_i = ceiling_of(i - reach_along - motif->most_along);
    const int64_t last_i = floor_of(i + reach_along - motif->least_along);
    const int64_t first_j = ceiling_of(j - reach_across - motif->most_across);
    const int64_t last_j = floor_of(j + reach_across - motif->least_across);
    for (int64_t across = first_j; across <= last_j; across++) {
        for (int64_t along = first_i; along <= last_i; along++) {
            const double px = motif->x + (double)across * motif->across_x + (double)along * motif->along_x - x;
            const double py = motif->y + (double)across * motif->across_y + (double)along * motif->along_y - y;
            if (px + motif->right <= 0 || px + motif->left >= 1 || py + motif->bottom <= 0 || py + motif->top >= 1) continue;
            const double *corners = motif->corners, *bounds = motif->bounds;
            for (ptrdiff_t part = 0; part < motif->part_count; part++) {
                const int32_t count = motif->counts[part];
                const bool is_near =
                    px + bounds[0] < 1 && py + bounds[1] < 1 && px + bounds[2] > 0 && py + bounds[3] > 0;
                if (is_near) {
                    all.clip_to_pixel(corners, count, px, py);
                    if (all.a.count > 2) body(all);
                }
                corners += 2 * count;
                bounds += 4;
            }
        }
    }
}

void motif_areas(const ink_motif *motif, const ink_point *corners, ptrdiff_t count, float *areas) {
    shapes all;
    for (ptrdiff_t i = 0; i < count; i++) {
        double sum = 0;
        each_part(motif, corners[i].x, corners[i].y, all, [&](shapes &part) { sum += part.a.area(); });
        areas[i] = (float)least(sum, 1.0);
    }
}

ptrdiff_t footprint_edges(
    ink_plane plane, const double *corners, const int32_t *counts, ptrdiff_t polygons, double *edges) {
    const double top = plane.top - 1, bottom = plane.top + plane.height + 1, right = plane.left + plane.width + 1;
    ptrdiff_t found = 0;
    for (ptrdiff_t polygon = 0; polygon < polygons; polygon++) {
        const int32_t count = counts[polygon];
        const double *from = corners + 2 * (count - 1);
        for (int32_t i = 0; i < count; i++) {
            const double *to = corners + 2 * i;
            const bool is_seen = (from[1] < bottom || to[1] < bottom) && (from[1] > top || to[1] > top)
                && (from[0] < right || to[0] < right) && from[1] != to[1];
            if (is_seen) {
                double *edge = edges + 4 * found++;
                edge[0] = from[0];
                edge[1] = from[1];
                edge[2] = to[0];
                edge[3] = to[1];
            }
            from = to;
        }
        corners += 2 * count;
    }
    return found;
}

/// The part of an edge within a row of pixels; rows count from the row's upper border.
struct piece {
    double x0, y0, x1, y1;

    /// False if the edge does not pass the row.
    INK_METHOD bool take(const double *edge, double row) {
        x0 = edge[0];
        y0 = edge[1] - row;
        x1 = edge[2];
        y1 = edge[3] - row;
        if ((y0 <= 0 && y1 <= 0) || (y0 >= 1 && y1 >= 1) || y0 == y1) return false;
        const double slope = (x1 - x0) / (y1 - y0), x = x0, y = y0;
        const auto cut = [&](double &px, double &py) __attribute__((always_inline)) {
            if (py < 0) {
                px = x - y * slope;
                py = 0;
            } else if (py > 1) {
                px = x + (1 - y) * slope;
                py = 1;
            }
        };
        cut(x0, y0);
        cut(x1, y1);
        return y0 != y1;
    }
};

/// What a row's edges left of a pixel have in common for all pixels further right: how often they go down the whole row,
/// and the chains of those that do not.
struct left_edges {
    double winding;
    /// Where each chain begins and ends.
    double *chains;
    ptrdiff_t count;

    INK_METHOD void take(double from, double to) {
        if (count > 0 && chains[2 * count - 1] == from) {
            chains[2 * count - 1] = to;
        } else {
            chains[2 * count] = from;
            chains[2 * count + 1] = to;
            count++;
        }
        const double begin = chains[2 * count - 2], end = chains[2 * count - 1];
        if (begin == end) {
            count--;
        } else if ((begin == 0 && end == 1) || (begin == 1 && end == 0)) {
            winding += end - begin;
            count--;
        }
    }
};

/// The area of a part of a pixel above y.
INK_INLINE double area_above(const shape &part, double y, shape &scratch) {
    if (y <= 0) return 0;
    if (y >= 1) return part.area();
    scratch.clip(part.corners, part.count, 0, -1, -y);
    return scratch.area();
}

void mixed_areas(
    ink_plane plane, const ink_motif *motif, const double *edges, ptrdiff_t edge_count, const ink_pixel *pixels,
    ptrdiff_t count, double *scratch) {
    if (count == 0) return;
    shapes all;
    shape third;
    // Four numbers an edge for those of a row, two for chains, and in each row the next edge.
    piece *pieces = (piece *)scratch;
    left_edges done = {0, scratch + 4 * edge_count, 0};
    int32_t *next = (int32_t *)(scratch + 6 * edge_count), first[group];
    const double top = plane.top + pixels[0].row, height = pixels[count - 1].row + 1 - pixels[0].row;
    for (int32_t &none : first) none = -1;
    // Backwards, so that each row has them in order.
    for (ptrdiff_t edge = edge_count - 1; edge >= 0; edge--) {
        const double from = edges[4 * edge + 1] - top, to = edges[4 * edge + 3] - top;
        if ((from <= 0 && to <= 0) || (from >= height && to >= height)) continue;
        const int32_t upper = (int32_t)greatest(least(from, to), 0.0);
        const int32_t lower = (int32_t)least(greatest(from, to), height - 1);
        for (int32_t in = upper; in <= lower; in++) {
            next[group * edge + in] = first[in];
            first[in] = (int32_t)edge;
        }
    }
    ptrdiff_t piece_count = 0;
    int32_t row = -1;
    for (ptrdiff_t p = 0; p < count; p++) {
        if (pixels[p].row != row) {
            row = pixels[p].row;
            piece_count = 0;
            done.winding = 0;
            done.count = 0;
            const double y = (double)(plane.top + row);
            const int32_t in = row - pixels[0].row;
            for (ptrdiff_t edge = first[in]; edge >= 0; edge = next[group * edge + in]) {
                if (pieces[piece_count].take(edges + 4 * edge, y)) piece_count++;
            }
        }
        const double x = (double)(plane.left + pixels[p].column), y = (double)(plane.top + row);
        // Edges that end left of the pixel are done with, in their order.
        ptrdiff_t left = 0;
        for (ptrdiff_t i = 0; i < piece_count; i++) {
            const piece one = pieces[i];
            if (greatest(one.x0, one.x1) <= x) {
                done.take(one.y0, one.y1);
            } else {
                pieces[left++] = one;
            }
        }
        piece_count = left;
        double sum = 0;
        each_part(motif, x, y, all, [&](shapes &part) {
            if (done.winding != 0) sum += done.winding * part.a.area();
            for (ptrdiff_t i = 0; i < done.count; i++) {
                const double from = done.chains[2 * i], to = done.chains[2 * i + 1];
                sum += area_above(part.a, to, third) - area_above(part.a, from, third);
            }
            for (ptrdiff_t i = 0; i < piece_count; i++) {
                const piece &one = pieces[i];
                if (least(one.x0, one.x1) >= x + 1) continue;
                const bool is_down = one.y0 < one.y1;
                const double upper = is_down ? one.y0 : one.y1, lower = is_down ? one.y1 : one.y0;
                const double from = (is_down ? one.x0 : one.x1) - x, to = (is_down ? one.x1 : one.x0) - x;
                // Right of the edge, between its ends.
                const double high = lower - upper, way = to - from;
                part.b.clip(part.a.corners, part.a.count, high, -way, high * from - way * upper);
                if (upper > 0) {
                    third.clip(part.b.corners, part.b.count, 0, 1, upper);
                    part.b.clip(third.corners, third.count, 0, -1, -lower);
                } else if (lower < 1) {
                    third.clip(part.b.corners, part.b.count, 0, -1, -lower);
                    sum += is_down ? third.area() : -third.area();
                    continue;
                }
                sum += is_down ? part.b.area() : -part.b.area();
            }
        });
        plane.values[row * plane.stride + pixels[p].column] = (float)least(magnitude(sum), 1.0);
    }
}

/// What the union of parts covers of a pixel on sixteen lines, in 1/4,096 pixel.
struct line_cover {
    /// All up to here and all from here on.
    int16lanes left, right;
    /// What touches neither border of the pixel. If more than two such intervals of a line do not touch each other, what lies
    /// between them counts as covered: only shapes much thinner than a pixel have them.
    parts::spans first, second;

    INK_INLINE line_cover none() {
        return {(int16lanes)0, (int16lanes)parts::one, parts::spans::none(), parts::spans::none()};
    }

    INK_METHOD void add(const parts::spans &part) {
        const parts::spans there{greatest(part.start, (int16lanes)0), least(part.end, (int16lanes)parts::one)};
        const int16lanes is_there = there.start < there.end;
        if (bits_of(is_there) == 0) return;
        const int16lanes at_left = is_there & (there.start == 0), at_right = is_there & (there.end == parts::one);
        left = greatest(left, at_left & there.end);
        right = least(right, select(at_right, there.start, (int16lanes)parts::one));
        const int16lanes is_inside = is_there & ~at_left & ~at_right;
        if (bits_of(is_inside) == 0) return;
        const int16lanes is_first = is_inside & first.meet(there);
        first = first.joined(there).chosen(is_first, first);
        second = second.joined(there).chosen(is_inside & ~is_first, second);
    }

    /// Makes the intervals disjoint.
    INK_METHOD void finish() {
        const parts::spans nothing{(int16lanes)0, (int16lanes)0};
        const int16lanes are_one = first.meet(second) & ~second.are_empty();
        first = first.joined(second).chosen(are_one, first);
        second = nothing.chosen(are_one, second);
        right = greatest(left, right);
        const auto between = [&](const parts::spans &of) __attribute__((always_inline)) {
            const parts::spans inside{greatest(of.start, left), least(of.end, right)};
            return inside.chosen(inside.start < inside.end, nothing);
        };
        first = between(first);
        second = between(second);
    }

    /// How much of an interval is covered.
    INK_METHOD int16lanes within(const parts::spans &of) const {
        const auto both = [&](int16lanes start, int16lanes end) __attribute__((always_inline)) {
            return greatest(least(end, of.end) - greatest(start, of.start), (int16lanes)0);
        };
        return both((int16lanes)0, left) + both(right, (int16lanes)parts::one) + both(first.start, first.end)
            + both(second.start, second.end);
    }
};

constexpr int line_groups = INK_PART_LINES / lanes;

/// The lines of a group within a pixel, from its upper border.
INK_INLINE float16 lines_of(int group) {
    return (iota16() + 0.5f) * (1.0f / INK_PART_LINES) + (float)group * ((float)lanes / INK_PART_LINES);
}

/// The area of what lies both in a convex part of a pixel and in a union.
INK_INLINE int32_t shared_area(const shape &part, const line_cover *covers) {
    parts::chords met[line_groups];
    for (parts::chords &chord : met) chord = parts::chords::none();
    const double *from = part.corners + 2 * (part.count - 1);
    for (int32_t i = 0; i < part.count; i++) {
        const double *to = part.corners + 2 * i;
        const double *upper = from[1] < to[1] ? from : to, *lower = from[1] < to[1] ? to : from;
        const float x = (float)upper[0], top = (float)upper[1], bottom = (float)lower[1];
        if (top < bottom) {
            const float slope = (float)((lower[0] - upper[0]) / (lower[1] - upper[1]));
            for (int group = 0; group < line_groups; group++) {
                const float16 y = lines_of(group), at = (y - top) * slope + x;
                met[group].include((int16lanes)(y >= top) & (int16lanes)(y < bottom), at, at);
            }
        }
        from = to;
    }
    int16lanes sum = (int16lanes)0;
    for (int group = 0; group < line_groups; group++) {
        const parts::spans on = met[group].fixed(0, 1);
        sum += covers[group].within(on.chosen(~on.are_empty(), {(int16lanes)0, (int16lanes)0}));
    }
    return __builtin_reduce_add(sum);
}

void shared_areas(
    const ink_motif *motif, ink_part_list list, int32_t row, const int32_t *columns, ptrdiff_t count, float *areas) {
    // Pixels for which parts are cut together.
    constexpr ptrdiff_t some = 16;
    shapes all;
    for (ptrdiff_t begin = 0; begin < count; begin += some) {
        const ptrdiff_t there = least(some, count - begin);
        const int32_t *at = columns + begin;
        const parts::joined_parts joined{list.parts, list.discs, list.edges, at[0], at[there - 1] - at[0] + 1};
        line_cover covers[some][line_groups];
        for (int group = 0; group < line_groups; group++) {
            const float16 lines = lines_of(group);
            for (ptrdiff_t i = 0; i < there; i++) covers[i][group] = line_cover::none();
            for (ptrdiff_t i = 0; i < list.count; i++) {
                const ink_part part = list.parts[i];
                const float16 y = lines + (float)(row - part.origin_y);
                if (y[0] > part.bottom || y[lanes - 1] < part.top) continue;
                const parts::spans on = joined.on_lines(part, y);
                for (ptrdiff_t p = 0; p < there; p++) {
                    const int32_t left = (at[p] - at[0]) * parts::one;
                    const parts::spans moved{on.start - left, on.end - left};
                    covers[p][group].add(moved.chosen(~on.are_empty(), on));
                }
            }
            for (ptrdiff_t i = 0; i < there; i++) covers[i][group].finish();
        }
        for (ptrdiff_t i = 0; i < there; i++) {
            int32_t sum = 0;
            each_part(motif, (double)at[i], (double)row, all, [&](shapes &part) { sum += shared_area(part.a, covers[i]); });
            areas[begin + i] = (float)sum * (1.0f / (INK_PART_LINES * parts::one));
        }
    }
}

}  // namespace
}  // namespace INK_LEVEL::motifs
