// Batch normalisation with the ReLU and the 2 x 2 max-pooling behind it, over planes with the channels
// last, sixteen channels at a time.

#include "CInkKernels.h"
#include "vectors.h"

// The values of a batch come from behind the caches: they are fetched so many values ahead.
enum { AHEAD = 1024 };

// MARK: Moments

// A row's sum of values[x], or of (values[x] - mean)^2; every fourth has its own sum, or each would
// wait for the one before.
INLINE void sum_row(
  size_t columns, size_t channels, const float *values, const v16 *mean, const bool squares,
  d16 *total) {
#pragma clang fp contract(fast)
  enum { APART = 4 };
  v16 sums[APART];
  for (size_t a = 0; a < APART; a++) sums[a] = 0;
  for (size_t x = 0; x < columns; x += APART)
    for (size_t a = 0; a < APART; a++) {
      if (x + a >= columns) break;
      v16 value = AT(values + (x + a) * channels);
      if (squares) {
        v16 difference = value - *mean;
        sums[a] += difference * difference;
      } else {
        sums[a] += value;
      }
    }
  v16 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  *total += __builtin_convertvector(sum, d16);
}

CLONES void ink_channel_moments(
  const ink_normalization *shape, const float *restrict values, double *restrict sums,
  double *restrict squares) {
  size_t channels = shape->channels, row = shape->columns * channels;
  for (size_t c = 0; c < channels; c += LANES) {
    d16 sum = 0, square = 0;
    for (size_t y = 0; y < shape->rows; y++)
      sum_row(shape->columns, channels, values + y * row + c, NULL, false, &sum);
    v16 mean = __builtin_convertvector(sum / (double)(shape->rows * shape->columns), v16);
    for (size_t y = 0; y < shape->rows; y++)
      sum_row(shape->columns, channels, values + y * row + c, &mean, true, &square);
    *(d16 *)(sums + c) = sum;
    *(d16 *)(squares + c) = square;
  }
}

// MARK: Forwards

// The choice where no value is above the lowest.
enum { NONE = 4 };

CLONES void ink_normalize(
  const ink_normalization *shape, const float *restrict values, const float *restrict scale,
  const float *restrict shift, float *restrict output, uint8_t *restrict choices) {
#pragma clang fp contract(fast)
  size_t channels = shape->channels, row = shape->columns * channels;
  size_t step = shape->pools ? 2 : 1, rows = shape->rows / step, columns = shape->columns / step;
  v16 least = shape->lowest;
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < columns; x++)
      for (size_t c = 0; c < channels; c += LANES) {
        const float *place = values + step * (y * row + x * channels) + c;
        v16 factor = AT(scale + c), offset = AT(shift + c);
        __builtin_prefetch(place + AHEAD);
        if (shape->pools) __builtin_prefetch(place + row + AHEAD);
        v16 value = AT(place) * factor + offset;
        i16 choice = 0;
        if (shape->pools) {
          v16 four[4] = {
            value, AT(place + channels) * factor + offset, AT(place + row) * factor + offset,
            AT(place + row + channels) * factor + offset};
          choose_largest(four, &value, &choice);
        }
        choice = value > least ? choice : NONE;
        *(b16 *)(choices + (y * columns + x) * channels + c) = __builtin_convertvector(choice, b16);
        AT(output + y * shape->output_row + x * channels + c) = value < least ? least : value;
      }
}

// MARK: Backwards

// The gradients of the values of a square of 2 x 2 from [y, x] on, or of one value where nothing is
// pooled, of channels c to c + 15: 0 where a value was not chosen.
INLINE void route_gradient(
  const ink_normalization *shape, size_t y, size_t x, size_t c, const uint8_t *choices,
  const float *output_gradient, const bool pools, v16 *gradients) {
  v16 none = 0;
  // What does not fill a square is left out of the pooling.
  if (pools && (y + 1 == shape->rows || x + 1 == shape->columns)) {
    for (size_t q = 0; q < 4; q++) gradients[q] = none;
    return;
  }
  size_t step = pools ? 2 : 1, place = y / step * (shape->columns / step) + x / step;
  i16 choice = __builtin_convertvector(
    *(const b16 *)(choices + place * shape->channels + c), i16);
  v16 gradient = AT(
    output_gradient + y / step * shape->output_row + x / step * shape->channels + c);
  for (int32_t q = 0; q < (pools ? 4 : 1); q++) gradients[q] = choice == q ? gradient : none;
}

INLINE void sum_gradients(
  const ink_normalization *shape, const float *values, const float *mean, const uint8_t *choices,
  const float *output_gradient, double *sums, double *products, const bool pools) {
#pragma clang fp contract(fast)
  size_t channels = shape->channels, row = shape->columns * channels, step = pools ? 2 : 1;
  for (size_t c = 0; c < channels; c += LANES) {
    d16 sum = 0, product = 0;
    v16 middle = AT(mean + c);
    for (size_t y = 0; y < shape->rows; y += step) {
      v16 row_sum = 0, row_product = 0;
      for (size_t x = 0; x < shape->columns; x += step) {
        v16 gradients[4];
        route_gradient(shape, y, x, c, choices, output_gradient, pools, gradients);
        for (size_t q = 0; q < step * step; q++) {
          if (y + q / 2 == shape->rows || x + q % 2 == shape->columns) continue;
          const float *value = values + (y + q / 2) * row + (x + q % 2) * channels + c;
          __builtin_prefetch(value + AHEAD);
          row_sum += gradients[q];
          row_product += gradients[q] * (AT(value) - middle);
        }
      }
      sum += __builtin_convertvector(row_sum, d16);
      product += __builtin_convertvector(row_product, d16);
    }
    *(d16 *)(sums + c) = sum;
    *(d16 *)(products + c) = product;
  }
}

