// The kernels for x86-64-v4.
#include "ink_raster.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#define INK_LEVEL v4
#include "bodies.hpp"
#pragma clang attribute pop
#endif
