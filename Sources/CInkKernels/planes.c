// Convolutions over planes with the channels last, for training and inference alike.
//
// Everything is computed sixteen filters or channels at a time. How many of these vectors are
// summed side by side follows from the number of registers: 32 of 512 bits, or 16 of 256.

#include <string.h>

#include "CInkKernels.h"
#include "vectors.h"

size_t ink_padded_rows(const ink_convolution *shape) {
  return (shape->rows + 1) / 2 * 2 + shape->kernel - 1;
}

size_t ink_padded_columns(const ink_convolution *shape) {
  return (shape->columns + 1) / 2 * 2 + shape->kernel - 1;
}

// MARK: What is done with a square of 2 x 2 sums of sixteen filters

INLINE void finish_square(
  const ink_convolution *shape, const v16 *sums, size_t y, size_t x, size_t filter,
  const float *bias, float lowest, float *output, uint8_t *choices) {
  v16 offset = AT(bias + filter), least = lowest;
  if (shape->pools) {
    size_t square = y * (shape->columns / 2) + x;
    v16 largest;
    i16 choice;
    choose_largest(sums, &largest, &choice);
    if (choices)
      *(b16 *)(choices + square * shape->filters + filter) = __builtin_convertvector(choice, b16);
    v16 value = largest + offset;
    float *place = output + y * shape->output_row + x * shape->filters + filter;
    AT(place) = value < least ? least : value;
    return;
  }
  for (size_t q = 0; q < 4; q++) {
    size_t row = 2 * y + q / 2, column = 2 * x + q % 2;
    if (row >= shape->rows || column >= shape->columns) continue;
    v16 value = sums[q] + offset;
    float *place = output + row * shape->output_row + column * shape->filters + filter;
    AT(place) = value < least ? least : value;
  }
}

INLINE size_t square_rows(const ink_convolution *shape) {
  return shape->pools ? shape->rows / 2 : (shape->rows + 1) / 2;
}

INLINE size_t square_columns(const ink_convolution *shape) {
  return shape->pools ? shape->columns / 2 : (shape->columns + 1) / 2;
}

// MARK: Direct

INLINE void convolve_squares(
  const ink_convolution *shape, const float *input, const float *weight, const float *bias,
  float lowest, size_t y, size_t x, size_t filter, float *output, uint8_t *choices,
  const size_t squares, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < 4 * squares * vectors; s++) sums[s] = 0;
  size_t channels = shape->channels, length = shape->kernel * channels;
  for (size_t i = 0; i < shape->kernel; i++) {
    const float *top = input + (2 * y + i) * shape->input_row + 2 * x * channels;
    const float *bottom = top + shape->input_row;
    const float *w = weight + i * length * shape->filters + filter;
    for (size_t t = 0; t < length; t++, w += shape->filters, top++, bottom++) {
      for (size_t s = 0; s < squares; s++) {
        float a = top[2 * s * channels], b = top[(2 * s + 1) * channels];
        float c = bottom[2 * s * channels], d = bottom[(2 * s + 1) * channels];
        for (size_t v = 0; v < vectors; v++) {
          v16 factors = AT(w + v * LANES);
          v16 *four = sums + (s * vectors + v) * 4;
          four[0] += factors * a;
          four[1] += factors * b;
          four[2] += factors * c;
          four[3] += factors * d;
        }
      }
    }
  }
  for (size_t s = 0; s < squares; s++)
    for (size_t v = 0; v < vectors; v++)
      finish_square(
        shape, sums + (s * vectors + v) * 4, y, x + s, filter + v * LANES, bias, lowest, output,
        choices);
}

CLONES void ink_convolve(
  const ink_convolution *shape, const float *restrict input, const float *restrict weight,
  const float *restrict bias, float lowest, float *restrict output, uint8_t *restrict choices) {
  size_t most = most_vectors(), rows = square_rows(shape), columns = square_columns(shape);
  for (size_t filter = 0; filter < shape->filters;) {
    size_t vectors = most == MOST_VECTORS && filter + 2 * LANES <= shape->filters ? 2 : 1;
    size_t most_squares = most / 4 / vectors;
    for (size_t y = 0; y < rows; y++) {
      for (size_t x = 0, squares; x < columns; x += squares) {
        squares = part(columns, x, most_squares);
#define CASE(S, V) \
  case S * 2 + V: \
    convolve_squares( \
      shape, input, weight, bias, lowest, y, x, filter, output, choices, S, V); \
    break;
        switch (squares * 2 + vectors) {
          CASE(1, 1) CASE(2, 1) CASE(3, 1) CASE(4, 1) CASE(5, 1) CASE(6, 1)
          CASE(1, 2) CASE(2, 2) CASE(3, 2)
        }
#undef CASE
      }
    }
    filter += vectors * LANES;
  }
}

// MARK: Winograd's F(2 x 2, 3 x 3) and F(2 x 2, 5 x 5)

// A tile of 4 x 4 makes a square of 2 x 2 by 16 products instead of 36, one of 6 x 6 by 36 instead
// of 100. The points of the transforms are 0, 1, -1, infinity, and 2, -2 for the larger.
enum { MOST_SIDE = 6, MOST_POINTS = MOST_SIDE * MOST_SIDE };

// The tiles that are multiplied together.
enum { MOST_TOGETHER = 8 };

bool ink_has_winograd(size_t kernel) { return kernel == 3 || kernel == 5; }

size_t ink_winograd_points(size_t kernel) { return (kernel + 1) * (kernel + 1); }

size_t ink_winograd_scratch(const ink_convolution *shape) {
  return ink_winograd_points(shape->kernel) * MOST_TILES * shape->channels;
}

