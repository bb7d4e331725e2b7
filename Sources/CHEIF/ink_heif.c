#include "ink_heif.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What is used of the library's interface, which is stable since 1.4.
typedef struct {
    int code;
    int subcode;
    const char *message;
} heif_error;

enum { colorspace_rgb = 1, chroma_rgb = 10, chroma_rgba = 11, chroma_rgb_16 = 14, chroma_rgba_16 = 15 };
enum { colorspace_ycbcr = 0, chroma_444 = 3, colorspace_monochrome = 2, chroma_monochrome = 0 };
enum { channel_luma = 0, channel_interleaved = 10 };
enum { compression_hevc = 1, compression_av1 = 4 };
enum { matrix_identity = 0 };

// The beginning of a structure that the library allocates.
typedef struct {
    uint8_t version;
    int color_primaries, transfer_characteristics, matrix_coefficients;
} heif_nclx;

// Limits of a picture before it is cut: libheif's own, which no edge may reach, and one of what is decoded.
enum { edge_max = 32768, pixels_max = 1 << 28 };

static struct {
    int is_whole;
    const char *(*get_version)(void);
    int (*have_decoder_for_format)(int);
    void *(*context_alloc)(void);
    void (*context_free)(void *);
    void (*context_set_maximum_image_size_limit)(void *, int);
    heif_error (*context_read_from_memory_without_copy)(void *, const void *, size_t, const void *);
    heif_error (*context_get_primary_image_handle)(void *, void **);
    void (*image_handle_release)(const void *);
    int (*image_handle_get_width)(const void *);
    int (*image_handle_get_height)(const void *);
    int (*image_handle_get_ispe_width)(const void *);
    int (*image_handle_get_ispe_height)(const void *);
    int (*image_handle_has_alpha_channel)(const void *);
    int (*image_handle_get_luma_bits_per_pixel)(const void *);
    size_t (*image_handle_get_raw_color_profile_size)(const void *);
    heif_error (*image_handle_get_raw_color_profile)(const void *, void *);
    int (*image_handle_get_list_of_metadata_block_IDs)(const void *, const char *, uint32_t *, int);
    const char *(*image_handle_get_metadata_content_type)(const void *, uint32_t);
    size_t (*image_handle_get_metadata_size)(const void *, uint32_t);
    heif_error (*image_handle_get_metadata)(const void *, uint32_t, void *);
    heif_error (*decode_image)(const void *, void **, int, int, const void *);
    int (*image_get_width)(const void *, int);
    int (*image_get_height)(const void *, int);
    int (*image_get_bits_per_pixel_range)(const void *, int);
    const uint8_t *(*image_get_plane_readonly)(const void *, int, int *);
    void (*image_release)(const void *);
    // For encoding; not every build of the library has an encoder.
    int can_encode;
    int (*have_encoder_for_format)(int);
    heif_error (*context_get_encoder_for_format)(void *, int, void **);
    void (*encoder_release)(void *);
    heif_error (*encoder_set_lossy_quality)(void *, int);
    heif_error (*encoder_set_lossless)(void *, int);
    heif_error (*encoder_set_parameter_integer)(void *, const char *, int);
    heif_error (*encoder_set_parameter_string)(void *, const char *, const char *);
    heif_error (*image_create)(int, int, int, int, void **);
    heif_error (*image_add_plane)(void *, int, int, int, int);
    uint8_t *(*image_get_plane)(void *, int, int *);
    heif_nclx *(*nclx_color_profile_alloc)(void);
    void (*nclx_color_profile_free)(heif_nclx *);
    heif_error (*image_set_nclx_color_profile)(void *, const heif_nclx *);
    heif_error (*context_encode_image)(void *, const void *, void *, const void *, void **);
    heif_error (*context_write)(void *, void *, void *);
} heif;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libheif.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    int found = 1;
#define FIND(name) found &= (*(void **)(void *)&heif.name = dlsym(library, "heif_" #name)) != NULL
    FIND(get_version);
    FIND(have_decoder_for_format);
    FIND(context_alloc);
    FIND(context_free);
    FIND(context_set_maximum_image_size_limit);
    FIND(context_read_from_memory_without_copy);
    FIND(context_get_primary_image_handle);
    FIND(image_handle_release);
    FIND(image_handle_get_width);
    FIND(image_handle_get_height);
    FIND(image_handle_get_ispe_width);
    FIND(image_handle_get_ispe_height);
    FIND(image_handle_has_alpha_channel);
    FIND(image_handle_get_luma_bits_per_pixel);
    FIND(image_handle_get_raw_color_profile_size);
    FIND(image_handle_get_raw_color_profile);
    FIND(image_handle_get_list_of_metadata_block_IDs);
    FIND(image_handle_get_metadata_content_type);
    FIND(image_handle_get_metadata_size);
    FIND(image_handle_get_metadata);
    FIND(decode_image);
    FIND(image_get_width);
    FIND(image_get_height);
    FIND(image_get_bits_per_pixel_range);
    FIND(image_get_plane_readonly);
    FIND(image_release);
    heif.is_whole = found;
    FIND(have_encoder_for_format);
    FIND(context_get_encoder_for_format);
    FIND(encoder_release);
    FIND(encoder_set_lossy_quality);
    FIND(encoder_set_lossless);
    FIND(encoder_set_parameter_integer);
    FIND(encoder_set_parameter_string);
    FIND(image_create);
    FIND(image_add_plane);
    FIND(image_get_plane);
    FIND(nclx_color_profile_alloc);
    FIND(nclx_color_profile_free);
    FIND(image_set_nclx_color_profile);
    FIND(context_encode_image);
    FIND(context_write);
