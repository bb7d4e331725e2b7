// The message that tells the broker what a film is: sizes for the mark's layout, memory, what comes out.
#include "film.h"

#include <libavutil/pixdesc.h>
#include <stdlib.h>
#include <string.h>

uint64_t piece_memory(const Film *film, const char *effort) {
    const bool isFast = !strcmp(effort, "fast"), isH264 = !strcmp(film->codec, "h264");
    const uint64_t each = isH264 ? (isFast ? 75 : 165) : !strcmp(film->codec, "hevc") ? 165 : 190;
    uint64_t pixels = (uint64_t)film->out_width * (uint64_t)film->out_height * each;
    if (av_pix_fmt_desc_get(film->out_format)->comp[0].depth > 8) pixels = pixels * 8 / 5;
    // Decoder and conversion of a source that is larger than what comes out.
    return (60 << 20) + pixels + (uint64_t)film->width * (uint64_t)film->height * 40;
}

static void put_stream(Buffer *body, const Film *film, const AVStream *stream, int track) {
    static const char *const fates[] = {"copied", "mov_text", "subrip", "webvtt", "aac", "attachment"};
    const AVCodecParameters *p = stream->codecpar;
    const char *type = av_get_media_type_string(p->codec_type);
    const AVDictionaryEntry *language = av_dict_get(stream->metadata, "language", NULL, 0);
    const AVDictionaryEntry *title = av_dict_get(stream->metadata, "title", NULL, 0);
    put_text(body, type ? type : "data");
    put_text(body, avcodec_get_name(p->codec_id));
    put_text(body, language ? language->value : "und");
    put_text(body, title ? title->value : "");
    put_text(body, track < 0 ? "left out" : track == film->picture ? "picture" : fates[film->tracks[track].fate]);
}

void send_film(const Film *film, AVFormatContext *source, const int *sources, uint64_t bytes, int64_t first,
    int64_t span) {
    const Track *picture = &film->tracks[film->picture];
    Buffer body = {0};
    put_text(&body, film->container);
    put_text(&body, avcodec_get_name(picture->parameters->codec_id));
    put_text(&body, av_get_pix_fmt_name(film->pixel_format));
    put_text(&body, film->codec);
    put_text(&body, film->format);
    put_text(&body, av_get_pix_fmt_name(film->out_format));
    int turns = 0;
    bool mirrored = false;
    size_t size;
    const uint8_t *matrix = side_data(picture, AV_PKT_DATA_DISPLAYMATRIX, &size);
    if (matrix) turn_of((const int32_t *)matrix, &turns, &mirrored);
    const uint32_t numbers[] = {
        (uint32_t)film->width, (uint32_t)film->height, (uint32_t)film->out_width, (uint32_t)film->out_height,
        (uint32_t)film->aspect.num, (uint32_t)film->aspect.den, (uint32_t)turns, mirrored, film->interlaced,
        (uint32_t)picture->clock.num, (uint32_t)picture->clock.den, (uint32_t)picture->rate.num,
        (uint32_t)picture->rate.den,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put32(&body, numbers[i]);
    put64(&body, film->frames);
    put64(&body, (uint64_t)first);
    put64(&body, (uint64_t)span);
    put64(&body, bytes);
    put64(&body, (uint64_t)picture->parameters->bit_rate);
    put64(&body, piece_memory(film, setting("effort", "balanced")));
    const AVDictionaryEntry *ink = av_dict_get(source->metadata, "ink", NULL, 0);
    const AVDictionaryEntry *tool = av_dict_get(source->metadata, "encoder", NULL, 0);
    put_text(&body, ink ? ink->value : tool && !strncmp(tool->value, "ink ", 4) ? tool->value + 4 : "");
    put32(&body, source->nb_streams);
    for (unsigned i = 0; i < source->nb_streams; i++)
        put_stream(&body, film, source->streams[i], i < MOST_TRACKS ? sources[i] : -1);
    Buffer header = {0};
    put_header(&header, film);
    if (header.size > LARGEST_HEADER) fail(EXIT_FILM, "the film's header is too large");
    put_bytes(&body, header.data, header.size);
    send_message(FILM, &body);
    free(body.data);
    free(header.data);
}
