#include "ink_versions.h"

#include <CLI/Version.hpp>
#include <expat.h>
#include <fribidi/fribidi.h>
#include <gif_lib.h>
#include <harfbuzz/hb.h>
#include <isa-l.h>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <lcms2.h>
#include <openssl/crypto.h>
#include <png.h>
#include <simdjson.h>
#include <sqlite3.h>
#include <tiffio.h>
#include <webp/decode.h>
#include <zip.h>
#include <zlib.h>
#include <zmq.h>
#include <zstd.h>

#include <string>

#define INK_TEXT_(x) #x
#define INK_TEXT(x) INK_TEXT_(x)

namespace {

const char *zeromq_version() {
    static const std::string text = [] {
        int major, minor, patch;
        zmq_version(&major, &minor, &patch);
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    }();
    return text.c_str();
}

const char *png_version() {
    static const std::string text = [] {
        const unsigned number = png_access_version_number();
        return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
               std::to_string(number % 100);
    }();
    return text.c_str();
}

const char *webp_version() {
    static const std::string text = [] {
        const int number = WebPGetDecoderVersion();
        return std::to_string(number >> 16) + "." + std::to_string(number >> 8 & 255) + "." +
               std::to_string(number & 255);
    }();
    return text.c_str();
}

// "LIBTIFF, Version 4.5.0" and a copyright.
const char *tiff_version() {
    static const std::string text = [] {
        const std::string whole = TIFFGetVersion();
        const size_t start = whole.find("Version ");
        const size_t from = start == std::string::npos ? 0 : start + 8;
        return whole.substr(from, whole.find('\n') - from);
    }();
    return text.c_str();
}

const char *lcms_version() {
    static const std::string text = [] {
        const int number = cmsGetEncodedCMMversion();
        return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
    }();
    return text.c_str();
}

struct Library {
    const char *name;
    const char *(*version)();
};

const Library libraries[] = {
    {"libzmq", zeromq_version},
    {"libzstd", [] { return ZSTD_versionString(); }},
    {"libpng", png_version},
    {"libjpeg-turbo", [] { return INK_TEXT(LIBJPEG_TURBO_VERSION); }},
    {"libwebp", webp_version},
    {"giflib", [] { return INK_TEXT(GIFLIB_MAJOR) "." INK_TEXT(GIFLIB_MINOR) "." INK_TEXT(GIFLIB_RELEASE); }},
    {"libtiff", tiff_version},
    {"lcms2", lcms_version},
    {"expat", [] { return INK_TEXT(XML_MAJOR_VERSION) "." INK_TEXT(XML_MINOR_VERSION) "." INK_TEXT(XML_MICRO_VERSION); }},
    {"harfbuzz", [] { return hb_version_string(); }},
    {"fribidi", [] { return static_cast<const char *>(FRIBIDI_VERSION); }},
    {"isa-l",
     [] { return INK_TEXT(ISAL_MAJOR_VERSION) "." INK_TEXT(ISAL_MINOR_VERSION) "." INK_TEXT(ISAL_PATCH_VERSION); }},
    {"zlib", [] { return zlibVersion(); }},
    {"simdjson", [] { return static_cast<const char *>(INK_TEXT(SIMDJSON_VERSION)); }},
    {"openssl", [] { return OpenSSL_version(OPENSSL_VERSION); }},
    {"libzip", [] { return zip_libzip_version(); }},
    {"sqlite", [] { return sqlite3_libversion(); }},
    {"cli11", [] { return static_cast<const char *>(CLI11_VERSION); }},
};

struct Unit {
    const char *name;
    int (*present)();
};

const Unit units[] = {
#if defined(__x86_64__)
    {"sse4.2", [] { return __builtin_cpu_supports("sse4.2") ? 1 : 0; }},
    {"avx", [] { return __builtin_cpu_supports("avx") ? 1 : 0; }},
    {"avx2", [] { return __builtin_cpu_supports("avx2") ? 1 : 0; }},
    {"fma", [] { return __builtin_cpu_supports("fma") ? 1 : 0; }},
    {"bmi2", [] { return __builtin_cpu_supports("bmi2") ? 1 : 0; }},
    {"pclmul", [] { return __builtin_cpu_supports("pclmul") ? 1 : 0; }},
    {"avx512f", [] { return __builtin_cpu_supports("avx512f") ? 1 : 0; }},
    {"avx512bw", [] { return __builtin_cpu_supports("avx512bw") ? 1 : 0; }},
#elif defined(__aarch64__)
    {"neon", [] { return 1; }},
#else
    {"scalar", [] { return 1; }},
#endif
};

}  // namespace

size_t ink_library_count(void) { return sizeof libraries / sizeof *libraries; }

const char *ink_library_name(size_t index) { return index < ink_library_count() ? libraries[index].name : ""; }

const char *ink_library_version(size_t index) {
    return index < ink_library_count() ? libraries[index].version() : "";
}

size_t ink_vector_unit_count(void) { return sizeof units / sizeof *units; }

const char *ink_vector_unit_name(size_t index) { return index < ink_vector_unit_count() ? units[index].name : ""; }

int ink_vector_unit_present(size_t index) { return index < ink_vector_unit_count() ? units[index].present() : 0; }
