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
            int from_left = above > corner ? above - corner : corner - above;
            int from_above = left > corner ? left - corner : corner - left;
            int sum = left + above - 2 * corner;
            int from_corner = sum < 0 ? -sum : sum;
            int nearer = from_above <= from_corner ? above : corner;
            bool is_left = (from_left <= from_above) & (from_left <= from_corner);
            int predicted = is_left ? left : nearer;
            left = (predicted + row[i]) & 255;
            row[i] = static_cast<uint8_t>(left);
            corner = above;
        }
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

void filter_undo(unsigned filter, uint8_t *row, const uint8_t *prior, size_t count, size_t pixel) {
    switch (pixel) {
        case 1: undo_filter<1>(filter, row, prior, count); break;
        case 2: undo_filter<2>(filter, row, prior, count); break;
        case 3: undo_filter<3>(filter, row, prior, count); break;
        default: undo_filter<4>(filter, row, prior, count);
    }
}

}  // namespace
}  // namespace INK_LEVEL
