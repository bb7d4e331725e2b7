#include "ink_text.h"

#include <fribidi/fribidi.h>
#include <harfbuzz/hb-ot.h>
#include <harfbuzz/hb.h>
#include <stdlib.h>
#include <string.h>

struct ink_font {
    hb_face_t *face;
    hb_font_t *font;
};

static hb_blob_t *blob_of(const uint8_t *bytes, size_t count, hb_memory_mode_t mode) {
    if (count > UINT32_MAX) return hb_blob_get_empty();
    return hb_blob_create((const char *)bytes, (unsigned)count, mode, NULL, NULL);
}

unsigned ink_font_count(const uint8_t *bytes, size_t count) {
    hb_blob_t *blob = blob_of(bytes, count, HB_MEMORY_MODE_READONLY);
    const unsigned faces = hb_face_count(blob);
    hb_blob_destroy(blob);
    return faces;
}

ink_font *ink_font_open(const uint8_t *bytes, size_t count, unsigned index, float weight) {
    ink_font *font = calloc(1, sizeof *font);
    if (font == NULL) return NULL;
    hb_blob_t *blob = blob_of(bytes, count, HB_MEMORY_MODE_DUPLICATE);
    font->face = hb_face_create(blob, index);
    hb_blob_destroy(blob);
    font->font = hb_font_create(font->face);
    const unsigned em = hb_face_get_upem(font->face);
    hb_font_set_scale(font->font, (int)em, (int)em);
    if (hb_ot_var_has_data(font->face)) {
        const hb_variation_t variation = {HB_OT_TAG_VAR_AXIS_WEIGHT, weight};
        hb_font_set_variations(font->font, &variation, 1);
    }
    if (hb_face_get_glyph_count(font->face) == 0 || em == 0) {
        ink_font_close(font);
        return NULL;
    }
    return font;
}

void ink_font_close(ink_font *font) {
    if (font == NULL) return;
    hb_font_destroy(font->font);
    hb_face_destroy(font->face);
    free(font);
}

void ink_font_read_metrics(const ink_font *font, ink_font_metrics *metrics) {
    hb_font_extents_t extents;
    memset(&extents, 0, sizeof extents);
    hb_font_get_h_extents(font->font, &extents);
    metrics->units_per_em = (int32_t)hb_face_get_upem(font->face);
    metrics->ascent = extents.ascender;
    metrics->descent = -extents.descender;
}

void ink_font_family(const ink_font *font, char *name, unsigned size) {
    unsigned count = size;
    name[0] = 0;
    // The name that several weights share, where it is another.
    hb_ot_name_get_utf8(font->face, HB_OT_NAME_ID_TYPOGRAPHIC_FAMILY, hb_language_from_string("en", -1), &count, name);
    if (name[0] != 0) return;
    count = size;
    hb_ot_name_get_utf8(font->face, HB_OT_NAME_ID_FONT_FAMILY, hb_language_from_string("en", -1), &count, name);
}

float ink_font_weight(const ink_font *font) { return hb_style_get_value(font->font, HB_STYLE_TAG_WEIGHT); }

int ink_font_is_italic(const ink_font *font) {
    return hb_style_get_value(font->font, HB_STYLE_TAG_ITALIC) > 0 ||
           hb_style_get_value(font->font, HB_STYLE_TAG_SLANT_ANGLE) != 0;
}

int ink_font_has(const ink_font *font, uint32_t character) {
    hb_codepoint_t glyph;
    return hb_font_get_nominal_glyph(font->font, character, &glyph) != 0;
}

int ink_font_has_colors(const ink_font *font) {
    return hb_ot_color_has_png(font->face) || hb_ot_color_has_layers(font->face) || hb_ot_color_has_svg(font->face);
}

size_t ink_font_shape(
    ink_font *font, const uint32_t *text, size_t count, size_t start, size_t length, int is_right_to_left,
    uint32_t script, ink_glyph **glyphs) {
    *glyphs = NULL;
    hb_buffer_t *buffer = hb_buffer_create();
    hb_buffer_add_codepoints(buffer, text, (int)count, (unsigned)start, (int)length);
    hb_buffer_set_direction(buffer, is_right_to_left ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer, script == 0 ? HB_SCRIPT_LATIN : hb_script_from_iso15924_tag(script));
    hb_buffer_set_language(buffer, hb_language_from_string("und", -1));
    hb_shape(font->font, buffer, NULL, 0);
    unsigned made = 0;
    const hb_glyph_info_t *infos = hb_buffer_get_glyph_infos(buffer, &made);
    const hb_glyph_position_t *places = hb_buffer_get_glyph_positions(buffer, &made);
    if (hb_buffer_allocation_successful(buffer)) *glyphs = calloc(made + 1, sizeof **glyphs);
    if (*glyphs == NULL) made = 0;
    for (unsigned i = 0; i < made; i++) {
        (*glyphs)[i] = (ink_glyph){
            infos[i].codepoint, infos[i].cluster, places[i].x_advance, places[i].x_offset, places[i].y_offset};
    }
    hb_buffer_destroy(buffer);
    return made;
}

