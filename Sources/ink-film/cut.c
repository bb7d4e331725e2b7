// Reads a film's packets once, hands them out as blocks, and says where it is cut.
#include "film.h"

#include <libavcodec/bsf.h>
#include <stdlib.h>
#include <string.h>

// A packet of the picture, in decoding order.
typedef struct { int64_t pts; int32_t size; uint8_t key, discard; } Entry;

static Entry *entries;
static size_t entry_count, entry_room;
static bool lacks_times;

static void note(const AVPacket *packet) {
    if (entry_count == (size_t)number_setting("frames", 10000000, 1, 100000000))
        fail(EXIT_FILM, "the film has more than %zu frames; --limits filmFrames allows more", entry_count);
    if (entry_count == entry_room) {
        entry_room = entry_room ? entry_room * 2 : 4096;
        entries = need(realloc(entries, entry_room * sizeof *entries));
    }
    entries[entry_count++] = (Entry){
        packet->pts, packet->size, !!(packet->flags & AV_PKT_FLAG_KEY), !!(packet->flags & AV_PKT_FLAG_DISCARD)};
    lacks_times |= packet->pts == AV_NOPTS_VALUE;
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct { int64_t start; size_t from, to; uint64_t frames; } Piece;

static Piece *pieces;
static size_t piece_count, piece_room;

static void add_piece(int64_t start, size_t from) {
    if (piece_count == piece_room) {
        piece_room = piece_room ? piece_room * 2 : 64;
        pieces = need(realloc(pieces, piece_room * sizeof *pieces));
    }
    pieces[piece_count++] = (Piece){start, from, 0, 0};
}

// The number of times below `time`.
static size_t rank(const int64_t *times, size_t count, int64_t time) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (times[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

enum { LEAST_FRAMES = 12 };

// Cuts between a cut point and the next, which is far away: such pieces decode from the cut point on.
static void cut_inside(const int64_t *times, size_t count, int64_t start, int64_t end, size_t from, int64_t step) {
    for (int64_t at = start; end - at >= 2 * step;) {
        at += step;
        const size_t next = rank(times, count, at);
        if (next == count || times[next] >= end) return;
        if (next - rank(times, count, pieces[piece_count - 1].start) < LEAST_FRAMES) continue;
        add_piece(times[next], from);
    }
}

static void find_pieces(AVRational clock, int64_t last_duration) {
    const int64_t seconds = number_setting("piece-seconds", 4, 1, 3600);
    const int64_t most_bytes = number_setting("piece-bytes", 64 << 20, 1 << 16, INT64_MAX);
    const int64_t least = av_rescale(seconds, clock.den, clock.num);
    add_piece(INT64_MIN, 0);
    int64_t *times = need(malloc((entry_count + 1) * sizeof *times));
    size_t count = 0;
    for (size_t i = 0; i < entry_count; i++)
        if (!entries[i].discard) times[count++] = entries[i].pts;
    pieces[0].to = entry_count;
    pieces[0].frames = count;
    if (lacks_times || !count) return free(times);
    qsort(times, count, sizeof *times, ascending);
    const int64_t end = times[count - 1] + last_duration;

    int64_t highest = INT64_MIN, last = times[0], bytes = 0;
    size_t last_from = 0, frames = 0;
    for (size_t i = 0; i <= entry_count; i++) {
        const bool atEnd = i == entry_count;
        const int64_t pts = atEnd ? end : entries[i].pts;
        const bool large = bytes + (atEnd ? 0 : entries[i].size) > most_bytes;
        const bool cuts = !atEnd && i > 0 && entries[i].key && !entries[i].discard && pts > highest
                          && (pts - last >= least || large) && frames >= LEAST_FRAMES;
        if ((cuts || atEnd) && pts - last > least * 5 / 2) {
            const int64_t step = FFMAX(least, (pts - last) / 16);
            cut_inside(times, count, last, pts, last_from, step);
        }
        if (cuts) {
            add_piece(pts, i);
            last = pts, last_from = i, frames = 0, bytes = 0;
        }
        if (atEnd) break;
        highest = FFMAX(highest, pts);
        frames += !entries[i].discard;
        bytes += entries[i].size;
    }
    if (piece_count > 1 && count - rank(times, count, pieces[piece_count - 1].start) < LEAST_FRAMES) piece_count--;

    // The lowest time from each packet on says where the last packet of a piece lies.
    int64_t *lowest = need(malloc((entry_count + 1) * sizeof *lowest));
    lowest[entry_count] = INT64_MAX;
    for (size_t i = entry_count; i-- > 0;) lowest[i] = FFMIN(lowest[i + 1], entries[i].pts);
    for (size_t i = 0; i < piece_count; i++) {
        const bool isLast = i + 1 == piece_count;
        pieces[i].to = isLast ? entry_count : rank(lowest, entry_count, pieces[i + 1].start);
        const size_t first = i ? rank(times, count, pieces[i].start) : 0;
        pieces[i].frames = (isLast ? count : rank(times, count, pieces[i + 1].start)) - first;
    }
    free(lowest);
    free(times);
}

static void send_pieces(void) {
    for (size_t i = 0; i < piece_count; i++) {
        const bool isLast = i + 1 == piece_count;
        Buffer body = {0};
        put32(&body, (uint32_t)i);
        put64(&body, (uint64_t)pieces[i].start);
        put64(&body, (uint64_t)(isLast ? INT64_MAX : pieces[i + 1].start));
        put64(&body, pieces[i].from);
        put64(&body, pieces[i].to);
        put64(&body, pieces[i].frames);
        send_message(PIECE, &body);
        free(body.data);
    }
}

// Decodes until a frame comes: its size and format hold for the whole film.
typedef struct { AVCodecContext *decoder; AVFrame *frame; int fed; int64_t bytes; bool done; } FirstFrame;

static void first_open(FirstFrame *first, const Track *track) {
    first->decoder = need(avcodec_alloc_context3(avcodec_find_decoder(track->parameters->codec_id)));
    first->frame = need(av_frame_alloc());
    avcodec_parameters_to_context(first->decoder, track->parameters);
    first->decoder->pkt_timebase = track->clock;
    first->decoder->thread_count = 1;
    first->decoder->max_pixels = number_setting("pixels", 8192 * 4320, 1, INT64_C(65535) * 65535);
    const int error = avcodec_open2(first->decoder, NULL, NULL);
    if (error < 0) fail_av(EXIT_FILM, error, "the film cannot be decoded");
}

static void first_feed(FirstFrame *first, const AVPacket *packet) {
    if (first->done) return;
    if (packet && ((first->bytes += packet->size) > (64 << 20) || ++first->fed > 500))
        fail(EXIT_FILM, "no frame can be decoded");
    if (avcodec_send_packet(first->decoder, packet) < 0 && packet) return;
    if (avcodec_receive_frame(first->decoder, first->frame) >= 0) first->done = true;
}

static void first_close(FirstFrame *first, AVFormatContext *film, Film *plan) {
    if (!first->done) fail(EXIT_FILM, "no frame can be decoded");
    plan_picture(film, plan, first->frame);
    av_frame_free(&first->frame);
    avcodec_free_context(&first->decoder);
}

// A second view of HEVC has pictures in a layer of its own.
static bool has_layers(const AVPacket *packet, const AVCodecParameters *p) {
    if (p->codec_id != AV_CODEC_ID_HEVC || p->extradata_size < 23 || p->extradata[0] != 1) return false;
    const int length = (p->extradata[21] & 3) + 1;
    for (int64_t at = 0; at + length + 2 <= packet->size;) {
        uint32_t size = 0;
        for (int i = 0; i < length; i++) size = size << 8 | packet->data[at + i];
        const uint8_t *nal = packet->data + at + length;
        if (((nal[0] & 1) << 5 | nal[1] >> 3) && (nal[0] >> 1 & 63) < 32) return true;
        at += length + (int64_t)size;
    }
    return false;
}

typedef struct { BlockWriter *rest; Film *film; int track; } Taker;

static void take_rest(void *context, AVPacket *packet) {
    Taker *taker = context;
    Track *track = &taker->film->tracks[taker->track];
    if (packet->pts != AV_NOPTS_VALUE && (track->first == AV_NOPTS_VALUE || packet->pts < track->first))
        track->first = packet->pts;
    block_add(taker->rest, taker->track, packet, false);
}

static AVFormatContext *begin(Film *plan, int *sources, FirstFrame *first) {
    AVFormatContext *film = open_film();
    const int64_t hours = number_setting("hours", 48, 1, 100000);
    if (film->duration != AV_NOPTS_VALUE && film->duration / AV_TIME_BASE / 3600 >= hours)
        fail(EXIT_FILM, "the film lasts %.0f hours; --limits filmDurationHours is less",
            (double)film->duration / 3.6e9);
    plan_streams(film, plan, sources);
    const AVCodecParameters *p = plan->tracks[plan->picture].parameters;
    if ((int64_t)p->width * p->height > number_setting("pixels", 8192 * 4320, 1, INT64_C(65535) * 65535))
        fail(EXIT_FILM, "the film has %dx%d pixels; --limits filmPixels is less", p->width, p->height);
    first_open(first, &plan->tracks[plan->picture]);
    return film;
}

void run_probe(void) {
    Film plan = {0};
    int sources[MOST_TRACKS];
    FirstFrame first = {0};
    AVFormatContext *film = begin(&plan, sources, &first);
    AVPacket *packet = need(av_packet_alloc());
    while (!first.done && av_read_frame(film, packet) >= 0) {
        const int index = packet->stream_index;
        if (index < MOST_TRACKS && sources[index] == plan.picture) first_feed(&first, packet);
        av_packet_unref(packet);
    }
    first_feed(&first, NULL);
    first_close(&first, film, &plan);
    const Track *picture = &plan.tracks[plan.picture];
    const int64_t span = film->duration == AV_NOPTS_VALUE ? 0 : av_rescale_q(film->duration, AV_TIME_BASE_Q,
        picture->clock);
    for (unsigned i = 0; i < film->nb_streams; i++)
        if (sources[i] == plan.picture) plan.frames = (uint64_t)film->streams[i]->nb_frames;
    const int64_t start = film->start_time == AV_NOPTS_VALUE
                              ? 0 : av_rescale_q(film->start_time, AV_TIME_BASE_Q, picture->clock);
    send_film(&plan, film, sources, 0, start, span);
    send_message(DONE, NULL);
}

// Containers state the average number of frames a second, and some make it up.
static void correct_rate(Track *picture, uint64_t frames, int64_t span) {
    AVRational *rate = &picture->rate;
    const int64_t thousandths =
        span > 0 ? av_rescale((int64_t)frames * 1000, picture->clock.den, span) / picture->clock.num : 0;
    if (frames < 2 || thousandths < 1) {
        if (rate->num <= 0 || rate->den <= 0 || av_cmp_q(*rate, (AVRational){240, 1}) > 0) *rate = (AVRational){25, 1};
        return;
    }
    const int64_t stated = rate->num > 0 && rate->den > 0 ? av_rescale(rate->num, 1000, rate->den) : 0;
    if (stated * 4 > thousandths * 5 || stated * 5 < thousandths * 4)
        *rate = (AVRational){(int)FFMIN(thousandths, INT32_MAX), 1000};
}

void run_cut(void) {
    Film plan = {0};
    int sources[MOST_TRACKS];
    FirstFrame first = {0};
    AVFormatContext *film = begin(&plan, sources, &first);
    Track *picture = &plan.tracks[plan.picture];
    BlockWriter pictures = {.kind = PICTURES}, rest = {.kind = REST};
    Sound *sounds[MOST_TRACKS] = {0};
    for (int i = 0; i < plan.track_count; i++)
        if (plan.tracks[i].parameters->codec_type == AVMEDIA_TYPE_AUDIO) sounds[i] = sound_open(&plan.tracks[i],
            plan.tracks[i].fate);
    AVPacket *packet = need(av_packet_alloc());
    uint64_t bytes = 0;
    int64_t highest = INT64_MIN, lowest = INT64_MAX, last_duration = 0, size = avio_size(film->pb);
    bool layers = false;
    int error;
    while ((error = av_read_frame(film, packet)) >= 0) {
        const int index = packet->stream_index, track = index < MOST_TRACKS ? sources[index] : -1;
        if (av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, NULL)) fail(EXIT_FILM,
            "the film is encrypted");
        if (track == plan.picture) {
            note(packet);
            layers = layers || (entry_count < 3 && has_layers(packet, picture->parameters));
            if (!(packet->flags & AV_PKT_FLAG_DISCARD) && packet->pts != AV_NOPTS_VALUE) {
                if (packet->pts > highest) highest = packet->pts, last_duration = packet->duration;
                lowest = FFMIN(lowest, packet->pts);
            }
            bytes += (uint64_t)packet->size;
            first_feed(&first, packet);
            block_add(&pictures, track, packet, packet->flags & AV_PKT_FLAG_KEY);
        } else if (track >= 0 && plan.tracks[track].fate != TO_ATTACHMENT) {
            Taker taker = {&rest, &plan, track};
            if (sounds[track]) sound_feed(sounds[track], packet, take_rest, &taker);
            else take_rest(&taker, packet);
        }
        av_packet_unref(packet);
        if (size > 0) progress((uint64_t)FFMIN(avio_tell(film->pb), size), (uint64_t)size);
    }
    if (error != AVERROR_EOF || film->pb->error < 0 || log_has("ended prematurely")) warn("damage",
        "the film ends early");
    first_feed(&first, NULL);
    first_close(&first, film, &plan);
    for (int i = 0; i < plan.track_count; i++) {
        Taker taker = {&rest, &plan, i};
        if (sounds[i]) sound_feed(sounds[i], NULL, take_rest, &taker);
    }
    block_flush(&pictures, true);
    block_flush(&rest, true);
    if (layers) warn("view", "the second view is lost");
    if (last_duration <= 0 && picture->rate.num > 0)
        last_duration = av_rescale_q(1, av_inv_q(picture->rate), picture->clock);
    plan.last_duration = FFMAX(last_duration, 1);
    picture->first = lowest == INT64_MAX ? 0 : lowest;
    find_pieces(picture->clock, plan.last_duration);
    for (size_t i = 0; i < piece_count; i++) plan.frames += pieces[i].frames;
    const int64_t span = lowest == INT64_MAX ? 0 : highest - lowest + plan.last_duration;
    correct_rate(picture, plan.frames, span);
    send_film(&plan, film, sources, bytes, picture->first, span);
    send_pieces();
    send_message(DONE, NULL);
}
