#include "ink_gif.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

struct ink_gif_reader {
    GifFileType *gif;
    const uint8_t *bytes;
    size_t count;
    size_t at;
    int transparent;
    const char *message;
};

static int take(GifFileType *gif, GifByteType *into, int count) {
    ink_gif_reader *reader = gif->UserData;
    size_t left = reader->count - reader->at;
    size_t taken = (size_t)count < left ? (size_t)count : left;
    memcpy(into, reader->bytes + reader->at, taken);
    reader->at += taken;
    return (int)taken;
}

static int fail(ink_gif_reader *reader, int code) {
    const char *text = NULL;
    if (reader->at == reader->count) {
        text = "it ends too early";
    } else if (code != 0) {
        text = GifErrorString(code);
    }
    reader->message = text != NULL ? text : "its structure is broken";
    return 0;
}

ink_gif_reader *ink_gif_open(const uint8_t *bytes, size_t count) {
    ink_gif_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    reader->transparent = NO_TRANSPARENT_COLOR;
    reader->message = "";
    return reader;
}

static int read_extension(ink_gif_reader *reader) {
    int code;
    GifByteType *data;
    if (DGifGetExtension(reader->gif, &code, &data) != GIF_OK) return fail(reader, reader->gif->Error);
    while (data != NULL) {
        GraphicsControlBlock control;
        if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(data[0], data + 1, &control) == GIF_OK)
            reader->transparent = control.TransparentColor;
        if (DGifGetExtensionNext(reader->gif, &data) != GIF_OK) return fail(reader, reader->gif->Error);
    }
    return 1;
}

int ink_gif_read_layout(ink_gif_reader *reader, ink_gif_layout *layout) {
    int code = 0;
    reader->gif = DGifOpen(reader, take, &code);
    if (reader->gif == NULL) return fail(reader, code);
    for (;;) {
        GifRecordType kind;
        if (DGifGetRecordType(reader->gif, &kind) != GIF_OK) return fail(reader, reader->gif->Error);
        if (kind == IMAGE_DESC_RECORD_TYPE) break;
        if (kind == EXTENSION_RECORD_TYPE) {
            if (!read_extension(reader)) return 0;
        } else {
            reader->message = "it has no picture";
            return 0;
        }
    }
    if (DGifGetImageDesc(reader->gif) != GIF_OK) return fail(reader, reader->gif->Error);
    layout->width = (uint32_t)reader->gif->SWidth;
    layout->height = (uint32_t)reader->gif->SHeight;
    layout->frame_width = (uint32_t)reader->gif->Image.Width;
    layout->frame_height = (uint32_t)reader->gif->Image.Height;
    return 1;
}

static void put_line(const ink_gif_reader *reader, const ColorMapObject *map, const GifPixelType *line, int y, uint8_t *pixels) {
    const GifFileType *gif = reader->gif;
    int at = gif->Image.Top + y;
    if (at < 0 || at >= gif->SHeight) return;
    for (int x = 0; x < gif->Image.Width && gif->Image.Left + x < gif->SWidth; x++) {
        int index = line[x];
        if (index == reader->transparent || index >= map->ColorCount || gif->Image.Left + x < 0) continue;
        const GifColorType color = map->Colors[index];
        uint8_t *pixel = pixels + ((size_t)at * (size_t)gif->SWidth + (size_t)(gif->Image.Left + x)) * 4;
        pixel[0] = color.Red;
        pixel[1] = color.Green;
        pixel[2] = color.Blue;
        pixel[3] = 255;
    }
}

int ink_gif_decode(ink_gif_reader *reader, uint8_t *pixels) {
    GifFileType *gif = reader->gif;
    const ColorMapObject *map = gif->Image.ColorMap != NULL ? gif->Image.ColorMap : gif->SColorMap;
    if (map == NULL) return fail(reader, D_GIF_ERR_NO_COLOR_MAP);
    int width = gif->Image.Width, height = gif->Image.Height;
    GifPixelType *line = malloc((size_t)width + 1);
    if (line == NULL) return fail(reader, D_GIF_ERR_NOT_ENOUGH_MEM);
    static const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    int is_good = 1;
    for (int pass = 0; pass < (gif->Image.Interlace ? 4 : 1) && is_good; pass++) {
        int step = gif->Image.Interlace ? steps[pass] : 1;
        for (int y = gif->Image.Interlace ? starts[pass] : 0; y < height && is_good; y += step) {
            is_good = DGifGetLine(gif, line, width) == GIF_OK;
            if (is_good) put_line(reader, map, line, y, pixels);
        }
    }
    free(line);
    return is_good ? 1 : fail(reader, gif->Error);
}

int ink_gif_pack_opaque(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (pixels[4 * i + 3] != 255) return 0;
    }
    for (size_t i = 0; i < count; i++) memmove(pixels + 3 * i, pixels + 4 * i, 3);
    return 1;
}

const char *ink_gif_error(const ink_gif_reader *reader) { return reader->message; }

void ink_gif_close(ink_gif_reader *reader) {
    int code;
    if (reader->gif != NULL) DGifCloseFile(reader->gif, &code);
    free(reader);
}
