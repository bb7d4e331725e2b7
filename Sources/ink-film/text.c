// Subtitles of text, from one format to another: the words stay, the styles go.
#include "film.h"

#include <stdlib.h>
#include <string.h>

// ASS in packets: eight fields, separated by commas, before the text.
static const uint8_t *behind_fields(const uint8_t *at, const uint8_t *end) {
    for (int commas = 0; at < end && commas < 8; at++) commas += *at == ',';
    return at;
}

bool convert_text(const Track *track, AVPacket *packet) {
    const enum AVCodecID codec = track->parameters->codec_id;
    const uint8_t *at = packet->data, *end = packet->data + packet->size;
    const bool isASS = codec == AV_CODEC_ID_ASS || codec == AV_CODEC_ID_SSA;
    if (codec == AV_CODEC_ID_MOV_TEXT) {
        if (end - at < 2) return false;
        const int size = at[0] << 8 | at[1];
        at += 2;
        if (size < end - at) end = at + size;
    } else if (isASS) {
        at = behind_fields(at, end);
    }
    const size_t room = (size_t)(end - at);
    uint8_t *text = need(malloc(room + 2));
    size_t size = 2;
    for (bool inside = false; at < end && size < room + 2; at++) {
        const uint8_t opens = isASS ? '{' : '<', closes = isASS ? '}' : '>';
        if (codec != AV_CODEC_ID_MOV_TEXT && *at == opens && memchr(at, closes, (size_t)(end - at))) inside = true;
        else if (inside) inside = *at != closes;
        else if (isASS && *at == '\\' && at + 1 < end && (at[1] == 'N' || at[1] == 'n')) text[size++] = '\n', at++;
        else if (*at && *at != '\r') text[size++] = *at;
    }
    while (size > 2 && text[size - 1] == '\n') size--;
    const bool hasText = size > 2 && size - 2 <= 65535;
    if (hasText) {
        text[0] = (uint8_t)((size - 2) >> 8);
        text[1] = (uint8_t)(size - 2);
        const size_t skip = track->fate == TO_MOV_TEXT ? 0 : 2;
        AVPacket *made = need(av_packet_alloc());
        if (av_new_packet(made, (int)(size - skip))) need(NULL);
        memcpy(made->data, text + skip, size - skip);
        av_packet_copy_props(made, packet);
        av_packet_free_side_data(made);
        av_packet_unref(packet);
        av_packet_move_ref(packet, made);
        av_packet_free(&made);
    }
    free(text);
    return hasText;
}

void text_parameters(Track *track) {
    // The description of samples that mov_text needs: white, size 18, at the bottom, Serif.
    static const uint8_t description[] = {
        0, 0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255,
        0, 0, 0, 18, 'f', 't', 'a', 'b', 0, 1, 0, 1, 5, 'S', 'e', 'r', 'i', 'f',
    };
    AVCodecParameters *p = track->parameters;
    p->codec_id = track->fate == TO_MOV_TEXT ? AV_CODEC_ID_MOV_TEXT
                  : track->fate == TO_SUBRIP ? AV_CODEC_ID_SUBRIP : AV_CODEC_ID_WEBVTT;
    p->codec_tag = 0;
    av_freep(&p->extradata);
    p->extradata_size = 0;
    if (track->fate != TO_MOV_TEXT) return;
    p->extradata = need(av_mallocz(sizeof description + AV_INPUT_BUFFER_PADDING_SIZE));
    memcpy(p->extradata, description, sizeof description);
    p->extradata_size = sizeof description;
}
