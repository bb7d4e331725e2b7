#include "ink_tiff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

enum { samples_max = 16 };

struct ink_tiff_reader {
    TIFF *tiff;
    const uint8_t *bytes;
    size_t count;
    size_t at;
    char message[256];

    uint32_t width, height;
    uint16_t bits, samples, photometric, planar;
    int is_tiled;
    int colors;
    // Index of the sample, or -1; whether colours have been multiplied by it.
    int alpha;
    int is_premultiplied;
    uint32_t tile_width;
    // Rows that are read at a time: of a tile, or of a strip of separate planes, else 1.
    uint32_t band_rows;
    const uint16_t *map[3];

    uint32_t row;
    // Whether pixels are being read; whether they are broken.
    int is_reading, is_damaged;
    // What libtiff gives: a row, a strip or a tile.
    uint8_t *raw;
    size_t raw_bytes;
    // Samples of the rows from `row` downwards, pixel by pixel, scaled to no other range yet.
    uint16_t *band;
};

// Of one piece of memory that libtiff takes.
static const tmsize_t memory_max = (tmsize_t)1 << 29;

static int say(ink_tiff_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int keep(ink_tiff_reader *reader, const char *format, va_list arguments) {
    if (reader->message[0] != 0) return 0;
    vsnprintf(reader->message, sizeof reader->message, format, arguments);
    // Names of tags come from the file.
    for (char *c = reader->message; *c != 0; c++) {
        if ((unsigned char)*c < 32 || (unsigned char)*c > 126) *c = '?';
    }
    return 0;
}

static int say(ink_tiff_reader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep(reader, format, arguments);
    va_end(arguments);
    return 0;
}

static int on_error(TIFF *tiff, void *reader, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)module;
    keep(reader, format, arguments);
    return 1;
}

static int on_warning(TIFF *tiff, void *reader, const char *module, const char *format, va_list arguments) {
    (void)tiff, (void)module;
    // libtiff only warns of entries that lie outside the file, and of fax and JPEG data that end early, and makes up the
    // rest.
    ink_tiff_reader *reading = reader;
    if (reading->is_reading || strstr(format, "IO error during reading") != NULL) {
        keep(reading, format, arguments);
        reading->is_damaged = 1;
    }
    return 1;
}

static tmsize_t on_read(thandle_t handle, void *into, tmsize_t count) {
    ink_tiff_reader *reader = handle;
    size_t left = reader->at < reader->count ? reader->count - reader->at : 0;
    size_t taken = count < 0 ? 0 : (size_t)count < left ? (size_t)count : left;
    memcpy(into, reader->bytes + (taken > 0 ? reader->at : 0), taken);
    reader->at += taken;
    return (tmsize_t)taken;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t count) {
    (void)handle, (void)from, (void)count;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int origin) {
    ink_tiff_reader *reader = handle;
    size_t start = origin == SEEK_CUR ? reader->at : origin == SEEK_END ? reader->count : 0;
    reader->at = start + (size_t)offset;
    return reader->at;
}

static int on_close(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle) { return ((ink_tiff_reader *)handle)->count; }

ink_tiff_reader *ink_tiff_open(const uint8_t *bytes, size_t count) {
    ink_tiff_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    return reader;
}

static int open_file(ink_tiff_reader *reader) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return say(reader, "no memory");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, memory_max);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, reader);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, reader);
    // m: no mapping.
    reader->tiff = TIFFClientOpenExt(
        "image", "rm", reader, on_read, on_write, on_seek, on_close, on_size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return reader->tiff != NULL ? 1 : say(reader, "its directory is broken");
}

static int check_compression(ink_tiff_reader *reader, uint16_t compression) {
    switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_LZW:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_JPEG:
    case COMPRESSION_LZMA:
    case COMPRESSION_ZSTD:
    case COMPRESSION_WEBP:
        if (TIFFIsCODECConfigured(compression)) return 1;
        break;
    default: break;
    }
    return say(reader, "compression %u is not supported", compression);
}

static int read_colors(ink_tiff_reader *reader, uint16_t compression) {
    TIFF *tiff = reader->tiff;
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &reader->photometric))
        reader->photometric = reader->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    switch (reader->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MINISWHITE: reader->colors = 1; break;
    case PHOTOMETRIC_RGB: reader->colors = 3; break;
    case PHOTOMETRIC_SEPARATED: {
        uint16_t inks = INKSET_CMYK;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &inks);
        if (inks != INKSET_CMYK) return say(reader, "inks other than CMYK are not supported");
        reader->colors = 4;
        break;
    }
    case PHOTOMETRIC_PALETTE:
        if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &reader->map[0], &reader->map[1], &reader->map[2]))
            return say(reader, "it has no palette");
        if (reader->bits > 8) return say(reader, "a palette of %u bits is not supported", reader->bits);
        reader->colors = 3;
        break;
    case PHOTOMETRIC_YCBCR:
        if (compression != COMPRESSION_JPEG) return say(reader, "YCbCr without JPEG is not supported");
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        reader->colors = 3;
        break;
    default: return say(reader, "photometric interpretation %u is not supported", reader->photometric);
    }
    int stored = reader->photometric == PHOTOMETRIC_PALETTE ? 1 : reader->colors;
    if (reader->samples < stored || reader->samples > samples_max)
        return say(reader, "%u samples per pixel are not supported here", reader->samples);
    uint16_t extras = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &extras, &kinds);
    reader->alpha = -1;
    for (int i = 0; i < extras && stored + i < reader->samples && reader->alpha < 0; i++) {
        if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
        reader->alpha = stored + i;
        reader->is_premultiplied = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
    }
    return 1;
}

