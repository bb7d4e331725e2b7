// Which streams come out, in which form, and what is refused: the rules of docs/films.md.
#include "film.h"

#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

const uint8_t *side_data(const Track *track, enum AVPacketSideDataType type, size_t *size) {
    for (int i = 0; i < track->sides; i++)
        if (track->side[i].type == type) return *size = track->side[i].size, track->side[i].data;
    return NULL;
}

bool turn_of(const int32_t *m, int *turns, bool *mirrored) {
    enum { ONE = 1 << 16 };
    const int a = m[0], b = m[1], c = m[3], d = m[4];
    // The rows of a picture go to (a, b), its columns to (c, d).
    static const struct { int a, b, c, d, turns; bool mirrored; } known[] = {
        {1, 0, 0, 1, 0, false}, {0, 1, -1, 0, 1, false}, {-1, 0, 0, -1, 2, false}, {0, -1, 1, 0, 3, false},
        {-1, 0, 0, 1, 0, true}, {0, -1, -1, 0, 1, true}, {1, 0, 0, -1, 2, true}, {0, 1, 1, 0, 3, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (a == known[i].a * ONE && b == known[i].b * ONE && c == known[i].c * ONE && d == known[i].d * ONE) {
            *turns = known[i].turns;
            *mirrored = known[i].mirrored;
            return true;
        }
    return false;
}

static const AVOutputFormat *container(const char *format) {
    return av_guess_format(is(format, "mkv") ? "matroska" : format, NULL, NULL);
}

static bool fits(const char *format, enum AVCodecID codec) {
    if (is(format, "webm") && codec != AV_CODEC_ID_OPUS && codec != AV_CODEC_ID_VORBIS && codec != AV_CODEC_ID_WEBVTT)
        return false;
    if (codec == AV_CODEC_ID_AAC_LATM || codec == AV_CODEC_ID_TRUEHD) return is(format, "mkv") && codec ==
        AV_CODEC_ID_TRUEHD;
    const AVOutputFormat *output = container(format);
    return output && avformat_query_codec(output, codec, FF_COMPLIANCE_EXPERIMENTAL) == 1;
}

static const char *name_of(enum AVCodecID codec) { return avcodec_get_name(codec); }

// What becomes of a stream that is not the picture's; -1: it is left out.
static int fate_of(const AVFormatContext *film, const AVStream *stream, const char *format) {
    const AVCodecParameters *p = stream->codecpar;
    const bool isMatroska = is(format, "mkv");
    const int index = stream->index;
    if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) {
        if (isMatroska && (p->codec_id == AV_CODEC_ID_PNG || p->codec_id == AV_CODEC_ID_MJPEG)
            && stream->attached_pic.size < 16 << 20)
            return TO_ATTACHMENT;
        if (is(format, "mp4") && fits(format, p->codec_id)) return COPIED;
        return warn("stream", "the cover picture is left out: %s has no place for it", format), -1;
    }
    switch (p->codec_type) {
    case AVMEDIA_TYPE_VIDEO:
        return warn("stream", "a further moving picture (stream %d, %s) is left out", index, name_of(p->codec_id)), -1;
    case AVMEDIA_TYPE_AUDIO:
        if (is(setting("audio", "copy"), "none")) return -1;
        if (p->codec_id == AV_CODEC_ID_NONE || p->sample_rate <= 0)
            return warn("stream", "a sound track (stream %d) is left out: its format is unknown", index), -1;
        if (fits(format, p->codec_id)) return COPIED;
        if (is(setting("audio", "copy"), "aac") && !is(format, "webm")) return TO_AAC;
        fail(EXIT_FILM, "sound track %d (%s) does not go into %s: --audio aac encodes it, --format %s keeps it", index,
             name_of(p->codec_id), format, fits("mov", p->codec_id) && !is(format, "webm") ? "mov" : "mkv");
    case AVMEDIA_TYPE_SUBTITLE: {
        const AVCodecDescriptor *codec = avcodec_descriptor_get(p->codec_id);
        if (fits(format, p->codec_id)) return COPIED;
        if (!codec || !(codec->props & AV_CODEC_PROP_TEXT_SUB) || p->codec_id == AV_CODEC_ID_DVB_TELETEXT)
            return warn("stream", "subtitles (stream %d, %s) are left out: only mkv has a place for them", index,
                        name_of(p->codec_id)), -1;
        if (p->codec_id == AV_CODEC_ID_ASS || p->codec_id == AV_CODEC_ID_SSA || p->codec_id == AV_CODEC_ID_MOV_TEXT)
            warn("styles", "subtitles (stream %d) lose their styles", index);
        return isMatroska ? TO_SUBRIP : is(format, "webm") ? TO_WEBVTT : TO_MOV_TEXT;
    }
    case AVMEDIA_TYPE_ATTACHMENT:
        if (isMatroska) return COPIED;
        return warn("stream", "an attachment (stream %d) is left out: only mkv has a place for it", index), -1;
    default:
        // The titles of chapters, which the file's chapters have as well.
        if (p->codec_tag == MKTAG('t', 'e', 'x', 't') && film->nb_chapters) return -1;
        if (p->codec_tag == MKTAG('t', 'm', 'c', 'd'))
            return warn("stream", "the time code track (stream %d) is left out", index), -1;
        return warn("stream", "a track of data (stream %d) is left out", index), -1;
    }
}

static bool is_encrypted(const AVStream *stream) {
    const uint32_t tag = stream->codecpar->codec_tag;
    return av_stream_get_side_data(stream, AV_PKT_DATA_ENCRYPTION_INIT_INFO, NULL)
           || av_stream_get_side_data(stream, AV_PKT_DATA_ENCRYPTION_INFO, NULL) || tag == MKTAG('e', 'n', 'c', 'v')
           || tag == MKTAG('e', 'n', 'c', 'a');
}

// Tags that the new file's muxer writes itself, or that are no longer true.
static void copy_tags(AVDictionary **to, const AVDictionary *from) {
    static const char *const dropped[] = {
        "encoder", "major_brand", "minor_version", "compatible_brands", "timecode", "duration", "handler_name",
        "vendor_id", "encoding_tool", "ink",
    };
    for (AVDictionaryEntry *tag = NULL; (tag = av_dict_get(from, "", tag, AV_DICT_IGNORE_SUFFIX));) {
        bool drops = !strncmp(tag->key, "_STATISTICS", 11) || !strncmp(tag->key, "NUMBER_OF_", 10)
                     || !strncmp(tag->key, "BPS", 3) || !strncmp(tag->key, "DURATION", 8);
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) drops |= !av_strcasecmp(tag->key, dropped[i]);
        if (!drops && strlen(tag->value) < 65536 && av_dict_count(*to) < 500) av_dict_set(to, tag->key, tag->value, 0);
    }
}

