#pragma once

#include <stddef.h>

// A C face of libcurl, which is loaded when it is needed.

enum { INK_URL_MESSAGE_BYTES = 256 };

// Whether the library is there.
int ink_url_is_present(void);

// Posts a body to an HTTP or HTTPS address. Headers are whole lines. Follows no redirections. Waits at most so long.
// Returns the status of the answer, or 0 if there was none: then `message` says why.
int ink_url_post(
    const char *url, const char *const *headers, size_t header_count, const void *body, size_t count,
    long timeout_milliseconds, char message[INK_URL_MESSAGE_BYTES]);
