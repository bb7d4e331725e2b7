// Runs of one byte among literals.
#pragma once

#include "literals.hpp"

namespace ink_deflate::INK_LEVEL {
namespace {

/// For each byte, the shortest run that costs less as a match than as literals.
void worthwhile_runs(const Costs &costs, uint8_t *lengths) {
    uint32_t run = costs.length[4] + costs.distance[0];
    for (uint32_t i = 0; i < literal_count; i++) {
        uint32_t literal = costs.literal[i];
        uint32_t length = run / literal + 1;
        lengths[i] = static_cast<uint8_t>(length < 4 ? 4 : length > 30 ? 30 : length);
    }
}

/// Appends a run after literals, in as many matches as needed.
INK_INLINE Sequence *add_run(Sequence *next, uint32_t literals, uint32_t length) {
    for (uint32_t left = length; left > 0;) {
        // The rest must not be shorter than the shortest match.
        uint32_t part = left <= match_max ? left : left < match_max + 3 ? left - 3 : match_max;
        *next++ = {literals, static_cast<uint16_t>(part), 1};
        literals = 0;
        left -= part;
    }
    return next;
}

size_t find_runs(const Costs &costs, const uint8_t *window, uint32_t begin, uint32_t end, bool is_first, Sequence *out) {
    uint8_t least[literal_count];
    worthwhile_runs(costs, least);
    Sequence *next = out;
    uint32_t anchor = begin;
    uint32_t at = begin + (is_first ? 1 : 0);
    // Comparing 64 bytes shows, for the first 61, whether four in a row equal their predecessors.
    while (at < end) {
        uint64_t equal = equal64(window + at, window + at - 1);
        uint64_t starts = equal & equal >> 1;
        starts &= starts >> 2;
        starts &= (uint64_t(1) << 61) - 1;
        if (starts == 0) {
            at += 61;
            continue;
        }
        at += static_cast<uint32_t>(__builtin_ctzll(starts));
        if (at >= end) break;
        uint32_t length = equal_prefix(window + at - 1, window + at, window + end);
        if (length >= least[window[at]]) {
            next = add_run(next, at - anchor, length);
            anchor = at + length;
        }
        at += length;
    }
    *next++ = {end - anchor, 0, 0};
    return static_cast<size_t>(next - out);
}

size_t find_long_runs(const uint8_t *window, uint32_t begin, uint32_t end, bool is_first, Sequence *out) {
    enum : uint32_t { half = 32 };
    Sequence *next = out;
    uint32_t anchor = begin;
    uint32_t at = begin + (is_first ? 1 : 0);
    while (at < end) {
        uint64_t equal = equal64(window + at, window + at - 1);
        bool is_first_half = static_cast<uint32_t>(equal) == ~uint32_t(0);
        if (!is_first_half && equal >> half != ~uint32_t(0)) {
            at += 2 * half;
            continue;
        }
        // Equal bytes before the second half belong to the run.
        at += is_first_half ? 0 : half - static_cast<uint32_t>(__builtin_clz(~static_cast<uint32_t>(equal)));
        if (at + half > end) break;
        uint32_t length = equal_prefix(window + at - 1, window + at, window + end);
        next = add_run(next, at - anchor, length);
        at += length;
        anchor = at;
    }
    *next++ = {end - anchor, 0, 0};
    return static_cast<size_t>(next - out);
}

void count_sequences(
    const uint8_t *bytes, const Sequence *sequences, size_t count, uint32_t coarseness, Frequencies &frequencies) {
    // Four tables, so that increments for equal neighbours do not wait for each other.
    uint32_t tables[4][literal_count] = {};
    bool is_complete = true;
    for (size_t s = 0; s < count; s++) {
        uint32_t literals = sequences[s].literals;
        uint32_t i = 0;
        if (coarseness != 0 && literals >= 128) {
            // In each 128 literals, a sample stands for all.
            is_complete = false;
            for (; i + 128 <= literals; i += 128) {
                for (uint32_t k = 0; k < 128u >> coarseness; k += 8) {
                    uint64_t eight = load64(bytes + i + k);
                    for (uint32_t b = 0; b < 8; b++) tables[b & 3][eight >> (8 * b) & 0xFF] += 1u << coarseness;
                }
            }
        }
        for (; i + 8 <= literals; i += 8) {
            uint64_t eight = load64(bytes + i);
            for (uint32_t b = 0; b < 8; b++) tables[b & 3][eight >> (8 * b) & 0xFF]++;
        }
        for (; i < literals; i++) tables[0][bytes[i]]++;
        bytes += literals + sequences[s].length;
        if (sequences[s].length != 0) {
            frequencies.symbol[first_length_symbol + length_symbol(sequences[s].length)]++;
            frequencies.distance[distance_symbol(sequences[s].distance)]++;
        }
    }
    for (uint32_t i = 0; i < literal_count; i++)
        frequencies.symbol[i] += tables[0][i] + tables[1][i] + tables[2][i] + tables[3][i] + (is_complete ? 0 : 1);
}

void write_sequences(
    const CodeTables &codes, const uint8_t *bytes, const Sequence *sequences, size_t count, BitWriter &out) {
    BitWriter writer = out;
    LiteralTable table = load_table(codes.literal);
    for (size_t s = 0; s < count; s++) {
        put_literals(writer, table, bytes, sequences[s].literals);
        bytes += sequences[s].literals + sequences[s].length;
        if (sequences[s].length != 0) put_match(writer, codes, sequences[s].length, sequences[s].distance);
    }
    writer.put(codes.end, codes.end_bits);
    out = writer;
}

}  // namespace
}  // namespace ink_deflate::INK_LEVEL
