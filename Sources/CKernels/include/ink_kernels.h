// The inner loops of the renderer, once for each level of processor. Every level gives the same bytes: the loops use
// nothing but operations that IEEE 754 and integer arithmetic define lane by lane, and multiplications and additions are
// never contracted. So which level runs shows in time alone.
#ifndef INK_KERNELS_H
#define INK_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/// Levels of processors, as the x86-64 psABI numbers them; other processors have the first one only.
enum ink_level {
    /// What every processor of the architecture has.
    INK_LEVEL_SCALAR = 0,
    /// AVX2.
    INK_LEVEL_V3 = 1,
    /// AVX-512 F, BW, CD, DQ and VL.
    INK_LEVEL_V4 = 2,
};

/// The highest level that this processor runs.
enum ink_level ink_level_best(void);

#ifdef __cplusplus
}
#endif

#endif
