// Smoothing of strokes, for each processor level. All levels give the same result.
#ifndef INK_PATH_H
#define INK_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Samples from each point up to the next one, including the former.
#define INK_PATH_SUBDIVISIONS 10

struct ink_path {
    /// Uniform Catmull-Rom spline through `count` points, at least 1, of four values each: x, y, and two that are
    /// interpolated linearly. Beyond each end, the neighbour is mirrored at the end.
    ///
    /// Writes INK_PATH_SUBDIVISIONS (count - 1) + 1 samples of four values, and as many lengths: the distance along the
    /// samples to each. Returns whether all consecutive samples are at different places.
    bool (*smooth)(const double *points, size_t count, double *samples, double *lengths);
};

/// The functions of a level that this processor supports.
const struct ink_path *ink_path_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
