// All kernels, compiled for the level of the file that includes this one.
#include "level.hpp"

#include "blend.hpp"
#include "deflate_kernels.hpp"
#include "filters.hpp"
#include "path.hpp"
#include "raster_table.hpp"
#include "resample.hpp"
#include "text.hpp"