// How the pixels lie in the file, and what has to be held.
static int read_pieces(ink_tiff_reader *reader, ink_tiff_layout *layout) {
    TIFF *tiff = reader->tiff;
    reader->is_tiled = TIFFIsTiled(tiff);
    reader->band_rows = 1;
    tmsize_t raw = TIFFScanlineSize(tiff);
    if (reader->is_tiled) {
        if (!TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &reader->tile_width) ||
            !TIFFGetField(tiff, TIFFTAG_TILELENGTH, &reader->band_rows) || reader->tile_width == 0)
            return say(reader, "its tiles have no size");
        raw = TIFFTileSize(tiff);
    } else if (reader->planar == PLANARCONFIG_SEPARATE) {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &reader->band_rows);
        if (reader->band_rows > reader->height) reader->band_rows = reader->height;
        raw = TIFFVStripSize(tiff, reader->band_rows);
    }
    if (reader->band_rows == 0) return say(reader, "its strips or tiles have no rows");
    if (raw <= 0 || raw > memory_max) return say(reader, "its strips or tiles are too large");
    reader->raw_bytes = (size_t)raw;
    layout->is_held_whole = reader->band_rows > 1024;
    return 1;
}

int ink_tiff_read_layout(ink_tiff_reader *reader, ink_tiff_layout *layout) {
    memset(layout, 0, sizeof *layout);
    if (!open_file(reader)) return 0;
    if (reader->is_damaged) return 0;
    TIFF *tiff = reader->tiff;
    if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &reader->width) ||
        !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &reader->height) || reader->width == 0 || reader->height == 0)
        return say(reader, "it does not say its size");
    uint16_t kind = SAMPLEFORMAT_UINT, compression = COMPRESSION_NONE, orientation = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &reader->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &reader->samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &reader->planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &kind);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    if (kind != SAMPLEFORMAT_UINT && kind != SAMPLEFORMAT_VOID)
        return say(reader, "samples that are signed or no whole numbers are not supported");
    if (reader->bits < 1 || reader->bits > 16)
        return say(reader, "samples of %u bits are not supported", reader->bits);
    if (!check_compression(reader, compression) || !read_colors(reader, compression) || !read_pieces(reader, layout))
        return 0;
    layout->width = reader->width;
    layout->height = reader->height;
    layout->colors = reader->colors;
    layout->has_alpha = reader->alpha >= 0;
    layout->is_16_bit = reader->bits > 8;
    layout->orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    uint32_t count = 0;
    void *profile = NULL;
    if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &count, &profile) && profile != NULL) {
        layout->profile = profile;
        layout->profile_bytes = count;
    }
    reader->message[0] = 0;
    return 1;
}

// Sample `index` of a packed row; 16 bits are in the processor's order.
static uint16_t sample(const uint8_t *row, size_t index, unsigned bits) {
    if (bits == 8) return row[index];
    if (bits == 16) {
        uint16_t value;
        memcpy(&value, row + 2 * index, 2);
        return value;
    }
    size_t bit = index * bits;
    uint32_t value = 0;
    for (unsigned taken = 0; taken < bits; taken++, bit++) value = value << 1 | (row[bit / 8] >> (7 - bit % 8) & 1);
    return (uint16_t)value;
}

// Spreads `count` pixels of a packed row, which has the samples of one plane or of all.
static void spread(
    const ink_tiff_reader *reader, const uint8_t *row, int plane, size_t count, uint16_t *into) {
    size_t samples = reader->samples;
    if (plane < 0) {
        for (size_t i = 0; i < count * samples; i++) into[i] = sample(row, i, reader->bits);
    } else {
        for (size_t x = 0; x < count; x++) into[x * samples + (size_t)plane] = sample(row, x, reader->bits);
    }
}

static int read_tiles(ink_tiff_reader *reader, int plane, uint32_t rows) {
    size_t row_bytes = (size_t)TIFFTileRowSize(reader->tiff);
    for (uint32_t x = 0; x < reader->width;) {
        uint32_t left = reader->width - x;
        uint32_t count = left < reader->tile_width ? left : reader->tile_width;
        uint32_t tile = TIFFComputeTile(reader->tiff, x, reader->row, 0, (uint16_t)(plane < 0 ? 0 : plane));
        tmsize_t got = TIFFReadEncodedTile(reader->tiff, tile, reader->raw, (tmsize_t)reader->raw_bytes);
        if (got < 0 || (size_t)got < row_bytes * rows) return say(reader, "a tile is incomplete");
        for (uint32_t y = 0; y < rows; y++) {
            uint16_t *into = reader->band + ((size_t)y * reader->width + x) * reader->samples;
            spread(reader, reader->raw + y * row_bytes, plane, count, into);
        }
        x += count;
    }
    return 1;
}

