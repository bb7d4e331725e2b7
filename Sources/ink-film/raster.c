// Encodes frames that a worker draws: Y'CbCr into a piece of a film, RGBA into a GIF. Frames lie in a memfd, in slots.
#include "film.h"

#include <errno.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { uint32_t slot; int64_t pts, duration; } Shown;

static bool ask_frame(Shown *shown) {
    send_message(ASK_FRAME, NULL);
    enum Message type;
    Reader reader = receive_message(&type);
    if (type == END) return false;
    *shown = (Shown){get32(&reader), 0, 0};
    shown->pts = (int64_t)get64(&reader);
    shown->duration = (int64_t)get64(&reader);
    if (type != FRAME || reader.failed || shown->duration < 0) fail(EXIT_INTERNAL, "the answer is not a frame");
    return true;
}

static void read_at(off_t offset, uint8_t *bytes, size_t size) {
    while (size) {
        const ssize_t got = pread(INPUT_DESCRIPTOR, bytes, size, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) fail(EXIT_INTERNAL, "a frame's slot is beyond its memory");
        bytes += got, offset += got, size -= (size_t)got;
    }
}

// Rows of a slot have no gaps; planes follow one another.
static AVFrame *read_frame(enum AVPixelFormat format, int width, int height, const Shown *shown) {
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(format);
    const int planes = av_pix_fmt_count_planes(format);
    AVFrame *frame = need(av_frame_alloc());
    frame->format = format;
    frame->width = width;
    frame->height = height;
    frame->pts = shown->pts;
    frame->pkt_duration = shown->duration;
    if (av_frame_get_buffer(frame, 64)) need(NULL);
    size_t each = 0;
    for (int pass = 0; pass < 2; pass++) {
        off_t at = (off_t)shown->slot * (off_t)each;
        for (int plane = 0; plane < planes; plane++) {
            const int rows = plane ? AV_CEIL_RSHIFT(height, pixels->log2_chroma_h) : height;
            const int samples = plane ? AV_CEIL_RSHIFT(width, pixels->log2_chroma_w) : width;
            const size_t row = (size_t)samples * (planes == 1 ? 4 : 1);
            for (int y = 0; pass && y < rows; y++, at += (off_t)row)
                read_at(at, frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane], row);
            if (!pass) each += row * (size_t)rows;
        }
    }
    return frame;
}

static int number(const char *key, int least, int most) {
    const int64_t value = number_setting(key, INT64_MIN, least, most);
    if (value == INT64_MIN) fail(EXIT_ARGUMENT, "the setting %s is missing", key);
    return (int)value;
}

// A film that is drawn has no source: one track, in the colours that drawings have.
static Film drawn_film(void) {
    Film film = {.track_count = 1};
    snprintf(film.container, sizeof film.container, "drawn");
    snprintf(film.codec, sizeof film.codec, "%s", setting("codec", "h264"));
    snprintf(film.format, sizeof film.format, "%s", setting("format", "mp4"));
    film.width = film.out_width = number("width", 1, 65535);
    film.height = film.out_height = number("height", 1, 65535);
    const bool keepsChroma = !strcmp(setting("chroma", "4:2:0"), "4:4:4");
    film.pixel_format = film.out_format = keepsChroma ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
    film.aspect = (AVRational){1, 1};
    film.range = AVCOL_RANGE_MPEG;
    film.primaries = AVCOL_PRI_BT709;
    film.matrix = AVCOL_SPC_BT709;
    // The samples are what sRGB says.
    film.transfer = AVCOL_TRC_IEC61966_2_1;
    film.chroma = keepsChroma ? AVCHROMA_LOC_UNSPECIFIED : AVCHROMA_LOC_LEFT;
    film.frames = (uint64_t)number_setting("frames", 0, 0, 100000000);
    film.last_duration = number_setting("last-duration", 1, 1, INT64_MAX >> 8);
    Track *track = &film.tracks[0];
    track->parameters = need(avcodec_parameters_alloc());
    track->parameters->codec_type = AVMEDIA_TYPE_VIDEO;
    track->parameters->codec_id = AV_CODEC_ID_RAWVIDEO;
    track->clock = film.origin_clock = (AVRational){1, number("clock", 1, 10000000)};
    track->rate = (AVRational){number("rate", 1, 1000), 1};
    track->disposition = AV_DISPOSITION_DEFAULT;
    return film;
}

