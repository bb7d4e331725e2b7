#include "ink_webp.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>

static void find_chunk(const WebPDemuxer *demuxer, const char *name, const uint8_t **bytes, size_t *count) {
    WebPChunkIterator chunk;
    if (!WebPDemuxGetChunk(demuxer, name, 1, &chunk)) return;
    *bytes = chunk.chunk.bytes;
    *count = chunk.chunk.size;
    WebPDemuxReleaseChunkIterator(&chunk);
}

int ink_webp_read_layout(const uint8_t *bytes, size_t count, ink_webp_layout *layout) {
    memset(layout, 0, sizeof *layout);
    WebPData data = {bytes, count};
    WebPDemuxer *demuxer = WebPDemux(&data);
    if (demuxer == NULL) return 0;
    layout->width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
    layout->height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    WebPIterator frame;
    int is_found = WebPDemuxGetFrame(demuxer, 1, &frame);
    if (is_found) {
        layout->frame_x = (uint32_t)frame.x_offset;
        layout->frame_y = (uint32_t)frame.y_offset;
        layout->frame_width = (uint32_t)frame.width;
        layout->frame_height = (uint32_t)frame.height;
        layout->frame = frame.fragment.bytes;
        layout->frame_bytes = frame.fragment.size;
        layout->has_alpha =
            frame.has_alpha || layout->frame_width < layout->width || layout->frame_height < layout->height;
        WebPDemuxReleaseIterator(&frame);
        find_chunk(demuxer, "EXIF", &layout->exif, &layout->exif_bytes);
        find_chunk(demuxer, "ICCP", &layout->profile, &layout->profile_bytes);
    }
    WebPDemuxDelete(demuxer);
    return is_found && layout->width > 0 && layout->height > 0 &&
           (uint64_t)layout->frame_x + layout->frame_width <= layout->width &&
           (uint64_t)layout->frame_y + layout->frame_height <= layout->height;
}

const char *ink_webp_decode(const ink_webp_layout *layout, uint8_t *pixels) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return "another version of libwebp";
    VP8StatusCode status = WebPGetFeatures(layout->frame, layout->frame_bytes, &config.input);
    if (status == VP8_STATUS_OK && ((uint32_t)config.input.width != layout->frame_width ||
                                    (uint32_t)config.input.height != layout->frame_height))
        return "it says two sizes";
    size_t channels = layout->has_alpha ? 4 : 3;
    size_t stride = layout->width * channels;
    size_t start = layout->frame_y * stride + layout->frame_x * channels;
    config.output.colorspace = layout->has_alpha ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels + start;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = layout->height * stride - start;
    if (status == VP8_STATUS_OK) status = WebPDecode(layout->frame, layout->frame_bytes, &config);
    WebPFreeDecBuffer(&config.output);
    switch (status) {
    case VP8_STATUS_OK: return NULL;
    case VP8_STATUS_OUT_OF_MEMORY: return "no memory";
    case VP8_STATUS_UNSUPPORTED_FEATURE: return "it uses something unknown";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return "it ends inside the picture";
    default: return "its pixels are broken";
    }
}

static const char *encoding_failure(WebPEncodingError error) {
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: return "no memory";
    case VP8_ENC_ERROR_BAD_DIMENSION: return "the picture is too large";
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG: return "the file becomes too large for WebP (choose a lower quality)";
    case VP8_ENC_ERROR_USER_ABORT: return "cancelled";
    default: return "the encoder failed";
    }
}

static int goes_on(int percent, const WebPPicture *picture) {
    (void)percent;
    const ink_webp_settings *settings = picture->user_data;
    return settings->is_cancelled == NULL || !settings->is_cancelled(settings->context);
}

const char *ink_webp_encode(
    const uint8_t *pixels, const ink_webp_settings *settings, uint8_t **file, size_t *count) {
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return "another version of libwebp";
    if (settings->is_lossless) {
        if (!WebPConfigLosslessPreset(&config, settings->effort)) return "unknown settings";
    } else {
        config.quality = settings->quality;
        config.method = settings->effort;
    }
    picture.use_argb = settings->is_lossless;
    picture.width = (int)settings->width;
    picture.height = (int)settings->height;
    WebPMemoryWriter writer;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    picture.progress_hook = goes_on;
    picture.user_data = (void *)settings;
    int stride = (int)(settings->width * settings->bytes_per_pixel);
    int is_done = settings->bytes_per_pixel == 4 ? WebPPictureImportRGBA(&picture, pixels, stride)
                                                 : WebPPictureImportRGB(&picture, pixels, stride);
    is_done = is_done && WebPEncode(&config, &picture);
    const char *failure = is_done ? NULL : encoding_failure(picture.error_code);
    WebPPictureFree(&picture);
    if (failure != NULL) {
        WebPMemoryWriterClear(&writer);
        return failure;
    }
    *file = writer.mem;
    *count = writer.size;
    return NULL;
}

void ink_webp_free(uint8_t *file) { WebPFree(file); }
