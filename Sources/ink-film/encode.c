// The encoders' settings: alike for all pieces of a film, so that their packets fit together.
#include "film.h"

#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int whole(AVRational value, int unit) { return value.den ? (int)av_rescale(value.num, unit, value.den) : 0; }

static void x265_light(const Film *film, char *text, size_t room) {
    size_t size = strlen(text);
    if (film->mastering.size == sizeof(AVMasteringDisplayMetadata)) {
        AVMasteringDisplayMetadata m;
        memcpy(&m, film->mastering.data, sizeof m);
        if (m.has_primaries && m.has_luminance)
            snprintf(text + size, room - size, ":master-display=G(%d,%d)B(%d,%d)R(%d,%d)WP(%d,%d)L(%d,%d)",
                     whole(m.display_primaries[1][0], 50000), whole(m.display_primaries[1][1], 50000),
                     whole(m.display_primaries[2][0], 50000), whole(m.display_primaries[2][1], 50000),
                     whole(m.display_primaries[0][0], 50000), whole(m.display_primaries[0][1], 50000),
                     whole(m.white_point[0], 50000), whole(m.white_point[1], 50000), whole(m.max_luminance, 10000),
                     whole(m.min_luminance, 10000));
        size = strlen(text);
    }
    if (film->light.size >= sizeof(AVContentLightMetadata)) {
        AVContentLightMetadata light;
        memcpy(&light, film->light.data, sizeof light);
        snprintf(text + size, room - size, ":max-cll=%u,%u", light.MaxCLL, light.MaxFALL);
    }
}

AVCodecContext *open_encoder(const Film *film, const char *effort, const char *crf) {
    const bool isFast = !strcmp(effort, "fast"), isSmall = !strcmp(effort, "small");
    if (!isFast && !isSmall && strcmp(effort, "balanced"))
        fail(EXIT_ARGUMENT, "--effort %s is not one of fast, balanced, small", effort);
    const char *name = encoder_name(film->codec, film->out_format, film->out_width, film->out_height);
    const AVCodec *codec = avcodec_find_encoder_by_name(name);
    if (!codec) fail(EXIT_CODEC, "there is no encoder for %s here: libavcodec has no %s", film->codec, name);
    const Track *picture = &film->tracks[film->picture];
    AVCodecContext *c = need(avcodec_alloc_context3(codec));
    c->width = film->out_width;
    c->height = film->out_height;
    c->pix_fmt = film->out_format;
    c->time_base = picture->clock;
    c->framerate = picture->rate.num > 0 && picture->rate.den > 0 ? picture->rate : (AVRational){25, 1};
    // SVT-AV1 takes no more frames a second; times are those of the frames.
    if (!strcmp(name, "libsvtav1") && av_cmp_q(c->framerate, (AVRational){240, 1}) > 0)
        c->framerate = (AVRational){240, 1};
    c->sample_aspect_ratio = film->aspect;
    c->color_range = film->range;
    c->color_primaries = film->primaries;
    c->color_trc = film->transfer;
    c->colorspace = film->matrix;
    c->chroma_sample_location = film->chroma;
    c->thread_count = 1;
    c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_CLOSED_GOP | AV_CODEC_FLAG_BITEXACT;
    const double rate = FFMIN(av_q2d(c->framerate), 1000);
    c->gop_size = FFMAX((int)(2 * rate + 0.5), 12);
    AVDictionary *options = NULL;
    av_dict_set(&options, "crf", crf, 0);
    const char *preset = isFast ? "veryfast" : isSmall ? "slow" : "medium";
    if (!strcmp(name, "libx264")) {
        av_dict_set(&options, "preset", preset, 0);
        c->max_b_frames = 3;
        if (film->interlaced) {
            c->flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;
            c->field_order = film->top_first ? AV_FIELD_TT : AV_FIELD_BB;
        }
        const int blocks = ((film->out_width + 15) / 16) * ((film->out_height + 15) / 16);
        if (blocks > 36864 || (double)blocks * rate > 2073600) av_dict_set(&options, "level", "5.2", 0);
    } else if (!strcmp(name, "libx265")) {
        char parameters[512] = "open-gop=0:pools=1:frame-threads=1:info=0:log-level=none";
        x265_light(film, parameters, sizeof parameters);
        av_dict_set(&options, "preset", preset, 0);
        av_dict_set(&options, "x265-params", parameters, 0);
    } else if (!strcmp(name, "libsvtav1")) {
        av_dict_set(&options, "preset", isFast ? "10" : isSmall ? "6" : "8", 0);
        av_dict_set(&options, "svtav1-params", "lp=1", 0);
    } else {
        av_dict_set(&options, "cpu-used", "6", 0);
        av_dict_set(&options, "row-mt", "0", 0);
        c->bit_rate = 0;
    }
    const int error = avcodec_open2(c, codec, &options);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the encoder %s does not start", name);
    for (AVDictionaryEntry *left = NULL; (left = av_dict_get(options, "", left, AV_DICT_IGNORE_SUFFIX));)
        fail(EXIT_INTERNAL, "the encoder %s does not know %s", name, left->key);
    av_dict_free(&options);
    return c;
}
