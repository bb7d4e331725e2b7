#include "deflate_codes.hpp"

namespace ink_deflate {

namespace {

enum : uint32_t { alphabet_max = symbol_count };

/// Sorts by frequency, which is above the low 16 bits. Equal frequencies keep their order.
void sort(uint64_t *keys, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++) all |= keys[i];
    uint64_t other[alphabet_max];
    for (uint32_t shift = 16; shift < 64 && all >> shift != 0; shift += 8) {
        uint32_t starts[257] = {};
        for (uint32_t i = 0; i < count; i++) starts[(keys[i] >> shift & 0xFF) + 1]++;
        for (uint32_t i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (uint32_t i = 0; i < count; i++) other[starts[keys[i] >> shift & 0xFF]++] = keys[i];
        memcpy(keys, other, count * sizeof *keys);
    }
}

/// Depths of the leaves of a Huffman tree over ascending weights, in place (Moffat and Katajainen, 1995). The result is
/// descending.
void weights_to_depths(uint32_t *a, int count) {
    a[0] += a[1];
    int leaf = 2;
    int root = 0;
    for (int next = 1; next < count - 1; next++) {
        if (leaf >= count || a[root] < a[leaf]) {
            a[next] = a[root];
            a[root++] = static_cast<uint32_t>(next);
        } else {
            a[next] = a[leaf++];
        }
        if (leaf >= count || (root < next && a[root] < a[leaf])) {
            a[next] += a[root];
            a[root++] = static_cast<uint32_t>(next);
        } else {
            a[next] += a[leaf++];
        }
    }
    a[count - 2] = 0;
    for (int i = count - 3; i >= 0; i--) a[i] = a[a[i]] + 1;
    uint32_t depth = 0;
    int available = 1;
    int inner = count - 2;
    int into = count - 1;
    while (available > 0) {
        int used = 0;
        for (; inner >= 0 && a[inner] == depth; inner--) used++;
        for (; available > used; available--) a[into--] = depth;
        available = 2 * used;
        depth++;
    }
}

/// Code lengths of at most `bits_max` bits, for at least two symbols with a frequency.
void make_lengths(const uint32_t *frequencies, uint32_t count, uint32_t bits_max, uint8_t *lengths) {
    uint64_t keys[alphabet_max];
    uint32_t depths[alphabet_max];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = 0;
        if (frequencies[i] != 0) keys[used++] = static_cast<uint64_t>(frequencies[i]) << 16 | i;
    }
    sort(keys, used);
    for (uint32_t i = 0; i < used; i++) depths[i] = static_cast<uint32_t>(keys[i] >> 16);
    weights_to_depths(depths, static_cast<int>(used));

    // Codes that are too long are shortened, and others lengthened until the code fits (Kraft's inequality). Space that
    // remains then shortens some codes. Space is counted in codes of the greatest length.
    uint32_t of_length[alphabet_max] = {};
    for (uint32_t i = 0; i < used; i++) of_length[depths[i] < bits_max ? depths[i] : bits_max]++;
    uint32_t room = 1u << bits_max;
    uint32_t taken = 0;
    for (uint32_t bits = 1; bits <= bits_max; bits++) taken += of_length[bits] << (bits_max - bits);
    while (taken > room) {
        uint32_t bits = bits_max - 1;
        while (of_length[bits] == 0) bits--;
        of_length[bits]--;
        of_length[bits + 1]++;
        taken -= 1u << (bits_max - bits - 1);
    }
    while (taken < room) {
        uint32_t bits = bits_max;
        while (of_length[bits] == 0) bits--;
        of_length[bits]--;
        of_length[bits - 1]++;
        taken += 1u << (bits_max - bits);
    }
    uint32_t next = 0;
    for (uint32_t bits = bits_max; bits > 0; bits--) {
        for (uint32_t i = 0; i < of_length[bits]; i++) lengths[keys[next++] & 0xFFFF] = static_cast<uint8_t>(bits);
    }
}

/// Canonical codes (RFC 1951, 3.2.2), with the first bit lowest.
void assign_codes(const uint8_t *lengths, uint32_t count, uint16_t *codes) {
    uint32_t of_length[16] = {};
    for (uint32_t i = 0; i < count; i++) of_length[lengths[i]]++;
    of_length[0] = 0;
    uint32_t next[16] = {};
    for (uint32_t bits = 1; bits < 16; bits++) next[bits] = (next[bits - 1] + of_length[bits - 1]) << 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = lengths[i] == 0 ? 0 : next[lengths[i]]++;
        codes[i] = static_cast<uint16_t>(__builtin_bitreverse16(static_cast<uint16_t>(code)) >> (16 - lengths[i]));
    }
}

