// Joins packets into a file: the picture's, piece after piece, and the rest as it was.
#include "film.h"

#include "proof.h"
#include <inttypes.h>
#include <libavutil/avstring.h>
#include <libavutil/opt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DELAY = 16 };

typedef struct { AVPacket **packets; size_t count, room; bool loaded; } Bundle;

typedef struct {
    Film film;
    AVFormatContext *out;
    int streams[MOST_TRACKS];  // of the tracks, in the file; -1: an attachment
    int64_t lead;              // milliseconds, where times below zero have no place
    Proof *proof;
    int64_t last_dts[MOST_TRACKS];
    // Packets of the rest, one ahead.
    Buffer rest;
    Reader rest_reader;
    uint32_t rest_left;
    AVPacket *waiting;
    int waiting_track;
    bool rest_ended;
    // The delay between a picture's place in decoding order and its time, and the last times before this piece.
    int delay;
    int64_t carried[MOST_DELAY];
    uint64_t number;
} Join;

static int open_own(AVFormatContext *out, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)out, (void)url, (void)options;
    if (flags & AVIO_FLAG_WRITE) return AVERROR(EPERM);
    *io = descriptor_io(OUTPUT_DESCRIPTOR, false);
    return 0;
}

static int close_own(AVFormatContext *out, AVIOContext *io) {
    (void)out;
    close_descriptor_io(io);
    return 0;
}

static Reader ask_block(int kind, enum Message *type) {
    Buffer request = {0};
    put8(&request, (uint32_t)kind);
    send_message(ASK_BLOCK, &request);
    free(request.data);
    return receive_message(type);
}

static bool is_matroska(const Join *join) { return join->film.format[0] == 'm' && join->film.format[1] == 'k'; }
static bool is_webm(const Join *join) { return !strcmp(join->film.format, "webm"); }

// Libavformat 59 writes Opus' delay without adding it to the times, and takes it off when it reads.
static int64_t opus_padding(const Join *join, const Track *track) {
    if (LIBAVFORMAT_VERSION_MAJOR > 59 || !(is_matroska(join) || is_webm(join))) return 0;
    const AVCodecParameters *p = track->parameters;
    return p->codec_id == AV_CODEC_ID_OPUS ? av_rescale_q(p->initial_padding, (AVRational){1, 48000}, track->clock) : 0;
}

static int64_t moved(const Join *join, const Track *track, int64_t time) {
    return time - av_rescale_q(join->film.origin, join->film.origin_clock, track->clock);
}

static void copy_side_data(AVStream *stream, const Track *track) {
    for (int i = 0; i < track->sides; i++) {
        const enum AVPacketSideDataType type = track->side[i].type;
        if (type == AV_PKT_DATA_DOVI_CONF || type == AV_PKT_DATA_CPB_PROPERTIES || type == AV_PKT_DATA_NEW_EXTRADATA)
            continue;
        uint8_t *copy = need(av_stream_new_side_data(stream, type, track->side[i].size));
        memcpy(copy, track->side[i].data, track->side[i].size);
    }
}

static void add_picture_data(AVStream *stream, const Film *film) {
    const struct { enum AVPacketSideDataType type; const Buffer *bytes; } kept[] = {
        {AV_PKT_DATA_MASTERING_DISPLAY_METADATA, &film->mastering}, {AV_PKT_DATA_CONTENT_LIGHT_LEVEL, &film->light},
    };
    for (size_t i = 0; i < 2; i++) {
        if (!kept[i].bytes->size || av_stream_get_side_data(stream, kept[i].type, NULL)) continue;
        uint8_t *copy = need(av_stream_new_side_data(stream, kept[i].type, kept[i].bytes->size));
        memcpy(copy, kept[i].bytes->data, kept[i].bytes->size);
    }
}