// Matroska keeps covers as attached files.
static void attach(Track *track, const AVStream *stream) {
    AVCodecParameters *p = track->parameters;
    const bool isPNG = p->codec_id == AV_CODEC_ID_PNG;
    const size_t size = stream->attached_pic.data ? (size_t)stream->attached_pic.size : 0;
    av_freep(&p->extradata);
    p->extradata = need(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
    if (size) memcpy(p->extradata, stream->attached_pic.data, size);
    p->extradata_size = (int)size;
    p->codec_type = AVMEDIA_TYPE_ATTACHMENT;
    track->disposition = 0;
    av_dict_set(&track->tags, "filename", isPNG ? "cover.png" : "cover.jpg", 0);
    av_dict_set(&track->tags, "mimetype", isPNG ? "image/png" : "image/jpeg", 0);
}

static AVStream *choose_picture(AVFormatContext *film) {
    AVStream *first = NULL;
    bool covers = false;
    for (unsigned i = 0; i < film->nb_streams; i++) {
        AVStream *stream = film->streams[i];
        if (is_encrypted(stream)) fail(EXIT_FILM, "the film is encrypted (stream %u)", i);
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO) continue;
        if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) covers = true;
        else if (!first || (!(first->disposition & AV_DISPOSITION_DEFAULT)
            && stream->disposition & AV_DISPOSITION_DEFAULT))
            first = stream;
    }
    if (!first && covers) fail(EXIT_FILM, "sound with a cover picture, no film");
    if (!first) fail(EXIT_FILM, "no film in it: there is no moving picture");
    if (is_encrypted(first)) fail(EXIT_FILM, "the film is encrypted");
    return first;
}

