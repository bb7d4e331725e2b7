// Sound is copied. AAC with a header in each packet loses that; what does not fit the file becomes AAC-LC on demand.
#include "film.h"

#include <libavcodec/bsf.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <stdlib.h>
#include <string.h>

struct Sound {
    Track *track;
    AVBSFContext *filter;
    AVCodecContext *decoder, *encoder;
    SwrContext *resampler;
    AVAudioFifo *samples;
    AVFrame *frame;
    AVPacket *packet;
    AVRational clock;  // of the source
    int64_t written;   // samples, from the track's start
    bool began;
};

static void open_encoder_of(Sound *sound) {
    const AVCodecParameters *p = sound->track->parameters;
    static const int rates[] = {96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000};
    const AVCodec *decoder = avcodec_find_decoder(p->codec_id), *encoder = avcodec_find_encoder(AV_CODEC_ID_AAC);
    if (!decoder || !encoder) fail(EXIT_CODEC, "there is no decoder for %s here", avcodec_get_name(p->codec_id));
    sound->decoder = need(avcodec_alloc_context3(decoder));
    avcodec_parameters_to_context(sound->decoder, p);
    sound->decoder->pkt_timebase = sound->clock;
    sound->decoder->thread_count = 1;
    int error = avcodec_open2(sound->decoder, decoder, NULL);
    if (error < 0) fail_av(EXIT_FILM, error, "the sound cannot be decoded");
    AVCodecContext *c = sound->encoder = need(avcodec_alloc_context3(encoder));
    c->sample_rate = 48000;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i] == p->sample_rate) c->sample_rate = p->sample_rate;
    const int channels = FFMIN(FFMAX(p->ch_layout.nb_channels, 1), 6);
    av_channel_layout_default(&c->ch_layout, channels);
    c->sample_fmt = AV_SAMPLE_FMT_FLTP;
    c->bit_rate = INT64_C(80000) * channels;
    c->time_base = (AVRational){1, c->sample_rate};
    c->thread_count = 1;
    c->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    if ((error = avcodec_open2(c, encoder, NULL)) < 0) fail_av(EXIT_INTERNAL, error,
        "the sound's encoder does not start");
    sound->samples = need(av_audio_fifo_alloc(c->sample_fmt, channels, 4096));
    sound->frame = need(av_frame_alloc());
    sound->track->clock = c->time_base;
    avcodec_parameters_from_context(sound->track->parameters, c);
}

Sound *sound_open(Track *track, enum Fate fate) {
    Sound *sound = need(calloc(1, sizeof *sound));
    sound->track = track;
    sound->clock = track->clock;
    sound->packet = need(av_packet_alloc());
    if (fate == TO_AAC) {
        open_encoder_of(sound);
    } else if (track->parameters->codec_id == AV_CODEC_ID_AAC && !track->parameters->extradata_size) {
        if (av_bsf_alloc(av_bsf_get_by_name("aac_adtstoasc"), &sound->filter)) need(NULL);
        avcodec_parameters_copy(sound->filter->par_in, track->parameters);
        sound->filter->time_base_in = track->clock;
        const int error = av_bsf_init(sound->filter);
        if (error < 0) fail_av(EXIT_INTERNAL, error, "AAC cannot be unpacked");
    }
    return sound;
}

