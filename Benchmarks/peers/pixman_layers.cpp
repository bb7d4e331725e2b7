// Composites the layers of scene L with pixman, 8 bits a channel, one thread.
//     pixman_layers FOLDER [--runs N] [--seconds N]
// Layers are premultiplied beforehand; a layer's mask is multiplied by its opacity, then the layer is combined with the
// backdrop through it. "composite/MODE" is one layer more on an opaque backdrop.
#include <pixman.h>

#include <map>

#include "meter.hpp"

static const std::map<std::string, pixman_op_t> operators = {
    {"normal", PIXMAN_OP_OVER}, {"multiply", PIXMAN_OP_MULTIPLY}, {"screen", PIXMAN_OP_SCREEN},
    {"overlay", PIXMAN_OP_OVERLAY}, {"darken", PIXMAN_OP_DARKEN}, {"lighten", PIXMAN_OP_LIGHTEN},
    {"colorDodge", PIXMAN_OP_COLOR_DODGE}, {"colorBurn", PIXMAN_OP_COLOR_BURN}, {"hardLight", PIXMAN_OP_HARD_LIGHT},
    {"softLight", PIXMAN_OP_SOFT_LIGHT}, {"difference", PIXMAN_OP_DIFFERENCE}, {"exclusion", PIXMAN_OP_EXCLUSION},
    {"hue", PIXMAN_OP_HSL_HUE}, {"saturation", PIXMAN_OP_HSL_SATURATION}, {"color", PIXMAN_OP_HSL_COLOR},
    {"luminosity", PIXMAN_OP_HSL_LUMINOSITY}, {"plus", PIXMAN_OP_ADD},
};

static const int edge = 2048;

// An image that owns its pixels.
struct Image {
    std::vector<uint32_t> words;
    pixman_image_t *image;

    explicit Image(pixman_format_code_t format, int bytes) : words(size_t(edge) * edge * bytes / 4) {
        image = pixman_image_create_bits(format, edge, edge, words.data(), edge * bytes);
    }
    ~Image() { pixman_image_unref(image); }
    Image(const Image &) = delete;
    uint8_t *bytes() { return reinterpret_cast<uint8_t *>(words.data()); }
};

struct Stack {
    Image canvas{PIXMAN_a8r8g8b8, 4}, mask{PIXMAN_a8, 1};

    void begin() {
        const pixman_color_t white{0xffff, 0xffff, 0xffff, 0xffff};
        const pixman_box32_t all{0, 0, edge, edge};
        pixman_image_fill_boxes(PIXMAN_OP_SRC, canvas.image, &white, 1, &all);
    }

    void add(Image &layer, Image &layer_mask, double opacity, pixman_op_t operation) {
        const pixman_color_t faded{0, 0, 0, uint16_t(opacity * 65535 + 0.5)};
        pixman_image_t *solid = pixman_image_create_solid_fill(&faded);
        pixman_image_composite32(
            PIXMAN_OP_SRC, layer_mask.image, solid, mask.image, 0, 0, 0, 0, 0, 0, edge, edge);
        pixman_image_composite32(
            operation, layer.image, mask.image, canvas.image, 0, 0, 0, 0, 0, 0, edge, edge);
        pixman_image_unref(solid);
    }
};

int main(int count, char **arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: pixman_layers FOLDER [--runs N] [--seconds N]\n");
        return 2;
    }
    const std::string folder = arguments[1];
    const Meter meter(count, arguments);
    std::fprintf(stderr, "pixman %s\n", pixman_version_string());
    const auto layers = read_stack(folder);
    std::vector<Image *> contents, masks;
    for (size_t i = 0; i < layers.size(); ++i) {
        contents.push_back(new Image(PIXMAN_a8r8g8b8, 4));
        premultiply(
            read_file(folder + "/scene-L." + std::to_string(i) + ".rgba"), contents.back()->bytes(), {2, 1, 0, 3});
        masks.push_back(new Image(PIXMAN_a8, 1));
        const auto gray = read_file(folder + "/mask." + std::to_string(i) + ".gray");
        std::copy(gray.begin(), gray.end(), masks.back()->bytes());
    }
    Stack stack;
    const auto composite = [&] {
        const Stopwatch watch;
        stack.begin();
        for (size_t i = 0; i < layers.size(); ++i)
            stack.add(*contents[i], *masks[i], layers[i].opacity, operators.at(layers[i].mode));
        return watch.milliseconds();
    };
    meter.measure("composite/stack", "ms", 1, composite);
    const auto finished = read_file(folder + "/picture-2k.rgb");
    double difference = 0;
    for (size_t i = 0; i < finished.size(); ++i)
        difference += std::abs(int(finished[i]) - int(stack.canvas.bytes()[i / 3 * 4 + 2 - i % 3]));
    Meter::print("difference/stack", "levels", difference / double(finished.size()));
    for (const auto &[mode, operation] : operators)
        meter.measure("composite/" + mode, "ms", 1, [&, operation = operation] {
            stack.begin();
            const Stopwatch watch;
            stack.add(*contents[0], *masks[0], 0.75, operation);
            return watch.milliseconds();
        });
}