static void set_picture(Join *join, AVStream *stream, const Track *track, const Buffer *codec) {
    const Film *film = &join->film;
    AVCodecParameters *p = stream->codecpar;
    p->codec_type = AVMEDIA_TYPE_VIDEO;
    const AVCodecDescriptor *descriptor = avcodec_descriptor_get_by_name(film->codec);
    p->codec_id = descriptor ? descriptor->id : AV_CODEC_ID_NONE;
    p->codec_tag = p->codec_id == AV_CODEC_ID_HEVC && !is_matroska(join) ? MKTAG('h', 'v', 'c', '1') : 0;
    p->format = film->out_format;
    p->width = film->out_width;
    p->height = film->out_height;
    p->sample_aspect_ratio = stream->sample_aspect_ratio = film->aspect;
    p->color_range = film->range;
    p->color_primaries = film->primaries;
    p->color_trc = film->transfer;
    p->color_space = film->matrix;
    p->chroma_location = film->chroma;
    p->field_order = !film->interlaced ? AV_FIELD_PROGRESSIVE : film->top_first ? AV_FIELD_TT : AV_FIELD_BB;
    p->extradata = need(av_mallocz(codec->size + AV_INPUT_BUFFER_PADDING_SIZE));
    if (codec->size) memcpy(p->extradata, codec->data, codec->size);
    p->extradata_size = (int)codec->size;
    stream->avg_frame_rate = track->rate;
    add_picture_data(stream, film);
}

static void add_stream(Join *join, int index, const Buffer *codec) {
    Track *track = &join->film.tracks[index];
    AVStream *stream = need(avformat_new_stream(join->out, NULL));
    stream->time_base = track->clock;
    stream->disposition = track->disposition;
    av_dict_copy(&stream->metadata, track->tags, 0);
    copy_side_data(stream, track);
    join->streams[index] = stream->index;
    join->last_dts[index] = INT64_MIN;
    if (index == join->film.picture) return set_picture(join, stream, track, codec);
    enum AVCodecID source = track->parameters->codec_id;
    if (track->fate == TO_MOV_TEXT || track->fate == TO_SUBRIP || track->fate == TO_WEBVTT) text_parameters(track);
    if (avcodec_parameters_copy(stream->codecpar, track->parameters)) need(NULL);
    track->parameters->codec_id = source;
    stream->codecpar->codec_tag = 0;
    if (track->parameters->codec_type == AVMEDIA_TYPE_ATTACHMENT) join->streams[index] = -1;
}

static void add_chapters(Join *join) {
    const Film *film = &join->film;
    join->out->chapters = need(av_calloc((size_t)film->chapter_count + 1, sizeof *join->out->chapters));
    for (int i = 0; i < film->chapter_count; i++) {
        AVChapter *chapter = join->out->chapters[i] = need(av_mallocz(sizeof *chapter));
        const int64_t lead = av_rescale_q(join->lead, (AVRational){1, 1000}, film->chapters[i].time_base);
        const int64_t origin = av_rescale_q(film->origin, film->origin_clock, film->chapters[i].time_base);
        chapter->id = i + 1;
        chapter->time_base = film->chapters[i].time_base;
        chapter->start = film->chapters[i].start + lead - origin;
        chapter->end = film->chapters[i].end + lead - origin;
        av_dict_copy(&chapter->metadata, film->chapters[i].metadata, 0);
        join->out->nb_chapters++;
    }
}

// Edit lists count in the film's clock: the least common multiple of all tracks', so that nothing is rounded.
static int64_t common_clock(const Film *film) {
    int64_t common = film->tracks[film->picture].clock.den;
    for (int i = 0; i < film->track_count; i++) {
        const Track *track = &film->tracks[i];
        const bool isSound = track->parameters->codec_type == AVMEDIA_TYPE_AUDIO;
        const int64_t clock = isSound ? track->parameters->sample_rate : track->clock.den;
        if (clock <= 0 || track->parameters->codec_type > AVMEDIA_TYPE_SUBTITLE) continue;
        const int64_t product = common / av_gcd(common, clock) * clock;
        if (product <= 90000000) common = product;
    }
    return common;
}

