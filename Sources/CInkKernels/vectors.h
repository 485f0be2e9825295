// What the kernels over planes share: vectors of sixteen values.

#ifndef VECTORS_H
#define VECTORS_H

#include <stddef.h>
#include <stdint.h>

#include "clones.h"

typedef float v16 __attribute__((ext_vector_type(16), aligned(4)));
typedef double d16 __attribute__((ext_vector_type(16), aligned(8)));
typedef int32_t i16 __attribute__((ext_vector_type(16), aligned(4)));
typedef uint8_t b16 __attribute__((ext_vector_type(16), aligned(1)));

enum { LANES = 16, PANEL_VECTORS = 4, MOST_TILES = 12, MOST_VECTORS = 24 };

#define INLINE static inline __attribute__((always_inline))

// The sixteen values from here on. A macro, for functions that are not cloned cannot pass v16.
#define AT(place) (*(v16 *)(place))

// The vectors that can be summed at once.
INLINE size_t most_vectors(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? MOST_VECTORS : 6;
#else
  return 6;
#endif
}

// Parts of `count` of about the same size, none larger than `most`.
INLINE size_t part(size_t count, size_t done, size_t most) {
  size_t left = count - done, parts = (left + most - 1) / most;
  return (left + parts - 1) / parts;
}

// The largest of four values, and which one it is, the first one where several are.
INLINE void choose_largest(const v16 *four, v16 *largest, i16 *choice) {
  v16 a = four[0], b = four[1], c = four[2], d = four[3];
  v16 top = b > a ? b : a, bottom = d > c ? d : c;
  *largest = bottom > top ? bottom : top;
  i16 upper = (b > a) & 1, lower = 2 + ((d > c) & 1);
  *choice = bottom > top ? lower : upper;
}

#endif
