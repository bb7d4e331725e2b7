#include "ink_url.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// What is used of the library's interface, which is stable since 7.85: numbers of options are a kind and a number.
enum { option_long = 0, option_pointer = 10000, option_function = 20000 };
enum {
    curlopt_url = option_pointer + 2,
    curlopt_errorbuffer = option_pointer + 10,
    curlopt_writefunction = option_function + 11,
    curlopt_postfields = option_pointer + 15,
    curlopt_httpheader = option_pointer + 23,
    curlopt_post = option_long + 47,
    curlopt_postfieldsize = option_long + 60,
    curlopt_nosignal = option_long + 99,
    curlopt_timeout_ms = option_long + 155,
    curlopt_protocols_str = option_pointer + 318,
};
enum { curlinfo_response_code = 0x200000 + 2 };
enum { curl_global_default = 3, error_bytes = 256 };

static struct {
    int is_whole;
    int (*global_init)(long);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_perform)(void *);
    int (*easy_getinfo)(void *, int, ...);
    void (*easy_cleanup)(void *);
    const char *(*easy_strerror)(int);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    int found = 1;
#define FIND(name) found &= (*(void **)(void *)&curl.name = dlsym(library, "curl_" #name)) != NULL
    FIND(global_init);
    FIND(easy_init);
    FIND(easy_setopt);
    FIND(easy_perform);
    FIND(easy_getinfo);
    FIND(easy_cleanup);
    FIND(easy_strerror);
    FIND(slist_append);
    FIND(slist_free_all);
#undef FIND
    curl.is_whole = found && curl.global_init(curl_global_default) == 0;
}

int ink_url_is_present(void) {
    pthread_once(&once, load);
    return curl.is_whole;
}

// The answer's body does not matter.
static size_t drop(const char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

int ink_url_post(
    const char *url, const char *const *headers, size_t header_count, const void *body, size_t count,
    long timeout_milliseconds, char message[INK_URL_MESSAGE_BYTES]) {
    snprintf(message, INK_URL_MESSAGE_BYTES, "libcurl is missing (package libcurl4)");
    if (!ink_url_is_present()) return 0;
    void *handle = curl.easy_init();
    if (handle == NULL) return 0;
    char reason[error_bytes] = "";
    void *list = NULL;
    for (size_t i = 0; i < header_count; i++) list = curl.slist_append(list, headers[i]);
    curl.easy_setopt(handle, curlopt_url, url);
    // No files, and no other protocols that the library knows.
    int error = curl.easy_setopt(handle, curlopt_protocols_str, "http,https");
    curl.easy_setopt(handle, curlopt_errorbuffer, reason);
    curl.easy_setopt(handle, curlopt_writefunction, drop);
    curl.easy_setopt(handle, curlopt_post, 1L);
    curl.easy_setopt(handle, curlopt_postfields, body);
    curl.easy_setopt(handle, curlopt_postfieldsize, (long)count);
    curl.easy_setopt(handle, curlopt_httpheader, list);
    curl.easy_setopt(handle, curlopt_nosignal, 1L);
    curl.easy_setopt(handle, curlopt_timeout_ms, timeout_milliseconds);
    long status = 0;
    if (error == 0) error = curl.easy_perform(handle);
    if (error == 0) {
        curl.easy_getinfo(handle, curlinfo_response_code, &status);
        message[0] = 0;
    } else {
        snprintf(message, INK_URL_MESSAGE_BYTES, "%s", reason[0] != 0 ? reason : curl.easy_strerror(error));
    }
    curl.easy_cleanup(handle);
    curl.slist_free_all(list);
    return (int)status;
}
