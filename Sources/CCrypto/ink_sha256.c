#include "ink_sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

ink_sha256 *ink_sha256_new(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1) {
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

const char *ink_crypto_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
