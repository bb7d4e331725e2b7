// All kernels, for the level whose file includes this.
#include "level.hpp"

#include "blend.hpp"
#include "deflate_kernels.hpp"
#include "filters.hpp"
#include "path.hpp"
#include "raster_table.hpp"
#include "resample.hpp"
#include "text.hpp"
