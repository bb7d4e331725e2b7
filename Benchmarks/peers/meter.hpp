// Measures and writes: a line for each run, with name, unit and value, as EngineRates does.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <time.h>

struct Meter {
    int runs = 5;
    double seconds = 5;

    // Options as EngineRates has them, after the folder.
    Meter(int count, char **arguments) {
        for (int i = 2; i + 1 < count; i += 2) {
            const std::string name = arguments[i];
            if (name == "--runs") runs = std::atoi(arguments[i + 1]);
            if (name == "--seconds") seconds = std::atof(arguments[i + 1]);
        }
    }

    // Once unmeasured, then at least twice and until the runs or the seconds are used up; a body of more than four
    // seconds once. `body` returns milliseconds.
    template <typename Body>
    void measure(const std::string &name, const char *unit, double scale, Body body) const {
        double spent = body();
        if (spent > 4000) {
            print(name, unit, spent * scale);
            return;
        }
        spent = 0;
        for (int run = 0; run < runs && (run < 2 || spent / 1000 < seconds); ++run) {
            const double milliseconds = body();
            spent += milliseconds;
            print(name, unit, milliseconds * scale);
        }
    }

    static void print(const std::string &name, const char *unit, double value) {
        std::printf("%s %s %.6f\n", name.c_str(), unit, value);
        std::fflush(stdout);
    }
};

// Processor time, all threads together.
class Stopwatch {
    static double now() {
        timespec time;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
    }
    double start = now();

public:
    double milliseconds() const { return now() - start; }
};

inline std::vector<uint8_t> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Straight RGBA to premultiplied, in the order that `at` gives the bytes of red, green, blue and alpha.
inline void premultiply(const std::vector<uint8_t> &straight, uint8_t *out, const int (&at)[4]) {
    for (size_t i = 0; i < straight.size(); i += 4) {
        const int alpha = straight[i + 3];
        for (int c = 0; c < 3; ++c) out[i + at[c]] = uint8_t((straight[i + c] * alpha + 127) / 255);
        out[i + at[3]] = uint8_t(alpha);
    }
}

// The layers of a stack, as stack.txt has them.
struct StackLayer {
    std::string mode;
    double opacity;
};

inline std::vector<StackLayer> read_stack(const std::string &folder) {
    std::vector<StackLayer> layers;
    std::ifstream file(folder + "/stack.txt");
    for (StackLayer layer; file >> layer.mode >> layer.opacity;) layers.push_back(layer);
    return layers;
}
