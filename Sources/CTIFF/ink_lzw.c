#include "ink_lzw.h"

#include <string.h>

enum {
    clear_code = 256,
    end_code = 257,
    first_code = 258,
    bits_min = 9,
    // One below the last code of 12 bits, as libtiff clears the table.
    code_end = 4094,
    slot_bits = 13,
    slot_count = 1 << slot_bits,
};

typedef struct {
    // Of each string: its prefix's code and its last byte, plus 1; 0 where the slot is empty.
    uint32_t keys[slot_count];
    uint16_t codes[slot_count];
    uint32_t next;
    uint32_t width;
    uint64_t bits;
    uint32_t count;
    uint8_t *out;
} lzw;

static void put(lzw *z, uint32_t code) {
    z->bits = z->bits << z->width | code;
    z->count += z->width;
    while (z->count >= 8) {
        z->count -= 8;
        *z->out++ = (uint8_t)(z->bits >> z->count);
    }
}

static void clear(lzw *z) {
    put(z, clear_code);
    memset(z->keys, 0, sizeof z->keys);
    z->next = first_code;
    z->width = bits_min;
}

// Another code has been given away.
static void advance(lzw *z) {
    z->next++;
    if (z->next == code_end) {
        clear(z);
    } else if (z->next == 1u << z->width) {
        z->width++;
    }
}

size_t ink_lzw_bound(size_t count) {
    // A code of 12 bits for each byte, and one in 3,800 clears the table.
    return count / 2 * 3 + count / 1024 + 64;
}

size_t ink_lzw_encode(const uint8_t *bytes, size_t count, uint8_t *out) {
    lzw z = {.width = bits_min, .out = out};
    clear(&z);
    if (count > 0) {
        uint32_t prefix = bytes[0];
        for (size_t i = 1; i < count; i++) {
            uint32_t key = (prefix << 8 | bytes[i]) + 1;
            uint32_t slot = key * 0x9E3779B1u >> (32 - slot_bits);
            while (z.keys[slot] != 0 && z.keys[slot] != key) slot = (slot + 1) % slot_count;
            if (z.keys[slot] == key) {
                prefix = z.codes[slot];
                continue;
            }
            put(&z, prefix);
            z.keys[slot] = key;
            z.codes[slot] = (uint16_t)z.next;
            advance(&z);
            prefix = bytes[i];
        }
        put(&z, prefix);
        advance(&z);
    }
    put(&z, end_code);
    if (z.count > 0) *z.out++ = (uint8_t)(z.bits << (8 - z.count));
    return (size_t)(z.out - out);
}
