// Selects the compressor's loops for a level.
#include "deflate_types.hpp"
#include "ink_kernels.h"

namespace ink_deflate {

extern const Kernels kernels_scalar;
#if defined(__x86_64__)
extern const Kernels kernels_v3, kernels_v4;
#endif

const Kernels &kernels(ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return kernels_v4;
    if (level == INK_LEVEL_V3) return kernels_v3;
#endif
    (void)level;
    return kernels_scalar;
}

}  // namespace ink_deflate
