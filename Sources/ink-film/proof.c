#include "proof.h"

#include "film.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t count, bytes, sizes, times; int64_t first; } Sum;
struct Proof { Sum given[MOST_TRACKS + 1], found[MOST_TRACKS + 1]; };

Proof *proof_new(void) { return need(calloc(1, sizeof(Proof))); }

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static void add(Sum *sum, uint64_t size, int64_t pts) {
    if (!sum->count++) sum->first = pts;
    sum->bytes += size;
    sum->sizes = mix(sum->sizes, size);
    sum->times = mix(sum->times, (uint64_t)(pts - sum->first));
}

// Muxers store lengths in place of start codes: the size that a packet has then.
static uint64_t without_start_codes(const uint8_t *bytes, size_t size) {
    uint64_t total = 0;
    size_t begin = 0;
    bool inside = false;
    for (size_t i = 0; i + 3 <= size; i++) {
        if (bytes[i] || bytes[i + 1] || bytes[i + 2] != 1) continue;
        size_t end = i;
        while (inside && end > begin && !bytes[end - 1]) end--;
        if (inside) total += 4 + end - begin;
        begin = i + 3;
        inside = true;
        i += 2;
    }
    return inside ? total + 4 + size - begin : size;
}

// Muxers leave out the units of AV1 that only separate frames.
static uint64_t without_delimiters(const uint8_t *bytes, size_t size) {
    uint64_t total = 0;
    for (size_t at = 0; at < size;) {
        const size_t start = at;
        const int type = bytes[at] >> 3 & 15;
        const bool extended = bytes[at] & 4, sized = bytes[at] & 2;
        at += extended ? 2 : 1;
        uint64_t length = 0;
        for (int i = 0; sized && i < 8 && at < size; i++) {
            const uint8_t byte = bytes[at++];
            length |= (uint64_t)(byte & 127) << (7 * i);
            if (!(byte & 128)) break;
        }
        if (!sized || length > size - at) length = size > at ? size - at : 0;
        at += length;
        if (type != 2 && type != 7 && type != 8 && type != 15) total += at - start;
    }
    return total;
}

static uint64_t stored_size(const AVCodecParameters *p, const AVPacket *packet) {
    switch (p->codec_id) {
    case AV_CODEC_ID_H264: case AV_CODEC_ID_HEVC: return without_start_codes(packet->data, (size_t)packet->size);
    case AV_CODEC_ID_AV1: return without_delimiters(packet->data, (size_t)packet->size);
    default: return (uint64_t)packet->size;
    }
}

void proof_given(Proof *proof, const AVStream *stream, const AVPacket *packet, int64_t padding) {
    if (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) return;
    add(&proof->given[stream->index], stored_size(stream->codecpar, packet), packet->pts - padding);
}

// Sound that is stored without borders between packets, or in packets that muxers put together.
static bool has_packets(const AVCodecParameters *p) {
    return p->codec_type != AVMEDIA_TYPE_AUDIO
           || (!av_get_bits_per_sample(p->codec_id) && p->codec_id != AV_CODEC_ID_EAC3 && p->codec_id !=
               AV_CODEC_ID_AC3);
}

static void compare(const Proof *proof, int given, int found, const AVStream *stream, const AVStream *picture,
    int64_t shift) {
    const Sum *a = &proof->given[given], *b = &proof->found[found];
    const AVCodecParameters *p = stream->codecpar;
    const bool isText = p->codec_type == AVMEDIA_TYPE_SUBTITLE;
    const bool sizes = isText || a->sizes == b->sizes;
    const bool same = has_packets(p) ? a->count == b->count && a->times == b->times && sizes : a->bytes == b->bytes;
    // Places of tracks are rounded to the file's clock.
    const int64_t off = a->count ? b->first - a->first : 0;
    const int64_t allowed = 1 + (picture == stream ? 0 : av_rescale_q_rnd(1, picture->time_base, stream->time_base,
        AV_ROUND_UP));
    const int64_t drift = off - av_rescale_q(shift, picture->time_base, stream->time_base);
    if (!same || (!isText && llabs(drift) > allowed))
        fail(EXIT_INTERNAL,
             "the finished file is not what was given to it: stream %d, %" PRIu64 " packets of %" PRIu64 ", %" PRIu64
             " bytes of %" PRIu64 ", sizes %s, times %s, off by %" PRId64,
             given, b->count, a->count, b->bytes, a->bytes, a->sizes == b->sizes ? "equal" : "differ",
             a->times == b->times ? "equal" : "differ", drift);
}

void proof_check(Proof *proof, AVFormatContext *written) {
    AVFormatContext *file = need(avformat_alloc_context());
    file->pb = descriptor_io(OUTPUT_DESCRIPTOR, false);
    file->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
    const int error = avformat_open_input(&file, NULL, NULL, NULL);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the finished file cannot be read");
    AVPacket *packet = need(av_packet_alloc());
    while (av_read_frame(file, packet) >= 0) {
        const int index = packet->stream_index;
        const bool isGap = index <= MOST_TRACKS && file->streams[index]->codecpar->codec_id == AV_CODEC_ID_MOV_TEXT
            && packet->size <= 2;
        if (index <= MOST_TRACKS && !isGap) add(&proof->found[index], (uint64_t)packet->size, packet->pts);
        av_packet_unref(packet);
    }
    // Tracks come in their order; covers and attachments are no tracks.
    const AVStream *picture = NULL;
    int64_t shift = 0;
    int places[MOST_TRACKS];
    unsigned found = 0;
    for (unsigned i = 0; i < written->nb_streams; i++) {
        const AVStream *stream = written->streams[i];
        places[i] = -1;
        if (stream->codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT
            || stream->disposition & AV_DISPOSITION_ATTACHED_PIC) continue;
        while (found < file->nb_streams && file->streams[found]->disposition & AV_DISPOSITION_ATTACHED_PIC) found++;
        if (found >= file->nb_streams || found > MOST_TRACKS) fail(EXIT_INTERNAL, "the finished file lacks a track");
        if (stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO) {
            picture = stream;
            shift = proof->found[found].first - proof->given[i].first;
        }
        places[i] = (int)found++;
    }
    if (!picture) fail(EXIT_INTERNAL, "the finished file lacks its picture");
    for (unsigned i = 0; i < written->nb_streams; i++)
        if (places[i] >= 0) compare(proof, (int)i, places[i], written->streams[i], picture, shift);
    av_packet_free(&packet);
    AVIOContext *io = file->pb;
    avformat_close_input(&file);
    close_descriptor_io(io);
}
