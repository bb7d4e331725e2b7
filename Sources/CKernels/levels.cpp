#include "ink_kernels.h"

enum ink_level ink_level_best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4")) return INK_LEVEL_V4;
    if (__builtin_cpu_supports("x86-64-v3")) return INK_LEVEL_V3;
#endif
    return INK_LEVEL_SCALAR;
}