// What lies below zero in a file that cannot say so: milliseconds that everything is moved by.
static int64_t lead_of(const Join *join) {
    int64_t lowest = 0;
    for (int i = 0; i < join->film.track_count; i++) {
        const Track *track = &join->film.tracks[i];
        if (track->first == AV_NOPTS_VALUE) continue;
        const int64_t time = moved(join, track, track->first) + opus_padding(join, track);
        lowest = FFMIN(lowest, av_rescale_q_rnd(time, track->clock, (AVRational){1, 1000}, AV_ROUND_DOWN));
    }
    return -lowest;
}

static void open_output(Join *join, const Buffer *codec) {
    const Film *film = &join->film;
    const char *name = is_matroska(join) ? "matroska" : film->format;
    if (avformat_alloc_output_context2(&join->out, NULL, name, "film") < 0) fail(EXIT_INTERNAL,
        "there is no muxer for %s", name);
    AVFormatContext *out = join->out;
    out->pb = descriptor_io(OUTPUT_DESCRIPTOR, true);
    out->io_open = open_own;
    out->io_close2 = close_own;
    out->flags |= AVFMT_FLAG_BITEXACT;
    out->flags &= ~AVFMT_FLAG_AUTO_BSF;
    out->strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL;
    out->avoid_negative_ts = 0;
    for (int i = 0; i < film->track_count; i++) add_stream(join, i, codec);
    const bool isMP4 = !is_matroska(join) && !is_webm(join);
    if (!isMP4) join->lead = lead_of(join);
    add_chapters(join);
    av_dict_copy(&out->metadata, film->tags, 0);
    const char *ink = setting("ink", NULL);
    AVDictionary *options = NULL;
    if (isMP4) {
        const AVRational clock = film->tracks[film->picture].clock;
        av_dict_set(&options, "movflags", "+faststart", 0);
        av_dict_set(&options, "write_tmcd", "0", 0);
        av_dict_set_int(&options, "video_track_timescale", clock.den, 0);
        av_dict_set_int(&options, "movie_timescale", common_clock(film), 0);
    }
    // MP4 has no tags of one's own; what names the program that made a file is free.
    if (ink && isMP4)
        av_dict_set(&out->metadata, film->format[2] == '4' ? "encoding_tool" : "encoder", av_asprintf("ink %s", ink),
                    AV_DICT_DONT_STRDUP_VAL);
    else if (ink) av_dict_set(&out->metadata, "ink", ink, 0);
    const int error = avformat_write_header(out, &options);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the file's header cannot be written");
    av_dict_free(&options);
}

static void write_packet(Join *join, int index, AVPacket *packet) {
    const Track *track = &join->film.tracks[index];
    AVStream *stream = join->out->streams[join->streams[index]];
    packet->stream_index = stream->index;
    packet->pos = -1;
    if (packet->dts == AV_NOPTS_VALUE) packet->dts = packet->pts;
    if (packet->pts == AV_NOPTS_VALUE) packet->pts = packet->dts;
    const int64_t padding = opus_padding(join, track);
    const int64_t lead = av_rescale_q(join->lead, (AVRational){1, 1000}, stream->time_base);
    packet->pts = av_rescale_q(moved(join, track, packet->pts) + padding, track->clock, stream->time_base) + lead;
    packet->dts = av_rescale_q(moved(join, track, packet->dts) + padding, track->clock, stream->time_base) + lead;
    packet->duration = av_rescale_q(packet->duration, track->clock, stream->time_base);
    if (packet->dts < join->last_dts[index]) {
        packet->dts = join->last_dts[index];
        packet->pts = FFMAX(packet->pts, packet->dts);
    }
    join->last_dts[index] = packet->dts;
    proof_given(join->proof, stream, packet, av_rescale_q(padding, track->clock, stream->time_base));
    const int error = av_write_frame(join->out, packet);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "a packet of track %d cannot be written", index);
    av_packet_unref(packet);
    join->number++;
    progress(join->number, join->film.frames + join->number);
}

