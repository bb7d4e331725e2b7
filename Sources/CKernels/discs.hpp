// Discs of one size, drawn from a table: the coverage of the surrounding pixels at each of 33 x 33 phases of the disc's
// centre. Coverage is interpolated between phases. Sizes between two tables are interpolated as well.
#pragma once

#include "raster.hpp"

namespace INK_LEVEL::discs {
namespace {

using namespace raster;

/// Up to sixteen discs of a row of the grid. For each: its table entry, and the weights of that entry and of those at
/// the next phases along x, y and both, in 1/65,536, repeated twice in 32 bits.
template <int tables> struct disc_row {
    static constexpr int size = 16;
    alignas(64) int32_t entry[size], column[size], row[size];
    alignas(64) uint32_t weights[4 * tables][size];
    /// Bit masks: discs that meet the plane, and discs whose rows are all within it.
    uint32_t seen, whole;

    /// - Parameters: x, y: the first centre, in 2^-32 pixels from the pixel at these columns and rows.
    INK_METHOD void place(
        const ink_disc_table &table, int32_t width, int32_t height, int64_t x, int64_t y, int64_t by_x, int64_t by_y, int count,
        int64_t to_column, int64_t to_row) {
        typedef int64_t long16 __attribute__((ext_vector_type(16)));
        const int bits = table.phase_bits, phases = 1 << bits;
        const long16 numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        const long16 xs = numbers * by_x + x, ys = numbers * by_y + y;
        // Clamp to a range in which distant discs stay outside.
        const auto whole_pixels = [](long16 v, int64_t to) __attribute__((always_inline)) {
            return __builtin_convertvector(
                least(greatest((v >> 32) + to, (long16)(int64_t)-100000), (long16)(int64_t)100000), int16lanes);
        };
        const int16lanes columns = whole_pixels(xs, to_column), rows = whole_pixels(ys, to_row);
        const uint16lanes u = __builtin_convertvector(xs, uint16lanes), v = __builtin_convertvector(ys, uint16lanes);
        // Fractions of a phase step: the weights of four neighbours are integers in 1/65,536.
        const uint16lanes right = (u << bits) >> 24, below = (v << bits) >> 24;
        const uint16lanes phase_x = bits == 0 ? (uint16lanes)0 : u >> (32 - bits), phase_y = bits == 0 ? (uint16lanes)0 : v >> (32 - bits);
        *(int16lanes *)column = columns;
        *(int16lanes *)row = rows;
        *(uint16lanes *)entry = (phase_y * (phases + 1) + phase_x) * (table.rows * table.lanes);
        uint16lanes each[4 * tables] = {
            least((256 - right) * (256 - below), (uint16lanes)65535), right * (256 - below), (256 - right) * below, right * below};
        for (int i = 4; i < 4 * tables; i++) {
            each[i] = each[i - 4] * table.larger_share >> 16;
            each[i - 4] -= each[i];
        }
        for (int i = 0; i < 4 * tables; i++) *(uint16lanes *)weights[i] = each[i] * 65537;
        const int16lanes is_there = __builtin_convertvector(numbers, int16lanes) < count;
        seen = bits_of(
            is_there & (int16lanes)(rows > -table.rows) & (int16lanes)(rows < height)
            & (int16lanes)(columns > -table.lanes) & (int16lanes)(columns < width));
        whole = seen & bits_of((int16lanes)(rows >= 0) & (int16lanes)(rows + table.rows <= height));
    }
};

/// One disc: its entry in each table, and their weights.
template <int tables> struct disc {
    const uint16_t *entries[4 * tables];
    uint32_t weights[4 * tables];

    INK_INLINE disc of(const ink_disc_table &table, const disc_row<tables> &row, int i) {
        const ptrdiff_t phases = (ptrdiff_t)1 << table.phase_bits, patch = table.rows * table.lanes;
        disc d;
        for (int k = 0; k < tables; k++) {
            const uint16_t *near = (k == 0 ? table.values : table.larger) + row.entry[i];
            const uint16_t *far = near + (phases + 1) * patch;
            d.entries[4 * k] = near;
            d.entries[4 * k + 1] = near + patch;
            d.entries[4 * k + 2] = far;
            d.entries[4 * k + 3] = far + patch;
        }
        for (int k = 0; k < 4 * tables; k++) d.weights[k] = row.weights[k][i];
        return d;
    }

    /// Coverage of sixteen positions of the table, in 1/65,536. `covered32` takes 32.
    INK_METHOD ushort16 covered(ptrdiff_t at) const {
        const auto part = [&](int k) __attribute__((always_inline)) {
            return product(load16(entries[k] + at), (ushort16)(uint8lanes)weights[k]);
        };
        ushort16 sum = (part(0) + part(1)) + (part(2) + part(3));
        for (int k = 4; k < 4 * tables; k++) sum += part(k);
        return sum;
    }
    INK_METHOD ushort32 covered32(ptrdiff_t at) const {
        const auto part = [&](int k) __attribute__((always_inline)) {
            return product(load32(entries[k] + at), (ushort32)(uint16lanes)weights[k]);
        };
        ushort32 sum = (part(0) + part(1)) + (part(2) + part(3));
        for (int k = 4; k < 4 * tables; k++) sum += part(k);
        return sum;
    }
};

/// Calls `put(row, column, covered)` for eight pixels of the disc at a time, counted from its first pixels. A group of
/// sixteen in the table is two halves of a row, or two rows if rows are eight wide.
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

/// Calls `body(disc, column, row, is_whole)` for each disc that meets the plane, with its first pixel and whether all
/// its rows are in the plane.
template <int tables, typename Plane, typename Body>
INK_INLINE void for_each_disc(const Plane &plane, const ink_disc_table &table, const ink_disc_grid &grid, const Body &body) {
    const int64_t column_origin = floor_of(grid.x), row_origin = floor_of(grid.y);
    const int64_t x = fixed(grid.x - (double)column_origin), y = fixed(grid.y - (double)row_origin);
    const int64_t along_x = fixed(grid.along_x), along_y = fixed(grid.along_y);
    const int64_t across_x = fixed(grid.across_x), across_y = fixed(grid.across_y);
    const int64_t to_column = column_origin - plane.left - table.reach, to_row = row_origin - plane.top - table.reach;
    disc_row<tables> row;
    for (int j = -grid.reach; j <= grid.reach; j++) {
        const int64_t first_x = x - grid.reach * along_x + j * across_x, first_y = y - grid.reach * along_y + j * across_y;
        row.place(
            table, plane.width, plane.height, first_x, first_y, along_x, along_y, 2 * grid.reach + 1, to_column, to_row);
        for (uint32_t seen = row.seen; seen != 0; seen &= seen - 1) {
            const int i = __builtin_ctz(seen);
            body(disc<tables>::of(table, row, i), row.column[i], row.row[i], (row.whole >> i & 1) != 0);
        }
    }
}

template <int tables>
INK_INLINE void multiply(ink_kept plane, const ink_disc_table &discs, const ink_disc_grid &grid, float alpha) {
    const uint16_t share = share_of(alpha);
    const ptrdiff_t stride = plane.stride;
    for_each_disc<tables>(plane, discs, grid, [&](const disc<tables> &disc, ptrdiff_t column, ptrdiff_t row, bool is_whole) __attribute__((always_inline)) {
        uint16_t *first = plane.values + row * stride + column;
        const auto put8 = [&](uint16_t *at, ushort8 left) __attribute__((always_inline)) {
            store(at, product(load(at), left) + (ushort8)(uint16_t)1);
        };
        const auto put16 = [&](uint16_t *at, ushort16 left) __attribute__((always_inline)) {
            store(at, product(load16(at), left) + (ushort16)(uint16_t)1);
        };
        if (is_whole && discs.lanes == 8) {
            int r = 0;
            for (; r + 4 <= discs.rows; r += 4) {
                const ushort32 left = ~product(disc.covered32(r * 8), (ushort32)share);
                uint16_t *at = first + r * stride;
                put8(at, left.lo.lo);
                put8(at + stride, left.lo.hi);
                put8(at + 2 * stride, left.hi.lo);
                put8(at + 3 * stride, left.hi.hi);
            }
            if (r < discs.rows) {
                const ushort16 left = ~product(disc.covered(r * 8), (ushort16)share);
                uint16_t *at = first + r * stride;
                put8(at, left.lo);
                put8(at + stride, left.hi);
            }
        } else if (is_whole && discs.lanes == 16) {
            for (int r = 0; r < discs.rows; r += 2) {
                const ushort32 left = ~product(disc.covered32(r * 16), (ushort32)share);
                uint16_t *at = first + r * stride;
                put16(at, left.lo);
                put16(at + stride, left.hi);
            }
        } else {
            for_each_eight(disc, discs, [&](int r, int c, ushort8 covered) __attribute__((always_inline)) {
                if (row + r < 0 || row + r >= plane.height) return;
                put8(first + r * stride + c, ~product(covered, (ushort8)share));
            });
        }
    });
}

void multiply_discs(ink_kept plane, const ink_disc_table *table, const ink_disc_grid *grid, float alpha) {
    const ink_disc_table discs = *table;
    if (discs.larger) multiply<2>(plane, discs, *grid, alpha);
    else multiply<1>(plane, discs, *grid, alpha);
}

template <int tables> INK_INLINE void add(ink_plane plane, const ink_disc_table &discs, const ink_disc_grid &grid) {
    for_each_disc<tables>(plane, discs, grid, [&](const disc<tables> &disc, ptrdiff_t column, ptrdiff_t row, bool) __attribute__((always_inline)) {
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

}  // namespace
}  // namespace INK_LEVEL::discs
