// All kernels, for the level whose file includes this: INK_LEVEL is the level's name, by which everything in here is
// kept apart from the other levels'.
#define INK_JOIN_(a, b) a##b
#define INK_JOIN(a, b) INK_JOIN_(a, b)
/// The name of a level's table of kernels, such as ink_raster_v3.
#define INK_TABLE(name) INK_JOIN(name, INK_LEVEL)

// Vectors never cross a function that is not inlined, so how they would be passed does not matter.
#pragma clang diagnostic ignored "-Wpsabi"
#pragma STDC FP_CONTRACT OFF
#pragma clang fp contract(off)

#include "lanes.hpp"
#include "raster.hpp"
#include "stamps.hpp"
#include "bars.hpp"
#include "lines.hpp"
#include "waves.hpp"
#include "covered.hpp"
#include "paint.hpp"
#include "outline.hpp"
#include "edges.hpp"
#include "polygons.hpp"
#include "contour.hpp"
#include "parts.hpp"
#include "discs.hpp"
#include "raster_table.hpp"
#include "text.hpp"
#include "path.hpp"
#include "blend.hpp"
#include "resample.hpp"
#include "unfilter.hpp"
#include "filters.hpp"
#include "deflate_kernels.hpp"
