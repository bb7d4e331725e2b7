#include "ink_color.h"

#include <math.h>
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

int ink_color_is_wide(const uint8_t *profile, size_t count, char *name, size_t name_count) {
    if (profile == NULL || count == 0 || count > profile_bytes_max || name_count == 0) return 0;
    name[0] = 0;
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (context == NULL) return 0;
    int is_wide = 0;
    cmsHTRANSFORM transform = NULL;
    cmsHPROFILE from = cmsOpenProfileFromMemTHR(context, profile, (cmsUInt32Number)count);
    cmsHPROFILE to = cmsCreate_sRGBProfileTHR(context);
    if (from != NULL && to != NULL && fits(from, 3)) {
        // Floating point is not clipped.
        transform = cmsCreateTransformTHR(
            context, from, TYPE_RGB_DBL, to, TYPE_RGB_DBL, INTENT_RELATIVE_COLORIMETRIC,
            cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE);
    }
    if (transform != NULL) {
        // The most vivid colours. Profiles of sRGB itself differ from each other by less than the tolerance.
        static const double vivid[6][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}};
        static const double tolerance = 0.04;
        for (int i = 0; i < 6; i++) {
            double out[3] = {0, 0, 0};
            cmsDoTransform(transform, vivid[i], out, 1);
            for (int k = 0; k < 3; k++) is_wide |= out[k] < -tolerance || out[k] > 1 + tolerance;
        }
        if (is_wide) cmsGetProfileInfoASCII(from, cmsInfoDescription, "en", "US", name, (cmsUInt32Number)name_count);
        name[name_count - 1] = 0;
    }
    if (transform != NULL) cmsDeleteTransform(transform);
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    cmsDeleteContext(context);
    return is_wide;
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

ink_color *ink_color_open_lab(int has_alpha, int is_16_bit) {
    ink_color *color = calloc(1, sizeof *color);
    if (color == NULL) return NULL;
    color->is_16_bit = is_16_bit;
    color->channels = has_alpha ? 4 : 3;
    color->context = cmsCreateContext(NULL, NULL);
    cmsHPROFILE from = NULL, to = NULL;
    if (color->context != NULL) {
        from = cmsCreateLab4ProfileTHR(color->context, NULL);
        to = cmsCreate_sRGBProfileTHR(color->context);
    }
    if (from != NULL && to != NULL) {
        cmsUInt32Number same = CHANNELS_SH(3) | EXTRA_SH(has_alpha ? 1 : 0) | BYTES_SH(is_16_bit ? 2 : 1);
        cmsUInt32Number flags = cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOCACHE | (has_alpha ? cmsFLAGS_COPY_ALPHA : 0);
        color->transform = cmsCreateTransformTHR(
            color->context, from, COLORSPACE_SH(PT_Lab) | same, to, COLORSPACE_SH(PT_RGB) | same,
            INTENT_RELATIVE_COLORIMETRIC, flags);
    }
    if (from != NULL) cmsCloseProfile(from);
    if (to != NULL) cmsCloseProfile(to);
    if (color->transform == NULL) {
        ink_color_close(color);
        return NULL;
    }
    return color;
}

void ink_color_interleave(const uint8_t *const *planes, int count, int sample_bytes, size_t width, uint8_t *into) {
    if (sample_bytes == 1 && count == 4) {
        const uint8_t *a = planes[0], *b = planes[1], *c = planes[2], *d = planes[3];
        for (size_t x = 0; x < width; x++) {
            into[4 * x] = a[x];
            into[4 * x + 1] = b[x];
            into[4 * x + 2] = c[x];
            into[4 * x + 3] = d[x];
        }
        return;
    }
    size_t bytes = (size_t)sample_bytes, step = bytes * (size_t)count;
    for (int k = 0; k < count; k++) {
        uint8_t *out = into + (size_t)k * bytes;
        for (size_t x = 0; x < width; x++) memcpy(out + x * step, planes[k] + x * bytes, bytes);
    }
}

void ink_color_swap_16(uint8_t *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t value;
        memcpy(&value, samples + 2 * i, 2);
        value = (uint16_t)(value << 8 | value >> 8);
        memcpy(samples + 2 * i, &value, 2);
    }
}

static float from_half(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float value = exponent == 0    ? ldexpf((float)fraction, -24)
                  : exponent == 31 ? (fraction != 0 ? 0 : 65536)
                                   : ldexpf((float)(fraction + 1024), exponent - 25);
    return half & 0x8000 ? -value : value;
}

void ink_color_from_float(
    uint8_t *samples, int sample_bytes, int is_big_endian, int count, int has_alpha, int is_plain, size_t width) {
    size_t total = width * (size_t)count;
    for (size_t i = 0; i < total; i++) {
        uint32_t bits = 0;
        for (int k = 0; k < sample_bytes; k++)
            bits = bits << 8 | samples[i * (size_t)sample_bytes + (size_t)(is_big_endian ? k : sample_bytes - 1 - k)];
        float value;
        if (sample_bytes == 2) {
            value = from_half((uint16_t)bits);
        } else {
            memcpy(&value, &bits, 4);
        }
        // What is no number is none.
        value = value > 0 ? value < 1 ? value : 1 : 0;
        int is_alpha = has_alpha && i % (size_t)count == (size_t)count - 1;
        if (!is_plain && !is_alpha)
            value = value <= 0.0031308f ? 12.92f * value : 1.055f * powf(value, 1 / 2.4f) - 0.055f;
        uint16_t wide = (uint16_t)(value * 65535 + 0.5f);
        // Never beyond what has been read.
        memcpy(samples + 2 * i, &wide, 2);
    }
}

void ink_color_invert(uint8_t *pixels, int colors, int has_alpha, int is_16_bit, size_t width) {
    size_t bytes = is_16_bit ? 2 : 1, inverted = (size_t)colors * bytes, step = inverted + (has_alpha ? bytes : 0);
    for (size_t x = 0; x < width; x++)
        for (size_t k = 0; k < inverted; k++) pixels[x * step + k] = (uint8_t)~pixels[x * step + k];
}

void ink_color_limit(uint8_t *samples, int is_16_bit, size_t count, int low, int high) {
    for (size_t i = 0; i < count; i++) {
        if (is_16_bit) {
            uint16_t value;
            memcpy(&value, samples + 2 * i, 2);
            value = (uint16_t)(low * 257 + ((int)value * (high - low) + 127) / 255);
            memcpy(samples + 2 * i, &value, 2);
        } else {
            samples[i] = (uint8_t)(low + (samples[i] * (high - low) + 127) / 255);
        }
    }
}

void ink_color_off_white(uint8_t *pixels, int count, size_t width) {
    for (size_t x = 0; x < width; x++) {
        uint8_t *pixel = pixels + x * (size_t)count;
        int alpha = pixel[count - 1];
        if (alpha == 0 || alpha == 255) continue;
        for (int k = 0; k < count - 1; k++) {
            int value = ((pixel[k] - (255 - alpha)) * 255 + alpha / 2) / alpha;
            pixel[k] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
    }
}