// G g, for one row or column of a kernel.
INLINE void transform_kernel(const size_t side, const v16 *g, v16 *points) {
  if (side == 4) {
    points[0] = g[0];
    points[1] = (g[0] + g[1] + g[2]) / 2;
    points[2] = (g[0] - g[1] + g[2]) / 2;
    points[3] = g[2];
  } else {
    v16 even = g[0] + g[2] + g[4], odd = g[1] + g[3];
    v16 even2 = g[0] + 4 * g[2] + 16 * g[4], odd2 = 2 * g[1] + 8 * g[3];
    points[0] = g[0] / 4;
    points[1] = (even + odd) / -6;
    points[2] = (even - odd) / -6;
    points[3] = (even2 + odd2) / 24;
    points[4] = (even2 - odd2) / 24;
    points[5] = g[4];
  }
}

// B^T d, for one row or column of a tile.
INLINE void transform_input(const size_t side, const v16 *d, v16 *points) {
  if (side == 4) {
    points[0] = d[0] - d[2];
    points[1] = d[1] + d[2];
    points[2] = d[2] - d[1];
    points[3] = d[1] - d[3];
  } else {
    v16 a = d[4] - 4 * d[2], b = d[3] - 4 * d[1], c = d[4] - d[2], e = 2 * (d[3] - d[1]);
    points[0] = 4 * d[0] - 5 * d[2] + d[4];
    points[1] = a + b;
    points[2] = a - b;
    points[3] = c + e;
    points[4] = c - e;
    points[5] = 4 * d[1] - 5 * d[3] + d[5];
  }
}

// A^T m, for one row or column of products, `stride` apart.
INLINE void transform_output(const size_t side, const v16 *m, size_t stride, v16 *pair) {
  v16 even = m[stride] + m[2 * stride], odd = m[stride] - m[2 * stride];
  if (side == 4) {
    pair[0] = m[0] + even;
    pair[1] = odd - m[3 * stride];
  } else {
    pair[0] = m[0] + even + m[3 * stride] + m[4 * stride];
    pair[1] = odd + 2 * (m[3 * stride] - m[4 * stride]) + m[5 * stride];
  }
}

INLINE void transform_weights(
  const size_t side, size_t plane, const float *weight, float *transformed) {
  const size_t kernel = side - 1;
  for (size_t place = 0; place < plane; place += LANES) {
    v16 columns[MOST_SIDE][MOST_SIDE];
    for (size_t j = 0; j < kernel; j++) {
      v16 column[MOST_SIDE];
      for (size_t i = 0; i < kernel; i++)
        column[i] = AT(weight + (i * kernel + j) * plane + place);
      transform_kernel(side, column, columns[j]);
    }
    for (size_t i = 0; i < side; i++) {
      v16 row[MOST_SIDE], points[MOST_SIDE];
      for (size_t j = 0; j < kernel; j++) row[j] = columns[j][i];
      transform_kernel(side, row, points);
      for (size_t j = 0; j < side; j++)
        AT(transformed + (i * side + j) * plane + place) = points[j];
    }
  }
}

CLONES void ink_winograd_weights(
  const ink_convolution *shape, const float *restrict weight, float *restrict transformed) {
  size_t plane = shape->channels * shape->filters;
  if (shape->kernel == 3)
    transform_weights(4, plane, weight, transformed);
  else
    transform_weights(6, plane, weight, transformed);
}

// B^T d B of a tile, all channels.
INLINE void transform_tile(
  const size_t side, size_t channels, size_t row, const float *tile, float *target,
  size_t stride) {
  for (size_t c = 0; c < channels; c += LANES) {
    v16 columns[MOST_SIDE][MOST_SIDE];
    for (size_t j = 0; j < side; j++) {
      v16 column[MOST_SIDE];
      for (size_t i = 0; i < side; i++) column[i] = AT(tile + i * row + j * channels + c);
      transform_input(side, column, columns[j]);
    }
    for (size_t i = 0; i < side; i++) {
      v16 values[MOST_SIDE], points[MOST_SIDE];
      for (size_t j = 0; j < side; j++) values[j] = columns[j][i];
      transform_input(side, values, points);
      for (size_t j = 0; j < side; j++)
        AT(target + (i * side + j) * stride + c) = points[j];
    }
  }
}

// B^T d B of a tile of 4 x 4 of planes made twice as large: its rows, and so its columns, are a, b, b, c.
// Points in row or column 2 are b - b, and stay away.
INLINE void transform_doubled_tile(
  size_t channels, size_t row, const float *tile, float *target, size_t stride) {
  for (size_t c = 0; c < channels; c += LANES) {
    v16 columns[3][3];
    for (size_t j = 0; j < 3; j++) {
      const float *place = tile + j * channels + c;
      v16 a = AT(place), b = AT(place + row), d = AT(place + 2 * row);
      columns[j][0] = a - b;
      columns[j][1] = b + b;
      columns[j][2] = b - d;
    }
    for (size_t i = 0; i < 3; i++) {
      float *place = target + (i == 2 ? 12 : 4 * i) * stride + c;
      AT(place) = columns[0][i] - columns[1][i];
      AT(place + stride) = columns[1][i] + columns[1][i];
      AT(place + 3 * stride) = columns[1][i] - columns[2][i];
    }
  }
}

