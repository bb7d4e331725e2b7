// Marks as SceneMarks writes them; the format is described in MarksFile.swift.
#pragma once

#include <cstring>

#include "meter.hpp"

struct Piece {
    enum Kind : uint32_t { polygon, disc, line } kind;
    // A disc's radius, a line's width.
    double length;
    // Pairs of coordinates.
    const double *points;
    uint32_t count;
};

struct Mark {
    uint32_t layer;
    uint32_t rgb;
    bool erases;
    double alpha;
    std::vector<Piece> pieces;
    // What is drawn of the pieces; everything if it is empty.
    std::vector<Piece> footprint;
};

struct Marks {
    int width = 0, height = 0, layers = 0;
    std::vector<Mark> marks;

    // Coordinates are multiplied by `scale`.
    Marks(const std::string &path, double scale) {
        const auto bytes = read_file(path);
        std::vector<uint32_t> words(bytes.size() / 4);
        std::memcpy(words.data(), bytes.data(), words.size() * 4);
        if (words.size() < 5 || words[0] != 0x4d4b4e49) {
            std::fprintf(stderr, "%s: no marks\n", path.c_str());
            std::exit(1);
        }
        const auto real = [&](size_t i) {
            float value;
            std::memcpy(&value, &words[i], 4);
            return double(value) * scale;
        };
        width = int(words[1] * scale);
        height = int(words[2] * scale);
        layers = int(words[3]);
        // Never grows again: pieces point into it.
        coordinates.reserve(words.size());
        size_t at = 5;
        for (uint32_t n = words[4]; n > 0; --n) {
            Mark mark{words[at], words[at + 1] & 0xffffff, (words[at + 1] >> 24) != 0, real(at + 2) / scale, {}, {}};
            const uint32_t pieces = words[at + 3];
            at += 4;
            for (uint32_t p = 0; p < pieces; ++p) {
                const uint32_t count = words[at + 1];
                (words[at] < 3 ? mark.pieces : mark.footprint).push_back(
                    {Piece::Kind(words[at] % 3), real(at + 2), coordinates.data() + coordinates.size(), count});
                at += 3;
                for (uint32_t i = 0; i < 2 * count; ++i) coordinates.push_back(real(at++));
            }
            marks.push_back(std::move(mark));
        }
    }

    Marks(const Marks &) = delete;

private:
    std::vector<double> coordinates;
};
