// Batch normalisation with the ReLU and the 2 x 2 max-pooling behind it, over planes with the channels
// last, sixteen channels at a time.

#include "CInkKernels.h"
#include "vectors.h"

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
        v16 value = AT(place) * factor + offset;
        if (shape->pools) {
          v16 four[4] = {
            value, AT(place + channels) * factor + offset, AT(place + row) * factor + offset,
            AT(place + row + channels) * factor + offset};
          choose_largest(four, &value, choices + (y * columns + x) * channels + c);
        }
        AT(output + y * shape->output_row + x * channels + c) = value < least ? least : value;
      }
}

// MARK: Backwards

// The gradient of the normalised value [y, x], of channels c to c + 15: 0 where the value was not the
// largest of its square, or not above the lowest.
INLINE void routed_gradient(
  const ink_normalization *shape, size_t y, size_t x, size_t c, const float *output,
  const uint8_t *choices, const float *output_gradient, const bool pools, v16 *gradient) {
  v16 none = 0, least = shape->lowest;
  size_t columns = shape->columns / 2;
  if (pools && (y / 2 >= shape->rows / 2 || x / 2 >= columns)) {
    *gradient = none;
    return;
  }
  size_t above = pools ? y / 2 : y, left = pools ? x / 2 : x;
  size_t place = above * shape->output_row + left * shape->channels + c;
  v16 routed = AT(output + place) > least ? AT(output_gradient + place) : none;
  if (pools) {
    i16 choice = __builtin_convertvector(
      *(const b16 *)(choices + (above * columns + left) * shape->channels + c), i16);
    routed = choice == (int32_t)(y % 2 * 2 + x % 2) ? routed : none;
  }
  *gradient = routed;
}

INLINE void sum_gradients(
  const ink_normalization *shape, const float *values, const float *mean, const float *output,
  const uint8_t *choices, const float *output_gradient, double *sums, double *products,
  const bool pools) {
#pragma clang fp contract(fast)
  size_t channels = shape->channels;
  for (size_t c = 0; c < channels; c += LANES) {
    d16 sum = 0, product = 0;
    v16 middle = AT(mean + c);
    for (size_t y = 0; y < shape->rows; y++) {
      v16 row_sum = 0, row_product = 0;
      for (size_t x = 0; x < shape->columns; x++) {
        v16 gradient;
        routed_gradient(shape, y, x, c, output, choices, output_gradient, pools, &gradient);
        row_sum += gradient;
        row_product += gradient * (AT(values + (y * shape->columns + x) * channels + c) - middle);
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
  const float *restrict output, const uint8_t *restrict choices,
  const float *restrict output_gradient, double *restrict sums, double *restrict products) {
  if (shape->pools)
    sum_gradients(
      shape, values, mean, output, choices, output_gradient, sums, products, true);
  else
    sum_gradients(
      shape, values, mean, output, choices, output_gradient, sums, products, false);
}

INLINE void write_gradient(
  const ink_normalization *shape, const float *values, const float *mean, const float *factors,
  const float *output, const uint8_t *choices, const float *output_gradient, float *gradient,
  size_t gradient_row, const bool pools) {
#pragma clang fp contract(fast)
  size_t channels = shape->channels;
  for (size_t y = 0; y < shape->rows; y++)
    for (size_t x = 0; x < shape->columns; x++)
      for (size_t c = 0; c < channels; c += LANES) {
        v16 routed;
        routed_gradient(shape, y, x, c, output, choices, output_gradient, pools, &routed);
        v16 distance = AT(values + (y * shape->columns + x) * channels + c) - AT(mean + c);
        AT(gradient + y * gradient_row + x * channels + c) =
          AT(factors + c) * routed + AT(factors + channels + c) * distance
          + AT(factors + 2 * channels + c);
      }
}

CLONES void ink_normalization_gradient(
  const ink_normalization *shape, const float *restrict values, const float *restrict mean,
  const float *restrict factors, const float *restrict output, const uint8_t *restrict choices,
  const float *restrict output_gradient, float *restrict gradient, size_t gradient_row) {
  if (shape->pools)
    write_gradient(
      shape, values, mean, factors, output, choices, output_gradient, gradient, gradient_row,
      true);
  else
    write_gradient(
      shape, values, mean, factors, output, choices, output_gradient, gradient, gradient_row,
      false);
}
