// Pixels and strings of them that were seen before, within rows.
//
// Candidates are looked up for every pixel, whatever becomes of those before it: so nothing waits for a decision, and
// the decisions, which no processor can foresee, find everything at hand.
namespace INK_LEVEL {
namespace {

enum : uint32_t { chunk_pixels = 512, group_pixels = 16, known_length_max = 32 };

/// What was found for each pixel of a chunk.
struct Candidates {
    /// Where the pixel was last, as a distance; 0: nowhere.
    uint16_t pixel[chunk_pixels + group_pixels];
    /// Where it and the one behind it were last.
    uint16_t pair[chunk_pixels + group_pixels];
    /// How many pixels are the same there: those of at most 32 bytes, and of the row. One more entry is read.
    uint8_t same[chunk_pixels + group_pixels];
};

/// All bits or none. The compiler must not see through it, or it may make a branch of what it selects.
INK_INLINE uint32_t mask_if(bool condition) {
    uint32_t mask = 0 - static_cast<uint32_t>(condition);
    __asm__("" : "+r"(mask));
    return mask;
}

template <uint32_t pixel>
INK_INLINE uint32_t load_pixel(const uint8_t *bytes) {
    return pixel == 3 ? load32(bytes) & 0xFFFFFF : load32(bytes);
}

template <uint32_t pixel>
void find_candidates(
    const uint8_t *window, uint32_t first, uint32_t at, uint32_t count, uint32_t row_count,
    PixelTables &tables, Candidates &found) {
    // 32 bytes are whole pixels as 256ths say.
    const uint32_t reciprocal = pixel == 3 ? 86 : 64;
    for (uint32_t start = 0; start < count; start += group_pixels, at += group_pixels * pixel) {
        // In a flat place the pixel before is all there is to find.
        uint64_t group = pixel == 4 ? ~uint64_t(0) : (uint64_t(1) << (group_pixels * pixel)) - 1;
        bool is_flat = at >= first + pixel && (~equal64(window + at, window + at - pixel) & group) == 0;
        if (is_flat) {
            for (uint32_t k = 0; k < group_pixels; k++) {
                uint32_t length = (group_pixels - k) * pixel;
                found.pixel[start + k] = pixel;
                found.pair[start + k] = pixel;
                found.same[start + k] = static_cast<uint8_t>(
                    (length < known_length_max ? length : uint32_t(known_length_max)) / pixel);
            }
            continue;
        }
        uint32_t end = count - start < group_pixels ? count - start : group_pixels;
        for (uint32_t k = 0; k < end; k++) {
            uint32_t here = at + k * pixel;
            uint64_t eight = load64(window + here);
            uint32_t one = pixel == 3 ? static_cast<uint32_t>(eight) & 0xFFFFFF : static_cast<uint32_t>(eight);
            uint64_t two = pixel == 3 ? eight << 16 : eight;
            uint32_t &pair_entry = tables.pair[two * 0x9E3779B97F4A7C15u >> (64 - PixelTables::pair_bits)];
            uint32_t &pixel_entry = tables.pixel[one * 0x9E3779B1u >> (32 - PixelTables::pixel_bits)];
            uint32_t pair_at = pair_entry;
            uint32_t pixel_at = pixel_entry;
            pair_entry = here;
            pixel_entry = here;
            uint32_t length = equal_prefix32(window + pair_at, window + here);
            uint32_t pair_distance = here - pair_at;
            uint32_t pixel_distance = here - pixel_at;
            bool is_same = (load_pixel<pixel>(window + pixel_at) == one) & (pixel_distance <= distance_max);
            found.pair[start + k] = static_cast<uint16_t>(pair_distance);
            found.same[start + k] = static_cast<uint8_t>(length * reciprocal >> 8 & mask_if(pair_distance <= distance_max));
            found.pixel[start + k] = static_cast<uint16_t>(pixel_distance & mask_if(is_same));
        }
    }
    // Nothing is better than what lies behind the chunk, and no match leaves the row.
    found.same[count] = 0;
    for (uint32_t k = 1; k <= known_length_max / pixel && k <= count && count == row_count; k++) {
        uint8_t &same = found.same[count - k];
        same = same < k ? same : static_cast<uint8_t>(k);
    }
}

/// Decides a chunk's tokens. Returns how many pixels they cover: more than `count` when the last match goes on, up to
/// `row_count`.
template <uint32_t pixel>
uint32_t decide(
    const Costs &costs, const uint8_t *bytes, uint32_t count, uint32_t row_count, const Candidates &found,
    PixelTokens &tokens) {
    uint32_t *pixels = tokens.pixels + tokens.pixel_count;
    Match *matches = tokens.matches + tokens.match_count;
    uint8_t *kinds = tokens.kinds + tokens.pixel_count + tokens.match_count;
    const uint8_t *row_end = bytes + row_count * pixel;
    const uint32_t pair_length = costs.length[2 * pixel];
    const uint32_t pixel_length = costs.length[pixel];
    enum : uint32_t { part_max = match_max / pixel * pixel };
    uint32_t i = 0;
    while (i < count) {
        const uint8_t *here = bytes + i * pixel;
        uint32_t literals = 0;
        uint32_t next_literals = 0;
        for (uint32_t k = 0; k < pixel; k++) {
            literals += costs.literal[here[k]];
            next_literals += costs.literal[here[pixel + k]];
        }
        uint32_t same = found.same[i];
        uint32_t pair = found.pair[i];
        // Branches that no processor foresees are what costs most here: one for each token, the terms without.
        bool is_pair_cheap = pair_length + costs.distance[distance_symbol(pair + (pair == 0))] < literals + next_literals;
        bool is_better_next = (same < 8) & (found.same[i + 1] > same);
        if ((same >= 2) & !is_better_next & ((same > 2) | is_pair_cheap)) {
            uint32_t size = same * pixel;
            if (size + pixel > known_length_max || pair == pixel)
                size = equal_prefix(here - pair, here, row_end) / pixel * pixel;
            i += size / pixel;
            for (; size > part_max; size -= part_max) {
                *matches++ = {static_cast<uint16_t>(part_max), static_cast<uint16_t>(pair)};
                *kinds++ = 1;
            }
            *matches++ = {static_cast<uint16_t>(size), static_cast<uint16_t>(pair)};
            *kinds++ = 1;
            continue;
        }
        uint32_t one = found.pixel[i];
        bool is_match = (one != 0) & (pixel_length + costs.distance[distance_symbol(one + (one == 0))] < literals);
        *kinds++ = is_match;
        *matches = {static_cast<uint16_t>(pixel), static_cast<uint16_t>(one)};
        *pixels = load_pixel<pixel>(here);
        matches += is_match;
        pixels += !is_match;
        i++;
    }
    tokens.pixel_count = static_cast<size_t>(pixels - tokens.pixels);
    tokens.match_count = static_cast<size_t>(matches - tokens.matches);
    return i;
}

template <uint32_t pixel>
void find_in_rows(
    const Costs &costs, const uint8_t *window, uint32_t first, uint32_t begin, uint32_t end, uint32_t row_bytes,
    PixelTables &tables, PixelTokens &tokens) {
    Candidates found;
    uint32_t width = (row_bytes - 1) / pixel;
    for (uint32_t row = begin; row < end; row += row_bytes) {
        tokens.kinds[tokens.pixel_count + tokens.match_count] = 1;
        tokens.matches[tokens.match_count++] = {0, window[row]};
        for (uint32_t x = 0; x < width;) {
            uint32_t at = row + 1 + x * pixel;
            uint32_t count = width - x < chunk_pixels ? width - x : chunk_pixels;
            find_candidates<pixel>(window, first, at, count, width - x, tables, found);
            x += decide<pixel>(costs, window + at, count, width - x, found, tokens);
        }
    }
}

void find_pixels(
    const Costs &costs, const uint8_t *window, uint32_t first, uint32_t begin, uint32_t end, uint32_t row_bytes,
    uint32_t pixel, PixelTables &tables, PixelTokens &tokens) {
    if (pixel == 3) {
        find_in_rows<3>(costs, window, first, begin, end, row_bytes, tables, tokens);
    } else {
        find_in_rows<4>(costs, window, first, begin, end, row_bytes, tables, tokens);
    }
}

void count_pixels(const PixelTokens &from, const PixelTokens &to, uint32_t pixel, Frequencies &frequencies) {
    uint32_t tables[4][literal_count] = {};
    for (size_t i = from.pixel_count; i < to.pixel_count; i++) {
        uint32_t value = to.pixels[i];
        for (uint32_t k = 0; k < 4; k++) tables[k][value >> (8 * k) & 0xFF]++;
    }
    for (uint32_t i = 0; i < literal_count; i++) {
        frequencies.symbol[i] += tables[0][i] + tables[1][i] + tables[2][i];
        if (pixel == 4) frequencies.symbol[i] += tables[3][i];
    }
    uint32_t lengths[match_max + 2] = {};
    for (size_t i = from.match_count; i < to.match_count; i++) {
        Match match = to.matches[i];
        if (match.length == 0) {
            frequencies.symbol[match.distance]++;
            continue;
        }
        lengths[match.length]++;
        frequencies.distance[distance_symbol(match.distance)]++;
    }
    for (uint32_t length = 3; length <= match_max; length++)
        frequencies.symbol[first_length_symbol + length_symbol(length)] += lengths[length];
}

enum : uint32_t { batch_tokens = 256 };

/// Words of `count` pixels; up to 8 more are written.
void pixel_words(const CodeTables &codes, const LiteralTable &table, const uint32_t *pixels, size_t count,
                 uint32_t pixel, uint64_t *words) {
#if INK_RANK >= 2
    (void)codes;
    __mmask32 used = pixel == 3 ? 0x77777777u : 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i += 8) {
        __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(pixels + i));
        _mm512_storeu_si512(words + i, literal_words(table, part, used));
    }
#else
    (void)table;
    for (size_t i = 0; i < count; i++)
        words[i] = literal_word(codes.literal, reinterpret_cast<const uint8_t *>(pixels + i), pixel);
#endif
}

