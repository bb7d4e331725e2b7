#include "ink_jxl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of the library's interface, whose structures have not changed since 0.7.
typedef struct {
    int have_container;
    uint32_t xsize, ysize, bits_per_sample, exponent_bits_per_sample;
    float intensity_target, min_nits;
    int relative_to_max_display;
    float linear_below;
    int uses_original_profile, have_preview, have_animation, orientation;
    uint32_t num_color_channels, num_extra_channels, alpha_bits, alpha_exponent_bits;
    int alpha_premultiplied;
    uint32_t preview[2], animation[4], intrinsic_size[2];
    uint8_t padding[100];
} jxl_basic_info;

typedef struct {
    int color_space, white_point;
    double white_point_xy[2];
    int primaries;
    double primaries_xy[6];
    int transfer_function;
    double gamma;
    int rendering_intent;
} jxl_color_encoding;

typedef struct {
    int blendmode;
    uint32_t source, alpha;
    int clamp;
} jxl_blend_info;

typedef struct {
    uint32_t duration, timecode, name_length;
    int is_last;
    struct {
        int have_crop;
        int32_t crop_x0, crop_y0;
        uint32_t xsize, ysize;
        jxl_blend_info blend_info;
        uint32_t save_as_reference;
    } layer_info;
} jxl_frame_header;

typedef struct {
    uint32_t num_channels;
    int data_type, endianness;
    size_t align;
} jxl_pixel_format;

enum { success = 0, need_more_output = 2 };
enum { type_uint8 = 2 };
enum {
    setting_effort = 0, setting_resampling = 2, setting_extra_channel_resampling = 3, setting_dots = 7,
    setting_patches = 8, setting_responsive = 16, setting_progressive_dc = 19
};

static struct {
    int is_whole;
    char version[24];
    uint32_t (*EncoderVersion)(void);
    void *(*EncoderCreate)(const void *);
    void (*EncoderDestroy)(void *);
    void (*EncoderInitBasicInfo)(jxl_basic_info *);
    int (*EncoderSetBasicInfo)(void *, const jxl_basic_info *);
    void (*ColorEncodingSetToSRGB)(jxl_color_encoding *, int);
    int (*EncoderSetColorEncoding)(void *, const jxl_color_encoding *);
    void *(*EncoderFrameSettingsCreate)(void *, const void *);
    int (*EncoderFrameSettingsSetOption)(void *, int, int64_t);
    int (*EncoderSetFrameLossless)(void *, int);
    int (*EncoderSetFrameDistance)(void *, float);
    void (*EncoderInitFrameHeader)(jxl_frame_header *);
    int (*EncoderSetFrameHeader)(void *, const jxl_frame_header *);
    int (*EncoderAddImageFrame)(void *, const jxl_pixel_format *, const void *, size_t);
    void (*EncoderCloseInput)(void *);
    int (*EncoderProcessOutput)(void *, uint8_t **, size_t *);
} jxl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = NULL;
    for (int minor = 7; library == NULL && minor <= 11; minor++) {
        char name[24];
        snprintf(name, sizeof name, "libjxl.so.0.%d", minor);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) return;
    int found = 1;
#define FIND(name) found &= (*(void **)(void *)&jxl.name = dlsym(library, "Jxl" #name)) != NULL
    FIND(EncoderVersion);
    FIND(EncoderCreate);
    FIND(EncoderDestroy);
    FIND(EncoderInitBasicInfo);
    FIND(EncoderSetBasicInfo);
    FIND(ColorEncodingSetToSRGB);
    FIND(EncoderSetColorEncoding);
    FIND(EncoderFrameSettingsCreate);
    FIND(EncoderFrameSettingsSetOption);
    FIND(EncoderSetFrameLossless);
    FIND(EncoderSetFrameDistance);
    FIND(EncoderInitFrameHeader);
    FIND(EncoderSetFrameHeader);
    FIND(EncoderAddImageFrame);
    FIND(EncoderCloseInput);
    FIND(EncoderProcessOutput);
#undef FIND
    if (!found) return;
    uint32_t version = jxl.EncoderVersion();
    snprintf(jxl.version, sizeof jxl.version, "%u.%u.%u", version / 1000000, version / 1000 % 1000, version % 1000);
    jxl.is_whole = 1;
}

int ink_jxl_is_present(void) {
    pthread_once(&once, load);
    return jxl.is_whole;
}

const char *ink_jxl_version(void) { return ink_jxl_is_present() ? jxl.version : ""; }

