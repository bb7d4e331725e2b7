#include "deflate_cheapest.hpp"

namespace ink_deflate {

namespace {

enum : uint32_t {
    /// Number of earlier positions that are tried.
    depth_max = 16,
    /// A match of this length is taken without looking for matches that begin inside it.
    long_enough = 96,
};

uint32_t three_bytes(const uint8_t *bytes) { return bytes[0] | bytes[1] << 8 | static_cast<uint32_t>(bytes[2]) << 16; }

uint32_t match_length(const uint8_t *a, const uint8_t *b, uint32_t most) {
    uint32_t length = 0;
    while (length + 8 <= most) {
        uint64_t x, y;
        memcpy(&x, a + length, 8);
        memcpy(&y, b + length, 8);
        if (x != y) return length + static_cast<uint32_t>(__builtin_ctzll(x ^ y)) / 8;
        length += 8;
    }
    while (length < most && a[length] == b[length]) length++;
    return length;
}

}  // namespace

void enter(const uint8_t *window, uint32_t begin, uint32_t end, Chains &chains) {
    for (uint32_t i = begin; i < end; i++) {
        uint32_t &head = chains.heads[three_bytes(window + i) * 0x9E3779B1u >> (32 - Chains::bits)];
        chains.before[i] = head;
        head = i;
    }
}

size_t find_cheapest(
    const Costs &costs, const uint8_t *window, uint32_t begin, uint32_t end, const Chains &chains, Step *steps,
    Sequence *out) {
    uint32_t count = end - begin;
    for (uint32_t i = 1; i <= count; i++) steps[i].cost = ~0u;
    steps[0].cost = 0;
    uint32_t passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *here = window + begin + i;
        uint32_t so_far = steps[i].cost;
        uint32_t literal = so_far + costs.literal[*here];
        if (literal < steps[i + 1].cost) steps[i + 1] = {literal, 1, 0};
        if (i < passed) continue;
        uint32_t most = count - i < match_max ? count - i : match_max;
        uint32_t longest = 2;
        uint32_t place = chains.before[begin + i];
        for (uint32_t depth = 0; depth < depth_max && longest < most; depth++, place = chains.before[place]) {
            uint32_t distance = begin + i - place;
            if (place == 0 || distance > distance_max) break;
            if (window[place + longest] != here[longest]) continue;
            uint32_t length = match_length(window + place, here, most);
            if (length <= longest) continue;
            uint32_t with_distance = so_far + costs.distance[distance_symbol(distance)];
            // Shorter matches were found as good at nearer positions.
            for (uint32_t l = longest + 1; l <= length; l++) {
                uint32_t cost = with_distance + costs.length[l];
                if (cost < steps[i + l].cost)
                    steps[i + l] = {cost, static_cast<uint16_t>(l), static_cast<uint16_t>(distance)};
            }
            longest = length;
        }
        if (longest >= long_enough) passed = i + longest;
    }
    // Backwards from the end, store each step's start in its cost; then walk forward.
    uint32_t at = count;
    uint32_t next = count;
    while (at > 0) {
        Step step = steps[at];
        steps[at].cost = next;
        next = at;
        at -= step.length;
    }
    Sequence *sequence = out;
    uint32_t literals = 0;
    for (at = next; count > 0; at = steps[at].cost) {
        if (steps[at].length == 1) {
            literals++;
        } else {
            *sequence++ = {literals, steps[at].length, steps[at].distance};
            literals = 0;
        }
        if (at == count) break;
    }
    *sequence++ = {literals, 0, 0};
    return static_cast<size_t>(sequence - out);
}

}  // namespace ink_deflate
