// Vectors that every level has: where registers are narrower, the compiler uses several of them.
#ifndef INK_LANES_NAMES
#define INK_LANES_NAMES

#define INK_INLINE static inline __attribute__((always_inline))
/// The same for what belongs to an object.
#define INK_METHOD inline __attribute__((always_inline))

typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef double double4 __attribute__((ext_vector_type(4)));
typedef double double8 __attribute__((ext_vector_type(8)));
typedef int32_t int8lanes __attribute__((ext_vector_type(8)));
typedef int32_t int16lanes __attribute__((ext_vector_type(16)));
typedef uint32_t uint16lanes __attribute__((ext_vector_type(16)));
typedef uint32_t uint8lanes __attribute__((ext_vector_type(8)));
typedef uint16_t ushort8 __attribute__((ext_vector_type(8)));
typedef uint16_t ushort16 __attribute__((ext_vector_type(16)));
typedef uint16_t ushort32 __attribute__((ext_vector_type(32)));
typedef int16_t short32 __attribute__((ext_vector_type(32)));
typedef uint8_t uchar32 __attribute__((ext_vector_type(32)));
typedef int16_t short8 __attribute__((vector_size(16)));
typedef int16_t short16 __attribute__((vector_size(32)));
// The same at any address of a float.
typedef double double8_unaligned __attribute__((ext_vector_type(8), aligned(8)));
typedef float float4_unaligned __attribute__((ext_vector_type(4), aligned(4)));
typedef float float8_unaligned __attribute__((ext_vector_type(8), aligned(4)));
typedef uint16_t ushort8_unaligned __attribute__((ext_vector_type(8), aligned(2)));
typedef uint16_t ushort16_unaligned __attribute__((ext_vector_type(16), aligned(2)));
typedef uint8_t uchar16_unaligned __attribute__((ext_vector_type(16), aligned(1)));
typedef uint8_t uchar32_unaligned __attribute__((ext_vector_type(32), aligned(1)));
typedef uint32_t uint16lanes_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef int32_t int16lanes_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef float float16_unaligned __attribute__((ext_vector_type(16), aligned(4)));
typedef bool bool16 __attribute__((ext_vector_type(16)));

/// One bit for each lane that is not 0.
INK_INLINE uint32_t bits_of(int16lanes v) {
    const bool16 set = __builtin_convertvector(v, bool16);
    uint16_t bits;
    __builtin_memcpy(&bits, &set, sizeof bits);
    return bits;
}
#endif
