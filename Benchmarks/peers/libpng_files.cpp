// Encodes the finished pictures of scene L, and decodes one layer's, with libpng and zlib, in memory.
//     libpng_files FOLDER [--runs N] [--seconds N]
// Filters are chosen by libpng's own rule among all of them.
#include <png.h>
#include <zlib.h>

#include <cstring>

#include "meter.hpp"

static void append(png_structp png, png_bytep bytes, size_t count) {
    auto *out = static_cast<std::vector<uint8_t> *>(png_get_io_ptr(png));
    out->insert(out->end(), bytes, bytes + count);
}

static size_t encode(const std::vector<uint8_t> &rgb, int edge, int level) {
    std::vector<uint8_t> out;
    out.reserve(rgb.size());
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &out, append, nullptr);
    png_set_compression_level(png, level);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_set_IHDR(png, info, edge, edge, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, 0, 0);
    png_write_info(png, info);
    for (int y = 0; y < edge; ++y) png_write_row(png, rgb.data() + size_t(y) * edge * 3);
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return out.size();
}

struct Input {
    const uint8_t *at;
};

static void take(png_structp png, png_bytep bytes, size_t count) {
    auto *input = static_cast<Input *>(png_get_io_ptr(png));
    std::memcpy(bytes, input->at, count);
    input->at += count;
}

static void decode(const std::vector<uint8_t> &file, std::vector<uint8_t> &pixels) {
    Input input{file.data()};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_read_fn(png, &input, take);
    png_read_info(png, info);
    const size_t row = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
    pixels.resize(row * height);
    for (size_t y = 0; y < height; ++y) png_read_row(png, pixels.data() + y * row, nullptr);
    png_read_end(png, nullptr);
    png_destroy_read_struct(&png, &info, nullptr);
}

int main(int count, char **arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: libpng_files FOLDER [--runs N] [--seconds N]\n");
        return 2;
    }
    const std::string folder = arguments[1];
    const Meter meter(count, arguments);
    std::fprintf(stderr, "libpng %s, zlib %s\n", png_get_libpng_ver(nullptr), zlibVersion());
    for (const int edge : {2048, 4096}) {
        const std::string size = edge == 2048 ? "2k" : "4k";
        const auto rgb = read_file(folder + "/picture-" + size + ".rgb");
        for (const int level : {1, 6, 9}) {
            const std::string name = "png/" + std::to_string(level) + "/" + size;
            size_t bytes = 0;
            meter.measure(name, "ms", 1, [&] {
                const Stopwatch watch;
                bytes = encode(rgb, edge, level);
                return watch.milliseconds();
            });
            Meter::print(name + "/size", "bytes", double(bytes));
        }
    }
    const auto file = read_file(folder + "/content.png");
    std::vector<uint8_t> pixels;
    meter.measure("decode/content", "ms", 1, [&] {
        const Stopwatch watch;
        decode(file, pixels);
        return watch.milliseconds();
    });
}