INLINE void multiply_block(
  size_t inner, size_t left_row, size_t columns, const float *left, const float *right,
  v16 *target, const size_t rows, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < rows * vectors; s++) sums[s] = 0;
  for (size_t k = 0; k < inner; k++)
    for (size_t r = 0; r < rows; r++) {
      float value = left[r * left_row + k];
      for (size_t v = 0; v < vectors; v++)
        sums[r * vectors + v] += AT(right + k * columns + v * LANES) * value;
    }
  for (size_t s = 0; s < rows * vectors; s++) target[s] = sums[s];
}

// target[r, v] = sum over k of left[r, k] * right[k, v]; right has rows of `columns`.
INLINE void multiply_rows(
  size_t inner, size_t left_row, size_t columns, const float *left, const float *right,
  v16 *target, size_t rows, size_t vectors) {
#define CASE(R, V) \
  case R * 4 + V - 1: \
    multiply_block(inner, left_row, columns, left, right, target, R, V); \
    break;
  switch (rows * 4 + vectors - 1) {
    CASE(1, 1) CASE(2, 1) CASE(3, 1) CASE(4, 1) CASE(5, 1) CASE(6, 1)
    CASE(7, 1) CASE(8, 1) CASE(9, 1) CASE(10, 1) CASE(11, 1) CASE(12, 1)
    CASE(1, 2) CASE(2, 2) CASE(3, 2) CASE(4, 2) CASE(5, 2) CASE(6, 2)
    CASE(7, 2) CASE(8, 2) CASE(9, 2) CASE(10, 2) CASE(11, 2) CASE(12, 2)
    CASE(1, 3) CASE(2, 3) CASE(3, 3) CASE(4, 3) CASE(5, 3) CASE(6, 3) CASE(7, 3) CASE(8, 3)
    CASE(1, 4) CASE(2, 4) CASE(3, 4) CASE(4, 4) CASE(5, 4) CASE(6, 4)
  }
#undef CASE
}

INLINE void convolve_tiles(
  const size_t side, const ink_convolution *shape, size_t parts, const ink_part *part_shapes,
  const float *const *inputs, const float *weight, const float *bias, float lowest, float *output,
  uint8_t *choices, float *scratch) {
  size_t most = most_vectors(), columns = square_columns(shape);
  size_t count = square_rows(shape) * columns, channels = shape->channels;
  // With more, there are not enough registers for pointers to them.
  size_t most_tiles = most < MOST_TOGETHER ? most : MOST_TOGETHER;
  size_t doubled = 0;
  for (size_t p = 0; p < parts; p++)
    if (part_shapes[p].is_doubled) doubled += part_shapes[p].channels;
  for (size_t first = 0, tiles; first < count; first += tiles) {
    tiles = part(count, first, most_tiles);
    for (size_t t = 0; t < tiles; t++) {
      size_t y = (first + t) / columns, x = (first + t) % columns;
      float *target = scratch + t * channels;
      for (size_t p = 0; p < parts; p++) {
        size_t row = part_shapes[p].row, own = part_shapes[p].channels;
        if (side == 4 && part_shapes[p].is_doubled)
          transform_doubled_tile(
            own, row, inputs[p] + y * row + x * own, target, tiles * channels);
        else
          transform_tile(
            side, own, row, inputs[p] + 2 * y * row + 2 * x * own, target, tiles * channels);
        target += own;
      }
    }
    size_t most_together = most < MOST_VECTORS ? 1 : MOST_VECTORS / MOST_TOGETHER;
    for (size_t filter = 0; filter < shape->filters;) {
      size_t vectors = part(shape->filters / LANES, filter / LANES, most_together);
      v16 products[MOST_POINTS * MOST_VECTORS];
      size_t stride = tiles * vectors;
      for (size_t point = 0; point < side * side; point++) {
        // Of planes made twice as large, nothing is at these points.
        size_t skipped = side == 4 && (point / 4 == 2 || point % 4 == 2) ? doubled : 0;
        const float *values = scratch + point * tiles * channels + skipped;
        const float *w = weight + (point * channels + skipped) * shape->filters + filter;
        multiply_rows(
          channels - skipped, channels, shape->filters, values, w, products + point * stride,
          tiles, vectors);
      }
      for (size_t s = 0; s < stride; s++) {
        // A^T m A.
        v16 pairs[MOST_SIDE][2], sums[4];
        for (size_t i = 0; i < side; i++)
          transform_output(side, products + i * side * stride + s, stride, pairs[i]);
        for (size_t j = 0; j < 2; j++) {
          v16 pair[2];
          transform_output(side, pairs[0] + j, 2, pair);
          sums[j] = pair[0];
          sums[2 + j] = pair[1];
        }
        size_t tile = first + s / vectors;
        finish_square(
          shape, sums, tile / columns, tile % columns, filter + s % vectors * LANES, bias, lowest,
          output, choices);
      }
      filter += vectors * LANES;
    }
  }
}

CLONES void ink_convolve_winograd(
  const ink_convolution *shape, const float *restrict input, const float *restrict weight,
  const float *restrict bias, float lowest, float *restrict output, uint8_t *restrict choices,
  float *restrict scratch) {
  const ink_part whole = {.channels = shape->channels, .row = shape->input_row};
  const float *inputs[] = {input};
  if (shape->kernel == 3)
    convolve_tiles(4, shape, 1, &whole, inputs, weight, bias, lowest, output, choices, scratch);
  else
    convolve_tiles(6, shape, 1, &whole, inputs, weight, bias, lowest, output, choices, scratch);
}

CLONES void ink_convolve_joined(
  const ink_convolution *shape, size_t parts, const ink_part *part_shapes,
  const float *const *inputs, const float *restrict weight, const float *restrict bias,
  float lowest, float *restrict output, float *restrict scratch) {
  convolve_tiles(
    4, shape, parts, part_shapes, inputs, weight, bias, lowest, output, NULL, scratch);
}

