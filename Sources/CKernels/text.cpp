#include "ink_text.h"

extern "C" {
extern const struct ink_text ink_text_scalar;
#if defined(__x86_64__)
extern const struct ink_text ink_text_v3;
extern const struct ink_text ink_text_v4;
#endif
}

const struct ink_text *ink_text_kernels(enum ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return &ink_text_v4;
    if (level == INK_LEVEL_V3) return &ink_text_v3;
#endif
    return &ink_text_scalar;
}