// Adds a frame of `width` x `height` pixels at row `y`.
static int add(
    void *encoder, const ink_jxl_settings *settings, const uint8_t *pixels, uint32_t y, uint32_t width,
    uint32_t height, int is_cut) {
    void *frame = jxl.EncoderFrameSettingsCreate(encoder, NULL);
    if (frame == NULL) return 0;
    jxl_frame_header header;
    jxl.EncoderInitFrameHeader(&header);
    header.layer_info.have_crop = is_cut;
    header.layer_info.crop_y0 = (int32_t)y;
    header.layer_info.xsize = width;
    header.layer_info.ysize = height;
    jxl_pixel_format format = {settings->channels, type_uint8, 0, 0};
    // Frames before this one, of dots, of patches and of the lowest frequencies, are written wrongly for a frame that is
    // not all of the picture (0.7). Alpha that comes step by step, or from fewer samples, loses more.
    const int options[][2] = {
        {setting_effort, settings->effort}, {setting_dots, 0}, {setting_patches, 0}, {setting_progressive_dc, 0},
        {setting_responsive, 0}, {setting_resampling, 1}, {setting_extra_channel_resampling, 1},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (jxl.EncoderFrameSettingsSetOption(frame, options[i][0], options[i][1]) != success) return 0;
    }
    int status = settings->is_lossless ? jxl.EncoderSetFrameLossless(frame, 1)
                                       : jxl.EncoderSetFrameDistance(frame, settings->distance);
    return status == success && jxl.EncoderSetFrameHeader(frame, &header) == success &&
        jxl.EncoderAddImageFrame(frame, &format, pixels, (size_t)width * height * settings->channels) == success;
}

typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} buffer;

// Appends all that the encoder has. As long as its input is not closed, it takes no frame for the last.
static const char *take(void *encoder, buffer *out) {
    for (;;) {
        if (out->capacity - out->count < 1 << 16) {
            size_t capacity = out->capacity < 1 << 17 ? 1 << 18 : 2 * out->capacity;
            uint8_t *bytes = realloc(out->bytes, capacity);
            if (bytes == NULL) return "no memory";
            out->bytes = bytes;
            out->capacity = capacity;
        }
        uint8_t *next = out->bytes + out->count;
        size_t available = out->capacity - out->count;
        int status = jxl.EncoderProcessOutput(encoder, &next, &available);
        out->count = (size_t)(next - out->bytes);
        if (status == success) return NULL;
        if (status != need_more_output) return "it failed, as without memory";
    }
}

const char *ink_jxl_encode(
    const uint8_t *pixels, const ink_jxl_settings *settings, uint8_t **frame, size_t *count) {
    if (!ink_jxl_is_present()) return "it is not installed";
    void *encoder = jxl.EncoderCreate(NULL);
    if (encoder == NULL) return "no memory";
    const char *failure = "it refused the settings";
    buffer out = {NULL, 0, 0};
    jxl_basic_info info;
    jxl.EncoderInitBasicInfo(&info);
    // How a frame is written does not depend on the size of the picture, but on whether the frame is all of it. A
    // picture of any size is therefore encoded as a low one, which is allowed at the level that most pictures have.
    info.xsize = settings->width;
    info.ysize = settings->is_whole ? settings->height : settings->height + 1;
    info.bits_per_sample = 8;
    info.uses_original_profile = settings->is_lossless;
    info.num_extra_channels = settings->channels == 4;
    info.alpha_bits = settings->channels == 4 ? 8 : 0;
    jxl_color_encoding color;
    jxl.ColorEncodingSetToSRGB(&color, 0);
    static const uint8_t pixel[4];
    if (jxl.EncoderSetBasicInfo(encoder, &info) != success || jxl.EncoderSetColorEncoding(encoder, &color) != success)
        goto done;
    // The header of the codestream comes with the first frame, which is one that nobody wants.
    if (!add(encoder, settings, pixel, 0, 1, 1, 1)) goto done;
    failure = take(encoder, &out);
    if (failure != NULL) goto done;
    out.count = 0;
    failure = "it refused the rows";
    if (!add(
            encoder, settings, pixels, settings->first_row, settings->width, settings->height, !settings->is_whole))
        goto done;
    if (settings->is_last) jxl.EncoderCloseInput(encoder);
    failure = take(encoder, &out);
    if (failure == NULL && out.count == 0) failure = "it made no frame";
done:
    jxl.EncoderDestroy(encoder);
    if (failure != NULL) {
        free(out.bytes);
        return failure;
    }
    *frame = out.bytes;
    *count = out.count;
    return NULL;
}