/// log2(1 + i / 256) in 1/65,536.
struct Logarithms {
    uint32_t value[257];

    constexpr Logarithms() : value() {
        for (uint32_t i = 0; i < 256; i++) {
            // Each squaring yields one more bit of the logarithm.
            uint64_t x = static_cast<uint64_t>(256 + i) << 22;
            for (int bit = 15; bit >= 0; bit--) {
                x = x * x >> 30;
                if (x >> 31 != 0) {
                    x >>= 1;
                    value[i] |= 1u << bit;
                }
            }
        }
        value[256] = 1 << 16;
    }
};

constexpr Logarithms logarithms;

/// log2 of a value of at least 1, in 1/65,536.
uint64_t logarithm(uint32_t value) {
    uint32_t power = highest_bit(value);
    // The 8 bits after the leading one select the entry; 16 more interpolate between it and the next.
    uint64_t fraction = (static_cast<uint64_t>(value) << 24 >> power) & 0xFFFFFF;
    uint32_t entry = static_cast<uint32_t>(fraction >> 16);
    uint64_t from = logarithms.value[entry];
    return (static_cast<uint64_t>(power) << 16) + from
        + ((logarithms.value[entry + 1] - from) * (fraction & 0xFFFF) >> 16);
}

/// In 1/65,536 bit.
uint64_t entropy(const uint32_t *frequencies, uint32_t count) {
    uint64_t sum = 0;
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (frequencies[i] == 0) continue;
        sum += static_cast<uint64_t>(frequencies[i]) * logarithm(frequencies[i]);
        total += frequencies[i];
    }
    return total == 0 ? 0 : total * logarithm(static_cast<uint32_t>(total)) - sum;
}

/// Adds symbols to a code with fewer than two, because some decoders expect two.
void need_two(uint32_t *frequencies, uint32_t count) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) used += frequencies[i] != 0;
    for (uint32_t i = 0; used < 2; i++) {
        if (frequencies[i] != 0) continue;
        frequencies[i] = 1;
        used++;
    }
}

}  // namespace

void make_codes(Frequencies &frequencies, Codes &codes) {
    frequencies.symbol[end_of_block] = 1;
    need_two(frequencies.symbol, symbol_count);
    need_two(frequencies.distance, distance_count);
    make_lengths(frequencies.symbol, symbol_count, code_bits_max, codes.symbol_bits);
    make_lengths(frequencies.distance, distance_count, code_bits_max, codes.distance_bits);
    assign_codes(codes.symbol_bits, symbol_count, codes.symbol);
    assign_codes(codes.distance_bits, distance_count, codes.distance);
}

void write_header(const Codes &codes, bool is_last, BitWriter &writer) {
    uint32_t symbols = symbol_count;
    while (symbols > 257 && codes.symbol_bits[symbols - 1] == 0) symbols--;
    uint32_t distances = distance_count;
    while (distances > 1 && codes.distance_bits[distances - 1] == 0) distances--;
    uint8_t lengths[symbol_count + distance_count];
    memcpy(lengths, codes.symbol_bits, symbols);
    memcpy(lengths + symbols, codes.distance_bits, distances);
    uint32_t count = symbols + distances;

    // Run-length encoding of the lengths: 16 repeats the previous length 3 to 6 times; 17 and 18 are 3 to 10 and 11 to
    // 138 zeros.
    uint8_t items[symbol_count + distance_count], extras[symbol_count + distance_count];
    uint32_t item_count = 0;
    uint32_t frequencies[19] = {};
    auto add = [&](uint32_t item, uint32_t extra) {
        items[item_count] = static_cast<uint8_t>(item);
        extras[item_count++] = static_cast<uint8_t>(extra);
        frequencies[item]++;
    };
    for (uint32_t i = 0; i < count;) {
        uint32_t length = lengths[i];
        uint32_t run = 1;
        while (i + run < count && lengths[i + run] == length) run++;
        i += run;
        if (length != 0) {
            add(length, 0);
            run--;
        }
        while (run >= 3) {
            uint32_t part = run < (length != 0 ? 6u : 138u) ? run : (length != 0 ? 6u : 138u);
            if (length != 0) {
                add(16, part - 3);
            } else if (part <= 10) {
                add(17, part - 3);
            } else {
                add(18, part - 11);
            }
            run -= part;
        }
        for (; run > 0; run--) add(length, 0);
    }
    uint8_t item_bits[19];
    uint16_t item_codes[19];
    make_lengths(frequencies, 19, 7, item_bits);
    assign_codes(item_bits, 19, item_codes);
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint32_t written = 19;
    while (written > 4 && item_bits[order[written - 1]] == 0) written--;

    writer.put((is_last ? 1 : 0) | 2 << 1, 3);
    writer.put(symbols - 257, 5);
    writer.put(distances - 1, 5);
    writer.put(written - 4, 4);
    for (uint32_t i = 0; i < written; i++) writer.put(item_bits[order[i]], 3);
    for (uint32_t i = 0; i < item_count; i++) {
        writer.put(item_codes[items[i]], item_bits[items[i]]);
        if (items[i] >= 16) writer.put(extras[i], items[i] == 16 ? 2 : items[i] == 17 ? 3 : 7);
    }
}

