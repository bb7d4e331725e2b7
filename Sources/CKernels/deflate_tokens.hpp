// Counts and writes the tokens found by a search for pixels.
#pragma once

#include "deflate_pixels.hpp"

namespace ink_deflate::INK_LEVEL {
namespace {

// Counts are spread over several tables, so that increments for equal neighbours do not wait for each other.

template <uint32_t pixel>
INK_INLINE void count_pixel_bytes(const uint32_t *pixels, size_t count, uint32_t *symbols) {
    uint32_t tables[2][pixel][literal_count] = {};
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < pixel; k++) tables[i & 1][k][pixels[i] >> (8 * k) & 0xFF]++;
    }
    for (uint32_t k = 0; k < pixel; k++) {
        for (uint32_t value = 0; value < literal_count; value++)
            symbols[value] += tables[0][k][value] + tables[1][k][value];
    }
}

INK_INLINE void count_bytes(const uint8_t *bytes, size_t count, uint32_t (*tables)[256]) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        uint32_t four = load32(bytes + i);
        for (uint32_t k = 0; k < 4; k++) tables[k][four >> (8 * k) & 0xFF]++;
    }
    for (; i < count; i++) tables[0][bytes[i]]++;
}

enum : uint32_t { batch_tokens = 256 };

/// Splits off the matches: lengths minus 3 and distance symbols of the matches among `count` tokens; other tokens are
/// counted. Returns their number. Writes up to 16 entries more.
INK_INLINE size_t split_matches(
    const Match *matches, size_t count, uint8_t *lengths, uint8_t *distances, Frequencies &frequencies) {
    size_t held = 0;
#if INK_RANK >= 2
    for (size_t i = 0; i < count; i += 16) {
        __m512i match = _mm512_loadu_si512(matches + i);
        __mmask16 used = static_cast<__mmask16>(count - i < 16 ? (1u << (count - i)) - 1 : 0xFFFF);
        __mmask16 found = _mm512_mask_test_epi32_mask(used, match, _mm512_set1_epi32(0xFFFF));
        for (uint32_t other = used & ~static_cast<uint32_t>(found); other != 0; other &= other - 1)
            frequencies.symbol[matches[i + static_cast<size_t>(__builtin_ctz(other))].distance]++;
        match = _mm512_maskz_compress_epi32(found, match);
        __m512i symbol = distance_symbols(_mm512_srli_epi32(match, 16));
        __m512i length = _mm512_sub_epi32(match, _mm512_set1_epi32(3));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(lengths + held), _mm512_cvtepi32_epi8(length));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(distances + held), _mm512_cvtepi32_epi8(symbol));
        held += static_cast<size_t>(__builtin_popcount(found));
    }
#else
    for (size_t i = 0; i < count; i++) {
        Match match = matches[i];
        if (match.length == 0) {
            frequencies.symbol[match.distance]++;
            continue;
        }
        lengths[held] = static_cast<uint8_t>(match.length - 3);
        distances[held] = static_cast<uint8_t>(distance_symbol(match.distance));
        held++;
    }
#endif
    return held;
}

INK_INLINE void count_matches(const Match *matches, size_t count, Frequencies &frequencies) {
    uint8_t length_bytes[batch_tokens + 16], distance_bytes[batch_tokens + 16];
    uint32_t lengths[4][256] = {}, distances[4][256] = {};
    for (size_t i = 0; i < count; i += batch_tokens) {
        size_t part = count - i < batch_tokens ? count - i : batch_tokens;
        size_t held = split_matches(matches + i, part, length_bytes, distance_bytes, frequencies);
        count_bytes(length_bytes, held, lengths);
        count_bytes(distance_bytes, held, distances);
    }
    for (uint32_t length = 3; length <= match_max; length++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 4; k++) sum += lengths[k][length - 3];
        if (sum != 0) frequencies.symbol[first_length_symbol + length_symbol(length)] += sum;
    }
    for (uint32_t symbol = 0; symbol < distance_count; symbol++) {
        for (uint32_t k = 0; k < 4; k++) frequencies.distance[symbol] += distances[k][symbol];
    }
}

void count_pixels(const PixelTokens &from, const PixelTokens &to, uint32_t pixel, Frequencies &frequencies) {
    const uint32_t *pixels = to.pixels + from.pixel_count;
    size_t pixel_count = to.pixel_count - from.pixel_count;
    if (pixel == 3) {
        count_pixel_bytes<3>(pixels, pixel_count, frequencies.symbol);
    } else {
        count_pixel_bytes<4>(pixels, pixel_count, frequencies.symbol);
    }
    count_matches(to.matches + from.match_count, to.match_count - from.match_count, frequencies);
}

