// The inner loops of the renderer, compiled for each processor level. Every level gives the same bytes: the loops use
// only lane-wise operations that IEEE 754 and integer arithmetic define, and never contract a multiplication and an
// addition. The level affects only the speed.
#ifndef INK_KERNELS_H
#define INK_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Processor levels, as numbered by the x86-64 psABI. Other architectures have only the first.
enum ink_level {
    /// The baseline of the architecture.
    INK_LEVEL_SCALAR = 0,
    /// AVX2.
    INK_LEVEL_V3 = 1,
    /// AVX-512 F, BW, CD, DQ and VL.
    INK_LEVEL_V4 = 2,
};

/// The highest level that this processor supports.
enum ink_level ink_level_best(void);

#ifdef __cplusplus
}
#endif

#endif
