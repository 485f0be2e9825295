// Convolutions with a stride over planes with the channels last, and those over planes that are upsampled.

#include <math.h>

#include "CInkKernels.h"
#include "vectors.h"

// MARK: Sums over taps

// A tap is a place of the kernel: where it reads, and its weights [inner, outs].
typedef struct {
  const float *input, *weight;
} tap;

enum { MOST_TAPS = 32 };

// The sums of `places` outputs side by side, of sixteen filters in each of `vectors`:
//
//   output[p, v] = max(lowest, bias[v] + sum over taps t, k of input[t, p, k] * weight[t, k, v])
//
// `input_step` and `output_step` are the values from one place to the next; where it `adds`, the sums are
// added to the output. `together` values of k, of which there are a multiple, are read from one place after
// the other, since there are more places than registers for pointers.
INLINE void sum_taps(
  size_t taps, const tap *tap, size_t inner, size_t input_step, size_t outs, size_t first_out,
  const float *bias, float lowest, bool adds, float *output, size_t output_step,
  const size_t places, const size_t vectors, const size_t together) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < places * vectors; s++) sums[s] = 0;
  for (size_t t = 0; t < taps; t++) {
    const float *input = tap[t].input, *weight = tap[t].weight + first_out;
    for (size_t k = 0; k < inner; k += together) {
      v16 factors[8];
      for (size_t i = 0; i < together; i++)
        for (size_t v = 0; v < vectors; v++)
          factors[i * vectors + v] = AT(weight + (k + i) * outs + v * LANES);
      const float *place = input + k;
#pragma clang loop unroll(full)
      for (size_t p = 0; p < places; p++, place += input_step)
#pragma clang loop unroll(full)
        for (size_t i = 0; i < together; i++)
#pragma clang loop unroll(full)
          for (size_t v = 0; v < vectors; v++)
            sums[p * vectors + v] += factors[i * vectors + v] * place[i];
    }
  }
  v16 least = lowest;
  for (size_t p = 0; p < places; p++)
    for (size_t v = 0; v < vectors; v++) {
      float *place = output + p * output_step + first_out + v * LANES;
      v16 value = sums[p * vectors + v];
      if (bias) value += AT(bias + first_out + v * LANES);
      if (adds) value += AT(place);
      AT(place) = value < least ? least : value;
    }
}

// The same for a row of any length.
INLINE void sum_row_of_taps(
  size_t taps, const tap *first, size_t inner, size_t input_step, size_t outs, const float *bias,
  float lowest, bool adds, float *output, size_t output_step, size_t count) {
  bool is_wide = most_vectors() == MOST_VECTORS;
  for (size_t v = 0, vectors; v < outs / LANES; v += vectors) {
    vectors = part(outs / LANES, v, is_wide ? 4 : 1);
    // No more places than there are registers for pointers to them.
    size_t most = !is_wide ? 6 : vectors == 4 ? 6 : 8;
    for (size_t p = 0, places; p < count; p += places) {
      tap here[MOST_TAPS];
      for (size_t t = 0; t < taps; t++) {
        here[t].input = first[t].input + p * input_step;
        here[t].weight = first[t].weight;
      }
      places = count - p >= most ? most : count - p >= 4 ? 4 : 1;
#define CASE(P, V) \
  case P * 8 + V: \
    if (inner % 4 != 0) \
      sum_taps( \
        taps, here, inner, input_step, outs, v * LANES, bias, lowest, adds, output + p * output_step, \
        output_step, P, V, 1); \
    else \
      sum_taps( \
        taps, here, inner, input_step, outs, v * LANES, bias, lowest, adds, output + p * output_step, \
        output_step, P, V, V == 1 ? 4 : V == 2 ? 2 : 1); \
    break;
      switch (places * 8 + vectors) {
        CASE(8, 1) CASE(8, 2) CASE(8, 3) CASE(6, 4) CASE(6, 1)
        CASE(4, 1) CASE(4, 2) CASE(4, 3) CASE(4, 4) CASE(1, 1) CASE(1, 2) CASE(1, 3) CASE(1, 4)
      }
#undef CASE
    }
  }
}