// MARK: Winograd's F(4 x 4, 3 x 3)

// Tiles of 6 x 6, the points of which are those of F(2 x 2, 5 x 5), make squares of 4 x 4.
enum { WIDE_SIDE = 6, WIDE_POINTS = WIDE_SIDE * WIDE_SIDE };

size_t ink_wide_winograd_points(void) { return WIDE_POINTS; }

// The points of the tiles that are multiplied together, and a tile of its own.
size_t ink_wide_winograd_scratch(const ink_convolution *shape) {
  return WIDE_POINTS * (MOST_TOGETHER + 1) * shape->channels;
}

// G g, for one row or column of a kernel.
INLINE void transform_narrow_kernel(const v16 *g, v16 *points) {
  const v16 longer[5] = {g[0], g[1], g[2], 0, 0};
  transform_kernel(WIDE_SIDE, longer, points);
  points[WIDE_SIDE - 1] = g[2];
}

CLONES void ink_wide_winograd_weights(
  const ink_convolution *shape, const float *restrict weight, float *restrict transformed) {
  const size_t plane = shape->channels * shape->filters;
  for (size_t place = 0; place < plane; place += LANES) {
    v16 columns[3][WIDE_SIDE];
    for (size_t j = 0; j < 3; j++) {
      v16 column[3];
      for (size_t i = 0; i < 3; i++) column[i] = AT(weight + (i * 3 + j) * plane + place);
      transform_narrow_kernel(column, columns[j]);
    }
    for (size_t i = 0; i < WIDE_SIDE; i++) {
      const v16 row[3] = {columns[0][i], columns[1][i], columns[2][i]};
      v16 points[WIDE_SIDE];
      transform_narrow_kernel(row, points);
      for (size_t j = 0; j < WIDE_SIDE; j++)
        AT(transformed + (i * WIDE_SIDE + j) * plane + place) = points[j];
    }
  }
}

// A^T m, for one row or column of products, `stride` apart.
INLINE void transform_wide_output(const v16 *m, size_t stride, v16 *four) {
  v16 even = m[stride] + m[2 * stride], odd = m[stride] - m[2 * stride];
  v16 even2 = m[3 * stride] + m[4 * stride], odd2 = m[3 * stride] - m[4 * stride];
  four[0] = m[0] + even + even2;
  four[1] = odd + 2 * odd2;
  four[2] = even + 4 * even2;
  four[3] = odd + 8 * odd2 + m[5 * stride];
}

// The part of a tile that is there, and zeros.
INLINE void copy_tile(
  size_t channels, size_t row, size_t rows, size_t columns, const float *tile, float *target) {
  memset(target, 0, WIDE_POINTS * channels * sizeof(float));
  for (size_t i = 0; i < WIDE_SIDE && i < rows; i++)
    memcpy(
      target + i * WIDE_SIDE * channels, tile + i * row,
      (columns < WIDE_SIDE ? columns : WIDE_SIDE) * channels * sizeof(float));
}

CLONES void ink_convolve_wide_winograd(
  const ink_convolution *shape, const float *restrict input, const float *restrict weight,
  const float *restrict bias, float lowest, float *restrict output, float *restrict scratch) {
  const size_t squares = square_columns(shape), columns = (squares + 1) / 2;
  const size_t count = (square_rows(shape) + 1) / 2 * columns, channels = shape->channels;
  const size_t rows_there = ink_padded_rows(shape), columns_there = shape->input_row / channels;
  const size_t most = most_vectors();
  const size_t most_together = most < MOST_VECTORS ? 1 : MOST_VECTORS / MOST_TOGETHER;
  float *edge = scratch + WIDE_POINTS * MOST_TOGETHER * channels;
  for (size_t first = 0, tiles; first < count; first += tiles) {
    tiles = part(count, first, most < MOST_TOGETHER ? most : MOST_TOGETHER);
    for (size_t t = 0; t < tiles; t++) {
      size_t y = 4 * ((first + t) / columns), x = 4 * ((first + t) % columns);
      size_t row = shape->input_row;
      const float *tile = input + y * row + x * channels;
      if (y + WIDE_SIDE > rows_there || x + WIDE_SIDE > columns_there) {
        copy_tile(channels, row, rows_there - y, columns_there - x, tile, edge);
        tile = edge;
        row = WIDE_SIDE * channels;
      }
      transform_tile(WIDE_SIDE, channels, row, tile, scratch + t * channels, tiles * channels);
    }
    for (size_t filter = 0, vectors; filter < shape->filters; filter += vectors * LANES) {
      vectors = part(shape->filters / LANES, filter / LANES, most_together);
      v16 products[WIDE_POINTS * MOST_VECTORS];
      const size_t stride = tiles * vectors;
      for (size_t point = 0; point < WIDE_POINTS; point++)
        multiply_rows(
          channels, channels, shape->filters, scratch + point * tiles * channels,
          weight + point * channels * shape->filters + filter, products + point * stride, tiles,
          vectors);
      for (size_t s = 0; s < stride; s++) {
        // A^T m A.
        v16 fours[WIDE_SIDE][4], sums[4][4];
        for (size_t i = 0; i < WIDE_SIDE; i++)
          transform_wide_output(products + i * WIDE_SIDE * stride + s, stride, fours[i]);
        for (size_t j = 0; j < 4; j++) {
          v16 four[4];
          transform_wide_output(fours[0] + j, 4, four);
          for (size_t i = 0; i < 4; i++) sums[i][j] = four[i];
        }
        const size_t tile = first + s / vectors;
        const size_t y = 2 * (tile / columns), x = 2 * (tile % columns);
        for (size_t q = 0; q < 4; q++) {
          const size_t i = q / 2, j = q % 2;
          if (y + i >= square_rows(shape) || x + j >= squares) continue;
          const v16 square[4] = {
            sums[2 * i][2 * j], sums[2 * i][2 * j + 1], sums[2 * i + 1][2 * j],
            sums[2 * i + 1][2 * j + 1]};
          finish_square(
            shape, square, y + i, x + j, filter + s % vectors * LANES, bias, lowest, output,
            NULL);
        }
      }
    }
  }
}

