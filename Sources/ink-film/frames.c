// From the decoder's frame to the encoder's: size, layout of chroma, depth. The decoder's frame is never written to.
#include "film.h"

#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdlib.h>
#include <string.h>

struct Converter {
    const Film *film;
    struct SwsContext *scaler;
    AVFrame *scaled;   // what the scaler gives: the encoder's layout at the source's depth
    int depth, out_depth;
    int *errors[3];    // of the row above, for error diffusion
};

static int depth_of(int format) { return av_pix_fmt_desc_get(format)->comp[0].depth; }

static enum AVPixelFormat planar(int layout444, int depth) {
    switch (depth) {
    case 8: return layout444 ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
    case 9: return layout444 ? AV_PIX_FMT_YUV444P9 : AV_PIX_FMT_YUV420P9;
    case 10: return layout444 ? AV_PIX_FMT_YUV444P10 : AV_PIX_FMT_YUV420P10;
    case 12: return layout444 ? AV_PIX_FMT_YUV444P12 : AV_PIX_FMT_YUV420P12;
    case 14: return layout444 ? AV_PIX_FMT_YUV444P14 : AV_PIX_FMT_YUV420P14;
    default: return layout444 ? AV_PIX_FMT_YUV444P16 : AV_PIX_FMT_YUV420P16;
    }
}

static bool is_gray(int format) {
    return format == AV_PIX_FMT_GRAY8 || format == AV_PIX_FMT_GRAY9 || format == AV_PIX_FMT_GRAY10
           || format == AV_PIX_FMT_GRAY12 || format == AV_PIX_FMT_GRAY14 || format == AV_PIX_FMT_GRAY16;
}

static AVFrame *new_frame(int format, int width, int height) {
    AVFrame *frame = need(av_frame_alloc());
    frame->format = format;
    frame->width = width;
    frame->height = height;
    if (av_frame_get_buffer(frame, 64)) need(NULL);
    return frame;
}

Converter *converter_new(const Film *film) {
    Converter *c = need(calloc(1, sizeof *c));
    c->film = film;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(film->pixel_format);
    const bool is444 = !av_pix_fmt_desc_get(film->out_format)->log2_chroma_w;
    c->out_depth = depth_of(film->out_format);
    c->depth = FFMAX(pixels->comp[0].depth, 8);
    if (pixels->flags & AV_PIX_FMT_FLAG_PAL) c->depth = 8;
    enum AVPixelFormat layout = planar(is444, c->depth);
    const int whole_width = (film->width + 1) & ~1, whole_height = (film->height + 1) & ~1;
    const bool same_size = (film->out_width == film->width || film->out_width == whole_width)
                           && (film->out_height == film->height || film->out_height == whole_height);
    if (same_size && (film->pixel_format == (int)layout || is_gray(film->pixel_format))) return c;
    c->depth = depth_of(layout);
    const int width = same_size ? film->width : film->out_width, height = same_size ? film->height : film->out_height;
    c->scaler = sws_getContext(film->width, film->height, film->pixel_format, width, height, layout,
                               SWS_BICUBIC | SWS_ACCURATE_RND | SWS_BITEXACT | SWS_FULL_CHR_H_INP, NULL, NULL, NULL);
    if (!c->scaler) fail(EXIT_FILM, "frames of the format %s cannot be converted", pixels->name);
    const bool isFull = film->range == AVCOL_RANGE_JPEG, isRGB =
        pixels->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL);
    const int *table = sws_getCoefficients(isRGB ? SWS_CS_ITU709 : SWS_CS_DEFAULT);
    sws_setColorspaceDetails(c->scaler, table, isRGB || isFull, table, isFull, 0, 1 << 16, 1 << 16);
    c->scaled = new_frame(layout, width, height);
    return c;
}

