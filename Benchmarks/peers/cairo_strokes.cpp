// Draws the scenes and the brushes with Cairo: one path and one fill a mark (of what lies still on the canvas two, of the
// footprint and of the pattern over its box), 8 bits a channel, one thread.
//     cairo_strokes FOLDER [--runs N] [--seconds N]
// FOLDER is SceneMarks'. "difference/NAME" is the mean absolute difference to what ink drew, of premultiplied channels.
#include <cairo.h>

#include <cmath>

#include "marks.hpp"

static void fill(cairo_t *cairo, const std::vector<Piece> &pieces) {
    for (const Piece &piece : pieces) {
        const double *p = piece.points;
        if (piece.kind == Piece::disc) {
            cairo_new_sub_path(cairo);
            // The way round in which polygons go: where they overlap, opposite ways would cancel.
            cairo_arc_negative(cairo, p[0], p[1], piece.length, 0, -2 * M_PI);
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

// Makes only what lies in the footprint visible. A path to clip by would take longer: Cairo cannot clip by a line with a
// width, and intersects polygons edge by edge.
static cairo_pattern_t *within(cairo_t *cairo, const Mark &mark) {
    double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
    for (const Piece &piece : mark.footprint) {
        const double reach = piece.kind == Piece::polygon ? 1 : piece.length + 1;
        for (uint32_t i = 0; i < piece.count; ++i) {
            left = std::fmin(left, piece.points[2 * i] - reach);
            top = std::fmin(top, piece.points[2 * i + 1] - reach);
            right = std::fmax(right, piece.points[2 * i] + reach);
            bottom = std::fmax(bottom, piece.points[2 * i + 1] + reach);
        }
    }
    cairo_rectangle(cairo, std::floor(left), std::floor(top), std::ceil(right - left), std::ceil(bottom - top));
    cairo_clip(cairo);
    cairo_push_group_with_content(cairo, CAIRO_CONTENT_ALPHA);
    cairo_set_operator(cairo, CAIRO_OPERATOR_OVER);
    cairo_set_source_rgba(cairo, 0, 0, 0, 1);
    fill(cairo, mark.footprint);
    cairo_set_operator(cairo, CAIRO_OPERATOR_IN);
    fill(cairo, mark.pieces);
    return cairo_pop_group(cairo);
}

static void draw(cairo_t *cairo, const Mark &mark) {
    cairo_save(cairo);
    cairo_pattern_t *mask = mark.footprint.empty() ? nullptr : within(cairo, mark);
    cairo_set_operator(cairo, mark.erases ? CAIRO_OPERATOR_DEST_OUT : CAIRO_OPERATOR_OVER);
    cairo_set_source_rgba(
        cairo, (mark.rgb >> 16) / 255.0, (mark.rgb >> 8 & 255) / 255.0, (mark.rgb & 255) / 255.0, mark.alpha);
    if (mask) {
        cairo_mask(cairo, mask);
        cairo_pattern_destroy(mask);
    } else {
        fill(cairo, mark.pieces);
    }
    cairo_restore(cairo);
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
    for (const char *brush : {"parallelLines", "crossHatch", "dots", "contourLines", "waves", "solid",
                              "parallelLines-canvas", "crossHatch-canvas", "dots-canvas"})
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
