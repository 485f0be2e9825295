// What the kernels share: vectors of sixteen values.

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

// e^x, with a relative error below 2e-7: x = n log 2 + r, and a polynomial in r (Moshier's Cephes, expf).
INLINE void power_of_e(v16 *x) {
  v16 value = *x;
  value = value > 88.0f ? 88.0f : value;
  value = value < -87.0f ? -87.0f : value;
  // Adding and subtracting 1.5 * 2^23 rounds to a whole number.
  v16 n = value * 1.44269504088896341f + 12582912.0f;
  n = n - 12582912.0f;
  v16 r = value - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  v16 sum = r * 1.9875691500e-4f + 1.3981999507e-3f;
  sum = sum * r + 8.3334519073e-3f;
  sum = sum * r + 4.1665795894e-2f;
  sum = sum * r + 1.6666665459e-1f;
  sum = sum * r + 5.0000001201e-1f;
  sum = sum * (r * r) + r + 1.0f;
  union {
    i16 bits;
    v16 value;
  } power = {.bits = (__builtin_convertvector(n, i16) + 127) << 23};
  *x = sum * power.value;
}

#endif
