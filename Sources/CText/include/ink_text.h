#pragma once
#include <stddef.h>
#include <stdint.h>

// HarfBuzz and FriBidi behind plain functions: fonts in memory, the glyphs of a text and their outlines, in units of the
// font. Nothing depends on the machine: no fonts of the system, no hinting.

typedef struct ink_font ink_font;

typedef struct {
    int32_t units_per_em;
    // Above the baseline.
    int32_t ascent;
    // Below the baseline, positive.
    int32_t descent;
} ink_font_metrics;

typedef struct {
    uint32_t glyph;
    // The index of the first character that it stands for.
    uint32_t character;
    // To the next glyph.
    int32_t advance;
    // From the pen; y grows upwards.
    int32_t x;
    int32_t y;
} ink_glyph;

typedef enum { INK_MOVE = 0, INK_LINE = 1, INK_QUADRATIC = 2, INK_CUBIC = 3 } ink_outline_step;

// How many fonts a file holds; 0: it is none.
unsigned ink_font_count(const uint8_t *bytes, size_t count);

// A font of a file, which is copied. `weight` counts for fonts of variable weight. NULL: no memory, or no outlines.
ink_font *ink_font_open(const uint8_t *bytes, size_t count, unsigned index, float weight);

void ink_font_close(ink_font *font);

void ink_font_read_metrics(const ink_font *font, ink_font_metrics *metrics);

// The family's name in UTF-8, at most `size` bytes with the ending NUL.
void ink_font_family(const ink_font *font, char *name, unsigned size);

// Its weight, 1 to 1000, 400 being regular.
float ink_font_weight(const ink_font *font);

// Whether it is slanted.
int ink_font_is_italic(const ink_font *font);

int ink_font_has(const ink_font *font, uint32_t character);

// Whether its glyphs are pictures of several colours.
int ink_font_has_colors(const ink_font *font);

// The glyphs of the characters from `start` up to `start + length`, in the order in which they are drawn from the left.
// `script` is that of `ink_script`. The count; NULL in `glyphs`: no memory. To be freed.
size_t ink_font_shape(
    ink_font *font, const uint32_t *text, size_t count, size_t start, size_t length, int is_right_to_left,
    uint32_t script, ink_glyph **glyphs);

// Steps of the glyph's outline: `kinds` of them, each with 1, 1, 2 or 3 points, x and y; y grows upwards. Contours are
// closed. 0: no memory. Both to be freed.
int ink_font_outline(const ink_font *font, uint32_t glyph, uint8_t **kinds, size_t *count, float **points);

// The script of a character; 0 for one that takes that of its neighbours.
uint32_t ink_script(uint32_t character);

// Whether nothing is drawn where a font lacks the character.
int ink_is_ignorable(uint32_t character);

// Whether it belongs to the character before it.
int ink_is_mark(uint32_t character);

// Embedding levels of a paragraph whose direction is that of its first strong character; odd ones run to the left.
// 0: no memory.
int ink_bidi_levels(const uint32_t *text, size_t count, int8_t *levels);
