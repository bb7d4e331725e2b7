#pragma once
#include <stddef.h>

/// A table of outlines, part of the program; its README says how it is written.
struct ink_score_table {
    const unsigned char *bytes;
    size_t byte_count;
};

/// Musical symbols.
struct ink_score_table ink_score_glyphs(void);
/// Letters of titles.
struct ink_score_table ink_score_letters(void);