#undef FIND
    heif.can_encode = found;
}

int ink_heif_is_present(void) {
    pthread_once(&once, load);
    return heif.is_whole;
}

const char *ink_heif_version(void) { return ink_heif_is_present() ? heif.get_version() : ""; }

int ink_heif_can_decode(int is_avif) {
    return ink_heif_is_present() && heif.have_decoder_for_format(is_avif ? compression_av1 : compression_hevc) != 0;
}

struct ink_heif_reader {
    const uint8_t *bytes;
    size_t count;
    void *context, *handle, *image;
    const uint8_t *plane;
    int stride, bits;
    ink_heif_layout layout;
    char message[256];
};

ink_heif_reader *ink_heif_open(const uint8_t *bytes, size_t count) {
    ink_heif_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    return reader;
}

static int say(ink_heif_reader *reader, const char *text) {
    snprintf(reader->message, sizeof reader->message, "%s", text != NULL ? text : "for an unknown reason");
    for (char *c = reader->message; *c != 0; c++) {
        if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    }
    return 0;
}

int ink_heif_read_layout(ink_heif_reader *reader, ink_heif_layout *layout) {
    if (!ink_heif_is_present()) return say(reader, "libheif is missing");
    reader->context = heif.context_alloc();
    if (reader->context == NULL) return say(reader, "no memory");
    heif.context_set_maximum_image_size_limit(reader->context, edge_max);
    heif_error error =
        heif.context_read_from_memory_without_copy(reader->context, reader->bytes, reader->count, NULL);
    if (error.code == 0) error = heif.context_get_primary_image_handle(reader->context, &reader->handle);
    if (error.code != 0) return say(reader, error.message);
    int width = heif.image_handle_get_width(reader->handle), height = heif.image_handle_get_height(reader->handle);
    if (width <= 0 || height <= 0) return say(reader, "it does not say its size");
    int64_t whole_width = heif.image_handle_get_ispe_width(reader->handle);
    if (whole_width * heif.image_handle_get_ispe_height(reader->handle) > pixels_max)
        return say(reader, "it has more than 2^28 pixels before it is cut");
    layout->width = (uint32_t)width;
    layout->height = (uint32_t)height;
    layout->has_alpha = heif.image_handle_has_alpha_channel(reader->handle) != 0;
    layout->is_16_bit = heif.image_handle_get_luma_bits_per_pixel(reader->handle) > 8;
    layout->profile_bytes = heif.image_handle_get_raw_color_profile_size(reader->handle);
    reader->layout = *layout;
    return 1;
}

int ink_heif_read_profile(ink_heif_reader *reader, uint8_t *profile) {
    return heif.image_handle_get_raw_color_profile(reader->handle, profile).code == 0;
}

// Of the first block of a kind among the first few. 0: there is none.
static int find_metadata(const ink_heif_reader *reader, int is_exif, uint32_t *block) {
    enum { block_count_max = 16 };
    uint32_t blocks[block_count_max];
    const char *type = is_exif ? "Exif" : "mime";
    int count = heif.image_handle_get_list_of_metadata_block_IDs(reader->handle, type, blocks, block_count_max);
    for (int index = 0; index < count; index++) {
        const char *content = is_exif ? "" : heif.image_handle_get_metadata_content_type(reader->handle, blocks[index]);
        if (!is_exif && (content == NULL || strcmp(content, "application/rdf+xml") != 0)) continue;
        *block = blocks[index];
        return 1;
    }
    return 0;
}

