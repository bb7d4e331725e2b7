// The compressor's loops of this level.
namespace ink_deflate {

#include "bytes.hpp"
#include "literals.hpp"
#include "deflate_runs.hpp"
#include "deflate_pixels.hpp"
#include "deflate_tokens.hpp"

extern const Kernels INK_TABLE(kernels_);
const Kernels INK_TABLE(kernels_) = {
    INK_LEVEL::find_runs,       INK_LEVEL::find_long_runs, INK_LEVEL::count_sequences,
    INK_LEVEL::write_sequences, INK_LEVEL::find_pixels,    INK_LEVEL::count_pixels,
    INK_LEVEL::write_pixels,
};

}  // namespace ink_deflate
