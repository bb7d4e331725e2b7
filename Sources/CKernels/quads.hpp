// Quadrilaterals, exactly: row by row what lies left of each edge.

namespace {
namespace INK_JOIN(raster_, INK_LEVEL) {

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

void multiply_covered(ink_kept plane, ink_plane covered, const ink_box *box, float alpha) {
    const float8 opacity = (float8)alpha;
    for (int32_t row = box->top; row < box->bottom; row++) {
        uint16_t *to = plane.values + row * plane.stride;
        float *from = covered.values + row * covered.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            const float8 share = least(greatest(load(from + column), (float8)0.0f), (float8)1.0f);
            store(to + column, rest(load(to + column), 1.0f - opacity * share));
            store(from + column, (float8)0.0f);
        }
    }
}

/// exp(-a) for 0 and above, off by less than 1/100,000: the third degree for a 64th of it, squared six times.
INK_INLINE float8 decay(float8 a) {
    const float8 part = least(a, (float8)30.0f) * (1.0f / 64);
    float8 v = 1.0f - part * (1.0f - part * (0.5f - part * (1.0f / 6)));
    for (int i = 0; i < 6; i++) v = v * v;
    return v;
}

void multiply_depth(ink_kept plane, ink_plane depth, const ink_box *box) {
    for (int32_t row = box->top; row < box->bottom; row++) {
        uint16_t *to = plane.values + row * plane.stride;
        float *from = depth.values + row * depth.stride;
        for (int32_t column = box->left & ~7; column < box->right; column += 8) {
            // Areas that were taken away again leave less than nothing.
            const float8 sum = greatest(load(from + column), (float8)0.0f);
            const float8 kept = sum > 0.0f ? decay(sum) : (float8)1.0f;
            store(to + column, rest(load(to + column), kept));
            store(from + column, (float8)0.0f);
        }
    }
}

}  // namespace INK_JOIN(raster_, INK_LEVEL)
}  // namespace
