// The kernels for every processor of the architecture.
#include "kernels.hpp"

#define INK_LEVEL scalar
#define INK_RANK 0
#include "bodies.hpp"

