// The compressor's driver, from rows to blocks. Its loops are in deflate_kernels.hpp.
#include "ink_deflate.h"

#include <stdlib.h>

#include "deflate_cheapest.hpp"
#include "deflate_codes.hpp"

using namespace ink_deflate;

namespace ink_deflate {

const Kernels &kernels(ink_level level);

namespace {

enum : size_t {
    /// Rows are processed in segments of about this many bytes; a block consists of whole segments.
    segment_bytes = 64 << 10,
    /// The same for a search that finds little but literals.
    run_segment_bytes = 256 << 10,
    /// Bits that a split must save before one block becomes two.
    header_bits = 640,
};

/// Growing memory for `count` values; the old contents are lost.
template <typename Value>
bool reserve(Value *&values, size_t &capacity, size_t count) {
    if (count <= capacity) return true;
    free(values);
    values = static_cast<Value *>(calloc(count, sizeof(Value)));
    capacity = values == nullptr ? 0 : count;
    return values != nullptr;
}

/// The same; the first `kept` values are preserved.
template <typename Value>
bool grow(Value *&values, size_t &capacity, size_t count, size_t kept) {
    if (count <= capacity) return true;
    Value *larger = static_cast<Value *>(calloc(count, sizeof(Value)));
    if (larger == nullptr) return false;
    if (values != nullptr) memcpy(larger, values, kept * sizeof(Value));
    free(values);
    values = larger;
    capacity = count;
    return true;
}

}  // namespace
}  // namespace ink_deflate

struct ink_deflater {
    const Kernels *kernels;
    ink_deflate_search search;
    uint32_t row_bytes, pixel;
    uint32_t coarseness;
    bool knows_costs;
    /// Where the band's bytes in the window begin: `history` at first, and 0 once they fill everything within reach.
    uint32_t first;
    BitWriter writer;
    Costs costs;
    Costs estimated[4];

    /// `history` bytes that came before, followed by the current rows.
    uint8_t *window;
    size_t window_capacity;
    /// The tokens of the current rows; which of these is used depends on the search.
    Sequence *sequences;
    size_t sequence_capacity;
    PixelTokens tokens;
    size_t pixel_capacity, match_capacity, kind_capacity;
    PixelTables tables;
    Chains chains;
    size_t chain_capacity;
    Step *steps;
    size_t step_capacity;
};

