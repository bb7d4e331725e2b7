// What `cut` knows of a film, as bytes that only this program reads.
#include "film.h"

#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_TAGS = 512, MOST_TEXT = 1 << 16, MOST_CHAPTERS = 10000 };

static void put_rational(Buffer *buffer, AVRational value) {
    put32(buffer, (uint32_t)value.num);
    put32(buffer, (uint32_t)value.den);
}

static AVRational get_rational(Reader *reader) {
    int num = (int)get32(reader), den = (int)get32(reader);
    if (den < 0 || num < 0) reader->failed = true;
    return (AVRational){num, den};
}

static AVRational get_clock(Reader *reader) {
    AVRational clock = get_rational(reader);
    if (clock.num <= 0 || clock.den <= 0) reader->failed = true;
    return clock;
}

static void put_tags(Buffer *buffer, const AVDictionary *tags) {
    put32(buffer, (uint32_t)av_dict_count(tags));
    for (AVDictionaryEntry *tag = NULL; (tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX));) {
        put_text(buffer, tag->key);
        put_text(buffer, tag->value);
    }
}

static void get_tags(Reader *reader, AVDictionary **tags) {
    uint32_t count = get32(reader);
    if (count > MOST_TAGS) reader->failed = true;
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        char *key = get_text(reader, MOST_TEXT), *value = get_text(reader, MOST_TEXT);
        if (key && value) av_dict_set(tags, key, value, 0);
        free(key);
        free(value);
    }
}

static void put_parameters(Buffer *buffer, const AVCodecParameters *p) {
    put32(buffer, (uint32_t)p->codec_type);
    put_text(buffer, avcodec_get_name(p->codec_id));
    put32(buffer, p->codec_tag);
    put_bytes(buffer, p->extradata, (size_t)p->extradata_size);
    const int values[] = {
        p->format, p->bits_per_coded_sample, p->bits_per_raw_sample, p->profile, p->level, p->width, p->height,
        (int)p->field_order, (int)p->color_range, (int)p->color_primaries, (int)p->color_trc, (int)p->color_space,
        (int)p->chroma_location, p->video_delay, p->sample_rate, p->block_align, p->frame_size, p->initial_padding,
        p->trailing_padding, p->seek_preroll, p->ch_layout.nb_channels,
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) put32(buffer, (uint32_t)values[i]);
    put64(buffer, p->ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? p->ch_layout.u.mask : 0);
    put64(buffer, (uint64_t)p->bit_rate);
    put_rational(buffer, p->sample_aspect_ratio);
}