// MARK: - Outlines

typedef struct {
    uint8_t *kinds;
    size_t count;
    float *points;
    size_t point_count;
    int has_failed;
} pen;

static void add(pen *pen, ink_outline_step kind, const float *points, size_t count) {
    if (pen->has_failed) return;
    // Room for twice as many, when a power of two is reached.
    if ((pen->count & (pen->count + 1)) == 0) {
        uint8_t *kinds = realloc(pen->kinds, 2 * pen->count + 2);
        float *more = realloc(pen->points, (2 * pen->count + 2) * 6 * sizeof *more);
        if (kinds != NULL) pen->kinds = kinds;
        if (more != NULL) pen->points = more;
        if (kinds == NULL || more == NULL) {
            pen->has_failed = 1;
            return;
        }
    }
    pen->kinds[pen->count++] = (uint8_t)kind;
    memcpy(pen->points + 2 * pen->point_count, points, 2 * count * sizeof *points);
    pen->point_count += count;
}

static void move_to(hb_draw_funcs_t *f, void *to, hb_draw_state_t *s, float x, float y, void *u) {
    add(to, INK_MOVE, (const float[]){x, y}, 1);
}

static void line_to(hb_draw_funcs_t *f, void *to, hb_draw_state_t *s, float x, float y, void *u) {
    add(to, INK_LINE, (const float[]){x, y}, 1);
}

static void quadratic_to(
    hb_draw_funcs_t *f, void *to, hb_draw_state_t *s, float cx, float cy, float x, float y, void *u) {
    add(to, INK_QUADRATIC, (const float[]){cx, cy, x, y}, 2);
}

static void cubic_to(
    hb_draw_funcs_t *f, void *to, hb_draw_state_t *s, float ax, float ay, float bx, float by, float x, float y,
    void *u) {
    add(to, INK_CUBIC, (const float[]){ax, ay, bx, by, x, y}, 3);
}

int ink_font_outline(const ink_font *font, uint32_t glyph, uint8_t **kinds, size_t *count, float **points) {
    pen pen;
    memset(&pen, 0, sizeof pen);
    hb_draw_funcs_t *funcs = hb_draw_funcs_create();
    hb_draw_funcs_set_move_to_func(funcs, move_to, NULL, NULL);
    hb_draw_funcs_set_line_to_func(funcs, line_to, NULL, NULL);
    hb_draw_funcs_set_quadratic_to_func(funcs, quadratic_to, NULL, NULL);
    hb_draw_funcs_set_cubic_to_func(funcs, cubic_to, NULL, NULL);
    hb_font_get_glyph_shape(font->font, glyph, funcs, &pen);
    hb_draw_funcs_destroy(funcs);
    *kinds = pen.kinds;
    *points = pen.points;
    *count = pen.count;
    return !pen.has_failed;
}

// MARK: - Characters

uint32_t ink_script(uint32_t character) {
    const hb_script_t script = hb_unicode_script(hb_unicode_funcs_get_default(), character);
    const int is_neutral =
        script == HB_SCRIPT_COMMON || script == HB_SCRIPT_INHERITED || script == HB_SCRIPT_UNKNOWN;
    return is_neutral ? 0 : hb_script_to_iso15924_tag(script);
}

int ink_is_ignorable(uint32_t character) {
    const hb_unicode_general_category_t category =
        hb_unicode_general_category(hb_unicode_funcs_get_default(), character);
    // Joiners, marks of direction and variation selectors.
    return category == HB_UNICODE_GENERAL_CATEGORY_FORMAT || (character >= 0xFE00 && character <= 0xFE0F) ||
           (character >= 0xE0100 && character <= 0xE01EF) || character == 0x034F;
}

int ink_is_mark(uint32_t character) {
    const hb_unicode_general_category_t category =
        hb_unicode_general_category(hb_unicode_funcs_get_default(), character);
    return category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
           category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK ||
           category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK || ink_is_ignorable(character);
}

int ink_bidi_levels(const uint32_t *text, size_t count, int8_t *levels) {
    if (count == 0) return 1;
    FriBidiCharType *types = malloc(count * sizeof *types);
    FriBidiBracketType *brackets = malloc(count * sizeof *brackets);
    FriBidiLevel most = 0;
    if (types != NULL && brackets != NULL) {
        FriBidiParType direction = FRIBIDI_PAR_ON;
        fribidi_get_bidi_types(text, (FriBidiStrIndex)count, types);
        fribidi_get_bracket_types(text, (FriBidiStrIndex)count, types, brackets);
        most = fribidi_get_par_embedding_levels_ex(types, brackets, (FriBidiStrIndex)count, &direction, levels);
    }
    free(types);
    free(brackets);
    return most > 0;
}
