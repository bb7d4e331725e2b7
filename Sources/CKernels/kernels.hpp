// What the kernels of every level include, before anything of theirs is compiled for its processors.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "deflate_types.hpp"
#include "ink_filters.h"
#include "ink_kernels.h"
