// Common beginning of all headers of kernels. They are compiled once for each processor level. INK_LEVEL is the level's
// name and the namespace that separates its code from that of other levels; INK_RANK is its number.
#pragma once

// Must come before anything is compiled for the level's processors.
#include "kernels.hpp"

#ifndef INK_LEVEL
// A header that is compiled alone is for every processor.
#define INK_LEVEL scalar
#define INK_RANK 0
#endif

#define INK_JOIN_(a, b) a##b
#define INK_JOIN(a, b) INK_JOIN_(a, b)
/// The name of a level's table of kernels, such as ink_raster_v3.
#define INK_TABLE(name) INK_JOIN(name, INK_LEVEL)

#define INK_INLINE static inline __attribute__((always_inline))
/// What would be compiled again at each of many calls, and takes much longer than a call.
#define INK_CALLED static __attribute__((noinline))
/// The same for methods.
#define INK_METHOD inline __attribute__((always_inline))

// Vectors never cross a call that is not inlined, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"
// Tables are initialised by field name, as in C.
#pragma clang diagnostic ignored "-Wc++20-designator"
#pragma STDC FP_CONTRACT OFF
#pragma clang fp contract(off)
