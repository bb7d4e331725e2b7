#include "ink_color.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

struct ink_color {
    cmsContext context;
    cmsHTRANSFORM transform;
    int is_16_bit;
    int channels;
};

static const size_t profile_bytes_max = 16 << 20;

// round(v / 257)
static uint8_t to_8_bits(uint16_t value) { return (uint8_t)((value * 255u + 32767u) / 65535u); }

static int fits(cmsHPROFILE profile, int colors) {
    switch (cmsGetDeviceClass(profile)) {
    case cmsSigInputClass:
    case cmsSigDisplayClass:
    case cmsSigOutputClass:
    case cmsSigColorSpaceClass: break;
    default: return 0;
    }
    cmsColorSpaceSignature space = cmsGetColorSpace(profile);
    return space == (colors == 1 ? cmsSigGrayData : colors == 3 ? cmsSigRgbData : cmsSigCmykData);
}

ink_color *ink_color_open(const uint8_t *profile, size_t count, int colors, int has_alpha, int is_16_bit) {
    if (profile == NULL || count == 0 || count > profile_bytes_max) return NULL;
    ink_color *color = calloc(1, sizeof *color);
    if (color == NULL) return NULL;
    color->is_16_bit = is_16_bit;
    color->channels = has_alpha ? 4 : 3;
    color->context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE from = NULL, to = NULL;
    if (color->context != NULL) {
        from = cmsOpenProfileFromMemTHR(color->context, profile, (cmsUInt32Number)count);
        to = cmsCreate_sRGBProfileTHR(color->context);
    }
    if (from != NULL && to != NULL && fits(from, colors)) {
        cmsUInt32Number space = colors == 1 ? PT_GRAY : colors == 3 ? PT_RGB : PT_CMYK;
        cmsUInt32Number same = EXTRA_SH(has_alpha ? 1 : 0) | BYTES_SH(is_16_bit ? 2 : 1);
        cmsUInt32Number flags = cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE;
        if (has_alpha) flags |= cmsFLAGS_COPY_ALPHA;
        // Little CMS would replace the curve by 33 points, too few for dark tones.
        if (colors == 1) flags |= cmsFLAGS_NOOPTIMIZE;
        color->transform = cmsCreateTransformTHR(
            color->context, from, COLORSPACE_SH(space) | CHANNELS_SH(colors) | same, to,
            COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | same, INTENT_RELATIVE_COLORIMETRIC,
            flags);
    }
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    if (color->transform == NULL) {
        ink_color_close(color);
        return NULL;
    }
    return color;
}

void ink_color_convert(const ink_color *color, const uint8_t *row, size_t width, uint8_t *into) {
    if (!color->is_16_bit) {
        cmsDoTransform(color->transform, row, into, (cmsUInt32Number)width);
        return;
    }
    enum { part = 256 };
    uint16_t wide[part * 4];
    size_t pixel = 0, row_bytes = 0;
    // Bytes of a pixel of the row: the transform's input format says.
    cmsUInt32Number format = cmsGetTransformInputFormat(color->transform);
    row_bytes = 2 * (T_CHANNELS(format) + T_EXTRA(format));
    while (pixel < width) {
        size_t count = width - pixel < part ? width - pixel : part;
        cmsDoTransform(color->transform, row + pixel * row_bytes, wide, (cmsUInt32Number)count);
        for (size_t i = 0; i < count * (size_t)color->channels; i++)
            into[pixel * (size_t)color->channels + i] = to_8_bits(wide[i]);
        pixel += count;
    }
}

void ink_color_close(ink_color *color) {
    if (color == NULL) return;
    if (color->transform != NULL) cmsDeleteTransform(color->transform);
    if (color->context != NULL) cmsDeleteContext(color->context);
    free(color);
}

void ink_color_plain(
    const uint8_t *row, int colors, int has_alpha, int is_16_bit, int channels, size_t width, uint8_t *into) {
    int samples = colors + has_alpha;
    for (size_t x = 0; x < width; x++) {
        uint8_t pixel[5];
        if (is_16_bit) {
            for (int k = 0; k < samples; k++) {
                uint16_t value;
                memcpy(&value, row + 2 * (x * (size_t)samples + (size_t)k), 2);
                pixel[k] = to_8_bits(value);
            }
        } else {
            memcpy(pixel, row + x * (size_t)samples, (size_t)samples);
        }
        uint8_t *out = into + x * (size_t)channels;
        if (colors == 4) {
            for (int k = 0; k < 3; k++) out[k] = (uint8_t)(((255u - pixel[k]) * (255u - pixel[3]) + 127) / 255);
        } else if (colors == 1 && channels >= 3) {
            out[0] = out[1] = out[2] = pixel[0];
        } else {
            memcpy(out, pixel, (size_t)colors);
        }
        if (has_alpha) out[channels - 1] = pixel[samples - 1];
    }
}

void ink_color_gather(const uint8_t *first, ptrdiff_t step, int channels, size_t width, uint8_t *into) {
    for (size_t x = 0; x < width; x++) {
        memcpy(into + x * (size_t)channels, first + (ptrdiff_t)x * step, (size_t)channels);
    }
}
