// Vectors that every level has: where registers are narrower, the compiler uses several.
#ifndef INK_LANES_NAMES
#define INK_LANES_NAMES
// Not the ABI's vectors: they never cross a function that is not inlined.
#define INK_INLINE static inline __attribute__((always_inline))

typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef int int8x __attribute__((ext_vector_type(8)));
typedef int int16x __attribute__((ext_vector_type(16)));
#endif
