// C embeds the tables in a moment; as literals in Swift they would take a minute to compile.
#include "ink_score_glyphs.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char glyphs[] = {
#embed "farm-score-glyphs.txt"
};
static const unsigned char letters[] = {
#embed "farm-score-letters.txt"
};

struct ink_score_table ink_score_glyphs(void) { return (struct ink_score_table){glyphs, sizeof glyphs}; }

struct ink_score_table ink_score_letters(void) { return (struct ink_score_table){letters, sizeof letters}; }
