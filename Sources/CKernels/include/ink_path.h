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
    /// Uniform Catmull-Rom spline through `count` points, at least 2, of four values each: x, y, and two that are
    /// interpolated linearly. `points` begins with the neighbour before the first point and ends with the one after
    /// the last: two more than `count`. Consecutive ones are at different places.
    ///
    /// Writes INK_PATH_SUBDIVISIONS (count - 1) + 1 samples of four values.
    void (*smooth)(const double *points, size_t count, double *samples);
    /// Likewise, with knots as far apart as the square roots of the distances between the points.
    void (*smooth_centripetally)(const double *points, size_t count, double *samples);
    /// Writes the distance along `count` samples, at least 1, to each. Returns whether all consecutive samples are at
    /// different places.
    bool (*measure)(const double *samples, size_t count, double *lengths);
};

/// The functions of a level that this processor supports.
const struct ink_path *ink_path_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
