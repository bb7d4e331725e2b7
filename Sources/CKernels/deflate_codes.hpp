// Huffman codes of a block, and its header.
#ifndef INK_DEFLATE_CODES_HPP
#define INK_DEFLATE_CODES_HPP

#include "deflate_types.hpp"

namespace ink_deflate {

/// Makes the codes of a block of these symbols; counts its end among them.
void make_codes(Frequencies &frequencies, Codes &codes);

/// Writes the header of a block with these codes.
void write_header(const Codes &codes, bool is_last, BitWriter &writer);

/// The most bytes of a header.
enum : size_t { header_bytes_max = 320 };

void make_tables(const Codes &codes, CodeTables &tables);

/// The costs of symbols of these frequencies; those that do not occur are rare.
void make_costs(const Frequencies &frequencies, Costs &costs);

/// The costs of literals of these frequencies, and of matches in general.
void guess_costs(const uint32_t *literals, Costs &costs);

/// The bits that an ideal code needs for the symbols, and their extra bits.
uint64_t ideal_cost(const Frequencies &frequencies);

}  // namespace ink_deflate

#endif
