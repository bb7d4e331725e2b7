#include "ink_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf back;
    char *message;
    // The first warning that means damage.
    int damage;
} ink_error;

static void leave(j_common_ptr info) {
    ink_error *error = (ink_error *)info->err;
    if (error->message[0] == 0) info->err->format_message(info, error->message);
    longjmp(error->back, 1);
}

static void note(j_common_ptr info, int level) {
    ink_error *error = (ink_error *)info->err;
    if (level >= 0 || error->damage != 0) return;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
        // Of a progressive picture, only refinements are missing. Refinements of another order than usual are no damage.
        if (info->is_decompressor && ((j_decompress_ptr)info)->progressive_mode) break;
        // Falls through.
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
    case JWRN_TOO_MUCH_DATA:
    case JWRN_ARITH_BAD_CODE:
        error->damage = info->err->msg_code;
        info->err->format_message(info, error->message);
    default: break;
    }
}

static void be_silent(j_common_ptr info) { (void)info; }

static struct jpeg_error_mgr *prepare(ink_error *error, char *message) {
    jpeg_std_error(&error->manager);
    error->manager.error_exit = leave;
    error->manager.emit_message = note;
    error->manager.output_message = be_silent;
    error->message = message;
    error->damage = 0;
    message[0] = 0;
    return &error->manager;
}

int ink_jpeg_encode(
    const uint8_t *pixels, const ink_jpeg_settings *settings, uint8_t **file, size_t *count,
    char message[INK_JPEG_MESSAGE_BYTES]) {
    struct jpeg_compress_struct info;
    ink_error error;
    unsigned char *made = NULL;
    unsigned long size = 0;

    info.err = prepare(&error, message);
    if (setjmp(error.back)) {
        jpeg_destroy_compress(&info);
        free(made);
        return 0;
    }
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &made, &size);
    info.image_width = settings->width;
    info.image_height = settings->height;
    info.input_components = (int)settings->bytes_per_pixel;
    info.in_color_space = settings->bytes_per_pixel == 4 ? JCS_EXT_RGBX : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, (int)settings->quality, TRUE);
    info.dct_method = JDCT_ISLOW;
    if (settings->is_progressive) {
        jpeg_simple_progression(&info);
        info.optimize_coding = TRUE;
    } else {
        info.restart_in_rows = 1;
    }
    int factor = settings->full_chroma ? 1 : 2;
    info.comp_info[0].h_samp_factor = factor;
    info.comp_info[0].v_samp_factor = factor;
    if (settings->dots_per_inch_across > 0) {
        info.density_unit = 1;
        info.X_density = (UINT16)settings->dots_per_inch_across;
        info.Y_density = (UINT16)settings->dots_per_inch_down;
    }
    jpeg_start_compress(&info, TRUE);
    size_t row_bytes = (size_t)settings->width * settings->bytes_per_pixel;
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)(pixels + info.next_scanline * row_bytes);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *file = made;
    *count = size;
    return 1;
}

struct ink_jpeg_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_progress_mgr progress;
    ink_error error;
    char message[JMSG_LENGTH_MAX > INK_JPEG_MESSAGE_BYTES ? JMSG_LENGTH_MAX : INK_JPEG_MESSAGE_BYTES];
    // A row of CMYK that becomes RGB.
    uint8_t *inks;
    int keeps_inks;
};

// A progressive file may repeat scans without end, each of which goes over the whole image.
static const int scans_max = 500;

static void watch_scans(j_common_ptr info) {
    struct jpeg_decompress_struct *reading = (struct jpeg_decompress_struct *)info;
    if (reading->input_scan_number <= scans_max) return;
    ink_error *error = (ink_error *)info->err;
    snprintf(error->message, INK_JPEG_MESSAGE_BYTES, "it has more than %d scans", scans_max);
    longjmp(error->back, 1);
}

ink_jpeg_reader *ink_jpeg_open(const uint8_t *bytes, size_t count) {
    ink_jpeg_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->info.err = prepare(&reader->error, reader->message);
    if (setjmp(reader->error.back)) {
        jpeg_destroy_decompress(&reader->info);
        free(reader);
        return NULL;
    }
    jpeg_create_decompress(&reader->info);
    reader->progress.progress_monitor = watch_scans;
    reader->info.progress = &reader->progress;
    jpeg_mem_src(&reader->info, bytes, count);
    return reader;
}

int ink_jpeg_read_header(ink_jpeg_reader *reader, int gray_to_rgb, int keeps_inks, ink_jpeg_layout *layout) {
    struct jpeg_decompress_struct *info = &reader->info;
    if (setjmp(reader->error.back)) return 0;
    jpeg_read_header(info, TRUE);
    info->dct_method = JDCT_ISLOW;
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: info->out_color_space = gray_to_rgb ? JCS_RGB : JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: info->out_color_space = JCS_CMYK; break;
    default: info->out_color_space = JCS_RGB; break;
    }
    jpeg_start_decompress(info);
    layout->width = info->output_width;
    layout->height = info->output_height;
    layout->channels = info->out_color_space == JCS_GRAYSCALE ? 1 : 3;
    if (info->out_color_space == JCS_CMYK && keeps_inks) {
        layout->channels = 4;
        reader->keeps_inks = 1;
    } else if (info->out_color_space == JCS_CMYK) {
        reader->inks = malloc((size_t)info->output_width * 4);
        if (reader->inks == NULL) {
            snprintf(reader->message, INK_JPEG_MESSAGE_BYTES, "no memory for a row");
            return 0;
        }
    }
    return 1;
}

static void to_rgb(const uint8_t *inks, uint32_t width, int is_inverted, uint8_t *row) {
    for (uint32_t x = 0; x < width; x++) {
        unsigned black = is_inverted ? inks[4 * x + 3] : 255u - inks[4 * x + 3];
        for (int channel = 0; channel < 3; channel++) {
            unsigned ink = is_inverted ? inks[4 * x + channel] : 255u - inks[4 * x + channel];
            row[3 * x + channel] = (uint8_t)((ink * black + 127) / 255);
        }
    }
}

int ink_jpeg_read_row(ink_jpeg_reader *reader, uint8_t *row) {
    if (setjmp(reader->error.back)) return 0;
    JSAMPROW target = reader->inks != NULL ? reader->inks : row;
    jpeg_read_scanlines(&reader->info, &target, 1);
    // Programs of Adobe write inks the other way round, and say who they are.
    int is_inverted = reader->info.saw_Adobe_marker;
    if (reader->inks != NULL) to_rgb(reader->inks, reader->info.output_width, is_inverted, row);
    if (reader->keeps_inks && is_inverted) {
        for (size_t i = 0; i < (size_t)reader->info.output_width * 4; i++) row[i] = (uint8_t)(255 - row[i]);
    }
    return reader->error.damage == 0;
}

int ink_jpeg_finish(ink_jpeg_reader *reader) {
    if (setjmp(reader->error.back)) return 0;
    jpeg_finish_decompress(&reader->info);
    return reader->error.damage == 0;
}

const char *ink_jpeg_error(const ink_jpeg_reader *reader) { return reader->message; }

void ink_jpeg_close(ink_jpeg_reader *reader) {
    if (setjmp(reader->error.back) == 0) jpeg_destroy_decompress(&reader->info);
    free(reader->inks);
    free(reader);
}
