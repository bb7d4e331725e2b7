// Text to bytes, for each level of processor. All levels give the same.
#ifndef INK_TEXT_H
#define INK_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ink_text {
    /// Decodes base64 (RFC 4648, section 4) from the start of `text`, in whole groups of four, as far as it has no other
    /// characters than the 64. Returns how many characters were read; three bytes are written every four of them, and
    /// nothing behind these.
    size_t (*decode_base64)(const uint8_t *text, size_t count, uint8_t *bytes);
};

/// The functions of a level, which this processor has to run.
const struct ink_text *ink_text_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
