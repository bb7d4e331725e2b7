// Huffman codes and the header of a block.
#ifndef INK_DEFLATE_CODES_HPP
#define INK_DEFLATE_CODES_HPP

#include "deflate_types.hpp"

namespace ink_deflate {

/// Makes the codes of a block with these frequencies; adds the end-of-block symbol.
void make_codes(Frequencies &frequencies, Codes &codes);

/// Writes the header of a block with these codes.
void write_header(const Codes &codes, bool is_last, BitWriter &writer);

/// Maximum size of a header in bytes.
enum : size_t { header_bytes_max = 320 };

void make_tables(const Codes &codes, CodeTables &tables);

/// Costs of symbols with these frequencies; symbols that do not occur cost as much as rare ones.
void make_costs(const Frequencies &frequencies, Costs &costs);

/// Costs of literals with these frequencies, and typical costs of matches.
void guess_costs(const uint32_t *literals, Costs &costs);

/// Number of bits for the symbols under an ideal code, including extra bits.
uint64_t ideal_cost(const Frequencies &frequencies);

}  // namespace ink_deflate

#endif