static bool fill_waiting(Join *join) {
    while (!join->rest_ended && !join->waiting->data) {
        if (!join->rest_left) {
            enum Message type;
            Reader reader = ask_block(REST, &type);
            if (type == END) return !(join->rest_ended = true);
            if (type != BLOCK || get8(&reader) != REST) fail(EXIT_INTERNAL, "the answer is not a block of the rest");
            get8(&reader), get64(&reader);
            join->rest_left = get32(&reader);
            // The message's memory is used again by the next one.
            join->rest.size = 0;
            put_raw(&join->rest, reader.at, (size_t)(reader.end - reader.at));
            join->rest_reader = (Reader){join->rest.data, join->rest.data + join->rest.size, reader.failed};
            continue;
        }
        join->rest_left--;
        AVPacket *packet = join->waiting;
        int index;
        if (!get_packet(&join->rest_reader, &index, packet) || index >= join->film.track_count || index ==
            join->film.picture)
            fail(EXIT_INTERNAL, "a block is not sound");
        join->waiting_track = index;
        const Track *track = &join->film.tracks[index];
        const bool isText = track->fate == TO_MOV_TEXT || track->fate == TO_SUBRIP || track->fate == TO_WEBVTT;
        const bool isGap = track->parameters->codec_id == AV_CODEC_ID_MOV_TEXT && packet->size <= 2;
        // Covers have no time.
        if (track->disposition & AV_DISPOSITION_ATTACHED_PIC)
            packet->pts = packet->dts = av_rescale_q(join->film.origin, join->film.origin_clock, track->clock);
        const bool hasNoTime = packet->pts == AV_NOPTS_VALUE && packet->dts == AV_NOPTS_VALUE;
        if (join->streams[index] < 0 || hasNoTime || isGap || (isText && !convert_text(track, packet)))
            av_packet_unref(packet);
    }
    return !join->rest_ended;
}

// Writes what of the rest comes before `time` of the picture.
static void write_rest(Join *join, int64_t time, bool all) {
    const Track *picture = &join->film.tracks[join->film.picture];
    while (fill_waiting(join)) {
        const Track *track = &join->film.tracks[join->waiting_track];
        const int64_t own = join->waiting->dts == AV_NOPTS_VALUE ? join->waiting->pts : join->waiting->dts;
        if (!all && av_compare_ts(moved(join, track, own), track->clock, moved(join, picture, time), picture->clock) >=
            0) return;
        write_packet(join, join->waiting_track, join->waiting);
    }
}