static void feed_filter(Sound *sound, const AVPacket *packet, void (*take)(void *, AVPacket *), void *context) {
    if (!packet || av_packet_ref(sound->packet, packet)) return;
    const int flags = packet->flags;
    if (av_bsf_send_packet(sound->filter, sound->packet) < 0) av_packet_unref(sound->packet);
    while (av_bsf_receive_packet(sound->filter, sound->packet) >= 0) {
        AVCodecParameters *p = sound->track->parameters;
        size_t size;
        const uint8_t *extra = av_packet_get_side_data(sound->packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
        if (extra && !p->extradata_size) {
            p->extradata = need(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
            memcpy(p->extradata, extra, size);
            p->extradata_size = (int)size;
        }
        av_packet_free_side_data(sound->packet);
        sound->packet->flags = flags;
        take(context, sound->packet);
        av_packet_unref(sound->packet);
    }
}

static void encode(Sound *sound, AVFrame *frame, void (*take)(void *, AVPacket *), void *context) {
    const int error = avcodec_send_frame(sound->encoder, frame);
    if (error < 0) fail_av(EXIT_INTERNAL, error, "the sound cannot be encoded");
    while (avcodec_receive_packet(sound->encoder, sound->packet) >= 0) {
        take(context, sound->packet);
        av_packet_unref(sound->packet);
    }
}

static void drain(Sound *sound, bool all, void (*take)(void *, AVPacket *), void *context) {
    AVCodecContext *c = sound->encoder;
    for (int count; (count = av_audio_fifo_size(sound->samples)) >= (all ? 1 : c->frame_size);) {
        AVFrame *frame = need(av_frame_alloc());
        frame->nb_samples = FFMIN(count, c->frame_size);
        frame->format = c->sample_fmt;
        frame->sample_rate = c->sample_rate;
        if (av_channel_layout_copy(&frame->ch_layout, &c->ch_layout) || av_frame_get_buffer(frame, 0)) need(NULL);
        av_audio_fifo_read(sound->samples, (void **)frame->extended_data, frame->nb_samples);
        frame->pts = sound->written;
        sound->written += frame->nb_samples;
        encode(sound, frame, take, context);
        av_frame_free(&frame);
    }
}

static void resample(Sound *sound, const AVFrame *frame) {
    AVCodecContext *c = sound->encoder;
    if (frame && !sound->resampler) {
        AVChannelLayout layout = frame->ch_layout;
        if (layout.order == AV_CHANNEL_ORDER_UNSPEC) av_channel_layout_default(&layout, layout.nb_channels);
        if (swr_alloc_set_opts2(&sound->resampler, &c->ch_layout, c->sample_fmt, c->sample_rate, &layout, frame->format,
                                frame->sample_rate, 0, NULL) < 0
            || swr_init(sound->resampler) < 0)
            fail(EXIT_FILM, "the sound has channels that AAC does not have");
    }
    if (!sound->resampler) return;
    AVFrame *out = need(av_frame_alloc());
    out->nb_samples = frame ? swr_get_out_samples(sound->resampler, frame->nb_samples) : 65536;
    out->format = c->sample_fmt;
    if (av_channel_layout_copy(&out->ch_layout, &c->ch_layout) || av_frame_get_buffer(out, 0)) need(NULL);
    const int count = swr_convert(sound->resampler, out->extended_data, out->nb_samples,
                                  frame ? (const uint8_t **)frame->extended_data : NULL, frame ? frame->nb_samples : 0);
    if (count > 0) av_audio_fifo_write(sound->samples, (void **)out->extended_data, count);
    av_frame_free(&out);
}

// Silence where the source has a gap, so that what follows stays in time.
static void fill_gap(Sound *sound, int64_t pts) {
    AVCodecContext *c = sound->encoder;
    const int64_t at = av_rescale_q(pts, sound->clock, c->time_base);
    if (!sound->began) sound->written = at;
    sound->began = true;
    int64_t missing = at - sound->written - av_audio_fifo_size(sound->samples);
    if (missing < c->sample_rate / 10 || missing > INT64_C(3600) * c->sample_rate) return;
    AVFrame *silence = need(av_frame_alloc());
    silence->nb_samples = 4096;
    silence->format = c->sample_fmt;
    if (av_channel_layout_copy(&silence->ch_layout, &c->ch_layout) || av_frame_get_buffer(silence, 0)) need(NULL);
    av_samples_set_silence(silence->extended_data, 0, 4096, c->ch_layout.nb_channels, c->sample_fmt);
    for (; missing > 0; missing -= 4096)
        av_audio_fifo_write(sound->samples, (void **)silence->extended_data, (int)FFMIN(missing, 4096));
    av_frame_free(&silence);
}

void sound_feed(Sound *sound, const AVPacket *packet, void (*take)(void *, AVPacket *), void *context) {
    if (sound->filter) return feed_filter(sound, packet, take, context);
    if (!sound->decoder) {
        if (packet && !av_packet_ref(sound->packet, packet)) take(context, sound->packet),
            av_packet_unref(sound->packet);
        return;
    }
    if (avcodec_send_packet(sound->decoder, packet) < 0 && packet) return;
    while (avcodec_receive_frame(sound->decoder, sound->frame) >= 0) {
        if (sound->frame->best_effort_timestamp != AV_NOPTS_VALUE) fill_gap(sound, sound->frame->best_effort_timestamp);
        resample(sound, sound->frame);
        av_frame_unref(sound->frame);
        drain(sound, false, take, context);
    }
    if (packet) return;
    resample(sound, NULL);
    drain(sound, true, take, context);
    encode(sound, NULL, take, context);
}