static void encode_film(void) {
    const Film film = drawn_film();
    AVCodecContext *encoder = open_encoder(&film, setting("effort", "balanced"), setting("crf", "23"));
    AVPacket *packet = need(av_packet_alloc());
    BlockWriter out = {.kind = PICTURES};
    uint64_t frames = 0, bytes = 0;
    int64_t first = INT64_MIN, last = INT64_MIN;
    const uint64_t expected = (uint64_t)number_setting("segment", 0, 0, 100000000);
    for (bool more = true; more;) {
        Shown shown;
        more = ask_frame(&shown);
        AVFrame *frame = more ? read_frame(film.out_format, film.out_width, film.out_height, &shown) : NULL;
        if (frame && shown.pts <= last) fail(EXIT_INTERNAL, "the times of frames do not ascend");
        if (frame) {
            frame->color_range = film.range;
            frame->sample_aspect_ratio = film.aspect;
            first = frames++ ? first : shown.pts;
            last = shown.pts;
        } else if (!frames) {
            fail(EXIT_INTERNAL, "a segment without frames");
        }
        const int error = avcodec_send_frame(encoder, frame);
        if (error < 0) fail_av(EXIT_INTERNAL, error, "the encoder failed");
        av_frame_free(&frame);
        while (avcodec_receive_packet(encoder, packet) >= 0) {
            bytes += (uint64_t)packet->size;
            block_add(&out, 0, packet, false);
            av_packet_unref(packet);
        }
        progress(FFMIN(frames, expected), expected);
    }
    block_flush(&out, true);
    Buffer header = {0}, body = {0};
    put_header(&header, &film);
    send_message(HEADER, &header);
    const uint64_t numbers[] = {frames, (uint64_t)first, (uint64_t)last, bytes, 0, 0, 0, 0, (uint64_t)cpu_time()};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put64(&body, numbers[i]);
    put_bytes(&body, encoder->extradata, (size_t)encoder->extradata_size);
    send_message(DONE, &body);
}

// A chain of libavfilter's with one or two sources.
typedef struct { AVFilterGraph *graph; AVFilterContext *sources[2], *filter, *sink; } Chain;

static AVFilterContext *add_filter(Chain *chain, const char *name, const char *as, const char *arguments) {
    AVFilterContext *filter = NULL;
    const int error = avfilter_graph_create_filter(&filter, avfilter_get_by_name(name), as, arguments, NULL,
        chain->graph);
    if (error < 0) fail_av(EXIT_CODEC, error, "libavfilter's %s cannot be used", name);
    return filter;
}

static Chain open_chain(const char *name, const char *arguments, int width, int height, int sources) {
    Chain chain = {.graph = need(avfilter_graph_alloc())};
    chain.graph->nb_threads = 1;
    chain.filter = add_filter(&chain, name, name, arguments);
    chain.sink = add_filter(&chain, "buffersink", "out", NULL);
    for (int i = 0; i < sources; i++) {
        char place[128];
        snprintf(place, sizeof place, "video_size=%dx%d:pix_fmt=%d:time_base=1/100:pixel_aspect=1/1", i ? 16 : width,
                 i ? 16 : height, AV_PIX_FMT_BGRA);
        chain.sources[i] = add_filter(&chain, "buffer", i ? "palette" : "frames", place);
        if (avfilter_link(chain.sources[i], 0, chain.filter, (unsigned)i) < 0) need(NULL);
    }
    if (avfilter_link(chain.filter, 0, chain.sink, 0) < 0) need(NULL);
    const int error = avfilter_graph_config(chain.graph, NULL);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "frames cannot be given colours of a palette");
    return chain;
}

static void push(AVFilterContext *source, AVFrame *frame) {
    const int error = av_buffersrc_add_frame(source, frame);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "frames cannot be given colours of a palette");
    av_frame_free(&frame);
}

// libavfilter's palettes are in the order B, G, R, A.
static AVFrame *read_colours(int width, int height, const Shown *shown) {
    AVFrame *frame = read_frame(AV_PIX_FMT_BGRA, width, height, shown);
    for (int y = 0; y < height; y++) {
        uint8_t *row = frame->data[0] + (ptrdiff_t)y * frame->linesize[0];
        for (int x = 0; x < width; x++) {
            const uint8_t red = row[4 * x];
            row[4 * x] = row[4 * x + 2];
            row[4 * x + 2] = red;
        }
    }
    return frame;
}

static void find_palette(int width, int height) {
    Chain chain = open_chain("palettegen", "stats_mode=full:reserve_transparent=1", width, height, 1);
    Shown shown;
    uint64_t frames = 0;
    while (ask_frame(&shown)) {
        AVFrame *frame = read_colours(width, height, &shown);
        frame->pts = (int64_t)frames++;
        push(chain.sources[0], frame);
    }
    if (!frames) fail(EXIT_INTERNAL, "an animation without frames");
    push(chain.sources[0], NULL);
    AVFrame *palette = need(av_frame_alloc());
    const int error = av_buffersink_get_frame(chain.sink, palette);
    if (error < 0 || palette->width * palette->height != 256) fail_av(EXIT_INTERNAL, error, "no palette was found");
    Buffer body = {0};
    for (int y = 0; y < palette->height; y++)
        put_raw(&body, palette->data[0] + (ptrdiff_t)y * palette->linesize[0], (size_t)palette->width * 4);
    send_message(CODEC, &body);
    send_message(DONE, NULL);
}

