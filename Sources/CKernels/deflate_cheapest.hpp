// The cheapest sequence of literals and matches for given bytes.
#ifndef INK_DEFLATE_CHEAPEST_HPP
#define INK_DEFLATE_CHEAPEST_HPP

#include "deflate_types.hpp"

namespace ink_deflate {

/// The best way to reach a position: its total cost from the beginning, in bits, and its last step. Length 1 is a
/// literal.
struct Step {
    uint32_t cost;
    uint16_t length, distance;
};

/// The last position of each three bytes, and for each position of the window the one before it with the same bytes.
struct Chains {
    enum : uint32_t { bits = 15 };
    uint32_t heads[1 << bits];
    uint32_t *before;
};

/// Inserts the positions from `begin` to `end`.
void enter(const uint8_t *window, uint32_t begin, uint32_t end, Chains &chains);

/// Finds sequences for the bytes from `begin` to `end`, which must have been entered. `steps` has room for one entry
/// more than there are bytes.
size_t find_cheapest(
    const Costs &costs, const uint8_t *window, uint32_t begin, uint32_t end, const Chains &chains, Step *steps,
    Sequence *out);

}  // namespace ink_deflate

#endif
