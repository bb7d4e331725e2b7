// Compositing of layers onto backdrops, one pass per layer.
#pragma once

#include "blend_modes.hpp"
#include "blend_read.hpp"
#include "blend_write.hpp"

namespace INK_LEVEL::blend {
namespace {

/// Normal, source-over.
struct Over {
    template <bool is_opaque>
    INK_INLINE pixels blend(pixels s, pixels b) {
        lanes kept = 1 - s.alpha;
        return {s.red + b.red * kept, s.green + b.green * kept, s.blue + b.blue * kept, s.alpha + b.alpha * kept};
    }
};

/// Plus-lighter, W3C section 9.1.16: the clamped sum of the premultiplied colours.
struct Plus {
    template <bool is_opaque>
    INK_INLINE pixels blend(pixels s, pixels b) {
        return {
            lesser(s.red + b.red, 1),
            lesser(s.green + b.green, 1),
            lesser(s.blue + b.blue, 1),
            lesser(s.alpha + b.alpha, 1),
        };
    }
};

/// co = as (1 - ab) Cs + (1 - as) ab Cb + as ab B(Cb, Cs).
///
/// Alpha goes through the same operations as a channel whose colour is 1 everywhere. White therefore stays exactly
/// white, no colour exceeds its alpha, and opaque pixels stay exactly opaque. This matters because colour burn and
/// dodge jump at 0 and 1 and would make an error of one unit in the last place visible. With ab = 1, each operation
/// that is omitted for an opaque backdrop is one with 0 or 1, which changes nothing.
template <bool is_opaque>
INK_INLINE lanes sum(lanes s, lanes as, lanes b, lanes ab, lanes mixed) {
    if (is_opaque) return b * (1 - as) + mixed;
    return s * (1 - ab) + b * (1 - as) + mixed;
}

/// A mode that blends each channel separately.
template <class Mode>
struct EachChannel {
    template <bool is_opaque>
    INK_INLINE pixels blend(pixels s, pixels b) {
        lanes both = s.alpha * b.alpha;
        return {
            sum<is_opaque>(s.red, s.alpha, b.red, b.alpha, Mode::mix({b.red, b.alpha, s.red, s.alpha, both})),
            sum<is_opaque>(s.green, s.alpha, b.green, b.alpha, Mode::mix({b.green, b.alpha, s.green, s.alpha, both})),
            sum<is_opaque>(s.blue, s.alpha, b.blue, b.alpha, Mode::mix({b.blue, b.alpha, s.blue, s.alpha, both})),
            sum<is_opaque>(s.alpha, s.alpha, b.alpha, b.alpha, both),
        };
    }
};

INK_INLINE colors straight(pixels p) {
    return {straight(p.red, p.alpha), straight(p.green, p.alpha), straight(p.blue, p.alpha)};
}

/// A mode that blends whole colours, not premultiplied.
template <class Mode>
struct WholeColor {
    template <bool is_opaque>
    INK_INLINE pixels blend(pixels s, pixels b) {
        lanes both = s.alpha * b.alpha;
        colors mixed = Mode::mix(straight(b), straight(s));
        return {
            sum<is_opaque>(s.red, s.alpha, b.red, b.alpha, mixed.red * both),
            sum<is_opaque>(s.green, s.alpha, b.green, b.alpha, mixed.green * both),
            sum<is_opaque>(s.blue, s.alpha, b.blue, b.alpha, mixed.blue * both),
            sum<is_opaque>(s.alpha, s.alpha, b.alpha, b.alpha, both),
        };
    }
};

template <typename Planes>
INK_INLINE Planes row_of(Planes p, ptrdiff_t y) {
    const ptrdiff_t i = y * p.stride;
    return {p.red + i, p.green + i, p.blue + i, p.alpha + i, p.stride};
}

/// Number of groups whose mask and alpha are tested together.
constexpr ptrdiff_t block = 4;

/// Whether the `block` groups at `x` are transparent. For a transparent source every mode returns the backdrop, so
/// skipping them changes nothing.
INK_INLINE bool is_clear(const uint8_t *mask) {
    typedef uint8_t bytes __attribute__((ext_vector_type(block * INK_WIDTH)));
    bytes values;
    __builtin_memcpy(&values, mask, sizeof(values));
    return __builtin_reduce_or(values) == 0;
}

INK_INLINE bool is_clear(const uint16_t *shares) {
    typedef uint16_t share_lanes __attribute__((ext_vector_type(block * INK_WIDTH)));
    share_lanes values;
    __builtin_memcpy(&values, shares, sizeof(values));
    return __builtin_reduce_or(values) == 0;
}

INK_INLINE bool is_clear(const float *values) {
    word_lanes words[block];
    __builtin_memcpy(words, values, sizeof(words));
    return __builtin_reduce_or(words[0] | words[1] | words[2] | words[3]) == 0;
}

/// How a layer's pixels and mask are stored, known when the code is compiled.
template <enum ink_pixels pixels_kind, enum ink_mask mask_kind>
struct fixed_storage {
    static constexpr enum ink_pixels pixels = pixels_kind;
    static constexpr enum ink_mask mask = mask_kind;
};

/// The same, known when it runs. Every mode for every storage would be most of the kernels' code, and of the time to
/// compile them.
struct any_storage {
    enum ink_pixels pixels;
    enum ink_mask mask;
};

template <class Blend, bool is_opaque, class Storage>
INK_INLINE void blend_group(
    Storage storage, struct ink_planes target, struct ink_planes planes, struct ink_shares shares,
    const uint8_t *samples, const void *mask_row, float opacity, ptrdiff_t x) {
    lanes factor = opacity;
    if (storage.mask == INK_MASK_8) factor = wholes((const uint8_t *)mask_row + x) * opacity;
    if (storage.mask == INK_MASK_FLOAT) factor = load((const float *)mask_row + x) * opacity;
    pixels s;
    switch (storage.pixels) {
    case INK_PIXELS_PLANES: s = load(planes, x); break;
    case INK_PIXELS_SHARES: s = load(shares, x); break;
    case INK_PIXELS_RGBA8: s = read<INK_PIXELS_RGBA8>(samples + x * 4); break;
    case INK_PIXELS_RGB8: s = read<INK_PIXELS_RGB8>(samples + x * 3); break;
    }
    const pixels b = {
        load(target.red + x), load(target.green + x), load(target.blue + x),
        is_opaque ? lanes(1.0f) : load(target.alpha + x)};
    const pixels result = Blend::template blend<is_opaque>(scaled(s, factor), b);
    store(target.red + x, result.red);
    store(target.green + x, result.green);
    store(target.blue + x, result.blue);
    if (!is_opaque) store(target.alpha + x, result.alpha);
}

/// Blends the pixels of each row that form whole groups of `INK_WIDTH`.
template <class Blend, bool is_opaque, class Storage>
static void blend_rows(
    Storage storage, const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width,
    size_t height) {
    const enum ink_pixels format = storage.pixels;
    const enum ink_mask mask = storage.mask;
    const float opacity = mask == INK_MASK_8 ? per_level * layer->opacity : layer->opacity;
    const ptrdiff_t bytes = format == INK_PIXELS_RGB8 ? 3 : 4;
    const ptrdiff_t end = (ptrdiff_t)(width - width % INK_WIDTH);
    for (ptrdiff_t y = 0; y < (ptrdiff_t)height; y++) {
        const struct ink_planes target = row_of(*backdrop, y);
        const struct ink_planes planes = row_of(layer->planes, y);
        const struct ink_shares shares = row_of(layer->shares, y);
        const uint8_t *samples = layer->samples + y * layer->sample_stride;
        const uint8_t *mask_row =
            (const uint8_t *)layer->mask_values + y * layer->mask_stride * (mask == INK_MASK_FLOAT ? 4 : 1);
        for (ptrdiff_t x = 0; x < end;) {
            ptrdiff_t block_end = x + block * INK_WIDTH;
            if (block_end > end)
                block_end = end;
            else if (
                (mask == INK_MASK_8 && is_clear(mask_row + x)) ||
                (mask == INK_MASK_FLOAT && is_clear((const float *)mask_row + x)) ||
                (format == INK_PIXELS_PLANES && is_clear(planes.alpha + x)) ||
                (format == INK_PIXELS_SHARES && is_clear(shares.alpha + x))) {
                x = block_end;
                continue;
            }
            // Images come from memory, in pieces too short for the processor's prefetcher.
            if (format == INK_PIXELS_RGBA8 || format == INK_PIXELS_RGB8)
                for (ptrdiff_t i = 0; i < block * INK_WIDTH * bytes; i += 64)
                    __builtin_prefetch(samples + layer->sample_stride + x * bytes + i);
            if (mask == INK_MASK_8) __builtin_prefetch(mask_row + layer->mask_stride + x);
            for (; x < block_end; x += INK_WIDTH)
                blend_group<Blend, is_opaque>(storage, target, planes, shares, samples, mask_row, opacity, x);
        }
    }
}

template <class Blend, bool is_opaque>
static void blend_groups(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height) {
    blend_rows<Blend, is_opaque>(any_storage{layer->pixels, layer->mask}, backdrop, layer, width, height);
}

template <bool is_opaque, enum ink_pixels format>
static void over_masked(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height) {
    switch (layer->mask) {
    case INK_MASK_NONE:
        return blend_rows<Over, is_opaque>(fixed_storage<format, INK_MASK_NONE>(), backdrop, layer, width, height);
    case INK_MASK_8:
        return blend_rows<Over, is_opaque>(fixed_storage<format, INK_MASK_8>(), backdrop, layer, width, height);
    case INK_MASK_FLOAT:
        return blend_rows<Over, is_opaque>(fixed_storage<format, INK_MASK_FLOAT>(), backdrop, layer, width, height);
    }
}

/// Nearly all layers are normal.
template <bool is_opaque>
static void over_groups(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height) {
    switch (layer->pixels) {
    case INK_PIXELS_PLANES: return over_masked<is_opaque, INK_PIXELS_PLANES>(backdrop, layer, width, height);
    case INK_PIXELS_SHARES: return over_masked<is_opaque, INK_PIXELS_SHARES>(backdrop, layer, width, height);
    case INK_PIXELS_RGBA8: return over_masked<is_opaque, INK_PIXELS_RGBA8>(backdrop, layer, width, height);
    case INK_PIXELS_RGB8: return over_masked<is_opaque, INK_PIXELS_RGB8>(backdrop, layer, width, height);
    }
}

template <>
void blend_groups<Over, true>(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height) {
    over_groups<true>(backdrop, layer, width, height);
}

template <>
void blend_groups<Over, false>(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height) {
    over_groups<false>(backdrop, layer, width, height);
}

typedef void (*blend_function)(
    const struct ink_planes *backdrop, const struct ink_blend_layer *layer, size_t width, size_t height);

/// Blends the last `count` pixels of the rows, fewer than a group. Each row's rest becomes a group of its own, filled
/// up with transparent pixels.
static __attribute__((noinline)) void blend_rest(
    blend_function groups, const struct ink_planes *backdrop, int is_opaque, const struct ink_blend_layer *layer,
    ptrdiff_t x, size_t count, size_t height) {
    float under[4][INK_WIDTH] = {};
    float over[4][INK_WIDTH] = {};
    uint16_t over_shares[4][INK_WIDTH] = {};
    float values[INK_WIDTH] = {};
    uint8_t samples[4 * INK_WIDTH] = {};
    const struct ink_planes target = {under[0], under[1], under[2], under[3], 0};
    struct ink_blend_layer part = *layer;
    part.planes = {over[0], over[1], over[2], over[3], 0};
    part.shares = {over_shares[0], over_shares[1], over_shares[2], over_shares[3], 0};
    part.samples = samples;
    part.mask_values = values;
    const size_t mask_bytes = layer->mask == INK_MASK_NONE ? 0 : layer->mask == INK_MASK_8 ? 1 : sizeof(float);
    const size_t pixel_bytes = layer->pixels == INK_PIXELS_RGBA8 ? 4 : 3;
    const size_t channels = is_opaque ? 3 : 4;
    for (ptrdiff_t y = 0; y < (ptrdiff_t)height; y++) {
        const struct ink_planes b = row_of(*backdrop, y);
        float *const backdrops[4] = {b.red, b.green, b.blue, b.alpha};
        for (size_t c = 0; c < channels; c++) __builtin_memcpy(under[c], backdrops[c] + x, count * sizeof(float));
        if (layer->pixels == INK_PIXELS_PLANES) {
            const struct ink_planes s = row_of(layer->planes, y);
            const float *const sources[4] = {s.red, s.green, s.blue, s.alpha};
            for (int c = 0; c < 4; c++) __builtin_memcpy(over[c], sources[c] + x, count * sizeof(float));
        } else if (layer->pixels == INK_PIXELS_SHARES) {
            const struct ink_shares s = row_of(layer->shares, y);
            const uint16_t *const sources[4] = {s.red, s.green, s.blue, s.alpha};
            for (int c = 0; c < 4; c++) __builtin_memcpy(over_shares[c], sources[c] + x, count * sizeof(uint16_t));
        } else {
            const uint8_t *row = layer->samples + y * layer->sample_stride;
            __builtin_memcpy(samples, row + x * (ptrdiff_t)pixel_bytes, count * pixel_bytes);
        }
        if (mask_bytes != 0) {
            const uint8_t *row = (const uint8_t *)layer->mask_values + (y * layer->mask_stride + x) * (ptrdiff_t)mask_bytes;
            __builtin_memcpy(values, row, count * mask_bytes);
        }
        groups(&target, &part, INK_WIDTH, 1);
        for (size_t c = 0; c < channels; c++) __builtin_memcpy(backdrops[c] + x, under[c], count * sizeof(float));
    }
}

template <class Blend>
static void blend(
    const struct ink_planes *backdrop, int is_opaque, const struct ink_blend_layer *layer, size_t width,
    size_t height) {
    const blend_function groups = is_opaque ? blend_groups<Blend, true> : blend_groups<Blend, false>;
    const size_t rest = width % INK_WIDTH;
    if (rest < width) groups(backdrop, layer, width - rest, height);
    if (rest != 0) blend_rest(groups, backdrop, is_opaque, layer, (ptrdiff_t)(width - rest), rest, height);
}

typedef void (*layer_function)(
    const struct ink_planes *backdrop, int is_opaque, const struct ink_blend_layer *layer, size_t width,
    size_t height);

/// In the order of `ink_blend_mode`.
constexpr layer_function modes[INK_BLEND_MODES] = {
    blend<Over>,
    blend<EachChannel<Multiply>>,
    blend<EachChannel<Screen>>,
    blend<EachChannel<Overlay>>,
    blend<EachChannel<Darken>>,
    blend<EachChannel<Lighten>>,
    blend<EachChannel<ColorDodge>>,
    blend<EachChannel<ColorBurn>>,
    blend<EachChannel<HardLight>>,
    blend<EachChannel<SoftLight>>,
    blend<EachChannel<Difference>>,
    blend<EachChannel<Exclusion>>,
    blend<WholeColor<Hue>>,
    blend<WholeColor<Saturation>>,
    blend<WholeColor<Color>>,
    blend<WholeColor<Luminosity>>,
    blend<Plus>,
    blend<EachChannel<LinearDodge>>,
    blend<EachChannel<LinearBurn>>,
    blend<EachChannel<LinearLight>>,
    blend<EachChannel<VividLight>>,
    blend<EachChannel<PinLight>>,
    blend<EachChannel<HardMix>>,
    blend<EachChannel<Subtract>>,
    blend<EachChannel<Divide>>,
    blend<WholeColor<DarkerColor>>,
    blend<WholeColor<LighterColor>>,
};

static void blend_mode(
    enum ink_blend_mode mode, const struct ink_planes *backdrop, int is_opaque, const struct ink_blend_layer *layer,
    size_t width, size_t height) {
    modes[mode](backdrop, is_opaque, layer, width, height);
}

}  // namespace
}  // namespace INK_LEVEL::blend

extern "C" const ink_blend INK_TABLE(ink_blend_) = {
    .blend = INK_LEVEL::blend::blend_mode,
    .write = INK_LEVEL::blend::write_row,
};
