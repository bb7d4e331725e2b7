// Decodes the frames of one piece, marks them and encodes them, and proves that they are the film's.
#include "film.h"

#include <inttypes.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    Film film;
    Marks *marks;
    AVCodecContext *decoder, *encoder;
    Converter *converter;
    AVFrame *frame;
    AVPacket *packet;
    BlockWriter out;
    int64_t start, end, last, first_pts, first_damage, decode_time, mark_time, encode_time;
    uint64_t from, to, expected, frames, bytes, damaged;
    bool trusts, measures;  // the film's start is among the packets: what is flagged now is damage
} Piece;

// Seconds from the film's first frame, for people.
static double seconds(const Piece *piece, int64_t pts) {
    const Track *track = &piece->film.tracks[piece->film.picture];
    return (double)(pts - track->first) * av_q2d(track->clock);
}

static void damage(Piece *piece, int64_t pts) {
    if (!piece->damaged++) piece->first_damage = pts;
}

_Noreturn static void ask_lead_in(const char *why) {
    Buffer body = {0};
    put_text(&body, why);
    send_message(LEAD_IN, &body);
    _exit(0);
}

static void receive_setup(Piece *piece) {
    enum Message type;
    for (bool hasHeader = false;;) {
        Reader reader = receive_message(&type);
        if (type == HEADER && !hasHeader) get_header(&reader, &piece->film), hasHeader = true;
        else if (type == MARK) marks_begin(&piece->marks, &reader);
        else if (type == ROWS) marks_rows(piece->marks, &reader);
        else if (type == END && hasHeader) break;
        else fail(EXIT_INTERNAL, "a message of type %d does not belong here", type);
    }
    marks_finish(piece->marks, &piece->film);
    piece->start = number_setting("start", INT64_MIN, INT64_MIN, INT64_MAX);
    piece->end = number_setting("end", INT64_MAX, INT64_MIN, INT64_MAX);
    piece->from = (uint64_t)number_setting("from", 0, 0, INT64_MAX);
    piece->to = (uint64_t)number_setting("to", INT64_MAX, 0, INT64_MAX);
    piece->expected = (uint64_t)number_setting("frames", 0, 0, INT64_MAX);
    piece->trusts = piece->start == INT64_MIN || number_setting("last-try", 0, 0, 1);
    piece->measures = number_setting("measure", 0, 0, 1);
    piece->last = piece->first_pts = INT64_MIN;
}

static void open_decoder(Piece *piece) {
    const Track *track = &piece->film.tracks[piece->film.picture];
    const AVCodec *codec = avcodec_find_decoder(track->parameters->codec_id);
    if (!codec) fail(EXIT_CODEC, "there is no decoder for %s here", avcodec_get_name(track->parameters->codec_id));
    piece->decoder = need(avcodec_alloc_context3(codec));
    avcodec_parameters_to_context(piece->decoder, track->parameters);
    piece->decoder->pkt_timebase = track->clock;
    piece->decoder->thread_count = 1;
    piece->decoder->max_pixels = number_setting("pixels", 8192 * 4320, 1, INT64_C(65535) * 65535);
    if (piece->start != INT64_MIN) piece->decoder->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
    const int error = avcodec_open2(piece->decoder, codec, NULL);
    if (error < 0) fail_av(EXIT_FILM, error, "the film cannot be decoded");
}

static void receive_packets(Piece *piece) {
    int error;
    while ((error = avcodec_receive_packet(piece->encoder, piece->packet)) >= 0) {
        piece->bytes += (uint64_t)piece->packet->size;
        if (!piece->measures) block_add(&piece->out, piece->film.picture, piece->packet, false);
        av_packet_unref(piece->packet);
    }
    if (error != AVERROR(EAGAIN) && error != AVERROR_EOF) fail_av(EXIT_INTERNAL, error, "the encoder failed");
}