void make_tables(const Codes &codes, CodeTables &tables) {
    for (uint32_t i = 0; i < literal_count; i++)
        tables.literal[i] = static_cast<uint16_t>(codes.symbol[i] | codes.symbol_bits[i] << 12);
    for (uint32_t length = 0; length < match_max + 2; length++) tables.length[length] = 0;
    for (uint32_t length = 3; length <= match_max; length++) {
        uint32_t symbol = length_symbol(length);
        uint32_t bits = codes.symbol_bits[first_length_symbol + symbol];
        uint32_t value = codes.symbol[first_length_symbol + symbol] | (length - length_base(symbol)) << bits;
        tables.length[length] = value | (bits + length_extra_bits(symbol)) << 24;
    }
    for (uint32_t symbol = 0; symbol < distance_count; symbol++) {
        tables.distance[symbol] = codes.distance[symbol];
        tables.distance_bits[symbol] = codes.distance_bits[symbol];
    }
    tables.end = codes.symbol[end_of_block];
    tables.end_bits = codes.symbol_bits[end_of_block];
}

namespace {

/// Length of an ideal code for each symbol, rounded to bits: at least 1, and at most what a code can have.
void symbol_costs(const uint32_t *frequencies, uint32_t count, uint32_t rare, uint8_t *costs) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += frequencies[i];
    uint64_t log_total = total == 0 ? 0 : logarithm(total);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = rare;
        if (frequencies[i] != 0) bits = (log_total - logarithm(frequencies[i]) + (1 << 15)) >> 16;
        costs[i] = static_cast<uint8_t>(bits < 1 ? 1 : bits > code_bits_max ? code_bits_max : bits);
    }
}

void length_costs(const uint8_t *symbols, Costs &costs) {
    for (uint32_t length = 3; length <= match_max; length++) {
        uint32_t symbol = length_symbol(length);
        costs.length[length] = static_cast<uint8_t>(symbols[symbol] + length_extra_bits(symbol));
    }
}

}  // namespace

void make_costs(const Frequencies &frequencies, Costs &costs) {
    uint8_t symbols[symbol_count], distances[distance_count];
    symbol_costs(frequencies.symbol, symbol_count, code_bits_max, symbols);
    symbol_costs(frequencies.distance, distance_count, 8, distances);
    memcpy(costs.literal, symbols, literal_count);
    for (uint32_t i = first_length_symbol; i < symbol_count; i++) {
        if (frequencies.symbol[i] == 0) symbols[i] = 10;
    }
    length_costs(symbols + first_length_symbol, costs);
    for (uint32_t symbol = 0; symbol < distance_count; symbol++)
        costs.distance[symbol] = static_cast<uint8_t>(distances[symbol] + distance_extra_bits(symbol));
}

void guess_costs(const uint32_t *literals, Costs &costs) {
    symbol_costs(literals, literal_count, code_bits_max, costs.literal);
    uint8_t lengths[symbol_count - first_length_symbol];
    for (uint32_t symbol = 0; symbol < sizeof lengths; symbol++) lengths[symbol] = symbol < 4 ? 5 : 7;
    length_costs(lengths, costs);
    for (uint32_t symbol = 0; symbol < distance_count; symbol++)
        costs.distance[symbol] = static_cast<uint8_t>((symbol == 0 ? 2 : 5) + distance_extra_bits(symbol));
}

uint64_t ideal_cost(const Frequencies &frequencies) {
    uint64_t cost = entropy(frequencies.symbol, symbol_count) + entropy(frequencies.distance, distance_count);
    uint64_t extra = 0;
    for (uint32_t symbol = 0; symbol < 29; symbol++)
        extra += static_cast<uint64_t>(frequencies.symbol[first_length_symbol + symbol]) * length_extra_bits(symbol);
    for (uint32_t symbol = 0; symbol < distance_count; symbol++)
        extra += static_cast<uint64_t>(frequencies.distance[symbol]) * distance_extra_bits(symbol);
    return (cost >> 16) + extra;
}

}  // namespace ink_deflate
