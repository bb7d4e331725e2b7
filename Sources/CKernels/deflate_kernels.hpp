// The compressor's loops, compiled for this level.
#pragma once

#include "deflate_runs.hpp"
#include "deflate_tokens.hpp"

namespace ink_deflate {

extern const Kernels INK_TABLE(kernels_);
const Kernels INK_TABLE(kernels_) = {
    .find_runs = INK_LEVEL::find_runs,
    .find_long_runs = INK_LEVEL::find_long_runs,
    .count_sequences = INK_LEVEL::count_sequences,
    .write_sequences = INK_LEVEL::write_sequences,
    .find_pixels = INK_LEVEL::find_pixels,
    .count_pixels = INK_LEVEL::count_pixels,
    .write_pixels = INK_LEVEL::write_pixels,
};

}  // namespace ink_deflate