void plan_streams(AVFormatContext *film, Film *plan, int *sources) {
    const AVStream *picture = choose_picture(film);
    const AVCodecParameters *p = picture->codecpar;
    if (film->nb_streams > (unsigned)number_setting("streams", MOST_TRACKS, 1, MOST_TRACKS))
        fail(EXIT_FILM, "the film has %u streams; --limits filmStreams is less", film->nb_streams);
    snprintf(plan->container, sizeof plan->container, "%s", film->iformat->name);
    snprintf(plan->format, sizeof plan->format, "%s", setting("format", "mp4"));
    if (!is(plan->format, "mp4") && !is(plan->format, "mov") && !is(plan->format, "mkv") && !is(plan->format, "webm"))
        fail(EXIT_ARGUMENT, "--format %s is not one of mp4, mov, mkv, webm", plan->format);
    const char *codec = setting("codec", "auto");
    if (is(codec, "auto"))
        codec = is(plan->format, "webm") ? "av1"
                : p->codec_id == AV_CODEC_ID_HEVC || p->codec_id == AV_CODEC_ID_AV1 ? name_of(p->codec_id) : "h264";
    if (!is(codec, "h264") && !is(codec, "hevc") && !is(codec, "av1"))
        fail(EXIT_ARGUMENT, "--codec %s is not one of h264, hevc, av1", codec);
    if (is(plan->format, "webm") && !is(codec, "av1")) fail(EXIT_ARGUMENT, "a webm is always av1, not %s", codec);
    snprintf(plan->codec, sizeof plan->codec, "%s", codec);
    const AVCodecDescriptor *made = avcodec_descriptor_get_by_name(plan->codec);
    if (!made || (!is(plan->format, "webm") && !fits(plan->format, made->id)))
        fail(EXIT_FILM, "%s does not go into %s: choose --format mp4 or mkv", plan->codec, plan->format);
    if (!avcodec_find_decoder(p->codec_id)) fail(EXIT_CODEC, "there is no decoder for %s here", name_of(p->codec_id));
    copy_tags(&plan->tags, film->metadata);
    for (unsigned i = 0; i < film->nb_streams; i++) {
        AVStream *stream = film->streams[i];
        const int fate = stream == picture ? COPIED : fate_of(film, stream, plan->format);
        sources[i] = fate < 0 ? -1 : plan->track_count;
        if (fate < 0) continue;
        if (stream == picture) {
            plan->picture = plan->track_count;
            plan->picture_source = (int)i;
        }
        Track *track = &plan->tracks[plan->track_count++];
        track->parameters = need(avcodec_parameters_alloc());
        if (avcodec_parameters_copy(track->parameters, stream->codecpar)) need(NULL);
        track->clock = stream->time_base;
        track->rate = stream->avg_frame_rate.num > 0 ? stream->avg_frame_rate : stream->r_frame_rate;
        track->disposition = stream->disposition;
        track->fate = fate;
        track->first = AV_NOPTS_VALUE;
        copy_tags(&track->tags, stream->metadata);
        if (fate == TO_ATTACHMENT) attach(track, stream);
        track->side = need(calloc((size_t)stream->nb_side_data + 1, sizeof *track->side));
        for (int j = 0; j < stream->nb_side_data && track->sides < 32; j++)
            if (stream->side_data[j].size <= 1 << 20) track->side[track->sides++] = stream->side_data[j];
    }
    plan->chapters = need(calloc(film->nb_chapters + 1, sizeof *plan->chapters));
    for (unsigned i = 0; i < film->nb_chapters && i < 10000; i++) {
        AVChapter *chapter = &plan->chapters[plan->chapter_count++];
        *chapter = *film->chapters[i];
        chapter->metadata = NULL;
        copy_tags(&chapter->metadata, film->chapters[i]->metadata);
    }
    size_t size;
    const uint8_t *matrix = side_data(&plan->tracks[plan->picture], AV_PKT_DATA_DISPLAYMATRIX, &size);
    int turns = 0;
    bool mirrored = false;
    if (matrix && (size < 36 || !turn_of((const int32_t *)matrix, &turns, &mirrored)))
        fail(EXIT_FILM, "the film is shown turned by %.1f degrees; only quarter turns and mirrors can be marked",
             size < 36 ? 0.0 : av_display_rotation_get((const int32_t *)matrix));
    if ((turns || mirrored) && (is(plan->format, "mkv") || is(plan->format, "webm")))
        fail(EXIT_FILM, "the film is shown turned, and %s cannot say so: choose --format mp4 or mov", plan->format);
    const uint8_t *vision = side_data(&plan->tracks[plan->picture], AV_PKT_DATA_DOVI_CONF, &size);
    if (vision && size >= 8 && vision[2] == 5) fail(EXIT_FILM,
        "Dolby Vision of profile 5 has no picture that others can show");
    if (vision) warn("dynamic", "the dynamic part of Dolby Vision is lost");
    plan->origin_clock = picture->time_base;
    if (av_match_list(plan->container, "mpegts,mpeg", ','))
        for (unsigned i = 0; i < film->nb_streams; i++) {
            const AVStream *stream = film->streams[i];
            if (sources[i] < 0 || stream->start_time == AV_NOPTS_VALUE) continue;
            if (!plan->origin
                || av_compare_ts(stream->start_time, stream->time_base, plan->origin, plan->origin_clock) < 0) {
                plan->origin = stream->start_time;
                plan->origin_clock = stream->time_base;
            }
        }
}