// MARK: Gradients of weights by the same transforms

// The tiles that are transformed together.
enum { MOST_GRADIENT_TILES = 64 };

// The tiles of a whole convolution that are transformed together.
INLINE size_t gradient_tiles(const ink_convolution *shape) {
  size_t count = square_rows(shape) * square_columns(shape);
  return count < MOST_GRADIENT_TILES ? count : MOST_GRADIENT_TILES;
}

// From one point to the next: some more, so that not all of them lie in the same part of the cache.
INLINE size_t point_stride(size_t tiles, size_t channels) { return tiles * channels + LANES; }

size_t ink_winograd_gradients_scratch(const ink_convolution *shape) {
  size_t tiles = gradient_tiles(shape);
  return ink_winograd_points(shape->kernel)
    * (point_stride(tiles, shape->channels) + point_stride(tiles, shape->filters));
}

// A g, for one row or column of a square.
INLINE void transform_gradient(const size_t side, const v16 *g, v16 *points) {
  points[0] = g[0];
  points[1] = g[0] + g[1];
  points[2] = g[0] - g[1];
  if (side == 4) {
    points[3] = -g[1];
  } else {
    points[3] = g[0] + 2 * g[1];
    points[4] = g[0] - 2 * g[1];
    points[5] = g[1];
  }
}

// A g A^T of a square, all filters.
INLINE void transform_square(
  const size_t side, size_t filters, const float *square, size_t row, float *target,
  size_t stride) {
  for (size_t f = 0; f < filters; f += LANES) {
    v16 columns[2][MOST_SIDE];
    for (size_t j = 0; j < 2; j++) {
      const float *place = square + j * filters + f;
      v16 column[2] = {AT(place), AT(place + row)};
      transform_gradient(side, column, columns[j]);
    }
    for (size_t i = 0; i < side; i++) {
      v16 pair[2] = {columns[0][i], columns[1][i]}, points[MOST_SIDE];
      transform_gradient(side, pair, points);
      for (size_t j = 0; j < side; j++) AT(target + (i * side + j) * stride + f) = points[j];
    }
  }
}

// target[r, v] += sum over k of left[k, r] * right[k, v].
INLINE void add_products_block(
  size_t inner, const float *left, size_t left_row, const float *right, size_t right_row,
  float *target, const size_t rows, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < rows * vectors; s++) sums[s] = 0;
  for (size_t k = 0; k < inner; k++, left += left_row, right += right_row)
    for (size_t r = 0; r < rows; r++) {
      float value = left[r];
      for (size_t v = 0; v < vectors; v++) sums[r * vectors + v] += AT(right + v * LANES) * value;
    }
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < vectors; v++) {
      float *place = target + r * right_row + v * LANES;
      AT(place) = AT(place) + sums[r * vectors + v];
    }
}

// target[r, v] += sum over k of left[k, r] * right[k, v], for whole rows of multiples of 16.
INLINE void add_products(
  size_t inner, const float *left, size_t left_row, const float *right, size_t right_row,
  float *target) {
  bool is_wide = most_vectors() == MOST_VECTORS;
  size_t rows = is_wide ? 8 : 4, count = right_row / LANES;
  for (size_t r = 0; r < left_row; r += rows) {
    for (size_t v = 0, vectors; v < count; v += vectors) {
      vectors = part(count, v, is_wide ? 3 : 1);
      const float *column = right + v * LANES;
      float *block = target + r * right_row + v * LANES;
#define CASE(R, V) \
  case R + V: \
    add_products_block(inner, left + r, left_row, column, right_row, block, R, V); \
    break;
      switch (rows + vectors) { CASE(4, 1) CASE(8, 1) CASE(8, 2) CASE(8, 3) }
#undef CASE
    }
  }
}

INLINE void add_tile_gradients(
  const size_t side, const ink_convolution *shape, const float *input,
  const float *output_gradient, size_t gradient_row, float *sums, float *scratch) {
  size_t columns = square_columns(shape), count = square_rows(shape) * columns;
  size_t channels = shape->channels, filters = shape->filters, most = gradient_tiles(shape);
  float *squares = scratch + side * side * point_stride(most, channels);
  for (size_t first = 0, tiles; first < count; first += tiles) {
    tiles = part(count, first, most);
    size_t left = point_stride(tiles, channels), right = point_stride(tiles, filters);
    for (size_t t = 0; t < tiles; t++) {
      size_t y = (first + t) / columns, x = (first + t) % columns;
      transform_tile(
        side, shape->channels, shape->input_row, input + 2 * y * shape->input_row + 2 * x * channels, scratch + t * channels,
        left);
      transform_square(
        side, filters, output_gradient + 2 * y * gradient_row + 2 * x * filters, gradient_row,
        squares + t * filters, right);
    }
    for (size_t point = 0; point < side * side; point++)
      add_products(
        tiles, scratch + point * left, channels, squares + point * right, filters,
        sums + point * channels * filters);
  }
}