namespace ink_deflate {
namespace {

/// A part of the rows that is a candidate for a block.
struct Part {
    size_t sequence_begin, sequence_end;
    PixelTokens from, to;
    /// Where it begins in the window.
    uint32_t begin;
    Frequencies frequencies;
    uint64_t bits;
};

void add(Frequencies &sum, const Frequencies &other) {
    for (uint32_t i = 0; i < symbol_count; i++) sum.symbol[i] += other.symbol[i];
    for (uint32_t i = 0; i < distance_count; i++) sum.distance[i] += other.distance[i];
}

/// The cheapest tokens depend on the costs, and the costs on the tokens: a first pass provides costs for the second.
size_t find_cheapest(ink_deflater &d, uint32_t begin, uint32_t end, Sequence *sequences) {
    enum { rounds = 2 };
    enter(d.window, begin, end, d.chains);
    size_t count = 0;
    for (int round = 0; round < rounds; round++) {
        count = find_cheapest(d.costs, d.window, begin, end, d.chains, d.steps, sequences);
        if (round + 1 == rounds) break;
        Frequencies frequencies = {};
        d.kernels->count_sequences(d.window + begin, sequences, count, 0, frequencies);
        make_costs(frequencies, d.costs);
    }
    return count;
}

/// Whether the search looks only for runs of one byte.
bool is_of_runs(ink_deflate_search search) { return search == INK_SEARCH_RUNS || search == INK_SEARCH_LONG_RUNS; }

/// Sequences of the bytes from `begin` to `end` of the window.
size_t find_sequences(ink_deflater &d, uint32_t begin, uint32_t end, Sequence *sequences) {
    switch (d.search) {
    case INK_SEARCH_RUNS:
        return d.kernels->find_runs(d.costs, d.window, begin, end, begin == d.first, sequences);
    case INK_SEARCH_LONG_RUNS: return d.kernels->find_long_runs(d.window, begin, end, begin == d.first, sequences);
    default: return find_cheapest(d, begin, end, sequences);
    }
}

/// Finds and counts the tokens of the bytes from `begin` to `end` of the window. `part` ends at `begin`.
void search(ink_deflater &d, uint32_t begin, uint32_t end, Part &part) {
    memset(&part.frequencies, 0, sizeof part.frequencies);
    part.begin = begin;
    if (d.search == INK_SEARCH_PIXELS) {
        d.kernels->find_pixels(
            d.costs, d.window, d.first, begin, end, d.row_bytes, d.pixel, d.tables, d.tokens);
        part.from = part.to;
        part.to = d.tokens;
        d.kernels->count_pixels(part.from, part.to, d.pixel, part.frequencies);
    } else {
        part.sequence_begin = part.sequence_end;
        Sequence *sequences = d.sequences + part.sequence_begin;
        size_t count = find_sequences(d, begin, end, sequences);
        part.sequence_end = part.sequence_begin + count;
        d.kernels->count_sequences(d.window + begin, sequences, count, d.coarseness, part.frequencies);
    }
    part.frequencies.symbol[end_of_block] = 1;
    part.bits = ideal_cost(part.frequencies);
}

/// A part that contains nothing yet.
Part empty_part(ink_deflater &d, uint32_t begin) {
    d.tokens.pixel_count = 0;
    d.tokens.match_count = 0;
    Part part = {};
    part.begin = begin;
    part.from = d.tokens;
    part.to = d.tokens;
    return part;
}

void guess(ink_deflater &d, uint32_t begin, uint32_t end) {
    Frequencies frequencies = {};
    Sequence all = {end - begin, 0, 0};
    d.kernels->count_sequences(d.window + begin, &all, 1, 2, frequencies);
    guess_costs(frequencies.symbol, d.costs);
    d.knows_costs = true;
}

void write_block(ink_deflater &d, Part &part, bool is_last) {
    Codes codes;
    make_codes(part.frequencies, codes);
    CodeTables tables;
    make_tables(codes, tables);
    write_header(codes, is_last, d.writer);
    if (d.search == INK_SEARCH_PIXELS) {
        PixelTokens tokens = {
            part.to.pixels + part.from.pixel_count,
            part.to.matches + part.from.match_count,
            part.to.kinds + part.from.pixel_count + part.from.match_count,
            part.to.pixel_count - part.from.pixel_count,
            part.to.match_count - part.from.match_count,
        };
        d.kernels->write_pixels(tables, tokens, d.pixel, d.writer);
    } else {
        d.kernels->write_sequences(
            tables, d.window + part.begin, d.sequences + part.sequence_begin, part.sequence_end - part.sequence_begin,
            d.writer);
    }
    make_costs(part.frequencies, d.costs);
}

/// Moves the bytes that later rows may refer to in front of the next rows.
void slide(ink_deflater &d, uint32_t byte_count) {
    if (d.search == INK_SEARCH_CHEAPEST) {
        memmove(d.window, d.window + byte_count, history);
        memmove(d.chains.before, d.chains.before + byte_count, history * sizeof *d.chains.before);
        for (uint32_t &entry : d.chains.heads) entry = entry < byte_count ? 0 : entry - byte_count;
        for (uint32_t i = 0; i < history; i++) {
            uint32_t &entry = d.chains.before[i];
            entry = entry < byte_count ? 0 : entry - byte_count;
        }
    } else if (d.search == INK_SEARCH_PIXELS) {
        memmove(d.window, d.window + byte_count, history);
        for (uint32_t &entry : d.tables.pair) entry = entry < byte_count ? 0 : entry - byte_count;
        for (uint32_t &entry : d.tables.pixel) entry = entry < byte_count ? 0 : entry - byte_count;
    } else {
        d.window[history - 1] = d.window[history - 1 + byte_count];
    }
    d.first = d.first < byte_count ? 0 : d.first - byte_count;
}

}  // namespace
}  // namespace ink_deflate

ink_deflater *ink_deflater_create(ink_level level) {
    ink_deflater *d = static_cast<ink_deflater *>(calloc(1, sizeof(ink_deflater)));
    if (d != nullptr) d->kernels = &kernels(level);
    return d;
}

void ink_deflater_destroy(ink_deflater *d) {
    if (d == nullptr) return;
    free(d->window);
    free(d->sequences);
    free(d->tokens.pixels);
    free(d->tokens.matches);
    free(d->tokens.kinds);
    free(d->chains.before);
    free(d->steps);
    free(d);
}