static int clamp(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

// A row of samples of more than 8 bits: clamped, since damaged streams decode to values beyond their depth.
static void deep_row(Converter *c, int plane, const uint16_t *from, void *to, int width) {
    const int most = (1 << c->depth) - 1, down = c->depth - c->out_depth;
    if (down <= 0) {
        for (int x = 0; x < width; x++) ((uint16_t *)to)[x] = (uint16_t)(from[x] > most ? most : from[x]);
        return;
    }
    // Floyd and Steinberg's error diffusion, in sixteenths.
    int **errors = &c->errors[plane];
    if (!*errors) *errors = need(calloc((size_t)width + 2, sizeof **errors));
    int *row = *errors, right = 0, below_left = 0, below = 0;
    const int unit = 1 << down;
    for (int x = 0; x < width; x++) {
        // `row` holds what the row above has left for each sample, then what this row leaves for the one below.
        const int value = 16 * FFMIN(from[x], most) + row[x + 1] + 7 * right;
        const int sample = clamp((value + 8 * unit) / (16 * unit), 0, (1 << c->out_depth) - 1);
        const int error = clamp((value - 16 * unit * sample) / 16, -2 * unit, 2 * unit);
        row[x] = below_left + 3 * error;
        below_left = below + 5 * error;
        below = error;
        right = error;
        if (c->out_depth > 8) ((uint16_t *)to)[x] = (uint16_t)sample;
        else ((uint8_t *)to)[x] = (uint8_t)sample;
    }
    row[width] = below_left;
}

static void copy_plane(Converter *c, int plane, const AVFrame *from, AVFrame *to, int width, int height, int out_width,
                       int out_height) {
    const int bytes = c->out_depth > 8 ? 2 : 1;
    if (c->errors[plane]) memset(c->errors[plane], 0, ((size_t)width + 2) * sizeof(int));
    for (int y = 0; y < out_height; y++) {
        uint8_t *row = to->data[plane] + (ptrdiff_t)y * to->linesize[plane];
        if (y >= height) {
            memcpy(row, row - to->linesize[plane], (size_t)(out_width * bytes));
            continue;
        }
        const uint8_t *source = from->data[plane] + (ptrdiff_t)y * from->linesize[plane];
        if (c->depth > 8) deep_row(c, plane, (const uint16_t *)source, row, width);
        else if (bytes == 1) memcpy(row, source, (size_t)width);
        else for (int x = 0; x < width; x++) ((uint16_t *)row)[x] = (uint16_t)(source[x] << (c->out_depth - 8));
        for (int x = width; x < out_width; x++) memcpy(row + x * bytes, row + (width - 1) * bytes, (size_t)bytes);
    }
}

AVFrame *convert(Converter *c, const AVFrame *frame) {
    const Film *film = c->film;
    const AVFrame *source = frame;
    int width = film->width, height = film->height;
    if (c->scaler) {
        sws_scale(c->scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, c->scaled->data,
                  c->scaled->linesize);
        source = c->scaled;
        width = c->scaled->width, height = c->scaled->height;
    }
    AVFrame *out = new_frame(film->out_format, film->out_width, film->out_height);
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(film->out_format);
    for (int plane = 0; plane < 3; plane++) {
        const int w = plane ? pixels->log2_chroma_w : 0, h = plane ? pixels->log2_chroma_h : 0;
        const int plane_width = AV_CEIL_RSHIFT(film->out_width, w), plane_height = AV_CEIL_RSHIFT(film->out_height, h);
        if (!plane || !is_gray(source->format)) {
            copy_plane(c, plane, source, out, AV_CEIL_RSHIFT(width, w), AV_CEIL_RSHIFT(height, h), plane_width,
                plane_height);
            continue;
        }
        for (int y = 0; y < plane_height; y++) {
            uint8_t *row = out->data[plane] + (ptrdiff_t)y * out->linesize[plane];
            for (int x = 0; x < plane_width; x++)
                if (c->out_depth > 8) ((uint16_t *)row)[x] = (uint16_t)(1 << (c->out_depth - 1));
                else row[x] = 128;
        }
    }
    av_frame_copy_props(out, frame);
    out->pict_type = AV_PICTURE_TYPE_NONE;
    out->key_frame = 0;
    out->sample_aspect_ratio = film->aspect;
    out->color_range = film->range;
    out->color_primaries = film->primaries;
    out->color_trc = film->transfer;
    out->colorspace = film->matrix;
    out->chroma_location = film->chroma;
    out->interlaced_frame = film->interlaced && frame->interlaced_frame;
    return out;
}
