// The functions of ink_path.h.
#pragma once

#include "ink_path.h"

#include "lanes.hpp"

namespace INK_LEVEL::path {
namespace {

INK_INLINE void load(const double *from, double4 &value) { memcpy(&value, from, sizeof value); }

/// Writes the samples of a spline: what `evaluate` gives for the four points around each segment.
template <class Evaluate>
INK_INLINE void smooth_by(const double *points, size_t count, double *samples, Evaluate evaluate) {
    double4 around[4];
    for (int index = 0; index < 3; index++) load(points + 4 * index, around[index + 1]);
    for (size_t i = 0; i + 1 < count; i++) {
        for (int index = 0; index < 3; index++) around[index] = around[index + 1];
        load(points + 4 * i + 12, around[3]);
        evaluate(around[0], around[1], around[2], around[3], samples);
        samples += 4 * INK_PATH_SUBDIVISIONS;
    }
    memcpy(samples, points + 4 * count, 4 * sizeof(double));
}

INK_INLINE double place(int step) { return (double)step / INK_PATH_SUBDIVISIONS; }

void smooth(const double *points, size_t count, double *samples) {
    double t[INK_PATH_SUBDIVISIONS];
    for (int step = 0; step < INK_PATH_SUBDIVISIONS; step++) t[step] = place(step);
    smooth_by(points, count, samples, [&](double4 a, double4 b, double4 c, double4 d, double *sample) {
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
    });
}

/// The square root of the distance between different places, above 0 even where squares would underflow.
INK_INLINE double knot_interval(double4 from, double4 to) {
    double4 way = to - from;
    double x = way.x < 0 ? -way.x : way.x, y = way.y < 0 ? -way.y : way.y;
    double larger = x > y ? x : y, share = (x > y ? y : x) / larger;
    return __builtin_sqrt(larger * __builtin_sqrt(1 + share * share));
}

void smooth_centripetally(const double *points, size_t count, double *samples) {
    smooth_by(points, count, samples, [](double4 a, double4 b, double4 c, double4 d, double *sample) {
        double before = knot_interval(a, b), own = knot_interval(b, c), after = knot_interval(c, d);
        for (int step = 0; step < INK_PATH_SUBDIVISIONS; step++, sample += 4) {
            double t = place(step), u = t * own;
            // Barry and Goldman's pyramid. Each mean is a start and a share of the way, which is exact at the points.
            double4 left = b + u / before * (b - a);
            double4 middle = b + t * (c - b);
            double4 right = c + (u - own) / after * (d - c);
            double4 lower = left + (before + u) / (before + own) * (middle - left);
            double4 upper = middle + u / (own + after) * (right - middle);
            double4 value = lower + t * (upper - lower);
            value.zw = middle.zw;
            memcpy(sample, &value, sizeof value);
        }
    });
}

bool measure(const double *samples, size_t count, double *lengths) {
    double length = 0;
    bool are_distinct = true;
    lengths[0] = 0;
    for (size_t i = 1; i < count; i++) {
        double x = samples[4 * i] - samples[4 * i - 4], y = samples[4 * i + 1] - samples[4 * i - 3];
        length += __builtin_sqrt(x * x + y * y);
        lengths[i] = length;
        are_distinct &= x != 0 || y != 0;
    }
    return are_distinct;
}

}  // namespace
}  // namespace INK_LEVEL::path

extern "C" const ink_path INK_TABLE(ink_path_) = {
    .smooth = INK_LEVEL::path::smooth,
    .smooth_centripetally = INK_LEVEL::path::smooth_centripetally,
    .measure = INK_LEVEL::path::measure,
};
