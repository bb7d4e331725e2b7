#pragma once
#include <stddef.h>
#include <stdint.h>

// librsvg behind plain functions: an SVG document in memory, drawn band by band.
//
// The library and what it needs are large and not everywhere: they are loaded when the first document is drawn, and
// their headers are not needed to build. A process of its own draws each document, with bounds on its time and memory,
// so that no document can stop or end the program, and what a crash of the library would leave is gone with it.

typedef struct ink_svg ink_svg;

typedef struct {
    // The document's own size, in CSS pixels.
    double width;
    double height;
    // Maps the unit square, as which the view box counts (or the document's own size where it has none), to the raster:
    // x' = map[0] x + map[2] y + map[4], y' = map[1] x + map[3] y + map[5].
    double map[6];
    uint32_t raster_width;
    uint32_t raster_height;
    // What of the raster is drawn.
    uint32_t x;
    uint32_t y;
    uint32_t part_width;
    uint32_t part_height;
    // Of a processor, until all of it is drawn. Twenty times as many may pass on a busy machine.
    uint32_t seconds;
} ink_svg_raster;

// What a document may take of memory beyond that of the program.
enum { INK_SVG_MEGABYTES = 1024 };

// Whether librsvg is there; loads it.
int ink_svg_is_present(void);

// Such as 2.54.7; empty when it is not there.
const char *ink_svg_version(void);

// A document in three pieces, one behind the other: `<svg ... style="` without `preserveAspectRatio`, what `style` says,
// and what follows the root's tag. How it lies on the raster is written between them, so that the root stays the root, as
// rules of style sheets see it.
typedef struct {
    const uint8_t *text;
    size_t style_at;
    size_t content_at;
    size_t count;
} ink_svg_text;

// NULL: no memory. The text is read until the first band is drawn.
ink_svg *ink_svg_open(const ink_svg_text *text, const ink_svg_raster *raster);

// Draws the next rows of the part: `*rows` of them, a multiple of 64 until the last, as premultiplied ARGB of 32 bits in
// the processor's byte order, without padding. They stay until the next call. NULL: it has failed, and `ink_svg_error`
// says why.
const uint32_t *ink_svg_read_rows(ink_svg *svg, uint32_t *rows);

// Why the last function failed: one line.
const char *ink_svg_error(const ink_svg *svg);

void ink_svg_close(ink_svg *svg);

// `count` premultiplied pixels to bytes of straight RGBA, each the nearest.
void ink_svg_straighten(const uint32_t *pixels, size_t count, uint8_t *rgba);
