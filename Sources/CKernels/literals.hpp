// Encoding of literals. The tables hold a code of at most 12 bits and its length.
#pragma once

#include "deflate_types.hpp"
#include "bytes.hpp"

namespace ink_deflate::INK_LEVEL {

/// Four literals as one word: at most 48 bits of codes, with their number from bit 56 on.
INK_INLINE uint64_t literal_word(const uint16_t *table, const uint8_t *bytes, uint32_t count) {
    uint64_t word = 0;
    uint32_t width = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = table[bytes[i]];
        word |= static_cast<uint64_t>(entry & 0xFFF) << width;
        width += entry >> 12;
    }
    return word | static_cast<uint64_t>(width) << 56;
}

INK_INLINE void put_word(BitWriter &writer, uint64_t word) {
    writer.put(word & ((uint64_t(1) << 56) - 1), static_cast<uint32_t>(word >> 56));
}

/// Lookup table of the codes of all bytes.
struct LiteralTable {
    const uint16_t *entries;
#if INK_RANK >= 2
    __m512i part[8];
#endif
};

INK_INLINE LiteralTable load_table(const uint16_t *entries) {
    LiteralTable table;
    table.entries = entries;
#if INK_RANK >= 2
    for (int i = 0; i < 8; i++) table.part[i] = _mm512_loadu_si512(entries + 32 * i);
#endif
    return table;
}

#if INK_RANK >= 2
/// Words of 32 literals, of which only those in `used` count.
INK_INLINE __m512i literal_words(const LiteralTable &table, __m256i bytes, __mmask32 used) {
    const __m512i *part = table.part;
    __m512i index = _mm512_cvtepu8_epi16(bytes);
    __m512i low = _mm512_permutex2var_epi16(part[0], index, part[1]);
    __m512i second = _mm512_permutex2var_epi16(part[2], index, part[3]);
    __m512i third = _mm512_permutex2var_epi16(part[4], index, part[5]);
    __m512i high = _mm512_permutex2var_epi16(part[6], index, part[7]);
    __mmask32 bit6 = _mm512_test_epi16_mask(index, _mm512_set1_epi16(64));
    __mmask32 bit7 = _mm512_test_epi16_mask(index, _mm512_set1_epi16(128));
    low = _mm512_mask_blend_epi16(bit6, low, second);
    high = _mm512_mask_blend_epi16(bit6, third, high);
    __m512i entry = _mm512_maskz_mov_epi16(used, _mm512_mask_blend_epi16(bit7, low, high));
    // Codes of neighbours are joined, first in 32 bits, then in 64.
    __m512i width = _mm512_srli_epi16(entry, 12);
    __m512i code = _mm512_and_si512(entry, _mm512_set1_epi16(0xFFF));
    __m512i low16 = _mm512_set1_epi32(0xFFFF);
    __m512i width2 = _mm512_and_si512(width, low16);
    __m512i code2 = _mm512_or_si512(
        _mm512_and_si512(code, low16), _mm512_sllv_epi32(_mm512_srli_epi32(code, 16), width2));
    width2 = _mm512_add_epi32(width2, _mm512_srli_epi32(width, 16));
    __m512i low32 = _mm512_set1_epi64(0xFFFFFFFF);
    __m512i width4 = _mm512_and_si512(width2, low32);
    __m512i code4 = _mm512_or_si512(
        _mm512_and_si512(code2, low32), _mm512_sllv_epi64(_mm512_srli_epi64(code2, 32), width4));
    width4 = _mm512_add_epi64(width4, _mm512_srli_epi64(width2, 32));
    return _mm512_or_si512(code4, _mm512_slli_epi64(width4, 56));
}

INK_INLINE void put_many_literals(BitWriter &writer, const LiteralTable &table, const uint8_t *bytes, uint32_t count) {
    // Words are made several groups before they are written. The processor does both at once, and a word just stored as
    // one of eight would be slow to load.
    enum : uint32_t { group = 32, ahead = 2, ring = 4 };
    alignas(64) uint64_t words[ring][group / 4];
    uint32_t made = 0;
    for (uint32_t put = 0; put * group < count; put++) {
        for (; made <= put + ahead && made * group < count; made++) {
            uint32_t left = count - made * group;
            __mmask32 used = left >= group ? ~__mmask32(0) : (__mmask32(1) << left) - 1;
            __m256i some = _mm256_maskz_loadu_epi8(used, bytes + made * group);
            _mm512_store_si512(words[made % ring], literal_words(table, some, used));
        }
        // Words after the last literal are empty.
        for (uint32_t i = 0; i < group / 4; i++) put_word(writer, words[put % ring][i]);
    }
}
#endif

INK_INLINE void put_literals(BitWriter &writer, const LiteralTable &table, const uint8_t *bytes, uint32_t count) {
#if INK_RANK >= 2
    if (count >= 24) return put_many_literals(writer, table, bytes, count);
#endif
    for (; count >= 4; count -= 4, bytes += 4) put_word(writer, literal_word(table.entries, bytes, 4));
    if (count != 0) put_word(writer, literal_word(table.entries, bytes, count));
}

/// The word of a match; for length 0, of the literal that is stored instead of the distance.
INK_INLINE uint64_t match_word(const CodeTables &codes, uint32_t length, uint32_t distance) {
    uint32_t symbol = distance_symbol(distance | (length == 0));
    uint32_t entry = codes.length[length];
    uint32_t width = entry >> 24;
    uint32_t extra = distance - distance_base(symbol);
    uint64_t code = codes.distance[symbol] | static_cast<uint64_t>(extra) << codes.distance_bits[symbol];
    uint64_t word = (entry & 0xFFFFFF) | code << width;
    width += codes.distance_bits[symbol] + distance_extra_bits(symbol);
    uint32_t literal = codes.literal[distance & 0xFF];
    uint64_t alone = (literal & 0xFFF) | static_cast<uint64_t>(literal >> 12) << 56;
    return length == 0 ? alone : word | static_cast<uint64_t>(width) << 56;
}

INK_INLINE void put_match(BitWriter &writer, const CodeTables &codes, uint32_t length, uint32_t distance) {
    put_word(writer, match_word(codes, length, distance));
}

}  // namespace ink_deflate::INK_LEVEL
