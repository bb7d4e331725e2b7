// The smoothing of strokes, for each level of processor. All levels give the same.
#ifndef INK_PATH_H
#define INK_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "ink_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Samples that the smoothing puts between two points, the first of which is included.
#define INK_PATH_SUBDIVISIONS 10

struct ink_path {
    /// Uniform Catmull-Rom through `count` points, at least 1, of four values each: x, y, and two that go straight from one
    /// point to the next. The neighbours of the ends are the ends mirrored.
    ///
    /// Writes INK_PATH_SUBDIVISIONS (count - 1) + 1 samples of four values, and as many lengths: the way along the
    /// samples to each. Returns whether no two samples that follow each other are at one place.
    bool (*smooth)(const double *points, size_t count, double *samples, double *lengths);
};

/// The functions of a level, which this processor has to run.
const struct ink_path *ink_path_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
