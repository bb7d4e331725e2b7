// The kernels for x86-64-v4.
#include "kernels.hpp"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#define INK_LEVEL v4
#define INK_RANK 2
#include "bodies.hpp"
#pragma clang attribute pop
#endif
