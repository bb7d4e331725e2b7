// Types shared by the compressor's loops and its driver.
#ifndef INK_DEFLATE_TYPES_HPP
#define INK_DEFLATE_TYPES_HPP

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace ink_deflate {

enum : uint32_t {
    literal_count = 256,
    end_of_block = 256,
    first_length_symbol = 257,
    symbol_count = 286,
    distance_count = 30,
    /// Short enough for a code and its length to fit 16 bits.
    code_bits_max = 12,
    match_max = 258,
    distance_max = 32768,
    /// Readable bytes after the input, so that vectors need no special case at the end.
    slack = 64,
    /// Bytes that precede a block in the window: everything that a distance can reach, plus enough that position 0,
    /// which means "none" in the tables, is always too far away.
    history = distance_max + slack,
};

/// Literals followed by a match; length 0 means no match.
struct Sequence {
    uint32_t literals;
    uint16_t length, distance;
};

struct Match {
    uint16_t length, distance;
};

/// Cost in bits of each symbol, including extra bits, from the previous block.
struct Costs {
    uint8_t literal[literal_count];
    uint8_t length[match_max + 2];
    uint8_t distance[32];
};

struct Frequencies {
    uint32_t symbol[symbol_count];
    uint32_t distance[distance_count];
};

struct Codes {
    uint8_t symbol_bits[symbol_count], distance_bits[distance_count];
    uint16_t symbol[symbol_count], distance[distance_count];
};

/// Codes in the form that the writing loops need.
struct CodeTables {
    /// The code, with its length from bit 12 on.
    uint16_t literal[literal_count];
    /// Code and extra bits of each length, with their total length from bit 24 on. The entry for length 0 is empty.
    uint32_t length[match_max + 2];
    uint16_t distance[32];
    uint8_t distance_bits[32];
    uint16_t end;
    uint8_t end_bits;
};

struct BitWriter {
    uint64_t bits;
    uint32_t count;
    uint8_t *out;

    /// Appends at most 56 bits. Writes 8 bytes; those beyond the bits so far are overwritten later.
    __attribute__((always_inline)) inline void put(uint64_t value, uint32_t width) {
        bits |= value << count;
        count += width;
        memcpy(out, &bits, 8);
        out += count >> 3;
        bits >>= count & 56;
        count &= 7;
    }
};

static inline __attribute__((always_inline)) uint32_t highest_bit(uint32_t value) { return 31 - static_cast<uint32_t>(__builtin_clz(value)); }

/// The symbol, minus 257, for a length of 3 to 258.
static inline __attribute__((always_inline)) uint32_t length_symbol(uint32_t length) {
    uint32_t l = length - 3;
    if (l < 8) return l;
    if (length == match_max) return 28;
    uint32_t power = highest_bit(l);
    return 4 * power - 4 + (l >> (power - 2) & 3);
}

static inline __attribute__((always_inline)) uint32_t length_extra_bits(uint32_t symbol) { return symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1; }

static inline __attribute__((always_inline)) uint32_t length_base(uint32_t symbol) {
    if (symbol < 8) return symbol + 3;
    return symbol == 28 ? match_max : ((4 | (symbol & 3)) << (symbol / 4 - 1)) + 3;
}

static inline __attribute__((always_inline)) uint32_t distance_symbol(uint32_t distance) {
    uint32_t d = distance - 1;
    // Two symbols for each power of two; the first two are their own symbols.
    uint32_t power = highest_bit(d | 1);
    return d < 2 ? d : 2 * power + (d >> (power - 1) & 1);
}

static inline __attribute__((always_inline)) uint32_t distance_extra_bits(uint32_t symbol) { return symbol < 4 ? 0 : symbol / 2 - 1; }

static inline __attribute__((always_inline)) uint32_t distance_base(uint32_t symbol) {
    return symbol < 4 ? symbol + 1 : ((2 | (symbol & 1)) << (symbol / 2 - 1)) + 1;
}

/// Tables that a search for pixels keeps: the last positions of single pixels and of pairs of pixels.
struct PixelTables {
    enum : uint32_t { pair_bits = 13, pixel_bits = 12 };
    uint32_t pair[1 << pair_bits];
    uint32_t pixel[1 << pixel_bits];
};

/// Rows as pixels and matches. A filter number, which is not a pixel, is a match of length 0 whose distance is the
/// byte.
struct PixelTokens {
    uint32_t *pixels;
    Match *matches;
    /// 1 for a match.
    uint8_t *kinds;
    size_t pixel_count, match_count;
};

struct Kernels {
    /// Sequences of the bytes from `begin` to `end` of `window`. One byte of history precedes `begin`, except at the
    /// start of a band.
    size_t (*find_runs)(
        const Costs &costs, const uint8_t *window, uint32_t begin, uint32_t end, bool is_first, Sequence *out);
    /// The same, but only for runs that fill half of a 64-byte unit, counted from the beginning or from the end of the
    /// previous run. Much faster, because starting a run costs more than continuing it.
    size_t (*find_long_runs)(const uint8_t *window, uint32_t begin, uint32_t end, bool is_first, Sequence *out);
    /// Counts symbols. Of many consecutive literals it counts all, 1/2, 1/4, 1/8 or 1/16, for a coarseness of 0 to 4.
    /// Each literal that is not counted may have had any value.
    void (*count_sequences)(
        const uint8_t *bytes, const Sequence *sequences, size_t count, uint32_t coarseness, Frequencies &frequencies);
    void (*write_sequences)(
        const CodeTables &codes, const uint8_t *bytes, const Sequence *sequences, size_t count, BitWriter &writer);
    /// Tokens of the whole rows from `begin` to `end`, appended to `tokens`. `first` is where the band's history
    /// begins.
    void (*find_pixels)(
        const Costs &costs, const uint8_t *window, uint32_t first, uint32_t begin, uint32_t end, uint32_t row_bytes,
        uint32_t pixel, PixelTables &tables, PixelTokens &tokens);
    void (*count_pixels)(const PixelTokens &from, const PixelTokens &to, uint32_t pixel, Frequencies &frequencies);
    void (*write_pixels)(const CodeTables &codes, const PixelTokens &tokens, uint32_t pixel, BitWriter &writer);
};

}  // namespace ink_deflate

#endif
