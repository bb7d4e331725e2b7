#include "ink_raster.h"

extern "C" const ink_raster ink_raster_scalar;
#if defined(__x86_64__)
extern "C" const ink_raster ink_raster_v3, ink_raster_v4;
#endif

const ink_raster *ink_raster_kernels(enum ink_level level) {
#if defined(__x86_64__)
    if (level == INK_LEVEL_V4) return &ink_raster_v4;
    if (level == INK_LEVEL_V3) return &ink_raster_v3;
#endif
    (void)level;
    return &ink_raster_scalar;
}