CLONES void ink_winograd_gradients(
  const ink_convolution *shape, const float *restrict input,
  const float *restrict output_gradient, size_t gradient_row, float *restrict sums,
  float *restrict scratch) {
  if (shape->kernel == 3)
    add_tile_gradients(4, shape, input, output_gradient, gradient_row, sums, scratch);
  else
    add_tile_gradients(6, shape, input, output_gradient, gradient_row, sums, scratch);
}

// G^T p, for one row or column of points.
INLINE void transform_points(const size_t side, const v16 *p, v16 *g) {
  if (side == 4) {
    v16 even = (p[1] + p[2]) / 2;
    g[0] = p[0] + even;
    g[1] = (p[1] - p[2]) / 2;
    g[2] = even + p[3];
  } else {
    v16 even = (p[1] + p[2]) / -6, odd = (p[1] - p[2]) / -6;
    v16 even2 = (p[3] + p[4]) / 24, odd2 = (p[3] - p[4]) / 24;
    g[0] = p[0] / 4 + even + even2;
    g[1] = odd + 2 * odd2;
    g[2] = even + 4 * even2;
    g[3] = odd + 8 * odd2;
    g[4] = even + 16 * even2 + p[5];
  }
}

INLINE void transform_sums(
  const size_t side, size_t plane, const float *sums, float *weight_gradient) {
  const size_t kernel = side - 1;
  for (size_t place = 0; place < plane; place += LANES) {
    v16 columns[MOST_SIDE][MOST_SIDE];
    for (size_t j = 0; j < side; j++) {
      v16 column[MOST_SIDE];
      for (size_t i = 0; i < side; i++) column[i] = AT(sums + (i * side + j) * plane + place);
      transform_points(side, column, columns[j]);
    }
    for (size_t i = 0; i < kernel; i++) {
      v16 row[MOST_SIDE], gradients[MOST_SIDE];
      for (size_t j = 0; j < side; j++) row[j] = columns[j][i];
      transform_points(side, row, gradients);
      for (size_t j = 0; j < kernel; j++)
        AT(weight_gradient + (i * kernel + j) * plane + place) = gradients[j];
    }
  }
}

CLONES void ink_winograd_weight_gradient(
  const ink_convolution *shape, const float *restrict sums, float *restrict weight_gradient) {
  size_t plane = shape->channels * shape->filters;
  if (shape->kernel == 3)
    transform_sums(4, plane, sums, weight_gradient);
  else
    transform_sums(6, plane, sums, weight_gradient);
}

// MARK: Dense

// target[v] = sum over n of factors[n] * rows[places[n], v]; every fourth has its own sum, or each
// would wait for the one before.
INLINE void sum_rows(
  size_t count, const float *restrict factors, const uint32_t *restrict places,
  const float *restrict rows, size_t columns, v16 *target, const size_t vectors) {
#pragma clang fp contract(fast)
  enum { APART = 4 };
  v16 sums[APART][PANEL_VECTORS];
  for (size_t a = 0; a < APART; a++)
    for (size_t v = 0; v < vectors; v++) sums[a][v] = 0;
  size_t n = 0;
  for (; n + APART <= count; n += APART)
    for (size_t a = 0; a < APART; a++) {
      const float *row = rows + places[n + a] * columns;
      for (size_t v = 0; v < vectors; v++) sums[a][v] += AT(row + v * LANES) * factors[n + a];
    }
  for (; n < count; n++) {
    const float *row = rows + places[n] * columns;
    for (size_t v = 0; v < vectors; v++) sums[0][v] += AT(row + v * LANES) * factors[n];
  }
  for (size_t v = 0; v < vectors; v++)
    target[v] = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v]);
}

size_t ink_dense_panel(void) { return PANEL_VECTORS * LANES; }

size_t ink_dense_scratch(size_t inputs) { return 2 * inputs; }

CLONES void ink_dense(
  size_t examples, size_t inputs, size_t units, const float *restrict input,
  const float *restrict weight, const float *restrict bias, float lowest, float *restrict output,
  float *restrict scratch) {
  v16 least = lowest;
  size_t most = most_vectors();
  // A single example fetches each weight for one product: those of inputs that ReLU made 0 stay
  // where they are.
  float *factors = scratch;
  uint32_t *places = (uint32_t *)(scratch + inputs);
  size_t used = 0;
  if (examples == 1)
    for (size_t i = 0; i < inputs; i++) {
      factors[used] = input[i];
      places[used] = (uint32_t)i;
      used += input[i] != 0;
    }
  for (size_t unit = 0; unit < units; unit += PANEL_VECTORS * LANES) {
    size_t left = (units - unit) / LANES, width = left < PANEL_VECTORS ? left : PANEL_VECTORS;
    const float *panel = weight + unit * inputs;
    for (size_t v = 0, vectors; v < width; v += vectors) {
      vectors = width - v < 2 || most < MOST_VECTORS ? 1 : width - v < 4 ? 2 : 4;
      const float *columns = panel + v * LANES;
      size_t rows = most / vectors < MOST_TILES ? most / vectors : MOST_TILES;
      for (size_t first = 0, count; first < examples; first += count) {
        count = part(examples, first, rows);
        v16 sums[MOST_VECTORS];
        if (examples == 1) {
#define CASE(V) \
  case V: sum_rows(used, factors, places, columns, width * LANES, sums, V); break;
          switch (vectors) { CASE(1) CASE(2) CASE(4) }
#undef CASE
        } else {
          multiply_rows(
            inputs, inputs, width * LANES, input + first * inputs, columns, sums, count,
            vectors);
        }
        for (size_t s = 0; s < count * vectors; s++) {
          size_t place = unit + (v + s % vectors) * LANES;
          v16 value = sums[s] + AT(bias + place);
          AT(output + (first + s / vectors) * units + place) = value < least ? least : value;
        }
      }
    }
  }
}

