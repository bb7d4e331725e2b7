// Undoing PNG's filters. A byte needs the one to its left, so a row's pixels come one after the other, and the bytes of
// a pixel beside each other.
namespace INK_LEVEL {
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

/// Of pixels of 3 or 4 bytes. `count` leaves out what cannot be read as four bytes.
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

/// The neighbour that Paeth's predictor takes: of the two between which left + above - corner is nearest the extremes the
/// one on its side, or the corner. The same choice as by the three distances, in fewer steps that wait for `left`.
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

/// Rows of gray pixels, each a column behind the one above it: the processor works on all of them at once, where on one it
/// would wait for each pixel's left neighbour.
constexpr size_t rows_at_once = 4;

void undo_paeth_of_gray(uint8_t *const *rows, const uint8_t *prior, size_t count) {
    int left[rows_at_once] = {}, corner[rows_at_once] = {};
    const auto step = [&](size_t column, size_t k) __attribute__((always_inline)) {
        const int above = k == 0 ? prior[column] : left[k - 1];
        left[k] = (paeth(left[k], above, corner[k]) + rows[k][column - k]) & 255;
        rows[k][column - k] = static_cast<uint8_t>(left[k]);
        corner[k] = above;
    };
    // Lower rows first: what they need of the row above is its last pixel. Row k is in `column - k`.
    const size_t behind = rows_at_once - 1;
    for (size_t column = 0; column < behind; column++) {
        for (size_t k = column + 1; k-- > 0;) step(column, k);
    }
    for (size_t column = behind; column < count; column++) {
        for (size_t k = rows_at_once; k-- > 0;) step(column, k);
    }
    for (size_t column = count; column < count + behind; column++) {
        for (size_t k = rows_at_once; k-- > column - count + 1;) step(column, k);
    }
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

template <size_t pixel>
bool undo_rows(uint8_t *rows, size_t row_count, const uint8_t *prior, size_t count) {
    for (size_t y = 0; y < row_count; y++) {
        uint8_t *row = rows + y * (count + 1);
        if (pixel == 1 && row_count - y >= rows_at_once && count >= rows_at_once) {
            uint8_t *at[rows_at_once];
            bool are_alike = true;
            for (size_t k = 0; k < rows_at_once; k++) {
                are_alike = are_alike && row[k * (count + 1)] == 4;
                at[k] = row + k * (count + 1) + 1;
            }
            if (are_alike) {
                undo_paeth_of_gray(at, prior, count);
                y += rows_at_once - 1;
                prior = at[rows_at_once - 1];
                continue;
            }
        }
        if (row[0] > 4) return false;
        undo_filter<pixel>(row[0], row + 1, prior, count);
        prior = row + 1;
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
}  // namespace INK_LEVEL