typedef struct { AVFormatContext *out; AVCodecContext *encoder; AVPacket *packet; } GIF;

static GIF open_gif(int width, int height) {
    GIF gif = {.packet = need(av_packet_alloc())};
    const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_GIF);
    if (!codec || avformat_alloc_output_context2(&gif.out, NULL, "gif", "gif") < 0) fail(EXIT_CODEC,
        "there is no GIF encoder here");
    gif.encoder = need(avcodec_alloc_context3(codec));
    gif.encoder->width = width;
    gif.encoder->height = height;
    gif.encoder->pix_fmt = AV_PIX_FMT_PAL8;
    gif.encoder->time_base = (AVRational){1, 100};
    gif.encoder->thread_count = 1;
    gif.encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    int error = avcodec_open2(gif.encoder, codec, NULL);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the GIF encoder does not start");
    AVStream *stream = need(avformat_new_stream(gif.out, NULL));
    stream->time_base = gif.encoder->time_base;
    avcodec_parameters_from_context(stream->codecpar, gif.encoder);
    gif.out->pb = descriptor_io(OUTPUT_DESCRIPTOR, true);
    gif.out->flags |= AVFMT_FLAG_BITEXACT;
    AVDictionary *options = NULL;
    av_dict_set_int(&options, "loop", number_setting("loop", 0, -1, 65535), 0);
    av_dict_set_int(&options, "final_delay", number_setting("last-duration", -1, -1, 65535), 0);
    if ((error = avformat_write_header(gif.out, &options)) < 0) fail_av(EXIT_INTERNAL, error,
        "the GIF cannot be begun");
    av_dict_free(&options);
    return gif;
}

static void encode_indexed(GIF *gif, AVFrame *frame) {
    int error = avcodec_send_frame(gif->encoder, frame);
    while (error >= 0 && (error = avcodec_receive_packet(gif->encoder, gif->packet)) >= 0)
        if ((error = av_write_frame(gif->out, gif->packet)) >= 0) av_packet_unref(gif->packet);
    if (error != AVERROR(EAGAIN) && error != AVERROR_EOF) fail_av(EXIT_INTERNAL, error, "the GIF cannot be written");
}

static void encode_gif(int width, int height) {
    enum Message type;
    Reader reader = receive_message(&type);
    const uint8_t *colours = get_raw(&reader, 1024);
    if (type != CODEC || !colours) fail(EXIT_INTERNAL, "the palette is missing");
    AVFrame *palette = need(av_frame_alloc());
    palette->format = AV_PIX_FMT_BGRA;
    palette->width = palette->height = 16;
    if (av_frame_get_buffer(palette, 0)) need(NULL);
    for (int y = 0; y < 16; y++) memcpy(palette->data[0] + y * palette->linesize[0], colours + 64 * y, 64);
    Chain chain = open_chain("paletteuse", "dither=sierra2_4a:diff_mode=rectangle:alpha_threshold=128", width, height,
        2);
    push(chain.sources[1], palette);
    push(chain.sources[1], NULL);
    GIF gif = open_gif(width, height);
    AVFrame *indexed = need(av_frame_alloc());
    uint64_t frames = 0;
    for (bool more = true; more;) {
        Shown shown;
        more = ask_frame(&shown);
        push(chain.sources[0], more ? read_colours(width, height, &shown) : NULL);
        while (av_buffersink_get_frame(chain.sink, indexed) >= 0) {
            frames++;
            encode_indexed(&gif, indexed);
            av_frame_unref(indexed);
        }
        progress(frames, (uint64_t)number_setting("frames", 0, 0, 100000000));
    }
    if (!frames) fail(EXIT_INTERNAL, "an animation without frames");
    encode_indexed(&gif, NULL);
    const int error = av_write_trailer(gif.out);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the GIF cannot be finished");
    Buffer body = {0};
    put64(&body, frames);
    put64(&body, (uint64_t)avio_size(gif.out->pb));
    send_message(DONE, &body);
}

void run_raster(void) {
    const char *kind = setting("kind", "film");
    if (!strcmp(kind, "film")) return encode_film();
    const int width = number("width", 1, 65535), height = number("height", 1, 65535);
    if (!strcmp(kind, "palette")) find_palette(width, height);
    else if (!strcmp(kind, "gif")) encode_gif(width, height);
    else fail(EXIT_ARGUMENT, "there are no rasters of the kind %s", kind);
}