#if INK_RANK >= 2

/// Lookup table of distance codes. An entry holds the code, its length from bit 16 on, and the number of extra bits
/// from bit 24 on.
struct DistanceTable {
    __m512i low, high;
};

INK_INLINE DistanceTable load_distances(const CodeTables &codes) {
    alignas(64) uint32_t entries[32];
    for (uint32_t symbol = 0; symbol < 32; symbol++) {
        entries[symbol] = codes.distance[symbol] | static_cast<uint32_t>(codes.distance_bits[symbol]) << 16
            | distance_extra_bits(symbol) << 24;
    }
    return {_mm512_load_si512(entries), _mm512_load_si512(entries + 16)};
}

/// Appends eight distance codes to eight length codes.
INK_INLINE __m512i words_behind(__m256i code, __m256i width, __m256i length_entry) {
    __m512i entry = _mm512_cvtepu32_epi64(length_entry);
    __m512i length_width = _mm512_srli_epi64(entry, 24);
    __m512i word = _mm512_or_si512(
        _mm512_and_si512(entry, _mm512_set1_epi64(0xFFFFFF)),
        _mm512_sllv_epi64(_mm512_cvtepu32_epi64(code), length_width));
    __m512i all = _mm512_add_epi64(_mm512_cvtepu32_epi64(width), length_width);
    return _mm512_or_si512(word, _mm512_slli_epi64(all, 56));
}

/// Code tables from which words of tokens are made.
struct TokenCodes {
    const CodeTables &codes;
    LiteralTable literals;
    DistanceTable distances;
};

INK_INLINE TokenCodes load_codes(const CodeTables &codes) {
    return {codes, load_table(codes.literal), load_distances(codes)};
}

/// Makes the words of `count` matches; writes up to 16 more.
void match_words(const TokenCodes &from, const Match *matches, size_t count, uint64_t *words) {
    const CodeTables &codes = from.codes;
    const DistanceTable &table = from.distances;
    alignas(64) uint32_t length_entries[batch_tokens + group_pixels];
    for (size_t i = 0; i < count; i++) length_entries[i] = codes.length[matches[i].length];
    const __m512i one = _mm512_set1_epi32(1);
    for (size_t i = 0; i < count; i += 16) {
        __m512i match = _mm512_loadu_si512(matches + i);
        __m512i distance = _mm512_srli_epi32(match, 16);
        __m512i entry = _mm512_permutex2var_epi32(table.low, distance_symbols(distance), table.high);
        __m512i bits = _mm512_and_si512(_mm512_srli_epi32(entry, 16), _mm512_set1_epi32(0xFF));
        __m512i extra_bits = _mm512_srli_epi32(entry, 24);
        // The extra bits that follow a distance code are the lower bits of the distance minus 1.
        __m512i extra = _mm512_andnot_si512(
            _mm512_sllv_epi32(_mm512_set1_epi32(-1), extra_bits), _mm512_sub_epi32(distance, one));
        __m512i code = _mm512_or_si512(
            _mm512_and_si512(entry, _mm512_set1_epi32(0xFFFF)), _mm512_sllv_epi32(extra, bits));
        __m512i width = _mm512_add_epi32(bits, extra_bits);
        __m512i lengths = _mm512_load_si512(length_entries + i);
        _mm512_storeu_si512(
            words + i,
            words_behind(
                _mm512_castsi512_si256(code), _mm512_castsi512_si256(width), _mm512_castsi512_si256(lengths)));
        _mm512_storeu_si512(
            words + i + 8,
            words_behind(
                _mm512_extracti64x4_epi64(code, 1), _mm512_extracti64x4_epi64(width, 1),
                _mm512_extracti64x4_epi64(lengths, 1)));
        uint32_t alone = _mm512_testn_epi32_mask(match, _mm512_set1_epi32(0xFFFF));
        for (; alone != 0; alone &= alone - 1) {
            size_t k = i + static_cast<size_t>(__builtin_ctz(alone));
            if (k < count) words[k] = match_word(codes, 0, matches[k].distance);
        }
    }
}