// Reads the next piece whole; false if there is none.
static bool load(Join *join, Bundle *bundle) {
    bundle->count = 0;
    for (;;) {
        enum Message type;
        Reader reader = ask_block(PICTURES, &type);
        if (type == END) return bundle->count > 0;
        if (type != BLOCK || get8(&reader) != PICTURES) fail(EXIT_INTERNAL, "the answer is not a block of the picture");
        const bool ends = get8(&reader);
        get64(&reader);
        for (uint32_t i = get32(&reader); i > 0; i--) {
            if (bundle->count == bundle->room) {
                bundle->room = bundle->room * 2 + 64;
                bundle->packets = need(realloc(bundle->packets, bundle->room * sizeof *bundle->packets));
            }
            AVPacket *packet = bundle->packets[bundle->count++] = need(av_packet_alloc());
            int index;
            if (!get_packet(&reader, &index, packet) || index != join->film.picture || packet->pts == AV_NOPTS_VALUE)
                fail(EXIT_INTERNAL, "a block is not sound");
        }
        if (ends && bundle->count) return true;
    }
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// The least delay with which no packet is decoded after its time.
static int least_delay(const Bundle *bundle, const int64_t *times) {
    int delay = 0;
    for (size_t n = 0; n < bundle->count; n++)
        while ((int64_t)n - delay >= 0 && times[n - (size_t)delay] > bundle->packets[n]->pts) delay++;
    return delay;
}

static void write_pieces(Join *join) {
    Bundle bundles[2] = {0};
    const int64_t pieces = number_setting("pieces", 1, 1, INT32_MAX);
    bool has = load(join, &bundles[0]);
    uint64_t frames = 0;
    int64_t before = INT64_MIN;
    if (!has) fail(EXIT_FILM, "no frame can be decoded");
    for (int which = 0; has; which ^= 1) {
        Bundle *bundle = &bundles[which], *next = &bundles[which ^ 1];
        has = load(join, next);
        int64_t *times = need(malloc((bundle->count + 1) * sizeof *times));
        for (size_t n = 0; n < bundle->count; n++) times[n] = bundle->packets[n]->pts;
        qsort(times, bundle->count, sizeof *times, ascending);
        // The encoder begins each piece with the frame that is shown first.
        times[bundle->count] = has ? next->packets[0]->pts : times[bundle->count - 1] + join->film.last_duration;
        const int least = least_delay(bundle, times);
        if (!frames) {
            join->delay = least;
            if (pieces > 1 && strcmp(join->film.codec, "av1")) join->delay = FFMAX(least, FFMIN(2,
                (int)bundle->count - 1));
            if (join->delay >= MOST_DELAY) fail(EXIT_INTERNAL, "the packets of a piece are out of order");
            for (int k = 0; k < join->delay; k++) join->carried[k] = times[k] - (times[join->delay] - times[0]);
        }
        if (least > join->delay || times[0] <= before)
            fail(EXIT_INTERNAL, "the pieces do not fit together (delay %d, first %d)", least, join->delay);
        for (size_t n = 0; n < bundle->count; n++) {
            AVPacket *packet = bundle->packets[n];
            const int64_t *at = bsearch(&packet->pts, times, bundle->count, sizeof *times, ascending);
            packet->dts = n < (size_t)join->delay ? join->carried[n] : times[n - (size_t)join->delay];
            packet->duration = at[1] - at[0];
            write_rest(join, packet->dts, false);
            write_packet(join, join->film.picture, packet);
            av_packet_free(&bundle->packets[n]);
        }
        before = times[bundle->count - 1];
        frames += bundle->count;
        int64_t carried[MOST_DELAY];
        for (int k = 0; k < join->delay; k++) {
            const int64_t from = (int64_t)bundle->count - join->delay + k;
            carried[k] = from >= 0 ? times[from] : join->carried[join->delay + from];
        }
        memcpy(join->carried, carried, sizeof carried);
        free(times);
    }
    write_rest(join, 0, true);
}

void run_join(void) {
    Join join = {.waiting = need(av_packet_alloc()), .proof = proof_new()};
    Buffer codec = {0};
    bool hasHeader = false;
    for (;;) {
        enum Message type;
        Reader reader = receive_message(&type);
        if (type == HEADER && !hasHeader) get_header(&reader, &join.film), hasHeader = true;
        else if (type == CODEC && !codec.size) put_raw(&codec, reader.at, (size_t)(reader.end - reader.at));
        else if (type == END && hasHeader) break;
        else fail(EXIT_INTERNAL, "a message of type %d does not belong here", type);
    }
    open_output(&join, &codec);
    write_pieces(&join);
    const int error = av_write_trailer(join.out);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the file cannot be finished");
    avio_flush(join.out->pb);
    if (join.out->pb->error < 0) fail(EXIT_FILE, "the file cannot be written");
    proof_check(join.proof, join.out);
    Buffer body = {0};
    put64(&body, (uint64_t)avio_size(join.out->pb));
    put64(&body, (uint64_t)cpu_time());
    send_message(DONE, &body);
}
