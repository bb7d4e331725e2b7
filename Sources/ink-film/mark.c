// Marks, blended in the film's own Y'CbCr: converted once, premultiplied, then laid over each frame's rectangle.
#include "film.h"

#include <libavutil/pixdesc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKS = 32 };

// A plane of a mark: colours times alpha, and alphas, in 1/65535.
typedef struct { int x, y, width, height; uint32_t *colour; uint16_t *alpha; } Layer;
typedef struct { int x, y, width, height; Buffer rows; Layer planes[3]; } Mark;
struct Marks { Mark marks[MOST_MARKS]; int count; bool deep; };

void marks_begin(Marks **marks, Reader *reader) {
    if (!*marks) *marks = need(calloc(1, sizeof **marks));
    if ((*marks)->count == MOST_MARKS) fail(EXIT_INTERNAL, "more than %d marks", MOST_MARKS);
    Mark *mark = &(*marks)->marks[(*marks)->count++];
    mark->x = (int)get32(reader), mark->y = (int)get32(reader);
    mark->width = (int)get32(reader), mark->height = (int)get32(reader);
    if (reader->failed || mark->width < 1 || mark->height < 1 || mark->width > 65535 || mark->height > 65535
        || abs(mark->x / 2) > 65535 || abs(mark->y / 2) > 65535)
        fail(EXIT_INTERNAL, "a mark's place is not sound");
}

void marks_rows(Marks *marks, Reader *reader) {
    if (!marks) fail(EXIT_INTERNAL, "rows of no mark");
    Mark *mark = &marks->marks[marks->count - 1];
    const size_t size = (size_t)(reader->end - reader->at);
    if (mark->rows.size + size > (size_t)mark->width * (size_t)mark->height * 4) fail(EXIT_INTERNAL,
        "too many rows of a mark");
    put_raw(&mark->rows, reader->at, size);
}

