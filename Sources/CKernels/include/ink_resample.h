// Scaling of images to the output's size: samples are converted to premultiplied floats, then filtered along rows and
// along columns.
#ifndef INK_RESAMPLE_H
#define INK_RESAMPLE_H

#include "ink_blend.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The weights of a filter along one axis. Output i is the sum, in order, of `weights[k]` times sample `first[i] + k -
/// start[i]`, for k from `start[i]` up to `start[i + 1]`.
struct ink_filter {
    const ptrdiff_t *first, *start;
    const float *weights;
};

/// A picture that is seen turned, and the kernel by which it is read between its pixels.
struct ink_turn {
    /// Pixels of four floats: red, green, blue, alpha. Round the picture its edge goes on for as many rows and columns as the
    /// kernel has taps.
    const float *pixels;
    /// Floats from row to row.
    ptrdiff_t stride;
    /// The place of the first pixel of these.
    ptrdiff_t left, top;
    /// Places beyond which nothing but the edge is seen: half the taps away from the picture.
    double min_x, min_y, max_x, max_y;
    /// What lies at `center` + (x, y) in the output lies at `middle` + (xx x + xy y, yx x + yy y) in the picture.
    double center_x, center_y, middle_x, middle_y;
    double xx, xy, yx, yy;
    /// Along each axis: 2 or 6.
    size_t taps;
    /// The taps' weights, eight floats each for `phases` + 1 places from one pixel's centre to the next.
    const float *weights;
    size_t phases;
};

struct ink_resample {
    /// Converts `count` values v to v / 255.
    void (*read_mask)(const uint8_t *values, size_t count, float *target);
    /// Converts `count` pixels of 8-bit samples to premultiplied colours, four floats each: red, green, blue, alpha.
    void (*read_pixels)(enum ink_pixels format, const uint8_t *samples, size_t count, float *target);
    /// The same into planes.
    void (*read_planes)(
        enum ink_pixels format, const uint8_t *samples, size_t count, const struct ink_planes *target);
    /// Interleaves `count` values of eight rows, `stride` elements apart: all first values, then all second values.
    void (*interleave_masks)(const float *rows, ptrdiff_t stride, size_t count, float *target);
    /// Computes outputs `begin` up to `begin + count` of eight rows, whose samples are interleaved at `samples`. The
    /// output rows are `stride` elements apart.
    void (*filter_masks)(
        const struct ink_filter *filter, size_t begin, size_t count, const float *samples, float *target,
        ptrdiff_t stride);
    /// Computes outputs `begin` up to `begin + count` of a row of pixels of four floats, into planes.
    void (*filter_pixels)(
        const struct ink_filter *filter, size_t begin, size_t count, const float *samples,
        const struct ink_planes *target);
    /// Adds `taps` rows, `stride` elements apart, times their weights, one after the other to `count` values. If
    /// `is_first`, the first row replaces the old values.
    void (*add_rows)(
        const float *rows, ptrdiff_t stride, const float *weights, size_t taps, int is_first, size_t count,
        float *target);
    /// Reads a picture at `count` places of the output, one apart from `x` on in the row `y`.
    void (*turn_pixels)(
        const struct ink_turn *turn, double x, double y, size_t count, const struct ink_planes *target);
    /// Rounds a row of `count` pixels to 1/65,535.
    void (*to_shares)(const struct ink_planes *row, size_t count, const struct ink_shares *target);
    /// Copies the shares of a row that differ from the rounded values of `target`.
    void (*from_shares)(const struct ink_shares *row, size_t count, const struct ink_planes *target);
    /// Clamps sums to 0...1. A sum that is below 1 only by rounding errors becomes 1.
    void (*settle_mask)(float *values, size_t count);
    /// Clamps alpha in the same way, and each colour to 0...alpha.
    void (*settle_pixels)(const struct ink_planes *row, size_t count);
};

const struct ink_resample *ink_resample_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