CLONES void ink_strided_convolve(
  const ink_strided *shape, const float *restrict input, const float *restrict weight,
  const float *restrict bias, float lowest, float *restrict output) {
  size_t channels = shape->channels, kernel = shape->kernel, length = kernel * channels;
  for (size_t y = 0; y < shape->rows; y++) {
    // What a row of the kernel reads follows each other.
    tap taps[MOST_TAPS];
    for (size_t i = 0; i < kernel; i++) {
      taps[i].input = input + (shape->stride * y + i) * shape->input_row;
      taps[i].weight = weight + i * length * shape->filters;
    }
    sum_row_of_taps(
      kernel, taps, length, shape->stride * channels, shape->filters, bias, lowest, false,
      output + y * shape->output_row, shape->filters, shape->columns);
  }
}

CLONES void ink_strided_input_gradient(
  const ink_strided *shape, size_t pad, size_t height, size_t width, const float *restrict weight,
  const float *restrict output_gradient, size_t gradient_row, bool adds,
  float *restrict input_gradient) {
  size_t channels = shape->channels, filters = shape->filters, plane = channels * filters;
  size_t kernel = shape->kernel, stride = shape->stride;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < stride && x < width; x++) {
      tap taps[MOST_TAPS];
      size_t count = 0;
      for (size_t i = (y + pad) % stride; i < kernel; i += stride)
        for (size_t j = (x + pad) % stride; j < kernel; j += stride) {
          // Both are multiples of the stride, and may be below 0.
          ptrdiff_t row = (ptrdiff_t)(y + pad) - (ptrdiff_t)i;
          ptrdiff_t column = (ptrdiff_t)(x + pad) - (ptrdiff_t)j;
          taps[count].input = output_gradient + row / (ptrdiff_t)stride * (ptrdiff_t)gradient_row
            + column / (ptrdiff_t)stride * (ptrdiff_t)filters;
          taps[count++].weight = weight + (i * kernel + j) * plane;
        }
      sum_row_of_taps(
        count, taps, filters, filters, channels, NULL, -INFINITY, adds,
        input_gradient + y * shape->input_row + x * channels, stride * channels,
        (width - x + stride - 1) / stride);
    }
}

// target[r, v] += sum over p of left[p, r] * right[p, v]; the target has rows of `target_row` values.
INLINE void add_block(
  size_t count, const float *left, size_t left_step, const float *right, size_t right_step,
  float *target, size_t target_row, const size_t rows, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < rows * vectors; s++) sums[s] = 0;
  for (size_t p = 0; p < count; p++, left += left_step, right += right_step)
    for (size_t v = 0; v < vectors; v++) {
      v16 factors = AT(right + v * LANES);
      for (size_t r = 0; r < rows; r++) sums[r * vectors + v] += factors * left[r];
    }
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < vectors; v++) {
      float *place = target + r * target_row + v * LANES;
      AT(place) = AT(place) + sums[r * vectors + v];
    }
}

// The same for whole rows of `channels` and `filters`.
INLINE void add_outer_products(
  size_t count, size_t channels, const float *left, size_t left_step, size_t filters,
  const float *right, size_t right_step, float *target) {
  bool is_wide = most_vectors() == MOST_VECTORS;
  size_t rows = channels == 1 ? 1 : is_wide ? 8 : 4;
  for (size_t r = 0; r < channels; r += rows)
    for (size_t v = 0, vectors; v < filters / LANES; v += vectors) {
      vectors = part(filters / LANES, v, is_wide ? 3 : 1);
#define CASE(R, V) \
  case R * 4 + V: \
    add_block( \
      count, left + r, left_step, right + v * LANES, right_step, \
      target + r * filters + v * LANES, filters, R, V); \
    break;
      switch (rows * 4 + vectors) {
        CASE(1, 1) CASE(1, 2) CASE(1, 3) CASE(4, 1) CASE(8, 1) CASE(8, 2) CASE(8, 3)
      }
#undef CASE
    }
}

