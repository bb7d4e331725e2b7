// The kernels for x86-64-v3.
#include "kernels.hpp"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#define INK_LEVEL v3
#define INK_RANK 1
#include "bodies.hpp"
#pragma clang attribute pop
#endif