const char *encoder_name(const char *codec, int format, int width, int height) {
    (void)format;
    if (is(codec, "h264")) return "libx264";
    if (is(codec, "hevc")) return "libx265";
    return width % 2 || height % 2 || width < 64 || height < 64 ? "libaom-av1" : "libsvtav1";
}

static enum AVPixelFormat without_range(enum AVPixelFormat format) {
    switch (format) {
    case AV_PIX_FMT_YUVJ420P: return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P: return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P: return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P: return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P: return AV_PIX_FMT_YUV411P;
    default: return format;
    }
}

static void keep_frame_side(const AVFrame *frame, enum AVFrameSideDataType type, Buffer *to, const Track *track,
                            enum AVPacketSideDataType other) {
    const AVFrameSideData *data = av_frame_get_side_data(frame, type);
    size_t size = 0;
    const uint8_t *bytes = data ? (size = data->size, data->data) : side_data(track, other, &size);
    if (bytes && size <= 1024) put_raw(to, bytes, size);
}

void plan_picture(AVFormatContext *film, Film *plan, const AVFrame *frame) {
    Track *track = &plan->tracks[plan->picture];
    const enum AVPixelFormat format = without_range(frame->format);
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(format);
    if (!pixels || pixels->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT))
        fail(EXIT_FILM, "frames of the format %s cannot be marked", pixels ? pixels->name : "unknown");
    const bool isRGB = pixels->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL), isGray = pixels->nb_components <= 2;
    const bool isJ = format != frame->format;
    plan->pixel_format = format;
    plan->width = frame->width;
    plan->height = frame->height;
    plan->range = isRGB ? AVCOL_RANGE_MPEG : isJ ? AVCOL_RANGE_JPEG : frame->color_range;
    plan->primaries = frame->color_primaries;
    plan->transfer = frame->color_trc;
    plan->matrix = isRGB ? AVCOL_SPC_BT709 : frame->colorspace;
    if (plan->matrix == AVCOL_SPC_RESERVED) plan->matrix = AVCOL_SPC_UNSPECIFIED;
    if (plan->matrix == AVCOL_SPC_RGB && !isRGB) plan->matrix = AVCOL_SPC_UNSPECIFIED;
    plan->chroma = frame->chroma_location;
    if (plan->matrix == AVCOL_SPC_ICTCP || plan->matrix == AVCOL_SPC_YCGCO || plan->matrix == AVCOL_SPC_BT2020_CL
        || plan->matrix >= AVCOL_SPC_SMPTE2085)
        fail(EXIT_FILM, "colours of the kind %s cannot be marked", av_color_space_name(plan->matrix));
    plan->aspect = av_guess_sample_aspect_ratio(film, film->streams[plan->picture_source], (AVFrame *)frame);
    if (plan->aspect.num <= 0 || plan->aspect.den <= 0) plan->aspect = (AVRational){1, 1};
    const enum AVFieldOrder order = track->parameters->field_order;
    plan->interlaced = frame->interlaced_frame || order > AV_FIELD_PROGRESSIVE;
    plan->top_first = frame->interlaced_frame ? frame->top_field_first : order == AV_FIELD_TT || order == AV_FIELD_TB;
    keep_frame_side(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, &plan->mastering, track,
                    AV_PKT_DATA_MASTERING_DISPLAY_METADATA);
    keep_frame_side(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, &plan->light, track, AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
    if (av_frame_get_side_data(frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS))
        warn("dynamic", "the dynamic part of HDR10+ is lost");

    const int depth = pixels->comp[0].depth;
    const bool isHDR = plan->transfer == AVCOL_TRC_SMPTE2084 || plan->transfer == AVCOL_TRC_ARIB_STD_B67;
    const bool isH264 = is(plan->codec, "h264");
    if (isHDR && isH264) fail(EXIT_FILM, "HDR does not go into h264: choose --codec hevc or av1");
    if (plan->interlaced && !isH264)
        fail(EXIT_FILM, "the film is interlaced, and %s is not here: choose --codec h264", plan->codec);
    bool isDeep = depth > 8 && (!isH264 || track->parameters->codec_id == AV_CODEC_ID_H264);
    if (depth > 8 && !isDeep) warn("depth", "%d bits become 8 in h264", depth);
    else if (depth > 10) warn("depth", "%d bits become 10", depth);
    if (depth < 8) isDeep = false;
    const bool isSubsampled = !isRGB && !isGray && pixels->log2_chroma_w == 1 && pixels->log2_chroma_h == 1;
    const bool keepsChroma = !isSubsampled && !isGray && is(setting("chroma", "4:2:0"), "4:4:4") && !is(plan->codec,
        "av1");
    if (!isSubsampled && !isGray && !keepsChroma) {
        const char *name = isRGB || (!pixels->log2_chroma_w && !pixels->log2_chroma_h) ? "4:4:4"
                           : pixels->log2_chroma_h ? "4:4:0" : pixels->log2_chroma_w == 1 ? "4:2:2" : "4:1:1";
        warn("chroma", "%s becomes 4:2:0, which players show", name);
    }
    plan->out_format = keepsChroma ? (isDeep ? AV_PIX_FMT_YUV444P10 : AV_PIX_FMT_YUV444P)
                                   : (isDeep ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P);
    const AVDictionaryEntry *alpha = av_dict_get(track->tags, "alpha_mode", NULL, 0);
    if (pixels->flags & AV_PIX_FMT_FLAG_ALPHA || (alpha && is(alpha->value, "1")))
        warn("alpha", "the film's transparency is lost");
    av_dict_set(&track->tags, "alpha_mode", NULL, 0);
    plan->out_width = (int)number_setting("width", plan->width, 1, plan->width);
    plan->out_height = (int)number_setting("height", plan->height, 1, plan->height);
    if (!is(plan->codec, "av1") && (plan->out_width % 2 || plan->out_height % 2)) {
        warn("odd", "%dx%d becomes %dx%d: %s needs even sizes", plan->out_width, plan->out_height,
             plan->out_width + plan->out_width % 2, plan->out_height + plan->out_height % 2, plan->codec);
        plan->out_width += plan->out_width % 2;
        plan->out_height += plan->out_height % 2;
    }
    if (!avcodec_find_encoder_by_name(encoder_name(plan->codec, plan->out_format, plan->out_width, plan->out_height))) {
        if (is(setting("fallback", "off"), "on") && !isH264 && !isHDR && avcodec_find_encoder_by_name("libx264")) {
            warn("fallback", "there is no encoder for %s here: h264 is used", plan->codec);
            snprintf(plan->codec, sizeof plan->codec, "h264");
            plan->mastering.size = plan->light.size = 0;
            return plan_picture(film, plan, frame);
        }
        fail(EXIT_CODEC, "there is no encoder for %s here: libavcodec has none", plan->codec);
    }
}
