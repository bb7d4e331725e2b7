// The functions of ink_text.h.
#pragma once

#include "ink_text.h"

#include "level.hpp"

namespace INK_LEVEL::text {
namespace {

typedef uint8_t bytes32 __attribute__((ext_vector_type(32)));
typedef uint8_t bytes16 __attribute__((ext_vector_type(16)));
typedef uint8_t bytes8 __attribute__((ext_vector_type(8)));
typedef int8_t mask32 __attribute__((ext_vector_type(32)));
typedef uint64_t longs4 __attribute__((ext_vector_type(4)));
typedef uint32_t words8 __attribute__((ext_vector_type(8)));

size_t decode_base64(const uint8_t *text, size_t count, uint8_t *bytes) {
    size_t read = 0;
    for (; count - read >= 32; read += 32, bytes += 24) {
        bytes32 c;
        memcpy(&c, text + read, 32);
        mask32 upper = (mask32)(c >= 'A' & c <= 'Z'), lower = (mask32)(c >= 'a' & c <= 'z');
        mask32 digit = (mask32)(c >= '0' & c <= '9'), plus = (mask32)(c == '+'), slash = (mask32)(c == '/');
        longs4 bad = (longs4)~(upper | lower | digit | plus | slash);
        if ((bad.x | bad.y | bad.z | bad.w) != 0) break;
        // Maps character codes to values.
        bytes32 shift = ((bytes32)upper & (uint8_t)(0 - 'A')) | ((bytes32)lower & (uint8_t)(26 - 'a')) |
                        ((bytes32)digit & (uint8_t)(52 - '0')) | ((bytes32)plus & (uint8_t)(62 - '+')) |
                        ((bytes32)slash & (uint8_t)(63 - '/'));
        words8 w = (words8)(c + shift);
        w = (w & 63) << 18 | (w >> 8 & 63) << 12 | (w >> 16 & 63) << 6 | w >> 24;
        bytes32 b = (bytes32)w;
        bytes16 first = __builtin_shufflevector(b, b, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 18, 17, 16, 22);
        bytes8 last = __builtin_shufflevector(b, b, 21, 20, 26, 25, 24, 30, 29, 28);
        memcpy(bytes, &first, 16);
        memcpy(bytes + 16, &last, 8);
    }
    return read;
}

}  // namespace
}  // namespace INK_LEVEL::text

extern "C" const ink_text INK_TABLE(ink_text_) = {.decode_base64 = INK_LEVEL::text::decode_base64};
