#include "ink_resample.h"

extern "C" {
extern const struct ink_resample ink_resample_scalar;
#if defined(__x86_64__)
extern const struct ink_resample ink_resample_v3;
extern const struct ink_resample ink_resample_v4;
#endif
}

const struct ink_resample *ink_resample_kernels(enum ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return &ink_resample_v4;
    if (level == INK_LEVEL_V3) return &ink_resample_v3;
#endif
    return &ink_resample_scalar;
}
