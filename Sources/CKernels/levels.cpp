#include "ink_raster.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum ink_level ink_level_best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v4")) return INK_LEVEL_V4;
    if (__builtin_cpu_supports("x86-64-v3")) return INK_LEVEL_V3;
#endif
    return INK_LEVEL_SCALAR;
}

uint32_t ink_denormals_off(void) {
#if defined(__x86_64__)
    const uint32_t state = _mm_getcsr();
    // Flush to zero, and denormals are zeros.
    _mm_setcsr(state | 0x8040);
    return state;
#else
    return 0;
#endif
}

void ink_denormals_restore(uint32_t state) {
#if defined(__x86_64__)
    _mm_setcsr(state);
#else
    (void)state;
#endif
}