/// Makes the words of `count` pixels; writes up to 8 more.
void pixel_words(const TokenCodes &from, const uint32_t *pixels, size_t count, uint32_t pixel, uint64_t *words) {
    __mmask32 used = pixel == 3 ? 0x77777777u : 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i += 8) {
        __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(pixels + i));
        _mm512_storeu_si512(words + i, literal_words(from.literals, part, used));
    }
}

/// Joins eight words in pairs if every pair fits a word. Returns the number of resulting words; always writes eight.
INK_INLINE size_t join_words(__m512i words, uint64_t *out) {
    __m512i width = _mm512_srli_epi64(words, 56);
    __m512i code = _mm512_and_si512(words, _mm512_set1_epi64((int64_t(1) << 56) - 1));
    __m512i both = _mm512_add_epi64(width, _mm512_shuffle_epi32(width, _MM_PERM_BADC));
    if (_mm512_cmpgt_epu64_mask(both, _mm512_set1_epi64(56)) != 0) {
        _mm512_storeu_si512(out, words);
        return 8;
    }
    __m512i joined = _mm512_or_si512(code, _mm512_sllv_epi64(_mm512_shuffle_epi32(code, _MM_PERM_BADC), width));
    joined = _mm512_or_si512(joined, _mm512_slli_epi64(both, 56));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(0x55, joined));
    return 4;
}

/// Makes the words of tokens in their order. Returns their number.
size_t token_words(
    const uint8_t *kinds, size_t count, const uint64_t *pixels, const uint64_t *matches, uint64_t *words) {
    uint64_t *next = words;
    for (size_t i = 0; i < count; i += 8) {
        uint32_t used = count - i < 8 ? (1u << (count - i)) - 1 : 0xFF;
        uint32_t is_match = static_cast<uint32_t>(_pext_u64(load64(kinds + i), 0x0101010101010101)) & used;
        uint32_t is_pixel = used & ~is_match;
        __m512i some = _mm512_maskz_expand_epi64(static_cast<__mmask8>(is_match), _mm512_loadu_si512(matches));
        some = _mm512_mask_expand_epi64(some, static_cast<__mmask8>(is_pixel), _mm512_loadu_si512(pixels));
        matches += __builtin_popcount(is_match);
        pixels += __builtin_popcount(is_pixel);
        next += join_words(some, next);
    }
    return static_cast<size_t>(next - words);
}

#else

struct TokenCodes {
    const CodeTables &codes;
};

INK_INLINE TokenCodes load_codes(const CodeTables &codes) { return {codes}; }

void match_words(const TokenCodes &from, const Match *matches, size_t count, uint64_t *words) {
    for (size_t i = 0; i < count; i++) words[i] = match_word(from.codes, matches[i].length, matches[i].distance);
}

void pixel_words(const TokenCodes &from, const uint32_t *pixels, size_t count, uint32_t pixel, uint64_t *words) {
    for (size_t i = 0; i < count; i++)
        words[i] = literal_word(from.codes.literal, reinterpret_cast<const uint8_t *>(pixels + i), pixel);
}

size_t token_words(
    const uint8_t *kinds, size_t count, const uint64_t *pixels, const uint64_t *matches, uint64_t *words) {
    size_t match = 0;
    for (size_t i = 0; i < count; i++) {
        size_t is_match = kinds[i];
        words[i] = is_match ? matches[match] : pixels[i - match];
        match += is_match;
    }
    return count;
}

#endif

void write_pixels(const CodeTables &codes, const PixelTokens &tokens, uint32_t pixel, BitWriter &out) {
    BitWriter writer = out;
    const TokenCodes from = load_codes(codes);
    const uint32_t *pixels = tokens.pixels;
    const Match *matches = tokens.matches;
    uint64_t of_pixels[batch_tokens + 16], of_matches[batch_tokens + 16], words[batch_tokens + 16];
    size_t count = tokens.pixel_count + tokens.match_count;
    for (size_t start = 0; start < count; start += batch_tokens) {
        const uint8_t *kinds = tokens.kinds + start;
        size_t part = count - start < batch_tokens ? count - start : batch_tokens;
        size_t match_count = 0;
        for (size_t i = 0; i < part; i++) match_count += kinds[i];
        pixel_words(from, pixels, part - match_count, pixel, of_pixels);
        match_words(from, matches, match_count, of_matches);
        pixels += part - match_count;
        matches += match_count;
        size_t word_count = token_words(kinds, part, of_pixels, of_matches, words);
        for (size_t i = 0; i < word_count; i++) put_word(writer, words[i]);
    }
    writer.put(codes.end, codes.end_bits);
    out = writer;
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
