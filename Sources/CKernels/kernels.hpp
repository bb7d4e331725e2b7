// Includes that the kernels' headers share.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "deflate_types.hpp"
#include "ink_blend.h"
#include "ink_filters.h"
#include "ink_path.h"
#include "ink_raster.h"
#include "ink_resample.h"
#include "ink_text.h"
