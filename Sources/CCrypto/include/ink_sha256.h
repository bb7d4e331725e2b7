#pragma once

#include <stddef.h>

// A C face of OpenSSL's SHA-256 and SHA-1. Its own headers pull the system's thread types into their module, which then hides
// them from Swift code that imports them from the C library.

typedef struct ink_sha256 ink_sha256;

/// NULL when memory is exhausted.
ink_sha256 *_Nullable ink_sha256_new(void);
/// 1, or 0 after the end.
int ink_sha256_update(ink_sha256 *_Nonnull digest, const void *_Nonnull bytes, size_t count);
/// Writes 32 bytes; 1, or 0 when called twice.
int ink_sha256_finish(ink_sha256 *_Nonnull digest, unsigned char *_Nonnull result);
void ink_sha256_free(ink_sha256 *_Nonnull digest);
/// Writes the 20 bytes of the SHA-1 of some bytes; 1, or 0 where the library refuses it.
int ink_sha1(const void *_Nullable bytes, size_t count, unsigned char *_Nonnull result);
/// The library's name and version.
const char *_Nonnull ink_crypto_version(void);
