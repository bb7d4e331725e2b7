// Discs of one size, by a table of what such a disc covers of the pixels round it at each of 33 x 33 phases of
// its centre, between which coverage is taken to be even; or by two such tables, between whose sizes it is taken to be too.

namespace {
namespace INK_JOIN(discs_, INK_LEVEL) {

using namespace INK_JOIN(raster_, INK_LEVEL);

/// One disc: its entry of each table and those of the next phases along x, y and both, and their weights, 1/65,536.
template <int tables> struct disc {
    const uint16_t *entries[4 * tables];
    ushort16 weights[4 * tables];

    /// - Parameters: x, y: the centre, 2^-32 pixels.
    INK_INLINE disc of(const ink_disc_table &table, int64_t x, int64_t y) {
        const int bits = table.phase_bits;
        const ptrdiff_t phases = (ptrdiff_t)1 << bits, patch = table.rows * table.lanes;
        const ptrdiff_t u = (x >> (32 - bits)) & (phases - 1), v = (y >> (32 - bits)) & (phases - 1);
        // Parts of a phase's step: the weights of four neighbours are whole parts of 65,536.
        const uint32_t right = (uint32_t)(x >> (24 - bits)) & 255, below = (uint32_t)(y >> (24 - bits)) & 255;
        const uint32_t first = (256 - right) * (256 - below);
        const uint16_t *near = table.values + (v * (phases + 1) + u) * patch;
        const uint16_t *far = near + (phases + 1) * patch;
        disc d = {
            {near, near + patch, far, far + patch},
            {(ushort16)(uint16_t)(first < 65536 ? first : 65535), (ushort16)(uint16_t)(right * (256 - below)),
             (ushort16)(uint16_t)((256 - right) * below), (ushort16)(uint16_t)(right * below)}};
        for (int i = 4; i < 4 * tables; i++) {
            d.entries[i] = table.larger + (d.entries[i - 4] - table.values);
            d.weights[i] = product(d.weights[i - 4], (ushort16)table.larger_share);
            d.weights[i - 4] -= d.weights[i];
        }
        return d;
    }

    /// What it covers of the pixels of sixteen places in the table, 1/65,536.
    INK_METHOD ushort16 covered(ptrdiff_t at) const {
        ushort16 sum = four(at, 0);
        for (int table = 1; table < tables; table++) sum += four(at, table);
        return sum;
    }

private:
    INK_METHOD ushort16 four(ptrdiff_t at, int table) const {
        const uint16_t *const *e = entries + 4 * table;
        const ushort16 *w = weights + 4 * table;
        return (product(load16(e[0] + at), w[0]) + product(load16(e[1] + at), w[1]))
            + (product(load16(e[2] + at), w[2]) + product(load16(e[3] + at), w[3]));
    }
};

/// Calls `put(row, column, covered)` with eight pixels at a time of the disc, counted from its first ones. Of rows that are
/// not eight wide a place in the table is two halves of a row; of those that are it is two rows.
template <typename Disc, typename Put>
INK_INLINE void for_each_eight(const Disc &disc, const ink_disc_table &table, const Put &put) {
    const int size = table.rows * table.lanes;
    int row = 0, column = 0;
    for (int at = 0; at < size; at += 16) {
        const ushort16 covered = disc.covered(at);
        for (int half = 0; half < 2; half++) {
            put(row, column, half == 0 ? covered.lo : covered.hi);
            column += 8;
            if (column == table.lanes) {
                column = 0;
                row++;
            }
        }
    }
}

/// Calls `body(disc, column, row)` with each disc that meets the plane, and where its first pixel is.
template <int tables, typename Plane, typename Body>
INK_INLINE void for_each_disc(const Plane &plane, const ink_disc_table &table, const ink_disc_grid &grid, const Body &body) {
    const int64_t column_origin = floor_of(grid.x), row_origin = floor_of(grid.y);
    const int64_t x = fixed(grid.x - (double)column_origin), y = fixed(grid.y - (double)row_origin);
    const int64_t along_x = fixed(grid.along_x), along_y = fixed(grid.along_y);
    const int64_t across_x = fixed(grid.across_x), across_y = fixed(grid.across_y);
    const int64_t to_column = column_origin - plane.left - table.reach, to_row = row_origin - plane.top - table.reach;
    for (int j = -grid.reach; j <= grid.reach; j++) {
        int64_t center_x = x - grid.reach * along_x + j * across_x, center_y = y - grid.reach * along_y + j * across_y;
        for (int i = -grid.reach; i <= grid.reach; i++, center_x += along_x, center_y += along_y) {
            const int64_t column = (center_x >> 32) + to_column, row = (center_y >> 32) + to_row;
            if (row <= -table.rows || row >= plane.height) continue;
            if (column <= -table.lanes || column >= plane.width) continue;
            body(disc<tables>::of(table, center_x, center_y), column, row);
        }
    }
}

template <int tables>
INK_INLINE void multiply(ink_kept plane, const ink_disc_table &discs, const ink_disc_grid &grid, float alpha) {
    const ushort8 share = (ushort8)share_of(alpha);
    for_each_disc<tables>(plane, discs, grid, [&](const disc<tables> &disc, int64_t column, int64_t row) __attribute__((always_inline)) {
        uint16_t *first = plane.values + row * plane.stride + column;
        const auto put = [&](int r, int c, ushort8 covered) __attribute__((always_inline)) {
            uint16_t *at = first + r * plane.stride + c;
            const ushort8 kept = load(at);
            store(at, left_by(kept, covered, share));
        };
        if (row < 0 || row + discs.rows > plane.height) {
            for_each_eight(disc, discs, [&](int r, int c, ushort8 covered) __attribute__((always_inline)) {
                if (row + r >= 0 && row + r < plane.height) put(r, c, covered);
            });
        } else if (discs.lanes == 8) {
            // Most discs, without a thought for halves of rows.
            for (int r = 0; r < discs.rows; r += 2) {
                const ushort16 covered = disc.covered(r * 8);
                put(r, 0, covered.lo);
                put(r + 1, 0, covered.hi);
            }
        } else {
            for_each_eight(disc, discs, put);
        }
    });
}

void multiply_discs(ink_kept plane, const ink_disc_table *table, const ink_disc_grid *grid, float alpha) {
    const ink_disc_table discs = *table;
    if (discs.larger) multiply<2>(plane, discs, *grid, alpha);
    else multiply<1>(plane, discs, *grid, alpha);
}

template <int tables> INK_INLINE void add(ink_plane plane, const ink_disc_table &discs, const ink_disc_grid &grid) {
    for_each_disc<tables>(plane, discs, grid, [&](const disc<tables> &disc, int64_t column, int64_t row) __attribute__((always_inline)) {
        for_each_eight(disc, discs, [&](int r, int c, ushort8 covered) __attribute__((always_inline)) {
            if (row + r < 0 || row + r >= plane.height) return;
            float *at = plane.values + (row + r) * plane.stride + column + c;
            store(at, load(at) + __builtin_convertvector(covered, float8) * (1.0f / 65536));
        });
    });
}

void add_discs(ink_plane plane, const ink_disc_table *table, const ink_disc_grid *grid) {
    const ink_disc_table discs = *table;
    if (discs.larger) add<2>(plane, discs, *grid);
    else add<1>(plane, discs, *grid);
}

}  // namespace INK_JOIN(discs_, INK_LEVEL)
}  // namespace
