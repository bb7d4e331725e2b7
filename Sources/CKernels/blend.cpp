#include "ink_blend.h"

extern "C" {
extern const struct ink_blend ink_blend_scalar;
#if defined(__x86_64__)
extern const struct ink_blend ink_blend_v3;
extern const struct ink_blend ink_blend_v4;
#endif
}

const struct ink_blend *ink_blend_kernels(enum ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return &ink_blend_v4;
    if (level == INK_LEVEL_V3) return &ink_blend_v3;
#endif
    return &ink_blend_scalar;
}