// The sums of a row for `panels` whole panels, or for one of `vectors` vectors.
INLINE void multiply_row(
  size_t count, size_t inputs, const float *restrict input, const float *restrict weight,
  const float *restrict bias, float *restrict output, const size_t panels, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_TILES];
  for (size_t s = 0; s < panels * vectors; s++) sums[s] = 0;
  for (size_t i = 0; i < count; i++) {
    v16 factor = input[i];
    for (size_t p = 0; p < panels; p++)
      for (size_t v = 0; v < vectors; v++)
        sums[p * vectors + v] += AT(weight + ((p * inputs + i) * vectors + v) * LANES) * factor;
  }
  for (size_t s = 0; s < panels * vectors; s++)
    AT(output + s * LANES) = sums[s] + AT(bias + s * LANES);
}

CLONES void ink_dense_row(
  size_t count, size_t inputs, size_t units, const float *restrict input,
  const float *restrict weight, const float *restrict bias, float *restrict output) {
  const size_t most = most_vectors() < MOST_VECTORS ? 1 : MOST_TILES / PANEL_VECTORS;
  const size_t whole = units / (PANEL_VECTORS * LANES);
  for (size_t done = 0, panels; done < whole; done += panels) {
    size_t unit = done * PANEL_VECTORS * LANES;
    panels = part(whole, done, most);
#define CASE(P, V) \
  multiply_row(count, inputs, input, weight + unit * inputs, bias + unit, output + unit, P, V); \
  break;
    switch (panels) {
      case 1: CASE(1, PANEL_VECTORS)
      case 2: CASE(2, PANEL_VECTORS)
      case 3: CASE(3, PANEL_VECTORS)
    }
  }
  size_t unit = whole * PANEL_VECTORS * LANES;
  switch ((units - unit) / LANES) {
    case 1: CASE(1, 1)
    case 2: CASE(1, 2)
    case 3: CASE(1, 3)
  }
#undef CASE
}

// MARK: Gradients behind max-pooling

// target[i, t] += sum over n of factors[n] * source[offsets[n] + i * source_row + t].
INLINE void combine_block(
  size_t count, const float *restrict factors, const uint32_t *restrict offsets,
  const float *restrict source, size_t source_row, float *restrict target, size_t target_row,
  const size_t rows, const size_t vectors) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  for (size_t s = 0; s < rows * vectors; s++) sums[s] = 0;
  for (size_t n = 0; n < count; n++) {
    const float *vector = source + offsets[n];
    v16 factor = factors[n];
    for (size_t i = 0; i < rows; i++)
      for (size_t v = 0; v < vectors; v++)
        sums[i * vectors + v] += AT(vector + i * source_row + v * LANES) * factor;
  }
  for (size_t i = 0; i < rows; i++)
    for (size_t v = 0; v < vectors; v++) {
      float *place = target + i * target_row + v * LANES;
      AT(place) = AT(place) + sums[i * vectors + v];
    }
}

INLINE void combine(
  size_t count, const float *factors, const uint32_t *offsets, const float *source,
  size_t source_row, size_t rows, size_t length, float *target, size_t target_row) {
  size_t vectors = length / LANES;
  // The rows of the commonest kernels are summed together, or too few sums would run side by side.
  if (rows == 3 && vectors == 3) {
    combine_block(count, factors, offsets, source, source_row, target, target_row, 3, 3);
  } else if (rows == 3 && vectors == 6) {
    combine_block(count, factors, offsets, source, source_row, target, target_row, 3, 6);
  } else {
    for (size_t i = 0; i < rows; i++, source += source_row, target += target_row) {
      for (size_t first = 0, block; first < vectors; first += block) {
        block = part(vectors, first, 12);
        const float *start = source + first * LANES;
        float *place = target + first * LANES;
#define CASE(V) \
  case V: combine_block(count, factors, offsets, start, 0, place, 0, 1, V); break;
        switch (block) {
          CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
          CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
        }
#undef CASE
      }
    }
  }
}

INLINE void add_picture_gradients(
  const ink_convolution *shape, const float *input, const float *output, const uint8_t *choices,
  const float *output_gradient, size_t gradient_row, size_t filter, size_t first,
  const size_t count, const bool pools, float *weight_gradient) {
#pragma clang fp contract(fast)
  v16 sums[MOST_VECTORS];
  size_t offsets[MOST_VECTORS];
  for (size_t s = 0; s < count; s++) {
    sums[s] = 0;
    offsets[s] = (first + s) / shape->kernel * shape->input_row + (first + s) % shape->kernel;
  }
  size_t step = pools ? 2 : 1, columns = shape->columns / step;
  for (size_t y = 0; y < shape->rows / step; y++) {
    for (size_t x = 0; x < columns; x++) {
      size_t place = y * gradient_row + x * shape->filters + filter;
      v16 gradient = AT(output_gradient + place);
      const float *square = input + step * (y * shape->input_row + x);
      if (!pools) {
        for (size_t s = 0; s < count; s++) sums[s] += gradient * square[offsets[s]];
        continue;
      }
      gradient = AT(output + place) > 0 ? gradient : 0;
      i16 choice = __builtin_convertvector(
        *(const b16 *)(choices + (y * columns + x) * shape->filters + filter), i16);
      for (int32_t q = 0; q < 4; q++) {
        v16 chosen = choice == q ? gradient : 0;
        const float *patch = square + q / 2 * shape->input_row + q % 2;
        for (size_t s = 0; s < count; s++) sums[s] += chosen * patch[offsets[s]];
      }
    }
  }
  for (size_t s = 0; s < count; s++) {
    float *target = weight_gradient + (first + s) * shape->filters + filter;
    AT(target) = AT(target) + sums[s];
  }
}