size_t ink_heif_metadata_bytes(const ink_heif_reader *reader, int is_exif) {
    uint32_t block;
    return find_metadata(reader, is_exif, &block) ? heif.image_handle_get_metadata_size(reader->handle, block) : 0;
}

int ink_heif_read_metadata(const ink_heif_reader *reader, int is_exif, uint8_t *bytes) {
    uint32_t block;
    return find_metadata(reader, is_exif, &block) &&
           heif.image_handle_get_metadata(reader->handle, block, bytes).code == 0;
}

int ink_heif_decode(ink_heif_reader *reader, uint32_t width, uint32_t height) {
    int is_wide = reader->layout.is_16_bit, has_alpha = reader->layout.has_alpha;
    int chroma = is_wide ? (has_alpha ? chroma_rgba_16 : chroma_rgb_16) : has_alpha ? chroma_rgba : chroma_rgb;
    heif_error error = heif.decode_image(reader->handle, &reader->image, colorspace_rgb, chroma, NULL);
    if (error.code != 0) return say(reader, error.message);
    reader->plane = heif.image_get_plane_readonly(reader->image, channel_interleaved, &reader->stride);
    reader->bits = heif.image_get_bits_per_pixel_range(reader->image, channel_interleaved);
    if (reader->plane == NULL ||
        heif.image_get_width(reader->image, channel_interleaved) != (int)width ||
        heif.image_get_height(reader->image, channel_interleaved) != (int)height)
        return say(reader, "it says two sizes");
    reader->layout.width = width;
    reader->layout.height = height;
    if (is_wide ? reader->bits < 9 || reader->bits > 16 : reader->bits != 8)
        return say(reader, "it says two depths");
    return 1;
}

void ink_heif_copy_row(const ink_heif_reader *reader, uint32_t y, uint8_t *row) {
    const uint8_t *from = reader->plane + (ptrdiff_t)y * reader->stride;
    size_t samples = (size_t)reader->layout.width * (reader->layout.has_alpha ? 4 : 3);
    if (!reader->layout.is_16_bit) {
        memcpy(row, from, samples);
        return;
    }
    uint32_t full = (1u << reader->bits) - 1;
    for (size_t i = 0; i < samples; i++) {
        uint32_t value = from[2 * i] | (uint32_t)from[2 * i + 1] << 8;
        uint16_t wide = (uint16_t)((uint64_t)(value < full ? value : full) * 65535 / full);
        memcpy(row + 2 * i, &wide, 2);
    }
}

const char *ink_heif_error(const ink_heif_reader *reader) { return reader->message; }

void ink_heif_close(ink_heif_reader *reader) {
    if (reader->image != NULL) heif.image_release(reader->image);
    if (reader->handle != NULL) heif.image_handle_release(reader->handle);
    if (reader->context != NULL) heif.context_free(reader->context);
    free(reader);
}

// MARK: - Encoding

static const heif_error no_memory = {6, 0, "no memory"};

typedef struct {
    int version;
    heif_error (*write)(void *, const void *, size_t, void *);
} heif_writer;

typedef struct {
    uint8_t *bytes;
    size_t count;
} written;

static heif_error keep(void *context, const void *bytes, size_t count, void *user) {
    (void)context;
    written *file = user;
    file->bytes = malloc(count > 0 ? count : 1);
    if (file->bytes == NULL) return no_memory;
    memcpy(file->bytes, bytes, count);
    file->count = count;
    return (heif_error){0, 0, ""};
}

int ink_heif_can_encode(int is_avif) {
    return ink_heif_is_present() && heif.can_encode &&
        heif.have_encoder_for_format(is_avif ? compression_av1 : compression_hevc) != 0;
}

// Adds a channel: `count` of every `step` samples.
static heif_error add_plane(
    void *image, int channel, const ink_heif_settings *settings, const uint8_t *samples, size_t step, size_t count) {
    heif_error error = heif.image_add_plane(image, channel, (int)settings->width, (int)settings->height, 8);
    if (error.code != 0) return error;
    int stride = 0;
    uint8_t *plane = heif.image_get_plane(image, channel, &stride);
    if (plane == NULL) return no_memory;
    for (uint32_t y = 0; y < settings->height; y++) {
        uint8_t *to = plane + (ptrdiff_t)stride * y;
        for (uint32_t x = 0; x < settings->width; x++, samples += step) {
            for (size_t i = 0; i < count; i++) *to++ = samples[i];
        }
    }
    return error;
}