static void take_frame(Piece *piece, AVFrame *frame) {
    const Film *film = &piece->film;
    int64_t pts = frame->best_effort_timestamp;
    if (pts == AV_NOPTS_VALUE)
        pts = piece->last == INT64_MIN ? 0 : piece->last + FFMAX(frame->pkt_duration, FFMAX(film->last_duration, 1));
    if (pts < piece->start || pts >= piece->end) return;
    if (frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags) {
        if (!piece->trusts) ask_lead_in("a frame is incomplete");
        damage(piece, pts);
    }
    if (!piece->trusts && piece->last == INT64_MIN && pts != piece->start) ask_lead_in("the first frame is missing");
    if (pts <= piece->last) return damage(piece, pts);
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    const AVPixFmtDescriptor *expected = av_pix_fmt_desc_get(film->pixel_format);
    if (frame->width != film->width || frame->height != film->height)
        fail(EXIT_FILM, "the picture changes from %dx%d to %dx%d at %.1f s", film->width, film->height, frame->width,
             frame->height, seconds(piece, pts));
    // Formats with a range of their own have the same samples as those without.
    if (frame->format != film->pixel_format
        && (!pixels || strncmp(pixels->name, "yuvj", 4) || strcmp(pixels->name + 4, expected->name + 3)))
        fail(EXIT_FILM, "the picture changes from %s to %s at %.1f s", expected->name,
             pixels ? pixels->name : "unknown", seconds(piece, pts));
    int64_t before = cpu_time();
    AVFrame *out = convert(piece->converter, frame);
    marks_blend(piece->marks, out);
    piece->mark_time += cpu_time() - before;
    out->pts = pts;
    if (piece->first_pts == INT64_MIN) piece->first_pts = pts;
    piece->last = pts;
    before = cpu_time();
    const int error = avcodec_send_frame(piece->encoder, out);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the encoder failed");
    av_frame_free(&out);
    receive_packets(piece);
    piece->encode_time += cpu_time() - before;
    piece->frames++;
    progress(FFMIN(piece->frames, piece->expected), piece->expected);
}

static void feed(Piece *piece, const AVPacket *packet) {
    const int64_t before = cpu_time(), others = piece->mark_time + piece->encode_time;
    int error = avcodec_send_packet(piece->decoder, packet);
    if (error < 0 && packet && !(packet->flags & AV_PKT_FLAG_DISCARD) && packet->pts >= piece->start
        && packet->pts < piece->end) {
        // A packet that cannot be decoded may be the fault of a cut in the wrong place.
        if (!piece->trusts) ask_lead_in("a packet cannot be decoded");
        damage(piece, packet->pts);
    }
    while ((error = avcodec_receive_frame(piece->decoder, piece->frame)) >= 0) {
        take_frame(piece, piece->frame);
        av_frame_unref(piece->frame);
    }
    piece->decode_time += cpu_time() - before - (piece->mark_time + piece->encode_time - others);
}

static void decode_blocks(Piece *piece) {
    AVPacket *packet = need(av_packet_alloc());
    uint64_t next = piece->from;
    for (bool ends = false; !ends;) {
        Buffer request = {0};
        put8(&request, PICTURES);
        send_message(ASK_BLOCK, &request);
        free(request.data);
        enum Message type;
        Reader reader = receive_message(&type);
        if (type == END) break;
        if (type != BLOCK || get8(&reader) != PICTURES) fail(EXIT_INTERNAL, "the answer is not a block of the picture");
        get8(&reader);
        uint64_t ordinal = get64(&reader);
        const uint32_t count = get32(&reader);
        for (uint32_t i = 0; i < count && !ends; i++, ordinal++) {
            int track;
            if (!get_packet(&reader, &track, packet) || track != piece->film.picture)
                fail(EXIT_INTERNAL, "a block is not sound");
            if (ordinal < piece->from) continue;
            if (ordinal != next) fail(EXIT_INTERNAL, "packet %" PRIu64 " comes instead of %" PRIu64, ordinal, next);
            ends = ++next >= piece->to;
            feed(piece, packet);
        }
    }
    feed(piece, NULL);
    av_packet_free(&packet);
}

static void send_done(Piece *piece) {
    Buffer body = {0};
    put64(&body, piece->frames);
    put64(&body, (uint64_t)piece->first_pts);
    put64(&body, (uint64_t)piece->last);
    put64(&body, piece->bytes);
    put64(&body, piece->damaged);
    put64(&body, (uint64_t)(int64_t)(piece->damaged ? seconds(piece, piece->first_damage) * 1000 : 0));
    put64(&body, (uint64_t)piece->decode_time);
    put64(&body, (uint64_t)piece->mark_time);
    put64(&body, (uint64_t)piece->encode_time);
    put_bytes(&body, piece->encoder->extradata, (size_t)piece->encoder->extradata_size);
    send_message(DONE, &body);
}

void run_piece(void) {
    Piece piece = {0};
    receive_setup(&piece);
    piece.converter = converter_new(&piece.film);
    piece.encoder = open_encoder(&piece.film, setting("effort", "balanced"), setting("crf", "23"));
    piece.frame = need(av_frame_alloc());
    piece.packet = need(av_packet_alloc());
    open_decoder(&piece);
    decode_blocks(&piece);
    if (!piece.frames && !piece.trusts) ask_lead_in("no frame came out");
    if (piece.frames) {
        const int64_t before = cpu_time();
        avcodec_send_frame(piece.encoder, NULL);
        receive_packets(&piece);
        piece.encode_time += cpu_time() - before;
    }
    block_flush(&piece.out, true);
    send_done(&piece);
}
