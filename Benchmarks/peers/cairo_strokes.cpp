// Draws the scenes and the brushes with Cairo: one path and one fill a mark, 8 bits a channel, one thread.
//     cairo_strokes FOLDER [--runs N] [--seconds N]
// FOLDER is SceneMarks'. "difference/NAME" is the mean absolute difference to what ink drew, of premultiplied channels.
#include <cairo.h>

#include <cmath>

#include "marks.hpp"

static void draw(cairo_t *cairo, const Mark &mark) {
    cairo_set_operator(cairo, mark.erases ? CAIRO_OPERATOR_DEST_OUT : CAIRO_OPERATOR_OVER);
    cairo_set_source_rgba(
        cairo, (mark.rgb >> 16) / 255.0, (mark.rgb >> 8 & 255) / 255.0, (mark.rgb & 255) / 255.0, mark.alpha);
    for (const Piece &piece : mark.pieces) {
        const double *p = piece.points;
        if (piece.kind == Piece::disc) {
            cairo_new_sub_path(cairo);
            cairo_arc(cairo, p[0], p[1], piece.length, 0, 2 * M_PI);
            cairo_close_path(cairo);
            continue;
        }
        cairo_move_to(cairo, p[0], p[1]);
        for (uint32_t i = 1; i < piece.count; ++i) cairo_line_to(cairo, p[2 * i], p[2 * i + 1]);
        if (piece.kind == Piece::line) {
            cairo_set_line_width(cairo, piece.length);
            cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
            cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
            cairo_stroke(cairo);
        } else {
            cairo_close_path(cairo);
        }
    }
    cairo_fill(cairo);
}

struct Drawing {
    double milliseconds = 0;
    double difference = 0;
};

// `expected` is the beginning of the names of ink's layers; empty to compare nothing.
static Drawing draw(const Marks &marks, const std::string &expected) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, marks.width, marks.height);
    cairo_t *cairo = cairo_create(surface);
    Drawing drawing;
    for (int layer = 0; layer < marks.layers; ++layer) {
        cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR);
        cairo_paint(cairo);
        const Stopwatch watch;
        for (const Mark &mark : marks.marks)
            if (mark.layer == uint32_t(layer)) draw(cairo, mark);
        cairo_surface_flush(surface);
        drawing.milliseconds += watch.milliseconds();
        if (expected.empty()) continue;
        const auto straight = read_file(expected + "." + std::to_string(layer) + ".rgba");
        std::vector<uint8_t> ink(straight.size());
        premultiply(straight, ink.data(), {2, 1, 0, 3});
        const uint8_t *pixels = cairo_image_surface_get_data(surface);
        double sum = 0;
        for (size_t i = 0; i < ink.size(); ++i) sum += std::abs(int(ink[i]) - int(pixels[i]));
        drawing.difference += sum / double(ink.size()) / marks.layers;
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return drawing;
}

int main(int count, char **arguments) {
    if (count < 2) {
        std::fprintf(stderr, "usage: cairo_strokes FOLDER [--runs N] [--seconds N]\n");
        return 2;
    }
    const std::string folder = arguments[1];
    const Meter meter(count, arguments);
    std::fprintf(stderr, "Cairo %s\n", cairo_version_string());
    for (const char *scene : {"S", "M", "L"})
        for (const int scale : {1, 2}) {
            const Marks marks(folder + "/scene-" + scene + ".marks", scale);
            const std::string name = std::string("strokes/") + scene + (scale == 1 ? "/2k" : "/4k");
            meter.measure(name, "ms", 1, [&] { return draw(marks, "").milliseconds; });
        }
    for (const char *brush : {"parallelLines", "crossHatch", "dots", "contourLines", "waves", "solid"})
        for (const char *kind : {"", "-sized"}) {
            const std::string name = std::string(brush) + kind, file = folder + "/brush-" + name;
            const Marks marks(file + ".marks", 1);
            meter.measure(
                "stamp/" + name, "us", 1000.0 / double(marks.marks.size()), [&] { return draw(marks, "").milliseconds; });
            Meter::print("difference/" + name, "levels", draw(marks, file).difference);
        }
    const Marks marks(folder + "/scene-L.marks", 1);
    Meter::print("difference/L", "levels", draw(marks, folder + "/scene-L").difference);
}
