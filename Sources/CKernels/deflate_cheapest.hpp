// The cheapest way to put bytes together of literals and matches.
#ifndef INK_DEFLATE_CHEAPEST_HPP
#define INK_DEFLATE_CHEAPEST_HPP

#include "deflate_types.hpp"

namespace ink_deflate {

/// The best way to a place: what it costs from the beginning, in bits, and the last step of it; a length of 1 is a
/// literal.
struct Step {
    uint32_t cost;
    uint16_t length, distance;
};

/// Where three bytes were last seen, and for every place of the window where its bytes were seen before that.
struct Chains {
    enum : uint32_t { bits = 15 };
    uint32_t heads[1 << bits];
    uint32_t *before;
};

/// Enters the places from `begin` to `end`.
void enter(const uint8_t *window, uint32_t begin, uint32_t end, Chains &chains);

/// Sequences of the bytes from `begin` to `end`, which have been entered; `steps` has room for one more than these.
size_t find_cheapest(
    const Costs &costs, const uint8_t *window, uint32_t begin, uint32_t end, const Chains &chains, Step *steps,
    Sequence *out);

}  // namespace ink_deflate

#endif
