// Scaling of images to the output's size.
#pragma once

#include "ink_resample.h"

#include "blend_read.hpp"

namespace INK_LEVEL::resample {
namespace {

using namespace blend;

typedef float pixel __attribute__((ext_vector_type(4)));

static void read_mask(const uint8_t *values, size_t count, float *target) {
    size_t x = 0;
    for (; x + INK_WIDTH <= count; x += INK_WIDTH) store(target + x, wholes(values + x) * per_level);
    for (; x < count; x++) target[x] = (float)values[x] * per_level;
}

/// The colour of one pixel, with the same operations as `read`.
template <enum ink_pixels format>
INK_INLINE pixel pixel_at(const uint8_t *samples) {
    if (format == INK_PIXELS_RGB8) {
        const pixel p = {(float)samples[0], (float)samples[1], (float)samples[2], 255};
        return p * per_level;
    }
    typedef uint8_t four __attribute__((ext_vector_type(4)));
    typedef int four_words __attribute__((ext_vector_type(4)));
    four bytes;
    __builtin_memcpy(&bytes, samples, sizeof(bytes));
    pixel p = __builtin_convertvector(__builtin_convertvector(bytes, four_words), pixel);
    const pixel alpha = p.wwww;
    p.w = 255;
    return p * alpha * per_product;
}

template <enum ink_pixels format>
static void read_pixels_of(const uint8_t *samples, size_t count, float *target) {
    for (size_t x = 0; x < count; x++) {
        const pixel p = pixel_at<format>(samples + x * (format == INK_PIXELS_RGB8 ? 3 : 4));
        __builtin_memcpy(target + 4 * x, &p, sizeof(p));
    }
}

static void read_pixels(enum ink_pixels format, const uint8_t *samples, size_t count, float *target) {
    (format == INK_PIXELS_RGB8 ? read_pixels_of<INK_PIXELS_RGB8> : read_pixels_of<INK_PIXELS_RGBA8>)(
        samples, count, target);
}

template <enum ink_pixels format>
static void read_planes_of(const uint8_t *samples, size_t count, const struct ink_planes *target) {
    constexpr size_t bytes = format == INK_PIXELS_RGB8 ? 3 : 4;
    size_t x = 0;
    for (; x + INK_WIDTH <= count; x += INK_WIDTH) {
        const pixels p = read<format>(samples + x * bytes);
        store(target->red + x, p.red);
        store(target->green + x, p.green);
        store(target->blue + x, p.blue);
        store(target->alpha + x, p.alpha);
    }
    for (; x < count; x++) {
        const pixel p = pixel_at<format>(samples + x * bytes);
        target->red[x] = p.x;
        target->green[x] = p.y;
        target->blue[x] = p.z;
        target->alpha[x] = p.w;
    }
}

static void read_planes(
    enum ink_pixels format, const uint8_t *samples, size_t count, const struct ink_planes *target) {
    (format == INK_PIXELS_RGB8 ? read_planes_of<INK_PIXELS_RGB8> : read_planes_of<INK_PIXELS_RGBA8>)(
        samples, count, target);
}

INK_INLINE float8 load8(const float *source) { return *(const float8_unaligned *)source; }
INK_INLINE void store8(float *target, float8 value) { *(float8_unaligned *)target = value; }

static void interleave_masks(const float *rows, ptrdiff_t stride, size_t count, float *target) {
    size_t x = 0;
    for (; x + 8 <= count; x += 8) {
        float8 v[8];
        for (int row = 0; row < 8; row++) v[row] = load8(rows + row * stride + x);
        transpose(v);
        for (int i = 0; i < 8; i++) store8(target + 8 * (x + i), v[i]);
    }
    for (; x < count; x++) {
        for (int row = 0; row < 8; row++) target[8 * x + row] = rows[row * stride + (ptrdiff_t)x];
    }
}

static void filter_masks(
    const struct ink_filter *filter, size_t begin, size_t count, const float *samples, float *target,
    ptrdiff_t stride) {
    const ptrdiff_t *first = filter->first + begin;
    const ptrdiff_t *start = filter->start + begin;
    for (size_t x = 0; x < count; x += 8) {
        const size_t width = count - x < 8 ? count - x : 8;
        float8 sums[8] = {};
        for (size_t i = 0; i < width; i++) {
            const float *source = samples + 8 * first[x + i];
            const float *weights = filter->weights + start[x + i];
            const ptrdiff_t taps = start[x + i + 1] - start[x + i];
            float8 sum = weights[0] * load8(source);
            for (ptrdiff_t tap = 1; tap < taps; tap++) sum += weights[tap] * load8(source + 8 * tap);
            sums[i] = sum;
        }
        transpose(sums);
        for (int row = 0; row < 8; row++) {
            if (width == 8) {
                store8(target + row * stride + x, sums[row]);
            } else {
                __builtin_memcpy(target + row * stride + x, &sums[row], width * sizeof(float));
            }
        }
    }
}

static void filter_pixels(
    const struct ink_filter *filter, size_t begin, size_t count, const float *samples,
    const struct ink_planes *target) {
    const ptrdiff_t *first = filter->first + begin;
    const ptrdiff_t *start = filter->start + begin;
    for (size_t x = 0; x < count; x++) {
        const float *source = samples + 4 * first[x];
        pixel sum = 0;
        for (ptrdiff_t tap = start[x]; tap < start[x + 1]; tap++, source += 4) {
            pixel sample;
            __builtin_memcpy(&sample, source, sizeof(sample));
            sum += filter->weights[tap] * sample;
        }
        target->red[x] = sum.x;
        target->green[x] = sum.y;
        target->blue[x] = sum.z;
        target->alpha[x] = sum.w;
    }
}

static void add_rows(
    const float *rows, ptrdiff_t stride, const float *weights, size_t taps, int is_first, size_t count,
    float *target) {
    size_t x = 0;
    for (; x + INK_WIDTH <= count; x += INK_WIDTH) {
        lanes sum = is_first ? lanes(0.0f) : load(target + x);
        for (size_t tap = 0; tap < taps; tap++) sum += weights[tap] * load(rows + (ptrdiff_t)tap * stride + x);
        store(target + x, sum);
    }
    for (; x < count; x++) {
        float sum = is_first ? 0 : target[x];
        for (size_t tap = 0; tap < taps; tap++) sum += weights[tap] * rows[(ptrdiff_t)tap * stride + (ptrdiff_t)x];
        target[x] = sum;
    }
}

/// The largest whole number that is not above a value, which fits.
INK_INLINE ptrdiff_t whole_below(double value) {
    const ptrdiff_t whole = (ptrdiff_t)value;
    return whole - (value < (double)whole);
}

INK_INLINE double bounded(double value, double low, double high) {
    return value > low ? (value < high ? value : high) : low;
}

/// Taps' weights for a place at `share` of the way from one pixel's centre to the next.
INK_INLINE float8 tap_weights(const struct ink_turn *turn, double share) {
    const double phase = share * (double)turn->phases;
    const size_t index = (size_t)phase;
    const float rest = (float)(phase - (double)index);
    const float8 low = load8(turn->weights + 8 * index);
    const float8 high = load8(turn->weights + 8 * index + 8);
    return low + rest * (high - low);
}

template <int taps>
static void turn_pixels_by(
    const struct ink_turn *turn, double x, double y, size_t count, const struct ink_planes *target) {
    const double dy = y - turn->center_y;
    for (size_t i = 0; i < count; i++) {
        const double dx = x + (double)i - turn->center_x;
        const double px = bounded(turn->middle_x + turn->xx * dx + turn->xy * dy, turn->min_x, turn->max_x);
        const double py = bounded(turn->middle_y + turn->yx * dx + turn->yy * dy, turn->min_y, turn->max_y);
        const ptrdiff_t column = whole_below(px - 0.5);
        const ptrdiff_t row = whole_below(py - 0.5);
        const float8 along = tap_weights(turn, px - 0.5 - (double)column);
        const float8 down = tap_weights(turn, py - 0.5 - (double)row);
        const float *source = turn->pixels + (row - (taps / 2 - 1) - turn->top) * turn->stride +
            4 * (column - (taps / 2 - 1) - turn->left);
        pixel sum = 0;
        for (int j = 0; j < taps; j++, source += turn->stride) {
            pixel line = 0;
            for (int k = 0; k < taps; k++) {
                pixel sample;
                __builtin_memcpy(&sample, source + 4 * k, sizeof(sample));
                line += along[k] * sample;
            }
            sum += down[j] * line;
        }
        target->red[i] = sum.x;
        target->green[i] = sum.y;
        target->blue[i] = sum.z;
        target->alpha[i] = sum.w;
    }
}

static void turn_pixels(
    const struct ink_turn *turn, double x, double y, size_t count, const struct ink_planes *target) {
    (turn->taps == 2 ? turn_pixels_by<2> : turn_pixels_by<6>)(turn, x, y, count, target);
}

INK_INLINE uint16_t share_of(float v) { return (uint16_t)(int)(v * 65535.0f + 0.5f); }

static void to_shares(const struct ink_planes *row, size_t count, const struct ink_shares *target) {
    const float *const sources[4] = {row->red, row->green, row->blue, row->alpha};
    uint16_t *const targets[4] = {target->red, target->green, target->blue, target->alpha};
    for (int c = 0; c < 4; c++) {
        for (size_t x = 0; x < count; x++) targets[c][x] = share_of(sources[c][x]);
    }
}

static void from_shares(const struct ink_shares *row, size_t count, const struct ink_planes *target) {
    constexpr float per_share = 1.0f / 65535.0f;
    float *const red = target->red, *const green = target->green, *const blue = target->blue;
    float *const alpha = target->alpha;
    for (size_t x = 0; x < count; x++) {
        const int differs = (share_of(red[x]) ^ row->red[x]) | (share_of(green[x]) ^ row->green[x]) |
            (share_of(blue[x]) ^ row->blue[x]) | (share_of(alpha[x]) ^ row->alpha[x]);
        const bool is_same = differs == 0;
        red[x] = is_same ? red[x] : (float)row->red[x] * per_share;
        green[x] = is_same ? green[x] : (float)row->green[x] * per_share;
        blue[x] = is_same ? blue[x] : (float)row->blue[x] * per_share;
        alpha[x] = is_same ? alpha[x] : (float)row->alpha[x] * per_share;
    }
}

/// Sums this close to the limit become the limit.
constexpr float nearly = 1 - 0x1p-18f;

INK_INLINE lanes settled(lanes value, lanes limit) { return value >= limit * nearly ? limit : greater(value, 0); }

INK_INLINE float settled(float value, float limit) {
    return value >= limit * nearly ? limit : value < 0 ? 0 : value;
}

static void settle_mask(float *values, size_t count) {
    size_t x = 0;
    for (; x + INK_WIDTH <= count; x += INK_WIDTH) store(values + x, settled(load(values + x), 1));
    for (; x < count; x++) values[x] = settled(values[x], 1);
}

static void settle_pixels(const struct ink_planes *row, size_t count) {
    float *const colors[3] = {row->red, row->green, row->blue};
    size_t x = 0;
    for (; x + INK_WIDTH <= count; x += INK_WIDTH) {
        const lanes alpha = settled(load(row->alpha + x), 1);
        store(row->alpha + x, alpha);
        for (int c = 0; c < 3; c++) store(colors[c] + x, settled(load(colors[c] + x), alpha));
    }
    for (; x < count; x++) {
        const float alpha = settled(row->alpha[x], 1.0f);
        row->alpha[x] = alpha;
        for (int c = 0; c < 3; c++) colors[c][x] = settled(colors[c][x], alpha);
    }
}

}  // namespace
}  // namespace INK_LEVEL::resample

extern "C" const ink_resample INK_TABLE(ink_resample_) = {
    .read_mask = INK_LEVEL::resample::read_mask,
    .read_pixels = INK_LEVEL::resample::read_pixels,
    .read_planes = INK_LEVEL::resample::read_planes,
    .interleave_masks = INK_LEVEL::resample::interleave_masks,
    .filter_masks = INK_LEVEL::resample::filter_masks,
    .filter_pixels = INK_LEVEL::resample::filter_pixels,
    .add_rows = INK_LEVEL::resample::add_rows,
    .turn_pixels = INK_LEVEL::resample::turn_pixels,
    .to_shares = INK_LEVEL::resample::to_shares,
    .from_shares = INK_LEVEL::resample::from_shares,
    .settle_mask = INK_LEVEL::resample::settle_mask,
    .settle_pixels = INK_LEVEL::resample::settle_pixels,
};