CLONES void ink_normalization_sums(
  const ink_normalization *shape, const float *restrict values, const float *restrict mean,
  const uint8_t *restrict choices, const float *restrict output_gradient, double *restrict sums,
  double *restrict products) {
  if (shape->pools)
    sum_gradients(shape, values, mean, choices, output_gradient, sums, products, true);
  else
    sum_gradients(shape, values, mean, choices, output_gradient, sums, products, false);
}

INLINE void write_gradient(
  const ink_normalization *shape, const float *values, const float *mean, const float *factors,
  const uint8_t *choices, const float *output_gradient, float *gradient, size_t gradient_row,
  const bool pools) {
#pragma clang fp contract(fast)
  size_t channels = shape->channels, row = shape->columns * channels, step = pools ? 2 : 1;
  for (size_t y = 0; y < shape->rows; y += step)
    for (size_t x = 0; x < shape->columns; x += step)
      for (size_t c = 0; c < channels; c += LANES) {
        v16 gradients[4];
        route_gradient(shape, y, x, c, choices, output_gradient, pools, gradients);
        v16 a = AT(factors + c), b = AT(factors + channels + c);
        v16 constant = AT(factors + 2 * channels + c), middle = AT(mean + c);
        for (size_t q = 0; q < step * step; q++) {
          if (y + q / 2 == shape->rows || x + q % 2 == shape->columns) continue;
          size_t below = y + q / 2, right = (x + q % 2) * channels + c;
          const float *value = values + below * row + right;
          __builtin_prefetch(value + AHEAD);
          v16 distance = AT(value) - middle;
          AT(gradient + below * gradient_row + right) = a * gradients[q] + b * distance + constant;
        }
      }
}

CLONES void ink_normalization_gradient(
  const ink_normalization *shape, const float *restrict values, const float *restrict mean,
  const float *restrict factors, const uint8_t *restrict choices,
  const float *restrict output_gradient, float *restrict gradient, size_t gradient_row) {
  if (shape->pools)
    write_gradient(
      shape, values, mean, factors, choices, output_gradient, gradient, gradient_row, true);
  else
    write_gradient(
      shape, values, mean, factors, choices, output_gradient, gradient, gradient_row, false);
}

// MARK: Rows of channels

// So many channels at once, which the compiler then keeps in vectors.
enum { ROW_BLOCK = 16 };

#define BLOCKS_OF_ROWS(function, ...)              \
  do {                                             \
    if (channels == ROW_BLOCK)                     \
      function(__VA_ARGS__, ROW_BLOCK);            \
    else                                           \
      function(__VA_ARGS__, channels);             \
  } while (0)

INLINE void add_rows(
  size_t rows, size_t row, const float *values, const double *means, double *totals,
  const size_t channels) {
#pragma clang fp contract(off)
  double sums[ROW_BLOCK] = {0};
  for (size_t r = 0; r < rows; r++, values += row)
    for (size_t c = 0; c < channels; c++) {
      double value = (double)values[c];
      if (means) {
        value -= means[c];
        value *= value;
      }
      sums[c] += value;
    }
  for (size_t c = 0; c < channels; c++) totals[c] = sums[c];
}

CLONES void ink_row_sums(
  size_t rows, size_t row, size_t channels, const float *values, const double *means,
  double *totals) {
  if (means)
    BLOCKS_OF_ROWS(add_rows, rows, row, values, means, totals);
  else
    BLOCKS_OF_ROWS(add_rows, rows, row, values, NULL, totals);
}

INLINE void add_row_gradients(
  size_t rows, size_t row, const float *values, const float *mean, const float *inverse,
  const float *gradient, double *scales, double *shifts, const size_t channels) {
#pragma clang fp contract(off)
  double scale[ROW_BLOCK] = {0}, shift[ROW_BLOCK] = {0};
  for (size_t r = 0; r < rows; r++, values += row, gradient += row)
    for (size_t c = 0; c < channels; c++) {
      shift[c] += (double)gradient[c];
      scale[c] += (double)(gradient[c] * (values[c] - mean[c]) * inverse[c]);
    }
  for (size_t c = 0; c < channels; c++) {
    scales[c] = scale[c];
    shifts[c] = shift[c];
  }
}

CLONES void ink_row_gradient_sums(
  size_t rows, size_t row, size_t channels, const float *values, const float *mean,
  const float *inverse, const float *gradient, double *scales, double *shifts) {
  BLOCKS_OF_ROWS(
    add_row_gradients, rows, row, values, mean, inverse, gradient, scales, shifts);
}

CLONES void ink_scale_rows(
  size_t rows, size_t channels, const float *values, const float *restrict scale,
  const float *restrict shift, float *restrict output) {
#pragma clang fp contract(off)
  for (size_t r = 0; r < rows; r++, values += channels, output += channels)
    for (size_t c = 0; c < channels; c++) output[c] = values[c] * scale[c] + shift[c];
}

CLONES void ink_row_gradients(
  size_t rows, size_t channels, const float *values, const float *restrict mean,
  const float *restrict inverse, const float *restrict gradient, const float *restrict factors,
  float *restrict value_gradient) {
#pragma clang fp contract(off)
  const float *scales = factors + channels, *shifts = scales + channels;
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < channels; c++) {
      float normalized = (values[c] - mean[c]) * inverse[c];
      value_gradient[c] = factors[c] * (gradient[c] - shifts[c] - normalized * scales[c]);
    }
    values += channels;
    gradient += channels;
    value_gradient += channels;
  }
}