static int read_strip(ink_tiff_reader *reader, int plane, uint32_t rows) {
    uint32_t strip = TIFFComputeStrip(reader->tiff, reader->row, (uint16_t)plane);
    size_t row_bytes = (size_t)TIFFScanlineSize(reader->tiff);
    tmsize_t got = TIFFReadEncodedStrip(reader->tiff, strip, reader->raw, (tmsize_t)(row_bytes * rows));
    if (got < 0 || (size_t)got < row_bytes * rows) return say(reader, "a strip is incomplete");
    for (uint32_t y = 0; y < rows; y++) {
        spread(
            reader, reader->raw + y * row_bytes, plane, reader->width,
            reader->band + (size_t)y * reader->width * reader->samples);
    }
    return 1;
}

static int read_band(ink_tiff_reader *reader) {
    uint32_t left = reader->height - reader->row;
    uint32_t rows = left < reader->band_rows ? left : reader->band_rows;
    if (reader->band == NULL) {
        uint32_t held = reader->band_rows < reader->height ? reader->band_rows : reader->height;
        // Zeroed, and so not in memory before it is written.
        reader->raw = calloc(reader->raw_bytes, 1);
        reader->band = calloc((size_t)held * reader->width, reader->samples * sizeof *reader->band);
        if (reader->raw == NULL || reader->band == NULL) return say(reader, "no memory for rows");
    }
    int is_separate = reader->planar == PLANARCONFIG_SEPARATE && reader->samples > 1;
    if (!reader->is_tiled && !is_separate && reader->band_rows == 1) {
        if (TIFFReadScanline(reader->tiff, reader->raw, reader->row, 0) < 0)
            return say(reader, "a row cannot be read");
        spread(reader, reader->raw, -1, reader->width, reader->band);
        return 1;
    }
    for (int plane = is_separate ? 0 : -1; plane < (is_separate ? reader->samples : 0); plane++) {
        if (!(reader->is_tiled ? read_tiles(reader, plane, rows) : read_strip(reader, plane, rows))) return 0;
    }
    return 1;
}

// From the file's bits to 8, or to 16 where there are more than 8.
static uint32_t scaled(const ink_tiff_reader *reader, uint32_t value) {
    uint32_t from = (1u << reader->bits) - 1, to = reader->bits > 8 ? 65535 : 255;
    return from == to ? value : (uint32_t)(((uint64_t)value * to + from / 2) / from);
}

static uint8_t map_entry(const ink_tiff_reader *reader, int channel, uint16_t index) {
    return (uint8_t)((reader->map[channel][index] * 255u + 32767u) / 65535u);
}

int ink_tiff_read_row(ink_tiff_reader *reader, uint8_t *row) {
    if (reader->row >= reader->height) return say(reader, "it has no more rows");
    uint32_t inside = reader->row % reader->band_rows;
    reader->is_reading = 1;
    if (inside == 0 && (!read_band(reader) || reader->is_damaged)) return 0;
    const uint16_t *pixel = reader->band + (size_t)inside * reader->width * reader->samples;
    uint32_t full = reader->bits > 8 ? 65535 : 255;
    uint16_t *wide = (uint16_t *)(void *)row;
    int samples = reader->colors + (reader->alpha >= 0);
    for (uint32_t x = 0; x < reader->width; x++, pixel += reader->samples) {
        uint32_t out[5], alpha = reader->alpha >= 0 ? scaled(reader, pixel[reader->alpha]) : full;
        for (int k = 0; k < reader->colors; k++) {
            if (reader->photometric == PHOTOMETRIC_PALETTE) {
                out[k] = map_entry(reader, k, pixel[0]);
            } else {
                out[k] = scaled(reader, pixel[k]);
                if (reader->photometric == PHOTOMETRIC_MINISWHITE) out[k] = full - out[k];
                if (reader->is_premultiplied && alpha < full) {
                    uint64_t straight = alpha == 0 ? 0 : ((uint64_t)out[k] * full + alpha / 2) / alpha;
                    out[k] = straight < full ? (uint32_t)straight : full;
                }
            }
        }
        if (reader->alpha >= 0) out[reader->colors] = alpha;
        for (int k = 0; k < samples; k++) {
            if (full > 255) {
                wide[(size_t)x * (size_t)samples + (size_t)k] = (uint16_t)out[k];
            } else {
                row[(size_t)x * (size_t)samples + (size_t)k] = (uint8_t)out[k];
            }
        }
    }
    reader->row++;
    return 1;
}

const char *ink_tiff_error(const ink_tiff_reader *reader) { return reader->message; }

void ink_tiff_close(ink_tiff_reader *reader) {
    if (reader->tiff != NULL) TIFFClose(reader->tiff);
    free(reader->raw);
    free(reader->band);
    free(reader);
}