// x265 fills its table of functions when its first encoder is opened, and looks only at one entry to see whether that
// is done: a second thread that opens one meanwhile calls functions that are not there yet. So the first picture of a
// process is encoded alone.
static pthread_mutex_t first_hevc_picture = PTHREAD_MUTEX_INITIALIZER;
static int hevc_is_set_up;

// Whether this picture is the first, which has to end by `leave_first_hevc_picture`.
static int enter_first_hevc_picture(void) {
    pthread_mutex_lock(&first_hevc_picture);
    if (!hevc_is_set_up) return 1;
    pthread_mutex_unlock(&first_hevc_picture);
    return 0;
}

static void leave_first_hevc_picture(int is_made) {
    if (is_made) hevc_is_set_up = 1;
    pthread_mutex_unlock(&first_hevc_picture);
}

int ink_heif_encode(
    const uint8_t *pixels, const ink_heif_settings *settings, uint8_t **file, size_t *count,
    char message[INK_HEIF_MESSAGE_BYTES]) {
    message[0] = 0;
    if (!ink_heif_can_encode(settings->is_avif)) {
        snprintf(message, INK_HEIF_MESSAGE_BYTES, "libheif is not there, or has no encoder for the format");
        return 0;
    }
    void *context = heif.context_alloc();
    void *encoder = NULL;
    void *image = NULL;
    void *handle = NULL;
    written made = {NULL, 0};
    heif_nclx *profile = NULL;
    heif_error error = no_memory;
    int is_gray = settings->channels == 1;
    int width = (int)settings->width;
    int height = (int)settings->height;
    int is_first_hevc = !settings->is_avif && enter_first_hevc_picture();
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        error = (call);                                                                                                \
        if (error.code != 0) goto done;                                                                                \
    } while (0)
    if (context == NULL) goto done;
    TRY(heif.context_get_encoder_for_format(
        context, settings->is_avif ? compression_av1 : compression_hevc, &encoder));
    if (settings->is_lossless) {
        TRY(heif.encoder_set_lossless(encoder, 1));
    } else {
        TRY(heif.encoder_set_lossy_quality(encoder, settings->quality));
    }
    if (settings->is_avif) {
        TRY(heif.encoder_set_parameter_integer(encoder, "speed", settings->speed));
        TRY(heif.encoder_set_parameter_integer(encoder, "threads", 1));
    } else {
        TRY(heif.encoder_set_parameter_string(encoder, "preset", settings->preset));
        TRY(heif.encoder_set_parameter_string(encoder, "x265:pools", "none"));
        TRY(heif.encoder_set_parameter_string(encoder, "x265:frame-threads", "1"));
    }
    if (!is_gray)
        TRY(heif.encoder_set_parameter_string(encoder, "chroma", settings->full_chroma ? "444" : "420"));
    if (is_gray) {
        TRY(heif.image_create(width, height, colorspace_monochrome, chroma_monochrome, &image));
        TRY(add_plane(image, channel_luma, settings, pixels, 1, 1));
    } else if (settings->is_lossless) {
        // The library's conversions round. So green, blue and red take the places of luma and chroma, and the profile
        // says so.
        TRY(heif.image_create(width, height, colorspace_ycbcr, chroma_444, &image));
        for (int plane = 0; plane < 3; plane++)
            TRY(add_plane(image, channel_luma + plane, settings, pixels + (plane + 1) % 3, 3, 1));
        error = no_memory;
        profile = heif.nclx_color_profile_alloc();
        if (profile == NULL) goto done;
        profile->matrix_coefficients = matrix_identity;
        TRY(heif.image_set_nclx_color_profile(image, profile));
    } else {
        TRY(heif.image_create(width, height, colorspace_rgb, chroma_rgb, &image));
        TRY(add_plane(image, channel_interleaved, settings, pixels, 3, 3));
    }
    TRY(heif.context_encode_image(context, image, encoder, NULL, &handle));
    heif_writer writer = {1, keep};
    TRY(heif.context_write(context, &writer, &made));
#undef TRY
done:
    if (is_first_hevc) leave_first_hevc_picture(error.code == 0);
    if (error.code != 0)
        snprintf(message, INK_HEIF_MESSAGE_BYTES, "%s", error.message != NULL ? error.message : "it failed");
    if (profile != NULL) heif.nclx_color_profile_free(profile);
    if (handle != NULL) heif.image_handle_release(handle);
    if (image != NULL) heif.image_release(image);
    if (encoder != NULL) heif.encoder_release(encoder);
    if (context != NULL) heif.context_free(context);
    if (error.code != 0) {
        free(made.bytes);
        return 0;
    }
    *file = made.bytes;
    *count = made.count;
    return 1;
}
