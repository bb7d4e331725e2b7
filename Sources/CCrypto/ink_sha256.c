#include "ink_sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const EVP_MD *algorithm;

/// Looked up once: by itself the library looks it up for every digest, under a lock.
static void look_up(void) {
    // The configuration file has nothing to say about a digest, and to read it and the names of all ciphers takes two
    // milliseconds. From here on nothing in this process finds a cipher or digest by its name.
    OPENSSL_init_crypto(
        OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS, NULL);
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (!algorithm) algorithm = EVP_sha256();
}

ink_sha256 *ink_sha256_new(void) {
    pthread_once(&once, look_up);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, algorithm, NULL) != 1) {
        EVP_MD_CTX_free(context);
        return NULL;
    }
    return (ink_sha256 *)context;
}

int ink_sha256_update(ink_sha256 *digest, const void *bytes, size_t count) {
    return EVP_DigestUpdate((EVP_MD_CTX *)digest, bytes, count) == 1;
}

int ink_sha256_finish(ink_sha256 *digest, unsigned char *result) {
    return EVP_DigestFinal_ex((EVP_MD_CTX *)digest, result, NULL) == 1;
}

void ink_sha256_free(ink_sha256 *digest) { EVP_MD_CTX_free((EVP_MD_CTX *)digest); }

int ink_sha1(const void *bytes, size_t count, unsigned char *result) {
    pthread_once(&once, look_up);
    return EVP_Digest(bytes, count, result, NULL, EVP_sha1(), NULL) == 1;
}

const char *ink_crypto_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
