#pragma once
#include <stddef.h>
#include <stdint.h>

// libheif behind plain functions: the primary picture of a HEIF or AVIF file in memory.
//
// The library is large and not everywhere: it is loaded when the first such file is read, and its own header is not
// needed to build. A function that returns 0 has failed; `ink_heif_error` then says why.

typedef struct ink_heif_reader ink_heif_reader;

typedef struct {
    // Of the picture as it is seen: cut, turned and mirrored.
    uint32_t width;
    uint32_t height;
    int has_alpha;
    // Samples of more than 8 bits are scaled to 16, in the processor's byte order.
    int is_16_bit;
    // 0: no ICC profile.
    size_t profile_bytes;
} ink_heif_layout;

// Whether libheif is there; loads it.
int ink_heif_is_present(void);

// Such as 1.15.1; empty when it is not there.
const char *ink_heif_version(void);

// Whether it is there with a decoder for AVIF, or else for HEIF.
int ink_heif_can_decode(int is_avif);

// NULL: no memory. `bytes` must outlive the reader.
ink_heif_reader *ink_heif_open(const uint8_t *bytes, size_t count);

// Reads what the file says of its primary picture, and takes no memory for pixels.
int ink_heif_read_layout(ink_heif_reader *reader, ink_heif_layout *layout);

int ink_heif_read_profile(ink_heif_reader *reader, uint8_t *profile);

// Bytes of what the file says of the picture as EXIF (with the four bytes that HEIF puts before it), or else as XMP; 0:
// nothing.
size_t ink_heif_metadata_bytes(const ink_heif_reader *reader, int is_exif);

int ink_heif_read_metadata(const ink_heif_reader *reader, int is_exif, uint8_t *bytes);

// Decodes the picture, which the reader holds, and which must have this size.
int ink_heif_decode(ink_heif_reader *reader, uint32_t width, uint32_t height);

// Copies row `y` of the decoded picture: RGB, or RGBA where there is alpha.
void ink_heif_copy_row(const ink_heif_reader *reader, uint32_t y, uint8_t *row);

// Why the last function failed: one line.
const char *ink_heif_error(const ink_heif_reader *reader);

void ink_heif_close(ink_heif_reader *reader);

// Whether it is there with an encoder for AVIF, or else for HEIC.
int ink_heif_can_encode(int is_avif);

typedef struct {
    // Else HEIC.
    int is_avif;
    uint32_t width;
    uint32_t height;
    // 3: RGB; 1: gray.
    uint32_t channels;
    // 1 to 100.
    int quality;
    // Then RGB is encoded as it is, without a matrix (ITU-T H.273, identity), in 4:4:4.
    int is_lossless;
    // 4:4:4, else 4:2:0.
    int full_chroma;
    // Of AVIF: 0 slow to 9 fast.
    int speed;
    // Of HEIC: how slow, in the words of x265, such as "medium".
    const char *preset;
} ink_heif_settings;

enum { INK_HEIF_MESSAGE_BYTES = 160 };

// Encodes rows without padding to a file with this one picture, in one thread. 0: it failed, and `message` says
// why. The file is to be freed by `free`.
int ink_heif_encode(
    const uint8_t *pixels, const ink_heif_settings *settings, uint8_t **file, size_t *count,
    char message[INK_HEIF_MESSAGE_BYTES]);