CLONES void ink_strided_weight_gradient(
  const ink_strided *shape, const float *restrict input, const float *restrict output_gradient,
  size_t gradient_row, float *restrict weight_gradient) {
  size_t channels = shape->channels, filters = shape->filters, kernel = shape->kernel;
  for (size_t y = 0; y < shape->rows; y++)
    for (size_t t = 0; t < kernel * kernel; t++)
      add_outer_products(
        shape->columns, channels,
        input + (shape->stride * y + t / kernel) * shape->input_row + t % kernel * channels,
        shape->stride * channels, filters, output_gradient + y * gradient_row, filters,
        weight_gradient + t * channels * filters);
}

// MARK: Doubled planes

// Tap t of the outputs of even or odd rows and columns: bits a and b, then p and q.
enum { DOUBLED_TAPS = 16 };

CLONES void ink_convolve_doubled(
  const ink_doubled *shape, const float *restrict input, const float *restrict weight,
  float *restrict output) {
  size_t channels = shape->channels, filters = shape->filters;
  for (size_t y = 0; y < shape->rows; y++)
    for (size_t corner = 0; corner < 4; corner++) {
      size_t a = corner / 2, b = corner % 2;
      tap taps[MOST_TAPS];
      for (size_t t = 0; t < 4; t++) {
        ptrdiff_t row = (ptrdiff_t)(y + a + t / 2) - 1, column = (ptrdiff_t)(b + t % 2) - 1;
        taps[t].input = input + row * (ptrdiff_t)shape->input_row + column * (ptrdiff_t)channels;
        taps[t].weight = weight + (corner * 4 + t) * channels * filters;
      }
      sum_row_of_taps(
        4, taps, channels, channels, filters, NULL, -INFINITY, true,
        output + (2 * y + a) * shape->output_row + b * filters, 2 * filters, shape->columns);
    }
}

CLONES void ink_doubled_input_gradient(
  const ink_doubled *shape, const float *restrict weight, const float *restrict output_gradient,
  size_t gradient_row, float *restrict input_gradient) {
  size_t channels = shape->channels, filters = shape->filters;
  for (size_t y = 0; y < shape->rows; y++) {
    tap taps[MOST_TAPS];
    for (size_t t = 0; t < DOUBLED_TAPS; t++) {
      ptrdiff_t a = t / 8, b = t / 4 % 2, p = t / 2 % 2, q = t % 2;
      ptrdiff_t row = 2 * ((ptrdiff_t)y + 1 - a - p) + a, column = 2 * (1 - b - q) + b;
      taps[t].input = output_gradient + row * (ptrdiff_t)gradient_row + column * (ptrdiff_t)filters;
      taps[t].weight = weight + t * channels * filters;
    }
    sum_row_of_taps(
      DOUBLED_TAPS, taps, filters, 2 * filters, channels, NULL, -INFINITY, false,
      input_gradient + y * shape->input_row, channels, shape->columns);
  }
}

CLONES void ink_doubled_weight_gradient(
  const ink_doubled *shape, const float *restrict input, const float *restrict output_gradient,
  size_t gradient_row, float *restrict weight_gradient) {
  size_t channels = shape->channels, filters = shape->filters;
  for (size_t y = 0; y < shape->rows; y++)
    for (size_t t = 0; t < DOUBLED_TAPS; t++) {
      size_t a = t / 8, b = t / 4 % 2;
      ptrdiff_t row = (ptrdiff_t)(y + a + t / 2 % 2) - 1, column = (ptrdiff_t)(b + t % 2) - 1;
      add_outer_products(
        shape->columns, channels,
        input + row * (ptrdiff_t)shape->input_row + column * (ptrdiff_t)channels, channels, filters,
        output_gradient + (2 * y + a) * gradient_row + b * filters, 2 * filters,
        weight_gradient + t * channels * filters);
    }
}

CLONES void ink_channel_sums(
  size_t rows, size_t columns, size_t channels, const float *restrict values, size_t row,
  float *restrict sums) {
  for (size_t c = 0; c < channels; c += LANES)
    for (size_t y = 0; y < rows; y++) {
      v16 sum = 0;
      for (size_t x = 0; x < columns; x++) sum += AT(values + y * row + x * channels + c);
      AT(sums + c) = AT(sums + c) + sum;
    }
}
