// Decoding of text to bytes, for each processor level. All levels give the same result.
#ifndef INK_TEXT_H
#define INK_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ink_text {
    /// Decodes base64 (RFC 4648, section 4) from the start of `text`, in whole groups of four, up to the first
    /// character outside the alphabet. Returns the number of characters read. Writes three bytes for every four
    /// characters, and nothing beyond these.
    size_t (*decode_base64)(const uint8_t *text, size_t count, uint8_t *bytes);
};

/// The functions of a level that this processor supports.
const struct ink_text *ink_text_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