static void get_parameters(Reader *reader, AVCodecParameters *p) {
    p->codec_type = (enum AVMediaType)get32(reader);
    char *name = get_text(reader, 64);
    const AVCodecDescriptor *codec = name ? avcodec_descriptor_get_by_name(name) : NULL;
    p->codec_id = codec ? codec->id : AV_CODEC_ID_NONE;
    free(name);
    p->codec_tag = get32(reader);
    size_t size;
    const uint8_t *extra = get_bytes(reader, 16 << 20, &size);
    if (extra && size) {
        p->extradata = need(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
        memcpy(p->extradata, extra, size);
        p->extradata_size = (int)size;
    }
    int values[21];
    for (size_t i = 0; i < 21; i++) values[i] = (int)get32(reader);
    uint64_t mask = get64(reader);
    p->bit_rate = (int64_t)get64(reader);
    p->sample_aspect_ratio = get_rational(reader);
    if (reader->failed || p->codec_type < AVMEDIA_TYPE_VIDEO || p->codec_type > AVMEDIA_TYPE_ATTACHMENT
        || values[5] < 0 || values[5] > 65535 || values[6] < 0 || values[6] > 65535 || values[14] < 0
        || values[15] < 0 || values[16] < 0 || values[17] < 0 || values[18] < 0 || values[19] < 0 || values[20] < 0
        || values[20] > 255 || p->bit_rate < 0) {
        reader->failed = true;
        return;
    }
    p->format = values[0], p->bits_per_coded_sample = values[1], p->bits_per_raw_sample = values[2];
    p->profile = values[3], p->level = values[4], p->width = values[5], p->height = values[6];
    p->field_order = (enum AVFieldOrder)values[7], p->color_range = (enum AVColorRange)values[8];
    p->color_primaries = (enum AVColorPrimaries)values[9];
    p->color_trc = (enum AVColorTransferCharacteristic)values[10], p->color_space = (enum AVColorSpace)values[11];
    p->chroma_location = (enum AVChromaLocation)values[12], p->video_delay = values[13];
    p->sample_rate = values[14], p->block_align = values[15], p->frame_size = values[16];
    p->initial_padding = values[17], p->trailing_padding = values[18], p->seek_preroll = values[19];
    if (mask && av_channel_layout_from_mask(&p->ch_layout, mask) < 0) reader->failed = true;
    if (mask && p->ch_layout.nb_channels != values[20]) reader->failed = true;
    if (!mask) p->ch_layout = (AVChannelLayout){.order = AV_CHANNEL_ORDER_UNSPEC, .nb_channels = values[20]};
}

static void put_track(Buffer *buffer, const Track *track) {
    put_parameters(buffer, track->parameters);
    put_rational(buffer, track->clock);
    put_rational(buffer, track->rate);
    put32(buffer, (uint32_t)track->disposition);
    put8(buffer, (uint32_t)track->fate);
    put64(buffer, (uint64_t)track->first);
    put_tags(buffer, track->tags);
    put8(buffer, (uint32_t)track->sides);
    for (int i = 0; i < track->sides; i++) {
        put16(buffer, track->side[i].type);
        put_bytes(buffer, track->side[i].data, track->side[i].size);
    }
}

static void get_track(Reader *reader, Track *track) {
    track->parameters = need(avcodec_parameters_alloc());
    get_parameters(reader, track->parameters);
    track->clock = get_clock(reader);
    track->rate = get_rational(reader);
    track->disposition = (int)get32(reader);
    track->fate = (int)get8(reader);
    track->first = (int64_t)get64(reader);
    get_tags(reader, &track->tags);
    uint32_t sides = get8(reader);
    if (sides > 32 || track->fate > TO_ATTACHMENT) reader->failed = true;
    if (reader->failed) return;
    track->side = need(calloc(sides + 1, sizeof *track->side));
    for (uint32_t i = 0; i < sides; i++) {
        uint32_t type = get16(reader);
        size_t size;
        const uint8_t *bytes = get_bytes(reader, 1 << 20, &size);
        if (!bytes || type >= AV_PKT_DATA_NB) {
            reader->failed = true;
            return;
        }
        uint8_t *copy = need(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
        if (size) memcpy(copy, bytes, size);
        track->side[track->sides++] = (AVPacketSideData){copy, size, (enum AVPacketSideDataType)type};
    }
}

#define PICTURE_FIELDS(film)                                                                                         \
    {&(film)->width, &(film)->height, &(film)->pixel_format, &(film)->out_width, &(film)->out_height,               \
     &(film)->out_format, &(film)->range, &(film)->primaries, &(film)->transfer, &(film)->matrix, &(film)->chroma}

void put_header(Buffer *buffer, const Film *film) {
    put32(buffer, VERSION);
    put_text(buffer, film->container);
    put_text(buffer, film->codec);
    put_text(buffer, film->format);
    put_tags(buffer, film->tags);
    put32(buffer, (uint32_t)film->picture);
    put32(buffer, (uint32_t)film->track_count);
    for (int i = 0; i < film->track_count; i++) put_track(buffer, &film->tracks[i]);
    put32(buffer, (uint32_t)film->chapter_count);
    for (int i = 0; i < film->chapter_count; i++) {
        put_rational(buffer, film->chapters[i].time_base);
        put64(buffer, (uint64_t)film->chapters[i].start);
        put64(buffer, (uint64_t)film->chapters[i].end);
        put_tags(buffer, film->chapters[i].metadata);
    }
    put64(buffer, (uint64_t)film->origin);
    put_rational(buffer, film->origin_clock);
    put64(buffer, (uint64_t)film->last_duration);
    put64(buffer, film->frames);
    const int *const fields[] = PICTURE_FIELDS(film);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) put32(buffer, (uint32_t)*fields[i]);
    put_rational(buffer, film->aspect);
    put8(buffer, film->interlaced);
    put8(buffer, film->top_first);
    put_bytes(buffer, film->mastering.data, film->mastering.size);
    put_bytes(buffer, film->light.data, film->light.size);
}

static void get_word(Reader *reader, char *word, size_t room) {
    char *text = get_text(reader, room - 1);
    if (text) strcpy(word, text);
    free(text);
}

void get_header(Reader *reader, Film *film) {
    *film = (Film){0};
    if (get32(reader) != VERSION) fail(EXIT_INTERNAL, "the film's header is of another version");
    get_word(reader, film->container, sizeof film->container);
    get_word(reader, film->codec, sizeof film->codec);
    get_word(reader, film->format, sizeof film->format);
    get_tags(reader, &film->tags);
    film->picture = (int)get32(reader);
    uint32_t tracks = get32(reader);
    if (tracks > MOST_TRACKS || film->picture < 0 || (uint32_t)film->picture >= tracks) reader->failed = true;
    for (; film->track_count < (int)tracks && !reader->failed; film->track_count++)
        get_track(reader, &film->tracks[film->track_count]);
    uint32_t chapters = get32(reader);
    if (chapters > MOST_CHAPTERS) reader->failed = true;
    film->chapters = need(calloc(reader->failed ? 1 : chapters + 1, sizeof *film->chapters));
    for (; film->chapter_count < (int)chapters && !reader->failed; film->chapter_count++) {
        AVChapter *chapter = &film->chapters[film->chapter_count];
        chapter->time_base = get_clock(reader);
        chapter->start = (int64_t)get64(reader);
        chapter->end = (int64_t)get64(reader);
        get_tags(reader, &chapter->metadata);
    }
    film->origin = (int64_t)get64(reader);
    film->origin_clock = get_clock(reader);
    film->last_duration = (int64_t)get64(reader);
    film->frames = get64(reader);
    int *const fields[] = PICTURE_FIELDS(film);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) *fields[i] = (int)get32(reader);
    film->aspect = get_rational(reader);
    film->interlaced = get8(reader);
    film->top_first = get8(reader);
    size_t size;
    const uint8_t *bytes = get_bytes(reader, 1024, &size);
    if (bytes) put_raw(&film->mastering, bytes, size);
    bytes = get_bytes(reader, 1024, &size);
    if (bytes) put_raw(&film->light, bytes, size);
    if (reader->failed || film->width <= 0 || film->height <= 0 || film->width > 65535 || film->height > 65535
        || film->out_width <= 0 || film->out_height <= 0 || film->out_width > 65535 || film->out_height > 65535
        || !av_pix_fmt_desc_get(film->pixel_format) || !av_pix_fmt_desc_get(film->out_format)
        || film->tracks[film->picture].parameters->codec_type != AVMEDIA_TYPE_VIDEO)
        fail(EXIT_INTERNAL, "the film's header is not sound");
}