// A picture has one channel, so that sixteen filters are summed side by side. Behind max-pooling, a
// filter adds nothing where another corner of the square was chosen.
INLINE void picture_gradients(
  const ink_convolution *shape, const float *input, const float *output, const uint8_t *choices,
  const float *output_gradient, size_t gradient_row, const bool pools, float *weight_gradient) {
  size_t size = shape->kernel * shape->kernel, most = most_vectors();
  for (size_t f = 0; f < shape->filters; f += LANES)
    for (size_t first = 0, count; first < size; first += count) {
      count = part(size, first, most);
#define CASE(N) \
  case N: \
    add_picture_gradients( \
      shape, input, output, choices, output_gradient, gradient_row, f, first, N, pools, \
      weight_gradient); \
    break;
      switch (count) {
        CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
        CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19)
        CASE(20) CASE(21) CASE(22) CASE(23) CASE(24)
      }
#undef CASE
    }
}

CLONES void ink_picture_gradients(
  const ink_convolution *shape, const float *restrict input,
  const float *restrict output_gradient, size_t gradient_row, float *restrict weight_gradient) {
  picture_gradients(
    shape, input, NULL, NULL, output_gradient, gradient_row, false, weight_gradient);
}

size_t ink_pooled_gradients_scratch(const ink_convolution *shape) {
  size_t squares = (shape->rows / 2) * (shape->columns / 2);
  return 8 * (squares > shape->filters ? squares : shape->filters);
}

CLONES void ink_pooled_gradients(
  const ink_convolution *shape, const float *restrict input, const float *restrict weight,
  const float *restrict output, const uint8_t *restrict choices,
  const float *restrict output_gradient, float *restrict weight_gradient,
  float *restrict bias_gradient, float *restrict input_gradient, float *restrict scratch) {
  size_t rows = shape->rows / 2, columns = shape->columns / 2, filters = shape->filters;
  size_t length = shape->kernel * shape->channels, size = shape->kernel * length;
  for (size_t f = 0; f < filters; f += LANES) {
    v16 sum = 0;
    for (size_t y = 0; y < rows; y++)
      for (size_t x = 0; x < columns; x++) {
        size_t place = y * shape->output_row + x * filters + f;
        sum += AT(output + place) > 0 ? AT(output_gradient + place) : 0;
      }
    AT(bias_gradient + f) = AT(bias_gradient + f) + sum;
  }
  if (shape->channels == 1) {
    picture_gradients(
      shape, input, output, choices, output_gradient, shape->output_row, true, weight_gradient);
    return;
  }

  size_t corners[4] = {
    0, shape->channels, shape->input_row, shape->input_row + shape->channels};
  size_t capacity = ink_pooled_gradients_scratch(shape) / 8;
  float *factors = scratch;
  uint32_t *offsets = (uint32_t *)(scratch + 4 * capacity);
  for (size_t f = 0; f < filters; f++) {
    size_t count = 0;
    for (size_t y = 0; y < rows; y++)
      for (size_t x = 0; x < columns; x++) {
        size_t place = y * shape->output_row + x * filters + f;
        float gradient = output[place] > 0 ? output_gradient[place] : 0;
        factors[count] = gradient;
        offsets[count] = (uint32_t)(
          2 * y * shape->input_row + 2 * x * shape->channels
          + corners[choices[(y * columns + x) * filters + f]]);
        count += gradient != 0;
      }
    combine(
      count, factors, offsets, input, shape->input_row, shape->kernel, length,
      weight_gradient + f * size, length);
  }
  if (!input_gradient) return;
  memset(input_gradient, 0, ink_padded_rows(shape) * shape->input_row * sizeof(float));
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < columns; x++) {
      size_t counts[4] = {0};
      for (size_t f = 0; f < filters; f++) {
        size_t place = y * shape->output_row + x * filters + f;
        float gradient = output[place] > 0 ? output_gradient[place] : 0;
        size_t corner = choices[(y * columns + x) * filters + f];
        factors[corner * capacity + counts[corner]] = gradient;
        offsets[corner * capacity + counts[corner]] = (uint32_t)(f * size);
        counts[corner] += gradient != 0;
      }
      float *square = input_gradient + 2 * y * shape->input_row + 2 * x * shape->channels;
      for (size_t q = 0; q < 4; q++)
        combine(
          counts[q], factors + q * capacity, offsets + q * capacity, weight, length,
          shape->kernel, length, square + corners[q], shape->input_row);
    }
}

// MARK: Order of channels

void ink_pack(
  size_t channels, size_t height, size_t width, const float *restrict planes,
  size_t packed_channels, size_t row, float *restrict packed) {
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++)
      for (size_t c = 0; c < channels; c++)
        packed[y * row + x * packed_channels + c] = planes[(c * height + y) * width + x];
}

void ink_unpack(
  size_t channels, size_t height, size_t width, const float *restrict packed,
  size_t packed_channels, size_t row, float *restrict planes) {
  for (size_t c = 0; c < channels; c++)
    for (size_t y = 0; y < height; y++)
      for (size_t x = 0; x < width; x++)
        planes[(c * height + y) * width + x] = packed[y * row + x * packed_channels + c];
}
