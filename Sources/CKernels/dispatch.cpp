// Selects the kernels for a level.
#include "ink_filters.h"
#include "ink_path.h"
#include "ink_raster.h"
#include "ink_resample.h"
#include "ink_text.h"

#if defined(__x86_64__)
#define INK_DISPATCH(name)                                                        \
    extern "C" const struct name name##_scalar, name##_v3, name##_v4;             \
    const struct name *name##_kernels(enum ink_level level) {                     \
        return level == INK_LEVEL_V4 ? &name##_v4 : level == INK_LEVEL_V3 ? &name##_v3 : &name##_scalar; \
    }
#else
#define INK_DISPATCH(name)                                                        \
    extern "C" const struct name name##_scalar;                                   \
    const struct name *name##_kernels(enum ink_level) { return &name##_scalar; }
#endif

INK_DISPATCH(ink_blend)
INK_DISPATCH(ink_filters)
INK_DISPATCH(ink_path)
INK_DISPATCH(ink_raster)
INK_DISPATCH(ink_resample)
INK_DISPATCH(ink_text)