void ink_deflater_begin(
    ink_deflater *d, ink_deflate_search search, size_t row_bytes, size_t pixel, uint32_t coarseness, int estimate) {
    d->search = search;
    d->row_bytes = static_cast<uint32_t>(row_bytes);
    d->pixel = static_cast<uint32_t>(pixel);
    d->coarseness = coarseness;
    d->knows_costs = estimate >= 0;
    if (estimate >= 0) d->costs = d->estimated[estimate];
    d->first = history;
    d->writer = {};
    if (search == INK_SEARCH_PIXELS) memset(&d->tables, 0, sizeof d->tables);
    if (search == INK_SEARCH_CHEAPEST) memset(d->chains.heads, 0, sizeof d->chains.heads);
}

uint8_t *ink_deflater_room(ink_deflater *d, size_t rows) {
    size_t bytes = rows * d->row_bytes;
    // When the window grows, bytes found in earlier rows must survive.
    size_t needed = history + bytes + slack;
    if (!grow(d->window, d->window_capacity, needed, history)) return nullptr;
    bool has_room;
    if (d->search == INK_SEARCH_PIXELS) {
        // Each row is up to three bytes and pixels; vectors read a few bytes further.
        size_t tokens = bytes / d->pixel + 4 * rows + 16;
        has_room = reserve(d->tokens.pixels, d->pixel_capacity, tokens)
            && reserve(d->tokens.matches, d->match_capacity, tokens)
            && reserve(d->tokens.kinds, d->kind_capacity, tokens);
    } else {
        has_room = reserve(d->sequences, d->sequence_capacity, bytes / 3 + bytes / segment_bytes + rows + 16);
    }
    if (d->search == INK_SEARCH_CHEAPEST) {
        has_room = has_room && reserve(d->steps, d->step_capacity, bytes + 1)
            && grow(d->chains.before, d->chain_capacity, needed, history);
    }
    return has_room ? d->window + history : nullptr;
}

uint64_t ink_deflater_estimate(ink_deflater *d, size_t rows, int estimate) {
    uint32_t begin = history;
    uint32_t end = begin + static_cast<uint32_t>(rows * d->row_bytes);
    memset(d->window + end, 0, slack);
    guess(*d, begin, end);
    // A few rows are counted quickly.
    d->coarseness = 0;
    Part part = empty_part(*d, begin);
    search(*d, begin, end, part);
    make_costs(part.frequencies, d->costs);
    d->estimated[estimate] = d->costs;
    return part.bits;
}

size_t ink_deflater_bound(const ink_deflater *d, size_t rows) {
    // 12 bits per literal; at most twice that per byte for matches that cost more than estimated.
    size_t bytes = rows * d->row_bytes;
    return 3 * bytes + (bytes / segment_bytes + rows + 2) * header_bytes_max + 64;
}

size_t ink_deflater_write(ink_deflater *d, size_t rows, ink_deflate_end what_follows, uint8_t *out) {
    d->writer.out = out;
    uint32_t row_bytes = d->row_bytes;
    uint32_t end = history + static_cast<uint32_t>(rows * row_bytes);
    uint32_t segment = is_of_runs(d->search) ? run_segment_bytes : segment_bytes;
    segment = row_bytes > segment ? row_bytes : segment / row_bytes * row_bytes;
    memset(d->window + end, 0, slack);
    if (!d->knows_costs) guess(*d, history, end - history < segment ? end : history + segment);

    Part block = empty_part(*d, history);
    Part part = block;
    for (uint32_t begin = history; begin < end;) {
        uint32_t part_end = end - begin < segment + segment / 2 ? end : begin + segment;
        search(*d, begin, part_end, part);
        if (begin == history) {
            block = part;
        } else {
            Frequencies both = block.frequencies;
            add(both, part.frequencies);
            uint64_t bits = ideal_cost(both);
            if (bits > block.bits + part.bits + header_bits) {
                write_block(*d, block, false);
                block = part;
            } else {
                block.sequence_end = part.sequence_end;
                block.to = part.to;
                block.frequencies = both;
                block.bits = bits;
            }
        }
        begin = part_end;
        if (!is_of_runs(d->search) && begin < end) make_costs(block.frequencies, d->costs);
    }
    write_block(*d, block, what_follows == INK_END_LAST);
    slide(*d, end - history);

    if (what_follows == INK_END_FLUSH) {
        // An empty stored block.
        d->writer.put(0, 3);
        d->writer.put(0, (8 - d->writer.count) & 7);
        d->writer.put(0xFFFF0000u, 32);
    } else if (what_follows == INK_END_LAST) {
        d->writer.put(0, (8 - d->writer.count) & 7);
    }
    return static_cast<size_t>(d->writer.out - out);
}