void write_pixels(const CodeTables &codes, const PixelTokens &tokens, uint32_t pixel, BitWriter &out) {
    BitWriter writer = out;
    LiteralTable table = load_table(codes.literal);
    const uint32_t *pixels = tokens.pixels;
    const Match *matches = tokens.matches;
    uint64_t words[2][batch_tokens + 8];
    size_t count = tokens.pixel_count + tokens.match_count;
    for (size_t start = 0; start < count; start += batch_tokens) {
        const uint8_t *kinds = tokens.kinds + start;
        size_t part = count - start < batch_tokens ? count - start : batch_tokens;
        size_t match_count = 0;
        for (size_t i = 0; i < part; i++) match_count += kinds[i];
        pixel_words(codes, table, pixels, part - match_count, pixel, words[0]);
        for (size_t i = 0; i < match_count; i++)
            words[1][i] = match_word(codes, matches[i].length, matches[i].distance);
        pixels += part - match_count;
        matches += match_count;
        uint32_t match = 0;
        for (uint32_t i = 0; i < part; i++) {
            uint32_t is_match = kinds[i];
            put_word(writer, words[is_match][is_match ? match : i - match]);
            match += is_match;
        }
    }
    writer.put(codes.end, codes.end_bits);
    out = writer;
}

}  // namespace
}  // namespace INK_LEVEL
