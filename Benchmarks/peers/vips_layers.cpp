// Composites the layers of scene L with libvips, one worker thread.
//     vips_layers FOLDER [--runs N] [--seconds N]
// A layer's alpha is multiplied by mask and opacity; all layers go through one vips_composite.
#include <vips/vips.h>

#include <map>

#include "meter.hpp"

static const std::map<std::string, int> modes = {
    {"normal", VIPS_BLEND_MODE_OVER}, {"multiply", VIPS_BLEND_MODE_MULTIPLY}, {"screen", VIPS_BLEND_MODE_SCREEN},
    {"overlay", VIPS_BLEND_MODE_OVERLAY}, {"softLight", VIPS_BLEND_MODE_SOFT_LIGHT},
};

static const int edge = 2048;

static VipsImage *image(const std::vector<uint8_t> &bytes, int bands) {
    VipsImage *image = vips_image_new_from_memory(bytes.data(), bytes.size(), edge, edge, bands, VIPS_FORMAT_UCHAR);
    image->Type = bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    return image;
}

static void check(int result) {
    if (result == 0) return;
    std::fprintf(stderr, "%s\n", vips_error_buffer());
    std::exit(1);
}

int main(int count, char **arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: vips_layers FOLDER [--runs N] [--seconds N]\n");
        return 2;
    }
    if (VIPS_INIT(arguments[0])) return 1;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    const std::string folder = arguments[1];
    const Meter meter(count, arguments);
    std::fprintf(stderr, "libvips %s\n", vips_version_string());
    const auto layers = read_stack(folder);
    std::vector<std::vector<uint8_t>> contents, masks;
    for (size_t i = 0; i < layers.size(); ++i) {
        contents.push_back(read_file(folder + "/scene-L." + std::to_string(i) + ".rgba"));
        masks.push_back(read_file(folder + "/mask." + std::to_string(i) + ".gray"));
    }
    const std::vector<uint8_t> white(size_t(edge) * edge * 3, 255);
    std::vector<uint8_t> out;
    const auto composite = [&] {
        const Stopwatch watch;
        std::vector<VipsImage *> inputs = {image(white, 3)};
        std::vector<int> blend;
        for (size_t i = 0; i < layers.size(); ++i) {
            VipsImage *whole = image(contents[i], 4), *mask = image(masks[i], 1);
            VipsImage *color, *alpha, *product, *faded, *narrow, *layer;
            check(vips_extract_band(whole, &color, 0, "n", 3, nullptr));
            check(vips_extract_band(whole, &alpha, 3, nullptr));
            check(vips_multiply(alpha, mask, &product, nullptr));
            check(vips_linear1(product, &faded, layers[i].opacity / 255, 0.5, nullptr));
            check(vips_cast_uchar(faded, &narrow, nullptr));
            check(vips_bandjoin2(color, narrow, &layer, nullptr));
            for (VipsImage *step : {whole, mask, color, alpha, product, faded, narrow}) g_object_unref(step);
            inputs.push_back(layer);
            blend.push_back(modes.at(layers[i].mode));
        }
        VipsImage *stacked, *rgb;
        check(vips_composite(
            inputs.data(), &stacked, int(inputs.size()), blend.data(), "compositing_space", VIPS_INTERPRETATION_sRGB,
            nullptr));
        check(vips_extract_band(stacked, &rgb, 0, "n", 3, nullptr));
        size_t size;
        auto *pixels = static_cast<uint8_t *>(vips_image_write_to_memory(rgb, &size));
        const double milliseconds = watch.milliseconds();
        // Up to rounding of floats, or 16 bits where a version of libvips gives them.
        const size_t sample = size / (size_t(edge) * edge * 3);
        out.resize(size / sample);
        for (size_t i = 0; i < out.size(); ++i)
            out[i] = sample == 4 ? uint8_t(reinterpret_cast<float *>(pixels)[i] + 0.5f) : pixels[i];
        g_free(pixels);
        for (VipsImage *input : inputs) g_object_unref(input);
        g_object_unref(stacked);
        g_object_unref(rgb);
        return milliseconds;
    };
    meter.measure("composite/stack", "ms", 1, composite);
    const auto finished = read_file(folder + "/picture-2k.rgb");
    double difference = 0;
    for (size_t i = 0; i < finished.size(); ++i) difference += std::abs(int(finished[i]) - int(out[i]));
    Meter::print("difference/stack", "levels", difference / double(finished.size()));
}
