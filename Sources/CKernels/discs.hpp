// Discs of one size, by a table of what such a disc covers of the pixels round it at each of 17 x 17 phases of its
// centre, between which coverage is taken to be even.

namespace {
namespace INK_JOIN(discs_, INK_LEVEL) {

using INK_JOIN(raster_, INK_LEVEL)::fixed;
using INK_JOIN(raster_, INK_LEVEL)::floor_of;
using INK_JOIN(raster_, INK_LEVEL)::load;
using INK_JOIN(raster_, INK_LEVEL)::store;

INK_INLINE ushort8 load(const uint16_t *p) { return *(const ushort8_unaligned *)p; }

/// The upper halves of the products.
INK_INLINE ushort8 scaled(ushort8 a, uint16_t b) {
#if defined(__x86_64__)
    // Written out, this becomes multiplications of twice the width.
    typedef short short8 __attribute__((vector_size(16)));
    return (ushort8)__builtin_ia32_pmulhuw128((short8)a, (short8)(ushort8)b);
#else
    return __builtin_convertvector((__builtin_convertvector(a, uint8lanes) * (uint32_t)b) >> 16, ushort8);
#endif
}

template <bool adds>
INK_INLINE void run(ink_plane plane, const ink_disc_table &table, const ink_disc_grid &grid, float alpha) {
    const int64_t column_origin = floor_of(grid.x), row_origin = floor_of(grid.y);
    const int64_t x = fixed(grid.x - (double)column_origin), y = fixed(grid.y - (double)row_origin);
    const int64_t along_x = fixed(grid.along_x), along_y = fixed(grid.along_y);
    const int64_t across_x = fixed(grid.across_x), across_y = fixed(grid.across_y);
    const int64_t to_column = column_origin - plane.left - table.reach, to_row = row_origin - plane.top - table.reach;
    const int patch = table.rows * table.lanes;
    const float8 share = (float8)(alpha * (1.0f / 65536));
    for (int j = -grid.reach; j <= grid.reach; j++) {
        for (int i = -grid.reach; i <= grid.reach; i++) {
            const int64_t center_x = x + i * along_x + j * across_x, center_y = y + i * along_y + j * across_y;
            const int64_t column = (center_x >> 32) + to_column, row = (center_y >> 32) + to_row;
            if (row <= -table.rows || row >= plane.height) continue;
            if (column <= -table.lanes || column >= plane.width) continue;
            const int u = (int)(center_x >> 28) & 15, v = (int)(center_y >> 28) & 15;
            // Sixteenths of a phase's sixteenth: the weights of four neighbours are whole parts of 65,536.
            const uint32_t right = (uint32_t)(center_x >> 20) & 255, below = (uint32_t)(center_y >> 20) & 255;
            const uint32_t first = (256 - right) * (256 - below);
            const uint16_t weights[4] = {
                (uint16_t)(first < 65536 ? first : 65535), (uint16_t)(right * (256 - below)),
                (uint16_t)((256 - right) * below), (uint16_t)(right * below)};
            const uint16_t *near = table.values + (v * INK_DISC_PHASES + u) * patch;
            const uint16_t *far = near + INK_DISC_PHASES * patch;
            const int begin = row < 0 ? (int)-row : 0;
            const int end = row + table.rows > plane.height ? (int)(plane.height - row) : table.rows;
            float *line = plane.values + (row + begin) * plane.stride + column;
            for (int r = begin; r < end; r++, line += plane.stride) {
                for (int lane = 0; lane < table.lanes; lane += 8) {
                    const int at = r * table.lanes + lane;
                    const ushort8 covered = (scaled(load(near + at), weights[0]) + scaled(load(near + at + patch), weights[1]))
                        + (scaled(load(far + at), weights[2]) + scaled(load(far + at + patch), weights[3]));
                    const float8 part = share * __builtin_convertvector(covered, float8);
                    store(line + lane, adds ? load(line + lane) + part : load(line + lane) * (1.0f - part));
                }
            }
        }
    }
}

void multiply_discs(ink_plane plane, const ink_disc_table *table, const ink_disc_grid *grid, float alpha) {
    run<false>(plane, *table, *grid, alpha);
}

void add_discs(ink_plane plane, const ink_disc_table *table, const ink_disc_grid *grid) {
    run<true>(plane, *table, *grid, 1);
}

}  // namespace INK_JOIN(discs_, INK_LEVEL)
}  // namespace
