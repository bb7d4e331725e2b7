// Undoes PNG's filters. Each byte depends on the one to its left, so the pixels of a row are processed in order, and
// the bytes of a pixel in parallel.
#pragma once

#include "ink_filters.h"
#include "lanes.hpp"

namespace INK_LEVEL::filters {
namespace {

template <size_t pixel>
void undo_sub(uint8_t *row, size_t count) {
    uint8_t left[pixel] = {};
    for (size_t i = 0; i < count; i += pixel) {
        for (size_t k = 0; k < pixel; k++) row[i + k] = left[k] = static_cast<uint8_t>(left[k] + row[i + k]);
    }
}

void undo_up(uint8_t *__restrict row, const uint8_t *__restrict prior, size_t count) {
    for (size_t i = 0; i < count; i++) row[i] = static_cast<uint8_t>(row[i] + prior[i]);
}

template <size_t pixel>
void undo_average(uint8_t *__restrict row, const uint8_t *__restrict prior, size_t count) {
    uint8_t left[pixel] = {};
    for (size_t i = 0; i < count; i += pixel) {
        for (size_t k = 0; k < pixel; k++)
            row[i + k] = left[k] = static_cast<uint8_t>(row[i + k] + ((left[k] + prior[i + k]) >> 1));
    }
}

typedef int16_t short4 __attribute__((ext_vector_type(4)));
typedef uint8_t byte4 __attribute__((ext_vector_type(4)));

INK_INLINE short4 magnitudes(short4 values) {
    short4 negated = 0 - values;
    return values > negated ? values : negated;
}

/// For pixels of 3 or 4 bytes. `count` excludes pixels that cannot be read as four bytes.
template <size_t pixel>
void undo_paeth_of_colour(uint8_t *row, const uint8_t *prior, size_t count) {
    short4 left = 0;
    short4 corner = 0;
    for (size_t i = 0; i + 4 <= count; i += pixel) {
        byte4 bytes;
        byte4 above_bytes;
        memcpy(&bytes, row + i, 4);
        memcpy(&above_bytes, prior + i, 4);
        short4 above = __builtin_convertvector(above_bytes, short4);
        short4 from_left = magnitudes(above - corner);
        short4 from_above = magnitudes(left - corner);
        short4 from_corner = magnitudes(left + (above - corner - corner));
        short4 nearer = from_above <= from_corner ? above : corner;
        short4 least = from_above < from_corner ? from_above : from_corner;
        short4 predicted = from_left <= least ? left : nearer;
        left = (predicted + __builtin_convertvector(bytes, short4)) & (short4)(int16_t)255;
        corner = above;
        bytes = __builtin_convertvector(left, byte4);
        memcpy(row + i, &bytes, pixel);
    }
}

/// Paeth's choice. If left + above - corner lies between the extremes of left and above, the corner is chosen or the
/// extreme on its side. It is the same choice as by the three distances, in fewer steps that depend on `left`.
INK_INLINE int paeth(int left, int above, int corner) {
    const int least = left < above ? left : above, greatest = left < above ? above : left;
    const int turn = 3 * corner - (left + above);
    const int upper = greatest <= turn ? least : corner;
    return turn <= least ? greatest : upper;
}

template <size_t pixel>
void undo_paeth(uint8_t *row, const uint8_t *prior, size_t count) {
    size_t done = 0;
    if (pixel >= 3) {
        undo_paeth_of_colour<pixel>(row, prior, count);
        done = count < 4 ? 0 : (count - 4) / pixel * pixel + pixel;
    }
    for (size_t k = 0; k < pixel; k++) {
        int left = done == 0 ? 0 : row[done - pixel + k];
        int corner = done == 0 ? 0 : prior[done - pixel + k];
        for (size_t i = done + k; i < count; i += pixel) {
            int above = prior[i];
            left = (paeth(left, above, corner) + row[i]) & 255;
            row[i] = static_cast<uint8_t>(left);
            corner = above;
        }
    }
}

typedef int16_t short16lanes __attribute__((ext_vector_type(16)));
typedef uint8_t byte16 __attribute__((ext_vector_type(16)));

/// The same choice for several pixels.
template <typename V> INK_INLINE V paeth(V left, V above, V corner) {
    const V least = left < above ? left : above, greatest = left < above ? above : left;
    const V turn = 3 * corner - (left + above);
    const V upper = greatest <= turn ? least : corner;
    return turn <= least ? greatest : upper;
}

/// Sixteen rows of gray pixels with any filters, one row per lane. Each row is one column behind the row above it,
/// because each pixel depends on its left neighbour.
constexpr size_t gray_rows = 16;
/// The shortest rows for which the end of one does not meet the beginning of the next in a step.
constexpr size_t gray_columns_min = 4 * gray_rows;

/// Byte c of row r becomes byte r of row c: interleaves the two halves four times.
INK_INLINE void transpose(byte16 (&v)[16]) {
    for (int round = 0; round < 4; round++) {
        byte16 w[16];
        for (int i = 0; i < 8; i++) {
            w[2 * i] = __builtin_shufflevector(v[i], v[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            w[2 * i + 1] =
                __builtin_shufflevector(v[i], v[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        }
        for (int i = 0; i < 16; i++) v[i] = w[i];
    }
}

struct gray_filters {
    short16lanes is_left, is_above, is_mean, is_paeth;
};

/// Rows in progress: the last restored pixels, and the pixels above them.
struct gray_state {
    short16lanes left, corner;
};

/// Restores sixteen columns of each row; row k from `column - k` on. At an `edge` some of the columns do not exist;
/// bytes read in their place are restored.
template <bool edge>
INK_INLINE void undo_gray_block(
    uint8_t *rows, size_t stride, const uint8_t *prior, size_t count, size_t column, const gray_filters &filters,
    gray_state &state) {
    const short16lanes row = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8_t *const first = rows + 1 + column;
    // The last row has nothing after it.
    const size_t last_there = !edge || column < count ? 16 : column + 1 < count + 16 ? count + 15 - column : 0;
    byte16 bytes[16];
    for (size_t k = 0; k + 1 < gray_rows; k++) memcpy(&bytes[k], first + k * stride - k, 16);
    bytes[gray_rows - 1] = 0;
    memcpy(&bytes[gray_rows - 1], first + (gray_rows - 1) * (stride - 1), edge ? last_there : 16);
    transpose(bytes);
    for (size_t step = 0; step < 16; step++) {
        const short16lanes shifted = __builtin_shufflevector(
            state.left, state.left, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        const int16_t over_first = !edge || column + step < count ? prior[column + step] : 0;
        const short16lanes above = row == 0 ? (short16lanes)over_first : shifted;
        const short16lanes filtered = __builtin_convertvector(bytes[step], short16lanes);
        const short16lanes left = state.left;
        const short16lanes predicted = (paeth(left, above, state.corner) & filters.is_paeth)
            | (left & filters.is_left) | (above & filters.is_above) | (((left + above) >> 1) & filters.is_mean);
        short16lanes restored = (predicted + filtered) & 255;
        state.corner = above;
        if (edge) {
            const short16lanes distance = (short16lanes)(int16_t)(column + step < gray_rows ? column + step : gray_rows);
            const short16lanes beyond =
                (short16lanes)(int16_t)(column + step < count ? 0 : column + step - count + 1);
            const short16lanes is_there = (short16lanes)(row <= distance) & (short16lanes)(row >= beyond);
            // Rows that have not begun have zeros to their left.
            state.left = restored & is_there;
            restored = is_there ? restored : filtered;
        } else {
            state.left = restored;
        }
        bytes[step] = __builtin_convertvector(restored, byte16);
    }
    transpose(bytes);
    for (size_t k = 0; k + 1 < gray_rows; k++) memcpy(first + k * stride - k, &bytes[k], 16);
    memcpy(first + (gray_rows - 1) * (stride - 1), &bytes[gray_rows - 1], edge ? last_there : 16);
}

void undo_gray_rows(uint8_t *rows, size_t stride, const uint8_t *prior, size_t count) {
    gray_filters filters = {0, 0, 0, 0};
    for (size_t k = 0; k < gray_rows; k++) {
        const unsigned filter = rows[k * stride];
        filters.is_left[k] = filter == 1 ? -1 : 0;
        filters.is_above[k] = filter == 2 ? -1 : 0;
        filters.is_mean[k] = filter == 3 ? -1 : 0;
        filters.is_paeth[k] = filter == 4 ? -1 : 0;
    }
    gray_state state = {0, 0};
    size_t column = 0;
    undo_gray_block<true>(rows, stride, prior, count, column, filters, state);
    for (column = 16; column + 16 <= count; column += 16) {
        undo_gray_block<false>(rows, stride, prior, count, column, filters, state);
    }
    for (; column < count + gray_rows - 1; column += 16) {
        undo_gray_block<true>(rows, stride, prior, count, column, filters, state);
    }
}

/// The same for sixteen rows of colour, in two vectors of eight pixels. Pixel k of a vector belongs to row k of its
/// half, and has four bytes, whatever its size in the file. Only the middle, where all rows are in progress, is
/// restored in this way.
typedef int16_t short32lanes __attribute__((ext_vector_type(32)));
typedef int64_t long8 __attribute__((ext_vector_type(8)));
typedef uint8_t byte32 __attribute__((ext_vector_type(32)));
typedef uint32_t pixel4 __attribute__((ext_vector_type(4)));
typedef uint32_t pixel8 __attribute__((ext_vector_type(8)));
typedef uint32_t pixel16 __attribute__((ext_vector_type(16)));

constexpr size_t colour_rows = 16;
constexpr size_t colour_columns_min = 4 * colour_rows;

/// Loads four pixels; reads 16 bytes.
template <size_t pixel> INK_INLINE pixel4 load_pixels(const uint8_t *bytes) {
    byte16 v;
    memcpy(&v, bytes, 16);
    if (pixel == 3) {
        const byte16 zero = 0;
        v = __builtin_shufflevector(v, zero, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
    }
    return (pixel4)v;
}

template <size_t pixel> INK_INLINE void store_pixels(uint8_t *bytes, pixel4 pixels) {
    byte16 v = (byte16)pixels;
    if (pixel == 3) v = __builtin_shufflevector(v, v, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    memcpy(bytes, &v, 4 * pixel);
}

/// Transposes four columns of eight rows; `store_columns` does the reverse.
template <size_t pixel> INK_INLINE void load_columns(uint8_t *const *rows, size_t column, pixel8 (&columns)[4]) {
    pixel16 halves[2];
    for (int half = 0; half < 2; half++) {
        pixel4 v[4];
        for (int k = 0; k < 4; k++) v[k] = load_pixels<pixel>(rows[4 * half + k] + (column - 4 * half - k) * pixel);
        halves[half] = __builtin_shufflevector(
            __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 4, 5, 6, 7),
            __builtin_shufflevector(v[2], v[3], 0, 1, 2, 3, 4, 5, 6, 7), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
    columns[0] = __builtin_shufflevector(halves[0], halves[1], 0, 4, 8, 12, 16, 20, 24, 28);
    columns[1] = __builtin_shufflevector(halves[0], halves[1], 1, 5, 9, 13, 17, 21, 25, 29);
    columns[2] = __builtin_shufflevector(halves[0], halves[1], 2, 6, 10, 14, 18, 22, 26, 30);
    columns[3] = __builtin_shufflevector(halves[0], halves[1], 3, 7, 11, 15, 19, 23, 27, 31);
}

template <size_t pixel>
INK_INLINE void store_columns(uint8_t *const *rows, size_t column, const pixel8 (&columns)[4]) {
    const pixel16 a = __builtin_shufflevector(
        columns[0], columns[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const pixel16 b = __builtin_shufflevector(
        columns[2], columns[3], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const pixel16 halves[2] = {
        __builtin_shufflevector(a, b, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27),
        __builtin_shufflevector(a, b, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31)};
    for (int half = 0; half < 2; half++) {
        const pixel16 v = halves[half];
        uint8_t *const *at = rows + 4 * half;
        const size_t first = column - 4 * half;
        store_pixels<pixel>(at[0] + first * pixel, __builtin_shufflevector(v, v, 0, 1, 2, 3));
        store_pixels<pixel>(at[1] + (first - 1) * pixel, __builtin_shufflevector(v, v, 4, 5, 6, 7));
        store_pixels<pixel>(at[2] + (first - 2) * pixel, __builtin_shufflevector(v, v, 8, 9, 10, 11));
        store_pixels<pixel>(at[3] + (first - 3) * pixel, __builtin_shufflevector(v, v, 12, 13, 14, 15));
    }
}

/// Shifts the pixels of a vector by one row, after the last one of `before`.
INK_INLINE short32lanes one_row_on(short32lanes v, short32lanes before) {
    return (short32lanes)__builtin_shufflevector((long8)v, (long8)before, 15, 0, 1, 2, 3, 4, 5, 6);
}

struct colour_filters {
    short32lanes is_left, is_above, is_mean, is_paeth;

    INK_METHOD short32lanes predicted(short32lanes left, short32lanes above, short32lanes corner) const {
        const short32lanes other = (left & is_left) | (above & is_above) | (((left + above) >> 1) & is_mean);
        return is_paeth ? paeth(left, above, corner) : other;
    }
};

/// Restores some pixels of a row.
template <size_t pixel>
void undo_part(unsigned filter, uint8_t *row, const uint8_t *prior, size_t first, size_t end) {
    for (size_t i = first * pixel; i < end * pixel; i++) {
        const int left = i < pixel ? 0 : row[i - pixel], above = prior[i], corner = i < pixel ? 0 : prior[i - pixel];
        int predicted = 0;
        switch (filter) {
            case 1: predicted = left; break;
            case 2: predicted = above; break;
            case 3: predicted = (left + above) >> 1; break;
            case 4: predicted = paeth(left, above, corner); break;
            default: break;
        }
        row[i] = static_cast<uint8_t>(row[i] + predicted);
    }
}

template <size_t pixel>
void undo_colour_rows(uint8_t *rows, size_t stride, const uint8_t *prior, size_t pixels) {
    uint8_t *at[colour_rows];
    colour_filters filters[2];
    for (size_t k = 0; k < colour_rows; k++) {
        at[k] = rows + 1 + k * stride;
        const unsigned filter = rows[k * stride];
        for (size_t c = 4 * (k % 8); c < 4 * (k % 8) + 4; c++) {
            filters[k / 8].is_left[c] = filter == 1 ? -1 : 0;
            filters[k / 8].is_above[c] = filter == 2 ? -1 : 0;
            filters[k / 8].is_mean[c] = filter == 3 ? -1 : 0;
            filters[k / 8].is_paeth[c] = filter == 4 ? -1 : 0;
        }
    }
    const auto above = [&](size_t k) { return k == 0 ? prior : at[k - 1]; };
    const auto part = [&](size_t k, size_t first, size_t end) {
        undo_part<pixel>(rows[k * stride], at[k], above(k), first, end);
    };
    // Row k is k pixels behind the first row. When that one is at `column`, the pixels before are restored.
    size_t column = colour_rows - 1;
    for (size_t k = 0; k < column; k++) part(k, 0, column - k);
    short32lanes left[2] = {0, 0}, corner[2] = {0, 0};
    for (size_t k = 0; k < colour_rows; k++) {
        for (size_t c = 0; c < pixel; c++) {
            const size_t behind = column - k;
            if (behind > 0) left[k / 8][4 * (k % 8) + c] = at[k][(behind - 1) * pixel + c];
            if (behind > 0) corner[k / 8][4 * (k % 8) + c] = above(k)[(behind - 1) * pixel + c];
        }
    }
    // The bytes read beyond four RGB pixels still belong to the row.
    for (; column + 6 <= pixels; column += 4) {
        pixel8 columns[2][4];
        load_columns<pixel>(at, column, columns[0]);
        load_columns<pixel>(at + 8, column - 8, columns[1]);
        const pixel4 over_first = load_pixels<pixel>(prior + column * pixel);
#pragma clang loop unroll(full)
        for (int step = 0; step < 4; step++) {
            const short32lanes over = __builtin_convertvector((byte32)(pixel8)over_first[step], short32lanes);
            const short32lanes above[2] = {one_row_on(left[0], over), one_row_on(left[1], left[0])};
            for (int half = 0; half < 2; half++) {
                const short32lanes filtered = __builtin_convertvector((byte32)columns[half][step], short32lanes);
                left[half] = (filters[half].predicted(left[half], above[half], corner[half]) + filtered) & 255;
                corner[half] = above[half];
                columns[half][step] = (pixel8)__builtin_convertvector(left[half], byte32);
            }
        }
        store_columns<pixel>(at, column, columns[0]);
        store_columns<pixel>(at + 8, column - 8, columns[1]);
    }
    for (size_t k = 0; k < colour_rows; k++) part(k, column - k, pixels);
}

template <size_t pixel>
void undo_filter(unsigned filter, uint8_t *row, const uint8_t *prior, size_t count) {
    switch (filter) {
        case 1: undo_sub<pixel>(row, count); break;
        case 2: undo_up(row, prior, count); break;
        case 3: undo_average<pixel>(row, prior, count); break;
        case 4: undo_paeth<pixel>(row, prior, count); break;
        default: break;
    }
}

/// Number of rows, from this one on, that are worth restoring together.
template <size_t pixel>
size_t alike_rows(const uint8_t *rows, size_t row_count, size_t count) {
    const size_t together = pixel == 1 ? gray_rows : colour_rows;
    const size_t columns_min = pixel == 1 ? gray_columns_min : colour_columns_min;
    if (pixel == 2 || row_count < together || count / pixel < columns_min) return 0;
    size_t slow = 0;
    for (size_t k = 0; k < together; k++) {
        const unsigned filter = rows[k * (count + 1)];
        if (filter > 4) return 0;
        slow += filter == 4 || (pixel == 1 && filter == 3);
    }
    // Sixteen rows together take as long as two or three separately.
    return slow >= 3 ? together : 0;
}

template <size_t pixel>
bool undo_rows(uint8_t *rows, size_t row_count, const uint8_t *prior, size_t count) {
    for (size_t y = 0; y < row_count;) {
        uint8_t *row = rows + y * (count + 1);
        const size_t alike = alike_rows<pixel>(row, row_count - y, count);
        if (alike == 0) {
            if (row[0] > 4) return false;
            undo_filter<pixel>(row[0], row + 1, prior, count);
        } else if (pixel == 1) {
            undo_gray_rows(row, count + 1, prior, count);
        } else if (pixel >= 3) {
            undo_colour_rows<pixel < 3 ? 3 : pixel>(row, count + 1, prior, count / pixel);
        }
        y += alike == 0 ? 1 : alike;
        prior = rows + (y - 1) * (count + 1) + 1;
    }
    return true;
}

bool filter_undo(uint8_t *rows, size_t row_count, const uint8_t *prior, size_t count, size_t pixel) {
    switch (pixel) {
        case 1: return undo_rows<1>(rows, row_count, prior, count);
        case 2: return undo_rows<2>(rows, row_count, prior, count);
        case 3: return undo_rows<3>(rows, row_count, prior, count);
        default: return undo_rows<4>(rows, row_count, prior, count);
    }
}

}  // namespace
}  // namespace INK_LEVEL::filters
