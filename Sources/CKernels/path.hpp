// The functions of ink_path.h.
#pragma once

#include "ink_path.h"

#include "lanes.hpp"

namespace INK_LEVEL::path {
namespace {

INK_INLINE void load(const double *from, double4 &value) { memcpy(&value, from, sizeof value); }

bool smooth(const double *points, size_t count, double *samples, double *lengths) {
    double t[INK_PATH_SUBDIVISIONS];
    for (int step = 0; step < INK_PATH_SUBDIVISIONS; step++) t[step] = (double)step / INK_PATH_SUBDIVISIONS;
    double *sample = samples;
    for (size_t i = 0; i + 1 < count; i++) {
        double4 a, b, c, d;
        load(points + 4 * i, b);
        load(points + 4 * i + 4, c);
        if (i > 0) load(points + 4 * i - 4, a); else a = 2 * b - c;
        if (i + 2 < count) load(points + 4 * i + 8, d); else d = 2 * c - b;
        double4 linear = c - a;
        double4 square = 2 * a - 5 * b + 4 * c - d;
        double4 cube = 3 * (b - c) + d - a;
        // The other two values are linear: without quadratic and cubic terms, and without the cubic's factor of one
        // half.
        linear.zw = c.zw - b.zw;
        square.zw = 0;
        cube.zw = 0;
        double4 half = {0.5, 0.5, 1, 1};
        for (int step = 0; step < INK_PATH_SUBDIVISIONS; step++, sample += 4) {
            double4 value = b + half * t[step] * (linear + t[step] * (square + t[step] * cube));
            memcpy(sample, &value, sizeof value);
        }
    }
    memcpy(sample, points + 4 * (count - 1), 4 * sizeof(double));
    double length = 0;
    bool are_distinct = true;
    lengths[0] = 0;
    for (size_t i = 1; i <= INK_PATH_SUBDIVISIONS * (count - 1); i++) {
        double x = samples[4 * i] - samples[4 * i - 4], y = samples[4 * i + 1] - samples[4 * i - 3];
        length += __builtin_sqrt(x * x + y * y);
        lengths[i] = length;
        are_distinct &= x != 0 || y != 0;
    }
    return are_distinct;
}

}  // namespace
}  // namespace INK_LEVEL::path

extern "C" const ink_path INK_TABLE(ink_path_) = {.smooth = INK_LEVEL::path::smooth};