// Powers by plus, minus, times and divided alone: their bits are the same with every C library.
static double power(double base, double exponent) {
    if (base <= 0) return 0;
    int twos;
    double m = frexp(base, &twos);
    if (m < 0.70710678118654752440) m *= 2, twos--;
    const double s = (m - 1) / (m + 1), q = s * s;
    double sum = 0;
    for (int k = 27; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
    const double binary = exponent * (twos + 2 * s * sum / 0.69314718055994530942);
    const double whole = floor(binary + 0.5), rest = (binary - whole) * 0.69314718055994530942;
    double e = 1;
    for (int k = 18; k >= 1; k--) e = 1 + e * rest / k;
    return ldexp(e, (int)whole);
}

static double logarithm(double value) {
    int twos;
    double m = frexp(value, &twos);
    if (m < 0.70710678118654752440) m *= 2, twos--;
    const double s = (m - 1) / (m + 1), q = s * s;
    double sum = 0;
    for (int k = 27; k >= 1; k -= 2) sum = sum * q + 1.0 / k;
    return twos * 0.69314718055994530942 + 2 * s * sum;
}

static double pq(double light) {
    const double y = power(light, 0.1593017578125);
    return power((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375);
}

static double hlg(double scene) {
    return scene <= 1.0 / 12 ? sqrt(3 * scene) : 0.17883277 * logarithm(12 * scene - 0.28466892) + 0.55991073;
}

// An sRGB colour as the film's R'G'B', from 0 to 1. White of the mark is 203 nits in HDR.
static void film_colour(const Film *film, const uint8_t *rgb, double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = rgb[i] / 255.0;
    if (film->transfer != AVCOL_TRC_SMPTE2084 && film->transfer != AVCOL_TRC_ARIB_STD_B67) return;
    double linear[3];
    for (int i = 0; i < 3; i++) linear[i] = out[i] <= 0.04045 ? out[i] / 12.92 : power((out[i] + 0.055) / 1.055, 2.4);
    static const double wide[3][3] = {
        {0.627403896, 0.329283038, 0.043313066}, {0.069097289, 0.919540395, 0.011362316}, {0.016391439, 0.088013308,
            0.895595253},
    };
    double light[3];
    for (int i = 0; i < 3; i++) light[i] = wide[i][0] * linear[0] + wide[i][1] * linear[1] + wide[i][2] * linear[2];
    if (film->transfer == AVCOL_TRC_SMPTE2084) {
        for (int i = 0; i < 3; i++) out[i] = pq(light[i] * 203 / 10000);
        return;
    }
    // The light on a display of 1,000 nits, back through HLG's system gamma of 1.2.
    const double y = 0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2];
    const double scale = y > 0 ? power(y * 0.203, 1 / 1.2) / y : 0;
    for (int i = 0; i < 3; i++) out[i] = hlg(FFMIN(light[i] * scale, 1));
}

static void weights(const Film *film, double *kr, double *kb) {
    int matrix = film->matrix;
    if (matrix == AVCOL_SPC_UNSPECIFIED) matrix = film->height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
    *kr = 0.299, *kb = 0.114;
    if (matrix == AVCOL_SPC_BT709) *kr = 0.2126, *kb = 0.0722;
    if (matrix == AVCOL_SPC_FCC) *kr = 0.30, *kb = 0.11;
    if (matrix == AVCOL_SPC_SMPTE240M) *kr = 0.212, *kb = 0.087;
    if (matrix == AVCOL_SPC_BT2020_NCL) *kr = 0.2627, *kb = 0.0593;
}

// Y', Cb, Cr in the film's code values, and alpha from 0 to 1.
typedef struct { double value[3], alpha; } Sample;

static Sample *samples_of(const Mark *mark, const Film *film) {
    const int depth = av_pix_fmt_desc_get(film->out_format)->comp[0].depth;
    const double unit = 1 << (depth - 8), most = (1 << depth) - 1;
    const bool isFull = film->range == AVCOL_RANGE_JPEG;
    double kr, kb;
    weights(film, &kr, &kb);
    const size_t count = (size_t)mark->width * (size_t)mark->height;
    Sample *samples = need(malloc(count * sizeof *samples));
    uint8_t known[3];
    double colour[3];
    for (size_t i = 0; i < count; i++) {
        const uint8_t *rgba = mark->rows.data + 4 * i;
        // Most pixels of a mark have the colour of the one before.
        if (!i || memcmp(known, rgba, 3)) {
            memcpy(known, rgba, 3);
            film_colour(film, rgba, colour);
        }
        const double y = kr * colour[0] + (1 - kr - kb) * colour[1] + kb * colour[2];
        const double cb = (colour[2] - y) / (2 * (1 - kb)), cr = (colour[0] - y) / (2 * (1 - kr));
        samples[i].alpha = rgba[3] / 255.0;
        samples[i].value[0] = isFull ? y * most : (16 + 219 * y) * unit;
        samples[i].value[1] = 128 * unit + (isFull ? cb * most : cb * 224 * unit);
        samples[i].value[2] = 128 * unit + (isFull ? cr * most : cr * 224 * unit);
    }
    return samples;
}

static int between(int value, int least, int most) { return value < least ? least : value > most ? most : value; }

// Where the mark's samples that chroma row and column look at lie, and with which weights.
typedef struct { int at[3]; double weight[3]; } Taps;

static Taps across(const Film *film, int x, int shift) {
    if (!shift) return (Taps){{x, x, x}, {1, 0, 0}};
    const int most = film->out_width - 1, chroma = film->chroma;
    const bool isCentred = chroma == AVCHROMA_LOC_CENTER || chroma == AVCHROMA_LOC_TOP || chroma == AVCHROMA_LOC_BOTTOM;
    if (isCentred) return (Taps){{2 * x, FFMIN(2 * x + 1, most), 0}, {0.5, 0.5, 0}};
    return (Taps){{FFMAX(2 * x - 1, 0), 2 * x, FFMIN(2 * x + 1, most)}, {0.25, 0.5, 0.25}};
}

static Taps down(const Film *film, int y, int shift) {
    if (!shift) return (Taps){{y, y, y}, {1, 0, 0}};
    const int most = film->out_height - 1;
    // Chroma rows of interlaced frames belong to one field, as the rows of luma do.
    const int first = film->interlaced ? 4 * (y / 2) + y % 2 : 2 * y, second = first + (film->interlaced ? 2 : 1);
    return (Taps){{FFMIN(first, most), FFMIN(second, most), 0}, {0.5, 0.5, 0}};
}

static void prepare(Mark *mark, const Sample *samples, const Film *film, int plane, int shift_x, int shift_y) {
    const int right = AV_CEIL_RSHIFT(film->out_width, shift_x), bottom = AV_CEIL_RSHIFT(film->out_height, shift_y);
    // One more on each side: filters reach over the edge.
    const int reach = shift_x || shift_y ? 2 : 0;
    Layer *layer = &mark->planes[plane];
    layer->x = between((mark->x >> shift_x) - reach, 0, right);
    layer->y = between((mark->y >> shift_y) - reach, 0, bottom);
    layer->width = between(((mark->x + mark->width) >> shift_x) + reach, 0, right) - layer->x;
    layer->height = between(((mark->y + mark->height) >> shift_y) + reach, 0, bottom) - layer->y;
    if (layer->width <= 0 || layer->height <= 0) {
        layer->width = layer->height = 0;
        return;
    }
    const size_t count = (size_t)layer->width * (size_t)layer->height;
    layer->colour = need(malloc(count * sizeof *layer->colour));
    layer->alpha = need(malloc(count * sizeof *layer->alpha));
    for (int y = 0; y < layer->height; y++) {
        const Taps rows = down(film, layer->y + y, shift_y);
        for (int x = 0; x < layer->width; x++) {
            const Taps columns = across(film, layer->x + x, shift_x);
            double colour = 0, alpha = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++) {
                    const int sx = columns.at[i] - mark->x, sy = rows.at[j] - mark->y;
                    const double weight = columns.weight[i] * rows.weight[j];
                    if (weight == 0 || sx < 0 || sy < 0 || sx >= mark->width || sy >= mark->height) continue;
                    const Sample *sample = &samples[(size_t)sy * (size_t)mark->width + (size_t)sx];
                    colour += weight * sample->alpha * sample->value[plane];
                    alpha += weight * sample->alpha;
                }
            const size_t at = (size_t)y * (size_t)layer->width + (size_t)x;
            layer->colour[at] = (uint32_t)(colour * 65535 + 0.5);
            layer->alpha[at] = (uint16_t)(alpha * 65535 + 0.5);
        }
    }
}

