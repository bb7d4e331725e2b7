// Compositing of layers onto the pixels below: mask, opacity and blend mode in one pass; and rounding of the finished
// pixels.
#ifndef INK_BLEND_H
#define INK_BLEND_H

#include "ink_kernels.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Blend modes: W3C Compositing and Blending Level 1, then the further ones of Photoshop.
enum ink_blend_mode {
    INK_BLEND_NORMAL,
    INK_BLEND_MULTIPLY,
    INK_BLEND_SCREEN,
    INK_BLEND_OVERLAY,
    INK_BLEND_DARKEN,
    INK_BLEND_LIGHTEN,
    INK_BLEND_COLOR_DODGE,
    INK_BLEND_COLOR_BURN,
    INK_BLEND_HARD_LIGHT,
    INK_BLEND_SOFT_LIGHT,
    INK_BLEND_DIFFERENCE,
    INK_BLEND_EXCLUSION,
    INK_BLEND_HUE,
    INK_BLEND_SATURATION,
    INK_BLEND_COLOR,
    INK_BLEND_LUMINOSITY,
    INK_BLEND_PLUS,
    INK_BLEND_LINEAR_DODGE,
    INK_BLEND_LINEAR_BURN,
    INK_BLEND_LINEAR_LIGHT,
    INK_BLEND_VIVID_LIGHT,
    INK_BLEND_PIN_LIGHT,
    INK_BLEND_HARD_MIX,
    INK_BLEND_SUBTRACT,
    INK_BLEND_DIVIDE,
    INK_BLEND_DARKER_COLOR,
    INK_BLEND_LIGHTER_COLOR,
    INK_BLEND_MODES
};

/// Premultiplied colours, 0...1, with no channel above its alpha. Each plane holds rows of `stride` elements.
struct ink_planes {
    float *red, *green, *blue, *alpha;
    ptrdiff_t stride;
};

/// The same in 1/65,535. Rows are padded to whole vectors, because kernels write beyond their ends.
struct ink_shares {
    uint16_t *red, *green, *blue, *alpha;
    ptrdiff_t stride;
};

/// Memory layout of a layer's pixels.
enum ink_pixels {
    /// `ink_planes`.
    INK_PIXELS_PLANES,
    /// `ink_shares`.
    INK_PIXELS_SHARES,
    /// Red, green, blue, straight alpha, 8 bits each.
    INK_PIXELS_RGBA8,
    /// Red, green, blue, 8 bits each; opaque.
    INK_PIXELS_RGB8,
};

/// Memory layout of a mask's values.
enum ink_mask {
    /// 1 everywhere.
    INK_MASK_NONE,
    /// v / 255. The factor of a pixel is v times opacity / 255.
    INK_MASK_8,
    /// 0...1
    INK_MASK_FLOAT,
};

/// A layer's rectangle and how it is composited onto the backdrop's.
struct ink_blend_layer {
    enum ink_pixels pixels;
    /// For `INK_PIXELS_PLANES`. Read only.
    struct ink_planes planes;
    /// For `INK_PIXELS_SHARES`. Read only.
    struct ink_shares shares;
    /// For the other formats: the first row, and the bytes from one row to the next.
    const uint8_t *samples;
    ptrdiff_t sample_stride;
    enum ink_mask mask;
    const void *mask_values;
    /// In elements.
    ptrdiff_t mask_stride;
    /// 0...1. Multiplied with the mask; the layer is multiplied with the product.
    float opacity;
};

struct ink_blend {
    /// Composites `height` rows of `width` pixels of a layer onto the backdrop with W3C's general formula. If the
    /// backdrop is opaque everywhere (alpha exactly 1), `is_opaque` gives the same colours faster; its alpha is neither
    /// read nor written.
    void (*blend)(
        enum ink_blend_mode mode, const struct ink_planes *backdrop, int is_opaque,
        const struct ink_blend_layer *layer, size_t width, size_t height);
    /// Rounds a row of `count` pixels to 8 bits per channel, halves up. With `has_alpha`: four bytes per pixel, not
    /// premultiplied, all 0 where alpha is 0. Otherwise: three bytes, premultiplied. `is_opaque`: alpha is 1 and is not
    /// read. `on_white`: composite onto white first.
    void (*write)(
        const struct ink_planes *row, size_t count, int has_alpha, int is_opaque, int on_white, uint8_t *target);
};

const struct ink_blend *ink_blend_kernels(enum ink_level level);

#ifdef __cplusplus
}
#endif

#endif
