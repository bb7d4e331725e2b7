#pragma once
#include <stddef.h>

/// A recipe of a target that is part of the program: JSON.
struct ink_recipe {
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t byte_count;
};

size_t ink_recipe_count(void);
/// - Precondition: `index` is less than the count.
struct ink_recipe ink_recipe_at(size_t index);