void marks_finish(Marks *marks, const Film *film) {
    if (!marks) return;
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(film->out_format);
    marks->deep = pixels->comp[0].depth > 8;
    for (int i = 0; i < marks->count; i++) {
        Mark *mark = &marks->marks[i];
        if (mark->rows.size != (size_t)mark->width * (size_t)mark->height * 4) fail(EXIT_INTERNAL, "a mark lacks rows");
        Sample *samples = samples_of(mark, film);
        for (int plane = 0; plane < 3; plane++)
            prepare(mark, samples, film, plane, plane ? pixels->log2_chroma_w : 0, plane ? pixels->log2_chroma_h : 0);
        free(samples);
        free(mark->rows.data);
    }
}

static void blend8(const Layer *layer, uint8_t *row, int y) {
    const uint32_t *colour = layer->colour + (size_t)y * (size_t)layer->width;
    const uint16_t *alpha = layer->alpha + (size_t)y * (size_t)layer->width;
    for (int x = 0; x < layer->width; x++) row[x] = (uint8_t)((colour[x] + (65535u - alpha[x]) * row[x] + 32767)
        / 65535);
}

static void blend16(const Layer *layer, uint16_t *row, int y) {
    const uint32_t *colour = layer->colour + (size_t)y * (size_t)layer->width;
    const uint16_t *alpha = layer->alpha + (size_t)y * (size_t)layer->width;
    for (int x = 0; x < layer->width; x++) row[x] = (uint16_t)((colour[x] + (65535u - alpha[x]) * row[x] + 32767)
        / 65535);
}

void marks_blend(const Marks *marks, AVFrame *frame) {
    for (int i = 0; marks && i < marks->count; i++)
        for (int plane = 0; plane < 3; plane++) {
            const Layer *layer = &marks->marks[i].planes[plane];
            for (int y = 0; y < layer->height; y++) {
                uint8_t *row = frame->data[plane] + (ptrdiff_t)(layer->y + y) * frame->linesize[plane];
                if (marks->deep) blend16(layer, (uint16_t *)row + layer->x, y);
                else blend8(layer, row + layer->x, y);
            }
        }
}
