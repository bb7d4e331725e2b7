#include "ink_filters.h"

extern "C" {
extern const struct ink_filters ink_filters_scalar;
#if defined(__x86_64__)
extern const struct ink_filters ink_filters_v3, ink_filters_v4;
#endif
}

const struct ink_filters *ink_filters_kernels(enum ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return &ink_filters_v4;
    if (level == INK_LEVEL_V3) return &ink_filters_v3;
#endif
    (void)level;
    return &ink_filters_scalar;
}
