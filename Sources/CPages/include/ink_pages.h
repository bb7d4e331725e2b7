#pragma once
#include <stddef.h>

/// A file of the dashboard, part of the program.
struct ink_page {
    /// Below the front's address; begins with a slash.
    const char *path;
    /// The value of Content-Type.
    const char *media_type;
    const unsigned char *bytes;
    size_t byte_count;
};

size_t ink_page_count(void);
/// - Precondition: `index` is less than the count.
struct ink_page ink_page_at(size_t index);
