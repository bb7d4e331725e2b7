// The kernels for every processor of the architecture.
#include "ink_raster.h"

#define INK_LEVEL scalar
#include "bodies.hpp"

