// What all headers of kernels begin with. They are compiled once for each level of processor: INK_LEVEL is the level's name, the
// namespace in which everything is kept apart from the other levels', and INK_RANK its number.
#pragma once

// Before anything is compiled for the level's processors.
#include "kernels.hpp"

#ifndef INK_LEVEL
// A header by itself is for every processor.
#define INK_LEVEL scalar
#define INK_RANK 0
#endif

#define INK_JOIN_(a, b) a##b
#define INK_JOIN(a, b) INK_JOIN_(a, b)
/// The name of a level's table of kernels, such as ink_raster_v3.
#define INK_TABLE(name) INK_JOIN(name, INK_LEVEL)

#define INK_INLINE static inline __attribute__((always_inline))
/// The same for what belongs to an object.
#define INK_METHOD inline __attribute__((always_inline))

// Vectors never cross a function that is not inlined, so how they would be passed does not matter.
#pragma clang diagnostic ignored "-Wpsabi"
// Tables are filled by the names of their fields, as in C.
#pragma clang diagnostic ignored "-Wc++20-designator"
#pragma STDC FP_CONTRACT OFF
#pragma clang fp contract(off)
