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

typedef int16_t short8lanes __attribute__((ext_vector_type(8)));

/// The same choice for several pixels.
template <typename V> INK_INLINE V paeth(V left, V above, V corner) {
    const V least = left < above ? left : above, greatest = left < above ? above : left;
    const V turn = 3 * corner - (left + above);
    const V upper = greatest <= turn ? least : corner;
    return turn <= least ? greatest : upper;
}

/// Eight rows of gray pixels with any filters, each a column behind the one above it: a lane for each row, because along
/// a row each pixel has to wait for its left neighbour.
constexpr size_t gray_rows = 8;

void undo_gray_rows(uint8_t *rows, size_t stride, const uint8_t *prior, size_t count) {
    short8lanes is_left = 0, is_above = 0, is_mean = 0, is_paeth = 0;
    uint8_t *row[gray_rows];
    for (size_t k = 0; k < gray_rows; k++) {
        const unsigned filter = rows[k * stride];
        is_left[k] = filter == 1 ? -1 : 0;
        is_above[k] = filter == 2 ? -1 : 0;
        is_mean[k] = filter == 3 ? -1 : 0;
        is_paeth[k] = filter == 4 ? -1 : 0;
        // Row k is in `column - k`.
        row[k] = rows + k * stride + 1 - k;
    }
    short8lanes left = 0, corner = 0;
    const auto step = [&](size_t column, size_t first, size_t end) __attribute__((always_inline)) {
        short8lanes above = __builtin_shufflevector(left, left, 0, 0, 1, 2, 3, 4, 5, 6);
        above[0] = column < count ? prior[column] : 0;
        short8lanes filtered = 0;
        for (size_t k = first; k < end; k++) filtered[k] = row[k][column];
        const short8lanes predicted = (paeth(left, above, corner) & is_paeth) | (left & is_left) | (above & is_above)
            | (((left + above) >> 1) & is_mean);
        left = (predicted + filtered) & 255;
        corner = above;
        for (size_t k = first; k < end; k++) row[k][column] = static_cast<uint8_t>(left[k]);
    };
    size_t column = 0;
    for (; column + 1 < gray_rows; column++) {
        step(column, 0, column + 1);
        // What has not begun is nothing.
        for (size_t k = column + 1; k < gray_rows; k++) left[k] = 0;
    }
    for (; column < count; column++) step(column, 0, gray_rows);
    for (; column < count + gray_rows - 1; column++) step(column, column - count + 1, gray_rows);
}

/// Rows of colour likewise, a few at once.
constexpr size_t rows_at_once = 4;

template <size_t pixel>
void undo_paeth_of_rows(uint8_t *const *rows, const uint8_t *prior, size_t pixels) {
    short4 left[rows_at_once] = {}, corner[rows_at_once] = {};
    const auto values = [](const uint8_t *bytes) __attribute__((always_inline)) {
        byte4 four;
        memcpy(&four, bytes, 4);
        return __builtin_convertvector(four, short4);
    };
    const auto step = [&](size_t column, size_t k) __attribute__((always_inline)) {
        uint8_t *at = rows[k] + (column - k) * pixel;
        const short4 above = k == 0 ? values(prior + column * pixel) : left[k - 1];
        left[k] = (paeth(left[k], above, corner[k]) + values(at)) & (short4)(int16_t)255;
        corner[k] = above;
        const byte4 bytes = __builtin_convertvector(left[k], byte4);
        memcpy(at, &bytes, pixel);
    };
    // Lower rows first: what they need of the row above is its last pixel. Row k is in `column - k`.
    const size_t behind = rows_at_once - 1;
    for (size_t column = 0; column < behind; column++) {
        for (size_t k = column + 1; k-- > 0;) step(column, k);
    }
    for (size_t column = behind; column < pixels; column++) {
        for (size_t k = rows_at_once; k-- > 0;) step(column, k);
    }
    for (size_t column = pixels; column < pixels + behind; column++) {
        for (size_t k = rows_at_once; k-- > column - pixels + 1;) step(column, k);
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

/// How many rows from one on are worth restoring together.
template <size_t pixel>
size_t alike_rows(const uint8_t *rows, size_t row_count, size_t count) {
    const size_t together = pixel == 1 ? gray_rows : rows_at_once;
    if (pixel == 2 || row_count < together || count < together * pixel) return 0;
    size_t slow = 0;
    for (size_t k = 0; k < together; k++) {
        const unsigned filter = rows[k * (count + 1)];
        if (filter > 4) return 0;
        slow += filter == 4 || (pixel == 1 && filter == 3);
    }
    // Eight rows of gray take as long as two of them by themselves.
    return slow >= (pixel == 1 ? 3 : together) ? together : 0;
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
        } else {
            uint8_t *at[rows_at_once];
            for (size_t k = 0; k < rows_at_once; k++) at[k] = row + k * (count + 1) + 1;
            undo_paeth_of_rows<pixel>(at, prior, count / pixel);
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
}  // namespace INK_LEVEL
